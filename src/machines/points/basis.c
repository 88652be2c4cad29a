/* SPDX-License-Identifier: Apache-2.0
 *
 * basis.c: which elements carry each body, and the map from them to its pose.
 *
 * A body is carried by one point p0 and three independent directions d_j: unit vectors, or other
 * points less p0. In planar models one direction is enough: its normal turns with it. Fixed and
 * shared elements are preferred; missing directions become unit vectors of the body's own. With D
 * the directions in the body's axes (columns), D^+ its (pseudo-)inverse, x0 the point in the body's
 * axes, and in the plane delta and z0 the direction and the point as complex numbers:
 *
 *   [u v w] = sum over j of d_j (row j of D^+)         r = p0 - [u v w] x0
 *   planar:  alpha = d / delta                         r = p0 - alpha z0
 *
 * Bodies of one orientation take u, v, w from the first of them. A shared element that does not
 * carry a body is a block tied to it by linear rows; with the fewest coordinates it is expressed
 * through the carriers of one of its bodies instead.
 *
 * Source: Garcia de Jalon and Bayo 1994, section 4.2.
 */
#include "machines/points/build.h"

/* a direction whose part across those already chosen is shorter than this (unit length, or lengths
 * of the body) is not taken as independent */
#define INDEPENDENT 0.05

/* --- blocks ----------------------------------------------------------------------------------- */

static points_lin *new_form(points_build *B) {
  points_lin *l = hki_pool_alloc(B->pool, sizeof *l);
  if (!l) B->status = HK_E_MEMORY;
  return l;
}

/* a new block of coordinates, as a form */
static points_lin *new_block(points_build *B, int32_t body, bool vector, const double *x) {
  hk_points *n = B->n;
  points_lin *l = new_form(B);
  if (!l || !HK_GROW(B->ctx, n->block, B->cap_block, n->nblk + 1)) {
    B->status = HK_E_MEMORY;
    return NULL;
  }
  n->block[n->nblk] = (hk_points_block){body, vector, {x[0], x[1], x[2]}};
  hki_lin_block(l, n->nblk++, 1.0, 0.0);
  return l;
}

/* the form of an element; an open one becomes a constant (ground) or a block, at x on `body` */
static points_lin *element_form(points_build *B, int32_t e, int32_t body, const double *x) {
  points_element *el = &B->element[e];
  if (el->fate != POINTS_OPEN) return el->form;
  if (el->ground) {
    el->fate = POINTS_FORM;
    el->form = new_form(B);
    if (el->form) hki_lin_fixed(B->n, el->form, el->xg);
  } else {
    el->fate = POINTS_BLOCK;
    el->form = new_block(B, body, el->vector, x);
  }
  return el->form;
}

/* --- choice ----------------------------------------------------------------------------------- */

/* order of preference, lowest first: 0 fixed, 1 decided, 1 shared (2 with the fewest coordinates), 3
 * of this body alone; 4 carries nothing */
static int tier(const points_build *B, const points_element *e) {
  if (e->ground || (e->fate == POINTS_FORM && e->form->n == 0)) return 0;
  if (e->end && e->ninc < 2 && !e->basic) return 4;
  if (e->fate != POINTS_OPEN) return 1;
  if (e->ninc > 1 || e->basic) return B->choice == HK_POINTS_FEWEST ? 2 : 1;
  return 3;
}

/* directions chosen so far, made orthonormal */
typedef struct span {
  int32_t n;
  double U[3][3];
} span;

/* r = part of x across the span; returns its length */
static double residual(const span *s, const double *x, double *r) {
  v3_copy(r, x);
  for (int32_t i = 0; i < s->n; i++) v3_axpy(r, -v3_dot(s->U[i], r), s->U[i]);
  return v3_norm(r);
}

/* adds a carrier at x (body axes) to the basis and its direction to the span */
static void take(points_basis *bs, span *s, int32_t element, bool vector, const double *x) {
  points_carrier *c = &bs->at[bs->n];
  double *dir = bs->dir[bs->n - 1];
  *c = (points_carrier){element, vector, {x[0], x[1], x[2]}, NULL};
  v3_copy(dir, x);
  if (!vector) v3_sub(dir, x, bs->at[0].x);
  // orthogonalised twice: orthogonal to round-off
  residual(s, dir, s->U[s->n]);
  v3_normalize(s->U[s->n]);
  residual(s, s->U[s->n], s->U[s->n]);
  v3_normalize(s->U[s->n]);
  s->n++;
  bs->n++;
}

