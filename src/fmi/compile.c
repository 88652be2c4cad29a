/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: the steps of a simulation by a program that is compiled for them (hooke/code.h). The kernel follows a step with its audit
 * (codegen/trace.h), a compiler makes a library of it (native/native.h), and the simulation takes its steps by that
 * (simulation/stepper.h).
 *
 * What is kept is named by the model with its files and parameters, the methods with their options, the step, and the kernel: where it
 * is there already, no step is followed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/extend.h"
#include "codegen/check.h"
#include "codegen/write.h"
#include "fmi/export.h"
#include "hooke/code.h"
#include "hooke/version.h"
#include "native/native.h"
#include "simulation/stepper.h"

#define KERNEL "hooke-kernel.wasm"

/* ways of a branch shorter than this are computed with what is around them */
enum { BRANCH = 8 };
/* bodies above which a compiler takes too long to do its best */
enum { LARGE = 8 };

typedef struct job {
  hk_sim *s;
  hk_fmu_job base; /* in a context of its own */
  char *kernel;
  size_t nkernel;
  hk_native *library;
} job;

/* --- the model as bytes -------------------------------------------------------------------------- */

/* methods and step as they are in the simulation */
static hk_status keep_methods(job *j) {
  const hk_sim *s = j->s;
  const hk_spec *spec = s->m->spec;
  hk_bundle *b = &j->base.bundle;
  bool ok = true;
  b->formulation = s->fe->ops->name, b->integrator = s->I.ops->name;
  b->step = s->step, b->tolerance = s->newton.tolerance;
  b->time = 1e6 * s->step; // the end of the run is not part of a step
  for (int32_t i = 0; ok && i < spec->nsets; i++)
    ok = hki_bundle_add(j->base.pool, &b->sets, spec->sets[i].name, 0.0, spec->sets[i].value);
  for (int32_t i = 0; ok && i < s->given.noptions; i++)
    ok = hki_bundle_add(j->base.pool, &b->options, s->given.options[i].name, 0.0,
                        s->given.options[i].value);
  for (int32_t i = 0; ok && i < s->ninputs; i++)
    ok = hki_bundle_add(j->base.pool, &b->inputs, hk_sim_input_name(s, i), 0.0, NULL);
  for (int32_t i = 0; ok && i < s->nchannels; i++)
    ok = hki_bundle_add(j->base.pool, &b->outputs, s->channel_name[i], 0.0, NULL);
  return ok ? HK_OK : HK_E_MEMORY;
}

/* The path of the model, with an ending by which it is known as YAML: a program may have named it otherwise. */
static const char *path_of(job *j) {
  static const char *const endings[] = {".yaml", ".yml", ".json"};
  const char *path = j->s->m->spec->path;
  const size_t n = strlen(path);
  for (int32_t i = 0; i < HK_ARRAY_LEN(endings); i++) {
    const size_t k = strlen(endings[i]);
    if (n > k && strcmp(path + n - k, endings[i]) == 0) return path;
  }
  return hki_pool_printf(j->base.pool, "%s.yaml", path);
}

/* The model is read once more, in a context of its own that holds all files; the main one is that which the model was read from. */
static hk_status read_again(job *j) {
  const hk_spec *spec = j->s->m->spec;
  hk_ctx *ctx = j->base.ctx;
  hk_model *again = NULL;
  if (hki_extend_at(j->s->m->ctx, HK_EXTEND_MODULE, 0))
    return hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "it has types of a module");
  hki_file_copy_all(ctx, true);
  j->base.path = path_of(j);
  if (!j->base.path) return HK_E_MEMORY;
  hk_status st = hki_file_put(ctx, j->base.path, spec->text, strlen(spec->text));
  if (st == HK_OK) st = hk_model_load(ctx, j->base.path, spec->sets, spec->nsets, &again);
  if (st == HK_OK && hk_model_hash(again) != hk_model_hash(j->s->m))
    st = hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                   "the files of the model have changed since it was read");
  hk_model_release(again);
  return st;
}

