/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_redundant: one step of the redundant formulation against the number of bodies, closed
 * chains (a chain of bodies with pins whose last body is held by a ball at its far end) of 10 to
 * 1,000 bodies, trapezoidal rule, with the shares of assembly and of factorisation and solution.
 * redundant.csv in the present directory. Then the two linear solvers on short chains, which shows
 * up to which size the dense one is faster: redundant-solvers.csv.
 */
#include <math.h>

#include "formulations/redundant/redundant.h"
#include "simulation/simulation.h"
#include "support.h"

static const int32_t sizes[] = {10, 20, 50, 100, 200, 500, 1000};

/* links that hang on a half circle in the x-z plane; the far end of the last one is on a ball */
static void arc(int32_t i, int32_t n, double *p) {
  const double pi = 3.14159265358979323846, radius = 0.1 * n / pi, angle = pi * i / n;
  p[0] = -radius * cos(angle);
  p[1] = 0.0;
  p[2] = -radius * sin(angle);
}

static void closed_chain(bench_text *t, int32_t n) {
  double p[3], q[3];
  bench_add(t, "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int32_t i = 0; i < n; i++) {
    arc(i, n, p);
    arc(i + 1, n, q);
    bench_add(t,
              "  b%d: {mass: 1, com: [%.17g, 0, %.17g], inertia: {diagonal: [0.001, 0.002, "
              "0.002]}}\n",
              i, 0.5 * (p[0] + q[0]), 0.5 * (p[2] + q[2]));
  }
  bench_add(t, "joints:\n");
  for (int32_t i = 0; i < n; i++) {
    arc(i, n, p);
    bench_add(t, "  j%d: {type: revolute, between: [", i);
    if (i)
      bench_add(t, "b%d", i - 1);
    else
      bench_add(t, "ground");
    bench_add(t, ", b%d], at: [%.17g, 0, %.17g], axis: %s}\n", i, p[0], p[2],
              i % 4 == 3 ? "z" : "y");
  }
  arc(n, n, p);
  bench_add(t, "  last: {type: spherical, between: [ground, b%d], at: [%.17g, 0, %.17g]}\n", n - 1,
            p[0], p[2]);
  bench_add(t, "run: {time: 1, step: 0.001, integrator: trapezoidal, formulation: redundant}\n");
}

/* a redundant formulation outside a run, for timing its parts */
typedef struct bench_red {
  hk_redundant *r;
} bench_red;

static void assemble_and_factor(void *user) {
  hk_redundant *r = ((bench_red *)user)->r;
  (void)hki_redundant_factor_stage(r, 2e3, 4e6, true, false, &(hk_redundant_lines){.eps = r->eps});
}

static void factor_alone(void *user) {
  hk_linsolve *ls = ((bench_red *)user)->r->ls;
  (void)hki_linsolve_refactor(ls);
  hki_linsolve_solve(ls, ((bench_red *)user)->r->x);
}

static void one_step(void *user) {
  if (hk_sim_step(user) != HK_OK) bench_die(((hk_sim *)user)->ctx, "step");
}

static void time_size(FILE *csv, int32_t n) {
  bench_text t = {0};
  hk_ctx *ctx = hk_ctx_create();
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.time = 1e4;
  closed_chain(&t, n);
  hk_model *m = bench_parse(ctx, &t);
  if (hk_sim_create(m, &opt, &s) != HK_OK) bench_die(ctx, "create");
  for (int i = 0; i < 5; i++) one_step(s);
  int64_t before = s->newton.iterations, steps = s->steps;
  double step = bench_time(one_step, s);
  double per = (double)(s->newton.iterations - before) / (double)(s->steps - steps);
  // the parts, at the drawing position
  bench_red b = {NULL};
  if (hki_redundant_create(ctx, m, NULL, &b.r) != HK_OK) bench_die(ctx, "machine");
  hki_bodies_from_tree(b.r->c, s->qt, s->vt, b.r->c->q, b.r->c->v);
  hki_bodies_state(b.r->c, 0.0, b.r->c->q, b.r->c->v);
  for (int32_t i = 0; i < m->nb; i++) m3_identity(b.r->N + 9 * i);
  hki_bodies_rows(b.r->c);
  double both = bench_time(assemble_and_factor, &b), factor = bench_time(factor_alone, &b);
  printf("closed chain %5d bodies %10.1f us a step   %.2f us a body   %.1f iterations   assembly "
         "%9.1f us   factor and solve %9.1f us an iteration\n",
         n, step, step / n, per, both - factor, factor);
  fprintf(csv, "%d,%.2f,%.2f,%.2f,%.2f\n", n, step, per, both - factor, factor);
  hki_redundant_destroy(b.r);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  bench_free(&t);
}

/* factorisation and solution by one method, microseconds; the size of the system */
static double time_solver(hk_ctx *ctx, hk_model *m, const char *method, int32_t *size) {
  bench_red b = {NULL};
  if (hki_redundant_create(ctx, m, method, &b.r) != HK_OK) bench_die(ctx, "machine");
  hk_bodies *c = b.r->c;
  hki_bodies_from_tree(c, m->q_draw, c->v, c->q, c->v);
  hki_bodies_state(c, 0.0, c->q, c->v);
  for (int32_t i = 0; i < m->nb; i++) m3_identity(b.r->N + 9 * i);
  hki_bodies_rows(c);
  assemble_and_factor(&b);
  double us = bench_time(factor_alone, &b);
  *size = b.r->ls->n;
  hki_redundant_destroy(b.r);
  return us;
}

static void compare_solvers(FILE *csv, int32_t n) {
  bench_text t = {0};
  hk_ctx *ctx = hk_ctx_create();
  int32_t size = 0;
  closed_chain(&t, n);
  hk_model *m = bench_parse(ctx, &t);
  double dense = time_solver(ctx, m, "dense_lu", &size), sparse = time_solver(ctx, m, "klu", &size);
  printf("%4d unknowns and rows: dense %9.2f us, sparse %9.2f us\n", size, dense, sparse);
  fprintf(csv, "%d,%.3f,%.3f\n", size, dense, sparse);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  bench_free(&t);
}

int main(void) {
  FILE *csv = bench_csv("redundant.csv", "bodies,step_us,iterations,assembly_us,factor_us");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(sizes); i++) time_size(csv, sizes[i]);
  fclose(csv);
  csv = bench_csv("redundant-solvers.csv", "size,dense_us,sparse_us");
  for (int32_t n = 1; n <= 12; n++) compare_solvers(csv, n);
  fclose(csv);
  return 0;
}
