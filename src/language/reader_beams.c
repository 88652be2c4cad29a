/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_beams.c: beams. `wing: {from: A, to: B, elements: 8, section: {..}}` becomes the bodies wing.0
 * to wing.8, its nodes, at equal distances along the line (wing.start and wing.end are other names of
 * the first and the last), the elements wing.1 .. between them, and with `clamp` the joints wing_start
 * and wing_end. After this nobody knows beams but who
 * reads groups: channels, reports and drawings.
 *
 * Axes of a node: x along the line, z as near to `up` as possible, turned about x by the twist there.
 *
 * Mass: the integral over each element by the rule that belongs to its interpolation, at its nodes:
 * 1/6, 2/3, 1/6 of three nodes, 1/2, 1/2 of two. Mass, centre of mass and, with three nodes, the moments
 * of inertia of a straight uniform beam are exact.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements/beam.h"
#include "language/reader_beams.h"
#include "language/rows.h"

enum { MOST_ELEMENTS = 10000 };

static const double MOST_TURN = 1.6; /* rad, between two nodes: about a quarter of a circle */

/* clang-format off */
const hk_param hki_keys_beam[] = {
    ROW("from", HK_P_POINT, HK_P_REQUIRED, "its start"),
    ROW("to", HK_P_POINT, HK_P_REQUIRED, "its end"),
    ROW("through", HK_P_ANY, 0, "one point: a circular arc through it; a list of points: a smooth curve; left out: straight"),
    {"elements", HK_P_INT, 0, HK_P_HAND, 8, 1, MOST_ELEMENTS, "", NULL, "intervals between its nodes NAME.0 .. NAME.N; an element of three nodes takes two"},
    CHOICE("element", "three_node helicoidal finite_volume finite_volume_two", "kind of element: three_node (default); helicoidal, of two nodes; finite_volume of three nodes, or of two"),
    ROW("up", HK_P_AXIS, HK_P_REQUIRED, "direction near the z axis of its section"),
    REAL("twist", 0, 0.0, "rad", "angle by which the section turns about the line from the start to the end"),
    ROW("section", HK_P_ANY, HK_P_REQUIRED, "its section, or a list of them at equal distances from the start to the end, or at the parts 'at' of its length"),
    REAL("damping", HK_P_NONNEGATIVE, 0.0, "s", "tau: section forces follow strain + tau times its rate"),
    CHOICE("mass", "section none", "none: its nodes have no mass and follow the balance of forces, in formulation redundant; section (default): that of its section"),
    ROW("loads", HK_P_ANY, 0, "forces and moments per length: {wind: {force: [0, 0, -50]}}"),
    ROW("sliders", HK_P_ANY, 0, "bodies that run along it: {trolley: {body: cart, at: P, stiffness: 1e6}}"),
    ROW("clamp", HK_P_ANY, 0, "bodies that its ends are fixed to: {start: ground, end: hub}"),
    HK_PARAM_END};

const hk_param hki_keys_clamp[] = {
    ROW("start", HK_P_BODY, 0, "body that the first node is fixed to"),
    ROW("end", HK_P_BODY, 0, "body that the last node is fixed to"),
    HK_PARAM_END};
/* clang-format on */

static const hk_wide_ops *const kinds[] = {&hki_beam_three, &hki_beam_helicoidal, &hki_beam_volume,
                                           &hki_beam_volume_two};

/* a beam while it is read */
typedef struct beam {
  hk_reader *rd;
  hk_rd_scope *outer, *own; /* the scope it stands in; one with its name before all names */
  const hk_entry *e;
  const hk_wide_ops *ops;
  int32_t n; /* intervals */
  hk_rd_line line;
  hk_rd_map from; /* of its start: the beam belongs to the frame in which that is placed */
  double length, up[3], twist, tau;
  bool massless;
  int32_t nsections;
  hk_rd_section *sections;
  int32_t body0;
  double *station;     /* n + 1: parts of the length */
  hk_outline *outline; /* n + 1 */
} beam;

