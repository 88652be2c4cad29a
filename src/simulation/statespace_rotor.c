/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_rotor.c: the linear equations of machines with rotors in states z in which they do not change
 * while the rotor turns:
 *
 *   x = P(psi) z,   psi' = W:     z' = P^-1 (A P - W dP/dpsi) z + P^-1 B u,   y = C P z + D u
 *
 * Multiblade coordinates of N like blades at azimuths psi_k = psi + 2 pi k / N, for each coordinate b of theirs
 * and its rate:
 *
 *   b_k = z_0 + sum_n (z_nc cos n psi_k + z_ns sin n psi_k) + (-1)^k z_d      n = 1 .. (N - 1) / 2, z_d: N even
 *
 * Source: Coleman and Feingold, Theory of Self-Excited Mechanical Oscillations of Helicopter Rotors with Hinged
 * Blades, NACA 1351, 1958; Johnson, Helicopter Theory, 1980, section 8-4.
 *
 * Axes that turn with a shaft: what carries the shaft moves its hub by u = J x, displacement and rotation. Seen
 * from axes that turn about e the same motion is R(psi)' u, so that
 *
 *   J P(psi) = R(psi) J,   dP/dpsi = G P,   G = J^+ [e x] J,   P = 1 + sin psi G + (1 - cos psi) G G
 *
 * which exists where the hub can move alike in all directions across e.
 */
#include <stdlib.h>

#include "linalg/dense.h"
#include "simulation/statespace_differences.h"

/* blades are evenly spaced to this angle, rad; motions of the hub turn into such of it to this share */
static const double even = 1e-4, closed = 1e-7;

/* a rotor: its shaft in the tree */
typedef struct shaft {
  int32_t body, v;            /* model body that the joint carries, its velocity */
  double rate;                /* of the tree, rad/s */
  double axis[3], at[3];      /* unit vector, a point of it; world axes */
  double across[3], along[3]; /* unit vectors across it */
} shaft;

static hk_status refuse(const hk_statespace *l, const char *joint, const char *why) {
  return hki_error(l->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "joint '%s' %s", joint, why);
}

/* number of a joint; -1 after a message */
static int32_t joint_of(const hk_statespace *l, const hk_sim *s, const char *name) {
  const int32_t j = hk_sim_joint_find(s, name);
  if (j < 0) hki_error(l->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "there is no joint '%s'", name);
  return j;
}

static hk_status find_shaft(const hk_statespace *l, const hk_sim *s, const char *name, shaft *out) {
  const hk_model *m = l->m;
  const hk_kin *k = s->kin;
  const int32_t j = joint_of(l, s, name);
  if (j < 0) return HK_E_USAGE;
  const int32_t b = out->body = m->joints[j].body;
  if (b == HK_NONE) return refuse(l, name, "closes a loop: a shaft must not");
  if (m->bodies[b].nv != 1) return refuse(l, name, "is no shaft: it must have one angle");
  const double *S = k->S + 6 * (size_t)m->bodies[b].v0, size = v3_norm(S);
  if (!(size > 0.5)) return refuse(l, name, "is no shaft: it does not turn");
  out->v = m->bodies[b].v0;
  out->rate = s->vt[out->v] * size;
  v3_scale(out->axis, 1.0 / size, S);
  // the point of the axis nearest to O
  v3_cross(out->at, out->axis, S + 3);
  for (int i = 0; i < 3; i++) out->at[i] = k->O[3 * b + i] + out->at[i] / size;
  const double *e = out->axis;
  const int least = fabs(e[0]) < 0.6 ? 0 : 1;
  double any[3] = {least == 0, least == 1, 0.0};
  v3_cross(out->along, e, any);
  v3_scale(out->along, 1.0 / v3_norm(out->along), out->along);
  v3_cross(out->across, out->along, e);
  return HK_OK;
}

/* the state of tree velocity v, from first to last - 1; -1: it is none */
static int32_t state_of(const hk_statespace *l, int32_t v, int32_t first, int32_t last) {
  for (int32_t i = first; i < last; i++)
    if (l->place[i] == v) return i;
  return -1;
}

/* --- multiblade coordinates ------------------------------------------------------------------------- */

