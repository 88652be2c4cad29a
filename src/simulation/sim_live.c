/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_live.c: values of a running simulation by handle and by number: channels, poses and twists of
 * bodies, coordinates and reactions of joints. Names are looked up before the loop.
 */
#include "simulation/live.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

static hk_status misuse(const hk_sim *s, const char *function, const char *what) {
  return is_sim(s) ? hki_misuse(s->ctx, function, what)
                   : hki_misuse(NULL, function, "no simulation");
}

/* --- channels ----------------------------------------------------------------------------------- */

int32_t hk_sim_channel_handle(hk_sim *s, const char *name) {
  hk_channel c;
  char hint[300] = "";
  if (!is_sim(s) || !name) {
    misuse(s, "hk_sim_channel_handle", "no name");
    return -1;
  }
  if (!hki_channel_parse(s->m->spec, name, &c, hint, sizeof hint)) {
    hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, hint[0] ? hint : NULL, "unknown channel '%s'", name);
    return -1;
  }
  for (int32_t i = 0; i < s->nhandles; i++) {
    const hk_channel k = s->handles[i].channel;
    if (k.kind == c.kind && k.item == c.item && k.component == c.component) return i;
  }
  if (!HK_GROW(s->ctx, s->handles, s->handles_cap, s->nhandles + 1)) return -1;
  s->handles[s->nhandles] = (hk_handle){c, hki_sim_channel_needs(c)};
  return s->nhandles++;
}

hk_status hki_sim_copy_handles(hk_sim *s, const hk_sim *from) {
  if (!HK_GROW(s->ctx, s->handles, s->handles_cap, from->nhandles)) return HK_E_MEMORY;
  for (int32_t i = 0; i < from->nhandles; i++) s->handles[i] = from->handles[i];
  s->nhandles = from->nhandles;
  return HK_OK;
}

hk_status hki_sim_values(hk_sim *s, int32_t n, const int32_t *handles, double *values) {
  uint32_t needs = 0;
  for (int32_t i = 0; i < n; i++) needs |= s->handles[handles[i]].needs;
  if (needs & HK_VALUE_SIGNALS) hki_kin_signals(s->kin, true);
  hk_status st =
      hki_sim_prepare_values(s, needs & HK_VALUE_REACTIONS, needs & HK_VALUE_ACCELERATIONS);
  for (int32_t i = 0; st == HK_OK && i < n; i++)
    values[i] = hki_sim_channel(s, s->handles[handles[i]].channel);
  return st;
}

hk_status hk_sim_read(hk_sim *s, int32_t n, const int32_t *handles, double *values) {
  if (!is_sim(s) || n < 0 || (n && (!handles || !values)))
    return misuse(s, "hk_sim_read", "the lists do not fit their count");
  for (int32_t i = 0; i < n; i++) {
    if (handles[i] < 0 || handles[i] >= s->nhandles)
      return misuse(s, "hk_sim_read", "a handle that this simulation has not given");
  }
  hk_status st = hki_sim_show_now(s);
  return st == HK_OK ? hki_sim_values(s, n, handles, values) : st;
}

/* --- bodies ------------------------------------------------------------------------------------- */

int32_t hk_sim_body_count(const hk_sim *s) { return is_sim(s) ? s->m->spec->nbodies : 0; }

const char *hk_sim_body_name(const hk_sim *s, int32_t body) {
  return body >= 0 && body < hk_sim_body_count(s) ? s->m->spec->bodies[body].name : NULL;
}

int32_t hk_sim_body_find(const hk_sim *s, const char *name) {
  for (int32_t i = 0; name && i < hk_sim_body_count(s); i++)
    if (strcmp(s->m->spec->bodies[i].name, name) == 0) return i;
  return -1;
}

/* the own frame of a body at the present state */
static hk_status body_frame(hk_sim *s, int32_t body, const char *function, hk_frame *F) {
  if (body < 0 || body >= hk_sim_body_count(s)) return misuse(s, function, "no such body");
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  const int32_t b = s->m->body_of_spec[body];
  hki_kin_marker(s->kin, b, &s->m->bodies[b].own, F);
  return HK_OK;
}

hk_status hk_sim_body_pose(hk_sim *s, int32_t body, double *position, double *rotation) {
  hk_frame F;
  hk_status st = body_frame(s, body, "hk_sim_body_pose", &F);
  if (st != HK_OK) return st;
  if (position) v3_copy(position, F.p);
  for (int i = 0; rotation && i < 9; i++) rotation[i] = F.R[i];
  return HK_OK;
}

hk_status hk_sim_body_twist(hk_sim *s, int32_t body, double *velocity, double *angular_velocity) {
  hk_frame F;
  hk_status st = body_frame(s, body, "hk_sim_body_twist", &F);
  if (st != HK_OK) return st;
  if (velocity) v3_copy(velocity, F.v);
  if (angular_velocity) v3_copy(angular_velocity, F.w);
  return HK_OK;
}

/* --- joints ------------------------------------------------------------------------------------- */

int32_t hk_sim_joint_count(const hk_sim *s) { return is_sim(s) ? s->m->spec->njoints : 0; }

static bool is_joint(const hk_sim *s, int32_t joint) {
  return joint >= 0 && joint < hk_sim_joint_count(s);
}

const char *hk_sim_joint_name(const hk_sim *s, int32_t joint) {
  return is_joint(s, joint) ? s->m->spec->joints[joint].name : NULL;
}

int32_t hk_sim_joint_find(const hk_sim *s, const char *name) {
  for (int32_t i = 0; name && i < hk_sim_joint_count(s); i++)
    if (strcmp(s->m->spec->joints[i].name, name) == 0) return i;
  return -1;
}

int32_t hk_sim_joint_coordinates(const hk_sim *s, int32_t joint) {
  return is_joint(s, joint) ? s->m->spec->joints[joint].ops->ns : -1;
}

hk_status hk_sim_joint_get(hk_sim *s, int32_t joint, int32_t n, double *coordinates,
                           double *rates) {
  if (!is_joint(s, joint)) return misuse(s, "hk_sim_joint_get", "no such joint");
  if (n != s->m->spec->joints[joint].ops->ns)
    return misuse(s, "hk_sim_joint_get", "the joint has another number of coordinates");
  hk_status st = hki_sim_show_now(s);
  for (int32_t k = 0; st == HK_OK && k < n; k++) {
    double x, xd;
    hki_kin_scalar(s->kin, s->m->joints[joint].scalar0 + k, &x, &xd);
    if (coordinates) coordinates[k] = x;
    if (rates) rates[k] = xd;
  }
  return st;
}

hk_status hk_sim_joint_reaction(hk_sim *s, int32_t joint, double *force, double *torque) {
  if (!is_joint(s, joint)) return misuse(s, "hk_sim_joint_reaction", "no such joint");
  hk_status st = hki_sim_show_now(s);
  if (st == HK_OK) st = hki_sim_prepare_values(s, true, false);
  if (st != HK_OK) return st;
  if (force) v3_copy(force, s->wrench + 6 * joint);
  if (torque) v3_copy(torque, s->wrench + 6 * joint + 3);
  return HK_OK;
}
