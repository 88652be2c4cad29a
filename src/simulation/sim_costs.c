/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_costs.c: what a run costs in each formulation before it is made: memory and time of an
 * iteration; the choice of `formulation: auto`; what does not fit is refused.
 *
 * The choice is among formulations that say what they are good for (formulation.h) and that the
 * model and the integrator allow, in the order of their table. The first that fits into memory is
 * taken, and a later one in its place only where an iteration is predicted to take less than a
 * third of the time. A formulation that iterates to a fixed point is not taken where the model is
 * known to slow it down:
 *
 *   forces with stiffness across several joints
 *   taut chains: a link of mass m and length L under the weight of mass M below it swings with
 *                w^2 = 4 g M/(m L); the iteration contracts by about w^2 h^2/4
 *
 * One whose coordinates are those of joints is not taken where loops lie thousands of bodies deep: round-off adds up along the tree,
 * and an iteration does not converge.
 */
#include <stdio.h>

#include "simulation/simulation.h"

static const double share = 0.8; /* of the memory left that a run may take */
static const double gain = 3.0;  /* times faster: worth another formulation */
static const double slow = 0.1;  /* contraction of a fixed-point iteration that is too slow */

/* Bodies from the ground: scissor lifts and stacks of four-bars still converge at 3,200 and no longer at 5,000. */
enum { DEEP_LOOPS = 3000 };

/* models up to this size fit everywhere, in every formulation, and are not counted */
enum { SMALL_BODIES = 64, SMALL_ROWS = 256 };

static bool is_small(const hk_model *m) {
  return m->nb <= SMALL_BODIES && m->nrows <= SMALL_ROWS && m->nf <= 4 * SMALL_BODIES;
}

/* is there nothing to count? */
static bool is_settled(const hk_sim *s) { return is_small(s->m) && !s->memory_given; }

void hki_sim_set_memory(hk_sim *s, double bytes) {
  s->memory_given = bytes > 0.0;
  s->memory = s->memory_given ? bytes : share * hki_memory_left();
}

/* s->common: what every formulation needs beside its own */
static hk_status common_cost(hk_sim *s) {
  const hk_model *m = s->m;
  if (s->common.bytes > 0.0) return HK_OK;
  hk_status st = HK_OK;
  if (!s->reactions) st = hki_reactions_create(s->ctx, m, &s->reactions);
  if (st == HK_OK) st = hki_assembly_cost(s->ctx, m, s->memory, &s->common);
  // reactions, state, history
  if (st == HK_OK)
    s->common.bytes += hki_reactions_bytes(s->reactions) + 8.0 * (40.0 * m->nv + 25.0 * m->nb) +
                       sizeof *s + 8192.0;
  return st;
}

hk_status hki_sim_cost(hk_sim *s, const hk_formulation_entry *fe, const void *par, hk_cost *out) {
  double defaults[HK_FORMULATION_PAR_MAX / 8];
  *out = (hk_cost){0};
  hk_status st = common_cost(s);
  if (!par) hki_params_default(fe->ops->params, defaults);
  if (st == HK_OK) st = fe->cost(s->ctx, s->m, par ? par : defaults, s->memory, out);
  if (fe->net) hki_net_cost(s->m, out);
  out->bytes += s->common.bytes + 250.0 * s->nchannels;
  out->least = out->least || s->common.least;
  return st;
}

/* --- the choice ------------------------------------------------------------------------------- */

/* largest contraction of a fixed-point iteration by the weight of chains, at step h */
static double tautness(const hk_model *m, double h, double *below) {
  const double g = v3_norm(m->spec->gravity);
  double worst = 0.0;
  memset(below, 0, (size_t)m->nb * sizeof *below);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    const double reach = v3_norm(mb->on_child.p), L = reach > 0.0 ? 2.0 * reach : m->length;
    if (mb->mass > 0.0 && mb->depth) worst = fmax(worst, g * h * h * below[b] / (mb->mass * L));
    if (mb->parent != HK_GROUND) below[mb->parent] += below[b] + mb->mass;
  }
  return worst;
}

/* a force with deformations that several joints change */
static bool is_wide(const hk_model *m, const hk_model_force *f) {
  const hk_path *p = &f->path;
  if (!(f->ops->rank > 0) || !p->n) return false;
  // velocities of one body lie side by side
  for (int32_t k = 1; k < p->n; k++)
    if (p->dof[k] - p->dof[0] >= 6 || p->dof[k] < p->dof[0]) return true;
  for (int side = 0; side < 2; side++) {
    const int32_t b = f->body[side];
    if (b == HK_GROUND) continue;
    const hk_model_body *mb = &m->bodies[b];
    if (p->dof[0] >= mb->v0 && p->dof[p->n - 1] < mb->v0 + mb->nv) return false;
  }
  return f->ops->nscal == 0;
}

