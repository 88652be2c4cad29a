/* SPDX-License-Identifier: Apache-2.0
 *
 * native.c: a text in C becomes a library that is loaded: from the folder of those that were made before, or by the compiler.
 */
#define _GNU_SOURCE 1
#include "native/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooke/version.h"
#include "native/cache.h"

enum { MOST_FLAGS = 24 };

/* Of every library: sums as they are written, no state of libm. */
static const char *const common[] = {"-std=c11",          "-fPIC",          "-shared", "-w",
                                     "-ffp-contract=off", "-fno-math-errno"};

const char *hki_native_vectors(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return "-mavx2";
#endif
  return NULL;
}

/* --- the key ---------------------------------------------------------------------------------- */

/* two sums of the same bytes: one could be met by chance */
static void stir(uint64_t key[2], const void *data, size_t n) {
  const uint64_t length = n;
  for (int i = 0; i < 2; i++) {
    key[i] = hki_hash(&length, sizeof length, key[i]);
    if (n) key[i] = hki_hash(data, n, key[i]);
  }
}

/* When the library that writes programs was made: versions under development bear the same number. */
static double library_time(void) {
  Dl_info info;
  struct stat file;
  const bool known = dladdr((const void *)(uintptr_t)hki_native_open, &info) && info.dli_fname;
  if (!known || stat(info.dli_fname, &file) != 0) return 0.0;
  return (double)file.st_mtim.tv_sec + 1e-9 * (double)file.st_mtim.tv_nsec;
}

static void find_key(const hk_native_job *job, const hk_compiler *c, uint64_t key[2]) {
  const char *const version = HK_VERSION_STRING;
  const double changed = library_time();
  key[0] = 0x486b, key[1] = 0x6e61746976650a;
  stir(key, version, strlen(version));
  stir(key, &changed, sizeof changed);
  stir(key, c->path, strlen(c->path));
  stir(key, c->version, strlen(c->version));
  for (int32_t i = 1; i < c->n; i++) stir(key, c->word[i], strlen(c->word[i]));
  for (int32_t i = 0; i < HK_ARRAY_LEN(common); i++) stir(key, common[i], strlen(common[i]));
  for (int32_t i = 0; job->flags && job->flags[i]; i++)
    stir(key, job->flags[i], strlen(job->flags[i]));
  for (int32_t i = 0; i < job->nkey; i++) stir(key, job->key[i].data, job->key[i].bytes);
}

/* --- the compiler ----------------------------------------------------------------------------- */

static bool write_text(const char *path, const hk_text *text, char *why, size_t cap) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  size_t done = 0;
  bool good = fd >= 0;
  while (good && done < text->len) {
    const ssize_t n = write(fd, text->s + done, text->len - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) done += (size_t)n;
  }
  if (!good) snprintf(why, cap, "'%s' cannot be written: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return good;
}

/* the line that says what is wrong, as far as one can tell; else the first */
static void add_line(char *why, size_t cap, char *said) {
  char *at = strstr(said, "error:"), *line = said;
  for (char *s = said; at && s < at; s++)
    if (*s == '\n') line = s + 1;
  line[strcspn(line, "\r\n")] = '\0';
  for (char *s = line; *s; s++)
    if ((unsigned char)*s < ' ') *s = ' ';
  const size_t n = strlen(why);
  if (*line && n + 4 < cap) snprintf(why + n, cap - n, ": %.200s", line);
}

static double limit_of(const hk_native_job *job) {
  return job->limit > 0.0 ? job->limit : HK_NATIVE_LIMIT;
}

/* program.c becomes program.so */
static bool compile(const hk_native_job *job, const hk_compiler *c, const char *source,
                    const char *made, hk_native *out) {
  const char *argv[HK_COMPILER_WORDS + HK_ARRAY_LEN(common) + MOST_FLAGS + 6] = {NULL};
  char said[4000];
  int32_t n = 0;
  for (int32_t i = 0; i < c->n; i++) argv[n++] = c->word[i];
  for (int32_t i = 0; i < HK_ARRAY_LEN(common); i++) argv[n++] = common[i];
  for (int32_t i = 0; i < MOST_FLAGS && job->flags && job->flags[i]; i++) argv[n++] = job->flags[i];
  argv[n++] = "-o", argv[n++] = made, argv[n++] = source, argv[n++] = "-lm";
  hk_process p = {.path = c->path,
                  .argv = argv,
                  .limit = limit_of(job),
                  .watched = made,
                  .most = HK_LIBRARY_MOST,
                  .said = said,
                  .cap = sizeof said};
  const char *before = hki_phase(job->ctx, "compiling the model");
  const bool good = hki_process_run(job->ctx, &p, out->why, sizeof out->why);
  hki_phase(job->ctx, before);
  out->seconds = p.seconds;
  if (!good) add_line(out->why, sizeof out->why, said);
  return good;
}

