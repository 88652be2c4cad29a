/* SPDX-License-Identifier: Apache-2.0
 *
 * cache.c: libraries that are kept. What is loaded becomes part of this program, so that nothing is loaded that anybody else could
 * have written: the folder and its files belong to the user and nobody else may write them. A file that was cut short or changed is
 * not loaded either: behind the bytes of the library, where loaders do not look, stand its key, its length and a sum of its bytes.
 *
 * A library is made in a folder of its own and renamed when it is finished. When all of them together are larger than the folder may
 * be ($HOOKE_CACHE_MB, 256), those that were not used for the longest time are removed. Where a text cannot be written, its reason is
 * kept in the same way, in a file that ends in .no and counts for 64 kB.
 */
#define _GNU_SOURCE 1
#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct seal {
  char magic[8];
  uint64_t key[2], bytes, sum;
} seal;

static const char magic[8] = {'H', 'K', 'N', 'A', 'T', 'I', 'V', '1'};

/* --- the folder ------------------------------------------------------------------------------- */

/* its name; false: there is no home either */
static bool name_folder(char *out, size_t cap) {
  const char *own = getenv("HOOKE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int n = -1;
  if (own && *own)
    n = snprintf(out, cap, "%s", own);
  else if (xdg && xdg[0] == '/')
    n = snprintf(out, cap, "%s/hooke", xdg);
  else if (home && home[0] == '/')
    n = snprintf(out, cap, "%s/.cache/hooke", home);
  return n > 0 && (size_t)n < cap;
}

/* makes a folder and those above it, for the user alone */
static bool make_folder(char *path) {
  for (char *at = path + 1; *at; at++) {
    if (*at != '/') continue;
    *at = '\0';
    const bool made =
        mkdir(path, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
    *at = '/';
    if (!made) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* can anybody but this user write it, or change its name? */
static bool is_ours(const char *path, char *why, size_t cap) {
  struct stat info;
  char above[HK_PATH + 8];
  if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
    snprintf(why, cap, "the folder '%s' for compiled models cannot be used: it is no folder", path);
    return false;
  }
  const bool own = info.st_uid == geteuid() && !(info.st_mode & (S_IWGRP | S_IWOTH));
  snprintf(above, sizeof above, "%s/..", path);
  if (own && stat(above, &info) == 0 && (!(info.st_mode & S_IWOTH) || (info.st_mode & S_ISVTX)))
    return true;
  snprintf(why, cap, "the folder '%s' for compiled models is not used: others could write it%s",
           path, own ? " from the folder above" : "");
  return false;
}

bool hki_cache_open(hk_cache *c, const uint64_t key[2], char *why, size_t cap) {
  *c = (hk_cache){.key = {key[0], key[1]}};
  if (!name_folder(c->folder, sizeof c->folder)) {
    snprintf(why, cap, "there is no folder for compiled models: HOOKE_CACHE names one");
    return false;
  }
  if (!make_folder(c->folder)) {
    snprintf(why, cap, "the folder '%s' for compiled models cannot be made: %s", c->folder,
             strerror(errno));
    return false;
  }
  if (!is_ours(c->folder, why, cap)) return false;
  snprintf(c->file, sizeof c->file, "%s/%016llx%016llx.so", c->folder, (unsigned long long)key[0],
           (unsigned long long)key[1]);
  snprintf(c->none, sizeof c->none, "%s/%016llx%016llx.no", c->folder, (unsigned long long)key[0],
           (unsigned long long)key[1]);
  return true;
}

/* --- whole files ------------------------------------------------------------------------------ */

static bool read_all(int fd, void *to, size_t n) {
  for (char *at = to; n;) {
    const ssize_t k = read(fd, at, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return false;
    at += k, n -= (size_t)k;
  }
  return true;
}

/* sum of the n bytes of a file from its beginning on */
static bool sum_of(int fd, uint64_t n, uint64_t *sum) {
  char buf[65536];
  *sum = 3;
  while (n) {
    const size_t part = n < sizeof buf ? (size_t)n : sizeof buf;
    if (!read_all(fd, buf, part)) return false;
    *sum = hki_hash(buf, part, *sum);
    n -= part;
  }
  return true;
}

static bool is_whole(const hk_cache *c, int fd) {
  struct stat info;
  seal s;
  uint64_t sum;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid()) return false;
  if (info.st_mode & (S_IWGRP | S_IWOTH)) return false;
  const uint64_t size = (uint64_t)info.st_size;
  if (size <= sizeof s || size > HK_LIBRARY_MOST) return false;
  if (!sum_of(fd, size - sizeof s, &sum) || !read_all(fd, &s, sizeof s)) return false;
  return memcmp(s.magic, magic, sizeof magic) == 0 && s.key[0] == c->key[0] &&
         s.key[1] == c->key[1] && s.bytes == size - sizeof s && s.sum == sum;
}

bool hki_cache_has(hk_cache *c) {
  const int fd = open(c->file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool good = is_whole(c, fd);
  if (good) (void)futimens(fd, NULL); // used now
  close(fd);
  return good;
}

bool hki_cache_refuses(hk_cache *c, char *why, size_t cap) {
  struct stat info;
  const int fd = open(c->none, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  bool good = is_whole(c, fd) && fstat(fd, &info) == 0 && lseek(fd, 0, SEEK_SET) == 0;
  const size_t n = good ? (size_t)info.st_size - sizeof(seal) : 0;
  good = good && n < cap && read_all(fd, why, n);
  why[good ? n : 0] = '\0';
  if (good) (void)futimens(fd, NULL); // used now
  close(fd);
  return good;
}

/* what is behind the library's bytes */
static bool put_seal(const hk_cache *c, const char *made, char *why, size_t cap) {
  struct stat info;
  seal s = {.key = {c->key[0], c->key[1]}};
  memcpy(s.magic, magic, sizeof magic);
  const int fd = open(made, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
              (uint64_t)info.st_size + sizeof s <= HK_LIBRARY_MOST;
  if (!good) {
    snprintf(why, cap, "the compiler has written no library");
  } else {
    s.bytes = (uint64_t)info.st_size;
    good = sum_of(fd, s.bytes, &s.sum) && write(fd, &s, sizeof s) == (ssize_t)sizeof s &&
           fchmod(fd, 0600) == 0;
    if (!good) snprintf(why, cap, "'%s' cannot be written: %s", made, strerror(errno));
  }
  if (fd >= 0) close(fd);
  return good;
}

/* --- room ------------------------------------------------------------------------------------- */

static uint64_t most_bytes(void) {
  const char *text = getenv("HOOKE_CACHE_MB");
  const double mb = text ? strtod(text, NULL) : 256.0;
  return (uint64_t)(mb >= 0.0 && mb < 1e9 ? mb : 256.0) << 20;
}

static bool is_library(const char *name) {
  const size_t n = strlen(name);
  return n == 35 && strspn(name, "0123456789abcdef") == 32 &&
         (strcmp(name + 32, ".so") == 0 || strcmp(name + 32, ".no") == 0);
}

/* what a file counts for: the smallest ones have their limit too */
static uint64_t weight_of(const char *name, const struct stat *info) {
  static const uint64_t least = (uint64_t)64 << 10;
  const uint64_t size = (uint64_t)info->st_size;
  return name[33] == 'n' && size < least ? least : size;
}

/* bytes of all libraries and reasons; oldest: the one that was not used for the longest time, but that of this key; "": none */
static uint64_t survey(const hk_cache *c, char oldest[40]) {
  DIR *d = opendir(c->folder);
  uint64_t all = 0;
  struct timespec first = {0};
  const char *mine = strrchr(c->file, '/') + 1;
  oldest[0] = '\0';
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat info;
    if (!is_library(e->d_name) || fstatat(dirfd(d), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    all += weight_of(e->d_name, &info);
    const struct timespec t = info.st_mtim;
    const bool older =
        t.tv_sec < first.tv_sec || (t.tv_sec == first.tv_sec && t.tv_nsec < first.tv_nsec);
    if (strncmp(e->d_name, mine, 32) == 0 || (oldest[0] && !older)) continue;
    first = t;
    snprintf(oldest, 40, "%.36s", e->d_name);
  }
  if (d) closedir(d);
  return all;
}

static void make_room(const hk_cache *c) {
  enum { AT_ONCE = 1000 };
  const uint64_t most = most_bytes();
  char oldest[40], path[HK_PATH + 64];
  for (int i = 0; i < AT_ONCE && survey(c, oldest) > most && oldest[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", c->folder, oldest);
    if (unlink(path) != 0) return;
  }
}

/* --- making a library ------------------------------------------------------------------------- */

/* removes a folder in which one was made */
static void remove_work(const char *work) {
  static const char *const files[] = {"program.c", "program.so"};
  char path[HK_PATH + 400];
  for (int32_t i = 0; i < HK_ARRAY_LEN(files); i++) {
    snprintf(path, sizeof path, "%s/%s", work, files[i]);
    unlink(path);
  }
  rmdir(work);
}

/* what programs left that were ended while they made one: older than a day */
static void remove_left(const hk_cache *c) {
  static const double day = 86400.0;
  DIR *d = opendir(c->folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    struct stat info;
    char path[HK_PATH + 300];
    if (strncmp(e->d_name, ".make-", 6) != 0) continue;
    if (fstatat(dirfd(d), e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode))
      continue;
    if (difftime(time(NULL), info.st_mtime) < day) continue;
    snprintf(path, sizeof path, "%s/%s", c->folder, e->d_name);
    remove_work(path);
  }
  if (d) closedir(d);
}

bool hki_cache_begin(hk_cache *c, char *why, size_t cap) {
  remove_left(c);
  snprintf(c->work, sizeof c->work, "%s/.make-XXXXXX", c->folder);
  if (mkdtemp(c->work)) return true;
  c->work[0] = '\0';
  snprintf(why, cap, "nothing can be written to the folder '%s' for compiled models: %s", c->folder,
           strerror(errno));
  return false;
}

bool hki_cache_adopt(hk_cache *c, const char *made, char *why, size_t cap) {
  if (!put_seal(c, made, why, cap)) return false;
  if (rename(made, c->file) != 0) {
    snprintf(why, cap, "'%s' cannot be written: %s", c->file, strerror(errno));
    return false;
  }
  make_room(c);
  return true;
}

void hki_cache_refuse(hk_cache *c, const char *why) {
  char path[HK_PATH + 100], words[2 * HK_PATH + 200];
  // what cannot be kept is found again
  if (!hki_cache_begin(c, words, sizeof words)) return;
  snprintf(path, sizeof path, "%s/program.c", c->work);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const size_t n = strlen(why);
  const bool written = fd >= 0 && write(fd, why, n) == (ssize_t)n;
  if (fd >= 0) close(fd);
  if (written && put_seal(c, path, words, sizeof words) && rename(path, c->none) == 0) make_room(c);
  hki_cache_end(c);
}

void hki_cache_end(hk_cache *c) {
  if (c->work[0]) remove_work(c->work);
  c->work[0] = '\0';
}
