/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c: memory, matrix pattern and slot lists of the tree machine.
 */
#include <stdio.h>
#include <stdlib.h>

#include "machines/tree/deep.h"
#include "machines/tree/mass.h"

/* coordinates from a body to the ground, in falling order (the body's own first); returns their
 * number */
static int32_t chain(const hk_model *m, int32_t body, int32_t *out) {
  int32_t n = 0;
  for (int32_t b = body; b != HK_GROUND; b = m->bodies[b].parent)
    for (int32_t j = m->bodies[b].nv - 1; j >= 0; j--) out[n++] = m->bodies[b].v0 + j;
  return n;
}

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* model bodies whose motion a channel reads; returns their number, 0 to 2 */
static int32_t channel_bodies(const hk_model *m, hk_channel c, int32_t out[2]) {
  const hk_spec *spec = m->spec;
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
      out[0] = spec->markers[c.item].body == HK_GROUND
                   ? HK_GROUND
                   : m->body_of_spec[spec->markers[c.item].body];
      return 1;
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
      out[0] = m->joints[c.item].mbody[0];
      out[1] = m->joints[c.item].mbody[1];
      return 2;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
      out[0] = m->body_of_spec[c.item];
      return 1;
    default:
      return 0;
  }
}

/* Appends to out[0..n) the coordinates a signal may depend on; returns their number, sorted and
 * without repetition. A tree coordinate that is read directly counts alone, other channels with all
 * coordinates of their bodies' chains. seen[si] == turn: this signal was met in this turn. */
static int32_t signal_support(const hk_model *m, int32_t si, int32_t *out, int32_t n, int32_t *tmp,
                              int32_t *seen, int32_t turn) {
  const hk_spec_signal *s = &m->spec->signals[si];
  if (seen[si] == turn) return n;
  seen[si] = turn;
  for (int32_t i = 0; i < s->nreads; i++) {
    const hk_read *r = &s->reads[i];
    if (r->kind == HK_READ_SIGNAL) n = signal_support(m, r->signal, out, n, tmp, seen, turn);
    if (r->kind != HK_READ_CHANNEL) continue;
    int32_t bodies[2], nb = channel_bodies(m, r->channel, bodies), direct = HK_NONE;
    if (r->channel.kind == HK_CH_JOINT_COORD || r->channel.kind == HK_CH_JOINT_RATE)
      direct = m->scalars[m->joints[r->channel.item].scalar0 + r->channel.component].vi;
    if (direct != HK_NONE) out[n++] = direct;
    for (int32_t b = 0; b < nb && direct == HK_NONE; b++) {
      int32_t c = chain(m, bodies[b], tmp);
      for (int32_t j = 0; j < c; j++) out[n++] = tmp[j];
    }
    // keep the list short: sorted, without repetition
    qsort(out, (size_t)n, sizeof *out, compare);
    int32_t u = 0;
    for (int32_t j = 0; j < n; j++)
      if (!u || out[u - 1] != out[j]) out[u++] = out[j];
    n = u;
  }
  return n;
}

