/* SPDX-License-Identifier: Apache-2.0
 *
 * coupling.c: rows that relate coordinates s of several joints.
 *
 *   phi     = sum c_i s_i + 1/2 sum Q_ij s_i s_j + c0 + f(s, t)
 *   dphi    = sum phi_i ds_i                                         phi_i = c_i + sum Q_ij s_j + df/ds_i
 *   phi''   = sum phi_i s_i'' + sum phi_ij s_i' s_j' + 2 sum phi_it s_i' + phi_tt
 *
 * A row on velocities, psi(s', s, t) with a_i = dpsi/ds_i', which may depend on s' (a curved row):
 *
 *   psi     = sum a_i s_i' + psi - sum a_i s_i'                      the last two: phit
 *   psi'    = sum a_i s_i'' + sum psi_k s_k' + psi_t                 psi_k = dpsi/ds_k
 *
 * s_i'' = g_i a + bias of the coordinate: of one in the tree, the acceleration itself.
 */
#include "kinematics/kin.h"

/* f along the direction xd, td */
static void along(const hk_kin *k, const hk_coupling *c, const double *x, const double *xd,
                  double td, double *y) {
  hki_coupling_along(k->m, c, k->t, k->sig, x, xd, td, y);
}

/* x: the arguments themselves, values or rates */
static void arguments(const hk_coupling *c, const double *s, const double *sd, double *x) {
  for (int32_t i = 0; i < c->n; i++) x[i] = c->arg[i].rate ? sd[i] : s[i];
}

/* phit and slopes of a curved row at the present rates */
static void eval_curved(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                        double *phit, double *f) {
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, y[3];
  arguments(c, s, sd, x);
  along(k, c, x, xd, 0.0, y);
  *phit = y[0];
  for (int32_t i = 0; i < c->n; i++) {
    f[i] = 0.0;
    if (!c->arg[i].rate) continue;
    xd[i] = 1.0;
    along(k, c, x, xd, 0.0, y);
    xd[i] = 0.0;
    f[i] = y[1];
    *phit -= f[i] * sd[i];
  }
}

void hki_coupling_eval(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                       double *phi, double *phit, double *f) {
  const bool rates = hki_coupling_of_rates(c);
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, y[3];
  if (c->curved) {
    *phi = 0.0;
    eval_curved(k, c, s, sd, phit, f);
    return;
  }
  *phi = rates ? 0.0 : c->c0;
  *phit = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    f[i] = c->arg[i].c;
    *phi += f[i] * s[i];
    x[i] = c->arg[i].rate ? 0.0 : s[i];
  }
  for (int32_t i = 0; c->Q && i < c->n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < c->n; j++) sum += c->Q[i * c->n + j] * s[j];
    f[i] += sum;
    *phi += 0.5 * s[i] * sum;
  }
  if (c->signal == HK_NONE) return;
  along(k, c, x, xd, 1.0, y);
  *phi += rates ? 0.0 : y[0];
  *phit = rates ? y[0] : y[1];
  for (int32_t i = 0; i < c->n; i++) {
    if (rates && !c->arg[i].rate) continue;
    xd[i] = 1.0;
    along(k, c, x, xd, 0.0, y);
    xd[i] = 0.0;
    f[i] += y[1];
  }
}

double hki_coupling_bias(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd) {
  const bool rates = hki_coupling_of_rates(c);
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, y[3], sum = 0.0;
  for (int32_t i = 0; c->Q && i < c->n * c->n; i++) sum += sd[i / c->n] * c->Q[i] * sd[i % c->n];
  if (c->signal == HK_NONE) return sum;
  for (int32_t i = 0; i < c->n; i++) {
    x[i] = c->arg[i].rate ? sd[i] : s[i];
    xd[i] = c->arg[i].rate ? 0.0 : sd[i];
  }
  along(k, c, x, xd, 1.0, y);
  return sum + (rates ? y[1] : y[2]);
}

void hki_coupling_bend(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                       double *h) {
  const int32_t n = c->n;
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, y[3];
  memset(h, 0, (size_t)(n * n) * sizeof *h);
  if (c->Q) memcpy(h, c->Q, (size_t)(n * n) * sizeof *h);
  if (c->signal == HK_NONE) return;
  arguments(c, s, sd, x);
  for (int32_t i = 0; i < n; i++) {
    xd[i] = 1.0;
    along(k, c, x, xd, 0.0, y);
    h[i * n + i] = y[2];
    xd[i] = 0.0;
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      xd[i] = xd[j] = 1.0;
      along(k, c, x, xd, 0.0, y);
      xd[i] = xd[j] = 0.0;
      h[i * n + j] = h[j * n + i] = 0.5 * (y[2] - h[i * n + i] - h[j * n + j]);
    }
}

void hki_coupling_shift(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                        double *g) {
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, y[3];
  arguments(c, s, sd, x);
  for (int32_t i = 0; i < c->n; i++) {
    g[i] = 0.0;
    if (c->arg[i].rate) continue;
    xd[i] = 1.0;
    along(k, c, x, xd, 0.0, y);
    xd[i] = 0.0;
    g[i] = y[1];
  }
}

