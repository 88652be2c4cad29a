/* SPDX-License-Identifier: Apache-2.0
 *
 * support_cases.c: the cases that the property tests run over. Parameters are put in through the
 * elements' own parameter tables, as the reader of models does.
 */
#include <string.h>

#include "elements/field.h"
#include "elements/joint_friction.h"
#include "elements/law_many.h"
#include "elements/support.h"
#include "runner.h"

typedef struct list {
  bench *b;
  element_case *c;
  int32_t n, max;
} list;

static element_case *add_ops(list *l, const hk_element_ops *ops, const char *label,
                             uint32_t flags) {
  ck_assert_int_lt(l->n, l->max);
  element_case *c = &l->c[l->n++];
  memset(c, 0, sizeof *c);
  c->label = label;
  c->flags = flags;
  c->ops = ops;
  c->par = hki_pool_alloc(l->b->pool, c->ops->par_size + 1);
  for (const hk_param *p = c->ops->params; p->type != HK_P_END; p++)
    if (p->type == HK_P_DYNAMIC) c->u[p->offset] = p->def;
  return c;
}

static element_case *add(list *l, const char *type, const char *label, uint32_t flags) {
  const hk_element_ops *ops = hki_element_find(type);
  ck_assert_msg(ops != NULL, "no element '%s'", type);
  return add_ops(l, ops, label, flags);
}

static const hk_param *row(const element_case *c, const char *key) {
  for (const hk_param *p = c->ops->params; p->type != HK_P_END; p++)
    if (strcmp(p->name, key) == 0) return p;
  ck_abort_msg("%s has no key '%s'", c->ops->name, key);
  return NULL;
}

static void set_u(element_case *c, const char *key, double x) {
  const hk_param *p = row(c, key);
  ck_assert_int_eq(p->type, HK_P_DYNAMIC);
  c->u[p->offset] = x;
  c->u_given |= 1u << p->offset;
}

static void set_par(element_case *c, const char *key, const void *data, size_t size) {
  const hk_param *p = row(c, key);
  ck_assert_int_ge(p->offset, 0);
  ck_assert_uint_le((size_t)p->offset + size, c->ops->par_size);
  memcpy((char *)c->par + p->offset, data, size);
}

static void set_law(list *l, element_case *c, const char *key, hk_law *law) {
  law_done(l->b, law);
  set_par(c, key, &law, sizeof law);
}

static void done(list *l, element_case *c) {
  hk_frame m0[2];
  memset(m0, 0, sizeof m0);
  m3_identity(m0[0].R), m3_identity(m0[1].R);
  m0[1].p[0] = 0.9;
  if (c->ops->prepare)
    ck_assert_int_eq(c->ops->prepare(l->b->ctx, HK_LOC_NONE, c->label, c->par, c->u_given, c->u,
                                     c->ops->nmark ? m0 : NULL),
                     HK_OK);
}

/* --- springs ---------------------------------------------------------------------------------- */

static void spring(list *l, const char *label, uint32_t flags, double k, double c, double length,
                   uint32_t varies, const double *along) {
  element_case *e = add(l, "spring_damper", label, flags);
  if (k != 0.0) set_u(e, "stiffness", k);
  if (c != 0.0) set_u(e, "damping", c);
  if (length >= 0.0) set_u(e, "length", length);
  if (along) set_par(e, "along", along, 3 * sizeof *along);
  e->u_varies = varies;
  done(l, e);
}

static void spring_laws(list *l, const char *type, const char *label, uint32_t flags, hk_law *s,
                        hk_law *d, double length, const double *along) {
  element_case *e = add(l, type, label, flags);
  if (s) set_law(l, e, "spring", s);
  if (d) set_law(l, e, "damper", d);
  if (length >= 0.0) set_u(e, e->ops->nscal ? "zero" : "length", length);
  if (along) set_par(e, "along", along, 3 * sizeof *along);
  done(l, e);
}

static hk_law *cubic(bench *b) { return law_poly(b, 4, (double[]){3.0, 40.0, -15.0, 60.0}); }
static hk_law *rising(bench *b) { return law_poly(b, 4, (double[]){0.0, 30.0, 0.0, 8.0}); }

