/* SPDX-License-Identifier: Apache-2.0
 *
 * socket.c: streams over UDP, TCP, UNIX sockets, standard input and output. All of them are read and
 * written without waiting; waiting is done by poll. The one who listens takes one connection.
 */
#if defined(_WIN32)
#include <stdio.h>

#include "streams/stream.h"

hk_status hki_socket_open(hk_stream *s) {
  snprintf(s->words, sizeof s->words, "there are no sockets in this build");
  return HK_E_FILE;
}
int hki_socket_ready(hk_stream *s) { return s ? -1 : 0; }
void hki_socket_close(hk_stream *s) { s->fd = s->listener = -1; }
hk_stream_got hki_socket_fill(hk_stream *s) { return s ? HK_STREAM_END : HK_STREAM_FAULT; }
hk_stream_got hki_socket_flush(hk_stream *s) { return s ? HK_STREAM_END : HK_STREAM_FAULT; }
bool hki_socket_wait(hk_stream *s, bool write, int64_t until) { return s && write && until < 0; }
#else
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/realtime.h"
#include "streams/stream.h"

#ifndef PIPE_BUF
#define PIPE_BUF 512 /* of POSIX, at least */
#endif

static hk_status fail(hk_stream *s, const char *what, int error) {
  snprintf(s->words, sizeof s->words, "%s %.150s: %s", what, s->plan.address ? s->plan.address : "",
           strerror(error));
  return HK_E_FILE;
}

static bool unblock(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
         fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* --- addresses -------------------------------------------------------------------------------------- */

typedef struct place {
  int family, kind; /* AF_, SOCK_ */
  socklen_t size;
  union {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_storage room;
  } at;
} place;

/* "host:port", "[::1]:port" */
static hk_status find_host(hk_stream *s, place *p) {
  char host[256];
  const char *text = s->plan.address, *colon = strrchr(text, ':');
  size_t n = colon ? (size_t)(colon - text) : 0;
  char *end;
  const long port = colon ? strtol(colon + 1, &end, 10) : 0;
  if (!n || n >= sizeof host || port < 1 || port > 65535 || *end) {
    snprintf(s->words, sizeof s->words, "'%.100s' is no address: host:port, port from 1 to 65535",
             text);
    return HK_E_USAGE;
  }
  const bool bracket = text[0] == '[' && text[n - 1] == ']';
  memcpy(host, text + bracket, n - 2 * (size_t)bracket);
  host[n - 2 * (size_t)bracket] = '\0';
  const struct addrinfo hint = {.ai_family = AF_UNSPEC, .ai_socktype = p->kind};
  struct addrinfo *found = NULL;
  const int error = getaddrinfo(host, colon + 1, &hint, &found);
  if (error || !found || found->ai_addrlen > sizeof p->at) {
    snprintf(s->words, sizeof s->words, "the host of '%.100s' is unknown: %s", text,
             error ? gai_strerror(error) : "no address");
    if (found) freeaddrinfo(found);
    return HK_E_FILE;
  }
  p->family = found->ai_family;
  p->size = found->ai_addrlen;
  memcpy(&p->at, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return HK_OK;
}

static hk_status find_path(hk_stream *s, place *p) {
  const size_t n = strlen(s->plan.address);
  if (n >= sizeof p->at.path.sun_path) {
    snprintf(s->words, sizeof s->words, "the path '%.100s' is too long for a UNIX socket",
             s->plan.address);
    return HK_E_USAGE;
  }
  p->family = p->at.path.sun_family = AF_UNIX;
  memcpy(p->at.path.sun_path, s->plan.address, n + 1);
  p->size = sizeof p->at.path;
  return HK_OK;
}

static hk_status find_place(hk_stream *s, place *p) {
  *p = (place){.kind = s->plan.way == HK_STREAM_UDP ? SOCK_DGRAM : SOCK_STREAM};
  return s->plan.way == HK_STREAM_UNIX ? find_path(s, p) : find_host(s, p);
}

/* --- opening ---------------------------------------------------------------------------------------- */

/* a socket that an earlier run has left is removed; anything else at its path is left alone */
static hk_status clear_path(hk_stream *s, const place *p) {
  struct stat is;
  if (lstat(s->plan.address, &is) != 0) return HK_OK;
  if (!S_ISSOCK(is.st_mode)) return fail(s, "there is something else than a socket at", EEXIST);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool used = fd >= 0 && connect(fd, &p->at.any, p->size) == 0;
  if (fd >= 0) close(fd);
  if (used) return fail(s, "cannot listen at", EADDRINUSE);
  return unlink(s->plan.address) == 0 ? HK_OK : fail(s, "cannot remove the old socket", errno);
}

static hk_status listen_there(hk_stream *s, const place *p) {
  const int yes = 1;
  hk_status st = s->plan.way == HK_STREAM_UNIX ? clear_path(s, p) : HK_OK;
  if (st != HK_OK) return st;
  const int fd = socket(p->family, p->kind, 0);
  if (fd < 0) return fail(s, "no socket for", errno);
  if (s->plan.way == HK_STREAM_UDP)
    s->fd = fd;
  else
    s->listener = fd;
  if (s->plan.way == HK_STREAM_TCP)
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (!unblock(fd) || bind(fd, &p->at.any, p->size) != 0 ||
      (p->kind == SOCK_STREAM && listen(fd, 1) != 0))
    return fail(s, "cannot listen at", errno);
  s->owner = s->plan.way == HK_STREAM_UNIX;
  return HK_OK;
}

/* one try to connect: 1, 0: later, -1 */
static int try_connect(hk_stream *s) {
  place p;
  if (find_place(s, &p) != HK_OK) return -1;
  const int fd = socket(p.family, p.kind, 0), yes = 1;
  if (fd < 0 || !unblock(fd)) return fail(s, "no socket for", errno), fd >= 0 ? close(fd), -1 : -1;
  if (connect(fd, &p.at.any, p.size) == 0) {
    s->fd = fd;
  } else if (errno == EINPROGRESS) {
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&wait, 1, 200) == 1 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 &&
        !error)
      s->fd = fd;
  }
  if (s->fd < 0) {
    close(fd);
    return 0;
  }
  if (s->plan.way == HK_STREAM_TCP)
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return 1;
}

