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
hk_status hki_deck_read(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *path, hk_fe *fe);
hk_status hki_deck_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                         hk_fe *fe);
/* its unknowns, stiffness and mass; NULL: the files that CalculiX writes beside the deck */
hk_status hki_deck_matrices(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *deck,
                            const char *stiffness, const char *mass, hk_fe *fe);

/* the surface: faces of solids that belong to one element, and shells, as triangles (skin.c). Faces have three or four
 * corners, the last of a triangle is -1. */
typedef struct hk_skin {
  hk_ctx *ctx;
  int32_t n, cap;
  int32_t (*face)[4];
  bool failed;
} hk_skin;
/* how many nodes an element of this type has; 0: none that is known */
int32_t hki_skin_nodes(const char *type);
void hki_skin_add(hk_skin *s, const char *type, const int32_t *node);
hk_status hki_skin_finish(hk_skin *s, hk_pool *pool, hk_fe *fe);

#endif
