/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_flexible.c: flexible bodies from finite-element models.
 * `rod: {data: rod.nc, modes: 12, damping: 0.01}` becomes
 *
 *   rod                 the floating frame, a body with the mass of the shape at rest
 *   rod.FACE            a body for each interface
 *   rod.q1, rod.q2 ..   a body for each modal coordinate, that slides on the ground: joints rod_q1 ..
 *   rod_FACE            joints that measure interfaces against the frame, and couplers rod_FACE_x ..
 *                       that make them follow the modes,
 *                         x = Phi e, rotation vector = Psi e
 *   rod                 the element of stiffness, damping and inertia on these bodies (elements/modal.h)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/field.h"
#include "flex/file.h"
#include "language/reader_beams.h"
#include "language/reader_flexible.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_flexible[] = {
    ROW("data", HK_P_TEXT, HK_P_REQUIRED, "the file that 'hooke reduce' has written; or a mesh or a finite-element model, which is reduced here"),
    ROW("material", HK_P_ANY, 0, "of a mesh: steel, aluminium, titanium, cast_iron, or 'E=2.1e11,nu=0.3,density=7850' in SI units; or {GROUP: steel, rest: aluminium} by groups of its elements"),
    ROW("interfaces", HK_P_ANY, 0, "of a mesh: [big_end, small_end=SET, ..] as for 'hooke reduce'"),
    ROW("unit", HK_P_TEXT, 0, "of a mesh: m, mm, cm, in (default: m)"),
    {"modes", HK_P_INT, 0, HK_P_HAND, NAN, 0, HK_COUPLED - 1, "", NULL, "how many of its modes, the lowest ones (default: all); of a mesh: modes with fixed interfaces, beside the shapes of the interfaces (default: 10)"},
    ROW("damping", HK_P_ANY, 0, "damping ratio of its modes, or a list of one for each (default: 0)"),
    ROW("stiffening", HK_P_BOOL, 0, "true: with displacements of second order, so that spin and loads stiffen it or let it buckle (default: false)"),
    ROW("q", HK_P_ANY, 0, "modal coordinates at the start, [q1, q2, ..] as the file has them; those left out are nearest to 0"),
    ROW("q_rate", HK_P_ANY, 0, "their rates at the start"),
    ROW("frame", HK_P_FRAME, 0, "where the axes of the file are, {at: P, rotate: ..} (default: those of the model)"),
    HK_PARAM_END};
/* clang-format on */

/* a flexible body while it is read */
typedef struct flexible {
  hk_reader *rd;
  hk_rd_scope *s, *own; /* the scope it stands in; one with its name before all names */
  const hk_entry *e;
  hk_flex data;
  uint64_t digest; /* of the file */
  bool meshed;     /* the file is a mesh: 'modes' was for its reduction */
  hk_rd_map map;   /* of the frame in which it is placed */
  hk_offset at;
  bool stiffening;
  int32_t ne, body0, joint0;
  double *zeta; /* ne */
  hk_rd_modal_body b;
} flexible;

/* --- keys ------------------------------------------------------------------------------------- */

static bool read_file(flexible *f) {
  hk_reader *rd = f->rd;
  const hk_node *data = hki_node_get(f->e->value, "data");
  const char *name = hki_node_text(data);
  char found[64], *bytes = NULL;
  size_t len = 0;
  if (!name) {
    hki_rd_error(rd, data->loc, "data: rod.nc", "'data' must be the name of a file, found %s",
                 hki_node_describe(data, found, sizeof found));
    return false;
  }
  const char *path = hki_rd_path(rd, data->loc, name);
  if (!path || hki_rd_file(rd, HK_FILE_MESH, path, data->loc, (size_t)1 << 30, &bytes, &len))
    return false;
  const bool made = hki_rd_flexible_is_body(bytes, len);
  f->meshed = !made;
  bool ok = made ? hki_rd_flexible_no_mesh(rd, f->e)
                 : hki_rd_flexible_mesh(rd, f->s, f->e, path, bytes, len, &f->data, &f->digest);
  if (ok && made)
    ok = hki_flex_parse(rd->ctx, data->loc, rd->spec->pool, path, bytes, len, &f->data) == HK_OK;
  f->digest = hki_hash(bytes, len, f->digest);
  hki_free(rd->ctx, bytes);
  return ok;
}

