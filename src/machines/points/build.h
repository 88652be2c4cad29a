/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: how bodies and joints become natural coordinates; used only while a machine is created.
 * An element is a point or unit vector that several bodies may share; it becomes a block of
 * coordinates, a linear form of other blocks, or a constant.
 *
 *   elements.c  joints as lists of rows; points, vectors and orientations that bodies share
 *   needs.c     points and directions of each body that rows, forces and masses use
 *   basis.c     which elements carry each body, and its map
 *   linear.c    linear forms in the coordinates
 *   rows.c      rows: within bodies, between elements and bodies, of joints
 */
#ifndef HK_MACHINES_POINTS_BUILD_H
#define HK_MACHINES_POINTS_BUILD_H

#include "machines/points/points.h"
#include "joints/pair.h"

/* most blocks of a form, most forms and most rows of a quadratic group */
enum { HK_POINTS_LIN = 48, HK_POINTS_LINS = 12, HK_POINTS_ROWS = 12 };

/* a linear form: sum over n blocks e of c e + k; c complex in planar models, else real (c[i][0]) */
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
  const double *num; /* par, read as the numbers of its rows (pair.h) */
  int32_t body[2];
  const hk_offset *marker[2];
  int32_t closure; /* of the model; HK_NONE: a joint of the tree */
  bool permanent;  /* always on, markers fixed, no signals: sharing may meet its rows */
  int32_t nrows;
  uint8_t rows[6]; /* nrows: which loop rows */
  uint8_t kind[6]; /* nrows: hk_pair_kind */
  bool left[6];    /* nrows: not met by sharing */
} points_item;

/* what an element is in the coordinates: undecided; a block; a linear form or a constant */
typedef enum points_fate { POINTS_OPEN, POINTS_BLOCK, POINTS_FORM } points_fate;

/* a point or a unit vector that several bodies may have in common */
typedef struct points_element {
  int32_t root; /* union-find over elements */
  bool vector;
  bool basic;  /* a block also when only one body has it (ends of distances) */
  bool end;    /* a block of its own that carries no body (ends of springs); HK_POINTS_SEPARATE */
  bool ground; /* fixed, at xg */
  double xg[3];
  int32_t ninc, first, last; /* its incidences (points_inc): number, list by `next` */
  points_fate fate;
  int32_t host;     /* POINTS_FORM: body through which it is expressed; HK_NONE: none */
  points_lin *form; /* once fate is decided */
  bool unit;        /* a row, or the body it is tied to, keeps it a unit vector */
} points_element;

/* incidence of an element: where it is on a body (points) or on an orientation (vectors) */
typedef struct points_inc {
  int32_t element, owner; /* owner: body, or root of an orientation */
  double x[3];            /* in the owner's axes */
  int32_t next, next_at_owner;
} points_inc;

/* a point or direction of a body that its blocks must determine */
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

/* the carriers of a body: a point and up to three directions, which are vectors, or points seen
 * from the first one */
typedef struct points_basis {
  int32_t n; /* number of carriers; 1: the orientation is that of another body or the ground */
  points_carrier at[4];
  double dir[3][3]; /* of carriers 1 .. n-1, body axes */
} points_basis;

typedef struct points_build {
  hk_points *n;
  hk_ctx *ctx;
  const hk_model *m;
  hk_pool *pool; /* scratch */
  hk_points_choice choice;
  double tiny; /* m: two points nearer than this are one */
  int32_t nitems;
  points_item *items;
  int32_t *orient;  /* nb + 1: union-find over bodies, the ground last */
  int32_t *members; /* nb + 1, at the root of an orientation: number of its bodies */
  int32_t *leader;  /* nb + 1, at the root: body whose carriers define it; HK_NONE: none yet */
  int32_t nelement, cap_element, ninc, cap_inc;
  points_element *element;
  points_inc *inc;
  int32_t *points, *vectors; /* nb + 1: first incidence at a body, at an orientation's root */
  int32_t nneed, cap_need;
  points_need *need;   /* nneed, sorted by body */
  int32_t *need0;      /* nb + 1: first need of a body */
  bool *whole;         /* nb: all three directions are needed */
  points_basis *basis; /* nb */
  int32_t cap_block, cap_quad, cap_loop, cap_line;
  hk_status status;
} points_build;

/* the steps, in this order; errors go to B->status */
void hki_points_items(points_build *B);
void hki_points_share(points_build *B);
void hki_points_needs(points_build *B);
void hki_points_bases(points_build *B);
void hki_points_make_rows(points_build *B);

/* root of a body's orientation (HK_GROUND allowed), root of an element */
int32_t hki_points_find_orient(points_build *B, int32_t body);
int32_t hki_points_find_element(points_build *B, int32_t e);

/* direction of carrier j > 0 of a basis, as a form */
void hki_points_carrier_direction(const hk_points *n, const points_basis *bs, int32_t j,
                                  points_lin *out);

/* linear forms (linear.c); factors re + i im, im = 0 in space */
/* l = 0 */
void hki_lin_zero(points_lin *l);
/* l += (re + i im) block */
void hki_lin_block(points_lin *l, int32_t blk, double re, double im);
/* l += (re + i im) other */
void hki_lin_add(const hk_points *n, points_lin *l, double re, double im, const points_lin *other);
/* l = the constant x, world axes */
void hki_lin_fixed(const hk_points *n, points_lin *l, const double *x);
/* z: a vector as the numbers of a block: x itself, planar: its components along E */
void hki_points_local(const hk_points *n, const double *x, double *z);
/* l = point or direction x of a body (HK_GROUND allowed); factors that are round-off become zero */
void hki_lin_point(const hk_points *n, int32_t body, const double *x, points_lin *l);
void hki_lin_direction(const hk_points *n, int32_t body, const double *x, points_lin *l);

/* the quadratic group that rows.c is making */
typedef struct points_rows {
  int32_t nlin, nrow;
  points_lin lin[HK_POINTS_LINS];
  hk_points_row row[HK_POINTS_ROWS];
} points_rows;

#endif
