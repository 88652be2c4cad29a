/* SPDX-License-Identifier: Apache-2.0
 *
 * hooke_stream.h: the other side of a stream of Hooke, in one file without dependencies. C99 and POSIX,
 * little-endian machines. docs/streams.md describes the frame.
 *
 *   #define HOOKE_STREAM_IMPLEMENTATION
 *   #include "hooke_stream.h"
 *
 *   hooke_stream in, out;
 *   hooke_stream_connect(&in, "unix:/tmp/angle");       the model sends there: out: {unix: .., listen: true}
 *   hooke_stream_connect(&out, "udp:127.0.0.1:5001");   the model reads there: in: {udp: ..}
 *   while (hooke_stream_receive(&in, y, 1, &t) == 1) {
 *     u = -10.0 * y[0];
 *     hooke_stream_send(&out, t, &u, 1);
 *   }
 *   hooke_stream_close(&in), hooke_stream_close(&out);
 *
 * Addresses: udp:HOST:PORT, tcp:HOST:PORT, unix:PATH, shm:NAME, stdin, stdout. hooke_stream_listen takes
 * the same, and waits for one connection (tcp, unix) or binds (udp).
 */
#ifndef HOOKE_STREAM_H
#define HOOKE_STREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HOOKE_STREAM_MOST = 4096 }; /* values of a frame, at most */

typedef struct hooke_stream {
  int fd;
  int datagrams, raw, writes;
  uint64_t sequence; /* of the next frame: to send, or expected */
  uint32_t layout;   /* sent with frames; 0: not told */
  int64_t lost;      /* received: numbers missing in the sequence */
  void *shared;      /* shared memory, and its bytes */
  size_t shared_bytes;
  uint64_t shared_count;
  unsigned vain; /* waits since looking closely was in vain */
  char name[128];
} hooke_stream;

/* 0, or -1 with errno. Connecting is tried again for `seconds` until the other side listens. */
int hooke_stream_connect(hooke_stream *s, const char *address, double seconds);
int hooke_stream_listen(hooke_stream *s, const char *address);
/* shared memory: n values a frame; call it before the first frame, writer and reader alike */
int hooke_stream_size(hooke_stream *s, int n);
/* waits for the next frame of n values: 1; 0: the stream has ended; -1: an error, or another frame. t may be
 * NULL */
int hooke_stream_receive(hooke_stream *s, double *values, int n, double *t);
/* sends n values: 0, or -1 */
int hooke_stream_send(hooke_stream *s, double t, const double *values, int n);
/* the hash of names of columns, for `layout` */
uint32_t hooke_stream_layout(const char *const *names, int n);
/* tells the other side that there is no more, if it has sent anything */
void hooke_stream_close(hooke_stream *s);

#ifdef __cplusplus
}
#endif
#endif

#ifdef HOOKE_STREAM_IMPLEMENTATION
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

enum { HOOKE_STREAM_HEAD = 40, HOOKE_STREAM_SLOT = 64 };

typedef struct hooke_stream_place {
  struct sockaddr_storage at;
  socklen_t size;
  int family, kind;
} hooke_stream_place;

static int hooke_stream_find(const char *address, hooke_stream_place *p) {
  char host[128];
  const char *rest = strchr(address, ':'), *colon = rest ? strrchr(rest + 1, ':') : NULL;
  memset(p, 0, sizeof *p);
  if (!rest) return errno = EINVAL, -1;
  rest++;
  if (strncmp(address, "unix:", 5) == 0) {
    struct sockaddr_un *u = (struct sockaddr_un *)(void *)&p->at;
    if (strlen(rest) >= sizeof u->sun_path) return errno = ENAMETOOLONG, -1;
    u->sun_family = AF_UNIX;
    strcpy(u->sun_path, rest);
    p->size = sizeof *u, p->family = AF_UNIX, p->kind = SOCK_STREAM;
    return 0;
  }
  p->kind = strncmp(address, "udp:", 4) == 0 ? SOCK_DGRAM : SOCK_STREAM;
  if (!colon || (size_t)(colon - rest) >= sizeof host) return errno = EINVAL, -1;
  snprintf(host, sizeof host, "%.*s", (int)(colon - rest), rest);
  struct addrinfo hint, *found = NULL;
  memset(&hint, 0, sizeof hint);
  hint.ai_socktype = p->kind;
  if (getaddrinfo(host, colon + 1, &hint, &found) != 0 || !found) return errno = EINVAL, -1;
  memcpy(&p->at, found->ai_addr, found->ai_addrlen);
  p->size = found->ai_addrlen, p->family = found->ai_family;
  freeaddrinfo(found);
  return 0;
}

