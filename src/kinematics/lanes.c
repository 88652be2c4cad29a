/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: the passes of tree.c for four bodies at once (lanes.h), with the equations of tree.c.
 * Data of the parents come from the lanes of the parents where these form a group, from one body
 * where all four have the same parent, else they are collected body by body.
 */
#include "kinematics/lanes.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)

bool hki_lanes_here(void) { return hki_wide_here(); }

HKI_WIDE_BEGIN
#include "base/sincos4.h"
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef double half __attribute__((vector_size(16), aligned(8), may_alias));
#define LANE_APART      __attribute__((noinline)) /* kept out of line to keep the callers small */
#define LOAD(p)         (*(const vec *)(p))
#define STORE(p, x)     (*(vec *)(p) = (x))
#define SPLAT(s)        ((vec){(s), (s), (s), (s)})
#define PAIRS(x, y, i)  __builtin_shufflevector(x, y, i, 4 + (i), 2 + (i), 6 + (i))
#define HALVES(x, y, i) __builtin_shufflevector(x, y, i, 1 + (i), 4 + (i), 5 + (i))

/* --- between lanes and bodies ----------------------------------------------------------------- */

/* x[i] = (a[i], b[i], c[i], d[i]), four at a time */
HKI_INLINE void collect4(const double *a, const double *b, const double *c, const double *d,
                         vec *x) {
  vec p = LOAD(a), q = LOAD(b), r = LOAD(c), s = LOAD(d);
  vec pq = PAIRS(p, q, 0), rs = PAIRS(r, s, 0), PQ = PAIRS(p, q, 1), RS = PAIRS(r, s, 1);
  x[0] = HALVES(pq, rs, 0), x[1] = HALVES(PQ, RS, 0);
  x[2] = HALVES(pq, rs, 2), x[3] = HALVES(PQ, RS, 2);
}

/* the reverse */
HKI_INLINE void spread4(const vec *x, double *a, double *b, double *c, double *d) {
  vec pq = PAIRS(x[0], x[1], 0), rs = PAIRS(x[2], x[3], 0);
  vec PQ = PAIRS(x[0], x[1], 1), RS = PAIRS(x[2], x[3], 1);
  STORE(a, HALVES(pq, rs, 0)), STORE(b, HALVES(PQ, RS, 0));
  STORE(c, HALVES(pq, rs, 2)), STORE(d, HALVES(PQ, RS, 2));
}

HKI_INLINE void spread2(const vec *x, double *a, double *b, double *c, double *d) {
  vec pq = PAIRS(x[0], x[1], 0), PQ = PAIRS(x[0], x[1], 1);
  *(half *)a = __builtin_shufflevector(pq, pq, 0, 1);
  *(half *)b = __builtin_shufflevector(PQ, PQ, 0, 1);
  *(half *)c = __builtin_shufflevector(pq, pq, 2, 3);
  *(half *)d = __builtin_shufflevector(PQ, PQ, 2, 3);
}

/* writes n numbers of each body; those of body i start at base + stride at[i] */
HKI_INLINE void spread(const vec *x, int n, double *base, ptrdiff_t stride, const int32_t *at) {
  double *a = base + stride * at[0], *b = base + stride * at[1];
  double *c = base + stride * at[2], *d = base + stride * at[3];
  int i = 0;
  for (; i + 4 <= n; i += 4) spread4(x + i, a + i, b + i, c + i, d + i);
  if (n - i >= 2) spread2(x + i, a + i, b + i, c + i, d + i), i += 2;
  if (n - i == 1) a[i] = x[i][0], b[i] = x[i][1], c[i] = x[i][2], d[i] = x[i][3];
}

/* reads six numbers of each body; those of body i start at base + 6 at[i] */
static LANE_APART void collect6(const double *base, const int32_t *at, vec *x) {
  const double *a = base + 6 * at[0], *b = base + 6 * at[1];
  const double *c = base + 6 * at[2], *d = base + 6 * at[3];
  vec y[4];
  collect4(a, b, c, d, x);
  collect4(a + 2, b + 2, c + 2, d + 2, y);
  x[4] = y[2], x[5] = y[3];
}