/* s->input: inputs of forces whose signals depend on coordinates */
static hk_status find_inputs(hk_tree *s, int32_t *tmp) {
  const hk_model *m = s->m;
  int32_t cap = 0;
  for (int32_t f = 0; f < m->nf; f++) cap += m->forces[f].u_state ? m->forces[f].ops->nu : 0;
  s->ninput = 0;
  s->input = hki_pool_alloc(s->pool, (size_t)(cap + 1) * sizeof *s->input);
  int32_t *seen = hki_pool_alloc(s->pool, (size_t)(m->spec->nsignals + 1) * sizeof *seen), turn = 0;
  if (!s->input || !seen) return HK_E_MEMORY;
  int32_t *sup = tmp, *scratch = tmp + 4 * m->nv;
  for (int32_t f = 0; f < m->nf; f++) {
    if (!m->forces[f].u_state) continue;
    const hk_spec_force *sf = &m->spec->forces[m->forces[f].spec];
    for (int32_t i = 0; i < sf->ops->nu; i++) {
      if (sf->u_signal[i] == HK_NONE) continue;
      int32_t n = signal_support(m, sf->u_signal[i], sup, 0, scratch, seen, ++turn);
      const bool values = hki_model_reads_unknowns(m, sf->u_signal[i]);
      if (!n && !values) continue;
      hk_tree_input *in = &s->input[s->ninput++];
      const hk_path *path = &m->forces[f].path;
      *in = (hk_tree_input){.force = f, .input = i, .signal = sf->u_signal[i], .nsup = n};
      // what scalar unknowns read or feel belongs to the border
      in->whole = values || m->forces[f].net != HK_NONE;
      in->own = n == 1 && path->n == 1 && sup[0] == path->dof[0] && !in->whole;
      in->sup = hki_pool_alloc(s->pool, (size_t)(n + 1) * sizeof *in->sup);
      in->slot = hki_pool_alloc(s->pool, (size_t)(n * path->n + 1) * sizeof *in->slot);
      if (!in->sup || !in->slot) return HK_E_MEMORY;
      memcpy(in->sup, sup, (size_t)n * sizeof *sup);
    }
  }
  return HK_OK;
}

/* pattern of T: chains of bodies, paths of closures and forces, couplings of inputs; eliminated
 * from the last coordinate to the first */
static hk_status analyse(hk_tree *s, int32_t *tmp, double most) {
  const hk_model *m = s->m;
  hk_pattern p;
  hki_pattern_init(&p, s->ctx, m->nv);
  p.most = most;
  for (int32_t b = 0; b < m->nb; b++)
    // a leaf's chain covers those of the bodies before it
    if (m->bodies[b].last == b) hki_pattern_clique(&p, chain(m, b, tmp), tmp);
  for (int32_t c = 0; c < m->nc; c++)
    hki_pattern_clique(&p, m->closures[c].path.n, m->closures[c].path.dof);
  for (int32_t f = 0; f < m->nf; f++)
    hki_pattern_clique(&p, m->forces[f].path.n, m->forces[f].path.dof);
  for (int32_t i = 0; i < m->nwide; i++) hki_pattern_clique(&p, m->wide[i].ndof, m->wide[i].dof);
  for (int32_t i = 0; i < s->ninput; i++) {
    const hk_path *path = &m->forces[s->input[i].force].path;
    hki_pattern_rect(&p, path->n, path->dof, s->input[i].nsup, s->input[i].sup);
  }
  hk_status st = p.status;
  for (int32_t i = 0; i < m->nv; i++) tmp[i] = m->nv - 1 - i;
  if (st == HK_OK) st = hki_ldl_create(s->ctx, &p, tmp, &s->ldl);
  hki_pattern_free(&p);
  return st;
}

static void path_slots(const hk_ldl *ldl, const hk_path *path, int32_t *slot) {
  for (int32_t i = 0; i < path->n; i++)
    for (int32_t j = 0; j <= i; j++) *slot++ = hki_ldl_entry(ldl, path->dof[i], path->dof[j]);
}

static int32_t triangle(int32_t n) { return n * (n + 1) / 2; }

