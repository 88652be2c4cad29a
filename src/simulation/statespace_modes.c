/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_modes.c: modes of linear equations: eigenvalues, what takes part in them, how bodies move.
 *
 *   A X = lambda X,  Y^H A = lambda Y^H
 *   participation of state i       |Y_i X_i|, against that of the others
 *   kinetic energy of body b       V_b^H I_b V_b,  V_b: its twist by the states X that are positions
 *
 * Source of the participation: Perez-Arriaga, Verghese and Schweppe, Selective Modal Analysis with
 * Applications to Electric Power Systems, 1982.
 */
#include <stdlib.h>

#include "linalg/lapack.h"
#include "simulation/statespace_pencil.h"

/* An eigenvalue below this share of the largest, or this size (1/s), is the round-off of a zero: twofold
 * zeros of free motions are as far off as the root of the error of A. With entries of 2.5e4 1/s^2, a vehicle on its
 * wheels, round-off is 5e-12 and the root 2.3e-6; slower than 5e-6 is nothing that decays within a day. */
static const double zero_share = 1e-8, zero_size = 5e-6;
/* eigenvalues of a shift below this share of the largest belong to motions without mass: those are twofold zeros */
static const double infinite = 1e-6;

/* --- bodies ----------------------------------------------------------------------------------- */

/* V: twist about O of a body by the motion T of all coordinates */
static void twist(const hk_kin *k, int32_t body, const double *T, double *V) {
  const hk_model *m = k->m;
  memset(V, 0, 6 * sizeof *V);
  for (int32_t b = body; b != HK_GROUND; b = m->bodies[b].parent)
    for (int32_t j = m->bodies[b].v0; j < m->bodies[b].v0 + m->bodies[b].nv; j++)
      s6_axpy(V, T[j], k->S + 6 * (size_t)j);
}

hk_status hki_statespace_bodies(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                const double *sign) {
  const hk_kin *k = s->kin;
  const size_t nb = (size_t)l->nb;
  l->twist = hki_pool_alloc(l->pool, (6 * nb * (size_t)l->np + 1) * sizeof *l->twist);
  l->arm = hki_pool_alloc(l->pool, (3 * nb + 1) * sizeof *l->arm);
  l->inertia = hki_pool_alloc(l->pool, (nb + 1) * sizeof *l->inertia);
  if (!l->twist || !l->arm || !l->inertia) return HK_E_MEMORY;
  for (size_t i = 0; i < nb; i++) {
    const int32_t b = l->m->body_of_spec[i];
    hk_frame F;
    hki_kin_marker(k, b, &l->m->bodies[b].own, &F);
    v3_sub(l->arm + 3 * i, F.p, k->O + 3 * (size_t)b);
    l->inertia[i] = k->I[b];
    for (int32_t j = 0; j < l->np; j++) {
      double *V = l->twist + 6 * ((size_t)j * nb + i);
      twist(k, b, free->Tp + (size_t)j * (size_t)l->m->nv, V);
      for (int q = 0; q < 6; q++) V[q] *= sign[l->place[j]];
    }
  }
  return HK_OK;
}

/* twist of a body in a mode, real and imaginary part, before its phase is chosen */
static void mode_twist(const hk_statespace *l, const hk_statespace_mode_data *d, int32_t body,
                       double *re, double *im) {
  if (l->large) {
    const double *V = l->motion + 12 * ((size_t)(d->column / 2) * (size_t)l->nb + (size_t)body);
    s6_copy(re, V);
    s6_copy(im, V + 6);
    return;
  }
  const double *X = l->right + (size_t)d->column * (size_t)l->n;
  memset(re, 0, 6 * sizeof *re);
  memset(im, 0, 6 * sizeof *im);
  for (int32_t j = 0; j < l->np; j++) {
    const double *V = l->twist + 6 * ((size_t)j * (size_t)l->nb + (size_t)body);
    s6_axpy(re, X[j], V);
    if (d->pair) s6_axpy(im, X[l->n + j], V);
  }
}

