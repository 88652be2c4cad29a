/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_cams.c: outlines of cams and slots, plane curves (geometry/curve.h):
 *
 *   {circle: r, centre: [x, y]}
 *   {polar: expression of angle}             r over the angle from x towards y
 *   {polar: [[angle, r], ...]}               periodic cubic spline through the rows
 *   {points: [[x, y], ...]}                  the same through points, over the length of the chords
 *   {points: file.csv}, {polar: file.csv}    rows from the first two columns of a file
 *   {x: expression, y: expression}           of u, from 0 to 1
 *
 * Every curve is brought to nodes with value, slope and second derivative of x and y over u;
 * between them lie polynomials of degree 5, which are exact for splines and within 1e-12 of its size for
 * smooth expressions. Closed curves given clockwise are turned round. With `open: true` the ends of
 * points and expressions do not meet: splines with the ends of a cubic through four points.
 */
#include "language/reader.h"

#include <math.h>
#include <string.h>

enum { NODES = 360, MOST_ROWS = 20000 };
#define TWO_PI 6.28318530717958647692

/* nodes of a curve, the first one again at the end */
typedef struct outline {
  hk_reader *rd;
  hk_loc loc;
  bool open;
  int32_t n, cap;
  double *u, (*x)[3], (*y)[3];
} outline;

static bool make_room(outline *o, int32_t cap) {
  const size_t n = (size_t)cap + 1;
  o->cap = cap;
  o->u = hki_pool_alloc(o->rd->pool, n * sizeof *o->u);
  o->x = hki_pool_alloc(o->rd->pool, n * sizeof *o->x);
  o->y = hki_pool_alloc(o->rd->pool, n * sizeof *o->y);
  return o->u && o->x && o->y;
}

static void add_node(outline *o, double u, const double *x, const double *y) {
  if (o->n > o->cap) return;
  memcpy(o->x[o->n], x, 3 * sizeof *x);
  memcpy(o->y[o->n], y, 3 * sizeof *y);
  o->u[o->n++] = u;
}

/* a node from r, r', r'' over the angle */
static void add_polar(outline *o, double angle, const double *r) {
  const double s = sin(angle), c = cos(angle);
  const double x[3] = {r[0] * c, r[1] * c - r[0] * s, r[2] * c - 2 * r[1] * s - r[0] * c};
  const double y[3] = {r[0] * s, r[1] * s + r[0] * c, r[2] * s + 2 * r[1] * c - r[0] * s};
  add_node(o, angle, x, y);
}

/* --- expressions ------------------------------------------------------------------------------ */

typedef struct names {
  hk_reader *rd;
  hk_rd_scope *scope;
  hk_loc loc;
  const char *input;
} names;

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  names *b = user;
  *out = (hk_expr_symbol){.is_input = true, .slot = 0};
  return strcmp(name, b->input) == 0 || hki_rd_param_symbol(b->rd, b->scope, b->loc, name, out);
}

static void suggest(void *user, hk_nearest *near) {
  names *b = user;
  hki_nearest_try(near, b->input);
  hki_rd_param_suggest(b->rd, b->scope, near);
}

static hk_expr *compile(outline *o, hk_rd_scope *s, const hk_node *v, const char *input) {
  names b = {.rd = o->rd, .scope = s, .loc = v->loc, .input = input};
  hk_expr_scope scope = {&b, resolve, suggest, false};
  hk_expr *e = NULL;
  if (!hki_node_text(v) || !hki_rd_whole(o->rd, v)) return NULL;
  hki_expr_compile(o->rd->ctx, o->rd->spec->pool, v->text, (size_t)v->len, hki_node_text_loc(v, 0),
                   &scope, &e);
  return e;
}

/* a corner of an expression between 0 and `end`, or where its ends meet: a warning */
static bool smooth(outline *o, const hk_expr *e, const char *input, double end) {
  double t = 0.0, a[3], b[3], size = 0.0, kink = NAN;
  for (int32_t i = 0; i <= NODES; i++) {
    hki_expr_eval_jet(e, (const double[]){end * i / NODES}, 0, a);
    size = fmax(size, fabs(a[1]) + fabs(a[0]) / end);
  }
  hki_expr_eval_jet(e, (const double[]){0.0}, 0, a);
  hki_expr_eval_jet(e, (const double[]){end}, 0, b);
  if (!o->open && !(fabs(a[0] - b[0]) <= 1e-9 * size * end)) {
    hki_rd_error(o->rd, o->loc, "let it have the same value at both ends",
                 "the curve does not close: it begins at %.6g and ends at %.6g", a[0], b[0]);
    return false;
  }
  if (!o->open && fabs(a[1] - b[1]) > 1e-6 * size) kink = 0.0;
  for (int32_t i = 0; i < NODES && (t = hki_expr_next_break(e, 0, t)) < end; i++) {
    const double d = 1e-7 * end;
    hki_expr_eval_jet(e, (const double[]){t - d}, 0, a);
    hki_expr_eval_jet(e, (const double[]){t + d}, 0, b);
    if (fabs(a[1] - b[1]) > 1e-3 * size && isnan(kink)) kink = t;
  }
  if (!isnan(kink))
    hki_warn(o->rd->ctx, o->loc, "round it off, or give the curve by points",
             "the curve has a corner at %s = %.6g, which is rounded over %.2g: the follower is "
             "struck there",
             input, kink, end / NODES);
  return true;
}

