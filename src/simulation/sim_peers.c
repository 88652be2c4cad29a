/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_peers.c: peers of a simulation (peer.h): who they are, and their calls at the moments of a step.
 *
 * Peers are called before a step and after it at grid times alone. A step that an event cuts belongs to
 * the same call as what follows it: what a peer has answered holds from grid time to grid time.
 */
#include <stdio.h>

#include "base/extend.h"
#include "base/realtime.h"
#include "simulation/peer.h"

/* a peer with its numbers */
typedef struct peer {
  hk_peer_link link;
  double *y, *u; /* nout, nin */
} peer;

struct hk_peers {
  int32_t n, cap;
  peer *list;
  int64_t grid;     /* grid time at which they were called before a step; -1: never */
  double h;         /* length of the step that is tried */
  bool in_steps;    /* some are loose or tight */
  bool failed;      /* one has ended the run */
  const peer *open; /* within a step: one that has not converged yet */
  double
      *stage; /* nq + 2 nv: the state of a stage, where elements have no hooks; NULL: not needed */
};

static hk_status refuse(hk_sim *s, const hk_peer_link *link, const char *hint, const char *why) {
  return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "a %s cannot take part in this run: %s",
                   link->ops->name, why);
}

/* why a peer that takes part within steps cannot do so here */
static hk_status refuse_within(hk_sim *s, const hk_peer_link *link) {
  const bool cut = s->windows.on || s->stops.n || s->locks.n || s->touches.n;
  uint32_t needs = 0;
  for (int32_t i = 0; i < link->nout; i++) needs |= s->handles[link->channels[i]].needs;
  if (needs & HK_VALUE_REACTIONS)
    return refuse(s, link, "with the coupling 'previous' it can",
                  "reactions are not known within a step");
  if (!(s->I.ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)) || s->I.ops->stages > 1)
    return refuse(s, link, "see 'hooke list integrators'",
                  "within steps it needs an implicit integrator of one stage");
  if (cut && !(link->ops->caps & HK_PEER_REPEATS))
    return refuse(s, link, "with the coupling 'previous' it can",
                  "events and stops repeat steps, and it cannot repeat one");
  if (!(link->ops->caps & HK_PEER_REPEATS)) s->substeps = false;
  return HK_OK;
}

/* memory for the state of a stage, which models without hooks of elements do not have */
static void use_stage(hk_sim *s) {
  double *x = s->peers->stage;
  if (x) s->hook_q = x, s->hook_v = x + s->I.nq, s->hook_a = s->hook_v + s->I.nv;
  if (s->peers->in_steps) s->newton.peers = hki_peers_stage, s->newton.user = s;
}

static bool stage_memory(hk_sim *s) {
  if (s->has_hooks || s->peers->stage) return true;
  const size_t n = (size_t)(s->I.nq + 2 * s->I.nv) + 1;
  return (s->peers->stage = hki_alloc(s->ctx, n * sizeof *s->peers->stage)) != NULL;
}

static hk_status remember(hk_sim *s, const hk_peer_link *link) {
  struct hk_peers *all = s->peers;
  if (!all) {
    s->peers = all = hki_alloc(s->ctx, sizeof *all);
    if (!all) return HK_E_MEMORY;
    all->grid = -1;
  }
  peer p = {.link = *link};
  const size_t no = (size_t)link->nout, ni = (size_t)link->nin;
  const bool within = link->coupling != HK_COUPLE_PREVIOUS;
  if ((within && !stage_memory(s)) || !HK_GROW(s->ctx, all->list, all->cap, all->n + 1))
    return HK_E_MEMORY;
  // one piece: y, u, channels, inputs
  p.y = hki_alloc(s->ctx, (no + ni + 1) * (sizeof *p.y + sizeof(int32_t)));
  if (!p.y) return HK_E_MEMORY;
  p.u = p.y + no;
  int32_t *channels = (int32_t *)(void *)(p.u + ni + 1), *inputs = channels + no;
  for (size_t i = 0; i < no; i++) channels[i] = link->channels[i];
  for (size_t i = 0; i < ni; i++) {
    inputs[i] = link->inputs[i];
    p.u[i] = hk_sim_input_get(s, inputs[i]);
  }
  p.link.channels = channels, p.link.inputs = inputs;
  all->list[all->n++] = p;
  all->in_steps |= within;
  use_stage(s);
  return HK_OK;
}

