/* SPDX-License-Identifier: Apache-2.0
 *
 * resume.c: steps a simulation, reads its channels by number at each step, writes a checkpoint half
 * way, and goes on from it in a second simulation: both must agree to the last bit.
 *
 *   resume [CHECKPOINT]      default: resume.checkpoint
 *
 * The model is a mass on a spring and a damper. Standard output has one line for each step: time,
 * displacement, velocity.
 */
#include <hooke/hooke.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "hooke: 1\n"
    "title: A mass on a spring and a damper\n"
    "gravity: [0, 0, 0]\n"
    "parameters: {m: 2, k: 200, c: 4, x0: 0.1}\n"
    "bodies:\n"
    "  block: {mass: m, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\n"
    "joints:\n"
    "  slide: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}\n"
    "forces:\n"
    "  spring: {type: joint_spring, joint: slide, stiffness: k, damping: c}\n"
    "start:\n"
    "  slide: {position: x0}\n"
    "record: [joint.slide.position, joint.slide.velocity, energy.total]\n"
    "run: {time: 2, step: 0.01, integrator: trapezoidal}\n";

enum { MOST = 8 }; /* channels that this program has room for */

/* the channels that are read at each step, found by name once */
typedef struct handles {
  int32_t position, velocity;
} handles;

static int32_t find(const hk_sim *sim, const char *name) {
  for (int32_t i = 0; i < hk_sim_channel_count(sim); i++)
    if (strcmp(hk_sim_channel_name(sim, i), name) == 0) return i;
  return -1;
}

static void tell(const hk_message *m, void *user) {
  (void)user;
  fprintf(stderr, "%s:%d:%d: %s\n", m->file ? m->file : "resume", (int)m->line, (int)m->column,
          m->text);
}

/* steps from here to a time; the last values stay in `values` */
static hk_status march(hk_sim *sim, double end, const handles *h, double *values) {
  hk_status s = HK_OK;
  while (s == HK_OK && !hk_sim_done(sim) && hk_sim_time(sim) < end - 1e-9) {
    s = hk_sim_step(sim);
    if (s == HK_OK) s = hk_sim_values(sim, values);
    if (s == HK_OK && h)
      printf("%.17g %.17g %.17g\n", hk_sim_time(sim), values[h->position], values[h->velocity]);
  }
  return s;
}

/* the first simulation to its end, with a checkpoint at 1 s */
static hk_status run_whole(hk_sim *sim, const char *checkpoint, double *values) {
  const handles h = {find(sim, "joint.slide.position"), find(sim, "joint.slide.velocity")};
  if (h.position < 0 || h.velocity < 0 || hk_sim_channel_count(sim) > MOST) return HK_E_INTERNAL;
  hk_status s = march(sim, 1.0, &h, values);
  if (s == HK_OK) s = hk_sim_save(sim, checkpoint);
  return s == HK_OK ? march(sim, 2.0, &h, values) : s;
}

/* the second one begins where the checkpoint was written */
static hk_status run_rest(hk_sim *sim, const char *checkpoint, double *values) {
  hk_status s = hk_sim_load(sim, checkpoint);
  if (s == HK_OK) fprintf(stderr, "resumed at t = %g s\n", hk_sim_time(sim));
  return s == HK_OK ? march(sim, 2.0, NULL, values) : s;
}

int main(int argc, char **argv) {
  const char *checkpoint = argc > 1 ? argv[1] : "resume.checkpoint";
  double whole[MOST] = {0.0}, rest[MOST] = {0.0};
  hk_model *model = NULL;
  hk_sim *first = NULL, *second = NULL;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, NULL);

  // two simulations of one model, which ends with the last of them
  hk_status s = hk_model_parse(ctx, text, strlen(text), "oscillator.yaml", NULL, 0, &model);
  if (s == HK_OK) s = hk_sim_create(model, NULL, &first);
  if (s == HK_OK) s = hk_sim_create(model, NULL, &second);
  hk_model_release(model);

  if (s == HK_OK) s = run_whole(first, checkpoint, whole);
  if (s == HK_OK) s = run_rest(second, checkpoint, rest);
  int same = s == HK_OK && memcmp(whole, rest, sizeof whole) == 0;
  fputs(same ? "the same to the last bit\n" : "NOT the same\n", stderr);

  hk_sim_destroy(first);
  hk_sim_destroy(second);
  hk_ctx_destroy(ctx);
  return same ? 0 : 1;
}
