/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_work.c: the work of forces and motions over steps, and the books of who did it.
 *
 *   power of a prescribed motion = lam . Phi_t          lam from reactions.h
 *
 * Steps of fixed length: Simpson's rule with the Hermite middle, for forces by kinematics/work.c.
 * For a row of a motion, Phi = g(q) - f(t), the stroke is -f, whose rate is known; lam is known at
 * accepted states only, and in the middle it is that of the parabola through its last three values:
 *
 *   W    = h (lam0 Phi_t0 + 4 lam Phi_t + lam1 Phi_t1)/6
 *   Phi_t = -3 (f1 - f0)/(2 h) + (f0' + f1')/4
 *   lam   = (lam0 + lam1)/2 - h^2 (d1 - d0)/(4 (h + h0))       d: mean rates of lam, this step's
 *                                                              and the last one's
 *
 * Rows of couplings that depend on time have no signal: f = 0, and Phi_t in the middle is the mean. The stroke
 * of a servo is that of its actuators, f = sum b_i s_i.
 *
 * After a jump there is no last step, and lam is taken as linear.
 *
 * Steps of controlled length: Simpson's rule with the state of the dense output (sim_free.c).
 *
 * Sources are the forces, the joints with motions or rigid stops, and one for what belongs to none of them: events
 * and jumps. The energy of a jump goes to the forces whose stored energy has changed, the rest to
 * the joint whose motion has changed its rate.
 */
#include "kinematics/wide.h"
#include "model/channel_list.h"
#include "simulation/simulation.h"

/* does a row depend on time, so that it does work? */
static bool is_driven(const hk_closure *c, int32_t r) {
  return c->row_signal[r] != HK_NONE || (c->coupling && c->coupling->driven);
}

/* rows of motions, and joints that have them */
static int32_t count_motions(const hk_model *m) {
  int32_t n = 0;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++) n += is_driven(&m->closures[c], r);
  return n;
}

void hki_work_layout(hk_sim *s, hk_arena *a) {
  const hk_model *m = s->m;
  hk_work *w = &s->work;
  w->nmotions = count_motions(m);
  w->n = m->nf + m->nwide + w->nmotions + m->nstops + 1; // at most one joint for each row
  const bool inputs = hki_model_input_traces(m);
  const size_t bytes =
      (size_t)m->nf * (sizeof(hk_force_trace) + inputs * sizeof(hk_input_trace)) +
      (size_t)w->nmotions * sizeof(hk_motion_trace) + (size_t)m->nwide * sizeof(hk_wide_trace) +
      (size_t)m->wide_marks * sizeof(hk_frame) + 2 * (size_t)m->nz * sizeof(double);
  w->nstate = (int32_t)(bytes / sizeof(double));
  for (int g = 0; g < 2; g++) {
    w->state[g] = HK_TAKE(a, double, w->nstate);
    if (!w->state[g]) continue;
    hk_force_trace *force = (hk_force_trace *)w->state[g];
    hk_input_trace *input = (hk_input_trace *)(force + m->nf);
    w->rows[g] = (hk_motion_trace *)(input + (inputs ? m->nf : 0));
    hk_frame *wide = (hk_frame *)(w->rows[g] + w->nmotions);
    hk_wide_trace *powers = (hk_wide_trace *)(wide + m->wide_marks);
    w->trace[g] =
        (hk_trace){force, (double *)(powers + m->nwide), inputs ? input : NULL, powers, wide};
  }
  w->motion = HK_TAKE(a, hk_motion_row, w->nmotions);
  w->of_joint = HK_TAKE(a, int32_t, m->nj);
  w->book = HK_TAKE(a, double, 2 * w->n);
  w->step = HK_TAKE(a, double, 2 * w->n);
  w->kept = HK_TAKE(a, double, 2 * w->n + w->nstate);
  w->base = HK_TAKE(a, double, s->free.on ? 8 * w->n : 0);
}

