/* SPDX-License-Identifier: Apache-2.0
 *
 * law_forms.c: force laws f(x) of one deformation in closed form, each with its slope and its integral.
 *
 *   double_linear  k x between a and b; beyond them the force goes on with another slope
 *   log_elastic    k log(1 + x/l)
 *   gas_spring     -A (p0 (l/(l + x))^n - pa)        a column of gas, length l at x = 0, polytropic
 *   turbulent      c x|x|, of the speed; below the speed v linear: c v x
 *
 * A gas column pushes its ends apart: with x growing as they part, the force that resists x is negative.
 */
#include <math.h>

#include "elements/law.h"

/* --- two slopes ------------------------------------------------------------------------------- */

enum { STIFFNESS, BEYOND, FROM, TO };

static double double_linear(const double *c, double x, double *slope) {
  const double end = x > c[TO] ? c[TO] : x < c[FROM] ? c[FROM] : x;
  *slope = end == x ? c[STIFFNESS] : c[BEYOND];
  return c[STIFFNESS] * end + c[BEYOND] * (x - end);
}

static double double_linear_energy(const double *c, double x) {
  const double end = x > c[TO] ? c[TO] : x < c[FROM] ? c[FROM] : x, over = x - end;
  return c[STIFFNESS] * end * (0.5 * end + over) + 0.5 * c[BEYOND] * over * over;
}

static const char *double_linear_fault(const double *c) {
  return c[FROM] <= 0.0 && c[TO] >= 0.0 ? NULL : "0 must lie between 'from' and 'to'";
}

/* --- logarithm -------------------------------------------------------------------------------- */

enum { LOG_STIFFNESS, LOG_LENGTH };

static double log_elastic(const double *c, double x, double *slope) {
  *slope = c[LOG_STIFFNESS] / (c[LOG_LENGTH] + x);
  return c[LOG_STIFFNESS] * log1p(x / c[LOG_LENGTH]);
}

static double log_elastic_energy(const double *c, double x) {
  const double y = x / c[LOG_LENGTH];
  return c[LOG_STIFFNESS] * c[LOG_LENGTH] * ((1.0 + y) * log1p(y) - y);
}

/* --- gas -------------------------------------------------------------------------------------- */

enum { AREA, PRESSURE, LENGTH, EXPONENT, AMBIENT };

static double gas(const double *c, double x, double *slope) {
  const double p = c[PRESSURE] * pow(c[LENGTH] / (c[LENGTH] + x), c[EXPONENT]);
  *slope = c[AREA] * c[EXPONENT] * p / (c[LENGTH] + x);
  return -c[AREA] * (p - c[AMBIENT]);
}

static double gas_energy(const double *c, double x) {
  const double n = c[EXPONENT], r = log(c[LENGTH] / (c[LENGTH] + x));
  // (e^((n - 1) r) - 1)/(n - 1), r where n = 1
  const double w = n == 1.0 ? r : expm1((n - 1.0) * r) / (n - 1.0);
  return c[AREA] * (c[PRESSURE] * c[LENGTH] * w + c[AMBIENT] * x);
}

/* --- turbulent flow --------------------------------------------------------------------------- */

enum { COEFFICIENT, REBOUND, SPEED };

static double turbulent(const double *c, double x, double *slope) {
  const double k = x > 0.0 && !isnan(c[REBOUND]) ? c[REBOUND] : c[COEFFICIENT];
  const bool slow = fabs(x) < c[SPEED];
  *slope = k * (slow ? c[SPEED] : 2.0 * fabs(x));
  return k * x * (slow ? c[SPEED] : fabs(x));
}

static double no_energy(const double *c, double x) {
  (void)c, (void)x;
  return 0.0;
}

/* --- the table -------------------------------------------------------------------------------- */

/* clang-format off */
#define NUMBER(name, flags, at, def, unit, text) {name, HK_P_REAL, flags, at, def, 0, 0, unit, NULL, text}
const hk_param hki_keys_double_linear[] = {
    NUMBER("stiffness", HK_P_REQUIRED, STIFFNESS, NAN, "N/m or N*m/rad", "between 'from' and 'to'"),
    NUMBER("beyond", HK_P_REQUIRED, BEYOND, NAN, "N/m or N*m/rad", "slope below 'from' and above 'to'"),
    NUMBER("from", HK_P_REQUIRED, FROM, NAN, "m or rad", "where the second slope begins, below 0"),
    NUMBER("to", HK_P_REQUIRED, TO, NAN, "m or rad", "where it begins above 0"),
    HK_PARAM_END};
const hk_param hki_keys_log_elastic[] = {
    NUMBER("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, LOG_STIFFNESS, NAN, "N or N*m", "force per logarithm of the stretch"),
    NUMBER("length", HK_P_POSITIVE, LOG_LENGTH, 1.0, "m or rad", "to which the deformation is related"),
    HK_PARAM_END};
const hk_param hki_keys_gas_spring[] = {
    NUMBER("area", HK_P_REQUIRED | HK_P_POSITIVE, AREA, NAN, "m^2", "of the piston"),
    NUMBER("pressure", HK_P_REQUIRED | HK_P_POSITIVE, PRESSURE, NAN, "Pa", "of the gas at s = 0"),
    NUMBER("length", HK_P_REQUIRED | HK_P_POSITIVE, LENGTH, NAN, "m", "of the gas column at s = 0: it closes at s = -length"),
    NUMBER("exponent", HK_P_POSITIVE, EXPONENT, 1.4, "", "polytropic: 1 slow, 1.4 fast"),
    NUMBER("ambient", HK_P_NONNEGATIVE, AMBIENT, 0.0, "Pa", "pressure on the other side"),
    HK_PARAM_END};
const hk_param hki_keys_turbulent[] = {
    NUMBER("coefficient", HK_P_REQUIRED | HK_P_NONNEGATIVE, COEFFICIENT, NAN, "N*s^2/m^2", "force per square of the speed"),
    NUMBER("rebound", HK_P_NONNEGATIVE, REBOUND, NAN, "N*s^2/m^2", "the same while s grows (default: as 'coefficient')"),
    NUMBER("speed", HK_P_NONNEGATIVE, SPEED, 0.0, "m/s", "below it the force is linear"),
    HK_PARAM_END};
/* clang-format on */

const hk_law_form hki_law_forms[] = {
    {"double_linear", hki_keys_double_linear, false, double_linear, double_linear_energy,
     double_linear_fault},
    {"log_elastic", hki_keys_log_elastic, false, log_elastic, log_elastic_energy, NULL},
    {"gas_spring", hki_keys_gas_spring, false, gas, gas_energy, NULL},
    {"turbulent", hki_keys_turbulent, true, turbulent, no_energy, NULL},
    {.key = NULL}};
