/* SPDX-License-Identifier: Apache-2.0
 *
 * surface.h: a table in two variables, z(x, y), given on a grid. Between the points it is bilinear,
 * or bicubic: the tensor product of cubic splines with not-a-knot ends, whose second derivatives are
 * continuous. Outside, it keeps its values at the edge, or continues with the slopes there.
 *
 * The edges belong to the table: slopes there are those inside.
 */
#ifndef HK_EXPR_SURFACE_H
#define HK_EXPR_SURFACE_H

#include "expr/table.h"

/* what a surface is made from */
typedef struct hk_surface_rows {
  hk_loc loc;
  int32_t n[2];                   /* points of x and of y, at least 2 each */
  hk_interpolation interpolation; /* HK_TABLE_LINEAR or HK_TABLE_SPLINE */
  hk_extrapolation extrapolation;
  const double *at[2]; /* x and y, ascending */
  const double *z;     /* z[i n[1] + j] at x[i], y[j] */
  bool implied;        /* the model does not say the interpolation: its use may choose another */
} hk_surface_rows;

typedef struct hk_surface {
  hk_surface_rows rows; /* its own copy */
  /* of splines, like z: slopes in x, in y, and the mixed derivative */
  const double *zx, *zy, *zxy;
} hk_surface;

/* Copies the points into the pool. Errors (HK_E_MODEL) name the place in the grid, from 1. */
hk_status hki_surface_build(hk_ctx *ctx, hk_pool *pool, const hk_surface_rows *rows,
                            const hk_surface **out);

/* f: z, zx, zy, zxx, zxy, zyy */
void hki_surface_eval(const hk_surface *s, double x, double y, double f[6]);

/* the next place on an axis (0: x, 1: y) at which slopes jump; as hki_table_next_break */
double hki_surface_next_break(const hk_surface *s, int32_t axis, double x, bool falling);

#endif
