/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_rows.c: start values as rows with gradients in the tree coordinates.
 *
 *   positions:  n(q) = 0
 *   rates:      N v  = target
 */
#include <stdio.h>

#include "analyses/assembly.h"

/* path from the ground to a body, all on the side of the second marker */
static bool chain_path(hk_tree *s, hk_pool *pool, int32_t body, hk_path *path) {
  const hk_model *m = s->m;
  int32_t n = 0;
  for (int32_t b = body; b != HK_GROUND; b = m->bodies[b].parent) n += m->bodies[b].nv;
  int32_t *dof = hki_pool_alloc(pool, (size_t)(n + 1) * sizeof *dof);
  uint8_t *side = hki_pool_alloc(pool, (size_t)n + 1);
  if (!dof || !side) return false;
  *path = (hk_path){n, dof, side};
  for (int32_t b = body; b != HK_GROUND; b = m->bodies[b].parent)
    for (int32_t j = m->bodies[b].nv - 1; j >= 0; j--) {
      dof[--n] = m->bodies[b].v0 + j;
      side[n] = 2;
    }
  return true;
}

/* path of a joint: its own coordinates if it is a tree joint, the closure's path if it is cut */
static bool joint_path(hk_tree *s, hk_pool *pool, int32_t joint, hk_path *path) {
  const hk_model_joint *j = &s->m->joints[joint];
  if (j->closure != HK_NONE) {
    *path = s->m->closures[j->closure].path;
    return true;
  }
  const hk_model_body *mb = &s->m->bodies[j->body];
  int32_t *dof = hki_pool_alloc(pool, (size_t)(mb->nv + 1) * sizeof *dof);
  uint8_t *side = hki_pool_alloc(pool, (size_t)mb->nv + 1);
  if (!dof || !side) return false;
  for (int32_t i = 0; i < mb->nv; i++) {
    dof[i] = mb->v0 + i;
    side[i] = mb->reversed ? 1 : 2;
  }
  *path = (hk_path){mb->nv, dof, side};
  return true;
}

/* word k of a list, into buf */
static void word(const char *list, int32_t k, char *buf, size_t cap) {
  int n;
  list = hki_word(list, k, &n);
  snprintf(buf, cap, "%.*s", n, list);
}

typedef struct builder {
  hk_tree *s;
  hk_pool *pool;
  hk_named *rows;
  int32_t n, cap;
  bool failed;
} builder;

static hk_named *new_row(builder *b, const hk_named *proto) {
  if (b->failed || b->n >= b->cap) {
    b->failed = true;
    return NULL;
  }
  hk_named *r = &b->rows[b->n++];
  *r = *proto;
  r->on = true;
  r->g = hki_pool_alloc(b->pool, (size_t)(r->path.n + 1) * sizeof *r->g);
  if (!r->g) b->failed = true;
  return r;
}

/* rows of one vector value: three components */
static void vector_rows(builder *b, hk_named *proto, hk_named_kind kind, bool rate, const double *x,
                        hk_loc loc, const char *of, const char *name, const char *key) {
  proto->kind = kind;
  proto->rate = rate;
  proto->loc = loc;
  proto->unit = kind == HK_NAMED_POSITION ? (rate ? "m/s" : "m") : (rate ? "rad/s" : "rad");
  proto->item = name;
  proto->key = hki_pool_printf(b->pool, "start.%s.%s", name, key);
  for (int32_t i = 0; i < 3; i++) {
    // the components of a rotation vector mean little to a user: the message names no component
    bool part = kind == HK_NAMED_POSITION || rate;
    proto->what =
        hki_pool_printf(b->pool, part ? "%s '%s', %s.%c" : "%s '%s', %s", of, name, key, "xyz"[i]);
    proto->name =
        hki_pool_printf(b->pool, part ? "%s.%s.%s.%c" : "%s.%s.%s", of, name, key, "xyz"[i]);
    hk_named *r = new_row(b, proto);
    if (!r) return;
    r->component = i;
    if (x) r->target = x[i];
  }
}

static void vectors(builder *b, const hk_spec_start *st, hk_named *proto, const char *of,
                    const char *name) {
  if (st->given & HK_START_POSITION)
    vector_rows(b, proto, HK_NAMED_POSITION, false, st->position, st->given_loc[0], of, name,
                "position");
  if (st->given & HK_START_ORIENTATION) {
    quat_to_rot(proto->target_R, st->orientation);
    vector_rows(b, proto, HK_NAMED_ORIENTATION, false, NULL, st->given_loc[1], of, name,
                "orientation");
  }
  proto->carried = s6_dot(st->carried, st->carried) > 0.0 ? st->carried : NULL;
  if (st->given & HK_START_VELOCITY)
    vector_rows(b, proto, HK_NAMED_POSITION, true, st->velocity, st->given_loc[2], of, name,
                "velocity");
  if (st->given & HK_START_ANGULAR_VELOCITY)
    vector_rows(b, proto, HK_NAMED_ORIENTATION, true, st->angular_velocity, st->given_loc[3], of,
                name, "angular_velocity");
}

