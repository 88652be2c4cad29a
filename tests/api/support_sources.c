/* SPDX-License-Identifier: Apache-2.0
 *
 * support_sources.c: arguments of the functions about sources of energy.
 */
#include "support_sources.h"

#include <check.h>
#include <math.h>

void test_sources(hk_sim *s, hk_sim *other) {
  double J[2] = {1.0, 1.0};
  const int32_t n = hk_sim_source_count(s);
  ck_assert_int_ge(n, 1);
  ck_assert_int_eq(hk_sim_source_count(NULL), 0);
  ck_assert_int_eq(hk_sim_source_count(other), 0);
  ck_assert_str_eq(hk_sim_source(s, n - 1, &J[0], &J[1]), "events");
  ck_assert(J[0] == 0.0 && J[1] == 0.0);
  ck_assert_ptr_nonnull(hk_sim_source(s, 0, NULL, NULL));
  ck_assert_ptr_null(hk_sim_source(s, n, &J[0], NULL));
  ck_assert(isnan(J[0]));
  ck_assert_ptr_null(hk_sim_source(s, -1, NULL, NULL));
  ck_assert_ptr_null(hk_sim_source(other, 0, NULL, &J[1]));
  ck_assert(isnan(J[1]));
}
