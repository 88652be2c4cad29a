/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: the constraint rows, made once.
 *
 *   within a body   d_i . d_j - const = 0             6 rows (planar: 1) between its directions;
 *                                                     |d|^2 = 1 of a shared vector comes once
 *   ties            e - (its place on the body) = 0   linear; for shared elements that are blocks
 *                                                     and do not carry the body
 *   joints          rows that sharing does not meet, as the joints write them:
 *                     a_k . (pB - pA) = 0             position along axis k of A
 *                     a_k . b_z = 0                   axis z of B across axis k of A
 *                     (a_l . b_j - a_j . b_l)/2 = 0   relative rotation, j l cyclic
 *                     a_z . n - c = 0                 angle between the axes of a universal joint
 *                     (d . d - L^2)/(2 L) = 0         distance, d = pB - pA
 *   loops           all others, through the loop face of the joint: screws, general joints, joints
 *                   that events switch, prescribed and locked coordinates
 */
#include "machines/points/build.h"

/* adds a form to the group; returns its number */
static int32_t add_lin(points_rows *R, const points_lin *l) {
  R->lin[R->nlin] = *l;
  return R->nlin++;
}

/* adds the row w (a . b) - c of the forms a, b */
static hk_points_row *add_row(points_rows *R, double w, int32_t a, int32_t b, double c) {
  hk_points_row *row = &R->row[R->nrow++];
  *row = (hk_points_row){.nterm = 1, .w = {w, 0}, .a = {a, 0}, .b = {b, 0}, .c = c};
  return row;
}

/* blk: blocks of all forms, ascending, without repetition; returns their number */
static int32_t gather(const points_rows *R, int32_t *blk) {
  int32_t n = 0;
  for (int32_t l = 0; l < R->nlin; l++)
    for (int32_t i = 0; i < R->lin[l].n; i++) {
      int32_t x = R->lin[l].blk[i], at = n;
      while (at > 0 && blk[at - 1] > x) at--;
      if (at > 0 && blk[at - 1] == x) continue;
      memmove(blk + at + 1, blk + at, (size_t)(n - at) * sizeof *blk);
      blk[at] = x;
      n++;
    }
  return n;
}

/* drops rows between constants */
static void drop_fixed(points_rows *R) {
  int32_t kept = 0;
  for (int32_t i = 0; i < R->nrow; i++) {
    bool moves = false;
    for (int32_t t = 0; t < R->row[i].nterm; t++)
      moves |= R->lin[R->row[i].a[t]].n || R->lin[R->row[i].b[t]].n;
    if (moves) R->row[kept++] = R->row[i];
  }
  R->nrow = kept;
}

/* memory that stays with the machine */
static void *keep(points_build *B, int32_t count, size_t size) {
  void *p = hki_pool_alloc(B->n->pool, (size_t)(count + 1) * size);
  if (!p) B->status = HK_E_MEMORY;
  return p;
}

/* appends an empty line for a new row */
static hk_points_line *new_line(points_build *B) {
  if (!HK_GROW(B->ctx, B->n->line, B->cap_line, B->n->nrows + 1)) {
    B->status = HK_E_MEMORY;
    return NULL;
  }
  hk_points_line *l = &B->n->line[B->n->nrows++];
  *l = (hk_points_line){0};
  return l;
}

/* factor of a form at block number blk of the group (planar: complex) */
static const double *factor(const hk_points *n, const hk_points_quadratic *q, int32_t form,
                            int32_t blk) {
  return q->coef + (form * q->nblk + blk) * (n->planar ? 2 : 1);
}

static bool moves(const hk_points *n, const hk_points_quadratic *q, int32_t form, int32_t blk) {
  const double *c = factor(n, q, form, blk);
  return c[0] != 0.0 || (n->planar && c[1] != 0.0);
}

static bool is_constant(const hk_points *n, const hk_points_quadratic *q, int32_t form) {
  for (int32_t i = 0; i < q->nblk; i++)
    if (moves(n, q, form, i)) return false;
  return true;
}

