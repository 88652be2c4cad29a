/* SPDX-License-Identifier: Apache-2.0
 *
 * modes_files.c: linear equations of `hooke modes` as files: matrices, and the answers of the outputs to the inputs
 * over frequency (Bode's plot) and over time after a step.
 */
#define _POSIX_C_SOURCE 200809L
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plot.h"

enum { FREQUENCIES = 400, TIMES = 601 };

static bool ends_in(const char *name, const char *ext) {
  const size_t n = strlen(name), k = strlen(ext);
  return n >= k && strcasecmp(name + n - k, ext) == 0;
}

/* one of several extensions, space-separated */
static bool check_file(const cli_args *args, cli_id id, const char *what, const char *extensions) {
  const char *file = cli_value(args, id);
  char ext[16];
  int used;
  if (!file) return true;
  if (!cli_file(what, file)) return false;
  for (const char *at = extensions; sscanf(at, "%15s%n", ext, &used) == 1; at += used)
    if (ends_in(file, ext)) return true;
  cli_error(NULL, "the name of the %s '%s' must end in one of: %s", what, file, extensions);
  return false;
}

bool modes_files_read(const cli_args *args) {
  double time = 1.0;
  return check_file(args, CLI_MATRICES, "file of matrices", ".m .nc") &&
         check_file(args, CLI_BODE, "frequency response", ".svg .png .html .csv") &&
         check_file(args, CLI_STEP_RESPONSE, "step response", ".svg .png .html .csv") &&
         cli_positive(args, CLI_TIME, &time);
}

/* --- matrices --------------------------------------------------------------------------------- */

static hk_statespace_quantity quantity(const hk_statespace *x, char which, int i) {
  hk_statespace_quantity q = {.size = sizeof q, .name = "", .unit = ""};
  (void)hk_statespace_variable(x, which, i, &q);
  return q;
}

/* a list of texts; quotes are doubled */
static void put_texts(FILE *out, const char *name, const hk_statespace *x, char which, int n,
                      bool units) {
  fprintf(out, "%s = {", name);
  for (int i = 0; i < n; i++) {
    const hk_statespace_quantity q = quantity(x, which, i);
    fputs(i ? " '" : "'", out);
    for (const char *c = units ? q.unit : q.name; *c; c++)
      fputs(*c == '\'' ? "''" : *c == '\n' ? " " : (char[]){*c, 0}, out);
    fputc('\'', out);
  }
  fputs("};\n", out);
}

static void put_values(FILE *out, const char *name, const hk_statespace *x, char which, int n) {
  fprintf(out, "%s = [", name);
  for (int i = 0; i < n; i++) fprintf(out, "%s%.17g", i ? " " : "", quantity(x, which, i).value);
  fputs("];\n", out);
}

static hk_status put_matrix(FILE *out, const hk_statespace *x, char which, int rows, int cols) {
  double *M = calloc((size_t)rows * (size_t)cols + 1, sizeof *M);
  const hk_status st = M ? hk_statespace_matrix(x, which, M, cols) : HK_E_MEMORY;
  const bool ok = st == HK_OK;
  fprintf(out, "%c = zeros(%d, %d);\n", which, rows, cols);
  for (int i = 0; ok && cols > 0 && i < rows; i++) {
    fprintf(out, "%c(%d, :) = [", which, i + 1);
    for (int j = 0; j < cols; j++)
      fprintf(out, "%s%.17g", j ? " " : "", M[(size_t)i * (size_t)cols + (size_t)j]);
    fputs("];\n", out);
  }
  free(M);
  return st;
}

/* what was printed into memory, as a file */
static hk_status finish(hk_ctx *ctx, const char *file, FILE *out, char **text, size_t *n,
                        hk_status st) {
  if ((fclose(out) != 0 || !*text) && st == HK_OK) st = HK_E_MEMORY;
  if (st == HK_OK) st = hk_file_write(ctx, file, *text, *n);
  free(*text);
  if (st == HK_E_MEMORY) cli_no_memory();
  return st;
}

