/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_law_memory.c: laws with memory (elements/memory.c). Their tables fill a list of numbers: the
 * offset of a row is its place there.
 */
#include "language/reader_axes.h"
#include "language/reader_laws.h"

#include <math.h>
#include <string.h>

#include "language/rows.h"

enum { MOST_BRANCHES = 32 };

/* clang-format off */
#define LISTED(name, flags, at, def, unit, text) {name, HK_P_NUMBERS, flags, at, def, 0, 0, unit, NULL, text}
const hk_param hki_keys_maxwell[] = {
    LISTED("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, 0, NAN, "N/m or N*m/rad", "of the spring of this branch; of several deformations a list, or a symmetric matrix"),
    LISTED("time", HK_P_POSITIVE, 1, NAN, "s", "in which its force falls to 1/e: damping/stiffness"),
    LISTED("damping", HK_P_POSITIVE, 2, NAN, "N*s/m or N*m*s/rad", "of its dashpot, instead of 'time'"),
    HK_PARAM_END};

const hk_param hki_keys_hardening[] = {
    LISTED("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, 0, NAN, "N/m or N*m/rad", "in the elastic range; of several deformations a list"),
    LISTED("yield", HK_P_REQUIRED | HK_P_POSITIVE, 1, NAN, "N or N*m", "force at which it first yields; of several deformations half-axes of an ellipsoid"),
    FIELD("isotropic", HK_P_NONNEGATIVE, 2, 0, "N/m or N*m/rad", "growth of the elastic range per plastic path, of several deformations that of the first"),
    LISTED("kinematic", HK_P_NONNEGATIVE, 3, 0, "N/m or N*m/rad", "shift of the elastic range per plastic elongation"),
    HK_PARAM_END};

const hk_param hki_keys_bistop[] = {
    ROW("engage", HK_P_TEXT, HK_P_REQUIRED, "condition of s1, s2, .., sd1, sd2, .. (s, sdot) under which the law begins to act, from where it then is"),
    ROW("release", HK_P_TEXT, HK_P_REQUIRED, "condition under which it lets go"),
    ROW("law", HK_P_LAW_MANY, HK_P_REQUIRED, "of the deformations since it engaged"),
    ROW("engaged", HK_P_BOOL, 0, "true: it acts from the start"),
    HK_PARAM_END};
/* clang-format on */

bool hki_rd_law_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *rows,
                        const char *what, double *c) {
  const hk_param *const tables[] = {rows, NULL};
  if (!hki_rd_check_keys(rd, v, tables, "the law", what)) return false;
  bool ok = true;
  for (const hk_param *p = rows; p->type != HK_P_END; p++) {
    const hk_node *x = hki_node_get(v, p->name);
    c[p->offset] = p->def;
    if (x) ok = hki_rd_ranged(rd, s, x, p, &c[p->offset]) && ok;
  }
  return ok;
}

/* one of time and damping; c: stiffness, time, damping */
static bool read_branch(hk_reader *rd, hk_rd_scope *s, const hk_node *v, double *c) {
  if (!hki_rd_law_numbers(rd, s, v, hki_keys_maxwell, "maxwell", c)) return false;
  if (isnan(c[1]) == isnan(c[2])) {
    hki_rd_error(rd, v->loc, "{stiffness: 2e4, time: 0.1}",
                 "a branch of 'maxwell' must have one of 'time' and 'damping'");
    return false;
  }
  if (isnan(c[1])) c[1] = c[2] / c[0];
  return true;
}

bool hki_rd_maxwell(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_law *inner,
                    hk_law *law) {
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1 || v->count > MOST_BRANCHES) {
    hki_rd_error(rd, v->loc, "[{stiffness: 2e4, time: 0.1}]",
                 "'maxwell' must be a list of 1 to %d branches", MOST_BRANCHES);
    return false;
  }
  double *c = hki_pool_alloc(rd->spec->pool, 2 * (size_t)v->count * sizeof *c);
  bool ok = c != NULL;
  for (int32_t i = 0; c && i < v->count; i++) {
    double x[3];
    ok = read_branch(rd, s, v->items[i], x) && ok;
    if (ok) c[2 * i] = x[0], c[2 * i + 1] = x[1];
  }
  *law = (hk_law){.kind = HK_LAW_MAXWELL, .n = 2 * v->count, .c = c, .inner = inner};
  return ok;
}

