/* SPDX-License-Identifier: Apache-2.0
 *
 * tension.h: the force of what pulls and cannot push: ropes, cables and belts. With the length l of the
 * path, the free length L, which an input may change (a winch), and the strain e:
 *
 *   e  = l/L - 1              e' = l'/L - l L'/L^2
 *   T  = EA (e + tau e'), but not below 0: slack
 *
 * that of the section of a beam as long as it pulls. The tension is continuous and grows with e and e':
 * there is one corner, and the damper takes energy at every rate. A rope that is stretched fast resists
 * before it is straight, at the strain -tau e'; without damping it is slack at e <= 0.
 *
 * Energy: EA L e^2/2 at a constant free length. Where it varies all work but the damper's counts as
 * supplied, as for every element with such an input.
 */
#ifndef HK_ELEMENTS_TENSION_H
#define HK_ELEMENTS_TENSION_H

#include "elements/element.h"

enum { HK_TENSION_LENGTH, HK_TENSION_RATE, HK_TENSION_INPUTS }; /* inputs: L/share, L'/share */

typedef struct hk_tension_par {
  double EA, tau;
  double share;      /* L is this part of the input */
  double pretension; /* tension as drawn; 0: not given */
} hk_tension_par;

typedef struct hk_tension {
  double T, strain;
  double ks, cs;                /* dT/dl, dT/dl' */
  double fu[HK_TENSION_INPUTS]; /* dT/du */
  double energy, dissipated, supplied;
} hk_tension;

/* l, ld: length of the path and its rate */
void hki_tension(const hk_tension_par *par, const double *u, uint32_t u_varies, double l, double ld,
                 hk_tension *out);

/* `share` where it is not given, and the free length: as drawn, where the path has the length l, or
 * such that it then has its pretension */
hk_status hki_tension_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_tension_par *par,
                              uint32_t u_given, double *u0, double l);

/* outputs: length rate tension strain slack */
enum { HK_TENSION_OUTPUTS = 5 };
#define HK_TENSION_OUTPUT_NAMES "length rate tension strain slack"
#define HK_TENSION_OUTPUT_UNITS "m m/s N 1 1"
static inline void hki_tension_output(const hk_tension *f, double l, double ld, double *y) {
  y[0] = l, y[1] = ld, y[2] = f->T, y[3] = f->strain, y[4] = f->T > 0.0 ? 0.0 : 1.0;
}

/* slopes in the inputs, books and outputs of an element of one deformation with row B */
static inline void hki_tension_tell(const hk_tension *f, const double *B, double s, double sd,
                                    uint32_t need, hk_element_out *out) {
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < HK_TENSION_INPUTS; k++)
      for (int i = 0; i < 12; i++) out->Wu[12 * k + i] = -f->fu[k] * B[i];
  if (need & HK_NEED_ENERGY) {
    out->energy = f->energy, out->dissipated = f->dissipated, out->supplied = f->supplied;
    out->spent = out->spending = 0.0;
    out->s = s, out->sd = sd;
  }
  if (need & HK_NEED_OUTPUT) hki_tension_output(f, s, sd, out->y);
}

/* clang-format off */
/* rows of parameters, with the place of an hk_tension_par in their struct */
#define HK_TENSION_ROWS(at) \
    {"EA", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, (at) + (int32_t)offsetof(hk_tension_par, EA), NAN, 0, 0, "N", NULL, "force per strain: modulus times cross section"}, \
    {"length", HK_P_DYNAMIC, HK_P_POSITIVE | HK_P_RATED, HK_TENSION_LENGTH, NAN, 0, 0, "m", NULL, "free length, a number or a signal (a winch); left out: as drawn"}, \
    {"pretension", HK_P_REAL, HK_P_POSITIVE, (at) + (int32_t)offsetof(hk_tension_par, pretension), NAN, 0, 0, "N", NULL, "tension as drawn, instead of 'length'"}, \
    {"damping", HK_P_REAL, HK_P_NONNEGATIVE, (at) + (int32_t)offsetof(hk_tension_par, tau), 0, 0, 0, "s", NULL, "tau: the tension follows strain + tau times its rate; it never pushes"}
/* clang-format on */

#endif
