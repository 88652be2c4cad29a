/* SPDX-License-Identifier: Apache-2.0
 *
 * penalty.c: penalties of the rows of closures, each by the inertia that it feels.
 *
 *   alpha_i = kappa / (c S_ii),   S = Phi_z diag(1/M_ii) Phi_z'
 *
 * M_ii: diagonal of the mass matrix. S_ii is the mobility of row i: its acceleration under a unit multiplier when every
 * coordinate answers alone.
 *
 * A very light body in a loop makes all rows of its closure mobile across the body, although along it they pull at
 * the heavy bodies at its ends. With alpha by S_ii the closure would then be soft along the body, and its iteration
 * slow. The mobility of row i while the other rows of the closure hold is
 *
 *   1 / (S^-1)_ii,   S over the rows of the closure,
 *
 * and S_ii counts as at most 1e3 times that. A position where rows become dependent makes it small too, without any
 * light body: S_ii is not lowered further than by counting each coordinate as at most 1e4 times as mobile as the
 * heaviest one that the row moves.
 *
 * Rows that tie an interface to its flexible body count every coordinate as heavy as the heaviest one: the interface is
 * light, and what it hangs on pulls through it at the whole body.
 */
#include "kinematics/plane.h"
#include "machines/tree/tree.h"

/* how many times as mobile as with the other rows held, as the heaviest coordinate, a row may count */
static const double most_held = 1e3, most_even = 1e4;

enum { ROWS = 6 };

/* sum of Phi_z_i^2 y_i over a path; y: 1/M_ii, 0 for coordinates without mass */
static double row_mobility(const hk_path *path, const double *gz, const double *y) {
  double sum = 0.0;
  for (int32_t j = 0; j < path->n; j++) sum += gz[j] * gz[j] * y[path->dof[j]];
  return sum;
}

/* the same, each coordinate at most `most` times as mobile as the least mobile one */
static double even_mobility(const hk_tree *s, const hk_path *path, const double *gz,
                            const double *y, double most) {
  double sum = 0.0, least = HUGE_VAL;
  for (int32_t j = 0; j < path->n; j++) {
    const int32_t i = path->dof[j];
    if (gz[j] != 0.0 && y[i] > 0.0) least = fmin(least, y[i] / (s->scale[i] * s->scale[i]));
  }
  for (int32_t j = 0; j < path->n; j++) {
    const int32_t i = path->dof[j];
    sum += gz[j] * gz[j] * fmin(y[i], most * least * (s->scale[i] * s->scale[i]));
  }
  return sum;
}

/* S: n x n, positive or semidefinite; 1 / (S^-1)_ii, by elimination of the other rows; S is overwritten */
static double held_mobility(double S[ROWS][ROWS], int32_t n, int32_t i) {
  double floor[ROWS]; // below: a row that depends on those before it
  for (int32_t p = 0; p < n; p++) floor[p] = 1e-12 * S[p][p];
  for (int32_t p = 0; p < n; p++) {
    if (p == i || S[p][p] <= floor[p]) continue;
    for (int32_t r = 0; r < n; r++) {
      if (r <= p && r != i) continue;
      const double f = S[r][p] / S[p][p];
      for (int32_t c = 0; c < n; c++) S[r][c] -= f * S[p][c];
    }
  }
  return S[i][i] > floor[i] ? S[i][i] : 0.0;
}

/* mobilities that were found for the rows of a closure, lowered where a light body made them */
static void lower(const hk_tree *s, const hk_closure *cl, const double *gz, const double *y,
                  double *mob) {
  const hk_path *path = &cl->path;
  double even[ROWS], S[ROWS][ROWS], T[ROWS][ROWS];
  bool light = false;
  for (int32_t i = 0; i < cl->nrows; i++) {
    even[i] = even_mobility(s, path, gz + i * path->n, y, most_even);
    light = light || even[i] < mob[i];
  }
  if (!light) return;

  // S of the closure, then each row with the others held
  for (int32_t i = 0; i < cl->nrows; i++)
    for (int32_t k = 0; k < cl->nrows; k++) {
      S[i][k] = 0.0;
      for (int32_t j = 0; j < path->n; j++)
        S[i][k] += gz[i * path->n + j] * gz[k * path->n + j] * y[path->dof[j]];
    }
  for (int32_t i = 0; i < cl->nrows; i++) {
    memcpy(T, S, sizeof T);
    const double held = most_held * held_mobility(T, cl->nrows, i);
    mob[i] = fmin(mob[i], fmax(even[i], held));
  }
}

void hki_tree_penalty_reached(hk_tree *s, double kappa, double c) {
  const hk_model *m = s->m;
  double top = 0.0, low = HUGE_VAL, L = s->m->length, *y = s->y;
  for (int32_t i = 0; i < m->nv; i++) {
    double mass = s->mass[i] * (s->scale[i] * s->scale[i]);
    if (mass > top) top = mass;
  }
  for (int32_t i = 0; i < m->nv; i++) {
    double sq = s->scale[i] * s->scale[i], mass = s->mass[i] * sq;
    y[i] = mass > 1e-9 * top ? sq / mass : 0.0;
    if (mass > 1e-9 * top && mass < low) low = mass;
  }
  // a row that no mass feels: as stiff as a row on the whole mechanism
  const double whole = L * L / (top > 0.0 ? top : 1.0);
  const bool beside = hki_plane_beside(&s->kin);
  if (beside) hki_plane_squares(&s->kin, y, s->alpha);
  for (int32_t ci = 0; ci < m->nc; ci++) {
    if (s->kin.disc.active[ci] == 0.0) continue;
    const hk_closure *cl = &m->closures[ci];
    const double *gz = s->kin.gz + s->kin.gz0[ci];
    double mob[ROWS];
    for (int32_t i = 0; beside && i < cl->nrows; i++) mob[i] = s->alpha[cl->row0 + i];
    for (int32_t i = 0; !beside && i < cl->nrows; i++)
      mob[i] = cl->coupling && cl->coupling->ties ? even_mobility(s, &cl->path, gz, y, 1.0)
                                                  : row_mobility(&cl->path, gz + i * cl->path.n, y);
    if (cl->nrows > 1 && top > most_even * low) lower(s, cl, gz, y, mob);
    for (int32_t i = 0; i < cl->nrows; i++) {
      if (mob[i] <= 1e-12 * whole) mob[i] = whole;
      s->alpha[cl->row0 + i] = kappa / (c * mob[i]);
    }
  }
}

void hki_tree_penalty(hk_tree *s, double kappa, double c) {
  hki_tree_reach(s);
  hki_tree_penalty_reached(s, kappa, c);
}

void hki_tree_penalty_equal(hk_tree *s, double alpha) {
  hki_tree_reach(s);
  for (int32_t i = 0; i < s->m->nrows; i++) s->alpha[i] = alpha;
}
