/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_options.c: chooses the methods of a run and their options, from the model file and the
 * caller.
 */
#include <stdio.h>

#include "simulation/simulation.h"

/* clang-format off */
#define AT(field) offsetof(hk_solver_par, control.field)
const hk_param hki_solver_params[] = {
  {"max_iterations", HK_P_INT, 0, offsetof(hk_solver_par, max_iterations), 50, 1, 1000, "", NULL,
   "Newton iterations after which a step counts as failed"},
  {"fixed_iterations", HK_P_INT, 0, offsetof(hk_solver_par, fixed_iterations), 0, 0, 1000, "", NULL,
   "steps of bounded cost, for real time: after so many iterations the step is accepted as it is, and the size of the last correction recorded; 0: it must converge"},
  {"jacobian", HK_P_CHOICE, 0, offsetof(hk_solver_par, jacobian), 0, 0, 0, "", "keep every steps",
   "keep: the tangent is kept within a step while the iteration converges fast, where the formulation allows it; every: it is made in every iteration; steps: it is kept over steps as long as it serves (redundant)"},
  {"correction", HK_P_CHOICE, 0, offsetof(hk_solver_par, correction), 0, 0, 0, "", "direct krylov",
   "how a correction of Newton's is solved for. direct: with the factors of the tangent; krylov: by products with the tangent, differences of the residual, and old factors as preconditioner (redundant)"},
  {"line_search", HK_P_BOOL, 0, offsetof(hk_solver_par, line_search), 0, 0, 0, "", NULL,
   "shorten corrections that lead away from the solution (redundant)"},
  {"threads", HK_P_INT, 0, offsetof(hk_solver_par, threads), 1, 1, 64, "", NULL,
   "threads that share the beams and shells of a step; the results have the same bits for any number of them"},
  {"drift_limit", HK_P_REAL, HK_P_POSITIVE, offsetof(hk_solver_par, drift_limit), 5, 1e-9, 1e9, "%", NULL,
   "largest error of the energy audit that a run may have, in per cent of the energy that moves: above it the run is graded wrong, above a fifth of it doubtful"},
  {"step_control", HK_P_CHOICE, 0, AT(kind), 0, 0, 0, "", "auto off error iterations",
   "length of the steps. off: 'step'; error: by the local error; iterations: by the number of iterations of a step; auto: error for integrators that are made for it, off for all others. With control, 'step' is the time between rows"},
  {"rtol", HK_P_REAL, 0, AT(rtol), 1e-6, 1e-13, 1.0, "", NULL,
   "control by error: allowed local error of a step, relative to velocities; positions count as if their size were one"},
  {"atol", HK_P_REAL, 0, AT(atol), 1e-8, 1e-15, 1.0, "", NULL,
   "control by error: allowed local error of a step for small values (m, rad and their rates)"},
  {"step_min", HK_P_REAL, 0, AT(step_min), 0, 0, 1e9, "s", NULL,
   "shortest controlled step, a run that needs a shorter one fails; 0: a billionth of 'step'"},
  {"step_max", HK_P_REAL, 0, AT(step_max), 0, 0, 1e9, "s", NULL,
   "longest controlled step; 0: a tenth of the run, or ten times 'step' by iterations"},
  {"iterations_few", HK_P_INT, 0, AT(few), 3, 1, 1000, "", NULL,
   "control by iterations: after four steps with at most this many iterations the next step is 1.3 times as long"},
  {"iterations_many", HK_P_INT, 0, AT(many), 6, 1, 1000, "", NULL,
   "control by iterations: after a step with more iterations than this the next step is 0.7 times as long"},
  HK_PARAM_END};
/* clang-format on */

