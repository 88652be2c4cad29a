/* SPDX-License-Identifier: Apache-2.0
 *
 * nvrtc.c: NVIDIA's compiler of CUDA C++ as a library (cuda.h). Products and sums stay apart (--fmad=false), so that a card
 * computes what a processor computes.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda.h"

enum { RESULT_MEMORY = 1, RESULT_CANCELLED = 16 };

typedef struct nvrtc {
#define C(member, symbol, arguments) int(*member) arguments;
#include "device/nvrtc.def"
#undef C
  const char *(*text)(int result);
  /* NULL: before 12.8; asks now and then whether the compilation shall be given up */
  int (*watch)(void *program, int (*gives_up)(void *, void *), void *user);
  void *library;
  char file[1100];
} nvrtc;

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static nvrtc compiler;
static bool ready;

/* in the order of the struct */
static bool find_all(nvrtc *c) {
  static const char *const symbols[] = {
#define C(member, symbol, arguments) #symbol,
#include "device/nvrtc.def"
#undef C
      "nvrtcGetErrorString", "nvrtcSetFlowCallback"};
  const size_t n = sizeof symbols / sizeof symbols[0];
  for (size_t i = 0; i < n; i++) {
    void *f = dlsym(c->library, symbols[i]);
    if (!f && i + 1 < n) return false;
    memcpy((char *)c + i * sizeof f, &f, sizeof f);
  }
  return true;
}

/* one file; what is wrong with it stays in `why` unless an earlier one was there but of no use */
static bool try_file(nvrtc *c, const char *file, char *why, size_t cap) {
  c->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!c->library) {
    const char *said = dlerror();
    if (!*why) snprintf(why, cap, "%s", said ? said : file);
    return false;
  }
  snprintf(c->file, sizeof c->file, "%s", file);
  if (find_all(c)) return true;
  snprintf(why, cap, "%s is no NVRTC that makes programs for cards (11.1 or newer)", file);
  dlclose(c->library);
  return false;
}

static bool open_compiler(char *why, size_t cap) {
  static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                      "libnvrtc.so"};
  const char *named = getenv("HOOKE_NVRTC");
  const char *const folders[] = {"", getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
  char path[1100], said[HK_DEVICE_WORDS] = "";
  nvrtc c = {0};
  bool found = named && *named && try_file(&c, named, said, sizeof said);
  for (size_t d = 0; d < 4 && !found && !(named && *named); d++) {
    for (size_t i = 0; i < 4 && !found && folders[d]; i++) {
      snprintf(path, sizeof path, *folders[d] ? "%s/lib64/%s" : "%s%s", folders[d], files[i]);
      found = try_file(&c, path, said, sizeof said);
    }
  }
  if (found) return compiler = c, true;
  snprintf(why, cap,
           "there is no NVRTC, the compiler for the card (%s); HOOKE_NVRTC names its library",
           said);
  return false;
}

static const nvrtc *get(char *why, size_t cap) {
  pthread_mutex_lock(&one);
  if (!ready) ready = open_compiler(why, cap);
  pthread_mutex_unlock(&one);
  return ready ? &compiler : NULL;
}

bool hki_nvrtc_version(char *out, size_t n, char *why, size_t cap) {
  const nvrtc *c = get(why, cap);
  int major = 0, minor = 0;
  if (!c) return false;
  c->version(&major, &minor);
  snprintf(out, n, "NVRTC %d.%d", major, minor);
  return true;
}

/* how long a compilation may go on */
typedef struct watch {
  hk_ctx *ctx;
  double until;
  bool late, stopped;
} watch;

static int cancel(void *user, void *reserved) {
  watch *w = user;
  (void)reserved;
  w->stopped |= hki_stopped(w->ctx);
  w->late |= hki_wall_seconds() > w->until;
  return w->late || w->stopped;
}

/* the first lines of what the compiler has said */
static void say(const nvrtc *c, void *program, int result, char *why, size_t cap) {
  size_t n = 0;
  int used =
      snprintf(why, cap, "the compiler for the card (%s) fails: %s", c->file, c->text(result));
  char *log = c->log_size(program, &n) == 0 && n > 1 && n < ((size_t)1 << 24) ? malloc(n) : NULL;
  if (log && used > 0 && (size_t)used < cap && c->log(program, log) == 0)
    snprintf(why + used, cap - (size_t)used, "; it says: %.*s", (int)(n < 600 ? n - 1 : 600), log);
  free(log);
}

static hk_status take(const nvrtc *c, hk_ctx *ctx, void *program, hk_cubin *out, char *why,
                      size_t cap) {
  int result = c->cubin_size(program, &out->n);
  out->bytes = result == 0 && out->n ? hki_alloc(ctx, out->n) : NULL;
  if (result == 0 && out->n && !out->bytes)
    return snprintf(why, cap, "no memory for the program of the card"), HK_E_MEMORY;
  if (out->bytes && c->cubin(program, out->bytes) == 0) return HK_OK;
  say(c, program, result, why, cap);
  hki_free(ctx, out->bytes);
  out->bytes = NULL;
  return HK_E_FILE;
}

hk_status hki_nvrtc_compile(hk_ctx *ctx, const char *text, int arch, bool quick, double limit,
                            hk_cubin *out, char *why, size_t cap) {
  const nvrtc *c = get(why, cap);
  if (!c) return HK_E_FILE;
  char gpu[40];
  snprintf(gpu, sizeof gpu, "--gpu-architecture=sm_%d", arch);
  const char *const options[] = {gpu, "--fmad=false", "--std=c++17", "--ptxas-options=-O1"};
  const double begin = hki_wall_seconds();
  watch w = {.ctx = ctx, .until = begin + limit};
  void *program = NULL;
  int result = c->create(&program, text, "hooke.cu", 0, NULL, NULL);
  if (result == 0 && c->watch) c->watch(program, cancel, &w);
  if (result == 0) result = c->compile(program, quick ? 4 : 3, options);
  out->seconds = hki_wall_seconds() - begin;
  hk_status st = HK_E_FILE;
  if (result == 0)
    st = take(c, ctx, program, out, why, cap);
  else if (w.stopped)
    st = HK_INTERRUPTED, snprintf(why, cap, "interrupted");
  else if (result == RESULT_CANCELLED)
    snprintf(why, cap, "the compiler for the card took more than %g s and was stopped", limit);
  else if (program)
    say(c, program, result, why, cap), st = result == RESULT_MEMORY ? HK_E_MEMORY : HK_E_FILE;
  else
    snprintf(why, cap, "the compiler for the card (%s) fails: %s", c->file, c->text(result));
  if (program) c->destroy(&program);
  return st;
}
