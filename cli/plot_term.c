/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_term.c: curves in the terminal. A character cell has 2 x 4 Braille dots (U+2800 on), each
 * curve its colour. Where there are no colours to tell several curves apart, or no UTF-8, a cell is
 * a mark instead, one for each curve.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plot.h"

enum { ROWS = 14, LABEL = 11, LEAST = 6, MOST = 400 };

static const int paints[] = {34, 33, 32, 35, 36, 31, 94, 93, 92, 95};
static const char marks[] = "*o+x#@%&=~^-";

/* what the terminal can show */
typedef struct style {
  bool colour, utf8;
} style;

static int columns(FILE *out) {
  struct winsize w;
  const char *given = getenv("COLUMNS");
  if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &w) == 0 && w.ws_col > 0) {
    return w.ws_col;
  }
  long n = given ? strtol(given, NULL, 10) : 0;
  return n > 0 && n < 10000 ? (int)n : 80;
}

typedef struct cells {
  int width;
  unsigned char dots[ROWS][MOST], owner[ROWS][MOST];
} cells;

static void dot(cells *c, int x, int y, int owner) {
  // dots of a cell: 1 4 / 2 5 / 3 6 / 7 8
  static const unsigned char bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
  if (x < 0 || y < 0 || x >= 2 * c->width || y >= 4 * ROWS) return;
  c->dots[y / 4][x / 2] |= bits[y % 4][x % 2];
  c->owner[y / 4][x / 2] = (unsigned char)owner;
}

/* a line of dots between two points inside the picture */
static void line(cells *c, double x0, double y0, double x1, double y1, int owner) {
  int n = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0))) + 1;
  for (int i = 0; i <= n; i++) {
    double s = (double)i / n;
    dot(c, (int)lround(x0 + s * (x1 - x0)), (int)lround(y0 + s * (y1 - y0)), owner);
  }
}

static void curve(cells *c, const plot_panel *p, const plot_curve *k, int owner) {
  double w = 2 * c->width - 1, h = 4 * ROWS - 1, lx = NAN, ly = NAN;
  for (int32_t i = 0; i < k->n; i++) {
    double x = (k->t[i] - p->t0) / (p->t1 - p->t0) * w;
    double y = h - (k->x[i] - p->x0) / (p->x1 - p->x0) * h;
    if (isfinite(y) && isfinite(ly)) {
      line(c, lx, ly, x, y, owner);
    } else if (isfinite(y)) {
      dot(c, (int)lround(x), (int)lround(y), owner);
    }
    lx = x, ly = y;
  }
}

static void paint(FILE *out, bool colour, int owner) {
  if (colour) fprintf(out, "\033[%dm", paints[owner % 10]);
}

static void plain(FILE *out, bool colour) {
  if (colour) fputs("\033[0m", out);
}

static char mark(int owner) { return marks[(size_t)owner % (sizeof marks - 1)]; }

static bool marked(style how, const plot_panel *p) {
  return !how.utf8 || (!how.colour && p->ncurves > 1);
}

static void rows(const cells *c, const plot_panel *p, style how, FILE *out) {
  double first, step;
  char text[64];
  int n = plot_ticks(p->x0, p->x1, 4, &first, &step);
  for (int y = 0; y < ROWS; y++) {
    const char *label = "";
    for (int i = 0; i < n; i++) {
      double v = first + i * step;
      if ((int)floor((p->x1 - v) / (p->x1 - p->x0) * ROWS) != y) continue;
      plot_number(v, step, text, sizeof text);
      label = text;
    }
    const char *edge = !how.utf8 ? (*label ? "+" : "|") : *label ? "┤" : "│";
    fprintf(out, "%*.*s %s", LABEL - 2, LABEL - 2, label, edge);
    for (int x = 0; x < c->width; x++) {
      unsigned d = c->dots[y][x];
      if (!d) {
        fputc(' ', out);
        continue;
      }
      paint(out, how.colour, c->owner[y][x]);
      if (marked(how, p)) {
        fputc(mark(c->owner[y][x]), out);
      } else {
        fprintf(out, "\xe2%c%c", (int)(0xa0 | d >> 6), (int)(0x80 | (d & 63)));
      }
      plain(out, how.colour);
    }
    fputc('\n', out);
  }
}

/* the axis of time with its numbers below */
static void axis(const plot_panel *p, int width, style how, FILE *out) {
  double first, step;
  char numbers[MOST + 64], text[64];
  int n = plot_ticks(p->t0, p->t1, width / 14 > 1 ? width / 14 : 1, &first, &step);
  memset(numbers, ' ', sizeof numbers);
  fprintf(out, "%*s%s", LABEL - 1, "", how.utf8 ? "└" : "+");
  for (int x = 0; x < width; x++) {
    bool tick = false;
    for (int i = 0; i < n && !tick; i++) {
      double v = first + i * step;
      tick = (int)lround((v - p->t0) / (p->t1 - p->t0) * (width - 1)) == x;
      if (!tick) continue;
      plot_number(v, step, text, sizeof text);
      int from = x - (int)strlen(text) / 2;
      if (from < 0) from = 0;
      memcpy(numbers + from, text, strlen(text));
    }
    fputs(!how.utf8 ? (tick ? "+" : "-") : tick ? "┬" : "─", out);
  }
  int end = (int)sizeof numbers - 1;
  while (end > 0 && numbers[end - 1] == ' ') end--;
  fprintf(out, "\n%*s%.*s s\n", LABEL, "", end, numbers);
}

/* name, unit and range of a curve */
static void legend(const plot_panel *p, int i, style how, int room, FILE *out) {
  const plot_curve *q = p->curve[i];
  char name[CLI_SHOWN], unit[CLI_SHOWN], range[80] = "no numbers";
  double low = INFINITY, high = -INFINITY;
  for (int32_t j = 0; j < q->n; j++) low = fmin(low, q->x[j]), high = fmax(high, q->x[j]);
  if (low <= high) snprintf(range, sizeof range, "%.6g ... %.6g", low, high);
  paint(out, how.colour, i);
  if (marked(how, p)) {
    fprintf(out, "%c ", mark(i));
  } else {
    fputs("━━ ", out);
  }
  plain(out, how.colour);
  cli_short(q->name, (size_t)room, name, sizeof name);
  cli_short(q->unit, 40, unit, sizeof unit);
  bool has = strcmp(unit, "1") != 0;
  fprintf(out, "%s%s%s%s  %s\n", name, has ? " [" : "", has ? unit : "", has ? "]" : "", range);
}

void plot_terminal(const plot_sheet *s, FILE *out) {
  style how = {cli_colour(out), cli_utf8()};
  char title[CLI_SHOWN];
  int width = columns(out) - LABEL - 2, room = width > 60 ? width : 60;
  width = width > MOST ? MOST : width < LEAST ? LEAST : width;
  if (s->title && *s->title) {
    fprintf(out, "%s\n", cli_short(s->title, (size_t)room, title, sizeof title));
  }
  for (int k = 0; k < s->npanels; k++) {
    const plot_panel *p = &s->panel[k];
    cells *c = calloc(1, sizeof *c);
    if (!c) {
      cli_no_memory();
      return;
    }
    c->width = width;
    for (int i = 0; i < p->ncurves; i++) curve(c, p, p->curve[i], i);
    for (int i = 0; i < p->ncurves; i++) legend(p, i, how, room, out);
    rows(c, p, how, out);
    axis(p, width, how, out);
    free(c);
  }
}
