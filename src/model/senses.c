/* SPDX-License-Identifier: Apache-2.0
 *
 * senses.c: conditions on velocities (the joint type with HK_JOINT_RATES) may read velocities of
 * bodies and markers, absolute and relative ones, and positions; servos read positions. What they read is measured like the
 * coordinates of a cut joint: for each body or marker that they read a joint is added that binds
 * nothing (joints/sense.h). These joints stand behind those of the file and have no channels.
 */
#include <stdio.h>

#include "joints/sense.h"
#include "model/work.h"

/* how a channel is measured */
typedef struct way {
  hk_channel_kind kind;
  bool own;      /* in the axes of the body itself */
  int32_t first; /* HK_SENSE_... */
  bool rate;
} way;

static const way ways[] = {
    {HK_CH_BODY_POSITION, false, HK_SENSE_PLACE, false},
    {HK_CH_BODY_VELOCITY, false, HK_SENSE_PLACE, true},
    {HK_CH_BODY_COM_POSITION, false, HK_SENSE_PLACE, false},
    {HK_CH_BODY_COM_VELOCITY, false, HK_SENSE_PLACE, true},
    {HK_CH_BODY_ANGULAR_VELOCITY, false, HK_SENSE_SPIN, true},
    {HK_CH_BODY_LOCAL_VELOCITY, true, HK_SENSE_PLACE, true},
    {HK_CH_BODY_LOCAL_ANGULAR_VELOCITY, true, HK_SENSE_SPIN, true},
    {HK_CH_MARKER_POSITION, false, HK_SENSE_PLACE, false},
    {HK_CH_MARKER_VELOCITY, false, HK_SENSE_PLACE, true},
    {HK_CH_MARKER_RELATIVE_POSITION, false, HK_SENSE_PLACE, false},
    {HK_CH_MARKER_RELATIVE_VELOCITY, false, HK_SENSE_PLACE, true},
    {HK_CH_MARKER_RELATIVE_ANGULAR_VELOCITY, false, HK_SENSE_SPIN, true},
};

static const way *way_of(int32_t kind) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(ways); i++)
    if ((int32_t)ways[i].kind == kind) return &ways[i];
  return NULL;
}

typedef struct build {
  hk_spec *spec;
  uint8_t *seen; /* nsignals */
  int32_t cap, senses;
  bool full;
} build;

/* pose of a body's own frame, or of its centre of mass with the axes of the world; false: the body
 * has neither in the file */
static bool body_pose(const hk_spec_body *b, bool com, hk_offset *out) {
  if (!com && b->has_frame) {
    *out = b->frame;
    return true;
  }
  m3_identity(out->R);
  v3_copy(out->p, b->com);
  return b->has_com;
}

/* bodies and markers of a channel; false: the body has no place of its own */
static bool ends(const hk_spec *spec, hk_channel ch, int32_t *body, hk_offset *marker) {
  body[0] = HK_GROUND;
  m3_identity(marker[0].R);
  v3_zero(marker[0].p);
  if (ch.kind < HK_CH_MARKER_POSITION) {
    body[1] = ch.item;
    return body_pose(&spec->bodies[ch.item],
                     ch.kind == HK_CH_BODY_COM_POSITION || ch.kind == HK_CH_BODY_COM_VELOCITY,
                     &marker[1]);
  }
  const hk_spec_marker *mk = &spec->markers[ch.item];
  body[1] = mk->body;
  marker[1] = mk->at;
  if (ch.kind < HK_CH_MARKER_RELATIVE_POSITION || !mk->relative) return true;
  body[0] = mk->reference;
  marker[0] = mk->reference_at;
  return !mk->reference_own || body[0] == HK_GROUND ||
         body_pose(&spec->bodies[body[0]], false, &marker[0]);
}

