/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_frames.c: places and directions. Nested frames, points, axes, orientations, and the maps
 * that carry them from the axes they are written in to the world (see reader.h for mirroring).
 *
 * Orientations:
 *   [w, x, y, z]                         quaternion
 *   {axis: .., angle: ..}                rotation about an axis
 *   {euler: zyx, angles: [a, b, c]}      about the moving axes, R = Rz(a) Ry(b) Rx(c)
 *   {x: .., z: ..}                       two of the new axes; the first is exact, the second gives
 *                                        the plane that both span
 *   [.., ..]                             several of these, each about the axes the former ones left
 */
#include "language/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- maps ------------------------------------------------------------------------------------- */

void hki_rd_map_identity(hk_rd_map *m) {
  memset(m, 0, sizeof *m);
  m3_identity(m->S);
  v3_set(m->D, 1.0, 1.0, 1.0);
}

void hki_rd_map_place(hk_rd_map *out, const hk_rd_map *outer, const double *R, const double *p,
                      const double *M) {
  hk_rd_map m = *outer;
  hki_rd_map_point(outer, p, m.p);
  m3_mul(m.S, outer->S, R);
  if (M) {
    bool odd = M[0] * M[1] * M[2] < 0.0;
    for (int i = 0; i < 9; i++) m.S[i] *= M[i % 3];
    m.mirrored = outer->mirrored != odd;
    /* D, which makes frames right-handed again, is the innermost mirror */
    if (odd) v3_copy(m.D, M);
    if (!m.mirrored) v3_set(m.D, 1.0, 1.0, 1.0);
  }
  *out = m;
}

void hki_rd_map_point(const hk_rd_map *m, const double *x, double *out) {
  double r[3];
  m3_mulv(r, m->S, x);
  v3_add(out, m->p, r);
}

void hki_rd_map_vector(const hk_rd_map *m, const double *v, double *out) {
  double r[3];
  m3_mulv(r, m->S, v);
  v3_copy(out, r);
}

void hki_rd_map_pseudo(const hk_rd_map *m, const double *w, double *out) {
  hki_rd_map_vector(m, w, out);
  if (m->mirrored) v3_scale(out, -1.0, out);
}

void hki_rd_map_frame(const hk_rd_map *m, const double *R, const double *D, double *out) {
  double T[9];
  m3_mul(T, m->S, R);
  for (int i = 0; i < 9; i++) out[i] = T[i] * D[i % 3];
}

/* --- frames ----------------------------------------------------------------------------------- */

void hki_rd_items_register(hk_reader *rd, hk_rd_scope *s, const char *section, const char *what,
                           hk_rd_items *all) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, section, &w));) {
    hk_rd_item it = {.name = hki_rd_full_name(rd, s, e->key),
                     .scope = w.scope,
                     .eval = w.scope,
                     .node = e->value,
                     .loc = e->key_loc,
                     .family = rd->family};
    int32_t at = 0;
    if (!hki_rd_good_name(rd, what, e->key, e->key_loc, false)) continue;
    if (!it.name || !HK_GROW(rd->ctx, all->items, all->cap, all->n + 1)) return;
    if (hki_names_add(all->names, it.name, all->n, &at)) {
      all->items[all->n++] = it;
      continue;
    }
    if (at < 0) return; // out of memory
    hk_loc first = all->items[at].loc;
    char hint[300];
    snprintf(hint, sizeof hint, "the first one is at %.200s:%d",
             hki_ctx_file_name(rd->ctx, first.file), (int)first.line);
    hki_rd_error(rd, e->key_loc, hint, "%s '%s' is defined twice", what, e->key);
  }
}

void hki_rd_frames_register(hk_reader *rd, hk_rd_scope *s) {
  hki_rd_items_register(rd, s, "frames", "frame", &rd->frames);
  hki_rd_items_register(rd, s, "points", "point", &rd->points);
}