/* a source for reports: one of the books, or several together */
static void add_source(hk_work *w, int32_t first, int32_t n, const char *name) {
  w->source[w->nsources++] = (struct hk_source){name, first, n};
}

/* elements: those of a group together, others each by its own name */
static void name_wide(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  const int32_t nf = s->m->nf;
  int32_t next = 0;
  for (int32_t g = 0; g <= spec->ngroups; g++) {
    const int32_t from = g < spec->ngroups ? spec->groups[g].wide0 : spec->nwide;
    for (; next < from; next++) {
      const hk_wide_ops *ops = spec->wide[next].ops;
      const hk_group group = ops->inertia                ? HK_GROUP_FLEX
                             : ops->ny == HK_WIDE_SLIDER ? HK_GROUP_SLIDER
                                                         : HK_GROUP_BEAM;
      add_source(&s->work, nf + next, 1,
                 hki_pool_printf(s->pool, "%s.%s", hki_group_names[group], spec->wide[next].name));
    }
    if (g == spec->ngroups) break;
    add_source(&s->work, nf + from, spec->groups[g].nwide,
               hki_pool_printf(s->pool, "%s.%s", spec->groups[g].kind, spec->groups[g].name));
    next = from + spec->groups[g].nwide;
  }
}

/* "force.spring", "network.motor", "beam.wing", "joint.crank", "events" */
static hk_status name_sources(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  hk_work *w = &s->work;
  w->source = hki_pool_alloc(s->pool, (size_t)(w->n + spec->ngroups) * sizeof *w->source);
  if (!w->source) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->m->nf; i++) {
    const int32_t f = s->m->forces[i].spec;
    const char *group = hki_group_names[hki_group_of_force(spec, f)];
    add_source(w, i, 1, hki_pool_printf(s->pool, "%s.%s", group, spec->forces[f].name));
  }
  name_wide(s);
  const int32_t before = w->nsources, joints = w->other - s->m->nf - s->m->nwide;
  w->nsources += joints; // in the order of their numbers
  for (int32_t j = 0; j < s->m->nj; j++) {
    const int32_t i = w->of_joint[j];
    const bool servo = spec->joints[j].ops->caps & HK_JOINT_SERVO;
    if (i == HK_NONE) continue;
    w->source[before + i - s->m->nf - s->m->nwide] = (struct hk_source){
        hki_pool_printf(s->pool, "%s.%s", hki_group_names[servo ? HK_GROUP_SERVO : HK_GROUP_JOINT],
                        spec->joints[j].name),
        i, 1};
  }
  add_source(w, w->other, 1, "events");
  for (int32_t i = 0; i < w->nsources; i++)
    if (!w->source[i].name) return HK_E_MEMORY;
  return HK_OK;
}

hk_status hki_work_init(hk_sim *s) {
  const hk_model *m = s->m;
  hk_work *w = &s->work;
  int32_t n = 0, source = m->nf + m->nwide;
  for (int32_t j = 0; j < m->nj; j++) w->of_joint[j] = HK_NONE;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++) {
      const hk_closure *cl = &m->closures[c];
      if (!is_driven(cl, r)) continue;
      if (w->of_joint[cl->joint] == HK_NONE) w->of_joint[cl->joint] = source++;
      w->motion[n++] = (hk_motion_row){c, cl->row0 + r, cl->row_signal[r], w->of_joint[cl->joint]};
    }
  for (int32_t i = 0; i < m->nstops; i++) {
    const int32_t j = m->scalars[m->stops[i].scalar].joint;
    if (w->of_joint[j] == HK_NONE) w->of_joint[j] = source++;
  }
  w->other = source;
  w->n = source + 1;
  for (int i = 0; w->base && i < 3; i++) w->power[i] = w->base + 2 * (1 + i) * w->n;
  w->moved = HK_NONE;
  return name_sources(s);
}

/* --- at one state ----------------------------------------------------------------------------- */

