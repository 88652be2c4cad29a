/* SPDX-License-Identifier: Apache-2.0
 *
 * support_sources.h: arguments of the functions about sources of energy.
 */
#ifndef TESTS_API_SUPPORT_SOURCES_H
#define TESTS_API_SUPPORT_SOURCES_H

#include "hooke/hooke.h"

/* s: a simulation, other: something else */
void test_sources(hk_sim *s, hk_sim *other);

#endif
