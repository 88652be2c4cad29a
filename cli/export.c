/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c: `hooke export fmu MODEL`: a model for other simulators; `hooke export c MODEL`: a model as a program in C.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

typedef struct export_job {
  const cli_args *args;
  const char *model;
  char *output;       /* own memory */
  const char **names; /* own memory: inputs, channels, parameters */
  const char *const *keep;
  int32_t nkeep;
  hk_sim_options sim;
  bool code;   /* a program in C, no FMU */
  bool device; /* kernels for graphics processors */
  int warps;   /* that share steps there */
  hk_fmu_options opt;
  hk_fmu_report report;
  hk_code_report program;
  cli_lists lists;
  cli_messages messages;
} export_job;

/* --- the options ------------------------------------------------------------------------------ */

/* the model's name with another ending, in a folder ("": the present one); NULL: no memory */
static char *output_in(const char *folder, const char *model, const char *ending) {
  const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
  const char *dot = strrchr(name, '.');
  const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name), m = strlen(folder);
  char *out = malloc(m + n + 6);
  if (!out) return NULL;
  memcpy(out, folder, m + 1);
  if (m && folder[m - 1] != '/') strcat(out, "/");
  strncat(out, name, n);
  return strcat(out, ending);
}

/* a name that is one of a folder: it ends so, or the folder is there */
static bool is_folder(const char *name) {
  const size_t n = strlen(name);
  struct stat s;
  return (n && name[n - 1] == '/') || (stat(name, &s) == 0 && S_ISDIR(s.st_mode));
}

/* it is there, or has been made; false after a message */
static bool make_folder(const char *name) {
  struct stat s;
  if (mkdir(name, 0777) == 0 || (stat(name, &s) == 0 && S_ISDIR(s.st_mode))) return true;
  cli_error(NULL, "the folder '%s' cannot be made: %s", name, strerror(errno));
  return false;
}

/* one word of a few; false after a message */
static bool choose(const cli_args *a, cli_id id, const char *first, const char *second, int *out) {
  const char *text = cli_value(a, id);
  if (!text) return true;
  *out = !strcmp(text, first) ? 1 : !strcmp(text, second) ? 2 : 0;
  if (!*out)
    cli_error(NULL, "--%s must be %s or %s, but it is '%s'", cli_option_find(id)->name, first,
              second, text);
  return *out != 0;
}

/* all values of a repeatable option, from `at` on in job->names */
static const char *const *collect(export_job *job, cli_id id, int32_t *n, int *at) {
  const char **first = job->names + *at;
  for (int i = 0; i < job->args->ngiven; i++)
    if (job->args->given[i].id == id) job->names[(*at)++] = job->args->given[i].value, (*n)++;
  return *n ? first : NULL;
}

static bool read_variables(export_job *job) {
  int at = 0;
  job->names = calloc((size_t)job->args->ngiven + 1, sizeof *job->names);
  if (!job->names) return cli_no_memory() == CLI_DONE;
  job->opt.inputs = collect(job, CLI_FMU_INPUT, &job->opt.ninputs, &at);
  job->opt.outputs = collect(job, CLI_FMU_CHANNEL, &job->opt.noutputs, &at);
  job->opt.parameters = collect(job, CLI_FMU_PARAMETER, &job->opt.nparameters, &at);
  job->keep = collect(job, CLI_KEEP, &job->nkeep, &at);
  return true;
}

/* options that say something about FMUs alone; false after a message */
static bool no_fmu_options(const cli_args *a) {
  static const cli_id ids[] = {CLI_FMI,        CLI_FMU_KIND,  CLI_FMU_PARAMETER,
                               CLI_NO_SOURCES, CLI_NO_BINARY, CLI_TIME};
  for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
    if (!cli_has(a, ids[i]) || (ids[i] == CLI_TIME && cli_has(a, CLI_MAIN))) continue;
    cli_error(ids[i] == CLI_TIME ? "--main writes a program that goes to an end" : NULL,
              "--%s belongs to FMUs: a program in C has none", cli_option_find(ids[i])->name);
    return false;
  }
  return true;
}

