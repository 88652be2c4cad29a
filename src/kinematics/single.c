/* SPDX-License-Identifier: Apache-2.0
 *
 * single.c: the passes of tree.c for revolutes, one body at a time with three-vectors in registers
 * (geometry/vec3.h), for bodies that are in no group of four like ones (lanes.h): chains. Equations of
 * tree.c; every number is formed by the same operations in the same order as there.
 *
 * The rows of R_parent (K3 + cos K1 + sin K2) have a fourth number: the marker on the parent is
 * there, so that one product gives the rotation of the body and the place of its joint. Where the axes of parent and body are
 * parallel in the drawing and the joint's axis is one of them, as in most models, cos and sin are the only
 * numbers of the rotation: K is not read, and a body has 168 bytes of constants in the place of 456.
 */
#include "kinematics/single.h"

#include "base/sincos.h"
#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)

bool hki_single_here(void) { return hki_wide_here(); }

HKI_WIDE_BEGIN
#define VEC3_WIDE
#include "base/sincos4.h"
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

/* three numbers of a vector, and a fourth */
#define SET(t, w, i, j, k) __builtin_shufflevector(t, vec_splat(w), i, j, k, 4)
#define UNIT(i)            ((vec){(i) == 0, (i) == 1, (i) == 2, 0.0})

/* rows of K3 + cs K1 + sn K2, with the marker on the parent in their fourth numbers */
HKI_INLINE void rotation(const hk_kin *k, int32_t b, double cs, double sn, vec *X) {
  const hk_single *s = &k->single[b];
  const double *p = s->on_parent;
  // sums as of K, whose zeros make no difference
  const double x = 0.0 + sn * s->sense, y = 0.0 - sn * s->sense;
  const vec t = {cs, x, y, p[3]}; // p[3]: zero
  if (s->along == 2) {
    X[0] = SET(t, p[0], 0, 2, 3), X[1] = SET(t, p[1], 1, 0, 3);
    X[2] = SET(UNIT(2), p[2], 0, 1, 2);
  } else if (s->along == 1) {
    X[0] = SET(t, p[0], 0, 3, 1), X[1] = SET(UNIT(1), p[1], 0, 1, 2);
    X[2] = SET(t, p[2], 2, 3, 0);
  } else if (s->along == 0) {
    X[0] = SET(UNIT(0), p[0], 0, 1, 2), X[1] = SET(t, p[1], 3, 0, 2);
    X[2] = SET(t, p[2], 3, 1, 0);
  } else {
    const hk_single_turn *K = &k->turn[b];
    for (int i = 0; i < 3; i++) {
      X[i] = LOAD(K->K3 + 4 * i) + vec_splat(cs) * LOAD(K->K1 + 4 * i) +
             vec_splat(sn) * LOAD(K->K2 + 4 * i);
      X[i] = SET(X[i], p[i], 0, 1, 2);
    }
  }
}

/* what the velocity of a revolute needs of its position: its column, and p - O */
typedef struct placed {
  vec Sa, Sl, c;
} placed;

/* sines and cosines of the revolutes among bodies b to b + 3 */
HKI_INLINE void turn4(const hk_kin *k, int32_t b, const double *q, hki_four_r *sine,
                      hki_four_r *cosine) {
  const int32_t n = k->m->nb;
  double x[4] = {0.0, 0.0, 0.0, 0.0};
  for (int32_t i = 0; i < 4 && b + i < n; i++)
    if (k->single[b + i].hinge) x[i] = q[k->single[b + i].q0];
  const hki_four_r angle = {x[0], x[1], x[2], x[3]};
  hki_four_sincos(angle, sine, cosine);
}

/* pose, column and inertia of a revolute; sine and cosine of its angle */
HKI_INLINE placed place(hk_kin *k, int32_t b, double sn, double cs) {
  static const double I3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
  const hk_single *s = &k->single[b];
  const double *Rp = s->parent == HK_GROUND ? I3 : k->frame[s->parent].R;
  const double *pp = s->parent == HK_GROUND ? zero : k->frame[s->parent].p;
  hk_frame *f = &k->frame[b];
  vec X[3], R[3], col[4];
  rotation(k, b, cs, sn, X);
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
  // the fourth number serves nothing
  const double *o = k->O + 3 * s->root;
  const vec at = s->root == b ? p : (vec){o[0], o[1], o[2], o[2]};
  if (s->root != b) store3(O, at);
  // an axis of both bodies is a column of the rotation, up to its sense
  vec axis;
  if (s->along >= 0) {
    axis = s->along == 2 ? col[2] : s->along == 1 ? col[1] : col[0];
    axis = vec_splat(0.0) + vec_splat(s->sense) * axis;
  } else {
    const double *z = s->axis;
    axis = vec_set(Rp[0] * z[0] + Rp[1] * z[1] + Rp[2] * z[2],
                   Rp[3] * z[0] + Rp[4] * z[1] + Rp[5] * z[2],
                   Rp[6] * z[0] + Rp[7] * z[1] + Rp[8] * z[2]);
  }
  const placed out = {axis, vec_cross(pB - at, axis), vec_clear(p - at)};
  vec_store6(k->S + 6 * s->v0, out.Sa, out.Sl);
  if (s->diagonal) inertia(&k->I[b], s, R, p - at);
  return out;
}

