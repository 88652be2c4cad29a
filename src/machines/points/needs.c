/* SPDX-License-Identifier: Apache-2.0
 *
 * needs.c: the points and directions of each body that must follow linearly from its elements.
 * Most bodies need all directions, 12 numbers. Rods without spin need less: a massless rod between
 * two balls its two ends, a massless link between a pin and a ball the pin and the ball.
 *
 *   mass       centre of mass, range of S (points.h)
 *   rows left  the points and directions in them
 *   forces     origin of the marker where the force reads nothing else, else all directions
 *   signals    all directions of the bodies whose channels they read
 */
#include "machines/points/build.h"

static void need(points_build *B, int32_t body, bool vector, const double *x) {
  if (body == HK_GROUND) return;
  if (!HK_GROW(B->ctx, B->need, B->cap_need, B->nneed + 1)) {
    B->status = HK_E_MEMORY;
    return;
  }
  B->need[B->nneed++] = (points_need){body, vector, {x[0], x[1], x[2]}};
}

static void need_axis(points_build *B, const points_item *it, int side, int k) {
  double a[3];
  m3_column(a, it->marker[side]->R, k);
  need(B, it->body[side], true, a);
}

static void whole(points_build *B, int32_t body) {
  if (body != HK_GROUND) B->whole[body] = true;
}

static void row_needs(points_build *B, const points_item *it, uint8_t kind) {
  if (kind <= HK_S_Z) {
    need_axis(B, it, 0, kind - HK_S_X);
    for (int i = 0; i < 2; i++) need(B, it->body[i], false, it->marker[i]->p);
  } else if (kind == HK_S_DISTANCE) {
    for (int i = 0; i < 2; i++) need(B, it->body[i], false, it->marker[i]->p);
  } else if (kind == HK_S_XZ || kind == HK_S_YZ) {
    need_axis(B, it, 0, kind - HK_S_XZ);
    need_axis(B, it, 1, 2);
  } else if (kind == HK_S_AXIS2) {
    double n[3] = {it->num[0], 0.0, it->num[1]}, x[3];
    need_axis(B, it, 0, 2);
    m3_mulv(x, it->marker[1]->R, n);
    need(B, it->body[1], true, x);
  } else {
    whole(B, it->body[0]);
    whole(B, it->body[1]);
  }
}

/* needs of the rows that sharing does not meet, and of measured coordinates */
static void joint_needs(points_build *B) {
  for (int32_t i = 0; i < B->nitems; i++) {
    const points_item *it = &B->items[i];
    for (int32_t r = 0; r < it->nrows; r++) {
      if (!it->permanent) whole(B, it->body[0]), whole(B, it->body[1]);
      if (it->left[r]) row_needs(B, it, it->kind[r]);
    }
  }
  for (int32_t c = 0; c < B->m->nc; c++) {
    const hk_closure *cl = &B->m->closures[c];
    if (cl->kind == HK_CLOSURE_COORD) whole(B, cl->body[0]), whole(B, cl->body[1]);
    for (int32_t k = 0; cl->coupling && k < cl->coupling->n; k++) {
      const int32_t j = B->m->scalars[cl->coupling->arg[k].scalar].joint;
      for (int s = 0; s < 2; s++) whole(B, B->m->joints[j].mbody[s]);
    }
  }
}

/* does a force read the origin of marker `side` only? Then the gradient of its deformation has no
 * rotational part, tested with the markers apart in a direction without symmetry. */
static bool sees_place(const points_build *B, const hk_model_force *f, int side) {
  static const double off[3] = {0.37, -0.23, 0.51};
  const hk_spec_force *sf = &B->m->spec->forces[f->spec];
  double zero[HK_ELEMENT_DISCRETE + HK_ELEMENT_MEMORY] = {0};
  hk_element_out out;
  hk_frame F[2];
  if (f->ops->nmark != 2 || f->ops->rank != 1 || !(f->ops->caps & HK_ELEMENT_RELATIVE))
    return false;
  memset(F, 0, sizeof F);
  for (int i = 0; i < 2; i++) {
    memcpy(F[i].R, f->marker[i].R, sizeof F[i].R);
    if (i == 1) v3_scale(F[i].p, B->m->length, off);
  }
  hk_element_in in = {.m = F, .u = sf->u, .d = zero};
  f->ops->eval(f->par, &in, HK_NEED_FORCE | HK_NEED_TANGENT, &out);
  return v3_norm(out.B + 6 * side) == 0.0;
}

