/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c: memory of the partition formulation. Its matrices are stored dense: the constraint
 * Jacobian of 100 bodies has 600 columns. Models with more than MOST_NUMBERS velocities or rows are
 * refused.
 */
#include "formulations/partition/partition.h"

enum { MOST_NUMBERS = 3000 };

/* list (NULL: count only): inputs of forces that read channels; returns their number */
static int32_t list_inputs(hk_partition *p, hk_partition_input *list) {
  const hk_model *m = p->c->m;
  int32_t n = 0;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_spec_force *sf = &m->spec->forces[m->forces[i].spec];
    for (int32_t u = 0; m->forces[i].u_state && u < sf->ops->nu; u++) {
      if (sf->u_signal[u] == HK_NONE || !p->c->it.sig_state[sf->u_signal[u]]) continue;
      if (list) list[n].force = i, list[n].u = u, list[n].signal = sf->u_signal[u];
      n++;
    }
  }
  return n;
}

static void layout_jac(hk_partition *p, hk_partition_jac *j, hk_arena *a) {
  const int32_t n = p->n, m = p->m, r = m < n ? m : n;
  j->M = HK_TAKE(a, double, ((size_t)m) * (size_t)n);
  j->A = HK_TAKE(a, double, (size_t)hki_dense_ld(r) * (size_t)r);
  j->inv = HK_TAKE(a, double, r);
  j->pivot = HK_TAKE(a, int32_t, r);
  j->P = HK_TAKE(a, double, ((size_t)n) * (size_t)n);
  j->gram = HK_TAKE(a, double, (size_t)hki_dense_ld(n) * (size_t)n);
  j->gram_inv = HK_TAKE(a, double, n);
}

/* tangents of elements on several markers */
static void layout_wide(hk_partition *p, hk_arena *a) {
  const hk_model *m = p->c->m;
  size_t n = 0;
  for (int32_t i = 0; i < m->nwide; i++)
    n += 36 * (size_t)m->wide[i].nmark * (size_t)m->wide[i].nmark;
  p->wide_K = HK_TAKE(a, double, n);
  p->wide_C = HK_TAKE(a, double, n);
  p->wide_damped = HK_TAKE(a, bool, m->nwide);
}

static void layout(hk_partition *p, hk_arena *a) {
  const hk_model *mm = p->c->m;
  const int32_t n = p->n, m = p->m, r = m < n ? m : n, big = p->big;
  const size_t rr = (size_t)r * (size_t)r;
  const int32_t choice = HK_PARTITION_HEAD + n + 2 * m + r * r + p->c->nq + p->nrate * n;
  const int32_t turned = p->method->basis ? n * n : 0;
  p->npersist = choice + turned + p->method->npersist * big + mm->nq;
  p->persist = HK_TAKE(a, double, p->npersist);
  if (p->persist) p->rate_C = p->persist + choice - p->nrate * n;
  if (p->persist) p->B = turned ? p->persist + choice : NULL, p->own = p->persist + choice + turned;
  p->scratch = HK_TAKE(a, double,
                       ((size_t)big) * (size_t)(p->method->nvectors + p->method->nmatrices * big));
  p->cols = HK_TAKE(a, int32_t, n);
  p->rows = HK_TAKE(a, int32_t, m);
  p->row_line = HK_TAKE(a, int32_t, m + 1);
  p->line_body = HK_TAKE(a, int32_t, 2 * p->c->nlines);
  p->lu_where = HK_TAKE(a, int32_t, n);
  p->lu_list = HK_TAKE(a, int32_t, (size_t)r * (size_t)n);
  p->lu_nl = HK_TAKE(a, int32_t, r);
  p->lu_n = HK_TAKE(a, int32_t, r);
  p->lu_mark = HK_TAKE(a, uint8_t, r);
  p->late = HK_TAKE(a, uint8_t, m);
  p->rate_N = HK_TAKE(a, double, (size_t)p->nrate *(size_t)n);
  p->rate_P = HK_TAKE(a, double, p->nrate ? (size_t)n *(size_t)n : 0);
  p->rate_E = HK_TAKE(a, double, (size_t)hki_dense_ld(p->nrate) * (size_t)p->nrate);
  p->rate_inv = HK_TAKE(a, double, p->nrate);
  p->rate_y = HK_TAKE(a, double, p->nrate);
  p->rate_pivot = HK_TAKE(a, int32_t, p->nrate);
  layout_jac(p, &p->vel, a);
  if (p->two) layout_jac(p, &p->chart, a);
  double **vectors[] = {&p->D,   &p->w,      &p->wd,    &p->v,  &p->a,  &p->r,
                        &p->psi, &p->dq,     &p->dv,    &p->da, &p->dw, &p->dF,
                        &p->x,   &p->before, &p->trial, &p->z,  &p->dwd};
  for (int i = 0; i < HK_ARRAY_LEN(vectors); i++) *vectors[i] = HK_TAKE(a, double, n);
  p->q = HK_TAKE(a, double, p->c->nq);
  p->lam = HK_TAKE(a, double, m);
  p->b = HK_TAKE(a, double, m);
  p->y = HK_TAKE(a, double, big);
  p->T = HK_TAKE(a, double, (size_t)hki_dense_ld(n) * (size_t)n);
  p->Tinv = HK_TAKE(a, double, n);
  p->Tpivot = HK_TAKE(a, int32_t, n);
  p->W = HK_TAKE(a, double, 12 * mm->nb);
  p->row = HK_TAKE(a, hk_bodies_curve, p->c->nlines);
  p->pair = HK_TAKE(a, hk_partition_pair, mm->nf + p->c->nset);
  layout_wide(p, a);
  p->near = HK_TAKE(a, double, 2 * n);
  p->work = HK_TAKE(a, double, hki_dense_work(big) + n);
  p->W0 = HK_TAKE(a, double, rr);
  p->W1 = HK_TAKE(a, double, ((size_t)n) * (size_t)big);
  p->bar = HK_TAKE(a, double, mm->spec->nsignals + 1);
  p->slopes = HK_TAKE(a, double, p->c->it.max_reads + 1);
  p->input = HK_TAKE(a, hk_partition_input, p->ninput + 1);
  double *slopes = HK_TAKE(a, double, 2 * (size_t)(p->ninput + 1) * (size_t)n);
  for (int32_t i = 0; slopes && i < p->ninput + 1; i++) {
    p->input[i].pose = slopes + (size_t)(2 * i) * (size_t)n;
    p->input[i].twist = slopes + (size_t)(2 * i + 1) * (size_t)n;
  }
  hki_border_layout(&p->border, n, p->nterm, a);
}

