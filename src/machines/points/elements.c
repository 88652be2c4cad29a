/* SPDX-License-Identifier: Apache-2.0
 *
 * elements.c: joints as lists of rows, and the points, vectors and orientations that their bodies
 * share instead.
 *
 *   rows of the joint                     shared
 *   three positions (planar: two)         one point
 *   z of A along z of B (two rows)        one unit vector
 *   no relative rotation (three rows;     one orientation: all vectors
 *                         planar: one)
 *
 * Tree joints take part with their loop rows. Rows that sharing meets disappear. Points of one body
 * at the same place are one element, and so are parallel vectors of one orientation, so elements
 * are united along chains of joints. Where a union would put one element at two places of a body
 * the joint keeps its rows. HK_POINTS_SEPARATE: each axis has a vector of its own.
 *
 * Source: Garcia de Jalon and Bayo 1994, chapter 2.
 */
#include "machines/points/build.h"

/* --- joints as rows --------------------------------------------------------------------------- */

/* does a row of a tree joint change with motions in the plane? RA: axes of its first marker, one of
 * which lies along the normal */
static bool in_plane(const points_build *B, const double *RA, uint8_t kind) {
  double a[3];
  if (!B->n->planar) return true;
  if (kind <= HK_S_Z) {
    m3_column(a, RA, kind - HK_S_X);
    return fabs(v3_dot(a, B->m->spec->normal)) < 0.5;
  }
  if (kind >= HK_S_RX && kind <= HK_S_RZ) {
    m3_column(a, RA, kind - HK_S_RX);
    return fabs(v3_dot(a, B->m->spec->normal)) > 0.5;
  }
  return false;
}

static void tree_item(points_build *B, int32_t b) {
  const hk_model_body *mb = &B->m->bodies[b];
  points_item *it = &B->items[B->nitems++];
  it->ops = mb->ops;
  it->par = it->num = mb->par;
  it->body[0] = mb->parent, it->body[1] = b;
  it->marker[0] = &mb->on_parent, it->marker[1] = &mb->on_child;
  it->closure = HK_NONE;
  it->permanent = true;
  for (int32_t r = 0; r < hki_joint_rows(mb->ops, mb->par); r++) {
    uint8_t kind = mb->ops->rows[r];
    const double *RA = mb->on_parent.R;
    if (!in_plane(B, RA, kind)) continue;
    it->rows[it->nrows] = (uint8_t)r;
    it->kind[it->nrows] = kind;
    it->left[it->nrows++] = true;
  }
}

/* does an event release this joint? */
static bool may_go(const points_build *B, int32_t joint) {
  const hk_spec *s = B->m->spec;
  for (int32_t e = 0; e < s->nevents; e++)
    if (s->events[e].joint == joint && s->events[e].action == HK_EVENT_RELEASE) return true;
  return false;
}

static void closure_item(points_build *B, int32_t ci) {
  const hk_closure *c = &B->m->closures[ci];
  points_item *it = &B->items[B->nitems++];
  it->ops = c->ops;
  it->par = it->num = c->par;
  for (int s = 0; s < 2; s++) it->body[s] = c->body[s], it->marker[s] = &c->marker[s];
  it->closure = ci;
  it->permanent = c->active && c->role == HK_ROLE_CUT && c->remark == HK_NONE &&
                  c->lock == HK_NONE && !(c->ops->caps & HK_JOINT_LOCKED) && !may_go(B, c->joint);
  for (int32_t r = 0; r < c->nrows; r++) {
    if (c->row_signal[r] != HK_NONE) it->permanent = false;
    it->rows[r] = c->rows[r];
    it->kind[r] = (c->ops->caps & HK_JOINT_LOCKED) ? (uint8_t)HK_S_COUNT : c->ops->rows[c->rows[r]];
    it->left[r] = true;
  }
  it->nrows = c->nrows;
}

void hki_points_items(points_build *B) {
  const hk_model *m = B->m;
  B->items = hki_pool_alloc(B->pool, (size_t)(m->nb + m->nc + 1) * sizeof *B->items);
  if (!B->items) {
    B->status = HK_E_MEMORY;
    return;
  }
  for (int32_t b = 0; b < m->nb; b++) tree_item(B, b);
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].kind == HK_CLOSURE_JOINT) closure_item(B, c);
}

/* --- orientations ----------------------------------------------------------------------------- */

/* root of i; shortens the path on the way */
static int32_t find(int32_t *uf, int32_t i) {
  while (uf[i] != i) i = uf[i] = uf[uf[i]];
  return i;
}

int32_t hki_points_find_orient(points_build *B, int32_t body) {
  return find(B->orient, body == HK_GROUND ? B->m->nb : body);
}

/* number of rows with a kind from lo to hi */
static int32_t count(const points_item *it, uint8_t lo, uint8_t hi) {
  int32_t n = 0;
  for (int32_t r = 0; r < it->nrows; r++) n += it->kind[r] >= lo && it->kind[r] <= hi;
  return n;
}

