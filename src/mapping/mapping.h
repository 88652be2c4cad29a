/* SPDX-License-Identifier: Apache-2.0
 *
 * mapping.h: many points that follow some bodies: the skin of a wing, the mesh of a flow solver. Each body
 * stands for points that are rigidly tied to it, its origin and one on either side along each of its axes;
 * moving least squares (mls.h) carry their positions to the points. Row by row and body by body that is
 *
 *   x_p = sum_b w_pb p_b + R_b o_pb       motion, and with velocities v_p = sum_b w_pb v_b + om_b x R_b o_pb
 *   f_b = sum_p w_pb f_p                  forces, by the transpose:
 *   m_b = sum_p R_b o_pb x f_p            moments about the origins of the bodies
 *
 * w: sum of the entries of H at the points of a body, o: their sum with the places of these points. The rows sum
 * to one and carry places over exactly, so that rigid motions are exact, and the resultant force and moment of
 * any f_p are kept.
 */
#ifndef HK_MAPPING_MAPPING_H
#define HK_MAPPING_MAPPING_H

#include "geometry/geometry.h"
#include "mapping/mls.h"

/* where a body is: its origin, and its axes, in columns */
typedef struct hk_mapping_body {
  double p[3], R[9];
  bool point; /* it does not turn: its origin alone */
} hk_mapping_body;

typedef struct hk_mapping_entry {
  int32_t body; /* in the list of bodies */
  double w;
  double o[3]; /* m, world axes at the drawing position */
} hk_mapping_entry;

typedef struct hk_mapping {
  hk_ctx *ctx;
  int32_t npoint, nbody;
  double *point;  /* npoint x 3, drawing position */
  int32_t *start; /* npoint + 1 */
  hk_mapping_entry *entry;
  int32_t lowered; /* rows with fewer polynomials than asked for */
  int32_t lost;    /* point that the bodies do not determine, -1: none */
  double miss;     /* by how much, m */
} hk_mapping;

/* motion of a body of the list: origin, rotation from the drawing position, velocities; world axes */
typedef struct hk_mapping_motion {
  double p[3], R[9], v[3], w[3];
} hk_mapping_motion;

/* Makes a mapping; reach: distance of the points of a body from its origin along its axes x, y, z; NULL: half the
 * way to the nearest other body. HK_E_MODEL: a point is lost. hki_mapping_free in either case. */
hk_status hki_mapping_init(hk_mapping *m, hk_ctx *ctx, const hk_mls_options *opt,
                           const double *reach, int32_t nbody, const hk_mapping_body *body,
                           int32_t npoint, const double *point);
void hki_mapping_free(hk_mapping *m);
/* positions and velocities of the points; each may be NULL */
void hki_mapping_move(const hk_mapping *m, const hk_mapping_motion *at, double *x, double *v);
/* adds forces on the points to those of the bodies: moment about its origin, then force, of each */
void hki_mapping_push(const hk_mapping *m, const hk_mapping_motion *at, const double *f,
                      double *wrench);

#endif
