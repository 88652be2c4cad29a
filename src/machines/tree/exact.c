/* SPDX-License-Identifier: Apache-2.0
 *
 * exact.c: the exact position and velocity tangents of all forces, with geometric terms, for
 * statics, linearisation and steps under large preload.
 *
 *   S_i   = (omega_i, v_i)                                motion of coordinate i, about O
 *   J_i   = (omega_i, v_i + omega_i x r)                  twist of the marker, r seen from O
 *   Q_i   = sum over markers of J_i . w
 *   S_ij  = dS_i/dq_j = S_j x S_i = (omega_ij, v_ij)      where j moves the axis of i, else 0
 *   dJ_i/dq_j  = (omega_ij, v_ij + omega_ij x r + omega_i x J_j,v)       J_j,v: lower half of J_j
 *   -dQ_i/dq_j = J_i' K J_j + J_i' C dV/dq_j - (dJ_i/dq_j) . w
 *   -dQ_i/dv_j = J_i' C J_j
 *
 * K = -dw/dxi and C = -dw/dV are the elements' own exact blocks. Closures enter with the wrench
 * -G'lam and the block of loop_geo. Only the symmetric part is added: the matrix is symmetric for
 * conservative loads. Coordinates above the common ancestor of two markers that push each other
 * contribute exactly nothing.
 */
#include "machines/tree/tree.h"
#include "kinematics/element.h"
#include "kinematics/wide.h"

/* up to two markers with wrenches and tangent blocks, and the coordinates that move them */
typedef struct pair_view {
  const int32_t *body; /* nmark: body of each marker */
  int32_t nmark;
  const hk_frame *F;   /* nmark: marker frames */
  const double *w;     /* nmark x 6: wrenches on the bodies at the markers */
  const double *K, *C; /* 12 x 12 (stride 12); C may be NULL */
  const hk_path *path;
  const int32_t *slot; /* lower triangle over the path, places in num.val */
} pair_view;

/* J: twist at marker s of the motion S about O */
static void marker_twist(const hk_kin *k, const pair_view *p, int32_t s, const double *S,
                         double *J) {
  double r[3];
  v3_sub(r, p->F[s].p, k->O + 3 * p->body[s]);
  s6_twist_at(J, S, r);
}

/* does coordinate j move the axis of coordinate i? Yes where i lies below j in the tree or later in
 * the same joint, and between the increments of one quaternion. */
static bool moves_axis(const hk_tree *s, int32_t i, int32_t j) {
  const int32_t bi = s->owner[i], bj = s->owner[j];
  if (bi == bj) return j < i || (s->quat[i] && s->quat[j]);
  return bj < bi && bi <= s->m->bodies[bj].last;
}

/* (dJ_i/dq_j) . w at one marker, both coordinates moving it */
static double geometric(const hk_tree *s, const pair_view *p, int32_t mk, int32_t i, int32_t j) {
  const double *Si = s->kin.S + 6 * i, *Sj = s->kin.S + 6 * j, *w = p->w + 6 * mk;
  double J[6], x[3], sum, Sij[6];
  marker_twist(&s->kin, p, mk, Sj, J);
  v3_cross(x, Si, J + 3);
  sum = v3_dot(x, w + 3);
  if (!moves_axis(s, i, j)) return sum;
  s6_cross(Sij, Sj, Si);
  marker_twist(&s->kin, p, mk, Sij, J);
  return sum + s6_dot(J, w);
}

/* out = dV/dq_j at a marker and fixed velocities: sum of (dJ_i/dq_j) v_i over the coordinates of
 * the marker's chain */
static void twist_slope(const hk_tree *s, const pair_view *p, int32_t mk, int32_t j, double *out) {
  const hk_kin *k = &s->kin;
  double Jj[6], x[3], T[6], sum[6] = {0};
  const int32_t bj = s->owner[j];
  marker_twist(k, p, mk, k->S + 6 * j, Jj);
  v3_cross(x, p->F[mk].w, Jj + 3);
  // twist of the axes that j carries along
  for (int32_t b = p->body[mk]; b != HK_GROUND && b >= bj; b = s->m->bodies[b].parent)
    for (int32_t i = s->m->bodies[b].v0; i < s->m->bodies[b].v0 + s->m->bodies[b].nv; i++)
      if (moves_axis(s, i, j)) s6_axpy(sum, k->v[i], k->S + 6 * i);
  s6_cross(T, k->S + 6 * j, sum);
  marker_twist(k, p, mk, T, out);
  v3_add(out + 3, out + 3, x);
}