/* rows with a kind from lo to hi are met by sharing */
static void met(points_item *it, uint8_t lo, uint8_t hi) {
  for (int32_t r = 0; r < it->nrows; r++)
    if (it->kind[r] >= lo && it->kind[r] <= hi) it->left[r] = false;
}

/* two bodies (HK_GROUND allowed) have one orientation */
static void unite_axes(points_build *B, int32_t one, int32_t other) {
  int32_t a = hki_points_find_orient(B, one), b = hki_points_find_orient(B, other);
  if (a == b) return;
  // the ground has the highest number and stays a root
  int32_t root = a > b ? a : b, child = a > b ? b : a;
  B->orient[child] = root;
  B->members[root] += B->members[child];
}

static void share_orientation(points_build *B, points_item *it) {
  double Q[9];
  if (count(it, HK_S_RX, HK_S_RZ) < (B->n->planar ? 1 : 3)) return;
  // body axes are the world's in the drawing: bodies share axes only if their markers are parallel
  m3_mult(Q, it->marker[0]->R, it->marker[1]->R);
  for (int i = 0; i < 9; i++)
    if (fabs(Q[i] - (i % 4 == 0)) > 1e-12) return;
  unite_axes(B, it->body[0], it->body[1]);
  met(it, HK_S_RX, HK_S_RZ);
}

/* --- elements --------------------------------------------------------------------------------- */

int32_t hki_points_find_element(points_build *B, int32_t e) {
  while (B->element[e].root != e) {
    B->element[e].root = B->element[B->element[e].root].root;
    e = B->element[e].root;
  }
  return e;
}

static int32_t new_element(points_build *B, bool vector) {
  if (!HK_GROW(B->ctx, B->element, B->cap_element, B->nelement + 1)) {
    B->status = HK_E_MEMORY;
    return HK_NONE;
  }
  points_element *e = &B->element[B->nelement];
  memset(e, 0, sizeof *e);
  e->root = B->nelement;
  e->vector = vector;
  e->first = e->last = e->host = HK_NONE;
  return B->nelement++;
}

/* are x and y the same place, or the same direction up to *sign? */
static bool same(const points_build *B, bool vector, const double *x, const double *y,
                 double *sign) {
  double d[3];
  *sign = vector && v3_dot(x, y) < 0.0 ? -1.0 : 1.0;
  for (int i = 0; i < 3; i++) d[i] = x[i] - *sign * y[i];
  // planar: positions along the normal do not count
  if (B->n->planar) v3_axpy(d, -v3_dot(d, B->m->spec->normal), B->m->spec->normal);
  return v3_norm(d) <= (vector ? 1e-12 : B->tiny);
}

/* the element of a body (vectors: orientation) at x, made if it is new; owner nb: the ground.
 * *sign = -1: it is there in the opposite direction. fresh: made also where there is one already */
static int32_t element_at(points_build *B, bool vector, bool fresh, int32_t owner, const double *x,
                          double *sign) {
  int32_t *head = vector ? B->vectors : B->points, nb = B->m->nb;
  *sign = 1.0;
  if (owner == nb) {
    int32_t e = new_element(B, vector);
    if (e == HK_NONE) return e;
    B->element[e].ground = true;
    v3_copy(B->element[e].xg, x);
    return e;
  }
  for (int32_t i = head[owner]; !fresh && i != HK_NONE; i = B->inc[i].next_at_owner)
    if (same(B, vector, x, B->inc[i].x, sign)) return hki_points_find_element(B, B->inc[i].element);
  *sign = 1.0;
  int32_t e = new_element(B, vector);
  if (e == HK_NONE || !HK_GROW(B->ctx, B->inc, B->cap_inc, B->ninc + 1)) {
    B->status = HK_E_MEMORY;
    return HK_NONE;
  }
  points_inc *in = &B->inc[B->ninc];
  *in = (points_inc){e, owner, {x[0], x[1], x[2]}, HK_NONE, head[owner]};
  head[owner] = B->element[e].first = B->element[e].last = B->ninc++;
  B->element[e].ninc = 1;
  return e;
}

/* would the union of elements a and b put one element at two places of a body? */
static bool conflict(points_build *B, int32_t a, int32_t b, double sign) {
  const points_element *ea = &B->element[a], *eb = &B->element[b];
  double s;
  if (ea->ground && eb->ground && (!same(B, ea->vector, ea->xg, eb->xg, &s) || s != sign))
    return true;
  for (int32_t i = eb->first; i != HK_NONE; i = B->inc[i].next) {
    const points_inc *in = &B->inc[i];
    int32_t j = (eb->vector ? B->vectors : B->points)[in->owner];
    for (; j != HK_NONE; j = B->inc[j].next_at_owner) {
      if (hki_points_find_element(B, B->inc[j].element) != a) continue;
      if (!same(B, eb->vector, in->x, B->inc[j].x, &s) || s != sign) return true;
    }
  }
  return false;
}

