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

/* one row of a coupling: its wrench on the bodies of its joints is mu times a column of unit length */
typedef struct hk_react_coupling {
  int32_t closure;
  int32_t n, *body, *eq; /* n: bodies in its group, their balance equations */
  int32_t slot0, col0;   /* first slot of B B' in hk_reactions.slot; column in hk_reactions.B */
  /* at the present state: */
  double norm; /* length of the column for a multiplier of -1; 0: off */
  double mu, z;
} hk_react_coupling;

struct hk_reactions {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  int32_t ne;            /* reduced components of a wrench */
  double axes[9];        /* planar: columns two directions in the plane and the normal */
  hk_react_joint *joint; /* nj */
  int32_t ncoupling;
  hk_react_coupling *coupling; /* ncoupling */
  int32_t *clo;                /* nc: closures, sorted by joint */
  int32_t *group;              /* nb: group of a body's tree joint, -1: on no loop */
  int32_t *eq;                 /* nb: first balance equation of a body, -1: none */
  int32_t neq;                 /* balance equations */
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

/* couplings (reactions_coupling.c). unite: bodies whose tree joints are coupled, in the forest `up`;
 * on[nj]: a body on the loop of each cut joint. mark: r->group of their roots. list: bodies and
 * equations, once groups are known */
void hki_react_unite_couplings(const hk_model *m, const int32_t *on, int32_t *up);
void hki_react_mark_couplings(hk_reactions *r, const int32_t *on, int32_t *up);
bool hki_react_list_couplings(hk_reactions *r);
/* columns of B at the present state */
void hki_react_coupling_columns(hk_reactions *r, const hk_kin *k);
/* y += f times the column; the column times y */
void hki_react_coupling_add(const hk_reactions *r, const hk_react_coupling *x, double f, double *y);
double hki_react_coupling_pull(const hk_reactions *r, const hk_react_coupling *x, const double *y);
/* lam of the rows */
void hki_react_coupling_rows(hk_reactions *r);
/* their wrenches: on tree joints to `applied`, on cut joints to the needs F */
void hki_react_coupling_wrenches(hk_reactions *r, const hk_kin *k);
/* subtracts the wrench w of a cut joint from the needs F of its two bodies */
void hki_react_carry(hk_reactions *r, const hk_kin *k, const hk_react_joint *x, const double *w);
/* root of i in the union-find forest */
static inline int32_t hki_react_find(int32_t *up, int32_t i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

#endif
