/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor_report.c: the public face of the doctor: counts and lists of what a model holds, its
 * assembly, findings.
 */
#include <string.h>

#include "analyses/network_fault.h"
#include "model/motions.h"
#include "simulation/simulation.h"
#include "analyses/aimless.h"
#include "analyses/assembly.h"
#include "analyses/doctor.h"
#include "analyses/limits.h"
#include "analyses/start_state.h"
#include "analyses/units.h"

typedef struct report {
  hk_check_report pub; /* first: the caller's pointer is this */
  hk_ctx *ctx;
  hk_pool *pool;
  hk_check_names beams;
} report;

/* unites the trees of two bodies in the union-find forest */
static void unite(int32_t *roots, int32_t a, int32_t b) {
  if (a < 0 || b < 0) return;
  while (roots[a] != a) a = roots[a] = roots[roots[a]];
  while (roots[b] != b) b = roots[b] = roots[roots[b]];
  roots[a > b ? a : b] = a > b ? b : a;
}

/* trees joined by cut joints or by the elements of a beam, and the nodes of a cable, are one mechanism; roots: scratch, nb */
static int32_t count_mechanisms(const hk_model *m, int32_t *roots) {
  int32_t n = 0;
  for (int32_t b = 0; b < m->nb; b++) roots[b] = m->bodies[b].root;
  for (int32_t j = 0; j < m->nj - m->spec->nhidden; j++)
    if (m->joints[j].closure != HK_NONE) unite(roots, m->joints[j].mbody[0], m->joints[j].mbody[1]);
  for (int32_t i = 0; i < m->nwide; i++)
    for (int32_t k = 1; k < m->wide[i].nmark; k++)
      unite(roots, m->wide[i].body[0], m->wide[i].body[k]);
  for (int32_t i = 0; i < m->spec->ngroups; i++)
    for (int32_t k = 1; k < m->spec->groups[i].nbody; k++)
      unite(roots, m->body_of_spec[m->spec->groups[i].body0],
            m->body_of_spec[m->spec->groups[i].body0 + k]);
  for (int32_t b = 0; b < m->nb; b++) n += roots[b] == b;
  return n;
}

/* counts that the compiled model knows */
static void count(const hk_model *m, hk_check_report *r) {
  r->bodies = m->nb;
  r->joints = m->nj - m->spec->nhidden;
  for (int32_t f = 0; f < m->nf; f++) {
    bool network = m->forces[f].ops->caps & HK_ELEMENT_NETWORK;
    r->forces += !network;
    r->network_elements += network;
  }
  r->coordinates = m->nv;
  r->planar = m->spec->planar;
  for (int32_t b = 0; b < m->nb; b++) {
    r->tree_joints += m->bodies[b].joint != HK_NONE;
    if (!m->spec->bodies[m->bodies[b].spec].modal) r->total_mass += m->bodies[b].mass;
  }
}

static hk_status list_cuts(const hk_model *m, report *r) {
  const char **cut = hki_pool_alloc(r->pool, (size_t)(m->nj + 1) * sizeof *cut);
  if (!cut) return HK_E_MEMORY;
  for (int32_t j = 0; j < m->nj - m->spec->nhidden; j++)
    if (m->joints[j].closure != HK_NONE) cut[r->pub.ncut++] = m->spec->joints[j].name;
  r->pub.cut = cut;
  r->pub.cut_joints = r->pub.ncut;
  return HK_OK;
}

/* --- networks, signals, events, markers, instances -------------------------------------------- */

/* first node of the network to which node n belongs */
static int32_t first_node(int32_t *of, int32_t n) {
  while (of[n] != n) n = of[n] = of[of[n]];
  return n;
}

/* the first node of an element that is not the ground; HK_NONE: none */
static int32_t some_node(const hk_spec_force *f) {
  for (int32_t k = 0; k < f->ops->nnode; k++)
    if (f->node[k] >= 0) return f->node[k];
  return HK_NONE;
}

