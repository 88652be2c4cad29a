/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_friction.c: dry friction (elements/friction.c): the block `friction` of whatever has a
 * normal force, and the laws coulomb, stribeck and lugre, in which forces stand in the place of
 * coefficients. Rows of all tables fill one list of numbers: the offset of a row is its place there.
 */
#include "language/reader.h"

#include <math.h>

#include "language/rows.h"

enum { MU, STATIC, SPEED, EXPONENT, DEFLECTION, TIME, SIGMA0, SIGMA1, SIGMA2, ELASTIC, COUNT };

/* clang-format off */
#define SHARE(name, at, text) {name, HK_P_REAL, 0, at, 0, 0, 0.999, "", NULL, text}
#define BENDS(unit) \
    FIELD("deflection", HK_P_POSITIVE, DEFLECTION, NAN, unit, "of the bristle when it breaks away; left out: 1e-5"), \
    FIELD("time", HK_P_POSITIVE, TIME, NAN, "s", "damping of the bristle over its stiffness; left out: 0.01")
const hk_param hki_keys_friction[] = {
    {"type", HK_P_CHOICE, 0, HK_P_HAND, 0, 0, 0, "", "coulomb stribeck lugre", "coulomb: one coefficient, sticks truly; stribeck: the coefficient falls from mu_static to mu; lugre: a bristle that gives way at every speed"},
    FIELD("mu", HK_P_REQUIRED | HK_P_POSITIVE, MU, NAN, "", "coefficient of sliding"),
    FIELD("mu_static", HK_P_POSITIVE, STATIC, NAN, "", "coefficient at break-away (stribeck, lugre); left out: as 'mu'"),
    FIELD("speed", HK_P_POSITIVE, SPEED, NAN, "m/s", "at which the coefficient has fallen from 'mu_static' to near 'mu'"),
    FIELD("exponent", HK_P_POSITIVE, EXPONENT, 2, "", "of the speed in this fall"),
    BENDS("m"),
    FIELD("sigma0", HK_P_POSITIVE, SIGMA0, NAN, "1/m", "stiffness of the bristle over the normal force, instead of 'deflection'"),
    FIELD("sigma1", HK_P_NONNEGATIVE, SIGMA1, NAN, "s/m", "damping of the bristle over the normal force, instead of 'time'"),
    FIELD("sigma2", HK_P_NONNEGATIVE, SIGMA2, 0, "s/m", "viscous part: coefficient per speed"),
    SHARE("elastic", ELASTIC, "lugre: share of the bristle's deflection up to which it only bends; left out: 0"),
    HK_PARAM_END};

const hk_param hki_keys_coulomb[] = {
    FIELD("force", HK_P_REQUIRED | HK_P_POSITIVE, MU, NAN, "N or N*m", "of sliding: coefficient times normal force"),
    BENDS("m or rad"),
    FIELD("viscous", HK_P_NONNEGATIVE, SIGMA2, 0, "N*s/m or N*m*s/rad", "friction per speed, beside it"),
    HK_PARAM_END};

const hk_param hki_keys_stribeck[] = {
    FIELD("force", HK_P_REQUIRED | HK_P_POSITIVE, MU, NAN, "N or N*m", "of fast sliding"),
    FIELD("static", HK_P_REQUIRED | HK_P_POSITIVE, STATIC, NAN, "N or N*m", "at which it breaks away"),
    FIELD("speed", HK_P_REQUIRED | HK_P_POSITIVE, SPEED, NAN, "m/s or rad/s", "at which the force has fallen from 'static' to near 'force'"),
    FIELD("exponent", HK_P_POSITIVE, EXPONENT, 2, "", "of the speed in this fall"),
    BENDS("m or rad"),
    FIELD("viscous", HK_P_NONNEGATIVE, SIGMA2, 0, "N*s/m or N*m*s/rad", "friction per speed, beside it"),
    HK_PARAM_END};

const hk_param hki_keys_lugre[] = {
    FIELD("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, SIGMA0, NAN, "N/m or N*m/rad", "of the bristle"),
    FIELD("damping", HK_P_NONNEGATIVE, SIGMA1, 0, "N*s/m or N*m*s/rad", "of the bristle"),
    FIELD("viscous", HK_P_NONNEGATIVE, SIGMA2, 0, "N*s/m or N*m*s/rad", "friction per speed, beside the bristle"),
    FIELD("coulomb", HK_P_REQUIRED | HK_P_POSITIVE, MU, NAN, "N or N*m", "force of fast sliding: coefficient times normal force"),
    FIELD("static", HK_P_POSITIVE, STATIC, NAN, "N or N*m", "force at which it breaks away; left out: as 'coulomb'"),
    FIELD("speed", HK_P_POSITIVE, SPEED, NAN, "m/s or rad/s", "at which the force has fallen from 'static' to near 'coulomb' (Stribeck)"),
    FIELD("exponent", HK_P_POSITIVE, EXPONENT, 2, "", "of the speed in this fall"),
    SHARE("elastic", ELASTIC, "share of the bristle's deflection up to which it only bends; left out: 0"),
    HK_PARAM_END};
/* clang-format on */

/* what the keys of a table mean: how people wrote coefficients, or forces */
typedef struct words {
  const hk_param *rows;
  hk_friction_kind kind;
  const char *what, *mu, *mu_static;
} words;

static const words laws[] = {
    {hki_keys_coulomb, HK_FRICTION_COULOMB, "coulomb", "force", "static"},
    {hki_keys_stribeck, HK_FRICTION_STRIBECK, "stribeck", "force", "static"},
    {hki_keys_lugre, HK_FRICTION_LUGRE, "lugre", "coulomb", "static"},
};

/* the numbers of a mapping whose keys are checked; NAN or the default where a key is left out */
static bool read_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *rows,
                         double *c) {
  bool ok = true;
  for (int i = 0; i < COUNT; i++) c[i] = NAN;
  c[EXPONENT] = 2.0, c[SIGMA2] = c[ELASTIC] = 0.0;
  for (const hk_param *p = rows; p->type != HK_P_END; p++) {
    const hk_node *x = hki_node_get(v, p->name);
    if (p->offset < 0) continue;
    c[p->offset] = p->def;
    // that a key is missing was said
    ok = x ? hki_rd_ranged(rd, s, x, p, &c[p->offset]) && ok : ok && !(p->flags & HK_P_REQUIRED);
  }
  return ok;
}

