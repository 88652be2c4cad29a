/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_draw.c: a sheet of curves on paper: panels below each other, each with its unit, a legend,
 * a grid at round numbers and its curves.
 */
#include <math.h>
#include <string.h>

#include "plot.h"

static const unsigned colours[] = {0x2f6db5, 0xe06a2b, 0x3f9447, 0xa0569c, 0xc99a1b,
                                   0x2c9690, 0xc94f5a, 0x7d5f4c, 0x6a5dc4, 0x6d7b8d};
enum { NAME = 110, TITLE = 90, UNIT = 10 }; /* most characters of each */
enum { LEFT = 78, RIGHT = 18, TOP = 30, LEGEND = 18, BOTTOM = 26, INK = 0x333a44, GRID = 0xdfe4ea };

int plot_ticks(double low, double high, int wanted, double *first, double *step) {
  double raw = (high - low) / wanted, power = pow(10.0, floor(log10(raw)));
  double part = raw / power;
  *step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
  *first = ceil(low / *step - 1e-9) * *step;
  if (!isfinite(*first) || !(*step > 0)) return 0;
  int n = (int)floor((high - *first) / *step + 1e-9) + 1;
  return n < 0 ? 0 : n > 30 ? 30 : n;
}

void plot_number(double x, double step, char *buf, size_t cap) {
  // as many digits as neighbouring ticks need to differ
  double size = fmax(fabs(x), step);
  int digits = (int)ceil(log10(size / step) - 1e-9) + 1;
  if (fabs(x) < 1e-6 * step) x = 0;
  // all digits of the whole part below ten million, so that %g prints no exponent
  if (size < 1e7 && digits < (int)floor(log10(size)) + 1) digits = (int)floor(log10(size)) + 1;
  snprintf(buf, cap, "%.*g", digits < 3 ? 3 : digits > 12 ? 12 : digits, x);
}

/* the names of a panel's curves in rows above it; draws them unless p is NULL; returns the rows */
static int legend(const plot_panel *panel, plot_paper *p, double y) {
  double x = LEFT;
  int rows = 1;
  for (int i = 0; i < panel->ncurves; i++) {
    char name[CLI_SHOWN];
    cli_short(panel->curve[i]->name, NAME, name, sizeof name);
    double width = 30 + 6.7 * (double)strlen(name);
    if (x > LEFT && x + width > PLOT_WIDTH - RIGHT) x = LEFT, y += LEGEND, rows++;
    if (p) {
      unsigned colour = colours[i % 10];
      p->line(p, (double[]){x, y - 4, x + 14, y - 4}, 2, 3, colour);
      p->text(p, x + 19, y, PLOT_LEFT, 11, INK, name);
    }
    x += width;
  }
  return rows;
}

int plot_height(const plot_sheet *s) {
  int height = TOP;
  for (int k = 0; k < s->npanels; k++) {
    height += PLOT_PANEL + BOTTOM + LEGEND * legend(&s->panel[k], NULL, 0) + 8;
  }
  return height;
}

/* lines at 1, 2 .. 9 of each decade, numbers at powers of ten */
static void decades(const plot_panel *s, plot_paper *p, double y0, double y1) {
  const double x0 = LEFT, x1 = PLOT_WIDTH - RIGHT;
  char text[64];
  if (!(s->t1 - s->t0 < 30.0)) return;
  for (int k = (int)floor(s->t0); k <= (int)ceil(s->t1); k++)
    for (int d = 1; d < 10; d++) {
      const double v = k + log10(d), x = x0 + (v - s->t0) / (s->t1 - s->t0) * (x1 - x0);
      if (v < s->t0 - 1e-9 || v > s->t1 + 1e-9) continue;
      p->line(p, (double[]){x, y0, x, y1}, 2, 1, GRID);
      // of less than two decades, some numbers between
      const bool number = d == 1 || (s->t1 - s->t0 < 2.0 && (d == 2 || d == 5));
      snprintf(text, sizeof text, "%g", d * pow(10.0, k));
      if (number && x < x1 - 50) p->text(p, x, y1 + 15, PLOT_MIDDLE, 11, INK, text);
    }
}