/* --- keys ------------------------------------------------------------------------------------- */

static bool read_sections(beam *b, const hk_node *node) {
  const bool list = node->kind == HK_NODE_SEQUENCE && node->count > 0;
  b->nsections = list ? node->count : 1;
  b->sections = hki_pool_alloc(b->rd->pool, (size_t)b->nsections * sizeof *b->sections);
  if (!b->sections) return false;
  for (int32_t i = 0; i < b->nsections; i++)
    if (!hki_rd_section(b->rd, b->outer, list ? node->items[i] : node, b->e->key, &b->sections[i]))
      return false;
  // places: all of them or none, in the order of the beam
  for (int32_t i = 0; i < b->nsections; i++) {
    const hk_rd_section *c = &b->sections[i];
    const bool given = !isnan(c->at);
    if (given == !isnan(b->sections[0].at) && (!given || !i || c->at >= c[-1].at)) continue;
    hki_rd_error(
        b->rd, list ? node->items[i]->loc : node->loc, "[{at: 0, ..}, {at: 0.3, ..}, {at: 1, ..}]",
        "the sections of beam '%s' must have 'at' in rising order, or none of them", b->e->key);
    return false;
  }
  return true;
}

static bool read_number(beam *b, const char *key, double *out) {
  return hki_rd_key_real(b->rd, b->outer, b->e->value, hki_keys_beam, key, out);
}

static bool read_elements(beam *b) {
  const hk_node *node = b->e->value, *kind = hki_node_get(node, "element");
  const hk_node *v = hki_node_get(node, "elements"), *mass = hki_node_get(node, "mass");
  int32_t k = 0, none = 0;
  double n;
  if (mass && !hki_rd_choice(b->rd, mass, "mass", "section none", &none)) return false;
  b->massless = none;
  if (kind && !hki_rd_choice(b->rd, kind, "element",
                             hki_params_find(hki_keys_beam, "element")->choices, &k))
    return false;
  b->ops = kinds[k];
  if (!read_number(b, "elements", &n)) return false;
  if (n != floor(n)) {
    hki_rd_error(b->rd, v->loc, NULL, "'elements' must be a whole number, found %g", n);
    return false;
  }
  b->n = (int32_t)n;
  if (b->n % (b->ops->nmark - 1) == 0) return true;
  hki_rd_error(b->rd, v ? v->loc : node->loc, "an even number, or element: helicoidal",
               "elements of three nodes take two of 'elements' each: %d is odd", (int)b->n);
  return false;
}

/* false after reporting that the line or its twist turns too much between two nodes */
static bool is_smooth(const beam *b) {
  const hk_node *node = b->e->value, *through = hki_node_get(node, "through");
  for (int32_t i = 0; i < b->n; i++) {
    const double turn = hki_rd_line_turn(&b->line, (double)i / b->n, (double)(i + 1) / b->n);
    if (turn <= MOST_TURN) continue;
    hki_rd_error(b->rd, through ? through->loc : node->loc,
                 "more elements, or at a corner two beams with a fixed joint",
                 "beam '%s' has a sharp kink: it turns by %.3g rad between its nodes %d and %d",
                 b->e->key, turn, (int)i, (int)i + 1);
    return false;
  }
  if (fabs(b->twist) <= MOST_TURN * b->n) return true;
  hki_rd_error(b->rd, hki_node_get(node, "twist")->loc, "more elements",
               "beam '%s' is twisted by %.3g rad between two nodes; at most %.3g", b->e->key,
               fabs(b->twist) / b->n, MOST_TURN);
  return false;
}

