/* SPDX-License-Identifier: Apache-2.0
 *
 * import_describe.c: modelDescription.xml of an FMU of others.
 */
#include <stdlib.h>
#include <string.h>

#include "fmi/import.h"
#include "fmi/xml.h"

enum { MOST_VARIABLES = 200000 };

typedef struct reading {
  hk_ctx *ctx;
  hk_pool *pool;
  const char *path;
  hk_xml x;
  hk_import *out;
  hk_import_variable *last; /* whose type (version 2) or dimensions (version 3) follow */
} reading;

static hk_status refuse(const reading *r, const char *why) {
  hk_loc loc = {hki_ctx_file(r->ctx, r->path), 0, 0};
  hki_xml_place(&r->x, &loc.line, &loc.col);
  return hki_error(r->ctx, HK_E_FILE, loc, NULL, "the description of the FMU is refused: %s", why);
}

static bool is_true(const char *s) { return s && (!strcmp(s, "true") || !strcmp(s, "1")); }

static hk_status read_root(reading *r) {
  const char *version = hki_xml_get(&r->x, "fmiVersion");
  if (strcmp(r->x.name, "fmiModelDescription") != 0)
    return refuse(r, "it is no fmiModelDescription");
  r->out->version = version && !strncmp(version, "2.", 2)   ? 2
                    : version && !strncmp(version, "3.", 2) ? 3
                                                            : 0;
  if (!r->out->version) return refuse(r, "its version of FMI is not 2 or 3");
  r->out->token = hki_xml_get(&r->x, r->out->version == 2 ? "guid" : "instantiationToken");
  return r->out->token ? HK_OK : refuse(r, "it has no guid or instantiation token");
}

/* the name of a file, not a path */
static bool good_identifier(const char *s) {
  if (!s || !*s || strlen(s) > 200) return false;
  for (; *s; s++)
    if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
          strchr("_-.", *s)))
      return false;
  return true;
}

static hk_status read_co_simulation(reading *r) {
  r->out->identifier = hki_xml_get(&r->x, "modelIdentifier");
  r->out->saves = is_true(
      hki_xml_get(&r->x, r->out->version == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"));
  if (!good_identifier(r->out->identifier)) return refuse(r, "its model identifier is no name");
  r->out->needs_tool = is_true(hki_xml_get(&r->x, "needsExecutionTool"));
  return HK_OK;
}

static hk_status read_variable(reading *r, bool real) {
  hk_import *o = r->out;
  const char *name = hki_xml_get(&r->x, "name"), *reference = hki_xml_get(&r->x, "valueReference"),
             *causality = hki_xml_get(&r->x, "causality");
  char *stop = NULL;
  const unsigned long ref = reference ? strtoul(reference, &stop, 10) : 0;
  if (!name || !reference || *stop || ref > 0xFFFFFFFFu)
    return refuse(r, "a variable has no name or no reference");
  if (o->n == o->cap) {
    const int32_t cap = 2 * o->cap + 64;
    hk_import_variable *more = hki_pool_alloc(r->pool, (size_t)cap * sizeof *more);
    if (!more) return HK_E_MEMORY;
    if (o->n > MOST_VARIABLES) return refuse(r, "it has too many variables");
    if (o->n) memcpy(more, o->variables, (size_t)o->n * sizeof *more);
    o->variables = more, o->cap = cap;
  }
  r->last = &o->variables[o->n++];
  *r->last = (hk_import_variable){name, causality ? causality : "local", (uint32_t)ref, real};
  return HK_OK;
}

static hk_status read_element(reading *r, bool variables) {
  const char *name = r->x.name;
  if (r->x.depth == 2 && !strcmp(name, "CoSimulation")) return read_co_simulation(r);
  if (!variables) return HK_OK;
  if (r->out->version == 2) {
    if (r->x.depth == 3 && !strcmp(name, "ScalarVariable")) return read_variable(r, false);
    if (r->x.depth == 4 && !strcmp(name, "Real") && r->last) r->last->real = true;
    return HK_OK;
  }
  // an array is no number
  if (r->x.depth == 4 && !strcmp(name, "Dimension") && r->last) r->last->real = false;
  return r->x.depth == 3 ? read_variable(r, !strcmp(name, "Float64")) : HK_OK;
}

hk_status hki_import_describe(hk_ctx *ctx, hk_pool *pool, const char *path, const char *text,
                              size_t len, hk_import *out) {
  reading r = {.ctx = ctx, .pool = pool, .path = path, .out = out};
  bool variables = false;
  hk_status st = HK_OK;
  *out = (hk_import){0};
  hki_xml_start(&r.x, pool, text, len);
  for (;;) {
    const hk_xml_kind kind = hki_xml_next(&r.x);
    if (kind == HK_XML_WRONG) return refuse(&r, r.x.wrong);
    if (kind == HK_XML_DONE) break;
    if (kind == HK_XML_BEGIN && r.x.depth == 2) variables = !strcmp(r.x.name, "ModelVariables");
    if (kind != HK_XML_BEGIN) continue;
    st = r.x.depth == 1 ? read_root(&r) : read_element(&r, variables);
    if (st != HK_OK) return st;
  }
  if (!out->version) return refuse(&r, "it is empty");
  return out->identifier ? HK_OK : refuse(&r, "the FMU has no co-simulation");
}