/* two keys for the same thing */
static bool twice(hk_reader *rd, const hk_node *v, const double *c, int a, int b, const char *one,
                  const char *other) {
  if (isnan(c[a]) || isnan(c[b])) return false;
  hki_rd_error(rd, hki_node_get(v, other)->loc, "leave one of them out",
               "friction has both '%s' and '%s'", one, other);
  return true;
}

/* completes the numbers and checks them against each other */
static const hk_friction *finish(hk_reader *rd, const hk_node *v, const words *w, double *c) {
  const char *what = w->what;
  if (isnan(c[STATIC])) c[STATIC] = c[MU];
  if (c[STATIC] < c[MU]) {
    hki_rd_error(rd, hki_node_get(v, w->mu_static)->loc, NULL,
                 "'%s' must not be below '%s', found %g and %g", w->mu_static, w->mu, c[STATIC],
                 c[MU]);
    return NULL;
  }
  // a lock holds up to another coefficient, however it slides
  const bool lock = hki_node_is(hki_node_get(v, "stick"), "exact");
  if (c[STATIC] > c[MU] && w->kind == HK_FRICTION_COULOMB && !lock) {
    hki_rd_error(rd, hki_node_get(v, w->mu_static)->loc, "type: stribeck",
                 "'coulomb' has one coefficient, and cannot have '%s' above '%s'", w->mu_static,
                 w->mu);
    return NULL;
  }
  if (isnan(c[SPEED]) && c[STATIC] > c[MU] && w->kind != HK_FRICTION_COULOMB) {
    hki_rd_error(rd, v->loc, "speed: 0.01", "'%s' with '%s' above '%s' must have 'speed'", what,
                 w->mu_static, w->mu);
    return NULL;
  }
  if (isnan(c[SPEED])) c[SPEED] = 1.0; // without effect
  if (twice(rd, v, c, DEFLECTION, SIGMA0, "deflection", "sigma0")) return NULL;
  if (twice(rd, v, c, TIME, SIGMA1, "time", "sigma1")) return NULL;
  if (isnan(c[SIGMA0])) c[SIGMA0] = c[STATIC] / (isnan(c[DEFLECTION]) ? 1e-5 : c[DEFLECTION]);
  if (isnan(c[SIGMA1])) c[SIGMA1] = c[SIGMA0] * (isnan(c[TIME]) ? 0.01 : c[TIME]);
  if (w->kind != HK_FRICTION_LUGRE && c[SIGMA1] <= 0.0) {
    hki_rd_error(rd, hki_node_get(v, "sigma1")->loc, NULL,
                 "'sigma1' of '%s' must be positive: the bristle would ring for ever", what);
    return NULL;
  }
  hk_friction *f = hki_pool_alloc(rd->spec->pool, sizeof *f);
  if (f)
    *f = (hk_friction){w->kind,   c[MU],     c[STATIC], c[SPEED],  c[EXPONENT],
                       c[SIGMA0], c[SIGMA1], c[SIGMA2], c[ELASTIC]};
  return f;
}

const hk_friction *hki_rd_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *v,
                                   const hk_param *more, const char *what, const char *name) {
  const hk_param *const tables[] = {hki_keys_friction, more, NULL};
  words w = {hki_keys_friction, HK_FRICTION_COULOMB, "coulomb", "mu", "mu_static"};
  int32_t kind = HK_FRICTION_COULOMB;
  double c[COUNT];
  if (!hki_rd_check_keys(rd, v, tables, what, name)) return NULL;
  const hk_node *type = hki_node_get(v, "type");
  if (type && !hki_rd_choice(rd, type, "type", hki_keys_friction[0].choices, &kind)) return NULL;
  w.kind = laws[kind].kind, w.what = laws[kind].what;
  if (!read_numbers(rd, s, v, w.rows, c)) return NULL;
  return finish(rd, v, &w, c);
}

bool hki_rd_friction_law(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_friction_kind kind,
                         hk_law *law) {
  const words *w = &laws[kind];
  const hk_param *const tables[] = {w->rows, NULL};
  double c[COUNT];
  *law = (hk_law){.kind = HK_LAW_FRICTION};
  if (!hki_rd_check_keys(rd, v, tables, "the law", w->what)) return false;
  if (!read_numbers(rd, s, v, w->rows, c)) return false;
  return (law->friction = finish(rd, v, w, c)) != NULL;
}
