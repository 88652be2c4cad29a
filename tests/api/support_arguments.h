/* SPDX-License-Identifier: Apache-2.0
 *
 * support_arguments.h: for cases of arguments.c: one of each thing a program holds, and things of
 * another kind; the cases that stand in files of their own.
 */
#ifndef TESTS_API_SUPPORT_ARGUMENTS_H
#define TESTS_API_SUPPORT_ARGUMENTS_H

#include <check.h>

#include "hooke/hooke.h"

typedef struct test_things {
  char dir[32], nc[64], out[64];
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  hk_result *r;
  hk_comparison *c;
} test_things;

extern test_things x;

#define USAGE(call)   ck_assert_int_eq((call), HK_E_USAGE)
#define NOTHING(call) ck_assert_ptr_null((call))
#define ZERO(call)    ck_assert_int_eq((call), 0)
#define EMPTY(call)   ck_assert_str_eq((call), "")

/* a handle of another kind */
#define OTHER_SIM        ((hk_sim *)(void *)x.m)
#define OTHER_MODEL      ((hk_model *)(void *)x.s)
#define OTHER_RESULT     ((hk_result *)(void *)x.ctx)
#define OTHER_CTX        ((hk_ctx *)(void *)x.r)
#define OTHER_COMPARISON ((hk_comparison *)(void *)x.m)
#define OTHER_NODE       ((hk_node *)(void *)x.m)

/* messages that were there before, and one more with these words */
void says(const char *words);

/* support_results.c */
void test_result_open(void);
void test_result_asked(void);
void test_result_read(void);
void test_report(void);
/* support_nodes.c */
void test_nodes_made(void);
void test_nodes_changed(void);
void test_nodes_asked(void);
void test_nodes_read(void);
/* support_eval.c */
void test_eval_life(void);
void test_eval_asked(void);
void test_eval_used(void);
void test_inverse(void);
void test_kinematics(void);
void test_fit(void);
void test_statics(void);
void test_flexible(void);
void test_realtime(void);
void test_fmu(void);
void test_code(void);
/* support_batch.c */
void test_batch(void);
void test_streams(void);
void test_statespace_life(void);
void test_statespace_asked(void);

#endif
