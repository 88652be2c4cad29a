/* SPDX-License-Identifier: Apache-2.0
 *
 * deck.c: nodes, sets and elements of a deck as CalculiX and Abaqus read it: lines that begin with * are keywords with
 * options, the lines behind them data in commas; ** is a comment; a comma at the end goes on in the next line.
 */
#include "flex/deck.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/csv_table.h"

enum { MOST_LABEL = 999999999, MOST_RANGE = 10000000, WORD = 80, MOST_NODES = 32 };

typedef enum state { SKIP, IN_NODES, IN_ELEMENTS, IN_SET, IN_RANGES, IN_ELASTIC, IN_DENSITY } state;

/* one material for one set of elements */
typedef struct section {
  char elements[WORD], material[WORD];
  int32_t line;
} section;

typedef struct found_material {
  char name[WORD];
  hk_fe_material is;
} found_material;

typedef struct found_node {
  int32_t label, line;
  double x[3];
} found_node;

/* labels of a set, to be found among the nodes or elements once all are known */
typedef struct found_set {
  char name[WORD];
  bool elements;
  int32_t from, to, line; /* entries of member[] */
} found_set;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_fe *fe;
  int32_t file, line, first; /* the present line, and the one that it continues */
  state in;
  const hk_fe_type *type; /* of the elements */
  bool listed;            /* they are members of the last set */
  found_node *node;
  int32_t nnode, node_cap;
  found_set *set;
  int32_t nset, set_cap;
  int32_t *member;
  int32_t nmember, member_cap;
  hk_fe_element *element;
  int32_t nelement, element_cap;
  int32_t *corner; /* labels */
  int32_t ncorner, corner_cap;
  found_material *material;
  int32_t nmaterial, material_cap;
  section *section;
  int32_t nsection, section_cap;
  double value[MOST_NODES + 1]; /* of the present data line, with those it continues */
  int32_t nvalue;
  bool failed; /* an error has been told, or no memory */
} reader;

static void fault(reader *r, const char *hint, const char *text, const char *what) {
  if (!r->failed) hki_error(r->ctx, HK_E_FILE, (hk_loc){r->file, r->line, 1}, hint, text, what);
  r->failed = true;
}

/* option NAME=value of a keyword line, without blanks; false: none */
static bool option(const char *s, const char *end, const char *name, char *out) {
  for (const char *c = memchr(s, ',', (size_t)(end - s)); c;
       c = memchr(c, ',', (size_t)(end - c))) {
    c++;
    while (c < end && (*c == ' ' || *c == '\t')) c++;
    const size_t n = strlen(name);
    if ((size_t)(end - c) < n || strncasecmp(c, name, n) != 0) continue;
    const char *v = c + n;
    while (v < end && (*v == ' ' || *v == '=')) v++;
    size_t k = 0;
    for (; v < end && *v != ',' && k + 1 < WORD; v++)
      if (*v > ' ' && *v != '"') out[k++] = *v;
    out[k] = 0;
    return true;
  }
  return false;
}

static void begin_set(reader *r, const char *name, bool elements) {
  if (!HK_GROW(r->ctx, r->set, r->set_cap, r->nset + 1)) {
    r->failed = true;
    return;
  }
  found_set *s = &r->set[r->nset++];
  *s = (found_set){.elements = elements, .from = r->nmember, .to = r->nmember, .line = r->line};
  snprintf(s->name, sizeof s->name, "%s", name);
}

static void add_member(reader *r, int32_t label) {
  if (r->failed || !HK_GROW(r->ctx, r->member, r->member_cap, r->nmember + 1)) {
    r->failed = true;
    return;
  }
  r->member[r->nmember++] = label;
  r->set[r->nset - 1].to = r->nmember;
}

static bool is_keyword(const char *s, const char *end, const char *name) {
  const size_t n = strlen(name);
  return (size_t)(end - s) >= n && strncasecmp(s, name, n) == 0 &&
         (s + n == end || s[n] == ',' || s[n] == ' ' || s[n] == '\t');
}