/* "'rho_inf' is an option of generalized_alpha, multistep" */
static void option_owners(const hk_ctx *ctx, const char *name, char *hint, size_t cap) {
  const char *comma = "";
  size_t n = (size_t)snprintf(hint, cap, "'%s' is an option of ", name);
  for (int32_t i = 0; n < cap; i++) {
    const int32_t k = i - hki_formulation_count();
    const hk_formulation_ops *f = k < 0 ? hki_formulation_at(i)->ops : NULL;
    const hk_integrator_ops *ops = k < 0 ? NULL : hki_integrator_of(ctx, k);
    if (!f && !ops) break;
    if (!hki_params_find(f ? f->params : ops->params, name)) continue;
    n += (size_t)snprintf(hint + n, cap - n, "%s%s", comma, f ? f->name : ops->name);
    comma = ", ";
  }
}

static void suggest_keys(const hk_ctx *ctx, hk_nearest *n) {
  static const char *const keys[] = {"time",       "step",      "formulation",
                                     "integrator", "tolerance", "substeps"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(keys); i++) hki_nearest_try(n, keys[i]);
  hki_suggest_options(ctx, n);
}

/* bits of the options that were given: formulation, integrator, solver */
typedef struct method_pars {
  uint64_t given_f, given_i, given_s;
} method_pars;

/* sets one option of the chosen formulation, integrator and solver, wherever it exists */
static hk_status set_option(hk_sim *s, method_pars *g, const char *name, hk_param_value value,
                            hk_loc loc) {
  char buf[256] = "";
  const hk_param *tables[3] = {s->fe->ops->params, s->I.ops->params, hki_solver_params};
  void *pars[3] = {s->formulation_par, s->integrator_par, &s->solver};
  uint64_t *given[3] = {&g->given_f, &g->given_i, &g->given_s};
  bool taken = false;
  hk_status bad = loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE;
  for (int i = 0; i < 3; i++) {
    if (!hki_params_find(tables[i], name)) continue;
    taken = true;
    if (!hki_params_set(tables[i], pars[i], name, value, given[i], buf, sizeof buf))
      return hki_error(s->ctx, bad, loc, NULL, "%s", buf);
  }
  if (taken) return HK_OK;
  // an option of a method that is not in use is allowed in a file, not on the command line
  if (hki_is_option(s->ctx, name) && loc.file >= 0) return HK_OK;
  hk_nearest n;
  char hint[240];
  hki_nearest_init(&n, name);
  suggest_keys(s->ctx, &n);
  const char *best = hki_nearest_result(&n);
  if (hki_is_option(s->ctx, name))
    option_owners(s->ctx, name, hint, sizeof hint);
  else
    snprintf(hint, sizeof hint, best ? "did you mean '%s'?" : "see 'hooke info %s'",
             best ? best : s->I.ops->name);
  return hki_error(s->ctx, bad, loc, hint,
                   "neither formulation '%s' nor integrator '%s' has an option '%s'",
                   s->fe->ops->name, s->I.ops->name, name);
}

/* hint: "'recursive' runs with rk4, abm2; 'sdirk' runs with hybrid" */
static void partners(const hk_sim *s, char *hint, size_t cap) {
  char i[256], f[256];
  hki_sim_list_integrators(s, hki_fits_formulation, i, sizeof i);
  hki_sim_list_formulations(s, hki_fits_integrator, f, sizeof f);
  snprintf(hint, cap, "'%s' runs with %s; '%s' runs with %s", s->fe->ops->name, i, s->I.ops->name,
           f);
}

/* error words: a servo, whose force is not that of its row */
static const char *servo_words(const hk_model *m, const hk_formulation_ops *f, char *buf,
                               size_t cap) {
  int32_t c = 0;
  while (!m->closures[c].coupling || !m->closures[c].coupling->servo) c++;
  snprintf(buf, cap,
           "formulation '%s' cannot treat servo '%s': its matrices are symmetric, and a servo acts "
           "along other gradients than that of its constraint",
           f->name, m->spec->joints[m->closures[c].joint].name);
  return buf;
}

/* error words: an element with inertia of its own */
static const char *inertia_words(const hk_model *m, const hk_formulation_ops *f, char *buf,
                                 size_t cap) {
  int32_t i = 0;
  while (!m->wide[i].ops->inertia) i++;
  snprintf(
      buf, cap,
      "formulation '%s' cannot treat flexible body '%s': its mass matrix has no room for modes",
      f->name, m->spec->wide[m->wide[i].spec].name);
  return buf;
}

