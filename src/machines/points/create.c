/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c: creates the machine of natural coordinates: elements and rows (build.h), cliques of
 * forces, mass matrix, pattern of the stage matrix and its slots, memory.
 */
#include "machines/points/build.h"

/* --- elements, maps, rows --------------------------------------------------------------------- */

static hk_status build_all(points_build *B) {
  size_t nb = (size_t)B->m->nb + 1;
  hk_points *n = B->n;
  B->orient = hki_pool_alloc(B->pool, nb * sizeof *B->orient);
  B->members = hki_pool_alloc(B->pool, nb * sizeof *B->members);
  B->leader = hki_pool_alloc(B->pool, nb * sizeof *B->leader);
  B->points = hki_pool_alloc(B->pool, nb * sizeof *B->points);
  B->vectors = hki_pool_alloc(B->pool, nb * sizeof *B->vectors);
  B->need0 = hki_pool_alloc(B->pool, nb * sizeof *B->need0);
  B->whole = hki_pool_alloc(B->pool, nb * sizeof *B->whole);
  B->basis = hki_pool_alloc(B->pool, nb * sizeof *B->basis);
  n->map = hki_pool_alloc(n->pool, nb * sizeof *n->map);
  if (!B->orient || !B->members || !B->leader || !B->points || !B->vectors || !B->need0 ||
      !B->whole || !B->basis || !n->map)
    return HK_E_MEMORY;
  void (*const steps[])(points_build *) = {hki_points_items, hki_points_share, hki_points_needs,
                                           hki_points_bases, hki_points_make_rows};
  for (int i = 0; i < HK_ARRAY_LEN(steps) && B->status == HK_OK; i++) steps[i](B);
  return B->status;
}

hk_status hki_points_build(hk_points *n, hk_points_choice choice) {
  points_build B = {.n = n, .ctx = n->ctx, .m = n->m, .choice = choice};
  B.tiny = 1e-9 * n->m->length;
  B.pool = hki_pool_create(n->ctx);
  hk_status st = B.pool ? build_all(&B) : HK_E_MEMORY;
  hki_free(n->ctx, B.element);
  hki_free(n->ctx, B.inc);
  hki_free(n->ctx, B.need);
  if (B.pool) hki_pool_destroy(B.pool);
  n->n = n->d * n->nblk;
  return st;
}

/* --- coordinates of tree joints that are read during iterations ------------------------------- */

/* adds a scalar to `wanted`; those of cut joints are measured when asked for */
static void want(hk_points *n, int32_t scalar) {
  const hk_scalar *s = &n->m->scalars[scalar];
  if (s->qi == HK_NONE || n->wanted_of[scalar] != HK_NONE) return;
  int32_t b = n->m->joints[s->joint].body;
  n->wanted[n->nwanted].body = b;
  n->wanted[n->nwanted].k = s->qi - n->m->bodies[b].q0;
  n->wanted_of[scalar] = n->nwanted++;
}

static hk_status find_wanted(hk_points *n) {
  const hk_model *m = n->m;
  n->wanted = hki_pool_alloc(n->pool, (size_t)(m->ns + 1) * sizeof *n->wanted);
  n->wanted_of = hki_pool_alloc(n->pool, (size_t)(m->ns + 1) * sizeof *n->wanted_of);
  if (!n->wanted || !n->wanted_of) return HK_E_MEMORY;
  for (int32_t i = 0; i < m->ns; i++) n->wanted_of[i] = HK_NONE;
  for (int32_t i = 0; i < m->nf; i++)
    if (m->forces[i].ops->nscal) want(n, m->forces[i].scalar);
  for (int32_t i = 0; i < m->nc; i++)
    if (m->closures[i].kind == HK_CLOSURE_COORD) want(n, m->closures[i].scalar);
  for (int32_t i = 0; i < m->nc; i++)
    for (int32_t k = 0; m->closures[i].coupling && k < m->closures[i].coupling->n; k++)
      want(n, m->closures[i].coupling->arg[k].scalar);
  for (int32_t i = 0; i < m->spec->nsignals; i++)
    for (int32_t j = 0; j < m->spec->signals[i].nreads; j++) {
      const hk_read *r = &m->spec->signals[i].reads[j];
      if (r->kind == HK_READ_CHANNEL &&
          (r->channel.kind == HK_CH_JOINT_COORD || r->channel.kind == HK_CH_JOINT_RATE))
        want(n, m->joints[r->channel.item].scalar0 + r->channel.component);
    }
  return HK_OK;
}

