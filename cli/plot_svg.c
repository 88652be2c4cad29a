/* SPDX-License-Identifier: Apache-2.0
 *
 * plot_svg.c: paper that is an SVG file.
 */
#include <stdlib.h>
#include <string.h>

#include "plot.h"

typedef struct svg {
  plot_paper paper;
  FILE *out;
} svg;

/* names come from outside: nothing of them may be markup */
static void put_text(FILE *out, const char *s) {
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '<') {
      fputs("&lt;", out);
    } else if (c == '>') {
      fputs("&gt;", out);
    } else if (c == '&') {
      fputs("&amp;", out);
    } else if (c >= 0x20 && c != 0x7f) {
      fputc(c, out);
    }
  }
}

static void svg_line(plot_paper *p, const double *xy, int n, double width, unsigned colour) {
  FILE *out = ((svg *)p)->out;
  fprintf(out, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\" points=\"", colour,
          width);
  for (int i = 0; i < n; i++)
    fprintf(out, i ? " %.2f,%.2f" : "%.2f,%.2f", xy[2 * i], xy[2 * i + 1]);
  fputs("\"/>\n", out);
}

static void svg_text(plot_paper *p, double x, double y, plot_anchor anchor, double size,
                     unsigned colour, const char *text) {
  static const char *const anchors[] = {"start", "middle", "end"};
  FILE *out = ((svg *)p)->out;
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"#%06x\" text-anchor=\"%s\">", x,
          y, size, colour, anchors[anchor]);
  put_text(out, text);
  fputs("</text>\n", out);
}

static bool svg_finish(plot_paper *p) {
  FILE *out = ((svg *)p)->out;
  fputs("</svg>\n", out);
  free(p);
  return fflush(out) == 0 && !ferror(out);
}

plot_paper *plot_svg(FILE *out, int width, int height) {
  svg *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->paper = (plot_paper){svg_line, svg_text, svg_finish};
  s->out = out;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
          "viewBox=\"0 0 %d %d\" font-family=\"system-ui, sans-serif\" "
          "stroke-linejoin=\"round\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          width, height, width, height);
  return &s->paper;
}
