/* SPDX-License-Identifier: Apache-2.0
 *
 * runner.c: runs the suites of one test program under Check.
 */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

bool test_short(void) {
  const char *s = getenv("HOOKE_TEST_SHORT");
  return s && *s && strcmp(s, "0") != 0;
}

const char *test_source_dir(void) {
  const char *s = getenv("HOOKE_SOURCE");
  return s && *s ? s : HOOKE_SOURCE;
}

int test_run(Suite *(*const *suites)(void), int count) {
  /* Check's own limit of 4 seconds per test is short for a busy machine */
  setenv("CK_DEFAULT_TIMEOUT", "120", 0);

  SRunner *runner = srunner_create(NULL);
  for (int i = 0; i < count; i++) srunner_add_suite(runner, suites[i]());

  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
