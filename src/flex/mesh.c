/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.c: the solids of a mesh of gmsh as a finite-element model: nodes of solids, physical groups as sets of nodes and of
 * elements.
 */
#include <string.h>

#include "flex/source.h"

/* elements of the model; `use`: 1 for nodes of solids */
static hk_status take_elements(hk_ctx *ctx, hk_pool *pool, const hk_gmsh *m, hk_fe *fe,
                               int32_t *use) {
  int32_t n = 0, nodes = 0;
  for (int32_t i = 0; i < m->nelement; i++)
    if (m->element[i].type->dim == 3) n++, nodes += m->element[i].type->nodes;
  fe->element = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *fe->element);
  fe->corner = hki_pool_alloc(pool, ((size_t)nodes + 1) * sizeof *fe->corner);
  if (!fe->element || !fe->corner) return HK_E_MEMORY;
  nodes = 0;
  for (int32_t i = 0; i < m->nelement; i++) {
    const hk_gmsh_element *e = &m->element[i];
    if (e->type->dim != 3) continue;
    const hk_fe_type *t = hki_fe_type_gmsh(e->type->code);
    if (!t)
      return hki_error(ctx, HK_E_MODEL, (hk_loc){m->file, e->line, 1},
                       "tetrahedra, wedges and bricks of first or second order can be used; "
                       "Mesh.SecondOrderIncomplete = 1 leaves out the middles of faces",
                       "element %d is a %s", (int)e->label, e->type->name);
    fe->element[fe->nelement++] = (hk_fe_element){e->label, e->line, t, nodes, -1};
    for (int32_t k = 0; k < t->nodes; k++) {
      fe->corner[nodes] = m->node[e->at + t->order[k]];
      use[fe->corner[nodes++]] = 1;
    }
  }
  return HK_OK;
}

/* nodes of solids; use becomes their index, -1: none */
static hk_status take_nodes(hk_pool *pool, const hk_gmsh *m, hk_fe *fe, int32_t *use) {
  for (int32_t i = 0; i < m->nnode; i++) use[i] = use[i] ? fe->nnode++ : -1;
  fe->x = hki_pool_alloc(pool, ((size_t)fe->nnode + 1) * 3 * sizeof *fe->x);
  fe->label = hki_pool_alloc(pool, ((size_t)fe->nnode + 1) * sizeof *fe->label);
  if (!fe->x || !fe->label) return HK_E_MEMORY;
  for (int32_t i = 0; i < m->nnode; i++)
    if (use[i] >= 0) {
      memcpy(fe->x + 3 * (ptrdiff_t)use[i], m->x + 3 * (ptrdiff_t)i, 3 * sizeof *fe->x);
      fe->label[use[i]] = m->label[i];
    }
  for (int32_t i = 0; i < fe->nelement; i++)
    for (int32_t k = 0; k < fe->element[i].type->nodes; k++) {
      int32_t *c = &fe->corner[fe->element[i].at + k];
      *c = use[*c];
    }
  return HK_OK;
}

/* nodes of each group, every one once; mark: of all nodes of the mesh */
static hk_status take_sets(hk_pool *pool, const hk_gmsh *m, hk_fe *fe, const int32_t *use,
                           int32_t *mark) {
  fe->set = hki_pool_alloc(pool, ((size_t)m->ngroup + 1) * sizeof *fe->set);
  if (!fe->set) return HK_E_MEMORY;
  memset(mark, 0, ((size_t)m->nnode + 1) * sizeof *mark);
  for (int32_t g = 0; g < m->ngroup; g++) {
    const hk_gmsh_group *group = &m->group[g];
    hk_fe_set *set = &fe->set[fe->nset++];
    for (int write = 0; write < 2; write++) {
      int32_t n = 0;
      for (int32_t i = 0; i < group->n; i++) {
        const hk_gmsh_element *e = &m->element[group->element[i]];
        for (int32_t k = e->at; k < e->at + e->type->nodes; k++) {
          const int32_t node = m->node[k], stamp = 2 * g + write + 1;
          if (use[node] < 0 || mark[node] == stamp) continue;
          mark[node] = stamp;
          if (write) set->node[n] = use[node];
          n++;
        }
      }
      if (!write) set->node = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *set->node);
      if (!set->node) return HK_E_MEMORY;
      set->n = n;
    }
    set->name = group->name;
  }
  return HK_OK;
}

/* physical groups of solids, for materials; mark: of all elements of the mesh */
static hk_status take_groups(hk_pool *pool, const hk_gmsh *m, hk_fe *fe, int32_t *mark) {
  int32_t solids = 0;
  for (int32_t i = 0; i < m->nelement; i++) mark[i] = m->element[i].type->dim == 3 ? solids++ : -1;
  fe->group = hki_pool_alloc(pool, ((size_t)m->ngroup + 1) * sizeof *fe->group);
  if (!fe->group) return HK_E_MEMORY;
  for (int32_t g = 0; g < m->ngroup; g++) {
    const hk_gmsh_group *from = &m->group[g];
    if (from->dim != 3) continue;
    hk_fe_group *to = &fe->group[fe->ngroup++];
    to->name = from->name;
    to->element = hki_pool_alloc(pool, ((size_t)from->n + 1) * sizeof *to->element);
    if (!to->element) return HK_E_MEMORY;
    for (int32_t i = 0; i < from->n; i++)
      if (mark[from->element[i]] >= 0) to->element[to->n++] = mark[from->element[i]];
  }
  return HK_OK;
}

hk_status hki_fe_from_gmsh(hk_ctx *ctx, hk_pool *pool, const hk_gmsh *m, hk_fe *fe) {
  *fe = (hk_fe){.file = m->file};
  const size_t size = 2 * ((size_t)m->nnode + 1);
  int32_t *use = hki_alloc(ctx, (size + (size_t)m->nelement) * sizeof *use);
  if (!use) return HK_E_MEMORY;
  hk_status st = take_elements(ctx, pool, m, fe, use);
  if (st == HK_OK) st = take_nodes(pool, m, fe, use);
  if (st == HK_OK) st = take_sets(pool, m, fe, use, use + m->nnode + 1);
  if (st == HK_OK) st = take_groups(pool, m, fe, use + size);
  if (st == HK_OK) st = hki_fe_skin(ctx, pool, fe);
  hki_free(ctx, use);
  return st;
}
