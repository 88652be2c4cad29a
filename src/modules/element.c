/* SPDX-License-Identifier: Apache-2.0
 *
 * element.c: force and network elements of modules.
 *
 * Slopes that an element does not give are central differences of what it gives. Between two markers
 * it depends on their relative motion, so that it is enough to move the second one. With r from the
 * first marker to the second, the deformations are the motion of the second relative to the first,
 *
 *   B = [-X  1],  X = [1 0; -[r]x 1],  f = -w_B,  ks = -dw_B/dxi_B,  cs = -dw_B/dV_B
 *
 * and on one marker B = 1. The turning of the forces is part of these differences already.
 */
#include <string.h>

#include <math.h>
#include <stdio.h>

#include "elements/element.h"
#include "modules/modules_impl.h"

/* a type; elements find it at the beginning of their parameters */
typedef struct own_element {
  const hk_plugin_element *type;
  hk_element_ops ops;
  hk_domain domains[HK_ELEMENT_NODES];
  bool noted; /* that its slopes are differences */
} own_element;

_Static_assert(sizeof(hk_plugin_frame) == sizeof(hk_frame) &&
                   offsetof(hk_plugin_frame, p) == offsetof(hk_frame, p) &&
                   offsetof(hk_plugin_frame, w) == offsetof(hk_frame, w) &&
                   offsetof(hk_plugin_frame, v) == offsetof(hk_frame, v),
               "frames of modules are those of the library");
_Static_assert((int)HK_PLUGIN_NEED_OUTPUT == (int)HK_NEED_OUTPUT &&
                   (int)HK_PLUGIN_NEED_INPUT == (int)HK_NEED_INPUT &&
                   (int)HK_PLUGIN_NEED_EXACT == (int)HK_NEED_EXACT &&
                   (int)HK_PLUGIN_ACCEPTED == (int)HK_HOOK_ACCEPTED &&
                   (int)HK_PLUGIN_ABSTRACT == (int)HK_DOMAIN_ABSTRACT,
               "words of modules are those of the library");

enum { STRIDE = 6 * HK_ELEMENT_MARKERS }; /* of w, B, K, C and Wu */

static const own_element *type_of(const void *par) { return *(const own_element *const *)par; }
static const void *own_par(const void *par) { return (const char *)par + HK_SELF; }

static hk_plugin_in inputs(const hk_element_in *in) {
  return (hk_plugin_in){.t = in->t,
                        .m = (const hk_plugin_frame *)(const void *)in->m,
                        .s = in->s,
                        .sd = in->sd,
                        .u = in->u,
                        .u_varies = in->u_varies,
                        .d = in->d,
                        .x = in->x,
                        .xd = in->xd};
}

