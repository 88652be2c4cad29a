/* SPDX-License-Identifier: Apache-2.0
 *
 * man.c: manual pages in the man macros of roff, from the table of commands.c: hooke(1) and one
 * page for each verb, hooke-run(1) and so on.
 */
#include <ctype.h>
#include <string.h>

#include "cli.h"

/* text as it is: roff must not take a character of it for a command, nor quotes and hyphens for
 * those of print. `at_start`: the text begins a line, where a dot or a quote is a command. */
static void plain(FILE *out, const char *text, bool at_start) {
  for (; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
    at_start = *text == '\n';
    switch (*text) {
      case '\\':
        fputs("\\e", out);
        break;
      case '-':
        fputs("\\-", out);
        break;
      case '\'':
        fputs("\\(aq", out);
        break;
      case '`':
        fputs("\\(ga", out);
        break;
      case '^':
        fputs("\\(ha", out);
        break;
      case '~':
        fputs("\\(ti", out);
        break;
      default:
        fputc(*text, out);
    }
  }
}

/* one word or phrase in a font: 'B' bold, 'I' italic */
static void styled(FILE *out, char font, const char *text) {
  fprintf(out, "\\f%c", font);
  plain(out, text, false);
  fputs("\\fR", out);
}

/* a line of its own that begins with a capital letter and ends with a full stop */
static void sentence(FILE *out, const char *text) {
  const size_t n = strlen(text);
  fputc(toupper((unsigned char)text[0]), out);
  plain(out, text + 1, false);
  fputs(n && strchr(".!?", text[n - 1]) ? "\n" : ".\n", out);
}

static void head(FILE *out, const char *verb, const char *text) {
  fputs(".\\\" made by 'hooke help --man'\n.TH HOOKE", out);
  if (verb) fputc('-', out);
  for (const char *s = verb; s && *s; s++) fputc(toupper((unsigned char)*s), out);
  fprintf(out, " 1 \"%s\" \"hooke %s\" \"Hooke\"\n.SH NAME\nhooke", CLI_DATE, hk_version());
  if (verb) fprintf(out, "\\-%s", verb);
  fputs(" \\- ", out);
  plain(out, text, false);
  fputs("\n.SH SYNOPSIS\n", out);
}

static void option(FILE *out, const cli_option *o) {
  const char letter[] = {'-', o->letter, '\0'};
  fputs(".TP\n", out);
  if (o->letter) {
    styled(out, 'B', letter);
    fputs(", ", out);
  }
  fputs("\\fB\\-\\-", out);
  plain(out, o->name, false);
  fputs("\\fR", out);
  if (o->arg) {
    fputc(' ', out);
    styled(out, 'I', o->arg);
  }
  fputc('\n', out);
  sentence(out, o->text);
}

static void exits(FILE *out) {
  fputs(".SH EXIT STATUS\n", out);
  for (const cli_exit *e = cli_exits; e->text; e++) {
    fprintf(out, ".TP\n\\fB%d\\fR\n", e->code);
    sentence(out, e->text);
  }
}

static void example(FILE *out, const char *command) {
  fputs(".SH EXAMPLES\n.nf\n", out);
  plain(out, command, true);
  fputs("\n.fi\n", out);
}

/* all pages but this one */
static void see_also(FILE *out, const cli_command *self) {
  const char *comma = "";
  fputs(".SH SEE ALSO\n", out);
  if (self) fputs("\\fBhooke\\fR(1)", out), comma = ",\n";
  for (int i = 0; i < cli_command_count(); i++) {
    const cli_command *c = cli_command_at(i);
    if (c == self) continue;
    fprintf(out, "%s\\fBhooke\\-%s\\fR(1)", comma, c->name);
    comma = ",\n";
  }
  fputc('\n', out);
}

static void verb_page(FILE *out, const cli_command *c) {
  head(out, c->name, c->text);
  fprintf(out, "\\fBhooke %s\\fR ", c->name);
  styled(out, 'I', c->args);
  fputs(" [\\fIoptions\\fR]\n.SH DESCRIPTION\n", out);
  sentence(out, c->text);
  if (c->detail) {
    fputs(".PP\n", out);
    plain(out, c->detail, true);
    fputc('\n', out);
  }
  fputs(".SH OPTIONS\n", out);
  for (const cli_id *id = c->options; *id; id++) option(out, cli_option_find(*id));
  exits(out);
  example(out, c->example);
  see_also(out, c);
}

static void whole_page(FILE *out) {
  head(out, NULL, "simulate mechanisms and machines");
  fputs("\\fBhooke\\fR \\fIVERB\\fR [\\fIarguments\\fR] [\\fIoptions\\fR]\n.SH DESCRIPTION\n", out);
  fputs("Hooke simulates mechanisms and machines: rigid bodies, joints, closed loops, springs,\n"
        "dampers, tyres and motors, with the circuits, oil and heat that belong to them.\n"
        "A mechanism is one model file; every formulation and every integrator runs it.\n",
        out);
  fputs(".PP\nEach verb has a page of its own.\n.SH VERBS\n", out);
  for (int i = 0; i < cli_command_count(); i++) {
    const cli_command *c = cli_command_at(i);
    fprintf(out, ".TP\n\\fB%s\\fR ", c->name);
    styled(out, 'I', c->args);
    fputc('\n', out);
    sentence(out, c->text);
  }
  fputs(".SH OPTIONS\n", out);
  option(out, cli_option_find(CLI_HELP));
  option(out, cli_option_find(CLI_VERSION));
  exits(out);
  fputs(".SH ENVIRONMENT\n", out);
  for (const cli_variable *v = cli_variables; v->name; v++) {
    fprintf(out, ".TP\n\\fB%s\\fR\n", v->name);
    plain(out, v->text, true);
    fputc('\n', out);
  }
  example(out, cli_command_at(0)->example);
  see_also(out, NULL);
}

void cli_man(FILE *out, const cli_command *command) {
  if (command) {
    verb_page(out, command);
  } else {
    whole_page(out);
  }
}
