/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_pulleys.c: what ropes and belts run over.
 *
 * `over` of a cable is a list of points and pulleys; it becomes the markers of the element that acts for
 * the force (elements/cable.c).
 *
 * `belts: {drive: {axis: y, EA: 1e5, pulleys: [..]}}` becomes one span between each two of its pulleys in
 * turn, the last and the first among them: the forces drive_1, drive_2 .. (elements/belt_span.c). The belt runs
 * round its pulleys in the order in which they stand, and turns them all the same way, but for those that
 * are `reversed`, which touch it on its other side.
 */
#include <math.h>
#include <string.h>

#include "elements/cable.h"
#include "language/reader_beams.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_over[] = {
    ROW("body", HK_P_BODY, HK_P_REQUIRED, "the body that has the point or the pulley"),
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "the point, or the centre of the pulley"),
    ROW("axis", HK_P_AXIS, 0, "of a pulley: the rope turns about it in the positive sense"),
    REAL("radius", HK_P_POSITIVE, 0.0, "m", "of a pulley, to the middle of the rope; left out: a point, through which the rope slides"),
    {"turns", HK_P_INT, 0, HK_P_HAND, 0, 0, 1000, "", NULL, "full turns of the rope about the pulley, beside the angle it wraps"},
    HK_PARAM_END};

const hk_param hki_keys_pulley[] = {
    ROW("body", HK_P_BODY, HK_P_REQUIRED, "the body of the pulley"),
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "its centre"),
    REAL("radius", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "m", "its radius, to the middle of the belt"),
    ROW("reversed", HK_P_BOOL, 0, "it touches the other side of the belt, which turns it the other way"),
    HK_PARAM_END};

const hk_param hki_keys_belt[] = {
    ROW("pulleys", HK_P_ANY, HK_P_REQUIRED, "two or more pulleys, in the order in which the belt runs round them"),
    ROW("axis", HK_P_AXIS, HK_P_REQUIRED, "axis of all pulleys"),
    REAL("EA", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "N", "force per strain: modulus times cross section"),
    REAL("pretension", HK_P_NONNEGATIVE, 0.0, "N", "tension of all spans as drawn"),
    REAL("damping", HK_P_NONNEGATIVE, 0.0, "s", "tau: the tension follows strain + tau times its rate; it never pushes"),
    HK_PARAM_END};
/* clang-format on */

enum { MOST_PULLEYS = 1000 };

static bool is_list(hk_reader *rd, const hk_node *v, const char *key, int32_t most,
                    const char *what, const char *name) {
  char found[64];
  if (v->kind == HK_NODE_SEQUENCE && v->count >= 2 && v->count <= most) return true;
  hki_rd_error(rd, v->loc, NULL, "'%s' of %s '%s' must be a list of 2 to %d items, found %s", key,
               what, name, (int)most, hki_node_describe(v, found, sizeof found));
  return false;
}

/* --- over ------------------------------------------------------------------------------------- */

/* one point or pulley of a cable while it is read */
typedef struct place {
  int32_t body;
  hk_offset at;
  double radius, turns;
} place;

static bool read_pulley(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *name,
                        place *out) {
  const hk_node *axis = hki_node_get(v, "axis"), *radius = hki_node_get(v, "radius");
  double z[3], a[3];
  if (!radius && !axis) return true;
  if (!radius || !axis) {
    hki_rd_error(rd, v->loc, "a point has neither", "a pulley of cable '%s' needs '%s'", name,
                 radius ? "axis" : "radius");
    return false;
  }
  if (!hki_rd_axis(rd, s, &s->map, axis, "axis", a) ||
      !hki_rd_key_real(rd, s, v, hki_keys_over, "radius", &out->radius) ||
      !hki_rd_key_real(rd, s, v, hki_keys_over, "turns", &out->turns))
    return false;
  // the mirror image of what turns about an axis turns the other way
  if (s->map.mirrored) v3_scale(a, -1.0, a);
  hki_rd_map_vector(&s->map, a, z);
  v3_normalize(z);
  rot_from_axis(out->at.R, z, 2, NULL);
  return true;
}

