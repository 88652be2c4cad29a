/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_forces.c: the elements of `forces:` and of `network:`. Everything is read by the element's
 * own table: each row says where its value goes, into the parameter struct at an offset or into an
 * input that may vary.
 *
 * Mirroring: markers with axes become S R D, three-component inputs change sign as D (vectors) or
 * det(D) D (torques), values per axis as reader_axis_values.c says.
 */
#include "elements/network.h"
#include "language/reader_axes.h"
#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/reader_shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* one element while it is read */
typedef struct force_in {
  hk_reader *rd;
  hk_rd_scope *s;
  hk_spec_force *f;
  const hk_node *node;
  double D[3]; /* mirror diagonal of its axes, see reader.h */
  bool placed; /* a point or ends were given */
  bool failed; /* a law is missing whose mistake was said elsewhere */
} force_in;

/* --- registering ------------------------------------------------------------------------------ */

/* the two sections that hold elements */
typedef struct section {
  const char *key, *what; /* "forces", "force" */
  bool network;
} section;

static const section sections[2] = {{"forces", "force", false},
                                    {"network", "network element", true}};

static bool in_section(const hk_element_ops *ops, const section *c) {
  return ((ops->caps & HK_ELEMENT_NETWORK) != 0) == c->network;
}

static const hk_element_ops *find_type(hk_reader *rd, const hk_entry *e, const section *c) {
  char hint[300], found[64], list[40];
  const hk_node *type = hki_node_get(e->value, "type");
  const char *name = hki_node_text(type);
  snprintf(list, sizeof list, "see 'hooke list %s'", c->key);
  if (!name) {
    const hk_node *at = type ? type : e->value;
    hki_rd_error(rd, at->loc, list, "%s '%s' needs the key 'type', found %s", c->what, e->key,
                 hki_node_describe(at, found, sizeof found));
    return NULL;
  }
  const hk_element_ops *ops = hki_element_known(rd->ctx, name);
  if (ops && in_section(ops, c)) return ops;
  if (ops) {
    snprintf(hint, sizeof hint, "move it to '%s:'", sections[!c->network].key);
    hki_rd_error(rd, type->loc, hint, "'%s' does not belong under '%s:'", name, c->key);
    return NULL;
  }
  hk_nearest near;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; (ops = hki_element_of(rd->ctx, c->network, i)); i++)
    hki_nearest_try(&near, ops->name);
  const char *h = hki_rd_word_hint(name, &near, hint, sizeof hint);
  hki_rd_error(rd, type->loc, h ? h : list, "there is no %s type '%.100s'", c->what, name);
  return NULL;
}

/* a force at the end of the list, without anything; e NULL: a signal or a joint made it, nothing is to be read */
static bool new_force(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const char *name,
                      hk_loc loc, const hk_element_ops *ops) {
  hk_spec *spec = rd->spec;
  if (!HK_GROW(rd->ctx, spec->forces, rd->forces_cap, spec->nforces + 1)) return false;
  if (!hki_rd_side_add(rd, &rd->forces, 2, spec->nforces, s, e)) return false;
  hk_spec_force *f = &spec->forces[spec->nforces++];
  *f = (hk_spec_force){.name = name, .loc = loc, .ops = ops, .joint = HK_NONE};
  f->body[0] = f->body[1] = HK_GROUND;
  for (int k = 0; k < HK_ELEMENT_INPUTS; k++) f->u_signal[k] = HK_NONE;
  for (int k = 0; k < HK_ELEMENT_NODES; k++) f->node[k] = HK_GROUND;
  m3_identity(f->marker[0].R);
  m3_identity(f->marker[1].R);
  if (!ops->wide) return true;
  // it acts by an element on several markers, or by one on each element of a surface, which are numbered before any
  // signal reads channels
  if (e && hki_params_find(ops->params, "surface")) {
    hki_rd_pressure(rd, s, e->value, spec->nforces - 1);
    return true;
  }
  if (!HK_GROW(rd->ctx, spec->wide, rd->wide_cap, spec->nwide + 1)) return false;
  spec->wide[spec->nwide++] =
      (hk_spec_wide){.name = name, .loc = loc, .ops = ops->wide, .acts_for = spec->nforces};
  return true;
}

