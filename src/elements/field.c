/* SPDX-License-Identifier: Apache-2.0
 *
 * field.c: forces on the mass of a body, which the model as a whole causes: gravity that varies,
 * gravity of a centre, and the motion of the frame of reference. The reader makes one for each body
 * with mass; the marker is at the centre of mass, p its place, v its velocity, w the angular
 * velocity, R its axes. m and J0 are mass and inertia, J = R J0 R'.
 *
 * gravity        F = m g                      g: three inputs. All work counts as supplied.
 *
 * attraction     F = -mu m r / |r|^3          r = p - c. Inputs: mu (gravity constant times mass of
 *                E = -mu m / |r|              the centre), c. J and the size of the body do not
 *                                             count. Newton, Principia, 1687.
 *
 * frame          The model is described in a frame whose origin has the velocity V and which turns
 *                with the angular velocity o against an inertial frame, both in axes of the frame;
 *                V', o' are their rates of change in these axes. For the absolute motion the laws of
 *                Newton and Euler hold; written in the frame they get the forces
 *
 *                  F = -m (V' + o x V + o' x p + o x (o x p) + 2 o x v)
 *                  M = -(J o' + o x J o + w x J o - J (w x o) + o x J w)
 *
 *                the last three terms from d(J o)/dt as seen in the frame and from o x J w. Their
 *                power has no part of 2 o x v and of the last two terms of M with w x J o, which do
 *                no work:  F . v + M . w = supplied. (J. Wittenburg, Dynamics of multibody systems,
 *                2008, chapter 4.) Inputs: o, o', V, V'. Where the point that has the velocity V is
 *                not the origin, p counts from that point.
 */
#include "elements/field.h"
#include "elements/tangent.h"

static void clear(hk_element_out *out, uint32_t need) {
  memset(out->w, 0, sizeof out->w);
  out->energy = out->dissipated = 0.0;
  if (need & HK_NEED_EXACT) hki_tangent_zero(12, out->K), hki_tangent_zero(12, out->C);
}

/* supplied power and outputs */
static void book(const hk_element_in *in, hk_element_out *out) {
  out->supplied = v3_dot(out->w, in->m->w) + v3_dot(out->w + 3, in->m->v);
  for (int i = 0; i < 3; i++) out->y[i] = out->w[3 + i];
  out->y[3] = out->supplied;
}

/* --- gravity ---------------------------------------------------------------------------------- */

static void gravity_eval(const void *p, const hk_element_in *in, uint32_t need,
                         hk_element_out *out) {
  const hk_field_par *par = p;
  clear(out, need);
  v3_scale(out->w + 3, par->mass, in->u);
  book(in, out);
  if (!(need & HK_NEED_INPUT)) return;
  memset(out->Wu, 0, 3 * 12 * sizeof *out->Wu);
  for (int k = 0; k < 3; k++) out->Wu[12 * k + 3 + k] = par->mass;
}

static bool no_axes(const void *p) {
  (void)p;
  return false;
}

/* --- attraction ------------------------------------------------------------------------------- */

static void attraction_eval(const void *p, const hk_element_in *in, uint32_t need,
                            hk_element_out *out) {
  const hk_field_par *par = p;
  const double mu = in->u[0];
  double r[3], d = 0.0;
  clear(out, need);
  v3_sub(r, in->m->p, in->u + 1);
  d = v3_norm(r);
  const double g = par->mass / (d * d * d);
  v3_scale(out->w + 3, -mu * g, r);
  book(in, out);
  if (!in->u_varies) {
    out->energy = -mu * par->mass / d;
    out->supplied = 0.0;
  }
  // -dF/dp = dF/dc = mu m (1 - 3 r r'/d^2) / d^3
  double G[9];
  for (int i = 0; i < 9; i++) G[i] = mu * g * ((i % 4 == 0) - 3.0 * r[i / 3] * r[i % 3] / (d * d));
  if (need & HK_NEED_EXACT) hki_add_block(out->K, 3, 3, 1.0, G);
  if (!(need & HK_NEED_INPUT)) return;
  memset(out->Wu, 0, 4 * 12 * sizeof *out->Wu);
  v3_scale(out->Wu + 3, -g, r);
  for (int k = 0; k < 3; k++) v3_copy(out->Wu + 12 * (1 + k) + 3, G + 3 * k);
}

/* --- the moving frame ------------------------------------------------------------------------- */

/* D(a) = d(J a)/dtheta = J [a] - [J a], for a turn dtheta of the body and a vector a at rest */
static void turned_inertia(const double *J, const double *a, double *D) {
  double S[9], Ja[3], T[9];
  m3_skew(S, a);
  m3_mul(D, J, S);
  m3_mulv(Ja, J, a);
  m3_skew(T, Ja);
  for (int i = 0; i < 9; i++) D[i] -= T[i];
}

/* K(0.., 0..) += f [a] D(b), or f D(b) when a is NULL */
static void add_turned(double *K, double f, const double *a, const double *J, const double *b) {
  double D[9], S[9], T[9];
  turned_inertia(J, b, D);
  if (a) {
    m3_skew(S, a);
    m3_mul(T, S, D);
  }
  hki_add_block(K, 0, 0, f, a ? T : D);
}

