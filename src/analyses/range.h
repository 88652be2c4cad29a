/* SPDX-License-Identifier: Apache-2.0
 *
 * range.h: how far a mechanism moves: one joint coordinate followed both ways to where it can go no
 * further. Masses and forces do not matter.
 */
#ifndef HK_ANALYSES_RANGE_H
#define HK_ANALYSES_RANGE_H

#include "machines/tree/tree.h"

/* "joint.NAME.coord", "NAME.coord", or the joint alone where it has one coordinate: its scalar; HK_NONE: there
 * is none, and *like is the nearest joint, or NULL */
int32_t hki_scalar_search(const hk_model *m, const char *text, const hk_spec_joint **like);
/* says so: "there is no joint for the USE 'text'" */
hk_status hki_scalar_missing(hk_ctx *ctx, const char *text, const hk_spec_joint *like,
                             const char *use);
/* "joint.NAME.coord" of a scalar */
const char *hki_scalar_channel(const hk_model *m, hk_pool *pool, int32_t scalar);
/* the closure by which a motion prescribes the scalar; HK_NONE: nothing does */
int32_t hki_scalar_motion(const hk_model *m, int32_t scalar);

/* Which coordinates can still move at (t, q), with all motions prescribed? Their names, comma separated,
 * in buf. */
hk_status hki_free_names(hk_tree *s, double t, const double *q, char *buf, size_t cap);

typedef enum hk_range_why {
  HK_RANGE_DEAD,  /* the coordinate turns back: a dead point */
  HK_RANGE_TURN,  /* a full turn */
  HK_RANGE_ASKED, /* the limit that was asked for */
  HK_RANGE_OPEN   /* it goes on for ever */
} hk_range_why;

/* an end of the range, or (`words` alone) a position on the way at which another way branches off */
typedef struct hk_range_spot {
  double value;
  hk_range_why why;
  const char *moves; /* dead point: coordinates that move while this one stands still */
  const char *loops; /* dead point, branch: what is singular there */
} hk_range_spot;

typedef struct hk_range_data {
  hk_pool *pool;   /* given by the caller, owns what follows */
  int32_t scalar;  /* given */
  double from, to; /* given: limits; -INFINITY, INFINITY: none */
  double start;
  hk_range_spot end[2]; /* low, high */
  int32_t npasses;
  hk_range_spot *passes; /* npasses: ways that branch off */
  int32_t n;
  double *values; /* n x ns: all scalars, the coordinate ascending */
} hk_range_data;

/* Follows the scalar from the assembled position q (nq) at t = 0. HK_E_ASSEMBLY with a message where
 * other freedoms are left, or none. */
hk_status hki_range_find(hk_tree *s, const double *q, hk_range_data *out);

#endif
