/* SPDX-License-Identifier: Apache-2.0
 *
 * Sections of beams as the elements get them: laminates against classical lamination theory, computed apart from the
 * reader, places of the section, sections along the span, mirror images.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/beam.h"
#include "hooke/hooke.h"
#include "language/model_reader.h"
#include "model/spec.h"
#include "runner.h"

Suite *suite_sections(void);

enum { TORSION, BENDING_Y, BENDING_Z, AXIAL, SHEAR_Y, SHEAR_Z };

static const char frame[] =
    "hooke: 1\n"
    "components:\n"
    "  c:\n"
    "    beams:\n"
    "      b: {from: [0, 0, 0], to: [1, 0.2, 0.1], elements: 4, up: z, section: %s}\n"
    "instances:\n"
    "  one: {component: c}\n"
    "  other: {component: c, mirror: y}\n"
    "run: {time: 1, step: 0.1}\n";

/* the spec of two beams with this section, the second one mirrored */
static hk_spec *read_beams(hk_ctx *ctx, const char *section) {
  char text[4000];
  snprintf(text, sizeof text, frame, section);
  hk_spec *spec = hki_model_read_text(ctx, "sections.yaml", text, strlen(text), NULL, 0);
  ck_assert_msg(spec != NULL, "%s", hk_ctx_message(ctx, 0)->text);
  ck_assert_int_eq(spec->nwide, 4);
  return spec;
}

static const double *stiffness(const hk_spec *spec, int32_t element, int point) {
  return ((const hk_beam_par *)spec->wide[element].par)->C[point];
}

static void near(double found, double expected, double most, const char *what) {
  const double error = fabs(found - expected);
  ck_assert_msg(error <= most, "%s: %.9g, expected %.9g", what, found, expected);
}

/* 20 x 1 mm, E1 135e9, E2 10e9, G12 5e9, nu12 0.3: EA, EI flat, GJ, bend-twist, extension-shear */
static const struct {
  const char *plies;
  double x[5];
} strips[] = {
    {"[{angle: 0, thickness: 0.25e-3}, {angle: pi/2, thickness: 0.25e-3}], symmetric: true",
     {1.457232e6, 0.1997043, 0.03333333, 0.0, 0.0}},
    {"[{angle: pi/4, thickness: 1e-3}]",
     {3.534920e5, 0.02945767, 0.07978931, -0.02438549, 1.463129e5}},
    {"[{angle: pi/4, thickness: 0.25e-3}, {angle: -pi/4, thickness: 0.25e-3}], symmetric: true",
     {3.534920e5, 0.02945767, 0.1469159, -0.01828911, 0.0}},
    {"[{angle: pi/6, thickness: 1e-3}]",
     {9.557171e5, 0.07964309, 0.1120291, -0.07040392, 4.224235e5}},
};

