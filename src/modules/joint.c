/* SPDX-License-Identifier: Apache-2.0
 *
 * joint.c: joints of modules, by their constraint rows alone: they close loops and have no
 * coordinates. The change of the constraint wrenches (GA'lam, GB'lam) with the poses is found by
 * differences.
 */
#include <string.h>

#include <math.h>
#include <stdio.h>

#include "joints/pair.h"
#include "modules/modules_impl.h"

/* a type; joints find it at the beginning of their parameters */
typedef struct own_joint {
  const hk_plugin_joint *type;
  hk_joint_ops ops;
  uint8_t rows[HK_JOINT_MAX]; /* what its rows are, for words and units */
} own_joint;

static const own_joint *type_of(const void *par) { return *(const own_joint *const *)par; }
static const void *own_par(const void *par) { return (const char *)par + HK_SELF; }

static void loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                 hk_joint_loop *out) {
  hk_joint_loop all;
  hk_plugin_rows rows = {all.phi, all.GA, all.GB, all.gamma};
  const size_t n = (size_t)type_of(par)->type->nc * sizeof(double);
  memset(&all, 0, sizeof all);
  type_of(par)->type->rows(own_par(par), (const hk_plugin_frame *)(const void *)A,
                           (const hk_plugin_frame *)(const void *)B, &rows);
  // members that are not asked for stay as they are
  if (need & HK_LOOP_POS) memcpy(out->phi, all.phi, n);
  if (need & HK_LOOP_JAC) memcpy(out->GA, all.GA, 6 * n), memcpy(out->GB, all.GB, 6 * n);
  if (need & HK_LOOP_ACC) memcpy(out->gamma, all.gamma, n);
}

/* (GA'lam, GB'lam) */
static void wrenches(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                     double *w) {
  const int32_t nc = type_of(par)->type->nc;
  hk_joint_loop L;
  loop(par, A, B, HK_LOOP_JAC, &L);
  for (int i = 0; i < 6; i++) {
    w[i] = w[6 + i] = 0.0;
    for (int32_t r = 0; r < nc; r++)
      w[i] += L.GA[6 * r + i] * lam[r], w[6 + i] += L.GB[6 * r + i] * lam[r];
  }
}

static void loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                     double *H) {
  const double h = 1e-6;
  for (int j = 0; j < 12; j++) {
    double w[2][12];
    for (int k = 0; k < 2; k++) {
      hk_frame moved = j < 6 ? *A : *B;
      hki_frame_move(&moved, j % 6, k ? -h : h);
      wrenches(par, j < 6 ? &moved : A, j < 6 ? B : &moved, lam, w[k]);
    }
    for (int i = 0; i < 12; i++) H[12 * i + j] = (w[0][i] - w[1][i]) / (2.0 * h);
  }
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Rows at a marker pair in motion against differences along the motion: phi against G V, and G V
 * against gamma at constant velocities. The largest error. */
static double wrong_rows(const own_joint *o, const void *par) {
  const double h = 1e-5;
  hk_frame A = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .w = {0.3, -0.2, 0.5}, .v = {0.1, 0.4, -0.3}};
  hk_frame B = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .w = {-0.4, 0.6, 0.2}, .v = {0.5, -0.1, 0.2}};
  double phi[2][HK_JOINT_MAX], rate[3][HK_JOINT_MAX], gamma[HK_JOINT_MAX], most = 0.0;
  for (int k = 0; k < 3; k++) {
    const double t = k == 2 ? 0.0 : k ? -h : h;
    hk_frame m[2] = {A, B};
    for (int i = 0; i < 2; i++) {
      const hk_frame *f = i ? &B : &A;
      double turn[3], E[9];
      v3_scale(turn, t, f->w);
      rot_exp(E, turn);
      m3_mul(m[i].R, E, f->R);
      for (int x = 0; x < 3; x++) m[i].p[x] += t * f->v[x] + 0.1 * (x + 1) * i;
    }
    hk_joint_loop L;
    memset(&L, 0, sizeof L);
    loop(par, &m[0], &m[1], HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &L);
    for (int32_t r = 0; r < o->type->nc; r++) {
      double sum = 0.0;
      for (int x = 0; x < 3; x++)
        sum += L.GA[6 * r + x] * A.w[x] + L.GA[6 * r + 3 + x] * A.v[x] + L.GB[6 * r + x] * B.w[x] +
               L.GB[6 * r + 3 + x] * B.v[x];
      if (k < 2) phi[k][r] = L.phi[r];
      rate[k][r] = sum, gamma[r] = L.gamma[r];
    }
  }
  for (int32_t r = 0; r < o->type->nc; r++) {
    most = fmax(most, fabs((phi[0][r] - phi[1][r]) / (2.0 * h) - rate[2][r]));
    most = fmax(most, fabs((rate[0][r] - rate[1][r]) / (2.0 * h) - gamma[r]));
  }
  return most;
}

/* the module's own check, then its equations */
static bool check(const void *par, char *words, size_t cap) {
  const own_joint *o = type_of(par);
  words[0] = '\0';
  if (o->type->prepare && o->type->prepare((void *)(uintptr_t)own_par(par), words, cap) != 0)
    return false;
  if (!(wrong_rows(o, par) > 1e-4)) return true;
  snprintf(words, cap, "its rows differ from differences along a motion: a mistake in the module");
  return false;
}

/* --- registering ------------------------------------------------------------------------------ */

hk_status hki_module_joint(hk_loading *l, const hk_plugin_joint *t) {
  const hk_key_rules rules = {
      .kinds = HK_KEYS_PLAIN | 1u << HK_PLUGIN_AXIS, .par_size = t->par_size, .head = HK_SELF};
  if (!hki_module_good(l, t->size, sizeof *t, t->name, t->text)) return l->status;
  if (hki_joint_known(l->ctx, t->name))
    return hki_module_refuse(l, t->name, "there is such a joint already");
  if (!t->rows || t->nc < 1 || t->nc > HK_JOINT_MAX)
    return hki_module_refuse(l, t->name, "it needs a function 'rows' and 1 to %d of them",
                             HK_JOINT_MAX);
  own_joint *o = hki_module_alloc(l, sizeof *o);
  const hk_param *params = hki_module_keys(l, t->name, t->keys, &rules);
  if (!o || !params) return l->status;
  o->type = t;
  for (int32_t r = 0; r < t->nc && r < HK_JOINT_MAX; r++)
    o->rows[r] = t->lengths >> r & 1u ? HK_S_OWN_LENGTH : HK_S_OWN_ANGLE;
  o->ops = (hk_joint_ops){.name = t->name,
                          .text = t->text,
                          .source = t->source ? t->source : "a module",
                          .nv = -1,
                          .nc = t->nc,
                          .coords = "",
                          .rates = "",
                          .units = "",
                          .par_size = HK_SELF + t->par_size,
                          .self = o,
                          .params = params,
                          .mirror = {0, 0, 0},
                          .plane = {.rule = HK_PLANE_ROWS},
                          .rows = o->rows,
                          .check = check,
                          .loop = loop,
                          .loop_geo = loop_geo};
  if (!hki_extend_add(l->ctx, HK_EXTEND_JOINT, &o->ops)) l->status = HK_E_MEMORY;
  return l->status;
}