/* constant gradient of a linear row: its nonzeros */
static void linear_line(points_build *B, const hk_points_quadratic *q, const hk_points_row *row,
                        int32_t *idx, hk_points_line *l) {
  double val[HK_POINTS_LINS][3] = {{0}}, *g = keep(B, B->n->d * row->nblk, sizeof *g);
  const int32_t d = B->n->d;
  int32_t kept = 0;
  l->g = g;
  if (!g) return;
  for (int32_t i = 0; i < q->nlin; i++) memcpy(val[i], q->k + i * d, (size_t)d * sizeof **val);
  hki_points_row_gradient(B->n, q, row, val, g);
  for (int32_t i = 0; i < l->n; i++) {
    if (g[i] == 0.0) continue;
    g[kept] = g[i];
    idx[kept++] = idx[i];
  }
  l->n = kept;
}

/* row->at and the line of a row: the blocks and coordinates that move it */
static void make_line(points_build *B, const hk_points_quadratic *q, hk_points_row *row) {
  hk_points *n = B->n;
  int32_t *at = keep(B, q->nblk, sizeof *at), *idx = keep(B, n->d * q->nblk, sizeof *idx);
  hk_points_line *l = new_line(B);
  if (!at || !idx || !l) return;
  row->at = at;
  l->idx = idx;
  l->linear = true;
  for (int32_t t = 0; t < row->nterm; t++)
    l->linear &= is_constant(n, q, row->a[t]) || is_constant(n, q, row->b[t]);
  for (int32_t i = 0; i < q->nblk; i++) {
    bool any = false;
    for (int32_t t = 0; t < row->nterm; t++)
      any |= moves(n, q, row->a[t], i) || moves(n, q, row->b[t], i);
    if (!any) continue;
    at[row->nblk++] = i;
    for (int32_t j = 0; j < n->d; j++) idx[l->n++] = n->d * q->blk[i] + j;
  }
  if (l->linear)
    linear_line(B, q, row, idx, l);
  else
    l->g = keep(B, l->n, sizeof *l->g);
}

/* coef and k of a group from its forms */
static void fill_forms(const hk_points *n, const points_rows *R, const hk_points_quadratic *q,
                       double *coef, double *k) {
  const int32_t cw = n->planar ? 2 : 1;
  for (int32_t l = 0; l < R->nlin; l++) {
    memcpy(k + l * n->d, R->lin[l].k, (size_t)n->d * sizeof *k);
    for (int32_t i = 0; i < R->lin[l].n; i++) {
      int32_t at = 0;
      while (q->blk[at] != R->lin[l].blk[i]) at++;
      memcpy(coef + (l * q->nblk + at) * cw, R->lin[l].c[i], (size_t)cw * sizeof *coef);
    }
  }
}

/* the forms and rows in R become a quadratic group of the machine */
static void emit(points_build *B, points_rows *R) {
  hk_points *n = B->n;
  int32_t list[HK_POINTS_LINS * HK_POINTS_LIN];
  drop_fixed(R);
  if (!R->nrow || B->status != HK_OK) return;
  if (!HK_GROW(B->ctx, n->quad, B->cap_quad, n->nquad + 1)) {
    B->status = HK_E_MEMORY;
    return;
  }
  hk_points_quadratic *q = &n->quad[n->nquad++];
  int32_t nblk = gather(R, list), *blk = keep(B, nblk, sizeof *blk);
  double *coef = keep(B, 2 * R->nlin * nblk, sizeof *coef);
  double *k = keep(B, R->nlin * n->d, sizeof *k);
  *q = (hk_points_quadratic){.nblk = nblk, .blk = blk, .row0 = n->nrows, .nlin = R->nlin};
  q->row = keep(B, R->nrow, sizeof *q->row);
  q->coef = coef, q->k = k;
  if (!blk || !coef || !k || !q->row) return;
  memcpy(blk, list, (size_t)nblk * sizeof *blk);
  fill_forms(n, R, q, coef, k);
  for (int32_t i = 0; i < R->nrow && B->status == HK_OK; i++) {
    q->row[q->nrows] = R->row[i];
    make_line(B, q, &q->row[q->nrows++]);
  }
}

