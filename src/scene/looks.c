/* SPDX-License-Identifier: Apache-2.0
 *
 * looks.c: what a viewer needs to draw couplings, outlines, stops and discs of brakes. All of it follows from
 * the tables of types (glyphs, parameters), the rows of couplings and the drawing position.
 *
 * Wheels in mesh. A row c1 s1 + c2 s2 over two angles whose axes are parallel, at a distance d, is that of
 * pitch circles that roll on each other, with q = |c2/c1| = r2/r1:
 *
 *   they turn against each other    r1 + r2   = d        r1 = d/(1 + q)
 *   the same way                    |r1 - r2| = d        r1 = d/|1 - q|, the larger has its teeth inside
 *
 * Axes that are not parallel, or in line, have no such circles: small wheels of the same ratio are
 * their sign.
 *
 * A bar along the direction e, on a wheel of radius r that turns about a: s2 = r s1, so that the velocity
 * r s1' e of the bar is a x o s1' at the point o = r e x a of the rim.
 */
#include <math.h>

#include "geometry/curve.h"
#include "scene/scene.h"

enum { TEETH_LEAST = 8, TEETH_MOST = 400, CURVE_POINTS = 400 };
static const double sign_size =
    0.06; /* radius of a wheel that is a sign, part of the model's length */

/* a wheel or a bar: fixed in a body, in the world at the drawing position; z is its axis */
typedef struct part {
  int32_t body;
  hk_offset at;
  double radius; /* negative: turns against the others of its strap */
  int32_t teeth; /* 0: smooth */
  bool inside;   /* teeth on the inside */
} part;

const void *hki_scene_parameter(const hk_param *params, const void *par, const char *name,
                                hk_ptype type) {
  const hk_param *p = hki_params_find(params, name);
  return p && p->type == type && p->offset >= 0 ? (const char *)par + p->offset : NULL;
}

/* The axis of a scalar coordinate at the drawing position: its gradient by the motion of the second body.
 * Returns whether there is one; *turns: an angle. */
static bool axis_of(const hk_spec_joint *j, int32_t k, double *axis, bool *turns) {
  hk_frame F[2] = {0};
  hk_joint_coord c;
  if (k < 0 || k >= j->ops->ns || !j->ops->coord) return false;
  for (int i = 0; i < 2; i++) {
    v3_copy(F[i].p, j->marker[i].p);
    for (int n = 0; n < 9; n++) F[i].R[n] = j->marker[i].R[n];
  }
  j->ops->coord(j->par, k, &F[0], &F[1], 0.0, &c);
  *turns = v3_dot(c.gB, c.gB) > 0.25;
  v3_copy(axis, *turns ? c.gB : c.gB + 3);
  return v3_normalize(axis) > 0.1;
}

/* has something that can be seen: couplings that give way, and rotors of joints, have parts that have not */
static bool is_seen(const hk_model *m, int32_t body) {
  if (body < 0) return false;
  bool seen = m->spec->bodies[body].mass > 0.0;
  for (int32_t i = 0; !seen && i < m->spec->nshapes; i++) seen = m->spec->shapes[i].body == body;
  return seen;
}

bool hki_scene_is_part(const hk_model *m, int32_t body) {
  const hk_spec *spec = m->spec;
  int32_t joint = -1;
  bool coupled = false;
  if (body < 0 || is_seen(m, body)) return false;
  for (int32_t i = 0; i < spec->njoints; i++) {
    const hk_spec_joint *j = &spec->joints[i];
    if (j->coupling || (j->body[0] != body && j->body[1] != body)) continue;
    if (joint >= 0 || j->body[0] != HK_GROUND) return false;
    joint = i;
  }
  for (int32_t i = 0; joint >= 0 && i < spec->njoints; i++) {
    const hk_spec_coupling *c = spec->joints[i].coupling;
    for (int32_t k = 0; c && k < c->n; k++) coupled = coupled || c->arg[k].joint == joint;
  }
  return coupled;
}

