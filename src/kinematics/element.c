/* SPDX-License-Identifier: Apache-2.0
 *
 * element.c: what force elements read besides the motion: inputs, scalar unknowns, private states;
 * see element.h.
 */
#include "kinematics/element.h"
#include "elements/joint_friction.h"

void hki_kin_force_values(const hk_kin *k, int32_t fi, hk_element_in *in) {
  const hk_model_force *f = &k->m->forces[fi];
  double *x = k->net + 2 * HK_ELEMENT_UNKNOWNS * f->net, *xd = x + HK_ELEMENT_UNKNOWNS;
  for (int32_t i = 0; i < f->ops->nnode + f->ops->nown; i++)
    x[i] = k->x[f->x[i]], xd[i] = k->xd[f->x[i]];
  for (int32_t i = 0; f->still && i < f->ops->nnode; i++)
    if (f->still >> i & 1u) xd[i] = 0.0;
  in->x = x, in->xd = xd;
}

void hki_kin_drop_rates(const hk_model_force *f, hk_element_out *out) {
  const int32_t all = f->ops->nnode + f->ops->nown;
  for (int32_t i = 0; i < all; i++)
    for (int32_t j = 0; j < f->ops->nnode; j++)
      if (f->still >> j & 1u) out->Fxd[HK_ELEMENT_UNKNOWNS * i + j] = 0.0;
}

/* Normal force of a friction as its element wants it, without the preload. The surfaces of a joint that an
 * event has switched off are apart, and the preload does not press them either. */
static double pressed(const hk_kin *k, int32_t fi) {
  const int32_t n = k->m->forces[fi].normal, by = k->m->normals[n].by;
  const bool apart = by != HK_NONE && k->disc.active[by] == 0.0;
  return apart ? -hki_joint_friction_preload(k->m->forces[fi].par) : k->disc.normal[n];
}

/* inputs u of a force by the signals as they are */
static void read_inputs(const hk_kin *k, int32_t fi, double *u) {
  if (k->m->forces[fi].normal != HK_NONE) {
    u[0] = pressed(k, fi); // the only input of friction in a joint
    return;
  }
  const hk_spec_force *sf = &k->m->spec->forces[k->m->forces[fi].spec];
  for (int32_t i = 0; i < sf->ops->nu; i++)
    if (sf->u_signal[i] != HK_NONE)
      u[i] = k->sig[3 * sf->u_signal[i] + (int32_t)(sf->u_rate >> i & 1u)];
}

void hki_kin_force_inputs(const hk_kin *k, int32_t fi) {
  HK_KNOWN(k, HK_KIN_SIGNALS);
  read_inputs(k, fi, k->u + HK_ELEMENT_INPUTS * fi);
}

void hki_kin_force_now(const hk_kin *k, int32_t fi, hk_force_now *now) {
  hki_kin_force_in(k, fi, now->frame, &now->in);
  if (!k->m->forces[fi].u_varies) return;
  memcpy(now->u, now->in.u, sizeof now->u);
  read_inputs(k, fi, now->u);
  now->in.u = now->u;
}

/* --- groups that look ahead together ---------------------------------------------------------- */

static bool looks_ahead(const hk_model_force *f) {
  return f->ops->ahead && f->ops->alike(f->par, f->par);
}

int32_t hki_kin_most_looks(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->nf; i++) n += looks_ahead(&m->forces[i]);
  return n > 1 ? n / 2 : 0;
}

void hki_kin_find_looks(hk_kin *k) {
  const hk_model *m = k->m;
  const bool any = k->nlooks > 0;
  k->nlooks = 0;
  for (int32_t i = 0; any && i < m->nf; i++) k->look_of[i] = HK_NONE;
  for (int32_t i = 0; any && i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    int32_t *four = k->look + HK_ELEMENT_LANES * k->nlooks, count = 0;
    if (k->look_of[i] != HK_NONE || !looks_ahead(f)) continue;
    // the next ones that are like it; one that is alone finds its numbers itself
    for (int32_t j = i; j < m->nf && count < HK_ELEMENT_LANES; j++)
      if (k->look_of[j] == HK_NONE && m->forces[j].ops == f->ops &&
          f->ops->alike(f->par, m->forces[j].par))
        four[count++] = j;
    if (count < 2) continue;
    for (int32_t c = 0; c < count; c++) k->look_of[four[c]] = HK_ELEMENT_LANES * k->nlooks + c;
    for (int32_t c = count; c < HK_ELEMENT_LANES; c++) four[c] = four[0];
    k->nlooks++;
  }
}

