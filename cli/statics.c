/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: `hooke statics MODEL`: equilibria, one or a path of them over a load.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST_ROWS = 40 };

typedef struct statics_job {
  const cli_args *args;
  const char *model;
  hk_statics_options opt;
  cli_args own; /* with what the model says */
  const char **slopes;
  cli_lists lists;
  cli_messages messages;
} statics_job;

/* --- the options ------------------------------------------------------------------------------ */

/* a whole number in *out, at least `least` */
static bool read_count(const cli_args *a, cli_id id, double least, int32_t *out) {
  double x = *out;
  if (!cli_number(a, id, &x)) return false;
  *out = (int32_t)x;
  if (x >= least && x <= 1e5 && x == floor(x)) return true;
  cli_error(NULL, "--%s must be a count, but it is '%s'", cli_option_find(id)->name,
            cli_value(a, id));
  return false;
}

/* files, --set and --option: what the command line alone says */
static bool read_files(statics_job *job) {
  const cli_args *a = job->args;
  job->opt = hk_statics_options_def();
  job->opt.formulation = cli_value(a, CLI_FORMULATION);
  job->opt.output = cli_value(a, CLI_OUTPUT);
  job->opt.report = cli_value(a, CLI_REPORT);
  job->opt.command = a->line;
  if (!cli_file("model", job->model)) return false;
  if (job->opt.output && !cli_file("result file", job->opt.output)) return false;
  if (job->opt.report && (!cli_file("report", job->opt.report) ||
                          !cli_file_of("report", job->opt.report, ".html", ".htm")))
    return false;
  if (!cli_lists_read(a, &job->lists)) return false;
  job->opt.options = job->lists.options, job->opt.noptions = job->lists.noptions;
  return true;
}

/* the load: by the command line, else by the section of the model; NULL: without a model yet */
static bool read_load(statics_job *job, const hk_model *model) {
  // another load has another range
  if (model && !cli_has(job->args, CLI_LOAD) && !cli_settings(job->args, model, &job->own))
    return false;
  const cli_args *a = job->own.given ? &job->own : job->args;
  job->opt.load = cli_value(a, CLI_LOAD);
  job->opt.nearest = cli_has(a, CLI_NEAREST);
  if (!cli_number(a, CLI_LOAD_FROM, &job->opt.from) || !cli_number(a, CLI_TO, &job->opt.to) ||
      !read_count(a, CLI_POINTS, 1.0, &job->opt.points) ||
      !read_count(a, CLI_BRANCH, -1e5, &job->opt.branch))
    return false;
  free(job->slopes);
  job->slopes = calloc((size_t)a->ngiven + 1, sizeof *job->slopes);
  if (!job->slopes) return cli_no_memory() == CLI_DONE;
  job->opt.slopes = job->slopes, job->opt.nslopes = 0;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_SLOPE) job->slopes[job->opt.nslopes++] = a->given[i].value;
  const bool about = cli_has(a, CLI_TO) || cli_has(a, CLI_POINTS) || cli_has(a, CLI_LOAD_FROM) ||
                     cli_has(a, CLI_BRANCH) || cli_has(a, CLI_SLOPE);
  if (model && !job->opt.load && about) {
    cli_error("add --load NAME", "--from, --to, --points, --branch and --slope are about a load");
    return false;
  }
  return true;
}

/* --- the output ------------------------------------------------------------------------------- */

static hk_static_point point_at(const hk_statics *r, int32_t i) {
  hk_static_point p = {.size = sizeof p};
  (void)hk_statics_point(r, i, &p);
  return p;
}

static void print_values(const hk_statics *r, int32_t i) {
  const double *values = hk_statics_values(r, i);
  const char *name;
  fputs(", \"final\": {", stdout);
  for (int32_t k = 0; values && (name = hk_statics_channel(r, k)) != NULL; k++) {
    if (k) fputs(", ", stdout);
    cli_json_string(stdout, name);
    fputs(": ", stdout);
    cli_json_number(stdout, values[k]);
  }
  fputs("}", stdout);
}

static void print_json(const statics_job *job, const hk_statics *r, hk_status status,
                       const char *message) {
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  fputs(", \"formulation\": ", stdout);
  cli_json_string(stdout, r ? hk_statics_formulation(r) : job->opt.formulation);
  fputs(", \"points\": [", stdout);
  for (int32_t i = 0; i < hk_statics_count(r); i++) {
    const hk_static_point p = point_at(r, i);
    fputs(i ? ", {\"load\": " : "{\"load\": ", stdout);
    cli_json_number(stdout, p.load);
    printf(", \"stable\": %s, \"limit\": %s, \"residual\": ",
           p.stable < 0 ? "null"
           : p.stable   ? "true"
                        : "false",
           p.limit ? "true" : "false");
    cli_json_number(stdout, p.residual);
    printf(", \"bifurcation\": %s, \"softest\": ", p.bifurcation ? "true" : "false");
    cli_json_number(stdout, p.softest);
    print_values(r, i);
    fputs("}", stdout);
  }
  putchar(']');
  cli_json_status(stdout, status, message);
}

static void print_table(const statics_job *job, const hk_model *model, const hk_statics *r) {
  cli_title(model, job->model);
  printf("  equilibria%s%s, %s\n\n", job->opt.load ? " over " : "",
         job->opt.load ? job->opt.load : "", hk_statics_formulation(r));
  printf("  %5s %14s %12s %14s\n", "point", "load", "stable", "softest 1/s^2");
  // of a long path some points are enough to read
  const int32_t n = hk_statics_count(r), every = 1 + n / MOST_ROWS;
  for (int32_t i = 0; i < n; i++) {
    const hk_static_point p = point_at(r, i);
    if (i % every && i < n - 1 && !p.limit && !p.bifurcation) continue;
    printf("  %5d %14.8g %12s %14.6g%s\n", (int)i + 1, p.load,
           p.stable < 0 ? "indifferent"
           : p.stable   ? "yes"
                        : "no",
           p.softest,
           p.limit         ? "  limit load"
           : p.bifurcation ? "  bifurcation"
                           : "");
  }
  if (job->opt.output) printf("\n  results        %s\n", job->opt.output);
  if (job->opt.report)
    printf("%s  report         %s\n", job->opt.output ? "" : "\n", job->opt.report);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int find(void *user, hk_ctx *ctx) {
  statics_job *job = user;
  hk_model *model = NULL;
  hk_statics *r = NULL;
  hk_status st = hk_model_load(ctx, job->model, job->lists.sets, job->lists.nsets, &model);
  const bool loaded = st == HK_OK;
  if (loaded && !read_load(job, model)) {
    hk_model_release(model);
    return CLI_USAGE;
  }
  if (loaded) st = hk_statics_find(model, &job->opt, &r);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, r, st, message);
  else if (r && !job->messages.quiet)
    print_table(job, model, r);
  free(message);
  hk_statics_free(r);
  hk_model_release(model);
  return cli_method_code(&job->messages, st, loaded);
}

int cli_statics(const cli_args *args) {
  statics_job job = {.args = args, .model = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_files(&job) && read_load(&job, NULL))
    code = cli_in_context(args, &job.messages, find, &job);
  cli_settings_free(&job.own);
  free(job.slopes);
  cli_lists_free(&job.lists);
  return code;
}
