/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.c: blocks of sampled controllers. h is the period, k counts the instants.
 *
 *   linear      y_k = C x_k + D u_k,   x_(k+1) = A x_k + B u_k
 *               from a system in continuous time whose inputs are held between the instants:
 *               A = e^(Ac h),   B = integral from 0 to h of e^(Ac s) ds Bc,   C and D as they are
 *   pid         e = r - y,   w = c r - y                          r: wanted, y: measured
 *               v_k = kp (b r_k - y_k) + I_k + D_k,   u_k = v_k held between the limits
 *               D_k = (T D_(k-1) + kd (w_k - w_(k-1)))/(T + h),   or kd times the rate that is given
 *               I_(k+1) = I_k + ki h e_k + min(1, h/W) (u_k - v_k)           back calculation
 *               I_(k+1) = I_k + ki h e_k, but I_k where the limits cut and
 *                         ki e_k would drive it further                         clamping
 *   rate_limit  y_k = y_(k-1) + (u_k - y_(k-1)) held between h lo and h hi
 *
 * With X(h) = e^(A h) - 1 and F(h) the integral, doubling h gives X(2h) = X (X + 2), F(2h) =
 * (X + 2) F; both begin as Taylor series at a small h. Keeping X in the place of e^(A h) keeps the
 * digits of slow motions.
 *
 * Sources: K. J. Astrom and B. Wittenmark, Computer-controlled systems, 3rd edition, Prentice-Hall
 * 1997, sections 2.3 (sampling) and 8.5 (PID); K. J. Astrom and T. Hagglund, PID controllers, 2nd
 * edition, ISA 1995, section 3.5 (windup); C. Moler and C. Van Loan, Nineteen dubious ways to
 * compute the exponential of a matrix, SIAM Review 20 (1978) 801-836 (scaling and squaring).
 */
#include "expr/memory_impl.h"

#include <math.h>
#include <string.h>

/* places in the blocks, behind those that all have */
enum { FIRST = HK_MEMORY_NEXT + 1 };
enum { LINEAR_PENDING = FIRST, LINEAR_Y }; /* then x */
enum { PID_Y = FIRST, PID_I, PID_D, PID_W, PID_FIRST, PID_SIZE };
enum { RATE_Y = FIRST, RATE_FIRST, RATE_SIZE };

static double held_between(double x, const double limit[2]) {
  return x < limit[0] ? limit[0] : x > limit[1] ? limit[1] : x;
}

/* --- the exponential of a matrix -------------------------------------------------------------- */

/* Z = X Y, X of n x n, Y of n x m; Z is none of both */
static void multiply(int32_t n, int32_t m, const double *X, const double *Y, double *Z) {
  memset(Z, 0, (size_t)n * (size_t)m * sizeof *Z);
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = 0; k < n; k++) {
      const double x = X[i * n + k];
      for (int32_t j = 0; x != 0.0 && j < m; j++) Z[i * m + j] += x * Y[k * m + j];
    }
}

static double norm(int32_t n, const double *A) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    most = fmax(most, sum);
  }
  return most;
}

/* S = 1 + A/2! + A^2/3! + .. by Horner's rule; W: room for one matrix */
static void series(int32_t n, const double *A, double *S, double *W) {
  enum { TERMS = 18 };
  memset(S, 0, (size_t)n * (size_t)n * sizeof *S);
  for (int32_t i = 0; i < n; i++) S[i * n + i] = 1.0;
  for (int32_t k = TERMS; k > 1; k--) {
    multiply(n, n, A, S, W);
    for (int32_t i = 0; i < n * n; i++) S[i] = W[i] / k;
    for (int32_t i = 0; i < n; i++) S[i * n + i] += 1.0;
  }
}

hk_status hki_linear_sample(hk_pool *pool, const hk_linear *l, double h, hk_linear *out) {
  enum { HALVINGS = 60 };
  const int32_t n = l->nx, m = l->nu;
  const size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m;
  double *room = hki_pool_alloc(pool, (3 * nn + 2 * nm + 1) * sizeof *room);
  if (!room) return HK_E_MEMORY;
  double *X = room, *S = X + nn, *W = S + nn, *F = W + nn, *G = F + nm;
  int32_t halvings = 0;
  for (double size = norm(n, l->A) * h; size > 0.25 && halvings < HALVINGS; size *= 0.5) halvings++;
  const double part = ldexp(h, -halvings);
  for (size_t i = 0; i < nn; i++) W[i] = l->A[i] * part;
  series(n, W, S, X);
  multiply(n, n, W, S, X);
  for (size_t i = 0; i < nm; i++) G[i] = l->B[i] * part;
  multiply(n, m, S, G, F);
  for (int32_t k = 0; k < halvings; k++) {
    multiply(n, m, X, F, G);
    for (size_t i = 0; i < nm; i++) F[i] = 2.0 * F[i] + G[i];
    multiply(n, n, X, X, W);
    for (size_t i = 0; i < nn; i++) X[i] = 2.0 * X[i] + W[i];
  }
  for (int32_t i = 0; i < n; i++) X[i * n + i] += 1.0;
  for (size_t i = 0; i < nn; i++)
    if (!isfinite(X[i])) return HK_E_NUMBER;
  for (size_t i = 0; i < nm; i++)
    if (!isfinite(F[i])) return HK_E_NUMBER;
  *out = *l;
  out->A = X, out->B = F;
  return HK_OK;
}

