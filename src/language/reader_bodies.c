/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_bodies.c: bodies with mass, centre of mass and inertia, and markers.
 *
 * Inertia is read in the axes it is given in and carried to the world by J = A J A', where A is the
 * map of the scope or of the frame that `axes` names; a mirror in A changes the signs of products.
 * An inertia must be positive semidefinite. Each principal moment of a real body is at most the sum
 * of the other two; published robots break this, so it is a warning.
 */
#include "language/reader.h"
#include "language/reader_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- registering ------------------------------------------------------------------------------ */

bool hki_rd_side_add(hk_reader *rd, hk_rd_side **list, int32_t which, int32_t n, hk_rd_scope *s,
                     const hk_entry *e) {
  if (!HK_GROW(rd->ctx, *list, rd->side_cap[which], n + 1)) return false;
  (*list)[n] = (hk_rd_side){
      .scope = s, .entry = e, .family = rd->family, .D = {1, 1, 1}, .sign = {1, 1, 1, 1, 1, 1}};
  return true;
}

bool hki_rd_name_add(hk_reader *rd, hk_rd_scope *s, hk_names *names, const hk_entry *e,
                     const char *what, int32_t index, const hk_rd_side *side, const char **name) {
  int32_t at = 0;
  char hint[300];
  if (!hki_rd_good_name(rd, what, e->key, e->key_loc, false)) return false;
  if (index >= HK_READER_MOST) {
    hki_rd_error(rd, e->key_loc, NULL, "more than %d items of one kind", HK_READER_MOST);
    return false;
  }
  *name = hki_rd_full_name(rd, s, e->key);
  if (!*name) return false;
  if (hki_names_add(names, *name, index, &at)) return true;
  if (at < 0) return false; // out of memory
  hk_loc first = side[at].entry->key_loc;
  snprintf(hint, sizeof hint, "the first one is at %.200s:%d",
           hki_ctx_file_name(rd->ctx, first.file), (int)first.line);
  hki_rd_error(rd, e->key_loc, hint, "%s '%s' is defined twice", what, e->key);
  return false;
}

bool hki_rd_body_add(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  hk_spec *spec = rd->spec;
  const char *name;
  if (!hki_rd_name_add(rd, s, spec->body_names, e, "body", spec->nbodies, rd->bodies, &name))
    return true;
  if (!HK_GROW(rd->ctx, spec->bodies, rd->bodies_cap, spec->nbodies + 1)) return false;
  if (!hki_rd_side_add(rd, &rd->bodies, 0, spec->nbodies, s, e)) return false;
  spec->bodies[spec->nbodies++] = (hk_spec_body){.name = name, .loc = e->key_loc};
  return true;
}

void hki_rd_bodies_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "bodies", &w));) {
    if (strcmp(e->key, "ground") == 0)
      hki_rd_ground_shapes(rd, w.scope, e);
    else if (!hki_rd_body_add(rd, w.scope, e))
      return;
  }
}

void hki_rd_markers_register(hk_reader *rd, hk_rd_scope *s) {
  hk_spec *spec = rd->spec;
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "markers", &w));) {
    const char *name;
    if (!hki_rd_name_add(rd, w.scope, spec->marker_names, e, "marker", spec->nmarkers, rd->markers,
                         &name)) {
      continue;
    }
    if (!HK_GROW(rd->ctx, spec->markers, rd->markers_cap, spec->nmarkers + 1)) return;
    if (!hki_rd_side_add(rd, &rd->markers, 3, spec->nmarkers, w.scope, e)) return;
    spec->markers[spec->nmarkers++] =
        (hk_spec_marker){.name = name, .loc = e->key_loc, .reference = HK_GROUND};
  }
}

/* --- inertia ---------------------------------------------------------------------------------- */

static bool check_inertia(hk_reader *rd, const hk_node *node, const char *name, const double *J) {
  double A[9], R[9];
  memcpy(A, J, sizeof A);
  m3_eigen_symmetric(A, R);
  const double ev[3] = {A[0], A[4], A[8]};
  double big = fmax(fmax(fabs(ev[0]), fabs(ev[1])), fabs(ev[2])), sum = ev[0] + ev[1] + ev[2];
  double least = fmin(fmin(ev[0], ev[1]), ev[2]);
  if (least < -1e-12 * big) {
    hki_rd_error(rd, node->loc,
                 "products xy, xz, yz are entries of the matrix: xy = -integral x y dm",
                 "the inertia of body '%s' is not possible: a principal moment is %g", name, least);
    return false;
  }
  /* planar models give the one moment that counts */
  if (!rd->spec->planar && big > (sum - big) * (1.0 + 1e-9)) {
    hki_warn(rd->ctx, node->loc, "each principal moment is at most the sum of the other two",
             "the inertia of body '%s' belongs to no real body: moments %g, %g, %g", name, ev[0],
             ev[1], ev[2]);
  }
  return true;
}

