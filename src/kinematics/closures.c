/* SPDX-License-Identifier: Apache-2.0
 *
 * closures.c: constraint rows of cut joints, prescribed coordinates and locks, and their Jacobian
 * in the tree coordinates (Cuadrado and Dopico 2003, eq. 20: Phi_z = Phi_q q_z).
 *
 *   Phi = phi(markers) - f(t)
 *   Phi_z[j] = sum over the markers that coordinate j moves of (G about O) . S_j
 *   d2Phi/dt2 = Phi_z vdot + gamma,
 *   gamma = gamma_joint + sum of (G about O) . A0 + G_v . (omega x v_marker) - f''(t)
 */
#include "kinematics/kin.h"

void hki_kin_closure_frames(const hk_kin *k, const hk_closure *c, hk_frame *F) {
  hk_offset o = c->marker[0];
  if (c->remark != HK_NONE) {
    memcpy(o.R, k->disc.remark + 12 * c->remark, sizeof o.R);
    memcpy(o.p, k->disc.remark + 12 * c->remark + 9, sizeof o.p);
  }
  hki_kin_marker(k, c->body[0], &o, &F[0]);
  hki_kin_marker(k, c->body[1], &c->marker[1], &F[1]);
}

void hki_kin_pull(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                  const double *gB, const hk_path *path, double *out) {
  double GO[2][6] = {{0}}, r[3];
  const double *g[2] = {gA, gB};
  for (int s = 0; s < 2; s++) {
    if (body[s] == HK_GROUND) continue;
    v3_sub(r, F[s].p, k->O + 3 * body[s]);
    s6_wrench_to_origin(GO[s], g[s], r);
  }
  for (int32_t i = 0; i < path->n; i++) {
    const double *S = k->S + 6 * path->dof[i];
    double x = 0.0;
    if (path->side[i] & 1) x += s6_dot(GO[0], S);
    if (path->side[i] & 2) x += s6_dot(GO[1], S);
    out[i] = x;
  }
}

/* acceleration bias that comes from moving markers */
static double row_bias(const hk_kin *k, const hk_closure *c, const hk_frame *F, const double *gA,
                       const double *gB) {
  const double *g[2] = {gA, gB};
  double sum = 0.0, GO[6], r[3], x[3];
  for (int s = 0; s < 2; s++) {
    if (c->body[s] == HK_GROUND) continue;
    v3_sub(r, F[s].p, k->O + 3 * c->body[s]);
    s6_wrench_to_origin(GO, g[s], r);
    v3_cross(x, F[s].w, F[s].v);
    sum += s6_dot(GO, k->A0 + 6 * c->body[s]) + v3_dot(g[s] + 3, x);
  }
  return sum;
}

/* subtract a row's signal and its derivatives */
static void row_signal(hk_kin *k, int32_t row, int32_t signal, bool bias) {
  const double *f = k->sig + 3 * signal;
  if (signal == HK_NONE) return;
  if (bias) {
    k->gamma[row] -= f[2];
  } else {
    k->phi[row] -= f[0];
    k->phit[row] = -f[1];
  }
}

static void eval_joint(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  hk_joint_loop L;
  hk_frame F[2];
  hki_kin_closure_frames(k, c, F);
  uint32_t need = bias ? HK_LOOP_JAC | HK_LOOP_ACC : HK_LOOP_POS | HK_LOOP_JAC;
  c->ops->loop(&c->par, &F[0], &F[1], need, &L);
  for (int32_t r = 0; r < c->nrows; r++) {
    int32_t lr = c->rows[r], row = c->row0 + r;
    const double *gA = L.GA + 6 * lr, *gB = L.GB + 6 * lr;
    if (bias) {
      k->gamma[row] = L.gamma[lr] + row_bias(k, c, F, gA, gB);
    } else {
      k->phi[row] = L.phi[lr];
      k->phit[row] = 0.0;
      hki_kin_pull(k, c->body, F, gA, gB, &c->path, k->gz + k->gz0[ci] + r * c->path.n);
    }
    row_signal(k, row, c->row_signal[r], bias);
  }
}

/* a coordinate measured between the markers of a cut joint */
static void eval_measured(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  const hk_scalar *s = &k->m->scalars[c->scalar];
  hk_frame F[2];
  hk_joint_coord x;
  hki_kin_closure_frames(k, c, F);
  c->ops->coord(&c->par, s->coord, &F[0], &F[1], k->disc.turn[s->turn] - s->zero, &x);
  if (bias) {
    k->gamma[c->row0] = x.bias + row_bias(k, c, F, x.gA, x.gB);
  } else {
    k->phi[c->row0] = x.s + s->zero;
    hki_kin_pull(k, c->body, F, x.gA, x.gB, &c->path, k->gz + k->gz0[ci]);
  }
}

static void eval_coord(hk_kin *k, int32_t ci, bool bias) {
  const hk_closure *c = &k->m->closures[ci];
  const hk_scalar *s = &k->m->scalars[c->scalar];
  int32_t row = c->row0;
  if (!bias) k->phit[row] = 0.0;
  if (s->qi == HK_NONE) {
    eval_measured(k, ci, bias);
  } else if (bias) {
    k->gamma[row] = 0.0;
  } else {
    k->phi[row] = s->sign * k->q[s->qi] + s->zero;
    // the path holds all coordinates of the joint
    for (int32_t i = 0; i < c->path.n; i++)
      k->gz[k->gz0[ci] + i] = c->path.dof[i] == s->vi ? s->sign : 0.0;
  }
  row_signal(k, row, c->row_signal[0], bias);
  if (!bias && c->role == HK_ROLE_LOCK) k->phi[row] -= k->disc.lock[c->lock];
}

static void eval_all(hk_kin *k, bool bias) {
  for (int32_t ci = 0; ci < k->m->nc; ci++) {
    if (k->disc.active[ci] == 0.0) continue;
    if (k->m->closures[ci].kind == HK_CLOSURE_JOINT)
      eval_joint(k, ci, bias);
    else
      eval_coord(k, ci, bias);
  }
}

void hki_kin_closures(hk_kin *k) { eval_all(k, false); }

void hki_kin_closure_bias(hk_kin *k) { eval_all(k, true); }

void hki_kin_rows(const hk_kin *k, const double *x, double *y) {
  const hk_model *m = k->m;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    const double *gz = k->gz + k->gz0[c];
    bool on = k->disc.active[c] != 0.0;
    for (int32_t i = 0; i < cl->nrows; i++, gz += cl->path.n) {
      double sum = 0.0;
      for (int32_t j = 0; on && j < cl->path.n; j++) sum += gz[j] * x[cl->path.dof[j]];
      y[cl->row0 + i] = sum;
    }
  }
}
