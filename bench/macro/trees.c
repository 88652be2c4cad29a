/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_trees: trees and rows of loops, small and large. Accelerations of a six-link arm and of a
 * humanoid with 30 degrees of freedom; steps of the arm with rk4; implicit steps of 10 to 100
 * four-bars in a row, of scissor lifts of 20 to 1,000 stages, and of chains of 100 to 10,000 bodies. trees.csv in the present
 * directory.
 *
 *   bench_trees ROW                    the time of one row alone
 *   bench_trees ROW STEPS              steps or accelerations to be counted (bench/count)
 */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"
#include "support.h"

/* --- models ----------------------------------------------------------------------------------- */

static void link(bench_text *t, const char *name, double x, double y, double z) {
  bench_add(t, "  %s: {mass: 1, com: [%g, %g, %g], inertia: {diagonal: [0.01, 0.02, 0.03]}}\n",
            name, x, y, z);
}

static void hinge(bench_text *t, const char *on, const char *name, double x, double y, double z,
                  const char *axis) {
  bench_add(t, "  j_%s: {type: revolute, between: [%s, %s], at: [%g, %g, %g], axis: %s}\n", name,
            on, name, x, y, z, axis);
}

/* limbs of a humanoid: number of hinges, place of the first on the trunk, way of the limb */
static const struct limb {
  const char *name;
  int n;
  double x, y, z, dz;
} limbs[] = {{"left_leg", 6, 0, 0.1, 0, -0.15},
             {"right_leg", 6, 0, -0.1, 0, -0.15},
             {"left_arm", 5, 0, 0.2, 0.5, -0.12},
             {"right_arm", 5, 0, -0.2, 0.5, -0.12},
             {"head", 2, 0, 0, 0.6, 0.1}};

