/* SPDX-License-Identifier: Apache-2.0
 *
 * hash.c: content hash of a model, over the keys and values of its main file and the numbers and texts
 * that determine its motion. No addresses enter: the same file with the same parameters has the same
 * hash in every run, and so has a model that a program builds with the same keys and values.
 */
#include "elements/law_many.h"
#include "geometry/curve.h"
#include "model/work.h"

static void add(uint64_t *h, const void *data, size_t n) { *h = hki_hash(data, n, *h); }
static void add_text(uint64_t *h, const char *s) {
  if (s) add(h, s, strlen(s) + 1);
}
static void add_int(uint64_t *h, int64_t i) { add(h, &i, sizeof i); }
static void add_real(uint64_t *h, double x) {
  x += 0.0; /* minus zero is zero */
  add(h, &x, sizeof x);
}
static void add_reals(uint64_t *h, const double *x, int32_t n) {
  for (int32_t i = 0; i < n; i++) add_real(h, x[i]);
}
static void add_offset(uint64_t *h, const hk_offset *o) {
  add_reals(h, o->R, 9);
  add_reals(h, o->p, 3);
}
static void add_table(uint64_t *h, const hk_table *t) {
  if (!t) return;
  add_int(h, t->interpolation);
  add_int(h, t->extrapolation);
  add_reals(h, t->x, t->n);
  add_reals(h, t->y, t->n);
  if (t->interpolation != HK_TABLE_SPLINE) return;
  add_int(h, t->rows.ends);
  add_reals(h, t->rows.end, 2);
  add_int(h, (t->rows.yd != NULL) + 2 * (t->rows.ydd != NULL));
  if (t->rows.yd) add_reals(h, t->rows.yd, t->n);
  if (t->rows.ydd) add_reals(h, t->rows.ydd, t->n);
}
static void add_expr(uint64_t *h, const hk_expr *e) {
  double value;
  if (!e) return;
  if (hki_expr_is_constant(e, &value))
    add_real(h, value);
  else
    add_text(h, hki_expr_source(e));
}

static void add_linear(uint64_t *h, const hk_linear *l) {
  add_int(h, l->nx), add_int(h, l->nu), add_int(h, l->ny);
  add_reals(h, l->A, l->nx * l->nx);
  add_reals(h, l->B, l->nx * l->nu);
  add_reals(h, l->C, l->ny * l->nx);
  add_reals(h, l->D, l->ny * l->nu);
  add_reals(h, l->start, l->nx);
}

static void add_pid(uint64_t *h, const hk_pid *c) {
  const double x[] = {c->kp,   c->ki,       c->kd,       c->weight[0], c->weight[1],
                      c->time, c->limit[0], c->limit[1], c->windup,    c->start};
  add_reals(h, x, HK_ARRAY_LEN(x));
  add_int(h, c->rate);
  add_int(h, c->anti_windup);
}

static void add_machine(uint64_t *h, const hk_machine *c) {
  add_int(h, c->first);
  for (int32_t i = 0; i < c->ntransitions; i++) {
    const hk_transition *x = &c->transitions[i];
    add_int(h, x->from), add_int(h, x->to), add_int(h, x->operand), add_real(h, x->after);
  }
  for (int32_t i = 0; i < c->nactions; i++) {
    const hk_action *a = &c->actions[i];
    add_int(h, a->state), add_int(h, a->variable), add_int(h, a->operand), add_int(h, a->leaving);
  }
  add_reals(h, c->variables, c->nvariables);
}

static void add_param(uint64_t *h, const hk_param *p, const unsigned char *par);

static void add_memory(uint64_t *h, const hk_memory *m) {
  if (!m) return;
  const double x[] = {m->period, m->phase, m->start, m->time};
  add_int(h, m->fn);
  add_reals(h, x, HK_ARRAY_LEN(x));
  add_reals(h, m->a.x, m->a.n);
  add_reals(h, m->b.x, m->b.n);
  if (m->fn == HK_MEMORY_PORT) add_int(h, m->port), add_int(h, m->since);
  if (m->fn == HK_MEMORY_INPUT) add_int(h, m->linear_on);
  if (m->fn == HK_MEMORY_RATE_LIMIT) add_reals(h, m->limit, 2);
  if (m->linear) add_linear(h, m->linear);
  if (m->pid) add_pid(h, m->pid);
  if (m->machine) add_machine(h, m->machine);
  if (m->own) {
    add_text(h, m->own->name);
    for (const hk_param *p = m->own->params; p->type != HK_P_END; p++) add_param(h, p, m->par);
  }
}
static void add_surface(uint64_t *h, const hk_surface *s) {
  if (!s) return;
  add_int(h, s->rows.interpolation);
  add_int(h, s->rows.extrapolation);
  for (int k = 0; k < 2; k++) add_reals(h, s->rows.at[k], s->rows.n[k]);
  add_reals(h, s->rows.z, s->rows.n[0] * s->rows.n[1]);
}