/* the same from memory */
HKI_INLINE placed recall(const hk_kin *k, int32_t b) {
  const double *S = k->S + 6 * k->single[b].v0;
  return (placed){vec_first(S), vec_last(S + 2),
                  vec_first(k->frame[b].p) - vec_first(k->O + 3 * b)};
}

void hki_single_place(hk_kin *k, int32_t b, const double *q) {
  double sine, cosine;
  hki_sincos(q[k->single[b].q0], &sine, &cosine);
  (void)place(k, b, sine, cosine);
}

void hki_single_places(hk_kin *k, const double *q, hk_single_pass other) {
  hki_four_r sine = {0.0}, cosine = {0.0};
  for (int32_t b = 0; b < k->m->nb; b++) {
    if (b % 4 == 0) turn4(k, b, q, &sine, &cosine);
    if (k->single[b].hinge && k->single[b].diagonal)
      (void)place(k, b, sine[b % 4], cosine[b % 4]);
    else
      other(k, b, q);
  }
}

/* V and A0 of a body, those of its parent given */
HKI_INLINE void move(hk_kin *k, int32_t b, placed at, const double *v, vec *Va, vec *Vl, vec *Aa,
                     vec *Al) {
  const vec rate = vec_splat(v[k->single[b].v0]), zero = vec_splat(0.0);
  const vec ra = zero + rate * at.Sa, rl = zero + rate * at.Sl;
  const vec xa = vec_cross(*Va, ra), xl = vec_cross(*Va, rl) + vec_cross(*Vl, ra);
  *Va = *Va + ra, *Vl = *Vl + rl;
  *Aa = *Aa + xa, *Al = *Al + xl;
  hk_frame *f = &k->frame[b];
  vec_store6(k->V + 6 * b, *Va, *Vl);
  vec_store6(k->A0 + 6 * b, *Aa, *Al);
  vec_store6(f->w, *Va, vec_cross(*Va, at.c) + *Vl);
}

/* V and A0 of the parent of a body, from memory */
HKI_INLINE void from_parent(const hk_kin *k, const hk_single *s, vec *Va, vec *Vl, vec *Aa,
                            vec *Al) {
  if (s->parent == HK_GROUND) {
    *Va = *Vl = *Aa = *Al = vec_splat(0.0);
    return;
  }
  const double *V = k->V + 6 * s->parent, *A = k->A0 + 6 * s->parent;
  *Va = vec_first(V), *Vl = vec_last(V + 2);
  *Aa = vec_first(A), *Al = vec_last(A + 2);
}

void hki_single_velocity(hk_kin *k, int32_t b, const double *v) {
  vec Va, Vl, Aa, Al;
  from_parent(k, &k->single[b], &Va, &Vl, &Aa, &Al);
  move(k, b, recall(k, b), v, &Va, &Vl, &Aa, &Al);
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
    if (!have || s->parent == HK_GROUND || s->parent != b - 1)
      from_parent(k, s, &Va, &Vl, &Aa, &Al);
    have = true;
    move(k, b, recall(k, b), v, &Va, &Vl, &Aa, &Al);
  }
}

void hki_single_states(hk_kin *k, const double *q, const double *v, hk_single_pass other_place,
                       hk_single_pass other_move) {
  vec Va = vec_splat(0.0), Vl = Va, Aa = Va, Al = Va;
  hki_four_r sine = {0.0}, cosine = {0.0};
  bool have = false;
  for (int32_t b = 0; b < k->m->nb; b++) {
    const hk_single *s = &k->single[b];
    if (b % 4 == 0) turn4(k, b, q, &sine, &cosine);
    if (!s->hinge || !s->diagonal) {
      other_place(k, b, q);
      other_move(k, b, v);
      have = false;
      continue;
    }
    const placed at = place(k, b, sine[b % 4], cosine[b % 4]);
    if (!have || s->parent == HK_GROUND || s->parent != b - 1)
      from_parent(k, s, &Va, &Vl, &Aa, &Al);
    have = true;
    move(k, b, at, v, &Va, &Vl, &Aa, &Al);
  }
}

/* columns of the moment of inertia */
HKI_INLINE void moments(const hk_inertia *I, vec *x, vec *y, vec *z) {
  const vec p = LOAD(I->I), q = LOAD(I->I + 2);
  *x = vec_clear(__builtin_shufflevector(p, q, 0, 3, 6, 6));
  *y = vec_clear(__builtin_shufflevector(p, q, 5, 1, 7, 7));
  *z = vec_clear(__builtin_shufflevector(q, q, 2, 3, 0, 0));
}

