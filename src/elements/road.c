/* SPDX-License-Identifier: Apache-2.0
 *
 * road.c: road heights z(x, t) with derivatives, see law.h. A mixed derivative of an expression
 * comes from two second derivatives along straight lines: 4 zxt = z''(1, 1) - z''(1, -1).
 */
#include "elements/law.h"

static void road_expr(const hk_expr *e, double x, double t, hk_road_out *out) {
  double in[2] = {x, t}, jet[3], up[3], down[3];
  bool shaped = hki_expr_depends_on(e, 0), moves = hki_expr_depends_on(e, 1);
  *out = (hk_road_out){0};
  hki_expr_eval_jet(e, in, 0, jet);
  out->z = jet[0], out->zx = jet[1], out->zxx = jet[2];
  if (moves) {
    hki_expr_eval_jet(e, in, 1, jet);
    out->zt = jet[1];
  }
  if (moves && shaped) {
    hki_expr_eval_path(e, in, (double[2]){1.0, 1.0}, NULL, up);
    hki_expr_eval_path(e, in, (double[2]){1.0, -1.0}, NULL, down);
    out->zxt = 0.25 * (up[2] - down[2]);
  }
}

void hki_road_eval(const hk_road *road, double x, double t, int32_t segment, hk_road_out *out) {
  if (road->expr) {
    road_expr(road->expr, x, t, out);
    return;
  }
  *out = (hk_road_out){.z = road->height};
  if (!road->table) return;
  if (segment >= 0 && segment <= road->table->n)
    out->z = hki_table_eval_segment(road->table, segment, x, &out->zx, &out->zxx);
  else
    out->z = hki_table_eval(road->table, x, &out->zx, &out->zxx);
}

int32_t hki_road_segment(const hk_road *road, double x) {
  return road->expr || !road->table ? -1 : hki_table_segment(road->table, x);
}
