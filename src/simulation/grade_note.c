/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_note.c: notes on a run. A file of its own: programs that take steps (guest/) have another one in its place.
 */
#include "simulation/simulation.h"

void hki_grade_note(hk_sim *s, hk_note note, double value) {
  hk_tally *n = &s->audit.watch.notes[note];
  if (!n->count++) n->first = s->I.t;
  if (value > n->most) n->most = value;
}
