/* SPDX-License-Identifier: Apache-2.0
 *
 * support_build.c: see build.h.
 */
#include "build.h"

#include "geometry/geometry.h"

enum { SIGNALS = 32, FORCES = 20100, EVENTS = 16, MARKERS = 16 };

build build_begin(int32_t bodies, int32_t joints) {
  build b = {.ctx = hk_ctx_create()};
  ck_assert_ptr_nonnull(b.ctx);
  b.spec = hki_spec_create(b.ctx);
  ck_assert_ptr_nonnull(b.spec);
  hk_spec *s = b.spec;
  s->bodies = hki_pool_alloc(s->pool, (size_t)bodies * sizeof *s->bodies);
  s->joints = hki_pool_alloc(s->pool, (size_t)joints * sizeof *s->joints);
  s->signals = hki_pool_alloc(s->pool, SIGNALS * sizeof *s->signals);
  s->forces = hki_pool_alloc(s->pool, FORCES * sizeof *s->forces);
  s->events = hki_pool_alloc(s->pool, EVENTS * sizeof *s->events);
  s->markers = hki_pool_alloc(s->pool, MARKERS * sizeof *s->markers);
  s->gravity[2] = -9.81;
  return b;
}

hk_model *build_compile(build *b) {
  hk_model *m = hki_model_compile(b->spec);
  b->spec = NULL;
  for (int32_t i = 0; !m && i < hk_ctx_message_count(b->ctx); i++)
    fprintf(stderr, "%s\n", hk_ctx_message(b->ctx, i)->text);
  ck_assert_ptr_nonnull(m);
  return m;
}

void build_refuse(build *b, const char *part) {
  ck_assert_ptr_null(hki_model_compile(b->spec));
  b->spec = NULL;
  bool found = false;
  for (int32_t i = 0; i < hk_ctx_message_count(b->ctx); i++) {
    const hk_message *m = hk_ctx_message(b->ctx, i);
    found |= m->severity == HK_ERROR && strstr(m->text, part) != NULL;
    if (!found) fprintf(stderr, "%s\n", m->text);
  }
  ck_assert_msg(found, "no error with '%s'", part);
  hk_ctx_destroy(b->ctx);
}

void build_end(build *b, hk_model *m) {
  hki_model_release(m);
  hk_ctx_destroy(b->ctx);
}

static const char *keep(build *b, const char *s) { return hki_pool_strdup(b->spec->pool, s); }

int32_t build_body(build *b, const char *name, double mass, double x, double y, double z) {
  hk_spec_body *s = &b->spec->bodies[b->spec->nbodies];
  s->name = keep(b, name);
  s->loc = (hk_loc){-1, b->spec->nbodies + 1, 1};
  s->mass = mass;
  s->has_com = true;
  v3_set(s->com, x, y, z);
  s->J[0] = s->J[4] = s->J[8] = mass / 12.0;
  return b->spec->nbodies++;
}

int32_t build_massless(build *b, const char *name) {
  int32_t i = build_body(b, name, 0.0, 0.0, 0.0, 0.0);
  b->spec->bodies[i].has_com = false;
  return i;
}

int32_t build_joint(build *b, const char *name, const char *type, int32_t first, int32_t second,
                    const double *p, const double *axis) {
  hk_spec_joint *j = &b->spec->joints[b->spec->njoints];
  double z[3] = {axis[0], axis[1], axis[2]};
  v3_normalize(z);
  j->name = keep(b, name);
  j->loc = (hk_loc){-1, 1000 + b->spec->njoints, 1};
  j->ops = hki_joint_find(type);
  ck_assert_msg(j->ops != NULL, "no joint type '%s'", type);
  j->body[0] = first;
  j->body[1] = second;
  for (int k = 0; k < 2; k++) {
    rot_from_axis(j->marker[k].R, z, 2, NULL);
    v3_copy(j->marker[k].p, p);
  }
  j->par = hki_pool_alloc(b->spec->pool, j->ops->par_size + 1);
  ck_assert_ptr_nonnull(j->par);
  joint_fill(j->ops, j->par, 0.0, 1.57079632679489661923, 0);
  for (int k = 0; k < 6; k++) j->motion[k] = j->row_signal[k] = HK_NONE;
  j->active = true;
  return b->spec->njoints++;
}

void build_number(build *b, int32_t joint, const char *key, double x) {
  joint_set(b->spec->joints[joint].ops, b->spec->joints[joint].par, key, x);
}
void build_numbers(build *b, int32_t joint, double number, double psi, uint32_t locked) {
  joint_fill(b->spec->joints[joint].ops, b->spec->joints[joint].par, number, psi, locked);
}

