/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_external.h: what a model shows to other programs, and lets them act on: surfaces and external forces (spec.h).
 */
#ifndef HK_MODEL_SPEC_EXTERNAL_H
#define HK_MODEL_SPEC_EXTERNAL_H

#include "base/base.h"
#include "streams/stream.h"

/* points that follow bodies (`surfaces:`); only drawings and external forces know them */
typedef struct hk_spec_cover {
  const char *name;
  hk_loc loc;
  int32_t nbody;
  const int32_t *body;          /* nbody: the bodies of its mapping */
  const struct hk_mapping *map; /* mapping/mapping.h; origins are those of the bodies' own frames */
  int32_t nface;
  const int32_t *face; /* nface x 3: triangles between its points */
} hk_spec_cover;

/* what the other program sees of rotations */
enum { HK_EXTERNAL_NONE, HK_EXTERNAL_VECTOR, HK_EXTERNAL_MATRIX, HK_EXTERNAL_EULER };
/* axes of the force that it gives the reference body, or that there is none */
enum { HK_REFERENCE_ROTATED, HK_REFERENCE_WORLD, HK_REFERENCE_UNUSED };

/* forces that another program gives (`external:`); inputs NAME_1_fx .. NAME_1_mz, one set for each body, and
 * NAME_reference_fx .. of a reference body */
typedef struct hk_spec_external {
  hk_loc loc;
  hk_stream_plan plan; /* name, way, address, listen, timeout */
  int32_t coupling;    /* 0 previous, 1 loose, 2 tight */
  int32_t relax;       /* tight: 0 quasi-Newton, 1 Aitken, 2 constant */
  double factor;
  int32_t every; /* previous: steps between exchanges */
  int32_t orientation;
  bool accelerations, repeats;
  bool late;           /* it first sees the first step, not the start */
  const char *surface; /* NULL: bodies */
  int32_t nbody;
  int32_t *body; /* nbody */
  hk_loc label_loc;
  bool labels;
  int32_t nlabel;
  const uint32_t *label; /* nlabel: one of each body or point; NULL: without labels */
  int32_t reference;     /* a body from which it sees the others, -1: none */
  uint32_t reference_label;
  int32_t reference_forces;
} hk_spec_external;

#endif
