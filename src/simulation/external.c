/* SPDX-License-Identifier: Apache-2.0
 *
 * external.c: external forces as peers (peer.h): motion out, forces in, by the commands of MBDyn's peer library
 * (libmbc, "external structural"), so that programs written for it connect unchanged. All numbers are those of the machine:
 * commands of one byte, counts of uint32, float64.
 *
 *   the other side    7, flags, number of nodes      what it expects
 *   this side         8: agreed; 5: not, good-bye
 *   then, at the start and as often as forces are wanted
 *   this side         2, motion                      positions of all nodes, orientations, velocities, angular
 *                                                    velocities, accelerations, angular accelerations, by the flags
 *   the other side    2, forces                      forces of all nodes, then moments; it wants to see more motion
 *                     6, forces                      the last ones of this step: it has converged
 *                     4                              the same, with the forces that it gave before
 *                     5                              the run shall end
 *   this side         5                              at the end
 *
 * Steps that may be tried again are beyond that language. With `repeats` each try is announced by
 *
 *   this side         9, time of its end, length     what was tried from the same beginning is void
 *
 * A body is seen at the origin of its own frame. Inputs act at its centre of mass, so that moments are shifted there.
 * A surface has forces alone, which its mapping takes to the bodies.
 */
#include "simulation/external.h"

#include <stdio.h>

#include "base/realtime.h"
#include "mapping/mapping.h"
#include "simulation/relax.h"
#include "streams/talk.h"

enum { DATA = 2, NEXT = 4, ABORT = 5, DATA_AND_NEXT = 6, NEGOTIATE = 7, AGREED = 8, AGAIN = 9 };
enum { NODAL = 0x2u, ACCELERATIONS = 0x8u };
static const uint32_t orientation_flag[] = {0x0u, 0x100u, 0x200u, 0x400u};
static const int32_t orientation_size[] = {0, 3, 9, 3};
static const char *const part[] = {"position.x",
                                   "position.y",
                                   "position.z",
                                   "orientation.w",
                                   "orientation.x",
                                   "orientation.y",
                                   "orientation.z",
                                   "velocity.x",
                                   "velocity.y",
                                   "velocity.z",
                                   "angular_velocity.x",
                                   "angular_velocity.y",
                                   "angular_velocity.z",
                                   "com_position.x",
                                   "com_position.y",
                                   "com_position.z",
                                   "acceleration.x",
                                   "acceleration.y",
                                   "acceleration.z",
                                   "angular_acceleration.x",
                                   "angular_acceleration.y",
                                   "angular_acceleration.z"};
enum { PARTS = 16, PARTS_ALL = 22, MOST_FIRST = 100 };

typedef struct link {
  hk_talk talk;
  const hk_spec_external *spec;
  const hk_spec_cover *skin; /* NULL: bodies */
  hk_sim *s;
  hk_relax relax;
  int32_t nodes, parts;
  size_t out_bytes, in_bytes;
  unsigned char *out, *in;             /* a command and numbers */
  double *wrench;                      /* 6 of each body: what the last answer comes to */
  double *point;                       /* surfaces: positions, velocities */
  hk_mapping_motion *at;               /* surfaces: of the bodies */
  int64_t calls, exchanges, most, now; /* steps; answers; most of a step; of this one */
  bool done;                           /* tight: the other side has converged in this step */
  bool over;                           /* it wants the run to end */
  char words[HK_STREAM_WORDS];
} link;

struct hk_externals {
  int32_t n;
  link *list;
};

static hk_status broken(link *l, const char *how) {
  snprintf(l->words, sizeof l->words, "'%.80s' %.200s", l->spec->plan.name, how);
  return HK_E_FILE;
}

static hk_status answer(link *l, hk_stream_got got) {
  if (got == HK_STREAM_NEW) return HK_OK;
  if (got == HK_STREAM_STOPPED) return HK_INTERRUPTED;
  return broken(l, got == HK_STREAM_END ? "has gone" : hki_talk_words(&l->talk));
}

/* --- motion ------------------------------------------------------------------------------------------ */

static void put(unsigned char **to, const double *x, int32_t n) {
  memcpy(*to, x, (size_t)n * sizeof *x);
  *to += (size_t)n * sizeof *x;
}

