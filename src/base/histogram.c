/* SPDX-License-Identifier: Apache-2.0
 *
 * histogram.c: times in bins of equal ratio (realtime.h). A time x of b bits falls into the bin by its
 * HK_BIN_BITS + 1 leading bits:
 *   e = max(0, b - HK_BIN_BITS - 1)     shift that leaves HK_BIN_BITS + 1 bits
 *   bin = e HK_BINS + (x >> e)          from (bin's leading bits) 2^e on, 2^e ns wide
 */
#include "base/realtime.h"

static int32_t bin_of(int64_t ns) {
  int32_t e = 0;
  uint64_t x = ns > 0 ? (uint64_t)ns : 0;
  while ((x >> e) >= 2 * HK_BINS) e++;
  const int32_t bin = e * HK_BINS + (int32_t)(x >> e);
  return bin < HK_BIN_COUNT ? bin : HK_BIN_COUNT - 1;
}

double hki_histogram_low(int32_t bin) {
  const int32_t e = bin < 2 * HK_BINS ? 0 : bin / HK_BINS - 1;
  double low = bin - e * HK_BINS;
  for (int32_t i = 0; i < e; i++) low *= 2.0;
  return low;
}

void hki_histogram_add(hk_histogram *h, int64_t ns) {
  if (ns < 0) ns = 0;
  h->bin[bin_of(ns)]++;
  h->n++;
  h->sum += (double)ns;
  if (ns > h->most) h->most = ns;
}

double hki_histogram_share(const hk_histogram *h, double p) {
  // the smallest number of times that is at least the share p
  const double wanted = p * (double)h->n;
  int64_t sum = 0;
  for (int32_t i = 0; i < HK_BIN_COUNT; i++) {
    sum += h->bin[i];
    if (!sum || (double)sum < wanted) continue;
    const double high = hki_histogram_low(i + 1);
    return high < (double)h->most ? high : (double)h->most;
  }
  return (double)h->most;
}

void hki_histogram_json(const hk_histogram *h, const char *name, hk_text *t) {
  static const struct {
    const char *name;
    double p;
  } shares[] = {{"p50", 0.5}, {"p99", 0.99}, {"p9999", 0.9999}};
  hki_text_printf(t, "\"%s\": ", name);
  if (!h->n) {
    hki_text_add(t, "null");
    return;
  }
  hki_text_add(t, "{");
  for (int32_t i = 0; i < HK_ARRAY_LEN(shares); i++) {
    hki_text_printf(t, "\"%s\": ", shares[i].name);
    hki_text_number(t, 1e-3 * hki_histogram_share(h, shares[i].p));
    hki_text_add(t, ", ");
  }
  hki_text_add(t, "\"max\": ");
  hki_text_number(t, 1e-3 * (double)h->most);
  hki_text_add(t, ", \"mean\": ");
  hki_text_number(t, 1e-3 * h->sum / (double)h->n);
  hki_text_add(t, "}");
}

void hki_histogram_bins_json(const hk_histogram *h, hk_text *t) {
  enum { TOGETHER = HK_BINS / 4 };
  const char *comma = "";
  hki_text_add(t, "[");
  for (int32_t i = 0; i < HK_BIN_COUNT; i += TOGETHER) {
    int64_t n = 0;
    for (int32_t k = 0; k < TOGETHER; k++) n += h->bin[i + k];
    if (!n) continue;
    hki_text_printf(t, "%s[", comma);
    hki_text_number(t, 1e-3 * hki_histogram_low(i));
    hki_text_add(t, ", ");
    hki_text_number(t, 1e-3 * hki_histogram_low(i + TOGETHER));
    hki_text_add(t, ", ");
    hki_text_int(t, n);
    hki_text_add(t, "]");
    comma = ", ";
  }
  hki_text_add(t, "]");
}
