/* SPDX-License-Identifier: Apache-2.0
 *
 * front_impl.h: what the files of the fronts share.
 */
#ifndef HK_MACHINES_TREE_FRONT_IMPL_H
#define HK_MACHINES_TREE_FRONT_IMPL_H

#include "machines/tree/front.h"

/* first line of column k that is kept: four lines at a time, with zeros down to the diagonal */
#define HKI_FRONT_FIRST(k) (((k) + 1) & ~3)

/* the passes for one kind of processor; numbers are the same for all */
typedef struct hk_front_passes {
  void (*factor)(hk_front *f, const hk_kin *k, const hk_aba *aba, const double *gz,
                 const double *E);
  void (*solve)(hk_front *f, double *x);
} hk_front_passes;

const hk_front_passes *hki_front_passes(void); /* for this processor */
const hk_front_passes *hki_front_plain(void);
const hk_front_passes *hki_front_wide(void); /* NULL: not on this processor */

#endif
