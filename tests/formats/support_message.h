/* SPDX-License-Identifier: Apache-2.0
 *
 * support_message.h: a context, and what the first message in it says.
 */
#ifndef TESTS_IO_SUPPORT_MESSAGE_H
#define TESTS_IO_SUPPORT_MESSAGE_H

#include <check.h>
#include <string.h>

#include "base/base.h"

static hk_ctx *ctx;

/* the first message: its place, words of its text, words of its hint (NULL: any) */
static inline const hk_message *first_message(int line, int col, const char *words,
                                              const char *hint) {
  ck_assert_int_ge(hk_ctx_message_count(ctx), 1);
  const hk_message *m = hk_ctx_message(ctx, 0);
  ck_assert_msg(strstr(m->text, words), "'%s' has no '%s'", m->text, words);
  ck_assert_msg(m->line == line && m->column == col, "%d:%d: %s", m->line, m->column, m->text);
  if (hint) ck_assert_msg(m->hint && strstr(m->hint, hint), "hint '%s'", m->hint ? m->hint : "-");
  return m;
}

#endif
