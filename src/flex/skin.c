/* SPDX-License-Identifier: Apache-2.0
 *
 * skin.c: the surface of a mesh: faces that two solids share lie inside.
 */
#include <stdlib.h>
#include <string.h>

#include "flex/fe.h"

/* corners in ascending order: the same for both sides of a face */
static void key(const int32_t *face, int32_t *k) {
  memcpy(k, face, 4 * sizeof *k);
  for (int i = 1; i < 4; i++)
    for (int j = i; j > 0 && k[j] < k[j - 1]; j--) {
      const int32_t x = k[j];
      k[j] = k[j - 1], k[j - 1] = x;
    }
}

static int compare(const void *a, const void *b) {
  int32_t ka[4], kb[4];
  key(a, ka), key(b, kb);
  for (int i = 0; i < 4; i++)
    if (ka[i] != kb[i]) return ka[i] < kb[i] ? -1 : 1;
  return 0;
}

/* all faces of all elements; their number */
static int32_t faces(const hk_fe *fe, int32_t (*out)[4]) {
  int32_t n = 0;
  for (int32_t i = 0; i < fe->nelement; i++) {
    const hk_fe_element *e = &fe->element[i];
    for (int32_t f = 0; f < e->type->nface; f++, n++)
      for (int k = 0; out && k < 4; k++)
        out[n][k] = e->type->face[f][k] < 0 ? -1 : fe->corner[e->at + e->type->face[f][k]];
  }
  return n;
}

hk_status hki_fe_skin(hk_ctx *ctx, hk_pool *pool, hk_fe *fe) {
  const int32_t n = faces(fe, NULL);
  int32_t(*face)[4] = hki_alloc(ctx, ((size_t)n + 1) * sizeof *face);
  fe->triangle = hki_pool_alloc(pool, ((size_t)n + 1) * 6 * sizeof *fe->triangle);
  fe->ntriangle = 0;
  const bool ok = face && fe->triangle;
  if (ok && n) {
    faces(fe, face);
    qsort(face, (size_t)n, sizeof *face, compare);
  }
  for (int32_t i = 0, next; ok && i < n; i = next) {
    for (next = i + 1; next < n && compare(face[i], face[next]) == 0;) next++;
    if (next > i + 1) continue;
    const int32_t *f = face[i];
    int32_t *out = fe->triangle + 3 * (ptrdiff_t)fe->ntriangle;
    out[0] = f[0], out[1] = f[1], out[2] = f[2];
    if (f[3] >= 0) out[3] = f[0], out[4] = f[2], out[5] = f[3];
    fe->ntriangle += 1 + (f[3] >= 0);
  }
  hki_free(ctx, face);
  return ok ? HK_OK : HK_E_MEMORY;
}
