/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_covers.c: surfaces that follow bodies. `skin: {points: skin.stl, bodies: [wing.*]}`: the points come from a
 * file or from a grid, and a mapping (mapping/mapping.h) ties them to the bodies at the drawing position, once.
 */
#include "language/reader_covers.h"

#include <math.h>
#include <string.h>

#include "formats/csv_table.h"
#include "formats/mesh.h"
#include "language/reader_beams.h"
#include "language/rows.h"
#include "mapping/mapping.h"

enum { MOST_POINTS = 1000000 };

/* clang-format off */
const hk_param hki_keys_cover[] = {
    ROW("points", HK_P_TEXT, 0, "file of its points: a mesh (STL, OBJ, glTF), or CSV with the columns x, y, z"),
    ROW("grid", HK_P_ANY, 0, "instead of 'points': a grid in a plane, {at: corner, u: [..], v: [..], number: [100, 50]}"),
    REAL("scale", HK_P_POSITIVE, 1, "1", "metres per unit of the file: 0.001 for millimetres"),
    ROW("bodies", HK_P_ANY, HK_P_REQUIRED, "bodies that it follows: names, or patterns as wing.*"),
    {"order", HK_P_INT, 0, HK_P_HAND, 2, 1, HK_MLS_ORDER_MOST, "", NULL, "of the polynomials that are carried over exactly, 1 to 3"},
    {"neighbours", HK_P_INT, 0, HK_P_HAND, 8, 1, HK_MLS_NEIGHBOURS_MOST, "", NULL, "bodies that each of its points follows"},
    CHOICE("weight", "C2 C0 C4", "how smooth the weights are: C0, C2 (default), C4"),
    ROW("reach", HK_P_ANY, 0, "m: distance of the points of a body from its origin, a number or along its axes [x, y, z]; left out: half the way to the nearest other body"),
    REAL("threshold", HK_P_POSITIVE, 1e-8, "1", "a polynomial that the bodies tell from the others by a smaller part is left out"),
    HK_PARAM_END};

const hk_param hki_keys_cover_grid[] = {
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "a corner"),
    ROW("u", HK_P_ANY, HK_P_REQUIRED, "[x, y, z], m: from the corner to the next one"),
    ROW("v", HK_P_ANY, HK_P_REQUIRED, "[x, y, z], m: from the corner to the other one"),
    ROW("number", HK_P_ANY, HK_P_REQUIRED, "[along u, along v]: points"),
    HK_PARAM_END};
/* clang-format on */

/* a surface while it is read */
typedef struct skin {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_entry *e;
  int32_t npoint, nface;
  double *point;
  int32_t *face;
  int32_t nbody, *body;
} skin;

/* --- lists of bodies ---------------------------------------------------------------------------- */

static bool add_body(int32_t *list, int32_t *n, int32_t body) {
  for (int32_t i = 0; i < *n; i++)
    if (list[i] == body) return false;
  list[(*n)++] = body;
  return true;
}

static bool add_pattern(hk_reader *rd, const hk_rd_scope *s, const hk_node *node, int32_t *list,
                        int32_t *n) {
  const size_t prefix = strlen(s->prefix);
  bool found = false;
  for (int32_t i = 0; i < rd->spec->nbodies; i++) {
    const char *name = rd->spec->bodies[i].name;
    if (strncmp(name, s->prefix, prefix) != 0 || !hki_glob(node->text, name + prefix)) continue;
    add_body(list, n, i);
    found = true;
  }
  if (!found) hki_rd_error(rd, node->loc, NULL, "no body fits '%s'", node->text);
  return found;
}

bool hki_rd_body_list(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      int32_t **list, int32_t *n) {
  const bool many = node->kind == HK_NODE_SEQUENCE;
  const int32_t count = many ? node->count : 1;
  *n = 0;
  *list = hki_pool_alloc(rd->pool, ((size_t)rd->spec->nbodies + 1) * sizeof **list);
  if (!*list) return false;
  for (int32_t i = 0; i < count; i++) {
    const hk_node *v = many ? node->items[i] : node;
    const char *text = hki_node_text(v);
    if (text && strpbrk(text, "*?")) {
      if (!add_pattern(rd, s, v, *list, n)) return false;
      continue;
    }
    const int32_t body = hki_rd_body(rd, s, v, what);
    if (body < HK_GROUND) return false;
    if (body == HK_GROUND) {
      hki_rd_error(rd, v->loc, "bodies that move", "'%s': the ground does not move", what);
      return false;
    }
    add_body(*list, n, body);
  }
  if (!*n) hki_rd_error(rd, node->loc, "[wing.*, tip]", "'%s' names no body", what);
  return *n > 0;
}

