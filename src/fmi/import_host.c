/* SPDX-License-Identifier: Apache-2.0
 *
 * import_host.c: the process in which an FMU of others runs. It is forked from the program, loads the
 * library, and answers calls over a socket until that is closed. Each call has a longest time; a process
 * that does not answer in time is killed, one that dies is told of by its signal.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fmi/import.h"
#include "fmu/fmi.h"

typedef struct question {
  int32_t what;
  double t, dt;
} question;

typedef struct answer {
  int32_t good;
  char words[400];
} answer;

/* beyond what the program has when the unit is started; a unit that wants more gets no memory */
static const double unit_memory = 4294967296.0;

/* --- bytes over the socket -------------------------------------------------------------------- */

static bool put(int fd, const void *data, size_t n) {
  for (const char *at = data; n;) {
    const ssize_t some = send(fd, at, n, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    at += some, n -= (size_t)some;
  }
  return true;
}

static double now(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* 1: done; 0: the other side has ended; -1: not in time. until: INFINITY waits for ever */
static int get(int fd, void *data, size_t n, double until) {
  for (char *at = data; n;) {
    if (isfinite(until)) {
      struct pollfd p = {.fd = fd, .events = POLLIN};
      const double left = until - now();
      const int ready = poll(&p, 1, left > 0.0 ? (int)(1e3 * left) + 1 : 0);
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0 && now() >= until) return -1;
      if (ready <= 0) continue;
    }
    const ssize_t some = recv(fd, at, n, 0);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return 0;
    at += some, n -= (size_t)some;
  }
  return 1;
}

/* --- the FMU's side --------------------------------------------------------------------------- */

/* functions of both versions that are called alike but for their names */
typedef hk_fmi_status simple(void *c);
typedef hk_fmi_status with_state(void *c, void **state);
typedef hk_fmi_status put_state(void *c, void *state);
typedef hk_fmi_status numbers2(void *c, const uint32_t *refs, size_t n, double *values);
typedef hk_fmi_status numbers3(void *c, const uint32_t *refs, size_t n, double *values, size_t nv);

typedef struct guest {
  const hk_host_job *job;
  void *library, *c, *state;
  bool running;
  answer a;
  hk_fmi2_callbacks callbacks;
  bool failed;
} guest;

static char last_words[300]; /* what the FMU has logged last; of this process alone */

static void say2(void *environment, const char *instance, hk_fmi_status status,
                 const char *category, const char *message, ...) {
  va_list args;
  (void)environment, (void)instance, (void)category;
  if (status < HK_FMI_DISCARD || !message) return;
  va_start(args, message);
  vsnprintf(last_words, sizeof last_words, message, args);
  va_end(args);
}

static void say3(void *environment, hk_fmi_status status, const char *category,
                 const char *message) {
  (void)environment, (void)category;
  if (status >= HK_FMI_DISCARD && message) snprintf(last_words, sizeof last_words, "%s", message);
}

/* a function by its name without fmi2 or fmi3; a missing one ends the call */
static bool find(guest *g, const char *name, void *to) {
  char whole[80];
  snprintf(whole, sizeof whole, "fmi%d%s", (int)g->job->version, name);
  void *symbol = dlsym(g->library, whole);
  memcpy(to, &symbol, sizeof symbol);
  if (symbol) return true;
  snprintf(g->a.words, sizeof g->a.words, "it has no function %s", whole);
  return false;
}

static bool good(guest *g, const char *name, hk_fmi_status st) {
  static const char *const names[] = {"OK", "Warning", "Discard", "Error", "Fatal", "Pending"};
  const char *what = (unsigned)st < 6 ? names[st] : "no status that is known";
  if (st == HK_FMI_OK || st == HK_FMI_WARNING) return true;
  snprintf(g->a.words, sizeof g->a.words, "fmi%d%s returned %d (%s)%s%.270s", (int)g->job->version,
           name, (int)st, what, last_words[0] ? ": " : "", last_words);
  return false;
}

static bool call(guest *g, const char *name) {
  simple *f;
  return find(g, name, &f) && good(g, name, f(g->c));
}

static bool numbers(guest *g, bool set, int32_t n, const uint32_t *refs, double *values) {
  const char *name =
      g->job->version == 2 ? (set ? "SetReal" : "GetReal") : (set ? "SetFloat64" : "GetFloat64");
  numbers2 *f2;
  numbers3 *f3;
  if (n == 0) return true;
  if (g->job->version == 2)
    return find(g, name, &f2) && good(g, name, f2(g->c, refs, (size_t)n, values));
  return find(g, name, &f3) && good(g, name, f3(g->c, refs, (size_t)n, values, (size_t)n));
}

static bool open_library(guest *g) {
  g->library = dlopen(g->job->library, RTLD_NOW | RTLD_LOCAL);
  if (g->library) return true;
  const char *why = dlerror();
  snprintf(g->a.words, sizeof g->a.words, "it cannot be loaded: %.350s",
           why ? why : "no reason given");
  return false;
}

static bool instantiate2(guest *g) {
  void *(*f)(const char *, int, const char *, const char *, const hk_fmi2_callbacks *, int, int);
  char address[2400];
  if (!find(g, "Instantiate", &f)) return false;
  snprintf(address, sizeof address, "file://%s", g->job->resources);
  g->callbacks = (hk_fmi2_callbacks){.logger = say2, .allocate = calloc, .release = free};
  g->c = f(g->job->name, HK_FMI2_CO_SIMULATION, g->job->token, address, &g->callbacks, 0, 0);
  return true;
}

static bool instantiate3(guest *g) {
  void *(*f)(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *,
             size_t, void *, hk_fmi3_log *, hk_fmi3_intermediate *);
  char folder[2400];
  if (!find(g, "InstantiateCoSimulation", &f)) return false;
  snprintf(folder, sizeof folder, "%s/", g->job->resources);
  g->c =
      f(g->job->name, g->job->token, folder, false, false, false, false, NULL, 0, NULL, say3, NULL);
  return true;
}

static bool begin(guest *g) {
  if (!open_library(g) || !(g->job->version == 2 ? instantiate2(g) : instantiate3(g))) return false;
  if (g->c) return true;
  snprintf(g->a.words, sizeof g->a.words, "it cannot be instantiated%s%.300s",
           last_words[0] ? ": " : "", last_words);
  return false;
}

/* parameters and inputs count from the initialization on */
static bool initialize(guest *g, double t, double *y) {
  hk_fmi_status (*setup)(void *, int, double, double, int, double);
  hk_fmi_status (*enter)(void *, bool, double, double, bool, double);
  const hk_host_job *j = g->job;
  double *value = (double *)(uintptr_t)j->value;
  if (!numbers(g, true, j->npar, j->par, value)) return false;
  if (j->version == 2) {
    if (!find(g, "SetupExperiment", &setup) ||
        !good(g, "SetupExperiment", setup(g->c, 0, 0.0, t, 0, 0.0)) ||
        !call(g, "EnterInitializationMode"))
      return false;
  } else if (!find(g, "EnterInitializationMode", &enter) ||
             !good(g, "EnterInitializationMode", enter(g->c, false, 0.0, t, false, 0.0))) {
    return false;
  }
  g->running = numbers(g, true, j->nin, j->in, y) && call(g, "ExitInitializationMode");
  return g->running;
}

static bool do_step(guest *g, double t, double dt) {
  hk_fmi_status (*f2)(void *, double, double, int);
  hk_fmi_status (*f3)(void *, double, double, bool, bool *, bool *, bool *, double *);
  if (g->job->version == 2) return find(g, "DoStep", &f2) && good(g, "DoStep", f2(g->c, t, dt, 0));
  bool event = false, end = false, early = false;
  double last = t + dt;
  if (!find(g, "DoStep", &f3) ||
      !good(g, "DoStep", f3(g->c, t, dt, false, &event, &end, &early, &last)))
    return false;
  if (!end && !(early && last < t + dt)) return true;
  snprintf(g->a.words, sizeof g->a.words, "it wants to end at t = %.9g s", last);
  return false;
}

static bool answer_one(guest *g, const question *q, double *y, double *u) {
  const hk_host_job *j = g->job;
  const char *save = j->version == 2 ? "GetFMUstate" : "GetFMUState",
             *back = j->version == 2 ? "SetFMUstate" : "SetFMUState";
  with_state *get_state;
  put_state *set_state;
  if (q->what == HK_HOST_SAVE)
    return find(g, save, &get_state) && good(g, save, get_state(g->c, &g->state));
  if (q->what == HK_HOST_BACK)
    return !g->state || (find(g, back, &set_state) && good(g, back, set_state(g->c, g->state)));
  if (!g->running && !initialize(g, q->t, y)) return false;
  if (!numbers(g, true, j->nin, j->in, y)) return false;
  if (q->what == HK_HOST_STEP && !do_step(g, q->t, q->dt)) return false;
  return numbers(g, false, j->nout, j->out, u);
}

/* what a unit does when its run is over; whether it succeeds is of no matter any more */
static void leave(guest *g) {
  with_state *drop;
  void (*release)(void *);
  if (g->running) (void)call(g, "Terminate");
  if (g->state && find(g, g->job->version == 2 ? "FreeFMUstate" : "FreeFMUState", &drop))
    (void)drop(g->c, &g->state);
  if (g->c && find(g, "FreeInstance", &release)) release(g->c);
}

/* A simulation that is killed cannot end a unit that hangs: a call has a longest time here too. */
static void serve(int fd, const hk_host_job *job, double timeout) {
  guest g = {.job = job};
  question q;
  double *y = calloc((size_t)(job->nin + job->nout) + 2, sizeof *y), *u = y + job->nin + 1;
  if (!y) return;
  const unsigned most = timeout < 1e6 ? (unsigned)timeout + 5 : 0;
  (void)alarm(most);
  g.a.good = begin(&g);
  (void)alarm(0);
  if (!put(fd, &g.a, sizeof g.a) || !g.a.good) return;
  while (get(fd, &q, sizeof q, INFINITY) == 1 &&
         get(fd, y, (size_t)job->nin * sizeof *y, INFINITY) == 1) {
    last_words[0] = g.a.words[0] = '\0';
    (void)alarm(most);
    g.a.good = answer_one(&g, &q, y, u);
    (void)alarm(0);
    if (!put(fd, &g.a, sizeof g.a) || !put(fd, u, (size_t)job->nout * sizeof *u)) break;
  }
  (void)alarm(most);
  leave(&g);
}

/* handlers of the program are not for a unit that calls exit */
static void end_at_once(void) { _exit(0); }

/* closes the files of the program, which a unit has no business with */
static void close_others(int own) {
  DIR *d = opendir("/proc/self/fd");
  if (!d) return;
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    const int fd = atoi(e->d_name);
    if (fd > STDERR_FILENO && fd != own && fd != dirfd(d)) close(fd);
  }
  closedir(d);
}

