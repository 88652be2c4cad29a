/* SPDX-License-Identifier: Apache-2.0
 *
 * muscle.c: a muscle between two points, with a rigid tendon in line. With the distance s of its ends,
 * its length l = s - tendon, x = l/l0 and v = sdot/v0:
 *
 *   f  = f0 (a fl(x) fv(v) + fp(x))                     tension, never a push
 *   fl = exp((x - 0.95)^2 - 40 (x - 0.95)^4)            active force over the length
 *   fv = 1.6 - 1.6 exp(0.1/(v - 1)^2 - 1.1/(v - 1)^4)   active force over the rate of the length
 *   fp = 1.3 atan(0.1 (x - 0.22)^10)                    passive force
 *
 * Source: Pennestri, Stefanelli, Valentini and Vita 2007, "Virtual musculo-skeletal model for the
 * biomechanical analysis of the upper limb", Journal of Biomechanics 40; constants as MBDyn's module of
 * muscles has them. The curves have fl(1) = 1.0022, fv(0) = 1.0114 and fv(-1) = 0.0685. Three ends of the formulas have no meaning for a
 * muscle and are cut: fv stays 1.6 for v >= 1 (it gets there with all its slopes zero), it is 0 below
 * v = 1 - sqrt(11), where the formula turns negative, and fp is 0 below x = 0.22.
 *
 * Reflexes add to what the nerves ask for, u, and the sum is limited:
 *
 *   e = min(1, max(0, u + kp (l - l_ref) + kd (sdot - v_ref)))
 *
 * The activation is a = e, or follows it with different times for rise and fall:
 *
 *   da/dt = (e - a)/rise   where e > a,      (e - a)/fall   else
 *
 * a is then a private state (state.h), linear in each of its branches. Which branch holds follows from
 * the side of e on which the rule of the integrator puts it: a < e just where c + gamma e > 0.
 *
 * The passive part stores energy, with y = x - 0.22 and R = 10^(1/10):
 *
 *   E = 1.3 f0 l0 (y atan(0.1 y^10) - R sum_k (-1)^k (sin_k ln|1 - y/y_k| + cos_k arg(1 - y/y_k)))
 *
 * over the ten roots y_k = R (cos_k + i sin_k) of 1 + 0.01 y^20 in the upper half plane, at the angles
 * pi (2 k + 1)/20: partial fractions of the rest that integration by parts leaves. The work of the active
 * part counts as supplied, also where it is negative.
 */
#include "elements/line.h"

enum { U_ACTIVATION, U_LENGTH, U_VELOCITY, U_STRETCH, U_RATE, INPUTS };

typedef struct hk_muscle_par {
  double force, length, velocity; /* f0, l0, v0 */
  double tendon;
  double rise, fall; /* time constants; both 0: the activation follows at once */
} hk_muscle_par;

/* a number with its slopes in s, sdot and in the inputs */
typedef struct number {
  double x, s, sd, u[INPUTS];
} number;

typedef struct pull {
  double length;
  number excitation, activation;
  double active, passive; /* forces */
  double ks, cs, f;       /* slopes and sum */
  double per_activation;  /* df/da */
} pull;

/* --- curves ----------------------------------------------------------------------------------- */

static double force_length(double x, double *slope) {
  const double y = x - 0.95, y2 = y * y, f = exp(y2 - 40.0 * y2 * y2);
  *slope = f * y * (2.0 - 160.0 * y2);
  return f;
}

static double force_velocity(double v, double *slope) {
  const double w = 1.0 - v, w2 = w * w;
  *slope = 0.0;
  if (w <= 0.0) return 1.6;
  if (w2 >= 11.0) return 0.0;
  // so close to v = 1 that the exponential is zero
  const double rest = exp((0.1 - 1.1 / w2) / w2);
  if (rest == 0.0) return 1.6;
  *slope = 1.6 * rest * (4.4 / w2 - 0.2) / (w2 * w);
  return 1.6 - 1.6 * rest;
}

static double force_passive(double x, double *slope) {
  const double y = x - 0.22, y2 = y * y, y4 = y2 * y2, y9 = y4 * y4 * y;
  *slope = 0.0;
  if (y <= 0.0) return 0.0;
  const double z = 0.1 * y9 * y;
  *slope = 1.3 * y9 / (1.0 + z * z);
  return 1.3 * atan(z);
}

