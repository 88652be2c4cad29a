/* SPDX-License-Identifier: Apache-2.0
 *
 * tableaux.h: the coefficients of the diagonally implicit Runge-Kutta methods, from tableaux.def.
 */
#ifndef HK_INTEGRATORS_TABLEAUX_H
#define HK_INTEGRATORS_TABLEAUX_H

#include "base/base.h"

enum { HK_STAGES_MAX = 2 };

typedef struct hk_tableau {
  const char *name;
  int32_t stages, order;
  bool a_stable, l_stable;
  bool stiffly_accurate; /* the last stage is the result */
  double A[HK_STAGES_MAX * HK_STAGES_MAX], b[HK_STAGES_MAX], c[HK_STAGES_MAX];
} hk_tableau;

int32_t hki_tableau_count(void);
const hk_tableau *hki_tableau_at(int32_t i);

#endif
