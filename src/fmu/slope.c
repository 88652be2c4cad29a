/* SPDX-License-Identifier: Apache-2.0
 *
 * slope.c: directional derivatives, by differences of order six along the direction:
 *
 *   D(h) = sum_k c_k (f(x + k h d) - f(x - k h d)) / h,   k = 1, 2, 3,   c = 3/4, -3/20, 1/60
 *
 * h d is a thousandth of the size of the knowns at first: round-off then stays below the tenth digit. Laws that bend
 * within less (friction near rest, tables) want a shorter h: it is divided by ten up to seven times, and of each unknown
 * the value counts where two of these agree best. In co-simulation the inputs are changed and the state is put back
 * afterwards, bit by bit. Source of the choice: Ridders, Advances in Engineering Software 4 (1982) 75.
 */
#include <math.h>
#include <string.h>

#include "fmu/exchange.h"

enum { POINTS = 3, LEVELS = 8 };
static const double weight[POINTS] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};
static const double part = 1e-3, shorter = 0.1, close_enough = 1e-9;

typedef struct job {
  hk_unit *u;
  const hk_fmi_reference *unknowns, *knowns;
  size_t nunknowns, nknowns;
  const double *seed;
  double *x0, *x, *y; /* knowns as they are, changed; unknowns there */
  double *last,
      *error; /* of each unknown: slope with the longer h, and how far the best two are apart */
  unsigned char *state; /* of co-simulation */
  size_t size;
} job;

/* the length h along the seed */
static double choose_step(const job *j) {
  double h = INFINITY;
  for (size_t i = 0; i < j->nknowns; i++)
    if (j->seed[i] != 0.0) h = fmin(h, part * fmax(1.0, fabs(j->x0[i])) / fabs(j->seed[i]));
  return h;
}

static hk_status at(job *j, double h) {
  for (size_t i = 0; i < j->nknowns; i++) j->x[i] = j->x0[i] + h * j->seed[i];
  const bool before = j->u->stepped;
  hk_status st = hki_unit_set(j->u, j->knowns, j->nknowns, j->x);
  j->u->stepped = false; // inputs count at once
  if (st == HK_OK) st = hki_unit_get(j->u, j->unknowns, j->nunknowns, j->y);
  j->u->stepped = before;
  if (j->size && st == HK_OK) st = hki_unit_state_set(j->u, j->state, j->size);
  return st;
}

/* D(h) of every unknown */
static hk_status differences(job *j, double h, double *out) {
  hk_status st = HK_OK;
  memset(out, 0, j->nunknowns * sizeof *out);
  for (int k = 1; k <= POINTS && st == HK_OK; k++)
    for (int side = -1; side <= 1 && st == HK_OK; side += 2) {
      if ((st = at(j, side * k * h)) != HK_OK) break;
      for (size_t i = 0; i < j->nunknowns; i++) out[i] += side * weight[k - 1] * j->y[i] / h;
    }
  return st;
}

/* takes the slopes of a level where they agree better with the level before than others did; true: all agree well */
static bool choose(job *j, const double *now, double *out) {
  bool all = true;
  for (size_t i = 0; i < j->nunknowns; i++) {
    const double error = fabs(now[i] - j->last[i]);
    if (error < j->error[i]) out[i] = now[i], j->error[i] = error;
    all = all && j->error[i] <= close_enough * (1.0 + fabs(out[i]));
    j->last[i] = now[i];
  }
  return all;
}

static hk_status sum(job *j, double *now, double *out) {
  double h = choose_step(j);
  memset(out, 0, j->nunknowns * sizeof *out);
  if (isinf(h)) return HK_OK;
  for (int level = 0; level < LEVELS; level++, h *= shorter) {
    hk_status st = differences(j, h, now);
    if (st != HK_OK) return st;
    if (level > 0 && choose(j, now, out)) break;
    if (level == 0)
      for (size_t i = 0; i < j->nunknowns; i++) j->last[i] = now[i], j->error[i] = INFINITY;
  }
  return HK_OK;
}

hk_status hki_unit_slope(hk_unit *u, const hk_fmi_reference *unknowns, size_t nunknowns,
                         const hk_fmi_reference *knowns, size_t nknowns, const double *seed,
                         double *out) {
  job j = {.u = u,
           .unknowns = unknowns,
           .knowns = knowns,
           .nunknowns = nunknowns,
           .nknowns = nknowns,
           .seed = seed};
  if (!u->sim) return hki_unit_misuse(u, "slopes exist from the initialization on");
  for (size_t i = 0; i < nknowns; i++) {
    const hk_fmi_reference kind = knowns[i] >> HK_UNIT_SHIFT;
    if (kind != HK_UNIT_INPUT && (kind != HK_UNIT_STATE || !u->exchange))
      return hki_unit_misuse(u, "slopes are known by inputs and continuous states");
  }
  if (!u->exchange) j.size = hki_unit_state_size(u);
  double *work = hki_alloc(u->ctx, (2 * nknowns + 4 * nunknowns + 1) * sizeof *work + j.size);
  if (!work) return HK_E_MEMORY;
  j.x0 = work, j.x = j.x0 + nknowns, j.y = j.x + nknowns;
  j.last = j.y + nunknowns, j.error = j.last + nunknowns;
  double *now = j.error + nunknowns;
  j.state = (unsigned char *)(now + nunknowns + 1);
  hk_status st = j.size ? hki_unit_state_get(u, j.state, j.size) : HK_OK;
  if (st == HK_OK) st = hki_unit_get(u, knowns, nknowns, j.x0);
  if (st == HK_OK) st = sum(&j, now, out);
  if (st == HK_OK && u->exchange) st = hki_unit_set(u, knowns, nknowns, j.x0);
  hki_free(u->ctx, work);
  return st;
}
