/* SPDX-License-Identifier: Apache-2.0
 *
 * forces.c: the loop over force elements: marker frames in, wrenches about O out, and the compact
 * rows s_z of each deformation s in the coordinates of its path.
 *
 *   Q_j = S_j . (wrenches on the bodies that j moves) + tau_j
 *   K   = s_z' (df/ds) s_z
 *   C   = s_z' (df/dsd) s_z
 *
 * Source: Cuadrado and Dopico 2003, eqs. 28-34.
 */
#include <stdio.h>

#include "kinematics/element.h"
#include "kinematics/plane.h"
#include "kinematics/pulls4.h"
#include "kinematics/wide.h"

bool hki_kin_hook(hk_kin *k, hk_hook when) {
  bool changed = false;
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    const hk_model_force *f = &k->m->forces[fi];
    hk_force_now now;
    if (!f->ops->hook) continue;
    hki_kin_force_now(k, fi, &now);
    changed |= f->ops->hook(f->par, when, &now.in, k->disc.d + f->d0);
  }
  if (changed) hki_kin_forget(k, HK_KIN_OF_FORCES);
  return changed;
}

/* wrenches on bodies from wrenches on markers */
static inline void add_wrenches(hk_kin *k, const int32_t *body, int32_t nmark, const hk_frame *F,
                                const double *w, double scale) {
  for (int32_t s = 0; s < nmark; s++) {
    if (body[s] == HK_GROUND) continue;
    const double *O = k->O + 3 * body[s], *f = w + 6 * s, *p = F[s].p;
    const double x = p[0] - O[0], y = p[1] - O[1], z = p[2] - O[2];
    double *W = k->W + 6 * body[s];
    W[0] += scale * (f[0] + (y * f[5] - z * f[4]));
    W[1] += scale * (f[1] + (z * f[3] - x * f[5]));
    W[2] += scale * (f[2] + (x * f[4] - y * f[3]));
    for (int i = 3; i < 6; i++) W[i] += scale * f[i];
  }
}

/* a force on a joint coordinate that is a tree coordinate */
static void tree_scalar(hk_kin *k, int32_t fi, const hk_element_out *out, bool tangent) {
  const hk_model_force *f = &k->m->forces[fi];
  const hk_scalar *s = &k->m->scalars[f->scalar];
  hk_force_row *row = &k->row[fi];
  k->tau[s->vi] += s->sign * out->tau;
  if (!tangent) return;
  // the path holds all coordinates of the joint
  double *fz = k->fz + row->z0;
  for (int32_t n = 0; n < f->path.n; n++) fz[n] = f->path.dof[n] == s->vi ? s->sign : 0.0;
  row->ks[0] = out->K[0];
  row->cs[0] = out->C[0];
  for (int32_t i = 0; k->fu0[fi] >= 0 && i < f->ops->nu; i++)
    for (int32_t n = 0; n < f->path.n; n++)
      k->fu[k->fu0[fi] + i * f->path.n + n] = fz[n] * out->Wu[12 * i];
}

/* a force on a coordinate measured between the markers of a cut joint */
static void measured_scalar(hk_kin *k, int32_t fi, const hk_element_out *out, bool tangent) {
  const hk_model_force *f = &k->m->forces[fi];
  const hk_scalar *s = &k->m->scalars[f->scalar];
  const hk_model_joint *j = &k->m->joints[s->joint];
  const hk_spec_joint *sj = &k->m->spec->joints[s->joint];
  hk_force_row *row = &k->row[fi];
  hk_joint_coord x;
  hk_frame F[2];
  double g[12];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(k, s->joint, &F[1]);
  sj->ops->coord(sj->par, s->coord, &F[0], &F[1], k->disc.turn[s->turn] - s->zero, &x);
  s6_copy(g, x.gA);
  s6_copy(g + 6, x.gB);
  add_wrenches(k, j->mbody, 2, F, g, out->tau);
  if (!tangent) return;
  hki_kin_pull(k, j->mbody, F, x.gA, x.gB, &f->path, k->fz + row->z0);
  row->ks[0] = out->K[0];
  row->cs[0] = out->C[0];
  if (k->fu0[fi] < 0) return;
  for (int32_t i = 0; i < f->ops->nu; i++)
    for (int32_t n = 0; n < f->path.n; n++)
      k->fu[k->fu0[fi] + i * f->path.n + n] = out->Wu[12 * i] * k->fz[row->z0 + n];
}