static void joint_rows(builder *b, const hk_spec_start *st) {
  const hk_model_joint *j = &b->s->m->joints[st->joint];
  const hk_spec_joint *sj = &b->s->m->spec->joints[st->joint];
  hk_named proto = {.scalar = HK_NONE};
  char name[64];
  for (int i = 0; i < 2; i++) {
    proto.body[i] = j->mbody[i];
    proto.marker[i] = j->marker[i];
  }
  if (!joint_path(b->s, b->pool, st->joint, &proto.path)) b->failed = true;
  for (int32_t k = 0; k < sj->ops->ns; k++)
    for (int rate = 0; rate < 2; rate++) {
      if (!((rate ? st->v_given : st->q_given) >> k & 1)) continue;
      word(rate ? sj->ops->rates : sj->ops->coords, k, name, sizeof name);
      hk_named *r = new_row(b, &proto);
      if (!r) return;
      r->kind = HK_NAMED_SCALAR;
      r->rate = rate;
      r->scalar = j->scalar0 + k;
      r->target = rate ? st->v[k] : st->q[k];
      r->loc = rate ? st->v_loc[k] : st->q_loc[k];
      r->item = sj->name;
      r->what = hki_pool_printf(b->pool, "joint '%s', %s", sj->name, name);
      r->key = hki_pool_printf(b->pool, "start.%s.%s", sj->name, name);
      r->name = hki_pool_printf(b->pool, "joint.%s.%s", sj->name, name);
      word(sj->ops->units, k, name, sizeof name);
      r->unit = hki_pool_printf(b->pool, rate ? "%s/s" : "%s", name);
    }
  vectors(b, st, &proto, "joint", sj->name);
}

static void body_rows(builder *b, const hk_spec_start *st) {
  const hk_model *m = b->s->m;
  int32_t mb = m->body_of_spec[st->body];
  hk_named proto = {.scalar = HK_NONE};
  proto.body[0] = HK_GROUND;
  proto.body[1] = mb;
  m3_identity(proto.marker[0].R);
  proto.marker[1] = m->bodies[mb].own;
  if (!chain_path(b->s, b->pool, mb, &proto.path)) b->failed = true;
  vectors(b, st, &proto, "body", m->spec->bodies[st->body].name);
}

hk_status hki_named_rows(hk_tree *s, hk_pool *pool, const hk_spec_start *starts, int32_t nstarts,
                         hk_named **rows, int32_t *n) {
  builder b = {s, pool, NULL, 0, 24 * nstarts + 1, false};
  b.rows = hki_pool_alloc(pool, (size_t)b.cap * sizeof *b.rows);
  if (!b.rows) return HK_E_MEMORY;
  for (int32_t i = 0; i < nstarts; i++)
    if (starts[i].joint != HK_NONE)
      joint_rows(&b, &starts[i]);
    else
      body_rows(&b, &starts[i]);
  *rows = b.rows;
  *n = b.n;
  return b.failed ? HK_E_MEMORY : HK_OK;
}

/* how many rates of joint j are no tree velocities */
static int32_t count_rates(const hk_model *m, int32_t j) {
  const hk_joint_ops *ops = m->spec->joints[j].ops;
  int32_t n = 0;
  for (int32_t k = 0; k < ops->ns; k++) n += m->scalars[m->joints[j].scalar0 + k].vi == HK_NONE;
  // a cut ball: the relative angular velocity
  return n + (!ops->ns && ops->nv == 3 && m->joints[j].closure != HK_NONE ? 3 : 0);
}

/* is the joint on, and does it bind anything? */
static bool counts(const hk_model *m, int32_t j) {
  const hk_model_joint *x = &m->joints[j];
  if (x->closure == HK_NONE) return m->bodies[x->body].nv < (m->spec->planar ? 3 : 6);
  return m->closures[x->closure].active && m->closures[x->closure].nrows;
}

/* weights of the rates of tree joint j that are tree velocities */
static void own_rates(const hk_tree *s, int32_t j, double *own) {
  const hk_model_joint *x = &s->m->joints[j];
  const hk_model_body *mb = &s->m->bodies[x->body];
  const int32_t ns = s->m->spec->joints[j].ops->ns;
  for (int32_t i = mb->v0; i < mb->v0 + mb->nv; i++) {
    bool is_rate = ns == 0;
    for (int32_t k = 0; k < ns; k++) is_rate = is_rate || s->m->scalars[x->scalar0 + k].vi == i;
    if (is_rate) own[i] = 1.0 / (s->scale[i] * s->scale[i]);
  }
}