static bool read_modes(flexible *f) {
  const hk_node *modes = hki_node_get(f->e->value, "modes");
  double n = f->data.ne;
  if (modes && !f->meshed &&
      !hki_rd_key_real(f->rd, f->s, f->e->value, hki_keys_flexible, "modes", &n))
    return false;
  if (n != floor(n)) {
    hki_rd_error(f->rd, modes->loc, NULL, "'modes' must be a whole number, found %g", n);
    return false;
  }
  if (n > f->data.ne) {
    hki_rd_error(f->rd, modes->loc, "leave 'modes' out to take all of them",
                 "flexible body '%s' asks for %g modes, and its file has %d", f->e->key, n,
                 (int)f->data.ne);
    return false;
  }
  if (n > HK_COUPLED - 1) {
    hki_rd_error(f->rd, f->e->key_loc, "modes: 12",
                 "the file of flexible body '%s' has %g modes, more than %d", f->e->key, n,
                 HK_COUPLED - 1);
    return false;
  }
  f->ne = (int32_t)n;
  return true;
}

static bool read_damping(flexible *f) {
  const hk_node *v = hki_node_get(f->e->value, "damping");
  const bool list = v && v->kind == HK_NODE_SEQUENCE;
  double all = 0.0;
  f->zeta = hki_pool_alloc(f->rd->pool, ((size_t)f->ne + 1) * sizeof *f->zeta);
  if (!f->zeta) return false;
  if (list && v->count != f->ne) {
    hki_rd_error(f->rd, v->loc, "one number for all modes, or one for each",
                 "'damping' of flexible body '%s' has %d numbers for %d modes", f->e->key,
                 (int)v->count, (int)f->ne);
    return false;
  }
  if (v && !list && !hki_rd_number(f->rd, f->s, v, "damping", &all)) return false;
  for (int32_t j = 0; j < f->ne; j++) {
    f->zeta[j] = all;
    if (list && !hki_rd_number(f->rd, f->s, v->items[j], "damping", &f->zeta[j])) return false;
    if (f->zeta[j] >= 0.0 && f->zeta[j] <= 10.0) continue;
    hki_rd_error(f->rd, list ? v->items[j]->loc : v->loc,
                 "0.01 is one per cent of critical damping",
                 "'damping' of flexible body '%s' is %g; expected a ratio from 0 to 10", f->e->key,
                 f->zeta[j]);
    return false;
  }
  return true;
}

static bool read_stiffening(flexible *f) {
  const hk_node *v = hki_node_get(f->e->value, "stiffening");
  if (!v) return true;
  if (!hki_rd_bool(f->rd, f->s, v, "stiffening", &f->stiffening)) return false;
  if (!f->stiffening || (f->data.I2_bend && (!f->data.nface || f->data.face_bend))) return true;
  hki_rd_error(f->rd, v->loc, "reduce it again, with fewer modes where the mesh is large",
               "the file of flexible body '%s' has no displacements of second order", f->e->key);
  return false;
}

static bool read_place(flexible *f) {
  const hk_node *frame = hki_node_get(f->e->value, "frame");
  hk_rd_map map = f->s->map;
  double I[9];
  if (frame && !hki_rd_placement(f->rd, f->s, frame, "frame", &map)) return false;
  f->map = map;
  if (map.mirrored) {
    hki_rd_error(f->rd, f->e->key_loc, "reduce the mirror image of its mesh",
                 "flexible body '%s' stands in a mirrored component", f->e->key);
    return false;
  }
  m3_identity(I);
  hki_rd_map_frame(&map, I, map.D, f->at.R);
  v3_copy(f->at.p, map.p);
  return true;
}

static bool read_keys(flexible *f) {
  static const hk_param *const tables[] = {hki_keys_flexible, NULL};
  return hki_rd_check_keys(f->rd, f->e->value, tables, "flexible body", f->e->key) &&
         read_file(f) && read_modes(f) && read_damping(f) && read_stiffening(f) && read_place(f);
}

/* --- what it stands for ----------------------------------------------------------------------- */

