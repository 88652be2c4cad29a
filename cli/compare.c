/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c: `hooke compare MODEL|STUDY`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct compare_job {
  const cli_args *args;
  hk_compare_options opt;
  char **words; /* the entries of all lists, to be freed */
  int nwords;
  const char **formulations, **integrators, **channels;
  double *steps;
  cli_lists lists;
  const char *format, *output;
  cli_messages messages;
  cli_progress progress;
} compare_job;

/* --- the options ------------------------------------------------------------------------------ */

/* the entries of all `--name a,b --name c`, one after the other; NULL after a message */
static const char **list_option(compare_job *job, cli_id id, bool split, int32_t *n) {
  size_t most = 1;
  for (int i = 0; i < job->args->ngiven; i++)
    if (job->args->given[i].id == id) most += strlen(job->args->given[i].value) + 1;
  const char **list = calloc(most, sizeof *list);
  *n = 0;
  for (int i = 0; list && i < job->args->ngiven; i++) {
    if (job->args->given[i].id != id) continue;
    const char *value = job->args->given[i].value;
    char *copy = malloc(strlen(value) + 1);
    char **words = realloc(job->words, (size_t)(job->nwords + 1) * sizeof *words);
    if (words) job->words = words;
    if (!copy || !words) {
      free(copy);
      free(list);
      list = NULL;
      break;
    }
    strcpy(copy, value);
    job->words[job->nwords++] = copy;
    for (char *at = copy; at;) {
      char *comma = split ? strchr(at, ',') : NULL;
      if (comma) *comma = '\0';
      if (!*at) {
        cli_error("write it as a,b,c", "--%s has an empty entry: '%s'", cli_option_find(id)->name,
                  value);
        free(list);
        return NULL;
      }
      list[(*n)++] = at;
      at = comma ? comma + 1 : NULL;
    }
  }
  if (!list) cli_no_memory();
  return list;
}

static bool read_steps(compare_job *job) {
  int32_t n;
  const char **list = list_option(job, CLI_STEP, true, &n);
  job->steps = calloc((size_t)(list ? n : 0) + 1, sizeof *job->steps);
  if (!list || !job->steps) {
    if (list) cli_no_memory();
    free(list);
    return false;
  }
  bool good = true;
  for (int32_t i = 0; i < n && good; i++) {
    char *end;
    double h = strtod(list[i], &end);
    good = strspn(list[i], "0123456789.eE+-") == strlen(list[i]) && !*end && h > 0 && isfinite(h);
    if (!good) cli_error(NULL, "--step must be positive numbers a,b,c, but one is '%s'", list[i]);
    job->steps[i] = h;
  }
  free(list);
  job->opt.steps = job->steps;
  job->opt.nsteps = n;
  return good;
}

static bool read_pairs(compare_job *job) {
  if (!cli_lists_read(job->args, &job->lists)) return false;
  job->opt.sets = job->lists.sets;
  job->opt.nsets = job->lists.nsets;
  job->opt.options = job->lists.options;
  job->opt.noptions = job->lists.noptions;
  return true;
}

/* the format: --format, or by the extension of --output */
static bool read_format(compare_job *job) {
  static const char *const formats[] = {"text", "markdown", "csv", "json"};
  static const char *const endings[] = {".txt", ".md", ".csv", ".json"};
  const char *dot = job->output ? strrchr(job->output, '.') : NULL;
  job->format = cli_value(job->args, CLI_FORMAT);
  if (!job->format) job->format = cli_has(job->args, CLI_JSON) ? "json" : "text";
  bool said = cli_has(job->args, CLI_FORMAT) || cli_has(job->args, CLI_JSON);
  for (size_t i = 0; i < 4; i++) {
    if (said ? strcmp(job->format, formats[i]) == 0 : dot && strcmp(dot, endings[i]) == 0) {
      job->format = formats[i];
      return true;
    }
  }
  if (!said) return true;
  cli_nearest n = {.word = job->format};
  char hint[80];
  for (size_t i = 0; i < 4; i++) cli_nearest_try(&n, formats[i]);
  cli_error(cli_did_you_mean(&n, "there are text, markdown, csv and json", hint, sizeof hint),
            "--format cannot be '%s'", job->format);
  return false;
}

