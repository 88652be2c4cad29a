/* SPDX-License-Identifier: Apache-2.0
 *
 * network_fault.c: why a network has no start. The unknowns are solved for at the assembled state as
 * a run does; where the matrix is singular, the graph of nodes (the ground and nodes with a given
 * value are one) says why:
 *
 *   loop      elements that set a difference and leave their flow open (an own unknown whose equation
 *             does not contain it), or store it, in a ring: a short circuit, a loop of ideal sources
 *   floating  nodes that no element joins with the reference
 */
#include <stdio.h>

#include "analyses/network_fault.h"
#include "kinematics/element.h"
#include "machines/network/network.h"

/* an element that sets or stores the difference between two nodes; vertices: unknowns, and nx */
typedef struct edge {
  int32_t force, a, b;
  bool stores;
} edge;

typedef struct graph {
  const hk_model *m;
  int32_t nedge;
  edge *edge;
  int32_t *set, *via, *queue; /* nx + 1: roots of sets; edge by which a vertex was reached */
} graph;

static void evaluate(void *user, int32_t fi, hk_element_out *out) {
  hk_kin *k = user;
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_in in;
  if (k->m->forces[fi].u_varies) hki_kin_force_inputs(k, fi);
  hki_kin_force_in(k, fi, F, &in);
  hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT | HK_NEED_INPUT, out);
  if (k->m->forces[fi].still) hki_kin_drop_rates(&k->m->forces[fi], out);
}

static int32_t vertex(const hk_model *m, int32_t x) { return x < m->nx ? x : m->nx; }

static int32_t root_of(const graph *g, int32_t i) {
  while (g->set[i] != i) i = g->set[i];
  return i;
}

static void join(graph *g, int32_t a, int32_t b) {
  a = root_of(g, a), b = root_of(g, b);
  g->set[a < b ? b : a] = a < b ? a : b;
}

/* ends of what row i of an element's matrix couples among its nodes: one node counts from the
 * reference; false: it couples none or more than two */
static bool ends(const hk_model *m, const hk_model_force *f, const double *row, edge *e) {
  int32_t n = 0;
  e->a = e->b = m->nx;
  for (int32_t j = 0; j < f->ops->nnode; j++) {
    if (row[j] == 0.0) continue;
    if (n == 0) e->a = vertex(m, f->x[j]);
    if (n == 1) e->b = vertex(m, f->x[j]);
    n++;
  }
  return n == 1 || n == 2;
}

/* sources first, then storages */
static void find_edges(graph *g, hk_kin *k) {
  const hk_model *m = g->m;
  for (int stores = 0; stores < 2; stores++)
    for (int32_t f = 0; f < m->nf; f++) {
      const hk_model_force *mf = &m->forces[f];
      hk_element_out out;
      edge e = {.force = f, .stores = stores};
      if (mf->net == HK_NONE) continue;
      evaluate(k, f, &out);
      const int32_t own = mf->ops->nnode, at = HK_ELEMENT_UNKNOWNS * own + own;
      const bool sets = mf->ops->nown && out.Fx[at] == 0.0 && out.Fxd[at] == 0.0 &&
                        ends(m, mf, out.Fx + HK_ELEMENT_UNKNOWNS * own, &e);
      if (!stores && sets) g->edge[g->nedge++] = e;
      if (stores && !mf->ops->nown && ends(m, mf, out.Fxd, &e)) g->edge[g->nedge++] = e;
    }
}

/* g->via: edges among the first n by which each vertex is reached from a; false: b is not */
static bool reach(graph *g, int32_t n, int32_t a, int32_t b) {
  int32_t head = 0, tail = 0;
  for (int32_t i = 0; i <= g->m->nx; i++) g->via[i] = HK_NONE;
  g->queue[tail++] = a;
  while (head < tail) {
    const int32_t at = g->queue[head++];
    for (int32_t i = 0; i < n; i++) {
      const edge *e = &g->edge[i];
      const int32_t to = e->a == at ? e->b : e->b == at ? e->a : a;
      if (to == a || g->via[to] != HK_NONE) continue;
      g->via[to] = i;
      g->queue[tail++] = to;
    }
  }
  return a == b || g->via[b] != HK_NONE;
}

/* "'v', 'w'": the elements of the ring that edge `last` closes */
static void name_ring(const graph *g, int32_t last, int32_t from, int32_t to, char *buf,
                      size_t cap) {
  int n =
      snprintf(buf, cap, "'%s'", g->m->spec->forces[g->m->forces[g->edge[last].force].spec].name);
  for (int32_t at = to; at != from && n > 0 && (size_t)n < cap;) {
    const edge *e = &g->edge[g->via[at]];
    n += snprintf(buf + n, cap - (size_t)n, ", '%s'",
                  g->m->spec->forces[g->m->forces[e->force].spec].name);
    at = e->a == at ? e->b : e->a;
  }
}

