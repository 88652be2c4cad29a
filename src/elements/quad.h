/* SPDX-License-Identifier: Apache-2.0
 *
 * quad.h: what all surface elements of four nodes share: points of integration, interpolation, and the
 * enhanced membrane strains.
 *
 * Nodes 1 to 4 run round the element; the normal is x_xi x x_eta. At a point of the surface as drawn stand
 * axes a1, a2 in its plane, a1 as near to a given direction as possible. Derivatives along them, _1 and _2:
 *
 *   eps_11 = (x_1.x_1 - 1)/2    eps_22 = (x_2.x_2 - 1)/2    2 eps_12 = x_1.x_2
 *
 * Enhanced strains (Simo and Rifai, A class of mixed assumed strain methods and the method of incompatible
 * modes, 1990): eps + M alpha, with M of mean zero over the element, as drawn. With a linear section law D
 * the parameters follow from the strains, so that they are no unknowns,
 *
 *   alpha = -H^-1 sum w M'D eps      H = sum w M'D M
 *
 * and strain energy, wrenches and tangents are those of the potential with alpha put in.
 */
#ifndef HK_ELEMENTS_QUAD_H
#define HK_ELEMENTS_QUAD_H

#include "elements/wide.h"

enum { HK_QUAD = 4, HK_QUAD_ENHANCED = 7 }; /* nodes, and points; most parameters */

/* one of the 2 x 2 points of integration, as drawn */
typedef struct hk_quad_point {
  double w;                         /* area that it stands for, m^2 */
  double N[HK_QUAD], d[2][HK_QUAD]; /* interpolation, and its derivatives along a1 and a2 */
  double M[3][HK_QUAD_ENHANCED];    /* enhanced strains 11, 22, 2 12 */
} hk_quad_point;

/* Fills the points; along: direction near a1. axes (4 x 6): a1, a2 of each point. False: the element has no
 * area at one of them. */
bool hki_quad_points(const hk_frame *m0, const double *along, hk_quad_point *point, double *axes);
/* derivatives of the covariant coordinates xi, eta along a1, a2 at a point: J (2 x 2), [a][xi or eta] */
void hki_quad_slopes(const hk_frame *m0, int g, const double *axes, double *J);
/* interpolation and its derivatives by xi and eta at point g */
void hki_quad_shapes(int g, double *N, double (*d)[HK_QUAD]);
/* coordinate of point g along xi (k = 0) or eta */
double hki_quad_place(int g, int k);

/* H^-1 (n x n) of a law whose first three strains are these, C of this many columns; false: H is singular */
bool hki_quad_enhance(const hk_quad_point *point, int n, const double *C, int columns, double *H);

#endif