/* first carrier of a body: the point of the lowest tier, then nearest to the centre of mass */
static void first_point(points_build *B, int32_t b, points_basis *bs) {
  double best = INFINITY, com[3] = {0, 0, 0};
  bs->at[0] = (points_carrier){HK_NONE, false, {0, 0, 0}, NULL};
  for (int32_t i = B->points[b]; i != HK_NONE; i = B->inc[i].next_at_owner) {
    int32_t e = hki_points_find_element(B, B->inc[i].element);
    double r = v3_norm(B->inc[i].x), key = tier(B, &B->element[e]) + r / (1.0 + r);
    if (key >= best || key >= 4.0) continue;
    best = key;
    bs->at[0].element = e;
    v3_copy(bs->at[0].x, B->inc[i].x);
  }
  // no shared point: the first needed one, else the centre of mass
  for (int32_t i = B->need0[b]; best == INFINITY && i < B->need0[b + 1]; i++)
    if (!B->need[i].vector) {
      v3_copy(bs->at[0].x, B->need[i].x);
      best = 0.0;
    }
  if (best == INFINITY) v3_copy(bs->at[0].x, com);
  bs->n = 1;
}

/* length of a body: farthest of its points from p0, or radius of gyration */
static double body_size(const points_build *B, int32_t b, const double *p0) {
  const hk_model_body *mb = &B->m->bodies[b];
  double size = 0.0, d[3];
  for (int32_t i = B->points[b]; i != HK_NONE; i = B->inc[i].next_at_owner) {
    v3_sub(d, B->inc[i].x, p0);
    size = fmax(size, v3_norm(d));
  }
  if (mb->mass > 0.0)
    size = fmax(size, sqrt(fabs(mb->J[0] + mb->J[4] + mb->J[8]) / (2.0 * mb->mass)));
  return size > 0.0 ? size : B->m->length;
}

/* element of tier t in a list of incidences whose direction has the longest part across the span,
 * if longer than *best; returns its incidence, or HK_NONE */
static int32_t best_of(points_build *B, int32_t head, int t, const points_basis *bs, const span *s,
                       double size, double *best) {
  int32_t found = HK_NONE;
  for (int32_t i = head; i != HK_NONE; i = B->inc[i].next_at_owner) {
    const points_inc *in = &B->inc[i];
    int32_t e = hki_points_find_element(B, in->element);
    const points_element *el = &B->element[e];
    double d[3], r[3];
    if (tier(B, el) != t) continue;
    v3_copy(d, in->x);
    if (!el->vector) {
      v3_sub(d, in->x, bs->at[0].x);
      v3_scale(d, 1.0 / size, d);
    }
    double left = residual(s, d, r);
    if (left > *best * (1.0 + 1e-9)) *best = left, found = i;
  }
  return found;
}

/* the part of one need across the span: *best and r when it is longer than *best */
static void lacking(const points_need *nd, const double *p0, const span *s, double size,
                    double *best, double *r) {
  double x[3], d[3];
  v3_copy(d, nd->x);
  if (!nd->vector) {
    v3_sub(d, nd->x, p0);
    v3_scale(d, 1.0 / size, d);
  }
  double left = residual(s, d, x);
  if (left > *best) *best = left, v3_copy(r, x);
}

/* r: the longest part across the span among the needs, points and vectors of a body; returns its
 * length (points relative to size) */
static double needed(const points_build *B, int32_t b, int32_t root, const double *p0,
                     const span *s, double size, double *r) {
  const int32_t head[2] = {B->points[b], B->vectors[root]};
  double best = 0.0;
  for (int32_t i = B->need0[b]; i < B->need0[b + 1]; i++)
    lacking(&B->need[i], p0, s, size, &best, r);
  for (int l = 0; l < 2; l++)
    for (int32_t i = head[l]; i != HK_NONE; i = B->inc[i].next_at_owner) {
      const double *x = B->inc[i].x;
      const points_need nd = {b, l == 1, {x[0], x[1], x[2]}};
      lacking(&nd, p0, s, size, &best, r);
    }
  return best;
}

