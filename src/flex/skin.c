/* SPDX-License-Identifier: Apache-2.0
 *
 * skin.c: faces of a mesh. Those that two solids share lie inside, the others are its surface. Two solids look at a face that they
 * share from both sides: the corners, which stand anticlockwise when seen from outside, have opposite orders. Where they
 * have the same, one solid lies in the other: the mesh is folded over.
 */
#include <stdlib.h>
#include <string.h>

#include "flex/fe.h"

typedef struct face {
  int32_t node[4]; /* the last is -1: a triangle */
  int32_t element;
} face;

/* corners in ascending order: the same for both sides of a face */
static void key(const face *f, int32_t *k) {
  memcpy(k, f->node, 4 * sizeof *k);
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && k[j] < k[j - 1]; j--) {
      const int32_t x = k[j];
      k[j] = k[j - 1], k[j - 1] = x;
    }
}

static int compare_nodes(const face *a, const face *b) {
  int32_t ka[4], kb[4];
  key(a, ka), key(b, kb);
  for (int i = 0; i < 4; i++)
    if (ka[i] != kb[i]) return ka[i] < kb[i] ? -1 : 1;
  return 0;
}

static int compare(const void *a, const void *b) {
  const face *x = a, *y = b;
  const int order = compare_nodes(x, y);
  return order ? order : (x->element > y->element) - (x->element < y->element);
}

/* all faces of all elements, or only of solids; their number */
static int32_t faces(const hk_fe *fe, bool solids, face *out) {
  int32_t n = 0;
  for (int32_t i = 0; i < fe->nelement; i++) {
    const hk_fe_element *e = &fe->element[i];
    if (solids && !e->type->solid) continue;
    for (int32_t f = 0; f < e->type->nface; f++, n++)
      for (int k = 0; out && k < 4; k++) {
        out[n].element = i;
        out[n].node[k] = e->type->face[f][k] < 0 ? -1 : fe->corner[e->at + e->type->face[f][k]];
      }
  }
  return n;
}

/* faces with those of the same nodes beside each other; NULL: no memory */
static face *sorted(hk_ctx *ctx, const hk_fe *fe, bool solids, int32_t *n) {
  *n = faces(fe, solids, NULL);
  face *f = hki_alloc(ctx, ((size_t)*n + 1) * sizeof *f);
  if (!f) return NULL;
  faces(fe, solids, f);
  qsort(f, (size_t)*n, sizeof *f, compare);
  return f;
}

hk_status hki_fe_skin(hk_ctx *ctx, hk_pool *pool, hk_fe *fe) {
  int32_t n;
  face *all = sorted(ctx, fe, false, &n);
  fe->triangle = hki_pool_alloc(pool, ((size_t)n + 1) * 6 * sizeof *fe->triangle);
  fe->ntriangle = 0;
  const bool ok = all && fe->triangle;
  for (int32_t i = 0, next; ok && i < n; i = next) {
    for (next = i + 1; next < n && compare_nodes(&all[i], &all[next]) == 0;) next++;
    if (next > i + 1) continue;
    const int32_t *f = all[i].node;
    int32_t *out = fe->triangle + 3 * (ptrdiff_t)fe->ntriangle;
    out[0] = f[0], out[1] = f[1], out[2] = f[2];
    if (f[3] >= 0) out[3] = f[0], out[4] = f[2], out[5] = f[3];
    fe->ntriangle += 1 + (f[3] >= 0);
  }
  hki_free(ctx, all);
  return ok ? HK_OK : HK_E_MEMORY;
}

/* Do the corners of two faces with the same nodes stand in opposite orders? */
static bool opposite(const face *a, const face *b) {
  const int n = a->node[3] < 0 ? 3 : 4;
  int at = 0;
  while (at < n && b->node[at] != a->node[0]) at++;
  for (int k = 0; k < n; k++)
    if (a->node[k] != b->node[(at - k + n) % n]) return false;
  return true;
}

hk_status hki_fe_unfolded(hk_ctx *ctx, const hk_fe *fe) {
  int32_t n;
  hk_status st = HK_OK;
  face *all = sorted(ctx, fe, true, &n);
  if (!all) return HK_E_MEMORY;
  for (int32_t i = 0; i + 1 < n && st == HK_OK; i++) {
    if (compare_nodes(&all[i], &all[i + 1]) != 0) continue;
    const hk_fe_element *a = &fe->element[all[i].element], *b = &fe->element[all[i + 1].element];
    const hk_loc loc = {fe->file, b->line, 1};
    if (!opposite(&all[i], &all[i + 1]))
      st = hki_error(ctx, HK_E_MODEL, loc, "mend the mesh there",
                     "element %d lies in element %d: the mesh is folded at the face that both have",
                     (int)b->label, (int)a->label);
    else if (i + 2 < n && compare_nodes(&all[i], &all[i + 2]) == 0)
      st = hki_error(ctx, HK_E_MODEL, loc, "mend the mesh there",
                     "elements %d, %d and %d have one face: the mesh is folded there",
                     (int)a->label, (int)b->label, (int)fe->element[all[i + 2].element].label);
  }
  hki_free(ctx, all);
  return st;
}
