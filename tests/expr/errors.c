/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrong expressions: the message, its column and its hint.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct wrong {
  const char *text;
  int32_t at; /* characters from the start of the text, from 0 */
  const char *message, *hint;
} wrong;

static const wrong rows[] = {
    {"", 0, "the expression is empty", "write a number or something like 2*L"},
    {"   ", 0, "the expression is empty", "write a number or something like 2*L"},
    {"1 +", 3, "expected a number, a name or '(', found the end of the expression", NULL},
    {"1 + * 2", 4, "expected a number, a name or '(', found '*'", NULL},
    {"()", 1, "expected a number, a name or '(', found ')'", NULL},
    {"* 2", 0, "expected a number, a name or '(', found '*'", NULL},
    {"2 x", 2, "expected an operator or the end, found 'x'",
     "to multiply, write '*' between the factors"},
    {"2 (3)", 2, "expected an operator or the end, found '('",
     "to multiply, write '*' between the factors"},
    {"12deg", 0, "expected a number or a name, found '12deg'", "to multiply, write 12*deg"},
    {"3 + 2x", 4, "expected a number or a name, found '2x'", "to multiply, write 2*x"},
    {"1.5e", 0, "expected a number or a name, found '1.5e'", "to multiply, write 1.5*e"},
    {"0x1F", 0, "expected a number or a name, found '0x1F'", "numbers are written in decimal"},
    {"1.2.3", 0, "'1.2.3' is not a number", "a number has one decimal point"},
    {"2+1..2", 2, "'1..2' is not a number", "a number has one decimal point"},
    {"1e999", 0, "'1e999' is too large a number", "numbers reach from about 1e-323 to 1.7e308"},
    {"t*1e-999", 2, "'1e-999' is too small a number", "numbers reach from about 1e-323 to 1.7e308"},
    {"1,5", 1, "expected an operator or the end, found ','", "decimals are written with a point"},
    {"(1 + 2", 6, "expected ')', found the end of the expression",
     "the '(' at column 11 is not closed"},
    {"2*(t + sin(x)", 13, "expected ')', found the end of the expression",
     "the '(' at column 13 is not closed"},
    {"sin(x", 5, "expected ')', found the end of the expression",
     "the '(' at column 14 is not closed"},
    {"(1 + 2 3)", 7, "expected ')', found '3'", "the '(' at column 11 is not closed"},
    {"sin(x 3)", 6, "expected ',' or ')', found '3'", NULL},
    {"1 + 2)", 5, "expected an operator or the end, found ')'", "there is no '(' for it"},
    {"lenght*2", 0, "unknown name 'lenght'", NULL},
    {"t + sdto", 4, "unknown name 'sdto'", "did you mean 'sdot'?"},
    {"body.rod.positon.x", 0, "unknown name 'body.rod.positon.x'",
     "did you mean 'body.rod.position.x'?"},
    {"front_lef.k", 0, "unknown name 'front_lef.k'", "did you mean 'front_left.k'?"},
    {"2*dge", 2, "unknown name 'dge'", "did you mean 'deg'?"},
    {"9.81*g", 5, "unknown name 'g'",
     "for gravity write g0 or give a parameter g; for 0.001 kg write gram"},
    {"5*m", 2, "unknown name 'm'", "lengths are in metres: leave the unit out, or write metre"},
    {"L*m", 2, "unknown name 'm'", "lengths are in metres: leave the unit out, or write metre"},
    {"kN + m", 5, "unknown name 'm'", "lengths are in metres: leave the unit out, or write metre"},
    {"inf", 0, "unknown name 'inf'", "numbers must be finite"},
    {"nan", 0, "unknown name 'nan'", "numbers must be finite"},
    {"PI", 0, "unknown name 'PI'", "write pi"},
    {"sin", 0, "'sin' is a function and needs its arguments", "write sin(x)"},
    {"sin x", 0, "'sin' is a function and needs its arguments", "write sin(x)"},
    {"sine(x)", 0, "unknown function 'sine'", "did you mean 'sin'?"},
    {"ln(x)", 0, "unknown function 'ln'", "did you mean 'log'?"},
    {"qqqqqq(x)", 0, "unknown function 'qqqqqq'", "'hooke list functions' shows what there is"},
    {"L(3)", 0, "'L' is not a function", "to multiply, write L*(...)"},
    {"pi(3)", 0, "'pi' is not a function", "to multiply, write pi*(...)"},
    {"sin()", 0, "sin() takes 1 argument, found 0", "write sin(x)"},
    {"1 + sin(1, 2)", 4, "sin() takes 1 argument, found 2", "write sin(x)"},
    {"atan2(1)", 0, "atan2() takes 2 arguments, found 1", "write atan2(y, x)"},
    {"min(1)", 0, "min() takes 2 or more arguments, found 1", "write min(a, b, ...)"},
    {"fmin(1,2,3)", 0, "fmin() takes 2 arguments, found 3", "write fmin(a, b)"},
    {"if(1, 2)", 0, "if() takes 3 arguments, found 2", "write if(c, a, b)"},
    {"if(1, 2, 3, 4, 5, 6, 7)", 0, "if() takes 3 arguments, found 7", "write if(c, a, b)"},
    {"step(1, 2)", 0, "step() takes 1 or 5 arguments, found 2",
     "write step(x) or step(x, x0, y0, x1, y1)"},
    {"clamp(1, 2, 3, 4)", 0, "clamp() takes 3 arguments, found 4", "write clamp(x, lo, hi)"},
    {"sin(1,)", 6, "expected a number, a name or '(', found ')'", NULL},
    {"sin(,)", 4, "expected a number, a name or '(', found ','", NULL},
    {"step(t, 1, 0, 1, 2)", 0, "the smooth step begins and ends at the same place, x0 = x1 = 1",
     "for a sudden jump write y0 + (y1 - y0)*step(x - x0)"},
    {"1 < t < 2", 6, "comparisons cannot be chained", "write a < b and b < c"},
    {"t && x", 2, "'&&' is not part of an expression", "write 'and'"},
    {"t || x", 2, "'||' is not part of an expression", "write 'or'"},
    {"!t", 0, "'!' is not part of an expression", "write 'not'"},
    {"t = 3", 2, "'=' is not part of an expression", "write '==' to compare"},
    {"t <> 3", 2, "'<>' is not part of an expression", "write '!=' for not equal"},
    {"t**2", 1, "'**' is not part of an expression", "write '^' for powers"},
    {"t % 2", 2, "'%' is not part of an expression",
     "write fmod(x, y) for the remainder, x/100 for percent"},
    {"t ? 1 : 2", 2, "'?' is not part of an expression", "write if(c, a, b)"},
    {"[1]", 0, "'[' is not part of an expression", "use round brackets"},
    {"3 \xE2\x88\x92 2", 2, "'\xE2\x88\x92' is not part of an expression",
     "write the plain minus '-'"},
    {"30\xC2\xB0", 2, "'\xC2\xB0' is not part of an expression", "write '*deg'"},
    {"2 \xC3\x97 3", 2, "'\xC3\x97' is not part of an expression", "write '*'"},
    {"1 + \xFF", 4, "unexpected byte 0xFF in the expression", "expressions are plain text (UTF-8)"},
    {"1 + \x01", 4, "unexpected byte 0x01 in the expression", "expressions are plain text (UTF-8)"},
    {"body.", 5, "expected a letter or digit after 'body.'", "names look like body.rod.position.x"},
    {"body..x", 5, "expected a letter or digit after 'body.'",
     "names look like body.rod.position.x"},
    {".x", 0, "'.' is not part of an expression", NULL},
    {"2*.nan", 2, "'.nan' is not a finite number",
     "write a finite number, or an expression such as 2*sin(t)"},
    {"-.Inf", 1, "'.Inf' is not a finite number",
     "write a finite number, or an expression such as 2*sin(t)"},
    {"1/0", 1, "division by zero: 1/0", NULL},
    {"t + L/zero", 5, "division by zero: 2/0", NULL},
    {"sin(1/(L - 2))", 5, "division by zero: 1/0", NULL},
    {"t*sqrt(-L)", 2, "sqrt(-2) is not a number", NULL},
    {"log(zero)", 0, "log(0) is not finite", NULL},
    {"10^400", 2, "10 ^ 400 is not finite", NULL},
    {"pow(-2, 0.5)", 0, "-2 ^ 0.5 is not a number", NULL},
    {"fmod(1, zero)", 0, "fmod(1, 0) is not a number", NULL},
    {"if(t > 1, 1/zero, 2)", 11, "division by zero: 1/0", NULL},
    {"1e308 + 1e308", 6, "1e+308 + 1e+308 is not finite", NULL},
    {"-1e308 - 1e308 + x", 7, "-1e+308 - 1e+308 is not finite", NULL},
    {"1e308/1e-308", 5, "1e+308 / 1e-308 is not finite", NULL},
    {"step(1, 1, -1.7e308, 2, 1.7e308)", 0, "the value of step is not a number", NULL},
    {"a_name_that_is_really_much_too_long_to_be_shown_whole", 0,
     "unknown name 'a_name_that_is_really_much_too_long_to_...'", NULL},
    {"1e300*1e300*t", 5, "1e+300 * 1e+300 is not finite", NULL},
};

