/* SPDX-License-Identifier: Apache-2.0
 *
 * closures.c: constraint rows of cut joints, prescribed coordinates and locks, and their Jacobian
 * Phi_z in the tree coordinates.
 *
 *   Phi       = phi(markers) - f(t)                     f: signal of the row
 *   Phi_z[j]  = sum G . S_j                             over the markers that coordinate j moves
 *   d2Phi/dt2 = Phi_z a + gamma
 *   gamma     = gamma_joint + sum (G . A0 + G_v . (omega x v)) - f''(t)      over both markers
 *
 * G is the covector of phi at a marker (joints/joint.h) moved to O, G_v its linear part, omega and
 * v the velocities of the marker.
 *
 * Rows that hold a point of the second body on an axis a of the first (spherical joints, pins in a
 * plane) need no covectors. With d = pB - pA:
 *
 *   phi      = a . d
 *   Phi_z[j] = +-a . (velocity at pB by coordinate j)   + moves the second body, - the first
 *   gamma    = a . (aB - aA - alphaA x d + wA x (wA x d) - 2 wA x (vB - vA))
 *
 * A distance is the same with a = d/|d|, and
 *
 *   gamma    = a . (aB - aA) + (|vB - vA|^2 - (a . (vB - vA))^2)/|d|
 *
 * Source: Cuadrado and Dopico 2003, eq. 20 (Phi_z = Phi_q q_z).
 */
#include "joints/pair.h"
#include "kinematics/plane.h"
#include "kinematics/rows4.h"

/* out of line, so that callers with a short way stay small */
#ifdef __GNUC__
#define APART static __attribute__((noinline))
#else
#define APART static
#endif

void hki_kin_closure_frames(const hk_kin *k, const hk_closure *c, hk_frame *F) {
  hk_offset o = c->marker[0];
  if (c->remark != HK_NONE) {
    memcpy(o.R, k->disc.remark + 12 * c->remark, sizeof o.R);
    memcpy(o.p, k->disc.remark + 12 * c->remark + 9, sizeof o.p);
  }
  hki_kin_marker(k, c->body[0], &o, &F[0]);
  hki_kin_marker(k, c->body[1], &c->marker[1], &F[1]);
  hki_kin_turn_back(k, c->joint, &F[1]);
}

/* out[i] = G . S of coordinate dof[i] */
static inline void dots(const double *S, const int32_t *dof, int32_t n, const double *G,
                        double *out) {
  const double a = G[0], b = G[1], c = G[2], d = G[3], e = G[4], f = G[5];
  for (int32_t i = 0; i < n; i++) {
    const double *s = S + 6 * (ptrdiff_t)dof[i];
    out[i] = a * s[0] + b * s[1] + c * s[2] + d * s[3] + e * s[4] + f * s[5];
  }
}

/* a covector at a marker, moved to O */
static inline void to_origin(const hk_kin *k, int32_t body, const hk_frame *F, const double *g,
                             double *G) {
  double r[3];
  v3_sub(r, F->p, k->O + 3 * body);
  s6_wrench_to_origin(G, g, r);
}

/* the same; floating: the first six coordinates are those of a floating body */
static inline void first_dots(const double *S, const int32_t *dof, int32_t n, bool floating,
                              const double *G, double *out) {
  if (floating) {
    hki_floating_dots(S + 6 * (ptrdiff_t)dof[0], G, out);
    dots(S, dof + 6, n - 6, G, out + 6);
  } else {
    dots(S, dof, n, G, out);
  }
}

hk_runs hki_kin_runs(const hk_path *path) {
  hk_runs r = {0, 0, false};
  while (r.both < path->n && path->side[r.both] == 3) r.both++;
  r.first = r.both;
  while (r.first < path->n && path->side[r.first] == 1) r.first++;
  return r;
}

