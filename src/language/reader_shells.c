/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shells.c: shells and membranes. `skin: {corners: [A, B, C, D], elements: [8, 4], thickness: 0.002,
 * material: {..}}` becomes the bodies skin.0.0 to skin.8.4, its nodes, the elements skin.1.1 .. between them, the
 * joints of `clamp` and the forces of `loads`. After this nobody knows shells but who reads groups: channels,
 * reports and drawings.
 *
 * Axes of a node: z along the mean normal, x as near to `along` as possible. Nodes of membranes are points without axes.
 *
 * Mass: the integral of N_i over the elements at node i. Rotary inertia rho h^3/12 per area is given to all three axes: that
 * about the normal, which a plate without size does not have, keeps drilling as slow as shear.
 */
#include <math.h>
#include <string.h>

#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/rows.h"

enum { N = HK_QUAD, E = HK_SHELL_E };

/* clang-format off */
#define SURFACE \
    ROW("corners", HK_P_ANY, 0, "its four corners A, B, C, D, run round it: u runs from A to B, v from A to D; the normal is u x v"), \
    ROW("surface", HK_P_ANY, 0, "its points [x, y, z], expressions of u and v: [\"v*cos(u)\", \"v*sin(u)\", \"0\"]"), \
    ROW("u", HK_P_ANY, 0, "range of u in 'surface': [from, to]; left out: [0, 1]"), \
    ROW("v", HK_P_ANY, 0, "range of v in 'surface'"), \
    ROW("mesh", HK_P_TEXT, 0, "a mesh of gmsh (.msh, text, version 2.2 or 4.1), relative to this file: its quadrilaterals of four nodes; nodes are NAME.17 by their numbers, physical groups are sets of nodes"), \
    REAL("scale", HK_P_POSITIVE, 1.0, "1", "factor on the coordinates of 'mesh': 0.001 of one in millimetres"), \
    ROW("group", HK_P_TEXT, 0, "physical group of surfaces of 'mesh' that is taken; left out: all quadrilaterals"), \
    ROW("elements", HK_P_ANY, 0, "elements along u and v: [8, 4]; nodes are NAME.0.0 .. NAME.8.4, and the sides u_start, u_end, v_start, v_end"), \
    ROW("in", HK_P_FRAME, 0, "frame in which 'surface' or 'mesh' is drawn"), \
    REAL("thickness", HK_P_POSITIVE, NAN, "m", "thickness"), \
    ROW("material", HK_P_ANY, 0, "{E: 7e10, nu: 0.33, density: 2700}"), \
    ROW("laminate", HK_P_ANY, 0, "plies with fibres, instead of 'thickness' and 'material': {material: {..}, plies: [{angle: pi/4, thickness: 1e-3}, ..]}"), \
    ROW("along", HK_P_AXIS, 0, "direction near the x axis of its section; left out: that of u"), \
    REAL("damping", HK_P_NONNEGATIVE, 0.0, "s", "tau: section forces follow strains + tau times their rates"), \
    ROW("clamp", HK_P_ANY, 0, "what holds its sides or groups of nodes: {u_start: ground, v_end: {body: frame, type: spherical}}"), \
    ROW("loads", HK_P_ANY, 0, "forces per area, or on a side per length: {wind: {force: [0, 0, -50]}, pull: {on: u_end, force: [100, 0, 0]}}")

const hk_param hki_keys_shell[] = {
    SURFACE,
    {"enhanced", HK_P_INT, 0, HK_P_HAND, 7, 0, 7, "", NULL, "parameters of enhanced membrane strains: 7 (default), 5, 4, or 0: none"},
    BOUNDED("drilling", HK_P_NONNEGATIVE, 0.001, 0, 10, "1", "stiffness of rotations about the normal, as a part of the membrane's shear stiffness"),
    BOUNDED("fold", HK_P_NONNEGATIVE, 0.6, 0, 3, "rad", "angle between neighbours from which their surface has an edge instead of one normal"),
    HK_PARAM_END};

const hk_param hki_keys_membrane[] = {
    SURFACE,
    ROW("prestress", HK_P_ANY, 0, "tension as drawn, N/m: one number, or [xx, yy, xy]"),
    {"enhanced", HK_P_INT, 0, HK_P_HAND, 7, 0, 7, "", NULL, "parameters of enhanced strains: 7 (default), 5, 4, or 0: none"},
    HK_PARAM_END};
/* clang-format on */

/* a shell or membrane while it is read */
typedef struct shell {
  hk_reader *rd;
  hk_rd_scope *outer, *own, *line; /* line: of the row of nodes at hand */
  int32_t row;
  const hk_entry *e;
  bool membrane;
  hk_rd_mesh mesh;
  hk_rd_plate plate;
  double tau, enhanced, drilling, fold, S0[3];
  bool has_along;
  double along[3];
  int32_t body0;
} shell;

