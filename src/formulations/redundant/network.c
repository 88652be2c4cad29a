/* SPDX-License-Identifier: Apache-2.0
 *
 * network.c: scalar unknowns in the saddle-point matrix. Their values are velocities of the stage,
 * x = vh + cv D, their rates accelerations, xd = ah + ca D. With the joint coordinate s, sd of the
 * element, the equations F(x, xd, s, sd) = 0 have, divided by ca as all others:
 *
 *   Fxd + (cv/ca) Fx                                by scalar unknowns
 *   (cv/ca) Fsd g N + (Fs g + Fsd h)/ca             by the two bodies of the coordinate
 *
 * and the rows of these bodies, for the force tau on the coordinate:
 *
 *   -(cv/ca) g' dtau/dx                             by scalar unknowns
 *
 * g = ds/dx and h = dsd/dx are moved to the centres of mass. Each scalar row is scaled to a largest
 * entry of one, since its units are those of other physics.
 */
#include "formulations/redundant/redundant.h"
#include "kinematics/element.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->c->pool, (size_t)(n) * sizeof(type)))

bool hki_redundant_find_network(hk_redundant *r) {
  const hk_bodies *c = r->c;
  r->net = POOL(r, hk_redundant_net, c->m->nnet + 1);
  r->xscale = POOL(r, double, c->nx + 1);
  r->slot_x = POOL(r, int32_t, c->nx + 1);
  if (!r->net || !r->xscale || !r->slot_x) return false;
  for (int32_t f = 0; f < c->m->nf; f++) {
    const hk_model_force *mf = &c->m->forces[f];
    hk_redundant_net *e = &r->net[r->nnet];
    if (mf->net == HK_NONE) continue;
    r->nnet++;
    *e = (hk_redundant_net){.force = f, .n = mf->ops->nnode + mf->ops->nown};
    e->body[0] = e->body[1] = HK_GROUND;
    if (mf->ops->nscal) memcpy(e->body, c->scalar[mf->scalar].body, sizeof e->body);
    e->own = POOL(r, int32_t, e->n * e->n + 1);
    e->row = POOL(r, int32_t, e->n * 2 * c->nd + 1);
    e->col = POOL(r, int32_t, e->n * 2 * c->nd + 1);
    if (!e->own || !e->row || !e->col) return false;
  }
  return true;
}

/* row and column of unknown i of an element in the system, -1 where the value is given */
static int32_t place(const hk_redundant *r, const hk_redundant_net *e, int32_t i) {
  const int32_t x = r->c->m->forces[e->force].x[i];
  return x < r->c->nx ? r->c->nb + x : -1;
}

void hki_redundant_pattern_network(const hk_redundant *r, hk_pattern *p) {
  const hk_bodies *c = r->c;
  for (int32_t i = 0; i < c->nx; i++) {
    const int32_t at = c->nb + i;
    hki_pattern_clique(p, 1, &at);
  }
  for (int32_t k = 0; k < r->nnet; k++) {
    const hk_redundant_net *e = &r->net[k];
    int32_t x[HK_ELEMENT_UNKNOWNS], b[12], n = 0, nb = 0;
    for (int32_t i = 0; i < e->n; i++)
      if (place(r, e, i) >= 0) x[n++] = place(r, e, i);
    for (int32_t i = 0; i < 2 * c->nd; i++) {
      const int32_t at = hki_bodies_entry(c, e->body[i / c->nd], i % c->nd);
      if (at >= 0) b[nb++] = at;
    }
    hki_pattern_clique(p, n, x);
    hki_pattern_rect(p, n, x, nb, b);
    hki_pattern_rect(p, nb, b, n, x);
  }
}

/* xrow0, xrow: all slots of the rows of scalar unknowns; false: no memory */
static bool find_rows(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t all = c->n + c->nrows;
  int32_t most = 0;
  for (int pass = 0; pass < 2; pass++) {
    most = 0;
    for (int32_t i = 0; i < c->nx; i++) {
      if (pass) r->xrow0[i] = most;
      for (int32_t j = 0; j < all; j++) {
        const int32_t at = hki_linsolve_slot(r->ls, c->nb + i, j);
        if (at < 0) continue;
        if (pass) r->xrow[most] = at;
        most++;
      }
    }
    if (pass) break;
    r->xrow0 = POOL(r, int32_t, c->nx + 1);
    r->xrow = POOL(r, int32_t, most + 1);
    if (!r->xrow0 || !r->xrow) return false;
  }
  r->xrow0[c->nx] = most;
  return true;
}