static hk_status make_bundle(job *j) {
  static const hk_fmu_options opt = {.size = sizeof opt, .version = 2};
  j->base.opt = &opt;
  j->base.pool = hki_pool_create(j->base.ctx);
  hki_text_init(&j->base.data, j->base.ctx);
  hk_status st = j->base.pool ? read_again(j) : HK_E_MEMORY;
  if (st == HK_OK) st = keep_methods(j);
  return st == HK_OK ? hki_fmu_bundle(&j->base) : st;
}

/* --- the program ------------------------------------------------------------------------------- */

static hk_status write_text(void *user, hk_text *out) {
  job *j = user;
  hk_followed *trace = NULL;
  hk_plan plan;
  const hk_program what = {.title = j->s->m->spec->title,
                           .version = HK_VERSION_STRING,
                           .formulation = j->s->f->ops->name,
                           .integrator = j->s->I.ops->name,
                           .choice = j->s->f->ops->choose_tangent != NULL};
  const char *before = hki_phase(j->s->ctx, "following a step");
  // the work of prescribed motions is that of reactions, whose equations are solved with pivots of their own each time
  hk_status st = hki_trace_create_run(j->base.ctx, (const uint8_t *)j->kernel, j->nkernel,
                                      j->base.data.s, j->base.data.len, !j->s->has_drives, &trace);
  if (st == HK_OK) st = hki_plan_create(trace, BRANCH, true, &plan);
  if (st == HK_OK) st = hki_check(&plan, NULL, NULL);
  if (st == HK_OK) hki_write_run(&plan, &what, out);
  hki_trace_destroy(trace);
  hki_phase(j->s->ctx, before);
  return st;
}

/* a function or table of the library, to be copied into a pointer of its type */
static bool symbol(const hk_native *n, const char *name, void *to) {
  void *at = hki_native_symbol(n, name);
  memcpy(to, &at, sizeof at);
  return at != NULL;
}

/* does the program know the recorded channels, all of them and in this order? */
static bool knows_channels(const hk_sim *s, const hk_native *n, int32_t noutputs) {
  const char *(*name)(int i);
  if (noutputs != s->nchannels || !symbol(n, "hkr_output_name", &name)) return false;
  for (int32_t i = 0; i < noutputs; i++)
    if (strcmp(name(i), s->channel_name[i]) != 0) return false;
  return true;
}

static void close_library(void *library) {
  hki_native_close(library);
  free(library);
}

