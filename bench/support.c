/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c: timing, generated mechanisms, tables of the benchmarks.
 */
#include "support.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

double bench_time(bench_job job, void *user) {
  int32_t count = 1;
  double best = 1e30, spent = 0.0;
  // a batch of about 200 microseconds: short enough to run undisturbed
  for (;;) {
    double t = hki_wall_seconds();
    for (int32_t i = 0; i < count; i++) job(user);
    t = hki_wall_seconds() - t;
    if (t > 1e-4 || count > 1000000) break;
    count *= 2;
  }
  for (int batch = 0; batch < 400 && (batch < 5 || spent < 0.3); batch++) {
    double t = hki_wall_seconds();
    for (int32_t i = 0; i < count; i++) job(user);
    t = hki_wall_seconds() - t;
    spent += t;
    if (t / count < best) best = t / count;
  }
  return best * 1e6;
}

/* --- model text ------------------------------------------------------------------------------- */

void bench_add(bench_text *t, const char *fmt, ...) {
  va_list ap;
  if (t->cap < t->len + 1024) {
    t->cap = 2 * t->cap + 4096;
    t->s = realloc(t->s, t->cap);
    if (!t->s) exit(1);
  }
  va_start(ap, fmt);
  t->len += (size_t)vsnprintf(t->s + t->len, t->cap - t->len, fmt, ap);
  va_end(ap);
}

void bench_free(bench_text *t) {
  free(t->s);
  memset(t, 0, sizeof *t);
}

static void head(bench_text *t) { bench_add(t, "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n"); }

static void tail(bench_text *t) {
  bench_add(t, "record: [energy.kinetic]\nrun: {time: 1, step: 0.001, formulation: hybrid, "
               "integrator: trapezoidal}\n");
}

static void body(bench_text *t, int32_t i, double x, double y, double z) {
  bench_add(t, "  b%d: {mass: 1, com: [%g, %g, %g], inertia: {diagonal: [0.01, 0.02, 0.03]}}\n", i,
            x, y, z);
}

/* parent -1: the ground */
static void pin(bench_text *t, int32_t parent, int32_t i, double x, double y, double z,
                const char *axis) {
  char name[32] = "ground";
  if (parent >= 0) snprintf(name, sizeof name, "b%d", parent);
  bench_add(t, "  j%d: {type: revolute, between: [%s, b%d], at: [%g, %g, %g], axis: %s}\n", i, name,
            i, x, y, z, axis);
}

void bench_chain(bench_text *t, int32_t n) {
  head(t);
  for (int32_t i = 0; i < n; i++) body(t, i, 0.1 * i + 0.05, 0.01, 0.02);
  bench_add(t, "joints:\n");
  for (int32_t i = 0; i < n; i++) pin(t, i - 1, i, 0.1 * i, 0, 0, i % 2 ? "y" : "z");
  tail(t);
}

void bench_tree(bench_text *t, int32_t n) {
  head(t);
  for (int32_t i = 0; i < n; i++)
    body(t, i, i ? 0.1 * ((i - 1) % 3) + 0.15 : 0.0, 0.1 * ((i + 2) / 3), 0.02);
  bench_add(t, "joints:\n");
  for (int32_t i = 0; i < n; i++) {
    int32_t place = (i + 2) % 3; // 0, 1, 2 along a branch
    int32_t parent = i == 0 ? -1 : place == 0 ? 0 : i - 1;
    pin(t, parent, i, i ? 0.1 * place + 0.1 : 0.0, i ? 0.1 * ((i + 2) / 3) : 0.0, 0,
        i % 2 ? "y" : "z");
  }
  tail(t);
}

void bench_star(bench_text *t, int32_t n) {
  head(t);
  for (int32_t i = 0; i < n; i++) body(t, i, 0.05, 0.1 * i, 0.02);
  bench_add(t, "joints:\n");
  for (int32_t i = 0; i < n; i++) pin(t, -1, i, 0, 0.1 * i, 0, "y");
  tail(t);
}

void bench_ladder(bench_text *t, int32_t n) {
  int32_t steps = n / 3;
  head(t);
  for (int32_t k = 0; k < steps; k++) {
    body(t, 3 * k, k + 0.5, 0, 0);
    body(t, 3 * k + 1, k + 0.5, 0, 1);
    body(t, 3 * k + 2, k + 1, 0, 0.5);
  }
  bench_add(t, "joints:\n");
  for (int32_t k = 0; k < steps; k++) {
    pin(t, k ? 3 * k - 3 : -1, 3 * k, k, 0, 0, "y");
    pin(t, k ? 3 * k - 2 : -1, 3 * k + 1, k, 0, 1, "y");
    pin(t, 3 * k, 3 * k + 2, k + 1, 0, 0, "y");
    bench_add(t, "  c%d: {type: revolute, between: [b%d, b%d], at: [%d, 0, 1], axis: y}\n", k,
              3 * k + 1, 3 * k + 2, k + 1);
  }
  tail(t);
}

/* --- models ----------------------------------------------------------------------------------- */

void bench_die(hk_ctx *ctx, const char *what) {
  fprintf(stderr, "%s\n", what);
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++) {
    const hk_message *m = hk_ctx_message(ctx, i);
    fprintf(stderr, "%s:%d:%d: %s\n", m->file ? m->file : "", m->line, m->column, m->text);
  }
  exit(1);
}

hk_model *bench_load(hk_ctx *ctx, const char *path) {
  hk_model *m;
  if (hk_model_load(ctx, path, NULL, 0, &m) != HK_OK) bench_die(ctx, path);
  return m;
}

hk_model *bench_parse(hk_ctx *ctx, const bench_text *t) {
  hk_model *m;
  if (hk_model_parse(ctx, t->s, t->len, "generated.yaml", NULL, 0, &m) != HK_OK)
    bench_die(ctx, "generated model");
  return m;
}

/* --- tables ----------------------------------------------------------------------------------- */

FILE *bench_csv(const char *name, const char *header) {
  FILE *f = fopen(name, "w");
  if (!f) {
    fprintf(stderr, "cannot write %s\n", name);
    exit(1);
  }
  fprintf(f, "# %s\n%s\n", bench_cpu(), header);
  return f;
}

const char *bench_cpu(void) {
  static char name[128] = "unknown processor";
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "r");
  while (f && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || !colon) continue;
    snprintf(name, sizeof name, "%.100s", colon + 2);
    name[strcspn(name, "\n")] = '\0';
    break;
  }
  if (f) fclose(f);
  return name;
}
