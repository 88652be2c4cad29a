/* SPDX-License-Identifier: Apache-2.0
 *
 * assert.c: the end of a program that has found a mistake in itself.
 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

void hki_assert_failed(const char *file, int line, const char *function, const char *condition) {
  fprintf(stderr, "%s:%d: %s: assertion failed: %s\n", file, line, function, condition);
  abort();
}

void hki_assert_table(const char *file, int line, const char *function, const char *kind,
                      const char *name, const char *fault) {
  fprintf(stderr, "%s:%d: %s: %s '%s': %s\n", file, line, function, kind,
          name ? name : "without a name", fault);
  abort();
}
