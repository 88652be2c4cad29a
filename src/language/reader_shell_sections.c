/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shell_sections.c: sections of shells and membranes: a plate of one material, or a laminate.
 *
 *   A = h E/(1 - nu^2) [1, nu, 0; nu, 1, 0; 0, 0, (1 - nu)/2]     D = A h^2/12     shear 5/6 G h
 *
 * of a laminate A, B, D of classical lamination theory (reader_laminates.c) and 5/6 of the plies' shear. Drilling
 * rotations resist with the part `drilling` of the membrane's shear stiffness.
 */
#include <math.h>

#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/rows.h"

enum { E = HK_SHELL_E };

/* clang-format off */
const hk_param hki_keys_shell_laminate[] = {
    ROW("plies", HK_P_ANY, HK_P_REQUIRED, "list of its plies from the lower face up, along the normal: [{angle: pi/4, thickness: 1e-3}, ..]; angles from 'along' about the normal"),
    ROW("material", HK_P_ANY, 0, "of all plies that have none of their own: {E1:, E2:, G12:, nu12:, density:}"),
    ROW("symmetric", HK_P_BOOL, 0, "true: the same plies follow once more in the opposite order"),
    HK_PARAM_END};
/* clang-format on */

/* speeds of sound between which every solid lies, m/s */
static const double slow = 3.0, fast = 30000.0;

static bool of_material(hk_reader *rd, hk_rd_scope *s, const hk_node *material, const char *what,
                        const char *name, hk_rd_plate *out) {
  static const hk_param *const tables[] = {hki_keys_material, NULL};
  double Y, G, nu, density;
  if (!hki_rd_check_keys(rd, material, tables, what, name) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "E", &Y) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "G", &G) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "nu", &nu) ||
      !hki_rd_key_real(rd, s, material, hki_keys_material, "density", &density))
    return false;
  if (isnan(Y) || isnan(density)) return false; // said
  if (!isnan(G)) nu = 0.5 * Y / G - 1.0;
  if (!(nu > -1.0 && nu < 1.0)) {
    hki_rd_error(rd, hki_node_get(material, "G")->loc, "G lies between E/4 and more",
                 "E = %g Pa and G = %g Pa of %s '%s' belong to no plate: nu would be %g", Y, G,
                 what, name, nu);
    return false;
  }
  if (isnan(G)) G = 0.5 * Y / (1.0 + nu);
  const double h = out->thickness, c = sqrt(Y / density);
  if (c < slow || c > fast)
    hki_warn(rd->ctx, material->loc, "E in Pa and density in kg/m^3: steel has 2.1e11 and 7850",
             "sound would run at %.3g m/s in %s '%s': are the units right?", c, what, name);
  for (int k = 0; k < 2; k++) {
    const double a = Y * h / (1.0 - nu * nu) * (k ? h * h / 12.0 : 1.0);
    double *C = out->C + (E + 1) * 3 * k;
    C[0] = C[E + 1] = a, C[1] = C[E] = nu * a, C[2 * E + 2] = G * h * (k ? h * h / 12.0 : 1.0);
    out->C[(E + 1) * (6 + k)] = 5.0 / 6.0 * G * h;
  }
  out->mass = density * h;
  out->inertia = density * h * h * h / 12.0;
  return true;
}

static void of_plies(const hk_rd_plies *p, hk_rd_plate *out) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) out->C[E * i + j] = p->ABD[6 * i + j];
  out->C[E * 6 + 6] = 5.0 / 6.0 * p->shear[0];
  out->C[E * 7 + 7] = 5.0 / 6.0 * p->shear[1];
  out->C[E * 6 + 7] = out->C[E * 7 + 6] = 5.0 / 6.0 * p->shear[2];
  out->thickness = p->thickness;
  out->mass = p->mass[0];
  out->centre = p->mass[1] / p->mass[0];
  out->inertia = p->mass[2] - p->mass[1] * out->centre;
}

bool hki_rd_plate(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                  const char *name, hk_rd_plate *out) {
  static const hk_param *const tables[] = {hki_keys_shell_laminate, NULL};
  const hk_node *laminate = hki_node_get(node, "laminate"), *t = hki_node_get(node, "thickness");
  const hk_node *material = hki_node_get(node, "material");
  const char *what =
      hki_pool_printf(rd->pool, "%s of %s", laminate ? "the laminate" : "the material", kind);
  hk_rd_plies p;
  *out = (hk_rd_plate){0};
  if (!what) return false;
  if (laminate && (t || material)) {
    hki_rd_error(rd, (t ? t : material)->loc, "plies have thicknesses and materials of their own",
                 "%s '%s' has both 'laminate' and '%s'", kind, name, t ? "thickness" : "material");
    return false;
  }
  if (!laminate && (!t || !material)) {
    hki_rd_error(rd, node->loc,
                 "thickness: 0.002 and material: {E: 7e10, nu: 0.33, density: 2700}; or 'laminate'",
                 "%s '%s' needs the key '%s'", kind, name, t ? "material" : "thickness");
    return false;
  }
  if (laminate) {
    if (!hki_rd_check_keys(rd, laminate, tables, what, name) ||
        !hki_rd_plies(rd, s, laminate, kind, name, &p))
      return false;
    of_plies(&p, out);
  } else if (!hki_rd_key_real(rd, s, node, hki_keys_shell, "thickness", &out->thickness) ||
             !of_material(rd, s, material, what, name, out)) {
    return false;
  }
  // x and z are drawn mirrored, y = z x x is not
  static const double sign[E] = {1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0};
  for (int i = 0; i < E * E && s->map.mirrored; i++) out->C[i] *= sign[i / E] * sign[i % E];
  return true;
}
