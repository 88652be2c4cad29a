/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_forces.c: force elements: bodies and markers, paths of coordinates, inputs.
 */
#include "elements/joint_friction.h"
#include "model/work.h"

/* which inputs vary, and whether one of them reads the state */
static void inputs(const hk_work *w, const hk_spec_force *s, hk_model_force *f) {
  for (int32_t i = 0; i < s->ops->nu && i < HK_ELEMENT_INPUTS; i++) {
    if (s->u_signal[i] < 0) continue;
    uint8_t depends = w->signal[s->u_signal[i]];
    if (depends) f->u_varies |= 1u << i;
    if (depends & ~HK_DEPENDS_EVENTS) f->u_flows |= 1u << i;
    if (depends & HK_DEPENDS_STATE) f->u_state = true;
  }
}

/* what presses force i */
static hk_normal normal(const hk_work *w, int32_t i) {
  const hk_spec_force *s = &w->spec->forces[i];
  const hk_model_joint *j = &w->m->joints[s->joint];
  hk_normal n = {.force = i, .joint = s->joint, .closure = HK_NONE, .lever = 1.0, .by = HK_NONE};
  if (!s->stopped.ends) {
    if (j->body == HK_NONE) n.by = j->closure;
    n.press = hki_joint_friction_press(s->par, &n.rows, &n.arm);
    return n;
  }
  n.ends = s->stopped.ends, n.lever = s->stopped.lever;
  for (int32_t k = 0; k < w->m->nstops; k++)
    if (w->m->stops[k].limit == s->stopped.limit) n.closure = n.by = w->m->stops[k].closure;
  return n;
}

static void fill_force(const hk_work *w, int32_t i, hk_model_force *f) {
  const hk_spec_force *s = &w->spec->forces[i];
  hk_model *m = w->m;
  f->spec = i;
  f->ops = s->ops;
  f->par = s->par;
  f->scalar = f->net = f->normal = f->wide = HK_NONE;
  hki_element_memory(s->ops, s->par, &f->nz, &f->nd);
  f->d0 = m->nd, f->z0 = m->nz;
  f->state = f->nz ? m->nstateful++ : HK_NONE;
  f->nd += s->ops->nd;
  m->nd += f->nd;
  m->nz += f->nz;
  inputs(w, s, f);
  if (s->normal) {
    f->normal = m->nnormal++;
    m->normals[f->normal] = normal(w, i);
    f->u_varies |= 1u, f->u_flows |= 1u, f->u_state = true;
  }
  if (s->ops->nscal > 0 || (s->normal && !s->stopped.ends)) {
    const hk_model_joint *j = &m->joints[s->joint];
    if (s->ops->nscal > 0) f->scalar = j->scalar0 + s->coord;
    for (int k = 0; k < 2; k++) f->body[k] = j->mbody[k], f->marker[k] = j->marker[k];
    return;
  }
  for (int k = 0; k < HK_ELEMENT_MARKERS; k++) {
    f->body[k] = HK_GROUND;
    m3_identity(f->marker[k].R);
    if (k >= s->ops->nmark) continue;
    f->body[k] = hki_work_body(m, s->body[k]);
    hki_work_offset(m, f->body[k], &s->marker[k], &f->marker[k]);
  }
}

/* Does the element depend on relative motion only, so that its path ends at the common ancestor of
 * its bodies? Elements on a joint coordinate do. */
static bool is_relative(const hk_model_force *f) {
  return f->ops->nscal > 0 || (f->ops->nmark == 2 && (f->ops->caps & HK_ELEMENT_RELATIVE));
}

bool hki_work_forces(hk_work *w) {
  hk_model *m = w->m;
  m->nf = w->spec->nforces;
  m->forces = HK_KEEP(w, hk_model_force, m->nf);
  int32_t normals = 0;
  for (int32_t i = 0; i < m->nf; i++) normals += w->spec->forces[i].normal;
  m->normals = HK_KEEP(w, hk_normal, normals);
  hk_chains *chains = hki_chains_create(w);
  if (!m->forces || !m->normals || !chains) return false;
  for (int32_t i = 0; i < m->nf; i++) {
    hk_model_force *f = &m->forces[i];
    fill_force(w, i, f);
    if (!is_relative(f) && f->body[1] < 0) hki_chains_want(chains, f->body[0]);
  }
  if (!hki_chains_build(chains)) return false;
  for (int32_t i = 0; i < m->nf; i++) {
    hk_model_force *f = &m->forces[i];
    bool ok = true;
    if (is_relative(f))
      ok = hki_path_between(m, f->body[0], f->body[1], &f->path);
    else if (f->body[1] < 0)
      hki_chains_single(chains, f->body[0], &f->path);
    else
      ok = hki_path_full(w, f->body[0], f->body[1], &f->path);
    if (!ok) return false;
  }
  return true;
}