/* the joint that measures between these markers, a new one where there is none; -1: no memory */
static int32_t joint_for(build *b, const hk_joint_ops *ops, const int32_t *body,
                         const hk_offset *marker) {
  hk_spec *s = b->spec;
  const size_t two = 2 * sizeof *marker;
  for (int32_t j = s->njoints - s->nhidden; j < s->njoints; j++)
    if (s->joints[j].ops == ops && s->joints[j].body[0] == body[0] &&
        s->joints[j].body[1] == body[1] && !memcmp(s->joints[j].marker, marker, two))
      return j;
  if (!b->full) {
    // room for all that may come: the list belongs to the pool
    hk_spec_joint *more = hki_pool_alloc(s->pool, (size_t)(s->njoints + b->cap + 1) * sizeof *more);
    if (!more) return -1;
    if (s->njoints) memcpy(more, s->joints, (size_t)s->njoints * sizeof *more);
    s->joints = more;
    b->full = true;
  }
  hk_spec_joint *j = &s->joints[s->njoints];
  *j = (hk_spec_joint){.name = "", .loc = HK_LOC_NONE, .ops = ops, .active = true};
  memcpy(j->body, body, sizeof j->body);
  memcpy(j->marker, marker, two);
  for (int k = 0; k < 6; k++) j->motion[k] = j->row_signal[k] = HK_NONE;
  for (int k = 0; k < 4; k++) j->turn.signal[k] = HK_NONE;
  j->cut = HK_CUT_ALWAYS;
  s->nhidden++;
  return s->njoints++;
}

static bool add(build *b, int32_t signal, hk_channel ch) {
  hk_spec *s = b->spec;
  const way *w = way_of(ch.kind);
  int32_t body[2];
  hk_offset marker[2];
  if (!w || hki_spec_sense(s, ch)) return true;
  if (!ends(s, ch, body, marker)) {
    char name[200];
    hki_channel_name(s, ch, name, sizeof name);
    hki_error(s->ctx, HK_E_MODEL, s->signals[signal].loc, "give the body a 'com', or read a marker",
              "%s: its body has no centre of mass and no frame", name);
    return false;
  }
  const int32_t joint = joint_for(b, w->own ? &hki_sense_own : &hki_sense_seen, body, marker);
  if (joint < 0) return false;
  s->senses[s->nsenses++] = (hk_spec_sense){ch, joint, w->first + ch.component, w->rate};
  return true;
}

/* count: how many channels there are at most; else the senses of signal si and those it reads */
static bool walk(build *b, int32_t si, bool count) {
  const hk_spec_signal *s = &b->spec->signals[si];
  if (b->seen[si]) return true;
  b->seen[si] = 1;
  for (int32_t k = 0; k < s->nreads; k++) {
    const hk_read *r = &s->reads[k];
    if (r->kind == HK_READ_SIGNAL && !walk(b, r->signal, count)) return false;
    if (r->kind != HK_READ_CHANNEL) continue;
    if (count)
      b->cap += way_of(r->channel.kind) != NULL;
    else if (!add(b, si, r->channel))
      return false;
  }
  return true;
}

static bool walk_all(build *b, bool count) {
  hk_spec *s = b->spec;
  const int32_t n = s->njoints;
  memset(b->seen, 0, (size_t)s->nsignals + 1);
  for (int32_t j = 0; j < n; j++) {
    const hk_spec_joint *x = &s->joints[j];
    if (!x->coupling || !x->ops || !(x->ops->caps & (HK_JOINT_RATES | HK_JOINT_SERVO))) continue;
    if (x->coupling->signal >= 0 && x->coupling->signal < s->nsignals &&
        !walk(b, x->coupling->signal, count))
      return false;
  }
  return true;
}

bool hki_work_senses(hk_spec *spec, hk_pool *pool) {
  build b = {.spec = spec, .seen = hki_pool_alloc(pool, (size_t)spec->nsignals + 1)};
  if (!b.seen || !walk_all(&b, true)) return false;
  if (!b.cap) return true;
  spec->senses = hki_pool_alloc(spec->pool, (size_t)b.cap * sizeof *spec->senses);
  return spec->senses && walk_all(&b, false);
}

const hk_spec_sense *hki_spec_sense(const hk_spec *spec, hk_channel ch) {
  for (int32_t i = 0; i < spec->nsenses; i++) {
    const hk_channel *c = &spec->senses[i].channel;
    if (c->kind == ch.kind && c->item == ch.item && c->component == ch.component)
      return &spec->senses[i];
  }
  return NULL;
}
