/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c: parses a command line with getopt_long, by the table of commands.c. Options may be
 * anywhere; `--` ends them. `--integ.rho_inf 0.9` means `--option rho_inf=0.9`, and
 * `--form.penalty=1e7` means `--option penalty=1e7`.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

/* --- the command line as text ----------------------------------------------------------------- */

static bool plain(const char *s) {
  return *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "_-./=:,+@%^") == strlen(s);
}

/* the arguments as one line, quoted for a shell */
static char *join(int argc, char **argv) {
  size_t room = 1;
  for (int i = 0; i < argc; i++) room += 4 * strlen(argv[i]) + 3;
  char *text = malloc(room), *at = text;
  if (!text) return NULL;
  for (int i = 0; i < argc; i++) {
    if (i) *at++ = ' ';
    bool quote = !plain(argv[i]);
    if (quote) *at++ = '\'';
    for (const char *s = argv[i]; *s; s++) {
      if (*s == '\'') at += sprintf(at, "'\\'");
      *at++ = *s;
    }
    if (quote) *at++ = '\'';
  }
  *at = '\0';
  return text;
}

/* --- --integ.NAME and --form.NAME ------------------------------------------------------------- */

static const char *method_option(const char *arg) {
  if (strncmp(arg, "--integ.", 8) == 0) return arg + 8;
  if (strncmp(arg, "--form.", 7) == 0) return arg + 7;
  return NULL;
}

static void free_words(char **words, int n) {
  for (int i = 0; words && i < n; i++) free(words[i]);
  free(words);
}

/* a copy of argv with these options written as --option=NAME=VALUE; the caller frees it; NULL: out
 * of memory */
static char **rewrite(int argc, char **argv, int *n) {
  char **out = calloc((size_t)argc + 1, sizeof *out);
  bool options = true;
  *n = 0;
  for (int i = 0; out && i < argc; i++) {
    const char *name = options ? method_option(argv[i]) : NULL, *value = "";
    if (strcmp(argv[i], "--") == 0) options = false;
    const char *equal = name && !strchr(name, '=') ? "=" : "";
    if (*equal && i + 1 < argc) value = argv[i + 1];
    size_t room = strlen(name ? name : argv[i]) + strlen(value) + 16;
    out[*n] = malloc(room);
    if (!out[*n]) {
      free_words(out, *n);
      return NULL;
    }
    if (name) {
      snprintf(out[*n], room, "--option=%s%s%s", name, equal, value);
      if (*equal && i + 1 < argc) i++;
    } else {
      snprintf(out[*n], room, "%s", argv[i]);
    }
    (*n)++;
  }
  return out;
}

/* --- errors ----------------------------------------------------------------------------------- */

/* an option that this verb does not have */
static int unknown_option(const cli_command *command, const char *arg) {
  char word[64], near[80], hint[160], other[100];
  snprintf(word, sizeof word, "%s", arg);
  word[strcspn(word, "=")] = '\0';
  cli_nearest n = {.word = word + strspn(word, "-")};
  for (const cli_id *id = command->options; *id; id++) {
    cli_nearest_try(&n, cli_option_find(*id)->name);
  }
  snprintf(other, sizeof other, "see 'hooke %s --help'", command->name);
  if (n.best) snprintf(near, sizeof near, "--%s", n.best), n.best = near;
  cli_error(cli_did_you_mean(&n, other, hint, sizeof hint), "'hooke %s' has no option '%s'",
            command->name, word);
  return CLI_USAGE;
}

static int missing_value(const cli_option *option) {
  cli_error(NULL, "the option --%s needs a value: --%s %s", option->name, option->name,
            option->arg);
  return CLI_USAGE;
}

/* --- parsing ---------------------------------------------------------------------------------- */

typedef struct tables {
  struct option longs[CLI_VERB_OPTIONS + 1];
  char shorts[3 * CLI_VERB_OPTIONS + 2];
} tables;

/* getopt's tables from ours */
static void make_tables(const cli_command *command, tables *t) {
  char *at = t->shorts;
  int n = 0;
  *at++ = ':';
  for (const cli_id *id = command->options; *id; id++) {
    const cli_option *o = cli_option_find(*id);
    t->longs[n++] =
        (struct option){o->name, o->arg ? required_argument : no_argument, NULL, 256 + (int)o->id};
    if (!o->letter) continue;
    *at++ = o->letter;
    if (o->arg) *at++ = ':';
  }
  t->longs[n] = (struct option){NULL, 0, NULL, 0};
  *at = '\0';
}

/* the option that getopt's answer stands for; NULL when it stands for an error */
static const cli_option *answered(const cli_command *command, int answer) {
  for (const cli_id *id = command->options; *id; id++) {
    const cli_option *o = cli_option_find(*id);
    if (answer == 256 + (int)o->id || (o->letter && answer == o->letter)) return o;
  }
  return NULL;
}