const char *hki_sim_fits(const hk_model *m, const hk_formulation_ops *f, char *buf, size_t cap) {
  int32_t c = 0;
  if (m->wide_inert && !(f->caps & HK_CAP_INERTIA)) return inertia_words(m, f, buf, cap);
  if (m->nservo && !(f->caps & HK_CAP_SERVO)) return servo_words(m, f, buf, cap);
  if (!m->nrate || (f->caps & HK_CAP_RATE_ROWS)) return NULL;
  while (!m->closures[c].rate_rows) c++;
  const hk_spec_joint *j = &m->spec->joints[m->closures[c].joint];
  if (m->closures[c].role == HK_ROLE_MOTION) {
    snprintf(buf, cap,
             "formulation '%s' cannot treat the prescribed rate of joint '%s', which reads the "
             "state and binds velocities without binding positions",
             f->name, j->name);
    return buf;
  }
  snprintf(buf, cap,
           "formulation '%s' cannot treat %s joint '%s', which binds velocities without binding "
           "positions",
           f->name, j->ops->name, j->name);
  return buf;
}

/* error when the formulation cannot treat the model; the hint names those that can */
static hk_status refuse_model(const hk_sim *s, hk_loc loc) {
  char list[256], why[512], hint[320];
  if (!hki_sim_fits(s->m, s->fe->ops, why, sizeof why)) return HK_OK;
  // written as in the place of the choice: model file or command line
  hki_sim_list_formulations(s, hki_fits_model, list, sizeof list);
  snprintf(hint, sizeof hint, "these can: %s %s", loc.file >= 0 ? "formulation:" : "--formulation",
           list);
  return hki_error(s->ctx, loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE, loc, hint, "%s", why);
}

/* the formulation by its name, or by the model where none is named (sim_costs.c) */
static hk_status choose_formulation(hk_sim *s, const hk_sim_options *opt, const char *name,
                                    hk_loc loc) {
  if (!name || !strcmp(name, HK_AUTO)) return hki_sim_pick(s, opt);
  snprintf(s->why, sizeof s->why, loc.file >= 0 ? "named in the model" : "named by the caller");
  return hki_choose_formulation(s->ctx, name, loc, &s->fe);
}

static hk_status choose_methods(hk_sim *s, const hk_sim_options *opt) {
  const hk_spec_run *run = &s->m->spec->run;
  const bool own = run->integrator && !opt->kinematics;
  const char *i = opt->integrator ? opt->integrator
                  : own           ? run->integrator
                                  : hki_integrator_at(0)->name;
  hk_loc f_loc = opt->formulation || !run->formulation ? HK_LOC_NONE : run->formulation_loc;
  hk_loc i_loc = opt->integrator || !own ? HK_LOC_NONE : run->integrator_loc;
  char buf[256];
  hk_status st = hki_choose_integrator(s->ctx, i, i_loc, &s->I.ops);
  if (st == HK_OK)
    st = choose_formulation(s, opt, opt->formulation ? opt->formulation : run->formulation, f_loc);
  if (st != HK_OK) return st;
  const char *why = hki_compatible(s->fe->ops, s->I.ops, buf, sizeof buf);
  if (!why) return refuse_model(s, f_loc);
  char hint[720];
  partners(s, hint, sizeof hint);
  return hki_error(s->ctx, i_loc.file >= 0 || f_loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE,
                   i_loc.file >= 0 ? i_loc : f_loc, hint, "%s", why);
}

hk_status hki_sim_fits_memory(hk_sim *s, const hk_sim_options *opt) {
  const hk_spec_run *run = &s->m->spec->run;
  const char *name = opt->formulation ? opt->formulation : run->formulation;
  if (!name || !strcmp(name, HK_AUTO)) return hki_sim_refuse_size(s, HK_E_MEMORY, HK_LOC_NONE);
  return opt->formulation ? hki_sim_refuse_size(s, HK_E_USAGE, HK_LOC_NONE)
                          : hki_sim_refuse_size(s, HK_E_MODEL, run->formulation_loc);
}

