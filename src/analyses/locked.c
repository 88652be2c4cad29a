/* SPDX-License-Identifier: Apache-2.0
 *
 * locked.c: see locked.h and rank_locks.c. The contradiction is said in rates: one coordinate of the
 * last coupling moves at 1, the others of the set tell how fast another one goes with it, and the
 * coupling itself asks for something else.
 */
#include <stdio.h>

#include "analyses/locked.h"
#include "analyses/rank.h"

typedef struct words {
  hk_tree *s;
  hk_pool *pool;
} words;

static const char *name_of(const hk_tree *s, int32_t joint) {
  return s->m->spec->joints[joint].name;
}

/* one more name in a list */
static void list_name(hk_text *t, const char *name) {
  hki_text_printf(t, "%s'%s'", t->len ? ", " : "", name);
}

/* joints whose coordinates the couplings of the lock relate, each once */
static void held_names(const words *w, const hk_rank_lock *l, hk_text *t) {
  const hk_model *m = w->s->m;
  for (int32_t j = 0; j < m->spec->njoints; j++) {
    bool here = false;
    for (int32_t i = 0; i < l->n; i++) {
      const hk_coupling *c = m->closures[l->closure[i]].coupling;
      for (int32_t a = 0; c && a < c->n; a++)
        here = here || m->scalars[c->arg[a].scalar].joint == j;
    }
    if (here) list_name(t, name_of(w->s, j));
  }
}

/* rate of an argument in the motion v; false: it is no coordinate of the tree */
static bool rate_of(const words *w, const hk_coupled *a, const double *v, double *rate) {
  const hk_scalar *x = &w->s->m->scalars[a->scalar];
  *rate = x->vi == HK_NONE ? 0.0 : x->sign * v[x->vi];
  return x->vi != HK_NONE;
}

static const char *unit_of(const words *w, const hk_coupled *a) {
  const hk_scalar *x = &w->s->m->scalars[a->scalar];
  return hki_scalar_is_length(w->s->m->spec->joints[x->joint].ops->scalars[x->coord]) ? "m/s"
                                                                                      : "rad/s";
}

/* what the lock has beside its last coupling: one other, a loop, or several */
static const char *others(const words *w, const hk_rank_lock *l, char *buf, size_t cap) {
  const hk_model *m = w->s->m;
  if (l->n != 2) return "the others";
  const int32_t c = l->closure[l->closure[0] == l->last];
  if (!m->closures[c].coupling) return "the loop";
  snprintf(buf, cap, "'%.100s'", name_of(w->s, m->closures[c].joint));
  return buf;
}

/* ": with 'a' at 1 rad/s, 'b' goes at 2 rad/s by the others, at -2 rad/s by 'gear'" */
static void contradiction(const words *w, const hk_rank_lock *l, hk_text *t) {
  char buf[120];
  const hk_coupling *c = w->s->m->closures[l->last].coupling;
  const double *f = w->s->kin.slope + c->slope0;
  int32_t from = -1, to = -1;
  double rate[HK_COUPLED], sum = 0.0;
  if (!l->v) return;
  for (int32_t a = 0; a < c->n; a++) {
    if (!rate_of(w, &c->arg[a], l->v, &rate[a])) return;
    if (from < 0 && fabs(rate[a]) > 1e-9 && f[a] != 0.0) from = a;
  }
  for (int32_t a = 0; a < c->n; a++)
    if (a != from && f[a] != 0.0) to = a;
  if (from < 0 || to < 0) return;
  for (int32_t a = 0; a < c->n; a++)
    if (a != to) sum -= f[a] * rate[a] / rate[from];
  const int32_t joint[2] = {w->s->m->scalars[c->arg[from].scalar].joint,
                            w->s->m->scalars[c->arg[to].scalar].joint};
  const char *unit = unit_of(w, &c->arg[to]);
  hki_text_printf(t, ": with '%s' at 1 %s, '%s' goes at %.6g %s by %s, at %.6g %s by '%s'",
                  name_of(w->s, joint[0]), unit_of(w, &c->arg[from]), name_of(w->s, joint[1]),
                  rate[to] / rate[from], unit, others(w, l, buf, sizeof buf), sum / f[to], unit,
                  name_of(w->s, w->s->m->closures[l->last].joint));
}

/* the sentence about one lock; NULL: no memory */
static const char *sentence(const words *w, const hk_rank_lock *l) {
  const hk_model *m = w->s->m;
  hk_text who, loops, held, text;
  hk_text *const all[] = {&who, &loops, &held, &text};
  char loop[512];
  for (int i = 0; i < 4; i++) hki_text_init(all[i], w->s->ctx);
  for (int32_t i = 0; i < l->n; i++) {
    if (m->closures[l->closure[i]].coupling) {
      list_name(&who, name_of(w->s, m->closures[l->closure[i]].joint));
      continue;
    }
    hki_model_loop_names(m, l->closure[i], loop, sizeof loop);
    hki_text_printf(&loops, " and the %s", loop);
  }
  held_names(w, l, &held);
  hki_text_printf(&text, "%s%s contradict each other and hold %s still", who.s ? who.s : "",
                  loops.len ? loops.s : "", held.s ? held.s : "");
  contradiction(w, l, &text);
  const bool ok = !who.failed && !loops.failed && !held.failed && !text.failed && text.s;
  const char *out = ok ? hki_pool_strdup(w->pool, text.s) : NULL;
  for (int i = 0; i < 4; i++) hki_text_free(all[i]);
  return out;
}

hk_status hki_locked(hk_tree *s, hk_pool *pool, hk_finding **list, int32_t *n) {
  const words w = {s, pool};
  hk_rank rank;
  bool any = false;
  *list = NULL;
  *n = 0;
  for (int32_t c = 0; c < s->m->nc; c++) any = any || s->m->closures[c].coupling;
  if (!any) return HK_OK;
  hk_status st = hki_rank(s, pool, HK_RANK_RATES | HK_RANK_LOCKS, &rank);
  if (st != HK_OK) return st;
  *list = hki_pool_alloc(pool, (size_t)(rank.nlocks + 1) * sizeof **list);
  if (!*list) return HK_E_MEMORY;
  for (int32_t i = 0; i < rank.nlocks; i++) {
    const hk_rank_lock *l = &rank.locks[i];
    const char *text = sentence(&w, l);
    if (!text) return HK_E_MEMORY;
    (*list)[(*n)++] =
        (hk_finding){HK_FINDING_LOCKED, name_of(s, s->m->closures[l->last].joint), text};
  }
  return HK_OK;
}