static void add_friction(uint64_t *h, const hk_friction *f) {
  if (!f) return;
  const double x[] = {f->mu,     f->mu_static, f->speed,  f->exponent,
                      f->sigma0, f->sigma1,    f->sigma2, f->elastic};
  add_int(h, f->kind);
  add_reals(h, x, HK_ARRAY_LEN(x));
}

/* laws nest through pieces and the law beside branches; the model reader allows fewer levels than are
 * followed here */
static void add_many(uint64_t *h, const hk_law_many *m, int32_t depth);
static void add_law(uint64_t *h, const hk_law *law, int32_t depth) {
  if (!law || depth > 8) return;
  add_int(h, law->kind);
  add_table(h, law->table);
  add_expr(h, law->expr);
  if (law->c) add_reals(h, law->c, law->n);
  add_friction(h, law->friction);
  if (law->form) add_text(h, law->form->key);
  if (law->many) add_many(h, law->many, depth + 1);
  add_law(h, law->inner, depth + 1);
  if (law->ops) {
    add_text(h, law->ops->name);
    for (const hk_param *p = law->ops->params; p->type != HK_P_END; p++) add_param(h, p, law->par);
  }
  for (int32_t i = 0; law->piece && i < law->n; i++) {
    add_real(h, law->piece[i].below);
    add_law(h, law->piece[i].law, depth + 1);
  }
}

static void add_many(uint64_t *h, const hk_law_many *m, int32_t depth) {
  static const int32_t numbers[] = {[HK_PART_LINEAR] = HK_MANY * HK_MANY,
                                    [HK_PART_VISCOUS] = HK_MANY * HK_MANY,
                                    [HK_PART_BRANCH] = HK_MANY * (HK_MANY + 1),
                                    [HK_PART_AXIS] = HK_MANY,
                                    [HK_PART_LAW] = 0};
  if (!m || depth > 20) return;
  add_int(h, m->n), add_int(h, (int32_t)m->flip), add_real(h, m->factor);
  if (m->strain) add_reals(h, m->strain, m->n);
  if (m->stress) add_reals(h, m->stress, m->n);
  for (int32_t k = 0; k < m->nparts; k++) {
    const hk_law_part *p = &m->part[k];
    const int32_t laws = p->kind == HK_PART_COMPONENTS ? m->n : p->kind == HK_PART_AXIS;
    const int32_t exprs = p->kind == HK_PART_FORCES   ? m->n
                          : p->kind == HK_PART_BISTOP ? 2
                                                      : p->kind == HK_PART_POTENTIAL;
    add_int(h, p->kind), add_int(h, p->of_rate), add_int(h, p->engaged);
    if (p->c) add_reals(h, p->c, p->kind == HK_PART_HARDENING ? 3 * m->n + 1 : numbers[p->kind]);
    for (int32_t i = 0; i < laws; i++) add_int(h, i), add_law(h, p->law[i], depth + 1);
    for (int32_t i = 0; i < exprs; i++) add_expr(h, p->expr[i]);
    add_many(h, p->many, depth + 1);
  }
}

static void add_curve(uint64_t *h, const hk_curve *c) {
  if (c && c->open) add_real(h, 1.0);
  for (int32_t i = 0; c && i < c->n; i++) {
    add_real(h, c->piece[i].length);
    add_reals(h, c->piece[i].x, 6);
    add_reals(h, c->piece[i].y, 6);
  }
}

/* one parameter of a joint or element, by the type its table gives */
static void add_param(uint64_t *h, const hk_param *p, const unsigned char *par) {
  if (p->offset < 0) return;
  const void *at = par + p->offset;
  switch (p->type) {
    case HK_P_REAL:
      add_reals(h, at, 1);
      break;
    case HK_P_AXIS2:
      add_reals(h, at, 2);
      break;
    case HK_P_LOCKED:
      add(h, at, sizeof(uint32_t));
      break;
    case HK_P_REAL6:
      add_reals(h, at, 6);
      break;
    case HK_P_REAL66:
      add_reals(h, at, 36);
      break;
    case HK_P_REALS:
      add_reals(h, ((const hk_reals *)at)->x, ((const hk_reals *)at)->n);
      break;
    case HK_P_INT:
    case HK_P_CHOICE:
      add(h, at, sizeof(int32_t));
      break;
    case HK_P_BOOL:
      add(h, at, sizeof(bool));
      break;
    case HK_P_TEXT:
      add_text(h, *(const char *const *)at);
      break;
    case HK_P_LAW:
    case HK_P_LAW_MANY:
      add_law(h, *(const hk_law *const *)at, 0);
      break;
    case HK_P_LAW6:
      for (int i = 0; i < 6; i++) add_law(h, ((const hk_law *const *)at)[i], 0);
      break;
    case HK_P_FRICTION:
      add_friction(h, *(const hk_friction *const *)at);
      break;
    case HK_P_CURVE:
      add_curve(h, *(const hk_curve *const *)at);
      break;
    case HK_P_ROAD: {
      const hk_road *road = at;
      add_expr(h, road->expr);
      add_table(h, road->table);
      add_real(h, road->height);
      for (int32_t i = 0; i < road->nsignals; i++) {
        add_expr(h, road->signals[i].f.expr);
        add_table(h, road->signals[i].f.table);
      }
      break;
    }
    default:
      break;
  }
}

