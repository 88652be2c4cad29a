/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.c: the catalogue and the schema through the public interface: bounds, lifetimes, and what
 * happens when memory runs out.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "hooke/hooke.h"
#include "runner.h"

static hk_ctx *ctx;

static void setup(void) { ctx = hk_ctx_create(); }

static void teardown(void) { hk_ctx_destroy(ctx); }

START_TEST(test_kinds) {
  int32_t n = hk_catalog_kind_count();
  ck_assert_int_ge(n, 9);
  for (int32_t i = 0; i < n; i++) {
    const char *kind = hk_catalog_kind(i);
    ck_assert_int_gt(hk_catalog_count(kind), 0);
    ck_assert_ptr_null(hk_catalog_entry_at(ctx, kind, -1));
    ck_assert_ptr_null(hk_catalog_entry_at(ctx, kind, hk_catalog_count(kind)));
  }
  ck_assert_ptr_null(hk_catalog_kind(-1));
  ck_assert_ptr_null(hk_catalog_kind(n));
  ck_assert_int_eq(hk_catalog_count("nonsense"), -1);
  ck_assert_int_eq(hk_catalog_count(NULL), -1);
  ck_assert_ptr_null(hk_catalog_entry_at(ctx, "nonsense", 0));
  ck_assert_ptr_null(hk_catalog_entry_at(NULL, "joints", 0));
}
END_TEST

/* numbers of parameters are in order: least, default, most */
static void check_param(const hk_catalog_entry *e, const hk_catalog_param *p) {
  ck_assert_ptr_nonnull(p->name);
  ck_assert_ptr_nonnull(p->type);
  ck_assert_ptr_nonnull(p->unit);
  ck_assert_ptr_nonnull(p->text);
  ck_assert_msg(!(p->min > p->max), "%s.%s: limits", e->name, p->name);
  ck_assert_msg(!(p->def < p->min) && !(p->def > p->max), "%s.%s: default", e->name, p->name);
  ck_assert_msg(!p->required || isnan(p->def), "%s.%s: required with default", e->name, p->name);
  if (strcmp(p->type, "choice") == 0) ck_assert_ptr_nonnull(p->choices);
}

START_TEST(test_entries) {
  for (int32_t k = 0; k < hk_catalog_kind_count(); k++) {
    const char *kind = hk_catalog_kind(k);
    for (int32_t i = 0; i < hk_catalog_count(kind); i++) {
      const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
      ck_assert_ptr_nonnull(e);
      ck_assert_str_eq(e->kind, kind);
      ck_assert_ptr_nonnull(e->name);
      ck_assert_ptr_nonnull(e->text);
      for (int32_t j = 0; j < e->nparams; j++) check_param(e, e->params + j);
      // an entry stays where it is
      ck_assert_ptr_eq(e, hk_catalog_entry_at(ctx, kind, i));
    }
  }
}
END_TEST

START_TEST(test_schema) {
  const char *schema = hk_model_schema(ctx);
  ck_assert_ptr_nonnull(schema);
  ck_assert_ptr_nonnull(strstr(schema, "draft-07"));
  ck_assert_ptr_eq(schema, hk_model_schema(ctx));
}
END_TEST

START_TEST(test_out_of_memory) {
  bool done = false;
  // where everything takes long, one of ten after the first
  for (uint64_t n = 1; n < 5000 && !done; n += test_few() && n > 50 ? 10 : 1) {
    hk_ctx *poor = hk_ctx_create();
    hki_alloc_fail_at(poor, n);
    done = hk_model_schema(poor) != NULL;
    for (int32_t k = 0; k < hk_catalog_kind_count(); k++) {
      done = hk_catalog_entry_at(poor, hk_catalog_kind(k), 0) != NULL && done;
    }
    if (!done) ck_assert_int_eq(hki_ctx_status(poor), HK_E_MEMORY);
    hk_ctx_destroy(poor);
  }
  ck_assert(done);
}
END_TEST

START_TEST(test_version) {
  ck_assert_str_eq(hk_version(), HK_VERSION_STRING);
  int32_t n = hk_feature_count();
  ck_assert_int_ge(n, 3);
  for (int32_t i = 0; i < n; i++) ck_assert_ptr_nonnull(hk_feature_name(i));
  ck_assert_ptr_null(hk_feature_name(n));
  ck_assert_ptr_null(hk_feature_name(-1));
  ck_assert_int_eq(hk_feature_on(n), 0);
}
END_TEST

Suite *suite_catalog(void);
Suite *suite_catalog(void) {
  Suite *s = suite_create("catalog");
  TCase *c = tcase_create("all");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, test_kinds);
  tcase_add_test(c, test_entries);
  tcase_add_test(c, test_schema);
  tcase_add_test(c, test_out_of_memory);
  tcase_add_test(c, test_version);
  suite_add_tcase(s, c);
  return s;
}