/* written out in threes: compilers turn a loop into a slower call or string instruction */
HKI_INLINE void keep3(const vec *x, hk_lane *to) {
  STORE(to[0], x[0]), STORE(to[1], x[1]), STORE(to[2], x[2]);
}
HKI_INLINE void keep(const vec *x, int n, hk_lane *to) {
  keep3(x, to);
  if (n > 3) keep3(x + 3, to + 3);
  if (n > 6) keep3(x + 6, to + 6);
  if (n > 9) keep3(x + 9, to + 9);
  if (n > 12) keep3(x + 12, to + 12), keep3(x + 15, to + 15);
}
HKI_INLINE void take3(hk_lane *from, vec *x) {
  x[0] = LOAD(from[0]), x[1] = LOAD(from[1]), x[2] = LOAD(from[2]);
}
HKI_INLINE void take(hk_lane *from, int n, vec *x) {
  take3(from, x);
  if (n > 3) take3(from + 3, x + 3);
  if (n > 6) take3(from + 6, x + 6);
  if (n > 9) take3(from + 9, x + 9);
}
HKI_INLINE void copy9(vec *to, const vec *x) {
  to[0] = x[0], to[1] = x[1], to[2] = x[2], to[3] = x[3], to[4] = x[4], to[5] = x[5];
  to[6] = x[6], to[7] = x[7], to[8] = x[8];
}

/* spatial vectors of the parents out of `all` (nb x 6), or out of `lane` where it is given */
HKI_INLINE void parents6(const hk_lanes *b, const double *all, hk_lane *lane, vec *x) {
  if (b->ground) {
    for (int i = 0; i < 6; i++) x[i] = SPLAT(0.0);
  } else if (b->one) {
    const double *p = all + 6 * b->parent[0];
    for (int i = 0; i < 6; i++) x[i] = SPLAT(p[i]);
  } else if (lane) {
    take(lane, 6, x);
  } else {
    collect6(all, b->parent, x);
  }
}

/* --- algebra, as in geometry.h ---------------------------------------------------------------- */

