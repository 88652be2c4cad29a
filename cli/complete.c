/* SPDX-License-Identifier: Apache-2.0
 *
 * complete.c: completion scripts for shells, from the table of commands.c. Names of methods, joints
 * and so on are asked of the command itself when they are needed.
 */
#include <string.h>

#include "cli.h"

/* a shell command that prints the verbs */
static const char *verb_words(void) {
  static char text[256];
  size_t n = (size_t)snprintf(text, sizeof text, "printf '%%s\\n'");
  for (int i = 0; i < cli_command_count() && n < sizeof text; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, " %s", cli_command_at(i)->name);
  }
  return text;
}

/* the shell command that prints the values to offer; NULL: files, or nothing */
static const char *words_of(cli_complete what) {
  switch (what) {
    case CLI_ON_OFF:
      return "printf 'on\\noff\\n'";
    case CLI_KINDS:
      return "hooke list --names 2>/dev/null";
    case CLI_FORMULATIONS:
      return "hooke list formulations --names 2>/dev/null";
    case CLI_INTEGRATORS:
      return "hooke list integrators --names 2>/dev/null";
    case CLI_ENTRIES:
      return "{ echo schema; for kind in $(hooke list --names); do hooke list $kind --names; done; "
             "} "
             "2>/dev/null";
    case CLI_SHELLS:
      return "printf 'bash\\nzsh\\nfish\\n'";
    case CLI_PACES:
      return "printf 'clock\\nfast\\nio\\n'";
    case CLI_OVERRUNS:
      return "printf 'slip\\nskip\\ncatch-up\\nstop\\n'";
    case CLI_POLICIES:
      return "printf 'fifo\\ndeadline\\nother\\n'";
    case CLI_STATES:
      return "printf 'start\\nequilibrium\\nsteady\\n'";
    case CLI_VERBS:
      return verb_words();
    case CLI_FORMATS:
      return "printf 'text\\nmarkdown\\ncsv\\njson\\n'";
    default:
      return NULL;
  }
}

/* --- bash ------------------------------------------------------------------------------------- */

static void bash_offer(cli_complete what, const char *indent) {
  const char *words = words_of(what);
  if (words) {
    printf("%sCOMPREPLY=($(compgen -W \"$(%s)\" -- \"$word\"))\n", indent, words);
  } else if (what == CLI_MODELS) {
    printf("%sCOMPREPLY=($(compgen -f -X '!*.@(yaml|yml|json)' -- \"$word\") $(compgen -d -- "
           "\"$word\"))\n",
           indent);
  } else if (what == CLI_FILES) {
    printf("%sCOMPREPLY=($(compgen -f -- \"$word\"))\n", indent);
  } else {
    printf("%sCOMPREPLY=()\n", indent);
  }
}

static void bash_verb(const cli_command *c) {
  printf("    %s)\n      case \"$before\" in\n", c->name);
  for (const cli_id *id = c->options; *id; id++) {
    const cli_option *o = cli_option_find(*id);
    if (!o->arg) continue;
    printf("        --%s", o->name);
    if (o->letter) printf("|-%c", o->letter);
    puts(")");
    bash_offer(o->complete, "          ");
    puts("          return ;;");
  }
  puts("      esac\n      case \"$word\" in\n        -*)");
  fputs("          COMPREPLY=($(compgen -W \"", stdout);
  for (const cli_id *id = c->options; *id; id++) printf("--%s ", cli_option_find(*id)->name);
  puts("\" -- \"$word\"))\n          return ;;\n      esac");
  bash_offer(c->complete, "      ");
  puts("      ;;");
}

static void bash(void) {
  puts("# completion of hooke for bash: source <(hooke completion bash)\nshopt -s extglob\n"
       "_hooke() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
       "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" -eq 1 ]; then");
  fputs("    COMPREPLY=($(compgen -W \"", stdout);
  for (int i = 0; i < cli_command_count(); i++) printf("%s ", cli_command_at(i)->name);
  puts("--help --version\" -- \"$word\"))\n    return\n  fi\n  case \"${COMP_WORDS[1]}\" in");
  for (int i = 0; i < cli_command_count(); i++) bash_verb(cli_command_at(i));
  puts("  esac\n}\ncomplete -o filenames -F _hooke hooke");
}

/* --- zsh -------------------------------------------------------------------------------------- */