/* calls the module; what it is asked for is 0 before */
static void call(const own_element *o, const void *par, const hk_plugin_in *in, uint32_t need,
                 hk_element_out *out) {
  const hk_plugin_element *t = o->type;
  const int32_t n = t->nnode + t->nown;
  hk_plugin_out to = {.w = out->w,
                      .tau = &out->tau,
                      .B = out->B,
                      .ks = out->ks,
                      .cs = out->cs,
                      .K = out->K,
                      .C = out->C,
                      .Wu = out->Wu,
                      .energy = &out->energy,
                      .dissipated = &out->dissipated,
                      .supplied = &out->supplied,
                      .y = out->y,
                      .F = out->F,
                      .Fx = out->Fx,
                      .Fxd = out->Fxd,
                      .Fs = out->Fs,
                      .Fsd = out->Fsd,
                      .Fu = out->Fu,
                      .tau_x = out->tau_x,
                      .s = &out->s,
                      .sd = &out->sd,
                      .ldB = STRIDE,
                      .ldk = HK_ELEMENT_RANK,
                      .ldK = STRIDE,
                      .ldF = HK_ELEMENT_UNKNOWNS};
  const size_t D = sizeof(double), f = (size_t)HK_ELEMENT_UNKNOWNS * (size_t)n * D;
  out->tau = 0.0;
  memset(out->w, 0, 6 * (size_t)t->nmark * D);
  if (n) memset(out->F, 0, sizeof out->F);
  if (need & HK_NEED_TANGENT) {
    memset(out->B, 0, STRIDE * (size_t)t->rank * D);
    memset(out->ks, 0, HK_ELEMENT_RANK * (size_t)t->rank * D);
    memset(out->cs, 0, HK_ELEMENT_RANK * (size_t)t->rank * D);
    if (n) memset(out->Fx, 0, f), memset(out->Fxd, 0, f), memset(out->tau_x, 0, sizeof out->tau_x);
    if (n) memset(out->Fs, 0, sizeof out->Fs), memset(out->Fsd, 0, sizeof out->Fsd);
    out->K[0] = out->C[0] = 0.0;
  }
  if (need & HK_NEED_EXACT) memset(out->K, 0, sizeof out->K), memset(out->C, 0, sizeof out->C);
  if (need & HK_NEED_INPUT) memset(out->Wu, 0, STRIDE * (size_t)t->nu * D);
  if ((need & HK_NEED_INPUT) && n) memset(out->Fu, 0, sizeof out->Fu);
  if (need & HK_NEED_ENERGY) out->energy = out->dissipated = out->supplied = 0.0;
  if (need & HK_NEED_OUTPUT) memset(out->y, 0, sizeof out->y);
  t->eval(par, in, need, &to);
}

/* --- differences ------------------------------------------------------------------------------ */

static double step_of(double x) { return 1e-6 * (1.0 + fabs(x)); }

/* what is moved: a marker in direction k, or a number */
typedef struct moved {
  int32_t marker, k; /* k < 6: pose, else velocity; marker -1: a number */
  double *number;    /* in `in`, or an entry of one of its lists */
} moved;

static void move_marker(hk_frame *m, int32_t k, double h) {
  if (k >= 9)
    m->v[k - 9] += h;
  else if (k >= 6)
    m->w[k - 6] += h;
  else
    hki_frame_move(m, k, h);
}

/* (out(+h) - out(-h))/2h of wrench, tau and F, into `to` */
static void difference(const own_element *o, const void *par, hk_plugin_in *in, hk_frame *m,
                       moved what, hk_element_out *to) {
  hk_element_out side[2];
  const double h = step_of(what.number ? *what.number : 0.0), at = what.number ? *what.number : 0.0;
  const hk_frame kept = what.marker >= 0 ? m[what.marker] : (hk_frame){{0}, {0}, {0}, {0}};
  for (int k = 0; k < 2; k++) {
    const double d = k ? -h : h;
    if (what.marker >= 0)
      move_marker(&m[what.marker], what.k, d);
    else
      *what.number = at + d;
    call(o, par, in, HK_NEED_FORCE, &side[k]);
    if (what.marker >= 0)
      m[what.marker] = kept;
    else
      *what.number = at;
  }
  for (int i = 0; i < STRIDE; i++) to->w[i] = (side[0].w[i] - side[1].w[i]) / (2.0 * h);
  for (int i = 0; i < HK_ELEMENT_UNKNOWNS; i++)
    to->F[i] = (side[0].F[i] - side[1].F[i]) / (2.0 * h);
  to->tau = (side[0].tau - side[1].tau) / (2.0 * h);
}

/* the arguments of an element, so that they can be moved */
typedef struct arguments {
  hk_plugin_in in;
  hk_frame m[HK_ELEMENT_MARKERS];
  double u[HK_ELEMENT_INPUTS], x[HK_ELEMENT_UNKNOWNS], xd[HK_ELEMENT_UNKNOWNS];
} arguments;

