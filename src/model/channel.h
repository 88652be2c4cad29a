/* SPDX-License-Identifier: Apache-2.0
 *
 * channel.h: every quantity a model can record or an expression can read has a dotted name
 * ("body.rod.position.x"). A channel is that name resolved to kind, item and component.
 */
#ifndef HK_MODEL_CHANNEL_H
#define HK_MODEL_CHANNEL_H

#include "base/base.h"

typedef enum hk_channel_kind {
  HK_CH_BODY_POSITION,    /* body frame, world axes: component 0..2 */
  HK_CH_BODY_ORIENTATION, /* quaternion w x y z: 0..3 */
  HK_CH_BODY_VELOCITY,
  HK_CH_BODY_ANGULAR_VELOCITY,
  HK_CH_BODY_COM_POSITION,
  HK_CH_BODY_COM_VELOCITY,
  HK_CH_BODY_ACCELERATION, /* of the body frame's origin */
  HK_CH_BODY_ANGULAR_ACCELERATION,
  HK_CH_BODY_COM_ACCELERATION,
  HK_CH_BODY_ANGLES_ZYX,             /* yaw pitch roll: R = Rz Ry Rx */
  HK_CH_BODY_ANGLES_XYZ,             /* R = Rx Ry Rz */
  HK_CH_BODY_LOCAL_VELOCITY,         /* axes of the body's frame */
  HK_CH_BODY_LOCAL_ANGULAR_VELOCITY, /* axes of the body's frame */
  HK_CH_MARKER_POSITION,
  HK_CH_MARKER_VELOCITY,
  HK_CH_MARKER_ANGLES_ZYX,        /* relative to the marker's reference body */
  HK_CH_MARKER_RELATIVE_POSITION, /* seen from the reference, in its axes */
  HK_CH_MARKER_RELATIVE_VELOCITY,
  HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY,
  HK_CH_MARKER_WHEEL, /* toe camber: R = Rz(toe) Rx(camber) Ry(spin), relative as above */
  HK_CH_JOINT_COORD,  /* component = scalar coordinate k: angle, position.x, angles.a ... */
  HK_CH_JOINT_RATE,
  HK_CH_JOINT_ORIENTATION,      /* spherical, free: quaternion 0..3 */
  HK_CH_JOINT_ANGULAR_VELOCITY, /* spherical, free: in A axes */
  HK_CH_JOINT_FORCE,            /* reaction on the second body, world axes, at the joint */
  HK_CH_JOINT_TORQUE,
  HK_CH_JOINT_DRIVE,       /* force or torque of a prescribed motion on coordinate k */
  HK_CH_JOINT_LOAD,        /* couplings: force or torque on the k-th of its joints */
  HK_CH_JOINT_MULTIPLIER,  /* couplings by an expression: its multiplier */
  HK_CH_JOINT_SUPPLIED,    /* energy that the joint's prescribed motions have supplied, J */
  HK_CH_FORCE_OUTPUT,      /* component = output of the element */
  HK_CH_FORCE_DISSIPATION, /* power that the element takes out, W */
  HK_CH_FORCE_DISSIPATED,  /* energy that the element has taken out, J */
  HK_CH_FORCE_SUPPLIED,    /* energy that the element has supplied, J */
  HK_CH_BEAM_MOMENT,       /* of an element with a section, in its axes */
  HK_CH_BEAM_FORCE,
  HK_CH_BEAM_CURVATURE,
  HK_CH_BEAM_STRAIN,
  HK_CH_BEAM_ENERGY,      /* of a whole beam, or of one element: strain energy, J */
  HK_CH_BEAM_DISSIPATION, /* power that its damping takes out, W */
  HK_CH_BEAM_DISSIPATED,  /* energy that its damping has taken out, J */
  HK_CH_SLIDER_PART,      /* of what runs along a beam */
  HK_CH_SLIDER_PLACE,
  HK_CH_SLIDER_SPEED,
  HK_CH_SLIDER_LOAD, /* across and along the beam */
  HK_CH_SLIDER_FORCE,
  HK_CH_FLEX_Q,           /* of a body with modes: modal coordinates, */
  HK_CH_FLEX_RATE,        /* their rates, */
  HK_CH_FLEX_ENERGY,      /* strain energy, J, */
  HK_CH_FLEX_DISSIPATION, /* power that modal damping takes out, W, */
  HK_CH_FLEX_DISSIPATED,  /* the energy that it has taken out, J, */
  HK_CH_FLEX_STRESS,      /* and the largest von Mises stress of its surface, Pa */
  HK_CH_SHELL_FORCE,      /* of an element that is a surface, per length, in its axes */
  HK_CH_SHELL_MOMENT,
  HK_CH_SHELL_SHEAR,
  HK_CH_SHELL_STRAIN,
  HK_CH_SHELL_CURVATURE,
  HK_CH_SHELL_ENERGY, /* of a whole shell, or of one element, as of beams */
  HK_CH_SHELL_DISSIPATION,
  HK_CH_SHELL_DISSIPATED,
  HK_CH_MEMBRANE_FORCE,
  HK_CH_MEMBRANE_STRAIN,
  HK_CH_MEMBRANE_ENERGY,
  HK_CH_MEMBRANE_DISSIPATION,
  HK_CH_MEMBRANE_DISSIPATED,
  HK_CH_NODE, /* value of a scalar node */
  HK_CH_NODE_RATE,
  HK_CH_SIGNAL,
  HK_CH_ENERGY,     /* kinetic potential total supplied dissipated balance_error: 0..5 */
  HK_CH_SOLVER,     /* iterations step rejected sweeps: 0..3 */
  HK_CH_CONSTRAINT, /* position velocity acceleration: 0..2 */
  HK_CH_SERVO       /* force, error of its constraint, energy supplied: 0..2 */
} hk_channel_kind;