static void limit_memory(void) {
  double pages = 0.0;
  FILE *f = fopen("/proc/self/statm", "r");
  const bool known = f && fscanf(f, "%lf", &pages) == 1;
  if (f) fclose(f);
  if (!known) return;
  const double bytes = pages * (double)sysconf(_SC_PAGESIZE) + unit_memory;
  struct rlimit most;
  if (getrlimit(RLIMIT_AS, &most) != 0) return;
  if (most.rlim_cur == RLIM_INFINITY || (double)most.rlim_cur > bytes)
    most.rlim_cur = (rlim_t)bytes;
  (void)setrlimit(RLIMIT_AS, &most);
}

/* the process of the unit, from its birth on */
static void live(int fd, const hk_host_job *job, double timeout) {
  const struct rlimit none = {0, 0};
  (void)setpgid(0, 0); // a unit that is killed takes along what it has started
  (void)atexit(end_at_once);
  close_others(fd);
  (void)setrlimit(RLIMIT_CORE, &none);
  limit_memory();
  (void)signal(SIGINT, SIG_IGN); // the simulation hears it and ends the process
  // faults of the unit end the process at once: handlers of the program are not for them
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) (void)signal(faults[i], SIG_DFL);
  (void)dup2(STDERR_FILENO, STDOUT_FILENO);
  serve(fd, job, timeout);
  _exit(0);
}