/* carriers of a body that has its orientation to itself */
static void choose(points_build *B, int32_t b) {
  points_basis *bs = &B->basis[b];
  const int32_t most = B->n->planar ? 1 : 3;
  int32_t root = hki_points_find_orient(B, b);
  span s = {0};
  first_point(B, b, bs);
  double size = body_size(B, b, bs->at[0].x), r[3];
  if (B->n->planar) v3_copy(s.U[s.n++], B->m->spec->normal);
  for (int t = 0; t < 4; t++)
    while (bs->n - 1 < most) {
      double best = INDEPENDENT;
      int32_t p = best_of(B, B->points[b], t, bs, &s, size, &best);
      int32_t v = best_of(B, B->vectors[root], t, bs, &s, size, &best);
      int32_t i = v != HK_NONE ? v : p;
      if (i == HK_NONE) break;
      int32_t e = hki_points_find_element(B, B->inc[i].element);
      take(bs, &s, e, B->element[e].vector, B->inc[i].x);
    }
  // unit vectors of its own for the directions that are still needed
  while (bs->n - 1 < most && !B->whole[b] && needed(B, b, root, bs->at[0].x, &s, size, r) > 1e-6) {
    v3_normalize(r);
    take(bs, &s, HK_NONE, true, r);
  }
  while (bs->n - 1 < most && B->whole[b]) {
    double best = 0.0, x[3];
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, left = residual(&s, e, x);
      if (left > best + 1e-9) best = left, v3_copy(r, x);
    }
    v3_normalize(r);
    take(bs, &s, HK_NONE, true, r);
  }
}

/* --- maps ------------------------------------------------------------------------------------- */

void hki_points_carrier_direction(const hk_points *n, const points_basis *bs, int32_t j,
                                  points_lin *out) {
  hki_lin_zero(out);
  hki_lin_add(n, out, 1.0, 0.0, bs->at[j].form);
  if (!bs->at[j].vector) hki_lin_add(n, out, -1.0, 0.0, bs->at[0].form);
}

/* rows of the pseudo-inverse of the directions */
static void invert(const points_basis *bs, double (*P)[3]) {
  const double(*d)[3] = bs->dir;
  double n[3], det;
  if (bs->n == 4) {
    v3_cross(n, d[1], d[2]);
    det = v3_dot(n, d[0]);
    for (int j = 0; j < 3; j++) {
      v3_cross(P[j], d[(j + 1) % 3], d[(j + 2) % 3]);
      v3_scale(P[j], 1.0 / det, P[j]);
    }
  } else if (bs->n == 3) {
    v3_cross(n, d[0], d[1]);
    det = v3_dot(n, n);
    v3_cross(P[0], d[1], n);
    v3_cross(P[1], n, d[0]);
    for (int j = 0; j < 2; j++) v3_scale(P[j], 1.0 / det, P[j]);
  } else if (bs->n == 2) {
    v3_scale(P[0], 1.0 / v3_dot(d[0], d[0]), d[0]);
  }
}

/* col[3]: columns u v w as forms, from the body's own carriers; planar: alpha in col[0] */
static void own_columns(const points_build *B, const points_basis *bs, points_lin *col) {
  const hk_points *n = B->n;
  points_lin dir;
  double P[3][3], z[3];
  for (int k = 0; k < 3; k++) hki_lin_zero(&col[k]);
  if (n->planar) {
    hki_points_local(n, bs->dir[0], z);
    double d2 = z[0] * z[0] + z[1] * z[1];
    hki_points_carrier_direction(n, bs, 1, &dir);
    hki_lin_add(n, &col[0], z[0] / d2, -z[1] / d2, &dir);
    return;
  }
  invert(bs, P);
  for (int32_t j = 1; j < bs->n; j++) {
    hki_points_carrier_direction(n, bs, j, &dir);
    for (int k = 0; k < 3; k++) hki_lin_add(n, &col[k], P[j - 1][k], 0.0, &dir);
  }
}

