/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c: makes the program of a batch: the model is read again from its text in a context of its own, packed as for an
 * FMU, followed (codegen/trace.h), written, compiled and loaded. A program that was made before is taken from the folder of
 * native/native.h without following anything.
 */
#include "batch/program.h"

#include <stdio.h>
#include <string.h>

#include "codegen/follow.h"
#include "codegen/write.h"
#include "fmi/export.h"
#include "hooke/version.h"
#include "model/model.h"

/* ways of a branch shorter than this are computed with what is around them */
enum { BRANCH = 8 };

typedef struct job {
  hk_batch *b;
  hk_fmu_job base;
  char *kernel;
  size_t nkernel;
  bool card, single; /* for a graphics processor */
  hk_split split;    /* how warps of it share a step */
  int32_t numbers;   /* that they see of a world */
} job;

int32_t hki_lanes_most(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return 8;
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

/* how it is compiled: exactly what is written, in a time that grows with the length of the text */
static const char *const *flags_of(int32_t width) {
#define COMMON "-O1", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-w"
#if defined(__x86_64__)
  static const char *const eight[] = {COMMON, "-DHKX_W=8", "-mavx512f", "-mavx512dq", NULL};
  static const char *const four[] = {COMMON, "-DHKX_W=4", "-mavx2", NULL};
  if (width == 8) return eight;
  if (width == 4) return four;
#else
  (void)width;
#endif
  static const char *const two[] = {COMMON, "-DHKX_W=2", NULL};
  return two;
#undef COMMON
}

static hk_status write_text(void *user, hk_text *out) {
  job *j = user;
  hk_followed *trace = NULL;
  hk_plan plan;
  const hk_sim *s = j->base.sim;
  const hk_program what = {.name = "hooke_batch",
                           .title = hk_model_title(j->base.model),
                           .version = HK_VERSION_STRING,
                           .formulation = s->f->ops->name,
                           .integrator = s->I.ops->name};
  const hk_batch_names *kept = &j->b->parameters; // they differ from world to world
  const hk_model_bytes bytes = {(const uint8_t *)j->kernel, j->nkernel, j->base.data.s,
                                j->base.data.len};
  hk_status st = hki_follow(j->base.ctx, &bytes, kept->of, kept->n, BRANCH, false, &trace, &plan);
  if (st == HK_OK && j->card) st = hki_split_plan(&plan, BRANCH, j->b->opt.warps, &j->split);
  if (st == HK_OK && j->card) {
    hki_write_device(&plan, j->split.warps > 1 ? &j->split : NULL, &what, j->single, out);
    j->numbers = hki_split_numbers(&plan, &j->split);
  }
  if (st == HK_OK && !j->card) hki_write_lanes(&plan, &what, out);
  if (st == HK_OK && out->failed) st = HK_E_MEMORY;
  hki_trace_destroy(trace);
  return st;
}

/* the first error of a context, in words */
static void keep_why(hk_batch *b, hk_ctx *ctx, const hk_native *native) {
  const char *why = native->why;
  for (int32_t i = hk_ctx_message_count(ctx) - 1; i >= 0; i--)
    if (hk_ctx_message(ctx, i)->severity == HK_ERROR) why = hk_ctx_message(ctx, i)->text;
  snprintf(b->why, sizeof b->why, "%.600s", *why ? why : "the program could not be made");
}

static bool ends_with(const char *s, const char *end) {
  const size_t n = strlen(s), m = strlen(end);
  return n >= m && strcmp(s + n - m, end) == 0;
}

/* The files of the model in the job's context: the main one as the model keeps it. Others are read again. */
static hk_status read_again(job *j, const char **path) {
  const hk_spec *spec = j->b->model->spec;
  *path = spec->path;
  if (!ends_with(*path, ".yaml") && !ends_with(*path, ".yml") && !ends_with(*path, ".json"))
    *path = hki_pool_printf(j->b->pool, "%s.yaml", *path);
  return *path ? HK_OK : HK_E_MEMORY;
}

/* the model as bytes, and the kernel that is followed */
static hk_status read_model(job *j) {
  char place[2400];
  hk_status st = hki_fmu_prepare(&j->base);
  if (st == HK_OK) st = hki_fmu_bundle(&j->base);
  if (st == HK_OK)
    st = hki_kernel_read(j->base.ctx, "hooke-kernel.wasm", "HOOKE_KERNEL", place, sizeof place,
                         &j->kernel, &j->nkernel);
  return st;
}

static hk_status compile(job *j, int32_t width, hk_native *native) {
  char kind[] = "lanes";
  const hk_piece key[] = {
      {kind, sizeof kind}, {j->base.data.s, j->base.data.len}, {j->kernel, j->nkernel}};
  const hk_native_job what = {.ctx = j->base.ctx,
                              .key = key,
                              .nkey = 3,
                              .text = write_text,
                              .user = j,
                              .flags = flags_of(width)};
  return hki_native_open(&what, native);
}

/* the model is read again: then a library for `width` lanes, or, where `text` is given, the text alone */
static hk_status with_model(job *j, int32_t width, hk_native *native, hk_text *text) {
  hk_batch *b = j->b;
  const hk_spec *spec = b->model->spec;
  hk_fmu_options opt = hk_fmu_options_def();
  hk_ctx *ctx = hk_ctx_create();
  const char *path = NULL;
  if (!ctx) return HK_E_MEMORY;
  hki_stop_on(ctx, hki_stop_flag(b->ctx));
  const hk_sim_options sim = hki_sim_same_options(b->bridge[0].sim);
  opt.sim = &sim, opt.sets = spec->sets, opt.nsets = spec->nsets, opt.only = 1;
  static const char *const none[] = {NULL};
  opt.outputs = b->outputs.n ? b->outputs.of : none, opt.noutputs = b->outputs.n;
  opt.parameters = b->parameters.n ? b->parameters.of : none, opt.nparameters = b->parameters.n;
  hk_status st = read_again(j, &path);
  if (st == HK_OK) st = hki_fmu_begin(ctx, path, &opt, &j->base);
  j->base.as = "a program of many worlds";
  if (st == HK_OK) st = hki_file_put(ctx, path, spec->text, strlen(spec->text));
  if (st == HK_OK) st = read_model(j);
  if (st == HK_OK) st = text ? write_text(j, text) : compile(j, width, native);
  if (st != HK_OK) keep_why(b, ctx, native);
  hki_free(ctx, j->kernel);
  hki_fmu_end(&j->base);
  hk_ctx_destroy(ctx);
  return st;
}

hk_status hki_card_text(hk_batch *b, bool single, hk_text *out, int32_t *warps, int32_t *numbers) {
  job j = {.b = b, .card = true, .single = single};
  hk_native none = {0};
  const hk_status st = with_model(&j, 0, &none, out);
  *warps = j.split.warps, *numbers = j.numbers;
  return st;
}

hk_status hki_lanes_open(hk_batch *b, int32_t width, hk_native *native,
                         const hk_lanes_program **out) {
  job j = {.b = b};
  *native = (hk_native){0};
  *out = NULL;
  hk_status st = with_model(&j, width, native, NULL);
  if (st == HK_OK) *out = hki_native_symbol(native, "hooke_batch");
  if (st == HK_OK && (!*out || (*out)->version != HK_LANES_VERSION || (*out)->width != width)) {
    snprintf(b->why, sizeof b->why, "the program in the folder is not what it should be");
    st = HK_E_FILE;
  }
  if (st != HK_OK) hki_native_close(native);
  return st;
}