/* azimuth of the centre of a body about a shaft; NAN: it is on the axis */
static double azimuth(const hk_kin *k, const shaft *h, int32_t body) {
  double r[3];
  v3_sub(r, k->frame[body].p, h->at);
  const double x = v3_dot(r, h->across), y = v3_dot(r, h->along);
  return hypot(x, y) > 1e-9 * k->m->length ? atan2(y, x) : NAN;
}

/* psi (n): azimuths of the blades, all apart by turns / n; rank (n): their places around the shaft */
static hk_status blade_azimuths(const hk_statespace *l, const hk_sim *s, const shaft *h,
                                const hk_blades *ring, double *psi, int32_t *rank) {
  const double turn = 6.283185307179586, gap = turn / ring->n;
  uint64_t seen = 0;
  for (int32_t k = 0; k < ring->n; k++) {
    const int32_t j = joint_of(l, s, ring->joints[k]);
    if (j < 0) return HK_E_USAGE;
    const int32_t b = l->m->joints[j].body;
    if (b == HK_NONE || b < h->body || b > l->m->bodies[h->body].last || b == h->body)
      return refuse(l, ring->joints[k],
                    "is no joint of a blade: the shaft must carry it, outside of loops");
    psi[k] = azimuth(s->kin, h, b);
    double place = (psi[k] - psi[0]) / gap;
    rank[k] = ((int32_t)lround(place) % ring->n + ring->n) % ring->n;
    if (!(fabs(place - round(place)) * gap < even) || (seen >> rank[k] & 1u))
      return refuse(l, ring->joints[k],
                    "carries a blade that is not evenly spaced among the others");
    seen |= 1ull << rank[k];
  }
  return HK_OK;
}

/* one coordinate of all blades: places (n) of its states; word: of their names */
static void put_ring(hk_statespace *l, int32_t n, const int32_t *at, const double *psi,
                     const int32_t *rank, double rate, double *Pd) {
  const size_t ld = (size_t)l->n;
  for (int32_t k = 0; k < n; k++)
    for (int32_t z = 0; z < n; z++) {
      const int32_t wave = (z + 1) / 2;
      const bool last = n % 2 == 0 && z == n - 1, sine = !last && z > 0 && z % 2 == 0;
      double p = 1.0, slope = 0.0, share = 1.0 / n;
      if (last) {
        p = rank[k] % 2 ? -1.0 : 1.0;
      } else if (z > 0) {
        p = sine ? sin(wave * psi[k]) : cos(wave * psi[k]);
        slope = wave * (sine ? cos(wave * psi[k]) : -sin(wave * psi[k]));
        share = 2.0 / n;
      }
      l->P[(size_t)at[k] + (size_t)at[z] * ld] = p;
      l->Pinv[(size_t)at[z] + (size_t)at[k] * ld] = share * p;
      Pd[(size_t)at[k] + (size_t)at[z] * ld] = rate * slope;
    }
}

/* names of the new states of a coordinate: "joint.lag1.angle cosine" */
static bool name_ring(hk_statespace *l, int32_t n, const int32_t *at) {
  const char *first = l->name[at[0]];
  for (int32_t z = 0; z < n; z++) {
    const int32_t wave = (z + 1) / 2;
    const bool last = n % 2 == 0 && z == n - 1;
    const char *name =
        z == 0 ? hki_pool_printf(l->pool, "%s mean", first)
        : last ? hki_pool_printf(l->pool, "%s alternating", first)
               : hki_pool_printf(l->pool, "%s %s %d", first, z % 2 ? "cosine" : "sine", (int)wave);
    if (!(l->name[at[z]] = name)) return false;
  }
  return true;
}

