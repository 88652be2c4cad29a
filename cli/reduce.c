/* SPDX-License-Identifier: Apache-2.0
 *
 * reduce.c: `hooke reduce FILE`: a finite-element model becomes a body with a few modes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct reduce_job {
  const cli_args *args;
  const char *deck;
  char *output, *materials; /* own memory */
  const char **faces;
  hk_reduce_options opt;
  cli_messages messages;
} reduce_job;

/* --- the options ------------------------------------------------------------------------------ */

/* the deck's name with the ending .nc, in the present folder; NULL: no memory */
static char *default_output(const char *deck) {
  const char *slash = strrchr(deck, '/'), *name = slash ? slash + 1 : deck;
  const char *dot = strrchr(name, '.');
  const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
  char *out = malloc(n + 4);
  if (!out) return NULL;
  memcpy(out, name, n);
  memcpy(out + n, ".nc", 4);
  return out;
}

/* all that --material gives, as one text; false: no memory */
static bool join_materials(reduce_job *job) {
  const cli_args *a = job->args;
  size_t n = 0;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_MATERIAL) n += strlen(a->given[i].value) + 2;
  if (!n) return true;
  job->materials = calloc(n + 1, 1);
  if (!job->materials) return cli_no_memory() == CLI_DONE;
  for (int i = 0; i < a->ngiven; i++) {
    if (a->given[i].id != CLI_MATERIAL) continue;
    if (*job->materials) strcat(job->materials, "; ");
    strcat(job->materials, a->given[i].value);
  }
  return true;
}

static bool read_options(reduce_job *job) {
  const cli_args *a = job->args;
  const char *output = cli_value(a, CLI_BODY_FILE);
  double modes = 10.0;
  job->opt = hk_reduce_options_def();
  if (!cli_file("deck", job->deck) || !cli_number(a, CLI_MODES, &modes) || !join_materials(job))
    return false;
  if (modes < 0.0 || modes > 1000.0 || modes != floor(modes)) {
    cli_error(NULL, "--modes must be a count from 0 to 1000, but it is '%s'",
              cli_value(a, CLI_MODES));
    return false;
  }
  job->opt.modes = (int32_t)modes;
  job->opt.stiffness = cli_value(a, CLI_STIFFNESS), job->opt.mass = cli_value(a, CLI_MASS);
  job->opt.material = job->materials, job->opt.unit = cli_value(a, CLI_LENGTH_UNIT);
  job->output = output ? strdup(output) : default_output(job->deck);
  job->faces = calloc((size_t)a->ngiven + 1, sizeof *job->faces);
  if (!job->output || !job->faces) return cli_no_memory() == CLI_DONE;
  if (!cli_file("body", job->output) || !cli_file_of("body", job->output, ".nc", ".nc"))
    return false;
  for (int i = 0; i < a->ngiven; i++)
    if (a->given[i].id == CLI_INTERFACE) job->faces[job->opt.ninterfaces++] = a->given[i].value;
  job->opt.interfaces = job->faces;
  return true;
}

/* --- the output ------------------------------------------------------------------------------- */

static hk_flexible_mode mode_at(const hk_flexible *b, int32_t i) {
  hk_flexible_mode m = {.size = sizeof m};
  (void)hk_flexible_mode_get(b, i, &m);
  return m;
}

static hk_flexible_held_mode held_at(const hk_flexible *b, int32_t i) {
  hk_flexible_held_mode h = {.size = sizeof h};
  (void)hk_flexible_held_mode_get(b, i, &h);
  return h;
}

/* modes with fixed interfaces: which part of the mass they move */
static void print_held_json(const hk_flexible *b) {
  fputs("], \"held_modes\": [", stdout);
  for (int32_t i = 0; i < hk_flexible_held_modes(b); i++) {
    const hk_flexible_held_mode h = held_at(b, i);
    printf("%s{\"frequency_Hz\": ", i ? ", " : "");
    cli_json_number(stdout, h.frequency);
    fputs(", \"effective_mass\": [", stdout);
    for (int k = 0; k < 3; k++) {
      if (k) fputs(", ", stdout);
      cli_json_number(stdout, h.mass[k] / hk_flexible_mass(b));
    }
    fputs("]}", stdout);
  }
}

