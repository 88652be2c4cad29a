/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_start.c: start values by joint or by body.
 *
 * Values are written in the axes of their scope. Under the map x -> p + S x, a body's position and
 * velocity go as points and vectors, its angular velocity as a pseudo-vector, and its orientation Q
 * to S Q S' (its frame is parallel to the axes at the drawing position) or to S Q D when the body
 * has a frame of its own. `in` takes the map of a frame; where that moves, rates are relative to it.
 * Values of a joint are seen in its marker's axes, which became S R D:
 * positions and velocities go to D v, angular velocities to det(D) D w, orientations to D Q D.
 */
#include "language/reader.h"

#include <stdio.h>
#include <string.h>

/* --- bodies ----------------------------------------------------------------------------------- */

static void body_orientation(const hk_spec_body *b, const hk_rd_map *map, const double *Q,
                             double *quat) {
  double T[9];
  if (b->has_frame) {
    hki_rd_map_frame(map, Q, map->D, T);
  } else {
    m3_congruence(T, map->S, Q);
  }
  quat_from_rot(quat, T);
}

static void read_body_start(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_start *st) {
  static const hk_param *const tables[] = {hki_keys_start_body, NULL};
  const hk_spec_body *b = &rd->spec->bodies[st->body];
  double x[3], Q[9];
  hk_rd_map in;
  if (!hki_rd_check_keys(rd, node, tables, "the start of body", b->name)) return;
  if (!hki_rd_base(rd, s, node, &in)) return;
  const hk_node *p = hki_node_get(node, "position"), *o = hki_node_get(node, "orientation");
  const hk_node *v = hki_node_get(node, "velocity"), *w = hki_node_get(node, "angular_velocity");
  // numbers are in the axes of the frame; a point by its name has its own place
  const bool numbers = p && p->kind == HK_NODE_SEQUENCE;
  if (numbers ? hki_rd_numbers(rd, s, p, "position", 3, x)
              : p && hki_rd_point(rd, s, p, "position", st->position)) {
    if (numbers) hki_rd_map_point(&in, x, st->position);
    st->given |= HK_START_POSITION;
    st->given_loc[0] = p->loc;
  }
  if (o && hki_rd_orientation(rd, s, &in, o, "orientation", Q)) {
    body_orientation(b, &in, Q, st->orientation);
    st->given |= HK_START_ORIENTATION;
    st->given_loc[1] = o->loc;
  }
  if (v && hki_rd_numbers(rd, s, v, "velocity", 3, x)) {
    hki_rd_map_vector(&in, x, st->velocity);
    v3_copy(st->carried, in.w);
    v3_copy(st->carried + 3, in.v);
    st->given |= HK_START_VELOCITY;
    st->given_loc[2] = v->loc;
  }
  if (w && hki_rd_numbers(rd, s, w, "angular_velocity", 3, x)) {
    hki_rd_map_pseudo(&in, x, st->angular_velocity);
    v3_add(st->angular_velocity, st->angular_velocity, in.w);
    st->given |= HK_START_ANGULAR_VELOCITY;
    st->given_loc[3] = w->loc;
  }
}

/* --- joints ----------------------------------------------------------------------------------- */

/* position, orientation, velocity, angular_velocity of joints with a quaternion */
static bool read_joint_pose(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const double *D,
                            hk_spec_start *st) {
  static const char words[] = "position orientation velocity angular_velocity";
  int32_t k = hki_word_find(words, e->key);
  const hk_node *v = e->value;
  double x[3], Q[9], det = D[0] * D[1] * D[2];
  if (k == 1) {
    if (!hki_rd_orientation(rd, s, &s->map, v, e->key, Q)) return false;
    for (int i = 0; i < 9; i++) Q[i] *= D[i / 3] * D[i % 3];
    quat_from_rot(st->orientation, Q);
  } else {
    if (!hki_rd_numbers(rd, s, v, e->key, 3, x)) return false;
    double *to = k == 0 ? st->position : k == 2 ? st->velocity : st->angular_velocity;
    for (int i = 0; i < 3; i++) to[i] = (k == 3 ? det : 1.0) * D[i] * x[i];
  }
  st->given |= 1u << k;
  st->given_loc[k] = v->loc;
  return true;
}

