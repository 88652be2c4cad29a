/* SPDX-License-Identifier: Apache-2.0
 *
 * plates.c: shells and membranes in a scene: nodes as drawn and two triangles for each quadrilateral among the points and faces
 * of meshes. Frames have a row of three numbers for each element: the largest von Mises stress of its faces (Pa), their largest
 * strain, and the largest tension (N/m), by the means of its section forces over the thickness h,
 *
 *   stress N/h +- 6 M/h^2        strain eps +- h/2 kap
 *
 * which is nominal in laminates.
 */
#include <math.h>

#include "kinematics/wide.h"
#include "scene/scene.h"

static bool drawn(const hk_spec_group *g) { return g->quad != NULL; }

int32_t hki_scene_plate_loads(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->spec->ngroups; i++)
    n += drawn(&m->spec->groups[i]) ? m->spec->groups[i].nwide : 0;
  return n;
}

/* the larger principal value of xx, yy, xy, and the size of the largest */
static double principal(double x, double y, double xy, double *size) {
  const double mean = 0.5 * (x + y), r = hypot(0.5 * (x - y), xy);
  *size = fabs(mean) + r;
  return mean + r;
}

static void measure(const hk_kin *k, const hk_spec_group *g, int32_t e, float *out) {
  const bool shell = k->m->spec->wide[e].ops->ny == HK_WIDE_SHELL;
  double y[HK_WIDE_SHELL] = {0}, most[2] = {0.0, 0.0}, size;
  hki_kin_wide_outputs(k, e, 0, shell ? HK_WIDE_SHELL : HK_WIDE_MEMBRANE, y);
  const double h = g->thickness, *M = y + 3, *strain = shell ? y + 8 : y + 3, *bend = y + 11;
  for (int face = -1; face < 2; face += 2) {
    double s[3], d[3];
    for (int i = 0; i < 3; i++) {
      s[i] = y[i] / h + (shell ? 6.0 * face * M[i] / (h * h) : 0.0);
      d[i] = strain[i] + (shell ? 0.5 * face * h * bend[i] : 0.0);
    }
    most[0] = fmax(most[0], sqrt(s[0] * s[0] - s[0] * s[1] + s[1] * s[1] + 3.0 * s[2] * s[2]));
    (void)principal(d[0], d[1], 0.5 * d[2], &size);
    most[1] = fmax(most[1], size);
  }
  out[0] = (float)most[0], out[1] = (float)most[1];
  out[2] = (float)principal(y[0], y[1], y[2], &size);
}

void hki_scene_plate_frame(const hk_kin *k, float *out) {
  for (int32_t i = 0; i < k->m->spec->ngroups; i++) {
    const hk_spec_group *g = &k->m->spec->groups[i];
    for (int32_t e = g->wide0; drawn(g) && e < g->wide0 + g->nwide; e++, out += 3)
      measure(k, g, e, out);
  }
}

void hki_scene_plates(hk_text *t, const hk_model *m, int32_t load, hk_results_scene *out) {
  hki_text_add(t, "\"plates\":[");
  for (int32_t i = 0, n = 0; i < m->spec->ngroups; i++) {
    const hk_spec_group *g = &m->spec->groups[i];
    if (!drawn(g)) continue;
    hki_text_add(t, n++ ? ",\n {\"name\":" : "\n {\"name\":");
    hki_text_json(t, g->name);
    hki_text_add(t, ",\"kind\":");
    hki_text_json(t, g->kind);
    hki_text_printf(
        t, ",\"bodies\":[%d,%d],\"points\":[%d,%d],\"faces\":[%d,%d],\"load\":%d,\"thickness\":",
        (int)g->body0, (int)g->nbody, (int)out->npoints, (int)g->nbody, (int)out->nfaces,
        2 * (int)g->nwide, (int)load);
    hki_scene_put(t, g->thickness);
    hki_text_add(t, "}");
    out->npoints += g->nbody, out->nfaces += 2 * g->nwide;
    load += g->nwide;
  }
  hki_text_add(t, "],\n");
}

/* place of a node as drawn; that of its own frame, where it has one */
static const double *place(const hk_spec_body *b) { return b->has_frame ? b->frame.p : b->com; }

void hki_scene_plate_meshes(const hk_model *m, float **point, int32_t **face) {
  for (int32_t i = 0; i < m->spec->ngroups; i++) {
    const hk_spec_group *g = &m->spec->groups[i];
    for (int32_t k = 0; drawn(g) && k < 3 * g->nbody; k++)
      *(*point)++ = (float)place(&m->spec->bodies[g->body0 + k / 3])[k % 3];
    for (int32_t e = 0; drawn(g) && e < g->nwide; e++) {
      const int32_t *q = g->quad + (ptrdiff_t)4 * e,
                    corner[6] = {q[0], q[1], q[2], q[0], q[2], q[3]};
      for (int k = 0; k < 6; k++) *(*face)++ = corner[k];
    }
  }
}
