/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_impl.h: shared by the files of src/expr; not included elsewhere.
 *
 * text -> tokens (lexer.c) -> nodes, folded as they are made (parser.c, fold.c) -> program
 * (compile.c) -> values (eval.c), slopes (gradient.c, jet.c), switches (breaks.c).
 *
 * A node's children have smaller indices than the node, and the nodes of a subtree lie next to each
 * other, apart from unused ones. A loop over the array is thus a post-order walk, and no walk needs
 * recursion.
 */
#ifndef HK_EXPR_EXPR_IMPL_H
#define HK_EXPR_EXPR_IMPL_H

#include "expr/expr.h"

/* --- operations ------------------------------------------------------------------------------- */

typedef enum hk_expr_op {
  /* leaves */
  OP_CONST,
  OP_INPUT,
  /* two operands */
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_POW,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_EQ,
  OP_NE,
  OP_AND,
  OP_OR,
  OP_MIN,
  OP_MAX,
  OP_ATAN2,
  OP_HYPOT,
  OP_FMOD,
  OP_REMAINDER,
  OP_COPYSIGN,
  OP_BINARY_END,
  /* one operand; POWI has a whole exponent in the second field */
  OP_NEG,
  OP_NOT,
  OP_SQUARE,
  OP_POWI,
  OP_SIN,
  OP_COS,
  OP_TAN,
  OP_SINH,
  OP_COSH,
  OP_TANH,
  OP_ASIN, /* inverse functions, up to ATANH */
  OP_ACOS,
  OP_ATAN,
  OP_ASINH,
  OP_ACOSH,
  OP_ATANH,
  OP_EXP, /* exponentials, logarithms, roots, up to ERFC */
  OP_EXP2,
  OP_EXPM1,
  OP_LOG,
  OP_LOG10,
  OP_LOG2,
  OP_LOG1P,
  OP_SQRT,
  OP_CBRT,
  OP_ERF,
  OP_ERFC,
  OP_ABS,
  OP_SIGN,
  OP_FLOOR,
  OP_CEIL,
  OP_ROUND,
  OP_TRUNC,
  OP_STEP,
  OP_RAMP,
  OP_UNARY_END,
  /* more operands */
  OP_IF,    /* a node only */
  OP_STEP5, /* in a program: a second word (OP_WORD) holds operands 3, 4, 5 in dst, a, b */
  OP_CLAMP, /* a function name only: becomes MAX and MIN */
  /* in a program only */
  OP_MOVE,
  OP_JUMP,      /* to instruction b */
  OP_JUMP_ZERO, /* to instruction b when register a is 0 */
  OP_WORD
} hk_expr_op;

#define HKI_EXPR_IS_LEAF(op)   ((op) <= OP_INPUT)
#define HKI_EXPR_IS_BINARY(op) ((op) > OP_INPUT && (op) < OP_BINARY_END)
#define HKI_EXPR_IS_UNARY(op)  ((op) > OP_BINARY_END && (op) < OP_UNARY_END)

#define HKI_EXPR_POWI_MAX  16 /* whole exponents up to this become multiplications */
#define HKI_EXPR_POWI_BIAS 64 /* added to the exponent in the instruction */

/* --- the compiled expression ------------------------------------------------------------------ */

typedef struct hk_expr_instr {
  uint16_t op, dst, a, b; /* registers, but for jumps and POWI */
} hk_expr_instr;

/* A switch: the expression changes its branch where P(rate*x + shift) = level, x one input, P one
 * of these functions. */
typedef enum hk_expr_wave {
  WAVE_NONE, /* P(u) = u */
  WAVE_SIN,
  WAVE_COS,
  WAVE_FMOD, /* P(u) = fmod(u, period); the jumps of fmod itself are a WAVE_WHOLE */
  WAVE_WHOLE /* switches at u = period*k + level for every whole k */
} hk_expr_wave;

typedef struct hk_expr_switch {
  hk_expr_wave wave;
  int32_t slot;
  double rate, shift, level, period;
  int32_t first, last; /* instructions [first, last) compute its operation; first < 0: a kink, not
                        * a jump */
  int32_t reg;         /* register with the value of that operation */
} hk_expr_switch;

