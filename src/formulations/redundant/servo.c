/* SPDX-License-Identifier: Apache-2.0
 *
 * servo.c: control constraints. Their rows theta(q, t) = 0 stand among the others, and their forces u act
 * along B' in the place of theta_x':
 *
 *   M a + G' lam - B' u = W        G a + gamma = 0        theta_x a + gamma_theta = 0
 *
 * In stages B' takes the columns of these rows (hk_bodies.B). At a state, with R = the inverse of M on the
 * other constraints, a = a_0 + R B' u, and
 *
 *   S u = -(theta_x a_0 + gamma_theta)          S = theta_x R B'
 *
 * is solved by singular values. S has full rank in the orthogonal realisation, and the equations are of
 * index 3. Otherwise some combination of the rows is not reached at once. The accelerations of the rows, y'',
 * respond to u at high frequencies s as
 *
 *   S + S3/s + S4/s^2 + ..      S3 = (dy''/dv) R B'      S4 = (dy''/dq) R B' + (dy''/dv) (da/dv) R B'
 *
 * whose singular values fall as s^-k: the index is 3 + k. Derivatives are central differences.
 *
 * Stages with the rows at all levels (stab_fl.c) take the accelerations of the rows from the rows themselves
 * and not from the integrator. That is the index reduction by minimal extension, and it leaves an index of 3
 * where it was 5.
 *
 * Sources: Blajer and Kolodziejczyk, A Geometric Approach to Solving Problems of Control Constraints: Theory
 * and a DAE Framework, 2004; Fumagalli, Masarati, Morandini and Mantegazza, Control Constraint Realization for
 * Multibody Systems, 2011; Altmann, Betsch and Yang, Index Reduction by Minimal Extension for the Inverse
 * Dynamics Simulation of Cranes, 2016.
 */
#include "formulations/redundant/redundant.h"
#include "linalg/dense.h"

/* singular values below this count as zero: S is scaled to cosines */
static const double none = 1e-8;

#define POOL(r, type, count)                                                                       \
  ((type *)hki_pool_alloc((r)->c->pool, ((size_t)(count) + 1) * sizeof(type)))

bool hki_redundant_servo_create(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t n = c->m->nservo;
  if (!n) return true;
  hk_redundant_servo *x = r->servo = POOL(r, hk_redundant_servo, 1);
  if (!x) return false;
  x->n = n;
  x->row = POOL(r, int32_t, n), x->set = POOL(r, int32_t, n);
  x->S = POOL(r, double, n *n), x->V = POOL(r, double, n *n), x->s = POOL(r, double, n);
  x->size = POOL(r, double, 2 * n), x->need = POOL(r, double, n), x->lam = POOL(r, double, n);
  x->unit = POOL(r, double, c->nrows), x->f = POOL(r, double, c->n);
  if (!x->row || !x->set || !x->S || !x->V || !x->s || !x->size || !x->need || !x->lam ||
      !x->unit || !x->f)
    return false;
  for (int32_t i = 0, k = 0; i < c->nset; i++)
    if (c->set[i].coupling && c->set[i].coupling->servo && !c->set[i].part)
      x->set[k] = i, x->row[k++] = c->set[i].row0;
  return true;
}

/* r->x = R A' e of row number k, with the factors of the mass without servos; push: A = B, else G */
static void respond(hk_redundant *r, int32_t k, bool push) {
  const hk_bodies *c = r->c;
  const hk_redundant_servo *x = r->servo;
  memset(x->f, 0, (size_t)c->n * sizeof *x->f);
  memset(x->unit, 0, (size_t)c->nrows * sizeof *x->unit);
  x->unit[x->row[k]] = 1.0;
  if (push)
    hki_bodies_push(c, x->unit, x->f);
  else
    hki_bodies_mul_t(c, x->unit, x->f);
  x->unit[x->row[k]] = 0.0;
  hki_redundant_solve(r, x->f, x->unit);
}

static bool is_on(const hk_redundant *r, int32_t k) {
  return hki_bodies_active(r->c, &r->c->set[r->servo->set[k]]);
}

/* x->S = theta_x R B', scaled to cosines in the metric R; a row or an actuator that moves nothing has zeros, a
 * servo that is off a one on the diagonal */
static void find_matrix(hk_redundant *r) {
  const hk_redundant_servo *x = r->servo;
  const int32_t n = x->n;
  for (int32_t k = 0; k < 2 * n; k++) {
    double sum = 0.0;
    respond(r, k % n, k >= n);
    for (int32_t i = 0; i < r->c->nb; i++) sum += x->f[i] * r->x[i];
    x->size[k] = sum > 0.0 ? sqrt(sum) : 0.0;
    if (k < n) continue;
    hki_bodies_mul(r->c, r->x, r->row);
    for (int32_t i = 0; i < n; i++) {
      const double size = x->size[i] * x->size[k];
      x->S[n * (k - n) + i] = size > 0.0 ? r->row[x->row[i]] / size : 0.0;
    }
    if (!is_on(r, k - n)) x->S[(n + 1) * (k - n)] = 1.0;
  }
}

