/* SPDX-License-Identifier: Apache-2.0
 *
 * scene.c: frames of the animation, and the scene as JSON (layout in docs/results-format.md).
 *
 * Viewers interpolate the pose of every body linearly between two frames. A frame is recorded when
 * the error of that, over the time h since the last frame, would be visible:
 *
 *   position   h |dv| / 8 > bend_length x length of the model,  dv: change of velocity
 *   angle      h |dw| / 8 > bend_angle,                         dw: change of angular velocity
 *   rotation   h |w|      > turn_most
 *
 * at most every time/2000, so that small steps do not make large files, and at least every 1/50 s
 * or time/400. The roads are written at the end, over the stretch that wheels have covered: by
 * their own points where they are straight between them, else sampled.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"
#include "formats/mesh.h"

enum { FRAMES = 2000, FRAMES_LEAST = 400, FRAMES_MIN = 100, ROAD_SAMPLES = 3000 };
static const double frame_bytes = 64e6; /* bytes of all frames of a run, at most, about */
static const double frame_slow = 0.02;  /* seconds between frames, at most */
/* error of a picture between frames: part of the model's length, angle in rad; rad between
 * frames */
static const double bend_length = 5e-4, bend_angle = 2e-3, turn_most = 0.5;

struct hk_scene {
  hk_ctx *ctx;
  const hk_model *m;
  int32_t nloads, nforces; /* rows of three numbers: all, those of forces */
  int32_t ngroups;         /* those of groups */
  int32_t nplates;         /* those of shells and membranes */
  int32_t *load;           /* nf: index among the loads, or -1 */
  int8_t *end;             /* nf: the marker of the force that is shown */
  bool *wheel;             /* nf: rolls on a road */
  float *frame;
  double shortest, longest; /* seconds between two frames */
  double last;              /* time of the last frame */
  double *velocity;         /* nb x 6: v and w of the bodies at that time */
  int64_t frames;           /* expected number */
  double x_min, x_max;      /* stretch of road covered by wheels */
};

static bool is_wheel(const hk_model_force *f) { return f->ops->glyph == HK_GLYPH_WHEEL; }

static const void *parameter(const hk_model_force *f, const char *name, hk_ptype type) {
  return hki_scene_parameter(f->ops->params, f->par, name, type);
}

hk_scene *hki_scene_create(const hk_sim *s) {
  hk_ctx *ctx = s->ctx;
  hk_scene *scene = hki_alloc(ctx, sizeof *scene);
  if (!scene) return NULL;
  *scene = (hk_scene){.ctx = ctx, .m = s->m, .last = -INFINITY, .x_min = INFINITY};
  scene->x_max = -INFINITY;
  scene->load = hki_alloc(ctx, (size_t)(s->m->nf + 1) * sizeof *scene->load);
  scene->end = hki_alloc(ctx, (size_t)(s->m->nf + 1) * sizeof *scene->end);
  scene->wheel = hki_alloc(ctx, (size_t)(s->m->nf + 1) * sizeof *scene->wheel);
  bool ok = scene->load && scene->end && scene->wheel;
  for (int32_t i = 0; ok && i < s->m->nf; i++) {
    scene->load[i] = s->m->forces[i].ops->nmark > 0 ? scene->nforces++ : -1;
    scene->end[i] = (int8_t)s->m->forces[i].ops->arrow;
    scene->wheel[i] = is_wheel(&s->m->forces[i]);
  }
  scene->ngroups = hki_scene_group_loads(s->m);
  scene->nplates = hki_scene_plate_loads(s->m);
  scene->nloads = scene->nforces + scene->ngroups + scene->nplates + hki_scene_skin_loads(s->m);
  size_t n = 7 * (size_t)s->m->nb + 3 * (size_t)scene->nloads;
  scene->frame = hki_alloc(ctx, (n + 1) * sizeof *scene->frame);
  scene->velocity = hki_alloc(ctx, (6 * (size_t)s->m->nb + 1) * sizeof *scene->velocity);
  if (!ok || !scene->frame || !scene->velocity) {
    hki_scene_destroy(scene);
    return NULL;
  }
  double most = fmin(FRAMES, fmax(FRAMES_MIN, frame_bytes / (4.0 * (double)(n + 1))));
  scene->shortest = s->end / most;
  scene->longest = fmax(scene->shortest, fmin(frame_slow, s->end / FRAMES_LEAST));
  scene->frames = (int64_t)(s->end / fmax(s->step, scene->longest)) + 2;
  return scene;
}

