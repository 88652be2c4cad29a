/* SPDX-License-Identifier: Apache-2.0
 *
 * channels.c: values of channels that a state of the tree determines, and their gradients in the
 * coordinates.
 */
#include "elements/modal.h"
#include "joints/pair.h"
#include "joints/rows.h"
#include "kinematics/skins.h"
#include "kinematics/wide.h"

/* the user's frame of a body, with its velocities */
static void own_frame(const hk_kin *k, int32_t spec_body, hk_frame *F) {
  int32_t b = k->m->body_of_spec[spec_body];
  hki_kin_marker(k, b, &k->m->bodies[b].own, F);
}

/* a frame fixed in a body of the spec, from its pose in the drawing */
static void on_body(const hk_kin *k, int32_t spec_body, const hk_offset *at, int32_t *body,
                    hk_offset *o) {
  *body = spec_body == HK_GROUND ? HK_GROUND : k->m->body_of_spec[spec_body];
  *o = *at;
  if (*body != HK_GROUND) v3_sub(o->p, at->p, k->m->bodies[*body].com0);
}

static void spec_marker(const hk_kin *k, int32_t i, int32_t *body, hk_offset *o) {
  const hk_spec_marker *mk = &k->m->spec->markers[i];
  on_body(k, mk->body, &mk->at, body, o);
}

/* the frame that a marker is seen from */
static void reference_frame(const hk_kin *k, const hk_spec_marker *mk, hk_frame *G) {
  hk_offset o;
  int32_t body;
  if (mk->reference_own) {
    own_frame(k, mk->reference, G);
    return;
  }
  on_body(k, mk->reference, &mk->reference_at, &body, &o);
  hki_kin_marker(k, body, &o, G);
}

/* markers A and B of a joint, in the user's order */
static void joint_frames(const hk_kin *k, int32_t joint, hk_frame *F) {
  const hk_model_joint *j = &k->m->joints[joint];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(k, joint, &F[1]);
}

void hki_kin_scalar(const hk_kin *k, int32_t scalar, double *s, double *sd) {
  HK_ASSERT(scalar >= 0 && scalar < k->m->ns && k->q && k->v);
  const hk_scalar *x = &k->m->scalars[scalar];
  if (x->qi != HK_NONE) {
    *s = x->sign * k->q[x->qi] + x->zero;
    *sd = x->sign * k->v[x->vi];
    return;
  }
  hk_joint_coord c;
  hk_frame F[2];
  const hk_spec_joint *sj = &k->m->spec->joints[x->joint];
  joint_frames(k, x->joint, F);
  const double near = k->disc.turn[x->turn] - x->zero;
  hki_kin_coord(k, x->joint, sj->ops, sj->par, x->coord, F, near, &c);
  *s = c.s + x->zero;
  *sd = c.sd;
}

/* axes x and y of the markers of a joint, in the user's order */
static void cross_axes(const hk_kin *k, const hk_model_joint *j, double (*a)[2][3]) {
  for (int i = 0; i < 2; i++) {
    const double *R = j->marker[i].R;
    const double *Rb = j->mbody[i] == HK_GROUND ? NULL : k->frame[j->mbody[i]].R;
    // most markers are parallel to their body
    const bool parallel = R[0] == 1.0 && R[4] == 1.0 && R[8] == 1.0;
    for (int c = 0; c < 2; c++) {
      double z[3];
      m3_column(z, Rb && parallel ? Rb : R, c);
      if (!Rb || parallel)
        v3_copy(a[i][c], z);
      else
        m3_mulv(a[i][c], Rb, z);
    }
  }
}

void hki_kin_commit_turns(hk_kin *k) {
  HK_KNOWN(k, HK_KIN_FRAMES);
  for (int32_t i = 0; i < k->m->ns; i++) {
    const hk_scalar *x = &k->m->scalars[i];
    if (x->turn == HK_NONE) continue;
    // only angles count turns; that about z needs no rates, and not its last digits
    const uint8_t what = k->m->spec->joints[x->joint].ops->scalars[x->coord];
    double a[2][2][3], *turn = &k->disc.turn[x->turn], sd;
    if (what == HK_S_TWIST && !hki_kin_turned(k, x->joint)) {
      cross_axes(k, &k->m->joints[x->joint], a);
      *turn = hki_rows_turn(a[0], a[1], *turn - x->zero) + x->zero;
    } else if (hki_scalar_turns(what)) {
      hki_kin_scalar(k, i, turn, &sd);
    }
  }
  hki_kin_follow(k);
}

