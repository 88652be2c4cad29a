/* SPDX-License-Identifier: Apache-2.0
 *
 * plane.h: the passes of tree.c and closures.c for plane mechanisms: all bodies turn about the z axis and lie in the
 * plane z = 0. Every number that is not zero is formed by the same operations in the same order as there.
 */
#ifndef HK_KINEMATICS_PLANE_H
#define HK_KINEMATICS_PLANE_H

#include "kinematics/kin.h"

/* constants of a body */
struct hk_plane {
  int32_t parent, root;
  bool inert;   /* it has inertia */
  double sense; /* of the joint's axis: 1 or -1 */
  double on_parent[2], child[2], mass;
  double J[4]; /* xx, yy, zz, xy */
  double
      none; /* zero, for the second half of a vector: Valgrind 3.19 does not know the move that a constant becomes */
};

/* constants of a closure that holds a point of the second body on axes of the first */
struct hk_pin {
  int32_t body[2], row0, nrows;
  int32_t first, n, both; /* runs of its path; where its rows side by side begin, -1: nowhere */
  const int32_t *dof, *column;
  double on[2][3], axis[2][2]; /* the points in their bodies, axes of its rows in the first one */
};

/* Rows of closures with two rows each as columns of four: row r and column j, coordinate dof[j], at gz[at + 4 (r / 4 n + j) +
 * r % 4]. n coordinates of closures in an order that all their paths have; column: their places, by coordinate. */
enum { HK_BESIDE = 8 }; /* rows and coordinates at most */
struct hk_beside {
  int32_t at, n, dof[HK_BESIDE], column[HK_BESIDE];
};

/* Is the model a plane mechanism, and has k no bodies in lanes? Then k->plane is filled, else it becomes NULL. */
void hki_plane_init(hk_kin *k);
/* Can a closure that holds a point on axes, of a plane mechanism, be evaluated by the next two? */
bool hki_plane_holds(const hk_kin *k, int32_t closure);
void hki_plane_closure(hk_kin *k, int32_t closure);
void hki_plane_bias(hk_kin *k, int32_t closure);
/* positions, velocities, both, forces: all bodies, as the functions of tree.c */
void hki_plane_places(hk_kin *k, const double *q);
void hki_plane_velocities(hk_kin *k, const double *v);
void hki_plane_states(hk_kin *k, const double *q, const double *v);
void hki_plane_forces(hk_kin *k, const double *a, double *A, double *F);
/* r = S . F - tau of the bodies, whose F are summed towards the ground */
void hki_plane_residual(const hk_kin *k, double *F, double *r);
/* adds the energies of all bodies, and their momentum to that of k */
void hki_plane_energy(hk_kin *k, double *kinetic, double *potential);

/* Rows of few closures and coordinates, side by side: k->beside. Found by init; G: gz, or what is laid out as it. Only where
 * all closures are active. */
static inline bool hki_plane_beside(const hk_kin *k) {
  const double *on = k->disc.active;
  const int32_t n = k->m->nc;
  return k->beside && on[0] != 0.0 && (n < 2 || on[1] != 0.0) && (n < 3 || on[2] != 0.0) &&
         (n < 4 || on[3] != 0.0);
}
/* all closures; bias: their gamma */
void hki_plane_closures(hk_kin *k, bool bias);
/* largest |gz| w of each row, and the sum of gz^2 y; w, y: by coordinate */
void hki_plane_largest(const hk_kin *k, const double *w, double *most);
/* largest |y| w over all rows; not a number where some product is none */
double hki_plane_norm(const hk_kin *k, const double *y, const double *w);
void hki_plane_squares(const hk_kin *k, const double *y, double *sum);
void hki_plane_rows_init(hk_kin *k, int32_t g);
void hki_plane_rows(const hk_kin *k, const double *G, const double *x, double *y);
void hki_plane_add_rows(const hk_kin *k, const double *G, const double *mu, double *r);

#endif