/* of (nnodes): unites the nodes of each element */
static void tie_nodes(const hk_spec *spec, int32_t *of) {
  for (int32_t i = 0; i < spec->nnodes; i++) of[i] = i;
  for (int32_t i = 0; i < spec->nforces; i++) {
    const hk_spec_force *f = &spec->forces[i];
    for (int32_t k = 0; k < f->ops->nnode; k++) {
      if (f->node[k] < 0) continue;
      const int32_t a = first_node(of, some_node(f)), b = first_node(of, f->node[k]);
      of[a > b ? a : b] = a > b ? b : a;
    }
  }
}

/* fills n networks, in the order of their first nodes; number: network by first node. Their lists
 * are parts of `nodes` and `elements`: the first pass counts, the second fills. */
static void fill_networks(const hk_spec *spec, int32_t *of, int32_t *number, hk_check_network *nets,
                          int32_t n, hk_check_node *nodes, const char **elements) {
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; pass && i < n; i++) {
      nets[i].nodes = nodes, nodes += nets[i].nnodes, nets[i].nnodes = 0;
      nets[i].elements = elements, elements += nets[i].nelements, nets[i].nelements = 0;
    }
    for (int32_t i = 0; i < spec->nnodes; i++) {
      const hk_spec_node *x = &spec->nodes[i];
      hk_check_network *net = &nets[number[first_node(of, i)]];
      hk_check_node *to = (hk_check_node *)(uintptr_t)net->nodes;
      if (pass)
        to[net->nnodes] = (hk_check_node){x->name, hki_domain_infos[x->domain].name, x->held};
      net->nnodes++;
    }
    for (int32_t i = 0; i < spec->nforces; i++) {
      const int32_t x = some_node(&spec->forces[i]);
      if (x == HK_NONE) continue;
      hk_check_network *net = &nets[number[first_node(of, x)]];
      const char **to = (const char **)(uintptr_t)net->elements;
      if (pass) to[net->nelements] = spec->forces[i].name;
      net->nelements++;
    }
  }
}

static hk_status list_networks(const hk_model *m, report *r) {
  const hk_spec *spec = m->spec;
  const size_t n = (size_t)spec->nnodes + 1;
  int32_t *of = hki_pool_alloc(r->pool, n * sizeof *of);
  int32_t *number = hki_pool_alloc(r->pool, n * sizeof *number);
  hk_check_network *nets = hki_pool_alloc(r->pool, n * sizeof *nets);
  hk_check_node *nodes = hki_pool_alloc(r->pool, n * sizeof *nodes);
  const char **elements = hki_pool_alloc(r->pool, ((size_t)spec->nforces + 1) * sizeof *elements);
  if (!of || !number || !nets || !nodes || !elements) return HK_E_MEMORY;
  tie_nodes(spec, of);
  for (int32_t i = 0; i < spec->nnodes; i++)
    if (of[i] == i) number[i] = r->pub.nnetworks++;
  memset(nets, 0, n * sizeof *nets);
  fill_networks(spec, of, number, nets, r->pub.nnetworks, nodes, elements);
  r->pub.networks = nets;
  r->pub.nodes = spec->nnodes;
  r->pub.unknowns = m->nx;
  return HK_OK;
}

/* --- laws with memory ------------------------------------------------------------------------- */

/* the keys of the laws of a force that remember */
typedef struct keys_in {
  hk_text *t;
  bool first;
} keys_in;

static void add_key(void *user, const char *key) {
  keys_in *k = user;
  hki_text_printf(k->t, "%s%s", k->first ? " (" : ", ", key);
  k->first = false;
}

/* "guide (lugre)" for each force whose laws remember */
static hk_status list_memories(const hk_model *m, report *r) {
  const char **names = hki_pool_alloc(r->pool, (size_t)(m->nf + 1) * sizeof *names);
  if (!names) return HK_E_MEMORY;
  r->pub.states = m->nz;
  r->pub.memories.names = names;
  for (int32_t f = 0; f < m->nf; f++) {
    const hk_model_force *mf = &m->forces[f];
    const hk_law *law[HK_ELEMENT_LAWS];
    if (!mf->nz && mf->nd == mf->ops->nd) continue;
    hk_text t;
    keys_in keys = {&t, true};
    hki_text_init(&t, r->ctx);
    hki_text_add(&t, m->spec->forces[mf->spec].name);
    const int32_t n = mf->ops->laws ? mf->ops->laws(mf->par, law) : 0;
    for (int32_t i = 0; i < n; i++) hki_law_memories(law[i], add_key, &keys);
    hki_text_add(&t, keys.first ? "" : ")");
    names[r->pub.memories.n] = t.s ? hki_pool_strdup(r->pool, t.s) : NULL;
    hki_text_free(&t);
    if (!names[r->pub.memories.n++]) return HK_E_MEMORY;
  }
  return HK_OK;
}

