/* SPDX-License-Identifier: Apache-2.0
 *
 * front.c: the fronts of a model (front.h): which rows are open at which body, found once from the tree and the paths of closures
 * and forces.
 *
 * Bodies are met from the last to the first; subtrees are contiguous, so that what is handed on waits on a stack. Two passes: the first finds
 * where each row closes, and counts; the second makes the lists, with open rows in the order in which they close, so that
 * a matrix that is handed on goes into the next one without changing the order of its columns.
 */
#include "machines/tree/front_impl.h"

/* a row while fronts are found: how many of its coordinates have been met */
typedef struct open_row {
  int32_t row, met;
} open_row;

/* an entry of G by coordinates */
typedef struct place {
  int32_t row, dof, from;
} place;

typedef struct finder {
  hk_ctx *ctx;
  hk_front *f;
  const int32_t *gz0; /* NULL: counting */
  const hk_front_more *more;
  double most;
  int32_t *total; /* nrow: coordinates of a row */
  int32_t *order; /* nrow: when it closes, HK_NONE: not known */
  int32_t *first; /* nb + 1: entries of a body in `place` */
  place *place;
  int32_t *seen;               /* nrow: its place in the present list + 1, 0: not there */
  int32_t *force_of, *rank_of; /* nrow: the force, and which of its rows; HK_NONE */
  open_row *list, *waiting;    /* the present list; those of the nodes that wait */
  int32_t nlist, nwaiting, turn, depth;
  int32_t *wait_node, *wait_n; /* nb + 1: nodes that wait, their open rows */
  double stack, *wait_size;    /* numbers that wait, in all and by nodes */
  unsigned char *block;
} finder;

bool hki_front_light(const hk_model *m) {
  for (int32_t b = 0; b < m->nb; b++)
    if (m->bodies[b].massless || m->bodies[b].spin_removed) return true;
  return false;
}

/* rows that force i has in the fronts */
static int32_t force_rows(const hk_model *m, int32_t i) {
  const hk_path *p = &m->forces[i].path;
  return p->n && hki_tree_joint_of(m, p) == HK_NONE ? m->forces[i].ops->rank : 0;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* the rows of all closures and forces, one entry after the other; put NULL: counted */
static int32_t list_places(finder *d, place *put) {
  const hk_model *m = d->f->m;
  int32_t n = 0, row = 0, b = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    for (int32_t r = 0; r < cl->nrows; r++, row++)
      for (int32_t j = 0; j < cl->path.n; j++, n++)
        if (put)
          put[n] =
              (place){cl->row0 + r, cl->path.dof[j], d->gz0 ? d->gz0[c] + r * cl->path.n + j : 0};
  }
  for (int32_t i = 0, from = d->gz0 ? d->gz0[m->nc] : 0; d->more && i < d->more->n; i++, row++)
    for (int32_t j = 0; j < d->more->path[i].n; j++, n++, from++)
      if (put) put[n] = (place){row, d->more->path[i].dof[j], from};
  d->f->nweight = row;
  for (int32_t i = 0; !d->more && i < m->nf; i++) {
    const hk_path *p = &m->forces[i].path;
    const int32_t rank = force_rows(m, i);
    for (int32_t r = 0; r < rank; r++, row++) {
      if (put) d->force_of[row] = i, d->rank_of[row] = r;
      for (int32_t j = 0; j < p->n; j++, n++, b++)
        if (put) put[n] = (place){row, p->dof[j], ~b};
    }
  }
  d->f->nrow = row;
  d->f->nB = b;
  return n;
}

/* entries by bodies, in the order of rows */
static hk_status sort_places(finder *d, int32_t n) {
  const hk_model *m = d->f->m;
  place *all = hki_alloc(d->ctx, (size_t)(n + 1) * sizeof *all);
  int32_t *owner = hki_alloc(d->ctx, (size_t)(m->nv + 1) * sizeof *owner);
  if (!all || !owner) {
    hki_free(d->ctx, all), hki_free(d->ctx, owner);
    return HK_E_MEMORY;
  }
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t j = 0; j < m->bodies[b].nv; j++) owner[m->bodies[b].v0 + j] = b;
  list_places(d, all);
  for (int32_t i = 0; i < n; i++) d->total[all[i].row]++, d->first[owner[all[i].dof] + 1]++;
  for (int32_t b = 0; b < m->nb; b++) d->first[b + 1] += d->first[b];
  for (int32_t i = 0; i < n; i++) d->place[d->first[owner[all[i].dof]]++] = all[i];
  for (int32_t b = m->nb; b > 0; b--) d->first[b] = d->first[b - 1];
  d->first[0] = 0;
  hki_free(d->ctx, all), hki_free(d->ctx, owner);
  return HK_OK;
}

