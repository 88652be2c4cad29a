/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c: the JSON schema (draft 7) of model files, for editors. Made from the tables by which
 * the reader checks keys: its own (language/reader_tables.c) and those of joints, forces and signal
 * shapes. Rows whose type does not say what they hold get their schema by key (by_key below).
 */
#include "catalog/schema_objects.h"
#include "language/model_reader.h"
#include "language/reader_beams.h"
#include "language/reader_flexible.h"
#include "language/reader_shells.h"
#include "language/reader_blocks.h"
#include "language/reader_laws.h"
#include "base/extend.h"
#include "elements/joint_friction.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "simulation/simulation.h"

#include <stdio.h>
#include <string.h>

#define REF(name) "{\"$ref\": \"#/definitions/" name "\"}"

/* a value that may be written as a number or as an expression */
#define NUMBER REF("number")
#define LIST(n, item)                                                                              \
  "{\"type\": \"array\", \"items\": " item ", \"minItems\": " n ", \"maxItems\": " n "}"
/* a list of numbers, or the name of a parameter that is one */
#define NUMBERS(n)  ANY2(TEXT, LIST(n, NUMBER))
#define MANY(item)  "{\"type\": \"array\", \"items\": " item "}"
#define NAMED(item) "{\"type\": \"object\", \"additionalProperties\": " item "}"
#define PRIVATE     "\"^(\\\\.|x-|\\\\$schema)\": {}"
#define TEXT        "{\"type\": \"string\"}"
#define MATRIX      "{\"anyOf\": [" TEXT ", " MANY(NUMBER) ", " MANY(MANY(NUMBER)) "]}"
#define ANY2(a, b)  "{\"anyOf\": [" a ", " b "]}"

/* lower and upper end, null where it is open */
#define RANGE  LIST("2", ANY2(NUMBER, "{\"type\": \"null\"}"))
#define LOCKED ANY2(MANY("{\"type\": [\"string\", \"object\"]}"), "{\"type\": \"object\"}")
#define LIMITS                                                                                     \
  ANY2(RANGE, NAMED("{\"anyOf\": [" NUMBER ", " RANGE                                              \
                    ", " REF("stop") ", " REF("friction") ", {\"type\": \"array\"}]}"))

