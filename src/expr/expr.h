/* SPDX-License-Identifier: Apache-2.0
 *
 * expr.h: the expressions of the model language.
 *
 * Operators, loosest first:
 *
 *   or
 *   and
 *   not
 *   <  <=  >  >=  ==  !=
 *   +  -
 *   *  /
 *   unary - +
 *   ^  (groups right to left)
 *
 * A text is compiled once into a short register program; evaluating it allocates nothing, keeps no
 * state and may be done by many threads at once. True is 1, false is 0; any number but 0 counts as
 * true. `if(c, a, b)` evaluates only the branch that it takes: an infinite or undefined value of
 * the other does no harm.
 *
 * Names: letters, digits, '_' and '.', not starting with a digit or a dot ('-' is always minus). A
 * name is looked up in the caller's scope first, then among the constants of
 * hki_expr_constant_info (pi, deg, mm, kN ...).
 *
 * Derivatives are exact (forward mode) and follow the branch taken. At kinks: abs'(0) = 0,
 * ramp'(0) = 1, ties of min and max follow the first argument; sign, step, floor, ceil, round,
 * trunc, comparisons and logic have slope 0 everywhere.
 */
#ifndef HK_EXPR_EXPR_H
#define HK_EXPR_EXPR_H

#include "base/base.h"

/* limits; beyond them compiling gives an error */
#define HK_EXPR_MAX_TEXT  65536 /* bytes of text */
#define HK_EXPR_MAX_DEPTH 200   /* nested parentheses, calls, signs and powers */
#define HK_EXPR_MAX_FRAME 2048  /* distinct constants + distinct inputs + pending values */

typedef struct hk_expr hk_expr;

/* --- names ------------------------------------------------------------------------------------ */

/* Makes an input x periodic: start + fmod(x - start, period). Before the start it is x itself, as far
 * as one period. */
typedef struct hk_expr_wrap {
  double start, period;
} hk_expr_wrap;

/* meaning of a name: a value known at compile time, or an entry of the array given at evaluation */
typedef struct hk_expr_symbol {
  bool is_input;
  double value;             /* is_input false: the value */
  int32_t slot;             /* is_input true: index into `inputs`, >= 0 */
  const hk_expr_wrap *wrap; /* is_input true: applied to the input; NULL: none */
  bool faulty; /* its own mistake is reported: the expression fails without another message */
} hk_expr_symbol;

/* true and *out filled when the name is known */
typedef bool (*hk_expr_resolve)(void *user, const char *name, hk_expr_symbol *out);

/* offers every known name to `near` by hki_nearest_try; the strings must outlive the call */
typedef void (*hk_expr_suggest)(void *user, hk_nearest *near);

typedef struct hk_expr_scope {
  void *user;
  hk_expr_resolve resolve; /* may be NULL: no names but the built-in constants */
  hk_expr_suggest suggest; /* may be NULL */
  bool wraps;              /* some of its names have a wrap */
} hk_expr_scope;

/* whether a name can be written in an expression: "a-b", "2nd", "and" cannot */
bool hki_expr_is_name(const char *name);

/* --- compiling -------------------------------------------------------------------------------- */

/* Compile `len` bytes of `text`. Everything lives in `pool`. Errors (HK_E_MODEL) are reported at
 * their own place: `at` is where the first character stands in the model file. `scope` may be NULL.
 * On failure *out is NULL. */
hk_status hki_expr_compile(hk_ctx *ctx, hk_pool *pool, const char *text, size_t len, hk_loc at,
                           const hk_expr_scope *scope, hk_expr **out);

/* an expression that is a single number, or a single input */
hk_expr *hki_expr_number(hk_pool *pool, double value);
hk_expr *hki_expr_input(hk_pool *pool, int32_t slot, const char *name);

/* compile and evaluate a text that must not depend on inputs */
hk_status hki_expr_parse_number(hk_ctx *ctx, const char *text, size_t len, hk_loc at,
                                const hk_expr_scope *scope, double *out);

/* --- questions -------------------------------------------------------------------------------- */

const char *hki_expr_source(const hk_expr *e);              /* the text as written */
bool hki_expr_is_constant(const hk_expr *e, double *value); /* value may be NULL */
bool hki_expr_depends_on(const hk_expr *e, int32_t slot);

/* slots of the inputs that remain after simplification, ascending; hki_expr_input_count entries */
int32_t hki_expr_input_count(const hk_expr *e);
const int32_t *hki_expr_inputs(const hk_expr *e);

/* --- evaluating ------------------------------------------------------------------------------- */

double hki_expr_eval(const hk_expr *e, const double *inputs);

/* Value and gradient: grad[i] is the slope in input hki_expr_inputs(e)[i]; hki_expr_input_count
 * entries. An infinite slope (sqrt at 0) is given as 0, since gradients are used for tangents. */
double hki_expr_eval_gradient(const hk_expr *e, const double *inputs, double *grad);

/* value, first and second derivative in one input, the others held fixed; infinite slopes stay
 * infinite */
void hki_expr_eval_jet(const hk_expr *e, const double *inputs, int32_t slot, double out[3]);

/* The same along a curve: every input k moves with rate rates[k] and acceleration accels[k] (arrays
 * like `inputs`; either may be NULL: zeros). out: value, rate, acceleration of the expression. */
void hki_expr_eval_path(const hk_expr *e, const double *inputs, const double *rates,
                        const double *accels, double out[3]);

/* Value, first and second derivative at four values x of one input, in out[0..2]; the others are held fixed. The same
 * bits as hki_expr_eval_jet one by one, in a third of the time or less. Only where hki_expr_is_straight. */
enum { HK_EXPR_LANES = 4 };
bool hki_expr_is_straight(
    const hk_expr *e); /* few registers, no `if` and no smooth step; a loop over its program */
void hki_expr_eval_lanes(const hk_expr *e, const double *inputs, int32_t slot, const double *x,
                         double (*out)[HK_EXPR_LANES]);
bool hki_expr_same(const hk_expr *a, const hk_expr *b); /* the same program: equal at all inputs */

/* --- switches --------------------------------------------------------------------------------- */

/* The first time behind t at which the expression may jump or have a kink in the input `slot`, which
 * is time; INFINITY: there is none. Found are comparisons, step, sign, abs, ramp, min, max, floor,
 * ceil, round, trunc, fmod and remainder of terms that are linear in the input, or linear in sin,
 * cos or fmod of such a term. The time of a break does not depend on t.
 *
 * A jump is placed on the first number of its new side: for `t >= 0.3` the expression is true at
 * the time given and false at nextafter(time, -INFINITY); `t > 3` gives the first number above 3.
 * Breaks may differ by rounding only. */
double hki_expr_next_break(const hk_expr *e, int32_t slot, double t);
/* Do its breaks come again and again, all of them: of sines, of remainders? */
bool hki_expr_repeats(const hk_expr *e);

/* --- lists of constants and functions --------------------------------------------------------- */

typedef struct hk_expr_constant {
  const char *name;
  double value; /* SI */
  const char *text;
} hk_expr_constant;

typedef struct hk_expr_function {
  const char *name;
  const char *usage; /* "atan2(y, x)" */
  const char *text;
} hk_expr_function;

int32_t hki_expr_constant_count(void);
const hk_expr_constant *hki_expr_constant_info(int32_t i);
int32_t hki_expr_function_count(void);
const hk_expr_function *hki_expr_function_info(int32_t i);

#endif