static void springs(list *l) {
  bench *b = l->b;
  const double axis[3] = {0.6, -1.6, 2.4};
  const double far[] = {0.2, 0.55, 1.45, 1.8}, force[] = {-20.0, -3.0, 25.0, 60.0};
  spring(l, "linear", CASE_PASSIVE, 120, 7, 0.5, 0, NULL);
  spring(l, "as drawn", CASE_CONSERVATIVE | CASE_FREE, 120, 0, -1, 0, NULL);
  spring(l, "no free length", CASE_CONSERVATIVE | CASE_FREE, 120, 0, 0, 0, NULL);
  spring(l, "damper only", CASE_PASSIVE, 0, 9, -1, 0, NULL);
  spring(l, "varying stiffness", 0, 120, 7, 0.5, 1, NULL);
  spring(l, "varying length", 0, 120, 0, 0.5, 4, NULL);
  spring(l, "along", CASE_PASSIVE | CASE_FREE, 120, 7, 0.1, 0, axis);
  spring(l, "along, elastic", CASE_CONSERVATIVE | CASE_FREE, 120, 0, 0.1, 0, axis);
  spring(l, "along, varying", 0, 120, 7, 0.1, 7, axis);
  spring_laws(l, "spring_damper", "polynomial", CASE_CONSERVATIVE, cubic(b), NULL, -1, NULL);
  spring_laws(l, "spring_damper", "polynomials, length", CASE_PASSIVE, cubic(b), rising(b), 0.4,
              NULL);
  spring_laws(l, "spring_damper", "expression", CASE_CONSERVATIVE, law_expr(b, "50*sinh(s) - 9/s"),
              NULL, -1, NULL);
  spring_laws(l, "spring_damper", "expression of both", 0, law_expr(b, "50*s*(1 + 0.3*sdot)"), NULL,
              0.3, NULL);
  spring_laws(l, "spring_damper", "damper reads s", CASE_PASSIVE, NULL,
              law_expr(b, "(2 + s^2)*sdot"), 0.3, NULL);
  spring_laws(l, "spring_damper", "table", CASE_CONSERVATIVE, law_table(b, 4, far, force, false),
              NULL, -1, NULL);
  spring_laws(l, "spring_damper", "smooth table", CASE_CONSERVATIVE,
              law_table(b, 4, far, force, true), NULL, -1, NULL);
  spring_laws(l, "spring_damper", "pieces", CASE_CONSERVATIVE,
              law_pieces(b, 3, (double[]){0.3, 0.5, INFINITY},
                         (hk_law *[]){law_linear(b, 5), cubic(b), law_expr(b, "70*s^2")}),
              NULL, -1, NULL);
  spring_laws(l, "spring_damper", "along, law", CASE_CONSERVATIVE, cubic(b), NULL, -1, axis);
  spring_laws(l, "spring_damper", "along, law of both", 0, law_expr(b, "exp(s)*sdot + 9*s^3"),
              rising(b), 0.2, axis);
}

/* a sum of parts of one deformation: a potential and a dashpot */
static hk_law *sum_law(bench *b) {
  hk_law *law = hki_pool_alloc(b->pool, sizeof *law);
  hk_law_many *many = hki_pool_alloc(b->pool, sizeof *many);
  hk_law_part *part = hki_pool_alloc(b->pool, 2 * sizeof *part);
  const hk_expr **e = hki_pool_alloc(b->pool, sizeof *e);
  double *c = hki_pool_alloc(b->pool, 36 * sizeof *c);
  e[0] = make_expr(b, "50*s1^2 + 20*s1^4", "s1");
  c[0] = 3.0;
  part[0] = (hk_law_part){.kind = HK_PART_POTENTIAL, .expr = e};
  part[1] = (hk_law_part){.kind = HK_PART_VISCOUS, .c = c};
  *many = (hk_law_many){.n = 1, .nparts = 2, .factor = 1.0};
  ck_assert_int_eq(hki_law_many_finish(b->ctx, HK_LOC_NONE, many, part), HK_OK);
  *law = (hk_law){.kind = HK_LAW_MANY, .many = many};
  return law;
}

