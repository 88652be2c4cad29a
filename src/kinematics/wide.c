/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: evaluation of elements on several markers; see wide.h.
 */
#include "kinematics/wide.h"

#include "elements/modal.h"

void hki_kin_wide_inputs(const hk_kin *k, int32_t i) {
  const int32_t force = k->m->wide[i].force;
  // a signal may ask while signals are found: inputs are those of the last time then
  if (force != HK_NONE && k->m->forces[force].u_varies && hki_kin_knows(k, HK_KIN_SIGNALS))
    hki_kin_force_inputs(k, force);
}

void hki_kin_wide_at(const hk_kin *k, int32_t i, uint32_t need, hk_frame *F, hk_wide_out *out) {
  const hk_model_wide *e = &k->m->wide[i];
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  for (int32_t s = 0; s < e->nmark; s++) hki_kin_marker(k, e->body[s], &e->marker[s], &F[s]);
  hk_element_in in = {.t = k->t, .m = F};
  if (e->force != HK_NONE) {
    in.u = k->u + (ptrdiff_t)HK_ELEMENT_INPUTS * e->force;
    in.u_varies = k->m->forces[e->force].u_flows;
  }
  const hk_wide_ops *ops = k->downhill && e->ops->downhill ? e->ops->downhill : e->ops;
  ops->eval(e->par, e->nmark, &in, need, out);
  if (need & HK_NEED_EXACT)
    hki_kin_to_centres(k, e->nmark, e->body, F, out->w, out->K, out->damped ? out->C : NULL);
  for (int32_t s = 0; s < e->nmark; s++) {
    double r[3];
    if (e->body[s] == HK_GROUND) continue;
    v3_sub(r, F[s].p, k->frame[e->body[s]].p);
    hki_to_centre(out->w + 6 * s, 1, r);
  }
}

const hk_wide_out *hki_kin_wide(const hk_kin *k, int32_t i, uint32_t need) {
  hki_kin_wide_inputs(k, i);
  hki_kin_wide_at(k, i, need, k->wide_frame, k->wide);
  return k->wide;
}

void hki_kin_wide_follow(hk_kin *k) {
  for (int32_t i = 0; i < k->m->nwide && !k->refused; i++) {
    const hk_model_wide *e = &k->m->wide[i];
    if (!e->ops->refuses) continue;
    for (int32_t s = 0; s < e->nmark; s++)
      hki_kin_marker(k, e->body[s], &e->marker[s], &k->wide_frame[s]);
    k->refused = e->ops->refuses(e->nmark, k->wide_frame);
    k->refuser = k->m->spec->wide[e->spec].name, k->refuser_bends = true;
  }
}

const hk_wide_inertia *hki_kin_wide_inertia_at(const hk_kin *k, int32_t i, const double *acc,
                                               uint32_t need) {
  const hk_model_wide *e = &k->m->wide[i];
  HK_KNOWN(k, HK_KIN_FRAMES);
  for (int32_t s = 0; s < e->nmark; s++) k->wide_frame[s] = k->frame[e->body[s]];
  e->ops->inertia(e->par, e->nmark, k->wide_frame, acc, need, k->wide_inertia);
  return k->wide_inertia;
}

/* acc (6): acceleration of the centre of body b from a spatial one about O, the angular part in its own
 * axes */
static void centre_acceleration(const hk_kin *k, int32_t b, const double *A, double *acc) {
  const hk_frame *f = &k->frame[b];
  double r[3];
  v3_sub(r, f->p, k->O + 3 * b);
  m3_tmulv(acc, f->R, A);
  v3_copy(acc + 3, A + 3);
  v3_cross_add(acc + 3, A, r);
  v3_cross_add(acc + 3, f->w, f->v);
}

const hk_wide_inertia *hki_kin_wide_inertia(const hk_kin *k, int32_t i, const double *A,
                                            uint32_t need) {
  const hk_model_wide *e = &k->m->wide[i];
  for (int32_t s = 0; A && s < e->nmark; s++)
    centre_acceleration(k, e->body[s], A + 6 * (ptrdiff_t)e->body[s], k->wide_acc + 6 * s);
  return hki_kin_wide_inertia_at(k, i, A ? k->wide_acc : NULL, need);
}

void hki_kin_add_wide_inertia(const hk_kin *k, const double *A, bool bias, double *F) {
  for (int32_t i = 0; i < k->m->nwide; i++) {
    const hk_model_wide *e = &k->m->wide[i];
    if (!e->ops->inertia) continue;
    for (int32_t s = 0; s < e->nmark; s++) {
      const int32_t b = e->body[s];
      double full[6];
      s6_copy(full, A + 6 * b);
      if (bias) s6_axpy(full, 1.0, k->A0 + 6 * b);
      centre_acceleration(k, b, full, k->wide_acc + 6 * s);
    }
    const hk_wide_inertia *out = hki_kin_wide_inertia_at(k, i, k->wide_acc, 0);
    for (int32_t s = 0; s < e->nmark; s++) {
      const int32_t b = e->body[s];
      double w[6], r[3], x[6];
      m3_mulv(w, k->frame[b].R, out->F + 6 * s);
      v3_copy(w + 3, out->F + 6 * s + 3);
      v3_sub(r, k->frame[b].p, k->O + 3 * b);
      s6_wrench_to_origin(x, w, r);
      s6_axpy(F + 6 * b, 1.0, x);
    }
  }
}

