/* SPDX-License-Identifier: Apache-2.0
 *
 * core.c: the equations of scalar unknowns in the border of a formulation (border.h):
 *
 *   [ S      P     ] [z]   [ -cK F ]         S = Fxd + cC (Fx + dF/du du/dx)
 *   [ G Q   1 + G R ] [s] = [ s0    ]
 *
 * one matrix with a fixed pattern. Columns are scaled by the typical sizes of the unknowns, rows to
 * a largest entry of one, since their units are those of other physics.
 */
#include "kinematics/element.h"
#include "machines/network/border_impl.h"

#define POOL(n, type, count)                                                                       \
  ((type *)hki_pool_alloc((n)->pool, ((size_t)(count) + 1) * sizeof(type)))

enum { W = HK_ELEMENT_UNKNOWNS };

int32_t hki_net_terms(const hk_model *m, hk_border_term *list) {
  int32_t n = 0;
  for (int32_t f = 0; m->nx && f < m->nf; f++) {
    if (m->forces[f].net == HK_NONE || !m->forces[f].ops->nscal) continue;
    if (list) list[n] = (hk_border_term){f, HK_TERM_COORDINATE, false};
    n++;
  }
  for (int32_t i = 0; m->nx && i < m->nheld; i++) {
    const int32_t signal = m->spec->nodes[m->held[i]].signal;
    if (signal == HK_NONE || !hki_model_reads_channels(m, signal)) continue;
    if (list) list[n] = (hk_border_term){i, HK_TERM_NODE, false};
    n++;
  }
  return n;
}

/* --- structure -------------------------------------------------------------------------------- */

/* the term of a held node with index `at` in the list of values; HK_NONE: it has none */
static int32_t node_term(const net_border *n, int32_t at) {
  for (int32_t k = 0; k < n->b->most; k++)
    if (n->b->term[k].part == HK_TERM_NODE && n->b->term[k].owner == at - n->nx - 1) return k;
  return HK_NONE;
}

static bool find_elements(net_border *n) {
  n->element = POOL(n, net_element, n->m->nnet);
  if (!n->element) return false;
  for (int32_t f = 0; f < n->m->nf; f++) {
    const hk_model_force *mf = &n->m->forces[f];
    if (mf->net == HK_NONE) continue;
    net_element *e = &n->element[n->nelement++];
    const int32_t all = mf->ops->nnode + mf->ops->nown;
    *e = (net_element){.force = f, .n = all, .coordinate = HK_NONE};
    e->own = POOL(n, int32_t, all * all);
    e->sense = POOL(n, int32_t, all);
    e->at_node = POOL(n, int32_t, all);
    e->node_slot = POOL(n, int32_t, all * all);
    if (!e->own || !e->sense || !e->at_node || !e->node_slot) return false;
    for (int32_t k = 0; k < n->b->most; k++)
      if (n->b->term[k].part == HK_TERM_COORDINATE && n->b->term[k].owner == f) e->coordinate = k;
    for (int32_t i = 0; i < all; i++)
      e->at_node[i] = mf->x[i] > n->nx ? node_term(n, mf->x[i]) : HK_NONE;
  }
  return true;
}

static bool find_input(net_border *n, int32_t term, net_input *in) {
  const hk_border_term *t = &n->b->term[term];
  const bool node = t->part == HK_TERM_NODE;
  *in = (net_input){.term = term, .element = HK_NONE};
  in->signal = node ? n->m->spec->nodes[n->m->held[t->owner]].signal
                    : n->m->spec->forces[n->m->forces[t->owner].spec].u_signal[t->part];
  for (int32_t e = 0; !node && e < n->nelement; e++)
    if (n->element[e].force == t->owner) in->element = e;
  hki_net_signal_slopes(&n->net, in->signal, true);
  for (int32_t i = 0; i < n->nx; i++) in->nvalue += n->net.gx[i] != 0.0;
  in->value = POOL(n, int32_t, in->nvalue);
  in->slope = POOL(n, double, in->nvalue);
  in->row = POOL(n, int32_t, W);
  in->row_read = POOL(n, int32_t, W * in->nvalue);
  if (!in->value || !in->slope || !in->row || !in->row_read) return false;
  for (int32_t i = 0, k = 0; i < n->nx; i++)
    if (n->net.gx[i] != 0.0) in->value[k++] = i;
  return true;
}

