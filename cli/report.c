/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c: `hooke report RESULT...`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

/* the name of the first result with .html instead of its extension; free() it */
static char *default_name(const char *result) {
  size_t n = strlen(result);
  const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
  if (dot && dot != result && (!slash || dot > slash + 1)) n = (size_t)(dot - result);
  char *name = malloc(n + 6);
  if (!name) return NULL;
  memcpy(name, result, n);
  memcpy(name + n, ".html", 6);
  return name;
}

/* true when the report would overwrite one of its results */
static bool is_source(const cli_args *args, const char *name) {
  struct stat a, b;
  if (stat(name, &a) != 0) return false;
  for (int i = 0; i < args->npositional; i++) {
    if (stat(args->positional[i], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
      return true;
    }
  }
  return false;
}

static int write_report(const cli_args *args, const char *name) {
  cli_results r;
  struct stat st;
  hk_report_options opt = hk_report_options_def();
  double megabytes = opt.megabytes;
  if (!cli_positive(args, CLI_MEGABYTES, &megabytes)) return CLI_USAGE;
  opt.megabytes = megabytes > 1000 ? 1000 : megabytes < 1 ? 1 : (int)megabytes;
  int code = cli_results_open(&r, args, args->npositional);
  if (code == CLI_DONE) {
    hk_status status = hk_report_write(r.ctx, r.list, r.n, name, &opt);
    code = cli_exit_code(status);
    if (status == HK_OK && !cli_has(args, CLI_QUIET)) {
      printf("%s", name);
      if (stat(name, &st) == 0) printf("  (%.1f MB)", (double)st.st_size / 1e6);
      putchar('\n');
    }
  }
  cli_results_close(&r);
  return code;
}

int cli_report(const cli_args *args) {
  const char *given = cli_value(args, CLI_OUTPUT);
  char *own = given ? NULL : default_name(args->positional[0]);
  const char *name = given ? given : own;
  int code = name ? CLI_DONE : cli_no_memory();
  if (name && is_source(args, name)) {
    cli_error("give another name with --output", "the report '%s' is a result itself", name);
    code = CLI_USAGE;
  } else if (name && !cli_file_of("report", name, ".html", ".htm")) {
    code = CLI_USAGE;
  } else if (name) {
    code = write_report(args, name);
  }
  free(own);
  return code;
}
