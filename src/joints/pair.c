/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.c: the rotational scalars as sums of direction terms weight * a . b, a an axis of A, b a
 * direction of B; and functions that several scalars share.
 *
 *   axial vector of A'B   component k: (a_j . b_i - a_i . b_j) / 2      i, j = k+1, k+2 cyclic
 *   twist about z         atan2(a_y . b_x - a_x . b_y, a_x . b_x + a_y . b_y)
 *                         = 2 atan2(q_z, q_w) of the relative quaternion, smooth also where the
 *                         axes of A and B differ
 *   universal, about z    atan2(a_y . n, a_x . n)       n = (sin psi, 0, cos psi) in B, axis2
 *   universal, axis2      atan2(a_z . b_y, a_z . e)     e = (-cos psi, 0, sin psi) in B
 */
#include "joints/pair.h"

void hki_pair_axes(hk_pair *P) {
  if (P->have_axes) return;
  for (int k = 0; k < 3; k++) {
    m3_column(P->a[k], P->A->R, k);
    m3_column(P->b[k], P->B->R, k);
  }
  P->have_axes = true;
}

void hki_pair_log(hk_pair *P) {
  if (P->have_log) return;
  hki_rotlog(&P->log, P->A->R, P->B->R);
  P->have_log = true;
}

static void term(hk_term *t, double weight, const double *a, const double *b) {
  t->weight = weight, t->a = a, t->b = b;
}

/* n and e above, in world axes */
static void set_axis2(hk_pair *P) {
  double s = P->num[0], c = P->num[1];
  for (int i = 0; i < 3; i++) {
    P->n[i] = s * P->b[0][i] + c * P->b[2][i];
    P->e[i] = s * P->b[2][i] - c * P->b[0][i];
  }
}

void hki_pair_terms(hk_pair *P, uint8_t what, hk_terms *T) {
  double(*a)[3] = P->a, (*b)[3] = P->b;
  hki_pair_axes(P);
  T->n_num = 1, T->n_den = 0;
  switch (what) {
    case HK_S_XZ:
    case HK_S_YZ:
      term(&T->num[0], 1.0, a[what - HK_S_XZ], b[2]);
      break;
    case HK_S_RX:
    case HK_S_RY:
    case HK_S_RZ: {
      int i = (what - HK_S_RX + 1) % 3, j = (what - HK_S_RX + 2) % 3;
      T->n_num = 2;
      term(&T->num[0], 0.5, a[j], b[i]);
      term(&T->num[1], -0.5, a[i], b[j]);
      break;
    }
    case HK_S_AXIS2:
      set_axis2(P);
      term(&T->num[0], 1.0, a[2], P->n);
      break;
    case HK_S_ANGLE_A:
      set_axis2(P);
      T->n_den = 1;
      term(&T->num[0], 1.0, a[1], P->n);
      term(&T->den[0], 1.0, a[0], P->n);
      break;
    case HK_S_ANGLE_B:
      set_axis2(P);
      T->n_den = 1;
      term(&T->num[0], 1.0, a[2], b[1]);
      term(&T->den[0], 1.0, a[2], P->e);
      break;
    default: /* twist */
      T->n_num = T->n_den = 2;
      term(&T->num[0], 1.0, a[1], b[0]);
      term(&T->num[1], -1.0, a[0], b[1]);
      term(&T->den[0], 1.0, a[0], b[0]);
      term(&T->den[1], 1.0, a[1], b[1]);
      break;
  }
}

double hki_pair_length(const hk_pair *P, double *n) {
  double length = v3_norm(P->d);
  if (length > HK_LENGTH_TINY)
    v3_scale(n, 1.0 / length, P->d);
  else
    m3_column(n, P->A->R, 0);
  return length;
}