/* col, col_of: unknowns of elements with a coordinate, and those that inputs read */
static bool find_columns(net_border *n) {
  n->col = POOL(n, int32_t, n->nx);
  n->col_of = POOL(n, int32_t, n->nx);
  if (!n->col || !n->col_of) return false;
  for (int32_t i = 0; i < n->nx; i++) n->col_of[i] = HK_NONE;
  for (int32_t k = 0; k < n->nelement; k++) {
    const net_element *e = &n->element[k];
    const int32_t *x = n->m->forces[e->force].x;
    for (int32_t i = 0; e->coordinate != HK_NONE && i < e->n; i++)
      if (x[i] < n->nx) n->col_of[x[i]] = 0;
  }
  for (int32_t k = 0; k < n->ninput; k++)
    for (int32_t i = 0; i < n->input[k].nvalue; i++) n->col_of[n->input[k].value[i]] = 0;
  for (int32_t i = 0; i < n->nx; i++)
    if (n->col_of[i] != HK_NONE) n->col_of[i] = n->ncol, n->col[n->ncol++] = i;
  return true;
}

/* one entry of the matrix: with p it joins the pattern, without p returns its place (-1: none) */
static int32_t visit(net_border *n, hk_pattern *p, int32_t row, int32_t col) {
  if (row < 0 || col < 0) return -1;
  if (p) {
    hki_pattern_rect(p, 1, &row, 1, &col);
    return -1;
  }
  const int32_t at = hki_linsolve_entry(n->ls, row, col);
  n->row_of[at] = row;
  return at;
}

static int32_t unknown(const net_border *n, int32_t x) { return x < n->nx ? x : -1; }

static void visit_input(net_border *n, hk_pattern *p, net_input *in) {
  const net_element *e = in->element == HK_NONE ? NULL : &n->element[in->element];
  for (int32_t i = 0; e && i < e->n; i++) {
    const int32_t row = unknown(n, n->m->forces[e->force].x[i]);
    in->row[i] = visit(n, p, row, n->nx + in->term);
    for (int32_t j = 0; j < in->nvalue; j++)
      in->row_read[in->nvalue * i + j] = visit(n, p, row, in->value[j]);
  }
}

/* a node that a signal holds is an input of each element at it */
static void visit_nodes(net_border *n, hk_pattern *p, net_element *e) {
  const int32_t *x = n->m->forces[e->force].x;
  for (int32_t i = 0; i < e->n; i++)
    for (int32_t j = 0; j < e->n; j++) {
      const int32_t term = e->at_node[j];
      e->node_slot[e->n * i + j] =
          term == HK_NONE ? -1 : visit(n, p, unknown(n, x[i]), n->nx + term);
      for (int32_t k = 0; term != HK_NONE && k < n->ninput; k++)
        for (int32_t v = 0; n->input[k].term == term && v < n->input[k].nvalue; v++)
          (void)visit(n, p, unknown(n, x[i]), n->input[k].value[v]);
    }
}

