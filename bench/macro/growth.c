/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_growth: time of one hybrid Newton iteration against the number of bodies, for a chain and
 * for a wide tree (branches of three bodies on one trunk), 10 to 300 bodies. growth.csv in the
 * present directory; bench/plot draws it.
 */
#include "iteration.h"
#include "support.h"

static const int32_t sizes[] = {10, 15, 20, 30, 45, 70, 100, 150, 200, 300};

static const struct {
  const char *name;
  void (*make)(bench_text *t, int32_t n);
} shapes[] = {{"chain", bench_chain}, {"tree", bench_tree}};

static void time_model(FILE *csv, const char *name, const bench_text *text, int32_t n) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = bench_parse(ctx, text);
  bench_iteration b;
  bench_iteration_open(&b, m, 0.005);
  double whole = bench_time(bench_iterate, &b);
  double state = bench_time(bench_part_kinematics, &b) + bench_time(bench_part_elements, &b) +
                 bench_time(bench_part_residual, &b);
  double mass = bench_time(bench_part_mass, &b);
  double solve = bench_time(bench_part_factor, &b) + bench_time(bench_part_solve, &b);
  printf("%-6s %4d bodies %10.2f us   state %8.2f   mass %8.2f   factor and solve %9.2f\n", name, n,
         whole, state, mass, solve);
  fprintf(csv, "%s,%d,%.3f,%.3f,%.3f,%.3f\n", name, n, whole, state, mass, solve);
  bench_iteration_close(&b);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

int main(void) {
  FILE *csv = bench_csv("growth.csv", "shape,bodies,iteration_us,state_us,mass_us,solve_us");
  printf("%s\n", bench_cpu());
  for (size_t s = 0; s < HK_ARRAY_LEN(shapes); s++) {
    for (size_t i = 0; i < HK_ARRAY_LEN(sizes); i++) {
      bench_text t = {0};
      shapes[s].make(&t, sizes[i]);
      time_model(csv, shapes[s].name, &t, sizes[i]);
      bench_free(&t);
    }
  }
  fclose(csv);
  return 0;
}