void hki_kin_look_at(const hk_kin *k, int32_t group, const double (*p)[3]) {
  const hk_model_force *first = &k->m->forces[k->look[HK_ELEMENT_LANES * group]];
  first->ops->ahead(first->par, p, k->looks + HK_ELEMENT_LANES * group);
}

void hki_kin_look_ahead(const hk_kin *k) {
  for (int32_t n = 0; n < k->nlooks; n++) {
    const int32_t *four = k->look + HK_ELEMENT_LANES * n;
    double p[HK_ELEMENT_LANES][3];
    for (int c = 0; c < HK_ELEMENT_LANES; c++) {
      const hk_model_force *f = &k->m->forces[four[c]];
      hk_frame F;
      hki_kin_marker(k, f->body[0], &f->marker[0], &F);
      v3_copy(p[c], F.p);
    }
    hki_kin_look_at(k, n, (const double(*)[3])p);
  }
}

/* --- memory ----------------------------------------------------------------------------------- */

static void find(hk_kin *k, hk_state_mode mode, double gamma) {
  for (int32_t i = 0; i < k->m->nstateful; i++) k->state[i].mode = mode, k->state[i].gamma = gamma;
  if (k->m->nz) hki_kin_forget(k, k->by_velocity & ~HK_KIN_OF_CLOSURES);
}

void hki_kin_hold_states(hk_kin *k, const double *z) {
  if (z && k->m->nz) memcpy(k->z, z, (size_t)k->m->nz * sizeof *z);
  find(k, HK_STATES_HELD, 0.0);
}

void hki_kin_next_iterate(hk_kin *k) {
  for (int32_t i = 0; i < k->m->nz; i++) k->zlast[i] = (hk_state_iterate){k->z[i], k->zbranch[i]};
}

bool hki_kin_branched(const hk_kin *k) {
  for (int32_t i = 0; i < k->m->nz; i++)
    if (k->zlast[i].branch && k->zlast[i].branch != k->zbranch[i]) return true;
  return false;
}

void hki_kin_stage_states(hk_kin *k, double gamma) {
  for (int32_t i = 0; i < k->m->nz; i++) k->zbranch[i] = 0;
  find(k, HK_STATES_STAGE, gamma);
}

void hki_kin_stage_again(hk_kin *k, double gamma) { find(k, HK_STATES_STAGE, gamma); }

void hki_kin_rest_states(hk_kin *k) { find(k, HK_STATES_REST, 0.0); }

void hki_kin_find_states(hk_kin *k) {
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    hk_element_in in;
    hk_element_out out;
    hk_frame F[HK_ELEMENT_MARKERS];
    if (!k->m->forces[fi].nz) continue;
    if (k->m->forces[fi].u_varies) hki_kin_force_inputs(k, fi);
    hki_kin_force_in(k, fi, F, &in);
    hki_kin_element(k, fi, &in, HK_NEED_FORCE, &out);
  }
}

void hki_kin_advance_laws(hk_kin *k) {
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    const hk_model_force *f = &k->m->forces[fi];
    hk_element_in in;
    hk_element_out out;
    hk_frame F[HK_ELEMENT_MARKERS];
    const int32_t n = f->nd - f->ops->nd;
    if (!n) continue;
    if (f->u_varies) hki_kin_force_inputs(k, fi);
    hki_kin_force_in(k, fi, F, &in);
    hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_MEMORY, &out);
    memcpy(k->disc.d + f->d0 + f->ops->nd, out.d, (size_t)n * sizeof *out.d);
  }
}
