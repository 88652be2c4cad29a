/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_bodies.c: bodies in tree order: internal frames, masses, the frames that channels report,
 * massless bodies, and the characteristic length of the mechanism.
 *
 * Spins without inertia. A body without rotational inertia may be held only at points of one line:
 * a massless rod between two balls, a point mass on a ball or on a rope. Its spin about that line
 * has no inertia, and nothing drives it. It is given a small one that couples to no other motion:
 *
 *   J = SPIN_INERTIA m l^2 u u'    u: unit vector of the line, l: distance of the points,
 *                                  m: mean mass of the bodies
 *   J = SPIN_INERTIA m (1 m)^2 1   point mass held only at its centre, or not at all
 */
#include "model/work.h"

#define SPIN_INERTIA 1e-6

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

/* mean mass of the bodies that have one, 1 if none has */
static double mean_mass(const hk_spec *s) {
  double sum = 0.0;
  int32_t n = 0;
  for (int32_t b = 0; b < s->nbodies; b++) {
    if (s->bodies[b].mass > 0.0) sum += s->bodies[b].mass, n++;
  }
  return n > 0 ? sum / n : 1.0;
}

/* free spin of a body: none, about the line p + x u, or about every axis through p */
typedef enum spin_kind { SPIN_NONE, SPIN_LINE, SPIN_POINT } spin_kind;

typedef struct spin {
  spin_kind kind;
  double p[3], u[3];
} spin;

/* the body is also held at q: a second point makes a line, a point off the line leaves no spin */
static void add_point(spin *s, const double *q) {
  double r[3], c[3];
  v3_sub(r, q, s->p);
  if (s->kind == SPIN_POINT && v3_norm(r) > 1e-9) {
    v3_copy(s->u, r);
    s->kind = SPIN_LINE;
  } else if (s->kind == SPIN_LINE) {
    v3_cross(c, r, s->u);
    if (v3_norm(c) > 1e-9 * v3_dot(s->u, s->u)) s->kind = SPIN_NONE;
  }
}

/* does the joint hold the body on this side at one point, without a moment? */
static bool holds_point(const hk_spec_joint *j, int side) {
  return (j->ops->holds & (side ? HK_HOLDS_SECOND : HK_HOLDS_FIRST)) != 0;
}

/* free spin that its joints leave to a body without rotational inertia */
static void find_spin(const hk_work *w, int32_t b, spin *out) {
  const hk_spec *s = w->spec;
  const hk_spec_body *body = &s->bodies[b];
  int32_t first = w->joint_first[b], last = w->joint_first[b + 1];
  double size = 0.0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(body->J[i]));
  out->kind = SPIN_NONE;
  if (size > 0.0 || (body->mass == 0.0 && last - first != 2)) return;
  out->kind = SPIN_POINT;
  if (body->mass > 0.0) v3_copy(out->p, body->com);
  for (int32_t i = first; i < last && out->kind != SPIN_NONE; i++) {
    const hk_spec_joint *j = &s->joints[w->joint_at[i]];
    int side = j->body[0] == b ? 0 : 1;
    if (body->mass == 0.0 && i == first) v3_copy(out->p, j->marker[side].p);
    // a massless body must not be able to translate: its point is held in all three directions
    if (!holds_point(j, side) || (body->mass == 0.0 && !(j->ops->caps & HK_JOINT_POINT)))
      out->kind = SPIN_NONE;
    else
      add_point(out, j->marker[side].p);
  }
  // a massless body held at one point has no solution; in a plane a line leaves no spin
  if (out->kind == SPIN_POINT && body->mass == 0.0) out->kind = SPIN_NONE;
  if (out->kind == SPIN_LINE && s->planar) out->kind = SPIN_NONE;
}

/* Bodies whose spin an element may drive keep it (SPIN_NONE). Only elements that pull or push at a
 * point of the line, or at the point of the spin, do not drive it. */
static void mark_turned(const hk_work *w, spin *spins) {
  const hk_spec *s = w->spec;
  for (int32_t f = 0; f < s->nforces; f++) {
    const hk_spec_force *sf = &s->forces[f];
    bool pulls = (sf->ops->caps & HK_ELEMENT_PULLS) != 0;
    for (int32_t k = 0; k < sf->ops->nmark && k < HK_ELEMENT_MARKERS; k++) {
      int32_t b = sf->body[k];
      if (b < 0 || spins[b].kind == SPIN_NONE) continue;
      spin_kind before = spins[b].kind;
      if (pulls) add_point(&spins[b], sf->marker[k].p);
      if (spins[b].kind != before || !pulls) spins[b].kind = SPIN_NONE;
    }
  }
  for (int32_t i = 0; i < s->nwide; i++)
    for (int32_t k = 0; k < s->wide[i].nmark; k++)
      if (s->wide[i].body[k] >= 0) spins[s->wide[i].body[k]].kind = SPIN_NONE;
}

/* gives a free spin its small inertia and counts it as removed; mass: mean mass of the bodies */
static void remove_spin(const hk_work *w, hk_model_body *mb, const spin *s, double mass) {
  const hk_spec_body *sb = &w->spec->bodies[mb->spec];
  bool line = s->kind == SPIN_LINE;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      mb->J[3 * i + k] = SPIN_INERTIA * mass * (line ? s->u[i] * s->u[k] : (double)(i == k));
  }
  mb->spin_removed = line || w->spec->planar ? 1 : 3;
  if (!mb->massless) return;
  hki_note(w->ctx, sb->loc,
           "massless body '%s' hangs between two spherical joints: its spin about the line through "
           "them is left out",
           sb->name);
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
  spin *spins = HK_SCRATCH(w, spin, m->nb + 1);
  if (!m->bodies || !spins) return false;
  double mass = mean_mass(w->spec);
  for (int32_t b = 0; b < m->nb; b++) find_spin(w, b, &spins[b]);
  mark_turned(w, spins);
  for (int32_t i = 0; i < m->nb; i++) {
    hk_model_body *mb = &m->bodies[i];
    fill_body(w, i, mb);
    if (spins[mb->spec].kind != SPIN_NONE) remove_spin(w, mb, &spins[mb->spec], mass);
  }
  // last body of each subtree, children first
  for (int32_t i = m->nb - 1; i >= 0; i--) {
    int32_t p = m->bodies[i].parent;
    if (p >= 0 && m->bodies[p].last < m->bodies[i].last) m->bodies[p].last = m->bodies[i].last;
  }
  m->length = characteristic_length(w);
  return true;
}
