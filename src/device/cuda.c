/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda.c: see cuda.h. The driver of a card.
 */
#include "device/cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const symbols[] = {
#define C(member, symbol, arguments) #symbol,
#include "device/cuda.def"
#undef C
};

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static hk_cuda driver;
static bool ready;

void hki_cuda_words(const hk_cuda *c, int error, char *out, size_t cap) {
  const char *name = NULL, *text = NULL;
  if (c->error_name) c->error_name(error, &name);
  if (c->error_text) c->error_text(error, &text);
  snprintf(out, cap, "%s (%d)%s%s", name ? name : "an error of the driver", error, text ? ": " : "",
           text ? text : "");
}

/* the functions of a library in the order of the table, which is the order of the struct */
static const char *find_all(void *library, hk_cuda *c) {
  const size_t n = sizeof symbols / sizeof symbols[0];
  for (size_t i = 0; i < n; i++) {
    void *f = dlsym(library, symbols[i]);
    if (!f) return symbols[i];
    memcpy((char *)c + i * sizeof f, &f, sizeof f);
  }
  return NULL;
}

static bool open_driver(char *why, size_t cap) {
  const char *named = getenv("HOOKE_CUDA"), *file = named && *named ? named : "libcuda.so.1";
  hk_cuda c = {0};
  c.library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!c.library) {
    const char *said = dlerror();
    snprintf(why, cap, "there is no driver of an NVIDIA card (%s)", said ? said : file);
    return false;
  }
  const char *lacks = find_all(c.library, &c);
  if (lacks) {
    snprintf(why, cap, "the driver of the card (%s) is too old: it has no %s", file, lacks);
    dlclose(c.library);
    return false;
  }
  char text[400];
  int st = c.init(0), count = 0;
  if (st == 0) st = c.version(&c.driver);
  if (st == 0) st = c.device_count(&count);
  if (st == 0 && count > 0) return driver = c, true;
  hki_cuda_words(&c, st ? st : HK_CUDA_NO_DEVICE, text, sizeof text);
  snprintf(why, cap, "the driver %s finds no card: %s", file, text);
  dlclose(c.library);
  return false;
}

const hk_cuda *hki_cuda(char *why, size_t cap) {
  pthread_mutex_lock(&one);
  if (!ready) ready = open_driver(why, cap);
  pthread_mutex_unlock(&one);
  return ready ? &driver : NULL;
}
