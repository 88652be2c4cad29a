/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_external.h: `external:` of a model file: forces that another program gives.
 */
#ifndef HK_LANGUAGE_READER_EXTERNAL_H
#define HK_LANGUAGE_READER_EXTERNAL_H

#include "language/reader.h"

extern const hk_param hki_keys_external[], hki_keys_external_peer[];

/* after all bodies have their names, before forces and signals: it adds some of both */
void hki_rd_external_register(hk_reader *rd);
/* when surfaces have their points: labels of them */
void hki_rd_external_finish(hk_reader *rd);

#endif
