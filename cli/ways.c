/* SPDX-License-Identifier: Apache-2.0
 *
 * ways.c: see ways.h.
 */
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SHAFT:JOINT,JOINT,.. */
static bool read_ring(const char *given, hk_blades *ring, char **text, const char ***names) {
  char *word = *text = strdup(given);
  size_t n = 1;
  for (const char *c = given; *c; c++) n += *c == ',';
  *names = calloc(n, sizeof **names);
  if (!word || !*names) {
    cli_no_memory();
    return false;
  }
  char *joints = strchr(word, ':');
  if (joints) *joints++ = '\0';
  *ring = (hk_blades){.shaft = word, .joints = *names};
  for (char *next; joints && *joints; joints = next) {
    next = strchr(joints, ',');
    if (next) *next++ = '\0';
    if (*joints) (*names)[ring->n++] = joints;
    if (!next) break;
  }
  if (*word && ring->n > 1) return true;
  cli_error("--multiblade shaft:lag1,lag2,lag3,lag4",
            "--multiblade must be SHAFT:JOINT,JOINT,.. with a joint of each blade, but it is '%s'",
            given);
  return false;
}

/* a time, or the name of a joint that turns once in it */
static bool read_period(cli_ways *w) {
  char *end;
  w->seconds = NAN;
  if (!w->period) return true;
  const double T = strtod(w->period, &end);
  if (end == w->period || *end) return true;
  w->seconds = T;
  if (T > 0.0 && isfinite(T)) return true;
  cli_error(NULL,
            "--period must be a time in seconds or a joint that turns once in it, but it is '%s'",
            w->period);
  return false;
}

/* --near, --sparse */
static bool read_choice(const cli_args *a, cli_ways *w) {
  const char *near = cli_value(a, CLI_NEAR), *sparse = cli_value(a, CLI_SPARSE);
  char *end = NULL;
  w->sparse = -1;
  if (near) w->near = strtod(near, &end);
  if (near && (end == near || *end || !(w->near > 0.0) || !isfinite(w->near))) {
    cli_error(NULL, "--near must be a frequency in Hz above 0, but it is '%s'", near);
    return false;
  }
  if (near && cli_has(a, CLI_BETWEEN)) {
    cli_error("leave out one of them", "--near and --between ask for different modes");
    return false;
  }
  if (!sparse) return true;
  w->sparse = strcmp(sparse, "on") == 0 ? 1 : 0;
  if (w->sparse || strcmp(sparse, "off") == 0) return true;
  cli_error(NULL, "--sparse must be on or off, but it is '%s'", sparse);
  return false;
}

bool cli_ways_read(const cli_args *a, cli_ways *w) {
  *w = (cli_ways){.period = cli_value(a, CLI_PERIOD), .frame = cli_value(a, CLI_FRAME)};
  w->integrator = cli_value(a, CLI_INTEGRATOR);
  w->rings = calloc((size_t)a->ngiven + 1, sizeof *w->rings);
  w->text = calloc((size_t)a->ngiven + 1, sizeof *w->text);
  w->names = calloc((size_t)a->ngiven + 1, sizeof *w->names);
  if (!w->rings || !w->text || !w->names) {
    cli_no_memory();
    return false;
  }
  for (int i = 0; i < a->ngiven; i++) {
    if (a->given[i].id != CLI_MULTIBLADE) continue;
    const int k = w->nrings++;
    if (!read_ring(a->given[i].value, &w->rings[k], &w->text[k], &w->names[k])) return false;
  }
  if (w->period && (w->nrings || w->frame)) {
    cli_error(
        "leave out one of them",
        "--period is for motions that change with time; --multiblade and --frame make them steady");
    return false;
  }
  return read_period(w) && read_choice(a, w);
}

void cli_ways_free(cli_ways *w) {
  for (int i = 0; i < w->nrings; i++) {
    free(w->text[i]);
    free((void *)w->names[i]);
  }
  free(w->rings);
  free((void *)w->text);
  free((void *)w->names);
}

/* the time of one turn of a joint at its present rate */
static bool turn_of(const char *name, hk_sim *s, double *T) {
  double rate = 0.0;
  const int32_t j = hk_sim_joint_find(s, name);
  if (j < 0 || hk_sim_joint_coordinates(s, j) != 1 ||
      hk_sim_joint_get(s, j, 1, NULL, &rate) != HK_OK) {
    cli_error(NULL, "--period must be a time in seconds or a joint with one angle, but it is '%s'",
              name);
    return false;
  }
  *T = 2.0 * 3.14159265358979323846 / fabs(rate);
  if (fabs(rate) > 1e-9) return true;
  cli_error("look at another time by --at, or give the period in seconds",
            "joint '%s' does not turn, so that its period is not known", name);
  return false;
}

bool cli_ways_apply(const cli_ways *w, hk_sim *s, hk_statespace_options *opt) {
  opt->frame = w->frame, opt->integrator = w->integrator;
  opt->rings = w->rings, opt->nrings = w->nrings;
  opt->number = w->number, opt->sparse = w->sparse;
  opt->near_Hz = w->near, opt->low_Hz = w->low, opt->high_Hz = isfinite(w->high) ? w->high : 0.0;
  if (!w->period) return true;
  opt->period = w->seconds;
  return isnan(w->seconds) ? turn_of(w->period, s, &opt->period) : true;
}