/* slots in the order in which the assembly loops run */
static hk_status make_slots(hk_tree *s, int32_t *tmp) {
  const hk_model *m = s->m;
  int64_t nm = 0, nc = 0, nf = 0, nw = 0;
  for (int32_t b = 0; b < m->nb; b++) {
    int32_t n = chain(m, b, tmp);
    for (int32_t j = 0; j < m->bodies[b].nv; j++) nm += n - j;
  }
  for (int32_t c = 0; c < m->nc; c++) nc += triangle(m->closures[c].path.n);
  for (int32_t f = 0; f < m->nf; f++) nf += triangle(m->forces[f].path.n);
  for (int32_t i = 0; i < m->nwide; i++) nw += triangle(m->wide[i].ndof);
  s->slot_mass = hki_pool_alloc(s->pool, (size_t)(nm + 1) * sizeof(int32_t));
  s->slot_mass0 = hki_pool_alloc(s->pool, (size_t)(m->nb + 1) * sizeof(int32_t));
  s->quad_mass = hki_pool_alloc(s->pool, (size_t)m->nquad + 1);
  s->slot_wide = hki_pool_alloc(s->pool, (size_t)(nw + 1) * sizeof(int32_t));
  s->slot_clo = hki_pool_alloc(s->pool, (size_t)(nc + 1) * sizeof(int32_t));
  s->slot_clo0 = hki_pool_alloc(s->pool, (size_t)(m->nc + 1) * sizeof(int32_t));
  s->slot_frc = hki_pool_alloc(s->pool, (size_t)(nf + 1) * sizeof(int32_t));
  s->slot_frc0 = hki_pool_alloc(s->pool, (size_t)(m->nf + 1) * sizeof(int32_t));
  s->slot_diag = hki_pool_alloc(s->pool, (size_t)(m->nv + 1) * sizeof(int32_t));
  if (!s->slot_mass || !s->slot_mass0 || !s->quad_mass || !s->slot_clo || !s->slot_clo0 ||
      !s->slot_frc || !s->slot_frc0 || !s->slot_diag || !s->slot_wide)
    return HK_E_MEMORY;
  int32_t *at = s->slot_mass, k = 0;
  const volatile int *stop = hki_stop_flag(s->ctx);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    if (*stop) return HK_INTERRUPTED;
    int32_t n = chain(m, b, tmp);
    s->slot_mass0[b] = (int32_t)(at - s->slot_mass);
    for (int32_t j = 0; j < m->bodies[b].nv; j++)
      for (int32_t i = j; i < n; i++) *at++ = hki_ldl_entry(s->ldl, tmp[j], tmp[i]);
  }
  for (int32_t c = 0; c < m->nc; c++) {
    s->slot_clo0[c] = k;
    path_slots(s->ldl, &m->closures[c].path, s->slot_clo + k);
    k += triangle(m->closures[c].path.n);
  }
  for (int32_t f = k = 0; f < m->nf; f++) {
    s->slot_frc0[f] = k;
    path_slots(s->ldl, &m->forces[f].path, s->slot_frc + k);
    k += triangle(m->forces[f].path.n);
  }
  for (int32_t i = k = 0; i < m->nwide; i++) {
    const hk_path all = {m->wide[i].ndof, m->wide[i].dof, NULL};
    path_slots(s->ldl, &all, s->slot_wide + k);
    k += triangle(all.n);
  }
  for (int32_t i = 0; i < m->nv; i++) s->slot_diag[i] = hki_ldl_entry(s->ldl, i, i);
  hki_mass4_find(s);
  for (int32_t i = 0; i < s->ninput; i++) {
    hk_tree_input *in = &s->input[i];
    const hk_path *path = &m->forces[in->force].path;
    for (int32_t a = 0; a < path->n; a++)
      for (int32_t b = 0; b < in->nsup; b++)
        in->slot[a * in->nsup + b] = hki_ldl_entry(s->ldl, path->dof[a], in->sup[b]);
  }
  return HK_OK;
}

/* mark[] = value at the entries that the columns of body b write in hki_tree_mass; slot: the first
 * of them, returns the next */
static const int32_t *mark_mass(const hk_tree *s, int32_t b, const int32_t *slot, uint8_t *mark,
                                uint8_t value) {
  const hk_model_body *mb = &s->m->bodies[b];
  int32_t n = mb->nv * (mb->nv + 1) / 2;
  for (int32_t p = mb->parent; p != HK_GROUND; p = s->m->bodies[p].parent)
    n += mb->nv * s->m->bodies[p].nv;
  for (int32_t i = 0; i < n; i++) mark[slot[i]] = value;
  return slot + n;
}

/* slot_zero: entries of T that forces, closures and inputs add to, or of massless subtrees, which
 * hki_tree_mass does not write */
