/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h: evaluation of one force element, the same for all machines. A machine places the
 * markers, or the joint coordinate, of the element by its own coordinates; inputs, discrete data and
 * scalar unknowns come from here, and so does the call of the element. Inline: it is called for
 * every force in every iteration.
 */
#ifndef HK_KINEMATICS_ELEMENT_H
#define HK_KINEMATICS_ELEMENT_H

#include "kinematics/kin.h"

/* sets in->x, in->xd: values and rates of the force's scalar nodes and own unknowns */
void hki_kin_force_values(const hk_kin *k, int32_t force, hk_element_in *in);

/* Fxd of an element with scalar unknowns: no slopes in rates that count as zero. Whoever reads Fxd
 * calls it after the evaluation. */
void hki_kin_drop_rates(const hk_model_force *f, hk_element_out *out);

/* input of a force whose markers have the frames F, or whose joint coordinate is s at the rate sd */
static inline void hki_kin_element_in(const hk_kin *k, int32_t fi, const hk_frame *F, double s,
                                      double sd, hk_element_in *in) {
  const hk_model_force *f = &k->m->forces[fi];
  in->t = k->t;
  in->m = F;
  in->s = s, in->sd = sd;
  in->u = k->u + HK_ELEMENT_INPUTS * fi;
  in->u_varies = f->u_flows;
  in->d = k->disc.d + f->d0;
  in->x = in->xd = NULL;
  in->ahead = NULL;
  if (f->net != HK_NONE) hki_kin_force_values(k, fi, in);
  in->st = f->state == HK_NONE ? NULL : &k->state[f->state];
}

/* the same at the present state of k; F: memory for its markers, used by in->m */
static inline void hki_kin_force_in(const hk_kin *k, int32_t fi, hk_frame *F, hk_element_in *in) {
  const hk_model_force *f = &k->m->forces[fi];
  double s = 0.0, sd = 0.0;
  for (int32_t i = 0; i < f->ops->nmark; i++) hki_kin_marker(k, f->body[i], &f->marker[i], &F[i]);
  if (f->ops->nscal) hki_kin_scalar(k, f->scalar, &s, &sd);
  hki_kin_element_in(k, fi, F, s, sd, in);
}

/* what a force reads at the present state of k, and the memory of it */
typedef struct hk_force_now {
  hk_element_in in;
  hk_frame frame[HK_ELEMENT_MARKERS];
  double u[HK_ELEMENT_INPUTS];
} hk_force_now;
/* The same for one who asks for a single force, with its inputs by the present signals: k->u has those of the last
 * evaluation of the force, which may be of another state, or never was. While signals are found, inputs are those of the
 * signals before the one that asks. */
void hki_kin_force_now(const hk_kin *k, int32_t force, hk_force_now *now);

/* what groups of forces find together at the present state (hk_element_ops.ahead), for the loops over all of them */
void hki_kin_look_ahead(const hk_kin *k);
/* the same for one group with its markers at p */
void hki_kin_look_at(const hk_kin *k, int32_t group, const double (*p)[3]);
int32_t hki_kin_most_looks(const hk_model *m); /* so many groups at most, for the layout */
void hki_kin_find_looks(hk_kin *k);            /* the groups; part of hki_kin_init */
static inline const double *hki_kin_ahead(const hk_kin *k, int32_t fi) {
  return k->nlooks && k->look_of[fi] != HK_NONE ? k->looks[k->look_of[fi]] : NULL;
}

/* inputs and unknowns of a force at an accepted state, for its work over a step (work.c) */
void hki_kin_keep_inputs(const hk_kin *k, int32_t force, const hk_element_in *in,
                         hk_input_trace *t);

/* Evaluates a force. Machines and analyses never call an element themselves. */
static inline void hki_kin_element(const hk_kin *k, int32_t fi, const hk_element_in *in,
                                   uint32_t need, hk_element_out *out) {
  const hk_model_force *f = &k->m->forces[fi];
  f->ops->eval(f->par, in, need, out);
}

#endif