static void marker_tangent(hk_kin *k, int32_t fi, const hk_frame *F, const hk_element_out *out) {
  const hk_model_force *f = &k->m->forces[fi];
  const int32_t n = f->path.n, rank = k->row[fi].rank;
  hk_force_row *row = &k->row[fi];
  for (int32_t r = 0; r < rank; r++) {
    const double *g = out->B + 12 * r;
    hki_kin_pull_runs(k, f->body, F, g, g + 6, &f->path, &k->fruns[fi], k->fz + row->z0 + r * n);
  }
  row->ks[0] = out->ks[0], row->cs[0] = out->cs[0];
  for (int32_t r = 0; rank > 1 && r < rank; r++)
    for (int32_t c = 0; c < rank; c++) {
      row->ks[6 * r + c] = out->ks[6 * r + c];
      row->cs[6 * r + c] = out->cs[6 * r + c];
    }
  if (k->fu0[fi] < 0) return;
  for (int32_t i = 0; i < f->ops->nu; i++) {
    const double *g = out->Wu + 12 * i;
    double *fu = k->fu + k->fu0[fi] + i * n;
    hki_kin_pull_runs(k, f->body, F, g, g + 6, &f->path, &k->fruns[fi], fu);
  }
}

static void marker_force(hk_kin *k, int32_t fi, bool tangent) {
  const hk_model_force *f = &k->m->forces[fi];
  hk_element_in in;
  hk_element_out out;
  hk_frame F[HK_ELEMENT_MARKERS];
  uint32_t need = tangent ? HK_NEED_FORCE | HK_NEED_TANGENT : HK_NEED_FORCE;
  if (tangent && k->fu0[fi] >= 0) need |= HK_NEED_INPUT;
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  in.ahead = hki_kin_ahead(k, fi);
  hki_kin_element(k, fi, &in, need, &out);
  add_wrenches(k, f->body, f->ops->nmark, F, out.w, 1.0);
  if (tangent) marker_tangent(k, fi, F, &out);
}

static void joint_force(hk_kin *k, int32_t fi, bool tangent) {
  const hk_model_force *f = &k->m->forces[fi];
  hk_element_in in;
  hk_element_out out;
  hk_frame F[HK_ELEMENT_MARKERS];
  uint32_t need = tangent ? HK_NEED_FORCE | HK_NEED_EXACT : HK_NEED_FORCE;
  if (tangent && k->fu0[fi] >= 0) need |= HK_NEED_INPUT;
  if (f->u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  hki_kin_element(k, fi, &in, need, &out);
  if (k->m->scalars[f->scalar].vi != HK_NONE)
    tree_scalar(k, fi, &out, tangent);
  else
    measured_scalar(k, fi, &out, tangent);
}

void hki_kin_forces(hk_kin *k, uint32_t what) {
  const hk_model *m = k->m;
  const double *g = m->spec->gravity;
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_SIGNALS);
  // gravity
  for (int32_t b = 0; b < m->nb; b++) {
    double *W = k->W + 6 * b;
    v3_cross(W, k->I[b].h, g);
    v3_scale(W + 3, k->I[b].m, g);
  }
  memset(k->tau, 0, (size_t)m->nv * sizeof *k->tau);
  bool tangent = (what & HK_FORCES_TANGENT) != 0;
  if (k->nlooks) hki_kin_look_ahead(k);
  hki_pulls4_forces(k, tangent);
  for (int32_t i = 0; i < k->nalone; i++) {
    const int32_t fi = k->alone[i];
    if (m->forces[fi].ops->nscal)
      joint_force(k, fi, tangent);
    else if (m->forces[fi].ops->nmark)
      marker_force(k, fi, tangent);
  }
  if (m->nwide) hki_kin_wide_forces(k);
  if (tangent && k->nsig_grad) hki_kin_signal_gradients(k);
  k->known |= tangent ? HK_KIN_FORCES | HK_KIN_TANGENTS : HK_KIN_FORCES;
}

/* partial time derivative of a joint element's coordinate: what a prescribed rotation moves its zero
 * by (turned.c). The element exchanges tau ds/dt, the bodies get tau (ds/dt - this) of it. */
