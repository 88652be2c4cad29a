/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.c: the entries of `hooke list` and `hooke info`, from the tables of joints, forces, laws,
 * signals, functions, channels, formulations, integrators and so on. A kind is built when it is
 * first asked for and kept with the context.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/extend.h"
#include "base/params.h"
#include "elements/element.h"
#include "expr/expr.h"
#include "expr/shapes.h"
#include "formulations/formulation.h"
#include "hooke/model.h"
#include "integrators/integrator.h"
#include "language/reader_blocks.h"
#include "language/reader_streams.h"
#include "language/words.h"
#include "studies/study.h"
#include "joints/joint.h"
#include "model/channel_list.h"
#include "simulation/simulation.h"

/* one kind: its number of entries, and a function that fills entry i, which is zeroed before */
typedef struct kind {
  const char *name;
  int32_t (*count)(void);
  void (*fill)(hk_pool *pool, int32_t i, hk_catalog_entry *e);
  /* type i of those that modules bring, NULL: no more; and its entry. NULL: they bring none */
  const void *(*more)(const hk_ctx *ctx, int32_t i);
  void (*fill_more)(hk_pool *pool, const void *ops, hk_catalog_entry *e);
} kind;

/* --- parameters ------------------------------------------------------------------------------- */

/* the type of a parameter in words */
static const char *type_name(const hk_param *p) {
  static const char *const names[] = {
      [HK_P_REAL] = "number",
      [HK_P_INT] = "whole number",
      [HK_P_BOOL] = "true or false",
      [HK_P_CHOICE] = "choice",
      [HK_P_TEXT] = "text",
      [HK_P_DYNAMIC] = "number or signal",
      [HK_P_DYNAMIC3] = "3 numbers or signals",
      [HK_P_DYNAMIC3P] = "3 numbers or signals",
      [HK_P_DYNAMIC6] = "6 numbers or signals",
      [HK_P_REAL6] = "6 numbers",
      [HK_P_REAL66] = "6 or 6 x 6 numbers",
      [HK_P_NUMBERS] = "number, list or matrix",
      [HK_P_REALS] = "list of numbers",
      [HK_P_ROWS] = "rows of numbers",
      [HK_P_LAW] = "law",
      [HK_P_LAW6] = "6 laws",
      [HK_P_LAWS] = "list of laws",
      [HK_P_LAW_MANY] = "law of all axes",
      [HK_P_FRICTION] = "friction",
      [HK_P_ROAD] = "road",
      [HK_P_CURVE] = "curve",
      [HK_P_POINT] = "point",
      [HK_P_ENDS] = "2 points",
      [HK_P_AXIS] = "axis",
      [HK_P_AXIS2] = "axis",
      [HK_P_FRAME] = "frame or orientation",
      [HK_P_BODY] = "body",
      [HK_P_BODIES] = "2 bodies",
      [HK_P_JOINT] = "joint",
      [HK_P_JOINTS] = "list of joints",
      [HK_P_NODE] = "node",
      [HK_P_NODES] = "2 nodes",
      [HK_P_AXES] = "axes",
      [HK_P_LOCKED] = "list of axes",
      [HK_P_MOTION] = "map of signals",
      [HK_P_LIMITS] = "map of ranges",
      [HK_P_TABLE] = "CSV file",
      [HK_P_TEXTS] = "list of texts",
      [HK_P_VALUES] = "map of values",
      [HK_P_ANY] = "value",
  };
  if (p->type <= HK_P_END || p->type > HK_P_ANY || !names[p->type]) return "value";
  if (p->type == HK_P_REAL66 && p->choices) return "3 or 3 x 3 numbers";
  if (p->type == HK_P_LAW6 && p->choices) return "3 laws";
  if (p->type == HK_P_DYNAMIC6 && p->choices) return "3 numbers or signals";
  if (p->type == HK_P_REAL && p->choices) return "number or word";
  if (p->type == HK_P_REAL && (p->flags & HK_P_POSITIVE)) return "positive number";
  return names[p->type];
}