/* is it for graphics processors? false after a message */
static bool read_device(export_job *job) {
  const size_t n = strlen(job->output);
  job->device = job->code && n > 3 && strcmp(job->output + n - 3, ".cu") == 0;
  const bool single = cli_has(job->args, CLI_SINGLE);
  if (!job->device && (single || cli_has(job->args, CLI_WARPS))) {
    cli_error(NULL, "--%s belongs to kernels for graphics processors: -o FILE.cu",
              single ? "single" : "warps");
    return false;
  }
  double warps = 1.0;
  if (!cli_number(job->args, CLI_WARPS, &warps)) return false;
  job->warps = warps >= 1.0 && warps <= 8.0 ? (int)warps : 0;
  if (job->warps && warps == (double)job->warps) return true;
  cli_error(NULL, "--warps: expected a whole number from 1 to 8, found '%s'",
            cli_value(job->args, CLI_WARPS));
  return false;
}

static bool read_options(export_job *job) {
  const cli_args *a = job->args;
  const char *output = cli_value(a, CLI_FMU_FILE);
  int version = 1, only = 0;
  job->opt = hk_fmu_options_def();
  job->sim = hk_sim_options_def();
  job->report.size = sizeof job->report;
  job->program.size = sizeof job->program;
  job->code = strcmp(a->positional[0], "c") == 0;
  if (!job->code && strcmp(a->positional[0], "fmu") != 0) {
    cli_error("hooke export fmu MODEL, hooke export c MODEL",
              "a model is exported as 'fmu' or 'c', not as '%s'", a->positional[0]);
    return false;
  }
  if (job->code && !no_fmu_options(a)) return false;
  if (!job->code && cli_has(a, CLI_KEEP)) {
    cli_error("--parameter NAME", "--keep belongs to programs in C: an FMU keeps its parameters");
    return false;
  }
  if (!job->code && cli_has(a, CLI_MAIN)) {
    cli_error("hooke export c MODEL", "--main belongs to programs in C");
    return false;
  }
  if (!cli_file("model", job->model) || !choose(a, CLI_FMI, "2", "3", &version) ||
      !choose(a, CLI_FMU_KIND, "cs", "me", &only) || !cli_positive(a, CLI_STEP, &job->sim.step) ||
      !cli_positive(a, CLI_TIME, &job->sim.time) ||
      !cli_positive(a, CLI_TOLERANCE, &job->sim.tolerance) || !cli_lists_read(a, &job->lists) ||
      !read_variables(job))
    return false;
  job->opt.version = version + 1, job->opt.only = only;
  job->sim.formulation = cli_value(a, CLI_FORMULATION);
  job->sim.integrator = cli_value(a, CLI_INTEGRATOR);
  job->sim.options = job->lists.options, job->sim.noptions = job->lists.noptions;
  job->opt.sim = &job->sim;
  job->opt.sets = job->lists.sets, job->opt.nsets = job->lists.nsets;
  job->opt.no_sources = cli_has(a, CLI_NO_SOURCES), job->opt.no_binary = cli_has(a, CLI_NO_BINARY);
  job->opt.name = cli_value(a, CLI_FMU_NAME);
  const char *what = job->code ? "program" : "FMU", *ending = job->code ? ".c" : ".fmu";
  const bool folder = output && is_folder(output);
  if (folder && !make_folder(output)) return false;
  job->output =
      output && !folder ? strdup(output) : output_in(folder ? output : "", job->model, ending);
  if (!job->output) return cli_no_memory() == CLI_DONE;
  return cli_file(what, job->output) &&
         cli_file_of(what, job->output, ending, job->code ? ".cu" : NULL) && read_device(job);
}

/* --- the output ------------------------------------------------------------------------------- */

/* notes are what the FMU has lost */
static void print_lost(hk_ctx *ctx) {
  bool any = false;
  fputs(", \"kept\": [], \"translated\": [], \"approximated\": [], \"ignored\": [], \"lost\": [",
        stdout);
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++) {
    const hk_message *m = hk_ctx_message(ctx, i);
    if (m->severity != HK_NOTE) continue;
    fputs(any ? ", {\"file\": " : "{\"file\": ", stdout);
    cli_json_string(stdout, m->file);
    printf(", \"line\": %d, \"column\": %d, \"text\": ", (int)m->line, (int)m->column);
    cli_json_string(stdout, m->text);
    putchar('}');
    any = true;
  }
  fputs("]", stdout);
}

