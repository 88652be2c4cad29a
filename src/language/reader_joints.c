/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_joints.c: joints. Their keys are those of the joint's own table and the common ones.
 *
 * Both markers have axes R in the scope, z along the joint's axis, and become S R D in the world. D
 * comes from the joint's table, so that in a mirrored instance equal coordinates give mirror-image
 * motion:
 *   axis of rotation     pseudo-vector, z -> -S z (D = -1)
 *   axis of translation  vector,        z ->  S z
 * A joint with both on one axis cannot satisfy both: its angle keeps its sign and its position
 * changes sign (`sign` of hk_rd_side). Numbers marked HK_P_LEAD change sign.
 */
#include "language/reader.h"
#include "language/reader_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
/* rad: shafts drawn at a larger angle are taken for a wrong sign */
#define LARGEST_BEND (0.75 * PI)

/* --- registering ------------------------------------------------------------------------------ */

static const hk_joint_ops *find_type(hk_reader *rd, const hk_entry *e) {
  char hint[300], found[64];
  const hk_node *type = hki_node_get(e->value, "type");
  const char *name = hki_node_text(type);
  if (!name) {
    const hk_node *at = type ? type : e->value;
    hki_rd_error(rd, at->loc,
                 "for example {type: revolute, between: [ground, rod], at: A, axis: z}",
                 "joint '%s' needs the key 'type', found %s", e->key,
                 hki_node_describe(at, found, sizeof found));
    return NULL;
  }
  const hk_joint_ops *ops = hki_joint_known(rd->ctx, name);
  if (ops) return ops;
  hk_nearest near;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; (ops = hki_joint_of(rd->ctx, i)); i++) hki_nearest_try(&near, ops->name);
  const char *h = hki_rd_word_hint(name, &near, hint, sizeof hint);
  hki_rd_error(rd, type->loc, h ? h : "see 'hooke list joints'", "there is no joint type '%.100s'",
               name);
  return NULL;
}

bool hki_rd_joint_put(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_joint_ops *ops,
                      const char *what) {
  hk_spec *spec = rd->spec;
  const char *name;
  if (!hki_rd_name_add(rd, s, spec->joint_names, e, what, spec->njoints, rd->joints, &name))
    return true;
  if (!HK_GROW(rd->ctx, spec->joints, rd->joints_cap, spec->njoints + 1)) return false;
  if (!hki_rd_side_add(rd, &rd->joints, 1, spec->njoints, s, e)) return false;
  hk_spec_joint *j = &spec->joints[spec->njoints++];
  *j = (hk_spec_joint){.name = name, .loc = e->key_loc, .ops = ops, .active = true};
  for (int k = 0; k < 6; k++) j->motion[k] = j->row_signal[k] = HK_NONE;
  for (int k = 0; k < 4; k++) j->turn.signal[k] = HK_NONE;
  m3_identity(j->marker[0].R);
  m3_identity(j->marker[1].R);
  if (ops->par_size) j->par = hki_pool_alloc(spec->pool, ops->par_size);
  if (ops->par_size && !j->par) return false;
  if (ops->self) memcpy(j->par, &ops->self, sizeof ops->self);
  return true;
}

bool hki_rd_joint_add(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  const int32_t n = rd->spec->njoints;
  const hk_joint_ops *ops = find_type(rd, e);
  /* a joint of unknown type keeps its name, so that others may refer to it */
  if (!ops) ops = hki_joint_at(0);
  if (!hki_rd_joint_put(rd, s, e, ops, "joint")) return false;
  return rd->spec->njoints == n || hki_rd_joint_parts(rd, s, e, ops);
}

void hki_rd_joints_register(hk_reader *rd, hk_rd_scope *s) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, "joints", &w));)
    if (!hki_rd_joint_add(rd, w.scope, e)) return;
}

/* --- coordinates by name ---------------------------------------------------------------------- */

int32_t hki_rd_coord_group(const char *words, const char *key, int32_t *first) {
  size_t n = strlen(key);
  int32_t count = 0;
  int len;
  for (int32_t i = 0; words = hki_word(words, i ? 1 : 0, &len), len > 0; i++) {
    if ((size_t)len >= n && memcmp(words, key, n) == 0 && ((size_t)len == n || words[n] == '.')) {
      if (count++ == 0) *first = i;
    }
  }
  return count;
}

/* --- where it is ------------------------------------------------------------------------------ */