static int parse_options(const cli_command *command, int argc, char **argv, cli_args *args) {
  tables t;
  make_tables(command, &t);
  opterr = 0;
  optind = 1;
  for (;;) {
    int at = optind < argc ? optind : argc - 1;
    int answer = getopt_long(argc, argv, t.shorts, t.longs, NULL);
    if (answer == -1) return 0;
    const cli_option *o = answered(command, answer);
    if (o) {
      args->given[args->ngiven++] = (cli_given){o->id, optarg};
      continue;
    }
    // ':' is a missing value; '?' is unknown, ambiguous, or a value for an option without one
    const cli_option *culprit = answered(command, optopt);
    const char *arg = argv[optind - 1 < at ? at : optind - 1];
    char letter[3] = {'-', (char)optopt, '\0'};
    if (answer == ':' && culprit) return missing_value(culprit);
    if (culprit && !culprit->arg && strchr(arg, '=')) {
      cli_error(NULL, "the option --%s takes no value, but '%s' was given", culprit->name, arg);
      return CLI_USAGE;
    }
    return unknown_option(command, optopt > 0 && optopt < 128 ? letter : arg);
  }
}

static int take_arguments(const cli_command *command, int argc, char **argv, cli_args *args) {
  int n = argc - optind;
  if (cli_has(args, CLI_HELP) || cli_has(args, CLI_SCHEMA)) return 0;
  if (n < command->least) {
    cli_error("see --help", "'hooke %s' needs %s", command->name, command->args);
    return CLI_USAGE;
  }
  if (n > command->most) {
    if (command->most > 2) {
      cli_error("see --help", "'hooke %s' takes %d arguments at most, but %d were given",
                command->name, command->most, n);
      return CLI_USAGE;
    }
    cli_error("see --help", "'hooke %s' takes %s, but also '%s' was given", command->name,
              command->most ? command->args : "no arguments", argv[optind + command->most]);
    return CLI_USAGE;
  }
  for (int i = 0; i < n; i++) args->positional[args->npositional++] = argv[optind + i];
  return 0;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args) {
  int n;
  *args = (cli_args){.command = command, .line = join(argc, argv)};
  args->owned = rewrite(argc - 1, argv + 1, &n);
  args->nowned = args->owned ? n : 0;
  args->argv = calloc((size_t)n + 1, sizeof *args->argv);
  args->given = calloc((size_t)argc + 1, sizeof *args->given);
  if (!args->line || !args->owned || !args->argv || !args->given) return cli_no_memory();
  memcpy(args->argv, args->owned, (size_t)n * sizeof *args->argv);
  int code = parse_options(command, n, args->argv, args);
  return code ? code : take_arguments(command, n, args->argv, args);
}

void cli_args_free(cli_args *args) {
  free_words(args->owned, args->nowned);
  free(args->argv);
  free(args->given);
  free(args->line);
}

/* --- what the model says ---------------------------------------------------------------------- */

/* `key` is the option, or its plural */
static const char *setting(const hk_model *model, const char *verb, const char *option, int32_t i) {
  char plural[80];
  const char *value = hk_model_setting(model, verb, option, i);
  snprintf(plural, sizeof plural, "%ss", option);
  return value ? value : hk_model_setting(model, verb, plural, i);
}

/* one more option that counts as given; false: no memory */
static bool add_given(cli_args *args, cli_id id, const char *value) {
  cli_given *given = realloc(args->given, ((size_t)args->ngiven + 1) * sizeof *given);
  if (given) args->given = given;
  char **owned = realloc(args->owned, ((size_t)args->nowned + 1) * sizeof *owned);
  if (owned) args->owned = owned;
  char *copy = calloc(strlen(value) + 1, 1);
  if (!given || !owned || !copy) {
    free(copy);
    return false;
  }
  strcpy(copy, value);
  args->owned[args->nowned++] = copy;
  args->given[args->ngiven++] = (cli_given){id, copy};
  return true;
}

bool cli_settings(const cli_args *args, const hk_model *model, cli_args *out) {
  const cli_command *command = args->command;
  *out = *args;
  out->owned = NULL, out->nowned = 0;
  out->given = malloc(((size_t)args->ngiven + 1) * sizeof *out->given);
  if (!out->given) return cli_no_memory() == CLI_DONE;
  for (int i = 0; i < args->ngiven; i++) out->given[i] = args->given[i];
  for (const cli_id *id = command->options; *id != CLI_END; id++) {
    const cli_option *o = cli_option_find(*id);
    const char *value;
    if (cli_has(args, *id)) continue;
    for (int32_t i = 0; (value = setting(model, command->name, o->name, i)); i++)
      if ((o->arg || strcmp(value, "true") == 0) && !add_given(out, *id, value))
        return cli_no_memory() == CLI_DONE;
  }
  return true;
}

void cli_settings_free(cli_args *args) {
  free_words(args->owned, args->nowned);
  free(args->given);
  *args = (cli_args){0};
}

