/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.c: streams through POSIX shared memory: one slot with the latest frame. The writer makes the
 * count odd, writes, and makes it even; a reader that finds the count odd, or changed after it has read,
 * reads again (a sequence lock, Lameter 2005). The reader leaves the count of what it has taken, so that a
 * writer that blocks waits for it.
 *
 *   byte 0   uint32  magic "HKSM"     4  uint32  version 1
 *        8   uint32  bytes of the slot  12 uint32  the writer has ended the stream
 *       16   uint64  count              24 uint64  taken
 *       32   the frame
 */
#if defined(_WIN32)
#include <stdio.h>

#include "streams/stream.h"

hk_status hki_shared_open(hk_stream *s) {
  snprintf(s->words, sizeof s->words, "there is no POSIX shared memory in this build");
  return HK_E_FILE;
}
int hki_shared_ready(hk_stream *s) { return s ? -1 : 0; }
void hki_shared_close(hk_stream *s) { s->slot = NULL; }
hk_stream_got hki_shared_take(hk_stream *s) { return s ? HK_STREAM_END : HK_STREAM_FAULT; }
hk_stream_got hki_shared_put(hk_stream *s, size_t n, bool end) {
  return s && n && end ? HK_STREAM_END : HK_STREAM_FAULT;
}
bool hki_shared_wait(hk_stream *s, bool write, int64_t until) { return s && write && until < 0; }
#else
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/realtime.h"
#include "streams/stream.h"

enum { VERSION = 1, SPINS = 4000 };
static const uint32_t shared_magic = 0x4d534b48u;

struct hk_stream_slot {
  _Atomic uint32_t magic;
  uint32_t version, bytes;
  _Atomic uint32_t ended;
  _Atomic uint64_t count, taken;
  unsigned char frame[];
};

static hk_status fail(hk_stream *s, const char *what, int error) {
  snprintf(s->words, sizeof s->words, "%s '%.100s': %s", what, s->plan.address, strerror(error));
  return HK_E_FILE;
}

static size_t room(const hk_stream *s) {
  return s->plan.raw ? 8 * (size_t)s->plan.columns : hki_frame_size((uint32_t)s->plan.columns);
}

/* maps the object of the open descriptor */
static hk_status map(hk_stream *s, int fd) {
  const size_t n = sizeof *s->slot + room(s);
  void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return fail(s, "cannot map the shared memory", errno);
  s->slot = at;
  s->slot_bytes = n;
  return HK_OK;
}

/* Both sides may make it, the first one does: an object of the right size is taken over, one that an
 * earlier run has left and that has ended is begun anew. */
hk_status hki_shared_open(hk_stream *s) {
  struct stat is;
  const size_t n = sizeof *s->slot + room(s);
  char name[256];
  snprintf(name, sizeof name, "%s%s", s->plan.address[0] == '/' ? "" : "/", s->plan.address);
  if (strchr(name + 1, '/') || strlen(name) < 2 || strlen(name) > 200) {
    snprintf(s->words, sizeof s->words,
             "'%.100s' is no name of shared memory: one word without '/'", s->plan.address);
    return HK_E_USAGE;
  }
  const int fd = shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || fstat(fd, &is) != 0) return fail(s, "no shared memory", errno);
  const bool fresh = is.st_size == 0;
  if (!fresh && is.st_size != (off_t)n) {
    close(fd);
    snprintf(s->words, sizeof s->words,
             "the shared memory '%.100s' has %lld bytes, and %d columns need %zu: it is of another "
             "stream",
             s->plan.address, (long long)is.st_size, (int)s->plan.columns, n);
    return HK_E_FILE;
  }
  if (fresh && ftruncate(fd, (off_t)n) != 0) {
    close(fd);
    return fail(s, "no shared memory", errno);
  }
  hk_status st = map(s, fd);
  if (st != HK_OK) return st;
  const uint32_t magic = atomic_load(&s->slot->magic);
  if (magic &&
      (magic != shared_magic || s->slot->version != VERSION || s->slot->bytes != room(s))) {
    snprintf(s->words, sizeof s->words, "the shared memory '%.100s' is of something else",
             s->plan.address);
    return HK_E_FILE;
  }
  // the writer begins anew, and a reader before it where the last writer has ended
  if (s->plan.out || !magic || atomic_load(&s->slot->ended)) {
    s->slot->version = VERSION;
    s->slot->bytes = (uint32_t)room(s);
    atomic_store(&s->slot->count, 0);
    atomic_store(&s->slot->taken, 0);
    atomic_store(&s->slot->ended, 0);
    atomic_store(&s->slot->magic, shared_magic);
  }
  s->owner = s->plan.listen;
  return HK_OK;
}

/* the memory is there, whoever has made it: nobody need wait */
int hki_shared_ready(hk_stream *s) { return s->slot ? 1 : 0; }

void hki_shared_close(hk_stream *s) {
  char name[256];
  if (!s->slot) return;
  (void)munmap(s->slot, s->slot_bytes);
  s->slot = NULL;
  // The name goes, so that nobody finds what is over; whoever has the memory open can read on. The other side
  // may have removed it already, or made another one.
  snprintf(name, sizeof name, "%s%s", s->plan.address[0] == '/' ? "" : "/", s->plan.address);
  (void)shm_unlink(name);
}

hk_stream_got hki_shared_take(hk_stream *s) {
  struct hk_stream_slot *slot = s->slot;
  for (int i = 0; i < SPINS; i++) {
    const uint64_t count = atomic_load_explicit(&slot->count, memory_order_acquire);
    if (count == s->slot_last) return atomic_load(&slot->ended) ? HK_STREAM_END : HK_STREAM_NOTHING;
    if (count & 1) continue;
    memcpy(s->bytes, slot->frame, room(s));
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&slot->count, memory_order_relaxed) != count) continue;
    s->have = room(s);
    s->slot_last = count;
    atomic_store_explicit(&slot->taken, count, memory_order_release);
    return HK_STREAM_NEW;
  }
  return HK_STREAM_NOTHING; // the writer was stopped in the middle, or writes without end
}

hk_stream_got hki_shared_put(hk_stream *s, size_t n, bool end) {
  struct hk_stream_slot *slot = s->slot;
  if (end) {
    atomic_store(&slot->ended, 1);
    return HK_STREAM_NEW;
  }
  const uint64_t count = s->slot_last + 2;
  atomic_store_explicit(&slot->count, count - 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  memcpy(slot->frame, s->bytes, n);
  atomic_store_explicit(&slot->count, count, memory_order_release);
  s->slot_last = count;
  return HK_STREAM_NEW;
}

/* something new to read; for a writer: what was written last has been taken */
static bool is_there(const hk_stream *s, bool write) {
  const struct hk_stream_slot *slot = s->slot;
  if (write) return atomic_load_explicit(&slot->taken, memory_order_acquire) == s->slot_last;
  return atomic_load_explicit(&slot->count, memory_order_acquire) != s->slot_last ||
         atomic_load(&slot->ended);
}

/* looks closely for a while, for the other side answers within microseconds where it runs */
bool hki_shared_wait(hk_stream *s, bool write, int64_t until) {
  for (int i = 0; i < SPINS; i++) {
    if (is_there(s, write)) return true;
    if (i % 64 == 63) (void)sched_yield();
  }
  for (int i = 0; i < 100 && hki_now() < until; i++) {
    (void)hki_sleep_until(hki_now() + 50000);
    if (is_there(s, write)) return true;
  }
  return false;
}
#endif
