/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_channels.c: the recorded channels and their values at the accepted state.
 */
#include <stdio.h>

#include "simulation/simulation.h"

static const char *const default_record[] = {
    "body.*.position", "body.*.orientation", "joint.*",    "node.*",  "network.*", "servo.*",
    "beam.*.energy",   "beam.*.dissipation", "flexible.*", "energy.*"};

static bool is_reaction(hk_channel c) {
  return c.kind == HK_CH_JOINT_FORCE || c.kind == HK_CH_JOINT_TORQUE ||
         c.kind == HK_CH_JOINT_DRIVE || c.kind == HK_CH_JOINT_LOAD ||
         c.kind == HK_CH_JOINT_MULTIPLIER || c.kind == HK_CH_SERVO;
}

static bool is_acceleration(hk_channel c) {
  return c.kind == HK_CH_BODY_ACCELERATION || c.kind == HK_CH_BODY_ANGULAR_ACCELERATION ||
         c.kind == HK_CH_BODY_COM_ACCELERATION;
}

uint32_t hki_sim_channel_needs(hk_channel c) {
  return (is_reaction(c) ? HK_VALUE_REACTIONS : 0u) |
         (is_acceleration(c) ? HK_VALUE_ACCELERATIONS : 0u) |
         (c.kind == HK_CH_SIGNAL ? HK_VALUE_SIGNALS : 0u);
}

/* is a channel part of a beam: of a node between its ends, or of one element? */
static bool is_within(const hk_spec *spec, hk_channel c) {
  if (hki_channel_is_energy(c.kind) || hki_channel_is_dissipation(c.kind))
    return c.item < spec->nwide;
  if (c.kind != HK_CH_BODY_POSITION && c.kind != HK_CH_BODY_ORIENTATION) return false;
  for (int32_t i = 0; i < spec->ngroups; i++) {
    const hk_spec_group *g = &spec->groups[i];
    if (c.item > g->body0 && c.item < g->body0 + g->nbody - 1) return true;
  }
  return false;
}

/* Removes from list[from..n-1] what the default does not record; returns the new length. Reactions cost a solve per
 * row; the drives of motions and servos stay, since the audit needs them anyway. Of beams it has the ends, and
 * the energy of the whole: the animation has every node. */
static int32_t drop_most(const hk_spec *spec, hk_channel *list, int32_t from, int32_t n) {
  int32_t k = from;
  for (int32_t i = from; i < n; i++) {
    const bool drive = list[i].kind == HK_CH_JOINT_DRIVE || list[i].kind == HK_CH_SERVO;
    if ((!is_reaction(list[i]) || drive) && !is_within(spec, list[i])) list[k++] = list[i];
  }
  return k;
}

static bool same(hk_channel a, hk_channel b) {
  return a.kind == b.kind && a.item == b.item && a.component == b.component;
}

/* removes channels that occur twice, by a hash table; returns the new length */
static int32_t unique_channels(hk_ctx *ctx, hk_channel *list, int32_t n) {
  int32_t cap = 16, k = 0;
  while (cap < 2 * n) cap *= 2;
  int32_t *slot = hki_alloc(ctx, (size_t)cap * sizeof *slot);
  if (!slot) return n;
  for (int32_t i = 0; i < n; i++) {
    uint64_t h = hki_hash(&list[i], sizeof list[i], 7);
    int32_t p = (int32_t)(h & (uint64_t)(cap - 1));
    while (slot[p] && !same(list[slot[p] - 1], list[i])) p = (p + 1) & (cap - 1);
    if (slot[p]) continue;
    list[k] = list[i];
    slot[p] = ++k;
  }
  hki_free(ctx, slot);
  return k;
}

/* marks the bodies whose accelerations a channel needs: its own and its ancestors */
static void want_acceleration(hk_sim *s, hk_channel c) {
  s->wants_accelerations = true;
  for (int32_t b = s->m->body_of_spec[c.item]; b != HK_GROUND; b = s->m->bodies[b].parent)
    s->accelerated[b] = 1;
}

