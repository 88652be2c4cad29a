/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoints that are refused leave the simulation as it was: cut short at any place, changed at
 * any place, of something else, no file at all, linear solvers that cannot be brought back. What is
 * saved afterwards is the same to the last byte, and the run goes on as one that was not disturbed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

Suite *suite_checkpoint(void);

typedef struct setting {
  const char *model, *formulation, *integrator, *control;
  double step, cut, end;
} setting;

/* fixed steps and free ones, events, discrete data, pivots that a linear solver keeps */
static const setting settings[] = {
    {"double-four-bar.yaml", "hybrid", "generalized_alpha", NULL, 0.005, 0.2, 0.4},
    {"grab-and-release.yaml", "hybrid", "newmark", NULL, 0.004, 0.85, 1.1},
    {"door-with-stop.yaml", "hybrid", "generalized_alpha", NULL, 0.004, 0.72, 0.8},
    {"spinning-ball.yaml", "hybrid", "generalized_alpha", NULL, 0.005, 0.4, 1.2},
    {"spatial-four-bar.yaml", "redundant", "multistep", "error", 0.001, 0.1, 0.15},
    {"motor-crank.yaml", "redundant", "generalized_alpha", NULL, 0.002, 0.1, 0.2},
    {"spatial-four-bar.yaml", "hybrid", "dopri5", "error", 0.001, 0.1003, 0.15},
};

typedef struct fixture {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  char dir[32], path[64], bad[64];
  unsigned char *bytes; /* of the checkpoint at the cut */
  size_t n;
} fixture;

static hk_sim *create(hk_model *m, const setting *c) {
  hk_option list[] = {{"step_control", c->control}, {"rtol", "1e-5"}};
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = c->formulation;
  opt.integrator = c->integrator;
  opt.step = c->step;
  opt.time = c->end;
  opt.options = list;
  opt.noptions = c->control ? 2 : 0;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  return s;
}

static hk_model *load_model(hk_ctx *ctx, const char *name) {
  char path[512];
  hk_model *m = NULL;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  return m;
}

static unsigned char *file_bytes(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  ck_assert_ptr_nonnull(f);
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  rewind(f);
  unsigned char *bytes = malloc(*n + 1);
  ck_assert_uint_eq(fread(bytes, 1, *n, f), *n);
  fclose(f);
  return bytes;
}

static void put_file(const char *path, const unsigned char *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
  ck_assert_int_eq(fclose(f), 0);
}