/* --- cliques of forces ------------------------------------------------------------------------ */

/* a growing set of blocks: flags (nblk) and a list of n; need: one flag a signal, scratch */
typedef struct block_set {
  uint8_t *in;
  int32_t *list;
  int32_t n;
  uint8_t *need;
} block_set;

static void add_body(const hk_points *n, int32_t body, block_set *set) {
  if (body == HK_GROUND) return;
  for (int32_t i = 0; i < n->map[body].nblk; i++) {
    int32_t b = n->map[body].blk[i];
    if (!set->in[b]) set->in[b] = 1, set->list[set->n++] = b;
  }
}

enum { READS_NOTHING, READS_ONE, READS_OTHER };

/* What a signal reads, itself or through others: no channels, the value and rate of one joint
 * coordinate (scalar) alone, or others. need: nsignals, scratch; signals read earlier ones. */
static int reads(const hk_model *m, int32_t signal, int32_t scalar, uint8_t *need) {
  int what = READS_NOTHING;
  memset(need, 0, (size_t)signal + 1);
  need[signal] = 1;
  for (int32_t k = signal; k >= 0; k--) {
    const hk_spec_signal *s = &m->spec->signals[k];
    for (int32_t i = 0; need[k] && i < s->nreads; i++) {
      const hk_read *r = &s->reads[i];
      if (r->kind == HK_READ_SIGNAL) need[r->signal] = 1;
      if (r->kind != HK_READ_CHANNEL) continue;
      if (r->channel.kind != HK_CH_JOINT_COORD && r->channel.kind != HK_CH_JOINT_RATE)
        return READS_OTHER;
      if (m->joints[r->channel.item].scalar0 + r->channel.component != scalar) return READS_OTHER;
      what = READS_ONE;
    }
  }
  return what;
}

/* clique of a force: blocks of its bodies */
static hk_status force_clique(hk_points *n, int32_t fi, block_set *set) {
  const hk_model_force *mf = &n->m->forces[fi];
  const hk_spec_force *sf = &n->m->spec->forces[mf->spec];
  hk_points_force *f = &n->force[fi];
  set->n = 0;
  for (int s = 0; s < 2; s++)
    if (mf->ops->nscal || s < mf->ops->nmark) add_body(n, mf->body[s], set);
  for (int32_t u = 0; mf->u_state && u < sf->ops->nu; u++) {
    if (sf->u_signal[u] == HK_NONE) continue;
    int what = reads(n->m, sf->u_signal[u], mf->ops->nscal ? mf->scalar : HK_NONE, set->need);
    if (what == READS_ONE && mf->net != HK_NONE) what = READS_OTHER;
    if (what == READS_ONE) f->own |= 1u << u;
    if (what == READS_OTHER) f->other |= 1u << u, n->nother++;
  }
  int32_t *blk = hki_pool_alloc(n->pool, (size_t)(set->n + 1) * sizeof *blk);
  int32_t rank = mf->ops->nscal ? 1 : mf->ops->rank;
  f->q = (hk_points_clique){.nblk = set->n, .blk = blk, .n = n->d * set->n, .nrows = rank};
  f->q.g = hki_pool_alloc(n->pool, (size_t)(rank * f->q.n + 1) * sizeof *f->q.g);
  // normal forces of friction are found, not solved for
  const bool slopes = mf->u_state && mf->normal == HK_NONE;
  if (slopes) f->fu = hki_pool_alloc(n->pool, (size_t)(mf->ops->nu * f->q.n + 1) * sizeof *f->fu);
  if (!blk || !f->q.g || (slopes && !f->fu)) return HK_E_MEMORY;
  for (int32_t i = 0; i < set->n; i++) {
    blk[i] = set->list[i];
    set->in[blk[i]] = 0;
  }
  return HK_OK;
}