START_TEST(messages) {
  fixture f;
  fixture_open(&f);
  const wrong *row = &rows[_i];
  ck_assert_ptr_null(compile(&f, row->text));
  ck_assert_int_eq(hk_ctx_message_count(f.ctx), 1);
  const hk_message *m = hk_ctx_message(f.ctx, 0);
  ck_assert_int_eq(m->code, HK_E_MODEL);
  ck_assert_str_eq(m->file, "model.yaml");
  ck_assert_int_eq(m->line, 7);
  ck_assert_str_eq(m->text, row->message);
  ck_assert_msg(m->column == 11 + row->at, "%s: column %d", row->text, (int)m->column);
  ck_assert_msg((m->hint != NULL) == (row->hint != NULL), "%s: hint %s", row->text, m->hint);
  if (row->hint) ck_assert_str_eq(m->hint, row->hint);
  fixture_close(&f);
}
END_TEST

/* columns count characters, lines count, and without a line the text itself is shown */
START_TEST(places) {
  fixture f;
  hk_expr *e;
  fixture_open(&f);
  hk_loc at = {hki_ctx_file(f.ctx, "model.yaml"), 3, 5};
  static const char two_lines[] = "t +\n  2*fooo";
  hki_expr_compile(f.ctx, f.pool, two_lines, strlen(two_lines), at, &f.scope, &e);
  ck_assert_ptr_null(e);
  ck_assert_int_eq(hk_ctx_message(f.ctx, 0)->line, 4);
  ck_assert_int_eq(hk_ctx_message(f.ctx, 0)->column, 5);

  static const char wide[] = "(\xC3\xA9)";
  hki_expr_compile(f.ctx, f.pool, wide, strlen(wide), at, &f.scope, &e);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 1)->text, "unknown name '\xC3\xA9'");
  ck_assert_int_eq(hk_ctx_message(f.ctx, 1)->column, 6);
  static const char wider[] = "t\n+\xC3\xA9\xC3\xA9.\xC3\xA9 $";
  hki_expr_compile(f.ctx, f.pool, wider, strlen(wider), at, &f.scope, &e);
  ck_assert_int_eq(hk_ctx_message(f.ctx, 2)->line, 4);

  hki_expr_compile(f.ctx, f.pool, "2*fooo", 6, HK_LOC_NONE, &f.scope, &e);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 3)->text, "unknown name 'fooo' (character 3 of '2*fooo')");
  double v;
  ck_assert_int_eq(hki_expr_parse_number(f.ctx, "2*t", 3, at, &f.scope, &v), HK_E_MODEL);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 4)->text,
                   "expected a constant, found an expression that varies in time");
  ck_assert_int_eq(hki_expr_compile(f.ctx, f.pool, "(1+\n2", 5, at, &f.scope, &e), HK_E_MODEL);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 5)->hint, "the '(' at line 3, column 5 is not closed");
  hki_expr_compile(f.ctx, f.pool, "(1", 2, HK_LOC_NONE, &f.scope, &e);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 6)->hint, "the '(' at character 1 is not closed");
  // a byte of value zero in the middle
  ck_assert_int_eq(hki_expr_compile(f.ctx, f.pool,
                                    "1+\0"
                                    "2",
                                    4, at, &f.scope, &e),
                   HK_E_MODEL);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 7)->text, "unexpected byte 0x00 in the expression");
  fixture_close(&f);
}
END_TEST

