/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_stop_friction.c: `friction:` of `limits:`. While a stop presses by N, whatever else the joint
 * leaves free slides on it. It becomes a force limits.JOINT.COORDINATE.friction, of the kinds that friction
 * in joints has (elements/joint_friction.h):
 *
 *   stop of a position   other positions slide, at a point `radius` before B's origin where it is given: a
 *                        round body that may roll along the stop; where there are none, rotation about the
 *                        same axis, at `radius`
 *   stop of an angle     N = torque/radius; position along the same axis, or the one other angle
 *   gap of a cam         the follower slides along its curve
 *
 * N is the multiplier of a rigid stop (hk_spec_force.stopped). Of a compliant one it is a signal of the
 * coordinate s and its rate, the force of elements/stop.c over the lever:
 *
 *   N = max(0, k x^n (1 + d xd) + c xd),   x = max(0, depth of s behind the end)
 */
#include "elements/joint_friction.h"
#include "elements/stop.h"
#include "joints/pair.h"
#include "language/reader_signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* what slides */
typedef struct slides {
  int32_t coord;  /* a coordinate by itself; HK_NONE: motions together, or a point */
  double arm;     /* its slip over its rate */
  double lever;   /* of the stop: what it holds by over what it presses by */
  int32_t normal; /* axis of A along which the stop presses a round body, or HK_NONE */
} slides;

/* axis 0 1 2 of a position, of an angle about an axis of A; -1: it is none */
static int position_axis(uint8_t what) { return what <= HK_S_Z ? what - HK_S_X : -1; }
static int angle_axis(uint8_t what) { return what == HK_S_TWIST ? 2 : hki_scalar_log(what); }

/* may coordinate k of a joint move? */
static bool is_free(const hk_spec_joint *j, int32_t k) {
  return !j->ops->present || !(hki_joint_present(j->ops, j->par) >> k & 1u);
}

static bool need_radius(hk_reader *rd, const hk_node *node, const hk_spec_joint *j,
                        const hk_joint_friction_par *par, const char *why) {
  if (!isnan(par->radius)) return true;
  hki_rd_error(rd, node->loc, "radius: 0.01",
               "friction at a stop of joint '%s' must have 'radius', %s", j->name, why);
  return false;
}

/* a stop of a position: along axis n of A */
static bool beside_position(hk_reader *rd, const hk_node *node, const hk_spec_joint *j, int n,
                            hk_joint_friction_par *par, slides *out) {
  for (int32_t k = 0; k < j->ops->ns; k++) {
    const int axis = position_axis(j->ops->scalars[k]);
    if (axis < 0 || axis == n || !is_free(j, k)) continue;
    par->motion[par->n] = (uint8_t)(3 + axis);
    par->arms[par->n++] = 1.0;
  }
  if (par->n) {
    out->normal = isnan(par->radius) ? HK_NONE : n;
    return true;
  }
  for (int32_t k = 0; k < j->ops->ns; k++) {
    if (angle_axis(j->ops->scalars[k]) != n || !is_free(j, k)) continue;
    if (!need_radius(rd, node, j, par, "since the joint turns there")) return false;
    out->arm = par->radius;
    if (hki_scalar_turns(j->ops->scalars[k])) {
      out->coord = k;
      return true;
    }
    par->motion[par->n] = (uint8_t)n;
    par->arms[par->n++] = par->radius;
    return true;
  }
  return true;
}

/* a stop of angle k: the position along its axis, or the only other angle */
static bool beside_angle(hk_reader *rd, const hk_node *node, const hk_spec_joint *j, int32_t k,
                         const hk_joint_friction_par *par, slides *out) {
  const int n = angle_axis(j->ops->scalars[k]);
  int32_t angles = 0, other = HK_NONE;
  for (int32_t i = 0; i < j->ops->ns; i++) {
    const uint8_t what = j->ops->scalars[i];
    if (i == k || !is_free(j, i)) continue;
    if (n >= 0 && position_axis(what) == n) out->coord = i;
    if (!hki_scalar_is_length(what)) angles++, other = i;
  }
  if (out->coord == HK_NONE && angles != 1) return true;
  if (!need_radius(rd, node, j, par, "since its stop holds by a torque")) return false;
  out->lever = par->radius;
  if (out->coord == HK_NONE) out->coord = other, out->arm = par->radius;
  return true;
}

/* what slides at the stop of coordinate k; false after reporting */
static bool find_slides(hk_reader *rd, const hk_rd_rub *r, int32_t k, hk_joint_friction_par *par,
                        slides *out) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  const hk_node *node = r->node;
  const int n = position_axis(j->ops->scalars[k]);
  const hk_node *radius = hki_node_get(node, "radius");
  *out = (slides){.coord = HK_NONE, .arm = 1.0, .lever = 1.0, .normal = HK_NONE};
  if (j->ops->friction.nslips) {
    if (!radius) return hki_rd_rub_slips(rd, r, par);
    hki_rd_error(rd, radius->loc, "leave 'radius' out",
                 "friction at the stop of joint '%s' has no radius: its surfaces have their own",
                 j->name);
    return false;
  }
  if (!(n >= 0 ? beside_position(rd, node, j, n, par, out)
               : beside_angle(rd, node, j, k, par, out)))
    return false;
  if (par->n || out->coord != HK_NONE) return true;
  int len;
  const char *word = hki_word(j->ops->coords, k, &len);
  hki_rd_error(rd, node->loc, "leave 'friction' out of these limits",
               j->ops->ns == 1
                   ? "nothing rubs at the stop of joint '%s': '%.*s' is its only coordinate"
                   : "nothing that slides at the stop of joint '%s' is known to touch it: none of "
                     "its coordinates moves along a stop of '%.*s'",
               j->name, len, word);
  return false;
}