void hki_coupling_slope_rates(const hk_kin *k, const hk_coupling *c, const double *s,
                              const double *sd, const double *sdd, double *fd) {
  double x[HK_COUPLED] = {0}, xd[HK_COUPLED] = {0}, way[HK_COUPLED] = {0}, both[HK_COUPLED], y[3];
  double z[3], w[3];
  for (int32_t i = 0; i < c->n; i++) {
    fd[i] = 0.0;
    for (int32_t j = 0; c->Q && j < c->n; j++) fd[i] += c->Q[i * c->n + j] * sd[j];
  }
  if (c->signal == HK_NONE || (hki_coupling_of_rates(c) && !sdd)) return;
  arguments(c, s, sd, x);
  for (int32_t i = 0; i < c->n; i++) way[i] = c->arg[i].rate ? sdd[i] : sd[i];
  along(k, c, x, way, 1.0, w);
  for (int32_t i = 0; i < c->n; i++) {
    memcpy(both, way, (size_t)c->n * sizeof *both);
    both[i] += 1.0;
    xd[i] = 1.0;
    along(k, c, x, xd, 0.0, y);
    along(k, c, x, both, 1.0, z);
    xd[i] = 0.0;
    fd[i] = 0.5 * (z[2] - y[2] - w[2]);
  }
}

/* --- in the tree ------------------------------------------------------------------------------ */

/* a coordinate measured between the markers F of its joint; returns its partial time derivative */
static double measure(const hk_kin *k, int32_t scalar, hk_frame *F, hk_joint_coord *x) {
  const hk_scalar *s = &k->m->scalars[scalar];
  const hk_model_joint *j = &k->m->joints[s->joint];
  const hk_spec_joint *sj = &k->m->spec->joints[s->joint];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(k, s->joint, &F[1]);
  const double near = k->disc.turn[s->turn] - s->zero;
  const double rt = hki_kin_coord(k, s->joint, sj->ops, sj->par, s->coord, F, near, x);
  x->s += s->zero;
  return rt;
}

void hki_kin_coupled(const hk_kin *k, const hk_coupling *c, double *s, double *sd) {
  hk_frame F[2];
  hk_joint_coord x;
  for (int32_t i = 0; i < c->n; i++) {
    const hk_scalar *a = &k->m->scalars[c->arg[i].scalar];
    if (a->qi == HK_NONE) {
      (void)measure(k, c->arg[i].scalar, F, &x);
      s[i] = x.s, sd[i] = x.sd;
    } else {
      s[i] = a->sign * k->q[a->qi] + a->zero;
      sd[i] = k->v ? a->sign * k->v[a->vi] : 0.0;
    }
  }
}

/* phi, phit, slopes and gradient of row ci */
static void row(hk_kin *k, int32_t ci) {
  const hk_closure *cl = &k->m->closures[ci];
  const hk_coupling *c = cl->coupling;
  double s[HK_COUPLED], sd[HK_COUPLED], rt[HK_COUPLED] = {0}, *gz = k->gz + k->gz0[ci];
  double *f = k->slope + c->slope0;
  const bool moves = c->curved && hki_kin_knows(k, HK_KIN_VELOCITIES);
  hk_frame F[HK_COUPLED][2];
  hk_joint_coord x[HK_COUPLED];
  for (int32_t i = 0; i < c->n; i++) {
    const hk_scalar *a = &k->m->scalars[c->arg[i].scalar];
    if (a->qi == HK_NONE) rt[i] = measure(k, c->arg[i].scalar, F[i], &x[i]);
    s[i] = a->qi == HK_NONE ? x[i].s : a->sign * k->q[a->qi] + a->zero;
    sd[i] = !moves ? 0.0 : a->qi == HK_NONE ? x[i].sd : a->sign * k->v[a->vi];
  }
  hki_coupling_eval(k, c, s, sd, &k->phi[cl->row0], &k->phit[cl->row0], f);
  k->phi[cl->row0] -= hki_kin_stored(k, cl, 0);
  memset(gz, 0, (size_t)cl->path.n * sizeof *gz);
  for (int32_t i = 0; i < c->n; i++) {
    const hk_coupled *a = &c->arg[i];
    const hk_scalar *sc = &k->m->scalars[a->scalar];
    k->phit[cl->row0] += f[i] * rt[i];
    if (sc->qi != HK_NONE) {
      gz[a->at[0]] += f[i] * sc->sign;
      continue;
    }
    // gradients at both markers, coordinate by coordinate of the joint's path
    const hk_model_joint *j = &k->m->joints[sc->joint];
    double G[2][6] = {{0}};
    for (int m = 0; m < 2; m++) {
      double r[3];
      if (j->mbody[m] == HK_GROUND) continue;
      v3_sub(r, F[i][m].p, k->O + 3 * j->mbody[m]);
      s6_wrench_to_origin(G[m], m ? x[i].gB : x[i].gA, r);
    }
    for (int32_t p = 0; p < a->path.n; p++)
      for (int m = 0; m < 2; m++)
        if (a->path.side[p] >> m & 1)
          gz[a->at[p]] += f[i] * s6_dot(G[m], k->S + 6 * a->path.dof[p]);
  }
}

void hki_kin_coupling(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *cl = &k->m->closures[ci];
  const hk_coupling *c = cl->coupling;
  double s[HK_COUPLED], sd[HK_COUPLED];
  if (!bias) {
    row(k, ci);
    return;
  }
  const double *f = k->slope + c->slope0;
  double sum = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    const hk_scalar *a = &k->m->scalars[c->arg[i].scalar];
    hk_frame F[2];
    hk_joint_coord x;
    if (a->qi != HK_NONE) {
      s[i] = a->sign * k->q[a->qi] + a->zero, sd[i] = a->sign * k->v[a->vi];
      continue;
    }
    (void)measure(k, c->arg[i].scalar, F, &x);
    s[i] = x.s, sd[i] = x.sd;
    sum += f[i] * (x.bias + hki_kin_row_bias(k, k->m->joints[a->joint].mbody, F, x.gA, x.gB));
  }
  k->gamma[cl->row0] = sum + hki_coupling_bias(k, c, s, sd);
}