void hki_kin_pull_runs(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                       const double *gB, const hk_path *path, const hk_runs *runs, double *out) {
  HK_KNOWN(k, HK_KIN_POSITIONS);
  const int32_t *dof = path->dof, n = path->n, first = runs->first, both = runs->both;
  double G[6], H[6];
  if (first > both) {
    to_origin(k, body[0], &F[0], gA, G);
    first_dots(k->S, dof + both, first - both, runs->floating && !both, G, out + both);
  }
  if (n > first) {
    to_origin(k, body[1], &F[1], gB, G);
    first_dots(k->S, dof + first, n - first, runs->floating && !first, G, out + first);
  }
  if (both) {
    to_origin(k, body[0], &F[0], gA, G);
    to_origin(k, body[1], &F[1], gB, H);
    s6_axpy(G, 1.0, H);
    first_dots(k->S, dof, both, runs->floating, G, out);
  }
}

void hki_kin_pull(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                  const double *gB, const hk_path *path, double *out) {
  const hk_runs runs = hki_kin_runs(path);
  hki_kin_pull_runs(k, body, F, gA, gB, path, &runs, out);
}

double hki_kin_row_bias(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                        const double *gB) {
  const double *g[2] = {gA, gB};
  double sum = 0.0, GO[6], r[3], x[3];
  for (int s = 0; s < 2; s++) {
    if (body[s] == HK_GROUND) continue;
    v3_sub(r, F[s].p, k->O + 3 * body[s]);
    s6_wrench_to_origin(GO, g[s], r);
    v3_cross(x, F[s].w, F[s].v);
    sum += s6_dot(GO, k->A0 + 6 * body[s]) + v3_dot(g[s] + 3, x);
  }
  return sum;
}

/* subtract a row's signal and its derivatives */
static void row_signal(hk_kin *k, int32_t row, int32_t signal, bool bias) {
  const double *f = k->sig + 3 * signal;
  if (signal == HK_NONE) return;
  if (bias) {
    k->gamma[row] -= f[2];
  } else {
    k->phi[row] -= f[0];
    k->phit[row] -= f[1];
  }
}

static void eval_joint(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  hk_joint_loop L;
  hk_frame F[2];
  double rt[6];
  hki_kin_closure_frames(k, c, F);
  uint32_t need = bias ? HK_LOOP_JAC | HK_LOOP_ACC : HK_LOOP_POS | HK_LOOP_JAC;
  hki_kin_loop(k, c->joint, c->ops, c->par, F, need, &L, rt);
  for (int32_t r = 0; r < c->nrows; r++) {
    int32_t lr = c->rows[r], row = c->row0 + r;
    const double *gA = L.GA + 6 * lr, *gB = L.GB + 6 * lr;
    if (bias) {
      k->gamma[row] = L.gamma[lr] + hki_kin_row_bias(k, c->body, F, gA, gB);
    } else {
      k->phi[row] = L.phi[lr] - hki_kin_stored(k, c, r);
      k->phit[row] = rt[lr];
      hki_kin_pull_runs(k, c->body, F, gA, gB, &c->path, &k->gruns[ci],
                        k->gz + k->gz0[ci] + r * c->path.n);
    }
    row_signal(k, row, c->row_signal[r], bias);
  }
}

/* --- points on axes, and distances ------------------------------------------------------------ */

/* origin of a marker */
static void marker_point(const hk_kin *k, int32_t body, const double *o, double *p) {
  if (body == HK_GROUND) {
    v3_copy(p, o);
  } else {
    m3_mulv(p, k->frame[body].R, o);
    v3_add(p, p, k->frame[body].p);
  }
}

