/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_sections.c: sections of beams: from a shape and a material, from stiffnesses, or as 6x6
 * matrices; of laminates: reader_laminates.c. x along the beam, z is `up`.
 *
 *   rectangle a x b, a >= b    GJ = G a b^3/3 (1 - 192 b/(pi^5 a) sum over odd n of tanh(n pi a/(2b))/n^5)
 *   circle, tube               GJ = G (Iy + Iz)
 *   i                          GJ = G (2 width flange^3 + (height - 2 flange) web^3)/3, thin walls
 *
 * Shear stiffness is that of the energy of the shear stresses V Q/(I b) (Jourawski): GA times 5/6 of a
 * rectangle, 9/10 of a circle; of a tube with m = (r/R)^2, 6 (1 + m)^2/(7 (1 + m)^2 + 20 m), 1/2 where it is
 * thin; of an I its web, and its flanges times 5/6.
 *
 * Places in the section, seen from the line of nodes. Strains at a point c of it are gamma + kappa x c, so that a section
 * whose own matrix is C has there T'C T. `offset` moves the section as a whole, `shear_centre` the point of its
 * shear strains alone, `mass_centre` its mass.
 *
 * Sources: Timoshenko and Goodier, Theory of Elasticity, 1970, articles 109 and 121; Cowper, The Shear
 * Coefficient in Timoshenko's Beam Theory, 1966 (tubes, at nu = 0).
 */
#include <math.h>
#include <stdio.h>

#include "language/reader_beams.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_section[] = {
    ROW("shape", HK_P_ANY, 0, "{rectangle: [b, h]}, {circle: R}, {tube: [R, r]} or {i: [width, height, web, flange]}, m; h and height along 'up'"),
    ROW("material", HK_P_ANY, 0, "of 'shape': {E: 2.1e11, nu: 0.3, density: 7850}"),
    REAL("EA", HK_P_POSITIVE, NAN, "N", "axial stiffness"),
    ROW("GA", HK_P_ANY, 0, "shear stiffness [along y, along z], or one number for both, N"),
    REAL("GJ", HK_P_POSITIVE, NAN, "N*m^2", "torsional stiffness"),
    ROW("EI", HK_P_ANY, 0, "bending stiffness [about y, about z], or one number for both, N*m^2"),
    REAL("mass", HK_P_POSITIVE, NAN, "kg/m", "mass per length"),
    ROW("inertia", HK_P_ANY, 0, "moments of inertia per length [about x, y, z], kg*m; left out: mass EI/EA about y and z, their sum about x"),
    ROW("laminate", HK_P_ANY, 0, "strip of plies with fibres: {width: 0.02, material: {..}, plies: [{angle: pi/4, thickness: 1e-3}, ..]}"),
    ROW("stiffness", HK_P_ANY, 0, "symmetric 6x6 matrix; order axial, shear y, shear z, torsion, bending y, bending z"),
    ROW("mass_matrix", HK_P_ANY, 0, "symmetric 6x6 matrix per length in the same order; with 'stiffness'"),
    ROW("offset", HK_P_ANY, 0, "place [y, z] of the whole section seen from the line of nodes, m"),
    ROW("shear_centre", HK_P_ANY, 0, "place [y, z] of its shear centre seen from the point where an axial force does not bend it, m"),
    ROW("mass_centre", HK_P_ANY, 0, "place [y, z] of its centre of mass seen from that point, m"),
    BOUNDED("at", 0, NAN, 0, 1, "1", "in a list of sections: part of the length from the start where it stands; left out of all: at equal distances"),
    HK_PARAM_END};

const hk_param hki_keys_section_shape[] = {
    ROW("rectangle", HK_P_ANY, 0, "[width along y, height along z]"),
    REAL("circle", HK_P_POSITIVE, NAN, "m", "radius"),
    ROW("tube", HK_P_ANY, 0, "[outer radius, inner radius]"),
    ROW("i", HK_P_ANY, 0, "[width, height, thickness of the web, thickness of the flanges]"),
    HK_PARAM_END};

