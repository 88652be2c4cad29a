/* SPDX-License-Identifier: Apache-2.0
 *
 * server.c: a web server for one page and its requests for details, on this machine only.
 *   - It listens on 127.0.0.1 and answers GET and HEAD.
 *   - Addresses begin with a random word, so that other users and pages cannot guess them.
 *   - Requests with another host name are refused: a hostile page could send them by the browser.
 *   - It opens no file: all answers come from memory.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { CLIENTS = 24, PATIENCE = 15 };

typedef struct client {
  int fd; /* -1: free */
  double since;
  size_t got;
  char request[CLI_REQUEST + 1];
  bool answered; /* there is a reply */
  bool done;     /* the reply was sent: further bytes of the client are discarded */
  cli_reply reply;
  size_t sent; /* of head and body together */
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
  if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&at, sizeof at) != 0 ||
      listen(s->fd, SOMAXCONN) != 0 || getsockname(s->fd, (struct sockaddr *)&at, &size) != 0) {
    cli_error(errno == EADDRINUSE ? "leave --port out, then a free one is taken" : NULL,
              "cannot listen on 127.0.0.1: %s", strerror(errno));
    if (s->fd >= 0) close(s->fd);
    return CLI_FILE;
  }
  s->port = ntohs(at.sin_port);
  return CLI_DONE;
}

/* --- the clients ------------------------------------------------------------------------------ */

static void drop(client *c) {
  close(c->fd);
  free(c->reply.owned);
  *c = (client){.fd = -1};
}

/* accept one waiting connection; false when there is none */
static bool take(const cli_server *s, client *all) {
  int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return false;
  client *oldest = all;
  for (int i = 0; i < CLIENTS; i++) {
    if (all[i].fd < 0) {
      oldest = &all[i];
      break;
    }
    if (all[i].since < oldest->since) oldest = &all[i];
  }
  // no free place: drop the client that has been waiting longest
  if (oldest->fd >= 0) drop(oldest);
  *oldest = (client){.fd = fd, .since = now()};
  return true;
}

static void hear(const cli_server *s, client *c) {
  char waste[4096];
  ssize_t n = c->done ? recv(c->fd, waste, sizeof waste, 0)
                      : recv(c->fd, c->request + c->got, CLI_REQUEST - c->got, 0);
  if (n <= 0) {
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) drop(c);
    return;
  }
  if (c->done) return;
  c->got += (size_t)n;
  c->answered = cli_server_answer(s, c->request, c->got, &c->reply);
}

/* Send the reply. Closing a socket with unread bytes resets the connection, and the client might
 * lose the answer; so only the sending direction is closed, until the client closes too. */
static void speak(client *c) {
  const cli_reply *r = &c->reply;
  bool head = c->sent < r->head_len;
  const char *from = head ? r->head + c->sent : r->body + (c->sent - r->head_len);
  size_t left = head ? r->head_len - c->sent : r->head_len + r->body_len - c->sent;
  ssize_t n = send(c->fd, from, left, MSG_NOSIGNAL);
  if (n < 0) {
    if (errno != EAGAIN && errno != EINTR) drop(c);
    return;
  }
  c->sent += (size_t)n;
  c->since = now();
  if (c->sent < r->head_len + r->body_len) return;
  c->done = true;
  shutdown(c->fd, SHUT_WR);
}

int cli_server_run(cli_server *s, const volatile int *stop) {
  client *all = calloc(CLIENTS, sizeof *all);
  if (!all) return cli_no_memory();
  for (int i = 0; i < CLIENTS; i++) all[i].fd = -1;
  while (!*stop) {
    struct pollfd wait[CLIENTS + 1] = {{.fd = s->fd, .events = POLLIN}};
    for (int i = 0; i < CLIENTS; i++) {
      wait[i + 1] = (struct pollfd){.fd = all[i].fd};
      wait[i + 1].events = all[i].answered && !all[i].done ? POLLOUT : POLLIN;
    }
    if (poll(wait, CLIENTS + 1, 500) < 0 && errno != EINTR) break;
    double t = now();
    for (int i = 0; i < CLIENTS; i++) {
      if (all[i].fd < 0 || wait[i + 1].fd != all[i].fd) continue;
      // since its last answer: a client that sends its request slowly is dropped too
      if (t - all[i].since > PATIENCE) {
        drop(&all[i]);
      } else if (wait[i + 1].revents & POLLOUT) {
        speak(&all[i]);
      } else if (wait[i + 1].revents) {
        hear(s, &all[i]);
      }
    }
    for (int i = 0; i < CLIENTS && (wait[0].revents & POLLIN); i++)
      if (!take(s, all)) break;
  }
  for (int i = 0; i < CLIENTS; i++)
    if (all[i].fd >= 0) drop(&all[i]);
  free(all);
  close(s->fd);
  return CLI_DONE;
}
