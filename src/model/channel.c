/* SPDX-License-Identifier: Apache-2.0
 *
 * channel.c: the channels of a model: names, units and meaning. All bodies have the same channels,
 * and so have all markers; those of joints and forces come from the tables of their types.
 */
#include <stdio.h>
#include <string.h>

#include "model/channel_list.h"

const char *const hki_group_names[HK_GROUPS] = {
    "body",       "marker", "joint",    "force",    "network",   "beam",
    "slider",     "shell",  "membrane", "flexible", "node",      "signal",
    "controller", "servo",  "energy",   "solver",   "constraint"};

/* a quantity with the channels "name.component", or "component" where it has no name */
typedef struct quantity {
  hk_channel_kind kind;
  hk_group group;
  int32_t n;              /* components; 0: the type of the item gives them */
  int32_t level;          /* see hki_channel_level */
  const char *name;       /* NULL: the components are the whole names */
  const char *components; /* words; NULL: the type of the item gives them */
  const char *unit, *text;
} quantity;

/* clang-format off */
static const quantity quantities[] = {
  {HK_CH_BODY_POSITION, HK_GROUP_BODY, 3, 0, "position", "x y z", "m", "position of the body's frame"},
  {HK_CH_BODY_ORIENTATION, HK_GROUP_BODY, 4, 0, "orientation", "w x y z", "1", "orientation quaternion of the body's frame"},
  {HK_CH_BODY_VELOCITY, HK_GROUP_BODY, 3, 1, "velocity", "x y z", "m/s", "velocity of the body's frame"},
  {HK_CH_BODY_ANGULAR_VELOCITY, HK_GROUP_BODY, 3, 1, "angular_velocity", "x y z", "rad/s", "angular velocity"},
  {HK_CH_BODY_COM_POSITION, HK_GROUP_BODY, 3, 0, "com_position", "x y z", "m", "position of the centre of mass"},
  {HK_CH_BODY_COM_VELOCITY, HK_GROUP_BODY, 3, 1, "com_velocity", "x y z", "m/s", "velocity of the centre of mass"},
  {HK_CH_BODY_ACCELERATION, HK_GROUP_BODY, 3, 2, "acceleration", "x y z", "m/s^2", "acceleration of the body's frame"},
  {HK_CH_BODY_ANGULAR_ACCELERATION, HK_GROUP_BODY, 3, 2, "angular_acceleration", "x y z", "rad/s^2", "angular acceleration"},
  {HK_CH_BODY_COM_ACCELERATION, HK_GROUP_BODY, 3, 2, "com_acceleration", "x y z", "m/s^2", "acceleration of the centre of mass"},
  {HK_CH_BODY_ANGLES_ZYX, HK_GROUP_BODY, 3, 0, "angles_zyx", "yaw pitch roll", "rad", "Cardan angles of the body's frame, about z, then the turned y, then the turned x"},
  {HK_CH_BODY_ANGLES_XYZ, HK_GROUP_BODY, 3, 0, "angles_xyz", "x y z", "rad", "Cardan angles of the body's frame, about x, then the turned y, then the turned z"},
  {HK_CH_BODY_LOCAL_VELOCITY, HK_GROUP_BODY, 3, 1, "local_velocity", "x y z", "m/s", "velocity of the body's frame in its own axes"},
  {HK_CH_BODY_LOCAL_ANGULAR_VELOCITY, HK_GROUP_BODY, 3, 1, "local_angular_velocity", "x y z", "rad/s", "angular velocity in the axes of the body's frame"},
  {HK_CH_MARKER_POSITION, HK_GROUP_MARKER, 3, 0, "position", "x y z", "m", "position"},
  {HK_CH_MARKER_VELOCITY, HK_GROUP_MARKER, 3, 1, "velocity", "x y z", "m/s", "velocity"},
  {HK_CH_MARKER_ANGLES_ZYX, HK_GROUP_MARKER, 3, 0, "angles_zyx", "yaw pitch roll", "rad", "Cardan angles relative to its reference, about z, then the turned y, then the turned x"},
  {HK_CH_MARKER_WHEEL, HK_GROUP_MARKER, 2, 0, "wheel", "toe camber", "rad", "angles of a wheel that spins about the marker's y axis, relative to its reference: toe about z, then camber about the turned x"},
  {HK_CH_MARKER_RELATIVE_POSITION, HK_GROUP_MARKER, 3, 0, "relative_position", "x y z", "m", "position seen from its reference (relative_to), in the axes of that"},
  {HK_CH_MARKER_RELATIVE_VELOCITY, HK_GROUP_MARKER, 3, 1, "relative_velocity", "x y z", "m/s", "velocity seen from its reference: the rate of relative_position"},
  {HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY, HK_GROUP_MARKER, 3, 1, "relative_angular_velocity", "x y z", "rad/s", "angular velocity against its reference, in the axes of that"},
  {HK_CH_BEAM_MOMENT, HK_GROUP_BEAM, 3, 1, "moment", "x y z", "N*m", "torque and bending moments of the section in the middle of the element, its axes"},
  {HK_CH_BEAM_FORCE, HK_GROUP_BEAM, 3, 1, "force", "x y z", "N", "axial and shear forces of the section in the middle of the element, its axes"},
  {HK_CH_BEAM_CURVATURE, HK_GROUP_BEAM, 3, 1, "curvature", "x y z", "1/m", "twist and curvatures of the section against those as drawn"},
  {HK_CH_BEAM_STRAIN, HK_GROUP_BEAM, 3, 1, "strain", "x y z", "1", "axial and shear strains of the section"},
  {HK_CH_BEAM_ENERGY, HK_GROUP_BEAM, 1, 1, NULL, "energy", "J", "strain energy of the whole beam, or of one element"},
  {HK_CH_BEAM_DISSIPATION, HK_GROUP_BEAM, 1, 1, NULL, "dissipation", "W", "power that the damping of the whole beam takes out, or that of one element"},
  {HK_CH_BEAM_DISSIPATED, HK_GROUP_BEAM, 1, 2, NULL, "dissipated", "J", "energy that the damping of the whole beam has taken out, or that of one element"},
  {HK_CH_SLIDER_PART, HK_GROUP_SLIDER, 1, 1, NULL, "part", "1", "place along the beam as a part of its length"},
  {HK_CH_SLIDER_PLACE, HK_GROUP_SLIDER, 1, 1, NULL, "place", "m", "place along the beam, from its start, by the length as drawn"},
  {HK_CH_SLIDER_SPEED, HK_GROUP_SLIDER, 1, 1, NULL, "speed", "m/s", "rate of the place"},
  {HK_CH_SLIDER_LOAD, HK_GROUP_SLIDER, 2, 1, NULL, "normal along", "N", "size of the force across the beam; force along it on the body"},
  {HK_CH_SLIDER_FORCE, HK_GROUP_SLIDER, 3, 1, "force", "x y z", "N", "force on the body, world axes"},
  {HK_CH_FLEX_ENERGY, HK_GROUP_FLEX, 1, 1, NULL, "energy", "J", "strain energy of a body with modes"},
  {HK_CH_FLEX_DISSIPATION, HK_GROUP_FLEX, 1, 1, NULL, "dissipation", "W", "power that its modal damping takes out"},
  {HK_CH_FLEX_DISSIPATED, HK_GROUP_FLEX, 1, 2, NULL, "dissipated", "J", "energy that its modal damping has taken out"},
  {HK_CH_FLEX_STRESS, HK_GROUP_FLEX, 1, 0, NULL, "stress", "Pa", "largest von Mises stress of its surface; 0 where its file has no stresses"},
  {HK_CH_SHELL_FORCE, HK_GROUP_SHELL, 3, 1, "force", "xx yy xy", "N/m", "membrane forces per length, mean over the element, in the axes of its section as drawn"},
  {HK_CH_SHELL_MOMENT, HK_GROUP_SHELL, 3, 1, "moment", "xx yy xy", "N", "bending and twisting moments per length"},
  {HK_CH_SHELL_SHEAR, HK_GROUP_SHELL, 2, 1, "shear", "xz yz", "N/m", "transverse shear forces per length"},
  {HK_CH_SHELL_STRAIN, HK_GROUP_SHELL, 3, 1, "strain", "xx yy xy", "1", "strains of the middle surface; xy is the whole shear angle"},
  {HK_CH_SHELL_CURVATURE, HK_GROUP_SHELL, 3, 1, "curvature", "xx yy xy", "1/m", "curvatures against those as drawn: strain + z curvature at z along the normal; xy is twice the twist"},
  {HK_CH_SHELL_ENERGY, HK_GROUP_SHELL, 1, 1, NULL, "energy", "J", "strain energy of the whole shell, or of one element"},
  {HK_CH_SHELL_DISSIPATION, HK_GROUP_SHELL, 1, 1, NULL, "dissipation", "W", "power that the damping of the whole shell takes out, or that of one element"},
  {HK_CH_SHELL_DISSIPATED, HK_GROUP_SHELL, 1, 2, NULL, "dissipated", "J", "energy that the damping of the whole shell has taken out, or that of one element"},
  {HK_CH_MEMBRANE_FORCE, HK_GROUP_MEMBRANE, 3, 1, "force", "xx yy xy", "N/m", "forces per length, prestress among them, mean over the element, in the axes of its section as drawn"},
  {HK_CH_MEMBRANE_STRAIN, HK_GROUP_MEMBRANE, 3, 1, "strain", "xx yy xy", "1", "strains against the drawing; xy is the whole shear angle"},
  {HK_CH_MEMBRANE_ENERGY, HK_GROUP_MEMBRANE, 1, 1, NULL, "energy", "J", "energy of the whole membrane, or of one element, from the drawing on"},
  {HK_CH_MEMBRANE_DISSIPATION, HK_GROUP_MEMBRANE, 1, 1, NULL, "dissipation", "W", "power that the damping of the whole membrane takes out, or that of one element"},
  {HK_CH_MEMBRANE_DISSIPATED, HK_GROUP_MEMBRANE, 1, 2, NULL, "dissipated", "J", "energy that the damping of the whole membrane has taken out, or that of one element"},
  {HK_CH_ENERGY, HK_GROUP_ENERGY, 6, 2, NULL, "kinetic potential total supplied dissipated balance_error", "J", "energy"},
  {HK_CH_SOLVER, HK_GROUP_SOLVER, 5, 2, NULL, "iterations step rejected sweeps choices", "", "solver"},
  {HK_CH_CONSTRAINT, HK_GROUP_CONSTRAINT, 3, 2, NULL, "position velocity acceleration", "", "largest constraint row"},
  {HK_CH_SERVO, HK_GROUP_SERVO, 3, 2, NULL, "value error supplied", NULL, "force or torque of the servo, left side less right side of its constraint, energy that its actuators have supplied"},
};

