/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_covers.h: `surfaces:` of a model file: points that follow bodies.
 */
#ifndef HK_LANGUAGE_READER_COVERS_H
#define HK_LANGUAGE_READER_COVERS_H

#include "language/reader.h"

extern const hk_param hki_keys_cover[], hki_keys_cover_grid[];

/* after all bodies have been read */
void hki_rd_covers_read(hk_reader *rd);
/* A list of bodies: names and patterns with * and ?, each body once. In rd->pool; false after reporting. */
bool hki_rd_body_list(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      int32_t **list, int32_t *n);

#endif
