/* SPDX-License-Identifier: Apache-2.0
 *
 * skin.c: the surface of a mesh: faces that two solids share lie inside.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "flex/deck.h"

typedef struct type {
  const char *name; /* what the type begins with */
  int32_t nodes, nface;
  int8_t face[6][4]; /* corners; -1: a triangle */
} type;

/* clang-format off */
#define TETRA {{0, 1, 2, -1}, {0, 3, 1, -1}, {1, 3, 2, -1}, {2, 3, 0, -1}}
#define BRICK {{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}
#define WEDGE {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}
static const type types[] = {
    {"C3D20", 20, 6, BRICK}, {"C3D15", 15, 5, WEDGE}, {"C3D10", 10, 4, TETRA},
    {"C3D8", 8, 6, BRICK},   {"C3D6", 6, 5, WEDGE},   {"C3D4", 4, 4, TETRA},
    {"S3", 3, 1, {{0, 1, 2, -1}}}, {"S6", 6, 1, {{0, 1, 2, -1}}}, {"S4", 4, 1, {{0, 1, 2, 3}}}, {"S8", 8, 1, {{0, 1, 2, 3}}},
};
/* clang-format on */

static const type *find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(types); i++)
    if (strncasecmp(name, types[i].name, strlen(types[i].name)) == 0) return &types[i];
  return NULL;
}

int32_t hki_skin_nodes(const char *name) {
  const type *t = find(name);
  return t ? t->nodes : 0;
}

void hki_skin_add(hk_skin *s, const char *name, const int32_t *node) {
  const type *t = find(name);
  for (int32_t i = 0; t && i < t->nface && !s->failed; i++) {
    if (s->n == INT32_MAX / 8 || !HK_GROW(s->ctx, s->face, s->cap, s->n + 1)) {
      s->failed = true;
      return;
    }
    for (int k = 0; k < 4; k++) s->face[s->n][k] = t->face[i][k] < 0 ? -1 : node[t->face[i][k]];
    s->n++;
  }
}

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

hk_status hki_skin_finish(hk_skin *s, hk_pool *pool, hk_fe *fe) {
  fe->triangle = hki_pool_alloc(pool, ((size_t)s->n + 1) * 6 * sizeof *fe->triangle);
  fe->ntriangle = 0;
  if (s->failed || !fe->triangle) return HK_E_MEMORY;
  if (s->n) qsort(s->face, (size_t)s->n, sizeof *s->face, compare);
  for (int32_t i = 0, next; i < s->n; i = next) {
    for (next = i + 1; next < s->n && compare(s->face[i], s->face[next]) == 0;) next++;
    if (next > i + 1) continue;
    const int32_t *f = s->face[i];
    int32_t *out = fe->triangle + 3 * (ptrdiff_t)fe->ntriangle;
    out[0] = f[0], out[1] = f[1], out[2] = f[2];
    if (f[3] >= 0) out[3] = f[0], out[4] = f[2], out[5] = f[3];
    fe->ntriangle += 1 + (f[3] >= 0);
  }
  return HK_OK;
}
