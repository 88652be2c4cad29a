/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: fuzz target of the reader of CSV tables (roads, characteristics, measured signals). Any
 * bytes are a table of finite numbers whose columns can be found by their names, or are refused
 * with a message.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
  if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // readers get a text that ends in NUL, as from a file
  char *text = malloc(size + 1);
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = ctx ? hki_pool_create(ctx) : NULL;
  hk_csv table;
  if (text && pool) {
    memcpy(text, data, size);
    text[size] = '\0';
    hk_status st = hki_csv_parse(ctx, pool, "fuzz.csv", text, size, &table);
    require(st == HK_OK ? table.columns > 0 && table.rows > 0 : hki_error_count(ctx) > 0);
    for (int32_t i = 0; st == HK_OK && i < table.columns * table.rows; i++)
      require(isfinite(table.data[i]));
    for (int32_t i = 0; st == HK_OK && table.names && i < table.columns; i++)
      require(hki_csv_column(&table, table.names[i]) <= i);
  }
  if (pool) hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
  free(text);
  return 0;
}
