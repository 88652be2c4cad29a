/* SPDX-License-Identifier: Apache-2.0
 *
 * mapping.c: points of bodies, and the rows of moving least squares gathered by body.
 */
#include "mapping/mapping.h"

#include <math.h>
#include <string.h>

#include "mapping/nearest.h"

enum { TIED = 7 }; /* points that a body stands for */

/* the points of all bodies, and whose they are */
typedef struct sources {
  int32_t n;
  double *x, *origin;
  int32_t *of, *first;
} sources;

/* half the distance to the nearest other body; a lone body: its distance from the farthest point */
static double own_reach(const hk_near_tree *t, const hk_mapping_body *b, int32_t npoint,
                        const double *point) {
  hk_near near[8];
  const int32_t n = hki_near_find(t, b->p, 8, near);
  double far = 0.0, d[3];
  for (int32_t i = 0; i < n; i++)
    if (near[i].d2 > 0.0) return 0.5 * sqrt(near[i].d2);
  for (int32_t i = 0; i < npoint; i++) {
    v3_sub(d, point + 3 * i, b->p);
    far = fmax(far, v3_dot(d, d));
  }
  return far > 0.0 ? sqrt(far) : 1.0;
}

static void tie(sources *s, int32_t i, const hk_mapping_body *b, const double *d) {
  for (int32_t k = 0; k < (b->point ? 1 : TIED); k++) {
    double *x = s->x + 3 * s->n;
    const int32_t axis = k ? (k - 1) / 2 : 0;
    const double side = !k ? 0.0 : k % 2 ? d[axis] : -d[axis];
    for (int c = 0; c < 3; c++) x[c] = b->p[c] + side * b->R[3 * c + axis];
    s->of[s->n++] = i;
  }
}

static hk_status tie_all(sources *s, hk_mapping *m, const hk_mapping_body *body,
                         const double *reach, const double *point) {
  const size_t n = (size_t)m->nbody;
  hk_near_tree t = {0};
  s->origin = hki_alloc(m->ctx, (3 * n + 1) * sizeof *s->origin);
  s->first = hki_alloc(m->ctx, (n + 1) * sizeof *s->first);
  s->x = hki_alloc(m->ctx, (3 * TIED * n + 1) * sizeof *s->x);
  s->of = hki_alloc(m->ctx, (TIED * n + 1) * sizeof *s->of);
  hk_status st = s->origin && s->first && s->x && s->of ? HK_OK : HK_E_MEMORY;
  for (size_t i = 0; st == HK_OK && i < n; i++) v3_copy(s->origin + 3 * i, body[i].p);
  if (st == HK_OK) st = hki_near_init(&t, m->ctx, m->nbody, s->origin);
  for (int32_t i = 0; st == HK_OK && i < m->nbody; i++) {
    const double own = reach ? 0.0 : own_reach(&t, &body[i], m->npoint, point);
    tie(s, i, &body[i], reach ? reach : (const double[3]){own, own, own});
    s->first[i + 1] = s->n;
  }
  hki_near_free(&t, m->ctx);
  return st;
}

/* the entries of H, body by body */
static void gather(hk_mapping *m, const hk_mls *H, const sources *s, const hk_mapping_body *body) {
  int32_t n = 0;
  for (int32_t p = 0; p < m->npoint; p++) {
    m->start[p] = n;
    for (int32_t j = H->start[p]; j < H->start[p + 1]; j++) {
      const int32_t source = H->source[j], b = s->of[source];
      int32_t e = m->start[p];
      while (e < n && m->entry[e].body != b) e++;
      if (e == n) m->entry[n++] = (hk_mapping_entry){.body = b};
      double d[3];
      v3_sub(d, s->x + 3 * source, body[b].p);
      m->entry[e].w += H->value[j];
      v3_axpy(m->entry[e].o, H->value[j], d);
    }
  }
  m->start[m->npoint] = n;
}

hk_status hki_mapping_init(hk_mapping *m, hk_ctx *ctx, const hk_mls_options *opt,
                           const double *reach, int32_t nbody, const hk_mapping_body *body,
                           int32_t npoint, const double *point) {
  sources s = {0};
  hk_mls H = {.lost = -1};
  *m = (hk_mapping){.ctx = ctx, .npoint = npoint, .nbody = nbody, .lost = -1};
  hk_status st = tie_all(&s, m, body, reach, point);
  const hk_mls_sources from = {nbody, s.origin, s.first, s.x};
  if (st == HK_OK) st = hki_mls(&H, ctx, opt, &from, npoint, point);
  m->lost = H.lost, m->miss = H.miss, m->lowered = H.lowered;
  if (st == HK_OK) {
    m->point = hki_alloc(ctx, (3 * (size_t)npoint + 1) * sizeof *m->point);
    m->start = hki_alloc(ctx, ((size_t)npoint + 1) * sizeof *m->start);
    m->entry = hki_alloc(ctx, ((size_t)H.start[npoint] + 1) * sizeof *m->entry);
    st = m->point && m->start && m->entry ? HK_OK : HK_E_MEMORY;
  }
  if (st == HK_OK) {
    memcpy(m->point, point, 3 * (size_t)npoint * sizeof *point);
    gather(m, &H, &s, body);
  }
  hki_mls_free(&H, ctx);
  hki_free(ctx, s.x);
  hki_free(ctx, s.of);
  hki_free(ctx, s.origin);
  hki_free(ctx, s.first);
  return st;
}

void hki_mapping_free(hk_mapping *m) {
  hki_free(m->ctx, m->point);
  hki_free(m->ctx, m->start);
  hki_free(m->ctx, m->entry);
  m->point = NULL, m->start = NULL, m->entry = NULL;
}

void hki_mapping_move(const hk_mapping *m, const hk_mapping_motion *at, double *x, double *v) {
  for (int32_t p = 0; p < m->npoint; p++) {
    double X[3] = {0.0, 0.0, 0.0}, V[3] = {0.0, 0.0, 0.0};
    for (int32_t j = m->start[p]; j < m->start[p + 1]; j++) {
      const hk_mapping_entry *e = &m->entry[j];
      const hk_mapping_motion *b = &at[e->body];
      double r[3], u[3];
      m3_mulv(r, b->R, e->o);
      v3_axpy(X, e->w, b->p);
      v3_add(X, X, r);
      if (!v) continue;
      v3_cross(u, b->w, r);
      v3_axpy(V, e->w, b->v);
      v3_add(V, V, u);
    }
    if (x) v3_copy(x + 3 * p, X);
    if (v) v3_copy(v + 3 * p, V);
  }
}

void hki_mapping_push(const hk_mapping *m, const hk_mapping_motion *at, const double *f,
                      double *wrench) {
  for (int32_t p = 0; p < m->npoint; p++) {
    for (int32_t j = m->start[p]; j < m->start[p + 1]; j++) {
      const hk_mapping_entry *e = &m->entry[j];
      double r[3], c[3], *w = wrench + 6 * e->body;
      m3_mulv(r, at[e->body].R, e->o);
      v3_cross(c, r, f + 3 * p);
      v3_add(w, w, c);
      v3_axpy(w + 3, e->w, f + 3 * p);
    }
  }
}