/* schemas by key, for rows of type HK_P_ANY, HK_P_FRAME and HK_P_JOINT */
static const struct {
  const char *key, *schema;
} by_key[] = {
    {"hooke", "{\"enum\": [1]}"},
    {"gravity", "{\"anyOf\": [" TEXT ", " LIST("3", REF("value")) ", " REF("central_gravity") "]}"},
    {"parameters", NAMED(REF("parameter"))},
    {"include", ANY2(TEXT, MANY(TEXT))},
    {"frames", NAMED(REF("placement"))},
    {"points", NAMED(REF("point"))},
    {"components", NAMED(REF("component"))},
    {"instances", NAMED(REF("instance"))},
    // of a surface: names
    {"bodies", "{\"anyOf\": [" NAMED(REF("body")) ", " TEXT ", " MANY(TEXT) "]}"},
    {"surfaces", NAMED(REF("mapped_surface"))},
    {"external", NAMED(REF("external_forces"))},
    {"peer", REF("external_peer")},
    {"grid", REF("surface_grid")},
    {"reach", ANY2(NUMBER, NUMBERS("3"))},
    {"number", NUMBERS("2")},
    {"joints", NAMED(REF("joint"))},
    {"beams", NAMED(REF("beam"))},
    {"flexible", NAMED(REF("flexible_body"))},
    {"cables", NAMED(REF("masses_cable"))},
    {"shells", NAMED(REF("shell"))},
    {"membranes", NAMED(REF("membrane"))},
    {"corners", LIST("4", REF("point"))},
    {"surface", LIST("3", REF("value"))},
    // of shells: ranges; of grids: edges
    {"u", ANY2(NUMBERS("2"), NUMBERS("3"))},
    {"v", ANY2(NUMBERS("2"), NUMBERS("3"))},
    {"prestress", ANY2(NUMBER, NUMBERS("3"))},
    {"clamp", ANY2(REF("clamp"), NAMED(ANY2(TEXT, REF("hold"))))},
    {"ends", REF("clamp")},
    {"belts", NAMED(REF("closed_belt"))},
    {"pulleys", MANY(REF("pulley"))},
    {"over", MANY(ANY2(TEXT, REF("over")))},
    {"section", ANY2(REF("section"), MANY(REF("section")))},
    // of a flexible body: a text, or one for each group of elements
    {"material",
     "{\"anyOf\": [" REF("material") ", " REF("ply_material") ", " TEXT ", " NAMED(TEXT) "]}"},
    {"laminate", ANY2(REF("laminate"), REF("shell_laminate"))},
    {"plies", MANY(REF("ply"))},
    {"loads", ANY2(NAMED(REF("beam_load")), NAMED(REF("shell_load")))},
    {"sliders", NAMED(REF("slider"))},
    {"servo", NAMED(REF("servo"))},
    {"fmus", NAMED(REF("fmu"))},
    {"through", "{\"type\": [\"string\", \"array\", \"object\"]}"},
    {"forces", NAMED(REF("force"))},
    {"nodes", NAMED(REF("node"))},
    {"network", NAMED(REF("network_element"))},
    {"signals", NAMED(REF("value"))},
    {"controllers", NAMED(REF("controller"))},
    {"laws", NAMED(REF("law"))},
    {"markers", NAMED(REF("marker"))},
    {"events", NAMED(REF("event"))},
    {"start",
     "{\"type\": \"object\", \"properties\": {\"relax\": " REF(
         "relax") ", \"rates\": {\"anyOf\": [{\"enum\": [\"relative\", \"mass\"]}, "
                  "{\"type\": \"object\"}]}}, "
                  "\"additionalProperties\": {\"type\": [\"object\", \"boolean\", \"string\"]}}"},
    {"modules", ANY2(TEXT, MANY(TEXT))},
    {"record", ANY2(TEXT, MANY(TEXT))},
    {"run", REF("run")},
    {"inverse", REF("inverse")},
    {"tasks", NAMED(REF("task"))},
    {"actuators", MANY(ANY2(TEXT, REF("actuator")))},
    {"ergonomy", NAMED(REF("ergonomy"))},
    {"position", ANY2(TEXT, LIST("3", ANY2("{\"type\": \"null\"}", REF("value"))))},
    {"statics", REF("statics")},
    {"modes", REF("modes")},
    {"mirror", ANY2(TEXT, MANY(TEXT))},
    {"connect", NAMED(TEXT)},
    {"in", ANY2(TEXT, REF("stream_way"))},
    {"out", ANY2(TEXT, REF("stream_way"))},
    {"streams", NAMED(REF("stream_keys"))},
    {"values", ANY2(TEXT, MANY(TEXT))},
    {"names", MANY(TEXT)},
    {"rotate", REF("orientation")},
    {"orientation", REF("orientation")},
    {"frame", REF("placement")},
    {"angles", MANY(NUMBER)},
    {"inertia", ANY2(REF("inertia"), NUMBERS("3"))},
    {"diagonal", NUMBERS("3")},
    {"shape", "{\"anyOf\": [" REF("shape") ", " MANY(REF("shape")) ", " REF("section_shape") "]}"},
    {"box", NUMBERS("3")},
    {"velocity", NUMBERS("3")},
    {"angular_velocity", NUMBERS("3")},
    {"when", REF("value")},
    {"quasi_steady", MANY(TEXT)},
    {"fix", ANY2(TEXT, MANY(TEXT))},
    {"release", ANY2(TEXT, MANY(TEXT))},
    {"table", "{\"anyOf\": [" TEXT ", " MANY(MANY(NUMBER)) ", " REF("grid") "]}"},
    {"column", "{\"type\": [\"string\", \"integer\"]}"},
    {"against", "{\"type\": [\"string\", \"integer\"]}"},
    {"step", REF("signal_step")},
    {"ramp", REF("signal_ramp")},
    {"sine", REF("signal_sine")},
    {"pulse", REF("signal_pulse")},
    {"cosine", REF("signal_cosine")},
    {"sweep", REF("signal_sweep")},
    {"fourier", REF("signal_fourier")},
    {"random", REF("signal_random")},
    {"periodic", REF("periodic")},
    {"set", "{\"type\": \"object\"}"},
    {"reset", ANY2(TEXT, MANY(TEXT))},
    {"rebound", ANY2(TEXT, MANY(TEXT))},
    {"integral", REF("integral")},
    {"derivative", REF("derivative")},
    {"filter", REF("filter")},
    {"transfer_function", REF("transfer_function")},
    {"state_space", REF("state_space")},
    {"pid", REF("pid")},
    {"sample", REF("sample")},
    {"delay", REF("delay")},
    {"latch", REF("latch")},
    {"first_hit", REF("first_hit")},
    {"after", REF("after")},
    {"quantiser", REF("quantiser")},
    {"saturation", REF("saturation")},
    {"dead_zone", REF("dead_zone")},
    {"rate_limit", REF("rate_limit")},
    {"of", ANY2(REF("value"), MANY(REF("value")))},
    {"input", "{\"anyOf\": [" REF("value") ", " MANY(REF("value")) ", " REF("input") "]}"},
    {"A", MATRIX},
    {"B", MATRIX},
    {"C", MATRIX},
    {"D", MATRIX},
    {"weights", NUMBERS("2")},
    {"range", ANY2(TEXT, RANGE)},
    {"rates", NUMBERS("2")},
    {"states", NAMED(REF("machine_state"))},
    {"outputs", ANY2(MANY(TEXT), NAMED(REF("value")))},
    {"variables", NAMED(NUMBER)},
    {"entry", NAMED(REF("value"))},
    {"exit", NAMED(REF("value"))},
    {"transitions", MANY(REF("transition"))},
    {"limits", NUMBERS("2")},
    {"columns", LIST("3", "{\"type\": [\"string\", \"integer\"]}")},
    {"sum", MANY(REF("value"))},
    {"product", MANY(REF("value"))},
    {"polynomial", MANY(NUMBER)},
    {"piecewise", MANY(REF("law"))},
    {"law", REF("law")},
    {"maxwell", MANY(REF("maxwell"))},
    {"coulomb", REF("coulomb")},
    {"stribeck", REF("stribeck")},
    {"lugre", REF("lugre")},
    {"friction", REF("friction")},
    {"hardening", REF("hardening")},
    {"expression", ANY2(TEXT, MANY(TEXT))},
    {"double_linear", REF("double_linear")},
    {"log_elastic", REF("log_elastic")},
    {"gas_spring", REF("gas_spring")},
    {"turbulent", REF("turbulent")},
    {"shock_absorber", REF("shock_absorber")},
    {"axis", REF("law_axis")},
    {"bistop", REF("bistop")},
};

