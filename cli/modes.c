/* SPDX-License-Identifier: Apache-2.0
 *
 * modes.c: `hooke modes MODEL`: eigenvalues and shapes of small motions about a state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "modes.h"
#include "ways.h"

typedef struct modes_job {
  const cli_args *args;
  cli_args own; /* args with the model's section */
  bool merged;  /* they are read */
  const char *model, *at;
  double time;      /* of --at TIME; NAN: another state */
  int number;       /* modes to show; 0: all */
  double low, high; /* frequencies of the modes to show, Hz */
  hk_sim_options sim;
  cli_lists lists;
  int noutputs, ninputs;
  const char **outputs, **inputs;
  cli_messages messages;
  cli_ways ways;      /* --period, --multiblade, --frame */
  sweep plan;         /* with --vary: parameters of all states */
  int row;            /* the present one */
  const hk_set *sets; /* nsets: parameters of the present state */
  int nsets;
} modes_job;

/* --- the options ------------------------------------------------------------------------------ */

/* --at: a word, or a time */
static bool read_at(modes_job *job) {
  static const char *const words[] = {"start", "equilibrium", "steady"};
  const char *text = cli_value(job->args, CLI_AT);
  char *end;
  job->at = text ? text : words[0];
  job->time = NAN;
  for (int i = 0; i < 3; i++)
    if (strcmp(job->at, words[i]) == 0) {
      job->sim.equilibrium = i;
      return true;
    }
  job->time = strtod(job->at, &end);
  if (strspn(job->at, "0123456789.eE+-") == strlen(job->at) && !*end && end != job->at &&
      job->time >= 0.0 && isfinite(job->time))
    return true;
  cli_error(NULL, "--at must be start, equilibrium, steady or a time in seconds, but it is '%s'",
            job->at);
  return false;
}

static bool read_number(modes_job *job) {
  const char *text = cli_value(job->args, CLI_NUMBER);
  char *end;
  if (!text) return true;
  const long n = strtol(text, &end, 10);
  job->number = n > 0 && n < 1000000 && !*end ? (int)n : 0;
  if (job->number == 0) cli_error(NULL, "--number must be a count, but it is '%s'", text);
  return job->number > 0;
}

/* --between: LOW:HIGH */
static bool read_between(modes_job *job) {
  const char *text = cli_value(job->args, CLI_BETWEEN);
  char *end;
  job->low = 0.0, job->high = INFINITY;
  if (!text) return true;
  job->low = strtod(text, &end);
  if (end != text && *end == ':' && end[1]) job->high = strtod(end + 1, &end);
  if (end != text && !*end && job->low >= 0.0 && job->high > job->low) return true;
  cli_error("write --between 0.5:20", "--between must be two frequencies in Hz, but it is '%s'",
            text);
  return false;
}

/* the values of a repeatable option; NULL after a message */
static const char **read_names(const cli_args *a, cli_id id, int *n) {
  const char **list = calloc((size_t)a->ngiven + 1, sizeof *list);
  *n = 0;
  for (int i = 0; list && i < a->ngiven; i++)
    if (a->given[i].id == id) list[(*n)++] = a->given[i].value;
  if (!list) cli_no_memory();
  return list;
}

static void free_lists(modes_job *job) {
  cli_lists_free(&job->lists);
  free(job->outputs);
  free(job->inputs);
  job->lists = (cli_lists){0};
  job->outputs = job->inputs = NULL;
}

/* --set, --option, --channel, --input */
static bool read_lists(modes_job *job) {
  const cli_args *a = job->args;
  free_lists(job);
  job->outputs = read_names(a, CLI_OUTPUT_CHANNEL, &job->noutputs);
  job->inputs = read_names(a, CLI_INPUT, &job->ninputs);
  if (!job->outputs || !job->inputs || !cli_lists_read(a, &job->lists)) return false;
  job->sim.options = job->lists.options;
  job->sim.noptions = job->lists.noptions;
  return true;
}

static bool read_options(modes_job *job) {
  job->sim = hk_sim_options_def();
  job->sim.formulation = cli_value(job->args, CLI_FORMULATION);
  if (!cli_file("model", job->model) || !read_at(job) || !read_number(job) || !read_between(job))
    return false;
  if (!modes_files_read(job->args)) return false;
  const char *output = cli_value(job->args, CLI_OUTPUT), *report = cli_value(job->args, CLI_REPORT);
  if (output && !cli_file("result file", output)) return false;
  if (report && (!cli_file("report", report) || !cli_file_of("report", report, ".html", ".htm")))
    return false;
  cli_ways_free(&job->ways);
  if (!cli_ways_read(job->args, &job->ways)) return false;
  job->ways.number = job->number, job->ways.low = job->low, job->ways.high = job->high;
  // no step is taken but on the way to a time
  if (isnan(job->time)) {
    job->sim.time = 1e-3;
  } else if (job->time > 0.0) {
    job->sim.time = job->time;
  }
  return read_lists(job);
}

