/* SPDX-License-Identifier: Apache-2.0
 *
 * batch_impl.h: many worlds of one model (hooke/batch.h). A small table of operations carries them out; there is one for a
 * compiled program in lanes (lanes.c), one for a graphics processor (card.c) and one for the library's own steps (library.c):
 *
 *   create, destroy   memory of the worlds, all at the start of the model
 *   reset, set, put, get   of chosen worlds
 *   run               steps of all worlds that have not failed, with inputs and outputs along the way
 *
 * Every thread has a simulation of the library (bridge.c), which takes and gives the coordinates of the spanning tree and finds
 * the channels that a program has not.
 */
#ifndef HK_BATCH_IMPL_H
#define HK_BATCH_IMPL_H

#include "base/argument.h"
#include "hooke/batch.h"
#include "simulation/live.h"

/* chosen worlds */
typedef struct hk_worlds {
  int32_t n;
  const int32_t *of; /* NULL: the first n */
} hk_worlds;
static inline int32_t hki_world(const hk_worlds *w, int32_t i) { return w->of ? w->of[i] : i; }

typedef struct hk_batch_run {
  int64_t steps, every;
  const double *inputs; /* NULL: as they are */
  bool same;            /* inputs of one world, for all */
  double *outputs;      /* NULL: not wanted */
} hk_batch_run;

/* numbers of all worlds where they lie on a card: number i of world w at [i stride + w] */
typedef struct hk_batch_lent {
  uint64_t at; /* 0: they do not lie there */
  int64_t stride;
  int32_t numbers, card;
  bool single, copied, read_only;
  void *hold; /* what keeps them there, and its end */
  void (*let_go)(void *hold);
} hk_batch_lent;

typedef struct hk_batch_ops {
  int32_t way; /* hk_batch_way */
  /* b->why says in words why it cannot be, without an error in the context */
  hk_status (*create)(hk_batch *b);
  void (*destroy)(hk_batch *b);
  hk_status (*reset)(hk_batch *b, const hk_worlds *w);
  hk_status (*set)(hk_batch *b, int32_t what, const hk_worlds *w, const double *x, bool same);
  /* the state of a simulation, sealed bytes that are known to be good; the first bridge's is in it */
  hk_status (*put)(hk_batch *b, const hk_worlds *w, const void *blob);
  hk_status (*get)(hk_batch *b, int32_t what, const hk_worlds *w, double *x);
  hk_status (*run)(hk_batch *b, const hk_batch_run *r);
  hk_status (*lend)(hk_batch *b, int32_t what, hk_batch_lent *out); /* NULL: it has no card */
} hk_batch_ops;

/* the simulation of one thread */
typedef struct hk_bridge {
  hk_ctx *ctx;
  hk_sim *sim;
} hk_bridge;

typedef struct hk_batch_names {
  int32_t n;
  const char **of;
} hk_batch_names;

struct hk_batch {
  hk_mark mark;
  hk_ctx *ctx;
  hk_pool *pool;
  hk_model *model;
  hk_batch_options opt;
  const hk_batch_ops *ops;
  void *own; /* of ops */
  hk_team *team;
  int32_t parts;     /* threads */
  hk_bridge *bridge; /* parts; all but the first are made when they are needed */
  bool bridged;
  hk_batch_names inputs, outputs, parameters;
  int32_t *handles;      /* of outputs */
  int32_t *numbers;      /* of parameters */
  double *starts;        /* of inputs */
  void *first;           /* the state at the start, sealed */
  size_t bytes;          /* of a state */
  int32_t states, width; /* set by ops */
  int32_t *status;       /* worlds */
  int64_t *iterations;   /* worlds */
  double seconds;
  char why[640], compiler[160];
};

extern const hk_batch_ops hki_batch_lanes, hki_batch_library, hki_batch_card;

/* how many numbers a world has of them */
int32_t hki_batch_size(const hk_batch *b, int32_t what);
/* where the numbers of the i-th chosen world are in `x` */
static inline const double *hki_batch_row(const double *x, int32_t i, int32_t n, bool same) {
  return x + (same ? 0 : (size_t)i * (size_t)n);
}

/* are so many bytes within what the simulation's options, or the machine, allow? Else an error that says so */
hk_status hki_batch_fits(hk_batch *b, double bytes);

/* [0, n) in contiguous pieces, one for each thread; the first status but HK_OK */
typedef hk_status hk_batch_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user);
hk_status hki_batch_share(hk_batch *b, int32_t n, hk_batch_piece *piece, void *user);
/* every chosen world, on all threads; the first status but HK_OK, behind which the others go on */
typedef hk_status hk_batch_each(hk_batch *b, int32_t part, int32_t world);
hk_status hki_batch_all(hk_batch *b, const hk_worlds *w, hk_batch_each *each);

/* numbers that are set or got of chosen worlds */
typedef struct hk_batch_chosen {
  int32_t what;
  const hk_worlds *w;
  const double *from;
  double *to;
  bool same;
} hk_batch_chosen;

/* how many numbers an output row of a world has failed for are not numbers */
void hki_batch_blank(const hk_batch *b, const hk_batch_run *r, int32_t world, int64_t row);

/* names of outputs from channels and patterns, numbers of parameters, inputs with their starts (names.c) */
hk_status hki_batch_find_names(hk_batch *b);

/* the simulations of all threads; HK_E_MEMORY and the like */
hk_status hki_bridge_create(hk_batch *b);
hk_status hki_bridge_ready(hk_batch *b);
void hki_bridge_destroy(hk_batch *b);
/* the state of the model's start, at a time */
hk_status hki_bridge_start(hk_batch *b, int32_t part);

#endif
