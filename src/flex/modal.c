/* SPDX-License-Identifier: Apache-2.0
 *
 * modal.c: bodies that another program has reduced already, as MBDyn reads them: groups of numbers behind lines
 * `** RECORD GROUP n`; other lines that begin with ** are comments.
 *
 *    1  revision, nodes, normal, attachment, constraint and rejected modes     2  numbers of the nodes
 *    3, 4  modal coordinates and rates at the start (not used)                 5, 6, 7  places x, y, z
 *    8  shapes: of each mode three translations and three rotations a node     9  modal mass
 *   10  modal stiffness      11  lumped masses, six a node      12  mass, centre, inertia (the mass is compared)
 *
 * Inertia comes from the lumped masses. The rigid motion that a shape may have is taken out of it: the floating frame has it.
 *
 * Source: P. Masarati, MBDyn input manual, appendix on the modal element's data file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flex/source.h"
#include "formats/csv_table.h"

enum { GROUPS = 16, WORD = 64, MOST = 100000000 };

typedef struct group {
  int32_t line, n, cap;
  double *x;
} group;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_fe *fe;
  int32_t file, line, in; /* the present group, 0: none */
  group g[GROUPS];
  int32_t nodes, modes, normal;
  bool failed;
} reader;

static void fault(reader *r, int32_t line, const char *hint, const char *text, const char *what) {
  if (!r->failed) hki_error(r->ctx, HK_E_FILE, (hk_loc){r->file, line, 1}, hint, text, what);
  r->failed = true;
}

static void word(reader *r, const char *s, int32_t n) {
  group *g = &r->g[r->in];
  double x;
  char text[WORD], *d;
  snprintf(text, sizeof text, "%.*s", (int)n, s);
  // the first word of the head is the revision
  if (r->in == 1 && g->n == 0 && !HK_GROW(r->ctx, g->x, g->cap, 1)) r->failed = true;
  if (r->failed) return;
  if (r->in == 1 && g->n == 0) {
    g->x[g->n++] = 0.0;
    return;
  }
  for (d = text; *d; d++)
    if (*d == 'D' || *d == 'd') *d = 'e';
  if (n >= WORD || !hki_decimal(text, n, &x))
    fault(r, r->line, NULL, "'%s' is not a number", text);
  else if (!HK_GROW(r->ctx, g->x, g->cap, g->n + 1))
    r->failed = true;
  else
    g->x[g->n++] = x;
}

static void lines(reader *r, const char *s, const char *all) {
  while (s < all && !r->failed) {
    const char *next = memchr(s, '\n', (size_t)(all - s)), *end = next ? next : all;
    r->line++;
    if (end - s >= 2 && s[0] == '*' && s[1] == '*') {
      static const char head[] = "RECORD GROUP";
      const char *c = s + 2 + strspn(s + 2, " ");
      if (end - c > (ptrdiff_t)sizeof head && strncmp(c, head, sizeof head - 1) == 0) {
        const long n = strtol(c + sizeof head - 1, NULL, 10);
        r->in = n >= 1 && n < GROUPS ? (int32_t)n : 0;
        if (r->in && !r->g[r->in].line) r->g[r->in].line = r->line;
      }
    } else if (r->in) {
      while (s < end && !r->failed) {
        while (s < end && (unsigned char)*s <= ' ') s++;
        const char *w = s;
        while (s < end && (unsigned char)*s > ' ') s++;
        if (s > w) word(r, w, (int32_t)(s - w < WORD ? s - w : WORD));
      }
    }
    s = next ? next + 1 : all;
  }
}

/* a group must have this many numbers */
static bool count(reader *r, int32_t i, int64_t n, bool needed) {
  const group *g = &r->g[i];
  char text[120];
  if (r->failed || (!needed && !g->n)) return false;
  if (g->n == n) return true;
  snprintf(text, sizeof text, "%d has %d numbers, but must have %lld", (int)i, (int)g->n,
           (long long)n);
  fault(r, g->line ? g->line : 1, NULL, "record group %s", text);
  return false;
}

static void read_head(reader *r) {
  static const char hint[] = "a file of MBDyn begins with ** RECORD GROUP 1";
  const group *g = &r->g[1];
  if (g->n < 5) fault(r, g->line ? g->line : 1, hint, "there is no head%s", "");
  for (int i = 1; i < 5 && !r->failed; i++)
    if (!(g->x[i] >= 0 && g->x[i] < 1e6) || g->x[i] != floor(g->x[i]))
      fault(r, g->line, hint, "the head has a count that is none%s", "");
  if (r->failed) return;
  r->nodes = (int32_t)g->x[1];
  r->normal = (int32_t)g->x[2], r->modes = (int32_t)(g->x[2] + g->x[3] + g->x[4]);
  if (r->nodes < 1 || r->modes < 1 || (int64_t)r->nodes * r->modes > MOST)
    fault(r, g->line, NULL, "the body has no nodes or no modes, or too many%s", "");
}

typedef struct numbered {
  int32_t label, at;
} numbered;

static int by_label(const void *a, const void *b) {
  const int32_t x = ((const numbered *)a)->label, y = ((const numbered *)b)->label;
  return (x > y) - (x < y);
}

