/* SPDX-License-Identifier: Apache-2.0
 *
 * reactions.c: structure and sequence of the reaction routine; equations in reactions_impl.h.
 */
#include "analyses/reactions_impl.h"
#include "kinematics/wide.h"

#define POOL(r, type, n) ((type *)hki_pool_alloc((r)->pool, (size_t)(n) * sizeof(type)))

/* --- structure -------------------------------------------------------------------------------- */

/* Unites the bodies on the loop that cut joint j closes (each stands for its tree joint). Returns
 * one of them, -1 when the loop has none. */
static int32_t join_loop(const hk_model *m, int32_t j, int32_t *up) {
  int32_t a = m->joints[j].mbody[0], b = m->joints[j].mbody[1], last = -1;
  while (a != b) {
    int32_t da = a < 0 ? -1 : m->bodies[a].depth, db = b < 0 ? -1 : m->bodies[b].depth;
    int32_t *side = da >= db ? &a : &b;
    if (last >= 0) {
      int32_t x = hki_react_find(up, last), y = hki_react_find(up, *side);
      up[x < y ? y : x] = x < y ? x : y;
    }
    last = *side;
    *side = m->bodies[*side].parent;
  }
  return last;
}

/* groups of loops that share bodies, and the balance equations of the bodies on them */
static bool make_groups(hk_reactions *r) {
  const hk_model *m = r->m;
  int32_t *up = POOL(r, int32_t, m->nb + 1), *on = POOL(r, int32_t, m->nj + 1);
  r->group = POOL(r, int32_t, m->nb + 1);
  r->eq = POOL(r, int32_t, m->nb + 1);
  if (!up || !on || !r->group || !r->eq) return false;
  for (int32_t b = 0; b < m->nb; b++) up[b] = b, r->group[b] = r->eq[b] = -1;
  for (int32_t j = 0; j < m->nj; j++)
    on[j] = m->joints[j].body == HK_NONE ? join_loop(m, j, up) : -1;
  hki_react_unite_couplings(m, on, up);
  // the group of a body is its root, -1 when it is on no loop
  for (int32_t j = 0; j < m->nj; j++)
    if (on[j] >= 0) r->group[hki_react_find(up, on[j])] = hki_react_find(up, on[j]);
  hki_react_mark_couplings(r, on, up);
  for (int32_t b = 0; b < m->nb; b++) {
    r->group[b] = r->group[hki_react_find(up, b)];
    if (r->group[b] < 0) continue;
    r->eq[b] = r->neq;
    r->neq += r->ne;
  }
  for (int32_t j = 0; j < m->nj; j++) {
    hk_react_joint *x = &r->joint[j];
    int32_t via = m->joints[j].body == HK_NONE ? on[j] : m->joints[j].body;
    x->group = via < 0 ? -1 : r->group[via];
    for (int k = 0; k < 2; k++) {
      int32_t b = x->body[k] = m->joints[j].mbody[k];
      x->eq[k] = b >= 0 && x->group >= 0 && r->group[b] == x->group ? r->eq[b] : -1;
    }
  }
  return true;
}

/* closures of each joint, in the order of the model */
static bool list_closures(hk_reactions *r) {
  const hk_model *m = r->m;
  r->clo = POOL(r, int32_t, m->nc + 1);
  if (!r->clo) return false;
  for (int32_t c = 0; c < m->nc; c++) r->joint[m->closures[c].joint].nclo++;
  for (int32_t j = 0, n = 0; j < m->nj; j++) {
    r->joint[j].clo0 = n;
    n += r->joint[j].nclo;
    r->joint[j].nclo = 0;
  }
  for (int32_t c = 0; c < m->nc; c++) {
    hk_react_joint *x = &r->joint[m->closures[c].joint];
    r->clo[x->clo0 + x->nclo++] = c;
  }
  return true;
}

