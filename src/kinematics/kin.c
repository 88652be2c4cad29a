/* SPDX-License-Identifier: Apache-2.0
 *
 * kin.c: memory and constants of the kinematics workspace.
 */
#include "joints/pair.h"
#include "kinematics/element.h"
#include "kinematics/lanes.h"
#include "kinematics/plane.h"
#include "kinematics/pulls4.h"
#include "kinematics/rows4.h"
#include "kinematics/single.h"

static int32_t total_reads(const hk_spec *spec) {
  int32_t n = 0;
  for (int32_t i = 0; i < spec->nsignals; i++) n += spec->signals[i].nreads;
  return n;
}

/* number of reads, by all signals, of channels that are known only at accepted states */
static int32_t count_seen(const hk_spec *spec) {
  int32_t n = 0;
  for (int32_t i = 0; i < spec->nsignals; i++)
    for (int32_t j = 0; j < spec->signals[i].nreads; j++) {
      const hk_read *r = &spec->signals[i].reads[j];
      n += r->kind == HK_READ_CHANNEL && hki_channel_level(r->channel) == 2;
    }
  return n;
}

/* coordinates that follow their rate or acceleration */
static int32_t count_travels(const hk_spec *spec) {
  int32_t n = 0;
  for (int32_t i = 0; i < spec->nsignals; i++) n += spec->signals[i].kind == HK_SIGNAL_TRAVEL;
  return n;
}

/* numbers that all signals with memory remember */
static int32_t count_memory(const hk_spec *spec) {
  int32_t n = 0;
  for (int32_t i = 0; i < spec->nsignals; i++)
    if (spec->signals[i].memory) n += hki_memory_size(spec->signals[i].memory);
  return n;
}

static void layout_discrete(hk_kin *k, const hk_model *m, hk_arena *a) {
  hk_discrete *d = &k->disc;
  d->n = m->nc + 12 * m->nremark + m->nlock + m->nstops + m->nturn + m->nd + k->nmem + k->nseen +
         HK_TRAVEL * k->ntravel + 2 * m->nnormal;
  d->block = HK_TAKE(a, double, d->n);
  if (!d->block) return;
  d->active = d->block;
  d->remark = d->active + m->nc;
  d->lock = d->remark + 12 * m->nremark;
  d->push = d->lock + m->nlock;
  d->turn = d->push + m->nstops;
  d->d = d->turn + m->nturn;
  d->mem = d->d + m->nd;
  d->seen = d->mem + k->nmem;
  d->travel = d->seen + k->nseen;
  d->normal = d->travel + HK_TRAVEL * k->ntravel;
  d->shift = d->normal + m->nnormal;
}

static void layout_signals(hk_kin *k, const hk_model *m, hk_arena *a) {
  const hk_spec *spec = m->spec;
  int32_t ns = spec->nsignals, reads = 1;
  int32_t operands = 1;
  for (int32_t i = 0; i < ns; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    if (s->nreads > reads) reads = s->nreads;
    if (s->memory && s->nreads + s->nlate > operands) operands = s->nreads + s->nlate;
  }
  k->max_reads = reads;
  k->sig = HK_TAKE(a, double, 3 * ns);
  k->sig_state = HK_TAKE(a, uint8_t, ns);
  k->sig_live = HK_TAKE(a, uint8_t, ns);
  k->sig_in = HK_TAKE(a, double, 3 * reads);
  k->mem_u = HK_TAKE(a, double, operands);
  k->sig_grad = HK_TAKE(a, int32_t, ns);
  k->sig_dq = HK_TAKE(a, double, (size_t)k->nsig_grad *(size_t)m->nv);
  k->sig_dv = HK_TAKE(a, double, (size_t)k->nsig_grad *(size_t)m->nv);
  k->seen_channel = HK_TAKE(a, hk_channel, k->nseen);
  k->seen_of = HK_TAKE(a, int32_t, total_reads(spec));
  k->seen0 = HK_TAKE(a, int32_t, ns);
  k->sig_mem = HK_TAKE(a, int32_t, ns);
  hki_travel_layout(k, a);
}

