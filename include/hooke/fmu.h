/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/fmu.h: models as FMUs, for other simulators: co-simulation and model exchange of the Functional
 * Mock-up Interface 2.0 and 3.0.
 *
 * An FMU holds the model with all files that it names, the library as a program for Linux, and its C
 * sources. Its variables are inputs of the model, channels as outputs, and parameters.
 */
#ifndef HOOKE_FMU_H
#define HOOKE_FMU_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What goes into an FMU. Always start from hk_fmu_options_def(). */
typedef struct hk_fmu_options {
  uint32_t size;             /**< of this struct in bytes; hk_fmu_options_def() fills it in */
  int32_t version;           /**< of the interface: 2 (default) or 3 */
  const hk_sim_options *sim; /**< methods, step, time; NULL: as the model file says */
  const hk_set *sets;        /**< parameters to change, `nsets` of them */
  int32_t nsets;             /**< how many */
  const char *const
      *inputs;     /**< `ninputs` names of inputs, NAME or NAME:UNIT; NULL: all of the model */
  int32_t ninputs; /**< how many */
  const char *const
      *outputs;     /**< `noutputs` channels or patterns; NULL: those that the model records */
  int32_t noutputs; /**< how many */
  const char *const
      *parameters; /**< `nparameters` names of parameters, NAME or NAME:UNIT; NULL: all numbers */
  int32_t nparameters; /**< how many */
  int32_t only;        /**< 0: all that the model allows; 1: co-simulation, 2: model exchange */
  int32_t no_binary;   /**< 1: without the program */
  int32_t no_sources;  /**< 1: without the sources */
  const char *name;    /**< the model identifier, a name in C; NULL: from the file's name */
} hk_fmu_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_fmu_options_init(hk_fmu_options *opt, uint32_t size);

/** Options with their defaults: version 2, everything in it.
 * @return the options */
static inline hk_fmu_options hk_fmu_options_def(void) {
  hk_fmu_options opt;
  hk_fmu_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** What an FMU has become. */
typedef struct hk_fmu_report {
  uint32_t size;         /**< of this struct, as the caller knows it */
  int32_t inputs;        /**< how many */
  int32_t outputs;       /**< how many */
  int32_t parameters;    /**< how many */
  int32_t states;        /**< continuous states of model exchange; 0 without it */
  int32_t co_simulation; /**< 1: it has co-simulation */
  int32_t exchange;      /**< 1: it has model exchange */
  int64_t bytes;         /**< of the file */
} hk_fmu_report;

/** Write a model as an FMU.
 * @param ctx the context; notes say what the FMU lacks, and why
 * @param model path of the model file
 * @param output path of the FMU, which is written whole or not at all
 * @param opt what goes into it; NULL: the defaults
 * @param report what it has become; may be NULL
 * @return HK_OK, HK_E_USAGE (an unknown name), HK_E_MODEL, HK_E_ASSEMBLY, HK_E_FILE */
HK_API hk_status hk_fmu_export(hk_ctx *ctx, const char *model, const char *output,
                               const hk_fmu_options *opt, hk_fmu_report *report);

/** Let models of a context load the FMUs that they name (section `fmus`). An FMU is a program of others,
 * which runs in a process of its own: one that crashes or hangs ends the run, not the caller.
 * @param ctx the context
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_fmu_allow(hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