static hk_status find_zeros(hk_tree *s) {
  const hk_model *m = s->m;
  hk_ldl_stats stats;
  hki_ldl_get_stats(s->ldl, &stats);
  const int32_t *at = s->slot_mass, nval = stats.values;
  uint8_t *mark = hki_alloc(s->ctx, (size_t)nval + 1);
  if (!mark) return HK_E_MEMORY;
  memset(mark, 0, (size_t)nval);
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 0; i < triangle(m->closures[c].path.n); i++)
      mark[s->slot_clo[s->slot_clo0[c] + i]] = 1;
  for (int32_t f = 0; f < m->nf; f++)
    for (int32_t i = 0; i < triangle(m->forces[f].path.n); i++)
      mark[s->slot_frc[s->slot_frc0[f] + i]] = 1;
  for (int32_t e = 0, k = 0; e < m->nwide; e++)
    for (int32_t i = triangle(m->wide[e].ndof); i > 0; i--) mark[s->slot_wide[k++]] = 1;
  for (int32_t i = 0; i < s->ninput; i++) {
    const hk_tree_input *in = &s->input[i];
    for (int32_t k = 0; k < in->nsup * m->forces[in->force].path.n; k++) mark[in->slot[k]] = 1;
  }
  // hki_tree_mass skips bodies whose subtree has no mass; all others overwrite their entries
  for (int32_t b = m->nb - 1; b >= 0; b--) at = mark_mass(s, b, at, mark, !s->kin.loaded[b]);
  for (int32_t i = 0; i < nval; i++) s->nzero += mark[i];
  s->slot_zero = hki_pool_alloc(s->pool, (size_t)(s->nzero + 1) * sizeof(int32_t));
  for (int32_t i = 0, n = 0; s->slot_zero && i < nval; i++)
    if (mark[i]) s->slot_zero[n++] = i;
  hki_free(s->ctx, mark);
  return s->slot_zero ? HK_OK : HK_E_MEMORY;
}

int32_t hki_tree_few(const hk_model *m, const hk_ldl *ldl) {
  hk_ldl_stats stats;
  hki_ldl_get_stats(ldl, &stats);
  return m->nc && !m->wide_inert && !m->nnormal && stats.values <= 16 * m->nb ? stats.values : 0;
}

static void layout_matrix(hk_tree *s, hk_arena *a) {
  hki_ldl_layout(s->ldl, a, &s->num);
  s->nM = hki_tree_few(s->m, s->ldl);
  s->M = HK_TAKE(a, double, s->nM);
  s->gz = HK_TAKE(a, double, s->kin.gz0[s->m->nc]);
}

static void layout_vectors(hk_tree *s, hk_arena *a) {
  const hk_model *m = s->m;
  hki_kin_layout(&s->kin, m, a);
  s->scale = HK_TAKE(a, double, m->nv);
  s->unscale = HK_TAKE(a, double, m->nv);
  s->rotates = HK_TAKE(a, uint8_t, m->nv);
  s->quat = HK_TAKE(a, uint8_t, m->nv);
  s->owner = HK_TAKE(a, int32_t, m->nv);
  s->Ic = HK_TAKE(a, hk_inertia, m->nb);
  s->F = HK_TAKE(a, double, 6 * m->nb);
  s->A = HK_TAKE(a, double, 6 * m->nb);
  s->mass = HK_TAKE(a, double, m->nv);
  s->alpha = HK_TAKE(a, double, m->nrows);
  s->lam = HK_TAKE(a, double, m->nrows);
  s->reach = HK_TAKE(a, double, m->nrows);
  s->row = HK_TAKE(a, double, m->nrows);
  s->lam_step = HK_TAKE(a, double, m->nrows);
  hki_conjugate_layout(&s->slow, m->nrows, m->nrows ? m->nv : 0, a);
  s->couple = HK_TAKE(a, double, m->nslope ? 2 * m->nv : 0);
  const size_t rows = 6 * (size_t)m->wide_most, cols = (size_t)m->wide_dofs;
  s->wide_J = HK_TAKE(a, double, rows *cols);
  s->wide_X = HK_TAKE(a, double, rows *cols);
  s->wide_T = HK_TAKE(a, double, cols *cols);
  s->r = HK_TAKE(a, double, m->nv);
  s->x = HK_TAKE(a, double, m->nv);
  s->y = HK_TAKE(a, double, m->nv);
  s->v = HK_TAKE(a, double, m->nv);
  s->a = HK_TAKE(a, double, m->nv);
  s->q = HK_TAKE(a, double, m->nq);
  s->C = HK_TAKE(a, double, m->nnormal ? 6 * m->nb : 0);
  s->press = HK_TAKE(a, double, 6 * m->nnormal);
  s->N = HK_TAKE(a, double, m->nnormal);
  s->carry = HK_TAKE(a, double, m->nnormal ? 3 * m->nv : 0);
}