/* --- keys ------------------------------------------------------------------------------------- */

static bool read_number(shell *b, const char *key, double *out) {
  const hk_param *keys = b->membrane ? hki_keys_membrane : hki_keys_shell;
  return hki_rd_key_real(b->rd, b->outer, b->e->value, keys, key, out);
}

static bool read_enhanced(shell *b) {
  if (!read_number(b, "enhanced", &b->enhanced)) return false;
  const double n = b->enhanced;
  if (n == 0.0 || n == 4.0 || n == 5.0 || n == 7.0) return true;
  hki_rd_error(b->rd, hki_node_get(b->e->value, "enhanced")->loc, NULL,
               "'enhanced' of %s '%s' must be 0, 4, 5 or 7, found %g", b->mesh.kind, b->e->key, n);
  return false;
}

static bool read_prestress(shell *b) {
  const hk_node *v = hki_node_get(b->e->value, "prestress");
  if (!v) return true;
  if (v->kind == HK_NODE_SEQUENCE) {
    if (!hki_rd_numbers(b->rd, b->outer, v, "prestress", 3, b->S0)) return false;
  } else {
    if (!hki_rd_number(b->rd, b->outer, v, "prestress", &b->S0[0])) return false;
    b->S0[1] = b->S0[0];
  }
  if (b->outer->map.mirrored) b->S0[2] = -b->S0[2];
  if (b->S0[0] >= 0.0 && b->S0[1] >= 0.0 && b->S0[0] * b->S0[1] >= b->S0[2] * b->S0[2]) return true;
  hki_rd_error(b->rd, v->loc, "a membrane is held by tension",
               "'prestress' of membrane '%s' pushes in some direction", b->e->key);
  return false;
}

/* thickness against the size of the surface: what is off by a thousand shows */
static bool check_size(const shell *b) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, d[3];
  const hk_node *at = hki_node_get(b->e->value, "thickness");
  for (int32_t i = 0; i < 3 * b->mesh.nnode; i++) {
    low[i % 3] = fmin(low[i % 3], b->mesh.p[i]);
    high[i % 3] = fmax(high[i % 3], b->mesh.p[i]);
  }
  v3_sub(d, high, low);
  const double size = v3_norm(d), h = b->plate.thickness, most = b->membrane ? 1e7 : 5e4;
  const hk_loc loc = at ? at->loc : b->e->key_loc;
  if (h > 0.5 * size) {
    hki_rd_error(b->rd, loc, "lengths are in metres, of a mesh after its 'scale'",
                 "%s '%s' is %g m thick and %g m large: that is no surface", b->mesh.kind,
                 b->e->key, h, size);
    return false;
  }
  if (size > most * h)
    hki_warn(b->rd->ctx, loc, "lengths are in metres; 'scale: 0.001' of a mesh in millimetres",
             "%s '%s' is %g m large and only %g m thick: are the units right?", b->mesh.kind,
             b->e->key, size, h);
  return true;
}

/* `along` must not be across the surface, a flat membrane must be held by something */
static bool check_directions(const shell *b) {
  const hk_rd_mesh *m = &b->mesh;
  const hk_node *along = hki_node_get(b->e->value, "along");
  bool flat = b->membrane && b->S0[0] == 0.0 && b->S0[1] == 0.0;
  for (int32_t i = 0; i < N * m->nquad; i++) {
    const double *n = m->normal + (ptrdiff_t)3 * i;
    double x[3];
    v3_cross(x, n, b->along);
    flat = flat && v3_dot(n, m->normal) > 1.0 - 1e-12;
    if (!b->has_along || v3_norm(x) > 0.02 * v3_norm(b->along)) continue;
    hki_rd_error(b->rd, along->loc, "a direction that is nowhere along the normal",
                 "'along' of %s '%s' is across its element %s", m->kind, b->e->key,
                 hki_rd_mesh_name(b->rd, m->quad_row[i / N], m->quad_number[i / N]));
    return false;
  }
  if (flat)
    hki_warn(
        b->rd->ctx, b->e->key_loc, "give it a 'prestress'",
        "membrane '%s' is flat and without tension: nothing holds it across its plane until it "
        "is stretched",
        b->e->key);
  return true;
}