static hk_status write_script(hk_ctx *ctx, const char *file, const hk_statespace *x) {
  static const struct {
    char which;
    const char *names, *units, *values;
  } list[] = {{'x', "states", "state_units", "state_values"},
              {'u', "inputs", "input_units", "input_values"},
              {'y', "outputs", "output_units", "output_values"}};
  const int n = hk_statespace_states(x), nu = hk_statespace_inputs(x),
            ny = hk_statespace_outputs(x);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return HK_E_MEMORY;
  fputs("% dx/dt = A x + B u, y = C x + D u: small motions, written by hooke modes\n", out);
  for (int k = 0; k < 3; k++) {
    const int count = k == 0 ? n : k == 1 ? nu : ny;
    put_texts(out, list[k].names, x, list[k].which, count, false);
    put_texts(out, list[k].units, x, list[k].which, count, true);
    put_values(out, list[k].values, x, list[k].which, count);
  }
  hk_status st = put_matrix(out, x, 'A', n, n);
  if (st == HK_OK) st = put_matrix(out, x, 'B', n, nu);
  if (st == HK_OK) st = put_matrix(out, x, 'C', ny, n);
  if (st == HK_OK) st = put_matrix(out, x, 'D', ny, nu);
  return finish(ctx, file, out, &text, &length, st);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* what is drawn or written: n abscissas, and so many numbers at each */
typedef struct answer {
  const hk_statespace *x;
  int n, nu, ny, pairs;
  double *at, *re, *im; /* n; n x pairs, pair = output x nu + input */
} answer;

static bool answer_make(answer *a, const hk_statespace *x, int n) {
  *a = (answer){.x = x, .n = n, .nu = hk_statespace_inputs(x), .ny = hk_statespace_outputs(x)};
  a->pairs = a->nu * a->ny;
  if (a->pairs == 0) {
    cli_error(a->nu ? "name outputs with --channel" : "add a signal {input: 0} to the model",
              "there are no %s whose answer could be shown", a->nu ? "outputs" : "inputs");
    return false;
  }
  const size_t size = (size_t)n * (size_t)a->pairs;
  a->at = calloc((size_t)n, sizeof *a->at);
  a->re = calloc(size, sizeof *a->re);
  a->im = calloc(size, sizeof *a->im);
  if (!a->at || !a->re || !a->im) cli_no_memory();
  return a->at && a->re && a->im;
}

static void answer_free(answer *a) {
  free(a->at);
  free(a->re);
  free(a->im);
}

/* the name of a pair: "body.cart.position.x / u" */
static void pair_name(const answer *a, int pair, char *buf, size_t cap) {
  snprintf(buf, cap, "%s / %s", quantity(a->x, 'y', pair / a->nu).name,
           quantity(a->x, 'u', pair % a->nu).name);
}

static hk_status write_csv(hk_ctx *ctx, const char *file, const answer *a, const char *first,
                           const char *re, const char *im) {
  char *text = NULL, name[CLI_SHOWN];
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out) return HK_E_MEMORY;
  fputs(first, out);
  for (int p = 0; p < a->pairs; p++) {
    pair_name(a, p, name, sizeof name);
    fprintf(out, ",%s%s", name, re);
    if (im) fprintf(out, ",%s%s", name, im);
  }
  for (int i = 0; i < a->n; i++) {
    fprintf(out, "\n%.17g", a->at[i]);
    for (int p = 0; p < a->pairs; p++) {
      fprintf(out, ",%.17g", a->re[i * a->pairs + p]);
      if (im) fprintf(out, ",%.17g", a->im[i * a->pairs + p]);
    }
  }
  fputc('\n', out);
  return finish(ctx, file, out, &text, &length, HK_OK);
}

/* one curve: a column of re or im over the abscissas; unit NULL: that of the output */
static bool add_curve(plot_sheet *s, const answer *a, int pair, const double *from,
                      const char *unit) {
  if (!unit) unit = quantity(a->x, 'y', pair / a->nu).unit;
  char name[CLI_SHOWN];
  plot_curve *c = &s->curve[s->ncurves++];
  pair_name(a, pair, name, sizeof name);
  *c = (plot_curve){.unit = unit, .n = a->n};
  c->name = c->own = strdup(name);
  c->t = malloc((size_t)a->n * sizeof *c->t);
  c->x = malloc((size_t)a->n * sizeof *c->x);
  if (!c->own || !c->t || !c->x) return false;
  for (int i = 0; i < a->n; i++) {
    c->t[i] = s->log ? log10(a->at[i]) : a->at[i];
    c->x[i] = from[i * a->pairs + pair];
  }
  return true;
}

static hk_status draw(hk_ctx *ctx, const char *file, const answer *a, plot_sheet *s,
                      const char *unit, const char *other) {
  const int parts = other ? 2 : 1;
  bool ok = a->pairs * parts <= PLOT_CURVES;
  if (!ok)
    cli_error("choose with --input and --channel, or write a .csv file",
              "%d curves are too many for one picture", a->pairs * parts);
  for (int p = 0; ok && p < a->pairs; p++) ok = add_curve(s, a, p, a->re, unit);
  for (int p = 0; ok && other && p < a->pairs; p++) ok = add_curve(s, a, p, a->im, other);
  if (ok) plot_arrange(s);
  hk_status st = !ok ? HK_E_USAGE : plot_write(ctx, s, file) == CLI_DONE ? HK_OK : HK_E_FILE;
  plot_free(s);
  return st;
}

/* --- over frequency --------------------------------------------------------------------------- */