/* directions of the rows: axes of the first marker (R in its body), or d/|d| for a distance */
static void point_axes(const hk_kin *k, const hk_closure *c, const double *R, bool distance,
                       hk_closure_points *P) {
  if (distance) {
    P->length = v3_norm(P->d);
    if (P->length > HK_LENGTH_TINY) {
      v3_scale(P->a[0], 1.0 / P->length, P->d);
      return;
    }
  }
  const double *Rb = c->body[0] == HK_GROUND ? NULL : k->frame[c->body[0]].R;
  // most markers are parallel to their body
  const bool parallel = R[0] == 1.0 && R[4] == 1.0 && R[8] == 1.0;
  for (int32_t r = 0; r < c->nrows; r++) {
    int axis = distance ? 0 : c->ops->rows[c->rows[r]] - HK_S_X;
    double z[3];
    m3_column(z, Rb && parallel ? Rb : R, axis);
    if (!Rb || parallel)
      v3_copy(P->a[r], z);
    else
      m3_mulv(P->a[r], Rb, z);
  }
}

static void find_points(const hk_kin *k, int32_t ci, hk_closure_points *P) {
  const hk_closure *c = &k->m->closures[ci];
  const double *moved = c->remark == HK_NONE ? NULL : k->disc.remark + 12 * c->remark;
  marker_point(k, c->body[0], moved ? moved + 9 : c->marker[0].p, P->pA);
  marker_point(k, c->body[1], c->marker[1].p, P->pB);
  v3_sub(P->d, P->pB, P->pA);
  point_axes(k, c, moved ? moved : c->marker[0].R, k->point[ci] == HK_POINT_DISTANCE, P);
}

/* Columns of gz for n coordinates that all move the same body: sign times the velocity at O + r,
 * along each direction a. Inlined with a constant number of rows. */
static inline void point_columns(const double *S, const int32_t *dof, int32_t n, double sign,
                                 const double *r, const hk_closure_points *P, int rows,
                                 int32_t stride, double *gz) {
  for (int32_t i = 0; i < n; i++) {
    const double *s = S + 6 * dof[i];
    double x = sign * (s[1] * r[2] - s[2] * r[1] + s[3]);
    double y = sign * (s[2] * r[0] - s[0] * r[2] + s[4]);
    double z = sign * (s[0] * r[1] - s[1] * r[0] + s[5]);
    gz[i] = P->a[0][0] * x + P->a[0][1] * y + P->a[0][2] * z;
    if (rows > 1) gz[i + stride] = P->a[1][0] * x + P->a[1][1] * y + P->a[1][2] * z;
    if (rows > 2) gz[i + 2 * stride] = P->a[2][0] * x + P->a[2][1] * y + P->a[2][2] * z;
  }
}

/* columns [first, last) of the path, which move the body of this side */
static void point_side(const hk_kin *k, const hk_closure *c, const hk_closure_points *P, int side,
                       int32_t first, int32_t last, double *gz) {
  const int32_t n = last - first, stride = c->path.n, *dof = c->path.dof + first;
  const double sign = side ? 1.0 : -1.0;
  double r[3];
  if (!n) return;
  v3_sub(r, P->pB, k->O + 3 * c->body[side]);
  if (c->nrows == 1)
    point_columns(k->S, dof, n, sign, r, P, 1, stride, gz + first);
  else if (c->nrows == 2)
    point_columns(k->S, dof, n, sign, r, P, 2, stride, gz + first);
  else
    point_columns(k->S, dof, n, sign, r, P, 3, stride, gz + first);
}

static void eval_point(hk_kin *k, int32_t ci) {
  const hk_closure *c = &k->m->closures[ci];
  double *gz = k->gz + k->gz0[ci];
  hk_closure_points *P = &k->points[ci];
  find_points(k, ci, P);
  if (k->point[ci] == HK_POINT_DISTANCE)
    k->phi[c->row0] = P->length - *(const double *)c->par;
  else
    for (int32_t i = 0; i < c->nrows; i++) k->phi[c->row0 + i] = v3_dot(P->a[i], P->d);
  for (int32_t i = 0; i < c->nrows; i++) {
    k->phi[c->row0 + i] -= hki_kin_stored(k, c, i);
    k->phit[c->row0 + i] = 0.0;
  }
  point_side(k, c, P, 0, 0, k->gruns[ci].first, gz);
  point_side(k, c, P, 1, k->gruns[ci].first, c->path.n, gz);
}