/* as a spring and as a damper, with a zero that stays and one that varies */
static void sums(list *l) {
  for (int i = 0; i < 4; i++) {
    const bool damper = i % 2 == 1, varies = i > 1;
    element_case *e =
        add(l, "joint_spring", varies ? "sum, varying" : "sum", varies ? 0 : CASE_PASSIVE);
    set_law(l, e, damper ? "damper" : "spring", sum_law(l->b));
    set_u(e, "zero", 0.1);
    e->u_varies = varies ? 4 : 0;
    done(l, e);
  }
}

static void joints(list *l) {
  bench *b = l->b;
  sums(l);
  element_case *e = add(l, "joint_spring", "linear", CASE_PASSIVE);
  set_u(e, "stiffness", 80), set_u(e, "damping", 3), set_u(e, "zero", 0.1);
  done(l, e);
  e = add(l, "joint_spring", "elastic", CASE_CONSERVATIVE | CASE_FREE);
  set_u(e, "stiffness", 80);
  done(l, e);
  e = add(l, "joint_spring", "varying", 0);
  set_u(e, "stiffness", 80), set_u(e, "damping", 3), set_u(e, "zero", 0.1);
  e->u_varies = 6;
  done(l, e);
  spring_laws(l, "joint_spring", "polynomial", CASE_CONSERVATIVE, cubic(b), NULL, 0.05, NULL);
  spring_laws(l, "joint_spring", "laws", CASE_PASSIVE, law_expr(b, "20*tanh(3*s)"), rising(b), 0.05,
              NULL);
  spring_laws(l, "joint_spring", "law of both", 0, law_expr(b, "s*cos(sdot)"),
              law_expr(b, "sdot^3*(1 + s)"), 0.05, NULL);
  e = add(l, "joint_torque", "torque", 0);
  set_u(e, "value", 12.5);
  done(l, e);
  e = add(l, "joint_force", "force", 0);
  set_u(e, "value", -3.5);
  done(l, e);
}

/* --- loads ------------------------------------------------------------------------------------ */

static void loads(list *l) {
  static const char *const type[2] = {"force", "torque"};
  static const char *const label[4] = {"world", "body", "world, reaction", "body, reaction"};
  for (int i = 0; i < 8; i++) {
    element_case *e = add(l, type[i / 4], label[i % 4], 0);
    hk_axes axes = {.follow = i % 2 == 1};
    bool reaction = (i / 2) % 2 == 1;
    // once in axes of their own
    if (i % 4 == 3) rot_exp(axes.R, (double[]){0.3, -0.8, 0.4});
    set_par(e, "axes", &axes, sizeof axes);
    set_par(e, "reaction_on", &reaction, sizeof reaction);
    v3_set(e->u, 4.0, -7.0, 2.5);
    e->u_given = 7;
    done(l, e);
  }
}

/* --- bushings --------------------------------------------------------------------------------- */

/* coupled forces by expressions beside a coupled stiffness and a law on one axis */
static hk_law *many_law(bench *b) {
  static const char *const text[6] = {"60*s1 + 20*s1*s5", "9*s2 + 3*sd2",     "s3 + 2*s1*sd4",
                                      "30*sin(s4)",       "20*s5*s6 + 2*sd5", "25*s6"};
  hk_law *law = hki_pool_alloc(b->pool, sizeof *law);
  hk_law_many *many = hki_pool_alloc(b->pool, sizeof *many);
  hk_law_part *part = hki_pool_alloc(b->pool, 3 * sizeof *part);
  const hk_expr **e = hki_pool_alloc(b->pool, 6 * sizeof *e);
  const hk_law **axis = hki_pool_alloc(b->pool, 6 * sizeof *axis);
  double *K = hki_pool_alloc(b->pool, 36 * sizeof *K);
  for (int i = 0; i < 6; i++) {
    e[i] = make_expr(b, text[i], "s1 s2 s3 s4 s5 s6 sd1 sd2 sd3 sd4 sd5 sd6");
    for (int j = 0; j < 6; j++) K[6 * i + j] = i == j ? 40 : 3 + 0.2 * (i + j);
  }
  axis[2] = law_done(b, cubic(b));
  part[0] = (hk_law_part){.kind = HK_PART_LINEAR, .c = K};
  part[1] = (hk_law_part){.kind = HK_PART_FORCES, .expr = e};
  part[2] = (hk_law_part){.kind = HK_PART_COMPONENTS, .law = axis};
  *many = (hk_law_many){.n = 6, .nparts = 3, .factor = 1.0};
  ck_assert_int_eq(hki_law_many_finish(b->ctx, HK_LOC_NONE, many, part), HK_OK);
  *law = (hk_law){.kind = HK_LAW_MANY, .many = many};
  return law_done(b, law);
}