void hki_scene_destroy(hk_scene *scene) {
  if (!scene) return;
  hki_free(scene->ctx, scene->load);
  hki_free(scene->ctx, scene->end);
  hki_free(scene->ctx, scene->wheel);
  hki_free(scene->ctx, scene->frame);
  hki_free(scene->ctx, scene->velocity);
  hki_free(scene->ctx, scene);
}

void hki_scene_meta(const hk_scene *scene, hk_results_meta *meta) {
  meta->nbodies = scene->m->nb;
  meta->nloads = scene->nloads;
  meta->frames = scene->frames;
}

static double change(const double *a, const double *b) {
  double d[3];
  v3_sub(d, a, b);
  return v3_dot(d, d);
}

/* true when linear interpolation over the time h since the last frame would be visibly wrong */
static bool bends(const hk_scene *scene, const hk_sim *s, double h) {
  const double f = 0.125 * h, far = bend_length * s->m->length / f;
  const double dv = far * far, dw = bend_angle * bend_angle / (f * f);
  const double w = turn_most * turn_most / (h * h);
  for (int32_t b = 0; b < s->m->nb; b++) {
    const hk_frame *F = &s->kin->frame[b];
    const double *last = scene->velocity + 6 * b;
    if (change(F->v, last) > dv || change(F->w, last + 3) > dw || v3_dot(F->w, F->w) > w)
      return true;
  }
  return false;
}

int32_t hki_scene_frame_size(const hk_scene *scene) { return 7 * scene->m->nb + 3 * scene->nloads; }

bool hki_scene_due(const hk_scene *scene, const hk_sim *s, double t) {
  // tolerate a step that ends a round-off early
  const double h = t - scene->last + 1e-6 * s->step;
  if (h < scene->shortest) return false;
  return h >= scene->longest || bends(scene, s, h);
}

static void load_frame(hk_scene *scene, const hk_sim *s, int32_t fi, float *out) {
  const hk_model_force *f = &s->m->forces[fi];
  double w[12];
  hki_kin_force_wrench(s->kin, fi, w);
  for (int32_t k = 0; k < 3; k++) out[k] = (float)w[6 * scene->end[fi] + 3 + k];
  if (scene->wheel[fi]) {
    hk_frame F;
    hki_kin_marker(s->kin, f->body[0], &f->marker[0], &F);
    scene->x_min = F.p[0] < scene->x_min ? F.p[0] : scene->x_min;
    scene->x_max = F.p[0] > scene->x_max ? F.p[0] : scene->x_max;
  }
}

/* the quaternion of R, good to single precision: the largest component from the diagonal, the
 * others from sums and differences of the off-diagonal entries */
static void turn_frame(const double *R, float *q) {
  const double t[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[0] - R[8],
                       R[8] - R[0] - R[4]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  const double a = R[7] - R[5], b = R[2] - R[6], c = R[3] - R[1];
  const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7], u = 1.0 + t[k];
  double f = 0.5 / sqrt(u), w = u, x = a, y = b, z = c;
  if (k == 1) w = a, x = u, y = xy, z = xz;
  if (k == 2) w = b, x = xy, y = u, z = yz;
  if (k == 3) w = c, x = xz, y = yz, z = u;
  if (w < 0.0) f = -f;
  q[0] = (float)(f * w), q[1] = (float)(f * x), q[2] = (float)(f * y), q[3] = (float)(f * z);
}

const float *hki_scene_frame(hk_scene *scene, const hk_sim *s, double t) {
  const hk_model *m = scene->m;
  scene->last = t;
  for (int32_t i = 0; i < m->nb; i++) {
    int32_t b = m->body_of_spec[i];
    const hk_offset *own = &m->bodies[b].own;
    const hk_frame *F = &s->kin->frame[b];
    float *out = scene->frame + 7 * i;
    double p[3], R[9];
    v3_copy(scene->velocity + 6 * b, F->v);
    v3_copy(scene->velocity + 6 * b + 3, F->w);
    m3_mulv(p, F->R, own->p);
    for (int32_t k = 0; k < 3; k++) out[k] = (float)(F->p[k] + p[k]);
    if (own->R[0] == 1.0 && own->R[4] == 1.0 && own->R[8] == 1.0) {
      turn_frame(F->R, out + 3);
    } else {
      m3_mul(R, F->R, own->R);
      turn_frame(R, out + 3);
    }
  }
  float *loads = scene->frame + 7 * m->nb;
  for (int32_t i = 0; i < m->nf; i++)
    if (scene->load[i] >= 0) load_frame(scene, s, i, loads + 3 * scene->load[i]);
  hki_scene_group_frame(s->kin, loads + 3 * scene->nforces);
  hki_scene_plate_frame(s->kin, loads + 3 * (scene->nforces + scene->ngroups));
  hki_scene_skin_frame(s->kin, loads + 3 * (scene->nforces + scene->ngroups + scene->nplates));
  return scene->frame;
}

