/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_closures.c: all constraint rows of the tree.
 *
 *   cut joints          the loop rows of the joint
 *   couplings           one row each: a relation of several coordinates
 *   prescribed motions  one row: coordinate = signal
 *   locks               for joints that an event may fix: one row per scalar coordinate; rotations
 *                       by quaternion are held by the rows of a weld
 *   stops               one row per coordinate with rigid limits, on while it rests there
 *   sticks              one row per coordinate with friction that holds it by a lock
 *
 * When an event locks such a rotation or switches a cut joint on, the first marker moves onto the
 * second (`remark`). A joint without coordinates of its own stores the present values of its rows
 * instead (`lock`). A constraint whose only coordinate is prescribed has the row of the motion
 * instead of its own.
 */
#include "joints/pair.h"
#include "model/work.h"

typedef struct list {
  hk_work *w;
  hk_closure *items;
  int32_t n, cap;
} list;

/* a new closure of joint j without rows; marker: two world poses. NULL: out of memory */
static hk_closure *add(list *l, int32_t j, hk_closure_kind kind, hk_closure_role role,
                       const hk_offset *marker) {
  hk_model *m = l->w->m;
  const hk_spec_joint *s = &l->w->spec->joints[j];
  if (!HK_GROW(l->w->ctx, l->items, l->cap, l->n + 1)) return NULL;
  hk_closure *c = &l->items[l->n++];
  memset(c, 0, sizeof *c);
  c->kind = kind;
  c->role = role;
  c->joint = j;
  c->ops = s->ops;
  c->par = s->par;
  c->remark = c->scalar = c->lock = c->push = HK_NONE;
  c->active = s->active;
  for (int k = 0; k < 2; k++) {
    c->body[k] = hki_work_body(m, s->body[k]);
    hki_work_offset(m, c->body[k], &marker[k], &c->marker[k]);
  }
  for (int r = 0; r < 6; r++) c->row_signal[r] = HK_NONE;
  if (!hki_path_between(m, c->body[0], c->body[1], &c->path)) return NULL;
  return c;
}

/* gives a closure n rows; rows: their indices in ops->loop, NULL for a coordinate */
static void set_rows(hk_model *m, hk_closure *c, const uint8_t *rows, int32_t n) {
  c->row0 = m->nrows;
  c->nrows = n;
  m->nrows += n;
  if (rows) memcpy(c->rows, rows, (size_t)n);
  for (int32_t r = 0; rows && r < n; r++) {
    if (!(c->ops->rate_rows >> rows[r] & 1u)) continue;
    c->rate_rows |= 1u << r;
    m->nrate++;
  }
}

/* a closure of one row: scalar coordinate k of joint j */
static hk_closure *add_coordinate(list *l, int32_t j, int32_t k, hk_closure_role role) {
  hk_closure *c = add(l, j, HK_CLOSURE_COORD, role, l->w->spec->joints[j].marker);
  if (!c) return NULL;
  c->scalar = l->w->m->joints[j].scalar0 + k;
  set_rows(l->w->m, c, NULL, 1);
  return c;
}

/* a constraint (a distance) whose only coordinate is prescribed: the motion replaces its row */
static bool replaces_row(const hk_spec_joint *s) {
  return s->ops->nv < 0 && !(s->ops->caps & HK_JOINT_LOCKED) && s->ops->ns == 1 &&
         s->motion[0] >= 0;
}

/* signals of a joint with locked axes: from one entry per axis to one per kept row */
static void row_signals(const hk_spec_joint *s, hk_closure *c) {
  const uint32_t locked = hki_joint_present(s->ops, s->par);
  int32_t axis_of[6], n = 0;
  for (int32_t i = 0; i < 6; i++) {
    if (locked >> i & 1u) axis_of[n++] = i;
  }
  for (int32_t r = 0; r < c->nrows; r++) c->row_signal[r] = s->row_signal[axis_of[c->rows[r]]];
}

static bool add_cut(list *l, int32_t j) {
  hk_model *m = l->w->m;
  const hk_spec_joint *s = &l->w->spec->joints[j];
  const hk_work_joint *wj = &l->w->joints[j];
  if (replaces_row(s)) return true;
  m->joints[j].closure = l->n;
  hk_closure *c = add(l, j, HK_CLOSURE_JOINT, HK_ROLE_CUT, wj->marker);
  if (!c) return false;
  set_rows(m, c, wj->rows, wj->nrows);
  if (s->ops->caps & HK_JOINT_LOCKED) row_signals(s, c);
  if (!wj->comes_back) return true;
  if (s->ops->nv >= 0 || s->ops->caps & HK_JOINT_STANDS) {
    c->remark = m->nremark++;
  } else {
    c->lock = m->nlock;
    m->nlock += c->nrows;
  }
  return true;
}

