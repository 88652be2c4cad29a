/* SPDX-License-Identifier: Apache-2.0
 *
 * joins.h: where the ways of a branch meet again.
 */
#ifndef HK_CODEGEN_JOINS_H
#define HK_CODEGEN_JOINS_H

#include "codegen/module.h"

/* fills f->joins, the place for each instruction; -1 where no way leads to the end */
hk_status hki_function_joins(hk_module *m, hk_function *f);

#endif
