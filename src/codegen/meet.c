/* SPDX-License-Identifier: Apache-2.0
 *
 * meet.c: which selections their ways can write; see meet.h.
 *
 * A selection s = c ? a : b, whose b is computed in a way r that is entered where c is false, and that stands where r does, is such
 * a one if b is used outside of r by s alone, and if a is known before r is entered. With true and false exchanged likewise.
 * b may be such a selection itself, of a way inside of r: all three are one variable then.
 */
#include "codegen/meet.h"

typedef struct finder {
  const hk_plan *p;
  const hk_graph *g;
  hk_meets *m;
  uint32_t *place; /* of nodes: in the order */
  uint32_t *enter; /* of ways: place of their first node */
  uint32_t *entry; /* of selections: the way that writes them */
} finder;

static uint32_t around(const hk_plan *p, uint32_t r) {
  return p->effective[p->t->g.regions[r].parent];
}

static void find_places(finder *f) {
  const hk_plan *p = f->p;
  for (uint32_t r = 0; r < f->g->nregions; r++) f->enter[r] = UINT32_MAX;
  for (uint32_t k = 0; k < p->norder; k++) {
    const hk_node n = p->order[k];
    f->place[n] = k;
    for (uint32_t r = p->region[n]; r && f->enter[r] == UINT32_MAX; r = around(p, r))
      f->enter[r] = k;
  }
}

static bool is_leaf(int op) { return op == HK_G_CONST || op == HK_G_LOAD; }

/* a number with a variable of its own */
static bool has_name(const hk_plan *p, hk_node n) {
  return p->needed[n] && !p->inlined[n] && !p->pack_of[n] && !p->pair[n] &&
         hki_graph_kind[p->t->g.nodes[n].op] == 'R';
}

/* Is `a` known where way r is entered? */
static bool is_before(const finder *f, hk_node a, uint32_t r) {
  const hk_graph_node *x = &f->g->nodes[a];
  if (is_leaf(x->op) || x->part != f->g->regions[r].part) return true;
  return !f->p->inlined[a] && !f->p->pack_of[a] && f->place[a] < f->enter[r];
}

/* a truth without `not`; *no is turned round for each that is left out */
static hk_node without_not(const hk_graph *g, hk_node c, bool *no) {
  for (; hki_graph_is(g, c, HK_G_NOT); c = g->nodes[c].a[0]) *no = !*no;
  return c;
}

/* the way, next to where s stands, that operand `b` of s comes from and that is entered where s takes b; 0: there is none */
static uint32_t way_of(const finder *f, hk_node s, int b) {
  const hk_plan *p = f->p;
  const hk_graph_node *x = &f->g->nodes[s];
  uint32_t r = p->region[x->a[b]];
  while (r && around(p, r) != p->region[s]) r = around(p, r);
  if (!r || r == p->region[s]) return 0;
  bool no = f->g->regions[r].no, second = b == 2;
  const hk_node c = without_not(f->g, f->g->regions[r].condition, &no);
  return c == without_not(f->g, x->a[0], &second) && no == second ? r : 0;
}

/* selections that could be written by the way of one of their operands */
static void find_candidates(finder *f) {
  const hk_plan *p = f->p;
  for (hk_node s = 1; s < f->g->n; s++) {
    const hk_graph_node *x = &f->g->nodes[s];
    if (x->op != HK_G_SELECT || !has_name(p, s) || x->a[1] == x->a[2]) continue;
    for (int b = 1; b <= 2 && !f->m->way[s]; b++) {
      const hk_node value = x->a[b];
      if (!has_name(p, value) || p->kept[value] || f->g->nodes[value].part != x->part ||
          f->m->name[value] != value)
        continue;
      const uint32_t r = way_of(f, s, b);
      if (!r || !is_before(f, x->a[3 - b], r)) continue;
      f->m->way[s] = value, f->m->name[value] = s, f->entry[s] = r;
    }
  }
}

/* values that others than their selection use outside of their way have variables of their own */
static void drop_used(finder *f) {
  const hk_plan *p = f->p;
  hk_meets *m = f->m;
  for (hk_node n = 1; n < f->g->n; n++)
    for (int i = 0; i < 3 && p->needed[n]; i++) {
      const hk_node a = f->g->nodes[n].a[i], s = a ? m->name[a] : 0;
      if (s == a || s == n || hki_graph_around(f->g, f->entry[s], p->region[n])) continue;
      m->name[a] = a, m->way[s] = 0;
    }
}

/* names of values of values, and the lists of ways */
static void link(finder *f) {
  hk_meets *m = f->m;
  for (hk_node n = 1; n < f->g->n; n++)
    while (m->name[m->name[n]] != m->name[n]) m->name[n] = m->name[m->name[n]];
  for (hk_node s = f->g->n - 1; s > 0; s--)
    if (m->way[s]) m->next[s] = m->first[f->entry[s]], m->first[f->entry[s]] = s;
}

hk_node hki_meets_other(const hk_plan *p, const hk_meets *m, hk_node selection) {
  const hk_graph_node *x = &p->t->g.nodes[selection];
  return x->a[x->a[1] == m->way[selection] ? 2 : 1];
}

const hk_meets *hki_meets_find(const hk_plan *p) {
  hk_pool *pool = p->t->pool;
  const size_t n = p->t->g.n, r = p->t->g.nregions;
  hk_meets *m = hki_pool_alloc(pool, sizeof *m);
  uint32_t *block = hki_pool_alloc(pool, (5 * n + 2 * r) * sizeof *block);
  if (!m || !block) return NULL;
  *m = (hk_meets){block, block + n, block + 2 * n, block + 2 * n + r};
  finder f = {.p = p, .g = &p->t->g, .m = m, .place = m->next + n};
  f.entry = f.place + n, f.enter = f.entry + n;
  for (hk_node k = 0; k < n; k++) m->name[k] = k;
  find_places(&f);
  find_candidates(&f);
  drop_used(&f);
  link(&f);
  return m;
}