/* names of n items of `size` bytes, each of which begins with its name */
static bool list_names(hk_pool *pool, const void *items, size_t size, int32_t n,
                       hk_check_names *out) {
  const char **names = hki_pool_alloc(pool, (size_t)(n + 1) * sizeof *names);
  for (int32_t i = 0; names && i < n; i++)
    names[i] = *(const char *const *)((const char *)items + (size_t)i * size);
  *out = (hk_check_names){names ? n : 0, names};
  return names != NULL;
}

static hk_status list_others(const hk_model *m, report *r) {
  const hk_spec *s = m->spec;
  hk_check_report *p = &r->pub;
  const char **named = hki_pool_alloc(r->pool, (size_t)(s->nsignals + 1) * sizeof *named);
  if (!named) return HK_E_MEMORY;
  p->signals.names = named;
  for (int32_t i = 0; i < s->nsignals; i++)
    if (s->signals[i].named) named[p->signals.n++] = s->signals[i].name;
  const char **inputs = hki_pool_alloc(r->pool, (size_t)(s->nsignals + 1) * sizeof *inputs);
  if (!inputs) return HK_E_MEMORY;
  p->inputs.names = inputs;
  for (int32_t i = 0; i < s->nsignals; i++)
    if (hki_signal_is_input(&s->signals[i])) inputs[p->inputs.n++] = s->signals[i].name;
  const char **still = hki_pool_alloc(r->pool, (size_t)(s->nnodes + 1) * sizeof *still);
  if (!still || list_memories(m, r) != HK_OK) return HK_E_MEMORY;
  p->quasi_steady.names = still;
  for (int32_t i = 0; i < s->nnodes; i++)
    if (s->nodes[i].still) still[p->quasi_steady.n++] = s->nodes[i].name;
  return list_names(r->pool, s->events, sizeof *s->events, s->nevents, &p->events) &&
                 list_names(r->pool, s->markers, sizeof *s->markers, s->nmarkers, &p->markers) &&
                 list_names(r->pool, s->instances, sizeof *s->instances, s->ninstances,
                            &p->instances)
             ? list_networks(m, r)
             : HK_E_MEMORY;
}

/* --- the examination -------------------------------------------------------------------------- */

/* the findings of the doctor, those about units and servos, then one for each start value that could not be
 * met */
static hk_status add_others(const hk_model *m, report *r, const hk_finding *found, int32_t n,
                            const hk_assembly *as, const hk_finding *servo) {
  hk_finding *units = NULL;
  int32_t nunits = 0;
  hk_status st = hki_units_check(m, r->pool, &units, &nunits);
  if (st != HK_OK) return st;
  hk_finding *list = hki_pool_alloc(r->pool, (size_t)(n + nunits + as->nmoved + 2) * sizeof *list);
  if (!list) return HK_E_MEMORY;
  if (n) memcpy(list, found, (size_t)n * sizeof *list);
  if (nunits) memcpy(list + n, units, (size_t)nunits * sizeof *list);
  n += nunits;
  if (servo->text) list[n++] = *servo;
  for (int32_t i = 0; i < as->nmoved; i++) {
    if (!as->moved || !as->moved[i].text) return HK_E_MEMORY;
    list[n++] = (hk_finding){HK_FINDING_START, as->moved[i].item, as->moved[i].text};
  }
  r->pub.findings = list;
  r->pub.nfindings = n;
  return HK_OK;
}

/* assembles the model and examines the assembled state (q, v); gruebler: freedoms if no row were
 * redundant */