/* all entries: with p for the pattern, without p for the places */
static void visit_all(net_border *n, hk_pattern *p) {
  const int32_t most = n->b->most;
  for (int32_t i = 0; i < n->nx + most; i++) (void)visit(n, p, i, i);
  for (int32_t k = 0; k < n->nelement; k++) {
    net_element *e = &n->element[k];
    const int32_t *x = n->m->forces[e->force].x;
    for (int32_t i = 0; i < e->n; i++) {
      for (int32_t j = 0; j < e->n; j++)
        e->own[e->n * i + j] = visit(n, p, unknown(n, x[i]), unknown(n, x[j]));
      e->sense[i] =
          e->coordinate == HK_NONE ? -1 : visit(n, p, unknown(n, x[i]), n->nx + e->coordinate);
    }
    visit_nodes(n, p, e);
  }
  for (int32_t k = 0; k < n->ninput; k++) visit_input(n, p, &n->input[k]);
  for (int32_t i = 0; i < most; i++) {
    for (int32_t j = 0; j < n->ncol; j++) {
      const int32_t at = visit(n, p, n->nx + i, n->col[j]);
      if (!p) n->slot_z[n->ncol * i + j] = at;
    }
    for (int32_t j = 0; j < most; j++) {
      const int32_t at = visit(n, p, n->nx + i, n->nx + j);
      if (!p) n->slot_s[most * i + j] = at;
    }
  }
}

static bool take_memory(net_border *n) {
  const int32_t most = n->b->most, all = n->nx + most;
  n->slot_z = POOL(n, int32_t, most * n->ncol);
  n->slot_s = POOL(n, int32_t, most * most);
  n->Q = POOL(n, double, most * n->ncol);
  n->R = POOL(n, double, most *most);
  n->F = POOL(n, double, n->nx);
  n->row_scale = POOL(n, double, all);
  n->column = POOL(n, double, all);
  n->rhs = POOL(n, double, all);
  n->z = POOL(n, double, n->nx);
  return n->slot_z && n->slot_s && n->Q && n->R && n->F && n->row_scale && n->column && n->rhs &&
         n->z;
}

hk_status hki_net_core_create(net_border *n) {
  const int32_t most = n->b->most;
  const hk_linsolve_options o = {.symmetric = false};
  hk_pattern p;
  n->input = POOL(n, net_input, most);
  if (!n->input || !find_elements(n)) return HK_E_MEMORY;
  for (int32_t k = 0; k < most; k++)
    if (n->b->term[k].part != HK_TERM_COORDINATE && !hki_term_alone(&n->b->term[k]) &&
        !find_input(n, k, &n->input[n->ninput++]))
      return HK_E_MEMORY;
  if (!find_columns(n) || !take_memory(n)) return HK_E_MEMORY;
  hki_pattern_init(&p, n->ctx, n->nx + most);
  visit_all(n, &p);
  hk_status st = hki_linsolve_create(n->ctx, &p, &o, &n->ls);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  n->row_of = POOL(n, int32_t, n->ls->nval);
  if (!n->row_of) return HK_E_MEMORY;
  visit_all(n, NULL);
  for (int32_t i = 0; i < n->nx + most; i++)
    n->column[i] = i < n->nx ? n->m->unknowns[i].scale : 1.0;
  return HK_OK;
}

/* --- numbers ---------------------------------------------------------------------------------- */

void hki_net_core_eval(void *with, int32_t fi, hk_element_out *out) {
  net_border *n = with;
  const hk_model_force *mf = &n->m->forces[fi];
  hk_kin *k = n->kin;
  hk_element_in in;
  double s = 0.0, sd = 0.0;
  if (mf->u_varies) hki_kin_force_inputs(k, fi);
  if (mf->ops->nscal) n->face->coordinate(n->f, mf->scalar, &s, &sd);
  hki_kin_element_in(k, fi, NULL, s, sd, &in);
  hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_EXACT | HK_NEED_INPUT, out);
  if (mf->still) hki_kin_drop_rates(mf, out);
}

static void add_flows(net_border *n, const net_element *e, const hk_element_out *out) {
  const int32_t *x = n->m->forces[e->force].x;
  for (int32_t i = 0; i < e->n; i++)
    if (x[i] < n->nx) n->F[x[i]] += out->F[i];
}

static void add(net_border *n, int32_t slot, int32_t col, double v) {
  if (slot >= 0) n->ls->val[slot] += v * n->column[col];
}

