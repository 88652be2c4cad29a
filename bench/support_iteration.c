/* SPDX-License-Identifier: Apache-2.0
 *
 * support_iteration.c: brings a run to a state through the public interface, then repeats the
 * iteration of the next step from the same prediction and multipliers.
 */
#include "iteration.h"
#include "support.h"

static double *numbers(hk_ctx *ctx, int32_t n) {
  double *x = hki_alloc(ctx, (size_t)(n + 1) * sizeof *x);
  if (!x) bench_die(ctx, "out of memory");
  return x;
}

/* the trapezoidal rule's stage from the accepted state, as newmark.c makes it */
static void make_stage(bench_iteration *b) {
  hk_integrator *I = &b->sim->I;
  double h = b->h, ca = 4.0 / (h * h), cv = 2.0 / h;
  for (int32_t i = 0; i < b->nv; i++) {
    I->ah[i] = -ca * (h * I->v[i] + 0.25 * h * h * I->a[i]);
    I->vh[i] = I->v[i] + 0.5 * h * (I->a[i] + I->ah[i]);
    b->D0[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  b->st = (hk_stage){.t = I->t + h,
                     .level = HK_LEVEL_POS,
                     .cv = cv,
                     .ca = ca,
                     .q0 = I->q,
                     .vh = I->vh,
                     .ah = I->ah};
}

void bench_iteration_open(bench_iteration *b, hk_model *m, double t) {
  hk_ctx *ctx = m->ctx;
  *b = (bench_iteration){0};
  if (hk_sim_create(m, NULL, &b->sim) != HK_OK) bench_die(ctx, "cannot start");
  while (hk_sim_time(b->sim) < t)
    if (hk_sim_step(b->sim) != HK_OK) bench_die(ctx, "cannot step");
  b->f = b->sim->f;
  b->h = b->sim->step;
  b->nv = b->sim->I.nv;
  b->D0 = numbers(ctx, b->nv), b->D = numbers(ctx, b->nv);
  b->v = numbers(ctx, b->nv), b->a = numbers(ctx, b->nv);
  b->f->ops->persistent(b->f, &b->lam, &b->nlam);
  b->lam0 = numbers(ctx, b->nlam);
  memcpy(b->lam0, b->lam, (size_t)b->nlam * sizeof *b->lam);
  make_stage(b);
  // the parts start from a machine whose data are all filled
  if (hki_tree_create(ctx, m, &b->s) != HK_OK || hki_tree_matrix(b->s) != HK_OK)
    bench_die(ctx, "cannot create");
  memcpy(b->s->kin.disc.block, b->sim->kin->disc.block,
         (size_t)b->sim->kin->disc.n * sizeof(double));
  memcpy(b->s->q, b->sim->I.q, (size_t)m->nq * sizeof *b->s->q);
  memcpy(b->s->v, b->sim->I.v, (size_t)m->nv * sizeof *b->s->v);
  memcpy(b->s->a, b->sim->I.a, (size_t)m->nv * sizeof *b->s->a);
  bench_part_kinematics(b);
  bench_part_closures(b);
  bench_part_elements(b);
  bench_part_mass(b);
  bench_part_penalty(b);
  bench_part_tangents(b);
  bench_part_factor(b);
}

void bench_iteration_close(bench_iteration *b) {
  hk_ctx *ctx = b->sim->ctx;
  hki_free(ctx, b->D0), hki_free(ctx, b->D), hki_free(ctx, b->v), hki_free(ctx, b->a);
  hki_free(ctx, b->lam0);
  hki_tree_destroy(b->s);
  hk_sim_destroy(b->sim);
}

void bench_iterate(void *iteration) {
  bench_iteration *b = iteration;
  hk_norms n;
  memcpy(b->D, b->D0, (size_t)b->nv * sizeof *b->D);
  memcpy(b->lam, b->lam0, (size_t)b->nlam * sizeof *b->lam);
  // as in a run, where each iteration has new positions
  hki_kin_forget(b->sim->kin, HK_KIN_POSITIONS);
  b->f->ops->begin(b->f, &b->st);
  b->f->ops->residual(b->f, b->D, true);
  b->f->ops->factor(b->f);
  b->f->ops->correct(b->f, b->D, &n);
}

void bench_project(void *iteration) {
  bench_iteration *b = iteration;
  hk_integrator *I = &b->sim->I;
  b->f->ops->plus(b->f, I->q, b->D, I->q1);
  for (int32_t i = 0; i < b->nv; i++) {
    b->v[i] = b->st.vh[i] + b->st.cv * b->D[i];
    b->a[i] = b->st.ah[i] + b->st.ca * b->D[i];
  }
  hki_kin_forget(b->sim->kin, HK_KIN_POSITIONS);
  b->f->ops->project(b->f, b->st.t, I->q1, b->v, b->a, HK_PROJECT_VEL | HK_PROJECT_ACC);
}

void bench_part_kinematics(void *iteration) {
  bench_iteration *b = iteration;
  hki_kin_forget(&b->s->kin, HK_KIN_POSITIONS);
  hki_kin_state(&b->s->kin, b->st.t, b->s->q, b->s->v);
  if (b->s->m->spec->nsignals) hki_kin_signals(&b->s->kin, false);
}

void bench_part_closures(void *iteration) {
  hki_kin_closures(&((bench_iteration *)iteration)->s->kin);
}

void bench_part_elements(void *iteration) {
  hki_kin_forces(&((bench_iteration *)iteration)->s->kin, HK_FORCES_TANGENT);
}

void bench_part_residual(void *iteration) {
  bench_iteration *b = iteration;
  hki_tree_residual(b->s, b->s->a, b->s->r);
}

void bench_part_mass(void *iteration) { hki_tree_mass(((bench_iteration *)iteration)->s); }

void bench_part_penalty(void *iteration) {
  bench_iteration *b = iteration;
  hki_tree_penalty(b->s, 1e5, 1.0 / b->st.ca);
}

void bench_part_tangents(void *iteration) {
  bench_iteration *b = iteration;
  const double c = 1.0 / b->st.ca;
  hki_tree_add_forces(b->s, b->st.cv * c, c);
  hki_tree_add_closures(b->s, c);
}

void bench_part_factor(void *iteration) { hki_tree_factor(((bench_iteration *)iteration)->s); }

void bench_part_solve(void *iteration) {
  hk_tree *s = ((bench_iteration *)iteration)->s;
  memcpy(s->x, s->a, (size_t)s->m->nv * sizeof *s->x);
  hki_ldl_solve(s->ldl, &s->num, s->x);
}
