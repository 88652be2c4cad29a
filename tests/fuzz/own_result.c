/* SPDX-License-Identifier: Apache-2.0
 *
 * own_result.c: fuzz target of Hooke's own reader of .nc results. Checksums are made right first, so that
 * changes get past them: any bytes open or are refused, and what opens can be read to its end.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/hdf5/write.h"
#include "results/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_checksum(uint8_t *data, size_t from, size_t to) {
  const uint32_t sum = hki_h5_checksum(data + from, to - from);
  for (int i = 0; i < 4; i++) data[to + (size_t)i] = (uint8_t)(sum >> (8 * i));
}

/* of the superblock and of every header */
static void make_right(uint8_t *data, size_t size) {
  for (size_t i = 48; i + 14 <= size; i++) {
    if (data[i] != 'O' || memcmp(data + i, "OHDR", 4) != 0) continue;
    size_t n = 0;
    for (int k = 4; k-- > 0;) n = n << 8 | data[i + 6 + (size_t)k];
    if (n <= size - i - 14) put_checksum(data, i, i + 10 + n);
  }
  if (size >= 48) put_checksum(data, 0, 44);
}

static void read_all(hk_result *r) {
  enum { MOST = 4096 };
  static double x[MOST];
  static float poses[7 * MOST], loads[3 * MOST];
  const int64_t rows = hk_result_rows(r), n = rows < MOST ? rows : MOST;
  for (int32_t i = -1; i < hk_result_channel_count(r) && i < 100; i++) {
    (void)hk_result_read(r, i, 0, n, x);
    (void)hk_result_read(r, i, rows - n, n, x);
  }
  if (hk_result_body_count(r) <= MOST && hk_result_load_count(r) <= MOST && hk_result_frames(r) > 0)
    (void)hk_result_read_frames(r, hk_result_frames(r) - 1, 1, x, poses, loads);
  if (hk_result_mesh_points(r) <= 2 * MOST && hk_result_mesh_faces(r) <= MOST) {
    static int32_t faces[3 * MOST];
    (void)hk_result_read_meshes(r, poses, faces);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char path[64];
  if (!path[0]) snprintf(path, sizeof path, "/tmp/hooke-fuzz-own-%ld", (long)getpid());
  uint8_t *copy = malloc(size + 1);
  FILE *f = fopen(path, "wb");
  if (!f || !copy) return 0;
  memcpy(copy, data, size);
  make_right(copy, size);
  fwrite(copy, 1, size, f);
  fclose(f);
  free(copy);
  hk_ctx *ctx = hk_ctx_create();
  hk_result *r = NULL;
  if (!ctx) return 0;
  const hk_status status = hki_result_open_by(ctx, path, hki_result_open_own, &r);
  const bool said = hk_ctx_message_count(ctx) > 0;
  if (status == HK_OK ? r == NULL : status == HK_RETRY ? said : !said) abort();
  if (r) read_all(r);
  hk_result_close(r);
  hk_ctx_destroy(ctx);
  unlink(path);
  return 0;
}