static bool read_options(compare_job *job) {
  const cli_args *a = job->args;
  double repeat = 1;
  job->output = cli_value(a, CLI_TABLE);
  if (!cli_file("model or study", a->positional[0])) return false;
  if (job->output && !cli_file("table", job->output)) return false;
  if (!read_format(job) || !read_steps(job) || !read_pairs(job)) return false;
  if (!cli_positive(a, CLI_TIME, &job->opt.time) ||
      !cli_positive(a, CLI_TOLERANCE, &job->opt.tolerance) || !cli_positive(a, CLI_REPEAT, &repeat))
    return false;
  if (repeat != floor(repeat) || repeat > 1000) {
    cli_error(NULL, "--repeat must be a whole number up to 1000, but it is '%s'",
              cli_value(a, CLI_REPEAT));
    return false;
  }
  if (cli_has(a, CLI_REPEAT)) job->opt.repeat = (int32_t)repeat;
  job->opt.reference = cli_value(a, CLI_REFERENCE);
  job->opt.largest_step = cli_has(a, CLI_LARGEST_STEP);
  job->formulations = list_option(job, CLI_FORMULATION, true, &job->opt.nformulations);
  job->integrators = list_option(job, CLI_INTEGRATOR, true, &job->opt.nintegrators);
  job->channels = list_option(job, CLI_CHANNEL, false, &job->opt.nchannels);
  job->opt.formulations = job->formulations;
  job->opt.integrators = job->integrators;
  job->opt.channels = job->channels;
  return job->formulations && job->integrators && job->channels;
}

static void free_job(compare_job *job) {
  for (int i = 0; i < job->nwords; i++) free(job->words[i]);
  free(job->words);
  free(job->formulations);
  free(job->integrators);
  free(job->channels);
  free(job->steps);
  cli_lists_free(&job->lists);
}

/* --- the runs --------------------------------------------------------------------------------- */

static void show(const hk_compare_progress *p, void *user) {
  char words[200];
  snprintf(words, sizeof words, "run %d of %d: %s + %s, step %g s, t %.3g/%.3g s", (int)p->done + 1,
           (int)p->total, p->formulation, p->integrator, p->step_s, p->time_s, p->end_s);
  double part = p->end_s > 0 ? p->time_s / p->end_s : 0;
  cli_progress_line(user, (p->done + part) / (p->total > 0 ? p->total : 1), words);
}

static int write_table(const compare_job *job, hk_ctx *ctx, const char *text) {
  if (job->output) return cli_exit_code(hk_file_write(ctx, job->output, text, strlen(text)));
  fputs(text, stdout);
  return CLI_DONE;
}

/* the exit code: 0 when at least one run reached its end */
static int outcome(const hk_comparison *c) {
  int32_t n = hk_comparison_count(c);
  for (int32_t i = 0; i < n; i++)
    if (hk_comparison_row(c, i)->summary.status == HK_OK) return CLI_DONE;
  return CLI_FAILED;
}

static int compare(compare_job *job, hk_ctx *ctx) {
  hk_comparison *c = NULL;
  bool bar = !cli_has(job->args, CLI_NO_PROGRESS) && !cli_has(job->args, CLI_QUIET);
  cli_progress_begin(&job->progress, NULL, bar);
  hk_status status = hk_compare(ctx, job->args->positional[0], &job->opt, &c);
  cli_progress_end(&job->progress);
  if (!c) {
    if (job->messages.errors == 0) cli_error(hk_status_hint(status), "%s", hk_status_text(status));
    return cli_exit_code(status);
  }
  const char *text = hk_comparison_write(c, job->format);
  int code = text ? write_table(job, ctx, text) : cli_no_memory();
  if (status == HK_INTERRUPTED) {
    cli_note("interrupted: what was run so far is shown");
    if (code == CLI_DONE) code = CLI_INTERRUPTED;
  }
  if (code == CLI_DONE) code = outcome(c);
  hk_comparison_free(c);
  return code;
}

int cli_compare(const cli_args *args) {
  compare_job job = {.args = args, .opt = hk_compare_options_def()};
  int code = CLI_USAGE;
  job.messages.quiet = cli_has(args, CLI_QUIET);
  job.opt.progress = show;
  job.opt.user = &job.progress;
  if (read_options(&job)) {
    hk_ctx *ctx = hk_ctx_create();
    code = ctx ? CLI_DONE : cli_no_memory();
    if (ctx) {
      job.opt.interrupt = cli_catch_interrupts();
      hk_ctx_on_message(ctx, cli_on_message, &job.messages);
      code = cli_modules(args, ctx);
      if (code == CLI_DONE) code = compare(&job, ctx);
    }
    hk_ctx_destroy(ctx);
  }
  free_job(&job);
  return code;
}
