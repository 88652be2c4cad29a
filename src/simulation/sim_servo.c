/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_servo.c: servos of the model before a run: can their actuators keep their constraints, and can the
 * methods of the run solve that?
 */
#include <stdio.h>
#include <string.h>

#include "simulation/simulation.h"

/* the n-th servo of the model */
static const hk_closure *servo_of(const hk_model *m, int32_t n) {
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].coupling && m->closures[c].coupling->servo && n-- == 0)
      return &m->closures[c];
  return NULL;
}

static const char *servo_name(const hk_model *m, int32_t n) {
  const hk_closure *c = servo_of(m, n);
  return c ? m->spec->joints[c->joint].name : "";
}

static void describe(const hk_model *m, const hk_servo_reach *r, char *buf, size_t cap) {
  const char *kind = r->rank == r->n ? "orthogonal" : r->rank ? "mixed" : "tangent";
  const int n = snprintf(buf, cap, "%s realisation, rank %d of %d", kind, r->rank, r->n);
  if (n < 0 || (size_t)n >= cap) return;
  if (r->index)
    snprintf(buf + n, cap - (size_t)n, ", index %d", r->index);
  else
    snprintf(
        buf + n, cap - (size_t)n,
        ", index above 5: no force of the actuators reaches servo '%s', nor does the motion that "
        "they cause",
        servo_name(m, r->worst));
}

/* hk_fits_integrator: goes with the formulation, and lets errors of forces die out */
static bool damps(const hk_sim *s, const hk_integrator_ops *ops) {
  return ops->damps && hki_fits_formulation(s, ops);
}

/* are the methods of the run fit for servos of index above 3? */
static hk_status refuse_methods(hk_sim *s, const hk_servo_reach *r, hk_loc loc, const char *words) {
  const char *more = NULL;
  const int32_t most = s->f->ops->servo_index(s->f, &more);
  char list[200], hint[400];
  if (r->index <= 3) return HK_OK;
  hki_sim_list_integrators(s, damps, list, sizeof list);
  snprintf(hint, sizeof hint, "%s%swith damping of high frequencies: integrator %s",
           r->index > most && more ? more : "", r->index > most && more ? ", " : "", list);
  if (r->index > most)
    return hki_error(s->ctx, HK_E_ASSEMBLY, loc, hint,
                     "these methods solve servos of index %d, and servo '%s' needs more: %s", most,
                     servo_name(s->m, r->worst), words);
  if (s->I.ops->damps && s->I.ops->damps(s->integrator_par)) return HK_OK;
  return hki_error(s->ctx, HK_E_ASSEMBLY, loc, hint,
                   "integrator '%s' lets the forces of servo '%s' ring: %s", s->I.ops->name,
                   servo_name(s->m, r->worst), words);
}

hk_status hki_sim_servos(hk_sim *s) {
  hk_servo_reach r;
  char words[300];
  if (!s->m->nservo) return HK_OK;
  hk_status st = s->f->ops->servo(s->f, s->I.t, s->I.q, s->I.v, &r);
  if (st != HK_OK) return st;
  s->servo_index = r.index;
  const hk_loc loc = s->m->spec->joints[servo_of(s->m, r.worst)->joint].loc;
  describe(s->m, &r, words, sizeof words);
  if (!r.index)
    return hki_error(s->ctx, HK_E_ASSEMBLY, loc, "give it actuators that move what it keeps",
                     "the servos cannot be kept: %s", words);
  st = refuse_methods(s, &r, loc, words);
  if (st != HK_OK || !(r.gap > 1e-3)) return st;
  return hki_error(
      s->ctx, HK_E_ASSEMBLY, loc,
      "start from rest, or with coordinates and rates that belong to the motion asked for",
      "servo '%s' asks for an acceleration at the start that its actuators do not reach: "
      "%.3g of it is left (%s)",
      servo_name(s->m, r.worst), r.gap, words);
}

/* the first formulation that treats servos */
static const hk_formulation_entry *treats(void) {
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    if (hki_formulation_at(i)->ops->caps & HK_CAP_SERVO) return hki_formulation_at(i);
  return NULL;
}

/* reach of the model's servos at a state of the tree, and its words */
static hk_status look(hk_formulation *f, const hk_model *m, hk_pool *pool, const double *q,
                      const double *v, hk_servo_reach *r) {
  hk_dims d;
  f->ops->dims(f, &d);
  const size_t all = (size_t)(hki_model_values(m) + d.nq + d.nv);
  double *vt = hki_pool_alloc(pool, (all + 1) * sizeof *vt);
  if (!vt) return HK_E_MEMORY;
  double *qf = vt + hki_model_values(m), *vf = qf + d.nq;
  memcpy(vt, v, (size_t)m->nv * sizeof *v);
  hk_status st = f->ops->from_tree(f, q, vt, qf, vf);
  return st == HK_OK ? f->ops->servo(f, 0.0, qf, vf, r) : st;
}

hk_status hki_servo_finding(hk_model *m, hk_pool *pool, const double *q, const double *v,
                            hk_finding *out) {
  const hk_formulation_entry *fe = treats();
  double par[HK_FORMULATION_PAR_MAX / 8];
  hk_formulation *f = NULL;
  hk_servo_reach r;
  char words[300];
  *out = (hk_finding){.kind = HK_FINDING_SERVO};
  if (!m->nservo || !fe) return HK_OK;
  hki_params_default(fe->ops->params, par);
  hk_status st = hki_formulation_create(fe, m->ctx, m, par, &f);
  if (st != HK_OK) return st;
  st = look(f, m, pool, q, v, &r);
  f->ops->destroy(f);
  // a state without accelerations is somebody else's finding
  if (st != HK_OK) return st == HK_E_MEMORY ? st : HK_OK;
  describe(m, &r, words, sizeof words);
  out->item = servo_name(m, r.worst);
  out->text = hki_pool_printf(pool, "servos: %s", words);
  return out->text ? HK_OK : HK_E_MEMORY;
}