/* scale, unscale, rotates, quat, owner: rotations count in radians, translations in model lengths */
static void init_scales(hk_tree *s) {
  static const double rest[HK_JOINT_MAX] = {0};
  const hk_model *m = s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    hk_joint_tree jt;
    mb->ops->tree(mb->par, m->q_draw + mb->q0, rest, &jt);
    for (int32_t j = 0; j < mb->nv; j++) {
      bool turns = v3_norm(jt.S + 6 * j) > 0.5;
      s->owner[mb->v0 + j] = b;
      s->rotates[mb->v0 + j] = turns;
      s->scale[mb->v0 + j] = turns ? 1.0 : m->length;
      s->unscale[mb->v0 + j] = 1.0 / s->scale[mb->v0 + j];
      s->quat[mb->v0 + j] = turns && (mb->ops->caps & HK_JOINT_QUATERNION);
      s->has_quat = s->has_quat || s->quat[mb->v0 + j];
    }
  }
}

/* one aligned block, laid out twice: measured, then assigned */
static unsigned char *lay(hk_tree *s, void (*layout)(hk_tree *, hk_arena *)) {
  hk_arena a = {0};
  layout(s, &a);
  unsigned char *block = hki_alloc(s->ctx, a.used + 64);
  if (!block) return NULL;
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  layout(s, &a);
  return block;
}

hk_status hki_tree_create(hk_ctx *ctx, const hk_model *m, hk_tree **out) {
  hk_tree *s = hki_alloc(ctx, sizeof *s);
  *out = NULL;
  if (!s) return HK_E_MEMORY;
  s->ctx = ctx;
  s->m = m;
  s->pool = hki_pool_create(ctx);
  s->block = s->pool ? lay(s, layout_vectors) : NULL;
  if (!s->block) {
    hki_tree_destroy(s);
    return HK_E_MEMORY;
  }
  hki_kin_init(&s->kin);
  init_scales(s);
  *out = s;
  return HK_OK;
}

size_t hki_tree_vector_bytes(const hk_model *m) {
  hk_tree s = {.m = m};
  hk_arena a = {0};
  layout_vectors(&s, &a);
  return a.used + 64 + sizeof s;
}

hk_status hki_tree_analyse(hk_tree *s, double most) {
  int32_t *tmp = hki_alloc(s->ctx, (size_t)(6 * s->m->nv + 16) * sizeof *tmp);
  hk_status st = tmp ? find_inputs(s, tmp) : HK_E_MEMORY;
  if (st == HK_OK) st = analyse(s, tmp, most);
  hki_free(s->ctx, tmp);
  return st;
}

/* s->border.term (NULL: count only), in the order of hki_tree_border_terms; returns their number */
static int32_t list_terms(hk_tree *s, hk_border_term *list) {
  int32_t n = 0;
  for (int32_t i = 0; i < s->ninput; i++) {
    if (s->input[i].own) continue;
    if (list) list[n] = (hk_border_term){s->input[i].force, s->input[i].input, false};
    n++;
  }
  n += hki_net_terms(s->m, list ? list + n : NULL);
  for (int32_t i = 0; i < s->nacross; i++)
    for (int32_t r = 0; r < s->m->forces[s->across[i]].ops->rank; r++, n++)
      if (list) list[n] = (hk_border_term){s->across[i], HK_TERM_FORCE, false};
  for (int32_t i = 0; i < s->m->nnormal; i++, n++)
    if (list) list[n] = (hk_border_term){i, HK_TERM_NORMAL, false};
  return n;
}

