/* SPDX-License-Identifier: Apache-2.0
 *
 * units.h: units of expressions, as far as they can be told with certainty. A number that is written
 * in an expression may have any unit, so that only inputs whose units are known say something.
 */
#ifndef HK_EXPR_UNITS_H
#define HK_EXPR_UNITS_H

#include "expr/expr.h"

enum { HK_UNIT_BASES = 5 }; /* m kg s A K; rad counts as 1 */

typedef enum hk_unit_kind {
  HK_UNIT_UNKNOWN,
  HK_UNIT_NUMBER, /* a number or the time: fits every unit */
  HK_UNIT_KNOWN
} hk_unit_kind;

typedef struct hk_unit {
  hk_unit_kind kind;
  int8_t power[HK_UNIT_BASES]; /* known: exponents of the bases */
} hk_unit;

/* unit of a text such as "N*m", "m/s^2"; unknown: "", "1", or words that it does not have */
hk_unit hki_unit_parse(const char *text);
bool hki_unit_same(const hk_unit *a, const hk_unit *b);

/* Unit of an expression; inputs: by slot. False: it adds or compares values of different units,
 * which are then in clash[0] and clash[1]. */
bool hki_expr_unit(const hk_expr *e, const hk_unit *inputs, hk_unit *out, hk_unit clash[2]);

/* a unit in words: "V", "m^2*kg*s^-1" */
void hki_unit_text(const hk_unit *u, char *buf, size_t cap);

#endif
