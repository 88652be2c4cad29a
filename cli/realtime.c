/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.c: `hooke realtime MODEL`: the options of the schedule. The run itself is that of run.c.
 */
#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct word {
  const char *name;
  int value;
} word;

static const word paces[] = {
    {"clock", HK_PACE_CLOCK}, {"fast", HK_PACE_FAST}, {"io", HK_PACE_IO}, {NULL, 0}};
static const word overruns[] = {{"slip", HK_OVERRUN_SLIP},
                                {"skip", HK_OVERRUN_SKIP},
                                {"catch-up", HK_OVERRUN_CATCH_UP},
                                {"stop", HK_OVERRUN_STOP},
                                {NULL, 0}};
static const word policies[] = {{"fifo", HK_SCHEDULE_FIFO},
                                {"deadline", HK_SCHEDULE_DEADLINE},
                                {"other", HK_SCHEDULE_OTHER},
                                {NULL, 0}};

/* one of the words; *out stays as it is when the option is missing; false after a message */
static bool read_word(const cli_args *args, cli_id id, const word *words, int32_t *out) {
  const char *text = cli_value(args, id);
  cli_nearest near = {.word = text};
  char hint[128];
  if (!text) return true;
  for (const word *w = words; w->name; w++) {
    if (strcmp(w->name, text) == 0) {
      *out = w->value;
      return true;
    }
    cli_nearest_try(&near, w->name);
  }
  cli_error(cli_did_you_mean(&near, NULL, hint, sizeof hint), "--%s knows %s, but not '%s'",
            cli_option_find(id)->name, cli_option_find(id)->arg, text);
  return false;
}

/* a whole number between two; the same */
static bool read_whole(const cli_args *args, cli_id id, double low, double high, int32_t *out) {
  double x = *out;
  if (!cli_number(args, id, &x)) return false;
  if (!cli_has(args, id)) return true;
  if (x < low || x > high || x != floor(x)) {
    cli_error(NULL, "--%s must be a whole number from %.0f to %.0f, but it is '%s'",
              cli_option_find(id)->name, low, high, cli_value(args, id));
    return false;
  }
  *out = (int32_t)x;
  return true;
}

static bool read_iterations(const cli_args *args, int32_t *out) {
  const char *text = cli_value(args, CLI_RT_ITERATIONS);
  if (text && strcmp(text, "converge") == 0) {
    *out = -1;
    return true;
  }
  return read_whole(args, CLI_RT_ITERATIONS, 1, 1000, out);
}

int cli_realtime(const cli_args *args) {
  hk_realtime_options opt = hk_realtime_options_def();
  opt.schedule = HK_SCHEDULE_FIFO;
  opt.unlocked = cli_has(args, CLI_RT_UNLOCKED);
  if (!cli_positive(args, CLI_RT_PERIOD, &opt.period) || !read_iterations(args, &opt.iterations) ||
      !read_word(args, CLI_RT_PACE, paces, &opt.pace) ||
      !read_word(args, CLI_RT_OVERRUN, overruns, &opt.overrun) ||
      !read_word(args, CLI_RT_POLICY, policies, &opt.schedule) ||
      !read_whole(args, CLI_RT_PRIORITY, 1, 99, &opt.priority) ||
      !read_whole(args, CLI_RT_CPU, 0, 4095, &opt.cpu))
    return CLI_USAGE;
  return cli_run_timed(args, &opt);
}