/* --- the output ------------------------------------------------------------------------------- */

static hk_mode mode_at(const hk_statespace *x, int32_t i) {
  hk_mode m = {.size = sizeof m};
  (void)hk_statespace_mode(x, i, &m);
  return m;
}

/* the modes to show: of these frequencies, and so many */
typedef struct range {
  int32_t first, end;
} range;

static range choose(const modes_job *job, const hk_statespace *x, int32_t n) {
  range r = {0, n};
  while (r.first < n && mode_at(x, r.first).frequency_Hz < job->low) r.first++;
  while (r.end > r.first && mode_at(x, r.end - 1).frequency_Hz > job->high) r.end--;
  if (job->ways.near > 0.0)
    cli_ways_near(&job->ways, x, &r.first, &r.end);
  else if (job->number > 0 && r.end - r.first > job->number)
    r.end = r.first + job->number;
  return r;
}

static void print_json(const modes_job *job, const char *formulation, const hk_statespace *x,
                       range r, hk_status status, const char *message) {
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->model);
  fputs(", \"formulation\": ", stdout);
  cli_json_string(stdout, formulation);
  for (int k = 0; k < job->plan.nvary; k++) {
    fputs(k ? ", " : ", \"parameters\": {", stdout);
    cli_json_string(stdout, job->plan.vary[k].name);
    fputs(": ", stdout);
    cli_json_number(stdout, job->plan.parameter[job->row * job->plan.nvary + k]);
    if (k == job->plan.nvary - 1) putchar('}');
  }
  fputs(", \"at\": ", stdout);
  cli_json_string(stdout, job->at);
  if (x) {
    printf(", \"dof\": %d, \"states\": %d, \"acceleration\": ", (int)hk_statespace_velocities(x),
           (int)hk_statespace_states(x));
    cli_json_number(stdout, hk_statespace_acceleration(x, NULL));
  } else {
    fputs(", \"dof\": null, \"states\": null, \"acceleration\": null", stdout);
  }
  fputs(", \"modes\": [", stdout);
  for (int32_t i = r.first; i < r.end; i++) {
    const hk_mode m = mode_at(x, i);
    const struct {
      const char *key;
      double value;
    } numbers[] = {{"{\"real\": ", m.real},
                   {", \"imag\": ", m.imag},
                   {", \"frequency_Hz\": ", m.frequency_Hz},
                   {", \"damping_ratio\": ", m.damping},
                   {", \"share\": ", m.share}};
    if (i > r.first) fputs(", ", stdout);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      fputs(numbers[k].key, stdout);
      cli_json_number(stdout, numbers[k].value);
    }
    fputs(", \"name\": ", stdout);
    cli_json_string(stdout, m.name);
    fputs(", \"body\": ", stdout);
    cli_json_string(stdout, m.body);
    fputs("}", stdout);
  }
  putchar(']');
  if (x) cli_ways_json(x, r.end);
  cli_json_status(stdout, status, message);
}

/* a ratio as five digits show it: no minus before a zero */
static double shown(double x) { return fabs(x) < 5e-6 ? 0.0 : x; }

/* how one mode behaves, in a word */
static const char *kind_of(const hk_mode *m) {
  if (m->real == 0.0 && m->imag == 0.0) return "unrestrained";
  if (m->real > 1e-9 * hypot(m->real, m->imag)) return m->imag > 0.0 ? "flutters" : "diverges";
  return m->imag > 0.0 ? "" : "decays";
}

static void print_table(const modes_job *job, const hk_model *model, const char *formulation,
                        const hk_statespace *x, range r) {
  cli_title(model, job->model);
  printf("  at %s%s, %s: %d degrees of freedom, %d states\n\n", job->at,
         isnan(job->time) ? "" : " s", formulation, (int)hk_statespace_velocities(x),
         (int)hk_statespace_states(x));
  printf("  %4s %14s %10s %14s %14s  %s\n", "mode", "frequency Hz", "damping", "real 1/s",
         "imag 1/s", "moves most");
  for (int32_t i = r.first; i < r.end; i++) {
    const hk_mode m = mode_at(x, i);
    char damping[32] = "-", body[CLI_SHOWN], name[CLI_SHOWN];
    if (isfinite(m.damping)) snprintf(damping, sizeof damping, "%.5f", shown(m.damping));
    cli_plain(m.name, name, sizeof name);
    printf("  %4d %14.6g %10s %14.6g %14.6g  %s", (int)i + 1, m.frequency_Hz, damping, m.real,
           m.imag, name);
    if (*m.body) printf(", %s %.0f %%", cli_plain(m.body, body, sizeof body), 100.0 * m.share);
    const char *kind = kind_of(&m);
    printf("%s%s\n", *kind ? ", " : "", kind);
  }
  cli_ways_print(x, r.end);
}