/* --- within a body ---------------------------------------------------------------------------- */

/* d_i . d_j = const for the carriers' directions of body b */
static void rigid_rows(points_build *B, int32_t b) {
  const points_basis *bs = &B->basis[b];
  points_rows R = {0};
  points_lin l;
  for (int32_t j = 1; j < bs->n; j++) {
    hki_points_carrier_direction(B->n, bs, j, &l);
    add_lin(&R, &l);
    for (int32_t i = 1; i <= j; i++) {
      const points_carrier *c = &bs->at[j];
      double zi[3], zj[3], len;
      hki_points_local(B->n, bs->dir[i - 1], zi);
      hki_points_local(B->n, bs->dir[j - 1], zj);
      len = B->n->planar ? zi[0] * zj[0] + zi[1] * zj[1] : v3_dot(zi, zj);
      if (i == j && c->vector && c->element != HK_NONE) {
        points_element *el = &B->element[c->element];
        bool said = el->unit || el->fate == POINTS_FORM;
        el->unit = true;
        if (said) continue;
      }
      add_row(&R, 1.0, i - 1, j - 1, len);
    }
  }
  emit(B, &R);
}

/* --- ties ------------------------------------------------------------------------------------- */

static bool carries(const points_basis *bs, int32_t element) {
  for (int32_t j = 0; j < bs->n; j++)
    if (bs->at[j].element == element) return true;
  return false;
}

/* linear rows between body b and the elements in list `head` that do not carry it */
static void ties(points_build *B, int32_t b, int32_t head) {
  const hk_points *n = B->n;
  for (int32_t i = head; i != HK_NONE; i = B->inc[i].next_at_owner) {
    int32_t e = hki_points_find_element(B, B->inc[i].element);
    points_element *el = &B->element[e];
    if (el->fate == POINTS_OPEN || el->host == b || carries(&B->basis[b], e)) continue;
    points_rows R = {0};
    points_lin l, place;
    if (el->vector)
      hki_lin_direction(n, b, B->inc[i].x, &place);
    else
      hki_lin_point(n, b, B->inc[i].x, &place);
    hki_lin_zero(&l);
    hki_lin_add(n, &l, 1.0, 0.0, el->form);
    hki_lin_add(n, &l, -1.0, 0.0, &place);
    add_lin(&R, &l);
    for (int k = 0; k < n->d; k++) {
      hki_lin_zero(&l);
      l.k[k] = 1.0;
      add_row(&R, 1.0, 0, add_lin(&R, &l), 0.0);
    }
    if (el->vector) el->unit = true;
    emit(B, &R);
  }
}

/* --- joints ----------------------------------------------------------------------------------- */

/* forms in the rows of a joint: axes of marker A (3), of marker B (3), d = pB - pA, axis n of a
 * universal joint on B */
enum { FORM_A, FORM_B = 3, FORM_D = 6, FORM_N, FORM_COUNT };

/* number in R of a form, which is made when first asked for; at[FORM_COUNT]: numbers so far */
static int32_t joint_form(const hk_points *n, const points_item *it, int what, points_rows *R,
                          int32_t *at) {
  points_lin l, m;
  double x[3];
  if (at[what] != HK_NONE) return at[what];
  if (what == FORM_D) {
    hki_lin_point(n, it->body[1], it->marker[1]->p, &l);
    hki_lin_point(n, it->body[0], it->marker[0]->p, &m);
    hki_lin_add(n, &l, -1.0, 0.0, &m);
  } else if (what == FORM_N) {
    const double axis2[3] = {it->num[0], 0.0, it->num[1]};
    m3_mulv(x, it->marker[1]->R, axis2);
    hki_lin_direction(n, it->body[1], x, &l);
  } else {
    int side = what >= FORM_B;
    m3_column(x, it->marker[side]->R, what - (side ? FORM_B : FORM_A));
    hki_lin_direction(n, it->body[side], x, &l);
  }
  return at[what] = add_lin(R, &l);
}

