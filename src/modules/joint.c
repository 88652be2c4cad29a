/* SPDX-License-Identifier: Apache-2.0
 *
 * joint.c: joints of modules: constraint rows, by which they close loops, and, if they have them,
 * coordinates, by which they lead to bodies. The change of the constraint wrenches (GA'lam, GB'lam) with the poses is found by
 * differences.
 */
#include <string.h>

#include <math.h>
#include <stdio.h>

#include "joints/pair.h"
#include "joints/tree.h"
#include "modules/modules_impl.h"

/* a type; joints find it at the beginning of their parameters */
typedef struct own_joint {
  const hk_plugin_joint *type;
  hk_joint_ops ops;
  uint8_t rows[HK_JOINT_MAX]; /* what its rows are, for words and units */
  uint8_t scalars[HK_JOINT_MAX];
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

/* --- coordinates ------------------------------------------------------------------------------ */

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  hk_plugin_motion m = {out->R, out->p, out->S, out->c};
  memset(out, 0, sizeof *out);
  type_of(par)->type->motion(own_par(par), q, v, &m);
}

/* all coordinates with their slopes */
static void measure_all(const void *par, const hk_frame *A, const hk_frame *B, const double *near,
                        hk_joint_loop *L) {
  hk_plugin_rows rows = {L->phi, L->GA, L->GB, L->gamma};
  memset(L, 0, sizeof *L);
  type_of(par)->type->measure(own_par(par), (const hk_plugin_frame *)(const void *)A,
                              (const hk_plugin_frame *)(const void *)B, near, &rows);
}

static double rate_of(const double *gA, const double *gB, const hk_frame *A, const hk_frame *B) {
  return v3_dot(gA, A->w) + v3_dot(gA + 3, A->v) + v3_dot(gB, B->w) + v3_dot(gB + 3, B->v);
}

static void coord(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double s_near,
                  hk_joint_coord *out) {
  double near[HK_JOINT_MAX] = {0.0};
  hk_joint_loop L;
  near[k] = s_near;
  measure_all(par, A, B, near, &L);
  memcpy(out->gA, L.GA + 6 * k, sizeof out->gA);
  memcpy(out->gB, L.GB + 6 * k, sizeof out->gB);
  out->s = L.phi[k], out->sd = rate_of(out->gA, out->gB, A, B), out->bias = L.gamma[k];
}

static void coord_geo(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double *H) {
  const double h = 1e-6;
  hk_joint_coord here;
  coord(par, k, A, B, 0.0, &here);
  for (int j = 0; j < 12; j++) {
    hk_joint_coord x[2];
    for (int i = 0; i < 2; i++) {
      hk_frame F[2] = {*A, *B};
      hki_frame_move(&F[j / 6], j % 6, i ? -h : h);
      coord(par, k, &F[0], &F[1], here.s, &x[i]);
    }
    for (int i = 0; i < 12; i++)
      H[12 * i + j] =
          ((i < 6 ? x[0].gA[i] : x[0].gB[i - 6]) - (i < 6 ? x[1].gA[i] : x[1].gB[i - 6])) /
          (2.0 * h);
  }
}

static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  static const double zero[HK_JOINT_MAX] = {0.0};
  hk_joint_loop L;
  measure_all(par, A, B, q_near ? q_near : zero, &L);
  for (int32_t k = 0; k < type_of(par)->type->ncoord; k++)
    q[k] = L.phi[k], v[k] = rate_of(L.GA + 6 * k, L.GB + 6 * k, A, B);
}

/* Pose and twist of B by `motion` against rows and `measure`: B is where the rows are zero, has the
 * coordinates and rates that were given, and its accelerations keep both. The largest error. */