/* evaluate a frame or point once; false when it failed */
static bool eval_item(hk_reader *rd, hk_rd_item *it, bool frame) {
  if (it->state == HK_RD_DONE || it->state == HK_RD_FAILED) return it->state == HK_RD_DONE;
  if (it->state == HK_RD_BUSY || rd->depth >= HK_READER_DEPTH) {
    hki_rd_error(rd, it->loc, NULL,
                 it->state == HK_RD_BUSY
                     ? "'%s' is placed relative to itself"
                     : "'%s' is at the end of too long a chain of frames and points",
                 it->name);
    it->state = HK_RD_FAILED;
    return false;
  }
  it->state = HK_RD_BUSY;
  rd->busy[rd->depth++] = it->name;
  bool ok = frame ? hki_rd_placement(rd, it->scope, it->node, it->name, &it->map)
                  : hki_rd_point_map(rd, it->scope, it->node, it->name, &it->map);
  rd->depth--;
  it->state = ok && it->state == HK_RD_BUSY ? HK_RD_DONE : HK_RD_FAILED;
  return it->state == HK_RD_DONE;
}

hk_rd_item *hki_rd_item_find(hk_rd_items *all, const hk_rd_scope *s, const char *name) {
  char full[512];
  for (; s; s = s->parent) {
    if ((size_t)snprintf(full, sizeof full, "%s%s", s->prefix, name) >= sizeof full) continue;
    int32_t i = hki_names_find(all->names, full);
    if (i >= 0) return &all->items[i];
  }
  return NULL;
}

void hki_rd_item_suggest(const hk_rd_items *all, const hk_rd_scope *s, hk_nearest *near) {
  for (int32_t i = 0; i < all->n; i++) {
    for (const hk_rd_scope *k = s; k; k = k->parent) {
      size_t n = strlen(k->prefix);
      if (strncmp(all->items[i].name, k->prefix, n) == 0) {
        hki_nearest_try(near, all->items[i].name + n);
      }
    }
  }
}

static bool unknown(hk_reader *rd, const hk_rd_scope *s, const hk_node *node, const char *kind,
                    bool points) {
  char hint[160];
  hk_nearest near;
  hki_nearest_init(&near, node->text);
  if (points) hki_rd_item_suggest(&rd->points, s, &near);
  if (!points) hki_nearest_try(&near, "world");
  hki_rd_item_suggest(&rd->frames, s, &near);
  hki_rd_error(rd, node->loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
               "there is no %s '%.100s'", kind, node->text);
  return false;
}

/* evaluate all of a table; of repeated ones with an error only the first is reported */
static void check_items(hk_reader *rd, hk_rd_items *all, bool frames) {
  const hk_entry *broken = NULL;
  for (int32_t i = 0; i < all->n && !hki_rd_enough(rd); i++) {
    hk_rd_item *it = &all->items[i];
    if (hki_rd_scope_skip(it->scope) || (broken && it->family == broken)) continue;
    if (!eval_item(rd, it, frames)) broken = it->family;
  }
}

void hki_rd_frames_check(hk_reader *rd) {
  check_items(rd, &rd->frames, true);
  check_items(rd, &rd->points, false);
}

static bool frame_named(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                        hk_rd_map *map) {
  char found[64];
  if (!hki_node_text(node)) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must be the name of a frame, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (strcmp(node->text, "world") == 0) {
    *map = s->map;
    return true;
  }
  hk_rd_item *it = hki_rd_item_find(&rd->frames, s, node->text);
  if (!it) return unknown(rd, s, node, "frame", false);
  if (!eval_item(rd, it, true)) return false;
  *map = it->map;
  return true;
}

bool hki_rd_base(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_map *base) {
  const hk_node *in = hki_node_get(node, "in");
  *base = s->map;
  return !in || frame_named(rd, s, in, "in", base);
}