/* balance equations in which the wrench of a joint appears: indices (at most 12), their number */
static int32_t touched(const hk_reactions *r, const hk_react_joint *x, int32_t *index) {
  int32_t n = 0;
  for (int k = 0; k < 2; k++)
    for (int32_t i = 0; x->eq[k] >= 0 && i < r->ne; i++) index[n++] = x->eq[k] + i;
  return n;
}

/* the same of a coupling */
static int32_t coupled(const hk_reactions *r, const hk_react_coupling *x, int32_t *index) {
  int32_t n = 0;
  for (int32_t k = 0; k < x->n; k++)
    for (int32_t i = 0; i < r->ne; i++) index[n++] = x->eq[k] + i;
  return n;
}

/* pattern and symbolic factor of B B', slots of each joint, numeric arrays */
static hk_status make_matrix(hk_reactions *r) {
  hk_pattern p;
  int32_t index[12], nslot = 0, ncol = 0;
  if (!r->neq) return HK_OK;
  hki_pattern_init(&p, r->ctx, r->neq);
  for (int32_t b = 0; b < r->m->nb; b++) {
    for (int32_t i = 0; i < r->ne && r->eq[b] >= 0; i++) index[i] = r->eq[b] + i;
    if (r->eq[b] >= 0) hki_pattern_clique(&p, r->ne, index);
  }
  for (int32_t j = 0; j < r->m->nj; j++) {
    hk_react_joint *x = &r->joint[j];
    int32_t n = touched(r, x, index);
    if (n) hki_pattern_clique(&p, n, index);
    x->slot0 = nslot;
    x->col0 = ncol;
    nslot += n * (n + 1) / 2;
    if (n) ncol += 6 * 2 * r->ne;
  }
  int32_t *all = POOL(r, int32_t, r->neq);
  if (!all) p.status = HK_E_MEMORY;
  for (int32_t i = 0; all && i < r->ncoupling; i++) {
    hk_react_coupling *x = &r->coupling[i];
    const int32_t n = coupled(r, x, all);
    hki_pattern_clique(&p, n, all);
    x->slot0 = nslot;
    x->col0 = ncol;
    nslot += n * (n + 1) / 2;
    ncol += n;
  }
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(r->ctx, &p, NULL, &r->ldl);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  r->slot = POOL(r, int32_t, nslot + 1);
  r->diag = POOL(r, int32_t, r->neq);
  r->B = POOL(r, double, ncol + 1);
  r->f = POOL(r, double, 3 * (size_t)r->neq);
  if (!r->slot || !r->diag || !r->B || !r->f) return HK_E_MEMORY;
  r->x = r->f + r->neq;
  r->r = r->x + r->neq;
  for (int32_t j = 0, at = 0; j < r->m->nj; j++) {
    int32_t n = touched(r, &r->joint[j], index);
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) r->slot[at++] = hki_ldl_entry(r->ldl, index[a], index[b]);
  }
  for (int32_t i = 0; i < r->ncoupling; i++) {
    int32_t n = coupled(r, &r->coupling[i], all), at = r->coupling[i].slot0;
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) r->slot[at++] = hki_ldl_entry(r->ldl, all[a], all[b]);
  }
  for (int32_t i = 0; i < r->neq; i++) r->diag[i] = hki_ldl_entry(r->ldl, i, i);
  // numbers of the factor
  hk_arena a = {0};
  hki_ldl_layout(r->ldl, &a, &r->num);
  r->block = hki_alloc(r->ctx, a.used + 64);
  if (!r->block) return HK_E_MEMORY;
  a = (hk_arena){r->block + (64 - (uintptr_t)r->block % 64) % 64, 0, a.used};
  hki_ldl_layout(r->ldl, &a, &r->num);
  return HK_OK;
}

