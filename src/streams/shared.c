/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.c: streams through POSIX shared memory: one slot with the latest frame. The writer makes the
 * count odd, writes, and makes it even; a reader that finds the count odd, or changed after it has read,
 * reads again (a sequence lock, Lameter 2005). The reader leaves the count of what it has taken, so that a
 * writer that blocks waits for it.
 *
 *   byte 0   uint32  magic "HKSM"       4  uint32  version 2
 *        8   uint32  bytes of the slot  12 uint32  the writer has ended the stream
 *       16   uint64  count              24 uint64  taken
 *       32   uint32  the reader sleeps  36 uint32  the writer sleeps
 *       64   the frame
 *
 * Whoever waits looks closely for a while, for the other side answers within a microsecond where it runs, and
 * sleeps then: it says so, looks once more, and waits for a change of the lower half of the count (a futex, Drepper
 * 2011). Whoever changes it wakes a sleeper. Both store before they look, so that one of them sees the other.
 * Looking closely keeps a processor that the other side may need: after SPIN ns in vain only GLANCE are tried, and
 * SPIN once more every AGAIN times.
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
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

#include "base/realtime.h"
#include "streams/stream.h"

enum { VERSION = 2, TRIES = 4000 };
static const uint32_t shared_magic = 0x4d534b48u;
/* ns: of looking closely; of a sleep, at most, for the other side may have no means to wake anybody */
static const int64_t SPIN = 50000, GLANCE = 1000, NAP = 2000000;
static const uint32_t AGAIN = 64;

struct hk_stream_slot {
  _Atomic uint32_t magic;
  uint32_t version, bytes;
  _Atomic uint32_t ended;
  _Atomic uint64_t count, taken;
  _Atomic uint32_t reader_sleeps, writer_sleeps;
  uint32_t reserved[6];
  unsigned char frame[];
};
_Static_assert(sizeof(struct hk_stream_slot) == 64, "the head as it is described");

/* --- sleeping and waking ---------------------------------------------------------------------------- */

#if defined(__linux__)
/* the lower half of a count, which the system compares; little-endian machines alone have streams */
static uint32_t *half(_Atomic uint64_t *x) { return (uint32_t *)(void *)x; }

static void sleep_on(_Atomic uint64_t *x, uint32_t seen, int64_t ns) {
  const struct timespec most = {.tv_nsec = (long)ns};
  (void)syscall(SYS_futex, half(x), FUTEX_WAIT, seen, &most, NULL, 0);
}

static void wake(_Atomic uint64_t *x, _Atomic uint32_t *sleeps) {
  atomic_thread_fence(memory_order_seq_cst);
  if (atomic_load_explicit(sleeps, memory_order_relaxed))
    (void)syscall(SYS_futex, half(x), FUTEX_WAKE, 1, NULL, NULL, 0);
}
#else
static void sleep_on(_Atomic uint64_t *x, uint32_t seen, int64_t ns) {
  (void)x, (void)seen;
  (void)hki_sleep_until(hki_now() + (ns < 50000 ? ns : 50000));
}
static void wake(_Atomic uint64_t *x, _Atomic uint32_t *sleeps) { (void)x, (void)sleeps; }
#endif

/* lets the other half of a processor go first */
static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

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
    (void)munmap(s->slot, s->slot_bytes);
    s->slot = NULL; // it is not ours to remove
    return HK_E_FILE;
  }
  // the writer begins anew, and a reader before it where the last writer has ended
  if (s->plan.out || !magic || atomic_load(&s->slot->ended)) {
    s->slot->version = VERSION;
    s->slot->bytes = (uint32_t)room(s);
    atomic_store(&s->slot->count, 0);
    atomic_store(&s->slot->taken, 0);
    atomic_store(&s->slot->reader_sleeps, 0);
    atomic_store(&s->slot->writer_sleeps, 0);
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
  for (int i = 0; i < TRIES; i++) {
    const uint64_t count = atomic_load_explicit(&slot->count, memory_order_acquire);
    if (count == s->slot_last) return atomic_load(&slot->ended) ? HK_STREAM_END : HK_STREAM_NOTHING;
    if (count & 1) continue;
    memcpy(s->bytes, slot->frame, room(s));
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&slot->count, memory_order_relaxed) != count) continue;
    s->have = room(s);
    s->slot_last = count;
    atomic_store_explicit(&slot->taken, count, memory_order_release);
    wake(&slot->taken, &slot->writer_sleeps);
    return HK_STREAM_NEW;
  }
  // the writer was stopped in the middle, or writes without end
  return atomic_load(&slot->ended) ? HK_STREAM_END : HK_STREAM_NOTHING;
}

hk_stream_got hki_shared_put(hk_stream *s, size_t n, bool end) {
  struct hk_stream_slot *slot = s->slot;
  if (end) {
    atomic_store(&slot->ended, 1);
    wake(&slot->count, &slot->reader_sleeps);
    return HK_STREAM_NEW;
  }
  const uint64_t count = s->slot_last + 2;
  atomic_store_explicit(&slot->count, count - 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  memcpy(slot->frame, s->bytes, n);
  atomic_store_explicit(&slot->count, count, memory_order_release);
  wake(&slot->count, &slot->reader_sleeps);
  s->slot_last = count;
  return HK_STREAM_NEW;
}

/* something new to read, and not half of it; for a writer: what was written last has been taken */
static bool is_there(const hk_stream *s, bool write) {
  const struct hk_stream_slot *slot = s->slot;
  if (write) return atomic_load_explicit(&slot->taken, memory_order_acquire) == s->slot_last;
  const uint64_t count = atomic_load_explicit(&slot->count, memory_order_acquire);
  return (count != s->slot_last && !(count & 1)) ||
         atomic_load_explicit(&slot->ended, memory_order_relaxed);
}

bool hki_shared_wait(hk_stream *s, bool write, int64_t until) {
  struct hk_stream_slot *slot = s->slot;
  int64_t now = hki_now();
  const bool closely = !s->vain || s->vain % AGAIN == 0;
  const int64_t spin = now + (closely ? SPIN : GLANCE), near = spin < until ? spin : until;
  for (; now < near; now = hki_now())
    for (int i = 0; i < 32; i++) {
      if (is_there(s, write)) return s->vain = closely ? 0 : s->vain + 1, true;
      breathe();
    }
  s->vain++;
  if (now >= until) return is_there(s, write);
  _Atomic uint32_t *sleeps = write ? &slot->writer_sleeps : &slot->reader_sleeps;
  _Atomic uint64_t *x = write ? &slot->taken : &slot->count;
  atomic_store(sleeps, 1);
  const uint32_t seen = (uint32_t)atomic_load(x);
  if (!is_there(s, write)) sleep_on(x, seen, until - now < NAP ? until - now : NAP);
  atomic_store(sleeps, 0);
  return is_there(s, write);
}
#endif
