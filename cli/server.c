/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c: a web server for one page and one question, for this machine alone.
 *
 * It listens on 127.0.0.1, answers GET and HEAD of addresses that begin with a random word (so that
 * other users and other pages of the same machine cannot ask), refuses requests under another
 * host's name (which a hostile page could otherwise send through the browser), and opens no file at
 * all: what it can give is in memory before it begins.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { CLIENTS = 24, REQUEST = 8192, PATIENCE = 15 };

typedef struct client {
  int fd; /* -1: free */
  double since;
  size_t got;
  char request[REQUEST + 1];
  char head[768];
  size_t head_len, sent; /* of head and body together */
  bool head_only;        /* the body is not asked for */
  const char *body;
  char *owned;
  size_t body_len;
} client;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cli_server_open(cli_server *s, int port) {
  unsigned char word[16];
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof at;
  int yes = 1;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (getrandom(word, sizeof word, 0) != (ssize_t)sizeof word) {
    cli_error(NULL, "the system gives no random numbers");
    return CLI_FILE;
  }
  for (int i = 0; i < 16; i++) snprintf(s->token + 2 * i, 3, "%02x", word[i]);
  s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->fd >= 0) setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(s->fd, 16) != 0 ||
      getsockname(s->fd, (struct sockaddr *)&at, &size) != 0) {
    cli_error(errno == EADDRINUSE ? "leave --port out, then a free one is taken" : NULL,
              "cannot listen on 127.0.0.1: %s", strerror(errno));
    if (s->fd >= 0) close(s->fd);
    return CLI_FILE;
  }
  s->port = ntohs(at.sin_port);
  return CLI_DONE;
}

/* --- one request ------------------------------------------------------------------------------ */

static void answer(client *c, const char *status, const char *type, const char *body, size_t len) {
  c->body = body;
  c->body_len = len;
  c->sent = 0;
  int n = snprintf(c->head, sizeof c->head,
                   "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                   "Connection: close\r\nCache-Control: no-store\r\n"
                   "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                   "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n%s\r\n",
                   status, type, len, strncmp(status, "405", 3) == 0 ? "Allow: GET, HEAD\r\n" : "");
  c->head_len = (size_t)n;
  if (c->head_only) c->body_len = 0;
}

static void refuse(client *c, const char *status) {
  answer(c, status, "text/plain; charset=utf-8", status, strlen(status));
}

/* the value of a header, or NULL; *len is its length */
static const char *header(const char *request, const char *name, size_t *len) {
  size_t n = strlen(name);
  for (const char *at = strstr(request, "\r\n"); at; at = strstr(at, "\r\n")) {
    at += 2;
    if (strncasecmp(at, name, n) != 0 || at[n] != ':') continue;
    const char *value = at + n + 1;
    while (*value == ' ' || *value == '\t') value++;
    *len = strcspn(value, "\r\n");
    return value;
  }
  return NULL;
}

/* is the header missing (when it may be) or one of this server's names */
static bool is_own(const cli_server *s, const char *request, const char *name, const char *before,
                   bool may_miss) {
  static const char *const hosts[] = {"127.0.0.1", "localhost"};
  size_t len = 0;
  const char *value = header(request, name, &len);
  char own[64];
  if (!value) return may_miss;
  for (int i = 0; i < 2; i++) {
    int n = snprintf(own, sizeof own, "%s%s:%d", before, hosts[i], s->port);
    if ((size_t)n == len && strncasecmp(value, own, len) == 0) return true;
  }
  return false;
}

