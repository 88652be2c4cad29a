/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c: bodies, joint coordinates, signals and constraint rows at a state.
 *
 *   omega    = (u x u' + v x v' + w x w')/2        planar: Im(conj(alpha) alpha')
 *   row      = sum of w (a . b) - c                a = A q + k, b = B q + k
 *   gradient = sum of w (A' b + B' a)
 *   gamma    = 2 sum of w (a' . b')                a', b': rates of the forms
 *
 * Marker accelerations are linear in those of the coordinates, without a bias. So the gamma of a
 * loop row is the joint's own.
 */
#include "machines/points/points.h"

static void frame_spatial(hk_points *n, int32_t b) {
  const double *X = n->X + 12 * b, *Xd = n->Xd + 12 * b;
  hk_frame *f = &n->it.frame[b];
  v3_zero(f->w);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) f->R[3 * i + k] = X[3 * k + i];
    v3_cross_add(f->w, X + 3 * k, Xd + 3 * k);
  }
  v3_scale(f->w, 0.5, f->w);
  v3_copy(f->p, X + 9);
  v3_copy(f->v, Xd + 9);
}

static void frame_planar(hk_points *n, int32_t b) {
  const double *X = n->X + 12 * b, *Xd = n->Xd + 12 * b, *normal = n->m->spec->normal;
  const double p[3] = {X[0], X[1], v3_dot(n->m->bodies[b].com0, normal)}, v[3] = {Xd[0], Xd[1], 0};
  const double A[9] = {X[2], -X[3], 0, X[3], X[2], 0, 0, 0, 1};
  hk_frame *f = &n->it.frame[b];
  double T[9];
  m3_mul(T, n->E, A);
  m3_mult(f->R, T, n->E);
  m3_mulv(f->p, n->E, p);
  m3_mulv(f->v, n->E, v);
  v3_scale(f->w, X[2] * Xd[3] - X[3] * Xd[2], normal);
}

/* measures the wanted coordinates of tree joints, into w->c, q_it, v_it */
static void wanted(hk_points *n) {
  for (int32_t i = 0; i < n->nwanted; i++) {
    hk_points_wanted *w = &n->wanted[i];
    const hk_model_body *mb = &n->m->bodies[w->body];
    hk_frame A, B;
    hki_points_marker(n, mb->parent, &mb->on_parent, &A);
    hki_points_marker(n, w->body, &mb->on_child, &B);
    mb->ops->coord(mb->par, w->k, &A, &B, n->qlast[mb->q0 + w->k], &w->c);
    n->q_it[mb->q0 + w->k] = w->c.s;
    n->v_it[mb->v0 + w->k] = w->c.sd;
  }
}

void hki_points_state(hk_points *n, double t, const double *q, const double *v) {
  hk_kin *k = &n->it;
  for (int32_t b = 0; b < n->m->nb; b++) {
    hki_points_pose(n, b, q, false, n->X + 12 * b);
    hki_points_pose(n, b, v, true, n->Xd + 12 * b);
    if (n->planar)
      frame_planar(n, b);
    else
      frame_spatial(n, b);
  }
  hki_kin_own_frames(k, &n->kin, t, n->q_it, n->v_it);
  if (n->nwanted) wanted(n);
  if (n->m->spec->nsignals) hki_kin_signals(k, false);
}

double hki_points_scalar(const hk_points *n, int32_t scalar, hk_joint_coord *c, int32_t *body,
                         const hk_offset **marker) {
  const hk_model *m = n->m;
  const hk_scalar *s = &m->scalars[scalar];
  if (s->qi != HK_NONE) {
    const hk_points_wanted *w = &n->wanted[n->wanted_of[scalar]];
    const hk_model_body *mb = &m->bodies[w->body];
    *c = w->c;
    c->s = s->sign * c->s + s->zero;
    c->sd *= s->sign;
    c->bias *= s->sign;
    for (int i = 0; i < 6; i++) c->gA[i] *= s->sign, c->gB[i] *= s->sign;
    body[0] = mb->parent, body[1] = w->body;
    marker[0] = &mb->on_parent, marker[1] = &mb->on_child;
    return 0.0;
  }
  const hk_model_joint *j = &m->joints[s->joint];
  const hk_spec_joint *sj = &m->spec->joints[s->joint];
  hk_frame F[2];
  for (int i = 0; i < 2; i++) {
    body[i] = j->mbody[i];
    marker[i] = &j->marker[i];
    hki_points_marker(n, body[i], marker[i], &F[i]);
  }
  hki_kin_turn_back(&n->it, s->joint, &F[1]);
  const double near = n->it.disc.turn[s->turn] - s->zero;
  const double rt = hki_kin_coord(&n->it, s->joint, sj->ops, sj->par, s->coord, F, near, c);
  c->s += s->zero;
  return rt;
}

