/* SPDX-License-Identifier: Apache-2.0
 *
 * spring.h: the scalar part of springs and dampers: one force over one deformation, linear with
 * inputs u = [stiffness, damping, offset, normal], or by laws; shared by spring_damper and joint_spring.
 *
 *   f  = fs + fd
 *   fs = u0 (s - u2)      or      spring law(x, sd)
 *   fd = u1 sd            or      damper law(x, sd)
 *   x  = s - u2 where `offset` is set, else x = s
 *
 * With a normal force u3, not below 0, fd is u3 times a law that is friction.
 */
#ifndef HK_ELEMENTS_SPRING_H
#define HK_ELEMENTS_SPRING_H

#include "elements/element.h"

enum { HK_SPRING_INPUTS = 4 };

typedef struct hk_spring_par {
  const hk_law *spring, *damper; /* NULL: linear */
  bool offset;                   /* the laws' argument is s - u[2] */
  bool pressed;                  /* the damper law is friction per normal force u[3] (by check) */
  bool memory;                   /* a law has memory (by hki_spring_check) */
} hk_spring_par;

typedef struct hk_spring_force {
  double f, ks, cs;            /* total, df/ds, df/dsd */
  double fs, fd;               /* its two parts */
  double fu[HK_SPRING_INPUTS]; /* df/du */
  /* with memory: energy, dissipated and supplied power, spent */
  hk_law_books books;
  double supplied;
} hk_spring_force;

/* in: inputs and memory; s and sd may be others than those of `in`. d1: where the laws' discrete
 * data at this state go, or NULL. */
void hki_spring_force(const hk_spring_par *par, const hk_element_in *in, double s, double sd,
                      double *d1, hk_spring_force *out);

/* `resist` of hk_element_ops, for laws without memory */
void hki_spring_resist(const hk_spring_par *par, const hk_element_in *in, uint32_t need,
                       hk_element_out *out);

/* energy, dissipated and supplied of an element that resists s with f */
void hki_spring_energy(const hk_spring_par *par, const double *u, uint32_t u_varies, double s,
                       double sd, const hk_spring_force *force, hk_element_out *out);
/* `laws` of hk_element_ops, par: hk_spring_par */
int32_t hki_spring_laws(const void *par, const hk_law **list);

/* the same, powers alone: `power` of hk_element_ops, par: hk_spring_par */
void hki_spring_power(const void *par, const hk_element_in *in, double *dissipated,
                      double *supplied);

/* refuses both stiffness and spring, both damping and damper, and none of the four */
hk_status hki_spring_check(hk_ctx *ctx, hk_loc loc, const char *name, hk_spring_par *par,
                           uint32_t u_given);

#endif
