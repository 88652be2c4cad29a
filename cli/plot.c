/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.c: `hooke plot RESULT CHANNEL...`: chooses the channels, reads them, and hands them to the
 * terminal or to a file.
 */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* does a name match a pattern with * and ?; "body.rod.position" also matches its components */
static bool matches(const char *pattern, const char *name) {
  for (; *pattern; pattern++, name++) {
    if (*pattern == '*') {
      while (pattern[1] == '*') pattern++;
      for (const char *at = name; *at; at++)
        if (matches(pattern + 1, at)) return true;
      return pattern[1] == '\0';
    }
    if (!*name || (*pattern != '?' && *pattern != *name)) return false;
  }
  return *name == '\0' || *name == '.';
}

static int list_channels(const hk_result *r) {
  char name[CLI_SHOWN], unit[CLI_SHOWN];
  for (int32_t i = 0; i < hk_result_channel_count(r); i++) {
    cli_plain(hk_result_channel_name(r, i), name, sizeof name);
    cli_plain(hk_result_channel_unit(r, i), unit, sizeof unit);
    bool has = strcmp(unit, "1") != 0;
    printf("%s%s%s%s\n", name, has ? " [" : "", has ? unit : "", has ? "]" : "");
  }
  return CLI_DONE;
}

/* the end of `word` after its item, when its beginning is "joint.NAME." and the result has other
 * channels of this item, or none of its group; else NULL */
static const char *own_part(const hk_result *r, const char *word, size_t group) {
  bool any = false;
  for (const char *dot = strrchr(word, '.'); dot > word + group; dot--) {
    if (*dot != '.') continue;
    const size_t n = (size_t)(dot - word) + 1;
    for (int32_t i = 0; i < hk_result_channel_count(r); i++) {
      const char *name = hk_result_channel_name(r, i);
      any |= strncmp(name, word, group + 1) == 0;
      if (strncmp(name, word, n) == 0) return dot + 1;
    }
  }
  const char *last = strrchr(word, '.');
  return any || !last || last <= word + group ? NULL : last + 1;
}

/* Is it a quantity that items of its group have, which this result does not hold? The catalogue
 * knows them as "joint.NAME.drive" and "body.NAME.velocity.{x,y,z}". */
static bool left_out(hk_ctx *ctx, const hk_result *r, const char *word) {
  const size_t group = strcspn(word, ".");
  const char *part = word[group] ? own_part(r, word, group) : NULL;
  if (!part || strpbrk(word, "*?")) return false;
  const size_t n = strcspn(part, ".");
  for (int32_t i = 0; i < hk_catalog_count("channels"); i++) {
    const hk_catalog_entry *e = hk_catalog_entry_at(ctx, "channels", i);
    for (const char *at = e ? e->name : NULL; at; at = strchr(at, ' '), at = at ? at + 1 : NULL) {
      if (strncmp(at, word, group + 1) != 0 || strncmp(at + group + 1, "NAME.", 5) != 0) continue;
      const char *own = at + group + 6;
      if (strcspn(own, "., ") == n && strncmp(own, part, n) == 0) return true;
    }
  }
  return false;
}

static int unknown(hk_ctx *ctx, const hk_result *r, const char *word) {
  char hint[1200];
  cli_nearest n = {.word = word};
  if (left_out(ctx, r, word)) {
    snprintf(hint, sizeof hint, "add 'record: [\"%.*s.*\"]' to the model and run it again",
             (int)strcspn(word, "."), word);
    cli_error(hint, "'%s' is not in this result: it was not recorded, or the model has none", word);
    return CLI_USAGE;
  }
  for (int32_t i = 0; i < hk_result_channel_count(r); i++) {
    cli_nearest_try(&n, hk_result_channel_name(r, i));
  }
  cli_error(cli_did_you_mean(&n, "'hooke plot RESULT' lists the channels", hint, sizeof hint),
            strchr(word, '*') ? "no channel of this result matches '%s'"
                              : "no channel of this result is called '%s'",
            word);
  return CLI_USAGE;
}

static bool add_curve(plot_sheet *s, hk_result *r, int32_t channel) {
  plot_curve *c = &s->curve[s->ncurves];
  for (int i = 0; i < s->ncurves; i++)
    if (strcmp(s->curve[i].name, hk_result_channel_name(r, channel)) == 0) return true;
  c->name = hk_result_channel_name(r, channel);
  c->unit = hk_result_channel_unit(r, channel);
  c->t = malloc(PLOT_POINTS * sizeof *c->t);
  c->x = malloc(PLOT_POINTS * sizeof *c->x);
  s->ncurves++;
  if (!c->t || !c->x) {
    cli_no_memory();
    return false;
  }
  return hk_result_thin(r, channel, 0, hk_result_rows(r), PLOT_POINTS, c->t, c->x, &c->n) == HK_OK;
}

static int choose(plot_sheet *s, hk_ctx *ctx, hk_result *r, const cli_args *args) {
  for (int k = 1; k < args->npositional; k++) {
    int found = 0;
    for (int32_t i = 0; i < hk_result_channel_count(r); i++) {
      if (!matches(args->positional[k], hk_result_channel_name(r, i))) continue;
      found++;
      if (s->ncurves == PLOT_CURVES) {
        cli_error(NULL, "more than %d channels are too many for one plot", PLOT_CURVES);
        return CLI_USAGE;
      }
      if (!add_curve(s, r, i)) return CLI_FILE;
    }
    if (!found) return unknown(ctx, r, args->positional[k]);
  }
  return CLI_DONE;
}

