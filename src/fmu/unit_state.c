/* SPDX-License-Identifier: Apache-2.0
 *
 * unit_state.c: the state of an instance as bytes: numbers of its own, then the state of the simulation
 * (simulation/state.c) with the history of the integrator, which is checked as a whole before it counts.
 * They are the same bytes in memory and in a file, and mean the same in another process.
 */
#include <math.h>
#include <string.h>

#include "fmu/exchange.h"
#include "simulation/live.h"

static const double magic = 7.4660e-3; /* the first number */

enum { MAGIC, PHASE, START, STOP, TOLERANCE, STEPPED, NEW, SIM, FIXED };

/* the numbers: fixed ones, inputs, parameters, those that the model was read with, states of model exchange */
static size_t numbers(const hk_unit *u) {
  return (size_t)FIXED + (size_t)u->b.inputs.n + 2 * (size_t)u->b.parameters.n +
         (size_t)hki_exchange_size(u->exchange);
}

size_t hki_unit_state_size(hk_unit *u) {
  return numbers(u) * sizeof(double) + (u->sim ? hk_sim_state_size(u->sim) : 0);
}

/* copies n numbers to or from the bytes, which need not be aligned */
static void out(unsigned char **to, const double *from, size_t n) {
  if (n) memcpy(*to, from, n * sizeof *from);
  *to += n * sizeof *from;
}
static void in(const unsigned char **from, double *to, size_t n) {
  if (n) memcpy(to, *from, n * sizeof *to);
  *from += n * sizeof *to;
}

hk_status hki_unit_state_get(hk_unit *u, void *bytes, size_t size) {
  unsigned char *p = bytes;
  if (size != hki_unit_state_size(u)) return hki_unit_misuse(u, "the state has another size");
  const size_t sim = u->sim ? hk_sim_state_size(u->sim) : 0;
  const double fixed[FIXED] = {
      [MAGIC] = magic,       [PHASE] = u->phase,         [START] = u->start,
      [STOP] = u->stop,      [TOLERANCE] = u->tolerance, [STEPPED] = u->stepped,
      [NEW] = u->inputs_new, [SIM] = (double)sim};
  out(&p, fixed, FIXED);
  out(&p, u->inputs, (size_t)u->b.inputs.n);
  out(&p, u->parameters, (size_t)u->b.parameters.n);
  out(&p, u->loaded, (size_t)u->b.parameters.n);
  if (u->exchange)
    out(&p, hki_exchange_numbers(u->exchange), (size_t)hki_exchange_size(u->exchange));
  return sim ? hk_sim_state_get(u->sim, p, sim) : HK_OK;
}

/* why the bytes cannot be a state of this unit; NULL: they can */
static const char *fault(const hk_unit *u, const unsigned char *bytes, size_t size, double *fixed) {
  const unsigned char *p = bytes;
  if (size < FIXED * sizeof(double)) return "the state is too short";
  in(&p, fixed, FIXED);
  if (fixed[MAGIC] != magic) return "these bytes are no state of this FMU";
  if (!(fixed[PHASE] >= HK_UNIT_NEW && fixed[PHASE] <= HK_UNIT_ENDED))
    return "the state is damaged";
  if (!isfinite(fixed[START]) || !(fixed[SIM] >= 0.0 && fixed[SIM] <= (double)size))
    return "the state is damaged";
  (void)u;
  return NULL;
}

hk_status hki_unit_state_set(hk_unit *u, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  double fixed[FIXED];
  const char *why = fault(u, bytes, size, fixed);
  if (why) return hki_unit_misuse(u, why);
  const size_t np = (size_t)u->b.parameters.n, ni = (size_t)u->b.inputs.n;
  const size_t least = (FIXED + ni + 2 * np) * sizeof(double) + (size_t)fixed[SIM];
  if (size < least) return hki_unit_misuse(u, "the state belongs to another FMU");
  const unsigned char *values = p + FIXED * sizeof(double);
  const bool same = u->sim && (!np || memcmp(values + (ni + np) * sizeof(double), u->loaded,
                                             np * sizeof(double)) == 0);
  u->start = fixed[START], u->stop = fixed[STOP], u->tolerance = fixed[TOLERANCE];
  p = values;
  in(&p, u->inputs, ni);
  hk_status st = HK_OK;
  if (fixed[SIM] > 0.0 && !same) {
    // the model is read with the parameters that it had
    p = values + (ni + np) * sizeof(double);
    in(&p, u->parameters, np);
    st = hki_unit_make(u);
  }
  if (fixed[SIM] == 0.0) hki_unit_reset(u);
  p = values;
  in(&p, u->inputs, ni);
  in(&p, u->parameters, np);
  p += np * sizeof(double);
  const size_t nx = (size_t)hki_exchange_size(u->exchange);
  if (st == HK_OK && size != least + nx * sizeof(double)) st = HK_E_USAGE;
  if (st == HK_OK && nx) in(&p, hki_exchange_numbers(u->exchange), nx);
  if (st == HK_OK && fixed[SIM] > 0.0) st = hk_sim_state_set(u->sim, p, (size_t)fixed[SIM]);
  if (st != HK_OK) return hki_unit_tell(u, st), st;
  u->phase = (hk_unit_phase)(int)fixed[PHASE];
  u->stepped = fixed[STEPPED] != 0.0, u->inputs_new = fixed[NEW] != 0.0;
  if (u->sim) u->sim->end = isnan(u->stop) ? 1e9 * u->b.time : u->stop - u->start;
  if (u->exchange) hki_exchange_stale(u->exchange);
  return HK_OK;
}
