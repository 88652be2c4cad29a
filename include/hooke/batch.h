/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/batch.h: many worlds of one model, each with its own state, parameters and inputs, that take their steps side by
 * side: for controllers that look ahead, for learning, for tolerances.
 *
 * Where a C compiler is found and the model can become a program (hooke/code.h), worlds are carried out several at a time,
 * one in each lane of the processor's vectors, and their blocks are shared by threads. Elsewhere the library takes the steps
 * of one world after the other; hk_batch_info() says which, and why. The numbers of a world are the same, bit by bit,
 * whatever the number of worlds, lanes and threads.
 *
 * A world whose step fails is marked and stays as it was before that step; the others go on. hk_batch_reset() or
 * hk_batch_set() with a new state bring it back.
 */
#ifndef HOOKE_BATCH_H
#define HOOKE_BATCH_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Many worlds of one model. */
typedef struct hk_batch hk_batch;

/** How a batch is carried out. */
typedef enum hk_batch_way {
  HK_BATCH_ANY = 0,     /**< the fastest that there is */
  HK_BATCH_LIBRARY = 1, /**< by the library, one world after the other on each thread */
  HK_BATCH_LANES = 2,   /**< by a compiled program, several worlds at once on each thread */
  HK_BATCH_CARD = 3     /**< by a graphics processor of NVIDIA; states stay there */
} hk_batch_way;

/** What is set and got of worlds. */
typedef enum hk_batch_what {
  HK_BATCH_STATE =
      0, /**< all that a world needs to go on with the same bits; its numbers have a meaning for batches of the
                           same model and options alone */
  HK_BATCH_COORDINATES =
      1, /**< coordinates, then velocities of the spanning tree, as hk_sim_coordinates_set() has them;
                                 loops are closed, histories start anew, the time stays */
  HK_BATCH_INPUTS = 2,     /**< inputs; they count from the next step on */
  HK_BATCH_PARAMETERS = 3, /**< the parameters that were named when the batch was created */
  HK_BATCH_OUTPUTS = 4,    /**< channels; they can be got */
  HK_BATCH_TIME = 5        /**< the time, s; it can be got */
} hk_batch_what;

/** Options of a batch. Always start from hk_batch_options_def(). */
typedef struct hk_batch_options {
  uint32_t size;             /**< of this struct in bytes; hk_batch_options_def() fills it in */
  int32_t worlds;            /**< how many worlds, from 1 */
  const hk_sim_options *sim; /**< methods and step; NULL: as the model file says */
  int32_t threads;           /**< how many; 0: one for each processor */
  int32_t way;               /**< of hk_batch_way; what cannot be had is refused */
  int32_t width;             /**< lanes: 8, 4 or 2; 0: as many as the processor has */
  int32_t noutputs;          /**< how many outputs are named */
  const char *const
      *outputs;        /**< `noutputs` channels or patterns; NULL: those that the model records */
  int32_t nparameters; /**< how many parameters are named */
  const char *const *parameters; /**< parameters that differ from world to world; NULL: none */
  int32_t card;                  /**< HK_BATCH_CARD: which one, from 0 */
  int32_t single; /**< HK_BATCH_CARD: 1: numbers of single precision there; 0: double */
  int32_t
      warps; /**< HK_BATCH_CARD: how many warps of 32 threads share the steps of 32 worlds: 2 to 8; 0 and 1: each thread has a
                       world of its own */
} hk_batch_options;

/** Fills options with their defaults: one world.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_batch_options_init(hk_batch_options *opt, uint32_t size);

/** Options with their defaults.
 * @return the options */