/* a free trunk and 24 hinges */
static void humanoid(bench_text *t, int32_t n) {
  static const char *const axes[] = {"x", "y", "z"};
  (void)n;
  bench_add(t, "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  link(t, "trunk", 0, 0, 0.3);
  for (int pass = 0; pass < 2; pass++) {
    if (pass) bench_add(t, "joints:\n");
    for (size_t i = 0; i < HK_ARRAY_LEN(limbs); i++) {
      const struct limb *l = &limbs[i];
      for (int k = 0; k < l->n; k++) {
        char name[40], on[40] = "trunk";
        const double z = l->z + k * l->dz;
        snprintf(name, sizeof name, "%s%d", l->name, k);
        if (k) snprintf(on, sizeof on, "%s%d", l->name, k - 1);
        if (pass)
          hinge(t, on, name, l->x, l->y, z, axes[k % 3]);
        else
          link(t, name, l->x + 0.01, l->y, z + 0.5 * l->dz);
      }
    }
  }
  bench_add(t, "run: {time: 1, step: 0.001}\n");
}

/* cranks of length 1 at x = 0, 1, .. n on the ground, a coupler from each to the next; in the plane */
static void four_bars(bench_text *t, int32_t n) {
  char a[24], b[24];
  bench_add(t, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int32_t i = 0; i <= n; i++) {
    bench_add(t, "  crank%d: {mass: 1, com: [%d, 0.5, 0], inertia: {zz: 1/12}}\n", (int)i, (int)i);
    if (i < n)
      bench_add(t, "  rod%d: {mass: 1, com: [%g, 1, 0], inertia: {zz: 1/12}}\n", (int)i, i + 0.5);
  }
  bench_add(t, "joints:\n");
  for (int32_t i = 0; i <= n; i++) {
    snprintf(a, sizeof a, "crank%d", (int)i);
    snprintf(b, sizeof b, "rod%d", (int)i);
    hinge(t, "ground", a, i, 0, 0, "z");
    if (i < n) hinge(t, a, b, i, 1, 0, "z");
    if (i < n)
      bench_add(t, "  c%d: {type: revolute, between: [rod%d, crank%d], at: [%d, 1, 0], axis: z}\n",
                (int)i, (int)i, (int)i + 1, (int)i + 1);
  }
  bench_add(t, "start: {j_crank0: {rate: -1}}\nrun: {time: 1, step: 0.01}\n");
}

/* stages of height 1 and width 2 on top of each other, on a spring between the feet; in the plane */
static void scissors(bench_text *t, int32_t n) {
  bench_add(t, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int32_t k = 0; k < n; k++)
    for (const char *c = "ab"; *c; c++)
      bench_add(t, "  %c%d: {mass: 1, com: [1, %g, 0], inertia: {zz: 0.4}}\n", *c, (int)k, k + 0.5);
  bench_add(t, "joints:\n"
               "  foot: {type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}\n"
               "  slide: {type: in_line, between: [ground, b0], at: [2, 0, 0], axis: x}\n");
  for (int32_t i = 0; i < n; i++) {
    const int k = i;
    bench_add(t, "  p%d: {type: revolute, between: [a%d, b%d], at: [1, %g, 0], axis: z}\n", k, k, k,
              k + 0.5);
    if (k + 1 == n) break;
    bench_add(t, "  u%d: {type: revolute, between: [a%d, b%d], at: [2, %d, 0], axis: z}\n", k, k,
              k + 1, k + 1);
    bench_add(t, "  v%d: {type: revolute, between: [b%d, a%d], at: [0, %d, 0], axis: z}\n", k, k,
              k + 1, k + 1);
  }
  const double k = 20000.0 * n * n;
  bench_add(t,
            "forces:\n  jack: {type: spring_damper, between: [ground, b0], ends: [[0, 0, 0], "
            "[2, 0, 0]], stiffness: %g, damping: %g, length: 2}\nrun: {time: 1, step: 0.01}\n",
            k, 0.1 * k);
}

/* --- rows ------------------------------------------------------------------------------------- */

typedef enum what { ACCELERATION, STEP } what;

static const struct row {
  const char *name;
  void (*make)(bench_text *t, int32_t n);
  int32_t n;
  what what;
  const char *formulation, *integrator;
  int32_t steps; /* after which the run begins anew */
} rows[] = {
    {"arm", bench_chain, 6, ACCELERATION, "recursive", "rk4", 0},
    {"humanoid", humanoid, 0, ACCELERATION, "recursive", "rk4", 0},
    {"arm-rk4", bench_chain, 6, STEP, "recursive", "rk4", 200},
    {"humanoid-rk4", humanoid, 0, STEP, "recursive", "rk4", 200},
    {"bars-10-hybrid", four_bars, 10, STEP, "hybrid", "trapezoidal", 40},
    {"bars-100-hybrid", four_bars, 100, STEP, "hybrid", "trapezoidal", 40},
    {"bars-10-topological", four_bars, 10, STEP, "topological", "trapezoidal", 40},
    {"bars-100-topological", four_bars, 100, STEP, "topological", "trapezoidal", 40},
    {"bars-10-recursive", four_bars, 10, STEP, "recursive", "trapezoidal", 40},
    {"bars-100-recursive", four_bars, 100, STEP, "recursive", "trapezoidal", 40},
    {"scissors-20-hybrid", scissors, 20, STEP, "hybrid", "trapezoidal", 20},
    {"scissors-100-hybrid", scissors, 100, STEP, "hybrid", "trapezoidal", 20},
    {"scissors-1000-hybrid", scissors, 1000, STEP, "hybrid", "trapezoidal", 20},
    {"scissors-20-topological", scissors, 20, STEP, "topological", "trapezoidal", 20},
    {"scissors-50-topological", scissors, 50, STEP, "topological", "trapezoidal", 20},
    {"scissors-100-topological", scissors, 100, STEP, "topological", "trapezoidal", 20},
    {"scissors-1000-topological", scissors, 1000, STEP, "topological", "trapezoidal", 20},
    {"scissors-100-recursive", scissors, 100, STEP, "recursive", "trapezoidal", 20},
    {"scissors-1000-recursive", scissors, 1000, STEP, "recursive", "trapezoidal", 20},
    {"chain-10-hybrid", bench_chain, 10, STEP, "hybrid", "trapezoidal", 40},
    {"chain-100-hybrid", bench_chain, 100, STEP, "hybrid", "trapezoidal", 40},
    {"chain-1000-hybrid", bench_chain, 1000, STEP, "hybrid", "trapezoidal", 20},
    {"chain-100-recursive", bench_chain, 100, STEP, "recursive", "trapezoidal", 40},
    {"chain-1000-recursive", bench_chain, 1000, STEP, "recursive", "trapezoidal", 40},
    {"chain-10000-recursive", bench_chain, 10000, STEP, "recursive", "trapezoidal", 20},
};

typedef struct job {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *sim;
  double *q, *a;
} job;

static job open_row(const struct row *r) {
  bench_text t = {0};
  job j = {.ctx = hk_ctx_create()};
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = r->formulation;
  opt.integrator = r->integrator;
  opt.time = 1e6;
  r->make(&t, r->n);
  j.m = bench_parse(j.ctx, &t);
  if (hk_sim_create(j.m, &opt, &j.sim) != HK_OK) bench_die(j.ctx, r->name);
  const hk_integrator *I = &j.sim->I;
  j.q = malloc((size_t)I->nq * sizeof *j.q);
  j.a = malloc((size_t)I->nv * sizeof *j.a);
  if (!j.q || !j.a) exit(1);
  memcpy(j.q, I->q, (size_t)I->nq * sizeof *j.q);
  bench_free(&t);
  return j;
}

static void close_row(job *j) {
  free(j->q);
  free(j->a);
  hk_sim_destroy(j->sim);
  hk_model_release(j->m);
  hk_ctx_destroy(j->ctx);
}

/* the last coordinate is moved a little each time, so that nothing can be used again */
static void accelerate(void *user) {
  job *j = user;
  const hk_integrator *I = &j->sim->I;
  j->q[I->nq - 1] += 1e-9;
  if (j->sim->f->ops->accel(j->sim->f, 0.0, j->q, I->v, j->a) != HK_OK) exit(1);
}

static void one_step(void *user) {
  job *j = user;
  if (hk_sim_step(j->sim) != HK_OK) bench_die(j->ctx, "step");
}

/* the function that bench/count counts */
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif

void bench_counted(bench_job step, void *user, int32_t n);
APART void bench_counted(bench_job step, void *user, int32_t n) {
  for (int32_t i = 0; i < n; i++) step(user);
}

/* microseconds of a step: the smallest mean of several runs from the start; *per: iterations */
static double time_steps(const struct row *r, double *per) {
  double best = 1e30, spent = 0.0;
  for (int run = 0; run < 50 && (run < 5 || spent < 0.3); run++) {
    job j = open_row(r);
    one_step(&j);
    double t = hki_wall_seconds();
    bench_counted(one_step, &j, r->steps);
    t = hki_wall_seconds() - t;
    spent += t;
    if (t / r->steps < best) best = t / r->steps;
    *per = (double)j.sim->newton.iterations / (double)j.sim->steps;
    close_row(&j);
  }
  return best * 1e6;
}

static void time_row(FILE *csv, const struct row *r) {
  double us, per = 0.0;
  if (r->what == STEP) {
    us = time_steps(r, &per);
  } else {
    job j = open_row(r);
    us = bench_time(accelerate, &j);
    close_row(&j);
  }
  printf("%-24s %10.3f us %6.2f iterations\n", r->name, us, per);
  if (csv) fprintf(csv, "%s,%.3f,%.2f\n", r->name, us, per);
}

static int one_row(int argc, char **argv) {
  const struct row *r = rows, *end = rows + HK_ARRAY_LEN(rows);
  while (r < end && strcmp(r->name, argv[1]) != 0) r++;
  if (r == end) return 2;
  if (argc == 2) {
    time_row(NULL, r);
    return 0;
  }
  const int32_t n = atoi(argv[2]);
  job j = open_row(r);
  bench_job step = r->what == STEP ? one_step : accelerate;
  step(&j);
  bench_counted(step, &j, n);
  printf("%d\n", (int)n);
  close_row(&j);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return one_row(argc, argv);
  FILE *csv = bench_csv("trees.csv", "row,us,iterations");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(rows); i++) time_row(csv, &rows[i]);
  fclose(csv);
  return 0;
}