static bool find_ring(graph *g, char *buf, size_t cap) {
  char names[300];
  bool source = false;
  for (int32_t i = 0; i <= g->m->nx; i++) g->set[i] = i;
  for (int32_t i = 0; i < g->nedge; i++) {
    const edge *e = &g->edge[i];
    source |= !e->stores;
    if (root_of(g, e->a) != root_of(g, e->b)) {
      join(g, e->a, e->b);
      continue;
    }
    if (!source || !reach(g, i, e->a, e->b)) continue;
    name_ring(g, i, e->a, e->b, names, sizeof names);
    if (e->a == e->b)
      snprintf(
          buf, cap,
          "a short circuit: %s sets a difference between two values that are given already, and "
          "nothing limits its flow",
          names);
    else
      snprintf(buf, cap, "a loop of ideal sources%s: %s; nothing limits the flow round it",
               e->stores ? " and storages" : "", names);
    return true;
  }
  return false;
}

/* nodes that hang together with the unknown `bad` and not with the reference */
static bool find_floating(graph *g, int32_t bad, char *buf, size_t cap) {
  const hk_model *m = g->m;
  int32_t count = 0;
  for (int32_t i = 0; i <= m->nx; i++) g->set[i] = i;
  for (int32_t f = 0; f < m->nf; f++)
    for (int32_t j = 0; m->forces[f].net != HK_NONE && j < m->forces[f].ops->nnode; j++)
      if (m->forces[f].ops->domains[j] == m->forces[f].ops->domains[0])
        join(g, vertex(m, m->forces[f].x[0]), vertex(m, m->forces[f].x[j]));
  // storages on a single node and own equations keep a value too: the matrix has decided
  if (m->unknowns[bad].node == HK_NONE || root_of(g, bad) == root_of(g, m->nx)) return false;
  int n = snprintf(buf, cap, "floating nodes: ");
  for (int32_t i = 0; i < m->nx && n > 0 && (size_t)n < cap; i++) {
    if (m->unknowns[i].node == HK_NONE || root_of(g, i) != root_of(g, bad)) continue;
    n += snprintf(buf + n, cap - (size_t)n, "%s'%s'", count++ ? ", " : "",
                  m->spec->nodes[m->unknowns[i].node].name);
  }
  if (n > 0 && (size_t)n < cap)
    snprintf(buf + n, cap - (size_t)n, "; no element joins %s with the reference or a given value",
             count > 1 ? "them" : "it");
  return true;
}

/* words for a singular network */
static hk_status explain(hk_tree *s, hk_pool *pool, int32_t bad, char *buf, size_t cap) {
  const hk_model *m = s->m;
  graph g = {.m = m};
  g.edge = hki_pool_alloc(pool, (size_t)(2 * m->nnet + 1) * sizeof *g.edge);
  g.set = hki_pool_alloc(pool, (size_t)(m->nx + 1) * sizeof *g.set);
  g.via = hki_pool_alloc(pool, (size_t)(m->nx + 1) * sizeof *g.via);
  g.queue = hki_pool_alloc(pool, (size_t)(m->nx + 2) * sizeof *g.queue);
  if (!g.edge || !g.set || !g.via || !g.queue) return HK_E_MEMORY;
  find_edges(&g, &s->kin);
  if (find_ring(&g, buf, cap) || find_floating(&g, bad, buf, cap)) return HK_OK;
  hki_net_undetermined(m, bad, buf, cap);
  return HK_OK;
}

hk_status hki_network_fault(hk_tree *s, char *buf, size_t cap) {
  hk_net net = {0};
  buf[0] = '\0';
  if (!s->m->nx) return HK_OK;
  hk_pool *pool = hki_pool_create(s->ctx);
  const size_t bytes = (size_t)s->m->nx * sizeof(double);
  double *kept = pool ? hki_pool_alloc(pool, 2 * bytes) : NULL;
  hk_status st = kept ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    memcpy(kept, s->kin.x, bytes);
    memcpy(kept + s->m->nx, s->kin.xd, bytes);
    st = hki_net_create(&net, s->ctx, pool, &s->kin, evaluate, &s->kin, false);
  }
  if (st == HK_OK) {
    const hk_status solved = hki_net_solve(&net);
    hki_kin_unknowns(&s->kin, kept, kept + s->m->nx);
    if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
    if (solved == HK_E_SINGULAR && net.bad >= 0) st = explain(s, pool, net.bad, buf, cap);
  }
  if (net.ls) hki_net_destroy(&net);
  if (pool) hki_pool_destroy(pool);
  return st;
}