static void put_orientation(unsigned char **to, int32_t kind, const double *q) {
  double R[9], a[9];
  quat_to_rot(R, q);
  if (kind == HK_EXTERNAL_MATRIX) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) a[3 * j + i] = R[3 * i + j];
  } else if (kind == HK_EXTERNAL_VECTOR) {
    const double sign = q[0] < 0.0 ? -1.0 : 1.0, n = v3_norm(q + 1);
    const double turn = n > 0.0 ? 2.0 * sign * atan2(n, sign * q[0]) / n : 2.0 * sign;
    v3_scale(a, turn, q + 1);
  } else {
    // R = R1(a) R2(b) R3(c), in degrees
    const double degree = 57.295779513082320877;
    a[0] = degree * atan2(-R[5], R[8]);
    a[1] = degree * asin(fmin(fmax(R[2], -1.0), 1.0));
    a[2] = degree * atan2(-R[1], R[0]);
  }
  put(to, a, orientation_size[kind]);
}

static void pack_bodies(link *l, const double *y) {
  const hk_spec_external *x = l->spec;
  const bool turns = x->orientation != HK_EXTERNAL_NONE;
  unsigned char *to = l->out + 1;
  // by quantity, each of all nodes: where it stands in y, how many numbers
  const struct {
    int32_t at, n;
    bool wanted;
  } quantity[] = {{0, 3, true},
                  {3, 0, turns},
                  {7, 3, true},
                  {10, 3, turns},
                  {16, 3, x->accelerations},
                  {19, 3, x->accelerations && turns}};
  for (int32_t k = 0; k < HK_ARRAY_LEN(quantity); k++)
    for (int32_t i = 0; quantity[k].wanted && i < x->nbody; i++) {
      const double *of = y + l->parts * i + quantity[k].at;
      if (quantity[k].n)
        put(&to, of, quantity[k].n);
      else
        put_orientation(&to, x->orientation, of);
    }
}

/* motion of the bodies since the drawing, for the mapping */
static void pack_surface(link *l, const double *y) {
  unsigned char *to = l->out + 1;
  for (int32_t i = 0; i < l->spec->nbody; i++, y += l->parts) {
    const hk_spec_body *b = &l->s->m->spec->bodies[l->spec->body[i]];
    hk_mapping_motion *m = &l->at[i];
    double R[9];
    v3_copy(m->p, y), v3_copy(m->v, y + 7), v3_copy(m->w, y + 10);
    quat_to_rot(R, y + 3);
    if (b->has_frame)
      m3_mult(m->R, R, b->frame.R);
    else
      memcpy(m->R, R, sizeof R);
  }
  double *v = l->point + 3 * (size_t)l->nodes;
  hki_mapping_move(l->skin->map, l->at, l->point, v);
  put(&to, l->point, 3 * l->nodes);
  put(&to, v, 3 * l->nodes);
}

/* --- forces ------------------------------------------------------------------------------------------ */

/* forces of the nodes -> force and moment about the centre of mass of each body */
static void take_forces(link *l, const double *y) {
  const hk_spec_external *x = l->spec;
  double *F = l->wrench, d[3], c[3];
  memset(F, 0, 6 * (size_t)x->nbody * sizeof *F);
  if (l->skin) {
    memcpy(l->point, l->in, 3 * (size_t)l->nodes * sizeof *F);
    hki_mapping_push(l->skin->map, l->at, l->point, F);
  }
  for (int32_t i = 0; i < x->nbody; i++, F += 6, y += l->parts) {
    if (l->skin) { // moment, force -> force, moment
      double m[3];
      v3_copy(m, F), v3_copy(F, F + 3), v3_copy(F + 3, m);
    } else {
      memcpy(F, l->in + 24 * (size_t)i, 24);
      if (x->orientation != HK_EXTERNAL_NONE)
        memcpy(F + 3, l->in + 24 * (size_t)(x->nbody + i), 24);
    }
    v3_sub(d, y, y + 13);
    v3_cross(c, d, F);
    v3_add(F + 3, F + 3, c);
  }
}

