/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse.c: actuators for a motion that is known (hooke/inverse.h): their choice and their life.
 */
#include "simulation/inverse.h"

#include <stdio.h>

#include "analyses/range.h"
#include "analyses/assembly.h"
#include "linalg/dense.h"

/* --- names ------------------------------------------------------------------------------------ */

/* an input of the model, "signal.NAME" or "NAME"; HK_NONE: there is none */
static int32_t find_input(const hk_sim *s, const char *text) {
  const int32_t i = hk_sim_input_find(s, strncmp(text, "signal.", 7) == 0 ? text + 7 : text);
  return i < 0 ? HK_NONE : s->inputs[i];
}

static hk_status no_actuator(const hk_sim *s, const char *text, const hk_spec_joint *like) {
  if (!like)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE,
                     "an actuator acts on a coordinate of a joint, or is an input",
                     "there is no joint for the actuator '%s', and no input", text);
  return hki_scalar_missing(s->ctx, text, like, "actuator");
}

/* --- choosing --------------------------------------------------------------------------------- */

/* the actuator acts on a scalar: its gradient over the tree's coordinates */
static hk_status on_scalar(hk_inverse *a, hk_inverse_actuator *act, int32_t scalar) {
  const hk_model *m = a->s->m;
  const hk_scalar *x = &m->scalars[scalar];
  hk_spec_start start = {.loc = HK_LOC_NONE, .joint = x->joint, .body = HK_NONE};
  const hk_spec_joint *joint = &m->spec->joints[x->joint];
  int32_t count = 0, n;
  start.q_given = 1u << x->coord;
  hk_status st = hki_named_rows(a->s->tree, a->pool, &start, 1, &act->row, &count);
  if (st != HK_OK) return st;
  if (count != 1) return HK_E_INTERNAL;
  const char *word = hki_word(joint->ops->coords, x->coord, &n);
  act->name = hki_pool_printf(a->pool, "joint.%s.%.*s", joint->name, n, word);
  return act->name ? HK_OK : HK_E_MEMORY;
}

static hk_status on_input(hk_inverse *a, hk_inverse_actuator *act, int32_t signal) {
  const hk_spec_signal *s = &a->s->m->spec->signals[signal];
  act->signal = signal;
  act->kept = hki_pool_alloc(a->pool, ((size_t)hki_memory_size(s->memory) + 1) * sizeof *act->kept);
  act->name = hki_pool_printf(a->pool, "signal.%s", s->name);
  return act->kept && act->name ? HK_OK : HK_E_MEMORY;
}

/* the actuator of the model's section that acts on the same; NULL: none */
static const hk_spec_actuator *in_section(const hk_model *m, const hk_inverse_actuator *act) {
  const hk_spec_inverse *in = &m->spec->inverse;
  for (int32_t i = 0; i < in->nactuators; i++) {
    const hk_spec_actuator *x = &in->actuators[i];
    if (act->row ? x->joint != HK_NONE && m->joints[x->joint].scalar0 + x->coord == act->row->scalar
                 : x->joint == HK_NONE && x->signal == act->signal)
      return x;
  }
  return NULL;
}

/* what the caller or the model says about its range and weight */
static hk_status finish(hk_inverse *a, hk_inverse_actuator *act, const hk_actuator *given) {
  const hk_spec_actuator *own = in_section(a->s->m, act);
  act->range[0] = own ? own->range[0] : -INFINITY;
  act->range[1] = own ? own->range[1] : INFINITY;
  act->weight = own ? own->weight : 1.0;
  if (given && !isnan(given->low)) act->range[0] = given->low;
  if (given && !isnan(given->high)) act->range[1] = given->high;
  if (given && !isnan(given->weight)) act->weight = given->weight;
  for (const hk_inverse_actuator *b = a->act; b < act; b++)
    if (strcmp(b->name, act->name) == 0)
      return hki_error(a->s->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "actuator '%s' is named twice",
                       act->name);
  const double most = fmax(fabs(act->range[0]), fabs(act->range[1]));
  if (!(act->range[0] < act->range[1]) || !(act->weight > 0.0) || !isfinite(act->weight))
    return hki_error(
        a->s->ctx, HK_E_USAGE, HK_LOC_NONE, "the lower end comes first",
        "actuator '%s' has no room between %g and %g, or a weight that is not positive", act->name,
        act->range[0], act->range[1]);
  if (a->least == HK_LEAST_ACTIVATION && !isfinite(most))
    return hki_error(a->s->ctx, HK_E_USAGE, HK_LOC_NONE,
                     "give a range: {joint: elbow, range: [-10, 10]}, or --actuator elbow=-10:10",
                     "least activation needs the range of actuator '%s'", act->name);
  return HK_OK;
}

