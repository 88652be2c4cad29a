/* SPDX-License-Identifier: Apache-2.0
 *
 * study_tables.c: the keys of study files. The reader checks keys against these rows; the
 * catalogue, the reference pages and the JSON schema are made from them.
 */
#include <string.h>

#include "language/rows.h"
#include "studies/study_impl.h"

/* clang-format off */
#define TOLERANCE(text) {"tolerance", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "", NULL, "of the iteration in each step; left out: " text}
#define TIME(name, text) {name, HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "s", NULL, text}

#define FINAL_TEXT    "expression: its value at the end"
#define MAX_TEXT      "expression: its largest value"
#define MIN_TEXT      "expression: its smallest value"
#define EXTREME_TEXT  "expression: its value largest in magnitude, with its sign"
#define INTEGRAL_TEXT "expression: its integral over time or 'over', by the trapezoidal rule between the steps"
#define RANGE_TEXT    "expression or pattern of channels: largest error against the reference in % of the reference's range"
#define SUP_TEXT      "expression or pattern of channels: largest error against the reference"
#define TWO_TEXT      "expression or pattern of channels: root of the sum of squared errors over the steps"
#define RELATIVE_TEXT "expression or pattern of channels: largest error in % of the reference where it occurs"
#define SUP_TIME_TEXT "expression or pattern of channels: time of the largest error against the reference"

const hk_measure_info hki_measure_infos[HK_MEASURE_KINDS] = {
  [HK_MEASURE_FINAL]    = {"final",          NULL, false, FINAL_TEXT},
  [HK_MEASURE_MAX]      = {"max",            NULL, false, MAX_TEXT},
  [HK_MEASURE_MIN]      = {"min",            NULL, false, MIN_TEXT},
  [HK_MEASURE_EXTREME]  = {"extreme",        NULL, false, EXTREME_TEXT},
  [HK_MEASURE_INTEGRAL] = {"integral",       NULL, false, INTEGRAL_TEXT},
  [HK_MEASURE_RANGE]    = {"range_error",    "%",  true,  RANGE_TEXT},
  [HK_MEASURE_SUP]      = {"sup_norm",       NULL, true,  SUP_TEXT},
  [HK_MEASURE_TWO]      = {"two_norm",       NULL, true,  TWO_TEXT},
  [HK_MEASURE_RELATIVE] = {"relative_error", "%",  true,  RELATIVE_TEXT},
  [HK_MEASURE_SUP_TIME] = {"sup_time",       "s",  true,  SUP_TIME_TEXT},
};

static const hk_param study[] = {
  ROW("study", HK_P_ANY, HK_P_REQUIRED, "version of the language: 1"),
  ROW("title", HK_P_TEXT, 0, "one line about the study"),
  ROW("description", HK_P_TEXT, 0, "more about the study; not used"),
  ROW("model", HK_P_TEXT, HK_P_REQUIRED, "model file, relative to this one"),
  ROW("set", HK_P_ANY, 0, "parameters of the model: {name: value}"),
  ROW("formulations", HK_P_ANY, 0, "list of names; left out: all"),
  ROW("integrators", HK_P_ANY, 0, "list of names; left out: all"),
  ROW("steps", HK_P_ANY, 0, "list of time steps in s; left out: the model's own"),
  TIME("time", "end of the simulation; left out: the model's own"),
  TOLERANCE("the model's own"),
  ROW("options", HK_P_ANY, 0, "options of formulations and integrators, given to those that have them"),
  ROW("cases", HK_P_ANY, 0, "variants of all runs: {name: {set: {..}, options: {..}}}"),
  ROW("channels", HK_P_ANY, 0, "names for expressions of channels: {pitch: \"asin(...)\"}"),
  ROW("reference", HK_P_ANY, 0, "reference for errors: {file: data.csv} or {fine: 0.0001}"),
  ROW("measures", HK_P_ANY, 0, "numbers to measure in each run: {z: {range_error: body.car.position.z}}"),
  ROW("grades", HK_P_ANY, 0, "bounds on measures that a correct run meets: {accurate: {z: 5, drift: 10}}; every step must converge too"),
  ROW("search", HK_P_ANY, 0, "search for the largest step of each grade"),
  {"repeat", HK_P_INT, 0, HK_P_HAND, 1, 1, 1000, "", NULL, "repetitions of each run; the fastest gives the CPU time"},
  HK_PARAM_END};

static const hk_param cases[] = {
  ROW("set", HK_P_ANY, 0, "parameters of the model"),
  ROW("options", HK_P_ANY, 0, "options of formulations and integrators"),
  ROW("formulations", HK_P_ANY, 0, "list of names; left out: the study's"),
  ROW("integrators", HK_P_ANY, 0, "list of names; left out: the study's"),
  ROW("steps", HK_P_ANY, 0, "list of time steps; left out: the study's"),
  TOLERANCE("the study's"),
  HK_PARAM_END};

static const hk_param reference[] = {
  ROW("file", HK_P_TABLE, 0, "CSV file with a column of time and the columns that measures name"),
  ROW("time", HK_P_TEXT, 0, "its column of time; left out: the first"),
  ROW("fine", HK_P_ANY, 0, "instead of a file: the step of a reference run, or true for a tenth of the smallest step of the study"),
  ROW("formulation", HK_P_TEXT, 0, "of the fine run; left out: the model's"),
  ROW("integrator", HK_P_TEXT, 0, "of the fine run; left out: the model's"),
  HK_PARAM_END};