/* a locus: one line a mode, parameters first */
static void print_rows(const modes_job *job, const hk_statespace *x, range r) {
  const sweep *p = &job->plan;
  if (job->row == 0) {
    for (int k = 0; k < p->nvary; k++) printf("%14s ", p->vary[k].name);
    printf("%4s %14s %10s %14s %14s\n", "mode", "frequency Hz", "damping", "real 1/s", "imag 1/s");
  }
  for (int32_t i = r.first; i < r.end; i++) {
    const hk_mode m = mode_at(x, i);
    for (int k = 0; k < p->nvary; k++) printf("%14.6g ", p->parameter[job->row * p->nvary + k]);
    printf("%4d %14.6g %10.5f %14.6g %14.6g\n", (int)i + 1, m.frequency_Hz, shown(m.damping),
           m.real, m.imag);
  }
}

/* --- files ------------------------------------------------------------------------------------ */

/* shapes as an animation */
static hk_status write_shapes(const modes_job *job, hk_sim *sim, const hk_statespace *x) {
  const char *output = cli_value(job->args, CLI_OUTPUT), *report = cli_value(job->args, CLI_REPORT);
  return output || report ? hk_statespace_record(x, sim, job->number, output, report) : HK_OK;
}

/* --- the verb --------------------------------------------------------------------------------- */

/* what is doubtful about the state */
static void warn(const modes_job *job, const hk_statespace *x) {
  const char *name;
  const double a = hk_statespace_acceleration(x, &name);
  if (job->messages.quiet) return;
  if (a > 1e-5)
    cli_warning(
        "try --at equilibrium or --at steady",
        "this is no equilibrium and no steady motion: %s changes by %.3g per second. The modes "
        "are those of equations that change with the motion",
        name, a);
  cli_ways_warn(x);
  const double rough = hk_statespace_roughness(x, &name);
  if (rough > 0.02)
    cli_warning(
        NULL,
        "the forces are not smooth here: their slopes to both sides of %s differ by %.2g %%. "
        "Small motions are not linear",
        name, 100.0 * rough);
}

/* the modes to show; none of them is an error */
static hk_status find_range(const modes_job *job, const hk_statespace *x, int32_t n, range *r,
                            char *why, size_t cap) {
  *r = choose(job, x, n);
  if (r->end > r->first) return HK_OK;
  const bool none = n == 0 && !isfinite(job->high);
  if (none)
    snprintf(why, cap, "nothing can move here and nothing stores: there are no modes");
  else
    snprintf(why, cap, "no mode has a frequency between %g and %g Hz", job->low, job->high);
  cli_error(!none ? "choose others with --between" : "look at the model with 'hooke check'", "%s",
            why);
  return none ? HK_E_MODEL : HK_E_NUMBER;
}

static hk_status find(modes_job *job, hk_ctx *ctx, hk_model *model) {
  hk_sim *sim = NULL;
  hk_statespace *x = NULL;
  hk_summary summary = {.formulation = job->sim.formulation};
  hk_statespace_options opt = hk_statespace_options_def();
  int32_t n = 0;
  range r = {0};
  char why[160] = "";
  opt.outputs = job->outputs, opt.noutputs = job->noutputs;
  opt.inputs = job->inputs, opt.ninputs = job->ninputs;
  hk_status st = hk_sim_create(model, &job->sim, &sim);
  if (st == HK_OK && job->time > 0.0) st = hk_sim_step_to(sim, job->time);
  if (sim) hk_sim_summary(sim, &summary);
  if (st < 0 && job->messages.errors == 0)
    cli_error(hk_status_hint(st), "%s",
              sim && *summary.message ? summary.message : hk_status_text(st));
  if (st == HK_OK && !cli_ways_apply(&job->ways, sim, &opt)) st = HK_E_USAGE;
  if (st == HK_OK) st = hk_statespace_create(sim, &opt, &x);
  if (st == HK_OK) st = hk_statespace_find_modes(x, &n);
  if (st == HK_OK) st = find_range(job, x, n, &r, why, sizeof why);
  if (st == HK_OK) st = modes_files_write(job->args, ctx, x, n, job->low, job->high);
  if (st == HK_OK) st = write_shapes(job, sim, x);
  if (st == HK_OK) warn(job, x);
  if (st == HK_OK && job->sim.equilibrium == 1 && !job->messages.quiet)
    cli_ways_warn_of_motion(sim);
  if (st == HK_INTERRUPTED) cli_note("interrupted");
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, summary.formulation, x, r, st,
               *why                  ? why
               : message && *message ? message
                                     : summary.message);
  else if (st == HK_OK && !job->messages.quiet && job->plan.nvary)
    print_rows(job, x, r);
  else if (st == HK_OK && !job->messages.quiet)
    print_table(job, model, summary.formulation, x, r);
  free(message);
  hk_statespace_destroy(x);
  hk_sim_destroy(sim);
  return st;
}

