/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_fmus.h: `fmus:`, units of other tools inside a model (reader_fmus.c).
 */
#ifndef HK_LANGUAGE_READER_FMUS_H
#define HK_LANGUAGE_READER_FMUS_H

#include "language/reader.h"

extern const hk_param hki_keys_fmu[];
/* after all signals */
void hki_rd_fmus_read(hk_reader *rd);

#endif