static hk_status one_given(hk_inverse *a, const hk_actuator *given, hk_inverse_actuator *act) {
  const hk_spec_joint *like;
  const int32_t scalar = hki_scalar_search(a->s->m, given->name, &like);
  const int32_t signal = scalar == HK_NONE ? find_input(a->s, given->name) : HK_NONE;
  if (scalar == HK_NONE && signal == HK_NONE) return no_actuator(a->s, given->name, like);
  hk_status st = scalar != HK_NONE ? on_scalar(a, act, scalar) : on_input(a, act, signal);
  return st == HK_OK ? finish(a, act, given) : st;
}

/* number k of those that nobody has named: of the model's section, else with tasks of the tree's coordinates, else of
 * the prescribed motions; false: no more */
static bool one_implied(hk_inverse *a, int32_t k, hk_inverse_actuator *act, hk_status *st) {
  const hk_model *m = a->s->m;
  const hk_spec_inverse *in = &m->spec->inverse;
  if (in->nactuators) {
    if (k >= in->nactuators) return false;
    const hk_spec_actuator *x = &in->actuators[k];
    *st = x->joint != HK_NONE ? on_scalar(a, act, m->joints[x->joint].scalar0 + x->coord)
                              : on_input(a, act, x->signal);
  } else if (in->ntasks) {
    int32_t i = 0;
    for (; i < m->ns; i++)
      if (m->scalars[i].vi != HK_NONE && k-- == 0) break;
    if (i == m->ns) return false;
    *st = on_scalar(a, act, i);
  } else {
    int32_t c = 0;
    for (; c < m->nc; c++) {
      const hk_closure *cl = &m->closures[c];
      if (cl->kind == HK_CLOSURE_COORD && cl->row_signal[0] != HK_NONE && k-- == 0) break;
    }
    if (c == m->nc) return false;
    *st = on_scalar(a, act, m->closures[c].scalar);
  }
  if (*st == HK_OK) *st = finish(a, act, NULL);
  return true;
}

static hk_status allocate(hk_inverse *a) {
  const hk_model *m = a->s->m;
  const size_t nv = (size_t)m->nv + 1, n = (size_t)a->n + 1, d = sizeof(double);
  struct {
    double **at;
    size_t n;
  } part[] = {{&a->Q, nv * ((size_t)m->nrows + 1)},
              {&a->B, nv * n},
              {&a->V, n * n},
              {&a->sv, n},
              {&a->r, nv},
              {&a->tau, n},
              {&a->scale, n},
              {&a->a, nv},
              {&a->probe, nv},
              {&a->A, 2 * n * n},
              {&a->b, n},
              {&a->lo, 2 * n},
              {&a->hi, 2 * n},
              {&a->x, 2 * n},
              {&a->work, hki_dense_bounded_work(a->n, 2 * a->n)}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(part); i++)
    if (!(*part[i].at = hki_pool_alloc(a->pool, part[i].n * d))) return HK_E_MEMORY;
  a->end = hki_pool_alloc(a->pool, 2 * n);
  if (!a->end) return HK_E_MEMORY;
  memset(a->end, 0, 2 * n);
  return HK_OK;
}

