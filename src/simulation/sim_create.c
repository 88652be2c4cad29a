/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_create.c: creates a simulation from a model: methods, memory, assembly, start.
 */
#include <stdlib.h>

#include <stdio.h>

#include "kinematics/wide.h"
#include "model/motions.h"
#include "machines/states/states.h"
#include "simulation/external.h"
#include "simulation/streams.h"
#include "analyses/aimless.h"
#include "analyses/jam.h"
#include "analyses/limits.h"
#include "analyses/network_fault.h"
#include "analyses/range.h"
#include "simulation/stepper.h"

/* what Newton's iteration, and those of large models, work in */
static void layout_iteration(hk_sim *s, hk_arena *a, int32_t np) {
  s->newton.kept = HK_TAKE(a, double, s->f->ops->choose_tangent ? np : 0);
  s->newton.space = HK_TAKE(
      a, double,
      hki_sim_iterates(s) ? hki_newton_space(&s->newton, s->f->ops->system->size(s->f)) : 0);
  if (!hki_sim_iterates(s)) s->newton.space = NULL;
}

/* all arrays of the simulation in one block; called twice, for its size and for the addresses */
static void layout(hk_sim *s, hk_arena *a) {
  const hk_model *m = s->m;
  hk_integrator *I = &s->I;
  hk_dims d;
  double *block;
  int32_t np, nv;
  s->f->ops->dims(s->f, &d);
  s->f->ops->persistent(s->f, &block, &np);
  I->nq = d.nq, I->nv = nv = d.nv;
  I->nx = d.nx, I->unit = d.unit;
  // persistent state
  I->q = HK_TAKE(a, double, d.nq);
  I->v = HK_TAKE(a, double, nv);
  I->a = HK_TAKE(a, double, nv);
  I->hist = HK_TAKE(a, double, I->ops->nhist *nv);
  // scratch
  I->q1 = HK_TAKE(a, double, d.nq);
  I->v1 = HK_TAKE(a, double, nv);
  I->a1 = HK_TAKE(a, double, nv);
  I->hist1 = HK_TAKE(a, double, I->ops->nhist *nv);
  I->D = HK_TAKE(a, double, nv);
  I->vh = HK_TAKE(a, double, nv);
  I->ah = HK_TAKE(a, double, nv);
  I->work = HK_TAKE(a, double, 2 * nv);
  s->qt = HK_TAKE(a, double, m->nq);
  s->vt = HK_TAKE(a, double, hki_model_values(m));
  s->at = HK_TAKE(a, double, hki_model_values(m));
  s->v_before = HK_TAKE(a, double, m->nv);
  s->phit_before = HK_TAKE(a, double, m->nrows);
  s->A = HK_TAKE(a, double, 6 * m->nb);
  s->wrench = HK_TAKE(a, double, 6 * m->nj);
  s->drive = HK_TAKE(a, double, m->ns);
  s->row = HK_TAKE(a, double, m->nrows);
  s->unique = HK_TAKE(a, uint8_t, 6 * m->nj);
  s->signs = HK_TAKE(a, double, (m->nb + m->nj) * HK_SIGN_SIZE);
  s->saved_disc = HK_TAKE(a, double, s->kin->disc.n);
  s->saved_form = HK_TAKE(a, double, np);
  s->whole = HK_TAKE(a, double, s->has_drives ? hki_sim_whole_size(s, np) : 0);
  layout_iteration(s, a, np);
  hki_work_layout(s, a);
  s->start_q = HK_TAKE(a, double, m->nq);
  s->start_v = HK_TAKE(a, double, m->nv);
  s->jump_q = HK_TAKE(a, double, m->nq);
  s->jump_v = HK_TAKE(a, double, m->nv);
  s->trend = HK_TAKE(a, double, nv);
  // controlled steps: dense output, past velocities, states within a step
  const bool free = s->free.on;
  I->dense = HK_TAKE(a, double, free ? hki_interpolate_size(I) : 0);
  s->past = HK_TAKE(a, double, free ? I->nv *HK_CONTROL_PAST : 0);
  s->held_disc = HK_TAKE(a, double, free ? s->kin->disc.n : 0);
  s->normals_there = HK_TAKE(a, double, free ? s->m->nnormal : 0);
  s->held_form = HK_TAKE(a, double, free ? np : 0);
  s->qd = HK_TAKE(a, double, free ? d.nq : 0);
  s->vd = HK_TAKE(a, double, free ? nv : 0);
  s->ad = HK_TAKE(a, double, free ? nv : 0);
  s->fired = HK_TAKE(a, uint8_t, m->spec->nevents);
  s->hook_q = HK_TAKE(a, double, s->has_hooks ? d.nq : 0);
  s->hook_v = HK_TAKE(a, double, s->has_hooks ? nv : 0);
  s->hook_a = HK_TAKE(a, double, s->has_hooks ? nv : 0);
}