/* blocks of the bodies of an element on several markers */
static hk_status wide_clique(hk_points *n, int32_t i, block_set *set) {
  const hk_model_wide *e = &n->m->wide[i];
  set->n = 0;
  for (int32_t s = 0; s < e->nmark; s++) add_body(n, e->body[s], set);
  int32_t *blk = hki_pool_alloc(n->pool, (size_t)(set->n + 1) * sizeof *blk);
  if (!blk) return HK_E_MEMORY;
  for (int32_t k = 0; k < set->n; k++) {
    blk[k] = set->list[k];
    set->in[blk[k]] = 0;
  }
  n->wide[i] = (hk_points_clique){.nblk = set->n, .blk = blk, .n = n->d * set->n};
  return HK_OK;
}

hk_status hki_points_cliques(hk_points *n) {
  hk_status st = find_wanted(n);
  block_set set = {hki_alloc(n->ctx, (size_t)n->nblk + 1), NULL, 0,
                   hki_alloc(n->ctx, (size_t)n->m->spec->nsignals + 1)};
  set.list = hki_alloc(n->ctx, (size_t)(n->nblk + 1) * sizeof *set.list);
  n->force = hki_pool_alloc(n->pool, (size_t)(n->m->nf + 1) * sizeof *n->force);
  n->wide = hki_pool_alloc(n->pool, (size_t)(n->m->nwide + 1) * sizeof *n->wide);
  if (!set.in || !set.list || !set.need || !n->force || !n->wide) st = HK_E_MEMORY;
  for (int32_t f = 0; f < n->m->nf && st == HK_OK; f++) st = force_clique(n, f, &set);
  for (int32_t i = 0; i < n->m->nwide && st == HK_OK; i++) st = wide_clique(n, i, &set);
  hki_free(n->ctx, set.in);
  hki_free(n->ctx, set.list);
  hki_free(n->ctx, set.need);
  return st;
}

/* --- pattern and slots ------------------------------------------------------------------------ */

/* out: coordinates of a list of blocks; returns their number */
static int32_t spread(const hk_points *n, const int32_t *blk, int32_t nblk, int32_t *out) {
  int32_t k = 0;
  for (int32_t i = 0; i < nblk; i++)
    for (int32_t j = 0; j < n->d; j++) out[k++] = n->d * blk[i] + j;
  return k;
}

/* pattern of the stage matrix: rows, cliques of forces, blocks of bodies (mass) */
static hk_status analyse(hk_points *n, int32_t *tmp, double most) {
  hk_pattern p;
  hki_pattern_init(&p, n->ctx, n->n);
  p.most = most;
  for (int32_t i = 0; i < n->nrows; i++) hki_pattern_clique(&p, n->line[i].n, n->line[i].idx);
  for (int32_t f = 0; f < n->m->nf; f++) {
    const hk_points_clique *q = &n->force[f].q;
    hki_pattern_clique(&p, spread(n, q->blk, q->nblk, tmp), tmp);
    if (q->n > n->widest) n->widest = q->n;
  }
  for (int32_t i = 0; i < n->m->nwide; i++) {
    const hk_points_clique *q = &n->wide[i];
    hki_pattern_clique(&p, spread(n, q->blk, q->nblk, tmp), tmp);
    if (q->n > n->widest) n->widest = q->n;
  }
  if (n->m->nwide && 6 * n->m->wide_most > n->widest) n->widest = 6 * n->m->wide_most;
  for (int32_t i = 0; i < n->nloop; i++)
    if (n->loop[i].q.n > n->widest) n->widest = n->loop[i].q.n;
  for (int32_t b = 0; b < n->m->nb; b++)
    hki_pattern_clique(&p, spread(n, n->map[b].blk, n->map[b].nblk, tmp), tmp);
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(n->ctx, &p, NULL, &n->ldl);
  hki_pattern_free(&p);
  return st;
}

