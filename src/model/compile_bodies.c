/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_bodies.c: bodies in tree order: internal frames, masses, the frames that channels report,
 * massless bodies, and the characteristic length of the mechanism.
 */
#include "model/work.h"

static bool is_massless(const hk_spec_body *b) {
  for (int i = 0; i < 9; i++) {
    if (b->J[i] != 0.0) return false;
  }
  return b->mass == 0.0;
}

void hki_work_frame(const hk_offset *world, hk_frame *out) {
  memset(out, 0, sizeof *out);
  memcpy(out->R, world->R, sizeof out->R);
  v3_copy(out->p, world->p);
}

void hki_work_offset(const hk_model *m, int32_t body, const hk_offset *world, hk_offset *out) {
  *out = *world;
  if (body >= 0) v3_sub(out->p, world->p, m->bodies[body].com0);
}

void hki_model_draw_frame(const hk_model *m, int32_t body, const hk_offset *o, hk_frame *out) {
  hki_work_frame(o, out);
  if (body >= 0) v3_add(out->p, o->p, m->bodies[body].com0);
}

/* com: origin of a body's internal frame, world axes, drawing position. Its centre of mass if
 * given, else the point of its tree joint, else of its first joint, else the origin of its own
 * frame. */
static void place(const hk_work *w, int32_t b, double *com) {
  const hk_spec *s = w->spec;
  const hk_spec_body *body = &s->bodies[b];
  int32_t j = w->via[b];
  v3_zero(com);
  if (body->has_com) {
    v3_copy(com, body->com);
    return;
  }
  if (j < 0 && w->joint_first[b] < w->joint_first[b + 1]) j = w->joint_at[w->joint_first[b]];
  if (j >= 0)
    v3_copy(com, s->joints[j].marker[s->joints[j].body[0] == b ? 0 : 1].p);
  else if (body->has_frame)
    v3_copy(com, body->frame.p);
}

static void fill_body(const hk_work *w, int32_t i, hk_model_body *mb) {
  int32_t b = w->order[i];
  const hk_spec_body *sb = &w->spec->bodies[b];
  mb->spec = b;
  mb->parent = hki_work_body(w->m, w->parent[b]);
  mb->root = mb->parent < 0 ? i : w->m->bodies[mb->parent].root;
  mb->depth = mb->parent < 0 ? 0 : w->m->bodies[mb->parent].depth + 1;
  mb->last = i;
  mb->joint = w->via[b];
  mb->mass = sb->mass;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) mb->J[3 * r + c] = 0.5 * (sb->J[3 * r + c] + sb->J[3 * c + r]);
  }
  mb->massless = is_massless(sb);
  place(w, b, mb->com0);
}

/* the frame that channels report */
static void fill_own(const hk_work *w, int32_t i, hk_model_body *mb) {
  const hk_spec_body *sb = &w->spec->bodies[mb->spec];
  m3_identity(mb->own.R);
  if (sb->has_frame) hki_work_offset(w->m, i, &sb->frame, &mb->own);
}

/* m: root mean square distance of joints from centres of mass; without joints the radius of
 * gyration of the first body that has one; 1 when there is neither */
static double characteristic_length(const hk_work *w) {
  const hk_spec *s = w->spec;
  double sum = 0.0;
  int32_t n = 0;
  for (int32_t j = 0; j < s->njoints - s->nhidden; j++) {
    for (int k = 0; k < 2; k++) {
      double r[3];
      int32_t b = s->joints[j].body[k];
      if (b < 0) continue;
      v3_sub(r, s->joints[j].marker[k].p, w->m->bodies[w->m->body_of_spec[b]].com0);
      if (v3_dot(r, r) > 0.0) sum += v3_dot(r, r), n++;
    }
  }
  // distances of the nodes of beams
  for (int32_t i = 0; i < s->nwide; i++)
    for (int32_t k = 1; k < s->wide[i].nmark; k++) {
      double r[3];
      v3_sub(r, s->wide[i].marker[k].p, s->wide[i].marker[k - 1].p);
      if (v3_dot(r, r) > 0.0) sum += v3_dot(r, r), n++;
    }
  for (int32_t b = 0; b < s->nbodies && n == 0; b++) {
    const double *J = s->bodies[b].J, mass = s->bodies[b].mass;
    double r2 = mass > 0.0 ? (J[0] + J[4] + J[8]) / (2.0 * mass) : 0.0;
    if (r2 > 0.0) sum = r2, n = 1;
  }
  return n > 0 && isfinite(sum) ? sqrt(sum / n) : 1.0;
}

bool hki_work_bodies(hk_work *w) {
  hk_model *m = w->m;
  m->nb = w->spec->nbodies;
  m->bodies = HK_KEEP(w, hk_model_body, m->nb);
  if (!m->bodies) return false;
  for (int32_t i = 0; i < m->nb; i++) fill_body(w, i, &m->bodies[i]);
  if (!hki_work_spins(w)) return false;
  for (int32_t i = 0; i < m->nb; i++) fill_own(w, i, &m->bodies[i]);
  // last body of each subtree, children first
  for (int32_t i = m->nb - 1; i >= 0; i--) {
    int32_t p = m->bodies[i].parent;
    if (p >= 0 && m->bodies[p].last < m->bodies[i].last) m->bodies[p].last = m->bodies[i].last;
  }
  m->length = characteristic_length(w);
  return true;
}