static element_case *elastic(list *l, const char *type, const char *label, uint32_t flags, double k,
                             double c, double even, double odd) {
  element_case *e = add(l, type, label, flags | CASE_SMALL);
  double K[36] = {0}, C[36] = {0};
  for (int i = 0; i < e->ops->rank; i++)
    for (int j = 0; j < e->ops->rank; j++) {
      double mixed = even * (1.0 + 0.1 * (i + j)) + (i < j ? odd : -odd);
      K[6 * i + j] = i == j ? k * (1.0 + 0.2 * i) : k * mixed;
      C[6 * i + j] = i == j ? c * (2.0 - 0.1 * i) : c * mixed;
    }
  set_par(e, "stiffness", K, sizeof K);
  set_par(e, "damping", C, sizeof C);
  return e;
}

static element_case *bushing(list *l, const char *label, uint32_t flags, double k, double c,
                             double even, double odd) {
  return elastic(l, "bushing", label, flags, k, c, even, odd);
}

/* in axes of the second marker, and half-way */
static void referred(list *l, const char *type, int32_t reference, const char *free,
                     const char *damped, const char *odd) {
  element_case *e[3];
  e[0] = elastic(l, type, free, CASE_CONSERVATIVE | CASE_FREE, 90, 0, 0.08, 0);
  e[1] = elastic(l, type, damped, CASE_PASSIVE | CASE_FREE, 90, 4, 0.08, 0);
  e[2] = elastic(l, type, odd, CASE_ODD, 90, 4, 0.05, 0.1);
  for (int i = 0; i < 3; i++) {
    if (reference) set_par(e[i], "reference", &reference, sizeof reference);
    done(l, e[i]);
  }
}

/* prestrain, prestress and factor, constant and varying, with stiffness and with a law of all axes */
static void moved(list *l) {
  static const char *const labels[] = {"moved", "moved, varying strain", "moved, varying stress",
                                       "moved, varying factor"};
  static const uint32_t varies[] = {0, 1u << 4, 1u << 8, 1u << 12};
  for (int i = 0; i < 8; i++) {
    const bool law = i > 3;
    element_case *e = law ? add(l, "bushing", "law of all axes", CASE_SMALL | CASE_ODD)
                          : bushing(l, labels[i], i ? 0 : CASE_PASSIVE, 90, 4, 0.08, 0);
    for (int k = 0; k < 12; k++) e->u[k] = k < 6 ? 0.02 * (k - 2) : 0.5 * (k - 8);
    e->u[12] = 1.4, e->u_given = (1u << 13) - 1u;
    e->u_varies = varies[i % 4];
    if (law) {
      hk_law *whole = many_law(l->b);
      set_par(e, "law", &whole, sizeof whole);
    }
    done(l, e);
  }
}