static void copy_arguments(const own_element *o, const hk_plugin_in *in, arguments *a) {
  const hk_plugin_element *t = o->type;
  const int32_t n = t->nnode + t->nown;
  memset(a, 0, sizeof *a);
  a->in = *in;
  if (t->nmark) memcpy(a->m, in->m, (size_t)t->nmark * sizeof *a->m);
  if (t->nu) memcpy(a->u, in->u, (size_t)t->nu * sizeof *a->u);
  if (n) memcpy(a->x, in->x, (size_t)n * sizeof *a->x);
  if (n) memcpy(a->xd, in->xd, (size_t)n * sizeof *a->xd);
  a->in.m = (const hk_plugin_frame *)(const void *)a->m;
  a->in.u = a->u, a->in.x = n ? a->x : NULL, a->in.xd = n ? a->xd : NULL;
}

/* B, ks and cs of markers */
static void marker_slopes(const own_element *o, const void *par, arguments *a,
                          hk_element_out *out) {
  const int32_t last = o->type->nmark - 1;
  hk_element_out d;
  memset(out->B, 0, sizeof out->B);
  for (int i = 0; i < 6; i++) out->B[STRIDE * i + 6 * last + i] = 1.0;
  if (last == 1) {
    const double r[3] = {a->m[1].p[0] - a->m[0].p[0], a->m[1].p[1] - a->m[0].p[1],
                         a->m[1].p[2] - a->m[0].p[2]};
    const double X[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0}; // [r]x
    for (int i = 0; i < 6; i++) out->B[STRIDE * i + i] = -1.0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) out->B[STRIDE * (3 + i) + j] = X[3 * i + j];
  }
  for (int k = 0; k < 12; k++) {
    double *slope = k < 6 ? out->ks : out->cs;
    difference(o, par, &a->in, a->m, (moved){last, k, NULL}, &d);
    for (int i = 0; i < 6; i++) slope[HK_ELEMENT_RANK * i + k % 6] = -d.w[6 * last + i];
  }
}

/* slopes in the joint coordinate, the unknowns, and of the unknowns */
static void scalar_slopes(const own_element *o, const void *par, arguments *a,
                          hk_element_out *out) {
  const int32_t n = o->type->nnode + o->type->nown;
  hk_element_out d;
  for (int k = 0; o->type->on_joint && k < 2; k++) {
    difference(o, par, &a->in, NULL, (moved){-1, 0, k ? &a->in.sd : &a->in.s}, &d);
    *(k ? out->C : out->K) = -d.tau;
    for (int32_t i = 0; i < n; i++) (k ? out->Fsd : out->Fs)[i] = d.F[i];
  }
  for (int32_t j = 0; j < 2 * n; j++) {
    const bool rate = j >= n;
    const int32_t k = j % n;
    difference(o, par, &a->in, NULL, (moved){-1, 0, rate ? &a->xd[k] : &a->x[k]}, &d);
    for (int32_t i = 0; i < n; i++)
      (rate ? out->Fxd : out->Fx)[HK_ELEMENT_UNKNOWNS * i + k] = d.F[i];
    if (!rate) out->tau_x[k] = d.tau;
  }
}

/* K and C of markers */
static void exact_slopes(const own_element *o, const void *par, arguments *a, hk_element_out *out) {
  const int32_t n = 6 * o->type->nmark;
  hk_element_out d;
  for (int32_t j = 0; j < n; j++)
    for (int k = 0; k < 2; k++) {
      difference(o, par, &a->in, a->m, (moved){j / 6, j % 6 + 6 * k, NULL}, &d);
      for (int32_t i = 0; i < n; i++) (k ? out->C : out->K)[STRIDE * i + j] = -d.w[i];
    }
}

static void input_slopes(const own_element *o, const void *par, arguments *a, hk_element_out *out) {
  hk_element_out d;
  for (int32_t j = 0; j < o->type->nu; j++) {
    difference(o, par, &a->in, NULL, (moved){-1, 0, &a->u[j]}, &d);
    memcpy(out->Wu + STRIDE * j, d.w, STRIDE * sizeof *d.w);
    if (o->type->on_joint) out->Wu[STRIDE * j] = d.tau;
    for (int32_t i = 0; i < HK_ELEMENT_UNKNOWNS; i++) out->Fu[HK_ELEMENT_UNKNOWNS * j + i] = d.F[i];
  }
}

