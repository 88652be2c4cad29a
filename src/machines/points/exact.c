/* SPDX-License-Identifier: Apache-2.0
 *
 * exact.c: tangents of forces and constraint forces with geometric terms, for preloads and taut
 * chains.
 *
 *   K += J' Kx J,  C += J' Cx J     forces: Kx = -dw/dxi, Cx = -dw/dV of the element, 12 x 12
 *   K += J' Hx J                    constraints: Hx = d(G'lam)/dxi of a loop row
 *   K += d(Phi_q' lam)/dq           quadratic rows: hki_points_add_curvature
 *
 * J: pose increments of the two markers per coordinate, the transposed of the map of points.h. The
 * derivative of J' at fixed wrenches has no symmetric part (it is m x u/2 per axis); the matrix is
 * symmetric and leaves it out. The change of V with the pose at fixed rates is left out too.
 */
#include "machines/points/points.h"
#include "kinematics/element.h"

/* where two markers are */
typedef struct ends {
  int32_t n;
  const int32_t *body;
  const hk_offset *const *marker;
} ends;

/* n->J: row i is the gradient of pose increment i in the coordinates of the clique */
static void fill_J(hk_points *n, const ends *e, const hk_points_clique *q) {
  hki_points_enter(n, q);
  memset(n->J, 0, (size_t)(12 * q->n) * sizeof *n->J);
  for (int32_t s = 0; s < e->n; s++) {
    if (e->body[s] == HK_GROUND) continue;
    for (int i = 0; i < 6; i++) {
      double w[6] = {0}, F[12];
      w[i] = 1.0;
      hki_points_pull(n, n->X + 12 * e->body[s], e->marker[s]->p, w, F);
      hki_points_scatter(n, e->body[s], F, n->J + (6 * s + i) * q->n);
    }
  }
}

/* num.val += J' A J, symmetric part; slot: lower triangle over the clique */
static void add_block(hk_points *n, const ends *e, const hk_points_clique *q, const int32_t *slot,
                      const double *A) {
  const int32_t nn = q->n, rows = 6 * e->n;
  fill_J(n, e, q);
  for (int32_t i = 0; i < nn; i++) {
    double y[12] = {0};
    for (int32_t r = 0; r < rows; r++) {
      const double g = 0.5 * n->J[r * nn + i];
      for (int32_t c = 0; g != 0.0 && c < rows; c++) y[c] += g * (A[12 * r + c] + A[12 * c + r]);
    }
    for (int32_t j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int32_t c = 0; c < rows; c++) sum += y[c] * n->J[c * nn + j];
      n->num.val[*slot++] += sum;
    }
  }
}

/* curvature H (12 x 12) of a joint coordinate between its markers */
static void coordinate_curvature(hk_points *n, int32_t scalar, const int32_t *body,
                                 const hk_offset *const *marker, double *H) {
  const hk_scalar *s = &n->m->scalars[scalar];
  hk_frame F[2];
  for (int i = 0; i < 2; i++) hki_points_marker(n, body[i], marker[i], &F[i]);
  if (s->qi != HK_NONE) {
    const hk_points_wanted *w = &n->wanted[n->wanted_of[scalar]];
    const hk_model_body *mb = &n->m->bodies[w->body];
    mb->ops->coord_geo(mb->par, w->k, &F[0], &F[1], H);
    for (int i = 0; i < 144; i++) H[i] *= s->sign;
  } else {
    const hk_spec_joint *sj = &n->m->spec->joints[s->joint];
    hki_kin_turn_back(&n->it, s->joint, &F[1]);
    sj->ops->coord_geo(sj->par, s->coord, &F[0], &F[1], H);
  }
}

/* A = cK K + cC C of an element, as the wrenches on its markers feel it */
static void add_force(hk_points *n, int32_t fi, double cC, double cK) {
  const hk_model_force *mf = &n->m->forces[fi];
  if (!mf->ops->nscal && !mf->ops->nmark) return;
  const hk_points_clique *q = &n->force[fi].q;
  const hk_offset *marker[2] = {&mf->marker[0], &mf->marker[1]};
  int32_t body[2] = {mf->body[0], mf->body[1]};
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_out out;
  hk_joint_coord c = {0};
  double A[144];
  for (int32_t s = 0; s < mf->ops->nmark; s++) hki_points_marker(n, body[s], marker[s], &F[s]);
  if (mf->ops->nscal) hki_points_scalar(n, mf->scalar, &c, body, marker);
  hk_element_in in;
  hki_kin_element_in(&n->it, fi, F, c.s, c.sd, &in);
  hki_kin_element(&n->it, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT, &out);
  if (mf->ops->nscal) {
    double g[12];
    s6_copy(g, c.gA);
    s6_copy(g + 6, c.gB);
    coordinate_curvature(n, mf->scalar, body, marker, A);
    for (int i = 0; i < 144; i++)
      A[i] = (cK * out.K[0] + cC * out.C[0]) * g[i / 12] * g[i % 12] - cK * out.tau * A[i];
  } else {
    for (int i = 0; i < 144; i++) A[i] = cK * out.K[i] + cC * out.C[i];
  }
  const ends e = {mf->ops->nscal ? 2 : mf->ops->nmark, body, marker};
  add_block(n, &e, q, q->slot, A);
}

