/* SPDX-License-Identifier: Apache-2.0
 *
 * road.c: road heights z(x, t) with derivatives, see law.h. The mixed derivative of an expression
 * comes from two second derivatives along straight lines with the rates (dx, dt) of x and t:
 *
 *   4 zxt = z''(1, 1) - z''(1, -1)
 *
 * Signals s(t) that it reads move at their rates in the first line and at minus these rates in the
 * second.
 */
#include "elements/law.h"

#include <math.h>

enum { INPUTS = 2 + HK_ROAD_SIGNALS };

/* values, rates and accelerations of the signals at time t, each HK_ROAD_SIGNALS */
static void signals_at(const hk_road *road, double t, double *s, double *sd, double *sdd) {
  for (int32_t i = 0; i < road->nsignals; i++) {
    const hk_road_signal *g = &road->signals[i];
    double x[HK_ROAD_SIGNALS], xd[HK_ROAD_SIGNALS], xdd[HK_ROAD_SIGNALS], y[3];
    for (int32_t k = 0; k < g->nreads; k++) {
      const int32_t from = g->reads[k];
      x[k] = from < 0 ? t : s[from];
      xd[k] = from < 0 ? 1.0 : sd[from];
      xdd[k] = from < 0 ? 0.0 : sdd[from];
    }
    hki_time_function_eval(&g->f, x, xd, xdd, y);
    s[i] = y[0], sd[i] = y[1], sdd[i] = y[2];
  }
}

static void road_expr(const hk_road *road, double x, double t, hk_road_out *out) {
  const hk_expr *e = road->expr;
  double in[INPUTS] = {x, t}, jet[3], up[3], down[3];
  double rate[INPUTS] = {0.0, 1.0}, back[INPUTS] = {1.0, -1.0}, accel[INPUTS] = {0.0, 0.0};
  bool shaped = hki_expr_depends_on(e, 0), moves = hki_expr_depends_on(e, 1) || road->nsignals;
  *out = (hk_road_out){0};
  signals_at(road, t, in + 2, rate + 2, accel + 2);
  hki_expr_eval_jet(e, in, 0, jet);
  out->z = jet[0], out->zx = jet[1], out->zxx = jet[2];
  if (!moves) return;
  hki_expr_eval_path(e, in, rate, accel, jet);
  out->zt = jet[1];
  if (!shaped) return;
  for (int32_t i = 0; i < road->nsignals; i++) back[2 + i] = -rate[2 + i];
  rate[0] = 1.0;
  hki_expr_eval_path(e, in, rate, accel, up);
  hki_expr_eval_path(e, in, back, accel, down);
  out->zxt = 0.25 * (up[2] - down[2]);
}

void hki_road_eval(const hk_road *road, double x, double t, int32_t segment, hk_road_out *out) {
  if (road->expr) {
    road_expr(road, x, t, out);
    return;
  }
  *out = (hk_road_out){.z = road->height};
  if (!road->table) return;
  if (segment >= 0 && segment <= road->table->n)
    out->z = hki_table_eval_segment(road->table, segment, x, &out->zx, &out->zxx);
  else
    out->z = hki_table_eval(road->table, x, &out->zx, &out->zxx);
}

bool hki_road_alike(const hk_road *a, const hk_road *b) {
  if (!a->expr || !b->expr || a->nsignals || b->nsignals) return false;
  return !hki_expr_depends_on(a->expr, 1) && hki_expr_is_straight(a->expr) &&
         hki_expr_same(a->expr, b->expr);
}

void hki_road_eval_lanes(const hk_road *road, const double *x, hk_road_out *out) {
  double z[3][HK_EXPR_LANES];
  hki_expr_eval_lanes(road->expr, NULL, 0, x, z);
  for (int k = 0; k < HK_EXPR_LANES; k++)
    out[k] = (hk_road_out){.z = z[0][k], .zx = z[1][k], .zxx = z[2][k]};
}

int32_t hki_road_segment(const hk_road *road, double x) {
  return road->expr || !road->table ? -1 : hki_table_segment(road->table, x);
}

double hki_road_next_break(const hk_road *road, double t) {
  double first = road->expr ? hki_expr_next_break(road->expr, 1, t) : INFINITY;
  for (int32_t i = 0; i < road->nsignals; i++) {
    first = fmin(first, hki_next_jump(&road->signals[i].f, t));
  }
  return first;
}