START_TEST(names) {
  static const char *const good[] = {"a",  "_x",       "front_left.k", "a.1",
                                     "x2", "\xC3\xA9", "nota",         "if"};
  static const char *const bad[] = {"",    "2nd", "a-b", "a b", ".a",   "a.", "a..b",
                                    "and", "or",  "not", "a+",  "\xFF", "$",  "a\n"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(good); i++) {
    ck_assert_msg(hki_expr_is_name(good[i]), "%s", good[i]);
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(bad); i++) {
    ck_assert_msg(!hki_expr_is_name(bad[i]), "%s", bad[i]);
  }
  char longest[257];
  memset(longest, 'a', 256);
  longest[256] = '\0';
  ck_assert(!hki_expr_is_name(longest));
  longest[255] = '\0';
  ck_assert(hki_expr_is_name(longest));
}
END_TEST

static bool resolve_nan(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  (void)name;
  *out = (hk_expr_symbol){.value = NAN};
  return true;
}

START_TEST(parameter_not_finite) {
  fixture f;
  hk_expr *e;
  hk_expr_scope scope = {NULL, resolve_nan, NULL, false};
  fixture_open(&f);
  hki_expr_compile(f.ctx, f.pool, "1+q", 3, (hk_loc){-1, 1, 1}, &scope, &e);
  ck_assert_ptr_null(e);
  ck_assert_str_eq(hk_ctx_message(f.ctx, 0)->text, "this value is not a number");
  ck_assert_int_eq(hk_ctx_message(f.ctx, 0)->column, 3);
  fixture_close(&f);
}
END_TEST

