/* SPDX-License-Identifier: Apache-2.0
 *
 * device.h: many worlds of one model on a card. The text of their kernels (codegen/write.h) is compiled for the card that is
 * there and kept for the next time; the states stay on the card, number i of world w at x[i stride + w].
 *
 * Everything may fail: no card, no compiler, no memory, a card that does not answer. Then a function returns something else
 * than HK_OK and `why` says in words what happened; what was asked for can be done by the processor.
 */
#ifndef HK_DEVICE_DEVICE_H
#define HK_DEVICE_DEVICE_H

#include "device/cuda.h"

typedef struct hk_device_job {
  const char *text; /* kernels, ended by NUL */
  bool single;      /* its numbers are floats */
  int32_t states;   /* numbers of a world, */
  int32_t inputs;   /* of its inputs, */
  int32_t outputs;  /* and of its outputs */
  int32_t worlds;   /* at least 1 */
  int32_t warps;    /* that share the steps of 32 worlds; 0, 1: a thread has a world of its own */
  int32_t numbers;  /* of a world that such warps share */
  int32_t ordinal;  /* which card, from 0 */
  double compile_limit; /* seconds that the compiler may take; 0: 300 */
  double limit;         /* seconds that one call of the card may take; 0: 60 */
} hk_device_job;

/* what was found, for reports */
typedef struct hk_device_facts {
  char name[128]; /* of the card */
  int arch;       /* version of its instructions: 90 is 9.0 */
  int processors; /* of the card */
  int registers;  /* of a thread of the step */
  int local;      /* bytes of memory of such a thread, for what does not fit into registers */
  int threads;    /* of a block */
  int shared; /* numbers of a world in the memory that warps share; others go through the card's */
  bool kept;  /* the program was in the folder already */
  double seconds;    /* that the compiler took */
  char compiler[80]; /* its name and version */
  int64_t bytes;     /* of the card's memory */
  int64_t launches;  /* so far */
} hk_device_facts;

typedef struct hk_device hk_device;

/* NULL in *out unless HK_OK: HK_E_FILE (no card, driver or compiler, or they fail), HK_E_MEMORY, HK_E_USAGE (no such card),
 * HK_INTERRUPTED. All worlds are at the start of the model. */
hk_status hki_device_open(hk_ctx *ctx, const hk_device_job *job, hk_device **out, char *why,
                          size_t cap);
void hki_device_close(hk_device *d);
const hk_device_facts *hki_device_facts(const hk_device *d);
/* why the last call failed, in words */
const char *hki_device_why(const hk_device *d);

/* Of the `n` worlds in `which`, in any order, none twice; NULL: of the first n. They are taken up again after a failure. */
hk_status hki_device_reset(hk_device *d, const int32_t *which, int32_t n);
/* States, world by world: n times `states` numbers. code 0: the worlds are taken up again after a failure; 1: those that have
 * failed stay so; negative: they have failed, for this reason. */
hk_status hki_device_put(hk_device *d, const int32_t *which, int32_t n, const double *x,
                         int32_t code);
hk_status hki_device_take(hk_device *d, const int32_t *which, int32_t n, double *x);

/* Steps of all worlds. u: inputs of all steps of the first world, step by step; those of the next world are `world` numbers
 * further on, 0: the same for all worlds; NULL: inputs stay. Worlds whose step fails keep the state before it; that is no
 * failure of this function. */
hk_status hki_device_advance(hk_device *d, int32_t steps, const double *u, size_t world);
/* room for outputs, y[row][output][stride], of which `row` becomes that of the present states; not
 * numbers for worlds that have failed */
hk_status hki_device_rows(hk_device *d, int32_t rows);
hk_status hki_device_show(hk_device *d, int32_t row);
/* outputs of rows from..from + rows - 1 of world w: y[w * world + row * outputs + k] */
hk_status hki_device_outputs(hk_device *d, int32_t from, int32_t rows, double *y, size_t world);
/* of all worlds: 0, or why a step failed (negative); iterations of all steps; NULL: not asked for */
hk_status hki_device_codes(hk_device *d, int32_t *code, int32_t *turns);
/* waits until the card has done what it was asked for */
hk_status hki_device_wait(hk_device *d);

/* how numbers lie on the card, for others that work there */
typedef struct hk_device_view {
  int64_t stride;
  int32_t ordinal;
  bool single;
} hk_device_view;
hk_device_view hki_device_view(const hk_device *d);

/* Memory of the card that others hold as well: states x[states][stride], outputs y[outputs][stride]. It stays where it is
 * until all have let it go, also when the device is closed before (hold.c). */
typedef struct hk_device_hold hk_device_hold;
uint64_t hki_device_hold_at(const hk_device_hold *h);
/* any thread may call it; NULL is allowed */
void hki_device_let_go(hk_device_hold *h);
/* the states themselves */
hk_status hki_device_hold_states(hk_device *d, hk_device_hold **out);
/* outputs of the present states, which nothing changes as long as they are held */
hk_status hki_device_hold_outputs(hk_device *d, hk_device_hold **out);

#endif