void cli_ways_near(const cli_ways *w, const hk_statespace *x, int32_t *first, int32_t *end) {
  const int32_t most = w->number > 0 ? w->number : 10;
  while (*end - *first > most) {
    hk_mode low = {.size = sizeof low}, high = {.size = sizeof high};
    (void)hk_statespace_mode(x, *first, &low);
    (void)hk_statespace_mode(x, *end - 1, &high);
    if (w->near - low.frequency_Hz > high.frequency_Hz - w->near)
      ++*first;
    else
      --*end;
  }
}

void cli_ways_warn_of_motion(hk_sim *s) {
  const int32_t n = hk_sim_velocity_count(s);
  double *v = calloc((size_t)n + 1, sizeof *v);
  int32_t most = 0;
  if (v && hk_sim_coordinates_get(s, NULL, v) == HK_OK)
    for (int32_t i = 1; i < n; i++)
      if (fabs(v[i]) > fabs(v[most])) most = i;
  if (v && n && fabs(v[most]) > 1e-6)
    cli_warning("use --at steady, or stop the motion",
                "the equilibrium moves: a prescribed motion goes on, and %s is %.6g",
                hk_sim_velocity_name(s, most), v[most]);
  free(v);
}

void cli_ways_warn(const hk_statespace *x) {
  const char *name;
  double error, apart;
  const double T = hk_statespace_period(x, &error, &apart, &name),
               varies = hk_statespace_variation(x);
  if (T > 0.0 && apart > 1e-5)
    cli_warning("multipliers belong to motions that repeat themselves: look for one with --at "
                "TIME, or change the "
                "period",
                "the motion does not return after %.9g s: %s is off by %.3g", T, name, apart);
  if (varies > 1e-6)
    cli_warning(
        "rotors want --multiblade or --frame, other motions --period",
        "the equations change along the motion, by %.2g %% within 0.7 rad: their eigenvalues tell "
        "nothing about stability",
        100.0 * varies);
}

/* the largest multiplier of all */
static double largest(const hk_statespace *x, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) {
    hk_mode m = {.size = sizeof m};
    if (hk_statespace_mode(x, i, &m) == HK_OK)
      most = fmax(
          most, m.real == 0.0 && m.imag == 0.0 ? 1.0 : hypot(m.multiplier_real, m.multiplier_imag));
  }
  return most;
}

/* unstable: beyond what the error of the runs can do to a twofold multiplier */
static bool is_stable(const hk_statespace *x, double mu) {
  double error;
  hk_statespace_period(x, &error, NULL, NULL);
  return mu <= 1.0 + sqrt(10.0 * fmax(error, 1e-13));
}

void cli_ways_print(const hk_statespace *x, int32_t n) {
  double error;
  const double T = hk_statespace_period(x, &error, NULL, NULL), mu = largest(x, n);
  if (!(T > 0.0)) return;
  printf("\n  Floquet multipliers over %.9g s, by differences of runs, to %.1g: the largest has "
         "the size %.9g, the motion is "
         "%s\n",
         T, error, mu, is_stable(x, mu) ? "stable" : "unstable");
  for (int32_t i = 0; i < n; i++) {
    hk_mode m = {.size = sizeof m};
    if (hk_statespace_mode(x, i, &m) == HK_OK)
      printf("  %4d %14.9f %s %.9f i, size %.9f\n", (int)i + 1, m.multiplier_real,
             m.multiplier_imag > 0.0 ? "+-" : "+", m.multiplier_imag,
             hypot(m.multiplier_real, m.multiplier_imag));
  }
}

void cli_ways_json(const hk_statespace *x, int32_t n) {
  double error, apart;
  const double T = hk_statespace_period(x, &error, &apart, NULL), mu = largest(x, n);
  printf(", \"sparse\": %s", hk_statespace_sparse(x) ? "true" : "false");
  if (!(T > 0.0)) {
    fputs(", \"variation\": ", stdout);
    cli_json_number(stdout, hk_statespace_variation(x));
    return;
  }
  fputs(", \"period\": ", stdout);
  cli_json_number(stdout, T);
  fputs(", \"error\": ", stdout);
  cli_json_number(stdout, error);
  fputs(", \"apart\": ", stdout);
  cli_json_number(stdout, apart);
  printf(", \"stable\": %s, \"multipliers\": [", is_stable(x, mu) ? "true" : "false");
  for (int32_t i = 0; i < n; i++) {
    hk_mode m = {.size = sizeof m};
    (void)hk_statespace_mode(x, i, &m);
    fputs(i ? ", [" : "[", stdout);
    cli_json_number(stdout, m.multiplier_real);
    fputs(", ", stdout);
    cli_json_number(stdout, m.multiplier_imag);
    putchar(']');
  }
  putchar(']');
}