/* the actuators' stroke and its rate */
static void servo_stroke(const hk_kin *k, const hk_coupling *c, hk_motion_trace *t) {
  double x[HK_COUPLED], xd[HK_COUPLED];
  hki_kin_coupled(k, c, x, xd);
  t->f = t->fd = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    t->f += c->arg[i].push * x[i];
    t->fd += c->arg[i].push * xd[i];
  }
  t->rate = -t->fd;
}

void hki_work_measure(hk_sim *s, const double *lam) {
  hk_work *w = &s->work;
  const hk_kin *k = s->kin;
  for (int32_t i = 0; i < w->nmotions; i++) {
    const hk_motion_row *row = &w->motion[i];
    hk_motion_trace *t = &w->rows[!w->now][i];
    static const double still[3] = {0.0, 0.0, 0.0};
    const hk_coupling *of = s->m->closures[row->closure].coupling;
    const double *f = row->signal == HK_NONE ? still : k->sig + 3 * row->signal;
    const bool on = lam && k->disc.active[row->closure] != 0.0;
    *t = (hk_motion_trace){on ? lam[row->row] : 0.0, HK_NO_RATE, f[0], f[1],
                           on ? k->phit[row->row] : 0.0};
    if (of && of->servo && on) servo_stroke(k, of, t);
  }
}

double hki_work_motion_power(const hk_sim *s) {
  double sum = 0.0;
  for (int32_t i = 0; i < s->work.nmotions; i++) {
    const hk_motion_trace *t = &s->work.rows[!s->work.now][i];
    sum += t->lam * t->rate;
  }
  return sum;
}

void hki_work_take(hk_sim *s) { s->work.now = !s->work.now; }

void hki_work_start(hk_sim *s) {
  memset(s->work.book, 0, 2 * (size_t)s->work.n * sizeof(double));
  s->work.h = 0.0;
  s->work.touched = false;
  hki_work_take(s);
}

/* What moves as prescribed has no error that steps could be chosen by, and yet its drive does work. A
 * step of half a radian, or of half the mechanism's size, integrates that to 1e-5. */
double hki_work_longest(const hk_sim *s) {
  const hk_work *w = &s->work;
  double most = 0.0;
  for (int32_t i = 0; i < w->nmotions; i++) {
    const hk_motion_row *row = &w->motion[i];
    const double unit = hki_model_row_is_length(s->m, row->row) ? s->m->length : 1.0;
    if (row->signal != HK_NONE) most = fmax(most, fabs(w->rows[w->now][i].fd) / unit);
  }
  return most > 0.0 ? 0.5 / most : INFINITY;
}

/* --- over a step ------------------------------------------------------------------------------ */

static double motion_work(double h, double h0, const hk_motion_trace *a, hk_motion_trace *b) {
  // rows whose rate is not that of their signal: by the mean of the difference
  const double stroke = a->f - b->f + 0.5 * h * ((a->rate + a->fd) + (b->rate + b->fd));
  const double rate = 1.5 * stroke / h - 0.25 * (a->rate + b->rate);
  b->lamd = (b->lam - a->lam) / h;
  const double bend = hki_no_rate(a->lamd) ? 0.0 : (b->lamd - a->lamd) / (h + h0);
  const double lam = 0.5 * (a->lam + b->lam) - 0.25 * h * h * bend;
  return h * (a->lam * a->rate + 4.0 * lam * rate + b->lam * b->rate) / 6.0;
}

/* of elements on several markers; of those that act for a force it is that of the force */
static void wide_work(hk_sim *s, double h, const hk_trace *from, const hk_trace *to) {
  double *step = s->work.step, *own = step + 2 * (ptrdiff_t)s->m->nf;
  hki_kin_wide_work(s->kin, h, from, to, own);
  for (int32_t i = 0; i < s->m->nwide; i++, own += 2) {
    const int32_t f = s->m->wide[i].force;
    if (f == HK_NONE) continue;
    step[2 * f] += own[0], step[2 * f + 1] += own[1];
    own[0] = own[1] = 0.0;
  }
}

