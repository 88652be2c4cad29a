/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c: `force` and `torque`, given by three inputs u, in axes R of the world or of the body:
 *
 *   F  = R u                     axes of the world
 *   F  = R_0 R u                 axes of the first marker's body
 *
 *   force:   w0 = (0, F)         w1 = (-(p0 - p1) x F, -F)       reaction at the same point
 *   torque:  w0 = (F, 0)         w1 = (-F, 0)
 *
 * Without `reaction_on` w1 is zero. All work counts as supplied. A load in body axes rotates with
 * the body, dF = dtheta_0 x F; its tangent is not symmetric.
 */
#include "elements/tangent.h"

typedef struct hk_load_par {
  hk_axes axes;  /* of the components */
  bool reaction; /* the second marker's body takes the reaction; else that marker is not used */
} hk_load_par;

static void load_vector(const hk_load_par *par, const hk_frame *m, const double *u, double *F) {
  double r[3];
  if (par->axes.follow) {
    m3_mulv(r, par->axes.R, u);
    m3_mulv(F, m->R, r);
  } else {
    m3_mulv(F, par->axes.R, u);
  }
}

/* wrenches of the force F at the first marker's origin; r = p0 - p1 */
static void force_wrench(const hk_load_par *par, const double *F, const double *r, double *w) {
  memset(w, 0, 12 * sizeof *w);
  v3_copy(w + 3, F);
  if (par->reaction) {
    v3_cross(w + 6, F, r);
    v3_scale(w + 9, -1.0, F);
  }
}

static void torque_wrench(const hk_load_par *par, const double *F, double *w) {
  memset(w, 0, 12 * sizeof *w);
  v3_copy(w, F);
  if (par->reaction) v3_scale(w + 6, -1.0, F);
}

/* energy and outputs of both types */
static void load_book(const hk_element_in *in, const double *F, hk_element_out *out) {
  const hk_frame *a = &in->m[0], *b = &in->m[1];
  const double *w = out->w;
  out->energy = out->dissipated = 0.0;
  out->supplied = v3_dot(w, a->w) + v3_dot(w + 3, a->v) + v3_dot(w + 6, b->w) + v3_dot(w + 9, b->v);
  v3_copy(out->y, F);
  out->y[3] = out->supplied;
}

static void force_eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_load_par *par = p;
  double F[3], r[3];
  load_vector(par, &in->m[0], in->u, F);
  v3_sub(r, in->m[0].p, in->m[1].p);
  force_wrench(par, F, r, out->w);
  load_book(in, F, out);
  if (need & HK_NEED_EXACT) {
    hki_tangent_zero(12, out->K), hki_tangent_zero(12, out->C);
    // dF = -[F] th0;  d(F x r) = [F] dr - [r] dF
    if (par->axes.follow) hki_add_skew(out->K, 3, 0, 1.0, F);
    if (par->reaction) {
      hki_add_skew(out->K, 6, 3, -1.0, F);
      hki_add_skew(out->K, 6, 9, 1.0, F);
    }
    if (par->reaction && par->axes.follow) {
      double S[9], T[9], G[9];
      m3_skew(S, r), m3_skew(T, F);
      m3_mul(G, S, T);
      hki_add_block(out->K, 6, 0, -1.0, G);
      hki_add_skew(out->K, 9, 0, -1.0, F);
    }
  }
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, G[3];
      load_vector(par, &in->m[0], e, G);
      force_wrench(par, G, r, out->Wu + 12 * k);
    }
}

static void torque_eval(const void *p, const hk_element_in *in, uint32_t need,
                        hk_element_out *out) {
  const hk_load_par *par = p;
  double F[3];
  load_vector(par, &in->m[0], in->u, F);
  torque_wrench(par, F, out->w);
  load_book(in, F, out);
  if (need & HK_NEED_EXACT) {
    hki_tangent_zero(12, out->K), hki_tangent_zero(12, out->C);
    if (par->axes.follow) hki_add_skew(out->K, 0, 0, 1.0, F);
    if (par->axes.follow && par->reaction) hki_add_skew(out->K, 6, 0, -1.0, F);
  }
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < 3; k++) {
      double e[3] = {k == 0, k == 1, k == 2}, G[3];
      load_vector(par, &in->m[0], e, G);
      torque_wrench(par, G, out->Wu + 12 * k);
    }
}

/* axes that are not given (all zeros) become the identity */
static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_load_par *par = p;
  double sum = 0.0;
  (void)ctx, (void)loc, (void)name, (void)u_given, (void)u0, (void)m0;
  for (int i = 0; i < 9; i++) sum += fabs(par->axes.R[i]);
  if (sum == 0.0) m3_identity(par->axes.R);
  return HK_OK;
}

static bool force_axes(const void *p) {
  const hk_load_par *par = p;
  return par->axes.follow || par->reaction;
}

/* clang-format off */
#define LOAD_PARAMS(what, kind, unit, at) \
    {"on", HK_P_BODY, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the body it acts on"}, \
    {"at", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, at}, \
    {"value", kind, HK_P_REQUIRED, 0, 0, 0, 0, unit, NULL, "its three components"}, \
    {"axes", HK_P_AXES, 0, (int32_t)offsetof(hk_load_par, axes), 0, 0, 0, "", NULL, "axes of the components: world (default), body (they turn with it), or a frame"}, \
    {"reaction_on", HK_P_BODY, 0, (int32_t)offsetof(hk_load_par, reaction), 0, 0, 0, "", NULL, "body that bears the opposite " what}, \
    HK_PARAM_END
static const hk_param force_params[] = {
    LOAD_PARAMS("force, at the same point of space", HK_P_DYNAMIC3, "N",
                "the point of the body it acts at; left out: the centre of mass")};
static const hk_param torque_params[] = {
    LOAD_PARAMS("torque", HK_P_DYNAMIC3P, "N*m",
                "where it is drawn; a torque acts the same at every point")};
/* clang-format on */

/* members that both tables share */
#define LOAD_OPS                                                                                   \
  .source = "definition", .nmark = 2, .nu = 3, .ny = 4, .par_size = sizeof(hk_load_par),           \
  .outputs = "x y z power", .prepare = prepare

extern const hk_element_ops hki_element_force, hki_element_torque;
const hk_element_ops hki_element_force = {
    LOAD_OPS,
    .name = "force",
    .caps = HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS | HK_ELEMENT_SUPPLIES,
    .text = "given force at a point of a body, with or without reaction on another",
    .params = force_params,
    .output_units = "N N N W",
    .eval = force_eval,
    .axes = force_axes,
};
const hk_element_ops hki_element_torque = {
    LOAD_OPS,
    .name = "torque",
    .caps = HK_ELEMENT_SYMMETRIC | HK_ELEMENT_ANYWHERE | HK_ELEMENT_SUPPLIES,
    .text = "given torque on a body, with or without reaction on another",
    .params = torque_params,
    .output_units = "N*m N*m N*m W",
    .eval = torque_eval,
};
