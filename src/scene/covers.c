/* SPDX-License-Identifier: Apache-2.0
 *
 * covers.c: surfaces that follow bodies, in a scene: their points and triangles stand with those of the meshes, and
 * for each point the bodies that it follows: its place is the sum of weight x position + rotation x offset.
 */
#include "mapping/mapping.h"
#include "scene/scene.h"

/* offset of an entry in the own frame of its body: R' o, R its axes at the drawing position */
static void own_offset(const hk_model *m, const hk_spec_cover *s, const hk_mapping_entry *e,
                       double *out) {
  const hk_spec_body *b = &m->spec->bodies[s->body[e->body]];
  if (b->has_frame)
    m3_tmulv(out, b->frame.R, e->o);
  else
    v3_copy(out, e->o);
}

/* the name of the external forces that act on it, if there are some */
static void put_external(hk_text *t, const hk_model *m, const hk_spec_cover *s) {
  for (int32_t i = 0; i < m->spec->nexternals; i++) {
    const hk_spec_external *x = &m->spec->externals[i];
    if (!x->surface || strcmp(x->surface, s->name) != 0) continue;
    hki_text_add(t, ",\"external\":");
    hki_text_json(t, x->plan.name);
    return;
  }
}

static void put_cover(hk_text *t, const hk_model *m, const hk_spec_cover *s,
                      hk_results_scene *scene) {
  const hk_mapping *map = s->map;
  const int32_t n = map->start[map->npoint];
  hki_text_add(t, "{\"name\":");
  hki_text_json(t, s->name);
  put_external(t, m, s);
  hki_text_add(t, ",\"list\":[");
  for (int32_t i = 0; i < s->nbody; i++) hki_text_printf(t, "%s%d", i ? "," : "", (int)s->body[i]);
  hki_text_printf(t, "],\"points\":[%d,%d],\"faces\":[%d,%d],\"counts\":[", (int)scene->npoints,
                  (int)map->npoint, (int)scene->nfaces, (int)s->nface);
  scene->npoints += map->npoint, scene->nfaces += s->nface;
  for (int32_t i = 0; i < map->npoint; i++)
    hki_text_printf(t, "%s%d", i ? "," : "", (int)(map->start[i + 1] - map->start[i]));
  hki_text_add(t, "],\"bodies\":[");
  for (int32_t i = 0; i < n; i++)
    hki_text_printf(t, "%s%d", i ? "," : "", (int)s->body[map->entry[i].body]);
  hki_text_add(t, "],\"weights\":[");
  for (int32_t i = 0; i < n; i++) {
    hki_text_add(t, i ? "," : "");
    hki_scene_put(t, map->entry[i].w);
  }
  hki_text_add(t, "],\"offsets\":[");
  for (int32_t i = 0; i < n; i++) {
    double o[3];
    own_offset(m, s, &map->entry[i], o);
    for (int c = 0; c < 3; c++) {
      hki_text_add(t, i || c ? "," : "");
      hki_scene_put(t, o[c]);
    }
  }
  hki_text_add(t, "]}");
}

void hki_scene_covers(hk_text *t, const hk_model *m, hk_results_scene *scene) {
  if (!m->spec->ncovers) return;
  hki_text_add(t, "\"surfaces\":[");
  for (int32_t i = 0; i < m->spec->ncovers; i++) {
    hki_text_add(t, i ? ",\n " : "\n ");
    put_cover(t, m, &m->spec->covers[i], scene);
  }
  hki_text_add(t, "],\n");
}

void hki_scene_cover_meshes(const hk_model *m, float **points, int32_t **faces) {
  for (int32_t i = 0; i < m->spec->ncovers; i++) {
    const hk_spec_cover *s = &m->spec->covers[i];
    for (int32_t k = 0; k < 3 * s->map->npoint; k++) *(*points)++ = (float)s->map->point[k];
    for (int32_t k = 0; k < 3 * s->nface; k++) *(*faces)++ = s->face[k];
  }
}