/* iterations for large models (stage/krylov.c): only where the formulation shows its stages as systems */
static hk_status allow_iteration(hk_sim *s) {
  const hk_newton *n = &s->newton;
  const hk_system_ops *system = s->f->ops->system;
  if (!hki_sim_iterates(s)) return HK_OK;
  if (system) return n->over_steps || n->krylov ? system->allow(s->f) : HK_OK;
  return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE,
                   "take the formulation 'redundant', with its own way to keep constraints",
                   "'%s' is an iteration that formulation '%s' does not have with these options",
                   n->krylov       ? "correction: krylov"
                   : n->over_steps ? "jacobian: steps"
                                   : "line_search",
                   s->f->ops->name);
}

static hk_status allocate(hk_sim *s) {
  hk_arena a = {0};
  layout(s, &a);
  s->block = hki_alloc(s->ctx, a.used + 64);
  if (!s->block) return HK_E_MEMORY;
  a = (hk_arena){s->block + (64 - (uintptr_t)s->block % 64) % 64, 0, a.used};
  layout(s, &a);
  return HK_OK;
}

/* features of the model that cost time in each step */
static void find_features(hk_sim *s) {
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t r = 0; r < s->m->closures[c].nrows; r++)
      s->has_drives |= s->m->closures[c].row_signal[r] != HK_NONE ||
                       (s->m->closures[c].coupling && s->m->closures[c].coupling->driven);
  for (int32_t c = 0; c < s->m->nc; c++) {
    const hk_closure *cl = &s->m->closures[c];
    s->has_contacts |= cl->ops->pushes && cl->ops->pushes(cl->par);
  }
  for (int32_t f = 0; f < s->m->nf; f++) s->has_decide |= s->m->forces[f].ops->decide != NULL;
  for (int32_t f = 0; f < s->m->nf; f++) s->has_hooks |= s->m->forces[f].ops->hook != NULL;
  if (s->has_hooks) s->newton.hook = hki_sim_stage_hook, s->newton.user = s;
  for (int32_t f = 0; f < s->m->nf; f++)
    s->has_memory |= s->m->forces[f].nd > s->m->forces[f].ops->nd;
}

/* the accelerations at the start failed with st: reports the signal, the range of the numbers, or
 * the motion that no mass resists */
static hk_status singular(hk_sim *s, hk_status st) {
  char name[512] = "some coordinate";
  if (st != HK_E_SINGULAR && st != HK_E_NUMBER) return st;
  hk_status again = hki_tree_accel(s->tree, 0.0, s->qt, s->vt, s->at);
  if (hki_sim_bad_signal(s, &s->tree->kin, name, sizeof name))
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "it must have a value from the start on",
                     "the accelerations at the start are not determined: %s", name);
  if (again == HK_E_NUMBER)
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "look for masses, lengths, speeds or forces that are far too large",
                     "the accelerations at the start are not finite: numbers are out of range");
  if (again == HK_OK)
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "name another formulation, or none, which takes one that suits the model",
                     "formulation '%s' does not find the accelerations at the start",
                     s->fe->ops->name);
  if (again == HK_E_SINGULAR && s->tree->num.bad >= 0)
    hki_tree_dof_name(s->m, s->tree->num.bad, name, sizeof name);
  return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "give the bodies mass, or hold them by joints; 'hooke check' says more",
                   "the accelerations at the start are not determined: no mass resists %s", name);
}

