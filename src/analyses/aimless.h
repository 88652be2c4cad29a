/* SPDX-License-Identifier: Apache-2.0
 *
 * aimless.h: forces along the line of their ends that have no direction, as the ends coincide.
 */
#ifndef HK_ANALYSES_AIMLESS_H
#define HK_ANALYSES_AIMLESS_H

#include "kinematics/kin.h"

/* ends nearer than this count as coincident, m (spring_damper.c) */
#define HK_AIMLESS_LENGTH 1e-12

/* the force that element fi gives but which acts on nothing at the present state, N; 0: it acts */
double hki_aimless_force(hk_kin *k, int32_t fi);
/* The first force element from number `from` on whose law gives a force at the present state but
 * which acts on nothing; HK_NONE: there is none. words (cap bytes): what is wrong. */
int32_t hki_aimless(hk_kin *k, int32_t from, char *words, size_t cap);

/* a warning for each, at its place in the model file */
void hki_aimless_warn(hk_ctx *ctx, hk_kin *k);

#endif