static bool polar_expression(outline *o, hk_rd_scope *s, const hk_node *v) {
  const hk_expr *e = compile(o, s, v, "angle");
  if (!e || !make_room(o, NODES) || !smooth(o, e, "angle", TWO_PI)) return false;
  for (int32_t i = 0; i <= NODES; i++) {
    const double angle = TWO_PI * i / NODES;
    double r[3];
    hki_expr_eval_jet(e, (const double[]){i < NODES ? angle : 0.0}, 0, r);
    add_polar(o, angle, r);
  }
  return true;
}

static bool plane_expressions(outline *o, hk_rd_scope *s, const hk_node *vx, const hk_node *vy) {
  const hk_expr *ex = compile(o, s, vx, "u"), *ey = compile(o, s, vy, "u");
  if (!ex || !ey || !make_room(o, NODES)) return false;
  if (!smooth(o, ex, "u", 1.0) || !smooth(o, ey, "u", 1.0)) return false;
  for (int32_t i = 0; i <= NODES; i++) {
    const double at = i < NODES || o->open ? (double)i / NODES : 0.0;
    double x[3], y[3];
    hki_expr_eval_jet(ex, &at, 0, x);
    hki_expr_eval_jet(ey, &at, 0, y);
    add_node(o, (double)i / NODES, x, y);
  }
  return true;
}

static bool circle(outline *o, hk_rd_scope *s, const hk_node *v, const hk_node *centre) {
  double r, c[2] = {0.0, 0.0};
  if (!hki_rd_number(o->rd, s, v, "circle", &r)) return false;
  if (centre && !hki_rd_numbers(o->rd, s, centre, "centre", 2, c)) return false;
  if (!make_room(o, NODES)) return false;
  for (int32_t i = 0; i <= NODES; i++) {
    const double a = TWO_PI * i / NODES, sn = r * sin(a), cs = r * cos(a);
    add_node(o, a, (const double[]){c[0] + cs, -sn, -cs}, (const double[]){c[1] + sn, cs, -sn});
  }
  return true;
}

/* --- rows of numbers -------------------------------------------------------------------------- */

/* the first two columns of a file, likewise */
static int32_t file_pairs(outline *o, const hk_node *file, double **a, double **b) {
  hk_csv csv;
  if (!hki_rd_csv(o->rd, file, &csv)) return 0;
  const int32_t n = csv.rows;
  if (csv.columns < 2 || n < 3 || n > MOST_ROWS) {
    hki_rd_error(o->rd, file->loc, "two columns, at least three rows",
                 "the file has no curve: it has %d columns and %d rows", (int)csv.columns, (int)n);
    return 0;
  }
  for (int k = 0; k < 2; k++) {
    double **to = k ? b : a;
    *to = hki_pool_alloc(o->rd->pool, (size_t)(n + 1) * sizeof **to);
    if (!*to) return 0;
    memcpy(*to, csv.data + (size_t)k * (size_t)n, (size_t)n * sizeof **to);
  }
  return n;
}

/* pairs of a list, in two columns with room for one more; their number, 0 after reporting */
static int32_t read_pairs(outline *o, hk_rd_scope *s, const hk_node *list, const char *key,
                          double **a, double **b) {
  char found[64];
  const int32_t n = list->kind == HK_NODE_SEQUENCE ? list->count : 0;
  if (hki_node_text(list)) return file_pairs(o, list, a, b);
  if (n < 3 || n > MOST_ROWS) {
    hki_rd_error(o->rd, list->loc, "a closed curve needs at least three",
                 "'%s' must be a list of pairs of numbers, found %s", key,
                 hki_node_describe(list, found, sizeof found));
    return 0;
  }
  *a = hki_pool_alloc(o->rd->pool, (size_t)(n + 1) * sizeof **a);
  *b = hki_pool_alloc(o->rd->pool, (size_t)(n + 1) * sizeof **b);
  if (!*a || !*b) return 0;
  for (int32_t i = 0; i < n; i++) {
    double p[2];
    if (!hki_rd_numbers(o->rd, s, list->items[i], key, 2, p)) return 0;
    (*a)[i] = p[0], (*b)[i] = p[1];
  }
  return n;
}

