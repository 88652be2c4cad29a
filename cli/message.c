/* SPDX-License-Identifier: Apache-2.0
 *
 * message.c: messages on standard error, like a compiler's:
 *
 *   model.yaml:7:3: error: body 'rod' has no key 'mas'
 *       7 |   mas: 2
 *         |   ^
 *     hint: did you mean 'mass'?
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* --- colours ---------------------------------------------------------------------------------- */

bool cli_colour(FILE *stream) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no && *no) return false;
  if (term && strcmp(term, "dumb") == 0) return false;
  return isatty(fileno(stream)) == 1;
}

static const char *paint(const char *code) { return cli_colour(stderr) ? code : ""; }

/* "where: error: text" */
static void head(const char *where, hk_severity severity, const char *text) {
  static const char *const words[] = {"note", "warning", "error"};
  static const char *const codes[] = {"\033[1;36m", "\033[1;35m", "\033[1;31m"};
  char place[CLI_SHOWN], plain[CLI_SHOWN];
  cli_progress_wipe();
  // foreign text must not send control sequences to the terminal
  fprintf(stderr, "%s%s:%s %s%s:%s %s\n", paint("\033[1m"), cli_plain(where, place, sizeof place),
          paint("\033[0m"), paint(codes[severity]), words[severity], paint("\033[0m"),
          cli_plain(text, plain, sizeof plain));
}

static void tail(const char *hint) {
  if (hint && *hint) {
    char plain[CLI_SHOWN];
    fprintf(stderr, "  %shint:%s %s\n", paint("\033[1;32m"), paint("\033[0m"),
            cli_plain(hint, plain, sizeof plain));
  }
}

/* --- the command's own messages --------------------------------------------------------------- */

/* errors printed so far; has memory run out? */
static int errors;
static bool no_memory;

int cli_no_memory(void) {
  if (!no_memory) cli_error(hk_status_hint(HK_E_MEMORY), "%s", hk_status_text(HK_E_MEMORY));
  no_memory = true;
  return CLI_FILE;
}

int cli_last_word(int code) {
  if (no_memory) return CLI_FILE;
  if (code != CLI_DONE && code != CLI_INTERRUPTED && errors == 0)
    cli_error("memory may have run out", "the command failed without a message");
  return code;
}

void cli_error(const char *hint, const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  errors++;
  head("hooke", HK_ERROR, text);
  tail(hint);
}

void cli_warning(const char *hint, const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  head("hooke", HK_WARNING, text);
  tail(hint);
}

void cli_note(const char *fmt, ...) {
  char text[2048];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  head("hooke", HK_NOTE, text);
}

/* --- did you mean ----------------------------------------------------------------------------- */

void cli_nearest_try(cli_nearest *n, const char *candidate) {
  n->best = hk_nearer(n->word, n->best, candidate);
}

const char *cli_did_you_mean(const cli_nearest *n, const char *otherwise, char *buf, size_t cap) {
  if (!n->best) return otherwise;
  snprintf(buf, cap, "did you mean '%s'?", n->best);
  return buf;
}

/* --- messages of a context -------------------------------------------------------------------- */

enum { LINE = 100 };

/* one line of a file, without its end; false when it is not there or not fit to show */
static bool read_line(const char *path, int32_t line, char *buf, size_t cap) {
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  FILE *f = fopen(path, "r");
  if (!f) return false;
  int c = 0;
  for (int32_t at = 1; at < line && c != EOF;) {
    c = getc(f);
    if (c == '\n') at++;
  }
  size_t n = 0;
  for (c = getc(f); c != EOF && c != '\n' && c != '\r' && n + 1 < cap; c = getc(f)) {
    buf[n++] = (char)(c == '\t' ? ' ' : c);
    if ((c < 0x20 && c != '\t') || c == 0x7f) n = cap; // not a text
  }
  fclose(f);
  if (n == 0 || n + 1 >= cap) return false;
  buf[n] = '\0';
  return true;
}

/* the line of the file and a mark under the column */
static void excerpt(const hk_message *m) {
  char text[LINE * 4];
  if (!m->file || m->line <= 0 || m->column <= 0 || m->column > LINE) return;
  if (!read_line(m->file, m->line, text, sizeof text)) return;
  char plain[sizeof text];
  fprintf(stderr, "%6d | %s\n", (int)m->line, cli_plain(text, plain, sizeof plain));
  fprintf(stderr, "       | %*s%s^%s\n", (int)m->column - 1, "", paint("\033[1;32m"),
          paint("\033[0m"));
}

void cli_on_message(const hk_message *m, void *user) {
  cli_messages *state = user;
  char where[1200];
  if (m->severity != HK_ERROR && state->quiet) return;
  if (m->severity == HK_ERROR && state->errors++ == 0) state->from_file = m->file != NULL;
  // what is reported after memory ran out is a consequence
  if (m->severity == HK_ERROR && no_memory) return;
  if (m->severity == HK_ERROR) errors++, no_memory = m->code == HK_E_MEMORY;
  if (!m->file) {
    snprintf(where, sizeof where, "hooke");
  } else if (m->line <= 0) {
    snprintf(where, sizeof where, "%s", m->file);
  } else if (m->column <= 0) {
    snprintf(where, sizeof where, "%s:%d", m->file, (int)m->line);
  } else {
    snprintf(where, sizeof where, "%s:%d:%d", m->file, (int)m->line, (int)m->column);
  }
  head(where, m->severity, m->text);
  excerpt(m);
  tail(m->hint);
}

char *cli_first_error(const hk_ctx *ctx) {
  char text[4096] = "";
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++) {
    const hk_message *m = hk_ctx_message(ctx, i);
    if (m->severity != HK_ERROR) continue;
    if (m->file && m->line > 0) {
      snprintf(text, sizeof text, "%s:%d:%d: %s", m->file, (int)m->line, (int)m->column, m->text);
    } else {
      snprintf(text, sizeof text, "%s", m->text);
    }
    break;
  }
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

/* --- exit codes ------------------------------------------------------------------------------- */

int cli_exit_code(hk_status status) {
  switch (status) {
    case HK_OK:
      return CLI_DONE;
    case HK_INTERRUPTED:
      return CLI_INTERRUPTED;
    case HK_E_USAGE:
      return CLI_USAGE;
    case HK_E_MODEL:
    case HK_E_METHOD:
      return CLI_MODEL;
    case HK_E_ASSEMBLY:
      return CLI_ASSEMBLY;
    case HK_RETRY:
    case HK_RECHART:
    case HK_E_DIVERGED:
    case HK_E_SINGULAR:
    case HK_E_NUMBER:
      return CLI_FAILED;
    case HK_E_FILE:
    case HK_E_MEMORY:
      return CLI_FILE;
    default:
      return CLI_UNFORESEEN;
  }
}

void cli_say_end(const cli_messages *messages, hk_status status) {
  if (status == HK_INTERRUPTED) cli_note("interrupted");
  if (status < 0 && messages->errors == 0)
    cli_error(hk_status_hint(status), "%s", hk_status_text(status));
}

int cli_method_code(const cli_messages *messages, hk_status status, bool loaded) {
  // a wrong method is an error of the model when the message has a place in the file
  if (status == HK_E_METHOD) return messages->from_file ? CLI_MODEL : CLI_USAGE;
  const int code = cli_exit_code(status);
  return !loaded && code == CLI_FAILED ? CLI_MODEL : code;
}

void cli_title(const hk_model *model, const char *path) {
  const char *title = hk_model_title(model);
  if (title && *title)
    printf("%s (%s)\n", title, path);
  else
    puts(path);
}
