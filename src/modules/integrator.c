/* SPDX-License-Identifier: Apache-2.0
 *
 * integrator.c: integrators of modules. They see a step as vectors, and the formulation through the
 * functions of hk_plugin_solver; coordinates, multipliers and matrices stay hidden.
 */
#include <string.h>

#include "integrators/integrator.h"
#include "modules/modules_impl.h"

enum { MOST_HISTORY = 16 };

static const hk_plugin_integrator *type_of(const void *par) {
  return *(const hk_plugin_integrator *const *)par;
}

/* --- what the library does -------------------------------------------------------------------- */

static hk_integrator *inner(hk_plugin_stepper *I) { return I->self; }

static void plus(hk_plugin_stepper *I, const double *q, const double *d, double *out) {
  inner(I)->f->ops->plus(inner(I)->f, q, d, out);
}

static void minus(hk_plugin_stepper *I, const double *q1, const double *q0, double *d) {
  inner(I)->f->ops->minus(inner(I)->f, q1, q0, d);
}

static int32_t stage(hk_plugin_stepper *I, double t, const double *q0, double cv, double ca,
                     const double *vh, const double *ah, double *D) {
  hk_integrator *in = inner(I);
  const hk_stage st = {t, HK_LEVEL_POS, cv, ca, q0, vh, ah, false, NULL, NULL};
  return hki_newton_solve(in->newton, in->f, &st, in->nv, D, in->work);
}

static int32_t accel(hk_plugin_stepper *I, double t, const double *q, const double *v, double *a) {
  hk_integrator *in = inner(I);
  const hk_status st = in->f->ops->accel(in->f, t, q, v, a);
  return st == HK_E_NUMBER ? HK_RETRY : st;
}

static int32_t project(hk_plugin_stepper *I, double t, double *q, double *v, double *a,
                       uint32_t what) {
  hk_integrator *in = inner(I);
  return in->f->ops->project(in->f, t, q, v, a,
                             what & (HK_PROJECT_POS | HK_PROJECT_VEL | HK_PROJECT_ACC));
}

static const hk_plugin_solver solver = {sizeof solver, plus, minus, stage, accel, project};

/* --- what the module does --------------------------------------------------------------------- */

static hk_plugin_stepper stepper_of(hk_integrator *I) {
  return (hk_plugin_stepper){.par = (const char *)I->par + HK_SELF,
                             .nq = I->nq,
                             .nv = I->nv,
                             .t = I->t,
                             .q = I->q,
                             .v = I->v,
                             .a = I->a,
                             .hist = I->hist,
                             .q1 = I->q1,
                             .v1 = I->v1,
                             .a1 = I->a1,
                             .hist1 = I->hist1,
                             .D = I->D,
                             .vh = I->vh,
                             .ah = I->ah,
                             .work = I->work,
                             .self = I};
}

/* a status of a module: those that the library does not know are internal errors */
static hk_status status_of(int32_t st) {
  return st == HK_OK || st == HK_RETRY || (st < 0 && st >= HK_E_INTERNAL) ? (hk_status)st
                                                                          : HK_E_INTERNAL;
}

static hk_status start(hk_integrator *I) {
  const hk_plugin_integrator *t = type_of(I->par);
  hk_plugin_stepper s = stepper_of(I);
  memset(I->hist, 0, (size_t)(t->nhist * I->nv) * sizeof *I->hist);
  return t->start ? status_of(t->start(&solver, &s)) : HK_OK;
}

static hk_status step(hk_integrator *I, double h) {
  hk_plugin_stepper s = stepper_of(I);
  return status_of(type_of(I->par)->step(&solver, &s, h));
}

static bool prepare(void *par, uint64_t given, char *buf, size_t cap) {
  const hk_plugin_integrator *t = type_of(par);
  (void)given;
  buf[0] = '\0';
  return !t->prepare || t->prepare((char *)par + HK_SELF, buf, cap) == 0;
}

hk_status hki_module_integrator(hk_loading *l, const hk_plugin_integrator *t) {
  const hk_key_rules rules = {.kinds = 1u << HK_PLUGIN_REAL | 1u << HK_PLUGIN_INT |
                                       1u << HK_PLUGIN_CHOICE,
                              .par_size = t->par_size,
                              .head = HK_SELF};
  if (!hki_module_good(l, t->size, sizeof *t, t->name, t->text)) return l->status;
  if (hki_integrator_known(l->ctx, t->name))
    return hki_module_refuse(l, t->name, "there is such an integrator already");
  if (!t->step || t->order < 1 || t->nhist < 0 || t->nhist > MOST_HISTORY ||
      t->par_size > HK_INTEGRATOR_PAR_MAX - HK_SELF)
    return hki_module_refuse(
        l, t->name,
        "it needs a function 'step', an order, at most %d vectors of history and %d "
        "bytes of parameters",
        MOST_HISTORY, HK_INTEGRATOR_PAR_MAX - HK_SELF);
  hk_integrator_ops *ops = hki_module_alloc(l, sizeof *ops);
  const hk_param *params = hki_module_keys(l, t->name, t->keys, &rules);
  if (!ops || !params) return l->status;
  *ops = (hk_integrator_ops){.name = t->name,
                             .text = t->text,
                             .source = t->source ? t->source : "a module",
                             .needs = (t->needs & HK_PLUGIN_NEEDS_STAGES ? HK_CAP_STAGE_POS : 0u) |
                                      HK_CAP_ACCEL,
                             .order = t->order,
                             .params = params,
                             .par_size = HK_SELF + t->par_size,
                             .self = t,
                             .prepare = prepare,
                             .nhist = t->nhist,
                             .start = start,
                             .step = step};
  if (!hki_extend_add(l->ctx, HK_EXTEND_INTEGRATOR, ops)) l->status = HK_E_MEMORY;
  return l->status;
}
