/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_cables.c: cables. `rope: {from: A, to: B, elements: 20, EA: 1e6, mass: 0.5}` becomes the point
 * masses rope.0 to rope.20, its nodes (rope.start and rope.end are other names of the first and the
 * last), the ropes without mass rope.1 .. between them (elements/rope.c), and with `ends` the joints
 * rope_start and rope_end. Each node has the mass of half the pieces beside it, for the length as drawn;
 * it keeps it when a winch changes the length.
 *
 * A cable that is longer than the distance of its ends hangs in a catenary. With the horizontal distance
 * a of its ends, their difference v in height, and the length S:
 *
 *   sinh(x)/x = sqrt(S^2 - v^2)/a      c = a/(2 x)         tanh(m/c) = v/S
 *   X = c asinh(s/c)      height c cosh(X/c)      s, X: from the lowest point, between m - a/2 and m + a/2
 *
 * Nodes lie at equal parts of its length. (Irvine 1981, Cable Structures, chapter 1.)
 */
#include <math.h>
#include <stdio.h>

#include "language/reader_beams.h"
#include "language/rows.h"

enum { MOST_ELEMENTS = 10000 };

/* clang-format off */
const hk_param hki_keys_cable[] = {
    ROW("from", HK_P_POINT, HK_P_REQUIRED, "its start"),
    ROW("to", HK_P_POINT, HK_P_REQUIRED, "its end"),
    ROW("through", HK_P_ANY, 0, "how it is drawn between them. One point: a circular arc; a list of points: a smooth curve; left out: straight, or a catenary where it is longer"),
    {"elements", HK_P_INT, 0, HK_P_HAND, 20, 1, MOST_ELEMENTS, "", NULL, "ropes between its nodes NAME.0 .. NAME.N, which are point masses"},
    REAL("EA", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "N", "force per strain: modulus times cross section"),
    REAL("mass", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "kg/m", "mass per length"),
    {"length", HK_P_DYNAMIC, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "m", NULL, "free length of the whole cable, a number or a signal (a winch); left out: as drawn"},
    REAL("drawn_length", HK_P_POSITIVE, NAN, "m", "length with which it is drawn, hanging; left out: 'length' where that is a number"),
    REAL("pretension", HK_P_POSITIVE, NAN, "N", "tension as drawn, instead of 'length'"),
    REAL("damping", HK_P_NONNEGATIVE, 0.0, "s", "tau: the tension follows strain + tau times its rate; it never pushes"),
    ROW("ends", HK_P_ANY, 0, "bodies that its ends are fixed to: {start: ground, end: load}"),
    HK_PARAM_END};
/* clang-format on */

/* a cable while it is read */
typedef struct cable {
  hk_reader *rd;
  hk_rd_scope *outer, *own;
  const hk_entry *e;
  int32_t n, body0;
  hk_rd_line line;
  const hk_node *length; /* NULL: as drawn */
  double EA, mass, tau, pretension;
  double drawn; /* its length in the drawing */
  /* a catenary: from + (X - X0) along + (Y(X) - Y(X0)) up; c = 0: it is folded; hangs = false: none */
  bool hangs;
  double along[3], up[3], c, X0, s0, v;
} cable;

/* --- keys ------------------------------------------------------------------------------------- */

static bool read_number(const cable *b, const char *key, double *out) {
  return hki_rd_key_real(b->rd, b->outer, b->e->value, hki_keys_cable, key, out);
}

static bool bad(const cable *b, hk_loc loc, const char *hint, const char *what) {
  hki_rd_error(b->rd, loc, hint, "cable '%s' %s", b->e->key, what);
  return false;
}

/* gravity, as far as it is a number: what gives a cable its shape */
static void gravity(const cable *b, double *g) {
  const hk_node *v = hki_rd_first(b->rd, b->rd->scopes[0], "gravity");
  v3_zero(g);
  for (int32_t k = 0; v && v->kind == HK_NODE_SEQUENCE && v->count == 3 && k < 3; k++)
    if (!hki_rd_is_number(b->rd, b->rd->scopes[0], v->items[k], &g[k])) g[k] = 0.0;
}