/* scalar coordinates or rates named by a key; 0 when the key is none of these words */
static int32_t read_scalars(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const char *words,
                            const hk_spec_joint *j, const double *sign, double *to, hk_loc *loc,
                            uint32_t *given) {
  int32_t first = 0, n = hki_rd_coord_group(words, e->key, &first);
  double x[6] = {0};
  if (n == 0 || first + n > j->ops->ns) return 0;
  if (n == 1 ? !hki_rd_number(rd, s, e->value, e->key, x)
             : !hki_rd_numbers(rd, s, e->value, e->key, n, x)) {
    return n;
  }
  for (int32_t k = 0; k < n; k++) {
    to[first + k] = sign[first + k] * x[k];
    loc[first + k] = n > 1 ? e->value->items[k]->loc : e->value->loc;
    *given |= 1u << (first + k);
  }
  return n;
}

/* "it takes: angle, rate"; a list such as angles.a, angles.b appears as "angles" */
static void joint_words(hk_reader *rd, const hk_joint_ops *ops, char *buf, size_t cap,
                        hk_nearest *near) {
  bool none = !*ops->coords && !*ops->rates;
  size_t n = (size_t)snprintf(buf, cap, "%s",
                              none ? "it takes none; name its bodies instead" : "it takes:");
  const char *lists[2] = {ops->coords, ops->rates};
  for (int l = 0; l < 2; l++) {
    const char *last = "";
    const char *w = lists[l];
    int len;
    for (int32_t k = 0; w = hki_word(w, k ? 1 : 0, &len), len > 0; k++) {
      size_t stem = strcspn(w, " .");
      const char *word = hki_pool_strndup(rd->pool, w, stem);
      if (word && strcmp(word, last) != 0) {
        if (n < cap) n += (size_t)snprintf(buf + n, cap - n, " %s", word);
        hki_nearest_try(near, word);
        last = word;
      }
    }
  }
}

static void read_joint_start(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                             hk_spec_start *st) {
  const hk_spec_joint *j = &rd->spec->joints[st->joint];
  const hk_rd_side *side = &rd->joints[st->joint];
  char hint[240], words[240], found[64];
  if (node->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, node->loc, "for example {angle: 30*deg, rate: 2}",
                 "the start of joint '%s' must be a mapping, found %s", j->name,
                 hki_node_describe(node, found, sizeof found));
    return;
  }
  for (int32_t i = 0; i < node->count && !hki_rd_enough(rd); i++) {
    const hk_entry *e = &node->entries[i];
    int32_t first;
    bool known = hki_rd_coord_group(j->ops->coords, e->key, &first) +
                     hki_rd_coord_group(j->ops->rates, e->key, &first) >
                 0;
    if (known && (j->ops->caps & HK_JOINT_QUATERNION)) {
      read_joint_pose(rd, s, e, side->D, st);
      continue;
    }
    if (known &&
        (read_scalars(rd, s, e, j->ops->coords, j, side->sign, st->q, st->q_loc, &st->q_given) ||
         read_scalars(rd, s, e, j->ops->rates, j, side->sign, st->v, st->v_loc, &st->v_given))) {
      continue;
    }
    hk_nearest near;
    hki_nearest_init(&near, e->key);
    joint_words(rd, j->ops, words, sizeof words, &near);
    const char *h = hki_rd_did_you_mean(&near, hint, sizeof hint);
    hki_rd_error(rd, e->key_loc, h ? h : words, "joint '%s' has no start value '%.100s'", j->name,
                 e->key);
  }
}

/* --- the section ------------------------------------------------------------------------------ */

static void read_equilibrium(hk_reader *rd, hk_rd_scope *s, const hk_node *node) {
  bool yes;
  int32_t choice = 0;
  if (s->parent) {
    hki_rd_error(rd, node->loc, NULL, "'equilibrium' belongs in the model, not in a component");
    return;
  }
  if (hki_node_bool(node, &yes)) {
    rd->spec->equilibrium = yes ? HK_EQ_REST : HK_EQ_OFF;
  } else if (hki_rd_choice(rd, node, "equilibrium", "off rest steady", &choice)) {
    rd->spec->equilibrium = (hk_equilibrium)choice;
  }
}

/* the metric of rates that are not named */
static void read_rates(hk_reader *rd, hk_rd_scope *s, const hk_node *node) {
  int32_t choice = 0;
  if (s->parent)
    hki_rd_error(rd, node->loc, NULL, "'rates' belongs in the model, not in a component");
  else if (hki_rd_choice(rd, node, "rates", "relative mass", &choice))
    rd->spec->start_rates = (hk_start_rates)choice;
}

