/* SPDX-License-Identifier: Apache-2.0
 *
 * model_data.c: the model inside the program. This one has none: it lies in the FMU's resources. The
 * sources of an FMU have a file of this name with their model as an array.
 */
#include "entry/open.h"

const unsigned char *hki_unit_data(size_t *len) {
  *len = 0;
  return NULL;
}
