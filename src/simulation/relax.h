/* SPDX-License-Identifier: Apache-2.0
 *
 * relax.h: forces that two programs iterate on. f is what one of them acts with, F(f) what the other answers to
 * the motion under f; wanted is F(f) = f. See relax.c.
 */
#ifndef HK_SIMULATION_RELAX_H
#define HK_SIMULATION_RELAX_H

#include "base/base.h"

typedef enum hk_relax_kind { HK_RELAX_NEWTON, HK_RELAX_AITKEN, HK_RELAX_CONSTANT } hk_relax_kind;

enum { HK_RELAX_COLUMNS = 12 };

typedef struct hk_relax {
  hk_relax_kind kind;
  int32_t n;     /* forces */
  double factor; /* of the first answer, and of all with HK_RELAX_CONSTANT */
  double last;   /* Aitken's factor */
  int32_t count; /* answers of this step */
  int32_t columns;
  double *r, *F;   /* n: residual and answer before */
  double *dr, *dF; /* columns of n: differences of both */
} hk_relax;

hk_status hki_relax_init(hk_relax *x, hk_ctx *ctx, hk_relax_kind kind, double factor, int32_t n);
void hki_relax_free(hk_relax *x, hk_ctx *ctx);
/* a step is tried */
void hki_relax_begin(hk_relax *x);
/* f, which the answer F belongs to -> the next f */
void hki_relax_next(hk_relax *x, const double *F, double *f);

#endif
