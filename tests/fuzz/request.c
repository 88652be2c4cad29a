/* SPDX-License-Identifier: Apache-2.0
 *
 * request.c: fuzz target of the server of `hooke view`. Any bytes are a request, which arrives in
 * pieces whose length the first byte gives. The answer has a head and a body that fit each other,
 * comes after 8192 bytes at the latest, and is the page only for requests with the token and the
 * name of this server.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char page[] = "<!DOCTYPE html>the page";
static int asked;

/* a question that was understood makes sense */
static bool detail(const char *query, cli_answer *a, void *user) {
  cli_detail d;
  (void)user;
  if (!cli_detail_query(query, &d)) return false;
  if (d.run < 0 || d.channel < 0 || !isfinite(d.from) || !isfinite(d.to) || d.from > d.to) abort();
  asked++;
  a->type = "application/json";
  a->len = 2;
  a->body = malloc(3);
  if (a->body) memcpy(a->body, "{}", 3);
  return a->body != NULL;
}

static const cli_server server = {.page = page,
                                  .page_len = sizeof page - 1,
                                  .detail = detail,
                                  .port = 8080,
                                  .token = "0123456789abcdef0123456789abcdef"};

static bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* does the head name this server, exactly once? Programs differ in which of several names counts.
 */
static bool names_host(const char *request) {
  char all[CLI_REQUEST + 1];
  size_t n = 0;
  const char *end = strstr(request, "\r\n\r\n");
  if (!end) return false;
  for (const char *at = request; at < end + 2; at++)
    all[n++] = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
  all[n] = '\0';
  const char *host = strstr(all, "\r\nhost:"), *value = host ? host + 7 : all;
  value += strspn(value, " \t");
  return host && !strstr(host + 2, "\r\nhost:") &&
         (begins(value, "127.0.0.1:8080\r\n") || begins(value, "localhost:8080\r\n"));
}

static void check(const char *request, const cli_reply *r) {
  size_t length = 0;
  const bool head = begins(request, "HEAD ") && strstr(request, "\r\n\r\n");
  if (r->head_len != strlen(r->head) || r->head_len < 20) abort();
  if (strcmp(r->head + r->head_len - 4, "\r\n\r\n") != 0 || !begins(r->head, "HTTP/1.1 ")) abort();
  const char *said = strstr(r->head, "Content-Length: ");
  if (!said || sscanf(said, "Content-Length: %zu", &length) != 1) abort();
  if (r->body_len != (head && !begins(r->head, "HTTP/1.1 400") ? 0 : length)) abort();
  for (size_t i = 0; i < r->body_len; i++)
    if (!r->body[i]) abort();
  if (!begins(r->head, "HTTP/1.1 200")) {
    if (r->body == page) abort();
    return;
  }
  char path[64];
  snprintf(path, sizeof path, "%s/%s/", head ? "HEAD " : "GET ", server.token);
  if (!begins(request, path) || !names_host(request)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char room[CLI_REQUEST + 1], sent[CLI_REQUEST + 1];
  if (size < 1) return 0;
  const size_t step = data[0] ? (size_t)data[0] * 32 : CLI_REQUEST;
  const uint8_t *bytes = data + 1;
  const size_t n = size - 1 < CLI_REQUEST ? size - 1 : CLI_REQUEST;
  cli_reply r = {0};
  bool answered = false;
  for (size_t got = 0; got < n && !answered;) {
    const size_t more = n - got < step ? n - got : step;
    memcpy(room + got, bytes + got, more);
    got += more;
    memcpy(sent, room, got);
    sent[got] = '\0';
    answered = cli_server_answer(&server, room, got, &r);
    if (answered) check(sent, &r);
    if (!answered && (strstr(sent, "\r\n\r\n") || got == CLI_REQUEST)) abort();
  }
  free(r.owned);
  return 0;
}
