/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c: opens and reads regular files. Anything else (directory, device, pipe, socket) is refused
 * before it is opened, because opening alone may block or have effects.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context_impl.h"

/* words for a path that is not a regular file */
static const char *kind(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return S_ISSOCK(mode) ? "a socket" : "not a regular file";
}

hk_status hki_file_missing(hk_ctx *ctx, const char *path, hk_loc loc, int error) {
  char dir[1024], hint[1400] = "";
  const char *slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) + 1 : 0;
  snprintf(dir, sizeof dir, "%.*s", (int)n, n ? path : "");
  DIR *d = error == ENOENT && n < sizeof dir ? opendir(n ? dir : ".") : NULL;
  if (d) {
    char best[256] = "";
    hk_nearest near;
    hki_nearest_init(&near, slash ? slash + 1 : path);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
      int32_t before = near.best_distance;
      hki_nearest_try(&near, e->d_name);
      if (near.best_distance < before) snprintf(best, sizeof best, "%s", e->d_name);
    }
    closedir(d);
    if (best[0]) snprintf(hint, sizeof hint, "did you mean '%s%s'?", n ? dir : "", best);
  }
  return hki_error(ctx, HK_E_FILE, loc, hint, "cannot read '%s': %s", path, strerror(error));
}

bool hki_file_inside(const char *path, size_t folder) {
  char home[PATH_MAX], *real, *base;
  if (folder >= sizeof home) return false;
  memcpy(home, folder ? path : ".", folder ? folder : 1);
  home[folder ? folder : 1] = '\0';
  base = realpath(home, NULL);
  real = realpath(path, NULL);
  const size_t n = base ? strlen(base) : 0;
  const bool ok = !real || (base && strncmp(real, base, n) == 0 && (real[n] == '/' || n == 1));
  free(base);
  free(real);
  return ok;
}

static hk_status too_large(hk_ctx *ctx, const char *path, hk_loc loc, size_t max) {
  return hki_error(ctx, HK_E_FILE, loc, NULL, "'%s' is larger than the limit of %zu bytes", path,
                   max);
}

/* reads fd to its end into a growing buffer; guess is its size as reported by the system */
static hk_status read_all(hk_ctx *ctx, int fd, const char *path, hk_loc loc, size_t max,
                          size_t guess, char **text, size_t *len) {
  size_t cap = guess + 2, n = 0;
  char *s = hki_realloc(ctx, NULL, cap);
  if (!s) return HK_E_MEMORY;
  for (;;) {
    ssize_t got = read(fd, s + n, cap - 1 - n);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      int error = errno;
      hki_free(ctx, s);
      return hki_error(ctx, HK_E_FILE, loc, NULL, "cannot read '%s': %s", path, strerror(error));
    }
    if (got == 0) break;
    n += (size_t)got;
    if (n > max) {
      hki_free(ctx, s);
      return too_large(ctx, path, loc, max);
    }
    // the file grows while it is read, or did not say its size
    if (n + 1 < cap) continue;
    cap += cap / 2 + 4096;
    char *more = hki_realloc(ctx, s, cap);
    if (!more) {
      hki_free(ctx, s);
      return HK_E_MEMORY;
    }
    s = more;
  }
  s[n] = '\0';
  *text = s;
  if (len) *len = n;
  return HK_OK;
}

int hki_open_file(hk_ctx *ctx, const char *path, hk_loc loc, uint64_t *size) {
  struct stat st;
  *size = 0;
  if (!path || !*path) {
    hki_error(ctx, HK_E_FILE, loc, NULL, "the file name is empty");
    return -1;
  }
  if (stat(path, &st) != 0) {
    hki_file_missing(ctx, path, loc, errno);
    return -1;
  }
  if (!S_ISREG(st.st_mode)) {
    hki_error(ctx, HK_E_FILE, loc, "give the name of a file", "cannot read '%s': it is %s", path,
              kind(st.st_mode));
    return -1;
  }
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    hki_file_missing(ctx, path, loc, errno);
    return -1;
  }
  // the path may have been replaced between stat and open
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
    hki_error(ctx, HK_E_FILE, loc, NULL, "cannot read '%s': it is not a file", path);
    close(fd);
    return -1;
  }
  *size = (uint64_t)st.st_size;
  return fd;
}

/* holds what was read; without memory for that there is no text either */
static hk_status hold_read(hk_ctx *ctx, const char *path, char **text, const size_t *len) {
  hk_status status =
      len ? hki_file_put(ctx, path, *text, *len) : hki_file_put(ctx, path, *text, strlen(*text));
  if (status == HK_OK) return HK_OK;
  hki_free(ctx, *text);
  *text = NULL;
  return status;
}

hk_status hki_read_file(hk_ctx *ctx, const char *path, hk_loc loc, size_t max, char **text,
                        size_t *len) {
  uint64_t size;
  *text = NULL;
  if (len) *len = 0;
  if (max > SIZE_MAX / 4) max = SIZE_MAX / 4;
  if (ctx && ctx->held && path) {
    const hk_file_copy *h = hki_file_find(ctx, path);
    if (h && h->len > max) return too_large(ctx, path, loc, max);
    if (h) return hki_file_get(ctx, h, text, len);
  }
  int fd = hki_open_file(ctx, path, loc, &size);
  if (fd < 0) return HK_E_FILE;
  hk_status status = size > max ? too_large(ctx, path, loc, max)
                                : read_all(ctx, fd, path, loc, max, (size_t)size, text, len);
  close(fd);
  if (status == HK_OK && ctx && ctx->holds_all) status = hold_read(ctx, path, text, len);
  return status;
}
