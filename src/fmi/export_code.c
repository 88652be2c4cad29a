/* SPDX-License-Identifier: Apache-2.0
 *
 * export_code.c: a model becomes a program in C (hooke/code.h). The kernel gets the model in the same block of bytes as an
 * FMU does, and its step is followed (codegen/trace.h).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/extend.h"
#include "base/swap.h"
#include "codegen/follow.h"
#include "codegen/order.h"
#include "codegen/rolls.h"
#include "codegen/write.h"
#include "fmi/export_main.h"
#include "fmi/export_words.h"
#include "hooke/code.h"
#include "hooke/version.h"

#define KERNEL "hooke-kernel.wasm"

/* ways of a branch shorter than this are computed with what is around them */
enum { BRANCH = 8 };

static const char *const none[] = {NULL}; /* a list without names */
static const hk_code_options defaults = {.size = sizeof defaults};

void hk_code_options_init(hk_code_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

typedef struct job {
  hk_fmu_job base;
  const char *output;
  char *header; /* path */
  char *main;   /* path; NULL: none is asked for */
  const char *name;
  bool device, single; /* for a graphics processor; in single precision */
  bool packs;
  int32_t warps;
  hk_followed *trace;
  hk_plan plan;
} job;

/* The name of the file without folder and ending, as one of C: it becomes that of a type. */
static const char *identifier(job *j, char *name) {
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  if (isdigit((unsigned char)*name)) return hki_pool_printf(j->base.pool, "_%s", name);
  return hki_is_word_of_programs(name) ? hki_pool_printf(j->base.pool, "%s_model", name) : name;
}

/* names of files and of the program */
static hk_status names(job *j, const char *given) {
  const char *slash = strrchr(j->output, '/'), *file = slash ? slash + 1 : j->output;
  const char *dot = strrchr(file, '.');
  const size_t n = strlen(j->output);
  j->device = dot && strcmp(dot, ".cu") == 0;
  if (!dot || dot == file || (!j->device && strcmp(dot, ".c") != 0))
    return hki_misuse(j->base.ctx, "hk_code_export", "the output must be named FILE.c or FILE.cu");
  j->header = hki_pool_strndup(j->base.pool, j->output, n);
  char *name = hki_pool_strndup(j->base.pool, file, (size_t)(dot - file));
  if (!j->header || !name) return HK_E_MEMORY;
  j->header[n - 1] = 'h';
  if (j->base.audited) {
    if (j->device) return hki_misuse(j->base.ctx, "hk_code_export", "main.c goes with FILE.c");
    if (strcmp(file, "main.c") == 0)
      return hki_misuse(j->base.ctx, "hk_code_export", "main.c is the other file's name");
    j->main = hki_pool_printf(j->base.pool, "%.*smain.c", (int)(file - j->output), j->output);
    if (!j->main) return HK_E_MEMORY;
    if (!hki_main_may_write(j->main))
      return hki_error(j->base.ctx, HK_E_FILE, HK_LOC_NONE, "choose another folder with --output",
                       "'%s' is there and was not made here: it stays as it is", j->main);
  }
  for (const char *c = file; *c && !j->device; c++)
    if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
      return hki_misuse(j->base.ctx, "hk_code_export",
                        "the name of the file cannot stand in #include \"FILE.h\"");
  if (given && hki_is_word_of_programs(given))
    return hki_error(j->base.ctx, HK_E_USAGE, HK_LOC_NONE, "choose another one with --name",
                     "'%s' cannot be the name of a program: C, C++, their libraries or programs "
                     "themselves have this word",
                     given);
  j->name = given ? given : identifier(j, name);
  return j->name ? HK_OK : HK_E_MEMORY;
}

/* one file; frees the text */
static hk_status write_text(job *j, const char *path, hk_text *text) {
  hk_status st = text->failed ? HK_E_MEMORY : HK_OK;
  if (st == HK_OK) st = hki_write_file(j->base.ctx, path, &(hk_piece){text->s, text->len}, 1);
  hki_text_free(text);
  return st;
}

static hk_status write_header(job *j, const hk_program *what) {
  hk_text text;
  hki_text_init(&text, j->base.ctx);
  hki_write_header(&j->plan, what, &text);
  return write_text(j, j->header, &text);
}

static hk_status write_main(job *j, const hk_program *what) {
  hk_text text;
  hki_text_init(&text, j->base.ctx);
  hki_write_main(j->trace, what, j->base.sim, j->base.asked, &text);
  return write_text(j, j->main, &text);
}

static hk_status write_source(job *j, const hk_program *what) {
  hk_text text;
  hk_split split;
  hk_status st = j->device ? hki_split_plan(&j->plan, BRANCH, j->warps, &split) : HK_OK;
  if (!j->device && !j->plan.npacks) st = hki_rolls_order(&j->plan, hki_order_find);
  if (st != HK_OK) return st;
  hki_text_init(&text, j->base.ctx);
  if (j->device)
    hki_write_device(&j->plan, split.warps > 1 ? &split : NULL, what, j->single, &text);
  else
    hki_write_source(&j->plan, what, &text);
  j->plan.bytes = (int64_t)text.len;
  return write_text(j, j->output, &text);
}

static bool is_there(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

/* all files or, but for those that were there before, none */
static hk_status write_program(job *j) {
  hk_sim *s = j->base.sim;
  const char *slash = strrchr(j->header, '/');
  const hk_program what = {.name = j->name,
                           .header = slash ? slash + 1 : j->header,
                           .title = hk_model_title(j->base.model),
                           .version = HK_VERSION_STRING,
                           .formulation = s->f->ops->name,
                           .integrator = s->I.ops->name};
  const bool keeps_header = j->device || is_there(j->header);
  const bool keeps_main = !j->main || is_there(j->main);
  hk_status st = j->device ? HK_OK : write_header(j, &what);
  if (st == HK_OK && j->main) st = write_main(j, &what);
  if (st == HK_OK) st = write_source(j, &what);
  if (st != HK_OK && !keeps_header) remove(j->header);
  if (st != HK_OK && !keeps_main) remove(j->main);
  return st;
}

/* does the library have another tangent for slow iterations? */
static bool has_choice(hk_formulation *f) {
  return f->ops->choose_tangent && f->ops->choose_tangent(f, false);
}

static hk_status make(job *j, hk_code_report *report) {
  char path[2400], *kernel = NULL;
  size_t n = 0;
  hk_status st = hki_fmu_prepare(&j->base);
  if (st == HK_OK) st = hki_fmu_bundle(&j->base);
  if (st == HK_OK)
    st = hki_kernel_read(j->base.ctx, KERNEL, "HOOKE_KERNEL", path, sizeof path, &kernel, &n);
  const hk_model_bytes bytes = {(const uint8_t *)kernel, n, j->base.data.s, j->base.data.len};
  const hk_bundle_list *kept = &j->base.bundle.parameters;
  if (st == HK_OK)
    st = hki_follow(j->base.ctx, &bytes, kept->names, kept->n, BRANCH, j->packs && !j->device,
                    &j->trace, &j->plan);
  if (st == HK_OK) st = write_program(j);
  if (st == HK_OK && j->trace->slow && has_choice(j->base.sim->f))
    hki_note(j->base.ctx, HK_LOC_NONE,
             "iterations converge slowly here: 'hooke run' goes on with its exact tangent, the "
             "program with the cheap one. It takes more iterations, is near the run by its "
             "tolerance and not by round-off, and may fail where the run goes on; take a smaller "
             "step, 'linearly_implicit', or an FMU");
  if (st == HK_OK) {
    *report = (hk_code_report){.size = report->size,
                               .inputs = j->trace->ninputs,
                               .outputs = j->trace->noutputs,
                               .parameters = j->base.bundle.parameters.n,
                               .states = j->plan.nx,
                               .operations = j->plan.operations,
                               .branches = (int32_t)j->trace->m.forked,
                               .bytes = j->plan.bytes};
  }
  hki_trace_destroy(j->trace);
  hki_free(j->base.ctx, kernel);
  return st;
}

/* the options of an FMU with the same variables */
static hk_status read_options(hk_ctx *ctx, const hk_code_options *from, hk_code_options *opt,
                              hk_fmu_options *fmu) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_code_options, sim), opt, from);
  if (st != HK_OK) return st;
  *fmu = hk_fmu_options_def();
  fmu->sim = opt->sim, fmu->sets = opt->sets, fmu->nsets = opt->nsets;
  fmu->inputs = opt->inputs, fmu->ninputs = opt->ninputs;
  fmu->outputs = opt->outputs, fmu->noutputs = opt->noutputs;
  fmu->name = opt->name, fmu->only = 1;
  fmu->parameters = opt->keep ? opt->keep : none, fmu->nparameters = opt->keep ? opt->nkeep : 0;
  return hki_fmu_options_check(ctx, "hk_code_export", fmu);
}