/* integral of force_passive */
static double stored(double x) {
  static const double c[5] = {0.98768834059513773, 0.89100652418836787, 0.70710678118654752,
                              0.45399049973954675, 0.15643446504023087};
  const double y = x - 0.22, R = 1.2589254117941673, r = y / R;
  double sum = 0.0;
  if (y <= 0.0) return 0.0;
  for (int k = 0; k < 10; k++) {
    // cosines of the first five roots are the sines of the last of them, and mirrored
    const double cosine = k < 5 ? c[k] : -c[9 - k], sine = k < 5 ? c[4 - k] : c[k - 5];
    const double re = 1.0 - r * cosine, im = r * sine;
    const double part = 0.5 * sine * log(re * re + im * im) + cosine * atan2(im, re);
    sum += k % 2 ? -part : part;
  }
  return 1.3 * (y * atan(0.1 * pow(y, 10.0)) - R * sum);
}

/* --- activation ------------------------------------------------------------------------------- */

static void excite(const double *u, double l, double sd, number *e) {
  *e = (number){u[U_ACTIVATION] + u[U_STRETCH] * (l - u[U_LENGTH]) +
                    u[U_RATE] * (sd - u[U_VELOCITY]),
                u[U_STRETCH],
                u[U_RATE],
                {1.0, -u[U_STRETCH], -u[U_RATE], l - u[U_LENGTH], sd - u[U_VELOCITY]}};
  if (e->x < 0.0) *e = (number){0.0, 0.0, 0.0, {0.0}};
  if (e->x > 1.0) *e = (number){1.0, 0.0, 0.0, {0.0}};
}

static void activate(const hk_muscle_par *par, const hk_states *st, const number *e, number *a) {
  *a = *e;
  if (par->rise == 0.0) return;
  bool rises = st && st->mode == HK_STATES_STAGE ? st->c[0] + st->gamma * e->x > 0.0
                                                 : e->x > (st ? st->z[0] : 0.0);
  const double b = 1.0 / (rises ? par->rise : par->fall);
  double rate, share = b * hki_state(st, 0, e->x * b, b, &a->x, &rate);
  a->s *= share, a->sd *= share;
  for (int i = 0; i < INPUTS; i++) a->u[i] *= share;
}

/* --- the element ------------------------------------------------------------------------------ */

static void pull_eval(const hk_muscle_par *par, const hk_element_in *in, double s, double sd,
                      pull *p) {
  double lx, vx, px;
  const double f0 = par->force, l0 = par->length, v0 = par->velocity;
  p->length = s - par->tendon;
  excite(in->u, p->length, sd, &p->excitation);
  activate(par, in->st, &p->excitation, &p->activation);
  const double fl = force_length(p->length / l0, &lx), fv = force_velocity(sd / v0, &vx);
  const double a = p->activation.x;
  p->per_activation = f0 * fl * fv;
  p->active = p->per_activation * a;
  p->passive = f0 * force_passive(p->length / l0, &px);
  p->f = p->active + p->passive;
  p->ks = p->per_activation * p->activation.s + f0 * (a * lx * fv + px) / l0;
  p->cs = p->per_activation * p->activation.sd + f0 * a * fl * vx / v0;
}

static void eval(const void *q, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_muscle_par *par = q;
  hk_line l;
  pull p;
  hki_line_eval(NULL, &in->m[0], &in->m[1], &l);
  pull_eval(par, in, l.s, l.sd, &p);

  hki_line_row(&l, p.f, out->B, out->w);
  out->ks[0] = p.ks, out->cs[0] = p.cs;

  if (need & HK_NEED_EXACT) hki_line_exact(&l, &in->m[0], p.f, p.ks, p.cs, out);
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < INPUTS; k++)
      for (int i = 0; i < 12; i++)
        out->Wu[12 * k + i] = -p.per_activation * p.activation.u[k] * out->B[i];
  if (need & HK_NEED_ENERGY) {
    out->energy = par->force * par->length * stored(p.length / par->length);
    out->dissipated = out->spent = out->spending = 0.0;
    out->supplied = -p.active * l.sd;
    out->s = l.s, out->sd = l.sd;
  }
  if (need & HK_NEED_OUTPUT) {
    out->y[0] = p.length, out->y[1] = l.sd, out->y[2] = p.f;
    out->y[3] = p.activation.x, out->y[4] = p.excitation.x, out->y[5] = 0.0 - p.f * l.sd;
  }
}