/* slots of the lower triangle over a list of coordinates, in the machine's pool; NULL: no memory */
static const int32_t *triangle(hk_points *n, const int32_t *idx, int32_t count) {
  int32_t *slot = hki_pool_alloc(n->pool, (size_t)(count * (count + 1) / 2 + 1) * sizeof *slot);
  for (int32_t i = 0, k = 0; slot && i < count; i++)
    for (int32_t j = 0; j <= i; j++) slot[k++] = hki_ldl_entry(n->ldl, idx[i], idx[j]);
  return slot;
}

static hk_status make_slots(hk_points *n, int32_t *tmp) {
  for (int32_t i = 0; i < n->nrows; i++) {
    hk_points_line *l = &n->line[i];
    // rows of one joint have the same coordinates and share their slots
    if (i > 0 && l->idx == n->line[i - 1].idx && l->n == n->line[i - 1].n)
      l->slot = n->line[i - 1].slot;
    else
      l->slot = triangle(n, l->idx, l->n);
    if (!l->slot) return HK_E_MEMORY;
  }
  for (int32_t f = 0; f < n->m->nf; f++) {
    hk_points_clique *q = &n->force[f].q;
    q->slot = triangle(n, tmp, spread(n, q->blk, q->nblk, tmp));
    if (!q->slot) return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < n->m->nwide; i++) {
    hk_points_clique *q = &n->wide[i];
    q->slot = triangle(n, tmp, spread(n, q->blk, q->nblk, tmp));
    if (!q->slot) return HK_E_MEMORY;
  }
  return HK_OK;
}

/* --- mass ------------------------------------------------------------------------------------- */

/* m (planar: complex): entry of two blocks i, j of body b, C_i' diag(S, m) C_j */
static void mass_entry(const hk_points *n, int32_t b, const double *Ci, const double *Cj,
                       double *m) {
  const hk_model_body *mb = &n->m->bodies[b];
  m[0] = m[1] = 0.0;
  // massless; a rod whose spin was removed has a tiny spin inertia, used where ndir = 3
  if (mb->massless && !(mb->spin_removed && n->map[b].ndir == 3)) return;
  if (n->planar) {
    double Jn[3], polar;
    m3_mulv(Jn, mb->J, n->m->spec->normal);
    polar = v3_dot(Jn, n->m->spec->normal);
    m[0] = mb->mass * (Ci[0] * Cj[0] + Ci[1] * Cj[1]) + polar * (Ci[2] * Cj[2] + Ci[3] * Cj[3]);
    m[1] = mb->mass * (Ci[0] * Cj[1] - Ci[1] * Cj[0]) + polar * (Ci[2] * Cj[3] - Ci[3] * Cj[2]);
    return;
  }
  double half = 0.5 * (mb->J[0] + mb->J[4] + mb->J[8]);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) m[0] += Ci[r] * ((r == c ? half : 0.0) - mb->J[3 * r + c]) * Cj[c];
  m[0] += mb->mass * Ci[3] * Cj[3];
}