static bool read_keys(beam *b) {
  static const hk_param *const tables[] = {hki_keys_beam, NULL};
  hk_reader *rd = b->rd;
  const hk_node *node = b->e->value, *up = hki_node_get(node, "up");
  const hk_node *section = hki_node_get(node, "section");
  double z[3];
  if (!hki_rd_check_keys(rd, node, tables, "beam", b->e->key) || !up || !section) return false;
  if (!read_elements(b) || !hki_rd_line(rd, b->outer, node, "the beam", b->e->key, &b->line) ||
      !hki_rd_point_map(rd, b->outer, hki_node_get(node, "from"), "from", &b->from) ||
      !hki_rd_axis(rd, b->outer, &b->outer->map, up, "up", z) || !read_sections(b, section) ||
      !read_number(b, "twist", &b->twist) || !read_number(b, "damping", &b->tau))
    return false;
  hki_rd_map_vector(&b->outer->map, z, b->up);
  if (b->outer->map.mirrored) b->twist = -b->twist;
  b->length = b->line.length[b->line.n - 1];
  return is_smooth(b);
}

/* --- geometry --------------------------------------------------------------------------------- */

/* axes and place of the section at a part of the length; false: `up` lies along the beam */
static bool place(const beam *b, double part, hk_offset *out) {
  double x[3], y[3], z[3], t[3] = {part * b->twist, 0.0, 0.0}, R[9], T[9];
  hki_rd_line_at(&b->line, part, out->p, x);
  v3_copy(z, b->up);
  v3_axpy(z, -v3_dot(z, x), x);
  if (v3_norm(z) < 1e-3) return false;
  v3_normalize(z);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
  rot_exp(T, t);
  m3_mul(out->R, R, T);
  return true;
}

/* the section at a part of the length: linear between those given */
static void section_at(const beam *b, double part, hk_rd_section *out) {
  const int32_t last = b->nsections - 1;
  *out = b->sections[0];
  if (!last) return;
  const bool placed = !isnan(b->sections[0].at);
  int32_t i = placed ? 0 : (int32_t)floor(part * last);
  while (placed && i + 1 < last && b->sections[i + 1].at <= part) i++;
  i = i < 0 ? 0 : i >= last ? last - 1 : i;
  const hk_rd_section *p = &b->sections[i], *q = p + 1;
  double t = part * last - i;
  if (placed) t = fmin(fmax((part - p->at) / fmax(q->at - p->at, 1e-12), 0.0), 1.0);
  const double u = 1.0 - t;
  for (int k = 0; k < 36; k++) out->C[k] = u * p->C[k] + t * q->C[k];
  for (int k = 0; k < 9; k++) out->J[k] = u * p->J[k] + t * q->J[k];
  for (int k = 0; k < 3; k++) out->com[k] = u * p->com[k] + t * q->com[k];
  if (p->outline.kind != q->outline.kind)
    out->outline = t < 0.5 ? p->outline : q->outline;
  else
    for (int k = 0; k < 4; k++)
      out->outline.size[k] = u * p->outline.size[k] + t * q->outline.size[k];
  for (int k = 0; k < 2; k++)
    out->outline.centre[k] = u * p->outline.centre[k] + t * q->outline.centre[k];
  out->mass = u * p->mass + t * q->mass;
}

/* length of the beam that belongs to node i */
static double share(const beam *b, int32_t i) {
  const double h = b->length / b->n;
  const double ends = i > 0 && i < b->n ? 2.0 : 1.0;
  if (b->ops->nmark == 2) return 0.5 * ends * h;
  return i % 2 ? 4.0 / 3.0 * h : ends / 3.0 * h;
}

/* --- what it stands for ----------------------------------------------------------------------- */

hk_spec_body *hki_rd_made_body(hk_reader *rd, hk_rd_scope *own, hk_loc loc, const char *key) {
  hk_spec *spec = rd->spec;
  const int32_t before = spec->nbodies;
  hk_entry *e = hki_pool_alloc(rd->pool, sizeof *e);
  hk_node *none = hki_pool_alloc(rd->pool, sizeof *none);
  if (!e || !none || !key) return NULL;
  *none = (hk_node){.kind = HK_NODE_NULL, .loc = loc};
  *e = (hk_entry){.key = key, .key_loc = loc, .value = none};
  if (!hki_rd_body_add(rd, own, e) || spec->nbodies == before) return NULL;
  return &spec->bodies[before];
}

