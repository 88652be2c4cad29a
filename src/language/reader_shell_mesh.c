/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shell_mesh.c: the middle surface of a shell or a membrane, given in the model file:
 *
 *   corners    A, B, C, D: u runs from A to B, v from A to D, bilinear between them
 *   surface    [x, y, z], expressions of u and v within their ranges
 *
 * with `elements: [n, m]` along u and v. Node i.j is the one at step i along u and j along v, element i.j the one whose last node
 * that is. The sides are the sets u_start, u_end, v_start, v_end.
 *
 * Normals of nodes are means of those of the elements there, weighted by their angles. Elements that meet at a larger
 * angle than `fold` have normals of their own: a box has edges.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "language/reader_beams.h"
#include "language/reader_shells.h"

enum { N = HK_QUAD, MOST_ELEMENTS = 200000 };

const char *hki_rd_mesh_name(hk_reader *rd, int32_t row, int32_t number) {
  if (row < 0) return hki_pool_printf(rd->pool, "%d", (int)number);
  return hki_pool_printf(rd->pool, "%d.%d", (int)row, (int)number);
}

/* --- structured ------------------------------------------------------------------------------- */

bool hki_rd_mesh_alloc(hk_reader *rd, int32_t nnode, int32_t nquad, int32_t nset, hk_rd_mesh *m) {
  const size_t n = (size_t)nnode + 1, q = (size_t)nquad + 1;
  m->nnode = nnode, m->nquad = nquad, m->nset = nset;
  m->p = hki_pool_alloc(rd->pool, 3 * n * sizeof *m->p);
  m->area = hki_pool_alloc(rd->pool, n * sizeof *m->area);
  m->row = hki_pool_alloc(rd->pool, 2 * n * sizeof *m->row);
  m->quad = hki_pool_alloc(rd->pool, 6 * q * sizeof *m->quad);
  m->quad_loc = hki_pool_alloc(rd->pool, q * sizeof *m->quad_loc);
  m->normal = hki_pool_alloc(rd->pool, 12 * q * sizeof *m->normal);
  m->director = hki_pool_alloc(rd->pool, 12 * q * sizeof *m->director);
  m->u = hki_pool_alloc(rd->pool, 3 * q * sizeof *m->u);
  m->set = hki_pool_alloc(rd->pool, (size_t)(nset + 1) * sizeof *m->set);
  if (!m->p || !m->area || !m->row || !m->quad || !m->quad_loc || !m->normal || !m->director ||
      !m->u || !m->set)
    return false;
  m->number = m->row + nnode;
  m->quad_row = m->quad + (ptrdiff_t)4 * nquad;
  m->quad_number = m->quad_row + nquad;
  return true;
}

/* n nodes from `first`, `step` apart */
static bool make_set(hk_reader *rd, hk_rd_set *set, const char *name, int32_t first, int32_t step,
                     int32_t n) {
  *set = (hk_rd_set){.name = name, .n = n, .nside = n - 1};
  set->node = hki_pool_alloc(rd->pool, (size_t)n * sizeof *set->node);
  set->side = hki_pool_alloc(rd->pool, (size_t)(2 * n) * sizeof *set->side);
  for (int32_t i = 0; set->node && set->side && i < n; i++) {
    set->node[i] = first + i * step;
    if (i) set->side[2 * i - 2] = first + (i - 1) * step, set->side[2 * i - 1] = first + i * step;
  }
  return set->node && set->side;
}

/* n x m elements: names, elements and sets; places are to follow */
static bool make_grid(hk_reader *rd, int32_t n, int32_t m, hk_rd_mesh *mesh) {
  const int32_t last = n * (m + 1);
  if (!hki_rd_mesh_alloc(rd, (n + 1) * (m + 1), n * m, 4, mesh)) return false;
  for (int32_t i = 0; i <= n; i++)
    for (int32_t j = 0; j <= m; j++) {
      const int32_t k = i * (m + 1) + j;
      mesh->row[k] = i, mesh->number[k] = j;
      if (!i || !j) continue;
      const int32_t e = (i - 1) * m + j - 1, from = k - m - 2;
      const int32_t round[N] = {from, from + m + 1, k, from + 1};
      memcpy(mesh->quad + (ptrdiff_t)N * e, round, sizeof round);
      mesh->quad_row[e] = i, mesh->quad_number[e] = j;
      mesh->quad_loc[e] = mesh->loc;
    }
  return make_set(rd, &mesh->set[0], "u_start", 0, 1, m + 1) &&
         make_set(rd, &mesh->set[1], "u_end", last, 1, m + 1) &&
         make_set(rd, &mesh->set[2], "v_start", 0, m + 1, n + 1) &&
         make_set(rd, &mesh->set[3], "v_end", m, m + 1, n + 1);
}