void hki_work_step(hk_sim *s, double h) {
  hk_work *w = &s->work;
  const int32_t from = w->now, to = !w->now, nf = s->m->nf, nwide = s->m->nwide;
  double supplied = 0.0, dissipated = 0.0;
  if (h > 0.0) {
    hki_kin_work(s->kin, h, w->h, &w->trace[from], &w->trace[to], w->step);
    if (nwide) wide_work(s, h, &w->trace[from], &w->trace[to]);
    for (int32_t i = 0; i < 2 * (nf + nwide); i += 2) {
      w->book[i] += w->step[i], w->book[i + 1] += w->step[i + 1];
      dissipated += w->step[i], supplied += w->step[i + 1];
    }
    for (int32_t i = 0; i < w->nmotions; i++) {
      const double work = motion_work(h, w->h, &w->rows[from][i], &w->rows[to][i]);
      w->book[2 * w->motion[i].source + 1] += work;
      supplied += work;
    }
    w->h = h;
  }
  s->audit.supplied += supplied;
  s->audit.dissipated += dissipated;
  w->moved = HK_NONE;
  hki_work_take(s);
}

/* --- jumps ------------------------------------------------------------------------------------ */

/* before the books change while a step is tried: what undoing it needs */
static void keep(hk_work *w) {
  if (w->touched) return;
  w->touched = true;
  memcpy(w->kept, w->book, 2 * (size_t)w->n * sizeof(double));
  memcpy(w->kept + 2 * w->n, w->state[w->now], (size_t)w->nstate * sizeof(double));
}

void hki_work_trying(hk_sim *s) { s->work.touched = false; }

void hki_work_undo(hk_sim *s) {
  hk_work *w = &s->work;
  if (!w->touched) return;
  w->touched = false;
  memcpy(w->book, w->kept, 2 * (size_t)w->n * sizeof(double));
  memcpy(w->state[w->now], w->kept + 2 * w->n, (size_t)w->nstate * sizeof(double));
}

/* the joint whose motion has changed its rate; `other` when there are several */
static void find_moved(hk_work *w) {
  for (int32_t i = 0; i < w->nmotions; i++) {
    const int32_t source = w->motion[i].source;
    if (w->rows[0][i].fd == w->rows[1][i].fd || w->moved == source) continue;
    w->moved = w->moved == HK_NONE ? source : w->other;
  }
}

void hki_work_jump(hk_sim *s, double energy) {
  hk_work *w = &s->work;
  const hk_force_trace *a = w->trace[w->now].force, *b = w->trace[!w->now].force;
  const double round_off = 1e-12 * (fabs(s->audit.kinetic) + fabs(s->audit.potential));
  int32_t most = HK_NONE;
  keep(w);
  find_moved(w);
  for (int32_t i = 0; i < s->m->nf; i++) {
    const double e = b[i].energy - a[i].energy;
    if (e == 0.0) continue;
    if (most == HK_NONE || fabs(e) > fabs(b[most].energy - a[most].energy)) most = i;
    w->book[2 * i + 1] += e;
    energy -= e;
  }
  // round-off of the sums is not the work of anybody else
  int32_t rest = w->moved == HK_NONE ? w->other : w->moved;
  if (most != HK_NONE && fabs(energy) <= round_off) rest = most;
  w->book[2 * rest + 1] += energy;
  hki_work_take(s);
}

void hki_work_loss(hk_sim *s, double energy) {
  keep(&s->work);
  s->work.book[2 * s->work.other] += energy;
  hki_work_take(s);
}

void hki_work_stops(hk_sim *s, double supplied, double dissipated) {
  hk_work *w = &s->work;
  int32_t most = w->other;
  double largest = 0.0;
  keep(w);
  for (int32_t i = 0; i < s->stops.n; i++) {
    const double lost = s->stops.lost[i];
    const int32_t source = w->of_joint[hki_sim_stop_joint(s, i)];
    if (lost == 0.0) continue;
    if (fabs(lost) > largest) largest = fabs(lost), most = source;
    w->book[2 * source] += lost;
    dissipated -= lost;
  }
  // round-off of the sums, or what joints took that events have fixed
  const double round_off = 1e-9 * largest + 1e-12 * fabs(s->audit.kinetic);
  w->book[2 * (fabs(dissipated) <= round_off ? most : w->other)] += dissipated;
  w->book[2 * (w->moved == HK_NONE ? w->other : w->moved) + 1] += supplied;
  hki_work_take(s);
}

