/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: the progress bar of a long run, and Ctrl-C.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 24 };

/* --- the bar ---------------------------------------------------------------------------------- */

/* what the main thread and the ticker share; `lock` guards it and the terminal */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t end;
  pthread_t ticker;
  bool on_screen;    /* a bar stands on the terminal's last line */
  bool ticks;        /* the ticker runs */
  const hk_ctx *ctx; /* whose phase is shown */
  double drawn;      /* wall seconds of the last line that the work itself has drawn */
  double part;       /* and what it said */
  char words[224];
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int columns(void) {
  struct winsize size;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void cli_progress_wipe(void) {
  pthread_mutex_lock(&shared.lock);
  if (shared.on_screen) fputs("\r\033[K", stderr);
  shared.on_screen = false;
  pthread_mutex_unlock(&shared.lock);
}

/* remaining time as text: 75 s -> 1:15 */
static void put_left(char *buf, size_t cap, double seconds) {
  if (!(seconds >= 0) || seconds > 360000) {
    snprintf(buf, cap, "-:--");
  } else if (seconds >= 3600) {
    snprintf(buf, cap, "%d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60) % 60,
             (int)seconds % 60);
  } else {
    snprintf(buf, cap, "%d:%02d", (int)(seconds / 60), (int)seconds % 60);
  }
}

/* draws the line; the lock is held */
static void draw(double part, const char *words) {
  char bar[BAR + 1], line[256];
  int used = snprintf(line, sizeof line, "%3d %%  %s", (int)(100 * part), words);
  // the bar fills the rest of the line
  int width = columns() - 1, room = width - used - 3;
  int length = room > BAR ? BAR : room < 0 ? 0 : room;
  for (int i = 0; i < length; i++) bar[i] = i < (int)(part * length) ? '#' : '.';
  bar[length] = '\0';
  fprintf(stderr, length ? "\r[%s] %.*s\033[K" : "\r%s%.*s\033[K", bar, width, line);
  fflush(stderr);
  shared.on_screen = true;
}

void cli_progress_line(cli_progress *state, double part, const char *words) {
  // no bar in the first second
  if (!state->on || now() - state->begin < 1.0) return;
  if (!(part >= 0)) part = 0;
  if (part > 1) part = 1;
  pthread_mutex_lock(&shared.lock);
  shared.drawn = now();
  shared.part = part;
  snprintf(shared.words, sizeof shared.words, "%s", words);
  draw(part, words);
  state->shown = true;
  pthread_mutex_unlock(&shared.lock);
}

/* Draws while the work is silent for more than a second, in a long start or a long step: what goes
 * on, and for how long. */
static void *tick(void *unused) {
  pthread_mutex_lock(&shared.lock);
  while (shared.ticks) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 250000000;
    if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
    pthread_cond_timedwait(&shared.end, &shared.lock, &until);
    const double silent = now() - shared.drawn;
    if (!shared.ticks || silent < 1.0) continue;
    char words[300];
    const char *phase = hk_ctx_phase(shared.ctx);
    if (*shared.words)
      snprintf(words, sizeof words, "%s  this one for %.0f s", shared.words, silent);
    else
      snprintf(words, sizeof words, "%s, %.0f s", *phase ? phase : "working", silent);
    draw(shared.part, words);
  }
  pthread_mutex_unlock(&shared.lock);
  return unused;
}

void cli_progress_begin(cli_progress *p, const hk_ctx *ctx, bool wanted) {
  const char *term = getenv("TERM");
  *p = (cli_progress){.begin = now()};
  p->on = wanted && isatty(STDERR_FILENO) == 1 && !(term && strcmp(term, "dumb") == 0);
  if (!p->on || !ctx) return;
  shared.ctx = ctx, shared.drawn = p->begin, shared.part = 0.0, shared.words[0] = '\0';
  shared.ticks = true;
  // without a thread only the work itself draws
  if (pthread_create(&shared.ticker, NULL, tick, NULL) != 0) shared.ticks = false;
}

void cli_progress_show(const hk_progress *p, void *user) {
  char left[32], words[224];
  put_left(left, sizeof left, p->left_s);
  snprintf(words, sizeof words, "%lld steps  t %.4g/%.4g s  %.3gx real time  %s left",
           (long long)p->steps, p->time_s, p->end_s, p->real_time_factor, left);
  cli_progress_line(user, p->end_s > 0 ? p->time_s / p->end_s : 0, words);
}

void cli_progress_end(cli_progress *p) {
  if (p->on && shared.ticks) {
    pthread_mutex_lock(&shared.lock);
    shared.ticks = false;
    pthread_cond_signal(&shared.end);
    pthread_mutex_unlock(&shared.lock);
    pthread_join(shared.ticker, NULL);
  }
  cli_progress_wipe();
  p->on = false;
}

/* --- Ctrl-C ----------------------------------------------------------------------------------- */

static volatile int interrupted;

static void on_signal(int number) {
  (void)number;
  interrupted = 1;
}

const volatile int *cli_catch_interrupts(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  // SA_RESETHAND: the second signal has the default action, which kills
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
