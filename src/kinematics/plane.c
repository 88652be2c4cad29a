/* SPDX-License-Identifier: Apache-2.0
 *
 * plane.c: the passes of tree.c and closures.c for plane mechanisms, trees of revolutes about z whose markers lie in the
 * plane z = 0. With c and s the cosine and sine of a body's angle, r = (x, y) from O to the joint, and e = 1 or -1 the
 * sense of its axis:
 *
 *   R = [c -s; s c]     S = (e; e y, -e x)     V = (w; vx, vy)     A0 = (0; ax, ay)
 *
 * of the six numbers of a spatial vector three are not zero. Rotations about one axis have two numbers:
 *
 *   c = cp cos q - e sp sin q     s = sp cos q + e cp sin q        cp, sp: of the parent
 *
 * These are the equations of tree.c and closures.c (Cuadrado and Dopico 2003, eqs. 3-20) without the products that
 * are zero: the numbers that are left are formed by the same operations in the same order, and have the same bits. Zeros of S, V, A0,
 * O and I are written once; frames may be those of another machine in between, and are written whole.
 */
#include "kinematics/plane.h"

#include "base/wide.h"
#include "joints/pair.h"
#include "kinematics/single.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)

HKI_WIDE_BEGIN
#include "base/sincos4.h"
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef double half __attribute__((vector_size(16), aligned(8), may_alias));
#define STORE(p, ...)  (*(vec *)(p) = (vec){__VA_ARGS__})
#define STORE2(p, ...) (*(half *)(p) = (half){__VA_ARGS__})

/* sines and cosines of all angles */
static void turns(hk_kin *k, const double *q) {
  const int32_t n = k->m->nb;
  double *sine = k->plane_turn, *cosine = sine + n + 4;
  for (int32_t b = 0; b < n; b += 4) {
    const int32_t last = n - 1, i = b + 1 < n ? b + 1 : last, j = b + 2 < n ? b + 2 : last;
    vec x = {q[b], q[i], q[j], q[b + 3 < n ? b + 3 : last]};
    hki_four_r s, c;
    hki_four_sincos(x, &s, &c);
    *(vec *)(sine + b) = s, *(vec *)(cosine + b) = c;
  }
}

/* Where the numbers of bodies are. Stores of vectors may be anywhere for a compiler, also in hk_kin: it would read these
 * again and again. */
typedef struct arrays {
  const hk_plane *plane;
  const double *sine, *cosine;
  hk_frame *frame;
  double *O, *S, *V, *A0;
  hk_inertia *I;
} arrays;

HKI_INLINE arrays arrays_of(hk_kin *k) {
  return (arrays){k->plane, k->plane_turn, k->plane_turn + k->m->nb + 4, k->frame, k->O, k->S, k->V,
                  k->A0,    k->I};
}

/* what the velocity of a body needs of its place: its column, and p - O */
typedef struct placed {
  double x, y, cx, cy;
} placed;

/* moments of inertia about O */
HKI_INLINE void inertia(hk_inertia *I, const hk_plane *s, double c, double t, double x, double y) {
  const double m = s->mass, xx = x * x, yy = y * y, hx = m * x, hy = m * y;
  const double *J = s->J;
  // rows of R J
  const double a = c * J[0] - t * J[3], b = c * J[3] - t * J[1];
  const double d = t * J[0] + c * J[3], e = t * J[3] + c * J[1];
  STORE2(I->h, hx, hy);
  STORE(I->I, (a * c - b * t) + m * yy, (d * t + e * c) + m * xx, s->J[2] + m * (xx + yy),
        (a * t + b * c) - hx * y);
}

