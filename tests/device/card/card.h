/* SPDX-License-Identifier: Apache-2.0
 *
 * card.h: a card that is none, for tests: a library with the functions of the driver and of NVRTC that the library uses
 * (HOOKE_CUDA and HOOKE_NVRTC name it). It compiles kernels for the processor by c++, carries them out thread by thread,
 * counts what it gives away, and fails when it is told to.
 */
#ifndef HK_TESTS_CARD_H
#define HK_TESTS_CARD_H

/* The symbol `fake_card_state` of the library. A count that says when something fails begins with 1: the next time; 0: never. */
typedef struct fake_card {
  int blocks, contexts, modules, events, programs; /* given away and not given back */
  int compiled, launches;                          /* so far */
  long long bytes;
  int fail_alloc, fail_launch, fail_copy, fail_load, fail_compile; /* when */
  int hangs;                                                       /* launches do not end */
  int cards;                                                       /* how many there are */
  int shared;  /* bytes that warps may share; 0: 48 kB */
  int failure; /* number of the error of a launch that ends badly; 0: it ends well */
} fake_card;

#endif