static hk_status name_channels(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  size_t n = (size_t)s->nchannels + 1;
  char buf[512];
  s->channel_name = hki_pool_alloc(s->pool, n * sizeof *s->channel_name);
  s->channel_unit = hki_pool_alloc(s->pool, n * sizeof *s->channel_unit);
  s->channel_text = hki_pool_alloc(s->pool, n * sizeof *s->channel_text);
  s->accelerated = hki_pool_alloc(s->pool, (size_t)s->m->nb + 1);
  s->channel_shared = hki_pool_alloc(s->pool, n);
  if (!s->channel_name || !s->channel_unit || !s->channel_text || !s->accelerated ||
      !s->channel_shared)
    return HK_E_MEMORY;
  memset(s->channel_shared, 0, n);
  for (int32_t i = 0; i < s->nchannels; i++) {
    hki_channel_name(spec, s->channels[i], buf, sizeof buf);
    s->channel_name[i] = hki_pool_strdup(s->pool, buf);
    s->channel_unit[i] = hki_channel_unit(spec, s->channels[i]);
    hki_channel_text(spec, s->channels[i], buf, sizeof buf);
    s->channel_text[i] = hki_pool_strdup(s->pool, buf);
    if (!s->channel_name[i] || !s->channel_text[i]) return HK_E_MEMORY;
    s->wants_reactions |= is_reaction(s->channels[i]);
    s->wants_signals |= s->channels[i].kind == HK_CH_SIGNAL;
    if (is_acceleration(s->channels[i])) want_acceleration(s, s->channels[i]);
  }
  return HK_OK;
}

/* What to do about a pattern that matches nothing. "joint.*" in a model without joints asks for all that there are, and is
 * no mistake; "joint.*.angle" is said; all else is an error. */
static hk_status no_match(hk_sim *s, const char *glob, hk_loc loc) {
  const char *group = hki_channel_glob_void(s->m->spec, glob);
  char hint[600];
  if (!group) {
    hki_channel_glob_hint(s->m->spec, glob, hint, sizeof hint);
    return hki_error(s->ctx, HK_E_MODEL, loc, hint, "'%s' matches no channel of this model", glob);
  }
  if (strcmp(glob + strlen(group), ".*") != 0)
    hki_warn(s->ctx, loc, "leave it out, or see 'hooke list channels'",
             "'%s' records nothing: no channel of this model begins with '%s.'", glob, group);
  return HK_OK;
}

hk_status hki_sim_prepare_values(hk_sim *s, bool reactions, bool accelerations) {
  if (accelerations) hki_kin_accelerations(s->kin, s->at, NULL, s->A);
  if (!reactions || s->reactions_known) return HK_OK;
  hki_kin_unknowns(&s->tree->kin, s->vt + s->m->nv, s->at + s->m->nv);
  hki_kin_hold_states(&s->tree->kin, s->vt + s->m->nv + s->m->nx);
  hki_tree_state(s->tree, s->kin->t, s->qt, s->vt, 0);
  hk_status st = hki_reactions_eval(s->reactions, s->tree, s->at, s->wrench, s->drive, s->unique);
  s->reactions_known = st == HK_OK;
  return st;
}

hk_status hki_sim_flag_reactions(hk_sim *s) {
  if (!s->wants_reactions) return HK_OK;
  hk_status st = hki_sim_prepare_values(s, true, false);
  for (int32_t i = 0; st == HK_OK && i < s->nchannels; i++) {
    const hk_channel c = s->channels[i];
    if (c.kind != HK_CH_JOINT_FORCE && c.kind != HK_CH_JOINT_TORQUE) continue;
    if (s->unique[6 * c.item + c.component + (c.kind == HK_CH_JOINT_TORQUE ? 3 : 0)]) continue;
    s->channel_shared[i] = 1;
    s->channel_text[i] = hki_pool_printf(s->pool, "%s; not unique", s->channel_text[i]);
    if (!s->channel_text[i]) return HK_E_MEMORY;
  }
  return st;
}

/* acceleration of a point of a body, A_v + alpha x r + omega x v; A = (alpha, A_v) about O, r from
 * O */
