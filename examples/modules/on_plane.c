/* SPDX-License-Identifier: Apache-2.0
 *
 * on_plane.c: a module with one joint: a point of the second body stays in a plane of the first. With
 * n the normal, d from the first marker to the second, and u = vB - vA:
 *
 *   phi       = n . d = 0
 *   dphi/dt   = (n x d) . wA + n . u
 *   d2phi/dt2 = (n x d) . dwA/dt + n . du/dt + n . (wA x (wA x d) - 2 wA x u)
 *
 * since dn/dt = wA x n.
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

static void rows(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                 hk_plugin_rows *out) {
  const double n[3] = {A->R[2], A->R[5], A->R[8]};
  double d[3], u[3], x[3], y[3], z[3];
  (void)par;
  for (int i = 0; i < 3; i++) d[i] = B->p[i] - A->p[i], u[i] = B->v[i] - A->v[i];
  out->phi[0] = dot(n, d);
  cross(out->GA, n, d);
  for (int i = 0; i < 3; i++) out->GA[3 + i] = -n[i], out->GB[3 + i] = n[i];
  cross(x, A->w, d);
  cross(y, A->w, x);
  cross(z, A->w, u);
  for (int i = 0; i < 3; i++) out->gamma[0] += n[i] * (y[i] - 2.0 * z[i]);
}

static const hk_plugin_key keys[] = {
    {"normal", HK_PLUGIN_AXIS, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "normal of the plane"},
    {.kind = HK_PLUGIN_END}};

static const hk_plugin_joint joint = {
    .size = sizeof joint,
    .name = "on_plane",
    .text = "keeps a point of the second body in a plane of the first",
    .keys = keys,
    .nc = 1,
    .lengths = 1,
    .rows = rows,
};

static int32_t init(const hk_plugin_host *host) { return host->add_joint(host, &joint); }

HK_PLUGIN_ENTRY("on_plane", "a point in a plane", init);