static hk_status add_ring(hk_statespace *l, const hk_sim *s, const hk_blades *ring, bool naming,
                          double *Pd) {
  enum { BLADES = 64 };
  double psi[BLADES];
  int32_t rank[BLADES], at[BLADES];
  shaft h;
  hk_status st = find_shaft(l, s, ring->shaft, &h);
  if (st == HK_OK && (ring->n < 2 || ring->n > BLADES))
    return refuse(l, ring->shaft, "has too few or too many blades: from 2 to 64");
  if (st == HK_OK) st = blade_azimuths(l, s, &h, ring, psi, rank);
  if (st != HK_OK) return st;
  const hk_model *m = l->m;
  const hk_model_body *first = &m->bodies[m->joints[hk_sim_joint_find(s, ring->joints[0])].body];
  for (int32_t c = 0; c < 2 * first->nv; c++) {
    const bool rates = c >= first->nv;
    for (int32_t k = 0; k < ring->n; k++) {
      const hk_model_body *b = &m->bodies[m->joints[hk_sim_joint_find(s, ring->joints[k])].body];
      if (b->ops != first->ops)
        return refuse(l, ring->joints[k], "is of another type than that of the first blade");
      at[k] = state_of(l, b->v0 + c % first->nv, rates ? l->np : 0, rates ? l->np + l->nr : l->np);
      if (at[k] < 0)
        return refuse(l, ring->joints[k],
                      "has a coordinate that is no state: constraints determine it");
    }
    put_ring(l, ring->n, at, psi, rank, h.rate, Pd);
    if (naming && !name_ring(l, ring->n, at)) return HK_E_MEMORY;
  }
  return HK_OK;
}

/* --- axes that turn ---------------------------------------------------------------------------------- */

enum { CARRIED = 64 }; /* most coordinates that carry a shaft */

/* J (6 x CARRIED, columns): twists of the hub, at a point of the axis, by the coordinates that carry it;
 * v: these; their number, -1: too many */
static int32_t hub_motions(const hk_statespace *l, const hk_kin *k, const shaft *h, double *J,
                           int32_t *v) {
  const hk_model *m = l->m;
  int32_t n = 0;
  for (int32_t b = m->bodies[h->body].parent; b != HK_GROUND; b = m->bodies[b].parent)
    for (int32_t j = m->bodies[b].v0; j < m->bodies[b].v0 + m->bodies[b].nv; j++) {
      double arm[3], *V = J + 6 * (size_t)n;
      if (n == CARRIED) return -1;
      s6_copy(V, k->S + 6 * (size_t)j);
      for (int i = 0; i < 6; i++) V[i] *= l->sign[j];
      v3_sub(arm, h->at, k->O + 3 * (size_t)b);
      v3_cross_add(V + 3, V, arm);
      // rotations count as much as displacements of the model's length
      for (int i = 0; i < 3; i++) V[i] *= m->length;
      v[n++] = j;
    }
  return n;
}

/* G (n x n, columns) with J G = [e x] J; false: there is none */
static bool turning(const double *J, int32_t n, const double *e, double *G) {
  double N[CARRIED * CARRIED] = {0}, inv[CARRIED], work[5 * CARRIED + 24], worst = 0.0, size = 0.0;
  int32_t pivot[CARRIED];
  const int32_t ld = hki_dense_ld(n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) N[i + j * ld] = s6_dot(J + 6 * i, J + 6 * j);
  if (hki_dense_lu_factor(n, N, ld, pivot, inv, work, NULL) != HK_OK) return false;
  for (int32_t j = 0; j < n; j++) {
    double turned[6], x[CARRIED + 4] = {0};
    v3_cross(turned, e, J + 6 * j);
    v3_cross(turned + 3, e, J + 6 * j + 3);
    for (int32_t i = 0; i < n; i++) x[i] = s6_dot(J + 6 * i, turned);
    hki_dense_lu_solve(n, N, ld, pivot, inv, x, work);
    for (int32_t i = 0; i < n; i++) G[i + j * n] = x[i];
    for (int i = 0; i < 6; i++) {
      double left = turned[i];
      for (int32_t c = 0; c < n; c++) left -= J[6 * c + i] * x[c];
      worst = fmax(worst, fabs(left)), size = fmax(size, fabs(J[6 * j + i]));
    }
  }
  return worst <= closed * size;
}

/* P, Pinv, Pd of the coordinates at[n], turned by psi from where they agree with the fixed ones */
static void put_turned(hk_statespace *l, int32_t n, const int32_t *at, const double *G, double psi,
                       double rate, double *Pd) {
  const size_t ld = (size_t)l->n;
  const double sn = sin(psi), cs = cos(psi);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double square = 0.0, cube = 0.0;
      for (int32_t c = 0; c < n; c++) square += G[i + c * n] * G[c + j * n];
      for (int32_t c = 0; c < n; c++)
        for (int32_t d = 0; d < n; d++) cube += G[i + c * n] * G[c + d * n] * G[d + j * n];
      const size_t to = (size_t)at[i] + (size_t)at[j] * ld;
      const double one = i == j ? 1.0 : 0.0, g = G[i + j * n];
      l->P[to] = one + sn * g + (1.0 - cs) * square;
      l->Pinv[to] = one - sn * g + (1.0 - cs) * square;
      Pd[to] = rate * (g + sn * square + (1.0 - cs) * cube);
    }
}

