/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_compile: time from the text of a model to the compiled model (reading, then spanning tree,
 * loops, paths), for a chain, a star and a ladder of 100 to 10,000 bodies, and from there to a
 * simulation that is ready to step where its matrix stays sparse (the star). compile.csv in the
 * present directory.
 */
#include "base/base.h"
#include "hooke/sim.h"
#include "support.h"

static const int32_t sizes[] = {100, 300, 1000, 3000, 10000};

static const struct {
  const char *name;
  void (*make)(bench_text *t, int32_t n);
  bool sim;
} shapes[] = {
    {"chain", bench_chain, false}, {"star", bench_star, true}, {"ladder", bench_ladder, false}};

static void time_model(FILE *csv, int s, int32_t n) {
  bench_text t = {0};
  double parse = 1e30, create = 1e30;
  shapes[s].make(&t, n);
  for (int k = 0; k < (n > 1000 ? 3 : 7); k++) {
    hk_ctx *ctx = hk_ctx_create();
    double t0 = hki_cpu_seconds(), t1;
    hk_model *m = bench_parse(ctx, &t);
    t1 = hki_cpu_seconds();
    if (t1 - t0 < parse) parse = t1 - t0;
    if (shapes[s].sim) {
      hk_sim *sim;
      if (hk_sim_create(m, NULL, &sim) != HK_OK) bench_die(ctx, "cannot start");
      t0 = hki_cpu_seconds();
      if (t0 - t1 < create) create = t0 - t1;
      hk_sim_destroy(sim);
    }
    hk_model_release(m);
    hk_ctx_destroy(ctx);
  }
  printf("%-6s %6d bodies  compile %9.2f ms  %6.2f us a body", shapes[s].name, n, 1e3 * parse,
         1e6 * parse / n);
  if (shapes[s].sim) printf("   create %9.2f ms  %6.2f us a body", 1e3 * create, 1e6 * create / n);
  printf("\n");
  fprintf(csv, "%s,%d,%.4f,", shapes[s].name, n, 1e3 * parse);
  fprintf(csv, shapes[s].sim ? "%.4f\n" : "\n", 1e3 * create);
  bench_free(&t);
}

int main(void) {
  FILE *csv = bench_csv("compile.csv", "shape,bodies,compile_ms,create_ms");
  printf("%s\n", bench_cpu());
  for (int s = 0; s < (int)HK_ARRAY_LEN(shapes); s++)
    for (size_t i = 0; i < HK_ARRAY_LEN(sizes); i++) time_model(csv, s, sizes[i]);
  fclose(csv);
  return 0;
}
