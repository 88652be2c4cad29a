/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: the table of joints is complete and consistent: names, aliases, words for coordinates,
 * parameter rows, functions that must be there, words for rows.
 */
#include "support_joints.h"

#define FOR_EACH_JOINT(o)                                                                          \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (const hk_joint_ops *o = hki_joint_at(i_); o; o = NULL)

static int32_t count_words(const char *s) {
  int32_t n = 0;
  while (*s) {
    size_t len = strcspn(s, " ");
    n += len > 0;
    s += len + (s[len] == ' ');
  }
  return n;
}

START_TEST(test_unknown_names_are_refused) {
  static const char *const bad[] = {"", " ", "hing", "hinge ", "hinge continuous", "Revolute", "e"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(bad); i++)
    ck_assert_msg(!hki_joint_find(bad[i]), "'%s' was found", bad[i]);
  ck_assert_ptr_null(hki_joint_find(NULL));
  ck_assert_ptr_null(hki_joint_at(-1));
  ck_assert_ptr_null(hki_joint_at(hki_joint_count()));
}
END_TEST

START_TEST(test_names_are_unique) {
  FOR_EACH_JOINT(o) {
    ck_assert_msg(hki_joint_find(o->name) == o, "%s is hidden", o->name);
    char word[64];
    for (const char *s = o->alias ? o->alias : ""; *s;) {
      size_t len = strcspn(s, " ");
      ck_assert_uint_lt(len, sizeof word);
      memcpy(word, s, len);
      word[len] = '\0';
      ck_assert_msg(hki_joint_find(word) == o, "%s: alias %s is taken", o->name, word);
      s += len + (s[len] == ' ');
    }
  }
}
END_TEST

START_TEST(test_sizes_and_words_agree) {
  FOR_EACH_JOINT(o) {
    bool tree = o->nv >= 0, quat = (o->caps & HK_JOINT_QUATERNION) != 0;
    int32_t nq = tree ? o->nq : o->ns, nv = tree ? o->nv : o->ns;
    ck_assert_msg(o->nq <= 7 && o->nv <= HK_JOINT_MAX && o->nc <= HK_JOINT_MAX, "%s", o->name);
    ck_assert_msg(tree ? o->nq == o->nv + quat : o->nq == 0 && o->nv == -1, "%s: nq", o->name);
    ck_assert_msg(!tree || o->ns == o->nq - 4 * quat, "%s: ns", o->name);
    ck_assert_msg(count_words(o->coords) == nq, "%s: coords", o->name);
    ck_assert_msg(count_words(o->units) == nq, "%s: units", o->name);
    ck_assert_msg(count_words(o->rates) == nv, "%s: rates", o->name);
    ck_assert_msg(o->text && *o->text && o->source && *o->source, "%s: text", o->name);
  }
}
END_TEST

START_TEST(test_functions_are_there) {
  FOR_EACH_JOINT(o) {
    bool tree = o->nv >= 0;
    ck_assert_msg(o->loop && o->loop_geo, "%s: loop", o->name);
    ck_assert_msg((o->tree != NULL) == tree && (o->plus != NULL) == tree, "%s: tree", o->name);
    ck_assert_msg((o->minus != NULL) == tree && (o->measure != NULL) == tree, "%s", o->name);
    ck_assert_msg((o->coord != NULL) == (o->ns > 0), "%s: coord", o->name);
    ck_assert_msg((o->coord_geo != NULL) == (o->ns > 0), "%s: coord_geo", o->name);
    ck_assert_msg((o->rows != NULL) == (o->nc > 0), "%s: rows", o->name);
  }
}
END_TEST

