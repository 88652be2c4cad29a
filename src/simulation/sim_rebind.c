/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_rebind.c: a run goes on with another model of the same shape (model/same.c): with other masses,
 * stiffnesses, laws, lengths. A simulation of that model is made, the state is put into it, and it takes
 * the place of the old one behind the caller's handle; so no machine has to know which of its constants
 * came from which number. A change that is refused leaves the simulation as it was.
 *
 *   same places    positions and velocities stay bit by bit; a prescribed position must not jump
 *   other places   values and rates of joint coordinates stay as near as loops allow, as at a restart
 *                  (sim_restart.c)
 *
 * Accelerations and histories are found anew; the change of energy counts as supplied.
 */
#include <stdio.h>

#include "simulation/peer.h"
#include "simulation/stepper.h"

/* --- refusing ------------------------------------------------------------------------------------- */

/* text: "parameter 'n' (3, would be 4)" for the first parameters that differ */
static void name_changes(const hk_spec *a, const hk_spec *b, char *text, size_t cap) {
  size_t at = 0;
  int32_t named = 0;
  snprintf(text, cap, "the model");
  for (int32_t i = 0; i < a->nparameters && i < b->nparameters && named < 3; i++) {
    const hk_spec_parameter *p = &a->parameters[i], *q = &b->parameters[i];
    if (strcmp(p->name, q->name) != 0 || p->value == q->value) continue;
    const int n = snprintf(text + at, cap - at, "%s '%.100s' (%.9g, would be %.9g)",
                           named++ ? "," : "parameter", p->name, p->value, q->value);
    if (n < 0 || (at += (size_t)n) >= cap) return;
  }
}

static hk_status refuse(hk_sim *s, const hk_model *m, const char *what) {
  char names[500];
  name_changes(s->m->spec, m->spec, names, sizeof names);
  return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE,
                   "begin a new simulation of the model with this value",
                   "%s cannot change during a run: %s", names, what);
}

/* --- another simulation in the same state ------------------------------------------------------------ */

/* pointers of a simulation to its own parts */
static void own(hk_sim *s) {
  s->I.newton = &s->newton;
  if (s->newton.hook || s->newton.peers) s->newton.user = s;
  s->kin->trace = &s->work.trace[!s->work.now];
}

/* c takes the place of s and has what the program gave to s; the former s ends */
static void replace(hk_sim *s, hk_sim *c) {
  const hk_sim old = *s;
  *s = *c;
  *c = old;
  own(s), own(c);
  snprintf(s->why, sizeof s->why, "%s", c->why);
  s->ring = c->ring, c->ring = NULL;
  s->ring_bytes = c->ring_bytes, s->ring_size = c->ring_size;
  s->ring_last = c->ring_last, s->ring_kept = c->ring_kept;
  s->starts = c->starts, c->starts = NULL;
  s->nstarts = c->nstarts, s->starts_cap = c->starts_cap;
  s->node_starts = c->node_starts, c->node_starts = NULL;
  s->nnode_starts = c->nnode_starts, s->node_starts_cap = c->node_starts_cap;
  s->until = c->until;
  hki_stepper_drop(c, "parameters have been changed");
  s->stepper = c->stepper, c->stepper = NULL;
  if (c->peers) hki_peers_follow(s, c);
  s->realtime = c->realtime;
  hk_sim_destroy(c);
}

/* a simulation of m with the methods of s, at its start */
static hk_status twin(hk_sim *s, hk_model *m, hk_sim **out) {
  char what[400];
  const hk_sim_options opt = hki_sim_same_options(s);
  if (!hki_model_same_shape(s->m, m, what, sizeof what)) return refuse(s, m, what);
  const bool muted = hki_ctx_mute(s->ctx, true);
  hk_status st = hki_sim_create(s->ctx, m, &opt, out);
  hki_ctx_mute(s->ctx, muted);
  if (st == HK_OK) st = hki_sim_copy_handles(*out, s);
  const char *why = st == HK_OK ? hki_state_differs(s, *out) : NULL;
  if (why) st = refuse(s, m, why);
  if (st != HK_OK) hk_sim_destroy(*out), *out = NULL;
  return st;
}

/* --- the state -------------------------------------------------------------------------------------- */

/* why places cannot change now, NULL: they can */
static const char *fixed_places(const hk_sim *s, const hk_model *m, char *what, size_t cap) {
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].remark != HK_NONE) {
      snprintf(what, cap, "events may move the place of joint '%.200s'",
               m->spec->joints[m->closures[c].joint].name);
      return what;
    }
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *a = &s->m->bodies[i], *b = &m->bodies[i];
    if (b->nv != 6 || memcmp(a->com0, b->com0, sizeof a->com0) == 0) continue;
    snprintf(what, cap, "body '%.200s' moves freely, and its centre of mass would be elsewhere",
             m->spec->bodies[b->spec].name);
    return what;
  }
  return NULL;
}

