/* SPDX-License-Identifier: Apache-2.0
 *
 * pulls4.c: which forces go four at a time, what their laws say, and their passes for any processor (pulls4.h).
 */
#include "kinematics/element.h"
#include "kinematics/pulls4.h"

#include "elements/line.h"

#include "geometry/four.h"
#include "kinematics/rows4_ends.h"
#include "kinematics/pulls4_body.h"

const hk_pulls4_passes hki_pulls4_any = {reach4, act4, squares4};

/* so far behind a force others like it are looked for */
enum { REACH = 256 };

/* --- groups ----------------------------------------------------------------------------------- */

static hk_pull kind_of(const hk_kin *k, int32_t fi, double *axis) {
  const hk_model_force *f = &k->m->forces[fi];
  if (!f->ops->pull || f->u_varies || f->net != HK_NONE || f->nz || f->nd != f->ops->nd)
    return HK_PULL_NONE;
  if (k->fu0[fi] >= 0 || k->fruns[fi].both) return HK_PULL_NONE;
  return f->ops->pull(f->par, axis);
}

/* body and marker of one side; an element with one marker has it on the second side */
static int32_t marker_of(const hk_model_force *f, int side) {
  return f->ops->nmark == 2 ? side : side - 1;
}

static int32_t body_of(const hk_model_force *f, int side) {
  return marker_of(f, side) < 0 ? HK_GROUND : f->body[marker_of(f, side)];
}

static int32_t first_of(const hk_kin *k, int32_t fi) {
  return k->m->forces[fi].ops->nmark == 2 ? k->fruns[fi].first : 0;
}

static bool alike(const hk_kin *k, int32_t i, int32_t j) {
  const hk_model_force *a = &k->m->forces[i], *b = &k->m->forces[j];
  double axis[3];
  if (a->ops != b->ops || kind_of(k, i, axis) != kind_of(k, j, axis)) return false;
  if (a->path.n != b->path.n || first_of(k, i) != first_of(k, j)) return false;
  for (int s = 0; s < 2; s++)
    if ((body_of(a, s) == HK_GROUND) != (body_of(b, s) == HK_GROUND)) return false;
  return true;
}

/* bodies, points and axis of lane i */
static void fill_lane(const hk_kin *k, hk_pulls4 *q, int i) {
  const hk_model_force *f = &k->m->forces[q->at.closure[i]];
  double axis[3] = {0.0, 0.0, 0.0}, turned[3];
  f->ops->pull(f->par, axis);
  m3_mulv(turned, f->marker[0].R, axis);
  for (int32_t j = 0; j < q->at.n; j++) q->at.dof[4 * j + i] = f->path.dof[j];
  for (int s = 0; s < 2; s++) {
    const int32_t at = marker_of(f, s);
    q->at.body[s][i] = body_of(f, s);
    q->at.one[s] = q->at.one[s] && q->at.body[s][i] == q->at.body[s][0];
    for (int x = 0; x < 3; x++) q->at.on[s][x][i] = at < 0 ? 0.0 : f->marker[at].p[x];
  }
  for (int x = 0; x < 3; x++) q->axis[x][i] = turned[x];
}

/* have the bodies of all sides and lanes the same O? */
static bool one_tree(const hk_model *m, const hk_pulls4 *q) {
  int32_t root = HK_NONE;
  for (int s = 0; s < 2; s++)
    for (int i = 0; i < 4; i++) {
      const int32_t b = q->at.body[s][i];
      if (b == HK_GROUND) continue;
      if (root != HK_NONE && m->bodies[b].root != root) return false;
      root = m->bodies[b].root;
    }
  return true;
}

static void fill(hk_kin *k, hk_pulls4 *q, const int32_t *like, int32_t g) {
  const hk_model *m = k->m;
  double axis[3];
  q->at.nrows = 1, q->at.n = m->forces[like[0]].path.n, q->at.first = first_of(k, like[0]);
  q->at.g = g, q->at.one[0] = q->at.one[1] = true;
  q->kind = kind_of(k, like[0], axis);
  for (int i = 0; i < 4; i++) {
    q->at.closure[i] = like[i];
    fill_lane(k, q, i);
  }
  const int32_t *dof = q->at.dof;
  q->shared = 0;
  while (q->shared < q->at.n && dof[4 * q->shared] == dof[4 * q->shared + 1] &&
         dof[4 * q->shared] == dof[4 * q->shared + 2] &&
         dof[4 * q->shared] == dof[4 * q->shared + 3])
    q->shared++;
  q->one_tree = one_tree(m, q);
  q->floating = q->one_tree && q->shared >= 6 && k->fruns[like[0]].floating;
  q->base = m->bodies[q->at.body[1][0] == HK_GROUND ? q->at.body[0][0] : q->at.body[1][0]].root;
}

void hki_pulls4_find(hk_kin *k, int32_t g) {
  const int32_t nf = k->m->nf, taken = nf;
  int32_t *dof = k->pulls_dof, *alone = k->alone;
  double axis[3];
  k->npulls = k->nalone = 0;
  // until all groups are known, alone[i] is force i, or `taken`: it is in a group
  for (int32_t i = 0; i < nf; i++) alone[i] = i;
  for (int32_t i = 0; i < nf; i++) {
    int32_t like[4], n = 0;
    if (alone[i] == taken || kind_of(k, i, axis) == HK_PULL_NONE) continue;
    for (int32_t j = i; j < nf && j < i + REACH && n < 4; j++)
      if (alone[j] == j && alike(k, i, j)) like[n++] = j;
    if (n < 4) continue;
    hk_pulls4 *q = &k->pulls[k->npulls++];
    q->at.dof = dof, dof += 5 * k->m->forces[i].path.n;
    fill(k, q, like, g);
    hki_rows4_lanes(k, &q->at);
    g += 4 * q->at.n;
    for (int c = 0; c < 4; c++) alone[like[c]] = taken;
  }
  for (int32_t i = 0; i < nf; i++)
    if (alone[i] != taken) alone[k->nalone++] = i;
  k->pulls_passes = hki_pulls4_wide() ? hki_pulls4_wide() : &hki_pulls4_any;
}