HKI_INLINE placed place(arrays k, int32_t b) {
  const hk_plane *s = &k.plane[b];
  const double cs = k.cosine[b], sn = k.sine[b] * s->sense;
  const double ax = s->on_parent[0], ay = s->on_parent[1];
  hk_frame *f = &k.frame[b];
  double c = cs, t = sn, px = ax, py = ay;
  if (s->parent != HK_GROUND) {
    const hk_frame *P = &k.frame[s->parent];
    const double pc = P->R[0], ps = P->R[3];
    c = pc * cs - ps * sn, t = ps * cs + pc * sn;
    px = (pc * ax - ps * ay) + P->p[0], py = (ps * ax + pc * ay) + P->p[1];
  }
  const double x = px - (c * s->child[0] - t * s->child[1]);
  const double y = py - (t * s->child[0] + c * s->child[1]);
  STORE(f->R, c, 0.0 - t, 0.0, t);
  STORE(f->R + 4, c, 0.0, 0.0, 0.0);
  STORE(f->R + 8, 1.0, x, y, 0.0);
  double *O = k.O + 3 * b, ox = x, oy = y;
  if (s->root != b) ox = k.O[3 * s->root], oy = k.O[3 * s->root + 1];
  STORE2(O, ox, oy);
  const placed at = {(py - oy) * s->sense, 0.0 - (px - ox) * s->sense, x - ox, y - oy};
  STORE2(k.S + 6 * b + 3, at.x, at.y);
  if (s->inert) inertia(&k.I[b], s, c, t, at.cx, at.cy);
  return at;
}

HKI_INLINE placed recall(arrays k, int32_t b) {
  const double *S = k.S + 6 * b, *p = k.frame[b].p, *O = k.O + 3 * b;
  return (placed){S[3], S[4], p[0] - O[0], p[1] - O[1]};
}

HKI_INLINE void move(arrays k, int32_t b, placed at, double rate) {
  const hk_plane *s = &k.plane[b];
  // sums with zero, as elsewhere, so that no zero has a sign
  const double turn = 0.0 + rate * s->sense, rx = 0.0 + rate * at.x, ry = 0.0 + rate * at.y;
  double w = turn, vx = rx, vy = ry, ax = 0.0, ay = 0.0;
  if (s->parent != HK_GROUND) {
    const double *V = k.V + 6 * s->parent, *A = k.A0 + 6 * s->parent;
    ax = A[3] + (V[4] * turn - V[2] * ry), ay = A[4] + (V[2] * rx - V[3] * turn);
    w = V[2] + turn, vx = V[3] + rx, vy = V[4] + ry;
  }
  hk_frame *f = &k.frame[b];
  double *V = k.V + 6 * b, *A = k.A0 + 6 * b;
  STORE2(V + 2, w, vx), V[4] = vy;
  STORE2(A + 3, ax, ay);
  STORE(f->w, 0.0, 0.0, w, vx - w * at.cy), STORE2(f->v + 1, w * at.cx + vy, s->none);
}

void hki_plane_places(hk_kin *k, const double *q) {
  const int32_t n = k->m->nb;
  turns(k, q);
  const arrays at = arrays_of(k);
  for (int32_t b = 0; b < n; b++) (void)place(at, b);
}

void hki_plane_velocities(hk_kin *k, const double *v) {
  const int32_t n = k->m->nb;
  const arrays at = arrays_of(k);
  for (int32_t b = 0; b < n; b++) move(at, b, recall(at, b), v[b]);
}

void hki_plane_states(hk_kin *k, const double *q, const double *v) {
  const int32_t n = k->m->nb;
  turns(k, q);
  const arrays at = arrays_of(k);
  for (int32_t b = 0; b < n; b++) move(at, b, place(at, b), v[b]);
}

/* F = I (A + A0) + V x* (I V) - W; A: without A0 */
void hki_plane_forces(hk_kin *k, const double *a, double *all_A, double *all_F) {
  const int32_t n = k->m->nb;
  const arrays at = arrays_of(k);
  const double *all_W = k->W;
  for (int32_t b = 0; b < n; b++) {
    const hk_plane *s = &at.plane[b];
    const double *S = at.S + 6 * b, *V = at.V + 6 * b, *A0 = at.A0 + 6 * b, *W = all_W + 6 * b;
    double *A = all_A + 6 * b, *F = all_F + 6 * b;
    double turn = a[b] * s->sense, ax = a[b] * S[3], ay = a[b] * S[4];
    if (s->parent != HK_GROUND) {
      const double *Ap = all_A + 6 * s->parent;
      turn = Ap[2] + turn, ax = Ap[3] + ax, ay = Ap[4] + ay;
    }
    STORE(A, 0.0, 0.0, turn, ax), STORE2(A + 4, ay, s->none);
    if (!s->inert) {
      STORE(F, -W[0], -W[1], -W[2], -W[3]), STORE2(F + 4, -W[4], -W[5]);
      continue;
    }
    const hk_inertia *I = &at.I[b];
    const double m = I->m, hx = I->h[0], hy = I->h[1], J = I->I[2], w = V[2];
    const double lx = ax + A0[3], ly = ay + A0[4];
    const double qx = m * V[3] - w * hy, qy = w * hx + m * V[4];
    const double f = J * turn + (hx * ly - hy * lx);
    STORE(F, 0.0 - W[0], 0.0 - W[1], f + ((V[3] * qy - V[4] * qx) - W[2]),
          (m * lx - turn * hy) + ((0.0 - w * qy) - W[3]));
    STORE2(F + 4, (turn * hx + m * ly) + (w * qx - W[4]), 0.0 - W[5]);
  }
}