/* adds a row of this kind to R; false: it is not quadratic in the coordinates */
static bool quadratic(const hk_points *n, const points_item *it, uint8_t kind, points_rows *R,
                      int32_t *at) {
  if (kind <= HK_S_Z) {
    int32_t a = joint_form(n, it, FORM_A + kind - HK_S_X, R, at);
    add_row(R, 1.0, a, joint_form(n, it, FORM_D, R, at), 0.0);
  } else if (kind == HK_S_XZ || kind == HK_S_YZ) {
    int32_t a = joint_form(n, it, FORM_A + kind - HK_S_XZ, R, at);
    add_row(R, 1.0, a, joint_form(n, it, FORM_B + 2, R, at), 0.0);
  } else if (kind >= HK_S_RX && kind <= HK_S_RZ) {
    int j = (kind - HK_S_RX + 1) % 3, l = (kind - HK_S_RX + 2) % 3;
    int32_t al = joint_form(n, it, FORM_A + l, R, at), bj = joint_form(n, it, FORM_B + j, R, at);
    int32_t aj = joint_form(n, it, FORM_A + j, R, at), bl = joint_form(n, it, FORM_B + l, R, at);
    hk_points_row *row = add_row(R, 0.5, al, bj, 0.0);
    row->nterm = 2;
    row->w[1] = -0.5, row->a[1] = aj, row->b[1] = bl;
  } else if (kind == HK_S_AXIS2) {
    int32_t a = joint_form(n, it, FORM_A + 2, R, at);
    add_row(R, 1.0, a, joint_form(n, it, FORM_N, R, at), it->num[1]);
  } else if (kind == HK_S_DISTANCE && it->num[0] > 0.0) {
    int32_t d = joint_form(n, it, FORM_D, R, at);
    add_row(R, 0.5 / it->num[0], d, d, 0.5 * it->num[0]);
  } else {
    return false;
  }
  return true;
}

/* blk: blocks of two bodies, without repetition; returns their number */
static int32_t both(const hk_points *n, const int32_t *body, int32_t *blk) {
  points_lin all;
  hki_lin_zero(&all);
  for (int s = 0; s < 2; s++)
    for (int32_t i = 0; body[s] != HK_GROUND && i < n->map[body[s]].nblk; i++)
      hki_lin_block(&all, n->map[body[s]].blk[i], 1.0, 0.0);
  memcpy(blk, all.blk, (size_t)all.n * sizeof *blk);
  return all.n;
}

/* a new loop of nrows rows over the nblk blocks of a list, with their lines */
static hk_points_loop *new_loop_over(points_build *B, const int32_t *body, const int32_t *list,
                                     int32_t nblk, int32_t nrows) {
  hk_points *n = B->n;
  if (!HK_GROW(B->ctx, n->loop, B->cap_loop, n->nloop + 1)) {
    B->status = HK_E_MEMORY;
    return NULL;
  }
  hk_points_loop *l = &n->loop[n->nloop++];
  *l = (hk_points_loop){.row0 = n->nrows, .closure = HK_NONE, .scalar = HK_NONE};
  l->body[0] = body[0], l->body[1] = body[1];
  int32_t *blk = keep(B, nblk, sizeof *blk);
  int32_t *idx = keep(B, n->d * nblk, sizeof *idx);
  l->q = (hk_points_clique){.nblk = nblk, .blk = blk, .n = n->d * nblk, .nrows = nrows};
  l->q.g = keep(B, nrows * l->q.n, sizeof *l->q.g);
  if (!blk || !idx || !l->q.g) return NULL;
  for (int32_t i = 0; i < nblk; i++) {
    blk[i] = list[i];
    for (int32_t j = 0; j < n->d; j++) idx[n->d * i + j] = n->d * list[i] + j;
  }
  for (int32_t r = 0; r < nrows; r++) {
    hk_points_line *line = new_line(B);
    if (!line) return NULL;
    *line = (hk_points_line){.n = l->q.n, .idx = idx, .g = l->q.g + r * l->q.n};
  }
  return l;
}