bool hki_rd_hardening(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_law *law) {
  double *c = hki_pool_alloc(rd->spec->pool, 4 * sizeof *c);
  *law = (hk_law){.kind = HK_LAW_HARDENING, .n = 4, .c = c};
  return c && hki_rd_law_numbers(rd, s, v, hki_keys_hardening, "hardening", c);
}

/* --- of several deformations ------------------------------------------------------------------ */

/* a number for all or a list, as the row allows; def where v is NULL */
static bool read_each(const hk_rd_law_in *in, const hk_node *v, const hk_param *row, double *x) {
  char found[64];
  for (int32_t i = 0; i < in->n; i++) x[i] = row->def;
  if (!v) return true;
  if (v->kind == HK_NODE_SCALAR) {
    if (!hki_rd_ranged(in->rd, in->s, v, row, x)) return false;
    for (int32_t i = 1; i < in->n; i++) x[i] = x[0];
    return true;
  }
  if (v->kind != HK_NODE_SEQUENCE || v->count != in->n) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' must be a number or a list of %d, found %s", row->name,
                 (int)in->n, hki_node_describe(v, found, sizeof found));
    return false;
  }
  for (int32_t i = 0; i < in->n; i++)
    if (!hki_rd_ranged(in->rd, in->s, v->items[i], row, &x[i])) return false;
  return true;
}

/* symmetric and without negative pivots; rows of zeros are allowed */
static bool check_stiffness(const hk_rd_law_in *in, const hk_node *v, const double *K) {
  double A[HK_MANY * HK_MANY], top = 0.0;
  memcpy(A, K, sizeof A);
  for (int32_t i = 0; i < HK_MANY * HK_MANY; i++) top = fmax(top, fabs(K[i]));
  for (int32_t i = 0; i < in->n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double a = K[HK_MANY * i + j], b = K[HK_MANY * j + i];
      if (fabs(a - b) <= 1e-9 * top) continue;
      hki_rd_error(in->rd, v->loc, NULL,
                   "'stiffness' of a branch is not symmetric: entry %d, %d is %g, and %d, %d is %g",
                   (int)i + 1, (int)j + 1, a, (int)j + 1, (int)i + 1, b);
      return false;
    }
  bool good = top > 0.0;
  for (int32_t k = 0; good && k < in->n; k++) {
    const double p = A[(HK_MANY + 1) * k];
    good = p >= -1e-12 * top;
    for (int32_t i = k + 1; i < in->n; i++)
      for (int32_t j = k + 1; j < in->n; j++)
        if (p > 1e-12 * top)
          A[HK_MANY * i + j] -= A[HK_MANY * i + k] * A[HK_MANY * k + j] / p;
        else
          good = good && fabs(A[HK_MANY * i + k]) <= 1e-9 * top;
  }
  if (!good)
    hki_rd_error(in->rd, v->loc, "it would give more energy than it takes",
                 "'stiffness' of a branch must be positive, and zero only in whole rows");
  return good;
}