int32_t hki_rd_force_add(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                         const hk_element_ops *ops) {
  hk_spec *spec = rd->spec;
  const char *copy = hki_pool_strdup(spec->pool, name);
  void *par = hki_pool_alloc(spec->pool, ops->par_size ? ops->par_size : 1);
  int32_t at = 0, i = spec->nforces;
  if (!copy || !par) return HK_NONE;
  if (!hki_names_add(spec->force_names, copy, i, &at)) {
    if (at >= 0) hki_rd_error(rd, loc, "choose another name", "'%s' is defined twice", name);
    return HK_NONE;
  }
  if (!new_force(rd, s, NULL, copy, loc, ops)) return HK_NONE;
  spec->forces[i].par = par;
  return i;
}

int32_t hki_rd_state(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc, double start) {
  const int32_t i = hki_rd_force_add(rd, s, name, loc, hki_netel_state());
  if (i >= 0) hki_netel_state_par(rd->spec->forces[i].par, rd->spec->forces[i].u, start);
  return i;
}

/* the row of a node that takes what the element dissipates, beside its own nodes; NULL: none */
static const hk_param *heats_row(const hk_element_ops *ops) {
  const hk_param *p = hki_params_find(ops->params, "heats");
  return p && p->offset == HK_P_HAND ? p : NULL;
}

/* one entry of a section; false: out of memory */
static bool add_entry(hk_reader *rd, hk_rd_scope *s, const section *c, const hk_entry *e) {
  hk_spec *spec = rd->spec;
  const char *name;
  const hk_element_ops *ops = find_type(rd, e, c);
  if (!ops) ops = hki_element_at(0);
  if (!hki_rd_name_add(rd, s, spec->force_names, e, c->what, spec->nforces, rd->forces, &name))
    return true;
  if (!new_force(rd, s, e, name, e->key_loc, ops)) return false;
  return !heats_row(ops) || !hki_node_get(e->value, "heats") ||
         hki_rd_heats_register(rd, s, name, e->key_loc);
}

bool hki_rd_force_entry(hk_reader *rd, hk_rd_scope *s, const hk_entry *e) {
  return add_entry(rd, s, &sections[0], e);
}

static void register_section(hk_reader *rd, hk_rd_scope *s, const section *c) {
  hk_rd_walk w = {0};
  for (hk_entry *e; (e = hki_rd_next(rd, s, c->key, &w));)
    if (!add_entry(rd, w.scope, c, e)) return;
}

void hki_rd_forces_register(hk_reader *rd, hk_rd_scope *s) {
  register_section(rd, s, &sections[0]);
}

void hki_rd_network_register(hk_reader *rd, hk_rd_scope *s) {
  register_section(rd, s, &sections[1]);
}

/* "force" or "network element", for messages */
static const char *what_of(const hk_element_ops *ops) {
  return sections[(ops->caps & HK_ELEMENT_NETWORK) != 0].what;
}
static const char *group_of(const hk_element_ops *ops) {
  return ops->caps & HK_ELEMENT_NETWORK ? "network" : "force";
}

/* --- places ----------------------------------------------------------------------------------- */

/* the joint coordinate an element acts on; by default the first one that is an angle or a length as
 * the element needs */
static void read_joint(force_in *in, const hk_node *v) {
  hk_reader *rd = in->rd;
  hk_spec_force *f = in->f;
  f->joint = hki_rd_joint(rd, in->s, v, "joint", &f->coord);
  if (f->joint < 0) {
    f->joint = HK_NONE;
    return;
  }
  const hk_joint_ops *ops = rd->spec->joints[f->joint].ops;
  const char *unit = f->ops->coordinate;
  if (f->coord < 0 && !unit && ops->ns > 0) f->coord = 0;
  if (f->coord < 0 && unit) {
    int32_t k = hki_word_find(ops->units, unit);
    if (k < ops->ns) f->coord = k;
  }
  if (f->coord >= 0) return;
  hki_rd_error(rd, v->loc, "see 'hooke info' for the coordinates of joints",
               "%s '%s': a %s joint has no coordinate that a %s can act on", what_of(f->ops),
               f->name, ops->name, f->ops->name);
  f->coord = 0;
}

