/* SPDX-License-Identifier: Apache-2.0
 *
 * deep.h: stage matrices of deep trees without the matrix. A chain couples each of its coordinates with
 * every other: the matrix T of tree.h is full, and its factor grows with the cube of the bodies. The
 * articulated recursion solves with the same T, not formed, in O(n):
 *
 *   T = M + E + U V'              E: blocks of joints (own.h), U V': forces across joints and inputs
 *                                 that read channels, in the border of the tree
 *   T exact                       by the sweep of sweep.h, with all terms of the tree
 *
 * For trees without loops, without elements on several markers, without friction that rests on normal
 * forces and without scalar unknowns; chosen where its counted cost is below that of the matrix.
 */
#ifndef HK_MACHINES_TREE_DEEP_H
#define HK_MACHINES_TREE_DEEP_H

#include "machines/tree/own.h"
#include "machines/tree/sweep.h"

struct hk_deep {
  hk_aba aba;
  hk_own own;
  hk_sweep sweep; /* where exact tangents are allowed */
  bool exact;     /* the last factors are those of the sweep */
  unsigned char *block;
};

/* *suits: is it the better choice for the model? */
hk_status hki_deep_suits(hk_ctx *ctx, const hk_model *m, bool *suits);
/* s->deep; exact: its tangents may be asked for. Freed with the tree. */
hk_status hki_deep_create(hk_tree *s, bool exact);
void hki_deep_destroy(hk_tree *s);
/* bytes beside those of the tree */
double hki_deep_bytes(const hk_model *m, bool exact);
/* T at the present state with tangents of forces; exact: at accelerations s->a */
hk_status hki_deep_factor(hk_tree *s, double cC, double cK, bool exact);
/* x = T^-1 x, border included */
void hki_deep_solve(hk_tree *s, double *x);
/* accelerations of the present state, with its forces; HK_E_SINGULAR: a motion without inertia */
hk_status hki_deep_accel(hk_tree *s, double *a);

#endif
