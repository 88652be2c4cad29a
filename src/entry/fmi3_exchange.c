/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi3_exchange.c: event mode and model exchange of the Functional Mock-up Interface 3.0.
 */
#include "entry/fmi3.h"

static hk_fmi_status told(hk_instance *c, hk_status st) {
  if (st != HK_OK) hki_unit_tell(c->u, st);
  return hki_fmi3_told(st);
}

/* is it an instance for model exchange, initialized? */
static bool ready(hk_instance *c) {
  if (c->u->exchange) return true;
  (void)hki_unit_misuse(c->u, "this is no initialized instance for model exchange");
  return false;
}

FMI3(hk_fmi_status, EnterEventMode)(hk_instance *c);
FMI3(hk_fmi_status, EnterEventMode)(hk_instance *c) {
  if (!c->u->sim) return hki_fmi3_refuse(c, "the FMU has not been initialized");
  c->u->phase = HK_UNIT_EVENT;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, UpdateDiscreteStates)
(hk_instance *c, bool *again, bool *terminate, bool *nominals, bool *states, bool *next_defined,
 double *next);
FMI3(hk_fmi_status, UpdateDiscreteStates)
(hk_instance *c, bool *again, bool *terminate, bool *nominals, bool *states, bool *next_defined,
 double *next) {
  hk_fmi2_event info = {0};
  hk_status st = HK_OK;
  if (c->u->exchange) st = hki_exchange_update(c->u->exchange, &info);
  *again = *nominals = false;
  *terminate = info.terminate != 0, *states = info.states_changed != 0;
  *next_defined = info.next_defined != 0, *next = info.next + c->u->start;
  return told(c, st);
}

FMI3(hk_fmi_status, EvaluateDiscreteStates)(hk_instance *c);
FMI3(hk_fmi_status, EvaluateDiscreteStates)(hk_instance *c) {
  (void)c;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, EnterContinuousTimeMode)(hk_instance *c);
FMI3(hk_fmi_status, EnterContinuousTimeMode)(hk_instance *c) {
  if (!ready(c)) return HK_FMI_ERROR;
  c->u->phase = HK_UNIT_RUNNING;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, CompletedIntegratorStep)
(hk_instance *c, bool no_going_back, bool *event_mode, bool *terminate);
FMI3(hk_fmi_status, CompletedIntegratorStep)
(hk_instance *c, bool no_going_back, bool *event_mode, bool *terminate) {
  (void)no_going_back;
  *event_mode = *terminate = false;
  return ready(c) ? told(c, hki_exchange_accept(c->u->exchange, event_mode)) : HK_FMI_ERROR;
}

FMI3(hk_fmi_status, SetTime)(hk_instance *c, double t);
FMI3(hk_fmi_status, SetTime)(hk_instance *c, double t) {
  if (!ready(c)) return HK_FMI_ERROR;
  hki_exchange_time(c->u->exchange, t - c->u->start);
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, SetContinuousStates)(hk_instance *c, const double *x, size_t n);
FMI3(hk_fmi_status, SetContinuousStates)(hk_instance *c, const double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, HK_UNIT_STATE))
    return HK_FMI_ERROR;
  hki_exchange_states(c->u->exchange, x);
  return HK_FMI_OK;
}

/* all values of one kind */
static hk_fmi_status all(hk_instance *c, int32_t kind, double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, kind)) return HK_FMI_ERROR;
  hk_status st = hki_exchange_all(c->u->exchange, kind, x);
  return st == HK_E_NUMBER ? hki_unit_discard(c->u) : told(c, st);
}

FMI3(hk_fmi_status, GetContinuousStateDerivatives)(hk_instance *c, double *x, size_t n);
FMI3(hk_fmi_status, GetContinuousStateDerivatives)(hk_instance *c, double *x, size_t n) {
  return all(c, HK_UNIT_DERIVATIVE, x, n);
}

FMI3(hk_fmi_status, GetEventIndicators)(hk_instance *c, double *x, size_t n);
FMI3(hk_fmi_status, GetEventIndicators)(hk_instance *c, double *x, size_t n) {
  return all(c, HK_UNIT_INDICATOR, x, n);
}

FMI3(hk_fmi_status, GetContinuousStates)(hk_instance *c, double *x, size_t n);
FMI3(hk_fmi_status, GetContinuousStates)(hk_instance *c, double *x, size_t n) {
  return all(c, HK_UNIT_STATE, x, n);
}

FMI3(hk_fmi_status, GetNominalsOfContinuousStates)(hk_instance *c, double *x, size_t n);
FMI3(hk_fmi_status, GetNominalsOfContinuousStates)(hk_instance *c, double *x, size_t n) {
  if (!ready(c) || n != (size_t)hki_exchange_count(c->u->exchange, HK_UNIT_STATE))
    return HK_FMI_ERROR;
  hki_exchange_nominals(c->u->exchange, x);
  return HK_FMI_OK;
}

/* how many of a kind; an importer may ask before the start too */
static hk_fmi_status number(hk_instance *c, int32_t kind, size_t *n) {
  return hki_fmi3_told(hki_unit_count(c->u, kind, n));
}

FMI3(hk_fmi_status, GetNumberOfEventIndicators)(hk_instance *c, size_t *n);
FMI3(hk_fmi_status, GetNumberOfEventIndicators)(hk_instance *c, size_t *n) {
  return number(c, HK_UNIT_INDICATOR, n);
}

FMI3(hk_fmi_status, GetNumberOfContinuousStates)(hk_instance *c, size_t *n);
FMI3(hk_fmi_status, GetNumberOfContinuousStates)(hk_instance *c, size_t *n) {
  return number(c, HK_UNIT_STATE, n);
}