/* the part that coordinate k of a coupling moves, its z along the positive direction */
static bool part_of(const hk_model *m, const hk_spec_coupling *c, int32_t k, bool turns,
                    part *out) {
  const hk_spec_joint *j = &m->spec->joints[c->arg[k].joint];
  const int end = is_seen(m, j->body[1]) ? 1 : 0;
  double axis[3];
  bool angle;
  if (!is_seen(m, j->body[end]) || !axis_of(j, c->arg[k].coord, axis, &angle) || angle != turns)
    return false;
  // the coordinate is the motion of the second body against the first
  if (end == 0) v3_scale(axis, -1.0, axis);
  *out = (part){.body = j->body[end]};
  v3_copy(out->at.p, j->marker[end].p);
  rot_from_axis(out->at.R, axis, 2, NULL);
  return true;
}

static void axis_in(const part *w, double *z) {
  for (int i = 0; i < 3; i++) z[i] = w->at.R[3 * i + 2];
}

/* +1 or -1: parallel, or opposite; 0: neither */
static int along(const part *a, const part *b) {
  double za[3], zb[3];
  axis_in(a, za);
  axis_in(b, zb);
  const double c = v3_dot(za, zb);
  return fabs(c) < 1.0 - 1e-6 ? 0 : c > 0.0 ? 1 : -1;
}

/* moves b along the axis of a into the plane of a; returns the distance of both axes */
static double align(const part *a, part *b) {
  double d[3], z[3];
  axis_in(a, z);
  v3_sub(d, b->at.p, a->at.p);
  const double off = v3_dot(d, z);
  v3_axpy(b->at.p, -off, z);
  v3_axpy(d, -off, z);
  return v3_norm(d);
}

/* numbers of teeth: those given, or small ones of nearly the same ratio q = z2/z1 */
static void count_teeth(const hk_reals *given, double q, part *w) {
  double best = INFINITY;
  const double *z = given && given->n == 2 ? given->x : NULL;
  if (z && z[0] == floor(z[0]) && z[1] == floor(z[1]) && fmin(z[0], z[1]) >= TEETH_LEAST &&
      fmax(z[0], z[1]) <= TEETH_MOST) {
    w[0].teeth = (int32_t)z[0], w[1].teeth = (int32_t)z[1];
    return;
  }
  const double f = fmax(q, 1.0 / q);
  for (int32_t n = 2 * TEETH_LEAST; n <= 5 * TEETH_LEAST && n * f <= TEETH_MOST; n++) {
    const double wrong = fabs(n * f - round(n * f)) / n;
    if (wrong > best - 1e-4) continue;
    best = wrong;
    w[q > 1.0 ? 0 : 1].teeth = n, w[q > 1.0 ? 1 : 0].teeth = (int32_t)round(n * f);
  }
}

/* two wheels in mesh; returns how many there are to draw */
static int32_t mesh(const hk_model *m, const hk_spec_joint *j, part *w) {
  const hk_spec_coupling *c = j->coupling;
  if (c->n < 2 || !part_of(m, c, 0, true, &w[0]) || !part_of(m, c, 1, true, &w[1])) return 0;
  const double f = c->c[1] / c->c[0], q = fabs(f);
  const int way = along(&w[0], &w[1]);
  const bool against = f * way > 0.0;
  if (!(q > 1e-6 && q < 1e6)) return 0;
  double d = way ? align(&w[0], &w[1]) : 0.0, sum = against ? 1.0 + q : fabs(1.0 - q);
  const bool circles = d > 1e-6 * m->length && sum > 0.02;
  w[0].radius = circles ? d / sum : sign_size * m->length / fmax(1.0, q);
  w[1].radius = q * w[0].radius;
  w[q > 1.0 ? 1 : 0].inside = circles && !against;
  count_teeth(hki_scene_parameter(j->ops->params, j->par, "teeth", HK_P_REALS), q, w);
  return 2;
}

/* wheels on one strap, of the radii given */
static int32_t strap(const hk_model *m, const hk_spec_joint *j, part *w) {
  const hk_spec_coupling *c = j->coupling;
  const hk_reals *r = hki_scene_parameter(j->ops->params, j->par, "radii", HK_P_REALS);
  if (!r || r->n > c->n) return 0;
  for (int32_t k = 0; k < r->n; k++) {
    if (!part_of(m, c, k, true, &w[k])) return 0;
    w[k].radius = fabs(r->x[0]);
    if (k == 0) continue;
    const int way = along(&w[0], &w[k]);
    // a row for each further wheel: c1 s1 + ck sk = 0
    const double *row = c->c + (k - 1) * c->n;
    if (way) align(&w[0], &w[k]);
    w[k].radius *= -row[k] / row[0] * (way ? way : 1);
  }
  return r->n;
}