START_TEST(laminates) {
  static const char *const names[] = {"EA", "EI flat", "GJ", "bend-twist", "extension-shear"};
  hk_ctx *ctx = hk_ctx_create();
  char section[1000];
  snprintf(
      section, sizeof section,
      "{laminate: {width: 0.02, plies: %s, material: {E1: 135e9, E2: 10e9, G12: 5e9, nu12: 0.3, "
      "density: 1600}}}",
      strips[_i].plies);
  hk_spec *spec = read_beams(ctx, section);
  const double *C = stiffness(spec, 0, 0), *D = stiffness(spec, 2, 0);
  const double found[5] = {C[7 * AXIAL], C[7 * BENDING_Y], C[7 * TORSION],
                           C[6 * TORSION + BENDING_Y], C[6 * AXIAL + SHEAR_Y]};
  for (int k = 0; k < 5; k++)
    near(found[k], strips[_i].x[k], 1e-6 * fabs(strips[_i].x[k]) + 1e-9 * C[7 * TORSION], names[k]);
  // EI in its plane, shear of the thickness
  near(C[7 * BENDING_Z], strips[_i].x[0] * 0.02 * 0.02 / 12, 1e-6 * C[7 * BENDING_Z], "EI");
  near(C[7 * SHEAR_Z], 5.0 / 6.0 * 5e9 * 0.02 * 1e-3, 1.0, "shear");
  // the mirror image of a strip bends and twists the other way
  near(D[6 * TORSION + BENDING_Y], -found[3], 1e-9 * C[7 * TORSION], "mirrored bend-twist");
  near(D[6 * AXIAL + SHEAR_Y], -found[4], 1e-9 * C[7 * AXIAL], "mirrored extension-shear");
  near(D[7 * TORSION], found[2], 1e-12, "mirrored GJ");
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(isotropic_laminate) {
  hk_ctx *ctx = hk_ctx_create();
  // one material in two plies of different density: E b h^3/12, G b h^3/3, shear 5/6; the centre lies above
  hk_spec *spec = read_beams(
      ctx, "{laminate: {width: 0.1, plies: [{angle: 0.3, thickness: 2e-3, material: {E1: 7e10, E2: "
           "7e10, G12: "
           "7e10/2.6, density: 1000}}, {angle: -1, thickness: 2e-3, material: {E1: 7e10, E2: 7e10, "
           "G12: 7e10/2.6, density: 3000}}]}}");
  const double *C = stiffness(spec, 0, 0), E = 7e10, G = E / 2.6, b = 0.1, h = 4e-3;
  near(C[7 * AXIAL] / (E * b * h), 1.0, 1e-12, "EA");
  near(C[7 * BENDING_Y] / (E * b * h * h * h / 12), 1.0, 1e-12, "EI flat");
  near(C[7 * TORSION] / (G * b * h * h * h / 3), 1.0, 1e-12, "GJ");
  near(C[7 * SHEAR_Y] / (5.0 / 6.0 * G * b * h), 1.0, 1e-12, "shear y");
  near(C[7 * SHEAR_Z] / (5.0 / 6.0 * G * b * h), 1.0, 1e-12, "shear z");
  double z[3], d[3];
  m3_column(z, spec->bodies[2].frame.R, 2);
  v3_sub(d, spec->bodies[2].com, spec->bodies[2].frame.p);
  near(v3_dot(d, z), 0.5e-3, 1e-15, "centre of mass");
  near(spec->bodies[1].mass, 8.0 * b * sqrt(1.05) / 3.0, 1e-12, "mass");
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}
END_TEST

static const char numbers[] =
    "{EA: 4000, GA: [1200, 1500], GJ: 0.8, EI: [1, 2], mass: 2, inertia: [3e-3, 1e-3, 2e-3]%s}";

START_TEST(places_of_a_section) {
  hk_ctx *ctx = hk_ctx_create();
  char section[400];
  snprintf(section, sizeof section, numbers, ", offset: [0.1, 0.02], mass_centre: [0.03, 0]");
  hk_spec *spec = read_beams(ctx, section);
  for (int mirrored = 0; mirrored < 2; mirrored++) {
    const double *C = stiffness(spec, 2 * mirrored, 0), y = mirrored ? -0.1 : 0.1, z = 0.02;
    // parallel axes: stretch bends, shear twists
    near(C[7 * BENDING_Y], 1 + 4000 * z * z, 1e-12, "EI y");
    near(C[7 * BENDING_Z], 2 + 4000 * y * y, 1e-12, "EI z");
    near(C[7 * TORSION], 0.8 + 1200 * z * z + 1500 * y * y, 1e-12, "GJ");
    near(C[6 * AXIAL + BENDING_Y], 4000 * z, 1e-12, "axial and bending y");
    near(C[6 * BENDING_Z + AXIAL], -4000 * y, 1e-12, "axial and bending z");
    near(C[6 * TORSION + SHEAR_Y], -1200 * z, 1e-12, "torsion and shear y");
    near(C[6 * SHEAR_Z + TORSION], 1500 * y, 1e-12, "torsion and shear z");
    const hk_spec_body *b = &spec->bodies[5 * mirrored + 2];
    double d[3], x[3];
    v3_sub(d, b->com, b->frame.p);
    m3_tmulv(x, b->frame.R, d);
    near(x[1], mirrored ? -0.13 : 0.13, 1e-12, "centre y");
    near(x[2], 0.02, 1e-12, "centre z");
  }
  hki_spec_destroy(spec);
  // the shear centre alone: nothing bends by stretch
  snprintf(section, sizeof section, numbers, ", shear_centre: [0.1, 0.02]");
  spec = read_beams(ctx, section);
  const double *C = stiffness(spec, 0, 1);
  near(C[7 * BENDING_Y], 1, 1e-12, "EI y");
  near(C[6 * AXIAL + BENDING_Y], 0, 1e-12, "axial and bending");
  near(C[7 * TORSION], 0.8 + 1200 * 4e-4 + 1500 * 1e-2, 1e-12, "GJ");
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}
END_TEST

/* a mass off the line: by its place, and by the couplings of a 6x6 matrix */
START_TEST(mass_matrix_of_an_offset) {
  hk_ctx *ctx = hk_ctx_create();
  hk_spec *spec = read_beams(
      ctx, "{stiffness: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, "
           "0, 0], [0, 0, 0, 0, 1, 0], "
           "[0, 0, 0, 0, 0, 1]], mass_matrix: [[2, 0, 0, 0, 0.04, -0.2], [0, 2, 0, -0.04, 0, 0], "
           "[0, 0, 2, 0.2, 0, 0], "
           "[0, -0.04, 0.2, 0.1, 0, 0], [0.04, 0, 0, 0, 0.05, 0], [-0.2, 0, 0, 0, 0, 0.06]]}");
  const hk_spec_body *b = &spec->bodies[2];
  double d[3], x[3];
  v3_sub(d, b->com, b->frame.p);
  m3_tmulv(x, b->frame.R, d);
  near(x[0], 0, 1e-15, "centre x");
  near(x[1], 0.1, 1e-14, "centre y");
  near(x[2], 0.02, 1e-14, "centre z");
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(sections_along_the_span) {
  hk_ctx *ctx = hk_ctx_create();
  const char *section = "[{at: 0, EA: 1, GA: 1, GJ: 1, EI: 1, mass: 1}, {at: 0.2, EA: 3, GA: 1, "
                        "GJ: 1, EI: 1, mass: 1}, "
                        "{at: 0.2, EA: 10, GA: 1, GJ: 1, EI: 1, mass: 1}, {at: 1, EA: 2, GA: 1, "
                        "GJ: 1, EI: 1, mass: 5}]";
  hk_spec *spec = read_beams(ctx, section);
  const double x[2] = {0.5 * 0.21132486540518711775, 0.5 * 0.78867513459481288225};
  near(stiffness(spec, 0, 0)[7 * AXIAL], 1 + 10 * x[0], 1e-12, "before the step");
  near(stiffness(spec, 0, 1)[7 * AXIAL], 10 - 10 * (x[1] - 0.2), 1e-12, "behind it");
  near(stiffness(spec, 1, 1)[7 * AXIAL], 10 - 10 * (0.5 + x[1] - 0.2), 1e-12, "near the end");
  near(spec->bodies[4].mass, 5 * sqrt(1.05) / 12, 1e-12, "mass of the last node");
  hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_sections(void) {
  Suite *s = suite_create("sections");
  TCase *c = tcase_create("sections");
  tcase_add_loop_test(c, laminates, 0, (int)(sizeof strips / sizeof *strips));
  tcase_add_test(c, isotropic_laminate);
  tcase_add_test(c, places_of_a_section);
  tcase_add_test(c, mass_matrix_of_an_offset);
  tcase_add_test(c, sections_along_the_span);
  suite_add_tcase(s, c);
  return s;
}