const hk_param hki_keys_material[] = {
    REAL("E", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "Pa", "Young's modulus"),
    REAL("G", HK_P_POSITIVE, NAN, "Pa", "shear modulus; left out: from 'nu'"),
    BOUNDED("nu", 0, 0.3, -0.99, 0.5, "1", "Poisson's ratio, where 'G' is left out"),
    REAL("density", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "kg/m^3", "density"),
    HK_PARAM_END};
/* clang-format on */

static const double pi = 3.14159265358979323846;

/* what a shape gives: area, moments of area about y and z, torsion, shear areas along y and z */
typedef struct area {
  double A, Iy, Iz, J, Ay, Az;
  hk_outline outline;
} area;

bool hki_rd_key_real(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_param *keys,
                     const char *key, double *out) {
  const hk_param *row = hki_params_find(keys, key);
  const hk_node *v = hki_node_get(node, key);
  *out = row->def;
  return !v || hki_rd_ranged(rd, s, v, row, out);
}

/* n positive numbers */
static bool positive(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *key, int32_t n,
                     double *out) {
  if (n == 1 ? !hki_rd_number(rd, s, v, key, out) : !hki_rd_numbers(rd, s, v, key, n, out))
    return false;
  for (int32_t i = 0; i < n; i++)
    if (!(out[i] > 0.0)) {
      hki_rd_error(rd, v->loc, NULL, "'%s' must be positive, found %g", key, out[i]);
      return false;
    }
  return true;
}

static double torsion(double a, double b) {
  double sum = 0.0;
  if (b > a) return torsion(b, a);
  for (int n = 1; n < 60; n += 2) sum += tanh(0.5 * n * pi * a / b) / pow(n, 5.0);
  return a * b * b * b / 3.0 * (1.0 - 192.0 * b / (pow(pi, 5.0) * a) * sum);
}

static bool read_circle(hk_reader *rd, const hk_node *v, double R, double r, area *a) {
  if (!(r < R)) {
    hki_rd_error(rd, v->loc, "tube: [outer radius, inner radius]",
                 "the inner radius %g of a tube must be smaller than its outer radius %g", r, R);
    return false;
  }
  a->A = pi * (R * R - r * r);
  a->Iy = a->Iz = 0.25 * pi * (R * R * R * R - r * r * r * r);
  a->J = 2.0 * a->Iy;
  // a tube: from 6/7 to 1/2
  const double m = r * r / (R * R), n = (1.0 + m) * (1.0 + m);
  a->Ay = a->Az = (r > 0.0 ? 6.0 * n / (7.0 * n + 20.0 * m) : 0.9) * a->A;
  a->outline = (hk_outline){r > 0.0 ? HK_OUTLINE_TUBE : HK_OUTLINE_CIRCLE, {R, r}, {0}};
  return true;
}

static bool read_i(hk_reader *rd, const hk_node *v, const double *x, area *a) {
  const double b = x[0], h = x[1], web = x[2], flange = x[3], inner = h - 2.0 * flange;
  if (!(inner > 0.0) || !(web < b)) {
    hki_rd_error(rd, v->loc, "i: [width, height, web, flange]",
                 "the walls of this section are thicker than the section");
    return false;
  }
  a->A = 2.0 * b * flange + inner * web;
  a->Iy = (b * h * h * h - (b - web) * inner * inner * inner) / 12.0;
  a->Iz = (2.0 * flange * b * b * b + inner * web * web * web) / 12.0;
  a->J = (2.0 * b * flange * flange * flange + inner * web * web * web) / 3.0;
  a->Ay = 5.0 / 6.0 * 2.0 * b * flange;
  a->Az = web * h;
  a->outline = (hk_outline){HK_OUTLINE_I, {b, h, web, flange}, {0}};
  return true;
}

