/* SPDX-License-Identifier: Apache-2.0
 *
 * guard.c: the guard of Newton's iteration against folds of the residual.
 *
 * In a resolved step the inertia M makes the matrix A + d(G'lam)/dx of a stage positive along the
 * free motions. At long steps the curvature d(G'lam)/dx of the constraints can outweigh it: then
 * the iterate lies behind a fold of the residual, from where Newton's corrections lead away from
 * the solution and to and fro about an extremum. The matrix without the curvature stays positive
 * and leads to the right side of the fold, at linear speed.
 *
 *   corrections grow, and are large    back to the start of the iteration (D and lam), and on
 *                                      without the curvature
 *   these have become small            with the curvature again: quadratic speed
 *   they grow once more                without it for the rest of the stage
 *   they do not become small           to where the first iteration had come, with the curvature
 *
 * The test is the monotonicity of Newton's corrections: Deuflhard, Newton Methods for Nonlinear
 * Problems, 2004, section 3.3. `partition`, whose iterates lie on the constraints, watches the
 * determinant of its tangent for the same purpose (formulations/partition/stage.c).
 */
#include "formulations/redundant/redundant.h"

/* scaled corrections (1: a radian, or the model's length) above this are large */
static const double large = 0.01;
enum {
  FIRST = 10, /* among these corrections growth is a sign of a fold; later ones may go in cycles */
  MOST_FLAT = 15 /* most large corrections without the curvature */
};

void hki_redundant_guard_begin(hk_redundant *r, bool curved) {
  r->guard.curved = r->guard.armed = curved;
  r->guard.count = r->guard.flat = 0;
}

void hki_redundant_guard_start(hk_redundant *r, const double *D) {
  hk_redundant_guard *g = &r->guard;
  if (!g->armed || g->count) return;
  memcpy(g->D, D, (size_t)r->c->n * sizeof *D);
  memcpy(g->lam, r->lam, (size_t)r->c->nrows * sizeof *g->lam);
}

bool hki_redundant_guard_singular(hk_redundant *r) {
  const bool curved = r->guard.curved;
  r->guard.curved = false;
  return curved;
}

/* exchanges the present iterate with the one that is kept */
static void exchange(hk_redundant *r, double *D) {
  hk_redundant_guard *g = &r->guard;
  for (int32_t i = 0; i < r->c->n; i++) {
    const double x = D[i];
    D[i] = g->D[i], g->D[i] = x;
  }
  for (int32_t i = 0; i < r->c->nrows; i++) {
    const double x = r->lam[i];
    r->lam[i] = g->lam[i], g->lam[i] = x;
  }
}

void hki_redundant_guard_judge(hk_redundant *r, double *D, hk_norms *norm) {
  hk_redundant_guard *g = &r->guard;
  const bool first = g->count++ == 0, grows = !first && norm->step > g->last;
  const bool curved = g->curved;
  if (first) g->first = norm->step;
  if (g->armed && grows && norm->step > large && g->count <= FIRST) {
    exchange(r, D);
    norm->step = g->first;
    g->armed = g->curved = false;
    g->flat = MOST_FLAT;
  } else if (g->flat && norm->step <= large && !grows) {
    g->curved = true;
    g->flat = 0;
  } else if (g->flat) {
    if (--g->flat == 0) exchange(r, D), g->curved = true;
  } else if (!g->armed && grows) {
    g->curved = false;
  }
  if (g->curved != curved) norm->keep_factor = false;
  g->last = norm->step;
}