/* a set of nodes or elements: *NSET, NSET=left, GENERATE */
static void keyword_set(reader *r, const char *s, const char *end, bool elements) {
  char name[WORD], dump[WORD];
  if (!option(s, end, elements ? "ELSET" : "NSET", name)) {
    fault(r, elements ? "*ELSET, ELSET=bush" : "*NSET, NSET=left", "a set of %s without a name",
          elements ? "elements" : "nodes");
    return;
  }
  r->in = option(s, end, "GENERATE", dump) ? IN_RANGES : IN_SET;
  begin_set(r, name, elements);
}

/* *MATERIAL, NAME=steel; what follows is about it */
static void keyword_material(reader *r, const char *s, const char *end) {
  if (!HK_GROW(r->ctx, r->material, r->material_cap, r->nmaterial + 1)) {
    r->failed = true;
    return;
  }
  found_material *m = &r->material[r->nmaterial++];
  memset(m, 0, sizeof *m);
  (void)option(s, end, "NAME", m->name);
}

/* *SOLID SECTION, ELSET=bush, MATERIAL=steel */
static void keyword_section(reader *r, const char *s, const char *end) {
  if (!HK_GROW(r->ctx, r->section, r->section_cap, r->nsection + 1)) {
    r->failed = true;
    return;
  }
  section *c = &r->section[r->nsection++];
  *c = (section){.line = r->line};
  if (!option(s, end, "ELSET", c->elements) || !option(s, end, "MATERIAL", c->material))
    fault(r, "*SOLID SECTION, ELSET=rod, MATERIAL=steel", "a section without ELSET or MATERIAL%s",
          "");
}

/* *ELEMENT, TYPE=C3D10, ELSET=rod; its elements are members of the set */
static void keyword_element(reader *r, const char *s, const char *end) {
  char name[WORD];
  r->type = option(s, end, "TYPE", name) ? hki_fe_type_named(name) : NULL;
  if (r->type) r->in = IN_ELEMENTS;
  // a set of elements that are not read is empty
  r->listed = option(s, end, "ELSET", name);
  if (r->listed) begin_set(r, name, true);
}

static void keyword(reader *r, const char *s, const char *end) {
  char name[WORD];
  r->in = SKIP;
  r->nvalue = 0;
  if (is_keyword(s, end, "*NODE")) {
    r->in = IN_NODES;
  } else if (is_keyword(s, end, "*ELEMENT")) {
    keyword_element(r, s, end);
  } else if (is_keyword(s, end, "*MATERIAL")) {
    keyword_material(r, s, end);
  } else if (is_keyword(s, end, "*SOLID SECTION")) {
    keyword_section(r, s, end);
  } else if (is_keyword(s, end, "*ELASTIC")) {
    // other types than isotropic have more numbers
    if (!option(s, end, "TYPE", name) || strncasecmp(name, "ISO", 3) == 0)
      r->in = IN_ELASTIC;
    else if (r->nmaterial)
      r->material[r->nmaterial - 1].is.other = true;
  } else if (is_keyword(s, end, "*DENSITY")) {
    r->in = IN_DENSITY;
  } else if (is_keyword(s, end, "*NSET")) {
    keyword_set(r, s, end, false);
  } else if (is_keyword(s, end, "*ELSET")) {
    keyword_set(r, s, end, true);
  } else if (is_keyword(s, end, "*INCLUDE")) {
    fault(r, "put everything into one file", "%s is not read", "*INCLUDE");
  }
}

/* a whole number from 1 */
static bool whole(reader *r, double x, int32_t *out) {
  if (!(x >= 1.0 && x <= MOST_LABEL) || x != floor(x)) {
    fault(r, NULL, "the number of a node or element must be whole and positive%s", "");
    return false;
  }
  *out = (int32_t)x;
  return true;
}

static void add_node(reader *r) {
  int32_t label;
  if (r->nvalue < 2 || !whole(r, r->value[0], &label)) {
    fault(r, "12, 0.1, 0.0, 0.05", "a node is its number and three coordinates%s", "");
    return;
  }
  if (!HK_GROW(r->ctx, r->node, r->node_cap, r->nnode + 1)) {
    r->failed = true;
    return;
  }
  found_node *n = &r->node[r->nnode++];
  *n = (found_node){label, r->line, {0}};
  for (int i = 0; i < 3 && i + 1 < r->nvalue; i++) n->x[i] = r->value[1 + i];
}

