/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.c: `hooke sweep MODEL`: runs over parameters, in one table.
 */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the table -------------------------------------------------------------------------------- */

static const char *status_of(const sweep_row *r) {
  return !r->done ? "not run" : r->status == HK_OK ? "ok" : "failed";
}

static void print_json(const sweep *s) {
  putchar('[');
  for (int i = 0; i < s->nruns; i++) {
    const sweep_row *r = &s->row[i];
    fputs(i ? ",\n {\"parameters\": {" : "{\"parameters\": {", stdout);
    for (int k = 0; k < s->nvary; k++) {
      if (k) fputs(", ", stdout);
      cli_json_string(stdout, s->vary[k].name);
      fputs(": ", stdout);
      cli_json_number(stdout, s->parameter[i * s->nvary + k]);
    }
    printf("}, \"status\": \"%s\", \"message\": ", status_of(r));
    cli_json_string(stdout, r->message);
    fputs(", \"grade\": ", stdout);
    cli_json_string(stdout, r->done ? hk_grade_name(r->grade) : NULL);
    for (int k = 0; k < s->ntake; k++) {
      fputs(", ", stdout);
      cli_json_string(stdout, s->take[k].text);
      fputs(": ", stdout);
      cli_json_number(stdout, r->done ? s->value[i * s->ntake + k] : NAN);
    }
    putchar('}');
  }
  puts("]");
}

/* no run was begun: all rows say why */
static void print_refused(const sweep *s, const hk_ctx *ctx) {
  char *why = cli_first_error(ctx);
  for (int i = 0; why && i < s->nruns; i++)
    snprintf(s->row[i].message, sizeof s->row[i].message, "%s", why);
  free(why);
  print_json(s);
}

static void print_text(const sweep *s) {
  for (int k = 0; k < s->nvary; k++) printf("%14s ", s->vary[k].name);
  for (int k = 0; k < s->ntake; k++)
    printf("%*s ", (int)fmax(14, (double)strlen(s->take[k].text)), s->take[k].text);
  puts("grade");
  for (int i = 0; i < s->nruns; i++) {
    const sweep_row *r = &s->row[i];
    if (!r->done) continue;
    for (int k = 0; k < s->nvary; k++) printf("%14.6g ", s->parameter[i * s->nvary + k]);
    for (int k = 0; k < s->ntake; k++)
      printf("%*.6g ", (int)fmax(14, (double)strlen(s->take[k].text)), s->value[i * s->ntake + k]);
    puts(r->status == HK_OK && hk_grade_name(r->grade) ? hk_grade_name(r->grade) : r->message);
  }
}

/* the table as CSV: parameters, what was taken, status, grade */
static hk_status write_csv(const sweep *s, hk_ctx *ctx, const char *file) {
  const size_t columns = (size_t)(s->nvary + s->ntake),
               cap = ((size_t)s->nruns + 2) * (26 * columns + 32);
  size_t names = 64, n = 0;
  for (int k = 0; k < s->nvary; k++) names += strlen(s->vary[k].name) + 1;
  for (int k = 0; k < s->ntake; k++) names += strlen(s->take[k].text) + 1;
  char *text = malloc(cap + names);
  if (!text) return HK_E_MEMORY;
  for (int k = 0; k < s->nvary; k++) n += (size_t)sprintf(text + n, "%s,", s->vary[k].name);
  for (int k = 0; k < s->ntake; k++) n += (size_t)sprintf(text + n, "%s,", s->take[k].text);
  n += (size_t)sprintf(text + n, "status,grade\n");
  for (int i = 0; i < s->nruns; i++) {
    const sweep_row *r = &s->row[i];
    for (int k = 0; k < s->nvary; k++)
      n += (size_t)sprintf(text + n, "%.17g,", s->parameter[i * s->nvary + k]);
    for (int k = 0; k < s->ntake; k++)
      n += (size_t)sprintf(text + n, "%.17g,", r->done ? s->value[i * s->ntake + k] : NAN);
    const char *grade = r->done ? hk_grade_name(r->grade) : NULL;
    n += (size_t)sprintf(text + n, "%s,%s\n", status_of(r), grade ? grade : "");
  }
  hk_status st = hk_file_write(ctx, file, text, n);
  free(text);
  return st;
}

/* --- the verb --------------------------------------------------------------------------------- */

