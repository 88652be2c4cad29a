/* SPDX-License-Identifier: Apache-2.0
 *
 * support_points.h: one mechanism in tree coordinates and in natural coordinates, at one state.
 */
#ifndef HK_TESTS_MACHINES_SUPPORT_POINTS_H
#define HK_TESTS_MACHINES_SUPPORT_POINTS_H

#include <check.h>

#include "formulations/formulation.h"
#include "machines/points/points.h"
#include "machines/tree/tree.h"
#include "model/build.h"
#include "numbers.h"

typedef struct pair {
  build b;
  hk_model *m;
  hk_tree *s;
  hk_points *n;
  hk_formulation *f; /* the global formulation, with a machine of its own */
  double t;
  double *qt, *vt, *at; /* tree: coordinates, velocities, accelerations */
  double *q, *v, *a;    /* natural */
} pair;

/* compile and create; the state is the drawing, at rest */
pair pair_make(build *b, hk_points_choice choice);
void pair_free(pair *p);
/* a state near the drawing that satisfies all closures at time t, velocities too; size of the
 * departure from the drawing */
void pair_state(pair *p, double t, double size, uint64_t seed);

/* mechanisms: `begin`, then bodies b0, b1 ... and joints j0, j1 ... along x */
build begin(bool planar);
int32_t add_body(build *b, int32_t i, double x);
int32_t add_joint(build *b, const char *type, int32_t first, int32_t second, double x,
                  uint64_t seed);
/* five bars with seven pins; three bodies with a spring and a motor that reads channels */
build double_four_bar(void);
build sprung(void);
/* joints that can close a loop */
enum { POINTS_CLOSING = 12, POINTS_FLAT_CLOSING = 7 };
extern const char *const closing[POINTS_CLOSING], *const flat_closing[POINTS_FLAT_CLOSING];

void drop(int n, double **list);

#endif
