/* SPDX-License-Identifier: Apache-2.0
 *
 * help.c: --help and --version, from the table of commands.c.
 */
#include <string.h>

#include "cli.h"

enum { WIDTH = 96, TEXT_AT = 30 };

static const char *paint(FILE *out, const char *code) { return cli_colour(out) ? code : ""; }

static void title(FILE *out, const char *text) {
  fprintf(out, "\n%s%s%s\n", paint(out, "\033[1m"), text, paint(out, "\033[0m"));
}

/* prints text from column `at` on, with line breaks before column WIDTH */
static void wrap(FILE *out, const char *text, int at) {
  int column = at;
  while (*text) {
    int n = (int)strcspn(text, " ");
    if (column > at && column + 1 + n > WIDTH) {
      fprintf(out, "\n%*s", at, "");
      column = at;
    } else if (column > at) {
      fputc(' ', out);
      column++;
    }
    fwrite(text, 1, (size_t)n, out);
    column += n;
    text += n + (text[n] == ' ');
  }
  fputc('\n', out);
}

static void help_option(FILE *out, const cli_option *o) {
  char left[64], letter[8] = "    ";
  if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
  int n = snprintf(left, sizeof left, "  %s--%s%s%s", letter, o->name, o->arg ? " " : "",
                   o->arg ? o->arg : "");
  fprintf(out, "%-*s", TEXT_AT, left);
  if (n >= TEXT_AT) fprintf(out, "\n%*s", TEXT_AT, "");
  wrap(out, o->text, TEXT_AT);
}

void cli_help_verb(FILE *out, const cli_command *command) {
  fprintf(out, "usage: hooke %s %s [options]\n\n", command->name, command->args);
  size_t n = strlen(command->text);
  const char *stop = n && command->text[n - 1] == '.' ? "" : ".";
  fprintf(out, "%c%s%s\n", command->text[0] - 'a' + 'A', command->text + 1, stop);
  if (command->detail) fprintf(out, "\n%s\n", command->detail);
  title(out, "Options");
  for (const cli_id *id = command->options; *id; id++) help_option(out, cli_option_find(*id));
  title(out, "Example");
  fprintf(out, "  %s\n", command->example);
}

void cli_help_all(FILE *out) {
  fputs("usage: hooke VERB [arguments] [options]\n\n", out);
  fputs("Hooke simulates mechanisms and machines: bodies, joints, closed loops, springs, motors.\n",
        out);
  title(out, "Verbs");
  for (int i = 0; i < cli_command_count(); i++) {
    const cli_command *c = cli_command_at(i);
    char left[64];
    snprintf(left, sizeof left, "  %s %s", c->name, c->args);
    fprintf(out, "%-*s", TEXT_AT, left);
    wrap(out, c->text, TEXT_AT);
  }
  title(out, "Options");
  help_option(out, cli_option_find(CLI_HELP));
  help_option(out, cli_option_find(CLI_VERSION));
  title(out, "Example");
  fputs("  hooke run examples/pendulum.yaml --output pendulum.csv\n", out);
  fputs("\n'hooke VERB --help' says more about a verb.\n", out);
  title(out, "Exit codes");
  char codes[400];
  size_t n = 0;
  for (const cli_exit *e = cli_exits; e->text && n < sizeof codes; e++)
    n += (size_t)snprintf(codes + n, sizeof codes - n, "%s%d %s", n ? "; " : "", e->code, e->text);
  fputs("  ", out);
  wrap(out, codes, 2);
  title(out, "Environment");
  for (const cli_variable *v = cli_variables; v->name; v++) {
    fprintf(out, "  %-*s", TEXT_AT - 2, v->name);
    wrap(out, v->text, TEXT_AT);
  }
}

int cli_help(const cli_args *args) {
  const bool man = cli_has(args, CLI_MAN), whole = args->npositional == 0;
  const cli_command *command = whole ? NULL : cli_command_find(args->positional[0]);
  if (man && (whole || command)) {
    cli_man(stdout, command);
    return CLI_DONE;
  }
  if (cli_has(args, CLI_JSON)) {
    cli_describe(stdout);
    return CLI_DONE;
  }
  if (cli_has(args, CLI_NAMES)) {
    for (int i = 0; i < cli_command_count(); i++) puts(cli_command_at(i)->name);
    return CLI_DONE;
  }
  if (whole) {
    cli_help_all(stdout);
    return CLI_DONE;
  }
  if (command) {
    cli_help_verb(stdout, command);
    return CLI_DONE;
  }
  char hint[100];
  cli_nearest n = {.word = args->positional[0]};
  for (int i = 0; i < cli_command_count(); i++) cli_nearest_try(&n, cli_command_at(i)->name);
  cli_error(cli_did_you_mean(&n, "see 'hooke --help'", hint, sizeof hint), "no verb '%s'",
            args->positional[0]);
  return CLI_USAGE;
}

int cli_version(bool json) {
  if (!json) {
    printf("hooke %s\n", hk_version());
    return CLI_DONE;
  }
  fputs("{\"name\": \"hooke\", \"version\": ", stdout);
  cli_json_string(stdout, hk_version());
  fputs(", \"features\": {", stdout);
  for (int32_t i = 0; i < hk_feature_count(); i++) {
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, hk_feature_name(i));
    printf(": %s", hk_feature_on(i) ? "true" : "false");
  }
  fputs("}}\n", stdout);
  return CLI_DONE;
}
