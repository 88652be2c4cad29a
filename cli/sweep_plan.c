/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep_plan.c: the parameters of all runs of a sweep: a grid of lists and ranges, or a Latin hypercube:
 * of each range so many equal parts as samples, each part once, in an order of its own.
 *
 * Source: McKay, Beckman and Conover, A Comparison of Three Methods for Selecting Values of Input Variables
 * in the Analysis of Output from a Computer Code, 1979.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

enum { MOST_RUNS = 10000000 };

/* --- reading ---------------------------------------------------------------------------------- */

/* a number up to `stop` or the end; false: it is none */
static bool number(const char **at, char stop, double *out) {
  char *end;
  *out = strtod(*at, &end);
  if (end == *at || !isfinite(*out) || (*end && *end != stop)) return false;
  *at = *end ? end + 1 : end;
  return true;
}

static bool bad_vary(const char *text) {
  cli_error("write a range k=low:high:count, a list k=1,2,5, or with --samples k=low:high",
            "--vary is not understood: '%s'", text);
  return false;
}

/* k=a:b:n, k=a:b, k=a,b,c */
static bool read_vary(const char *text, bool samples, sweep_vary *v) {
  const char *equals = strchr(text, '='), *at = equals ? equals + 1 : NULL;
  double count;
  if (!equals || equals == text || !*at) return bad_vary(text);
  v->name = calloc((size_t)(equals - text) + 1, 1);
  if (!v->name) return cli_no_memory() == CLI_DONE;
  memcpy(v->name, text, (size_t)(equals - text));
  v->text = at;
  if (strchr(at, ':')) {
    if (!number(&at, ':', &v->low) || !number(&at, ':', &v->high)) return bad_vary(text);
    if (samples) return *at ? bad_vary(text) : true;
    if (!number(&at, ':', &count) || *at || count < 1 || count > MOST_RUNS || count != floor(count))
      return bad_vary(text);
    v->n = (int)count;
    v->values = calloc((size_t)v->n, sizeof *v->values);
    if (!v->values) return cli_no_memory() == CLI_DONE;
    for (int i = 0; i < v->n; i++)
      v->values[i] = v->n == 1 ? v->low : v->low + (v->high - v->low) * i / (v->n - 1);
    return true;
  }
  if (samples) return bad_vary(text);
  v->values = calloc(strlen(at) + 1, sizeof *v->values);
  if (!v->values) return cli_no_memory() == CLI_DONE;
  while (*at)
    if (!number(&at, ',', &v->values[v->n++])) return bad_vary(text);
  return true;
}

/* CHANNEL or CHANNEL:max */
static bool read_take(const char *text, sweep_take *t) {
  static const char *const words[] = {"final", "min", "max", "mean", "rms"};
  const char *colon = strrchr(text, ':');
  const size_t length = colon ? (size_t)(colon - text) : strlen(text);
  t->text = text;
  t->channel = calloc(length + 1, 1);
  if (!t->channel) return cli_no_memory() == CLI_DONE;
  memcpy(t->channel, text, length);
  if (!colon) return true;
  for (int i = 0; i < 5; i++)
    if (strcmp(colon + 1, words[i]) == 0) {
      t->kind = (sweep_kind)i;
      return true;
    }
  cli_error("it is final, min, max, mean or rms", "--take %s: '%s' is not known", text, colon + 1);
  return false;
}

/* a whole number from `least` on; false after a message */
static bool read_count(const cli_args *a, cli_id id, double least, double most, int *out) {
  const char *text = cli_value(a, id);
  double x;
  if (!text) return true;
  const char *at = text;
  if (number(&at, '\0', &x) && x >= least && x <= most && x == floor(x)) {
    *out = (int)x;
    return true;
  }
  cli_error(NULL, "--%s must be a whole number from %g on, but it is '%s'",
            cli_option_find(id)->name, least, text);
  return false;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* pseudo-random number below 1 (PCG's multiplier) */
static double random_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = *state ^ (*state >> 29);
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 32;
  return (double)(x >> 11) / 9007199254740992.0;
}

static void draw(sweep *s, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int k = 0; k < s->nvary; k++) {
    const sweep_vary *v = &s->vary[k];
    for (int i = 0; i < s->nruns; i++) {
      const double part = (i + random_number(&state)) / s->nruns;
      s->parameter[i * s->nvary + k] = v->low + (v->high - v->low) * part;
    }
    // each part once, in an order of its own
    for (int i = s->nruns - 1; i > 0; i--) {
      const int j = (int)(random_number(&state) * (i + 1));
      double *a = &s->parameter[i * s->nvary + k], *b = &s->parameter[j * s->nvary + k];
      const double keep = *a;
      *a = *b, *b = keep;
    }
  }
}

/* the last parameter changes fastest */
static void fill_grid(sweep *s) {
  for (int i = 0; i < s->nruns; i++) {
    int rest = i;
    for (int k = s->nvary - 1; k >= 0; k--) {
      s->parameter[i * s->nvary + k] = s->vary[k].values[rest % s->vary[k].n];
      rest /= s->vary[k].n;
    }
  }
}

static bool read_lists(sweep *s, int samples) {
  const cli_args *a = s->args;
  s->vary = calloc((size_t)a->ngiven + 1, sizeof *s->vary);
  s->take = calloc((size_t)a->ngiven + 1, sizeof *s->take);
  if (!s->vary || !s->take) return cli_no_memory() == CLI_DONE;
  for (int i = 0; i < a->ngiven; i++) {
    const char *text = a->given[i].value;
    if (a->given[i].id == CLI_VARY && !read_vary(text, samples > 0, &s->vary[s->nvary++]))
      return false;
    if (a->given[i].id == CLI_TAKE && !read_take(text, &s->take[s->ntake++])) return false;
  }
  if (s->nvary) return true;
  cli_error("--vary k=1:10:20", "nothing varies: give at least one --vary");
  return false;
}

bool sweep_plan(sweep *s) {
  int samples = 0, seed = 1;
  double runs = 1.0;
  if (!read_count(s->args, CLI_SAMPLES, 1, MOST_RUNS, &samples) ||
      !read_count(s->args, CLI_SEED, 0, 2e9, &seed) ||
      !read_count(s->args, CLI_JOBS, 1, 1024, &s->jobs) || !read_lists(s, samples))
    return false;
  for (int k = 0; k < s->nvary && !samples; k++) runs *= s->vary[k].n;
  if (runs > MOST_RUNS) {
    cli_error("draw some of them: --samples 1000", "%.3g runs are too many", runs);
    return false;
  }
  s->nruns = samples ? samples : (int)runs;
  const size_t n = (size_t)s->nruns;
  s->parameter = calloc(n * (size_t)s->nvary, sizeof *s->parameter);
  s->value = calloc(n * (size_t)s->ntake + 1, sizeof *s->value);
  s->row = calloc(n, sizeof *s->row);
  if (!s->parameter || !s->value || !s->row) return cli_no_memory() == CLI_DONE;
  if (samples)
    draw(s, (uint64_t)seed);
  else
    fill_grid(s);
  return true;
}

void sweep_free(sweep *s) {
  for (int i = 0; i < s->nvary; i++) {
    free(s->vary[i].name);
    free(s->vary[i].values);
  }
  for (int i = 0; i < s->ntake; i++) free(s->take[i].channel);
  free(s->vary);
  free(s->take);
  free(s->parameter);
  free(s->value);
  free(s->row);
}
