/* SPDX-License-Identifier: Apache-2.0
 *
 * normal.c: what presses the surfaces of joints together (machines/friction/normal.h), in the tree
 * machine. With F_sub the sum of F = I A + V x* (I V) - W over the subtree behind a joint, and lam
 * the multipliers of the closures, G their gradients on single bodies:
 *
 *   tree joint   w = F_sub + sum of G'lam over the subtree    wrench of the joint on its second body
 *   cut joint    w = -G_B'lam                                 of the rows that press
 *   N            = |P w|                                      P: components that press, in A axes
 *   stop         N = |lam|/lever                              lam: multiplier of its own row
 *
 * Forces press, and with a radius r moments over r: |P w|^2 = |P f|^2 + |P m|^2/r^2, m about B's origin, where m
 * may be that about the line halfway between z of A and z of B.
 *
 * Slopes at fixed positions, with n = P w/|P w| as a twist about O, and Ic the inertia of a subtree:
 *
 *   dN/da_j      = S_j . (Ic n)        coordinates j of the joint and above it
 *                  n . (Ic_j S_j)      coordinates behind it, Ic_j of the bodies that j moves
 *   dN/dlam_r    = n . (wrench of row r)
 */
#include "machines/tree/tree.h"

/* does row r of a cut joint press? */
static bool presses(const hk_normal *n, const hk_closure *c, int32_t r) {
  return !n->rows || (n->rows >> c->rows[r] & 1u);
}

/* wrenches G'lam of all rows on a closure's two bodies, or of one row (lam NULL: of row `one`), about
 * O; zero on the ground. Couplings act along coordinates of joints, which presses nothing. */
static void closure_wrench(const hk_kin *k, const hk_closure *c, const double *lam, int32_t one,
                           double *wA, double *wB, double *pB, double *atB) {
  hk_frame F[2];
  double g[2][6] = {{0}}, d[3];
  hki_kin_closure_frames(k, c, F);
  if (c->kind == HK_CLOSURE_JOINT) {
    hk_joint_loop L;
    double rt[6];
    hki_kin_loop(k, c->joint, c->ops, c->par, F, HK_LOOP_JAC, &L, rt);
    for (int32_t i = 0; i < c->nrows; i++) {
      const double f = lam ? lam[i] : i == one ? 1.0 : 0.0;
      s6_axpy(g[0], f, L.GA + 6 * c->rows[i]);
      s6_axpy(g[1], f, L.GB + 6 * c->rows[i]);
    }
  } else if (c->kind == HK_CLOSURE_COORD) {
    const hk_scalar *s = &k->m->scalars[c->scalar];
    const double near = s->turn == HK_NONE ? 0.0 : k->disc.turn[s->turn] - s->zero;
    const double f = lam ? lam[0] : 1.0;
    hk_joint_coord x;
    hki_kin_coord(k, c->joint, c->ops, c->par, s->coord, F, near, &x);
    s6_axpy(g[0], f, x.gA);
    s6_axpy(g[1], f, x.gB);
  }
  s6_zero(wA), s6_zero(wB);
  for (int i = 0; i < 2; i++) {
    if (c->body[i] == HK_GROUND) continue;
    v3_sub(d, F[i].p, k->O + 3 * c->body[i]);
    s6_wrench_to_origin(i ? wB : wA, g[i], d);
  }
  v3_copy(pB, F[1].p);
  s6_copy(atB, g[1]);
}

/* s->C = sums of G'lam over subtrees */
static void closure_sums(hk_tree *s, const double *lam) {
  const hk_model *m = s->m;
  memset(s->C, 0, 6 * (size_t)m->nb * sizeof *s->C);
  for (int32_t i = 0; i < m->nc; i++) {
    const hk_closure *c = &m->closures[i];
    double w[2][6], p[3], at[6];
    if (s->kin.disc.active[i] == 0.0) continue;
    closure_wrench(&s->kin, c, lam + c->row0, 0, w[0], w[1], p, at);
    for (int k = 0; k < 2; k++)
      if (c->body[k] != HK_GROUND) s6_axpy(s->C + 6 * c->body[k], 1.0, w[k]);
  }
  for (int32_t b = m->nb - 1; b >= 0; b--)
    if (m->bodies[b].parent != HK_GROUND)
      s6_axpy(s->C + 6 * m->bodies[b].parent, 1.0, s->C + 6 * b);
}

