/* SPDX-License-Identifier: Apache-2.0
 *
 * compiler.c: looks for a C compiler, and runs programs without a shell. A program runs in a process group of its own; its output is
 * read while it runs, and when it has ended or its time is over the whole group is killed, so that nothing of it stays behind.
 */
#define _GNU_SOURCE 1
#include "native/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* --- processes -------------------------------------------------------------------------------- */

/* one that was started: its output is read from `fd` */
typedef struct child {
  pid_t pid;
  int fd;
  size_t len; /* bytes kept so far */
} child;

/* standard output and error of the program go to `to`; it takes no input and blocks no signals */
static int start(const hk_process *p, int to, pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none;
  sigemptyset(&none);
  int err = posix_spawn_file_actions_init(&files);
  if (err) return err;
  err = posix_spawnattr_init(&attr);
  if (err) return posix_spawn_file_actions_destroy(&files), err;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, to, 1);
  posix_spawn_file_actions_adddup2(&files, to, 2);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attr, 0);
  posix_spawnattr_setsigmask(&attr, &none);
  err = posix_spawn(pid, p->path, &files, &attr, (char *const *)p->argv, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return err;
}

/* reads what is there; false: there will be no more */
static bool listen_to(hk_process *p, child *c) {
  char rest[4096];
  const size_t room = p->cap - 1 - c->len;
  char *to = room ? p->said + c->len : rest;
  const ssize_t n = read(c->fd, to, room ? room : sizeof rest);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (room) c->len += (size_t)n;
  p->said[c->len] = '\0';
  return n > 0;
}

/* has it ended? It stays known, so that its group can still be named. */
static bool ended(const child *c) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != EINTR;
  return info.si_pid == c->pid;
}

static bool has_grown(const hk_process *p) {
  struct stat info;
  return p->watched && stat(p->watched, &info) == 0 && (uint64_t)info.st_size > p->most;
}

/* why it must end now; NULL: it need not */
static const char *must_end(hk_ctx *ctx, const hk_process *p, double since) {
  if (hki_stopped(ctx)) return "it was stopped";
  if (hki_wall_seconds() - since > p->limit) return "it did not end in time";
  return has_grown(p) ? "what it writes grows without end" : NULL;
}

/* waits for its end; why it had to be ended before, or NULL */
static const char *attend(hk_ctx *ctx, hk_process *p, child *c) {
  const double since = hki_wall_seconds();
  const char *why = NULL;
  bool open = true;
  while (!ended(c) && !(why = must_end(ctx, p, since))) {
    struct pollfd one = {.fd = open ? c->fd : -1, .events = POLLIN};
    // what has closed its output may go on: then only the time passes here
    if (poll(&one, 1, open ? 20 : 2) > 0) open = listen_to(p, c);
  }
  p->seconds = hki_wall_seconds() - since;
  return why;
}

/* the whole group ends; the status of its first process, -1: unknown */
static int bury(child *c) {
  int status = -1;
  kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &status, 0) < 0)
    if (errno != EINTR) return -1; // someone else has taken it: what it made will tell
  return status;
}

bool hki_process_run(hk_ctx *ctx, hk_process *p, char *why, size_t cap) {
  int pipes[2];
  child c = {0};
  p->said[0] = '\0', p->seconds = 0.0;
  if (pipe2(pipes, O_CLOEXEC) != 0) {
    snprintf(why, cap, "'%s' cannot be run: %s", p->path, strerror(errno));
    return false;
  }
  const int err = start(p, pipes[1], &c.pid);
  close(pipes[1]);
  if (err) {
    close(pipes[0]);
    snprintf(why, cap, "'%s' cannot be run: %s", p->path, strerror(err));
    return false;
  }
  c.fd = pipes[0];
  fcntl(c.fd, F_SETFL, O_NONBLOCK);
  const char *early = attend(ctx, p, &c);
  const int status = bury(&c);
  // what is still in the pipe
  for (int i = 0; i < 64 && listen_to(p, &c); i++) continue;
  close(c.fd);
  if (early)
    snprintf(why, cap, "'%s' was ended after %.3g s: %s", p->path, p->seconds, early);
  else if (status >= 0 && WIFSIGNALED(status))
    snprintf(why, cap, "'%s' was ended by signal %d", p->path, WTERMSIG(status));
  else if (status > 0)
    snprintf(why, cap, "'%s' failed with code %d", p->path, WEXITSTATUS(status));
  else
    return true;
  return false;
}