static void bushings(list *l) {
  bench *b = l->b;
  referred(l, "bushing", 1, "second", "second, damped", "second, bearing");
  referred(l, "bushing", 2, "middle", "middle, damped", "middle, bearing");
  referred(l, "elastic_displacement", 0, "first", "first, damped", "first, bearing");
  referred(l, "elastic_displacement", 1, "second", "second, damped", "second, bearing");
  referred(l, "elastic_displacement", 2, "middle", "middle, damped", "middle, bearing");
  referred(l, "elastic_hinge", 0, "coupled", "damped", "bearing");
  done(l, bushing(l, "diagonal", CASE_PASSIVE | CASE_FREE, 90, 4, 0, 0));
  done(l, bushing(l, "elastic", CASE_CONSERVATIVE | CASE_FREE, 90, 0, 0, 0));
  done(l, bushing(l, "coupled", CASE_CONSERVATIVE | CASE_FREE, 90, 0, 0.08, 0));
  done(l, bushing(l, "coupled, damped", CASE_PASSIVE | CASE_FREE, 90, 4, 0.08, 0));
  done(l, bushing(l, "bearing", CASE_ODD, 90, 4, 0.05, 0.1));

  element_case *e = add(l, "bushing", "laws", CASE_CONSERVATIVE | CASE_SMALL);
  hk_law *laws[6] = {NULL};
  laws[0] = law_done(b, cubic(b)), laws[2] = law_done(b, rising(b));
  laws[3] = law_done(b, law_expr(b, "30*sin(s)")), laws[5] = law_done(b, rising(b));
  set_par(e, "spring", laws, sizeof laws);
  done(l, e);

  e = add(l, "bushing", "laws of both", CASE_SMALL);
  hk_law *dampers[6] = {NULL};
  dampers[1] = law_done(b, rising(b));
  dampers[4] = law_done(b, law_expr(b, "sdot*(1 + s^2)"));
  laws[0] = law_done(b, law_expr(b, "9*s + 2*s*sdot"));
  set_par(e, "spring", laws, sizeof laws);
  set_par(e, "damper", dampers, sizeof dampers);
  done(l, e);
  moved(l);
}

/* --- tyres ------------------------------------------------------------------------------------ */

static element_case *tyre(list *l, const char *label, uint32_t flags, int32_t direction, double c,
                          const char *road_text) {
  element_case *e = add(l, "tyre", label, flags | CASE_ROAD);
  hk_road road = {0};
  double radius = 0.4;
  if (road_text) road.expr = make_expr(l->b, road_text, "x t");
  set_par(e, "radius", &radius, sizeof radius);
  set_par(e, "road", &road, sizeof road);
  set_par(e, "direction", &direction, sizeof direction);
  set_u(e, "stiffness", 900);
  set_u(e, "damping", c);
  done(l, e);
  return e;
}

static void tyre_table(list *l, const char *label, int32_t direction, bool monotone, double c) {
  const double x[] = {-1, 0.0, 0.5, 1.5, 2.5}, z[] = {0, 0, 0.05, 0.08, 0.02};
  element_case *e = tyre(l, label, CASE_PASSIVE, direction, c, NULL);
  hk_road road = {.table = make_table(l->b, 5, x, z, monotone)};
  set_par(e, "road", &road, sizeof road);
  e->d[0] = 1.0 + 3.0; // from 0.5 to 1.5, frozen for every x
}

static void tyres(list *l) {
  const char *wave = "0.05*sin(2*x)", *moving = "0.04*sin(2*x) + 0.03*cos(2*t) + 0.02*x*t^2";
  tyre(l, "flat", CASE_CONSERVATIVE | CASE_FREE, 0, 0, NULL);
  tyre(l, "flat, damped", CASE_PASSIVE, 0, 6, NULL);
  tyre(l, "flat, normal", CASE_CONSERVATIVE | CASE_FREE, 1, 0, NULL);
  tyre(l, "ramp, normal", CASE_CONSERVATIVE | CASE_FREE, 1, 0, "0.1*x");
  tyre(l, "ramp, normal, damped", CASE_PASSIVE, 1, 6, "0.1*x");
  tyre(l, "ramp", CASE_PASSIVE, 0, 6, "0.1*x");
  tyre(l, "wave", CASE_PASSIVE, 0, 6, wave);
  tyre(l, "wave, normal", CASE_PASSIVE, 1, 6, wave);
  tyre(l, "moving", CASE_PASSIVE, 0, 6, moving);
  tyre(l, "moving, normal", CASE_PASSIVE, 1, 6, moving);
  tyre(l, "moving, varying stiffness", CASE_PASSIVE, 0, 6, moving)->u_varies = 1;
  tyre(l, "moving, normal, varying stiffness", CASE_PASSIVE, 1, 6, moving)->u_varies = 1;
  tyre_table(l, "table", 0, false, 6);
  tyre_table(l, "table, normal", 1, false, 6);
  tyre_table(l, "smooth table", 0, true, 6);
  tyre_table(l, "smooth table, normal", 1, true, 6);
}

/* --- any other -------------------------------------------------------------------------------- */