/* how many signals there are of each kind that needs memory of its own */
static void count_signals(hk_kin *k) {
  const hk_spec *spec = k->m->spec;
  k->nseen = count_seen(spec);
  k->nmem = count_memory(spec);
  k->nacts = 0;
  for (int32_t i = 0; i < spec->nsignals; i++)
    k->nacts += spec->signals[i].memory && hki_memory_acts(spec->signals[i].memory);
  k->ntravel = count_travels(spec);
  k->nsig_grad = 0;
  for (int32_t i = 0; i < spec->nsignals; i++) k->nsig_grad += hki_model_reads_channels(k->m, i);
}

static void layout_states(hk_kin *k, const hk_model *m, hk_arena *a) {
  k->state = HK_TAKE(a, hk_states, m->nstateful);
  k->z = HK_TAKE(a, double, m->nz);
  k->zd = HK_TAKE(a, double, m->nz);
  k->zc = HK_TAKE(a, double, m->nz);
  k->zmid = HK_TAKE(a, double, 2 * m->nz);
  k->zlast = HK_TAKE(a, hk_state_iterate, m->nz);
  k->zbranch = HK_TAKE(a, hk_state_branch, m->nz);
}

static void layout_wide(hk_kin *k, const hk_model *m, hk_arena *a) {
  const size_t n = 6 * (size_t)m->wide_most;
  int32_t ny = 0;
  for (int32_t i = 0; i < m->nwide; i++) ny = m->wide[i].ops->ny > ny ? m->wide[i].ops->ny : ny;
  k->wide_frame = HK_TAKE(a, hk_frame, m->wide_most);
  k->wide = HK_TAKE(a, hk_wide_out, 1);
  double *w = HK_TAKE(a, double, n), *K = HK_TAKE(a, double, n *n), *C = HK_TAKE(a, double, n *n);
  double *y = HK_TAKE(a, double, ny);
  if (k->wide) *k->wide = (hk_wide_out){.w = w, .K = K, .C = C, .y = y};
  k->kept_wide = HK_TAKE(a, double, m->wide_ny);
  if (!m->wide_inert) return;
  k->wide_inertia = HK_TAKE(a, hk_wide_inertia, 1);
  k->wide_acc = HK_TAKE(a, double, n);
  double *F = HK_TAKE(a, double, n), *X = HK_TAKE(a, double, 3 * n * n);
  if (k->wide_inertia)
    *k->wide_inertia =
        (hk_wide_inertia){.F = F, .M = X, .C = X + n * n, .K = X + 2 * n * n, .kinetic = 0.0};
}

size_t hki_kin_most_rows(const hk_model *m) {
  size_t n = 0;
  for (int32_t i = 0; i < m->nc; i++)
    n += (size_t)m->closures[i].nrows * (size_t)m->closures[i].path.n;
  // once more for those that go four at a time
  return 2 * n + HK_BESIDE * HK_BESIDE;
}

static void layout_rows(hk_kin *k, const hk_model *m, hk_arena *a) {
  size_t nd = 0;
  for (int32_t i = 0; i < m->nc; i++) nd += (size_t)m->closures[i].path.n;
  k->gz = HK_TAKE(a, double, hki_kin_most_rows(m));
  k->gz0 = HK_TAKE(a, int32_t, m->nc + 1);
  k->rows4 = HK_TAKE(a, hk_rows4, hki_rows4_most(m));
  k->cturn = HK_TAKE(a, int32_t, m->nc);
  k->rows4_dof = HK_TAKE(a, int32_t, 2 * nd);
}