/* Refuses motions that no mass resists in every formulation: some would leave the coordinate at
 * rest. Only bodies whose subtree has no mass can have such a motion, unless closures determine it.
 */
static hk_status refuse_massless(hk_sim *s) {
  const hk_model *m = s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    if (s->tree->kin.loaded[b] || !m->bodies[b].nv) continue;
    if (!m->nrows) return singular(s, HK_E_SINGULAR);
    hk_status st = hki_tree_accel(s->tree, 0.0, s->qt, s->vt, s->at);
    return st == HK_E_SINGULAR ? singular(s, st) : HK_OK;
  }
  return HK_OK;
}

/* rows and redundant rows of a formulation with coordinates of its own; dof stays */
static void count_rows(hk_sim *s) {
  hk_dims d;
  s->f->ops->dims(s->f, &d);
  d.nq -= s->m->nz, d.nv -= s->m->nz;
  if (d.nq == s->m->nq && d.nv == s->m->nv + s->m->nx && d.nl == s->m->nrows) return;
  s->mobility.rows = d.nl;
  // removed spins are still freedoms of the coordinates
  int32_t spins = 0;
  for (int32_t b = 0; b < s->m->nb; b++) spins += s->m->bodies[b].spin_removed;
  s->mobility.redundant = d.nl - (d.nv - s->m->nx - s->mobility.dof - spins);
}

/* the first formulation that can have constraints which follow from others */
static const char *takes_redundant(void) {
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    if (!hki_formulation_at(i)->ops->independent) return hki_formulation_at(i)->ops->name;
  return "";
}

/* Refuses redundant rows, with their names, when the formulation needs independent ones, or the
 * integrator treats the multipliers as unknowns, which would not be determined. */
static hk_status refuse_redundant(hk_sim *s) {
  hk_finding *list = NULL;
  hk_mobility mob;
  hk_text t;
  int32_t n = 0, named = 0;
  const bool alone = s->f->ops->independent && s->f->ops->independent(s->f);
  const bool system = (s->I.ops->needs & HK_CAP_DAE) != 0;
  if (!s->mobility.redundant || (!alone && !system)) return HK_OK;
  hk_status st = hki_doctor(s->tree, s->pool, s->qt, s->vt, &list, &n, &mob);
  if (st != HK_OK) return st;
  hki_text_init(&t, s->ctx);
  for (int32_t i = 0; i < n && named < 4; i++)
    if (list[i].kind == HK_FINDING_REDUNDANT || list[i].kind == HK_FINDING_CONFLICT)
      hki_text_printf(&t, "%s%s", named++ ? "; " : "", list[i].text);
  char hint[200];
  snprintf(hint, sizeof hint,
           system ? "formulation '%s' runs it, with any other integrator; 'hooke check' lists the "
                    "rows"
                  : "'--option redundancy=least_squares' runs it and shares the reactions among "
                    "these rows; 'hooke check' lists them",
           takes_redundant());
  st = hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, hint,
                 "%s '%s' needs independent constraints, and %d of %d rows follow from others: %s",
                 system ? "integrator" : "formulation", system ? s->I.ops->name : s->fe->ops->name,
                 s->mobility.redundant, s->mobility.rows, t.s);
  hki_text_free(&t);
  return st;
}

/* solves for the algebraic unknowns of networks, from their start values */
static hk_status start_network(hk_sim *s) {
  hk_integrator *I = &s->I;
  hk_status st = s->f->ops->project(s->f, I->t, I->q, I->v, I->a, HK_PROJECT_MASS);
  char fault[500] = "";
  if (st == HK_E_SINGULAR && hki_network_fault(s->tree, fault, sizeof fault) == HK_OK && fault[0])
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, HK_NETWORK_HINT,
                     "the network has no start: %s", fault);
  if (st == HK_E_NUMBER || st == HK_RETRY)
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "give better start values",
                     "the network has no start: its equations were not solved");
  return st;
}

/* private states of forces begin at rest */
static void start_states(hk_sim *s) {
  hk_kin *k = &s->tree->kin;
  hki_kin_state(k, 0.0, s->qt, s->vt);
  hki_kin_rest_states(k);
  hki_kin_signals(k, false);
  hki_kin_find_states(k);
  memcpy(s->vt + s->m->nv + s->m->nx, k->z, (size_t)s->m->nz * sizeof *k->z);
}

