/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_lines.c: the line along which a beam is drawn: straight, a circular arc through three points,
 * or a cubic spline through more of them, by their distances (natural at its ends). Places on it are
 * parts of its length.
 */
#include <math.h>

#include "expr/spline.h"
#include "language/reader_beams.h"

enum { PIECES = 64, TURNS = 16 }; /* of an interval of a spline for its length; for its turn */

static const double FOLD = 2.4; /* rad: a turn at a point that is no curve any more, but a fold */

/* point and derivative of a spline at parameter x of interval i */
static void spline_at(const hk_rd_line *l, int32_t i, double x, double *p, double *d) {
  const double h = l->x[i + 1] - l->x[i], t = (x - l->x[i]) / h, u = 1.0 - t;
  for (int k = 0; k < 3; k++) {
    const double a = l->p[3 * i + k], b = l->p[3 * i + 3 + k];
    const double s = h * l->m[3 * i + k], e = h * l->m[3 * i + 3 + k];
    p[k] =
        a * u * u * (1.0 + 2.0 * t) + b * t * t * (3.0 - 2.0 * t) + s * t * u * u - e * t * t * u;
    d[k] = (6.0 * t * u * (b - a) + s * u * (u - 2.0 * t) + e * t * (t - 2.0 * u)) / h;
  }
}

/* length of interval i from its beginning to the parameter x, by Simpson's rule */
static double length_to(const hk_rd_line *l, int32_t i, double x) {
  double sum = 0.0, p[3], d[3];
  const double h = (x - l->x[i]) / PIECES;
  for (int k = 0; k <= 2 * PIECES; k++) {
    spline_at(l, i, l->x[i] + 0.5 * k * h, p, d);
    sum += (k == 0 || k == 2 * PIECES ? 1.0 : k % 2 ? 4.0 : 2.0) * v3_norm(d);
  }
  return sum * h / 6.0;
}

/* the circle through three points; false: they lie on a line */
static bool make_arc(hk_rd_line *l) {
  double a[3], b[3], n[3], c[3], w[3];
  v3_sub(a, l->p + 3, l->p);
  v3_sub(b, l->p + 6, l->p);
  v3_cross(n, a, b);
  const double nn = v3_dot(n, n), aa = v3_dot(a, a), bb = v3_dot(b, b);
  if (!(nn > 1e-18 * aa * bb)) return false;
  // centre seen from the first point: (a^2 b - b^2 a) x n / (2 n^2)
  for (int k = 0; k < 3; k++) w[k] = aa * b[k] - bb * a[k];
  v3_cross(c, w, n);
  v3_scale(c, 0.5 / nn, c);
  v3_add(l->centre, l->p, c);
  v3_scale(l->u, -1.0, c);
  v3_normalize(n);
  v3_cross(l->v, n, l->u);
  double end[3];
  v3_sub(end, l->p + 6, l->centre);
  l->angle = atan2(v3_dot(end, l->v), v3_dot(end, l->u));
  if (l->angle <= 0.0) l->angle += 2.0 * 3.14159265358979323846;
  l->arc = true;
  l->length[2] = l->angle * v3_norm(l->u);
  return true;
}

static bool allocate(hk_reader *rd, int32_t n, hk_rd_line *l) {
  double *all = hki_pool_alloc(rd->pool, (size_t)(13 * n) * sizeof *all);
  if (!all) return false;
  *l = (hk_rd_line){.n = n, .x = all, .length = all + n, .p = all + 2 * n, .m = all + 5 * n};
  return true;
}

/* slopes and lengths of a spline; its memory ends with room for both */
static void make_spline(hk_rd_line *l) {
  static const double none[2] = {0.0, 0.0};
  double *y = l->m + 3 * l->n, *m = y + l->n, *work = m + l->n;
  for (int k = 0; k < 3; k++) {
    for (int32_t i = 0; i < l->n; i++) y[i] = l->p[3 * i + k];
    hki_spline_slopes(l->n, l->x, y, HK_ENDS_NATURAL, none, m, work);
    for (int32_t i = 0; i < l->n; i++) l->m[3 * i + k] = m[i];
  }
  for (int32_t i = 0; i + 1 < l->n; i++)
    l->length[i + 1] = l->length[i] + length_to(l, i, l->x[i + 1]);
}