/* those of `need` */
static void differences(const own_element *o, const void *par, const hk_plugin_in *in,
                        uint32_t need, hk_element_out *out) {
  arguments a;
  copy_arguments(o, in, &a);
  if ((need & HK_NEED_TANGENT) && o->type->nmark) marker_slopes(o, par, &a, out);
  if (need & HK_NEED_TANGENT) scalar_slopes(o, par, &a, out);
  if ((need & HK_NEED_EXACT) && o->type->nmark) exact_slopes(o, par, &a, out);
  if (need & HK_NEED_INPUT) input_slopes(o, par, &a, out);
}

/* --- the functions of the table --------------------------------------------------------------- */

/* what the element gives itself, as HK_NEED_ bits; on a joint its tangent is exact */
static uint32_t given(const hk_plugin_element *t) {
  return (t->caps & HK_PLUGIN_TANGENT ? (uint32_t)HK_NEED_TANGENT : 0u) |
         (t->caps & HK_PLUGIN_EXACT || t->on_joint ? (uint32_t)HK_NEED_EXACT : 0u) |
         (t->caps & HK_PLUGIN_INPUTS || !t->nu ? (uint32_t)HK_NEED_INPUT : 0u);
}

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const own_element *o = type_of(par);
  const hk_plugin_in pin = inputs(in);
  // networks take all numbers, whatever they ask for
  if (o->type->nnode + o->type->nown) need |= HK_NEED_TANGENT | HK_NEED_INPUT | HK_NEED_OUTPUT;
  // the slopes of an element on a joint are the same for both tangents
  if (o->type->on_joint && (need & HK_NEED_EXACT)) need |= HK_NEED_TANGENT;
  const uint32_t slopes = HK_NEED_TANGENT | HK_NEED_EXACT | HK_NEED_INPUT;
  const uint32_t missing = need & slopes & ~given(o->type);
  call(o, own_par(par), &pin, (need & ~missing) | HK_NEED_FORCE, out);
  if (missing) differences(o, own_par(par), &pin, missing, out);
  out->spent = out->spending = 0.0;
}

static void power(const void *par, const hk_element_in *in, double *dissipated, double *supplied) {
  const hk_plugin_in pin = inputs(in);
  *dissipated = *supplied = 0.0;
  type_of(par)->type->power(own_par(par), &pin, dissipated, supplied);
}

static void own_start(const void *par, double *x) {
  const own_element *o = type_of(par);
  for (int32_t i = 0; i < o->type->nown; i++) x[i] = 0.0;
  if (o->type->own_start) o->type->own_start(own_par(par), x);
}

static bool hook(const void *par, hk_hook when, const hk_element_in *in, double *d) {
  const own_element *o = type_of(par);
  const hk_plugin_in pin = inputs(in);
  return o->type->hook(own_par(par), (int32_t)when, &pin, d) != 0;
}

/* --- checks when a model is read -------------------------------------------------------------- */