/* rows of forces, once more for those that go four at a time */
static void layout_pulls(hk_kin *k, const hk_model *m, hk_arena *a) {
  size_t all = 0, most = 0, pull = 0;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    const size_t n = (size_t)f->path.n;
    all += (size_t)(f->ops->nscal ? 1 : f->ops->rank) * n;
    if (f->ops->pull) most += n, pull++;
  }
  k->fz = HK_TAKE(a, double, all + most);
  k->alone = HK_TAKE(a, int32_t, m->nf);
  k->pulls_dof = HK_TAKE(a, int32_t, 2 * most);
  k->pulls = HK_TAKE(a, hk_pulls4, pull / 4);
}

static void layout_looks(hk_kin *k, const hk_model *m, hk_arena *a) {
  k->nlooks = hki_kin_most_looks(m);
  k->look = HK_TAKE(a, int32_t, HK_ELEMENT_LANES * k->nlooks);
  k->look_of = HK_TAKE(a, int32_t, k->nlooks ? m->nf : 0);
  k->looks = (double(*)[HK_ELEMENT_AHEAD])(void *)HK_TAKE(
      a, double, HK_ELEMENT_AHEAD *HK_ELEMENT_LANES * k->nlooks);
}

void hki_kin_layout(hk_kin *k, const hk_model *m, hk_arena *a) {
  size_t nu = 0;
  k->m = m;
  count_signals(k);
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    nu += f->u_state ? (size_t)f->ops->nu * (size_t)f->path.n : 0;
  }
  layout_discrete(k, m, a);
  k->q_placed = HK_TAKE(a, double, m->nq);
  k->v_moved = HK_TAKE(a, double, m->nz ? m->nv : 0);
  k->frame = HK_TAKE(a, hk_frame, m->nb);
  k->O = HK_TAKE(a, double, 3 * m->nb);
  k->S = HK_TAKE(a, double, 6 * m->nv);
  k->V = HK_TAKE(a, double, 6 * m->nb);
  k->A0 = HK_TAKE(a, double, 6 * m->nb);
  k->I = HK_TAKE(a, hk_inertia, m->nb);
  k->hinge = HK_TAKE(a, hk_hinge, m->nb);
  k->link = HK_TAKE(a, hk_link, m->nb);
  k->lanes = m->nquad && hki_lanes_here() ? HK_TAKE(a, hk_lanes, m->nquad) : NULL;
  k->single = hki_single_here() ? HK_TAKE(a, hk_single, m->nb) : NULL;
  k->turn = hki_single_here() ? HK_TAKE(a, hk_single_turn, m->nb) : NULL;
  k->plane = hki_single_here() ? HK_TAKE(a, hk_plane, m->nb) : NULL;
  k->plane_turn = hki_single_here() ? HK_TAKE(a, double, 2 * (m->nb + 4)) : NULL;
  k->beside = hki_single_here() ? HK_TAKE(a, hk_beside, 1) : NULL;
  k->pin = hki_single_here() ? HK_TAKE(a, hk_pin, m->nc) : NULL;
  k->in_plane = HK_TAKE(a, uint8_t, m->nc);
  k->upright = HK_TAKE(a, uint8_t, m->nb);
  k->spherical = HK_TAKE(a, uint8_t, m->nb);
  k->biased = HK_TAKE(a, uint8_t, m->nb);
  k->floating = HK_TAKE(a, uint8_t, m->nb);
  k->shifting = HK_TAKE(a, uint8_t, m->nb);
  k->inert = HK_TAKE(a, uint8_t, m->nb);
  k->loaded = HK_TAKE(a, uint8_t, m->nb);
  k->phi = HK_TAKE(a, double, m->nrows);
  k->phit = HK_TAKE(a, double, m->nrows);
  k->gamma = HK_TAKE(a, double, m->nrows);
  k->slope = HK_TAKE(a, double, m->nslope);
  layout_rows(k, m, a);
  k->gruns = HK_TAKE(a, hk_runs, m->nc);
  k->point = HK_TAKE(a, uint8_t, m->nc);
  k->points = HK_TAKE(a, hk_closure_points, m->nc);
  k->W = HK_TAKE(a, double, 6 * m->nb);
  k->tau = HK_TAKE(a, double, m->nv);
  k->row = HK_TAKE(a, hk_force_row, m->nf);
  k->fruns = HK_TAKE(a, hk_runs, m->nf);
  layout_pulls(k, m, a);
  k->fu = HK_TAKE(a, double, nu);
  k->fu0 = HK_TAKE(a, int32_t, m->nf);
  k->u = HK_TAKE(a, double, HK_ELEMENT_INPUTS * m->nf);
  layout_looks(k, m, a);
  k->kept_w = HK_TAKE(a, double, 12 * m->nf);
  k->kept_y = HK_TAKE(a, double, HK_ELEMENT_OUTPUTS * m->nf);
  if (m->nwide) layout_wide(k, m, a);
  k->x = HK_TAKE(a, double, m->nx + 1 + m->nheld);
  k->xd = HK_TAKE(a, double, m->nx + 1 + m->nheld);
  k->net = HK_TAKE(a, double, 2 * HK_ELEMENT_UNKNOWNS * m->nnet);
  layout_states(k, m, a);
  layout_signals(k, m, a);
}