/* is `through` a list of points, or one point? Three numbers are one. */
static bool is_list(hk_reader *rd, const hk_rd_scope *s, const hk_node *node) {
  if (!node || node->kind != HK_NODE_SEQUENCE || !node->count) return false;
  const char *name = hki_node_text(node->items[0]);
  return !name || hki_rd_item_find(&rd->points, s, name);
}

/* false after reporting a line that doubles back at one of its points: it turns there by more than FOLD */
static bool is_open(hk_reader *rd, const hk_node *node, const char *kind, const char *name,
                    const hk_rd_line *l) {
  const hk_node *through = hki_node_get(node, "through");
  for (int32_t i = 1; i + 1 < l->n; i++) {
    const double *p = l->p + 3 * i;
    double a[3], b[3], x[3];
    v3_sub(a, p, p - 3);
    v3_sub(b, p + 3, p);
    v3_cross(x, a, b);
    const double turn = atan2(v3_norm(x), v3_dot(a, b));
    if (turn < FOLD) continue;
    const hk_node *at = through->kind == HK_NODE_SEQUENCE && through->count == l->n - 2
                            ? through->items[i - 1]
                            : through;
    hki_rd_error(
        rd, at->loc,
        "points in the order in which it runs; a corner is the end of one and the start of another",
        "%s '%s' doubles back at (%g, %g, %g): it turns by %.3g rad there", kind, name, p[0], p[1],
        p[2], turn);
    return false;
  }
  return true;
}

bool hki_rd_line(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                 const char *name, hk_rd_line *out) {
  const hk_node *from = hki_node_get(node, "from"), *to = hki_node_get(node, "to");
  const hk_node *through = hki_node_get(node, "through");
  if (!from || !to) return false; // said
  const bool list = is_list(rd, s, through);
  const int32_t inner = !through ? 0 : list ? through->count : 1, n = inner + 2;
  hk_rd_line *l = out;
  if (!allocate(rd, n, l)) return false;
  for (int32_t i = 0; i < n; i++) {
    const hk_node *p = i == 0 ? from : i == n - 1 ? to : list ? through->items[i - 1] : through;
    if (!hki_rd_point(rd, s, p, i == 0 ? "from" : i == n - 1 ? "to" : "through", l->p + 3 * i))
      return false;
    if (i == 0) continue;
    double d[3];
    v3_sub(d, l->p + 3 * i, l->p + 3 * i - 3);
    l->x[i] = l->x[i - 1] + v3_norm(d);
    if (l->x[i] > l->x[i - 1] * (1.0 + 1e-12)) continue;
    hki_rd_error(rd, p->loc, "move one of them",
                 "%s '%s' has no length between two of its points, which are the same", kind, name);
    return false;
  }
  if (n == 3 && make_arc(l)) return true;
  if (!is_open(rd, node, kind, name, l)) return false;
  make_spline(l);
  return true;
}

double hki_rd_line_turn(const hk_rd_line *l, double from, double to) {
  double sum = 0.0, p[3], a[3], b[3], x[3];
  if (l->arc) return l->angle * (to - from);
  if (l->n == 2) return 0.0;
  hki_rd_line_at(l, from, p, a);
  for (int k = 1; k <= TURNS; k++) {
    hki_rd_line_at(l, from + (to - from) * k / TURNS, p, b);
    v3_cross(x, a, b);
    sum += atan2(v3_norm(x), v3_dot(a, b));
    v3_copy(a, b);
  }
  return sum;
}

void hki_rd_line_at(const hk_rd_line *l, double part, double *p, double *tangent) {
  if (l->arc) {
    const double c = cos(part * l->angle), s = sin(part * l->angle);
    for (int k = 0; k < 3; k++) {
      p[k] = l->centre[k] + c * l->u[k] + s * l->v[k];
      tangent[k] = c * l->v[k] - s * l->u[k];
    }
    v3_normalize(tangent);
    return;
  }
  const double at = part * l->length[l->n - 1];
  int32_t i = 0;
  while (i + 2 < l->n && l->length[i + 1] < at) i++;
  // Newton's method for the parameter
  double x =
      l->x[i] + (at - l->length[i]) / (l->length[i + 1] - l->length[i]) * (l->x[i + 1] - l->x[i]);
  for (int pass = 0; pass < 20; pass++) {
    spline_at(l, i, x, p, tangent);
    const double step = (l->length[i] + length_to(l, i, x) - at) / v3_norm(tangent);
    x -= step;
    if (fabs(step) <= 1e-15 * l->x[l->n - 1]) break;
  }
  spline_at(l, i, x, p, tangent);
  v3_normalize(tangent);
}