/* trace of A B */
static double trace_of(const double *A, const double *B) {
  return A[0] * B[0] + A[1] * B[3] + A[2] * B[6] + A[3] * B[1] + A[4] * B[4] + A[5] * B[7] +
         A[6] * B[2] + A[7] * B[5] + A[8] * B[8];
}

/* axes of a marker of a body */
static void marker_axes(const hk_kin *k, int32_t body, const hk_offset *o, double *R) {
  if (body == HK_GROUND)
    memcpy(R, o->R, sizeof o->R);
  else
    m3_mul(R, k->frame[body].R, o->R);
}

double hki_kin_orientation_trace(const hk_kin *k, hk_channel c) {
  if (c.kind == HK_CH_BODY_ORIENTATION) {
    int32_t b = k->m->body_of_spec[c.item];
    const double *R = k->frame[b].R;
    return k->upright[b] ? R[0] + R[4] + R[8] : trace_of(R, k->m->bodies[b].own.R);
  }
  // a tree joint with a quaternion, in either direction: trace = 4 w^2 - 1
  int32_t b = k->m->joints[c.item].body;
  if (b != HK_NONE && (k->m->bodies[b].ops->caps & HK_JOINT_QUATERNION)) {
    const hk_model_body *mb = &k->m->bodies[b];
    double w = k->q[mb->q0 + mb->nq - 4];
    return 4.0 * w * w - 1.0;
  }
  if (hki_kin_turned(k, c.item)) {
    double R[9];
    hki_kin_orientation(k, c, R);
    return R[0] + R[4] + R[8];
  }
  // trace(A' B) from the axes alone
  const hk_model_joint *j = &k->m->joints[c.item];
  double A[9], B[9], sum = 0.0;
  marker_axes(k, j->mbody[0], &j->marker[0], A);
  marker_axes(k, j->mbody[1], &j->marker[1], B);
  for (int i = 0; i < 9; i++) sum += A[i] * B[i];
  return sum;
}

void hki_kin_orientation(const hk_kin *k, hk_channel c, double *R) {
  hk_frame F[2];
  if (c.kind == HK_CH_BODY_ORIENTATION) {
    int32_t b = k->m->body_of_spec[c.item];
    m3_mul(R, k->frame[b].R, k->m->bodies[b].own.R);
    return;
  }
  joint_frames(k, c.item, F);
  m3_tmul(R, F[0].R, F[1].R);
}

