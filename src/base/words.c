/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c: lists of words as one text, separated by blanks, as tables of types have them.
 */
#include <string.h>

#include "base/base.h"

const char *hki_word(const char *words, int32_t k, int *n) {
  if (!words) words = "";
  while (*words && k-- > 0) {
    words += strcspn(words, " ");
    words += strspn(words, " ");
  }
  *n = (int)strcspn(words, " ");
  return words;
}

int32_t hki_word_count(const char *words) {
  int32_t count = 0;
  for (int n; words = hki_word(words, count ? 1 : 0, &n), n > 0;) count++;
  return count;
}

int32_t hki_word_find(const char *words, const char *word) {
  const size_t length = strlen(word);
  int n;
  for (int32_t k = 0; words = hki_word(words, k ? 1 : 0, &n), n > 0; k++)
    if ((size_t)n == length && memcmp(words, word, length) == 0) return k;
  return -1;
}
