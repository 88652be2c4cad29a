/* SPDX-License-Identifier: Apache-2.0
 *
 * scene.c: the scene of a result as markers. Shapes stand in the frame of their body, so that one message at the start
 * is enough: the poses move them. A cone is a fan of triangles, a capsule a cylinder with two balls.
 */
#include <math.h>
#include <string.h>

#include "formats/csv_table.h"
#include "formats/yaml.h"
#include "results/mcap/ros.h"

enum { SIDES = 24, NODES_MOST = 100000000, GROUND = -1 };
static const double steel[3] = {0.62, 0.66, 0.72}, earth[3] = {0.35, 0.30, 0.25};
static const double pi = 3.14159265358979323846;

typedef struct job {
  hk_ctx *ctx;
  const hk_results_scene *scene;
  const hk_ros_scene *out;
  hk_text *to;
  int32_t n;      /* markers so far */
  double *points; /* of one marker */
  int32_t cap;
  bool failed;
} job;

/* --- numbers of the text -------------------------------------------------------------------------------- */

static double number(const hk_node *node, double otherwise) {
  double x = otherwise;
  const char *text = hki_node_text(node);
  return text && hki_decimal(text, node->len, &x) ? x : otherwise;
}

static double member(const hk_node *map, const char *key, double otherwise) {
  return number(hki_node_get(map, key), otherwise);
}

static const hk_node *item(const hk_node *list, int32_t i) {
  return list && list->kind == HK_NODE_SEQUENCE && i < list->count ? list->items[i] : NULL;
}

static int32_t count_of(const hk_node *list) {
  return list && list->kind == HK_NODE_SEQUENCE ? list->count : 0;
}

static void numbers(const hk_node *list, double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++) x[i] = number(item(list, i), x[i]);
}

/* a pair of whole numbers, [first, count] */
static void range_of(const hk_node *map, const char *key, int32_t *first, int32_t *count) {
  double x[2] = {0.0, 0.0};
  numbers(hki_node_get(map, key), x, 2);
  *first = x[0] >= 0.0 && x[0] < 2e9 ? (int32_t)x[0] : 0;
  *count = x[1] >= 0.0 && x[1] < 2e9 ? (int32_t)x[1] : 0;
}

/* --- markers -------------------------------------------------------------------------------------------- */

static void put(job *j, hk_ros_marker *m) {
  m->id = j->n++;
  hki_ros_marker(j->to, 0, m);
}

/* room for n points; NULL: no memory */
static double *room(job *j, int64_t n) {
  if (n > INT32_MAX / 3 || !HK_GROW(j->ctx, j->points, j->cap, (int32_t)(3 * n))) {
    j->failed = true;
    return NULL;
  }
  return j->points;
}

static void colour_of(const hk_node *shape, double *rgb) {
  const char *text = hki_node_text(hki_node_get(shape, "colour"));
  memcpy(rgb, steel, sizeof steel);
  for (int i = 0; text && strlen(text) == 7 && i < 6; i += 2) {
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *a = memchr(digits, text[1 + i], 32), *b = memchr(digits, text[2 + i], 32);
    if (a && b) rgb[i / 2] = (double)((a - digits) % 16 * 16 + (b - digits) % 16) / 255.0;
  }
}

/* m->at moved along its own z axis */
static void lift(hk_ros_marker *m, const double *at, double z) {
  const double w = at[3], x = at[4], y = at[5], q = at[6];
  m->at[0] = at[0] + z * 2.0 * (x * q + w * y);
  m->at[1] = at[1] + z * 2.0 * (y * q - w * x);
  m->at[2] = at[2] + z * (1.0 - 2.0 * (x * x + y * y));
}

static void put_ball(job *j, hk_ros_marker *m, double radius) {
  m->kind = HK_ROS_BALL;
  m->scale[0] = m->scale[1] = m->scale[2] = 2.0 * radius;
  put(j, m);
}