/* the node in slot k must be of the kind that the element joins there */
static void read_node(force_in *in, const hk_param *p, const hk_node *v, int32_t k) {
  hk_spec_force *f = in->f;
  int32_t i = hki_rd_node(in->rd, in->s, v, p->name);
  const hk_domain want = f->ops->domains[k];
  if (i < 0) return;
  f->node[k] = i;
  if (in->rd->spec->nodes[i].domain == want) return;
  hki_rd_error(in->rd, v->loc, NULL, "'%s' is a node of type %s; a %s joins %s ones here", v->text,
               hki_domain_infos[in->rd->spec->nodes[i].domain].name, f->ops->name,
               hki_domain_infos[want].name);
}

static void read_nodes(force_in *in, const hk_param *p, const hk_node *v) {
  char found[64];
  if (v->kind != HK_NODE_SEQUENCE || v->count != 2) {
    hki_rd_error(in->rd, v->loc, "for example [supply, ground]",
                 "'%s' must be a list of two nodes, found %s", p->name,
                 hki_node_describe(v, found, sizeof found));
    return;
  }
  for (int32_t k = 0; k < 2; k++) read_node(in, p, v->items[k], p->offset + k);
}

/* axes of a load's components: the scope's, the body's, or a frame's */
static void read_axes(force_in *in, const hk_node *v, hk_axes *axes) {
  hk_rd_map map = in->s->map;
  double I[9], *R = axes->R;
  m3_identity(I);
  bool body = hki_node_is(v, "body");
  if (v && !body && !hki_rd_axes(in->rd, in->s, v, "axes", &map)) return;
  v3_copy(in->D, map.D);
  if (body) {
    /* the body's own frame at the drawing position, to which the marker then belongs */
    const hk_spec_body *b = in->f->body[0] >= 0 ? &in->rd->spec->bodies[in->f->body[0]] : NULL;
    axes->follow = true;
    R = in->f->marker[0].R;
    if (b && b->has_frame) {
      const double *D = in->rd->bodies[in->f->body[0]].D;
      memcpy(R, b->frame.R, 9 * sizeof *R);
      // nodes of beams are drawn along their line, and mirrored in their own way
      if (map.mirrored && D[0] * D[1] * D[2] < 0.0) v3_copy(in->D, D);
      return;
    }
  }
  hki_rd_map_frame(&map, I, map.D, R);
}

/* the marker axes of elements between bodies: of both, or those of the second alone */
static void read_frame_axes(force_in *in, const hk_param *p, const hk_node *v) {
  const bool second = p->offset == 1;
  hk_rd_map map = in->s->map;
  double I[9];
  m3_identity(I);
  if ((second && !v) || (v && !hki_rd_axes(in->rd, in->s, v, p->name, &map))) return;
  if (second && memcmp(in->D, map.D, sizeof map.D) != 0) {
    hki_rd_error(in->rd, v->loc, "take both from the same side",
                 "'axes' and 'second_axes' are mirror images of each other");
    return;
  }
  v3_copy(in->D, map.D);
  hki_rd_map_frame(&map, I, map.D, in->f->marker[1].R);
  if (!second) memcpy(in->f->marker[0].R, in->f->marker[1].R, 9 * sizeof(double));
}

/* rows of bodies, points and axes, which are read before the others */
static void read_place_row(force_in *in, const hk_param *p, const hk_node *v) {
  hk_spec_force *f = in->f;
  double axis[3];
  switch (p->type) {
    case HK_P_BODIES:
      hki_rd_bodies(in->rd, in->s, v, f->body);
      break;
    case HK_P_BODY:
      if (!v) break;
      f->body[p->offset >= 0] = hki_rd_body(in->rd, in->s, v, p->name);
      if (p->offset >= 0) *((bool *)f->par + p->offset) = true;
      break;
    case HK_P_ENDS:
      if (v) in->placed = hki_rd_ends(in->rd, in->s, v, p->name, f->marker[0].p, f->marker[1].p);
      break;
    case HK_P_POINT:
      if (!v) break;
      in->placed = hki_rd_point(in->rd, in->s, v, p->name, f->marker[0].p);
      v3_copy(f->marker[1].p, f->marker[0].p);
      break;
    case HK_P_AXIS:
      if (!v || p->offset < 0 || !hki_rd_axis(in->rd, in->s, &in->s->map, v, p->name, axis)) break;
      // the mirror image of what turns about an axis turns the other way
      if ((p->flags & HK_P_LEAD) && in->s->map.mirrored) v3_scale(axis, -1.0, axis);
      hki_rd_map_vector(&in->s->map, axis, (double *)(void *)((char *)f->par + p->offset));
      break;
    case HK_P_JOINT:
      if (v) read_joint(in, v);
      break;
    case HK_P_NODE:
      if (v && p->offset >= 0) read_node(in, p, v, p->offset);
      break;
    case HK_P_NODES:
      if (v) read_nodes(in, p, v);
      break;
    case HK_P_AXES:
      read_axes(in, v, (hk_axes *)(void *)((char *)f->par + p->offset));
      break;
    case HK_P_FRAME:
      read_frame_axes(in, p, v);
      break;
    default:
      break;
  }
}

