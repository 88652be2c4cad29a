/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.c: STL, OBJ and glTF files give the triangles they hold; bad ones are refused with a place.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/mesh.h"
#include "formats/support_pool.h"
#include "runner.h"

static hk_mesh mesh;

static hk_status parse(const char *name, const char *text, size_t len) {
  return hki_mesh_parse(ctx, pool, name, text, len, HK_LOC_NONE, &mesh);
}

static hk_status parse_text(const char *name, const char *text) {
  return parse(name, text, strlen(text));
}

static const char solid[] = "solid corner\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n"
                            "   vertex 1 0 0\n   vertex 0 2.5 0\n  endloop\n endfacet\nendsolid\n";

START_TEST(text_stl) {
  ck_assert_int_eq(parse_text("a.stl", solid), HK_OK);
  ck_assert_int_eq(mesh.npoints, 3);
  ck_assert_int_eq(mesh.nfaces, 1);
  ck_assert_float_eq(mesh.points[7], 2.5f);
}
END_TEST

/* 84 bytes of head, then 50 per triangle */
static size_t make_binary(char *out, uint32_t claimed, int real) {
  memset(out, 0, 84);
  memcpy(out, "solid that is binary", 20);
  memcpy(out + 80, &claimed, 4);
  for (int i = 0; i < real; i++) {
    float f[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, (float)i, 0};
    memcpy(out + 84 + 50 * i, f, 48);
    memset(out + 84 + 50 * i + 48, 0, 2);
  }
  return 84 + 50 * (size_t)real;
}

START_TEST(binary_stl) {
  char data[84 + 3 * 50];
  ck_assert_int_eq(parse("a.STL", data, make_binary(data, 3, 3)), HK_OK);
  ck_assert_int_eq(mesh.nfaces, 3);
  ck_assert_float_eq(mesh.points[3 * 8 + 1], 2.0f);
  // cut short, and with a number of triangles that is far too large
  ck_assert_int_eq(parse("a.stl", data, make_binary(data, 3, 2)), HK_E_MODEL);
  ck_assert_int_eq(parse("a.stl", data, make_binary(data, 0xffffffffu, 2)), HK_E_MODEL);
  ck_assert_int_eq(parse("a.stl", data, make_binary(data, 0, 0)), HK_E_MODEL);
}
END_TEST

START_TEST(obj_polygons_and_counts_from_the_end) {
  ck_assert_int_eq(parse_text("a.obj", "# a square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\n"
                                       "f 1/1/1 2/2/1 3//1 4\nf -4 -2 -1\n"),
                   HK_OK);
  ck_assert_int_eq(mesh.nfaces, 3);
  const int32_t faces[9] = {0, 1, 2, 0, 2, 3, 0, 2, 3};
  ck_assert_mem_eq(mesh.faces, faces, sizeof faces);
}
END_TEST