bool hki_rd_place_keys(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const double *M,
                       hk_rd_map *map) {
  const hk_node *at = hki_node_get(node, "at"), *rotate = hki_node_get(node, "rotate");
  hk_rd_map base;
  double R[9], p[3] = {0, 0, 0};
  bool ok = hki_rd_base(rd, s, node, &base);
  m3_identity(R);
  if (rotate) ok = hki_rd_orientation(rd, s, &base, rotate, "rotate", R) && ok;

  /* numbers in `at` are in the frame's axes; a point or frame name has its own place */
  if (at && at->kind == HK_NODE_SEQUENCE) {
    ok = hki_rd_numbers(rd, s, at, "at", 3, p) && ok;
    hki_rd_map_place(map, &base, R, p, M);
    return ok;
  }
  hki_rd_map_place(map, &base, R, p, M);
  if (at) ok = hki_rd_point(rd, s, at, "at", map->p) && ok;
  return ok;
}

/* `velocity` of the origin and `angular_velocity`, seen from the frame around it and in its axes:
 *   w = w_outer + w_own,   velocity of the origin p = v_outer + w_outer x p + v_own */
static bool place_rates(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_map *map) {
  const hk_node *v = hki_node_get(node, "velocity"), *w = hki_node_get(node, "angular_velocity");
  hk_rd_map base;
  double x[3], own[3] = {0, 0, 0};
  if (!v && !w) return true;
  if (!hki_rd_base(rd, s, node, &base)) return false;
  if (v && !hki_rd_numbers(rd, s, v, "velocity", 3, own)) return false;
  hki_rd_map_vector(&base, own, own);
  if (w) {
    if (!hki_rd_numbers(rd, s, w, "angular_velocity", 3, x)) return false;
    hki_rd_map_pseudo(&base, x, x);
    v3_add(map->w, map->w, x);
    // the own rotation is about the origin: it leaves the velocity there as it is
    double t[3];
    v3_cross(t, x, map->p);
    v3_sub(map->v, map->v, t);
  }
  v3_add(map->v, map->v, own);
  return true;
}

bool hki_rd_placement(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      hk_rd_map *map) {
  static const hk_param *const tables[] = {hki_keys_frame, NULL};
  *map = s->map;
  if (hki_node_text(node)) return frame_named(rd, s, node, what, map);
  if (!hki_rd_check_keys(rd, node, tables, "frame", what)) return false;
  return hki_rd_place_keys(rd, s, node, NULL, map) && place_rates(rd, s, node, map);
}

bool hki_rd_axes(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                 hk_rd_map *map) {
  double R[9], p[3] = {0, 0, 0};
  *map = s->map;
  if (hki_node_text(node)) return frame_named(rd, s, node, what, map);
  if (!hki_rd_orientation(rd, s, &s->map, node, what, R)) return false;
  hki_rd_map_place(map, &s->map, R, p, NULL);
  return true;
}

/* --- points ----------------------------------------------------------------------------------- */

/* a point by its name, or a frame's name, which means its origin */
static bool point_named(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_map *map) {
  hk_rd_item *it = hki_rd_item_find(&rd->points, s, node->text);
  const bool frame = !it;
  if (frame) it = hki_rd_item_find(&rd->frames, s, node->text);
  if (!it) return unknown(rd, s, node, "point", true);
  if (!eval_item(rd, it, frame)) return false;
  *map = it->map;
  return true;
}

bool hki_rd_point_map(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      hk_rd_map *map) {
  static const hk_param *const tables[] = {hki_keys_point, NULL};
  char found[64];
  double x[3];
  *map = s->map;
  v3_zero(map->p);
  if (hki_node_text(node)) return point_named(rd, s, node, map);
  if (node->kind == HK_NODE_MAPPING)
    return hki_rd_check_keys(rd, node, tables, "point", what) &&
           hki_rd_place_keys(rd, s, node, NULL, map);
  if (node->kind != HK_NODE_SEQUENCE || node->count != 3) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must be a point, its name or [x, y, z], found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (!hki_rd_numbers(rd, s, node, what, 3, x)) return false;
  hki_rd_map_point(&s->map, x, map->p);
  return true;
}

bool hki_rd_point(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                  double *out) {
  hk_rd_map map;
  const bool ok = hki_rd_point_map(rd, s, node, what, &map);
  if (ok)
    v3_copy(out, map.p);
  else
    v3_zero(out);
  return ok;
}