static void put_cylinder(job *j, hk_ros_marker *m, const double *at, double radius, double length) {
  m->kind = HK_ROS_CYLINDER;
  m->scale[0] = m->scale[1] = 2.0 * radius, m->scale[2] = length;
  lift(m, at, 0.5 * length);
  put(j, m);
}

static void put_triangles(job *j, hk_ros_marker *m, int32_t n, const double *points) {
  m->kind = HK_ROS_TRIANGLES;
  m->scale[0] = m->scale[1] = m->scale[2] = 1.0;
  m->npoints = n, m->points = points;
  put(j, m);
}

/* its foot at the origin, its tip at z = length */
static void put_cone(job *j, hk_ros_marker *m, double radius, double length) {
  double *x = room(j, 6 * SIDES);
  if (!x) return;
  for (int i = 0; i < SIDES; i++) {
    const double a = 2.0 * pi * i / SIDES, b = 2.0 * pi * (i + 1) / SIDES;
    const double p[3] = {radius * cos(a), radius * sin(a), 0.0},
                 q[3] = {radius * cos(b), radius * sin(b), 0.0}, tip[3] = {0.0, 0.0, length},
                 foot[3] = {0.0, 0.0, 0.0};
    const double *const corner[6] = {p, q, tip, q, p, foot};
    for (int k = 0; k < 6; k++) memcpy(x + 18 * i + 3 * k, corner[k], sizeof p);
  }
  put_triangles(j, m, 6 * SIDES, x);
}

static void put_mesh(job *j, hk_ros_marker *m, const hk_node *shape) {
  const hk_results_scene *s = j->scene;
  int32_t point, npoints, face, nfaces;
  range_of(shape, "points", &point, &npoints);
  range_of(shape, "faces", &face, &nfaces);
  if (!nfaces || point > s->npoints - npoints || face > s->nfaces - nfaces) return;
  double *x = room(j, 3 * (int64_t)nfaces);
  if (!x) return;
  for (int64_t i = 0; i < 3 * (int64_t)nfaces; i++) {
    const int32_t k = s->faces[3 * (int64_t)face + i];
    for (int c = 0; c < 3; c++)
      x[3 * i + c] = k >= 0 && k < npoints ? (double)s->points[3 * ((int64_t)point + k) + c] : 0.0;
  }
  put_triangles(j, m, 3 * nfaces, x);
}

static void put_shape(job *j, const hk_node *shape) {
  const double body = member(shape, "body", GROUND), length = member(shape, "length", 0.0);
  const double radius = member(shape, "radius", 0.0);
  const bool of_body = body >= 0.0 && body < j->out->nbodies;
  const char *name = of_body ? j->out->bodies[(int32_t)body] : "world";
  const hk_node *kind = hki_node_get(shape, "kind");
  hk_ros_marker m = {.frame = name, .group = name, .at = {[3] = 1.0}};
  numbers(hki_node_get(shape, "at"), m.at, 7);
  colour_of(shape, m.colour);
  double at[7];
  memcpy(at, m.at, sizeof at);
  if (hki_node_is(kind, "box")) {
    m.kind = HK_ROS_BOX;
    numbers(hki_node_get(shape, "size"), m.scale, 3);
    put(j, &m);
  } else if (hki_node_is(kind, "sphere")) {
    put_ball(j, &m, radius);
  } else if (hki_node_is(kind, "cone")) {
    put_cone(j, &m, radius, length);
  } else if (hki_node_is(kind, "mesh")) {
    put_mesh(j, &m, shape);
  } else {
    put_cylinder(j, &m, at, radius, length);
    if (!hki_node_is(kind, "capsule")) return;
    for (int k = 0; k < 2; k++) {
      lift(&m, at, k ? length : 0.0);
      put_ball(j, &m, radius);
    }
  }
}