/* the same from the body that defines the orientation, or from the ground */
static void taken_columns(const points_build *B, int32_t leader, points_lin *col) {
  for (int k = 0; k < 3; k++) {
    double e[3] = {k == 0, k == 1, k == 2}, x[3];
    v3_copy(x, e);
    if (B->n->planar) m3_mulv(x, B->n->E, e);
    if (B->n->planar && k > 0)
      hki_lin_zero(&col[k]);
    else
      hki_lin_direction(B->n, leader, x, &col[k]);
  }
}

/* the body's map from the forms of its columns and of its origin r */
static void store_map(points_build *B, int32_t b, const points_lin *col, const points_lin *r) {
  hk_points *n = B->n;
  hk_points_map *m = &n->map[b];
  points_lin all;
  hki_lin_zero(&all);
  for (int k = 0; k < 3; k++)
    for (int32_t i = 0; i < col[k].n; i++) hki_lin_block(&all, col[k].blk[i], 1.0, 0.0);
  for (int32_t i = 0; i < r->n; i++) hki_lin_block(&all, r->blk[i], 1.0, 0.0);
  int32_t *blk = hki_pool_alloc(n->pool, (size_t)(all.n + 1) * sizeof *blk);
  double *C = hki_pool_alloc(n->pool, (size_t)(4 * all.n + 1) * sizeof *C);
  if (!blk || !C) {
    B->status = HK_E_MEMORY;
    return;
  }
  m->nblk = all.n, m->blk = blk, m->C = C;
  for (int32_t i = 0; i < all.n; i++) {
    const points_lin *part[4] = {&col[0], &col[1], &col[2], r};
    blk[i] = all.blk[i];
    for (int k = 0; k < 4; k++)
      for (int32_t j = 0; j < part[k]->n; j++) {
        if (part[k]->blk[j] != blk[i]) continue;
        const double *c = part[k]->c[j];
        if (!n->planar)
          C[4 * i + k] = c[0];
        else if (k == 0 || k == 3)
          C[4 * i + (k ? 0 : 2)] = c[0], C[4 * i + (k ? 1 : 3)] = c[1];
      }
  }
  if (n->planar) {
    for (int i = 0; i < 2; i++) m->K[i] = r->k[i], m->K[2 + i] = col[0].k[i];
  } else {
    for (int k = 0; k < 3; k++) v3_copy(m->K + 3 * k, col[k].k);
    v3_copy(m->K + 9, r->k);
  }
}

/* ndir, t and x0 of the map, for rigid poses at accepted states */
static void store_directions(points_build *B, int32_t b, bool own) {
  const points_basis *bs = &B->basis[b];
  hk_points_map *m = &B->n->map[b];
  span s = {0};
  points_basis copy = {.n = 1};
  m->ndir = own && !B->n->planar ? bs->n - 1 : 3;
  v3_copy(m->x0, bs->at[0].x);
  if (m->ndir == 3) return;
  for (int32_t j = 0; j < m->ndir; j++) take(&copy, &s, HK_NONE, true, bs->dir[j]);
  for (int32_t j = 0; j < m->ndir; j++) v3_copy(m->t + 3 * j, s.U[j]);
}

/* own: the body defines its orientation, else it takes that of `leader` (HK_GROUND allowed) */
static void make_map(points_build *B, int32_t b, bool own, int32_t leader) {
  points_basis *bs = &B->basis[b];
  const hk_points *n = B->n;
  points_lin col[3], r;
  double z[3];
  for (int32_t j = 0; j < bs->n; j++) {
    points_carrier *c = &bs->at[j];
    c->form = c->element == HK_NONE ? new_block(B, b, c->vector, c->x)
                                    : element_form(B, c->element, b, c->x);
    if (!c->form) return;
  }
  if (own)
    own_columns(B, bs, col);
  else
    taken_columns(B, leader, col);
  hki_lin_zero(&r);
  hki_lin_add(n, &r, 1.0, 0.0, bs->at[0].form);
  hki_points_local(n, bs->at[0].x, z);
  if (n->planar)
    hki_lin_add(n, &r, -z[0], -z[1], &col[0]);
  else
    for (int k = 0; k < 3; k++) hki_lin_add(n, &r, -z[k], 0.0, &col[k]);
  store_map(B, b, col, &r);
  store_directions(B, b, own);
}

