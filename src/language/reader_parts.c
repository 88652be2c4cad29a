/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_parts.c: keys of joints that stand for bodies, joints and forces of their own. They are
 * written as a model file would write them and read like all others.
 *
 *   stiffness, damping, backlash    of a coupling with the row phi(s): a body NAME_mesh without mass
 *                                   and its joint NAME_mesh with the coordinate e,
 *                                     phi(s) - e = 0
 *                                   and a spring on e, or stops at its ends. The multiplier is the
 *                                   spring's force: the coupling gives way by e, exactly.
 *   slip                            the same with a brake on e, the force NAME_slip
 *   armature                        of a joint with the coordinate s: a rotor NAME_rotor with the
 *                                   inertia n^2 J that turns with s by the gear NAME_armature. It has
 *                                   the energy of a rotor J at n times the rate; its axis is fixed in
 *                                   space, so that the gyroscopic moment of a rotor that is carried
 *                                   along is left out.
 */
#include "language/reader.h"

#include <stdio.h>

hk_entry *hki_rd_part(hk_reader *rd, const char *key, hk_loc loc, hk_text *text) {
  hk_entry *out = hki_pool_alloc(rd->pool, sizeof *out);
  hk_node *root = NULL;
  const bool ok = out && key && text->s &&
                  hki_yaml_parse(rd->ctx, rd->pool, "", text->s, text->len, NULL, &root) == HK_OK;
  hki_text_free(text);
  if (!ok) return NULL;
  hki_node_place(root, loc);
  *out = (hk_entry){.key = key, .key_loc = loc, .value = root};
  return out;
}

/* an entry "NAME + suffix" with this text as its contents; NULL: out of memory */
static hk_entry *make(hk_reader *rd, const hk_entry *e, const char *suffix, hk_text *text) {
  return hki_rd_part(rd, hki_pool_printf(rd->pool, "%s%s", e->key, suffix), e->key_loc, text);
}

/* "key: value" for a key of a mapping, where it is given as a text */
static void copy_key(const hk_node *from, const char *key, const char *indent, hk_text *out) {
  const char *value = hki_node_text(hki_node_get(from, key));
  if (value) hki_text_printf(out, "%s%s: %s\n", indent, key, value);
}

/* a revolute joint of a body of the same name with the ground, about the normal of a planar model */
static void write_joint(const hk_reader *rd, const hk_rd_scope *s, const hk_entry *e,
                        const char *suffix, hk_text *out) {
  double z[3] = {0.0, 0.0, 1.0};
  if (rd->spec->planar) m3_tmulv(z, s->map.S, rd->spec->normal);
  hki_text_init(out, rd->ctx);
  hki_text_printf(out, "type: revolute\nbetween: [ground, %s%s]\nat: [0, 0, 0]\n", e->key, suffix);
  hki_text_printf(out, "axis: [%.17g, %.17g, %.17g]\n", z[0], z[1], z[2]);
}

bool hki_rd_gives_way(const hk_node *node) {
  return hki_node_find(node, "stiffness") || hki_node_find(node, "damping") ||
         hki_node_find(node, "backlash") || hki_node_find(node, "slip");
}

/* the brake on the deviation of a coupling: its keys, with `type` and `joint` before them */
static bool make_slip(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_node *slip) {
  hk_text head;
  hki_text_init(&head, rd->ctx);
  hki_text_printf(&head, "type: %s\njoint: %s_mesh\n", hki_element_slip()->name, e->key);
  hk_entry *f = make(rd, e, "_slip", &head);
  const int32_t n = f ? f->value->count : 0;
  hk_entry *all = f ? hki_pool_alloc(rd->pool, (size_t)(n + slip->count) * sizeof *all) : NULL;
  if (!all) return false;
  for (int32_t i = 0; i < n + slip->count; i++)
    all[i] = i < n ? f->value->entries[i] : slip->entries[i - n];
  f->value->entries = all;
  f->value->count = n + slip->count;
  f->value->loc = slip->loc;
  return hki_rd_force_entry(rd, s, f);
}

/* Are its keys those of the element, but for those that are given it here? Told by the name of the coupling, which
 * the file has, and not by that of the force. */
static bool good_keys(hk_reader *rd, const hk_entry *e, const hk_node *slip) {
  const hk_param *own = hki_element_slip()->params;
  bool good = true;
  for (int32_t i = 0; i < slip->count; i++) {
    const hk_entry *k = &slip->entries[i];
    const hk_param *p = hki_params_find(own, k->key);
    if ((p && p->type != HK_P_JOINT) || hki_rd_is_private(k->key)) continue;
    hki_rd_error(rd, k->key_loc, "it has the keys of a brake, without 'joint'",
                 "'slip' of coupling '%s' has no key '%.100s'", e->key, k->key);
    good = false;
  }
  for (const hk_param *p = own; p->type != HK_P_END; p++) {
    if (!(p->flags & HK_P_REQUIRED) || p->type == HK_P_JOINT || hki_node_find(slip, p->name))
      continue;
    hki_rd_error(rd, slip->loc, p->text, "'slip' of coupling '%s' needs the key '%s'", e->key,
                 p->name);
    good = false;
  }
  return good;
}

