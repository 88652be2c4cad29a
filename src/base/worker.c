/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c: runs one job at a time on a second thread, so that the caller need not wait for a disk.
 * A job owns its buffers until hki_worker_wait, or the next hki_worker_give, returns.
 */
#include <pthread.h>
#include <signal.h>

#include "base/base.h"

struct hk_worker {
  hk_ctx *ctx;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t change;
  hk_job *job; /* NULL: idle */
  void *arg;
  int error; /* first error of all jobs, 0 = none */
  bool ends; /* the thread is asked to end */
};

static void *work(void *arg) {
  hk_worker *w = arg;
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (!w->job && !w->ends) pthread_cond_wait(&w->change, &w->lock);
    if (!w->job) break;
    pthread_mutex_unlock(&w->lock);
    int error = w->job(w->arg);
    pthread_mutex_lock(&w->lock);
    if (!w->error) w->error = error;
    w->job = NULL;
    pthread_cond_broadcast(&w->change);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

hk_worker *hki_worker_create(hk_ctx *ctx) {
  sigset_t all, before;
  hk_worker *w = hki_alloc(ctx, sizeof *w);
  if (!w) return NULL;
  w->ctx = ctx;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->change, NULL);
  // the thread starts with all signals blocked: they go to the other threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&w->thread, NULL, work, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error) return w;
  pthread_cond_destroy(&w->change);
  pthread_mutex_destroy(&w->lock);
  hki_free(ctx, w);
  return NULL;
}

/* waits until there is no job; the caller holds the lock */
static void until_idle(hk_worker *w) {
  while (w->job) pthread_cond_wait(&w->change, &w->lock);
}

int hki_worker_give(hk_worker *w, hk_job *job, void *arg) {
  if (!w) return job(arg);
  pthread_mutex_lock(&w->lock);
  until_idle(w);
  int error = w->error;
  if (!error) {
    w->job = job;
    w->arg = arg;
    pthread_cond_broadcast(&w->change);
  }
  pthread_mutex_unlock(&w->lock);
  return error;
}

int hki_worker_wait(hk_worker *w) {
  if (!w) return 0;
  pthread_mutex_lock(&w->lock);
  until_idle(w);
  int error = w->error;
  pthread_mutex_unlock(&w->lock);
  return error;
}

bool hki_worker_idle(hk_worker *w) {
  if (!w) return true;
  pthread_mutex_lock(&w->lock);
  bool idle = !w->job;
  pthread_mutex_unlock(&w->lock);
  return idle;
}

void hki_worker_end(hk_worker *w) {
  if (!w) return;
  pthread_mutex_lock(&w->lock);
  w->ends = true;
  pthread_cond_broadcast(&w->change);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->change);
  pthread_mutex_destroy(&w->lock);
  hki_free(w->ctx, w);
}
