/* SPDX-License-Identifier: Apache-2.0
 *
 * list.c: `hooke list [KIND]` and `hooke info NAME`, from the library's catalogue.
 */
#include <math.h>
#include <string.h>

#include "cli.h"

/* a kind by its name, with or without the plural's s; NULL after a message */
static const char *find_kind(const char *word) {
  char hint[100];
  cli_nearest n = {.word = word};
  for (int32_t i = 0; i < hk_catalog_kind_count(); i++) {
    const char *kind = hk_catalog_kind(i);
    size_t length = strlen(kind);
    if (strcmp(word, kind) == 0) return kind;
    if (strncmp(word, kind, length - 1) == 0 && strlen(word) == length - 1) return kind;
    cli_nearest_try(&n, kind);
  }
  cli_error(cli_did_you_mean(&n, "'hooke list' shows the kinds", hint, sizeof hint),
            "there is no kind '%s' of things", word);
  return NULL;
}

/* the default as written in a model: a choice by its word, a switch as true or false; "": none */
static void param_default(const hk_catalog_param *p, char *buf, size_t cap) {
  buf[0] = '\0';
  if (isnan(p->def)) return;
  if (p->choices) {
    const char *word = p->choices;
    for (int i = 0; i < (int)p->def && *word; i++) {
      word += strcspn(word, " ");
      word += strspn(word, " ");
    }
    snprintf(buf, cap, "%.*s", (int)strcspn(word, " "), word);
  } else if (strcmp(p->type, "true or false") == 0) {
    snprintf(buf, cap, "%s", p->def != 0.0 ? "true" : "false");
  } else {
    snprintf(buf, cap, "%g", p->def);
  }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void json_field(const char *name, const char *value) {
  printf(", \"%s\": ", name);
  cli_json_string(stdout, value);
}

static void json_param(const hk_catalog_param *p) {
  fputs("{\"name\": ", stdout);
  cli_json_string(stdout, p->name);
  json_field("type", p->type);
  json_field("unit", p->unit);
  char def[64];
  param_default(p, def, sizeof def);
  fputs(", \"default\": ", stdout);
  if (p->choices && *def) {
    cli_json_string(stdout, def);
  } else if (strcmp(p->type, "true or false") == 0 && *def) {
    fputs(def, stdout);
  } else {
    cli_json_number(stdout, p->def);
  }
  fputs(", \"min\": ", stdout);
  cli_json_number(stdout, p->min);
  fputs(", \"max\": ", stdout);
  cli_json_number(stdout, p->max);
  printf(", \"required\": %s", p->required ? "true" : "false");
  json_field("choices", p->choices);
  json_field("text", p->text);
  fputs("}", stdout);
}

static void json_entry(const hk_catalog_entry *e) {
  fputs("{\"kind\": ", stdout);
  cli_json_string(stdout, e->kind);
  json_field("name", e->name);
  json_field("alias", e->alias);
  json_field("text", e->text);
  json_field("detail", e->detail);
  json_field("source", e->source);
  fputs(", \"parameters\": [", stdout);
  for (int32_t i = 0; i < e->nparams; i++) {
    if (i) fputs(", ", stdout);
    json_param(e->params + i);
  }
  fputs("]}", stdout);
}

/* --- list ------------------------------------------------------------------------------------- */

static int list_kinds(const cli_args *args, const hk_ctx *ctx) {
  bool json = cli_has(args, CLI_JSON), names = cli_has(args, CLI_NAMES);
  if (json) fputs("[", stdout);
  for (int32_t i = 0; i < hk_catalog_kind_count(); i++) {
    const char *kind = hk_catalog_kind(i);
    int count = (int)hk_catalog_count_in(ctx, kind);
    if (json) {
      printf("%s{\"kind\": \"%s\", \"count\": %d}", i ? ", " : "", kind, count);
    } else if (names) {
      puts(kind);
    } else {
      printf("  %-14s %3d\n", kind, count);
    }
  }
  if (json) puts("]");
  if (!json && !names) puts("\n'hooke list KIND' lists one of them, 'hooke info NAME' says more.");
  return CLI_DONE;
}

/* the entries of one kind */
static void list_kind(const cli_args *args, hk_ctx *ctx, const char *kind) {
  bool json = cli_has(args, CLI_JSON), names = cli_has(args, CLI_NAMES);
  int32_t n = hk_catalog_count_in(ctx, kind);
  int width = 8;
  // the widest name first
  for (int32_t i = 0; i < n; i++) {
    const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
    if (e && (int)strlen(e->name) > width) width = (int)strlen(e->name);
  }
  if (json) fputs("[", stdout);
  for (int32_t i = 0; i < n; i++) {
    const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
    if (!e) break;
    if (json) {
      if (i) fputs(",\n ", stdout);
      json_entry(e);
    } else if (names) {
      puts(e->name);
    } else {
      printf("  %-*s  %s\n", width, e->name, e->text);
    }
  }
  if (json) puts("]");
}

int cli_list(const cli_args *args) {
  const char *kind = args->npositional ? find_kind(args->positional[0]) : NULL;
  cli_messages messages = {0};
  if (args->npositional && !kind) return CLI_USAGE;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return cli_no_memory();
  hk_ctx_on_message(ctx, cli_on_message, &messages);
  int code = cli_modules(args, ctx);
  if (code == CLI_DONE && kind) list_kind(args, ctx, kind);
  if (code == CLI_DONE && !kind) code = list_kinds(args, ctx);
  if (code == CLI_DONE && hk_ctx_message_count(ctx)) code = cli_no_memory();
  hk_ctx_destroy(ctx);
  return code;
}

/* --- info ------------------------------------------------------------------------------------- */

/* "required", "default 0.8", "0 to 1" ... */
static void param_limits(const hk_catalog_param *p, char *buf, size_t cap) {
  char def[64];
  size_t n = 0;
  buf[0] = '\0';
  param_default(p, def, sizeof def);
  if (p->required) n += (size_t)snprintf(buf + n, cap - n, "required");
  if (*def) n += (size_t)snprintf(buf + n, cap - n, "%sdefault %s", n ? ", " : "", def);
  const char *comma = n ? ", " : "";
  if (!isnan(p->min) && !isnan(p->max)) {
    snprintf(buf + n, cap - n, "%sfrom %g to %g", comma, p->min, p->max);
  } else if (!isnan(p->min) && strncmp(p->type, "positive", 8) != 0) {
    snprintf(buf + n, cap - n, "%sat least %g", comma, p->min);
  } else if (!isnan(p->max)) {
    snprintf(buf + n, cap - n, "%sat most %g", comma, p->max);
  }
}

static void print_param(const hk_catalog_param *p) {
  char limits[120];
  param_limits(p, limits, sizeof limits);
  printf("    %-14s %s%s%s%s", p->name, p->type, p->unit && *p->unit ? " [" : "",
         p->unit ? p->unit : "", p->unit && *p->unit ? "]" : "");
  if (p->choices && *p->choices) printf(": %s", p->choices);
  printf("%s%s\n", *limits ? "; " : "", limits);
  if (p->text && *p->text) printf("    %-14s %s\n", "", p->text);
}

static void print_entry(const hk_catalog_entry *e) {
  printf("%s (%s", e->name, e->kind);
  if (e->alias && *e->alias) printf("; also called %s", e->alias);
  printf(")\n  %s\n", e->text);
  if (e->detail && *e->detail) printf("  %s\n", e->detail);
  if (e->source && *e->source) printf("  source: %s\n", e->source);
  if (e->nparams > 0) puts("\n  keys:");
  for (int32_t i = 0; i < e->nparams; i++) print_param(e->params + i);
}

/* is it the entry's name or one of its other names */
static bool same_entry(const hk_catalog_entry *e, const char *word) {
  if (strcmp(e->name, word) == 0) return true;
  for (const char *at = e->alias; at && *at;) {
    size_t n = strcspn(at, " ");
    if (n == strlen(word) && strncmp(at, word, n) == 0) return true;
    at += n + strspn(at + n, " ");
  }
  return false;
}

/* prints every entry of that name, in one kind or in all; returns how many. *own: one of them is a
 * word of Hooke, not another program's. */
static int print_entries(hk_ctx *ctx, const char *word, const char *only, bool json, bool *own,
                         cli_nearest *near) {
  int found = 0;
  for (int32_t k = 0; k < hk_catalog_kind_count(); k++) {
    const char *kind = hk_catalog_kind(k);
    if (only && strcmp(kind, only) != 0) continue;
    for (int32_t i = 0; i < hk_catalog_count_in(ctx, kind); i++) {
      const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
      if (!e) break;
      if (!same_entry(e, word)) {
        cli_nearest_try(near, e->name);
        continue;
      }
      *own |= strcmp(kind, "words") != 0;
      if (found++) fputs(json ? ",\n " : "\n", stdout);
      if (json) {
        json_entry(e);
      } else {
        print_entry(e);
      }
    }
  }
  return found;
}

static int print_schema(hk_ctx *ctx, bool study) {
  const char *schema = study ? hk_study_schema(ctx) : hk_model_schema(ctx);
  if (!schema) return cli_no_memory();
  fputs(schema, stdout);
  if (schema[strlen(schema) - 1] != '\n') putchar('\n');
  return CLI_DONE;
}

/* is it a key of an entry in a kind before this one, or before in this kind, with the same text */
static bool told_before(hk_ctx *ctx, const char *word, const char *text, int32_t kind,
                        int32_t entry) {
  for (int32_t k = 0; k <= kind; k++) {
    const char *name = hk_catalog_kind(k);
    const int32_t n = k < kind ? hk_catalog_count(name) : entry;
    for (int32_t i = 0; i < n; i++) {
      const hk_catalog_entry *e = hk_catalog_entry_at(ctx, name, i);
      for (int32_t p = 0; e && p < e->nparams; p++)
        if (!strcmp(e->params[p].name, word) && !strcmp(e->params[p].text, text)) return true;
    }
  }
  return false;
}

/* names of all entries with this key and this text, separated by commas */
static void print_owners(hk_ctx *ctx, const char *word, const char *text) {
  int found = 0;
  for (int32_t k = 0; k < hk_catalog_kind_count(); k++) {
    const char *kind = hk_catalog_kind(k);
    for (int32_t i = 0; i < hk_catalog_count_in(ctx, kind); i++) {
      const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
      for (int32_t p = 0; e && p < e->nparams; p++)
        if (!strcmp(e->params[p].name, word) && !strcmp(e->params[p].text, text))
          printf("%s%s", found++ ? ", " : "", e->name);
    }
  }
}

/* prints what a word means as a key, each meaning once with its owners; returns how many.
 * gap: an empty line goes before the first. */
static int print_keys(hk_ctx *ctx, const char *word, bool gap) {
  int found = 0;
  for (int32_t k = 0; k < hk_catalog_kind_count(); k++) {
    const char *kind = hk_catalog_kind(k);
    for (int32_t i = 0; i < hk_catalog_count_in(ctx, kind); i++) {
      const hk_catalog_entry *e = hk_catalog_entry_at(ctx, kind, i);
      for (int32_t p = 0; e && p < e->nparams; p++) {
        const hk_catalog_param *row = e->params + p;
        if (strcmp(row->name, word) != 0 || told_before(ctx, word, row->text, k, i)) continue;
        printf("%s%s (key of ", found++ || gap ? "\n" : "", word);
        print_owners(ctx, word, row->text);
        puts(")");
        print_param(row);
      }
    }
  }
  return found;
}

int cli_info(const cli_args *args) {
  const char *word = args->npositional ? args->positional[0] : "", *only = NULL;
  bool study = strcmp(word, "study-schema") == 0;
  bool schema = cli_has(args, CLI_SCHEMA) || study || strcmp(word, "schema") == 0;
  bool json = cli_has(args, CLI_JSON);
  if (!schema && !*word) {
    cli_error("'hooke list' shows what there is", "'hooke info' needs a name");
    return CLI_USAGE;
  }
  // KIND/NAME
  const char *slash = strchr(word, '/');
  if (slash && slash[1]) {
    char kind[64];
    snprintf(kind, sizeof kind, "%.*s", (int)(slash - word), word);
    only = find_kind(kind);
    if (!only) return CLI_USAGE;
    word = slash + 1;
  }
  cli_messages messages = {0};
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return cli_no_memory();
  hk_ctx_on_message(ctx, cli_on_message, &messages);
  int code = cli_modules(args, ctx);
  if (code != CLI_DONE) {
    hk_ctx_destroy(ctx);
    return code;
  }
  if (schema) {
    code = print_schema(ctx, study);
  } else {
    char hint[400];
    cli_nearest near = {.word = word};
    if (json) fputs("[", stdout);
    bool own = false;
    int found = print_entries(ctx, word, only, json, &own, &near);
    if (json) puts("]");
    if (!own && !json && !only) found += print_keys(ctx, word, found > 0);
    if (hk_ctx_message_count(ctx)) {
      code = cli_no_memory(); // what was not found may be there
    } else if (found == 0) {
      cli_error(cli_did_you_mean(&near, "'hooke list' shows what there is", hint, sizeof hint),
                "nothing is called '%s'", word);
      code = CLI_USAGE;
    }
  }
  hk_ctx_destroy(ctx);
  return code;
}
