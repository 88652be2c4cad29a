/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c: interfaces as texts: NAME, NAME=SET, NAME=SET@X,Y,Z, all with or without :average. SET is the name of a set of nodes, or
 * numbers of nodes, 12,17,20-25.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flex/reduce.h"
#include "formats/csv_table.h"

static hk_status unknown_set(hk_ctx *ctx, hk_loc loc, const hk_fe *fe, const char *face,
                             const char *set) {
  hk_nearest near;
  hki_nearest_init(&near, set);
  for (int32_t i = 0; i < fe->nset; i++) hki_nearest_try(&near, fe->set[i].name);
  const char *best = hki_nearest_result(&near);
  char hint[160];
  if (best)
    snprintf(hint, sizeof hint, "did you mean '%s'?", best);
  else
    snprintf(hint, sizeof hint, "the model has %d sets of nodes", (int)fe->nset);
  return hki_error(ctx, HK_E_MODEL, loc, hint, "interface '%s': there is no set of nodes '%s'",
                   face, set);
}

static bool read_place(const char *text, double *p) {
  for (int i = 0; i < 3; i++) {
    const char *comma = strchr(text, ',');
    const size_t n = comma ? (size_t)(comma - text) : strlen(text);
    if ((i < 2) != (comma != NULL) || !hki_decimal(text, (int32_t)n, &p[i])) return false;
    text += n + 1;
  }
  return true;
}

/* nodes by their numbers, 12,17,20-25; NULL: it is not written so. *st: what is wrong with them. */
static const hk_fe_set *numbered(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                                 const char *text, hk_status *st) {
  if (text[strspn(text, "0123456789,-")] || *text < '0' || *text > '9') return NULL;
  hk_fe_set *set = hki_pool_alloc(pool, sizeof *set);
  int32_t *node = hki_pool_alloc(pool, ((size_t)fe->nnode + 1) * sizeof *node);
  *st = set && node ? HK_OK : HK_E_MEMORY;
  for (const char *s = text; *st == HK_OK && *s;) {
    char *end;
    const long from = strtol(s, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
    if (from < 0 || to < from || to >= INT32_MAX || hki_fe_find(fe, (int32_t)from) < 0 ||
        hki_fe_find(fe, (int32_t)to) < 0 || (*end && *end != ','))
      *st = hki_error(ctx, HK_E_MODEL, loc, "12,17,20-25",
                      "'%s': there is no such node, or no such range of nodes", text);
    for (int32_t k = 0; *st == HK_OK && k < fe->nnode; k++)
      if (fe->label[k] >= from && fe->label[k] <= to && set->n < fe->nnode) node[set->n++] = k;
    s = *end ? end + 1 : end;
  }
  if (*st != HK_OK) return NULL;
  set->name = text, set->node = node;
  return set;
}

static hk_status read_face(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                           const char *text, hk_plan_face *f) {
  char *name = hki_pool_strdup(pool, text), *set = NULL, *place = NULL, *how = NULL;
  if (!name) return HK_E_MEMORY;
  how = strrchr(name, ':');
  if (how) *how++ = 0;
  place = strchr(name, '@');
  if (place) *place++ = 0;
  set = strchr(name, '=');
  if (set) *set++ = 0;
  if (!set) set = name;
  f->name = name;
  f->placed = place != NULL, f->average = how != NULL;
  if (!*name || strlen(name) > 30 || (place && !read_place(place, f->p)) ||
      (how && strcmp(how, "average") != 0))
    return hki_error(ctx, hki_fe_misuse(loc), loc, "eye=nodes_of_the_eye@0.1,0,0",
                     "an interface is NAME, NAME=SET or NAME=SET@X,Y,Z, with :average behind it or "
                     "not, but it is '%s'",
                     text);
  hk_status st = HK_OK;
  f->set = hki_fe_set_find(fe, set);
  if (!f->set) f->set = numbered(ctx, loc, pool, fe, set, &st);
  if (st != HK_OK) return st;
  return f->set ? HK_OK : unknown_set(ctx, loc, fe, name, set);
}

hk_status hki_plan_faces(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe, int32_t n,
                         const char *const *texts, hk_reduce_plan *out) {
  hk_plan_face *face = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *face);
  if (!face) return HK_E_MEMORY;
  for (int32_t i = 0; i < n; i++) {
    const hk_status st = read_face(ctx, loc, pool, fe, texts[i], &face[i]);
    if (st != HK_OK) return st;
    for (int32_t k = 0; k < i; k++)
      if (strcmp(face[k].name, face[i].name) == 0)
        return hki_error(ctx, hki_fe_misuse(loc), loc, NULL, "interface '%s' is named twice",
                         face[i].name);
  }
  out->nface = n, out->face = face;
  return HK_OK;
}
