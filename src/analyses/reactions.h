/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions.h: joint reactions from body accelerations, the same for every formulation.
 *
 * The accelerations give the wrench that each body needs beyond its applied wrench W, about O:
 *
 *   F = I A + V x* (I V) - W
 *
 * Its joints must supply F. Cut joints and the joints of loops first, by the balance of the bodies
 * on loops (reactions_impl.h); then the wrench through any tree joint is the sum of what is left
 * over its subtree. Where closures are redundant, the reactions of smallest norm over all joints
 * are taken (moments divided by the model's length). This choice does not depend on where loops
 * are cut. Components that are not unique are flagged.
 */
#ifndef HK_ANALYSES_REACTIONS_H
#define HK_ANALYSES_REACTIONS_H

#include "machines/tree/tree.h"

typedef struct hk_reactions hk_reactions;

/* allocates all memory; hki_reactions_eval allocates none */
hk_status hki_reactions_create(hk_ctx *ctx, const hk_model *m, hk_reactions **out);
double hki_reactions_bytes(const hk_reactions *r); /* memory */
void hki_reactions_destroy(hk_reactions *r);

/* Reactions at the state last evaluated in s (hki_tree_state: kinematics, closures, forces).
 *   a       nv: tree accelerations
 *   wrench  nj x 6: (force, moment) on the second body of each spec joint, world axes, at the
 *           joint's second marker
 *   drive   ns: force or moment of a prescribed motion or lock on each scalar coordinate, 0 where
 *           there is none; may be NULL
 *   unique  nj x 6: 1 where the component is determined, else 0; may be NULL */
hk_status hki_reactions_eval(hk_reactions *r, hk_tree *s, const double *a, double *wrench,
                             double *drive, uint8_t *unique);

/* nrows: multipliers of all closure rows from the last hki_reactions_eval, M a + Phi_z' lam = Q */
const double *hki_reactions_multipliers(const hk_reactions *r);

#endif