/* --- values ----------------------------------------------------------------------------------- */

/* Is the value of a key neither a number nor a signal, but the name of a law, or true or false? Then
 * this is said. */
static bool is_no_value(force_in *in, const hk_param *p, const hk_node *v) {
  const char *name = hki_node_text(v);
  char hint[160] = "";
  if (!name || hki_rd_signal_find(in->rd, in->s, name) >= 0) return false;
  if (!v->quoted && (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)) {
    hki_rd_error(in->rd, v->loc, "for example 5, \"3*sin(t)\" or the name of a signal",
                 "'%s' must be a number, an expression or a signal, found %s", p->name, name);
    return true;
  }
  if (!hki_rd_item_find(&in->rd->laws, in->s, name)) return false;
  for (const hk_param *q = in->f->ops->params; q->type != HK_P_END; q++) {
    const size_t n = strlen(hint);
    if (q->type == HK_P_LAW)
      snprintf(hint + n, sizeof hint - n, "%s'%s: %.40s'", n ? " or " : "write ", q->name, name);
  }
  hki_rd_error(in->rd, v->loc, *hint ? hint : NULL,
               "'%.100s' is a law; '%s' takes a number, an expression or a signal", name, p->name);
  return true;
}

static void read_dynamic(force_in *in, const hk_param *p, const hk_node *v, int32_t k, int sign) {
  hk_spec_force *f = in->f;
  char name[700];
  double x = 0.0;
  const char *group = group_of(f->ops);
  snprintf(name, sizeof name, "%s.%s.%s", group, f->name, p->name);
  if (p->type == HK_P_DYNAMIC6)
    snprintf(name, sizeof name, "%s.%s.%s.%d", group, f->name, p->name, (int)k + 1);
  else if (k > 0)
    snprintf(name, sizeof name, "%s.%s.%s.%c", group, f->name, p->name, "xyz"[k % 3]);
  if (is_no_value(in, p, v)) return;
  if (!hki_rd_dynamic(in->rd, in->s, v, name, sign, &x, &f->u_signal[p->offset + k])) return;
  f->u[p->offset + k] = x;
  f->u_given |= 1u << (p->offset + k);
  const int32_t signal = f->u_signal[p->offset + k];
  if ((p->flags & HK_P_RATED) && signal != HK_NONE && hki_rd_of_time(in->rd, signal, 0)) {
    f->u_signal[p->offset + 1] = signal;
    f->u_rate |= 1u << (p->offset + 1);
  }
  if (signal != HK_NONE) return;
  bool negative = (p->flags & (HK_P_NONNEGATIVE | HK_P_POSITIVE)) && x < 0.0;
  if (negative || ((p->flags & HK_P_POSITIVE) && x == 0.0)) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' must %s, found %g", p->name,
                 p->flags & HK_P_POSITIVE ? "be positive" : "not be negative", x);
  }
  if ((p->min != 0.0 || p->max != 0.0) && (x < p->min || x > p->max)) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' must be between %g and %g, found %g", p->name, p->min,
                 p->max, x);
  }
}

