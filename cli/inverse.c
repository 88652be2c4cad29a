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
  const char *model, *output;
  hk_sim_options sim;
  hk_inverse_options act;
  hk_actuator *list; /* its actuators; names are memory of their own */
  cli_lists lists;
  cli_messages messages;
  const volatile int *stop;
  char why[300]; /* what went wrong, where the context does not say it */
  /* the table: t and forces, rows x (1 + n) */
  double *table;
  size_t rows, cap;
  size_t *ends; /* n: rows in which an actuator is at an end of its range */
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
  job->output = cli_value(a, CLI_SWEEP_TABLE);
  job->act = hk_inverse_options_def();
  job->act.minimise = cli_value(a, CLI_MINIMISE);
  job->act.actuators = job->list = calloc((size_t)a->ngiven + 1, sizeof *job->list);
  if (!job->list) return cli_no_memory() == CLI_DONE;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_ACTUATOR && !read_actuator(job, a->given[i].value)) return false;
  if (!cli_file("model", job->model) || !cli_positive(a, CLI_STEP, &job->sim.step) ||
      !cli_positive(a, CLI_TIME, &job->sim.time))
    return false;
  if (job->output &&
      (!cli_file("table", job->output) || !cli_file_of("table", job->output, ".csv", NULL)))
    return false;
  if (!cli_lists_read(a, &job->lists)) return false;
  job->sim.options = job->lists.options, job->sim.noptions = job->lists.noptions;
  return true;
}

/* --- the run ---------------------------------------------------------------------------------- */

static void complain(inverse_job *job, hk_status st, const char *hint) {
  if (!job->why[0]) snprintf(job->why, sizeof job->why, "%s", hk_status_text(st));
  if (job->messages.errors == 0) cli_error(hint, "%s", job->why);
}

/* one row of the table */
static hk_status take(inverse_job *job, hk_sim *sim, hk_inverse *a) {
  const size_t width = 1 + (size_t)hk_inverse_count(a);
  if ((job->rows + 1) * width > job->cap) {
    const size_t cap = 2 * job->cap + 64 * width;
    double *table = realloc(job->table, cap * sizeof *table);
    if (!table) return HK_E_MEMORY;
    job->table = table, job->cap = cap;
  }
  double *row = job->table + job->rows * width, left = NAN;
  row[0] = hk_sim_time(sim);
  hk_status st = hk_inverse_find(a, row + 1, &left);
  const bool lacking = st == HK_E_SINGULAR && isfinite(left);
  bool saturated = false;
  for (size_t i = 0; i + 1 < width; i++) {
    job->ends[i] += hk_inverse_saturated(a, (int32_t)i) != 0;
    saturated |= hk_inverse_saturated(a, (int32_t)i) != 0;
  }
  if (lacking)
    snprintf(job->why, sizeof job->why,
             "at %.6g s these actuators cannot give this motion%s: %.2g %% of the forces are left",
             row[0], saturated ? " within their ranges" : "", 100.0 * left);
  if (st < 0) complain(job, st, lacking ? "add actuators, or take others" : hk_status_hint(st));
  if (st == HK_OK) job->rows++;
  return st;
}

static hk_status follow(inverse_job *job, hk_sim *sim, hk_inverse *a) {
  job->ends = calloc((size_t)hk_inverse_count(a) + 1, sizeof *job->ends);
  if (!job->ends) return HK_E_MEMORY;
  hk_status st = take(job, sim, a);
  while (st == HK_OK && !hk_sim_done(sim) && !*job->stop) {
    st = hk_sim_step(sim);
    if (st < 0) {
      hk_summary sum;
      hk_sim_summary(sim, &sum);
      snprintf(job->why, sizeof job->why, "%s", sum.message);
      complain(job, st, hk_status_hint(st));
    }
    if (st == HK_OK) st = take(job, sim, a);
  }
  return st == HK_OK && *job->stop ? HK_INTERRUPTED : st;
}

/* "elbow.angle", "u": the name of an actuator without its first word */
static const char *short_name(const hk_inverse *a, int32_t i) {
  return strchr(hk_inverse_name(a, i), '.') + 1;
}

