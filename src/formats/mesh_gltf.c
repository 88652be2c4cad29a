/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh_gltf.c: triangles of a glTF 2.0 scene (Khronos; ISO/IEC 12113), text or binary.
 *
 *   scene -> nodes (a matrix, or translation, rotation, scale) -> meshes -> primitives
 *   primitive: POSITION and maybe indices, both accessors -> buffer views -> buffers
 *   .glb: "glTF", version 2, length; then chunks of length and kind: JSON, and BIN for buffer 0
 *
 * Triangles, strips and fans are taken; points and lines have no faces and are left out, as are
 * materials, textures, skins and morph targets. Compressed and sparse data are refused by name. A
 * node that reflects reverses the order of its triangles' corners. The file is not trusted: every
 * index, offset and length is checked, and a node may appear in the scene only once.
 */
#include <math.h>
#include <string.h>

#include "geometry/geometry.h"
#include "formats/csv_table.h"
#include "formats/mesh_impl.h"
#include "formats/yaml.h"

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6, BUFFERS = 1000, NESTING = 60 };
enum { UBYTE = 5121, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

typedef struct bytes {
  unsigned char *p;
  size_t n;
  bool own;
} bytes;

typedef struct gltf {
  hk_mesh_builder *b;
  hk_pool *pool; /* of the JSON */
  hk_node *root;
  const hk_node *nodes, *meshes, *accessors, *views, *buffers;
  bytes *buffer; /* buffer[buffers->count], each loaded when it is first used */
  bytes bin;     /* the binary chunk of a .glb */
  bool *seen;    /* seen[nodes->count]: the node has been placed in the scene */
} gltf;

/* location of the numbers of an accessor */
typedef struct items {
  const unsigned char *p;
  size_t stride;
  int32_t n, type;
} items;

/* --- JSON ------------------------------------------------------------------------------------- */

static hk_status wrong(gltf *g, const hk_node *at, const char *what) {
  return hki_mesh_wrong(g->b, at ? at->loc : HK_LOC_NONE, NULL, "%s", what);
}

/* a whole number from 0; `missing` when the key is absent; -1 after an error message */
static int64_t whole(gltf *g, const hk_node *map, const char *key, int64_t missing) {
  const hk_node *v = hki_node_get(map, key);
  double x;
  if (!v) return missing;
  if (v->kind == HK_NODE_SCALAR && hki_decimal(v->text, v->len, &x) && x >= 0.0 && x < 1e15 &&
      x == floor(x)) {
    return (int64_t)x;
  }
  hki_mesh_wrong(g->b, v->loc, NULL, "'%s' must be a whole number", key);
  return -1;
}

static bool numbers(gltf *g, const hk_node *list, int32_t n, double *out) {
  bool ok = list->kind == HK_NODE_SEQUENCE && list->count == n;
  for (int32_t i = 0; ok && i < n; i++) {
    const hk_node *v = list->items[i];
    ok = v->kind == HK_NODE_SCALAR && hki_decimal(v->text, v->len, &out[i]);
  }
  if (!ok) hki_mesh_wrong(g->b, list->loc, NULL, "%d numbers are expected here", (int)n);
  return ok;
}

/* item i of a list of the file; NULL after an error message */
static const hk_node *item(gltf *g, const hk_node *list, int64_t i, const hk_node *at,
                           const char *what) {
  if (g->b->status != HK_OK) return NULL;
  if (list && list->kind == HK_NODE_SEQUENCE && i >= 0 && i < list->count &&
      list->items[i]->kind == HK_NODE_MAPPING) {
    return list->items[i];
  }
  hki_mesh_wrong(g->b, at->loc, NULL, "%s %lld is not there", what, (long long)i);
  return NULL;
}

/* --- buffers ---------------------------------------------------------------------------------- */

static const bytes *get_buffer(gltf *g, int64_t i, const hk_node *at) {
  const hk_node *node = item(g, g->buffers, i, at, "buffer");
  if (!node) return NULL;
  bytes *b = &g->buffer[i];
  if (b->p) return b;
  const hk_node *uri = hki_node_get(node, "uri");
  int64_t length = whole(g, node, "byteLength", -2);
  if (g->b->status != HK_OK) return NULL;
  if (uri && uri->kind == HK_NODE_SCALAR) {
    b->p = hki_mesh_uri(g->b, uri->loc, uri->text, &b->n);
    b->own = true;
    if (!b->p) return NULL;
  } else if (i == 0 && g->bin.p) {
    *b = g->bin;
  } else {
    wrong(g, node, "this buffer has no 'uri', and only the first one of a .glb file needs none");
    return NULL;
  }
  if (length < 0 || (uint64_t)length > b->n) {
    hki_mesh_wrong(g->b, node->loc, NULL, "this buffer has %zu bytes, fewer than its 'byteLength'",
                   b->n);
    return NULL;
  }
  b->n = (size_t)length;
  return b;
}

/* --- accessors -------------------------------------------------------------------------------- */

static size_t size_of(int64_t type) {
  return type == UBYTE ? 1 : type == USHORT ? 2 : type == UINT || type == FLOAT ? 4 : 0;
}

static bool get_items(gltf *g, int64_t i, const hk_node *at, const char *shape, int32_t per,
                      items *out) {
  const hk_node *a = item(g, g->accessors, i, at, "accessor");
  if (!a) return false;
  const hk_node *sparse = hki_node_get(a, "sparse"), *kind = hki_node_get(a, "type");
  int64_t type = whole(g, a, "componentType", 0), n = whole(g, a, "count", 0);
  int64_t view = whole(g, a, "bufferView", -2), offset = whole(g, a, "byteOffset", 0);
  if (g->b->status != HK_OK) return false;
  if (sparse) return !wrong(g, sparse, "sparse accessors are not read");
  if (!kind || !hki_node_is(kind, shape) || n <= 0 || size_of(type) == 0) {
    hki_mesh_wrong(g->b, a->loc, NULL, "this accessor must have the type %s and a count", shape);
    return false;
  }
  if (view < 0) return !wrong(g, a, "this accessor has no 'bufferView'");
  const hk_node *v = item(g, g->views, view, a, "buffer view");
  if (!v) return false;
  int64_t buffer = whole(g, v, "buffer", -2), start = whole(g, v, "byteOffset", 0);
  int64_t length = whole(g, v, "byteLength", -2), stride = whole(g, v, "byteStride", 0);
  const bytes *b = g->b->status == HK_OK ? get_buffer(g, buffer, v) : NULL;
  if (!b) return false;
  int64_t each = (int64_t)size_of(type) * per, step = stride ? stride : each;
  bool fits = length >= 0 && start <= (int64_t)b->n && length <= (int64_t)b->n - start &&
              offset <= length && each <= length - offset && step >= each && step <= 65536 &&
              (n - 1) <= (length - offset - each) / step && n <= 3 * (int64_t)HK_MESH_FACES;
  if (!fits) return !wrong(g, a, "this accessor reaches beyond its buffer");
  *out = (items){b->p + start + offset, (size_t)step, (int32_t)n, (int32_t)type};
  return true;
}

static uint32_t get_int(const items *x, int32_t i) {
  const unsigned char *p = x->p + (size_t)i * x->stride;
  if (x->type == UBYTE) return p[0];
  uint32_t low = (uint32_t)p[0] | (uint32_t)p[1] << 8;
  return x->type == USHORT ? low : low | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double get_float(const items *x, int32_t i, int32_t k) {
  const unsigned char *p = x->p + (size_t)i * x->stride + 4 * (size_t)k;
  uint32_t bits =
      (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f;
}

/* --- meshes ----------------------------------------------------------------------------------- */

/* x -> M x + t, M by rows */
typedef struct place {
  double M[9], t[3];
  bool flips; /* det M < 0 */
} place;

static bool put_face(gltf *g, const place *at, int32_t a, int32_t c, int32_t d) {
  return at->flips ? hki_mesh_face(g->b, a, d, c) : hki_mesh_face(g->b, a, c, d);
}

/* index in the mesh of corner i of a primitive; -1 after an error message */
static int32_t corner(gltf *g, const items *index, const items *points, int32_t base, int32_t i,
                      const hk_node *node) {
  uint32_t k = index->p ? get_int(index, i) : (uint32_t)i;
  if (k < (uint32_t)points->n) return base + (int32_t)k;
  hki_mesh_wrong(g->b, node->loc, NULL, "index %d is %u, but there are %d points", (int)i, k,
                 (int)points->n);
  return -1;
}

static void put_faces(gltf *g, const hk_node *node, const place *at, int64_t mode,
                      const items *index, const items *points, int32_t base) {
  int32_t n = index->p ? index->n : points->n;
  if (n < 3 || (mode == MODE_TRIANGLES && n % 3)) {
    wrong(g, node, "the number of corners does not give whole triangles");
    return;
  }
  for (int32_t i = 0; i + 2 < n; i += mode == MODE_TRIANGLES ? 3 : 1) {
    int32_t a = corner(g, index, points, base, mode == MODE_FAN ? 0 : i, node);
    int32_t c = corner(g, index, points, base, i + 1, node);
    int32_t d = corner(g, index, points, base, i + 2, node);
    if (a < 0 || c < 0 || d < 0) return;
    // every second triangle of a strip has its corners in the opposite order
    bool turned = mode == MODE_STRIP && i % 2;
    if (!put_face(g, at, a, turned ? d : c, turned ? c : d)) return;
  }
}

static void put_primitive(gltf *g, const hk_node *node, const place *at) {
  const hk_node *attributes = hki_node_get(node, "attributes");
  int64_t mode = whole(g, node, "mode", MODE_TRIANGLES), indices = whole(g, node, "indices", -2);
  int64_t position = attributes ? whole(g, attributes, "POSITION", -2) : -2;
  items points, index = {NULL, 0, 0, 0};
  if (g->b->status != HK_OK || mode < MODE_TRIANGLES) return;
  if (mode > MODE_FAN || position < 0) {
    wrong(g, node,
          mode > MODE_FAN ? "this primitive has an unknown mode"
                          : "this primitive has no POSITION");
    return;
  }
  if (!get_items(g, position, node, "VEC3", 3, &points)) return;
  if (points.type != FLOAT) {
    wrong(g, node, "positions must be floating point numbers (quantized ones are not read)");
    return;
  }
  if (indices >= 0 && !get_items(g, indices, node, "SCALAR", 1, &index)) return;
  if (index.p && index.type == FLOAT) {
    wrong(g, node, "indices must be whole numbers");
    return;
  }
  int32_t base = g->b->npoints;
  for (int32_t i = 0; i < points.n; i++) {
    double x[3], y[3];
    for (int32_t k = 0; k < 3; k++) x[k] = get_float(&points, i, k);
    m3_mulv(y, at->M, x);
    v3_add(y, y, at->t);
    if (!hki_mesh_point(g->b, node->loc, y)) return;
  }
  put_faces(g, node, at, mode, &index, &points, base);
}

static void put_mesh(gltf *g, int64_t i, const hk_node *from, const place *at) {
  const hk_node *mesh = item(g, g->meshes, i, from, "mesh");
  const hk_node *list = mesh ? hki_node_get(mesh, "primitives") : NULL;
  if (mesh && (!list || list->kind != HK_NODE_SEQUENCE)) wrong(g, mesh, "a mesh has 'primitives'");
  for (int32_t k = 0; list && k < list->count && g->b->status == HK_OK; k++) {
    const hk_node *one = item(g, list, k, mesh, "primitive");
    if (one) put_primitive(g, one, at);
  }
}

/* --- nodes ------------------------------------------------------------------------------------ */

static double determinant(const double *M) {
  double c[3];
  v3_cross(c, M, M + 3);
  return v3_dot(c, M + 6);
}

/* the transform of a node: a matrix by columns, or scale, rotation (x y z w), translation */
static bool local_place(gltf *g, const hk_node *node, place *out) {
  const hk_node *matrix = hki_node_get(node, "matrix"), *t = hki_node_get(node, "translation");
  const hk_node *r = hki_node_get(node, "rotation"), *s = hki_node_get(node, "scale");
  double m[16], q[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1}, R[9];
  v3_zero(out->t);
  if (matrix) {
    if (!numbers(g, matrix, 16, m)) return false;
    for (int i = 0; i < 9; i++) out->M[i] = m[4 * (i % 3) + i / 3];
    v3_copy(out->t, m + 12);
    return true;
  }
  if ((t && !numbers(g, t, 3, out->t)) || (r && !numbers(g, r, 4, q)) ||
      (s && !numbers(g, s, 3, scale))) {
    return false;
  }
  double turned[4] = {q[3], q[0], q[1], q[2]};
  if (!(fabs(turned[0]) + fabs(q[0]) + fabs(q[1]) + fabs(q[2]) > 0.0))
    return !wrong(g, r, "this rotation is zero");
  quat_normalize(turned);
  quat_to_rot(R, turned);
  for (int i = 0; i < 9; i++) out->M[i] = R[i] * scale[i % 3];
  return true;
}

static void put_node(gltf *g, int64_t i, const hk_node *from, const place *outer, int32_t depth) {
  const hk_node *node = item(g, g->nodes, i, from, "node");
  place here, at;
  if (!node) return;
  if (g->seen[i] || depth > NESTING) {
    wrong(g, node, g->seen[i] ? "this node is in the scene twice" : "nodes are nested too deeply");
    return;
  }
  g->seen[i] = true;
  if (!local_place(g, node, &here)) return;
  m3_mul(at.M, outer->M, here.M);
  m3_mulv(at.t, outer->M, here.t);
  v3_add(at.t, at.t, outer->t);
  at.flips = determinant(at.M) < 0.0;
  int64_t mesh = whole(g, node, "mesh", -2);
  if (mesh >= 0) put_mesh(g, mesh, node, &at);
  const hk_node *children = hki_node_get(node, "children");
  double child;
  for (int32_t k = 0; children && k < children->count && g->b->status == HK_OK; k++) {
    const hk_node *c = children->kind == HK_NODE_SEQUENCE ? children->items[k] : NULL;
    if (!c || c->kind != HK_NODE_SCALAR || !hki_decimal(c->text, c->len, &child)) {
      wrong(g, children, "children are numbers of nodes");
    } else {
      put_node(g, child >= 0.0 && child < 1e9 ? (int64_t)child : -1, c, &at, depth + 1);
    }
  }
}

static void put_scene(gltf *g) {
  place world = {.flips = false};
  const hk_node *scenes = hki_node_get(g->root, "scenes");
  m3_identity(world.M);
  v3_zero(world.t);
  int64_t which = whole(g, g->root, "scene", 0);
  const hk_node *scene = item(g, scenes, which, g->root, "scene");
  const hk_node *list = scene ? hki_node_get(scene, "nodes") : NULL;
  double n;
  for (int32_t k = 0; list && k < list->count && g->b->status == HK_OK; k++) {
    const hk_node *c = list->kind == HK_NODE_SEQUENCE ? list->items[k] : NULL;
    if (!c || c->kind != HK_NODE_SCALAR || !hki_decimal(c->text, c->len, &n)) {
      wrong(g, list, "a scene lists numbers of nodes");
    } else {
      put_node(g, n >= 0.0 && n < 1e9 ? (int64_t)n : -1, c, &world, 0);
    }
  }
}

/* --- the file --------------------------------------------------------------------------------- */

/* the version must be 2, and no required extension may change the triangles */
static bool check_asset(gltf *g) {
  const hk_node *asset = hki_node_get(g->root, "asset");
  const hk_node *version = asset ? hki_node_get(asset, "version") : NULL;
  const hk_node *needs = hki_node_get(g->root, "extensionsRequired");
  if (!version || version->kind != HK_NODE_SCALAR || strncmp(version->text, "2.", 2) != 0) {
    return !wrong(g, asset ? asset : g->root, "this is not glTF 2");
  }
  for (int32_t i = 0; needs && needs->kind == HK_NODE_SEQUENCE && i < needs->count; i++) {
    const char *name = hki_node_text(needs->items[i]);
    // materials do not change the triangles
    if (name && strncmp(name, "KHR_materials", 13) == 0) continue;
    if (name && strncmp(name, "KHR_texture", 11) == 0) continue;
    hki_mesh_wrong(g->b, needs->items[i]->loc, "export it without compression or quantization",
                   "it needs the extension '%.60s', which is not read", name ? name : "?");
    return false;
  }
  return true;
}

static void read_json(gltf *g, const char *text, size_t len) {
  hk_status st = hki_yaml_parse(g->b->ctx, g->pool, g->b->name, text, len, NULL, &g->root);
  if (st != HK_OK) {
    g->b->status = st;
    return;
  }
  if (g->root->kind != HK_NODE_MAPPING) {
    wrong(g, g->root, "a glTF file is a JSON object");
    return;
  }
  g->nodes = hki_node_get(g->root, "nodes");
  g->meshes = hki_node_get(g->root, "meshes");
  g->accessors = hki_node_get(g->root, "accessors");
  g->views = hki_node_get(g->root, "bufferViews");
  g->buffers = hki_node_get(g->root, "buffers");
  int32_t nbuffers = g->buffers ? g->buffers->count : 0, nnodes = g->nodes ? g->nodes->count : 0;
  if (nbuffers > BUFFERS) {
    wrong(g, g->buffers, "it has too many buffers");
    return;
  }
  g->buffer = hki_alloc(g->b->ctx, ((size_t)nbuffers + 1) * sizeof *g->buffer);
  g->seen = hki_alloc(g->b->ctx, ((size_t)nnodes + 1) * sizeof *g->seen);
  if (!g->buffer || !g->seen) {
    g->b->status = HK_E_MEMORY;
  } else if (check_asset(g)) {
    put_scene(g);
  }
  for (int32_t i = 0; g->buffer && i < nbuffers; i++)
    if (g->buffer[i].own) hki_free(g->b->ctx, g->buffer[i].p);
  hki_free(g->b->ctx, g->buffer);
  hki_free(g->b->ctx, g->seen);
}

static uint32_t word(const char *s) {
  unsigned char u[4];
  memcpy(u, s, 4);
  return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static void read_binary(gltf *g, const char *text, size_t len) {
  const char *json = NULL;
  size_t json_len = 0;
  if (len < 20 || memcmp(text, "glTF", 4) != 0 || word(text + 4) != 2) {
    hki_mesh_wrong(g->b, HK_LOC_NONE, NULL, "it is not a binary glTF 2 file");
    return;
  }
  if (word(text + 8) > len) {
    hki_mesh_wrong(g->b, HK_LOC_NONE, NULL, "the file is cut short: %zu of %u bytes", len,
                   word(text + 8));
    return;
  }
  len = word(text + 8);
  for (size_t at = 12; at + 8 <= len;) {
    size_t n = word(text + at);
    if (n > len - at - 8) {
      hki_mesh_wrong(g->b, HK_LOC_NONE, NULL, "a chunk reaches beyond the end of the file");
      return;
    }
    if (memcmp(text + at + 4, "JSON", 4) == 0 && !json) json = text + at + 8, json_len = n;
    if (memcmp(text + at + 4, "BIN\0", 4) == 0 && !g->bin.p)
      g->bin = (bytes){(unsigned char *)(uintptr_t)(text + at + 8), n, false};
    at += 8 + (n + 3) / 4 * 4;
  }
  if (!json) {
    hki_mesh_wrong(g->b, HK_LOC_NONE, NULL, "it has no JSON inside");
    return;
  }
  read_json(g, json, json_len);
}

void hki_mesh_gltf(hk_mesh_builder *b, const char *text, size_t len, bool binary) {
  gltf g = {.b = b, .pool = hki_pool_create(b->ctx)};
  if (!g.pool) {
    b->status = HK_E_MEMORY;
    return;
  }
  if (binary) {
    read_binary(&g, text, len);
  } else {
    read_json(&g, text, len);
  }
  hki_pool_destroy(g.pool);
}