int32_t hki_tree_joint_of(const hk_model *m, const hk_path *p) {
  int32_t b = 0;
  if (!p->n) return HK_NONE;
  while (b + 1 < m->nb && m->bodies[b + 1].v0 <= p->dof[0]) b++;
  while (!m->bodies[b].nv) b--;
  for (int32_t k = 0; k < p->n; k++)
    if (p->dof[k] < m->bodies[b].v0 || p->dof[k] >= m->bodies[b].v0 + m->bodies[b].nv)
      return HK_NONE;
  return b;
}

/* s->across: bristles and other states that hold several joints are too stiff to be left out; or all */
static hk_status find_across(hk_tree *s, bool all) {
  const hk_model *m = s->m;
  s->across = hki_pool_alloc(s->pool, ((size_t)m->nf + 1) * sizeof *s->across);
  if (!s->across) return HK_E_MEMORY;
  for (int32_t i = 0; i < m->nf; i++)
    if ((all || m->forces[i].nz) && m->forces[i].path.n &&
        hki_tree_joint_of(m, &m->forces[i].path) == HK_NONE)
      s->across[s->nacross++] = i;
  return HK_OK;
}

static void layout_border(hk_tree *s, hk_arena *a) {
  hki_border_layout(&s->border, s->m->nv, list_terms(s, NULL), a);
}

hk_status hki_tree_inputs(hk_tree *s, hk_across across) {
  if (s->border_block) return HK_OK;
  int32_t *tmp = hki_alloc(s->ctx, (size_t)(6 * s->m->nv + 16) * sizeof *tmp);
  hk_status st = tmp ? find_inputs(s, tmp) : HK_E_MEMORY;
  hki_free(s->ctx, tmp);
  if (st == HK_OK && across) st = find_across(s, across == HK_ACROSS_ALL);
  if (st == HK_OK && !(s->border_block = lay(s, layout_border))) st = HK_E_MEMORY;
  if (st == HK_OK && s->border.most) (void)list_terms(s, s->border.term);
  return st;
}

hk_status hki_tree_matrix(hk_tree *s) {
  if (s->ldl || hki_deep_closes(s)) return HK_OK;
  hk_status st = hki_tree_inputs(s, HK_ACROSS_NONE);
  int32_t *tmp = hki_alloc(s->ctx, (size_t)(6 * s->m->nv + 16) * sizeof *tmp);
  if (!tmp) st = HK_E_MEMORY;
  if (st == HK_OK) st = analyse(s, tmp, 0.0);
  if (st == HK_OK) st = make_slots(s, tmp);
  if (st == HK_OK) st = find_zeros(s);
  if (st == HK_OK && !(s->matrix_block = lay(s, layout_matrix))) st = HK_E_MEMORY;
  if (st == HK_OK) hki_ldl_zero(s->ldl, &s->num);
  hki_free(s->ctx, tmp);
  if (st != HK_OK && s->ldl) {
    hki_ldl_destroy(s->ldl);
    s->ldl = NULL;
  }
  return st;
}

void hki_tree_destroy(hk_tree *s) {
  if (!s) return;
  if (s->ldl) hki_ldl_destroy(s->ldl);
  hki_deep_destroy(s);
  if (s->pool) hki_pool_destroy(s->pool);
  hki_free(s->ctx, s->block);
  hki_free(s->ctx, s->matrix_block);
  hki_free(s->ctx, s->border_block);
  hki_free(s->ctx, s->slope.block);
  hki_free(s->ctx, s);
}

void hki_tree_dof_name(const hk_model *m, int32_t dof, char *buf, size_t cap) {
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    if (dof < mb->v0 || dof >= mb->v0 + mb->nv) continue;
    if (mb->joint == HK_NONE)
      snprintf(buf, cap, "free motion %d of body '%s'", dof - mb->v0 + 1,
               m->spec->bodies[mb->spec].name);
    else
      snprintf(buf, cap, "coordinate %d of joint '%s'", dof - mb->v0 + 1,
               m->spec->joints[mb->joint].name);
    return;
  }
  snprintf(buf, cap, "coordinate %d", dof);
}