static bool read_place(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *name,
                       place *out) {
  static const hk_param *const tables[] = {hki_keys_over, NULL};
  const char *text = hki_node_text(v);
  *out = (place){.body = HK_GROUND};
  m3_identity(out->at.R);
  if (text) {
    const char *full = hki_rd_full_name(rd, s, text);
    const int32_t i = full ? hki_names_find(rd->spec->marker_names, full) : -1;
    if (i < 0) {
      hki_rd_error(rd, v->loc, "a marker, {body: .., at: ..}, or with 'axis' and 'radius' a pulley",
                   "cable '%s' runs over '%.100s', which is no marker", name, text);
      return false;
    }
    out->body = rd->spec->markers[i].body;
    v3_copy(out->at.p, rd->spec->markers[i].at.p);
    return true;
  }
  if (!hki_rd_check_keys(rd, v, tables, "'over' of cable", name)) return false;
  const hk_node *body = hki_node_get(v, "body"), *at = hki_node_get(v, "at");
  const int32_t errors = hki_error_count(rd->ctx);
  if (!body || !at || !hki_rd_point(rd, s, at, "at", out->at.p)) return false;
  out->body = hki_rd_body(rd, s, body, "body");
  return hki_error_count(rd->ctx) == errors && read_pulley(rd, s, v, name, out);
}

/* can the rope run from one to the next as drawn? */
static bool is_clear(hk_reader *rd, const hk_node *v, const char *name, const place *a,
                     const place *b) {
  double d[3], z[3];
  v3_sub(d, b->at.p, a->at.p);
  const place *wheel = a->radius > 0.0 ? a : b;
  m3_column(z, wheel->at.R, 2);
  if (wheel->radius > 0.0) v3_axpy(d, -v3_dot(d, z), z);
  const double apart = v3_norm(d);
  if (apart > a->radius + b->radius) return true;
  if (a->radius > 0.0 && b->radius > 0.0)
    hki_rd_error(rd, v->loc, "smaller radii, or centres further apart",
                 "two pulleys of cable '%s' overlap: they are %g m apart, with radii %g m and %g m",
                 name, apart, a->radius, b->radius);
  else if (wheel->radius > 0.0)
    hki_rd_error(rd, v->loc, "a smaller radius, or a point outside",
                 "cable '%s' begins inside a pulley: the point beside it is %g m from its centre, "
                 "its radius is %g m",
                 name, apart, wheel->radius);
  else
    hki_rd_error(rd, v->loc, "move one of them",
                 "two points of cable '%s' that follow each other are the same", name);
  return false;
}

void hki_rd_over(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t force) {
  hk_spec *spec = rd->spec;
  hk_spec_force *f = &spec->forces[force];
  hk_cable_par *par = f->par;
  const hk_node *over = hki_node_get(node, "over");
  hk_frame m0[HK_CABLE_MOST];
  place all[HK_CABLE_MOST];
  if (!over || !is_list(rd, over, "over", HK_CABLE_MOST, "the cable", f->name)) return;
  const int32_t n = over->count;
  int32_t *body = hki_pool_alloc(spec->pool, (size_t)n * sizeof *body);
  hk_offset *marker = hki_pool_alloc(spec->pool, (size_t)n * sizeof *marker);
  if (!body || !marker) return;
  memset(m0, 0, sizeof m0);
  for (int32_t i = 0; i < n; i++) {
    if (!read_place(rd, s, over->items[i], f->name, &all[i])) return;
    if (i && !is_clear(rd, over->items[i], f->name, &all[i - 1], &all[i])) return;
    body[i] = all[i].body, marker[i] = all[i].at;
    par->radius[i] = all[i].radius, par->turns[i] = all[i].turns;
    memcpy(m0[i].R, marker[i].R, sizeof m0[i].R);
    v3_copy(m0[i].p, marker[i].p);
  }
  if (all[0].radius > 0.0 || all[n - 1].radius > 0.0) {
    hki_rd_error(rd, over->items[all[0].radius > 0.0 ? 0 : n - 1]->loc,
                 "a point of the body, beside the pulley",
                 "cable '%s' ends on a pulley: its ends are points, to which it is fixed", f->name);
    return;
  }
  hki_cable_prepare(par, n, m0);
  const double l = hki_cable_length(par, n, m0, NULL);
  if (hki_tension_prepare(rd->ctx, f->loc, f->name, &par->law, f->u_given, f->u, l) != HK_OK)
    return;
  for (int32_t i = 0; i < spec->nwide; i++)
    if (spec->wide[i].acts_for == force + 1)
      spec->wide[i] =
          (hk_spec_wide){f->name, f->loc, f->ops->wide, par, n, body, marker, force + 1};
}

/* --- belts ------------------------------------------------------------------------------------ */

typedef struct wheel {
  const char *body;
  double p[3], radius; /* p: in the axes of the scope */
} wheel;

