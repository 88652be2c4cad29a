/* SPDX-License-Identifier: Apache-2.0
 *
 * spring_damper.c: a spring and damper between two points, w = -B'f, tension positive. With
 * d = pB - pA:
 *
 *   along the line of the ends          s = |d|       B = [0, -n', 0, n']           n = d/s
 *   `along` a, an axis of A             s = a . d     B = [(a x d)', -a', 0, a']
 *
 * Along an axis the line of action goes through the second end, so A also takes the moment
 * d x (f a), and the wrenches of both ends cancel.
 *
 * Ends at the same point have no line of action: force and rate are zero there, and an unstressed
 * spring has its stiffness in all directions.
 *
 * Source: Cuadrado and Dopico 2003, eqs. 28-34, with the signs above, plus the geometric term.
 */
#include "elements/spring.h"
#include "elements/tangent.h"

typedef struct hk_spring_damper_par {
  hk_spring_par law;
  double axis[3]; /* `along` in marker A's axes; 0 0 0: along the line of the ends */
  bool along;
} hk_spring_damper_par;

/* shorter than this the line of action is undefined, m */
#define SHORTEST 1e-12

/* the deformation, of either kind */
typedef struct line {
  double d[3], v[3]; /* pB - pA and its rate */
  double a[3];       /* direction of the force on A when in tension */
  double s, sd;
} line;

HKI_INLINE void line_eval(const hk_spring_damper_par *par, const hk_frame *A, const hk_frame *B,
                          line *l) {
  v3_sub(l->d, B->p, A->p);
  v3_sub(l->v, B->v, A->v);
  if (par->along) {
    double r[3];
    m3_mulv(l->a, A->R, par->axis);
    l->s = v3_dot(l->a, l->d);
    v3_cross(r, l->a, l->d);
    l->sd = v3_dot(l->a, l->v) + v3_dot(A->w, r);
  } else {
    l->s = v3_norm(l->d);
    v3_scale(l->a, l->s > SHORTEST ? 1.0 / l->s : 0.0, l->d);
    if (l->s <= SHORTEST) v3_zero(l->a);
    l->sd = v3_dot(l->a, l->v);
  }
}

/* the row of B, and w = -B'f */
HKI_INLINE void line_row(const hk_spring_damper_par *par, const line *l, double f, double *B,
                         double *w) {
  double m[3] = {0.0, 0.0, 0.0};
  if (par->along) v3_cross(m, l->a, l->d);
  for (int i = 0; i < 3; i++) {
    B[i] = m[i], B[3 + i] = -l->a[i], B[6 + i] = 0.0, B[9 + i] = l->a[i];
    w[i] = -f * m[i], w[3 + i] = f * l->a[i], w[6 + i] = 0.0, w[9 + i] = -f * l->a[i];
  }
}

/* P = d(sdot)/dxi at fixed twists */
static void line_rate_row(const hk_spring_damper_par *par, const hk_frame *A, const line *l,
                          double *P) {
  v3_zero(P), v3_zero(P + 6), v3_zero(P + 9);
  if (par->along) {
    double r[3], q[3];
    v3_cross(P, l->a, l->v);
    v3_cross(r, l->d, A->w);
    v3_cross(q, l->a, r);
    v3_add(P, P, q);
    v3_cross(P + 9, A->w, l->a);
  } else if (l->s > SHORTEST) {
    for (int i = 0; i < 3; i++) P[9 + i] = (l->v[i] - l->sd * l->a[i]) / l->s;
  }
  v3_scale(P + 3, -1.0, P + 9);
}