/* quantities whose names or units depend on the item (joints: second body relative to the first) */
static const quantity own[] = {
  {HK_CH_JOINT_COORD, HK_GROUP_JOINT, 0, 0, NULL, NULL, NULL, "coordinate"},
  {HK_CH_JOINT_RATE, HK_GROUP_JOINT, 0, 1, NULL, NULL, NULL, "rate of the coordinate"},
  {HK_CH_JOINT_ORIENTATION, HK_GROUP_JOINT, 4, 0, "orientation", "w x y z", "1", "orientation quaternion, second body relative to the first"},
  {HK_CH_JOINT_ANGULAR_VELOCITY, HK_GROUP_JOINT, 3, 1, "angular_velocity", "x y z", "rad/s", "angular velocity, second body relative to the first, axes of the first marker"},
  {HK_CH_JOINT_FORCE, HK_GROUP_JOINT, 3, 2, "force", "x y z", "N", "reaction force on the second body, world axes"},
  {HK_CH_JOINT_TORQUE, HK_GROUP_JOINT, 3, 2, "torque", "x y z", "N*m", "reaction torque on the second body, world axes"},
  {HK_CH_JOINT_DRIVE, HK_GROUP_JOINT, 0, 2, NULL, NULL, NULL, "force or torque of the prescribed motion"},
  {HK_CH_JOINT_LOAD, HK_GROUP_JOINT, 0, 2, NULL, NULL, NULL, "force or torque of the coupling on the coordinate of its joint of this number"},
  {HK_CH_JOINT_MULTIPLIER, HK_GROUP_JOINT, 1, 2, NULL, "multiplier", "", "multiplier of the coupling's expression: minus its slope in a coordinate times this is the force or torque there"},
  {HK_CH_JOINT_SUPPLIED, HK_GROUP_JOINT, 1, 2, NULL, "supplied", "J", "energy supplied by the prescribed motion"},
  {HK_CH_FORCE_OUTPUT, HK_GROUP_FORCE, 0, 1, NULL, NULL, NULL, "output"},
  {HK_CH_FORCE_DISSIPATION, HK_GROUP_FORCE, 1, 1, NULL, "dissipation", "W", "power taken out by a damper or friction"},
  {HK_CH_FORCE_DISSIPATED, HK_GROUP_FORCE, 1, 2, NULL, "dissipated", "J", "energy dissipated"},
  {HK_CH_FORCE_SUPPLIED, HK_GROUP_FORCE, 1, 2, NULL, "supplied", "J", "energy supplied"},
  {HK_CH_FLEX_Q, HK_GROUP_FLEX, 0, 0, NULL, NULL, "kg^0.5*m", "modal coordinate: modes have the modal mass 1"},
  {HK_CH_FLEX_RATE, HK_GROUP_FLEX, 0, 1, NULL, NULL, "kg^0.5*m/s", "its rate"},
  {HK_CH_NODE, HK_GROUP_NODE, 1, 1, NULL, NULL, NULL, "value of the node: voltage, pressure, temperature or value"},
  {HK_CH_NODE_RATE, HK_GROUP_NODE, 1, 2, NULL, "rate", NULL, "rate of the value"},
  {HK_CH_SIGNAL, HK_GROUP_SIGNAL, 1, 1, NULL, NULL, "", "signal, or output of a controller"},
};
/* clang-format on */