/* D of the markers of a joint type in a mirrored scope */
static void mirror_diagonal(const hk_joint_ops *ops, const hk_rd_map *map, double *D) {
  const int8_t *d = ops->mirror;
  if (map->mirrored && d[0])
    v3_set(D, d[0], d[1], d[2]);
  else
    v3_copy(D, map->D);
}

/* Marker axes with z along the direction of a key. x lies along the normal of a planar model where
 * z does not; else it is the direction nearest to the scope's x, which is u of a planar joint. */
static bool read_axis(hk_reader *rd, hk_rd_scope *s, const hk_node *axis, const char *key,
                      double *z, double *R) {
  double near[3];
  if (!hki_rd_axis(rd, s, &s->map, axis, key, z)) return false;
  m3_tmulv(near, s->map.S, rd->spec->normal);
  if (!rd->spec->planar || fabs(v3_dot(near, z)) > 0.5) v3_set(near, 1, 0, 0);
  rot_from_axis(R, z, 2, near);
  return true;
}

/* a normal on the first body and an axis on the second */
static bool read_both(hk_reader *rd, hk_rd_scope *s, const hk_node *axis, const hk_node *normal,
                      hk_spec_joint *j, double (*R)[9]) {
  double n[3], b[3], x[3];
  if (!read_axis(rd, s, normal, "normal", n, R[0]) || !read_axis(rd, s, axis, "axis", b, R[1]))
    return false;
  v3_cross(x, n, b);
  if (v3_norm(x) >= 1e-6) return true;
  hki_rd_error(rd, axis->loc, "draw the disc upright or leaning, the blade along the plane",
               "joint '%s': 'axis' is along 'normal', so that a disc lies flat on its plane and a "
               "blade stands on its end",
               j->name);
  return false;
}

/* Axes of the second marker where its shaft is drawn along another direction than the first: those
 * of the first turned the shortest way, so that neither shaft is twisted against the other. */
static bool read_shaft(hk_reader *rd, hk_rd_scope *s, const hk_node *axis2, hk_spec_joint *j,
                       const double *z, double (*R)[9]) {
  double b[3], n[3], T[9];
  if (!hki_rd_axis(rd, s, &s->map, axis2, "axis2", b)) return false;
  v3_cross(n, z, b);
  const double sine = v3_norm(n), angle = atan2(sine, v3_dot(z, b));
  if (angle > LARGEST_BEND) {
    hki_rd_error(rd, axis2->loc, "give both axes in the sense in which the shafts turn together",
                 "joint '%s': 'axis' and 'axis2' point against each other (%.4g degrees)", j->name,
                 angle * 180.0 / PI);
    return false;
  }
  if (sine == 0.0) return true;
  v3_scale(n, 1.0 / sine, n);
  rot_axis(T, n, angle);
  m3_mul(R[1], T, R[0]);
  return true;
}

/* the row of this type in the joint's own table, NULL: none */
static const hk_param *own_row(const hk_joint_ops *ops, hk_ptype type) {
  const hk_param *p = ops->params;
  while (p->type != HK_P_END && p->type != type) p++;
  return p->type == type ? p : NULL;
}
static void *at_row(const hk_spec_joint *j, const hk_param *p) {
  return (char *)j->par + p->offset;
}

/* a second axis lies in the markers' x-z plane */
static bool read_axis2(hk_reader *rd, hk_rd_scope *s, const hk_node *axis2, const hk_param *row,
                       hk_spec_joint *j, const double *z, double *R) {
  double a2[3], x[3], *num = at_row(j, row);
  if (!hki_rd_axis(rd, s, &s->map, axis2, row->name, a2)) return false;
  v3_cross(x, z, a2);
  if (v3_norm(x) < 1e-6) {
    hki_rd_error(rd, axis2->loc, NULL, "joint '%s': 'axis' and '%s' are parallel", j->name,
                 row->name);
    return false;
  }
  rot_from_axis(R, z, 2, a2);
  m3_column(x, R, 0);
  num[0] = v3_dot(a2, x);
  num[1] = v3_dot(a2, z);
  return true;
}

/* local axes of the two markers, z along the axis; they differ only for a joint with a normal on
 * the first body and an axis on the second, and for shafts drawn at an angle */
