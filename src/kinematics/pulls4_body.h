/* SPDX-License-Identifier: Apache-2.0
 *
 * pulls4_body.h: the passes of pulls4.h, included once per kind of processor after rows4_ends.h.
 */

/* numbers that were stored one by one: a load of all four would wait for the memory */
HKI_INLINE four singly(const double *x) { return four_of(x[0], x[1], x[2], x[3]); }

/* velocities at the points r from O of the bodies on one side */
HKI_INLINE void velocity4(const hk_kin *k, const hk_rows4 *q, int side, const four *r, four *v) {
  four V[6];
  if (q->body[side][0] == HK_GROUND) {
    for (int i = 0; i < 3; i++) v[i] = four_splat(0.0);
    return;
  }
  hk_lanes *lane = lanes4(k, q, side);
  spatial4(q, side, k->V, lane ? lane->V : NULL, V);
  four_cross(v, V, r);
  four_add3(v, v, V + 3);
}

/* length and direction of the lines of the ends; none where they meet */
HKI_INLINE four line4(const four *d, four *a) {
  const four ss = four_dot(d, d);
  double l[4], inv[4];
  for (int c = 0; c < 4; c++) l[c] = sqrt(four_get(ss, c));
  for (int c = 0; c < 4; c++) inv[c] = l[c] > HK_LINE_SHORTEST ? 1.0 / l[c] : 0.0;
  for (int i = 0; i < 3; i++) a[i] = four_mul(singly(inv), d[i]);
  return singly(l);
}

/* p - O of both sides */
HKI_INLINE void arms4(const hk_kin *k, const hk_pulls4 *q, const four *p, four (*r)[3]) {
  for (int s = 0; s < 2; s++) {
    if (q->at.body[s][0] == HK_GROUND) continue;
    if (s && q->one_tree && q->at.body[0][0] != HK_GROUND) {
      for (int i = 0; i < 3; i++) r[1][i] = r[0][i];
    } else if (q->one_tree) {
      const double *O = k->O + 3 * (ptrdiff_t)q->at.body[s][0];
      for (int i = 0; i < 3; i++) r[s][i] = four_sub(p[i], four_splat(O[i]));
    } else {
      from_O(k, &q->at, s, p, r[s]);
    }
  }
}

static void reach4(const hk_kin *k, hk_pulls4 *q) {
  const hk_rows4 *e = &q->at;
  four FA[12], FB[12], pA[3], pB[3], d[3], a[3], vA[3], vB[3], r[2][3];
  const bool own = q->kind == HK_PULL_OWN;
  if (e->body[0][0] != HK_GROUND) frames4(k, e, 0, FA);
  if (e->body[1][0] != HK_GROUND) frames4(k, e, 1, FB);
  points4(e, 1, FB, pB);
  arms4(k, q, pB, r);
  velocity4(k, e, 0, r[0], vA);
  velocity4(k, e, 1, r[1], vB);
  four_sub3(vB, vB, vA);
  for (int s = 0; s < 2; s++)
    for (int i = 0; e->body[s][0] != HK_GROUND && i < 3; i++) four_store(q->r[s][i], r[s][i]);
  if (own) {
    for (int i = 0; i < 3; i++) four_store(q->p[i], pB[i]), four_store(q->v[i], vB[i]);
    return;
  }
  points4(e, 0, FA, pA);
  four_sub3(d, pB, pA);
  if (q->kind == HK_PULL_LINE) {
    four_store(q->s, line4(d, a));
  } else {
    four z[3];
    for (int i = 0; i < 3; i++) z[i] = four_load(q->axis[i]);
    for (int i = 0; i < 3; i++) a[i] = e->body[0][0] == HK_GROUND ? z[i] : four_dot(FA + 3 * i, z);
    four_store(q->s, four_dot(a, d));
  }
  four_store(q->sd, four_dot(a, vB));
  for (int i = 0; i < 3; i++) four_store(q->a[i], a[i]), four_store(q->d[i], d[i]);
}

/* --- wrenches --------------------------------------------------------------------------------- */

HKI_INLINE double sum4(four x) {
  return (four_get(x, 0) + four_get(x, 1)) + (four_get(x, 2) + four_get(x, 3));
}