static void add_element(reader *r) {
  const int32_t n = r->type->nodes;
  hk_fe_element e = {0, r->first, r->type, r->ncorner, -1};
  if (!whole(r, r->value[0], &e.label)) return;
  if (!HK_GROW(r->ctx, r->corner, r->corner_cap, r->ncorner + n) ||
      !HK_GROW(r->ctx, r->element, r->element_cap, r->nelement + 1)) {
    r->failed = true;
    return;
  }
  for (int32_t i = 0; i < n; i++)
    if (!whole(r, r->value[1 + i], &r->corner[e.at + i])) return;
  r->ncorner += n;
  r->element[r->nelement++] = e;
  if (r->listed) add_member(r, e.label);
}

static void add_range(reader *r) {
  int32_t from, to, step = 1;
  if (r->nvalue < 2 || !whole(r, r->value[0], &from) || !whole(r, r->value[1], &to) ||
      (r->nvalue > 2 && !whole(r, r->value[2], &step)))
    return;
  if (to - from >= MOST_RANGE * (int64_t)step) {
    fault(r, NULL, "a range of more than %s numbers", "ten million");
    return;
  }
  for (int64_t i = from; i <= to && !r->failed; i += step) add_member(r, (int32_t)i);
}

/* a set in another: its members so far; false: there is none of this name and kind */
static bool add_set(reader *r, const char *name) {
  const int32_t last = r->nset - 1;
  bool found = false;
  for (int32_t i = 0; i < last; i++) {
    if (r->set[i].elements != r->set[last].elements || strcasecmp(r->set[i].name, name) != 0)
      continue;
    found = true;
    for (int32_t k = r->set[i].from; k < r->set[i].to; k++) add_member(r, r->member[k]);
  }
  return found;
}

/* cells of a data line behind the values before */
static bool cells(reader *r, const char *s, const char *end) {
  bool open = false; // a comma stands at the end
  while (s < end) {
    const char *c = memchr(s, ',', (size_t)(end - s)), *stop = c ? c : end;
    while (s < stop && (*s == ' ' || *s == '\t')) s++;
    const char *back = stop;
    while (back > s && (back[-1] == ' ' || back[-1] == '\t')) back--;
    open = c != NULL;
    if (back > s) {
      double x;
      const bool number = hki_decimal(s, (int32_t)(back - s), &x);
      if (r->nvalue > MOST_NODES || !number) {
        char word[WORD];
        snprintf(word, sizeof word, "%.*s", (int)(back - s < WORD - 1 ? back - s : WORD - 1), s);
        // names of other sets may stand in a set
        if (number || r->in != IN_SET || !add_set(r, word))
          fault(r, r->in == IN_SET ? "a set must stand before those that it is in" : NULL,
                number ? "too many numbers in a line, with '%s'" : "'%s' is not a number", word);
        if (r->failed) return false;
      } else {
        r->value[r->nvalue++] = x;
      }
    }
    s = c ? c + 1 : end;
  }
  return open;
}

static void data(reader *r, const char *s, const char *end) {
  if (r->in == SKIP) return;
  if (!r->nvalue) r->first = r->line;
  const bool open = cells(r, s, end);
  hk_fe_material *m = r->nmaterial ? &r->material[r->nmaterial - 1].is : NULL;
  if (r->failed) return;
  if (r->in == IN_SET) {
    for (int32_t i = 0, label; i < r->nvalue && !r->failed; i++)
      if (whole(r, r->value[i], &label)) add_member(r, label);
  } else if (r->in == IN_RANGES) {
    add_range(r);
  } else if (r->in == IN_NODES) {
    add_node(r);
  } else if (r->in == IN_ELASTIC) {
    // values at further temperatures are not used
    if (m && r->nvalue >= 2) m->young = r->value[0], m->poisson = r->value[1];
    r->in = SKIP;
  } else if (r->in == IN_DENSITY) {
    if (m && r->nvalue) m->density = r->value[0];
    r->in = SKIP;
  } else {
    const int32_t n = 1 + r->type->nodes;
    if (r->nvalue < n && open) return;
    if (r->nvalue < n)
      fault(r, NULL, "an element of type %s has too few nodes", r->type->name);
    else
      add_element(r);
  }
  r->nvalue = 0;
}

/* --- what was found, sorted ------------------------------------------------------------------- */