static double wrong_motion(const own_joint *o, const void *par) {
  const double q[HK_JOINT_MAX] = {0.31, -0.17, 0.23}, v[HK_JOINT_MAX] = {0.7, -0.4, 0.5};
  const int32_t n = o->type->ncoord, nc = o->type->nc;
  hk_frame A = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, B = A;
  hk_joint_tree T;
  hk_joint_loop L, X;
  double a[6], most = 0.0;
  tree(par, q, v, &T);
  memcpy(B.R, T.R, sizeof B.R);
  v3_copy(B.p, T.p);
  memcpy(a, T.c, sizeof a);
  for (int32_t k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      B.w[i] += T.S[6 * k + i] * v[k], B.v[i] += T.S[6 * k + 3 + i] * v[k];
  memset(&L, 0, sizeof L);
  loop(par, &A, &B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &L);
  measure_all(par, &A, &B, q, &X);
  for (int32_t r = 0; r < nc; r++) {
    const double *g = L.GB + 6 * r;
    most = fmax(most, fabs(L.phi[r]));
    most = fmax(most, fabs(rate_of(L.GA + 6 * r, g, &A, &B)));
    most = fmax(most, fabs(v3_dot(g, a) + v3_dot(g + 3, a + 3) + L.gamma[r]));
  }
  for (int32_t k = 0; k < n; k++) {
    const double *g = X.GB + 6 * k;
    most = fmax(most, fabs(X.phi[k] - q[k]));
    most = fmax(most, fabs(rate_of(X.GA + 6 * k, g, &A, &B) - v[k]));
    most = fmax(most, fabs(v3_dot(g, a) + v3_dot(g + 3, a + 3) + X.gamma[k]));
  }
  return most;
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
  const bool rows = !(wrong_rows(o, par) > 1e-4);
  if (rows && !(o->ops.nv > 0 && wrong_motion(o, par) > 1e-8)) return true;
  snprintf(words, cap, "its %s: a mistake in the module",
           rows ? "motion does not keep its rows, or has other coordinates than are measured"
                : "rows differ from differences along a motion");
  return false;
}

/* --- registering ------------------------------------------------------------------------------ */

/* coordinates of a joint, 0: none; modules of earlier headers do not know of them */
static int32_t coordinates(const hk_plugin_joint *t) {
  return t->size > offsetof(hk_plugin_joint, ncoord) ? t->ncoord : 0;
}

/* what is wrong with the coordinates; NULL: nothing */
static const char *wrong_coordinates(const hk_plugin_joint *t) {
  const int32_t n = coordinates(t);
  if (!n) return NULL;
  if (t->size < sizeof *t || n < 1 || n > 3 || n + t->nc != 6)
    return "it may have 1 to 3 coordinates, which are six with its rows";
  if (!t->motion || !t->measure) return "it needs the functions 'motion' and 'measure'";
  if (!t->coords || hki_word_count(t->coords) != n || !t->rates || hki_word_count(t->rates) != n ||
      !t->units || hki_word_count(t->units) != n)
    return "'coords', 'rates' and 'units' must have a word for each coordinate";
  return NULL;
}

/* the face to the spanning tree */
static void add_coordinates(own_joint *o) {
  static void (*const plus[])(const double *, const double *, double *) = {hki_plus_1, hki_plus_2,
                                                                           hki_plus_3};
  static void (*const minus[])(const double *, const double *,
                               double *) = {hki_minus_1, hki_minus_2, hki_minus_3};
  const hk_plugin_joint *t = o->type;
  const int32_t n = t->ncoord;
  hk_joint_ops *ops = &o->ops;
  for (int32_t k = 0; k < n && k < HK_JOINT_MAX; k++)
    o->scalars[k] = t->distances >> k & 1u ? HK_S_OWN_LENGTH : HK_S_OWN_ANGLE;
  ops->nq = ops->nv = ops->ns = n;
  ops->coords = t->coords, ops->rates = t->rates, ops->units = t->units;
  ops->plane =
      (hk_joint_plane){.rule = HK_PLANE_REFUSED, .words = "its coordinates are those of space"};
  ops->scalars = o->scalars;
  ops->plus = plus[n - 1], ops->minus = minus[n - 1];
  ops->tree = tree, ops->coord = coord, ops->coord_geo = coord_geo, ops->measure = measure;
}

hk_status hki_module_joint(hk_loading *l, const hk_plugin_joint *t) {
  const hk_key_rules rules = {
      .kinds = HK_KEYS_PLAIN | 1u << HK_PLUGIN_AXIS, .par_size = t->par_size, .head = HK_SELF};
  if (!hki_module_good(l, t->size, offsetof(hk_plugin_joint, ncoord), t->name, t->text))
    return l->status;
  if (hki_joint_known(l->ctx, t->name))
    return hki_module_refuse(l, t->name, "there is such a joint already");
  if (!t->rows || t->nc < 1 || t->nc > HK_JOINT_MAX)
    return hki_module_refuse(l, t->name, "it needs a function 'rows' and 1 to %d of them",
                             HK_JOINT_MAX);
  const char *wrong = wrong_coordinates(t);
  if (wrong) return hki_module_refuse(l, t->name, "%s", wrong);
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
  if (coordinates(t)) add_coordinates(o);
  if (!hki_extend_add(l->ctx, HK_EXTEND_JOINT, &o->ops)) l->status = HK_E_MEMORY;
  return l->status;
}