static const hk_param measure[] = {
  ROW("final", HK_P_TEXT, 0, FINAL_TEXT),
  ROW("max", HK_P_TEXT, 0, MAX_TEXT),
  ROW("min", HK_P_TEXT, 0, MIN_TEXT),
  ROW("extreme", HK_P_TEXT, 0, EXTREME_TEXT),
  ROW("integral", HK_P_TEXT, 0, INTEGRAL_TEXT),
  ROW("over", HK_P_TEXT, 0, "of an integral: the expression to integrate over; left out: time"),
  ROW("range_error", HK_P_TEXT, 0, RANGE_TEXT),
  ROW("sup_norm", HK_P_TEXT, 0, SUP_TEXT),
  ROW("two_norm", HK_P_TEXT, 0, TWO_TEXT),
  ROW("relative_error", HK_P_TEXT, 0, RELATIVE_TEXT),
  ROW("sup_time", HK_P_TEXT, 0, SUP_TIME_TEXT),
  ROW("column", HK_P_TEXT, 0, "expression over the columns of the reference file; left out: the column of the measure's name"),
  TIME("after", "only the run from here on counts"),
  TIME("before", "only the run up to here counts"),
  ROW("unit", HK_P_TEXT, 0, "unit shown in the head of its column"),
  {"hidden", HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, "no column in tables; for grades only"},
  HK_PARAM_END};

static const hk_param search[] = {
  ROW("steps", HK_P_ANY, 0, "steps to try, from the smallest up to the first failure"),
  TIME("from", "without 'steps': the smallest step; thirteen per decade are tried from there"),
  TIME("to", "without 'steps': the largest step"),
  {"bisections", HK_P_INT, 0, HK_P_HAND, 0, 0, 20, "", NULL, "halvings between the last good step and the first bad one"},
  HK_PARAM_END};
/* clang-format on */

static const hk_study_table tables[] = {
    {"study", "a study file: methods and steps to compare on one model", study},
    {"case", "one entry of 'cases': a variant of all runs", cases},
    {"reference", "the entry 'reference' of a study", reference},
    {"measure", "one entry of 'measures': a number for each run", measure},
    {"search", "the entry 'search' of a study", search},
};

const hk_study_table *hki_study_table(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(tables) ? tables + i : NULL;
}

const hk_param *hki_study_keys(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(tables); i++)
    if (strcmp(tables[i].name, name) == 0) return tables[i].keys;
  return NULL;
}

/* --- the schema ------------------------------------------------------------------------------- */

/* clang-format off */
#define NUMBER "{\"type\": [\"number\", \"string\"]}"
#define NAMES  "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}"
#define STEPS  "{\"anyOf\": [" NUMBER ", {\"type\": \"array\", \"items\": " NUMBER "}]}"
#define VALUES "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", \"string\", \"boolean\"]}}"
#define OBJECTS(what) "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/definitions/" what "\"}}"

static const struct {
  const char *key, *schema;
} by_key[] = {
  {"study", "{\"enum\": [1]}"}, {"set", VALUES}, {"options", VALUES}, {"formulations", NAMES},
  {"integrators", NAMES}, {"steps", STEPS}, {"fine", "{\"type\": [\"number\", \"string\", \"boolean\"]}"},
  {"cases", "{\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": \"null\"}, {\"$ref\": \"#/definitions/case\"}]}}"},
  {"channels", "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", \"string\"]}}"},
  {"reference", "{\"$ref\": \"#/definitions/reference\"}"},
  {"measures", OBJECTS("measure")},
  {"grades", "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", \"additionalProperties\": " NUMBER "}}"},
  {"search", "{\"$ref\": \"#/definitions/search\"}"},
};
/* clang-format on */

static const char *row_schema(const hk_param *p) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(by_key); i++)
    if (p->type == HK_P_ANY && strcmp(by_key[i].key, p->name) == 0) return by_key[i].schema;
  switch (p->type) {
    case HK_P_REAL:
    case HK_P_INT:
      return NUMBER;
    case HK_P_BOOL:
      return "{\"type\": [\"boolean\", \"string\"]}";
    default:
      return "{\"type\": [\"string\", \"number\"]}";
  }
}

static void add_object(hk_text *t, const hk_param *keys) {
  bool required = false;
  hki_text_add(t, "{\"type\": \"object\", \"properties\": {");
  for (const hk_param *p = keys; p->type != HK_P_END; p++) {
    hki_text_add(t, p == keys ? "\n      " : ",\n      ");
    hki_text_json(t, p->name);
    hki_text_add(t, ": {\"description\": ");
    hki_text_json(t, p->text);
    hki_text_printf(t, ", \"allOf\": [%s]}", row_schema(p));
  }
  hki_text_add(t, "}, \"patternProperties\": {\"^(x-|[.]|[$]schema$)\": {}}");
  for (const hk_param *p = keys; p->type != HK_P_END; p++) {
    if (!(p->flags & HK_P_REQUIRED)) continue;
    hki_text_printf(t, "%s\"%s\"", required ? ", " : ", \"required\": [", p->name);
    required = true;
  }
  hki_text_printf(t, "%s, \"additionalProperties\": false}", required ? "]" : "");
}

void hki_study_schema(hk_text *t) {
  hki_text_add(t, "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                  "  \"title\": \"Hooke study\",\n"
                  "  \"allOf\": [{\"$ref\": \"#/definitions/study\"}],\n  \"definitions\": {");
  for (int32_t i = 0; i < HK_ARRAY_LEN(tables); i++) {
    hki_text_printf(t, "%s\n    \"%s\": ", i ? "," : "", tables[i].name);
    add_object(t, tables[i].keys);
  }
  hki_text_add(t, "\n  }\n}\n");
}
