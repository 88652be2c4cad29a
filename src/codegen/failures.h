/* SPDX-License-Identifier: Apache-2.0
 *
 * failures.h: conditions of failures, as short as they can be. The step fails where one of them holds. What the library has asked before
 * it came to one, and would have failed by, need not be asked again:
 *
 *   fails if a, fails if (not a and b)        is        fails if a, fails if b
 *
 * so that the tests of a row of pivots are no branches within branches, and no pivot waits for the end of the row.
 */
#ifndef HK_CODEGEN_FAILURES_H
#define HK_CODEGEN_FAILURES_H

#include "codegen/trace.h"

hk_status hki_failures_shorten(hk_followed *t);

#endif