/* n->mass: entries of all bodies, added up per pair of blocks (lists by the larger block) */
static hk_status make_mass(hk_points *n) {
  const hk_model *m = n->m;
  int32_t cap = 0;
  for (int32_t b = 0; b < m->nb; b++) cap += n->map[b].nblk * (n->map[b].nblk + 1) / 2;
  int32_t *head = hki_alloc(n->ctx, (size_t)(n->nblk + 1) * sizeof *head);
  int32_t *next = hki_alloc(n->ctx, (size_t)(cap + 1) * sizeof *next);
  n->mass = hki_pool_alloc(n->pool, (size_t)(cap + 1) * sizeof *n->mass);
  hk_status st = head && next && n->mass ? HK_OK : HK_E_MEMORY;
  for (int32_t i = 0; i < n->nblk && st == HK_OK; i++) head[i] = HK_NONE;
  for (int32_t b = 0; b < m->nb && st == HK_OK; b++) {
    const hk_points_map *mp = &n->map[b];
    for (int32_t x = 0; x < mp->nblk; x++)
      for (int32_t y = 0; y <= x; y++) {
        int32_t i = mp->blk[x], j = mp->blk[y], e;
        double v[2];
        mass_entry(n, b, mp->C + 4 * x, mp->C + 4 * y, v);
        if (v[0] == 0.0 && v[1] == 0.0) continue;
        if (i < j) e = i, i = j, j = e, v[1] = -v[1];
        for (e = head[i]; e != HK_NONE && n->mass[e].j != j; e = next[e]) continue;
        if (e == HK_NONE) {
          e = n->nmass++;
          n->mass[e] = (hk_points_mass){i, j, {0, 0}};
          next[e] = head[i];
          head[i] = e;
        }
        n->mass[e].m[0] += v[0];
        n->mass[e].m[1] += v[1];
      }
  }
  hki_free(n->ctx, head);
  hki_free(n->ctx, next);
  return st;
}

/* mass matrix in the layout of the stage matrix, its diagonal, gravity, scales */
static void fill_constants(hk_points *n) {
  const hk_model *m = n->m;
  double g[3];
  for (int32_t k = 0; k < n->nmass; k++) {
    const hk_points_mass *e = &n->mass[k];
    for (int32_t r = 0; r < n->d; r++)
      for (int32_t c = 0; c < n->d; c++) {
        int32_t i = n->d * e->i + r, j = n->d * e->j + c;
        double v = r == c ? e->m[0] : n->planar ? (r == 0 ? -e->m[1] : e->m[1]) : 0.0;
        if (v == 0.0 || (e->i == e->j && r < c)) continue;
        hki_ldl_add(n->ldl, n->mval, i, j, v);
        if (i == j) n->diag[i] += fabs(v);
      }
  }
  hki_points_local(n, m->spec->gravity, g);
  for (int32_t b = 0; b < m->nb; b++)
    for (int32_t i = 0; i < n->map[b].nblk; i++) {
      const double *C = n->map[b].C + 4 * i;
      double *w = n->weight + n->d * n->map[b].blk[i], mass = m->bodies[b].mass;
      if (n->planar) {
        w[0] += mass * (C[0] * g[0] + C[1] * g[1]);
        w[1] += mass * (C[0] * g[1] - C[1] * g[0]);
      } else {
        v3_axpy(w, mass * C[3], g);
      }
    }
  for (int32_t i = 0; i < n->n; i++) {
    n->scale[i] = n->block[i / n->d].vector ? 1.0 : m->length;
    n->inv[i] = 1.0 / n->scale[i];
    n->top_mass = fmax(n->top_mass, n->diag[i] * n->scale[i] * n->scale[i]);
  }
  for (int32_t i = 0; i < n->n; i++) {
    const double mass = n->diag[i] * n->scale[i] * n->scale[i];
    n->yield[i] = mass > 1e-9 * n->top_mass ? 1.0 / mass : 0.0;
  }
}

/* --- memory ----------------------------------------------------------------------------------- */

