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
  bool
      no_packs; /**< FILE.c: operations one by one; else like ones are carried out two or four at a time */
  int32_t
      warps; /**< FILE.cu: how many warps of 32 threads share the steps of 32 worlds, 2 to 8; 0, 1: each thread has a world of its
                      own */
  bool
      main; /**< FILE.c: also main.c beside it, a program that goes to the end of the run and prints the object of `hooke run --json` */
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
 * @param output path of the C file, FILE.c; the header is FILE.h beside it, with `main` also main.c. FILE.cu: kernels for graphics processors instead,
 *   in CUDA C++, one thread a world
 * @param opt what goes into it; NULL: the defaults
 * @param report what it has become; may be NULL
 * @return HK_OK, HK_E_USAGE (an unknown name), HK_E_MODEL (also what a program of fixed size cannot do, by name),
 *   HK_E_ASSEMBLY, HK_E_FILE (also where the library was built without the kernel for it), HK_E_MEMORY */
HK_API hk_status hk_code_export(hk_ctx *ctx, const char *model, const char *output,
                                const hk_code_options *opt, hk_code_report *report);

/* --- runs ------------------------------------------------------------------------------------- */

/** Who takes the steps of a simulation. */
typedef struct hk_compile_report {
  uint32_t size;   /**< of this struct, as the caller knows it */
  int32_t asked;   /**< 1: hk_sim_compile() was called */
  int32_t used;    /**< 1: a compiled program takes the steps; 0: the library does, see `why` */
  int32_t cached;  /**< 1: the program was compiled before and was taken from the folder of these */
  double seconds;  /**< that making or finding it took, s */
  int64_t steps;   /**< steps that it has taken */
  int64_t refused; /**< steps that it could not take, and the library has */
  const char *compiler; /**< the compiler's first line about itself; "": none was asked */
  const char *why;      /**< why the library takes the steps; "": it does not */
} hk_compile_report;

/** From now on a program that is compiled for this model takes the steps of a simulation, where that can be. The results are those of the
 * library to round-off, with the same iterations; audit and channels are the same. The compiler is $HOOKE_CC, else $CC, cc, gcc, clang or
 * tcc; what it makes is kept in $HOOKE_CACHE, else $XDG_CACHE_HOME/hooke, else ~/.cache/hooke, for the next simulation of the same model
 * with the same methods, parameters and step. Events, stops and the like stay with the library: then, and where there is no compiler or it
 * fails, the library goes on as before, and hk_sim_compiled() says why.
 * @param s the simulation, at any time between steps
 * @param limit_s seconds that the compiler may take; 0: 120
 * @return HK_OK, also where the library goes on; HK_INTERRUPTED, HK_E_MEMORY */
HK_API hk_status hk_sim_compile(hk_sim *s, double limit_s);

/** Who takes the steps of a simulation.
 * @param s the simulation, which owns the texts of the report
 * @param report its `size` filled in
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_sim_compiled(const hk_sim *s, hk_compile_report *report);

#ifdef __cplusplus
}
#endif
#endif