static hk_status add_frame(hk_statespace *l, const hk_sim *s, const char *joint, double turned,
                           bool naming, double *Pd) {
  double J[6 * CARRIED], G[CARRIED * CARRIED];
  int32_t v[CARRIED], at[CARRIED];
  shaft h;
  hk_status st = find_shaft(l, s, joint, &h);
  if (st != HK_OK) return st;
  const double psi = h.rate * turned;
  const int32_t n = hub_motions(l, s->kin, &h, J, v);
  if (n == 0)
    return refuse(
        l, joint,
        "is on the ground: all that it carries has coordinates that turn with it already");
  if (n < 0 || !turning(J, n, h.axis, G))
    return refuse(l, joint,
                  "has a hub that cannot move alike in all directions across its axis: there is "
                  "nothing that could be seen from axes that turn");
  for (int32_t part = 0; part < 2; part++) {
    for (int32_t i = 0; i < n; i++) {
      at[i] = state_of(l, v[i], part ? l->np : 0, part ? l->np + l->nr : l->np);
      if (at[i] < 0)
        return refuse(l, joint,
                      "is carried by coordinates that are no states: constraints determine them");
    }
    put_turned(l, n, at, G, psi, h.rate, Pd);
    for (int32_t i = 0; naming && i < n; i++)
      if (!(l->name[at[i]] = hki_pool_printf(l->pool, "%s turning", l->name[at[i]])))
        return HK_E_MEMORY;
  }
  return HK_OK;
}

/* --- the change of states ------------------------------------------------------------------------------ */

/* X = Y Z, n x m and m x q, columns */
static void multiply(int32_t n, int32_t m, int32_t q, const double *Y, const double *Z, double *X) {
  for (int32_t j = 0; j < q; j++)
    for (int32_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (int32_t c = 0; c < m; c++) sum += Y[i + c * n] * Z[c + j * m];
      X[i + j * n] = sum;
    }
}

static hk_status build(hk_statespace *l, const hk_sim *s, double turned, bool naming) {
  const hk_statespace_options *opt = l->how;
  const size_t square = (size_t)l->n * (size_t)l->n;
  memset(l->P, 0, square * sizeof *l->P);
  memset(l->Pinv, 0, square * sizeof *l->Pinv);
  memset(l->Pd, 0, square * sizeof *l->Pd);
  for (int32_t i = 0; i < l->n; i++) l->P[i + i * l->n] = l->Pinv[i + i * l->n] = 1.0;
  hk_status st = HK_OK;
  for (int32_t r = 0; st == HK_OK && r < opt->nrings; r++)
    st = add_ring(l, s, &opt->rings[r], naming, l->Pd);
  return st == HK_OK && opt->frame ? add_frame(l, s, opt->frame, turned, naming, l->Pd) : st;
}

hk_status hki_statespace_turn(hk_statespace *l, const hk_sim *s, double turned) {
  const size_t square = (size_t)l->n * (size_t)l->n + 1;
  const bool first = !l->P;
  if (!l->how || (!l->how->nrings && !l->how->frame)) return HK_OK;
  if (first) {
    l->P = hki_pool_alloc(l->pool, square * sizeof *l->P);
    l->Pinv = hki_pool_alloc(l->pool, square * sizeof *l->Pinv);
    l->Pd = hki_pool_alloc(l->pool, square * sizeof *l->Pd);
    if (!l->P || !l->Pinv || !l->Pd) return HK_E_MEMORY;
  }
  return build(l, s, turned, first);
}