static bool read_shape(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                       area *a) {
  static const hk_param *const tables[] = {hki_keys_section_shape, NULL};
  const hk_node *v;
  double x[4];
  *a = (area){0};
  if (!hki_rd_check_keys(rd, node, tables, "the shape of the section of beam", name)) return false;
  if (node->count != 1) {
    hki_rd_error(rd, node->loc, "shape: {rectangle: [b, h]}",
                 "the section of beam '%s' must have one shape, found %d", name, (int)node->count);
    return false;
  }
  if ((v = hki_node_get(node, "circle")))
    return positive(rd, s, v, "circle", 1, x) && read_circle(rd, v, x[0], 0.0, a);
  if ((v = hki_node_get(node, "tube")))
    return positive(rd, s, v, "tube", 2, x) && read_circle(rd, v, x[0], x[1], a);
  if ((v = hki_node_get(node, "i"))) return positive(rd, s, v, "i", 4, x) && read_i(rd, v, x, a);
  v = hki_node_get(node, "rectangle");
  if (!v || !positive(rd, s, v, "rectangle", 2, x)) return false;
  a->A = x[0] * x[1];
  a->Iy = x[0] * x[1] * x[1] * x[1] / 12.0;
  a->Iz = x[1] * x[0] * x[0] * x[0] / 12.0;
  a->J = torsion(x[0], x[1]);
  a->Ay = a->Az = 5.0 / 6.0 * a->A;
  a->outline = (hk_outline){HK_OUTLINE_RECTANGLE, {x[0], x[1]}, {0}};
  return true;
}

/* diagonal section: GJ, EIy, EIz, EA, GAy, GAz; inertia per length about x, y, z */
static void diagonal(const double *c, double mass, const double *J, hk_rd_section *out) {
  for (int i = 0; i < 6; i++) out->C[7 * i] = c[i];
  for (int i = 0; i < 3; i++) out->J[4 * i] = J[i];
  out->mass = mass;
}

static bool from_shape(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                       hk_rd_section *out) {
  static const hk_param *const tables[] = {hki_keys_material, NULL};
  const hk_node *shape = hki_node_get(node, "shape"), *material = hki_node_get(node, "material");
  double E, G, nu, density;
  area a;
  if (!shape || !material) {
    hki_rd_error(rd, node->loc, "material: {E: 2.1e11, nu: 0.3, density: 7850}",
                 "the section of beam '%s' needs both 'shape' and 'material'", name);
    return false;
  }
  if (!hki_rd_check_keys(rd, material, tables, "the material of beam", name)) return false;
  if (!read_shape(rd, s, shape, name, &a) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "E", &E) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "G", &G) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "nu", &nu) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "density", &density))
    return false;
  if (isnan(E) || isnan(density)) return false; // said
  if (isnan(G)) G = 0.5 * E / (1.0 + nu);
  const double c[6] = {G * a.J, E * a.Iy, E * a.Iz, E * a.A, G * a.Ay, G * a.Az};
  const double J[3] = {density * (a.Iy + a.Iz), density * a.Iy, density * a.Iz};
  diagonal(c, density * a.A, J, out);
  out->outline = a.outline;
  return true;
}

/* the full rectangle of these stiffnesses */
static hk_outline about(double EIy, double EIz, double EA) {
  return (hk_outline){HK_OUTLINE_RECTANGLE, {sqrt(12.0 * EIz / EA), sqrt(12.0 * EIy / EA)}, {0}};
}

/* one positive number for both, or two */
static bool both(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *key,
                 const char *name, double *x) {
  const hk_node *v = hki_node_get(node, key);
  if (!v) {
    hki_rd_error(rd, node->loc, NULL, "the section of beam '%s' needs the key '%s'", name, key);
    return false;
  }
  const bool list = v->kind == HK_NODE_SEQUENCE;
  if (!positive(rd, s, v, key, list ? 2 : 1, x)) return false;
  if (!list) x[1] = x[0];
  return true;
}

static bool from_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                         hk_rd_section *out) {
  static const char *const keys[] = {"EA", "GJ", "mass"};
  const hk_node *inertia = hki_node_get(node, "inertia");
  double x[3], GA[2], EI[2], J[3];
  for (int i = 0; i < 3; i++) {
    if (!hki_rd_key_real(rd, s, node, hki_keys_section, keys[i], &x[i])) return false;
    if (!isnan(x[i])) continue;
    hki_rd_error(rd, node->loc, "{EA:, GA:, GJ:, EI:, mass:}, or 'shape' and 'material'",
                 "the section of beam '%s' needs the key '%s'", name, keys[i]);
    return false;
  }
  if (!both(rd, s, node, "GA", name, GA) || !both(rd, s, node, "EI", name, EI)) return false;
  J[1] = x[2] * EI[0] / x[0], J[2] = x[2] * EI[1] / x[0], J[0] = J[1] + J[2];
  if (inertia && !positive(rd, s, inertia, "inertia", 3, J)) return false;
  const double c[6] = {x[1], EI[0], EI[1], x[0], GA[0], GA[1]};
  diagonal(c, x[2], J, out);
  out->outline = about(EI[0], EI[1], x[0]);
  return true;
}

