/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_lean.c: T of the assembly for deep trees; equations in assembly_lean.h.
 */
#include "analyses/assembly_lean.h"
#include "machines/tree/deep.h"

/* a path with more coordinates is long: n^2/2 entries of T cost more than n of a row and its unknown */
enum { LONG = 24 };

/* what a row that is off counts as: 1/w */
static const double off = 1e300;

/* rows on one path in the sparse matrix */
typedef struct path_rows {
  const hk_path *path;
  int32_t n;       /* rows */
  int32_t unknown; /* of the first row; HK_NONE: in T itself */
  int32_t slot0;   /* triangle over the path, or its entries and the diagonal of each row */
} path_rows;

struct hk_lean {
  assembler *A;
  hk_tree *s;
  bool sparse; /* the last factor is that of the sparse matrix */
  /* fronts */
  hk_front front;
  hk_aba aba;
  double *E;    /* diagonal blocks, laid out as those of aba.h */
  int32_t *at;  /* nv: a coordinate's place in E */
  double *gz;   /* rows of closures and behind them the named ones */
  int32_t *gz0; /* A->n: first entry of a named row */
  /* sparse matrix of relative rates */
  hk_ldl *ldl;
  hk_ldl_num num;
  int32_t nset, unknowns; /* closures, named rates, rates of joints */
  path_rows *set;
  int32_t *slot, *slot_diag;
  double *x; /* right sides and solutions with the unknowns of long rows */
  unsigned char *block, *ldl_block;
};

/* --- choice and cost -------------------------------------------------------------------------- */

static hk_status list_paths(hk_pool *pool, const hk_named *rows, int32_t n, hk_front_more *more) {
  hk_path *path = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *path);
  if (!path) return HK_E_MEMORY;
  for (int32_t i = 0; i < n; i++) path[i] = rows[i].path;
  *more = (hk_front_more){n, path};
  return HK_OK;
}

/* Impacts, sticking and releases in a run solve with the matrix of the tree that holds the start. It must be there before the first
 * step. */
static bool run_has_matrix(const hk_model *m) {
  bool releases = false;
  for (int32_t e = 0; e < m->spec->nevents; e++)
    releases |= m->spec->events[e].action == HK_EVENT_RELEASE;
  return releases || m->nstops || m->nsticks;
}

hk_status hki_lean_suits(hk_ctx *ctx, const hk_model *m, const hk_named *rows, int32_t n,
                         bool *suits) {
  hk_front_more more;
  hk_pool *pool = hki_pool_create(ctx);
  *suits = false;
  if (!pool) return HK_E_MEMORY;
  hk_status st = list_paths(pool, rows, n, &more);
  if (st == HK_OK && !run_has_matrix(m)) st = hki_deep_suits_start(ctx, m, &more, suits);
  hki_pool_destroy(pool);
  return st;
}

hk_status hki_lean_bytes(hk_ctx *ctx, const hk_model *m, double *bytes) {
  const hk_front_more none = {0, NULL};
  hk_front f;
  hk_aba aba;
  hk_arena a = {0};
  bool found;
  const hk_status st = hki_front_count_more(ctx, m, INFINITY, &none, &f, &found);
  if (st != HK_OK) return st;
  hki_aba_layout(&aba, m, &a);
  // the sparse matrix has about the entries of the fronts
  *bytes = (double)a.used + 2.0 * hki_front_bytes(&f);
  return HK_OK;
}

/* --- fronts ----------------------------------------------------------------------------------- */

static void layout(hk_lean *l, hk_arena *a) {
  const hk_model *m = l->s->m;
  hki_aba_layout(&l->aba, m, a);
  hki_front_layout(&l->front, a);
  l->E = HK_TAKE(a, double, hki_aba_blocks(m));
  l->gz = HK_TAKE(a, double, l->gz0[l->A->n]);
}

static hk_status create_fronts(hk_lean *l) {
  const assembler *A = l->A;
  const hk_tree *s = l->s;
  const hk_model *m = s->m;
  hk_front_more more;
  hk_arena a = {0};
  hk_status st = list_paths(A->pool, A->rows, A->n, &more);
  l->gz0 = hki_pool_alloc(A->pool, ((size_t)A->n + 1) * sizeof *l->gz0);
  l->at = hki_pool_alloc(A->pool, ((size_t)m->nv + 1) * sizeof *l->at);
  if (!l->gz0 || !l->at) return HK_E_MEMORY;
  l->gz0[0] = s->kin.gz0[m->nc];
  for (int32_t n = 0; n < A->n; n++) l->gz0[n + 1] = l->gz0[n] + A->rows[n].path.n;
  if (st == HK_OK) st = hki_front_create(s->ctx, m, s->kin.gz0, &more, &l->front);
  if (st != HK_OK) return st;
  layout(l, &a);
  l->block = hki_alloc(s->ctx, a.used + 64);
  if (!l->block) return HK_E_MEMORY;
  a = (hk_arena){l->block + (64 - (uintptr_t)l->block % 64) % 64, 0, a.used};
  layout(l, &a);
  hki_aba_init(&l->aba, s);
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t j = 0, n = m->bodies[b].nv; j < n; j++)
      l->at[m->bodies[b].v0 + j] = l->aba.d0[b] + j * (n + 1);
  return HK_OK;
}

