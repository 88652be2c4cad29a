/* SPDX-License-Identifier: Apache-2.0
 *
 * jam.h: joints that their own friction jams.
 */
#ifndef HK_ANALYSES_JAM_H
#define HK_ANALYSES_JAM_H

#include "machines/tree/tree.h"

typedef struct hk_jam {
  int32_t normal; /* normal force whose friction raises it most; HK_NONE: there is none */
  double gain;    /* by how much, N/N */
  double margin;  /* determinant of 1 - gains, at most 1 - gain; 0 and below: jammed */
} hk_jam;

/* Looks at a state of s, at which it has its private states (held) and unknowns. Changes s->kin; its
 * normal forces stay as they are. HK_OK also where a joint is jammed. work: 2 nnormal + nv numbers. */
hk_status hki_jam(hk_tree *s, double t, const double *q, const double *v, double *work,
                  hk_jam *out);
/* numbers that `work` has */
int32_t hki_jam_work(const hk_model *m);
/* "friction of joint 'pin' jams: ..." */
void hki_jam_words(const hk_model *m, const hk_jam *j, char *buf, size_t cap);
/* what to do */
extern const char hki_jam_hint[];

#endif