/* the catenary of the length drawn between both ends */
static bool hang(cable *b) {
  double d[3], S = b->drawn, low = 0.0, high = 1.0;
  const hk_node *from = hki_node_get(b->e->value, "from");
  gravity(b, b->up);
  v3_scale(b->up, -1.0, b->up);
  if (v3_normalize(b->up) == 0.0)
    return bad(b, from->loc, "draw it 'through' points",
               "is longer than the distance of its ends, and without constant gravity it has no "
               "shape");
  v3_sub(d, b->line.p + 3, b->line.p);
  b->v = v3_dot(d, b->up);
  v3_copy(b->along, d);
  v3_axpy(b->along, -b->v, b->up);
  const double a = v3_normalize(b->along);
  b->hangs = true;
  if (a < 1e-9 * S) return true;
  // sinh(x)/x grows: halving
  const double k = sqrt(S * S - b->v * b->v) / a;
  while (sinh(high) / high < k) high *= 2.0;
  for (int pass = 0; pass < 200 && high - low > 1e-15 * high; pass++) {
    const double x = 0.5 * (low + high);
    *(sinh(x) / x < k ? &low : &high) = x;
  }
  b->c = a / (low + high);
  b->X0 = b->c * atanh(b->v / S) - 0.5 * a;
  b->s0 = b->c * sinh(b->X0 / b->c);
  return true;
}

static bool read_length(cable *b) {
  const hk_node *node = b->e->value, *drawn = hki_node_get(node, "drawn_length");
  const double line = b->line.length[b->line.n - 1];
  double x = NAN;
  b->length = hki_node_get(node, "length");
  const bool number = b->length && hki_rd_is_number(b->rd, b->outer, b->length, &x);
  if (b->length && b->pretension > 0.0)
    return bad(b, b->length->loc, "leave one of them out", "has both 'length' and 'pretension'");
  if (number && !(x > 0.0)) {
    hki_rd_error(b->rd, b->length->loc, NULL, "'length' of cable '%s' must be positive, found %g",
                 b->e->key, x);
    return false;
  }
  b->drawn = line;
  if (drawn && hki_node_find(node, "through"))
    return bad(b, drawn->loc, "leave one of them out", "has both 'through' and 'drawn_length'");
  if (hki_node_find(node, "through")) return true;
  if (drawn) {
    if (!read_number(b, "drawn_length", &x)) return false;
    if (x < line * (1.0 - 1e-12))
      return bad(b, drawn->loc, "a longer 'drawn_length', or ends nearer to each other",
                 "is drawn with a length that is shorter than the distance of its ends");
  }
  if (!(x > line)) return true;
  b->drawn = x;
  return hang(b);
}

static bool read_keys(cable *b) {
  static const hk_param *const tables[] = {hki_keys_cable, NULL};
  const hk_node *node = b->e->value;
  double n;
  if (!hki_rd_check_keys(b->rd, node, tables, "the cable", b->e->key)) return false;
  const hk_node *elements = hki_node_get(node, "elements");
  if (!hki_node_get(node, "EA") || !hki_node_get(node, "mass")) return false; // said
  if (!read_number(b, "EA", &b->EA) || !read_number(b, "mass", &b->mass) ||
      !read_number(b, "damping", &b->tau) || !read_number(b, "pretension", &b->pretension) ||
      !read_number(b, "elements", &n) ||
      !hki_rd_line(b->rd, b->outer, node, "the cable", b->e->key, &b->line))
    return false;
  b->n = (int32_t)n;
  if (n != floor(n)) {
    hki_rd_error(b->rd, elements->loc, NULL, "'elements' must be a whole number, found %g", n);
    return false;
  }
  return read_length(b);
}

/* --- what it stands for ----------------------------------------------------------------------- */

