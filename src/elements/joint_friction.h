/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction.h: friction in a joint, which `friction:` of the joint or of its `limits:` makes: on one
 * coordinate (joint_friction.c), of several motions that slide together (joint_friction_vector.c), where
 * surfaces touch at a point that wanders (joint_friction_slip.c), or in the two eyes of a rod
 * (joint_friction_rod.c).
 */
#ifndef HK_ELEMENTS_JOINT_FRICTION_H
#define HK_ELEMENTS_JOINT_FRICTION_H

#include "elements/element.h"

typedef struct hk_joint_friction_par {
  hk_law law;     /* as the owner of its private states */
  double radius;  /* m: at which a turning joint slides */
  double preload; /* N: beside the reaction */
  double arm;     /* on a coordinate: slip over its rate, 1 or m */
  double lever;   /* torque over friction force about it; differs from arm on a thread */
  bool exact; /* sticks by a lock: no bristle, and mu_static counts for the lock alone in coulomb */
  int32_t n;  /* motions that slide together: their number, */
  uint8_t motion[HK_FRICTION_AXES]; /* bits of HK_SLIDES_ that they are, */
  double arms[HK_FRICTION_AXES];    /* and slip over their rates: 1 or m */
  double roll[3]; /* where the surfaces touch, from B's origin in the axes of A, m */
  int32_t eye;    /* of a rod: 0 at its first end, 1 at its second */
  /* gradients of n slips in the twists of both markers, 12 numbers each; with H also their derivatives by
   * the poses, 12 x 12 each */
  void (*slips)(const struct hk_joint_friction_par *par, const hk_frame *A, const hk_frame *B,
                double *rows, double *H);
  const void *of, *joint; /* for this function: what slides, parameters of the joint */
  uint8_t press, rows;    /* what presses: components of the reaction, rows; 0: all rows */
} hk_joint_friction_par;

/* its first outputs are the slips; then the normal force, 1 where it slides, the friction force */
enum { HK_FRICTION_NORMAL }; /* its input: what presses the surfaces, from the reaction, N */

/* friction on one coordinate of a joint; heats: with a thermal node; exact: sticks by a lock */
const hk_element_ops *hki_joint_friction_ops(bool heats, bool exact);
/* with a lock: coefficient at break-away over that at the first slow sliding */
double hki_joint_friction_breakaway(const void *par);
/* torque on the coordinate up to which it sticks, where the reaction presses by N */
double hki_joint_friction_cone(const void *par, double N);
/* friction of n motions that slide together, between the markers of the joint */
const hk_element_ops *hki_joint_friction_vector_ops(int32_t n);
/* friction of n motions that par.slips gives */
const hk_element_ops *hki_joint_friction_slip_ops(int32_t n);
/* friction in an eye of a rod between the markers of the joint: par.eye, radius; n = 3 */
const hk_element_ops *hki_joint_friction_rod_ops(void);
/* forces f (par->n), wrenches and slopes, losses and outputs at the slips u, whose rows are in out->B */
void hki_joint_friction_rows(const hk_joint_friction_par *par, const hk_element_in *in,
                             const double *u, uint32_t need, double *f, hk_element_out *out);
/* keys of `friction:` of a joint beside those of the law */
extern const hk_param hki_joint_friction_params[];
/* the same of friction at a stop */
extern const hk_param hki_stop_friction_params[];
const hk_friction *hki_joint_friction_of(const void *par);
double hki_joint_friction_preload(const void *par);
/* what presses, as in hk_joint_friction_par; *arm: 1 over the radius, for moments */
uint8_t hki_joint_friction_press(const void *par, uint8_t *rows, double *arm);
/* the law of friction, with n bristles; f lives as long as par */
void hki_joint_friction_law(hk_joint_friction_par *par, const hk_friction *f, int32_t n);
int32_t hki_joint_friction_laws(const void *par, const hk_law **list);

#endif
