/* SPDX-License-Identifier: Apache-2.0
 *
 * aba.h: articulated-body factorisation of the mass matrix of a tree, in O(n).
 *
 *   factor M, leaf to root:      U = IA S                     IA starts as the body's inertia
 *                                D = S' U + E                 E: of the caller, or 0
 *                                IA_parent += IA - U D^-1 U'
 *   solve M x = b
 *     leaf to root:              u = b - S' p                 p starts as 0
 *                                p_parent += p + U D^-1 u
 *     root to leaf:              x = D^-1 (u - U' a_parent)   a_ground = 0
 *                                a = a_parent + S x
 *
 *   accelerations of a state:    p starts as F0 = I A0 + V x* (I V) - W, b = tau (+ E a*)
 *
 * All spatial vectors are about one point per tree (kin.h), so nothing is moved between bodies. A
 * direction without inertia gets a little (`floor`) and is counted in nsoft; the caller removes its
 * effect by iterating on the true residual. With E, block-diagonal with
 * one block per joint, the matrix is M + E, still in O(n).
 *
 * Source: Featherstone, Robot Dynamics Algorithms, 1987, written as a factorisation.
 */
#ifndef HK_MACHINES_TREE_ABA_H
#define HK_MACHINES_TREE_ABA_H

#include "machines/tree/tree.h"

/* a body's place in the recursion. Subtrees are contiguous: the first child of a body is the next
 * one and takes part without memory, the others meet in `sum`. */
typedef struct hk_aba_link {
  int32_t parent, v0, d0; /* d0: first entry of its block in Dinv */
  int32_t sum, to;        /* place in f->sum of its own children, of its parent's; -1: none */
  int8_t n;               /* velocities */
  bool leaf, first;       /* first: sets the sum of its parent */
} hk_aba_link;

struct hk_aba_passes;

typedef struct hk_aba {
  const hk_model *m;
  const struct hk_aba_passes *passes; /* for this processor (aba_impl.h) */
  hk_aba_link *link;                  /* nb */
  double *sum;    /* 42 for each body with several children: articulated inertia and wrench */
  double *little; /* nv: inertia given to directions without any */
  double *U;      /* nv x 6: IA S of each coordinate */
  double *Dinv;   /* D^-1: per body nv x nv, at d0 */
  int32_t *d0;    /* nb: first entry of a body's block */
  double *p, *a;  /* nb x 6: scratch */
  double *u;      /* nv: scratch */
  double floor;   /* kg: inertia given to directions without any; rotations times length^2 */
  int32_t nsoft;  /* number of such directions in the last factorisation */
  int32_t soft;   /* the last of them (velocity index), -1 = none */
} hk_aba;

/* Had the last factorisation a direction without inertia? The last of them says so, not how many there were: a step that becomes a
 * program (src/codegen) may choose one of n directions by its state, but cannot count to n in 2^n ways. */
static inline bool hki_aba_is_soft(const hk_aba *f) { return f->soft >= 0; }

/* number of entries of Dinv: sum of nv^2 over bodies */
int32_t hki_aba_blocks(const hk_model *m);
/* measure (base NULL) or assign the memory; call twice */
void hki_aba_layout(hk_aba *f, const hk_model *m, hk_arena *a);
/* block offsets and floor */
void hki_aba_init(hk_aba *f, const hk_tree *s);
/* factor M at the present state of s->kin, or M + E: E laid out as Dinv; NULL = none */
void hki_aba_factor(hk_aba *f, const hk_tree *s, const double *E);
/* Accelerations x of the tree at the present state of s->kin, with factors that stay: (M + E) x = rhs - S' F0, F0: sums over
 * the subtrees. rhs (nv) not x. */
void hki_aba_accel(hk_aba *f, const hk_tree *s, const double *E, const double *rhs, double *x);
/* x = M^-1 b; x may be b */
void hki_aba_solve(hk_aba *f, const hk_kin *k, const double *b, double *x);
/* the same, faster where b is zero but for a few coordinates */
void hki_aba_solve_few(hk_aba *f, const hk_kin *k, const double *b, double *x);

#endif