/* loads that bias the start: {stiffness, rate_stiffness} */
static void read_relax(hk_reader *rd, hk_rd_scope *s, const hk_node *node) {
  static const hk_param *const tables[] = {hki_keys_relax, NULL};
  double *const to[] = {&rd->spec->relax, &rd->spec->relax_rate};
  if (s->parent) {
    hki_rd_error(rd, node->loc, NULL, "'relax' belongs in the model, not in a component");
    return;
  }
  if (!hki_rd_check_keys(rd, node, tables, "start", "relax")) return;
  for (int32_t i = 0; i < 2; i++) {
    const hk_node *value = hki_node_get(node, hki_keys_relax[i].name);
    if (value) hki_rd_ranged(rd, s, value, &hki_keys_relax[i], to[i]);
  }
}

/* index of a name of this scope in a table of full names, or -1 */
static int32_t find_full(const hk_names *names, const hk_rd_scope *s, const char *name) {
  char full[1024];
  if ((size_t)snprintf(full, sizeof full, "%s%s", s->prefix, name) >= sizeof full) return -1;
  return hki_names_find(names, full);
}

/* the joint or body that a key under `start` names: "pin", "joint.pin", "body.rod" */
static bool find_target(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, hk_spec_start *st) {
  const char *key = e->key;
  char hint[200];
  hk_spec *spec = rd->spec;
  bool joint = strncmp(key, "joint.", 6) == 0, body = strncmp(key, "body.", 5) == 0;
  st->joint = body ? HK_NONE : find_full(spec->joint_names, s, joint ? key + 6 : key);
  st->body = joint ? HK_NONE : find_full(spec->body_names, s, body ? key + 5 : key);
  if (st->joint >= 0 && st->body >= 0) {
    hki_rd_error(rd, e->key_loc, "write joint.NAME or body.NAME",
                 "'%s' is the name of a joint and of a body", key);
    return false;
  }
  if (st->joint >= 0 || st->body >= 0) return true;
  hk_nearest near;
  size_t n = strlen(s->prefix);
  hki_nearest_init(&near, key);
  hki_nearest_try(&near, "equilibrium");
  hki_nearest_try(&near, "relax");
  hki_nearest_try(&near, "rates");
  for (int32_t i = 0; i < spec->njoints; i++) {
    if (strncmp(spec->joints[i].name, s->prefix, n) == 0) {
      hki_nearest_try(&near, spec->joints[i].name + n);
    }
  }
  for (int32_t i = 0; i < spec->nbodies; i++) {
    if (strncmp(spec->bodies[i].name, s->prefix, n) == 0) {
      hki_nearest_try(&near, spec->bodies[i].name + n);
    }
  }
  // it may be a flexible body that could not be read
  if (rd->flexible_broken) return false;
  hki_rd_error(rd, e->key_loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
               "there is no joint or body '%.100s'", key);
  return false;
}

/* true when an earlier document of the scope gave start values for the same joint or body: those
 * hold. `from`: first start of the scope */
static bool started(const hk_spec *spec, const hk_spec_start *st, int32_t from) {
  for (int32_t i = from; i < spec->nstarts; i++) {
    if (spec->starts[i].joint == st->joint && spec->starts[i].body == st->body) return true;
  }
  return false;
}

void hki_rd_start_read(hk_reader *rd, hk_rd_scope *s) {
  hk_spec *spec = rd->spec;
  hk_rd_walk w = {0};
  bool equilibrium = false, relax = false, rates = false;
  int32_t from = spec->nstarts;
  for (hk_entry *e; (e = hki_rd_next(rd, s, "start", &w));) {
    if (strcmp(e->key, "equilibrium") == 0) {
      if (!equilibrium) read_equilibrium(rd, s, e->value);
      equilibrium = true;
      continue;
    }
    if (strcmp(e->key, "relax") == 0) {
      if (!relax) read_relax(rd, s, e->value);
      relax = true;
      continue;
    }
    // text: the key; a joint or body of this name has a table of values
    if (strcmp(e->key, "rates") == 0 && e->value->kind == HK_NODE_SCALAR) {
      if (!rates) read_rates(rd, s, e->value);
      rates = true;
      continue;
    }
    hk_spec_start st = {.loc = e->key_loc};
    if (!find_target(rd, w.scope, e, &st)) continue;
    if (w.doc > 0 && started(spec, &st, from)) continue;
    if (st.joint >= 0) read_joint_start(rd, w.scope, e->value, &st);
    if (st.body >= 0) read_body_start(rd, w.scope, e->value, &st);
    if (!HK_GROW(rd->ctx, spec->starts, rd->starts_cap, spec->nstarts + 1)) return;
    spec->starts[spec->nstarts++] = st;
  }
}
