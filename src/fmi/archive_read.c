/* SPDX-License-Identifier: Apache-2.0
 *
 * archive_read.c: zip archives from outside, see archive.h. Only the directory at the end is believed, and
 * local headers as far as they say where the bytes begin.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "fmi/archive.h"

enum { ENDING = 22, LOCAL = 30, CENTRAL = 46 };

static uint32_t get(const unsigned char *p, int bytes) {
  uint32_t x = 0;
  for (int i = 0; i < bytes; i++) x |= (uint32_t)p[i] << (8 * i);
  return x;
}

static hk_status refuse(const hk_archive *a, const char *name, const char *why) {
  return hki_error(a->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "'%s' is refused: %s%s%.200s%s", a->path,
                   why, name ? " '" : "", name ? name : "", name ? "'" : "");
}

/* why a name cannot be that of a file inside the folder; NULL: it can */
static const char *bad_name(const char *s) {
  if (!*s) return "an entry has no name";
  if (*s == '/' || *s == '\\' || (s[0] && s[1] == ':')) return "an absolute path";
  for (const char *c = s; *c; c++)
    if (*c == '\\' || (unsigned char)*c < 0x20 || *c == 0x7F)
      return "a name with a backslash or a control character";
  for (const char *c = s; *c;) {
    const size_t n = strcspn(c, "/");
    if (n == 0 || (n == 1 && c[0] == '.') || (n == 2 && c[0] == '.' && c[1] == '.'))
      return "a path that leads out of its folder";
    c += n;
    if (*c) c++;
  }
  return strlen(s) > 1000 ? "a very long name" : NULL;
}

/* the record at the end, behind which only a comment may stand; NULL: there is none */
static const unsigned char *find_end(const unsigned char *bytes, size_t len) {
  if (len < ENDING) return NULL;
  for (size_t back = ENDING; back <= len && back <= ENDING + 65535; back++) {
    const unsigned char *p = bytes + len - back;
    if (get(p, 4) == 0x06054b50 && get(p + 20, 2) == back - ENDING) return p;
  }
  return NULL;
}

/* an entry of the directory, which has at least CENTRAL bytes at p */
static hk_status read_entry(hk_archive *a, const unsigned char *p, size_t left, size_t *took) {
  const size_t name = get(p + 28, 2), extra = get(p + 30, 2), comment = get(p + 32, 2);
  *took = CENTRAL + name + extra + comment;
  if (get(p, 4) != 0x02014b50 || *took > left) return refuse(a, NULL, "its directory is damaged");
  hk_archive_entry e = {.crc = get(p + 16, 4),
                        .packed = get(p + 20, 4),
                        .size = get(p + 24, 4),
                        .at = get(p + 42, 4),
                        .method = (int32_t)get(p + 10, 2)};
  if (memchr(p + CENTRAL, 0, name)) return refuse(a, NULL, "a name with a zero byte");
  if (!HK_GROW(a->ctx, a->entries, a->cap, a->n + 1) ||
      !(e.name = hki_strndup(a->ctx, (const char *)p + CENTRAL, name)))
    return HK_E_MEMORY;
  a->entries[a->n++] = e;
  const uint32_t mode = get(p + 38, 4) >> 16 & 0170000;
  const char *why = bad_name(e.name);
  if (!why && mode == 0120000) why = "a link";
  if (!why && (get(p + 8, 2) & 1)) why = "an encrypted entry";
  if (!why && e.method != 0 && e.method != 8) why = "an unknown compression of entry";
  if (!why && (e.size == 0xFFFFFFFFu || e.packed == 0xFFFFFFFFu)) why = "an entry beyond 4 GB";
  if (!why && e.method == 0 && e.size != e.packed) why = "sizes that do not agree of entry";
  if (!why && e.size / 1100 > e.packed) why = "an entry that unfolds beyond measure,";
  if (why) return refuse(a, e.name, why);
  if (e.at > a->len || a->len - e.at < LOCAL || get(a->bytes + e.at, 4) != 0x04034b50)
    return refuse(a, e.name, "no bytes where those should be of");
  const uint64_t skip = LOCAL + get(a->bytes + e.at + 26, 2) + get(a->bytes + e.at + 28, 2);
  if (skip + e.packed > a->len - e.at) return refuse(a, e.name, "it ends within entry");
  return HK_OK;
}

/* no name twice, and none that is a folder of another */
static hk_status compare_names(const hk_archive *a) {
  hk_names *names = hki_names_create(a->ctx);
  hk_status st = names ? HK_OK : HK_E_MEMORY;
  for (int32_t i = 0; st == HK_OK && i < a->n; i++) {
    int32_t at = 0;
    if (!hki_names_add(names, a->entries[i].name, i, &at))
      st = at < 0 ? HK_E_MEMORY : refuse(a, a->entries[i].name, "two entries have the name");
  }
  for (int32_t i = 0; st == HK_OK && i < a->n; i++) {
    char path[1001];
    const char *name = a->entries[i].name;
    for (const char *s = strchr(name, '/'); st == HK_OK && s && s[1]; s = strchr(s + 1, '/')) {
      snprintf(path, sizeof path, "%.*s", (int)(s - name), name);
      if (hki_names_find(names, path) >= 0) st = refuse(a, path, "a file stands for a folder:");
    }
  }
  hki_names_destroy(names);
  return st;
}

