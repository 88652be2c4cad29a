/* SPDX-License-Identifier: Apache-2.0
 *
 * task_rows.c: rows of tasks, with their gradients and time derivatives.
 *
 *   position     p_i - alpha_i
 *   axis         b1 . a, b2 . a             a: the marker's axis; b1, b2, d: right-handed, d the direction wanted
 *   rotation     1/2 sum_i r_i x R_i        R: the marker's axes, r: those wanted, exp(rho)
 *   value        f - alpha
 *
 * Gradients of marker rows are exact, by the angular and linear velocities of bodies; those of expressions are
 * central differences of order six.
 */
#include "simulation/tasks.h"

/* --- the machine ------------------------------------------------------------------------------ */

void hki_tasks_place(hk_tasks *k, const double *q, double s) {
  hk_kin *kin = &k->e->s->kin;
  const int32_t n = k->m->spec->nsignals;
  hki_kin_state(kin, k->t + s, q, k->zero);
  // signals of time by their polynomials, then those that read channels
  for (int32_t i = 0; i < n; i++) {
    const double *jet = k->jet + 3 * i;
    double *y = kin->sig + 3 * i;
    if (kin->sig_state[i]) continue;
    y[0] = jet[0] + s * (jet[1] + 0.5 * s * jet[2]);
    y[1] = jet[1] + s * jet[2];
    y[2] = jet[2];
  }
  for (int32_t i = 0; i < n; i++)
    if (kin->sig_state[i]) hki_kin_signal(kin, i);
  kin->known |= HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL;
  hki_kin_forget(kin, HK_KIN_OF_CLOSURES | HK_KIN_OF_FORCES);
}

void hki_tasks_plus(hk_tasks *k, const double *q, double f, const double *d, double *out) {
  const double *unit = k->e->s->scale;
  double *x = k->e->s->y;
  for (int32_t i = 0; i < k->nv; i++) x[i] = f * d[i] * unit[i];
  hki_tree_plus(k->m, q, x, out);
}

double hki_tasks_given(const hk_tasks *k, const hk_spec_given *g) {
  return g->signal == HK_NONE ? g->value : k->e->s->kin.sig[3 * g->signal];
}

/* the rate of a target */
static double given_rate(const hk_tasks *k, const hk_spec_given *g) {
  return g->signal == HK_NONE ? 0.0 : k->e->s->kin.sig[3 * g->signal + 1];
}

double hki_tasks_value(hk_tasks *k, int32_t signal, int32_t force) {
  hk_kin *kin = &k->e->s->kin;
  if (signal != HK_NONE) return kin->sig[3 * signal];
  hki_kin_forces(kin, 0);
  kin->trace = k->trace;
  hki_kin_energy(kin);
  kin->trace = NULL;
  for (int32_t i = 0; i < k->m->nf; i++)
    if (k->m->forces[i].spec == force) return k->trace->force[i].energy;
  return 0.0;
}

