/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.c: see describe.h.
 *
 * Variables stand in this order: time, inputs, outputs, parameters, then, of model exchange, states,
 * derivatives and event indicators. In version 2 the model structure names them by their place, from 1, in
 * version 3 by their references.
 */
#include "fmi/describe.h"

#include <string.h>

#include "hooke/version.h"

/* text within an attribute */
static void put_text(hk_text *out, const char *s) {
  for (; *s; s++) {
    switch (*s) {
      case '<':
        hki_text_add(out, "&lt;");
        break;
      case '>':
        hki_text_add(out, "&gt;");
        break;
      case '&':
        hki_text_add(out, "&amp;");
        break;
      case '"':
        hki_text_add(out, "&quot;");
        break;
      default:
        hki_text_addn(out, (unsigned char)*s < 0x20 ? " " : s, 1);
    }
  }
}

static void put_attribute(hk_text *out, const char *name, const char *value) {
  hki_text_printf(out, " %s=\"", name);
  put_text(out, value);
  hki_text_add(out, "\"");
}

static void put_number(hk_text *out, const char *name, double x) {
  hki_text_printf(out, " %s=\"", name);
  hki_text_number(out, x);
  hki_text_add(out, "\"");
}

/* --- units ------------------------------------------------------------------------------------ */

enum { BASES = 8 };
static const char *const base_names[BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

static const struct {
  const char *name;
  int8_t e[BASES];
} known_units[] = {
    {"kg", {1}},
    {"m", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}},
    {"N", {1, 1, -2}},
    {"J", {1, 2, -2}},
    {"W", {1, 2, -3}},
    {"Pa", {1, -1, -2}},
    {"Hz", {0, 0, -1}},
    {"V", {1, 2, -3, -1}},
    {"C", {0, 0, 1, 1}},
    {"F", {-1, -2, 4, 2}},
    {"H", {1, 2, -2, -2}},
    {"Ohm", {1, 2, -3, -2}},
    {"1", {0}},
};

bool hki_fmu_unit(const char *unit, int32_t *e) {
  int32_t sign = 1;
  memset(e, 0, BASES * sizeof *e);
  for (const char *s = unit; *s;) {
    const size_t n = strcspn(s, "*/^");
    int32_t k = 0, power = 1;
    while (k < HK_ARRAY_LEN(known_units) &&
           (strlen(known_units[k].name) != n || strncmp(known_units[k].name, s, n) != 0))
      k++;
    if (k == HK_ARRAY_LEN(known_units)) return false;
    s += n;
    if (*s == '^') {
      const bool minus = s[1] == '-';
      s += minus ? 2 : 1;
      if (*s < '1' || *s > '9') return false;
      power = minus ? '0' - *s : *s - '0';
      s++;
    }
    for (int32_t i = 0; i < BASES; i++) e[i] += sign * power * known_units[k].e[i];
    if (!*s) return true;
    if (*s != '*' && *s != '/') return false;
    sign = *s++ == '/' ? -1 : sign;
  }
  return false;
}

static void put_unit(hk_text *out, const char *unit) {
  int32_t e[BASES];
  hki_text_add(out, "    <Unit");
  put_attribute(out, "name", unit);
  if (!hki_fmu_unit(unit, e)) {
    hki_text_add(out, "/>\n");
    return;
  }
  hki_text_add(out, "><BaseUnit");
  for (int32_t i = 0; i < BASES; i++)
    if (e[i]) hki_text_printf(out, " %s=\"%d\"", base_names[i], (int)e[i]);
  hki_text_add(out, "/></Unit>\n");
}

static void put_units_of(hk_text *out, hk_names *seen, const hk_fmu_variable *v, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (v[i].unit[0] && hki_names_add(seen, v[i].unit, i, NULL)) put_unit(out, v[i].unit);
}

static void put_units(const hk_fmu_description *d, hk_text *out) {
  hk_names *seen = hki_names_create(out->ctx);
  if (!seen) return;
  hki_text_add(out, "  <UnitDefinitions>\n");
  put_unit(out, "s");
  (void)hki_names_add(seen, "s", 0, NULL);
  put_units_of(out, seen, d->inputs, d->ninputs);
  put_units_of(out, seen, d->outputs, d->noutputs);
  put_units_of(out, seen, d->parameters, d->nparameters);
  put_units_of(out, seen, d->states, d->nstates);
  put_units_of(out, seen, d->derivatives, d->nstates);
  hki_text_add(out, "  </UnitDefinitions>\n");
  hki_names_destroy(seen);
}

/* --- variables -------------------------------------------------------------------------------- */

typedef struct family {
  int32_t kind; /* HK_UNIT_ of the references */
  bool start;
  const char *attributes;
} family;