/* {xx, yy, zz, xy, xz, yz}, {diagonal: [..]} or [xx, yy, zz], in its own axes */
static bool read_moments(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                         double *J) {
  static const hk_param *const tables[] = {hki_keys_inertia, NULL};
  static const struct {
    const char *key;
    int a, b;
  } entry[] = {{"xx", 0, 0}, {"yy", 4, 4}, {"zz", 8, 8}, {"xy", 1, 3}, {"xz", 2, 6}, {"yz", 5, 7}};
  double d[3];
  bool ok = true;
  memset(J, 0, 9 * sizeof *J);
  const hk_node *diagonal = node;
  if (node->kind != HK_NODE_SEQUENCE) {
    if (!hki_rd_check_keys(rd, node, tables, "the inertia of body", name)) return false;
    diagonal = hki_node_get(node, "diagonal");
  }
  if (diagonal) {
    ok = hki_rd_numbers(rd, s, diagonal, "inertia", 3, d);
    J[0] = d[0], J[4] = d[1], J[8] = d[2];
  }
  for (int i = 0; i < 6; i++) {
    const hk_node *v = hki_node_get(node, entry[i].key);
    if (!v) continue;
    if (diagonal && i < 3) {
      hki_rd_error(rd, v->loc, NULL, "give 'diagonal' or '%s', not both", entry[i].key);
      return false;
    }
    ok = hki_rd_number(rd, s, v, entry[i].key, &J[entry[i].a]) && ok;
    J[entry[i].b] = J[entry[i].a];
  }
  return ok;
}

static void read_inertia(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_node *axes,
                         hk_spec_body *b) {
  double J[9];
  hk_rd_map map = s->map;
  const hk_node *own = hki_node_get(node, "axes");
  if (own) axes = own;
  if (!read_moments(rd, s, node, b->name, J)) return;
  if (axes && !hki_rd_axes(rd, s, axes, "axes", &map)) return;
  if (!check_inertia(rd, node, b->name, J)) return;
  m3_congruence(b->J, map.S, J);
}

/* --- bodies ----------------------------------------------------------------------------------- */

void hki_rd_body_read(hk_reader *rd, int32_t i) {
  static const hk_param *const tables[] = {hki_keys_body, NULL};
  hk_spec_body *b = &rd->spec->bodies[i];
  hk_rd_scope *s = rd->bodies[i].scope;
  const hk_node *node = rd->bodies[i].entry->value;
  if (node->kind == HK_NODE_NULL) return; /* `rod:` alone is a massless body */
  if (!hki_rd_check_keys(rd, node, tables, "body", b->name)) return;
  const hk_node *mass = hki_node_get(node, "mass"), *com = hki_node_get(node, "com");
  const hk_node *inertia = hki_node_get(node, "inertia"), *frame = hki_node_get(node, "frame");
  const hk_node *shape = hki_node_get(node, "shape"), *axes = hki_node_get(node, "axes");

  if (mass && hki_rd_number(rd, s, mass, "mass", &b->mass) && b->mass < 0.0) {
    hki_rd_error(rd, mass->loc, NULL, "the mass of body '%s' is negative: %g", b->name, b->mass);
  }
  hk_rd_map at = s->map;
  if (com) b->has_com = hki_rd_point_map(rd, s, com, "com", &at);
  if (b->has_com) v3_copy(b->com, at.p);
  if (!com && b->mass > 0.0) {
    hki_rd_error(rd, node->loc, "com: [x, y, z] or the name of a point",
                 "body '%s' has a mass but no centre of mass 'com'", b->name);
  }
  if (inertia) read_inertia(rd, s, inertia, axes, b);
  const hk_node *rotation = hki_node_get(node, "rotation");
  int32_t choice = 0;
  if (rotation && hki_rd_choice(rd, rotation, "rotation", "auto none full", &choice))
    b->rotation = (hk_rotation)choice;
  if (frame) {
    b->has_frame = hki_rd_placement(rd, s, frame, "frame", &at);
    double I[9];
    m3_identity(I);
    hki_rd_map_frame(&at, I, at.D, b->frame.R);
    v3_copy(b->frame.p, at.p);
  }
  v3_copy(b->carried, at.w);
  v3_copy(b->carried + 3, at.v);
  if (shape) hki_rd_shapes_read(rd, s, shape, i);
}

/* relative_to: a body, or a frame, which stands still */
static void read_reference(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_marker *m) {
  const char *name = hki_node_text(node);
  const bool body = name && hki_rd_body_find(rd, s, name) >= HK_GROUND;
  const hk_rd_item *frame = name && !body ? hki_rd_item_find(&rd->frames, s, name) : NULL;
  hk_rd_map map;
  double I[9];
  m3_identity(I);
  m->relative = true;
  if (frame) {
    if (!hki_rd_axes(rd, s, node, "relative_to", &map)) return;
    hki_rd_map_frame(&map, I, map.D, m->reference_at.R);
    v3_copy(m->reference_at.p, map.p);
  } else {
    m->reference = hki_rd_body(rd, s, node, "relative_to");
    m->reference_own = m->reference >= 0;
    memcpy(m->reference_at.R, I, sizeof I);
  }
}

void hki_rd_marker_read(hk_reader *rd, int32_t i) {
  static const hk_param *const tables[] = {hki_keys_marker, NULL};
  hk_spec_marker *m = &rd->spec->markers[i];
  hk_rd_scope *s = rd->markers[i].scope;
  const hk_node *node = rd->markers[i].entry->value;
  m->body = HK_GROUND;
  m3_identity(m->at.R);
  if (!hki_rd_check_keys(rd, node, tables, "marker", m->name)) return;
  const hk_node *on = hki_node_get(node, "on"), *at = hki_node_get(node, "at");
  const hk_node *axes = hki_node_get(node, "axes");
  hk_rd_map map = s->map;
  double I[9];
  m3_identity(I);
  const hk_node *reference = hki_node_get(node, "relative_to");
  if (on) m->body = hki_rd_body(rd, s, on, "on");
  if (reference) read_reference(rd, s, reference, m);
  if (at) hki_rd_point(rd, s, at, "at", m->at.p);
  if (axes) hki_rd_axes(rd, s, axes, "axes", &map);
  hki_rd_map_frame(&map, I, map.D, m->at.R);
}
