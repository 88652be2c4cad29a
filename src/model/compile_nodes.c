/* SPDX-License-Identifier: Apache-2.0
 *
 * compile_nodes.c: the list of scalar values and the places of each element's values in it:
 *
 *   nx     unknowns: nodes in the order of the file, then private unknowns of elements
 *   1      the reference, 0
 *   nheld  nodes held at a value
 */
#include <stdio.h>

#include "model/work.h"

/* places of the nodes in the list */
static bool place_nodes(hk_work *w) {
  const hk_spec *s = w->spec;
  hk_model *m = w->m;
  int32_t own = 0, held = 0;
  m->node_x = HK_KEEP(w, int32_t, s->nnodes + 1);
  m->held = HK_KEEP(w, int32_t, s->nnodes + 1);
  if (!m->node_x || !m->held) return false;
  for (int32_t i = 0; i < s->nnodes; i++) m->nx += !s->nodes[i].held;
  for (int32_t f = 0; f < m->nf; f++) own += m->forces[f].ops->nown;
  for (int32_t i = 0, x = 0; i < s->nnodes; i++) {
    if (s->nodes[i].held) m->held[held++] = i;
    m->node_x[i] = s->nodes[i].held ? m->nx + own + held : x++;
  }
  m->nheld = held;
  m->unknowns = HK_KEEP(w, hk_unknown, m->nx + own + 1);
  if (!m->unknowns) return false;
  for (int32_t i = 0; i < s->nnodes; i++) {
    const hk_spec_node *n = &s->nodes[i];
    if (!n->held) m->unknowns[m->node_x[i]] = (hk_unknown){i, HK_NONE, 0, n->start, n->scale};
  }
  return true;
}

bool hki_work_nodes(hk_work *w) {
  hk_model *m = w->m;
  if (!place_nodes(w)) return false;
  // private unknowns
  for (int32_t f = 0; f < m->nf; f++) {
    hk_model_force *mf = &m->forces[f];
    double start[HK_ELEMENT_UNKNOWNS] = {0};
    if (mf->ops->nnode + mf->ops->nown == 0) continue;
    mf->net = m->nnet++;
    if (mf->ops->own_start) mf->ops->own_start(mf->par, start);
    for (int32_t k = 0; k < mf->ops->nown; k++) {
      mf->x[mf->ops->nnode + k] = m->nx;
      m->unknowns[m->nx++] = (hk_unknown){HK_NONE, f, k, start[k], mf->ops->own_scale[k]};
    }
  }
  for (int32_t f = 0; f < m->nf; f++)
    for (int32_t k = 0; k < m->forces[f].ops->nnode; k++) {
      int32_t node = w->spec->forces[f].node[k];
      m->forces[f].x[k] = node == HK_GROUND ? m->nx : m->node_x[node];
      if (node != HK_GROUND && w->spec->nodes[node].still) m->forces[f].still |= 1u << k;
    }
  return true;
}

int32_t hki_model_channel_value(const hk_model *m, hk_channel c) {
  if (c.kind == HK_CH_NODE) return m->node_x[c.item];
  if (c.kind != HK_CH_FORCE_OUTPUT) return HK_NONE;
  // the first outputs of an element are its own unknowns
  const hk_model_force *f = &m->forces[c.item];
  return c.component < f->ops->nown ? f->x[f->ops->nnode + c.component] : HK_NONE;
}

/* bits of hk_model.signal_reads */
enum { CHANNELS = 1, UNKNOWNS = 2 };

/* Signals read earlier ones only: one pass finds what each of them reads, however many ways lead
 * from one to another. */
bool hki_work_reads(hk_work *w) {
  hk_model *m = w->m;
  m->signal_reads = HK_KEEP(w, uint8_t, w->spec->nsignals + 1);
  for (int32_t i = 0; m->signal_reads && i < w->spec->nsignals; i++) {
    const hk_spec_signal *s = &w->spec->signals[i];
    // what is taken in late may read anything; a time since a change goes on within steps
    uint8_t bits = s->nlate || (s->memory && s->memory->since) ? CHANNELS : 0;
    for (int32_t k = 0; k < s->nreads; k++) {
      const hk_read *r = &s->reads[k];
      if (r->kind == HK_READ_SIGNAL) bits |= m->signal_reads[r->signal];
      if (r->kind != HK_READ_CHANNEL) continue;
      const int32_t at = m->nx ? hki_model_channel_value(m, r->channel) : HK_NONE;
      bits |= at != HK_NONE && at < m->nx ? CHANNELS | UNKNOWNS : CHANNELS;
    }
    m->signal_reads[i] = bits;
  }
  return m->signal_reads != NULL;
}

bool hki_model_reads_channels(const hk_model *m, int32_t signal) {
  return m->signal_reads[signal] & CHANNELS;
}

bool hki_model_reads_unknowns(const hk_model *m, int32_t signal) {
  return m->signal_reads[signal] & UNKNOWNS;
}

void hki_model_unknown_name(const hk_model *m, int32_t unknown, char *buf, size_t cap) {
  if (unknown >= m->nx) { // a private state of a force
    int32_t f = 0;
    while (f < m->nf - 1 && m->forces[f].z0 + m->forces[f].nz <= unknown - m->nx) f++;
    snprintf(buf, cap, "memory of force '%s'", m->spec->forces[m->forces[f].spec].name);
    return;
  }
  const hk_unknown *u = &m->unknowns[unknown];
  if (u->node != HK_NONE) {
    const hk_spec_node *n = &m->spec->nodes[u->node];
    snprintf(buf, cap, "%s of node '%s'", hki_domain_infos[n->domain].value, n->name);
    return;
  }
  // the first outputs are the private unknowns
  int n;
  const char *w = hki_word(m->forces[u->force].ops->outputs, u->own, &n);
  snprintf(buf, cap, "%.*s of '%s'", n, w, m->spec->forces[m->forces[u->force].spec].name);
}