/* --- values ----------------------------------------------------------------------------------- */

bool cli_has(const cli_args *args, cli_id id) {
  for (int i = 0; i < args->ngiven; i++)
    if (args->given[i].id == id) return true;
  return false;
}

const char *cli_value(const cli_args *args, cli_id id) {
  for (int i = args->ngiven - 1; i >= 0; i--)
    if (args->given[i].id == id) return args->given[i].value;
  return NULL;
}

bool cli_number(const cli_args *args, cli_id id, double *out) {
  const char *text = cli_value(args, id);
  char *end;
  if (!text) return true;
  *out = strtod(text, &end);
  if (strspn(text, "0123456789.eE+-") == strlen(text) && !*end && end != text && isfinite(*out))
    return true;
  cli_error(NULL, "--%s must be a number, but it is '%s'", cli_option_find(id)->name, text);
  return false;
}

bool cli_positive(const cli_args *args, cli_id id, double *out) {
  const char *text = cli_value(args, id);
  if (!text) return true;
  const char *name = cli_option_find(id)->name;
  char *end;
  // decimal digits alone: no hexadecimal, no words, no blanks
  bool decimal = *text && strspn(text, "0123456789.eE+-") == strlen(text);
  errno = 0;
  double x = decimal ? strtod(text, &end) : NAN;
  if (!decimal || end == text || *end) {
    const bool unit = *text >= '0' && *text <= '9';
    cli_error(unit ? "a plain number like 0.01, without a unit; times are in seconds" : NULL,
              "--%s must be a number, but it is '%s'", name, text);
    return false;
  }
  if (!isfinite(x) || x <= 0) {
    cli_error(NULL, "--%s must be a positive number, but it is '%s'", name, text);
    return false;
  }
  *out = x;
  return true;
}

bool cli_pairs(const cli_args *args, cli_id id, cli_pair **out, int *n) {
  *n = 0;
  *out = calloc((size_t)args->ngiven + 1, sizeof **out);
  for (int i = 0; *out && i < args->ngiven; i++) {
    if (args->given[i].id != id) continue;
    const char *text = args->given[i].value, *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1]) {
      cli_error("give a name, an equals sign and a value",
                "--%s must be NAME=VALUE, but it is '%s'", cli_option_find(id)->name, text);
      cli_pairs_free(*out, *n);
      *out = NULL, *n = 0;
      return false;
    }
    char *name = calloc((size_t)(equal - text) + 1, 1);
    if (!name) {
      cli_pairs_free(*out, *n);
      *out = NULL, *n = 0;
      break;
    }
    memcpy(name, text, (size_t)(equal - text));
    (*out)[(*n)++] = (cli_pair){name, equal + 1};
  }
  if (!*out) cli_no_memory();
  return *out != NULL;
}

void cli_pairs_free(cli_pair *pairs, int n) {
  for (int i = 0; i < n; i++) free(pairs[i].name);
  free(pairs);
}

bool cli_file_of(const char *what, const char *name, const char *ext, const char *other) {
  if (!cli_file(what, name)) return false;
  const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash + 1 : name, '.');
  if (dot && (strcasecmp(dot, ext) == 0 || (other && strcasecmp(dot, other) == 0))) return true;
  char hint[64];
  snprintf(hint, sizeof hint, "end the name in %s", ext);
  cli_error(hint, "the name of the %s '%s' does not end in %s", what, name, ext);
  return false;
}

bool cli_file(const char *what, const char *name) {
  if (!*name) {
    cli_error(NULL, "the name of the %s is empty", what);
    return false;
  }
  if (strcmp(name, "-") == 0) {
    cli_error("give the name of a file (a file that is really called '-' is ./-)",
              "the %s cannot be '-': standard input and output are not supported", what);
    return false;
  }
  return true;
}

bool cli_lists_read(const cli_args *args, cli_lists *l) {
  if (!cli_pairs(args, CLI_SET, &l->set_pairs, &l->nsets) ||
      !cli_pairs(args, CLI_OPTION, &l->option_pairs, &l->noptions))
    return false;
  l->sets = calloc((size_t)l->nsets + 1, sizeof *l->sets);
  l->options = calloc((size_t)l->noptions + 1, sizeof *l->options);
  if (!l->sets || !l->options) {
    cli_no_memory();
    return false;
  }
  for (int i = 0; i < l->nsets; i++)
    l->sets[i] = (hk_set){l->set_pairs[i].name, l->set_pairs[i].value};
  for (int i = 0; i < l->noptions; i++)
    l->options[i] = (hk_option){l->option_pairs[i].name, l->option_pairs[i].value};
  return true;
}

void cli_lists_free(cli_lists *l) {
  free(l->sets);
  free(l->options);
  cli_pairs_free(l->set_pairs, l->nsets);
  cli_pairs_free(l->option_pairs, l->noptions);
}