static bool read_options(sweep *s, cli_lists *lists) {
  const cli_args *a = s->args;
  const char *file = cli_value(a, CLI_SWEEP_TABLE);
  s->sim = hk_sim_options_def();
  s->sim.formulation = cli_value(a, CLI_FORMULATION);
  s->sim.integrator = cli_value(a, CLI_INTEGRATOR);
  if (!cli_file("model", s->model) || !cli_positive(a, CLI_STEP, &s->sim.step) ||
      !cli_positive(a, CLI_TIME, &s->sim.time))
    return false;
  if (file && (!cli_file("table", file) || !cli_file_of("table", file, ".csv", NULL))) return false;
  if (!cli_lists_read(a, lists) || !sweep_plan(s) || !sweep_plot_read(s)) return false;
  s->sim.options = lists->options, s->sim.noptions = lists->noptions;
  s->sets = lists->sets, s->nsets = lists->nsets;
  return true;
}

/* The model with the parameters of the first run, and its simulation: what is wrong with the file, a
 * parameter, a channel or a method is said once, with its place. */
static int try_first(const sweep *s, hk_ctx *ctx, const cli_messages *messages) {
  hk_model *m = NULL;
  hk_sim *sim = NULL;
  char number[40];
  hk_set *sets = calloc((size_t)(s->nsets + s->nvary) + 1, sizeof *sets);
  char *texts = calloc((size_t)s->nvary + 1, sizeof number);
  hk_status st = sets && texts ? HK_OK : HK_E_MEMORY;
  for (int k = 0; st == HK_OK && k < s->nsets; k++) sets[k] = s->sets[k];
  for (int k = 0; st == HK_OK && k < s->nvary; k++) {
    char *text = texts + (size_t)k * sizeof number;
    snprintf(text, sizeof number, "%.17g", s->parameter[k]);
    sets[s->nsets + k] = (hk_set){s->vary[k].name, text};
  }
  if (st == HK_OK) st = hk_model_load(ctx, s->model, sets, s->nsets + s->nvary, &m);
  const bool loaded = st == HK_OK;
  if (loaded) st = hk_sim_create(m, &s->sim, &sim);
  for (int k = 0; st == HK_OK && k < s->ntake; k++)
    if (hk_sim_channel_handle(sim, s->take[k].channel) < 0) st = HK_E_USAGE;
  const int code = cli_method_code(messages, st, loaded);
  hk_sim_destroy(sim);
  hk_model_release(m);
  free(sets);
  free(texts);
  return code;
}

static int run(sweep *s, hk_ctx *ctx, cli_messages *messages) {
  const char *file = cli_value(s->args, CLI_SWEEP_TABLE);
  int good = 0, ran = 0, code = try_first(s, ctx, messages);
  // a start that cannot be assembled may be possible with other parameters
  if (code != CLI_DONE && code != CLI_ASSEMBLY && code != CLI_FAILED) {
    if (cli_has(s->args, CLI_JSON)) print_refused(s, ctx);
    return code;
  }
  s->stop = cli_catch_interrupts();
  cli_progress_begin(&s->progress, NULL, !cli_has(s->args, CLI_NO_PROGRESS) && !messages->quiet);
  sweep_run(s);
  cli_progress_end(&s->progress);
  for (int i = 0; i < s->nruns; i++)
    good += s->row[i].done && s->row[i].status == HK_OK, ran += s->row[i].done;
  hk_status st = file ? write_csv(s, ctx, file) : HK_OK;
  if (st == HK_OK && good) st = sweep_plot(s, ctx);
  if (cli_has(s->args, CLI_JSON))
    print_json(s);
  else if (!messages->quiet)
    print_text(s);
  if (*s->stop) {
    cli_note("interrupted after %d of %d runs", ran, s->nruns);
    return CLI_INTERRUPTED;
  }
  if (st != HK_OK) return cli_exit_code(st);
  if (good < s->nruns && !messages->quiet)
    cli_warning(NULL, "%d of %d runs failed", s->nruns - good, s->nruns);
  return good ? CLI_DONE : CLI_FAILED;
}

int cli_sweep(const cli_args *args) {
  sweep s = {.args = args, .model = args->positional[0]};
  cli_lists lists = {0};
  cli_messages messages = {.quiet = cli_has(args, CLI_QUIET)};
  int code = CLI_USAGE;
  if (read_options(&s, &lists)) {
    hk_ctx *ctx = hk_ctx_create();
    code = ctx ? CLI_DONE : cli_no_memory();
    if (ctx) hk_ctx_on_message(ctx, cli_on_message, &messages);
    if (code == CLI_DONE) code = cli_modules(args, ctx);
    if (code == CLI_DONE) code = run(&s, ctx, &messages);
    hk_ctx_destroy(ctx);
  }
  sweep_free(&s);
  cli_lists_free(&lists);
  return code;
}