static hk_status fill(hk_reactions *r) {
  const hk_model *m = r->m;
  r->ne = m->spec->planar ? 3 : 6;
  if (m->spec->planar) rot_from_axis(r->axes, m->spec->normal, 2, NULL);
  r->joint = POOL(r, hk_react_joint, m->nj + 1);
  r->A = POOL(r, double, 18 * (size_t)m->nb + 1);
  r->R = POOL(r, double, 7 * (size_t)m->nrows + 1);
  r->pivot = POOL(r, int32_t, m->nrows + 1);
  r->z = POOL(r, double, 6 * (size_t)m->nj + 1);
  if (!r->joint || !r->A || !r->R || !r->pivot || !r->z) return HK_E_MEMORY;
  r->F = r->A + 6 * (size_t)m->nb;
  r->X = r->F + 6 * (size_t)m->nb;
  r->lam = r->R + 6 * (size_t)m->nrows;
  if (!make_groups(r) || !list_closures(r) || !hki_react_list_couplings(r)) return HK_E_MEMORY;
  return make_matrix(r);
}

hk_status hki_reactions_create(hk_ctx *ctx, const hk_model *m, hk_reactions **out) {
  hk_reactions *r = hki_alloc(ctx, sizeof *r);
  *out = NULL;
  if (!r) return HK_E_MEMORY;
  r->ctx = ctx;
  r->m = m;
  r->pool = hki_pool_create(ctx);
  hk_status st = r->pool ? fill(r) : HK_E_MEMORY;
  if (st == HK_OK)
    *out = r;
  else
    hki_reactions_destroy(r);
  return st;
}

void hki_reactions_destroy(hk_reactions *r) {
  if (!r) return;
  if (r->ldl) hki_ldl_destroy(r->ldl);
  if (r->pool) hki_pool_destroy(r->pool);
  hki_free(r->ctx, r->block);
  hki_free(r->ctx, r);
}

double hki_reactions_bytes(const hk_reactions *r) {
  hk_ldl_stats stats = {0};
  if (r->ldl) hki_ldl_get_stats(r->ldl, &stats);
  return stats.bytes + (double)hki_pool_bytes(r->pool) + (double)sizeof *r;
}

const double *hki_reactions_multipliers(const hk_reactions *r) { return r->lam; }

/* --- evaluation ------------------------------------------------------------------------------- */

/* F: wrench that each body needs from its joints, I A + V x* (I V) - W, about O; X: sums of F over
 * subtrees. a: tree accelerations (nv) */
static void needs(hk_reactions *r, const hk_kin *k, const double *a) {
  const hk_model *m = r->m;
  hki_kin_accelerations(k, a, NULL, r->A);
  for (int32_t b = 0; b < m->nb; b++) {
    double *F = r->F + 6 * b, p[6], x[6];
    inertia_mul(F, &k->I[b], r->A + 6 * b);
    inertia_mul(p, &k->I[b], k->V + 6 * b);
    s6_cross_force(x, k->V + 6 * b, p);
    for (int i = 0; i < 6; i++) F[i] += x[i] - k->W[6 * b + i];
  }
  if (m->wide_inert) hki_kin_add_wide_inertia(k, r->A, false, r->F);
  memcpy(r->X, r->F, 6 * (size_t)m->nb * sizeof *r->X);
  for (int32_t b = m->nb - 1; b >= 0; b--)
    if (m->bodies[b].parent != HK_GROUND)
      s6_axpy(r->X + 6 * m->bodies[b].parent, 1.0, r->X + 6 * b);
}

/* w = Q mu: wrench (moment, force) of a joint on its second body, at its second marker */
static void joint_wrench(const hk_reactions *r, const hk_react_joint *x, double *w) {
  double red[6] = {0};
  for (int32_t i = 0; i < x->n; i++)
    for (int32_t e = 0; e < r->ne; e++) red[e] += x->mu[i] * x->Q[i * r->ne + e];
  hki_react_expand(r, red, w);
}

void hki_react_carry(hk_reactions *r, const hk_kin *k, const hk_react_joint *x, const double *w) {
  for (int side = 0; side < 2; side++) {
    double p[3], t[6];
    if (x->body[side] == HK_GROUND) continue;
    v3_sub(p, x->p, k->O + 3 * x->body[side]);
    s6_wrench_to_origin(t, w, p);
    s6_axpy(r->F + 6 * x->body[side], side ? -1.0 : 1.0, t);
  }
}