/* --- points ------------------------------------------------------------------------------------- */

static bool take_memory(skin *k, double points, double faces) {
  if (points > MOST_POINTS) {
    hki_rd_error(k->rd, k->e->key_loc, NULL, "surface '%s' has %.0f points; at most %d", k->e->key,
                 points, MOST_POINTS);
    return false;
  }
  k->npoint = (int32_t)points, k->nface = (int32_t)faces;
  k->point = hki_pool_alloc(k->rd->pool, (3 * (size_t)k->npoint + 1) * sizeof *k->point);
  k->face = hki_pool_alloc(k->rd->spec->pool, (3 * (size_t)k->nface + 1) * sizeof *k->face);
  return k->point && k->face;
}

static void put_point(skin *k, int32_t i, double scale, const double *x) {
  double y[3];
  v3_scale(y, scale, x);
  hki_rd_map_point(&k->s->map, y, k->point + 3 * i);
}

static bool read_csv(skin *k, const hk_node *file, double scale) {
  hk_csv csv;
  static const char *const names[3] = {"x", "y", "z"};
  int32_t column[3] = {0, 1, 2};
  if (!hki_rd_csv(k->rd, file, &csv)) return false;
  for (int c = 0; c < 3 && csv.names; c++) column[c] = hki_csv_column(&csv, names[c]);
  for (int c = 0; c < 3; c++) {
    if (column[c] >= 0 && column[c] < csv.columns) continue;
    hki_rd_error(k->rd, file->loc, "columns x, y, z, in m", "'%s' has no column %s", file->text,
                 names[c]);
    return false;
  }
  if (!take_memory(k, csv.rows, 0)) return false;
  for (int32_t i = 0; i < csv.rows; i++) {
    double x[3];
    for (int c = 0; c < 3; c++) x[c] = csv.data[column[c] * csv.rows + i];
    put_point(k, i, scale, x);
  }
  return true;
}

static bool read_mesh(skin *k, const hk_node *file, double scale) {
  char *text = NULL;
  size_t len = 0;
  hk_mesh mesh = {0};
  const char *path = hki_rd_path(k->rd, file->loc, file->text);
  if (!path || hki_rd_file(k->rd, HK_FILE_MESH, path, file->loc, HK_MESH_BYTES, &text, &len))
    return false;
  hk_status st = hki_mesh_parse(k->rd->ctx, k->rd->pool, path, text, len, file->loc, &mesh);
  hki_free(k->rd->ctx, text);
  if (st != HK_OK || !take_memory(k, mesh.npoints, mesh.nfaces)) return false;
  for (int32_t i = 0; i < mesh.npoints; i++) {
    const double x[3] = {mesh.points[3 * i], mesh.points[3 * i + 1], mesh.points[3 * i + 2]};
    put_point(k, i, scale, x);
  }
  if (mesh.nfaces) memcpy(k->face, mesh.faces, 3 * (size_t)mesh.nfaces * sizeof *k->face);
  return true;
}