/* rows of one table: named, explained, in range, no name twice */
static void check_params(const char *joint, const hk_param *p, size_t par_size) {
  for (const hk_param *r = p; r->type != HK_P_END; r++) {
    ck_assert_msg(r->name && *r->name && r->text && *r->text && r->unit, "%s: %s", joint,
                  r->name ? r->name : "a row without a name");
    size_t size = r->type == HK_P_REAL     ? sizeof(double)
                  : r->type == HK_P_AXIS2  ? 2 * sizeof(double)
                  : r->type == HK_P_LOCKED ? sizeof(uint32_t)
                  : r->type == HK_P_REALS  ? sizeof(hk_reals)
                  : r->type == HK_P_CURVE  ? sizeof(void *)
                  : r->type == HK_P_BOOL   ? sizeof(bool)
                                           : 0;
    ck_assert_msg(r->offset == HK_P_HAND ? size == 0 || par_size == 0
                                         : size > 0 && (size_t)r->offset + size <= par_size,
                  "%s: offset of %s", joint, r->name);
    ck_assert_msg((r->type == HK_P_CHOICE) == (r->choices != NULL), "%s: %s", joint, r->name);
    for (const hk_param *t = p; t < r; t++)
      ck_assert_msg(strcmp(t->name, r->name) != 0, "%s: %s twice", joint, r->name);
  }
}

START_TEST(test_parameter_tables) {
  FOR_EACH_JOINT(o) {
    ck_assert_msg(o->params != NULL, "%s: params", o->name);
    check_params(o->name, o->params, o->par_size);
  }
  check_params("common", hki_joint_common_params, 0);
}
END_TEST

START_TEST(test_rows_have_names) {
  FOR_EACH_JOINT(o) {
    double par[8] = {0};
    joint_fill(o, par, 1.0, 1.0, 63);
    int32_t n = hki_joint_rows(o, par);
    ck_assert_msg(n == o->nc, "%s: rows", o->name);
    for (int32_t r = 0; r < n; r++) {
      const char *name = hki_joint_row_name(o, par, r);
      ck_assert_msg(*name, "%s: row %d has no name", o->name, r);
      for (int32_t s = 0; s < r; s++)
        ck_assert_msg(strcmp(name, hki_joint_row_name(o, par, s)) != 0, "%s: %s twice", o->name,
                      name);
    }
    ck_assert_str_eq(hki_joint_row_name(o, par, -1), "");
    ck_assert_str_eq(hki_joint_row_name(o, par, n), "");
  }
}
END_TEST

START_TEST(test_general_takes_any_subset) {
  const hk_joint_ops *o = hki_joint_find("general");
  joint_case c;
  case_make(&c, o, 0, 0.0);
  hk_joint_loop full, part;
  joint_fill(o, c.par, 0.0, 0.0, 63);
  o->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &full);
  for (uint32_t mask = 0; mask < 64; mask++) {
    int32_t n = 0;
    double all[8] = {0};
    joint_fill(o, all, 0.0, 0.0, 63);
    joint_fill(o, c.par, 0.0, 0.0, mask);
    o->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &part);
    for (int32_t i = 0; i < 6; i++) {
      if (!(mask >> i & 1u)) continue;
      ck_assert_double_eq(part.phi[n], full.phi[i]);
      ck_assert_double_eq(part.gamma[n], full.gamma[i]);
      ck_assert_mem_eq(part.GA + 6 * n, full.GA + 6 * i, 6 * sizeof(double));
      ck_assert_str_eq(hki_joint_row_name(o, &c.par, n), hki_joint_row_name(o, all, i));
      n++;
    }
    ck_assert_int_eq(hki_joint_rows(o, &c.par), n);
  }
}
END_TEST

Suite *suite_table(void);
Suite *suite_table(void) {
  Suite *s = suite_create("joints/table");
  TCase *t = tcase_create("table");
  tcase_add_test(t, test_unknown_names_are_refused);
  tcase_add_test(t, test_names_are_unique);
  tcase_add_test(t, test_sizes_and_words_agree);
  tcase_add_test(t, test_functions_are_there);
  tcase_add_test(t, test_parameter_tables);
  tcase_add_test(t, test_rows_have_names);
  tcase_add_test(t, test_general_takes_any_subset);
  suite_add_tcase(s, t);
  return s;
}