bool hki_redundant_slot_network(hk_redundant *r) {
  const hk_bodies *c = r->c;
  const int32_t w = 2 * c->nd;
  for (int32_t i = 0; i < c->nx; i++) {
    r->slot_x[i] = hki_linsolve_entry(r->ls, c->nb + i, c->nb + i);
    r->xscale[i] = 1.0;
  }
  for (int32_t k = 0; k < r->nnet; k++) {
    hk_redundant_net *e = &r->net[k];
    for (int32_t i = 0; i < e->n; i++) {
      const int32_t x = place(r, e, i);
      for (int32_t j = 0; j < e->n; j++) {
        const int32_t y = place(r, e, j);
        e->own[e->n * i + j] = x < 0 || y < 0 ? -1 : hki_linsolve_entry(r->ls, x, y);
      }
      for (int32_t j = 0; j < w; j++) {
        const int32_t at = hki_bodies_entry(c, e->body[j / c->nd], j % c->nd);
        const bool none = x < 0 || at < 0;
        e->row[w * i + j] = none ? -1 : hki_linsolve_entry(r->ls, x, at);
        e->col[w * i + j] = none ? -1 : hki_linsolve_entry(r->ls, at, x);
      }
    }
  }
  return find_rows(r);
}

void hki_redundant_coordinate(const hk_redundant *r, const hk_bodies_coord *s,
                              hk_redundant_coord *out) {
  const hk_bodies *c = r->c;
  hk_joint_coord x;
  hk_frame F[2];
  double H[144], g[12], gd[12];
  hki_bodies_scalar(c, s, &x, F);
  s->ops->coord_geo(s->par, s->k, &F[0], &F[1], H);
  s6_copy(g, x.gA), s6_copy(g + 6, x.gB);
  for (int i = 0; i < 144; i++) H[i] *= s->sign;
  hki_kin_coord_slope(&c->it, s->joint, F, x.gB, H, gd);
  for (int k = 0; k < 2; k++) {
    double d[3], u[3], w[6], y[6];
    if (s->body[k] == HK_GROUND) continue;
    const hk_frame *f = &c->it.frame[s->body[k]];
    v3_sub(d, F[k].p, f->p);
    v3_cross(u, f->w, d);
    // the body's rotation also turns the marker's twist
    double *row = gd + 6 * k;
    v3_cross_add(row, f->w, g + 6 * k);
    v3_cross_add(row, u, g + 6 * k + 3);
    s6_wrench_to_origin(w, row, d);
    hki_bodies_reduce(c, w, out->h + c->nd * k);
    s6_wrench_to_origin(w, g + 6 * k, d);
    hki_bodies_reduce(c, w, out->g + c->nd * k);
    s6_copy(y, w);
    if (!c->planar) m3_tmulv(y, r->N + 9 * s->body[k], w);
    hki_bodies_reduce(c, y, out->gN + c->nd * k);
  }
}

/* adds the coupling of an element with the two bodies of its joint coordinate */
static void add_coupling(hk_redundant *r, const hk_redundant_net *e, const hk_element_out *out,
                         double cC, double cK, double scale) {
  const int32_t w = 2 * r->c->nd;
  hk_redundant_coord q = {{0}, {0}, {0}};
  hki_redundant_coordinate(r, &r->c->scalar[r->c->m->forces[e->force].scalar], &q);
  for (int32_t i = 0; i < e->n; i++)
    for (int32_t j = 0; j < w; j++) {
      if (e->row[w * i + j] < 0) continue;
      r->ls->val[e->row[w * i + j]] +=
          cC * out->Fsd[i] * q.gN[j] + cK * (out->Fs[i] * q.g[j] + out->Fsd[i] * q.h[j]);
      r->ls->val[e->col[w * i + j]] -= scale * cC * out->tau_x[i] * q.g[j];
    }
}

void hki_redundant_add_network(hk_redundant *r, double cE, double cC, double cK, double scale) {
  double *val = r->ls->val;
  for (int32_t k = 0; k < r->nnet; k++) {
    const hk_redundant_net *e = &r->net[k];
    const hk_model_force *mf = &r->c->m->forces[e->force];
    hk_element_out out;
    hk_frame F[HK_ELEMENT_MARKERS];
    int32_t body[2];
    hki_bodies_force(r->c, e->force, false, body, F, &out);
    if (mf->still) hki_kin_drop_rates(mf, &out);
    for (int32_t i = 0; i < e->n; i++)
      for (int32_t j = 0; j < e->n; j++) {
        const int32_t at = e->own[e->n * i + j], from = HK_ELEMENT_UNKNOWNS * i + j;
        if (at >= 0) val[at] += cE * out.Fxd[from] + cC * out.Fx[from];
      }
    if (mf->ops->nscal) add_coupling(r, e, &out, cC, cK, scale);
  }
}

void hki_redundant_scale_network(hk_redundant *r) {
  double *val = r->ls->val;
  for (int32_t i = 0; i < r->c->nx; i++) {
    double most = 0.0;
    for (int32_t k = r->xrow0[i]; k < r->xrow0[i + 1]; k++)
      most = fmax(most, fabs(val[r->xrow[k]]));
    r->xscale[i] = most > 0.0 ? 1.0 / most : 1.0;
    for (int32_t k = r->xrow0[i]; k < r->xrow0[i + 1]; k++) val[r->xrow[k]] *= r->xscale[i];
  }
}

void hki_redundant_unit_network(hk_redundant *r) {
  for (int32_t i = 0; i < r->c->nx; i++) {
    r->ls->val[r->slot_x[i]] = 1.0;
    r->xscale[i] = 1.0;
  }
}