static void layout_finder(finder *d, int32_t places, hk_arena *a) {
  const int32_t nr = d->f->nrow, nb = d->f->m->nb;
  d->total = HK_TAKE(a, int32_t, nr);
  d->order = HK_TAKE(a, int32_t, nr);
  d->seen = HK_TAKE(a, int32_t, nr);
  d->force_of = HK_TAKE(a, int32_t, nr);
  d->rank_of = HK_TAKE(a, int32_t, nr);
  d->first = HK_TAKE(a, int32_t, nb + 2);
  d->place = HK_TAKE(a, place, places);
  d->list = HK_TAKE(a, open_row, nr + 1);
  d->waiting = HK_TAKE(a, open_row, 2 * places + 1); // a row waits once in each of its branches
  d->wait_node = HK_TAKE(a, int32_t, nb + 1);
  d->wait_n = HK_TAKE(a, int32_t, nb + 1);
  d->wait_size = HK_TAKE(a, double, nb + 1);
}

static hk_status begin(finder *d) {
  const int32_t n = list_places(d, NULL);
  hk_arena a = {0};
  layout_finder(d, n, &a);
  d->block = hki_alloc(d->ctx, a.used + 64);
  if (!d->block) return HK_E_MEMORY;
  a = (hk_arena){d->block + (64 - (uintptr_t)d->block % 64) % 64, 0, a.used};
  layout_finder(d, n, &a);
  memset(d->total, 0, (size_t)d->f->nrow * sizeof *d->total);
  memset(d->seen, 0, (size_t)d->f->nrow * sizeof *d->seen);
  memset(d->first, 0, (size_t)(d->f->m->nb + 2) * sizeof *d->first);
  for (int32_t r = 0; r < d->f->nrow; r++) d->order[r] = d->force_of[r] = HK_NONE;
  return sort_places(d, n);
}

/* --- nodes ------------------------------------------------------------------------------------ */

/* one more coordinate of a row has been met, or `met` of them */
static void meet(finder *d, int32_t row, int32_t met) {
  if (!d->seen[row]) {
    d->list[d->nlist] = (open_row){row, 0};
    d->seen[row] = ++d->nlist;
  }
  d->list[d->seen[row] - 1].met += met;
}

/* the list of the node that waits on top is met: child k of `node` */
static void take_up(finder *d, int32_t k, hk_front_node *node) {
  const int32_t at = --d->depth, n = d->wait_n[at];
  d->nwaiting -= n;
  for (int32_t i = 0; i < n; i++) {
    const open_row *o = &d->waiting[d->nwaiting + i];
    meet(d, o->row, o->met);
  }
  d->stack -= d->wait_size[at];
  node->child[k] = d->wait_node[at];
}

static bool closes(const finder *d, const open_row *o) { return o->met == d->total[o->row]; }

/* first the rows that close here, then the open ones in their order */
static bool before(const finder *d, const open_row *a, const open_row *b) {
  const bool ca = closes(d, a), cb = closes(d, b);
  if (ca != cb) return ca;
  return ca || d->order[a->row] == d->order[b->row] ? a->row < b->row
                                                    : d->order[a->row] < d->order[b->row];
}

static void sort_list(finder *d) {
  for (int32_t i = 1; i < d->nlist; i++) {
    const open_row o = d->list[i];
    int32_t j = i;
    for (; j > 0 && before(d, &o, &d->list[j - 1]); j--) d->list[j] = d->list[j - 1];
    d->list[j] = o;
  }
  for (int32_t i = 0; i < d->nlist; i++) d->seen[d->list[i].row] = i + 1;
}

/* sizes of the node, its place in lists and memory, the work that it is */
static void count_node(finder *d, hk_front_node *node) {
  hk_front *f = d->f;
  const double na = node->parent == HK_GROUND ? 0 : d->f->na;
  node->row0 = f->nplace;
  node->n = node->nv + d->nlist;
  node->ne = node->nv;
  for (int32_t i = 0; i < d->nlist; i++) node->ne += closes(d, &d->list[i]);
  node->low = (int32_t)fmin(f->nL, INT32_MAX);
  f->nplace += d->nlist;
  node->ld = (node->n + f->na + 3) & ~3;
  if (node->ld > f->width) f->width = node->ld;
  f->work += (double)f->na * node->nv * (node->n + f->na);
  for (int32_t k = 0; k < node->ne; k++) {
    const double below = node->n + na - 1 - k;
    f->nL += node->ld - HKI_FRONT_FIRST(k);
    f->work += 0.5 * below * (below + 3.0);
  }
}