static int by_label(const void *a, const void *b) {
  const int32_t x = ((const found_node *)a)->label, y = ((const found_node *)b)->label;
  return (x > y) - (x < y);
}

static void finish_nodes(reader *r) {
  hk_fe *fe = r->fe;
  fe->nnode = r->nnode;
  fe->x = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * 3 * sizeof *fe->x);
  fe->label = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * sizeof *fe->label);
  if (!fe->x || !fe->label) r->failed = true;
  if (!r->nnode) fault(r, NULL, "the deck has no nodes%s", "");
  if (r->failed) return;
  qsort(r->node, (size_t)r->nnode, sizeof *r->node, by_label);
  for (int32_t i = 0; i < r->nnode; i++) {
    char text[32];
    snprintf(text, sizeof text, "%d", (int)r->node[i].label);
    r->line = r->node[i].line;
    if (i && r->node[i].label == r->node[i - 1].label) fault(r, NULL, "node %s stands twice", text);
    fe->label[i] = r->node[i].label;
    memcpy(fe->x + 3 * (ptrdiff_t)i, r->node[i].x, sizeof r->node[i].x);
  }
}

/* index of a node that a set or an element names */
static int32_t known(reader *r, int32_t label, int32_t line) {
  const int32_t i = hki_fe_find(r->fe, label);
  char text[32];
  snprintf(text, sizeof text, "%d", (int)label);
  r->line = line;
  if (i < 0) fault(r, NULL, "there is no node %s", text);
  return i;
}

/* the first set at `at` or behind it that has the name and kind of set i; nset: none */
static int32_t piece(const reader *r, int32_t i, int32_t at) {
  while (at < r->nset && (r->set[at].elements != r->set[i].elements ||
                          strcasecmp(r->set[at].name, r->set[i].name) != 0))
    at++;
  return at;
}

/* how many members the set i has in all of its pieces; -1: it is not the first of them */
static int32_t members(const reader *r, int32_t i) {
  int32_t n = 0;
  if (piece(r, i, 0) < i) return -1;
  for (int32_t k = i; k < r->nset; k = piece(r, i, k + 1)) n += r->set[k].to - r->set[k].from;
  return n;
}

static void finish_sets(reader *r) {
  hk_fe *fe = r->fe;
  fe->set = hki_pool_alloc(r->pool, ((size_t)r->nset + 1) * sizeof *fe->set);
  if (!fe->set) r->failed = true;
  for (int32_t i = 0; i < r->nset && !r->failed; i++) {
    const int32_t n = r->set[i].elements ? -1 : members(r, i);
    if (n < 0) continue;
    hk_fe_set *out = &fe->set[fe->nset++];
    out->name = hki_pool_strdup(r->pool, r->set[i].name);
    out->node = hki_pool_alloc(r->pool, ((size_t)n + 1) * sizeof *out->node);
    if (!out->name || !out->node) r->failed = true;
    for (int32_t p = i; p < r->nset; p = piece(r, i, p + 1))
      for (int32_t k = r->set[p].from; k < r->set[p].to && !r->failed; k++)
        out->node[out->n++] = known(r, r->member[k], r->set[p].line);
  }
}

static void finish_elements(reader *r) {
  hk_fe *fe = r->fe;
  fe->element = hki_pool_alloc(r->pool, ((size_t)r->nelement + 1) * sizeof *fe->element);
  fe->corner = hki_pool_alloc(r->pool, ((size_t)r->ncorner + 1) * sizeof *fe->corner);
  if (!fe->element || !fe->corner) r->failed = true;
  for (int32_t i = 0; i < r->nelement && !r->failed; i++) {
    const hk_fe_element *e = &r->element[i];
    for (int32_t k = e->at; k < e->at + e->type->nodes; k++)
      fe->corner[k] = known(r, r->corner[k], e->line);
    fe->element[i] = *e;
    fe->nelement = i + 1;
  }
  if (!r->failed && hki_fe_skin(r->ctx, r->pool, fe) != HK_OK) r->failed = true;
}

/* elements by their numbers */
typedef struct numbered {
  int32_t label, element;
} numbered;

static int by_number(const void *a, const void *b) {
  const int32_t x = ((const numbered *)a)->label, y = ((const numbered *)b)->label;
  return (x > y) - (x < y);
}

