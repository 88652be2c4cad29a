/* SPDX-License-Identifier: Apache-2.0
 *
 * own_block.c: blocks that modules bring. At the instants phase + k period a function gives
 *
 *   y_k, x_(k+1) = sample(t, u_k, x_k)
 *
 * and the outputs y are held between them. Its numbers are in the block of its signal, so that a
 * rejected step takes them back and a checkpoint holds them.
 */
#include "expr/memory_impl.h"

/* outputs, then states; room for the states that are needed before the start alone */
enum { OWN_Y = HK_MEMORY_NEXT + 1 };

int32_t hki_own_port(int32_t output) { return OWN_Y + output; }

static int32_t own_size(const hk_memory *m) { return OWN_Y + m->own->ny + m->own->nx; }

static bool commit_own(const hk_memory *m, double *mem, hk_commit when, double t, const double *u) {
  const hk_block_ops *ops = m->own;
  double *y = mem + OWN_Y, *x = y + ops->ny, before[HK_LINEAR_PORTS];
  for (int32_t i = 0; i < ops->ny; i++) before[i] = y[i];
  if (when == HK_COMMIT_START) ops->start(ops, m->par, u, x, y);
  if (hki_memory_take(m, mem, when, t)) ops->sample(ops, m->par, t, m->period, u, x, y);
  bool changed = false;
  for (int32_t i = 0; i < ops->ny; i++) changed |= y[i] != before[i];
  return changed;
}

/* before the start: what it starts with at these operands */
static void eval_own(const hk_memory *m, const double *mem, double t, const double *u,
                     double y[3]) {
  double x0[HK_LINEAR_STATES] = {0}, y0[HK_LINEAR_PORTS] = {0};
  (void)t;
  if (mem[HK_MEMORY_STARTED] == 0.0) m->own->start(m->own, m->par, u, x0, y0);
  y[0] = mem[HK_MEMORY_STARTED] != 0.0 ? mem[OWN_Y] : y0[0];
}

/* before the start: by differences */
static void own_slopes(const hk_memory *m, const double *u, double *g) {
  double x[HK_LINEAR_STATES], v[HK_LINEAR_PORTS], y[2][HK_LINEAR_PORTS];
  for (int32_t i = 0; i < m->own->nu; i++) v[i] = u[i];
  for (int32_t i = 0; i < m->own->nu; i++) {
    const double h = 1e-6 * (1.0 + (u[i] < 0.0 ? -u[i] : u[i]));
    for (int k = 0; k < 2; k++) {
      for (int32_t j = 0; j < m->own->nx; j++) x[j] = 0.0;
      v[i] = u[i] + (k ? h : -h);
      m->own->start(m->own, m->par, v, x, y[k]);
    }
    v[i] = u[i];
    g[i] = (y[1][0] - y[0][0]) / (2.0 * h);
  }
}

const hk_memory_ops hki_memory_own = {.size = own_size,
                                      .commit = commit_own,
                                      .eval = eval_own,
                                      .slopes = own_slopes,
                                      .next_break = hki_memory_sample_break};