static bool read_keys(shell *b) {
  const hk_param *const tables[] = {b->membrane ? hki_keys_membrane : hki_keys_shell, NULL};
  hk_reader *rd = b->rd;
  const hk_node *node = b->e->value;
  const char *what = b->membrane ? "the membrane" : "the shell";
  if (!hki_rd_check_keys(rd, node, tables, what, b->e->key)) return false;
  const hk_node *along = hki_node_get(node, "along");
  b->fold = 0.6;
  if (!hki_rd_plate(rd, b->outer, node, b->mesh.kind, b->e->key, &b->plate) ||
      !read_number(b, "damping", &b->tau) || !read_enhanced(b))
    return false;
  if (b->membrane ? !read_prestress(b)
                  : !read_number(b, "drilling", &b->drilling) || !read_number(b, "fold", &b->fold))
    return false;
  if (along) {
    double x[3];
    if (!hki_rd_axis(rd, b->outer, &b->outer->map, along, "along", x)) return false;
    hki_rd_map_vector(&b->outer->map, x, b->along);
    b->has_along = true;
  }
  return hki_rd_mesh_read(rd, b->outer, node, &b->mesh) && check_size(b) &&
         hki_rd_mesh_check(rd, &b->mesh, b->fold) && check_directions(b);
}

/* --- what it stands for ----------------------------------------------------------------------- */

/* the direction of x in element e: that given, or of u */
static void direction(const shell *b, int32_t e, double *x) {
  v3_copy(x, b->has_along ? b->along : b->mesh.u + (ptrdiff_t)3 * e);
}

/* rotation with z along a unit vector, x near a direction */
static void axes_of(const double *z, const double *near, double *R) {
  double x[3], y[3];
  v3_copy(x, near);
  v3_axpy(x, -v3_dot(x, z), z);
  if (v3_norm(x) < 1e-6 * v3_norm(near)) {
    rot_from_axis(R, z, 2, NULL);
    return;
  }
  v3_normalize(x);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) R[3 * i] = x[i], R[3 * i + 1] = y[i], R[3 * i + 2] = z[i];
}

/* body of node i, as yet without mass and axes */
static bool add_node(shell *b, int32_t i) {
  const hk_rd_mesh *m = &b->mesh;
  if (m->row[i] != b->row || !b->line) {
    b->row = m->row[i];
    const char *name = hki_pool_printf(b->rd->pool, "%d", (int)b->row);
    b->line = b->row < 0 ? b->own : name ? hki_rd_chain_scope(b->rd, b->own, name) : NULL;
  }
  hk_spec_body *body =
      b->line ? hki_rd_chain_node(b->rd, b->line, b->e->key_loc, m->number[i]) : NULL;
  if (!body) return false;
  body->mass = b->plate.mass * m->area[i];
  body->has_com = true;
  v3_copy(body->com, m->p + (ptrdiff_t)3 * i);
  v3_copy(body->carried, m->map.w);
  v3_copy(body->carried + 3, m->map.v);
  return true;
}

/* axes and inertia of all nodes, from the directors and directions of the elements there */
static bool place_nodes(shell *b) {
  const hk_rd_mesh *m = &b->mesh;
  double *sum = hki_pool_alloc(b->rd->pool, (size_t)(6 * m->nnode) * sizeof *sum);
  if (!sum) return false;
  for (int32_t i = 0; i < N * m->nquad; i++) {
    double x[3];
    direction(b, i / N, x);
    v3_axpy(sum + (ptrdiff_t)6 * m->quad[i], 1.0, m->director + (ptrdiff_t)3 * i);
    v3_axpy(sum + (ptrdiff_t)6 * m->quad[i] + 3, 1.0, x);
  }
  for (int32_t i = 0; i < m->nnode; i++) {
    hk_spec_body *body = &b->rd->spec->bodies[b->body0 + i];
    double *z = sum + (ptrdiff_t)6 * i;
    // its axes in a mirror image: x and z are those of the surface
    v3_set(b->rd->bodies[b->body0 + i].D, 1.0, -1.0, 1.0);
    if (v3_normalize(z) == 0.0) v3_set(z, 0.0, 0.0, 1.0);
    body->has_frame = true;
    v3_copy(body->frame.p, body->com);
    axes_of(z, z + 3, body->frame.R);
    v3_axpy(body->com, b->plate.centre, z);
    for (int k = 0; k < 3; k++) body->J[4 * k] = b->plate.inertia * m->area[i];
  }
  return true;
}

