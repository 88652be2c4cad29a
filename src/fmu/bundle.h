/* SPDX-License-Identifier: Apache-2.0
 *
 * bundle.h: what an FMU holds beside its code: the model with all files it names, what it was exported
 * with, and its variables. One block of bytes, resources/model.hooke or an array in the sources:
 *
 *   hooke-fmu 1
 *   token {..}                    the guid or instantiation token
 *   model NAME                    the file to begin with
 *   set NAME VALUE                parameters that the export has set
 *   formulation NAME   integrator NAME   step X   tolerance X   option NAME VALUE
 *   time X                        end of a run of the model
 *   input START NAME   output NAME   parameter START NAME
 *   file BYTES NAME               then so many bytes and an end of line
 *   end
 */
#ifndef HK_FMU_BUNDLE_H
#define HK_FMU_BUNDLE_H

#include "hooke/sim.h"
#include "base/base.h"

#define HK_BUNDLE_FILE "model.hooke"

typedef struct hk_bundle_list {
  int32_t n, cap;
  const char **names;
  double *starts;      /* of inputs and parameters */
  const char **values; /* of sets and options */
} hk_bundle_list;

typedef struct hk_bundle_file {
  const char *name, *bytes;
  size_t len;
} hk_bundle_file;

typedef struct hk_bundle {
  const char *token, *model;
  const char *formulation, *integrator; /* NULL: as the model says */
  double step, tolerance;               /* 0: as the model says */
  double time;
  hk_bundle_list sets, options, inputs, outputs, parameters;
  int32_t nfiles, cap_files;
  hk_bundle_file *files;
} hk_bundle;

/* Reads a bundle; texts point into memory of the pool. Bytes from outside are checked. */
hk_status hki_bundle_read(hk_ctx *ctx, hk_pool *pool, const char *bytes, size_t len,
                          hk_bundle *out);
void hki_bundle_write(const hk_bundle *b, hk_text *out);
/* adds to a list, with memory of the pool */
bool hki_bundle_add(hk_pool *pool, hk_bundle_list *list, const char *name, double start,
                    const char *value);

#endif
