/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c: see build.h. The program is made by NVRTC, or by nvcc where that library is not there, and kept in the folder of
 * compiled models (native/cache.h). Steps of one thread get the register allocator of -O1: that of -O3 gives up on long ones, from
 * about 2,000 operations on, and leaves 168 or 32 of 255 registers (docs/decisions/0122).
 */
#define _POSIX_C_SOURCE 200809L
#include "device/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/device_impl.h"
#include "hooke/version.h"
#include "native/cache.h"

/* texts longer than this are not given to a compiler */
enum { MOST_TEXT = 8000000 };
/* Threads of a block, where there are enough worlds for all processors of the card, and else. Steps of longer texts hardly fit the
 * registers: what is left of a processor where worlds are no multiple of all its threads is less with blocks of few. */
enum { THREADS = 64, FEW_THREADS = 32, LONG_TEXT = 120000 };
/* warps whose threads have 255 registers each that a processor of the card holds */
enum { MOST_WARPS = 8 };

/* --- the compilers ---------------------------------------------------------------------------- */

/* one function for the whole step: those of warps are shorter, and the allocator manages them */
static bool is_whole(const hk_device *d) { return d->job.warps < 2; }

/* $HOOKE_NVCC, or nvcc of the search path or of /usr/local/cuda */
static bool find_nvcc(char *out, size_t cap) {
  const char *named = getenv("HOOKE_NVCC"), *path = getenv("PATH");
  if (named && *named) return snprintf(out, cap, "%s", named), access(out, X_OK) == 0;
  for (const char *at = path; at && *at;) {
    const size_t n = strcspn(at, ":");
    snprintf(out, cap, "%.*s/nvcc", (int)n, at);
    if (n && access(out, X_OK) == 0) return true;
    at += n + (at[n] == ':');
  }
  return snprintf(out, cap, "/usr/local/cuda/bin/nvcc"), access(out, X_OK) == 0;
}

static bool write_bytes(const char *path, const void *data, size_t n, char *why, size_t cap) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0;
  for (const char *at = data; good && n;) {
    const ssize_t k = write(fd, at, n);
    if (k < 0 && errno == EINTR) continue;
    good = k > 0;
    if (good) at += k, n -= (size_t)k;
  }
  if (!good) snprintf(why, cap, "'%s' cannot be written: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return good;
}

/* the program becomes a file of the folder */
static bool run_nvcc(hk_device *d, const char *nvcc, const char *text, hk_cache *cache,
                     const char *made) {
  char source[HK_PATH + 100], arch[24], said[2000] = "";
  snprintf(source, sizeof source, "%s/program.c", cache->work);
  snprintf(arch, sizeof arch, "-arch=sm_%d", d->facts.arch);
  const bool quick = is_whole(d);
  const char *argv[] = {nvcc,          "-x", "cu",         "-cubin",  arch,
                        "-fmad=false", "-w", "-std=c++17", "-Xptxas", quick ? "-O1" : "-O3",
                        "-o",          made, source,       NULL};
  hk_process p = {.path = nvcc,
                  .argv = argv,
                  .limit = d->job.compile_limit,
                  .watched = made,
                  .most = HK_LIBRARY_MOST,
                  .said = said,
                  .cap = sizeof said};
  if (!write_bytes(source, text, strlen(text), d->why, sizeof d->why)) return false;
  const bool good = hki_process_run(d->ctx, &p, d->why, sizeof d->why);
  d->facts.seconds = p.seconds;
  const size_t n = strlen(d->why);
  if (!good && *said && n + 4 < sizeof d->why)
    snprintf(d->why + n, sizeof d->why - n, ": %.300s", said);
  return good;
}

/* --- the folder ------------------------------------------------------------------------------- */

static void find_key(const hk_device *d, const char *text, uint64_t key[2]) {
  char what[300];
  const int n = snprintf(what, sizeof what, "cubin %s %s sm_%d", HK_VERSION_STRING,
                         d->facts.compiler, d->facts.arch);
  for (int i = 0; i < 2; i++)
    key[i] = hki_hash(text, strlen(text), hki_hash(what, (size_t)n, 77 + (uint64_t)i));
}

static hk_status load(hk_device *d, const void *image) {
  const int e = d->c->load(&d->module, image);
  return e ? hki_device_fail(d, e, "its program is loaded") : HK_OK;
}

/* a program that was kept; false: there is none that the driver takes */
static bool load_kept(hk_device *d, hk_cache *cache) {
  char *bytes = NULL;
  size_t n = 0;
  if (!hki_cache_has(cache) ||
      hki_read_file(d->ctx, cache->file, HK_LOC_NONE, HK_LIBRARY_MOST, &bytes, &n) != HK_OK)
    return false;
  const bool good = d->c->load(&d->module, bytes) == 0;
  hki_free(d->ctx, bytes);
  d->facts.kept = good;
  return good;
}

