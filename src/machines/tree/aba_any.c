/* SPDX-License-Identifier: Apache-2.0
 *
 * aba_any.c: the articulated-body passes in plain C, for any processor.
 */
#include "machines/tree/aba_impl.h"

#include "geometry/vec3.h"
#include "machines/tree/aba_body.h"

static const hk_aba_passes table = {factor, accel};

const hk_aba_passes *hki_aba_plain(void) { return &table; }

const hk_aba_passes *hki_aba_passes(void) {
  const hk_aba_passes *wide = hki_aba_wide();
  return wide ? wide : &table;
}