/* true when the row has a default that is a number or the number of a choice */
static bool has_default(const hk_param *p) {
  bool number = p->type == HK_P_REAL || p->type == HK_P_INT || p->type == HK_P_BOOL ||
                p->type == HK_P_CHOICE || p->type == HK_P_DYNAMIC || p->type == HK_P_REAL6;
  return number && !(p->flags & HK_P_REQUIRED);
}

static void fill_param(const hk_param *p, hk_catalog_param *out) {
  bool limits = p->min != 0.0 || p->max != 0.0;
  out->name = p->name;
  out->type = type_name(p);
  out->unit = p->unit ? p->unit : "";
  out->text = p->text ? p->text : "";
  out->choices = p->type == HK_P_CHOICE || p->type == HK_P_REAL ? p->choices : NULL;
  out->def = has_default(p) ? p->def : NAN;
  out->min = limits && isfinite(p->min) ? p->min : NAN;
  out->max = limits && isfinite(p->max) ? p->max : NAN;
  if (!limits && (p->flags & (HK_P_POSITIVE | HK_P_NONNEGATIVE))) out->min = 0.0;
  out->required = (p->flags & HK_P_REQUIRED) != 0;
}

static bool in_table(const hk_param *table, const char *name) {
  for (; table && table->type != HK_P_END; table++)
    if (strcmp(table->name, name) == 0) return true;
  return false;
}

/* own rows first, then the common ones that they do not replace */
static void fill_params(hk_pool *pool, const hk_param *own, const hk_param *common,
                        hk_catalog_entry *e) {
  int32_t n = 0;
  for (const hk_param *p = own; p && p->type != HK_P_END; p++) n++;
  for (const hk_param *p = common; p && p->type != HK_P_END; p++) n++;
  hk_catalog_param *rows = n ? hki_pool_alloc(pool, (size_t)n * sizeof *rows) : NULL;
  if (!rows) return;
  for (const hk_param *p = own; p && p->type != HK_P_END; p++) fill_param(p, rows + e->nparams++);
  for (const hk_param *p = common; p && p->type != HK_P_END; p++) {
    if (!in_table(own, p->name)) fill_param(p, rows + e->nparams++);
  }
  e->params = rows;
}

/* --- methods ---------------------------------------------------------------------------------- */

static void fill_formulation(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_formulation_ops *ops = hki_formulation_at(i)->ops;
  e->name = ops->name;
  e->text = ops->text;
  e->source = ops->source;
  fill_params(pool, ops->params, NULL, e);
}

/* words in the place of a method's name */
static int32_t choice_count(void) { return 1; }

static void fill_choice(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  char list[256] = "";
  size_t n = 0;
  (void)i;
  e->name = HK_AUTO;
  e->text = "formulation: auto, the default: chosen from the model before the run";
  for (int32_t k = 0; k < hki_formulation_count() && n < sizeof list; k++) {
    const hk_formulation_entry *f = hki_formulation_at(k);
    if (f->good_for)
      n += (size_t)snprintf(list + n, sizeof list - n, "%s%s (%s)", n ? ", " : "", f->ops->name,
                            f->good_for);
  }
  e->detail = hki_pool_printf(
      pool,
      "takes the first of these that fits model, integrator and memory: %s; a later one where an "
      "iteration is predicted to take less than a third of the time, unless it iterates to a fixed "
      "point and springs act across several joints or chains are heavy for the step. Runs and "
      "'hooke check' say what was chosen and why",
      list);
}

static void fill_integrator_ops(hk_pool *pool, const void *p, hk_catalog_entry *e) {
  const hk_integrator_ops *ops = p;
  e->name = ops->name;
  e->text = ops->text;
  e->source = ops->source;
  e->detail = ops->order ? hki_pool_printf(pool, "order: %d", (int)ops->order)
                         : "order and step are chosen by the local error";
  fill_params(pool, ops->params, hki_solver_params, e);
}

static void fill_integrator(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  fill_integrator_ops(pool, hki_integrator_at(i), e);
}

static const void *more_integrators(const hk_ctx *ctx, int32_t i) {
  return hki_extend_at(ctx, HK_EXTEND_INTEGRATOR, i);
}

