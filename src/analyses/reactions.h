/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions.h: joint reactions from body accelerations, the same for every formulation.
 *
 * With the accelerations known, what each body wants beyond its applied wrench is known; the joints
 * must supply it. On the tree, the wrench through a joint is the sum over its subtree, once the
 * multipliers of the closures are known; these follow from Phi_z' lam = Q - M a. Where closures are
 * redundant, the reactions of smallest norm over all joints are taken (moments divided by the
 * model's length), which does not depend on where loops are cut; components that are not unique are
 * flagged.
 */
#ifndef HK_ANALYSES_REACTIONS_H
#define HK_ANALYSES_REACTIONS_H

#include "machines/tree/tree.h"

typedef struct hk_reactions hk_reactions;

/* all memory here; nothing allocates afterwards */
hk_status hki_reactions_create(hk_ctx *ctx, const hk_model *m, hk_reactions **out);
void hki_reactions_destroy(hk_reactions *r);

/* At the state last evaluated in s (hki_tree_state: kinematics, closures, forces) with tree
 * accelerations a: wrench: nj x 6, (force, torque) on the second body of each spec joint, world
 * axes, at the joint's second marker; drive: ns, force or torque of a prescribed motion (or lock)
 * on each scalar coordinate, 0 else; unique: nj x 6 flags, 1 where the component is determined.
 * drive and unique may be NULL. */
hk_status hki_reactions_eval(hk_reactions *r, hk_tree *s, const double *a, double *wrench,
                             double *drive, uint8_t *unique);

/* multipliers of all closure rows found by the last hki_reactions_eval: M a + Phi_z' lam = Q
 * (nrows) */
const double *hki_reactions_multipliers(const hk_reactions *r);

#endif