/* numbers without a pattern between -1 and 1 */
static double next_random(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

/* a state near the drawing position */
static void random_state(const own_element *o, const double *u, const hk_frame *m0, uint32_t *seed,
                         arguments *a) {
  static const double no_data[HK_ELEMENT_DISCRETE];
  const hk_plugin_element *t = o->type;
  memset(a, 0, sizeof *a);
  for (int32_t k = 0; k < t->nmark; k++) {
    a->m[k] = m0[k];
    for (int32_t i = 0; i < 12; i++)
      move_marker(&a->m[k], i, (i < 6 ? 0.1 : 1.0) * next_random(seed));
  }
  memcpy(a->u, u, (size_t)t->nu * sizeof *u);
  for (int32_t i = 0; i < t->nnode + t->nown; i++)
    a->x[i] = next_random(seed), a->xd[i] = next_random(seed);
  a->in = (hk_plugin_in){.s = next_random(seed), .sd = next_random(seed), .d = no_data};
  a->in.m = (const hk_plugin_frame *)(const void *)a->m;
  a->in.u = a->u, a->in.x = a->x, a->in.xd = a->xd;
}

/* largest of n numbers */
static double largest(const double *a, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/* Largest difference of n slopes, over their size. `value`: size of what they are slopes of, whose
 * round-off a difference magnifies. */
static double apart(const double *a, const double *b, int32_t n, double value) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  const double noise = 1e-7 * value + 1e-12;
  return fmax(0.0, most - noise) / (fmax(largest(a, n), largest(b, n)) + noise);
}

/* -B'(ks, cs)B of markers as matrices like K and C */
static void spread(const hk_element_out *out, int32_t rank, int32_t n, const double *ks,
                   double *K) {
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (int32_t p = 0; p < rank; p++)
        for (int32_t q = 0; q < rank; q++)
          sum += out->B[STRIDE * p + i] * ks[HK_ELEMENT_RANK * p + q] * out->B[STRIDE * q + j];
      K[STRIDE * i + j] = sum;
    }
}

/* The slopes of rates do not turn with the markers, so cs must be exact; ks may leave out the turning
 * of the forces, which only K has. Largest relative error. */
static double wrong_slopes(const own_element *o, const void *par, const arguments *a) {
  const int32_t n = 6 * o->type->nmark, nx = o->type->nnode + o->type->nown;
  const uint32_t all = HK_NEED_TANGENT | HK_NEED_EXACT | HK_NEED_INPUT, own = given(o->type);
  hk_element_out out, d;
  double C[STRIDE * STRIDE], most = 0.0;
  memset(&out, 0, sizeof out);
  memset(&d, 0, sizeof d);
  memset(C, 0, sizeof C);
  call(o, par, &a->in, HK_NEED_FORCE | (all & own), &out);
  differences(o, par, &a->in, all, &d);
  const double w = fmax(largest(out.w, n), fabs(out.tau)), F = largest(out.F, nx);
  if (n && (own & HK_NEED_TANGENT)) {
    spread(&out, o->type->rank, n, out.cs, C);
    most = fmax(most, apart(C, d.C, STRIDE * n, w));
  }
  if (n && (o->type->caps & HK_PLUGIN_EXACT))
    most = fmax(most, fmax(apart(out.K, d.K, STRIDE * n, w), apart(out.C, d.C, STRIDE * n, w)));
  if (!n && (own & HK_NEED_TANGENT))
    most = fmax(most, fmax(apart(out.K, d.K, 1, w), apart(out.C, d.C, 1, w)));
  if (nx && (own & HK_NEED_TANGENT))
    most = fmax(most, fmax(apart(out.Fx, d.Fx, HK_ELEMENT_UNKNOWNS * nx, F),
                           apart(out.Fxd, d.Fxd, HK_ELEMENT_UNKNOWNS * nx, F)));
  if (o->type->caps & HK_PLUGIN_INPUTS)
    most = fmax(most, apart(out.Wu, d.Wu, STRIDE * o->type->nu, w));
  return most;
}

/* are the wrenches of two markers opposite? */
static bool balanced(const hk_element_out *out, const hk_frame *m) {
  double r[3], x[3], sum[6], size[6];
  v3_sub(r, m[1].p, m[0].p);
  v3_cross(x, r, out->w + 9);
  for (int i = 0; i < 6; i++) {
    sum[i] = out->w[i] + out->w[6 + i] + (i < 3 ? x[i] : 0.0);
    size[i] = fabs(out->w[i]) + fabs(out->w[6 + i]);
  }
  double most = 0.0, all = 1e-12;
  for (int i = 0; i < 6; i++) most = fmax(most, fabs(sum[i])), all = fmax(all, size[i]);
  return most <= 1e-9 * all * (1.0 + v3_norm(r));
}

