/* SPDX-License-Identifier: Apache-2.0
 *
 * support_partition.h: formulation `partition` at states in motion of twelve examples, each with a
 * stage of the trapezoidal rule from there.
 */
#ifndef SUPPORT_PARTITION_H
#define SUPPORT_PARTITION_H

#include "formulations/partition/partition.h"
#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

enum { MOST = 256 };

typedef struct place {
  const char *model;
  double at;   /* time of the state */
  double step; /* of the run up to there */
  double h;    /* of the stage */
  double off;  /* how far from the prediction, in radians and lengths of the mechanism */
} place;

extern const place places[];
extern const int bench_nplaces;

/* 1, or more where few places are enough */
int bench_stride(void);

/* a simulation at its place, and the stage */
typedef struct bench {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  hk_partition *p;
  hk_stage st;
  double vh[MOST], ah[MOST], D[MOST];
} bench;

/* with one option of the formulation */
void bench_open(bench *b, const place *at, const char *option, const char *value);
void bench_close(bench *b);
/* move the independent increments off the prediction, a little in every direction */
void bench_disturb(bench *b, double size);

#endif