/* --- quadratic rows --------------------------------------------------------------------------- */

enum { MOST_LINS = 12 };

/* val: values of the forms of a group at x; rate: rates at velocities x */
static void lin_values(const hk_points *n, const hk_points_quadratic *q, const double *x, bool rate,
                       double (*val)[3]) {
  const double *c = q->coef;
  for (int32_t l = 0; l < q->nlin; l++) {
    double *y = val[l];
    y[0] = y[1] = y[2] = 0.0;
    for (int j = 0; j < n->d && !rate; j++) y[j] = q->k[l * n->d + j];
    for (int32_t i = 0; i < q->nblk; i++) {
      const double *e = x + n->d * q->blk[i];
      if (n->planar) {
        y[0] += c[0] * e[0] - c[1] * e[1];
        y[1] += c[0] * e[1] + c[1] * e[0];
        c += 2;
      } else {
        for (int j = 0; j < 3; j++) y[j] += *c * e[j];
        c++;
      }
    }
  }
}

void hki_points_row_gradient(const hk_points *n, const hk_points_quadratic *q,
                             const hk_points_row *row, double (*val)[3], double *g) {
  const int32_t cw = n->planar ? 2 : 1;
  for (int32_t i = 0; i < row->nblk; i++, g += n->d) {
    double sum[3] = {0, 0, 0};
    for (int32_t t = 0; t < row->nterm; t++) {
      const double *A = q->coef + (row->a[t] * q->nblk + row->at[i]) * cw, *a = val[row->a[t]];
      const double *B = q->coef + (row->b[t] * q->nblk + row->at[i]) * cw, *b = val[row->b[t]];
      const double w = row->w[t];
      if (n->planar) {
        sum[0] += w * (A[0] * b[0] + A[1] * b[1] + B[0] * a[0] + B[1] * a[1]);
        sum[1] += w * (A[0] * b[1] - A[1] * b[0] + B[0] * a[1] - B[1] * a[0]);
      } else {
        for (int j = 0; j < 3; j++) sum[j] += w * (*A * b[j] + *B * a[j]);
      }
    }
    for (int j = 0; j < n->d; j++) g[j] = sum[j];
  }
}

static void quad_rows(hk_points *n, const hk_points_quadratic *q, const double *x) {
  double val[MOST_LINS][3];
  lin_values(n, q, x, false, val);
  for (int32_t r = 0; r < q->nrows; r++) {
    const hk_points_row *row = &q->row[r];
    double sum = -row->c;
    for (int32_t t = 0; t < row->nterm; t++)
      sum += row->w[t] * v3_dot(val[row->a[t]], val[row->b[t]]);
    n->phi[q->row0 + r] = sum;
    n->phit[q->row0 + r] = 0.0;
    const hk_points_line *l = &n->line[q->row0 + r];
    if (!l->linear) hki_points_row_gradient(n, q, row, val, l->g);
  }
}

static void quad_bias(hk_points *n, const hk_points_quadratic *q, const double *v) {
  double val[MOST_LINS][3];
  lin_values(n, q, v, true, val);
  for (int32_t r = 0; r < q->nrows; r++) {
    const hk_points_row *row = &q->row[r];
    double sum = 0.0;
    for (int32_t t = 0; t < row->nterm; t++)
      sum += 2.0 * row->w[t] * v3_dot(val[row->a[t]], val[row->b[t]]);
    n->gamma[q->row0 + r] = sum;
  }
}

/* --- rows through the joints' own equations --------------------------------------------------- */

/* g += covectors gA, gB at two markers, in the coordinates of the entered clique */
static void pull_pair(hk_points *n, const int32_t *body, const hk_offset *const *marker,
                      const double *gA, const double *gB, double *g) {
  const double *w[2] = {gA, gB};
  double F[12];
  for (int s = 0; s < 2; s++) {
    if (body[s] == HK_GROUND) continue;
    hki_points_pull(n, n->X + 12 * body[s], marker[s]->p, w[s], F);
    hki_points_scatter(n, body[s], F, g);
  }
}

