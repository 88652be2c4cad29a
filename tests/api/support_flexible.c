/* SPDX-License-Identifier: Apache-2.0
 *
 * support_flexible.c: arguments of hooke/flexible.h: a truss of a few bars in arrays, read back from its file.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support_arguments.h"

enum {
  CORNERS = 8,
  UNKNOWNS = 3 * CORNERS,
  BARS = CORNERS * (CORNERS - 1) / 2,
  ENTRIES = 21 * BARS
};

static double places[3 * CORNERS], K[ENTRIES], M[UNKNOWNS];
static int32_t node[UNKNOWNS], direction[UNKNOWNS], Ki[ENTRIES], Kj[ENTRIES], Mi[UNKNOWNS];
static const int32_t face[4] = {0, 2, 4, 6};
static const hk_fe_nodes sets[1] = {{"side", face, 4}};

/* a cube all of whose corners are joined */
static hk_fe_model cube(void) {
  int64_t n = 0;
  for (int i = 0; i < UNKNOWNS; i++) {
    node[i] = i / 3, direction[i] = i % 3, Mi[i] = i, M[i] = 1.0;
    places[i] = i / 3 >> i % 3 & 1;
  }
  for (int a = 0; a < CORNERS; a++)
    for (int b = 0; b < a; b++)
      for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
          const double *pa = places + 3 * a, *pb = places + 3 * b;
          const double s = (i < 3) == (j < 3) ? 1e4 : -1e4;
          Ki[n] = 3 * (i < 3 ? a : b) + i % 3, Kj[n] = 3 * (j < 3 ? a : b) + j % 3;
          K[n++] = s * (pa[i % 3] - pb[i % 3]) * (pa[j % 3] - pb[j % 3]);
        }
  return (hk_fe_model){.size = sizeof(hk_fe_model),
                       .nodes = CORNERS,
                       .places = places,
                       .unknowns = UNKNOWNS,
                       .node = node,
                       .direction = direction,
                       .stiffness_entries = n,
                       .stiffness_i = Ki,
                       .stiffness_j = Kj,
                       .stiffness = K,
                       .mass_entries = UNKNOWNS,
                       .mass_i = Mi,
                       .mass_j = Mi,
                       .mass = M,
                       .sets = sets,
                       .nsets = 1};
}

void test_flexible(void) {
  hk_flexible *b = NULL, *c = NULL;
  hk_flexible_mode m = {.size = sizeof m}, k = {.size = sizeof k};
  hk_fe_model fe = cube();
  hk_reduce_options opt = hk_reduce_options_def();
  const char *const names[2] = {"side", NULL}, *const far[1] = {"wall"};
  char path[64];
  hk_reduce_options_init(NULL, sizeof opt);
  USAGE(hk_reduce(NULL, "x.inp", NULL, &b));
  USAGE(hk_reduce(x.ctx, NULL, NULL, &b));
  USAGE(hk_reduce(x.ctx, "x.inp", NULL, NULL));
  says("hk_reduce");
  ck_assert_int_eq(hk_reduce(x.ctx, "nowhere.inp", NULL, &b), HK_E_FILE);
  USAGE(hk_reduce_matrices(NULL, &fe, NULL, &b));
  USAGE(hk_reduce_matrices(x.ctx, NULL, NULL, &b));
  opt.modes = -1;
  USAGE(hk_reduce_matrices(x.ctx, &fe, &opt, &b));
  says("hk_reduce_options");
  opt = hk_reduce_options_def();
  opt.interfaces = names, opt.ninterfaces = 2;
  USAGE(hk_reduce_matrices(x.ctx, &fe, &opt, &b));
  opt.interfaces = far, opt.ninterfaces = 1;
  ck_assert_int_eq(hk_reduce_matrices(x.ctx, &fe, &opt, &b), HK_E_MODEL);
  node[5] = CORNERS;
  USAGE(hk_reduce_matrices(x.ctx, &fe, NULL, &b));
  fe = cube();
  K[3] = NAN;
  USAGE(hk_reduce_matrices(x.ctx, &fe, NULL, &b));
  says("hk_fe_model");
  fe = cube();
  opt.interfaces = names, opt.modes = 4;
  ck_assert_int_eq(hk_reduce_matrices(x.ctx, &fe, &opt, &b), HK_OK);
  ck_assert_int_eq(hk_flexible_modes(b), 4);
  ck_assert_double_eq_tol(hk_flexible_mass(b), CORNERS, 1e-12);
  ck_assert_str_eq(hk_flexible_interface(b, 0), "side");
  ck_assert_ptr_null(hk_flexible_interface(b, 1));
  USAGE(hk_flexible_mode_get(b, 4, &m));
  USAGE(hk_flexible_mode_get(NULL, 0, &m));
  hk_flexible_held_mode h = {.size = sizeof h};
  ck_assert_int_eq(hk_flexible_held_modes(NULL), 0);
  USAGE(hk_flexible_held_mode_get(NULL, 0, &h));
  USAGE(hk_flexible_held_mode_get(b, hk_flexible_held_modes(b), &h));
  // what is written is read
  snprintf(path, sizeof path, "flexible-%d.nc", (int)getpid());
  USAGE(hk_flexible_save(b, NULL));
  USAGE(hk_flexible_save(NULL, path));
  ck_assert_int_eq(hk_flexible_save(b, path), HK_OK);
  USAGE(hk_flexible_open(x.ctx, NULL, &c));
  USAGE(hk_flexible_open(NULL, path, &c));
  ck_assert_int_eq(hk_flexible_open(x.ctx, path, &c), HK_OK);
  for (int32_t i = 0; i < 4; i++) {
    ck_assert_int_eq(hk_flexible_mode_get(b, i, &m), HK_OK);
    ck_assert_int_eq(hk_flexible_mode_get(c, i, &k), HK_OK);
    ck_assert_double_eq(m.frequency, k.frequency);
    ck_assert_double_eq(m.share, k.share);
    ck_assert_str_eq(m.kind, k.kind);
  }
  remove(path);
  hk_flexible_free(b);
  hk_flexible_free(c);
  hk_flexible_free(NULL);
  ck_assert(isnan(hk_flexible_mass(NULL)));
  ck_assert_int_eq(hk_flexible_modes(NULL), 0);
}