int32_t build_joint_at(build *b, const char *name, const char *type, int32_t first, int32_t second,
                       double x, double y, double z, int axis) {
  double a[3] = {0, 0, 0}, p[3] = {x, y, z};
  a[axis] = 1.0;
  return build_joint(b, name, type, first, second, p, a);
}

int32_t build_distance(build *b, const char *name, int32_t first, int32_t second, const double *p,
                       const double *q) {
  double d[3];
  v3_sub(d, q, p);
  int32_t j = build_joint(b, name, "distance", first, second, p, (double[]){0, 0, 1});
  v3_copy(b->spec->joints[j].marker[1].p, q);
  build_number(b, j, "length", v3_norm(d));
  return j;
}

/* names of an expression: t, signals and channels made so far */
typedef struct scope {
  build *b;
  hk_read reads[16];
  int32_t n;
} scope;

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  scope *s = user;
  hk_read r = {.kind = HK_READ_TIME, .signal = HK_NONE};
  char hint[200];
  if (strcmp(name, "t") != 0) {
    r.signal = hki_names_find(s->b->spec->signal_names, name);
    r.kind = HK_READ_SIGNAL;
    if (r.signal < 0) {
      r.kind = HK_READ_CHANNEL;
      if (!hki_channel_parse(s->b->spec, name, &r.channel, hint, sizeof hint)) return false;
    }
  }
  out->is_input = true;
  out->slot = s->n;
  s->reads[s->n++] = r;
  return true;
}

int32_t build_signal(build *b, const char *name, const char *text) {
  hk_spec *sp = b->spec;
  int32_t i = sp->nsignals++;
  hk_spec_signal *s = &sp->signals[i];
  scope sc = {.b = b};
  hk_expr_scope es = {.user = &sc, .resolve = resolve};
  hk_expr *e = NULL;
  // channels read by name need the names so far
  for (int32_t k = 0; k < sp->nbodies; k++)
    hki_names_add(sp->body_names, sp->bodies[k].name, k, NULL);
  for (int32_t k = 0; k < sp->njoints; k++)
    hki_names_add(sp->joint_names, sp->joints[k].name, k, NULL);
  ck_assert_int_eq(hki_expr_compile(b->ctx, sp->pool, text, strlen(text), HK_LOC_NONE, &es, &e),
                   HK_OK);
  s->name = keep(b, name);
  s->loc = HK_LOC_NONE;
  s->expr = e;
  s->nreads = sc.n;
  hk_read *reads = hki_pool_alloc(sp->pool, sizeof sc.reads);
  memcpy(reads, sc.reads, sizeof sc.reads);
  s->reads = reads;
  s->named = true;
  hki_names_add(sp->signal_names, name, i, NULL);
  return i;
}

int32_t build_event(build *b, const char *name, int32_t when, hk_event_action action,
                    int32_t joint) {
  hk_spec_event *e = &b->spec->events[b->spec->nevents];
  *e = (hk_spec_event){.name = keep(b, name), .loc = HK_LOC_NONE, .when = when, .action = action};
  e->joint = joint;
  e->limit = e->signal = e->force = e->value_signal = HK_NONE;
  return b->spec->nevents++;
}

static hk_spec_force *new_force(build *b, const char *name, const char *type) {
  hk_spec_force *f = &b->spec->forces[b->spec->nforces++];
  f->name = keep(b, name);
  f->loc = HK_LOC_NONE;
  f->ops = hki_element_find(type);
  ck_assert_msg(f->ops != NULL, "no element type '%s'", type);
  f->par = hki_pool_alloc(b->spec->pool, f->ops->par_size);
  f->joint = HK_NONE;
  for (int k = 0; k < HK_ELEMENT_INPUTS; k++) f->u_signal[k] = HK_NONE;
  return f;
}

int32_t build_force(build *b, const char *name, const char *type, int32_t first, int32_t second,
                    const double *p, const double *q) {
  hk_spec_force *f = new_force(b, name, type);
  f->body[0] = first;
  f->body[1] = second;
  for (int k = 0; k < 2; k++) m3_identity(f->marker[k].R);
  v3_copy(f->marker[0].p, p);
  v3_copy(f->marker[1].p, q);
  return b->spec->nforces - 1;
}

int32_t build_joint_force(build *b, const char *name, const char *type, int32_t joint,
                          int32_t coord) {
  hk_spec_force *f = new_force(b, name, type);
  f->joint = joint;
  f->coord = coord;
  return b->spec->nforces - 1;
}

int32_t build_marker(build *b, const char *name, int32_t body, double x, double y, double z) {
  hk_spec_marker *k = &b->spec->markers[b->spec->nmarkers];
  *k = (hk_spec_marker){
      .name = keep(b, name), .loc = HK_LOC_NONE, .body = body, .reference = HK_GROUND};
  m3_identity(k->at.R);
  v3_set(k->at.p, x, y, z);
  return b->spec->nmarkers++;
}