/* x->need: accelerations of the servos' rows at accelerations a, over their sizes; returns the largest part of
 * them, by which a gap is judged */
static double find_need(hk_redundant *r, const double *a) {
  const hk_bodies *c = r->c;
  const hk_redundant_servo *x = r->servo;
  double most = 0.0;
  memcpy(r->y, a, (size_t)c->n * sizeof *a);
  hki_bodies_to_world(c, r->y);
  hki_bodies_mul(c, r->y, r->row);
  for (int32_t k = 0; k < x->n; k++) {
    const double size = x->size[k], y = r->row[x->row[k]], g = c->gamma[x->row[k]];
    x->need[k] = size > 0.0 ? (y + g) / size : 0.0;
    if (size > 0.0) most = fmax(most, fmax(fabs(y), fabs(g)) / size);
  }
  return most;
}

/* the servo whose row the actuators reach least: the largest part outside of the columns of U, in S = U S V' */
static int32_t least_reached(const hk_redundant_servo *x) {
  int32_t worst = 0;
  double most = -1.0;
  for (int32_t i = 0; i < x->n; i++) {
    double out = 1.0;
    for (int32_t k = 0; k < x->rank; k++)
      out -= x->S[x->n * k + i] * x->S[x->n * k + i] / (x->s[k] * x->s[k]);
    if (out > most + 1e-9) most = out, worst = i;
  }
  return worst;
}

/* x->lam: S lam = need in the sense of least squares, the smallest one; returns what is left of `need` */
static double least_squares(hk_redundant_servo *x) {
  const int32_t n = x->n;
  double left = 0.0;
  memset(x->lam, 0, (size_t)n * sizeof *x->lam);
  x->rank = 0;
  if (!hki_dense_svd(n, n, x->S, n, x->s, x->V, n)) return INFINITY;
  for (int32_t k = 0; k < n && x->s[k] > none; k++, x->rank++) {
    const double *u = x->S + n * k;
    double c = 0.0;
    for (int32_t i = 0; i < n; i++) c += u[i] * x->need[i];
    c /= x->s[k] * x->s[k];
    for (int32_t i = 0; i < n; i++) x->lam[i] += c * x->V[n * k + i], x->need[i] -= c * u[i];
  }
  for (int32_t i = 0; i < n; i++) left = fmax(left, fabs(x->need[i]));
  return left;
}

hk_status hki_redundant_servo_forces(hk_redundant *r, const double *a) {
  hk_redundant_servo *x = r->servo;
  find_matrix(r);
  const double most = find_need(r, a), left = least_squares(x);
  x->gap = most > 0.0 ? left / most : 0.0;
  for (int32_t k = 0; k < x->n; k++) {
    const double size = x->size[x->n + k];
    r->lam[x->row[k]] = size > 0.0 ? x->lam[k] / size : 0.0;
    if (!isfinite(r->lam[x->row[k]])) return HK_E_NUMBER;
  }
  return HK_OK;
}

/* --- how the actuators reach what they keep --------------------------------------------------- */

/* the state from which derivatives are taken, and scratch */
typedef struct probe {
  hk_formulation *f;
  hk_redundant *r;
  double t;
  const double *q, *v;
  double *d, *e;           /* n each: motion that an actuator causes, and its acceleration by it */
  double *qx, *vx, *a;     /* displaced state, its accelerations */
  double *step;            /* n of the bodies: displacement */
  double *y, *S, *S3, *S4; /* number of servos; its square */
} probe;

/* p->y: accelerations of the servos' rows at the forces of p->q, displaced by e times a direction of poses or
 * of velocities (NULL: not) */
static hk_status accelerations(probe *p, double e, const double *dq, const double *dv) {
  const int32_t n = p->r->c->n;
  for (int32_t i = 0; i < n; i++) p->step[i] = dq ? e * dq[i] : 0.0;
  p->f->ops->plus(p->f, p->q, p->step, p->qx);
  for (int32_t i = 0; i < n; i++) p->vx[i] = p->v[i] + (dv ? e * dv[i] : 0.0);
  hk_status st = hki_redundant_accel_held(p->f, p->t, p->qx, p->vx, p->a);
  if (st != HK_OK) return st;
  (void)find_need(p->r, p->a);
  memcpy(p->y, p->r->servo->need, (size_t)p->r->servo->n * sizeof *p->y);
  return HK_OK;
}