/* the schema of a type of row; NULL: look it up by its key */
static const char *type_schema(hk_ptype type) {
  static const char *const schemas[HK_P_ANY + 1] = {
      [HK_P_REAL] = NUMBER,
      [HK_P_INT] = NUMBER,
      [HK_P_BOOL] = "{\"type\": [\"boolean\", \"string\"]}",
      [HK_P_TEXT] = TEXT,
      [HK_P_BODY] = TEXT,
      [HK_P_JOINT] = TEXT,
      [HK_P_NODE] = TEXT,
      [HK_P_DYNAMIC] = REF("value"),
      [HK_P_DYNAMIC3] = ANY2(TEXT, LIST("3", REF("value"))),
      [HK_P_DYNAMIC3P] = ANY2(TEXT, LIST("3", REF("value"))),
      [HK_P_DYNAMIC6] = ANY2(NAMED(REF("value")), LIST("6", REF("value"))),
      [HK_P_REAL6] = NUMBERS("6"),
      [HK_P_REAL66] = ANY2(NUMBER, LIST("6", ANY2(NUMBER, NUMBERS("6")))),
      [HK_P_NUMBERS] = ANY2(NUMBER, MANY(ANY2(NUMBER, MANY(NUMBER)))),
      [HK_P_REALS] = MANY(NUMBER),
      [HK_P_TEXTS] = ANY2(TEXT, MANY(TEXT)),
      [HK_P_VALUES] = NAMED(ANY2(NUMBER, MANY(NUMBER))),
      [HK_P_JOINTS] = MANY(TEXT),
      [HK_P_ROWS] = MANY(MANY(NUMBER)),
      [HK_P_LAW] = REF("law"),
      [HK_P_LAW6] = ANY2(NAMED(REF("law")), MANY(ANY2(REF("law"), "{\"type\": \"null\"}"))),
      [HK_P_LAWS] = MANY(REF("law")),
      [HK_P_LAW_MANY] = REF("law"),
      [HK_P_FRICTION] = REF("friction"),
      [HK_P_ROAD] = REF("road"),
      [HK_P_CURVE] = REF("curve_keys"),
      [HK_P_POINT] = REF("point"),
      [HK_P_ENDS] = LIST("2", REF("point")),
      [HK_P_AXIS] = REF("axis"),
      [HK_P_AXIS2] = REF("axis"),
      [HK_P_AXES] = REF("axes"),
      [HK_P_FRAME] = REF("axes"),
      [HK_P_BODIES] = LIST("2", TEXT),
      [HK_P_NODES] = LIST("2", TEXT),
      [HK_P_LOCKED] = LOCKED,
      [HK_P_MOTION] = ANY2(REF("value"), "{\"type\": \"object\"}"),
      [HK_P_LIMITS] = LIMITS,
  };
  return type > HK_P_END && type <= HK_P_ANY ? schemas[type] : NULL;
}

