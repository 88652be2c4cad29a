/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_spins.c: rotations that no inertia resists and nothing drives.
 *
 * A body without rotational inertia may be held only at points of one line: a massless rod between
 * two balls, a point mass on a ball or on a rope. What is done with its spin:
 *
 *   node     every joint, force and element acts at one point, and no joint of the tree leads to the
 *            body: it has no rotation at all (hk_model_body.point), and three displacements, in a
 *            plane two. Its mass, if it has any, is at that point.
 *   others   a small inertia that couples to no other motion:
 *            J = SPIN_INERTIA m l^2 u u'    u: unit vector of the line, l: distance of the points,
 *                                           m: mean mass of the bodies
 *            J = SPIN_INERTIA m (1 m)^2 1   point mass held only at its centre
 *
 * `rotation: none` asks for a node: its joints are then cut (spanning_tree.c), and what would turn the
 * body is an error. `rotation: full` keeps the small inertia. A node with mass has it too, for machines
 * that give all bodies the same coordinates; nothing ever turns it.
 */
#include "model/work.h"

#include <stdio.h>

#define SPIN_INERTIA 1e-6

/* free spin of a body: none, about the line p + x u, or about every axis through p */
typedef enum spin_kind { SPIN_NONE, SPIN_LINE, SPIN_POINT } spin_kind;

typedef struct spin {
  spin_kind kind;
  bool placed; /* p is known; else the first point at which something acts becomes p */
  bool acted;  /* something acts on it */
  double p[3], u[3];
  const char *what, *name, *why; /* what turns it: "the joint", its name, how; NULL: nothing does */
} spin;

/* mean mass of the bodies that have one, 1 if none has */
static double mean_mass(const hk_spec *s) {
  double sum = 0.0;
  int32_t n = 0;
  for (int32_t b = 0; b < s->nbodies; b++) {
    if (s->bodies[b].mass > 0.0) sum += s->bodies[b].mass, n++;
  }
  return n > 0 ? sum / n : 1.0;
}

/* the spin is gone: something resists or drives it. The first cause is kept for messages. */
static void turned(spin *s, const char *what, const char *name, const char *why) {
  if (!s->what) s->what = what, s->name = name, s->why = why;
  s->kind = SPIN_NONE;
}

/* the body is also held at q: a second point makes a line, a point off the line leaves no spin */
static void add_point(spin *s, const double *q, const char *what, const char *name) {
  static const char away[] = "acts away from its centre";
  double r[3], c[3];
  if (!s->placed) v3_copy(s->p, q);
  s->placed = s->acted = true;
  v3_sub(r, q, s->p);
  if (s->kind == SPIN_POINT && v3_norm(r) > 1e-9) {
    v3_copy(s->u, r);
    s->kind = SPIN_LINE;
    s->what = what, s->name = name, s->why = away;
  } else if (s->kind == SPIN_LINE) {
    v3_cross(c, r, s->u);
    if (v3_norm(c) > 1e-9 * v3_dot(s->u, s->u)) turned(s, what, name, away);
  }
}

/* does the joint hold the body on this side at one point, without a moment? */
static bool holds_point(const hk_work *w, int32_t j, int side) {
  const hk_spec_joint *sj = &w->spec->joints[j];
  if (sj->turn.kind != HK_TURN_NONE) return false;
  return (sj->ops->holds & (side ? HK_HOLDS_SECOND : HK_HOLDS_FIRST)) != 0;
}

