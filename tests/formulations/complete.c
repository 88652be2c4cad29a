/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every formulation has what its capabilities promise, and the check of it sees each
 * entry that is taken away.
 */
#include "formulations/formulation.h"
#include "runner.h"

START_TEST(test_every_table_is_complete) {
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const hk_formulation_entry *e = hki_formulation_at(i);
    const char *fault = hki_formulation_fault(e->ops);
    ck_assert_msg(!fault, "formulation '%s': %s", e->ops->name, fault);
    ck_assert(e->kin && e->create);
    ck_assert_uint_le(e->par_size, HK_FORMULATION_PAR_MAX);
  }
}
END_TEST

#define LACKS(ops, entry) TEST_LACKS(hk_formulation_ops, hki_formulation_fault, ops, entry)

START_TEST(test_what_is_taken_away_is_missed) {
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const hk_formulation_ops *ops = hki_formulation_at(i)->ops;
    LACKS(ops, dims);
    LACKS(ops, plus);
    LACKS(ops, minus);
    LACKS(ops, project);
    LACKS(ops, from_tree);
    LACKS(ops, to_tree);
    LACKS(ops, persistent);
    LACKS(ops, restart);
    LACKS(ops, destroy);
    if (ops->caps & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)) {
      LACKS(ops, begin);
      LACKS(ops, residual);
      LACKS(ops, factor);
      LACKS(ops, correct);
    }
    if (ops->caps & HK_CAP_ACCEL) LACKS(ops, accel);
    if (ops->caps & HK_CAP_DAE) LACKS(ops, dae);
    if (ops->caps & HK_CAP_NODES) LACKS(ops, nodes);
    if (ops->solver_memory) LACKS(ops, solver_recall);
  }
}
END_TEST

/* optional faces are whole or not there */
START_TEST(test_faces_are_whole) {
  bool dae = false, nodes = false;
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    hk_formulation_ops less = *hki_formulation_at(i)->ops;
    if (less.dae) {
      hk_dae_ops part = *less.dae;
      part.solve = NULL;
      less.dae = &part;
      ck_assert_str_eq(hki_formulation_fault(&less), "solve is missing");
      less.dae = hki_formulation_at(i)->ops->dae;
      dae = true;
    }
    if (less.nodes) {
      hk_node_ops part = *less.nodes;
      part.ahead = NULL;
      less.nodes = &part;
      ck_assert_str_eq(hki_formulation_fault(&less), "ahead is missing");
      nodes = true;
    }
  }
  ck_assert(dae && nodes);
}
END_TEST

Suite *suite_complete(void);
Suite *suite_complete(void) {
  Suite *s = suite_create("complete");
  TCase *t = tcase_create("complete");
  tcase_add_test(t, test_every_table_is_complete);
  tcase_add_test(t, test_what_is_taken_away_is_missed);
  tcase_add_test(t, test_faces_are_whole);
  suite_add_tcase(s, t);
  return s;
}
