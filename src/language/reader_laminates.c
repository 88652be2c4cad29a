/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_laminates.c: the section of a laminate strip, plies with fibres one upon the other. Width b along
 * y, plies along z from the lower face up, the reference line in the middle; fibres at an angle from x to y.
 *
 *   Q'      stiffness of a ply in the axes of the strip, plane stress, from E1, E2, G12, nu12
 *   ABD     = integral over z of [Q', z Q'; z Q', z^2 Q']      of (eps_x, eps_y, gamma_xy, kap_x, kap_y, kap_xy)
 *   S       4 x 4: the same for (eps_x, gamma_xy, kap_x, kap_xy) where N_y = M_y = 0
 *
 * A strain of the section is, with kap_x = kappa_y and kap_xy = -2 kappa_x (a thin strip warps by -y z kappa_x),
 *
 *   EA = b S11    shear y = b S22    extension-shear = b S12    EI flat = b S33    GJ = 4 b S44    bend-twist = -2 b S34
 *
 * and EI in its plane is S11 b^3/12. Shear factors are 5/6: along y on what S22 has beyond its couplings, along z on the sum of
 * G13 cos^2 + G23 sin^2 of the plies. Free edges and hindered warping are not in it.
 *
 * Source: Jones, Mechanics of Composite Materials, 1999 (classical lamination theory).
 */
#include <math.h>

#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_laminate[] = {
    REAL("width", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "m", "width of the strip, along y"),
    ROW("plies", HK_P_ANY, HK_P_REQUIRED, "list of its plies from the lower face up: [{angle: pi/4, thickness: 1e-3}, ..]"),
    ROW("material", HK_P_ANY, 0, "of all plies that have none of their own: {E1:, E2:, G12:, nu12:, density:}"),
    ROW("symmetric", HK_P_BOOL, 0, "true: the same plies follow once more in the opposite order"),
    HK_PARAM_END};

const hk_param hki_keys_ply[] = {
    REAL("angle", HK_P_REQUIRED, NAN, "rad", "of its fibres, from the x axis of the section towards y"),
    REAL("thickness", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "m", "thickness"),
    ROW("material", HK_P_ANY, 0, "its own material; left out: that of the laminate"),
    HK_PARAM_END};

const hk_param hki_keys_ply_material[] = {
    REAL("E1", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "Pa", "modulus along the fibres"),
    REAL("E2", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "Pa", "modulus across them"),
    REAL("G12", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "Pa", "shear modulus in the plane of the ply"),
    REAL("nu12", 0, 0.3, "1", "contraction across the fibres of a ply stretched along them; between -sqrt(E1/E2) and sqrt(E1/E2)"),
    REAL("G13", HK_P_POSITIVE, NAN, "Pa", "shear modulus of fibres and thickness; left out: G12"),
    REAL("G23", HK_P_POSITIVE, NAN, "Pa", "shear modulus across fibres and thickness; left out: G12"),
    REAL("density", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "kg/m^3", "density"),
    HK_PARAM_END};
/* clang-format on */

enum { E1, E2, G12, NU12, G13, G23, DENSITY, NUMBERS }; /* of a material, as its keys */

/* plies while they are put together */
typedef struct stack {
  hk_reader *rd;
  hk_rd_scope *s;
  const char *kind, *name; /* of what they belong to: "beam 'wing'" */
  const hk_node *material;
  hk_rd_plies *out;
} stack;

/* "the material of a ply of beam", for messages about its keys */
static const char *of(const stack *p, const char *what) {
  const char *text = hki_pool_printf(p->rd->pool, "%s of %s", what, p->kind);
  return text ? text : what;
}

/* --- plies ------------------------------------------------------------------------------------ */

static bool read_material(const stack *p, const hk_node *node, double *x) {
  static const hk_param *const tables[] = {hki_keys_ply_material, NULL};
  if (!hki_rd_check_keys(p->rd, node, tables, of(p, "the material of a ply"), p->name))
    return false;
  for (int i = 0; i < NUMBERS; i++) {
    const hk_param *row = &hki_keys_ply_material[i];
    if (!hki_rd_key_real(p->rd, p->s, node, hki_keys_ply_material, row->name, &x[i])) return false;
    if (isnan(x[i]) && (row->flags & HK_P_REQUIRED)) return false; // said
  }
  if (isnan(x[G13])) x[G13] = x[G12];
  if (isnan(x[G23])) x[G23] = x[G12];
  const double most = sqrt(x[E1] / x[E2]);
  if (fabs(x[NU12]) < most) return true;
  hki_rd_error(p->rd, hki_node_get(node, "nu12") ? hki_node_get(node, "nu12")->loc : node->loc,
               "every deformation must cost energy",
               "'nu12' must be between -sqrt(E1/E2) and sqrt(E1/E2), which is %g; found %g", most,
               x[NU12]);
  return false;
}

/* Q (3 x 3) of (x, y, xy): that of the fibres' axes turned by the angle */
static void stiffness(const double *x, double angle, double *Q) {
  const double nu21 = x[NU12] * x[E2] / x[E1], f = 1.0 / (1.0 - x[NU12] * nu21);
  const double q[9] = {f * x[E1], f * nu21 * x[E1], 0.0, f * nu21 * x[E1], f * x[E2], 0.0, 0.0, 0.0,
                       x[G12]};
  const double c = cos(angle), s = sin(angle);
  // strains in the fibres' axes: T (x, y, xy)
  const double T[9] = {c * c,  s * s,      c * s,     s * s,        c * c,
                       -c * s, -2 * c * s, 2 * c * s, c * c - s * s};
  double X[9];
  m3_mul(X, q, T);
  m3_tmul(Q, T, X);
}

