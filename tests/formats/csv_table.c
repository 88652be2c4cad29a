/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_table.c: tables of numbers from CSV texts, and what is said about wrong ones.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv_table.h"
#include "formats/support_pool.h"

static hk_csv parse(const char *text) {
  hk_csv t;
  hk_status st = hki_csv_parse(ctx, pool, "t.csv", text, strlen(text), &t);
  if (st) ck_abort_msg("%s", hk_ctx_message(ctx, 0)->text);
  return t;
}

static void refuse(const char *text, int line, int col, const char *words, const char *hint) {
  hk_csv t;
  hk_ctx_clear(ctx);
  ck_assert_int_eq(hki_csv_parse(ctx, pool, "t.csv", text, strlen(text), &t), HK_E_MODEL);
  ck_assert_str_eq(first_message(line, col, words, hint)->file, "t.csv");
}

START_TEST(header_and_rows) {
  hk_csv t = parse("# a road\nx, z , \"slope, dz/dx\"\n\n0,1,2 # start\r\n 3.5 ,-4e-1,+5E2\n");
  ck_assert_int_eq(t.columns, 3);
  ck_assert_int_eq(t.rows, 2);
  ck_assert_int_eq(hki_csv_column(&t, "z"), 1);
  ck_assert_int_eq(hki_csv_column(&t, "slope, dz/dx"), 2);
  ck_assert_int_eq(hki_csv_column(&t, "y"), -1);
  const double want[6] = {0, 3.5, 1, -0.4, 2, 500};
  for (int i = 0; i < 6; i++) ck_assert_double_eq(t.data[i], want[i]);
  ck_assert_int_eq(t.lines[0], 4);
  ck_assert_int_eq(t.lines[1], 5);
}
END_TEST

START_TEST(separators) {
  const char *texts[] = {"a;b\n1;2\n3;4\n", "a b\n1 2\n 3\t4 \n", "a\tb\r1  2\r3 4",
                         "\xEF\xBB\xBF\"a\" \"b\"\n1 2\n3 4", "a,b\n1, 2\n3 ,4"};
  for (int i = 0; i < HK_ARRAY_LEN(texts); i++) {
    hk_csv t = parse(texts[i]);
    ck_assert_int_eq(t.columns, 2);
    ck_assert_int_eq(t.rows, 2);
    ck_assert_str_eq(t.names[0], "a");
    ck_assert_str_eq(t.names[1], "b");
    ck_assert_double_eq(t.data[0], 1);
    ck_assert_double_eq(t.data[1], 3);
    ck_assert_double_eq(t.data[2], 2);
    ck_assert_double_eq(t.data[3], 4);
  }
  hk_csv t = parse("1,2\n3,4\n");
  ck_assert_ptr_null(t.names);
  ck_assert_int_eq(t.rows, 2);
}
END_TEST

START_TEST(numbers_are_exact) {
  const char *texts[] = {"0.1",
                         "9007199254740993",
                         "1.7976931348623157e308",
                         "5e-324",
                         "123456789012345678901234567890",
                         "0.00000000000000000000000000001234567890123456789",
                         "3.141592653589793238462643",
                         "2.2250738585072011e-308",
                         "1e22",
                         "1e23",
                         "-0",
                         ".5",
                         "5."};
  for (int i = 0; i < HK_ARRAY_LEN(texts); i++) {
    hk_csv t = parse(texts[i]);
    double want = strtod(texts[i], NULL);
    ck_assert_msg(memcmp(&t.data[0], &want, sizeof want) == 0, "%s: %.17g", texts[i], t.data[0]);
  }
}
END_TEST

START_TEST(errors) {
  refuse("", 1, 1, "no rows", NULL);
  refuse("a,b\n# nothing\n", 2, 1, "no rows", NULL);
  refuse("a,b\n1,2\n3,x4\n", 3, 3, "'x4' is not a finite number", NULL);
  refuse("a,b\n1,nan\n", 2, 3, "'nan' is not a finite number", NULL);
  refuse("a,b\n1,1e999\n", 2, 3, "not a finite number", NULL);
  refuse("a,b\n1, 0x10\n", 2, 4, "not a finite number", NULL);
  refuse("a,b\n1,\n", 2, 3, "empty cell", NULL);
  refuse("a,b\n1,2,3\n", 2, 5, "3 cells, the table has 2 columns", NULL);
  refuse("a;b\n1,5;2\n", 2, 1, "'1,5' is not", "point");
  refuse("a,a\n1,2\n", 1, 3, "two columns have the name 'a'", NULL);
  refuse("a,2\n1,2\n", 1, 3, "mixes names and numbers", NULL);
  refuse("a,\"b\n1,2\n", 1, 3, "quote is not closed", NULL);
  refuse("\"a\"x,b\n1,2\n", 1, 1, "after a closing quote", NULL);
  refuse("\xC3\xA4,,b\n1,2,3\n", 1, 3, "column 2 has no name", NULL);
  /* several at once */
  refuse("a,b\n1,x\ny,2\n1\n", 2, 3, "'x'", NULL);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 3);
  hk_csv t;
  ck_assert_int_eq(hki_csv_parse(ctx, pool, "t.csv", "1\0002", 3, &t), HK_E_MODEL);
}
END_TEST

START_TEST(large_table) {
  enum { N = 50000 };
  hk_text s;
  hki_text_init(&s, ctx);
  hki_text_add(&s, "x,z\n");
  for (int i = 0; i < N; i++) hki_text_printf(&s, "%d,%.6f\n", i, 0.001 * i);
  hk_csv t = parse(s.s);
  ck_assert_int_eq(t.rows, N);
  ck_assert_double_eq(t.data[N - 1], N - 1);
  ck_assert_double_eq(t.data[2 * N - 1], 49.999);
  hki_text_free(&s);
}
END_TEST

Suite *suite_csv_table(void) {
  Suite *s = suite_create("csv_table");
  TCase *c = tcase_create("csv_table");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, header_and_rows);
  tcase_add_test(c, separators);
  tcase_add_test(c, numbers_are_exact);
  tcase_add_test(c, errors);
  tcase_add_test(c, large_table);
  suite_add_tcase(s, c);
  return s;
}