/* an element of the table without cases of its own gets one with numbers from its rows */
static void others(list *l) {
  int32_t known = l->n;
  for (int32_t i = 0; i < hki_element_force_count(); i++) {
    const hk_element_ops *o = hki_element_at(i);
    bool found = false;
    for (int32_t k = 0; k < known; k++) found |= l->c[k].ops == o;
    if (found) continue;
    element_case *e = add(l, o->name, "numbers of its rows", 0);
    double x = 1.7;
    for (const hk_param *p = o->params; p->type != HK_P_END; p++, x += 0.6) {
      if (p->type == HK_P_REAL) set_par(e, p->name, &x, sizeof x);
      if (p->type == HK_P_DYNAMIC) set_u(e, p->name, x);
    }
    done(l, e);
  }
}

/* --- friction of joints ----------------------------------------------------------------------- */

/* slips along x of A and about z of B: (a x d, -a, 0, a) and (-b, 0, b, 0), with their derivatives */
static void wandering(const hk_joint_friction_par *par, const hk_frame *A, const hk_frame *B,
                      double *rows, double *H) {
  double a[3], b[3], d[3];
  memset(rows, 0, (size_t)(12 * par->n) * sizeof *rows);
  m3_column(a, A->R, 0);
  m3_column(b, B->R, 2);
  v3_sub(d, B->p, A->p);
  v3_cross(rows, a, d);
  v3_scale(rows + 3, -1.0, a);
  v3_copy(rows + 9, a);
  if (par->n > 1) v3_scale(rows + 12, -1.0, b), v3_copy(rows + 18, b);
  for (int j = 0; H && j < 12; j++) {
    double t[3] = {0}, da[3] = {0}, dd[3] = {0}, x[3], db[3] = {0};
    t[j % 3] = 1.0;
    if (j < 3) v3_cross(da, t, a);
    if (j / 3 == 2) v3_cross(db, t, b);
    if (j / 3 == 1) v3_scale(dd, -1.0, t);
    if (j / 3 == 3) v3_copy(dd, t);
    v3_cross(x, da, d);
    v3_cross_add(x, a, dd);
    for (int i = 0; i < 3; i++) {
      H[12 * i + j] = x[i], H[12 * (3 + i) + j] = -da[i];
      H[12 * (6 + i) + j] = 0.0, H[12 * (9 + i) + j] = da[i];
      if (par->n < 2) continue;
      H[144 + 12 * i + j] = -db[i], H[144 + 12 * (6 + i) + j] = db[i];
      H[144 + 12 * (3 + i) + j] = H[144 + 12 * (9 + i) + j] = 0.0;
    }
  }
}

/* friction of motions of a joint that slide together: a sleeve, a ball, a plate, a bead on a line;
 * a rod in its eyes */
static void rubs_together(list *l) {
  static const hk_friction dry = {HK_FRICTION_STRIBECK, 0.3, 0.4, 0.5, 2, 40, 0.01, 0.02, 0};
  static const uint8_t motion[5][HK_FRICTION_AXES] = {{2, 5}, {0, 1, 2}, {2, 3, 4}, {5}, {3, 4}};
  static const int32_t n[] = {2, 3, 3, 1, 2};
  static const char *const label[] = {"sleeve", "ball", "plate", "bead", "ball on a floor"};
  for (int k = 0; k < 5; k++) {
    element_case *e = add_ops(l, hki_joint_friction_vector_ops(n[k]), label[k], CASE_PASSIVE);
    hk_joint_friction_par *par = e->par;
    par->n = n[k], par->preload = 5.0;
    if (k == 4) par->roll[2] = -0.3;
    hki_joint_friction_law(par, &dry, n[k]);
    for (int32_t i = 0; i < n[k]; i++) {
      par->motion[i] = motion[k][i];
      par->arms[i] = motion[k][i] < 3 ? 0.3 : 1.0;
    }
    e->u[HK_FRICTION_NORMAL] = 20.0, e->u_varies = 1;
    done(l, e);
  }
  for (int32_t slips = 1; slips < 3; slips++) {
    element_case *e = add_ops(l, hki_joint_friction_slip_ops(slips), "contact", CASE_PASSIVE);
    hk_joint_friction_par *par = e->par;
    par->n = slips, par->preload = 5.0, par->slips = wandering;
    par->arms[0] = 1.0, par->arms[1] = 0.3;
    hki_joint_friction_law(par, &dry, slips);
    e->u[HK_FRICTION_NORMAL] = 20.0, e->u_varies = 1;
    done(l, e);
  }
  for (int eye = 0; eye < 2; eye++) {
    element_case *e =
        add_ops(l, hki_joint_friction_rod_ops(), eye ? "second eye" : "first eye", CASE_PASSIVE);
    hk_joint_friction_par *par = e->par;
    par->n = 3, par->preload = 5.0, par->radius = 0.3, par->eye = eye;
    hki_joint_friction_law(par, &dry, par->n);
    e->u[HK_FRICTION_NORMAL] = 20.0, e->u_varies = 1;
    done(l, e);
  }
}

