/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi2.c: the functions of the Functional Mock-up Interface 2.0 over unit.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "entry/fmi2.h"
#include "simulation/simulation.h"

/* a state that was saved: its size, then its bytes */
typedef struct saved {
  size_t size;
  unsigned char bytes[];
} saved;

static void say(void *user, hk_fmi_status status, const char *text) {
  const hk_component *c = user;
  if (!c->call.logger || (!c->logging && status < HK_FMI_ERROR)) return;
  c->call.logger(c->call.environment, c->name, status,
                 status >= HK_FMI_ERROR ? "logStatusError" : "logStatusWarning", "%s", text);
}

static hk_fmi_status told(hk_status st) {
  return st == HK_OK ? HK_FMI_OK : st == HK_E_MEMORY ? HK_FMI_FATAL : HK_FMI_ERROR;
}

static hk_fmi_status refuse(hk_component *c, const char *why) {
  if (c) say(c, HK_FMI_ERROR, why);
  return HK_FMI_ERROR;
}

/* --- life ------------------------------------------------------------------------------------- */

FMI2(const char *, GetTypesPlatform)(void);
FMI2(const char *, GetTypesPlatform)(void) { return "default"; }

FMI2(const char *, GetVersion)(void);
FMI2(const char *, GetVersion)(void) { return "2.0"; }

FMI2(void *, Instantiate)
(const char *name, hk_fmi2_type type, const char *guid, const char *resources,
 const hk_fmi2_callbacks *callbacks, int visible, int logging);
FMI2(void *, Instantiate)
(const char *name, hk_fmi2_type type, const char *guid, const char *resources,
 const hk_fmi2_callbacks *callbacks, int visible, int logging) {
  (void)visible;
  const char *known = name ? name : "";
  hk_component *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  if (callbacks) c->call = *callbacks;
  c->logging = logging != 0;
  c->name = malloc(strlen(known) + 1);
  if (c->name) {
    memcpy(c->name, known, strlen(known) + 1);
    if (guid)
      c->u = hki_unit_open(resources, guid, type == HK_FMI2_CO_SIMULATION, say, c);
    else
      refuse(c, "fmi2Instantiate: no guid");
  }
  if (c->u) return c;
  free(c->name);
  free(c);
  return NULL;
}

FMI2(void, FreeInstance)(hk_component *c);
FMI2(void, FreeInstance)(hk_component *c) {
  if (!c) return;
  hki_unit_destroy(c->u);
  free(c->name);
  free(c);
}

FMI2(hk_fmi_status, SetDebugLogging)
(hk_component *c, int on, size_t n, const char *const *categories);
FMI2(hk_fmi_status, SetDebugLogging)
(hk_component *c, int on, size_t n, const char *const *categories) {
  (void)n, (void)categories;
  c->logging = on != 0;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, SetupExperiment)
(hk_component *c, int tolerance_defined, double tolerance, double start, int stop_defined,
 double stop);
FMI2(hk_fmi_status, SetupExperiment)
(hk_component *c, int tolerance_defined, double tolerance, double start, int stop_defined,
 double stop) {
  if (c->u->phase != HK_UNIT_NEW)
    return refuse(c, "fmi2SetupExperiment comes before the initialization");
  if (!isfinite(start) || (stop_defined && !(stop > start)))
    return refuse(c, "fmi2SetupExperiment: the stop time must lie behind the start time");
  c->u->start = start;
  c->u->stop = stop_defined ? stop : NAN;
  c->u->tolerance = tolerance_defined ? tolerance : 0.0;
  c->last = start;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, EnterInitializationMode)(hk_component *c);
FMI2(hk_fmi_status, EnterInitializationMode)(hk_component *c) { return told(hki_unit_start(c->u)); }

FMI2(hk_fmi_status, ExitInitializationMode)(hk_component *c);
FMI2(hk_fmi_status, ExitInitializationMode)(hk_component *c) {
  if (c->u->phase != HK_UNIT_INITIALIZING)
    return refuse(c, "the FMU is not in the initialization mode");
  c->u->phase = c->u->co_simulation ? HK_UNIT_RUNNING : HK_UNIT_EVENT;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, Terminate)(hk_component *c);
