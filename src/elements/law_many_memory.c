/* SPDX-License-Identifier: Apache-2.0
 *
 * law_many_memory.c: parts of laws of several deformations whose memory does not know time: discrete
 * data, those of the last accepted state before a step, as for the hardening of one deformation.
 *
 * hardening. Elastic up to an ellipsoid of forces, associated plastic flow, with the plastic
 * deformations q and the plastic work p divided by the size of the ellipsoid:
 *
 *   f = k (e - q)                                  k, Hk diagonal
 *   x = f - Hk q                                   forces seen from the middle of the elastic range
 *   |x| = sqrt(sum (x_i/fy_i)^2) <= 1 + h p
 *   dq_i = dp x_i/(fy_i^2 |x|)
 *   stored sum (k_i (e_i - q_i)^2 + Hk_i q_i^2)/2, dissipated p + h p^2/2 since the start
 *
 * Return map, implicit in the direction: with g_i = (k_i + Hk_i)/fy_i^2 and l = dp/|x|
 *
 *   x_i = X_i/(1 + l g_i),   dq_i = l x_i/fy_i^2   X: with the data before the step
 *   m(l) (1 - h l) = 1 + h p,   m = |x|
 *
 * m is convex and falls, so does the left side: Newton's iteration from l = 0 comes from one side. For
 * one deformation, and where all g_i are the same, this is the radial return, with h = Hi/fy^2. Source:
 * Simo and Hughes 1998, "Computational Inelasticity", sections 2.3 and 3.3.
 *
 * bistop. A law that acts while it is engaged, on the deformations since it engaged:
 *
 *   f = law(e - e0, r) or 0
 *
 * The data are: whether it has changed over, the energy it has lost by letting go, and e0. Whether it
 * changes over is decided at accepted states; the force of a step is that of one of the two states. The
 * energy is that after the decision, so that it is the same before and after the data follow; what is
 * stored when it lets go counts as dissipated.
 */
#include <math.h>

#include "elements/law_many.h"

#define AT(i, j) (HK_MANY * (i) + (j))

/* the numbers of hardening, and where a return map ends */
typedef struct plastic {
  int32_t n;
  const double *k, *fy, *Hk;
  double h, p, l;
  double x[HK_MANY], q[HK_MANY];
} plastic;

static double weight(const plastic *a, int32_t i) {
  return (a->k[i] + a->Hk[i]) / (a->fy[i] * a->fy[i]);
}

/* |x| at l with X in x, and its slope in l */
static double size(const plastic *a, double l, double *slope) {
  double sum = 0.0, change = 0.0;
  for (int32_t i = 0; i < a->n; i++) {
    const double g = weight(a, i), y = a->x[i] / (a->fy[i] * (1.0 + l * g));
    sum += y * y, change += y * y * g / (1.0 + l * g);
  }
  const double m = sqrt(sum);
  *slope = m > 0.0 ? -change / m : 0.0;
  return m;
}

/* from X in x and the data before: x, q, p and l */
static void flow(plastic *a) {
  enum { MOST = 60 };
  const double edge = 1.0 + a->h * a->p;
  double l = 0.0, slope;
  for (int32_t i = 0; i < MOST; i++) {
    const double m = size(a, l, &slope), d = slope * (1.0 - a->h * l) - a->h * m;
    const double more = -(m * (1.0 - a->h * l) - edge) / d;
    if (!(fabs(more) > 1e-16 * l)) break;
    l += more;
  }
  for (int32_t i = 0; i < a->n; i++) {
    a->x[i] /= 1.0 + l * weight(a, i);
    a->q[i] += l * a->x[i] / (a->fy[i] * a->fy[i]);
  }
  a->p += l * size(a, 0.0, &slope);
  a->l = l;
}