/* mu of a tree joint: the need X of its subtree, on the second body at its marker, minus the
 * elements that act on the joint's coordinates, projected on the directions Q */
static void tree_joint(hk_reactions *r, const hk_kin *k, int32_t j) {
  hk_react_joint *x = &r->joint[j];
  int32_t b = r->m->joints[j].body;
  double sign = r->m->bodies[b].reversed ? -1.0 : 1.0, w[6], p[3], red[6];
  v3_sub(p, k->O + 3 * b, x->p);
  s6_wrench_to_origin(w, r->X + 6 * b, p);
  for (int i = 0; i < 6; i++) w[i] = sign * w[i] - x->applied[i];
  hki_react_reduce(r, w, red);
  for (int32_t i = 0; i < x->n; i++) {
    x->mu[i] = 0.0;
    for (int32_t e = 0; e < r->ne; e++) x->mu[i] += red[e] * x->Q[i * r->ne + e];
  }
}

/* drive (ns): forces and torques of prescribed and locked coordinates, 0 for the others */
static void drives(const hk_reactions *r, const hk_tree *s, double *drive) {
  const hk_model *m = r->m;
  memset(drive, 0, (size_t)m->ns * sizeof *drive);
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (s->kin.disc.active[c] == 0.0) continue;
    if (cl->kind == HK_CLOSURE_COORD) {
      drive[cl->scalar] -= r->lam[cl->row0];
      continue;
    }
    // a prescribed rotation has no coordinate of its own: its torque is the joint's
    if (cl->role == HK_ROLE_MOTION) continue;
    // a joint with locked axes: the row of an axis that follows a signal
    const uint32_t locked = hki_joint_present(cl->ops, cl->par);
    for (int32_t i = 0, axis = 0; i < cl->nrows && (cl->ops->caps & HK_JOINT_LOCKED); i++) {
      int32_t skip = cl->rows[i];
      for (axis = 0; axis < 6; axis++)
        if ((locked >> axis & 1u) && skip-- == 0) break;
      if (cl->row_signal[i] != HK_NONE && axis < 6)
        drive[m->joints[cl->joint].scalar0 + axis] -= r->lam[cl->row0 + i];
    }
  }
}

hk_status hki_reactions_eval(hk_reactions *r, hk_tree *s, const double *a, double *wrench,
                             double *drive, uint8_t *unique) {
  const hk_model *m = r->m;
  const hk_kin *k = &s->kin;
  double w[6];
  needs(r, k, a);
  for (int32_t j = 0; j < m->nj; j++) hki_react_joint_directions(r, s, j);
  hki_react_coupling_columns(r, k);
  hk_status st = r->neq ? hki_react_balance(r, s) : HK_OK;
  if (st != HK_OK) return st;
  // tree joints carry the needs that the cut joints do not
  for (int32_t j = 0; j < m->nj; j++) {
    if (m->joints[j].body != HK_NONE) continue;
    joint_wrench(r, &r->joint[j], w);
    hki_react_carry(r, k, &r->joint[j], w);
  }
  hki_react_coupling_wrenches(r, k);
  memcpy(r->X, r->F, 6 * (size_t)m->nb * sizeof *r->X);
  for (int32_t b = m->nb - 1; b >= 0; b--)
    if (m->bodies[b].parent != HK_GROUND)
      s6_axpy(r->X + 6 * m->bodies[b].parent, 1.0, r->X + 6 * b);
  for (int32_t j = 0; j < m->nj; j++) {
    if (m->joints[j].body != HK_NONE) tree_joint(r, k, j);
    hki_react_joint_rows(r, j);
    joint_wrench(r, &r->joint[j], w);
    v3_copy(wrench + 6 * j, w + 3);
    v3_copy(wrench + 6 * j + 3, w);
  }
  hki_react_coupling_rows(r);
  if (drive) drives(r, s, drive);
  if (unique) hki_react_unique(r, unique);
  return HK_OK;
}