static bool read_grid(skin *k, const hk_node *node) {
  static const hk_param *const tables[] = {hki_keys_cover_grid, NULL};
  double at[3], u[3], v[3], n[2];
  if (!hki_rd_check_keys(k->rd, node, tables, "grid of surface", k->e->key)) return false;
  const hk_node *corner = hki_node_get(node, "at"), *along = hki_node_get(node, "u");
  const hk_node *across = hki_node_get(node, "v"), *number = hki_node_get(node, "number");
  if (!corner || !along || !across || !number) return false; // said
  if (!hki_rd_point(k->rd, k->s, corner, "at", at) ||
      !hki_rd_numbers(k->rd, k->s, along, "u", 3, u) ||
      !hki_rd_numbers(k->rd, k->s, across, "v", 3, v) ||
      !hki_rd_numbers(k->rd, k->s, number, "number", 2, n))
    return false;
  if (!(n[0] >= 2 && n[1] >= 2 && n[0] * n[1] <= MOST_POINTS && n[0] == floor(n[0]) &&
        n[1] == floor(n[1]))) {
    hki_rd_error(k->rd, number->loc, "[100, 50]",
                 "'number' must be two whole numbers from 2 on, of at most %d points, found %g, %g",
                 MOST_POINTS, n[0], n[1]);
    return false;
  }
  if (!take_memory(k, n[0] * n[1], 2.0 * (n[0] - 1) * (n[1] - 1))) return false;
  double U[3], V[3];
  hki_rd_map_vector(&k->s->map, u, U);
  hki_rd_map_vector(&k->s->map, v, V);
  const int32_t nu = (int32_t)n[0], nv = (int32_t)n[1];
  int32_t *f = k->face;
  for (int32_t j = 0; j < nv; j++)
    for (int32_t i = 0; i < nu; i++) {
      double *x = k->point + 3 * (nu * j + i);
      v3_copy(x, at);
      v3_axpy(x, i / (n[0] - 1), U);
      v3_axpy(x, j / (n[1] - 1), V);
      if (i + 1 == nu || j + 1 == nv) continue;
      const int32_t a = nu * j + i, quad[6] = {a, a + 1, a + nu + 1, a, a + nu + 1, a + nu};
      memcpy(f, quad, sizeof quad);
      f += 6;
    }
  return true;
}

static bool ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), m = strlen(end);
  return n >= m && strcmp(name + n - m, end) == 0;
}

static bool read_points(skin *k, double scale) {
  const hk_node *file = hki_node_get(k->e->value, "points"),
                *grid = hki_node_get(k->e->value, "grid");
  if (!file == !grid) {
    hki_rd_error(k->rd, k->e->key_loc, "points: skin.stl",
                 "surface '%s' needs 'points' or a 'grid'", k->e->key);
    return false;
  }
  if (grid) return read_grid(k, grid);
  if (!hki_rd_text(k->rd, file, "points")) return false;
  const bool table = ends_in(file->text, ".csv") || ends_in(file->text, ".txt");
  return table ? read_csv(k, file, scale) : read_mesh(k, file, scale);
}

/* --- the mapping -------------------------------------------------------------------------------- */

/* where a body is drawn; false: nothing says where it is */
static bool place(const hk_spec_body *b, hk_mapping_body *out) {
  bool turns = b->rotation == HK_ROTATION_FULL || !(b->mass > 0.0);
  for (int i = 0; i < 9; i++) turns |= b->J[i] != 0.0;
  out->point = b->rotation == HK_ROTATION_NONE || !turns;
  m3_identity(out->R);
  if (b->has_frame) memcpy(out->R, b->frame.R, sizeof out->R);
  v3_copy(out->p, b->has_frame ? b->frame.p : b->com);
  return b->has_frame || b->has_com;
}

static hk_mapping_body *places(skin *k) {
  hk_mapping_body *b = hki_pool_alloc(k->rd->pool, (size_t)k->nbody * sizeof *b);
  for (int32_t i = 0; b && i < k->nbody; i++) {
    const hk_spec_body *body = &k->rd->spec->bodies[k->body[i]];
    if (place(body, &b[i])) continue;
    hki_rd_error(k->rd, body->loc, "give it 'com' or 'frame'",
                 "surface '%s' follows body '%s', which has no place of its own", k->e->key,
                 body->name);
    return NULL;
  }
  return b;
}

static void *keep(skin *k, const void *list, size_t n, size_t size) {
  void *copy = hki_pool_alloc(k->rd->spec->pool, (n + 1) * size);
  if (copy) memcpy(copy, list, n * size);
  return copy;
}

