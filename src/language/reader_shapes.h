/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shapes.h: shapes of bodies, and the small helpers that register named items.
 */
#ifndef HK_LANGUAGE_READER_SHAPES_H
#define HK_LANGUAGE_READER_SHAPES_H

#include "language/reader.h"

/* one shape or a list of them, of body i (HK_GROUND allowed) */
void hki_rd_shapes_read(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t body);
/* `ground: {shape: ..}` under bodies */
void hki_rd_ground_shapes(hk_reader *rd, hk_rd_scope *s, const hk_entry *e);

/* remember scope and entry of item n of a list; which: 0 bodies, 1 joints, 2 forces, 3 markers,
 * 4 nodes */
bool hki_rd_side_add(hk_reader *rd, hk_rd_side **list, int32_t which, int32_t n, hk_rd_scope *s,
                     const hk_entry *e);
/* check a name, make it a full one, put it into a table; reports duplicates */
bool hki_rd_name_add(hk_reader *rd, hk_rd_scope *s, hk_names *names, const hk_entry *e,
                     const char *what, int32_t index, const hk_rd_side *side, const char **name);

#endif