/* a decade beyond the slowest and the fastest mode */
static void frequency_range(const hk_statespace *x, int32_t n, double *low, double *high) {
  double least = INFINITY, most = 0.0;
  for (int32_t i = 0; i < n; i++) {
    hk_mode m = {.size = sizeof m};
    if (hk_statespace_mode(x, i, &m) != HK_OK) continue;
    const double f = hypot(m.real, m.imag) / (2.0 * M_PI);
    if (f > 0.0) least = fmin(least, f), most = fmax(most, f);
  }
  if (!(most > 0.0)) least = 0.1, most = 10.0;
  if (!isfinite(*high)) *high = 10.0 * most;
  if (!(*low > 0.0)) *low = fmin(least / 10.0, *high / 10.0);
}

/* magnitudes and phases in degrees, which go on where they pass 180 */
static void polar(answer *a) {
  for (int p = 0; p < a->pairs; p++)
    for (int i = 0; i < a->n; i++) {
      double *re = &a->re[i * a->pairs + p], *im = &a->im[i * a->pairs + p];
      double phase = atan2(*im, *re) * 180.0 / M_PI;
      if (i) phase -= 360.0 * round((phase - im[-a->pairs]) / 360.0);
      *re = hypot(*re, *im);
      *im = phase;
    }
}

static hk_status write_bode(hk_ctx *ctx, const char *file, const hk_statespace *x, int32_t n,
                            double low, double high) {
  answer a;
  hk_status st = HK_E_USAGE;
  plot_sheet *s = calloc(1, sizeof *s);
  frequency_range(x, n, &low, &high);
  if (s && answer_make(&a, x, FREQUENCIES)) {
    for (int i = 0; i < a.n; i++) a.at[i] = low * pow(high / low, (double)i / (a.n - 1));
    st = hk_statespace_frequency(x, a.n, a.at, a.re, a.im);
    polar(&a);
    if (st == HK_OK && ends_in(file, ".csv")) {
      st = write_csv(ctx, file, &a, "frequency_Hz", " magnitude", " phase_deg");
    } else if (st == HK_OK) {
      for (int i = 0; i < a.n * a.pairs; i++) a.re[i] = 20.0 * log10(a.re[i]);
      s->title = "frequency response", s->axis = "f [Hz]", s->log = true;
      st = draw(ctx, file, &a, s, "dB", "deg");
    }
    answer_free(&a);
  }
  free(s);
  return st;
}

/* --- after a step ----------------------------------------------------------------------------- */

/* until the slowest free motion has died out or swung some times */
static double end_time(const hk_statespace *x, int32_t n) {
  double slowest = 0.0, period = 0.0;
  for (int32_t i = 0; i < n; i++) {
    hk_mode m = {.size = sizeof m};
    if (hk_statespace_mode(x, i, &m) != HK_OK) continue;
    if (m.real < 0.0) slowest = fmax(slowest, 6.0 / -m.real);
    if (m.imag > 0.0) period = fmax(period, 2.0 * M_PI / m.imag);
  }
  const double end = fmin(fmax(slowest, 2.0 * period), 20.0 * period > 0.0 ? 20.0 * period : 1e9);
  return end > 0.0 ? end : 1.0;
}

static hk_status write_step(const cli_args *args, hk_ctx *ctx, const char *file,
                            const hk_statespace *x, int32_t n) {
  answer a;
  hk_status st = HK_E_USAGE;
  double end = end_time(x, n);
  plot_sheet *s = calloc(1, sizeof *s);
  if (s && cli_positive(args, CLI_TIME, &end) && answer_make(&a, x, TIMES)) {
    for (int i = 0; i < a.n; i++) a.at[i] = end * i / (a.n - 1);
    st = hk_statespace_step(x, a.n, end / (a.n - 1), a.re);
    s->title = "answers to steps of the inputs by 1", s->axis = "t [s]";
    if (st == HK_OK && ends_in(file, ".csv"))
      st = write_csv(ctx, file, &a, "t", "", NULL);
    else if (st == HK_OK)
      st = draw(ctx, file, &a, s, NULL, NULL);
    answer_free(&a);
  }
  free(s);
  return st;
}

hk_status modes_files_write(const cli_args *args, hk_ctx *ctx, const hk_statespace *x, int32_t n,
                            double low, double high) {
  const char *matrices = cli_value(args, CLI_MATRICES), *bode = cli_value(args, CLI_BODE),
             *step = cli_value(args, CLI_STEP_RESPONSE);
  hk_status st = HK_OK;
  if (matrices)
    st = ends_in(matrices, ".nc") ? hk_statespace_write(x, matrices)
                                  : write_script(ctx, matrices, x);
  if (st == HK_OK && bode) st = write_bode(ctx, bode, x, n, low, high);
  if (st == HK_OK && step) st = write_step(args, ctx, step, x, n);
  return st;
}
