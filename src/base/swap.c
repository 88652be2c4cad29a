/* SPDX-License-Identifier: Apache-2.0
 *
 * swap.c: writes a file under another name in the same directory and renames it when it is
 * complete. The rename is atomic: readers see the old file or the new one. A file that replaces
 * another is flushed to the disk before it is renamed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/swap.h"

static hk_status cannot_write(hk_ctx *ctx, const char *path, const char *why, const char *hint) {
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, hint, "cannot write '%s': %s", path, why);
}

/* the file to replace: follows links, refuses anything but a writable regular file */
static hk_status find_target(hk_swap *swap, const char *path) {
  struct stat st;
  hk_ctx *ctx = swap->ctx;
  swap->target = hki_strdup(ctx, path);
  if (!swap->target) return HK_E_MEMORY;
  if (stat(path, &st) != 0) {
    return errno == ENOENT ? HK_OK : cannot_write(ctx, path, strerror(errno), NULL);
  }
  if (!S_ISREG(st.st_mode)) {
    return cannot_write(ctx, path,
                        S_ISDIR(st.st_mode) ? "it is a directory" : "it is not a regular file",
                        "give the name of a file");
  }
  if (access(path, W_OK) != 0) return cannot_write(ctx, path, strerror(errno), NULL);
  char *real = realpath(path, NULL);
  if (!real) return cannot_write(ctx, path, strerror(errno), NULL);
  hki_free(ctx, swap->target);
  swap->target = hki_strdup(ctx, real);
  free(real);
  return swap->target ? HK_OK : HK_E_MEMORY;
}

/* reports why the part file could not be created */
static hk_status part_failed(hk_swap *swap, const char *path, int error) {
  const char *slash = strrchr(swap->target, '/');
  char hint[600] = "";
  int n = slash ? (int)(slash - swap->target) : 0;
  if (error == ENOENT && n > 0 && n < 512) {
    snprintf(hint, sizeof hint, "there is no directory '%.*s'", n, swap->target);
  } else if (error == EACCES && n < 512) {
    snprintf(hint, sizeof hint, "the directory '%.*s' is not writable", n ? n : 1,
             n ? swap->target : ".");
  }
  return cannot_write(swap->ctx, path, strerror(error), hint);
}

hk_status hki_swap_open(hk_swap *swap, hk_ctx *ctx, const char *path) {
  *swap = (hk_swap){.ctx = ctx};
  hk_status status = find_target(swap, path);
  if (status != HK_OK) return status;
  size_t room = strlen(swap->target) + 48;
  swap->part = hki_alloc(ctx, room);
  if (!swap->part) return HK_E_MEMORY;
  // a name that no other process uses: process number and a count
  for (int i = 0; i < 1000; i++) {
    snprintf(swap->part, room, "%s.%ld-%d.part", swap->target, (long)getpid(), i);
    int fd = open(swap->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return HK_OK;
    }
    if (errno != EEXIST) break;
  }
  int error = errno;
  hki_free(ctx, swap->part);
  swap->part = NULL;
  return part_failed(swap, path, error);
}

/* flush a file to the disk; a file system without fsync is not an error */
static int flush(const char *path) {
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
  close(fd);
  return error;
}

hk_status hki_swap_commit(hk_swap *swap) {
  struct stat st;
  int error = 0;
  // a file that replaces another is flushed first and takes over its permissions; a new file
  // cannot destroy anything and needs no flush
  if (stat(swap->target, &st) == 0) {
    error = flush(swap->part);
    if (!error && chmod(swap->part, st.st_mode & 07777) != 0) error = errno;
  }
  if (!error && rename(swap->part, swap->target) != 0) error = errno;
  if (error) {
    return hki_error(swap->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot finish '%s': %s",
                     swap->target, strerror(error));
  }
  hki_free(swap->ctx, swap->part);
  swap->part = NULL;
  return HK_OK;
}

void hki_swap_keep(hk_swap *swap) {
  if (!swap->part) return;
  hki_note(swap->ctx, HK_LOC_NONE, "the part that could be written is in '%s'", swap->part);
  hki_free(swap->ctx, swap->part);
  swap->part = NULL;
}

void hki_swap_end(hk_swap *swap) {
  if (swap->part) unlink(swap->part);
  hki_free(swap->ctx, swap->part);
  hki_free(swap->ctx, swap->target);
  swap->part = swap->target = NULL;
}

/* writes all bytes of a piece; 0 or an errno */
static int write_piece(int fd, const hk_piece *piece) {
  const char *at = piece->data;
  for (size_t left = piece->bytes; left;) {
    ssize_t n = write(fd, at, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    at += n, left -= (size_t)n;
  }
  return 0;
}

hk_status hki_swap_fill(hk_swap *swap, const hk_piece *piece, int32_t n) {
  int fd = open(swap->part, O_WRONLY | O_TRUNC | O_CLOEXEC);
  int error = fd < 0 ? errno : 0;
  for (int32_t i = 0; i < n && !error; i++) error = write_piece(fd, &piece[i]);
  if (fd >= 0 && close(fd) != 0 && !error) error = errno;
  return error ? cannot_write(swap->ctx, swap->target, strerror(error), NULL)
               : hki_swap_commit(swap);
}

hk_status hki_write_file(hk_ctx *ctx, const char *path, const hk_piece *piece, int32_t n) {
  hk_swap swap;
  hk_status status = hki_swap_open(&swap, ctx, path);
  if (status == HK_OK) status = hki_swap_fill(&swap, piece, n);
  hki_swap_end(&swap);
  return status;
}
