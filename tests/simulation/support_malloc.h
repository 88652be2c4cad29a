/* SPDX-License-Identifier: Apache-2.0
 *
 * support_malloc.h: counts every malloc of the program, where a sanitizer has not taken them over.
 */
#ifndef TESTS_SIMULATION_SUPPORT_MALLOC_H
#define TESTS_SIMULATION_SUPPORT_MALLOC_H

#include <stdint.h>

/* calls so far; always 0 where they cannot be counted */
uint64_t test_mallocs(void);

#endif