/* are all pivots of its LDL' factors positive? */
static bool positive_definite(const double *C) {
  double A[36];
  memcpy(A, C, sizeof A);
  for (int k = 0; k < 6; k++) {
    if (!(A[7 * k] > 1e-14 * fabs(C[7 * k]))) return false;
    for (int i = k + 1; i < 6; i++)
      for (int j = k + 1; j < 6; j++) A[6 * i + j] -= A[6 * i + k] * A[6 * k + j] / A[7 * k];
  }
  return true;
}

/* a symmetric 6x6 matrix with the displacements first, as one with the rotations first */
static bool read_matrix(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *key,
                        double *out) {
  double x[36], top = 0.0;
  if (v->kind != HK_NODE_SEQUENCE || v->count != 6) {
    hki_rd_error(rd, v->loc, "six rows of six numbers", "'%s' must be a 6x6 matrix", key);
    return false;
  }
  for (int i = 0; i < 6; i++)
    if (!hki_rd_numbers(rd, s, v->items[i], key, 6, x + 6 * (ptrdiff_t)i)) return false;
  for (int i = 0; i < 36; i++) top = fmax(top, fabs(x[i]));
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      out[6 * ((i + 3) % 6) + (j + 3) % 6] = x[6 * i + j];
      if (fabs(x[6 * i + j] - x[6 * j + i]) <= 1e-9 * top) continue;
      hki_rd_error(rd, v->loc, NULL, "'%s' is not symmetric: entry %d, %d is %g, and %d, %d is %g",
                   key, i + 1, j + 1, x[6 * i + j], j + 1, i + 1, x[6 * j + i]);
      return false;
    }
  if (positive_definite(out)) return true;
  hki_rd_error(rd, v->loc, "every deformation must cost energy", "'%s' is not positive definite",
               key);
  return false;
}

/* Is M, rotations first, that of a mass at `com` with moments of inertia, J0 = M's first block? False after reporting */
static bool is_mass(hk_reader *rd, const hk_node *v, const double *M, const hk_rd_section *c) {
  double S[9], top = 0.0;
  m3_skew(S, c->com);
  for (int i = 0; i < 36; i++) top = fmax(top, fabs(M[i]));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double own = M[6 * (3 + i) + 3 + j] - (i == j ? c->mass : 0.0);
      const double coupling = M[6 * i + 3 + j] - c->mass * S[3 * i + j];
      if (fabs(own) <= 1e-9 * top && fabs(coupling) <= 1e-9 * top) continue;
      hki_rd_error(
          rd, v->loc, "[[m, 0, 0, 0, m*z, -m*y], [0, m, 0, -m*z, 0, 0], [0, 0, m, m*y, 0, 0], ..]",
          "'mass_matrix' is not that of a mass m at a place (y, z): it has one mass in all "
          "directions, and couplings of that mass times its place");
      return false;
    }
  return true;
}

static bool from_matrices(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                          hk_rd_section *out) {
  const hk_node *mass = hki_node_get(node, "mass_matrix");
  double M[36];
  if (!mass) {
    hki_rd_error(rd, node->loc, NULL, "the section of beam '%s' needs the key 'mass_matrix'", name);
    return false;
  }
  if (!read_matrix(rd, s, hki_node_get(node, "stiffness"), "stiffness", out->C) ||
      !read_matrix(rd, s, mass, "mass_matrix", M))
    return false;
  // M = [J0, m [c]; m [c]', m] with rotations first
  out->mass = M[21];
  double c[3] = {M[6 * 2 + 4], M[6 * 0 + 5], M[6 * 1 + 3]};
  for (int i = 0; i < 3; i++) out->com[i] = c[i] = c[i] / out->mass;
  const double cc = v3_dot(c, c);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out->J[3 * i + j] = M[6 * i + j] - out->mass * ((i == j ? cc : 0.0) - c[i] * c[j]);
  out->outline = about(out->C[7], out->C[14], out->C[21]);
  return is_mass(rd, mass, M, out);
}