/* Standard output becomes the stream; what the program prints goes to standard error from now on. A reader
 * that is gone must not end the program. */
static hk_status open_standard(hk_stream *s) {
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  if (!s->plan.out) {
    s->fd = dup(STDIN_FILENO);
  } else {
    fflush(stdout);
    s->fd = dup(STDOUT_FILENO);
    if (s->fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
      return fail(s, "standard output", errno);
    (void)sigaction(SIGPIPE, &ignore, NULL);
  }
  if (s->fd < 0) return fail(s, s->plan.out ? "standard output" : "standard input", errno);
  (void)fcntl(s->fd, F_SETFD, FD_CLOEXEC);
  return HK_OK;
}

hk_status hki_socket_open(hk_stream *s) {
  place p;
  if (s->plan.way == HK_STREAM_STANDARD) return open_standard(s);
  hk_status st = find_place(s, &p);
  if (st != HK_OK || !s->plan.listen) return st;
  return listen_there(s, &p);
}

int hki_socket_ready(hk_stream *s) {
  const int yes = 1;
  if (s->fd >= 0) return 1;
  if (!s->plan.listen) return try_connect(s);
  s->fd = accept(s->listener, NULL, NULL);
  if (s->fd < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNABORTED)
      return 0;
    (void)fail(s, "cannot listen at", errno);
    return -1;
  }
  if (!unblock(s->fd)) return -1;
  if (s->plan.way == HK_STREAM_TCP)
    (void)setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return 1;
}

void hki_socket_close(hk_stream *s) {
  if (s->fd >= 0) close(s->fd);
  if (s->listener >= 0) close(s->listener);
  if (s->owner) (void)unlink(s->plan.address);
  s->fd = s->listener = -1;
  s->owner = false;
}

/* --- bytes ------------------------------------------------------------------------------------------ */

bool hki_socket_wait(hk_stream *s, bool write, int64_t until) {
  struct pollfd wait = {.fd = s->fd, .events = write ? POLLOUT : POLLIN};
  const int64_t left = (until - hki_now() + 999999) / 1000000;
  // not for long at once: whoever waits looks at its flag in between
  return left > 0 && poll(&wait, 1, left < 100 ? (int)left : 100) > 0;
}

static bool is_ready(const hk_stream *s, short what) {
  struct pollfd wait = {.fd = s->fd, .events = what};
  return poll(&wait, 1, 0) > 0;
}

hk_stream_got hki_socket_fill(hk_stream *s) {
  const bool datagram = s->plan.way == HK_STREAM_UDP;
  if (datagram) s->have = 0;
  if (s->have == s->cap) return HK_STREAM_NEW; // there is a frame in it
  ssize_t n;
  if (s->plan.way == HK_STREAM_STANDARD) {
    if (!is_ready(s, POLLIN)) return HK_STREAM_NOTHING;
    n = read(s->fd, s->bytes + s->have, s->cap - s->have);
  } else {
    n = recv(s->fd, s->bytes + s->have, s->cap - s->have, MSG_DONTWAIT);
  }
  if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNREFUSED))
    return HK_STREAM_NOTHING;
  if (n < 0 && errno != ECONNRESET) {
    (void)fail(s, "cannot read", errno);
    return HK_STREAM_FAULT;
  }
  if (n <= 0 && !datagram) return HK_STREAM_END;
  s->have += n > 0 ? (size_t)n : 0;
  if (datagram && n == 0) s->count.malformed++;
  return HK_STREAM_NEW;
}

hk_stream_got hki_socket_flush(hk_stream *s) {
  while (s->sent < s->have) {
    ssize_t n;
    if (s->plan.way == HK_STREAM_STANDARD) {
      // a pipe that is ready takes so many bytes without waiting, and not more
      const size_t left = s->have - s->sent;
      if (!is_ready(s, POLLOUT)) return HK_STREAM_NOTHING;
      n = write(s->fd, s->bytes + s->sent, left < PIPE_BUF ? left : PIPE_BUF);
    } else {
      n = send(s->fd, s->bytes + s->sent, s->have - s->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (n >= 0) {
      s->sent += (size_t)n;
      continue;
    }
    if (errno == EPIPE || errno == ECONNRESET) return HK_STREAM_END;
    // a datagram that nobody takes is lost, as any other
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNREFUSED ||
        errno == ENOBUFS)
      return HK_STREAM_NOTHING;
    (void)fail(s, "cannot write", errno);
    return HK_STREAM_FAULT;
  }
  s->have = s->sent = 0;
  return HK_STREAM_NEW;
}
#endif