/* friction jams a joint at the start */
static hk_status jam(hk_sim *s) {
  return hki_error(s->ctx, HK_E_DIVERGED, HK_LOC_NONE, s->advice, "%s", s->message);
}

/* does a motion prescribe a coordinate of the joint? */
static bool is_driven(const hk_model *m, const char *joint) {
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].role == HK_ROLE_MOTION &&
        strcmp(m->spec->joints[m->closures[c].joint].name, joint) == 0)
      return true;
  return false;
}

/* Kinematics: names what nothing prescribes, and motions that follow from others. */
static hk_status refuse_free(hk_sim *s) {
  hk_finding *list = NULL;
  hk_mobility mob;
  char names[600];
  int32_t n = 0;
  if (s->mobility.dof > 0) {
    hk_status st = hki_free_names(s->tree, 0.0, s->qt, names, sizeof names);
    if (st != HK_OK) return st;
    return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                     "prescribe them: joints: {NAME: {motion: {angle: 2*t}}}, or use 'hooke run'",
                     "%d freedom%s not prescribed: %s can move", (int)s->mobility.dof,
                     s->mobility.dof == 1 ? " is" : "s are", names);
  }
  if (!s->mobility.redundant) return HK_OK;
  hk_status st = hki_doctor(s->tree, s->pool, s->qt, s->vt, &list, &n, &mob);
  for (int32_t i = 0; st == HK_OK && i < n; i++)
    if (list[i].kind == HK_FINDING_REDUNDANT && is_driven(s->m, list[i].item))
      hki_warn(s->ctx, HK_LOC_NONE, "leave it out, or take reactions with care",
               "the mechanism is driven more than it can move: %s", list[i].text);
  return st;
}

/* what the caller wants instead of the model's own start */
static const hk_equilibrium *own_equilibrium(const hk_sim *s) {
  static const hk_equilibrium kinds[] = {HK_EQ_REST, HK_EQ_STEADY};
  return s->given.equilibrium > 0 ? &kinds[s->given.equilibrium - 1] : NULL;
}

bool hki_force_rubs(const hk_model *m, int32_t i) {
  const hk_law *law[HK_ELEMENT_LAWS];
  const hk_element_ops *ops = m->forces[i].ops;
  const int32_t n = ops->laws ? ops->laws(m->forces[i].par, law) : 0;
  for (int32_t k = 0; k < n; k++)
    if (hki_law_rubs(law[k])) return true;
  return false;
}

bool hki_rubs(const hk_model *m) {
  for (int32_t i = 0; i < m->nf; i++)
    if (hki_force_rubs(m, i)) return true;
  return false;
}

/* with friction every position within its cones is an equilibrium: says which one the start is */
static void tell_rest(const hk_sim *s, const hk_assembly *as) {
  const hk_equilibrium kind = as->equilibrium ? *as->equilibrium : s->m->spec->equilibrium;
  if (kind == HK_EQ_OFF || !hki_rubs(s->m)) return;
  hki_note(s->ctx, HK_LOC_NONE,
           kind == HK_EQ_REST
               ? "the equilibrium at the start is that without friction, which carries nothing "
                 "there and holds from then on"
               : "the steady motion at the start is that without friction in joints, which acts "
                 "from then on");
}

/* an element cannot begin where the assembly has put it */
static hk_status refuse_place(hk_sim *s) {
  char words[400];
  if (!hki_kin_refused(&s->tree->kin, words, sizeof words)) return HK_OK;
  return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, NULL, "at the start: %s", words);
}

