/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4.c: which closures go four at a time, and their passes for any processor (rows4.h).
 */
#include "joints/pair.h"
#include "kinematics/rows4.h"

#include "geometry/four.h"
#include "kinematics/rows4_ends.h"
#include "kinematics/rows4_body.h"

const hk_rows4_passes hki_rows4_any = {eval4, bias4, times4, add4, squares4};

/* so far behind a closure others like it are looked for */
enum { REACH = 256 };

int32_t hki_rows4_most(const hk_model *m) { return m->nc / 4; }

/* a point or distance whose markers no event moves, and with nothing stored */
static bool suits(const hk_kin *k, int32_t ci) {
  const hk_closure *c = &k->m->closures[ci];
  return k->point[ci] != HK_POINT_NONE && c->remark == HK_NONE && c->lock == HK_NONE;
}

static bool alike(const hk_kin *k, int32_t i, int32_t j) {
  const hk_closure *a = &k->m->closures[i], *b = &k->m->closures[j];
  if (k->point[i] != k->point[j] || a->nrows != b->nrows || a->path.n != b->path.n) return false;
  if (k->gruns[i].first != k->gruns[j].first) return false;
  for (int s = 0; s < 2; s++)
    if ((a->body[s] == HK_GROUND) != (b->body[s] == HK_GROUND)) return false;
  for (int32_t r = 0; k->point[i] == HK_POINT_AXES && r < a->nrows; r++)
    if (a->ops->rows[a->rows[r]] != b->ops->rows[b->rows[r]]) return false;
  return true;
}

/* directions of the rows of lane i */
static void fill_axes(hk_rows4 *q, const hk_closure *c, int i) {
  const double *R = c->marker[0].R;
  q->parallel = q->parallel && R[0] == 1.0 && R[4] == 1.0 && R[8] == 1.0;
  for (int32_t r = 0; r < c->nrows; r++) {
    q->axis[r] = (int32_t)c->ops->rows[c->rows[r]] - (int32_t)HK_S_X;
    for (int x = 0; x < 3; x++) q->along[r][x][i] = R[3 * x + q->axis[r]];
  }
}

/* the group whose bodies these are, in their order; -1: none */
static int32_t quad_of(const hk_model *m, const int32_t *body) {
  const int32_t quad = body[0] == HK_GROUND ? -1 : m->quad_of[body[0]];
  for (int c = 0; quad >= 0 && c < 4; c++)
    if (m->quad[quad].body[c] != body[c]) return -1;
  return quad;
}

/* columns [j, last) of one side, the last first, with the bodies from the end of the path up */
static void side_columns(const hk_model *m, hk_rows4 *q, int32_t body, int32_t j, int32_t last) {
  for (; body != HK_GROUND && last > j; body = m->bodies[body].parent) {
    const int32_t v0 = m->bodies[body].v0, end = v0 + m->bodies[body].nv, quad = m->quad_of[body];
    for (; last > j && q->dof[4 * (last - 1)] >= v0 && q->dof[4 * (last - 1)] < end; last--) {
      const int32_t *dof = q->dof + 4 * (last - 1), at = dof[0] - v0;
      bool all = quad >= 0;
      for (int c = 0; all && c < 4; c++) all = dof[c] - m->bodies[m->quad[quad].body[c]].v0 == at;
      q->column[last - 1] = all ? 3 * quad + at : -1;
    }
  }
}

void hki_rows4_lanes(const hk_kin *k, hk_rows4 *q) {
  q->column = q->dof + 4 * q->n;
  for (int32_t j = 0; j < q->n; j++) q->column[j] = -1;
  for (int s = 0; s < 2; s++) q->quad[s] = quad_of(k->m, q->body[s]);
  side_columns(k->m, q, q->body[0][0], 0, q->first);
  side_columns(k->m, q, q->body[1][0], q->first, q->n);
}

static void fill(hk_kin *k, hk_rows4 *q, const int32_t *like, int32_t g) {
  const hk_closure *c = &k->m->closures[like[0]];
  q->nrows = c->nrows, q->n = c->path.n, q->first = k->gruns[like[0]].first, q->g = g;
  q->distance = k->point[like[0]] == HK_POINT_DISTANCE;
  q->one[0] = q->one[1] = q->parallel = true;
  for (int i = 0; i < 4; i++) {
    c = &k->m->closures[like[i]];
    q->closure[i] = like[i], q->row0[i] = c->row0;
    if (q->distance)
      q->length[i] = *(const double *)c->par;
    else
      fill_axes(q, c, i);
    for (int32_t j = 0; j < q->n; j++) q->dof[4 * j + i] = c->path.dof[j];
    for (int s = 0; s < 2; s++) {
      q->body[s][i] = c->body[s];
      q->one[s] = q->one[s] && c->body[s] == q->body[s][0];
      for (int x = 0; x < 3; x++) q->on[s][x][i] = c->marker[s].p[x];
    }
  }
}

int32_t hki_rows4_find(hk_kin *k, int32_t g) {
  const int32_t nc = k->m->nc;
  int32_t *dof = k->rows4_dof, groups = 0;
  // until all groups are known, cturn[i] is that of closure i, or `later`: it follows the first of its group
  const int32_t later = nc;
  for (int32_t i = 0; i < nc; i++) k->cturn[i] = i;
  for (int32_t i = 0; i < nc; i++) {
    int32_t like[4], n = 0;
    if (k->cturn[i] == later || !suits(k, i)) continue;
    for (int32_t j = i; j < nc && j < i + REACH && n < 4; j++)
      if (k->cturn[j] == j && suits(k, j) && alike(k, i, j)) like[n++] = j;
    if (n < 4) continue;
    hk_rows4 *q = &k->rows4[groups];
    q->dof = dof, dof += 5 * k->m->closures[i].path.n;
    fill(k, q, like, g);
    hki_rows4_lanes(k, q);
    g += 4 * q->nrows * q->n;
    for (int c = 0; c < 4; c++) k->cturn[like[c]] = c ? later : ~groups;
    groups++;
  }
  k->ncturn = 0;
  for (int32_t i = 0; i < nc; i++)
    if (k->cturn[i] != later) k->cturn[k->ncturn++] = k->cturn[i];
  k->rows4_passes = hki_rows4_wide() ? hki_rows4_wide() : &hki_rows4_any;
  return g;
}

void hki_rows4_pack(hk_kin *k, const hk_rows4 *q) {
  double *g = k->gz + q->g;
  for (int c = 0; c < 4; c++) {
    const double *from = k->gz + k->gz0[q->closure[c]];
    for (int32_t i = 0; i < q->nrows * q->n; i++) g[4 * i + c] = from[i];
  }
}