bool hki_rd_ends(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, double *a,
                 double *b) {
  char found[64];
  if (node->kind != HK_NODE_SEQUENCE || node->count != 2) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must be a list of two points, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  bool ok = hki_rd_point(rd, s, node->items[0], what, a);
  return hki_rd_point(rd, s, node->items[1], what, b) && ok;
}

/* --- directions ------------------------------------------------------------------------------- */

/* x, y, z with a sign, of the scope itself or of a frame: "-x", "bench.z" */
static bool axis_word(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                      double *out) {
  const char *w = node->text;
  double sign = 1.0;
  if (*w == '-' || *w == '+') sign = *w++ == '-' ? -1.0 : 1.0;
  const char *dot = strrchr(w, '.');
  const char *letter = dot ? dot + 1 : w;
  if (strlen(letter) != 1 || *letter < 'x' || *letter > 'z') return false;
  double e[3] = {0, 0, 0}, world[3];
  e[*letter - 'x'] = sign;
  v3_copy(out, e);
  if (!dot) return true;
  char *name = hki_pool_strndup(rd->pool, w, (size_t)(dot - w));
  hk_rd_item *it = name ? hki_rd_item_find(&rd->frames, s, name) : NULL;
  if (!it || !eval_item(rd, it, true)) return false;
  hki_rd_map_vector(&it->map, e, world);
  m3_tmulv(out, base->S, world);
  return true;
}

bool hki_rd_axis(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                 const char *what, double *out) {
  char found[64];
  v3_set(out, 0, 0, 1);
  if (hki_node_text(node) && axis_word(rd, s, base, node, out)) return true;
  if (node->kind != HK_NODE_SEQUENCE || node->count < 2 || node->count > 3) {
    hki_rd_error(rd, node->loc, "x, y, z, a frame's axis like f.z, [x, y, z], or [point, point]",
                 "'%s' must be a direction, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (node->count == 2) {
    /* from one point to another */
    double a[3], b[3];
    if (!hki_rd_ends(rd, s, node, what, a, b)) return false;
    v3_sub(b, b, a);
    m3_tmulv(out, base->S, b);
  } else if (!hki_rd_numbers(rd, s, node, what, 3, out)) {
    v3_set(out, 0, 0, 1);
    return false;
  }
  /* scale by the largest component, so that squares neither overflow nor underflow */
  double top = fmax(fabs(out[0]), fmax(fabs(out[1]), fabs(out[2])));
  if (top > 0.0 && isfinite(top)) {
    for (int k = 0; k < 3; k++) out[k] /= top;
  }
  if (!(v3_normalize(out) > 0.0) || !isfinite(out[0] + out[1] + out[2])) {
    hki_rd_error(rd, node->loc, NULL, "'%s' has no direction: its length is zero", what);
    v3_set(out, 0, 0, 1);
    return false;
  }
  return true;
}

/* --- orientations ----------------------------------------------------------------------------- */

static bool read_quaternion(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                            double *R) {
  double q[4];
  if (!hki_rd_numbers(rd, s, node, what, 4, q)) return false;
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(n > 1e-150) || !isfinite(n)) {
    hki_rd_error(rd, node->loc, NULL, "'%s': a quaternion [w, x, y, z] must not be zero", what);
    return false;
  }
  if (fabs(n - 1.0) > 1e-3) {
    hki_warn(rd->ctx, node->loc, "quaternions are [w, x, y, z]",
             "'%s': this quaternion has length %g and is normalised", what, n);
  }
  quat_normalize(q);
  quat_to_rot(R, q);
  return true;
}