static void handle(const cli_server *s, client *c) {
  bool get = strncmp(c->request, "GET ", 4) == 0, head = strncmp(c->request, "HEAD ", 5) == 0;
  char *path = c->request + (head ? 5 : 4), *end = strpbrk(path, " \r\n");
  size_t n = strlen(s->token);
  c->head_only = head;
  if (!get && !head) {
    refuse(c, "405 Method Not Allowed");
    return;
  }
  if (!is_own(s, c->request, "Host", "", false) ||
      !is_own(s, c->request, "Origin", "http://", true)) {
    refuse(c, "403 Forbidden");
    return;
  }
  if (end) *end = '\0';
  if (path[0] != '/' || strncmp(path + 1, s->token, n) != 0 || path[1 + n] != '/') {
    refuse(c, "404 Not Found");
    return;
  }
  const char *rest = path + 2 + n;
  cli_answer a = {0};
  if (*rest == '\0') {
    answer(c, "200 OK", "text/html; charset=utf-8", s->page, s->page_len);
  } else if (strncmp(rest, "detail?", 7) == 0 && s->detail && s->detail(rest + 7, &a, s->user)) {
    c->owned = a.body;
    answer(c, "200 OK", a.type, a.body, a.len);
  } else {
    refuse(c, "404 Not Found");
  }
}

/* --- the clients ------------------------------------------------------------------------------ */

static void drop(client *c) {
  close(c->fd);
  free(c->owned);
  c->owned = NULL;
  c->fd = -1;
}

static void take(const cli_server *s, client *all) {
  int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  client *oldest = all;
  for (int i = 0; i < CLIENTS; i++) {
    if (all[i].fd < 0) {
      oldest = &all[i];
      break;
    }
    if (all[i].since < oldest->since) oldest = &all[i];
  }
  // when all places are taken, whoever has waited longest leaves
  if (oldest->fd >= 0) drop(oldest);
  oldest->fd = fd;
  oldest->since = now();
  oldest->got = oldest->head_len = oldest->sent = oldest->body_len = 0;
  oldest->head_only = false;
}

static void hear(const cli_server *s, client *c) {
  ssize_t n = recv(c->fd, c->request + c->got, REQUEST - c->got, 0);
  if (n <= 0) {
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) drop(c);
    return;
  }
  c->got += (size_t)n;
  c->request[c->got] = '\0';
  if (strlen(c->request) < c->got) {
    refuse(c, "400 Bad Request");
  } else if (strstr(c->request, "\r\n\r\n")) {
    handle(s, c);
  } else if (c->got == REQUEST) {
    refuse(c, "431 Request Header Fields Too Large");
  }
}

static void speak(client *c) {
  bool head = c->sent < c->head_len;
  const char *from = head ? c->head + c->sent : c->body + (c->sent - c->head_len);
  size_t left = head ? c->head_len - c->sent : c->head_len + c->body_len - c->sent;
  ssize_t n = send(c->fd, from, left, MSG_NOSIGNAL);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) drop(c);
    return;
  }
  c->sent += (size_t)n;
  c->since = now();
  if (c->sent == c->head_len + c->body_len) drop(c);
}

int cli_server_run(cli_server *s, const volatile int *stop) {
  client *all = calloc(CLIENTS, sizeof *all);
  if (!all) return CLI_UNFORESEEN;
  for (int i = 0; i < CLIENTS; i++) all[i].fd = -1;
  while (!*stop) {
    struct pollfd wait[CLIENTS + 1] = {{.fd = s->fd, .events = POLLIN}};
    for (int i = 0; i < CLIENTS; i++) {
      wait[i + 1] = (struct pollfd){.fd = all[i].fd};
      wait[i + 1].events = all[i].head_len ? POLLOUT : POLLIN;
    }
    if (poll(wait, CLIENTS + 1, 500) < 0 && errno != EINTR) break;
    double t = now();
    for (int i = 0; i < CLIENTS; i++) {
      if (all[i].fd < 0 || wait[i + 1].fd != all[i].fd) continue;
      // since its last answered bytes; one that asks letter by letter has waited all the time
      if (t - all[i].since > PATIENCE) {
        drop(&all[i]);
      } else if (wait[i + 1].revents & POLLOUT) {
        speak(&all[i]);
      } else if (wait[i + 1].revents) {
        hear(s, &all[i]);
      }
    }
    if (wait[0].revents & POLLIN) take(s, all);
  }
  for (int i = 0; i < CLIENTS; i++)
    if (all[i].fd >= 0) drop(&all[i]);
  free(all);
  close(s->fd);
  return CLI_DONE;
}