/* t, then one column an actuator: a table that signals can play back */
static hk_status write_table(const inverse_job *job, hk_ctx *ctx, const hk_inverse *a) {
  const int32_t n = hk_inverse_count(a);
  size_t cap = 64 + job->rows * (26 * ((size_t)n + 1) + 2), at = 0;
  for (int32_t i = 0; i < n; i++) cap += strlen(hk_inverse_name(a, i)) + 32;
  char *text = malloc(cap);
  if (!text) return HK_E_MEMORY;
  at += (size_t)sprintf(text, "t");
  for (int32_t i = 0; i < n; i++)
    at += (size_t)sprintf(text + at, ",actuator.%s.value", short_name(a, i));
  at += (size_t)sprintf(text + at, "\n");
  for (size_t r = 0; r < job->rows; r++)
    for (int32_t i = 0; i <= n; i++)
      at += (size_t)sprintf(text + at, "%.17g%s", job->table[r * ((size_t)n + 1) + (size_t)i],
                            i == n ? "\n" : ",");
  hk_status st = hk_file_write(ctx, job->output, text, at);
  free(text);
  return st;
}

/* --- the output ------------------------------------------------------------------------------- */

static void print_json(const inverse_job *job, const hk_inverse *a, hk_status status,
                       const char *message) {
  const int32_t n = hk_inverse_count(a);
  const size_t width = (size_t)n + 1;
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  printf(", \"rows\": %zu, \"time_s\": ", job->rows);
  cli_json_number(stdout, job->rows ? job->table[(job->rows - 1) * width] : NAN);
  fputs(", \"final\": {", stdout);
  for (int32_t i = 0; i < n && job->rows; i++) {
    char name[CLI_SHOWN];
    snprintf(name, sizeof name, "actuator.%s.value", short_name(a, i));
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, name);
    fputs(": ", stdout);
    cli_json_number(stdout, job->table[(job->rows - 1) * width + 1 + (size_t)i]);
  }
  fputs("}, \"saturated\": {", stdout);
  for (int32_t i = 0, k = 0; i < n && job->ends; i++) {
    if (!job->ends[i]) continue;
    if (k++) fputs(", ", stdout);
    cli_json_string(stdout, short_name(a, i));
    printf(": %zu", job->ends[i]);
  }
  putchar('}');
  cli_json_status(stdout, status, message);
}

static void print_table(const inverse_job *job, const hk_model *model, const hk_inverse *a) {
  const size_t width = 1 + (size_t)hk_inverse_count(a);
  cli_title(model, job->model);
  printf("\n  %-32s %14s %14s %14s\n", "actuator", "smallest", "largest", "rms");
  for (int32_t i = 0; i < hk_inverse_count(a); i++) {
    double low = INFINITY, high = -INFINITY, square = 0.0;
    for (size_t r = 0; r < job->rows; r++) {
      const double x = job->table[r * width + 1 + (size_t)i];
      low = fmin(low, x), high = fmax(high, x), square += x * x;
    }
    const double rows = (double)(job->rows ? job->rows : 1);
    printf("  %-32s %14.6g %14.6g %14.6g", hk_inverse_name(a, i), low, high, sqrt(square / rows));
    if (job->ends[i])
      printf("  at an end of its range in %.3g %% of the rows",
             100.0 * (double)job->ends[i] / rows);
    putchar('\n');
  }
  if (job->output) printf("\n  table          %s\n", job->output);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int find(void *user, hk_ctx *ctx) {
  inverse_job *job = user;
  hk_model *model = NULL;
  hk_sim *sim = NULL;
  hk_inverse *a = NULL;
  job->stop = cli_catch_interrupts();
  hk_status st = hk_model_load(ctx, job->model, job->lists.sets, job->lists.nsets, &model);
  const bool loaded = st == HK_OK;
  if (loaded) st = hk_sim_create(model, &job->sim, &sim);
  if (st == HK_OK) st = hk_inverse_open(sim, &job->act, &a);
  if (st == HK_OK) st = follow(job, sim, a);
  if (st == HK_OK && job->output) st = write_table(job, ctx, a);
  if (st == HK_INTERRUPTED) cli_note("interrupted");
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, a, st, message && *message ? message : job->why);
  else if (st == HK_OK && !job->messages.quiet)
    print_table(job, model, a);
  free(message);
  hk_inverse_destroy(a);
  hk_sim_destroy(sim);
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
  free(job.table);
  free(job.ends);
  cli_lists_free(&job.lists);
  return code;
}