static const quantity *quantity_of(int32_t kind) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(quantities); i++) {
    if ((int32_t)quantities[i].kind == kind) return &quantities[i];
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(own); i++) {
    if ((int32_t)own[i].kind == kind) return &own[i];
  }
  return NULL;
}

bool hki_channel_family(int32_t i, hk_channel_family *out) {
  const int32_t fixed = HK_ARRAY_LEN(quantities), all = fixed + HK_ARRAY_LEN(own);
  if (i < 0 || i >= all) return false;
  const quantity *q = i < fixed ? &quantities[i] : &own[i - fixed];
  *out = (hk_channel_family){q->kind, q->group, q->name, q->components, q->unit, q->text};
  return true;
}

/* groups whose items are elements on several markers */
static bool is_wide(hk_group g) {
  return g == HK_GROUP_BEAM || g == HK_GROUP_SLIDER || g == HK_GROUP_SHELL ||
         g == HK_GROUP_MEMBRANE;
}

/* --- the channels of an item, in order -------------------------------------------------------- */

static hk_channel channel(hk_channel_kind kind, int32_t component, int32_t item) {
  return (hk_channel){(int16_t)kind, (int16_t)component, item};
}

/* channel i of an item whose channels all stand in quantities[] */
static bool fixed_at(hk_group g, int32_t item, int32_t i, hk_channel *out) {
  for (int32_t k = 0; k < HK_ARRAY_LEN(quantities); k++) {
    const quantity *q = &quantities[k];
    if (q->group != g) continue;
    if (i < q->n) {
      *out = channel(q->kind, i, item);
      return true;
    }
    i -= q->n;
  }
  return false;
}