/* the library's functions and tables; false: they are not those of this version, or of this simulation */
static bool take_library(hk_sim *s, hk_native *n) {
  hk_stepper *p = s->stepper;
  const int32_t *layout, *sizes;
  hk_numbers block[HK_NUMBERS];
  const int32_t nblocks = hki_sim_numbers(s, block);
  if (!symbol(n, "hkr_layout", &layout) || layout[0] != HK_RUN_LAYOUT || layout[2] != nblocks)
    return false;
  if (!symbol(n, "hkr_step", &p->step) || !symbol(n, "hkr_blocks", &sizes) ||
      !symbol(n, "hkr_block", &p->block) || !symbol(n, "hkr_place", &p->place))
    return p->step = NULL, false;
  p->audits = layout[4] != 0;
  p->n = layout[1], p->library = n, p->close = close_library;
  for (int32_t i = 0; i < nblocks; i++)
    if (sizes[i] != block[i].n) return p->step = NULL, false;
  if (knows_channels(s, n, layout[3])) symbol(n, "hkr_outputs", &p->outputs);
  void (*reset)(void *x);
  p->x = hki_alloc(s->ctx, ((size_t)p->n + 1) * sizeof *p->x);
  if (!p->x || !symbol(n, "hkr_reset", &reset)) return p->step = NULL, false;
  reset(p->x);
  return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* the first error of the job's own context, in words */
static void take_words(hk_stepper *p, const hk_ctx *ctx, const char *otherwise) {
  const hk_message *m = NULL;
  for (int32_t i = 0; i < hk_ctx_message_count(ctx) && !m; i++) {
    m = hk_ctx_message(ctx, i);
    if (m->severity != HK_ERROR) m = NULL;
  }
  snprintf(p->why, sizeof p->why, "%s", m ? m->text : otherwise);
}

static hk_status build(job *j, double limit, hk_native *n) {
  char path[2400];
  hk_stepper *p = j->s->stepper;
  hk_ctx *ctx = j->base.ctx;
  hk_status st = make_bundle(j);
  if (st == HK_OK)
    st = hki_kernel_read(ctx, KERNEL, "HOOKE_KERNEL", path, sizeof path, &j->kernel, &j->nkernel);
  if (st != HK_OK) return st;
  uint64_t kernel = hki_hash(j->kernel, j->nkernel, 1);
  const hk_piece key[] = {{j->base.data.s, j->base.data.len}, {&kernel, sizeof kernel}};
  const char *const flags[] = {j->s->m->nb > LARGE ? "-O1" : "-O2", hki_native_vectors(), NULL};
  const hk_native_job make = {.ctx = ctx,
                              .key = key,
                              .nkey = HK_ARRAY_LEN(key),
                              .text = write_text,
                              .user = j,
                              .flags = flags,
                              .limit = limit};
  st = hki_native_open(&make, n);
  snprintf(p->compiler, sizeof p->compiler, "%s", n->compiler);
  p->kept = n->kept;
  return st;
}

static void end_job(job *j) {
  hki_free(j->base.ctx, j->kernel);
  hki_text_free(&j->base.data);
  if (j->base.pool) hki_pool_destroy(j->base.pool);
  hk_ctx_destroy(j->base.ctx);
}

/* makes the program of a simulation that has none; p->why: why there is none */
static hk_status compile(hk_sim *s, double limit) {
  hk_stepper *p = s->stepper;
  job j = {.s = s, .base.ctx = hk_ctx_create()};
  hk_native *n = calloc(1, sizeof *n);
  const double from = hki_wall_seconds();
  hk_status st = j.base.ctx && n ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    const bool allowed = hki_stop_allow(s->ctx, true);
    hki_stop_on(j.base.ctx, hki_stop_flag(s->ctx));
    hki_stop_allow(s->ctx, allowed);
    st = build(&j, limit, n);
    if (st != HK_OK) take_words(p, j.base.ctx, n->why[0] ? n->why : hk_status_text(st));
    if (st == HK_OK && !take_library(s, n))
      snprintf(p->why, sizeof p->why, "the program is not one of this version of Hooke"),
          st = HK_E_FILE;
    else if (st == HK_OK)
      n = NULL; // the simulation has it
  }
  if (j.base.ctx) end_job(&j);
  if (n) close_library(n);
  p->seconds = hki_wall_seconds() - from;
  if (p->step) (void)hki_stepper_attach(s);
  return st == HK_E_MEMORY || st == HK_INTERRUPTED ? st : HK_OK;
}

hk_status hk_sim_compile(hk_sim *s, double limit) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_compile", "no simulation");
  if (!(limit >= 0.0))
    return hki_misuse(s->ctx, "hk_sim_compile", "the limit must be a number of seconds, or 0");
  hki_sim_show_accepted(s);
  if (!hki_stepper_create(s)) return HK_E_MEMORY;
  const char *why = hki_stepper_refuses(s);
  if (!why) return compile(s, limit);
  snprintf(s->stepper->why, sizeof s->stepper->why, "%s", why);
  return HK_OK;
}

hk_status hk_sim_compiled(const hk_sim *s, hk_compile_report *out) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_compiled", "no simulation");
  if (!out || out->size < sizeof *out)
    return hki_misuse(s->ctx, "hk_sim_compiled", "a report of no size");
  const hk_stepper *p = s->stepper;
  *out = (hk_compile_report){.size = out->size, .compiler = "", .why = ""};
  if (!p) return HK_OK;
  out->asked = 1, out->used = p->step != NULL, out->cached = p->kept;
  out->seconds = p->seconds, out->steps = p->steps, out->refused = p->refused;
  out->compiler = p->compiler, out->why = p->why;
  return HK_OK;
}
