/* SPDX-License-Identifier: Apache-2.0
 *
 * Random linear networks with one port, a motor on a rotor: one correction beside a formulation is
 * the solution of the whole matrix of rotor and network, which is made here column by column from
 * the elements.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "formulations/formulation.h"
#include "linalg/dense.h"
#include "numbers.h"
#include "simulation/simulation.h"

enum { MOST = 40, NETWORKS = 12 };
static const double inertia = 0.03;

static int32_t choose(uint64_t *seed, int32_t n) {
  return (int32_t)(0.499999 * (1.0 + noise(seed)) * n);
}

/* a tree of resistors from node to node down to the ground, storages and inductors where chance
 * wants them; the motor at the last node. Values over several decades. */
static int32_t put_network(char *t, size_t cap, uint64_t seed) {
  const int32_t nodes = 2 + choose(&seed, 9);
  int n = snprintf(t, cap,
                   "hooke: 1\nbodies: {rotor: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, "
                   "%g]}}}\njoints: {shaft: {type: revolute, between: [ground, rotor], at: [0, 0, "
                   "0], axis: z}}\nnodes:\n  s: {type: electric, value: 9}\n",
                   inertia);
  for (int32_t i = 0; i < nodes; i++)
    n += snprintf(t + n, cap - (size_t)n, "  n%d: {type: electric, start: 1}\n", i);
  n += snprintf(t + n, cap - (size_t)n, "network:\n");
  for (int32_t i = 0; i < nodes; i++) {
    const int32_t to = choose(&seed, i + 1);
    char down[16] = "s";
    if (to) snprintf(down, sizeof down, "n%d", to - 1);
    n += snprintf(t + n, cap - (size_t)n,
                  "  r%d: {type: resistor, between: [%s, n%d], resistance: %.9g}\n", i, down, i,
                  pow(10.0, 3.0 * noise(&seed)));
    if (choose(&seed, 2))
      n += snprintf(t + n, cap - (size_t)n,
                    "  c%d: {type: capacitor, between: [n%d, ground], capacitance: %.9g}\n", i, i,
                    pow(10.0, -4.0 + 2.0 * noise(&seed)));
    if (choose(&seed, 2))
      n += snprintf(t + n, cap - (size_t)n,
                    "  l%d: {type: inductor, between: [n%d, ground], inductance: %.9g, resistance: "
                    "%.9g}\n",
                    i, i, pow(10.0, -2.0 + 2.0 * noise(&seed)), pow(10.0, noise(&seed)));
  }
  snprintf(t + n, cap - (size_t)n,
           "  motor: {type: dc_motor, joint: shaft, between: [n%d, ground], constant: %.9g, "
           "resistance: %.9g, inductance: %.9g}\nrun: {time: 1, step: 0.01}\n",
           nodes - 1, 0.3 * (1.5 + noise(&seed)), pow(10.0, noise(&seed)),
           choose(&seed, 2) ? 1e-3 : 0.0);
  return nodes;
}

/* equations of rotor and network at the increment D of a stage */
static void equations(const hk_model *m, const hk_stage *st, const double *D, double *r) {
  double x[MOST] = {0}, xd[MOST] = {0};
  for (int32_t i = 0; i < m->nx; i++) {
    x[i] = st->vh[1 + i] + st->cv * D[1 + i];
    xd[i] = st->ah[1 + i] + st->ca * D[1 + i];
  }
  x[m->nx + 1] = 9.0; // behind the reference, 0
  memset(r, 0, (size_t)(m->nx + 1) * sizeof *r);
  r[0] = inertia * (st->ah[0] + st->ca * D[0]);
  for (int32_t f = 0; f < m->nf; f++) {
    const hk_model_force *mf = &m->forces[f];
    double ex[HK_ELEMENT_UNKNOWNS], exd[HK_ELEMENT_UNKNOWNS];
    const int32_t n = mf->ops->nnode + mf->ops->nown;
    for (int32_t i = 0; i < n; i++) ex[i] = x[mf->x[i]], exd[i] = xd[mf->x[i]];
    hk_element_out out;
    const hk_element_in in = {.s = st->q0[0] + D[0],
                              .sd = st->vh[0] + st->cv * D[0],
                              .u = m->spec->forces[mf->spec].u,
                              .x = ex,
                              .xd = exd};
    mf->ops->eval(mf->par, &in, HK_NEED_FORCE, &out);
    for (int32_t i = 0; i < n; i++)
      if (mf->x[i] < m->nx) r[1 + mf->x[i]] += out.F[i];
    if (mf->ops->nscal) r[0] -= out.tau;
  }
}

