/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.c: clock, sleep and schedule by the system's means. Only Linux has all of them; elsewhere
 * what is missing is said.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#if !defined(_WIN32)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "base/realtime.h"
#include "hooke/realtime.h"

static const int64_t second = 1000000000;

int64_t hki_now(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0) return 0;
  return (int64_t)t.tv_sec * second + t.tv_nsec;
}

bool hki_sleep_until(int64_t at) {
#if defined(__linux__)
  const struct timespec t = {.tv_sec = (time_t)(at / second), .tv_nsec = (long)(at % second)};
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0;
#else
  const int64_t left = at - hki_now();
  if (left <= 0) return true;
  const struct timespec t = {.tv_sec = (time_t)(left / second), .tv_nsec = (long)(left % second)};
  return nanosleep(&t, NULL) == 0;
#endif
}

#if defined(_WIN32)
void hki_rt_take(const hk_rt_wish *wish, hk_rt_place *place, char words[HK_RT_WORDS]) {
  *place = (hk_rt_place){.had = {.cpu = -1}};
  const bool none = wish->policy == HK_SCHEDULE_OTHER && wish->cpu < 0 && !wish->lock;
  snprintf(words, HK_RT_WORDS, "%s", none ? "" : "this system gives no place in its schedule");
}
void hki_rt_give_back(hk_rt_place *place) { place->had = (hk_rt_wish){.cpu = -1}; }
int64_t hki_rt_faults(void) { return 0; }
#else

/* --- the place of the calling thread --------------------------------------------------------------- */

/* adds a sentence to words */
static void say(char *words, const char *what, int error, const char *hint) {
  const size_t n = strlen(words);
  snprintf(words + n, HK_RT_WORDS - n, "%s%s: %s%s%s", n ? "; " : "", what, strerror(error),
           *hint ? " " : "", hint);
}

#if defined(__linux__)
/* the struct of sched_setattr(2), which C libraries do not have */
typedef struct attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
} attributes;

static int deadline(int64_t period) {
  enum { DEADLINE = 6 };
  const attributes a = {.size = sizeof a,
                        .policy = DEADLINE,
                        .runtime = (uint64_t)(period - period / 10),
                        .deadline = (uint64_t)period,
                        .period = (uint64_t)period};
  return syscall(SYS_sched_setattr, 0, &a, 0) == 0 ? 0 : errno;
}

static void pin(const hk_rt_wish *wish, hk_rt_place *p, char *words) {
  cpu_set_t one, *before = (cpu_set_t *)(void *)p->before;
  _Static_assert(sizeof one <= sizeof p->before, "room for the processors");
  CPU_ZERO(&one);
  if (wish->cpu < CPU_SETSIZE) CPU_SET(wish->cpu, &one);
  p->pinned = sched_getaffinity(0, sizeof *before, before) == 0 &&
              sched_setaffinity(0, sizeof one, &one) == 0;
  if (p->pinned)
    p->had.cpu = wish->cpu;
  else
    say(words, "it is not bound to the processor", errno, "");
}

static void unpin(const hk_rt_place *p) {
  if (p->pinned)
    (void)sched_setaffinity(0, sizeof(cpu_set_t), (const cpu_set_t *)(const void *)p->before);
}
#else
static int deadline(int64_t period) { return (void)period, ENOSYS; }
static void pin(const hk_rt_wish *wish, hk_rt_place *p, char *words) {
  (void)wish, (void)p;
  say(words, "it is not bound to the processor", ENOSYS, "");
}
static void unpin(const hk_rt_place *p) { (void)p; }
#endif

static void schedule(const hk_rt_wish *wish, hk_rt_place *p, char *words) {
  struct sched_param now = {0}, fifo = {.sched_priority = wish->priority};
  p->policy_before = sched_getscheduler(0);
  p->priority_before = sched_getparam(0, &now) == 0 ? now.sched_priority : 0;
  const int error = wish->policy == HK_SCHEDULE_DEADLINE ? deadline(wish->period)
                    : sched_setscheduler(0, SCHED_FIFO, &fifo) == 0 ? 0
                                                                    : errno;
  if (!error) {
    p->had.policy = wish->policy;
    p->had.priority = wish->policy == HK_SCHEDULE_FIFO ? wish->priority : 0;
    return;
  }
  say(words, wish->policy == HK_SCHEDULE_DEADLINE ? "no deadline schedule" : "no fixed priority",
      error, error == EPERM ? "(it needs CAP_SYS_NICE or a limit 'rtprio')" : "");
}

/* touches what the stack may need, so that it is there */
static void touch_stack(void) {
  volatile unsigned char room[256 * 1024];
  for (size_t i = 0; i < sizeof room; i += 1024) room[i] = 0;
  (void)room[0];
}

void hki_rt_take(const hk_rt_wish *wish, hk_rt_place *place, char words[HK_RT_WORDS]) {
  *place = (hk_rt_place){.had = {.cpu = -1}};
  words[0] = '\0';
  if (wish->cpu >= 0) pin(wish, place, words);
  if (wish->policy != HK_SCHEDULE_OTHER) schedule(wish, place, words);
  if (wish->lock && mlockall(MCL_CURRENT | MCL_FUTURE) == 0)
    place->had.lock = true;
  else if (wish->lock)
    say(words, "memory is not locked", errno,
        "(it needs CAP_IPC_LOCK or a higher limit 'memlock')");
  touch_stack();
}

void hki_rt_give_back(hk_rt_place *place) {
  const struct sched_param before = {.sched_priority = place->priority_before};
  if (place->had.policy != HK_SCHEDULE_OTHER)
    (void)sched_setscheduler(0, place->policy_before, &before);
  unpin(place);
  if (place->had.lock) (void)munlockall();
  place->had = (hk_rt_wish){.cpu = -1};
}

int64_t hki_rt_faults(void) {
  struct rusage u;
#if defined(RUSAGE_THREAD)
  const int who = RUSAGE_THREAD;
#else
  const int who = RUSAGE_SELF;
#endif
  return getrusage(who, &u) == 0 ? (int64_t)u.ru_minflt + u.ru_majflt : 0;
}
#endif