static hk_status choose(hk_inverse *a, const hk_inverse_options *opt) {
  const hk_model *m = a->s->m;
  const size_t most = (size_t)(opt->nactuators + m->spec->inverse.nactuators + m->nc + m->ns + 1);
  hk_status st = hki_refuse_servos(a->s->ctx, m, "the inverse problem");
  if (st != HK_OK) return st;
  a->least = m->spec->inverse.least;
  if (opt->minimise) {
    const int32_t k = hki_word_find("torque activation energy", opt->minimise);
    if (k < 0)
      return hki_error(a->s->ctx, HK_E_USAGE, HK_LOC_NONE, "torque, activation or energy",
                       "there is nothing '%.100s' to minimise", opt->minimise);
    a->least = (hk_least)k;
  }
  a->act = hki_pool_alloc(a->pool, most * sizeof *a->act);
  if (!a->act) return HK_E_MEMORY;
  for (;; a->n++) {
    a->act[a->n] = (hk_inverse_actuator){.signal = HK_NONE};
    if (opt->nactuators ? a->n == opt->nactuators : !one_implied(a, a->n, &a->act[a->n], &st))
      break;
    if (opt->nactuators) st = one_given(a, &opt->actuators[a->n], &a->act[a->n]);
    if (st != HK_OK) return st;
  }
  if (!a->n)
    return hki_error(a->s->ctx, HK_E_USAGE, HK_LOC_NONE, "name actuators, or prescribe a motion",
                     "the model prescribes no coordinate of a joint");
  st = allocate(a);
  return st == HK_OK ? hki_tree_matrix(a->s->tree) : st;
}

/* --- life ------------------------------------------------------------------------------------- */

static const hk_inverse_options defaults = {.size = sizeof defaults};

void hk_inverse_options_init(hk_inverse_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

hk_status hk_inverse_open(hk_sim *s, const hk_inverse_options *from, hk_inverse **out) {
  hk_inverse_options opt = defaults;
  if (out) *out = NULL;
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_inverse_open", "no simulation");
  hk_status st = hki_options_read(s->ctx, HK_OPTIONS(hk_inverse_options, nactuators), &opt, from);
  if (st != HK_OK) return st;
  bool good = out && opt.nactuators >= 0 && hki_is_list(opt.actuators, opt.nactuators);
  for (int32_t i = 0; good && i < opt.nactuators; i++) good = opt.actuators[i].name != NULL;
  if (!good) return hki_misuse(s->ctx, "hk_inverse_open", "no place, or names that do not fit");
  hk_inverse *a = hki_alloc(s->ctx, sizeof *a);
  if (!a) return HK_E_MEMORY;
  *a = (hk_inverse){.mark = HK_MARK_INVERSE, .s = s, .pool = hki_pool_create(s->ctx)};
  st = a->pool ? choose(a, &opt) : HK_E_MEMORY;
  if (st != HK_OK)
    hk_inverse_destroy(a);
  else
    *out = a;
  return st;
}

hk_status hk_inverse_create(hk_sim *s, int32_t n, const char *const *names, hk_inverse **out) {
  if (out) *out = NULL;
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_inverse_create", "no simulation");
  bool good = out && n >= 0 && hki_is_list(names, n);
  for (int32_t i = 0; good && i < n; i++) good = names[i] != NULL;
  if (!good) return hki_misuse(s->ctx, "hk_inverse_create", "no place, or names that do not fit");
  hk_actuator *list = hki_alloc(s->ctx, ((size_t)n + 1) * sizeof *list);
  if (!list) return HK_E_MEMORY;
  for (int32_t i = 0; i < n; i++) list[i] = (hk_actuator){names[i], NAN, NAN, NAN};
  hk_inverse_options opt = hk_inverse_options_def();
  opt.nactuators = n, opt.actuators = list;
  hk_status st = hk_inverse_open(s, &opt, out);
  hki_free(s->ctx, list);
  return st;
}

void hk_inverse_destroy(hk_inverse *a) {
  if (!hki_is_inverse(a)) return;
  hk_ctx *ctx = a->s->ctx;
  if (a->pool) hki_pool_destroy(a->pool);
  hki_tasks_destroy(a->tasks);
  hk_sim_destroy(a->own);
  hki_free(ctx, a->table);
  a->mark = 0;
  hki_free(ctx, a);
}

int32_t hk_inverse_count(const hk_inverse *a) { return hki_is_inverse(a) ? a->n : 0; }
const char *hk_inverse_name(const hk_inverse *a, int32_t i) {
  return i >= 0 && i < hk_inverse_count(a) ? a->act[i].name : NULL;
}
int32_t hk_inverse_saturated(const hk_inverse *a, int32_t i) {
  return i >= 0 && i < hk_inverse_count(a) ? a->end[i] : 0;
}

bool hki_inverse_channel(const hk_inverse *a, int32_t i, char *buf, size_t cap) {
  const char *name = strchr(a->act[i].name, '.') + 1; // without "joint" or "signal"
  return (size_t)snprintf(buf, cap, "actuator.%s.value", name) < cap;
}
