/* SPDX-License-Identifier: Apache-2.0
 *
 * mass.h: columns of the mass matrix of four like bodies at once; for mass.c and create.c alone.
 */
#ifndef HK_MACHINES_TREE_MASS_H
#define HK_MACHINES_TREE_MASS_H

#include "kinematics/lanes.h"
#include "machines/tree/tree.h"

/* s->quad_mass: the groups of bodies whose columns are found together */
void hki_mass4_find(hk_tree *s);
/* inertias of the bodies themselves, before those of their children are added */
void hki_mass4_start(hk_lanes *b);
/* their columns; their inertias go to their parents */
void hki_mass4(hk_tree *s, int32_t quad);

#endif
