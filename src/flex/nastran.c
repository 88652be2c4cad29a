/* SPDX-License-Identifier: Apache-2.0
 *
 * nastran.c: cards of Nastran: grids, elements, a material, sets, and matrices given entry by entry (DMIG).
 *
 * A card is a name and fields: of 8 letters, eight a line; of 16, four a line, where the name ends in *; or in commas. Lines
 * that begin with a blank, + or * go on with the card before. $ begins a comment. Numbers are 1.5, 1.5E+3, 1.5D+3 or 1.5+3.
 *
 *   GRID  number  0  x  y  z  0                          SPOINT  number ..
 *   DMIG  name  0  form  ..                              form 6: symmetric, one triangle; 1: square, both
 *   DMIG  name  node  direction  -  (node  direction  value  -) ..      a column; direction 0: a scalar point
 *   CTETRA, CPENTA, CHEXA, CTRIA3, CQUAD4  number  property  node ..    MAT1  number  E  G  nu  density
 *   SET 5 = 1, 2, 4 THRU 9                               in the case control: a set of nodes with the name 5
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "flex/source.h"
#include "formats/csv_table.h"

enum { WORD = 24, MOST_NODES = 20, LINE_FIELDS = 8 };

typedef struct field {
  const char *s;
  int32_t n;
} field;

typedef struct found_node {
  int32_t label, line;
  bool scalar;
  double x[3];
} found_node;

typedef struct found_entry {
  int32_t line, node[2], comp[2]; /* labels, 1 to 6; 0: scalar */
  double value;
} found_entry;

typedef struct matrix {
  char name[WORD];
  bool square;
  int32_t n, cap;
  found_entry *entry;
} matrix;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_fe *fe;
  const char *want[2]; /* names of stiffness and mass; NULL: the first that begins with K, M */
  matrix matrix[2];
  int32_t file, line, card_line;
  int32_t materials;
  char card[WORD];
  field *f; /* of the present card */
  int32_t nf, f_cap;
  found_node *node;
  int32_t nnode, node_cap;
  hk_fe_element *element;
  int32_t nelement, element_cap;
  int32_t *corner; /* labels */
  int32_t ncorner, corner_cap;
  bool failed;
} reader;