static void frame_tangent(double m, const double *J, const double *o, const double *od,
                          const double *w, hk_element_out *out) {
  double S[9], T[9], x[3], Jo[3];
  // -dF/dp = m ([o'] + [o][o]),  -dF/dv = 2 m [o]
  m3_skew(S, o);
  m3_mul(T, S, S);
  hki_add_skew(out->K, 3, 3, m, od);
  hki_add_block(out->K, 3, 3, m, T);
  hki_add_skew(out->C, 3, 3, 2.0 * m, o);
  // -dM/dtheta = D(o') + [o] D(o) + [w] D(o) - D(w x o) + [o] D(w)
  v3_cross(x, w, o);
  add_turned(out->K, 1.0, NULL, J, od);
  add_turned(out->K, 1.0, o, J, o);
  add_turned(out->K, 1.0, w, J, o);
  add_turned(out->K, -1.0, NULL, J, x);
  add_turned(out->K, 1.0, o, J, w);
  // -dM/dw = -[J o] + J [o] + [o] J
  m3_mulv(Jo, J, o);
  hki_add_skew(out->C, 0, 0, -1.0, Jo);
  m3_mul(T, J, S);
  hki_add_block(out->C, 0, 0, 1.0, T);
  m3_mul(T, S, J);
  hki_add_block(out->C, 0, 0, 1.0, T);
}

/* y -= f a x b */
static void take_cross(double *y, double f, const double *a, const double *b) {
  double x[3];
  v3_cross(x, a, b);
  v3_axpy(y, -f, x);
}

/* derivatives by the components e of o, o', V and V' */
static void frame_inputs(double m, const double *J, const hk_element_in *in, const double *c,
                         hk_element_out *out) {
  const double *o = in->u, *V = in->u + 6, *v = in->m->v, *w = in->m->w;
  memset(out->Wu, 0, sizeof out->Wu);
  for (int k = 0; k < 3; k++) {
    double e[3] = {k == 0, k == 1, k == 2}, x[3], y[3], Je[3], *by = out->Wu + 12 * k;
    m3_mulv(Je, J, e);
    // o: F = -m (e x V + e x (o x c) + o x (e x c) + 2 e x v)
    for (int i = 0; i < 3; i++) x[i] = V[i] + 2.0 * v[i];
    take_cross(by + 3, m, e, x);
    v3_cross(x, o, c);
    take_cross(by + 3, m, e, x);
    v3_cross(x, e, c);
    take_cross(by + 3, m, o, x);
    // M = -(e x J o + o x J e + w x J e - J (w x e) + e x J w)
    for (int i = 0; i < 3; i++) x[i] = o[i] + w[i];
    m3_mulv(y, J, x);
    take_cross(by, 1.0, e, y);
    take_cross(by, 1.0, x, Je);
    v3_cross(x, w, e);
    m3_mulv(y, J, x);
    v3_add(by, by, y);
    // o', V, V'
    take_cross(by + 36 + 3, m, e, c);
    v3_scale(by + 36, -1.0, Je);
    take_cross(by + 72 + 3, m, o, e);
    v3_scale(by + 108 + 3, -m, e);
  }
}

static void frame_eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_field_par *par = p;
  const double *o = in->u, *od = in->u + 3, *V = in->u + 6, *Vd = in->u + 9;
  const double *v = in->m->v, *w = in->m->w;
  double c[3], J[9], a[3], x[3], y[3], Jo[3], Jw[3], M[3];
  clear(out, need);
  v3_sub(c, in->m->p, par->centre);
  // acceleration of the frame at the centre of mass, and that of Coriolis
  for (int i = 0; i < 3; i++) y[i] = V[i] + 2.0 * v[i];
  v3_cross(a, o, y);
  v3_add(a, a, Vd);
  v3_cross(x, od, c);
  v3_add(a, a, x);
  v3_cross(x, o, c);
  v3_cross(y, o, x);
  v3_add(a, a, y);
  v3_scale(out->w + 3, -par->mass, a);
  m3_congruence(J, in->m->R, par->J);
  m3_mulv(M, J, od);
  m3_mulv(Jo, J, o);
  m3_mulv(Jw, J, w);
  for (int i = 0; i < 3; i++) x[i] = Jo[i] + Jw[i];
  v3_cross(y, o, x);
  v3_add(M, M, y);
  v3_cross(y, w, Jo);
  v3_add(M, M, y);
  v3_cross(x, w, o);
  m3_mulv(y, J, x);
  v3_sub(M, M, y);
  v3_scale(out->w, -1.0, M);
  book(in, out);
  if (need & HK_NEED_EXACT) frame_tangent(par->mass, J, o, od, w, out);
  if (need & HK_NEED_INPUT) frame_inputs(par->mass, J, in, c, out);
}

/* --- tables ----------------------------------------------------------------------------------- */

static const hk_param none[] = {HK_PARAM_END};

#define FIELD_OPS                                                                                  \
  .nmark = 1, .ny = 4, .par_size = sizeof(hk_field_par), .params = none, .outputs = "x y z power", \
  .output_units = "N N N W", .glyph = HK_GLYPH_NONE,                                               \
  .caps = HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS | HK_ELEMENT_SUPPLIES

const hk_element_ops hki_element_gravity = {FIELD_OPS,
                                            .name = "gravity",
                                            .text = "gravity that varies in time",
                                            .source = "definition",
                                            .nu = 3,
                                            .eval = gravity_eval,
                                            .axes = no_axes};
const hk_element_ops hki_element_attraction = {FIELD_OPS,
                                               .name = "attraction",
                                               .text = "gravity towards a centre",
                                               .source = "Newton 1687",
                                               .nu = 4,
                                               .eval = attraction_eval,
                                               .axes = no_axes};
const hk_element_ops hki_element_frame = {FIELD_OPS,
                                          .name = "frame",
                                          .text = "inertia of a moving frame of reference",
                                          .source = "Wittenburg 2008",
                                          .nu = 12,
                                          .eval = frame_eval};
