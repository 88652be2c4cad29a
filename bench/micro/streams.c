/* SPDX-License-Identifier: Apache-2.0
 *
 * Round trips of streams: a value goes to another process and its echo comes back, over every way. This side is that
 * of a model (src/streams), the other one the peer of examples/c/hooke_stream.h.
 *
 *   bench_streams [ROUND TRIPS [WORK]]     smallest, median, 99 % and largest time in microseconds
 *
 * WORK: microseconds that the other side is busy before it answers, which are subtracted. Whoever waits for longer
 * than 50 us sleeps, and must be woken.
 * On a machine where other programs run the smallest and the median mean something, and no more.
 */
#define _GNU_SOURCE
#define HOOKE_STREAM_IMPLEMENTATION
#include "../../examples/c/hooke_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/realtime.h"
#include "streams/stream.h"

typedef struct way {
  const char *name;
  hk_stream_way way;
} way;

static const way ways[] = {{"shm", HK_STREAM_SHM},
                           {"unix", HK_STREAM_UNIX},
                           {"udp", HK_STREAM_UDP},
                           {"tcp", HK_STREAM_TCP}};

static void address_of(const way *w, int which, char *out, size_t cap) {
  if (w->way == HK_STREAM_SHM)
    snprintf(out, cap, "hooke-bench-%d-%d", (int)getppid(), which);
  else if (w->way == HK_STREAM_UNIX)
    snprintf(out, cap, "/tmp/hooke-bench-%d-%d", (int)getppid(), which);
  else
    snprintf(out, cap, "127.0.0.1:%d", 30000 + (int)getppid() % 20000 + which);
}

/* the other process: what comes goes back */
static int echo(const way *w, double work) {
  hooke_stream in, out;
  char place[64], address[80];
  double x, t;
  for (int k = 0; k < 2; k++) {
    address_of(w, k, place, sizeof place);
    snprintf(address, sizeof address, "%s:%s", w->name, place);
    hooke_stream *s = k ? &out : &in;
    const bool binds = w->way == HK_STREAM_UDP && !k;
    if ((binds ? hooke_stream_listen(s, address) : hooke_stream_connect(s, address, 10.0)) != 0)
      return 1;
  }
  while (hooke_stream_receive(&in, &x, 1, &t) == 1) {
    const int64_t until = hki_now() + (int64_t)(1e3 * work);
    while (work > 0.0 && hki_now() < until) continue;
    if (hooke_stream_send(&out, t, &x, 1) != 0) break;
  }
  hooke_stream_close(&in), hooke_stream_close(&out);
  return 0;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(hk_ctx *ctx, const way *w, int n, double work) {
  hk_stream s[2];
  char address[2][64];
  double *times = calloc((size_t)n, sizeof *times), y = 0.0;
  for (int k = 0; k < 2; k++) {
    address_of(w, k, address[k], sizeof address[k]);
    const bool connects = w->way == HK_STREAM_UDP && !k;
    const hk_stream_plan plan = {.name = w->name,
                                 .address = address[k],
                                 .way = w->way,
                                 .out = !k,
                                 .listen = !connects,
                                 .blocking = true,
                                 .columns = 1,
                                 .timeout = 10.0};
    if (hki_stream_open(&s[k], ctx, &plan) != HK_OK) return 1;
  }
  for (int k = 0; k < 2; k++)
    while (hki_stream_ready(&s[k]) == 0) (void)hki_sleep_until(hki_now() + 1000000);
  bool ok = times != NULL;
  // the first datagrams may find nobody there
  if (w->way == HK_STREAM_UDP) (void)hki_sleep_until(hki_now() + 200000000);
  for (int i = -100; ok && i < n; i++) {
    const double x = i;
    const int64_t from = hki_now();
    ok = hki_stream_send(&s[0], i, &x) == HK_STREAM_NEW &&
         hki_stream_receive(&s[1], &y) == HK_STREAM_NEW && y == x;
    if (i >= 0) times[i] = 1e-3 * (double)(hki_now() - from) - work;
  }
  for (int k = 0; k < 2; k++) hki_stream_close(&s[k]);
  if (!ok) return printf("%-6s %s\n", w->name, s[1].words), free(times), 1;
  qsort(times, (size_t)n, sizeof *times, by_size);
  printf("%-6s %9.2f %9.2f %9.2f %9.2f\n", w->name, times[0], times[n / 2], times[(int)(0.99 * n)],
         times[n - 1]);
  fflush(stdout);
  free(times);
  return 0;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 20000;
  const double work = argc > 2 ? atof(argv[2]) : 0.0;
  int bad = 0;
  if (n < 1) return fprintf(stderr, "usage: bench_streams [ROUND TRIPS [WORK]]\n"), 2;
  printf("%-6s %9s %9s %9s %9s  us, %d round trips\n", "way", "min", "median", "99 %", "max", n);
  fflush(stdout);
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    // two children of one process: their names follow from its number
    const pid_t other = fork();
    if (other == 0) _exit(echo(&ways[k], work));
    const pid_t self = fork();
    if (self == 0) {
      hk_ctx *ctx = hk_ctx_create();
      const int status = measure(ctx, &ways[k], n, work);
      hk_ctx_destroy(ctx);
      _exit(status);
    }
    int status = 1;
    waitpid(self, &status, 0);
    bad |= status;
    waitpid(other, &status, 0);
  }
  return bad ? 1 : 0;
}