static hk_status allocate(hk_partition *p) {
  hk_arena a = {0};
  layout(p, &a);
  p->block = hki_alloc(p->ctx, a.used + 64);
  if (!p->block) return HK_E_MEMORY;
  a = (hk_arena){p->block + (64 - (uintptr_t)p->block % 64) % 64, 0, a.used};
  layout(p, &a);
  list_inputs(p, p->input);
  if (p->nterm) p->border.most = hki_partition_terms(p, p->border.term);
  for (int32_t i = 0; i < p->c->nset; i++)
    for (int32_t row = 0; row < p->c->set[i].nrows; row++) {
      const hk_bodies_set *s = &p->c->set[i];
      for (int b = 0; b < 2; b++) p->line_body[2 * (s->line0 + row) + b] = s->body[b];
      if (!s->part) p->row_line[s->row0 + row] = s->line0 + row;
      p->late[s->row0 + row] = s->rate_rows >> row & 1u;
    }
  p->row_line[p->m] = p->c->nlines;
  // qlast of the machine lies in the persistent block
  p->c->qlast = p->persist + p->npersist - p->c->m->nq;
  return HK_OK;
}

/* in the order of the words of option `method` */
static const hk_partition_method *const methods[] = {
    &hki_partition_exact, &hki_partition_splitting, &hki_partition_augmented,
    &hki_partition_tangent_plane, &hki_partition_null_space};

const hk_partition_method *hki_partition_method_of(const hk_partition_par *par) {
  return methods[par->method];
}

/* sizes of the matrices */
static void measure(hk_partition *p) {
  p->n = p->c->n, p->m = p->c->nrows;
  p->big = p->n > p->c->nlines ? p->n : p->c->nlines;
  if (p->big < 3) p->big = 3;
  p->two = !p->c->planar;
  p->nrate = p->c->m->nrate;
  p->ninput = list_inputs(p, NULL);
  p->nterm = p->c->m->nx ? p->ninput + hki_net_terms(p->c->m, NULL) : 0;
}

hk_status hki_partition_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                             hk_cost *out) {
  hk_partition p = {.ctx = ctx, .par = *(const hk_partition_par *)par};
  (void)most;
  *out = (hk_cost){0};
  p.method = hki_partition_method_of(&p.par);
  hk_status st = hki_bodies_create(ctx, m, 0, true, &p.c);
  if (st != HK_OK) return st;
  measure(&p);
  const double n = p.n, rows = p.m, r = fmin(n, rows);
  if (p.n <= MOST_NUMBERS && p.m <= MOST_NUMBERS) {
    hk_arena a = {0};
    layout(&p, &a);
    out->bytes = (double)a.used;
  } else {
    // at least the Jacobian and the matrix of the stage
    out->bytes = 8.0 * (n * n + n * rows), out->least = true;
  }
  out->bytes += hki_bodies_bytes(p.c) + sizeof p;
  out->seconds = 1e-6 * m->nb + 0.5e-9 * (r * r * n + (n - r) * n * n + n * rows);
  hki_bodies_destroy(p.c);
  return HK_OK;
}

hk_status hki_partition_create(hk_ctx *ctx, const hk_model *m, const void *par,
                               hk_partition **out) {
  hk_partition *p = hki_alloc(ctx, sizeof *p);
  *out = NULL;
  if (!p) return HK_E_MEMORY;
  p->ctx = ctx;
  p->par = *(const hk_partition_par *)par;
  p->method = hki_partition_method_of(&p->par);
  hk_status st = hki_bodies_create(ctx, m, 0, true, &p->c);
  if (st == HK_OK && (p->c->n > MOST_NUMBERS || p->c->nrows > MOST_NUMBERS))
    st = hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "take a formulation with sparse matrices or none",
                   "formulation 'partition' works with dense matrices: %d coordinates and %d "
                   "constraints are too many",
                   (int)p->c->n, (int)p->c->nrows);
  if (st == HK_OK) {
    measure(p);
    st = allocate(p);
  }
  if (st != HK_OK) {
    hki_partition_destroy(p);
    return st;
  }
  *out = p;
  return HK_OK;
}

void hki_partition_destroy(hk_partition *p) {
  if (!p) return;
  hki_bodies_destroy(p->c);
  hki_free(p->ctx, p->block);
  hki_free(p->ctx, p);
}
