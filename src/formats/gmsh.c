/* SPDX-License-Identifier: Apache-2.0
 *
 * gmsh.c: sections of words between $Name and $EndName. Version 2.2 lists nodes and elements one by one, an element
 * with its physical group; version 4.1 in blocks, one for each piece of the geometry (entity), and a section Entities that
 * tells the groups of each piece. Sections that are not needed are skipped.
 *
 * Source: C. Geuzaine and J.-F. Remacle, Gmsh reference manual, "MSH file format".
 */
#include "formats/gmsh.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv_table.h"

enum { MOST_BYTES = 256 << 20, MOST_NUMBER = 999999999, WORD = 128 };

static const hk_gmsh_type types[] = {
    {15, 1, 0, "point"},
    {1, 2, 1, "line"},
    {8, 3, 1, "line of 3 nodes"},
    {2, 3, 2, "triangle"},
    {9, 6, 2, "triangle of 6"},
    {3, 4, 2, "quadrangle"},
    {16, 8, 2, "quadrangle of 8"},
    {10, 9, 2, "quadrangle of 9"},
    {4, 4, 3, "tetrahedron"},
    {11, 10, 3, "tetrahedron of 10"},
    {5, 8, 3, "brick"},
    {17, 20, 3, "brick of 20"},
    {12, 27, 3, "brick of 27"},
    {6, 6, 3, "wedge"},
    {18, 15, 3, "wedge of 15"},
    {13, 18, 3, "wedge of 18"},
    {7, 5, 3, "pyramid"},
    {19, 13, 3, "pyramid of 13"},
    {14, 14, 3, "pyramid of 14"},
};

const hk_gmsh_type *hki_gmsh_type(int32_t code) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(types); i++)
    if (types[i].code == code) return &types[i];
  return NULL;
}

typedef struct found_node {
  int32_t label, line;
  double x[3];
} found_node;

/* a piece of the geometry is in a group: (dim, tag) of both */
typedef struct membership {
  int32_t dim, entity, group;
} membership;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_gmsh *out;
  const char *s, *end;
  int32_t line;
  bool new_format; /* 4.1 */
  found_node *node;
  int32_t nnode, node_cap;
  hk_gmsh_element *element;
  int32_t nelement, element_cap;
  int32_t *corner; /* labels */
  int32_t ncorner, corner_cap;
  membership *member;
  int32_t nmember, member_cap;
  hk_gmsh_group *group;
  int32_t ngroup, group_cap;
  bool failed;
} reader;

static void fault(reader *r, const char *hint, const char *text, const char *what) {
  if (!r->failed)
    hki_error(r->ctx, HK_E_FILE, (hk_loc){r->out->file, r->line, 1}, hint, text, what);
  r->failed = true;
}

static void fault_number(reader *r, int32_t line, const char *hint, const char *text, int32_t n) {
  char word[16];
  snprintf(word, sizeof word, "%d", (int)n);
  if (line) r->line = line;
  fault(r, hint, text, word);
}

/* --- words ------------------------------------------------------------------------------------ */

/* the next word; 0 letters at the end */
static const char *next_word(reader *r, int32_t *len) {
  while (r->s < r->end && (unsigned char)*r->s <= ' ') r->line += *r->s++ == '\n';
  const char *word = r->s;
  while (r->s < r->end && (unsigned char)*r->s > ' ') r->s++;
  *len = (int32_t)(r->s - word < WORD ? r->s - word : WORD);
  return word;
}

static double number(reader *r) {
  double x = 0.0;
  int32_t n;
  char word[WORD + 1];
  const char *s = next_word(r, &n);
  if (r->failed || (n && hki_decimal(s, n, &x))) return x;
  snprintf(word, sizeof word, "%.*s", (int)n, s);
  fault(r, NULL, n ? "'%s' is not a number" : "the file ends in the middle%s", word);
  return 0.0;
}

/* a whole number from `low` */
static int32_t whole(reader *r, int32_t low) {
  const double x = number(r);
  if (x >= low && x <= MOST_NUMBER && x == floor(x)) return (int32_t)x;
  char word[32];
  snprintf(word, sizeof word, "%.9g", x);
  fault(r, NULL, "expected a whole number, found %s", word);
  return low;
}

/* the rest of the line is not looked at */
static void end_line(reader *r) {
  while (r->s < r->end && *r->s != '\n') r->s++;
}

/* is the next word this one? It is taken then. */
static bool take(reader *r, const char *word) {
  const char *s = r->s;
  const int32_t line = r->line;
  int32_t n;
  const char *w = next_word(r, &n);
  if ((size_t)n == strlen(word) && strncmp(w, word, (size_t)n) == 0) return true;
  r->s = s, r->line = line;
  return false;
}