void hki_scene_saw(hk_scene *scene, const float *frame) {
  const hk_model *m = scene->m;
  for (int32_t i = 0; i < m->nb; i++) {
    for (int32_t f = 0; f < m->nf; f++) {
      if (!scene->wheel[f] || m->forces[f].body[0] != m->body_of_spec[i]) continue;
      scene->x_min = fmin(scene->x_min, (double)frame[7 * i]);
      scene->x_max = fmax(scene->x_max, (double)frame[7 * i]);
    }
  }
}

/* --- the scene as text ------------------------------------------------------------------------ */

/* a number with nine decimals, trailing zeros left out */
void hki_scene_put(hk_text *t, double x) {
  char s[32], *end = s + sizeof s, *at = end;
  if (!(fabs(x) < 1e6)) {
    hki_text_number(t, isfinite(x) ? x : 0.0);
    return;
  }
  int64_t n = llround(fabs(x) * 1e9);
  if (n == 0) {
    hki_text_add(t, "0");
    return;
  }
  // decimals from the last to the first without trailing zeros, then the whole part
  int64_t whole = n / 1000000000, part = n % 1000000000;
  for (int32_t i = 0; i < 9; i++, part /= 10)
    if (at < end || part % 10) *--at = (char)('0' + part % 10);
  if (at < end) *--at = '.';
  do {
    *--at = (char)('0' + whole % 10);
    whole /= 10;
  } while (whole);
  if (x < 0.0 && n) *--at = '-';
  hki_text_addn(t, at, (size_t)(end - at));
}

/* the text `key` and a word or a number, without printf for speed */
static void put_word(hk_text *t, const char *key, const char *word) {
  hki_text_add(t, key);
  hki_text_add(t, word);
}

static void put_int(hk_text *t, const char *key, int32_t n) {
  hki_text_add(t, key);
  hki_text_int(t, n);
}

void hki_scene_list(hk_text *t, const double *x, int32_t n) {
  hki_text_add(t, "[");
  for (int32_t i = 0; i < n; i++) {
    hki_text_add(t, i ? "," : "");
    hki_scene_put(t, x[i]);
  }
  hki_text_add(t, "]");
}

void hki_scene_pose(hk_text *t, const hk_offset *o) {
  double x[7];
  v3_copy(x, o->p);
  quat_from_rot(x + 3, o->R);
  hki_scene_list(t, x, 7);
}

static void put_bodies(hk_text *t, const hk_model *m) {
  hki_text_add(t, "\"bodies\":[");
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[m->body_of_spec[i]];
    hk_offset world = {.p = {0, 0, 0}}, com;
    m3_identity(world.R);
    v3_copy(world.p, b->com0);
    hki_scene_local(m, i, &world, &com);
    hki_text_add(t, i ? ",\n {\"name\":" : "\n {\"name\":");
    hki_text_json(t, m->spec->bodies[i].name);
    hki_text_add(t, ",\"mass\":");
    hki_scene_put(t, m->spec->bodies[i].mass);
    hki_text_add(t, ",\"com\":");
    hki_scene_list(t, com.p, 3);
    hki_text_add(t, "}");
  }
  hki_text_add(t, "],\n");
}

