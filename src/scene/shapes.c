/* SPDX-License-Identifier: Apache-2.0
 *
 * shapes.c: the shapes of bodies. A body that was given none gets
 *   two joints    a rod between them
 *   more joints   a star of rods from the centre of mass to them
 *   one joint     a rod from it to the centre of mass, with a ball there
 *   no joint      the homogeneous box of the same mass and principal moments: along the first
 *                 axis edge^2 = 6 (J2 + J3 - J1)/m, and so on
 * and a node of a beam or a cable none: these are drawn as one (groups.c).
 */
#include <math.h>
#include <string.h>

#include "scene/scene.h"

enum { MOST_POINTS = 12 };

/* the own frame of a spec body at the drawing position */
static void own_frame(const hk_model *m, int32_t body, hk_offset *own) {
  if (body < 0) {
    memset(own, 0, sizeof *own);
    m3_identity(own->R);
    return;
  }
  const hk_model_body *b = &m->bodies[m->body_of_spec[body]];
  *own = b->own;
  v3_add(own->p, b->com0, b->own.p);
}

void hki_scene_local(const hk_model *m, int32_t body, const hk_offset *world, hk_offset *local) {
  hk_offset own;
  double d[3];
  own_frame(m, body, &own);
  v3_sub(d, world->p, own.p);
  m3_tmulv(local->p, own.R, d);
  m3_tmul(local->R, own.R, world->R);
}

static bool add(hk_scene_shapes *out, const hk_spec_shape *shape, bool automatic) {
  if (!HK_GROW(out->ctx, out->list, out->cap, out->n + 1)) return false;
  out->list[out->n++] = (hk_scene_shape){*shape, automatic};
  return true;
}

/* --- places on a body ------------------------------------------------------------------------- */

typedef struct places {
  int32_t n;
  double p[MOST_POINTS][3];
  double com[3];
  double near; /* places closer than this count as one, m */
} places;

static void add_place(places *at, const double *p) {
  double d[3];
  for (int32_t i = 0; i < at->n; i++) {
    v3_sub(d, p, at->p[i]);
    if (v3_norm(d) < at->near) return;
  }
  if (at->n < MOST_POINTS) v3_copy(at->p[at->n++], p);
}

static void find_places(const hk_model *m, int32_t body, bool forces, places *at) {
  const hk_spec *spec = m->spec;
  hk_offset o;
  for (int32_t i = 0; !forces && i < spec->njoints - spec->nhidden; i++) {
    for (int32_t k = 0; k < 2; k++) {
      if (spec->joints[i].body[k] != body || (spec->joints[i].ops->caps & HK_JOINT_UNBOUND))
        continue;
      hki_scene_local(m, body, &spec->joints[i].marker[k], &o);
      add_place(at, o.p);
    }
  }
  for (int32_t i = 0; forces && i < spec->nforces; i++) {
    for (int32_t k = 0; k < spec->forces[i].ops->nmark && k < 2; k++) {
      if (spec->forces[i].body[k] != body) continue;
      hki_scene_local(m, body, &spec->forces[i].marker[k], &o);
      add_place(at, o.p);
    }
  }
}

/* --- the shapes ------------------------------------------------------------------------------- */

static bool add_rod(hk_scene_shapes *out, int32_t body, const double *a, const double *b,
                    double radius) {
  hk_spec_shape s = {.kind = HK_SHAPE_ROD, .body = body, .radius = radius};
  double axis[3];
  v3_sub(axis, b, a);
  s.size[0] = v3_normalize(axis);
  v3_copy(s.at.p, a);
  rot_from_axis(s.at.R, axis, 2, NULL);
  return add(out, &s, true);
}

static bool add_ball(hk_scene_shapes *out, int32_t body, const double *at, double radius) {
  hk_spec_shape s = {.kind = HK_SHAPE_SPHERE, .body = body, .radius = radius};
  v3_copy(s.at.p, at);
  m3_identity(s.at.R);
  return add(out, &s, true);
}

/* the homogeneous box with the body's mass and moments; a ball when it has no size */
static bool add_box(hk_scene_shapes *out, const hk_model *m, int32_t body, const double *com,
                    double size) {
  const hk_spec_body *b = &m->spec->bodies[body];
  hk_spec_shape s = {.kind = HK_SHAPE_BOX, .body = body};
  hk_offset world;
  double A[9], largest = 0.0;
  memcpy(A, b->J, sizeof A);
  m3_eigen_symmetric(A, world.R);
  for (int i = 0; b->mass > 0.0 && i < 3; i++) {
    double e2 = 6.0 * (A[0] + A[4] + A[8] - 2.0 * A[4 * i]) / b->mass;
    s.size[i] = e2 > 0.0 ? sqrt(e2) : 0.0;
    if (s.size[i] > largest) largest = s.size[i];
  }
  if (!(largest > 0.0) || !isfinite(largest)) return add_ball(out, body, com, 0.05 * size);
  // a smallest edge, so that a plate or a needle is visible
  for (int i = 0; i < 3; i++)
    if (s.size[i] < 0.02 * largest) s.size[i] = 0.02 * largest;
  v3_copy(world.p, b->com);
  hki_scene_local(m, body, &world, &s.at);
  v3_copy(s.at.p, com);
  return add(out, &s, true);
}

static bool automatic(hk_scene_shapes *out, const hk_model *m, int32_t body) {
  const hk_spec_body *b = &m->spec->bodies[body];
  if (hki_scene_is_part(m, body)) return true;
  double size = m->length > 0.0 ? m->length : 1.0, radius = 0.015 * size;
  places at = {.near = 1e-6 * size};
  hk_offset world = {.p = {0, 0, 0}}, com;
  m3_identity(world.R);
  v3_copy(world.p, m->bodies[m->body_of_spec[body]].com0);
  hki_scene_local(m, body, &world, &com);
  find_places(m, body, false, &at);
  if (at.n < 2) find_places(m, body, true, &at);
  if (at.n == 0) return add_box(out, m, body, com.p, size);
  if (at.n == 2) return add_rod(out, body, at.p[0], at.p[1], radius);
  // a star about the centre of mass, or about the mean of the places
  double centre[3] = {0, 0, 0}, d[3];
  for (int32_t i = 0; i < at.n; i++) v3_axpy(centre, 1.0 / at.n, at.p[i]);
  if (b->mass > 0.0) v3_copy(centre, com.p);
  bool ok = b->mass > 0.0 ? add_ball(out, body, centre, 2.0 * radius) : true, rods = false;
  for (int32_t i = 0; ok && i < at.n; i++) {
    v3_sub(d, at.p[i], centre);
    if (v3_norm(d) < at.near) continue;
    ok = add_rod(out, body, centre, at.p[i], radius), rods = true;
  }
  return ok && (rods || add_box(out, m, body, com.p, size));
}

bool hki_scene_shapes(hk_scene_shapes *out, const hk_model *m) {
  const hk_spec *spec = m->spec;
  uint8_t *has = hki_alloc(out->ctx, (size_t)spec->nbodies + 1);
  bool ok = has != NULL;
  for (int32_t i = 0; ok && i < spec->nshapes; i++) {
    hk_spec_shape s = spec->shapes[i];
    if (s.body >= 0) has[s.body] = 1;
    hki_scene_local(m, s.body, &spec->shapes[i].at, &s.at);
    ok = add(out, &s, false);
  }
  for (int32_t b = 0; ok && b < spec->nbodies; b++)
    if (!has[b] && !hki_scene_in_group(m, b) && !hki_scene_in_skin(m, b)) ok = automatic(out, m, b);
  hki_free(out->ctx, has);
  return ok;
}
