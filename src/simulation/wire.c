/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.c: bytes of external forces (wire.h). Sizes and order are those that libmbc reads and writes (mbc.h, mbc.c of MBDyn).
 */
#include "simulation/wire.h"

#include <stdio.h>
#include <stdlib.h>

enum { MODAL = 0x1u, NODAL = 0x2u, REFERENCE = 0x4u, ACCELERATIONS = 0x8u, LABELS = 0x10u };
enum { ROTATIONS = 0x700u, REFERENCE_SHIFT = 4, KINDS = 4 };
static const uint32_t orientation_flag[KINDS] = {0x0u, 0x100u, 0x200u, 0x400u};
static const int32_t orientation_size[KINDS] = {0, 3, 9, 3};
static const char *const orientation_name[KINDS] = {"none", "vector", "matrix", "euler123"};

static hk_status broken(hk_wire *w, const char *how) {
  snprintf(w->words, sizeof w->words, "%.250s", how);
  return HK_E_FILE;
}

static hk_status heard(hk_wire *w, const hk_talk *t, hk_stream_got got) {
  if (got == HK_STREAM_NEW) return HK_OK;
  if (got == HK_STREAM_STOPPED) return HK_INTERRUPTED;
  return broken(w, got == HK_STREAM_END ? "has gone" : hki_talk_words(t));
}

/* --- sizes ------------------------------------------------------------------------------------------ */

static bool turns(const hk_wire *w) { return w->spec->orientation != HK_EXTERNAL_NONE; }

/* bytes of labels: an even number, so that float64 stand where they may */
static size_t label_bytes(const hk_wire *w, int32_t n) {
  return w->spec->label ? 4 * ((size_t)n + (size_t)(n % 2)) : 0;
}

static size_t motion_bytes(const hk_wire *w) {
  const bool a = w->spec->accelerations;
  size_t per = 6 + (a ? 3 : 0), all = label_bytes(w, w->nodes);
  if (turns(w)) per += (size_t)orientation_size[w->spec->orientation] + 3 + (a ? 3 : 0);
  if (w->turn) all += label_bytes(w, 1) + 8 * (9 + (size_t)orientation_size[w->turn] + (a ? 6 : 0));
  return all + 8 * per * (size_t)w->nodes;
}

static size_t force_bytes(const hk_wire *w) {
  const size_t reference = w->turn ? label_bytes(w, 1) + 48 : 0;
  return reference + label_bytes(w, w->nodes) + 24 * (size_t)w->nodes * (turns(w) ? 2 : 1);
}

