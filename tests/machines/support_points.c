/* SPDX-License-Identifier: Apache-2.0
 *
 * support_points.c: see support_points.h.
 */
#include <stdlib.h>

#include "support_points.h"

#include "model/support_build.c"

static double *numbers(int32_t n) { return calloc((size_t)n + 1, sizeof(double)); }

pair pair_make(build *b, bool fewest) {
  pair p = {.b = *b};
  double par[HK_FORMULATION_PAR_MAX / 8] = {0};
  char buf[200];
  uint64_t given = 0;
  const hk_formulation_entry *fe = hki_formulation_find("global");
  p.m = build_compile(&p.b);
  ck_assert_int_eq(hki_tree_create(p.b.ctx, p.m, &p.s), HK_OK);
  ck_assert_int_eq(hki_tree_matrix(p.s), HK_OK);
  ck_assert_int_eq(hki_points_create(p.b.ctx, p.m, fewest, &p.n), HK_OK);
  hki_params_default(fe->ops->params, par);
  ck_assert(hki_params_set(fe->ops->params, par, "coordinates",
                           (hk_param_value){.text = fewest ? "fewest" : "shared"}, &given, buf,
                           sizeof buf));
  ck_assert_int_eq(fe->create(p.b.ctx, p.m, par, &p.f), HK_OK);
  p.qt = numbers(p.m->nq), p.vt = numbers(p.m->nv), p.at = numbers(p.m->nv);
  p.q = numbers(p.n->n), p.v = numbers(p.n->n), p.a = numbers(p.n->n);
  if (p.m->nq) memcpy(p.qt, p.m->q_draw, (size_t)p.m->nq * sizeof(double));
  hki_kin_state(&p.s->kin, 0.0, p.qt, p.vt);
  hki_kin_commit_turns(&p.s->kin);
  // one set of discrete data, as in a run
  hki_kin_share_discrete(&p.n->kin, &p.s->kin);
  hki_kin_share_discrete(fe->kin(p.f), &p.s->kin);
  hki_points_from_tree(p.n, p.qt, p.vt, p.q, p.v);
  ck_assert_int_eq(p.f->ops->from_tree(p.f, p.qt, p.vt, p.q, p.v), HK_OK);
  return p;
}

void pair_free(pair *p) {
  p->f->ops->destroy(p->f);
  hki_points_destroy(p->n);
  hki_tree_destroy(p->s);
  double *all[] = {p->qt, p->vt, p->at, p->q, p->v, p->a};
  for (int i = 0; i < HK_ARRAY_LEN(all); i++) free(all[i]);
  build_end(&p->b, p->m);
}

void pair_state(pair *p, double t, double size, uint64_t seed) {
  double *d = numbers(p->m->nv);
  for (int32_t i = 0; i < p->m->nv; i++) {
    d[i] = size * noise(&seed);
    p->vt[i] = noise(&seed);
  }
  hki_tree_plus(p->m, p->m->q_draw, d, p->qt);
  free(d);
  p->t = t;
  ck_assert_int_eq(hki_tree_project_state(p->s, t, p->qt, p->vt), HK_OK);
  hki_kin_commit_turns(&p->s->kin);
  hki_points_from_tree(p->n, p->qt, p->vt, p->q, p->v);
  ck_assert_int_eq(p->f->ops->from_tree(p->f, p->qt, p->vt, p->q, p->v), HK_OK);
}