void hki_kin_wide_outputs(const hk_kin *k, int32_t i, int32_t first, int32_t n, double *y) {
  const double *all = k->kept_wide + k->m->wide[i].y0;
  if (!(k->known & HK_KIN_KEPT)) all = hki_kin_wide(k, i, HK_NEED_FORCE | HK_NEED_OUTPUT)->y;
  memcpy(y, all + first, (size_t)n * sizeof *y);
}

double hki_kin_wide_power(const hk_kin *k, int32_t item, bool dissipated) {
  int32_t first, n;
  double sum = 0.0;
  hki_spec_wide_range(k->m->spec, item, &first, &n);
  for (int32_t i = first; i < first + n; i++) {
    const hk_wide_out *out = hki_kin_wide(k, i, HK_NEED_FORCE | HK_NEED_ENERGY);
    sum += dissipated ? out->dissipated : out->energy;
  }
  return sum;
}

double hki_kin_modal_strain(const hk_kin *k, int32_t i) {
  const hk_model_wide *e = &k->m->wide[i];
  HK_KNOWN(k, HK_KIN_FRAMES);
  for (int32_t s = 0; s < e->nmark; s++) k->wide_frame[s] = k->frame[e->body[s]];
  return hki_modal_strain(e->par, k->wide_frame);
}

bool hki_kin_wide_doubt(const hk_kin *k, int32_t i, hk_wide_doubt *out) {
  const hk_model_wide *e = &k->m->wide[i];
  if (!e->ops->doubt) return false;
  HK_KNOWN(k, HK_KIN_FRAMES);
  for (int32_t s = 0; s < e->nmark; s++) k->wide_frame[s] = k->frame[e->body[s]];
  e->ops->doubt(e->par, e->nmark, k->wide_frame, out);
  return true;
}

/* k->W += the wrenches of an element */
static void take_forces(void *user, int32_t i, const hk_wide_out *out) {
  hk_kin *k = user;
  const hk_model_wide *e = &k->m->wide[i];
  for (int32_t s = 0; s < e->nmark; s++) {
    const int32_t b = e->body[s];
    double r[3], x[6];
    if (b == HK_GROUND) continue;
    v3_sub(r, k->frame[b].p, k->O + 3 * b);
    s6_wrench_to_origin(x, out->w + 6 * s, r);
    s6_axpy(k->W + 6 * b, 1.0, x);
  }
}

void hki_kin_wide_forces(hk_kin *k) { hki_kin_wide_each(k, HK_NEED_FORCE, take_forces, k); }

/* sums over the elements, and where the frames of the next one go; NULL: nowhere */
typedef struct energies {
  hk_kin *k;
  double kinetic, stored, dissipated, supplied;
  hk_frame *m;
} energies;

static void take_energy(void *user, int32_t i, const hk_wide_out *out) {
  energies *s = user;
  const hk_kin *k = s->k;
  const hk_model_wide *e = &k->m->wide[i];
  s->stored += out->energy;
  s->dissipated += out->dissipated;
  s->supplied += out->supplied;
  if (s->m) {
    k->trace->wide[i] = (hk_wide_trace){out->dissipated, out->supplied};
    for (int32_t a = 0; a < e->nmark; a++) hki_kin_marker(k, e->body[a], &e->marker[a], &s->m[a]);
    s->m += e->nmark;
  }
  if (k->cache_forces && e->force != HK_NONE)
    memcpy(k->kept_y + (ptrdiff_t)HK_ELEMENT_OUTPUTS * e->force, out->y,
           (size_t)e->ops->ny * sizeof(double));
  if (k->cache_forces && e->ops->ny)
    memcpy(k->kept_wide + e->y0, out->y, (size_t)e->ops->ny * sizeof(double));
  if (e->ops->inertia) s->kinetic += hki_kin_wide_inertia(k, i, NULL, HK_NEED_ENERGY)->kinetic;
}

void hki_kin_wide_energy(hk_kin *k, double *kinetic, double *stored, double *dissipated,
                         double *supplied) {
  const uint32_t need = HK_NEED_FORCE | HK_NEED_ENERGY | (k->cache_forces ? HK_NEED_OUTPUT : 0u);
  energies s = {k, *kinetic, *stored, *dissipated, *supplied, k->trace ? k->trace->wide_m : NULL};
  hki_kin_wide_each(k, need, take_energy, &s);
  *kinetic = s.kinetic, *stored = s.stored, *dissipated = s.dissipated, *supplied = s.supplied;
}
