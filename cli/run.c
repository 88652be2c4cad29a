/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: `hooke run MODEL`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

typedef struct run_job {
  const cli_args *args;
  const char *model;
  bool json;
  bool prescribed; /* every freedom is prescribed: no energies, no grade */
  hk_sim_options sim;
  hk_run_options run;
  hk_realtime_options *timed; /* NULL: as fast as it goes */
  cli_pair *sets, *options;
  int nsets, noptions;
  cli_messages messages;
  cli_progress progress;
} run_job;

/* --- the options ------------------------------------------------------------------------------ */

/* the file names: none may be '-', and no two the same */
static bool read_files(run_job *job) {
  static const struct {
    cli_id id;
    const char *what;
  } files[] = {{CLI_OUTPUT, "result file"},
               {CLI_REPORT, "report"},
               {CLI_CHECKPOINT, "checkpoint"},
               {CLI_KEEP_INPUTS, "file of inputs"},
               {CLI_REPLAY, "file of inputs to replay"},
               {CLI_LIVE, "file to follow"},
               {CLI_RESUME, "checkpoint to resume from"}};
  if (!cli_file("model", job->model)) return false;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    const char *name = cli_value(job->args, files[i].id);
    if (name && !cli_file(files[i].what, name)) return false;
    if (name && files[i].id == CLI_REPORT && !cli_file_of("report", name, ".html", ".htm")) {
      return false;
    }
    if (name && strcmp(name, job->model) == 0) {
      cli_error(NULL, "the %s '%s' is the model itself", files[i].what, name);
      return false;
    }
  }
  job->run.output = cli_value(job->args, CLI_OUTPUT);
  job->run.checkpoint = cli_value(job->args, CLI_CHECKPOINT);
  job->run.resume = cli_value(job->args, CLI_RESUME);
  job->run.report = cli_value(job->args, CLI_REPORT);
  job->run.keep_inputs = cli_value(job->args, CLI_KEEP_INPUTS);
  job->run.replay = cli_value(job->args, CLI_REPLAY);
  job->run.live = cli_value(job->args, CLI_LIVE);
  job->run.connect = job->timed ? !cli_has(job->args, CLI_ALONE) : cli_has(job->args, CLI_CONNECT);
  if (job->run.output && job->run.checkpoint && !strcmp(job->run.output, job->run.checkpoint)) {
    cli_error(NULL, "the results and the checkpoint have the same name '%s'", job->run.output);
    return false;
  }
  if (job->run.output && job->run.report && !strcmp(job->run.output, job->run.report)) {
    cli_error(NULL, "the results and the report have the same name '%s'", job->run.output);
    return false;
  }
  return true;
}

static bool read_substeps(run_job *job) {
  const char *text = cli_value(job->args, CLI_SUBSTEPS);
  if (!text) return true;
  bool on = strcmp(text, "on") == 0;
  if (!on && strcmp(text, "off") != 0) {
    cli_error(NULL, "--substeps must be on or off, but it is '%s'", text);
    return false;
  }
  job->sim.substeps = on;
  return true;
}

/* a number of bytes, or of kB, MB, GB, TB */
static bool read_memory(run_job *job) {
  static const char units[] = "kMGT";
  const char *text = cli_value(job->args, CLI_MEMORY);
  char *end;
  if (!text) return true;
  double x = *text >= '0' && *text <= '9' ? strtod(text, &end) : NAN;
  const char *unit = isnan(x) || !*end ? NULL : strchr(units, *end == 'K' ? 'k' : *end);
  for (long k = unit ? unit - units + 1 : 0; k > 0; k--) x *= 1000.0;
  if (unit) end++;
  if (!isnan(x) && *end == 'B') end++;
  if (!(x > 0.0) || !isfinite(x) || *end) {
    cli_error(NULL, "--memory must be a number of bytes like 4GB or 500MB, but it is '%s'", text);
    return false;
  }
  job->sim.memory = x;
  return true;
}