static void body_acceleration(const hk_sim *s, hk_channel c, double *a) {
  int32_t b = s->m->body_of_spec[c.item];
  const double *A = s->A + 6 * b;
  hk_frame F;
  double r[3];
  if (c.kind == HK_CH_BODY_ANGULAR_ACCELERATION) {
    v3_copy(a, A);
    return;
  }
  if (c.kind == HK_CH_BODY_COM_ACCELERATION)
    F = s->kin->frame[b];
  else
    hki_kin_marker(s->kin, b, &s->m->bodies[b].own, &F);
  v3_sub(r, F.p, s->kin->O + 3 * b);
  v3_copy(a, A + 3);
  v3_cross_add(a, A, r);
  v3_cross_add(a, F.w, F.v);
}

static void energies(const hk_sim *s, double *y) {
  const hk_audit *a = &s->audit;
  const double e[6] = {a->kinetic,  a->potential,  a->kinetic + a->potential,
                       a->supplied, a->dissipated, hki_sim_balance(s)};
  memcpy(y, e, sizeof e);
}

static void solver(const hk_sim *s, double *y) {
  y[0] = s->newton.last;
  y[1] = s->I.h_last;
  y[2] = (double)s->rejected;
  y[3] = (double)hki_sweeps(s->I.ops, s->newton.last);
  y[4] = s->f->ops->choices ? s->f->ops->choices(s->f) : 0.0;
}

/* force or torque of a coupling on one of its joints, -lam dphi/ds over its rows; or lam itself */
static double coupling_load(const hk_sim *s, hk_channel c) {
  const hk_model *m = s->m;
  const double *lam = hki_reactions_multipliers(s->reactions);
  double sum = 0.0;
  const int32_t first = m->joints[c.item].closure;
  if (c.kind == HK_CH_JOINT_MULTIPLIER) return lam[m->closures[first].row0];
  const hk_spec_coupled *a = &m->spec->joints[c.item].coupling->arg[c.component];
  const int32_t scalar = m->joints[a->joint].scalar0 + a->coord;
  for (int32_t i = first; i < m->nc && m->closures[i].joint == c.item; i++) {
    const hk_coupling *x = m->closures[i].coupling;
    for (int32_t k = 0; k < x->n; k++)
      if (x->arg[k].scalar == scalar)
        sum -= lam[m->closures[i].row0] * s->tree->kin.slope[x->slope0 + k];
  }
  return sum;
}

/* force, error of the constraint, energy supplied */
static void servo(const hk_sim *s, int32_t joint, double *y) {
  const int32_t row = s->m->closures[s->m->joints[joint].closure].row0;
  y[0] = -hki_reactions_multipliers(s->reactions)[row];
  y[1] = s->tree->kin.phi[row];
  y[2] = hki_work_of(s, s->work.of_joint[joint], true);
}

/* y: all components of the quantity that the channel is part of, or only y[component]: see width()
 */
