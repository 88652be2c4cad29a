/* SPDX-License-Identifier: Apache-2.0
 *
 * law.h: scalar force laws f(s, sdot), one layer shared by every compliant element: linear,
 * polynomial, piecewise, table, expression; each with its derivatives and, where it depends on s
 * alone, its potential. Also roads: a height z(x, t) with its derivatives.
 */
#ifndef HK_ELEMENTS_LAW_H
#define HK_ELEMENTS_LAW_H

#include "base/base.h"
#include "base/params.h"
#include "expr/expr.h"
#include "expr/shapes.h"
#include "expr/table.h"

typedef enum hk_law_kind {
  HK_LAW_LINEAR,
  HK_LAW_POLYNOMIAL,
  HK_LAW_PIECEWISE,
  HK_LAW_TABLE,
  HK_LAW_EXPRESSION
} hk_law_kind;

typedef struct hk_law hk_law;

typedef struct hk_law_piece {
  double below; /* applies for the argument below this; the last piece: INFINITY */
  const hk_law *law;
} hk_law_piece;

struct hk_law {
  hk_law_kind kind;
  bool flip;       /* the law of the mirrored coordinate: -f(-s, -sdot) */
  int32_t n;       /* coefficients, pieces */
  const double *c; /* linear: slope c[0]; polynomial: c0 + c1 s + c2 s^2 ... */
  const hk_law_piece *piece;
  const double *piece_energy; /* added to each piece's own potential (by hki_law_finish) */
  const hk_table *table;
  const hk_expr *expr;  /* inputs: slot 0 = s, slot 1 = sdot */
  bool uses_s, uses_sd; /* filled by hki_law_finish; not an expression: uses_s */
  double reference;     /* expression: where its potential is 0 (by hki_law_finish) */
};

/* the argument of a law: displacement laws (spring:) read s, rate laws (damper:) read sdot. A law
 * that is not an expression reads its one argument: `x`. */
typedef struct hk_law_out {
  double fs, f,
      fsd; /* derivative by s, value, derivative by sdot; the two slopes apart, or compilers
              would fetch them as one pair right after they were written one by one */
} hk_law_out;

/* of_rate: the law's own argument is sdot (a damper law) rather than s */
void hki_law_eval(const hk_law *law, bool of_rate, double s, double sd, hk_law_out *out);
/* potential: integral of f ds up to a constant; 0 where the law depends on sdot. Closed form, but
 * for expressions: these are integrated numerically (to about 1e-12) from a fixed reference, which
 * is 0 unless the expression is not finite there */
double hki_law_energy(const hk_law *law, double s);
bool hki_law_has_energy(const hk_law *law);
/* checks and precomputes (uses_s, uses_sd, energies of pieces); pool owns what is added. The laws
 * of pieces are finished along with it and need no call of their own. */
hk_status hki_law_finish(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law);

/* keys of the law kinds, for the schema and `hooke list laws` */
typedef struct hk_law_info {
  const char *key, *text;
} hk_law_info;
extern const hk_law_info hki_law_infos[]; /* ends with key NULL */

/* --- roads ------------------------------------------------------------------------------------ */

/* a function of time that a road's expression reads: a signal, with those that it reads itself in
 * the same list before it */
typedef struct hk_road_signal {
  const hk_expr *expr;   /* input k is what reads[k] says */
  const hk_table *table; /* applied to the value of expr, */
  const hk_shape *shape; /* or this, or neither */
  int32_t nreads;
  const int32_t *reads; /* an earlier one of the list; -1: time */
} hk_road_signal;

enum { HK_ROAD_SIGNALS = 40 }; /* the most that a road may read, and that one of them may read */

typedef struct hk_road {
  const hk_expr *expr;   /* inputs: slot 0 = x, slot 1 = t, then the signals; or NULL */
  const hk_table *table; /* or a profile; or both NULL: flat at `height` */
  double height;
  int32_t nsignals;
  const hk_road_signal *signals;
} hk_road;

typedef struct hk_road_out {
  double z, zx, zxx; /* height, slope, curvature along x */
  double zt, zxt;    /* rate of a moving road, and of its slope (0 for tables) */
} hk_road_out;

/* segment >= 0: a table's segment is frozen (its line or cubic extended); -1: the one under x */
void hki_road_eval(const hk_road *road, double x, double t, int32_t segment, hk_road_out *out);
int32_t hki_road_segment(const hk_road *road, double x); /* -1 when the road has none */

#endif