/* deep and huge texts: an error, never a crash, and quickly */
START_TEST(too_much) {
  static const struct {
    const char *repeat, *message;
  } deep[] = {{"(", "the expression is nested more than 200 deep"},
              {"-", "the expression is nested more than 200 deep"},
              {"not ", "the expression is nested more than 200 deep"},
              {"sin(", "the expression is nested more than 200 deep"},
              {"2^", "the expression is nested more than 200 deep"},
              {"if(1,", "the expression is nested more than 200 deep"},
              {"t+(", "the expression is nested more than 200 deep"}};
  const int32_t size = 2000000;
  char *text = malloc((size_t)size + 1);
  for (int32_t i = 0; i < HK_ARRAY_LEN(deep); i++) {
    fixture f;
    fixture_open(&f);
    int32_t n = (int32_t)strlen(deep[i].repeat);
    for (int32_t k = 0; k + n <= HK_EXPR_MAX_TEXT; k += n) {
      memcpy(text + k, deep[i].repeat, (size_t)n);
      text[k + n] = '\0';
    }
    ck_assert_ptr_null(compile(&f, text));
    ck_assert_str_eq(hk_ctx_message(f.ctx, 0)->text, deep[i].message);
    fixture_close(&f);
  }
  fixture f;
  fixture_open(&f);
  memset(text, '1', (size_t)size);
  text[size] = '\0';
  ck_assert_ptr_null(compile(&f, text));
  ck_assert_str_eq(hk_ctx_message(f.ctx, 0)->text,
                   "the expression has 2000000 characters; at most 65536 are allowed");
  text[3000] = '\0';
  ck_assert_ptr_null(compile(&f, text));
  ck_assert_str_eq(hk_ctx_message(f.ctx, 1)->text,
                   "a number of 3000 characters; at most 128 are allowed");
  memset(text, 'a', 3000);
  ck_assert_ptr_null(compile(&f, text));
  ck_assert_str_eq(hk_ctx_message(f.ctx, 2)->text,
                   "a name of 3000 characters; at most 255 are allowed");
  // more distinct constants than registers
  int32_t n = sprintf(text, "t");
  for (int32_t i = 0; i < 3000; i++) n += sprintf(text + n, "+t*%d", i + 2);
  ck_assert_ptr_null(compile(&f, text));
  ck_assert_str_eq(hk_ctx_message(f.ctx, 3)->text,
                   "the expression has 3003 constants, inputs and pending values; at most 2048 "
                   "are allowed");
  free(text);
  fixture_close(&f);
}
END_TEST

Suite *suite_errors(void) {
  Suite *s = suite_create("expression errors");
  TCase *c = tcase_create("errors");
  tcase_add_loop_test(c, messages, 0, HK_ARRAY_LEN(rows));
  tcase_add_test(c, places);
  tcase_add_test(c, names);
  tcase_add_test(c, parameter_not_finite);
  tcase_add_test(c, too_much);
  suite_add_tcase(s, c);
  return s;
}