static void print_code_json(const export_job *job, hk_ctx *ctx, hk_status st, const char *message) {
  const hk_code_report *r = &job->program;
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  printf(
      ", \"inputs\": %d, \"outputs\": %d, \"parameters\": %d, \"states\": %d, \"operations\": %d",
      (int)r->inputs, (int)r->outputs, (int)r->parameters, (int)r->states, (int)r->operations);
  printf(", \"branches\": %d, \"bytes\": %lld", (int)r->branches, (long long)r->bytes);
  print_lost(ctx);
  fputs(", \"output\": ", stdout);
  cli_json_string(stdout, st == HK_OK ? job->output : NULL);
  cli_json_status(stdout, st, message);
}

static void print_code(const export_job *job) {
  const hk_code_report *r = &job->program;
  printf("%s\n  %d inputs, %d outputs, %d parameters, %d numbers of the state\n", job->model,
         (int)r->inputs, (int)r->outputs, (int)r->parameters, (int)r->states);
  printf("  %d operations in a step with one iteration\n", (int)r->operations);
  printf("  program        %s, %.1f kB%s\n", job->output, 1e-3 * (double)r->bytes,
         job->device                    ? ""
         : cli_has(job->args, CLI_MAIN) ? ", its header and main.c"
                                        : ", and its header");
}

static void print_json(const export_job *job, hk_ctx *ctx, hk_status st, const char *message) {
  const hk_fmu_report *r = &job->report;
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  printf(", \"fmi\": %d, \"co_simulation\": %s, \"model_exchange\": %s", (int)job->opt.version,
         r->co_simulation ? "true" : "false", r->exchange ? "true" : "false");
  printf(", \"inputs\": %d, \"outputs\": %d, \"parameters\": %d, \"states\": %d, \"bytes\": %lld",
         (int)r->inputs, (int)r->outputs, (int)r->parameters, (int)r->states, (long long)r->bytes);
  print_lost(ctx);
  fputs(", \"output\": ", stdout);
  cli_json_string(stdout, st == HK_OK ? job->output : NULL);
  cli_json_status(stdout, st, message);
}

static void print_text(const export_job *job) {
  const hk_fmu_report *r = &job->report;
  printf("%s\n  FMI %d.0%s%s\n", job->model, (int)job->opt.version,
         r->co_simulation ? ", co-simulation" : "", r->exchange ? ", model exchange" : "");
  printf("  %d inputs, %d outputs, %d parameters", (int)r->inputs, (int)r->outputs,
         (int)r->parameters);
  if (r->exchange) printf(", %d states", (int)r->states);
  printf("\n  FMU            %s, %.1f MB\n", job->output, 1e-6 * (double)r->bytes);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int export(void *user, hk_ctx *ctx) {
  export_job *job = user;
  hk_code_options code = hk_code_options_def();
  code.sim = job->opt.sim, code.sets = job->opt.sets, code.nsets = job->opt.nsets;
  code.inputs = job->opt.inputs, code.ninputs = job->opt.ninputs;
  code.keep = job->keep, code.nkeep = job->nkeep;
  code.outputs = job->opt.outputs, code.noutputs = job->opt.noutputs, code.name = job->opt.name;
  code.single = cli_has(job->args, CLI_SINGLE), code.warps = job->warps;
  code.no_packs = cli_has(job->args, CLI_NO_PACKS), code.main = cli_has(job->args, CLI_MAIN);
  hk_status st = job->code ? hk_code_export(ctx, job->model, job->output, &code, &job->program)
                           : hk_fmu_export(ctx, job->model, job->output, &job->opt, &job->report);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    (job->code ? print_code_json : print_json)(job, ctx, st, message);
  else if (st == HK_OK && !job->messages.quiet)
    (job->code ? print_code : print_text)(job);
  free(message);
  return cli_method_code(&job->messages, st, st != HK_E_USAGE);
}

int cli_export(const cli_args *args) {
  export_job job = {.args = args, .model = args->positional[1]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job)) code = cli_in_context(args, &job.messages, export, &job);
  cli_lists_free(&job.lists);
  free(job.output);
  free(job.names);
  return code;
}
