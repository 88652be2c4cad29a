/* SPDX-License-Identifier: Apache-2.0
 *
 * front_any.c: the passes over the fronts for any processor; see front_body.h.
 */
#include "machines/tree/front_impl.h"

#include "machines/tree/front_body.h"

static const hk_front_passes table = {factor, solve};

const hk_front_passes *hki_front_plain(void) { return &table; }

const hk_front_passes *hki_front_passes(void) {
  const hk_front_passes *wide = hki_front_wide();
  return wide ? wide : &table;
}