#define CONTINUOUS(causality) " causality=\"" causality "\" variability=\"continuous\""
#define FOUND                 " initial=\"calculated\""
static const family times = {HK_UNIT_TIME, false, CONTINUOUS("independent")};
static const family inputs = {HK_UNIT_INPUT, true, CONTINUOUS("input")};
static const family outputs = {HK_UNIT_OUTPUT, false, CONTINUOUS("output") FOUND};
static const family parameters = {
    HK_UNIT_PARAMETER, true, " causality=\"parameter\" variability=\"fixed\" initial=\"exact\""};
static const family states = {HK_UNIT_STATE, false, CONTINUOUS("local") FOUND};
static const family derivatives = {HK_UNIT_DERIVATIVE, false, CONTINUOUS("local") FOUND};
static const family indicators = {HK_UNIT_INDICATOR, false, CONTINUOUS("local") FOUND};

/* Version 3 wants the time among the variables. In version 2 it may be left out, and importers built on the FMI
 * Library complain of it; but a list of variables must not be empty. */
static bool has_time(const hk_fmu_description *d) {
  return d->version == 3 || d->ninputs + d->noutputs + d->nparameters + d->nstates == 0;
}

/* place of the first variable of a kind, from 1 */
static int32_t place_of(const hk_fmu_description *d, int32_t kind) {
  const int32_t n[] = {has_time(d),    d->ninputs, d->noutputs,
                       d->nparameters, d->nstates, d->nstates};
  int32_t at = 1;
  for (int32_t k = 0; k < kind; k++) at += n[k];
  return at;
}

static void put_variable(const hk_fmu_description *d, const family *f, int32_t i,
                         const hk_fmu_variable *v, hk_text *out) {
  const bool old = d->version == 2;
  hki_text_add(out, old ? "    <ScalarVariable" : "    <Float64");
  put_attribute(out, "name", v->name);
  hki_text_printf(out, " valueReference=\"%u\"", hki_unit_reference(f->kind, i));
  hki_text_add(out, f->attributes);
  if (v->text && v->text[0]) put_attribute(out, "description", v->text);
  if (old) hki_text_add(out, "><Real");
  if (v->unit[0]) put_attribute(out, "unit", v->unit);
  if (f->start) put_number(out, "start", v->start);
  if (f->kind == HK_UNIT_DERIVATIVE && old)
    hki_text_printf(out, " derivative=\"%d\"", (int)(place_of(d, HK_UNIT_STATE) + i));
  if (f->kind == HK_UNIT_DERIVATIVE && !old)
    hki_text_printf(out, " derivative=\"%u\"", hki_unit_reference(HK_UNIT_STATE, i));
  hki_text_add(out, old ? "/></ScalarVariable>\n" : "/>\n");
}

static void put_family(const hk_fmu_description *d, const family *f, int32_t n,
                       const hk_fmu_variable *v, hk_text *out) {
  for (int32_t i = 0; i < n; i++) put_variable(d, f, i, &v[i], out);
}

static void put_variables(const hk_fmu_description *d, hk_text *out) {
  const hk_fmu_variable time = {"time", "s", "time of the importer", 0.0};
  hki_text_add(out, "  <ModelVariables>\n");
  put_family(d, &times, has_time(d), &time, out);
  put_family(d, &inputs, d->ninputs, d->inputs, out);
  put_family(d, &outputs, d->noutputs, d->outputs, out);
  put_family(d, &parameters, d->nparameters, d->parameters, out);
  put_family(d, &states, d->nstates, d->states, out);
  put_family(d, &derivatives, d->nstates, d->derivatives, out);
  if (d->version == 3) put_family(d, &indicators, d->nindicators, d->indicators, out);
  hki_text_add(out, "  </ModelVariables>\n");
}

/* one list of the model structure; every unknown may depend on everything */
static void put_unknowns(const hk_fmu_description *d, const char *tag, int32_t kind, int32_t n,
                         hk_text *out) {
  for (int32_t i = 0; i < n; i++) {
    if (d->version == 2)
      hki_text_printf(out, "      <Unknown index=\"%d\"/>\n", (int)(place_of(d, kind) + i));
    else
      hki_text_printf(out, "    <%s valueReference=\"%u\"/>\n", tag, hki_unit_reference(kind, i));
  }
}