static hk_status start(hk_sim *s) {
  hk_assembly as = {.q = s->qt, .v = s->vt, .equilibrium = own_equilibrium(s)};
  hk_status st = hki_assemble(s->tree, &as);
  if (st != HK_OK) return st;
  tell_rest(s, &as);
  s->unsettled = as.unsettled;
  st = hki_mobility(s->tree, 0.0, s->qt, s->vt, &s->mobility);
  if (st != HK_OK) return st;
  st = hki_limits_check(s->ctx, &s->tree->kin);
  if (st == HK_OK) st = refuse_place(s);
  if (st == HK_OK && s->given.kinematics) st = refuse_free(s);
  if (st == HK_OK) st = refuse_redundant(s);
  if (st == HK_OK) st = hki_sim_held_find(s);
  if (st == HK_OK && !s->held) st = refuse_massless(s);
  if (st != HK_OK) return st;
  count_rows(s);
  s->I.f = s->f;
  s->I.newton = &s->newton;
  // unknowns of networks: start values, or those of the equilibrium
  for (int32_t i = 0; i < s->m->nx; i++) s->vt[s->m->nv + i] = s->tree->kin.x[i];
  if (s->m->nz) start_states(s);
  st = s->f->ops->from_tree(s->f, s->qt, s->vt, s->I.q, s->I.v);
  if (st == HK_OK && s->m->nx) st = start_network(s);
  if (st == HK_OK) st = hki_sim_held_settle(s);
  if (st == HK_OK && hki_sim_jammed(s)) return jam(s);
  if (st == HK_OK) st = hki_sim_servos(s);
  if (st == HK_OK) st = singular(s, hki_sim_restart(s));
  if (st == HK_OK && s->m->nnormal) {
    st = hki_sim_stick(s);
    if (st == HK_OK) st = hki_sim_restart(s);
    if (st == HK_OK && hki_sim_jammed(s)) return jam(s);
  }
  if (st == HK_OK) st = hki_sim_stops_start(s);
  if (st == HK_OK) st = hki_sim_locks_start(s);
  if (st == HK_OK && s->m->nz) st = hki_sim_settle(s);
  if (st == HK_OK) st = hki_sim_memory_start(s);
  if (st != HK_OK) return st;
  if (hki_sim_too_stiff(s)) {
    const hk_spec_run *run = &s->m->spec->run;
    const bool ours = run->integrator && !strcmp(run->integrator, s->I.ops->name);
    return hki_error(s->ctx, ours ? HK_E_MODEL : HK_E_USAGE,
                     ours ? run->integrator_loc : HK_LOC_NONE, s->advice, "%s", s->message);
  }
  hki_aimless_warn(s->ctx, s->kin);
  hki_sim_signs_start(s);
  hki_sim_audit_start(s);
  if (s->kin->nseen) hki_sim_store_late_channels(s);
  st = hki_sim_flag_reactions(s);
  bool any;
  if (st == HK_OK) st = hki_sim_fire(s, &any);
  return st != HK_OK && s->message[0]
             ? hki_error(s->ctx, st, HK_LOC_NONE, s->advice ? s->advice : hk_status_hint(st), "%s",
                         s->message)
             : st;
}

static const hk_sim_options defaults = {.size = sizeof defaults, .substeps = -1};

void hk_sim_options_init(hk_sim_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

/* copies the caller's options, from any version of the struct, and checks them */
static hk_status read_options(hk_ctx *ctx, const hk_sim_options *from, hk_sim_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_sim_options, integrator), opt, from);
  if (st != HK_OK) return st;
  if (!hki_is_list(opt->options, opt->noptions))
    return hki_misuse(ctx, "hk_sim_options", "the list of options does not fit its count");
  for (int32_t i = 0; i < opt->noptions; i++)
    if (!opt->options[i].name || !opt->options[i].value)
      return hki_misuse(ctx, "hk_sim_options", "an option without name or value");
  if (opt->kinematics < 0 || opt->kinematics > 1)
    return hki_misuse(ctx, "hk_sim_options", "kinematics must be 0 or 1");
  if (opt->equilibrium < 0 || opt->equilibrium > 2)
    return hki_misuse(ctx, "hk_sim_options", "equilibrium must be 0, 1 or 2");
  if (!(opt->memory >= 0.0))
    return hki_misuse(ctx, "hk_sim_options", "the memory must be a number of bytes, or 0");
  if (!(opt->tolerance >= 0.0) || !isfinite(opt->tolerance))
    return hki_misuse(ctx, "hk_sim_options", "the tolerance must be a positive number, or 0");
  return HK_OK;
}