HKI_INLINE vec dot3(const vec *a, const vec *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
HKI_INLINE void mulv(vec *r, const vec *A, const vec *x) {
  for (int i = 0; i < 3; i++) r[i] = dot3(A + 3 * i, x);
}
HKI_INLINE void mul(vec *C, const vec *A, const vec *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
HKI_INLINE void cross(vec *r, const vec *a, const vec *b) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}
HKI_INLINE void cross_add(vec *r, const vec *a, const vec *b) {
  r[0] += a[1] * b[2] - a[2] * b[1];
  r[1] += a[2] * b[0] - a[0] * b[2];
  r[2] += a[0] * b[1] - a[1] * b[0];
}

/* R of a unit quaternion of each body */
HKI_INLINE void rotation(const double *q, const int32_t *at, vec *R) {
  const double *i = q + at[0], *j = q + at[1], *k = q + at[2], *l = q + at[3];
  vec w = {i[0], j[0], k[0], l[0]}, a = {i[1], j[1], k[1], l[1]};
  vec b = {i[2], j[2], k[2], l[2]}, c = {i[3], j[3], k[3], l[3]};
  vec one = SPLAT(1.0), two = SPLAT(2.0);
  R[0] = one - two * (b * b + c * c), R[1] = two * (a * b - w * c), R[2] = two * (a * c + w * b);
  R[3] = two * (a * b + w * c), R[4] = one - two * (a * a + c * c), R[5] = two * (b * c - w * a);
  R[6] = two * (a * c - w * b), R[7] = two * (b * c + w * a), R[8] = one - two * (a * a + b * b);
}

/* f = I V with moments M = (h, I), as inertia_mul */
HKI_INLINE void momentum(vec *f, vec m, const vec *M, const vec *V) {
  const vec *h = M, *I = M + 3, *w = V, *v = V + 3;
  f[0] = I[0] * w[0] + I[3] * w[1] + I[4] * w[2];
  f[1] = I[3] * w[0] + I[1] * w[1] + I[5] * w[2];
  f[2] = I[4] * w[0] + I[5] * w[1] + I[2] * w[2];
  cross_add(f, h, v);
  cross(f + 3, w, h);
  for (int i = 0; i < 3; i++) f[3 + i] += m * v[i];
}

/* --- positions -------------------------------------------------------------------------------- */

static LANE_APART void collect_poses(const hk_kin *k, const int32_t *at, vec *x) {
  const double *f[HK_LANE4];
  for (int i = 0; i < HK_LANE4; i++) f[i] = k->frame[at[i]].R;
  for (int i = 0; i < 12; i += 4) collect4(f[0] + i, f[1] + i, f[2] + i, f[3] + i, x + i);
}

/* R and p of the parents */
HKI_INLINE void parent_poses(const hk_kin *k, hk_lanes *b, vec *x) {
  if (b->ground) {
    for (int i = 0; i < 12; i++) x[i] = SPLAT(i < 9 && i % 4 == 0 ? 1.0 : 0.0);
  } else if (b->one) {
    const hk_frame *f = &k->frame[b->parent[0]];
    for (int i = 0; i < 9; i++) x[i] = SPLAT(f->R[i]);
    for (int i = 0; i < 3; i++) x[9 + i] = SPLAT(f->p[i]);
  } else if (b->from >= 0) {
    take(k->lanes[b->from].pose, 12, x);
  } else {
    collect_poses(k, b->parent, x);
  }
}

/* inertia about O in world axes, as body_inertia of tree.c; a diagonal J gives the same numbers */
static LANE_APART void inertia(hk_kin *k, hk_lanes *b) {
  vec T[9], w[6], M[9], J[9], R[9], c[3], m = LOAD(b->mass);
  take(b->J, 9, J), take(b->pose, 9, R), take(b->c, 3, c);
  mul(T, R, J);
  w[0] = dot3(T, R), w[1] = dot3(T + 3, R + 3), w[2] = dot3(T + 6, R + 6);
  w[3] = dot3(T, R + 3), w[4] = dot3(T, R + 6), w[5] = dot3(T + 3, R + 6);
  vec xx = c[0] * c[0], yy = c[1] * c[1], zz = c[2] * c[2];
  for (int i = 0; i < 3; i++) M[i] = m * c[i];
  M[3] = w[0] + m * (yy + zz), M[4] = w[1] + m * (xx + zz), M[5] = w[2] + m * (xx + yy);
  M[6] = w[3] - m * c[0] * c[1], M[7] = w[4] - m * c[0] * c[2], M[8] = w[5] - m * c[1] * c[2];
  keep(M, 9, b->I);
  spread(M, 9, k->I->h, (ptrdiff_t)(sizeof(hk_inertia) / sizeof(double)), b->body);
}

/* revolutes: rotation R of the bodies, and the joint axis in world axes */
HKI_INLINE void turn(hk_lanes *b, const double *q, const vec *Rp, vec *R, vec *axes) {
  const hki_four_r angle = {q[b->q0[0]], q[b->q0[1]], q[b->q0[2]], q[b->q0[3]]};
  hki_four_r cs, sn;
  vec x[9], K[9];
  hki_four_sincos(angle, &sn, &cs);
  for (int i = 0; i < 9; i++) x[i] = LOAD(b->K3[i]) + cs * LOAD(b->K1[i]) + sn * LOAD(b->K2[i]);
  mul(R, Rp, x);
  take(b->axis, 3, K);
  mulv(axes, Rp, K);
}

/* spherical joints: rotation R of the bodies, and the three axes of B */
HKI_INLINE void swing(hk_lanes *b, const double *q, const vec *Rp, vec *R, vec *axes) {
  vec RJ[9], RA[9], RB[9], K[9];
  rotation(q, b->q0, RJ);
  take(b->RA, 9, K);
  if (b->turned_parent)
    mul(RA, Rp, K);
  else
    copy9(RA, Rp);
  mul(RB, RA, RJ);
  take(b->RB, 9, K);
  if (b->turned_child)
    mul(R, RB, K);
  else
    copy9(R, RB);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) axes[3 * j + i] = RB[3 * i + j];
}

/* points O of the trees, which k->O has for each body; p: origins of the bodies, O of a root */
HKI_INLINE void origins(hk_kin *k, const hk_lanes *b, const vec *p, vec *O) {
  if (b->ground) {
    for (int i = 0; i < 3; i++) O[i] = p[i];
  } else if (b->trees) {
    const double *x[HK_LANE4];
    for (int i = 0; i < HK_LANE4; i++) x[i] = k->O + 3 * b->root[i];
    for (int i = 0; i < 3; i++) O[i] = (vec){x[0][i], x[1][i], x[2][i], x[3][i]};
  } else {
    for (int i = 0; i < 3; i++) O[i] = SPLAT(k->O[3 * b->root[0] + i]);
  }
  spread(O, 3, k->O, 3, b->body);
}