static void power(const void *q, const hk_element_in *in, double *dissipated, double *supplied) {
  pull p;
  pull_eval(q, in, in->s, in->sd, &p);
  *dissipated = 0.0, *supplied = -p.active * in->sd;
}

static int32_t states(const void *q, double *unit) {
  const bool own = ((const hk_muscle_par *)q)->rise > 0.0;
  if (own && unit) unit[0] = 1.0;
  return own;
}

/* times of one another where one is given; reflexes act from the drawing where no length is given */
static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *q, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_muscle_par *par = q;
  hk_line l;
  hki_line_eval(NULL, &m0[0], &m0[1], &l);
  if (par->velocity == 0.0) par->velocity = 2.5 * par->length;
  if (par->rise == 0.0) par->rise = par->fall;
  if (par->fall == 0.0) par->fall = par->rise;
  if (!(u_given >> U_LENGTH & 1u)) u0[U_LENGTH] = l.s - par->tendon;
  if (l.s > par->tendon) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "give a shorter 'tendon', or ends further apart",
                   "muscle '%s' has no length: its ends are %g m apart, its tendon is %g m long",
                   name, l.s, par->tendon);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_muscle_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_P_ENDS, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "a point of the first body and one of the second"},
    {"force", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(force), NAN, 0, 0, "N", NULL, "largest isometric force"},
    {"length", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(length), NAN, 0, 0, "m", NULL, "optimal length, at which it has that force"},
    {"velocity", HK_P_REAL, HK_P_POSITIVE, AT(velocity), NAN, 0, 0, "m/s", NULL, "unit of the rates in the law: shortening that fast leaves 7 % of the force; left out: 2.5 optimal lengths per second"},
    {"tendon", HK_P_REAL, HK_P_NONNEGATIVE, AT(tendon), 0, 0, 0, "m", NULL, "length of its rigid tendon, in line with it: its own length is the distance of the ends less this"},
    {"activation", HK_P_DYNAMIC, HK_P_REQUIRED, U_ACTIVATION, 0, 0, 1, "1", NULL, "what the nerves ask for"},
    {"reference_length", HK_P_DYNAMIC, 0, U_LENGTH, NAN, 0, 0, "m", NULL, "length at which the reflex of stretch is zero; left out: as drawn"},
    {"reference_velocity", HK_P_DYNAMIC, 0, U_VELOCITY, 0, 0, 0, "m/s", NULL, "rate of the length at which the reflex of rate is zero"},
    {"stretch_reflex", HK_P_DYNAMIC, 0, U_STRETCH, 0, 0, 0, "1/m", NULL, "activation added per length above the reference"},
    {"rate_reflex", HK_P_DYNAMIC, 0, U_RATE, 0, 0, 0, "s/m", NULL, "activation added per rate of the length above the reference"},
    {"rise", HK_P_REAL, HK_P_NONNEGATIVE, AT(rise), 0, 0, 0, "s", NULL, "time constant with which the activation grows; 0: that of 'fall', both 0: it follows at once"},
    {"fall", HK_P_REAL, HK_P_NONNEGATIVE, AT(fall), 0, 0, 0, "s", NULL, "time constant with which it ceases; 0: that of 'rise'"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_muscle;
const hk_element_ops hki_element_muscle = {
    .name = "muscle",
    .text = "muscle between two points: activation, force over length and rate, reflexes",
    .source = "Pennestri, Stefanelli, Valentini and Vita 2007",
    .nmark = 2,
    .rank = 1,
    .nu = INPUTS,
    .ny = 6,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS | HK_ELEMENT_SUPPLIES,
    .par_size = sizeof(hk_muscle_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_SPINDLE,
    .outputs = "length velocity force activation excitation power",
    .output_units = "m m/s N 1 1 W",
    .prepare = prepare,
    .eval = eval,
    .power = power,
    .states = states,
};
