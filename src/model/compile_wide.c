/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_wide.c: elements on several markers: bodies, markers, and the coordinates that move them.
 */
#include "model/work.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* dof (NULL: count only): velocities of a body and those above it; returns their number */
static int32_t chain(const hk_model *m, int32_t body, int32_t *dof) {
  int32_t n = 0;
  for (; body != HK_GROUND; body = m->bodies[body].parent)
    for (int32_t k = 0; k < m->bodies[body].nv; k++, n++)
      if (dof) dof[n] = m->bodies[body].v0 + k;
  return n;
}

/* dof, at0, at of an element whose bodies are known */
static bool coordinates(hk_work *w, hk_model_wide *e) {
  const hk_model *m = w->m;
  int32_t all = 0, n = 0;
  for (int32_t i = 0; i < e->nmark; i++) all += chain(m, e->body[i], NULL);
  int32_t *dof = HK_KEEP(w, int32_t, all + 1), *at = HK_KEEP(w, int32_t, all + 1);
  int32_t *at0 = HK_KEEP(w, int32_t, e->nmark + 1);
  if (!dof || !at || !at0) return false;
  for (int32_t i = 0; i < e->nmark; i++) {
    at0[i] = n;
    n += chain(m, e->body[i], at + n);
  }
  at0[e->nmark] = n;
  memcpy(dof, at, (size_t)n * sizeof *dof);
  qsort(dof, (size_t)n, sizeof *dof, compare);
  for (int32_t i = 0; i < n; i++)
    if (!e->ndof || dof[e->ndof - 1] != dof[i]) dof[e->ndof++] = dof[i];
  for (int32_t i = 0; i < n; i++) {
    const int32_t *p = bsearch(&at[i], dof, (size_t)e->ndof, sizeof *dof, compare);
    at[i] = (int32_t)(p - dof);
  }
  e->dof = dof, e->at0 = at0, e->at = at;
  return true;
}

static bool fill(hk_work *w, int32_t i, hk_model_wide *e) {
  const hk_spec_wide *s = &w->spec->wide[i];
  int32_t *body = HK_KEEP(w, int32_t, s->nmark);
  hk_offset *marker = HK_KEEP(w, hk_offset, s->nmark);
  if (!body || !marker) return false;
  for (int32_t k = 0; k < s->nmark; k++) {
    body[k] = hki_work_body(w->m, s->body[k]);
    hki_work_offset(w->m, body[k], &s->marker[k], &marker[k]);
  }
  *e = (hk_model_wide){.spec = i,
                       .ops = s->ops,
                       .par = s->par,
                       .nmark = s->nmark,
                       .body = body,
                       .marker = marker,
                       .y0 = w->m->wide_ny,
                       .force = s->acts_for - 1};
  return coordinates(w, e);
}

/* it acts for a force, whose inputs must not read channels: no machine has their slopes */
static bool act(const hk_work *w, int32_t i, const hk_model_wide *e) {
  hk_model_force *f = &w->m->forces[e->force];
  f->wide = i;
  if (!f->u_state) return true;
  hki_error(w->ctx, HK_E_MODEL, w->spec->forces[f->spec].loc,
            "a signal of time; between two points or pulleys a rope or the span of a belt takes "
            "others too",
            "an input of '%s' reads channels: it must follow time and events alone",
            w->spec->forces[f->spec].name);
  return false;
}

/* Rows of the coordinates of an element with inertia in its matrices. Its first body floats, the others
 * move along the x axis of the world. */
static bool find_rows(hk_work *w, hk_model_wide *e) {
  const hk_model *m = w->m;
  int32_t *row = HK_KEEP(w, int32_t, e->ndof + 1);
  bool good = row && e->ndof == e->nmark + 5;
  for (int32_t k = 0; good && k < e->nmark; k++) {
    const hk_model_body *b = &m->bodies[e->body[k]];
    good = b->parent == HK_GROUND &&
           (k ? b->ops->caps & HK_JOINT_TRANSLATION_Z : b->ops->caps & HK_JOINT_UNBOUND);
    for (int32_t a = e->at0[k]; good && a < e->at0[k + 1]; a++) {
      const int32_t j = e->dof[e->at[a]] - b->v0; // translations first, then rotations
      row[e->at[a]] = k ? 6 * k + 3 : (j + 3) % 6;
    }
  }
  e->row = row;
  if (!good && row)
    hki_error(w->ctx, HK_E_MODEL, w->spec->wide[e->spec].loc, "joints attach at its interfaces",
              "a joint leads to '%s' itself", w->spec->wide[e->spec].name);
  return good;
}

bool hki_work_wide(hk_work *w) {
  hk_model *m = w->m;
  m->nwide = w->spec->nwide;
  m->wide = HK_KEEP(w, hk_model_wide, m->nwide);
  for (int32_t i = 0; m->wide && i < m->nwide; i++) {
    hk_model_wide *e = &m->wide[i];
    if (!fill(w, i, e)) return false;
    if (e->force != HK_NONE && !act(w, i, e)) return false;
    if (e->ops->inertia && !find_rows(w, e)) return false;
    m->wide_inert += e->ops->inertia != NULL;
    m->wide_marks += e->nmark;
    m->wide_ny += e->ops->ny;
    if (e->nmark > m->wide_most) m->wide_most = e->nmark;
    if (e->ops->downhill) m->downhill = true;
    if (e->ndof > m->wide_dofs) m->wide_dofs = e->ndof;
  }
  return m->wide != NULL;
}