static bool read_compression(run_job *job) {
  const char *text = cli_value(job->args, CLI_COMPRESS), *out = job->run.output;
  if (!text) return true;
  if (text[0] < '0' || text[0] > '9' || text[1]) {
    cli_error(NULL, "--compress must be a digit from 0 to 9, but it is '%s'", text);
    return false;
  }
  const char *dot = out ? strrchr(out, '.') : NULL;
  if (text[0] != '0' && (!dot || strcasecmp(dot, ".nc") != 0)) {
    cli_error("add --output FILE.nc", "--compress is for results in .nc files");
    return false;
  }
  job->run.compress = text[0] - '0';
  return true;
}

/* --drift-limit is the option drift_limit of the run; the list has room for every option given */
static bool read_limit(run_job *job) {
  double percent;
  const char *text = cli_value(job->args, CLI_DRIFT_LIMIT);
  if (!text) return true;
  if (!cli_positive(job->args, CLI_DRIFT_LIMIT, &percent)) return false;
  char *name = malloc(sizeof "drift_limit");
  if (!name) return false;
  strcpy(name, "drift_limit");
  job->options[job->noptions++] = (cli_pair){name, text};
  return true;
}

static bool read_options(run_job *job) {
  const cli_args *a = job->args;
  job->sim.formulation = cli_value(a, CLI_FORMULATION);
  job->sim.integrator = cli_value(a, CLI_INTEGRATOR);
  if (!read_files(job) || !read_substeps(job) || !read_memory(job) || !read_compression(job))
    return false;
  if (!cli_positive(a, CLI_STEP, &job->sim.step) || !cli_positive(a, CLI_TIME, &job->sim.time) ||
      !cli_positive(a, CLI_TOLERANCE, &job->sim.tolerance) ||
      !cli_positive(a, CLI_OUTPUT_EVERY, &job->run.output_every) ||
      !cli_positive(a, CLI_EVERY, &job->run.checkpoint_every)) {
    return false;
  }
  job->run.compile = cli_has(a, CLI_COMPILE);
  if (!cli_positive(a, CLI_COMPILE_LIMIT, &job->run.compile_limit)) return false;
  if (cli_has(a, CLI_COMPILE_LIMIT) && !job->run.compile) {
    cli_error("add --compile", "--compile-limit is for --compile");
    return false;
  }
  if (cli_has(a, CLI_EVERY) && !job->run.checkpoint) {
    cli_error("add --checkpoint FILE",
              "--every says how often to write a checkpoint, but not where");
    return false;
  }
  if (cli_has(a, CLI_OUTPUT_EVERY) && !job->run.output && !job->run.report) {
    cli_error("add --output FILE", "--output-every says how often to record, but not where");
    return false;
  }
  return cli_pairs(a, CLI_SET, &job->sets, &job->nsets) &&
         cli_pairs(a, CLI_OPTION, &job->options, &job->noptions) && read_limit(job);
}

/* --- the output ------------------------------------------------------------------------------- */

/* the object of a run that could not even start: every key of the contract, no numbers */
static void print_failure(const run_job *job, hk_ctx *ctx, hk_status status) {
  hk_summary s;
  char *message = cli_first_error(ctx);
  hk_sim_summary(NULL, &s);
  s.model = job->model;
  s.formulation = job->sim.formulation, s.integrator = job->sim.integrator;
  s.formulation_why = NULL;
  s.status = status;
  s.message = message && *message ? message : hk_status_text(status);
  const char *json = hk_summary_json(ctx, &s);
  if (json) puts(json);
  if (!json || !message) cli_no_memory();
  free(message);
}

/* a number with its unit, or a dash */
static const char *number(double x, const char *unit, char *buf, size_t cap) {
  if (isnan(x)) {
    snprintf(buf, cap, "-");
  } else {
    snprintf(buf, cap, "%.6g%s%s", x, *unit ? " " : "", unit);
  }
  return buf;
}

static void row(const char *name, const char *text) { printf("  %-14s %s\n", name, text); }