/* registers: constants, then inputs, then pending values */
struct hk_expr {
  const char *source;
  int32_t n_consts, n_inputs, n_temps, n_code, n_switches;
  int32_t result; /* register of the value */
  const double *consts;
  const int32_t *slots;
  const hk_expr_instr *code;
  const hk_expr_switch *switches;
};

/* --- nodes ------------------------------------------------------------------------------------ */

/* Linear form c0 + c1*b. basis >= 0: b is the input of that slot; HKI_BASIS_NONE: no b, a constant;
 * HKI_BASIS_WAVE(node): b is the value of that node, a sin, cos or fmod. */
#define HKI_BASIS_NONE       (-1)
#define HKI_BASIS_WAVE(node) (-10 - (node))
typedef struct hk_expr_linear {
  double c0, c1;
  int32_t basis;
} hk_expr_linear;

/* The linear forms of which a value is always one, e.g. t, 0 and 1 for clamp(t, 0, 1). n = 0: not
 * known. */
#define HKI_EXPR_FORMS 4
typedef struct hk_expr_forms {
  int32_t n;
  hk_expr_linear form[HKI_EXPR_FORMS];
} hk_expr_forms;

typedef enum hk_expr_role { ROLE_OPERAND, ROLE_CONDITION, ROLE_THEN, ROLE_ELSE } hk_expr_role;

typedef struct hk_expr_node {
  hk_expr_op op;
  int32_t arg[5]; /* children, -1 = none; POWI: arg[1] is the exponent */
  int32_t at;     /* offset in the text */
  int32_t slot;   /* INPUT */
  double value;   /* CONST */
  int32_t bad;    /* CONST that is not finite: the node where this arose */
  hk_expr_forms lin;
  /* filled by compile.c */
  bool live;
  hk_expr_role role; /* its place in the parent */
  int32_t parent;
  int32_t reg, first; /* register of its value, its first instruction */
  int32_t jump;       /* IF: the jump whose target is still open */
} hk_expr_node;

/* --- tokens ----------------------------------------------------------------------------------- */

typedef enum hk_expr_token_kind {
  TOK_END,
  TOK_NUMBER,
  TOK_NAME,
  TOK_OP, /* an operator, see op */
  TOK_AND,
  TOK_OR,
  TOK_NOT,
  TOK_OPEN,
  TOK_CLOSE,
  TOK_INDEX,     /* [ */
  TOK_INDEX_END, /* ] */
  TOK_COMMA
} hk_expr_token_kind;

typedef struct hk_expr_token {
  hk_expr_token_kind kind;
  hk_expr_op op;
  double value;
  int32_t at, len; /* bytes of the text */
} hk_expr_token;

typedef struct hk_expr_parser {
  hk_ctx *ctx;
  const char *text;
  int32_t len, pos;
  hk_loc loc;
  const hk_expr_scope *scope;
  hk_expr_token tok; /* the next one, read but not used yet */
  hk_expr_node *nodes;
  int32_t n_nodes, cap_nodes;
  int32_t depth;
  int32_t indexed;   /* open [ */
  bool after_unit;   /* the last factor was a unit, perhaps with an exponent */
  bool unit_allowed; /* ... and a * or / follows it */
  bool faulty;       /* a name in it stands for a value whose mistake is already reported */
  hk_status status;  /* the first error */
} hk_expr_parser;

/* report an error at byte `at` of the text; keeps and returns the status */
hk_status hki_expr_fail(hk_expr_parser *p, int32_t at, const char *hint, const char *fmt, ...)
    HK_PRINTF(4, 5);

/* hint for an unknown name that people often try, such as "g", "s" or "inf"; NULL = none */
const char *hki_expr_name_hint(const char *name);
/* place of byte `at`: columns count characters, a line break starts a new line */
hk_loc hki_expr_place(const hk_expr_parser *p, int32_t at);

#define HKI_EXPR_NAME 256 /* bytes of a name, its end included */

/* a piece of the text for a message, quoted and shortened */
#define HKI_EXPR_QUOTE 48
const char *hki_expr_quote(const hk_expr_parser *p, int32_t at, int32_t len,
                           char out[HKI_EXPR_QUOTE]);
