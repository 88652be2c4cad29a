/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_law_memory.c: laws with memory (elements/memory.c). Their tables fill a list of numbers: the
 * offset of a row is its place there.
 */
#include "language/reader.h"

#include <math.h>

#include "language/rows.h"

enum { MOST_BRANCHES = 32 };

/* clang-format off */
const hk_param hki_keys_maxwell[] = {
    FIELD("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, 0, NAN, "N/m or N*m/rad", "of the spring of this branch"),
    FIELD("time", HK_P_POSITIVE, 1, NAN, "s", "in which its force falls to 1/e: damping/stiffness"),
    FIELD("damping", HK_P_POSITIVE, 2, NAN, "N*s/m or N*m*s/rad", "of its dashpot, instead of 'time'"),
    HK_PARAM_END};

const hk_param hki_keys_hardening[] = {
    FIELD("stiffness", HK_P_REQUIRED | HK_P_POSITIVE, 0, NAN, "N/m or N*m/rad", "in the elastic range"),
    FIELD("yield", HK_P_REQUIRED | HK_P_POSITIVE, 1, NAN, "N or N*m", "force at which it first yields"),
    FIELD("isotropic", HK_P_NONNEGATIVE, 2, 0, "N/m or N*m/rad", "growth of the elastic range per plastic path"),
    FIELD("kinematic", HK_P_NONNEGATIVE, 3, 0, "N/m or N*m/rad", "shift of the elastic range per plastic elongation"),
    HK_PARAM_END};
/* clang-format on */

/* fills c by the rows of a table; NAN or the default where a key is left out */
static bool read_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *rows,
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
  if (!read_numbers(rd, s, v, hki_keys_maxwell, "maxwell", c)) return false;
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
  return c && read_numbers(rd, s, v, hki_keys_hardening, "hardening", c);
}
