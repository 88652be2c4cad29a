/* SPDX-License-Identifier: Apache-2.0
 *
 * glob.c: patterns with * (any characters, dots too) and ? (one character). Linear in practice:
 * only the last star is ever tried again.
 */
#include "base/base.h"

/* the next UTF-8 character */
static const char *next(const char *s) {
  do s++;
  while (((unsigned char)*s & 0xc0) == 0x80);
  return s;
}

bool hki_glob(const char *pattern, const char *text) {
  // star: pattern after the last '*'; mark: end of the text that this '*' takes so far
  const char *star = NULL, *mark = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      mark = text;
    } else if (*pattern == '?') {
      pattern++;
      text = next(text);
    } else if (*pattern == *text) {
      pattern++, text++;
    } else if (star) {
      pattern = star;
      text = mark = next(mark);
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}
