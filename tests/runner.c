/* SPDX-License-Identifier: Apache-2.0
 *
 * runner.c: runs the suites of one test program under Check.
 */
#include "runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_set(const char *name) {
  const char *s = getenv(name);
  return s && *s && strcmp(s, "0") != 0;
}

bool test_short(void) { return is_set("HOOKE_TEST_SHORT"); }

bool test_all(void) { return is_set("HOOKE_TEST_ALL"); }

bool test_few(void) { return test_short() && !test_all(); }

const char *test_source_dir(void) {
  const char *s = getenv("HOOKE_SOURCE");
  return s && *s ? s : HOOKE_SOURCE;
}

bool test_aborts(void (*f)(void *), void *arg, const char *words) {
  char said[4000];
  size_t n = 0;
  ssize_t got;
  int pipes[2], status = 0;
  fflush(NULL);
  if (pipe(pipes) != 0) return false;
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(pipes[1], STDERR_FILENO);
    f(arg);
    _exit(0);
  }
  close(pipes[1]);
  while (n + 1 < sizeof said && (got = read(pipes[0], said + n, sizeof said - 1 - n)) > 0)
    n += (size_t)got;
  said[n] = '\0';
  close(pipes[0]);
  waitpid(child, &status, 0);
  bool good = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, words);
  if (!good) printf("expected an abort with '%s', got status %d and '%s'\n", words, status, said);
  return good;
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