/* NVRTC makes it in memory; it is kept where that is possible */
static hk_status make_by_nvrtc(hk_device *d, const char *text, hk_cache *cache, bool keeps) {
  char made[HK_PATH + 100], ignored[HK_DEVICE_WORDS];
  hk_cubin cubin = {0};
  hk_status st = hki_nvrtc_compile(d->ctx, text, d->facts.arch, is_whole(d), d->job.compile_limit,
                                   &cubin, d->why, sizeof d->why);
  d->facts.seconds = cubin.seconds;
  if (st == HK_OK) st = load(d, cubin.bytes);
  if (st == HK_OK && keeps && hki_cache_begin(cache, ignored, sizeof ignored)) {
    snprintf(made, sizeof made, "%s/program.so", cache->work);
    if (write_bytes(made, cubin.bytes, cubin.n, ignored, sizeof ignored))
      hki_cache_adopt(cache, made, ignored, sizeof ignored);
    hki_cache_end(cache);
  }
  hki_free(d->ctx, cubin.bytes);
  return st;
}

/* nvcc makes it in the folder, which must be there */
static hk_status make_by_nvcc(hk_device *d, const char *nvcc, const char *text, hk_cache *cache) {
  char made[HK_PATH + 100];
  if (!hki_cache_begin(cache, d->why, sizeof d->why)) return HK_E_FILE;
  snprintf(made, sizeof made, "%s/program.so", cache->work);
  const bool good =
      run_nvcc(d, nvcc, text, cache, made) && hki_cache_adopt(cache, made, d->why, sizeof d->why);
  hki_cache_end(cache);
  if (hki_stopped(d->ctx)) return HK_INTERRUPTED;
  if (good && load_kept(d, cache)) return d->facts.kept = false, HK_OK;
  if (good) snprintf(d->why, sizeof d->why, "the card does not take what %s has made", nvcc);
  return HK_E_FILE;
}

static hk_status make_program(hk_device *d, const char *text) {
  char no[HK_DEVICE_WORDS] = "", nvcc[HK_PATH];
  hk_cache cache;
  uint64_t key[2];
  if (strlen(text) > MOST_TEXT) {
    snprintf(d->why, sizeof d->why,
             "the program of the model has %.1f MB, and compilers for cards take more than minutes "
             "for more than %.0f",
             1e-6 * (double)strlen(text), 1e-6 * MOST_TEXT);
    return HK_E_FILE;
  }
  const bool nvrtc = hki_nvrtc_version(d->facts.compiler, sizeof d->facts.compiler, no, sizeof no);
  if (!nvrtc && !find_nvcc(nvcc, sizeof nvcc)) {
    snprintf(d->why, sizeof d->why, "%s", no);
    return HK_E_FILE;
  }
  if (!nvrtc) snprintf(d->facts.compiler, sizeof d->facts.compiler, "%.79s", nvcc);
  find_key(d, text, key);
  const bool keeps = hki_cache_open(&cache, key, d->why, sizeof d->why);
  if (keeps && load_kept(d, &cache)) return HK_OK;
  const char *before = hki_phase(d->ctx, "compiling the model for the card");
  hk_status st = HK_E_FILE;
  if (nvrtc)
    st = make_by_nvrtc(d, text, &cache, keeps);
  else if (keeps)
    st = make_by_nvcc(d, nvcc, text, &cache);
  hki_phase(d->ctx, before);
  return st;
}

/* --- the card --------------------------------------------------------------------------------- */

static hk_status find_card(hk_device *d) {
  int count = 0, major = 0, minor = 0;
  int e = d->c->device_count(&count);
  if (e == 0 && (d->job.ordinal < 0 || d->job.ordinal >= count)) {
    snprintf(d->why, sizeof d->why, "card %d was asked for, but there %s %d, from 0 on",
             d->job.ordinal, count == 1 ? "is" : "are", count);
    return HK_E_USAGE;
  }
  if (e == 0) e = d->c->device(&d->card, d->job.ordinal);
  if (e == 0) e = d->c->device_name(d->facts.name, (int)sizeof d->facts.name, d->card);
  if (e == 0) e = d->c->device_attribute(&major, HK_CUDA_MAJOR, d->card);
  if (e == 0) e = d->c->device_attribute(&minor, HK_CUDA_MINOR, d->card);
  if (e == 0) e = d->c->device_attribute(&d->facts.processors, HK_CUDA_PROCESSORS, d->card);
  d->facts.arch = 10 * major + minor;
  void *context = NULL;
  if (e == 0) e = d->c->retain(&context, d->card);
  if (e) return hki_device_fail(d, e, "it is opened");
  d->context = context;
  return HK_OK;
}