FMI2(hk_fmi_status, Terminate)(hk_component *c) {
  c->u->phase = HK_UNIT_ENDED;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, Reset)(hk_component *c);
FMI2(hk_fmi_status, Reset)(hk_component *c) {
  hki_unit_reset(c->u);
  c->ended = false;
  return HK_FMI_OK;
}

/* --- variables -------------------------------------------------------------------------------- */

FMI2(hk_fmi_status, GetReal)
(hk_component *c, const hk_fmi_reference *refs, size_t n, double *values);
FMI2(hk_fmi_status, GetReal)
(hk_component *c, const hk_fmi_reference *refs, size_t n, double *values) {
  return told(hki_unit_get(c->u, refs, n, values));
}

FMI2(hk_fmi_status, SetReal)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const double *values);
FMI2(hk_fmi_status, SetReal)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const double *values) {
  return told(hki_unit_set(c->u, refs, n, values));
}

/* all variables are real */
#define NO_OTHERS(name, type)                                                                      \
  FMI2(hk_fmi_status, name)                                                                        \
  (hk_component * c, const hk_fmi_reference *refs, size_t n, type values);                         \
  FMI2(hk_fmi_status, name)                                                                        \
  (hk_component * c, const hk_fmi_reference *refs, size_t n, type values) {                        \
    (void)refs, (void)values;                                                                      \
    return n ? refuse(c, "all variables of this FMU are real") : HK_FMI_OK;                        \
  }
NO_OTHERS(GetInteger, int *)
NO_OTHERS(SetInteger, const int *)
NO_OTHERS(GetBoolean, int *)
NO_OTHERS(SetBoolean, const int *)
NO_OTHERS(GetString, const char **)
NO_OTHERS(SetString, const char *const *)

/* --- states ----------------------------------------------------------------------------------- */

FMI2(hk_fmi_status, GetFMUstate)(hk_component *c, saved **state);
FMI2(hk_fmi_status, GetFMUstate)(hk_component *c, saved **state) {
  const size_t size = hki_unit_state_size(c->u);
  saved *s = *state;
  if (s && s->size != size) free(s), s = NULL;
  if (!s) s = malloc(sizeof *s + size);
  *state = s;
  if (!s) return refuse(c, "out of memory");
  s->size = size;
  return told(hki_unit_state_get(c->u, s->bytes, size));
}

FMI2(hk_fmi_status, SetFMUstate)(hk_component *c, const saved *state);
FMI2(hk_fmi_status, SetFMUstate)(hk_component *c, const saved *state) {
  if (!state) return refuse(c, "no state");
  hk_status st = hki_unit_state_set(c->u, state->bytes, state->size);
  if (st == HK_OK) c->last = c->u->start + (c->u->sim ? hk_sim_time(c->u->sim) : 0.0);
  c->ended = st == HK_OK && c->u->sim && hki_sim_ended(c->u->sim);
  return told(st);
}

FMI2(hk_fmi_status, FreeFMUstate)(hk_component *c, saved **state);
FMI2(hk_fmi_status, FreeFMUstate)(hk_component *c, saved **state) {
  (void)c;
  if (state) free(*state), *state = NULL;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, SerializedFMUstateSize)(hk_component *c, const saved *state, size_t *size);
FMI2(hk_fmi_status, SerializedFMUstateSize)(hk_component *c, const saved *state, size_t *size) {
  if (!state) return refuse(c, "no state");
  *size = state->size;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, SerializeFMUstate)
(hk_component *c, const saved *state, char *bytes, size_t size);
FMI2(hk_fmi_status, SerializeFMUstate)
(hk_component *c, const saved *state, char *bytes, size_t size) {
  if (!state || size < state->size) return refuse(c, "no room for the state");
  memcpy(bytes, state->bytes, state->size);
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, DeSerializeFMUstate)
(hk_component *c, const char *bytes, size_t size, saved **state);
FMI2(hk_fmi_status, DeSerializeFMUstate)
(hk_component *c, const char *bytes, size_t size, saved **state) {
  saved *s = bytes ? malloc(sizeof *s + size) : NULL;
  if (!s) return refuse(c, "no bytes, or no memory for them");
  s->size = size;
  memcpy(s->bytes, bytes, size);
  free(*state);
  *state = s;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, GetDirectionalDerivative)
