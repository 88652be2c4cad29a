/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_slow.c: rows of an assembly that nearly depend on each other (linalg/conjugate.h), those of closures and of named
 * values. Corrections with the penalties hardly close them, so that values that fit would be taken for a conflict.
 */
#include "analyses/assembly_impl.h"

/* share of the rows, in the norm of the penalties, with which they count as not closed; at most so much may then be left */
static const double halved = 0.5;

struct hk_assembly_slow {
  hk_conjugate k;
  double *row, *first; /* rows: those of closures and then the named ones; as they were */
  double *x;           /* nv: the solution as it was */
};

static void layout(hk_assembly_slow *z, int32_t rows, int32_t nv, hk_arena *a) {
  hki_conjugate_layout(&z->k, rows, nv, a);
  z->row = HK_TAKE(a, double, rows);
  z->first = HK_TAKE(a, double, rows);
  z->x = HK_TAKE(a, double, nv);
}

static hk_assembly_slow *memory(assembler *A) {
  const int32_t rows = A->s->m->nrows + A->n, nv = A->s->m->nv;
  hk_arena a = {0};
  hk_assembly_slow *z = A->slow;
  if (z) return z;
  z = hki_pool_alloc(A->pool, sizeof *z);
  if (!z) return NULL;
  layout(z, rows, nv, &a);
  unsigned char *block = hki_pool_alloc(A->pool, a.used + 64);
  if (!block) return NULL;
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  layout(z, rows, nv, &a);
  return A->slow = z;
}

static double along(const hk_named *r, const double *x) {
  double sum = 0.0;
  for (int32_t i = 0; i < r->path.n; i++) sum += r->g[i] * x[r->path.dof[i]];
  return sum;
}

/* y = T^-1 G' p, Bp = G y */
static void respond(void *with, const double *p, double *y, double *Bp) {
  assembler *A = with;
  const int32_t nrows = A->s->m->nrows;
  memset(y, 0, (size_t)A->s->m->nv * sizeof *y);
  hki_tree_add_rows(A->s, p, y);
  for (int32_t n = 0; n < A->n; n++) {
    const hk_named *r = &A->rows[n];
    for (int32_t i = 0; p[nrows + n] != 0.0 && i < r->path.n; i++)
      y[r->path.dof[i]] += r->g[i] * p[nrows + n];
  }
  hki_assembly_solve(A, y);
  hki_tree_rows(A->s, y, Bp);
  for (int32_t n = 0; n < A->n; n++) Bp[nrows + n] = along(&A->rows[n], y);
}

/* penalties as T has them */
static void weigh(const assembler *A, bool rate, double *w) {
  const hk_model *m = A->s->m;
  memset(w, 0, (size_t)m->nrows * sizeof *w);
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; A->s->kin.disc.active[c] != 0.0 && r < m->closures[c].nrows; r++)
      w[m->closures[c].row0 + r] = A->s->alpha[m->closures[c].row0 + r];
  for (int32_t n = 0; n < A->n; n++)
    w[m->nrows + n] = hki_named_used(&A->rows[n], rate) ? A->rows[n].alpha : 0.0;
}

/* z->row = b + G x with b of closures and the values of the named rows; x NULL: b alone. Returns its norm. */
static double rows_of(assembler *A, const double *b, const double *x) {
  hk_assembly_slow *z = A->slow;
  const int32_t nrows = A->s->m->nrows;
  double sum = 0.0;
  if (x)
    hki_tree_rows(A->s, x, z->row);
  else
    memset(z->row, 0, (size_t)nrows * sizeof *z->row);
  for (int32_t i = 0; i < nrows; i++) z->row[i] += b[i];
  for (int32_t n = 0; n < A->n; n++)
    z->row[nrows + n] = A->rows[n].value + (x ? along(&A->rows[n], x) : 0.0);
  for (int32_t i = 0; i < nrows + A->n; i++) sum += z->k.w[i] * z->row[i] * z->row[i];
  return sqrt(sum);
}

/* closes z->row of x; z->k.z: the multipliers */
static hk_status close_rows(assembler *A, double *x) {
  hk_assembly_slow *z = A->slow;
  memcpy(z->x, x, (size_t)A->s->m->nv * sizeof *x);
  memcpy(z->first, z->row, (size_t)z->k.rows * sizeof *z->row);
  z->k.with = A;
  z->k.respond = respond;
  return hki_conjugate_close(&z->k, z->row, x);
}

static void restore(const assembler *A, double *x) {
  memcpy(x, A->slow->x, (size_t)A->s->m->nv * sizeof *x);
}

bool hki_assembly_slow_step(assembler *A, double *x) {
  hk_assembly_slow *z = memory(A);
  if (!z) return false;
  weigh(A, false, z->k.w);
  const double open = rows_of(A, A->s->kin.phi, NULL), left = rows_of(A, A->s->kin.phi, x);
  if (!(left > halved * open)) return false;
  (void)close_rows(A, x);
  if (rows_of(A, A->s->kin.phi, x) <= halved * left && isfinite(hki_assembly_largest(A->s, x)))
    return true;
  restore(A, x);
  return A->slow_on = false; // they contradict each other
}

void hki_assembly_slow_multipliers(assembler *A) {
  const hk_assembly_slow *z = A->slow;
  const int32_t nrows = A->s->m->nrows;
  // the caller adds w times the rows that are left
  for (int32_t i = 0; i < nrows + A->n; i++) {
    const double mu = z->k.z[i] + z->k.w[i] * (z->first[i] - z->row[i]);
    if (i < nrows)
      A->s->lam[i] += mu;
    else
      A->rows[i - nrows].mu += mu;
  }
}

bool hki_assembly_slow_rates(assembler *A, const double *b, double *v) {
  hk_assembly_slow *z = memory(A);
  if (!z) return false;
  weigh(A, true, z->k.w);
  (void)rows_of(A, b, NULL);
  (void)close_rows(A, v);
  return true;
}

void hki_assembly_slow_undo(const assembler *A, double *v) { restore(A, v); }
