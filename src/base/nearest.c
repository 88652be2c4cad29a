/* SPDX-License-Identifier: Apache-2.0
 *
 * nearest.c: "did you mean". The distance counts insertions, deletions, substitutions and swaps of
 * neighbours (optimal string alignment); upper and lower case count as equal. A candidate is near
 * when its distance is at most max(1, length / 3) and something of the word is left.
 */
#include <string.h>

#include "base/base.h"

enum { WORD_MAX = 200 }; /* longer words get no suggestion */

static int32_t length(const char *s) {
  int32_t n = 0;
  while (n <= WORD_MAX && s[n]) n++;
  return n;
}

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

static int32_t min2(int32_t a, int32_t b) { return a < b ? a : b; }

/* distance of a (length n) and b (length m), or limit + 1 as soon as it must be larger */
static int32_t distance(const char *a, int32_t n, const char *b, int32_t m, int32_t limit) {
  int32_t rows[3][WORD_MAX + 1];
  if (n - m > limit || m - n > limit) return limit + 1;
  int32_t *before = rows[0], *last = rows[1], *row = rows[2];
  for (int32_t j = 0; j <= m; j++) last[j] = j;
  for (int32_t i = 1; i <= n; i++) {
    int32_t best = row[0] = i;
    for (int32_t j = 1; j <= m; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      int32_t d = min2(last[j - 1] + !same, min2(last[j], row[j - 1]) + 1);
      // a swap of two neighbours
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1])) {
        d = min2(d, before[j - 2] + 1);
      }
      row[j] = d;
      best = min2(best, d);
    }
    // a swap reaches back two rows, at one more each
    if (best > limit + 1) return limit + 1;
    int32_t *t = before;
    before = last, last = row, row = t;
  }
  return last[m];
}

void hki_nearest_init(hk_nearest *n, const char *word) {
  n->word = word;
  n->best = NULL;
  n->best_distance = INT32_MAX;
}

void hki_nearest_try(hk_nearest *n, const char *candidate) {
  if (!n->word || !candidate) return;
  int32_t lw = length(n->word), lc = length(candidate);
  if (lw == 0 || lw > WORD_MAX || lc == 0 || lc > WORD_MAX) return;
  if (strcmp(n->word, candidate) == 0) return;
  // only strictly nearer candidates matter, so that the first of equals wins
  int32_t limit = lw >= 6 ? lw / 3 : 1;
  limit = min2(limit, n->best_distance - 1);
  if (limit < 0) return;
  int32_t d = distance(n->word, lw, candidate, lc, limit);
  if (d > limit || (d > 0 && d >= lw)) return;
  n->best = candidate;
  n->best_distance = d;
}

const char *hki_nearest_result(const hk_nearest *n) { return n->best; }