/* The step as a ratio of whole numbers if it is a short decimal. Grid times k * num / den are then
 * the doubles nearest to the decimals (0.7, not 70 * 0.01), and a run may end at any of them. */
static void choose_grid(hk_sim *s) {
  s->grid_num = s->step, s->grid_den = 1.0;
  for (double den = 1.0; den <= 1e15; den *= 10.0) {
    double num = round(s->step * den);
    if (num < 1.0 || num / den != s->step) continue;
    s->grid_num = num, s->grid_den = den;
    return;
  }
}

/* a time between rows for runs that name no step: 1, 2 or 5 times a power of ten, 500 to 1250 of
 * them in the run */
static double row_spacing(double end) {
  const double most = end / 500.0, ten = pow(10.0, floor(log10(most)));
  return most >= 5.0 * ten ? 5.0 * ten : most >= 2.0 * ten ? 2.0 * ten : ten;
}

static bool names_step(const hk_sim *s, const hk_sim_options *opt) {
  return opt->step != 0.0 || !isnan(s->m->spec->run.step);
}

/* neither step nor integrator are named: the run is controlled by its error */
static bool names_nothing(const hk_sim *s, const hk_sim_options *opt) {
  return !names_step(s, opt) && !opt->integrator && !s->m->spec->run.integrator;
}

static hk_status missing(const hk_sim *s, const char *what) {
  return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE,
                   "add 'run: {time: 10, step: 0.01}' to the model, or --time and --step; without "
                   "step and integrator the error decides",
                   "neither the model nor the command line gives %s", what);
}

/* Time and step: from the caller, else from the model. Where the error decides on the steps, `step`
 * is the time between rows, and need not be named. */
static hk_status choose_times(hk_sim *s, const hk_sim_options *opt) {
  const hk_spec_run *run = &s->m->spec->run;
  const bool free = names_nothing(s, opt) || s->I.ops->steps != HK_STEPS_GIVEN || opt->kinematics;
  s->step = opt->step != 0.0 ? opt->step : run->step;
  s->end = opt->time != 0.0 ? opt->time : run->time;
  s->substeps = opt->substeps >= 0 ? opt->substeps != 0 : run->substeps;
  if (isnan(s->end)) return missing(s, "the end time");
  if (isnan(s->step) && free && s->end > 0.0) s->step = row_spacing(s->end);
  if (isnan(s->step)) return missing(s, "the step");
  if (!(s->step > 0.0) || !isfinite(s->step))
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL,
                     "step %g: expected a positive number of seconds", s->step);
  if (!(s->end >= 0.0) || !isfinite(s->end))
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL,
                     "time %g: expected a number of seconds, not negative", s->end);
  bool asked = opt->step != 0.0 || opt->time != 0.0;
  if (s->end / s->step > 1e12)
    return hki_error(s->ctx, asked ? HK_E_USAGE : HK_E_MODEL, asked ? HK_LOC_NONE : run->step_loc,
                     "take a larger step or a shorter time", "%g steps are too many",
                     s->end / s->step);
  s->scheduled = opt->step == 0.0 && run->step_signal != HK_NONE;
  choose_grid(s);
  return HK_OK;
}

/* integrators that the formulation takes with these options */
static bool takes_options(const hk_sim *s, const hk_integrator_ops *i) {
  const char *hint = NULL;
  return hki_fits_formulation(s, i) && !s->fe->ops->refuses(s->formulation_par, i->needs, &hint);
}

/* formulations that give what the integrator needs with these options */
static bool gives_more(const hk_sim *s, const hk_formulation_ops *f) {
  const char *options = NULL;
  return hki_fits_integrator(s, f) &&
         !(s->I.ops->needs_more(s->integrator_par, &options) & ~f->caps);
}