hk_spec_body *hki_rd_chain_node(hk_reader *rd, hk_rd_scope *own, hk_loc loc, int32_t i) {
  return hki_rd_made_body(rd, own, loc, hki_pool_printf(rd->pool, "%d", (int)i));
}

static bool add_node(beam *b, int32_t i) {
  const double part = (double)i / b->n, m = b->massless ? 0.0 : share(b, i);
  hk_rd_section c;
  hk_offset at;
  double r[3];
  if (!place(b, part, &at)) {
    hki_rd_error(b->rd, hki_node_get(b->e->value, "up")->loc, "a direction across the beam",
                 "'up' of beam '%s' lies along it, %g of its length from the start", b->e->key,
                 part);
    return false;
  }
  hk_spec_body *body = hki_rd_chain_node(b->rd, b->own, b->e->key_loc, i);
  if (!body) return false;
  section_at(b, part, &c);
  // its axes in a mirror image: x and z are those of the line and of `up`
  v3_set(b->rd->bodies[b->rd->spec->nbodies - 1].D, 1.0, -1.0, 1.0);
  body->mass = m * c.mass;
  body->has_com = body->has_frame = true;
  body->frame = at;
  v3_copy(body->carried, b->from.w);
  v3_copy(body->carried + 3, b->from.v);
  m3_mulv(r, at.R, c.com);
  v3_add(body->com, at.p, r);
  for (int k = 0; k < 9; k++) c.J[k] *= m;
  m3_congruence(body->J, at.R, c.J);
  b->station[i] = part;
  b->outline[i] = c.outline;
  return true;
}

static bool add_element(beam *b, int32_t k) {
  hk_reader *rd = b->rd;
  hk_spec *spec = rd->spec;
  const int32_t n = b->ops->nmark, first = k * (n - 1);
  int32_t *body = hki_pool_alloc(spec->pool, (size_t)n * sizeof *body);
  hk_offset *marker = hki_pool_alloc(spec->pool, (size_t)n * sizeof *marker);
  hk_beam_par *par = hki_pool_alloc(spec->pool, sizeof *par);
  const char *name = hki_pool_printf(spec->pool, "%s%d", b->own->prefix, (int)k + 1);
  hk_frame m0[3];
  if (!body || !marker || !par || !name) return false;
  if (!HK_GROW(rd->ctx, spec->wide, rd->wide_cap, spec->nwide + 1)) return false;
  memset(m0, 0, sizeof m0);
  for (int32_t i = 0; i < n; i++) {
    body[i] = b->body0 + first + i;
    marker[i] = spec->bodies[body[i]].frame;
    memcpy(m0[i].R, marker[i].R, sizeof m0[i].R);
    v3_copy(m0[i].p, marker[i].p);
  }
  par->tau = b->tau;
  for (int g = 0; g < 2; g++) {
    hk_rd_section c;
    section_at(b, (first + (n - 1) * b->ops->point[g]) / b->n, &c);
    memcpy(par->C[g], c.C, sizeof c.C);
  }
  par->length = b->length / b->n * (n - 1);
  b->ops->prepare(par, n, m0);
  spec->wide[spec->nwide++] = (hk_spec_wide){name, b->e->key_loc, b->ops, par, n, body, marker, 0};
  return true;
}

bool hki_rd_chain_alias(hk_reader *rd, const hk_rd_scope *own, const char *key, int32_t body) {
  const char *name = hki_rd_full_name(rd, own, key);
  int32_t at = HK_NONE;
  if (!name) return false;
  return hki_names_add(rd->spec->body_names, name, body, &at) || at >= 0;
}