/* entry of the exact tangent of one pair, cC C + cK K, for the places a, b of its path */
static double entry(const hk_tree *s, const pair_view *p, int32_t a, int32_t b, double cC,
                    double cK) {
  const hk_kin *k = &s->kin;
  int32_t i = p->path->dof[a], j = p->path->dof[b];
  double sum = 0.0, Ji[6], Jj[6], dV[6];
  for (int32_t x = 0; x < p->nmark; x++) {
    if (!(p->path->side[a] >> x & 1) || p->body[x] == HK_GROUND) continue;
    marker_twist(k, p, x, k->S + 6 * i, Ji);
    if (p->path->side[b] >> x & 1) sum -= cK * geometric(s, p, x, i, j);
    for (int32_t y = 0; y < p->nmark; y++) {
      if (!(p->path->side[b] >> y & 1) || p->body[y] == HK_GROUND) continue;
      marker_twist(k, p, y, k->S + 6 * j, Jj);
      if (p->C) twist_slope(s, p, y, j, dV);
      for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
          double e = cK * p->K[(6 * x + r) * 12 + 6 * y + c] * Jj[c];
          if (p->C) e += p->C[(6 * x + r) * 12 + 6 * y + c] * (cC * Jj[c] + cK * dV[c]);
          sum += Ji[r] * e;
        }
    }
  }
  return sum;
}

static void add_pair(hk_tree *s, const pair_view *p, double cC, double cK) {
  const int32_t *slot = p->slot;
  for (int32_t a = 0; a < p->path->n; a++)
    for (int32_t b = 0; b <= a; b++, slot++) {
      double e = entry(s, p, a, b, cC, cK);
      if (a != b) e = 0.5 * (e + entry(s, p, b, a, cC, cK));
      s->num.val[*slot] += e;
    }
}

static void add_force(hk_tree *s, int32_t fi, double cC, double cK) {
  const hk_model_force *f = &s->m->forces[fi];
  hk_element_in in;
  hk_element_out out;
  hk_frame F[HK_ELEMENT_MARKERS];
  hki_kin_force_in(&s->kin, fi, F, &in);
  hki_kin_element(&s->kin, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT, &out);
  pair_view p = {f->body, f->ops->nmark, F,        out.w,
                 out.K,   out.C,         &f->path, s->slot_frc + s->slot_frc0[fi]};
  add_pair(s, &p, cC, cK);
}

/* T -= cK (dJ_i/dq_j) . w of the coordinates of marker m, J the twists of all at their markers. With the wrench moved to O,
 *   (dJ_i/dq_j) . w = omega_i . (J_j,v x f) - S_i . (S_j x* w)          x*: of a motion and a wrench */
static void add_turned(const hk_tree *s, const hk_model_wide *e, int32_t m, const double *w,
                       double cK, double *T) {
  const hk_kin *k = &s->kin;
  double r[3], about[6];
  if (e->body[m] == HK_GROUND) return;
  v3_sub(r, k->wide_frame[m].p, k->O + 3 * e->body[m]);
  s6_wrench_to_origin(about, w, r);
  for (int32_t b = e->at0[m]; b < e->at0[m + 1]; b++) {
    const int32_t j = e->dof[e->at[b]];
    double x[3], c[6];
    v3_cross(x, s->wide_J + 6 * b + 3, w + 3);
    s6_cross_force(c, k->S + 6 * j, about);
    for (int32_t a = e->at0[m]; a < e->at0[m + 1]; a++) {
      const int32_t i = e->dof[e->at[a]];
      const double *S = k->S + 6 * i;
      double sum = v3_dot(S, x);
      if (moves_axis(s, i, j)) sum -= s6_dot(S, c);
      T[(ptrdiff_t)e->at[a] * e->ndof + e->at[b]] -= cK * sum;
    }
  }
}

/* T (ndof x ndof) of element i on several markers: J' (cK K + cC C) J with the twists J of its bodies at
 * their centres of mass, and what turning coordinates add */
