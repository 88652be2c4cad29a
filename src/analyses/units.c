/* SPDX-License-Identifier: Apache-2.0
 *
 * units.c: see units.h. Channels have units, and so have the keys of elements and the values of
 * nodes; what lies between them is followed by expr/units.h. Left alone are numbers, tables, shapes,
 * signals with states, abstract nodes and unknowns of equations: they may have any unit.
 */
#include <stdio.h>

#include "analyses/units.h"
#include "expr/units.h"

typedef struct check {
  const hk_model *m;
  hk_pool *pool;
  hk_unit *unit; /* of each signal */
  hk_unit *read; /* scratch: of the reads of one signal */
  hk_finding *list;
  int32_t n;
  bool failed; /* no memory */
} check;

/* a finding at its place in the model file */
static void add(check *c, const char *item, hk_loc loc, const char *words) {
  char text[900];
  const char *file = hki_ctx_file_name(c->m->ctx, loc.file);
  snprintf(text, sizeof text, "'%.200s' (%.200s:%d:%d) %.400s", item, file ? file : "",
           (int)loc.line, (int)loc.col, words);
  const char *copy = hki_pool_strdup(c->pool, text);
  c->failed |= !copy;
  if (copy) c->list[c->n++] = (hk_finding){HK_FINDING_UNITS, item, copy};
}

/* an unknown of an equation, or an abstract node, has whatever unit its user gives it */
static hk_unit channel_unit(const hk_spec *s, hk_channel ch) {
  return hki_unit_parse(hki_channel_unit(s, ch));
}

/* units of all signals, earlier ones first; those that mix units are found */
static void follow_signal(check *c, int32_t i) {
  const hk_spec *spec = c->m->spec;
  const hk_spec_signal *s = &spec->signals[i];
  hk_unit clash[2], u;
  c->unit[i] = (hk_unit){0};
  if (!s->expr) return;
  for (int32_t k = 0; k < s->nreads; k++) {
    const hk_read *rd = &s->reads[k];
    c->read[k] = rd->kind == HK_READ_TIME     ? (hk_unit){.kind = HK_UNIT_NUMBER}
                 : rd->kind == HK_READ_SIGNAL ? c->unit[rd->signal]
                                              : channel_unit(spec, rd->channel);
  }
  // the expression of other kinds says only what they depend on
  const bool own = s->kind != HK_SIGNAL_MEMORY && s->kind != HK_SIGNAL_RATE;
  if (own && !hki_expr_unit(s->expr, c->read, &u, clash)) {
    char a[60], b[60], words[300];
    hki_unit_text(&clash[0], a, sizeof a);
    hki_unit_text(&clash[1], b, sizeof b);
    snprintf(words, sizeof words, "adds or compares values in %s and in %s: %.120s", a, b,
             hki_expr_source(s->expr));
    add(c, s->name, s->loc, words);
  } else if (own && s->kind == HK_SIGNAL_EXPR) {
    c->unit[i] = u;
  }
}

/* a signal where a value in `want` belongs */
static void fed(check *c, int32_t signal, const char *item, const char *key, const char *want) {
  char words[200], is[60];
  if (signal == HK_NONE) return;
  const hk_unit wants = hki_unit_parse(want), *has = &c->unit[signal];
  if (wants.kind != HK_UNIT_KNOWN || has->kind != HK_UNIT_KNOWN || hki_unit_same(&wants, has))
    return;
  hki_unit_text(has, is, sizeof is);
  snprintf(words, sizeof words, "is in %s, and '%.40s' of '%.60s' in %s", is, key, item, want);
  add(c, c->m->spec->signals[signal].name, c->m->spec->signals[signal].loc, words);
}

/* inputs of the elements between scalar nodes, and values that nodes are held at */
static void check_network(check *c) {
  const hk_spec *s = c->m->spec;
  for (int32_t f = 0; f < s->nforces; f++) {
    const hk_spec_force *sf = &s->forces[f];
    if (!(sf->ops->caps & HK_ELEMENT_NETWORK)) continue;
    for (const hk_param *p = sf->ops->params; p->type != HK_P_END; p++)
      if (p->type == HK_P_DYNAMIC) fed(c, sf->u_signal[p->offset], sf->name, p->name, p->unit);
  }
  for (int32_t i = 0; i < s->nnodes; i++)
    fed(c, s->nodes[i].held ? s->nodes[i].signal : HK_NONE, s->nodes[i].name, "value",
        hki_domain_infos[s->nodes[i].domain].unit);
}

hk_status hki_units_check(const hk_model *m, hk_pool *pool, hk_finding **list, int32_t *n) {
  const hk_spec *s = m->spec;
  int32_t reads = 1, most = 1 + s->nsignals + s->nnodes;
  for (int32_t i = 0; i < s->nsignals; i++)
    if (s->signals[i].nreads > reads) reads = s->signals[i].nreads;
  for (int32_t f = 0; f < s->nforces; f++) most += s->forces[f].ops->nu;
  check c = {.m = m, .pool = pool};
  c.unit = hki_pool_alloc(pool, (size_t)(s->nsignals + 1) * sizeof *c.unit);
  c.read = hki_pool_alloc(pool, (size_t)reads * sizeof *c.read);
  c.list = hki_pool_alloc(pool, (size_t)most * sizeof *c.list);
  if (!c.unit || !c.read || !c.list) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->nsignals; i++) follow_signal(&c, i);
  check_network(&c);
  *list = c.list, *n = c.n;
  return c.failed ? HK_E_MEMORY : HK_OK;
}