/* a shape as JSON; a mesh counts its points and faces in `scene` */
static void put_shape(hk_text *t, const hk_scene_shape *shape, hk_results_scene *scene) {
  static const char *const kinds[] = {
      [HK_SHAPE_ROD] = "rod",           [HK_SHAPE_BOX] = "box",
      [HK_SHAPE_CYLINDER] = "cylinder", [HK_SHAPE_SPHERE] = "sphere",
      [HK_SHAPE_CAPSULE] = "capsule",   [HK_SHAPE_CONE] = "cone",
      [HK_SHAPE_MESH] = "mesh"};
  const hk_spec_shape *s = &shape->shape;
  put_int(t, "{\"body\":", s->body);
  put_word(t, ",\"kind\":\"", kinds[s->kind]);
  hki_text_add(t, "\",\"at\":");
  hki_scene_pose(t, &s->at);
  if (s->kind == HK_SHAPE_BOX) {
    hki_text_add(t, ",\"size\":");
    hki_scene_list(t, s->size, 3);
  } else if (s->kind == HK_SHAPE_MESH) {
    const hk_mesh *mesh = s->mesh;
    hki_text_printf(t, ",\"points\":[%d,%d],\"faces\":[%d,%d]", (int)scene->npoints,
                    mesh ? (int)mesh->npoints : 0, (int)scene->nfaces,
                    mesh ? (int)mesh->nfaces : 0);
    scene->npoints += mesh ? mesh->npoints : 0;
    scene->nfaces += mesh ? mesh->nfaces : 0;
  } else {
    hki_text_add(t, ",\"radius\":");
    hki_scene_put(t, s->radius);
    if (s->kind != HK_SHAPE_SPHERE) {
      hki_text_add(t, ",\"length\":");
      hki_scene_put(t, s->size[0]);
    }
  }
  if (s->colour) {
    hki_text_add(t, ",\"colour\":");
    hki_text_json(t, s->colour);
  }
  hki_text_add(t, shape->automatic ? ",\"automatic\":true}" : "}");
}

static void put_joints(hk_text *t, const hk_model *m) {
  hki_text_add(t, "\"joints\":[");
  for (int32_t i = 0; i < m->nj - m->spec->nhidden; i++) {
    const hk_spec_joint *j = &m->spec->joints[i];
    hki_text_add(t, i ? ",\n {\"name\":" : "\n {\"name\":");
    hki_text_json(t, j->name);
    put_word(t, ",\"type\":\"", j->ops->name);
    const bool hidden = j->made || (!j->coupling && hki_scene_is_part(m, j->body[1]));
    put_word(t, "\",\"glyph\":\"", hki_glyph_word(hidden ? HK_GLYPH_NONE : j->ops->glyph));
    put_int(t, "\",\"bodies\":[", j->body[0]);
    put_int(t, ",", j->body[1]);
    hki_text_add(t, "],\"at\":[");
    for (int32_t k = 0; k < 2; k++) {
      hk_offset o;
      hki_scene_local(m, j->body[k], &j->marker[k], &o);
      hki_text_add(t, k ? "," : "");
      hki_scene_pose(t, &o);
    }
    hki_text_add(t, "]");
    hki_scene_joint_looks(t, m, j);
    hki_scene_limits(t, m, i);
    hki_text_add(t, "}");
  }
  hki_text_add(t, "],\n");
}

/* is there a law of this name, or an input of that name which is not zero */
static bool acts(const hk_model *m, const hk_model_force *f, const char *input, const char *law) {
  const hk_spec_force *s = &m->spec->forces[f->spec];
  const hk_law *const *given = parameter(f, law, HK_P_LAW);
  const hk_param *p = hki_params_find(f->ops->params, input);
  int32_t i = p && p->type == HK_P_DYNAMIC ? p->offset : HK_NONE;
  return (given && *given) ||
         (i >= 0 && (s->u_given >> i & 1u) && (s->u_signal[i] != HK_NONE || s->u[i] != 0.0));
}

/* further members of a force for drawing: a wheel's radius; coil, dashpot or both; a disc */
static void put_force_looks(hk_text *t, const hk_model *m, const hk_model_force *f) {
  const double *radius = is_wheel(f) ? parameter(f, "radius", HK_P_REAL) : NULL;
  if (radius) {
    hki_text_add(t, ",\"radius\":");
    hki_scene_put(t, *radius);
  }
  if (f->ops->glyph == HK_GLYPH_COIL) {
    put_word(t, ",\"spring\":", acts(m, f, "stiffness", "spring") ? "true" : "false");
    put_word(t, ",\"damper\":", acts(m, f, "damping", "damper") ? "true" : "false");
  }
  if (f->ops->glyph == HK_GLYPH_DISC) hki_scene_disc(t, m, &m->spec->forces[f->spec]);
}