static void add_force(uint64_t *h, const hk_spec_force *f) {
  add_text(h, f->ops->name);
  for (const hk_param *p = f->ops->params; p && p->type != HK_P_END; p++) {
    if (f->par) add_param(h, p, f->par);
  }
  for (int32_t k = 0; k < f->ops->nmark; k++) {
    add_int(h, f->body[k]);
    add_offset(h, &f->marker[k]);
  }
  if (f->ops->nscal > 0) add_int(h, f->joint), add_int(h, f->coord);
  for (int32_t k = 0; k < f->ops->nnode; k++) add_int(h, f->node[k]);
  for (int32_t k = 0; k < f->ops->nu; k++) {
    add_real(h, f->u[k]);
    add_int(h, f->u_signal[k]);
  }
  if (f->u_rate) add_int(h, f->u_rate);
  if (f->sticks) add_int(h, f->sticks);
  const hk_law *law[HK_ELEMENT_LAWS];
  for (int32_t k = 0, n = f->normal ? f->ops->laws(f->par, law) : 0; k < n; k++)
    add_law(h, law[k], 0);
}

static void add_node(uint64_t *h, const hk_spec_node *n) {
  add_text(h, n->name);
  add_int(h, n->domain);
  add_real(h, n->start);
  add_real(h, n->scale);
  add_int(h, n->held);
  add_real(h, n->value);
  add_int(h, n->signal);
  if (n->still) add_int(h, n->still);
}

static void add_joint(uint64_t *h, const hk_spec_joint *j) {
  add_text(h, j->name);
  add_text(h, j->ops->name);
  for (const hk_param *p = j->ops->params; p->type != HK_P_END; p++) {
    if (j->par) add_param(h, p, j->par);
  }
  for (int k = 0; k < 2; k++) add_int(h, j->body[k]), add_offset(h, &j->marker[k]);
  for (int k = 0; k < 6; k++) add_int(h, j->motion[k]), add_int(h, j->row_signal[k]);
  // nothing for joints without one, whose hashes stay as they were
  for (int k = 0; j->turn.kind != HK_TURN_NONE && k < 4; k++)
    add_int(h, j->turn.kind), add_int(h, j->turn.signal[k]), add_int(h, j->turn.axis[k % 3]);
  add_reals(h, j->zero, 6);
  add_int(h, j->active);
  add_int(h, j->cut);
  if (!j->coupling) return;
  const hk_spec_coupling *c = j->coupling;
  for (int32_t i = 0; i < c->n; i++) add_int(h, c->arg[i].joint), add_int(h, c->arg[i].coord);
  add_reals(h, c->c, c->n * c->nrows);
  add_reals(h, c->c0, c->nrows);
  add_int(h, c->signal);
  for (int32_t i = 0; i < c->nto; i++) add_int(h, c->to[i].joint), add_int(h, c->to[i].coord);
  add_reals(h, c->push, c->nto);
}

uint64_t hki_joint_hash(const hk_spec_joint *j) {
  uint64_t h = 1;
  add_joint(&h, j);
  return h;
}

static void add_signal(uint64_t *h, const hk_spec_signal *s) {
  add_int(h, s->kind);
  add_expr(h, s->expr);
  add_table(h, s->table);
  for (int32_t i = 0; i < s->nreads; i++) {
    add_int(h, s->reads[i].kind);
    add_int(h, s->reads[i].signal);
    add_int(h, s->reads[i].channel.kind);
    add_int(h, s->reads[i].channel.component);
    add_int(h, s->reads[i].channel.item);
  }
  add_expr(h, s->second);
  add_surface(h, s->surface);
  add_memory(h, s->memory);
  if (s->order) add_int(h, s->order);
  for (int32_t i = 0; i < s->nlate; i++) add_int(h, s->late[i]);
  if (!s->shape) return;
  const hk_shape *f = s->shape;
  const double x[] = {f->start,  f->from,      f->to,        f->duration, f->slope,
                      f->end,    f->frequency, f->amplitude, f->phase,    f->offset,
                      f->cycles, f->width,     f->period,    f->count,    f->rise};
  add_int(h, f->fn);
  add_reals(h, x, HK_ARRAY_LEN(x));
  for (const hk_param *p = hki_shape_infos[f->fn].params; p->type != HK_P_END; p++)
    if (p->type != HK_P_REAL) add_param(h, p, (const unsigned char *)f);
  if (f->hold > 0.0) add_real(h, f->hold);
}