(hk_component *c, const hk_fmi_reference *unknowns, size_t nunknowns,
 const hk_fmi_reference *knowns, size_t nknowns, const double *seed, double *out);
FMI2(hk_fmi_status, GetDirectionalDerivative)
(hk_component *c, const hk_fmi_reference *unknowns, size_t nunknowns,
 const hk_fmi_reference *knowns, size_t nknowns, const double *seed, double *out) {
  return told(hki_unit_slope(c->u, unknowns, nunknowns, knowns, nknowns, seed, out));
}

/* --- co-simulation ---------------------------------------------------------------------------- */

FMI2(hk_fmi_status, DoStep)(hk_component *c, double t, double h, int no_going_back);
FMI2(hk_fmi_status, DoStep)(hk_component *c, double t, double h, int no_going_back) {
  bool event;
  (void)no_going_back;
  if (c->u->phase != HK_UNIT_RUNNING) return refuse(c, "fmi2DoStep: the FMU is not running");
  hk_status st = hki_unit_step(c->u, t, h, false, &c->last, &event, &c->ended);
  // the run ended at an event of the model, within the step
  if (st == HK_OK && c->ended && c->last < t + h) return HK_FMI_DISCARD;
  return told(st);
}

FMI2(hk_fmi_status, CancelStep)(hk_component *c);
FMI2(hk_fmi_status, CancelStep)(hk_component *c) { return refuse(c, "no step is under way"); }

FMI2(hk_fmi_status, SetRealInputDerivatives)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const int *order, const double *values);
FMI2(hk_fmi_status, SetRealInputDerivatives)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const int *order, const double *values) {
  (void)refs, (void)n, (void)order, (void)values;
  return refuse(c, "inputs have no derivatives: write 'extrapolate: linear' in the model");
}

FMI2(hk_fmi_status, GetRealOutputDerivatives)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const int *order, double *values);
FMI2(hk_fmi_status, GetRealOutputDerivatives)
(hk_component *c, const hk_fmi_reference *refs, size_t n, const int *order, double *values) {
  (void)refs, (void)n, (void)order, (void)values;
  return refuse(c, "outputs have no derivatives");
}

FMI2(hk_fmi_status, GetStatus)(hk_component *c, hk_fmi2_asks what, hk_fmi_status *value);
FMI2(hk_fmi_status, GetStatus)(hk_component *c, hk_fmi2_asks what, hk_fmi_status *value) {
  (void)c, (void)what;
  *value = HK_FMI_OK;
  return HK_FMI_DISCARD;
}

FMI2(hk_fmi_status, GetRealStatus)(hk_component *c, hk_fmi2_asks what, double *value);
FMI2(hk_fmi_status, GetRealStatus)(hk_component *c, hk_fmi2_asks what, double *value) {
  if (what != HK_FMI2_LAST_TIME) return HK_FMI_DISCARD;
  *value = c->last;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, GetIntegerStatus)(hk_component *c, hk_fmi2_asks what, int *value);
FMI2(hk_fmi_status, GetIntegerStatus)(hk_component *c, hk_fmi2_asks what, int *value) {
  (void)c, (void)what, (void)value;
  return HK_FMI_DISCARD;
}

FMI2(hk_fmi_status, GetBooleanStatus)(hk_component *c, hk_fmi2_asks what, int *value);
FMI2(hk_fmi_status, GetBooleanStatus)(hk_component *c, hk_fmi2_asks what, int *value) {
  if (what != HK_FMI2_TERMINATED) return HK_FMI_DISCARD;
  *value = c->ended;
  return HK_FMI_OK;
}

FMI2(hk_fmi_status, GetStringStatus)(hk_component *c, hk_fmi2_asks what, const char **value);
FMI2(hk_fmi_status, GetStringStatus)(hk_component *c, hk_fmi2_asks what, const char **value) {
  (void)c, (void)what;
  *value = "";
  return HK_FMI_DISCARD;
}