/* addresses that are no sockets: 1 when it was one */
static int hooke_stream_other(hooke_stream *s, const char *address) {
  memset(s, 0, sizeof *s);
  s->fd = -1;
  if (strcmp(address, "stdin") == 0) return s->fd = 0, 1;
  if (strcmp(address, "stdout") == 0) return s->fd = 1, 1;
  if (strncmp(address, "shm:", 4) != 0) return 0;
  snprintf(s->name, sizeof s->name, "/%s", address + 4 + (address[4] == '/'));
  return 1;
}

static void hooke_stream_nap(long ns) {
  struct timespec t = {0, 0};
  t.tv_nsec = ns;
  nanosleep(&t, NULL);
}

/* TCP gathers small pieces unless it is told not to */
static void hooke_stream_at_once(int fd, const hooke_stream_place *p) {
  const int yes = 1;
  if (p->kind == SOCK_STREAM && p->family != AF_UNIX)
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

int hooke_stream_connect(hooke_stream *s, const char *address, double seconds) {
  hooke_stream_place p;
  if (hooke_stream_other(s, address)) return 0;
  if (hooke_stream_find(address, &p) != 0) return -1;
  s->datagrams = p.kind == SOCK_DGRAM;
  for (double waited = 0.0;; waited += 0.005) {
    s->fd = socket(p.family, p.kind, 0);
    if (s->fd < 0) return -1;
    if (connect(s->fd, (struct sockaddr *)(void *)&p.at, p.size) == 0)
      return hooke_stream_at_once(s->fd, &p), 0;
    close(s->fd), s->fd = -1;
    if (waited >= seconds) return -1;
    hooke_stream_nap(5000000);
  }
}

int hooke_stream_listen(hooke_stream *s, const char *address) {
  hooke_stream_place p;
  const int yes = 1;
  if (hooke_stream_other(s, address)) return 0;
  if (hooke_stream_find(address, &p) != 0) return -1;
  s->datagrams = p.kind == SOCK_DGRAM;
  const int fd = socket(p.family, p.kind, 0);
  if (fd < 0) return -1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd, (struct sockaddr *)(void *)&p.at, p.size) != 0) return close(fd), -1;
  if (s->datagrams) return s->fd = fd, 0;
  if (listen(fd, 1) == 0) s->fd = accept(fd, NULL, NULL);
  if (s->fd >= 0) hooke_stream_at_once(s->fd, &p);
  close(fd);
  return s->fd < 0 ? -1 : 0;
}

/* shared memory: uint32 magic, version, bytes, ended; uint64 count, taken; uint32 reader sleeps, writer sleeps; the
 * frame at byte 64 */
int hooke_stream_size(hooke_stream *s, int n) {
  const size_t bytes = (s->raw ? 0 : HOOKE_STREAM_HEAD) + 8 * (size_t)n;
  if (!s->name[0] || s->shared) return 0;
  const int fd = shm_open(s->name, O_RDWR | O_CREAT, 0600);
  if (fd < 0) return -1;
  s->shared_bytes = HOOKE_STREAM_SLOT + bytes;
  const off_t is = lseek(fd, 0, SEEK_END);
  /* memory of another size is that of another stream, which somebody may use */
  int failed = is ? is != (off_t)s->shared_bytes : ftruncate(fd, (off_t)s->shared_bytes) != 0;
  if (failed && is) errno = EINVAL;
  void *at =
      failed ? MAP_FAILED : mmap(NULL, s->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return -1;
  s->shared = at;
  return 0;
}

static uint32_t *hooke_stream_word(hooke_stream *s, int i) { return (uint32_t *)s->shared + i; }
static uint64_t *hooke_stream_count(hooke_stream *s, int i) {
  return (uint64_t *)s->shared + 2 + i;
}

/* wakes the other side where it says that it sleeps: 0 a reader, who looks at the count, 1 a writer */
static void hooke_stream_wake(hooke_stream *s, int who) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#ifdef __linux__
  if (__atomic_load_n(hooke_stream_word(s, 8 + who), __ATOMIC_RELAXED))
    syscall(SYS_futex, hooke_stream_count(s, who), FUTEX_WAKE, 1, NULL, NULL, 0);
#else
  (void)who;
#endif
}

