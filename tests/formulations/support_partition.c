/* SPDX-License-Identifier: Apache-2.0 */
#include "support_partition.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

const place places[] = {
    {"double-pendulum-stiff.yaml", 0.02, 1e-3, 1e-3, 0.01},
    {"double-pendulum-stiff.yaml", 0.5, 1e-3, 1e-2, 0.01},
    {"slider-crank-stiff.yaml", 0.05, 5e-4, 2e-3, 0.01},
    {"andrews-stiff.yaml", 0.02, 1e-4, 1e-3, 0.01},
    {"andrews.yaml", 0.012, 1e-5, 2e-4, 0.01},
    {"spatial-four-bar.yaml", 0.3, 1e-3, 0.01, 0.01},
    {"iltis-suspension.yaml", 0.4, 1e-3, 0.01, 0.01},
    {"bricard.yaml", 0.5, 1e-3, 0.01, 0.01},
    {"slider-crank-driven.yaml", 0.3, 1e-3, 0.005, 0.01},
    {"mirrored-axle.yaml", 0.3, 1e-3, 0.01, 0.01},
    // its mounts have a kink where they are pressed by a centimetre
    {"engine-mounts.yaml", 0.05, 1e-3, 0.002, 1e-4},
    {"spinning-body.yaml", 0.5, 1e-3, 0.02, 0.01},
    // rows that bind velocities alone
    {"rolling-disc.yaml", 0.3, 1e-3, 0.02, 0.01},
    {"snakeboard.yaml", 0.3, 1e-3, 0.02, 0.01},
    {"chaplygin-sleigh.yaml", 0.2, 1e-3, 0.05, 0.01},
    {"turntable.yaml", 0.2, 1e-3, 0.01, 0.01},
    // conditions on velocities by expressions, also such that are not linear
    {"constant-speed.yaml", 0.2, 1e-3, 0.02, 0.01},
    {"../tests/formulations/senses.yaml", 0.1, 1e-3, 0.04, 0.001},
};

const int bench_nplaces = HK_ARRAY_LEN(places);

int bench_stride(void) { return test_few() ? 3 : 1; }

void bench_open(bench *b, const place *at, const char *name, const char *value) {
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  const hk_option option = {name, value};
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), at->model);
  b->ctx = hk_ctx_create();
  b->m = NULL;
  b->s = NULL;
  ck_assert_int_eq(hk_model_load(b->ctx, path, NULL, 0, &b->m), HK_OK);
  opt.formulation = "partition";
  // null_space runs with explicit integrators only
  opt.integrator = strcmp(value, "null_space") ? "trapezoidal" : "rk4";
  opt.time = test_few() ? 0.2 * at->at : at->at;
  opt.step = at->step;
  opt.options = &option;
  opt.noptions = 1;
  ck_assert_int_eq(hk_sim_create(b->m, &opt, &b->s), HK_OK);
  while (!hk_sim_done(b->s)) ck_assert_int_eq(hk_sim_step(b->s), HK_OK);
  b->p = (hk_partition *)b->s->f;
  ck_assert_int_le(b->p->n, MOST);
  const hk_integrator *I = &b->s->I;
  const double h = at->h, ca = 4.0 / (h * h);
  for (int32_t i = 0; i < b->p->n; i++) {
    b->ah[i] = -ca * (h * I->v[i] + 0.25 * h * h * I->a[i]);
    b->vh[i] = I->v[i] + 0.5 * h * I->a[i] + 0.5 * h * b->ah[i];
    b->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  b->st = (hk_stage){I->t + h, HK_LEVEL_POS, 2.0 / h, ca, I->q, b->vh, b->ah, false, NULL, NULL};
}

void bench_close(bench *b) {
  hk_sim_destroy(b->s);
  hk_model_release(b->m);
  hk_ctx_destroy(b->ctx);
}

void bench_disturb(bench *b, double size) {
  const hk_partition *p = b->p;
  for (int32_t j = 0; j < p->f; j++) {
    int32_t i = p->cols[p->rank + j];
    b->D[i] += size * (j % 2 ? -1.0 : 1.0) * (1.0 + 0.3 * j) * p->c->scale[i];
  }
}