static const char *row_schema(const hk_param *p) {
  bool by_hand = p->type == HK_P_ANY || p->type == HK_P_FRAME || p->type == HK_P_JOINT;
  for (int32_t i = 0; by_hand && i < HK_ARRAY_LEN(by_key); i++) {
    if (strcmp(by_key[i].key, p->name) == 0) return by_key[i].schema;
  }
  if (p->type == HK_P_REAL66 && p->choices)
    return ANY2(NUMBER, LIST("3", ANY2(NUMBER, NUMBERS("3"))));
  if (p->type == HK_P_DYNAMIC6 && p->choices)
    return ANY2(NAMED(REF("value")), LIST("3", REF("value")));
  const char *s = type_schema(p->type);
  return s ? s : "{}";
}

/* "a b c" -> ["a", "b", "c"] without the brackets */
static void add_words(hk_text *t, const char *words) {
  int n;
  for (int32_t k = 0; words = hki_word(words, k ? 1 : 0, &n), n > 0; k++)
    hki_text_printf(t, "%s\"%.*s\"", k ? ", " : "", n, words);
}

/* `"name": {...}` of one row, its text and unit as description */
static void add_row(hk_text *t, const hk_param *p) {
  hki_text_json(t, p->name);
  hki_text_add(t, ": {");
  if (p->text) {
    hki_text_add(t, "\"description\": ");
    hk_text d;
    hki_text_init(&d, t->ctx);
    hki_text_add(&d, p->text);
    if (p->unit && *p->unit) hki_text_printf(&d, " (%s)", p->unit);
    hki_text_json(t, d.s ? d.s : "");
    hki_text_free(&d);
    hki_text_add(t, ", ");
  }
  if (p->type == HK_P_CHOICE) {
    hki_text_add(t, "\"enum\": [");
    add_words(t, p->choices);
    hki_text_add(t, "]}");
  } else {
    hki_text_printf(t, "\"allOf\": [%s]}", row_schema(p));
  }
}

static bool has_row(const hk_param *table, const char *name) {
  for (; table && table->type != HK_P_END; table++) {
    if (strcmp(table->name, name) == 0) return true;
  }
  return false;
}

/* The object that two tables describe (the second may be NULL; rows of the first go before). An
 * item of a section may be repeated. */
