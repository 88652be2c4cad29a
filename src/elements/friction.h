/* SPDX-License-Identifier: Apache-2.0
 *
 * friction.h: dry friction as a coefficient c, force over normal force, that resists a sliding
 * velocity v of one to six components:
 *
 *   force = N c(v, past)
 *
 * The past is a private state z per component (state.h), the deflection of a bristle. It does not
 * depend on the normal force N, so that c is the slope of the force in N. See friction.c.
 */
#ifndef HK_ELEMENTS_FRICTION_H
#define HK_ELEMENTS_FRICTION_H

#include "elements/state.h"

enum { HK_FRICTION_AXES = 6 };

typedef enum hk_friction_kind {
  HK_FRICTION_COULOMB,  /* a bristle in line with a slider: sticks truly, mu = mu_static */
  HK_FRICTION_STRIBECK, /* the same, from mu_static to mu as the speed grows */
  HK_FRICTION_LUGRE     /* a bristle that gives way a little at every speed */
} hk_friction_kind;

typedef struct hk_friction {
  hk_friction_kind kind;
  double mu, mu_static;  /* coefficient of fast sliding, and at break-away */
  double speed;          /* m/s: at which mu_static has fallen near to mu */
  double exponent;       /* of speed over this one */
  double sigma0, sigma1; /* 1/m, s/m: stiffness and damping of the bristle, per normal force */
  double sigma2;         /* s/m: viscous part, per normal force */
  double
      elastic; /* lugre: share of the deflection in steady sliding up to which the bristle does not
                     give way; 0: none */
} hk_friction;

/* rows have HK_FRICTION_AXES entries */
typedef struct hk_friction_out {
  double c[HK_FRICTION_AXES];                     /* force over normal force, along v */
  double cv[HK_FRICTION_AXES * HK_FRICTION_AXES]; /* its slopes in v, z following */
  double energy, lost; /* stored energy and dissipated power over normal force: m, m/s */
  bool slides;         /* at the edge of the cone */
} hk_friction_out;

/* Friction at a sliding velocity v of n components, with the states z0 .. z0 + n - 1 of st (NULL:
 * 0). */
void hki_friction_eval(const hk_friction *f, int32_t n, const double *v, const hk_states *st,
                       int32_t z0, hk_friction_out *out);
/* mu at a speed >= 0; *slope by the speed */
double hki_friction_steady(const hk_friction *f, double speed, double *slope);
/* typical size of a state: its deflection at break-away, m */
static inline double hki_friction_unit(const hk_friction *f) { return f->mu_static / f->sigma0; }
/* are its numbers finite and in their ranges? */
bool hki_friction_good(const hk_friction *f);

#endif
