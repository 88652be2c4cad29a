/* SPDX-License-Identifier: Apache-2.0
 *
 * kinematics.c: `hooke kinematics MODEL`: prescribed motions without masses (run.c), or with --range how far
 * one coordinate can go.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct range_job {
  const cli_args *args;
  const char *model, *output;
  hk_reach_options opt;
  cli_lists lists;
  cli_messages messages;
} range_job;

static bool read_options(range_job *job) {
  static const cli_id not_here[] = {CLI_STEP,   CLI_TIME,        CLI_OUTPUT_EVERY, CLI_COMPRESS,
                                    CLI_REPORT, CLI_FORMULATION, CLI_OPTION};
  const cli_args *a = job->args;
  job->opt = hk_reach_options_def();
  job->opt.coordinate = cli_value(a, CLI_RANGE);
  job->output = cli_value(a, CLI_OUTPUT);
  for (size_t i = 0; i < sizeof not_here / sizeof not_here[0]; i++)
    if (cli_has(a, not_here[i])) {
      cli_error("leave one of them out", "--%s is about motions over time, --range about none",
                cli_option_find(not_here[i])->name);
      return false;
    }
  if (!cli_file("model", job->model) || !cli_number(a, CLI_RANGE_FROM, &job->opt.from) ||
      !cli_number(a, CLI_RANGE_TO, &job->opt.to))
    return false;
  if (!(job->opt.from < job->opt.to)) {
    cli_error(NULL, "--from must be below --to");
    return false;
  }
  if (job->output &&
      (!cli_file("table", job->output) || !cli_file_of("table", job->output, ".csv", NULL)))
    return false;
  return cli_lists_read(a, &job->lists);
}

/* --- the output ------------------------------------------------------------------------------- */

static const char *stop_word(int32_t stop) {
  return stop == HK_STOP_DEAD_POINT  ? "dead point"
         : stop == HK_STOP_FULL_TURN ? "full turn"
         : stop == HK_STOP_LIMIT     ? "limit"
                                     : "none";
}

static hk_reach_place end_of(const hk_reach *r, int32_t high) {
  hk_reach_place p = {.size = sizeof p};
  (void)hk_reach_end(r, high, &p);
  return p;
}

/* "key": [ "a", "b" ] from a comma separated text */
static void json_list(const char *key, const char *text) {
  printf(", \"%s\": [", key);
  for (const char *at = text; *at;) {
    const char *next = strstr(at, ", ");
    const int n = next ? (int)(next - at) : (int)strlen(at);
    char one[CLI_SHOWN];
    snprintf(one, sizeof one, "%.*s", n, at);
    cli_json_string(stdout, one);
    at += n;
    if (*at) at += 2, fputs(", ", stdout);
  }
  putchar(']');
}

static void json_end(const char *key, const hk_reach_place *p) {
  printf(", \"%s\": {\"value\": ", key);
  cli_json_number(stdout, p->value);
  fputs(", \"stop\": ", stdout);
  cli_json_string(stdout, stop_word(p->stop));
  json_list("moves", p->moves);
  fputs(", \"singular\": ", stdout);
  cli_json_string(stdout, p->loops);
  putchar('}');
}

static void print_json(const range_job *job, const hk_reach *r, hk_status status,
                       const char *message) {
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  fputs(", \"range\": ", stdout);
  if (r) {
    const hk_reach_place low = end_of(r, 0), high = end_of(r, 1);
    fputs("{\"coordinate\": ", stdout);
    cli_json_string(stdout, hk_reach_coordinate(r));
    fputs(", \"unit\": ", stdout);
    cli_json_string(stdout, hk_reach_unit(r));
    fputs(", \"start\": ", stdout);
    cli_json_number(stdout, hk_reach_start(r));
    json_end("low", &low);
    json_end("high", &high);
    fputs(", \"branches\": [", stdout);
    for (int32_t i = 0; i < hk_reach_branches(r); i++) {
      hk_reach_place p = {.size = sizeof p};
      (void)hk_reach_branch(r, i, &p);
      fputs(i ? ", {\"value\": " : "{\"value\": ", stdout);
      cli_json_number(stdout, p.value);
      fputs(", \"singular\": ", stdout);
      cli_json_string(stdout, p.loops);
      putchar('}');
    }
    fputs("]}", stdout);
  } else {
    fputs("null", stdout);
  }
  cli_json_status(stdout, status, message);
}

