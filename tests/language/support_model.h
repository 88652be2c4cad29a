/* SPDX-License-Identifier: Apache-2.0
 *
 * support_model.h: reading small texts of the model language, right ones and wrong ones.
 */
#ifndef TESTS_IO_SUPPORT_MODEL_H
#define TESTS_IO_SUPPORT_MODEL_H

#include <math.h>
#include <stdio.h>

#include "language/model_reader.h"
#include "formats/support_message.h"

static hk_spec *spec;

static inline void setup(void) {
  ctx = hk_ctx_create();
  spec = NULL;
}

static inline void drop(void) {
  if (spec) hki_spec_destroy(spec);
  spec = NULL;
  hk_ctx_clear(ctx);
}

static inline void teardown(void) {
  drop();
  hk_ctx_destroy(ctx);
}

/* a first line `hooke: 1` is put before the text */
static inline void read_set(const char *text, const hk_set *sets, int32_t n) {
  char buf[8000];
  drop();
  hk_ctx_destroy(ctx);
  ctx = hk_ctx_create();
  snprintf(buf, sizeof buf, "hooke: 1\n%s", text);
  spec = hki_model_read_text(ctx, "m.yaml", buf, strlen(buf), sets, n);
}

/* a text that must be right */
static inline void ok(const char *text) {
  read_set(text, NULL, 0);
  if (!spec) {
    const hk_message *m = hk_ctx_message(ctx, 0);
    ck_abort_msg("%d:%d: %s", m->line, m->column, m->text);
  }
}

static inline void check_message(hk_status code, int line, int col, const char *words,
                                 const char *hint) {
  ck_assert_ptr_null(spec);
  ck_assert_int_eq(first_message(line, col, words, hint)->code, code);
}

/* a text that must be refused */
static inline void bad(const char *text, int line, int col, const char *words, const char *hint) {
  read_set(text, NULL, 0);
  check_message(HK_E_MODEL, line, col, words, hint);
}

static inline void near(const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) {
    ck_assert_msg(fabs(a[i] - b[i]) < 1e-14, "[%d]: %.16g, expected %.16g", i, a[i], b[i]);
  }
}

static inline void near3(const double *a, double x, double y, double z) {
  near(a, (const double[]){x, y, z}, 3);
}

#endif
