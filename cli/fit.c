/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c: `hooke fit MODEL --data FILE --vary NAME`: parameters by measured data.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct fit_job {
  const cli_args *args;
  const char *model;
  hk_fit_options opt;
  hk_sim_options sim;
  hk_fit_parameter *parameters;
  char **names; /* nparameters, to be freed */
  cli_lists lists;
  cli_messages messages;
} fit_job;

/* --- the options ------------------------------------------------------------------------------ */

/* NAME or NAME=low:high */
static bool read_vary(fit_job *job, const char *text) {
  const size_t length = strcspn(text, "=");
  hk_fit_parameter *p = &job->parameters[job->opt.nparameters];
  char *name = calloc(length + 1, 1), *end;
  if (!name) return cli_no_memory() == CLI_DONE;
  memcpy(name, text, length);
  job->names[job->opt.nparameters++] = name;
  *p = (hk_fit_parameter){name, -INFINITY, INFINITY};
  if (length && !text[length]) return true;
  p->low = strtod(text + length + 1, &end);
  bool good = length > 0 && end != text + length + 1 && *end == ':';
  if (good) {
    const char *second = end + 1;
    p->high = strtod(second, &end);
    good = end != second && !*end && p->low < p->high;
  }
  if (!good)
    cli_error("write a name, or bounds: k=low:high", "--vary is not understood: '%s'", text);
  return good;
}

static bool read_options(fit_job *job) {
  const cli_args *a = job->args;
  job->opt = hk_fit_options_def();
  job->sim = hk_sim_options_def();
  job->sim.formulation = cli_value(a, CLI_FORMULATION);
  job->sim.integrator = cli_value(a, CLI_INTEGRATOR);
  job->opt.data = cli_value(a, CLI_DATA);
  job->parameters = calloc((size_t)a->ngiven + 1, sizeof *job->parameters);
  job->names = calloc((size_t)a->ngiven + 1, sizeof *job->names);
  if (!job->parameters || !job->names) return cli_no_memory() == CLI_DONE;
  if (!cli_file("model", job->model) || !cli_positive(a, CLI_STEP, &job->sim.step)) return false;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_VARY_BOUNDS && !read_vary(job, a->given[i].value)) return false;
  if (!job->opt.nparameters || !job->opt.data) {
    cli_error("hooke fit model.yaml --data measured.csv --vary k --vary c=0:100",
              job->opt.data ? "nothing to find: give at least one --vary"
                            : "no data: give --data FILE");
    return false;
  }
  if (!cli_file("data", job->opt.data) || !cli_lists_read(a, &job->lists)) return false;
  job->opt.parameters = job->parameters;
  job->opt.sim = &job->sim;
  job->opt.sets = job->lists.sets, job->opt.nsets = job->lists.nsets;
  job->sim.options = job->lists.options, job->sim.noptions = job->lists.noptions;
  return true;
}

/* --- the output ------------------------------------------------------------------------------- */

static hk_fitted parameter_at(const hk_fit *f, int32_t i) {
  hk_fitted p = {.size = sizeof p};
  (void)hk_fit_parameter_at(f, i, &p);
  return p;
}

static void print_json(const hk_fit *f, hk_status status, const char *message) {
  fputs("{\"parameters\": {", stdout);
  for (int32_t i = 0; i < hk_fit_count(f); i++) {
    const hk_fitted p = parameter_at(f, i);
    const struct {
      const char *key;
      double x;
    } numbers[] = {{": {\"value\": ", p.value},
                   {", \"low\": ", p.low},
                   {", \"high\": ", p.high},
                   {", \"start\": ", p.start}};
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, p.name);
    for (int k = 0; k < 4; k++) {
      fputs(numbers[k].key, stdout);
      cli_json_number(stdout, numbers[k].x);
    }
    fputs(", \"note\": ", stdout);
    cli_json_string(stdout, p.note);
    putchar('}');
  }
  fputs("}, \"covariance\": [", stdout);
  for (int32_t i = 0; i < hk_fit_count(f); i++) {
    fputs(i ? ", [" : "[", stdout);
    for (int32_t j = 0; j < hk_fit_count(f); j++) {
      if (j) fputs(", ", stdout);
      cli_json_number(stdout, hk_fit_covariance(f, i, j));
    }
    putchar(']');
  }
  fputs("], \"rms\": ", stdout);
  cli_json_number(stdout, f ? hk_fit_rms(f) : NAN);
  printf(", \"evaluations\": %d", (int)hk_fit_evaluations(f));
  cli_json_status(stdout, status, message);
}

static void print_table(const fit_job *job, const hk_fit *f) {
  printf("%s fitted to %s\n\n", job->model, job->opt.data);
  printf("  %-24s %14s %14s %14s %14s\n", "parameter", "value", "low", "high", "start");
  for (int32_t i = 0; i < hk_fit_count(f); i++) {
    const hk_fitted p = parameter_at(f, i);
    printf("  %-24s %14.8g %14.8g %14.8g %14.8g%s%s\n", p.name, p.value, p.low, p.high, p.start,
           *p.note ? "  " : "", p.note);
  }
  printf("\n  differences left %.4g of the range of the data (rms), %d runs\n", hk_fit_rms(f),
         (int)hk_fit_evaluations(f));
}

/* --- the verb --------------------------------------------------------------------------------- */

static int find(void *user, hk_ctx *ctx) {
  fit_job *job = user;
  hk_fit *f = NULL;
  job->opt.interrupt = cli_catch_interrupts();
  hk_status st = hk_fit_find(ctx, job->model, &job->opt, &f);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(f, st, message);
  else if (f && !job->messages.quiet)
    print_table(job, f);
  for (int32_t i = 0; !job->messages.quiet && i < hk_fit_count(f); i++) {
    const hk_fitted p = parameter_at(f, i);
    if (isnan(p.low))
      cli_warning("take it out, or measure something that depends on it", "%s: %s", p.name, p.note);
  }
  free(message);
  hk_fit_free(f);
  return cli_method_code(&job->messages, st, true);
}

int cli_fit(const cli_args *args) {
  fit_job job = {.args = args, .model = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job)) code = cli_in_context(args, &job.messages, find, &job);
  for (int32_t i = 0; job.names && i < job.opt.nparameters; i++) free(job.names[i]);
  free(job.names);
  free(job.parameters);
  cli_lists_free(&job.lists);
  return code;
}
