/* SPDX-License-Identifier: Apache-2.0
 *
 * single.c: the passes of tree.c for revolutes, one body at a time with three-vectors in registers
 * (geometry/vec3.h), for models without groups of four like bodies (lanes.h): chains. Equations of
 * tree.c; every number is formed by the same operations in the same order as there.
 *
 * The rows of R_parent (K3 + cos K1 + sin K2) have a fourth number: K3 holds the marker on the parent
 * there, so that one product gives the rotation of the body and the place of its joint.
 */
#include "kinematics/single.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)

bool hki_single_here(void) { return hki_wide_here(); }

HKI_WIDE_BEGIN
#define VEC3_WIDE
#include "geometry/vec3.h"
#define LOAD(p)         (*(const vec *)(p))
#define PAIRS(x, y, i)  __builtin_shufflevector(x, y, i, 4 + (i), 2 + (i), 6 + (i))
#define HALVES(x, y, i) __builtin_shufflevector(x, y, i, 1 + (i), 4 + (i), 5 + (i))

/* columns x of the rows a, b, c, d */
HKI_INLINE void turn_over(vec a, vec b, vec c, vec d, vec *x) {
  const vec ab = PAIRS(a, b, 0), cd = PAIRS(c, d, 0), AB = PAIRS(a, b, 1), CD = PAIRS(c, d, 1);
  x[0] = HALVES(ab, cd, 0), x[1] = HALVES(AB, CD, 0);
  x[2] = HALVES(ab, cd, 2), x[3] = HALVES(AB, CD, 2);
}

HKI_INLINE void store3(double *p, vec a) {
  *(vec_half *)p = __builtin_shufflevector(a, a, 0, 1);
  p[2] = a[2];
}

/* inertia about O in world axes, as body_inertia of tree.c, for principal axes; R: rows */
HKI_INLINE void inertia(hk_inertia *I, const hk_single *s, const vec *R, vec c) {
  const vec J = LOAD(s->J), T0 = R[0] * J, T1 = R[1] * J, T2 = R[2] * J;
  vec x[4];
  turn_over(T0 * R[0], T1 * R[1], T2 * R[2], T0 * R[1], x);
  vec w = x[0] + x[1] + x[2]; // xx, yy, zz, xy
  const vec p = T0 * R[2], q = T1 * R[2], pq = PAIRS(p, q, 0), PQ = PAIRS(p, q, 1);
  const vec_half low = __builtin_shufflevector(pq, pq, 0, 1),
                 high = __builtin_shufflevector(pq, pq, 2, 3);
  vec_half v = low + __builtin_shufflevector(PQ, PQ, 0, 1) + high; // xz, yz
  const double m = s->mass;
  const vec mc = vec_splat(m) * c, sq = c * c;
  const vec a = __builtin_shufflevector(sq, sq, 1, 0, 0, 3),
            b = __builtin_shufflevector(sq, sq, 2, 2, 1, 3);
  vec add = vec_splat(m) * (a + b);
  add[3] = -(mc[0] * c[1]);
  w = w + add;
  v = v - (vec_half){mc[0] * c[2], mc[1] * c[2]};
  *(vec *)&I->m = __builtin_shufflevector(mc, (vec){m, m, m, m}, 4, 0, 1, 2);
  *(vec *)I->I = w;
  *(vec_half *)(I->I + 4) = v;
}

/* pose, column and inertia of a revolute */
HKI_INLINE void place(hk_kin *k, int32_t b, const double *q) {
  static const double I3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
  const hk_single *s = &k->single[b];
  const double *Rp = s->parent == HK_GROUND ? I3 : k->frame[s->parent].R;
  const double *pp = s->parent == HK_GROUND ? zero : k->frame[s->parent].p;
  const double angle = q[s->q0], cs = cos(angle), sn = sin(angle);
  hk_frame *f = &k->frame[b];
  vec X[3], R[3], col[4];
  for (int i = 0; i < 3; i++)
    X[i] = LOAD(s->K3 + 4 * i) + vec_splat(cs) * LOAD(s->K1 + 4 * i) +
           vec_splat(sn) * LOAD(s->K2 + 4 * i);
  for (int i = 0; i < 3; i++)
    R[i] = vec_splat(Rp[3 * i]) * X[0] + vec_splat(Rp[3 * i + 1]) * X[1] +
           vec_splat(Rp[3 * i + 2]) * X[2];
  turn_over(R[0], R[1], R[2], vec_splat(0.0), col);
  const vec pB = col[3] + vec_set(pp[0], pp[1], pp[2]);
  const vec r = vec_splat(s->child[0]) * col[0] + vec_splat(s->child[1]) * col[1] +
                vec_splat(s->child[2]) * col[2];
  const vec p = pB - r;
  *(vec *)f->R = R[0];
  *(vec *)(f->R + 3) = R[1];
  store3(f->R + 6, R[2]);
  store3(f->p, p);
  double *O = k->O + 3 * b;
  if (s->root == b) store3(O, p);
  const vec at =
      s->root == b ? p : vec_set(k->O[3 * s->root], k->O[3 * s->root + 1], k->O[3 * s->root + 2]);
  if (s->root != b) store3(O, at);
  const double *z = s->axis;
  const vec axis = vec_set(Rp[0] * z[0] + Rp[1] * z[1] + Rp[2] * z[2],
                           Rp[3] * z[0] + Rp[4] * z[1] + Rp[5] * z[2],
                           Rp[6] * z[0] + Rp[7] * z[1] + Rp[8] * z[2]);
  vec_store6(k->S + 6 * s->v0, axis, vec_cross(pB - at, axis));
  if (s->diagonal) inertia(&k->I[b], s, R, p - at);
}

