/* SPDX-License-Identifier: Apache-2.0
 *
 * talk.h: a conversation with another program over a TCP or UNIX socket, both ways, of given numbers of bytes.
 * Nothing that the other side sends makes it grow, and nobody waits for longer than the timeout.
 */
#ifndef HK_STREAMS_TALK_H
#define HK_STREAMS_TALK_H

#include "streams/stream.h"

typedef struct hk_talk {
  hk_stream line; /* its socket and its words */
} hk_talk;

/* begins to listen or to connect; hki_talk_close in either case */
hk_status hki_talk_open(hk_talk *t, hk_ctx *ctx, const hk_stream_plan *plan);
/* Is the other side there? 1, 0: not yet, -1: it never will, `words` */
int hki_talk_ready(hk_talk *t);
/* exactly n bytes: HK_STREAM_NEW, END: the other side has gone, STOPPED, FAULT: `words` */
hk_stream_got hki_talk_send(hk_talk *t, const void *bytes, size_t n);
hk_stream_got hki_talk_receive(hk_talk *t, void *bytes, size_t n);
const char *hki_talk_words(const hk_talk *t);
void hki_talk_close(hk_talk *t);

#endif