/* --- steps of controlled length --------------------------------------------------------------- */

void hki_work_powers(hk_sim *s, int32_t place, bool accepted) {
  hk_work *w = &s->work;
  const int32_t g = accepted ? w->now : !w->now;
  double *p = w->power[place];
  if (place == 0) memcpy(w->base, w->book, 2 * (size_t)w->n * sizeof *w->base);
  memset(p, 0, 2 * (size_t)w->n * sizeof *p);
  for (int32_t i = 0; i < s->m->nf; i++) {
    p[2 * i] = w->trace[g].force[i].dissipated;
    p[2 * i + 1] = w->trace[g].force[i].supplied + w->trace[g].force[i].moving;
  }
  for (int32_t i = 0; i < s->m->nwide; i++) {
    const int32_t own = s->m->nf + i, f = s->m->wide[i].force, at = f == HK_NONE ? own : f;
    p[2 * own] = p[2 * own + 1] = 0.0;
    p[2 * at] += w->trace[g].wide[i].dissipated;
    p[2 * at + 1] += w->trace[g].wide[i].supplied;
  }
  for (int32_t i = 0; i < w->nmotions; i++)
    p[2 * w->motion[i].source + 1] += w->rows[g][i].lam * w->rows[g][i].rate;
}

double hki_work_spent(const hk_sim *s, bool accepted) {
  const hk_force_trace *t = s->work.trace[accepted ? s->work.now : !s->work.now].force;
  double sum = 0.0;
  for (int32_t i = 0; i < s->m->nf; i++) sum += t[i].spent;
  return sum;
}

void hki_work_close(hk_sim *s, double h) {
  hk_work *w = &s->work;
  const hk_force_trace *a = w->trace[w->now].force, *b = w->trace[!w->now].force;
  for (int32_t i = 0; i < s->m->nf; i++) w->book[2 * i] += b[i].spent - a[i].spent;
  for (int32_t i = 0; i < 2 * w->n; i++)
    w->book[i] += h * (w->power[0][i] + 4.0 * w->power[1][i] + w->power[2][i]) / 6.0;
  w->moved = HK_NONE;
  hki_work_take(s);
}

double hki_work_of(const hk_sim *s, int32_t source, bool supplied) {
  const hk_work *w = &s->work;
  const int32_t i = 2 * source + supplied;
  if (source == HK_NONE) return 0.0;
  if (!s->free.shown) return w->book[i];
  const double p[3] = {w->power[0][i], w->power[1][i], w->power[2][i]};
  double spent = 0.0; // what is left of it at the end of the step, less what it grows until then
  if (source < s->m->nf && !supplied && s->m->forces[source].nd > s->m->forces[source].ops->nd) {
    spent = w->book[i] - w->base[i] - s->free.length * (p[0] + 4.0 * p[1] + p[2]) / 6.0;
    spent -= w->trace[w->now].force[source].spent - w->trace[!w->now].force[source].spent;
  }
  return w->base[i] + hki_sim_work_within(s, p) + spent;
}

double hki_work_of_all(const hk_sim *s, int32_t first, int32_t n, bool supplied) {
  double sum = 0.0;
  for (int32_t i = first; i < first + n; i++) sum += hki_work_of(s, i, supplied);
  return sum;
}

double hki_work_of_beam(const hk_sim *s, int32_t item, bool supplied) {
  int32_t first, n;
  hki_spec_wide_range(s->m->spec, item, &first, &n);
  return hki_work_of_all(s, s->m->nf + first, n, supplied);
}