static inline hk_batch_options hk_batch_options_def(void) {
  hk_batch_options opt;
  hk_batch_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** How a batch is carried out, and what it has. */
typedef struct hk_batch_about {
  uint32_t size;        /**< of this struct, as the caller knows it */
  int32_t worlds;       /**< how many */
  int32_t way;          /**< of hk_batch_way: what it has become */
  int32_t width;        /**< worlds in a vector; 1: one after the other */
  int32_t threads;      /**< that share them */
  int32_t states;       /**< numbers of HK_BATCH_STATE */
  int32_t coordinates;  /**< of the spanning tree */
  int32_t velocities;   /**< of the spanning tree */
  int32_t inputs;       /**< how many */
  int32_t outputs;      /**< how many */
  int32_t parameters;   /**< how many */
  double step;          /**< s */
  double seconds;       /**< that the compiler took; 0: there was nothing to compile */
  const char *why;      /**< why it is not the way that was asked for, or the fastest; "": it is */
  const char *compiler; /**< that made the program; "": none */
} hk_batch_about;

/** Create worlds, all at the start of the model.
 * @param ctx the context of the batch; it belongs to one thread at a time
 * @param m the model; it may be used elsewhere at the same time
 * @param opt options; NULL: one world
 * @param out the batch, to be given to hk_batch_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE: options that make no sense, unknown names; HK_E_MEMORY; what hk_sim_create() returns; where
 *   lanes were asked for, also why there are none */
HK_API hk_status hk_batch_create(hk_ctx *ctx, hk_model *m, const hk_batch_options *opt,
                                 hk_batch **out);

/** End a batch.
 * @param b the batch; NULL is allowed */
HK_API void hk_batch_destroy(hk_batch *b);

/** How the batch is carried out.
 * @param b the batch
 * @param about what it is; its texts live as long as the batch
 * @return HK_OK or HK_E_USAGE */
HK_API hk_status hk_batch_info(const hk_batch *b, hk_batch_about *about);

/** The name of an input, output or parameter.
 * @param b the batch
 * @param what HK_BATCH_INPUTS, HK_BATCH_OUTPUTS, HK_BATCH_PARAMETERS or HK_BATCH_COORDINATES
 * @param i from 0
 * @return its name; NULL: there is none of this number */
HK_API const char *hk_batch_name(const hk_batch *b, int32_t what, int32_t i);

/** Worlds go back to the start of the model, with its inputs; parameters stay. Those that have failed are well again.
 * @param b the batch
 * @param n how many worlds
 * @param worlds their numbers; NULL: the first n
 * @return HK_OK, HK_E_USAGE, or why a world has no start (its parameters): it is then marked */
HK_API hk_status hk_batch_reset(hk_batch *b, int32_t n, const int32_t *worlds);

/** Set numbers of worlds. A state or coordinates make a world that has failed well again; inputs and parameters do not.
 * @param b the batch
 * @param what of hk_batch_what
 * @param n how many worlds
 * @param worlds their numbers; NULL: the first n
 * @param values for each world as many finite numbers as it has of them, one world after the other
 * @param same 1: `values` holds the numbers of one world, and all get them
 * @return HK_OK; HK_E_USAGE: numbers that are not finite, worlds that are none: nothing is set; else why a world could not
 *   take them: it is marked as failed, and the others are set */
HK_API hk_status hk_batch_set(hk_batch *b, int32_t what, int32_t n, const int32_t *worlds,
                              const double *values, int32_t same);

/** Worlds get the state of a simulation: a controller looks ahead from where its plant is.
 * @param b the batch
 * @param n how many worlds
 * @param worlds their numbers; NULL: the first n
 * @param blob the bytes of hk_sim_state_get(), of a simulation of the same model with the same methods, step and options
 * @param size how many
 * @return HK_OK; HK_E_USAGE: of another model or method, or damaged: nothing is set */
HK_API hk_status hk_batch_put(hk_batch *b, int32_t n, const int32_t *worlds, const void *blob,
                              size_t size);

/** Get numbers of worlds.
 * @param b the batch
 * @param what of hk_batch_what
 * @param n how many worlds
 * @param worlds their numbers; NULL: the first n
 * @param values room for as many numbers as each world has of them, one world after the other
 * @return HK_OK, HK_E_USAGE, or why a state cannot be evaluated */
HK_API hk_status hk_batch_get(hk_batch *b, int32_t what, int32_t n, const int32_t *worlds,
                              double *values);

/** A tensor of DLPack 1.0: hooke/dlpack.h, or dlpack/dlpack.h, says what is in it. */
struct DLManagedTensorVersioned;

/** Numbers of all worlds as a tensor for PyTorch, JAX, CuPy, NumPy and whoever else knows DLPack: worlds x numbers, the time
 * worlds alone. It may outlive the batch, its context and its model.
 *
 * On a card, state, inputs and time are the memory of the batch itself: steps change them, and what is written to the state or
 * the inputs counts from the next step on (a world that has failed stays so); the time is read-only. Outputs are found by this
 * call and lie on the card too, as a copy. They are complete when this function returns; who writes in a stream of its own that does
 * not wait for the default one must have finished before the next call for the batch. A batch that has left its card for
 * lanes no longer has this memory.
 *
 * All else is a read-only copy in the processor's memory, of what the worlds have at this call.
 * @param b the batch
 * @param what of hk_batch_what
 * @param out the tensor; its `deleter` gives it back, from any thread. NULL on failure
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY, or what hk_batch_get() returns */
HK_API hk_status hk_batch_tensor(hk_batch *b, int32_t what, struct DLManagedTensorVersioned **out);

/** All worlds that have not failed take steps.
 * @param b the batch
 * @param steps how many
 * @return HK_OK, also where worlds fail (hk_batch_status()); HK_E_USAGE; HK_INTERRUPTED: some worlds have gone on, others
 *   not */
HK_API hk_status hk_batch_step(hk_batch *b, int64_t steps);

/** The same with inputs and outputs along the way.
 * @param b the batch
 * @param steps how many
 * @param every after how many steps outputs are found, from 1; they are also found before the first
 * @param inputs worlds x steps x inputs numbers; NULL: inputs stay as they are
 * @param same 1: `inputs` holds steps x inputs numbers, the same for all worlds
 * @param outputs room for worlds x (steps / every + 1) x outputs numbers; those of a world that has failed are not numbers
 *   from then on; NULL: not wanted
 * @return as hk_batch_step() */
HK_API hk_status hk_batch_rollout(hk_batch *b, int64_t steps, int64_t every, const double *inputs,
                                  int32_t same, double *outputs);

/** Which worlds have failed.
 * @param b the batch
 * @return for each world HK_OK or why it has failed; the list lives as long as the batch. NULL: `b` is no batch */
HK_API const int32_t *hk_batch_status(const hk_batch *b);

/** Iterations of all steps of a world so far; those of the library's steps and of a program's are the same.
 * @param b the batch
 * @param world its number
 * @return how many; -1: there is no such world */
HK_API int64_t hk_batch_iterations(const hk_batch *b, int32_t world);

#ifdef __cplusplus
}
#endif
#endif
