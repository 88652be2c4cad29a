/* SPDX-License-Identifier: Apache-2.0
 *
 * limits.h: stops of joints and the start of a run.
 */
#ifndef HK_ANALYSES_LIMITS_H
#define HK_ANALYSES_LIMITS_H

#include "kinematics/kin.h"

/* At the state of k: a coordinate outside the range of rigid stops is an error (HK_E_ASSEMBLY),
 * outside that of compliant ones a warning; each by name. */
hk_status hki_limits_check(hk_ctx *ctx, const hk_kin *k);

#endif