/* does one of its coordinates, or of its locked axes, follow a signal? */
static bool joint_moves(const hk_spec_joint *j) {
  if (j->turn.kind != HK_TURN_NONE) return true;
  if (j->coupling) return j->coupling->signal != HK_NONE;
  for (int32_t k = 0; k < 6; k++)
    if ((k < j->ops->ns && j->motion[k] >= 0) || j->row_signal[k] >= 0) return true;
  return false;
}

/* channels of a coupling's loads: one for each joint, or its multiplier */
static int32_t loads(const hk_spec_joint *j) {
  return !j->coupling ? 0 : j->coupling->n ? j->coupling->n : 1;
}

/* channel i of a joint: coordinates, rates, reaction, drives, energy supplied */
static bool joint_at(const hk_spec_joint *j, int32_t item, int32_t i, hk_channel *out) {
  if (!j->ops) return false;
  int32_t ns = j->ops->ns, nq = hki_word_count(j->ops->coords), nv = hki_word_count(j->ops->rates);
  if (i < nq) {
    *out = i < ns ? channel(HK_CH_JOINT_COORD, i, item)
                  : channel(HK_CH_JOINT_ORIENTATION, i - ns, item);
    return true;
  }
  i -= nq;
  if (i < nv) {
    *out = i < ns ? channel(HK_CH_JOINT_RATE, i, item)
                  : channel(HK_CH_JOINT_ANGULAR_VELOCITY, i - ns, item);
    return true;
  }
  i -= nv;
  bool reaction = j->ops->nc > 0;
  for (int32_t k = 0; k < ns && !reaction; k++) reaction = j->motion[k] >= 0;
  if (reaction) {
    if (i < 6) {
      *out = channel(i < 3 ? HK_CH_JOINT_FORCE : HK_CH_JOINT_TORQUE, i % 3, item);
      return true;
    }
    i -= 6;
  }
  for (int32_t k = 0; k < ns; k++) {
    if (j->motion[k] < 0 || i-- > 0) continue;
    *out = channel(HK_CH_JOINT_DRIVE, k, item);
    return true;
  }
  if (i < loads(j)) {
    *out = channel(j->coupling->n ? HK_CH_JOINT_LOAD : HK_CH_JOINT_MULTIPLIER, i, item);
    return true;
  }
  i -= loads(j);
  *out = channel(HK_CH_JOINT_SUPPLIED, 0, item);
  return i == 0 && joint_moves(j);
}