/* strain energy, power of the damping, energy that it has taken out, of elements on several markers */
static inline bool hki_channel_is_energy(int32_t kind) {
  return kind == HK_CH_BEAM_ENERGY || kind == HK_CH_SHELL_ENERGY || kind == HK_CH_MEMBRANE_ENERGY;
}
static inline bool hki_channel_is_dissipation(int32_t kind) {
  return kind == HK_CH_BEAM_DISSIPATION || kind == HK_CH_SHELL_DISSIPATION ||
         kind == HK_CH_MEMBRANE_DISSIPATION;
}
static inline bool hki_channel_is_dissipated(int32_t kind) {
  return kind == HK_CH_BEAM_DISSIPATED || kind == HK_CH_SHELL_DISSIPATED ||
         kind == HK_CH_MEMBRANE_DISSIPATED;
}

typedef struct hk_channel {
  int16_t kind; /* hk_channel_kind */
  int16_t component;
  int32_t item; /* index in the spec's list of that kind of item; 0 for energy, solver */
} hk_channel;

struct hk_spec;

/* resolves a full dotted name. False: unknown; hint is then "did you mean ...?" or empty (hint may
 * be NULL) */
bool hki_channel_parse(const struct hk_spec *spec, const char *name, hk_channel *out, char *hint,
                       size_t hint_cap);
/* dotted name, unit and meaning of a channel; buffers of cap bytes */
void hki_channel_name(const struct hk_spec *spec, hk_channel c, char *buf, size_t cap);
const char *hki_channel_unit(const struct hk_spec *spec, hk_channel c);
void hki_channel_text(const struct hk_spec *spec, hk_channel c, char *buf, size_t cap);
/* appends all channels that match a glob to *list (grown with HK_GROW in ctx, which is the caller's:
 * threads may share a spec); "body.*.position" also matches its components. Returns the number added,
 * -1 when out of memory. */
int32_t hki_channel_match(hk_ctx *ctx, const struct hk_spec *spec, const char *glob,
                          hk_channel **list, int32_t *n, int32_t *cap);
/* hint for a glob that matches nothing: the nearest glob that does, or the form of names */
void hki_channel_glob_hint(const struct hk_spec *spec, const char *glob, char *hint, size_t cap);
/* the first word of a glob like "joint.*" or "joint.*.angle" where nothing in the model has such channels; NULL else */
const char *hki_channel_glob_void(const struct hk_spec *spec, const char *glob);
/* the channel that is the time derivative of a coordinate or a position; false: there is
 * none */
bool hki_channel_rate(hk_channel c, hk_channel *rate);
/* what a channel depends on: 0 positions, 1 positions and velocities, 2 accelerations and
 * accumulated values, which are known at accepted states only */
int32_t hki_channel_level(hk_channel c);

#endif
