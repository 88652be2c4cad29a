/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.h: modelDescription.xml of an FMU, and buildDescription.xml of its sources.
 */
#ifndef HK_FMI_DESCRIBE_H
#define HK_FMI_DESCRIBE_H

#include "fmu/unit.h"

typedef struct hk_fmu_variable {
  const char *name, *unit, *text; /* unit "": none */
  double start;                   /* of inputs and parameters */
} hk_fmu_variable;

/* all that the description of an FMU says */
typedef struct hk_fmu_description {
  int32_t version; /* 2 or 3 */
  const char *name, *identifier, *token, *title;
  bool co_simulation, exchange, sources;
  int32_t ninputs, noutputs, nparameters, nstates, nindicators;
  hk_fmu_variable *inputs, *outputs, *parameters, *states, *derivatives, *indicators;
  const char *const *files; /* nfiles: C files below sources/ */
  int32_t nfiles;
  double time, step, tolerance; /* of the default experiment */
} hk_fmu_description;

void hki_fmu_describe(const hk_fmu_description *d, hk_text *out);
void hki_fmu_describe_build(const hk_fmu_description *d, hk_text *out);
/* exponents of kg m s A K mol cd rad in a unit such as "N*m/rad"; false: it is none that is known */
bool hki_fmu_unit(const char *unit, int32_t *exponents);

#endif