/* the values and rates of joint coordinates of s in c, with loops closed */
static hk_status move(hk_sim *s, hk_sim *c) {
  char what[400];
  const char *why = fixed_places(s, c->m, what, sizeof what);
  if (why) return refuse(s, c->m, why);
  memcpy(c->qt, s->qt, (size_t)s->m->nq * sizeof *s->qt);
  memcpy(c->vt, s->vt, (size_t)hki_model_values(s->m) * sizeof *s->vt);
  for (int32_t i = 0; i < s->m->ns; i++) {
    const hk_scalar *a = &s->m->scalars[i], *b = &c->m->scalars[i];
    if (b->qi == HK_NONE) continue;
    c->qt[b->qi] = b->sign * (a->sign * s->qt[a->qi] + (a->zero - b->zero));
    c->vt[b->vi] = b->sign * (a->sign * s->vt[a->vi]);
  }
  return hki_sim_assemble_here(c);
}

/* the state of s enters c, which finds its accelerations */
static hk_status carry(hk_sim *s, hk_sim *c, hk_before_change *before, const void *user) {
  unsigned char *blob = hki_alloc(s->ctx, hki_state_size(s));
  if (!blob) return HK_E_MEMORY;
  hki_state_get(s, blob, false);
  hki_sim_keep_rows(s);
  hk_status st = hki_state_set(c, blob);
  hki_free(s->ctx, blob);
  if (st != HK_OK) return st;
  c->free.late = false, c->free.arrival = 0;
  if (before) before(c, user);
  if (!hki_model_same_places(s->m, c->m)) return move(s, c);
  memcpy(c->row, s->row, (size_t)s->m->nrows * sizeof *s->row);
  return hki_sim_changed(c);
}

/* a failure in c is told as one of s, with the parameters that it comes from */
static hk_status tell(hk_sim *s, const hk_sim *c, hk_status st) {
  char names[500];
  if (c->message[0]) hki_error(s->ctx, st, HK_LOC_NONE, c->advice, "%s", c->message);
  if (st == HK_E_MEMORY || st == HK_E_USAGE) return st;
  name_changes(s->m->spec, c->m->spec, names, sizeof names);
  return hki_error(s->ctx, st, HK_LOC_NONE, "see the messages before", "%s cannot change now",
                   names);
}

hk_status hki_sim_follow(hk_sim *s, hk_model *m, const double *live, hk_before_change *before,
                         const void *user) {
  hk_sim *c = NULL;
  hk_status st = twin(s, m, &c);
  if (st != HK_OK) return st;
  st = carry(s, c, before, user);
  if (st != HK_OK) {
    st = tell(s, c, st);
    hk_sim_destroy(c);
    return st;
  }
  for (int32_t i = 0; i < m->spec->nparameters; i++) c->live[i] = live ? live[i] : NAN;
  if (live) {
    hki_model_release(c->base);
    c->base = hki_model_retain(s->base);
  }
  replace(s, c);
  return HK_OK;
}

hk_status hki_sim_relive(hk_sim *s, const void *blob) {
  const size_t n = (size_t)s->m->spec->nparameters;
  double *live = hki_alloc(s->ctx, (n + 1) * sizeof *live);
  hk_sim *c = NULL;
  if (!live) return HK_E_MEMORY;
  memcpy(live, hki_state_live(blob), n * sizeof *live);
  hk_model *m = hki_sim_vary(s, live);
  hk_status st = m ? twin(s, m, &c) : HK_E_USAGE;
  if (m) hki_model_release(m);
  if (st == HK_OK) st = hki_state_set(c, blob);
  if (st == HK_OK) {
    hki_model_release(c->base);
    c->base = hki_model_retain(s->base);
    replace(s, c);
  } else {
    hk_sim_destroy(c);
  }
  hki_free(s->ctx, live);
  return st;
}

hk_status hk_sim_rebind(hk_sim *s, hk_model *changed) {
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_sim_rebind", "no simulation");
  if (!hki_is(changed, HK_MARK_MODEL)) return hki_misuse(s->ctx, "hk_sim_rebind", "no model");
  if (s->status != HK_OK) return s->status;
  hk_status st = hki_sim_follow(s, changed, NULL, NULL, NULL);
  // states of another model cannot be returned to
  if (st == HK_OK) s->ring_last = -1, s->ring_kept = 0;
  return st;
}