static void place(const cable *b, double part, double *p) {
  double t[3], s = part * b->drawn;
  if (!b->hangs) {
    hki_rd_line_at(&b->line, part, p, t);
    return;
  }
  const double down = 0.5 * (b->drawn - b->v);
  double X = 0.0, Y = s < down ? -s : s - 2.0 * down;
  if (b->c > 0.0) {
    s += b->s0;
    X = b->c * asinh(s / b->c) - b->X0;
    Y = hypot(b->c, s) - hypot(b->c, b->s0);
  }
  v3_copy(p, b->line.p);
  v3_axpy(p, X, b->along);
  v3_axpy(p, Y, b->up);
}

static bool add_node(cable *b, int32_t i) {
  hk_spec_body *body = hki_rd_chain_node(b->rd, b->own, b->e->key_loc, i);
  if (!body) return false;
  place(b, (double)i / b->n, body->com);
  body->has_com = true;
  body->mass = b->mass * b->drawn / b->n * (i > 0 && i < b->n ? 1.0 : 0.5);
  return true;
}

/* what drawings know of it: a curve through its nodes */
static void add_group(const cable *b) {
  double *station = hki_pool_alloc(b->rd->spec->pool, (size_t)(b->n + 1) * sizeof *station);
  if (!station) return;
  for (int32_t i = 0; i <= b->n; i++) station[i] = (double)i / b->n;
  hki_rd_group_add(b->rd, &(hk_spec_group){.name = hki_rd_full_name(b->rd, b->outer, b->e->key),
                                           .loc = b->e->key_loc,
                                           .kind = "line of masses",
                                           .body0 = b->body0,
                                           .nbody = b->n + 1,
                                           .wide0 = b->rd->spec->nwide,
                                           .station = station,
                                           .points = true});
}

/* the rope between nodes i - 1 and i, as a model file would write it; a free length that varies is
 * the whole one's */
static bool add_rope(cable *b, int32_t i) {
  hk_reader *rd = b->rd;
  hk_text text;
  hki_text_init(&text, rd->ctx);
  hki_text_printf(&text, "type: rope\nbetween: [%d, %d]\nends:\n", (int)i - 1, (int)i);
  for (int k = 0; k < 2; k++) {
    double d[3], p[3];
    v3_sub(d, rd->spec->bodies[b->body0 + i - 1 + k].com, b->outer->map.p);
    m3_tmulv(p, b->outer->map.S, d);
    hki_text_printf(&text, "  - [%.17g, %.17g, %.17g]\n", p[0], p[1], p[2]);
  }
  hki_text_printf(&text, "EA: %.17g\ndamping: %.17g\n", b->EA, b->tau);
  if (b->pretension > 0.0)
    hki_text_printf(&text, "pretension: %.17g\n", b->pretension);
  else
    hki_text_printf(&text, "share: %.17g\nlength: %.17g\n", 1.0 / b->n, b->drawn);
  hk_entry *e = hki_rd_part(rd, hki_pool_printf(rd->pool, "%d", (int)i), b->e->key_loc, &text);
  if (!e) return false;
  if (b->length) e->value->entries[e->value->count - 1].value = (hk_node *)(uintptr_t)b->length;
  return hki_rd_force_entry(rd, b->own, e);
}

static void add_cable(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_clamp, NULL};
  cable b = {.rd = rd, .outer = s, .e = e, .body0 = rd->spec->nbodies};
  if (!hki_rd_good_name(rd, "cable of masses", e->key, e->key_loc, false)) return;
  if (!(b.own = hki_rd_chain_scope(rd, s, e->key)) || !read_keys(&b)) return;
  const hk_node *ends = hki_node_get(e->value, "ends");
  if (ends && !hki_rd_check_keys(rd, ends, tables, "ends of cable", e->key)) return;
  for (int32_t i = 0; i <= b.n; i++)
    if (!add_node(&b, i)) return;
  for (int32_t i = 1; i <= b.n; i++)
    if (!add_rope(&b, i)) return;
  if (!hki_rd_chain_alias(rd, b.own, "start", b.body0) ||
      !hki_rd_chain_alias(rd, b.own, "end", b.body0 + b.n))
    return;
  if (hki_rd_chain_clamp(rd, s, e->key, ends, b.body0, b.n)) add_group(&b);
}

void hki_rd_cables_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "cables", &w));) add_cable(rd, w.scope, e);
}