void hki_tasks_slope(hk_tasks *k, const double *q, double s, int32_t signal, int32_t force,
                     double *g) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
  static const double h = 1e-2;
  const double *unit = k->e->s->scale;
  double *x = k->e->s->y;
  for (int32_t j = 0; j < k->nv; j++) {
    g[j] = 0.0;
    for (int32_t i = 0; i < 6; i++) {
      const double f = (i % 2 ? -1.0 : 1.0) * (1 + i / 2) * h;
      memset(x, 0, (size_t)k->nv * sizeof *x);
      x[j] = f * unit[j];
      hki_tree_plus(k->m, q, x, k->qp);
      hki_tasks_place(k, k->qp, s);
      g[j] += (i % 2 ? -1.0 : 1.0) * weight[i / 2] * hki_tasks_value(k, signal, force) / h;
    }
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* row r += covector w of a body's angular velocity, b of a marker's position; rows are gathered in x[4] */
typedef struct filler {
  hk_tasks *k;
  hk_task_rows *out;
  const hk_spec_task *task;
  int32_t row;
  hk_frame F; /* the marker */
} filler;

/* a finished row: value, rate, gradient by the linear and angular velocities of the marker's body (NULL: none) */
static void put(filler *f, double phi, double phit, const double *linear, const double *angular) {
  hk_tasks *k = f->k;
  const hk_kin *kin = &k->e->s->kin;
  const double *unit = k->e->s->scale;
  double *g = k->x[4];
  const int32_t body = k->m->spec->markers[f->task->marker].body;
  memset(g, 0, (size_t)k->nv * sizeof *g);
  for (int i = 0; linear && i < 3; i++) {
    const hk_channel c = {
        .kind = HK_CH_MARKER_POSITION, .item = f->task->marker, .component = (int16_t)i};
    if (linear[i] != 0.0) hki_kin_channel_gradient(kin, c, linear[i], g, k->x[7]);
  }
  for (int i = 0; angular && body != HK_GROUND && i < 3; i++) {
    const hk_channel c = {
        .kind = HK_CH_BODY_ANGULAR_VELOCITY, .item = body, .component = (int16_t)i};
    hki_kin_channel_gradient(kin, c, angular[i], k->x[7], g);
  }
  f->out->phi[f->row] = phi, f->out->phit[f->row] = phit;
  for (int32_t j = 0; j < k->nv; j++) f->out->G[f->row + j * k->n] = g[j] * unit[j];
  f->row++;
}

static void put_position(filler *f) {
  const double at[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    const hk_spec_given *x = &f->task->target[i];
    if (!(f->task->used & 1u << i)) continue;
    put(f, f->F.p[i] - hki_tasks_given(f->k, x), -given_rate(f->k, x), at[i], NULL);
  }
}

/* y, yd: x made a unit vector, and its rate */
static void unit_vector(const double *x, const double *xd, double *y, double *yd) {
  const double size = v3_norm(x);
  for (int i = 0; i < 3; i++) y[i] = x[i] / size;
  const double along = v3_dot(y, xd);
  for (int i = 0; i < 3; i++) yd[i] = (xd[i] - along * y[i]) / size;
}

static void put_axis(filler *f) {
  const hk_spec_task *task = f->task;
  double D[3], Dd[3], d[3], dd[3], a[3], b[2][3], bd[2][3], e[3] = {0}, c[3], cd[3];
  for (int i = 0; i < 3; i++) {
    D[i] = hki_tasks_given(f->k, &task->target[i]);
    Dd[i] = given_rate(f->k, &task->target[i]);
  }
  unit_vector(D, Dd, d, dd);
  m3_mulv(a, f->F.R, task->axis);
  e[f->k->fixed_axis[task - f->k->in->tasks]] = 1.0;
  v3_cross(c, e, d);
  v3_cross(cd, e, dd);
  unit_vector(c, cd, b[0], bd[0]);
  v3_cross(b[1], d, b[0]);
  v3_cross(bd[1], dd, b[0]);
  v3_cross_add(bd[1], d, bd[0]);
  // the rows vanish at the opposite direction too
  if (v3_dot(a, d) < 0.0) f->k->backward = task;
  for (int i = 0; i < 2; i++) {
    v3_cross(c, a, b[i]); // b . (w x a) = w . (a x b)
    put(f, v3_dot(b[i], a), v3_dot(bd[i], a), NULL, c);
  }
}

/* R = exp(rho) and w with dR/dt = w x R */
static void exponential(const double *rho, const double *rate, double *R, double *w) {
  const double x = v3_norm(rho), x2 = x * x;
  const double s = x > 1e-3 ? sin(x) / x : 1.0 - x2 / 6.0 + x2 * x2 / 120.0;
  const double c = x > 1e-3 ? (1.0 - cos(x)) / x2 : 0.5 - x2 / 24.0 + x2 * x2 / 720.0;
  const double d = x > 1e-3 ? (1.0 - s) / x2 : 1.0 / 6.0 - x2 / 120.0 + x2 * x2 / 5040.0;
  double e[3], g[3];
  for (int j = 0; j < 3; j++) {
    double u[3] = {0};
    u[j] = 1.0;
    v3_cross(e, rho, u);
    v3_cross(g, rho, e);
    for (int i = 0; i < 3; i++) R[3 * i + j] = u[i] + s * e[i] + c * g[i];
  }
  v3_cross(e, rho, rate);
  v3_cross(g, rho, e);
  for (int i = 0; i < 3; i++) w[i] = rate[i] + c * e[i] + d * g[i];
}

static void put_rotation(filler *f) {
  double rho[3], rate[3], R[9], w[3], phi[3] = {0}, phit[3] = {0}, A[9] = {0};
  for (int i = 0; i < 3; i++) {
    rho[i] = hki_tasks_given(f->k, &f->task->target[i]);
    rate[i] = given_rate(f->k, &f->task->target[i]);
  }
  exponential(rho, rate, R, w);
  for (int i = 0; i < 3; i++) {
    double r[3], rd[3], y[3], c[3];
    for (int j = 0; j < 3; j++) r[j] = R[3 * j + i], y[j] = f->F.R[3 * j + i];
    v3_cross(rd, w, r);
    v3_cross(c, r, y);
    for (int j = 0; j < 3; j++) phi[j] += 0.5 * c[j];
    v3_cross(c, rd, y);
    for (int j = 0; j < 3; j++) phit[j] += 0.5 * c[j];
    // 1/2 r x (w x y) = 1/2 (w (r . y) - y (r . w))
    const double dot = v3_dot(r, y);
    for (int j = 0; j < 3; j++)
      for (int l = 0; l < 3; l++) A[3 * j + l] += 0.5 * ((j == l ? dot : 0.0) - y[j] * r[l]);
  }
  // A = (trace 1 - R r')/2, and the trace is 1 + 2 cos: the rows vanish at half a turn too
  if (A[0] + A[4] + A[8] < 1.0) f->k->backward = f->task;
  for (int j = 0; j < 3; j++) put(f, phi[j], phit[j], NULL, A + 3 * j);
}

/* the time derivative of an expression at fixed coordinates */
static double value_rate(hk_tasks *k, const double *q, double s, int32_t signal) {
  const double h = 1e-3 * k->step;
  hki_tasks_place(k, q, s + h);
  const double more = hki_tasks_value(k, signal, HK_NONE);
  hki_tasks_place(k, q, s - h);
  return (more - hki_tasks_value(k, signal, HK_NONE)) / (2.0 * h);
}

/* rows of expressions: they take the machine elsewhere, and go first */
static void put_values(filler *f, const double *q, double s) {
  hk_tasks *k = f->k;
  for (int32_t i = 0; i < k->in->ntasks; i++) {
    const hk_spec_task *t = &k->in->tasks[i];
    if (t->kind != HK_TASK_VALUE) continue;
    hki_tasks_slope(k, q, s, t->signal, HK_NONE, k->x[4]);
    for (int32_t j = 0; j < k->nv; j++) f->out->G[f->row + j * k->n] = k->x[4][j];
    const double own = value_rate(k, q, s, t->signal);
    hki_tasks_place(k, q, s);
    f->out->phi[f->row] =
        hki_tasks_value(k, t->signal, HK_NONE) - hki_tasks_given(k, &t->target[0]);
    f->out->phit[f->row] = own - given_rate(k, &t->target[0]);
    f->row++;
  }
}

/* closures: joints that close loops, and prescribed motions */
static void put_closures(hk_tasks *k, hk_task_rows *out) {
  const hk_kin *kin = &k->e->s->kin;
  const double *unit = k->e->s->scale;
  for (int32_t c = 0; c < k->m->nc; c++) {
    const hk_closure *cl = &k->m->closures[c];
    const bool on = kin->disc.active[c] != 0.0;
    for (int32_t r = 0; r < cl->nrows; r++) {
      const int32_t row = cl->row0 + r;
      const double *g = kin->gz + kin->gz0[c] + (size_t)r * (size_t)cl->path.n;
      out->phi[row] = on ? kin->phi[row] : 0.0;
      out->phit[row] = on ? kin->phit[row] : 0.0;
      for (int32_t j = 0; on && j < cl->path.n; j++)
        out->G[row + cl->path.dof[j] * k->n] = g[j] * unit[cl->path.dof[j]];
    }
  }
}

void hki_tasks_rows(hk_tasks *k, const double *q, double s, hk_task_rows *out) {
  filler f = {.k = k, .out = out, .row = k->m->nrows};
  k->backward = NULL;
  memset(out->G, 0, (size_t)k->n * (size_t)k->nv * sizeof *out->G);
  hki_tasks_costs(k, q, s, out->c);
  put_values(&f, q, s);
  hki_tasks_place(k, q, s);
  hki_kin_closures(&k->e->s->kin);
  put_closures(k, out);
  for (int32_t i = 0; i < k->in->ntasks; i++) {
    f.task = &k->in->tasks[i];
    if (f.task->marker == HK_NONE) continue;
    const hk_spec_marker *mk = &k->m->spec->markers[f.task->marker];
    hk_offset at = mk->at;
    const int32_t body = mk->body == HK_GROUND ? HK_GROUND : k->m->body_of_spec[mk->body];
    if (body != HK_GROUND) v3_sub(at.p, mk->at.p, k->m->bodies[body].com0);
    hki_kin_marker(&k->e->s->kin, body, &at, &f.F);
    if (f.task->kind == HK_TASK_POSITION) put_position(&f);
    if (f.task->kind == HK_TASK_AXIS) put_axis(&f);
    if (f.task->kind == HK_TASK_ORIENTATION) put_rotation(&f);
  }
}