static void add_object(hk_text *t, const hk_param *a, const hk_param *b, bool item) {
  const hk_param *tables[3] = {a, b, item ? hki_keys_repeat : NULL};
  bool first = true;
  hki_text_add(t, "{\"type\": \"object\", \"properties\": {");
  for (int k = 0; k < 3; k++) {
    for (const hk_param *p = tables[k]; p && p->type != HK_P_END; p++) {
      if (k == 1 && has_row(a, p->name)) continue;
      hki_text_add(t, first ? "\n      " : ",\n      ");
      add_row(t, p);
      first = false;
    }
  }
  hki_text_add(t, "}, \"patternProperties\": {" PRIVATE "}");
  first = true;
  for (int k = 0; k < 2; k++) {
    for (const hk_param *p = tables[k]; p && p->type != HK_P_END; p++) {
      if (!(p->flags & HK_P_REQUIRED) || (k == 1 && has_row(a, p->name))) continue;
      hki_text_printf(t, "%s\"%s\"", first ? ", \"required\": [" : ", ", p->name);
      first = false;
    }
  }
  hki_text_printf(t, "%s, \"additionalProperties\": false}", first ? "" : "]");
}

static void add_definition(hk_text *t, const char *name, const hk_param *a, const hk_param *b,
                           bool item) {
  hki_text_printf(t, ",\n    \"%s\": ", name);
  add_object(t, a, b, item);
}

/* an object whose keys depend on its type */
static void add_switch(hk_text *t, const char *kind, const char *(*name)(const hk_ctx *, int32_t),
                       const char *(*alias)(const hk_ctx *, int32_t)) {
  const char *type;
  hki_text_printf(t,
                  ",\n    \"%s\": {\"type\": \"object\", \"required\": [\"type\"], "
                  "\"properties\": {\"type\": {\"enum\": [",
                  kind);
  for (int32_t i = 0; (type = name(t->ctx, i)); i++) {
    if (i) hki_text_add(t, ", ");
    add_words(t, type);
    if (alias(t->ctx, i)) hki_text_add(t, ", ");
    add_words(t, alias(t->ctx, i));
  }
  hki_text_add(t, "]}}, \"allOf\": [");
  for (int32_t i = 0; (type = name(t->ctx, i)); i++) {
    hki_text_printf(t, "%s\n      {\"if\": {\"properties\": {\"type\": {\"enum\": [", i ? "," : "");
    add_words(t, type);
    if (alias(t->ctx, i)) hki_text_add(t, ", ");
    add_words(t, alias(t->ctx, i));
    hki_text_printf(t, "]}}}, \"then\": {\"$ref\": \"#/definitions/%s_%s\"}}", kind, type);
  }
  hki_text_add(t, "]}");
}

static const char *joint_name(const hk_ctx *ctx, int32_t i) {
  return hki_joint_of(ctx, i) ? hki_joint_of(ctx, i)->name : NULL;
}
static const char *joint_alias(const hk_ctx *ctx, int32_t i) { return hki_joint_of(ctx, i)->alias; }
static const char *force_name(const hk_ctx *ctx, int32_t i) {
  return hki_element_of(ctx, false, i) ? hki_element_of(ctx, false, i)->name : NULL;
}
static const char *network_name(const hk_ctx *ctx, int32_t i) {
  return hki_element_of(ctx, true, i) ? hki_element_of(ctx, true, i)->name : NULL;
}
static const char *no_alias(const hk_ctx *ctx, int32_t i) {
  (void)ctx, (void)i;
  return NULL;
}

/* block i of the library, then those that modules bring; false: no more */
static bool block_at(const hk_ctx *ctx, int32_t i, const char **name, const hk_param **keys,
                     bool *inline_too) {
  int32_t own = 0;
  while (hki_rd_block_at(own)) own++;
  const hk_rd_block *b = hki_rd_block_at(i);
  const hk_block_ops *more = b ? NULL : hki_extend_at(ctx, HK_EXTEND_BLOCK, i - own);
  if (!b && !more) return false;
  *name = b ? b->name : more->name;
  *keys = b ? b->keys : more->params;
  *inline_too = b && b->inline_too;
  return true;
}

