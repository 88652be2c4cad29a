/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_numbers.c: all numbers that a step changes and a later step, the audit or a channel reads, as blocks in a fixed order. A program
 * that takes steps in the place of the library (codegen) knows each number of its state by block and place.
 */
#include "simulation/stepper.h"

int32_t hki_sim_numbers(hk_sim *s, hk_numbers *out) {
  hk_integrator *I = &s->I;
  hk_audit *a = &s->audit;
  hk_watch *w = &a->watch;
  double *block;
  int32_t n, k = 0;
#define BLOCK(x, count) out[k++] = (hk_numbers){x, count}
  BLOCK(&I->t, 1);
  BLOCK(I->q, I->nq);
  BLOCK(I->v, I->nv);
  BLOCK(I->a, I->nv);
  BLOCK(I->hist, I->ops->nhist * I->nv);
  BLOCK(&I->h_last, 1);
  BLOCK(&s->newton.rate.first, HK_RATE_KEPT);
  s->f->ops->persistent(s->f, &block, &n);
  BLOCK(block, n);
  BLOCK(s->kin->disc.block, s->kin->disc.n);
  BLOCK(s->signs, HK_SIGN_SIZE * (s->m->nb + s->m->nj));
  // the audit
  BLOCK(&a->kinetic, 11);
  BLOCK(&w->kinetic, 19);
  BLOCK(s->trend, I->nv);
  BLOCK(&s->trend_h, 1);
  BLOCK(s->work.book, 2 * s->work.n);
  BLOCK(s->work.state[s->work.now], s->work.nstate);
  BLOCK(&s->work.h, 1);
  BLOCK(s->jump_q, s->m->nq);
  BLOCK(s->jump_v, s->m->nv);
#undef BLOCK
  HK_ASSERT(k <= HK_NUMBERS);
  return k;
}