bool hki_linear_direct(const hk_linear *l) {
  for (int32_t i = 0; i < l->ny * l->nu; i++)
    if (l->D[i] != 0.0) return true;
  return false;
}

/* --- linear blocks ---------------------------------------------------------------------------- */

int32_t hki_linear_port(int32_t output) { return LINEAR_Y + output; }

static int32_t linear_size(const hk_memory *m) { return LINEAR_Y + m->linear->ny + m->linear->nx; }

/* C x + D u of output i; u NULL: D is 0 */
static double linear_output(const hk_linear *l, int32_t i, const double *x, const double *u) {
  double y = 0.0;
  for (int32_t k = 0; k < l->nx; k++) y += l->C[i * l->nx + k] * x[k];
  for (int32_t k = 0; u && k < l->nu; k++) y += l->D[i * l->nu + k] * u[k];
  return y;
}

static bool commit_linear(const hk_memory *m, double *mem, hk_commit when, double t,
                          const double *u) {
  const hk_linear *l = m->linear;
  const double *in = hki_linear_direct(l) ? u : NULL;
  double *x = mem + LINEAR_Y + l->ny, *y = mem + LINEAR_Y;
  bool changed = false;
  for (int32_t i = 0; when == HK_COMMIT_START && i < l->nx; i++) x[i] = l->start[i];
  const bool takes = hki_memory_take(m, mem, when, t);
  if (!takes && when != HK_COMMIT_START) return false;
  for (int32_t i = 0; i < l->ny; i++) {
    const double now = linear_output(l, i, x, in);
    changed |= now != y[i];
    y[i] = now;
  }
  mem[LINEAR_PENDING] = takes ? 1.0 : 0.0;
  return changed;
}

/* x = A x + B u */
static bool update_linear(const hk_memory *m, double *mem, hk_commit when, double t,
                          const double *u) {
  const hk_linear *l = m->linear;
  double *x = mem + LINEAR_Y + l->ny, next[HK_LINEAR_STATES];
  (void)when, (void)t;
  if (mem[LINEAR_PENDING] == 0.0) return false;
  mem[LINEAR_PENDING] = 0.0;
  for (int32_t i = 0; i < l->nx; i++) {
    next[i] = 0.0;
    for (int32_t k = 0; k < l->nx; k++) next[i] += l->A[i * l->nx + k] * x[k];
    for (int32_t k = 0; k < l->nu; k++) next[i] += l->B[i * l->nu + k] * u[k];
  }
  memcpy(x, next, (size_t)l->nx * sizeof *x);
  return false;
}

/* before the start: the outputs that its states at the start and its operands give */
static void eval_linear(const hk_memory *m, const double *mem, double t, const double *u,
                        double y[3]) {
  const hk_linear *l = m->linear;
  (void)t;
  y[0] = mem[HK_MEMORY_STARTED] != 0.0
             ? mem[LINEAR_Y]
             : linear_output(l, 0, l->start, hki_linear_direct(l) ? u : NULL);
}

static void linear_slopes(const hk_memory *m, const double *u, double *g) {
  (void)u;
  for (int32_t i = 0; i < m->linear->nu; i++) g[i] = m->linear->D[i];
}

const hk_memory_ops hki_memory_linear = {.size = linear_size,
                                         .commit = commit_linear,
                                         .update = update_linear,
                                         .eval = eval_linear,
                                         .slopes = linear_slopes,
                                         .next_break = hki_memory_sample_break};

/* --- pid -------------------------------------------------------------------------------------- */

static int32_t pid_size(const hk_memory *m) {
  (void)m;
  return PID_SIZE;
}

/* v: the value without limits */
static double pid_value(const hk_pid *c, const double *u, double sum, double derivative) {
  return c->kp * (c->weight[0] * u[0] - u[1]) + sum + derivative;
}

/* the integral part of the next instant; cut: u - v */
static void pid_integrate(const hk_pid *c, double h, double e, double cut, double *sum) {
  const double gain = c->ki * h * e;
  if (c->anti_windup == HK_WINDUP_CLAMPING && cut * gain < 0.0) return;
  *sum += gain;
  if (c->anti_windup == HK_WINDUP_BACK_CALCULATION) *sum += fmin(1.0, h / c->windup) * cut;
}

