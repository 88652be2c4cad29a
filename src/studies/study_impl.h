/* SPDX-License-Identifier: Apache-2.0
 *
 * study_impl.h: shared by the files of the study reader.
 */
#ifndef HK_STUDIES_STUDY_IMPL_H
#define HK_STUDIES_STUDY_IMPL_H

#include <math.h>

#include "language/reader.h"
#include "studies/study.h"

/* the keys of one table: study, case, reference, measure, search */
const hk_param *hki_study_keys(const char *name);

/* a study being read */
typedef struct hk_study_reader {
  hk_reader rd; /* for the checks and messages of keys */
  hk_study *s;
} hk_study_reader;

/* study_values.c: texts, numbers and lists; false after a message */
bool hki_study_get_text(hk_study_reader *r, const hk_node *node, const char *what,
                        hk_study_text *out);
bool hki_study_get_number(hk_study_reader *r, const hk_node *node, const char *what, double *out);
bool hki_study_get_positive(hk_study_reader *r, const hk_node *map, const char *key, double *out);
bool hki_study_get_count(hk_study_reader *r, const hk_node *map, const hk_param *keys,
                         const char *key, int32_t *out);
bool hki_study_get_bool(hk_study_reader *r, const hk_node *map, const char *key, bool *out);
bool hki_study_get_names(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_list *out);
bool hki_study_get_steps(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_steps *out);
bool hki_study_get_pairs(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_pairs *out);
/* a path written in the study -> relative to the working directory */
const char *hki_study_path(hk_study_reader *r, const char *path);

#endif