/* velocity v and acceleration acc of the point p of a body, at the accelerations A0 */
static void point_motion(const hk_kin *k, int32_t body, const double *p, double *v, double *acc) {
  double r[3], t[3];
  if (body == HK_GROUND) {
    v3_zero(v), v3_zero(acc);
    return;
  }
  const double *V = k->V + 6 * body, *A = k->A0 + 6 * body;
  v3_sub(r, p, k->O + 3 * body);
  v3_cross(v, V, r);
  v3_add(v, v, V + 3);
  v3_cross(acc, A, r);
  v3_add(acc, acc, A + 3);
  v3_cross(t, V, v);
  v3_add(acc, acc, t);
}

static void bias_point(hk_kin *k, int32_t ci) {
  const hk_closure *c = &k->m->closures[ci];
  double vA[3], vB[3], aA[3], aB[3], u[3], y[3], *gamma = k->gamma + c->row0;
  const hk_closure_points *P = &k->points[ci];
  point_motion(k, c->body[0], P->pA, vA, aA);
  point_motion(k, c->body[1], P->pB, vB, aB);
  v3_sub(u, vB, vA);
  v3_sub(y, aB, aA);
  if (k->point[ci] == HK_POINT_DISTANCE) {
    double nu = v3_dot(P->a[0], u), uu = v3_dot(u, u);
    gamma[0] = v3_dot(P->a[0], y);
    if (P->length > HK_LENGTH_TINY) gamma[0] += (uu - nu * nu) / P->length;
    return;
  }
  // the axes rotate with the first body
  if (c->body[0] != HK_GROUND) {
    const double *w = k->V + 6 * c->body[0];
    double x[3], t[3];
    v3_cross(x, w, P->d);
    v3_axpy(x, -2.0, u);
    v3_cross(t, w, x);
    v3_add(y, y, t);
    v3_cross(t, k->A0 + 6 * c->body[0], P->d);
    v3_sub(y, y, t);
  }
  for (int32_t i = 0; i < c->nrows; i++) gamma[i] = v3_dot(P->a[i], y);
}

/* --- coordinates ------------------------------------------------------------------------------ */

/* a coordinate measured between the markers of a cut joint */
static void eval_measured(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  const hk_scalar *s = &k->m->scalars[c->scalar];
  hk_frame F[2];
  hk_joint_coord x;
  hki_kin_closure_frames(k, c, F);
  const double near = k->disc.turn[s->turn] - s->zero;
  const double rt = hki_kin_coord(k, c->joint, c->ops, c->par, s->coord, F, near, &x);
  if (bias) {
    k->gamma[c->row0] = x.bias + hki_kin_row_bias(k, c->body, F, x.gA, x.gB);
  } else {
    k->phi[c->row0] = x.s + s->zero;
    k->phit[c->row0] = rt;
    hki_kin_pull(k, c->body, F, x.gA, x.gB, &c->path, k->gz + k->gz0[ci]);
  }
}

static void eval_coord(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  const hk_scalar *s = &k->m->scalars[c->scalar];
  int32_t row = c->row0;
  if (!bias) k->phit[row] = 0.0;
  if (s->qi == HK_NONE) {
    eval_measured(k, ci, bias);
  } else if (bias) {
    k->gamma[row] = 0.0;
  } else {
    k->phi[row] = s->sign * k->q[s->qi] + s->zero;
    // the path holds all coordinates of the joint
    for (int32_t i = 0; i < c->path.n; i++)
      k->gz[k->gz0[ci] + i] = c->path.dof[i] == s->vi ? s->sign : 0.0;
  }
  row_signal(k, row, c->row_signal[0], bias);
  if (bias) return;
  k->phi[row] -= hki_kin_stored(k, c, 0);
  k->phit[row] -= hki_kin_stored_rate(k, c);
  // a rate that reads the state has no position to be at
  if (!bias && c->rate_rows) k->phi[row] = 0.0;
}