/* an element's own block, its coordinate and the nodes that signals hold */
static void add_element(net_border *n, const net_element *e, const hk_element_out *out, double cC,
                        double cK) {
  const int32_t *x = n->m->forces[e->force].x, k = e->coordinate;
  for (int32_t i = 0; i < e->n; i++) {
    for (int32_t j = 0; j < e->n; j++) {
      const int32_t from = W * i + j;
      add(n, e->own[e->n * i + j], x[j], out->Fxd[from] + cC * out->Fx[from]);
      add(n, e->node_slot[e->n * i + j], n->nx + e->at_node[j], out->Fx[from]);
    }
    if (k == HK_NONE) continue;
    add(n, e->sense[i], n->nx + k, cK * out->Fs[i] + cC * out->Fsd[i]);
    if (x[i] < n->nx) n->Q[n->ncol * k + n->col_of[x[i]]] += cC * out->tau_x[i];
    if (e->at_node[i] != HK_NONE) n->R[n->b->most * k + e->at_node[i]] += out->tau_x[i];
  }
}

/* what a term that follows a signal does in the rows of its element, with slopes d(F)/du */
static void add_input(net_border *n, const net_input *in, const double *Fu, double cC) {
  const net_element *e = &n->element[in->element];
  for (int32_t i = 0; i < e->n; i++) {
    add(n, in->row[i], n->nx + in->term, Fu[i]);
    for (int32_t j = 0; j < in->nvalue; j++)
      add(n, in->row_read[in->nvalue * i + j], in->value[j], Fu[i] * cC * in->slope[j]);
  }
}

/* the same for held nodes: their slopes by unknowns, times dF/dx of the node */
static void add_node_reads(net_border *n, const net_element *e, const hk_element_out *out,
                           double cC) {
  const int32_t *x = n->m->forces[e->force].x;
  for (int32_t j = 0; j < e->n; j++)
    for (int32_t k = 0; e->at_node[j] != HK_NONE && k < n->ninput; k++) {
      const net_input *in = &n->input[k];
      for (int32_t v = 0; in->term == e->at_node[j] && v < in->nvalue; v++) {
        const double slope = cC * in->slope[v];
        for (int32_t i = 0; i < e->n; i++)
          if (x[i] < n->nx)
            add(n, hki_linsolve_entry(n->ls, x[i], in->value[v]), in->value[v],
                out->Fx[W * i + j] * slope);
        if (e->coordinate != HK_NONE)
          n->Q[n->ncol * e->coordinate + n->col_of[in->value[v]]] += out->tau_x[j] * slope;
      }
    }
}

/* slopes of the signals of all inputs, and their part of p = Q z + R s */
static void evaluate_inputs(net_border *n, double cC) {
  for (int32_t k = 0; k < n->ninput; k++) {
    net_input *in = &n->input[k];
    const hk_border_term *t = &n->b->term[in->term];
    if (in->nvalue) hki_net_signal_slopes(&n->net, in->signal, false);
    for (int32_t j = 0; j < in->nvalue; j++) {
      in->slope[j] = n->net.gx[in->value[j]];
      if (t->part >= 0) n->Q[n->ncol * in->term + n->col_of[in->value[j]]] = cC * in->slope[j];
    }
    if (t->part >= 0 && !t->held) n->R[n->b->most * in->term + in->term] = 1.0;
  }
}