static double moving_scale(const hk_kin *k, int32_t fi) {
  const hk_scalar *s = &k->m->scalars[k->m->forces[fi].scalar];
  const hk_model_joint *j = &k->m->joints[s->joint];
  const hk_spec_joint *sj = &k->m->spec->joints[s->joint];
  hk_joint_coord x;
  hk_frame F[2];
  if (!j->turned) return 0.0;
  for (int i = 0; i < 2; i++) hki_kin_marker(k, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(k, s->joint, &F[1]);
  return hki_kin_coord(k, s->joint, sj->ops, sj->par, s->coord, F, 0.0, &x);
}

void hki_kin_keep_inputs(const hk_kin *k, int32_t fi, const hk_element_in *in, hk_input_trace *t) {
  const hk_model_force *f = &k->m->forces[fi];
  const hk_spec_force *sf = &k->m->spec->forces[f->spec];
  const int32_t *signal = sf->u_signal;
  const int32_t n = in->x ? f->ops->nnode + f->ops->nown : 0;
  if (f->normal != HK_NONE) {
    t->u[0] = in->u[0], t->ud[0] = HK_NO_RATE; // the only input of friction in a joint
    for (int32_t i = 0; i < n; i++) t->x[i] = in->x[i], t->xd[i] = in->xd[i];
    return;
  }
  for (int32_t i = 0; i < f->ops->nu; i++) {
    t->u[i] = in->u[i];
    t->ud[i] = !(f->u_varies >> i & 1u) ? 0.0
               : signal[i] == HK_NONE || k->sig_state[signal[i]]
                   ? HK_NO_RATE
                   : k->sig[3 * signal[i] + 1 + (sf->u_rate >> i & 1u)];
  }
  for (int32_t i = 0; i < n; i++) t->x[i] = in->x[i], t->xd[i] = in->xd[i];
}

/* one force in the books: adds to U, Pd, Ps */
static void force_energy(hk_kin *k, int32_t fi, double *U, double *Pd, double *Ps) {
  const hk_model *m = k->m;
  const uint32_t need =
      HK_NEED_FORCE | HK_NEED_ENERGY | (k->cache_forces ? (uint32_t)HK_NEED_OUTPUT : 0u);
  hk_element_in in;
  hk_element_out out;
  hk_frame own[HK_ELEMENT_MARKERS];
  const hk_element_ops *ops = m->forces[fi].ops;
  hk_force_trace *t = k->trace ? &k->trace->force[fi] : NULL;
  // elements between scalar nodes alone have no mechanical energy
  if (!ops->nmark && !ops->nscal && !ops->wide && !k->cache_forces) return;
  if (m->forces[fi].u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, t && !ops->power ? t->m : own, &in);
  in.ahead = hki_kin_ahead(k, fi);
  hki_kin_element(k, fi, &in, need, &out);
  double moving = 0.0;
  if (m->nturned && ops->nscal) moving = -out.tau * moving_scale(k, fi);
  *U += out.energy, *Pd += out.dissipated, *Ps += out.supplied;
  *Ps += moving;
  if (t) {
    const bool deformed = ops->power && !ops->nscal;
    t->s = deformed ? out.s : in.s, t->sd = deformed ? out.sd : in.sd;
    t->energy = out.energy, t->dissipated = out.dissipated, t->supplied = out.supplied;
    t->moving = moving;
    t->spent = m->forces[fi].nd > ops->nd ? out.spent : 0.0;
    if (k->trace->input) hki_kin_keep_inputs(k, fi, &in, &k->trace->input[fi]);
  }
  if (!k->cache_forces) return;
  // copy whole arrays, also the unused part: a copy of constant length is fast
  memcpy(k->kept_w + 12 * fi, out.w, sizeof out.w);
  memcpy(k->kept_y + HK_ELEMENT_OUTPUTS * fi, out.y, sizeof out.y);
}

void hki_kin_energy(hk_kin *k) {
  const hk_model *m = k->m;
  double T = 0.0, U = 0.0, Pd = 0.0, Ps = 0.0, f[6];
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_SIGNALS);
  v3_zero(k->momentum);
  if (k->plane) hki_plane_energy(k, &T, &U);
  for (int32_t b = 0; !k->plane && b < m->nb; b++) {
    if (k->inert[b] == HK_INERT_NONE) continue;
    inertia_mul(f, &k->I[b], k->V + 6 * b);
    T += 0.5 * s6_dot(f, k->V + 6 * b);
    v3_add(k->momentum, k->momentum, f + 3);
    U -= k->I[b].m * v3_dot(m->spec->gravity, k->frame[b].p);
  }
  if (k->nlooks) hki_kin_look_ahead(k);
  hki_pulls4_energy(k, &U, &Pd, &Ps);
  for (int32_t i = 0; i < k->nalone; i++) force_energy(k, k->alone[i], &U, &Pd, &Ps);
  if (m->nwide) hki_kin_wide_energy(k, &T, &U, &Pd, &Ps);
  k->kinetic = T;
  k->potential = U;
  k->dissipated = Pd;
  k->supplied = Ps;
  if (k->trace && m->nz) {
    memcpy(k->trace->z, k->z, (size_t)m->nz * sizeof *k->z);
    memcpy(k->trace->z + m->nz, k->zd, (size_t)m->nz * sizeof *k->zd);
  }
  k->known |= k->cache_forces ? HK_KIN_ENERGY | HK_KIN_KEPT : HK_KIN_ENERGY;
}

