/* SPDX-License-Identifier: Apache-2.0
 *
 * rub.h: friction of faces that are pressed together, on one rate sd: shared by brakes, clutches and
 * rolling resistance.
 *
 *   N = faces (u0 + area u1)         normal force, not below 0; u: force, pressure
 *   v = radius sd                    sliding velocity
 *   f = radius N c(v, past)          torque, or force, that resists sd (friction.h)
 *
 * Energy N sigma0 z^2/2 where N is constant; with N that varies nothing is stored, and all the work of
 * f counts as dissipated.
 */
#ifndef HK_ELEMENTS_RUB_H
#define HK_ELEMENTS_RUB_H

#include "elements/element.h"

typedef struct hk_rub_par {
  const hk_friction *friction;
  hk_law law; /* the same, for whoever counts states; by hki_rub_prepare */
  double radius, area;
  int32_t faces;
} hk_rub_par;

typedef struct hk_rub {
  double f, slope;           /* f, df/dsd */
  double fu[2];              /* df/du */
  double energy, dissipated; /* J, W */
  double y[5];               /* sd, -f, 1 while it sticks, power N c v, N */
} hk_rub;

void hki_rub_eval(const hk_rub_par *par, const hk_element_in *in, double sd, hk_rub *out);
/* u_given as in hk_element_ops.prepare; the inputs are force and pressure */
hk_status hki_rub_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_rub_par *par,
                          uint32_t u_given, const double *u0);
/* `laws` of hk_element_ops; par begins with an hk_rub_par */
int32_t hki_rub_laws(const void *par, const hk_law **list);

/* rows of parameter tables; the struct begins with an hk_rub_par */
#define HK_RUB_AT(field) (int32_t) offsetof(hk_rub_par, field)
#define HK_RUB_ROW(name, type, flags, at, def, unit, text)                                         \
  { name, type, flags, at, def, 0, 0, unit, NULL, text }
#define HK_RUB_ROWS(radius_text, faces_text)                                                       \
  HK_RUB_ROW("friction", HK_P_FRICTION, HK_P_REQUIRED, HK_RUB_AT(friction), 0, "",                 \
             "of its faces: {mu: 0.4}, or with more keys of 'friction'"),                          \
      HK_RUB_ROW("force", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 0, 0, "N",                               \
                 "that presses each pair of faces together"),                                      \
      HK_RUB_ROW("pressure", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 1, 0, "Pa",                           \
                 "behind a piston, for instance node.line.pressure; with 'area'"),                 \
      HK_RUB_ROW("area", HK_P_REAL, HK_P_POSITIVE, HK_RUB_AT(area), 0, "m^2", "of the piston"),    \
      HK_RUB_ROW("radius", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, HK_RUB_AT(radius), NAN, "m",  \
                 radius_text),                                                                     \
      HK_RUB_ROW("faces", HK_P_INT, HK_P_POSITIVE, HK_RUB_AT(faces), 1, "", faces_text)
#define HK_RUB_HEATS                                                                               \
  HK_RUB_ROW("heats", HK_P_NODE, 0, HK_P_HAND, 0, "",                                              \
             "thermal node that takes the loss; left out: the loss leaves the model")

#endif