/* places of the open rows of its children in the node's matrix */
static void map_children(finder *d, hk_front_node *node) {
  hk_front *f = d->f;
  for (int k = 0; k < 2; k++) {
    if (node->child[k] < 0) continue;
    const hk_front_node *c = &f->node[node->child[k]];
    node->map0[k] = f->nmap;
    for (int32_t i = c->ne; i < c->n; i++)
      f->map[f->nmap++] = node->nv + d->seen[f->row[c->row0 + i - c->nv]] - 1;
  }
}

/* entries of G that belong to the node's joint, blocks of forces whose rows close here */
static void list_entries(finder *d, hk_front_node *node) {
  hk_front *f = d->f;
  node->entry0 = f->nentry;
  node->block0 = f->nblock;
  const int32_t b = node->body;
  for (int32_t i = b == HK_NONE ? 0 : d->first[b]; b != HK_NONE && i < d->first[b + 1]; i++) {
    const place *p = &d->place[i];
    const int32_t column = p->dof - f->m->bodies[b].v0, line = node->nv + d->seen[p->row] - 1;
    f->entry[f->nentry++] = (hk_front_entry){column * node->ld + line, p->from, p->row};
  }
  for (int32_t i = 0; i < node->ne - node->nv; i++) {
    const int32_t row = d->list[i].row;
    if (d->force_of[row] != HK_NONE && d->rank_of[row] == 0)
      f->block[f->nblock++] = (hk_front_block){d->force_of[row], row, node->nv + i,
                                               f->m->forces[d->force_of[row]].ops->rank};
  }
}

/* The node with the present list; what stays open waits. False: too much work. */
static bool end_node(finder *d, hk_front_node *node) {
  hk_front *f = d->f;
  const double na = node->parent == HK_GROUND ? 0 : d->f->na;
  if (f->node) sort_list(d);
  count_node(d, node);
  if (f->node) {
    for (int32_t i = 0; i < d->nlist; i++) f->row[node->row0 + i] = d->list[i].row;
    map_children(d, node);
    list_entries(d, node);
    f->node[f->nodes] = *node;
    f->node[f->nodes].up = (int32_t)d->stack;
  }
  // open rows wait
  d->wait_node[d->depth] = f->nodes++;
  int32_t n = 0;
  for (int32_t i = 0; i < d->nlist; i++) {
    const int32_t row = d->list[i].row;
    if (closes(d, &d->list[i]))
      d->order[row] = d->turn;
    else
      d->waiting[d->nwaiting + n++] = d->list[i];
    d->seen[row] = 0;
  }
  d->turn++;
  d->nwaiting += n;
  d->wait_n[d->depth] = n;
  d->wait_size[d->depth++] = (n + na) * (n + na);
  d->stack += (n + na) * (n + na);
  f->nstack = fmax(f->nstack, d->stack);
  d->nlist = 0;
  return f->work <= d->most && f->nL < 5e8 && f->nstack < 5e8 && f->nplace < 100000000;
}

/* In a plane across one of the axes a body has the turn about it and two ways */
static void start(hk_front *f, const hk_model *m) {
  *f = (hk_front){.m = m, .na = 6, .passes = hki_front_passes()};
  for (int k = 0; m->spec->planar && k < 3; k++)
    if (fabs(m->spec->normal[k]) == 1.0) {
      f->na = 3;
      f->component[0] = k;
      f->component[1] = k == 0 ? 4 : 3;
      f->component[2] = k == 2 ? 4 : 5;
    }
}

static bool walk(finder *d) {
  hk_front *f = d->f;
  const hk_model *m = f->m;
  f->nodes = f->nplace = f->nmap = f->nentry = f->nblock = f->width = 0;
  f->nL = f->nstack = f->work = d->stack = 0.0;
  d->depth = d->nwaiting = d->turn = 0;
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    hk_front_node node = {
        .body = b, .parent = mb->parent, .v0 = mb->v0, .nv = mb->nv, .child = {-1, -1}};
    if (mb->last != b) take_up(d, 0, &node);
    for (int32_t i = d->first[b]; i < d->first[b + 1]; i++) meet(d, d->place[i].row, 1);
    if (!end_node(d, &node)) return false;
    // children of one body, or trees, join
    const int32_t last = mb->parent == HK_GROUND ? m->nb - 1 : m->bodies[mb->parent].last;
    if (mb->last == last) continue;
    hk_front_node join = {.body = HK_NONE, .parent = mb->parent, .child = {-1, -1}};
    take_up(d, 0, &join);
    take_up(d, 1, &join);
    if (!end_node(d, &join)) return false;
  }
  return true;
}

