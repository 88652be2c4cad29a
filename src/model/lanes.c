/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: groups of four bodies (quads) whose kinematics are computed together, one body in each
 * lane of a vector (kinematics/lanes.c). The bodies of a quad have the same depth and the same kind
 * of joint, as in the four suspensions of a car or in four cranks of a row. The sequence goes level by
 * level, so that parents precede children. Cost linear in the number of bodies; a chain has no
 * quads.
 */
#include "model/work.h"

enum { KINDS = 4 }; /* two joints, with inertia and without */

/* bodies of one level and kind that do not yet fill a quad */
typedef struct waiting {
  int32_t n, body[HK_LANE4];
} waiting;

/* 0, 1: revolutes without and with inertia; 2, 3: balls without and with; -1: never in a quad */
static int32_t kind_of(const hk_model_body *b) {
  const uint32_t caps = b->ops->caps;
  const bool ball = (caps & HK_JOINT_QUATERNION) && (caps & HK_JOINT_POINT);
  if (b->point || !(ball || (caps & HK_JOINT_ROTATION_Z))) return -1;
  return (ball ? 2 : 0) + (hki_body_inert(b) != HK_INERT_NONE);
}

/* body b enters the sequence by itself */
static void alone(hk_model *m, int32_t b) {
  m->quad_of[b] = -1;
  m->seq[m->nseq++] = b;
}

static void flush(hk_model *m, waiting *w) {
  for (int32_t i = 0; i < w->n; i++) alone(m, w->body[i]);
  w->n = 0;
}

static void add(hk_model *m, waiting *w, int32_t b) {
  w->body[w->n++] = b;
  if (w->n < HK_LANE4) return;
  for (int32_t i = 0; i < HK_LANE4; i++) m->quad_of[w->body[i]] = m->nquad;
  memcpy(m->quad[m->nquad].body, w->body, sizeof w->body);
  m->seq[m->nseq++] = -1 - m->nquad++;
  w->n = 0;
}

bool hki_work_lanes(hk_work *w) {
  hk_model *m = w->m;
  int32_t *start = HK_SCRATCH(w, int32_t, m->nb + 2);
  int32_t *order = HK_SCRATCH(w, int32_t, m->nb + 1);
  m->seq = HK_KEEP(w, int32_t, m->nb + 1);
  m->quad_of = HK_KEEP(w, int32_t, m->nb + 1);
  m->quad = HK_KEEP(w, hk_lane4, m->nb / HK_LANE4 + 1);
  if (!start || !order || !m->seq || !m->quad_of || !m->quad) return false;
  // counting sort of the bodies by level
  for (int32_t b = 0; b < m->nb; b++) start[m->bodies[b].depth + 1]++;
  for (int32_t b = 0; b < m->nb; b++) start[b + 1] += start[b];
  for (int32_t b = 0; b < m->nb; b++) order[start[m->bodies[b].depth]++] = b;
  waiting wait[KINDS] = {{0}};
  for (int32_t i = 0; i < m->nb; i++) {
    int32_t b = order[i], kind = kind_of(&m->bodies[b]);
    if (i && m->bodies[order[i - 1]].depth != m->bodies[b].depth)
      for (int32_t k = 0; k < KINDS; k++) flush(m, &wait[k]);
    if (kind < 0)
      alone(m, b);
    else
      add(m, &wait[kind], b);
  }
  for (int32_t k = 0; k < KINDS; k++) flush(m, &wait[k]);
  return true;
}