void hki_tree_wide_matrix(hk_tree *s, int32_t i, double cC, double cK) {
  const hk_model_wide *e = &s->m->wide[i];
  hk_kin *k = &s->kin;
  const hk_wide_out *out = hki_kin_wide(k, i, HK_NEED_FORCE | HK_NEED_EXACT);
  const int32_t n = e->ndof, rows = 6 * e->nmark;
  double *J = s->wide_J, *X = s->wide_X, *T = s->wide_T;
  for (int32_t m = 0; m < e->nmark; m++)
    if (e->body[m] != HK_GROUND) k->wide_frame[m] = k->frame[e->body[m]];
  const pair_view p = {e->body, e->nmark, k->wide_frame, out->w, NULL, NULL, NULL, NULL};
  memset(X, 0, (size_t)rows * (size_t)n * sizeof *X);
  memset(T, 0, (size_t)n * (size_t)n * sizeof *T);
  // columns X = (cK K + cC C) J; J: one twist for each entry of e->at
  for (int32_t m = 0; m < e->nmark; m++)
    for (int32_t a = e->at0[m]; a < e->at0[m + 1]; a++) {
      const int32_t col = e->at[a];
      double *Ja = J + 6 * a, Y[6], dV[6] = {0};
      marker_twist(k, &p, m, k->S + 6 * e->dof[col], Ja);
      if (out->damped) {
        // K is at angular velocities that turn with the bodies
        double turned[3];
        twist_slope(s, &p, m, e->dof[col], dV);
        v3_cross(turned, Ja, k->wide_frame[m].w);
        v3_sub(dV, dV, turned);
      }
      for (int c = 0; c < 6; c++) Y[c] = cC * Ja[c] + cK * dV[c];
      for (int32_t r = 0; r < rows; r++) {
        const double *K = out->K + (ptrdiff_t)rows * r + 6 * m,
                     *C = out->C + (ptrdiff_t)rows * r + 6 * m;
        double sum = cK * s6_dot(K, Ja);
        if (out->damped) sum += s6_dot(C, Y);
        X[(ptrdiff_t)r * n + col] += sum;
      }
    }
  // rows J' X, less the change of J' at fixed wrenches
  for (int32_t m = 0; m < e->nmark; m++)
    for (int32_t a = e->at0[m]; a < e->at0[m + 1]; a++) {
      const double *Ja = J + 6 * a, *x = X + (ptrdiff_t)(6 * m) * n;
      double *t = T + (ptrdiff_t)e->at[a] * n;
      for (int32_t c = 0; c < n; c++)
        t[c] += Ja[0] * x[c] + Ja[1] * x[n + c] + Ja[2] * x[2 * n + c] + Ja[3] * x[3 * n + c] +
                Ja[4] * x[4 * n + c] + Ja[5] * x[5 * n + c];
    }
  for (int32_t m = 0; m < e->nmark; m++) add_turned(s, e, m, out->w + 6 * m, cK, T);
}

void hki_tree_add_wide(hk_tree *s, double cC, double cK) {
  const int32_t *slot = s->slot_wide;
  for (int32_t i = 0; i < s->m->nwide; i++) {
    const int32_t n = s->m->wide[i].ndof;
    const double *T = s->wide_T;
    hki_tree_wide_matrix(s, i, cC, cK);
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) s->num.val[*slot++] += 0.5 * (T[a * n + b] + T[b * n + a]);
  }
}

/* num.val += cM M + cC C + cK K of the inertia of all elements that have one; A: accelerations, NULL: M alone */
static void add_wide_inertia(hk_tree *s, const double *A, double cM, double cC, double cK) {
  const int32_t *slot = s->slot_wide;
  for (int32_t i = 0; i < s->m->nwide; i++) {
    const hk_model_wide *e = &s->m->wide[i];
    const int32_t n = e->ndof, size = 6 * e->nmark;
    if (!e->ops->inertia) {
      slot += n * (n + 1) / 2;
      continue;
    }
    const hk_wide_inertia *out =
        hki_kin_wide_inertia(&s->kin, i, A, A ? HK_NEED_EXACT : HK_NEED_MASS);
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) {
        const ptrdiff_t x = (ptrdiff_t)e->row[a] * size + e->row[b];
        const ptrdiff_t y = (ptrdiff_t)e->row[b] * size + e->row[a];
        s->num.val[*slot++] +=
            A ? 0.5 * (cC * (out->C[x] + out->C[y]) + cK * (out->K[x] + out->K[y]))
              : cM * out->M[x];
      }
  }
}

