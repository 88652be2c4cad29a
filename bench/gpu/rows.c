/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: many worlds of one model on a card: steps a second, iterations, residuals, and whether the numbers are those of the
 * processor, bit by bit. `bench/gpu/run` builds and calls it:
 *
 *   rows FILE.cu FILE.so WORLDS STEPS NAME
 *
 * FILE.so is the same text, compiled for the processor. Worlds differ by their velocities, those of world w are
 * 1 + w/WORLDS/10 times those of the start. Outputs named marker.P.position.* and marker.P_.position.* are one point on two
 * bodies: their largest distance is what loops are open by. One line of a table goes to the standard output.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "device/device_impl.h"

enum { COMPARED = 96, WARM = 2, REPEATS = 3 };

typedef struct contents {
  int states, coordinates, velocities, inputs, outputs;
  int warps, numbers; /* that share the steps of 32 worlds, and what they see of one */
  double step;
  char (*name)[120]; /* of outputs */
} contents;

static int fail(const char *what, const char *why) {
  fprintf(stderr, "bench/gpu: %s: %s\n", what, why);
  return 1;
}

/* the lines at the head of a text that say what is where */
static bool read_contents(const char *text, contents *c) {
  char kind[16];
  int time;
  const char *warps = strstr(text, "// warps ");
  if (warps && sscanf(warps, "// warps %d, numbers %d", &c->warps, &c->numbers) != 2) return false;
  const char *at = strstr(text, "// states ");
  if (!at || sscanf(at,
                    "// states %d, coordinates %d, velocities %d, inputs %d, outputs %d, time %d, "
                    "step %lf, %15s",
                    &c->states, &c->coordinates, &c->velocities, &c->inputs, &c->outputs, &time,
                    &c->step, kind) != 8)
    return false;
  c->name = calloc((size_t)c->outputs + 1, sizeof *c->name);
  for (int i = 0; c->name && i < c->outputs; i++) {
    char line[32];
    snprintf(line, sizeof line, "\n// output %d ", i);
    at = strstr(at, line);
    if (!at || sscanf(at + strlen(line), "%119[^\n]", c->name[i]) != 1) return false;
  }
  return c->name != NULL;
}

/* what the loops of one world are open by, and its energy */
static double opening(const contents *c, const double *y) {
  double worst = 0.0;
  for (int i = 0; i < c->outputs; i++) {
    const char *end = strstr(c->name[i], "_.position.");
    if (!end) continue;
    for (int k = 0; k < c->outputs; k++) {
      const size_t n = (size_t)(end - c->name[i]);
      if (strncmp(c->name[i], c->name[k], n) == 0 && strcmp(c->name[k] + n, end + 1) == 0)
        worst = fmax(worst, fabs(y[i] - y[k]));
    }
  }
  return worst;
}

static int find(const contents *c, const char *name) {
  for (int i = 0; i < c->outputs; i++)
    if (strcmp(c->name[i], name) == 0) return i;
  return -1;
}

/* --- the processor ---------------------------------------------------------------------------- */

typedef void host_kernel(void **arguments, unsigned blocks, unsigned threads);

static host_kernel *kernel(void *library, const char *name) {
  void *f = dlsym(library, name);
  host_kernel *out;
  memcpy(&out, &f, sizeof f);
  return out;
}

