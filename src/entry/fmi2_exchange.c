/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi2_exchange.c: model exchange of the Functional Mock-up Interface 2.0.
 */
#include "entry/fmi2.h"

static hk_fmi_status told(hk_component *c, hk_status st) {
  if (st != HK_OK) hki_unit_tell(c->u, st);
  return st == HK_OK ? HK_FMI_OK : st == HK_E_MEMORY ? HK_FMI_FATAL : HK_FMI_ERROR;
}

/* is it an instance for model exchange, initialized? */
static bool ready(hk_component *c) {
  if (c->u->exchange) return true;
  (void)hki_unit_misuse(c->u, "this is no initialized instance for model exchange");
  return false;
}

FMI2(hk_fmi_status, EnterEventMode)(hk_component *c);
FMI2(hk_fmi_status, EnterEventMode)(hk_component *c) {
  if (!ready(c)) return HK_FMI_ERROR;
  c->u->phase = HK_UNIT_EVENT;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, NewDiscreteStates)(hk_component *c, hk_fmi2_event *info);
FMI2(hk_fmi_status, NewDiscreteStates)(hk_component *c, hk_fmi2_event *info) {
  if (!ready(c)) return HK_FMI_ERROR;
  hk_status st = hki_exchange_update(c->u->exchange, info);
  info->next += c->u->start;
  return told(c, st);
}

FMI2(hk_fmi_status, EnterContinuousTimeMode)(hk_component *c);
FMI2(hk_fmi_status, EnterContinuousTimeMode)(hk_component *c) {
  if (!ready(c)) return HK_FMI_ERROR;
  c->u->phase = HK_UNIT_RUNNING;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, CompletedIntegratorStep)
(hk_component *c, int no_going_back, int *event_mode, int *terminate);
FMI2(hk_fmi_status, CompletedIntegratorStep)
(hk_component *c, int no_going_back, int *event_mode, int *terminate) {
  bool event = false;
  (void)no_going_back;
  if (!ready(c)) return HK_FMI_ERROR;
  hk_status st = hki_exchange_accept(c->u->exchange, &event);
  *event_mode = event, *terminate = 0;
  return told(c, st);
}

FMI2(hk_fmi_status, SetTime)(hk_component *c, double t);
FMI2(hk_fmi_status, SetTime)(hk_component *c, double t) {
  if (!ready(c)) return HK_FMI_ERROR;
  hki_exchange_time(c->u->exchange, t - c->u->start);
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, SetContinuousStates)(hk_component *c, const double *x, size_t n);
FMI2(hk_fmi_status, SetContinuousStates)(hk_component *c, const double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, HK_UNIT_STATE))
    return HK_FMI_ERROR;
  hki_exchange_states(c->u->exchange, x);
  return HK_FMI_OK;
}

/* all values of one kind */
static hk_fmi_status all(hk_component *c, int32_t kind, double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, kind)) return HK_FMI_ERROR;
  hk_status st = hki_exchange_all(c->u->exchange, kind, x);
  return st == HK_E_NUMBER ? hki_unit_discard(c->u) : told(c, st);
}

FMI2(hk_fmi_status, GetDerivatives)(hk_component *c, double *x, size_t n);
FMI2(hk_fmi_status, GetDerivatives)(hk_component *c, double *x, size_t n) {
  return all(c, HK_UNIT_DERIVATIVE, x, n);
}

FMI2(hk_fmi_status, GetEventIndicators)(hk_component *c, double *x, size_t n);
FMI2(hk_fmi_status, GetEventIndicators)(hk_component *c, double *x, size_t n) {
  return all(c, HK_UNIT_INDICATOR, x, n);
}

FMI2(hk_fmi_status, GetContinuousStates)(hk_component *c, double *x, size_t n);
FMI2(hk_fmi_status, GetContinuousStates)(hk_component *c, double *x, size_t n) {
  return all(c, HK_UNIT_STATE, x, n);
}

FMI2(hk_fmi_status, GetNominalsOfContinuousStates)(hk_component *c, double *x, size_t n);
FMI2(hk_fmi_status, GetNominalsOfContinuousStates)(hk_component *c, double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, HK_UNIT_STATE))
    return HK_FMI_ERROR;
  hki_exchange_nominals(c->u->exchange, x);
  return HK_FMI_OK;
}