static void force_needs(points_build *B) {
  for (int32_t i = 0; i < B->m->nf; i++) {
    const hk_model_force *f = &B->m->forces[i];
    if (f->ops->nscal) whole(B, f->body[0]), whole(B, f->body[1]);
    for (int s = 0; s < f->ops->nmark && !f->ops->nscal; s++) {
      if (f->body[s] == HK_GROUND) continue;
      if (sees_place(B, f, s))
        need(B, f->body[s], false, f->marker[s].p);
      else
        whole(B, f->body[s]);
    }
  }
}

/* elements on several markers read whole frames */
static void wide_needs(points_build *B) {
  for (int32_t i = 0; i < B->m->nwide; i++)
    for (int32_t s = 0; s < B->m->wide[i].nmark; s++) whole(B, B->m->wide[i].body[s]);
}

/* bodies whose motion a channel reads need all directions */
static void channel_needs(points_build *B, hk_channel c) {
  const hk_model *m = B->m;
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
    case HK_CH_JOINT_ORIENTATION:
    case HK_CH_JOINT_ANGULAR_VELOCITY:
      for (int s = 0; s < 2; s++) whole(B, m->joints[c.item].mbody[s]);
      break;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_ORIENTATION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
    case HK_CH_BODY_ANGLES_ZYX:
    case HK_CH_BODY_ANGLES_XYZ:
    case HK_CH_BODY_LOCAL_VELOCITY:
    case HK_CH_BODY_LOCAL_ANGULAR_VELOCITY:
      whole(B, m->body_of_spec[c.item]);
      break;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
    case HK_CH_MARKER_ANGLES_ZYX:
    case HK_CH_MARKER_WHEEL:
    case HK_CH_MARKER_RELATIVE_POSITION:
    case HK_CH_MARKER_RELATIVE_VELOCITY:
    case HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY: {
      const hk_spec_marker *k = &m->spec->markers[c.item];
      if (k->body != HK_GROUND) whole(B, m->body_of_spec[k->body]);
      if (k->reference != HK_GROUND) whole(B, m->body_of_spec[k->reference]);
      break;
    }
    default:
      break; // of forces: see force_needs; all others are read at accepted states only
  }
}

static void signal_needs(points_build *B) {
  const hk_spec *s = B->m->spec;
  for (int32_t i = 0; i < s->nsignals; i++)
    for (int32_t j = 0; j < s->signals[i].nreads; j++)
      if (s->signals[i].reads[j].kind == HK_READ_CHANNEL)
        channel_needs(B, s->signals[i].reads[j].channel);
}

static void mass_needs(points_build *B, int32_t b) {
  static const double com[3] = {0, 0, 0};
  const hk_model_body *mb = &B->m->bodies[b];
  double S[9], half = 0.5 * (mb->J[0] + mb->J[4] + mb->J[8]), top = 0.0;
  if (mb->massless) return; // also true for rods whose spin was removed
  for (int i = 0; i < 9; i++) {
    S[i] = (i % 4 == 0 ? half : 0.0) - mb->J[i];
    top = fmax(top, fabs(S[i]));
  }
  need(B, b, false, com);
  for (int k = 0; k < 3; k++) {
    double c[3];
    m3_column(c, S, k);
    if (v3_norm(c) <= 1e-12 * top) continue;
    v3_normalize(c);
    need(B, b, true, c);
  }
}

/* sorts the needs by body and fills need0 */
static void sort_needs(points_build *B) {
  int32_t nb = B->m->nb;
  points_need *sorted = hki_pool_alloc(B->pool, (size_t)(B->nneed + 1) * sizeof *sorted);
  int32_t *at = hki_pool_alloc(B->pool, (size_t)(nb + 1) * sizeof *at);
  if (!sorted || !at) {
    B->status = HK_E_MEMORY;
    return;
  }
  for (int32_t i = 0; i < B->nneed; i++) B->need0[B->need[i].body + 1]++;
  for (int32_t b = 0; b < nb; b++) at[b] = B->need0[b + 1] += B->need0[b];
  for (int32_t i = B->nneed - 1; i >= 0; i--) sorted[--at[B->need[i].body]] = B->need[i];
  if (B->nneed) memcpy(B->need, sorted, (size_t)B->nneed * sizeof *sorted);
}

void hki_points_needs(points_build *B) {
  int32_t nb = B->m->nb;
  for (int32_t b = 0; b < nb; b++) {
    int32_t root = hki_points_find_orient(B, b);
    // an orientation that several bodies share has all its directions
    if (B->n->planar || (root != nb && B->members[root] > 1)) B->whole[b] = true;
    mass_needs(B, b);
  }
  joint_needs(B);
  force_needs(B);
  wide_needs(B);
  signal_needs(B);
  if (B->status == HK_OK) sort_needs(B);
}