/* sleeps until the count is another one than `seen`, 2 ms at most */
static void hooke_stream_sleep(hooke_stream *s, uint64_t seen) {
#ifdef __linux__
  struct timespec most = {0, 2000000};
  __atomic_store_n(hooke_stream_word(s, 8), 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(hooke_stream_count(s, 0), __ATOMIC_SEQ_CST) == seen &&
      !__atomic_load_n(hooke_stream_word(s, 3), __ATOMIC_ACQUIRE))
    syscall(SYS_futex, hooke_stream_count(s, 0), FUTEX_WAIT, (uint32_t)seen, &most, NULL, 0);
  __atomic_store_n(hooke_stream_word(s, 8), 0, __ATOMIC_SEQ_CST);
#else
  (void)s, (void)seen;
  hooke_stream_nap(50000);
#endif
}

/* the latest frame: looks closely for some 50 us, then sleeps between looks; where that was in vain, the other side may
 * need this processor: the next times it is tried for a microsecond */
static int hooke_stream_take(hooke_stream *s, unsigned char *to, size_t n) {
  const int closely = !s->vain || s->vain % 64 == 0;
  const long most = closely ? 2000 : 40;
  s->vain = closely ? 0 : s->vain + 1;
  for (long tries = 0;; tries++) {
    const uint64_t count = __atomic_load_n(hooke_stream_count(s, 0), __ATOMIC_ACQUIRE);
    if (count != s->shared_count && !(count & 1)) {
      memcpy(to, (unsigned char *)s->shared + HOOKE_STREAM_SLOT, n);
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (__atomic_load_n(hooke_stream_count(s, 0), __ATOMIC_RELAXED) != count) continue;
      s->shared_count = count;
      __atomic_store_n(hooke_stream_count(s, 1), count, __ATOMIC_RELEASE);
      hooke_stream_wake(s, 1);
      return 1;
    }
    if (count == s->shared_count && __atomic_load_n(hooke_stream_word(s, 3), __ATOMIC_ACQUIRE))
      return 0;
    if (tries == most) s->vain++;
    if (tries > most) hooke_stream_sleep(s, count);
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
}

static int hooke_stream_put(hooke_stream *s, const unsigned char *from, size_t n) {
  if (!s->shared_count) { /* the first: the other side may begin */
    *hooke_stream_word(s, 1) = 2;
    *hooke_stream_word(s, 2) = (uint32_t)(s->shared_bytes - HOOKE_STREAM_SLOT);
    *hooke_stream_count(s, 0) = *hooke_stream_count(s, 1) = 0;
    *hooke_stream_word(s, 3) = 0;
    __atomic_store_n(hooke_stream_word(s, 0), 0x4d534b48u, __ATOMIC_RELEASE);
  }
  s->shared_count += 2;
  s->writes = 1;
  __atomic_store_n(hooke_stream_count(s, 0), s->shared_count - 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy((unsigned char *)s->shared + HOOKE_STREAM_SLOT, from, n);
  __atomic_store_n(hooke_stream_count(s, 0), s->shared_count, __ATOMIC_RELEASE);
  hooke_stream_wake(s, 0);
  return 0;
}

/* exactly n bytes: 1, 0 at the end, -1 */
static int hooke_stream_bytes(hooke_stream *s, unsigned char *to, size_t n) {
  if (s->shared) return hooke_stream_take(s, to, n);
  if (s->datagrams) {
    const ssize_t got = recv(s->fd, to, n, 0);
    return got == (ssize_t)n || got == HOOKE_STREAM_HEAD ? 1 : -1;
  }
  for (size_t at = 0; at < n;) {
    const ssize_t got = read(s->fd, to + at, n - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return at || got < 0 ? -1 : 0;
    at += (size_t)got;
    /* the end of the stream has no values */
    if (!s->raw && at == HOOKE_STREAM_HEAD && (to[6] & 1)) return 1;
  }
  return 1;
}

int hooke_stream_receive(hooke_stream *s, double *values, int n, double *t) {
  unsigned char frame[HOOKE_STREAM_HEAD + 8 * HOOKE_STREAM_MOST];
  const size_t head = s->raw ? 0 : HOOKE_STREAM_HEAD, bytes = head + 8 * (size_t)n;
  uint32_t magic, count;
  uint64_t sequence;
  if (n < 1 || n > HOOKE_STREAM_MOST || hooke_stream_size(s, n) != 0) return -1;
  const int got = hooke_stream_bytes(s, frame, bytes);
  if (got != 1) return got;
  memcpy(values, frame + head, 8 * (size_t)n);
  if (s->raw) return 1;
  memcpy(&magic, frame, 4), memcpy(&count, frame + 12, 4), memcpy(&sequence, frame + 16, 8);
  if (magic != 0x54534b48u || frame[4] != 1) return -1;
  if (frame[6] & 1) return 0;
  if (count != (uint32_t)n) return -1;
  if (s->sequence && sequence > s->sequence) s->lost += (int64_t)(sequence - s->sequence);
  s->sequence = sequence + 1;
  if (t) memcpy(t, frame + 24, 8);
  return 1;
}

static int hooke_stream_frame(hooke_stream *s, double t, const double *values, int n, int end) {
  unsigned char frame[HOOKE_STREAM_HEAD + 8 * HOOKE_STREAM_MOST];
  const size_t head = s->raw ? 0 : HOOKE_STREAM_HEAD, bytes = head + 8 * (size_t)n;
  if (!s->raw) {
    const uint32_t magic = 0x54534b48u, layout = s->layout, count = (uint32_t)n;
    const uint16_t version = 1, flags = end ? 1 : 0;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t sent = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    memcpy(frame, &magic, 4), memcpy(frame + 4, &version, 2), memcpy(frame + 6, &flags, 2);
    memcpy(frame + 8, &layout, 4), memcpy(frame + 12, &count, 4);
    memcpy(frame + 16, &s->sequence, 8), memcpy(frame + 24, &t, 8), memcpy(frame + 32, &sent, 8);
  }
  if (n) memcpy(frame + head, values, 8 * (size_t)n);
  s->sequence++;
  if (s->name[0]) return hooke_stream_put(s, frame, bytes);
  for (size_t at = 0; at < bytes;) {
    const ssize_t gone = s->fd == 1 ? write(s->fd, frame + at, bytes - at)
                                    : send(s->fd, frame + at, bytes - at, MSG_NOSIGNAL);
    if (gone < 0 && errno == EINTR) continue;
    if (gone < 0) return s->datagrams && errno == ECONNREFUSED ? 0 : -1;
    at += (size_t)gone;
  }
  return 0;
}

int hooke_stream_send(hooke_stream *s, double t, const double *values, int n) {
  if (n < 1 || n > HOOKE_STREAM_MOST || hooke_stream_size(s, n) != 0) return -1;
  return hooke_stream_frame(s, t, values, n, 0);
}

uint32_t hooke_stream_layout(const char *const *names, int n) {
  uint32_t h = 2166136261u;
  for (int i = 0; i < n; i++)
    for (const char *c = names[i];; c++) {
      h = (h ^ (unsigned char)*c) * 16777619u;
      if (!*c) break;
    }
  return h ? h : 1;
}

void hooke_stream_close(hooke_stream *s) {
  if (s->shared) {
    if (s->writes) {
      __atomic_store_n(hooke_stream_word(s, 3), 1, __ATOMIC_RELEASE);
      hooke_stream_wake(s, 0);
    }
    munmap(s->shared, s->shared_bytes);
    s->shared = NULL;
  }
  if (s->fd > 1) {
    if (!s->raw && s->sequence) hooke_stream_frame(s, 0.0, NULL, 0, 1);
    close(s->fd);
  }
  s->fd = -1;
}
#endif