static const char *block_name(const hk_ctx *ctx, int32_t i) {
  const char *name = NULL;
  const hk_param *keys;
  bool inline_too;
  return block_at(ctx, i, &name, &keys, &inline_too) ? name : NULL;
}

/* blocks: items of `controllers:`, and inside signals */
static void add_blocks(hk_text *t) {
  char name[80];
  const char *block;
  const hk_param *keys;
  bool inline_too;
  add_switch(t, "controller", block_name, no_alias);
  for (int32_t i = 0; block_at(t->ctx, i, &block, &keys, &inline_too); i++) {
    snprintf(name, sizeof name, "controller_%s", block);
    add_definition(t, name, keys, hki_keys_controller, true);
    if (inline_too) add_definition(t, block, keys, hki_keys_inline, false);
  }
}

/* forces, or elements of a network */
static void add_elements(hk_text *t, bool network) {
  char name[80];
  const hk_element_ops *ops;
  for (int32_t i = 0; (ops = hki_element_of(t->ctx, network, i)); i++) {
    snprintf(name, sizeof name, "%s_%s", network ? "network_element" : "force", ops->name);
    add_definition(t, name, ops->params, hki_element_common_params, true);
  }
}

static void add_kinds(hk_text *t) {
  char name[80];
  const hk_joint_ops *joint;
  add_switch(t, "joint", joint_name, joint_alias);
  for (int32_t i = 0; (joint = hki_joint_of(t->ctx, i)); i++) {
    snprintf(name, sizeof name, "joint_%s", joint->name);
    add_definition(t, name, joint->params, hki_joint_shared_params(joint), true);
  }
  add_switch(t, "force", force_name, no_alias);
  add_switch(t, "network_element", network_name, no_alias);
  add_elements(t, false);
  add_elements(t, true);
  add_blocks(t);
  for (int32_t i = 0; i < HK_SHAPE_FN_COUNT; i++) {
    snprintf(name, sizeof name, "signal_%s", hki_shape_infos[i].name);
    add_definition(t, name, hki_shape_infos[i].params, NULL, false);
  }
}

/* the schemas of numbers, points, frames and so on, which the others refer to */
/* clang-format off */
static const char definitions[] =
    "\"number\": {\"type\": [\"number\", \"string\"], \"description\": \"a number, or an expression over parameters\"},\n"
    "    \"value\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, " REF("signal") "], "
    "\"description\": \"a number, an expression of t and channels, a signal\"},\n"
    "    \"parameter\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, " MANY(NUMBER) ", " REF("text_parameter") "], "
    "\"description\": \"a number, an expression over parameters, a list of them, a text\"},\n"
    "    \"point\": {\"anyOf\": [" TEXT ", " NUMBERS("3") ", " REF("point_in_frame") "]},\n"
    "    \"axis\": {\"anyOf\": [" TEXT ", " NUMBERS("3") ", " LIST("2", REF("point")) "]},\n"
    "    \"orientation\": {\"anyOf\": [" NUMBERS("4") ", " REF("rotation") ", " MANY(REF("rotation")) "]},\n"
    "    \"axes\": " ANY2(TEXT, REF("orientation")) ",\n"
    "    \"placement\": " ANY2(TEXT, REF("place")) ",\n"
    "    \"law\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, " REF("law_keys") "]},\n"
    "    \"road\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, " REF("road_keys") "]},\n"
    "    \"body\": " ANY2("{\"type\": \"null\"}", REF("body_keys"));
/* clang-format on */

/* --- `run`: its own keys, the names of the methods, and the options of all of them ------------ */