/* C of strains at the line of nodes, where it was of those at c = (y, z); axial, shear: which of them are measured there */
static void move_strains(double *C, const double *c, bool axial, bool shear) {
  double T[36] = {0}, X[36] = {0}, Y[36] = {0};
  for (int i = 0; i < 6; i++) T[7 * i] = 1.0;
  if (axial) T[6 * 3 + 1] = c[1], T[6 * 3 + 2] = -c[0];
  if (shear) T[6 * 4 + 0] = -c[1], T[6 * 5 + 0] = c[0];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) X[6 * i + j] += C[6 * i + k] * T[6 * k + j];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < 6; k++) Y[6 * i + j] += T[6 * k + i] * X[6 * k + j];
  memcpy(C, Y, sizeof Y);
}

/* `offset`, `shear_centre`, `mass_centre`, and what a mirror image changes */
static bool place(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_section *out) {
  static const char *const keys[] = {"shear_centre", "mass_centre", "offset"};
  double c[3][2] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
  for (int i = 0; i < 3; i++) {
    const hk_node *v = hki_node_get(node, keys[i]);
    if (v && !hki_rd_numbers(rd, s, v, keys[i], 2, c[i])) return false;
  }
  if (c[0][0] != 0.0 || c[0][1] != 0.0) move_strains(out->C, c[0], false, true);
  if (c[2][0] != 0.0 || c[2][1] != 0.0) move_strains(out->C, c[2], true, true);
  for (int k = 0; k < 2; k++) {
    out->com[1 + k] += c[1][k] + c[2][k];
    out->outline.centre[k] = (k || !s->map.mirrored ? 1.0 : -1.0) * c[2][k];
  }
  if (!s->map.mirrored) return true;
  // x and z are drawn mirrored, y = z x x is not: what lies towards y lies on its other side
  static const double sign[6] = {-1.0, 1.0, -1.0, 1.0, -1.0, 1.0};
  for (int i = 0; i < 36; i++) out->C[i] *= sign[i / 6] * sign[i % 6];
  for (int i = 0; i < 9; i++) out->J[i] *= sign[3 + i / 3] * sign[3 + i % 3];
  out->com[1] = -out->com[1];
  return true;
}

/* of one of the kinds of sections */
static bool read_kind(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                      hk_rd_section *out) {
  const hk_node *laminate = hki_node_get(node, "laminate");
  if (laminate) return hki_rd_laminate(rd, s, laminate, name, out);
  if (hki_node_get(node, "shape") || hki_node_get(node, "material"))
    return from_shape(rd, s, node, name, out);
  if (hki_node_get(node, "stiffness")) return from_matrices(rd, s, node, name, out);
  return from_numbers(rd, s, node, name, out);
}

bool hki_rd_section(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                    hk_rd_section *out) {
  static const hk_param *const tables[] = {hki_keys_section, NULL};
  static const char *const kinds[] = {"laminate", "shape", "stiffness", "EA"};
  const char *first = NULL;
  *out = (hk_rd_section){0};
  if (!hki_rd_check_keys(rd, node, tables, "the section of beam", name)) return false;
  for (int i = 0; i < 4; i++) {
    const hk_node *v = hki_node_get(node, kinds[i]);
    if (v && first) {
      hki_rd_error(rd, v->loc, "leave one of them out",
                   "the section of beam '%s' is given twice: by '%s' and by '%s'", name, first,
                   kinds[i]);
      return false;
    }
    if (v) first = kinds[i];
  }
  return hki_rd_key_real(rd, s, node, hki_keys_section, "at", &out->at) &&
         read_kind(rd, s, node, name, out) && place(rd, s, node, out);
}