/* the joint that clamps an end: written as a model file would write it */
static bool add_clamp(hk_reader *rd, hk_rd_scope *s, const char *name, const hk_entry *to,
                      int32_t i, const double *at) {
  const char *body = hki_node_text(to->value);
  double d[3], p[3];
  hk_text text;
  if (!body) {
    hki_rd_error(rd, to->value->loc, "ground, or the name of a body", "'%s' of '%s' must be a body",
                 to->key, name);
    return false;
  }
  v3_sub(d, at, s->map.p);
  m3_tmulv(p, s->map.S, d);
  hki_text_init(&text, rd->ctx);
  hki_text_printf(&text, "type: fixed\nbetween: [%s, %s.%d]\nat: [%.17g, %.17g, %.17g]\n", body,
                  name, (int)i, p[0], p[1], p[2]);
  const hk_entry *e =
      hki_rd_part(rd, hki_pool_printf(rd->pool, "%s_%s", name, to->key), to->value->loc, &text);
  return e && hki_rd_joint_add(rd, s, e);
}

bool hki_rd_chain_clamp(hk_reader *rd, hk_rd_scope *s, const char *name, const hk_node *clamp,
                        int32_t body0, int32_t n) {
  static const char *const keys[2] = {"start", "end"};
  for (int k = 0; clamp && k < 2; k++) {
    const hk_entry *to = hki_node_find(clamp, keys[k]);
    const int32_t i = k ? n : 0;
    double at[3];
    v3_copy(at, rd->spec->bodies[body0 + i].com);
    if (rd->spec->bodies[body0 + i].has_frame) v3_copy(at, rd->spec->bodies[body0 + i].frame.p);
    if (to && !add_clamp(rd, s, name, to, i, at)) return false;
  }
  return true;
}

hk_rd_scope *hki_rd_chain_scope(hk_reader *rd, hk_rd_scope *s, const char *name) {
  hk_rd_scope *own = hki_pool_alloc(rd->pool, sizeof *own);
  if (!own) return NULL;
  *own = *s;
  own->parent = s;
  own->name = name;
  own->prefix = hki_pool_printf(rd->pool, "%s%s.", s->prefix, name);
  return own->prefix ? own : NULL;
}

/* the slowest speed of stretch along it */
static double slowest(const beam *b) {
  double least = INFINITY;
  for (int32_t i = 0; i < b->nsections; i++)
    least = fmin(least, sqrt(b->sections[i].C[21] / b->sections[i].mass));
  return least;
}

static void add_beam(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_clamp, NULL};
  hk_spec *spec = rd->spec;
  beam b = {.rd = rd, .outer = s, .e = e, .body0 = spec->nbodies};
  const int32_t wide0 = spec->nwide;
  if (!hki_rd_good_name(rd, "beam", e->key, e->key_loc, false)) return;
  if (!(b.own = hki_rd_chain_scope(rd, s, e->key))) return;
  const hk_node *clamp = e->value->kind == HK_NODE_MAPPING ? hki_node_get(e->value, "clamp") : NULL;
  if (!read_keys(&b)) return;
  if (clamp && !hki_rd_check_keys(rd, clamp, tables, "clamp of beam", e->key)) return;
  b.station = hki_pool_alloc(spec->pool, (size_t)(b.n + 1) * sizeof *b.station);
  b.outline = hki_pool_alloc(spec->pool, (size_t)(b.n + 1) * sizeof *b.outline);
  if (!b.station || !b.outline) return;
  for (int32_t i = 0; i <= b.n; i++)
    if (!add_node(&b, i)) return;
  for (int32_t k = 0; k < b.n / (b.ops->nmark - 1); k++)
    if (!add_element(&b, k)) return;
  if (!hki_rd_chain_alias(rd, b.own, "start", b.body0) ||
      !hki_rd_chain_alias(rd, b.own, "end", b.body0 + b.n) ||
      !hki_rd_chain_clamp(rd, s, e->key, clamp, b.body0, b.n))
    return;
  hki_rd_group_add(rd, &(hk_spec_group){.name = hki_rd_full_name(rd, s, e->key),
                                        .loc = e->key_loc,
                                        .kind = "beam",
                                        .body0 = b.body0,
                                        .nbody = b.n + 1,
                                        .wide0 = wide0,
                                        .nwide = spec->nwide - wide0,
                                        .station = b.station,
                                        .length = b.length,
                                        .wave = slowest(&b),
                                        .outline = b.outline});
  const hk_rd_chain chain = {e, b.body0, b.n + 1, b.ops->nmark, b.length};
  if (hki_rd_beam_loads(rd, s, &chain)) hki_rd_sliders(rd, s, b.own, &chain);
}