/* one question: HK_OK: u has the last forces of the step; HK_RETRY: others may follow */
static hk_status ask(link *l, const double *y, double *u) {
  unsigned char command;
  char words[100];
  if (l->skin)
    pack_surface(l, y);
  else
    pack_bodies(l, y);
  l->out[0] = DATA;
  hk_status st = answer(l, hki_talk_send(&l->talk, l->out, l->out_bytes));
  if (st == HK_OK) st = answer(l, hki_talk_receive(&l->talk, &command, 1));
  if (st != HK_OK) return st;
  l->exchanges++;
  if (++l->now > l->most) l->most = l->now;
  if (command == NEXT) return HK_OK;
  if (command == ABORT) return l->over = true, HK_OK;
  if (command != DATA && command != DATA_AND_NEXT) {
    snprintf(words, sizeof words, "sent %d where a command (2, 4, 5 or 6) was expected", command);
    return broken(l, words);
  }
  if ((st = answer(l, hki_talk_receive(&l->talk, l->in, l->in_bytes))) != HK_OK) return st;
  take_forces(l, y);
  const int32_t n = 6 * l->spec->nbody;
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(l->wrench[i])) return broken(l, "gave a force that is not finite"), HK_E_NUMBER;
  if (command == DATA && l->spec->coupling == HK_COUPLE_TIGHT) {
    hki_relax_next(&l->relax, l->wrench, u);
    return HK_RETRY;
  }
  memcpy(u, l->wrench, (size_t)n * sizeof *u);
  return HK_OK;
}

/* a step is tried */
static hk_status begin_try(link *l, double t, double h) {
  unsigned char bytes[17] = {AGAIN};
  l->done = false, l->now = 0;
  hki_relax_begin(&l->relax);
  if (!l->spec->repeats) return HK_OK;
  memcpy(bytes + 1, &t, 8), memcpy(bytes + 9, &h, 8);
  return answer(l, hki_talk_send(&l->talk, bytes, sizeof bytes));
}

static hk_status exchange(void *peer, hk_hook when, double t, double h, const double *y,
                          double *u) {
  link *l = peer;
  const bool tight = l->spec->coupling == HK_COUPLE_TIGHT;
  const bool previous = l->spec->coupling == HK_COUPLE_PREVIOUS;
  if (l->over) return when == HK_HOOK_ACCEPTED ? HK_PEER_END : HK_PEER_SILENT;
  if (previous != (when == HK_HOOK_BEFORE_PREDICTION)) return HK_PEER_SILENT;
  if (!previous && when != HK_HOOK_AFTER_PREDICTION && when != HK_HOOK_AFTER_ITERATION)
    return HK_PEER_SILENT;
  // those of the first step are known from the start
  if (previous && (l->calls++ == 0 || (l->calls - 1) % l->spec->every)) return HK_PEER_SILENT;
  hk_status st = HK_OK;
  if (when != HK_HOOK_AFTER_ITERATION) st = begin_try(l, t, h);
  if (st != HK_OK || l->done) return st == HK_OK ? HK_PEER_SILENT : st;
  st = ask(l, y, u);
  l->done = st == HK_OK;
  return st == HK_RETRY && !tight ? HK_OK : st;
}

static hk_status keep(void *peer) { return (void)peer, HK_OK; }
static const char *words(void *peer) { return ((link *)peer)->words; }
static void end(void *peer) {
  link *l = peer;
  const unsigned char bye = ABORT;
  if (l->talk.line.fd >= 0 && !l->over) (void)hki_talk_send(&l->talk, &bye, 1);
  hki_talk_close(&l->talk);
}

static const hk_peer_ops once_ops = {
    .name = "peer", .exchange = exchange, .words = words, .close = end};
static const hk_peer_ops repeat_ops = {.name = "peer",
                                       .caps = HK_PEER_REPEATS,
                                       .exchange = exchange,
                                       .keep = keep,
                                       .back = keep,
                                       .words = words,
                                       .close = end};

/* --- connecting ------------------------------------------------------------------------------------- */

static hk_status refuse(link *l, const char *how) {
  return hki_error(l->s->ctx, HK_E_FILE, l->spec->loc, NULL, "peer '%s' %s", l->spec->plan.name,
                   how);
}

static hk_status wait_for(link *l) {
  const int64_t from = hki_now();
  for (;;) {
    const int ready = hki_talk_ready(&l->talk);
    if (ready > 0) return HK_OK;
    if (ready < 0) return refuse(l, hki_talk_words(&l->talk));
    if (l->talk.line.stop && *l->talk.line.stop) return HK_INTERRUPTED;
    if (1e-9 * (double)(hki_now() - from) > l->spec->plan.timeout)
      return hki_error(l->s->ctx, HK_E_FILE, l->spec->loc,
                       "start the other program, or give a longer 'timeout'",
                       "peer '%s' is not there (%s) after %.3g s", l->spec->plan.name,
                       l->spec->plan.address, l->spec->plan.timeout);
    (void)hki_sleep_until(hki_now() + 1000000);
  }
}