/* Wrench of a joint on its second body about B's origin, world axes; without moments that do not press
 * it is (0, force). */
static void joint_wrench(const hk_tree *s, const hk_normal *n, const double *lam, double *w) {
  const hk_model *m = s->m;
  const hk_model_joint *j = &m->joints[n->joint];
  const bool turns = hki_press_turns(n->press);
  s6_zero(w);
  if (j->body != HK_NONE) {
    const double sign = m->bodies[j->body].reversed ? -1.0 : 1.0;
    v3_scale(w + 3, sign, s->F + 6 * j->body + 3);
    if (m->nc) v3_axpy(w + 3, sign, s->C + 6 * j->body + 3);
    if (!turns) return;
    v3_scale(w, sign, s->F + 6 * j->body);
    if (m->nc) v3_axpy(w, sign, s->C + 6 * j->body);
    hk_frame B;
    double d[3], x[3];
    hki_kin_marker(&s->kin, j->mbody[1], &j->marker[1], &B);
    v3_sub(d, B.p, s->kin.O + 3 * j->body);
    v3_cross(x, d, w + 3);
    v3_sub(w, w, x);
    return;
  }
  const hk_closure *c = &m->closures[j->closure];
  double wA[6], wB[6], p[3], at[6], held[HK_JOINT_MAX];
  if (s->kin.disc.active[j->closure] == 0.0) return;
  for (int32_t r = 0; r < c->nrows; r++) held[r] = presses(n, c, r) ? lam[c->row0 + r] : 0.0;
  closure_wrench(&s->kin, c, held, 0, wA, wB, p, at);
  for (int i = turns ? 0 : 3; i < 6; i++) w[i] = -at[i];
}

/* Direction in which the wrench w of a joint presses, times N, as a twist at B's origin: in the place of w; returns
 * N. */
static double pressing(const hk_tree *s, const hk_normal *n, double *w) {
  const hk_model_joint *j = &s->m->joints[n->joint];
  hk_frame A, B;
  double x[3], N2;
  if (n->press == HK_PRESS_ALL) return v3_norm(w + 3);
  hki_kin_marker(&s->kin, j->mbody[0], &j->marker[0], &A);
  m3_tmulv(x, A.R, w + 3);
  for (int i = 0; i < 3; i++)
    if (!(n->press >> i & 1u)) x[i] = 0.0;
  m3_mulv(w + 3, A.R, x);
  if (!hki_press_turns(n->press)) return v3_norm(x);
  N2 = v3_dot(x, x);
  hki_kin_marker(&s->kin, j->mbody[1], &j->marker[1], &B);
  N2 += hki_press_moment(n->press, n->arm, &A, &B, w);
  return sqrt(N2);
}

/* the force of a rigid stop at the multipliers lam; *slope by its own */
static double stop_force(const hk_tree *s, const hk_normal *n, const double *lam, double *slope) {
  *slope = 0.0;
  if (s->kin.disc.active[n->closure] == 0.0) return 0.0;
  return hki_normal_of_stop(n, lam[s->m->closures[n->closure].row0], slope);
}

/* s->press, s->N and s->C at the multipliers lam, after a residual */
static void press(hk_tree *s, const double *lam) {
  const hk_model *m = s->m;
  if (s->pressed && lam == s->lam) return;
  if (m->nc) closure_sums(s, lam);
  for (int32_t i = 0; i < m->nnormal; i++) {
    double *w = s->press + 6 * i;
    if (m->normals[i].closure != HK_NONE) {
      s->N[i] = stop_force(s, &m->normals[i], lam, w);
      continue;
    }
    joint_wrench(s, &m->normals[i], lam, w);
    s->N[i] = pressing(s, &m->normals[i], w);
  }
  s->pressed = lam == s->lam;
}