void hki_tree_add_wide_mass(hk_tree *s) { add_wide_inertia(s, NULL, 1.0, 0.0, 0.0); }

void hki_tree_add_wide_inertia(hk_tree *s, double cC, double cK) {
  add_wide_inertia(s, s->A, 0.0, cC, cK);
}

/* joint elements on a tree coordinate: its gradient is constant, there are no geometric terms */
static void add_scalar(hk_tree *s, int32_t fi, double cC, double cK) {
  const hk_force_row *row = &s->kin.row[fi];
  const double *g = s->kin.fz + row->z0;
  const int32_t *slot = s->slot_frc + s->slot_frc0[fi];
  double coef = cK * row->ks[0] + cC * row->cs[0];
  for (int32_t a = 0; a < s->m->forces[fi].path.n; a++)
    for (int32_t b = 0; b <= a; b++) s->num.val[*slot++] += coef * g[a] * g[b];
}

/* gradient g (12) and curvature H (12 x 12) of a coordinate measured between two markers */
static void measure(const hk_tree *s, int32_t scalar, const hk_frame *F, double *g, double *H) {
  const hk_scalar *x = &s->m->scalars[scalar];
  const hk_spec_joint *sj = &s->m->spec->joints[x->joint];
  hk_joint_coord c;
  sj->ops->coord(sj->par, x->coord, &F[0], &F[1], s->kin.disc.turn[x->turn] - x->zero, &c);
  s6_copy(g, c.gA);
  s6_copy(g + 6, c.gB);
  sj->ops->coord_geo(sj->par, x->coord, &F[0], &F[1], H);
}

/* joint elements on a measured coordinate s: w = tau g with tau(s, sd), sd = g V */
static void add_measured(hk_tree *s, int32_t fi, double cC, double cK) {
  const hk_model_force *f = &s->m->forces[fi];
  hk_element_in in;
  hk_element_out out;
  hk_frame F[2], unused[HK_ELEMENT_MARKERS];
  double g[12], H[144], gd[12], w[12], K[144], C[144];
  for (int i = 0; i < 2; i++) hki_kin_marker(&s->kin, f->body[i], &f->marker[i], &F[i]);
  hki_kin_turn_back(&s->kin, s->m->scalars[f->scalar].joint, &F[1]);
  hki_kin_force_in(&s->kin, fi, unused, &in);
  hki_kin_element(&s->kin, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT, &out);
  measure(s, f->scalar, F, g, H);
  hki_kin_coord_slope(&s->kin, s->m->scalars[f->scalar].joint, F, g + 6, H, gd);
  for (int c = 0; c < 12; c++) {
    w[c] = out.tau * g[c];
    for (int r = 0; r < 12; r++) {
      K[r * 12 + c] = g[r] * (out.K[0] * g[c] + out.C[0] * gd[c]) - out.tau * H[r * 12 + c];
      C[r * 12 + c] = out.C[0] * g[r] * g[c];
    }
  }
  pair_view p = {f->body, 2, F, w, K, C, &f->path, s->slot_frc + s->slot_frc0[fi]};
  add_pair(s, &p, cC, cK);
}

/* closure of one coordinate, w = -lam g, K = lam H; tree coordinates have no curvature */
static void add_coordinate(hk_tree *s, int32_t ci, double cK, double lam) {
  const hk_closure *c = &s->m->closures[ci];
  double g[12], H[144], w[12];
  hk_frame F[2];
  if (s->m->scalars[c->scalar].vi != HK_NONE) return;
  hki_kin_closure_frames(&s->kin, c, F);
  measure(s, c->scalar, F, g, H);
  for (int i = 0; i < 12; i++) w[i] = -lam * g[i];
  for (int i = 0; i < 144; i++) H[i] *= lam;
  pair_view p = {c->body, 2, F, w, H, NULL, &c->path, s->slot_clo + s->slot_clo0[ci]};
  add_pair(s, &p, 0.0, cK);
}

