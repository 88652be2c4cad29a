/* SPDX-License-Identifier: Apache-2.0
 *
 * deck.h: finite-element models from files of other programs.
 *
 *   MODEL.inp with MODEL.dof, MODEL.sti, MODEL.mas    CalculiX: *FREQUENCY, SOLVER=MATRIXSTORAGE
 *   MODEL.inp with two matrices `node, direction, node, direction, value`    Abaqus: *MATRIX GENERATE, *MATRIX OUTPUT
 */
#ifndef HK_FLEX_DECK_H
#define HK_FLEX_DECK_H

#include "flex/fe.h"

/* nodes, sets of nodes and the surface of the elements */
hk_status hki_deck_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                         hk_fe *fe);
/* its unknowns, stiffness and mass; NULL: the files that CalculiX writes beside the deck */
hk_status hki_deck_matrices(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *deck,
                            const char *stiffness, const char *mass, hk_fe *fe);
/* the deck's path with another ending; NULL: no memory */
char *hki_deck_beside(hk_pool *pool, const char *deck, const char *ending);

#endif