/* twice the kinetic energy of a body in a mode of unit frequency */
static double energy(const hk_statespace *l, const hk_statespace_mode_data *d, int32_t body) {
  double re[6], im[6], p[6], e;
  mode_twist(l, d, body, re, im);
  inertia_mul(p, &l->inertia[body], re);
  e = s6_dot(p, re);
  inertia_mul(p, &l->inertia[body], im);
  return e + s6_dot(p, im);
}

/* --- what takes part -------------------------------------------------------------------------- */

/* the state that takes part most; a coordinate counts with its velocity */
static int32_t largest_state(const hk_statespace *l, const hk_statespace_mode_data *d) {
  const size_t n = (size_t)l->n, at = (size_t)d->column * n;
  int32_t best = 0;
  double most = -1.0;
  for (size_t i = 0; i < n; i++) {
    const double xr = l->zright[at + i], xi = d->pair ? l->zright[at + n + i] : 0.0;
    const double yr = l->left[at + i], yi = d->pair ? l->left[at + n + i] : 0.0;
    const double part = hypot(xr, xi) * hypot(yr, yi);
    // with equal parts the position is named: it stands first
    if (part > most * (1.0 + 1e-6)) most = part, best = (int32_t)i;
  }
  return best;
}

/* factor of modulus one that makes the largest entry of the states real and positive */
static void choose_phase(const hk_statespace *l, hk_statespace_mode_data *d) {
  const size_t n = (size_t)l->n, at = (size_t)d->column * n;
  double most = 0.0;
  d->phase[0] = 1.0, d->phase[1] = 0.0;
  for (size_t i = 0; i < n; i++) {
    const double re = l->right[at + i], im = d->pair ? l->right[at + n + i] : 0.0;
    const double size = hypot(re, im);
    if (size <= most * (1.0 + 1e-6)) continue;
    most = size;
    d->phase[0] = re / size, d->phase[1] = -im / size;
  }
}

/* the body that moves most, and a phase */
static void describe_bodies(const hk_statespace *l, hk_statespace_mode_data *d) {
  double sum = 0.0, most = 0.0;
  d->body = -1;
  choose_phase(l, d);
  for (int32_t b = 0; b < l->nb; b++) {
    const double e = energy(l, d, b);
    sum += e;
    if (e > most) most = e, d->body = b;
  }
  d->share = sum > 0.0 ? most / sum : 0.0;
}