hk_status hki_archive_open(hk_ctx *ctx, const char *path, const void *bytes, size_t len,
                           hk_archive *out) {
  *out = (hk_archive){.ctx = ctx, .path = path, .bytes = bytes, .len = len};
  const unsigned char *end = find_end(bytes, len);
  if (!end) return refuse(out, NULL, "it is no zip archive");
  const size_t n = get(end + 10, 2), size = get(end + 12, 4), from = get(end + 16, 4);
  if (n > HK_ARCHIVE_ENTRIES) return refuse(out, NULL, "it has too many entries");
  if (from > len || size > len - from) return refuse(out, NULL, "its directory is damaged");
  const unsigned char *p = out->bytes + from;
  size_t left = size, took = 0;
  uint64_t sum = 0;
  hk_status st = HK_OK;
  for (size_t i = 0; st == HK_OK && i < n; i++) {
    st = left < CENTRAL ? refuse(out, NULL, "its directory is damaged")
                        : read_entry(out, p, left, &took);
    if (st != HK_OK) break;
    p += took, left -= took;
    sum += out->entries[i].size;
    if (sum > HK_ARCHIVE_BYTES) st = refuse(out, NULL, "it unfolds into more than 1 GB");
  }
  if (st == HK_OK) st = compare_names(out);
  if (st != HK_OK) hki_archive_close(out);
  return st;
}

void hki_archive_close(hk_archive *a) {
  for (int32_t i = 0; i < a->n; i++) hki_free(a->ctx, a->entries[i].name);
  hki_free(a->ctx, a->entries);
  a->entries = NULL, a->n = a->cap = 0;
}

const hk_archive_entry *hki_archive_find(const hk_archive *a, const char *name) {
  for (int32_t i = 0; i < a->n; i++)
    if (strcmp(a->entries[i].name, name) == 0) return &a->entries[i];
  return NULL;
}

hk_status hki_archive_read(const hk_archive *a, const hk_archive_entry *e, char **out) {
  const unsigned char *h = a->bytes + e->at, *from = h + LOCAL + get(h + 26, 2) + get(h + 28, 2);
  *out = NULL;
  char *text = hki_realloc(a->ctx, NULL, (size_t)e->size + 1);
  if (!text) return HK_E_MEMORY;
  bool good = true;
  if (e->method == 0) {
    if (e->size) memcpy(text, from, (size_t)e->size);
  } else {
    z_stream z = {0};
    unsigned char none[1];
    good = inflateInit2(&z, -15) == Z_OK;
    z.next_in = (Bytef *)(uintptr_t)from, z.avail_in = (uInt)e->packed;
    z.next_out = e->size ? (Bytef *)text : none, z.avail_out = (uInt)e->size;
    if (good) good = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == e->size;
    inflateEnd(&z);
  }
  if (good) good = crc32(0, (const Bytef *)text, (uInt)e->size) == e->crc;
  if (!good) {
    hki_free(a->ctx, text);
    return refuse(a, e->name, "the bytes do not have their sum, or cannot be unpacked, of");
  }
  text[e->size] = '\0';
  *out = text;
  return HK_OK;
}

/* --- unpacking -------------------------------------------------------------------------------- */

/* the folders of a path below `folder` */
static int make_folders(char *path, size_t from) {
  for (char *s = strchr(path + from, '/'); s; s = strchr(s + 1, '/')) {
    *s = '\0';
    const int made = mkdir(path, 0700);
    const int error = errno;
    *s = '/';
    if (made != 0 && error != EEXIST) return error;
  }
  return 0;
}

/* writes a file that is not there yet; errno, 0: done */
static int write_file(const char *path, const char *bytes, size_t len) {
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  if (fd < 0) return errno;
  int error = 0;
  for (size_t done = 0; done < len && !error;) {
    const ssize_t n = write(fd, bytes + done, len - done);
    if (n < 0 && errno != EINTR) error = errno;
    if (n > 0) done += (size_t)n;
  }
  return close(fd) != 0 && !error ? errno : error;
}

hk_status hki_archive_unpack(const hk_archive *a, const char *folder) {
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < a->n; i++) {
    const hk_archive_entry *e = &a->entries[i];
    char path[2200], *bytes = NULL;
    const int n = snprintf(path, sizeof path, "%s/%s", folder, e->name);
    if (n < 0 || n >= (int)sizeof path) return refuse(a, e->name, "a very long name");
    int error = make_folders(path, strlen(folder) + 1);
    if (!error && path[n - 1] != '/') {
      if ((st = hki_archive_read(a, e, &bytes)) != HK_OK) break;
      error = write_file(path, bytes, (size_t)e->size);
      hki_free(a->ctx, bytes);
    }
    if (error)
      st = hki_error(a->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s", path,
                     strerror(error));
  }
  return st;
}