/* names of methods, as the values of a key */
static void add_methods(hk_text *t, const hk_param *p,
                        const char *(*name)(const hk_ctx *ctx, int32_t i)) {
  const char *method;
  hki_text_json(t, p->name);
  hki_text_add(t, ": {\"description\": ");
  hki_text_json(t, p->text);
  hki_text_add(t, ", \"enum\": [");
  for (int32_t i = 0; (method = name(t->ctx, i)); i++)
    hki_text_printf(t, "%s\"%s\"", i ? ", " : "", method);
  hki_text_add(t, "]}");
}

/* "auto", then the formulations */
static const char *formulation_name(const hk_ctx *ctx, int32_t i) {
  (void)ctx;
  if (i > hki_formulation_count()) return NULL;
  return i ? hki_formulation_at(i - 1)->ops->name : HK_AUTO;
}
static const char *integrator_name(const hk_ctx *ctx, int32_t i) {
  return hki_integrator_of(ctx, i) ? hki_integrator_of(ctx, i)->name : NULL;
}

/* the k-th table of options; NULL: no more */
static const hk_param *option_table(const hk_ctx *ctx, int32_t k) {
  const int32_t nf = hki_formulation_count(), ni = hki_integrator_count();
  if (k < nf) return hki_formulation_at(k)->ops->params;
  if (k < nf + ni) return hki_integrator_at(k - nf)->params;
  if (k == nf + ni) return hki_solver_params;
  const hk_integrator_ops *more = hki_integrator_of(ctx, k - nf - 1);
  return more ? more->params : NULL;
}

static void add_run(hk_text *t) {
  hki_text_add(t, ",\n    \"run\": {\"type\": \"object\", \"properties\": {");
  for (const hk_param *p = hki_keys_run; p->type != HK_P_END; p++) {
    hki_text_add(t, p == hki_keys_run ? "\n      " : ",\n      ");
    if (strcmp(p->name, "formulation") == 0) {
      add_methods(t, p, formulation_name);
    } else if (strcmp(p->name, "integrator") == 0) {
      add_methods(t, p, integrator_name);
    } else if (strcmp(p->name, "frame") == 0) {
      hki_text_add(t, "\"frame\": " REF("moving_frame"));
    } else {
      add_row(t, p);
    }
  }
  for (int32_t k = 0; option_table(t->ctx, k); k++) {
    for (const hk_param *p = option_table(t->ctx, k); p->type != HK_P_END; p++) {
      bool seen = has_row(hki_keys_run, p->name);
      for (int32_t i = 0; i < k && !seen; i++) seen = has_row(option_table(t->ctx, i), p->name);
      if (seen) continue;
      hki_text_add(t, ",\n      ");
      add_row(t, p);
    }
  }
  hki_text_add(t, "}, \"patternProperties\": {" PRIVATE "}, \"additionalProperties\": false}");
}

enum { MOST_LAWS = 100 };

/* the keys of laws that modules bring; NULL: there are none */
static const hk_param *module_laws(const hk_ctx *ctx, hk_param *rows) {
  const hk_law_ops *law;
  int32_t n = 0;
  for (; n < MOST_LAWS && (law = hki_extend_at(ctx, HK_EXTEND_LAW, n)); n++)
    rows[n] = (hk_param){.name = law->name, .type = HK_P_ANY, .text = law->text};
  rows[n] = (hk_param)HK_PARAM_END;
  return n ? rows : NULL;
}

void hki_model_schema(hk_text *t) {
  hk_param laws[MOST_LAWS + 1];
  hki_text_add(t, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                  "  \"title\": \"Hooke model\",\n"
                  "  \"allOf\": [" REF("model") ", {\"required\": [\"hooke\"]}],\n"
                                                "  \"definitions\": {\n    ");
  hki_text_add(t, definitions);
  for (int32_t i = 0; i < HK_ARRAY_LEN(objects); i++) {
    // joints take more keys of friction than others do
    const hk_param *more = objects[i].table == hki_keys_friction ? hki_joint_friction_params : NULL;
    if (objects[i].table == hki_keys_law) more = module_laws(t->ctx, laws);
    add_definition(t, objects[i].name, objects[i].table, more, objects[i].item);
  }
  add_run(t);
  add_kinds(t);
  hki_text_add(t, "\n  }\n}\n");
}