void hki_single_force(hk_kin *k, int32_t b, const double *a, double *all_A, double *all_F) {
  const hk_link *l = &k->link[b];
  const hk_inertia *I = &k->I[b];
  vec Aa = vec_splat(0.0), Al = Aa, x, y, z;
  if (l->parent != HK_GROUND)
    Aa = vec_first(all_A + 6 * l->parent), Al = vec_last(all_A + 6 * l->parent + 2);
  for (int32_t j = l->v0; j < l->v0 + l->nv; j++) {
    const double *S = k->S + 6 * j;
    const vec s = vec_splat(a[j]);
    Aa = Aa + s * vec_first(S), Al = Al + s * vec_last(S + 2);
  }
  vec_store6(all_A + 6 * b, Aa, Al);
  const double *V = k->V + 6 * b, *A0 = k->A0 + 6 * b, *W = k->W + 6 * b;
  const vec wa = vec_first(W), wl = vec_last(W + 2);
  if (k->inert[b] == HK_INERT_NONE) {
    vec_store6(all_F + 6 * b, -wa, -wl);
    return;
  }
  moments(I, &x, &y, &z);
  const vec m = vec_splat(I->m), h = vec_last(&I->m), Va = vec_first(V), Vl = vec_last(V + 2);
  const vec fa = Aa + vec_first(A0), fl = Al + vec_last(A0 + 2);
  // f = I (A + A0), p = I V, f += V x* p - W
  const vec f = x * vec_splat(fa[0]) + y * vec_splat(fa[1]) + z * vec_splat(fa[2]) +
                vec_cross(h, fl),
            g = vec_cross(fa, h) + m * fl;
  const vec p = x * vec_splat(Va[0]) + y * vec_splat(Va[1]) + z * vec_splat(Va[2]) +
                vec_cross(h, Vl),
            q = vec_cross(Va, h) + m * Vl;
  const vec xa = vec_cross(Va, p) + vec_cross(Vl, q), xl = vec_cross(Va, q);
  vec_store6(all_F + 6 * b, f + (xa - wa), g + (xl - wl));
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
void hki_single_states(hk_kin *k, const double *q, const double *v, hk_single_pass other_place,
                       hk_single_pass other_move) {
  (void)k, (void)q, (void)v, (void)other_place, (void)other_move;
}
void hki_single_place(hk_kin *k, int32_t b, const double *q) { (void)k, (void)b, (void)q; }
void hki_single_velocity(hk_kin *k, int32_t b, const double *v) { (void)k, (void)b, (void)v; }
void hki_single_force(hk_kin *k, int32_t b, const double *a, double *A, double *F) {
  (void)k, (void)b, (void)a, (void)A, (void)F;
}
#endif

/* rows of three numbers as rows of four */
static void rows(double *to, const double *K) {
  for (int i = 0; i < 3; i++) {
    v3_copy(to + 4 * i, K + 3 * i);
    to[4 * i + 3] = 0.0;
  }
}

/* are the constants of a hinge those of axis a of both bodies, in this sense? */
static bool is_along(const hk_hinge *h, int a, double sense) {
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int at = 3 * i + j;
      const double turn = i == b && j == c ? -sense : i == c && j == b ? sense : 0.0;
      if (signbit(h->K3[at]) || h->K3[at] != (i == a && j == a ? 1.0 : 0.0)) return false;
      if (h->K1[at] != (i == j && i != a ? 1.0 : 0.0) || h->K2[at] != turn) return false;
    }
  return true;
}

void hki_single_init(hk_kin *k, int32_t b) {
  const hk_model_body *mb = &k->m->bodies[b];
  hk_single *s = &k->single[b];
  *s = (hk_single){.parent = mb->parent, .root = mb->root, .q0 = mb->q0, .v0 = mb->v0};
  s->hinge = (mb->ops->caps & HK_JOINT_ROTATION_Z) && !k->shifting[b];
  s->diagonal = k->inert[b] == HK_INERT_DIAGONAL;
  s->mass = mb->mass;
  rows(k->turn[b].K1, k->hinge[b].K1);
  rows(k->turn[b].K2, k->hinge[b].K2);
  rows(k->turn[b].K3, k->hinge[b].K3);
  for (int i = 0; i < 3; i++) {
    s->axis[i] = mb->on_parent.R[3 * i + 2];
    s->on_parent[i] = mb->on_parent.p[i];
    s->child[i] = mb->on_child.p[i];
    s->J[i] = mb->J[4 * i];
  }
  s->along = -1, s->sense = 1.0;
  for (int a = 0; s->hinge && a < 3; a++)
    for (int sign = 1; sign >= -1; sign -= 2)
      if (is_along(&k->hinge[b], a, sign)) s->along = (int8_t)a, s->sense = sign;
}