static void read_dynamic3(force_in *in, const hk_param *p, const hk_node *v) {
  char found[64];
  double det = in->D[0] * in->D[1] * in->D[2];
  hk_node part[3];
  const bool vector = hki_node_text(v) && hki_rd_vector(in->rd, in->s, v, part);
  if (!vector && (v->kind != HK_NODE_SEQUENCE || v->count != 3)) {
    hki_rd_error(in->rd, v->loc, NULL,
                 "'%s' must be a list of three components or a vector signal, found %s", p->name,
                 hki_node_describe(v, found, sizeof found));
    return;
  }
  for (int32_t k = 0; k < 3; k++) {
    double sign = in->D[k] * (p->type == HK_P_DYNAMIC3P ? det : 1.0);
    read_dynamic(in, p, vector ? &part[k] : v->items[k], k, sign < 0 ? -1 : 1);
  }
}

/* one number or signal for each axis */
static void read_dynamics(force_in *in, const hk_param *p, const hk_node *v) {
  hk_rd_axis_input list[6];
  const int32_t n = hki_rd_axis_inputs(in->rd, p, v, in->D, list);
  for (int32_t i = 0; i < n; i++) read_dynamic(in, p, list[i].node, list[i].k, list[i].sign);
}

/* sign of the joint coordinate that an element acts on */
static int joint_sign(const force_in *in) {
  if (in->f->joint < 0 || in->f->ops->nscal == 0) return 1;
  return in->rd->joints[in->f->joint].sign[in->f->coord] < 0.0 ? -1 : 1;
}

static void read_value_row(force_in *in, const hk_param *p, const hk_node *v) {
  const bool input = p->type == HK_P_DYNAMIC || p->type == HK_P_DYNAMIC3 ||
                     p->type == HK_P_DYNAMIC3P || p->type == HK_P_DYNAMIC6;
  void *at = p->offset >= 0 && !input ? (char *)in->f->par + p->offset : NULL;
  const hk_law *law = NULL;
  double x = 0.0;
  const bool turns = (p->flags & HK_P_LEAD) != 0;
  switch (p->type) {
    case HK_P_DYNAMIC:
      read_dynamic(in, p, v, 0, turns ? joint_sign(in) : 1);
      break;
    case HK_P_DYNAMIC3:
    case HK_P_DYNAMIC3P:
      read_dynamic3(in, p, v);
      break;
    case HK_P_DYNAMIC6:
      read_dynamics(in, p, v);
      break;
    case HK_P_REAL:
      if (!hki_rd_ranged(in->rd, in->s, v, p, &x) || !at) break;
      *(double *)at = turns ? joint_sign(in) * x : x;
      break;
    case HK_P_INT:
    case HK_P_BOOL:
    case HK_P_CHOICE:
    case HK_P_TEXT:
      if (at) hki_rd_plain(in->rd, in->s, v, p, at);
      break;
    case HK_P_REAL66:
      if (at) hki_rd_axis_matrix(in->rd, in->s, p, v, in->D, at);
      break;
    case HK_P_REAL6:
      if (at) hki_rd_numbers(in->rd, in->s, v, p->name, 6, at);
      break;
    case HK_P_LAW:
      if (at) law = hki_rd_element_law(in->rd, in->s, in->f, p, v, joint_sign(in) < 0);
      if (at) *(const hk_law **)at = law, in->failed = in->failed || !law;
      break;
    case HK_P_LAW6:
      if (at && !hki_rd_axis_laws(in->rd, in->s, in->f, p, v, in->D, at)) in->failed = true;
      break;
    case HK_P_LAW_MANY:
      if (at) law = hki_rd_axis_law(in->rd, in->s, in->f, p, v, in->D);
      if (at) *(const hk_law **)at = law, in->failed = in->failed || !law;
      break;
    case HK_P_ROAD:
      if (at) hki_rd_road(in->rd, in->s, v, p->name, at);
      break;
    case HK_P_FRICTION:
      if (at)
        *(const hk_friction **)at =
            hki_rd_friction(in->rd, in->s, v, NULL, "the friction of", in->f->name);
      break;
    default:
      break;
  }
}

/* the default of a row that is not given */
static void set_default(force_in *in, const hk_param *p) {
  hk_spec_force *f = in->f;
  if (isnan(p->def) || p->offset < 0) return;
  if (p->type == HK_P_DYNAMIC) {
    f->u[p->offset] = p->def;
    return;
  }
  hki_rd_plain_default(p, (char *)f->par + p->offset);
}