/* can an element supply energy: by its type, or by inputs that follow signals? */
static bool force_supplies(const hk_spec_force *f) {
  bool varies = (f->ops->caps & HK_ELEMENT_SUPPLIES) != 0;
  for (int32_t i = 0; i < f->ops->nu && f->ops->rank > 0; i++) varies |= f->u_signal[i] != HK_NONE;
  return varies;
}

/* channel i of a force: its outputs, then what it dissipates and supplies, if it can */
static bool force_at(const hk_spec *s, int32_t item, int32_t i, hk_channel *out) {
  const hk_spec_force *f = &s->forces[item];
  if (!f->ops) return false;
  *out = channel(HK_CH_FORCE_OUTPUT, i, item);
  if (i < f->ops->ny) return true;
  i -= f->ops->ny;
  if (f->ops->rank > 0 && i < 2) {
    *out = channel(i ? HK_CH_FORCE_DISSIPATED : HK_CH_FORCE_DISSIPATION, 0, item);
    return true;
  }
  if (f->ops->rank > 0) i -= 2;
  *out = channel(HK_CH_FORCE_SUPPLIED, 0, item);
  return i == 0 && force_supplies(f);
}

/* channels, the last of their group, that only markers with a reference have */
static bool is_relative(int32_t kind) {
  return kind == HK_CH_MARKER_RELATIVE_POSITION || kind == HK_CH_MARKER_RELATIVE_VELOCITY ||
         kind == HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY;
}

/* does the channel belong to an element's section? A beam or a shell as a whole has the others only */
static bool is_section(int32_t kind) {
  return (kind >= HK_CH_BEAM_MOMENT && kind <= HK_CH_BEAM_STRAIN) ||
         (kind >= HK_CH_SHELL_FORCE && kind <= HK_CH_SHELL_CURVATURE) ||
         kind == HK_CH_MEMBRANE_FORCE || kind == HK_CH_MEMBRANE_STRAIN;
}

/* channel i of an element on several markers, or of a whole group, whose channels follow those of sections */
static bool wide_at(const hk_spec *s, hk_group g, int32_t item, int32_t i, hk_channel *out) {
  int32_t first, n;
  if (hki_group_of_wide(s, item) != g) return false;
  hki_spec_wide_range(s, item, &first, &n);
  return fixed_at(g, item, item < s->nwide ? i : s->wide[first].ops->ny + i, out);
}

/* channel i of a body with modes: its coordinates, their rates, energies */
static bool flex_at(const hk_spec *s, int32_t item, int32_t i, hk_channel *out) {
  const int32_t ne = hki_spec_modes(s, item);
  if (!s->wide[item].ops->inertia) return false;
  if (i >= 2 * ne) return fixed_at(HK_GROUP_FLEX, item, i - 2 * ne, out);
  *out = channel(i < ne ? HK_CH_FLEX_Q : HK_CH_FLEX_RATE, i % ne, item);
  return true;
}

/* parts of a flexible body that have no channels of their own */
static bool is_hidden(const hk_spec *s, hk_group g, int32_t item) {
  return (g == HK_GROUP_JOINT && s->joints[item].made) ||
         (g == HK_GROUP_BODY && s->bodies[item].modal);
}

static bool is_servo(const hk_spec_joint *j) { return j->ops && (j->ops->caps & HK_JOINT_SERVO); }

