/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: elements on several markers in natural coordinates.
 *
 *   Q  = sum over bodies of J'W                  W: wrench about the centre of mass
 *   K += J' Kx J,  C += J' Cx J                  Kx, Cx: -dW/dx, -dW/dV (kinematics/wide.h)
 *
 * J: pose increments of the bodies per coordinate, the transposed of the map of points.h. As for other
 * forces (exact.c) the matrix has the symmetric part.
 */
#include "machines/points/points.h"
#include "kinematics/wide.h"

static const double centre[3] = {0.0, 0.0, 0.0};

void hki_points_wide_forces(hk_points *n) {
  for (int32_t i = 0; i < n->m->nwide; i++) {
    const hk_model_wide *e = &n->m->wide[i];
    const hk_wide_out *out = hki_kin_wide(&n->it, i, HK_NEED_FORCE);
    for (int32_t s = 0; s < e->nmark; s++) {
      double F[12];
      if (e->body[s] == HK_GROUND) continue;
      hki_points_pull(n, n->X + 12 * e->body[s], centre, out->w + 6 * s, F);
      for (int j = 0; j < 12; j++) n->F[12 * e->body[s] + j] += F[j];
    }
  }
}

/* n->J: row r is the gradient of pose increment r of the element's bodies */
static void fill_J(hk_points *n, const hk_model_wide *e, const hk_points_clique *q) {
  hki_points_enter(n, q);
  memset(n->J, 0, (size_t)(6 * e->nmark) * (size_t)q->n * sizeof *n->J);
  for (int32_t r = 0; r < 6 * e->nmark; r++) {
    double w[6] = {0}, F[12];
    const int32_t b = e->body[r / 6];
    if (b == HK_GROUND) continue;
    w[r % 6] = 1.0;
    hki_points_pull(n, n->X + 12 * b, centre, w, F);
    hki_points_scatter(n, b, F, n->J + (ptrdiff_t)r * q->n);
  }
}

void hki_points_add_wide(hk_points *n, double cC, double cK) {
  for (int32_t i = 0; i < n->m->nwide; i++) {
    const hk_model_wide *e = &n->m->wide[i];
    const hk_points_clique *q = &n->wide[i];
    const hk_wide_out *out = hki_kin_wide(&n->it, i, HK_NEED_FORCE | HK_NEED_EXACT);
    const int32_t rows = 6 * e->nmark, nn = q->n, *slot = q->slot;
    fill_J(n, e, q);
    for (int32_t a = 0; a < nn; a++) {
      // y = row a of J' A, A the symmetric part of cK K + cC C
      double *y = n->gq;
      memset(y, 0, (size_t)rows * sizeof *y);
      for (int32_t r = 0; r < rows; r++) {
        const double g = 0.5 * n->J[(ptrdiff_t)r * nn + a];
        for (int32_t c = 0; g != 0.0 && c < rows; c++) {
          const ptrdiff_t rc = (ptrdiff_t)rows * r + c, cr = (ptrdiff_t)rows * c + r;
          y[c] += g * cK * (out->K[rc] + out->K[cr]);
          if (out->damped) y[c] += g * cC * (out->C[rc] + out->C[cr]);
        }
      }
      for (int32_t b = 0; b <= a; b++) {
        double sum = 0.0;
        for (int32_t c = 0; c < rows; c++) sum += y[c] * n->J[(ptrdiff_t)c * nn + b];
        n->num.val[*slot++] += sum;
      }
    }
  }
}