hk_status hki_front_count(hk_ctx *ctx, const hk_model *m, double most, hk_front *f, bool *found) {
  return hki_front_count_more(ctx, m, most, NULL, f, found);
}

hk_status hki_front_count_more(hk_ctx *ctx, const hk_model *m, double most,
                               const hk_front_more *more, hk_front *f, bool *found) {
  finder d = {.ctx = ctx, .f = f, .more = more, .most = most};
  start(f, m);
  hk_status st = begin(&d);
  *found = st == HK_OK && walk(&d);
  hki_free(ctx, d.block);
  return st;
}

/* --- lists and memory ------------------------------------------------------------------------- */

static void layout_lists(hk_front *f, int32_t places, hk_arena *a) {
  f->node = HK_TAKE(a, hk_front_node, f->nodes + 1);
  f->row = HK_TAKE(a, int32_t, f->nplace);
  f->map = HK_TAKE(a, int32_t, f->nplace);
  f->entry = HK_TAKE(a, hk_front_entry, places);
  f->block = HK_TAKE(a, hk_front_block, f->m->nf);
  f->force0 = HK_TAKE(a, int32_t, f->m->nf);
}

hk_status hki_front_create(hk_ctx *ctx, const hk_model *m, const int32_t *gz0,
                           const hk_front_more *more, hk_front *f) {
  finder d = {.ctx = ctx, .f = f, .gz0 = gz0, .more = more, .most = INFINITY};
  start(f, m);
  hk_status st = begin(&d);
  if (st == HK_OK && !walk(&d)) st = HK_E_MEMORY;
  if (st == HK_OK) {
    const int32_t places = d.first[m->nb];
    hk_arena a = {0};
    layout_lists(f, places, &a);
    f->lists = hki_alloc(ctx, a.used + 64);
    if (f->lists) {
      a = (hk_arena){f->lists + (64 - (uintptr_t)f->lists % 64) % 64, 0, a.used};
      layout_lists(f, places, &a);
    } else {
      st = HK_E_MEMORY;
    }
  }
  if (st == HK_OK) {
    (void)walk(&d); // the same with the lists
    f->node[f->nodes] =
        (hk_front_node){.low = (int32_t)f->nL, .entry0 = f->nentry, .block0 = f->nblock};
    for (int32_t i = 0, b = 0; i < m->nf; i++) {
      const int32_t rows = more ? 0 : force_rows(m, i);
      f->force0[i] = rows ? b : -1;
      b += rows * m->forces[i].path.n;
    }
  }
  hki_free(ctx, d.block);
  return st;
}

void hki_front_free(hk_ctx *ctx, hk_front *f) {
  hki_free(ctx, f->lists);
  f->lists = NULL;
}

void hki_front_layout(hk_front *f, hk_arena *a) {
  f->L = HK_TAKE(a, double, f->nL);
  f->inv = HK_TAKE(a, double, f->m->nv + f->nrow);
  f->S = HK_TAKE(a, double, 6 * f->m->nv);
  f->stack = HK_TAKE(a, double, f->nstack);
  f->W = HK_TAKE(a, double, (size_t)f->width *(size_t)f->width);
  f->weight = HK_TAKE(a, double, f->nrow);
  f->on = HK_TAKE(a, double, f->nrow);
  f->least = HK_TAKE(a, double, f->nrow);
  f->B = HK_TAKE(a, double, f->nB);
  f->k = HK_TAKE(a, double, f->nB ? 36 * f->m->nf : 0);
  f->z = HK_TAKE(a, double, f->nrow);
  f->p = HK_TAKE(a, double, f->na * f->m->nb);
  f->a = HK_TAKE(a, double, f->na * f->m->nb);
  f->v = HK_TAKE(a, double, f->width);
}

double hki_front_bytes(const hk_front *f) {
  hk_front g = *f;
  hk_arena a = {0}, b = {0};
  hki_front_layout(&g, &a);
  layout_lists(&g, f->nplace, &b);
  return (double)(a.used + b.used + 128);
}