static uint32_t own_flags(const link *l) {
  return NODAL | orientation_flag[l->spec->orientation] |
         (l->spec->accelerations ? ACCELERATIONS : 0u);
}

static hk_status negotiate(link *l) {
  unsigned char hello[9], reply = AGREED;
  uint32_t flags, nodes;
  char text[200];
  if (answer(l, hki_talk_receive(&l->talk, hello, sizeof hello)) != HK_OK)
    return hki_error(l->s->ctx, HK_E_FILE, l->spec->loc, NULL, "peer %s", l->words);
  memcpy(&flags, hello + 1, 4), memcpy(&nodes, hello + 5, 4);
  const uint32_t mask = 0x73fu | 0x10u; // of those of a reference node none are looked at
  if (hello[0] != NEGOTIATE)
    snprintf(text, sizeof text, "sent %d where it should say what it expects (7)", hello[0]);
  else if (nodes != (uint32_t)l->nodes)
    snprintf(text, sizeof text, "expects %u nodes, and there are %d", (unsigned)nodes,
             (int)l->nodes);
  else if ((flags & mask) != own_flags(l))
    snprintf(text, sizeof text, "expects other data: its flags are 0x%x, those here 0x%x",
             (unsigned)flags, (unsigned)own_flags(l));
  else
    return answer(l, hki_talk_send(&l->talk, &reply, 1));
  reply = ABORT;
  (void)hki_talk_send(&l->talk, &reply, 1);
  return refuse(l, text);
}

static hk_status memory(link *l) {
  const hk_spec_external *x = l->spec;
  const size_t n = (size_t)l->nodes, nb = (size_t)x->nbody;
  size_t per = 6 + (x->accelerations ? 3 : 0);
  if (x->orientation != HK_EXTERNAL_NONE)
    per += (size_t)orientation_size[x->orientation] + 3 + (x->accelerations ? 3 : 0);
  l->out_bytes = 1 + 8 * per * n;
  l->in_bytes = 24 * n * (x->orientation != HK_EXTERNAL_NONE ? 2 : 1);
  l->out = hki_alloc(l->s->ctx, l->out_bytes);
  l->in = hki_alloc(l->s->ctx, l->in_bytes);
  l->wrench = hki_alloc(l->s->ctx, 6 * nb * sizeof *l->wrench);
  l->point = hki_alloc(l->s->ctx, 6 * n * sizeof *l->point);
  l->at = hki_alloc(l->s->ctx, nb * sizeof *l->at);
  if (!l->out || !l->in || !l->wrench || !l->point || !l->at) return HK_E_MEMORY;
  return hki_relax_init(&l->relax, l->s->ctx, x->relax, x->factor, 6 * x->nbody);
}

/* The forces at the start: the accelerations of the first step begin with them. */
static hk_status first_forces(link *l, const int32_t *channels, const int32_t *inputs) {
  hk_sim *s = l->s;
  const int32_t n = 6 * l->spec->nbody, ny = l->parts * l->spec->nbody;
  double *y = hki_alloc(s->ctx, (size_t)(n + ny) * sizeof *y), *u = y ? y + ny : NULL;
  hk_status st = y ? hki_sim_values(s, ny, channels, y) : HK_E_MEMORY;
  if (st == HK_OK) st = begin_try(l, s->I.t, 0.0);
  // nothing moves yet, so that it cannot iterate for long
  for (int k = 0; st == HK_OK && k < MOST_FIRST; k++) {
    const hk_status got = ask(l, y, u);
    if (got != HK_RETRY) {
      st = got;
      break;
    }
  }
  if (st == HK_OK)
    st = hk_sim_inputs_set(s, n, inputs, l->wrench, 1);
  else if (y)
    st = hki_error(s->ctx, st, l->spec->loc, NULL, "peer %s", l->words);
  hki_free(s->ctx, y);
  return st;
}