/* the bodies and markers of a force: its own, or those of the element on several markers that acts for it */
static void put_ends(hk_text *t, const hk_model *m, int32_t force) {
  const hk_spec_force *f = &m->spec->forces[force];
  int32_t n = f->ops->nmark;
  const int32_t *body = f->body;
  const hk_offset *marker = f->marker;
  for (int32_t i = 0; i < m->spec->nwide && f->ops->wide; i++) {
    const hk_spec_wide *e = &m->spec->wide[i];
    if (e->acts_for == force + 1) n = e->nmark, body = e->body, marker = e->marker;
  }
  hki_text_add(t, ",\"bodies\":[");
  for (int32_t k = 0; k < n; k++) put_int(t, k ? "," : "", body[k]);
  hki_text_add(t, "],\"ends\":[");
  for (int32_t k = 0; k < n; k++) {
    hk_offset o;
    hki_scene_local(m, body[k], &marker[k], &o);
    hki_text_add(t, k ? "," : "");
    hki_scene_pose(t, &o);
  }
  hki_text_add(t, "]");
}

static void put_forces(hk_text *t, const hk_scene *scene) {
  const hk_model *m = scene->m;
  hki_text_add(t, "\"forces\":[");
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_spec_force *f = &m->spec->forces[m->forces[i].spec];
    hki_text_add(t, i ? ",\n {\"name\":" : "\n {\"name\":");
    hki_text_json(t, f->name);
    put_word(t, ",\"type\":\"", f->ops->name);
    put_word(t, "\",\"glyph\":\"", hki_glyph_word(f->ops->glyph));
    hki_text_add(t, "\"");
    if (scene->load[i] >= 0) {
      put_int(t, ",\"load\":", scene->load[i]);
      put_int(t, ",\"arrow\":", scene->end[i]);
    }
    put_ends(t, m, m->forces[i].spec);
    put_force_looks(t, m, &m->forces[i]);
    hki_text_add(t, "}");
  }
  hki_text_add(t, "],\n");
}

static void put_markers(hk_text *t, const hk_model *m) {
  hki_text_add(t, "\"markers\":[");
  for (int32_t i = 0; i < m->spec->nmarkers; i++) {
    const hk_spec_marker *k = &m->spec->markers[i];
    hk_offset o;
    hki_scene_local(m, k->body, &k->at, &o);
    hki_text_add(t, i ? ",{\"name\":" : "{\"name\":");
    hki_text_json(t, k->name);
    put_int(t, ",\"body\":", k->body);
    hki_text_add(t, ",\"at\":");
    hki_scene_pose(t, &o);
    hki_text_add(t, "}");
  }
  hki_text_add(t, "],\n");
}

static void put_height(hk_text *t, const hk_road *road, double x) {
  hk_road_out out;
  hki_road_eval(road, x, 0.0, -1, &out);
  hki_scene_list(t, (double[]){x, out.z}, 2);
}

/* a road of straight pieces: its own points, both points of a vertical edge */
static void put_straight_road(hk_text *t, const hk_road *road, double from, double to) {
  const hk_table *table = road->table;
  put_height(t, road, from);
  for (int32_t i = 0; table && i < table->n; i++) {
    if (table->x[i] <= from || table->x[i] >= to) continue;
    hki_text_add(t, ",");
    hki_scene_list(t, (double[]){table->x[i], table->y[i]}, 2);
  }
  hki_text_add(t, ",");
  put_height(t, road, to);
}

/* any other road: sampled heights, without points that lie on a straight line */
static void put_curved_road(hk_text *t, const hk_road *road, double from, double width) {
  double x[3] = {0}, z[3] = {0};
  int32_t n = 0;
  for (int32_t i = 0; i <= ROAD_SAMPLES; i++) {
    hk_road_out out;
    x[2] = from + width * i / ROAD_SAMPLES;
    hki_road_eval(road, x[2], 0.0, -1, &out);
    z[2] = out.z;
    bool straight = i > 1 && fabs((z[1] - z[0]) * (x[2] - x[1]) - (z[2] - z[1]) * (x[1] - x[0])) <
                                 1e-7 * (x[2] - x[0]);
    if (i > 0 && !straight) {
      hki_text_add(t, n++ ? "," : "");
      hki_scene_list(t, (double[]){x[1], z[1]}, 2);
      x[0] = x[1], z[0] = z[1];
    }
    x[1] = x[2], z[1] = z[2];
  }
  hki_text_add(t, n ? "," : "");
  hki_scene_list(t, (double[]){x[1], z[1]}, 2);
}

static void put_road(hk_text *t, const hk_scene *scene, const hk_road *road) {
  const hk_table *table = road->table;
  double margin = 3.0 + 0.05 * (scene->x_max - scene->x_min);
  double from = scene->x_min - margin, to = scene->x_max + margin;
  bool few = !table || (table->interpolation == HK_TABLE_LINEAR && table->n < ROAD_SAMPLES);
  hki_text_add(t, "[");
  if (few && !road->expr) {
    put_straight_road(t, road, from, to);
  } else {
    put_curved_road(t, road, from, to - from);
  }
  hki_text_add(t, "]");
}

