/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: short names for the rows of tables of keys, one line each. Rows whose value the reader takes itself have
 * no place in a struct (HK_P_HAND).
 */
#ifndef HK_LANGUAGE_ROWS_H
#define HK_LANGUAGE_ROWS_H

/* clang-format off */
#define ROW(name, type, flags, text) {name, type, flags, HK_P_HAND, 0, 0, 0, "", NULL, text}
#define CHOICE(name, choices, text)  {name, HK_P_CHOICE, 0, HK_P_HAND, 0, 0, 0, "", choices, text}
/* a number with its default, its range (0, 0: any) and its unit */
#define BOUNDED(name, flags, def, lo, hi, unit, text) {name, HK_P_REAL, flags, HK_P_HAND, def, lo, hi, unit, NULL, text}
#define REAL(name, flags, def, unit, text) BOUNDED(name, flags, def, 0, 0, unit, text)
/* a number at its place in a struct */
#define FIELD(name, flags, at, def, unit, text) {name, HK_P_REAL, flags, at, def, 0, 0, unit, NULL, text}
/* clang-format on */

#endif