void hki_plane_residual(const hk_kin *k, double *all_F, double *r) {
  for (int32_t b = k->m->nb - 1; b >= 0; b--) {
    const double *S = k->S + 6 * b, *F = all_F + 6 * b;
    const int32_t parent = k->plane[b].parent;
    r[b] = (S[2] * F[2] + S[3] * F[3] + S[4] * F[4]) - k->tau[b];
    if (parent == HK_GROUND) continue;
    double *up = all_F + 6 * parent;
    *(vec *)up += *(const vec *)F;
    *(half *)(up + 4) += *(const half *)(F + 4);
  }
}

void hki_plane_energy(hk_kin *k, double *kinetic, double *potential) {
  const double *g = k->m->spec->gravity;
  for (int32_t b = 0; b < k->m->nb; b++) {
    const hk_inertia *I = &k->I[b];
    const double *V = k->V + 6 * b, *p = k->frame[b].p, w = V[2], hx = I->h[0], hy = I->h[1];
    if (!k->plane[b].inert) continue;
    const double n = I->I[2] * w + (hx * V[4] - hy * V[3]);
    const double x = I->m * V[3] - w * hy, y = w * hx + I->m * V[4];
    *kinetic += 0.5 * (n * w + x * V[3] + y * V[4]);
    k->momentum[0] += x, k->momentum[1] += y;
    *potential -= I->m * (g[0] * p[0] + g[1] * p[1]);
  }
}

/* --- closures --------------------------------------------------------------------------------- */

/* origin of a marker */
HKI_INLINE void point(const hk_kin *k, int32_t body, const double *o, double *p) {
  p[2] = o[2];
  if (body == HK_GROUND) {
    p[0] = o[0], p[1] = o[1];
    return;
  }
  const hk_frame *f = &k->frame[body];
  const double c = f->R[0], s = f->R[3];
  p[0] = (c * o[0] - s * o[1]) + f->p[0], p[1] = (s * o[0] + c * o[1]) + f->p[1];
}

/* columns [first, last) of the path, which move the body of this side; both: rows side by side too */
HKI_INLINE void columns(const hk_kin *k, const hk_pin *c, const hk_closure_points *P, int side,
                        int32_t first, int32_t last, double *gz, double *both) {
  if (first == last) return;
  const double sign = side ? 1.0 : -1.0, *O = k->O + 3 * c->body[side];
  const double x = P->pB[0] - O[0], y = P->pB[1] - O[1];
  const double ax = P->a[0][0], ay = P->a[0][1], bx = P->a[1][0], by = P->a[1][1], *S = k->S;
  const int32_t n = c->n, two = c->nrows > 1, *dof = c->dof, *column = c->column;
  for (int32_t i = first; i < last; i++) {
    const double *s = S + 6 * dof[i];
    const double u = sign * (s[3] - s[2] * y), v = sign * (s[2] * x + s[4]);
    const double g = ax * u + ay * v, h = bx * u + by * v;
    gz[i] = g;
    if (two) gz[i + n] = h;
    if (both) STORE2(both + 4 * column[dof[i]], g, h);
  }
}