/* a run to the cut, and its checkpoint */
static void begin(fixture *x, const setting *c) {
  x->ctx = hk_ctx_create();
  x->m = load_model(x->ctx, c->model);
  x->s = create(x->m, c);
  snprintf(x->dir, sizeof x->dir, "checkpoint-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(x->dir));
  snprintf(x->path, sizeof x->path, "%s/good", x->dir);
  snprintf(x->bad, sizeof x->bad, "%s/bad", x->dir);
  while (hk_sim_time(x->s) < c->cut) ck_assert_int_eq(hk_sim_step(x->s), HK_OK);
  ck_assert_int_eq(hk_sim_save(x->s, x->path), HK_OK);
  x->bytes = file_bytes(x->path, &x->n);
}

static void end(fixture *x) {
  remove(x->path);
  remove(x->bad);
  ck_assert_int_eq(rmdir(x->dir), 0); // nothing else was left there
  free(x->bytes);
  hk_sim_destroy(x->s);
  hk_model_release(x->m);
  hk_ctx_destroy(x->ctx);
}

/* the present state has the bytes of the checkpoint written at the cut */
static void untouched(fixture *x, const char *after) {
  ck_assert_uint_eq(hk_sim_state_size(x->s), x->n);
  unsigned char *now = malloc(x->n);
  ck_assert_int_eq(hk_sim_state_get(x->s, now, x->n), HK_OK);
  ck_assert_msg(memcmp(now, x->bytes, x->n) == 0, "changed by %s", after);
  free(now);
}

static void refused(fixture *x, const char *path, hk_status status, const char *what) {
  hk_status st = hk_sim_load(x->s, path);
  ck_assert_msg(st == status, "%s: status %d", what, (int)st);
  ck_assert_msg(hki_error_count(x->ctx) > 0, "%s: no message", what);
  hk_ctx_clear(x->ctx);
  untouched(x, what);
}

/* the rest of the run is that of one that was left alone */
static void goes_on(fixture *x, const setting *c) {
  double a[512], b[512];
  hk_sim *alone = create(x->m, c);
  int32_t n = hk_sim_channel_count(alone);
  ck_assert_int_lt(n, 512);
  while (hk_sim_time(alone) < c->cut) ck_assert_int_eq(hk_sim_step(alone), HK_OK);
  for (;;) {
    ck_assert_int_eq(hk_sim_values(alone, a), HK_OK);
    ck_assert_int_eq(hk_sim_values(x->s, b), HK_OK);
    ck_assert(hk_sim_time(alone) == hk_sim_time(x->s));
    ck_assert_msg(memcmp(a, b, (size_t)n * sizeof *a) == 0, "%s, %s at %g s", c->model,
                  c->formulation, hk_sim_time(alone));
    if (hk_sim_done(alone)) break;
    ck_assert_int_eq(hk_sim_step(alone), HK_OK);
    ck_assert_int_eq(hk_sim_step(x->s), HK_OK);
  }
  hk_sim_destroy(alone);
}

/* cut short and changed at every eighth byte, which is every boundary between its parts and more */
START_TEST(damaged_files_are_refused) {
  const setting *c = &settings[_i];
  fixture x;
  char what[64];
  begin(&x, c);
  const size_t stride = test_few() ? 448 : test_short() ? 64 : 8;
  for (size_t at = 0; at < x.n; at += stride) {
    snprintf(what, sizeof what, "a file cut at %zu of %zu", at, x.n);
    put_file(x.bad, x.bytes, at);
    refused(&x, x.bad, HK_E_FILE, what);
    snprintf(what, sizeof what, "a changed byte %zu of %zu", at, x.n);
    x.bytes[at] ^= 0x40;
    put_file(x.bad, x.bytes, x.n);
    x.bytes[at] ^= 0x40;
    refused(&x, x.bad, HK_E_FILE, what);
  }
  x.bytes[x.n] = 0;
  put_file(x.bad, x.bytes, x.n + 1);
  refused(&x, x.bad, HK_E_FILE, "one byte more");
  goes_on(&x, c);
  end(&x);
}
END_TEST

/* well made, but of another model, method, option, step or end */
START_TEST(foreign_files_are_refused) {
  const setting *c = &settings[0];
  const setting other[] = {
      {"spatial-four-bar.yaml", c->formulation, c->integrator, NULL, c->step, c->cut, c->end},
      {c->model, "partition", c->integrator, NULL, c->step, c->cut, c->end},
      {c->model, c->formulation, "newmark", NULL, c->step, c->cut, c->end},
      {c->model, c->formulation, c->integrator, "error", c->step, c->cut, c->end},
      {c->model, c->formulation, c->integrator, NULL, 0.5 * c->step, c->cut, c->end},
      {c->model, c->formulation, c->integrator, NULL, c->step, c->end + 0.1, c->end + 0.1},
  };
  fixture x;
  begin(&x, c);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    hk_model *m = load_model(x.ctx, other[i].model);
    hk_sim *s = create(m, &other[i]);
    while (hk_sim_time(s) < other[i].cut) ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert_int_eq(hk_sim_save(s, x.bad), HK_OK);
    hk_sim_destroy(s);
    hk_model_release(m);
    refused(&x, x.bad, i == 5 ? HK_E_USAGE : HK_E_FILE, "a foreign file");
  }
  remove(x.bad);
  refused(&x, x.bad, HK_E_FILE, "no file");
  refused(&x, x.dir, HK_E_FILE, "a directory");
  ck_assert_int_eq(mkfifo(x.bad, 0600), 0);
  refused(&x, x.bad, HK_E_FILE, "a pipe");
  goes_on(&x, c);
  end(&x);
}
END_TEST