static void expect(reader *r, const char *word) {
  if (!r->failed && !take(r, word)) fault(r, "is a count wrong?", "expected %s", word);
}

/* --- sections --------------------------------------------------------------------------------- */

static void read_format(reader *r) {
  const double version = number(r);
  const int32_t binary = whole(r, 0);
  char word[32];
  snprintf(word, sizeof word, "%g", version);
  if (!r->failed && version != 2.2 && version != 4.1)
    fault(r, "save it with -format msh41 or -format msh22",
          "versions 2.2 and 4.1 are read, this file has %s", word);
  if (!r->failed && binary)
    fault(r, "save it as text: gmsh rod.msh -save -bin 0 -format msh41 -o text.msh",
          "the mesh is binary%s", "");
  r->new_format = version == 4.1;
  end_line(r);
}

static hk_gmsh_group *group_at(reader *r, int32_t dim, int32_t tag) {
  for (int32_t i = 0; i < r->ngroup; i++)
    if (r->group[i].dim == dim && r->group[i].tag == tag) return &r->group[i];
  if (!HK_GROW(r->ctx, r->group, r->group_cap, r->ngroup + 1)) {
    r->failed = true;
    return NULL;
  }
  hk_gmsh_group *g = &r->group[r->ngroup++];
  *g = (hk_gmsh_group){.dim = dim, .tag = tag};
  return g;
}

static void read_names(reader *r) {
  for (int32_t n = whole(r, 0); n > 0 && !r->failed; n--) {
    const int32_t dim = whole(r, 0), tag = whole(r, 0);
    while (r->s < r->end && *r->s != '"' && *r->s != '\n') r->s++;
    const char *name = ++r->s;
    while (r->s < r->end && *r->s != '"' && *r->s != '\n') r->s++;
    if (r->s >= r->end || *r->s != '"' || dim > 3) {
      fault(r, "2 7 \"big_end\"", "a physical name is dimension, number and a name in quotes%s",
            "");
      return;
    }
    hk_gmsh_group *g = group_at(r, dim, tag);
    if (g) g->name = hki_pool_strndup(r->pool, name, (size_t)(r->s - name));
    if (!g || !g->name) r->failed = true;
    r->s++;
  }
}

/* groups of the pieces of the geometry, version 4.1 */
static void read_entities(reader *r) {
  int32_t count[4];
  for (int i = 0; i < 4; i++) count[i] = whole(r, 0);
  for (int dim = 0; dim < 4; dim++)
    for (int32_t k = 0; k < count[dim] && !r->failed; k++) {
      const int32_t entity = whole(r, 0);
      for (int i = 0; i < (dim ? 6 : 3); i++) (void)number(r);
      for (int32_t n = whole(r, 0); n > 0 && !r->failed; n--) {
        const int32_t group = abs(whole(r, -MOST_NUMBER));
        if (!HK_GROW(r->ctx, r->member, r->member_cap, r->nmember + 1)) r->failed = true;
        if (!r->failed) r->member[r->nmember++] = (membership){dim, entity, group};
      }
      // pieces of its boundary
      for (int32_t n = dim ? whole(r, 0) : 0; n > 0 && !r->failed; n--) (void)number(r);
    }
}

static found_node *add_node(reader *r, int32_t label) {
  if (r->failed || r->nnode == INT_MAX / 8 ||
      !HK_GROW(r->ctx, r->node, r->node_cap, r->nnode + 1)) {
    r->failed = true;
    return NULL;
  }
  found_node *n = &r->node[r->nnode++];
  *n = (found_node){label, r->line, {0}};
  return n;
}

static void read_nodes_old(reader *r) {
  for (int32_t n = whole(r, 0); n > 0 && !r->failed; n--) {
    found_node *p = add_node(r, whole(r, 1));
    for (int i = 0; p && i < 3; i++) p->x[i] = number(r);
  }
}

static void read_nodes_new(reader *r) {
  int32_t blocks = whole(r, 0);
  for (int i = 0; i < 3; i++) (void)whole(r, 0);
  for (; blocks > 0 && !r->failed; blocks--) {
    const int32_t dim = whole(r, 0);
    (void)whole(r, 0);
    const int32_t own = whole(r, 0) ? dim : 0, n = whole(r, 0), first = r->nnode;
    for (int32_t k = 0; k < n && !r->failed; k++) (void)add_node(r, whole(r, 1));
    for (int32_t k = 0; k < n && !r->failed; k++) {
      for (int i = 0; i < 3; i++) r->node[first + k].x[i] = number(r);
      for (int32_t i = 0; i < own; i++) (void)number(r); // its parameters on the piece
    }
  }
}