/* --- joints and forces ------------------------------------------------------------------------ */

static void fill_joint_ops(hk_pool *pool, const void *p, hk_catalog_entry *e) {
  const hk_joint_ops *ops = p;
  e->name = ops->name;
  e->alias = ops->alias;
  e->text = ops->text;
  e->source = ops->source;
  if (ops->nv > 0) {
    e->detail = hki_pool_printf(pool, "coordinates: %s; rates: %s", ops->coords, ops->rates);
  } else {
    e->detail = ops->nv < 0 ? "a constraint only, without coordinates" : "no coordinates";
  }
  fill_params(pool, ops->params, hki_joint_shared_params(ops), e);
}

static void fill_joint(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  fill_joint_ops(pool, hki_joint_at(i), e);
}

static const void *more_joints(const hk_ctx *ctx, int32_t i) {
  return hki_extend_at(ctx, HK_EXTEND_JOINT, i);
}

static void fill_element(hk_pool *pool, const void *p, hk_catalog_entry *e) {
  const hk_element_ops *ops = p;
  e->name = ops->name;
  e->text = ops->text;
  e->source = ops->source;
  if (ops->outputs && *ops->outputs) {
    e->detail = hki_pool_printf(pool, "channels: %s [%s]", ops->outputs,
                                ops->output_units ? ops->output_units : "");
  }
  fill_params(pool, ops->params, hki_element_common_params, e);
}

static void fill_force(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  fill_element(pool, hki_element_at(i), e);
}

static const void *more_forces(const hk_ctx *ctx, int32_t i) {
  return hki_element_of(ctx, false, hki_element_force_count() + i);
}

static int32_t network_count(void) { return hki_element_count() - hki_element_force_count(); }

static void fill_network(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  fill_force(pool, hki_element_force_count() + i, e);
}

static const void *more_network(const hk_ctx *ctx, int32_t i) {
  return hki_element_of(ctx, true, network_count() + i);
}

static int32_t node_count(void) { return HK_DOMAINS; }

static void fill_node(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_domain_info *d = &hki_domain_infos[i];
  e->name = d->name;
  e->text = d->text;
  e->detail = hki_pool_printf(pool, "channels: %s rate [%s %s]; balanced flow: %s", d->value,
                              *d->unit ? d->unit : "1", d->rate_unit, d->flow);
  fill_params(pool, hki_keys_node, NULL, e);
}

/* --- laws, signals, expressions --------------------------------------------------------------- */

static int32_t law_count(void) {
  int32_t n = 0;
  while (hki_law_infos[n].key) n++;
  return n;
}

static void fill_law(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  (void)pool;
  e->name = hki_law_infos[i].key;
  e->text = hki_law_infos[i].text;
}

static void fill_law_ops(hk_pool *pool, const void *p, hk_catalog_entry *e) {
  const hk_law_ops *ops = p;
  e->name = ops->name;
  e->text = ops->text;
  fill_params(pool, ops->params, NULL, e);
}

static const void *more_laws(const hk_ctx *ctx, int32_t i) {
  return hki_extend_at(ctx, HK_EXTEND_LAW, i);
}

/* kinds of signals that have no shape: keys of a signal, each with keys of its own */
static const struct {
  const char *name;
  const hk_param *keys;
  const char *detail;
} plain_signals[] = {
    {"expression", NULL, "see 'hooke list functions' and 'hooke list channels'"},
    {"table", hki_keys_table, NULL},
    {"points", NULL, "interpolation, ends, extrapolation and x as of a table"},
    {"periodic", hki_keys_periodic, NULL},
    {"latch", hki_keys_latch, NULL},
    {"first_hit", hki_keys_first_hit, NULL},
    {"after", hki_keys_after, NULL},
    {"variable", NULL, "events set it: {when: .., set: {NAME: value}}"},
    {"input", hki_keys_input,
     "a program sets it: hk_sim_input_set in C; on the command line it keeps its start value"},
    {"stream", hki_keys_stream,
     "beside it 'column', from 1; the keys are those of the stream, under 'streams'"},
    {"sum", NULL, NULL},
    {"product", NULL, NULL},
};

