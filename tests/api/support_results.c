/* SPDX-License-Identifier: Apache-2.0
 *
 * support_results.c: arguments of the functions about results.
 */
#include "support_arguments.h"

#include <math.h>

void test_result_open(void) {
  hk_result *r = x.r;
  USAGE(hk_result_open(NULL, x.nc, &r));
  NOTHING(r);
  USAGE(hk_result_open(x.ctx, NULL, &r));
  USAGE(hk_result_open(x.ctx, x.nc, NULL));
  says("hk_result_open");
  hk_result_close(NULL);
  hk_result_close(OTHER_RESULT);
}

void test_result_asked(void) {
  hk_result *wrong[] = {NULL, OTHER_RESULT};
  for (int i = 0; i < 2; i++) {
    EMPTY(hk_result_path(wrong[i]));
    ZERO(hk_result_rows(wrong[i]));
    ZERO(hk_result_channel_count(wrong[i]));
    EMPTY(hk_result_channel_name(wrong[i], 0));
    ck_assert_str_eq(hk_result_channel_unit(wrong[i], 0), "1");
    EMPTY(hk_result_channel_text(wrong[i], 0));
    ck_assert_int_eq(hk_result_channel_find(wrong[i], "t"), -1);
    EMPTY(hk_result_text(wrong[i], "title"));
    ZERO(hk_result_frames(wrong[i]));
    ZERO(hk_result_body_count(wrong[i]));
    ZERO(hk_result_load_count(wrong[i]));
    ZERO(hk_result_mesh_points(wrong[i]));
    ZERO(hk_result_mesh_faces(wrong[i]));
  }
  ck_assert_int_eq(hk_result_channel_find(x.r, NULL), -1);
  EMPTY(hk_result_text(x.r, NULL));
  EMPTY(hk_result_text(x.r, "nothing"));
  EMPTY(hk_result_channel_name(x.r, -2));
  EMPTY(hk_result_channel_text(x.r, 100000));
}

void test_result_read(void) {
  double out[64], t[64];
  float points[3];
  int32_t n = 7, faces[3];
  USAGE(hk_result_read(NULL, 0, 0, 1, out));
  USAGE(hk_result_read(x.r, 0, 0, 1, NULL));
  const int64_t first[] = {-1, INT64_MAX, 0, 1, 0}, count[] = {1, 1, -1, INT64_MAX, 1000};
  for (int i = 0; i < 5; i++) {
    USAGE(hk_result_read(x.r, 0, first[i], count[i], out));
    USAGE(hk_result_thin(x.r, 0, first[i], count[i], 4, t, out, &n));
    ck_assert_int_eq(n, 0);
    USAGE(hk_result_read_frames(x.r, first[i], count[i], t, NULL, NULL));
  }
  USAGE(hk_result_read(x.r, -2, 0, 1, out));
  USAGE(hk_result_read(x.r, 100000, 0, 1, out));
  USAGE(hk_result_thin(NULL, 0, 0, 1, 4, t, out, &n));
  USAGE(hk_result_thin(x.r, 0, 0, 1, 4, NULL, out, &n));
  USAGE(hk_result_thin(x.r, 0, 0, 1, 4, t, NULL, &n));
  USAGE(hk_result_thin(x.r, 0, 0, 1, 4, t, out, NULL));
  USAGE(hk_result_thin(x.r, 0, 0, 1, 1, t, out, &n));
  USAGE(hk_result_thin(x.r, 0, 0, 1, -1, t, out, &n));
  USAGE(hk_result_read_frames(NULL, 0, 1, t, NULL, NULL));
  ck_assert_int_eq(hk_result_read_frames(x.r, 0, 1, NULL, NULL, NULL), HK_OK);
  USAGE(hk_result_read_meshes(NULL, points, faces));
  USAGE(hk_result_read_meshes(x.r, NULL, faces));
  USAGE(hk_result_read_meshes(x.r, points, NULL));
}

void test_report(void) {
  char *html = x.dir;
  size_t len = 1;
  hk_result *const other[] = {OTHER_RESULT};
  hk_report_options opt = hk_report_options_def();
  USAGE(hk_report_make(NULL, &x.r, 1, &opt, &html, &len));
  NOTHING(html);
  ZERO(len);
  USAGE(hk_report_make(x.ctx, NULL, 1, &opt, &html, &len));
  USAGE(hk_report_make(x.ctx, &x.r, 0, &opt, &html, &len));
  USAGE(hk_report_make(x.ctx, &x.r, -1, &opt, &html, &len));
  USAGE(hk_report_make(x.ctx, other, 1, &opt, &html, &len));
  USAGE(hk_report_make(x.ctx, &x.r, 1, &opt, NULL, &len));
  USAGE(hk_report_make(x.ctx, &x.r, 1, &opt, &html, NULL));
  USAGE(hk_report_write(NULL, &x.r, 1, x.out, &opt));
  USAGE(hk_report_write(x.ctx, NULL, 1, x.out, &opt));
  USAGE(hk_report_write(x.ctx, other, 1, x.out, &opt));
  USAGE(hk_report_write(x.ctx, &x.r, 1, NULL, &opt));
  says("hk_report_write: no path");
  USAGE(hk_report_check(NULL, x.out));
  USAGE(hk_report_check(x.ctx, NULL));
  ck_assert_int_eq(hk_report_make(x.ctx, &x.r, 1, NULL, &html, &len), HK_OK);
  ck_assert_uint_gt(len, 1000);
  hk_report_free(NULL, html);
  hk_report_free(x.ctx, NULL);
}