static hk_spec_body *add_body(flexible *f, hk_rd_scope *s, const char *key, double mass,
                              const hk_offset *at, const double *com, const double *J) {
  hk_spec_body *b = hki_rd_made_body(f->rd, s, f->e->key_loc, key);
  if (!b) return NULL;
  b->mass = mass;
  b->has_com = b->has_frame = true;
  b->frame = *at;
  v3_copy(b->com, com);
  memcpy(b->J, J, sizeof b->J);
  v3_copy(b->carried, f->map.w);
  v3_copy(b->carried + 3, f->map.v);
  return b;
}

static bool add_joint(flexible *f, const char *name, hk_text *text) {
  const hk_entry *e = hki_rd_part(f->rd, name, f->e->key_loc, text);
  hk_spec *spec = f->rd->spec;
  const int32_t before = spec->njoints;
  if (!e || !hki_rd_joint_add(f->rd, f->s, e)) return false;
  if (spec->njoints > before) spec->joints[before].made = true;
  return true;
}

/* a point in the axes of the scope that joints are written in */
static void write_point(const flexible *f, const double *p, hk_text *out) {
  double d[3], x[3];
  v3_sub(d, p, f->s->map.p);
  m3_tmulv(x, f->s->map.S, d);
  hki_text_printf(out, "at: [%.17g, %.17g, %.17g]\n", x[0], x[1], x[2]);
}

/* a direction of the world in them */
static void write_axis(const flexible *f, const double *v, hk_text *out) {
  double x[3];
  m3_tmulv(x, f->s->map.S, v);
  hki_text_printf(out, "axis: [%.17g, %.17g, %.17g]\n", x[0], x[1], x[2]);
}

static bool add_coordinates(flexible *f) {
  static const double x[3] = {1.0, 0.0, 0.0};
  const char *name = f->e->key;
  double J[9] = {0};
  hk_offset at;
  m3_identity(at.R);
  v3_copy(at.p, f->b.com);
  for (int i = 0; i < 3; i++) J[4 * i] = f->b.par.unit * f->b.J[8] / f->b.mass;
  for (int32_t j = 0; j < f->ne; j++) {
    hk_text text;
    hk_spec_body *b = add_body(f, f->own, hki_pool_printf(f->rd->pool, "q%d", (int)j + 1),
                               f->b.par.unit, &at, at.p, J);
    if (!b) return false;
    b->modal = true;
    memset(b->carried, 0, sizeof b->carried);
    hki_text_init(&text, f->rd->ctx);
    hki_text_printf(&text, "type: prismatic\nbetween: [ground, %s.q%d]\n", name, (int)j + 1);
    write_point(f, at.p, &text);
    write_axis(f, x, &text);
    if (!add_joint(f, hki_pool_printf(f->rd->pool, "%s_q%d", name, (int)j + 1), &text))
      return false;
  }
  return true;
}

/* 1/2 sum Q_ij s_i s_j of a coupler over an interface's coordinate and all modes: component i of `second` (ne x ne x 3) */
static bool add_curvature(flexible *f, const double *second, int i) {
  const ptrdiff_t n = f->ne + 1, all = f->data.ne;
  struct hk_rd_tie *t = hki_pool_alloc(f->rd->pool, sizeof *t);
  double *Q = hki_pool_alloc(f->rd->spec->pool, (size_t)(n * n) * sizeof *Q);
  if (!t || !Q) return false;
  memset(Q, 0, (size_t)(n * n) * sizeof *Q);
  for (ptrdiff_t j = 0; j < f->ne; j++)
    for (ptrdiff_t k = 0; k < f->ne; k++) {
      double u[3];
      m3_mulv(u, f->at.R, second + 3 * (all * j + k));
      Q[n * (j + 1) + k + 1] = -f->data.mass * u[i];
    }
  *t = (struct hk_rd_tie){f->rd->ties, f->rd->spec->njoints - 1, Q};
  f->rd->ties = t;
  return true;
}