/* number of a loop's row r among the rows of its closure; HK_NONE: it is not there */
static int32_t closure_row(const hk_closure *c, const hk_points_loop *l, int32_t r) {
  if (l->scalar != HK_NONE || l->coupling) return 0;
  for (int32_t i = 0; i < c->nrows; i++)
    if (c->rows[i] == l->rows[r]) return i;
  return HK_NONE;
}

/* subtracts a motion's signal and a lock's stored value from a row; bias: from its gamma */
static void subtract_value(hk_points *n, const hk_points_loop *l, int32_t r, bool bias) {
  const hk_closure *c = l->closure == HK_NONE ? NULL : &n->m->closures[l->closure];
  int32_t i = c ? closure_row(c, l, r) : HK_NONE, row = l->row0 + r;
  if (i == HK_NONE) return;
  if (!bias) n->phi[row] -= hki_kin_stored(&n->it, c, i);
  if (!bias) n->phit[row] -= hki_kin_stored_rate(&n->it, c);
  if (c->row_signal[i] == HK_NONE) return;
  const double *f = n->it.sig + 3 * c->row_signal[i];
  if (bias) {
    n->gamma[row] -= f[2];
  } else {
    n->phi[row] -= f[0];
    n->phit[row] -= f[1];
    if (c->rate_rows >> i & 1u) n->phi[row] = 0.0;
  }
}

static void coordinate_row(hk_points *n, const hk_points_loop *l, bool bias) {
  hk_joint_coord x;
  int32_t body[2];
  const hk_offset *marker[2];
  const double rt = hki_points_scalar(n, l->scalar, &x, body, marker);
  if (bias) {
    n->gamma[l->row0] = x.bias;
  } else {
    n->phi[l->row0] = x.s;
    n->phit[l->row0] = rt;
    hki_points_enter(n, &l->q);
    memset(l->q.g, 0, (size_t)l->q.n * sizeof *l->q.g);
    pull_pair(n, body, marker, x.gA, x.gB, l->q.g);
  }
  subtract_value(n, l, 0, bias);
}

/* row of a relation of coordinates (kinematics/coupling.c) */
static void coupling_row(hk_points *n, const hk_points_loop *l, bool bias) {
  const hk_coupling *of = l->coupling;
  double s[HK_COUPLED], sd[HK_COUPLED], rt[HK_COUPLED], sum = 0.0;
  double *f = n->it.slope + of->slope0;
  hk_joint_coord x[HK_COUPLED];
  int32_t body[HK_COUPLED][2];
  const hk_offset *marker[HK_COUPLED][2];
  for (int32_t i = 0; i < of->n; i++) {
    rt[i] = hki_points_scalar(n, of->arg[i].scalar, &x[i], body[i], marker[i]);
    s[i] = x[i].s, sd[i] = x[i].sd;
    if (bias) sum += f[i] * x[i].bias;
  }
  if (bias) {
    n->gamma[l->row0] = sum + hki_coupling_bias(&n->it, of, s, sd);
    return;
  }
  hki_coupling_eval(&n->it, of, s, sd, &n->phi[l->row0], &n->phit[l->row0], f);
  hki_points_enter(n, &l->q);
  memset(l->q.g, 0, (size_t)l->q.n * sizeof *l->q.g);
  for (int32_t i = 0; i < of->n; i++) {
    n->phit[l->row0] += f[i] * rt[i];
    for (int k = 0; k < 6; k++) x[i].gA[k] *= f[i], x[i].gB[k] *= f[i];
    pull_pair(n, body[i], marker[i], x[i].gA, x[i].gB, l->q.g);
  }
  subtract_value(n, l, 0, false);
}

void hki_points_loop_markers(const hk_points *n, const hk_points_loop *l, hk_offset *moved,
                             const hk_offset **marker) {
  int32_t remark = l->closure == HK_NONE ? HK_NONE : n->m->closures[l->closure].remark;
  marker[0] = l->marker[0], marker[1] = l->marker[1];
  if (remark == HK_NONE) return;
  memcpy(moved->R, n->it.disc.remark + 12 * remark, sizeof moved->R);
  memcpy(moved->p, n->it.disc.remark + 12 * remark + 9, sizeof moved->p);
  marker[0] = moved;
}