/* a wheel on a bar; returns the number of wheels, *has_bar: there is one */
static int32_t wheel_and_bar(const hk_model *m, const hk_spec_joint *j, part *w, part *bar,
                             bool *has_bar) {
  const hk_spec_coupling *c = j->coupling;
  double a[3], e[3], o[3];
  if (c->n < 2 || !part_of(m, c, 0, true, &w[0])) return 0;
  const double r = -c->c[0] / c->c[1];
  w[0].radius = fabs(r);
  w[0].teeth = 20;
  if (!part_of(m, c, 1, false, bar)) return 1;
  axis_in(&w[0], a);
  axis_in(bar, e);
  *has_bar = fabs(v3_dot(a, e)) < 1e-6;
  v3_cross(o, e, a);
  for (int i = 0; i < 3; i++) bar->at.p[i] = w[0].at.p[i] + r * o[i];
  // x points to the wheel
  if (r > 0.0) v3_scale(o, -1.0, o);
  v3_cross(a, e, o);
  for (int i = 0; i < 3; i++) bar->at.R[3 * i] = o[i], bar->at.R[3 * i + 1] = a[i];
  return 1;
}

/* places on the second bodies of the joints that a coupling relates; returns their number */
static int32_t linked(const hk_model *m, const hk_spec_joint *j, part *w) {
  const hk_model_joint *mj = &m->joints[j - m->spec->joints];
  int32_t n = 0;
  for (int32_t c = mj->closure; c >= 0 && c < mj->closure + hki_joint_closures(m, mj); c++) {
    const hk_coupling *row = m->closures[c].coupling;
    for (int32_t a = 0; row && a < row->n && n < HK_COUPLED; a++) {
      const int32_t of = m->scalars[row->arg[a].scalar].joint;
      const hk_spec_joint *to = &m->spec->joints[of];
      bool known = hki_scene_is_part(m, to->body[1]);
      part one = {.body = to->body[1], .at = to->marker[1]};
      for (int32_t k = 0; k < n; k++)
        known = known || (w[k].body == one.body && w[k].at.p[0] == one.at.p[0] &&
                          w[k].at.p[1] == one.at.p[1] && w[k].at.p[2] == one.at.p[2]);
      if (!known) w[n++] = one;
    }
  }
  return n;
}

static void put_part(hk_text *t, const hk_model *m, const part *w) {
  hk_offset o;
  hki_scene_local(m, w->body, &w->at, &o);
  hki_text_add(t, "{\"body\":");
  hki_text_int(t, w->body);
  hki_text_add(t, ",\"at\":");
  hki_scene_pose(t, &o);
  if (w->radius != 0.0) {
    hki_text_add(t, ",\"radius\":");
    hki_scene_put(t, w->radius);
    hki_text_add(t, ",\"teeth\":");
    hki_text_int(t, w->teeth);
    hki_text_add(t, w->inside ? ",\"inside\":true" : "");
  }
  hki_text_add(t, "}");
}

/* points of a curve, at most CURVE_POINTS or one a piece */
static void put_outline(hk_text *t, const hk_spec_joint *j) {
  const hk_curve *const *curve = hki_scene_parameter(j->ops->params, j->par, "curve", HK_P_CURVE);
  const double *radius = hki_scene_parameter(j->ops->params, j->par, "radius", HK_P_REAL);
  const bool *inside = hki_scene_parameter(j->ops->params, j->par, "inside", HK_P_BOOL);
  const double *face = hki_scene_parameter(j->ops->params, j->par, "angle", HK_P_REAL);
  if (!curve || !*curve) return;
  const int32_t each = CURVE_POINTS / (*curve)->n > 1 ? CURVE_POINTS / (*curve)->n : 1;
  hki_text_add(t, ",\"outline\":[");
  const int32_t last = (*curve)->n * each, count = last + ((*curve)->open ? 1 : 0);
  for (int32_t i = 0; i < count; i++) {
    hk_curve_point p;
    const int32_t k = i < last ? i / each : (*curve)->n - 1;
    const double along_it = i < last ? (double)(i % each) / each : 1.0;
    curve_point(*curve, k, (*curve)->piece[k].length * along_it, &p);
    hki_text_add(t, i ? "," : "");
    hki_scene_list(t, (double[]){p.x[0], p.y[0]}, 2);
  }
  hki_text_add(t, "],\"radius\":");
  hki_scene_put(t, radius ? *radius : 0.0);
  hki_text_add(t, inside && *inside ? ",\"inside\":true" : "");
  hki_text_add(t, (*curve)->open ? ",\"open\":true" : "");
  if (!face) return;
  hki_text_add(t, ",\"face\":");
  hki_scene_put(t, *face);
}