static void eval_one(hk_kin *k, int32_t ci, bool bias) {
  if (k->in_plane[ci] && bias)
    hki_plane_bias(k, ci);
  else if (k->in_plane[ci])
    hki_plane_closure(k, ci);
  else if (k->point[ci] && bias)
    bias_point(k, ci);
  else if (k->point[ci])
    eval_point(k, ci);
  else if (k->m->closures[ci].kind == HK_CLOSURE_JOINT)
    eval_joint(k, ci, bias);
  else if (k->m->closures[ci].kind == HK_CLOSURE_COORD)
    eval_coord(k, ci, bias);
  else
    hki_kin_coupling(k, ci, bias);
}

/* four at once; where a distance is nothing, its rows one by one */
static void eval_four(hk_kin *k, hk_rows4 *q, bool bias) {
  if (!bias) q->apart = !k->rows4_passes->eval(k, q);
  if (bias && !q->apart) k->rows4_passes->bias(k, q);
  for (int c = 0; q->apart && c < 4; c++) eval_one(k, q->closure[c], bias);
  if (q->apart && !bias) hki_rows4_pack(k, q);
}

APART void eval_by_turns(hk_kin *k, bool bias) {
  for (int32_t i = 0; i < k->ncturn; i++) {
    const hk_turn t = hki_turn(k, i);
    if (t.all) eval_four(k, t.all, bias);
    for (int32_t c = 0; c < t.n; c++)
      if (k->disc.active[t.one[c]] != 0.0) eval_one(k, t.one[c], bias);
  }
}

static void eval_all(hk_kin *k, bool bias) {
  if (hki_plane_beside(k))
    hki_plane_closures(k, bias);
  else
    eval_by_turns(k, bias);
}

void hki_kin_closures(hk_kin *k) {
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_SIGNALS);
  eval_all(k, false);
  k->known |= HK_KIN_CLOSURES;
}

void hki_kin_closures_at(hk_kin *k, const double *v) {
  hki_kin_velocity(k, v);
  if (!hki_kin_knows(k, HK_KIN_SIGNALS)) hki_kin_signals(k, false);
  if (!hki_kin_knows(k, HK_KIN_CLOSURES)) hki_kin_closures(k);
}

void hki_kin_closure_bias(hk_kin *k) {
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_CLOSURES);
  eval_all(k, true);
  k->known |= HK_KIN_BIAS;
}

void hki_kin_rate_rows(hk_kin *k, double cv) {
  HK_KNOWN(k, HK_KIN_VELOCITIES | HK_KIN_CLOSURES);
  for (int32_t ci = 0; k->m->nrate && ci < k->m->nc; ci++) {
    const hk_closure *c = &k->m->closures[ci];
    if (!c->rate_rows || k->disc.active[ci] == 0.0) continue;
    for (int32_t r = 0; r < c->nrows; r++) {
      const double *g = k->gz + k->gz0[ci] + r * c->path.n;
      double sum = k->phit[c->row0 + r];
      if (!(c->rate_rows >> r & 1u)) continue;
      for (int32_t j = 0; j < c->path.n; j++) sum += g[j] * k->v[c->path.dof[j]];
      k->phi[c->row0 + r] = sum / cv;
    }
  }
}

/* y = g x of `rows` rows over a path; inlined with a constant number of rows */
static inline void rows_times(const double *g, int rows, int32_t n, const int32_t *dof,
                              const double *x, double *y) {
  double a = 0.0, b = 0.0, c = 0.0;
  for (int32_t j = 0; j < n; j++) {
    double xj = x[dof[j]];
    a += g[j] * xj;
    if (rows > 1) b += g[j + n] * xj;
    if (rows > 2) c += g[j + 2 * n] * xj;
  }
  y[0] = a;
  if (rows > 1) y[1] = b;
  if (rows > 2) y[2] = c;
}

