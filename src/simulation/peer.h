/* SPDX-License-Identifier: Apache-2.0
 *
 * peer.h: programs outside a simulation that take part in its steps: streams, other simulations, units
 * of other tools. A peer reads channels and sets inputs, at the moments of a step (base/hook.h):
 *
 *   previous  before the step, at the state it begins with. What the peer answers holds over the step.
 *   loose     once more at the predicted state of the step. The answer counts from there on.
 *   tight     after every iteration, until the peer says that it has converged: while it answers
 *             HK_RETRY, Newton's method goes on.
 *
 * Every peer is called once more when the step is accepted. A step that is tried again (an event within
 * it, an iteration that fails) must be tried with the same peer: `keep` before a step is tried, `back`
 * when it is taken back. A peer without them can be loose or tight only in models whose steps are never
 * repeated.
 *
 * Inputs lie in the discrete data of the simulation, so that a step which is taken back restores them.
 */
#ifndef HK_SIMULATION_PEER_H
#define HK_SIMULATION_PEER_H

#include "simulation/live.h"

typedef enum hk_peer_coupling {
  HK_COUPLE_PREVIOUS,
  HK_COUPLE_LOOSE,
  HK_COUPLE_TIGHT
} hk_peer_coupling;

enum {
  HK_PEER_REPEATS = 1u, /* keep, back */
  HK_PEER_SAVES = 2u,   /* state */
  HK_PEER_JUMPS = 4u    /* with the coupling previous: inputs jump to its answers, and stay there */
};

/* answers of a peer that sets nothing, and of one that ends the run well at this state */
#define HK_PEER_SILENT ((hk_status)100)
#define HK_PEER_END    ((hk_status)101)

typedef struct hk_peer_ops {
  const char *name; /* "stream", for messages */
  uint32_t caps;
  /* At time t, in a step of length h: y, values of the channels there; u, the inputs, as they were last.
   * HK_OK: u counts; HK_PEER_SILENT: it does not, inputs stay or go on as they were; HK_RETRY after an
   * iteration: not yet converged; else the run ends, and `words` says why. */
  hk_status (*exchange)(void *peer, hk_hook when, double t, double h, const double *y, double *u);
  hk_status (*keep)(void *peer); /* with HK_PEER_REPEATS: before a step is tried */
  hk_status (*back)(void *peer); /* with HK_PEER_REPEATS: it is taken back */
  /* with HK_PEER_SAVES: bytes of the state; blob not NULL: out, or in with `set`. 0: cannot now */
  size_t (*state)(void *peer, void *blob, size_t size, bool set);
  const char *(*words)(
      void *peer); /* why the last exchange failed, or what is not converged; may be NULL */
  void (*close)(void *peer); /* the simulation ends; may be NULL */
} hk_peer_ops;

typedef struct hk_peer_link {
  const hk_peer_ops *ops;
  void *peer; /* owned by the simulation once it has been added, ended by `close` */
  hk_peer_coupling coupling;
  int32_t nout, nin;
  const int32_t *channels; /* nout: handles of hk_sim_channel_handle */
  const int32_t *inputs;   /* nin: numbers of inputs */
} hk_peer_link;

/* An entry of HK_EXTEND_PEERS: the units that the model names become peers of a new simulation. */
typedef struct hk_peers_ops {
  hk_status (*attach)(hk_sim *s);
} hk_peers_ops;
/* calls the one that the context has; without one a model that names units is refused */
hk_status hki_sim_attach(hk_sim *s);

/* Adds a peer, or refuses it with a message; then the caller still owns it. */
hk_status hki_sim_add_peer(hk_sim *s, const hk_peer_link *link);

/* moments of a step (sim_step.c); each of them nothing without peers */
hk_status hki_peers_before(hk_sim *s);
hk_status hki_peers_accepted(hk_sim *s);
/* around a step that is tried; see keep and back */
hk_status hki_peers_keep(hk_sim *s, double h);
void hki_peers_back(hk_sim *s);
/* `peers` of hk_newton */
hk_status hki_peers_stage(void *user, const hk_stage *st, hk_hook when, const double *D);
/* s goes on in the place of `from`, with its peers */
void hki_peers_follow(hk_sim *s, hk_sim *from);
/* has one of them ended the run, as s->message says? */
bool hki_peers_failed(const hk_sim *s);
/* after a step that did not converge: words of a peer that has not, NULL: all have */
const char *hki_peers_open(const hk_sim *s);
/* closes them all */
void hki_peers_close(hk_sim *s);

#endif