static void layout(hk_points *n, hk_arena *a) {
  const hk_model *m = n->m;
  int32_t entries = 0;
  int32_t reads = 1;
  for (int32_t i = 0; i < m->spec->nsignals; i++)
    if (m->spec->signals[i].nreads > reads) reads = m->spec->signals[i].nreads;
  hki_kin_layout(&n->kin, m, a);
  hki_kin_layout(&n->it, m, a);
  hki_ldl_layout(n->ldl, a, &n->num);
  n->mval = hki_ldl_layout_values(n->ldl, a);
  for (int32_t i = 0; i < n->nrows; i++) entries += n->line[i].n;
  n->held = HK_TAKE(a, double, entries);
  double **const vectors[] = {&n->scale, &n->inv,   &n->diag,  &n->yield, &n->weight,
                              &n->r,     &n->x,     &n->y,     &n->q,     &n->v,
                              &n->a,     &n->q_set, &n->v_set, &n->a_set};
  double **const rows[] = {&n->phi,   &n->phit, &n->gamma,   &n->alpha,
                           &n->reach, &n->row,  &n->lam_step};
  for (int i = 0; i < HK_ARRAY_LEN(vectors); i++) *vectors[i] = HK_TAKE(a, double, n->n);
  for (int i = 0; i < HK_ARRAY_LEN(rows); i++) *rows[i] = HK_TAKE(a, double, n->nrows);
  hki_conjugate_layout(&n->slow, n->nrows, n->n, a);
  // persistent: multipliers and last tree coordinates in one block
  n->lam = HK_TAKE(a, double, n->nrows + m->nq);
  n->qlast = n->lam ? n->lam + n->nrows : NULL;
  n->X = HK_TAKE(a, double, 12 * m->nb);
  n->Xd = HK_TAKE(a, double, 12 * m->nb);
  n->F = HK_TAKE(a, double, 12 * m->nb);
  n->qt = HK_TAKE(a, double, m->nq);
  n->vt = HK_TAKE(a, double, m->nv);
  n->at = HK_TAKE(a, double, m->nv);
  n->q_it = HK_TAKE(a, double, m->nq);
  n->v_it = HK_TAKE(a, double, m->nv);
  n->pose = HK_TAKE(a, hk_frame, m->nb);
  n->acc = HK_TAKE(a, double, 6 * m->nb);
  n->tri = HK_TAKE(a, double, (n->widest + 1) * n->widest / 2);
  n->gq = HK_TAKE(a, double, n->widest);
  n->gv = HK_TAKE(a, double, n->widest);
  n->J = HK_TAKE(a, double, (m->wide_most > 2 ? 6 * m->wide_most : 12) * n->widest);
  n->pos = HK_TAKE(a, int32_t, n->nblk);
  hki_border_layout(&n->border, n->n, n->nother + hki_net_terms(m, NULL), a);
  n->bar = HK_TAKE(a, double, m->spec->nsignals);
  n->part = HK_TAKE(a, double, reads);
}

/* Factor on penalties. Equal small violations in a chain of k bodies let its end move k times as
 * far as one of them: the weakest combination of rows has about k^2 times the mobility of one row.
 * The factor is (k/10)^2, between 1 and 1000. */
static double chain_factor(const hk_model *m) {
  int32_t depth = 0;
  for (int32_t b = 0; b < m->nb; b++)
    if (m->bodies[b].depth > depth) depth = m->bodies[b].depth;
  double k = 0.1 * (depth + 1);
  return fmin(fmax(k * k, 1.0), 1e3);
}

/* n->border.term, in the order of hki_points_border_terms */
static void list_terms(hk_points *n) {
  hk_border_term *list = n->border.term;
  for (int32_t fi = 0; fi < n->m->nf; fi++)
    for (int32_t u = 0; u < n->m->forces[fi].ops->nu; u++)
      if (n->force[fi].other >> u & 1u) *list++ = (hk_border_term){fi, u, false};
  (void)hki_net_terms(n->m, list);
}

