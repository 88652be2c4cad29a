/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_laws.h: what the files that read laws share: reader_laws.c (of one deformation),
 * reader_law_memory.c, reader_law_many.c (of several).
 */
#ifndef HK_LANGUAGE_READER_LAWS_H
#define HK_LANGUAGE_READER_LAWS_H

#include "elements/law_many.h"
#include "language/reader.h"

enum { HK_RD_LAW_DEPTH = 16 }; /* deepest nesting of laws in laws */

/* A law while it is read. n: deformations; flip: of one, the law of the mirrored coordinate */
typedef struct hk_rd_law_in {
  hk_reader *rd;
  hk_rd_scope *s;
  const char *what;
  int32_t n, depth;
} hk_rd_law_in;

/* one of the keys of a mapping with a law of one deformation, branches apart; *n: how many there are */
bool hki_rd_law_of_key(const hk_rd_law_in *in, const hk_node *node, bool flip, hk_law *law, int *n);
/* a law of one deformation, finished; NULL after an error */
const hk_law *hki_rd_law_at(const hk_rd_law_in *in, const hk_node *node, bool flip);
/* An expression of the deformations s1 to sn (slots 0 on) and their rates sd1 to sdn (slots HK_MANY on);
 * of one deformation s and sdot too. */
hk_expr *hki_rd_law_expr(const hk_rd_law_in *in, const hk_node *v);
/* fills c by the rows of a table, whose offsets are places in c; the default where a key is left out */
bool hki_rd_law_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *rows,
                        const char *what, double *c);

/* --- reader_law_many.c -------------------------------------------------------------------------- */

/* does a mapping, where a law of one deformation stands, hold a sum of parts? */
bool hki_rd_is_many(const hk_node *node);
/* a sum of parts as a law; flip: deformations that change their sign. False after an error. */
bool hki_rd_many(const hk_rd_law_in *in, const hk_node *node, uint32_t flip, hk_law *law);
/* the number of deformations of a law that nothing uses, as far as its own words tell: 1, 3 or 6 */
int32_t hki_rd_law_guess(const hk_node *node);

/* what `maxwell`, `hardening` and `bistop` of several deformations make; parts: *n of them so far */
bool hki_rd_many_maxwell(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part, int32_t *n);
bool hki_rd_many_hardening(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part);
bool hki_rd_many_bistop(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part);
const hk_law_many *hki_rd_many_law(const hk_rd_law_in *in, const hk_node *node);

extern const hk_param hki_keys_bistop[], hki_keys_law_axis[], hki_keys_shock_absorber[];

#endif
