/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi3.c: the functions of the Functional Mock-up Interface 3.0 over unit.h: life, variables, states,
 * co-simulation.
 */
#include "entry/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a state that was saved: its size, then its bytes */
typedef struct saved {
  size_t size;
  unsigned char bytes[];
} saved;

static void say(void *user, hk_fmi_status status, const char *text) {
  const hk_instance *c = user;
  if (!c->log || (!c->logging && status < HK_FMI_ERROR)) return;
  c->log(c->environment, status, status >= HK_FMI_ERROR ? "logStatusError" : "logStatusWarning",
         text);
}

hk_fmi_status hki_fmi3_told(hk_status st) {
  return st == HK_OK ? HK_FMI_OK : st == HK_E_MEMORY ? HK_FMI_FATAL : HK_FMI_ERROR;
}

hk_fmi_status hki_fmi3_refuse(hk_instance *c, const char *why) {
  if (c) say(c, HK_FMI_ERROR, why);
  return HK_FMI_ERROR;
}

/* --- life ------------------------------------------------------------------------------------- */

FMI3(const char *, GetVersion)(void);
FMI3(const char *, GetVersion)(void) { return "3.0"; }

static hk_instance *make(const char *token, const char *resources, bool logging, void *environment,
                         hk_fmi3_log *log, bool co_simulation) {
  hk_instance *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->environment = environment, c->log = log, c->logging = logging;
  if (token)
    c->u = hki_unit_open(resources, token, co_simulation, say, c);
  else
    hki_fmi3_refuse(c, "no instantiation token");
  if (c->u) return c;
  free(c);
  return NULL;
}

FMI3(hk_instance *, InstantiateModelExchange)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, hk_fmi3_log *log);
FMI3(hk_instance *, InstantiateModelExchange)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, hk_fmi3_log *log) {
  (void)name, (void)visible;
  return make(token, resources, logging, environment, log, false);
}

FMI3(hk_instance *, InstantiateCoSimulation)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 bool event_mode, bool early, const hk_fmi_reference *required, size_t nrequired, void *environment,
 hk_fmi3_log *log, hk_fmi3_intermediate *update);
FMI3(hk_instance *, InstantiateCoSimulation)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 bool event_mode, bool early, const hk_fmi_reference *required, size_t nrequired, void *environment,
 hk_fmi3_log *log, hk_fmi3_intermediate *update) {
  (void)name, (void)visible, (void)required, (void)nrequired, (void)update;
  hk_instance *c = make(token, resources, logging, environment, log, true);
  if (c) c->event_mode = event_mode, c->early = early;
  return c;
}

FMI3(hk_instance *, InstantiateScheduledExecution)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, hk_fmi3_log *log, void (*clock)(void *), void (*lock)(void),
 void (*unlock)(void));
FMI3(hk_instance *, InstantiateScheduledExecution)
(const char *name, const char *token, const char *resources, bool visible, bool logging,
 void *environment, hk_fmi3_log *log, void (*clock)(void *), void (*lock)(void),
 void (*unlock)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  (void)clock, (void)lock, (void)unlock;
  if (log) log(environment, HK_FMI_ERROR, "logStatusError", "this FMU has no scheduled execution");
  return NULL;
}

FMI3(void, FreeInstance)(hk_instance *c);
FMI3(void, FreeInstance)(hk_instance *c) {
  if (c) hki_unit_destroy(c->u);
  free(c);
}

FMI3(hk_fmi_status, SetDebugLogging)
(hk_instance *c, bool on, size_t n, const char *const *categories);
FMI3(hk_fmi_status, SetDebugLogging)
(hk_instance *c, bool on, size_t n, const char *const *categories) {
  (void)n, (void)categories;
  c->logging = on;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, EnterInitializationMode)
(hk_instance *c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
 double stop);
FMI3(hk_fmi_status, EnterInitializationMode)
(hk_instance *c, bool tolerance_defined, double tolerance, double start, bool stop_defined,
 double stop) {
  if (c->u->phase != HK_UNIT_NEW) return hki_fmi3_refuse(c, "the FMU has been initialized already");
  if (!isfinite(start) || (stop_defined && !(stop > start)))
    return hki_fmi3_refuse(c, "the stop time must lie behind the start time");
  c->u->start = start;
  c->u->stop = stop_defined ? stop : NAN;
  c->u->tolerance = tolerance_defined ? tolerance : 0.0;
  return hki_fmi3_told(hki_unit_start(c->u));
}

FMI3(hk_fmi_status, ExitInitializationMode)(hk_instance *c);
FMI3(hk_fmi_status, ExitInitializationMode)(hk_instance *c) {
  if (c->u->phase != HK_UNIT_INITIALIZING)
    return hki_fmi3_refuse(c, "the FMU is not in the initialization mode");
  c->u->phase = c->u->co_simulation && !c->event_mode ? HK_UNIT_RUNNING : HK_UNIT_EVENT;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, Terminate)(hk_instance *c);
FMI3(hk_fmi_status, Terminate)(hk_instance *c) {
  c->u->phase = HK_UNIT_ENDED;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, Reset)(hk_instance *c);
FMI3(hk_fmi_status, Reset)(hk_instance *c) {
  hki_unit_reset(c->u);
  return HK_FMI_OK;
}

/* --- variables -------------------------------------------------------------------------------- */

FMI3(hk_fmi_status, GetFloat64)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, double *values, size_t nvalues);
FMI3(hk_fmi_status, GetFloat64)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, double *values, size_t nvalues) {
  if (n != nvalues) return hki_fmi3_refuse(c, "all variables of this FMU are scalars");
  return hki_fmi3_told(hki_unit_get(c->u, refs, n, values));
}