void hki_scene_joint_looks(hk_text *t, const hk_model *m, const hk_spec_joint *j) {
  part w[HK_COUPLED], bar;
  int32_t n = 0;
  bool has_bar = false;
  if (j->ops->glyph == HK_GLYPH_OUTLINE) put_outline(t, j);
  if (!j->coupling || j->coupling->nrows < 1 || j->made) return;
  if (j->ops->glyph == HK_GLYPH_TEETH) n = mesh(m, j, w);
  if (j->ops->glyph == HK_GLYPH_STRAP) n = strap(m, j, w);
  if (j->ops->glyph == HK_GLYPH_BAR) n = wheel_and_bar(m, j, w, &bar, &has_bar);
  if (j->ops->glyph == HK_GLYPH_LINK) {
    const int32_t places = linked(m, j, w);
    hki_text_add(t, ",\"links\":[");
    for (int32_t k = 0; k < places; k++) {
      hki_text_add(t, k ? "," : "");
      put_part(t, m, &w[k]);
    }
    hki_text_add(t, "]");
  }
  hki_text_add(t, ",\"wheels\":[");
  for (int32_t k = 0; k < n; k++) {
    hki_text_add(t, k ? "," : "");
    put_part(t, m, &w[k]);
  }
  hki_text_add(t, "]");
  if (!has_bar) return;
  hki_text_add(t, ",\"bar\":");
  put_part(t, m, &bar);
}

/* `turns` and the axis of a coordinate, in the axes of the joint's first place */
static void put_axis(hk_text *t, const hk_spec_joint *j, const double *axis, bool turns) {
  double local[3];
  m3_tmulv(local, j->marker[0].R, axis);
  hki_text_add(t, turns ? "\"turns\":true,\"axis\":" : "\"turns\":false,\"axis\":");
  hki_scene_list(t, local, 3);
}

void hki_scene_limits(hk_text *t, const hk_model *m, int32_t joint) {
  const hk_spec_joint *j = &m->spec->joints[joint];
  int32_t n = 0;
  for (int32_t i = 0; i < m->spec->nlimits; i++) {
    const hk_spec_limit *l = &m->spec->limits[i];
    const bool open = !isfinite(l->range[0]) && !isfinite(l->range[1]);
    double axis[3];
    bool turns;
    // a joint that is drawn apart has no fixed direction
    if (l->joint != joint || open || j->ops->place == HK_PLACE_ENDS ||
        !axis_of(j, l->coord, axis, &turns) || !(is_seen(m, j->body[0]) || is_seen(m, j->body[1])))
      continue;
    hki_text_add(t, n++ ? ",{" : ",\"limits\":[{");
    put_axis(t, j, axis, turns);
    hki_text_add(t, ",\"range\":[");
    for (int k = 0; k < 2; k++) {
      hki_text_add(t, k ? "," : "");
      if (isfinite(l->range[k])) {
        hki_scene_put(t, l->range[k] - j->zero[l->coord]);
      } else {
        hki_text_add(t, "null");
      }
    }
    hki_text_add(t, "]}");
  }
  hki_text_add(t, n ? "]" : "");
}

void hki_scene_disc(hk_text *t, const hk_model *m, const hk_spec_force *f) {
  const hk_spec_joint *j = &m->spec->joints[f->joint];
  const double *radius = hki_scene_parameter(f->ops->params, f->par, "radius", HK_P_REAL);
  double axis[3];
  bool turns;
  if (!axis_of(j, f->coord, axis, &turns)) return;
  hki_text_add(t, ",\"joint\":");
  hki_text_int(t, f->joint);
  hki_text_add(t, ",");
  put_axis(t, j, axis, turns);
  if (turns && radius) {
    hki_text_add(t, ",\"radius\":");
    hki_scene_put(t, *radius);
  }
}
