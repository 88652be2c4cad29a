/* SPDX-License-Identifier: Apache-2.0
 *
 * task_life.c: tasks of a model are made and end (tasks.h).
 */
#include "simulation/tasks.h"

/* does a signal read rates, or what only a run knows? */
static bool reads_rates(const hk_spec *spec, int32_t signal) {
  const hk_spec_signal *s = &spec->signals[signal];
  for (int32_t i = 0; i < s->nreads; i++) {
    if (s->reads[i].kind == HK_READ_CHANNEL && hki_channel_level(s->reads[i].channel) > 0)
      return true;
    if (s->reads[i].kind == HK_READ_SIGNAL && reads_rates(spec, s->reads[i].signal)) return true;
  }
  return false;
}

static hk_status refuse_rates(hk_tasks *k) {
  for (int32_t c = 0; c < k->m->nc; c++) {
    const hk_closure *cl = &k->m->closures[c];
    if (!cl->rate_rows) continue;
    char name[300];
    hki_model_row_name(k->m, cl->row0, name, sizeof name);
    return hki_error(k->ctx, HK_E_MODEL, k->in->tasks[0].loc, "prescribe motions of joints instead",
                     "tasks need positions, but '%s' binds velocities alone", name);
  }
  for (int32_t i = 0; i < k->in->ntasks + k->in->nergonomy; i++) {
    const bool task = i < k->in->ntasks;
    const hk_spec_task *t = task ? &k->in->tasks[i] : NULL;
    const hk_spec_ergonomy *e = task ? NULL : &k->in->ergonomy[i - k->in->ntasks];
    const int32_t signal = t ? t->signal : e->signal;
    if (signal == HK_NONE || !reads_rates(k->m->spec, signal)) continue;
    return hki_error(k->ctx, HK_E_MODEL, t ? t->loc : e->loc,
                     "use positions: angles and lengths of joints, positions of bodies and markers",
                     "'value' of '%s' reads channels that are no positions", t ? t->name : e->name);
  }
  return HK_OK;
}

static bool allocate(hk_tasks *k) {
  const hk_model *m = k->m;
  const size_t nv = (size_t)k->nv + 1, n = (size_t)k->n + 1, nq = (size_t)m->nq + 1;
  const size_t big = n > nv ? n : nv;
  struct {
    double **at;
    size_t n;
  } part[] = {{&k->jet, 3 * (size_t)m->spec->nsignals + 1},
              {&k->q, nq},
              {&k->v, nv},
              {&k->a, nv},
              {&k->last_a, nv},
              {&k->before_q, nq},
              {&k->before_v, nv},
              {&k->S, nv * nv},
              {&k->U, big * nv},
              {&k->V, nv * nv},
              {&k->sv, nv},
              {&k->lam, n},
              {&k->M, nv * nv},
              {&k->H, nv * nv},
              {&k->Hv, nv * nv},
              {&k->Hs, nv},
              {&k->qs, nq},
              {&k->qp, nq},
              {&k->tried, nq},
              {&k->predicted, nq},
              {&k->descent, nv},
              {&k->zero, nv}};
  hk_task_rows *rows[] = {&k->here, &k->there};
  bool ok = true;
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++) {
    *part[i].at = hki_pool_alloc(k->pool, part[i].n * sizeof(double));
    if (*part[i].at) memset(*part[i].at, 0, part[i].n * sizeof(double));
    ok = ok && *part[i].at;
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(k->x); i++) {
    k->x[i] = hki_pool_alloc(k->pool, nv * sizeof *k->x[i]);
    if (k->x[i]) memset(k->x[i], 0, nv * sizeof *k->x[i]);
    ok = ok && k->x[i];
  }
  for (int i = 0; i < 2; i++) {
    rows[i]->phi = hki_pool_alloc(k->pool, n * sizeof(double));
    rows[i]->phit = hki_pool_alloc(k->pool, n * sizeof(double));
    rows[i]->G = hki_pool_alloc(k->pool, n * nv * sizeof(double));
    rows[i]->c = hki_pool_alloc(k->pool, nv * sizeof(double));
    ok = ok && rows[i]->phi && rows[i]->phit && rows[i]->G && rows[i]->c;
  }
  k->fixed_axis = hki_pool_alloc(k->pool, ((size_t)k->in->ntasks + 1) * sizeof *k->fixed_axis);
  return ok && k->fixed_axis;
}

