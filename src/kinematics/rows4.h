/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4.h: closures of one kind four at a time: points on axes and distances (closures.c) with the same number of rows and
 * coordinates. Their rows are kept twice in hk_kin.gz: closure by closure as all others, and behind these side by side, number
 * (r, j) of the four at g + 4 (r n + j). Groups depend on the model alone, and every number is formed as for one closure.
 */
#ifndef HK_KINEMATICS_ROWS4_H
#define HK_KINEMATICS_ROWS4_H

#include "kinematics/lanes.h"

struct hk_rows4 {
  int32_t closure[4], row0[4];
  int32_t nrows, n;   /* of each */
  int32_t first;      /* coordinates [0, first) move the first body, the others the second */
  int32_t g;          /* their place in hk_kin.gz */
  int32_t body[2][4]; /* HK_GROUND: of all four */
  bool one[2];        /* the same body in all four */
  int32_t quad[2];    /* group of bodies (lanes.h) that has them in the same order, -1: none */
  bool distance;
  bool parallel;         /* else: all first markers are parallel to their bodies, */
  int32_t axis[3];       /* axes of the rows, */
  double along[3][3][4]; /* the same in the first body */
  int32_t *dof;          /* n x 4, */
  int32_t *
      column; /* n: where all four belong to such a group, 3 times its number + the coordinate; -1 */
  double on[2][3][4]; /* the points in their bodies */
  double length[4];   /* of distances */
  /* at the present positions: pB - pA, its size, directions of the rows */
  double pA[3][4], pB[3][4], d[3][4], size[4], a[9][4];
  bool apart; /* a distance was nothing: they were found one by one */
};

/* the passes for one kind of processor; g: where rows begin */
typedef struct hk_rows4_passes {
  /* phi, phit, gz; false: some distance is nothing, nothing is done */
  bool (*eval)(hk_kin *k, hk_rows4 *q);
  /* gamma */
  void (*bias)(hk_kin *k, const hk_rows4 *q);
  /* y = g x;  r += g' mu;  val[slot] += g' coef g, lower triangles in the slots of each */
  void (*times)(const hk_rows4 *q, const double *g, const double *x, double *y);
  void (*add)(const hk_rows4 *q, const double *g, const double *mu, double *r);
  void (*squares)(const hk_rows4 *q, const double *g, const double *coef,
                  const int32_t *const slot[4], double *val);
} hk_rows4_passes;

extern const hk_rows4_passes hki_rows4_any;
const hk_rows4_passes *hki_rows4_wide(void); /* NULL: not on this processor */

int32_t hki_rows4_most(const hk_model *m); /* so many groups at most, for the layout */
/* quad and column, from bodies and dof; n more numbers behind those of dof */
void hki_rows4_lanes(const hk_kin *k, hk_rows4 *q);
/* the groups, part of hki_kin_init; rows side by side begin at gz[g], returned is where they end */
int32_t hki_rows4_find(hk_kin *k, int32_t g);
/* the rows of closures that were found one by one, side by side */
void hki_rows4_pack(hk_kin *k, const hk_rows4 *q);

/* The closures of a turn: a group in which all four are active, or else NULL and n closures one by one, from `one` on: those of
 * a group follow its list. */
typedef struct hk_turn {
  hk_rows4 *all;
  const int32_t *one;
  int32_t n;
} hk_turn;

static inline hk_turn hki_turn(const hk_kin *k, int32_t i) {
  const int32_t *turn = &k->cturn[i];
  if (*turn >= 0) return (hk_turn){NULL, turn, 1};
  const double *on = k->disc.active;
  hk_rows4 *q = &k->rows4[~*turn];
  const int32_t *c = q->closure;
  const bool all = on[c[0]] != 0.0 && on[c[1]] != 0.0 && on[c[2]] != 0.0 && on[c[3]] != 0.0;
  return (hk_turn){all ? q : NULL, c, all ? 0 : 4};
}

#endif