void hki_kin_decide(hk_kin *k, bool *changed) {
  const hk_model *m = k->m;
  HK_KNOWN(k, HK_KIN_FRAMES);
  *changed = false;
  for (int32_t fi = 0; fi < m->nf; fi++) {
    const hk_model_force *f = &m->forces[fi];
    if (!f->ops->decide) continue;
    hk_force_now now;
    hki_kin_force_now(k, fi, &now);
    *changed |= f->ops->decide(f->par, &now.in, k->disc.d + f->d0);
  }
  if (*changed) hki_kin_forget(k, HK_KIN_OF_FORCES);
}

void hki_kin_follow(hk_kin *k) {
  k->refused = NULL;
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    const hk_model_force *f = &k->m->forces[fi];
    if (!f->ops->follow) continue;
    hk_force_now now;
    hki_kin_force_now(k, fi, &now);
    const char *words = f->ops->follow(f->par, &now.in, k->disc.d + f->d0);
    if (words && !k->refused)
      k->refused = words, k->refuser = k->m->spec->forces[f->spec].name, k->refuser_bends = false;
  }
  if (k->m->nwide && !k->refused) hki_kin_wide_follow(k);
}

bool hki_kin_refused(const hk_kin *k, char *buf, size_t cap) {
  if (!k->refused) return false;
  if (k->refuser_bends)
    snprintf(buf, cap, "beam '%.200s': %s", k->refuser, k->refused);
  else
    snprintf(buf, cap, "force '%.200s': %s", k->refuser, k->refused);
  return true;
}

void hki_kin_force_wrench(const hk_kin *k, int32_t fi, double *w) {
  const hk_model_force *f = &k->m->forces[fi];
  size_t n = 6 * (size_t)f->ops->nmark;
  if (k->known & HK_KIN_KEPT) {
    for (size_t i = 0; i < n; i += 6) s6_copy(w + i, k->kept_w + 12 * fi + i);
    return;
  }
  hk_force_now now;
  hk_element_out out;
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  hki_kin_force_now(k, fi, &now);
  hki_kin_element(k, fi, &now.in, HK_NEED_FORCE, &out);
  memcpy(w, out.w, n * sizeof *w);
}

void hki_kin_force_output(const hk_kin *k, int32_t fi, double *y) {
  const hk_model_force *f = &k->m->forces[fi];
  size_t n = (size_t)f->ops->ny;
  if (k->known & HK_KIN_KEPT) {
    for (size_t i = 0; i < n; i++) y[i] = k->kept_y[(size_t)(HK_ELEMENT_OUTPUTS * fi) + i];
    return;
  }
  hk_force_now now;
  hk_element_out out;
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  if (f->wide != HK_NONE) {
    memcpy(y, hki_kin_wide(k, f->wide, HK_NEED_FORCE | HK_NEED_OUTPUT)->y, n * sizeof *y);
    return;
  }
  hki_kin_force_now(k, fi, &now);
  hki_kin_element(k, fi, &now.in, HK_NEED_FORCE | HK_NEED_OUTPUT, &out);
  memcpy(y, out.y, n * sizeof *y);
}

double hki_kin_force_dissipation(const hk_kin *k, int32_t fi) {
  hk_force_now now;
  hk_element_out out;
  HK_KNOWN(k, HK_KIN_FRAMES | HK_KIN_MOTION);
  hki_kin_force_now(k, fi, &now);
  hki_kin_element(k, fi, &now.in, HK_NEED_FORCE | HK_NEED_ENERGY, &out);
  // laws that count what they take themselves
  const bool counts = k->m->forces[fi].nd > k->m->forces[fi].ops->nd;
  return counts ? out.dissipated + out.spending : out.dissipated;
}
