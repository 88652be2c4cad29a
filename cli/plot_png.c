/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_png.c: paper that is a PNG file. Lines are drawn with soft edges: a pixel is covered by how
 * far its centre lies inside the line. The file is a PNG (third edition), packed by zlib.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "plot.h"

typedef struct png {
  plot_paper paper;
  FILE *out;
  int width, height;
  unsigned char *rows; /* height rows of 1 + 3 width bytes: the first says how it is filtered */
} png;

/* --- drawing ---------------------------------------------------------------------------------- */

static void blend(png *p, int x, int y, double cover, unsigned colour) {
  if (x < 0 || y < 0 || x >= p->width || y >= p->height || !(cover > 0)) return;
  unsigned char *at = p->rows + (size_t)y * (1 + 3 * (size_t)p->width) + 1 + 3 * (size_t)x;
  if (cover > 1) cover = 1;
  for (int k = 0; k < 3; k++) {
    double ink = (double)(colour >> (16 - 8 * k) & 255);
    at[k] = (unsigned char)lround(at[k] + cover * (ink - at[k]));
  }
}

/* a straight piece; `skip_start`: its first end was drawn by the piece before */
static void segment(png *p, const double *a, const double *b, double width, unsigned colour,
                    bool skip_start) {
  double dx = b[0] - a[0], dy = b[1] - a[1], l2 = dx * dx + dy * dy, r = 0.5 * width;
  int x0 = (int)floor(fmin(a[0], b[0]) - r - 1), x1 = (int)ceil(fmax(a[0], b[0]) + r + 1);
  int y0 = (int)floor(fmin(a[1], b[1]) - r - 1), y1 = (int)ceil(fmax(a[1], b[1]) + r + 1);
  for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < p->height; y++) {
    for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < p->width; x++) {
      double px = x + 0.5 - a[0], py = y + 0.5 - a[1];
      double s = l2 > 0 ? (px * dx + py * dy) / l2 : 0;
      if (skip_start && s < 0) continue;
      s = s < 0 ? 0 : s > 1 ? 1 : s;
      blend(p, x, y, r + 0.5 - hypot(px - s * dx, py - s * dy), colour);
    }
  }
}

static void png_line(plot_paper *paper, const double *xy, int n, double width, unsigned colour) {
  png *p = (png *)paper;
  for (int i = 0; i + 1 < n; i++) segment(p, xy + 2 * i, xy + 2 * i + 2, width, colour, i > 0);
}

static void glyph(png *p, double x, double y, double unit, unsigned colour, const char *s) {
  double at[2] = {0, 0}, to[2];
  bool first = true, joined = false;
  for (; *s; s++) {
    if (*s == ' ') {
      first = true;
      continue;
    }
    to[0] = x + unit * (*s - '0');
    s++;
    to[1] = y - unit * (*s >= 'a' ? -(*s - 'a' + 1) : *s - '0');
    if (!first) segment(p, at, to, 1.0, colour, joined);
    joined = !first;
    first = false;
    memcpy(at, to, sizeof at);
  }
}

static void png_text(plot_paper *paper, double x, double y, plot_anchor anchor, double size,
                     unsigned colour, const char *text) {
  png *p = (png *)paper;
  double unit = size / 9.0, advance = 5.6 * unit;
  size_t n = 0;
  // a character that is not ASCII becomes one question mark
  for (const char *s = text; *s; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
  x -= advance * (double)n * (anchor == PLOT_LEFT ? 0 : anchor == PLOT_MIDDLE ? 0.5 : 1);
  for (const char *s = text; *s; s++) {
    if (((unsigned char)*s & 0xc0) == 0x80) continue;
    glyph(p, x, y, unit, colour, plot_strokes((unsigned char)*s));
    x += advance;
  }
}

/* --- the file --------------------------------------------------------------------------------- */

static void put_big(unsigned char *at, unsigned v) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void chunk(FILE *out, const char *name, const unsigned char *data, size_t n) {
  unsigned char head[8], tail[4];
  put_big(head, (unsigned)n);
  memcpy(head + 4, name, 4);
  put_big(tail, (unsigned)crc32(crc32(0, head + 4, 4), data, (unsigned)n));
  fwrite(head, 1, 8, out);
  fwrite(data, 1, n, out);
  fwrite(tail, 1, 4, out);
}

static bool png_finish(plot_paper *paper) {
  png *p = (png *)paper;
  unsigned char head[13] = {0};
  const uLong n = (uLong)p->height * (1 + 3 * (uLong)p->width);
  uLongf packed = compressBound(n);
  unsigned char *data = malloc(packed);
  bool ok = data && compress2(data, &packed, p->rows, n, Z_BEST_COMPRESSION) == Z_OK;
  put_big(head, (unsigned)p->width);
  put_big(head + 4, (unsigned)p->height);
  head[8] = 8, head[9] = 2; /* eight bits, red green blue */
  if (ok) {
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, p->out);
    chunk(p->out, "IHDR", head, sizeof head);
    chunk(p->out, "IDAT", data, packed);
    chunk(p->out, "IEND", head, 0);
    // a stream in memory may lose bytes without an error when it cannot grow
    const long whole = 8 + 3 * 12 + (long)sizeof head + (long)packed;
    ok = fflush(p->out) == 0 && !ferror(p->out) && ftell(p->out) == whole;
    if (!ok) errno = ENOMEM;
  } else {
    errno = ENOMEM;
  }
  free(data);
  free(p->rows);
  free(p);
  return ok;
}

plot_paper *plot_png(FILE *out, int width, int height) {
  png *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->paper = (plot_paper){png_line, png_text, png_finish};
  p->out = out, p->width = width, p->height = height;
  size_t row = 1 + 3 * (size_t)width;
  p->rows = malloc((size_t)height * row);
  if (!p->rows) {
    free(p);
    return NULL;
  }
  memset(p->rows, 255, (size_t)height * row);
  for (int y = 0; y < height; y++) p->rows[(size_t)y * row] = 0;
  return &p->paper;
}
