/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_jam.c: joints that their own friction jams end a run by name (analyses/jam.h). The state is looked
 * at where the run starts, where a step fails, and now and then: seldom while the gains of all frictions
 * are far below one, at every step where one comes near to it.
 */
#include "analyses/jam.h"

#include <stdio.h>

#include "simulation/simulation.h"

enum { SELDOM = 64, OFTEN = 8 };

/* margins above which it is looked at seldom, and often */
static const double far = 0.5, near = 0.2;

bool hki_sim_jammed(hk_sim *s) {
  const hk_model *m = s->m;
  hk_jam j;
  char words[400];
  if (!m->nnormal) return false;
  hki_kin_unknowns(&s->tree->kin, s->vt + m->nv, NULL);
  hki_kin_hold_states(&s->tree->kin, s->vt + m->nv + m->nx);
  const hk_status st = hki_jam(s->tree, s->I.t, s->qt, s->vt, s->jam_work, &j);
  s->reactions_known = false;
  s->jam_hold = j.margin > far ? SELDOM : j.margin > near ? OFTEN : 1;
  if (st != HK_OK || j.margin > 0.0) return false;
  hki_jam_words(m, &j, words, sizeof words);
  snprintf(s->message, sizeof s->message, "at t = %.9g s: %s", s->I.t, words);
  s->advice = hki_jam_hint;
  return true;
}

bool hki_sim_jams(hk_sim *s) { return s->m->nnormal && --s->jam_hold < 0 && hki_sim_jammed(s); }
