/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_touch.c: times at which coordinates touch or leave compliant stops (elements/stop.c). Their force
 * has a kink there, or a jump where it has damping, which costs methods of higher order their order.
 * Steps of fixed length end where a coordinate passes an end of its range: at the zero of its
 * distance, found with real steps (sim_step.c). Where the force jumps, accelerations and histories start
 * anew. Steps of controlled length find the kink by their error.
 */
#include "elements/stop.h"
#include "simulation/simulation.h"

hk_status hki_sim_touches(hk_sim *s) {
  hk_touches *z = &s->touches;
  *z = (hk_touches){0};
  const size_t most = 2 * (size_t)s->m->nf;
  z->list = most ? hki_pool_alloc(s->pool, most * sizeof *z->list) : NULL;
  if (most && !z->list) return HK_E_MEMORY;
  for (int32_t f = 0; f < s->m->nf; f++) {
    if (s->m->forces[f].ops != &hki_element_stop) continue;
    const hk_stop_par *p = s->m->forces[f].par;
    for (int k = 0; k < 2; k++)
      if (isfinite(k ? p->upper : p->lower))
        z->list[z->n++] = (hk_touch){.scalar = s->m->forces[f].scalar,
                                     .at = k ? p->upper : p->lower,
                                     .jumps = p->damping > 0.0};
  }
  return HK_OK;
}

double hki_sim_touch_distance(const hk_sim *s, int32_t i) {
  double x, xd;
  hki_kin_scalar(s->kin, s->touches.list[i].scalar, &x, &xd);
  return x - s->touches.list[i].at;
}

/* a distance that counts as zero */
double hki_sim_touch_near(const hk_sim *s, int32_t i) {
  return 1e-12 * (s->m->length + fabs(s->touches.list[i].at));
}

void hki_sim_touches_begin(hk_sim *s) {
  for (int32_t i = 0; i < s->touches.n; i++)
    s->touches.list[i].before = hki_sim_touch_distance(s, i);
}

int32_t hki_sim_touches_ahead(const hk_sim *s) {
  int32_t first = HK_NONE;
  double soonest = INFINITY;
  for (int32_t i = 0; i < s->touches.n; i++) {
    const double a = s->touches.list[i].before, b = hki_sim_touch_distance(s, i);
    const double near = 4.0 * hki_sim_touch_near(s, i);
    if (fabs(a) <= near || fabs(b) <= near || (a > 0.0) == (b > 0.0)) continue;
    if (a / (a - b) < soonest) soonest = a / (a - b), first = i;
  }
  return first;
}