static void add_limit(uint64_t *h, const hk_spec_limit *l) {
  const double x[] = {l->range[0], l->range[1], l->restitution, l->rest};
  add_int(h, l->joint);
  add_int(h, l->coord);
  add_int(h, l->compliant);
  add_reals(h, x, HK_ARRAY_LEN(x));
}

static void add_start(uint64_t *h, const hk_spec_start *st) {
  const double x[] = {st->position[0],        st->position[1],         st->position[2],
                      st->orientation[0],     st->orientation[1],      st->orientation[2],
                      st->orientation[3],     st->velocity[0],         st->velocity[1],
                      st->velocity[2],        st->angular_velocity[0], st->angular_velocity[1],
                      st->angular_velocity[2]};
  add_int(h, st->joint);
  add_int(h, st->body);
  add_int(h, st->q_given | (int64_t)st->v_given << 8 | (int64_t)st->given << 16);
  add_reals(h, st->q, 6);
  add_reals(h, st->v, 6);
  add_reals(h, x, HK_ARRAY_LEN(x));
  if (s6_dot(st->carried, st->carried) > 0.0) add_reals(h, st->carried, 6);
}

static void add_wide(uint64_t *h, const hk_spec_wide *e) {
  add_text(h, e->ops->name);
  add(h, e->par, e->ops->par_size);
  for (int32_t i = 0; i < e->nmark; i++) {
    add_int(h, e->body[i]);
    add_offset(h, &e->marker[i]);
  }
}

uint64_t hki_work_hash(const hk_spec *s) {
  uint64_t h = 1;
  add(&h, &s->source, sizeof s->source);
  add_int(&h, s->planar);
  add_reals(&h, s->normal, 3);
  add_reals(&h, s->gravity, 3);
  if (s->moving) add_reals(&h, s->frame_at, 3);
  for (int32_t i = 0; i < s->nbodies; i++) {
    const hk_spec_body *b = &s->bodies[i];
    add_text(&h, b->name);
    add_real(&h, b->mass);
    if (b->has_com) add_reals(&h, b->com, 3);
    add_reals(&h, b->J, 9);
    if (b->has_frame) add_offset(&h, &b->frame);
    if (b->rotation != HK_ROTATION_AUTO) add_int(&h, (int32_t)b->rotation);
    if (s6_dot(b->carried, b->carried) > 0.0) add_reals(&h, b->carried, 6);
  }
  for (int32_t i = 0; i < s->njoints; i++) add_joint(&h, &s->joints[i]);
  for (int32_t i = 0; i < s->nsignals; i++) add_signal(&h, &s->signals[i]);
  for (int32_t i = 0; i < s->nforces; i++) add_force(&h, &s->forces[i]);
  for (int32_t i = 0; i < s->nwide; i++) add_wide(&h, &s->wide[i]);
  for (int32_t i = 0; i < s->nnodes; i++) add_node(&h, &s->nodes[i]);
  for (int32_t i = 0; i < s->nmarkers; i++) {
    add_int(&h, s->markers[i].body);
    add_int(&h, s->markers[i].reference);
    if (s->markers[i].relative && !s->markers[i].reference_own)
      add_offset(&h, &s->markers[i].reference_at);
    add_offset(&h, &s->markers[i].at);
  }
  for (int32_t i = 0; i < s->nevents; i++) {
    add_int(&h, s->events[i].when);
    add_int(&h, s->events[i].action);
    add_int(&h, s->events[i].joint);
    if (s->events[i].action == HK_EVENT_FIX || s->events[i].action == HK_EVENT_RELEASE) continue;
    add_int(&h, s->events[i].limit);
    add_int(&h, s->events[i].signal);
    add_int(&h, s->events[i].force);
    add_real(&h, s->events[i].value);
    add_int(&h, s->events[i].value_signal);
    add_int(&h, s->events[i].again);
  }
  for (int32_t i = 0; i < s->nlimits; i++) add_limit(&h, &s->limits[i]);
  for (int32_t i = 0; i < s->nstarts; i++) add_start(&h, &s->starts[i]);
  return h;
}
