/* SPDX-License-Identifier: Apache-2.0
 *
 * rank_locks.c: couplings that contradict each other. Independent rows r_k hold coordinate j still if
 *
 *   e_j = sum_k c_k r_k
 *
 * and the rows with c_k != 0 are those that do it together: three gears that mesh in a ring, two gears of
 * different ratio between the same shafts, a gear that a linkage cannot follow. Smallest sets are kept;
 * coordinates that hang on a locked one are no news.
 *
 * At a dead centre or in the dwell of a curve some rows hold a coordinate for a moment too, while
 * another one of theirs can move on. Such sets are no locks: every coordinate of a joint among them,
 * and every argument of a coupling that has no influence just now, must be held as well.
 */
#include <string.h>

#include "analyses/rank.h"

static const double zero = 1e-7; /* length of a remainder that counts as zero */

typedef struct locks {
  hk_tree *s;
  const hk_rank_work *w;
  const int32_t *local;
  int32_t m, n;  /* independent rows, columns */
  int32_t *row;  /* m: their places in w */
  double *A;     /* m x n: the rows */
  double *Q;     /* m x n: orthonormal basis of them */
  double *L;     /* m x m, lower: A = L Q */
  double *c;     /* m */
  double *x;     /* n */
  uint8_t *set;  /* sets of rows, m each: n of them at most */
  uint8_t *held; /* n */
  int32_t nsets;
} locks;

static double dot(const double *a, const double *b, int32_t n) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* x less its components along the first nb vectors of the basis, twice; L: them, or NULL */
static double remainder_of(const locks *k, double *x, int32_t nb, double *L) {
  for (int pass = 0; pass < 2; pass++)
    for (int32_t i = 0; i < nb; i++) {
      const double *q = k->Q + (size_t)i * (size_t)k->n, f = dot(x, q, k->n);
      if (L) L[i] += f;
      for (int32_t j = 0; j < k->n; j++) x[j] -= f * q[j];
    }
  return sqrt(dot(x, x, k->n));
}

/* rows, basis, coefficients; rows that depend on others are left out */
static void factor(locks *k) {
  const hk_rank_work *w = k->w;
  for (int32_t i = 0; i < w->m; i++) {
    if (w->dep[i]) continue;
    double *a = k->A + (size_t)k->m * (size_t)k->n, *q = k->Q + (size_t)k->m * (size_t)k->n;
    double *L = k->L + (size_t)k->m * (size_t)w->m;
    for (int32_t e = w->first[i]; e < w->first[i + 1]; e++) a[w->col[e]] = w->val[e];
    memcpy(q, a, (size_t)k->n * sizeof *q);
    const double size = remainder_of(k, q, k->m, L);
    if (!(size > 0.0)) {
      memset(a, 0, (size_t)k->n * sizeof *a);
      memset(L, 0, (size_t)w->m * sizeof *L);
      continue;
    }
    for (int32_t j = 0; j < k->n; j++) q[j] /= size;
    L[k->m] = size;
    k->row[k->m++] = i;
  }
}

/* is column j held still? If so, c: the factors of the rows */
static bool holds(locks *k, int32_t j) {
  memset(k->x, 0, (size_t)k->n * sizeof *k->x);
  k->x[j] = 1.0;
  if (remainder_of(k, k->x, k->m, NULL) > zero) return false;
  for (int32_t i = 0; i < k->m; i++) k->c[i] = k->Q[(size_t)i * (size_t)k->n + (size_t)j];
  for (int32_t i = k->m - 1; i >= 0; i--) {
    const double *L = k->L + (size_t)i * (size_t)k->w->m;
    k->c[i] /= L[i];
    for (int32_t l = 0; l < i; l++) k->c[l] -= k->c[i] * L[l];
  }
  return true;
}

static const hk_closure *closure_of(const locks *k, int32_t i) {
  return &k->s->m->closures[k->w->clo[k->row[i]]];
}

static bool path_held(const locks *k, const hk_path *p) {
  for (int32_t i = 0; i < p->n; i++)
    if (!k->held[k->local[p->dof[i]]]) return false;
  return true;
}

/* do the rows of a set lock each other, rather than hold a coordinate for a moment? */
static bool is_lock(const locks *k, const uint8_t *set) {
  int32_t couplings = 0, rows = 0;
  for (int32_t i = 0; i < k->m; i++) {
    const hk_closure *c = closure_of(k, i);
    double top = 0.0;
    if (!set[i]) continue;
    rows++;
    couplings += c->coupling != NULL;
    if (!c->coupling && !path_held(k, &c->path)) return false;
    const double *f = c->coupling ? k->s->kin.slope + c->coupling->slope0 : NULL;
    for (int32_t a = 0; f && a < c->coupling->n; a++) top = fmax(top, fabs(f[a]));
    for (int32_t a = 0; f && a < c->coupling->n; a++)
      if (fabs(f[a]) <= zero * top && !path_held(k, &c->coupling->arg[a].path)) return false;
  }
  return couplings > 0 && rows > 1;
}

/* is set a within set b? */
static bool within(const uint8_t *a, const uint8_t *b, int32_t m) {
  for (int32_t i = 0; i < m; i++)
    if (a[i] && !b[i]) return false;
  return true;
}

