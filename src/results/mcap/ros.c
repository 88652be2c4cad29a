/* SPDX-License-Identifier: Apache-2.0
 *
 * ros.c: messages of ROS 2 (ros.h).
 */
#include "results/mcap/ros.h"

#include <string.h>

/* --- definitions -------------------------------------------------------------------------------------- */

typedef struct part {
  const char *name, *fields;
} part;

enum {
  P_HEADER,
  P_TIME,
  P_VECTOR,
  P_QUATERNION,
  P_TRANSFORM,
  P_STAMPED,
  P_POINT,
  P_POSE,
  P_COLOUR,
  P_DURATION,
  P_IMAGE,
  P_UV,
  P_MESH,
  P_MARKER,
  P_END
};

static const part parts[] = {
    [P_HEADER] = {"std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"},
    [P_TIME] = {"builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"},
    [P_VECTOR] = {"geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n"},
    [P_QUATERNION] = {"geometry_msgs/Quaternion", "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"},
    [P_TRANSFORM] = {"geometry_msgs/Transform",
                     "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"},
    [P_STAMPED] = {"geometry_msgs/TransformStamped",
                   "std_msgs/Header header\nstring child_frame_id\n"
                   "geometry_msgs/Transform transform\n"},
    [P_POINT] = {"geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n"},
    [P_POSE] = {"geometry_msgs/Pose",
                "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"},
    [P_COLOUR] = {"std_msgs/ColorRGBA", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"},
    [P_DURATION] = {"builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n"},
    [P_IMAGE] = {"sensor_msgs/CompressedImage",
                 "std_msgs/Header header\nstring format\nuint8[] data\n"},
    [P_UV] = {"visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n"},
    [P_MESH] = {"visualization_msgs/MeshFile", "string filename\nuint8[] data\n"},
    [P_MARKER] = {"visualization_msgs/Marker",
                  "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\n"
                  "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\n"
                  "builtin_interfaces/Duration lifetime\nbool frame_locked\n"
                  "geometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\n"
                  "string texture_resource\nsensor_msgs/CompressedImage texture\n"
                  "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\n"
                  "string mesh_resource\nvisualization_msgs/MeshFile mesh_file\n"
                  "bool mesh_use_embedded_materials\n"}};

static const struct {
  const char *name, *fields;
  int parts[12];
} types[HK_ROS_TYPES] = {
    [HK_ROS_NUMBER] = {"std_msgs/msg/Float64", "float64 data\n", {P_END}},
    [HK_ROS_FRAMES] = {"tf2_msgs/msg/TFMessage",
                       "geometry_msgs/TransformStamped[] transforms\n",
                       {P_STAMPED, P_HEADER, P_TIME, P_TRANSFORM, P_VECTOR, P_QUATERNION, P_END}},
    [HK_ROS_MARKERS] = {"visualization_msgs/msg/MarkerArray",
                        "visualization_msgs/Marker[] markers\n",
                        {P_MARKER, P_HEADER, P_TIME, P_POSE, P_POINT, P_QUATERNION, P_VECTOR,
                         P_COLOUR, P_DURATION, P_IMAGE, P_UV, P_MESH}}};

const char *hki_ros_name(hk_ros_type type) { return types[type].name; }

void hki_ros_definition(hk_ros_type type, hk_text *out) {
  static const char rule[] = "========================================"
                             "========================================\nMSG: ";
  hki_text_add(out, types[type].fields);
  for (int i = 0; i < HK_ARRAY_LEN(types[type].parts) && types[type].parts[i] != P_END; i++) {
    const part *p = &parts[types[type].parts[i]];
    hki_text_add(out, rule);
    hki_text_add(out, p->name);
    hki_text_add(out, "\n");
    hki_text_add(out, p->fields);
  }
}

/* --- bytes -------------------------------------------------------------------------------------------- */

enum { HEAD = 4 };

void hki_cdr_begin(hk_text *t) {
  t->len = 0;
  hki_text_addn(t, "\0\1\0\0", HEAD);
}

static void align(hk_text *t, size_t to) {
  const size_t over = (t->len - HEAD) % to;
  if (over) hki_mcap_put(t, 0, (int)(to - over));
}

void hki_cdr_int(hk_text *t, int64_t x) {
  align(t, 4);
  hki_mcap_put(t, (uint64_t)x, 4);
}

void hki_cdr_number(hk_text *t, double x) {
  align(t, 8);
  hki_mcap_number(t, x);
}

void hki_cdr_numbers(hk_text *t, const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++) hki_cdr_number(t, x[i]);
}

static void put_single(hk_text *t, double x) {
  const float f = (float)x;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  align(t, 4);
  hki_mcap_put(t, bits, 4);
}

void hki_cdr_string(hk_text *t, const char *s) {
  const size_t n = strlen(s) + 1;
  hki_cdr_int(t, (int64_t)n);
  hki_text_addn(t, s, n);
}

void hki_cdr_time(hk_text *t, uint64_t ns) {
  hki_cdr_int(t, (int64_t)(ns / 1000000000u));
  hki_cdr_int(t, (int64_t)(ns % 1000000000u));
}

/* --- markers -------------------------------------------------------------------------------------------- */

void hki_ros_markers(hk_text *t, int32_t n) {
  hki_cdr_begin(t);
  hki_cdr_int(t, n);
}

void hki_ros_marker(hk_text *t, uint64_t ns, const hk_ros_marker *m) {
  hki_cdr_time(t, ns);
  hki_cdr_string(t, m->frame);
  hki_cdr_string(t, m->group);
  hki_cdr_int(t, m->id);
  hki_cdr_int(t, m->kind);
  hki_cdr_int(t, 0); // add
  // position, quaternion x y z w
  const double pose[7] = {m->at[0], m->at[1], m->at[2], m->at[4], m->at[5], m->at[6], m->at[3]};
  hki_cdr_numbers(t, pose, 7);
  hki_cdr_numbers(t, m->scale, 3);
  for (int i = 0; i < 3; i++) put_single(t, m->colour[i]);
  put_single(t, 1.0);
  hki_cdr_time(t, 0);    // for ever
  hki_mcap_put(t, 1, 1); // it moves with its frame
  hki_cdr_int(t, m->npoints);
  hki_cdr_numbers(t, m->points, 3 * m->npoints);
  hki_cdr_int(t, 0); // no colours of points
  // no texture: its name; an image with header, format and data; no coordinates of it
  hki_cdr_string(t, "");
  hki_cdr_time(t, 0);
  hki_cdr_string(t, "");
  hki_cdr_string(t, "");
  hki_cdr_int(t, 0);
  hki_cdr_int(t, 0);
  hki_cdr_string(t, ""); // text
  hki_cdr_string(t, ""); // mesh: resource, file name, data, materials
  hki_cdr_string(t, "");
  hki_cdr_int(t, 0);
  hki_mcap_put(t, 0, 1);
}
