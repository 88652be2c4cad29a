/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_recursive: time of one articulated-body acceleration, q and v in, vdot out, for a six-link
 * arm and for chains of 10 to 10,000 bodies; recursive.csv in the present directory. Targets: 1.2
 * us for the arm, growth linear in the number of bodies.
 */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"
#include "support.h"

static const int32_t sizes[] = {6, 10, 30, 100, 300, 1000, 3000, 10000};

typedef struct job {
  hk_sim *sim;
  double *q, *a;
} job;

/* q is moved a little each time, so that nothing can be reused */
static void accelerate(void *user) {
  job *j = user;
  hk_integrator *I = &j->sim->I;
  j->q[0] += 1e-9;
  if (j->sim->f->ops->accel(j->sim->f, 0.0, j->q, I->v, j->a) != HK_OK) exit(1);
}

static void time_chain(FILE *csv, int32_t n) {
  hk_ctx *ctx = hk_ctx_create();
  bench_text t = {0};
  bench_chain(&t, n);
  hk_model *m = bench_parse(ctx, &t);
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "recursive";
  job j = {0};
  if (hk_sim_create(m, &opt, &j.sim) != HK_OK) bench_die(ctx, "create");
  j.q = malloc((size_t)j.sim->I.nq * sizeof *j.q);
  j.a = malloc((size_t)j.sim->I.nv * sizeof *j.a);
  if (!j.q || !j.a) exit(1);
  memcpy(j.q, j.sim->I.q, (size_t)j.sim->I.nq * sizeof *j.q);
  double us = bench_time(accelerate, &j);
  printf("%6d bodies %10.3f us, %.4f us a body\n", n, us, us / n);
  fprintf(csv, "%d,%.4f\n", n, us);
  free(j.q);
  free(j.a);
  hk_sim_destroy(j.sim);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  bench_free(&t);
}

int main(void) {
  FILE *csv = bench_csv("recursive.csv", "bodies,acceleration_us");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(sizes); i++) time_chain(csv, sizes[i]);
  fclose(csv);
  return 0;
}