/* fs += k - k dq/de, where the flow of the step is l */
static void plastic_slopes(const plastic *a, hk_many_out *out) {
  double slope, dl[HK_MANY];
  double m = 0.0, ml = 0.0;
  for (int32_t i = 0; i < a->n; i++) {
    const double y = a->x[i] / a->fy[i];
    m += y * y, ml += y * y * weight(a, i) / (1.0 + a->l * weight(a, i));
  }
  m = sqrt(m), slope = -ml / m * (1.0 - a->h * a->l) - a->h * m;
  for (int32_t j = 0; j < a->n; j++)
    dl[j] = -(1.0 - a->h * a->l) * a->x[j] * a->k[j] /
            (m * a->fy[j] * a->fy[j] * (1.0 + a->l * weight(a, j)) * slope);
  for (int32_t i = 0; i < a->n; i++) {
    const double w = a->fy[i] * a->fy[i] * (1.0 + a->l * weight(a, i));
    for (int32_t j = 0; j < a->n; j++) out->fs[AT(i, j)] -= a->k[i] * a->x[i] / w * dl[j];
    out->fs[AT(i, i)] -= a->k[i] * a->l * a->k[i] / w;
  }
}

/* power that goes into plastic flow at the edge, W */
static double spending(const plastic *a, double size_now, const double *r) {
  double over = 0.0, under = a->h;
  for (int32_t i = 0; i < a->n; i++) {
    const double n = a->x[i] / (a->fy[i] * a->fy[i] * size_now);
    over += n * a->k[i] * r[i], under += n * n * (a->k[i] + a->Hk[i]);
  }
  return over > 0.0 ? (1.0 + a->h * a->p) * over / under : 0.0;
}

void hki_part_hardening(int32_t n, const double *c, const double *e, const double *r,
                        const hk_law_memory *mem, hk_many_out *out) {
  plastic a = {.n = n, .k = c, .fy = c + n, .Hk = c + 2 * n, .h = c[3 * n]};
  double slope;
  a.p = mem->d ? mem->d[n] : 0.0;
  for (int32_t i = 0; i < n; i++) {
    a.q[i] = mem->d ? mem->d[i] : 0.0;
    a.x[i] = a.k[i] * (e[i] - a.q[i]) - a.Hk[i] * a.q[i];
    out->fs[AT(i, i)] += a.k[i];
  }
  const double edge = 1.0 + a.h * a.p, before = size(&a, 0.0, &slope);
  // at the edge, within round-off, it yields as well
  const bool yields = before > edge * (1.0 - 1e-9);
  if (before > edge) {
    flow(&a);
    plastic_slopes(&a, out);
  }
  if (yields) out->books.spending += spending(&a, size(&a, 0.0, &slope), r);
  for (int32_t i = 0; i < n; i++) {
    const double x = e[i] - a.q[i];
    out->f[i] += a.k[i] * x;
    out->books.energy += 0.5 * (a.k[i] * x * x + a.Hk[i] * a.q[i] * a.q[i]);
    if (mem->d1) mem->d1[i] = a.q[i];
  }
  out->books.spent += a.p * (1.0 + 0.5 * a.h * a.p);
  if (mem->d1) mem->d1[n] = a.p;
}

/* --- bistop ----------------------------------------------------------------------------------- */

enum { CHANGED, LOST, SINCE }; // data: then n deformations

void hki_part_bistop(int32_t n, const hk_law_part *p, const double *e, const double *r,
                     const hk_law_memory *mem, hk_many_out *out) {
  const double *d = mem->d;
  const bool changed = d && d[CHANGED] != 0.0, on = p->engaged != changed;
  double in[2 * HK_MANY] = {0}, x[HK_MANY], lost = d ? d[LOST] : 0.0, energy = 0.0;
  for (int32_t i = 0; i < n; i++) {
    x[i] = e[i] - (d ? d[SINCE + i] : 0.0);
    in[i] = e[i], in[HK_MANY + i] = r[i];
  }
  if (on) {
    hk_many_out inner;
    hk_law_memory none = {0};
    hki_law_many(p->many, false, x, r, &none, &inner);
    energy = inner.books.energy - p->zero;
    inner.books.energy = 0.0;
    hki_many_add(n, &inner, out);
  }
  const bool off = hki_expr_eval(p->expr[1], in) != 0.0;
  const bool engages = !on && !off && hki_expr_eval(p->expr[0], in) != 0.0;
  if (on && off) lost += energy, energy = 0.0;
  out->books.energy += energy;
  out->books.spent += lost;
  if (!mem->d1) return;
  const bool next = engages || (on && !off);
  mem->d1[CHANGED] = next != p->engaged, mem->d1[LOST] = lost;
  for (int32_t i = 0; i < n; i++) mem->d1[SINCE + i] = engages ? e[i] : d ? d[SINCE + i] : 0.0;
}
