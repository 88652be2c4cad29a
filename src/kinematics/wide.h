/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.h: evaluation of elements on several markers, the same for all machines: a machine places the
 * bodies, and gets wrenches and tangents at their centres of mass.
 *
 *   W        wrench on each body about its centre of mass, world axes
 *   K, C     -dW/dx, -dW/dV: by the variations (rotation, displacement) of the bodies and by their
 *            twists there, world axes. K is at velocities of the centres that stay as they are and at
 *            angular velocities that turn with the bodies, as Cartesian coordinates have them: at fixed
 *            angular velocities omega it is C (theta x omega, 0) less
 */
#ifndef HK_KINEMATICS_WIDE_H
#define HK_KINEMATICS_WIDE_H

#include "kinematics/kin.h"

/* v += r x (another three numbers): a covector (moment, force), `step` numbers apart, moved by r */
static inline void hki_to_centre(double *x, int step, const double *r) {
  const double f[3] = {x[3 * step], x[4 * step], x[5 * step]};
  x[0] += r[1] * f[2] - r[2] * f[1];
  x[step] += r[2] * f[0] - r[0] * f[2];
  x[2 * step] += r[0] * f[1] - r[1] * f[0];
}

/* K and C (6 n x 6 n; C may be NULL) of wrenches w at n markers F become those at the centres of mass
 * of their bodies, in place. Inline: with n a constant it is as fast as for that many. */
static inline void hki_kin_to_centres(const hk_kin *k, int n, const int32_t *body,
                                      const hk_frame *F, const double *w, double *K, double *C) {
  const int size = 6 * n;
  for (int s = 0; s < n; s++) {
    double r[3], u[3];
    if (body[s] == HK_GROUND) continue;
    const hk_frame *f = &k->frame[body[s]];
    v3_sub(r, F[s].p, f->p);
    v3_cross(u, f->w, r);
    for (int i = 0; i < size; i++) {
      double *row = K + size * i + 6 * s;
      hki_to_centre(row, 1, r);
      if (!C) continue;
      // the twist of a marker changes with the pose of its body
      double *cr = C + size * i + 6 * s;
      v3_cross_add(row, f->w, cr);
      v3_cross_add(row, u, cr + 3);
      hki_to_centre(cr, 1, r);
    }
  }
  for (int s = 0; s < n; s++) {
    double r[3];
    if (body[s] == HK_GROUND) continue;
    v3_sub(r, F[s].p, k->frame[body[s]].p);
    for (int j = 0; j < size; j++) hki_to_centre(K + size * 6 * s + j, size, r);
    for (int j = 0; C && j < size; j++) hki_to_centre(C + size * 6 * s + j, size, r);
    const double *f = w + 6 * s + 3, rf = v3_dot(r, f);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        K[size * (6 * s + i) + 6 * s + j] += (i == j ? rf : 0.0) - r[i] * f[j];
  }
}

/* Evaluates wide element i at the present frames of k; the result is good until the next call. K and
 * C, and w, are at the centres of mass; those of markers on the ground are not used. */
const hk_wide_out *hki_kin_wide(const hk_kin *k, int32_t i, uint32_t need);

/* Inertia of wide element i, which has one, at accelerations A (nb x 6: spatial, about O) of the
 * bodies; NULL: without forces. acc (6 a marker, elements/wide.h): the same from accelerations that
 * a machine has itself. Good until the next call. */
const hk_wide_inertia *hki_kin_wide_inertia(const hk_kin *k, int32_t i, const double *A,
                                            uint32_t need);
const hk_wide_inertia *hki_kin_wide_inertia_at(const hk_kin *k, int32_t i, const double *acc,
                                               uint32_t need);
/* F (nb x 6, about O) += forces of inertia of all of them at accelerations A, or at A + A0 */
void hki_kin_add_wide_inertia(const hk_kin *k, const double *A, bool bias, double *F);

/* Evaluates all elements and gives each result to `take`, in the order of the model and by the caller's
 * thread, so that sums have the same bits for any number of threads. */
typedef void hk_wide_take(void *user, int32_t i, const hk_wide_out *out);
void hki_kin_wide_each(const hk_kin *k, uint32_t need, hk_wide_take *take, void *user);
/* values that it is given, in the memory of k: by the caller's thread, before: */
void hki_kin_wide_inputs(const hk_kin *k, int32_t i);
/* one of them with frames and results in the memory of a thread */
void hki_kin_wide_at(const hk_kin *k, int32_t i, uint32_t need, hk_frame *F, hk_wide_out *out);

/* k shares their evaluation among so many threads from now on; nothing where there are few elements.
 * HK_E_MEMORY when threads could not be started. */
hk_status hki_kin_team_create(hk_ctx *ctx, hk_kin *k, int32_t threads);
void hki_kin_team_end(hk_ctx *ctx, hk_kin *k);

/* y (n): outputs first, first + 1 .. of an element (elements/wide.h) */
void hki_kin_wide_outputs(const hk_kin *k, int32_t i, int32_t first, int32_t n, double *y);

/* strain energy of item i of the beams' channels, or the power that its damping takes out: an element, or from
 * nwide on a group */
double hki_kin_wide_power(const hk_kin *k, int32_t item, bool dissipated);

/* of all of them: does one refuse to go on from here? Then k->refused says why */
void hki_kin_wide_follow(hk_kin *k);
/* strain energy of element i, a body with modes */
double hki_kin_modal_strain(const hk_kin *k, int32_t i);
/* what an element of small deflections says of the present state; false: it has no such limits */
bool hki_kin_wide_doubt(const hk_kin *k, int32_t i, hk_wide_doubt *out);

/* of all of them: k->W += their wrenches, about the points O of trees */
void hki_kin_wide_forces(hk_kin *k);
/* their energies, powers and traces; outputs where recorders want them */
void hki_kin_wide_energy(hk_kin *k, double *kinetic, double *stored, double *dissipated,
                         double *supplied);
/* work: dissipated and supplied of each over a step (work.c) */
void hki_kin_wide_work(const hk_kin *k, double h, const hk_trace *from, const hk_trace *to,
                       double *work);

#endif
