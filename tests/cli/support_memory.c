/* SPDX-License-Identifier: Apache-2.0
 *
 * support_memory.c: a library to be preloaded (memory.py): runs the command again and again, with
 * allocation n = FROM, FROM + STEP ... failing, and says which runs ended badly. Processes are
 * forked before main, so that loading the program is done once. Every malloc of the program and
 * its libraries counts, those of a reader of results in a process of its own too.
 *
 * Environment:
 *   HOOKE_FAIL_FROM, HOOKE_FAIL_STEP   which allocations fail, from main on
 *   HOOKE_FAIL_ONCE     1: that one alone; else it and all after it
 *   HOOKE_FAIL_FILES    files that the command writes, by commas. NAME.old is what was there before,
 *                       NAME.new what a run without failures writes
 *   HOOKE_FAIL_SAME     1: a run that says it succeeded prints what is in the file stdout.new
 *   HOOKE_FAIL_SERVES   1: a server: it is ended by SIGTERM when it has said its address
 *   HOOKE_FAIL_READER   0: nothing fails in processes that the command starts; 1: there too
 *   HOOKE_FAIL_TO       the lines about bad runs, and the number of runs, go to this file; without
 *                       it the command runs once with allocation FROM failing (for a debugger)
 *
 * A good run ends with 0, or with 6 and an error message; what it writes is there whole, or the
 * old file is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 20, TEXT = 1 << 16 };

/* --- failing ---------------------------------------------------------------------------------- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static atomic_long count;
static long fail_at; /* 0: count nothing */
static int once;
static struct {
  atomic_int failed;
  atomic_long most; /* allocations of the process that had most */
} * shared;         /* by all processes of a run */

/* the place for a breakpoint */
__attribute__((noinline)) void failing_now(void);
void failing_now(void) { atomic_store(&shared->failed, 1); }

static int fails(void) {
  if (!fail_at) return 0;
  long n = atomic_fetch_add(&count, 1) + 1;
  if (n > atomic_load(&shared->most)) atomic_store(&shared->most, n);
  if (once ? n != fail_at : n < fail_at) return 0;
  failing_now();
  errno = ENOMEM;
  return 1;
}

/* SUNDIALS makes a logger first, without looking whether there is memory for it */
int SUNContext_Create(void *comm, void *context) {
  int (*real)(void *, void *);
  void *f = dlsym(RTLD_NEXT, "SUNContext_Create");
  memcpy(&real, &f, sizeof f);
  const long at = fail_at;
  fail_at = 0;
  const int result = real(comm, context);
  fail_at = at;
  return result;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? NULL : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) {
  void *q = fails() ? NULL : __libc_memalign(a, n);
  if (!q) return ENOMEM;
  *p = q;
  return 0;
}

/* --- what a run left behind ------------------------------------------------------------------- */

static int report = -1;
static long bad;

static void say(long n, const char *fmt, ...) {
  char line[400];
  va_list args;
  va_start(args, fmt);
  int k = snprintf(line, sizeof line, "n = %ld: ", n);
  k += vsnprintf(line + k, sizeof line - (size_t)k - 1, fmt, args);
  va_end(args);
  line[k++] = '\n';
  if (write(report, line, (size_t)k) != k) _exit(99);
  bad++;
}

/* the first TEXT bytes of a file; -1: it is not there */
static long slurp(const char *path, char *buf) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) return -1;
  long n = 0, got;
  while (n < TEXT && (got = read(fd, buf + n, (size_t)(TEXT - n))) > 0) n += got;
  close(fd);
  return n;
}

static int same_bytes(const char *a, const char *b) {
  static char x[TEXT], y[TEXT];
  int f = open(a, O_RDONLY), g = open(b, O_RDONLY), same = f >= 0 && g >= 0;
  for (long n = 1; same && n > 0;) {
    n = read(f, x, TEXT);
    same = n >= 0 && read(g, y, TEXT) == n && memcmp(x, y, (size_t)n) == 0;
  }
  if (f >= 0) close(f);
  if (g >= 0) close(g);
  return same;
}

/* the last bytes of a file */
static void last(const char *path, char *buf, long n) {
  int fd = open(path, O_RDONLY);
  memset(buf, 0, (size_t)n);
  if (fd >= 0 && lseek(fd, -n, SEEK_END) >= 0 && read(fd, buf, (size_t)n) != n) buf[0] = 0;
  if (fd >= 0) close(fd);
}

/* is a new file whole? Summaries hold times, so that not all bytes are the same in every run */
static int is_whole(const char *path, const char *reference) {
  struct stat st, ref;
  char a[8], b[8];
  uint64_t end = 0;
  const char *dot = strrchr(path, '.');
  if (stat(path, &st) || stat(reference, &ref)) return 0;
  if (dot && strcmp(dot, ".nc") == 0) {
    // the superblock of HDF5 holds the length of the file
    int fd = open(path, O_RDONLY);
    int ok = fd >= 0 && pread(fd, &end, 8, 28) == 8 && end == (uint64_t)st.st_size;
    if (fd >= 0) close(fd);
    return ok;
  }
  if (dot && strcmp(dot, ".csv") == 0) return same_bytes(path, reference);
  // tables with times, and rows that may have failed
  if (dot && strcmp(dot, ".md") == 0) {
    last(path, a, 1);
    return a[0] == '\n';
  }
  if (dot && strcmp(dot, ".html") == 0) {
    last(path, a, 8), last(reference, b, 8);
    return memcmp(a, b, 8) == 0;
  }
  return st.st_size == ref.st_size;
}