static bool read_axes(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_joint *j,
                      double (*markers)[9]) {
  const hk_param *second = own_row(j->ops, HK_P_AXIS2);
  const hk_node *axis = hki_node_get(node, "axis"), *normal = hki_node_get(node, "normal");
  const hk_node *axis2 = second ? hki_node_get(node, second->name) : NULL;
  double z[3], *R = markers[0];
  m3_identity(markers[0]);
  m3_identity(markers[1]);
  if (axis && normal) return read_both(rd, s, axis, normal, j, markers);
  if (!axis) axis = normal;
  if (!axis) return true;
  if (!read_axis(rd, s, axis, normal ? "normal" : "axis", z, R)) return false;
  bool ok = !axis2 || read_axis2(rd, s, axis2, second, j, z, R);
  memcpy(markers[1], R, sizeof markers[1]);
  if (!second && (axis2 = hki_node_get(node, "axis2")))
    return read_shaft(rd, s, axis2, j, z, markers);
  return ok;
}

/* the point of a joint that may omit `at`: the centre of mass of one of its bodies */
static void default_point(const hk_spec *spec, const hk_spec_joint *j, double *p) {
  for (int k = 1; k >= 0; k--) {
    int32_t b = j->body[k];
    if (b >= 0 && spec->bodies[b].has_com) {
      v3_copy(p, spec->bodies[b].com);
      return;
    }
  }
}

static bool read_place(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_joint *j) {
  const hk_node *at = hki_node_get(node, "at"), *ends = hki_node_get(node, "ends");
  double *a = j->marker[0].p, *b = j->marker[1].p;
  if (at && ends) {
    hki_rd_error(rd, ends->loc, NULL, "joint '%s': give 'at' or 'ends', not both", j->name);
    return false;
  }
  if (ends) return hki_rd_ends(rd, s, ends, "ends", a, b);
  if (!at && j->ops->place != HK_PLACE_ANYWHERE) {
    /* a missing `ends` has been reported by the check of keys */
    if (j->ops->place == HK_PLACE_AT) {
      hki_rd_error(rd, node->loc, "give the point where the joint is at the drawing position",
                   "joint '%s' needs the key 'at'", j->name);
    }
    return false;
  }
  if (at && !hki_rd_point(rd, s, at, "at", a)) return false;
  if (!at) default_point(rd->spec, j, a);
  v3_copy(b, a);
  return true;
}

/* --- bodies, numbers, motions ----------------------------------------------------------------- */

static bool read_between(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_joint *j) {
  const hk_node *list = hki_node_get(node, "between");
  if (!hki_rd_bodies(rd, s, list, j->body)) return false;
  if (j->body[0] != j->body[1]) return true;
  hki_rd_error(rd, list->loc, NULL, "joint '%s' joins body '%s' to itself", j->name,
               hki_node_text(list->items[0]));
  return false;
}

bool hki_rd_bodies(hk_reader *rd, hk_rd_scope *s, const hk_node *list, int32_t *body) {
  char found[64];
  body[0] = body[1] = HK_GROUND;
  if (!list) return false; /* reported as a missing key */
  if (list->kind != HK_NODE_SEQUENCE || list->count != 2) {
    hki_rd_error(rd, list->loc, "write between: [first, second]",
                 "'between' must be a list of two bodies, found %s",
                 hki_node_describe(list, found, sizeof found));
    return false;
  }
  body[0] = hki_rd_body(rd, s, list->items[0], "between");
  body[1] = hki_rd_body(rd, s, list->items[1], "between");
  return body[0] >= HK_GROUND && body[1] >= HK_GROUND;
}

/* a length that is not given is the distance between the ends at the drawing position */
static void read_drawn(hk_reader *rd, const hk_node *node, const hk_spec_joint *j,
                       const hk_param *p, double *x) {
  char hint[160];
  double d[3];
  v3_sub(d, j->marker[1].p, j->marker[0].p);
  *x = v3_norm(d);
  if (*x > 0.0) return;
  snprintf(hint, sizeof hint, "draw the ends apart, or give a '%s'", p->name);
  hki_rd_error(rd, node->loc, hint, "joint '%s' has no %s: its ends are the same point", j->name,
               p->name);
}

