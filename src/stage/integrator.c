/* SPDX-License-Identifier: Apache-2.0
 *
 * integrator.c: functions that all integrators share.
 */
#include <string.h>

#include "stage/stage.h"

void hki_integrator_accept(hk_integrator *I, double h) {
  size_t nv = (size_t)I->nv * sizeof(double);
  memcpy(I->q, I->q1, (size_t)I->nq * sizeof(double));
  memcpy(I->v, I->v1, nv);
  memcpy(I->a, I->a1, nv);
  memcpy(I->hist, I->hist1, nv * (size_t)I->ops->nhist);
  I->t += h;
  I->h_last = h;
}
