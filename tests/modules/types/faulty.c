/* SPDX-License-Identifier: Apache-2.0
 *
 * faulty.c: types with mistakes that are found when a model is read. Elements on one body: `impure`
 * counts its calls, `skewed` gives wrong slopes, `picky` refuses its parameters; between two bodies
 * `lopsided` pushes one of them alone; the joint `crooked` leaves its own rows; the network element `silent` does not tell its unknown. The joint `bent` has a Jacobian of another sign than its row.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "hooke/plugin.h"

static const hk_plugin_key on_body[] = {
    {"on", HK_PLUGIN_BODY, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the body"},
    {"at", HK_PLUGIN_POINT, 0, -1, 0, 0, 0, "", NULL, "the point"},
    {.kind = HK_PLUGIN_END}};
static const hk_plugin_key between[] = {
    {"between", HK_PLUGIN_BODIES, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the bodies"},
    {"at", HK_PLUGIN_POINT, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the point"},
    {.kind = HK_PLUGIN_END}};

static void impure(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  static double calls;
  (void)par, (void)in, (void)need;
  out->w[3] = calls++;
}

static void skewed(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  (void)par;
  out->w[5] = -3.0 * in->m[0].v[2];
  if (need & HK_PLUGIN_NEED_TANGENT) out->B[5] = 1.0, out->cs[0] = 2.0;
}

static int32_t refuse(void *par, double *u, char *why, size_t cap) {
  (void)par, (void)u;
  snprintf(why, cap, "it is never content");
  return 1;
}

static void still(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  (void)par, (void)in, (void)need, (void)out;
}

static void lopsided(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  (void)par, (void)in, (void)need;
  out->w[3] = 1.0;
}

/* its output is not its unknown */
static void silent(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  (void)par;
  out->F[0] = in->xd[0] + in->x[0];
  if (need & HK_PLUGIN_NEED_OUTPUT) out->y[0] = 2.0 * in->x[0];
}
static const hk_plugin_key no_keys[] = {{.kind = HK_PLUGIN_END}};
static const double scale[] = {1.0};

static const hk_plugin_element elements[] = {
    {.size = sizeof elements[0],
     .name = "silent",
     .text = "does not tell its unknown",
     .keys = no_keys,
     .caps = HK_PLUGIN_NETWORK,
     .ny = 1,
     .nown = 1,
     .own_scale = scale,
     .outputs = "double",
     .output_units = "1",
     .eval = silent},
    {.size = sizeof elements[0],
     .name = "impure",
     .text = "counts",
     .keys = on_body,
     .nmark = 1,
     .eval = impure},
    {.size = sizeof elements[0],
     .name = "skewed",
     .text = "wrong slopes",
     .keys = on_body,
     .caps = HK_PLUGIN_TANGENT,
     .nmark = 1,
     .rank = 1,
     .eval = skewed},
    {.size = sizeof elements[0],
     .name = "picky",
     .text = "never content",
     .keys = on_body,
     .nmark = 1,
     .prepare = refuse,
     .eval = still},
    {.size = sizeof elements[0],
     .name = "lopsided",
     .text = "pushes one body",
     .keys = between,
     .nmark = 2,
     .eval = lopsided},
};

static void bent(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                 hk_plugin_rows *out) {
  (void)par;
  out->phi[0] = B->p[2] - A->p[2];
  out->GA[5] = 1.0, out->GB[5] = -1.0;
}

static const hk_plugin_joint joint = {.size = sizeof joint,
                                      .name = "bent",
                                      .text = "a wrong Jacobian",
                                      .nc = 1,
                                      .lengths = 1,
                                      .rows = bent};

/* rows that hold B on the z axis, more often than needed */
static void held(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                 hk_plugin_rows *out) {
  (void)par;
  for (int r = 0; r < 5; r++) {
    const double size = r % 2 ? 1.0 + r : -1.0 - r;
    out->phi[r] = size * (B->p[r % 2] - A->p[r % 2]);
    out->GA[6 * r + 3 + r % 2] = -size, out->GB[6 * r + 3 + r % 2] = size;
  }
}

/* but it moves along x */
static void crooked(const void *par, const double *q, const double *v, hk_plugin_motion *out) {
  (void)par, (void)v;
  out->R[0] = out->R[4] = out->R[8] = 1.0;
  out->p[0] = q[0], out->S[3] = 1.0;
}

static void measured(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                     const double *near, hk_plugin_rows *out) {
  (void)par, (void)near;
  out->phi[0] = B->p[0] - A->p[0];
  out->GA[3] = -1.0, out->GB[3] = 1.0;
}

static const hk_plugin_joint crooked_joint = {.size = sizeof crooked_joint,
                                              .name = "crooked",
                                              .text = "leaves its own rows",
                                              .nc = 5,
                                              .lengths = 31,
                                              .rows = held,
                                              .ncoord = 1,
                                              .distances = 1,
                                              .coords = "position",
                                              .rates = "velocity",
                                              .units = "m",
                                              .motion = crooked,
                                              .measure = measured};

static int32_t init(const hk_plugin_host *host) {
  for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
    if (host->add_element(host, &elements[i]) != 0) return 1;
  return host->add_joint(host, &joint) != 0 || host->add_joint(host, &crooked_joint) != 0;
}

HK_PLUGIN_ENTRY("faulty", "types with mistakes", init);