/* are the first outputs of an element its own unknowns? Whoever reads them takes them for these */
static bool tells_unknowns(const own_element *o, const void *par, const arguments *at) {
  const hk_plugin_element *t = o->type;
  hk_element_out a;
  memset(&a, 0, sizeof a);
  call(o, par, &at->in, HK_NEED_FORCE | HK_NEED_OUTPUT, &a);
  for (int32_t i = 0; i < t->nown && i < t->ny; i++)
    if (a.y[i] != at->in.x[t->nnode + i]) return false;
  return true;
}

/* what is wrong with the element at a few states; NULL: nothing. A kink may fool the differences at one of
 * them, not at all. */
static const char *fault(const own_element *o, const void *par, const double *u,
                         const hk_frame *m0) {
  enum { STATES = 3 };
  uint32_t seed = 1;
  int32_t wrong = 0;
  for (int i = 0; i < STATES; i++) {
    hk_element_out a, b;
    arguments at;
    random_state(o, u, m0, &seed, &at);
    memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
    call(o, par, &at.in, HK_NEED_FORCE, &a);
    call(o, par, &at.in, HK_NEED_FORCE, &b);
    if (memcmp(&a, &b, sizeof a) != 0) return "it gives different forces at the same state";
    if (o->type->nmark == 2 && !balanced(&a, at.m))
      return "its wrenches on the two bodies are not opposite";
    if (!tells_unknowns(o, par, &at)) return "its first outputs are not its own unknowns";
    if (wrong_slopes(o, par, &at) > 1e-3) wrong++;
  }
  return wrong == STATES ? "its slopes differ from differences of its forces" : NULL;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *par, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  own_element *o = (own_element *)(uintptr_t) * (const own_element *const *)par;
  const hk_plugin_element *t = o->type;
  char why[300] = "";
  (void)u_given;
  hki_module_put_self(hki_module_self(t), (char *)par + HK_SELF);
  if (t->prepare && t->prepare((char *)par + HK_SELF, u0, why, sizeof why) != 0) {
    why[sizeof why - 1] = '\0';
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "'%s': %s", name, hki_module_words(why));
  }
  const char *wrong = fault(o, own_par(par), u0, m0);
  if (wrong)
    return hki_error(ctx, HK_E_MODEL, loc, "this is a mistake in the module",
                     "'%s', a %s of a module: %s", name, t->name, wrong);
  if (!(t->caps & HK_PLUGIN_TANGENT) && !o->noted) {
    o->noted = true;
    hki_note(ctx, loc, "'%s' of a module gives no slopes: they are found by differences", t->name);
  }
  return HK_OK;
}

/* --- registering ------------------------------------------------------------------------------ */

/* what is wrong with the counts and functions; NULL: nothing */
static const char *bad_counts(const hk_plugin_element *t) {
  if (!t->eval) return "it has no function 'eval'";
  if (t->nmark < 0 || t->nmark > HK_ELEMENT_MARKERS) return "it may have 0, 1 or 2 markers";
  if (t->nmark && t->on_joint) return "it acts on markers or on a joint, not on both";
  if (t->rank < 0 || t->rank > HK_ELEMENT_RANK) return "its rank is not from 0 to 6";
  if (t->nmark && (t->caps & HK_PLUGIN_TANGENT) && !t->rank) return "it gives a tangent of rank 0";
  if (t->nu < 0 || t->nu > 12) return "it may have at most 12 inputs";
  if (t->nd < 0 || t->nd > HK_ELEMENT_DISCRETE) return "it may have at most 4 discrete data";
  if (t->nd && !t->hook) return "it has discrete data, but no hook that changes them";
  if (t->ny < 0 || t->ny > HK_ELEMENT_OUTPUTS) return "it may have at most 12 outputs";
  if (t->nnode < 0 || t->nnode > HK_ELEMENT_NODES) return "it may join at most 4 nodes";
  if (t->nown < 0 || t->nnode + t->nown > HK_ELEMENT_UNKNOWNS)
    return "it may have at most 6 unknowns, nodes counted";
  if (t->nown && !t->own_scale) return "'own_scale' is missing";
  if (t->nnode && !t->domains) return "'domains' is missing";
  if (t->ny && (!t->outputs || hki_word_count(t->outputs) != t->ny || !t->output_units ||
                hki_word_count(t->output_units) != t->ny))
    return "'outputs' and 'output_units' must have a word for each output";
  const bool network = (t->caps & HK_PLUGIN_NETWORK) != 0, unknowns = t->nnode + t->nown > 0;
  if (network != unknowns)
    return "elements with nodes or unknowns, and only they, are of a network";
  if (unknowns && t->nmark) return "an element with unknowns acts on a joint, not on markers";
  if (!t->nmark && !t->on_joint && !unknowns) return "it acts on nothing";
  return NULL;
}