/* the numbers of the joint's own table, its switches and its curve */
static void read_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_spec_joint *j) {
  const hk_param *curve = own_row(j->ops, HK_P_CURVE);
  char words[300];
  for (const hk_param *p = j->ops->params; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    if (p->offset >= 0 && v && p->type == HK_P_BOOL) hki_rd_bool(rd, s, v, p->name, at_row(j, p));
    if (p->type != HK_P_REAL || p->offset < 0) continue;
    double *x = at_row(j, p);
    if (v) hki_rd_ranged(rd, s, v, p, x);
    if (!v && !isnan(p->def)) *x = p->def;
    if (!v && (p->flags & HK_P_DRAWN)) read_drawn(rd, node, j, p, x);
    if ((p->flags & HK_P_LEAD) && s->map.mirrored) *x = -*x;
  }
  const hk_node *v = curve ? hki_node_get(node, curve->name) : NULL;
  if (curve && !v) return; /* reported as a missing key */
  if (v && !(*(const hk_curve **)at_row(j, curve) = hki_rd_curve(rd, s, v, curve->name))) return;
  if (j->ops->check && !j->ops->check(j->par, words, sizeof words))
    hki_rd_error(rd, node->loc, NULL, "joint '%s': %s", j->name, words);
}

/* the coordinates first ... first + n - 1 that a key of a mapping names; false after reporting */
static bool coords_of_key(hk_reader *rd, const hk_spec_joint *j, const hk_entry *e, int32_t *first,
                          int32_t *n) {
  char hint[240];
  *n = hki_rd_coord_group(j->ops->coords, e->key, first);
  if (*n > 0 && *first + *n <= j->ops->ns) return true;
  snprintf(hint, sizeof hint, j->ops->ns ? "its coordinates: %s" : "it has none", j->ops->coords);
  hki_rd_error(rd, e->key_loc, hint,
               *n ? "joint '%s': '%s' cannot be prescribed or set here"
                  : "joint '%s' has no coordinate '%s'",
               j->name, e->key);
  return false;
}

/* order: the signal is the coordinate (0), its rate (1), its acceleration (2) */
static void read_motion_value(hk_reader *rd, hk_rd_scope *s, const hk_node *v, int32_t i, int32_t k,
                              int32_t order) {
  hk_spec_joint *j = &rd->spec->joints[i];
  char name[600], word[64];
  double value = 0.0;
  int32_t signal, n;
  if (j->motion[k] != HK_NONE) {
    const char *w = hki_word(j->ops->coords, k, &n);
    snprintf(word, sizeof word, "%.*s", (int)n, w);
    hki_rd_error(rd, v->loc, "prescribe its value, its rate or its acceleration",
                 "joint '%s': the coordinate '%s' is prescribed twice", j->name, word);
    return;
  }
  snprintf(name, sizeof name, "joint.%s.motion.%d", j->name, (int)k);
  const int32_t sign = rd->joints[i].sign[k] < 0 ? -1 : 1;
  if (!hki_rd_dynamic(rd, s, v, name, sign, &value, &signal)) return;
  if (signal == HK_NONE) signal = hki_rd_signal_constant(rd, s, name, v->loc, value);
  j = &rd->spec->joints[i];
  j->motion[k] =
      order && signal >= 0 ? hki_rd_signal_travel(rd, s, name, v->loc, signal, order) : signal;
  j->motion_loc[k] = v->loc;
}

/* signals of the coordinates first ... first + n - 1: one, or a list in which null leaves one free */
static void read_motion_list(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, int32_t i,
                             int32_t first, int32_t n, int32_t order) {
  const hk_node *v = e->value;
  if (n > 1 && (v->kind != HK_NODE_SEQUENCE || v->count != n)) {
    hki_rd_error(rd, v->loc, NULL, "'%s' must be a list of %d signals", e->key, (int)n);
    return;
  }
  for (int32_t k = 0; k < n; k++) {
    const hk_node *one = n > 1 ? v->items[k] : v;
    if (n > 1 && one->kind == HK_NODE_NULL) continue;
    read_motion_value(rd, s, one, i, first + k, order);
  }
}

/* acceleration: s of a joint with one coordinate, acceleration: {angle: s} of one with several */
static void read_accelerations(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, int32_t i) {
  const hk_spec_joint *j = &rd->spec->joints[i];
  const hk_node *v = e->value;
  int32_t first = 0, n = 0;
  if (v->kind != HK_NODE_MAPPING || (j->ops->ns == 1 && !hki_node_find(v, j->ops->coords))) {
    if (j->ops->ns == 1)
      read_motion_value(rd, s, v, i, 0, 2);
    else
      hki_rd_error(rd, v->loc, "for example acceleration: {angle: 2*t}",
                   "joint '%s' has %s: 'acceleration' must be a mapping of coordinates", j->name,
                   j->ops->ns ? "several coordinates" : "no coordinate to prescribe");
    return;
  }
  for (int32_t k = 0; k < v->count; k++)
    if (coords_of_key(rd, j, &v->entries[k], &first, &n))
      read_motion_list(rd, s, &v->entries[k], i, first, n, 2);
}