/* error: options of the integrator that need more than the formulation gives */
static hk_status refuse_needs(hk_sim *s) {
  const char *options = NULL;
  if (!s->I.ops->needs_more) return HK_OK;
  const uint32_t more = s->I.ops->needs_more(s->integrator_par, &options);
  const uint32_t missing = more & ~s->fe->ops->caps;
  if ((more & HK_CAP_RATES) && s->m->nx)
    return hki_error(
        s->ctx, HK_E_USAGE, HK_LOC_NONE, "leave these options out",
        "integrator '%s' with %s has no room for the %d unknown%s of the model's nodes, "
        "network and signals",
        s->I.ops->name, options, (int)s->m->nx, s->m->nx > 1 ? "s" : "");
  if ((more & HK_CAP_RATES) && s->m->nz)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "leave these options out",
                     "integrator '%s' with %s has no room for the states of laws with memory "
                     "(maxwell, coulomb, stribeck, lugre)",
                     s->I.ops->name, options);
  if (!missing) return HK_OK;
  char list[256], hint[320];
  hki_sim_list_formulations(s, gives_more, list, sizeof list);
  snprintf(hint, sizeof hint, "these give it: %s", list);
  return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, hint,
                   "integrator '%s' with %s needs %s, which formulation '%s' does not give",
                   s->I.ops->name, options, hki_need_words(missing), s->fe->ops->name);
}

/* error: options of the formulation that are not possible with the integrator */
static hk_status refuse_options(hk_sim *s, const hk_sim_options *opt) {
  const hk_formulation_ops *ops = s->fe->ops;
  const hk_spec_run *run = &s->m->spec->run;
  const bool from_file = !opt->integrator && run->integrator && !opt->noptions;
  const char *hint = NULL;
  if (!ops->refuses) return HK_OK;
  const char *why = ops->refuses(s->formulation_par, s->I.ops->needs, &hint);
  if (!why) return HK_OK;
  char list[256], all[512];
  hki_sim_list_integrators(s, takes_options, list, sizeof list);
  snprintf(all, sizeof all, *list ? "take %s, or %s" : "%s%s", list, hint);
  return hki_error(s->ctx, from_file ? HK_E_MODEL : HK_E_USAGE,
                   from_file ? run->integrator_loc : HK_LOC_NONE, all,
                   "formulation '%s' with integrator '%s': %s", ops->name, s->I.ops->name, why);
}

/* place of step_control in the model file; HK_LOC_NONE when the caller's options decide */
static hk_loc control_loc(const hk_spec_run *run, const hk_sim_options *opt) {
  for (int32_t i = 0; i < opt->noptions; i++)
    if (!strcmp(opt->options[i].name, "step_control")) return HK_LOC_NONE;
  for (int32_t i = 0; i < run->noptions && !opt->integrator; i++)
    if (!strcmp(run->options[i].name, "step_control")) return run->options[i].loc;
  return HK_LOC_NONE;
}

static bool knows_error(const hk_sim *s, const hk_integrator_ops *i) {
  (void)s;
  return i->error;
}

static hk_status refuse_control(const hk_sim *s, hk_loc loc, const char *why) {
  const int32_t kind = s->solver.control.kind;
  char list[256], hint[320];
  hki_sim_list_integrators(s, knows_error, list, sizeof list);
  snprintf(hint, sizeof hint, "error control: %s; by iterations: the implicit ones", list);
  return hki_error(s->ctx, loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE, loc, hint,
                   "integrator '%s' cannot have step_control: %s: %s", s->I.ops->name,
                   kind == HK_CONTROL_ERROR ? "error"
                   : kind == HK_CONTROL_OFF ? "off"
                                            : "iterations",
                   why);
}

