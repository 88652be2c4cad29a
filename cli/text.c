/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: makes foreign text (names, titles and units of result files, file names) safe for
 * terminals and pictures: no control sequences, no change of writing direction, valid UTF-8.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

/* bytes of the UTF-8 character at s and its number; 0 when there is none */
static int decode(const unsigned char *s, unsigned *code) {
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  int n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
  if (n == 0) return 0;
  *code = n == 1 ? *s : *s & (0x7fu >> n);
  for (int i = 1; i < n; i++) {
    if (s[i] >> 6 != 2) return 0;
    *code = *code << 6 | (s[i] & 63u);
  }
  bool surrogate = *code >= 0xd800 && *code < 0xe000;
  return *code < least[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

/* control characters, characters that hide text or change its direction, and those XML forbids */
static bool is_odd(unsigned c) {
  static const unsigned odd[][2] = {
      {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e},
      {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
    if (c >= odd[i][0] && c <= odd[i][1]) return true;
  return false;
}

char *cli_plain(const char *s, char *buf, size_t cap) {
  size_t at = 0;
  for (unsigned code = 0; *s;) {
    int n = decode((const unsigned char *)s, &code), take = n ? n : 1;
    bool keep = n && !is_odd(code);
    if (at + (keep ? (size_t)n : 1) >= cap) break;
    if (keep) {
      memcpy(buf + at, s, (size_t)n);
      at += (size_t)n;
    } else {
      buf[at++] = '?';
    }
    s += take;
  }
  buf[at] = '\0';
  return buf;
}

char *cli_short(const char *s, size_t most, char *buf, size_t cap) {
  cli_plain(s, buf, cap);
  size_t n = 0, at = 0;
  for (; buf[at]; at++) {
    if (((unsigned char)buf[at] & 0xc0) == 0x80) continue;
    if (n++ == most) break;
  }
  if (!buf[at] || at < 3) return buf;
  // replace the last three characters by dots
  for (int i = 0; i < 3 && at > 0; i++) {
    do at--;
    while (at > 0 && ((unsigned char)buf[at] & 0xc0) == 0x80);
  }
  memcpy(buf + at, "...", 4);
  return buf;
}

bool cli_utf8(void) {
  const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (int i = 0; i < 3; i++) {
    const char *s = getenv(names[i]);
    if (!s || !*s) continue;
    const char *dot = strchr(s, '.');
    return dot && (strncasecmp(dot + 1, "UTF-8", 5) == 0 || strncasecmp(dot + 1, "UTF8", 4) == 0);
  }
  return true;
}
