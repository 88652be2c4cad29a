/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.h: values in or out, over UDP, TCP, UNIX sockets, POSIX shared memory, standard input and
 * output. A stream is one way and allocates nothing once it is open; what a peer sends can neither make it
 * grow nor keep it for longer than its timeout.
 */
#ifndef HK_STREAMS_STREAM_H
#define HK_STREAMS_STREAM_H

#include "streams/frame.h"

typedef enum hk_stream_way {
  HK_STREAM_UDP,
  HK_STREAM_TCP,
  HK_STREAM_UNIX,
  HK_STREAM_SHM,
  HK_STREAM_STANDARD
} hk_stream_way;

typedef struct hk_stream_plan {
  const char *name;    /* for messages */
  const char *address; /* "127.0.0.1:5000", a path, a name; NULL: standard input or output */
  hk_stream_way way;
  bool out, listen, blocking, raw;
  int32_t columns;
  uint32_t layout; /* out: of its values; in: what is expected, 0: anything */
  double timeout; /* s: until the other side is there, and between frames of a stream that blocks */
} hk_stream_plan;

typedef struct hk_stream_count {
  int64_t frames;    /* sent, or received and used */
  int64_t passed;    /* in: received, but a later one was there already */
  int64_t lost;      /* in: numbers missing in the sequence; out: the other side was too slow */
  int64_t reordered; /* in: came after a later one, not used */
  int64_t malformed; /* in: datagrams that are no frame of this stream */
  int64_t empty;     /* in: nothing new when a value was wanted */
} hk_stream_count;

enum { HK_STREAM_WORDS = 300 };

typedef struct hk_stream {
  hk_ctx *ctx;
  hk_stream_plan plan;
  hk_stream_count count;
  int fd, listener; /* -1: none */
  unsigned char *bytes;
  size_t have, cap; /* in: bytes received; out: bytes that wait to be sent, from `sent` on */
  size_t sent;
  uint64_t sequence;   /* in: the next one expected; out: the next one */
  uint32_t layout;     /* in: of the first frame */
  double time;         /* in: simulated time of the last frame */
  uint64_t again_next; /* in: frames far behind: how many in a row, and the next one of them */
  int32_t again;
  size_t cut; /* in: bytes of a frame that the end has cut off */
  bool begun, ended, owner;
  const volatile int *stop;    /* nonzero: waiting ends; may be NULL */
  struct hk_stream_slot *slot; /* shared memory */
  size_t slot_bytes;
  uint64_t slot_last;
  uint32_t vain;               /* times since looking closely was in vain */
  char words[HK_STREAM_WORDS]; /* why it failed */
} hk_stream;

typedef enum hk_stream_got {
  HK_STREAM_NEW,     /* values, or: sent */
  HK_STREAM_NOTHING, /* nothing new; out: not sent, counted */
  HK_STREAM_END,     /* the other side has ended the stream */
  HK_STREAM_STOPPED, /* `stop` was set while waiting */
  HK_STREAM_FAULT    /* `words` */
} hk_stream_got;

/* Begins to open; HK_OK or an error with a message. In either case hki_stream_close ends it. */
hk_status hki_stream_open(hk_stream *s, hk_ctx *ctx, const hk_stream_plan *plan);
/* Is the other side there? 1, 0: not yet, -1: it never will, `words`. Does not wait. */
int hki_stream_ready(hk_stream *s);
/* values (columns of them): by the plan the next frame, waiting for it, or the latest one */
hk_stream_got hki_stream_receive(hk_stream *s, double *values);
hk_stream_got hki_stream_send(hk_stream *s, double time, const double *values);
/* tells the other side that there is no more */
void hki_stream_close(hk_stream *s);

/* --- between the files of this room --------------------------------------------------------------- */

/* sockets and files (socket.c) */
hk_status hki_socket_open(hk_stream *s);
int hki_socket_ready(hk_stream *s);
void hki_socket_close(hk_stream *s);
/* Receives what is there into bytes + have, of a datagram one: HK_STREAM_NEW, NOTHING, END, FAULT. */
hk_stream_got hki_socket_fill(hk_stream *s);
/* sends what waits, as far as it goes: NEW when all is gone, NOTHING, END, FAULT */
hk_stream_got hki_socket_flush(hk_stream *s);
/* waits until there is something to read or to write, at most until `until` (ns); false: it is not */
bool hki_socket_wait(hk_stream *s, bool write, int64_t until);

/* shared memory (shared.c) */
hk_status hki_shared_open(hk_stream *s);
int hki_shared_ready(hk_stream *s);
void hki_shared_close(hk_stream *s);
/* the latest frame into bytes, if there is one since the last */
hk_stream_got hki_shared_take(hk_stream *s);
/* `n` bytes as the latest frame */
hk_stream_got hki_shared_put(hk_stream *s, size_t n, bool end);
bool hki_shared_wait(hk_stream *s, bool write, int64_t until);

#endif