/* faces pressed together; at these rates the slower ones stick and the faster ones slide, far from the
 * edge between */
static void rubs(list *l) {
  static const hk_friction dry = {HK_FRICTION_STRIBECK, 0.3, 0.4, 0.5, 2, 40, 0.01, 0.02, 0};
  static const hk_friction *const friction = &dry;
  static const double axis[3] = {0.6, -1.6, 2.4}, radius = 0.3, area = 2e-3, small = 0.02;
  const int32_t faces = 2;
  for (int varies = 0; varies < 2; varies++) {
    element_case *e = add(l, "brake", varies ? "varying" : "pressed", varies ? 0 : CASE_PASSIVE);
    set_par(e, "friction", &friction, sizeof friction),
        set_par(e, "radius", &radius, sizeof radius);
    set_par(e, "area", &area, sizeof area), set_par(e, "faces", &faces, sizeof faces);
    set_u(e, "force", 30), set_u(e, "pressure", 1e4);
    e->u_varies = varies ? 3 : 0;
    done(l, e);
    e = add(l, "clutch", varies ? "varying" : "pressed", varies ? 0 : CASE_PASSIVE);
    set_par(e, "friction", &friction, sizeof friction),
        set_par(e, "radius", &radius, sizeof radius);
    set_par(e, "faces", &faces, sizeof faces), set_par(e, "axis", axis, sizeof axis);
    set_u(e, "force", 30);
    e->u_varies = varies;
    done(l, e);
  }
  hk_law *law = hki_pool_alloc(l->b->pool, sizeof *law);
  *law = (hk_law){.kind = HK_LAW_FRICTION, .friction = friction};
  for (int varies = 0; varies < 2; varies++)
    for (int k = 0; k < 2; k++) {
      element_case *s = add(l, k ? "spring_damper" : "joint_spring", varies ? "rubs" : "pressed",
                            varies ? 0 : CASE_PASSIVE);
      set_law(l, s, "damper", law);
      set_u(s, "stiffness", 80), set_u(s, "normal", 6);
      s->u_varies = varies ? 8 : 0;
      done(l, s);
    }
  element_case *e = add(l, "rolling_resistance", "loaded", CASE_PASSIVE);
  set_par(e, "coefficient", &small, sizeof small), set_par(e, "radius", &radius, sizeof radius);
  set_par(e, "deflection", &small, sizeof small), set_par(e, "time", &small, sizeof small);
  set_u(e, "load", 500);
  done(l, e);
}

/* --- muscles ---------------------------------------------------------------------------------- */

/* flags of a case, then: activation, tendon, gains of the reflexes */
static element_case *muscle(list *l, const char *label, uint32_t flags, double a, double tendon,
                            double kp, double kd) {
  static const double force = 20.0, length = 0.9, velocity = 6.0;
  element_case *e = add(l, "muscle", label, flags);
  set_par(e, "force", &force, sizeof force), set_par(e, "length", &length, sizeof length);
  set_par(e, "velocity", &velocity, sizeof velocity);
  set_par(e, "tendon", &tendon, sizeof tendon);
  set_u(e, "activation", a), set_u(e, "reference_length", 0.8);
  set_u(e, "reference_velocity", 0.1), set_u(e, "stretch_reflex", kp), set_u(e, "rate_reflex", kd);
  done(l, e);
  return e;
}

