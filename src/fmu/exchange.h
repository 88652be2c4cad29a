/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange.h: model exchange: the model as an ordinary differential equation
 *
 *   x' = f(t, x, u)      y = g(t, x, u)
 *
 * x: coordinates q and velocities v of the spanning tree as programs know them (hooke/eval.h), values of
 * networks that are not solved for, and private states of laws. f: the accelerations of the formulation,
 * with the constraints of loops at the level of accelerations; at events the state is put back onto the
 * loops. Quaternions follow q' = q (0, w) / 2.
 */
#ifndef HK_FMU_EXCHANGE_H
#define HK_FMU_EXCHANGE_H

#include "fmu/unit.h"

/* why a model cannot be exchanged, only simulated; NULL: it can */
const char *hki_exchange_refuses(hk_sim *s);

/* of the unit's simulation, at its start */
hk_status hki_exchange_create(hk_unit *u, hk_exchange **out);
void hki_exchange_destroy(hk_exchange *e);

/* variables of the kinds from HK_UNIT_STATE on: how many, and their values; outputs too */
int32_t hki_exchange_count(const hk_exchange *e, int32_t kind);
hk_status hki_exchange_get(hk_exchange *e, const hk_fmi_reference *refs, size_t n, double *values);
void hki_exchange_put(hk_exchange *e, int32_t state, double value);
const char *hki_exchange_name(const hk_exchange *e, int32_t kind, int32_t i);
const char *hki_exchange_unit(const hk_exchange *e, int32_t kind, int32_t i);

/* the numbers that are its state: time, x and what belongs to them; how many (0 for NULL) */
double *hki_exchange_numbers(hk_exchange *e);
int32_t hki_exchange_size(const hk_exchange *e);
/* inputs, time or states have changed */
void hki_exchange_stale(hk_exchange *e);

void hki_exchange_time(hk_exchange *e, double t); /* of the model */
/* all of one kind: states, derivatives, indicators, and nominal values of states */
hk_status hki_exchange_all(hk_exchange *e, int32_t kind, double *values);
void hki_exchange_states(hk_exchange *e, const double *x);
void hki_exchange_nominals(const hk_exchange *e, double *values);

/* what happens in event mode: events of the model, loops closed again, the next jump of a signal. Times in
 * `out` are the model's. */
hk_status hki_exchange_update(hk_exchange *e, hk_fmi2_event *out);
/* the importer has accepted a step; *event: the event mode is wanted */
hk_status hki_exchange_accept(hk_exchange *e, bool *event);

#endif