/* the same steps of the first worlds on this side; states as the card has them, world by world */
static bool on_this_side(const char *file, const contents *c, const double *x, int worlds,
                         int steps, double *out, int32_t *turns) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  host_kernel *put = library ? kernel(library, "hkx_put_host") : NULL,
              *advance = library ? kernel(library, "hkx_advance_host") : NULL,
              *take = library ? kernel(library, "hkx_take_host") : NULL;
  double *all = calloc((size_t)worlds * (size_t)c->states, sizeof *all);
  double *beside = calloc(32 * (size_t)c->numbers + (size_t)worlds * (size_t)c->states + 1,
                          sizeof *beside); // of one block, or a second place for states
  int32_t *code = calloc((size_t)worlds, sizeof *code);
  const bool good = put && advance && take && all && code && beside;
  if (good) {
    hk_device_call j = {.x = (uint64_t)(uintptr_t)all,
                        .code = (uint64_t)(uintptr_t)code,
                        .turns = (uint64_t)(uintptr_t)turns,
                        .u = (uint64_t)(uintptr_t)x,
                        .y = (uint64_t)(uintptr_t)out,
                        .stride = worlds,
                        .worlds = worlds,
                        .steps = steps};
    void *arguments[] = {&j};
    put(arguments, ((unsigned)worlds + 31) / 32, 32);
    j.u = 0, j.y = (uint64_t)(uintptr_t)beside;
    if (c->warps > 1)
      advance(arguments, 1, 32 * (unsigned)c->warps);
    else
      advance(arguments, ((unsigned)worlds + 31) / 32, 32);
    j.y = (uint64_t)(uintptr_t)out;
    take(arguments, ((unsigned)worlds + 31) / 32, 32);
  }
  free(all), free(code), free(beside);
  if (library) dlclose(library);
  return good;
}

/* --- a row of the table ----------------------------------------------------------------------- */

typedef struct row {
  contents c;
  int worlds, steps;
  double *x, *got, *y, *y0; /* states before and after, outputs */
  int32_t *code, *turns;
  double best; /* seconds */
} row;

static hk_status measure(hk_device *d, row *r) {
  const size_t nw = (size_t)r->worlds, nx = (size_t)r->c.states;
  hk_status st = hki_device_take(d, NULL, r->worlds, r->x);
  for (size_t w = 0; w < nw && st == HK_OK; w++)
    for (int i = 0; i < r->c.velocities; i++)
      r->x[w * nx + (size_t)(r->c.coordinates + i)] *= 1.0 + 0.1 * (double)w / (double)nw;
  r->best = 1e30;
  // the first ones find how long launches are
  for (int k = 0; k < WARM + REPEATS && st == HK_OK; k++) {
    st = hki_device_put(d, NULL, r->worlds, r->x, 0);
    if (k == 0 && st == HK_OK) st = hki_device_rows(d, 1);
    if (k == 0 && st == HK_OK) st = hki_device_show(d, 0);
    if (k == 0 && st == HK_OK) st = hki_device_outputs(d, 0, 1, r->y0, (size_t)r->c.outputs);
    if (st == HK_OK) st = hki_device_wait(d);
    const double begin = hki_wall_seconds();
    if (st == HK_OK) st = hki_device_advance(d, r->steps, NULL, 0);
    const double took = hki_wall_seconds() - begin;
    if (k >= WARM && took < r->best) r->best = took;
  }
  if (st == HK_OK) st = hki_device_show(d, 0);
  if (st == HK_OK) st = hki_device_outputs(d, 0, 1, r->y, (size_t)r->c.outputs);
  if (st == HK_OK) st = hki_device_codes(d, r->code, r->turns);
  return st == HK_OK ? hki_device_take(d, NULL, COMPARED, r->got) : st;
}

static void print(const row *r, const hk_device_facts *f, const char *name, int different) {
  const contents *c = &r->c;
  const int energy = find(c, "energy.total");
  double open = 0.0, drift = 0.0, turns = 0.0;
  int failed = 0;
  for (int w = 0; w < r->worlds; w++) {
    const double *y = r->y + (size_t)w * (size_t)c->outputs,
                 *y0 = r->y0 + (size_t)w * (size_t)c->outputs;
    failed += r->code[w] != 0;
    turns += r->turns[w];
    open = fmax(open, opening(c, y));
    if (energy >= 0) drift = fmax(drift, fabs(y[energy] - y0[energy]) / (fabs(y0[energy]) + 1.0));
  }
  const double steps = (double)r->worlds * (double)r->steps;
  printf("| %s | %d | %d | %.1f | %.2f | %d | %.1e | %.1e | %s | %d | %d | %.0f |\n", name,
         r->worlds, r->steps, 1e-6 * steps / r->best, turns / steps, failed, open, drift,
         different ? "DIFFER" : "same", f->registers, f->local, f->seconds);
  fflush(stdout);
}