static int by_label(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_labels(hk_wire *w) {
  uint32_t *pair = w->order;
  for (int32_t i = 0; i < w->nodes; i++)
    pair[2 * i] = w->spec->label[i], pair[2 * i + 1] = (uint32_t)i;
  qsort(pair, (size_t)w->nodes, 2 * sizeof *pair, by_label);
}

hk_status hki_wire_init(hk_wire *w, hk_ctx *ctx, const hk_spec_external *spec, int32_t nodes) {
  *w = (hk_wire){.ctx = ctx, .spec = spec, .nodes = nodes};
  // the largest orientation of a reference node that there is
  w->turn = spec->reference >= 0 ? HK_EXTERNAL_MATRIX : HK_EXTERNAL_NONE;
  w->out = hki_alloc(ctx, 1 + motion_bytes(w));
  w->in = hki_alloc(ctx, force_bytes(w) + 1);
  w->order = hki_alloc(ctx, (2 * (size_t)nodes + 1) * sizeof *w->order);
  w->force = hki_alloc(ctx, 6 * (size_t)nodes * sizeof *w->force);
  if (!w->out || !w->in || !w->order || !w->force) return HK_E_MEMORY;
  w->moment = w->force + 3 * (size_t)nodes;
  memset(w->force, 0, 6 * (size_t)nodes * sizeof *w->force);
  if (spec->label) sort_labels(w);
  return HK_OK;
}

void hki_wire_free(hk_wire *w) {
  hki_free(w->ctx, w->out);
  hki_free(w->ctx, w->in);
  hki_free(w->ctx, w->order);
  hki_free(w->ctx, w->force);
  *w = (hk_wire){0};
}

/* --- agreement -------------------------------------------------------------------------------------- */

static int32_t kind_of(uint32_t flags) {
  for (int32_t k = 0; k < KINDS; k++)
    if (flags == orientation_flag[k]) return k;
  return -1;
}

/* one thing that is expected there and offered here, or the other way round */
static bool differs(hk_wire *w, uint32_t flags, uint32_t flag, bool here, const char *what) {
  const bool there = (flags & flag) != 0;
  if (there != here)
    snprintf(w->words, sizeof w->words,
             "expects %s%s and the model offers %s (its flags are 0x%x): see '%s' of 'external'",
             there ? "" : "no ", what, here ? "them" : "none", (unsigned)flags, what);
  return there != here;
}

static hk_status check_hello(hk_wire *w, const unsigned char *hello) {
  uint32_t flags, nodes;
  const hk_spec_external *x = w->spec;
  const char *own = orientation_name[x->orientation];
  memcpy(&flags, hello + 1, 4), memcpy(&nodes, hello + 5, 4);
  const int32_t kind = kind_of(flags & ROTATIONS);
  const int32_t turn = kind_of((flags >> REFERENCE_SHIFT) & ROTATIONS);
  char text[200];
  if (hello[0] != HK_WIRE_NEGOTIATE) {
    snprintf(text, sizeof text, "sent %d where it should say what it expects (7)", hello[0]);
    return broken(w, text);
  }
  if ((flags & (MODAL | NODAL)) != NODAL) {
    snprintf(text, sizeof text, "expects %s; nodes are offered (its flags are 0x%x)",
             flags & MODAL ? "modes" : "neither nodes nor modes", (unsigned)flags);
    return broken(w, text);
  }
  if (nodes != (uint32_t)w->nodes) {
    snprintf(text, sizeof text, "expects %u nodes, and there are %d", (unsigned)nodes,
             (int)w->nodes);
    return broken(w, text);
  }
  if (kind != x->orientation) {
    snprintf(text, sizeof text,
             "expects orientations of kind '%s' and the model offers '%s' (its flags are 0x%x)",
             kind < 0 ? "several" : orientation_name[kind], own, (unsigned)flags);
    return broken(w, text);
  }
  if (differs(w, flags, LABELS, x->label != NULL, "labels") ||
      differs(w, flags, ACCELERATIONS, x->accelerations, "accelerations") ||
      differs(w, flags, REFERENCE, x->reference >= 0, "reference"))
    return HK_E_FILE;
  // a program that does not say how it wants to see the reference node sees it as the others
  w->turn = x->reference < 0 ? HK_EXTERNAL_NONE : turn ? turn : kind;
  if (x->reference >= 0 && w->turn <= 0)
    return broken(w, "wants a reference node without rotation");
  return HK_OK;
}

hk_status hki_wire_negotiate(hk_wire *w, hk_talk *t) {
  unsigned char hello[9], reply = HK_WIRE_AGREED;
  hk_status st = heard(w, t, hki_talk_receive(t, hello, 1));
  // a first byte that is wrong is told without waiting for more
  if (st == HK_OK && hello[0] == HK_WIRE_NEGOTIATE)
    st = heard(w, t, hki_talk_receive(t, hello + 1, sizeof hello - 1));
  if (st != HK_OK) return st;
  if ((st = check_hello(w, hello)) != HK_OK) {
    reply = HK_WIRE_ABORT;
    (void)hki_talk_send(t, &reply, 1);
    return st;
  }
  w->out_bytes = 1 + motion_bytes(w);
  w->in_bytes = force_bytes(w);
  return heard(w, t, hki_talk_send(t, &reply, 1));
}

/* --- motion ----------------------------------------------------------------------------------------- */

static void put(unsigned char **to, const double *x, int32_t n) {
  memcpy(*to, x, (size_t)n * sizeof *x);
  *to += (size_t)n * sizeof *x;
}

static void put_labels(unsigned char **to, const uint32_t *label, int32_t n) {
  memcpy(*to, label, 4 * (size_t)n);
  *to += 4 * (size_t)n;
  if (n % 2 == 0) return;
  memset(*to, 0, 4);
  *to += 4;
}

static void put_orientation(unsigned char **to, int32_t kind, const double *q) {
  const double degree = 57.295779513082320877;
  double R[9], a[9];
  quat_to_rot(R, q);
  if (kind == HK_EXTERNAL_MATRIX) {
    m3_transpose(a, R); // by columns
  } else if (kind == HK_EXTERNAL_VECTOR) {
    quat_log(a, q);
  } else {
    // R = R1(a) R2(b) R3(c), in degrees; c from the rows that stay where cos b vanishes
    const double t = atan2(-R[5], R[8]), c = cos(t), s = sin(t);
    a[0] = degree * t;
    a[1] = degree * atan2(R[2], c * R[8] - s * R[5]);
    a[2] = degree * atan2(c * R[3] + s * R[6], c * R[4] + s * R[7]);
  }
  put(to, a, orientation_size[kind]);
}

/* what the reference node, with axes R, sees of a node */
static void see(const double *R, const hk_wire_motion *o, const hk_wire_motion *m,
                hk_wire_motion *s) {
  double d[3], v[3], t[3], c[4];
  v3_sub(d, m->x, o->x);
  m3_tmulv(s->x, R, d);
  quat_conj(c, o->q);
  quat_mul(s->q, c, m->q);
  // v - v0 - w0 x d
  v3_cross(t, o->w, d);
  v3_sub(v, m->v, o->v);
  v3_sub(v, v, t);
  m3_tmulv(s->v, R, v);
  // a - a0 - alpha0 x d - w0 x (w0 x d + 2 v)
  double a[3], u[3];
  v3_sub(a, m->a, o->a);
  v3_axpy(t, 2.0, v);
  v3_cross(u, o->w, t);
  v3_sub(a, a, u);
  v3_cross(u, o->alpha, d);
  v3_sub(a, a, u);
  m3_tmulv(s->a, R, a);
  v3_sub(t, m->w, o->w);
  m3_tmulv(s->w, R, t);
  v3_sub(t, m->alpha, o->alpha);
  v3_cross(u, o->w, m->w);
  v3_sub(t, t, u);
  m3_tmulv(s->alpha, R, t);
}

static void put_reference(hk_wire *w, unsigned char **to, const hk_wire_motion *o) {
  const hk_spec_external *x = w->spec;
  quat_to_rot(w->R, o->q);
  if (x->label) put_labels(to, &x->reference_label, 1);
  put(to, o->x, 3);
  put_orientation(to, w->turn, o->q);
  put(to, o->v, 3);
  put(to, o->w, 3);
  if (!x->accelerations) return;
  put(to, o->a, 3);
  put(to, o->alpha, 3);
}

void hki_wire_pack(hk_wire *w, const hk_wire_motion *reference, const hk_wire_motion *node) {
  const hk_spec_external *x = w->spec;
  const size_t n = (size_t)w->nodes;
  unsigned char *to = w->out + 1;
  w->out[0] = x->coupling == HK_COUPLE_TIGHT ? HK_WIRE_DATA : HK_WIRE_LAST;
  if (reference) put_reference(w, &to, reference);
  if (x->label) put_labels(&to, x->label, w->nodes);
  // by quantity, each of all nodes: where each of them begins
  unsigned char *at[6] = {to};
  const size_t r = turns(w) ? 8 * (size_t)orientation_size[x->orientation] : 0, v = r ? 24 : 0;
  at[1] = at[0] + 24 * n, at[2] = at[1] + r * n, at[3] = at[2] + 24 * n, at[4] = at[3] + v * n;
  at[5] = at[4] + 24 * n;
  for (int32_t i = 0; i < w->nodes; i++) {
    const hk_wire_motion *m = &node[i];
    hk_wire_motion seen;
    if (reference) see(w->R, reference, m, &seen), m = &seen;
    put(&at[0], m->x, 3);
    if (r) put_orientation(&at[1], x->orientation, m->q);
    put(&at[2], m->v, 3);
    if (r) put(&at[3], m->w, 3);
    if (x->accelerations) put(&at[4], m->a, 3);
    if (x->accelerations && r) put(&at[5], m->alpha, 3);
  }
  HK_ASSERT(!w->out_bytes ||
            w->out + w->out_bytes == at[!x->accelerations ? (r ? 3 : 2) : (r ? 5 : 4)]);
}

/* --- forces ----------------------------------------------------------------------------------------- */

/* the node that has a label, -1 */
static int32_t find_label(const hk_wire *w, uint32_t label) {
  const uint32_t *found =
      bsearch(&label, w->order, (size_t)w->nodes, 2 * sizeof *w->order, by_label);
  return found ? (int32_t)found[1] : -1;
}

static hk_status take_vectors(hk_wire *w, const unsigned char *labels, const unsigned char *from,
                              double *to) {
  for (int32_t i = 0; i < w->nodes; i++) {
    uint32_t label = 0;
    double f[3];
    if (labels) memcpy(&label, labels + 4 * (size_t)i, 4);
    const bool own = !labels || label == w->spec->label[i];
    double *out = to + 3 * (own ? i : find_label(w, label));
    memcpy(f, from + 24 * (size_t)i, sizeof f);
    if (!isfinite(f[0]) || !isfinite(f[1]) || !isfinite(f[2])) {
      char text[100];
      snprintf(text, sizeof text, "gave a force that is not finite, of node %d", (int)i + 1);
      return broken(w, text), HK_E_NUMBER;
    }
    if (w->turn)
      m3_mulv(out, w->R, f);
    else
      v3_copy(out, f);
  }
  return HK_OK;
}

/* each label once; they may come in any order */
static hk_status check_labels(hk_wire *w, const unsigned char *labels) {
  char text[120];
  // forces are the mark of nodes that were seen: NaN is never given
  for (int32_t i = 0; i < w->nodes; i++) w->force[3 * i] = 0.0;
  for (int32_t i = 0; i < w->nodes; i++) {
    uint32_t label;
    memcpy(&label, labels + 4 * (size_t)i, 4);
    const int32_t k = label == w->spec->label[i] ? i : find_label(w, label);
    if (k < 0) {
      snprintf(text, sizeof text, "gave the label %u, which no node has", (unsigned)label);
      return broken(w, text);
    }
    if (isnan(w->force[3 * k])) {
      snprintf(text, sizeof text, "gave the label %u twice", (unsigned)label);
      return broken(w, text);
    }
    w->force[3 * k] = NAN;
  }
  return HK_OK;
}

static hk_status take_reference(hk_wire *w, const unsigned char **from) {
  char text[120];
  if (w->spec->label) {
    uint32_t label;
    memcpy(&label, *from, 4);
    *from += 8;
    if (label != w->spec->reference_label) {
      snprintf(text, sizeof text, "gave the label %u to the reference node, which has %u",
               (unsigned)label, (unsigned)w->spec->reference_label);
      return broken(w, text);
    }
  }
  memcpy(w->load, *from, sizeof w->load);
  *from += sizeof w->load;
  for (int i = 0; i < 6; i++)
    if (!isfinite(w->load[i]))
      return broken(w, "gave a force that is not finite, of the reference node"), HK_E_NUMBER;
  return HK_OK;
}

static hk_status take_forces(hk_wire *w) {
  const unsigned char *from = w->in, *labels = NULL;
  hk_status st = w->turn ? take_reference(w, &from) : HK_OK;
  if (st == HK_OK && w->spec->label) {
    labels = from;
    st = check_labels(w, labels);
    from += label_bytes(w, w->nodes);
  }
  if (st == HK_OK) st = take_vectors(w, labels, from, w->force);
  if (st == HK_OK && turns(w))
    st = take_vectors(w, labels, from + 24 * (size_t)w->nodes, w->moment);
  return st;
}

hk_status hki_wire_ask(hk_wire *w, hk_talk *t, int *answer) {
  unsigned char command;
  char text[100];
  hk_status st = heard(w, t, hki_talk_send(t, w->out, w->out_bytes));
  if (st == HK_OK) st = heard(w, t, hki_talk_receive(t, &command, 1));
  if (st != HK_OK) return st;
  *answer = command;
  if (command == HK_WIRE_NEXT || command == HK_WIRE_ABORT) return HK_OK;
  if (command != HK_WIRE_DATA && command != HK_WIRE_LAST) {
    snprintf(text, sizeof text, "sent %d where a command (2, 4, 5 or 6) was expected", command);
    return broken(w, text);
  }
  st = heard(w, t, hki_talk_receive(t, w->in, w->in_bytes));
  return st == HK_OK ? take_forces(w) : st;
}

hk_status hki_wire_announce(hk_wire *w, hk_talk *t, double time, double h) {
  unsigned char bytes[17] = {HK_WIRE_AGAIN};
  memcpy(bytes + 1, &time, 8), memcpy(bytes + 9, &h, 8);
  return heard(w, t, hki_talk_send(t, bytes, sizeof bytes));
}