static hk_status examine(hk_model *m, report *r, hk_tree *s, double *q, double *v) {
  hk_assembly as = {.q = q, .v = v, .pool = r->pool};
  hk_mobility mob;
  hk_finding *list = NULL, servo;
  int32_t nfound = 0;
  double before = hki_cpu_seconds();
  hk_status st = hki_assemble(s, &as);
  r->pub.assembly_s = hki_cpu_seconds() - before;
  r->pub.assembly_position = as.position_max;
  r->pub.assembly_velocity = as.velocity_max;
  if (st != HK_OK) return st;
  st = hki_start_state(s, &as, &r->pub.start, &r->pub.nstart, &r->pub.start_others);
  if (st != HK_OK) return st;
  st = hki_doctor(s, r->pool, q, v, &list, &nfound, &mob);
  if (st == HK_OK) st = hki_servo_finding(m, r->pool, q, v, &servo);
  if (st == HK_OK) st = add_others(m, r, list, nfound, &as, &servo);
  if (st == HK_OK) hki_aimless_warn(s->ctx, &s->kin);
  if (st == HK_OK) st = hki_limits_check(s->ctx, &s->kin);
  r->pub.constraints = mob.rows;
  r->pub.rank = mob.rank;
  r->pub.dof = mob.dof;
  r->pub.position_dof = mob.places;
  r->pub.redundant = mob.redundant;
  r->pub.gruebler = m->nv - mob.rows;
  // a motion that no mass resists has no acceleration: such a model cannot run
  for (int32_t i = 0; i < nfound && st == HK_OK; i++) {
    if (list[i].kind != HK_FINDING_INERTIA_FREE) continue;
    st = hki_error(m->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
                   "give the bodies mass, or hold them by joints", "%s", list[i].text);
  }
  char fault[500] = "";
  if (st == HK_OK) st = hki_network_fault(s, fault, sizeof fault);
  if (st == HK_OK && fault[0])
    st = hki_error(m->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, HK_NETWORK_HINT,
                   "the network has no start: %s", fault);
  return st;
}

hk_status hk_check(hk_model *m, hk_check_report **out) {
  hk_tree *s = NULL;
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_check", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_check", "no place for the report");
  report *r = hki_alloc(m->ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  r->ctx = m->ctx;
  r->pool = hki_pool_create(m->ctx);
  const bool before_stop = hki_stop_allow(m->ctx, true);
  double *q = r->pool ? hki_pool_alloc(r->pool, (size_t)(m->nq + m->nv + 1) * sizeof *q) : NULL;
  hk_status st = q ? list_cuts(m, r) : HK_E_MEMORY;
  if (st == HK_OK) st = list_others(m, r);
  count(m, &r->pub);
  int32_t *roots = q ? hki_pool_alloc(r->pool, (size_t)(m->nb + 1) * sizeof *roots) : NULL;
  if (roots) r->pub.mechanisms = count_mechanisms(m, roots);
  double before = hki_cpu_seconds();
  if (st == HK_OK) st = hki_tree_create(m->ctx, m, &s);
  r->pub.compile_s = hki_cpu_seconds() - before;
  if (st == HK_OK) st = examine(m, r, s, q, q + m->nq);
  if (st == HK_OK) st = hki_sim_validate(m, r->pool, &r->pub, &r->beams);
  // a model that does not say how long it runs is looked at as far as the search goes
  const double end = m->spec->run.time;
  int32_t jumping;
  if (st == HK_OK) st = hki_warn_motions(m->ctx, m, isnan(end) ? INFINITY : end, &jumping);
  const bool stopped = st != HK_OK && hki_stopped(m->ctx);
  hki_stop_allow(m->ctx, before_stop);
  r->pub.status = st;
  hki_tree_destroy(s);
  if (stopped) {
    hk_check_free(m, &r->pub);
    return HK_INTERRUPTED;
  }
  *out = &r->pub;
  return st;
}

const char *hk_check_beam(const hk_check_report *rep, int32_t i) {
  const report *r = (const report *)rep;
  return r && i >= 0 && i < r->beams.n ? r->beams.names[i] : NULL;
}

void hk_check_free(hk_model *m, hk_check_report *rep) {
  (void)m; // the caller may have freed it already
  report *r = (report *)rep;
  if (!r) return;
  if (r->pool) hki_pool_destroy(r->pool);
  hki_free(r->ctx, r);
}