/* F; tangent: the rows of the network, Q and R too */
static void evaluate(net_border *n, bool tangent) {
  const double cK = 1.0 / n->st.ca, cC = n->st.cv * cK;
  const size_t most = (size_t)n->b->most;
  memset(n->F, 0, (size_t)n->nx * sizeof *n->F);
  n->fresh = true;
  if (tangent) {
    hki_linsolve_zero(n->ls);
    memset(n->Q, 0, most * (size_t)n->ncol * sizeof *n->Q);
    memset(n->R, 0, most * most * sizeof *n->R);
    evaluate_inputs(n, cC);
    for (int32_t k = 0; k < n->b->most; k++)
      if (hki_term_alone(&n->b->term[k])) n->R[most * (size_t)k + (size_t)k] = 1.0;
  }
  for (int32_t k = 0; k < n->nelement; k++) {
    const net_element *e = &n->element[k];
    hk_element_out out;
    hki_net_core_eval(n, e->force, &out);
    add_flows(n, e, &out);
    if (!tangent) continue;
    add_element(n, e, &out, cC, cK);
    if (n->ninput) add_node_reads(n, e, &out, cC);
    for (int32_t i = 0; i < n->ninput; i++)
      if (n->input[i].element == k)
        add_input(n, &n->input[i], out.Fu + W * n->b->term[n->input[i].term].part, cC);
  }
}

/* rows of s: 1 + G R and G Q */
static void add_terms(net_border *n) {
  const hk_border *b = n->b;
  const int32_t most = b->most;
  for (int32_t i = 0; i < most; i++) {
    for (int32_t j = 0; j < n->ncol; j++) {
      double sum = 0.0;
      for (int32_t k = 0; k < most; k++) sum += b->G[i + most * k] * n->Q[n->ncol * k + j];
      n->ls->val[n->slot_z[n->ncol * i + j]] = sum * n->column[n->col[j]];
    }
    for (int32_t j = 0; j < most; j++) {
      double sum = i == j ? 1.0 : 0.0;
      for (int32_t k = 0; k < most; k++) sum += b->G[i + most * k] * n->R[most * k + j];
      n->ls->val[n->slot_s[most * i + j]] = sum;
    }
  }
}

static void scale_rows(net_border *n) {
  const int32_t all = n->nx + n->b->most;
  double *val = n->ls->val;
  memset(n->row_scale, 0, (size_t)all * sizeof *n->row_scale);
  for (int32_t i = 0; i < n->ls->nval; i++) {
    double *most = &n->row_scale[n->row_of[i]], e = fabs(val[i]);
    if (e > *most) *most = e;
  }
  for (int32_t i = 0; i < all; i++)
    n->row_scale[i] = n->row_scale[i] > 0.0 ? 1.0 / n->row_scale[i] : 1.0;
  for (int32_t i = 0; i < n->ls->nval; i++) val[i] *= n->row_scale[n->row_of[i]];
}

hk_status hki_net_core_factor(void *with, const hk_border *b) {
  net_border *n = with;
  HK_ASSERT(b->rank == b->most);
  evaluate(n, true);
  add_terms(n);
  scale_rows(n);
  hk_status st = hki_linsolve_refactor(n->ls);
  if (st == HK_E_SINGULAR && n->ls->bad >= 0 && n->ls->bad < n->nx)
    hki_net_undetermined(n->m, n->ls->bad, n->words, sizeof n->words);
  return st;
}

void hki_net_core_solve(void *with, const hk_border *b, const double *s0, double *p) {
  net_border *n = with;
  const int32_t nx = n->nx, most = b->most;
  if (!n->fresh) evaluate(n, false);
  const double right = -b->unit / n->st.ca;
  for (int32_t i = 0; i < nx; i++) n->rhs[i] = right * n->F[i] * n->row_scale[i];
  for (int32_t i = 0; i < most; i++) n->rhs[nx + i] = s0[i] * n->row_scale[nx + i];
  hki_linsolve_solve(n->ls, n->rhs);
  for (int32_t i = 0; i < nx; i++) n->z[i] = n->rhs[i] * n->column[i];
  for (int32_t k = 0; k < most; k++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n->ncol; j++) sum += n->Q[n->ncol * k + j] * n->z[n->col[j]];
    for (int32_t j = 0; j < most; j++) sum += n->R[most * k + j] * n->rhs[nx + j];
    p[k] = sum;
  }
}