/* a prescribed rotation: the three rotations of a joint with locked axes, measured from it */
static bool add_turn(list *l, int32_t j) {
  static const uint8_t rows[3] = {0, 1, 2};
  const hk_joint_ops *ops = hki_joint_with(HK_JOINT_LOCKED);
  const hk_model_joint *mj = &l->w->m->joints[j];
  char *par = HK_KEEP(l->w, char, (int32_t)ops->par_size);
  hk_closure *c = add(l, j, HK_CLOSURE_JOINT, HK_ROLE_MOTION, l->w->spec->joints[j].marker);
  if (!c || !par) return false;
  for (const hk_param *p = ops->params; p->type != HK_P_END; p++)
    if (p->type == HK_P_LOCKED) memcpy(par + p->offset, &(uint32_t){7u << 3}, sizeof(uint32_t));
  c->ops = ops;
  c->par = par;
  set_rows(l->w->m, c, rows, 3);
  for (int i = 0; i < 3; i++) c->row_signal[i] = hki_turn_row_signal(mj, i);
  return true;
}

/* a closure of one row for each row of a coupling */
static bool add_couplings(list *l, int32_t j) {
  hk_model *m = l->w->m;
  const hk_spec_joint *s = &l->w->spec->joints[j];
  m->joints[j].closure = l->n;
  for (int32_t r = 0; r < s->coupling->nrows; r++) {
    hk_closure *c = add(l, j, HK_CLOSURE_COUPLING, HK_ROLE_CUT, s->marker);
    if (!c) return false;
    c->coupling = hki_work_coupling(l->w, j, r, &c->path);
    if (!c->coupling) return false;
    set_rows(m, c, NULL, 1);
    if (s->ops->caps & HK_JOINT_RATES)
      c->rate_rows = 1u, m->nrate++;
    else if (l->w->joints[j].comes_back)
      c->lock = m->nlock++;
  }
  return true;
}

static bool add_motions(list *l, int32_t j) {
  const hk_spec_joint *s = &l->w->spec->joints[j];
  hk_model_joint *mj = &l->w->m->joints[j];
  for (int32_t k = 0; k < s->ops->ns; k++) {
    if (s->motion[k] < 0) continue;
    if (mj->nmotion++ == 0) mj->motion0 = l->n;
    if (replaces_row(s)) mj->closure = l->n;
    hk_closure *c = add_coordinate(l, j, k, HK_ROLE_MOTION);
    if (!c) return false;
    c->row_signal[0] = s->motion[k];
    if (!(l->w->signal[s->motion[k]] & HK_DEPENDS_STATE)) continue;
    // a rate that reads the state: no position is known that belongs to it
    c->rate_rows = 1u;
    l->w->m->nrate++;
  }
  if (s->turn.kind == HK_TURN_NONE) return true;
  if (mj->nmotion++ == 0) mj->motion0 = l->n;
  return add_turn(l, j);
}

/* lock of a joint with a quaternion (and of the position of a free joint): the rows of a weld */
static bool add_weld(list *l, int32_t j) {
  hk_model *m = l->w->m;
  const hk_work_joint *wj = &l->w->joints[j];
  uint8_t rows[6];
  const hk_joint_ops *weld = hki_joint_with(HK_JOINT_RIGID);
  int32_t n = hki_planar_rows(l->w, weld, NULL, wj->marker, rows);
  int32_t kept = 0;
  // a joint that holds a point has position rows of its own: only the rotation is added
  for (int32_t r = 0; r < n; r++) {
    if (rows[r] >= 3 || !(l->w->spec->joints[j].ops->caps & HK_JOINT_POINT)) rows[kept++] = rows[r];
  }
  hk_closure *c = add(l, j, HK_CLOSURE_JOINT, HK_ROLE_LOCK, wj->marker);
  if (!c) return false;
  c->ops = weld;
  c->par = NULL;
  c->active = false;
  c->remark = m->nremark++;
  set_rows(m, c, rows, kept);
  return true;
}

static bool add_locks(list *l, int32_t j) {
  hk_model *m = l->w->m;
  const hk_spec_joint *s = &l->w->spec->joints[j];
  hk_model_joint *mj = &m->joints[j];
  mj->lock0 = l->n;
  if (s->ops->caps & HK_JOINT_QUATERNION) {
    if (!add_weld(l, j)) return false;
  } else {
    for (int32_t k = 0; k < s->ops->ns; k++) {
      if (!hki_work_can_lock(l->w, j, k)) continue;
      hk_closure *c = add_coordinate(l, j, k, HK_ROLE_LOCK);
      if (!c) return false;
      c->active = false;
      c->lock = m->nlock++;
    }
  }
  mj->nlock = l->n - mj->lock0;
  if (mj->nlock == 0) mj->lock0 = HK_NONE;
  return true;
}

/* the row that holds a coordinate on its stop */
static bool add_stop(list *l, int32_t limit) {
  hk_model *m = l->w->m;
  const hk_spec_limit *s = &l->w->spec->limits[limit];
  const int32_t at = l->n;
  hk_closure *c = add_coordinate(l, s->joint, s->coord, HK_ROLE_STOP);
  if (!c) return false;
  c->active = false;
  c->lock = m->nlock++;
  c->push = m->nstops;
  m->stops[m->nstops++] = (hk_model_stop){limit, c->scalar, at};
  return true;
}