bool hki_channel_at(const hk_spec *s, hk_group g, int32_t item, int32_t i, hk_channel *out) {
  if (is_hidden(s, g, item)) return false;
  if (g == HK_GROUP_FLEX) return flex_at(s, item, i, out);
  if (g == HK_GROUP_JOINT || g == HK_GROUP_SERVO) {
    if (is_servo(&s->joints[item]) != (g == HK_GROUP_SERVO)) return false;
    return g == HK_GROUP_SERVO ? fixed_at(g, item, i, out)
                               : joint_at(&s->joints[item], item, i, out);
  }
  if (g == HK_GROUP_FORCE || g == HK_GROUP_NETWORK)
    return hki_group_of_force(s, item) == g && force_at(s, item, i, out);
  if (is_wide(g)) return wide_at(s, g, item, i, out);
  if (g == HK_GROUP_NODE) {
    *out = channel(i ? HK_CH_NODE_RATE : HK_CH_NODE, 0, item);
    return i < 2;
  }
  if (g == HK_GROUP_SIGNAL || g == HK_GROUP_CONTROLLER) {
    *out = channel(HK_CH_SIGNAL, 0, item);
    return i == 0 && s->signals[item].named && hki_group_of_signal(s, item) == g;
  }
  return fixed_at(g, item, i, out) &&
         (g != HK_GROUP_MARKER || s->markers[item].relative || !is_relative(out->kind));
}

/* is scalar coordinate k of a joint an angle? */
static bool is_angle(const hk_spec_joint *j, int32_t k) {
  int n;
  const char *u = hki_word(j->ops->units, k, &n);
  return n == 3 && memcmp(u, "rad", 3) == 0;
}

/* does the coupling of a load act on an angle? */
static bool load_is_torque(const hk_spec *s, hk_channel c) {
  const hk_spec_coupled *a = &s->joints[c.item].coupling->arg[c.component];
  return is_angle(&s->joints[a->joint], a->coord);
}

/* --- names ------------------------------------------------------------------------------------ */

/* "drive", or "drive.a" when the joint has more than one prescribed coordinate */
static void drive_name(const hk_spec_joint *j, int32_t k, char *buf, size_t cap) {
  int32_t motions = 0;
  int n;
  for (int32_t i = 0; i < j->ops->ns; i++) motions += j->motion[i] >= 0;
  if (motions < 2) {
    snprintf(buf, cap, "drive");
    return;
  }
  const char *w = hki_word(j->ops->coords, k, &n);
  for (int i = 0; i < n; i++) {
    if (w[i] == '.') w += i + 1, n -= i + 1, i = -1;
  }
  snprintf(buf, cap, "drive.%.*s", n, w);
}

/* buf (cap bytes) from `at` on = n bytes of a word, as far as there is room; returns the end. Patterns are tried on thousands of
 * names: printf would take most of the time. */
static size_t put_word(char *buf, size_t cap, size_t at, const char *word, size_t n) {
  if (n > cap - 1 - at) n = cap - 1 - at;
  memcpy(buf + at, word, n);
  buf[at + n] = '\0';
  return at + n;
}

void hki_channel_quantity(const hk_spec *s, hk_channel c, char *buf, size_t cap) {
  const quantity *q = quantity_of(c.kind);
  const char *w = "";
  int n = 0;
  if (cap == 0) return;
  buf[0] = '\0';
  if (!q) return;
  switch (c.kind) {
    case HK_CH_JOINT_COORD:
      w = hki_word(s->joints[c.item].ops->coords, c.component, &n);
      break;
    case HK_CH_JOINT_RATE:
      w = hki_word(s->joints[c.item].ops->rates, c.component, &n);
      break;
    case HK_CH_FORCE_OUTPUT:
      w = hki_word(s->forces[c.item].ops->outputs, c.component, &n);
      break;
    case HK_CH_NODE:
      w = hki_domain_infos[s->nodes[c.item].domain].value;
      n = (int)strlen(w);
      break;
    case HK_CH_JOINT_DRIVE:
      drive_name(&s->joints[c.item], c.component, buf, cap);
      return;
    case HK_CH_JOINT_LOAD:
      snprintf(buf, cap, "%s.%d", load_is_torque(s, c) ? "torque" : "force", c.component + 1);
      return;
    case HK_CH_FLEX_Q:
    case HK_CH_FLEX_RATE:
      snprintf(buf, cap, c.kind == HK_CH_FLEX_Q ? "q%d" : "q%d_rate", c.component + 1);
      return;
    case HK_CH_SIGNAL:
      return;
    default:
      w = hki_word(q->components, c.component, &n);
      break;
  }
  size_t at = 0;
  if (q->name) at = put_word(buf, cap, 0, q->name, strlen(q->name));
  if (q->name) at = put_word(buf, cap, at, ".", 1);
  (void)put_word(buf, cap, at, w, (size_t)n);
}