/* unites elements a and b, b reversed when sign is -1; false: they conflict */
static bool unite(points_build *B, int32_t a, int32_t b, double sign) {
  if (a == b) return sign > 0.0;
  if (B->element[a].ninc < B->element[b].ninc) {
    int32_t t = a;
    a = b, b = t;
  }
  if (conflict(B, a, b, sign)) return false;
  points_element *ea = &B->element[a], *eb = &B->element[b];
  for (int32_t i = eb->first; i != HK_NONE && sign < 0.0; i = B->inc[i].next)
    v3_scale(B->inc[i].x, -1.0, B->inc[i].x);
  if (eb->ground && !ea->ground) v3_scale(ea->xg, sign, eb->xg);
  ea->ground |= eb->ground;
  ea->basic |= eb->basic;
  ea->ninc += eb->ninc;
  if (ea->last == HK_NONE)
    ea->first = eb->first;
  else
    B->inc[ea->last].next = eb->first;
  if (eb->last != HK_NONE) ea->last = eb->last;
  eb->root = a;
  return true;
}

static void share_vector(points_build *B, points_item *it) {
  if (B->n->planar || count(it, HK_S_XZ, HK_S_XZ) + count(it, HK_S_YZ, HK_S_YZ) < 2) return;
  int32_t e[2], o[2];
  double z[3], s[2];
  for (int i = 0; i < 2; i++) o[i] = hki_points_find_orient(B, it->body[i]);
  for (int i = 0; i < 2; i++) {
    m3_column(z, it->marker[i]->R, 2);
    e[i] = element_at(B, true, B->choice == HK_POINTS_SEPARATE, o[i], z, &s[i]);
    if (e[i] == HK_NONE) return;
  }
  if (unite(B, e[0], e[1], s[0] * s[1])) met(it, HK_S_XZ, HK_S_YZ);
}

static void share_point(points_build *B, points_item *it) {
  if (count(it, HK_S_X, HK_S_Z) < B->n->d) return;
  int32_t e[2];
  double s;
  for (int i = 0; i < 2; i++) {
    int32_t owner = it->body[i] == HK_GROUND ? B->m->nb : it->body[i];
    e[i] = element_at(B, false, false, owner, it->marker[i]->p, &s);
    if (e[i] == HK_NONE) return;
  }
  if (unite(B, e[0], e[1], 1.0)) met(it, HK_S_X, HK_S_Z);
}

/* elements that rows are written with: ends of distances, axes of universal joints */
static void own_elements(points_build *B, const points_item *it) {
  double s, x[3];
  for (int32_t r = 0; r < it->nrows; r++)
    for (int i = 0; i < 2; i++) {
      int32_t e = HK_NONE;
      if (it->body[i] == HK_GROUND) continue;
      if (it->kind[r] == HK_S_DISTANCE) {
        e = element_at(B, false, false, it->body[i], it->marker[i]->p, &s);
        if (e != HK_NONE) B->element[e].basic = true;
      } else if (it->kind[r] == HK_S_AXIS2) {
        double axis[3] = {0, 0, 1};
        if (i == 1) axis[0] = it->num[0], axis[2] = it->num[1];
        m3_mulv(x, it->marker[i]->R, axis);
        e = element_at(B, true, false, hki_points_find_orient(B, it->body[i]), x, &s);
      } else {
        continue;
      }
      if (e == HK_NONE) return;
    }
}

/* a point of a body (HK_GROUND allowed) that is a block although nothing is carried by it */
static void end_at(points_build *B, int32_t body, const double *x) {
  double s;
  int32_t e = body == HK_GROUND ? HK_NONE : element_at(B, false, false, body, x, &s);
  if (e != HK_NONE) B->element[e].end = true;
}

/* ends of forces that pull at points, points of joints that events switch */
static void separate_ends(points_build *B) {
  const hk_model *m = B->m;
  for (int32_t i = 0; i < B->nitems; i++) {
    const points_item *it = &B->items[i];
    if (it->permanent || count(it, HK_S_X, HK_S_Z) < B->n->d) continue;
    for (int s = 0; s < 2; s++) end_at(B, it->body[s], it->marker[s]->p);
  }
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    for (int s = 0; s < f->ops->nmark && (f->ops->caps & HK_ELEMENT_PULLS); s++)
      end_at(B, f->body[s], f->marker[s].p);
  }
}

void hki_points_share(points_build *B) {
  int32_t nb = B->m->nb;
  for (int32_t i = 0; i <= nb; i++) {
    B->orient[i] = i;
    B->members[i] = 1;
    B->points[i] = B->vectors[i] = HK_NONE;
  }
  // nodes without rotation keep the axes of the ground
  for (int32_t b = 0; b < nb; b++)
    if (B->m->bodies[b].point) unite_axes(B, b, HK_GROUND);
  for (int32_t i = 0; i < B->nitems; i++)
    if (B->items[i].permanent) share_orientation(B, &B->items[i]);
  for (int32_t i = 0; i < B->nitems && B->status == HK_OK; i++) {
    points_item *it = &B->items[i];
    if (!it->permanent) continue;
    share_vector(B, it);
    share_point(B, it);
    own_elements(B, it);
  }
  if (B->choice == HK_POINTS_SEPARATE && B->status == HK_OK) separate_ends(B);
}