static void grid(const plot_sheet *sheet, const plot_panel *s, plot_paper *p, double y0,
                 double y1) {
  double first, step, x0 = LEFT, x1 = PLOT_WIDTH - RIGHT;
  char text[64];
  int n = plot_ticks(s->x0, s->x1, 5, &first, &step);
  for (int i = 0; i < n; i++) {
    double v = first + i * step, y = y1 - (v - s->x0) / (s->x1 - s->x0) * (y1 - y0);
    p->line(p, (double[]){x0, y, x1, y}, 2, 1, GRID);
    plot_number(v, step, text, sizeof text);
    p->text(p, x0 - 6, y + 4, PLOT_RIGHT, 11, INK, text);
  }
  n = sheet->log ? 0 : plot_ticks(s->t0, s->t1, 8, &first, &step);
  if (sheet->log) decades(s, p, y0, y1);
  for (int i = 0; i < n; i++) {
    double v = first + i * step, x = x0 + (v - s->t0) / (s->t1 - s->t0) * (x1 - x0);
    p->line(p, (double[]){x, y0, x, y1}, 2, 1, GRID);
    plot_number(v, step, text, sizeof text);
    // leave room for the name of the axis at its end
    if (x < x1 - 50) p->text(p, x, y1 + 15, PLOT_MIDDLE, 11, INK, text);
  }
  p->line(p, (double[]){x0, y0, x0, y1, x1, y1}, 3, 1, INK);
  p->text(p, x1, y1 + 15, PLOT_RIGHT, 11, INK,
          s->axis       ? s->axis
          : sheet->axis ? sheet->axis
                        : "t [s]");
}

/* a curve, interrupted where it is not finite, or its points as crosses */
static void curve(const plot_panel *s, const plot_curve *c, plot_paper *p, unsigned colour,
                  double y0, double y1) {
  static double xy[2 * PLOT_POINTS + 2];
  double x0 = LEFT, x1 = PLOT_WIDTH - RIGHT;
  int n = 0;
  for (int32_t i = 0; i < c->n; i++) {
    if (isfinite(c->x[i])) {
      xy[2 * n] = x0 + (c->t[i] - s->t0) / (s->t1 - s->t0) * (x1 - x0);
      double y = y1 - (c->x[i] - s->x0) / (s->x1 - s->x0) * (y1 - y0);
      xy[2 * n + 1] = fmin(fmax(y, y0), y1);
      n++;
    }
    if (n > 0 && c->points) {
      p->line(p, (double[]){xy[0] - 2, xy[1] - 2, xy[0] + 2, xy[1] + 2}, 2, 1.5, colour);
      p->line(p, (double[]){xy[0] - 2, xy[1] + 2, xy[0] + 2, xy[1] - 2}, 2, 1.5, colour);
      n = 0;
    } else if (n > 0 && (!isfinite(c->x[i]) || i + 1 == c->n)) {
      // draw a single point as a dash
      if (n == 1) xy[2] = xy[0] + 2, xy[3] = xy[1], xy[0] -= 2, n = 2;
      p->line(p, xy, n, 1.5, colour);
      n = 0;
    }
  }
}

void plot_draw(const plot_sheet *s, plot_paper *p) {
  double y = TOP;
  char text[CLI_SHOWN];
  if (s->title && *s->title) {
    p->text(p, LEFT, 20, PLOT_LEFT, 14, INK, cli_short(s->title, TITLE, text, sizeof text));
  }
  for (int k = 0; k < s->npanels; k++) {
    const plot_panel *panel = &s->panel[k];
    const char *unit = strcmp(panel->unit, "1") ? panel->unit : "";
    p->text(p, LEFT - 6, y + 14, PLOT_RIGHT, 12, INK, cli_short(unit, UNIT, text, sizeof text));
    double y0 = y + LEGEND * legend(panel, p, y + 14) + 8, y1 = y0 + PLOT_PANEL - 8;
    grid(s, panel, p, y0, y1);
    for (int i = 0; i < panel->ncurves; i++) {
      curve(panel, panel->curve[i], p, colours[i % 10], y0, y1);
    }
    y = y1 + BOTTOM + 8;
  }
}