static bool commit_pid(const hk_memory *m, double *mem, hk_commit when, double t, const double *u) {
  const hk_pid *c = m->pid;
  const double h = m->period, w = c->weight[1] * u[0] - u[1], before = mem[PID_Y];
  if (when == HK_COMMIT_START) {
    mem[PID_I] = c->start, mem[PID_FIRST] = 1.0;
    mem[PID_Y] = held_between(c->start, c->limit);
  }
  if (!hki_memory_take(m, mem, when, t)) return when == HK_COMMIT_START;
  // the first difference has nothing before it
  if (mem[PID_FIRST] != 0.0) mem[PID_D] = 0.0, mem[PID_W] = w;
  mem[PID_FIRST] = 0.0;
  mem[PID_D] =
      c->rate ? c->kd * u[2] : (c->time * mem[PID_D] + c->kd * (w - mem[PID_W])) / (c->time + h);
  mem[PID_W] = w;
  const double v = pid_value(c, u, mem[PID_I], mem[PID_D]);
  mem[PID_Y] = held_between(v, c->limit);
  pid_integrate(c, h, u[0] - u[1], mem[PID_Y] - v, &mem[PID_I]);
  return mem[PID_Y] != before;
}

static void eval_pid(const hk_memory *m, const double *mem, double t, const double *u,
                     double y[3]) {
  const hk_pid *c = m->pid;
  (void)t;
  y[0] = mem[HK_MEMORY_STARTED] != 0.0
             ? mem[PID_Y]
             : held_between(pid_value(c, u, c->start, c->rate ? c->kd * u[2] : 0.0), c->limit);
}

static void pid_slopes(const hk_memory *m, const double *u, double *g) {
  const hk_pid *c = m->pid;
  const double v = pid_value(c, u, c->start, c->rate ? c->kd * u[2] : 0.0);
  if (v < c->limit[0] || v > c->limit[1]) return;
  g[0] = c->kp * c->weight[0], g[1] = -c->kp;
  if (c->rate) g[2] = c->kd;
}

const hk_memory_ops hki_memory_pid = {.size = pid_size,
                                      .commit = commit_pid,
                                      .eval = eval_pid,
                                      .slopes = pid_slopes,
                                      .next_break = hki_memory_sample_break};

/* --- limited rates ---------------------------------------------------------------------------- */

static int32_t rate_size(const hk_memory *m) {
  (void)m;
  return RATE_SIZE;
}

static bool commit_rate(const hk_memory *m, double *mem, hk_commit when, double t,
                        const double *u) {
  const double before = mem[RATE_Y];
  const double most[2] = {m->limit[0] * m->period, m->limit[1] * m->period};
  if (when == HK_COMMIT_START) {
    mem[RATE_Y] = isnan(m->start) ? u[0] : m->start;
    mem[RATE_FIRST] = 1.0;
  }
  if (hki_memory_take(m, mem, when, t)) {
    // the first instant has nothing before it
    if (mem[RATE_FIRST] == 0.0)
      mem[RATE_Y] += held_between(u[0] - mem[RATE_Y], most);
    else if (isnan(m->start))
      mem[RATE_Y] = u[0];
    mem[RATE_FIRST] = 0.0;
  }
  return mem[RATE_Y] != before;
}

static void eval_rate(const hk_memory *m, const double *mem, double t, const double *u,
                      double y[3]) {
  (void)t;
  y[0] = mem[HK_MEMORY_STARTED] != 0.0 ? mem[RATE_Y] : isnan(m->start) ? u[0] : m->start;
}

static void rate_slopes(const hk_memory *m, const double *u, double *g) {
  (void)u;
  g[0] = isnan(m->start) ? 1.0 : 0.0;
}

const hk_memory_ops hki_memory_rate_limit = {.size = rate_size,
                                             .commit = commit_rate,
                                             .eval = eval_rate,
                                             .slopes = rate_slopes,
                                             .next_break = hki_memory_sample_break};

/* --- ports ------------------------------------------------------------------------------------ */

/* it has no numbers of its own: mem is the block that it reads */
static int32_t port_size(const hk_memory *m) {
  (void)m;
  return 0;
}

static void eval_port(const hk_memory *m, const double *mem, double t, const double *u,
                      double y[3]) {
  const bool on = mem[HK_MEMORY_STARTED] != 0.0;
  (void)u;
  y[0] = !on ? m->start : m->since ? t - mem[m->port] : mem[m->port];
  y[1] = on && m->since ? 1.0 : 0.0;
}

const hk_memory_ops hki_memory_port = {.size = port_size, .eval = eval_port};