/* block i of those that a signal may be; NULL: no more */
static const hk_rd_block *signal_block(int32_t i) {
  const hk_rd_block *b;
  for (int32_t k = 0; (b = hki_rd_block_at(k)); k++)
    if (b->inline_too && i-- == 0) return b;
  return NULL;
}

static int32_t signal_count(void) {
  int32_t n = HK_SHAPE_FN_COUNT + HK_ARRAY_LEN(plain_signals);
  for (int32_t i = 0; signal_block(i); i++) n++;
  return n;
}

/* the text of a key; "" when the table has no such key */
static const char *key_text(const hk_param *table, const char *name) {
  for (; table->type != HK_P_END; table++)
    if (strcmp(table->name, name) == 0) return table->text;
  return "";
}

static void fill_signal(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const int32_t plain = HK_SHAPE_FN_COUNT + HK_ARRAY_LEN(plain_signals);
  if (i >= plain) {
    const hk_rd_block *b = signal_block(i - plain);
    e->name = b->name;
    e->text = key_text(hki_keys_signal, e->name);
    fill_params(pool, b->keys, hki_keys_inline, e);
    return;
  }
  if (i >= HK_SHAPE_FN_COUNT) {
    i -= HK_SHAPE_FN_COUNT;
    e->name = plain_signals[i].name;
    e->text = key_text(hki_keys_signal, e->name);
    e->detail = plain_signals[i].detail;
    fill_params(pool, plain_signals[i].keys, NULL, e);
    return;
  }
  e->name = hki_shape_infos[i].name;
  e->text = hki_shape_infos[i].text;
  fill_params(pool, hki_shape_infos[i].params, NULL, e);
}

static int32_t controller_count(void) {
  int32_t n = 0;
  while (hki_rd_block_at(n)) n++;
  return n;
}

static void fill_controller(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_rd_block *b = hki_rd_block_at(i);
  e->name = b->name;
  e->text = b->text;
  e->detail = b->inline_too ? "also a signal: see 'hooke list signals'" : NULL;
  fill_params(pool, b->keys, hki_keys_controller, e);
}

static void fill_block_ops(hk_pool *pool, const void *p, hk_catalog_entry *e) {
  const hk_block_ops *ops = p;
  e->name = ops->name;
  e->text = ops->text;
  fill_params(pool, ops->params, hki_keys_controller, e);
}

static const void *more_blocks(const hk_ctx *ctx, int32_t i) {
  return hki_extend_at(ctx, HK_EXTEND_BLOCK, i);
}

static void fill_function(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_expr_function *f = hki_expr_function_info(i);
  e->name = f->name;
  e->text = f->text;
  e->detail = hki_pool_printf(pool, "usage: %s", f->usage);
}

static void fill_constant(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_expr_constant *c = hki_expr_constant_info(i);
  e->name = c->name;
  e->text = c->text;
  e->detail = hki_pool_printf(pool, "value: %.17g", c->value);
}

/* --- channels --------------------------------------------------------------------------------- */

/* "x y z" -> "x,y,z" */
static const char *with_commas(hk_pool *pool, const char *words) {
  char *copy = hki_pool_strdup(pool, words);
  for (char *c = copy; c && *c; c++)
    if (*c == ' ') *c = ',';
  return copy ? copy : "";
}

/* number of catalogue entries of a family: channels of no item (energies and so on) have one each,
 * channels of bodies, joints and so on one for all items */
static int32_t family_size(const hk_channel_family *f) {
  const int32_t n = hki_word_count(f->components);
  return f->group < HK_GROUP_ENERGY || n == 0 ? 1 : n;
}

static int32_t channel_count(void) {
  hk_channel_family f;
  int32_t n = 0;
  for (int32_t i = 0; hki_channel_family(i, &f); i++) n += family_size(&f);
  return n;
}