static void print_held(const hk_flexible *b) {
  const int32_t n = hk_flexible_held_modes(b);
  double sum[3] = {0};
  if (n)
    printf("\n  with fixed interfaces\n  %5s %14s  %s\n", "mode", "frequency Hz",
           "part of the mass moved along x, y, z");
  for (int32_t i = 0; i < n; i++) {
    const hk_flexible_held_mode h = held_at(b, i);
    printf("  %5d %14.7g ", (int)i + 1, h.frequency);
    for (int k = 0; k < 3; k++) {
      const double part = h.mass[k] / hk_flexible_mass(b);
      sum[k] += part;
      printf(" %7.1f %%", 100.0 * part);
    }
    putchar('\n');
  }
  if (n)
    printf("  %5s %14s  %7.1f %% %7.1f %% %7.1f %%\n", "all", "", 100.0 * sum[0], 100.0 * sum[1],
           100.0 * sum[2]);
}

static void print_json(const reduce_job *job, const hk_flexible *b, hk_status st,
                       const char *message) {
  const char *name;
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, job->deck);
  fputs(", \"modes\": [", stdout);
  for (int32_t i = 0; i < hk_flexible_modes(b); i++) {
    const hk_flexible_mode m = mode_at(b, i);
    printf("%s{\"kind\": \"%s\", \"frequency_Hz\": ", i ? ", " : "", m.kind);
    cli_json_number(stdout, m.frequency);
    fputs(", \"participation\": ", stdout);
    cli_json_number(stdout, m.share);
    putchar('}');
  }
  print_held_json(b);
  fputs("], \"interfaces\": [", stdout);
  for (int32_t i = 0; (name = hk_flexible_interface(b, i)) != NULL; i++) {
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, name);
  }
  fputs("], \"mass\": ", stdout);
  cli_json_number(stdout, hk_flexible_mass(b));
  fputs(", \"output\": ", stdout);
  cli_json_string(stdout, st == HK_OK ? job->output : NULL);
  cli_json_status(stdout, st, message);
}

static void print_table(const reduce_job *job, const hk_flexible *b) {
  printf("%s\n  mass %.6g kg, %d modes", job->deck, hk_flexible_mass(b), (int)hk_flexible_modes(b));
  const char *name;
  for (int32_t i = 0; (name = hk_flexible_interface(b, i)) != NULL; i++)
    printf("%s %s", i ? "," : ", interfaces", name);
  printf("\n\n  %5s %14s  %-9s %13s\n", "mode", "frequency Hz", "kind", "participation");
  for (int32_t i = 0; i < hk_flexible_modes(b); i++) {
    const hk_flexible_mode m = mode_at(b, i);
    printf("  %5d %14.7g  %-9s %11.0f %%\n", (int)i + 1, m.frequency, m.kind, 100.0 * m.share);
  }
  print_held(b);
  printf("\n  body           %s\n", job->output);
}

/* --- the verb --------------------------------------------------------------------------------- */

static int reduce(void *user, hk_ctx *ctx) {
  reduce_job *job = user;
  hk_flexible *b = NULL;
  hk_status st = hk_reduce(ctx, job->deck, &job->opt, &b);
  if (st == HK_OK) st = hk_flexible_save(b, job->output);
  cli_say_end(&job->messages, st);
  char *message = cli_first_error(ctx);
  if (cli_has(job->args, CLI_JSON))
    print_json(job, b, st, message);
  else if (st == HK_OK && !job->messages.quiet)
    print_table(job, b);
  free(message);
  hk_flexible_free(b);
  return cli_method_code(&job->messages, st, false);
}

int cli_reduce(const cli_args *args) {
  reduce_job job = {.args = args, .deck = args->positional[0]};
  job.messages.quiet = cli_has(args, CLI_QUIET);
  int code = CLI_USAGE;
  if (read_options(&job)) code = cli_in_context(args, &job.messages, reduce, &job);
  free(job.output);
  free(job.materials);
  free(job.faces);
  return code;
}
