/* SPDX-License-Identifier: Apache-2.0
 *
 * Histograms of times: bins are without gaps, shares are exact to one part in HK_BINS, the largest is
 * exact. Rings: records come out as they went in, across the end of the memory, and a full ring refuses.
 */
#include <check.h>
#include <string.h>

#include "base/realtime.h"
#include "base/ring.h"
#include "runner.h"

Suite *suite_timing(void);

START_TEST(bins_are_without_gaps) {
  ck_assert_double_eq(hki_histogram_low(0), 0.0);
  for (int32_t i = 1; i < HK_BIN_COUNT; i++) {
    const double low = hki_histogram_low(i), before = hki_histogram_low(i - 1);
    ck_assert_double_gt(low, before);
    ck_assert_double_le(low - before, before < HK_BINS ? 1.0 : before / HK_BINS);
    if (low > 9e18) continue;
    hk_histogram h = {0};
    hki_histogram_add(&h, (int64_t)low);
    ck_assert_int_eq(h.bin[i], 1);
    hki_histogram_add(&h, (int64_t)low - 1);
    ck_assert_msg(h.bin[i - 1] == 1 || low > 9e15, "%d", (int)i);
  }
}
END_TEST

START_TEST(shares) {
  static hk_histogram h;
  memset(&h, 0, sizeof h);
  for (int64_t i = 1; i <= 100000; i++) hki_histogram_add(&h, i * 10);
  static const double p[] = {0.5, 0.99, 0.9999, 1.0};
  for (int i = 0; i < 4; i++) {
    const double exact = p[i] * 1e6, found = hki_histogram_share(&h, p[i]);
    ck_assert_double_ge(found, exact - 1e-6);
    ck_assert_double_le(found, exact * (1.0 + 1.0 / HK_BINS));
  }
  ck_assert_int_eq(h.most, 1000000);
  hki_histogram_add(&h, 123456789);
  ck_assert_double_eq(hki_histogram_share(&h, 1.0), 123456789.0);
  hki_histogram_add(&h, -5); // a clock that was read late
  ck_assert_int_eq(h.bin[0], 1);
}
END_TEST

START_TEST(records) {
  hk_ctx *ctx = hk_ctx_create();
  hk_ring r;
  double in[9], out[10];
  uint32_t kind;
  ck_assert_int_eq(hki_ring_create(&r, ctx, 4096), HK_OK);
  ck_assert_int_eq(hki_ring_get(&r, &kind, out, sizeof out), -1);
  int32_t put = 0, got = 0;
  // lengths of 8 to 80 bytes, so that records fall on the end of the memory everywhere
  while (got < 3000) {
    const int32_t n = put % 9;
    for (int32_t i = 0; i < n; i++) in[i] = put + 0.1 * i;
    const double t = put;
    if (hki_ring_put(&r, (uint32_t)put, &t, sizeof t, in, (size_t)n * sizeof *in)) {
      put++;
      if (put % 3) continue;
    }
    const int64_t bytes = hki_ring_get(&r, &kind, out, sizeof out);
    ck_assert_int_eq(bytes, (int64_t)sizeof t * (1 + got % 9));
    ck_assert_uint_eq(kind, (uint32_t)got);
    ck_assert_double_eq(out[0], got);
    for (int32_t i = 0; i < got % 9; i++) ck_assert_double_eq(out[i + 1], got + 0.1 * i);
    got++;
  }
  ck_assert_int_gt(put, got); // it was full
  unsigned char much[5000] = {0};
  ck_assert(!hki_ring_put(&r, 1, much, sizeof much, NULL, 0));
  hki_ring_free(&r);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_timing(void) {
  Suite *s = suite_create("timing");
  TCase *c = tcase_create("counts");
  tcase_add_test(c, bins_are_without_gaps);
  tcase_add_test(c, shares);
  tcase_add_test(c, records);
  suite_add_tcase(s, c);
  return s;
}
