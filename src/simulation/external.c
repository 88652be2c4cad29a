/* SPDX-License-Identifier: Apache-2.0
 *
 * external.c: external forces as peers (peer.h): motion out, forces in, in the language of wire.h.
 *
 * A body is seen at the origin of its own frame. Inputs act at its centre of mass, so that moments are shifted there.
 * A surface has forces alone, which its mapping takes to the bodies. With a reference body, at x0, the other program gives the
 * resultant F0, M0 there; that body gets what the nodes, at x_i, have not:
 *
 *   F = F0 - sum f_i      M = M0 - sum (m_i + (x_i - x0) x f_i)
 */
#include "simulation/external.h"

#include <stdio.h>

#include "base/realtime.h"
#include "mapping/mapping.h"
#include "simulation/relax.h"
#include "simulation/wire.h"

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
/* values of a body among the channels, from which on */
enum { POSITION = 0, TURN = 3, VELOCITY = 7, SPIN = 10, COM = 13, PARTS = 16, PARTS_ALL = 22 };
enum { MOST_FIRST = 100 };

typedef struct link {
  hk_talk talk;
  hk_wire wire;
  const hk_spec_external *spec;
  const hk_spec_cover *skin; /* NULL: bodies */
  hk_sim *s;
  hk_relax relax;
  int32_t nodes, parts;
  int32_t carriers;                    /* the bodies, and behind them the reference body */
  hk_wire_motion *node, origin;        /* nodes; the reference body */
  double *wrench;                      /* 6 of each carrier: what the last answer comes to */
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

/* why something failed, with the name in front */
static hk_status broken(link *l, hk_status st) {
  if (st != HK_OK && st != HK_INTERRUPTED)
    snprintf(l->words, sizeof l->words, "'%.80s' %.200s", l->spec->plan.name, l->wire.words);
  return st;
}

static int32_t body_of(const hk_spec_external *x, int32_t carrier) {
  return carrier < x->nbody ? x->body[carrier] : x->reference;
}

/* --- motion ------------------------------------------------------------------------------------------ */

static void read_motion(const link *l, const double *y, hk_wire_motion *m) {
  v3_copy(m->x, y + POSITION), memcpy(m->q, y + TURN, sizeof m->q);
  v3_copy(m->v, y + VELOCITY), v3_copy(m->w, y + SPIN);
  v3_zero(m->a), v3_zero(m->alpha);
  if (l->parts == PARTS_ALL) v3_copy(m->a, y + PARTS), v3_copy(m->alpha, y + PARTS + 3);
}

/* motion of the bodies since the drawing, for the mapping; places and velocities of its points */
static void read_surface(link *l, const double *y) {
  for (int32_t i = 0; i < l->spec->nbody; i++, y += l->parts) {
    const hk_spec_body *b = &l->s->m->spec->bodies[l->spec->body[i]];
    hk_mapping_motion *m = &l->at[i];
    double R[9];
    v3_copy(m->p, y + POSITION), v3_copy(m->v, y + VELOCITY), v3_copy(m->w, y + SPIN);
    quat_to_rot(R, y + TURN);
    if (b->has_frame)
      m3_mult(m->R, R, b->frame.R);
    else
      memcpy(m->R, R, sizeof R);
  }
  double *v = l->point + 3 * (size_t)l->nodes;
  hki_mapping_move(l->skin->map, l->at, l->point, v);
  for (int32_t i = 0; i < l->nodes; i++)
    v3_copy(l->node[i].x, l->point + 3 * i), v3_copy(l->node[i].v, v + 3 * i);
}

static void pack(link *l, const double *y) {
  const bool reference = l->spec->reference >= 0;
  if (reference) read_motion(l, y + l->parts * l->spec->nbody, &l->origin);
  if (l->skin)
    read_surface(l, y);
  else
    for (int32_t i = 0; i < l->nodes; i++) read_motion(l, y + l->parts * i, &l->node[i]);
  hki_wire_pack(&l->wire, reference ? &l->origin : NULL, l->node);
}

/* --- forces ------------------------------------------------------------------------------------------ */

/* what the reference body gets, about its origin */
static void reference_forces(const link *l, double *F) {
  const hk_wire *w = &l->wire;
  double d[3];
  if (l->spec->reference_forces == HK_REFERENCE_ROTATED) {
    m3_mulv(F, w->R, w->load);
    m3_mulv(F + 3, w->R, w->load + 3);
  } else {
    memcpy(F, w->load, sizeof w->load);
  }
  for (int32_t i = 0; i < l->nodes; i++) {
    const double *f = w->force + 3 * i;
    v3_sub(F, F, f);
    v3_sub(F + 3, F + 3, w->moment + 3 * i);
    v3_sub(d, l->origin.x, l->node[i].x);
    v3_cross_add(F + 3, d, f);
  }
}

/* forces of the nodes -> force and moment about the centre of mass of each carrier */
static void take_forces(link *l, const double *y) {
  const hk_spec_external *x = l->spec;
  double *F = l->wrench, d[3];
  memset(F, 0, 6 * (size_t)l->carriers * sizeof *F);
  if (l->skin) hki_mapping_push(l->skin->map, l->at, l->wire.force, F);
  for (int32_t i = 0; i < l->carriers; i++, F += 6, y += l->parts) {
    if (i == x->nbody) {
      if (x->reference_forces != HK_REFERENCE_UNUSED) reference_forces(l, F);
    } else if (l->skin) { // moment, force -> force, moment
      double m[3];
      v3_copy(m, F), v3_copy(F, F + 3), v3_copy(F + 3, m);
    } else {
      v3_copy(F, l->wire.force + 3 * i), v3_copy(F + 3, l->wire.moment + 3 * i);
    }
    v3_sub(d, y + POSITION, y + COM);
    v3_cross_add(F + 3, d, F);
  }
}

/* one question: HK_OK: u has the last forces of the step; HK_RETRY: others may follow */
static hk_status ask(link *l, const double *y, double *u) {
  int answer;
  pack(l, y);
  hk_status st = hki_wire_ask(&l->wire, &l->talk, &answer);
  if (st != HK_OK) return broken(l, st);
  l->exchanges++;
  if (++l->now > l->most) l->most = l->now;
  if (answer == HK_WIRE_NEXT) return HK_OK;
  if (answer == HK_WIRE_ABORT) return l->over = true, HK_OK;
  take_forces(l, y);
  const int32_t n = 6 * l->carriers;
  for (int32_t i = 0; i < n; i++) {
    if (isfinite(l->wrench[i])) continue;
    snprintf(l->wire.words, sizeof l->wire.words, "gave forces whose sum is not finite");
    return broken(l, HK_E_NUMBER);
  }
  if (answer == HK_WIRE_DATA && l->spec->coupling == HK_COUPLE_TIGHT) {
    hki_relax_next(&l->relax, l->wrench, u);
    return HK_RETRY;
  }
  memcpy(u, l->wrench, (size_t)n * sizeof *u);
  return HK_OK;
}

/* a step is tried */
static hk_status begin_try(link *l, double t, double h) {
  l->done = false, l->now = 0;
  hki_relax_begin(&l->relax);
  if (!l->spec->repeats) return HK_OK;
  return broken(l, hki_wire_announce(&l->wire, &l->talk, t, h));
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
  const unsigned char bye = HK_WIRE_ABORT;
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

static hk_status refuse(link *l, hk_status st) {
  if (st == HK_INTERRUPTED) return st;
  return hki_error(l->s->ctx, st, l->spec->loc, NULL, "peer '%s' %s", l->spec->plan.name,
                   l->wire.words);
}

static hk_status wait_for(link *l) {
  const int64_t from = hki_now();
  for (;;) {
    const int ready = hki_talk_ready(&l->talk);
    if (ready > 0) return HK_OK;
    if (ready < 0)
      return hki_error(l->s->ctx, HK_E_FILE, l->spec->loc, NULL, "peer '%s': %s",
                       l->spec->plan.name, hki_talk_words(&l->talk));
    if (l->talk.line.stop && *l->talk.line.stop) return HK_INTERRUPTED;
    if (1e-9 * (double)(hki_now() - from) > l->spec->plan.timeout)
      return hki_error(l->s->ctx, HK_E_FILE, l->spec->loc,
                       "start the other program, or give a longer 'timeout'",
                       "peer '%s' is not there (%s) after %.3g s", l->spec->plan.name,
                       l->spec->plan.address, l->spec->plan.timeout);
    (void)hki_sleep_until(hki_now() + 1000000);
  }
}

static hk_status memory(link *l) {
  const hk_spec_external *x = l->spec;
  const size_t n = (size_t)l->nodes, nb = (size_t)x->nbody;
  l->wrench = hki_alloc(l->s->ctx, 6 * (nb + 1) * sizeof *l->wrench);
  l->node = hki_alloc(l->s->ctx, n * sizeof *l->node);
  l->point = hki_alloc(l->s->ctx, 6 * n * sizeof *l->point);
  l->at = hki_alloc(l->s->ctx, nb * sizeof *l->at);
  if (!l->wrench || !l->node || !l->point || !l->at) return HK_E_MEMORY;
  // points do not turn
  for (size_t i = 0; i < n; i++) l->node[i] = (hk_wire_motion){.q = {1.0}};
  const hk_status st = hki_wire_init(&l->wire, l->s->ctx, x, l->nodes);
  return st == HK_OK ? hki_relax_init(&l->relax, l->s->ctx, x->relax, x->factor, 6 * l->carriers)
                     : st;
}

/* The forces at the start: the accelerations of the first step begin with them. */
static hk_status first_forces(link *l, const int32_t *channels, const int32_t *inputs) {
  hk_sim *s = l->s;
  const int32_t n = 6 * l->carriers, ny = l->parts * l->carriers;
  double *y = hki_alloc(s->ctx, (size_t)(n + ny) * sizeof *y), *u = y ? y + ny : NULL;
  hk_status st = y ? hki_sim_values(s, ny, channels, y) : HK_E_MEMORY, got = HK_RETRY;
  if (st == HK_OK) st = begin_try(l, s->I.t, 0.0);
  // nothing moves yet, so that it cannot iterate for long
  for (int k = 0; st == HK_OK && got == HK_RETRY && k < MOST_FIRST; k++) got = ask(l, y, u);
  if (st == HK_OK && got == HK_RETRY) {
    snprintf(l->wire.words, sizeof l->wire.words, "has not converged at the start in %d answers",
             MOST_FIRST);
    got = HK_E_DIVERGED;
  }
  if (st == HK_OK) st = got;
  if (st == HK_OK)
    st = hk_sim_inputs_set(s, n, inputs, l->wrench, 1);
  else if (y)
    st = refuse(l, st);
  hki_free(s->ctx, y);
  return st;
}

/* the handles of its channels and inputs */
static hk_status find_names(link *l, int32_t *channels, int32_t *inputs) {
  static const char *const of[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  hk_sim *s = l->s;
  const hk_spec_external *x = l->spec;
  char name[600], whose[32];
  for (int32_t i = 0; i < l->carriers; i++) {
    const char *body = s->m->spec->bodies[body_of(x, i)].name;
    for (int32_t k = 0; k < l->parts; k++) {
      snprintf(name, sizeof name, "body.%s.%s", body, part[k]);
      if ((channels[l->parts * i + k] = hk_sim_channel_handle(s, name)) < 0) return HK_E_USAGE;
    }
    if (i < x->nbody)
      snprintf(whose, sizeof whose, "%d", (int)i + 1);
    else
      snprintf(whose, sizeof whose, "reference");
    for (int32_t k = 0; k < 6; k++) {
      snprintf(name, sizeof name, "%s_%s_%s", x->plan.name, whose, of[k]);
      if ((inputs[6 * i + k] = hk_sim_input_find(s, name)) < 0) return HK_E_USAGE;
    }
  }
  return HK_OK;
}

static hk_status join(link *l) {
  hk_sim *s = l->s;
  const hk_spec_external *x = l->spec;
  const size_t n = (size_t)l->carriers;
  int32_t *channels = hki_pool_alloc(s->pool, n * PARTS_ALL * sizeof *channels);
  int32_t *inputs = hki_pool_alloc(s->pool, n * 6 * sizeof *inputs);
  if (!channels || !inputs) return HK_E_MEMORY;
  hk_status st = find_names(l, channels, inputs);
  if (st == HK_OK && !x->late) st = first_forces(l, channels, inputs);
  if (st != HK_OK) return st;
  const hk_peer_link peer = {.ops = x->repeats ? &repeat_ops : &once_ops,
                             .peer = l,
                             .coupling = x->coupling,
                             .nout = l->parts * l->carriers,
                             .nin = 6 * l->carriers,
                             .channels = channels,
                             .inputs = inputs};
  return hki_sim_add_peer(s, &peer);
}

/* begins to listen */
static hk_status open_one(hk_sim *s, link *l, const hk_spec_external *x) {
  *l = (link){.spec = x, .s = s, .nodes = x->nbody, .talk.line = {.fd = -1, .listener = -1}};
  l->carriers = x->nbody + (x->reference >= 0);
  // what to say of a step that ends without it
  snprintf(l->words, sizeof l->words, "peer '%.80s' has not converged", x->plan.name);
  l->parts = x->accelerations ? PARTS_ALL : PARTS;
  for (int32_t i = 0; x->surface && i < s->m->spec->ncovers; i++)
    if (strcmp(s->m->spec->covers[i].name, x->surface) == 0) l->skin = &s->m->spec->covers[i];
  if (l->skin) l->nodes = l->skin->map->npoint;
  const hk_status st = hki_talk_open(&l->talk, s->ctx, &x->plan);
  // whoever waits for the other program can be interrupted, at the start and within steps
  const bool before = hki_stop_allow(s->ctx, true);
  l->talk.line.stop = hki_stop_flag(s->ctx);
  hki_stop_allow(s->ctx, before);
  return st == HK_OK ? memory(l) : st;
}

static hk_status connect_one(link *l) {
  hk_status st = wait_for(l);
  if (st != HK_OK) return st;
  if ((st = hki_wire_negotiate(&l->wire, &l->talk)) != HK_OK) return refuse(l, st);
  return join(l);
}

hk_status hki_external_connect(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_status st = HK_OK;
  if (!spec->nexternals) return HK_OK;
  s->externals = hki_alloc(s->ctx, sizeof *s->externals);
  if (!s->externals) return HK_E_MEMORY;
  s->externals->list = hki_alloc(s->ctx, (size_t)spec->nexternals * sizeof *s->externals->list);
  if (!s->externals->list) return HK_E_MEMORY;
  // all are open before the first is waited for: one program may be several of them
  for (int32_t i = 0; st == HK_OK && i < spec->nexternals; i++)
    st = open_one(s, &s->externals->list[s->externals->n++], &spec->externals[i]);
  int32_t joined = 0;
  for (; st == HK_OK && joined < s->externals->n; joined++)
    st = connect_one(&s->externals->list[joined]);
  // the last of these is no peer yet, nor are those behind it
  for (int32_t i = joined > 0 ? joined - 1 : 0; st != HK_OK && i < s->externals->n; i++)
    end(&s->externals->list[i]);
  return st;
}

void hki_external_free(hk_sim *s) {
  if (!s->externals) return;
  for (int32_t i = 0; i < s->externals->n; i++) {
    link *l = &s->externals->list[i];
    hki_wire_free(&l->wire);
    hki_free(s->ctx, l->wrench);
    hki_free(s->ctx, l->node);
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