/* a signal is live when a force or a closure needs it, directly or through others */
static void mark_live_as(hk_kin *k, int32_t si, hk_kin_live live) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  if (k->sig_live[si] >= live) return;
  k->sig_live[si] = (uint8_t)live;
  if (s->memory) live = HK_LIVE_BEFORE_START;
  for (int32_t j = 0; j < s->nreads; j++)
    if (s->reads[j].kind == HK_READ_SIGNAL) mark_live_as(k, s->reads[j].signal, live);
}
static void mark_live(hk_kin *k, int32_t si) { mark_live_as(k, si, HK_LIVE_ALWAYS); }

/* signals of time that the function of a coupling reads */
static void mark_coupling(hk_kin *k, const hk_coupling *c) {
  for (int32_t o = 0; o < c->norder; o++) {
    const hk_spec_signal *s = &k->m->spec->signals[c->order[o]];
    for (int32_t j = 0; j < s->nreads; j++)
      if (s->reads[j].kind == HK_READ_SIGNAL && !k->sig_state[s->reads[j].signal])
        mark_live(k, s->reads[j].signal);
  }
}

static void init_signals(hk_kin *k) {
  const hk_spec *spec = k->m->spec;
  int32_t grad = 0, at = 0, seen = 0, mem = 0;
  for (int32_t i = 0; i < k->nmem; i++) k->disc.mem[i] = 0.0;
  for (int32_t i = 0; i < spec->nsignals; i++) {
    const hk_spec_signal *s = &spec->signals[i];
    k->sig_state[i] = hki_model_reads_channels(k->m, i);
    k->sig_grad[i] = k->sig_state[i] ? grad++ : -1;
    k->seen0[i] = at;
    k->sig_mem[i] = s->memory ? mem : -1;
    if (s->memory) mem += hki_memory_size(s->memory);
    // a port shows a number of the block that it reads
    if (s->memory && !hki_memory_size(s->memory)) k->sig_mem[i] = k->sig_mem[s->reads[0].signal];
    for (int32_t j = 0; j < s->nreads; j++, at++) {
      bool late =
          s->reads[j].kind == HK_READ_CHANNEL && hki_channel_level(s->reads[j].channel) == 2;
      if (late) k->seen_channel[seen] = s->reads[j].channel;
      k->seen_of[at] = late ? seen++ : -1;
    }
  }
  for (int32_t i = 0; i < spec->nforces; i++)
    for (int32_t j = 0; j < spec->forces[i].ops->nu; j++)
      if (spec->forces[i].u_signal[j] != HK_NONE) mark_live(k, spec->forces[i].u_signal[j]);
  for (int32_t i = 0; i < spec->nnodes; i++)
    if (spec->nodes[i].signal != HK_NONE) mark_live(k, spec->nodes[i].signal);
  for (int32_t i = 0; i < k->m->nc; i++)
    for (int32_t j = 0; j < k->m->closures[i].nrows; j++)
      if (k->m->closures[i].row_signal[j] != HK_NONE) mark_live(k, k->m->closures[i].row_signal[j]);
  for (int32_t i = 0; i < k->m->nj; i++)
    for (int32_t j = 0; k->m->joints[i].turned && j < 4; j++)
      if (k->m->joints[i].turn_signal[j] != HK_NONE) mark_live(k, k->m->joints[i].turn_signal[j]);
  for (int32_t i = 0; i < k->m->nc; i++)
    if (k->m->closures[i].coupling) mark_coupling(k, k->m->closures[i].coupling);
  if (spec->run.step_signal != HK_NONE) mark_live(k, spec->run.step_signal);
}