FMI3(hk_fmi_status, SetFloat64)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const double *values, size_t nvalues);
FMI3(hk_fmi_status, SetFloat64)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const double *values, size_t nvalues) {
  if (n != nvalues) return hki_fmi3_refuse(c, "all variables of this FMU are scalars");
  return hki_fmi3_told(hki_unit_set(c->u, refs, n, values));
}

/* --- states ----------------------------------------------------------------------------------- */

FMI3(hk_fmi_status, GetFMUState)(hk_instance *c, saved **state);
FMI3(hk_fmi_status, GetFMUState)(hk_instance *c, saved **state) {
  const size_t size = hki_unit_state_size(c->u);
  saved *s = *state;
  if (s && s->size != size) free(s), s = NULL;
  if (!s) s = malloc(sizeof *s + size);
  *state = s;
  if (!s) return hki_fmi3_refuse(c, "out of memory");
  s->size = size;
  return hki_fmi3_told(hki_unit_state_get(c->u, s->bytes, size));
}

FMI3(hk_fmi_status, SetFMUState)(hk_instance *c, const saved *state);
FMI3(hk_fmi_status, SetFMUState)(hk_instance *c, const saved *state) {
  return state ? hki_fmi3_told(hki_unit_state_set(c->u, state->bytes, state->size))
               : hki_fmi3_refuse(c, "no state");
}

FMI3(hk_fmi_status, FreeFMUState)(hk_instance *c, saved **state);
FMI3(hk_fmi_status, FreeFMUState)(hk_instance *c, saved **state) {
  (void)c;
  if (state) free(*state), *state = NULL;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, SerializedFMUStateSize)(hk_instance *c, const saved *state, size_t *size);
FMI3(hk_fmi_status, SerializedFMUStateSize)(hk_instance *c, const saved *state, size_t *size) {
  if (!state) return hki_fmi3_refuse(c, "no state");
  *size = state->size;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, SerializeFMUState)
(hk_instance *c, const saved *state, unsigned char *bytes, size_t size);
FMI3(hk_fmi_status, SerializeFMUState)
(hk_instance *c, const saved *state, unsigned char *bytes, size_t size) {
  if (!state || size < state->size) return hki_fmi3_refuse(c, "no room for the state");
  memcpy(bytes, state->bytes, state->size);
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, DeserializeFMUState)
(hk_instance *c, const unsigned char *bytes, size_t size, saved **state);
FMI3(hk_fmi_status, DeserializeFMUState)
(hk_instance *c, const unsigned char *bytes, size_t size, saved **state) {
  saved *s = bytes ? malloc(sizeof *s + size) : NULL;
  if (!s) return hki_fmi3_refuse(c, "no bytes, or no memory for them");
  s->size = size;
  memcpy(s->bytes, bytes, size);
  free(*state);
  *state = s;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, GetDirectionalDerivative)
(hk_instance *c, const hk_fmi_reference *unknowns, size_t nunknowns, const hk_fmi_reference *knowns,
 size_t nknowns, const double *seed, size_t nseed, double *out, size_t nout);
FMI3(hk_fmi_status, GetDirectionalDerivative)
(hk_instance *c, const hk_fmi_reference *unknowns, size_t nunknowns, const hk_fmi_reference *knowns,
 size_t nknowns, const double *seed, size_t nseed, double *out, size_t nout) {
  if (nseed != nknowns || nout != nunknowns)
    return hki_fmi3_refuse(c, "all variables of this FMU are scalars");
  return hki_fmi3_told(hki_unit_slope(c->u, unknowns, nunknowns, knowns, nknowns, seed, out));
}

/* --- co-simulation ---------------------------------------------------------------------------- */

FMI3(hk_fmi_status, EnterStepMode)(hk_instance *c);
FMI3(hk_fmi_status, EnterStepMode)(hk_instance *c) {
  if (!c->u->co_simulation || !c->u->sim) return hki_fmi3_refuse(c, "there is no step mode here");
  c->u->phase = HK_UNIT_RUNNING;
  return HK_FMI_OK;
}

FMI3(hk_fmi_status, DoStep)
(hk_instance *c, double t, double h, bool no_going_back, bool *event, bool *terminate, bool *early,
 double *last);
FMI3(hk_fmi_status, DoStep)
(hk_instance *c, double t, double h, bool no_going_back, bool *event, bool *terminate, bool *early,
 double *last) {
  bool fired = false, ended = false;
  double reached = t;
  (void)no_going_back;
  *event = *terminate = *early = false, *last = t;
  if (c->u->phase != HK_UNIT_RUNNING)
    return hki_fmi3_refuse(c, "fmi3DoStep: the FMU is not in step mode");
  hk_status st = hki_unit_step(c->u, t, h, c->early && c->event_mode, &reached, &fired, &ended);
  *last = reached;
  *event = fired && c->event_mode;
  *terminate = ended;
  *early = st == HK_OK && reached < t + h && (fired || ended);
  return hki_fmi3_told(st);
}

FMI3(hk_fmi_status, GetOutputDerivatives)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const int32_t *orders, double *values,
 size_t nvalues);
FMI3(hk_fmi_status, GetOutputDerivatives)
(hk_instance *c, const hk_fmi_reference *refs, size_t n, const int32_t *orders, double *values,
 size_t nvalues) {
  (void)refs, (void)n, (void)orders, (void)values, (void)nvalues;
  return hki_fmi3_refuse(c, "outputs have no derivatives");
}
