/* SPDX-License-Identifier: Apache-2.0
 *
 * study.c: fuzz target of the reader of study files. Any bytes are a file: a study, no study, or
 * refused with a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "studies/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  if (!path[0]) snprintf(path, sizeof path, "/tmp/hooke-fuzz-study-%ld", (long)getpid());
  FILE *f = fopen(path, "wb");
  if (!f) return 0;
  fwrite(data, 1, size, f);
  fclose(f);
  hk_ctx *ctx = hk_ctx_create();
  bool is_study = false;
  hk_study *study = NULL;
  hk_status st = hki_study_read(ctx, path, &is_study, &study);
  if (st == HK_OK ? is_study && !study : !hki_error_count(ctx)) abort();
  hki_study_destroy(study);
  hk_ctx_destroy(ctx);
  unlink(path);
  return 0;
}
