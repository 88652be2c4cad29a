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
  const char *as;   /* what is made of it, in messages */
  bool audited;     /* the energy audit is among the outputs, behind those that were asked for */
  int32_t asked;    /* how many these are */
  hk_model *model;
  hk_sim *sim;
  hk_bundle bundle;
  hk_fmu_description d;
  hk_text data; /* the bundle as bytes */
} hk_fmu_job;

/* Jobs begin and end; between, the model is loaded with what the export asks for (export.c). */
hk_status hki_fmu_options_check(hk_ctx *ctx, const char *function, const hk_fmu_options *opt);
hk_status hki_fmu_begin(hk_ctx *ctx, const char *model, const hk_fmu_options *opt, hk_fmu_job *j);
hk_status hki_fmu_prepare(hk_fmu_job *j);
void hki_fmu_end(hk_fmu_job *j);
/* Reads a file that lies beside the library, or where the variable `given` of the environment says; path: where it was. */
hk_status hki_kernel_read(hk_ctx *ctx, const char *file, const char *given, char *path, size_t cap,
                          char **bytes, size_t *len);
/* channels of the energy audit, a list that ends with NULL (export_variables.c) */
extern const char *const hki_export_audit[];
/* inputs, outputs and parameters: their names in the bundle, units and texts in the description */
hk_status hki_fmu_variables(hk_fmu_job *j);
/* the model and the files that it names, into the bundle; then its bytes and the token */
hk_status hki_fmu_bundle(hk_fmu_job *j);
/* the kernel (program and sources) beside the library, and all other files, into the archive */
hk_status hki_fmu_files(hk_fmu_job *j, hk_archive_writer *w);

#endif