/* rows for the other rates of joint j */
static void rate_rows(builder *b, int32_t j) {
  const hk_model *m = b->s->m;
  const hk_model_joint *x = &m->joints[j];
  const hk_joint_ops *ops = m->spec->joints[j].ops;
  hk_named proto = {.scalar = HK_NONE, .rate = true};
  for (int i = 0; i < 2; i++) {
    proto.body[i] = x->mbody[i];
    proto.marker[i] = x->marker[i];
  }
  if (!joint_path(b->s, b->pool, j, &proto.path)) b->failed = true;
  for (int32_t k = 0; k < (ops->ns ? ops->ns : 3); k++) {
    if (ops->ns && m->scalars[x->scalar0 + k].vi != HK_NONE) continue;
    hk_named *r = new_row(b, &proto);
    if (!r) return;
    r->kind = ops->ns ? HK_NAMED_SCALAR : HK_NAMED_ORIENTATION;
    r->scalar = ops->ns ? x->scalar0 + k : HK_NONE;
    r->component = k;
    const double unit = ops->ns && hki_scalar_is_length(ops->scalars[k]) ? m->length : 1.0;
    r->alpha = 1.0 / (unit * unit);
  }
}

hk_status hki_joint_rates(hk_tree *s, hk_pool *pool, hk_named **rows, int32_t *n, double *own) {
  const hk_model *m = s->m;
  builder b = {s, pool, NULL, 0, 0, false};
  for (int32_t j = 0; j < m->nj; j++) {
    if (!counts(m, j)) continue;
    b.cap += count_rates(m, j);
    if (m->joints[j].closure == HK_NONE) own_rates(s, j, own);
  }
  b.rows = hki_pool_alloc(pool, (size_t)(b.cap + 1) * sizeof *b.rows);
  if (!b.rows) return HK_E_MEMORY;
  for (int32_t j = 0; j < m->nj && !b.failed; j++)
    if (counts(m, j) && count_rates(m, j)) rate_rows(&b, j);
  *rows = b.rows;
  *n = b.n;
  return b.failed ? HK_E_MEMORY : HK_OK;
}

void hki_named_eval(const hk_kin *k, hk_named *row) {
  double gA[6] = {0}, gB[6] = {0}, d[3], x[3], Rt[9], E[9];
  hk_frame F[2];
  for (int i = 0; i < 2; i++) hki_kin_marker(k, row->body[i], &row->marker[i], &F[i]);
  if (row->kind == HK_NAMED_SCALAR) {
    const hk_scalar *sc = &k->m->scalars[row->scalar];
    double s, sd;
    hki_kin_scalar(k, row->scalar, &s, &sd);
    row->value = (row->rate ? sd : s) - row->target;
    memset(row->g, 0, (size_t)row->path.n * sizeof *row->g);
    if (sc->vi != HK_NONE) {
      for (int32_t i = 0; i < row->path.n; i++)
        if (row->path.dof[i] == sc->vi) row->g[i] = sc->sign;
      return;
    }
    hk_joint_coord c;
    const hk_spec_joint *sj = &k->m->spec->joints[sc->joint];
    hki_kin_turn_back(k, sc->joint, &F[1]);
    sj->ops->coord(sj->par, sc->coord, &F[0], &F[1], k->disc.turn[sc->turn] - sc->zero, &c);
    hki_kin_pull(k, row->body, F, c.gA, c.gB, &row->path, row->g);
    return;
  }
  // axis of the row in the world: of A for vectors, of B for rotation increments
  const hk_frame *axes = row->kind == HK_NAMED_ORIENTATION && !row->rate ? &F[1] : &F[0];
  m3_column(x, axes->R, row->component);
  v3_sub(d, F[1].p, F[0].p);
  if (row->kind == HK_NAMED_POSITION) {
    v3_copy(gB + 3, x);
    v3_scale(gA + 3, -1.0, x);
    v3_cross(gA, x, d); // a rotation of A turns the axis of the row
    row->value = v3_dot(x, d) - row->target;
    if (row->rate) {
      double rel[3], t[3];
      v3_sub(rel, F[1].v, F[0].v);
      v3_cross(t, F[0].w, d);
      v3_sub(rel, rel, t);
      row->value = v3_dot(x, rel) - row->target;
      if (row->carried) {
        v3_cross(t, row->carried, F[1].p);
        row->value -= v3_dot(x, t) + v3_dot(x, row->carried + 3);
      }
    }
  } else {
    v3_copy(gB, x);
    v3_scale(gA, -1.0, x);
    if (row->rate) {
      v3_sub(d, F[1].w, F[0].w);
      row->value = v3_dot(x, d) - row->target;
    } else {
      m3_mul(Rt, F[0].R, row->target_R);
      m3_tmul(E, Rt, F[1].R);
      rot_log(d, E);
      row->value = d[row->component];
    }
  }
  hki_kin_pull(k, row->body, F, gA, gB, &row->path, row->g);
}
