/* SPDX-License-Identifier: Apache-2.0
 *
 * The public tools: JSON into a room that may be too small, suggestions, files that appear whole.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hooke/tools.h"

Suite *suite_tools(void);

START_TEST(json_into_a_room) {
  char buf[8] = "";
  ck_assert_uint_eq(hk_json_string("a\"b\ncd", buf, sizeof buf), 10);
  ck_assert_str_eq(buf, "\"a\\\"b\\n");
  ck_assert_uint_eq(hk_json_string("abc", buf, sizeof buf), 5);
  ck_assert_str_eq(buf, "\"abc\"");
  ck_assert_uint_eq(hk_json_string(NULL, buf, sizeof buf), 4);
  ck_assert_str_eq(buf, "null");
  ck_assert_uint_eq(hk_json_string("\xff", buf, sizeof buf), 8);
  ck_assert_uint_eq(hk_json_number(NAN, buf, sizeof buf), 4);
  ck_assert_str_eq(buf, "null");
  ck_assert_uint_eq(hk_json_number(-0.25, buf, sizeof buf), 5);
  ck_assert_str_eq(buf, "-0.25");
  ck_assert_uint_eq(hk_json_number(0.25, buf, 3), 4);
  ck_assert_str_eq(buf, "0.");
}
END_TEST

START_TEST(the_nearer_word) {
  ck_assert_ptr_null(hk_nearer("angle", NULL, "position"));
  ck_assert_str_eq(hk_nearer("agnle", NULL, "angle"), "angle");
  ck_assert_str_eq(hk_nearer("agnle", "angle", "agile"), "angle");
  ck_assert_str_eq(hk_nearer("ange", "position", "angle"), "angle");
  ck_assert_str_eq(hk_nearer("form", NULL, "formulation"), "formulation");
  ck_assert_ptr_null(hk_nearer("fo", NULL, "formulation"));
}
END_TEST

START_TEST(files_appear_whole) {
  char path[] = "tools-XXXXXX", bytes[8] = "";
  hk_ctx *ctx = hk_ctx_create();
  close(mkstemp(path));
  ck_assert_int_eq(hk_file_write(ctx, path, "abc", 3), HK_OK);
  FILE *f = fopen(path, "rb");
  ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, f), 3);
  fclose(f);
  ck_assert_str_eq(bytes, "abc");
  ck_assert_int_eq(hk_file_write(ctx, path, NULL, 0), HK_OK);
  ck_assert_int_eq(hk_file_write(ctx, "/nowhere/at/all", "abc", 3), HK_E_FILE);
  ck_assert_int_eq(hk_file_write(ctx, "/dev/null", "abc", 3), HK_E_FILE);
  remove(path);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_tools(void) {
  Suite *suite = suite_create("tools");
  TCase *t = tcase_create("tools");
  tcase_add_test(t, json_into_a_room);
  tcase_add_test(t, the_nearer_word);
  tcase_add_test(t, files_appear_whole);
  suite_add_tcase(suite, t);
  return suite;
}