static void print_end(const char *title, const hk_reach_place *p, const char *unit) {
  printf("  %-14s %.10g %s, %s\n", title, p->value, unit,
         p->stop == HK_STOP_NONE ? "where nothing stops it yet" : stop_word(p->stop));
  if (*p->moves) printf("  %-14s %s run off while it stands still\n", "", p->moves);
  if (*p->loops) printf("  %-14s singular: %s\n", "", p->loops);
}

static void print_table(const range_job *job, const hk_model *model, const hk_reach *r) {
  const hk_reach_place low = end_of(r, 0), high = end_of(r, 1);
  const char *unit = hk_reach_unit(r);
  cli_title(model, job->model);
  printf("  range of %s, drawn at %.6g %s\n\n", hk_reach_coordinate(r), hk_reach_start(r), unit);
  print_end("low", &low, unit);
  print_end("high", &high, unit);
  for (int32_t i = 0; i < hk_reach_branches(r); i++) {
    hk_reach_place p = {.size = sizeof p};
    (void)hk_reach_branch(r, i, &p);
    printf("  %-14s %.10g %s: another way begins there, %s\n", "branch", p.value, unit, p.loops);
  }
  if (job->output) printf("\n  table          %s\n", job->output);
}

/* coordinates of all joints, one row a position */
static hk_status write_table(const range_job *job, hk_ctx *ctx, const hk_reach *r) {
  int32_t n = 0;
  const char *name;
  size_t cap = 64, at = 0;
  while ((name = hk_reach_channel(r, n)) != NULL) cap += strlen(name) + 4, n++;
  cap += (size_t)hk_reach_count(r) * 26 * (size_t)(n + 1);
  char *text = malloc(cap);
  if (!text) return HK_E_MEMORY;
  for (int32_t k = 0; k < n; k++)
    at += (size_t)sprintf(text + at, "%s%s", k ? "," : "", hk_reach_channel(r, k));
  at += (size_t)sprintf(text + at, "\n");
  for (int32_t i = 0; i < hk_reach_count(r); i++)
    for (int32_t k = 0; k < n; k++)
      at +=
          (size_t)sprintf(text + at, "%.17g%s", hk_reach_values(r, i)[k], k == n - 1 ? "\n" : ",");
  hk_status st = hk_file_write(ctx, job->output, text, at);
  free(text);
  return st;
}

/* --- the verb --------------------------------------------------------------------------------- */

static int find(void *user, hk_ctx *ctx) {
  range_job *job = user;
  hk_model *model = NULL;
  hk_reach *r = NULL;
  hk_status st = hk_model_load(ctx, job->model, job->lists.sets, job->lists.nsets, &model);
  const bool loaded = st == HK_OK;
  if (loaded) st = hk_reach_find(model, &job->opt, &r);
  if (st == HK_OK && job->output) st = write_table(job, ctx, r);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, r, st, message);
  else if (r && !job->messages.quiet)
    print_table(job, model, r);
  free(message);
  hk_reach_free(r);
  hk_model_release(model);
  return cli_method_code(&job->messages, st, loaded);
}

int cli_kinematics(const cli_args *args) {
  range_job job = {.args = args, .model = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  if (!cli_has(args, CLI_RANGE)) {
    if (!cli_has(args, CLI_RANGE_FROM) && !cli_has(args, CLI_RANGE_TO))
      return cli_run_prescribed(args);
    cli_error("add --range JOINT", "--from and --to are limits of a range");
    return CLI_USAGE;
  }
  int code = CLI_USAGE;
  if (read_options(&job)) code = cli_in_context(args, &job.messages, find, &job);
  cli_lists_free(&job.lists);
  return code;
}