void hki_plane_closure(hk_kin *k, int32_t ci) {
  const hk_pin *c = &k->pin[ci];
  hk_closure_points *P = &k->points[ci];
  double *gz = k->gz + k->gz0[ci], *both = c->both >= 0 ? k->gz + c->both : NULL;
  double *phi = k->phi + c->row0, *phit = k->phit + c->row0;
  point(k, c->body[0], c->on[0], P->pA);
  point(k, c->body[1], c->on[1], P->pB);
  const double dx = P->pB[0] - P->pA[0], dy = P->pB[1] - P->pA[1];
  P->d[0] = dx, P->d[1] = dy, P->d[2] = P->pB[2] - P->pA[2];
  double cs = 1.0, sn = 0.0;
  if (c->body[0] != HK_GROUND) cs = k->frame[c->body[0]].R[0], sn = k->frame[c->body[0]].R[3];
  for (int r = 0; r < 2; r++) {
    const double x = cs * c->axis[r][0] - sn * c->axis[r][1];
    const double y = sn * c->axis[r][0] + cs * c->axis[r][1];
    P->a[r][0] = x, P->a[r][1] = y, P->a[r][2] = 0.0;
    if (r < c->nrows) phi[r] = x * dx + y * dy, phit[r] = 0.0;
  }
  columns(k, c, P, 0, 0, c->first, gz, both);
  columns(k, c, P, 1, c->first, c->n, gz, both);
}

void hki_plane_rows(const hk_kin *k, const double *G, const double *x, double *y) {
  const hk_beside *q = k->beside;
  const int32_t n = q->n, rows = k->m->nrows;
  for (int32_t r = 0; r < rows; r += 4) {
    const double *g = G + q->at + r * n;
    vec sum = {0.0, 0.0, 0.0, 0.0};
    for (int32_t j = 0; j < n; j++) {
      const double s = x[q->dof[j]];
      sum += *(const vec *)(g + 4 * j) * (vec){s, s, s, s};
    }
    if (r + 4 <= rows)
      *(vec *)(y + r) = sum;
    else
      STORE2(y + r, sum[0], sum[1]);
  }
}

void hki_plane_add_rows(const hk_kin *k, const double *G, const double *mu, double *r) {
  const hk_beside *q = k->beside;
  const int32_t n = q->n, rows = k->m->nrows;
  for (int32_t i = 0; i < rows; i += 4) {
    const double *g = G + q->at + i * n;
    const bool four = i + 4 <= rows;
    const vec m = {mu[i], mu[i + 1], four ? mu[i + 2] : 0.0, four ? mu[i + 3] : 0.0};
    for (int32_t j = 0; j < n; j++) {
      // closure by closure
      const vec p = *(const vec *)(g + 4 * j) * m;
      const half sum = __builtin_shufflevector(p, p, 0, 2) + __builtin_shufflevector(p, p, 1, 3);
      r[q->dof[j]] = (r[q->dof[j]] + sum[0]) + sum[1];
    }
  }
}

/* velocity v and acceleration of the point p of a body, at the accelerations A0 */
HKI_INLINE void motion(const hk_kin *k, int32_t body, const double *p, double *v, double *acc) {
  v[0] = v[1] = acc[0] = acc[1] = 0.0;
  if (body == HK_GROUND) return;
  const double *V = k->V + 6 * body, *A = k->A0 + 6 * body, *O = k->O + 3 * body, w = V[2];
  v[0] = V[3] - w * (p[1] - O[1]), v[1] = w * (p[0] - O[0]) + V[4];
  acc[0] = A[3] - w * v[1], acc[1] = A[4] + w * v[0];
}

void hki_plane_bias(hk_kin *k, int32_t ci) {
  const hk_closure *c = &k->m->closures[ci];
  const hk_closure_points *P = &k->points[ci];
  double vA[2], vB[2], aA[2], aB[2];
  motion(k, c->body[0], P->pA, vA, aA);
  motion(k, c->body[1], P->pB, vB, aB);
  double x = aB[0] - aA[0], y = aB[1] - aA[1];
  // the axes rotate with the first body
  if (c->body[0] != HK_GROUND) {
    const double w = k->V[6 * c->body[0] + 2];
    const double s = -2.0 * (vB[0] - vA[0]) - w * P->d[1], t = w * P->d[0] - 2.0 * (vB[1] - vA[1]);
    x -= w * t, y += w * s;
  }
  for (int32_t r = 0; r < c->nrows; r++) k->gamma[c->row0 + r] = P->a[r][0] * x + P->a[r][1] * y;
}

void hki_plane_closures(hk_kin *k, bool bias) {
  for (int32_t i = 0; i < k->m->nc; i++) {
    if (bias)
      hki_plane_bias(k, i);
    else
      hki_plane_closure(k, i);
  }
}

