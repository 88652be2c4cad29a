/* SPDX-License-Identifier: Apache-2.0
 *
 * coordinates.h: names and signs of the tree's coordinates as callers know them. They differ from the
 * machine's,
 *
 *   q = sign (q_caller - zero),   v = sign v_caller
 *
 * where the tree has entered a joint from its second body or its zero has been moved.
 */
#ifndef HK_SIMULATION_COORDINATES_H
#define HK_SIMULATION_COORDINATES_H

#include "model/model.h"

typedef struct hk_coordinates {
  double *q_sign, *q_zero; /* nq */
  double *sign;            /* nv */
  const char **q_name;     /* nq: "joint.pin.angle", "joint.ball.orientation.w" */
  const char **v_name;     /* nv: "joint.pin.rate", "joint.ball.turning.x" */
  const char **unit;       /* nv: of the coordinate, "m" or "rad"; the velocity's is that by s */
  int32_t *q_of;           /* nv: the coordinate whose rate it is, HK_NONE: an angular velocity */
} hk_coordinates;

/* everything in memory of the pool */
hk_status hki_coordinates_find(const hk_model *m, hk_pool *pool, hk_coordinates *out);
/* quaternions of the machine's coordinates q get length 1; false: one has no direction */
bool hki_coordinates_normalise(const hk_model *m, double *q);

#endif