/* D: the solution of the linear equations, from the whole matrix; rows scaled to one */
static void whole(const hk_model *m, const hk_stage *st, double *D) {
  enum { LD = MOST + 8 };
  static double A[LD * MOST], inv[MOST], work[8 * MOST + 64];
  double r[MOST], b[MOST], there[MOST];
  int32_t pivot[MOST];
  const int32_t n = m->nx + 1, ld = hki_dense_ld(n);
  memset(A, 0, sizeof A);
  memset(there, 0, sizeof there);
  equations(m, st, there, b);
  for (int32_t j = 0; j < n; j++) {
    there[j] = 1.0;
    equations(m, st, there, r);
    there[j] = 0.0;
    for (int32_t i = 0; i < n; i++) A[i + ld * j] = r[i] - b[i];
  }
  for (int32_t i = 0; i < n; i++) {
    double most = 0.0;
    for (int32_t j = 0; j < n; j++) most = fmax(most, fabs(A[i + ld * j]));
    for (int32_t j = 0; j < n; j++) A[i + ld * j] /= most;
    D[i] = -b[i] / most;
  }
  ck_assert_int_eq(hki_dense_lu_factor(n, A, ld, pivot, inv, work, NULL), HK_OK);
  hki_dense_lu_solve(n, A, ld, pivot, inv, D, work);
}

START_TEST(one_port) {
  static const char *const names[] = {"hybrid", "topological", "recursive"};
  char text[8000];
  uint64_t seed = (uint64_t)(77 + _i);
  put_network(text, sizeof text, seed);
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "network", NULL, 0, &m), HK_OK);
  ck_assert_int_lt(m->nx + 2, MOST);
  for (int k = 0; k < HK_ARRAY_LEN(names); k++) {
    const hk_formulation_entry *fe = hki_formulation_find(names[k]);
    double par[HK_FORMULATION_PAR_MAX / 8] = {0}, q0[MOST] = {0.4}, vh[MOST], ah[MOST], D[MOST];
    double expected[MOST], q[MOST], v[MOST] = {0}, a[MOST];
    hk_formulation *f = NULL;
    hki_params_default(fe->ops->params, par);
    ck_assert_int_eq(hki_formulation_create(fe, ctx, m, par, &f), HK_OK);
    // a consistent state first: formulations choose coordinates there
    memcpy(q, q0, sizeof q);
    ck_assert_int_eq(f->ops->accel(f, 0.0, q, v, a), HK_OK);
    for (int32_t i = 0; i < m->nx + 1; i++)
      vh[i] = noise(&seed), ah[i] = noise(&seed), D[i] = 0.01 * noise(&seed);
    const hk_stage st = {.cv = 200.0, .ca = 2e4, .q0 = q0, .vh = vh, .ah = ah};
    hk_norms norm = {0};
    whole(m, &st, expected);
    ck_assert_int_eq(f->ops->begin(f, &st), HK_OK);
    ck_assert_int_eq(f->ops->residual(f, D, true), HK_OK);
    ck_assert_int_eq(f->ops->factor(f), HK_OK);
    ck_assert_int_eq(f->ops->correct(f, D, &norm), HK_OK);
    double size = 0.0;
    for (int32_t i = 0; i < m->nx + 1; i++) size = fmax(size, fabs(expected[i]));
    for (int32_t i = 0; i < m->nx + 1; i++)
      ck_assert_msg(fabs(D[i] - expected[i]) <= 1e-10 * size, "%s, network %d, unknown %d: %g, %g",
                    names[k], _i, i, D[i], expected[i]);
    f->ops->destroy(f);
  }
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_border(void);
Suite *suite_border(void) {
  Suite *s = suite_create("border");
  TCase *c = tcase_create("networks");
  tcase_add_loop_test(c, one_port, 0, NETWORKS);
  suite_add_tcase(s, c);
  return s;
}