/* relative orientation or angular velocity of a joint */
static void joint_values(const hk_kin *k, hk_channel c, double *y) {
  hk_frame F[2];
  double w[3], R[9];
  joint_frames(k, c.item, F);
  switch (c.kind) {
    case HK_CH_JOINT_ANGULAR_VELOCITY:
      v3_sub(w, F[1].w, F[0].w);
      m3_tmulv(y, F[0].R, w);
      return;
    default:
      m3_tmul(R, F[0].R, F[1].R);
      quat_from_rot(y, R);
  }
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
static void angles_zyx(const double *R, double *y) {
  y[0] = atan2(R[3], R[0]);
  y[1] = atan2(-R[6], hypot(R[0], R[3]));
  y[2] = atan2(R[7], R[8]);
}

/* R = Rx(a) Ry(b) Rz(c) */
static void angles_xyz(const double *R, double *y) {
  y[0] = atan2(-R[5], R[8]);
  y[1] = atan2(R[2], hypot(R[0], R[1]));
  y[2] = atan2(-R[1], R[0]);
}

/* R = Rz(toe) Rx(camber) Ry(spin): the direction of the y axis alone gives toe and camber */
static void wheel_angles(const double *R, double *y) {
  y[0] = atan2(-R[1], R[4]);
  y[1] = atan2(R[7], hypot(R[1], R[4]));
}

/* velocities of a body's own frame in its own axes */
static void local_values(const hk_kin *k, hk_channel c, double *y) {
  hk_frame F;
  own_frame(k, c.item, &F);
  m3_tmulv(y, F.R, c.kind == HK_CH_BODY_LOCAL_VELOCITY ? F.v : F.w);
}

static void body_values(const hk_kin *k, hk_channel c, double *y) {
  const int32_t b = k->m->body_of_spec[c.item];
  const hk_offset *own = &k->m->bodies[b].own;
  const hk_frame *com = &k->frame[b];
  double r[3], R[9];
  switch (c.kind) {
    case HK_CH_BODY_COM_POSITION:
      v3_copy(y, com->p);
      return;
    case HK_CH_BODY_COM_VELOCITY:
      v3_copy(y, com->v);
      return;
    case HK_CH_BODY_ANGULAR_VELOCITY:
      v3_copy(y, com->w);
      return;
    case HK_CH_BODY_POSITION:
      m3_mulv(r, com->R, own->p);
      v3_add(y, com->p, r);
      return;
    case HK_CH_BODY_VELOCITY:
      m3_mulv(r, com->R, own->p);
      v3_copy(y, com->v);
      v3_cross_add(y, com->w, r);
      return;
    case HK_CH_BODY_LOCAL_VELOCITY:
    case HK_CH_BODY_LOCAL_ANGULAR_VELOCITY:
      local_values(k, c, y);
      return;
    default:
      m3_mul(R, com->R, own->R);
      if (c.kind == HK_CH_BODY_ANGLES_ZYX)
        angles_zyx(R, y);
      else if (c.kind == HK_CH_BODY_ANGLES_XYZ)
        angles_xyz(R, y);
      else
        quat_from_rot(y, R);
  }
}

static void marker_values(const hk_kin *k, hk_channel c, double *y) {
  hk_offset o;
  hk_frame F;
  int32_t body;
  spec_marker(k, c.item, &body, &o);
  hki_kin_marker(k, body, &o, &F);
  if (c.kind == HK_CH_MARKER_POSITION || c.kind == HK_CH_MARKER_VELOCITY) {
    v3_copy(y, c.kind == HK_CH_MARKER_POSITION ? F.p : F.v);
    return;
  }
  // seen from its reference
  const hk_spec_marker *mk = &k->m->spec->markers[c.item];
  double R[9], d[3], x[3];
  hk_frame G;
  memcpy(R, F.R, sizeof R);
  if (mk->relative) {
    reference_frame(k, mk, &G);
    m3_tmul(R, G.R, F.R);
    v3_sub(d, F.p, G.p);
  }
  switch (c.kind) {
    case HK_CH_MARKER_RELATIVE_POSITION:
      m3_tmulv(y, G.R, d);
      return;
    case HK_CH_MARKER_RELATIVE_VELOCITY:
      v3_cross(x, G.w, d);
      for (int i = 0; i < 3; i++) d[i] = F.v[i] - G.v[i] - x[i];
      m3_tmulv(y, G.R, d);
      return;
    case HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY:
      v3_sub(d, F.w, G.w);
      m3_tmulv(y, G.R, d);
      return;
    case HK_CH_MARKER_WHEEL:
      wheel_angles(R, y);
      return;
    default:
      angles_zyx(R, y);
  }
}

/* channels of elements on several markers: outputs in the order of elements/wide.h; false: it is another one */
static bool wide_values(const hk_kin *k, hk_channel c, double *y) {
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BEAM_MOMENT:
    case HK_CH_BEAM_FORCE:
    case HK_CH_BEAM_CURVATURE:
    case HK_CH_BEAM_STRAIN:
      hki_kin_wide_outputs(k, c.item, 3 * (c.kind - HK_CH_BEAM_MOMENT), 3, y);
      return true;
    case HK_CH_SHELL_FORCE:
    case HK_CH_SHELL_MOMENT:
    case HK_CH_SHELL_STRAIN:
    case HK_CH_SHELL_CURVATURE:
      // two shear forces stand between three numbers each
      hki_kin_wide_outputs(k, c.item,
                           3 * (c.kind - HK_CH_SHELL_FORCE) - (c.kind > HK_CH_SHELL_SHEAR), 3, y);
      return true;
    case HK_CH_SHELL_SHEAR:
      hki_kin_wide_outputs(k, c.item, 6, 2, y);
      return true;
    case HK_CH_MEMBRANE_FORCE:
    case HK_CH_MEMBRANE_STRAIN:
      hki_kin_wide_outputs(k, c.item, 3 * (c.kind - HK_CH_MEMBRANE_FORCE), 3, y);
      return true;
    case HK_CH_SLIDER_PART:
    case HK_CH_SLIDER_PLACE:
    case HK_CH_SLIDER_SPEED:
      hki_kin_wide_outputs(k, c.item, c.kind - HK_CH_SLIDER_PART, 1, y);
      return true;
    case HK_CH_SLIDER_LOAD:
      hki_kin_wide_outputs(k, c.item, 3, 2, y);
      return true;
    case HK_CH_SLIDER_FORCE:
      hki_kin_wide_outputs(k, c.item, 5, 3, y);
      return true;
    case HK_CH_FLEX_Q:
      y[c.component] = hki_kin_modal_q(k, c.item, c.component);
      return true;
    case HK_CH_FLEX_RATE: {
      const hk_modal_par *p = k->m->wide[c.item].par;
      y[c.component] =
          p->scale[c.component] * k->frame[k->m->wide[c.item].body[c.component + 1]].v[0];
      return true;
    }
    case HK_CH_FLEX_STRESS:
      y[0] = hki_kin_skin_stress(k, c.item);
      return true;
    case HK_CH_FLEX_ENERGY:
      y[0] = hki_kin_modal_strain(k, c.item);
      return true;
    case HK_CH_FLEX_DISSIPATION:
      y[0] = hki_kin_wide_power(k, c.item, true);
      return true;
    default:
      if (!hki_channel_is_energy(c.kind) && !hki_channel_is_dissipation(c.kind)) return false;
      y[0] = hki_kin_wide_power(k, c.item, hki_channel_is_dissipation(c.kind));
      return true;
  }
}