/* where energies of forces are left */
static bool allocate_trace(hk_tasks *k) {
  hk_trace *t = hki_pool_alloc(k->pool, sizeof *t);
  const size_t nf = (size_t)k->m->nf + 1;
  if (!t) return false;
  t->force = hki_pool_alloc(k->pool, nf * sizeof *t->force);
  t->z = hki_pool_alloc(k->pool, (2 * (size_t)k->m->nz + 1) * sizeof *t->z);
  t->input = hki_pool_alloc(k->pool, nf * sizeof *t->input);
  k->trace = t;
  return t->force && t->z && t->input;
}

/* the axis of the world that is farthest from the direction wanted at the start */
static hk_status choose_axes(hk_tasks *k) {
  for (int32_t i = 0; i < k->in->ntasks; i++) {
    const hk_spec_task *t = &k->in->tasks[i];
    double d[3];
    k->fixed_axis[i] = 0;
    if (t->kind != HK_TASK_AXIS) continue;
    for (int c = 0; c < 3; c++) d[c] = fabs(hki_tasks_given(k, &t->target[c]));
    if (!(d[0] + d[1] + d[2] > 0.0))
      return hki_error(k->ctx, HK_E_MODEL, t->loc, "for example [0, 0, 1]",
                       "'axis' of task '%s' has no direction at %g s", t->name, k->t);
    for (int c = 1; c < 3; c++)
      if (d[c] < d[k->fixed_axis[i]]) k->fixed_axis[i] = c;
  }
  return HK_OK;
}

static hk_status begin(hk_tasks *k) {
  hk_status st = hk_eval_create(k->ctx, k->m, &k->e);
  if (st != HK_OK) return st;
  k->nv = k->m->nv;
  for (int32_t i = 0; i < k->in->ntasks; i++) {
    const hk_spec_task *t = &k->in->tasks[i];
    for (int c = 0; c < 3; c++)
      k->ntasks += t->kind == HK_TASK_POSITION ? (int32_t)(t->used >> c & 1u)
                   : t->kind == HK_TASK_AXIS   ? c < 2
                   : t->kind == HK_TASK_VALUE  ? c < 1
                                               : 1;
  }
  k->n = k->m->nrows + k->ntasks;
  if (!allocate(k) || !allocate_trace(k)) return HK_E_MEMORY;
  st = refuse_rates(k);
  if (st != HK_OK) return st;
  memcpy(k->q, k->e->q, (size_t)k->m->nq * sizeof *k->q);
  hki_kin_state(&k->e->s->kin, 0.0, k->q, k->zero);
  hki_kin_signals(&k->e->s->kin, true);
  return choose_axes(k);
}

hk_status hki_tasks_create(hk_ctx *ctx, hk_model *m, double step, hk_tasks **out) {
  *out = NULL;
  hk_tasks *k = hki_alloc(ctx, sizeof *k);
  if (!k) return HK_E_MEMORY;
  *k = (hk_tasks){.ctx = ctx, .m = m, .step = step, .in = &m->spec->inverse};
  k->pool = hki_pool_create(ctx);
  hk_status st = k->pool ? begin(k) : HK_E_MEMORY;
  if (st != HK_OK)
    hki_tasks_destroy(k);
  else
    *out = k;
  return st;
}

void hki_tasks_destroy(hk_tasks *k) {
  if (!k) return;
  hk_ctx *ctx = k->ctx;
  hk_eval_destroy(k->e);
  if (k->pool) hki_pool_destroy(k->pool);
  hki_free(ctx, k);
}
