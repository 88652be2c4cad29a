/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_stepper.c: steps by a compiled program, and its state out of and into the simulation.
 */
#include "simulation/stepper.h"

#include <stdio.h>

#include "simulation/live.h"

/* --- life ------------------------------------------------------------------------------------- */

hk_stepper *hki_stepper_create(hk_sim *s) {
  hki_stepper_free(s);
  return s->stepper = hki_alloc(s->ctx, sizeof *s->stepper);
}

void hki_stepper_drop(hk_sim *s, const char *why) {
  hk_stepper *p = s->stepper;
  if (!p || !p->step) return;
  hki_stepper_show(s);
  p->loaded = false;
  if (p->close) p->close(p->library);
  p->step = NULL, p->outputs = NULL, p->library = NULL;
  snprintf(p->why, sizeof p->why, "%s", why);
}

void hki_stepper_free(hk_sim *s) {
  hk_stepper *p = s->stepper;
  if (!p) return;
  if (p->step && p->close) p->close(p->library);
  hki_free(s->ctx, p->x);
  hki_free(s->ctx, p->start);
  hki_free(s->ctx, p->fixed);
  hki_free(s->ctx, p->is_state);
  hki_free(s->ctx, p);
  s->stepper = NULL;
}

const char *hki_stepper_refuses(const hk_sim *s) {
  if (s->given.kinematics) return "all of its motion is prescribed";
  if (s->free.on) return "its steps are chosen by their error";
  if (s->scheduled) return "its step follows a signal";
  if (s->I.ops->steps == HK_STEPS_OWN) return "the integrator chooses its steps itself";
  if (s->m->spec->nevents) return "it has events";
  if (s->has_hooks) return "it has elements that take part in the steps";
  if (s->peers || s->streams || s->externals || s->m->spec->nfmus || s->m->spec->nstreams ||
      s->m->spec->nexternals)
    return "other programs take part in its steps";
  if (s->stops.n) return "it has stops that lock joints";
  if (s->locks.n) return "it has friction that sticks exactly";
  if (s->touches.n) return "it has stops whose ends are found within steps";
  if (s->has_contacts) return "it has joints that only push";
  if (s->m->nnormal) return "it has friction by reactions, which is watched for jams";
  if (s->I.ops->stable > 0.0 && s->I.nx)
    return "its network is watched for being too fast for the steps";
  if (s->kin->nseen && s->has_drives)
    return "signals follow reactions or other numbers of accepted states, and the audit of its "
           "motions is the library's";
  if (s->newton.fixed || s->newton.space)
    return "its iterations are not those of Newton's method to the end";
  for (int32_t i = 0; i < s->m->spec->nparameters; i++)
    if (!isnan(s->live[i])) return "its parameters have been changed";
  return NULL;
}

static bool fits(hk_sim *s, const hk_numbers *block, int32_t nblocks) {
  hk_stepper *p = s->stepper;
  p->time = -1;
  for (int32_t i = 0; i < p->n; i++) {
    const int32_t b = p->block[i], k = p->place[i];
    if (b == HK_STEPPER_OWN) continue;
    if (b == HK_STEPPER_INPUT ? k < 0 || k >= s->ninputs
                              : b < 0 || b >= nblocks || k < 0 || k >= block[b].n)
      return false;
    if (b >= 0 && block[b].at + k == &s->I.t) p->time = i;
  }
  return p->time >= 0;
}

bool hki_stepper_attach(hk_sim *s) {
  hk_stepper *p = s->stepper;
  hk_numbers block[HK_NUMBERS];
  const int32_t nblocks = hki_sim_numbers(s, block), nd = s->kin->disc.n;
  if (!fits(s, block, nblocks)) {
    hki_stepper_drop(s, "the program does not fit the simulation");
    return false;
  }
  p->fixed = hki_alloc(s->ctx, ((size_t)nd + 1) * sizeof *p->fixed);
  p->is_state = hki_alloc(s->ctx, (size_t)nd + 1);
  p->start = hki_alloc(s->ctx, 2 * ((size_t)p->n + 1) * sizeof *p->start);
  if (!p->fixed || !p->is_state || !p->start) return hki_stepper_drop(s, "out of memory"), false;
  p->trial = p->start + p->n;
  memcpy(p->start, p->x, (size_t)p->n * sizeof *p->x);
  memcpy(p->fixed, s->kin->disc.block, (size_t)nd * sizeof *p->fixed);
  for (int32_t i = 0; i < p->n; i++)
    if (p->block[i] >= 0 && block[p->block[i]].at == s->kin->disc.block)
      p->is_state[p->place[i]] = 1;
  return true;
}

/* --- state out and in --------------------------------------------------------------------------- */

void hki_stepper_show(hk_sim *s) {
  hk_stepper *p = s->stepper;
  if (!p || !p->ahead) return;
  hk_numbers block[HK_NUMBERS];
  const double t = s->I.t;
  hki_sim_numbers(s, block);
  for (int32_t i = 0; i < p->n; i++)
    if (p->block[i] >= 0) block[p->block[i]].at[p->place[i]] = p->x[i];
  p->ahead = p->loaded = false;
  s->I.t = t;
  s->jump_known = s->audit.watch.jump != 0.0;
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_sim_refresh(s);
}

/* have numbers changed that the program takes for constants? */
static bool changed(const hk_sim *s) {
  const hk_stepper *p = s->stepper;
  const double *now = s->kin->disc.block;
  for (int32_t i = 0; i < s->kin->disc.n; i++)
    if (!p->is_state[i] && now[i] != p->fixed[i] && !(isnan(now[i]) && isnan(p->fixed[i])))
      return true;
  return false;
}

