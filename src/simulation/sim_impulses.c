/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_impulses.c: impulses by which prescribed motions change their rates in no time.
 *
 * The multipliers of the closures are affine in the accelerations,
 *
 *   M a + Phi_z' lam(a) = Q
 *
 * so that M dv + Phi_z' p = 0 has the solution p = lam(a + dv) - lam(a), an impulse for each row.
 */
#include <string.h>

#include "simulation/simulation.h"

/* the multipliers of the rows with signals, times `sign`, added to s->row */
static void add_multipliers(hk_sim *s, double sign) {
  const double *lam = hki_reactions_multipliers(s->reactions);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += sign * lam[i];
}

void hki_sim_before_impulse(hk_sim *s) {
  hk_impulses *p = &s->impulses;
  // jumps that differ by rounding are one
  const bool more = hki_sim_right_behind(s, s->I.t, p->last);
  p->last = s->I.t;
  p->open = more && p->open;
  if (more) return;
  memcpy(s->v_before, s->vt, (size_t)s->m->nv * sizeof *s->v_before);
  memcpy(s->phit_before, s->kin->phit, (size_t)s->m->nrows * sizeof *s->phit_before);
}

/* has the rate of a prescribed motion changed? */
static bool rates_jump(const hk_sim *s) {
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t r = 0; s->kin->disc.active[c] != 0.0 && r < s->m->closures[c].nrows; r++) {
      const int32_t row = s->m->closures[c].row0 + r;
      const double a = s->phit_before[row], b = s->kin->phit[row];
      if (fabs(b - a) > 1e-6 * fmax(fabs(a), fabs(b))) return true;
    }
  return false;
}

void hki_sim_note_impulse(hk_sim *s, double energy) {
  const hk_model *m = s->m;
  hk_impulses *p = &s->impulses;
  if (!p->open && !rates_jump(s)) return;
  p->count += !p->open;
  p->open = 1;
  p->energy += energy;
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = 0.0;
  if (hki_sim_prepare_values(s, true, false) != HK_OK) return;
  add_multipliers(s, -1.0);
  for (int32_t i = 0; i < m->nv; i++) s->at[i] += s->vt[i] - s->v_before[i];
  s->reactions_known = false;
  hk_status st = hki_sim_prepare_values(s, true, false);
  s->reactions_known = false;
  add_multipliers(s, 1.0);
  for (int32_t c = 0; st == HK_OK && c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++) {
      const int32_t row = m->closures[c].row0 + r;
      const bool driven = s->kin->disc.active[c] != 0.0 && m->closures[c].row_signal[r] != HK_NONE;
      if (!driven || !(fabs(s->row[row]) > p->largest)) continue;
      p->largest = fabs(s->row[row]), p->t = s->I.t, p->row = row;
    }
  hki_sim_refresh(s);
}

void hki_sim_tell_impulses(hk_sim *s) {
  const hk_impulses *p = &s->impulses;
  char what[300];
  if (!p->count || !s->jumping) return;
  hki_model_row_name(s->m, p->row, what, sizeof what);
  hki_note(s->ctx, HK_LOC_NONE,
           "rates of prescribed motions have jumped at %lld time%s, by impulses that no 'drive' "
           "shows and that supplied %.4g J; the largest: %s, %.4g %s at t = %.6g s",
           (long long)p->count, p->count == 1 ? "" : "s", p->energy, what, p->largest,
           hki_model_row_is_length(s->m, p->row) ? "N*s" : "N*m*s", p->t);
}
