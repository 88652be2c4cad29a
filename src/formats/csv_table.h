/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_table.h: tables of numbers from CSV files (roads, characteristics, measured signals).
 *
 * One row of column names (may be missing), then rows of numbers. Cells are separated by commas, by
 * semicolons, or by blanks and tabs; the first row decides. Names may stand in double quotes.
 * Empty lines are skipped, and so is everything from a # on. Numbers use a decimal point, whatever
 * the locale says.
 */
#ifndef HK_FORMATS_CSV_TABLE_H
#define HK_FORMATS_CSV_TABLE_H

#include "base/base.h"

enum { HK_CSV_BYTES = 256 << 20 }; /* the most that a file may have */

typedef struct hk_csv {
  int32_t columns, rows; /* at least 1 each */
  char **names;          /* names[columns]; NULL when the file has no row of names */
  double *data;          /* column by column: data[c * rows + r], all finite */
  int32_t *lines;        /* lines[rows]: the line of the file each row was on */
  int32_t file;          /* index in the context's file table */
} hk_csv;

/* Read a table; all memory of the result comes from `pool`. Errors (positions inside the table's
 * own file) are in the context; `from` is where the table was asked for. */
hk_status hki_csv_read(hk_ctx *ctx, hk_pool *pool, const char *path, hk_loc from, hk_csv *table);
hk_status hki_csv_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                        hk_csv *table);

/* the decimal number that fills all of s[len], correctly rounded and independent of the locale;
 * false when it is no number or not finite */
bool hki_decimal(const char *s, int32_t len, double *value);

/* number of the column with this name; -1 when there is none */
int32_t hki_csv_column(const hk_csv *table, const char *name);

#endif