static bool read_wheel(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *name,
                       wheel *out) {
  static const hk_param *const tables[] = {hki_keys_pulley, NULL};
  double at[3], d[3];
  bool reversed = false;
  if (!hki_rd_check_keys(rd, v, tables, "pulley of belt", name)) return false;
  const hk_node *body = hki_node_get(v, "body"), *p = hki_node_get(v, "at");
  const hk_node *back = hki_node_get(v, "reversed"), *radius = hki_node_get(v, "radius");
  if (!body || !p || !radius) return false; // said
  out->body = hki_node_text(body);
  if (!out->body) {
    hki_rd_error(rd, body->loc, "ground, or the name of a body",
                 "'body' of a pulley of belt '%s' must be a body", name);
    return false;
  }
  if (!hki_rd_point(rd, s, p, "at", at) ||
      !hki_rd_key_real(rd, s, v, hki_keys_pulley, "radius", &out->radius) ||
      (back && !hki_rd_bool(rd, s, back, "reversed", &reversed)))
    return false;
  if (reversed) out->radius = -out->radius;
  v3_sub(d, at, s->map.p);
  m3_tmulv(out->p, s->map.S, d);
  return true;
}

/* does the belt, run round the wheels, turn about the axis in the negative sense? */
static bool runs_back(int32_t n, const wheel *w, const double *axis) {
  double area = 0.0, c[3];
  for (int32_t i = 1; i + 1 < n; i++) {
    double a[3], b[3];
    v3_sub(a, w[i].p, w[0].p);
    v3_sub(b, w[i + 1].p, w[0].p);
    v3_cross(c, a, b);
    area += v3_dot(c, axis);
  }
  return area < 0.0;
}

static void add_belt(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_belt, NULL};
  const hk_node *node = e->value;
  double EA, T0, tau, axis[3];
  if (!hki_rd_good_name(rd, "closed belt", e->key, e->key_loc, true)) return;
  if (!hki_rd_check_keys(rd, node, tables, "the belt", e->key)) return;
  const hk_node *list = hki_node_get(node, "pulleys"), *a = hki_node_get(node, "axis");
  if (!list || !a || !hki_node_get(node, "EA")) return; // said
  if (!is_list(rd, list, "pulleys", MOST_PULLEYS, "the belt", e->key) ||
      !hki_rd_key_real(rd, s, node, hki_keys_belt, "EA", &EA) ||
      !hki_rd_key_real(rd, s, node, hki_keys_belt, "pretension", &T0) ||
      !hki_rd_key_real(rd, s, node, hki_keys_belt, "damping", &tau) ||
      !hki_rd_axis(rd, s, &s->map, a, "axis", axis))
    return;
  const int32_t n = list->count;
  wheel *w = hki_pool_alloc(rd->pool, (size_t)n * sizeof *w);
  for (int32_t i = 0; w && i < n; i++)
    if (!read_wheel(rd, s, list->items[i], e->key, &w[i])) return;
  if (!w) return;
  const double sense = runs_back(n, w, axis) ? -1.0 : 1.0;
  for (int32_t i = 0; i < n; i++) {
    const wheel *p = &w[i], *q = &w[(i + 1) % n];
    hk_text text;
    hki_text_init(&text, rd->ctx);
    hki_text_printf(&text, "type: belt_span\nbetween: [%s, %s]\nends:\n", p->body, q->body);
    hki_text_printf(&text, "  - [%.17g, %.17g, %.17g]\n", p->p[0], p->p[1], p->p[2]);
    hki_text_printf(&text, "  - [%.17g, %.17g, %.17g]\n", q->p[0], q->p[1], q->p[2]);
    hki_text_printf(&text, "axis: [%.17g, %.17g, %.17g]\n", axis[0], axis[1], axis[2]);
    hki_text_printf(&text, "first_radius: %.17g\nsecond_radius: %.17g\n", sense * p->radius,
                    sense * q->radius);
    hki_text_printf(&text, "EA: %.17g\ndamping: %.17g\n", EA, tau);
    if (T0 > 0.0) hki_text_printf(&text, "pretension: %.17g\n", T0);
    hk_entry *span =
        hki_rd_part(rd, hki_pool_printf(rd->pool, "%s_%d", e->key, (int)i + 1), e->key_loc, &text);
    if (!span || !hki_rd_force_entry(rd, s, span)) return;
  }
}

void hki_rd_belts_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "belts", &w));) add_belt(rd, w.scope, e);
}