/* free spin that its joints leave to a body without rotational inertia */
static void find_spin(const hk_work *w, int32_t b, spin *out) {
  const hk_spec *s = w->spec;
  const hk_spec_body *body = &s->bodies[b];
  int32_t first = w->joint_first[b], last = w->joint_first[b + 1];
  double size = 0.0;
  bool slides = false;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(body->J[i]));
  out->kind = SPIN_POINT;
  out->placed = true;
  if (body->has_com)
    v3_copy(out->p, body->com);
  else if (body->has_frame)
    v3_copy(out->p, body->frame.p);
  else
    out->placed = false;
  // the centre of a massless body between joints does not count
  if (body->mass == 0.0 && last > first) out->placed = false;
  if (size > 0.0) turned(out, NULL, NULL, NULL);
  for (int32_t i = first; i < last && out->kind != SPIN_NONE; i++) {
    const int32_t at = w->joint_at[i];
    const hk_spec_joint *j = &s->joints[at];
    int side = j->body[0] == b ? 0 : 1;
    // a massless body must not be able to translate: its points are held in all three directions
    slides = slides || (body->mass == 0.0 && !(j->ops->caps & HK_JOINT_POINT));
    if (!holds_point(w, at, side))
      turned(out, "the joint", j->name, "holds its axes");
    else
      add_point(out, j->marker[side].p, "the joint", j->name);
  }
  // a massless rod hangs between two balls; in a plane a line leaves no spin
  const bool rod = body->mass > 0.0 || (last - first == 2 && !slides);
  if (out->kind == SPIN_LINE && (s->planar || !rod)) out->kind = SPIN_NONE;
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
      if (pulls) add_point(&spins[b], sf->marker[k].p, "the force", sf->name);
      if (!pulls)
        turned(&spins[b], "the force", sf->name, "acts with a moment");
      else if (spins[b].kind != before)
        spins[b].kind = SPIN_NONE;
    }
  }
  for (int32_t i = 0; i < s->nwide; i++)
    for (int32_t k = 0; k < s->wide[i].nmark; k++) {
      const hk_spec_wide *e = &s->wide[i];
      int32_t b = e->body[k];
      if (b < 0 || spins[b].kind == SPIN_NONE) continue;
      spin_kind before = spins[b].kind;
      const bool pulls = e->ops->pulls || (e->ops->pulls_at && e->ops->pulls_at(e->par, k));
      if (pulls) add_point(&spins[b], e->marker[k].p, "the element", e->name);
      if (!pulls)
        turned(&spins[b], "the element", e->name, "acts with a moment");
      else if (spins[b].kind != before)
        spins[b].kind = SPIN_NONE;
    }
}

/* bodies whose orientation or angular velocity the file gives, or whose joints events lock */
static void mark_given(const hk_work *w, spin *spins) {
  const hk_spec *s = w->spec;
  for (int32_t i = 0; i < s->nstarts; i++) {
    const int32_t b = s->starts[i].body;
    if (b >= 0 && (s->starts[i].given & (HK_START_ORIENTATION | HK_START_ANGULAR_VELOCITY)))
      spins[b].what = spins[b].what ? spins[b].what : "the start of",
      spins[b].name = s->bodies[b].name,
      spins[b].why = "gives it an orientation or an angular velocity";
  }
  for (int32_t j = 0; j < s->njoints; j++)
    for (int k = 0; k < 2 && w->joints[j].nfix; k++) {
      const int32_t b = s->joints[j].body[k];
      if (b >= 0 && !spins[b].what)
        spins[b].what = "the joint", spins[b].name = s->joints[j].name,
        spins[b].why = "is fixed by an event";
    }
}

/* is the body a node without rotation? */
static bool is_node(const hk_work *w, int32_t b, const spin *s) {
  const hk_spec_body *sb = &w->spec->bodies[b];
  if (s->kind != SPIN_POINT || s->what || w->via[b] >= 0 || sb->rotation == HK_ROTATION_FULL)
    return false;
  if (sb->rotation == HK_ROTATION_NONE) return true;
  // a body that is drawn in a turning frame turns with it at the start; a massless one must be held
  return v3_dot(sb->carried, sb->carried) == 0.0 && (sb->mass > 0.0 || s->acted);
}

/* the body asks for no rotation, and has one: says why */
static bool refuse(const hk_work *w, const hk_spec_body *sb, const spin *s) {
  char who[300] = "it has a moment of inertia";
  if (s->what) snprintf(who, sizeof who, "%s '%s' %s", s->what, s->name ? s->name : "", s->why);
  hki_error(w->ctx, HK_E_MODEL, sb->loc,
            "leave out 'rotation: none', or let joints and forces act at its centre of mass alone",
            "body '%s' cannot be without rotation: %s", sb->name, who);
  return false;
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

bool hki_work_spins(hk_work *w) {
  hk_model *m = w->m;
  spin *spins = HK_SCRATCH(w, spin, m->nb + 1);
  if (!spins) return false;
  const double mass = mean_mass(w->spec);
  bool ok = true;
  for (int32_t b = 0; b < m->nb; b++) find_spin(w, b, &spins[b]);
  mark_turned(w, spins);
  mark_given(w, spins);
  for (int32_t i = 0; i < m->nb; i++) {
    hk_model_body *mb = &m->bodies[i];
    const hk_spec_body *sb = &w->spec->bodies[mb->spec];
    const spin *s = &spins[mb->spec];
    mb->point = is_node(w, mb->spec, s);
    if (sb->rotation == HK_ROTATION_NONE && !mb->point) ok = refuse(w, sb, s);
    if (mb->point && s->placed) v3_copy(mb->com0, s->p);
    // a massless body that is held at one point, and no node, has no solution
    if (s->kind == SPIN_NONE || (mb->massless && (mb->point || s->kind == SPIN_POINT))) continue;
    remove_spin(w, mb, s, mass);
    if (mb->point) mb->spin_removed = 0;
  }
  return ok;
}