/* constants of a revolute: A Rz(angle) B = K3 + cos K1 + sin K2, A and B the markers' axes */
static void init_hinge(hk_hinge *t, const hk_model_body *b) {
  static const double E1[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, E2[9] = {0, -1, 0, 1, 0, 0, 0, 0, 0},
                      E3[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
  double T[9];
  m3_mul(T, b->on_parent.R, E1);
  m3_mul(t->K1, T, b->child_inv.R);
  m3_mul(T, b->on_parent.R, E2);
  m3_mul(t->K2, T, b->child_inv.R);
  m3_mul(T, b->on_parent.R, E3);
  m3_mul(t->K3, T, b->child_inv.R);
}

/* kind of a closure whose rows all hold a point of the second body on axes of the first, or at a
 * distance */
static hk_point_kind point_kind(const hk_closure *c) {
  if (c->kind != HK_CLOSURE_JOINT || c->ops->caps & HK_JOINT_LOCKED || c->nrows < 1 || c->nrows > 3)
    return HK_POINT_NONE;
  for (int32_t r = 0; r < c->nrows; r++)
    if (c->row_signal[r] != HK_NONE) return HK_POINT_NONE;
  if (c->nrows == 1 && c->ops->rows[c->rows[0]] == HK_S_DISTANCE) return HK_POINT_DISTANCE;
  for (int32_t r = 0; r < c->nrows; r++)
    if (c->ops->rows[c->rows[r]] > HK_S_Z) return HK_POINT_NONE;
  return HK_POINT_AXES;
}

/* a free joint with the ground, in world axes, at the body's own origin */
static bool is_floating(const hk_model_body *b) {
  static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  return b->parent == HK_GROUND && b->nv == 6 && (b->ops->caps & HK_JOINT_QUATERNION) &&
         memcmp(b->on_parent.R, one, sizeof one) == 0 &&
         v3_dot(b->on_child.p, b->on_child.p) == 0.0;
}

/* what is constant of a node without rotation: axes, columns, inertia about its own origin O */
static void init_shifting(hk_kin *k, int32_t b) {
  static const double none[3] = {0};
  const hk_model_body *mb = &k->m->bodies[b];
  const double *J = mb->J, w[6] = {J[0], J[4], J[8], J[1], J[2], J[5]};
  hk_frame *f = &k->frame[b];
  m3_identity(f->R);
  v3_zero(f->w);
  for (int j = 0; j < 3; j++) {
    double *S = k->S + 6 * (mb->v0 + j);
    s6_zero(S);
    S[3 + j] = 1.0;
  }
  s6_zero(k->A0 + 6 * b);
  if (k->inert[b] != HK_INERT_NONE) inertia_set6(&k->I[b], mb->mass, none, w);
}

/* flags and constants of the bodies, which choose the faster paths of tree.c */
static void init_bodies(hk_kin *k) {
  const hk_model *m = k->m;
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    const uint32_t caps = mb->ops->caps;
    init_hinge(&k->hinge[b], mb);
    k->spherical[b] = (caps & HK_JOINT_QUATERNION) && (caps & HK_JOINT_POINT);
    k->floating[b] = is_floating(mb);
    k->shifting[b] = mb->point && mb->nv == 3;
    k->link[b] = (hk_link){mb->parent, mb->v0, mb->nv, k->floating[b]};
    k->biased[b] = !(caps & (HK_JOINT_ROTATION_Z | HK_JOINT_TRANSLATION_Z | HK_JOINT_RIGID)) &&
                   !k->spherical[b] && !k->floating[b] && !(caps & HK_JOINT_SHIFTS);
    k->inert[b] = (uint8_t)hki_body_inert(mb);
    k->upright[b] = mb->own.R[0] == 1.0 && mb->own.R[4] == 1.0 && mb->own.R[8] == 1.0;
    k->loaded[b] |= k->inert[b] != HK_INERT_NONE;
    if (mb->parent != HK_GROUND) k->loaded[mb->parent] |= k->loaded[b];
    memset(&k->I[b], 0, sizeof k->I[b]);
    if (k->shifting[b]) init_shifting(k, b);
    // constant columns of a floating body
    for (int j = 0; k->floating[b] && j < 6; j++) {
      s6_zero(k->S + 6 * (mb->v0 + j));
      if (j < 3) k->S[6 * (mb->v0 + j) + 3 + j] = 1.0;
    }
  }
}

/* runs of a path, and whether it begins with all coordinates of a floating body */
static hk_runs path_runs(const hk_kin *k, const hk_path *path) {
  hk_runs r = hki_kin_runs(path);
  const int32_t n = r.both ? r.both : r.first ? r.first : path->n;
  for (int32_t b = 0; n >= 6 && b < k->m->nb; b = k->m->bodies[b].last + 1)
    if (k->floating[b] && k->m->bodies[b].v0 == path->dof[0]) r.floating = true;
  return r;
}

/* are the rows of all closures functions of positions alone? */
static bool rows_of_places(const hk_kin *k) {
  const hk_model *m = k->m;
  if (m->spec->nsignals) return false;
  for (int32_t i = 0; i < m->nc; i++)
    if (!k->point[i] || m->closures[i].remark != HK_NONE || m->closures[i].lock != HK_NONE)
      return false;
  return true;
}

/* parts without anything in them are known from the start; signals of time know no velocities */
static void init_known(hk_kin *k) {
  const hk_model *m = k->m;
  k->by_place = rows_of_places(k) ? HK_KIN_CLOSURES : 0u;
  k->always = m->nc ? 0u : HK_KIN_OF_CLOSURES;
  if (!m->nf) k->always |= HK_KIN_TANGENTS;
  if (!m->spec->nsignals) k->always |= HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL;
  k->by_velocity = HK_KIN_BIAS | HK_KIN_OF_FORCES;
  if (k->m->ncurved) k->by_velocity |= HK_KIN_CLOSURES;
  for (int32_t i = 0; i < m->spec->nsignals; i++) {
    if (!k->sig_state[i]) continue;
    k->by_velocity |= HK_KIN_EVERY_SIGNAL;
    if (k->sig_live[i]) k->by_velocity |= HK_KIN_SIGNALS;
  }
  k->by_velocity &= ~k->always;
  k->known = k->always;
}

/* a signal that depends on nothing, from those that it reads */
static void constant_signal(hk_kin *k, int32_t si) {
  const hk_spec_signal *s = &k->m->spec->signals[si];
  for (int32_t i = 0; i < s->nreads; i++) constant_signal(k, s->reads[i].signal);
  hki_kin_signal(k, si);
}

/* inputs of forces that follow such signals, which nothing changes later */
static void constant_inputs(hk_kin *k) {
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    const hk_spec_force *f = &k->m->spec->forces[k->m->forces[fi].spec];
    for (int32_t i = 0; i < f->ops->nu; i++) {
      if (f->u_signal[i] == HK_NONE || (k->m->forces[fi].u_varies >> i & 1u)) continue;
      constant_signal(k, f->u_signal[i]);
      k->u[HK_ELEMENT_INPUTS * fi + i] = k->sig[3 * f->u_signal[i] + (f->u_rate >> i & 1u)];
    }
  }
}