/* --- one force -------------------------------------------------------------------------------- */

/* elements on one body act at its centre of mass unless they say where */
static void default_place(force_in *in) {
  hk_spec_force *f = in->f;
  if (in->placed || f->ops->nmark == 0 || f->body[0] < 0) return;
  const hk_spec_body *b = &in->rd->spec->bodies[f->body[0]];
  if (!b->has_com && !(f->ops->caps & HK_ELEMENT_ANYWHERE)) {
    hki_rd_error(in->rd, in->node->loc, NULL,
                 "force '%s' does not say where it acts, and body '%s' has no centre of mass",
                 f->name, b->name);
  }
  v3_copy(f->marker[0].p, b->com);
  v3_copy(f->marker[1].p, b->com);
}

/* elements that stand at one point or between two need one of both keys */
static void check_place(force_in *in) {
  const hk_element_ops *ops = in->f->ops;
  if (!hki_params_find(ops->params, "at") || !hki_params_find(ops->params, "ends")) return;
  const hk_node *at = hki_node_get(in->node, "at"), *ends = hki_node_get(in->node, "ends");
  if (!at == !ends)
    hki_rd_error(in->rd, at ? ends->loc : in->node->loc, "give one of them",
                 "%s '%s' has %s 'at' %s 'ends'", what_of(ops), in->f->name,
                 at ? "both" : "neither", at ? "and" : "nor");
}

static void finish(force_in *in) {
  hk_spec_force *f = in->f;
  hk_frame m[2];
  memset(m, 0, sizeof m);
  for (int k = 0; k < 2; k++) {
    memcpy(m[k].R, f->marker[k].R, sizeof m[k].R);
    v3_copy(m[k].p, f->marker[k].p);
  }
  if (f->ops->prepare) {
    f->ops->prepare(in->rd->ctx, f->loc, f->name, f->par, f->u_given, f->u, m);
  }
  int32_t nz, nd;
  hki_element_memory(f->ops, f->par, &nz, &nd);
  if (nd > HK_ELEMENT_MEMORY)
    hki_rd_error(in->rd, in->node->loc, "divide them among several elements",
                 "the laws of '%s' remember %d numbers; an element keeps %d", f->name, (int)nd,
                 HK_ELEMENT_MEMORY);
}

void hki_rd_force_read(hk_reader *rd, int32_t i) {
  hk_spec_force *f = &rd->spec->forces[i];
  if (!rd->forces[i].entry) return; // a state of a signal
  const hk_node *node = rd->forces[i].entry->value;
  const hk_param *const tables[] = {f->ops->params, hki_element_common_params, NULL};
  force_in in = {.rd = rd, .s = rd->forces[i].scope, .f = f, .node = node, .D = {1, 1, 1}};
  const char *type = hki_node_text(hki_node_get(node, "type"));
  int32_t errors = hki_error_count(rd->ctx);
  if (!type || hki_element_known(rd->ctx, type) != f->ops) return; /* refused already */
  f->par = hki_pool_alloc(rd->spec->pool, f->ops->par_size ? f->ops->par_size : 1);
  if (f->par && f->ops->self) memcpy(f->par, &f->ops->self, sizeof f->ops->self);
  if (!f->par || !hki_rd_check_keys(rd, node, tables, what_of(f->ops), f->name)) return;
  for (const hk_param *p = f->ops->params; p->type != HK_P_END; p++) {
    read_place_row(&in, p, hki_node_get(node, p->name));
  }
  check_place(&in);
  default_place(&in);
  for (const hk_param *p = f->ops->params; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    if (v) {
      read_value_row(&in, p, v);
    } else {
      set_default(&in, p);
    }
  }
  const bool good = hki_error_count(rd->ctx) == errors && !in.failed;
  if (f->ops->wide && good && hki_node_find(node, "over")) hki_rd_over(rd, in.s, node, i);
  if (hki_error_count(rd->ctx) == errors && good) finish(&in);
  const hk_node *heats = heats_row(f->ops) ? hki_node_get(node, "heats") : NULL;
  if (heats)
    hki_rd_heats(rd, in.s, heats, f->name,
                 (hk_channel){.kind = HK_CH_FORCE_DISSIPATION, .item = i});
}
