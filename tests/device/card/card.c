/* SPDX-License-Identifier: Apache-2.0
 *
 * card.c: see card.h.
 */
#define _GNU_SOURCE 1
#include "card.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* functions of the driver, as the library knows them */
#define C(member, symbol, arguments) EXPORT int symbol arguments;
#include "device/cuda.def"
#include "device/nvrtc.def"
#undef C
EXPORT const char *nvrtcGetErrorString(int e);

enum { INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_IMAGE = 200, NOT_FOUND = 500 };
enum { NOT_READY = 600 };

EXPORT fake_card fake_card_state = {.cards = 1};

/* is it this time? */
static int now(int *when) { return *when && --*when == 0; }

/* `HOOKE_FAKE_CARD=hangs` and the like, for tests in other languages */
static void read_wishes(void) {
  const char *text = getenv("HOOKE_FAKE_CARD");
  fake_card *s = &fake_card_state;
  if (!text) return;
  if (strstr(text, "no_card")) s->cards = 0;
  if (strstr(text, "no_memory")) s->fail_alloc = 1;
  if (strstr(text, "no_program")) s->fail_compile = 1;
  if (strstr(text, "bad_launch")) s->fail_launch = 3;
  if (strstr(text, "hangs")) s->hangs = 1;
}

/* --- files ------------------------------------------------------------------------------------ */

static int write_file(const char *path, const void *data, size_t n) {
  FILE *f = fopen(path, "wb");
  const int good = f && fwrite(data, 1, n, f) == n;
  if (f) fclose(f);
  return good;
}

static char *read_whole(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *n = (size_t)ftell(f);
  rewind(f);
  char *out = malloc(*n + 1);
  if (out) *n = fread(out, 1, *n, f), out[*n] = '\0';
  fclose(f);
  return out;
}

static int run(const char *const *argv, const char *log) {
  const pid_t child = fork();
  int status = -1;
  if (child == 0) {
    const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 1), dup2(fd, 2);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
  }
  waitpid(child, &status, 0);
  return status;
}

/* --- the compiler ----------------------------------------------------------------------------- */

typedef struct program {
  char *text, *made, *log;
  size_t nmade, nlog;
} program;

EXPORT const char *nvrtcGetErrorString(int e) {
  return e == 6 ? "NVRTC_ERROR_COMPILATION" : e ? "NVRTC_ERROR_INTERNAL_ERROR" : "NVRTC_SUCCESS";
}
EXPORT int nvrtcVersion(int *major, int *minor) { return *major = 0, *minor = 1, 0; }

EXPORT int nvrtcCreateProgram(void **out, const char *text, const char *name, int n,
                              const char *const *a, const char *const *b) {
  (void)name, (void)n, (void)a, (void)b;
  program *p = calloc(1, sizeof *p);
  p->text = strdup(text);
  fake_card_state.programs++;
  return *out = p, 0;
}

EXPORT int nvrtcDestroyProgram(void **out) {
  program *p = *out;
  free(p->text), free(p->made), free(p->log), free(p);
  fake_card_state.programs--;
  return *out = NULL, 0;
}

EXPORT int nvrtcCompileProgram(void *from, int n, const char *const *options) {
  program *p = from;
  char folder[] = "/tmp/hooke-card-XXXXXX", source[64], made[64], log[64];
  int exact = 0;
  for (int i = 0; i < n; i++) exact |= strcmp(options[i], "--fmad=false") == 0;
  fake_card_state.compiled++;
  if (!exact || now(&fake_card_state.fail_compile)) {
    p->log = strdup("hooke.cu(1): error: this card takes no programs\n"), p->nlog = strlen(p->log);
    return 6;
  }
  if (!mkdtemp(folder)) return 11;
  snprintf(source, sizeof source, "%s/a.cu", folder),
      snprintf(made, sizeof made, "%s/a.so", folder);
  snprintf(log, sizeof log, "%s/log", folder);
  const char *const argv[] = {"c++",     "-x",    "c++", "-std=c++14", "-O1", "-ffp-contract=off",
                              "-shared", "-fPIC", "-w",  "-o",         made,  source,
                              NULL};
  const int bad = !write_file(source, p->text, strlen(p->text)) || run(argv, log);
  if (!bad) p->made = read_whole(made, &p->nmade);
  p->log = read_whole(log, &p->nlog);
  unlink(source), unlink(made), unlink(log), rmdir(folder);
  return bad ? 6 : 0;
}

EXPORT int nvrtcGetProgramLogSize(void *from, size_t *n) {
  return *n = ((program *)from)->nlog + 1, 0;
}
EXPORT int nvrtcGetProgramLog(void *from, char *out) {
  program *p = from;
  return p->log ? (memcpy(out, p->log, p->nlog + 1), 0) : (*out = '\0', 0);
}
EXPORT int nvrtcGetCUBINSize(void *from, size_t *n) { return *n = ((program *)from)->nmade, 0; }
EXPORT int nvrtcGetCUBIN(void *from, char *out) {
  program *p = from;
  return memcpy(out, p->made, p->nmade), 0;
}

/* --- the driver ------------------------------------------------------------------------------- */