static void muscles(list *l) {
  muscle(l, "tense", 0, 0.7, 0.15, 0, 0);
  muscle(l, "slack", CASE_CONSERVATIVE, -0.5, 0.15, 0, 0);
  muscle(l, "reflexes", 0, 0.5, 0.2, 0.2, 0.05)->u_varies = 1;
  muscle(l, "at its most", 0, 1.4, 0, 0.2, 0.05);
}

/* --- fields ----------------------------------------------------------------------------------- */

/* a body of 1.7 kg whose axes are not principal ones, with these inputs */
static void field(list *l, const hk_element_ops *ops, const char *label, uint32_t flags,
                  const double *u, uint32_t varies) {
  static const hk_field_par body = {
      .mass = 1.7,
      .J = {0.9, -0.1, 0.2, -0.1, 1.3, 0.15, 0.2, 0.15, 0.7},
      .centre = {0.3, -0.2, 0.4},
  };
  element_case *c = add_ops(l, ops, label, flags);
  memcpy(c->par, &body, sizeof body);
  memcpy(c->u, u, (size_t)ops->nu * sizeof *u);
  c->u_varies = varies;
}

static void fields(list *l) {
  static const double g[3] = {1.5, -9.0, 2.0}, centre[4] = {7.0, 5.0, -4.0, 6.0};
  static const double turning[12] = {0.4, -0.8, 1.1},
                      both[12] = {0.4, -0.8, 1.1, -0.5, 0.2, 0.9, 2.0, -1.0, 0.3, 0.7, -0.6, 0.2};
  field(l, &hki_element_gravity, "varying", 0, g, 7);
  field(l, &hki_element_attraction, "of a centre", CASE_CONSERVATIVE, centre, 0);
  field(l, &hki_element_attraction, "of a varying centre", 0, centre, 1);
  field(l, &hki_element_frame, "turning steadily", 0, turning, 0);
  field(l, &hki_element_frame, "in any motion", 0, both, 0xfff);
}

/* --- ropes; with radii belts ------------------------------------------------------------------ */
static element_case *rope(list *l, const char *label, uint32_t flags, double length, double tau,
                          const double *radii) {
  static const double EA = 90.0, share = 0.5, axis[3] = {0.2, -0.3, 1.5};
  element_case *e = add(l, radii ? "belt_span" : "rope", label, radii ? flags | CASE_FLAT : flags);
  set_par(e, "EA", &EA, sizeof EA);
  set_par(e, "damping", &tau, sizeof tau);
  if (!radii) set_par(e, "share", &share, sizeof share);
  if (length > 0.0) set_u(e, "length", length);
  if (radii) {
    set_par(e, "axis", axis, sizeof axis);
    set_par(e, "first_radius", &radii[0], sizeof radii[0]);
    set_par(e, "second_radius", &radii[1], sizeof radii[1]);
  }
  done(l, e);
  return e;
}

static void ropes(list *l) {
  static const double open[2] = {0.15, 0.1}, crossed[2] = {-0.1, 0.2}, end[2] = {0.2, 0.0};
  rope(l, "taut", CASE_CONSERVATIVE, 0.8, 0.0, NULL);
  rope(l, "slack", CASE_CONSERVATIVE, 4.0, 0.0, NULL);
  rope(l, "as drawn", CASE_CONSERVATIVE, 0.0, 0.0, NULL);
  rope(l, "damped", CASE_PASSIVE, 0.8, 0.05, NULL);
  element_case *e = rope(l, "winch", 0, 0.8, 0.05, NULL);
  e->u[1] = -0.3, e->u_varies = 3;
  rope(l, "open", CASE_CONSERVATIVE, 0.4, 0.0, open);
  rope(l, "crossed", CASE_PASSIVE, 0.4, 0.05, crossed);
  rope(l, "to a point", CASE_PASSIVE, 0.4, 0.05, end);
  e = rope(l, "belt with a winch", 0, 0.4, 0.05, open);
  e->u[1] = 0.2, e->u_varies = 3;
}

int32_t make_cases(bench *b, element_case *cases, int32_t max) {
  list l = {b, cases, 0, max};
  springs(&l);
  joints(&l);
  loads(&l);
  bushings(&l);
  tyres(&l);
  rubs(&l);
  muscles(&l);
  ropes(&l);
  rubs_together(&l);
  fields(&l);
  others(&l);
  return l.n;
}