bool hki_channel_valid(const hk_spec *s, hk_channel c) {
  const quantity *q = quantity_of(c.kind);
  if (!q || c.item < 0 || c.item >= hki_group_items(s, q->group) || c.component < 0) return false;
  if (c.kind == HK_CH_FORCE_DISSIPATION || c.kind == HK_CH_FORCE_DISSIPATED)
    return c.component == 0 && s->forces[c.item].ops && s->forces[c.item].ops->rank > 0;
  if (c.kind == HK_CH_FORCE_SUPPLIED)
    return c.component == 0 && s->forces[c.item].ops && force_supplies(&s->forces[c.item]);
  if (c.kind == HK_CH_JOINT_SUPPLIED)
    return c.component == 0 && s->joints[c.item].ops && joint_moves(&s->joints[c.item]);
  if ((q->group == HK_GROUP_JOINT || q->group == HK_GROUP_SERVO) &&
      is_servo(&s->joints[c.item]) != (q->group == HK_GROUP_SERVO))
    return false;
  if (c.kind == HK_CH_JOINT_LOAD || c.kind == HK_CH_JOINT_MULTIPLIER) {
    const hk_spec_coupling *x = s->joints[c.item].coupling;
    return x && (c.kind == HK_CH_JOINT_LOAD) == (x->n > 0) &&
           c.component < loads(&s->joints[c.item]);
  }
  if (is_wide(q->group) && hki_group_of_wide(s, c.item) != q->group) return false;
  if (is_section(c.kind) && c.item >= s->nwide) return false;
  if (c.kind == HK_CH_FLEX_Q || c.kind == HK_CH_FLEX_RATE)
    return c.component < hki_spec_modes(s, c.item);
  if (q->n > 0) return c.component < q->n;
  if (q->group == HK_GROUP_FORCE)
    return s->forces[c.item].ops && c.component < s->forces[c.item].ops->ny;
  return s->joints[c.item].ops && c.component < s->joints[c.item].ops->ns;
}

/* group of a channel; elements of `network:` and controllers are groups of their own */
static hk_group group_of_channel(const hk_spec *s, hk_channel c) {
  const quantity *q = quantity_of(c.kind);
  if (c.kind == HK_CH_SIGNAL) return hki_group_of_signal(s, c.item);
  return q->group == HK_GROUP_FORCE ? hki_group_of_force(s, c.item) : q->group;
}

void hki_channel_name(const hk_spec *s, hk_channel c, char *buf, size_t cap) {
  char what[HK_QUANTITY_MAX];
  if (cap == 0) return;
  buf[0] = '\0';
  if (!hki_channel_valid(s, c)) return;
  const quantity *q = quantity_of(c.kind);
  const char *item = hki_group_item_name(s, group_of_channel(s, c), c.item);
  hki_channel_quantity(s, c, what, sizeof what);
  if (c.kind == HK_CH_SIGNAL)
    snprintf(buf, cap, "%s.%s", hki_group_names[group_of_channel(s, c)], item ? item : "");
  else if (item)
    snprintf(buf, cap, "%s.%s.%s", hki_group_names[group_of_channel(s, c)], item, what);
  else
    snprintf(buf, cap, "%s.%s", hki_group_names[q->group], what);
}

/* --- units, meaning, level -------------------------------------------------------------------- */

/* unit of an element's output; in its table q and f stand for the units of the joint coordinate and
 * of its force */
static const char *output_unit(const hk_spec *s, hk_channel c) {
  static const char *const known[] = {"m", "m/s", "rad",   "rad/s", "N", "N*m", "N/m", "W",    "J",
                                      "s", "1",   "m/s^2", "V",     "A", "K",   "Pa",  "m^3/s"};
  const hk_spec_force *f = &s->forces[c.item];
  int n;
  const char *u = hki_word(f->ops->output_units, c.component, &n);
  bool angle = f->ops->nscal > 0 && f->joint >= 0 && f->joint < s->njoints &&
               is_angle(&s->joints[f->joint], f->coord);
  if (n == 1 && u[0] == 'q') return angle ? "rad" : "m";
  if (n == 3 && memcmp(u, "q/s", 3) == 0) return angle ? "rad/s" : "m/s";
  if (n == 1 && u[0] == 'f') return angle ? "N*m" : "N";
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++) {
    if ((int)strlen(known[i]) == n && memcmp(known[i], u, (size_t)n) == 0) return known[i];
  }
  return "";
}

