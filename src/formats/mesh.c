/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.c: triangles from files.
 *
 *   STL, binary  80 bytes, number of triangles (uint32), 50 bytes each: normal, three points as
 *                little-endian float32, two unused bytes
 *   STL, text    "solid", then "vertex x y z", three to a facet
 *   OBJ          "v x y z" and "f a b c ..."; a polygon becomes a fan of triangles; of a/b/c only a
 *                is used; negative numbers count from the end
 *   glTF         mesh_gltf.c
 *
 * Everything read is checked: lengths against the file's size, numbers for being finite, indices
 * against the number of points.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/csv_table.h"
#include "formats/mesh_impl.h"

typedef hk_mesh_builder builder;

hk_status hki_mesh_wrong(hk_mesh_builder *b, hk_loc loc, const char *hint, const char *fmt, ...) {
  char what[400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  b->status = loc.line > 0 ? hki_error(b->ctx, HK_E_MODEL, loc, hint, "bad mesh: %s", what)
                           : hki_error(b->ctx, HK_E_MODEL, b->from, hint, "bad mesh '%s': %s",
                                       b->name, what);
  return b->status;
}

static hk_status wrong(builder *b, int32_t line, const char *hint, const char *what) {
  return hki_mesh_wrong(b, (hk_loc){b->file, line, 1}, hint, "%s", what);
}

bool hki_mesh_point(hk_mesh_builder *b, hk_loc loc, const double *p) {
  for (int i = 0; i < 3; i++) {
    if (isfinite(p[i]) && fabs(p[i]) < 1e30) continue;
    hki_mesh_wrong(b, loc, NULL, "a coordinate is not a number");
    return false;
  }
  if (b->npoints >= 3 * HK_MESH_FACES) {
    wrong(b, 0, "simplify it before you give it to Hooke", "it has too many points");
    return false;
  }
  if (!HK_GROW(b->ctx, b->points, b->points_cap, 3 * (b->npoints + 1))) {
    b->status = HK_E_MEMORY;
    return false;
  }
  for (int i = 0; i < 3; i++) b->points[3 * b->npoints + i] = (float)p[i];
  b->npoints++;
  return true;
}

static bool add_point(builder *b, int32_t line, const double *p) {
  return hki_mesh_point(b, (hk_loc){b->file, line, 1}, p);
}

bool hki_mesh_face(hk_mesh_builder *b, int32_t a, int32_t c, int32_t d) {
  if (b->nfaces >= HK_MESH_FACES) {
    wrong(b, 0, "simplify it before you give it to Hooke", "it has more than 2000000 triangles");
    return false;
  }
  if (!HK_GROW(b->ctx, b->faces, b->faces_cap, 3 * (b->nfaces + 1))) {
    b->status = HK_E_MEMORY;
    return false;
  }
  int32_t *f = b->faces + 3 * b->nfaces++;
  f[0] = a, f[1] = c, f[2] = d;
  return true;
}

/* --- STL, binary ------------------------------------------------------------------------------ */

static uint32_t little(const unsigned char *s) {
  return (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static void read_binary(builder *b, const unsigned char *s, size_t len) {
  uint32_t n = little(s + 80);
  if (n == 0 || n > HK_MESH_FACES) {
    wrong(b, 0, NULL, n ? "it has more than 2000000 triangles" : "it has no triangles");
    return;
  }
  if (len < 84 + 50 * (size_t)n) {
    wrong(b, 0, NULL, "the file ends before its last triangle");
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    const unsigned char *at = s + 84 + 50 * (size_t)i + 12;
    for (int k = 0; k < 3; k++) {
      double p[3];
      for (int j = 0; j < 3; j++) {
        uint32_t bits = little(at + 12 * k + 4 * j);
        float x;
        memcpy(&x, &bits, sizeof x);
        p[j] = (double)x;
      }
      if (!add_point(b, 0, p)) return;
    }
    if (!hki_mesh_face(b, b->npoints - 3, b->npoints - 2, b->npoints - 1)) return;
  }
}

/* --- text ------------------------------------------------------------------------------------- */

typedef struct words {
  const char *at, *end; /* the rest of the line */
} words;

static bool next_word(words *w, const char **word, int32_t *len) {
  while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\r')) w->at++;
  *word = w->at;
  while (w->at < w->end && *w->at != ' ' && *w->at != '\t' && *w->at != '\r') w->at++;
  ptrdiff_t n = w->at - *word;
  *len = n > 1000 ? 1000 : (int32_t)n;
  return n > 0;
}

static bool is(const char *word, int32_t len, const char *what) {
  return (size_t)len == strlen(what) && strncasecmp(word, what, (size_t)len) == 0;
}

static bool three_numbers(builder *b, words *w, int32_t line, double *p) {
  for (int i = 0; i < 3; i++) {
    const char *word;
    int32_t len;
    if (next_word(w, &word, &len) && hki_decimal(word, len, p + i)) continue;
    wrong(b, line, NULL, "three numbers are expected here");
    return false;
  }
  return true;
}

static void stl_line(builder *b, words *w, int32_t line, int32_t *corner) {
  const char *word;
  int32_t len;
  double p[3];
  if (!next_word(w, &word, &len)) return;
  if (is(word, len, "vertex")) {
    if (!three_numbers(b, w, line, p) || !add_point(b, line, p)) return;
    if (++*corner == 3) hki_mesh_face(b, b->npoints - 3, b->npoints - 2, b->npoints - 1);
    if (*corner > 3) wrong(b, line, NULL, "a facet has three vertices, this is the fourth");
  } else if (is(word, len, "endfacet")) {
    if (*corner != 3) wrong(b, line, NULL, "a facet has three vertices");
    *corner = 0;
  } else if (!is(word, len, "facet") && !is(word, len, "outer") && !is(word, len, "endloop") &&
             !is(word, len, "solid") && !is(word, len, "endsolid")) {
    wrong(b, line, "a text STL has 'facet', 'vertex', 'endfacet' and little else",
          "this line is not part of an STL file");
  }
}

/* the number before the first slash: 1 ... n, or -n ... -1 */
static bool obj_index(builder *b, const char *word, int32_t len, int32_t line, int32_t *out) {
  int32_t n = 0, sign = 1, i = 0;
  if (len > 0 && word[0] == '-') sign = -1, i = 1;
  for (; i < len && i < 9 && word[i] >= '0' && word[i] <= '9'; i++) n = 10 * n + (word[i] - '0');
  bool number = i > (sign < 0) && (i == len || word[i] == '/');
  *out = sign > 0 ? n - 1 : b->npoints - n;
  if (!number || *out < 0 || *out >= b->npoints) {
    wrong(b, line, "faces name vertices that stand above them, from 1",
          number ? "this face names a vertex that is not there" : "a face lists whole numbers");
    return false;
  }
  return true;
}

static void obj_line(builder *b, words *w, int32_t line) {
  const char *word;
  int32_t len;
  double p[3];
  if (!next_word(w, &word, &len)) return;
  if (is(word, len, "v")) {
    if (three_numbers(b, w, line, p)) add_point(b, line, p);
  } else if (is(word, len, "f")) {
    int32_t first = 0, before = 0, n = 0, now;
    for (; next_word(w, &word, &len); n++) {
      if (!obj_index(b, word, len, line, &now)) return;
      if (n == 0) first = now;
      if (n >= 2 && !hki_mesh_face(b, first, before, now)) return;
      before = now;
    }
    if (n < 3) wrong(b, line, NULL, "a face has at least three vertices");
  }
  // everything else (normals, textures, groups, materials) does not change the triangles
}

static void read_lines(builder *b, const char *text, size_t len, bool obj) {
  const char *at = text, *end = text + len;
  int32_t corner = 0;
  for (int32_t line = 1; at < end && b->status == HK_OK; line++) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    words w = {at, stop ? stop : end};
    if (obj) {
      obj_line(b, &w, line);
    } else {
      stl_line(b, &w, line, &corner);
    }
    if (!stop) break;
    at = stop + 1;
  }
  if (b->status == HK_OK && corner != 0) wrong(b, 0, NULL, "the file ends inside a facet");
}

/* --- either ----------------------------------------------------------------------------------- */

/* many binary files begin with "solid" too: the length decides */
static bool is_binary(const char *text, size_t len) {
  if (len < 84) return false;
  uint32_t n = little((const unsigned char *)text + 80);
  if (len == 84 + 50 * (size_t)n) return true;
  return memchr(text, 0, len < 512 ? len : 512) != NULL || strncmp(text, "solid", 5) != 0;
}

static void keep(builder *b, hk_mesh *mesh) {
  size_t np = (size_t)b->npoints * 3 * sizeof(float), nf = (size_t)b->nfaces * 3 * sizeof(int32_t);
  float *points = hki_pool_alloc(b->pool, np);
  int32_t *faces = hki_pool_alloc(b->pool, nf);
  if (!points || !faces) {
    b->status = HK_E_MEMORY;
    return;
  }
  memcpy(points, b->points, np);
  memcpy(faces, b->faces, nf);
  *mesh = (hk_mesh){b->npoints, b->nfaces, points, faces};
}

hk_status hki_mesh_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                         hk_loc from, hk_mesh *mesh) {
  static const char *const formats[] = {".obj", ".stl", ".gltf", ".glb"};
  builder b = {.ctx = ctx, .pool = pool, .name = name, .from = from};
  const char *dot = strrchr(name, '.');
  int32_t format = 0;
  *mesh = (hk_mesh){0};
  while (format < HK_ARRAY_LEN(formats) && !(dot && strcasecmp(dot, formats[format]) == 0))
    format++;
  if (format == HK_ARRAY_LEN(formats)) {
    return hki_error(ctx, HK_E_MODEL, from, "convert it to .glb, .gltf, .stl or .obj",
                     "the mesh '%s' is neither glTF nor STL nor OBJ by its name", name);
  }
  b.file = hki_ctx_file(ctx, name);
  if (format >= 2) {
    hki_mesh_gltf(&b, text, len, format == 3);
  } else if (format == 1 && is_binary(text, len)) {
    read_binary(&b, (const unsigned char *)text, len);
  } else {
    read_lines(&b, text, len, format == 0);
  }
  if (b.status == HK_OK && b.nfaces == 0) wrong(&b, 0, NULL, "it has no triangles");
  if (b.status == HK_OK) keep(&b, mesh);
  hki_free(ctx, b.points);
  hki_free(ctx, b.faces);
  return b.status;
}

void hki_mesh_stretch(hk_mesh *mesh, const double *D) {
  // the arrays belong to the mesh: `const` is for its users
  float *points = (float *)(uintptr_t)mesh->points;
  int32_t *faces = (int32_t *)(uintptr_t)mesh->faces;
  for (int32_t i = 0; i < 3 * mesh->npoints; i++) points[i] *= (float)D[i % 3];
  for (int32_t i = 0; D[0] * D[1] * D[2] < 0.0 && i < mesh->nfaces; i++) {
    int32_t last = faces[3 * i + 2];
    faces[3 * i + 2] = faces[3 * i + 1];
    faces[3 * i + 1] = last;
  }
}