void hki_rd_beams_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "beams", &w));) add_beam(rd, w.scope, e);
}

/* the beam whose name is the first n letters, or NULL */
static const hk_spec_group *find_beam(const hk_reader *rd, const hk_rd_scope *s, const char *name,
                                      size_t n) {
  char full[1024];
  if ((size_t)snprintf(full, sizeof full, "%s%.*s", s->prefix, (int)n, name) >= sizeof full)
    return NULL;
  for (int32_t i = 0; i < rd->spec->ngroups; i++)
    if (strcmp(rd->spec->groups[i].name, full) == 0) return &rd->spec->groups[i];
  return NULL;
}

/* "at(0.4)": the part; NaN: it is not written so */
static double part_of(const char *text) {
  char *end;
  if (strncmp(text, "at(", 3) != 0) return NAN;
  const double part = strtod(text + 3, &end);
  return end == text + 3 || strcmp(end, ")") != 0 ? NAN : part;
}

int32_t hki_rd_beam_at(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  const char *open = strstr(name, ".at(");
  const hk_spec_group *b = open ? find_beam(rd, s, name, (size_t)(open - name)) : NULL;
  if (!b) return -2;
  const double at = part_of(open + 1) * (b->nbody - 1), i = round(at);
  if (!(fabs(at - i) < 1e-9 * b->nbody) || i < 0.0 || i > b->nbody - 1) return -2;
  return b->body0 + (int32_t)i;
}

bool hki_rd_beam_no_node(hk_reader *rd, const hk_rd_scope *s, const hk_node *node) {
  const char *at = strstr(node->text, ".at("), *dot = at ? at : strrchr(node->text, '.');
  char hint[160];
  const hk_spec_group *b = dot ? find_beam(rd, s, node->text, (size_t)(dot - node->text)) : NULL;
  // nodes of surfaces have two numbers: plate.3.4
  for (const char *c = strchr(node->text, '.'); !b && c && c < dot; c = strchr(c + 1, '.'))
    b = find_beam(rd, s, node->text, (size_t)(c - node->text));
  if (!b) return false;
  if (b->quad) {
    const char *name = node->text + strlen(b->name) - strlen(s->prefix) + 1;
    hki_rd_error(rd, node->loc,
                 "nodes have the numbers of their mesh, or NAME.I.J: step I along u, J along v",
                 "%s '%s' has no node '%.100s'", b->kind, b->name, name);
    return true;
  }
  const int n = (int)(dot - node->text), last = (int)b->nbody - 1;
  const double part = part_of(dot + 1);
  snprintf(hint, sizeof hint, "its nodes are 0 to %d, start, end, and at(PART), PART from 0 to 1",
           last);
  if (part >= 0.0 && part <= 1.0) {
    const int i = (int)round(part * last);
    hki_rd_error(rd, node->loc, "nodes stand at equal distances: change 'elements' or the part",
                 "beam '%.*s' has no node at %g of its length; the nearest, '%.*s.%d', is at %.6g",
                 n, node->text, part, n, node->text, i, (double)i / last);
    return true;
  }
  hki_rd_error(rd, node->loc, hint, "beam '%.*s' has no node '%.100s'", n, node->text, dot + 1);
  return true;
}