/* poses and n columns, 1 or 3; inlined with constant n */
HKI_INLINE void place(hk_kin *k, hk_lanes *b, const double *q, int n) {
  vec O[3], parent[12], pose[12], axes[9], pB[3], r[3], c[3], marker[3], S[18];
  parent_poses(k, b, parent);
  if (n == 3)
    swing(b, q, parent, pose, axes);
  else
    turn(b, q, parent, pose, axes);
  take(b->on_parent, 3, marker);
  mulv(pB, parent, marker);
  take(b->on_child, 3, marker);
  mulv(r, pose, marker);
  for (int i = 0; i < 3; i++) pB[i] += parent[9 + i], pose[9 + i] = pB[i] - r[i];
  origins(k, b, pose + 9, O);
  for (int i = 0; i < 3; i++) r[i] = pB[i] - O[i], c[i] = pose[9 + i] - O[i];
  for (int j = 0; j < n; j++) {
    S[6 * j] = axes[3 * j], S[6 * j + 1] = axes[3 * j + 1], S[6 * j + 2] = axes[3 * j + 2];
    cross(S + 6 * j + 3, r, axes + 3 * j);
  }
  keep(pose, 12, b->pose);
  keep(c, 3, b->c);
  keep(S, 6 * n, b->S);
  spread(pose, 12, k->frame->R, (ptrdiff_t)(sizeof(hk_frame) / sizeof(double)), b->body);
  spread(S, 6 * n, k->S, 6, b->v0);
  if (b->inert) inertia(k, b);
}

void hki_lanes_place(hk_kin *k, hk_lanes *b, const double *q) {
  if (b->ball)
    place(k, b, q, 3);
  else
    place(k, b, q, 1);
}

/* --- velocities ------------------------------------------------------------------------------- */

/* x += sum of S_j y_j over the coordinates of the joints */
HKI_INLINE void add_columns(const hk_lanes *b, const double *y, vec *x) {
  for (int j = 0; j < b->nv; j++) {
    vec s = {y[b->v0[0] + j], y[b->v0[1] + j], y[b->v0[2] + j], y[b->v0[3] + j]};
    for (int i = 0; i < 6; i++) x[i] += s * LOAD(b->S[6 * j + i]);
  }
}

void hki_lanes_velocity(hk_kin *k, hk_lanes *b, const double *v) {
  hk_lanes *up = b->from >= 0 ? &k->lanes[b->from] : NULL;
  vec Vp[6], Ap[6], rel[6], V[6], A[6], x[6], f[6], c[3];
  parents6(b, k->V, up ? up->V : NULL, Vp);
  parents6(b, k->A0, up ? up->A0 : NULL, Ap);
  for (int i = 0; i < 6; i++) rel[i] = SPLAT(0.0);
  add_columns(b, v, rel);
  cross(x, Vp, rel);
  cross(x + 3, Vp, rel + 3);
  cross_add(x + 3, Vp + 3, rel);
  for (int i = 0; i < 6; i++) V[i] = Vp[i] + rel[i], A[i] = Ap[i] + x[i];
  // velocity of the frame's origin
  take(b->c, 3, c);
  cross(f + 3, V, c);
  for (int i = 0; i < 3; i++) f[i] = V[i], f[3 + i] += V[3 + i];
  keep(V, 6, b->V);
  keep(A, 6, b->A0);
  spread(V, 6, k->V, 6, b->body);
  spread(A, 6, k->A0, 6, b->body);
  spread(f, 6, k->frame->w, (ptrdiff_t)(sizeof(hk_frame) / sizeof(double)), b->body);
}

/* --- forces ----------------------------------------------------------------------------------- */