/* who supplied it and who took it, where there are several: the six largest of each */
static void print_sources(hk_sim *sim, int which, const char *title) {
  enum { MOST = 6 };
  int32_t best[MOST], n = 0, count = 0;
  double x[2], size[MOST];
  for (int32_t i = 0; i < hk_sim_source_count(sim); i++) {
    if (!hk_sim_source(sim, i, &x[0], &x[1]) || x[which] == 0.0) continue;
    int32_t at = n < MOST ? n : MOST;
    count++;
    while (at > 0 && fabs(x[which]) > fabs(size[at - 1])) at--;
    if (at == MOST) continue;
    if (n < MOST) n++;
    memmove(best + at + 1, best + at, (size_t)(n - at - 1) * sizeof *best);
    memmove(size + at + 1, size + at, (size_t)(n - at - 1) * sizeof *size);
    best[at] = i, size[at] = x[which];
  }
  if (count < 2) return;
  for (int32_t i = 0; i < n; i++) {
    char name[CLI_SHOWN], value[32];
    cli_plain(hk_sim_source(sim, best[i], NULL, NULL), name, sizeof name);
    printf("  %-14s %s %s\n", i ? "" : title, number(size[i], "J", value, sizeof value), name);
  }
  if (count > n) printf("  %-14s and %d more\n", "", (int)(count - n));
}

static void print_energy(const hk_summary *s, hk_sim *sim) {
  char text[256], a[32], b[32], c[32], d[32];
  snprintf(text, sizeof text, "initial %s, final %s, supplied %s, dissipated %s",
           number(s->initial_J, "J", a, sizeof a), number(s->final_J, "J", b, sizeof b),
           number(s->supplied_J, "J", c, sizeof c), number(s->dissipated_J, "J", d, sizeof d));
  row("energy", text);
  print_sources(sim, 0, "supplied by");
  print_sources(sim, 1, "dissipated by");
  snprintf(text, sizeof text, "largest drift %s, at the end %s",
           number(s->max_drift_J, "J", a, sizeof a), number(s->balance_error_J, "J", b, sizeof b));
  row("energy audit", text);
  snprintf(text, sizeof text, "positions %s, velocities %s, accelerations %s (largest rows)",
           number(s->position_max, "", a, sizeof a), number(s->velocity_max, "", b, sizeof b),
           number(s->acceleration_max, "", c, sizeof c));
  row("constraints", text);
}

/* "good (audit within 0.02 % of the energy that moves)" */
static void print_grade(hk_sim *sim) {
  char text[128];
  const char *name = hk_grade_name(hk_sim_grade(sim));
  const double drift = hk_sim_drift_percent(sim);
  char percent[32];
  snprintf(percent, sizeof percent, drift >= 10.0 && drift < 1e6 ? "%.0f" : "%.2g", drift);
  snprintf(text, sizeof text, "%s (audit within %s %% of the energy that moves)", name ? name : "-",
           percent);
  row("grade", text);
}

/* "p50 12.1, p99 20, p99.99 31, largest 40 us" */
static void print_times(const char *name, const hk_realtime_times *t) {
  char text[160];
  snprintf(text, sizeof text, "half within %.3g us, 99 %% %.3g, 99.99 %% %.3g, longest %.3g",
           t->p50, t->p99, t->p9999, t->max);
  row(name, text);
}

static void print_schedule(hk_sim *sim) {
  hk_realtime_summary r = {.size = sizeof r};
  char text[256];
  if (hk_sim_realtime(sim, &r) != HK_OK) return;
  snprintf(text, sizeof text, "%lld periods, %lld missed, %lld skipped, %lld page faults",
           (long long)r.periods, (long long)r.missed, (long long)r.skipped,
           (long long)r.page_faults);
  row("schedule", text);
  if (r.wake_us.max > 0.0) print_times("wake-up", &r.wake_us);
  print_times("step", &r.step_us);
  if (!r.accepted) return;
  snprintf(text, sizeof text, "%lld steps ended before convergence, largest last correction %.3g",
           (long long)r.accepted, r.left);
  row("iteration", text);
}

static const char *plural(long long n) { return n == 1 ? "" : "s"; }

