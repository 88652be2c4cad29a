/* SPDX-License-Identifier: Apache-2.0
 *
 * steady.c: the steady state of the scalar unknowns, F(x, 0) = 0, at a fixed mechanical state.
 *
 *   F(x, (x - x_old)/tau) = 0          backward steps, tau growing from 1e-9 s to 1e12 s
 *
 * The steps end where time would lead. Whatever storages hold and nothing drains is conserved, for
 * instance the common charge of two capacitors with a resistance between them. In the first step
 * the mechanism moves from the place of the start values to its present place (hk_net.first tells
 * the function that evaluates elements), so that a piston's displacement enters its volume. Values
 * that still change at the end do not settle (a current source into a capacitor). Near a known
 * solution Newton's method on F(x, 0) = 0 alone is tried first.
 */
#include "machines/network/network.h"

/* first and last tau in s, factor from step to step */
static const double shortest = 1e-9, longest = 1e12, growth = 10.0;

/* largest change since x_old, each divided by |x| + scale of its unknown; *whose: the unknown */
static double change(const hk_net *n, int32_t *whose) {
  double most = 0.0;
  for (int32_t i = 0; i < n->m->nx; i++) {
    const double x = n->k->x[i], e = fabs(x - n->old[i]) / (fabs(x) + n->m->unknowns[i].scale);
    if (!(e <= most)) most = e, *whose = i;
  }
  return most;
}

static void remember(hk_net *n) { memcpy(n->old, n->k->x, (size_t)n->m->nx * sizeof *n->old); }

/* one backward step of length tau; x goes back when it does not converge */
static hk_status backward(hk_net *n, double tau) {
  remember(n);
  n->shift = 1.0 / tau;
  hk_status st = hki_net_newton(n);
  if (st != HK_OK) memcpy(n->k->x, n->old, (size_t)n->m->nx * sizeof *n->old);
  return st;
}

/* Newton on F(x, 0) = 0 from the present x; x goes back when it does not converge */
static hk_status at_once(hk_net *n) {
  remember(n);
  n->shift = 0.0;
  hk_status st = hki_net_newton(n);
  if (st != HK_OK) memcpy(n->k->x, n->old, (size_t)n->m->nx * sizeof *n->old);
  return st;
}

/* the backward steps from `start`; a step that fails is repeated with a twentieth of tau */
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
    // the last correction; where it is singular, only the start determines some value
    if (st == HK_OK) end = at_once(n);
  }
  if (st == HK_OK && end != HK_E_SINGULAR) n->bad = HK_NONE;
  memset(n->k->xd, 0, (size_t)n->m->nx * sizeof *n->k->xd);
  return st;
}