/* an element, whose nodes come next */
static void add_element(reader *r, const hk_gmsh_type *type, int32_t label, int32_t entity) {
  if (r->failed || r->ncorner > INT_MAX / 2 ||
      !HK_GROW(r->ctx, r->element, r->element_cap, r->nelement + 1) ||
      !HK_GROW(r->ctx, r->corner, r->corner_cap, r->ncorner + type->nodes)) {
    r->failed = true;
    return;
  }
  r->element[r->nelement++] = (hk_gmsh_element){label, r->line, type, r->ncorner, entity};
  for (int32_t i = 0; i < type->nodes; i++) r->corner[r->ncorner++] = whole(r, 1);
}

static const hk_gmsh_type *read_type(reader *r) {
  const int32_t code = whole(r, 1);
  const hk_gmsh_type *t = r->failed ? NULL : hki_gmsh_type(code);
  if (!t && !r->failed)
    fault_number(r, 0, "elements of first and second order are read: gmsh -order 2",
                 "elements of type %s are not known", code);
  return t;
}

static void read_elements_old(reader *r) {
  for (int32_t n = whole(r, 0); n > 0 && !r->failed; n--) {
    const int32_t label = whole(r, 1);
    const hk_gmsh_type *t = read_type(r);
    const int32_t tags = whole(r, 0);
    int32_t group = 0;
    for (int32_t i = 0; i < tags && !r->failed; i++) {
      const int32_t tag = whole(r, -MOST_NUMBER);
      if (i == 0) group = abs(tag);
    }
    if (t) add_element(r, t, label, group);
  }
}

static void read_elements_new(reader *r) {
  int32_t blocks = whole(r, 0);
  for (int i = 0; i < 3; i++) (void)whole(r, 0);
  for (; blocks > 0 && !r->failed; blocks--) {
    (void)whole(r, 0);
    const int32_t entity = whole(r, 0);
    const hk_gmsh_type *t = read_type(r);
    for (int32_t n = whole(r, 0); n > 0 && !r->failed; n--) {
      const int32_t label = whole(r, 1);
      add_element(r, t, label, entity);
    }
  }
}

static void skip_section(reader *r, const char *name, int32_t n) {
  char close[WORD + 8];
  snprintf(close, sizeof close, "$End%.*s", (int)n, name);
  while (r->s < r->end && !take(r, close)) {
    int32_t len;
    (void)next_word(r, &len);
  }
}

static void sections(reader *r) {
  static const struct {
    const char *name, *close;
    void (*read[2])(reader *); /* versions 2.2 and 4.1 */
  } known[] = {
      {"$MeshFormat", "$EndMeshFormat", {read_format, read_format}},
      {"$PhysicalNames", "$EndPhysicalNames", {read_names, read_names}},
      {"$Entities", "$EndEntities", {read_entities, read_entities}},
      {"$Nodes", "$EndNodes", {read_nodes_old, read_nodes_new}},
      {"$Elements", "$EndElements", {read_elements_old, read_elements_new}},
  };
  int32_t done = 0, n;
  while (!r->failed) {
    const char *word = next_word(r, &n);
    if (!n) break;
    int32_t which = 0;
    while (which < HK_ARRAY_LEN(known) && ((size_t)n != strlen(known[which].name) ||
                                           strncmp(word, known[which].name, (size_t)n) != 0))
      which++;
    if ((which == 0) != (done == 0)) {
      fault(r, "a mesh of gmsh begins with $MeshFormat", "this is not a mesh of gmsh%s", "");
    } else if (which < HK_ARRAY_LEN(known)) {
      known[which].read[r->new_format](r);
      expect(r, known[which].close);
    } else if (*word == '$') {
      skip_section(r, word + 1, n - 1);
    } else {
      char text[WORD + 1];
      snprintf(text, sizeof text, "%.*s", (int)n, word);
      fault(r, "is a count wrong?", "expected a section like $Nodes, found '%s'", text);
    }
    done++;
  }
  if (!done) fault(r, "a mesh of gmsh begins with $MeshFormat", "the file is empty%s", "");
}

/* --- what was found --------------------------------------------------------------------------- */

static int by_label(const void *a, const void *b) {
  const int32_t x = ((const found_node *)a)->label, y = ((const found_node *)b)->label;
  return (x > y) - (x < y);
}

static void finish_nodes(reader *r) {
  hk_gmsh *out = r->out;
  out->nnode = r->nnode;
  out->x = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * 3 * sizeof *out->x);
  out->label = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * sizeof *out->label);
  if (!out->x || !out->label) r->failed = true;
  if (!r->nnode) fault(r, NULL, "the mesh has no nodes%s", "");
  if (r->failed) return;
  qsort(r->node, (size_t)r->nnode, sizeof *r->node, by_label);
  for (int32_t i = 0; i < r->nnode && !r->failed; i++) {
    const found_node *p = &r->node[i];
    if (i && p->label == p[-1].label)
      fault_number(r, p->line, NULL, "node %s stands twice", p->label);
    out->label[i] = p->label;
    memcpy(out->x + 3 * (ptrdiff_t)i, p->x, sizeof p->x);
  }
}