/* names of families whose components depend on the type of joint, force or node */
static const char *open_name(hk_channel_kind family) {
  switch (family) {
    case HK_CH_JOINT_COORD:
      return "joint.NAME.COORDINATE";
    case HK_CH_JOINT_RATE:
      return "joint.NAME.RATE";
    case HK_CH_JOINT_DRIVE:
      return "joint.NAME.drive";
    case HK_CH_JOINT_LOAD:
      return "joint.NAME.torque.K, joint.NAME.force.K";
    case HK_CH_JOINT_MULTIPLIER:
      return "joint.NAME.multiplier";
    case HK_CH_SERVO:
      return "servo.NAME.{value,error,supplied}";
    case HK_CH_FORCE_OUTPUT:
      return "force.NAME.OUTPUT, network.NAME.OUTPUT";
    case HK_CH_FORCE_DISSIPATION:
      return "force.NAME.dissipation";
    case HK_CH_FORCE_DISSIPATED:
      return "force.NAME.dissipated";
    case HK_CH_FORCE_SUPPLIED:
      return "force.NAME.supplied, network.NAME.supplied";
    case HK_CH_JOINT_SUPPLIED:
      return "joint.NAME.supplied";
    case HK_CH_NODE:
      return "node.NAME.VALUE";
    case HK_CH_NODE_RATE:
      return "node.NAME.rate";
    default:
      return "signal.NAME, controller.NAME, controller.NAME.OUTPUT";
  }
}

static void fill_channel(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  static const hk_spec nothing;
  hk_channel_family f;
  char name[HK_QUANTITY_MAX + 40], text[200];
  int32_t k = 0;
  while (hki_channel_family(k, &f) && i >= family_size(&f)) i -= family_size(&f), k++;
  const char *unit = f.unit;
  if (f.group >= HK_GROUP_ENERGY) {
    // a channel of no item
    hk_channel c = {(int16_t)f.kind, (int16_t)i, 0};
    hki_channel_name(&nothing, c, name, sizeof name);
    hki_channel_text(&nothing, c, text, sizeof text);
    unit = hki_channel_unit(&nothing, c);
    e->name = hki_pool_strdup(pool, name);
    e->text = hki_pool_strdup(pool, text);
  } else {
    e->name = f.name ? hki_pool_printf(pool, "%s.NAME.%s.{%s}", hki_group_names[f.group], f.name,
                                       with_commas(pool, f.components))
                     : open_name(f.kind);
    e->text = f.text;
  }
  const char *words = !unit ? "depends on the type" : *unit ? unit : "none";
  e->detail = hki_pool_printf(pool, "unit: %s", words);
}

/* --- sections, words of others ---------------------------------------------------------------- */

static int32_t section_count(void) {
  int32_t n = 0;
  while (hki_section_at(n)) n++;
  return n;
}

static void fill_section(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_section *s = hki_section_at(i);
  e->name = s->name;
  e->text = s->text ? s->text : key_text(hki_keys_model, s->name);
  e->detail = s->detail;
  fill_params(pool, s->keys, NULL, e);
}

static int32_t foreign_count(void) {
  int32_t n = 0;
  while (hki_foreign_at(n)) n++;
  return n;
}

/* the first word is the name, the others are its aliases */
static void fill_foreign(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_foreign_word *f = hki_foreign_at(i);
  const size_t n = strcspn(f->words, " ");
  e->name = hki_pool_strndup(pool, f->words, n);
  e->alias = f->words[n] ? f->words + n + 1 : NULL;
  e->text = f->text;
  e->detail = hki_pool_printf(pool, "see: %s", with_commas(pool, f->see));
}

/* --- study files ------------------------------------------------------------------------------ */

static int32_t study_count(void) {
  int32_t n = 0;
  while (hki_study_table(n)) n++;
  return n;
}

static void fill_study(hk_pool *pool, int32_t i, hk_catalog_entry *e) {
  const hk_study_table *t = hki_study_table(i);
  e->name = t->name;
  e->text = t->text;
  fill_params(pool, t->keys, NULL, e);
}

/* --- the catalogue ---------------------------------------------------------------------------- */