/* --- the compiler ----------------------------------------------------------------------------- */

/* a program of this name in the folders of PATH, or the path itself where it has a slash */
static bool find_program(const char *name, char *path, size_t cap) {
  if (strchr(name, '/')) {
    const int n = snprintf(path, cap, "%s", name);
    return n > 0 && (size_t)n < cap && access(path, X_OK) == 0;
  }
  const char *at = getenv("PATH");
  while (at && *at) {
    const size_t n = strcspn(at, ":");
    struct stat info;
    const int len = snprintf(path, cap, "%.*s/%s", (int)n, at, name);
    // a relative folder would be another one elsewhere
    if (n && at[0] == '/' && len > 0 && (size_t)len < cap && access(path, X_OK) == 0 &&
        stat(path, &info) == 0 && S_ISREG(info.st_mode))
      return true;
    at += n + (at[n] == ':');
  }
  return false;
}

/* a command of a few words that blanks part; nothing else has a meaning in it */
static bool read_command(hk_compiler *c, const char *text) {
  const int n = snprintf(c->text, sizeof c->text, "%s", text);
  c->n = 0;
  if (n <= 0 || (size_t)n >= sizeof c->text) return false;
  for (char *at = c->text; *at;) {
    while (*at == ' ' || *at == '\t') *at++ = '\0';
    if (!*at) break;
    if (c->n == HK_COMPILER_WORDS) return false;
    c->word[c->n++] = at;
    at += strcspn(at, " \t");
  }
  return c->n > 0;
}

static bool take(hk_compiler *c, const char *text) {
  return read_command(c, text) && find_program(c->word[0], c->path, sizeof c->path);
}

/* The first line that it says about itself; nothing where it does not. false: it does not end, and so it compiles nothing. */
static bool ask_version(hk_ctx *ctx, hk_compiler *c, double limit, char *why, size_t cap) {
  static const double least = 1.0, most = 10.0; // s
  const char *argv[HK_COMPILER_WORDS + 2] = {NULL};
  char said[2000], reason[HK_PATH + 100];
  for (int32_t i = 0; i < c->n; i++) argv[i] = c->word[i];
  argv[c->n] = "--version";
  hk_process p = {.path = c->path,
                  .argv = argv,
                  .limit = limit < least  ? least
                           : limit < most ? limit
                                          : most,
                  .said = said,
                  .cap = sizeof said};
  const bool good = hki_process_run(ctx, &p, reason, sizeof reason);
  said[strcspn(said, "\r\n")] = '\0';
  snprintf(c->version, sizeof c->version, "%.150s", said[0] ? said : c->word[0]);
  if (good || p.seconds <= p.limit) return true;
  snprintf(why, cap, "%s", reason);
  return false;
}

bool hki_compiler_find(hk_ctx *ctx, hk_compiler *c, double limit, char *why, size_t cap) {
  static const char *const names[] = {"cc", "gcc", "clang", "tcc"};
  const char *own = getenv("HOOKE_CC"), *usual = getenv("CC");
  *c = (hk_compiler){0};
  bool found = false;
  if (own && *own) {
    found = take(c, own);
    if (!found) snprintf(why, cap, "the compiler '%.300s' that HOOKE_CC names is not there", own);
  } else {
    found = usual && *usual && take(c, usual);
    for (int32_t i = 0; i < HK_ARRAY_LEN(names) && !found; i++) found = take(c, names[i]);
    if (!found)
      snprintf(why, cap,
               "no C compiler was found: cc, gcc, clang, tcc; HOOKE_CC names another one");
  }
  return found && ask_version(ctx, c, limit, why, cap);
}