/* a ply between z = from and to */
static bool add_ply(const stack *p, const hk_node *node, double from, double *to) {
  const hk_node *own = hki_node_get(node, "material");
  double x[NUMBERS], angle, t, Q[9];
  if (!hki_rd_key_real(p->rd, p->s, node, hki_keys_ply, "angle", &angle) ||
      !hki_rd_key_real(p->rd, p->s, node, hki_keys_ply, "thickness", &t) ||
      !read_material(p, own ? own : p->material, x))
    return false;
  const double z = *to = from + t;
  const double part[3] = {t, 0.5 * (z * z - from * from), (z * z * z - from * from * from) / 3.0};
  const double c = cos(angle), s = sin(angle);
  stiffness(x, angle, Q);
  hk_rd_plies *out = p->out;
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) out->ABD[6 * i + j] += part[i / 3 + j / 3] * Q[3 * (i % 3) + j % 3];
  for (int k = 0; k < 3; k++) out->mass[k] += x[DENSITY] * part[k];
  out->shear[0] += t * (x[G13] * c * c + x[G23] * s * s);
  out->shear[1] += t * (x[G13] * s * s + x[G23] * c * c);
  out->shear[2] += t * (x[G13] - x[G23]) * c * s;
  return true;
}

/* keys of ply i; its thickness */
static bool check_ply(const stack *p, const hk_node *node, double *thickness) {
  static const hk_param *const tables[] = {hki_keys_ply, NULL};
  if (!hki_rd_check_keys(p->rd, node, tables, of(p, "a ply"), p->name)) return false;
  if (!hki_node_get(node, "material") && !p->material) {
    hki_rd_error(p->rd, node->loc, "material: {E1:, E2:, G12:, nu12:, density:}",
                 "a ply of %s '%s' has no material, and the laminate neither", p->kind, p->name);
    return false;
  }
  return hki_rd_key_real(p->rd, p->s, node, hki_keys_ply, "thickness", thickness) &&
         !isnan(*thickness);
}

static bool read_plies(const stack *p, const hk_node *list, bool symmetric) {
  double sum = 0.0;
  if (list->kind != HK_NODE_SEQUENCE || list->count < 1) {
    hki_rd_error(p->rd, list->loc, "plies: [{angle: 0, thickness: 1e-3}, ..]",
                 "'plies' of %s '%s' must be a list of plies", p->kind, p->name);
    return false;
  }
  for (int32_t i = 0; i < list->count; i++) {
    double t;
    if (!check_ply(p, list->items[i], &t)) return false;
    sum += symmetric ? 2.0 * t : t;
  }
  double z = -0.5 * sum;
  const int32_t n = list->count, all = symmetric ? 2 * n : n;
  for (int32_t i = 0; i < all; i++)
    if (!add_ply(p, list->items[i < n ? i : all - 1 - i], z, &z)) return false;
  p->out->thickness = sum;
  return true;
}

/* --- the section ------------------------------------------------------------------------------ */

/* takes unknown k out of a symmetric matrix of order n whose force there is zero */
static void condense(double *A, int n, int k) {
  const double pivot = A[(n + 1) * k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != k && j != k) A[n * i + j] -= A[n * i + k] * A[n * k + j] / pivot;
}

/* the section's matrix from ABD, rotations first */
static void fill(hk_rd_plies *p, double b, hk_rd_section *out) {
  static const int from[4] = {0, 2, 3, 5},
                   to[4] = {3, 4, 1, 0}; // axial, shear y, bending y, torsion
  static const double by[4] = {1.0, 1.0, 1.0, -2.0};
  double S[16], X[16];
  condense(p->ABD, 6, 1);
  condense(p->ABD, 6, 4);
  // eps_y is out already: its row and column are not used any more
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) X[4 * i + j] = S[4 * i + j] = p->ABD[6 * from[i] + from[j]];
  for (int k = 0; k < 4; k++)
    if (k != 1) condense(X, 4, k);
  S[5] -= X[5] / 6.0; // X[5]: shear alone, all other forces zero
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) out->C[6 * to[i] + to[j]] = b * by[i] * by[j] * S[4 * i + j];
  out->C[14] = S[0] * b * b * b / 12.0;
  out->C[35] = 5.0 / 6.0 * b * p->shear[0];

  const double m = p->mass[0], z = p->mass[1] / m;
  out->mass = b * m;
  out->com[2] = z;
  out->J[4] = b * (p->mass[2] - m * z * z);
  out->J[8] = b * b * b * m / 12.0;
  out->J[0] = out->J[4] + out->J[8];
  out->outline = (hk_outline){HK_OUTLINE_RECTANGLE, {b, p->thickness}, {0}};
}

bool hki_rd_plies(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                  const char *name, hk_rd_plies *out) {
  const hk_node *symmetric = hki_node_get(node, "symmetric"), *list = hki_node_get(node, "plies");
  const stack p = {rd, s, kind, name, hki_node_get(node, "material"), out};
  bool twice = false;
  *out = (hk_rd_plies){0};
  if (symmetric && !hki_rd_bool(rd, s, symmetric, "symmetric", &twice)) return false;
  return list && read_plies(&p, list, twice);
}

bool hki_rd_laminate(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                     hk_rd_section *out) {
  static const hk_param *const tables[] = {hki_keys_laminate, NULL};
  hk_rd_plies p;
  double width;
  if (!hki_rd_check_keys(rd, node, tables, "the laminate of beam", name)) return false;
  if (!hki_rd_key_real(rd, s, node, hki_keys_laminate, "width", &width) || isnan(width))
    return false;
  if (!hki_rd_plies(rd, s, node, "beam", name, &p)) return false;
  fill(&p, width, out);
  return true;
}