/* who took the steps, where a program was asked for */
static void print_program(const hk_sim *sim) {
  hk_compile_report r = {.size = sizeof r};
  char text[512];
  if (hk_sim_compiled(sim, &r) != HK_OK || !r.asked) return;
  if (r.used)
    snprintf(text, sizeof text, "%lld step%s by a program %s in %.2g s (%s)", (long long)r.steps,
             plural((long long)r.steps), r.cached ? "from the cache" : "compiled", r.seconds,
             r.compiler);
  else
    snprintf(text, sizeof text, "by the library: %s", r.why);
  row("steps", text);
}

static void print_summary(const run_job *job, const hk_model *model, hk_sim *sim,
                          hk_status status) {
  hk_summary s;
  char text[512], a[32], b[32];
  hk_sim_summary(sim, &s);
  cli_title(model, job->model);
  snprintf(text, sizeof text, "%s, %s, step %s", s.formulation,
           job->prescribed ? "kinematics" : s.integrator, number(s.step_s, "s", a, sizeof a));
  row("method", text);
  snprintf(text, sizeof text, "%s: %s", s.formulation, s.formulation_why);
  row("formulation", text);
  snprintf(text, sizeof text,
           "%d bod%s, %d coordinate%s, %d constraint%s, %d degree%s of freedom, %d redundant",
           (int)s.bodies, s.bodies == 1 ? "y" : "ies", (int)s.coordinates, plural(s.coordinates),
           (int)s.constraints, plural(s.constraints), (int)s.dof, plural(s.dof), (int)s.redundant);
  row("mechanism", text);
  snprintf(text, sizeof text, "%s in %lld step%s, %lld rejected, %lld iterations",
           number(hk_sim_time(sim), "s", a, sizeof a), (long long)s.steps,
           plural((long long)s.steps), (long long)s.rejected, (long long)s.iterations);
  row("simulated", text);
  if (!job->prescribed) {
    print_energy(&s, sim);
    print_grade(sim);
  }
  snprintf(text, sizeof text, "%s CPU, %s x real time", number(s.cpu_s, "s", a, sizeof a),
           number(s.real_time_factor, "", b, sizeof b));
  row("speed", text);
  print_program(sim);
  if (job->timed) print_schedule(sim);
  int shared = 0;
  for (int32_t i = 0; i < hk_sim_channel_count(sim); i++) shared += !hk_sim_channel_unique(sim, i);
  if (shared) {
    snprintf(
        text, sizeof text,
        "%d recorded component%s not unique: redundant constraints, or out of the plane of motion",
        shared, shared == 1 ? " is" : "s are");
    row("reactions", text);
  }
  // a file that could not be written has been reported
  if (status == HK_E_FILE) return;
  row("results", job->run.output ? job->run.output : "not written; use --output FILE");
  if (job->run.report) row("report", job->run.report);
  if (job->run.checkpoint) row("checkpoint", job->run.checkpoint);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* reports an error that has not been reported yet, and where the results so far are */
static void report_end(run_job *job, hk_sim *sim, hk_status status) {
  hk_summary s;
  hk_sim_summary(sim, &s);
  if (status == HK_INTERRUPTED) {
    cli_note("interrupted at t = %.6g s", hk_sim_time(sim));
  } else if (status != HK_OK && job->messages.errors == 0) {
    cli_error(hk_status_hint(status), "%s",
              s.message && *s.message ? s.message : hk_status_text(status));
  }
  if (status != HK_OK && job->run.output && status != HK_E_FILE) {
    cli_note("the results so far are in '%s'", job->run.output);
  }
}

/* Says why a run is not good. Returns CLI_FAILED for a wrong one with --strict, else `code`. */
static int report_grade(const run_job *job, hk_sim *sim, int code) {
  const bool refused = hk_sim_grade(sim) == HK_GRADE_WRONG && cli_has(job->args, CLI_STRICT);
  for (int32_t i = 0; i < hk_sim_warning_count(sim); i++) {
    const hk_run_warning *w = hk_sim_warning(sim, i);
    if (refused && i == 0) {
      cli_error(w->hint, "the run is wrong: %s", w->text);
    } else if (!job->messages.quiet || (i == 0 && hk_sim_grade(sim) == HK_GRADE_WRONG)) {
      cli_warning(w->hint, "%s", w->text);
    }
  }
  return refused && code == CLI_DONE ? CLI_FAILED : code;
}

static int simulate(run_job *job, hk_ctx *ctx, hk_model *model) {
  hk_sim *sim = NULL;
  hk_status status =
      job->timed ? hk_realtime(model, job->timed, &sim) : hk_run(model, &job->run, &sim);
  cli_progress_end(&job->progress);
  if (!sim) {
    if (status == HK_OK) status = HK_E_INTERNAL;
    if (status == HK_INTERRUPTED)
      cli_note("interrupted before the start");
    else if (job->messages.errors == 0)
      cli_error(hk_status_hint(status), "%s", hk_status_text(status));
    if (job->json) print_failure(job, ctx, status);
    return cli_method_code(&job->messages, status, true);
  }
  report_end(job, sim, status);
  int code = cli_method_code(&job->messages, status, true);
  if (!job->prescribed) code = report_grade(job, sim, code);
  if (job->json) {
    const char *text = hk_sim_json(sim);
    if (text) {
      puts(text);
    } else {
      print_failure(job, ctx, status);
    }
  } else if (!cli_has(job->args, CLI_QUIET)) {
    print_summary(job, model, sim, status);
  }
  hk_sim_destroy(sim);
  return code;
}

static int load_and_simulate(run_job *job, hk_ctx *ctx) {
  hk_model *model = NULL;
  hk_set *sets = calloc((size_t)job->nsets + 1, sizeof *sets);
  hk_option *options = calloc((size_t)job->noptions + 1, sizeof *options);
  int code = sets && options ? CLI_DONE : cli_no_memory();
  if (sets && options) {
    for (int i = 0; i < job->nsets; i++) sets[i] = (hk_set){job->sets[i].name, job->sets[i].value};
    for (int i = 0; i < job->noptions; i++) {
      options[i] = (hk_option){job->options[i].name, job->options[i].value};
    }
    job->sim.options = options;
    job->sim.noptions = job->noptions;
    cli_progress_begin(&job->progress, ctx,
                       !cli_has(job->args, CLI_NO_PROGRESS) && !cli_has(job->args, CLI_QUIET));
    hk_status status = hk_model_load(ctx, job->model, sets, job->nsets, &model);
    if (status == HK_OK && *job->run.interrupt) status = HK_INTERRUPTED;
    if (status == HK_OK) {
      code = simulate(job, ctx, model);
    } else {
      cli_progress_end(&job->progress);
      if (job->messages.errors == 0)
        cli_error(hk_status_hint(status), "%s", hk_status_text(status));
      if (job->json) print_failure(job, ctx, status);
      code = cli_method_code(&job->messages, status, false);
    }
  }
  hk_model_release(model);
  free(sets);
  free(options);
  return code;
}

static int run(const cli_args *args, bool prescribed, hk_realtime_options *timed) {
  run_job job = {.args = args, .model = args->positional[0], .json = cli_has(args, CLI_JSON)};
  job.sim = hk_sim_options_def();
  job.sim.kinematics = job.prescribed = prescribed;
  job.run = hk_run_options_def();
  job.run.sim = &job.sim;
  job.timed = timed;
  if (timed) timed->run = &job.run;
  job.run.command = args->line;
  job.run.progress = cli_progress_show;
  job.run.user = &job.progress;
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job)) {
    hk_ctx *ctx = hk_ctx_create();
    code = ctx ? CLI_DONE : cli_no_memory();
    if (ctx) {
      job.run.interrupt = cli_catch_interrupts();
      hk_ctx_on_message(ctx, cli_on_message, &job.messages);
      code = cli_modules(args, ctx);
      if (code == CLI_DONE) code = load_and_simulate(&job, ctx);
    }
    hk_ctx_destroy(ctx);
  }
  cli_pairs_free(job.sets, job.nsets);
  cli_pairs_free(job.options, job.noptions);
  return code;
}

int cli_run(const cli_args *args) { return run(args, false, NULL); }
int cli_run_prescribed(const cli_args *args) { return run(args, true, NULL); }
int cli_run_timed(const cli_args *args, hk_realtime_options *timed) {
  return run(args, false, timed);
}
