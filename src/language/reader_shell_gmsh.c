/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shell_gmsh.c: the middle surface of a shell or a membrane from a mesh of gmsh (formats/gmsh.h): its quadrilaterals of four
 * nodes, of one physical group where `group` names it. Nodes and elements keep their numbers; nodes that no
 * element has are left out. Physical groups are sets of nodes, those of lines with their sides.
 */
#include <string.h>

#include "formats/gmsh.h"
#include "language/reader_shells.h"

enum { N = HK_QUAD, LINE = 1, QUAD = 3, MOST_BYTES = 1 << 30 };

/* is this one of the elements of the surface? Reports what a shell cannot take */
static bool is_quad(hk_reader *rd, const hk_rd_mesh *m, const hk_gmsh *g, const hk_gmsh_element *e,
                    bool *ok) {
  if (e->type->dim != 2) return false;
  if (e->type->code == QUAD) return true;
  if (*ok)
    hki_rd_error(rd, ((hk_loc){g->file, e->line, 1}),
                 "quadrilaterals of four nodes: in gmsh 'Mesh.RecombineAll = 1; "
                 "Mesh.SubdivisionAlgorithm = 1; "
                 "Mesh.ElementOrder = 1;'",
                 "element %d is a %s, which %s '%s' cannot take", (int)e->label, e->type->name,
                 m->kind, m->owner);
  *ok = false;
  return false;
}

/* elements that are wanted: their number, or -1 after reporting; take[i]: element i is one of them */
static int32_t choose(hk_reader *rd, const hk_node *node, const hk_rd_mesh *m, const hk_gmsh *g,
                      bool *take) {
  const hk_node *v = hki_node_get(node, "group");
  const char *name = v ? hki_node_text(v) : NULL;
  const hk_gmsh_group *group = NULL;
  int32_t n = 0;
  bool ok = true;
  for (int32_t i = 0; name && i < g->ngroup; i++)
    if (g->group[i].dim == 2 && strcmp(g->group[i].name, name) == 0) group = &g->group[i];
  if (v && !group) {
    hki_rd_error(rd, v->loc, "the name of a 'Physical Surface'",
                 "the mesh of %s '%s' has no group of surfaces '%.100s'", m->kind, m->owner,
                 name ? name : "");
    return -1;
  }
  for (int32_t i = 0; i < (group ? group->n : g->nelement) && ok; i++) {
    const int32_t e = group ? group->element[i] : i;
    take[e] = is_quad(rd, m, g, &g->element[e], &ok);
    n += take[e];
  }
  if (ok && !n)
    hki_rd_error(rd, hki_node_get(node, "mesh")->loc,
                 "'Recombine Surface' makes quadrilaterals in gmsh",
                 "the mesh of %s '%s' has no quadrilaterals", m->kind, m->owner);
  return ok && n ? n : -1;
}

/* the set of a physical group: nodes of the surface, and sides of lines */
static bool make_set(hk_reader *rd, const hk_gmsh *g, const hk_gmsh_group *group,
                     const int32_t *index, char *seen, int32_t nnode, hk_rd_set *set) {
  int32_t most = 0;
  for (int32_t i = 0; i < group->n; i++) most += g->element[group->element[i]].type->nodes;
  *set = (hk_rd_set){.name = group->name};
  set->node = hki_pool_alloc(rd->pool, (size_t)(most + 1) * sizeof *set->node);
  set->side = hki_pool_alloc(rd->pool, (size_t)(2 * group->n + 1) * sizeof *set->side);
  if (!set->node || !set->side) return false;
  memset(seen, 0, (size_t)nnode);
  for (int32_t i = 0; i < group->n; i++) {
    const hk_gmsh_element *e = &g->element[group->element[i]];
    const int32_t *node = g->node + e->at;
    for (int32_t k = 0; k < e->type->nodes; k++) {
      const int32_t at = index[node[k]];
      if (at < 0 || seen[at]) continue;
      seen[at] = 1;
      set->node[set->n++] = at;
    }
    if (e->type->code != LINE || index[node[0]] < 0 || index[node[1]] < 0) continue;
    set->side[2 * set->nside] = index[node[0]];
    set->side[2 * set->nside++ + 1] = index[node[1]];
  }
  return true;
}

/* places, elements and sets of what was chosen */
static bool fill(hk_reader *rd, const hk_gmsh *g, const bool *take, int32_t nquad, double scale,
                 hk_rd_mesh *m) {
  int32_t *index = hki_pool_alloc(rd->pool, (size_t)(g->nnode + 1) * sizeof *index), nnode = 0;
  char *seen = hki_pool_alloc(rd->pool, (size_t)g->nnode + 1);
  if (!index || !seen) return false;
  for (int32_t i = 0; i < g->nelement; i++)
    for (int32_t k = 0; take[i] && k < N; k++) seen[g->node[g->element[i].at + k]] = 1;
  for (int32_t i = 0; i < g->nnode; i++) index[i] = seen[i] ? nnode++ : -1;
  if (!hki_rd_mesh_alloc(rd, nnode, nquad, g->ngroup, m)) return false;
  for (int32_t i = 0; i < g->nnode; i++) {
    double x[3];
    if (index[i] < 0) continue;
    v3_scale(x, scale, g->x + (ptrdiff_t)3 * i);
    hki_rd_map_point(&m->map, x, m->p + (ptrdiff_t)3 * index[i]);
    m->row[index[i]] = -1, m->number[index[i]] = g->label[i];
  }
  for (int32_t i = 0, e = 0; i < g->nelement; i++) {
    if (!take[i]) continue;
    for (int k = 0; k < N; k++) m->quad[N * e + k] = index[g->node[g->element[i].at + k]];
    m->quad_row[e] = -1, m->quad_number[e] = g->element[i].label;
    m->quad_loc[e++] = (hk_loc){g->file, g->element[i].line, 1};
  }
  for (int32_t i = 0; i < g->ngroup; i++)
    if (!make_set(rd, g, &g->group[i], index, seen, nnode, &m->set[i])) return false;
  return true;
}

bool hki_rd_mesh_gmsh(hk_reader *rd, const hk_node *node, double scale, hk_rd_mesh *out) {
  const hk_node *v = hki_node_get(node, "mesh");
  const char *file = hki_rd_text(rd, v, "mesh"),
             *path = file ? hki_rd_path(rd, v->loc, file) : NULL;
  char *text = NULL;
  size_t len = 0;
  hk_gmsh g;
  if (!path || hki_rd_file(rd, HK_FILE_MESH, path, v->loc, MOST_BYTES, &text, &len)) return false;
  const hk_status st =
      hki_gmsh_parse(rd->ctx, rd->pool, hki_ctx_file(rd->ctx, path), text, len, &g);
  hki_free(rd->ctx, text);
  bool *take = st == HK_OK ? hki_pool_alloc(rd->pool, (size_t)g.nelement + 1) : NULL;
  const int32_t n = take ? choose(rd, node, out, &g, take) : -1;
  return n > 0 && fill(rd, &g, take, n, scale, out);
}
