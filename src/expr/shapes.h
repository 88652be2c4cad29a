/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.h: the signal shapes besides expressions and tables. Each is a function of one argument,
 * usually time, with its first and second derivative.
 *
 *   step     {start: 0, from: 0, to: 1, duration: 0}
 *   ramp     {start: 0, from: 0, slope}, without an end, or two of slope, to, end
 *   sine     {frequency, amplitude: 1, phase: 0, offset: 0, start, cycles}
 *   pulse    {width, start: 0, from: 0, to: 1, period, count, rise: 0}
 *   cosine   {frequency, amplitude: 1, offset: 0, start: 0, cycles}
 *   sweep    {from, to, duration, amplitude: 1, phase: 0, offset: 0, start: 0, law: linear}
 *   fourier  {frequency, cos: [..], sin: [..], offset: 0, start: 0}
 *   random   {hold, seed: 1, amplitude: 1, offset: 0, start: 0, distribution, colour, smooth}
 *
 * `duration` of a step and `rise` above 0 make smooth (C2, quintic) edges.
 */
#ifndef HK_EXPR_SHAPES_H
#define HK_EXPR_SHAPES_H

#include "base/base.h"
#include "base/params.h"

typedef enum hk_shape_fn {
  HK_SHAPE_STEP,
  HK_SHAPE_RAMP,
  HK_SHAPE_SINE,
  HK_SHAPE_PULSE,
  HK_SHAPE_COSINE,
  HK_SHAPE_SWEEP,
  HK_SHAPE_FOURIER,
  HK_SHAPE_RANDOM,
  HK_SHAPE_FN_COUNT
} hk_shape_fn;

typedef enum hk_sweep_law { HK_SWEEP_LINEAR, HK_SWEEP_LOGARITHMIC } hk_sweep_law;
typedef enum hk_random_distribution { HK_RANDOM_UNIFORM, HK_RANDOM_NORMAL } hk_random_distribution;
typedef enum hk_random_colour { HK_RANDOM_WHITE, HK_RANDOM_PINK, HK_RANDOM_BROWN } hk_random_colour;

/* the keys of all shapes; NAN = not given. Seconds where the argument is time. */
typedef struct hk_shape {
  hk_shape_fn fn;
  double start, from, to;
  double duration;              /* step */
  double slope, end;            /* ramp */
  double frequency;             /* sine: per unit of the argument (Hz) */
  double amplitude, phase;      /* sine: phase in rad */
  double offset, cycles;        /* sine: the mean value; how many periods, NAN = for ever */
  double width, period;         /* pulse: start of the rise to start of the fall; NAN = one pulse */
  double count, rise;           /* pulse: how many, NAN = for ever; length of each edge */
  int32_t law;                  /* sweep: hk_sweep_law; its frequencies are `from` and `to` */
  hk_reals cos, sin;            /* fourier: coefficients of the harmonics 1, 2, .. */
  double hold;                  /* random: length of one value, or distance of the knots */
  int32_t seed;                 /* random */
  int32_t distribution, colour; /* random: hk_random_distribution, hk_random_colour */
  bool smooth;                  /* random: a curve (C2) instead of jumps */
} hk_shape;

/* what is true of one kind of shape */
typedef struct hk_shape_info {
  const char *name, *text;
  const hk_param *params;                                        /* offsets into hk_shape */
  hk_status (*finish)(hk_ctx *ctx, hk_loc loc, hk_shape *shape); /* or NULL */
  void (*eval)(const hk_shape *shape, double x, double out[3]);  /* see hki_shape_eval */
  double (*next_break)(const hk_shape *shape, double x, bool falling);
} hk_shape_info;

/* HK_SHAPE_FN_COUNT entries, in the order of hk_shape_fn */
extern const hk_shape_info hki_shape_infos[];

/* set the defaults; then fill in the given values and call hki_shape_finish */
void hki_shape_init(hk_shape *shape, hk_shape_fn fn);

/* check the values and complete them; errors (HK_E_MODEL) at `loc` */
hk_status hki_shape_finish(hk_ctx *ctx, hk_loc loc, hk_shape *shape);

/* value, first and second derivative at x */
void hki_shape_eval(const hk_shape *shape, double x, double out[3]);

/* the next x at which value or slope jumps; INFINITY or -INFINITY: none. Rising: the first behind x;
 * falling: the first at or below x, and the new side begins below it. */
double hki_shape_next_break(const hk_shape *shape, double x, bool falling);

#endif