/* order of the nodes by their numbers; at: where each stands in the file */
static void finish_nodes(reader *r, numbered *order) {
  hk_fe *fe = r->fe;
  fe->nnode = r->nodes, fe->ndof = 6 * r->nodes;
  fe->x = hki_pool_alloc(r->pool, (size_t)r->nodes * 3 * sizeof *fe->x);
  fe->label = hki_pool_alloc(r->pool, (size_t)r->nodes * sizeof *fe->label);
  fe->node = hki_pool_alloc(r->pool, (size_t)fe->ndof * sizeof *fe->node);
  fe->comp = hki_pool_alloc(r->pool, (size_t)fe->ndof);
  if (!order || !fe->x || !fe->label || !fe->node || !fe->comp) r->failed = true;
  for (int32_t i = 0; i < r->nodes && !r->failed; i++) {
    const double label = r->g[2].x[i];
    if (!(label >= 0 && label <= 999999999) || label != floor(label))
      fault(r, r->g[2].line, NULL, "the number of a node must be whole%s", "");
    else
      order[i] = (numbered){(int32_t)label, i};
  }
  if (r->failed) return;
  qsort(order, (size_t)r->nodes, sizeof *order, by_label);
  for (int32_t i = 0; i < r->nodes; i++) {
    char text[16];
    snprintf(text, sizeof text, "%d", (int)order[i].label);
    if (i && order[i].label == order[i - 1].label)
      fault(r, r->g[2].line, NULL, "node %s stands twice", text);
    fe->label[i] = order[i].label;
    for (int k = 0; k < 3; k++) fe->x[3 * (ptrdiff_t)i + k] = r->g[5 + k].x[order[i].at];
    for (int k = 0; k < 6; k++) {
      fe->node[6 * (ptrdiff_t)i + k] = i;
      fe->comp[6 * (ptrdiff_t)i + k] = (uint8_t)k;
    }
  }
}

static void finish_masses(reader *r, const numbered *order) {
  hk_entries M = {.ctx = r->ctx};
  double sum = 0.0;
  for (int32_t i = 0; i < r->nodes; i++)
    for (int k = 0; k < 6; k++) {
      const double m = r->g[11].x[6 * (ptrdiff_t)order[i].at + k];
      char text[16];
      snprintf(text, sizeof text, "%d", (int)order[i].label);
      if (m < 0.0) fault(r, r->g[11].line, NULL, "node %s has a negative mass", text);
      hki_entries_add(&M, 6 * i + k, 6 * i + k, m);
      if (k == 0) sum += m;
    }
  if (!r->failed && hki_sym_build(r->pool, &M, r->fe->ndof, &r->fe->M) != HK_OK) r->failed = true;
  hki_entries_free(&M);
  const group *g = &r->g[12];
  if (!r->failed && g->n && fabs(g->x[0] - sum) > 1e-3 * fabs(sum))
    hki_warn(r->ctx, (hk_loc){r->file, g->line, 1}, NULL,
             "record group 12 has a mass of %.6g kg, the lumped masses %.6g kg, which are used",
             g->x[0], sum);
}

/* modal matrix of a group, symmetric */
static double *modal_matrix(reader *r, int32_t i) {
  const ptrdiff_t n = r->modes;
  double *A = hki_pool_alloc(r->pool, (size_t)(n * n) * sizeof *A), top = 0.0;
  if (!A) r->failed = true;
  if (r->failed) return NULL;
  for (ptrdiff_t k = 0; k < n * n; k++) A[k] = r->g[i].x[k];
  for (ptrdiff_t a = 0; a < n; a++) top = fmax(top, fabs(A[(n + 1) * a]));
  for (ptrdiff_t a = 0; a < n; a++)
    for (ptrdiff_t b = 0; b < a; b++) {
      char text[80];
      snprintf(text, sizeof text, "%d is not symmetric: modes %d and %d", (int)i, (int)a + 1,
               (int)b + 1);
      if (fabs(A[n * a + b] - A[n * b + a]) > 1e-6 * top)
        fault(r, r->g[i].line, NULL, "record group %s", text);
      A[n * a + b] = A[n * b + a] = 0.5 * (A[n * a + b] + A[n * b + a]);
    }
  return A;
}

static void finish(reader *r) {
  const int64_t n = r->nodes, m = r->modes;
  hk_fe *fe = r->fe;
  bool good = count(r, 2, n, true);
  for (int i = 5; i < 8; i++) good = count(r, i, n, true) && good;
  good = count(r, 8, 6 * n * m, true) && count(r, 10, m * m, true) && good;
  good = good && count(r, 11, 6 * n, true);
  if (!good) return;
  numbered *order = hki_alloc(r->ctx, (size_t)n * sizeof *order);
  finish_nodes(r, order);
  if (!r->failed) finish_masses(r, order);
  fe->nshape = r->modes, fe->nnormal = r->normal;
  fe->shape = hki_pool_alloc(r->pool, (size_t)(6 * n * m) * sizeof *fe->shape);
  if (!fe->shape) r->failed = true;
  for (int64_t j = 0; j < m && !r->failed; j++)
    for (int64_t i = 0; i < n; i++)
      for (int k = 0; k < 6; k++)
        fe->shape[6 * (n * j + i) + k] = r->g[8].x[6 * (n * j + order[i].at) + k];
  if (!r->failed) fe->shape_K = modal_matrix(r, 10);
  if (count(r, 9, m * m, false)) fe->shape_M = modal_matrix(r, 9);
  hki_free(r->ctx, order);
}

hk_status hki_modal_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                          hk_fe *fe) {
  *fe = (hk_fe){.file = file};
  reader r = {.ctx = ctx, .pool = pool, .fe = fe, .file = file};
  const int32_t errors = hki_error_count(ctx);
  lines(&r, text, text + len);
  if (!r.failed) read_head(&r);
  if (!r.failed) finish(&r);
  for (int i = 0; i < GROUPS; i++) hki_free(ctx, r.g[i].x);
  if (!r.failed) return HK_OK;
  return hki_error_count(ctx) > errors ? HK_E_FILE : hki_no_memory(ctx);
}