static bool read_euler(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                       double *R) {
  const hk_node *seq = hki_node_get(node, "euler"), *angles = hki_node_get(node, "angles");
  const char *w = hki_node_text(seq);
  char found[64];
  double a[3] = {0, 0, 0};
  size_t n = w ? strlen(w) : 0;
  bool good = n >= 1 && n <= 3;
  for (size_t i = 0; good && i < n; i++) {
    good = w[i] >= 'x' && w[i] <= 'z' && !(i > 0 && w[i] == w[i - 1]);
  }
  if (!good || !angles) {
    hki_rd_error(rd, seq->loc, "for example {euler: zyx, angles: [yaw, pitch, roll]}",
                 good ? "'%s': 'euler' needs 'angles'"
                      : "'%s': 'euler' must be up to three of x, y, z, neighbours different, "
                        "found %s",
                 what, hki_node_describe(seq, found, sizeof found));
    return false;
  }
  if (!hki_rd_numbers(rd, s, angles, "angles", (int32_t)n, a)) return false;
  m3_identity(R);
  for (size_t i = 0; i < n; i++) {
    double e[3] = {0, 0, 0}, Q[9], T[9];
    e[w[i] - 'x'] = 1.0;
    rot_axis(Q, e, a[i]);
    m3_mul(T, R, Q);
    memcpy(R, T, sizeof T);
  }
  return true;
}

/* two of the new axes: the first exact, the second as near as possible */
static bool read_two_axes(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                          const char *what, double *R) {
  double v[2][3];
  int col[2] = {0, 0}, n = 0;
  for (int32_t i = 0; i < node->count; i++) {
    const char *k = node->entries[i].key;
    if (strlen(k) != 1 || *k < 'x' || *k > 'z') continue;
    if (n == 2) {
      hki_rd_error(rd, node->loc, NULL, "'%s': give two of x, y, z, the third follows", what);
      return false;
    }
    if (!hki_rd_axis(rd, s, base, node->entries[i].value, k, v[n])) return false;
    col[n++] = *k - 'x';
  }
  if (n < 2) {
    hki_rd_error(rd, node->loc, "for example {axis: z, angle: 30*deg} or {x: [..], z: [..]}",
                 "'%s' is not an orientation", what);
    return false;
  }
  double third[3];
  bool next = (col[0] + 1) % 3 == col[1];
  v3_cross(third, next ? v[0] : v[1], next ? v[1] : v[0]);
  if (v3_normalize(third) < 1e-9) {
    hki_rd_error(rd, node->loc, NULL, "'%s': the two axes are parallel", what);
    return false;
  }
  v3_cross(v[1], next ? third : v[0], next ? v[0] : third);
  int c = 3 - col[0] - col[1];
  for (int i = 0; i < 3; i++) {
    R[3 * i + col[0]] = v[0][i], R[3 * i + col[1]] = v[1][i], R[3 * i + c] = third[i];
  }
  return true;
}

bool hki_rd_orientation(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                        const char *what, double *R) {
  static const hk_param *const tables[] = {hki_keys_orientation, NULL};
  m3_identity(R);
  if (node->kind == HK_NODE_SEQUENCE && node->count > 0 && node->count <= 16 &&
      node->items[0]->kind == HK_NODE_MAPPING) {
    /* one after the other, each about the axes the former ones left */
    for (int32_t i = 0; i < node->count; i++) {
      double Q[9], T[9];
      if (!hki_rd_orientation(rd, s, base, node->items[i], what, Q)) return false;
      m3_mul(T, R, Q);
      memcpy(R, T, sizeof T);
    }
    return true;
  }
  if (node->kind == HK_NODE_SEQUENCE) return read_quaternion(rd, s, node, what, R);
  if (!hki_rd_check_keys(rd, node, tables, "orientation", what)) return false;
  if (hki_node_find(node, "euler")) return read_euler(rd, s, node, what, R);
  const hk_node *axis = hki_node_get(node, "axis"), *angle = hki_node_get(node, "angle");
  if (!axis && !angle) return read_two_axes(rd, s, base, node, what, R);
  if (!axis || !angle) {
    hki_rd_error(rd, node->loc, "for example {axis: z, angle: 30*deg}",
                 "'%s' needs 'axis' and 'angle'", what);
    return false;
  }
  double a[3], phi;
  if (!hki_rd_axis(rd, s, base, axis, "axis", a) || !hki_rd_number(rd, s, angle, "angle", &phi))
    return false;
  rot_axis(R, a, phi);
  return true;
}