void hki_plane_largest(const hk_kin *k, const double *w, double *most) {
  const hk_beside *q = k->beside;
  const int32_t n = q->n, rows = k->m->nrows;
  for (int32_t r = 0; r < rows; r += 4) {
    const double *g = k->gz + q->at + r * n;
    double top[4] = {0.0, 0.0, 0.0, 0.0};
    for (int32_t j = 0; j < n; j++)
      for (int i = 0; i < 4; i++) {
        const double e = fabs(g[4 * j + i]) * w[q->dof[j]];
        top[i] = e > top[i] ? e : top[i];
      }
    for (int i = 0; i < 4 && r + i < rows; i++) most[r + i] = top[i];
  }
}

double hki_plane_norm(const hk_kin *k, const double *y, const double *w) {
  const int32_t rows = k->m->nrows;
  double a = 0.0, b = 0.0, sum = 0.0;
  // two rows of each closure
  for (int32_t r = 0; r < rows; r += 2) {
    const double e = fabs(y[r]) * w[r], f = fabs(y[r + 1]) * w[r + 1];
    a = e > a ? e : a, b = f > b ? f : b;
    sum += e + f;
  }
  return isnan(sum) ? sum : a > b ? a : b;
}

void hki_plane_squares(const hk_kin *k, const double *y, double *sum) {
  const hk_beside *q = k->beside;
  const int32_t n = q->n, rows = k->m->nrows;
  for (int32_t r = 0; r < rows; r += 4) {
    const double *g = k->gz + q->at + r * n;
    vec x = {0.0, 0.0, 0.0, 0.0};
    for (int32_t j = 0; j < n; j++) {
      const vec c = *(const vec *)(g + 4 * j);
      const double s = y[q->dof[j]];
      x += c * c * (vec){s, s, s, s};
    }
    for (int i = 0; i < 4 && r + i < rows; i++) sum[r + i] = x[i];
  }
}
HKI_WIDE_END

#else
void hki_plane_closure(hk_kin *k, int32_t closure) { (void)k, (void)closure; }
void hki_plane_bias(hk_kin *k, int32_t closure) { (void)k, (void)closure; }
void hki_plane_rows(const hk_kin *k, const double *G, const double *x, double *y) {
  (void)k, (void)G, (void)x, (void)y;
}
void hki_plane_add_rows(const hk_kin *k, const double *G, const double *mu, double *r) {
  (void)k, (void)G, (void)mu, (void)r;
}
void hki_plane_energy(hk_kin *k, double *kinetic, double *potential) {
  (void)k, (void)kinetic, (void)potential;
}
void hki_plane_closures(hk_kin *k, bool bias) { (void)k, (void)bias; }
double hki_plane_norm(const hk_kin *k, const double *y, const double *w) {
  (void)k, (void)y, (void)w;
  return 0.0;
}
void hki_plane_residual(const hk_kin *k, double *F, double *r) { (void)k, (void)F, (void)r; }
void hki_plane_largest(const hk_kin *k, const double *w, double *most) {
  (void)k, (void)w, (void)most;
}
void hki_plane_squares(const hk_kin *k, const double *y, double *sum) {
  (void)k, (void)y, (void)sum;
}
void hki_plane_places(hk_kin *k, const double *q) { (void)k, (void)q; }
void hki_plane_velocities(hk_kin *k, const double *v) { (void)k, (void)v; }
void hki_plane_states(hk_kin *k, const double *q, const double *v) { (void)k, (void)q, (void)v; }
void hki_plane_forces(hk_kin *k, const double *a, double *A, double *F) {
  (void)k, (void)a, (void)A, (void)F;
}
#endif

/* --- constants -------------------------------------------------------------------------------- */

/* a rotation about z alone */
static bool is_upright(const double *R) {
  return R[2] == 0.0 && R[5] == 0.0 && R[6] == 0.0 && R[7] == 0.0 && R[8] == 1.0;
}

/* a revolute about z whose markers lie in the plane, as the number of its coordinates is that of the body */
static bool lies_flat(const hk_kin *k, int32_t b) {
  const hk_model_body *mb = &k->m->bodies[b];
  const hk_single *s = &k->single[b];
  return s->hinge && s->along == 2 && mb->q0 == b && mb->v0 == b && mb->on_parent.p[2] == 0.0 &&
         mb->on_child.p[2] == 0.0 && mb->J[2] == 0.0 && mb->J[5] == 0.0;
}

