/* SPDX-License-Identifier: Apache-2.0
 *
 * releases.c: what the events of a model set free. A motion x without inertia that some releases
 * leave free, Phi_z x = 0 and M x = 0 without their rows, is free too when more rows go: if it is
 * held with all releases together and no joint fixed, no order of events frees one. Otherwise the
 * event that does it is looked for: each alone, then one after the other in the order of the file.
 */
#include "analyses/inertia.h"

typedef struct releases {
  hk_tree *s;
  hk_pool *pool;
  const hk_held *held;
  double *start, *x; /* nc: closures that are on at the start; nv */
  hk_freed *list;
  int32_t n, cap;
  bool failed;
} releases;

/* what the event does to the list of closures that are on, as in a run */
static void apply(const hk_model *m, const hk_spec_event *e, double *active) {
  if (e->action != HK_EVENT_FIX && e->action != HK_EVENT_RELEASE) return;
  const hk_model_joint *j = &m->joints[e->joint];
  const bool fix = e->action == HK_EVENT_FIX, off = j->closure >= 0 && active[j->closure] == 0.0;
  bool locked = false;
  for (int32_t c = j->lock0; c < j->lock0 + j->nlock; c++) {
    locked = locked || active[c] != 0.0;
    if (!fix || !off) active[c] = fix ? 1.0 : 0.0;
  }
  if (j->closure < 0 || (fix ? !off : locked)) return;
  for (int32_t c = j->closure; c < j->closure + hki_joint_closures(m, j); c++)
    active[c] = fix ? 1.0 : 0.0;
  for (int32_t c = j->motion0; c < j->motion0 + j->nmotion; c++) active[c] = fix ? 1.0 : 0.0;
}

/* is a motion without inertia free with the present closures? */
static bool is_free(releases *L) {
  hki_kin_forget(&L->s->kin, HK_KIN_OF_CLOSURES);
  hki_kin_closures(&L->s->kin);
  return hki_inertia_free(L->s, L->held, L->x);
}

static void restart(releases *L) {
  memcpy(L->s->kin.disc.active, L->start, (size_t)L->s->m->nc * sizeof(double));
}

/* end of the run of entries that one event of the file has made, from entry e on */
static int32_t end_of(const hk_spec *spec, int32_t e) {
  int32_t k = e + 1;
  while (k < spec->nevents && strcmp(spec->events[k].name, spec->events[e].name) == 0) k++;
  return k;
}

/* one more finding about the entries e .. last - 1; how: "", " after those before it" */
static void add(releases *L, int32_t e, int32_t last, const char *how) {
  const hk_spec *spec = L->s->m->spec;
  const char *joints = "";
  char words[400];
  for (int32_t k = e; joints && k < last; k++)
    if (spec->events[k].action == HK_EVENT_RELEASE)
      joints = hki_pool_printf(L->pool, "%s%s'%s'", joints, *joints ? ", " : "",
                               spec->joints[spec->events[k].joint].name);
  hki_inertia_words(L->s, L->x, words, sizeof words);
  const char *text =
      joints ? hki_pool_printf(L->pool, "event '%s' releases %s%s: then %s, which no mass resists",
                               spec->events[e].name, joints, how, words)
             : NULL;
  if (!text || !HK_GROW(L->s->ctx, L->list, L->cap, L->n + 1)) {
    L->failed = true;
    return;
  }
  L->list[L->n++] = (hk_freed){spec->events[e].name, text};
}

static bool releases_any(const hk_spec *spec, int32_t e, int32_t last) {
  for (; e < last; e++)
    if (spec->events[e].action == HK_EVENT_RELEASE) return true;
  return false;
}

/* does an entry before e release the joint of entry e? Then its event has been examined. */
static bool seen(const hk_spec *spec, int32_t e) {
  for (int32_t k = 0; k < e; k++)
    if (spec->events[k].action == HK_EVENT_RELEASE &&
        spec->events[k].joint == spec->events[e].joint)
      return true;
  return false;
}

/* the events that free such a motion by themselves; of several that release the same joint, the
 * first */
static void one_by_one(releases *L) {
  const hk_model *m = L->s->m;
  for (int32_t e = 0, last; e < m->spec->nevents && !L->failed; e = last) {
    last = end_of(m->spec, e);
    bool fresh = false;
    restart(L);
    for (int32_t k = e; k < last; k++) {
      fresh = fresh || (m->spec->events[k].action == HK_EVENT_RELEASE && !seen(m->spec, k));
      apply(m, &m->spec->events[k], L->s->kin.disc.active);
    }
    if (fresh && is_free(L)) add(L, e, last, "");
  }
}

/* the first event that does it after those before it in the file */
static void in_order(releases *L) {
  const hk_model *m = L->s->m;
  restart(L);
  for (int32_t e = 0, last; e < m->spec->nevents; e = last) {
    last = end_of(m->spec, e);
    for (int32_t k = e; k < last; k++) apply(m, &m->spec->events[k], L->s->kin.disc.active);
    if (!releases_any(m->spec, e, last) || !is_free(L)) continue;
    add(L, e, last, ", after the events before it");
    return;
  }
}

/* all releases, no joint fixed */
static bool all_at_once(releases *L) {
  const hk_model *m = L->s->m;
  double *active = L->s->kin.disc.active;
  restart(L);
  for (int32_t e = 0; e < m->spec->nevents; e++) {
    // twice: a joint that is locked at first is unlocked, then switched off
    for (int twice = 0; twice < 2 && m->spec->events[e].action == HK_EVENT_RELEASE; twice++)
      apply(m, &m->spec->events[e], active);
  }
  return is_free(L);
}

hk_status hki_releases(hk_tree *s, hk_pool *pool, const hk_held *held, const double *q,
                       const double *v, hk_freed **list, int32_t *n) {
  const hk_model *m = s->m;
  releases L = {.s = s, .pool = pool, .held = held};
  *list = NULL;
  *n = 0;
  if (!releases_any(m->spec, 0, m->spec->nevents)) return HK_OK;
  L.start = hki_pool_alloc(pool, (size_t)(m->nc + m->nv + 1) * sizeof *L.start);
  if (!L.start) return HK_E_MEMORY;
  L.x = L.start + m->nc;
  memcpy(L.start, s->kin.disc.active, (size_t)m->nc * sizeof *L.start);
  hki_kin_state(&s->kin, 0.0, q, v);
  hki_kin_signals(&s->kin, false);
  if (all_at_once(&L)) {
    one_by_one(&L);
    if (!L.n) in_order(&L);
    if (!L.n && !L.failed && all_at_once(&L)) add(&L, 0, m->spec->nevents, " with the others");
  }
  restart(&L);
  hki_kin_forget(&s->kin, HK_KIN_OF_CLOSURES);
  if (!L.failed && L.n) {
    *list = hki_pool_alloc(pool, (size_t)L.n * sizeof **list);
    if (*list) memcpy(*list, L.list, (size_t)L.n * sizeof **list);
    *n = *list ? L.n : 0;
    L.failed = !*list;
  }
  hki_free(s->ctx, L.list);
  return L.failed ? HK_E_MEMORY : HK_OK;
}
