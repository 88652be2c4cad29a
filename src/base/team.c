/* SPDX-License-Identifier: Apache-2.0
 *
 * team.c: threads that share one piece of work after another with the caller: each takes its part, and
 * the caller goes on when all parts are done.
 */
#include <pthread.h>
#include <signal.h>

#include "base/base.h"

typedef struct member {
  struct hk_team *team;
  pthread_t thread;
  int32_t part;
} member;

struct hk_team {
  hk_ctx *ctx;
  pthread_mutex_t lock;
  pthread_cond_t begin, end;
  int32_t parts;  /* members and the caller */
  uint64_t round; /* pieces of work so far */
  int32_t busy;   /* members that have not ended their part */
  bool over;      /* the members are asked to end */
  hk_share *share;
  void *arg;
  member *of; /* parts - 1 */
};

static void *work(void *arg) {
  const member *m = arg;
  struct hk_team *t = m->team;
  uint64_t seen = 0;
  pthread_mutex_lock(&t->lock);
  for (;;) {
    while (t->round == seen && !t->over) pthread_cond_wait(&t->begin, &t->lock);
    if (t->over) break;
    seen = t->round;
    pthread_mutex_unlock(&t->lock);
    t->share(t->arg, m->part, t->parts);
    pthread_mutex_lock(&t->lock);
    if (--t->busy == 0) pthread_cond_signal(&t->end);
  }
  pthread_mutex_unlock(&t->lock);
  return NULL;
}

hk_team *hki_team_create(hk_ctx *ctx, int32_t threads) {
  sigset_t all, before;
  hk_team *t = hki_alloc(ctx, sizeof *t);
  if (!t) return NULL;
  t->ctx = ctx;
  t->parts = 1;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->begin, NULL);
  pthread_cond_init(&t->end, NULL);
  t->of = hki_alloc(ctx, (size_t)threads * sizeof *t->of);
  // the threads start with all signals blocked: they go to the other threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_mutex_lock(&t->lock);
  while (t->of && t->parts < threads) {
    member *m = &t->of[t->parts - 1];
    *m = (member){.team = t, .part = t->parts};
    if (pthread_create(&m->thread, NULL, work, m)) break;
    t->parts++;
  }
  pthread_mutex_unlock(&t->lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (t->parts == threads) return t;
  hki_team_end(t);
  return NULL;
}

int32_t hki_team_size(const hk_team *t) { return t ? t->parts : 1; }

void hki_team_run(hk_team *t, hk_share *share, void *arg) {
  if (!t) {
    share(arg, 0, 1);
    return;
  }
  pthread_mutex_lock(&t->lock);
  t->share = share;
  t->arg = arg;
  t->busy = t->parts - 1;
  t->round++;
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);
  share(arg, 0, t->parts);
  pthread_mutex_lock(&t->lock);
  while (t->busy) pthread_cond_wait(&t->end, &t->lock);
  pthread_mutex_unlock(&t->lock);
}

void hki_team_end(hk_team *t) {
  if (!t) return;
  pthread_mutex_lock(&t->lock);
  t->over = true;
  pthread_cond_broadcast(&t->begin);
  pthread_mutex_unlock(&t->lock);
  for (int32_t i = 0; i < t->parts - 1; i++) pthread_join(t->of[i].thread, NULL);
  pthread_cond_destroy(&t->begin);
  pthread_cond_destroy(&t->end);
  pthread_mutex_destroy(&t->lock);
  hki_free(t->ctx, t->of);
  hki_free(t->ctx, t);
}
