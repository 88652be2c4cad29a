/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.h: the nearest of many points in space, by a tree that halves them along the longest edge of
 * their box (Bentley 1975, Multidimensional binary search trees used for associative searching).
 */
#ifndef HK_MAPPING_NEAREST_H
#define HK_MAPPING_NEAREST_H

#include "base/base.h"

typedef struct hk_near_tree {
  const double *x; /* n x 3, of the caller */
  int32_t n;
  int32_t
      *order;    /* n: the points; the middle of a range is its root, what lies before it is left */
  uint8_t *axis; /* n: along which the root at this place divides */
} hk_near_tree;

typedef struct hk_near {
  double d2; /* square of the distance */
  int32_t point;
} hk_near;

hk_status hki_near_init(hk_near_tree *t, hk_ctx *ctx, int32_t n, const double *x);
void hki_near_free(hk_near_tree *t, hk_ctx *ctx);
/* The k points nearest to p, or all if there are fewer, the nearest first; of equal ones those of smaller
 * number. Returns how many. */
int32_t hki_near_find(const hk_near_tree *t, const double *p, int32_t k, hk_near *out);

#endif
