/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c: the scope of the expression tests.
 */
#include "support.h"

static const char *const input_names[SLOT_COUNT] = {"t", "s", "sdot",
                                                    "x", "y", "body.rod.position.x"};
static const struct {
  const char *name;
  double value;
} parameters[] = {{"L", 2.0}, {"k", 100.0}, {"zero", 0.0}, {"front_left.k", 7.0}};

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  for (int32_t i = 0; i < SLOT_COUNT; i++) {
    if (strcmp(name, input_names[i]) == 0) {
      *out = (hk_expr_symbol){.is_input = true, .slot = i};
      return true;
    }
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(parameters); i++) {
    if (strcmp(name, parameters[i].name) == 0) {
      *out = (hk_expr_symbol){.value = parameters[i].value};
      return true;
    }
  }
  return false;
}

static void suggest(void *user, hk_nearest *near) {
  (void)user;
  for (int32_t i = 0; i < SLOT_COUNT; i++) hki_nearest_try(near, input_names[i]);
  for (int32_t i = 0; i < HK_ARRAY_LEN(parameters); i++) hki_nearest_try(near, parameters[i].name);
}

void fixture_open(fixture *f) {
  f->ctx = hk_ctx_create();
  f->pool = hki_pool_create(f->ctx);
  f->scope = (hk_expr_scope){NULL, resolve, suggest, false};
}

void fixture_close(fixture *f) {
  hki_pool_destroy(f->pool);
  hk_ctx_destroy(f->ctx);
}

hk_expr *compile(fixture *f, const char *text) {
  hk_expr *e;
  hk_loc at = {hki_ctx_file(f->ctx, "model.yaml"), 7, 11};
  hk_status status = hki_expr_compile(f->ctx, f->pool, text, strlen(text), at, &f->scope, &e);
  ck_assert((status == HK_OK) == (e != NULL));
  return e;
}

hk_expr *must(fixture *f, const char *text) {
  hk_expr *e = compile(f, text);
  const hk_message *m = e ? NULL : hk_ctx_message(f->ctx, hk_ctx_message_count(f->ctx) - 1);
  ck_assert_msg(e != NULL, "'%s': %s", text, m ? m->text : "no message");
  return e;
}

double value_of(fixture *f, const char *text, const double *inputs) {
  static const double zeros[SLOT_COUNT];
  return hki_expr_eval(must(f, text), inputs ? inputs : zeros);
}

int32_t expr_breaks(const hk_expr *e, int32_t slot, double x0, double x1, double *out,
                    int32_t max) {
  int32_t n = 0;
  for (double x = hki_expr_next_break(e, slot, x0); max > 0 && x <= x1 && isfinite(x);) {
    bool same = n > 0 && x - out[n - 1] <= 1e-12 * fabs(x);
    if (!same && n == max) break;
    ck_assert(x > (n ? out[n - 1] : x0));
    out[same ? n - 1 : n++] = x;
    x = hki_expr_next_break(e, slot, x);
  }
  return n;
}

int32_t shape_breaks(const hk_shape *s, double x0, double x1, double *out, int32_t max) {
  int32_t n = 0;
  for (double x = x0; n < max && (x = hki_shape_next_break(s, x, false)) <= x1 && isfinite(x);)
    out[n++] = x;
  return n;
}

int32_t table_breaks(const hk_table *t, double x0, double x1, double *out, int32_t max) {
  int32_t n = 0;
  for (double x = x0; n < max && (x = hki_table_next_break(t, x, false)) <= x1 && isfinite(x);)
    out[n++] = x;
  return n;
}
