/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c: Ctrl-C during long work. Python notes a signal and runs its handler when the main thread is back in Python,
 * which may be long after. While the main thread is at work here, another handler stands before Python's: it
 * sets the flag that ends the work, then calls the one it stands for. Handlers can be changed by the main
 * thread alone, so that nobody else meddles meanwhile.
 */
#define _GNU_SOURCE
#include "core.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int pressed;
static int depth; /* of calls within calls, by functions of Python */
static struct sigaction own;

static void press(int number, siginfo_t *info, void *context) {
  pressed = 1;
  if (own.sa_flags & SA_SIGINFO)
    own.sa_sigaction(number, info, context);
  else
    own.sa_handler(number);
}

volatile int *core_watch(hk_ctx *ctx) {
  if (syscall(SYS_gettid) != getpid()) return NULL;
  if (depth == 0) {
    struct sigaction mine = {.sa_sigaction = press};
    if (sigaction(SIGINT, NULL, &own) != 0) return NULL;
    // nobody listens: the signal ends the process, or nothing happens
    if (!(own.sa_flags & SA_SIGINFO) && (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN))
      return NULL;
    mine.sa_flags = own.sa_flags | SA_SIGINFO;
    mine.sa_mask = own.sa_mask;
    if (sigaction(SIGINT, &mine, NULL) != 0) return NULL;
  }
  depth++;
  pressed = 0;
  hk_ctx_stop_on(ctx, &pressed);
  return &pressed;
}

void core_unwatch(hk_ctx *ctx) {
  hk_ctx_stop_on(ctx, NULL);
  if (--depth == 0) sigaction(SIGINT, &own, NULL);
}

bool core_interrupted(hk_status status) {
  return status == HK_INTERRUPTED && PyErr_CheckSignals() != 0;
}