/* one of the six coordinates of an interface follows the modes: c (ne x 3, component i) times e */
static bool add_coupler(flexible *f, const char *face, const char *coord, const double *c, int i) {
  const char *name = f->e->key;
  double u[3] = {0};
  hk_text joints, factors;
  hki_text_init(&joints, f->rd->ctx);
  hki_text_init(&factors, f->rd->ctx);
  hki_text_printf(&joints, "type: coupler\njoints: [%s_%s.%s", name, face, coord);
  hki_text_add(&factors, "]\ncoefficients: [1");
  for (int32_t j = 0; j < f->ne; j++) {
    m3_mulv(u, f->at.R, c + 3 * (ptrdiff_t)j);
    double x = -sqrt(f->data.mass) * u[i];
    if (x == 0.0 && !f->stiffening) continue;
    if (x == 0.0) x = 1e-300; // it takes part, by its square
    hki_text_printf(&joints, ", %s_q%d", name, (int)j + 1);
    hki_text_printf(&factors, ", %.17g", x);
  }
  hki_text_add(&joints, factors.s ? factors.s : "");
  hki_text_add(&joints, "]\noffset: 0\n");
  hki_text_free(&factors);
  return add_joint(f, hki_pool_printf(f->rd->pool, "%s_%s_%s", name, face, coord), &joints);
}

static bool add_face(flexible *f, const hk_flex_face *face) {
  static const char *const coords[6] = {"x", "y", "z", "rx", "ry", "rz"};
  double J[9] = {0};
  hk_offset at;
  hk_text text;
  if (!hki_rd_good_name(f->rd, "interface", face->name, f->e->key_loc, false)) return false;
  m3_mul(at.R, f->at.R, face->R);
  m3_mulv(at.p, f->at.R, face->p);
  v3_add(at.p, at.p, f->at.p);
  for (int i = 0; i < 3; i++) J[4 * i] = f->b.face_inertia;
  if (!add_body(f, f->own, face->name, f->b.face_mass, &at, at.p, J)) return false;
  hki_text_init(&text, f->rd->ctx);
  hki_text_printf(&text, "type: general\nbetween: [%s, %s.%s]\nlocked: []\n", f->e->key, f->e->key,
                  face->name);
  write_point(f, at.p, &text);
  if (!add_joint(f, hki_pool_printf(f->rd->pool, "%s_%s", f->e->key, face->name), &text))
    return false;
  const ptrdiff_t second = 3 * (ptrdiff_t)f->data.ne * f->data.ne * (face - f->data.face);
  for (int i = 0; i < 6; i++) {
    if (!add_coupler(f, face->name, coords[i], i < 3 ? face->Phi : face->Psi, i % 3)) return false;
    if (f->stiffening &&
        !add_curvature(f, (i < 3 ? f->data.face_bend : f->data.face_turn) + second, i % 3))
      return false;
  }
  return true;
}

static bool add_element(flexible *f) {
  hk_spec *spec = f->rd->spec;
  const int32_t n = f->ne + 1;
  int32_t *body = hki_pool_alloc(spec->pool, (size_t)n * sizeof *body);
  hk_offset *marker = hki_pool_alloc(spec->pool, (size_t)n * sizeof *marker);
  hk_modal_par *par = hki_pool_alloc(spec->pool, sizeof *par);
  if (!body || !marker || !par ||
      !HK_GROW(f->rd->ctx, spec->wide, f->rd->wide_cap, spec->nwide + 1))
    return false;
  *par = f->b.par;
  par->rest = f->b.com[0];
  par->digest = hki_hash(f->zeta, (size_t)f->ne * sizeof *f->zeta, f->digest + f->stiffening);
  for (int32_t i = 0; i < n; i++) {
    body[i] = f->body0 + i;
    m3_identity(marker[i].R);
    v3_copy(marker[i].p, f->b.com);
  }
  spec->wide[spec->nwide++] = (hk_spec_wide){
      hki_rd_full_name(f->rd, f->s, f->e->key), f->e->key_loc, &hki_modal, par, n, body, marker, 0};
  return true;
}

/* its surface, for drawing and for stresses */
static bool add_skin(flexible *f) {
  hk_spec *spec = f->rd->spec;
  const hk_flex *d = &f->data;
  if (!HK_GROW(f->rd->ctx, spec->skins, f->rd->skins_cap, spec->nskins + 1)) return false;
  spec->skins[spec->nskins++] = (hk_spec_skin){hki_rd_full_name(f->rd, f->s, f->e->key),
                                               spec->nwide - 1,
                                               f->body0,
                                               spec->nbodies - f->body0,
                                               f->at,
                                               f->ne,
                                               d->nnode,
                                               d->ntriangle,
                                               d->node,
                                               d->shape,
                                               d->stress,
                                               d->triangle};
  return true;
}

