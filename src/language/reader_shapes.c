/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shapes.c: shapes for viewers. Rod, cylinder, capsule and cone run from one point to
 * another; a box has edges along the axes of its place; a sphere has a centre; a mesh is a file.
 */
#include "language/reader_shapes.h"

#include <string.h>

#include "formats/mesh.h"

static const struct {
  const char *key;
  hk_shape_kind kind;
} kinds[] = {{"rod", HK_SHAPE_ROD},       {"box", HK_SHAPE_BOX},   {"cylinder", HK_SHAPE_CYLINDER},
             {"sphere", HK_SHAPE_SPHERE}, {"cone", HK_SHAPE_CONE}, {"capsule", HK_SHAPE_CAPSULE},
             {"mesh", HK_SHAPE_MESH}};

/* from a to b: origin at a, local z towards b */
static bool set_line(hk_reader *rd, const hk_node *node, const double *a, double *b,
                     hk_spec_shape *sh) {
  v3_sub(b, b, a);
  double length = v3_normalize(b);
  if (!(length > 0.0)) {
    hki_rd_error(rd, node->loc, NULL, "the two ends of this shape are the same point");
    return false;
  }
  sh->size[0] = length;
  v3_copy(sh->at.p, a);
  rot_from_axis(sh->at.R, b, 2, NULL);
  return true;
}

/* place of a box, sphere or mesh: `at` and `rotate` of the mapping, centre of mass by default.
 * Where it is mirrored, S = R diag(D): the shape's own points are to be reflected by D */
static bool set_place(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t body,
                      hk_spec_shape *sh, double *D) {
  hk_rd_map map;
  double I[9];
  m3_identity(I);
  if (!hki_rd_place_keys(rd, s, node, NULL, &map)) return false;
  hki_rd_map_frame(&map, I, map.D, sh->at.R);
  v3_copy(sh->at.p, map.p);
  v3_copy(D, map.D);
  if (!hki_node_find(node, "at") && !hki_node_find(node, "in") && body >= 0) {
    v3_copy(sh->at.p, rd->spec->bodies[body].com);
  }
  return true;
}

static bool read_mesh(hk_reader *rd, const char *path, hk_loc from, hk_mesh *mesh) {
  char *text = NULL;
  size_t len = 0;
  if (hki_rd_file(rd, HK_FILE_MESH, path, from, HK_MESH_BYTES, &text, &len)) return false;
  hk_status st = hki_mesh_parse(rd->ctx, rd->spec->pool, path, text, len, from, mesh);
  hki_free(rd->ctx, text);
  return st == HK_OK;
}

/* reads a mesh file, scales it to metres and places it */
static bool set_mesh(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_node *v,
                     int32_t body, hk_spec_shape *sh) {
  const hk_node *by = hki_node_get(node, "scale");
  double D[3], scale = 1.0;
  const char *file = hki_rd_text(rd, v, "mesh");
  hk_mesh *mesh = hki_pool_alloc(rd->spec->pool, sizeof *mesh);
  sh->file = file ? hki_rd_path(rd, v->loc, file) : NULL;
  sh->mesh = mesh;
  if (by && !hki_rd_number(rd, s, by, "scale", &scale)) return false;
  if (!(scale >= 1e-12 && scale <= 1e12)) {
    hki_rd_error(rd, by->loc, "0.001 for a file in millimetres",
                 "'scale' must be a positive number from 1e-12 to 1e12, found %g", scale);
    return false;
  }
  if (!sh->file || !mesh || !set_place(rd, s, node, body, sh, D) ||
      !read_mesh(rd, sh->file, v->loc, mesh)) {
    return false;
  }
  v3_scale(D, scale, D);
  hki_mesh_stretch(mesh, D);
  return true;
}

static bool set_box(hk_reader *rd, hk_rd_scope *s, const hk_node *v, double *size) {
  if (!hki_rd_numbers(rd, s, v, "box", 3, size)) return false;
  if (size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0) return true;
  hki_rd_error(rd, v->loc, "a thin plate has a small one",
               "the edges of a box must be positive, found %g, %g, %g", size[0], size[1], size[2]);
  return false;
}