/* --- elements that do not carry the body ------------------------------------------------------ */

/* is a body carried by blocks and constants alone? */
static bool plain(const points_build *B, int32_t b) {
  for (int32_t j = 0; b != HK_GROUND && j < B->basis[b].n; j++) {
    int32_t e = B->basis[b].at[j].element;
    if (e != HK_NONE && B->element[e].fate == POINTS_FORM && B->element[e].form->n) return false;
  }
  return true;
}

/* decides the open shared elements of a body in the list `head`: blocks, or forms of the body;
 * leader: the body that defines its orientation */
static void settle(points_build *B, int32_t b, int32_t leader, int32_t head) {
  const hk_points_map *m = &B->n->map[b];
  // points of a body that cannot turn would be copies of one another
  bool few = B->choice == HK_POINTS_FEWEST ||
             (B->choice == HK_POINTS_SEPARATE && leader == HK_GROUND && !B->n->planar);
  // only bodies on plain blocks express others: forms of forms would couple more and more bodies
  bool host = m->nblk == 0 || (few && plain(B, b) && plain(B, leader));
  for (int32_t i = head; i != HK_NONE && B->status == HK_OK; i = B->inc[i].next_at_owner) {
    points_element *el = &B->element[hki_points_find_element(B, B->inc[i].element)];
    const double *x = B->inc[i].x;
    if (el->fate != POINTS_OPEN || (el->ninc < 2 && !el->basic && !el->end && !el->ground))
      continue;
    if (!host || el->ground) {
      element_form(B, (int32_t)(el - B->element), b, x);
      continue;
    }
    el->fate = POINTS_FORM;
    el->host = b;
    el->form = new_form(B);
    if (!el->form) return;
    if (el->vector)
      hki_lin_direction(B->n, b, x, el->form);
    else
      hki_lin_point(B->n, b, x, el->form);
  }
}

/* carriers and map of one body; decides its open shared elements */
static void body(points_build *B, int32_t b) {
  int32_t nb = B->m->nb, root = hki_points_find_orient(B, b);
  bool own = root != nb && B->leader[root] == HK_NONE;
  if (own) {
    choose(B, b);
    B->leader[root] = b;
  } else {
    first_point(B, b, &B->basis[b]);
  }
  int32_t leader = root == nb ? HK_GROUND : B->leader[root];
  make_map(B, b, own, leader);
  if (B->status != HK_OK) return;
  settle(B, b, leader, B->points[b]);
  if (own) settle(B, b, leader, B->vectors[root]);
}

/* out[nb]: order in which bodies choose their carriers: as in the tree; with the fewest coordinates
 * those with the most elements first, since they can express all of them. out has 2 nb entries, the
 * second half is scratch. */
static void order(points_build *B, int32_t *out) {
  enum { MANY = 16 };
  int32_t nb = B->m->nb, n = 0, *size = out + nb;
  for (int32_t b = 0; b < nb; b++) {
    int32_t root = hki_points_find_orient(B, b);
    size[b] = 0;
    for (int32_t i = B->points[b]; i != HK_NONE; i = B->inc[i].next_at_owner) size[b]++;
    for (int32_t i = B->vectors[root]; i != HK_NONE; i = B->inc[i].next_at_owner) size[b]++;
    if (B->choice != HK_POINTS_FEWEST) size[b] = 0;
    if (size[b] > MANY) size[b] = MANY;
  }
  for (int32_t s = MANY; s >= 0; s--)
    for (int32_t b = 0; b < nb; b++)
      if (size[b] == s) out[n++] = b;
}

void hki_points_bases(points_build *B) {
  int32_t nb = B->m->nb;
  int32_t *list = hki_pool_alloc(B->pool, (size_t)(2 * nb + 1) * sizeof *list);
  if (!list) {
    B->status = HK_E_MEMORY;
    return;
  }
  for (int32_t i = 0; i <= nb; i++) B->leader[i] = HK_NONE;
  order(B, list);
  for (int32_t i = 0; i < nb && B->status == HK_OK; i++) body(B, list[i]);
}
