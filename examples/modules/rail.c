/* SPDX-License-Identifier: Apache-2.0
 *
 * rail.c: a module with a joint that has a coordinate: the second body slides along the z axis of the first
 * marker and does not turn. With a an axis of A, b one of B, d from A to B and u = vB - vA:
 *
 *   a . d     rate (a x d) . wA + a . u             bias a . (wA x (wA x d) - 2 wA x u)
 *   a . b     rate (a x b) . (wA - wB)              bias b . wA x (wA x a) + 2 (wA x a) . (wB x b)
 *                                                        + a . wB x (wB x b)
 *
 * Rows: x . d, y . d, x . yB, y . zB, z . xB are zero. The coordinate is z . d.
 */
#include "hooke/plugin.h"

static void cross(double *c, const double *a, const double *b) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void axis(const hk_plugin_frame *F, int i, double *a) {
  for (int k = 0; k < 3; k++) a[k] = F->R[3 * k + i];
}

/* row r: axis i of A, with the way from A to B */
static void along(const hk_plugin_frame *A, const hk_plugin_frame *B, int i, int r,
                  hk_plugin_rows *out) {
  double a[3], d[3], u[3], x[3], y[3], z[3];
  axis(A, i, a);
  for (int k = 0; k < 3; k++) d[k] = B->p[k] - A->p[k], u[k] = B->v[k] - A->v[k];
  out->phi[r] = dot(a, d);
  cross(out->GA + 6 * r, a, d);
  for (int k = 0; k < 3; k++) out->GA[6 * r + 3 + k] = -a[k], out->GB[6 * r + 3 + k] = a[k];
  cross(x, A->w, d);
  cross(y, A->w, x);
  cross(z, A->w, u);
  out->gamma[r] = dot(a, y) - 2.0 * dot(a, z);
}

/* row r: axis i of A, with axis j of B */
static void across(const hk_plugin_frame *A, const hk_plugin_frame *B, int i, int j, int r,
                   hk_plugin_rows *out) {
  double a[3], b[3], x[3], wa[3], wb[3], wwa[3], wwb[3];
  axis(A, i, a);
  axis(B, j, b);
  cross(x, a, b);
  out->phi[r] = dot(a, b);
  for (int k = 0; k < 3; k++) out->GA[6 * r + k] = x[k], out->GB[6 * r + k] = -x[k];
  cross(wa, A->w, a);
  cross(wb, B->w, b);
  cross(wwa, A->w, wa);
  cross(wwb, B->w, wb);
  out->gamma[r] = dot(wwa, b) + 2.0 * dot(wa, wb) + dot(a, wwb);
}

static void rows(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                 hk_plugin_rows *out) {
  (void)par;
  along(A, B, 0, 0, out);
  along(A, B, 1, 1, out);
  across(A, B, 0, 1, 2, out);
  across(A, B, 1, 2, 3, out);
  across(A, B, 2, 0, 4, out);
}

static void motion(const void *par, const double *q, const double *v, hk_plugin_motion *out) {
  (void)par, (void)v;
  out->R[0] = out->R[4] = out->R[8] = 1.0;
  out->p[2] = q[0];
  out->S[5] = 1.0;
}

static void measure(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                    const double *near, hk_plugin_rows *out) {
  (void)par, (void)near;
  along(A, B, 2, 0, out);
}

static const hk_plugin_key keys[] = {
    {"axis", HK_PLUGIN_AXIS, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "direction of the rail"},
    {.kind = HK_PLUGIN_END}};

static const hk_plugin_joint joint = {
    .size = sizeof joint,
    .name = "rail",
    .text = "slides along an axis without turning",
    .keys = keys,
    .nc = 5,
    .lengths = 3,
    .rows = rows,
    .ncoord = 1,
    .distances = 1,
    .coords = "position",
    .rates = "velocity",
    .units = "m",
    .motion = motion,
    .measure = measure,
};

static int32_t init(const hk_plugin_host *host) { return host->add_joint(host, &joint); }

HK_PLUGIN_ENTRY("rail", "a joint with a coordinate", init);
