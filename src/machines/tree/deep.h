/* SPDX-License-Identifier: Apache-2.0
 *
 * deep.h: stage matrices of deep trees without the matrix. A chain couples each of its coordinates with
 * every other: the matrix T of tree.h is full, and its factor grows with the cube of the bodies. The
 * articulated recursion solves with the same T, not formed, in O(n):
 *
 *   T = M + E + U V'              E: blocks of joints (own.h), U V': forces across joints and inputs
 *                                 that read channels, in the border of the tree
 *   T exact                       by the sweep of sweep.h, with all terms of the tree
 *   T with loops                  by fronts of their rows (front.h), with forces across joints as rows too;
 *                                 the functions of tree.h then do without the matrix by themselves
 *
 * For trees without elements on several markers, without friction that rests on normal
 * forces and without scalar unknowns; with loops also without bodies that lack inertia. Chosen where its counted
 * cost is below that of the matrix.
 */
#ifndef HK_MACHINES_TREE_DEEP_H
#define HK_MACHINES_TREE_DEEP_H

#include "machines/tree/front.h"
#include "machines/tree/own.h"
#include "machines/tree/sweep.h"

struct hk_deep {
  hk_aba aba;
  hk_own own;
  hk_sweep sweep; /* where exact tangents are allowed */
  bool exact;     /* the last factors are those of the sweep */
  bool loops;     /* the tree has loops: */
  hk_front front;
  bool forces;  /* the tangents of forces belong to the matrix */
  double *diag; /* nv: diagonal of T, where some coordinates are increments of a quaternion */
  unsigned char *block;
};

/* are the loops of the tree closed by fronts? */
static inline bool hki_deep_closes(const hk_tree *s) { return s->deep && s->deep->loops; }

/* *suits: is it the better choice for the model? tangent: HK_TANGENT_... that may be asked for; fronts have the material one alone, which
 * suffices where loops are local. gain: how many times less than a factorisation of the matrix they must cost. */
hk_status hki_deep_suits(hk_ctx *ctx, const hk_model *m, int32_t tangent, double gain, bool *suits);
/* The same for the start of a run, whose matrix has no forces, and rows of its own (front.h), where M alone would cost more.
 * Without loops: false. */
hk_status hki_deep_suits_start(hk_ctx *ctx, const hk_model *m, const hk_front_more *more,
                               bool *suits);
/* s->deep; exact: its tangents may be asked for. Freed with the tree. */
hk_status hki_deep_create(hk_tree *s, bool exact);
void hki_deep_destroy(hk_tree *s);
/* *out += bytes and seconds beside those of the tree */
hk_status hki_deep_cost(hk_ctx *ctx, const hk_model *m, bool exact, hk_cost *out);
/* T at the present state with tangents of forces; exact: at accelerations s->a */
hk_status hki_deep_factor(hk_tree *s, double cC, double cK, bool exact);
/* x = T^-1 x, border included */
void hki_deep_solve(hk_tree *s, double *x);
/* accelerations of the present state, with its forces; HK_E_SINGULAR: a motion without inertia */
hk_status hki_deep_accel(hk_tree *s, double *a);

/* What the functions of tree.h with these names do where fronts close the loops */
void hki_deep_mass(hk_tree *s);
void hki_deep_add_forces(hk_tree *s, double cC, double cK);
void hki_deep_add_closures(hk_tree *s, double c);
hk_status hki_deep_factor_loops(hk_tree *s);
void hki_deep_solve_loops(hk_tree *s, double *x);
/* y += (C and K of forces, as T has them) x, without the border */
void hki_deep_mul_forces(const hk_tree *s, const double *x, double *y);

#endif