static bool read_plan(modes_job *job) {
  job->plan.args = job->args;
  if (!cli_has(job->args, CLI_VARY)) return true;
  if (cli_has(job->args, CLI_MATRICES) || cli_has(job->args, CLI_OUTPUT) ||
      cli_has(job->args, CLI_REPORT) || cli_has(job->args, CLI_BODE) ||
      cli_has(job->args, CLI_STEP_RESPONSE)) {
    cli_error("leave out --vary, or the file", "files are of one state, and --vary makes many");
    return false;
  }
  return sweep_plan(&job->plan);
}

/* the options again, with the model's section */
static bool merge(modes_job *job, const hk_model *model) {
  if (job->merged) return true;
  const bool planned = job->plan.nvary > 0;
  job->merged = true;
  if (!cli_settings(job->args, model, &job->own)) return false;
  job->args = &job->own;
  return read_options(job) && (planned || read_plan(job));
}

static int load_and_find(void *user, hk_ctx *ctx) {
  modes_job *job = user;
  hk_model *model = NULL;
  const bool many = job->plan.nvary > 0;
  hk_status st = hk_model_load(ctx, job->model, job->sets, job->nsets, &model);
  const bool loaded = st == HK_OK;
  if (loaded && !merge(job, model)) st = HK_E_USAGE;
  if (loaded && st == HK_OK && job->plan.nvary && !many)
    ; // the model says what varies: find_loci comes next
  else if (loaded && st == HK_OK)
    st = find(job, ctx, model);
  else if (cli_has(job->args, CLI_JSON)) {
    char *message = cli_first_error(ctx);
    print_json(job, job->sim.formulation, NULL, (range){0}, st, message);
    free(message);
  }
  hk_model_release(model);
  return cli_method_code(&job->messages, st, loaded);
}

/* one state: in a context of its own */
static int find_in(modes_job *job, const hk_set *sets, int nsets) {
  job->sets = sets, job->nsets = nsets;
  return cli_in_context(job->args, &job->messages, load_and_find, job);
}

/* --vary: the same for all parameters, up to the first that fails */
static int find_loci(modes_job *job) {
  const sweep *p = &job->plan;
  const int n = job->lists.nsets;
  char text[40];
  hk_set *sets = calloc((size_t)(n + p->nvary) + 1, sizeof *sets);
  char *texts = calloc((size_t)p->nvary + 1, sizeof text);
  int code = sets && texts ? CLI_DONE : cli_no_memory();
  const bool json = cli_has(job->args, CLI_JSON);
  if (json) putchar('[');
  for (job->row = 0; code == CLI_DONE && job->row < p->nruns; job->row++) {
    for (int i = 0; i < n; i++) sets[i] = job->lists.sets[i];
    for (int k = 0; k < p->nvary; k++) {
      char *at = texts + (size_t)k * sizeof text;
      snprintf(at, sizeof text, "%.17g", p->parameter[job->row * p->nvary + k]);
      sets[n + k] = (hk_set){p->vary[k].name, at};
    }
    if (json && job->row) putchar(',');
    code = find_in(job, sets, n + p->nvary);
  }
  if (json) puts("]");
  free(sets);
  free(texts);
  return code;
}

int cli_modes(const cli_args *args) {
  modes_job job = {.args = args, .model = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job) && read_plan(&job)) {
    const bool many = job.plan.nvary > 0;
    code = CLI_DONE;
    if (!many) code = find_in(&job, job.lists.sets, job.lists.nsets);
    if (code == CLI_DONE && job.plan.nvary) code = find_loci(&job);
  }
  sweep_free(&job.plan);
  cli_ways_free(&job.ways);
  free_lists(&job);
  cli_settings_free(&job.own);
  return code;
}
