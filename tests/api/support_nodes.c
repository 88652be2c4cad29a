/* SPDX-License-Identifier: Apache-2.0
 *
 * support_nodes.c: arguments of the functions that build models.
 */
#include "support_arguments.h"

#include <math.h>
#include <string.h>

void test_nodes_made(void) {
  NOTHING(hk_node_new_map(NULL));
  NOTHING(hk_node_new_map(OTHER_CTX));
  NOTHING(hk_node_new_list(NULL));
  NOTHING(hk_node_new_number(NULL, 1.0));
  NOTHING(hk_node_new_number(x.ctx, INFINITY));
  says("hk_node_new_number: numbers of a model are finite");
  NOTHING(hk_node_new_text(NULL, "a"));
  NOTHING(hk_node_new_text(x.ctx, NULL));
  NOTHING(hk_node_new_text(x.ctx, "\xff"));
  NOTHING(hk_node_new_text(x.ctx, "bell \a"));
  says("hk_node_new_text");
  NOTHING(hk_node_new_bool(OTHER_CTX, true));
  NOTHING(hk_node_new_null(NULL));
  NOTHING(hk_node_copy(NULL));
  NOTHING(hk_node_copy(OTHER_NODE));
  hk_node_destroy(NULL);
  hk_node_destroy(OTHER_NODE);
}

void test_nodes_changed(void) {
  hk_node *map = hk_node_new_map(x.ctx), *list = hk_node_new_list(x.ctx);
  hk_node *one = hk_node_new_number(x.ctx, 1.0);
  hk_node *const wrong[] = {NULL, OTHER_NODE, one};
  const double numbers[] = {1.0, NAN};
  const char *const texts[] = {"a", NULL};
  for (int i = 0; i < 3; i++) {
    USAGE(hk_node_set(wrong[i], "a", list));
    USAGE(hk_node_set_number(wrong[i], "a", 1.0));
    USAGE(hk_node_set_numbers(wrong[i], "a", 1, numbers));
    USAGE(hk_node_set_text(wrong[i], "a", "b"));
    USAGE(hk_node_set_texts(wrong[i], "a", 1, texts));
    USAGE(hk_node_set_bool(wrong[i], "a", true));
    NOTHING(hk_node_make(wrong[i], "a"));
    USAGE(hk_node_remove(wrong[i], "a"));
    USAGE(hk_node_remove_at(wrong[i], 0));
  }
  says("hk_node_remove_at");
  const char *const keys[] = {NULL, "", "\xff"};
  for (int i = 0; i < 3; i++) USAGE(hk_node_set_number(map, keys[i], 1.0));
  USAGE(hk_node_set(list, "a", one));
  says("hk_node_set: items of a list have no key");
  USAGE(hk_node_set(map, "a", NULL));
  USAGE(hk_node_set(map, "a", map));
  USAGE(hk_node_set_numbers(map, "a", 2, numbers));
  USAGE(hk_node_set_numbers(map, "a", -1, numbers));
  USAGE(hk_node_set_numbers(map, "a", 1, NULL));
  USAGE(hk_node_set_text(map, "a", NULL));
  USAGE(hk_node_set_texts(map, "a", 2, texts));
  USAGE(hk_node_set_texts(map, "a", 1, NULL));
  NOTHING(hk_node_make(map, NULL));
  NOTHING(hk_node_make(map, ""));
  NOTHING(hk_node_make(map, "a..b"));
  ZERO(hk_node_count(list));
  hk_node_destroy(map);
  hk_node_destroy(list);
  hk_node_destroy(one);
}

