/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.c: a tree of points without pointers: the median of every range stands in its middle.
 */
#include "mapping/nearest.h"

/* the longest edge of the box around a range */
static uint8_t longest(const hk_near_tree *t, int32_t from, int32_t to) {
  double low[3], high[3];
  uint8_t axis = 0;
  for (int c = 0; c < 3; c++) low[c] = high[c] = t->x[3 * t->order[from] + c];
  for (int32_t i = from + 1; i < to; i++) {
    for (int c = 0; c < 3; c++) {
      const double v = t->x[3 * t->order[i] + c];
      low[c] = v < low[c] ? v : low[c];
      high[c] = v > high[c] ? v : high[c];
    }
  }
  for (uint8_t c = 1; c < 3; c++)
    if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
  return axis;
}

/* puts the point that belongs in the middle of a range there, smaller ones before it (quickselect) */
static void halve(const hk_near_tree *t, int32_t from, int32_t to, int32_t middle, uint8_t axis) {
  for (int32_t a = from, b = to - 1; a < b;) {
    const double pivot = t->x[3 * t->order[a + (b - a) / 2] + axis];
    int32_t i = a, j = b;
    while (i <= j) {
      while (t->x[3 * t->order[i] + axis] < pivot) i++;
      while (t->x[3 * t->order[j] + axis] > pivot) j--;
      if (i > j) break;
      const int32_t swap = t->order[i];
      t->order[i++] = t->order[j], t->order[j--] = swap;
    }
    if (middle <= j)
      b = j;
    else if (middle >= i)
      a = i;
    else
      return;
  }
}

static void build(hk_near_tree *t, int32_t from, int32_t to) {
  while (to - from > 1) {
    const int32_t middle = from + (to - from) / 2;
    t->axis[middle] = longest(t, from, to);
    halve(t, from, to, middle, t->axis[middle]);
    build(t, from, middle);
    from = middle + 1;
  }
}

hk_status hki_near_init(hk_near_tree *t, hk_ctx *ctx, int32_t n, const double *x) {
  *t = (hk_near_tree){.x = x, .n = n};
  t->order = hki_alloc(ctx, ((size_t)n + 1) * sizeof *t->order);
  t->axis = hki_alloc(ctx, (size_t)n + 1);
  if (!t->order || !t->axis) return HK_E_MEMORY;
  for (int32_t i = 0; i < n; i++) t->order[i] = i;
  build(t, 0, n);
  return HK_OK;
}

void hki_near_free(hk_near_tree *t, hk_ctx *ctx) {
  hki_free(ctx, t->order);
  hki_free(ctx, t->axis);
  *t = (hk_near_tree){0};
}

/* the found ones: sorted by distance, then by number */
typedef struct search {
  const hk_near_tree *t;
  const double *p;
  hk_near *out;
  int32_t k, n;
} search;

static bool is_before(hk_near a, hk_near b) {
  return a.d2 < b.d2 || (a.d2 == b.d2 && a.point < b.point);
}

static void take(search *s, int32_t point) {
  hk_near a = {0.0, point};
  for (int c = 0; c < 3; c++) {
    const double d = s->t->x[3 * point + c] - s->p[c];
    a.d2 += d * d;
  }
  if (s->n == s->k && !is_before(a, s->out[s->n - 1])) return;
  int32_t i = s->n < s->k ? s->n++ : s->n - 1;
  for (; i > 0 && is_before(a, s->out[i - 1]); i--) s->out[i] = s->out[i - 1];
  s->out[i] = a;
}

static void look(search *s, int32_t from, int32_t to) {
  while (to > from) {
    const int32_t middle = from + (to - from) / 2, root = s->t->order[middle];
    take(s, root);
    if (to - from == 1) return;
    const uint8_t axis = s->t->axis[middle];
    const double d = s->p[axis] - s->t->x[3 * root + axis];
    // the side of p first, then the other one if it can hold a nearer point
    if (d <= 0.0) {
      look(s, from, middle);
      if (s->n == s->k && d * d > s->out[s->n - 1].d2) return;
      from = middle + 1;
    } else {
      look(s, middle + 1, to);
      if (s->n == s->k && d * d > s->out[s->n - 1].d2) return;
      to = middle;
    }
  }
}

int32_t hki_near_find(const hk_near_tree *t, const double *p, int32_t k, hk_near *out) {
  search s = {t, p, out, k, 0};
  if (k > 0) look(&s, 0, t->n);
  return s.n;
}