static void check_file(long n, const char *name, int code) {
  char old[300], new[300];
  struct stat a, b;
  snprintf(old, sizeof old, "%s.old", name);
  snprintf(new, sizeof new, "%s.new", name);
  if (stat(name, &a) || stat(old, &b)) {
    say(n, "%s is gone", name);
  } else if (a.st_ino == b.st_ino) {
    if (code == 0) say(n, "exit 0, but %s was not written", name);
  } else if (!is_whole(name, new)) {
    say(n, "%s is broken", name);
  }
}

static void check(long n, int status, const char *files, int same) {
  static char text[TEXT + 1];
  char list[400];
  long k = slurp("stderr.txt", text);
  text[k < 0 ? 0 : k] = '\0';
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (WIFSIGNALED(status)) {
    say(n, "signal %d", WTERMSIG(status));
  } else if (code != 0 && code != 6) {
    say(n, "exit code %d: %.200s", code, text);
  } else if (code && !strstr(text, "error: ")) {
    say(n, "exit code %d without a message: %.200s", code, text);
  }
  if (code == 0 && same && !same_bytes("stdout.txt", "stdout.new"))
    say(n, "exit 0, but other words");
  snprintf(list, sizeof list, "%s", files);
  for (char *at, *name = strtok_r(list, ",", &at); name; name = strtok_r(NULL, ",", &at))
    check_file(n, name, code);
}

/* --- the sweep -------------------------------------------------------------------------------- */

static volatile pid_t child;
static volatile int too_long;

static void on_alarm(int s) {
  (void)s;
  too_long = 1;
  if (child > 0) kill(child, SIGKILL);
}

/* the old files in place, and no words of the run before */
static void prepare(const char *files) {
  char list[400], old[300];
  unlink("stdout.txt");
  snprintf(list, sizeof list, "%s", files);
  for (char *at, *name = strtok_r(list, ",", &at); name; name = strtok_r(NULL, ",", &at)) {
    snprintf(old, sizeof old, "%s.old", name);
    unlink(name);
    if (link(old, name)) _exit(98);
  }
}

static void become(const char *path, int fd) {
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (to < 0) _exit(97);
  dup2(to, fd);
  close(to);
}

/* a server is told to end when it has said its address */
static int wait_for(int serves) {
  static char text[TEXT + 1];
  int status, told = 0;
  if (!serves) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    long k = slurp("stdout.txt", text);
    text[k < 0 ? 0 : k] = '\0';
    if (strstr(text, "Ctrl-C") && !told++) kill(child, SIGTERM);
    usleep(500);
  }
}

static const char *setting(const char *name, const char *otherwise) {
  const char *s = getenv(name);
  return s && *s ? s : otherwise;
}

static int spares_reader;
static void in_child(void) {
  if (spares_reader) fail_at = 0;
}

__attribute__((constructor)) static void sweep(void) {
  const char *to = getenv("HOOKE_FAIL_TO"), *files = setting("HOOKE_FAIL_FILES", "");
  const long from = atol(setting("HOOKE_FAIL_FROM", "1")),
             step = atol(setting("HOOKE_FAIL_STEP", "1"));
  const int same = atoi(setting("HOOKE_FAIL_SAME", "0")),
            serves = atoi(setting("HOOKE_FAIL_SERVES", "0"));
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  once = atoi(setting("HOOKE_FAIL_ONCE", "0"));
  if (shared == MAP_FAILED) _exit(96);
  if (!to) {
    fail_at = from;
    return;
  }
  unsetenv("HOOKE_FAIL_TO");
  spares_reader = !atoi(setting("HOOKE_FAIL_READER", "1"));
  pthread_atfork(NULL, NULL, in_child);
  report = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (report < 0) _exit(96);
  signal(SIGALRM, on_alarm);
  long n = from, runs = 0;
  for (;; n += step, runs++) {
    prepare(files);
    atomic_store(&shared->failed, 0);
    atomic_store(&shared->most, 0);
    child = fork();
    if (child == 0) {
      signal(SIGALRM, SIG_DFL);
      become("stdout.txt", 1);
      become("stderr.txt", 2);
      fail_at = n;
      return; // to main
    }
    too_long = 0;
    alarm(LIMIT);
    int status = wait_for(serves);
    alarm(0);
    if (too_long) {
      say(n, "no answer in %d s", LIMIT);
    } else {
      check(n, status, files, same);
    }
    if (!atomic_load(&shared->failed)) break;
  }
  char line[80];
  int k = snprintf(line, sizeof line, "%ld runs, %ld bad, %ld allocations\n", runs, bad,
                   atomic_load(&shared->most));
  _exit(write(report, line, (size_t)k) == k ? 0 : 95);
}
