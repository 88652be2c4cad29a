/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_plot.c: what a sweep has taken, drawn over its parameters: over one parameter a line, over two a family of lines,
 * one a value of the first; of drawn samples points over each parameter.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "sweep.h"

enum { FAMILY = 8 }; /* most lines in a panel */

/* one more curve with room for n points; NULL after a message */
static plot_curve *add(plot_sheet *sheet, const char *name, const char *axis, int group, int n) {
  if (sheet->ncurves == PLOT_CURVES) {
    cli_error("take fewer values, or write a table: --output FILE.csv",
              "more than %d curves are too many for one picture", PLOT_CURVES);
    return NULL;
  }
  plot_curve *c = &sheet->curve[sheet->ncurves];
  *c = (plot_curve){.unit = "", .axis = axis, .group = group};
  c->name = c->own = strdup(name);
  c->t = malloc(((size_t)n + 1) * sizeof *c->t);
  c->x = malloc(((size_t)n + 1) * sizeof *c->x);
  sheet->ncurves++;
  if (c->own && c->t && c->x) return c;
  cli_no_memory();
  return NULL;
}

/* the value of run i, what k: none where the run has failed */
static void put(const sweep *s, plot_curve *c, int i, int k, double at) {
  c->t[c->n] = at;
  c->x[c->n++] = s->row[i].done && s->row[i].status == HK_OK ? s->value[i * s->ntake + k] : NAN;
}

/* a line over the last parameter, for the value `first` of the one before it */
static bool add_line(const sweep *s, plot_sheet *sheet, int k, int first) {
  const int n = s->vary[s->nvary - 1].n;
  char name[CLI_SHOWN];
  if (s->nvary == 1)
    snprintf(name, sizeof name, "%s", s->take[k].text);
  else
    snprintf(name, sizeof name, "%s, %s = %.6g", s->take[k].text, s->vary[0].name,
             s->vary[0].values[first]);
  plot_curve *c = add(sheet, name, s->vary[s->nvary - 1].name, k, n);
  for (int i = 0; c && i < n; i++) put(s, c, first * n + i, k, s->vary[s->nvary - 1].values[i]);
  return c != NULL;
}

/* points over parameter v */
static bool add_points(const sweep *s, plot_sheet *sheet, int k, int v) {
  const int every = 1 + (s->nruns - 1) / PLOT_POINTS;
  plot_curve *c = add(sheet, s->take[k].text, s->vary[v].name, k * s->nvary + v, s->nruns);
  if (!c) return false;
  c->points = true;
  for (int i = 0; i < s->nruns; i += every) put(s, c, i, k, s->parameter[i * s->nvary + v]);
  return true;
}

bool sweep_plot_read(const sweep *s) {
  const char *file = cli_value(s->args, CLI_PLOT), *dot = file ? strrchr(file, '.') : NULL;
  if (!file) return true;
  if (!cli_file("picture", file)) return false;
  if (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0 && strcmp(dot, ".html") != 0)) {
    cli_error(NULL, "the name of the picture '%s' must end in one of: .svg .png .html", file);
    return false;
  }
  if (s->ntake == 0 || (s->nvary > 2 && s->vary[0].values)) {
    cli_error(s->ntake ? "draw samples of them: --samples 200" : "--take CHANNEL:max",
              s->ntake ? "a picture has room for two parameters of a grid"
                       : "there is nothing to draw: give at least one --take");
    return false;
  }
  return true;
}

hk_status sweep_plot(const sweep *s, hk_ctx *ctx) {
  const char *file = cli_value(s->args, CLI_PLOT);
  if (!file) return HK_OK;
  plot_sheet *sheet = calloc(1, sizeof *sheet);
  bool ok = sheet != NULL;
  const int family = s->nvary == 2 && s->vary[0].values ? s->vary[0].n : 1;
  const int every = 1 + (family - 1) / FAMILY;
  for (int k = 0; ok && k < s->ntake; k++) {
    if (s->vary[0].values)
      for (int f = 0; ok && f < family; f += every) ok = add_line(s, sheet, k, f);
    else
      for (int v = 0; ok && v < s->nvary; v++) ok = add_points(s, sheet, k, v);
  }
  if (ok) {
    sheet->title = s->model;
    plot_arrange(sheet);
    ok = plot_write(ctx, sheet, file) == CLI_DONE;
  }
  if (sheet) plot_free(sheet);
  free(sheet);
  return ok ? HK_OK : HK_E_USAGE;
}