/* the force of a compliant stop at one end, as text of k0 and k1 */
static void end_text(const hk_stop_par *p, double at, double sign, char *text, size_t cap) {
  char depth[120], power[40] = "", damped[240] = "";
  if (!isfinite(at)) {
    snprintf(text, cap, "0");
    return;
  }
  snprintf(depth, sizeof depth, "max(0, %.17g*((%.17g) - k0))", sign, at);
  if (p->exponent != 1.0) snprintf(power, sizeof power, "^%.17g", p->exponent);
  if (p->damping > 0.0)
    snprintf(damped, sizeof damped, " + if(%s > 0, %.17g*k1, 0)", depth, -sign * p->damping);
  snprintf(text, cap, "max(0, %.17g*%s%s*(1 + %.17g*k1)%s)", p->stiffness, depth, power,
           -sign * p->dissipation, damped);
}

/* the signal of the normal force of a compliant stop */
static int32_t pressed_by(hk_reader *rd, hk_rd_scope *s, hk_loc loc, const char *name,
                          const hk_stop_par *p, const hk_spec_limit *l, const hk_spec_stopped *st) {
  char text[1600], end[2][700];
  hk_read *read = hki_pool_alloc(rd->spec->pool, 2 * sizeof *read);
  const int32_t i = read ? hki_rd_signal_new(rd, s, name, loc, false) : HK_NONE;
  if (i < 0) return HK_NONE;
  for (int k = 0; k < 2; k++)
    end_text(p, st->ends >> k & 1u ? l->range[k] : NAN, k ? -1.0 : 1.0, end[k], sizeof end[k]);
  snprintf(text, sizeof text, "(%s + %s)/%.17g", end[0], end[1], st->lever);
  const hk_channel ch = {HK_CH_JOINT_COORD, (int16_t)l->coord, l->joint};
  read[0] = read[1] = (hk_read){.kind = HK_READ_CHANNEL, .signal = HK_NONE, .channel = ch};
  read[1].channel.kind = HK_CH_JOINT_RATE;
  hk_spec_signal *out = &rd->signals[i].s;
  out->expr = hki_rd_expr_slots(rd, text, strlen(text), loc);
  out->reads = read, out->nreads = 2;
  rd->signals[i].state = HK_RD_DONE;
  return out->expr ? i : HK_NONE;
}

/* one force, at the stops of `ends` */
static void add(hk_reader *rd, hk_rd_rub *r, const hk_stop_par *soft, const slides *x, uint8_t ends,
                const char *part, hk_joint_friction_par *par) {
  const hk_spec_limit *l = &rd->spec->limits[r->stopped.limit];
  const hk_spec_joint *j = &rd->spec->joints[l->joint];
  int n;
  const char *word = hki_word(j->ops->coords, l->coord, &n);
  const char *name = hki_pool_printf(rd->pool, "limits.%s.%.*s.friction%s", j->name, n, word, part);
  if (!name) return;
  r->stopped.ends = ends;
  r->pressed = soft ? pressed_by(rd, r->scope, r->node->loc, name, soft, l, &r->stopped) : HK_NONE;
  if (soft && r->pressed == HK_NONE) return;
  if (x->coord != HK_NONE)
    hki_rd_rub_scalar(rd, r, name, x->coord, par);
  else
    hki_rd_rub_vector(rd, r, name,
                      par->slips ? hki_joint_friction_slip_ops(par->n)
                                 : hki_joint_friction_vector_ops(par->n),
                      par);
}

void hki_rd_stop_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t j, int32_t k,
                          const hk_stop_par *soft) {
  const hk_spec_joint *sj = &rd->spec->joints[j];
  const hk_param *more = hki_stop_friction_params, *row = hki_params_find(more, "radius");
  const hk_node *radius = hki_node_get(node, "radius");
  hk_rd_rub r = {.scope = s, .node = node, .joint = j};
  hk_joint_friction_par par = {.radius = NAN};
  slides x;
  const hk_friction *law = hki_rd_friction(rd, s, node, more, "friction at a stop of", sj->name);
  if (!law || !hki_rd_rub_heats(rd, &r)) return;
  if (radius && !hki_rd_ranged(rd, s, radius, row, &par.radius)) return;
  if (!find_slides(rd, &r, k, &par, &x)) return;
  hki_joint_friction_law(&par, law, 1);
  par.arm = par.lever = x.arm;
  r.stopped = (hk_spec_stopped){.limit = rd->spec->nlimits - 1, .lever = x.lever};
  const double *range = rd->spec->limits[r.stopped.limit].range;
  const uint8_t ends = (uint8_t)((isfinite(range[0]) ? HK_END_LOWER : 0u) |
                                 (isfinite(range[1]) ? HK_END_UPPER : 0u));
  if (x.normal == HK_NONE) {
    if (ends) add(rd, &r, soft, &x, ends, "", &par);
    return;
  }
  // a round body touches both ends at different points
  for (int e = 0; e < 2; e++) {
    if (!(ends >> e & 1u)) continue;
    par.roll[x.normal] = e ? par.radius : -par.radius;
    add(rd, &r, soft, &x, (uint8_t)(1u << e),
        ends != (HK_END_LOWER | HK_END_UPPER) ? ""
        : e                                   ? ".upper"
                                              : ".lower",
        &par);
  }
}
