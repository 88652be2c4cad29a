/* SPDX-License-Identifier: Apache-2.0
 *
 * speed-loop.c: closes a PI speed loop outside of the library, step by step, and compares it with the
 * same loop inside of the model (examples/speed-loop.yaml).
 *
 *   speed-loop MODEL [STEP]           speed-loop ../speed-loop.yaml 0.0005
 *
 * Standard output has one line for each step: time, speed of the rotor that the model controls, speed
 * of the rotor that this program controls. The last line has the largest difference; it is halved with
 * the step. The exit code is 0 when the run reached its end.
 */
#include <hooke/hooke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* each message as it arises */
static void tell(const hk_message *m, void *user) { fprintf(user, "%s\n", m->text); }

/* the controller: what it wants, its gains, what it remembers */
typedef struct controller {
  double speed, kp, ki, sum;
} controller;

/* torque for the next step of length h */
static double control(controller *c, double rate, double h) {
  const double error = c->speed - rate, torque = c->kp * error + c->ki * c->sum;
  c->sum += h * error;
  return torque;
}

/* steps until the end; worst: largest difference of both speeds */
static hk_status loop(hk_sim *sim, double *worst) {
  controller c = {.speed = 20.0, .kp = 0.4, .ki = 4.0};
  hk_summary sum;
  double rate[2];
  // names are looked up once
  const int32_t torque = hk_sim_input_find(sim, "torque");
  const int32_t handle[2] = {hk_sim_channel_handle(sim, "joint.inside.rate"),
                             hk_sim_channel_handle(sim, "joint.outside.rate")};
  if (torque < 0 || handle[0] < 0 || handle[1] < 0) return HK_E_USAGE;
  hk_sim_summary(sim, &sum);
  hk_status s = HK_OK;
  while (s == HK_OK && !hk_sim_done(sim)) {
    s = hk_sim_read(sim, 2, handle, rate);
    if (s != HK_OK) break;
    *worst = fmax(*worst, fabs(rate[1] - rate[0]));
    printf("%.6f %.9f %.9f\n", hk_sim_time(sim), rate[0], rate[1]);
    // the first torque begins at once, later ones change little
    s = hk_sim_input_set(sim, torque, control(&c, rate[1], sum.step_s), hk_sim_time(sim) == 0.0);
    if (s == HK_OK) s = hk_sim_step(sim);
  }
  return s;
}

int main(int argc, char **argv) {
  const double step = argc == 3 ? strtod(argv[2], NULL) : 0.0;
  if (argc < 2 || argc > 3 || (argc == 3 && !(step > 0.0))) {
    fputs("usage: speed-loop MODEL [STEP]\n", stderr);
    return 2;
  }
  hk_model *model = NULL;
  hk_sim *sim = NULL;
  double worst = 0.0;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, stderr);
  hk_sim_options options = hk_sim_options_def();
  options.step = step;
  hk_status s = hk_model_load(ctx, argv[1], NULL, 0, &model);
  if (s == HK_OK) s = hk_sim_create(model, &options, &sim);
  if (s == HK_OK) s = loop(sim, &worst);
  if (s == HK_OK) printf("# largest difference %.6g rad/s\n", worst);
  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return s == HK_OK ? 0 : 1;
}