hk_status hk_code_export(hk_ctx *ctx, const char *model, const char *output,
                         const hk_code_options *options, hk_code_report *report) {
  hk_code_options opt;
  hk_fmu_options fmu;
  hk_code_report own = {.size = sizeof own};
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_code_export", "no context");
  if (!model || !output) return hki_misuse(ctx, "hk_code_export", "no model, or no output");
  if (report && report->size < sizeof own)
    return hki_misuse(ctx, "hk_code_export", "a report of no size");
  hk_status st = read_options(ctx, options, &opt, &fmu);
  if (st == HK_OK && (opt.warps < 0 || opt.warps > HK_MOST_WARPS))
    return hki_misuse(ctx, "hk_code_export", "1 to 8 warps share the steps of worlds");
  if (st != HK_OK) return st;
  job j = {.output = output, .single = opt.single, .packs = !opt.no_packs};
  j.warps = opt.warps ? opt.warps : 1;
  st = hki_fmu_begin(ctx, model, &fmu, &j.base);
  j.base.as = "a program in C", j.base.audited = opt.main;
  if (st == HK_OK) st = names(&j, opt.name);
  if (st == HK_OK) st = make(&j, &own);
  hki_fmu_end(&j.base);
  if (report) own.size = report->size, *report = own;
  return st;
}
