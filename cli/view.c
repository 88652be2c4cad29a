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
#include <time.h>

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

/* --- a run that goes on ---------------------------------------------------------------------------- */

enum { LIVE_ROWS = 2000, LIVE_FRAMES = 500 };

static void put_floats(FILE *out, const float *x, size_t n) {
  fputc('[', out);
  for (size_t i = 0; i < n; i++) {
    if (i) fputc(',', out);
    cli_json_number(out, (double)x[i]);
  }
  fputc(']', out);
}

/* rows from `first` on, all channels: "t": [..], "x": [[..], ..] */
static bool put_rows(FILE *out, hk_result *r, int64_t first, int32_t n) {
  static double x[LIVE_ROWS];
  bool ok = true;
  for (int32_t c = -1; ok && c < hk_result_channel_count(r); c++) {
    ok = n == 0 || hk_result_read(r, c, first, n, x) == HK_OK;
    fputs(c < 0 ? "\"t\":" : c ? "," : ",\"x\":[", out);
    put_numbers(out, x, n);
  }
  if (hk_result_channel_count(r) == 0) fputs(",\"x\":[", out);
  fputc(']', out);
  return ok;
}

/* frames from `first` on: "frames": {"time": [..], "pose": [..], "load": [..]} */
static bool put_frames(FILE *out, hk_result *r, int64_t first, int32_t n) {
  static double t[LIVE_FRAMES];
  const size_t np = 7 * (size_t)hk_result_body_count(r), nl = 3 * (size_t)hk_result_load_count(r);
  float *pose = calloc((size_t)n * np + 1, sizeof *pose),
        *load = calloc((size_t)n * nl + 1, sizeof *load);
  bool ok = pose && load && (n == 0 || hk_result_read_frames(r, first, n, t, pose, load) == HK_OK);
  if (ok) {
    fputs(",\"frames\":{\"time\":", out);
    put_numbers(out, t, n);
    fputs(",\"pose\":", out);
    put_floats(out, pose, (size_t)n * np);
    fputs(",\"load\":", out);
    put_floats(out, load, (size_t)n * nl);
    fputc('}', out);
  }
  free(pose);
  free(load);
  return ok;
}

static int32_t at_most(int64_t n, int32_t most) { return n < 0 ? 0 : n < most ? (int32_t)n : most; }

/* rows=120&frames=30: what has come since, and whether there will be more */
static bool since(const char *query, cli_answer *a, void *user) {
  hk_follow *f = user;
  hk_result *r = hk_follow_result(f);
  long long rows = 0, frames = 0;
  int32_t ended = 0, used = 0;
  if (sscanf(query, "rows=%lld&frames=%lld%n", &rows, &frames, &used) != 2 || query[used] ||
      rows < 0 || frames < 0)
    return false;
  if (hk_follow_more(f, &ended) != HK_OK) return false;
  FILE *out = open_memstream(&a->body, &a->len);
  if (!out) return false;
  const int32_t n = at_most(hk_result_rows(r) - rows, LIVE_ROWS);
  const int32_t m = at_most(hk_result_frames(r) - frames, LIVE_FRAMES);
  fputc('{', out);
  bool ok = put_rows(out, r, rows, n) && put_frames(out, r, frames, m);
  const bool all = rows + n >= hk_result_rows(r) && frames + m >= hk_result_frames(r);
  fprintf(out, ",\"ended\":%s,\"status\":\"%.20s\"}", ended && all ? "true" : "false",
          hk_result_text(r, "status"));
  a->type = "application/json";
  return fclose(out) == 0 && ok && a->body;
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

static int serve(const cli_args *args, cli_server *of, int port) {
  cli_server server = *of;
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

/* waits for the file of a run that has just begun */
static hk_status follow(hk_ctx *ctx, cli_messages *messages, const char *path, hk_follow **out) {
  const struct timespec nap = {.tv_nsec = 50000000};
  FILE *f = NULL;
  for (int i = 0; i < 100 && !(f = fopen(path, "rb")); i++) nanosleep(&nap, NULL);
  if (f) fclose(f);
  hk_ctx_on_message(ctx, cli_on_message, messages);
  return hk_follow_open(ctx, path, out);
}

static int view_live(const cli_args *args, int port) {
  cli_messages messages = {.quiet = cli_has(args, CLI_QUIET)};
  hk_report_options opt = hk_report_options_def();
  hk_follow *f = NULL;
  char *html = NULL;
  size_t len = 0;
  if (args->npositional != 1) {
    cli_error(NULL, "--live follows one file");
    return CLI_USAGE;
  }
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return cli_no_memory();
  opt.served = opt.live = 1;
  opt.megabytes = 500; // nothing is thinned out: rows are counted
  hk_status status = follow(ctx, &messages, args->positional[0], &f);
  hk_result *r = hk_follow_result(f);
  if (status == HK_OK) status = hk_report_make(ctx, &r, 1, &opt, &html, &len);
  cli_server server = {.page = html, .page_len = len, .detail = since, .user = f};
  const int code = status == HK_OK ? serve(args, &server, port) : cli_exit_code(status);
  hk_report_free(ctx, html);
  hk_follow_close(f);
  hk_ctx_destroy(ctx);
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
  if (cli_has(args, CLI_VIEW_LIVE)) return view_live(args, (int)port);
  int code = cli_results_open(&r, args, args->npositional);
  if (code == CLI_DONE) {
    hk_status status = hk_report_make(r.ctx, r.list, r.n, &opt, &html, &len);
    cli_server server = {.page = html, .page_len = len, .detail = detail, .user = &r};
    code = status == HK_OK ? serve(args, &server, (int)port) : cli_exit_code(status);
    hk_report_free(r.ctx, html);
  }
  cli_results_close(&r);
  return code;
}
