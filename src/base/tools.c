/* SPDX-License-Identifier: Apache-2.0
 *
 * tools.c: the public face of small tools: files, JSON, misspelt words.
 */
#include <math.h>
#include <string.h>

#include "base/argument.h"
#include "base/swap.h"
#include "hooke/tools.h"

hk_status hk_file_write(hk_ctx *ctx, const char *path, const void *data, size_t len) {
  if (!hki_is(ctx, HK_MARK_CTX) || !path || (!data && len))
    return hki_misuse(ctx, "hk_file_write", "no context, no path, or no bytes");
  return hki_write_file(ctx, path, &(hk_piece){(void *)data, len}, 1);
}

/* as much of a text as there is room for */
static size_t give(const char *text, size_t n, char *buf, size_t cap) {
  const size_t fits = n < cap ? n : cap ? cap - 1 : 0;
  if (!buf || !cap) return n;
  memcpy(buf, text, fits);
  buf[fits] = '\0';
  return n;
}

size_t hk_json_string(const char *s, char *buf, size_t cap) {
  hk_text t;
  if (!s) return give("null", 4, buf, cap);
  hki_text_init(&t, NULL);
  hki_text_json(&t, s);
  const size_t n = t.failed ? give("", 0, buf, cap) : give(t.s, t.len, buf, cap);
  hki_text_free(&t);
  return n;
}

size_t hk_json_number(double x, char *buf, size_t cap) {
  char s[HK_NUMBER_MAX];
  if (!isfinite(x)) return give("null", 4, buf, cap);
  return give(s, (size_t)hki_number_print(x, s), buf, cap);
}

/* edits between a word and a candidate, INT32_MAX when it is not near */
static int32_t edits(const char *word, const char *candidate) {
  hk_nearest n;
  const size_t length = strlen(word);
  // a beginning is as near as a slip of the finger
  if (length >= 3 && strncmp(candidate, word, length) == 0) return 1;
  hki_nearest_init(&n, word);
  hki_nearest_try(&n, candidate);
  return n.best_distance;
}

const char *hk_nearer(const char *word, const char *best, const char *candidate) {
  if (!word || !candidate) return best;
  const int32_t d = edits(word, candidate);
  if (d == INT32_MAX || (best && d >= edits(word, best))) return best;
  return candidate;
}
