/* SPDX-License-Identifier: Apache-2.0
 *
 * external.h: external forces on bodies and surfaces (`external:`), given by another program that sees their motion.
 */
#ifndef HK_SIMULATION_EXTERNAL_H
#define HK_SIMULATION_EXTERNAL_H

#include "simulation/peer.h"

/* Waits for the other programs of the model and makes them peers. */
hk_status hki_external_connect(hk_sim *s);
/* `"external": {..}, ` of the run's JSON */
void hki_external_json(const hk_sim *s, hk_text *t);
/* after their peers have been closed */
void hki_external_free(hk_sim *s);

#endif