static void read_motion(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  const hk_joint_ops *ops = rd->spec->joints[i].ops;
  char found[64];
  if (node->kind == HK_NODE_SCALAR && ops->ns == 1) {
    read_motion_value(rd, s, node, i, 0, 0);
    return;
  }
  if (node->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, node->loc, "for example motion: {angle: 2*pi*t}",
                 "'motion' must be a mapping of coordinates, found %s",
                 hki_node_describe(node, found, sizeof found));
    return;
  }
  for (int32_t e = 0; e < node->count; e++) {
    const hk_entry *entry = &node->entries[e];
    int32_t first = 0, n = hki_rd_coord_group(ops->rates, entry->key, &first);
    if (hki_rd_turn(rd, s, node, entry, &rd->spec->joints[i])) continue;
    if (n > 0 && first + n <= ops->ns)
      read_motion_list(rd, s, entry, i, first, n, 1);
    else if (strcmp(entry->key, "acceleration") == 0)
      read_accelerations(rd, s, entry, i);
    else if (coords_of_key(rd, &rd->spec->joints[i], entry, &first, &n))
      read_motion_list(rd, s, entry, i, first, n, 0);
  }
}

static void read_zero(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  hk_spec_joint *j = &rd->spec->joints[i];
  const double *sign = rd->joints[i].sign;
  if (node->kind != HK_NODE_MAPPING) {
    bool one = j->ops->ns == 1;
    if (j->ops->ns == 0) {
      hki_rd_error(rd, node->loc, NULL, "joint '%s' has no coordinate to set a zero for", j->name);
    } else if (one ? hki_rd_number(rd, s, node, "zero", j->zero)
                   : hki_rd_numbers(rd, s, node, "zero", j->ops->ns, j->zero)) {
      for (int k = 0; k < j->ops->ns; k++) j->zero[k] *= sign[k];
    }
    return;
  }
  for (int32_t e = 0; e < node->count; e++) {
    int32_t first = 0, n = 0;
    double x[6] = {0};
    if (!coords_of_key(rd, j, &node->entries[e], &first, &n)) continue;
    const hk_node *v = node->entries[e].value;
    if (n == 1 ? !hki_rd_number(rd, s, v, "zero", x) : !hki_rd_numbers(rd, s, v, "zero", n, x))
      continue;
    for (int32_t k = 0; k < n; k++) j->zero[first + k] = sign[first + k] * x[k];
  }
}

/* one locked axis, with the signal that prescribes it or NULL */
static void read_locked_axis(hk_reader *rd, hk_rd_scope *s, int32_t i, const char *word, hk_loc loc,
                             const hk_node *v) {
  hk_spec_joint *j = &rd->spec->joints[i];
  uint32_t *locked = at_row(j, own_row(j->ops, HK_P_LOCKED));
  int32_t k = word ? hki_word_find("x y z rx ry rz", word) : -1;
  char name[600];
  double value = 0.0;
  bool yes;
  if (k < 0 || (*locked >> k & 1u)) {
    hki_rd_error(rd, loc, "any of x y z rx ry rz, each once",
                 k < 0 ? "'%s' is no axis to lock" : "axis '%s' is locked twice",
                 word ? word : "this");
    return;
  }
  *locked |= 1u << k;
  if (!v || v->kind == HK_NODE_NULL || (hki_node_bool(v, &yes) && yes)) return;
  snprintf(name, sizeof name, "joint.%s.locked.%s", j->name, word);
  int sign = rd->joints[i].sign[k] < 0 ? -1 : 1;
  if (hki_rd_dynamic(rd, s, v, name, sign, &value, &j->row_signal[k]) &&
      j->row_signal[k] == HK_NONE && value != 0.0) {
    j->row_signal[k] = hki_rd_signal_constant(rd, s, name, v->loc, value);
  }
}