static bool take_memory(row *r) {
  const size_t nw = (size_t)r->worlds, nx = (size_t)r->c.states, ny = (size_t)r->c.outputs + 1;
  r->x = malloc(nw * nx * sizeof *r->x), r->got = calloc(COMPARED * nx, sizeof *r->got);
  r->y = malloc(nw * ny * sizeof *r->y), r->y0 = malloc(nw * ny * sizeof *r->y0);
  r->code = malloc(nw * sizeof *r->code), r->turns = malloc(nw * sizeof *r->turns);
  return r->x && r->got && r->y && r->y0 && r->code && r->turns;
}

/* numbers that differ from those of the processor; -1: it could not be asked */
static int compare(const row *r, const char *library) {
  const size_t nx = (size_t)r->c.states;
  double *own = calloc(COMPARED * nx, sizeof *own);
  int32_t turns[COMPARED] = {0};
  int different = -1;
  if (own && on_this_side(library, &r->c, r->x, COMPARED, r->steps, own, turns)) {
    different = 0;
    for (size_t i = 0; i < COMPARED * nx; i++)
      different += memcmp(&own[i], &r->got[i], sizeof own[i]) != 0;
    for (int w = 0; w < COMPARED; w++) different += turns[w] != r->turns[w];
  }
  free(own);
  return different;
}

int main(int argc, char **argv) {
  char why[HK_DEVICE_WORDS] = "", *text = NULL;
  size_t n = 0;
  row r = {0};
  hk_device *d = NULL;
  if (argc != 6) return fail("usage", "rows FILE.cu FILE.so WORLDS STEPS NAME");
  hk_ctx *ctx = hk_ctx_create();
  r.worlds = atoi(argv[3]), r.steps = atoi(argv[4]);
  if (!ctx || r.worlds < COMPARED || r.steps < 1)
    return fail(argv[5], "at least 96 worlds, 1 step");
  if (hki_read_file(ctx, argv[1], HK_LOC_NONE, (size_t)1 << 28, &text, &n) != HK_OK)
    return fail(argv[1], "cannot be read");
  if (!read_contents(text, &r.c))
    return fail(argv[1], "does not say what is where: made by `hooke export c`?");
  const hk_device_job job = {.text = text,
                             .states = r.c.states,
                             .inputs = r.c.inputs,
                             .outputs = r.c.outputs,
                             .warps = r.c.warps,
                             .numbers = r.c.numbers,
                             .worlds = r.worlds,
                             .compile_limit = 900.0};
  hk_status st = take_memory(&r) ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) st = hki_device_open(ctx, &job, &d, why, sizeof why);
  if (st == HK_OK) {
    st = measure(d, &r);
    if (st != HK_OK) snprintf(why, sizeof why, "%s", hki_device_why(d));
  }
  if (st == HK_OK) {
    const int different = compare(&r, argv[2]);
    if (different < 0) fail(argv[2], "cannot be loaded");
    if (different > 0)
      fprintf(stderr, "bench/gpu: %s: %d numbers differ from the processor's\n", argv[5],
              different);
    print(&r, hki_device_facts(d), argv[5], different);
  }
  hki_device_close(d);
  if (st != HK_OK) fail(argv[5], *why ? why : "no memory");
  free(r.x), free(r.got), free(r.y), free(r.y0), free(r.code), free(r.turns), free(r.c.name);
  hki_free(ctx, text);
  hk_ctx_destroy(ctx);
  return st == HK_OK ? 0 : 1;
}
