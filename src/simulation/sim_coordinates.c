/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_coordinates.c: the state of a simulation as two arrays, in the coordinates of evaluations
 * (coordinates.h), and whole trajectories from there. A tree takes them as they are; loops are closed as
 * at a restart (sim_restart.c).
 */
#include "simulation/coordinates.h"
#include "simulation/live.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

static hk_status misuse(const hk_sim *s, const char *function, const char *what) {
  return is_sim(s) ? hki_misuse(s->ctx, function, what)
                   : hki_misuse(NULL, function, "no simulation");
}

int32_t hk_sim_coordinate_count(const hk_sim *s) { return is_sim(s) ? s->m->nq : 0; }
int32_t hk_sim_velocity_count(const hk_sim *s) { return is_sim(s) ? s->m->nv : 0; }

/* names and signs, found when they are first asked for; NULL: no memory */
static const hk_coordinates *coordinates_of(hk_sim *s) {
  if (s->coordinates) return s->coordinates;
  hk_coordinates *c = hki_pool_alloc(s->pool, sizeof *c);
  if (!c || hki_coordinates_find(s->m, s->pool, c) != HK_OK) return NULL;
  return s->coordinates = c;
}

const char *hk_sim_coordinate_name(hk_sim *s, int32_t i) {
  const hk_coordinates *c = is_sim(s) && i >= 0 && i < s->m->nq ? coordinates_of(s) : NULL;
  return c ? c->q_name[i] : NULL;
}

const char *hk_sim_velocity_name(hk_sim *s, int32_t i) {
  const hk_coordinates *c = is_sim(s) && i >= 0 && i < s->m->nv ? coordinates_of(s) : NULL;
  return c ? c->v_name[i] : NULL;
}

hk_status hk_sim_coordinates_get(hk_sim *s, double *q, double *v) {
  if (!is_sim(s)) return misuse(s, "hk_sim_coordinates_get", "");
  const hk_coordinates *c = coordinates_of(s);
  if (!c) return HK_E_MEMORY;
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  const double *tq = s->kin->q, *tv = s->kin->v;
  for (int32_t i = 0; q && i < s->m->nq; i++) q[i] = c->q_sign[i] * tq[i] + c->q_zero[i];
  for (int32_t i = 0; v && i < s->m->nv; i++) v[i] = c->sign[i] * tv[i];
  return HK_OK;
}

/* tree coordinates of the caller's into qt and vt; false: numbers that are none */
static bool take(hk_sim *s, const hk_coordinates *c, const double *q, const double *v) {
  for (int32_t i = 0; q && i < s->m->nq; i++)
    if (!isfinite(q[i])) return false;
  for (int32_t i = 0; v && i < s->m->nv; i++)
    if (!isfinite(v[i])) return false;
  for (int32_t i = 0; q && i < s->m->nq; i++) s->qt[i] = c->q_sign[i] * (q[i] - c->q_zero[i]);
  for (int32_t i = 0; v && i < s->m->nv; i++) s->vt[i] = c->sign[i] * v[i];
  return hki_coordinates_normalise(s->m, s->qt);
}

hk_status hk_sim_coordinates_set(hk_sim *s, const double *q, const double *v) {
  if (!is_sim(s)) return misuse(s, "hk_sim_coordinates_set", "");
  if (s->status != HK_OK) return s->status;
  const hk_coordinates *c = coordinates_of(s);
  if (!s->spare) s->spare = hki_pool_alloc(s->pool, hki_state_size(s));
  if (!c || !s->spare) return HK_E_MEMORY;
  hki_sim_inputs_take(s);
  hki_state_get(s, s->spare, false);
  hki_sim_refresh(s);
  const bool good = take(s, c, q, v);
  s->free.late = false, s->free.arrival = 0;
  hk_status st = good ? hki_sim_go_on_from_tree(s) : HK_E_USAGE;
  if (st != HK_OK) (void)hki_state_set(s, s->spare);
  return good ? st
              : misuse(s, "hk_sim_coordinates_set",
                       "numbers that are not finite, or a quaternion without direction");
}

hk_status hk_sim_rollout(hk_sim *s, int64_t steps, int64_t every, const double *inputs, int32_t n,
                         const int32_t *handles, double *values) {
  if (!is_sim(s) || steps < 0 || every < 1 || n < 0 || (n && (!handles || !values)))
    return misuse(s, "hk_sim_rollout", "the counts are negative, or do not fit their lists");
  hk_status st = hk_sim_read(s, n, handles, values);
  for (int64_t k = 0; st == HK_OK && k < steps; k++) {
    if (inputs) st = hk_sim_inputs_set(s, s->ninputs, NULL, inputs + k * s->ninputs, 0);
    if (st == HK_OK) st = hk_sim_step(s);
    if (st == HK_OK && (k + 1) % every == 0)
      st = hk_sim_read(s, n, handles, values + (k + 1) / every * n);
  }
  return st;
}
