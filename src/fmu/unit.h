/* SPDX-License-Identifier: Apache-2.0
 *
 * unit.h: one instance of an FMU, whatever the version of the interface: a model from a bundle, its
 * simulation, and its variables by number.
 *
 * Times here are those of the model, which begin at 0; the importer's begin at `start`.
 */
#ifndef HK_FMU_UNIT_H
#define HK_FMU_UNIT_H

#include "fmu/bundle.h"
#include "fmu/fmi.h"
#include "hooke/live.h"

/* kinds of variables; a reference is kind << HK_UNIT_SHIFT | number */
enum {
  HK_UNIT_TIME = 0,
  HK_UNIT_INPUT,
  HK_UNIT_OUTPUT,
  HK_UNIT_PARAMETER,
  HK_UNIT_STATE,      /* model exchange: continuous states, */
  HK_UNIT_DERIVATIVE, /* their time derivatives */
  HK_UNIT_INDICATOR,  /* and what changes its sign at an event */
  HK_UNIT_SHIFT = 24
};

static inline hk_fmi_reference hki_unit_reference(int32_t kind, int32_t i) {
  return (hk_fmi_reference)kind << HK_UNIT_SHIFT | (hk_fmi_reference)i;
}

typedef enum hk_unit_phase {
  HK_UNIT_NEW,          /* instantiated */
  HK_UNIT_INITIALIZING, /* between the calls that enter and leave the initialization mode */
  HK_UNIT_RUNNING,
  HK_UNIT_EVENT, /* in event mode */
  HK_UNIT_ENDED  /* terminated, or failed */
} hk_unit_phase;

typedef struct hk_exchange hk_exchange; /* model exchange: exchange.h */

/* tells the importer; category: "logStatusError" ... */
typedef void hk_unit_say(void *user, hk_fmi_status status, const char *text);

typedef struct hk_unit {
  hk_ctx *ctx;
  hk_pool *pool;
  hk_bundle b;
  hk_model *model;
  hk_sim *sim; /* NULL before the initialization */
  hk_exchange *exchange;
  hk_unit_phase phase;
  bool co_simulation;
  double start, stop;          /* of the importer; stop: NAN when it is not known */
  double tolerance;            /* 0: as the bundle says */
  double *inputs;              /* present values */
  double *parameters, *loaded; /* now, and when the model was read */
  int32_t *handles;            /* of the outputs */
  bool inputs_new;             /* set since the last step */
  bool stepped;                /* inputs that are set before the first step count at once */
  int32_t told;                /* messages of the context that the importer has */
  hk_unit_say *say;
  void *user;
} hk_unit;

/* `bytes`: the bundle. NULL on failure; say has told why. Token NULL: not compared. */
hk_unit *hki_unit_create(const char *bytes, size_t len, const char *token, bool co_simulation,
                         hk_unit_say *say, void *user);
void hki_unit_destroy(hk_unit *u);

/* the model is read with the parameters that were set, and placed at its start */
hk_status hki_unit_start(hk_unit *u);
/* the model is read with these parameters, for a state that is put in */
hk_status hki_unit_make(hk_unit *u);
/* as after hki_unit_create */
void hki_unit_reset(hk_unit *u);

/* how many variables of a kind of model exchange there are, also before the start */
hk_status hki_unit_count(hk_unit *u, int32_t kind, size_t *n);

hk_status hki_unit_get(hk_unit *u, const hk_fmi_reference *refs, size_t n, double *values);
hk_status hki_unit_set(hk_unit *u, const hk_fmi_reference *refs, size_t n, const double *values);

/* Co-simulation: from t by h, in time of the importer. *reached: where it is then; *event: an event has
 * changed the model there; early: end there. *ended: an event of the model has ended the run. */
hk_status hki_unit_step(hk_unit *u, double t, double h, bool early, double *reached, bool *event,
                        bool *ended);

/* The whole state as bytes: of the simulation with its histories, inputs, parameters, phase. */
size_t hki_unit_state_size(hk_unit *u);
hk_status hki_unit_state_get(hk_unit *u, void *bytes, size_t size);
hk_status hki_unit_state_set(hk_unit *u, const void *bytes, size_t size);

/* out = sum over the knowns of d unknown / d known * seed: of outputs and derivatives by inputs and states */
hk_status hki_unit_slope(hk_unit *u, const hk_fmi_reference *unknowns, size_t nunknowns,
                         const hk_fmi_reference *knowns, size_t nknowns, const double *seed,
                         double *out);

/* messages of the context that the importer has not seen yet */
void hki_unit_tell(hk_unit *u, hk_status status);
/* a message of the unit's own; returns HK_E_USAGE */
hk_status hki_unit_misuse(hk_unit *u, const char *text);
/* model exchange: at these states there are no numbers; the importer may try others. Returns HK_FMI_DISCARD */
hk_fmi_status hki_unit_discard(hk_unit *u);

#endif