void hki_single_places(hk_kin *k, const double *q, hk_single_pass other) {
  for (int32_t b = 0; b < k->m->nb; b++) {
    if (k->single[b].hinge && k->single[b].diagonal)
      place(k, b, q);
    else
      other(k, b, q);
  }
}

void hki_single_velocities(hk_kin *k, const double *v, hk_single_pass other) {
  vec Va = vec_splat(0.0), Vl = Va, Aa = Va, Al = Va;
  bool have = false;
  for (int32_t b = 0; b < k->m->nb; b++) {
    const hk_single *s = &k->single[b];
    if (!s->hinge) {
      other(k, b, v);
      have = false;
      continue;
    }
    if (s->parent == HK_GROUND) {
      Va = Vl = Aa = Al = vec_splat(0.0);
    } else if (!have || s->parent != b - 1) {
      Va = vec_first(k->V + 6 * s->parent), Vl = vec_last(k->V + 6 * s->parent + 2);
      Aa = vec_first(k->A0 + 6 * s->parent), Al = vec_last(k->A0 + 6 * s->parent + 2);
    }
    have = true;
    const double *S = k->S + 6 * s->v0;
    const vec rate = vec_splat(v[s->v0]), zero = vec_splat(0.0);
    const vec ra = zero + rate * vec_first(S), rl = zero + rate * vec_last(S + 2);
    const vec xa = vec_cross(Va, ra), xl = vec_cross(Va, rl) + vec_cross(Vl, ra);
    Va = Va + ra, Vl = Vl + rl;
    Aa = Aa + xa, Al = Al + xl;
    hk_frame *f = &k->frame[b];
    const vec c = vec_first(f->p) - vec_first(k->O + 3 * b);
    vec_store6(k->V + 6 * b, Va, Vl);
    vec_store6(k->A0 + 6 * b, Aa, Al);
    vec_store6(f->w, Va, vec_cross(Va, c) + Vl);
  }
}
HKI_WIDE_END

#else
bool hki_single_here(void) { return false; }
void hki_single_places(hk_kin *k, const double *q, hk_single_pass other) {
  (void)k, (void)q, (void)other;
}
void hki_single_velocities(hk_kin *k, const double *v, hk_single_pass other) {
  (void)k, (void)v, (void)other;
}
#endif

/* rows of three numbers as rows of four; last: their fourth numbers */
static void rows(double *to, const double *K, const double *last) {
  for (int i = 0; i < 3; i++) {
    v3_copy(to + 4 * i, K + 3 * i);
    to[4 * i + 3] = last ? last[i] : 0.0;
  }
}

void hki_single_init(hk_kin *k, int32_t b) {
  const hk_model_body *mb = &k->m->bodies[b];
  hk_single *s = &k->single[b];
  *s = (hk_single){.parent = mb->parent, .root = mb->root, .q0 = mb->q0, .v0 = mb->v0};
  s->hinge = (mb->ops->caps & HK_JOINT_ROTATION_Z) && !k->shifting[b];
  s->diagonal = k->inert[b] == HK_INERT_DIAGONAL;
  s->mass = mb->mass;
  rows(s->K1, k->hinge[b].K1, NULL);
  rows(s->K2, k->hinge[b].K2, NULL);
  rows(s->K3, k->hinge[b].K3, mb->on_parent.p);
  for (int i = 0; i < 3; i++) {
    s->axis[i] = mb->on_parent.R[3 * i + 2];
    s->child[i] = mb->on_child.p[i];
    s->J[i] = mb->J[4 * i];
  }
}
