/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.c: shapes of modes as an animation (hooke/statespace.h). With X the complex shape of a mode in the
 * coordinates of the tree,
 *
 *   q = q0 (+) e Re(X exp(i phi)),   phi from 0 to 2 pi
 *
 * e: so large that the body that moves most goes a tenth of the mechanism's length or turns by 0.2 rad. Loops
 * are closed again at each frame.
 */
#include "scene/recorder.h"
#include "simulation/statespace.h"

enum { FRAMES = 32 };

typedef struct shapes {
  const hk_statespace *l;
  hk_sim *s;
  hk_output *out;
  double *re, *im;     /* n: a shape */
  double *q0, *v0, *q; /* nq, nv + nx + nz, nq */
  double *v, *xi;      /* nv + nx + nz, nv */
} shapes;

/* how large the shape is drawn */
static double amplitude(const shapes *z, int32_t mode) {
  double most = 0.0, re[6], im[6];
  for (int32_t b = 0; b < z->l->nb; b++) {
    if (hk_statespace_body(z->l, mode, b, re, im, NULL) != HK_OK) continue;
    for (int i = 0; i < 6; i++) {
      const double unit = i < 3 ? 0.1 * z->l->m->length : 0.2;
      most = fmax(most, hypot(re[i], im[i]) / unit);
    }
  }
  return most > 0.0 ? 1.0 / most : 0.0;
}

/* one frame of a mode, at time t */
static hk_status draw(shapes *z, double e, double phase, double t) {
  const hk_statespace *l = z->l;
  const hk_model *m = l->m;
  hk_sim *s = z->s;
  memset(z->xi, 0, (size_t)m->nv * sizeof *z->xi);
  for (int32_t j = 0; j < l->np; j++) {
    const double x = e * (z->re[j] * cos(phase) - z->im[j] * sin(phase)) * l->sign[l->place[j]];
    if (l->large) z->xi[j] = x; // all coordinates of the tree are states
    for (int32_t i = 0; i < m->nv && !l->large; i++)
      z->xi[i] += x * l->moves[i + (size_t)j * (size_t)m->nv];
  }
  hki_tree_plus(m, z->q0, z->xi, z->q);
  memcpy(z->v, z->v0, (size_t)(m->nv + m->nx + m->nz) * sizeof *z->v);
  hk_status st = m->nc ? hki_tree_project_state(s->tree, s->I.t, z->q, z->v) : HK_OK;
  if (st == HK_OK) st = s->f->ops->from_tree(s->f, z->q, z->v, s->I.q, s->I.v);
  if (st == HK_OK) st = s->f->ops->accel(s->f, s->I.t, s->I.q, s->I.v, s->I.a);
  if (st > 0) return HK_OK; // a shape that cannot be reached is left out
  if (st != HK_OK) return st;
  hki_sim_refresh(s);
  st = hk_sim_values(s, z->out->values);
  if (st == HK_OK) st = z->out->row(z->out, t, z->out->values);
  return st == HK_OK && z->out->frame ? z->out->frame(z->out, t) : st;
}

static hk_status draw_all(shapes *z, int32_t modes) {
  hk_status st = HK_OK;
  for (int32_t k = 0; st == HK_OK && k < modes; k++) {
    const double e = amplitude(z, k);
    st = hk_statespace_shape(z->l, k, z->re, z->im);
    for (int32_t f = 0; st == HK_OK && f < FRAMES; f++)
      st = hki_stopped(z->l->ctx)
               ? HK_INTERRUPTED
               : draw(z, e, 6.283185307179586 * f / FRAMES, k + (double)f / FRAMES);
  }
  return st;
}

static hk_status allocate(shapes *z, hk_pool *pool) {
  const hk_model *m = z->l->m;
  const size_t ns = (size_t)(m->nv + m->nx + m->nz) + 1, n = (size_t)z->l->n + 1,
               nq = (size_t)m->nq + 1;
  double *x = pool ? hki_pool_alloc(pool, (2 * n + 2 * nq + 3 * ns) * sizeof *x) : NULL;
  if (!x) return HK_E_MEMORY;
  z->re = x, z->im = x + n, z->q0 = z->im + n, z->q = z->q0 + nq, z->v0 = z->q + nq;
  z->v = z->v0 + ns, z->xi = z->v + ns;
  hki_sim_refresh(z->s);
  memcpy(z->q0, z->s->qt, (size_t)m->nq * sizeof *z->q0);
  memcpy(z->v0, z->s->vt, (ns - 1) * sizeof *z->v0);
  return m->nc ? hki_tree_matrix(z->s->tree) : HK_OK;
}

hk_status hk_statespace_record(const hk_statespace *l, hk_sim *s, int32_t modes, const char *output,
                               const char *report) {
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  if (!hki_is(s, HK_MARK_SIM) || s->m != l->m)
    return hki_misuse(l->ctx, "hk_statespace_record", "no simulation of the same model");
  if (!l->mode || modes < 0)
    return hki_misuse(l->ctx, "hk_statespace_record", "no modes: see hk_statespace_find_modes");
  if (modes == 0 || modes > l->nmodes) modes = l->nmodes;
  hk_run_options opt = hk_run_options_def();
  hk_recorder *files = NULL;
  shapes z = {.l = l};
  opt.output = output, opt.report = report;
  hk_status st = hk_sim_clone(s, NULL, &z.s);
  if (st != HK_OK) return st;
  hk_pool *pool = hki_pool_create(l->ctx);
  st = allocate(&z, pool);
  const hk_recording as = {
      .analysis = "modes", .axis = "mode", .axis_unit = "", .rows = (int64_t)modes * FRAMES};
  if (st == HK_OK) st = hki_recorder_open_as(z.s, &opt, &as, &files);
  z.out = hki_recorder_output(files);
  hki_stop_allow(l->ctx, true);
  if (st == HK_OK && z.out) st = draw_all(&z, modes);
  hki_stop_allow(l->ctx, false);
  hk_status closed = HK_OK;
  if (st == HK_OK)
    closed = hki_recorder_close(files);
  else
    hki_recorder_abandon(files);
  hki_recorder_free(files);
  if (pool) hki_pool_destroy(pool);
  hk_sim_destroy(z.s);
  return st == HK_OK ? closed : st;
}
