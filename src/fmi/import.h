/* SPDX-License-Identifier: Apache-2.0
 *
 * import.h: FMUs of other tools inside a model (section `fmus`), co-simulation of FMI 2.0 and 3.0.
 *
 * The archive is unpacked into a folder of its own, which goes with the simulation. The program runs in a
 * process of its own (import_host.c): one that crashes or hangs ends the run by name, with its results. It is a peer of
 * the simulation (simulation/peer.h):
 *
 *   explicit  before each step its inputs get the channels there, it makes the step, and what it gives holds
 *             over the step of the model
 *   sampled   the same, and the model's inputs jump to what it gives: a controller that samples and holds
 *   iterate   in each iteration it goes back to the beginning of the step and makes it with the channels at
 *             its end, until what it gives does not change any more
 */
#ifndef HK_FMI_IMPORT_H
#define HK_FMI_IMPORT_H

#include "base/base.h"

/* what modelDescription.xml says, as far as a model needs it */
typedef struct hk_import_variable {
  const char *name, *causality;
  uint32_t reference;
  bool real;
} hk_import_variable;

typedef struct hk_import {
  int32_t version; /* 2 or 3 */
  const char *token, *identifier;
  bool saves;      /* its state can be saved */
  bool needs_tool; /* it starts the tool that made it, which must be installed */
  int32_t n, cap;
  hk_import_variable *variables;
} hk_import;

/* reads modelDescription.xml; path: for messages. Memory of the pool. */
hk_status hki_import_describe(hk_ctx *ctx, hk_pool *pool, const char *path, const char *text,
                              size_t len, hk_import *out);

/* --- the process of an FMU (import_host.c) ------------------------------------------------------- */

/* what it is started with */
typedef struct hk_host_job {
  const char *library, *resources, *token, *name;
  int32_t version, nin, nout, npar;
  const uint32_t *in, *out, *par;
  const double *value; /* npar */
  double end;          /* of the run */
} hk_host_job;

typedef struct hk_host {
  int fd;   /* -1: none */
  long pid; /* of the process */
  double timeout;
  char words[500]; /* why the last call failed */
} hk_host;

enum { HK_HOST_LOOK, HK_HOST_STEP, HK_HOST_SAVE, HK_HOST_BACK };

hk_status hki_host_start(hk_host *h, const hk_host_job *job, double timeout);
/* One call. y: nin inputs, u: nout outputs. LOOK: outputs at the present time; STEP: from t by dt, then
 * outputs; SAVE, BACK: the state is kept, and taken again. */
hk_status hki_host_call(hk_host *h, const hk_host_job *job, int32_t what, double t, double dt,
                        const double *y, double *u);
void hki_host_end(hk_host *h);

#endif