/* why a fixed-point iteration would be slow on this model; NULL: it would not */
static const char *slow_fixed_point(hk_sim *s, double h) {
  const hk_model *m = s->m;
  for (int32_t f = 0; f < m->nf; f++)
    if (is_wide(m, &m->forces[f])) return "springs act across several joints";
  if (m->nwide) return "beams act across several joints";
  double *below = hki_alloc(s->ctx, (size_t)(m->nb + 1) * sizeof *below);
  const double worst = below ? tautness(m, h, below) : 0.0;
  hki_free(s->ctx, below);
  return worst > slow ? "its chains are heavy for the step" : NULL;
}

bool hki_sim_has_deep_loops(const hk_model *m) {
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *k = &m->closures[c];
    for (int side = 0; side < 2 && k->kind == HK_CLOSURE_JOINT; side++)
      if (k->body[side] != HK_GROUND && m->bodies[k->body[side]].depth > DEEP_LOOPS) return true;
  }
  return false;
}

/* Motions of massless bodies that only forces can hold. Closures may determine them: then it is not
 * known before the assembly. */
static bool has_static_nodes(const hk_model *m) {
  int32_t b = m->nb - 1;
  if (m->nrows) return false;
  // a massless leaf that can move; one that cannot belongs to the body above
  for (; b >= 0; b--)
    if (m->bodies[b].last == b)
      for (int32_t i = b; i >= 0 && m->bodies[i].last == b && m->bodies[i].massless;
           i = m->bodies[i].parent)
        if (m->bodies[i].nv) return true;
  return false;
}

/* does the formulation have all options of the caller that belong to formulations? */
static bool has_options(const hk_sim *s, const hk_formulation_ops *f, const hk_sim_options *opt) {
  for (int32_t i = 0; i < opt->noptions; i++) {
    const char *name = opt->options[i].name;
    if (hki_params_find(f->params, name) || hki_params_find(s->I.ops->params, name) ||
        hki_params_find(hki_solver_params, name))
      continue;
    if (hki_is_option(s->ctx, name)) return false;
  }
  return true;
}

typedef struct picker {
  hk_sim *s;
  const hk_sim_options *opt;
  bool still; /* the model has static nodes */
} picker;

static bool is_candidate(const picker *p, const hk_formulation_entry *fe) {
  if (!fe->good_for || !hki_fits_model(p->s, fe->ops) || !hki_fits_integrator(p->s, fe->ops))
    return false;
  if (p->still && !(fe->ops->caps & HK_CAP_HELD)) return false;
  return has_options(p->s, fe->ops, p->opt);
}

/* the first candidate; NULL: none */
static const hk_formulation_entry *first(const picker *p) {
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    if (is_candidate(p, hki_formulation_at(i))) return hki_formulation_at(i);
  return NULL;
}

/* the reason: what the choice is good for, and how the first candidate compares */
static void explain(hk_sim *s, const hk_formulation_entry *fe, const hk_cost *c,
                    const hk_formulation_entry *other, const hk_cost *o) {
  char a[32], b[32];
  const int n = snprintf(s->why, sizeof s->why, "%s", fe->good_for);
  if (fe == other || n < 0 || (size_t)n >= sizeof s->why) return;
  if (other->relative && !fe->relative && hki_sim_has_deep_loops(s->m)) {
    snprintf(s->why + n, sizeof s->why - (size_t)n,
             "; loops lie so deep that round-off adds up in %s", other->ops->name);
    return;
  }
  hki_bytes_text(c->bytes, a, sizeof a), hki_bytes_text(o->bytes, b, sizeof b);
  if (o->bytes > s->memory)
    snprintf(s->why + n, sizeof s->why - (size_t)n, "; it needs %s, %s would need %s%s", a,
             other->ops->name, o->least ? "at least " : "", b);
  else
    snprintf(s->why + n, sizeof s->why - (size_t)n,
             "; an iteration of %s would take about %.0f times as long", other->ops->name,
             o->seconds / fmax(c->seconds, 1e-12));
}

/* the formulation that a message can name where no candidate is left */
static const hk_formulation_entry *any_formulation(const hk_sim *s) {
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    if (hki_fits_model(s, hki_formulation_at(i)->ops)) return hki_formulation_at(i);
  return hki_formulation_at(0);
}

/* the best candidate by cost, `start` where none fits */
static hk_status pick_by_cost(const picker *p, const hk_formulation_entry *start) {
  hk_sim *s = p->s;
  const double h = p->opt->step > 0.0 ? p->opt->step : s->m->spec->run.step;
  const bool implicit = (s->I.ops->needs & (HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC)) != 0;
  const bool deep = hki_sim_has_deep_loops(s->m);
  const bool slowed = implicit && slow_fixed_point(s, h > 0.0 ? h : 1e-3);
  hk_cost first_cost = {0};
  s->fe = NULL;
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const hk_formulation_entry *fe = hki_formulation_at(i);
    hk_cost c;
    if (!is_candidate(p, fe) || (slowed && fe->fixed_point && fe != start)) continue;
    if (deep && fe->relative) continue;
    hk_status st = hki_sim_cost(s, fe, NULL, &c);
    if (st != HK_OK) return st;
    if (fe == start) first_cost = c;
    if (c.bytes > s->memory || (s->fe && c.seconds > s->cost.seconds / gain)) continue;
    s->fe = fe, s->cost = c;
  }
  if (s->fe)
    explain(s, s->fe, &s->cost, start, &first_cost);
  else
    s->fe = start, s->cost = first_cost;
  return HK_OK;
}