/* W += tau G of the bodies on one side */
HKI_INLINE void wrench4(hk_kin *k, const hk_rows4 *e, int side, const four *G, four tau) {
  for (int i = 0; i < 6; i++) {
    const four x = four_mul(tau, G[i]);
    if (e->one[side]) {
      k->W[6 * (ptrdiff_t)e->body[side][0] + i] += sum4(x);
      continue;
    }
    for (int c = 0; c < 4; c++) k->W[6 * (ptrdiff_t)e->body[side][c] + i] += four_get(x, c);
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* columns [j, last) of the rows: S . G */
HKI_INLINE void dots4(const hk_kin *k, const hk_pulls4 *q, int32_t j, int32_t last, const four *G,
                      double *g) {
  const hk_rows4 *e = &q->at;
  if (!j && last >= 6 && q->floating) {
    // S = [(0, 1), (R, 0)]
    const double *R = k->frame[q->base].R;
    for (int i = 0; i < 3; i++) {
      const four z[3] = {four_splat(R[i]), four_splat(R[3 + i]), four_splat(R[6 + i])};
      four_store(g + 4 * i, G[3 + i]);
      four_store(g + 4 * (3 + i), four_dot(z, G));
    }
    j = 6;
  }
  for (; j < last; j++) {
    four s[6];
    column4(k, e, j, s);
    four_store(g + 4 * (ptrdiff_t)j, four_add(four_dot(s, G), four_dot(s + 3, G + 3)));
  }
}

/* rows side by side -> force by force */
HKI_INLINE void unpack4(hk_kin *k, const hk_pulls4 *q) {
  const double *g = k->fz + q->at.g;
  double *to[4];
  int32_t i = 0;
  for (int c = 0; c < 4; c++) to[c] = k->fz + k->row[q->at.closure[c]].z0;
  for (; i + 4 <= q->at.n; i += 4) {
    four x[4];
    for (int c = 0; c < 4; c++) x[c] = four_load(g + 4 * (i + c));
    four_transpose(x);
    for (int c = 0; c < 4; c++) four_store(to[c] + i, x[c]);
  }
  for (; i < q->at.n; i++)
    for (int c = 0; c < 4; c++) to[c][i] = g[4 * i + c];
}

static void act4(hk_kin *k, const hk_pulls4 *q, bool tangent) {
  const hk_rows4 *e = &q->at;
  const four tau = singly(q->tau);
  const bool own = q->kind == HK_PULL_OWN;
  four a[3], r[3], G[6];
  for (int i = 0; i < 3; i++) a[i] = own ? singly(q->a[i]) : four_load(q->a[i]);
  for (int s = 0; s < 2; s++) {
    const four sign = four_splat(s ? 1.0 : -1.0);
    if (e->body[s][0] == HK_GROUND) continue;
    for (int i = 0; i < 3; i++) r[i] = four_load(q->r[s][i]);
    four_cross(G, r, a);
    for (int i = 0; i < 3; i++) G[3 + i] = a[i];
    for (int i = 0; !s && i < 6; i++) G[i] = four_mul(sign, G[i]);
    wrench4(k, e, s, G, tau);
    if (tangent) dots4(k, q, s ? e->first : 0, s ? e->n : e->first, G, k->fz + e->g);
  }
  if (tangent) unpack4(k, q);
}

/* --- the matrix ------------------------------------------------------------------------------- */

static void squares4(const hk_pulls4 *q, const double *g, const double *coef,
                     const int32_t *const slot[4], double *val) {
  const four u = singly(coef);
  ptrdiff_t at = 0;
  for (ptrdiff_t i = 0; i < q->at.n; i++) {
    const four a = four_mul(u, four_load(g + 4 * i));
    ptrdiff_t j = 0;
    // entries that the four share
    for (; i < q->shared && j <= i; j++, at++)
      val[slot[0][at]] += sum4(four_mul(a, four_load(g + 4 * j)));
    for (; j <= i; j++, at++) {
      const four x = four_mul(a, four_load(g + 4 * j));
      for (int c = 0; c < 4; c++) val[slot[c][at]] += four_get(x, c);
    }
  }
}