/* widen a range by `part` of its span on either side; a range without span gets one */
static void widen(double *low, double *high, double part) {
  // limited, so that the difference of the two does not overflow
  *low = fmax(*low, -0.4 * DBL_MAX), *high = fmin(*high, 0.4 * DBL_MAX);
  double span = *high - *low, size = fmax(fabs(*low), fabs(*high));
  double room = span > 1e-12 * size && span > 1e-290 ? part * span : size > 1e-290 ? 0.1 * size : 1;
  *low -= room, *high += room;
}

/* one panel per unit, with its ranges of time and values */
void plot_arrange(plot_sheet *s) {
  for (int i = 0; i < s->ncurves; i++) {
    const plot_curve *c = &s->curve[i];
    int k = 0;
    while (k < s->npanels && (strcmp(s->panel[k].unit, c->unit) != 0 ||
                              s->panel[k].axis != c->axis || s->panel[k].group != c->group))
      k++;
    plot_panel *p = &s->panel[k];
    if (k == s->npanels) {
      s->npanels++;
      *p = (plot_panel){.unit = c->unit,
                        .axis = c->axis,
                        .group = c->group,
                        .t0 = INFINITY,
                        .t1 = -INFINITY,
                        .x0 = INFINITY};
      p->x1 = -INFINITY;
    }
    p->curve[p->ncurves++] = c;
    for (int32_t j = 0; j < c->n; j++) {
      p->t0 = fmin(p->t0, c->t[j]), p->t1 = fmax(p->t1, c->t[j]);
      if (!isfinite(c->x[j])) continue;
      p->x0 = fmin(p->x0, c->x[j]), p->x1 = fmax(p->x1, c->x[j]);
    }
  }
  for (int k = 0; k < s->npanels; k++) {
    plot_panel *p = &s->panel[k];
    if (!(p->x0 <= p->x1)) p->x0 = -1, p->x1 = 1;
    widen(&p->x0, &p->x1, 0.04);
    if (!(p->t1 > p->t0)) p->t0 -= 0.5, p->t1 += 0.5;
    widen(&p->t0, &p->t1, 0);
  }
}

/* the picture in memory, then whole into its file */
int plot_write(hk_ctx *ctx, const plot_sheet *s, const char *name) {
  char *data = NULL;
  size_t n = 0;
  const char *dot = strrchr(name, '.');
  const bool png = dot && strcasecmp(dot, ".png") == 0, svg = !png,
             page = dot && strncasecmp(dot, ".htm", 4) == 0;
  FILE *memory = open_memstream(&data, &n);
  int height = plot_height(s);
  if (memory && page)
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta "
          "charset=\"utf-8\"><title>Hooke</title></head>"
          "<body>\n",
          memory);
  plot_paper *p = !memory ? NULL
                  : svg   ? plot_svg(memory, PLOT_WIDTH, height)
                          : plot_png(memory, PLOT_WIDTH, height);
  bool ok = p != NULL;
  if (ok) {
    plot_draw(s, p);
    ok = p->finish(p);
  }
  if (memory && page) fputs("</body></html>\n", memory);
  if (memory && fclose(memory) != 0) ok = false;
  if (!data || !n) ok = false, errno = ENOMEM;
  if (!ok) cli_error(NULL, "cannot draw '%s': %s", name, strerror(errno));
  hk_status st = ok ? hk_file_write(ctx, name, data, n) : HK_E_FILE;
  free(data);
  return cli_exit_code(st);
}

void plot_free(plot_sheet *s) {
  for (int i = 0; i < s->ncurves; i++) {
    free(s->curve[i].own);
    free(s->curve[i].t);
    free(s->curve[i].x);
  }
}

static int plot(const cli_args *args, hk_ctx *ctx, hk_result *r, plot_sheet *s) {
  const char *svg = cli_value(args, CLI_SVG), *png = cli_value(args, CLI_PNG);
  s->title = hk_result_text(r, "title");
  int code = choose(s, ctx, r, args);
  if (code != CLI_DONE) return code;
  plot_arrange(s);
  if ((svg && !cli_file_of("picture", svg, ".svg", NULL)) ||
      (png && !cli_file_of("picture", png, ".png", NULL)))
    return CLI_USAGE;
  if (svg) code = plot_write(ctx, s, svg);
  if (png && code == CLI_DONE) code = plot_write(ctx, s, png);
  if (!svg && !png) plot_terminal(s, stdout);
  return code;
}

int cli_plot(const cli_args *args) {
  cli_results r;
  plot_sheet *s = calloc(1, sizeof *s);
  if (!s) return cli_no_memory();
  int code = cli_results_open(&r, args, 1);
  if (code == CLI_DONE) {
    code = args->npositional == 1 ? list_channels(r.list[0]) : plot(args, r.ctx, r.list[0], s);
  }
  plot_free(s);
  free(s);
  cli_results_close(&r);
  return code;
}