void hki_lanes_forces(hk_kin *k, hk_lanes *b, const double *a, double *A, double *F) {
  hk_lanes *up = b->from >= 0 ? &k->lanes[b->from] : NULL;
  vec acc[6], full[6], V[6], p[6], x[6], f[6], W[6], M[9], m = LOAD(b->mass);
  parents6(b, A, up ? up->A : NULL, acc);
  add_columns(b, a, acc);
  keep(acc, 6, b->A);
  spread(acc, 6, A, 6, b->body);
  // load single numbers: W was stored number by number just before, and a vector load would stall
  const double *w0 = k->W + 6 * b->body[0], *w1 = k->W + 6 * b->body[1];
  const double *w2 = k->W + 6 * b->body[2], *w3 = k->W + 6 * b->body[3];
  for (int i = 0; i < 6; i++) W[i] = (vec){w0[i], w1[i], w2[i], w3[i]};
  if (!b->inert) {
    for (int i = 0; i < 6; i++) f[i] = -W[i];
    spread(f, 6, F, 6, b->body);
    return;
  }
  take(b->V, 6, V);
  take(b->I, 9, M);
  for (int i = 0; i < 6; i++) full[i] = acc[i] + LOAD(b->A0[i]);
  momentum(f, m, M, full);
  momentum(p, m, M, V);
  cross(x, V, p);
  cross_add(x, V + 3, p + 3);
  cross(x + 3, V, p + 3);
  for (int i = 0; i < 6; i++) f[i] += x[i] - W[i];
  spread(f, 6, F, 6, b->body);
}
HKI_WIDE_END

/* --- constants -------------------------------------------------------------------------------- */

static bool is_turned(const double *R) { return !(R[0] == 1.0 && R[4] == 1.0 && R[8] == 1.0); }

static void set(hk_lane *to, int lane, int n, const double *x) {
  for (int i = 0; i < n; i++) to[i][lane] = x[i];
}

/* the group that holds all four parents in this order, -1 when there is none */
static int32_t find_parents(const hk_kin *k, const hk_lanes *b) {
  const int32_t quad = b->ground ? -1 : k->m->quad_of[b->parent[0]];
  bool same = quad >= 0 && memcmp(k->m->quad[quad].body, b->parent, sizeof b->parent) == 0;
  return same ? quad : -1;
}

void hki_lanes_init(hk_kin *k, int32_t quad) {
  hk_lanes *b = &k->lanes[quad];
  *b = (hk_lanes){.one = true};
  for (int i = 0; i < HK_LANE4; i++) {
    const int32_t body = k->m->quad[quad].body[i];
    const hk_model_body *mb = &k->m->bodies[body];
    const hk_hinge *t = &k->hinge[body];
    const double axis[3] = {mb->on_parent.R[2], mb->on_parent.R[5], mb->on_parent.R[8]};
    b->body[i] = body, b->parent[i] = mb->parent, b->q0[i] = mb->q0, b->v0[i] = mb->v0;
    b->root[i] = mb->root, b->nv = mb->nv;
    b->ground = mb->parent == HK_GROUND;
    b->trees = b->trees || mb->root != b->root[0];
    b->ball = k->spherical[body];
    b->inert = k->inert[body] != HK_INERT_NONE;
    b->one = b->one && mb->parent == b->parent[0];
    b->turned_parent = b->turned_parent || is_turned(mb->on_parent.R);
    b->turned_child = b->turned_child || is_turned(mb->child_inv.R);
    set(b->K1, i, 9, t->K1), set(b->K2, i, 9, t->K2), set(b->K3, i, 9, t->K3);
    set(b->axis, i, 3, axis);
    set(b->RA, i, 9, mb->on_parent.R), set(b->RB, i, 9, mb->child_inv.R);
    set(b->on_parent, i, 3, mb->on_parent.p), set(b->on_child, i, 3, mb->on_child.p);
    set(b->J, i, 9, mb->J);
    b->mass[i] = mb->mass;
    if (b->inert) k->I[body].m = mb->mass;
  }
  b->one = b->one && !b->ground;
  b->from = b->one ? -1 : find_parents(k, b);
}

#else
bool hki_lanes_here(void) { return false; }
void hki_lanes_init(hk_kin *k, int32_t quad) { (void)k, (void)quad; }
void hki_lanes_place(hk_kin *k, hk_lanes *b, const double *q) { (void)k, (void)b, (void)q; }
void hki_lanes_velocity(hk_kin *k, hk_lanes *b, const double *v) { (void)k, (void)b, (void)v; }
void hki_lanes_forces(hk_kin *k, hk_lanes *b, const double *a, double *A, double *F) {
  (void)k, (void)b, (void)a, (void)A, (void)F;
}
#endif
