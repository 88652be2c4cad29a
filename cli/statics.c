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
  cli_lists lists;
  cli_messages messages;
} statics_job;

/* --- the options ------------------------------------------------------------------------------ */

static bool read_options(statics_job *job) {
  const cli_args *a = job->args;
  double points = 20.0;
  job->opt = hk_statics_options_def();
  job->opt.load = cli_value(a, CLI_LOAD);
  job->opt.formulation = cli_value(a, CLI_FORMULATION);
  job->opt.nearest = cli_has(a, CLI_NEAREST);
  job->opt.output = cli_value(a, CLI_OUTPUT);
  job->opt.report = cli_value(a, CLI_REPORT);
  job->opt.command = a->line;
  if (!cli_file("model", job->model) || !cli_number(a, CLI_TO, &job->opt.to) ||
      !cli_number(a, CLI_POINTS, &points))
    return false;
  if (!(points >= 1.0 && points <= 1e5 && points == floor(points))) {
    cli_error(NULL, "--points must be a count, but it is '%s'", cli_value(a, CLI_POINTS));
    return false;
  }
  if (!job->opt.load && (cli_has(a, CLI_TO) || cli_has(a, CLI_POINTS))) {
    cli_error("add --load NAME", "--to and --points are about a load");
    return false;
  }
  job->opt.points = (int32_t)points;
  if (job->opt.output && !cli_file("result file", job->opt.output)) return false;
  if (job->opt.report && (!cli_file("report", job->opt.report) ||
                          !cli_file_of("report", job->opt.report, ".html", ".htm")))
    return false;
  if (!cli_lists_read(a, &job->lists)) return false;
  job->opt.options = job->lists.options, job->opt.noptions = job->lists.noptions;
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
    fputs(", \"softest\": ", stdout);
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
    if (i % every && i < n - 1 && !p.limit) continue;
    printf("  %5d %14.8g %12s %14.6g%s\n", (int)i + 1, p.load,
           p.stable < 0 ? "indifferent"
           : p.stable   ? "yes"
                        : "no",
           p.softest, p.limit ? "  limit load" : "");
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
  if (loaded) st = hk_statics_find(model, &job->opt, &r);
  if (st == HK_INTERRUPTED) cli_note("interrupted");
  if (st < 0 && job->messages.errors == 0) cli_error(hk_status_hint(st), "%s", hk_status_text(st));
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
  if (read_options(&job)) code = cli_in_context(args, &job.messages, find, &job);
  cli_lists_free(&job.lists);
  return code;
}