/* what of the state a channel reads */
static uint32_t channel_needs(const hk_kin *k, hk_channel c) {
  if (c.kind == HK_CH_NODE) return 0u;
  if (c.kind == HK_CH_SIGNAL)
    return k->sig_live[c.item] == HK_LIVE_ALWAYS ? HK_KIN_SIGNALS : HK_KIN_EVERY_SIGNAL;
  return hki_channel_level(c) ? HK_KIN_FRAMES | HK_KIN_MOTION : HK_KIN_FRAMES;
}

void hki_kin_values(const hk_kin *k, hk_channel c, double *y) {
  double s, sd;
  HK_KNOWN(k, channel_needs(k, c));
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_ORIENTATION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
    case HK_CH_BODY_ANGLES_ZYX:
    case HK_CH_BODY_ANGLES_XYZ:
    case HK_CH_BODY_LOCAL_VELOCITY:
    case HK_CH_BODY_LOCAL_ANGULAR_VELOCITY:
      body_values(k, c, y);
      return;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
    case HK_CH_MARKER_ANGLES_ZYX:
    case HK_CH_MARKER_WHEEL:
    case HK_CH_MARKER_RELATIVE_POSITION:
    case HK_CH_MARKER_RELATIVE_VELOCITY:
    case HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY:
      marker_values(k, c, y);
      return;
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
      hki_kin_scalar(k, k->m->joints[c.item].scalar0 + c.component, &s, &sd);
      y[c.component] = c.kind == HK_CH_JOINT_COORD ? s : sd;
      return;
    case HK_CH_JOINT_ORIENTATION:
    case HK_CH_JOINT_ANGULAR_VELOCITY:
      joint_values(k, c, y);
      return;
    case HK_CH_FORCE_OUTPUT:
      hki_kin_force_output(k, c.item, y);
      return;
    case HK_CH_FORCE_DISSIPATION:
      y[c.component] = hki_kin_force_dissipation(k, c.item);
      return;
    case HK_CH_NODE:
      y[c.component] = k->x[k->m->node_x[c.item]];
      return;
    case HK_CH_SIGNAL:
      y[c.component] = k->sig[3 * c.item];
      return;
    default:
      if (!wide_values(k, c, y)) y[c.component] = NAN;
  }
}

double hki_kin_channel(const hk_kin *k, hk_channel c) {
  double y[HK_CHANNEL_COMPONENTS];
  hki_kin_values(k, c, y);
  return y[c.component];
}

