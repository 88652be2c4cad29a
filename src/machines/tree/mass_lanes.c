/* SPDX-License-Identifier: Apache-2.0
 *
 * mass_lanes.c: columns of the mass matrix of four like bodies at once (mass.h), with the equations of mass.c.
 */
#include "machines/tree/mass.h"

#include "base/wide.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#define FOUR_WIDE
#include "geometry/four.h"

/* entries of the four columns, in the order of their slots */
typedef struct entries {
  const int32_t *slot[HK_LANE4];
  double *val;
  ptrdiff_t at;
} entries;

HKI_INLINE void put(entries *e, four x) {
  for (int c = 0; c < HK_LANE4; c++) e->val[e->slot[c][e->at]] = four_get(x, c);
  e->at++;
}

/* f = I S, as inertia_mul */
HKI_INLINE void momentum4(const four *I, const four *S, four *f) {
  const four m = I[0], *h = I + 1, *J = I + 4, *w = S, *v = S + 3;
  four x[3];
  f[0] = J[0] * w[0] + J[3] * w[1] + J[4] * w[2];
  f[1] = J[3] * w[0] + J[1] * w[1] + J[5] * w[2];
  f[2] = J[4] * w[0] + J[5] * w[1] + J[2] * w[2];
  four_cross(x, h, v);
  four_add3(f, f, x);
  four_cross(f + 3, w, h);
  for (int i = 0; i < 3; i++) f[3 + i] += m * v[i];
}

/* S . F with columns in lanes, or of one body for all four */
HKI_INLINE four dot_lanes(hk_lane *S, const four *F) {
  four x = four_load(S[0]) * F[0] + four_load(S[1]) * F[1] + four_load(S[2]) * F[2];
  x = x + four_load(S[3]) * F[3];
  x = x + four_load(S[4]) * F[4];
  return x + four_load(S[5]) * F[5];
}

HKI_INLINE four dot_one(const double *S, const four *F) {
  four x = four_splat(S[0]) * F[0] + four_splat(S[1]) * F[1] + four_splat(S[2]) * F[2];
  x = x + four_splat(S[3]) * F[3];
  x = x + four_splat(S[4]) * F[4];
  return x + four_splat(S[5]) * F[5];
}

/* entries of the bodies from p to the ground, which all four have in common */
HKI_INLINE void above_one(const hk_kin *k, int32_t p, const four *F, entries *e) {
  for (; p != HK_GROUND; p = k->link[p].parent) {
    const double *S = k->S + 6 * (ptrdiff_t)k->link[p].v0;
    if (k->link[p].floating) {
      for (int i = 2; i >= 0; i--) {
        const double *t = S + 18 + 6 * i;
        put(e, four_splat(t[0]) * F[0] + four_splat(t[1]) * F[1] + four_splat(t[2]) * F[2]);
      }
      for (int i = 2; i >= 0; i--) put(e, F[3 + i]);
      continue;
    }
    for (int32_t i = k->link[p].nv - 1; i >= 0; i--) put(e, dot_one(S + 6 * (ptrdiff_t)i, F));
  }
}

void hki_mass4_start(hk_lanes *b) {
  four_store(b->Ic[0], four_load(b->mass));
  for (int i = 0; i < 9; i++) four_store(b->Ic[1 + i], four_load(b->I[i]));
}

/* inertias to the parents: in lanes, or to one body, the last first as in mass.c */
HKI_INLINE void hand_over(hk_tree *s, const hk_lanes *b, const four *I) {
  if (b->ground) return;
  if (b->from >= 0) {
    hk_lanes *up = &s->kin.lanes[b->from];
    for (int i = 0; i < 10; i++) four_store(up->Ic[i], four_load(up->Ic[i]) + I[i]);
    return;
  }
  hk_inertia *to = &s->Ic[b->parent[0]];
  double *sum[10] = {&to->m,    to->h,     to->h + 1, to->h + 2, to->I,
                     to->I + 1, to->I + 2, to->I + 3, to->I + 4, to->I + 5};
  for (int i = 0; i < 10; i++) {
    double x = *sum[i];
    for (int c = HK_LANE4 - 1; c >= 0; c--) x += four_get(I[i], c);
    *sum[i] = x;
  }
}

void hki_mass4(hk_tree *s, int32_t quad) {
  const hk_kin *k = &s->kin;
  hk_lanes *b = &k->lanes[quad];
  entries e = {.val = s->num.val};
  four I[10], S[6], F[6];
  if (!k->loaded[b->body[0]]) return;
  for (int c = 0; c < HK_LANE4; c++) e.slot[c] = s->slot_mass + s->slot_mass0[b->body[c]];
  for (int i = 0; i < 10; i++) I[i] = four_load(b->Ic[i]);
  for (int j = b->nv - 1; j >= 0; j--) {
    hk_lanes *up = b;
    for (int i = 0; i < 6; i++) S[i] = four_load(b->S[6 * j + i]);
    momentum4(I, S, F);
    for (int i = j; i >= 0; i--) put(&e, dot_lanes(b->S + 6 * (ptrdiff_t)i, F));
    while (up->from >= 0) {
      up = &k->lanes[up->from];
      for (int i = up->nv - 1; i >= 0; i--) put(&e, dot_lanes(up->S + 6 * (ptrdiff_t)i, F));
    }
    if (!up->ground) above_one(k, up->parent[0], F, &e);
  }
  hand_over(s, b, I);
}
HKI_WIDE_END
#else
void hki_mass4_start(hk_lanes *b) { (void)b; }
void hki_mass4(hk_tree *s, int32_t quad) { (void)s, (void)quad; }
#endif