/* force of the servo: that of its actuators, where all are of one kind */
static const char *servo_unit(const hk_spec_joint *j, const hk_spec *s, int32_t component) {
  const hk_spec_coupling *c = j->coupling;
  if (component) return component == 1 ? "" : "J";
  for (int32_t i = 0; c && i < c->nto; i++)
    if (is_angle(&s->joints[c->to[i].joint], c->to[i].coord) !=
        is_angle(&s->joints[c->to[0].joint], c->to[0].coord))
      return "";
  return c && is_angle(&s->joints[c->to[0].joint], c->to[0].coord) ? "N*m" : "N";
}

const char *hki_channel_unit(const hk_spec *s, hk_channel c) {
  if (!hki_channel_valid(s, c)) return "";
  switch (c.kind) {
    case HK_CH_JOINT_COORD:
      return is_angle(&s->joints[c.item], c.component) ? "rad" : "m";
    case HK_CH_JOINT_RATE:
      return is_angle(&s->joints[c.item], c.component) ? "rad/s" : "m/s";
    case HK_CH_JOINT_DRIVE:
      return is_angle(&s->joints[c.item], c.component) ? "N*m" : "N";
    case HK_CH_JOINT_LOAD:
      return load_is_torque(s, c) ? "N*m" : "N";
    case HK_CH_FORCE_OUTPUT:
      return output_unit(s, c);
    case HK_CH_NODE:
      return hki_domain_infos[s->nodes[c.item].domain].unit;
    case HK_CH_NODE_RATE:
      return hki_domain_infos[s->nodes[c.item].domain].rate_unit;
    case HK_CH_SOLVER:
      return c.component == 1 ? "s" : "";
    case HK_CH_SERVO:
      return servo_unit(&s->joints[c.item], s, c.component);
    default:
      return quantity_of(c.kind)->unit;
  }
}

void hki_channel_text(const hk_spec *s, hk_channel c, char *buf, size_t cap) {
  static const char *const energy[] = {
      "kinetic energy",
      "potential energy of gravity, springs and tyres",
      "kinetic and potential energy",
      "work supplied by applied forces, motors and prescribed motions",
      "energy dissipated by dampers, friction and events",
      "energy - initial energy - supplied + dissipated"};
  static const char *const solver[] = {"iterations of the last step", "size of the last step",
                                       "rejected steps so far",
                                       "iterations of the last step over its number of stages",
                                       "choices of independent coordinates made anew so far"};
  static const char *const constraint[] = {
      "largest constraint row, m or rad", "largest rate of a constraint row, m/s or rad/s",
      "largest acceleration of a constraint row, m/s^2 or rad/s^2"};
  if (cap == 0) return;
  buf[0] = '\0';
  if (!hki_channel_valid(s, c)) return;
  const quantity *q = quantity_of(c.kind);
  const hk_group group = group_of_channel(s, c);
  const char *item = hki_group_item_name(s, group, c.item);
  char what[HK_QUANTITY_MAX];
  hki_channel_quantity(s, c, what, sizeof what);
  if (c.kind == HK_CH_ENERGY)
    snprintf(buf, cap, "%s", energy[c.component]);
  else if (c.kind == HK_CH_SOLVER)
    snprintf(buf, cap, "%s", solver[c.component]);
  else if (c.kind == HK_CH_CONSTRAINT)
    snprintf(buf, cap, "%s", constraint[c.component]);
  else if (c.kind == HK_CH_SIGNAL)
    snprintf(buf, cap, "%s '%s'", hki_group_names[group], item ? item : "");
  else
    snprintf(buf, cap, "%s '%s': %s (%s)", hki_group_names[group], item ? item : "", q->text, what);
}

bool hki_channel_rate(hk_channel c, hk_channel *rate) {
  static const int16_t pairs[][2] = {
      {HK_CH_JOINT_COORD, HK_CH_JOINT_RATE},
      {HK_CH_BODY_POSITION, HK_CH_BODY_VELOCITY},
      {HK_CH_FLEX_Q, HK_CH_FLEX_RATE},
      {HK_CH_BODY_COM_POSITION, HK_CH_BODY_COM_VELOCITY},
      {HK_CH_MARKER_POSITION, HK_CH_MARKER_VELOCITY},
      {HK_CH_MARKER_RELATIVE_POSITION, HK_CH_MARKER_RELATIVE_VELOCITY}};
  *rate = c;
  for (int32_t i = 0; i < HK_ARRAY_LEN(pairs); i++) {
    if (c.kind != pairs[i][0]) continue;
    rate->kind = pairs[i][1];
    return true;
  }
  return false;
}

int32_t hki_channel_level(hk_channel c) {
  const quantity *q = quantity_of(c.kind);
  return q ? q->level : 2;
}
