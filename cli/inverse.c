/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse.c: `hooke inverse MODEL`: forces of actuators that give the motion which the model prescribes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct inverse_job {
  const cli_args *args;
  const char *model;
  hk_sim_options sim;
  hk_run_options run;
  hk_inverse_options act;
  hk_actuator *list; /* its actuators; names are memory of their own */
  cli_lists lists;
  cli_messages messages;
} inverse_job;

/* --- the options ------------------------------------------------------------------------------ */

/* "NAME" or "NAME=LOW:HIGH" */
static bool read_actuator(inverse_job *job, const char *text) {
  const char *equals = strchr(text, '=');
  const size_t length = equals ? (size_t)(equals - text) : strlen(text);
  hk_actuator *to = &job->list[job->act.nactuators];
  char *name = malloc(length + 1), *end = NULL;
  if (!name) return cli_no_memory() == CLI_DONE;
  memcpy(name, text, length);
  name[length] = '\0';
  *to = (hk_actuator){name, NAN, NAN, NAN};
  job->act.nactuators++;
  if (!equals) return true;
  to->low = strtod(equals + 1, &end);
  const bool first = end != equals + 1 && *end == ':';
  if (first) to->high = strtod(end + 1, &end);
  if (first && !*end && end[-1] != ':' && to->low < to->high) return true;
  cli_error("write --actuator NAME=LOW:HIGH", "'%s' has no range after '='", text);
  return false;
}

static bool read_options(inverse_job *job) {
  const cli_args *a = job->args;
  job->sim = hk_sim_options_def();
  job->sim.formulation = cli_value(a, CLI_FORMULATION);
  job->sim.integrator = cli_value(a, CLI_INTEGRATOR);
  job->act = hk_inverse_options_def();
  job->act.minimise = cli_value(a, CLI_MINIMISE);
  job->act.actuators = job->list = calloc((size_t)a->ngiven + 1, sizeof *job->list);
  if (!job->list) return cli_no_memory() == CLI_DONE;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_ACTUATOR && !read_actuator(job, a->given[i].value)) return false;
  if (!cli_file("model", job->model) || !cli_positive(a, CLI_STEP, &job->sim.step) ||
      !cli_positive(a, CLI_TIME, &job->sim.time))
    return false;
  job->run = hk_run_options_def();
  job->run.output = cli_value(a, CLI_OUTPUT);
  job->run.report = cli_value(a, CLI_REPORT);
  job->run.command = a->line;
  if (job->run.output && (!cli_file("result file", job->run.output) ||
                          !cli_file_of("result file", job->run.output, ".csv", ".nc")))
    return false;
  if (job->run.report && (!cli_file("report", job->run.report) ||
                          !cli_file_of("report", job->run.report, ".html", ".htm")))
    return false;
  if (!cli_lists_read(a, &job->lists)) return false;
  job->sim.options = job->lists.options, job->sim.noptions = job->lists.noptions;
  return true;
}

/* --- the output ------------------------------------------------------------------------------- */

/* "elbow.angle", "u": the name of an actuator without its first word */
static const char *short_name(const hk_inverse *a, int32_t i) {
  return strchr(hk_inverse_name(a, i), '.') + 1;
}

void cli_freedoms_json(const hk_inverse *a) {
  hk_inverse_freedoms f = {.size = sizeof f};
  const char *actuated = hk_inverse_freedoms_get(a, &f);
  if (!actuated) return;
  printf(", \"freedoms\": {\"all\": %d, \"motions\": %d, \"tasks\": %d, \"costs\": %d, \"metric\": "
         "%d, "
         "\"moving\": %d, \"implied\": %d, \"actuated\": %d}, \"actuation\": \"%s\"",
         (int)f.all, (int)f.motions, (int)f.tasks, (int)f.costs, (int)f.metric, (int)f.moving,
         (int)f.implied, (int)f.actuated, actuated);
}