hk_status hki_sim_pick(hk_sim *s, const hk_sim_options *opt) {
  const picker p = {s, opt, has_static_nodes(s->m)};
  const hk_formulation_entry *start = first(&p);
  s->fe = start ? start : any_formulation(s);
  if (!start) return HK_OK;
  snprintf(s->why, sizeof s->why, "%s", start->good_for);
  return is_settled(s) ? HK_OK : pick_by_cost(&p, start);
}

/* --- what does not fit ------------------------------------------------------------------------ */

/* "recursive 31 MB, redundant 2.1 GB": those of the others that would fit */
static void list_fitting(hk_sim *s, char *buf, size_t cap) {
  char bytes[32];
  size_t n = 0;
  buf[0] = '\0';
  for (int32_t i = 0; i < hki_formulation_count() && n < cap; i++) {
    const hk_formulation_entry *fe = hki_formulation_at(i);
    hk_cost c;
    if (fe == s->fe || !hki_fits_model(s, fe->ops) || !hki_fits_integrator(s, fe->ops)) continue;
    if (hki_sim_cost(s, fe, NULL, &c) != HK_OK || c.least || c.bytes > s->memory) continue;
    n += (size_t)snprintf(buf + n, cap - n, "%s%s %s", n ? ", " : "", fe->ops->name,
                          hki_bytes_text(c.bytes, bytes, sizeof bytes));
  }
}

static hk_status refuse(hk_sim *s, hk_status code, hk_loc loc) {
  char need[32], have[32], list[200], hint[400];
  hki_bytes_text(s->memory, have, sizeof have);
  if (s->common.bytes > s->memory)
    return hki_error(
        s->ctx, code, loc,
        "equilibria, and loops, start values of bodies and massless bodies where they are "
        "not local, are assembled with the matrix of the spanning tree: shorter chains "
        "need less",
        "the start of this model needs %s%s of memory, and a run may take %s",
        s->common.least ? "at least " : "", hki_bytes_text(s->common.bytes, need, sizeof need),
        have);
  list_fitting(s, list, sizeof list);
  if (list[0])
    snprintf(hint, sizeof hint, "these fit: %s; --memory gives a run more", list);
  else
    snprintf(hint, sizeof hint, "no formulation fits; --memory gives a run more");
  return hki_error(s->ctx, code, loc, hint,
                   "formulation '%s' needs %s%s of memory for this model, and a run may take %s",
                   s->fe->ops->name, s->cost.least ? "at least " : "",
                   hki_bytes_text(s->cost.bytes, need, sizeof need), have);
}

hk_status hki_sim_refuse_size(hk_sim *s, hk_status code, hk_loc loc) {
  double defaults[HK_FORMULATION_PAR_MAX / 8] = {0};
  if (is_settled(s)) return HK_OK;
  hki_params_default(s->fe->ops->params, defaults);
  // counted for the choice but for the channels, unless options have changed it
  hk_status st = HK_OK;
  if (!(s->cost.bytes > 0.0) || memcmp(defaults, s->formulation_par, s->fe->par_size) != 0)
    st = hki_sim_cost(s, s->fe, s->formulation_par, &s->cost);
  else
    s->cost.bytes += 250.0 * s->nchannels;
  return st == HK_OK && s->cost.bytes > s->memory ? refuse(s, code, loc) : st;
}

/* --- the table of `hooke check` --------------------------------------------------------------- */

hk_status hki_sim_table(hk_sim *s, hk_pool *pool, hk_check_report *out) {
  const int32_t n = hki_formulation_count();
  hk_check_formulation *list = hki_pool_alloc(pool, (size_t)(n + 1) * sizeof *list);
  hk_status st = list ? HK_OK : HK_E_MEMORY;
  out->formulations = list;
  out->memory = s->memory;
  for (int32_t i = 0; st == HK_OK && i < n; i++) {
    const hk_formulation_entry *fe = hki_formulation_at(i);
    const bool chosen = fe == s->fe;
    hk_cost c;
    if (!hki_fits_model(s, fe->ops)) continue;
    st = hki_sim_cost(s, fe, chosen ? s->formulation_par : NULL, &c);
    const char *why = chosen ? hki_pool_strdup(pool, s->why) : "";
    if (!why) st = HK_E_MEMORY;
    list[out->nformulations++] = (hk_check_formulation){
        fe->ops->name, c.bytes, c.seconds, c.least, c.bytes <= s->memory, chosen, why};
  }
  return st;
}