/* the groups of elements; members of kinds that are not read are left out */
static void finish_groups(reader *r) {
  hk_fe *fe = r->fe;
  numbered *all = hki_pool_alloc(r->pool, ((size_t)fe->nelement + 1) * sizeof *all);
  fe->group = hki_pool_alloc(r->pool, ((size_t)r->nset + 1) * sizeof *fe->group);
  if (!all || !fe->group) {
    r->failed = true;
    return;
  }
  for (int32_t i = 0; i < fe->nelement; i++) all[i] = (numbered){fe->element[i].label, i};
  qsort(all, (size_t)fe->nelement, sizeof *all, by_number);
  for (int32_t i = 0; i < r->nset && !r->failed; i++) {
    const int32_t n = r->set[i].elements ? members(r, i) : -1;
    if (n < 0) continue;
    hk_fe_group *g = &fe->group[fe->ngroup++];
    g->name = hki_pool_strdup(r->pool, r->set[i].name);
    g->element = hki_pool_alloc(r->pool, ((size_t)n + 1) * sizeof *g->element);
    if (!g->name || !g->element) r->failed = true;
    for (int32_t p = i; p < r->nset; p = piece(r, i, p + 1))
      for (int32_t k = r->set[p].from; k < r->set[p].to && !r->failed; k++) {
        const numbered key = {r->member[k], 0};
        const numbered *at =
            fe->nelement ? bsearch(&key, all, (size_t)fe->nelement, sizeof *all, by_number) : NULL;
        if (at) g->element[g->n++] = at->element;
      }
  }
}

/* the materials, and by the sections which element has which; one material is for all */
static void finish_materials(reader *r) {
  hk_fe *fe = r->fe;
  fe->material = hki_pool_alloc(r->pool, ((size_t)r->nmaterial + 1) * sizeof *fe->material);
  if (!fe->material) r->failed = true;
  for (int32_t i = 0; i < r->nmaterial && !r->failed; i++)
    fe->material[fe->nmaterial++] = r->material[i].is;
  for (int32_t i = 0; i < fe->nelement && fe->nmaterial == 1; i++) fe->element[i].material = 0;
  for (int32_t i = 0; i < r->nsection && !r->failed; i++) {
    const section *c = &r->section[i];
    int32_t m = 0, g = 0;
    while (m < r->nmaterial && strcasecmp(r->material[m].name, c->material) != 0) m++;
    r->line = c->line;
    if (m == r->nmaterial) fault(r, NULL, "there is no material '%s'", c->material);
    while (g < fe->ngroup && strcasecmp(fe->group[g].name, c->elements) != 0) g++;
    if (g == fe->ngroup) fault(r, NULL, "there is no set of elements '%s'", c->elements);
    for (int32_t k = 0; !r->failed && k < fe->group[g].n; k++)
      fe->element[fe->group[g].element[k]].material = m;
  }
}

hk_status hki_deck_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                         hk_fe *fe) {
  reader r = {.ctx = ctx, .pool = pool, .fe = fe, .file = file};
  const int32_t errors = hki_error_count(ctx);
  *fe = (hk_fe){.file = file};
  for (const char *s = text, *all = text + len; s < all && !r.failed;) {
    const char *next = memchr(s, '\n', (size_t)(all - s)), *end = next ? next : all;
    r.line++;
    const char *stop = end;
    while (stop > s && (unsigned char)stop[-1] <= ' ') stop--;
    if (stop > s && !(stop - s > 1 && s[0] == '*' && s[1] == '*')) {
      if (*s == '*')
        keyword(&r, s, stop);
      else
        data(&r, s, stop);
    }
    s = next ? next + 1 : all;
  }
  if (!r.failed) finish_nodes(&r);
  if (!r.failed) finish_sets(&r);
  if (!r.failed) finish_elements(&r);
  if (!r.failed) finish_groups(&r);
  if (!r.failed) finish_materials(&r);
  hki_free(ctx, r.node);
  hki_free(ctx, r.set);
  hki_free(ctx, r.member);
  hki_free(ctx, r.corner);
  hki_free(ctx, r.element);
  hki_free(ctx, r.material);
  hki_free(ctx, r.section);
  if (!r.failed) return HK_OK;
  return hki_error_count(ctx) > errors ? HK_E_FILE : HK_E_MEMORY;
}