/* --- laws ------------------------------------------------------------------------------------- */

/* Input of lane c; F: place and velocity of its marker, for directions of its own. */
HKI_INLINE void lane_in(const hk_kin *k, const hk_pulls4 *q, int c, hk_frame *F,
                        hk_element_in *in) {
  const int32_t fi = q->at.closure[c];
  const hk_model_force *f = &k->m->forces[fi];
  *in = (hk_element_in){.t = k->t,
                        .m = F,
                        .s = q->s[c],
                        .sd = q->sd[c],
                        .u = k->u + HK_ELEMENT_INPUTS * fi,
                        .u_varies = f->u_flows,
                        .d = k->disc.d + f->d0,
                        .ahead = hki_kin_ahead(k, fi)};
  if (q->kind != HK_PULL_OWN) return;
  for (int i = 0; i < 3; i++) F->p[i] = q->p[i][c], F->v[i] = q->v[i][c];
}

HKI_INLINE void keep_lane(hk_pulls4 *q, int c, const hk_element_out *out) {
  q->tau[c] = out->tau, q->ks[c] = out->ks[0], q->cs[c] = out->cs[0];
  for (int i = 0; q->kind == HK_PULL_OWN && i < 3; i++) q->a[i][c] = out->B[3 + i];
}

/* what the laws of a group say */
static void resist_all(const hk_kin *k, hk_pulls4 *q) {
  for (int c = 0; c < 4; c++) {
    const hk_model_force *f = &k->m->forces[q->at.closure[c]];
    hk_force_row *row = &k->row[q->at.closure[c]];
    hk_element_in in;
    hk_element_out out;
    hk_frame F;
    lane_in(k, q, c, &F, &in);
    f->ops->resist(f->par, &in, HK_NEED_FORCE | HK_NEED_TANGENT, &out);
    keep_lane(q, c, &out);
    row->ks[0] = out.ks[0], row->cs[0] = out.cs[0];
  }
}

void hki_pulls4_forces(hk_kin *k, bool tangent) {
  const hk_pulls4_passes *pass = k->pulls_passes;
  // pass by pass: what a law waits for is then long there
  for (int32_t i = 0; i < k->npulls; i++) pass->reach(k, &k->pulls[i]);
  for (int32_t i = 0; i < k->npulls; i++) resist_all(k, &k->pulls[i]);
  for (int32_t i = 0; i < k->npulls; i++) pass->act(k, &k->pulls[i], tangent);
}

/* wrenches on the markers of a lane, as eval gives them */
static void keep_wrench(const hk_pulls4 *q, int c, double *w) {
  double a[3], d[3], F[3];
  for (int i = 0; i < 3; i++) a[i] = q->a[i][c], d[i] = q->d[i][c], F[i] = q->tau[c] * a[i];
  for (int i = 0; i < 12; i++) w[i] = 0.0;
  if (q->kind == HK_PULL_OWN) {
    v3_copy(w + 3, F);
    return;
  }
  if (q->kind == HK_PULL_AXIS) v3_cross(w, F, d);
  v3_scale(w + 3, -1.0, F);
  v3_copy(w + 9, F);
}

static void energy_all(hk_kin *k, hk_pulls4 *q, double *U, double *Pd, double *Ps) {
  const uint32_t need =
      HK_NEED_FORCE | HK_NEED_ENERGY | (k->cache_forces ? (uint32_t)HK_NEED_OUTPUT : 0u);
  for (int c = 0; c < 4; c++) {
    const int32_t fi = q->at.closure[c];
    const hk_model_force *f = &k->m->forces[fi];
    hk_force_trace *t = k->trace ? &k->trace->force[fi] : NULL;
    hk_element_in in;
    hk_element_out out;
    hk_frame own, *F = t && !f->ops->power ? t->m : &own;
    lane_in(k, q, c, F, &in);
    f->ops->resist(f->par, &in, need, &out);
    keep_lane(q, c, &out);
    *U += out.energy, *Pd += out.dissipated, *Ps += out.supplied;
    if (t) {
      t->s = f->ops->power ? out.s : 0.0, t->sd = f->ops->power ? out.sd : 0.0;
      t->energy = out.energy, t->dissipated = out.dissipated, t->supplied = out.supplied;
      t->moving = t->spent = 0.0;
      if (k->trace->input) hki_kin_keep_inputs(k, fi, &in, &k->trace->input[fi]);
    }
    if (!k->cache_forces) continue;
    keep_wrench(q, c, k->kept_w + 12 * fi);
    memcpy(k->kept_y + HK_ELEMENT_OUTPUTS * fi, out.y, sizeof out.y);
  }
}

void hki_pulls4_energy(hk_kin *k, double *U, double *Pd, double *Ps) {
  for (int32_t i = 0; i < k->npulls; i++) k->pulls_passes->reach(k, &k->pulls[i]);
  for (int32_t i = 0; i < k->npulls; i++) energy_all(k, &k->pulls[i], U, Pd, Ps);
}