void test_nodes_asked(void) {
  hk_node *map = hk_node_new_map(x.ctx);
  hk_node *const wrong[] = {NULL, OTHER_NODE, map};
  ck_assert_int_eq(hk_node_set_text(map, "a", "b"), HK_OK);
  for (int i = 0; i < 3; i++) {
    double number = 1.0;
    bool flag = true;
    int32_t line = 7, column = 7;
    if (i < 2) {
      ck_assert_int_eq(hk_node_kind_of(wrong[i]), HK_NODE_NULL);
      ZERO(hk_node_count(wrong[i]));
      NOTHING(hk_node_get(wrong[i], "a"));
      NOTHING(hk_node_at(wrong[i], "a"));
      NOTHING(hk_node_where(wrong[i], &line, &column));
      ZERO(line + column);
      NOTHING(hk_node_yaml(wrong[i]));
    }
    NOTHING(hk_node_key(wrong[i], -1));
    NOTHING(hk_node_key(wrong[i], 1));
    NOTHING(hk_node_item(wrong[i], -1));
    NOTHING(hk_node_item(wrong[i], 1));
    NOTHING(hk_node_text(wrong[i]));
    USAGE(hk_node_number(wrong[i], &number));
    ck_assert(isnan(number));
    ck_assert_int_eq(hk_node_numbers(wrong[i], 1, &number), -1);
    USAGE(hk_node_bool(wrong[i], &flag));
    ck_assert(!flag);
    ZERO(hk_node_quoted(wrong[i]));
  }
  NOTHING(hk_node_get(map, NULL));
  NOTHING(hk_node_at(map, NULL));
  USAGE(hk_node_number(hk_node_get(map, "a"), NULL));
  USAGE(hk_node_bool(hk_node_get(map, "a"), NULL));
  ck_assert_str_eq(hk_node_where(map, NULL, NULL), "(program)");
  // what was put in comes back, as far as there is room
  double three[3] = {0.0};
  ck_assert_int_eq(hk_node_set_numbers(map, "list", 3, (double[]){0.1, -2.0, 3e-7}), HK_OK);
  ck_assert_int_eq(hk_node_numbers(hk_node_get(map, "list"), 2, three), 3);
  ck_assert(three[0] == 0.1 && three[1] == -2.0 && three[2] == 0.0);
  ck_assert_int_eq(hk_node_numbers(hk_node_get(map, "list"), 0, NULL), 3);
  ck_assert_int_eq(hk_node_set_text(hk_node_get(map, "list"), NULL, "2*pi"), HK_OK);
  ck_assert_int_eq(hk_node_numbers(hk_node_get(map, "list"), 3, three), -1);
  hk_node_destroy(map);
}

void test_nodes_read(void) {
  hk_node *n = OTHER_NODE, *map = hk_node_new_map(x.ctx);
  hk_model *m = x.m;
  hk_ctx *other = hk_ctx_create();
  USAGE(hk_node_read(NULL, "a.yaml", &n));
  NOTHING(n);
  USAGE(hk_node_read(x.ctx, NULL, &n));
  USAGE(hk_node_read(x.ctx, "a.yaml", NULL));
  says("hk_node_read: no place for the tree");
  USAGE(hk_node_parse(NULL, "a", 1, "a", &n));
  USAGE(hk_node_parse(x.ctx, NULL, 1, "a", &n));
  USAGE(hk_node_parse(x.ctx, "a", 1, NULL, &n));
  USAGE(hk_node_parse(x.ctx, "a", 1, "a", NULL));
  USAGE(hk_model_build(NULL, map, NULL, NULL, 0, &m));
  NOTHING(m);
  USAGE(hk_model_build(OTHER_CTX, map, NULL, NULL, 0, &m));
  USAGE(hk_model_build(x.ctx, NULL, NULL, NULL, 0, &m));
  USAGE(hk_model_build(x.ctx, OTHER_NODE, NULL, NULL, 0, &m));
  USAGE(hk_model_build(other, map, NULL, NULL, 0, &m));
  USAGE(hk_model_build(x.ctx, map, NULL, NULL, 1, &m));
  USAGE(hk_model_build(x.ctx, map, NULL, NULL, 0, NULL));
  says("hk_model_build: no place for the model");
  hk_node_destroy(map);
  hk_ctx_destroy(other);
}