static void fault(reader *r, const char *hint, const char *text, const char *what) {
  if (!r->failed)
    hki_error(r->ctx, HK_E_FILE, (hk_loc){r->file, r->card_line, 1}, hint, text, what);
  r->failed = true;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool blank(const reader *r, int32_t i) { return i >= r->nf || r->f[i].n == 0; }

/* a number as Nastran writes it; blank: `none` */
static double real(reader *r, int32_t i, double none) {
  char word[2 * WORD];
  int32_t n = 0;
  double x = none;
  if (blank(r, i)) return none;
  for (int32_t k = 0; k < r->f[i].n && n < WORD; k++) {
    const char c = r->f[i].s[k];
    if (c == ' ') continue;
    const bool sign = (c == '+' || c == '-') && n > 0 && toupper((unsigned char)word[n - 1]) != 'E';
    if (sign) word[n++] = 'e';
    word[n++] = c == 'D' || c == 'd' ? 'e' : c;
  }
  word[n] = 0;
  if (hki_decimal(word, n, &x)) return x;
  snprintf(word, sizeof word, "%.*s", (int)(r->f[i].n < WORD ? r->f[i].n : WORD), r->f[i].s);
  fault(r, NULL, "'%s' is not a number", word);
  return none;
}

static int32_t whole(reader *r, int32_t i, int32_t low, int32_t top, int32_t none) {
  const double x = real(r, i, none);
  if (x == none || (x >= low && x <= top && x == floor(x))) return (int32_t)x;
  fault(r, NULL, "a whole number in its range is expected in card %s", r->card);
  return none;
}

static int32_t label_at(reader *r, int32_t i) {
  const int32_t n = whole(r, i, 1, 999999999, 0);
  if (!n) fault(r, NULL, "the number of a node or element is missing in card %s", r->card);
  return n;
}

/* --- cards ------------------------------------------------------------------------------------ */

static void add_node(reader *r, int32_t label, bool scalar) {
  if (r->failed || !HK_GROW(r->ctx, r->node, r->node_cap, r->nnode + 1)) {
    r->failed = true;
    return;
  }
  found_node *n = &r->node[r->nnode++];
  *n = (found_node){label, r->card_line, scalar, {0}};
  for (int k = 0; k < 3 && !scalar; k++) n->x[k] = real(r, 2 + k, 0.0);
}

static void card_grid(reader *r) {
  if (whole(r, 1, 0, 999999999, 0) || whole(r, 5, 0, 999999999, 0))
    fault(r, "give places and displacements in the basic system",
          "a grid has a coordinate system of its own%s", "");
  add_node(r, label_at(r, 0), false);
}

static void card_spoint(reader *r) {
  enum { MOST_POINTS = 1000000 };
  const bool range = !blank(r, 1) && r->f[1].n == 4 && strncasecmp(r->f[1].s, "THRU", 4) == 0;
  if (range) {
    const int32_t from = label_at(r, 0), to = label_at(r, 2);
    if (to - from > MOST_POINTS) fault(r, NULL, "there are too many scalar points%s", "");
    for (int32_t i = from; i <= to && !r->failed; i++) add_node(r, i, true);
    return;
  }
  for (int32_t i = 0; i < r->nf && !r->failed; i++)
    if (!blank(r, i)) add_node(r, label_at(r, i), true);
}

/* the matrix of this name, where it is wanted */
static matrix *find_matrix(reader *r) {
  char name[WORD];
  if (blank(r, 0)) return NULL;
  snprintf(name, sizeof name, "%.*s", (int)r->f[0].n, r->f[0].s);
  for (int i = 0; i < 2; i++) {
    matrix *m = &r->matrix[i];
    const bool fits = m->name[0]   ? strcasecmp(name, m->name) == 0
                      : r->want[i] ? strcasecmp(name, r->want[i]) == 0
                                   : toupper((unsigned char)name[0]) == (i ? 'M' : 'K');
    if (!fits) continue;
    memcpy(m->name, name, sizeof name);
    return m;
  }
  return NULL;
}

static void card_dmig(reader *r) {
  matrix *m = find_matrix(r);
  if (!m) return;
  found_entry e = {.line = r->card_line};
  e.node[1] = whole(r, 1, 0, 999999999, 0);
  if (!e.node[1]) { // the head of the matrix
    const int32_t form = whole(r, 2, 0, 99, 0);
    if (form != 6 && form != 1)
      fault(r, "form 6, or 1 with both triangles", "matrix %s is not square", m->name);
    if (whole(r, 3, 0, 99, 1) > 2) fault(r, NULL, "matrix %s is complex", m->name);
    m->square = form == 1;
    return;
  }
  e.comp[1] = whole(r, 2, 0, 6, 0);
  for (int32_t i = 4; i < r->nf && !r->failed; i += 4) {
    if (blank(r, i)) continue;
    e.node[0] = label_at(r, i), e.comp[0] = whole(r, i + 1, 0, 6, 0);
    e.value = real(r, i + 2, 0.0);
    if (!HK_GROW(r->ctx, m->entry, m->cap, m->n + 1))
      r->failed = true;
    else
      m->entry[m->n++] = e;
  }
}

static void card_element(reader *r) {
  static const struct {
    const char *card;
    const char *first, *second; /* with corners alone, and with middles of edges */
    int8_t order[MOST_NODES];   /* which of Nastran's nodes is the first, .. */
  } known[] = {
      {"CTETRA", "C3D4", "C3D10", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
      {"CPENTA", "C3D6", "C3D15", {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11}},
      {"CHEXA", "C3D8", "C3D20", {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                  10, 11, 16, 17, 18, 19, 12, 13, 14, 15}},
      {"CTRIA3", "S3", NULL, {0, 1, 2}},
      {"CQUAD4", "S4", NULL, {0, 1, 2, 3}},
  };
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++) {
    if (strcmp(r->card, known[i].card) != 0) continue;
    const hk_fe_type *t = hki_fe_type_named(known[i].first);
    if (known[i].second && !blank(r, 2 + t->nodes)) t = hki_fe_type_named(known[i].second);
    const hk_fe_element e = {label_at(r, 0), r->card_line, t, r->ncorner, -1};
    if (!HK_GROW(r->ctx, r->element, r->element_cap, r->nelement + 1) ||
        !HK_GROW(r->ctx, r->corner, r->corner_cap, r->ncorner + t->nodes)) {
      r->failed = true;
      return;
    }
    for (int32_t k = 0; k < t->nodes && !r->failed; k++)
      r->corner[r->ncorner++] = label_at(r, 2 + known[i].order[k]);
    r->element[r->nelement++] = e;
  }
}

static void card_material(reader *r) {
  hk_fe_material *m = hki_pool_alloc(r->pool, sizeof *m);
  if (!m) {
    r->failed = true;
    return;
  }
  // which element has which of several is not read
  r->fe->material = m, r->fe->nmaterial = r->materials++ == 0;
  m->young = real(r, 1, 0.0), m->density = real(r, 4, 0.0);
  const double G = real(r, 2, 0.0);
  m->poisson = real(r, 3, G > 0.0 ? m->young / (2.0 * G) - 1.0 : 0.0);
}

static void end_card(reader *r) {
  if (r->failed || !r->card[0]) return;
  if (strcmp(r->card, "GRID") == 0)
    card_grid(r);
  else if (strcmp(r->card, "SPOINT") == 0)
    card_spoint(r);
  else if (strcmp(r->card, "DMIG") == 0)
    card_dmig(r);
  else if (strcmp(r->card, "MAT1") == 0)
    card_material(r);
  else if (strcmp(r->card, "INCLUDE") == 0)
    fault(r, "put everything into one file", "%s is not read", r->card);
  else
    card_element(r);
  r->card[0] = 0, r->nf = 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void add_field(reader *r, const char *s, const char *end) {
  while (s < end && *s == ' ') s++;
  while (end > s && end[-1] == ' ') end--;
  if (r->failed || !HK_GROW(r->ctx, r->f, r->f_cap, r->nf + 1))
    r->failed = true;
  else
    r->f[r->nf++] = (field){s, (int32_t)(end - s)};
}

/* fields of a line behind its first, filled up to whole lines */
static void add_fields(reader *r, const char *s, const char *end, bool commas, bool large) {
  const int32_t count = large ? LINE_FIELDS / 2 : LINE_FIELDS, width = large ? 16 : 8;
  const char *at = commas ? memchr(s, ',', (size_t)(end - s)) : s + 8;
  if (commas && at) at++;
  for (int32_t i = 0; i < count && !r->failed; i++) {
    if (!at || at > end) at = end;
    const char *stop = commas ? memchr(at, ',', (size_t)(end - at)) : at + width;
    if (!stop || stop > end) stop = end;
    add_field(r, at, stop);
    at = stop + commas;
  }
}

static void line_of(reader *r, const char *s, const char *end) {
  const bool more = *s == ' ' || *s == '+' || *s == '*' || *s == ',';
  const bool commas = memchr(s, ',', (size_t)(end - s)) != NULL;
  const char *head = commas ? memchr(s, ',', (size_t)(end - s)) : s + (end - s < 8 ? end - s : 8);
  const bool large = memchr(s, '*', (size_t)(head - s)) != NULL;
  if (!more) {
    end_card(r);
    r->card_line = r->line;
    int32_t n = 0;
    for (const char *c = s; c < head && n < 8 && *c > ' ' && *c != '*'; c++)
      r->card[n++] = (char)toupper((unsigned char)*c);
    r->card[n] = 0;
  }
  if (r->card[0]) add_fields(r, s, end, commas, large);
}

/* --- what was found --------------------------------------------------------------------------- */

static int by_label(const void *a, const void *b) {
  const int32_t x = ((const found_node *)a)->label, y = ((const found_node *)b)->label;
  return (x > y) - (x < y);
}

static int32_t known(reader *r, int32_t label, int32_t line) {
  const int32_t i = hki_fe_find(r->fe, label);
  char text[16];
  snprintf(text, sizeof text, "%d", (int)label);
  r->card_line = line;
  if (i < 0) fault(r, NULL, "there is no grid %s", text);
  return i;
}

static void finish_nodes(reader *r) {
  hk_fe *fe = r->fe;
  fe->nnode = r->nnode;
  fe->x = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * 3 * sizeof *fe->x);
  fe->label = hki_pool_alloc(r->pool, ((size_t)r->nnode + 1) * sizeof *fe->label);
  if (!fe->x || !fe->label) r->failed = true;
  if (!r->nnode)
    fault(r, "punch files have the matrices alone: put the GRID cards before them",
          "the file has no grids%s", "");
  if (r->failed) return;
  qsort(r->node, (size_t)r->nnode, sizeof *r->node, by_label);
  for (int32_t i = 0; i < r->nnode && !r->failed; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", (int)r->node[i].label);
    r->card_line = r->node[i].line;
    if (i && r->node[i].label == r->node[i - 1].label) fault(r, NULL, "grid %s stands twice", text);
    fe->label[i] = r->node[i].label;
    memcpy(fe->x + 3 * (ptrdiff_t)i, r->node[i].x, sizeof r->node[i].x);
  }
}

static void finish_elements(reader *r) {
  hk_fe *fe = r->fe;
  fe->element = hki_pool_alloc(r->pool, ((size_t)r->nelement + 1) * sizeof *fe->element);
  fe->corner = hki_pool_alloc(r->pool, ((size_t)r->ncorner + 1) * sizeof *fe->corner);
  if (!fe->element || !fe->corner) r->failed = true;
  for (int32_t i = 0; i < r->nelement && !r->failed; i++) {
    fe->element[i] = r->element[i];
    fe->element[i].material = fe->nmaterial - 1;
    for (int32_t k = 0; k < r->element[i].type->nodes; k++)
      fe->corner[r->element[i].at + k] =
          known(r, r->corner[r->element[i].at + k], r->element[i].line);
    fe->nelement = i + 1;
  }
  if (!r->failed && hki_fe_skin(r->ctx, r->pool, fe) != HK_OK) r->failed = true;
}

/* unknowns that the stiffness names: at[7 node + direction], -1: none */
static void number_unknowns(reader *r, int32_t *at) {
  hk_fe *fe = r->fe;
  const matrix *K = &r->matrix[0];
  const ptrdiff_t n = 7 * (ptrdiff_t)fe->nnode;
  for (ptrdiff_t i = 0; i < n; i++) at[i] = -1;
  for (int32_t k = 0; k < K->n && !r->failed; k++)
    for (int s = 0; s < 2 && !r->failed; s++) {
      const int32_t node = known(r, K->entry[k].node[s], K->entry[k].line);
      if (node >= 0) at[7 * (ptrdiff_t)node + K->entry[k].comp[s]] = 0;
    }
  for (ptrdiff_t i = 0; i < n; i++)
    if (at[i] == 0) at[i] = fe->ndof++;
  fe->node = hki_pool_alloc(r->pool, ((size_t)fe->ndof + 1) * sizeof *fe->node);
  fe->comp = hki_pool_alloc(r->pool, (size_t)fe->ndof + 1);
  if (!fe->node || !fe->comp) r->failed = true;
  for (ptrdiff_t i = 0; i < n && !r->failed; i++)
    if (at[i] >= 0) {
      fe->node[at[i]] = (int32_t)(i / 7);
      fe->comp[at[i]] = (uint8_t)(i % 7 ? i % 7 - 1 : 6);
    }
}

static void finish_matrix(reader *r, const int32_t *at, const matrix *m, hk_sym *out) {
  hk_entries low = {.ctx = r->ctx}, up = {.ctx = r->ctx};
  for (int32_t k = 0; k < m->n && !r->failed; k++) {
    const found_entry *e = &m->entry[k];
    int32_t u[2] = {-1, -1};
    for (int s = 0; s < 2 && !r->failed; s++) {
      const int32_t node = known(r, e->node[s], e->line);
      if (node >= 0) u[s] = at[7 * (ptrdiff_t)node + e->comp[s]];
    }
    r->card_line = e->line;
    if (u[0] < 0 || u[1] < 0)
      fault(r, NULL, "matrix %s has an unknown that the stiffness has not", m->name);
    else
      hki_entries_add(m->square && u[0] < u[1] ? &up : &low, u[0], u[1], e->value);
  }
  r->card_line = 1;
  if (!r->failed && hki_sym_halves(r->ctx, (hk_loc){r->file, m->entry[0].line, 1}, r->pool, r->fe,
                                   &low, &up, out) != HK_OK)
    r->failed = true;
  hki_entries_free(&low);
  hki_entries_free(&up);
}

static void finish_matrices(reader *r) {
  for (int i = 0; i < 2 && !r->failed; i++)
    if (!r->matrix[i].n)
      fault(r, "DMIG cards KAAX and MAAX, or name them with --stiffness and --mass",
            "the file has no %s matrix", i ? "mass" : "stiffness");
  int32_t *at = hki_pool_alloc(r->pool, 7 * ((size_t)r->fe->nnode + 1) * sizeof *at);
  if (!at) r->failed = true;
  if (!r->failed) number_unknowns(r, at);
  if (!r->failed) finish_matrix(r, at, &r->matrix[0], &r->fe->K);
  if (!r->failed) finish_matrix(r, at, &r->matrix[1], &r->fe->M);
}

/* --- sets: SET 5 = 1, 2, 4 THRU 9, going on behind a comma at the end of the line ------------------------ */

/* members from s, which ends in NUL; indices in node[] */
static int32_t members(const reader *r, const char *s, int32_t *node) {
  const hk_fe *fe = r->fe;
  int32_t n = 0;
  for (;;) {
    char *end;
    s += strspn(s, " ,\t\r\n");
    const long from = strtol(s, &end, 10);
    if (end == s) return n;
    s = end + strspn(end, " ");
    long to = from;
    if (strncasecmp(s, "THRU", 4) == 0) to = strtol(s + 4, &end, 10), s = end;
    for (int32_t i = 0; i < fe->nnode && n < fe->nnode; i++)
      if (fe->label[i] >= from && fe->label[i] <= to) node[n++] = i;
    // the list ends where no comma stands behind it
    s += strspn(s, " \t");
    if (*s != ',') return n;
  }
}

static void finish_sets(reader *r, const char *text, size_t len) {
  hk_fe *fe = r->fe;
  int32_t cap = 0;
  fe->set = NULL;
  hk_fe_set *set = NULL;
  for (const char *s = text, *all = text + len; s < all && !r->failed;) {
    const char *next = memchr(s, '\n', (size_t)(all - s));
    char *end;
    if (all - s > 5 && strncasecmp(s, "SET ", 4) == 0) {
      const long number = strtol(s + 4, &end, 10);
      end += strspn(end, " ");
      int32_t *node = hki_pool_alloc(r->pool, ((size_t)fe->nnode + 1) * sizeof *node);
      if (!node || !HK_GROW(r->ctx, set, cap, fe->nset + 1)) r->failed = true;
      if (!r->failed && *end == '=') {
        const int32_t n = members(r, end + 1, node);
        set[fe->nset++] = (hk_fe_set){hki_pool_printf(r->pool, "%ld", number), n, node};
        r->failed = !set[fe->nset - 1].name;
      }
    }
    s = next ? next + 1 : all;
  }
  fe->set = hki_pool_alloc(r->pool, ((size_t)fe->nset + 1) * sizeof *fe->set);
  if (!fe->set) r->failed = true;
  if (!r->failed && fe->nset) memcpy(fe->set, set, (size_t)fe->nset * sizeof *set);
  hki_free(r->ctx, set);
}

hk_status hki_nastran_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                            const char *stiffness, const char *mass, hk_fe *fe) {
  *fe = (hk_fe){.file = file};
  reader r = {.ctx = ctx, .pool = pool, .fe = fe, .want = {stiffness, mass}, .file = file};
  const int32_t errors = hki_error_count(ctx);
  for (const char *s = text, *all = text + len; s < all && !r.failed;) {
    const char *next = memchr(s, '\n', (size_t)(all - s)), *end = next ? next : all;
    const char *dollar = memchr(s, '$', (size_t)(end - s)), *stop = dollar ? dollar : end;
    r.line++;
    while (stop > s && (unsigned char)stop[-1] <= ' ') stop--;
    if (memchr(s, '\t', (size_t)(stop - s))) {
      r.card_line = r.line;
      fault(&r, "fields have fixed places, or stand in commas", "the line has tabs%s", "");
    }
    if (stop > s && !r.failed) line_of(&r, s, stop);
    s = next ? next + 1 : all;
  }
  end_card(&r);
  if (!r.failed) finish_nodes(&r);
  if (!r.failed) finish_elements(&r);
  if (!r.failed) finish_matrices(&r);
  if (!r.failed) finish_sets(&r, text, len);
  hki_free(ctx, r.f);
  hki_free(ctx, r.node);
  hki_free(ctx, r.element);
  hki_free(ctx, r.corner);
  for (int i = 0; i < 2; i++) hki_free(ctx, r.matrix[i].entry);
  if (!r.failed) return HK_OK;
  return hki_error_count(ctx) > errors ? HK_E_FILE : hki_no_memory(ctx);
}