EXPORT int cuInit(unsigned flags) { return (void)flags, read_wishes(), 0; }
EXPORT int cuDriverGetVersion(int *v) { return *v = 12090, 0; }
EXPORT int cuDeviceGetCount(int *n) {
  return *n = fake_card_state.cards, fake_card_state.cards ? 0 : NO_DEVICE;
}
EXPORT int cuDeviceGet(int *device, int i) { return *device = i, 0; }
EXPORT int cuDeviceGetName(char *out, int n, int device) {
  return (void)device, snprintf(out, (size_t)n, "a card of paper"), 0;
}
EXPORT int cuDeviceGetAttribute(int *out, int what, int device) {
  (void)device;
  const int shared = fake_card_state.shared ? fake_card_state.shared
                                            : 49152; // of a block; a processor has room for two
  if (what == 97 || what == 81) return *out = what == 81 ? 2 * shared : shared, 0;
  return *out = what == 75 ? 9 : what == 76 ? 0 : what == 16 ? 2 : -1, 0;
}
EXPORT int cuDevicePrimaryCtxRetain(void **out, int device) {
  (void)device;
  return fake_card_state.contexts++, *out = &fake_card_state, 0;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  return (void)device, fake_card_state.contexts--, 0;
}

/* contexts of this thread, one above the other */
static _Thread_local int depth;
EXPORT int cuCtxPushCurrent_v2(void *context) { return context ? (depth++, 0) : 201; }
EXPORT int cuCtxPopCurrent_v2(void **out) {
  return depth > 0 ? (depth--, *out = &fake_card_state, 0) : 201;
}

/* the bytes of a file that begins at `image`: where its last table ends */
static size_t size_of(const unsigned char *image) {
  uint64_t at;
  uint16_t size, n;
  memcpy(&at, image + 40, 8), memcpy(&size, image + 58, 2), memcpy(&n, image + 60, 2);
  return (size_t)at + (size_t)size * n;
}

EXPORT int cuModuleLoadData(void **out, const void *image) {
  char path[] = "/tmp/hooke-card-XXXXXX";
  if (depth == 0) return 201;
  if (now(&fake_card_state.fail_load) || memcmp(image, "\177ELF", 4) != 0) return INVALID_IMAGE;
  const int fd = mkstemp(path);
  if (fd < 0) return INVALID_IMAGE;
  close(fd);
  *out = write_file(path, image, size_of(image)) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(path);
  fake_card_state.modules += *out != NULL;
  return *out ? 0 : INVALID_IMAGE;
}
EXPORT int cuModuleUnload(void *module) { return fake_card_state.modules--, dlclose(module); }
EXPORT int cuModuleGetFunction(void **out, void *module, const char *name) {
  char host[80];
  snprintf(host, sizeof host, "%s_host", name);
  return *out = dlsym(module, host), *out ? 0 : NOT_FOUND;
}
EXPORT int cuFuncGetAttribute(int *out, int what, void *f) {
  (void)f;
  return *out = what == 4 ? 40 : what == 0 ? 1024 : 0, 0;
}

static int allowed; /* bytes that warps may share */
EXPORT int cuFuncSetAttribute(void *f, int what, int value) {
  (void)f;
  return what == 8 && value >= 0 ? (allowed = value, 0) : INVALID;
}

/* every block has its size in front of it */
EXPORT int cuMemAlloc_v2(uint64_t *out, size_t n) {
  if (depth == 0) return 201;
  uint64_t *p = now(&fake_card_state.fail_alloc) ? NULL : malloc(n + 16);
  if (!p) return OUT_OF_MEMORY;
  memset(p, 0x5a, n + 16);
  p[0] = n;
  fake_card_state.blocks++, fake_card_state.bytes += (long long)n;
  return *out = (uint64_t)(uintptr_t)(p + 2), 0;
}
EXPORT int cuMemFree_v2(uint64_t at) {
  uint64_t *p = (uint64_t *)(uintptr_t)at - 2;
  fake_card_state.blocks--, fake_card_state.bytes -= (long long)p[0];
  return free(p), 0;
}
EXPORT int cuMemGetInfo_v2(size_t *left, size_t *all) { return *left = 1000000, *all = 2000000, 0; }
EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) {
  if (depth == 0 || now(&fake_card_state.fail_copy)) return INVALID;
  return memcpy((void *)(uintptr_t)to, from, n), 0;
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) {
  if (depth == 0 || now(&fake_card_state.fail_copy)) return INVALID;
  return memcpy(to, (const void *)(uintptr_t)from, n), 0;
}
EXPORT int cuMemsetD8_v2(uint64_t at, unsigned char byte, size_t n) {
  return memset((void *)(uintptr_t)at, byte, n), 0;
}

typedef void host_kernel(void **arguments, unsigned blocks, unsigned threads);
EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void *stream, void **arguments,
                          void **extra) {
  (void)stream, (void)extra;
  host_kernel *kernel;
  memcpy(&kernel, &f, sizeof f);
  if (depth == 0) return 201;
  if (gx == 0 || gy != 1 || gz != 1 || bx == 0 || bx > 1024 || by != 1 || bz != 1 ||
      shared > (unsigned)allowed)
    return INVALID;
  fake_card_state.launches++;
  if (now(&fake_card_state.fail_launch)) return 719;
  if (!fake_card_state.hangs) kernel(arguments, gx, bx);
  return 0;
}

EXPORT int cuEventCreate(void **out, unsigned flags) {
  return (void)flags, fake_card_state.events++, *out = &fake_card_state.events, 0;
}
EXPORT int cuEventDestroy_v2(void *e) { return (void)e, fake_card_state.events--, 0; }
EXPORT int cuEventRecord(void *e, void *stream) { return (void)e, (void)stream, 0; }
EXPORT int cuEventQuery(void *e) {
  (void)e;
  return fake_card_state.hangs ? NOT_READY : fake_card_state.failure;
}
EXPORT int cuGetErrorName(int e, const char **out) {
  return *out = e == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR", 0;
}
EXPORT int cuGetErrorString(int e, const char **out) {
  return *out = e == NO_DEVICE ? "no card" : "as it was told", 0;
}