void hki_lean_mass(hk_lean *l) {
  l->sparse = false;
  memset(l->E, 0, (size_t)hki_aba_blocks(l->s->m) * sizeof *l->E);
  hki_tree_mass_diagonal(l->s);
}

static hk_status factor_fronts(hk_lean *l, bool rate) {
  const assembler *A = l->A;
  hk_tree *s = l->s;
  const hk_model *m = s->m;
  hk_front *f = &l->front;
  memcpy(l->gz, s->kin.gz, (size_t)s->kin.gz0[m->nc] * sizeof *l->gz);
  for (int32_t r = 0; r < m->nrows; r++) f->weight[r] = s->alpha[r] > 0.0 ? 1.0 / s->alpha[r] : off;
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    const bool on = hki_named_used(r, rate) && r->alpha > 0.0;
    f->on[m->nrows + n] = on;
    f->weight[m->nrows + n] = on ? 1.0 / r->alpha : 1.0;
    f->least[m->nrows + n] = 0.0;
    memcpy(l->gz + l->gz0[n], r->g, (size_t)r->path.n * sizeof *r->g);
  }
  return hki_front_factor(f, s, &l->aba, l->gz, l->E);
}

/* --- the sparse matrix of relative rates ------------------------------------------------------ */

static void add_set(hk_lean *l, const hk_path *path, int32_t n, int32_t *slots) {
  const bool own = path->n > LONG;
  l->set[l->nset++] = (path_rows){path, n, own ? l->s->m->nv + l->unknowns : HK_NONE, *slots};
  if (own) l->unknowns += n;
  *slots += own ? n * (path->n + 1) : path->n * (path->n + 1) / 2;
}

/* the sets in the order in which add_rows takes them; returns the number of slots */
static int32_t list_sets(hk_lean *l) {
  const assembler *A = l->A;
  const hk_model *m = l->s->m;
  int32_t slots = 0;
  for (int32_t c = 0; c < m->nc; c++)
    add_set(l, &m->closures[c].path, m->closures[c].nrows, &slots);
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].rate) add_set(l, &A->rows[n].path, 1, &slots);
  for (int32_t n = 0; n < A->njoint; n++) add_set(l, &A->joint[n].path, 1, &slots);
  return slots;
}

static hk_status analyse(hk_lean *l) {
  hk_pattern p;
  hki_pattern_init(&p, l->s->ctx, l->s->m->nv + l->unknowns);
  for (int32_t i = 0; i < l->nset; i++) {
    const path_rows *x = &l->set[i];
    if (x->unknown == HK_NONE) hki_pattern_clique(&p, x->path->n, x->path->dof);
    for (int32_t r = 0; x->unknown != HK_NONE && r < x->n; r++) {
      const int32_t row = x->unknown + r;
      hki_pattern_rect(&p, 1, &row, x->path->n, x->path->dof);
      hki_pattern_rect(&p, x->path->n, x->path->dof, 1, &row);
    }
  }
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(l->s->ctx, &p, NULL, &l->ldl);
  hki_pattern_free(&p);
  return st;
}

static void find_slots(hk_lean *l) {
  for (int32_t k = 0; k < l->nset; k++) {
    const path_rows *x = &l->set[k];
    const int32_t *dof = x->path->dof, n = x->path->n;
    int32_t *to = l->slot + x->slot0;
    for (int32_t i = 0; x->unknown == HK_NONE && i < n; i++)
      for (int32_t j = 0; j <= i; j++) *to++ = hki_ldl_entry(l->ldl, dof[i], dof[j]);
    for (int32_t r = 0; x->unknown != HK_NONE && r < x->n; r++) {
      for (int32_t j = 0; j < n; j++) *to++ = hki_ldl_entry(l->ldl, x->unknown + r, dof[j]);
      *to++ = hki_ldl_entry(l->ldl, x->unknown + r, x->unknown + r);
    }
  }
  for (int32_t i = 0; i < l->s->m->nv; i++) l->slot_diag[i] = hki_ldl_entry(l->ldl, i, i);
}