static hk_status allocate(hk_points *n) {
  hk_arena a = {0};
  layout(n, &a);
  n->block_mem = hki_alloc(n->ctx, a.used + 64);
  if (!n->block_mem) return HK_E_MEMORY;
  a = (hk_arena){n->block_mem + (64 - (uintptr_t)n->block_mem % 64) % 64, 0, a.used};
  layout(n, &a);
  hki_kin_init(&n->kin);
  hki_kin_init(&n->it);
  fill_constants(n);
  if (n->border.most) list_terms(n);
  n->stiffer = chain_factor(n->m);
  return HK_OK;
}

/* all but the numbers; most: entries of the matrix at which to give up, 0: none */
static hk_status structure(hk_ctx *ctx, const hk_model *m, hk_points_choice choice, double most,
                           hk_points **out) {
  hk_points *n = *out = hki_alloc(ctx, sizeof *n);
  int32_t *tmp = NULL;
  if (!n) return HK_E_MEMORY;
  n->ctx = ctx;
  n->m = m;
  n->planar = m->spec->planar;
  n->d = n->planar ? 2 : 3;
  if (n->planar) rot_from_axis(n->E, m->spec->normal, 2, NULL);
  n->pool = hki_pool_create(ctx);
  hk_status st = n->pool ? hki_points_build(n, choice) : HK_E_MEMORY;
  if (st == HK_OK) st = hki_points_cliques(n);
  if (st == HK_OK) st = make_mass(n);
  if (st == HK_OK) tmp = hki_alloc(ctx, (size_t)(n->n + 1) * sizeof *tmp);
  if (st == HK_OK && !tmp) st = HK_E_MEMORY;
  if (st == HK_OK) st = analyse(n, tmp, most);
  if (st == HK_OK) st = make_slots(n, tmp);
  hki_free(ctx, tmp);
  return st;
}

hk_status hki_points_create(hk_ctx *ctx, const hk_model *m, hk_points_choice choice,
                            hk_points **out) {
  hk_status st = structure(ctx, m, choice, 0.0, out);
  if (st == HK_OK) st = allocate(*out);
  if (st == HK_OK) return HK_OK;
  hki_points_destroy(*out);
  *out = NULL;
  return st;
}

hk_status hki_points_cost(hk_ctx *ctx, const hk_model *m, hk_points_choice choice, double most,
                          hk_cost *out) {
  hk_points *n = NULL;
  const int32_t failures = hki_memory_failures(ctx);
  *out = (hk_cost){.bytes = most, .least = true};
  hk_status st = structure(ctx, m, choice, fmin(most / 32.0, 5e8), &n);
  if (st == HK_OK) {
    hk_arena a = {0};
    hk_ldl_stats stats;
    hki_ldl_get_stats(n->ldl, &stats);
    layout(n, &a);
    hk_arena num = {0};
    hk_ldl_num twice;
    hki_ldl_layout(n->ldl, &num, &twice);
    // the numbers of the factor are part of the layout
    out->bytes = (double)a.used + (double)hki_pool_bytes(n->pool) + stats.bytes - (double)num.used +
                 (double)sizeof *n + 300.0 * n->nrows;
    out->seconds = 0.5e-6 * m->nb + 0.2e-6 * (n->nrows + m->nf) + 2e-9 * (double)stats.fill +
                   0.14e-9 * stats.work;
    out->least = false;
  }
  hki_points_destroy(n);
  return st == HK_E_MEMORY && hki_memory_failures(ctx) == failures ? HK_OK : st;
}

void hki_points_destroy(hk_points *n) {
  if (!n) return;
  if (n->ldl) hki_ldl_destroy(n->ldl);
  if (n->pool) hki_pool_destroy(n->pool);
  hki_free(n->ctx, n->block);
  hki_free(n->ctx, n->quad);
  hki_free(n->ctx, n->loop);
  hki_free(n->ctx, n->line);
  hki_free(n->ctx, n->block_mem);
  hki_free(n->ctx, n);
}