void hki_peers_follow(hk_sim *s, hk_sim *from) {
  s->peers = from->peers, from->peers = NULL;
  s->streams = from->streams, from->streams = NULL;
  s->externals = from->externals, from->externals = NULL;
  use_stage(s);
}

hk_status hki_sim_add_peer(hk_sim *s, const hk_peer_link *link) {
  if (s->free.on)
    return refuse(s, link, "give --step, and an integrator or step_control=off",
                  "the error decides on the length of the steps, and others cannot follow that");
  if (s->scheduled)
    return refuse(s, link, "give 'step' as a number", "the length of the steps follows a signal");
  hk_status st = link->coupling == HK_COUPLE_PREVIOUS ? HK_OK : refuse_within(s, link);
  return st == HK_OK ? remember(s, link) : st;
}

hk_status hki_sim_attach(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  if (!spec->nfmus) return HK_OK;
  const hk_peers_ops *ops = hki_extend_at(s->ctx, HK_EXTEND_PEERS, 0);
  if (ops) return ops->attach(s);
  return hki_error(s->ctx, HK_E_USAGE, spec->fmus[0].loc,
                   "it runs code of its own: --allow-fmus lets a model load it",
                   "the FMU '%s' of the model is not allowed", spec->fmus[0].name);
}

/* --- calls -------------------------------------------------------------------------------------- */

/* a peer has ended the run */
static hk_status failed(hk_sim *s, const peer *p, double t, hk_status st) {
  const char *words = p->link.ops->words ? p->link.ops->words(p->link.peer) : NULL;
  snprintf(s->message, sizeof s->message, "at t = %.9g s: %s%s%s", t, p->link.ops->name,
           words ? ": " : "", words ? words : "");
  s->peers->failed = true;
  // shorter steps would not help
  s->advice = st == HK_E_FILE
                  ? "the other program has gone, stalls or says something else: its own messages "
                    "tell more; the results so far are kept"
                  : "";
  return st;
}

bool hki_peers_failed(const hk_sim *s) { return s->peers && s->peers->failed; }

const char *hki_peers_open(const hk_sim *s) {
  const peer *p = s->peers && s->newton.waits ? s->peers->open : NULL;
  const char *words = p && p->link.ops->words ? p->link.ops->words(p->link.peer) : NULL;
  return words && words[0] ? words : NULL;
}

static bool are_finite(const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

/* calls a peer at the accepted state; what it answers waits for the next step */
static hk_status call(hk_sim *s, peer *p, hk_hook when) {
  const hk_peer_link *l = &p->link;
  hk_status st = l->nout ? hki_sim_values(s, l->nout, l->channels, p->y) : HK_OK;
  if (st != HK_OK) return st;
  const int64_t from = s->realtime ? hki_now() : 0;
  st = l->ops->exchange(l->peer, when, s->I.t, s->step, p->y, p->u);
  if (s->realtime) s->waited += hki_now() - from;
  if (st == HK_PEER_SILENT) return HK_OK;
  if (st == HK_PEER_END) return s->end = s->I.t, HK_OK;
  if (st != HK_OK) return failed(s, p, s->I.t, st == HK_RETRY ? HK_E_DIVERGED : st);
  if (!l->nin) return HK_OK;
  if (!are_finite(p->u, l->nin)) {
    snprintf(s->message, sizeof s->message,
             "at t = %.9g s: a %s has given a number that is not finite", s->I.t, l->ops->name);
    return HK_E_NUMBER;
  }
  if (!(l->ops->caps & HK_PEER_JUMPS)) return hki_sim_inputs_next(s, l->nin, l->inputs, p->u);
  bool same = true;
  for (int32_t i = 0; i < l->nin; i++) same &= hk_sim_input_get(s, l->inputs[i]) == p->u[i];
  return same ? HK_OK : hki_sim_inputs_jump(s, l->nin, l->inputs, p->u);
}

static hk_status call_all(hk_sim *s, hk_hook when) {
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < s->peers->n; i++) st = call(s, &s->peers->list[i], when);
  return st;
}

