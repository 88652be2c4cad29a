/* SPDX-License-Identifier: Apache-2.0
 *
 * consumer.c: a program outside that uses an installed Hooke: swings a pendulum for a second and
 * says how well energy was kept.
 */
#include <hooke/hooke.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rod: {mass: 1, com: [0.5, 0, 0], inertia: {yy: 1/12, zz: 1/12}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}\n"
    "run: {time: 1, step: 0.001, integrator: trapezoidal}\n";

static void show(const hk_message *m, void *user) {
  (void)user;
  fprintf(stderr, "%s:%d:%d: %s\n", m->file ? m->file : "", (int)m->line, (int)m->column, m->text);
}

int main(void) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *model = NULL;
  hk_sim *sim = NULL;
  hk_summary sum = {.max_drift_J = 1.0};
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, show, NULL);

  /* read, create, step to the end; no allocation while stepping */
  hk_status s = hk_model_parse(ctx, text, strlen(text), "pendulum.yaml", NULL, 0, &model);
  if (s == HK_OK) s = hk_sim_create(model, NULL, &sim);
  uint64_t before = hk_ctx_allocations(ctx);
  while (s == HK_OK && !hk_sim_done(sim)) s = hk_sim_step(sim);
  int quiet = hk_ctx_allocations(ctx) == before;
  if (sim) hk_sim_summary(sim, &sum);
  printf("hooke %s: %s, drift %.1e J in %d steps\n", HK_VERSION_STRING, hk_status_text(s),
         sum.max_drift_J, (int)sum.steps);

  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return s == HK_OK && quiet && fabs(sum.max_drift_J) < 1e-5 ? 0 : 1;
}
