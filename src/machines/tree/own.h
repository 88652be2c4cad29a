/* SPDX-License-Identifier: Apache-2.0
 *
 * own.h: forces that act on the joint of one body alone (springs, dampers and drives of a joint, springs
 * between a body and its parent). Their tangents are blocks of the joints, which the articulated
 * recursion (aba.h) takes in at no cost:
 *
 *   E = cK K + cC C                                   cK = 1/ca, cC = cv/ca in a stage
 */
#ifndef HK_MACHINES_TREE_OWN_H
#define HK_MACHINES_TREE_OWN_H

#include "machines/tree/aba.h"

typedef struct hk_own {
  int32_t n;
  int32_t *force, *body; /* n: model force, the body whose joint it acts on */
  uint8_t *joint;        /* nf, 1: one of these forces */
  double *E;             /* laid out as Dinv of aba.h */
} hk_own;

/* measure (base NULL) or assign the memory; call twice */
void hki_own_layout(hk_own *o, const hk_model *m, hk_arena *a);
/* finds the forces */
void hki_own_init(hk_own *o, const hk_model *m);
/* E at the present state, evaluated with HK_FORCES_TANGENT; firm: without forces whose K and C have a
 * negative diagonal entry, and inputs that do not resist motion */
void hki_own_tangents(hk_own *o, const hk_tree *s, const hk_aba *aba, double cC, double cK,
                      bool firm);
/* r += E (a - b) */
void hki_own_add(const hk_own *o, const hk_aba *aba, const double *a, const double *b, double *r);

#endif