/* a simulation with nothing in it */
static hk_sim *empty(hk_ctx *ctx, hk_model *m) {
  hk_sim *s = hki_alloc(ctx, sizeof *s);
  if (!s) return NULL;
  s->mark = HK_MARK_SIM;
  s->ctx = ctx;
  s->m = hki_model_retain(m);
  s->base = hki_model_retain(m);
  s->until = INFINITY;
  s->pool = hki_pool_create(ctx);
  s->integrator_par = s->pool ? hki_pool_alloc(s->pool, HK_INTEGRATOR_PAR_MAX) : NULL;
  s->formulation_par = s->pool ? hki_pool_alloc(s->pool, HK_FORMULATION_PAR_MAX) : NULL;
  if (s->integrator_par && s->formulation_par) return s;
  hk_sim_destroy(s);
  return NULL;
}

hk_status hki_sim_validate(hk_model *m, hk_pool *pool, hk_check_report *out,
                           hk_check_names *beams) {
  hk_sim_options opt = defaults;
  const hk_spec_run *run = &m->spec->run;
  hk_sim *s = empty(m->ctx, m);
  if (!s) return HK_E_MEMORY;
  // time and step may be missing in the model: the command line can give them
  hki_sim_set_memory(s, 0.0);
  if (isnan(run->step)) opt.step = isnan(run->time) ? 1.0 : run->time;
  if (isnan(run->time)) opt.time = isnan(run->step) ? 1.0 : run->step;
  hk_status st = hki_sim_choose(s, &opt);
  if (st == HK_OK) st = hki_sim_channels(s);
  if (st == HK_OK) st = hki_sim_table(s, pool, out);
  if (st == HK_OK) st = hki_sim_beams(s, pool, out, beams);
  if (st == HK_OK) st = hki_sim_fits_memory(s, &opt);
  hk_sim_destroy(s);
  return st;
}

/* everything from the choice of methods to the state at time 0 */
static hk_status create(hk_sim *s, const hk_sim_options *opt) {
  hki_phase(s->ctx, "choosing the methods");
  hki_sim_set_memory(s, opt->memory);
  hk_status st = hki_sim_choose(s, opt);
  if (st == HK_OK) st = hki_sim_remember_options(s, opt);
  if (st == HK_OK) st = hki_sim_channels(s);
  if (st == HK_OK) st = hki_sim_fits_memory(s, opt);
  hki_phase(s->ctx, "building the equations");
  if (st == HK_OK) st = hki_tree_create(s->ctx, s->m, &s->tree);
  if (st == HK_OK) st = hki_formulation_create(s->fe, s->ctx, s->m, s->formulation_par, &s->f);
  if (st == HK_OK) {
    // a formulation may have changed its table by its options
    HK_ASSERT_TABLE("formulation", s->f->ops, hki_formulation_fault);
    // one set of discrete data for both machines
    s->kin = s->fe->kin(s->f);
    hki_kin_share_discrete(s->kin, &s->tree->kin);
    st = hki_normal_wrap(s->ctx, s->m, s->kin, s->fe->normal, s->f);
    if (st == HK_OK) st = hki_states_wrap(s->ctx, s->m, s->kin, &s->f);
    if (st == HK_OK) st = allow_iteration(s);
    if (st == HK_OK) st = hki_kin_team_create(s->ctx, s->kin, s->solver.threads);
    if (st == HK_OK && !s->reactions) st = hki_reactions_create(s->ctx, s->m, &s->reactions);
  }
  find_features(s);
  if (st == HK_OK) st = hki_sim_memory_check(s);
  if (st == HK_OK) st = allocate(s);
  if (st == HK_OK) st = hki_sim_inputs(s);
  if (st == HK_OK) st = hki_sim_parameters(s);
  if (st == HK_OK) st = hki_sim_breaks(s);
  if (st == HK_OK) st = hki_sim_windows(s);
  if (st == HK_OK) st = hki_sim_stops(s);
  if (st == HK_OK) st = hki_sim_locks(s);
  if (st == HK_OK && s->m->nnormal) {
    const size_t before = (size_t)(s->m->nnormal + s->m->nv);
    s->jam_work = hki_pool_alloc(s->pool, (size_t)hki_jam_work(s->m) * sizeof *s->jam_work);
    s->jam_before = hki_pool_alloc(s->pool, before * sizeof *s->jam_before);
    if (!s->jam_work || !s->jam_before) st = HK_E_MEMORY;
  }
  if (st == HK_OK) st = hki_sim_touches(s);
  if (st == HK_OK) st = hki_sim_channel_runs(s);
  if (st == HK_OK) {
    st = hki_work_init(s);
    hki_phase(s->ctx, "assembling the start");
    if (st == HK_OK) st = start(s);
    if (st == HK_OK && s->unsettled) st = hki_sim_settle_at_rest(s);
  }
  if (st == HK_OK && s->has_drives) st = hki_warn_motions(s->ctx, s->m, s->end, &s->jumping);
  return st;
}