static void channel_values(const hk_sim *s, hk_channel c, double *y) {
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BODY_ORIENTATION:
    case HK_CH_JOINT_ORIENTATION:
      hki_sim_signed_orientation(s, c, y);
      return;
    case HK_CH_BODY_ACCELERATION:
    case HK_CH_BODY_ANGULAR_ACCELERATION:
    case HK_CH_BODY_COM_ACCELERATION:
      body_acceleration(s, c, y);
      return;
    case HK_CH_JOINT_FORCE:
      v3_copy(y, s->wrench + 6 * c.item);
      return;
    case HK_CH_JOINT_TORQUE:
      v3_copy(y, s->wrench + 6 * c.item + 3);
      return;
    case HK_CH_JOINT_DRIVE:
      y[c.component] = s->drive[s->m->joints[c.item].scalar0 + c.component];
      return;
    case HK_CH_JOINT_LOAD:
    case HK_CH_JOINT_MULTIPLIER:
      y[c.component] = coupling_load(s, c);
      return;
    case HK_CH_SERVO:
      servo(s, c.item, y);
      return;
    case HK_CH_JOINT_SUPPLIED:
      y[0] = s->work.of_joint[c.item] == HK_NONE ? 0.0
                                                 : hki_work_of(s, s->work.of_joint[c.item], true);
      return;
    case HK_CH_FORCE_DISSIPATED:
    case HK_CH_FORCE_SUPPLIED:
      y[0] = hki_work_of(s, c.item, c.kind == HK_CH_FORCE_SUPPLIED);
      return;
    case HK_CH_BEAM_DISSIPATED:
    case HK_CH_FLEX_DISSIPATED:
    case HK_CH_SHELL_DISSIPATED:
    case HK_CH_MEMBRANE_DISSIPATED:
      y[0] = hki_work_of_beam(s, c.item, false);
      return;
    case HK_CH_NODE_RATE:
      y[c.component] = s->kin->xd[s->m->node_x[c.item]];
      return;
    case HK_CH_ENERGY:
      energies(s, y);
      return;
    case HK_CH_SOLVER:
      solver(s, y);
      return;
    case HK_CH_CONSTRAINT:
      y[0] = s->audit.position_max;
      y[1] = s->audit.velocity_max;
      y[2] = s->audit.acceleration_max;
      return;
    default:
      hki_kin_values(s->kin, c, y);
  }
}

double hki_sim_channel(const hk_sim *s, hk_channel c) {
  double y[HK_CHANNEL_COMPONENTS];
  channel_values(s, c, y);
  return y[c.component];
}

/* number of values that channel_values writes from y[0] on; 0: only y[component] */
static int32_t width(const hk_sim *s, hk_channel c) {
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BODY_ORIENTATION:
    case HK_CH_JOINT_ORIENTATION:
      return 4;
    case HK_CH_MARKER_WHEEL:
      return 2;
    case HK_CH_SOLVER:
      return 5;
    case HK_CH_ENERGY:
      return 6;
    case HK_CH_FORCE_OUTPUT:
      return s->m->forces[c.item].ops->ny;
    case HK_CH_JOINT_COORD:
    case HK_CH_JOINT_RATE:
    case HK_CH_JOINT_DRIVE:
    case HK_CH_JOINT_LOAD:
    case HK_CH_JOINT_MULTIPLIER:
    case HK_CH_JOINT_SUPPLIED:
    case HK_CH_FORCE_DISSIPATION:
    case HK_CH_FORCE_DISSIPATED:
    case HK_CH_FORCE_SUPPLIED:
    case HK_CH_BEAM_ENERGY:
    case HK_CH_BEAM_DISSIPATION:
    case HK_CH_BEAM_DISSIPATED:
    case HK_CH_FLEX_Q:
    case HK_CH_FLEX_RATE:
    case HK_CH_FLEX_ENERGY:
    case HK_CH_FLEX_DISSIPATION:
    case HK_CH_FLEX_DISSIPATED:
    case HK_CH_FLEX_STRESS:
    case HK_CH_SHELL_ENERGY:
    case HK_CH_SHELL_DISSIPATION:
    case HK_CH_SHELL_DISSIPATED:
    case HK_CH_MEMBRANE_ENERGY:
    case HK_CH_MEMBRANE_DISSIPATION:
    case HK_CH_MEMBRANE_DISSIPATED:
    case HK_CH_NODE:
    case HK_CH_NODE_RATE:
    case HK_CH_SIGNAL:
      return 0;
    default:
      return 3;
  }
}

/* address of the first component where kin already holds the values of a channel; NULL: computed */
static const double *place(const hk_sim *s, hk_channel c) {
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BODY_COM_POSITION:
      return s->kin->frame[s->m->body_of_spec[c.item]].p;
    case HK_CH_BODY_COM_VELOCITY:
      return s->kin->frame[s->m->body_of_spec[c.item]].v;
    case HK_CH_BODY_ANGULAR_VELOCITY:
      return s->kin->frame[s->m->body_of_spec[c.item]].w;
    case HK_CH_FORCE_OUTPUT:
      return s->kin->kept_y + (size_t)c.item * HK_ELEMENT_OUTPUTS;
    default:
      return NULL;
  }
}