static const kind kinds[] = {
    {"formulations", hki_formulation_count, fill_formulation, NULL, NULL},
    {"choices", choice_count, fill_choice, NULL, NULL},
    {"integrators", hki_integrator_count, fill_integrator, more_integrators, fill_integrator_ops},
    {"joints", hki_joint_count, fill_joint, more_joints, fill_joint_ops},
    {"forces", hki_element_force_count, fill_force, more_forces, fill_element},
    {"nodes", node_count, fill_node, NULL, NULL},
    {"network", network_count, fill_network, more_network, fill_element},
    {"laws", law_count, fill_law, more_laws, fill_law_ops},
    {"signals", signal_count, fill_signal, NULL, NULL},
    {"controllers", controller_count, fill_controller, more_blocks, fill_block_ops},
    {"functions", hki_expr_function_count, fill_function, NULL, NULL},
    {"constants", hki_expr_constant_count, fill_constant, NULL, NULL},
    {"channels", channel_count, fill_channel, NULL, NULL},
    {"studies", study_count, fill_study, NULL, NULL},
    {"sections", section_count, fill_section, NULL, NULL},
    {"words", foreign_count, fill_foreign, NULL, NULL},
};

/* what a context has of a kind; built anew when a module has brought more */
typedef struct catalog {
  struct {
    hk_catalog_entry *list; /* NULL: not built yet */
    int32_t n;
  } entries[HK_ARRAY_LEN(kinds)];
} catalog;

static int32_t find_kind(const char *name) {
  for (int32_t i = 0; name && i < HK_ARRAY_LEN(kinds); i++)
    if (strcmp(kinds[i].name, name) == 0) return i;
  return -1;
}

int32_t hk_catalog_kind_count(void) { return HK_ARRAY_LEN(kinds); }

const char *hk_catalog_kind(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(kinds) ? kinds[i].name : NULL;
}

int32_t hk_catalog_count(const char *name) {
  int32_t k = find_kind(name);
  return k < 0 ? -1 : kinds[k].count();
}

/* how many there are of kind k, with those that modules brought */
static int32_t count_all(const hk_ctx *ctx, int32_t k) {
  int32_t n = 0;
  while (kinds[k].more && kinds[k].more(ctx, n)) n++;
  return kinds[k].count() + n;
}

int32_t hk_catalog_count_in(const hk_ctx *ctx, const char *name) {
  int32_t k = find_kind(name);
  return k < 0 || !hki_is(ctx, HK_MARK_CTX) ? -1 : count_all(ctx, k);
}

/* all entries of kind k; NULL: out of memory */
static hk_catalog_entry *fill_kind(hk_ctx *ctx, hk_pool *pool, int32_t k, int32_t n) {
  const int32_t own = kinds[k].count(), errors = hki_error_count(ctx);
  hk_catalog_entry *list = hki_pool_alloc(pool, (size_t)n * sizeof *list);
  for (int32_t j = 0; list && j < n; j++) {
    list[j].kind = kinds[k].name;
    if (j < own)
      kinds[k].fill(pool, j, list + j);
    else
      kinds[k].fill_more(pool, kinds[k].more(ctx, j - own), list + j);
  }
  // not kept when memory ran out: names may be missing
  return hki_error_count(ctx) == errors ? list : NULL;
}

const hk_catalog_entry *hk_catalog_entry_at(hk_ctx *ctx, const char *name, int32_t i) {
  int32_t k = find_kind(name);
  if (!hki_is(ctx, HK_MARK_CTX) || k < 0 || i < 0) return NULL;
  const int32_t n = count_all(ctx, k);
  hk_pool *pool = hki_ctx_pool(ctx);
  catalog **c = (catalog **)hki_ctx_once(ctx, kinds);
  if (i >= n || !pool || !c) return NULL;
  if (!*c) *c = hki_pool_alloc(pool, sizeof **c);
  if (!*c) return NULL;
  // the whole kind at once
  if (!(*c)->entries[k].list || (*c)->entries[k].n != n) {
    hk_catalog_entry *list = fill_kind(ctx, pool, k, n);
    if (!list) return NULL;
    (*c)->entries[k].list = list, (*c)->entries[k].n = n;
  }
  return (*c)->entries[k].list + i;
}
