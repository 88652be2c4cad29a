/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_lsq.c: `stabilisation: overdetermined`: index 1 with the constraints at all levels and no
 * multipliers but lam.
 *
 *   q' = v
 *   M v' + G' lam = W
 *   phi = 0
 *   G v + phi_t = 0
 *   G v' + gamma = 0
 *
 * Discretised these are 2 n + 3 m equations e(z) = 0 in 2 n + m unknowns z = (q, v, lam), which
 * local errors make inconsistent. They are solved in the sense of least squares by the Gauss-Newton
 * iteration: dz minimises |e + J dz|, J = de/dz, from the augmented system
 *
 *   [ 1   J ] [ e1 ]   [ -e ]
 *   [ J'  0 ] [ dz ] = [  0 ]
 *
 * All equations are scaled to the size of a position: kinematics by 1/cv, motion by 1/ca and the
 * mass or inertia of its body, rates of the rows by 1/cv and 1/ca, lengths by the model's length,
 * rows by their largest gradient. The local error h^3 of positions is then shared between them:
 * |phi| = O(h^3), |G v + phi_t| = O(h^2). Neither accumulates, since each step asks for phi = 0
 * again. Along the free motions the remaining residual is smaller by a factor h, so that the order
 * of the integrator stays. The oblique projection of the source, which satisfies the constraints
 * exactly, is the solution with multipliers of stab_fl.c.
 *
 * Source: Fuhrer and Leimkuhler 1991, as in Haug, Negrut and Iancu 1997, section 2.
 */
#include "formulations/redundant/stab.h"

/* smallest mass in the weights, as a share of the largest mass */
static const double share = 1e-6;

void hki_redundant_stab_weights(hk_redundant_stab *s) {
  const hk_redundant *r = s->r;
  const hk_bodies *c = r->c;
  const double L = c->m->length, least = share * r->mass;
  const int32_t turns = c->planar ? 1 : 3;
  for (int32_t k = 0; k < c->m->nb; k++) {
    const hk_model_body *b = &c->m->bodies[k];
    const double inertia = (b->J[0] + b->J[4] + b->J[8]) / 3.0;
    for (int32_t j = c->lack[k]; j < c->nd; j++) {
      const int32_t i = c->v0[k] + j;
      s->weight[s->at.kin + i] = 1.0 / c->scale[i];
      s->weight[s->at.dyn + i] =
          r->mass / (j < turns ? fmax(inertia, least * L * L) : L * fmax(b->mass, least));
    }
  }
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    for (int32_t k = set->row0; k < set->row0 + set->nrows; k++) {
      double most = 0.0;
      for (int32_t j = 0; j < 2 * c->nd; j++)
        most = fmax(most, fabs(c->G[2 * c->nd * hki_bodies_line(set, k) + j]) *
                              (j % c->nd < turns ? 1.0 : L));
      most = most > 0.0 ? 1.0 / most : 1.0;
      if (set->part) most = fmin(most, s->weight[s->at.pos + k]);
      s->weight[s->at.pos + k] = s->weight[s->at.vel + k] = s->weight[s->at.acc + k] = most;
    }
  }
}

static const hk_redundant_form form = {.acc = true, .least = true, .of = {HK_REDUNDANT_LAM}};

const hk_redundant_method hki_redundant_overdetermined_method = {
    .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL | HK_CAP_EXACT | HK_CAP_RATE_ROWS | HK_CAP_HELD |
            HK_CAP_INERTIA | HK_CAP_SERVO,
    .form = &form,
    .begin = hki_redundant_stab_begin,
    .residual = hki_redundant_stab_residual,
    .factor = hki_redundant_stab_factor,
    .correct = hki_redundant_stab_correct,
    .project = hki_redundant_stab_project,
};