/* one profile per different road */
static void put_roads(hk_text *t, const hk_scene *scene, const hk_sim *s) {
  const hk_road *last = NULL;
  int32_t n = 0;
  hki_text_add(t, "\"roads\":[");
  for (int32_t i = 0; i < s->m->nf && n < 8 && isfinite(scene->x_min); i++) {
    const hk_road *road = parameter(&s->m->forces[i], "road", HK_P_ROAD);
    if (!is_wheel(&s->m->forces[i]) || !road) continue;
    if (last && last->expr == road->expr && last->table == road->table &&
        last->height == road->height) {
      continue;
    }
    hki_text_add(t, n++ ? ",\n " : "\n ");
    put_road(t, scene, road);
    last = road;
  }
  hki_text_add(t, "]}\n");
}

/* the points and faces of all meshes, in the order of the JSON text */
static bool gather_meshes(hk_ctx *ctx, const hk_model *m, const hk_scene_shapes *shapes,
                          hk_results_scene *out, float **points, int32_t **faces) {
  size_t np = 0, nf = 0;
  *points = hki_alloc(ctx, ((size_t)out->npoints * 3 + 1) * sizeof **points);
  *faces = hki_alloc(ctx, ((size_t)out->nfaces * 3 + 1) * sizeof **faces);
  if (!*points || !*faces) return false;
  for (int32_t i = 0; i < shapes->n; i++) {
    const hk_mesh *mesh = shapes->list[i].shape.mesh;
    if (!mesh || shapes->list[i].shape.kind != HK_SHAPE_MESH) continue;
    memcpy(*points + np, mesh->points, (size_t)mesh->npoints * 3 * sizeof **points);
    memcpy(*faces + nf, mesh->faces, (size_t)mesh->nfaces * 3 * sizeof **faces);
    np += (size_t)mesh->npoints * 3, nf += (size_t)mesh->nfaces * 3;
  }
  float *at = *points + np;
  int32_t *face = *faces + nf;
  hki_scene_cover_meshes(m, &at, &face);
  hki_scene_plate_meshes(m, &at, &face);
  hki_scene_skin_points(m, at, face);
  out->points = *points;
  out->faces = *faces;
  return true;
}

hk_status hki_scene_finish(hk_scene *scene, const hk_sim *s, hk_results *sink) {
  hk_scene_shapes shapes = {.ctx = scene->ctx};
  hk_results_scene out = {0};
  float *points = NULL;
  int32_t *faces = NULL;
  hk_text t;
  hk_status status = HK_E_MEMORY;
  hki_text_init(&t, scene->ctx);
  hki_text_add(&t, "{\"scene\":1,\"gravity\":");
  hki_scene_list(&t, s->m->spec->gravity, 3);
  hki_text_add(&t, ",\"planar\":");
  if (s->m->spec->planar) {
    hki_scene_list(&t, s->m->spec->normal, 3);
  } else {
    hki_text_add(&t, "null");
  }
  hki_text_add(&t, ",\"length\":");
  hki_scene_put(&t, s->m->length);
  hki_text_add(&t, ",\n");
  put_bodies(&t, s->m);
  if (hki_scene_shapes(&shapes, s->m)) {
    hki_text_add(&t, "\"shapes\":[");
    for (int32_t i = 0; i < shapes.n; i++) {
      hki_text_add(&t, i ? ",\n " : "\n ");
      put_shape(&t, &shapes.list[i], &out);
    }
    hki_text_add(&t, "],\n");
    put_joints(&t, s->m);
    put_forces(&t, scene);
    put_markers(&t, s->m);
    hki_scene_groups(&t, s->m, scene->nforces);
    hki_scene_covers(&t, s->m, &out);
    hki_scene_plates(&t, s->m, scene->nforces + scene->ngroups, &out);
    hki_scene_skins(&t, s->m, scene->nforces + scene->ngroups + scene->nplates, &out);
    put_roads(&t, scene, s);
    out.json = t.s;
    if (t.s && gather_meshes(scene->ctx, s->m, &shapes, &out, &points, &faces)) {
      status = hki_results_scene_put(sink, &out);
    }
  }
  hki_free(scene->ctx, points);
  hki_free(scene->ctx, faces);
  hki_free(scene->ctx, shapes.list);
  hki_text_free(&t);
  return status;
}