/* second derivative at the beginning of segment i of a cubic spline with slopes m */
static double bend(const double *x, const double *y, const double *m, int32_t i) {
  const double h = x[i + 1] - x[i];
  return (6.0 * (y[i + 1] - y[i]) / h - 4.0 * m[i] - 2.0 * m[i + 1]) / h;
}

/* the same at the end of the last segment, before row i */
static double end_bend(const double *x, const double *y, const double *m, int32_t i) {
  const double h = x[i] - x[i - 1];
  return (-6.0 * (y[i] - y[i - 1]) / h + 2.0 * m[i - 1] + 4.0 * m[i]) / h;
}

static bool ascending(outline *o, const hk_node *list, const double *x, int32_t n) {
  for (int32_t i = 1; i < n; i++) {
    if (x[i] > x[i - 1]) continue;
    const bool own = list->kind == HK_NODE_SEQUENCE && i < list->count;
    hki_rd_error(o->rd, own ? list->items[i]->loc : list->loc, NULL,
                 "row %d of the curve is not behind the one before it", (int)i + 1);
    return false;
  }
  return true;
}

/* slopes of the spline through n + 1 rows; of a closed curve the last is the first */
static double *slopes(outline *o, const double *x, const double *y, int32_t n) {
  const hk_spline_ends ends = o->open ? HK_ENDS_NOT_A_KNOT : HK_ENDS_PERIODIC;
  double *m = hki_pool_alloc(o->rd->pool, 4 * (size_t)(n + 1) * sizeof *m);
  if (m) hki_spline_slopes(n + 1, x, y, ends, (const double[]){0.0, 0.0}, m, m + n + 1);
  return m;
}

static bool polar_rows(outline *o, hk_rd_scope *s, const hk_node *list) {
  double *a, *r, *m;
  int32_t n = read_pairs(o, s, list, "polar", &a, &r);
  if (!n) return false;
  // the last row may be the first one, a turn later
  if (fabs(a[n - 1] - a[0] - TWO_PI) < 1e-9 && r[n - 1] == r[0]) n--;
  a[n] = a[0] + TWO_PI, r[n] = r[0];
  if (!ascending(o, list, a, n + 1) || !(m = slopes(o, a, r, n))) return false;
  if (!make_room(o, n + 2 * NODES)) return false;
  for (int32_t i = 0; i < n; i++) {
    const double h = a[i + 1] - a[i], b0 = bend(a, r, m, i);
    const double c3 = (m[i] + m[i + 1] - 2.0 * (r[i + 1] - r[i]) / h) / (h * h);
    const int32_t parts = 1 + (int32_t)(h / TWO_PI * NODES);
    for (int32_t k = 0; k < parts; k++) {
      const double v = h * k / parts;
      const double jet[3] = {r[i] + v * (m[i] + v * (0.5 * b0 + v * c3)),
                             m[i] + v * (b0 + v * 3.0 * c3), b0 + 6.0 * v * c3};
      add_polar(o, a[i] + v, jet);
    }
  }
  add_node(o, a[n], o->x[0], o->y[0]);
  return true;
}

static bool points(outline *o, hk_rd_scope *s, const hk_node *list) {
  double *x, *y, *mx, *my, *u;
  int32_t n = read_pairs(o, s, list, "points", &x, &y);
  if (!n) return false;
  if (o->open) {
    n--;
  } else {
    if (x[n - 1] == x[0] && y[n - 1] == y[0]) n--;
    x[n] = x[0], y[n] = y[0];
  }
  u = hki_pool_alloc(o->rd->pool, (size_t)(n + 1) * sizeof *u);
  if (!u || !make_room(o, n)) return false;
  u[0] = 0.0;
  for (int32_t i = 0; i < n; i++) u[i + 1] = u[i] + hypot(x[i + 1] - x[i], y[i + 1] - y[i]);
  if (n < (o->open ? 1 : 3) || !ascending(o, list, u, n + 1)) return false;
  mx = slopes(o, u, x, n), my = slopes(o, u, y, n);
  if (!mx || !my) return false;
  for (int32_t i = 0; i < n; i++)
    add_node(o, u[i], (const double[]){x[i], mx[i], bend(u, x, mx, i)},
             (const double[]){y[i], my[i], bend(u, y, my, i)});
  if (o->open)
    add_node(o, u[n], (const double[]){x[n], mx[n], end_bend(u, x, mx, n)},
             (const double[]){y[n], my[n], end_bend(u, y, my, n)});
  else
    add_node(o, u[n], o->x[0], o->y[0]);
  return true;
}