static void closure_times(const hk_kin *k, int32_t ci, const double *G, const double *x,
                          double *y) {
  const hk_closure *c = &k->m->closures[ci];
  const double *g = G + k->gz0[ci];
  const int32_t n = c->path.n, *dof = c->path.dof;
  double *yc = y + c->row0;
  int32_t i = 0;
  if (k->disc.active[ci] == 0.0) {
    for (; i < c->nrows; i++) yc[i] = 0.0;
    return;
  }
  for (; i + 3 <= c->nrows; i += 3) rows_times(g + i * n, 3, n, dof, x, yc + i);
  if (c->nrows - i == 2) rows_times(g + i * n, 2, n, dof, x, yc + i);
  if (c->nrows - i == 1) rows_times(g + i * n, 1, n, dof, x, yc + i);
}

APART void rows_by_turns(const hk_kin *k, const double *G, const double *x, double *y) {
  for (int32_t i = 0; i < k->ncturn; i++) {
    const hk_turn t = hki_turn(k, i);
    if (t.all) k->rows4_passes->times(t.all, G + t.all->g, x, y);
    for (int32_t c = 0; c < t.n; c++) closure_times(k, t.one[c], G, x, y);
  }
}

void hki_kin_rows_of(const hk_kin *k, const double *G, const double *x, double *y) {
  HK_KNOWN(k, HK_KIN_CLOSURES);
  if (hki_plane_beside(k))
    hki_plane_rows(k, G, x, y);
  else
    rows_by_turns(k, G, x, y);
}

void hki_kin_rows(const hk_kin *k, const double *x, double *y) { hki_kin_rows_of(k, k->gz, x, y); }

/* r[dof] += g' mu; g: rows x n over a path, rows 1 to 3. Inlined with `rows` a constant. */
static inline void rows_transposed(const double *g, int rows, int32_t n, const int32_t *dof,
                                   const double *mu, double *r) {
  const double u = mu[0], v = rows > 1 ? mu[1] : 0.0, w = rows > 2 ? mu[2] : 0.0;
  for (int32_t j = 0; j < n; j++) {
    double x = g[j] * u;
    if (rows > 1) x += g[j + n] * v;
    if (rows > 2) x += g[j + 2 * n] * w;
    r[dof[j]] += x;
  }
}

static void closure_add(const hk_kin *k, int32_t ci, const double *G, const double *mu, double *r) {
  const hk_closure *c = &k->m->closures[ci];
  const double *g = G + k->gz0[ci], *mc = mu + c->row0;
  const int32_t n = c->path.n, *dof = c->path.dof;
  int32_t i = 0;
  if (k->disc.active[ci] == 0.0) return;
  for (; i + 3 <= c->nrows; i += 3) rows_transposed(g + i * n, 3, n, dof, mc + i, r);
  if (c->nrows - i == 2) rows_transposed(g + i * n, 2, n, dof, mc + i, r);
  if (c->nrows - i == 1) rows_transposed(g + i * n, 1, n, dof, mc + i, r);
}

APART void add_by_turns(const hk_kin *k, const double *G, const double *mu, double *r) {
  for (int32_t i = 0; i < k->ncturn; i++) {
    const hk_turn t = hki_turn(k, i);
    if (t.all) k->rows4_passes->add(t.all, G + t.all->g, mu, r);
    for (int32_t c = 0; c < t.n; c++) closure_add(k, t.one[c], G, mu, r);
  }
}

void hki_kin_add_rows(const hk_kin *k, const double *G, const double *mu, double *r) {
  if (hki_plane_beside(k))
    hki_plane_add_rows(k, G, mu, r);
  else
    add_by_turns(k, G, mu, r);
}