/* start values of the coordinates, by `q` and `q_rate` */
static bool add_starts(flexible *f) {
  static const char *const keys[2] = {"q", "q_rate"};
  hk_reader *rd = f->rd;
  hk_spec *spec = rd->spec;
  const hk_node *v[2] = {hki_node_get(f->e->value, keys[0]), hki_node_get(f->e->value, keys[1])};
  for (int k = 0; k < 2; k++) {
    if (!v[k] || (v[k]->kind == HK_NODE_SEQUENCE && v[k]->count <= f->ne)) continue;
    hki_rd_error(
        rd, v[k]->loc, "[q1, q2, ..]",
        "'%s' of flexible body '%s' must be a list of at most %d numbers, one for each mode",
        keys[k], f->e->key, (int)f->ne);
    return false;
  }
  for (int32_t j = 0; j < f->ne; j++) {
    hk_spec_start st = {.joint = f->joint0 + j, .body = HK_NONE};
    for (int k = 0; k < 2; k++) {
      double x;
      if (!v[k] || j >= v[k]->count) continue;
      if (!hki_rd_number(rd, f->s, v[k]->items[j], keys[k], &x)) return false;
      st.loc = v[k]->items[j]->loc;
      *(k ? &st.v_given : &st.q_given) = 1u;
      (k ? st.v : st.q)[0] = x / f->b.par.scale[j];
      (k ? st.v_loc : st.q_loc)[0] = st.loc;
    }
    if (!st.q_given && !st.v_given) continue;
    if (!HK_GROW(rd->ctx, spec->starts, rd->starts_cap, spec->nstarts + 1)) return false;
    spec->starts[spec->nstarts++] = st;
  }
  return true;
}

static bool add_flexible(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  flexible f = {.rd = rd, .s = s, .e = e, .body0 = rd->spec->nbodies, .joint0 = rd->spec->njoints};
  if (!hki_rd_good_name(rd, "flexible body", e->key, e->key_loc, false)) return false;
  if (!(f.own = hki_rd_chain_scope(rd, s, e->key)) || !read_keys(&f)) return false;
  if (!hki_rd_modal(rd->spec->pool, &f.data, f.ne, f.zeta, f.stiffening, &f.at, &f.b)) return false;
  if (!add_body(&f, s, e->key, f.b.mass, &f.at, f.b.com, f.b.J) || !add_coordinates(&f))
    return false;
  for (int32_t i = 0; i < f.data.nface; i++)
    if (!add_face(&f, &f.data.face[i])) return false;
  return add_element(&f) && add_skin(&f) && add_starts(&f);
}

/* --- what acts on it -------------------------------------------------------------------------- */

/* names of its interfaces, for hints */
static void list_faces(const hk_spec *spec, const hk_spec_wide *e, char *buf, size_t cap) {
  const int32_t first = e->body[0] + e->nmark;
  const size_t prefix = strlen(e->name) + 1;
  size_t n = (size_t)snprintf(buf, cap, "its interfaces are");
  for (int32_t b = first; b < spec->nbodies && n < cap; b++) {
    const char *name = spec->bodies[b].name;
    if (strncmp(name, e->name, prefix - 1) != 0 || name[prefix - 1] != '.') break;
    n += (size_t)snprintf(buf + n, cap - n, "%s %s", b > first ? "," : "", name);
  }
}

/* the flexible body whose name is the first n letters, or NULL */
static const hk_spec_wide *find(const hk_reader *rd, const hk_rd_scope *s, const char *name,
                                size_t n) {
  char full[1024];
  if ((size_t)snprintf(full, sizeof full, "%s%.*s", s->prefix, (int)n, name) >= sizeof full)
    return NULL;
  for (int32_t i = 0; i < rd->spec->nwide; i++)
    if (rd->spec->wide[i].ops == &hki_modal && !strcmp(rd->spec->wide[i].name, full))
      return &rd->spec->wide[i];
  return NULL;
}