/* --- the curve -------------------------------------------------------------------------------- */

/* twice the area that the nodes enclose; NAN: a number is not finite */
static double area(const outline *o) {
  double sum = 0.0;
  for (int32_t i = 0; i + 1 < o->n; i++)
    sum += o->x[i][0] * o->y[i + 1][0] - o->x[i + 1][0] * o->y[i][0];
  for (int32_t i = 0; i < o->n; i++)
    for (int k = 0; k < 3; k++)
      if (!isfinite(o->x[i][k]) || !isfinite(o->y[i][k])) sum = NAN;
  return sum;
}

/* the same curve the other way round */
static void turn_round(outline *o) {
  const double end = o->u[o->n - 1] + o->u[0];
  for (int32_t i = 0, j = o->n - 1; i <= j; i++, j--) {
    double x[3], y[3], u = end - o->u[i];
    memcpy(x, o->x[i], sizeof x), memcpy(y, o->y[i], sizeof y);
    o->u[i] = end - o->u[j];
    memcpy(o->x[i], o->x[j], sizeof x), memcpy(o->y[i], o->y[j], sizeof y);
    o->u[j] = u;
    memcpy(o->x[j], x, sizeof x), memcpy(o->y[j], y, sizeof y);
  }
  for (int32_t i = 0; i < o->n; i++) o->x[i][1] = -o->x[i][1], o->y[i][1] = -o->y[i][1];
}

static const hk_curve *finish(outline *o) {
  hk_pool *pool = o->rd->spec->pool;
  const int32_t n = o->n - 1;
  const double twice = area(o);
  hk_curve *c = hki_pool_alloc(pool, sizeof *c);
  hk_curve_piece *p = hki_pool_alloc(pool, (size_t)(n > 0 ? n : 1) * sizeof *p);
  if (!c || !p) return NULL;
  if (o->open ? isnan(twice) : n < 3 || !(fabs(twice) > 0.0)) {
    hki_rd_error(o->rd, o->loc, NULL,
                 isnan(twice) ? "the curve has a point that is not finite"
                              : "the curve encloses no area");
    return NULL;
  }
  if (twice < 0.0 && !o->open) turn_round(o);
  for (int32_t i = 0; i < n; i++) {
    p[i].length = o->u[i + 1] - o->u[i];
    hki_quintic(p[i].length, o->x[i], o->x[i + 1], p[i].x);
    hki_quintic(p[i].length, o->y[i], o->y[i + 1], p[i].y);
  }
  *c = (hk_curve){n, p, o->open};
  return c;
}

/* a text that is no name of a file */
static bool is_expression(const hk_node *v) {
  const char *text = hki_node_text(v);
  const size_t n = text ? strlen(text) : 0;
  return text && !(n > 4 && strcmp(text + n - 4, ".csv") == 0);
}

const hk_curve *hki_rd_curve(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what) {
  static const hk_param *const tables[] = {hki_keys_curve, NULL};
  outline o = {.rd = rd, .loc = node->loc};
  if (!hki_rd_check_keys(rd, node, tables, "the curve", what)) return NULL;
  const hk_node *disc = hki_node_get(node, "circle"), *polar = hki_node_get(node, "polar");
  const hk_node *list = hki_node_get(node, "points"), *centre = hki_node_get(node, "centre");
  const hk_node *x = hki_node_get(node, "x"), *y = hki_node_get(node, "y");
  const int given = (disc != NULL) + (polar != NULL) + (list != NULL) + (x && y);
  const hk_node *open = hki_node_get(node, "open");
  bool ok = false;
  if (open && !hki_rd_bool(rd, s, open, "open", &o.open)) return NULL;
  if (o.open && (disc || polar)) {
    hki_rd_error(rd, open->loc, "give it by points, or by x and y", "this curve is closed");
    return NULL;
  }
  if (given != 1 || !x != !y || (centre && !disc)) {
    hki_rd_error(rd, node->loc, "one of circle (with centre), polar, points, or x with y",
                 "'%s' is not a curve", what);
    return NULL;
  }
  if (disc)
    ok = circle(&o, s, disc, centre);
  else if (list)
    ok = points(&o, s, list);
  else if (x)
    ok = plane_expressions(&o, s, x, y);
  else
    ok = is_expression(polar) ? polar_expression(&o, s, polar) : polar_rows(&o, s, polar);
  return ok ? finish(&o) : NULL;
}