/* keeps the set in the place behind the list, unless a smaller one is there */
static void keep(locks *k) {
  uint8_t *last = k->set + (size_t)k->nsets * (size_t)k->m;
  int32_t n = 0;
  if (!is_lock(k, last)) return;
  for (int32_t i = 0; i < k->nsets; i++)
    if (within(k->set + (size_t)i * (size_t)k->m, last, k->m)) return;
  // and without those that it is part of
  for (int32_t i = 0; i <= k->nsets; i++) {
    const uint8_t *one = k->set + (size_t)i * (size_t)k->m;
    if (i < k->nsets && within(last, one, k->m)) continue;
    memmove(k->set + (size_t)n++ * (size_t)k->m, one, (size_t)k->m);
  }
  k->nsets = n;
}

/* v (nv): the motion that the rows of a set allow without its row `last`, the part of that row across
 * all others; false: it is not the only one */
static bool allowed(locks *k, const uint8_t *set, int32_t last, double *v) {
  int32_t rows = 0, columns = 0;
  for (int32_t j = 0; j < k->n; j++) {
    bool used = false;
    for (int32_t i = 0; i < k->m; i++)
      used = used || (set[i] && k->A[(size_t)i * (size_t)k->n + (size_t)j] != 0.0);
    columns += used;
  }
  for (int32_t i = 0; i < k->m; i++) rows += set[i];
  if (rows != columns) return false;
  // the basis of the others, in place of that of all
  int32_t nb = 0;
  for (int32_t i = 0; i < k->m; i++) {
    double *q = k->Q + (size_t)nb * (size_t)k->n;
    if (!set[i] || i == last) continue;
    memcpy(q, k->A + (size_t)i * (size_t)k->n, (size_t)k->n * sizeof *q);
    const double size = remainder_of(k, q, nb, NULL);
    for (int32_t j = 0; j < k->n; j++) q[j] /= size;
    nb++;
  }
  memcpy(k->x, k->A + (size_t)last * (size_t)k->n, (size_t)k->n * sizeof *k->x);
  (void)remainder_of(k, k->x, nb, NULL);
  for (int32_t i = 0; i < k->s->m->nc; i++) {
    const hk_path *p = &k->s->m->closures[i].path;
    for (int32_t l = 0; l < k->m; l++)
      if (set[l] && k->w->clo[k->row[l]] == i)
        for (int32_t d = 0; d < p->n; d++)
          v[p->dof[d]] = k->s->scale[p->dof[d]] * k->x[k->local[p->dof[d]]];
  }
  return true;
}

/* the closures of a set */
static bool describe(locks *k, hk_pool *pool, const uint8_t *set, hk_rank_lock *out) {
  int32_t *list = hki_pool_alloc(pool, (size_t)(k->m + 1) * sizeof *list), last = 0;
  double *v = hki_pool_alloc(pool, (size_t)(k->s->m->nv + 1) * sizeof *v);
  if (!list || !v) return false;
  for (int32_t i = 0; i < k->m; i++) {
    const int32_t c = k->w->clo[k->row[i]];
    if (!set[i]) continue;
    if (closure_of(k, i)->coupling) last = i;
    if (!out->n || list[out->n - 1] != c) list[out->n++] = c;
  }
  out->closure = list;
  out->last = k->w->clo[k->row[last]];
  out->v = allowed(k, set, last, v) ? v : NULL;
  return true;
}

static bool find(locks *k, hk_pool *pool, hk_rank *out) {
  factor(k);
  for (int32_t j = 0; j < k->n; j++) k->held[j] = holds(k, j);
  for (int32_t j = 0; j < k->n; j++) {
    double top = 0.0;
    uint8_t *set = k->set + (size_t)k->nsets * (size_t)k->m;
    if (!k->held[j]) continue;
    (void)holds(k, j);
    for (int32_t i = 0; i < k->m; i++) top = fmax(top, fabs(k->c[i]));
    for (int32_t i = 0; i < k->m; i++) set[i] = fabs(k->c[i]) > zero * top;
    keep(k);
  }
  hk_rank_lock *all = hki_pool_alloc(pool, (size_t)(out->nlocks + k->nsets + 1) * sizeof *all);
  if (!all) return false;
  if (out->nlocks) memcpy(all, out->locks, (size_t)out->nlocks * sizeof *all);
  out->locks = all;
  for (int32_t i = 0; i < k->nsets; i++)
    if (!describe(k, pool, k->set + (size_t)i * (size_t)k->m, &all[out->nlocks++])) return false;
  return true;
}

hk_status hki_rank_locks(hk_tree *s, hk_pool *pool, const hk_rank_work *w, const int32_t *local,
                         hk_rank *out) {
  const size_t m = (size_t)w->m, n = (size_t)w->n;
  bool any = false;
  for (int32_t i = 0; i < w->m; i++) any = any || s->m->closures[w->clo[i]].coupling;
  if (!any) return HK_OK;
  locks k = {.s = s, .w = w, .local = local, .n = w->n};
  double *number = hki_alloc(s->ctx, (2 * m * n + m * m + m + n) * sizeof *number);
  uint8_t *byte = hki_alloc(s->ctx, (n + 1) * m + n);
  k.row = hki_alloc(s->ctx, m * sizeof *k.row);
  hk_status st = HK_E_MEMORY;
  if (number && byte && k.row) {
    k.A = number;
    k.Q = k.A + m * n;
    k.L = k.Q + m * n;
    k.c = k.L + m * m;
    k.x = k.c + m;
    k.set = byte;
    k.held = byte + (n + 1) * m;
    st = find(&k, pool, out) ? HK_OK : HK_E_MEMORY;
  }
  hki_free(s->ctx, number);
  hki_free(s->ctx, byte);
  hki_free(s->ctx, k.row);
  return st;
}