hk_status hki_statespace_turn_matrices(hk_statespace *l) {
  const size_t n = (size_t)l->n, square = n * n;
  if (!l->P) return HK_OK;
  double *X = hki_pool_alloc(l->pool, n * (n + (size_t)l->nu + (size_t)l->ny + 1) * sizeof *X);
  if (!X) return HK_E_MEMORY;
  multiply(l->n, l->n, l->n, l->A, l->P, X);
  for (size_t i = 0; i < square; i++) X[i] -= l->Pd[i];
  multiply(l->n, l->n, l->n, l->Pinv, X, l->A);
  multiply(l->n, l->n, l->nu, l->Pinv, l->B, X);
  memcpy(l->B, X, n * (size_t)l->nu * sizeof *X);
  multiply(l->ny, l->n, l->n, l->C, l->P, X);
  memcpy(l->C, X, n * (size_t)l->ny * sizeof *X);
  return HK_OK;
}

/* rows of V (n x n, columns) by M */
static void map(const hk_statespace *l, const double *M, bool transposed, double *V, double *x) {
  const int32_t n = l->n;
  for (int32_t j = 0; j < n; j++) {
    double *v = V + (size_t)j * (size_t)n;
    for (int32_t i = 0; i < n; i++) {
      x[i] = 0.0;
      for (int32_t c = 0; c < n; c++) x[i] += (transposed ? M[c + i * n] : M[i + c * n]) * v[c];
    }
    memcpy(v, x, (size_t)n * sizeof *x);
  }
}

hk_status hki_statespace_turn_back(hk_statespace *l) {
  const size_t square = (size_t)l->n * (size_t)l->n;
  l->zright = l->right;
  if (!l->P) return HK_OK;
  double *z = hki_pool_alloc(l->pool, (square + (size_t)l->n) * sizeof *z);
  if (!z) return HK_E_MEMORY;
  memcpy(z, l->right, square * sizeof *z);
  map(l, l->P, false, l->right, z + square);
  l->zright = z;
  return HK_OK;
}

/* --- does it stay? --------------------------------------------------------------------------------------- */

/* puts s at q0 (+) tau v0 and tau later; false: there is no such state */
static bool go_on(hk_statespace *l, hk_sim *s, const double *q0, const double *v0, double tau) {
  const hk_model *m = l->m;
  const size_t nq = (size_t)m->nq, ns = (size_t)(m->nv + m->nx + m->nz);
  double *q = hki_pool_alloc(l->pool, (nq + 2 * ns + 1) * sizeof *q), *v = q ? q + nq : NULL;
  if (!q) return false;
  double *xi = v + ns;
  for (int32_t i = 0; i < m->nv; i++) xi[i] = tau * v0[i];
  hki_tree_plus(m, q0, xi, q);
  memcpy(v, v0, ns * sizeof *v);
  s->I.t += tau;
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hk_status st = m->nc ? hki_tree_project_state(s->tree, s->I.t, q, v) : HK_OK;
  if (st == HK_OK) st = s->f->ops->from_tree(s->f, q, v, s->I.q, s->I.v);
  if (st == HK_OK) st = s->f->ops->accel(s->f, s->I.t, s->I.q, s->I.v, s->I.a);
  if (st == HK_OK) hki_sim_refresh(s);
  return st == HK_OK;
}

double hki_statespace_look_ahead(const hk_sim *s) {
  double most = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) most = fmax(most, fabs(s->vt[i]) / s->tree->scale[i]);
  return most > 1e-9 ? 0.7 / most : 0.0;
}

hk_status hki_statespace_compare(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                 const double *q0, const double *v0, double tau) {
  hk_statespace later = *l;
  later.ny = later.nu = 0;
  if (!go_on(l, s, q0, v0, tau)) return HK_OK;
  hk_status st = hki_statespace_turn(&later, s, tau);
  if (st == HK_OK) st = hki_statespace_differences(&later, s, free, l->sign, NULL);
  if (st == HK_OK) st = hki_statespace_turn_matrices(&later);
  if (st != HK_OK) return st == HK_INTERRUPTED || st == HK_E_MEMORY ? st : HK_OK;
  double most = 0.0, size = 0.0;
  for (size_t i = 0; i < (size_t)l->n * (size_t)l->n; i++) {
    most = fmax(most, fabs(later.A[i] - l->A[i]));
    size = fmax(size, fabs(l->A[i]));
  }
  l->varies = size > 0.0 ? most / size : 0.0;
  return HK_OK;
}
