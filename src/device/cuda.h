/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.h: the driver of NVIDIA's cards and their compiler NVRTC, both libraries that are looked for while the program runs.
 * Nothing of them is needed to build Hooke, and nothing is lost where they are not there.
 *
 *   driver     $HOOKE_CUDA, else libcuda.so.1
 *   compiler   $HOOKE_NVRTC, else libnvrtc.so of the versions 13, 12 and 11.2, or without a version, where the system
 *              looks for libraries, then below $CUDA_HOME, $CUDA_PATH and /usr/local/cuda
 */
#ifndef HK_DEVICE_CUDA_H
#define HK_DEVICE_CUDA_H

#include "base/base.h"

enum { HK_DEVICE_WORDS = 1500 }; /* bytes of a reason */

/* numbers of the driver that are used by name */
enum {
  HK_CUDA_OUT_OF_MEMORY = 2,
  HK_CUDA_NO_DEVICE = 100,
  HK_CUDA_NOT_READY = 600,
  HK_CUDA_MAJOR = 75, /* attributes of a card: version of its instructions, */
  HK_CUDA_MINOR = 76,
  HK_CUDA_PROCESSORS = 16,  /* how many processors it has */
  HK_CUDA_SHARED_ALL = 81,  /* bytes that all its blocks share on one of them, */
  HK_CUDA_SHARED_MOST = 97, /* and those of one block may */
  HK_CUDA_SHARED = 8,    /* of a kernel: bytes that its warps share, beside those that it names, */
  HK_CUDA_LOCAL = 3,     /* of a kernel: bytes of memory of a thread, */
  HK_CUDA_REGISTERS = 4, /* its registers, */
  HK_CUDA_THREADS = 0    /* the most threads of a block */
};

/* The driver. Its functions return 0 where all is well. */
typedef struct hk_cuda {
#define C(member, symbol, arguments) int(*member) arguments;
#include "device/cuda.def"
#undef C
  void *library; /* stays loaded until the process ends */
  int driver;    /* version: 12090 is 12.9 */
} hk_cuda;

/* The one driver of this process. NULL: why not, in words. */
const hk_cuda *hki_cuda(char *why, size_t cap);
/* an error of the driver as text: its name and what it says about it */
void hki_cuda_words(const hk_cuda *c, int error, char *out, size_t cap);

/* what NVRTC has made of a text */
typedef struct hk_cubin {
  char *bytes; /* hki_free */
  size_t n;
  double seconds;
} hk_cubin;

/* A text compiled for cards of one version of instructions (90: 9.0). `quick`: with the register allocator for long texts.
 * HK_OK, else why not, in words: HK_E_FILE (no compiler, or it refuses the text), HK_E_MEMORY, HK_INTERRUPTED. */
hk_status hki_nvrtc_compile(hk_ctx *ctx, const char *text, int arch, bool quick, double limit,
                            hk_cubin *out, char *why, size_t cap);
/* name and version of the compiler, as part of the key of what is kept; false: there is none, and why */
bool hki_nvrtc_version(char *out, size_t n, char *why, size_t cap);

#endif
