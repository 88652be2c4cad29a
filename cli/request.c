/* SPDX-License-Identifier: Apache-2.0
 *
 * request.c: parses a request to the server of `hooke view` and makes the answer, or asks for more
 * bytes. It uses no sockets, so that tests can feed it any bytes.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

/* the head and body of an answer; for a HEAD request the body only gives the length */
static void answer(cli_reply *r, bool head_only, const char *status, const char *type,
                   const char *body, size_t len) {
  int n = snprintf(r->head, sizeof r->head,
                   "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                   "Connection: close\r\nCache-Control: no-store\r\n"
                   "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
                   "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n%s\r\n",
                   status, type, len, strncmp(status, "405", 3) == 0 ? "Allow: GET, HEAD\r\n" : "");
  r->head_len = (size_t)n < sizeof r->head ? (size_t)n : sizeof r->head - 1;
  r->body = body;
  r->body_len = head_only ? 0 : len;
}

static void refuse(cli_reply *r, bool head_only, const char *status) {
  answer(r, head_only, status, "text/plain; charset=utf-8", status, strlen(status));
}

/* true when all lines end in CR LF; a lone CR or LF, which servers read differently, is refused */
static bool has_lines(const char *request) {
  for (const char *at = strpbrk(request, "\r\n"); at; at = strpbrk(at + 2, "\r\n"))
    if (at[0] != '\r' || at[1] != '\n') return false;
  return true;
}

/* the value of the first header of this name after `from`, or NULL; *len is its length */
static const char *header(const char *from, const char *name, size_t *len) {
  size_t n = strlen(name);
  for (const char *at = strstr(from, "\r\n"); at; at = strstr(at, "\r\n")) {
    at += 2;
    if (strncasecmp(at, name, n) != 0 || at[n] != ':') continue;
    const char *value = at + n + 1;
    while (*value == ' ' || *value == '\t') value++;
    *len = strcspn(value, "\r\n");
    return value;
  }
  return NULL;
}

/* true when the header appears once with one of this server's names, or is missing where allowed */
static bool is_own(const cli_server *s, const char *request, const char *name, const char *before,
                   bool may_miss) {
  static const char *const hosts[] = {"127.0.0.1", "localhost"};
  size_t len = 0, other;
  const char *value = header(request, name, &len);
  char own[64];
  if (!value) return may_miss;
  if (header(value, name, &other)) return false;
  for (int i = 0; i < 2; i++) {
    int n = snprintf(own, sizeof own, "%s%s:%d", before, hosts[i], s->port);
    if ((size_t)n == len && strncasecmp(value, own, len) == 0) return true;
  }
  return false;
}

static void handle(const cli_server *s, char *request, cli_reply *r) {
  bool get = strncmp(request, "GET ", 4) == 0, head = strncmp(request, "HEAD ", 5) == 0;
  if (!get && !head) {
    refuse(r, false, "405 Method Not Allowed");
    return;
  }
  if (!is_own(s, request, "Host", "", false) || !is_own(s, request, "Origin", "http://", true)) {
    refuse(r, head, "403 Forbidden");
    return;
  }
  char *path = request + (head ? 5 : 4);
  size_t n = strlen(s->token);
  path[strcspn(path, " \r\n")] = '\0';
  if (path[0] != '/' || strncmp(path + 1, s->token, n) != 0 || path[1 + n] != '/') {
    refuse(r, head, "404 Not Found");
    return;
  }
  const char *rest = path + 2 + n;
  cli_answer a = {0};
  if (*rest == '\0') {
    answer(r, head, "200 OK", "text/html; charset=utf-8", s->page, s->page_len);
  } else if (strncmp(rest, "detail?", 7) == 0 && s->detail && s->detail(rest + 7, &a, s->user)) {
    r->owned = a.body;
    answer(r, head, "200 OK", a.type, a.body, a.len);
  } else {
    free(a.body);
    refuse(r, head, "404 Not Found");
  }
}

bool cli_server_answer(const cli_server *s, char *request, size_t got, cli_reply *r) {
  *r = (cli_reply){0};
  request[got] = '\0';
  char *end = strstr(request, "\r\n\r\n");
  if (strlen(request) < got) {
    refuse(r, false, "400 Bad Request");
  } else if (end) {
    // end the text after the head: a body is not read
    end[2] = '\0';
    if (has_lines(request))
      handle(s, request, r);
    else
      refuse(r, false, "400 Bad Request");
  } else if (got >= CLI_REQUEST) {
    refuse(r, false, "431 Request Header Fields Too Large");
  } else {
    return false;
  }
  return true;
}

/* --- requests for details --------------------------------------------------------------------- */

/* reads "name=" and a whole number from 0; *at moves behind it */
static bool take_count(const char **at, const char *name, int *value) {
  char *end = NULL;
  size_t n = strlen(name);
  if (strncmp(*at, name, n) != 0 || !((*at)[n] >= '0' && (*at)[n] <= '9')) return false;
  errno = 0;
  long x = strtol(*at + n, &end, 10);
  if (errno || x > INT_MAX) return false;
  *value = (int)x;
  *at = end;
  return true;
}

/* reads "name=" and a decimal number; *at moves behind it */
static bool take_number(const char **at, const char *name, double *value) {
  char *end = NULL;
  size_t n = strlen(name), length;
  if (strncmp(*at, name, n) != 0) return false;
  length = strspn(*at + n, "0123456789+-.eE");
  if (length == 0) return false;
  *value = strtod(*at + n, &end);
  if (end != *at + n + length || !isfinite(*value)) return false;
  *at = end;
  return true;
}

bool cli_detail_query(const char *query, cli_detail *d) {
  const char *at = query;
  return take_count(&at, "run=", &d->run) && take_count(&at, "&channel=", &d->channel) &&
         take_number(&at, "&from=", &d->from) && take_number(&at, "&to=", &d->to) && !*at &&
         d->from <= d->to;
}