/* a slip that cannot be; it is reported */
static bool bad_slip(hk_reader *rd, const hk_entry *e, const hk_node *slip) {
  char found[64];
  if (slip->kind != HK_NODE_MAPPING)
    hki_rd_error(rd, slip->loc, "for example slip: {friction: {mu: 0.4}, force: 200, radius: 0.1}",
                 "'slip' of '%s' must be a mapping, found %s", e->key,
                 hki_node_describe(slip, found, sizeof found));
  else if (hki_node_find(e->value, "stiffness") || hki_node_find(e->value, "damping") ||
           hki_node_find(e->value, "backlash"))
    hki_rd_error(rd, slip->loc, "put two couplings in line, with a body between them",
                 "coupling '%s' slips or gives way, not both", e->key);
  else
    return !good_keys(rd, e, slip);
  return true;
}

static bool make_mesh(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  const char *backlash = hki_node_text(hki_node_get(e->value, "backlash"));
  const hk_node *slip = hki_node_get(e->value, "slip");
  hk_text body, joint, spring;
  if (slip && bad_slip(rd, e, slip)) return true;
  hki_text_init(&body, rd->ctx);
  hki_text_add(&body, "mass: 0\ncom: [0, 0, 0]\n");
  write_joint(rd, s, e, "_mesh", &joint);
  if (backlash) {
    hki_text_printf(&joint, "limits:\n  angle:\n    - -(%s)/2\n    - (%s)/2\n", backlash, backlash);
    copy_key(e->value, "stiffness", "  ", &joint);
    copy_key(e->value, "damping", "  ", &joint);
    copy_key(e->value, "restitution", "  ", &joint);
  }
  const hk_entry *b = make(rd, e, "_mesh", &body), *j = make(rd, e, "_mesh", &joint);
  if (!b || !j || !hki_rd_body_add(rd, s, b) || !hki_rd_joint_add(rd, s, j)) return false;
  if (backlash) return true;
  if (slip) return make_slip(rd, s, e, slip);
  hki_text_init(&spring, rd->ctx);
  hki_text_printf(&spring, "type: joint_spring\njoint: %s_mesh\n", e->key);
  copy_key(e->value, "stiffness", "", &spring);
  copy_key(e->value, "damping", "", &spring);
  const hk_entry *f = make(rd, e, "_mesh", &spring);
  return f && hki_rd_force_entry(rd, s, f);
}

static bool make_rotor(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_node *armature) {
  const bool map = armature->kind == HK_NODE_MAPPING;
  const char *inertia = hki_node_text(map ? hki_node_get(armature, "inertia") : armature);
  const char *ratio = hki_node_text(map ? hki_node_get(armature, "ratio") : NULL);
  const char *coordinate = hki_node_text(map ? hki_node_get(armature, "coordinate") : NULL);
  hk_text body, joint, gear;
  char found[64];
  for (int32_t i = 0; map && i < armature->count; i++)
    if (!armature->entries[i].used)
      hki_rd_error(rd, armature->entries[i].key_loc, "its keys are inertia ratio coordinate",
                   "'armature' of joint '%s' has no key '%s'", e->key, armature->entries[i].key);
  if (!inertia) {
    hki_rd_error(rd, armature->loc, "for example armature: {inertia: 2e-5, ratio: 100}",
                 "'armature' of joint '%s' needs an inertia, found %s", e->key,
                 hki_node_describe(armature, found, sizeof found));
    return true;
  }
  hki_text_init(&body, rd->ctx);
  hki_text_add(&body, "mass: 0\ncom: [0, 0, 0]\ninertia:\n");
  for (int k = 0; k < 3; k++)
    hki_text_printf(&body, "  - (%s)*(%s)^2\n", inertia, ratio ? ratio : "1");
  write_joint(rd, s, e, "_rotor", &joint);
  hki_text_init(&gear, rd->ctx);
  hki_text_printf(&gear, "type: gear\njoints: [%s%s%s, %s_rotor]\nratio: 1\n", e->key,
                  coordinate ? "." : "", coordinate ? coordinate : "", e->key);
  const hk_entry *b = make(rd, e, "_rotor", &body), *j = make(rd, e, "_rotor", &joint);
  const hk_entry *g = make(rd, e, "_armature", &gear);
  return b && j && g && hki_rd_body_add(rd, s, b) && hki_rd_joint_add(rd, s, j) &&
         hki_rd_joint_add(rd, s, g);
}

bool hki_rd_joint_parts(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_joint_ops *ops) {
  const hk_node *armature =
      hki_node_find(e->value, "armature") ? hki_node_get(e->value, "armature") : NULL;
  if (!(ops->caps & HK_JOINT_COUPLES)) return !armature || make_rotor(rd, s, e, armature);
  return (ops->caps & HK_JOINT_RATES) || !hki_rd_gives_way(e->value) || make_mesh(rd, s, e);
}
