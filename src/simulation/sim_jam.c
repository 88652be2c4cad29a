/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_jam.c: joints that their own friction jams end a run by name (analyses/jam.h). The state is looked
 * at where the run starts, where a step fails, and now and then: seldom while the gains of all frictions
 * are far below one, at every step where one comes near to it. Where a normal force leaps, the joint may have been
 * stopped by its jam within the step, as if by a blow: then the velocities before it are tried.
 */
#include "analyses/jam.h"

#include <stdio.h>

#include "simulation/simulation.h"

enum { SELDOM = 64, OFTEN = 8 };

/* margins above which it is looked at seldom, and often */
static const double far = 0.5, near = 0.2;
/* by which a normal force grows within a step, so that it is looked at */
static const double leap = 4.0;

/* at the state in qt and vt; false: no joint is jammed there */
static bool look(hk_sim *s, hk_jam *j) {
  const hk_model *m = s->m;
  hki_kin_unknowns(&s->tree->kin, s->vt + m->nv, NULL);
  hki_kin_hold_states(&s->tree->kin, s->vt + m->nv + m->nx);
  const hk_status st = hki_jam(s->tree, s->I.t, s->qt, s->vt, s->jam_work, j);
  s->reactions_known = false;
  return st == HK_OK && !(j->margin > 0.0);
}

bool hki_sim_would_jam(hk_sim *s) {
  hk_jam j;
  return s->m->nnormal && look(s, &j);
}

/* names the joint */
static void tell(hk_sim *s, const hk_jam *j) {
  char words[400];
  hki_jam_words(s->m, j, words, sizeof words);
  snprintf(s->message, sizeof s->message, "at t = %.9g s: %s", s->I.t, words);
  s->advice = hki_jam_hint;
}

bool hki_sim_jammed(hk_sim *s) {
  hk_jam j;
  if (!s->m->nnormal) return false;
  const bool jammed = look(s, &j);
  s->jam_hold = j.margin > far ? SELDOM : j.margin > near ? OFTEN : 1;
  if (jammed) tell(s, &j);
  return jammed;
}

/* would a joint jam here at the velocities of the step before? */
static bool jams_at_once(hk_sim *s) {
  double *v = s->jam_before + s->m->nnormal;
  hk_jam j;
  for (int32_t i = 0; i < s->m->nv; i++) {
    const double now = s->vt[i];
    s->vt[i] = v[i], v[i] = now;
  }
  const bool jammed = look(s, &j);
  memcpy(s->vt, v, (size_t)s->m->nv * sizeof *v);
  if (jammed) tell(s, &j);
  return jammed;
}

bool hki_sim_jams(hk_sim *s) {
  const int32_t n = s->m->nnormal;
  const double *N = s->kin->disc.normal;
  bool leaps = false;
  if (!n) return false;
  // a normal force that leaps within a step may be the blow by which a jam has stopped a joint
  for (int32_t i = 0; i < n; i++) leaps |= s->jam_before[i] > 0.0 && N[i] > leap * s->jam_before[i];
  const bool jammed = (--s->jam_hold < 0 && hki_sim_jammed(s)) || (leaps && jams_at_once(s));
  memcpy(s->jam_before, N, (size_t)n * sizeof *N);
  memcpy(s->jam_before + n, s->vt, (size_t)s->m->nv * sizeof *s->vt);
  return jammed;
}