static bool many_branch(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  static const hk_param *const tables[] = {hki_keys_maxwell, NULL};
  enum { SIZE = HK_MANY * HK_MANY };
  double *c = hki_pool_alloc(in->rd->spec->pool, (SIZE + HK_MANY) * sizeof *c), *tau = c + SIZE;
  if (!c || !hki_rd_check_keys(in->rd, v, tables, "the law", "maxwell")) return false;
  const hk_node *k = hki_node_get(v, "stiffness"), *time = hki_node_get(v, "time"),
                *damping = hki_node_get(v, "damping");
  const bool matrix =
      k->kind == HK_NODE_SEQUENCE && k->count && k->items[0]->kind == HK_NODE_SEQUENCE;
  const hk_node *given = time ? time : damping;
  if (!hki_rd_square(in->rd, in->s, k, "stiffness", in->n, c) || !check_stiffness(in, k, c))
    return false;
  if ((time != NULL) == (damping != NULL) ||
      (matrix && (damping || time->kind != HK_NODE_SCALAR))) {
    hki_rd_error(in->rd, v->loc, "{stiffness: 2e4, time: 0.1}",
                 matrix ? "a branch of 'maxwell' with a matrix must have one number as its 'time'"
                        : "a branch of 'maxwell' must have one of 'time' and 'damping'");
    return false;
  }
  if (!read_each(in, given, &hki_keys_maxwell[time ? 1 : 2], tau)) return false;
  *part = (hk_law_part){.kind = HK_PART_BRANCH, .c = c};
  for (int32_t i = 0; i < in->n; i++) {
    if (c[(HK_MANY + 1) * i] == 0.0) continue; // nothing on that axis
    if (damping) tau[i] /= c[(HK_MANY + 1) * i];
    part->mask |= 1u << i;
  }
  return true;
}

bool hki_rd_many_maxwell(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part, int32_t *n) {
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1 || v->count > MOST_BRANCHES) {
    hki_rd_error(in->rd, v->loc, "[{stiffness: 2e4, time: 0.1}]",
                 "'maxwell' must be a list of 1 to %d branches", MOST_BRANCHES);
    return false;
  }
  for (int32_t i = 0; i < v->count; i++)
    if (!many_branch(in, v->items[i], &part[(*n)++])) return false;
  return true;
}

bool hki_rd_many_hardening(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  static const hk_param *const tables[] = {hki_keys_hardening, NULL};
  const int32_t n = in->n;
  double *c = hki_pool_alloc(in->rd->spec->pool, (size_t)(3 * n + 1) * sizeof *c), Hi = 0.0;
  if (!c || !hki_rd_check_keys(in->rd, v, tables, "the law", "hardening")) return false;
  const hk_node *isotropic = hki_node_get(v, "isotropic");
  if (!read_each(in, hki_node_get(v, "stiffness"), &hki_keys_hardening[0], c) ||
      !read_each(in, hki_node_get(v, "yield"), &hki_keys_hardening[1], c + n) ||
      !read_each(in, hki_node_get(v, "kinematic"), &hki_keys_hardening[3], c + 2 * n) ||
      (isotropic && !hki_rd_ranged(in->rd, in->s, isotropic, &hki_keys_hardening[2], &Hi)))
    return false;
  c[3 * n] = Hi / (c[n] * c[n]);
  *part = (hk_law_part){.kind = HK_PART_HARDENING, .c = c};
  return true;
}

bool hki_rd_many_bistop(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  static const hk_param *const tables[] = {hki_keys_bistop, NULL};
  const hk_expr **e = hki_pool_alloc(in->rd->spec->pool, 2 * sizeof *e);
  hk_rd_law_in inner = *in;
  if (!e || !hki_rd_check_keys(in->rd, v, tables, "the law", "bistop")) return false;
  const hk_node *engaged = hki_node_get(v, "engaged");
  *part = (hk_law_part){.kind = HK_PART_BISTOP, .expr = e};
  inner.what = "bistop", inner.depth++;
  return (e[0] = hki_rd_law_expr(in, hki_node_get(v, "engage"))) &&
         (e[1] = hki_rd_law_expr(in, hki_node_get(v, "release"))) &&
         (part->many = hki_rd_many_law(&inner, hki_node_get(v, "law"))) &&
         (!engaged || hki_rd_bool(in->rd, in->s, engaged, "engaged", &part->engaged));
}
