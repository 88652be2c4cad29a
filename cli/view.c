/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c: `hooke view RESULT...`: the page of `hooke report`, served on this machine. When the user
 * zooms into a thinned result, the page asks for the rows that were left out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli.h"

enum { DETAIL = 4000 };

/* --- rows that the page leaves out ------------------------------------------------------------ */

/* number of the first row at or after t */
static int64_t find_row(hk_result *r, double t) {
  int64_t low = 0, high = hk_result_rows(r);
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    double x;
    if (hk_result_read(r, -1, middle, 1, &x) != HK_OK) return 0;
    if (x < t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void put_numbers(FILE *out, const double *x, int32_t n) {
  fputc('[', out);
  for (int32_t i = 0; i < n; i++) {
    if (i) fputc(',', out);
    cli_json_number(out, x[i]);
  }
  fputc(']', out);
}

/* run=0&channel=3&from=1.5&to=2: {"t": [..], "x": [..]} */
static bool detail(const char *query, cli_answer *a, void *user) {
  cli_results *r = user;
  cli_detail d;
  double t[DETAIL], x[DETAIL];
  int32_t n = 0;
  if (!cli_detail_query(query, &d) || d.run >= r->n) return false;
  hk_result *result = r->list[d.run];
  if (d.channel >= hk_result_channel_count(result)) return false;
  int64_t first = find_row(result, d.from), last = find_row(result, d.to);
  if (first > 0) first--;
  if (last < hk_result_rows(result)) last++;
  if (hk_result_thin(result, d.channel, first, last - first, DETAIL, t, x, &n) != HK_OK)
    return false;
  FILE *out = open_memstream(&a->body, &a->len);
  if (!out) return false;
  fputs("{\"t\":", out);
  put_numbers(out, t, n);
  fputs(",\"x\":", out);
  put_numbers(out, x, n);
  fputs("}", out);
  a->type = "application/json";
  return fclose(out) == 0 && a->body;
}

/* --- the browser ------------------------------------------------------------------------------ */

extern char **environ;

static void open_browser(const char *address) {
  const char *const ways[] = {getenv("BROWSER"), "xdg-open", "open", "sensible-browser"};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    // skip a list of browsers or a command with arguments
    if (!ways[i] || !*ways[i] || strpbrk(ways[i], " :%")) continue;
    char *argv[] = {(char *)ways[i], (char *)address, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    int failed = posix_spawnp(&pid, ways[i], &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (!failed) return;
  }
  cli_note("no browser could be started; open the address yourself");
}

/* --- the verb --------------------------------------------------------------------------------- */

static int serve(const cli_args *args, cli_results *r, const char *html, size_t len, int port) {
  cli_server server = {.page = html, .page_len = len, .detail = detail, .user = r};
  char address[128];
  int code = cli_server_open(&server, port);
  if (code != CLI_DONE) return code;
  const volatile int *stop = cli_catch_interrupts();
  snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", server.port, server.token);
  printf("%s\n", address);
  if (!cli_has(args, CLI_QUIET)) puts("Ctrl-C ends the server.");
  fflush(stdout);
  if (!cli_has(args, CLI_NO_BROWSER)) open_browser(address);
  code = cli_server_run(&server, stop);
  while (waitpid(-1, NULL, WNOHANG) > 0) continue;
  return code;
}

int cli_view(const cli_args *args) {
  cli_results r;
  double port = 0;
  char *html = NULL;
  size_t len = 0;
  hk_report_options opt = hk_report_options_def();
  opt.served = 1;
  if (!cli_positive(args, CLI_PORT, &port)) return CLI_USAGE;
  if (port > 65535 || port != floor(port)) {
    cli_error(NULL, "--port must be a whole number up to 65535");
    return CLI_USAGE;
  }
  int code = cli_results_open(&r, args, args->npositional);
  if (code == CLI_DONE) {
    hk_status status = hk_report_make(r.ctx, r.list, r.n, &opt, &html, &len);
    code = status == HK_OK ? serve(args, &r, html, len, (int)port) : cli_exit_code(status);
    hk_report_free(r.ctx, html);
  }
  cli_results_close(&r);
  return code;
}