static hk_status no_recall(hk_formulation *f) {
  (void)f;
  return HK_E_SINGULAR;
}

/* the last thing that can fail: linear solvers, when everything else has been taken over */
START_TEST(solvers_that_fail_bring_the_state_back) {
  const setting *c = &settings[3];
  fixture x;
  begin(&x, c);
  for (int i = 0; i < 7; i++) ck_assert_int_eq(hk_sim_step(x.s), HK_OK);
  ck_assert_int_eq(hk_sim_save(x.s, x.bad), HK_OK);
  ck_assert_int_eq(hk_sim_load(x.s, x.path), HK_OK);
  untouched(&x, "loading a state that is the same");
  const hk_formulation_ops *ops = x.s->f->ops;
  ck_assert_ptr_nonnull((void *)(uintptr_t)ops->solver_recall);
  hk_formulation_ops broken = *ops;
  broken.solver_recall = no_recall;
  x.s->f->ops = &broken;
  refused(&x, x.bad, HK_E_SINGULAR, "solvers that fail");
  x.s->f->ops = ops;
  // the pivots were not brought back by the broken solver
  ck_assert_int_eq(hk_sim_load(x.s, x.path), HK_OK);
  goes_on(&x, c);
  end(&x);
}
END_TEST

START_TEST(without_memory_nothing_changes) {
  fixture x;
  begin(&x, &settings[0]);
  hki_alloc_fail_at(x.ctx, 1);
  ck_assert_int_eq(hk_sim_load(x.s, x.path), HK_E_MEMORY);
  hki_alloc_fail_at(x.ctx, 0);
  untouched(&x, "no memory");
  end(&x);
}
END_TEST

/* a run that has ended goes back to the cut, and takes the same way again */
START_TEST(a_run_goes_back) {
  const setting *c = &settings[_i];
  fixture x;
  begin(&x, c);
  while (!hk_sim_done(x.s)) ck_assert_int_eq(hk_sim_step(x.s), HK_OK);
  ck_assert_int_eq(hk_sim_load(x.s, x.path), HK_OK);
  goes_on(&x, c);
  end(&x);
}
END_TEST

/* a checkpoint follows a link, keeps what it cannot replace, and leaves no other files */
START_TEST(checkpoints_are_swapped_in) {
  struct stat st;
  fixture x;
  char link[64];
  begin(&x, &settings[0]);
  snprintf(link, sizeof link, "%s/link", x.dir);
  ck_assert_int_eq(symlink("bad", link), 0);
  put_file(x.bad, x.bytes, 3);
  ck_assert_int_eq(chmod(x.bad, 0640), 0);
  ck_assert_int_eq(hk_sim_save(x.s, link), HK_OK);
  ck_assert_int_eq(lstat(link, &st), 0);
  ck_assert(S_ISLNK(st.st_mode));
  ck_assert_int_eq(stat(x.bad, &st), 0);
  ck_assert_uint_eq((size_t)st.st_size, x.n);
  ck_assert_int_eq(st.st_mode & 0777, 0640);
  remove(link);
  remove(x.bad);
  ck_assert_int_eq(mkfifo(x.bad, 0600), 0);
  ck_assert_int_eq(hk_sim_save(x.s, x.bad), HK_E_FILE);
  ck_assert_int_eq(stat(x.bad, &st), 0);
  ck_assert(S_ISFIFO(st.st_mode));
  end(&x);
}
END_TEST

Suite *suite_checkpoint(void) {
  const int n = (int)(sizeof settings / sizeof *settings);
  Suite *suite = suite_create("checkpoint");
  TCase *t = tcase_create("checkpoint");
  tcase_add_loop_test(t, damaged_files_are_refused, 0, n);
  tcase_add_test(t, foreign_files_are_refused);
  tcase_add_test(t, solvers_that_fail_bring_the_state_back);
  tcase_add_test(t, without_memory_nothing_changes);
  tcase_add_loop_test(t, a_run_goes_back, 0, n);
  tcase_add_test(t, checkpoints_are_swapped_in);
  suite_add_tcase(suite, t);
  return suite;
}