void hki_kin_init(hk_kin *k) {
  const hk_model *m = k->m;
  int32_t z = 0, u = 0, g = 0;
  k->t_cap = INFINITY;
  init_bodies(k);
  hki_kin_find_looks(k);
  for (int32_t i = 0; k->lanes && i < m->nquad; i++) hki_lanes_init(k, i);
  for (int32_t i = 0; k->single && i < m->nb; i++) hki_single_init(k, i);
  hki_plane_init(k);
  for (int32_t i = 0; i < m->nc; i++) {
    const hk_closure *c = &m->closures[i];
    k->gz0[i] = g;
    g += c->nrows * c->path.n;
    k->disc.active[i] = c->active ? 1.0 : 0.0;
    k->point[i] = (uint8_t)point_kind(c);
    k->gruns[i] = path_runs(k, &c->path);
    k->in_plane[i] = k->plane && hki_plane_holds(k, i);
    if (c->remark == HK_NONE) continue;
    memcpy(k->disc.remark + 12 * c->remark, c->marker[0].R, 9 * sizeof(double));
    memcpy(k->disc.remark + 12 * c->remark + 9, c->marker[0].p, 3 * sizeof(double));
  }
  k->gz0[m->nc] = hki_rows4_find(k, g);
  hki_plane_rows_init(k, k->gz0[m->nc]);
  for (int32_t i = 0; i < m->nlock; i++) k->disc.lock[i] = 0.0;
  for (int32_t i = 0; i < m->nstops; i++) k->disc.push[i] = 0.0;
  for (int32_t i = 0; i < m->nnormal; i++) k->disc.normal[i] = k->disc.shift[i] = 0.0;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    k->row[i].z0 = z;
    k->row[i].rank = f->ops->nscal ? 1 : f->ops->rank;
    k->fruns[i] = path_runs(k, &f->path);
    z += k->row[i].rank * f->path.n;
    k->fu0[i] = f->u_state ? u : -1;
    u += f->u_state ? f->ops->nu * f->path.n : 0;
    memcpy(k->u + HK_ELEMENT_INPUTS * i, m->spec->forces[f->spec].u,
           HK_ELEMENT_INPUTS * sizeof(double));
    for (int32_t j = 0; j < f->nd; j++) k->disc.d[f->d0 + j] = 0.0;
    if (f->nz)
      k->state[f->state] = (hk_states){.c = k->zc + f->z0,
                                       .z = k->z + f->z0,
                                       .zd = k->zd + f->z0,
                                       .last = k->zlast + f->z0,
                                       .branch = k->zbranch + f->z0};
  }
  hki_pulls4_find(k, z);
  // measured coordinates start at their values in the drawing position
  for (int32_t i = 0; i < m->ns; i++) {
    const hk_scalar *x = &m->scalars[i];
    if (x->turn != HK_NONE) k->disc.turn[x->turn] = m->spec->joints[x->joint].zero[x->coord];
  }
  for (int32_t i = 0; i < m->nx; i++) k->x[i] = m->unknowns[i].start, k->xd[i] = 0.0;
  for (int32_t i = m->nx; i < m->nx + 1 + m->nheld; i++) k->x[i] = k->xd[i] = 0.0;
  for (int32_t i = 0; i < m->nheld; i++) k->x[m->nx + 1 + i] = m->spec->nodes[m->held[i]].value;
  for (int32_t i = 0; i < m->nz; i++) k->z[i] = k->zd[i] = k->zc[i] = 0.0, k->zbranch[i] = 0;
  hki_kin_next_iterate(k);
  init_signals(k);
  hki_travel_init(k);
  init_known(k);
  constant_inputs(k);
}