static hk_status find_kernels(hk_device *d) {
  static const char *const names[] = {"hkx_reset", "hkx_advance", "hkx_show", "hkx_put",
                                      "hkx_take"};
  int e = 0, most = THREADS;
  for (int k = 0; k < HK_KERNELS && e == 0; k++)
    e = d->c->function(&d->kernel[k], d->module, names[k]);
  void *step = d->kernel[HK_KERNEL_ADVANCE];
  if (e == 0) e = d->c->function_attribute(&d->facts.registers, HK_CUDA_REGISTERS, step);
  if (e == 0) e = d->c->function_attribute(&d->facts.local, HK_CUDA_LOCAL, step);
  if (e == 0) e = d->c->function_attribute(&most, HK_CUDA_THREADS, step);
  if (e) return hki_device_fail(d, e, "its kernels are looked for");
  if (d->facts.threads > most) d->facts.threads = most;
  return HK_OK;
}

/* blocks that a processor of the card can hold at once, by their registers: a thread has nearly all that it can name */
int hki_device_blocks(const hk_device *d) {
  const int n = MOST_WARPS / d->job.warps;
  return n < 1 ? 1 : n;
}

static hk_status add_text(hk_device *d, const char *text, hk_text *out) {
  hki_text_add(out, text);
  if (!out->failed) return HK_OK;
  snprintf(d->why, sizeof d->why, "no memory for the text of the kernels");
  return HK_E_MEMORY;
}

/* What the warps of a block share is their part of what a processor of the card has for it; a text says how much that is. */
static hk_status find_shared(hk_device *d, const char *text, hk_text *out) {
  enum { OTHERS = 2048 }; /* bytes that the kernels name themselves, and the driver's own */
  int most = 0, all = 0;
  int e = d->c->device_attribute(&most, HK_CUDA_SHARED_MOST, d->card);
  if (e == 0) e = d->c->device_attribute(&all, HK_CUDA_SHARED_ALL, d->card);
  if (e) return hki_device_fail(d, e, "it is opened");
  const size_t one = 32 * (d->job.single ? sizeof(float) : sizeof(double));
  const int part = all / hki_device_blocks(d);
  if (part < most) most = part;
  d->facts.shared = most > OTHERS ? (int)((size_t)(most - OTHERS) / one) : 0;
  if (d->facts.shared > d->job.numbers) d->facts.shared = d->job.numbers;
  hki_text_printf(out, "#define HKX_SHARED %d\n#define HKX_BLOCKS %d\n", d->facts.shared,
                  hki_device_blocks(d));
  return add_text(d, text, out);
}

/* threads of a block, and the text with what it has to know of them */
static hk_status find_block(hk_device *d, const char *text, hk_text *out) {
  const bool few = d->job.worlds / THREADS < d->facts.processors;
  const bool large = strlen(text) > LONG_TEXT;
  d->facts.threads = few || large ? FEW_THREADS : THREADS;
  if (d->job.warps > 1) return find_shared(d, text, out);
  hki_text_printf(out, "#define HKX_BLOCK %d\n", large ? FEW_THREADS : THREADS);
  return add_text(d, text, out);
}

/* the kernel may ask for it */
static hk_status allow_shared(hk_device *d) {
  const size_t one = 32 * (d->job.single ? sizeof(float) : sizeof(double));
  const int e = d->c->function_set(d->kernel[HK_KERNEL_ADVANCE], HK_CUDA_SHARED,
                                   (int)((size_t)d->facts.shared * one));
  return e ? hki_device_fail(d, e, "memory of its warps is asked for") : HK_OK;
}

hk_status hki_device_build(hk_device *d, const char *text) {
  if (d->job.compile_limit <= 0.0) d->job.compile_limit = 300.0;
  hk_status st = find_card(d);
  if (st != HK_OK) return st;
  const int e = d->c->push(d->context);
  if (e) return hki_device_fail(d, e, "it is opened");
  hk_text own;
  hki_text_init(&own, d->ctx);
  st = find_block(d, text, &own);
  if (st == HK_OK) st = make_program(d, own.s);
  hki_text_free(&own);
  if (st == HK_OK) st = find_kernels(d);
  if (st == HK_OK && d->job.warps > 1) st = allow_shared(d);
  void *was = NULL;
  d->c->pop(&was);
  return st;
}