/* num.val += f (a b')_symmetric over the coordinates of a clique; rows of n->J */
static void add_product(hk_points *n, const hk_points_clique *q, const int32_t *slot, double f,
                        const double *a, const double *b) {
  for (int32_t i = 0; i < q->n; i++)
    for (int32_t j = 0; j <= i; j++) n->num.val[*slot++] += 0.5 * f * (a[i] * b[j] + a[j] * b[i]);
}

/* g (clique of l): gradient of one coordinate of a coupling */
static void coordinate_gradient(hk_points *n, const hk_points_loop *l, int32_t scalar, double *g) {
  int32_t body[2];
  const hk_offset *marker[2];
  hk_joint_coord x;
  hki_points_scalar(n, scalar, &x, body, marker);
  hki_points_enter(n, &l->q);
  memset(g, 0, (size_t)l->q.n * sizeof *g);
  for (int s = 0; s < 2; s++) {
    double F[12];
    if (body[s] == HK_GROUND) continue;
    hki_points_pull(n, n->X + 12 * body[s], marker[s]->p, s ? x.gB : x.gA, F);
    hki_points_scatter(n, body[s], F, g);
  }
}

/* curvature of a coupling: lam (sum f_i H_i + sum f_ij g_i g_j') */
static void add_coupling(hk_points *n, const hk_points_loop *l, double c) {
  const hk_coupling *of = l->coupling;
  const int32_t *slot = n->line[l->row0].slot;
  double s[HK_COUPLED], sd[HK_COUPLED], h[HK_COUPLED * HK_COUPLED], H[144];
  for (int32_t i = 0; i < of->n; i++) {
    int32_t body[2];
    const hk_offset *marker[2];
    hk_joint_coord x;
    hki_points_scalar(n, of->arg[i].scalar, &x, body, marker);
    s[i] = x.s, sd[i] = x.sd;
    coordinate_curvature(n, of->arg[i].scalar, body, marker, H);
    for (int k = 0; k < 144; k++) H[k] *= c * n->it.slope[of->slope0 + i];
    const ends e = {2, body, marker};
    add_block(n, &e, &l->q, slot, H);
  }
  if (of->signal == HK_NONE || n->m->closures[l->closure].rate_rows) return;
  hki_coupling_bend(&n->it, of, s, sd, h);
  for (int32_t k = 0; k < of->n * of->n; k++) {
    if (h[k] == 0.0) continue;
    coordinate_gradient(n, l, of->arg[k / of->n].scalar, n->J);
    coordinate_gradient(n, l, of->arg[k % of->n].scalar, n->J + l->q.n);
    add_product(n, &l->q, slot, c * h[k], n->J, n->J + l->q.n);
  }
}

/* curvature of a loop's rows times their multipliers; rows on velocities alone have none that is
 * symmetric */
static void add_loop(hk_points *n, const hk_points_loop *l, double cK, const double *lam) {
  hk_offset moved;
  const hk_offset *marker[2] = {l->marker[0], l->marker[1]};
  int32_t body[2] = {l->body[0], l->body[1]};
  double full[6] = {0}, H[144];
  hk_joint_coord c;
  hk_frame F[2];
  if (l->coupling) {
    add_coupling(n, l, cK * lam[l->row0]);
    return;
  }
  if (l->scalar != HK_NONE) {
    hki_points_scalar(n, l->scalar, &c, body, marker);
    coordinate_curvature(n, l->scalar, body, marker, H);
    for (int i = 0; i < 144; i++) H[i] *= cK * lam[l->row0];
  } else {
    hki_points_loop_markers(n, l, &moved, marker);
    for (int s = 0; s < 2; s++) hki_points_marker(n, body[s], marker[s], &F[s]);
    if (l->closure != HK_NONE) hki_kin_turn_back(&n->it, n->m->closures[l->closure].joint, &F[1]);
    for (int32_t r = 0; r < l->q.nrows; r++) full[l->rows[r]] = cK * lam[l->row0 + r];
    l->ops->loop_geo(l->par, &F[0], &F[1], full, H);
  }
  const ends e = {2, body, marker};
  add_block(n, &e, &l->q, n->line[l->row0].slot, H);
}

void hki_points_add_exact(hk_points *n, double cC, double cK, const double *lam) {
  for (int32_t f = 0; f < n->m->nf; f++) {
    add_force(n, f, cC, cK);
    if (n->force[f].fu) hki_points_add_force_inputs(n, f, cC, cK);
  }
  if (n->m->nwide) hki_points_add_wide(n, cC, cK);
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_points_loop *l = &n->loop[i];
    if (l->closure == HK_NONE || n->it.disc.active[l->closure] != 0.0) add_loop(n, l, cK, lam);
  }
  hki_points_add_curvature(n, cK, lam);
}