/* kind of step control and its limits */
static hk_status choose_control(hk_sim *s, hk_loc loc) {
  hk_control_par *c = &s->solver.control;
  const hk_integrator_ops *ops = s->I.ops;
  const char *why = NULL;
  if (c->kind == HK_CONTROL_AUTO)
    c->kind = ops->steps == HK_STEPS_GIVEN ? HK_CONTROL_OFF : HK_CONTROL_ERROR;
  if (c->kind == HK_CONTROL_ERROR && !ops->error) why = "it does not know its error";
  if (c->kind == HK_CONTROL_ITERATIONS && !(ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)))
    why = "it does not iterate";
  if (c->kind != HK_CONTROL_ERROR && ops->steps == HK_STEPS_OWN)
    why = "it chooses its steps itself, by error";
  if (why) return refuse_control(s, loc, why);
  s->free.on = c->kind != HK_CONTROL_OFF;
  if (s->free.on && s->scheduled)
    return hki_error(
        s->ctx, HK_E_MODEL, s->m->spec->run.step_loc,
        "give a number: the time between rows; or 'step_control: off' and an integrator "
        "that takes the steps it is given",
        "'step' follows a signal, but the error or the iterations decide on the steps");
  if (!(c->step_min > 0.0)) c->step_min = 1e-9 * s->step;
  s->I.step_max = c->step_max;
  if (!(c->step_max > 0.0))
    s->I.step_max = c->kind == HK_CONTROL_ITERATIONS ? 10.0 * s->step : 0.1 * s->end;
  if (c->step_max > 0.0 && c->step_min > c->step_max) c->step_min = c->step_max;
  if (c->many < c->few) c->many = c->few;
  s->I.rtol = c->rtol, s->I.atol = c->atol;
  s->I.controlled = c->kind == HK_CONTROL_ERROR;
  return HK_OK;
}

hk_status hki_sim_choose(hk_sim *s, const hk_sim_options *opt) {
  const hk_spec_run *run = &s->m->spec->run;
  method_pars g = {0};
  char buf[256] = "";
  hk_status st = choose_methods(s, opt);
  if (st == HK_OK) st = choose_times(s, opt);
  if (st != HK_OK) return st;
  hki_params_default(s->fe->ops->params, s->formulation_par);
  if (s->I.ops->self) memcpy(s->integrator_par, &s->I.ops->self, sizeof s->I.ops->self);
  hki_params_default(s->I.ops->params, s->integrator_par);
  hki_params_default(hki_solver_params, &s->solver);
  for (int32_t i = 0; st == HK_OK && i < run->noptions; i++) {
    const hk_spec_option *o = &run->options[i];
    st = set_option(s, &g, o->name, (hk_param_value){o->is_number ? NULL : o->text, o->number},
                    o->loc);
  }
  for (int32_t i = 0; st == HK_OK && i < opt->noptions; i++)
    st = set_option(s, &g, opt->options[i].name, (hk_param_value){.text = opt->options[i].value},
                    HK_LOC_NONE);
  if (st != HK_OK) return st;
  if ((st = refuse_options(s, opt)) != HK_OK) return st;
  if ((st = refuse_needs(s)) != HK_OK) return st;
  if (!s->I.ops->prepare(s->integrator_par, g.given_i, buf, sizeof buf))
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "integrator '%s': %s", s->I.ops->name,
                     buf);
  s->I.par = s->integrator_par;
  s->newton.tolerance = opt->tolerance > 0.0     ? opt->tolerance
                        : !isnan(run->tolerance) ? run->tolerance
                                                 : 1e-9;
  s->newton.tolerance = fmax(s->newton.tolerance, 1e-13); // below it there is only round-off
  s->newton.max_iter = s->solver.max_iterations;
  s->newton.fixed = s->solver.fixed_iterations;
  if (s->newton.fixed) s->substeps = false; // a step must not become many
  s->newton.every = s->solver.jacobian == 1;
  s->newton.over_steps = s->solver.jacobian == 2;
  s->newton.krylov = s->solver.correction == 1;
  s->newton.line_search = s->solver.line_search;
  // prescribed positions have no error that could decide
  if (opt->kinematics) s->solver.control.kind = HK_CONTROL_OFF;
  if (names_nothing(s, opt) && !opt->kinematics) {
    hk_control_par *c = &s->solver.control;
    if (c->kind == HK_CONTROL_AUTO) c->kind = HK_CONTROL_ERROR;
    if (c->kind != HK_CONTROL_ERROR) return missing(s, "the step");
  }
  return choose_control(s, control_loc(run, opt));
}
