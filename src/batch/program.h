/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h: a model as a program for several worlds at once (codegen/write_lanes.c), compiled and loaded.
 */
#ifndef HK_BATCH_PROGRAM_H
#define HK_BATCH_PROGRAM_H

#include "batch/batch_impl.h"
#include "native/native.h"

enum { HK_LANES_VERSION = 1 };

/* The table `hooke_batch` of a compiled program; codegen/prelude_lanes.c writes the same. Numbers of the state lie side by
 * side for all lanes: x[number * width + lane]. */
typedef struct hk_lanes_program {
  int version, width, states, coordinates, velocities, inputs, outputs;
  /* parameters; how many numbers follow from them, and how many of these steps leave as they are */
  int parameters, held, follow;
  int time, input, parameter; /* where they are in the state */
  double step;
  const double *start;
  const int *sections; /* how many arrays the library's state has, and their bytes */
  const int
      *place; /* of each number: the array that it is in (-1: none, -2: the time), and where */
  const char *const *input_names, *const *output_names;
  /* one step; alive: all bits or none for each lane; result: iterations, negative where it failed (-1: in the model's
   * equations, -2: a number that is not finite, -3: it diverged, -4: too many iterations) */
  void (*take)(double *x, const long long *alive, long long *result);
  void (*show)(const double *x, double *y);
  /* y[0]: above 0 where the parameters x can be; y[i], i from 1 on: number following[i] of the state, first those that steps
   * leave as they are, then those at the start */
  const int *following;
  void (*derive)(const double *x, double *y);
} hk_lanes_program;

/* the largest number of lanes that the processor has */
int32_t hki_lanes_most(void);
/* Makes and loads the program of a batch. HK_OK, or b->why says why there is none, without an error in the batch's context. */
hk_status hki_lanes_open(hk_batch *b, int32_t width, hk_native *native,
                         const hk_lanes_program **out);
/* The kernels of a batch for a graphics processor (codegen/write_device.c); warps that share the steps of 32 worlds, and the
 * numbers of a world that they share */
hk_status hki_card_text(hk_batch *b, bool single, hk_text *out, int32_t *warps, int32_t *numbers);

/* of a batch in lanes: its program; what a failed step means in the library's terms; a world that has failed */
const hk_lanes_program *hki_lanes_program(const hk_batch *b);
hk_status hki_lanes_meaning(long long code);
void hki_lanes_mark(hk_batch *b, int32_t world, hk_status why);
/* states of chosen worlds, which are what they are: also those with an input that is no number, which fails the next step */
hk_status hki_lanes_store(hk_batch *b, const hk_worlds *w, const double *x);

#endif
