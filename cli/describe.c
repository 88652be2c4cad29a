/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.c: 'hooke help --json', the whole table of commands.c for other programs; the pages of
 * the command are made from it.
 */
#include "cli.h"

static void field(FILE *out, const char *comma, const char *name, const char *value) {
  fprintf(out, "%s\"%s\": ", comma, name);
  cli_json_string(out, value);
}

static void option(FILE *out, const cli_option *o) {
  const char letter[] = {o->letter, '\0'};
  field(out, "{", "name", o->name);
  field(out, ", ", "letter", o->letter ? letter : NULL);
  field(out, ", ", "value", o->arg);
  field(out, ", ", "text", o->text);
  fputc('}', out);
}

static void verb(FILE *out, const cli_command *c) {
  field(out, "{", "name", c->name);
  field(out, ", ", "arguments", c->args);
  field(out, ", ", "text", c->text);
  field(out, ", ", "detail", c->detail);
  field(out, ", ", "example", c->example);
  fputs(", \"options\": [", out);
  for (const cli_id *id = c->options; *id; id++) {
    if (id != c->options) fputs(", ", out);
    option(out, cli_option_find(*id));
  }
  fputs("]}", out);
}

void cli_describe(FILE *out) {
  fputs("{\"verbs\": [", out);
  for (int i = 0; i < cli_command_count(); i++) {
    if (i) fputs(",\n  ", out);
    verb(out, cli_command_at(i));
  }
  fputs("],\n \"options\": [", out);
  option(out, cli_option_find(CLI_HELP));
  fputs(", ", out);
  option(out, cli_option_find(CLI_VERSION));
  fputs("],\n \"exits\": [", out);
  for (const cli_exit *e = cli_exits; e->text; e++) {
    fprintf(out, "%s{\"code\": %d", e == cli_exits ? "" : ", ", e->code);
    field(out, ", ", "text", e->text);
    fputc('}', out);
  }
  fputs("],\n \"environment\": [", out);
  for (const cli_variable *v = cli_variables; v->name; v++) {
    field(out, v == cli_variables ? "{" : ", {", "name", v->name);
    field(out, ", ", "text", v->text);
    fputc('}', out);
  }
  fputs("]}\n", out);
}
