/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_kept.c: the value of a parameter on its way into the model. It is a file of its own because the kernel that models
 * are exported as C with has another one in its place (guest/guest.c).
 */
#include "language/reader.h"

double hki_rd_param_value(const char *name, double value) {
  (void)name;
  return value;
}