void hki_kin_unknowns(hk_kin *k, const double *x, const double *xd) {
  const size_t bytes = (size_t)k->m->nx * sizeof *x;
  if (!bytes) return;
  memcpy(k->x, x, bytes);
  if (xd) memcpy(k->xd, xd, bytes);
  hki_kin_forget(k, k->by_velocity & ~HK_KIN_OF_CLOSURES);
}

int32_t hki_kin_channel_value(const hk_kin *k, hk_channel c) {
  return hki_model_channel_value(k->m, c);
}

/* add scale * (row of the covector g at point p of a body) over all coordinates that move it */
static void add_chain(const hk_kin *k, int32_t body, const double *p, const double *g, double scale,
                      double *row) {
  double GO[6], r[3];
  HK_KNOWN(k, HK_KIN_POSITIONS);
  if (body == HK_GROUND) return;
  v3_sub(r, p, k->O + 3 * body);
  s6_wrench_to_origin(GO, g, r);
  for (int32_t b = body; b != HK_GROUND; b = k->m->bodies[b].parent) {
    const hk_model_body *mb = &k->m->bodies[b];
    for (int32_t j = mb->v0; j < mb->v0 + mb->nv; j++) row[j] += scale * s6_dot(GO, k->S + 6 * j);
  }
}

static void scalar_gradient(const hk_kin *k, int32_t scalar, double scale, double *row) {
  const hk_scalar *x = &k->m->scalars[scalar];
  if (x->vi != HK_NONE) {
    row[x->vi] += scale * x->sign;
    return;
  }
  hk_joint_coord c;
  hk_frame F[2];
  const hk_spec_joint *sj = &k->m->spec->joints[x->joint];
  const hk_model_joint *j = &k->m->joints[x->joint];
  joint_frames(k, x->joint, F);
  sj->ops->coord(sj->par, x->coord, &F[0], &F[1], k->disc.turn[x->turn] - x->zero, &c);
  add_chain(k, j->mbody[0], F[0].p, c.gA, scale, row);
  add_chain(k, j->mbody[1], F[1].p, c.gB, scale, row);
}

void hki_kin_channel_gradient(const hk_kin *k, hk_channel c, double scale, double *rowq,
                              double *rowv) {
  double g[6] = {0};
  hk_frame F;
  hk_offset o;
  int32_t body = c.item;
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_JOINT_COORD:
      scalar_gradient(k, k->m->joints[c.item].scalar0 + c.component, scale, rowq);
      return;
    case HK_CH_JOINT_RATE:
      scalar_gradient(k, k->m->joints[c.item].scalar0 + c.component, scale, rowv);
      return;
    case HK_CH_FLEX_Q:
    case HK_CH_FLEX_RATE:
      body = k->m->wide[c.item].body[c.component + 1];
      g[3] = ((const hk_modal_par *)k->m->wide[c.item].par)->scale[c.component];
      add_chain(k, body, k->frame[body].p, g, scale, c.kind == HK_CH_FLEX_Q ? rowq : rowv);
      return;
    case HK_CH_BODY_POSITION:
    case HK_CH_BODY_VELOCITY:
    case HK_CH_BODY_ANGULAR_VELOCITY:
      own_frame(k, c.item, &F);
      body = k->m->body_of_spec[c.item];
      break;
    case HK_CH_BODY_COM_POSITION:
    case HK_CH_BODY_COM_VELOCITY:
      body = k->m->body_of_spec[c.item];
      F = k->frame[body];
      break;
    case HK_CH_MARKER_POSITION:
    case HK_CH_MARKER_VELOCITY:
      spec_marker(k, c.item, &body, &o);
      hki_kin_marker(k, body, &o, &F);
      break;
    default:
      return; // other channels count as constant in the tangent
  }
  bool rate = c.kind == HK_CH_BODY_VELOCITY || c.kind == HK_CH_BODY_COM_VELOCITY ||
              c.kind == HK_CH_MARKER_VELOCITY || c.kind == HK_CH_BODY_ANGULAR_VELOCITY;
  g[(c.kind == HK_CH_BODY_ANGULAR_VELOCITY ? 0 : 3) + c.component] = 1.0;
  add_chain(k, body, F.p, g, scale, rate ? rowv : rowq);
}