/* no text can be written, now or the next time: the first error that was made of it */
static void refuse(const hk_native_job *job, hk_cache *cache, int32_t since, hk_native *out) {
  for (int32_t i = since; i < hk_ctx_message_count(job->ctx) && !out->why[0]; i++)
    if (hk_ctx_message(job->ctx, i)->severity == HK_ERROR)
      snprintf(out->why, sizeof out->why, "%.1000s", hk_ctx_message(job->ctx, i)->text);
  if (out->why[0]) hki_cache_refuse(cache, out->why);
}

static hk_status make(const hk_native_job *job, const hk_compiler *c, hk_cache *cache,
                      hk_native *out) {
  char source[HK_PATH + 100], made[HK_PATH + 100];
  hk_text text;
  hki_text_init(&text, job->ctx);
  const int32_t since = hk_ctx_message_count(job->ctx);
  hk_status st = job->text(job->user, &text);
  if (st == HK_OK && text.failed) st = HK_E_MEMORY;
  if (st == HK_OK && text.len > HK_NATIVE_MOST)
    st = hki_error(job->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                   "its program of %.3g MB is too long for a compiler, which gets %d",
                   (double)text.len / (1 << 20), HK_NATIVE_MOST >> 20);
  if (st == HK_E_MODEL && !hki_stopped(job->ctx)) refuse(job, cache, since, out);
  if (st == HK_OK) {
    bool good = hki_cache_begin(cache, out->why, sizeof out->why);
    snprintf(source, sizeof source, "%s/program.c", cache->work);
    snprintf(made, sizeof made, "%s/program.so", cache->work);
    good = good && write_text(source, &text, out->why, sizeof out->why) &&
           compile(job, c, source, made, out) &&
           hki_cache_adopt(cache, made, out->why, sizeof out->why);
    if (!good) st = HK_E_FILE;
    hki_cache_end(cache);
  }
  hki_text_free(&text);
  return st;
}

/* --- the library ------------------------------------------------------------------------------ */

static hk_status load(const hk_cache *cache, hk_native *out) {
  out->handle = dlopen(cache->file, RTLD_NOW | RTLD_LOCAL);
  if (out->handle) return HK_OK;
  const char *why = dlerror();
  snprintf(out->why, sizeof out->why, "what the compiler has made cannot be loaded: %.400s",
           why ? why : "no reason given");
  unlink(cache->file);
  return HK_E_FILE;
}

static hk_status open_library(const hk_native_job *job, hk_native *out) {
  hk_compiler c;
  hk_cache cache;
  uint64_t key[2];
  if (!hki_compiler_find(job->ctx, &c, limit_of(job), out->why, sizeof out->why)) return HK_E_FILE;
  snprintf(out->compiler, sizeof out->compiler, "%s", c.version);
  find_key(job, &c, key);
  if (!hki_cache_open(&cache, key, out->why, sizeof out->why)) return HK_E_FILE;
  // one that is whole and yet cannot be loaded is made anew
  if (hki_cache_has(&cache) && load(&cache, out) == HK_OK) return out->kept = true, HK_OK;
  if (hki_cache_refuses(&cache, out->why, sizeof out->why)) return HK_E_MODEL;
  out->why[0] = '\0';
  const hk_status st = make(job, &c, &cache, out);
  return st == HK_OK ? load(&cache, out) : st;
}

hk_status hki_native_open(const hk_native_job *job, hk_native *out) {
  *out = (hk_native){0};
  const bool before = hki_stop_allow(job->ctx, true);
  hk_status st = open_library(job, out);
  if (st != HK_OK && hki_stopped(job->ctx)) st = HK_INTERRUPTED;
  hki_stop_allow(job->ctx, before);
  return st;
}

void *hki_native_symbol(const hk_native *n, const char *name) {
  return n->handle ? dlsym(n->handle, name) : NULL;
}

void hki_native_close(hk_native *n) {
  if (n->handle) dlclose(n->handle);
  n->handle = NULL;
}
