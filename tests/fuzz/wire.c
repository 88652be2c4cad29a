/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target: what another program says as a peer of external forces. The first two bytes choose what the model offers and
 * whether the greeting is right; the rest comes through a socket, and then the program is gone. Whatever it is, forces that
 * are taken are finite, every failure has its words, and nothing is read beyond what was agreed.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "simulation/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_NODES = 5, MOST_ASKED = 40 };

/* a greeting that agrees with the model */
static void greet(int fd, const hk_spec_external *x, uint32_t nodes) {
  static const uint32_t turn[] = {0x0u, 0x100u, 0x200u, 0x400u};
  unsigned char hello[9] = {HK_WIRE_NEGOTIATE};
  const uint32_t flags = 0x2u | turn[x->orientation] | (x->accelerations ? 0x8u : 0u) |
                         (x->label ? 0x10u : 0u) | (x->reference >= 0 ? 0x4u | 0x1000u : 0u);
  memcpy(hello + 1, &flags, 4), memcpy(hello + 5, &nodes, 4);
  (void)!send(fd, hello, sizeof hello, MSG_DONTWAIT);
}

/* asks until it fails or ends, and looks at what was taken */
static void converse(hk_wire *w, hk_talk *t, const hk_wire_motion *node) {
  const bool reference = w->spec->reference >= 0;
  int answer = 0;
  hk_status st = hki_wire_negotiate(w, t);
  for (int k = 0; st == HK_OK && answer != HK_WIRE_ABORT && k < MOST_ASKED; k++) {
    hki_wire_pack(w, reference ? &node[0] : NULL, node + 1);
    st = hki_wire_ask(w, t, &answer);
    if (st != HK_OK || answer == HK_WIRE_NEXT || answer == HK_WIRE_ABORT) continue;
    for (int32_t i = 0; i < 6 * w->nodes; i++)
      if (!isfinite(w->force[i])) abort();
    for (int i = 0; reference && i < 6; i++)
      if (!isfinite(w->load[i])) abort();
  }
  if (st != HK_OK && (st == HK_INTERRUPTED || !w->words[0])) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint32_t label[MOST_NODES] = {30, 10, 4000000000u, 0, 7};
  if (size < 2 || size > 4000) return 0;
  const int32_t nodes = 1 + data[1] % MOST_NODES;
  hk_spec_external x = {.plan = {.name = "fuzz", .way = HK_STREAM_UNIX, .timeout = 1e-3},
                        .orientation = data[0] & 3,
                        .accelerations = data[0] & 4,
                        .label = data[0] & 8 ? label : NULL,
                        .nlabel = nodes,
                        .reference = data[0] & 16 ? 0 : -1,
                        .reference_label = 9,
                        .coupling = data[0] & 32 ? HK_COUPLE_TIGHT : HK_COUPLE_LOOSE};
  hk_ctx *ctx = hk_ctx_create();
  hk_wire w;
  int pair[2];
  hk_wire_motion node[MOST_NODES + 1];
  for (int i = 0; i <= MOST_NODES; i++)
    node[i] = (hk_wire_motion){.x = {1, 2, i}, .q = {0.8, 0.6}, .v = {i, 0, 1}, .w = {1, i, 0}};
  if (!ctx || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) abort();
  hk_talk talk = {.line = {.ctx = ctx, .plan = x.plan, .fd = pair[0], .listener = -1}};
  if (data[0] & 64) greet(pair[1], &x, (uint32_t)nodes);
  (void)!send(pair[1], data + 2, size - 2, MSG_DONTWAIT);
  (void)shutdown(pair[1], SHUT_WR);
  if (hki_wire_init(&w, ctx, &x, nodes) == HK_OK) converse(&w, &talk, node);
  hki_wire_free(&w);
  hki_talk_close(&talk);
  close(pair[1]);
  hk_ctx_destroy(ctx);
  return 0;
}
