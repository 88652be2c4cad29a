/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: finds the verb and hands over.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int cli_finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  cli_error(NULL, "cannot write to standard output: %s", strerror(errno));
  return code == CLI_DONE ? CLI_FILE : code;
}

/* a first word that is no verb */
static int unknown_verb(const char *word) {
  char hint[1200];
  cli_nearest n = {.word = word};
  for (int i = 0; i < cli_command_count(); i++) cli_nearest_try(&n, cli_command_at(i)->name);
  cli_nearest_try(&n, "--help");
  cli_nearest_try(&n, "--version");
  if (!n.best && word[0] != '-' && access(word, R_OK) == 0) {
    snprintf(hint, sizeof hint, "to simulate a model: hooke run %s", word);
    cli_error(hint, "'%s' is no verb", word);
  } else {
    cli_error(cli_did_you_mean(&n, "see 'hooke --help'", hint, sizeof hint),
              word[0] == '-' ? "no option '%s' without a verb" : "no verb '%s'", word);
  }
  return CLI_USAGE;
}

/* `hooke --help`, `hooke --version [--json]` */
static int without_verb(int argc, char **argv, bool *handled) {
  *handled = true;
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    cli_help_all(stdout);
    return CLI_DONE;
  }
  bool json_first = strcmp(argv[1], "--json") == 0 && argc > 2;
  const char *word = json_first ? argv[2] : argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    bool json = json_first || (argc > 2 && strcmp(argv[2], "--json") == 0);
    if (argc > 2 + json) {
      cli_error("see --help", "'hooke --version' takes --json alone, but '%s' was given",
                argv[argc - 1]);
      return CLI_USAGE;
    }
    return cli_version(json);
  }
  *handled = false;
  return CLI_DONE;
}

/* keep freed memory in the process: glibc would return it to the system, and faulting it in again
 * costs more than a short run */
static void keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 26);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
}

int main(int argc, char **argv) {
  bool handled;
  keep_memory();
  signal(SIGXFSZ, SIG_IGN); // exceeding the file size limit becomes a write error
  if (argc < 2) {
    cli_help_all(stderr);
    return CLI_USAGE;
  }
  int code = without_verb(argc, argv, &handled);
  if (handled) return cli_finish(cli_last_word(code));
  const cli_command *command = cli_command_find(argv[1]);
  if (!command) return unknown_verb(argv[1]);

  cli_args args;
  code = cli_parse(command, argc, argv, &args);
  if (code == 0 && cli_has(&args, CLI_HELP)) {
    cli_help_verb(stdout, command);
  } else if (code == 0) {
    code = command->run(&args);
  }
  cli_args_free(&args);
  return cli_finish(cli_last_word(code));
}
