/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.c: beams and cables in a scene: one body with a section along a curve through nodes. Frames have four rows of
 * three numbers for each of its elements with a section, behind the forces of the others: moment, force, curvature,
 * strain, as its channels.
 */
#include "kinematics/wide.h"
#include "scene/scene.h"

enum { ROWS = 4 };

static bool has_section(const hk_spec_wide *e) { return e->ops->ny == HK_WIDE_SECTION; }

static int32_t count(const hk_spec *spec, const hk_spec_group *g) {
  int32_t n = 0;
  for (int32_t i = g->wide0; i < g->wide0 + g->nwide; i++) n += has_section(&spec->wide[i]);
  return n;
}

int32_t hki_scene_group_loads(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->spec->ngroups; i++) n += ROWS * count(m->spec, &m->spec->groups[i]);
  return n;
}

bool hki_scene_in_group(const hk_model *m, int32_t body) {
  for (int32_t i = 0; i < m->spec->ngroups; i++) {
    const hk_spec_group *g = &m->spec->groups[i];
    if (body >= g->body0 && body < g->body0 + g->nbody) return true;
  }
  return false;
}

void hki_scene_group_frame(const hk_kin *k, float *out) {
  const hk_spec *spec = k->m->spec;
  for (int32_t i = 0; i < spec->ngroups; i++) {
    const hk_spec_group *g = &spec->groups[i];
    for (int32_t e = g->wide0; e < g->wide0 + g->nwide; e++) {
      if (!has_section(&spec->wide[e])) continue;
      for (int32_t part = 0; part < ROWS; part++, out += 3) {
        double y[3];
        hki_kin_wide_outputs(k, e, 3 * part, 3, y);
        for (int32_t c = 0; c < 3; c++) out[c] = (float)y[c];
      }
    }
  }
}

/* --- as text ---------------------------------------------------------------------------------- */

/* place of a node, part of the group's length; of a body that is no node of it `otherwise` */
static double station(const hk_spec_group *g, int32_t body, double otherwise) {
  const int32_t i = body - g->body0;
  return i >= 0 && i < g->nbody ? g->station[i] : otherwise;
}

static double middle(const hk_spec_group *g, const hk_spec_wide *e) {
  const double from = station(g, e->body[0], 0.0), to = station(g, e->body[e->nmark - 1], 1.0);
  return 0.5 * (from + (g->closed && to < from ? 1.0 : to));
}

/* have all nodes the same? */
static bool uniform(const hk_spec_group *g) {
  const hk_outline *o = g->outline;
  bool same = true;
  for (int32_t i = 1; i < g->nbody; i++) {
    same &= o[i].kind == o->kind;
    for (int k = 0; k < 4; k++) same &= o[i].size[k] == o->size[k];
    for (int k = 0; k < 2; k++) same &= o[i].centre[k] == o->centre[k];
  }
  return same;
}

static void put_outlines(hk_text *t, const hk_spec_group *g) {
  static const struct {
    const char *word;
    int32_t n;
  } kinds[] = {[HK_OUTLINE_RECTANGLE] = {"rectangle", 2},
               [HK_OUTLINE_CIRCLE] = {"circle", 1},
               [HK_OUTLINE_TUBE] = {"tube", 2},
               [HK_OUTLINE_I] = {"i", 4}};
  const int32_t n = uniform(g) ? 1 : g->nbody;
  hki_text_add(t, ",\"outlines\":[");
  for (int32_t i = 0; i < n; i++) {
    const hk_outline *o = &g->outline[i];
    hki_text_printf(t, "%s{\"%s\":", i ? "," : "", kinds[o->kind].word);
    hki_scene_list(t, o->size, kinds[o->kind].n);
    if (o->centre[0] != 0.0 || o->centre[1] != 0.0) {
      hki_text_add(t, ",\"centre\":");
      hki_scene_list(t, o->centre, 2);
    }
    hki_text_add(t, "}");
  }
  hki_text_add(t, "]");
}

static void put_group(hk_text *t, const hk_spec *spec, const hk_spec_group *g, int32_t *load) {
  const int32_t n = count(spec, g);
  hki_text_add(t, "{\"name\":");
  hki_text_json(t, g->name);
  hki_text_add(t, ",\"kind\":");
  hki_text_json(t, g->kind);
  hki_text_printf(t, ",\"bodies\":[%d,%d]", (int)g->body0, (int)g->nbody);
  if (g->station) {
    hki_text_add(t, ",\"stations\":");
    hki_scene_list(t, g->station, g->nbody);
  }
  if (g->outline) put_outlines(t, g);
  hki_text_add(t, g->closed ? ",\"closed\":true" : "");
  hki_text_add(t, g->points ? ",\"points\":true" : "");
  if (n) {
    hki_text_printf(t, ",\"load\":%d,\"sections\":[", (int)*load);
    for (int32_t i = g->wide0, k = 0; i < g->wide0 + g->nwide; i++) {
      if (!has_section(&spec->wide[i])) continue;
      hki_text_add(t, k++ ? "," : "");
      hki_scene_put(t, middle(g, &spec->wide[i]));
    }
    hki_text_add(t, "]");
    *load += ROWS * n;
  }
  hki_text_add(t, "}");
}

void hki_scene_groups(hk_text *t, const hk_model *m, int32_t load) {
  hki_text_add(t, "\"groups\":[");
  for (int32_t i = 0, n = 0; i < m->spec->ngroups; i++) {
    if (!m->spec->groups[i].station) continue;
    hki_text_add(t, n++ ? ",\n " : "\n ");
    put_group(t, m->spec, &m->spec->groups[i], &load);
  }
  hki_text_add(t, "],\n");
}
