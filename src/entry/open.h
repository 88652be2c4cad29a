/* SPDX-License-Identifier: Apache-2.0
 *
 * open.h: an instance of the model that this program holds, or that lies in the FMU's resources.
 */
#ifndef HK_ENTRY_OPEN_H
#define HK_ENTRY_OPEN_H

#include "fmu/unit.h"

/* `resources`: a path, or an address that begins with file: . NULL on failure; say has told why. */
hk_unit *hki_unit_open(const char *resources, const char *token, bool co_simulation,
                       hk_unit_say *say, void *user);

/* the bundle inside sources (model_data.c); NULL: there is none, it lies in the resources */
const unsigned char *hki_unit_data(size_t *len);

#endif