/* the mapping, in memory of the spec */
static void put(skin *k, hk_mapping *m) {
  hk_spec *spec = k->rd->spec;
  hk_mapping own = *m, *kept;
  const size_t np = (size_t)m->npoint;
  own.point = keep(k, m->point, 3 * np, sizeof *m->point);
  own.start = keep(k, m->start, np + 1, sizeof *m->start);
  own.entry = keep(k, m->entry, (size_t)m->start[np], sizeof *m->entry);
  kept = keep(k, &own, 1, sizeof own);
  hk_spec_cover s = {.name = hki_rd_full_name(k->rd, k->s, k->e->key),
                     .loc = k->e->key_loc,
                     .nbody = k->nbody,
                     .body = keep(k, k->body, (size_t)k->nbody, sizeof *k->body),
                     .map = kept,
                     .nface = k->nface,
                     .face = k->face};
  if (!own.point || !own.start || !own.entry || !kept || !s.body || !s.name) return;
  if (!HK_GROW(k->rd->ctx, spec->covers, k->rd->covers_cap, spec->ncovers + 1)) return;
  spec->covers[spec->ncovers++] = s;
}

static bool read_reach(skin *k, double *reach, bool *given) {
  const hk_node *node = hki_node_get(k->e->value, "reach");
  *given = node != NULL;
  if (!node) return true;
  if (node->kind == HK_NODE_SEQUENCE) {
    if (!hki_rd_numbers(k->rd, k->s, node, "reach", 3, reach)) return false;
  } else {
    if (!hki_rd_number(k->rd, k->s, node, "reach", reach)) return false;
    reach[1] = reach[2] = reach[0];
  }
  if (reach[0] > 0.0 && reach[1] > 0.0 && reach[2] > 0.0) return true;
  hki_rd_error(k->rd, node->loc, "0.02, or [0.02, 0.1, 0.02]", "'reach' must be positive");
  return false;
}

static void read_skin(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  static const hk_param *const tables[] = {hki_keys_cover, NULL};
  static const int32_t continuity[] = {2, 0, 4};
  skin k = {.rd = rd, .s = s, .e = e};
  const hk_node *node = e->value;
  double order, neighbours, threshold, scale, reach[3];
  bool given;
  int32_t weight = 0;
  if (!hki_rd_good_name(rd, "surface", e->key, e->key_loc, false) ||
      !hki_rd_check_keys(rd, node, tables, "surface", e->key))
    return;
  const hk_node *bodies = hki_node_get(node, "bodies"), *w = hki_node_get(node, "weight");
  if (!bodies || !hki_rd_key_real(rd, s, node, hki_keys_cover, "order", &order) ||
      !hki_rd_key_real(rd, s, node, hki_keys_cover, "neighbours", &neighbours) ||
      !hki_rd_key_real(rd, s, node, hki_keys_cover, "threshold", &threshold) ||
      !hki_rd_key_real(rd, s, node, hki_keys_cover, "scale", &scale) ||
      (w && !hki_rd_choice(rd, w, "weight", hki_params_find(hki_keys_cover, "weight")->choices,
                           &weight)) ||
      !hki_rd_body_list(rd, s, bodies, "bodies", &k.body, &k.nbody) ||
      !read_reach(&k, reach, &given) || !read_points(&k, scale))
    return;
  const hk_mapping_body *b = places(&k);
  if (!b) return;
  const hk_mls_options opt = {(int32_t)order, (int32_t)neighbours, continuity[weight], threshold};
  hk_mapping m;
  hk_status st =
      hki_mapping_init(&m, rd->ctx, &opt, given ? reach : NULL, k.nbody, b, k.npoint, k.point);
  if (st == HK_OK) put(&k, &m);
  if (m.lost >= 0)
    hki_rd_error(rd, e->key_loc, "more bodies, or bodies that turn",
                 "surface '%s': its bodies do not tell where point %d (%g, %g, %g) goes: they lie "
                 "in a line or plane, %.3g m away",
                 e->key, (int)m.lost + 1, k.point[3 * m.lost], k.point[3 * m.lost + 1],
                 k.point[3 * m.lost + 2], m.miss);
  hki_mapping_free(&m);
}

void hki_rd_covers_read(hk_reader *rd) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, rd->scopes[0], "surfaces", &w));) {
    if (hki_rd_enough(rd)) return;
    read_skin(rd, w.scope, e);
  }
}
