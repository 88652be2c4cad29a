/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h: the words of a model file beside the types of joints and forces: its sections and other
 * mappings with their keys, and what people coming from elsewhere call things.
 */
#ifndef HK_LANGUAGE_WORDS_H
#define HK_LANGUAGE_WORDS_H

#include "base/params.h"

/* a section of a model file, or a mapping inside one */
typedef struct hk_section {
  const char *name, *text;
  const hk_param *keys; /* of the mapping, or of each of its items; NULL: not a fixed set */
  const char *detail;   /* where to go on reading, or NULL */
} hk_section;

/* the i-th section; NULL: no more */
const hk_section *hki_section_at(int32_t i);

/* a thing under the names that others give it */
typedef struct hk_foreign_word {
  const char *words; /* names, separated by spaces */
  const char *text;  /* how Hooke does it, one sentence */
  const char *see;   /* entries of the catalogue to read, separated by spaces */
} hk_foreign_word;

/* the i-th word; NULL: no more */
const hk_foreign_word *hki_foreign_at(int32_t i);
/* how Hooke does the thing of this name, upper or lower case; NULL: the word is not known */
const char *hki_foreign_find(const char *word);

#endif
