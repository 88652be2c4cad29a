/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs on a thread of their own: one after the other in their order, errors told and kept, and the
 * same without a thread.
 */
#include <check.h>
#include <errno.h>
#include <time.h>

#include "base/base.h"
#include "runner.h"

static hk_ctx *ctx;
static hk_worker *w;
static int list[200], n; /* the jobs that were done */

typedef struct task {
  int number, error;
  long wait; /* ns */
} task;

static int run(void *arg) {
  const task *t = arg;
  nanosleep(&(struct timespec){.tv_nsec = t->wait}, NULL);
  list[n++] = t->number;
  return t->error;
}

static void setup(void) {
  ctx = hk_ctx_create();
  w = hki_worker_create(ctx);
  ck_assert_ptr_nonnull(w);
  n = 0;
}

static void teardown(void) { hk_ctx_destroy(ctx); }

/* with a thread, and without */
START_TEST(test_order) {
  hk_worker *by = _i ? w : NULL;
  task tasks[200];
  for (int k = 0; k < 200; k++) {
    tasks[k] = (task){k, 0, k % 7 ? 0 : 200000};
    ck_assert_int_eq(hki_worker_give(by, run, &tasks[k]), 0);
  }
  ck_assert_int_eq(hki_worker_wait(by), 0);
  ck_assert(hki_worker_idle(by));
  ck_assert_int_eq(n, 200);
  for (int k = 0; k < 200; k++) ck_assert_int_eq(list[k], k);
  hki_worker_end(w);
}
END_TEST

/* the thread that starts a job continues while it runs */
START_TEST(test_goes_on) {
  task t = {3, 0, 300000000};
  ck_assert_int_eq(hki_worker_give(w, run, &t), 0);
  ck_assert(!hki_worker_idle(w));
  ck_assert_int_eq(hki_worker_wait(w), 0);
  ck_assert_int_eq(n, 1);
  hki_worker_end(w);
}
END_TEST

/* after an error there are no more jobs */
START_TEST(test_error) {
  task bad = {1, ENOSPC, 0}, good = {2, 0, 0};
  ck_assert_int_eq(hki_worker_give(w, run, &bad), 0);
  ck_assert_int_eq(hki_worker_give(w, run, &good), ENOSPC);
  ck_assert_int_eq(hki_worker_wait(w), ENOSPC);
  ck_assert_int_eq(n, 1);
  hki_worker_end(w);
  ck_assert_int_eq(hki_worker_give(NULL, run, &bad), ENOSPC);
}
END_TEST

/* an end in the middle of a job waits for it */
START_TEST(test_end) {
  task t = {1, 0, 20000000};
  ck_assert_int_eq(hki_worker_give(w, run, &t), 0);
  hki_worker_end(w);
  ck_assert_int_eq(n, 1);
}
END_TEST

Suite *suite_worker(void);
Suite *suite_worker(void) {
  Suite *s = suite_create("worker");
  TCase *c = tcase_create("worker");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_loop_test(c, test_order, 0, 2);
  tcase_add_test(c, test_goes_on);
  tcase_add_test(c, test_error);
  tcase_add_test(c, test_end);
  suite_add_tcase(s, c);
  return s;
}