static int32_t find_node(const hk_gmsh *m, int32_t label) {
  int32_t lo = 0, hi = m->nnode - 1;
  while (lo <= hi) {
    const int32_t mid = lo + (hi - lo) / 2;
    if (m->label[mid] == label) return mid;
    if (m->label[mid] < label)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return -1;
}

static void finish_elements(reader *r) {
  hk_gmsh *out = r->out;
  out->nelement = r->nelement;
  out->element = hki_pool_alloc(r->pool, ((size_t)r->nelement + 1) * sizeof *out->element);
  out->node = hki_pool_alloc(r->pool, ((size_t)r->ncorner + 1) * sizeof *out->node);
  if (!out->element || !out->node) r->failed = true;
  for (int32_t i = 0; i < r->nelement && !r->failed; i++) {
    const hk_gmsh_element *e = &r->element[i];
    out->element[i] = *e;
    for (int32_t k = e->at; k < e->at + e->type->nodes; k++) {
      out->node[k] = find_node(out, r->corner[k]);
      if (out->node[k] < 0)
        fault_number(r, e->line, NULL, "there is no node %s, which an element names", r->corner[k]);
    }
  }
}

static int by_entity(const void *a, const void *b) {
  const membership *x = a, *y = b;
  if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
  return (x->entity > y->entity) - (x->entity < y->entity);
}

/* Every (element, group): 2.2 has the group itself in place of the piece. Counts them first, then writes them. */
static void each_membership(reader *r, bool write) {
  for (int32_t i = 0; i < r->nelement && !r->failed; i++) {
    const hk_gmsh_element *e = &r->out->element[i];
    const membership one = {e->type->dim, e->entity, e->entity}, *at = &one, *end = at + 1;
    if (r->new_format) {
      at = r->nmember ? bsearch(&one, r->member, (size_t)r->nmember, sizeof one, by_entity) : NULL;
      end = r->member + r->nmember;
      while (at && at > r->member && by_entity(at - 1, &one) == 0) at--;
    } else if (e->entity == 0) {
      continue; // in no group
    }
    for (; at && at < end && by_entity(at, &one) == 0; at++) {
      hk_gmsh_group *g = group_at(r, at->dim, at->group);
      if (!g) return;
      if (write) g->element[g->n] = i;
      g->n++;
    }
  }
}

static void finish_groups(reader *r) {
  if (r->nmember) qsort(r->member, (size_t)r->nmember, sizeof *r->member, by_entity);
  each_membership(r, false);
  for (int32_t i = 0; i < r->ngroup && !r->failed; i++) {
    hk_gmsh_group *g = &r->group[i];
    g->element = hki_pool_alloc(r->pool, ((size_t)g->n + 1) * sizeof *g->element);
    if (!g->name) g->name = hki_pool_printf(r->pool, "%d", (int)g->tag);
    if (!g->element || !g->name) r->failed = true;
    g->n = 0;
  }
  each_membership(r, true);
  hk_gmsh *out = r->out;
  out->ngroup = r->ngroup;
  out->group = hki_pool_alloc(r->pool, ((size_t)r->ngroup + 1) * sizeof *out->group);
  if (!out->group) r->failed = true;
  if (!r->failed && r->ngroup) memcpy(out->group, r->group, (size_t)r->ngroup * sizeof *r->group);
}

hk_status hki_gmsh_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                         hk_gmsh *out) {
  *out = (hk_gmsh){.file = file};
  reader r = {.ctx = ctx, .pool = pool, .out = out, .s = text, .end = text + len, .line = 1};
  const int32_t errors = hki_error_count(ctx);
  sections(&r);
  if (!r.failed) finish_nodes(&r);
  if (!r.failed) finish_elements(&r);
  if (!r.failed) finish_groups(&r);
  hki_free(ctx, r.node);
  hki_free(ctx, r.element);
  hki_free(ctx, r.corner);
  hki_free(ctx, r.member);
  hki_free(ctx, r.group);
  if (!r.failed) return HK_OK;
  return hki_error_count(ctx) > errors ? HK_E_FILE : hki_no_memory(ctx);
}

hk_status hki_gmsh_read(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *path, hk_gmsh *out) {
  char *text = NULL;
  size_t len = 0;
  hk_status st = hki_read_file(ctx, path, from, MOST_BYTES, &text, &len);
  if (st == HK_OK) st = hki_gmsh_parse(ctx, pool, hki_ctx_file(ctx, path), text, len, out);
  hki_free(ctx, text);
  return st;
}
