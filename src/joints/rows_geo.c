/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_geo.c: derivative of the constraint wrenches with respect to the poses of both markers. The
 * wrenches (moment, force) of all rows together are
 *
 *   on A: (f x d - m, -f - l)          on B: (m, f + l)
 *
 *   f = sum lam_k a_k                  position rows
 *   l = lam d/|d|                      a length
 *   m = sum lam times gradient         rotational rows
 *
 * Under pose increments (tA, pA, tB, pB):
 *
 *   df       = tA x f
 *   d(f x d) = (f d' - f.d I) tA + f x (pB - pA)
 *   dm       = MA tA + MB tB
 *   dl       = lam (I - n n')/|d| (pB - pA)         n = d/|d|
 *
 * A direction term m = b x a has
 *
 *   MA = a.b I - a b'
 *   MB = b a' - a.b I
 *
 * and an angle atan2(n, c), with r = n^2 + c^2,
 *
 *   MA = (c MA_n - n MA_c)/r - X
 *   MB = (c MB_n - n MB_c)/r + X
 *   X  = (m_n m_c' - m_c m_n' - 2 m (n m_n + c m_c)')/r
 *
 * An outline has f = lam a_n and a second term (outline.c). Rim rows have f = sum lam_k a_k too,
 * acting at the contact: m = rho x f (rim.c).
 */
#include "joints/outline.h"
#include "joints/rows.h"

/* value, gradient and derivative of the gradient with respect to both rotations */
typedef struct hk_bend {
  double s, m[3], MA[9], MB[9];
} hk_bend;

static void add_terms(const hk_term *t, int32_t n, hk_bend *out) {
  memset(out, 0, sizeof *out);
  for (; n > 0; n--, t++) {
    double ab = v3_dot(t->a, t->b), x[3];
    out->s += t->weight * ab;
    v3_cross(x, t->b, t->a);
    v3_axpy(out->m, t->weight, x);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double e = i == j ? ab : 0.0;
        out->MA[3 * i + j] += t->weight * (e - t->a[i] * t->b[j]);
        out->MB[3 * i + j] += t->weight * (t->b[i] * t->a[j] - e);
      }
  }
}

/* MA, MB of atan2(n, c) */
static void angle(const hk_bend *n, const hk_bend *c, hk_bend *out) {
  double r = n->s * n->s + c->s * c->s, g[3];
  memset(out, 0, sizeof *out);
  if (!(r > HK_ANGLE_TINY)) return;
  for (int i = 0; i < 3; i++) {
    out->m[i] = (c->s * n->m[i] - n->s * c->m[i]) / r;
    g[i] = 2.0 * (n->s * n->m[i] + c->s * c->m[i]);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int ij = 3 * i + j;
      double x = (n->m[i] * c->m[j] - c->m[i] * n->m[j] - out->m[i] * g[j]) / r;
      out->MA[ij] = (c->s * n->MA[ij] - n->s * c->MA[ij]) / r - x;
      out->MB[ij] = (c->s * n->MB[ij] - n->s * c->MB[ij]) / r + x;
    }
}

/* sums over all rows; P: d(l)/d(pB - pA); log, rim: multipliers and forces of those rows */
typedef struct hk_sums {
  double f[3], MA[9], MB[9], P[9], log[3], rim[3];
  double bend, gt[12]; /* outline: H gains bend gt gt' */
  bool have_log, have_rim;
} hk_sums;

static void add_turn(hk_pair *P, uint8_t what, double lam, hk_sums *sum) {
  hk_terms T;
  hk_bend b;
  hki_pair_terms(P, what, &T);
  add_terms(T.num, T.n_num, &b);
  if (T.n_den > 0) {
    hk_bend n = b, c;
    add_terms(T.den, T.n_den, &c);
    angle(&n, &c, &b);
  }
  for (int i = 0; i < 9; i++) {
    sum->MA[i] += lam * b.MA[i];
    sum->MB[i] += lam * b.MB[i];
  }
}

static void add_length(const hk_pair *P, double lam, hk_sums *sum) {
  double n[3], length = hki_pair_length(P, n);
  if (!(length > HK_LENGTH_TINY)) return;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      sum->P[3 * i + j] += lam * ((i == j ? 1.0 : 0.0) - n[i] * n[j]) / length;
}

/* rotation vector rows: m = A J' lam, dm = tA x m + A D J A' (tB - tA) */
static void add_log(hk_pair *P, hk_sums *sum) {
  double D[9], DJ[9], M[9], Sm[9], m[3], t[3];
  hki_pair_log(P);
  hki_rotlog_geo(&P->log, sum->log, D);
  m3_mul(DJ, D, P->log.J);
  m3_congruence(M, P->A->R, DJ);
  m3_tmulv(t, P->log.J, sum->log);
  m3_mulv(m, P->A->R, t);
  m3_skew(Sm, m);
  for (int i = 0; i < 9; i++) {
    sum->MA[i] -= M[i] + Sm[i];
    sum->MB[i] += M[i];
  }
}

static void add_row(hk_pair *P, uint8_t what, double lam, hk_sums *sum) {
  if (hki_scalar_touches(what)) return; // by itself, below
  switch (what) {
    case HK_S_X:
    case HK_S_Y:
    case HK_S_Z:
      v3_axpy(sum->f, lam, P->a[what - HK_S_X]);
      break;
    case HK_S_LOGX:
    case HK_S_LOGY:
    case HK_S_LOGZ:
      sum->log[what - HK_S_LOGX] += lam;
      sum->have_log = true;
      break;
    case HK_S_SCREW:
      v3_axpy(sum->f, lam, P->a[2]);
      add_turn(P, what, -lam * P->num[0], sum);
      break;
    case HK_S_DISTANCE:
    case HK_S_LENGTH:
      add_length(P, lam, sum);
      break;
    case HK_S_RIM:
    case HK_S_SLIP_X:
    case HK_S_SLIP_Y:
      v3_axpy(sum->rim, lam, P->a[what == HK_S_RIM ? 2 : what - HK_S_SLIP_X]);
      sum->have_rim = true;
      break;
    case HK_S_OUTLINE:
      sum->bend = hki_outline_geo(P, lam, sum->f, sum->gt);
      break;
    default:
      add_turn(P, what, lam, sum);
      break;
  }
}

void hki_rows_geo(const uint8_t *rows, int32_t n, const void *par, const hk_frame *A,
                  const hk_frame *B, const double *lam, double *H) {
  enum { TA = 0, PA = 3, TB = 6, PB = 9 };
  hk_pair P;
  hk_sums sum;
  double S[9];
  memset(&sum, 0, sizeof sum);
  hki_pair_begin(&P, par, A, B, 0);
  hki_pair_axes(&P);
  for (int32_t i = 0; i < n; i++) add_row(&P, rows[i], lam[i], &sum);
  if (sum.have_log) add_log(&P, &sum);
  if (sum.have_rim) {
    hki_rim_geo(&P, sum.rim, sum.MA, sum.MB);
    v3_add(sum.f, sum.f, sum.rim);
  }

  m3_skew(S, sum.f);
  double fd = v3_dot(sum.f, P.d);
  memset(H, 0, 144 * sizeof *H);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int ij = 3 * i + j;
      double *ta = H + 12 * (TA + i) + j, *pa = H + 12 * (PA + i) + j;
      double *tb = H + 12 * (TB + i) + j, *pb = H + 12 * (PB + i) + j;
      /* moment and force on A */
      ta[TA] = sum.f[i] * P.d[j] - (i == j ? fd : 0.0) - sum.MA[ij];
      ta[TB] = -sum.MB[ij];
      ta[PA] = -S[ij], ta[PB] = S[ij];
      pa[TA] = S[ij];
      pa[PA] = sum.P[ij], pa[PB] = -sum.P[ij];
      /* moment and force on B */
      tb[TA] = sum.MA[ij], tb[TB] = sum.MB[ij];
      pb[TA] = -S[ij];
      pb[PA] = -sum.P[ij], pb[PB] = sum.P[ij];
    }
  for (int32_t i = 0; i < n; i++)
    if (hki_scalar_touches(rows[i])) hki_contact_geo(&P, rows[i], lam[i], H);
  for (int i = 0; sum.bend != 0.0 && i < 12; i++)
    for (int j = 0; j < 12; j++) H[12 * i + j] += sum.bend * sum.gt[i] * sum.gt[j];
}