/* the same between two bodies */
static hk_points_loop *new_loop(points_build *B, const int32_t *body, int32_t nrows) {
  int32_t list[HK_POINTS_LIN];
  const int32_t nblk = both(B->n, body, list);
  return new_loop_over(B, body, list, nblk, nrows);
}

/* rows of a joint that sharing does not meet: quadratic ones in a group, the rest in a loop */
static void joint_rows(points_build *B, points_item *it) {
  points_rows R = {0};
  int32_t at[FORM_COUNT], nleft = 0;
  uint8_t left[6] = {0};
  for (int i = 0; i < FORM_COUNT; i++) at[i] = HK_NONE;
  for (int32_t r = 0; r < it->nrows; r++) {
    if (!it->left[r]) continue;
    if (!it->permanent || !quadratic(B->n, it, it->kind[r], &R, at)) left[nleft++] = it->rows[r];
  }
  emit(B, &R);
  if (!nleft || B->status != HK_OK) return;
  hk_points_loop *l = new_loop(B, it->body, nleft);
  if (!l) return;
  l->closure = it->closure;
  l->ops = it->ops;
  l->par = it->par;
  for (int s = 0; s < 2; s++) l->marker[s] = it->marker[s];
  memcpy(l->rows, left, sizeof left);
}

/* row of a prescribed or locked coordinate */
static void coordinate_row(points_build *B, int32_t ci) {
  const hk_closure *c = &B->m->closures[ci];
  const hk_scalar *s = &B->m->scalars[c->scalar];
  const hk_model_joint *j = &B->m->joints[s->joint];
  int32_t body[2] = {j->mbody[0], j->mbody[1]};
  hk_points_loop *l = new_loop(B, body, 1);
  if (!l) return;
  l->closure = ci;
  l->scalar = c->scalar;
}

/* row of a coupling, over the blocks of all bodies whose joints it relates */
static void coupling_row(points_build *B, int32_t ci) {
  const hk_coupling *of = B->m->closures[ci].coupling;
  const hk_points *n = B->n;
  const int32_t ground[2] = {HK_GROUND, HK_GROUND};
  uint8_t *in = hki_pool_alloc(B->pool, (size_t)n->nblk + 1);
  int32_t *list = hki_pool_alloc(B->pool, (size_t)(n->nblk + 1) * sizeof *list), nblk = 0;
  if (!in || !list) {
    B->status = HK_E_MEMORY;
    return;
  }
  for (int32_t k = 0; k < of->n; k++)
    for (int s = 0; s < 2; s++) {
      const int32_t b = B->m->joints[B->m->scalars[of->arg[k].scalar].joint].mbody[s];
      for (int32_t i = 0; b != HK_GROUND && i < n->map[b].nblk; i++) in[n->map[b].blk[i]] = 1;
    }
  for (int32_t i = 0; i < n->nblk; i++)
    if (in[i]) list[nblk++] = i;
  hk_points_loop *l = new_loop_over(B, ground, list, nblk, 1);
  if (!l) return;
  l->closure = ci;
  l->coupling = of;
}

void hki_points_make_rows(points_build *B) {
  const hk_model *m = B->m;
  for (int32_t b = 0; b < m->nb && B->status == HK_OK; b++) {
    int32_t root = hki_points_find_orient(B, b);
    ties(B, b, B->points[b]);
    if (root != m->nb && B->leader[root] == b) ties(B, b, B->vectors[root]);
  }
  for (int32_t b = 0; b < m->nb && B->status == HK_OK; b++) rigid_rows(B, b);
  for (int32_t i = 0; i < B->nitems && B->status == HK_OK; i++) joint_rows(B, &B->items[i]);
  for (int32_t c = 0; c < m->nc && B->status == HK_OK; c++)
    if (m->closures[c].kind == HK_CLOSURE_COORD)
      coordinate_row(B, c);
    else if (m->closures[c].coupling)
      coupling_row(B, c);
}
