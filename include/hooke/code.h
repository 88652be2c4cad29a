/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/code.h: models as programs in C: one file and one header that need no library but libm, no heap and no
 * operating system, for controllers, firmware and runs of one model many times.
 *
 * The program is what is left of the library's own steps when everything that does not depend on the state has been
 * carried out: formulation, integrator and step are fixed, and parameters but for those that are kept.
 */
#ifndef HOOKE_CODE_H
#define HOOKE_CODE_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What goes into a program. Always start from hk_code_options_def(). */
typedef struct hk_code_options {
  uint32_t size;             /**< of this struct in bytes; hk_code_options_def() fills it in */
  int32_t ninputs;           /**< how many inputs are named */
  const hk_sim_options *sim; /**< methods and step; NULL: as the model file says */
  const hk_set *sets;        /**< parameters to change, `nsets` of them */
  int32_t nsets;             /**< how many */
  int32_t noutputs;          /**< how many outputs are named */
  const char *const *inputs; /**< `ninputs` names of inputs; NULL: all of the model */
  const char *const
      *outputs;     /**< `noutputs` channels or patterns; NULL: those that the model records */
  const char *name; /**< prefix of all names in it; NULL: from the name of the output */
  bool single;      /**< FILE.cu: numbers of single precision, where the default is double */
  const char *const
      *keep;     /**< `nkeep` names of parameters that stay variables; NULL: all are constants */
  int32_t nkeep; /**< how many */
} hk_code_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_code_options_init(hk_code_options *opt, uint32_t size);

/** Options with their defaults.
 * @return the options */
static inline hk_code_options hk_code_options_def(void) {
  hk_code_options opt;
  hk_code_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** What a program has become. */
typedef struct hk_code_report {
  uint32_t size;   /**< of this struct, as the caller knows it */
  int32_t inputs;  /**< how many */
  int32_t outputs; /**< how many */
  int32_t states;  /**< numbers of its state */
  int32_t
      operations; /**< in one step: those before and after an iteration, and those of one turn of it */
  int32_t branches;   /**< of the library's step that depend on the state */
  int64_t bytes;      /**< of the C file */
  int32_t parameters; /**< that stay variables */
} hk_code_report;

/** Write a model as a program in C.
 * @param ctx the context
 * @param model path of the model file
 * @param output path of the C file, FILE.c; the header is FILE.h beside it. FILE.cu: kernels for graphics processors instead,
 *   in CUDA C++, one thread a world
 * @param opt what goes into it; NULL: the defaults
 * @param report what it has become; may be NULL
 * @return HK_OK, HK_E_USAGE (an unknown name), HK_E_MODEL (also what a program of fixed size cannot do, by name),
 *   HK_E_ASSEMBLY, HK_E_FILE (also where the library was built without the kernel for it), HK_E_MEMORY */
HK_API hk_status hk_code_export(hk_ctx *ctx, const char *model, const char *output,
                                const hk_code_options *opt, hk_code_report *report);

#ifdef __cplusplus
}
#endif
#endif
