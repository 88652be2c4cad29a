/* SPDX-License-Identifier: Apache-2.0
 *
 * solid.h: stiffness, mass and stresses of solid elements of isotropic materials.
 */
#ifndef HK_FLEX_SOLID_H
#define HK_FLEX_SOLID_H

#include "flex/fe.h"

/* Are the elements such that matrices can be made of them? Inverted, folded, flat and repeated ones are named, and
 * those that are no solids. */
hk_status hki_solid_check(hk_ctx *ctx, hk_loc loc, const hk_fe *fe);
/* unknowns (three translations a node), stiffness and mass of checked elements of known materials */
hk_status hki_solid_matrices(hk_ctx *ctx, hk_pool *pool, hk_fe *fe);
/* Can stresses be told? All elements are solids, and their materials are known. */
bool hki_solid_has_stress(const hk_fe *fe);
/* Stresses xx yy zz xy yz zx at the nodes (nnode x 6) of displacements u (nnode x 3): the mean of the elements that meet
 * there; where materials meet, of those of the stiffest, since stresses jump there. */
hk_status hki_solid_stress(hk_ctx *ctx, const hk_fe *fe, const double *u, double *stress);

/* shape functions and their derivatives at natural coordinates, those of node a, points and weights to integrate with
 * (solid_shape.c) */
void hki_solid_shape(const hk_fe_type *t, const double *at, double *N, double (*dN)[3]);
void hki_solid_place(const hk_fe_type *t, int32_t a, double *at);
typedef struct hk_rule {
  int32_t n;
  double x[27][3], w[27];
} hk_rule;
void hki_solid_rule(const hk_fe_type *t, bool mass, hk_rule *r);

#endif
