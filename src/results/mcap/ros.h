/* SPDX-License-Identifier: Apache-2.0
 *
 * ros.h: messages of ROS 2 as bytes: the CDR encoding (OMG, XCDR version 1, little-endian) of the few types that robotics
 * viewers know, and their definitions as text, which the file carries with it.
 */
#ifndef HK_RESULTS_MCAP_ROS_H
#define HK_RESULTS_MCAP_ROS_H

#include "results/mcap/container.h"
#include "results/results.h"

typedef enum hk_ros_type { HK_ROS_NUMBER, HK_ROS_FRAMES, HK_ROS_MARKERS, HK_ROS_TYPES } hk_ros_type;

const char *hki_ros_name(hk_ros_type type);
/* the definition with those of its parts, appended */
void hki_ros_definition(hk_ros_type type, hk_text *out);

/* --- bytes: each field begins at a multiple of its size behind the head of four bytes ------------- */

void hki_cdr_begin(hk_text *t); /* empties the buffer */
void hki_cdr_int(hk_text *t, int64_t x);
void hki_cdr_number(hk_text *t, double x);
void hki_cdr_numbers(hk_text *t, const double *x, int32_t n);
void hki_cdr_string(hk_text *t, const char *s);
/* time as seconds and nanoseconds */
void hki_cdr_time(hk_text *t, uint64_t ns);

/* --- shapes --------------------------------------------------------------------------------------- */

/* what a marker is drawn as, by its numbers in visualization_msgs/Marker */
enum {
  HK_ROS_BOX = 1,
  HK_ROS_BALL = 2,
  HK_ROS_CYLINDER = 3,
  HK_ROS_LINE = 4,
  HK_ROS_TRIANGLES = 11
};

typedef struct hk_ros_marker {
  const char *frame, *group; /* the frame it is fixed to; with id: its name */
  int32_t id, kind;
  double at[7];    /* x y z, quaternion w x y z */
  double scale[3]; /* of boxes and balls the size, of lines the width first */
  double colour[3];
  int32_t npoints;
  const double *points; /* npoints x 3 */
} hk_ros_marker;

/* a list of n markers: its count, then each of them */
void hki_ros_markers(hk_text *t, int32_t n);
void hki_ros_marker(hk_text *t, uint64_t ns, const hk_ros_marker *marker);

/* --- the scene of a result (docs/results-format.md) ------------------------------------------------ */

typedef struct hk_ros_group {
  const char *name;
  int32_t first, count; /* its bodies, which are its nodes */
  bool closed;
} hk_ros_group;

typedef struct hk_ros_scene {
  int32_t nbodies, ngroups;
  const char **bodies;  /* names */
  hk_ros_group *groups; /* beams and cables */
  double length;        /* a characteristic one, m */
} hk_ros_scene;

/* Reads names and groups into `pool`; the shapes of bodies become a message in `shapes`, the profiles of roads one in
 * `roads`; their len is 0 when there are none. */
hk_status hki_ros_scene(hk_ctx *ctx, hk_pool *pool, const hk_results_scene *scene,
                        hk_ros_scene *out, hk_text *shapes, hk_text *roads);

#endif