static void print_json(const inverse_job *job, const hk_inverse *a, hk_status status,
                       const char *message) {
  const int32_t n = hk_inverse_count(a), rows = hk_inverse_rows(a);
  const double *last = hk_inverse_row(a, rows - 1);
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  printf(", \"rows\": %d, \"time_s\": ", (int)rows);
  cli_json_number(stdout, last ? last[0] : NAN);
  fputs(", \"final\": {", stdout);
  for (int32_t i = 0; i < n && last; i++) {
    char name[CLI_SHOWN];
    snprintf(name, sizeof name, "actuator.%s.value", short_name(a, i));
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, name);
    fputs(": ", stdout);
    cli_json_number(stdout, last[1 + i]);
  }
  fputs("}, \"saturated\": {", stdout);
  for (int32_t i = 0, k = 0; i < n; i++) {
    if (!hk_inverse_saturated_rows(a, i)) continue;
    if (k++) fputs(", ", stdout);
    cli_json_string(stdout, short_name(a, i));
    printf(": %d", (int)hk_inverse_saturated_rows(a, i));
  }
  putchar('}');
  cli_freedoms_json(a);
  cli_json_status(stdout, status, message);
}

/* "7 freedoms: 5 by tasks, 2 by costs; 7 actuators: fully actuated" */
void cli_freedoms(const hk_inverse *a, int width) {
  hk_inverse_freedoms f = {.size = sizeof f};
  const char *actuated = hk_inverse_freedoms_get(a, &f);
  const struct {
    int32_t n;
    const char *by;
  } parts[] = {{f.motions, "by prescribed motions"},
               {f.tasks, "by tasks"},
               {f.costs, "by costs"},
               {f.metric, "by the least kinetic energy"},
               {f.moving, "moving by themselves"}};
  if (!actuated) return;
  printf("  %-*s %d:", width, "freedoms", (int)f.all);
  for (size_t i = 0, k = 0; i < sizeof parts / sizeof parts[0]; i++)
    if (parts[i].n) printf("%s %d %s", k++ ? "," : "", (int)parts[i].n, parts[i].by);
  if (f.implied) printf("; %d conditions of tasks are implied by others", (int)f.implied);
  printf("\n  %-*s %d, on %d freedoms: %s actuated\n", width, "actuators", (int)hk_inverse_count(a),
         (int)f.actuated, actuated);
}

static void print_table(const inverse_job *job, const hk_model *model, const hk_inverse *a) {
  const int32_t rows = hk_inverse_rows(a);
  cli_title(model, job->model);
  cli_freedoms(a, 14);
  printf("\n  %-32s %14s %14s %14s\n", "actuator", "smallest", "largest", "rms");
  for (int32_t i = 0; i < hk_inverse_count(a); i++) {
    double low = INFINITY, high = -INFINITY, square = 0.0;
    for (int32_t r = 0; r < rows; r++) {
      const double x = hk_inverse_row(a, r)[1 + i];
      low = fmin(low, x), high = fmax(high, x), square += x * x;
    }
    const double n = rows ? rows : 1.0, ends = hk_inverse_saturated_rows(a, i);
    printf("  %-32s %14.6g %14.6g %14.6g", hk_inverse_name(a, i), low, high, sqrt(square / n));
    if (ends > 0.0) printf("  at an end of its range in %.3g %% of the rows", 100.0 * ends / n);
    putchar('\n');
  }
  if (job->run.output) printf("\n  results        %s\n", job->run.output);
  if (job->run.report)
    printf("%s  report         %s\n", job->run.output ? "" : "\n", job->run.report);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int find(void *user, hk_ctx *ctx) {
  inverse_job *job = user;
  hk_model *model = NULL;
  hk_inverse *a = NULL;
  job->run.interrupt = cli_catch_interrupts();
  job->run.sim = &job->sim;
  hk_status st = hk_model_load(ctx, job->model, job->lists.sets, job->lists.nsets, &model);
  const bool loaded = st == HK_OK;
  if (loaded) st = hk_inverse_run(model, &job->act, &job->run, &a);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, a, st, message);
  else if (st == HK_OK && !job->messages.quiet)
    print_table(job, model, a);
  free(message);
  hk_inverse_destroy(a);
  hk_model_release(model);
  return cli_method_code(&job->messages, st, loaded);
}

int cli_inverse(const cli_args *args) {
  inverse_job job = {.args = args, .model = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job)) code = cli_in_context(args, &job.messages, find, &job);
  for (int32_t i = 0; job.list && i < job.act.nactuators; i++) free((char *)job.list[i].name);
  free(job.list);
  cli_lists_free(&job.lists);
  return code;
}