/* groups recorded channels that are components of one quantity: x y z of a position, all outputs of
 * an element */
hk_status hki_sim_channel_runs(hk_sim *s) {
  s->runs = hki_pool_alloc(s->pool, ((size_t)s->nchannels + 1) * sizeof *s->runs);
  if (!s->runs) return HK_E_MEMORY;
  for (int32_t i = 0, k; i < s->nchannels; i = k) {
    const hk_channel c = s->channels[i];
    const int32_t n = width(s, c);
    bool ordered = true;
    for (k = i + 1; k < s->nchannels && n > 0; k++) {
      const hk_channel next = s->channels[k];
      if (next.kind != c.kind || next.item != c.item) break;
      ordered &= next.component == c.component + k - i;
    }
    const double *from =
        ordered && s->kin ? place(s, c) : NULL; // kin is NULL when a model is only checked
    s->runs[s->nruns++] = (hk_channel_run){.channel = c,
                                           .first = i,
                                           .n = k - i,
                                           .whole = ordered && k - i == n,
                                           .kept = c.kind == HK_CH_FORCE_OUTPUT,
                                           .from = from ? from + c.component : NULL};
  }
  return HK_OK;
}

hk_status hki_sim_channels(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_channel *list = NULL;
  int32_t n = 0, cap = 0;
  bool own = spec->nrecord > 0;
  int32_t globs = own ? spec->nrecord : HK_ARRAY_LEN(default_record);
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < globs; i++) {
    int32_t from = n;
    int32_t added =
        hki_channel_match(s->ctx, spec, own ? spec->record[i] : default_record[i], &list, &n, &cap);
    if (added < 0) st = HK_E_MEMORY;
    if (added == 0 && own) st = no_match(s, spec->record[i], spec->record_loc[i]);
    if (!own) n = drop_most(spec, list, from, n);
  }
  if (st == HK_OK) {
    s->nchannels = unique_channels(s->ctx, list, n);
    s->channels = hki_pool_alloc(s->pool, (size_t)(s->nchannels + 1) * sizeof *s->channels);
    st = s->channels ? HK_OK : HK_E_MEMORY;
    if (st == HK_OK && s->nchannels) memcpy(s->channels, list, (size_t)s->nchannels * sizeof *list);
  }
  hki_free(s->ctx, list);
  return st == HK_OK ? name_channels(s) : st;
}

hk_status hki_sim_record(hk_sim *s, double *values) {
  double y[HK_CHANNEL_COMPONENTS];
  if (s->wants_signals) hki_kin_signals(s->kin, true);
  if (s->wants_accelerations) hki_kin_accelerations(s->kin, s->at, s->accelerated, s->A);
  hk_status st = hki_sim_prepare_values(s, s->wants_reactions, false);
  if (st != HK_OK) return st;
  for (const hk_channel_run *r = s->runs; r < s->runs + s->nruns; r++) {
    double *to = values + r->first;
    if (r->from && (s->kin->known & HK_KIN_KEPT || !r->kept)) {
      for (int32_t k = 0; k < r->n; k++) to[k] = r->from[k];
      continue;
    }
    channel_values(s, r->channel, r->whole ? to : y);
    if (r->whole) continue;
    for (int32_t k = 0; k < r->n; k++) to[k] = y[s->channels[r->first + k].component];
  }
  return HK_OK;
}

void hki_sim_store_late_channels(hk_sim *s) {
  bool reactions = false, accelerations = false;
  for (int32_t i = 0; i < s->kin->nseen; i++) {
    reactions |= is_reaction(s->kin->seen_channel[i]);
    accelerations |= is_acceleration(s->kin->seen_channel[i]);
  }
  if (hki_sim_prepare_values(s, reactions, accelerations) != HK_OK) return;
  for (int32_t i = 0; i < s->kin->nseen; i++)
    s->kin->disc.seen[i] = hki_sim_channel(s, s->kin->seen_channel[i]);
  // signals that read them, and forces that follow these, are those of the channels from now on
  hki_kin_forget(s->kin, HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES);
  hki_kin_signals(s->kin, true);
}