hk_status hki_sim_create(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt, hk_sim **out) {
  hk_sim_options own;
  hk_status st = hki_model_tell(m, ctx);
  if (st == HK_OK) st = read_options(ctx, opt, &own);
  if (st != HK_OK) return st;
  const int32_t failures = hki_memory_failures(ctx);
  hk_sim *s = empty(ctx, m);
  if (!s) return HK_E_MEMORY;
  // nothing is lost by stopping before the start
  const bool before = hki_stop_allow(ctx, true);
  const char *phase = hki_phase(ctx, "");
  st = create(s, &own);
  hki_phase(ctx, phase);
  const bool stopped = st != HK_OK && hki_stopped(ctx);
  hki_stop_allow(ctx, before);
  if (stopped) {
    hk_sim_destroy(s);
    return HK_INTERRUPTED;
  }
  // memory that ran out anywhere leaves something incomplete; libraries may not report it
  if (hki_memory_failures(ctx) > failures)
    st = HK_E_MEMORY;
  else if (st == HK_E_MEMORY)
    hki_no_memory(ctx);
  if (st != HK_OK) {
    if (!hki_error_count(ctx))
      hki_error(ctx, st, HK_LOC_NONE, hk_status_hint(st), "%s", hk_status_text(st));
    hk_sim_destroy(s);
    return st;
  }
  *out = s;
  return HK_OK;
}

/* with the units of other tools that the model names */
static hk_status create_whole(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt, hk_sim **out) {
  hk_status st = hki_sim_create(ctx, m, opt, out);
  if (st == HK_OK && (st = hki_sim_attach(*out)) != HK_OK) {
    hk_sim_destroy(*out);
    *out = NULL;
  }
  return st;
}

hk_status hk_sim_create(hk_model *m, const hk_sim_options *opt, hk_sim **out) {
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_sim_create", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_sim_create", "no place for the simulation");
  return create_whole(m->ctx, m, opt, out);
}

hk_status hk_sim_create_in(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt, hk_sim **out) {
  if (out) *out = NULL;
  if (ctx && !hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_sim_create_in", "no context");
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(ctx, "hk_sim_create_in", "no model");
  if (!ctx) ctx = m->ctx;
  if (!out) return hki_misuse(ctx, "hk_sim_create_in", "no place for the simulation");
  return create_whole(ctx, m, opt, out);
}

void hk_sim_destroy(hk_sim *s) {
  if (!hki_is(s, HK_MARK_SIM)) return;
  hk_ctx *ctx = s->ctx;
  hki_stepper_free(s);
  hki_peers_close(s);
  hki_streams_free(s);
  hki_external_free(s);
  if (s->I.ops && s->I.ops->destroy) s->I.ops->destroy(&s->I);
  if (s->kin) hki_kin_team_end(ctx, s->kin);
  if (s->f) s->f->ops->destroy(s->f);
  if (s->reactions) hki_reactions_destroy(s->reactions);
  hki_tree_destroy(s->tree);
  if (s->pool) hki_pool_destroy(s->pool);
  hki_free(ctx, s->ring);
  hki_free(ctx, s->handles);
  hki_free(ctx, s->starts);
  hki_free(ctx, s->node_starts);
  hki_free(ctx, s->block);
  hki_model_release(s->m);
  hki_model_release(s->base);
  s->mark = 0;
  hki_free(ctx, s);
}