static void put_structure(const hk_fmu_description *d, hk_text *out) {
  const bool old = d->version == 2;
  hki_text_add(out, "  <ModelStructure>\n");
  if (old && d->noutputs) hki_text_add(out, "    <Outputs>\n");
  put_unknowns(d, "Output", HK_UNIT_OUTPUT, d->noutputs, out);
  if (old && d->noutputs) hki_text_add(out, "    </Outputs>\n");
  if (old && d->nstates) hki_text_add(out, "    <Derivatives>\n");
  put_unknowns(d, "ContinuousStateDerivative", HK_UNIT_DERIVATIVE, d->nstates, out);
  if (old && d->nstates) hki_text_add(out, "    </Derivatives>\n");
  const bool any = d->noutputs + d->nstates > 0;
  if (old && any) hki_text_add(out, "    <InitialUnknowns>\n");
  put_unknowns(d, "InitialUnknown", HK_UNIT_OUTPUT, d->noutputs, out);
  put_unknowns(d, "InitialUnknown", HK_UNIT_STATE, d->nstates, out);
  put_unknowns(d, "InitialUnknown", HK_UNIT_DERIVATIVE, d->nstates, out);
  if (old && any) hki_text_add(out, "    </InitialUnknowns>\n");
  if (!old) put_unknowns(d, "EventIndicator", HK_UNIT_INDICATOR, d->nindicators, out);
  hki_text_add(out, "  </ModelStructure>\n");
}

/* --- the whole -------------------------------------------------------------------------------- */

/* the elements of the two kinds of simulation */
static void put_interface(const hk_fmu_description *d, const char *tag, const char *more,
                          hk_text *out) {
  const bool old = d->version == 2;
  hki_text_printf(out, "  <%s", tag);
  put_attribute(out, "modelIdentifier", d->identifier);
  hki_text_add(
      out,
      old ? " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
            " providesDirectionalDerivative=\"true\" canNotUseMemoryManagementFunctions=\"true\""
          : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
            " providesDirectionalDerivatives=\"true\"");
  hki_text_add(out, more);
  if (!old || !d->sources) {
    hki_text_add(out, "/>\n");
    return;
  }
  hki_text_add(out, ">\n    <SourceFiles>\n");
  for (int32_t i = 0; i < d->nfiles; i++) {
    hki_text_add(out, "      <File");
    put_attribute(out, "name", d->files[i]);
    hki_text_add(out, "/>\n");
  }
  hki_text_printf(out, "    </SourceFiles>\n  </%s>\n", tag);
}

void hki_fmu_describe(const hk_fmu_description *d, hk_text *out) {
  const bool old = d->version == 2;
  hki_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
  put_attribute(out, "fmiVersion", old ? "2.0" : "3.0");
  put_attribute(out, "modelName", d->name);
  put_attribute(out, old ? "guid" : "instantiationToken", d->token);
  if (d->title && d->title[0]) put_attribute(out, "description", d->title);
  put_attribute(out, "generationTool", "Hooke " HK_VERSION_STRING);
  put_attribute(out, "variableNamingConvention", "flat");
  if (old) hki_text_printf(out, " numberOfEventIndicators=\"%d\"", (int)d->nindicators);
  hki_text_add(out, ">\n");
  // version 2 asks for completed steps unless told otherwise, version 3 only when told to
  if (d->exchange)
    put_interface(d, "ModelExchange", old ? "" : " needsCompletedIntegratorStep=\"true\"", out);
  if (d->co_simulation)
    put_interface(d, "CoSimulation",
                  old ? " canHandleVariableCommunicationStepSize=\"true\""
                      : " canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\""
                        " canReturnEarlyAfterIntermediateUpdate=\"false\"",
                  out);
  put_units(d, out);
  hki_text_add(out, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n"
                    "    <Category name=\"logStatusWarning\"/>\n  </LogCategories>\n");
  hki_text_add(out, "  <DefaultExperiment startTime=\"0\"");
  put_number(out, "stopTime", d->time);
  if (d->tolerance > 0.0) put_number(out, "tolerance", d->tolerance);
  if (d->step > 0.0) put_number(out, "stepSize", d->step);
  hki_text_add(out, "/>\n");
  put_variables(d, out);
  put_structure(d, out);
  hki_text_add(out, "</fmiModelDescription>\n");
}

void hki_fmu_describe_build(const hk_fmu_description *d, hk_text *out) {
  hki_text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<fmiBuildDescription fmiVersion=\"3.0\">\n  <BuildConfiguration");
  put_attribute(out, "modelIdentifier", d->identifier);
  hki_text_add(out, ">\n    <SourceFileSet language=\"C17\">\n");
  for (int32_t i = 0; i < d->nfiles; i++) {
    hki_text_add(out, "      <SourceFile");
    put_attribute(out, "name", d->files[i]);
    hki_text_add(out, "/>\n");
  }
  hki_text_add(out, "      <IncludeDirectory name=\".\"/>\n    </SourceFileSet>\n"
                    "  </BuildConfiguration>\n</fmiBuildDescription>\n");
}