static void describe(const hk_statespace *l, hk_statespace_mode_data *d) {
  d->state = largest_state(l, d);
  describe_bodies(l, d);
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

/* by size of the imaginary part, then by the real one, then as LAPACK has them */
static int order(const void *a, const void *b) {
  const hk_statespace_mode_data *x = a, *y = b;
  if (x->im != y->im) return x->im < y->im ? -1 : 1;
  if (x->re != y->re) return x->re < y->re ? -1 : 1;
  return (x->column > y->column) - (x->column < y->column);
}

/* exponent of a multiplier mu; those next to 1 are 1: twofold ones, of free motions and of a change along the
 * motion, are as far off as the root of the error of A */
static void take_logarithm(const hk_statespace *l, hk_statespace_mode_data *d) {
  const double near = sqrt(10.0 * fmax(l->period_error, 1e-13));
  d->mu[0] = d->re, d->mu[1] = d->im;
  if (hypot(d->re - 1.0, d->im) <= near) {
    d->re = d->im = 0.0;
    return;
  }
  const double size = hypot(d->mu[0], d->mu[1]);
  d->re = log(size) / l->period;
  d->im = atan2(d->mu[1], d->mu[0]) / l->period;
}

/* lambda of an eigenvalue theta = 1 / (lambda - shift); false: it is infinite */
static bool take_back_shift(const hk_statespace *l, double most, double *re, double *im) {
  const double square = *re * *re + *im * *im;
  if (l->shift == 0.0) return true;
  if (sqrt(square) <= infinite * most) return false;
  *re = l->shift + *re / square;
  *im = -*im / square;
  return true;
}

/* the largest of all lambda */
static double largest_value(const hk_statespace *l, const double *re, const double *im) {
  double most = 0.0, top = 0.0;
  for (int32_t i = 0; i < l->n; i++) most = fmax(most, hypot(re[i], im[i]));
  for (int32_t i = 0; i < l->n; i++) {
    double x = re[i], y = im[i];
    if (take_back_shift(l, most, &x, &y)) top = fmax(top, hypot(x, y));
  }
  return top;
}

static void list_modes(hk_statespace *l, const double *re, const double *im) {
  const double most = largest_value(l, re, im);
  double theta = 0.0;
  for (int32_t i = 0; i < l->n; i++) theta = fmax(theta, hypot(re[i], im[i]));
  l->nmodes = 0;
  for (int32_t i = 0; i < l->n; i++) {
    hk_statespace_mode_data d = {
        .re = re[i], .im = im[i], .mu = {NAN, NAN}, .column = i, .pair = im[i] > 0.0};
    if (im[i] < 0.0) continue; // of a pair the first has im > 0
    describe(l, &d);
    if (!take_back_shift(l, theta, &d.re, &d.im)) continue;
    if (d.im < 0.0) d.turned = true; // the shape belongs to the conjugate
    d.im = fabs(d.im);
    if (l->period > 0.0)
      take_logarithm(l, &d);
    else if (hypot(d.re, d.im) <= fmax(zero_size, zero_share * most))
      d.re = d.im = 0.0;
    l->mode[l->nmodes++] = d;
    if (d.pair && d.re == 0.0 && d.im == 0.0) { // a pair of zeros is two real solutions
      d.column = i + 1, d.pair = false;
      l->mode[l->nmodes - 1].pair = false;
      l->mode[l->nmodes++] = d;
    }
  }
  qsort(l->mode, (size_t)l->nmodes, sizeof *l->mode, order);
}

/* modes of a large model */
static hk_status find_large(hk_statespace *l) {
  hki_stop_allow(l->ctx, true);
  hk_status st = hki_statespace_large_modes(l);
  if (st != HK_OK && hki_stopped(l->ctx)) st = HK_INTERRUPTED;
  hki_stop_allow(l->ctx, false);
  double most = 0.0;
  for (int32_t k = 0; st == HK_OK && k < l->nmodes; k++)
    most = fmax(most, hypot(l->mode[k].re, l->mode[k].im));
  for (int32_t k = 0; st == HK_OK && k < l->nmodes; k++) {
    hk_statespace_mode_data *d = &l->mode[k];
    describe_bodies(l, d);
    if (hypot(d->re, d->im) <= fmax(zero_size, zero_share * most)) d->re = d->im = 0.0;
  }
  if (st == HK_OK) qsort(l->mode, (size_t)l->nmodes, sizeof *l->mode, order);
  return st;
}

hk_status hk_statespace_find_modes(hk_statespace *l, int32_t *count) {
  if (count) *count = 0;
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  const size_t n = (size_t)l->n, square = n * n + 1;
  char why[300] = "";
  if (!l->mode && l->large) {
    hk_status st = find_large(l);
    if (st != HK_OK) return st;
  }
  if (!l->mode) {
    double *A = hki_pool_alloc(l->pool, (square + 2 * n) * sizeof *A);
    l->left = hki_pool_alloc(l->pool, square * sizeof *l->left);
    l->right = hki_pool_alloc(l->pool, square * sizeof *l->right);
    hk_statespace_mode_data *mode = hki_pool_alloc(l->pool, (n + 1) * sizeof *mode);
    if (!A || !l->left || !l->right || !mode) return HK_E_MEMORY;
    double *re = A + square, *im = re + n;
    memcpy(A, l->A, n * n * sizeof *A);
    hk_status st = hki_eigen(l->ctx, l->n, A, re, im, l->left, l->right, why, sizeof why);
    if (st != HK_OK) return hki_error(l->ctx, st, HK_LOC_NONE, hki_eigen_hint(st), "%s", why);
    if ((st = hki_statespace_turn_back(l)) != HK_OK) return st;
    l->mode = mode;
    list_modes(l, re, im);
  }
  if (count) *count = l->nmodes;
  return HK_OK;
}

/* --- questions -------------------------------------------------------------------------------- */

static const hk_statespace_mode_data *mode_of(const hk_statespace *l, int32_t mode,
                                              const char *function) {
  if (!hki_is_statespace(l)) return NULL;
  if (l->mode && mode >= 0 && mode < l->nmodes) return &l->mode[mode];
  hki_misuse(l->ctx, function, "there is no mode of this number: see hk_statespace_find_modes");
  return NULL;
}

hk_status hk_statespace_mode(const hk_statespace *l, int32_t mode, hk_mode *out) {
  const hk_statespace_mode_data *d = mode_of(l, mode, "hk_statespace_mode");
  if (!d) return HK_E_USAGE;
  if (!out || out->size < offsetof(hk_mode, name))
    return hki_misuse(l->ctx, "hk_statespace_mode",
                      "no place for the mode, or its size is not set");
  const double size = hypot(d->re, d->im), pi = 3.14159265358979323846;
  hk_mode m = {.size = out->size, .real = d->re, .imag = d->im, .frequency_Hz = d->im / (2.0 * pi)};
  m.damping = size > 0.0 ? -d->re / size : NAN;
  m.name = l->name[d->state];
  m.body = d->body >= 0 ? l->m->spec->bodies[d->body].name : "";
  m.share = d->share;
  m.multiplier_real = d->mu[0], m.multiplier_imag = d->mu[1];
  memcpy(out, &m, out->size < sizeof m ? out->size : sizeof m);
  return HK_OK;
}

/* (re + i im) times the phase of the mode; conjugate, where the vector is that of the other of a pair */
static void turn(const hk_statespace_mode_data *d, double *re, double *im) {
  const double r = *re, i = *im;
  *re = r * d->phase[0] - i * d->phase[1];
  *im = r * d->phase[1] + i * d->phase[0];
  if (d->turned) *im = -*im;
}

hk_status hk_statespace_shape(const hk_statespace *l, int32_t mode, double *real, double *imag) {
  const hk_statespace_mode_data *d = mode_of(l, mode, "hk_statespace_shape");
  if (!d) return HK_E_USAGE;
  if (!real || !imag) return hki_misuse(l->ctx, "hk_statespace_shape", "no place for the shape");
  const double *X = l->right + (size_t)d->column * (size_t)l->n;
  for (int32_t i = 0; i < l->n; i++) {
    real[i] = X[i], imag[i] = d->pair ? X[l->n + i] : 0.0;
    turn(d, &real[i], &imag[i]);
  }
  return HK_OK;
}

hk_status hk_statespace_body(const hk_statespace *l, int32_t mode, int32_t body, double *real,
                             double *imag, double *share) {
  const hk_statespace_mode_data *d = mode_of(l, mode, "hk_statespace_body");
  if (!d) return HK_E_USAGE;
  if (body < 0 || body >= l->nb || !real || !imag)
    return hki_misuse(l->ctx, "hk_statespace_body", "no such body, or no place for its motion");
  double V[2][6], *out[2] = {real, imag}, sum = 0.0;
  mode_twist(l, d, body, V[0], V[1]);
  for (int k = 0; k < 6; k++) turn(d, &V[0][k], &V[1][k]);
  for (int p = 0; p < 2; p++) {
    v3_copy(out[p] + 3, V[p]);
    v3_copy(out[p], V[p] + 3);
    v3_cross_add(out[p], V[p], l->arm + 3 * (size_t)body);
  }
  for (int32_t b = 0; share && b < l->nb; b++) sum += energy(l, d, b);
  if (share) *share = sum > 0.0 ? energy(l, d, body) / sum : 0.0;
  return HK_OK;
}