/* text inside single quotes and _arguments' brackets */
static void zsh_text(const char *text) {
  for (; *text; text++) {
    if (*text == '\'') {
      fputs("'\\''", stdout);
    } else {
      if (strchr("[]:\\", *text)) putchar('\\');
      putchar(*text);
    }
  }
}

static void zsh_offer(cli_complete what) {
  const char *words = words_of(what);
  if (words) {
    // inside the quotes of one argument
    fputs("{compadd -- $(", stdout);
    for (const char *s = words; *s; s++) {
      if (*s == '\'') {
        fputs("'\\''", stdout);
      } else {
        putchar(*s);
      }
    }
    fputs(")}", stdout);
  } else if (what == CLI_MODELS) {
    fputs("_files -g \"*.(yaml|yml|json)\"", stdout);
  } else if (what == CLI_FILES) {
    fputs("_files", stdout);
  }
}

static void zsh_verb(const cli_command *c) {
  printf("    %s)\n      _arguments \\\n", c->name);
  for (const cli_id *id = c->options; *id; id++) {
    const cli_option *o = cli_option_find(*id);
    printf("        '%s--%s[", o->id == CLI_SET || o->id == CLI_OPTION ? "*" : "", o->name);
    zsh_text(o->text);
    putchar(']');
    if (o->arg) {
      putchar(':');
      zsh_text(o->arg);
      putchar(':');
      zsh_offer(o->complete);
    }
    puts("' \\");
  }
  printf("        '%s:", c->least ? "" : ":");
  zsh_text(c->args);
  putchar(':');
  zsh_offer(c->complete);
  puts("' ;;");
}

static void zsh(void) {
  puts(
      "#compdef hooke\n# completion of hooke for zsh: hooke completion zsh > _hooke in a directory "
      "of $fpath\n_hooke() {\n  local -a verbs\n  verbs=(");
  for (int i = 0; i < cli_command_count(); i++) {
    printf("    '%s:", cli_command_at(i)->name);
    zsh_text(cli_command_at(i)->text);
    puts("'");
  }
  puts("  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
       "  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $verb in");
  for (int i = 0; i < cli_command_count(); i++) zsh_verb(cli_command_at(i));
  puts("  esac\n}\ncompdef _hooke hooke");
}

/* --- fish ------------------------------------------------------------------------------------- */

static void fish_text(const char *text) {
  putchar('\'');
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') putchar('\\');
    putchar(*text);
  }
  putchar('\'');
}

/* the values to offer, as arguments of fish's `complete` */
static void fish_offer(cli_complete what) {
  const char *words = words_of(what);
  if (what == CLI_ENTRIES) {
    fputs(" -f -a '(echo schema; for kind in (hooke list --names); hooke list $kind --names; end)'",
          stdout);
  } else if (words) {
    fputs(" -f -a ", stdout);
    char call[264];
    snprintf(call, sizeof call, "(%s)", words);
    fish_text(call);
  } else if (what == CLI_NOTHING) {
    fputs(" -f", stdout);
  }
}

static void fish(void) {
  puts("# completion of hooke for fish: hooke completion fish | source\ncomplete -c hooke -f");
  for (int i = 0; i < cli_command_count(); i++) {
    const cli_command *c = cli_command_at(i);
    printf("complete -c hooke -n __fish_use_subcommand -a %s -d ", c->name);
    fish_text(c->text);
    printf("\ncomplete -c hooke -n '__fish_seen_subcommand_from %s'%s", c->name,
           c->complete == CLI_MODELS ? " -F" : "");
    fish_offer(c->complete);
    putchar('\n');
    for (const cli_id *id = c->options; *id; id++) {
      const cli_option *o = cli_option_find(*id);
      printf("complete -c hooke -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
      if (o->letter) printf(" -s %c", o->letter);
      if (o->arg) {
        printf(" -r");
        if (o->complete == CLI_FILES) printf(" -F");
        fish_offer(o->complete);
      }
      fputs(" -d ", stdout);
      fish_text(o->text);
      putchar('\n');
    }
  }
}

int cli_completion(const cli_args *args) {
  static const struct {
    const char *name;
    void (*print)(void);
  } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
  char hint[80];
  cli_nearest n = {.word = args->positional[0]};
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
    if (strcmp(args->positional[0], shells[i].name) == 0) {
      shells[i].print();
      return CLI_DONE;
    }
    cli_nearest_try(&n, shells[i].name);
  }
  cli_error(cli_did_you_mean(&n, "known are bash, zsh and fish", hint, sizeof hint),
            "no completion for the shell '%s'", args->positional[0]);
  return CLI_USAGE;
}