/* K += d(B'f)/dxi at fixed f */
static void line_geometric(const hk_spring_damper_par *par, const line *l, const hk_spring_force *f,
                           double *K) {
  double G[9];
  if (par->along) {
    // moment a x d on A, force a: d(a x d) = [d][a] th + [a](dpB - dpA), da = -[a] th
    double D[9], S[9];
    m3_skew(D, l->d), m3_skew(S, l->a);
    m3_mul(G, D, S);
    hki_add_block(K, 0, 0, f->f, G);
    hki_add_skew(K, 0, 9, f->f, l->a);
    hki_add_skew(K, 0, 3, -f->f, l->a);
    hki_add_skew(K, 3, 0, f->f, l->a);
    hki_add_skew(K, 9, 0, -f->f, l->a);
    return;
  }
  // f/s (I - n n'); at length 0 the limit for an unstressed spring
  bool apart = l->s > SHORTEST;
  double g = apart ? f->f / l->s : fabs(f->f) <= 2.0 * fabs(f->ks) * SHORTEST ? f->ks : 0.0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) G[3 * i + j] = g * ((i == j) - l->a[i] * l->a[j]);
  hki_add_block(K, 3, 3, 1.0, G);
  hki_add_block(K, 9, 9, 1.0, G);
  hki_add_block(K, 3, 9, -1.0, G);
  hki_add_block(K, 9, 3, -1.0, G);
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_spring_damper_par *par = p;
  hk_spring_force f;
  line l;
  line_eval(par, &in->m[0], &in->m[1], &l);
  hki_spring_force(&par->law, in, l.s, l.sd, need & HK_NEED_MEMORY ? out->d : NULL, &f);

  line_row(par, &l, f.f, out->B, out->w);
  out->ks[0] = f.ks, out->cs[0] = f.cs;

  if (need & HK_NEED_EXACT) {
    double P[HK_BS];
    line_rate_row(par, &in->m[0], &l, P);
    hki_tangent_material(1, 12, out->B, P, out->ks, out->cs, out->K, out->C);
    line_geometric(par, &l, &f, out->K);
  }
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < HK_SPRING_INPUTS; k++)
      for (int i = 0; i < 12; i++) out->Wu[12 * k + i] = -f.fu[k] * out->B[i];
  if (need & HK_NEED_ENERGY) {
    hki_spring_energy(&par->law, in->u, in->u_varies, l.s, l.sd, &f, out);
    out->s = l.s, out->sd = l.sd;
  }
  if (need & HK_NEED_OUTPUT) out->y[0] = l.s, out->y[1] = l.sd, out->y[2] = f.f;
}

/* laws read the whole length unless a free length is given; the default free length of a linear
 * spring is that of the drawing position */
static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_spring_damper_par *par = p;
  line l;
  hk_status status = hki_spring_check(ctx, loc, name, &par->law, u_given);
  if (status != HK_OK) return status;
  par->along = v3_normalize(par->axis) > 0.0;
  par->law.offset = (u_given & 4u) != 0;
  if (!par->law.offset) {
    line_eval(par, &m0[0], &m0[1], &l);
    u0[2] = l.s;
  }
  return HK_OK;
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hki_spring_power(&((const hk_spring_damper_par *)p)->law, in, dissipated, supplied);
}

static int32_t laws(const void *p, const hk_law **list) {
  return hki_spring_laws(&((const hk_spring_damper_par *)p)->law, list);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_spring_damper_par, field)
static const hk_param params[] = {
    {"between", HK_P_BODIES, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_P_ENDS, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "m", NULL, "a point of the first body and one of the second"},
    {"stiffness", HK_P_DYNAMIC, 0, 0, 0, 0, 0, "N/m", NULL, "force per elongation"},
    {"damping", HK_P_DYNAMIC, 0, 1, 0, 0, 0, "N*s/m", NULL, "force per rate of elongation"},
    {"length", HK_P_DYNAMIC, 0, 2, NAN, 0, 0, "m", NULL, "free length; left out: as drawn, and laws read the whole length"},
    {"spring", HK_P_LAW, 0, AT(law.spring), 0, 0, 0, "N", NULL, "law over s, the length (minus 'length' if given); instead of 'stiffness'"},
    {"damper", HK_P_LAW, 0, AT(law.damper), 0, 0, 0, "N", NULL, "law over sdot, the rate of the length; instead of 'damping'"},
    {"along", HK_P_AXIS, 0, AT(axis), 0, 0, 0, "", NULL, "axis of the first body: only the distance along it counts, and the pair acts through the second end"},
    {"normal", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 3, 0, 0, 0, "N", NULL, "normal force; the forces of a damper law with friction are then coefficients"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_spring_damper;
const hk_element_ops hki_element_spring_damper = {
    .name = "spring_damper",
    .text = "spring and damper between two points, along their line or along an axis",
    .source = "Cuadrado and Dopico 2003, eqs. 28-34, with the geometric term",
    .nmark = 2,
    .rank = 1,
    .nu = HK_SPRING_INPUTS,
    .ny = 3,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS,
    .par_size = sizeof(hk_spring_damper_par),
    .params = params,
    .arrow = 1,
    .glyph = HK_GLYPH_COIL,
    .outputs = "length rate force",
    .output_units = "m m/s N",
    .prepare = prepare,
    .eval = eval,
    .power = power,
    .laws = laws,
};