bool hki_plane_holds(const hk_kin *k, int32_t closure) {
  const hk_closure *c = &k->m->closures[closure];
  if (k->point[closure] != HK_POINT_AXES || c->remark != HK_NONE || c->lock != HK_NONE ||
      c->nrows > 2 || !is_upright(c->marker[0].R))
    return false;
  for (int32_t r = 0; r < c->nrows; r++)
    if (c->ops->rows[c->rows[r]] > HK_S_Y) return false;
  return true;
}

void hki_plane_init(hk_kin *k) {
  bool flat = k->plane && k->single && !k->lanes;
  for (int32_t b = 0; flat && b < k->m->nb; b++) flat = lies_flat(k, b);
  if (!flat) k->plane = NULL;
  for (int32_t b = 0; flat && b < k->m->nb; b++) {
    const hk_model_body *mb = &k->m->bodies[b];
    hk_plane *s = &k->plane[b];
    *s = (hk_plane){.parent = mb->parent, .root = mb->root, .mass = mb->mass};
    s->inert = k->inert[b] != HK_INERT_NONE;
    s->sense = k->single[b].sense;
    for (int i = 0; i < 2; i++)
      s->on_parent[i] = mb->on_parent.p[i], s->child[i] = mb->on_child.p[i];
    for (int i = 0; i < 3; i++) s->J[i] = mb->J[4 * i];
    s->J[3] = mb->J[1];
    // numbers that stay
    s6_zero(k->S + 6 * b), s6_zero(k->V + 6 * b), s6_zero(k->A0 + 6 * b);
    v3_zero(k->O + 3 * b);
    k->S[6 * b + 2] = s->sense;
    if (s->inert) k->I[b].m = mb->mass;
  }
}

/* Puts the coordinates of a path at the end of the order, where they are not in it yet; false: the order has them in another
 * one. */
static bool append(hk_beside *q, const hk_path *path) {
  int32_t last = -1;
  for (int32_t i = 0; i < path->n; i++) {
    int32_t at = 0;
    while (at < q->n && q->dof[at] != path->dof[i]) at++;
    if (at == q->n) q->dof[q->n++] = path->dof[i];
    if (at <= last) return false;
    last = at;
  }
  return true;
}

/* constants of closure i */
static void set_pin(hk_kin *k, int32_t i) {
  const hk_closure *c = &k->m->closures[i];
  hk_pin *p = &k->pin[i];
  *p = (hk_pin){.row0 = c->row0, .nrows = c->nrows, .first = k->gruns[i].first, .both = -1};
  p->n = c->path.n, p->dof = c->path.dof;
  for (int s = 0; s < 2; s++) p->body[s] = c->body[s], v3_copy(p->on[s], c->marker[s].p);
  for (int32_t r = 0; r < c->nrows; r++) {
    const int axis = c->ops->rows[c->rows[r]] - HK_S_X;
    p->axis[r][0] = c->marker[0].R[axis], p->axis[r][1] = c->marker[0].R[3 + axis];
  }
  if (!k->beside) return;
  p->both = k->beside->at + 4 * (c->row0 / 4 * k->beside->n) + c->row0 % 4;
  p->column = k->beside->column;
}

/* are the closures few, and do their paths have a common order? */
static bool find_beside(hk_kin *k, int32_t g) {
  const hk_model *m = k->m;
  if (!k->plane || !k->beside || !m->nc || m->nrows > HK_BESIDE || m->nv > HK_BESIDE ||
      k->ncturn != m->nc)
    return false;
  *k->beside = (hk_beside){.at = g};
  for (int32_t i = 0; i < m->nc; i++) {
    const hk_closure *c = &m->closures[i];
    if (!k->in_plane[i] || c->nrows != 2 || c->row0 != 2 * i || !append(k->beside, &c->path))
      return false;
  }
  return true;
}

void hki_plane_rows_init(hk_kin *k, int32_t g) {
  const hk_model *m = k->m;
  if (find_beside(k, g)) {
    for (int32_t j = 0; j < k->beside->n; j++) k->beside->column[k->beside->dof[j]] = j;
    const int32_t size = (m->nrows + 3) / 4 * 4 * k->beside->n;
    for (int32_t i = 0; i < size; i++) k->gz[g + i] = 0.0;
    k->gz0[m->nc] = g + size;
  } else {
    k->beside = NULL;
  }
  for (int32_t i = 0; i < m->nc; i++)
    if (k->in_plane[i]) set_pin(k, i);
}
