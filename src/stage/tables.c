/* SPDX-License-Identifier: Apache-2.0
 *
 * tables.c: what the tables of formulations and integrators must have: some entries always, others
 * where a capability promises them.
 */
#include "stage/stage.h"

/* the system of first order */
static const char *dae_fault(const hk_dae_ops *dae) {
  HK_TABLE_NEEDS(true, dae, size);
  HK_TABLE_NEEDS(true, dae, entries);
  HK_TABLE_NEEDS(true, dae, pack);
  HK_TABLE_NEEDS(true, dae, unpack);
  HK_TABLE_NEEDS(true, dae, residual);
  HK_TABLE_NEEDS(true, dae, factor);
  HK_TABLE_NEEDS(true, dae, solve);
  return NULL;
}

/* nodes with momenta */
static const char *nodes_fault(const hk_node_ops *nodes) {
  HK_TABLE_NEEDS(true, nodes, momentum);
  HK_TABLE_NEEDS(true, nodes, momentum_rate);
  HK_TABLE_NEEDS(true, nodes, behind);
  HK_TABLE_NEEDS(true, nodes, ahead);
  return NULL;
}

/* rates and their linearisation */
static const char *rates_fault(const hk_rate_ops *rates) {
  HK_TABLE_NEEDS(true, rates, allow);
  HK_TABLE_NEEDS(true, rates, matrices);
  HK_TABLE_NEEDS(true, rates, rates);
  HK_TABLE_NEEDS(true, rates, mul);
  HK_TABLE_NEEDS(true, rates, solve);
  return NULL;
}

/* stages as systems */
static const char *system_fault(const hk_system_ops *system) {
  HK_TABLE_NEEDS(true, system, size);
  HK_TABLE_NEEDS(true, system, allow);
  HK_TABLE_NEEDS(true, system, factored);
  HK_TABLE_NEEDS(true, system, rest);
  HK_TABLE_NEEDS(true, system, solve);
  HK_TABLE_NEEDS(true, system, measure);
  HK_TABLE_NEEDS(true, system, move);
  HK_TABLE_NEEDS(true, system, hold);
  return NULL;
}

const char *hki_formulation_fault(const hk_formulation_ops *ops) {
  const bool implicit = ops->caps & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC);
  const char *fault = NULL;
  HK_TABLE_NEEDS(true, ops, name);
  HK_TABLE_NEEDS(true, ops, text);
  HK_TABLE_NEEDS(true, ops, source);
  HK_TABLE_NEEDS(true, ops, params);
  HK_TABLE_NEEDS(true, ops, dims);
  HK_TABLE_NEEDS(true, ops, plus);
  HK_TABLE_NEEDS(true, ops, minus);
  HK_TABLE_NEEDS(implicit, ops, begin);
  HK_TABLE_NEEDS(implicit, ops, residual);
  HK_TABLE_NEEDS(implicit, ops, factor);
  HK_TABLE_NEEDS(implicit, ops, correct);
  HK_TABLE_NEEDS(ops->caps & HK_CAP_ACCEL, ops, accel);
  HK_TABLE_NEEDS(true, ops, project);
  HK_TABLE_NEEDS(true, ops, from_tree);
  HK_TABLE_NEEDS(true, ops, to_tree);
  HK_TABLE_NEEDS(true, ops, persistent);
  HK_TABLE_NEEDS(ops->solver_memory, ops, solver_recall);
  HK_TABLE_NEEDS(ops->solver_recall, ops, solver_memory);
  HK_TABLE_NEEDS(true, ops, restart);
  HK_TABLE_NEEDS(true, ops, destroy);
  HK_TABLE_NEEDS(ops->caps & HK_CAP_DAE, ops, dae);
  HK_TABLE_NEEDS(ops->caps & HK_CAP_NODES, ops, nodes);
  HK_TABLE_NEEDS(ops->caps & HK_CAP_RATES, ops, rates);
  if (ops->dae) fault = dae_fault(ops->dae);
  if (ops->nodes && !fault) fault = nodes_fault(ops->nodes);
  if (ops->rates && !fault) fault = rates_fault(ops->rates);
  if (ops->system && !fault) fault = system_fault(ops->system);
  return fault;
}

const char *hki_integrator_fault(const hk_integrator_ops *ops) {
  HK_TABLE_NEEDS(true, ops, name);
  HK_TABLE_NEEDS(true, ops, text);
  HK_TABLE_NEEDS(true, ops, source);
  HK_TABLE_NEEDS(true, ops, params);
  HK_TABLE_NEEDS(true, ops, needs);
  HK_TABLE_NEEDS(true, ops, prepare);
  HK_TABLE_NEEDS(true, ops, start);
  HK_TABLE_NEEDS(true, ops, step);
  HK_TABLE_HOLDS(ops->order >= 0 && ops->nhist >= 0 && ops->ndense >= 0);
  HK_TABLE_NEEDS(ops->steps == HK_STEPS_MEASURED, ops, error);
  HK_TABLE_NEEDS(ops->ndense > 0, ops, remember);
  HK_TABLE_NEEDS(ops->ndense > 0 || ops->remember, ops, dense);
  return NULL;
}