/* place of (a, b) in a lower triangle stored by rows */
static int32_t corner(int32_t a, int32_t b) {
  return a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

/* curvature lam f_i H_i of one measured argument of a coupling */
static void add_coupled(hk_tree *s, int32_t ci, const hk_coupled *x, double cK, double lam) {
  const hk_model_joint *j = &s->m->joints[s->m->scalars[x->scalar].joint];
  const int32_t *slot = s->slot_clo + s->slot_clo0[ci];
  double g[12], H[144], w[12];
  hk_frame F[2];
  for (int i = 0; i < 2; i++) hki_kin_marker(&s->kin, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(&s->kin, s->m->scalars[x->scalar].joint, &F[1]);
  measure(s, x->scalar, F, g, H);
  for (int i = 0; i < 12; i++) w[i] = -lam * g[i];
  for (int i = 0; i < 144; i++) H[i] *= lam;
  pair_view p = {j->mbody, 2, F, w, H, NULL, &x->path, NULL};
  for (int32_t a = 0; a < x->path.n; a++)
    for (int32_t b = 0; b <= a; b++) {
      double e = entry(s, &p, a, b, 0.0, cK);
      if (a != b) e = 0.5 * (e + entry(s, &p, b, a, 0.0, cK));
      s->num.val[slot[corner(x->at[a], x->at[b])]] += e;
    }
}

/* gradient of argument i in the coordinates of the closure's path */
static void argument_gradient(const hk_tree *s, const hk_coupled *x, int32_t n, double *out) {
  const hk_scalar *sc = &s->m->scalars[x->scalar];
  const hk_model_joint *j = &s->m->joints[sc->joint];
  double g[12], H[144], part[1];
  hk_frame F[2];
  memset(out, 0, (size_t)n * sizeof *out);
  if (sc->vi != HK_NONE) {
    out[x->at[0]] = sc->sign;
    return;
  }
  for (int i = 0; i < 2; i++) hki_kin_marker(&s->kin, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(&s->kin, sc->joint, &F[1]);
  measure(s, x->scalar, F, g, H);
  for (int32_t a = 0; a < x->path.n; a++) {
    const hk_path one = {1, x->path.dof + a, x->path.side + a};
    hki_kin_pull(&s->kin, j->mbody, F, g, g + 6, &one, part);
    out[x->at[a]] = part[0];
  }
}

/* closure of a coupling: K = lam (sum f_i H_i + sum f_ij g_i g_j') */
static void add_coupling(hk_tree *s, int32_t ci, double cK, double lam) {
  const hk_closure *cl = &s->m->closures[ci];
  const hk_coupling *c = cl->coupling;
  const int32_t n = cl->path.n, *slot = s->slot_clo + s->slot_clo0[ci];
  double v[HK_COUPLED], vd[HK_COUPLED], h[HK_COUPLED * HK_COUPLED];
  for (int32_t i = 0; i < c->n; i++)
    if (s->m->scalars[c->arg[i].scalar].vi == HK_NONE)
      add_coupled(s, ci, &c->arg[i], cK, lam * s->kin.slope[c->slope0 + i]);
  if (!hki_coupling_bends(c) || cl->rate_rows) return;
  hki_kin_coupled(&s->kin, c, v, vd);
  hki_coupling_bend(&s->kin, c, v, vd, h);
  for (int32_t i = 0; i < c->n; i++)
    for (int32_t j = 0; j < c->n; j++) {
      double *gi = s->couple, *gj = gi + n;
      const double f = cK * lam * h[i * c->n + j];
      if (f == 0.0) continue;
      argument_gradient(s, &c->arg[i], n, gi);
      argument_gradient(s, &c->arg[j], n, gj);
      for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b <= a; b++) s->num.val[slot[corner(a, b)]] += f * gi[a] * gj[b];
    }
}

/* closure of a joint: w = -G'lam, K = d(G'lam)/dxi of loop_geo */
static void add_closure(hk_tree *s, int32_t ci, double cK, const double *lam) {
  const hk_closure *c = &s->m->closures[ci];
  if (c->coupling) {
    add_coupling(s, ci, cK, lam[c->row0]);
    return;
  }
  if (c->kind != HK_CLOSURE_JOINT) {
    add_coordinate(s, ci, cK, lam[c->row0]);
    return;
  }
  hk_joint_loop L;
  hk_frame F[2];
  double full[6] = {0}, w[12] = {0}, H[144];
  hki_kin_closure_frames(&s->kin, c, F);
  c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_JAC, &L);
  for (int32_t r = 0; r < c->nrows; r++) {
    double l = lam[c->row0 + r];
    full[c->rows[r]] = l;
    s6_axpy(w, -l, L.GA + 6 * c->rows[r]);
    s6_axpy(w + 6, -l, L.GB + 6 * c->rows[r]);
  }
  c->ops->loop_geo(c->par, &F[0], &F[1], full, H);
  pair_view p = {c->body, 2, F, w, H, NULL, &c->path, s->slot_clo + s->slot_clo0[ci]};
  add_pair(s, &p, 0.0, cK);
}

/* gravity, m and h the mass and first moment of the subtree of coordinate j, i on its path:
 *   Q_i = omega_i . (h x g) + m v_i . g,   -dQ_i/dq_j = -omega_i . ((omega_j x h + m v_j) x g) */
static void add_gravity(hk_tree *s, double cK) {
  const hk_model *m = s->m;
  const hk_kin *k = &s->kin;
  const double *g = m->spec->gravity;
  const int32_t *slot = s->slot_mass;
  memcpy(s->Ic, k->I, (size_t)m->nb * sizeof *s->Ic);
  for (int32_t b = m->nb - 1; b > 0; b--)
    if (m->bodies[b].parent != HK_GROUND) inertia_add(&s->Ic[m->bodies[b].parent], &s->Ic[b]);
  // x = (omega_j x h + m v_j) x g, j the coordinate nearer to the leaf
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    for (int32_t j = mb->v0 + mb->nv - 1; j >= mb->v0; j--) {
      double d[3], x[3];
      v3_cross(d, k->S + 6 * j, s->Ic[b].h);
      v3_axpy(d, s->Ic[b].m, k->S + 6 * j + 3);
      v3_cross(x, d, g);
      for (int32_t i = j; i >= mb->v0; i--) {
        // within a quaternion neither is nearer to the leaf: mean of both orders
        double e = -v3_dot(k->S + 6 * i, x);
        if (s->quat[i] && s->quat[j] && i != j) {
          double di[3], xi[3];
          v3_cross(di, k->S + 6 * i, s->Ic[b].h);
          v3_axpy(di, s->Ic[b].m, k->S + 6 * i + 3);
          v3_cross(xi, di, g);
          e = 0.5 * (e - v3_dot(k->S + 6 * j, xi));
        }
        s->num.val[*slot++] += cK * e;
      }
      for (int32_t p = mb->parent; p != HK_GROUND; p = m->bodies[p].parent)
        for (int32_t i = m->bodies[p].v0 + m->bodies[p].nv - 1; i >= m->bodies[p].v0; i--)
          s->num.val[*slot++] -= cK * v3_dot(k->S + 6 * i, x);
    }
  }
}

