/* SPDX-License-Identifier: Apache-2.0
 *
 * export.h: the parts of an export: what the FMU says of itself (export_variables.c) and the files in it
 * (export_files.c).
 */
#ifndef HK_FMI_EXPORT_H
#define HK_FMI_EXPORT_H

#include "fmi/archive.h"
#include "fmi/describe.h"
#include "hooke/fmu.h"
#include "simulation/live.h"

typedef struct hk_fmu_job {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_fmu_options *opt;
  const char *path; /* of the model */
  hk_model *model;
  hk_sim *sim;
  hk_bundle bundle;
  hk_fmu_description d;
  hk_text data; /* the bundle as bytes */
} hk_fmu_job;

/* inputs, outputs and parameters: their names in the bundle, units and texts in the description */
hk_status hki_fmu_variables(hk_fmu_job *j);
/* the model and the files that it names, into the bundle; then its bytes and the token */
hk_status hki_fmu_bundle(hk_fmu_job *j);
/* the kernel (program and sources) beside the library, and all other files, into the archive */
hk_status hki_fmu_files(hk_fmu_job *j, hk_archive_writer *w);

#endif