void hki_tree_normals(hk_tree *s, const double *lam, const double *mu, double *N) {
  const hk_model *m = s->m;
  press(s, lam);
  memcpy(N, s->N, (size_t)m->nnormal * sizeof *N);
  if (!m->nc || mu == lam) return;
  s->pressed = false;
  // to first order from lam to mu
  closure_sums(s, mu);
  for (int32_t i = 0; i < m->nnormal; i++) {
    double w[6];
    if (m->normals[i].closure != HK_NONE) {
      N[i] = stop_force(s, &m->normals[i], mu, w);
      continue;
    }
    joint_wrench(s, &m->normals[i], mu, w);
    if (N[i] > 0.0) N[i] = s6_dot(s->press + 6 * i, w) / N[i];
  }
}

/* V += (dN/dlam_r) share alpha_r Phi_z of all closures; n: direction, as a twist about O for a joint of
 * the tree, else at B's origin */
static void closure_slopes(const hk_tree *s, const hk_normal *normal, const double *n, double *V) {
  const hk_model *m = s->m;
  const hk_model_joint *j = &m->joints[normal->joint];
  for (int32_t i = 0; i < m->nc; i++) {
    const hk_closure *c = &m->closures[i];
    const double *gz = s->kin.gz + s->kin.gz0[i];
    if (s->kin.disc.active[i] == 0.0 || (j->body == HK_NONE && j->closure != i)) continue;
    for (int32_t r = 0; r < c->nrows; r++, gz += c->path.n) {
      double w[2][6], p[3], at[6], k = 0.0;
      closure_wrench(&s->kin, c, NULL, r, w[0], w[1], p, at);
      if (j->body == HK_NONE) {
        if (presses(normal, c, r)) k = -s6_dot(n, at);
      } else {
        const double sign = m->bodies[j->body].reversed ? -1.0 : 1.0;
        for (int e = 0; e < 2; e++)
          if (c->body[e] >= j->body && c->body[e] <= m->bodies[j->body].last)
            k += sign * s6_dot(n, w[e]);
      }
      k *= s->share * s->alpha[c->row0 + r];
      for (int32_t x = 0; k != 0.0 && x < c->path.n; x++) V[c->path.dof[x]] += k * gz[x];
    }
  }
}

/* the same of a stop, whose own row alone counts; k: dN/dlam */
static void stop_slopes(const hk_tree *s, const hk_normal *n, double k, double *V) {
  const hk_closure *c = &s->m->closures[n->closure];
  const double *gz = s->kin.gz + s->kin.gz0[n->closure];
  k *= s->share * s->alpha[c->row0];
  for (int32_t x = 0; x < c->path.n; x++) V[c->path.dof[x]] += k * gz[x];
}

/* s->carry: the linear part of Ic_j S_j of all coordinates j, Ic_j: of the bodies that j moves */
static void carried(const hk_tree *s) {
  const hk_kin *k = &s->kin;
  for (int32_t b = 0; b < s->m->nb; b++) {
    const hk_inertia *I = &s->Ic[b];
    for (int32_t j = k->link[b].v0; j < k->link[b].v0 + k->link[b].nv; j++) {
      const double *S = k->S + 6 * j;
      double *p = s->carry + 3 * j;
      v3_cross(p, S, I->h);
      v3_axpy(p, I->m, S + 3);
    }
  }
}

/* V += dN/da of a tree joint; n: direction as a twist about O */
static void inertia_slopes(const hk_tree *s, int32_t body, bool turns, const double *n, double *V) {
  const hk_model_body *mb = &s->m->bodies[body];
  const hk_kin *k = &s->kin;
  const double sign = mb->reversed ? -1.0 : 1.0;
  double h[6], g[6] = {0};
  v3_scale(g + 3, sign, n + 3);
  if (turns) {
    v3_scale(g, sign, n);
    inertia_mul(h, &s->Ic[body], g);
  } else {
    v3_cross(h, s->Ic[body].h, g + 3);
    v3_scale(h + 3, s->Ic[body].m, g + 3);
  }
  for (int32_t b = body; b != HK_GROUND; b = k->link[b].parent)
    for (int32_t j = k->link[b].v0; j < k->link[b].v0 + k->link[b].nv; j++)
      V[j] += s6_dot(k->S + 6 * j, h);
  // coordinates of a subtree stand one after the other
  const int32_t end = k->link[mb->last].v0 + k->link[mb->last].nv;
  for (int32_t j = k->link[body].v0 + k->link[body].nv; j < end; j++)
    V[j] += v3_dot(s->carry + 3 * j, g + 3);
  if (!turns) return;
  for (int32_t b = body + 1; b <= mb->last; b++)
    for (int32_t j = k->link[b].v0; j < k->link[b].v0 + k->link[b].nv; j++) {
      inertia_mul(h, &s->Ic[b], k->S + 6 * j);
      V[j] += v3_dot(h, g);
    }
}

