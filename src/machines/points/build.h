/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: how bodies and joints become natural coordinates; used while a machine is created.
 *   elements.c  joints as lists of rows; points, vectors and orientations that they share
 *   needs.c     what rows, forces and masses want of a body without spin
 *   basis.c     which elements carry each body, and its map
 *   linear.c       linear forms in the coordinates
 *   rows.c      rows: within bodies, between elements and bodies, of joints
 */
#ifndef HK_MACHINES_POINTS_BUILD_H
#define HK_MACHINES_POINTS_BUILD_H

#include "machines/points/points.h"
#include "joints/pair.h"

enum { HK_POINTS_LIN = 48, HK_POINTS_LINS = 12, HK_POINTS_ROWS = 12 };

/* a linear form: sum of c e + k; c complex in planar models */
typedef struct points_lin {
  int32_t n;
  int32_t blk[HK_POINTS_LIN];
  double c[HK_POINTS_LIN][2];
  double k[3];
} points_lin;

/* one joint between two bodies, as rows between two markers */
typedef struct points_item {
  const hk_joint_ops *ops;
  const void *par;
  const double *num; /* the same: numbers of its rows (pair.h) */
  int32_t body[2];
  const hk_offset *marker[2];
  int32_t closure; /* of the model, or HK_NONE */
  bool permanent;  /* always on, markers fixed, no signals: may be met by sharing */
  int32_t nrows;
  uint8_t rows[6]; /* loop rows */
  uint8_t kind[6]; /* what they say (hk_pair_kind) */
  bool left[6];    /* not met by sharing */
} points_item;

typedef enum points_fate { POINTS_OPEN, POINTS_BLOCK, POINTS_FORM } points_fate;

/* a point or a unit vector that several bodies may have in common */
typedef struct points_element {
  int32_t root; /* union-find */
  bool vector;
  bool basic;  /* a coordinate also when one body alone has it (ends of distances) */
  bool ground; /* fixed, at xg */
  double xg[3];
  int32_t ninc, first, last; /* bodies (orientations) that have it */
  points_fate fate;
  int32_t host;     /* POINTS_FORM: body that carries it, HK_NONE: the ground */
  points_lin *form; /* once decided */
  bool unit;        /* some row says that it is a unit vector */
} points_element;

/* an element on a body: local place; vectors belong to orientations */
typedef struct points_inc {
  int32_t element, owner;
  double x[3];
  int32_t next, next_at_owner;
} points_inc;

/* what a body must be able to say: a point or a direction of it */
typedef struct points_need {
  int32_t body;
  bool vector;
  double x[3];
} points_need;

/* one of the elements that carry a body */
typedef struct points_carrier {
  int32_t element; /* HK_NONE: a block of its own */
  bool vector;
  double x[3];
  points_lin *form;
} points_carrier;

/* a point and up to three directions: vectors, or points seen from the first one */
typedef struct points_basis {
  int32_t n; /* carriers; 1: orientation taken over from another body or the ground */
  points_carrier at[4];
  double dir[3][3]; /* of carriers 1 .. n-1, body axes */
} points_basis;

typedef struct points_build {
  hk_points *n;
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool; /* scratch */
  bool fewest;
  double tiny; /* two points nearer than this are one, m */
  int32_t nitems;
  points_item *items;
  int32_t *orient;  /* nb + 1: union-find over bodies, the ground last */
  int32_t *members; /* nb + 1: bodies of an orientation (at its root) */
  int32_t *leader;  /* nb + 1: at the root: body that carries it, HK_NONE: none yet */
  int32_t nelement, cap_element, ninc, cap_inc;
  points_element *element;
  points_inc *inc;
  int32_t *points, *vectors; /* first incidence at a body, at an orientation's root */
  int32_t nneed, cap_need;
  points_need *need;
  int32_t *need0;      /* nb + 1 */
  bool *whole;         /* nb: needs all of its directions */
  points_basis *basis; /* nb */
  int32_t cap_block, cap_quad, cap_loop, cap_line;
  hk_status status;
} points_build;

/* the steps */
void hki_points_items(points_build *B);
void hki_points_share(points_build *B);
void hki_points_needs(points_build *B);
void hki_points_bases(points_build *B);
void hki_points_make_rows(points_build *B);

/* union-find */
int32_t hki_points_find_orient(points_build *B, int32_t body); /* HK_GROUND allowed */
int32_t hki_points_find_element(points_build *B, int32_t e);

/* direction of carrier j > 0 of a basis, as a form */
void hki_points_carrier_direction(const hk_points *n, const points_basis *bs, int32_t j,
                                  points_lin *out);

/* linear forms (linear.c): value = scale (complex) * other, added */
void hki_lin_zero(points_lin *l);
void hki_lin_block(points_lin *l, int32_t blk, double re, double im);
void hki_lin_add(const hk_points *n, points_lin *l, double re, double im, const points_lin *other);
void hki_lin_fixed(const hk_points *n, points_lin *l, const double *x); /* a constant, world axes */
/* local vector as numbers of a block: itself, or its components in the plane */
void hki_points_local(const hk_points *n, const double *x, double *z);
/* point or direction of a body (HK_GROUND allowed) as a form; tiny factors are cleaned away */
void hki_lin_point(const hk_points *n, int32_t body, const double *x, points_lin *l);
void hki_lin_direction(const hk_points *n, int32_t body, const double *x, points_lin *l);

/* rows under way (rows.c) */
typedef struct points_rows {
  int32_t nlin, nrow;
  points_lin lin[HK_POINTS_LINS];
  hk_points_row row[HK_POINTS_ROWS];
} points_rows;

#endif
