/* SPDX-License-Identifier: Apache-2.0
 *
 * skins.c: surfaces of bodies with modes in a scene. Their points stand behind those of meshes: places of the nodes, then for
 * each mode translations of the nodes, then for each mode stresses in two rows of three numbers a node, xx yy zz and xy yz zx.
 * Frames have the modal coordinates in rows of three among the loads.
 */
#include "kinematics/skins.h"
#include "scene/scene.h"

static bool drawn(const hk_spec_skin *s) { return s->nface > 0; }

static int32_t rows(const hk_spec_skin *s) { return (s->ne + 2) / 3; }

/* points of three numbers */
static int32_t points(const hk_spec_skin *s) {
  return s->nnode * (1 + s->ne * (s->stress ? 3 : 1));
}

int32_t hki_scene_skin_loads(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->spec->nskins; i++)
    n += drawn(&m->spec->skins[i]) ? rows(&m->spec->skins[i]) : 0;
  return n;
}

bool hki_scene_in_skin(const hk_model *m, int32_t body) {
  for (int32_t i = 0; i < m->spec->nskins; i++) {
    const hk_spec_skin *s = &m->spec->skins[i];
    const bool coordinate = body > s->body0 && body <= s->body0 + s->ne;
    if (coordinate || (drawn(s) && body >= s->body0 && body < s->body0 + s->nbody)) return true;
  }
  return false;
}

void hki_scene_skin_frame(const hk_kin *k, float *out) {
  for (int32_t i = 0; i < k->m->spec->nskins; i++) {
    const hk_spec_skin *s = &k->m->spec->skins[i];
    if (!drawn(s)) continue;
    for (int32_t j = 0; j < 3 * rows(s); j++)
      out[j] = j < s->ne ? (float)hki_kin_modal_q(k, s->wide, j) : 0.0f;
    out += 3 * rows(s);
  }
}

void hki_scene_skins(hk_text *t, const hk_model *m, int32_t load, hk_results_scene *out) {
  hki_text_add(t, "\"skins\":[");
  for (int32_t i = 0, n = 0; i < m->spec->nskins; i++) {
    const hk_spec_skin *s = &m->spec->skins[i];
    hk_offset local;
    if (!drawn(s)) continue;
    hki_scene_local(m, s->body0, &s->at, &local);
    hki_text_add(t, n++ ? ",\n {\"name\":" : "\n {\"name\":");
    hki_text_json(t, s->name);
    hki_text_printf(t, ",\"bodies\":[%d,%d],\"at\":", (int)s->body0, (int)s->nbody);
    hki_scene_pose(t, &local);
    hki_text_printf(t,
                    ",\"modes\":%d,\"points\":[%d,%d],\"faces\":[%d,%d],\"load\":%d,\"stress\":%s}",
                    (int)s->ne, (int)out->npoints, (int)s->nnode, (int)out->nfaces, (int)s->nface,
                    (int)load, s->stress ? "true" : "false");
    out->npoints += points(s), out->nfaces += s->nface;
    load += rows(s);
  }
  hki_text_add(t, "],\n");
}

static float *put(float *to, const double *from, int32_t n) {
  for (int32_t i = 0; i < 3 * n; i++) to[i] = (float)from[i];
  return to + 3 * (ptrdiff_t)n;
}

void hki_scene_skin_points(const hk_model *m, float *to, int32_t *face) {
  for (int32_t i = 0; i < m->spec->nskins; i++) {
    const hk_spec_skin *s = &m->spec->skins[i];
    if (!drawn(s)) continue;
    to = put(to, s->node, s->nnode);
    to = put(to, s->shape, s->ne * s->nnode);
    if (s->stress) to = put(to, s->stress, 2 * s->ne * s->nnode);
    for (int32_t k = 0; k < 3 * s->nface; k++) *face++ = s->face[k];
  }
}