START_TEST(refusals) {
  static const struct {
    const char *name, *text, *words;
    int line;
  } cases[] = {
      {"a.obj", "v 0 0 0\nf 1 2 3\n", "not there", 2},
      {"a.obj", "v 0 0 0\nf 1 0 1\n", "not there", 2},
      {"a.obj", "v 0 0\n", "three numbers", 1},
      {"a.obj", "v 0 0 x\n", "three numbers", 1},
      {"a.obj", "v 0 0 0\nf 1 1\n", "at least three", 2},
      {"a.obj", "v 0 0 0\nf one two three\n", "whole numbers", 2},
      {"a.obj", "v 0 0 0\nf 99999999999999999999 1 1\n", "", 2},
      {"a.obj", "# nothing\n", "no triangles", 0},
      {"a.stl", "solid\nvertex 0 0 0\n", "inside a facet", 0},
      {"a.stl", "solid\nfacet\nvertex 0 0 0\nendfacet\n", "three vertices", 4},
      {"a.stl", "solid\nhello\n", "not part of an STL", 2},
      {"a.stl", "", "no triangles", 0},
      {"a.step", "x", "neither", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    hk_ctx_clear(ctx);
    ck_assert_int_eq(parse_text(cases[i].name, cases[i].text), HK_E_MODEL);
    const hk_message *m = hk_ctx_message(ctx, 0);
    ck_assert_ptr_nonnull(m);
    ck_assert_msg(strstr(m->text, cases[i].words), "case %zu: %s", i, m->text);
    ck_assert_int_eq(m->line, cases[i].line);
  }
}
END_TEST

/* --- glTF ------------------------------------------------------------------------------------- */

/* two triangles of a unit square: four points (48 bytes), six indices (uint16, 12 bytes) */
#define SQUARE "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAgD8AAAAAAAABAAIAAAACAAMA"
#define LISTS                                                                                      \
  "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": "          \
  "\"VEC3\"}, {\"bufferView\": 1, \"componentType\": 5123, \"count\": 6, \"type\": "               \
  "\"SCALAR\"}],\n\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}, {\"buffer\": 0, "         \
  "\"byteOffset\": 48, \"byteLength\": 12}],\n"
#define MESHES                                                                                     \
  "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}],\n"
#define INSIDE                                                                                     \
  "\"buffers\": [{\"byteLength\": 60, \"uri\": \"data:application/octet-stream;base64," SQUARE     \
  "\"}]"
#define HEAD "{\"asset\": {\"version\": \"2.0\"}, \"scene\": 0, \"scenes\": [{\"nodes\": [0]}],\n"

START_TEST(gltf_inside) {
  static const char text[] = HEAD LISTS MESHES
      "\"nodes\": [{\"translation\": [1, 0, 0], \"scale\": [2, 1, 1], \"children\": [1]},"
      "{\"mesh\": 0, \"rotation\": [0, 0, 0.7071067811865476, 0.7071067811865476]}],\n" INSIDE "}";
  ck_assert_int_eq(parse_text("a.gltf", text), HK_OK);
  ck_assert_int_eq(mesh.npoints, 4);
  ck_assert_int_eq(mesh.nfaces, 2);
  // the square's corner (1, 0, 0): turned a quarter to (0, 1, 0), stretched and moved
  ck_assert_float_eq_tol(mesh.points[3], 1.0f, 1e-6f);
  ck_assert_float_eq_tol(mesh.points[4], 1.0f, 1e-6f);
  // (1, 1, 0): to (-1, 1, 0), to (-2, 1, 0), to (-1, 1, 0)
  ck_assert_float_eq_tol(mesh.points[6], -1.0f, 1e-6f);
  const int32_t faces[6] = {0, 1, 2, 0, 2, 3};
  ck_assert_mem_eq(mesh.faces, faces, sizeof faces);
}
END_TEST

START_TEST(gltf_reflecting_node_turns_triangles) {
  static const char text[] = HEAD LISTS MESHES
      "\"nodes\": [{\"mesh\": 0, \"matrix\": [1,0,0,0, 0,-1,0,0, 0,0,1,0, 5,0,0,1]}],\n" INSIDE "}";
  ck_assert_int_eq(parse_text("a.gltf", text), HK_OK);
  ck_assert_float_eq(mesh.points[3], 6.0f);
  ck_assert_float_eq(mesh.points[7], -1.0f);
  const int32_t faces[6] = {0, 2, 1, 0, 3, 2};
  ck_assert_mem_eq(mesh.faces, faces, sizeof faces);
}
END_TEST

/* a .glb of this JSON and n bytes */
static size_t make_glb(char *out, const char *json, const void *bin, uint32_t n) {
  uint32_t pad = (4 - (uint32_t)strlen(json) % 4) % 4, len = (uint32_t)strlen(json) + pad;
  uint32_t head[5] = {0x46546c67, 2, 12 + 8 + len + (n ? 8 + n : 0), len, 0x4e4f534a};
  uint32_t second[2] = {n, 0x004e4942};
  memcpy(out, head, 20);
  memset(out + 20, ' ', len);
  memcpy(out + 20, json, strlen(json));
  if (n) memcpy(out + 20 + len, second, 8), memcpy(out + 28 + len, bin, n);
  return head[2];
}

START_TEST(gltf_binary) {
  static const char json[] =
      HEAD LISTS MESHES "\"nodes\": [{\"mesh\": 0}], \"buffers\": [{\"byteLength\": 60}]}";
  static const float points[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  static const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};
  char data[4096], bin[60];
  memcpy(bin, points, 48);
  memcpy(bin + 48, indices, 12);
  size_t n = make_glb(data, json, bin, 60);
  ck_assert_int_eq(parse("a.glb", data, n), HK_OK);
  ck_assert_int_eq(mesh.nfaces, 2);
  ck_assert_float_eq(mesh.points[7], 1.0f);
  // cut short anywhere
  for (size_t cut = 0; cut < n; cut += 7) ck_assert_int_eq(parse("a.glb", data, cut), HK_E_MODEL);
  // a chunk that claims too much, no JSON, another version
  memset(data + 12, 0xff, 4);
  ck_assert_int_eq(parse("a.glb", data, n), HK_E_MODEL);
  n = make_glb(data, json, bin, 60);
  data[16] = 'X';
  ck_assert_int_eq(parse("a.glb", data, n), HK_E_MODEL);
  n = make_glb(data, json, bin, 60);
  data[4] = 1;
  ck_assert_int_eq(parse("a.glb", data, n), HK_E_MODEL);
}
END_TEST

START_TEST(gltf_strips_and_fans) {
  static const char *const modes[] = {"\"mode\": 5,", "\"mode\": 6,"};
  static const int32_t faces[2][6] = {{0, 1, 2, 1, 3, 2}, {0, 1, 2, 0, 2, 3}};
  for (int i = 0; i < 2; i++) {
    char text[4096];
    snprintf(text, sizeof text,
             "%s%s\"meshes\": [{\"primitives\": [{%s\"attributes\": {\"POSITION\": 0}}]}],"
             "\"nodes\": [{\"mesh\": 0}],\n%s}",
             HEAD, LISTS, modes[i], INSIDE);
    ck_assert_int_eq(parse_text("a.gltf", text), HK_OK);
    ck_assert_int_eq(mesh.nfaces, 2);
    ck_assert_mem_eq(mesh.faces, faces[i], sizeof faces[i]);
  }
}
END_TEST

START_TEST(gltf_refusals) {
  static const struct {
    const char *nodes, *lists, *meshes, *buffers, *words;
  } cases[] = {
      {"[{\"mesh\": 7}]", LISTS, MESHES, INSIDE, "mesh 7 is not there"},
      {"[{\"mesh\": -1}]", LISTS, MESHES, INSIDE, "whole number"},
      {"[{\"children\": [0]}]", LISTS, MESHES, INSIDE, "twice"},
      {"[{\"mesh\": 0, \"scale\": [1, 1]}]", LISTS, MESHES, INSIDE, "3 numbers"},
      {"[{\"mesh\": 0, \"rotation\": [0, 0, 0, 0]}]", LISTS, MESHES, INSIDE, "zero"},
      {"[{}]", LISTS, MESHES, INSIDE, "no triangles"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"../../etc/passwd\"}]",
       "not a file in the folder"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"%2e%2e/x.bin\"}]",
       "not a file in the folder"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"/etc/passwd\"}]", "not a file in the folder"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"http://x/y.bin\"}]",
       "not a file in the folder"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"file:x.bin\"}]", "not a file in the folder"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"data:text/plain,abc\"}]", "base64"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"data:;base64,AB*D\"}]", "not base64"},
      {"[{\"mesh\": 0}]", LISTS, MESHES,
       "\"buffers\": [{\"byteLength\": 60, \"uri\": \"data:;base64,AAAA\"}]", "fewer than"},
      {"[{\"mesh\": 0}]", LISTS, MESHES, "\"buffers\": [{\"byteLength\": 60}]", "no 'uri'"},
      {"[{\"mesh\": 0}]", LISTS, MESHES, "\"buffers\": []", "buffer 0 is not there"},
      {"[{\"mesh\": 0}]", LISTS, "\"meshes\": [{\"primitives\": [{\"attributes\": {}}]}],", INSIDE,
       "no POSITION"},
      {"[{\"mesh\": 0}]", LISTS,
       "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 1}}]}],", INSIDE, "VEC3"},
      {"[{\"mesh\": 0}]", LISTS,
       "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}],", INSIDE,
       "whole triangles"},
      {"[{\"mesh\": 0}]",
       "\"accessors\": [{\"sparse\": {}, \"componentType\": 5126, \"count\": 4, \"type\": "
       "\"VEC3\"}],",
       MESHES, INSIDE, "sparse"},
      {"[{\"mesh\": 0}]",
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 5, \"type\": "
       "\"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}],",
       MESHES, INSIDE, "beyond its buffer"},
      {"[{\"mesh\": 0}]",
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": "
       "\"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteOffset\": 30, \"byteLength\": 48}],",
       MESHES, INSIDE, "beyond its buffer"},
      {"[{\"mesh\": 0}]",
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5126, \"count\": 999999999999, "
       "\"type\": \"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}],",
       MESHES, INSIDE, "beyond its buffer"},
      {"[{\"mesh\": 0}]",
       "\"accessors\": [{\"bufferView\": 0, \"componentType\": 5123, \"count\": 4, \"type\": "
       "\"VEC3\"}], \"bufferViews\": [{\"buffer\": 0, \"byteLength\": 48}],",
       MESHES, INSIDE, "quantized"},
      {"[{\"mesh\": 0}]", LISTS "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"],", MESHES,
       INSIDE, "KHR_draco_mesh_compression"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[4096];
    hk_ctx_clear(ctx);
    snprintf(text, sizeof text, "%s%s%s\"nodes\": %s,\n%s}", HEAD, cases[i].lists, cases[i].meshes,
             cases[i].nodes, cases[i].buffers);
    ck_assert_int_eq(parse_text("a.gltf", text), HK_E_MODEL);
    const hk_message *m = hk_ctx_message(ctx, 0);
    ck_assert_ptr_nonnull(m);
    ck_assert_msg(strstr(m->text, cases[i].words), "case %zu: %s", i, m->text);
    ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  }
  ck_assert_int_ne(parse_text("a.gltf", "{\"asset\": {\"version\": \"1.0\"}}"), HK_OK);
  ck_assert_int_ne(parse_text("a.gltf", "{\"asset\": "), HK_OK);
  ck_assert_int_ne(parse_text("a.gltf", "[1, 2]"), HK_OK);
  ck_assert_int_ne(parse_text("a.gltf", ""), HK_OK);
}
END_TEST

/* a file beside the mesh, and links that lead out of the folder */
START_TEST(gltf_beside) {
  char dir[] = "/tmp/hooke-mesh-XXXXXX", path[3][64], text[2048];
  ck_assert_ptr_nonnull(mkdtemp(dir));
  snprintf(path[0], sizeof path[0], "%s/a.gltf", dir);
  snprintf(path[1], sizeof path[1], "%s/a b.bin", dir);
  snprintf(path[2], sizeof path[2], "%s/link.bin", dir);
  static const float points[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  static const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};
  FILE *f = fopen(path[1], "wb");
  fwrite(points, 1, 48, f);
  fwrite(indices, 1, 12, f);
  fclose(f);
  ck_assert_int_eq(symlink("/etc/hostname", path[2]), 0);
  static const struct {
    const char *uri;
    hk_status status;
  } cases[] = {{"a%20b.bin", HK_OK},
               {"a b.bin", HK_OK},
               {"./a%20b.bin", HK_OK},
               {"link.bin", HK_E_MODEL},
               {"gone.bin", HK_E_FILE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    snprintf(
        text, sizeof text,
        "%s%s%s\"nodes\": [{\"mesh\": 0}], \"buffers\": [{\"byteLength\": 60, \"uri\": \"%s\"}]}",
        HEAD, LISTS, MESHES, cases[i].uri);
    ck_assert_int_eq(parse_text(path[0], text), cases[i].status);
  }
  remove(path[1]);
  remove(path[2]);
  rmdir(dir);
}
END_TEST

START_TEST(reflection) {
  const double D[3] = {1, -1, 1};
  ck_assert_int_eq(parse_text("a.stl", solid), HK_OK);
  hki_mesh_stretch(&mesh, D);
  ck_assert_float_eq(mesh.points[7], -2.5f);
  const int32_t faces[3] = {0, 2, 1};
  ck_assert_mem_eq(mesh.faces, faces, sizeof faces);
  const double half_turn[3] = {-1, -1, 1};
  hki_mesh_stretch(&mesh, half_turn);
  ck_assert_float_eq(mesh.points[7], 2.5f);
  ck_assert_mem_eq(mesh.faces, faces, sizeof faces);
}
END_TEST

Suite *suite_mesh(void) {
  Suite *s = suite_create("mesh");
  TCase *t = tcase_create("mesh");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, text_stl);
  tcase_add_test(t, binary_stl);
  tcase_add_test(t, obj_polygons_and_counts_from_the_end);
  tcase_add_test(t, refusals);
  tcase_add_test(t, reflection);
  tcase_add_test(t, gltf_inside);
  tcase_add_test(t, gltf_reflecting_node_turns_triangles);
  tcase_add_test(t, gltf_binary);
  tcase_add_test(t, gltf_strips_and_fans);
  tcase_add_test(t, gltf_refusals);
  tcase_add_test(t, gltf_beside);
  suite_add_tcase(s, t);
  return s;
}