static void fill(own_element *o, const hk_param *params) {
  const hk_plugin_element *t = o->type;
  const bool tangent = (t->caps & HK_PLUGIN_TANGENT) != 0;
  for (int32_t i = 0; i < t->nnode; i++) o->domains[i] = (hk_domain)t->domains[i];
  o->ops =
      (hk_element_ops){.name = t->name,
                       .text = t->text,
                       .source = t->source ? t->source : "a module",
                       .nmark = t->nmark,
                       .nscal = t->on_joint ? 1 : 0,
                       .rank = t->nmark      ? (tangent ? t->rank : 6)
                               : t->on_joint ? 1
                                             : 0,
                       .nu = t->nu,
                       .nd = t->nd,
                       .ny = t->ny,
                       .caps = (t->nmark == 2 ? (uint32_t)HK_ELEMENT_RELATIVE : 0u) |
                               (t->caps & HK_PLUGIN_NETWORK ? (uint32_t)HK_ELEMENT_NETWORK : 0u) |
                               (t->caps & HK_PLUGIN_SUPPLIES ? (uint32_t)HK_ELEMENT_SUPPLIES : 0u),
                       .nnode = t->nnode,
                       .nown = t->nown,
                       .domains = o->domains,
                       .own_scale = t->own_scale,
                       .par_size = HK_SELF + t->par_size,
                       .self = o,
                       .params = params,
                       .arrow = t->nmark - 1 > 0 ? t->nmark - 1 : 0,
                       .outputs = t->outputs ? t->outputs : "",
                       .output_units = t->output_units ? t->output_units : "",
                       .prepare = prepare,
                       .eval = eval,
                       .power = t->power ? power : NULL,
                       .own_start = t->nown ? own_start : NULL,
                       .hook = t->hook ? hook : NULL};
}

hk_status hki_module_element(hk_loading *l, const hk_plugin_element *t) {
  const hk_key_rules rules = {.kinds = ~(1u << HK_PLUGIN_AXIS),
                              .par_size = t->par_size,
                              .head = HK_SELF,
                              .nu = t->nu,
                              .nnode = t->nnode};
  if (!hki_module_good(l, t->size, offsetof(hk_plugin_element, self), t->name, t->text) ||
      !hki_module_room(l, t->name, hki_module_self(t), t->par_size))
    return l->status;
  if (hki_element_known(l->ctx, t->name))
    return hki_module_refuse(l, t->name, "there is such an element already");
  const char *wrong = bad_counts(t);
  for (int32_t i = 0; !wrong && i < t->nnode; i++)
    if (t->domains[i] < 0 || t->domains[i] >= HK_DOMAINS) wrong = "a node is of no known kind";
  if (wrong) return hki_module_refuse(l, t->name, "%s", wrong);
  own_element *o = hki_module_alloc(l, sizeof *o);
  const hk_param *params = hki_module_keys(l, t->name, t->keys, &rules);
  if (!o || !params) return l->status;
  o->type = t;
  fill(o, params);
  if (!hki_extend_add(l->ctx, HK_EXTEND_ELEMENT, &o->ops)) l->status = HK_E_MEMORY;
  return l->status;
}