/* column += derivative of the rows' accelerations in a direction; da (may be NULL): that of the accelerations */
static hk_status differentiate(probe *p, const double *dq, const double *dv, double *column,
                               double *da) {
  const hk_bodies *c = p->r->c;
  const double *d = dq ? dq : dv;
  double most = 0.0;
  for (int32_t i = 0; i < c->nb; i++) most = fmax(most, fabs(d[i]) / c->scale[i]);
  for (int side = 1; most > 0.0 && side >= -1; side -= 2) {
    const double e = 1e-4 / most;
    hk_status st = accelerations(p, side * e, dq, dv);
    if (st != HK_OK) return st;
    for (int32_t i = 0; i < p->r->servo->n; i++) column[i] += side * p->y[i] / (2.0 * e);
    for (int32_t i = 0; da && i < c->n; i++) da[i] += side * p->a[i] / (2.0 * e);
  }
  return HK_OK;
}

/* S, S3, S4 */
static hk_status find_response(probe *p) {
  const hk_redundant_servo *x = p->r->servo;
  const hk_bodies *c = p->r->c;
  const int32_t n = x->n;
  hk_status st = hki_redundant_accel_held(p->f, p->t, p->q, p->v, p->a);
  if (st != HK_OK) return st;
  find_matrix(p->r);
  memcpy(p->S, x->S, (size_t)(n * n) * sizeof *p->S);
  for (int32_t k = 0; st == HK_OK && k < n; k++) {
    double *S3 = p->S3 + n * k, *S4 = p->S4 + n * k;
    if (!(x->size[n + k] > 0.0)) continue;
    st = hki_redundant_accel_held(p->f, p->t, p->q, p->v, p->a);
    if (st != HK_OK) return st;
    respond(p->r, k, true);
    hki_bodies_to_body(c, p->r->x);
    for (int32_t i = 0; i < c->n; i++)
      p->d[i] = i < c->nb ? p->r->x[i] / x->size[n + k] : 0.0, p->e[i] = 0.0;
    st = differentiate(p, NULL, p->d, S3, p->e);
    if (st == HK_OK) st = differentiate(p, p->d, NULL, S4, NULL);
    if (st == HK_OK) st = differentiate(p, NULL, p->e, S4, NULL);
  }
  return st;
}

/* singular values of S + S3/s + S4/s^2 in x->s */
static bool values_at(probe *p, double s) {
  hk_redundant_servo *x = p->r->servo;
  for (int32_t i = 0; i < x->n * x->n; i++) x->S[i] = p->S[i] + (p->S3[i] + p->S4[i] / s) / s;
  return hki_dense_svd(x->n, x->n, x->S, x->n, x->s, x->V, x->n);
}

/* the index; 0: above 5 */
static int32_t find_index(probe *p) {
  const hk_redundant_servo *x = p->r->servo;
  const int32_t n = x->n;
  double w = 1e-3, *low = p->y;
  int32_t most = 0;
  for (int32_t i = 0; i < n * n; i++) w = fmax(w, fmax(fabs(p->S3[i]), sqrt(fabs(p->S4[i]))));
  if (!values_at(p, 1e2 * w)) return 0;
  memcpy(low, x->s, (size_t)n * sizeof *low);
  if (!values_at(p, 1e3 * w)) return 0;
  for (int32_t k = 0; k < n; k++) {
    if (!(x->s[k] > 1e-11)) return 0;
    const int32_t fall = (int32_t)lround(log10(low[k] / x->s[k]));
    if (fall > most) most = fall;
  }
  return most <= 2 ? 3 + most : 0;
}

hk_status hki_redundant_servo_reach(hk_formulation *f, double t, const double *q, const double *v,
                                    hk_servo_reach *out) {
  hk_redundant *r = hki_redundant_of(f);
  const hk_redundant_servo *x = r->servo;
  const size_t n = (size_t)r->c->n, nq = (size_t)r->c->nq, s = x ? (size_t)x->n : 0;
  *out = (hk_servo_reach){.n = (int32_t)s};
  if (!s) return HK_OK;
  double *block = hki_alloc(r->ctx, (5 * n + nq + s + 3 * s * s) * sizeof *block);
  if (!block) return HK_E_MEMORY;
  probe p = {.f = f, .r = r, .t = t, .q = q, .v = v, .d = block, .e = block + n};
  p.vx = p.e + n, p.a = p.vx + n, p.step = p.a + n, p.qx = p.step + n;
  p.y = p.qx + nq, p.S = p.y + s, p.S3 = p.S + s * s, p.S4 = p.S3 + s * s;
  hk_status st = f->ops->accel(f, t, q, v, p.a);
  out->rank = x->rank, out->gap = x->gap, out->worst = least_reached(x);
  for (int32_t k = 0; k < x->n; k++)
    if (!is_on(r, k)) out->rank--, out->n--;
  if (st == HK_OK) st = find_response(&p);
  if (st == HK_OK) out->index = find_index(&p);
  hki_free(r->ctx, block);
  return st;
}