static bool read_elements(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_mesh *mesh,
                          int32_t *n) {
  const hk_node *v = hki_node_get(node, "elements");
  double x[2];
  if (!v) {
    hki_rd_error(rd, node->loc, "elements: [8, 4]", "%s '%s' needs the key 'elements'", mesh->kind,
                 mesh->owner);
    return false;
  }
  if (!hki_rd_numbers(rd, s, v, "elements", 2, x)) return false;
  for (int k = 0; k < 2; k++) {
    if (x[k] < 1.0 || x[k] != floor(x[k]) || x[0] * x[1] > MOST_ELEMENTS) {
      hki_rd_error(rd, v->loc, "elements: [8, 4]",
                   "'elements' of %s '%s' must be two whole numbers, of at most %d elements in all",
                   mesh->kind, mesh->owner, MOST_ELEMENTS);
      return false;
    }
    n[k] = (int32_t)x[k];
  }
  return true;
}

static bool from_corners(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const int32_t *n,
                         hk_rd_mesh *mesh) {
  double at[N][3];
  if (v->kind != HK_NODE_SEQUENCE || v->count != N) {
    hki_rd_error(rd, v->loc, "corners: [A, B, C, D], round the surface",
                 "'corners' of %s '%s' must be four points", mesh->kind, mesh->owner);
    return false;
  }
  for (int k = 0; k < N; k++)
    if (!hki_rd_point(rd, s, v->items[k], "corners", at[k])) return false;
  for (int32_t i = 0, k = 0; i <= n[0]; i++)
    for (int32_t j = 0; j <= n[1]; j++, k++) {
      const double x = (double)i / n[0], y = (double)j / n[1];
      const double by[N] = {(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y};
      for (int c = 0; c < N; c++) v3_axpy(mesh->p + (ptrdiff_t)3 * k, by[c], at[c]);
    }
  return true;
}

static bool from_surface(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_node *v,
                         const int32_t *n, hk_rd_mesh *mesh) {
  static const char *const keys[2] = {"u", "v"};
  double range[2][2] = {{0.0, 1.0}, {0.0, 1.0}}, x[3];
  hk_rd_item item[2];
  hk_rd_scope in[2];
  if (v->kind != HK_NODE_SEQUENCE || v->count != 3) {
    hki_rd_error(rd, v->loc, "surface: [\"v*cos(u)\", \"v*sin(u)\", \"0\"]",
                 "'surface' of %s '%s' must be three expressions of u and v", mesh->kind,
                 mesh->owner);
    return false;
  }
  for (int k = 0; k < 2; k++) {
    const hk_node *r = hki_node_get(node, keys[k]);
    if (r && !hki_rd_numbers(rd, s, r, keys[k], 2, range[k])) return false;
    // u and v are what the index of a repeated item is
    item[k] = (hk_rd_item){.name = keys[k], .state = HK_RD_DONE};
    in[k] = k ? in[0] : *s;
    in[k].parent = k ? &in[0] : s;
    in[k].index = &item[k];
  }
  rd->repeated++;
  for (int32_t i = 0, at = 0; i <= n[0]; i++)
    for (int32_t j = 0; j <= n[1]; j++, at++) {
      item[0].value = range[0][0] + (range[0][1] - range[0][0]) * i / n[0];
      item[1].value = range[1][0] + (range[1][1] - range[1][0]) * j / n[1];
      for (int k = 0; k < 3; k++)
        if (!hki_rd_number(rd, &in[1], v->items[k], "surface", &x[k])) return false;
      hki_rd_map_point(&mesh->map, x, mesh->p + (ptrdiff_t)3 * at);
    }
  return true;
}

bool hki_rd_mesh_read(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_mesh *out) {
  static const char *const keys[] = {"corners", "surface", "mesh"};
  const hk_node *given = NULL;
  int32_t n[2], which = -1;
  if (!hki_rd_base(rd, s, node, &out->map)) return false;
  for (int32_t k = 0; k < HK_ARRAY_LEN(keys); k++) {
    const hk_node *v = hki_node_get(node, keys[k]);
    if (v && given) {
      hki_rd_error(rd, v->loc, "leave one of them out", "%s '%s' has both '%s' and '%s'", out->kind,
                   out->owner, keys[which], keys[k]);
      return false;
    }
    if (v) given = v, which = k;
  }
  if (!given) {
    hki_rd_error(rd, node->loc, "corners: [A, B, C, D] and elements: [8, 4]",
                 "%s '%s' has no surface: it needs 'corners', 'surface' or 'mesh'", out->kind,
                 out->owner);
    return false;
  }
  if (which == 2) {
    double scale;
    return hki_rd_key_real(rd, s, node, hki_keys_shell, "scale", &scale) &&
           hki_rd_mesh_gmsh(rd, node, scale, out);
  }
  if (!read_elements(rd, s, node, out, n) || !make_grid(rd, n[0], n[1], out)) return false;
  return which == 0 ? from_corners(rd, s, given, n, out) : from_surface(rd, s, node, given, n, out);
}

/* --- normals and faults ----------------------------------------------------------------------- */

static const double *place(const hk_rd_mesh *m, int32_t e, int k) {
  return m->p + (ptrdiff_t)3 * m->quad[N * e + k];
}

static bool fault(hk_reader *rd, const hk_rd_mesh *m, int32_t e, const char *hint,
                  const char *what) {
  hki_rd_error(rd, m->quad_loc[e], hint, "element %s of %s '%s' %s",
               hki_rd_mesh_name(rd, m->quad_row[e], m->quad_number[e]), m->kind, m->owner, what);
  return false;
}

/* normals at the corners of an element, with its angles; false after reporting one that folds */
static bool find_normals(hk_reader *rd, hk_rd_mesh *m, int32_t e, double *angle) {
  double d1[3], d2[3], n[3], size = 0.0;
  for (int k = 0; k < N; k++)
    for (int i = 0; i < k; i++)
      if (m->quad[N * e + i] == m->quad[N * e + k])
        return fault(rd, m, e, "four nodes that differ", "has the same node twice");
  v3_sub(d1, place(m, e, 2), place(m, e, 0));
  v3_sub(d2, place(m, e, 3), place(m, e, 1));
  v3_cross(n, d1, d2);
  size = fmax(v3_norm(d1), v3_norm(d2));
  if (!(v3_norm(n) > 1e-9 * size * size))
    return fault(rd, m, e, "nodes that are not all on one line, run round in turn",
                 "has no area, or crosses itself: its diagonals are parallel");
  for (int k = 0; k < N; k++) {
    double a[3], b[3], *c = m->normal + (ptrdiff_t)3 * (N * e + k);
    v3_sub(a, place(m, e, (k + 1) % N), place(m, e, k));
    v3_sub(b, place(m, e, (k + 3) % N), place(m, e, k));
    v3_cross(c, a, b);
    angle[k] = atan2(v3_norm(c), v3_dot(a, b));
    if (!(v3_dot(c, n) > 1e-6 * v3_norm(a) * v3_norm(b) * v3_norm(n))) {
      const int32_t node = m->quad[N * e + k];
      const char *what = hki_pool_printf(
          rd->pool,
          "is folded: at its node %s it has a corner of half a turn or more, or crosses itself",
          hki_rd_mesh_name(rd, m->row[node], m->number[node]));
      return what && fault(rd, m, e, "nodes that run round a convex quadrilateral", what);
    }
    v3_normalize(c);
  }
  return true;
}

/* The normals of an element that is not plane differ from the one of its diagonals. Far from a plane its strains mean
 * nothing; warned: said once of a mesh */
static bool check_warp(hk_reader *rd, const hk_rd_mesh *m, int32_t e, bool *warned) {
  static const double doubtful = 0.35, most = 1.0;
  double d1[3], d2[3], n[3], x[3], worst = 0.0;
  int at = 0;
  v3_sub(d1, place(m, e, 2), place(m, e, 0));
  v3_sub(d2, place(m, e, 3), place(m, e, 1));
  v3_cross(n, d1, d2);
  for (int k = 0; k < N; k++) {
    const double *c = m->normal + (ptrdiff_t)3 * (N * e + k);
    v3_cross(x, c, n);
    const double angle = atan2(v3_norm(x), v3_dot(c, n));
    if (angle > worst) worst = angle, at = k;
  }
  if (worst <= doubtful) return true;
  const int32_t node = m->quad[N * e + at];
  const char *what = hki_pool_printf(
      rd->pool, "is warped: at its node %s the normal is %.0f degrees off that of its diagonals",
      hki_rd_mesh_name(rd, m->row[node], m->number[node]), worst * 180.0 / 3.14159265358979);
  if (!what) return false;
  if (worst > most)
    return fault(rd, m, e, "quadrilaterals that are nearly plane: more elements", what);
  if (!*warned)
    hki_warn(rd->ctx, m->quad_loc[e], "more elements", "element %s of %s '%s' %s",
             hki_rd_mesh_name(rd, m->quad_row[e], m->quad_number[e]), m->kind, m->owner, what);
  *warned = true;
  return true;
}

/* direction of x of an element: of u, along its first side and the one across; in a mesh from a file x, or where that is
 * nearly the normal y */
static void find_direction(hk_rd_mesh *m, int32_t e) {
  double *u = m->u + (ptrdiff_t)3 * e, x[3], y[3], d1[3], d2[3], n[3];
  if (m->quad_row[e] < 0) {
    m3_column(x, m->map.S, 0);
    m3_column(y, m->map.S, 1);
    v3_sub(d1, place(m, e, 2), place(m, e, 0));
    v3_sub(d2, place(m, e, 3), place(m, e, 1));
    v3_cross(n, d1, d2);
    v3_copy(u, fabs(v3_dot(n, x)) > 0.95 * v3_norm(n) ? y : x);
    return;
  }
  for (int k = 0; k < N; k++) v3_axpy(u, k == 0 || k == 3 ? -0.5 : 0.5, place(m, e, k));
}

/* a side of an element, its nodes in ascending order */
typedef struct side {
  int32_t a, b, e;
  bool turned; /* it runs from b to a */
} side;

static int compare_sides(const void *x, const void *y) {
  const side *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return (p->e > q->e) - (p->e < q->e);
}

/* Do two elements have the same nodes? */
static bool same_nodes(const hk_rd_mesh *m, int32_t e, int32_t f) {
  for (int i = 0; i < N; i++) {
    bool found = false;
    for (int k = 0; k < N; k++) found |= m->quad[N * e + i] == m->quad[N * f + k];
    if (!found) return false;
  }
  return true;
}

/* elements on the same side must run along it in opposite directions; where three meet no order is right */
static bool check_sides(hk_reader *rd, const hk_rd_mesh *m) {
  const int32_t n = N * m->nquad;
  side *all = hki_pool_alloc(rd->pool, (size_t)n * sizeof *all);
  if (!all) return false;
  for (int32_t i = 0; i < n; i++) {
    const int32_t e = i / N, a = m->quad[i], b = m->quad[N * e + (i + 1) % N];
    all[i] = (side){a < b ? a : b, a < b ? b : a, e, b < a};
  }
  qsort(all, (size_t)n, sizeof *all, compare_sides);
  for (int32_t i = 1; i < n; i++) {
    const side *p = &all[i - 1], *q = &all[i];
    if (p->a != q->a || p->b != q->b) continue;
    const char *other = hki_rd_mesh_name(rd, m->quad_row[p->e], m->quad_number[p->e]);
    if (same_nodes(m, p->e, q->e))
      return fault(
          rd, m, q->e, "leave one of them out",
          hki_pool_printf(rd->pool, "has the nodes of element %s: it stands there twice", other));
    const bool third = (i > 1 && all[i - 2].a == p->a && all[i - 2].b == p->b) ||
                       (i + 1 < n && q[1].a == p->a && q[1].b == p->b);
    if (p->turned == q->turned && !third)
      return fault(
          rd, m, q->e, "elements run round the surface in the same sense: turn one of them over",
          hki_pool_printf(
              rd->pool, "is inverted: its normal points to the other side than that of element %s",
              other));
  }
  return true;
}

/* directors: of each corner the mean of the normals at its node that are near to its own */
static bool find_directors(hk_reader *rd, hk_rd_mesh *m, const double *angle, double fold) {
  int32_t *at = hki_pool_alloc(rd->pool, (size_t)(m->nnode + 2) * sizeof *at);
  int32_t *list = hki_pool_alloc(rd->pool, (size_t)(N * m->nquad + 1) * sizeof *list);
  if (!at || !list) return false;
  for (int32_t i = 0; i < N * m->nquad; i++) at[m->quad[i] + 2]++;
  for (int32_t i = 2; i <= m->nnode + 1; i++) at[i] += at[i - 1];
  for (int32_t i = 0; i < N * m->nquad; i++) list[at[m->quad[i] + 1]++] = i;
  for (int32_t i = 0; i < N * m->nquad; i++) {
    double *d = m->director + (ptrdiff_t)3 * i;
    const double *own = m->normal + (ptrdiff_t)3 * i;
    for (int32_t k = at[m->quad[i]]; k < at[m->quad[i] + 1]; k++) {
      const double *n = m->normal + (ptrdiff_t)3 * list[k];
      double x[3];
      v3_cross(x, own, n);
      if (atan2(v3_norm(x), v3_dot(own, n)) <= fold) v3_axpy(d, angle[list[k]], n);
    }
    v3_normalize(d);
  }
  return true;
}

bool hki_rd_mesh_check(hk_reader *rd, hk_rd_mesh *m, double fold) {
  double *angle = hki_pool_alloc(rd->pool, (size_t)(N * m->nquad + 1) * sizeof *angle);
  if (!angle) return false;
  bool warned = false;
  for (int32_t e = 0; e < m->nquad; e++) {
    find_direction(m, e);
    if (!find_normals(rd, m, e, angle + (ptrdiff_t)N * e) || !check_warp(rd, m, e, &warned))
      return false;
  }
  // mirrored: elements run the other way round
  for (int32_t i = 0; i < 3 * N * m->nquad && m->map.mirrored; i++) m->normal[i] = -m->normal[i];
  for (int32_t e = 0; e < m->nquad && m->map.mirrored; e++) {
    int32_t *q = m->quad + (ptrdiff_t)N * e;
    double *n = m->normal + (ptrdiff_t)3 * N * e, x[3];
    const int32_t second = q[1];
    const double a = angle[N * e + 1];
    q[1] = q[3], q[3] = second;
    angle[N * e + 1] = angle[N * e + 3], angle[N * e + 3] = a;
    v3_copy(x, n + 3), v3_copy(n + 3, n + 9), v3_copy(n + 9, x);
  }
  if (!check_sides(rd, m) || !find_directors(rd, m, angle, fold)) return false;
  for (int32_t e = 0; e < m->nquad; e++) {
    hk_frame m0[N];
    hk_quad_point point[N];
    const double along[3] = {1.0, 0.0, 0.0};
    double axes[6 * N];
    memset(m0, 0, sizeof m0);
    for (int k = 0; k < N; k++) v3_copy(m0[k].p, place(m, e, k));
    if (!hki_quad_points(m0, along, point, axes)) return fault(rd, m, e, NULL, "has no area");
    for (int g = 0; g < N; g++)
      for (int k = 0; k < N; k++) m->area[m->quad[N * e + k]] += point[g].w * point[g].N[k];
  }
  return true;
}

const hk_rd_set *hki_rd_mesh_set(hk_reader *rd, const hk_rd_mesh *mesh, const char *name,
                                 hk_loc loc) {
  hk_nearest near;
  char buf[300];
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < mesh->nset; i++) {
    if (strcmp(mesh->set[i].name, name) == 0) return &mesh->set[i];
    hki_nearest_try(&near, mesh->set[i].name);
  }
  const char *hint = hki_rd_did_you_mean(&near, buf, sizeof buf);
  hki_rd_error(rd, loc,
               hint ? hint : "u_start, u_end, v_start, v_end, or a physical group of its mesh",
               "%s '%s' has no set of nodes '%.100s'", mesh->kind, mesh->owner, name);
  return NULL;
}
