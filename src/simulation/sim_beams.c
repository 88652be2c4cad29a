/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_beams.c: what the doctor says of beams and cables: nodes, mass, and how fast they stretch.
 *
 * A bar of length L, in which stretch travels at the speed c = sqrt(EA/m), fixed at one end and free at the other,
 * vibrates along itself at omega = pi c/(2 L) and above: of all ways of holding it the slowest. Steps h with
 * omega h > 1 do not follow any stretching; a method that does not damp what it cannot follow lets it ring, and in a
 * large motion of a stiff beam grow without a bound.
 */
#include "simulation/simulation.h"

static const double pi = 3.14159265358979323846;
static const double coarse = 1.0; /* omega h above which a vibration is not followed */

/* the lowest frequency of stretching, rad/s; 0: not known */
static double stretching(const hk_spec_group *g) {
  return g->length > 0.0 ? 0.5 * pi * g->wave / g->length : 0.0;
}

/* "wing (9 nodes, 0.864 kg, stretches at 168 Hz and above)" */
static const char *words(const hk_spec *spec, const hk_spec_group *g, hk_pool *pool) {
  const double f = stretching(g) / (2.0 * pi);
  double mass = 0.0;
  for (int32_t i = g->body0; i < g->body0 + g->nbody; i++) mass += spec->bodies[i].mass;
  if (!(f > 0.0))
    return hki_pool_printf(pool, "%s (%d nodes, %.4g kg)", g->name, (int)g->nbody, mass);
  return hki_pool_printf(pool, "%s (%d nodes, %.4g kg, stretches at %.4g Hz and above)", g->name,
                         (int)g->nbody, mass, f);
}

/* does the method of the model leave stretching of this group undamped, at steps that do not follow it? */
static bool rings(const hk_sim *s, const hk_spec_group *g) {
  const hk_integrator_ops *ops = s->I.ops;
  const bool implicit = ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_DAE);
  if (!implicit || ops->order == 0 || s->solver.control.kind == HK_CONTROL_ERROR) return false;
  if (isnan(s->m->spec->run.step)) return false;
  if (ops->damps && ops->damps(s->integrator_par)) return false;
  return stretching(g) * s->step > coarse;
}

hk_status hki_sim_beams(const hk_sim *s, hk_pool *pool, hk_check_report *out,
                        hk_check_names *beams) {
  const hk_spec *spec = s->m->spec;
  const size_t n = (size_t)spec->ngroups;
  if (!n) return HK_OK;
  const char **names = hki_pool_alloc(pool, n * sizeof *names);
  hk_finding *list = hki_pool_alloc(pool, (n + (size_t)out->nfindings) * sizeof *list);
  if (!names || !list) return HK_E_MEMORY;
  if (out->nfindings) memcpy(list, out->findings, (size_t)out->nfindings * sizeof *list);
  for (int32_t i = 0; i < spec->ngroups; i++) {
    const hk_spec_group *g = &spec->groups[i];
    names[i] = words(spec, g, pool);
    if (!names[i]) return HK_E_MEMORY;
    if (!rings(s, g)) continue;
    const char *text = hki_pool_printf(
        pool,
        "%s '%s' stretches at %.4g Hz and above, which steps of %.3g s do not follow and "
        "integrator '%s' "
        "does not damp: take one that damps, as the default does, or steps below %.2g s",
        g->kind, g->name, stretching(g) / (2.0 * pi), s->step, s->I.ops->name, 0.5 / stretching(g));
    if (!text) return HK_E_MEMORY;
    list[out->nfindings++] = (hk_finding){HK_FINDING_NOTE, g->name, text};
  }
  out->findings = list;
  *beams = (hk_check_names){spec->ngroups, names};
  return HK_OK;
}
