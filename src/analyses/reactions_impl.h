/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions_impl.h: data shared by the files of the reaction routine.
 *
 *   w       = Q mu    wrench of a joint on a loop; Q: directions in which the joint can push
 *   B mu    = f       balance of the bodies on loops
 *   mu      = B' y    the shortest mu over all joints of the loops
 *   B B' y  = f
 *
 * Q is orthonormal in the metric (moment / length, force). The equations do not distinguish tree
 * joints from cut joints, so the result does not depend on where loops are cut. B B' is singular
 * where the loops can move; a small number on the diagonal makes it regular, and repeated
 * corrections remove its effect (reactions_balance.c). Joints on no loop follow by sums over
 * subtrees.
 *
 * Wrenches are kept in ne reduced components: 6 in space (moment / length, force), 3 in planar
 * models (moment about the normal / length, two forces in the plane).
 */
#ifndef HK_ANALYSES_REACTIONS_IMPL_H
#define HK_ANALYSES_REACTIONS_IMPL_H

#include "analyses/reactions.h"

/* one joint of the spec */
typedef struct hk_react_joint {
  int32_t body[2];    /* first, second: model bodies, HK_GROUND */
  int32_t eq[2];      /* first balance equation of each body, -1: not in the joint's group */
  int32_t group;      /* group of loops, -1: on no loop */
  int32_t clo0, nclo; /* its closures: clo[clo0 .. clo0 + nclo - 1] of hk_reactions */
  int32_t slot0;      /* its first slot of B B' in hk_reactions.slot */
  int32_t col0;       /* its columns in hk_reactions.B, 6 x 2 ne */
  /* at the present state: */
  int32_t n;         /* directions in which it can push */
  double Q[36];      /* n x ne: these directions, reduced components */
  double mu[6];      /* n: components of its wrench */
  double p[3];       /* origin of the second marker, world axes, m */
  double applied[6]; /* wrench of elements on its tree coordinates: on the second body, at p */
} hk_react_joint;

struct hk_reactions {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  int32_t ne;            /* reduced components of a wrench */
  double axes[9];        /* planar: columns two directions in the plane and the normal */
  hk_react_joint *joint; /* nj */
  int32_t *clo;          /* nc: closures, sorted by joint */
  int32_t *group;        /* nb: group of a body's tree joint, -1: on no loop */
  int32_t *eq;           /* nb: first balance equation of a body, -1: none */
  int32_t neq;           /* balance equations */
  /* nb x 6, about O: accelerations, needs of the bodies, sums of the needs over subtrees */
  double *A, *F, *X;
  /* closure rows: */
  double *R;      /* nrows x 6: gradient in the joint's directions Q */
  int32_t *pivot; /* nrows: the direction that the row added to Q, -1: none */
  double *lam;    /* nrows: multipliers */
  /* balance of the bodies on loops: */
  hk_ldl *ldl;          /* pattern and factor of B B' */
  hk_ldl_num num;       /* its numbers, in block */
  int32_t *slot, *diag; /* slots of each joint's columns (lower triangle); neq: of the diagonal */
  double *B;            /* columns of the joints: see hk_react_joint.col0 */
  double *f, *x, *r;    /* neq: needs; solution; residual */
  double *z;            /* nj x 6: probe for components that are not unique */
  unsigned char *block;
};

/* out (ne) = reduced components of the wrench w (moment, force), world axes; and back */
void hki_react_reduce(const hk_reactions *r, const double *w, double *out);
void hki_react_expand(const hk_reactions *r, const double *in, double *w);

/* directions, rows and applied wrench of one joint at the present state */
void hki_react_joint_directions(hk_reactions *r, const hk_tree *s, int32_t j);
/* multipliers of the joint's rows from mu */
void hki_react_joint_rows(hk_reactions *r, int32_t j);

/* mu of all joints on loops; reads F and X, overwrites A */
hk_status hki_react_balance(hk_reactions *r, const hk_tree *s);
/* 1 where a component of a joint on loops is determined (nj x 6, force then moment) */
void hki_react_unique(hk_reactions *r, uint8_t *unique);

#endif