static void *parameters(const shell *b, const double *along) {
  hk_pool *pool = b->rd->spec->pool;
  if (b->membrane) {
    hk_membrane_par *p = hki_pool_alloc(pool, sizeof *p);
    if (!p) return NULL;
    for (int i = 0; i < 9; i++) p->D[i] = b->plate.C[E * (i / 3) + i % 3];
    v3_copy(p->S0, b->S0);
    v3_copy(p->along, along);
    p->tau = b->tau, p->enhanced = b->enhanced;
    return p;
  }
  hk_shell_par *p = hki_pool_alloc(pool, sizeof *p);
  if (!p) return NULL;
  memcpy(p->C, b->plate.C, sizeof p->C);
  p->C[E * E - 1] = b->drilling * p->C[2 * E + 2];
  v3_copy(p->along, along);
  p->tau = b->tau, p->enhanced = b->enhanced;
  return p;
}

static bool add_element(shell *b, int32_t e) {
  hk_reader *rd = b->rd;
  hk_spec *spec = rd->spec;
  const hk_rd_mesh *m = &b->mesh;
  const hk_wide_ops *ops = b->membrane ? &hki_membrane : &hki_shell;
  double along[3];
  direction(b, e, along);
  int32_t *body = hki_pool_alloc(spec->pool, N * sizeof *body);
  hk_offset *marker = hki_pool_alloc(spec->pool, N * sizeof *marker);
  void *par = parameters(b, along);
  const char *own = hki_rd_mesh_name(rd, m->quad_row[e], m->quad_number[e]);
  const char *name = own ? hki_pool_printf(spec->pool, "%s%s", b->own->prefix, own) : NULL;
  hk_frame m0[N];
  if (!body || !marker || !par || !name) return false;
  if (!HK_GROW(rd->ctx, spec->wide, rd->wide_cap, spec->nwide + 1)) return false;
  memset(m0, 0, sizeof m0);
  for (int k = 0; k < N; k++) {
    const int32_t node = m->quad[N * e + k];
    body[k] = b->body0 + node;
    v3_copy(marker[k].p, m->p + (ptrdiff_t)3 * node);
    m3_identity(marker[k].R);
    if (!b->membrane) axes_of(m->director + (ptrdiff_t)3 * (N * e + k), along, marker[k].R);
    memcpy(m0[k].R, marker[k].R, sizeof m0[k].R);
    v3_copy(m0[k].p, marker[k].p);
  }
  ops->prepare(par, N, m0);
  spec->wide[spec->nwide++] = (hk_spec_wide){name, m->quad_loc[e], ops, par, N, body, marker, 0};
  return true;
}

/* what channels and drawings know of it */
static bool add_group(const shell *b, int32_t wide0) {
  hk_spec *spec = b->rd->spec;
  const hk_rd_mesh *m = &b->mesh;
  int32_t *quad = hki_pool_alloc(spec->pool, (size_t)(N * m->nquad) * sizeof *quad);
  if (!quad) return false;
  memcpy(quad, m->quad, (size_t)(N * m->nquad) * sizeof *quad);
  return hki_rd_group_add(b->rd,
                          &(hk_spec_group){.name = hki_rd_full_name(b->rd, b->outer, b->e->key),
                                           .loc = b->e->key_loc,
                                           .kind = m->kind,
                                           .body0 = b->body0,
                                           .nbody = m->nnode,
                                           .wide0 = wide0,
                                           .nwide = spec->nwide - wide0,
                                           .quad = quad,
                                           .thickness = b->plate.thickness,
                                           .points = b->membrane});
}

static void add_shell(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, bool membrane) {
  shell b = {
      .rd = rd, .outer = s, .e = e, .membrane = membrane, .body0 = rd->spec->nbodies, .row = -2};
  const int32_t wide0 = rd->spec->nwide;
  b.mesh = (hk_rd_mesh){.kind = membrane ? "membrane" : "shell",
                        .points = membrane,
                        .owner = e->key,
                        .loc = e->key_loc};
  if (!hki_rd_good_name(rd, b.mesh.kind, e->key, e->key_loc, false)) return;
  if (!(b.own = hki_rd_chain_scope(rd, s, e->key)) || !read_keys(&b)) return;
  for (int32_t i = 0; i < b.mesh.nnode; i++)
    if (!add_node(&b, i)) return;
  if (!membrane && !place_nodes(&b)) return;
  for (int32_t i = 0; i < b.mesh.nquad; i++)
    if (!add_element(&b, i)) return;
  if (!add_group(&b, wide0)) return;
  if (hki_rd_shell_clamp(rd, s, e->value, &b.mesh)) hki_rd_shell_loads(rd, s, e->value, &b.mesh);
}

void hki_rd_shells_register(hk_reader *rd, hk_rd_scope *s) {
  for (int k = 0; k < 2; k++) {
    hk_rd_walk w = {0};
    for (hk_entry *e; (e = hki_rd_next(rd, s, k ? "membranes" : "shells", &w));)
      add_shell(rd, w.scope, e, k == 1);
  }
}