/* its channels and inputs */
static hk_status join(link *l) {
  static const char *const of[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  hk_sim *s = l->s;
  const hk_spec_external *x = l->spec;
  const size_t n = (size_t)x->nbody;
  int32_t *channels = hki_pool_alloc(s->pool, n * PARTS_ALL * sizeof *channels);
  int32_t *inputs = hki_pool_alloc(s->pool, n * 6 * sizeof *inputs);
  char name[600];
  if (!channels || !inputs) return HK_E_MEMORY;
  for (int32_t i = 0; i < x->nbody; i++) {
    for (int32_t k = 0; k < l->parts; k++) {
      snprintf(name, sizeof name, "body.%s.%s", s->m->spec->bodies[x->body[i]].name, part[k]);
      if ((channels[l->parts * i + k] = hk_sim_channel_handle(s, name)) < 0) return HK_E_USAGE;
    }
    for (int32_t k = 0; k < 6; k++) {
      snprintf(name, sizeof name, "%s_%d_%s", x->plan.name, (int)i + 1, of[k]);
      if ((inputs[6 * i + k] = hk_sim_input_find(s, name)) < 0) return HK_E_USAGE;
    }
  }
  const hk_status st = first_forces(l, channels, inputs);
  if (st != HK_OK) return st;
  const hk_peer_link peer = {.ops = x->repeats ? &repeat_ops : &once_ops,
                             .peer = l,
                             .coupling = x->coupling,
                             .nout = l->parts * x->nbody,
                             .nin = 6 * x->nbody,
                             .channels = channels,
                             .inputs = inputs};
  return hki_sim_add_peer(s, &peer);
}

static hk_status connect_one(hk_sim *s, link *l, const hk_spec_external *x) {
  *l = (link){.spec = x, .s = s, .nodes = x->nbody};
  l->parts = x->accelerations ? PARTS_ALL : PARTS;
  for (int32_t i = 0; x->surface && i < s->m->spec->ncovers; i++)
    if (strcmp(s->m->spec->covers[i].name, x->surface) == 0) l->skin = &s->m->spec->covers[i];
  if (l->skin) l->nodes = l->skin->map->npoint;
  hk_status st = hki_talk_open(&l->talk, s->ctx, &x->plan);
  l->talk.line.stop = hki_stop_flag(s->ctx);
  if (st == HK_OK) st = memory(l);
  if (st == HK_OK) st = wait_for(l);
  if (st == HK_OK) st = negotiate(l);
  return st == HK_OK ? join(l) : st;
}

hk_status hki_external_connect(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_status st = HK_OK;
  if (!spec->nexternals) return HK_OK;
  s->externals = hki_alloc(s->ctx, sizeof *s->externals);
  if (!s->externals) return HK_E_MEMORY;
  s->externals->list = hki_alloc(s->ctx, (size_t)spec->nexternals * sizeof *s->externals->list);
  if (!s->externals->list) return HK_E_MEMORY;
  for (int32_t i = 0; st == HK_OK && i < spec->nexternals; i++) {
    link *l = &s->externals->list[s->externals->n++];
    st = connect_one(s, l, &spec->externals[i]);
    if (st != HK_OK) end(l);
  }
  return st;
}

void hki_external_free(hk_sim *s) {
  if (!s->externals) return;
  for (int32_t i = 0; i < s->externals->n; i++) {
    link *l = &s->externals->list[i];
    hki_free(s->ctx, l->out);
    hki_free(s->ctx, l->in);
    hki_free(s->ctx, l->wrench);
    hki_free(s->ctx, l->point);
    hki_free(s->ctx, l->at);
    hki_relax_free(&l->relax, s->ctx);
  }
  hki_free(s->ctx, s->externals->list);
  hki_free(s->ctx, s->externals);
  s->externals = NULL;
}

void hki_external_json(const hk_sim *s, hk_text *t) {
  hki_text_add(t, "\"external\": {");
  for (int32_t i = 0; i < s->externals->n; i++) {
    const link *l = &s->externals->list[i];
    hki_text_add(t, i ? ", " : "");
    hki_text_json(t, l->spec->plan.name);
    hki_text_printf(
        t, ": {\"nodes\": %d, \"exchanges\": %lld, \"most_in_a_step\": %lld, \"ended\": %s}",
        (int)l->nodes, (long long)l->exchanges, (long long)l->most, l->over ? "true" : "false");
  }
  hki_text_add(t, "},\n  ");
}
