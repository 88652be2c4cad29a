/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: the elements of meshes: names, nodes, faces that look outward, and the order of their nodes in gmsh.
 */
#include <string.h>
#include <strings.h>

#include "flex/fe.h"

/* clang-format off */
#define TETRA 4, {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}}
#define BRICK 6, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}
#define WEDGE 5, {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}
#define TRIANGLE 1, {{0, 1, 2, -1}}
#define SQUARE 1, {{0, 1, 2, 3}}
static const hk_fe_type types[] = {
    {"C3D20", HK_SOLID_BRICK, 20, 8, BRICK, 17, {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}},
    {"C3D15", HK_SOLID_WEDGE, 15, 6, WEDGE, 18, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}},
    {"C3D10", HK_SOLID_TETRA, 10, 4, TETRA, 11, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}},
    {"C3D8",  HK_SOLID_BRICK,  8, 8, BRICK,  5, {0, 1, 2, 3, 4, 5, 6, 7}},
    {"C3D6",  HK_SOLID_WEDGE,  6, 6, WEDGE,  6, {0, 1, 2, 3, 4, 5}},
    {"C3D4",  HK_SOLID_TETRA,  4, 4, TETRA,  4, {0, 1, 2, 3}},
    {"S3",    HK_SOLID_NONE,   3, 3, TRIANGLE, 0, {0}},
    {"S6",    HK_SOLID_NONE,   6, 3, TRIANGLE, 0, {0}},
    {"S4",    HK_SOLID_NONE,   4, 4, SQUARE,   0, {0}},
    {"S8",    HK_SOLID_NONE,   8, 4, SQUARE,   0, {0}},
};
/* clang-format on */

const hk_fe_type *hki_fe_type_named(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(types); i++)
    if (strncasecmp(name, types[i].name, strlen(types[i].name)) == 0) return &types[i];
  return NULL;
}

const hk_fe_type *hki_fe_type_gmsh(int32_t code) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(types); i++)
    if (types[i].gmsh && types[i].gmsh == code) return &types[i];
  return NULL;
}