bool hki_rd_flexible_no_face(hk_reader *rd, const hk_rd_scope *s, const hk_node *node) {
  const char *dot = strrchr(node->text, '.');
  const hk_spec_wide *e = dot ? find(rd, s, node->text, (size_t)(dot - node->text)) : NULL;
  char hint[400];
  if (!e) return dot && rd->flexible_broken;
  list_faces(rd->spec, e, hint, sizeof hint);
  hki_rd_error(rd, node->loc, hint, "flexible body '%.*s' has no interface '%.100s'",
               (int)(dot - node->text), node->text, dot + 1);
  return true;
}

/* joints and forces act on interfaces, not on the floating frame, at which there is nothing */
static bool acts_on_frame(hk_reader *rd, const hk_spec_wide *e, const int32_t *body, int32_t n,
                          hk_loc loc, const char *what, const char *name) {
  char hint[400];
  bool on = false;
  for (int32_t k = 0; k < n; k++) on = on || body[k] == e->body[0];
  if (!on) return false;
  list_faces(rd->spec, e, hint, sizeof hint);
  hki_rd_error(rd, loc, hint, "%s '%s' must act on an interface of the flexible body '%s'", what,
               name, e->name);
  return true;
}

/* Is a joint where the interface would be if the file had other units of length? */
static void check_unit(hk_reader *rd, const hk_spec_wide *e, const hk_spec_joint *j) {
  const hk_spec *spec = rd->spec;
  static const double units[] = {1e-3, 1e3};
  for (int k = 0; k < 2; k++) {
    const int32_t b = j->body[k];
    double d[3], r[3], x[3];
    if (b < e->body[0] + e->nmark || b >= spec->nbodies) continue;
    if (strncmp(spec->bodies[b].name, e->name, strlen(e->name)) != 0) continue;
    v3_sub(r, spec->bodies[b].frame.p, spec->bodies[e->body[0]].frame.p);
    v3_sub(d, j->marker[k].p, spec->bodies[e->body[0]].frame.p);
    for (int i = 0; i < 2; i++) {
      for (int c = 0; c < 3; c++) x[c] = d[c] - units[i] * r[c];
      if (v3_norm(x) > 0.01 * units[i] * v3_norm(r) || !(v3_norm(r) > 0.0)) continue;
      hki_rd_error(rd, j->loc, "reduce the model in metres, kilograms and seconds",
                   "joint '%s' is %g times as far from the origin of flexible body '%s' as its "
                   "interface '%s': its file has other units of length",
                   j->name, units[i], e->name, spec->bodies[b].name);
      return;
    }
  }
}

static void check_uses(hk_reader *rd, const hk_spec_wide *e) {
  const hk_spec *spec = rd->spec;
  for (int32_t j = 0; j < spec->njoints; j++) {
    const hk_spec_joint *x = &spec->joints[j];
    // one that could not be read has no bodies
    if (x->made || x->coupling || x->body[0] == x->body[1]) continue;
    if (!acts_on_frame(rd, e, x->body, 2, x->loc, "the joint", x->name)) check_unit(rd, e, x);
  }
  for (int32_t f = 0; f < spec->nforces; f++) {
    const hk_spec_force *x = &spec->forces[f];
    const bool field = x->ops == &hki_element_gravity || x->ops == &hki_element_attraction;
    if (x->ops && !field)
      (void)acts_on_frame(rd, e, x->body, x->ops->nmark < 2 ? x->ops->nmark : 2, x->loc,
                          "the force", x->name);
  }
}

void hki_rd_flexible_finish(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  for (const struct hk_rd_tie *t = rd->ties; t; t = t->next)
    if (spec->joints[t->joint].coupling) spec->joints[t->joint].coupling->Q = t->Q;
  for (int32_t i = 0; i < spec->nwide; i++) {
    const hk_spec_wide *e = &spec->wide[i];
    if (e->ops != &hki_modal) continue;
    v3_copy(((hk_modal_par *)e->par)->g, spec->gravity);
    check_uses(rd, e);
    if (!spec->moving) continue;
    hki_rd_error(rd, e->loc, "leave out 'run: frame', and let the body turn",
                 "flexible body '%s' is in a frame of reference that moves, where its modes would "
                 "need other forces of inertia",
                 e->name);
    return;
  }
}

void hki_rd_flexible_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "flexible", &w));)
    if (!add_flexible(rd, w.scope, e)) rd->flexible_broken = true;
}