static hk_status create_sparse(hk_lean *l) {
  const assembler *A = l->A;
  const hk_model *m = l->s->m;
  hk_pool *pool = A->pool;
  hk_arena a = {0};
  l->set = hki_pool_alloc(pool, (size_t)(m->nc + A->n + A->njoint + 1) * sizeof *l->set);
  if (!l->set) return HK_E_MEMORY;
  const int32_t slots = list_sets(l);
  l->slot = hki_pool_alloc(pool, ((size_t)slots + 1) * sizeof *l->slot);
  l->slot_diag = hki_pool_alloc(pool, ((size_t)m->nv + 1) * sizeof *l->slot_diag);
  l->x = hki_pool_alloc(pool, (size_t)(m->nv + l->unknowns + 1) * sizeof *l->x);
  hk_status st = l->slot && l->slot_diag && l->x ? analyse(l) : HK_E_MEMORY;
  if (st != HK_OK) return st;
  find_slots(l);
  hki_ldl_layout(l->ldl, &a, &l->num);
  l->ldl_block = hki_alloc(l->s->ctx, a.used + 64);
  if (!l->ldl_block) return HK_E_MEMORY;
  a = (hk_arena){l->ldl_block + (64 - (uintptr_t)l->ldl_block % 64) % 64, 0, a.used};
  hki_ldl_layout(l->ldl, &a, &l->num);
  return HK_OK;
}

void hki_lean_rates(hk_lean *l) {
  l->sparse = true;
  hki_ldl_zero(l->ldl, &l->num);
  for (int32_t i = 0; i < l->s->m->nv; i++) l->num.val[l->slot_diag[i]] = l->s->mass[i];
}

/* a row with gradient g and weight w, 0: off */
static void add_row(hk_lean *l, const path_rows *x, int32_t r, const double *g, double w) {
  double *val = l->num.val;
  const int32_t n = x->path->n, *slot = l->slot + x->slot0;
  if (x->unknown != HK_NONE) {
    slot += r * (n + 1);
    for (int32_t j = 0; w > 0.0 && j < n; j++) val[slot[j]] += g[j];
    val[slot[n]] -= w > 0.0 ? 1.0 / w : 1.0;
    return;
  }
  for (int32_t i = 0; w > 0.0 && i < n; i++) {
    const double e = w * g[i];
    for (int32_t j = 0; j <= i; j++) val[slot[j]] += e * g[j];
    slot += i + 1;
  }
}

static hk_status factor_sparse(hk_lean *l) {
  const assembler *A = l->A;
  const hk_tree *s = l->s;
  const hk_model *m = s->m;
  const path_rows *x = l->set;
  for (int32_t c = 0; c < m->nc; c++, x++) {
    const double *g = s->kin.gz + s->kin.gz0[c];
    const bool on = s->kin.disc.active[c] != 0.0;
    for (int32_t r = 0; r < x->n; r++, g += x->path->n)
      add_row(l, x, r, g, on ? s->alpha[m->closures[c].row0 + r] : 0.0);
  }
  for (int32_t n = 0; n < A->n; n++)
    if (A->rows[n].rate) add_row(l, x++, 0, A->rows[n].g, A->rows[n].on ? A->rows[n].alpha : 0.0);
  for (int32_t n = 0; n < A->njoint; n++) add_row(l, x++, 0, A->joint[n].g, A->joint[n].alpha);
  return hki_ldl_factor(l->ldl, &l->num, l->num.val);
}

/* --- both ------------------------------------------------------------------------------------- */

hk_status hki_lean_create(assembler *A, hk_lean **out) {
  hk_lean *l = *out = hki_pool_alloc(A->pool, sizeof *l);
  if (!l) return HK_E_MEMORY;
  *l = (hk_lean){.A = A, .s = A->s};
  hk_status st = create_fronts(l);
  if (st == HK_OK && A->relative) st = create_sparse(l);
  return st;
}

void hki_lean_free(hk_lean *l) {
  if (!l) return;
  hki_front_free(l->s->ctx, &l->front);
  if (l->ldl) hki_ldl_destroy(l->ldl);
  hki_free(l->s->ctx, l->block);
  hki_free(l->s->ctx, l->ldl_block);
}

void hki_lean_add(hk_lean *l, int32_t i, double x) {
  if (l->sparse)
    l->num.val[l->slot_diag[i]] += x;
  else
    l->E[l->at[i]] += x;
}

hk_status hki_lean_factor(hk_lean *l, bool rate) {
  return l->sparse ? factor_sparse(l) : factor_fronts(l, rate);
}

void hki_lean_solve(hk_lean *l, double *x) {
  const size_t size = (size_t)l->s->m->nv * sizeof *x;
  if (!l->sparse) {
    hki_front_solve(&l->front, x);
    return;
  }
  memcpy(l->x, x, size);
  memset(l->x + l->s->m->nv, 0, (size_t)l->unknowns * sizeof *x);
  hki_ldl_solve(l->ldl, &l->num, l->x);
  memcpy(x, l->x, size);
}