const char *hki_expr_token_text(const hk_expr_parser *p, char out[HKI_EXPR_QUOTE]);

/* read the next token into p->tok; false after an error */
bool hki_expr_next(hk_expr_parser *p);

/* parse all of the text; returns the root node, -1 after an error */
int32_t hki_expr_parse(hk_expr_parser *p);

/* Make nodes; operations on constants are computed at once. Return the node's index, -1 after an
 * error or when an argument is -1. */
int32_t hki_expr_make_const(hk_expr_parser *p, double value, int32_t at);
int32_t hki_expr_make_input(hk_expr_parser *p, int32_t slot, int32_t at);
int32_t hki_expr_make_unary(hk_expr_parser *p, hk_expr_op op, int32_t a, int32_t at);
int32_t hki_expr_make_binary(hk_expr_parser *p, hk_expr_op op, int32_t a, int32_t b, int32_t at);
int32_t hki_expr_make_if(hk_expr_parser *p, int32_t c, int32_t a, int32_t b, int32_t at);
int32_t hki_expr_make_step5(hk_expr_parser *p, const int32_t arg[5], int32_t at);

/* nodes -> program */
hk_status hki_expr_emit(hk_expr_parser *p, int32_t root, hk_pool *pool, hk_expr *e);

/* *out = a + sign*b; false when the sum is not a linear form */
bool hki_expr_linear_sum(hk_expr_linear a, hk_expr_linear b, double sign, hk_expr_linear *out);

/* the switches that node `i` makes; returns how many */
#define HKI_EXPR_SWITCHES (HKI_EXPR_FORMS * HKI_EXPR_FORMS)
int32_t hki_expr_node_switches(const hk_expr_parser *p, int32_t i,
                               hk_expr_switch out[HKI_EXPR_SWITCHES]);

/* --- tables ----------------------------------------------------------------------------------- */

typedef enum hk_expr_constant_kind { KIND_VALUE, KIND_UNIT, KIND_SHORT } hk_expr_constant_kind;
typedef struct hk_expr_function_rule {
  hk_expr_op op;
  int32_t least, most;
} hk_expr_function_rule;

int32_t hki_expr_function_find(const char *name); /* -1 = none */
const hk_expr_function_rule *hki_expr_function_rule_of(int32_t i);
int32_t hki_expr_constant_find(const char *name);
hk_expr_constant_kind hki_expr_constant_kind_of(int32_t i);
const char *hki_expr_op_text(hk_expr_op op); /* "+" or "sin" */

/* --- arithmetic ------------------------------------------------------------------------------- */

double hki_expr_unary(hk_expr_op op, double x, int32_t n); /* n: the exponent of POWI */
double hki_expr_binary(hk_expr_op op, double x, double y);
double hki_expr_step5(double x, double x0, double y0, double x1, double y1);
double hki_expr_powi(double x, int32_t n);

/* f, f', f'' */
void hki_expr_unary_slopes(hk_expr_op op, double x, int32_t n, double f[3]);
/* f, fx, fy, fxx, fxy, fyy */
void hki_expr_binary_slopes(hk_expr_op op, double x, double y, double f[6]);
/* the quintic 0 at u <= 0 to 1 at u >= 1 with its two derivatives */
void hki_expr_quintic(double u, double f[3]);

/* run instructions [first, last) on the registers r */
void hki_expr_run(const hk_expr_instr *code, int32_t first, int32_t last, double *r);

/* Nearly every expression needs few registers. It is evaluated on a small array on the stack; the
 * others go through a function that is never inlined and has the array of full size. */
#define HKI_EXPR_SMALL 64
#if defined(__GNUC__)
#define HKI_EXPR_APART __attribute__((noinline))
#else
#define HKI_EXPR_APART
#endif

static inline bool hki_expr_is_small(const hk_expr *e) {
  return e->n_consts + e->n_inputs + e->n_temps <= HKI_EXPR_SMALL;
}

/* a*b, but 0 when one factor is 0 and the other infinite: 0 times an infinite slope is 0 */
static inline double hki_expr_times(double a, double b) {
  return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

#endif