/* all but inertia and gravity */
static void add_loads(hk_tree *s, double cC, double cK, const double *lam) {
  const hk_model *m = s->m;
  HK_ASSERT(s->ldl);
  HK_KNOWN(&s->kin, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_SIGNALS);
  for (int32_t f = 0; f < m->nf; f++)
    if (m->forces[f].ops->nscal && m->scalars[m->forces[f].scalar].vi != HK_NONE)
      add_scalar(s, f, cC, cK);
    else if (m->forces[f].ops->nscal)
      add_measured(s, f, cC, cK);
    else if (m->forces[f].ops->nmark)
      add_force(s, f, cC, cK);
  if (m->nwide) hki_tree_add_wide(s, cC, cK);
  for (int32_t c = 0; c < m->nc; c++)
    if (s->kin.disc.active[c] != 0.0) add_closure(s, c, cK, lam);
}

void hki_tree_add_exact(hk_tree *s, double cC, double cK, const double *lam) {
  add_loads(s, cC, cK, lam);
  if (v3_dot(s->m->spec->gravity, s->m->spec->gravity) > 0.0) add_gravity(s, cK);
  if (s->ninput) hki_tree_add_inputs(s, cC, cK);
}

void hki_tree_add_whole(hk_tree *s, double cC, double cK, const double *lam) {
  add_loads(s, cC, cK, lam);
  hki_tree_add_inertia(s, cC, cK);
  if (s->ninput || s->border.most) hki_tree_border_terms(s, cC, cK);
}