static bool load(hk_sim *s) {
  hk_stepper *p = s->stepper;
  if (p->loaded) return true;
  if (changed(s)) {
    hki_stepper_drop(s, "numbers of the model have changed that the program takes for constants");
    return false;
  }
  hk_numbers block[HK_NUMBERS];
  hki_sim_numbers(s, block);
  for (int32_t i = 0; i < p->n; i++) {
    if (p->block[i] >= 0) p->x[i] = block[p->block[i]].at[p->place[i]];
    if (p->block[i] == HK_STEPPER_INPUT) p->x[i] = hk_sim_input_get(s, p->place[i]);
    if (p->block[i] == HK_STEPPER_OWN) p->x[i] = NAN; // nothing may depend on it here
  }
  return p->loaded = true;
}

bool hki_stepper_values(hk_sim *s, double *values) {
  const hk_stepper *p = s->stepper;
  if (!p || !p->ahead || !p->outputs) return false;
  p->outputs(p->x, values);
  return true;
}

/* --- steps -------------------------------------------------------------------------------------- */

/* Numbers that only the program knows are left over from iterations, and nobody asks for them before they are stored again. Does a step from
 * here depend on them? */
static bool depends(const hk_stepper *p, int turns) {
  if (p->step(p->trial) != turns) return true;
  for (int32_t i = 0; i < p->n; i++)
    if (p->block[i] >= 0 && memcmp(&p->x[i], &p->trial[i], sizeof p->x[i]) != 0) return true;
  return false;
}

/* is the next step a whole one, to the next grid time, in which no signal jumps or bends? */
static bool is_whole(hk_sim *s, double *target) {
  const double eps = 1e-9 * s->step;
  *target = hki_sim_grid_time(s, s->grid + 1);
  if (*target > s->end - eps) *target = s->end;
  if (s->breaks.n && hki_sim_next_break(s) <= *target + eps) return false;
  return !(s->until < *target + eps) && fabs(*target - s->I.t - s->step) <= eps;
}

/* the audit of a step that the program has taken without it, as in sim_step.c */
static void audit(hk_sim *s) {
  hk_integrator *I = &s->I;
  const size_t bytes = (size_t)I->nv * sizeof *I->v;
  memcpy(I->vh, I->v, bytes);
  hki_stepper_show(s);
  memcpy(I->v1, I->v, bytes);
  memcpy(I->v, I->vh, bytes);
  hki_grade_step(s, s->step);
  memcpy(I->v, I->v1, bytes);
  hki_sim_audit_step(s, s->step);
}

/* It cannot take this step, and the library will; where that is the rule, it is not asked again. */
static bool give_up(hk_sim *s) {
  enum { TRIES = 50, SHARE = 4 };
  hk_stepper *p = s->stepper;
  hki_stepper_show(s);
  p->loaded = false;
  if (++p->refused > TRIES && SHARE * p->refused > p->steps)
    hki_stepper_drop(s, "the library has to take too many of its steps");
  return false;
}

bool hki_stepper_advance(hk_sim *s) {
  hk_stepper *p = s->stepper;
  double target;
  // while the library takes another tangent, the steps are its own
  const bool other = s->newton.choice.exact && s->newton.choice.hold > 0;
  if (other || !is_whole(s, &target) || !load(s)) {
    hki_stepper_show(s);
    return false;
  }
  p->x[p->time] = s->I.t;
  for (int32_t i = 0; i < p->n && !p->proven; i++)
    p->trial[i] = p->block[i] != HK_STEPPER_OWN ? p->x[i] : isnan(p->start[i]) ? 1.0 : p->start[i];
  int turns = p->step(p->x);
  if (turns < 0) return give_up(s);
  // the first step is taken by the library too
  if (!p->proven && depends(p, turns))
    hki_stepper_drop(s, "its steps need numbers that the simulation does not keep");
  if (!p->proven) return false;
  if (turns == 0) turns = p->turns;
  p->ahead = true;
  p->steps++;
  s->newton.iterations += turns, s->newton.last = turns;
  s->steps++, s->grid++;
  s->I.t = target;
  if (!p->audits) audit(s);
  return true;
}

/* largest difference of the program's numbers in a block to those of the simulation, in parts of the largest of them or of 1 */
static double difference(const hk_stepper *p, int32_t b, const double *at) {
  double most = 1.0, off = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->block[i] != b) continue;
    most = fmax(most, fabs(at[p->place[i]]));
    off = fmax(off, fabs(p->x[i] - at[p->place[i]]));
    if (isnan(p->x[i])) return INFINITY;
  }
  return off / most;
}

void hki_stepper_compare(hk_sim *s) {
  static const double alike = 1e-6;
  hk_stepper *p = s->stepper;
  hk_numbers block[HK_NUMBERS];
  const int32_t n = hki_sim_numbers(s, block);
  double off = 0.0;
  char words[120];
  for (int32_t b = 0; b < n; b++)
    if (block[b].at == s->I.q || block[b].at == s->I.v || block[b].at == s->I.a)
      off = fmax(off, difference(p, b, block[b].at));
  p->loaded = false, p->proven = true;
  p->turns = s->newton.last;
  if (off <= alike) return;
  snprintf(words, sizeof words, "its first step differs from the library's by %.2g", off);
  hki_stepper_drop(s, words);
}
