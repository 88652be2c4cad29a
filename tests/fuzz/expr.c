/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target of src/expr: any bytes either compile or give a message. What compiles is evaluated
 * in every mode, and the modes must agree on the value.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 4 };
static const char *const names[INPUTS] = {"t", "s", "x", "body.rod.position.x"};

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  for (int32_t i = 0; i < INPUTS; i++) {
    if (strcmp(name, names[i]) == 0) {
      *out = (hk_expr_symbol){.is_input = true, .slot = i};
      return true;
    }
  }
  *out = (hk_expr_symbol){.value = name[0] == 'Z' ? 0.0 : 2.5};
  return name[0] == 'L' || name[0] == 'Z';
}

static void suggest(void *user, hk_nearest *near) {
  (void)user;
  for (int32_t i = 0; i < INPUTS; i++) hki_nearest_try(near, names[i]);
}

static void require(bool ok) {
  if (!ok) abort();
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void check(const hk_expr *e, const double *in) {
  double grad[INPUTS], jet[3], path[3];
  double v = hki_expr_eval(e, in);
  require(same(v, hki_expr_eval_gradient(e, in, grad)));
  for (int32_t slot = 0; slot < INPUTS; slot++) {
    double rates[INPUTS] = {0};
    rates[slot] = 1.0;
    hki_expr_eval_jet(e, in, slot, jet);
    hki_expr_eval_path(e, in, rates, NULL, path);
    require(same(v, jet[0]));
    for (int32_t k = 0; k < 3; k++) require(same(jet[k], path[k]));
  }
  // finite slopes are the same in both modes
  for (int32_t i = 0; i < hki_expr_input_count(e); i++) {
    hki_expr_eval_jet(e, in, hki_expr_inputs(e)[i], jet);
    if (isfinite(v)) require(isfinite(grad[i]));
  }
  double t = in[0];
  for (int32_t i = 0; i < 16 && t < INFINITY; i++) {
    double next = hki_expr_next_break(e, 0, t);
    require(next > t);
    t = next;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double points[][INPUTS] = {
      {0.0, 0.0, 0.0, 0.0}, {0.5, -1.5, 2.0, 1e3}, {-1e300, 1e-300, INFINITY, NAN}};
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = hki_pool_create(ctx);
  hk_expr_scope scope = {NULL, resolve, suggest, false};
  hk_expr *e = NULL;
  double value;
  hk_status status =
      hki_expr_compile(ctx, pool, (const char *)data, size, (hk_loc){-1, 1, 1}, &scope, &e);
  require((status == HK_OK) == (e != NULL));
  // one message for each error, none for success
  require(hk_ctx_message_count(ctx) == (status == HK_OK ? 0 : 1));
  if (e) {
    require(strncmp(hki_expr_source(e), (const char *)data, size) == 0);
    if (hki_expr_is_constant(e, &value)) require(isfinite(value));
    for (int32_t i = 0; i < 3; i++) check(e, points[i]);
  }
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
  return 0;
}