/* s->Ic, where there is no mass matrix for which they have been found */
static void composites(hk_tree *s) {
  const hk_model *m = s->m;
  memcpy(s->Ic, s->kin.I, (size_t)m->nb * sizeof *s->Ic);
  for (int32_t b = m->nb - 1; b >= 0; b--)
    if (m->bodies[b].parent != HK_GROUND) inertia_add(&s->Ic[m->bodies[b].parent], &s->Ic[b]);
}

/* a twist at B's origin becomes one about O */
static void to_origin(const hk_tree *s, const hk_normal *n, double *g) {
  const hk_model_joint *j = &s->m->joints[n->joint];
  hk_frame B;
  double d[3], x[3];
  hki_kin_marker(&s->kin, j->mbody[1], &j->marker[1], &B);
  v3_sub(d, B.p, s->kin.O + 3 * j->body);
  v3_cross(x, g, d);
  v3_sub(g + 3, g + 3, x);
}

void hki_tree_normal_terms(hk_tree *s) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  // without the slopes of the multipliers those of the accelerations alone would be wrong
  const bool sloped = !m->nc || s->share > 0.0;
  if (sloped) press(s, s->lam), carried(s);
  for (int32_t i = 0; i < m->nnormal; i++) {
    const hk_normal *n = &m->normals[i];
    const hk_path *path = &m->forces[n->force].path;
    const double *fu = k->fu + k->fu0[n->force];
    const int32_t body = m->joints[n->joint].body;
    const bool turns = hki_press_turns(n->press);
    double *U, *V, g[6];
    hki_border_add(&s->border, &U, &V);
    for (int32_t j = 0; j < path->n; j++) U[path->dof[j]] = -fu[j];
    if (!sloped || !(s->N[i] > 0.0)) continue;
    if (n->closure != HK_NONE) {
      stop_slopes(s, n, s->press[6 * i], V);
      continue;
    }
    s6_zero(g);
    s6_axpy(g, 1.0 / s->N[i], s->press + 6 * i);
    if (body != HK_NONE) {
      if (turns) to_origin(s, n, g);
      inertia_slopes(s, body, turns, g, V);
    }
    if (m->nc) closure_slopes(s, n, g, V);
  }
}

static void solve_matrix(void *with, double *x) {
  hk_tree *s = with;
  hki_ldl_solve(s->ldl, &s->num, x);
}

hk_status hki_tree_normal_gains(hk_tree *s, const double *a, double *N) {
  hki_kin_forces(&s->kin, HK_FORCES_TANGENT);
  hki_tree_residual(s, a, s->r);
  hki_tree_normals(s, s->lam, s->lam, N);
  // multipliers follow accelerations by the penalties of T
  s->share = 1.0;
  hki_border_clear(&s->border);
  hki_tree_normal_terms(s);
  s->share = 0.0;
  return hki_border_factor(&s->border, solve_matrix, s);
}

void hki_tree_sense_normals(hk_tree *s, const double *a) {
  double *e = s->border.e + s->border.most - s->m->nnormal;
  if (!s->border.keep) composites(s);
  hki_tree_residual(s, a, s->r);
  hki_tree_normals(s, s->lam, s->lam, e);
  for (int32_t i = 0; i < s->m->nnormal; i++) e[i] -= s->kin.disc.normal[i];
}

void hki_tree_find_normals(hk_formulation *f, const double *a, double *N) {
  hk_tree *s = f->shared;
  hki_tree_residual(s, a, s->r);
  hki_tree_normals(s, s->lam, s->lam, N);
}

hk_border *hki_tree_normal_border(hk_formulation *f) { return &((hk_tree *)f->shared)->border; }
