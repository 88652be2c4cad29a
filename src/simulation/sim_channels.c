/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_channels.c: which channels are recorded, and their values at the accepted state.
 */
#include <stdio.h>

#include "simulation/simulation.h"

static const char *const default_record[] = {"body.*.position", "body.*.orientation", "joint.*",
                                             "energy.*"};

static bool is_reaction(hk_channel c) {
  return c.kind == HK_CH_JOINT_FORCE || c.kind == HK_CH_JOINT_TORQUE || c.kind == HK_CH_JOINT_DRIVE;
}

static bool is_acceleration(hk_channel c) {
  return c.kind == HK_CH_BODY_ACCELERATION || c.kind == HK_CH_BODY_ANGULAR_ACCELERATION ||
         c.kind == HK_CH_BODY_COM_ACCELERATION;
}

/* the default leaves reactions out: they cost a solve */
static int32_t drop_reactions(hk_channel *list, int32_t from, int32_t n) {
  int32_t k = from;
  for (int32_t i = from; i < n; i++)
    if (!is_reaction(list[i])) list[k++] = list[i];
  return k;
}

static bool same(hk_channel a, hk_channel b) {
  return a.kind == b.kind && a.item == b.item && a.component == b.component;
}

/* a channel named twice is recorded once: hash of what was taken */
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

static hk_status name_channels(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  size_t n = (size_t)s->nchannels + 1;
  char buf[512];
  s->channel_name = hki_pool_alloc(s->pool, n * sizeof *s->channel_name);
  s->channel_unit = hki_pool_alloc(s->pool, n * sizeof *s->channel_unit);
  s->channel_text = hki_pool_alloc(s->pool, n * sizeof *s->channel_text);
  if (!s->channel_name || !s->channel_unit || !s->channel_text) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->nchannels; i++) {
    hki_channel_name(spec, s->channels[i], buf, sizeof buf);
    s->channel_name[i] = hki_pool_strdup(s->pool, buf);
    s->channel_unit[i] = hki_channel_unit(spec, s->channels[i]);
    hki_channel_text(spec, s->channels[i], buf, sizeof buf);
    s->channel_text[i] = hki_pool_strdup(s->pool, buf);
    if (!s->channel_name[i] || !s->channel_text[i]) return HK_E_MEMORY;
    s->wants_reactions |= is_reaction(s->channels[i]);
    s->wants_accelerations |= is_acceleration(s->channels[i]);
  }
  return HK_OK;
}

/* "joint.*" in a model without joints: a pattern for things of which there are none */
static bool of_nothing(const hk_spec *spec, const char *glob) {
  int32_t signals = 0;
  for (int32_t i = 0; i < spec->nsignals; i++) signals += spec->signals[i].named;
  const struct {
    const char *group;
    int32_t count;
  } groups[] = {{"body.", spec->nbodies},
                {"joint.", spec->njoints},
                {"force.", spec->nforces},
                {"marker.", spec->nmarkers},
                {"signal.", signals}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(groups); i++) {
    size_t n = strlen(groups[i].group);
    if (strncmp(glob, groups[i].group, n) == 0) return groups[i].count == 0 && glob[n] == '*';
  }
  return false;
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
        hki_channel_match(spec, own ? spec->record[i] : default_record[i], &list, &n, &cap);
    if (added < 0) st = HK_E_MEMORY;
    if (added == 0 && own && !of_nothing(spec, spec->record[i]))
      st = hki_error(s->ctx, HK_E_MODEL, spec->record_loc[i],
                     "names look like 'body.NAME.position' or 'joint.*'; see 'hooke list channels'",
                     "'%s' matches no channel of this model", spec->record[i]);
    if (!own) n = drop_reactions(list, from, n);
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

hk_status hki_sim_prepare_values(hk_sim *s, bool reactions, bool accelerations) {
  if (accelerations) hki_kin_accelerations(s->kin, s->at, s->A);
  if (!reactions) return HK_OK;
  hki_semi_state(s->aux, s->kin->t, s->qt, s->vt, 0);
  return hki_reactions_eval(s->reactions, s->aux, s->at, s->wrench, s->drive, s->unique);
}

/* acceleration of a point of a body: A_v + alpha x r + omega x v */
static double body_acceleration(const hk_sim *s, hk_channel c) {
  int32_t b = s->m->body_of_spec[c.item];
  const double *A = s->A + 6 * b;
  hk_frame F;
  double r[3], a[3];
  if (c.kind == HK_CH_BODY_ANGULAR_ACCELERATION) return A[c.component];
  if (c.kind == HK_CH_BODY_COM_ACCELERATION)
    F = s->kin->frame[b];
  else
    hki_kin_marker(s->kin, b, &s->m->bodies[b].own, &F);
  v3_sub(r, F.p, s->kin->O + 3 * b);
  v3_copy(a, A + 3);
  v3_cross_add(a, A, r);
  v3_cross_add(a, F.w, F.v);
  return a[c.component];
}

static double energy(const hk_sim *s, int32_t i) {
  const hk_audit *a = &s->audit;
  const double e[6] = {a->kinetic,  a->potential,  a->kinetic + a->potential,
                       a->supplied, a->dissipated, hki_sim_balance(s)};
  return e[i];
}

static double solver(const hk_sim *s, int32_t i) {
  const double e[3] = {s->newton.last, s->I.h_last, (double)s->rejected};
  return e[i];
}

double hki_sim_channel(const hk_sim *s, hk_channel c) {
  const double limits[3] = {s->audit.position_max, s->audit.velocity_max,
                            s->audit.acceleration_max};
  switch ((hk_channel_kind)c.kind) {
    case HK_CH_BODY_ORIENTATION:
    case HK_CH_JOINT_ORIENTATION:
      return hki_sim_face(s, c);
    case HK_CH_BODY_ACCELERATION:
    case HK_CH_BODY_ANGULAR_ACCELERATION:
    case HK_CH_BODY_COM_ACCELERATION:
      return body_acceleration(s, c);
    case HK_CH_JOINT_FORCE:
      return s->wrench[6 * c.item + c.component];
    case HK_CH_JOINT_TORQUE:
      return s->wrench[6 * c.item + 3 + c.component];
    case HK_CH_JOINT_DRIVE:
      return s->drive[s->m->joints[c.item].scalar0 + c.component];
    case HK_CH_ENERGY:
      return energy(s, c.component);
    case HK_CH_SOLVER:
      return solver(s, c.component);
    case HK_CH_CONSTRAINT:
      return limits[c.component];
    default:
      return hki_kin_channel(s->kin, c);
  }
}

void hki_sim_see(hk_sim *s) {
  bool reactions = false, accelerations = false;
  for (int32_t i = 0; i < s->kin->nseen; i++) {
    reactions |= is_reaction(s->kin->seen_channel[i]);
    accelerations |= is_acceleration(s->kin->seen_channel[i]);
  }
  if (hki_sim_prepare_values(s, reactions, accelerations) != HK_OK) return;
  for (int32_t i = 0; i < s->kin->nseen; i++)
    s->kin->disc.seen[i] = hki_sim_channel(s, s->kin->seen_channel[i]);
}
