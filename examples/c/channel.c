/* SPDX-License-Identifier: Apache-2.0
 *
 * channel.c: reads a model, runs it to its end, and prints one channel at every step.
 *
 *   channel MODEL CHANNEL [STEP]      channel pendulum.yaml joint.pin.angle 0.005
 *
 * Standard output has one line for each step, time and value; what goes wrong is told on standard
 * error. The exit code is 0 when the run reached its end.
 */
#include <hooke/hooke.h>
#include <stdio.h>
#include <stdlib.h>

/* each message as it arises: where it was found, what it is, what to do about it */
static void tell(const hk_message *m, void *user) {
  FILE *out = user;
  if (m->file) fprintf(out, "%s:%d:%d: ", m->file, (int)m->line, (int)m->column);
  fprintf(out, "%s\n", m->text);
  if (m->hint) fprintf(out, "  hint: %s\n", m->hint);
}

/* one line: time and value */
static hk_status print_row(hk_sim *sim, const char *channel) {
  double value;
  hk_status s = hk_sim_value(sim, channel, &value);
  if (s == HK_OK) printf("%.17g %.17g\n", hk_sim_time(sim), value);
  return s;
}

int main(int argc, char **argv) {
  const double step = argc == 4 ? strtod(argv[3], NULL) : 0.0;
  if (argc < 3 || argc > 4 || (argc == 4 && !(step > 0.0))) {
    fputs("usage: channel MODEL CHANNEL [STEP]\n", stderr);
    return 2;
  }
  hk_model *model = NULL;
  hk_sim *sim = NULL;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, stderr);

  // the file says how to run; a step given here wins, 0 leaves it to the file
  hk_sim_options options = hk_sim_options_def();
  options.step = step;
  hk_status s = hk_model_load(ctx, argv[1], NULL, 0, &model);
  if (s == HK_OK) s = hk_sim_create(model, &options, &sim);

  if (s == HK_OK) s = print_row(sim, argv[2]);
  while (s == HK_OK && !hk_sim_done(sim)) {
    s = hk_sim_step(sim);
    if (s == HK_OK) s = print_row(sim, argv[2]);
  }

  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return s == HK_OK ? 0 : 1;
}
