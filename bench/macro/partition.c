/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_partition: one step of the partition formulation against one of the hybrid on the same
 * models, trapezoidal rule, and where its iteration spends the time: elements (wrenches and their
 * derivatives), assembly (rows, curvatures, columns of the tangent), factor (both Jacobians and the
 * tangent), solve (columns P, multipliers, the correction). partition.csv in the present directory.
 */
#include <string.h>

#include "formulations/partition/partition.h"
#include "simulation/simulation.h"
#include "support.h"

typedef struct model_case {
  const char *name, *file;
  double step, time;
} model_case;

static const model_case cases[] = {
    {"double-pendulum-stiff", HOOKE_SOURCE "/examples/double-pendulum-stiff.yaml", 1e-3, 0.1},
    {"slider-crank-stiff", HOOKE_SOURCE "/examples/slider-crank-stiff.yaml", 1e-3, 0.1},
    {"andrews-stiff", HOOKE_SOURCE "/examples/andrews-stiff.yaml", 1e-4, 0.035},
    {"iltis", HOOKE_SOURCE "/examples/iltis/ramp-and-stairs.yaml", 0.01, 4.0},
};

enum { RUNS = 8, CASES = sizeof cases / sizeof cases[0] };

static hk_sim *start(hk_ctx *ctx, hk_model *m, const model_case *c, const char *formulation) {
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = formulation;
  opt.integrator = "trapezoidal";
  opt.step = c->step;
  opt.time = c->time;
  if (hk_sim_create(m, &opt, &s) != HK_OK) bench_die(ctx, "cannot start");
  return s;
}

/* microseconds of a step, the fastest of several runs; iterations a step */
static double time_steps(hk_ctx *ctx, hk_model *m, const model_case *c, const char *formulation,
                         double *iterations) {
  double best = 1e30;
  for (int i = 0; i < RUNS; i++) {
    hk_sim *s = start(ctx, m, c, formulation);
    hk_summary sum;
    while (!hk_sim_done(s))
      if (hk_sim_step(s) != HK_OK) bench_die(ctx, "cannot step");
    hk_sim_summary(s, &sum);
    double us = 1e6 * sum.cpu_s / (double)sum.steps;
    best = us < best ? us : best;
    *iterations = (double)sum.iterations / (double)sum.steps;
    hk_sim_destroy(s);
  }
  return best;
}

/* --- the parts of an iteration, at a state of a run ------------------------------------------- */

static void elements(void *user) {
  hk_partition *p = user;
  hki_bodies_forces(p->c);
  hki_partition_pairs(p);
}

static void assembly(void *user) {
  hk_partition *p = user;
  hki_bodies_state(p->c, p->st.t, p->q, p->v);
  hki_bodies_rows(p->c);
  hki_bodies_bias(p->c);
  hki_partition_tangent(p);
}

static void factor(void *user) {
  hk_partition *p = user;
  (void)hki_partition_factor(p, &p->vel, NULL);
  if (p->two) (void)hki_partition_factor(p, &p->chart, p->D);
  if (!p->f) return;
  memcpy(p->W1, p->T, (size_t)(p->ldt * p->f) * sizeof *p->T);
  (void)hki_dense_lu_factor(p->f, p->W1, p->ldt, p->Tpivot, p->Tinv, p->work, NULL);
}

static void solve(void *user) {
  hk_partition *p = user;
  hki_partition_both_columns(p);
  hki_partition_multipliers(p, p->r, p->lam);
  if (p->f) hki_dense_lu_solve(p->f, p->W1, p->ldt, p->Tpivot, p->Tinv, p->psi, p->work);
}

static const struct {
  const char *name;
  bench_job job;
} parts[] = {{"elements", elements}, {"assembly", assembly}, {"factor", factor}, {"solve", solve}};

static void time_case(FILE *csv, const model_case *c) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = bench_load(ctx, c->file);
  double ip, ih, us = time_steps(ctx, m, c, "partition", &ip);
  double hybrid = time_steps(ctx, m, c, "hybrid", &ih);
  hk_sim *s = start(ctx, m, c, "partition");
  for (int i = 0; i < 5; i++)
    if (hk_sim_step(s) != HK_OK) bench_die(ctx, "cannot step");
  hk_partition *p = (hk_partition *)s->f;
  printf(
      "%-22s %2d of %2d coordinates independent: %7.2f us a step (%.2f iterations), hybrid %6.2f "
      "us (%.2f): %.1f times\n",
      c->name, p->f, p->n, us, ip, hybrid, ih, us / hybrid);
  fprintf(csv, "%s,step,%.3f\n%s,iterations a step,%.3f\n", c->name, us, c->name, ip);
  fprintf(csv, "%s,step of hybrid,%.3f\n%s,iterations a step of hybrid,%.3f\n", c->name, hybrid,
          c->name, ih);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    double t = bench_time(parts[i].job, p);
    printf("  %-10s %8.2f us\n", parts[i].name, t);
    fprintf(csv, "%s,%s,%.3f\n", c->name, parts[i].name, t);
  }
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

int main(void) {
  FILE *csv = bench_csv("partition.csv", "model,part,microseconds");
  printf("%s\n", bench_cpu());
  for (int i = 0; i < CASES; i++) time_case(csv, &cases[i]);
  fclose(csv);
  return 0;
}