static bool read_kind(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_node *v,
                      int32_t body, hk_spec_shape *sh) {
  double a[3], b[3], D[3];
  switch (sh->kind) {
    case HK_SHAPE_BOX:
      return set_box(rd, s, v, sh->size) && set_place(rd, s, node, body, sh, D);
    case HK_SHAPE_SPHERE:
      m3_identity(sh->at.R);
      return hki_rd_point(rd, s, v, "sphere", sh->at.p);
    case HK_SHAPE_MESH:
      return set_mesh(rd, s, node, v, body, sh);
    default:
      return hki_rd_ends(rd, s, v, "shape", a, b) && set_line(rd, v, a, b, sh);
  }
}

/* a colour "#rrggbb"; anything else is ignored with a warning: the motion does not depend on it */
static const char *read_colour(hk_reader *rd, const hk_node *node) {
  const hk_node *c = hki_node_get(node, "colour");
  if (!c) c = hki_node_get(node, "color");
  const char *text = c ? hki_rd_text(rd, c, "colour") : NULL;
  if (!text) return NULL;
  if (strlen(text) == 7 && text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6) {
    return text;
  }
  hki_warn(rd->ctx, c->loc, "write it as \"#rrggbb\", in quotes", "'%s' is not a colour", text);
  return NULL;
}

/* finds the one key that gives the kind of shape; reports none or several */
static bool find_kind(hk_reader *rd, const hk_node *node, const hk_node **v, hk_shape_kind *kind) {
  const char *first = NULL;
  for (int32_t i = 0; i < HK_ARRAY_LEN(kinds); i++) {
    const hk_node *value = hki_node_get(node, kinds[i].key);
    if (!value) continue;
    if (first) {
      hki_rd_error(rd, value->loc, "a list of shapes makes several",
                   "this shape is a %s and a %s at once", first, kinds[i].key);
      return false;
    }
    *v = value, *kind = kinds[i].kind, first = kinds[i].key;
  }
  if (!first) {
    hki_rd_error(rd, node->loc, "one of rod, box, cylinder, sphere, capsule, cone, mesh",
                 "this shape has no kind");
  }
  return first != NULL;
}

static void read_shape(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t body) {
  static const hk_param *const tables[] = {hki_keys_shape, NULL};
  hk_spec *spec = rd->spec;
  hk_spec_shape sh = {.body = body};
  const hk_node *v = NULL;
  if (!hki_rd_check_keys(rd, node, tables, "shape", NULL)) return;
  if (!find_kind(rd, node, &v, &sh.kind)) return;
  const hk_node *scale = hki_node_get(node, "scale");
  if (scale && sh.kind != HK_SHAPE_MESH) {
    hki_rd_error(rd, scale->loc, NULL, "only a mesh has a 'scale'");
    return;
  }
  const hk_node *radius = hki_node_get(node, "radius");
  sh.colour = read_colour(rd, node);
  if (!read_kind(rd, s, node, v, body, &sh)) return;
  if (radius && !hki_rd_number(rd, s, radius, "radius", &sh.radius)) return;
  if (!radius && sh.kind != HK_SHAPE_BOX && sh.kind != HK_SHAPE_MESH) {
    sh.radius = sh.kind == HK_SHAPE_SPHERE ? 0.05 : 0.04 * sh.size[0];
  }
  if (sh.radius < 0.0) {
    hki_rd_error(rd, radius->loc, NULL, "'radius' must not be negative, found %g", sh.radius);
    return;
  }
  if (!HK_GROW(rd->ctx, spec->shapes, rd->shapes_cap, spec->nshapes + 1)) return;
  spec->shapes[spec->nshapes++] = sh;
}

void hki_rd_shapes_read(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t body) {
  if (node->kind == HK_NODE_NULL) return;
  if (node->kind != HK_NODE_SEQUENCE) {
    read_shape(rd, s, node, body);
    return;
  }
  for (int32_t i = 0; i < node->count && !hki_rd_enough(rd); i++) {
    read_shape(rd, s, node->items[i], body);
  }
}

void hki_rd_ground_shapes(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  const hk_node *node = e->value;
  if (node->kind == HK_NODE_NULL) return;
  const hk_node *shape = hki_node_get(node, "shape");
  if (node->kind != HK_NODE_MAPPING || node->count != 1 || !shape) {
    hki_rd_error(rd, e->key_loc, "it may have a 'shape' and nothing else",
                 "'ground' is built in and cannot be defined");
    return;
  }
  hki_rd_shapes_read(rd, s, shape, HK_GROUND);
}