hk_status hki_peers_before(hk_sim *s) {
  if (!s->peers || s->peers->grid == s->grid) return HK_OK;
  s->peers->grid = s->grid;
  return call_all(s, HK_HOOK_BEFORE_PREDICTION);
}

hk_status hki_peers_accepted(hk_sim *s) {
  if (!s->peers || (s->peers->grid == s->grid && s->I.t < s->end)) return HK_OK;
  return call_all(s, HK_HOOK_ACCEPTED);
}

hk_status hki_peers_keep(hk_sim *s, double h) {
  hk_status st = HK_OK;
  if (!s->peers || !s->peers->in_steps) return HK_OK;
  s->peers->h = h;
  s->newton.waits = false;
  for (int32_t i = 0; st == HK_OK && i < s->peers->n; i++) {
    const hk_peer_link *l = &s->peers->list[i].link;
    if (l->coupling == HK_COUPLE_PREVIOUS || !(l->ops->caps & HK_PEER_REPEATS)) continue;
    st = l->ops->keep(l->peer);
  }
  return st;
}

void hki_peers_back(hk_sim *s) {
  for (int32_t i = 0; s->peers && s->peers->in_steps && i < s->peers->n; i++) {
    const peer *p = &s->peers->list[i];
    if (p->link.coupling == HK_COUPLE_PREVIOUS || !(p->link.ops->caps & HK_PEER_REPEATS)) continue;
    if (p->link.ops->back(p->link.peer) != HK_OK) s->peers_lost = true;
  }
}

/* the answer of a peer counts at once, over the whole step */
static hk_status put_within(hk_sim *s, const peer *p, double t) {
  if (!are_finite(p->u, p->link.nin)) {
    snprintf(s->message, sizeof s->message,
             "at t = %.9g s: a %s has given a number that is not finite", t, p->link.ops->name);
    return HK_E_NUMBER;
  }
  hki_sim_inputs_within(s, p->link.nin, p->link.inputs, p->u);
  return HK_OK;
}

hk_status hki_peers_stage(void *user, const hk_stage *st, hk_hook when, const double *D) {
  hk_sim *s = user;
  bool known = false, open = false;
  if (when == HK_HOOK_CONVERGED) return HK_OK;
  for (int32_t i = 0; i < s->peers->n; i++) {
    peer *p = &s->peers->list[i];
    const hk_peer_link *l = &p->link;
    if (l->coupling == HK_COUPLE_PREVIOUS) continue;
    if (l->coupling == HK_COUPLE_LOOSE && when != HK_HOOK_AFTER_PREDICTION) continue;
    hk_status status = known ? HK_OK : hki_sim_stage_state(s, st, D);
    known = true;
    if (status != HK_OK) return status;
    // channels are read from the machine of the simulation, which is at the stage now
    hk_kin *kin = s->kin;
    s->kin = &s->tree->kin;
    status = l->nout ? hki_sim_values(s, l->nout, l->channels, p->y) : HK_OK;
    s->kin = kin;
    if (status != HK_OK) return status;
    status = l->ops->exchange(l->peer, when, st->t, s->peers->h, p->y, p->u);
    if (status == HK_PEER_SILENT) continue;
    if (status == HK_RETRY) open = true, s->peers->open = p;
    if (status != HK_OK && status != HK_RETRY) return failed(s, p, st->t, status);
    if (l->nin && (status = put_within(s, p, st->t)) != HK_OK) return status;
  }
  s->newton.waits = open;
  return HK_OK;
}

void hki_peers_close(hk_sim *s) {
  if (!s->peers) return;
  for (int32_t i = 0; i < s->peers->n; i++) {
    const hk_peer_link *l = &s->peers->list[i].link;
    if (l->ops->close) l->ops->close(l->peer);
    hki_free(s->ctx, s->peers->list[i].y);
  }
  hki_free(s->ctx, s->peers->stage);
  hki_free(s->ctx, s->peers->list);
  hki_free(s->ctx, s->peers);
  s->peers = NULL;
}