/* the row by which friction holds a coordinate; forces keep the order of the spec */
static bool add_stick(list *l, int32_t force) {
  hk_model *m = l->w->m;
  const hk_spec_force *s = &l->w->spec->forces[force];
  const hk_spec_joint *j = &l->w->spec->joints[s->joint];
  const int32_t at = l->n;
  if (j->motion[s->coord] >= 0) {
    hki_error(l->w->ctx, HK_E_MODEL, s->loc, "leave 'stick' out, or the motion",
              "friction of joint '%s' cannot hold a coordinate whose motion is prescribed",
              j->name);
    return false;
  }
  hk_closure *c = add_coordinate(l, s->joint, s->coord, HK_ROLE_STICK);
  if (!c) return false;
  c->active = false;
  c->lock = m->nlock++;
  m->sticks[m->nsticks++] = (hk_model_stick){force, c->scalar, at};
  return true;
}

bool hki_work_can_lock(const hk_work *w, int32_t j, int32_t k) {
  const hk_spec_joint *s = &w->spec->joints[j];
  // a constraint: only where it has no row on this coordinate
  if (s->ops->nv < 0 && !s->ops->present) return false;
  if (s->ops->present && (hki_joint_present(s->ops, s->par) >> k & 1u)) return false;
  return s->motion[k] < 0 && hki_planar_moves(w, j, k);
}

/* the prescribed rotation of joint j, or components of one by its motions and locked axes */
static void find_turning(hk_work *w, int32_t j) {
  const hk_spec_joint *s = &w->spec->joints[j];
  hk_model_joint *mj = &w->m->joints[j];
  for (int i = 0; i < 4; i++) mj->turn_signal[i] = HK_NONE;
  if (s->turn.kind != HK_TURN_NONE) {
    mj->turned = true;
    mj->turn_kind = s->turn.kind;
    memcpy(mj->turn_signal, s->turn.signal, sizeof mj->turn_signal);
    memcpy(mj->turn_axis, s->turn.axis, sizeof mj->turn_axis);
    w->m->nturned++;
    return;
  }
  if (!(s->ops->caps & HK_JOINT_LOCKED)) return;
  mj->turn_kind = HK_TURN_VECTOR;
  for (int32_t k = 0; k < s->ops->ns; k++) {
    const int i = hki_scalar_log(s->ops->scalars[k]);
    const bool locked = s->row_signal[k] != HK_NONE;
    if (i < 0 || (!locked && s->motion[k] == HK_NONE)) continue;
    mj->turned = true;
    mj->turn_signal[i] = locked ? s->row_signal[k] : s->motion[k];
    mj->turn_zero[i] = locked ? 0.0 : s->zero[k];
  }
  w->m->nturned += mj->turned;
}

static bool add_all(list *l) {
  const hk_spec *s = l->w->spec;
  for (int32_t j = 0; j < s->njoints; j++) find_turning(l->w, j);
  for (int32_t j = 0; j < s->njoints; j++) {
    if (l->w->m->joints[j].body >= 0) continue;
    if (s->joints[j].coupling ? !add_couplings(l, j) : !add_cut(l, j)) return false;
  }
  for (int32_t j = 0; j < s->njoints; j++) {
    if (!add_motions(l, j)) return false;
  }
  // a joint that is off is switched on by a first event and locked by a second
  for (int32_t j = 0; j < s->njoints; j++) {
    if (l->w->joints[j].nfix > (s->joints[j].active ? 0 : 1) && !add_locks(l, j)) return false;
  }
  l->w->m->stops = HK_KEEP(l->w, hk_model_stop, s->nlimits);
  if (s->nlimits && !l->w->m->stops) return false;
  for (int32_t i = 0; i < s->nlimits; i++) {
    if (!s->limits[i].compliant && !add_stop(l, i)) return false;
  }
  int32_t sticks = 0;
  for (int32_t i = 0; i < s->nforces; i++) sticks += s->forces[i].sticks;
  l->w->m->sticks = HK_KEEP(l->w, hk_model_stick, sticks);
  if (sticks && !l->w->m->sticks) return false;
  for (int32_t i = 0; i < s->nforces; i++) {
    if (s->forces[i].sticks && !add_stick(l, i)) return false;
  }
  return true;
}

bool hki_work_closures(hk_work *w) {
  list l = {.w = w};
  hk_model *m = w->m;
  bool ok = add_all(&l);
  if (ok) {
    m->nc = l.n;
    m->closures = HK_KEEP(w, hk_closure, l.n);
    ok = m->closures != NULL;
    if (ok && l.n > 0) memcpy(m->closures, l.items, (size_t)l.n * sizeof *l.items);
  }
  hki_free(w->ctx, l.items);
  return ok;
}