/* a list of locked axes, a map from axes to prescribed signals, or a list of both */
static void read_locked(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  bool map = node->kind == HK_NODE_MAPPING;
  if (!map && node->kind != HK_NODE_SEQUENCE) {
    hki_rd_error(rd, node->loc, "for example locked: [x, y, rz]",
                 "'locked' must be a list or a mapping of axes");
    return;
  }
  for (int32_t e = 0; e < node->count; e++) {
    const hk_node *item = map ? node : node->items[e];
    if (item->kind != HK_NODE_MAPPING) {
      read_locked_axis(rd, s, i, hki_node_text(item), item->loc, NULL);
      continue;
    }
    for (int32_t k = map ? e : 0; k < (map ? e + 1 : item->count); k++) {
      const hk_entry *a = &item->entries[k];
      read_locked_axis(rd, s, i, a->key, a->key_loc, a->value);
    }
  }
}

/* --- one joint -------------------------------------------------------------------------------- */

/* when no point of the plane is given, it goes through the lowest point of the disc's rim */
static void place_plane(const hk_node *node, hk_spec_joint *j) {
  hk_frame A, B;
  hk_joint_loop L;
  double n[3];
  if (!(j->ops->caps & HK_JOINT_STANDS) || hki_node_find(node, "ends")) return;
  memset(&A, 0, sizeof A);
  memcpy(A.R, j->marker[0].R, sizeof A.R);
  v3_copy(A.p, j->marker[0].p);
  B = A;
  memcpy(B.R, j->marker[1].R, sizeof B.R);
  // height of the contact point above a plane through the disc's centre; move the plane there
  j->ops->loop(j->par, &A, &B, HK_LOOP_POS | HK_LOOP_JAC, &L);
  m3_column(n, A.R, 2);
  v3_axpy(j->marker[0].p, L.phi[0], n);
}

static void place_markers(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  hk_spec_joint *j = &rd->spec->joints[i];
  hk_rd_side *side = &rd->joints[i];
  const hk_node *axes = hki_node_get(node, "axes");
  double R[2][9];
  hk_rd_map map = s->map;
  mirror_diagonal(j->ops, &s->map, side->D);
  read_axes(rd, s, node, j, R);
  if (axes && hki_rd_axes(rd, s, axes, "axes", &map)) v3_copy(side->D, map.D);
  for (int k = 0; k < 2; k++) hki_rd_map_frame(&map, R[k], side->D, j->marker[k].R);
  for (int32_t k = 0; k < j->ops->ns; k++)
    side->sign[k] = hki_scalar_mirror(j->ops->scalars[k], side->D);
}

void hki_rd_joint_read(hk_reader *rd, int32_t i) {
  hk_spec_joint *j = &rd->spec->joints[i];
  hk_rd_scope *s = rd->joints[i].scope;
  const hk_node *node = rd->joints[i].entry->value;
  const hk_param *const tables[] = {j->ops->params, hki_joint_common_params, NULL};
  const char *type = hki_node_text(hki_node_get(node, "type"));
  if (!type || !hki_joint_known(rd->ctx, type)) return; /* refused already */
  if (j->ops->caps & HK_JOINT_COUPLES) return;          /* read after the joints that it couples */
  if (!hki_rd_check_keys(rd, node, tables, "joint", j->name)) {
    // a missing place is told at the same time
    if (j->ops->place == HK_PLACE_AT) (void)read_place(rd, s, node, j);
    return;
  }
  read_between(rd, s, node, j);
  read_place(rd, s, node, j);
  place_markers(rd, s, node, i);
  read_numbers(rd, s, node, j);
  place_plane(node, j);
  const hk_node *zero = hki_node_get(node, "zero"), *motion = hki_node_get(node, "motion");
  const hk_node *active = hki_node_get(node, "active"), *cut = hki_node_get(node, "cut");
  const hk_node *locked = hki_node_get(node, "locked"), *friction = hki_node_get(node, "friction");
  if (zero) read_zero(rd, s, zero, i);
  if (motion) read_motion(rd, s, motion, i);
  if (locked) read_locked(rd, s, locked, i);
  if (friction) hki_rd_joint_friction(rd, s, friction, i);
  if (active) hki_rd_bool(rd, s, active, "active", &j->active);
  if (cut) {
    int32_t choice = HK_CUT_AUTO;
    hki_rd_choice(rd, cut, "cut", "auto never always", &choice);
    j->cut = (hk_cut_hint)choice;
  }
}
