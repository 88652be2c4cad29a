/* SPDX-License-Identifier: Apache-2.0
 *
 * worlds.c: what a tolerance of a parameter does to a channel: many worlds of one model, each with its own value, evenly
 * spread about that of the model, all stepped at once.
 *
 *   worlds MODEL PARAMETER SHARE WORLDS STEPS CHANNEL      worlds pendulum.yaml L 0.05 101 50 joint.pin.angle
 *
 * Standard output has one line for every tenth step: time, and below what the channel is in 5, 50 and 95 of 100 worlds. Standard
 * error says how the worlds are carried out, and what goes wrong.
 */
#include <hooke/hooke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 10 };

static void tell(const hk_message *m, void *user) {
  static const char *const words[] = {"note", "warning", "error"};
  (void)user;
  fprintf(stderr, "%s: %s\n", words[m->severity], m->text);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* the values of one row, sorted; worlds that have failed are left out */
static int32_t sorted(const double *y, int32_t worlds, int64_t rows, int64_t row, double *out) {
  int32_t n = 0;
  for (int32_t i = 0; i < worlds; i++)
    if (!isnan(y[i * rows + row])) out[n++] = y[i * rows + row];
  qsort(out, (size_t)n, sizeof *out, by_size);
  return n;
}

static void print_bands(hk_batch *b, const hk_batch_about *a, const double *y, int64_t rows) {
  double *of = malloc((size_t)a->worlds * sizeof *of);
  int32_t failed = 0;
  for (int32_t i = 0; i < a->worlds; i++) failed += hk_batch_status(b)[i] != HK_OK;
  for (int64_t row = 0; of && row < rows; row++) {
    const int32_t n = sorted(y, a->worlds, rows, row, of);
    if (n)
      printf("%.9g %.12g %.12g %.12g\n", (double)(row * EVERY) * a->step, of[(int32_t)(0.05 * n)],
             of[n / 2], of[(int32_t)(0.95 * n)]);
  }
  if (failed) fprintf(stderr, "%d worlds have failed\n", (int)failed);
  free(of);
}

/* every world has its own value of the parameter, and starts with it */
static hk_status spread(hk_batch *b, int32_t worlds, double share) {
  double middle, *x = malloc((size_t)worlds * sizeof *x);
  if (!x) return HK_E_MEMORY;
  hk_status st = hk_batch_get(b, HK_BATCH_PARAMETERS, 1, NULL, &middle);
  for (int32_t i = 0; i < worlds; i++)
    x[i] = middle * (1.0 + share * (2.0 * (i + 0.5) / worlds - 1.0));
  if (st == HK_OK) st = hk_batch_set(b, HK_BATCH_PARAMETERS, worlds, NULL, x, 0);
  if (st == HK_OK) st = hk_batch_reset(b, worlds, NULL);
  free(x);
  return st;
}

static hk_status run(hk_ctx *ctx, char **argv) {
  hk_model *m = NULL;
  hk_batch *b = NULL;
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about about = {.size = sizeof about};
  const char *parameters[] = {argv[2]}, *outputs[] = {argv[6]};
  const int64_t steps = atoll(argv[5]), rows = steps / EVERY + 1;
  opt.worlds = atoi(argv[4]);
  opt.parameters = parameters, opt.nparameters = 1, opt.outputs = outputs, opt.noutputs = 1;
  hk_status st = hk_model_load(ctx, argv[1], NULL, 0, &m);
  if (st == HK_OK) st = hk_batch_create(ctx, m, &opt, &b);
  if (st == HK_OK) st = hk_batch_info(b, &about);
  if (st == HK_OK) st = spread(b, about.worlds, atof(argv[3]));
  double *y = st == HK_OK ? malloc((size_t)(about.worlds * rows) * sizeof *y) : NULL;
  if (st == HK_OK && !y) st = HK_E_MEMORY;
  if (st == HK_OK) st = hk_batch_rollout(b, steps, EVERY, NULL, 0, y);
  if (st == HK_OK) {
    fprintf(stderr, "%d worlds, %d at a time on each of %d threads\n", (int)about.worlds,
            (int)about.width, (int)about.threads);
    print_bands(b, &about, y, rows);
  }
  free(y);
  hk_batch_destroy(b);
  hk_model_release(m);
  return st;
}

int main(int argc, char **argv) {
  if (argc != 7 || atoll(argv[5]) < 0) {
    fprintf(stderr, "usage: worlds MODEL PARAMETER SHARE WORLDS STEPS CHANNEL\n");
    return 2;
  }
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, NULL);
  const hk_status st = run(ctx, argv);
  hk_ctx_destroy(ctx);
  return st == HK_OK ? 0 : 1;
}
