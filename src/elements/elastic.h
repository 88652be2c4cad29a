/* SPDX-License-Identifier: Apache-2.0
 *
 * elastic.h: what elastic joints have in common: the pose of the second marker seen from the first
 * (pose.h), all of it or its displacements or rotations alone, resisted by laws (laws.h).
 *
 *   f = f(s, sd)       w = -B'f       B = ds/dxi, exact
 *
 * With the exact B a law with a potential has one for rotations of any size. The tangent of a time step,
 * B' ks B, takes the symmetric part of ks alone; the exact K and C have both parts and the geometric
 * terms.
 *
 * Rotations may pass half a turn: the element remembers the rotation vector at the last accepted state
 * and takes the nearest one. At a full turn a rotation vector does not tell how far the markers are turned
 * across it, and forces grow without limit before: beyond 0.95 of a turn the element refuses.
 */
#ifndef HK_ELEMENTS_ELASTIC_H
#define HK_ELEMENTS_ELASTIC_H

#include "elements/laws.h"
#include "elements/pose.h"

/* which of the six deformations */
typedef struct hk_elastic_part {
  const char *type;     /* the element's name, for messages */
  int32_t first, count; /* of x y z rx ry rz */
  const char *axes;     /* words of them */
} hk_elastic_part;

/* parameters; the first ones of all these elements */
typedef struct hk_elastic {
  hk_laws law;
  const hk_elastic_part *part;
  int32_t reference; /* hk_reference */
  /* It counts rotations beyond half a turn: where every rotation is sprung, or its axes are half-way. One
   * that is free about an axis, a bearing, may turn for ever. */
  bool turns;
} hk_elastic;

enum {
  HK_ELASTIC_DISCRETE = 3
}; /* discrete data: the rotation vector at the last accepted state */

/* clang-format off */
/* rows of parameters that they share: where they are, and their axes */
#define HK_ELASTIC_PLACE \
    {"at", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "its centre: a point of both bodies, without a displacement at the drawing position"}, \
    {"ends", HK_P_ENDS, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "instead of at, when it is drawn displaced: [point of the first body, point of the second]"}
#define HK_ELASTIC_AXES \
    {"axes", HK_P_FRAME, 0, HK_P_HAND, 0, 0, 0, "", NULL, "its axes at the drawing position (default: world), then fixed in its bodies"}, \
    {"second_axes", HK_P_FRAME, 0, 1, 0, 0, 0, "", NULL, "when it is drawn turned: axes of the second body, parallel to those of the first without a rotation"}
/* clang-format on */

/* for `prepare` */
hk_status hki_elastic_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_elastic *par,
                              const hk_elastic_part *part, uint32_t u_given);
/* for the ops themselves */
void hki_elastic_eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out);
const char *hki_elastic_follow(const void *par, const hk_element_in *in, double *d);
int32_t hki_elastic_laws(const void *par, const hk_law **list);

#endif