/* a profile in the plane y = 0 */
static void put_road(job *j, const hk_node *road) {
  const int32_t n = count_of(road);
  double *x = room(j, n);
  if (!x || n < 2) return;
  for (int32_t i = 0; i < n; i++) {
    double at[2] = {0.0, 0.0};
    numbers(item(road, i), at, 2);
    x[3 * i] = at[0], x[3 * i + 1] = 0.0, x[3 * i + 2] = at[1];
  }
  hk_ros_marker m = {.frame = "world", .group = "road", .kind = HK_ROS_LINE, .at = {[3] = 1.0}};
  m.scale[0] = 0.01 * j->out->length;
  memcpy(m.colour, earth, sizeof earth);
  m.npoints = n, m.points = x;
  put(j, &m);
}

/* --- names ---------------------------------------------------------------------------------------------- */

static bool read_bodies(hk_pool *pool, const hk_node *list, hk_ros_scene *out) {
  out->nbodies = count_of(list);
  out->bodies = hki_pool_alloc(pool, ((size_t)out->nbodies + 1) * sizeof *out->bodies);
  for (int32_t i = 0; out->bodies && i < out->nbodies; i++) {
    const char *name = hki_node_text(hki_node_get(list->items[i], "name"));
    if (!(out->bodies[i] = hki_pool_strdup(pool, name ? name : "body"))) return false;
  }
  return out->bodies != NULL;
}

static bool read_groups(hk_pool *pool, const hk_node *list, hk_ros_scene *out) {
  const int32_t n = count_of(list);
  out->groups = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *out->groups);
  if (!out->groups) return false;
  for (int32_t i = 0; i < n; i++) {
    const hk_node *group = list->items[i];
    const char *name = hki_node_text(hki_node_get(group, "name"));
    hk_ros_group g = {.name = hki_pool_strdup(pool, name ? name : "beam")};
    range_of(group, "bodies", &g.first, &g.count);
    (void)hki_node_bool(hki_node_get(group, "closed"), &g.closed);
    if (!g.name) return false;
    if (g.count && g.first <= out->nbodies - g.count) out->groups[out->ngroups++] = g;
  }
  return true;
}

/* the list of markers becomes a message: its count is known last */
static void count_markers(const job *j) {
  if (j->to->failed) return;
  if (!j->n) j->to->len = 0;
  for (int i = 0; j->n && i < 4; i++)
    j->to->s[4 + i] = (char)(unsigned char)((uint32_t)j->n >> 8 * i);
}

hk_status hki_ros_scene(hk_ctx *ctx, hk_pool *pool, const hk_results_scene *scene,
                        hk_ros_scene *out, hk_text *shapes, hk_text *roads) {
  const hk_yaml_limits limits = {.nodes = NODES_MOST, .bytes = (size_t)1 << 31};
  hk_pool *tree = hki_pool_create(ctx);
  hk_node *root = NULL;
  *out = (hk_ros_scene){0};
  shapes->len = roads->len = 0;
  hk_status st =
      tree ? hki_yaml_parse(ctx, tree, "scene", scene->json, strlen(scene->json), &limits, &root)
           : HK_E_MEMORY;
  if (st == HK_OK) {
    out->length = member(root, "length", 1.0);
    const bool ok = read_bodies(pool, hki_node_get(root, "bodies"), out) &&
                    read_groups(pool, hki_node_get(root, "groups"), out);
    job j = {.ctx = ctx, .scene = scene, .out = out, .to = shapes};
    hki_ros_markers(shapes, 0);
    const hk_node *list = hki_node_get(root, "shapes");
    for (int32_t i = 0; ok && i < count_of(list); i++) put_shape(&j, list->items[i]);
    count_markers(&j);
    j.to = roads, j.n = 0;
    hki_ros_markers(roads, 0);
    list = hki_node_get(root, "roads");
    for (int32_t i = 0; ok && i < count_of(list); i++) put_road(&j, list->items[i]);
    count_markers(&j);
    hki_free(ctx, j.points);
    if (!ok || j.failed || shapes->failed || roads->failed) st = HK_E_MEMORY;
  }
  hki_pool_destroy(tree);
  return st;
}