/* --- the simulation's side ---------------------------------------------------------------------- */

/* ends the process; why it has died, in words */
static void bury(hk_host *h, bool kill_it) {
  int status = 0;
  if (h->fd >= 0) close(h->fd);
  h->fd = -1;
  if (h->pid <= 0) return;
  if (kill_it && kill(-(pid_t)h->pid, SIGKILL) != 0) kill((pid_t)h->pid, SIGKILL);
  // one that does not end by itself within a second is ended
  for (int i = 0; i < 100 && waitpid((pid_t)h->pid, &status, WNOHANG) == 0; i++) {
    if (i == 99) {
      kill((pid_t)h->pid, SIGKILL);
      waitpid((pid_t)h->pid, &status, 0);
      break;
    }
    const struct timespec pause = {0, 10000000};
    nanosleep(&pause, NULL);
  }
  h->pid = 0;
  if (h->words[0]) return;
  if (WIFSIGNALED(status))
    snprintf(h->words, sizeof h->words, "its process was ended by signal %d (%s)", WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else
    snprintf(h->words, sizeof h->words, "its process has ended by itself");
}

static hk_status receive(hk_host *h, double *u, size_t n) {
  answer a;
  const double until = now() + h->timeout;
  int st = get(h->fd, &a, sizeof a, until);
  if (st == 1 && n) st = get(h->fd, u, n * sizeof *u, until);
  if (st < 0) snprintf(h->words, sizeof h->words, "it has not answered for %.3g s", h->timeout);
  if (st != 1) {
    bury(h, st < 0);
    return HK_E_FILE;
  }
  a.words[sizeof a.words - 1] = '\0';
  if (!a.good) snprintf(h->words, sizeof h->words, "%s", a.words);
  return a.good ? HK_OK : HK_E_FILE;
}

hk_status hki_host_start(hk_host *h, const hk_host_job *job, double timeout) {
  int ends[2];
  *h = (hk_host){.fd = -1, .timeout = timeout};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    snprintf(h->words, sizeof h->words, "no socket: %s", strerror(errno));
    return HK_E_FILE;
  }
  // a unit that does not read is not waited for either
  const struct timeval most = {(time_t)timeout + 1, 0};
  (void)setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  (void)fflush(NULL); // what the program has not written yet is not for the unit to write
  const pid_t pid = fork();
  if (pid == 0) live(ends[1], job, timeout);
  close(ends[1]);
  h->fd = ends[0], h->pid = pid;
  if (pid < 0) {
    snprintf(h->words, sizeof h->words, "no process: %s", strerror(errno));
    close(h->fd), h->fd = -1;
    return HK_E_FILE;
  }
  hk_status st = receive(h, NULL, 0);
  if (st != HK_OK) bury(h, true);
  return st;
}

hk_status hki_host_call(hk_host *h, const hk_host_job *job, int32_t what, double t, double dt,
                        const double *y, double *u) {
  const question q = {what, t, dt};
  if (h->fd < 0) return HK_E_FILE;
  h->words[0] = '\0';
  if (!put(h->fd, &q, sizeof q) || !put(h->fd, y, (size_t)job->nin * sizeof *y)) {
    const bool stuck = errno == EAGAIN || errno == EWOULDBLOCK;
    if (stuck) snprintf(h->words, sizeof h->words, "it has not read for %.3g s", h->timeout);
    bury(h, stuck);
    return HK_E_FILE;
  }
  return receive(h, u, (size_t)job->nout);
}

void hki_host_end(hk_host *h) {
  snprintf(h->words, sizeof h->words, "ended");
  bury(h, false);
}
