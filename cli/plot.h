/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.h: shared by the files of `hooke plot`: curves, and the paper to draw them on.
 */
#ifndef HK_CLI_PLOT_H
#define HK_CLI_PLOT_H

#include "cli.h"

enum { PLOT_CURVES = 24, PLOT_POINTS = 4000 };

typedef struct plot_curve {
  const char *name, *unit;
  const char *axis; /* name of its abscissa; NULL: that of the sheet */
  int group;        /* curves of one unit, axis and group share a panel */
  bool points;      /* drawn as points, without lines */
  char *own;        /* the name, where it is the curve's; else NULL */
  int32_t n;
  double *t, *x;
} plot_curve;

/* curves of one unit, drawn over each other */
typedef struct plot_panel {
  const char *unit, *axis;
  int ncurves, group;
  const plot_curve *curve[PLOT_CURVES];
  double t0, t1, x0, x1; /* ranges of time and of values that are shown */
} plot_panel;

typedef struct plot_sheet {
  const char *title;
  const char *axis; /* name of the abscissa; NULL: "t [s]" */
  bool log;         /* the abscissas are logarithms to the base 10 */
  int ncurves, npanels;
  plot_curve curve[PLOT_CURVES];
  plot_panel panel[PLOT_CURVES];
} plot_sheet;

/* about `wanted` round numbers from low to high: the first, their distance; returns their number */
int plot_ticks(double low, double high, int wanted, double *first, double *step);
/* a tick's number as text; `step` between ticks decides the digits */
void plot_number(double x, double step, char *buf, size_t cap);

/* --- paper ------------------------------------------------------------------------------------ */

typedef enum plot_anchor { PLOT_LEFT, PLOT_MIDDLE, PLOT_RIGHT } plot_anchor;

/* x to the right, y down, in pixels; colours 0xrrggbb */
typedef struct plot_paper plot_paper;
struct plot_paper {
  void (*line)(plot_paper *p, const double *xy, int n, double width, unsigned colour);
  void (*text)(plot_paper *p, double x, double y, plot_anchor anchor, double size, unsigned colour,
               const char *text);
  bool (*finish)(plot_paper *p); /* writes and frees the paper; false: writing failed */
};

plot_paper *plot_svg(FILE *out, int width, int height);
plot_paper *plot_png(FILE *out, int width, int height);

/* the sheet on paper (plot_draw.c) */
enum { PLOT_WIDTH = 900, PLOT_PANEL = 240 };
int plot_height(const plot_sheet *s);
void plot_draw(const plot_sheet *s, plot_paper *p);
/* panels of the curves by their units, with ranges (plot.c) */
void plot_arrange(plot_sheet *s);
/* the sheet as a file, .svg, .png or .html; the exit code */
int plot_write(hk_ctx *ctx, const plot_sheet *s, const char *name);
void plot_free(plot_sheet *s); /* what its curves hold */
/* the sheet in the terminal (plot_term.c) */
void plot_terminal(const plot_sheet *s, FILE *out);

/* strokes of a character in a box 4 wide and 6 high: see plot_font.c */
const char *plot_strokes(unsigned char c);

#endif
