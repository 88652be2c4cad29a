/* SPDX-License-Identifier: Apache-2.0
 *
 * steady.c: the steady state of the scalar unknowns, F(x, 0) = 0.
 *
 * Backward steps F(x, (x - x_old)/tau) = 0 with tau growing from far below to far above any time
 * constant lead to where time would lead, at the mechanical state as it is. What storages hold and
 * nothing drains stays: the charge of two capacitors with a resistance between them is conserved.
 * In the first of these steps the mechanism comes to its place from where the start values belong
 * (hk_net.first, for whoever evaluates the elements): what a piston displaces goes into its volume.
 * Values that still change when tau is 1e12 s do not settle (a current source into a capacitor).
 * Where F(x, 0) = 0 has one solution near the values at hand, Newton's method on it is enough.
 */
#include "machines/network/network.h"

static const double shortest = 1e-9, longest = 1e12, growth = 10.0; /* s, s, a step */

/* largest change since x_old against values and scales; whose */
static double change(const hk_net *n, int32_t *whose) {
  double most = 0.0;
  for (int32_t i = 0; i < n->m->nx; i++) {
    const double x = n->k->x[i], e = fabs(x - n->old[i]) / (fabs(x) + n->m->unknowns[i].scale);
    if (!(e <= most)) most = e, *whose = i;
  }
  return most;
}

static void remember(hk_net *n) { memcpy(n->old, n->k->x, (size_t)n->m->nx * sizeof *n->old); }

/* one backward step of time tau; what does not converge is taken back */
static hk_status backward(hk_net *n, double tau) {
  remember(n);
  n->shift = 1.0 / tau;
  hk_status st = hki_net_newton(n);
  if (st != HK_OK) memcpy(n->k->x, n->old, (size_t)n->m->nx * sizeof *n->old);
  return st;
}

/* F(x, 0) = 0 from where x is */
static hk_status at_once(hk_net *n) {
  remember(n);
  n->shift = 0.0;
  hk_status st = hki_net_newton(n);
  if (st != HK_OK) memcpy(n->k->x, n->old, (size_t)n->m->nx * sizeof *n->old);
  return st;
}

static hk_status in_time(hk_net *n, const double *start) {
  double tau = shortest, moved = INFINITY;
  int32_t whose = HK_NONE, failed = 0;
  memcpy(n->k->x, start, (size_t)n->m->nx * sizeof *start);
  for (bool came = false; tau < longest;) {
    n->first = !came;
    hk_status st = backward(n, tau);
    n->first = false;
    if (st == HK_OK) {
      came = true;
      moved = change(n, &whose);
      tau *= growth;
      continue;
    }
    if (++failed > 60 || st == HK_E_MEMORY) return st;
    tau *= 0.05;
  }
  n->bad = whose;
  return moved < 1e-9 ? HK_OK : HK_E_NUMBER;
}

hk_status hki_net_steady(hk_net *n, const double *start, bool near) {
  hk_status st = near ? at_once(n) : HK_E_NUMBER, end = st;
  if (st == HK_E_NUMBER || st == HK_E_SINGULAR) {
    st = in_time(n, start);
    // the rest; where this is singular, the start decides
    if (st == HK_OK) end = at_once(n);
  }
  if (st == HK_OK && end != HK_E_SINGULAR) n->bad = HK_NONE;
  memset(n->k->xd, 0, (size_t)n->m->nx * sizeof *n->k->xd);
  return st;
}
