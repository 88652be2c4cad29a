/* SPDX-License-Identifier: Apache-2.0
 *
 * support_cases.h: all cases of all elements, made before each test.
 */
#ifndef TESTS_ELEMENTS_SUPPORT_CASES_H
#define TESTS_ELEMENTS_SUPPORT_CASES_H

#include "elements/support.h"

static bench b;
static element_case cases[MAX_CASES];
static int32_t ncases;

static void setup(void) {
  bench_open(&b);
  ncases = make_cases(&b, cases, MAX_CASES);
}
static void teardown(void) { bench_close(&b); }

#endif
