/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c: fuzz target of the reader of result files and of the report made from them. Any bytes
 * are a result file: they open or are refused with a message, what opens can be read to its end,
 * and the report holds no '<' of theirs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HDF5 itself loses memory when it refuses a damaged file */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

/* between the brackets of the data's script element nothing may open an element */
static void check_page(const char *html, size_t len) {
  static const char id[] = "id=\"hooke-data\">";
  for (size_t i = 0; i + sizeof id < len; i++) {
    if (html[i] != 'i' || memcmp(html + i, id, sizeof id - 1) != 0) continue;
    const char *open = memchr(html + i, '<', len - i);
    if (!open || strncmp(open, "</script>", 9) != 0) abort();
    return;
  }
  abort();
}

static void read_all(hk_ctx *ctx, hk_result *r) {
  double x[64];
  int64_t rows = hk_result_rows(r), n = rows < 64 ? rows : 64;
  for (int32_t i = -1; i < hk_result_channel_count(r) && i < 100; i++) {
    (void)hk_result_read(r, i, rows - n, n, x);
  }
  // large claims are refused when opened; a report may still be large
  if (rows * hk_result_channel_count(r) > 1000000 ||
      hk_result_frames(r) * hk_result_body_count(r) > 100000) {
    return;
  }
  hk_report_options opt = hk_report_options_def();
  char *html = NULL;
  size_t len = 0;
  if (hk_report_make(ctx, &r, 1, &opt, &html, &len) == HK_OK) check_page(html, len);
  hk_report_free(ctx, html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  if (!path[0]) snprintf(path, sizeof path, "/tmp/hooke-fuzz-result-%ld", (long)getpid());
  FILE *f = fopen(path, "wb");
  if (!f) return 0;
  fwrite(data, 1, size, f);
  fclose(f);
  hk_ctx *ctx = hk_ctx_create();
  hk_result *r = NULL;
  if (!ctx) return 0;
  hk_status status = hki_result_open_by(ctx, path, hki_result_open_hdf5, &r);
  bool said = false;
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++)
    said = said || hk_ctx_message(ctx, i)->severity == HK_ERROR;
  if (status == HK_OK ? r == NULL : !said) abort();
  if (r) read_all(ctx, r);
  hk_result_close(r);
  hk_ctx_destroy(ctx);
  unlink(path);
  return 0;
}
