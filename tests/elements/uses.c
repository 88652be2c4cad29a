/* SPDX-License-Identifier: Apache-2.0
 *
 * uses.c: what the table says of an element for models and drawings, against what it does, for every
 * element of `forces:`.
 */
#include <math.h>
#include <string.h>

#include "elements/support_cases.h"
#include "runner.h"

enum { STATES = 12 };

#define FOR_EACH_FORCE(o)                                                                          \
  for (int32_t i_ = 0; i_ < hki_element_force_count(); i_++)                                       \
    for (const hk_element_ops *o = hki_element_at(i_); o; o = NULL)

/* largest moment on a marker over random states of a case */
static double moment(const element_case *c) {
  rng random = {7};
  double most = 0.0;
  for (int i = 0; i < STATES; i++) {
    element_state x;
    double w[12];
    random_state(&random, c, &x);
    case_force(c, &x, w);
    for (int k = 0; k < c->ops->nmark; k++) most = fmax(most, v3_norm(w + 6 * (ptrdiff_t)k));
  }
  return most;
}

/* an element that pulls at points has a case without moments there; any other turns its bodies */
START_TEST(test_pulls_at_points) {
  FOR_EACH_FORCE(o) {
    double least = INFINITY;
    if (o->nmark == 0) continue;
    for (const element_case *c = cases; c < cases + ncases; c++)
      if (c->ops == o) least = fmin(least, moment(c));
    ck_assert_msg((least == 0.0) == ((o->caps & HK_ELEMENT_PULLS) != 0),
                  "%s: does it pull at points? smallest moment %g", o->name, least);
  }
}
END_TEST

/* an element that acts the same everywhere: moving its first marker along does not matter */
START_TEST(test_acts_anywhere) {
  FOR_EACH_FORCE(o) {
    rng random = {11};
    bool same = true;
    if (o->nmark == 0) continue;
    for (const element_case *c = cases; c < cases + ncases; c++)
      for (int i = 0; i < STATES && c->ops == o; i++) {
        element_state x, y;
        double w[12], v[12], r[3] = {0.3, -0.2, 0.5}, m[3], t[3];
        random_state(&random, c, &x);
        y = x;
        v3_add(y.m[0].p, x.m[0].p, r);
        v3_cross(t, x.m[0].w, r);
        v3_add(y.m[0].v, x.m[0].v, t);
        case_force(c, &x, w);
        case_force(c, &y, v);
        // the wrench about one point
        v3_cross(m, r, v + 3);
        for (int k = 0; k < 3; k++)
          same &= fabs(v[k] + m[k] - w[k]) < 1e-9 && fabs(v[3 + k] - w[3 + k]) < 1e-9;
      }
    ck_assert_msg(same == ((o->caps & HK_ELEMENT_ANYWHERE) != 0), "%s: acts anywhere?", o->name);
  }
}
END_TEST

/* symbols have what a viewer needs to draw them */
START_TEST(test_drawing) {
  FOR_EACH_FORCE(o) {
    bool between =
        o->glyph == HK_GLYPH_COIL || o->glyph == HK_GLYPH_SPINDLE || o->glyph == HK_GLYPH_BLOCK;
    ck_assert_msg(o->glyph < HK_GLYPH_COUNT && *hki_glyph_word(o->glyph), "%s: glyph", o->name);
    ck_assert_msg(o->nmark == 0 ? o->arrow == 0 : o->arrow >= 0 && o->arrow < o->nmark, "%s: arrow",
                  o->name);
    ck_assert_msg(!between || o->nmark == 2, "%s: a symbol between two ends", o->name);
    ck_assert_msg(o->glyph != HK_GLYPH_DISC || o->nscal == 1, "%s: a disc on a joint", o->name);
    if (o->glyph != HK_GLYPH_WHEEL) continue;
    const hk_param *radius = hki_params_find(o->params, "radius");
    const hk_param *road = hki_params_find(o->params, "road");
    ck_assert_msg(o->nmark >= 1 && radius && radius->type == HK_P_REAL && road &&
                      road->type == HK_P_ROAD,
                  "%s: a wheel has a radius and a road", o->name);
  }
}
END_TEST

/* rows go where they may: into the parameters, into an input, or nowhere */
START_TEST(test_rows_have_places) {
  for (int32_t i = 0; i < hki_element_count(); i++) {
    const hk_element_ops *o = hki_element_at(i);
    for (const hk_param *p = o->params; p->type != HK_P_END; p++) {
      int32_t n = p->type == HK_P_DYNAMIC                                 ? 1
                  : p->type == HK_P_DYNAMIC3 || p->type == HK_P_DYNAMIC3P ? 3
                                                                          : 0;
      if (n > 0)
        ck_assert_msg(p->offset >= 0 && p->offset + n <= o->nu, "%s: %s", o->name, p->name);
      else if (p->type != HK_P_NODE && p->type != HK_P_NODES && p->offset >= 0)
        ck_assert_msg((size_t)p->offset < o->par_size, "%s: %s", o->name, p->name);
      if (p->type == HK_P_AXES)
        ck_assert_msg(p->offset >= 0 && (size_t)p->offset + sizeof(hk_axes) <= o->par_size,
                      "%s: %s", o->name, p->name);
    }
  }
}
END_TEST

Suite *suite_uses(void);
Suite *suite_uses(void) {
  Suite *s = suite_create("elements/uses");
  TCase *t = tcase_create("uses");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, test_pulls_at_points);
  tcase_add_test(t, test_acts_anywhere);
  tcase_add_test(t, test_drawing);
  tcase_add_test(t, test_rows_have_places);
  suite_add_tcase(s, t);
  return s;
}
