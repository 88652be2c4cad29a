/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.c: STL and OBJ files give the triangles they hold; bad ones are refused with a place.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "io/mesh.h"
#include "runner.h"

static hk_ctx *ctx;
static hk_pool *pool;
static hk_mesh mesh;

static void setup(void) {
  ctx = hk_ctx_create();
  pool = hki_pool_create(ctx);
}

static void teardown(void) {
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}

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

Suite *suite_mesh(void) {
  Suite *s = suite_create("mesh");
  TCase *t = tcase_create("mesh");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, text_stl);
  tcase_add_test(t, binary_stl);
  tcase_add_test(t, obj_polygons_and_counts_from_the_end);
  tcase_add_test(t, refusals);
  suite_add_tcase(s, t);
  return s;
}
