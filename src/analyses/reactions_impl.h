/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions_impl.h: what the files of the reaction routine share.
 *
 * Unknown is the wrench of each joint on a loop, as a combination of the directions in which the
 * joint can push: w = Q mu, Q orthonormal in the metric (moment / length, force). The bodies of
 * the loops must balance, B mu = f, and of all solutions the shortest is taken over all joints of
 * the loops: mu = B' y, B B' y = f. This knows nothing of tree and cut, so the outcome cannot
 * depend on them. B B' has a null space where the loops can move; it is made regular by a little
 * on the diagonal, whose effect repeated corrections take out again. Joints on no loop follow by
 * sums over subtrees.
 *
 * Wrenches are kept in reduced components: 6 in space (moment / length, force), 3 in planar models
 * (moment about the normal / length, two forces in the plane).
 */
#ifndef HK_ANALYSES_REACTIONS_IMPL_H
#define HK_ANALYSES_REACTIONS_IMPL_H

#include "analyses/reactions.h"

/* one joint of the spec */
typedef struct hk_react_joint {
  int32_t body[2];    /* first, second: model bodies */
  int32_t eq[2];      /* first balance equation of each body, -1: not in the joint's group */
  int32_t group;      /* of loops, -1: on no loop */
  int32_t clo0, nclo; /* its closures in the list */
  int32_t slot0;      /* its clique in the list of slots */
  int32_t col0;       /* its columns of B, 6 x 2 ne */
  /* at the present state: */
  int32_t n;    /* directions */
  double Q[36]; /* n x ne */
  double mu[6];
  double p[3];       /* origin of the second marker */
  double applied[6]; /* of elements on tree coordinates: on the second body, at p */
} hk_react_joint;

struct hk_reactions {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  int32_t ne;     /* reduced components of a wrench */
  double axes[9]; /* planar: columns two directions in the plane and the normal */
  hk_react_joint *joint;
  int32_t *clo;   /* closures by joint */
  int32_t *group; /* nb: group of a body's tree joint, -1 */
  int32_t *eq;    /* nb: first balance equation of a body, -1 */
  int32_t neq;
  /* bodies, about O */
  double *A, *F, *X; /* nb x 6 */
  /* rows of closures: components on the joint's directions, and the one each brought (-1: none) */
  double *R;      /* nrows x 6 */
  int32_t *pivot; /* nrows */
  double *lam;    /* nrows */
  /* balance of the loops */
  hk_ldl *ldl;
  hk_ldl_num num;
  int32_t *slot, *diag;      /* of each joint's clique; neq */
  double *B, *f, *x, *r, *z; /* columns; neq; neq; neq; 6 nj */
  unsigned char *block;
};

/* reduced components of (moment, force), and back */
void hki_react_reduce(const hk_reactions *r, const double *w, double *out);
void hki_react_expand(const hk_reactions *r, const double *in, double *w);

/* directions, rows and applied wrench of one joint at the present state */
void hki_react_joint_directions(hk_reactions *r, const hk_tree *s, int32_t j);
/* multipliers of the joint's rows from mu */
void hki_react_joint_rows(hk_reactions *r, int32_t j);

/* mu of all joints on loops; F holds what each body needs, X the sums over subtrees */
hk_status hki_react_balance(hk_reactions *r, const hk_tree *s);
/* 1 where a component of a joint on loops is determined (nj x 6, force then moment) */
void hki_react_unique(hk_reactions *r, uint8_t *unique);

#endif