static void loop_rows(hk_points *n, const hk_points_loop *l, bool bias) {
  hk_joint_loop L;
  hk_frame F[2];
  double rt[6];
  hk_offset moved;
  const hk_offset *marker[2];
  hki_points_loop_markers(n, l, &moved, marker);
  for (int s = 0; s < 2; s++) hki_points_marker(n, l->body[s], marker[s], &F[s]);
  const int32_t joint = l->closure == HK_NONE ? HK_NONE : n->m->closures[l->closure].joint;
  hki_kin_turn_back(&n->it, joint, &F[1]);
  hki_kin_loop(&n->it, joint, l->ops, l->par, F, HK_LOOP_JAC | (bias ? HK_LOOP_ACC : HK_LOOP_POS),
               &L, rt);
  if (!bias) {
    hki_points_enter(n, &l->q);
    memset(l->q.g, 0, (size_t)(l->q.nrows * l->q.n) * sizeof *l->q.g);
  }
  for (int32_t r = 0; r < l->q.nrows; r++) {
    int32_t lr = l->rows[r], row = l->row0 + r;
    if (bias) {
      n->gamma[row] = L.gamma[lr];
    } else {
      n->phi[row] = L.phi[lr];
      n->phit[row] = rt[lr];
      pull_pair(n, l->body, marker, L.GA + 6 * lr, L.GB + 6 * lr, l->q.g + r * l->q.n);
    }
    subtract_value(n, l, r, bias);
  }
}

/* zero for the rows of a loop that is off */
static void rest(hk_points *n, const hk_points_loop *l) {
  memset(l->q.g, 0, (size_t)(l->q.nrows * l->q.n) * sizeof *l->q.g);
  for (int32_t r = l->row0; r < l->row0 + l->q.nrows; r++)
    n->phi[r] = n->phit[r] = n->gamma[r] = 0.0;
}

static void all_loops(hk_points *n, bool bias) {
  for (int32_t i = 0; i < n->nloop; i++) {
    const hk_points_loop *l = &n->loop[i];
    if (l->closure != HK_NONE && n->it.disc.active[l->closure] == 0.0)
      rest(n, l);
    else if (l->scalar != HK_NONE)
      coordinate_row(n, l, bias);
    else if (l->coupling)
      coupling_row(n, l, bias);
    else
      loop_rows(n, l, bias);
  }
}

void hki_points_rows(hk_points *n, const double *q) {
  for (int32_t i = 0; i < n->nquad; i++) quad_rows(n, &n->quad[i], q);
  all_loops(n, false);
}

void hki_points_rate_rows(hk_points *n, const double *v, double cv) {
  for (int32_t i = 0; n->m->nrate && i < n->nloop; i++) {
    const hk_points_loop *l = &n->loop[i];
    // a prescribed rate or a coupling, or a joint of which some rows bind velocities
    const bool one = l->scalar != HK_NONE || l->coupling;
    const uint32_t rates = !one                    ? l->ops->rate_rows
                           : l->closure != HK_NONE ? n->m->closures[l->closure].rate_rows
                                                   : 0u;
    if (!rates) continue;
    if (l->closure != HK_NONE && n->it.disc.active[l->closure] == 0.0) continue;
    for (int32_t r = 0; r < l->q.nrows; r++) {
      const hk_points_line *g = &n->line[l->row0 + r];
      double sum = n->phit[l->row0 + r];
      if (!(rates >> (one ? r : l->rows[r]) & 1u)) continue;
      for (int32_t j = 0; j < g->n; j++) sum += g->g[j] * v[g->idx[j]];
      n->phi[l->row0 + r] = sum / cv;
    }
  }
}

void hki_points_bias(hk_points *n, const double *v) {
  for (int32_t i = 0; i < n->nquad; i++) quad_bias(n, &n->quad[i], v);
  all_loops(n, true);
}

/* --- scalar unknowns -------------------------------------------------------------------------- */

static hk_kin *net_kin(hk_formulation *f) { return &((hk_points *)f->shared)->it; }

static hk_border *net_border(hk_formulation *f) { return &((hk_points *)f->shared)->border; }

static void net_place(hk_formulation *f, double t, const double *q, const double *v) {
  hki_points_state(f->shared, t, q, v);
}

static void net_coordinate(hk_formulation *f, int32_t scalar, double *s, double *sd) {
  hk_joint_coord c;
  int32_t body[2];
  const hk_offset *marker[2];
  hki_points_scalar(f->shared, scalar, &c, body, marker);
  *s = c.s, *sd = c.sd;
}

const hk_net_face hki_points_net = {
    .kin = net_kin, .border = net_border, .place = net_place, .coordinate = net_coordinate};
