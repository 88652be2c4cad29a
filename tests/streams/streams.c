/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams: frames come out as they went in over every way; of a stream that blocks each of them, of one that does
 * not the latest. Loss and order are counted. What is no frame is named, counted or ends the stream, and
 * a peer that says nothing, too much or nonsense can neither hang a stream nor make it grow.
 */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/realtime.h"
#include "runner.h"
#include "streams/stream.h"

Suite *suite_streams(void);

static hk_ctx *ctx;
static hk_stream in, out;
static void set_up(void) { ctx = hk_ctx_create(); }
static void tear_down(void) {
  hki_stream_close(&out);
  hki_stream_close(&in);
  hk_ctx_destroy(ctx);
}

/* --- frames ------------------------------------------------------------------------------------------ */

START_TEST(frames_are_as_described) {
  static const unsigned char head[40] = {
      'H', 'K', 'S', 'T', 1, 0, 0, 0, 0x44, 0x33, 0x22, 0x11, 1, 0, 0, 0, 7, 0, 0, 0,
      0,   0,   0,   0,   0, 0, 0, 0, 0,    0,    0xf8, 0x3f, 5, 0, 0, 0, 0, 0, 0, 0};
  const hk_frame_head h = {.layout = 0x11223344, .count = 1, .sequence = 7, .time = 1.5, .sent = 5};
  const double x = -2.0;
  unsigned char frame[48];
  double y;
  char words[HK_STREAM_WORDS];
  hk_frame_head back;
  hki_frame_write(frame, &h, &x);
  ck_assert_mem_eq(frame, head, sizeof head);
  ck_assert_mem_eq(frame + 40, "\0\0\0\0\0\0\0\xc0", 8);
  ck_assert_ptr_null(hki_frame_read(frame, sizeof frame, &back, words, sizeof words));
  ck_assert(back.layout == h.layout && back.count == 1 && back.sequence == 7 && back.time == 1.5 &&
            back.sent == 5 && back.flags == 0);
  hki_frame_get_values(frame + 40, &y, 1);
  ck_assert_double_eq(y, x);
  static const struct {
    int at;
    unsigned char value;
    const char *words;
  } wrong[] = {{0, 'h', "magic"},     {4, 2, "version 2"},     {6, 2, "flags"},
               {6, 1, "with values"}, {14, 1, "are the most"}, {31, 0x7f, NULL}};
  for (int i = 0; i < 6; i++) {
    hki_frame_write(frame, &h, &x);
    frame[wrong[i].at] = wrong[i].value;
    if (i == 5) frame[30] = 0xf8; // not a number
    const char *why = hki_frame_read(frame, sizeof frame, &back, words, sizeof words);
    ck_assert_msg(why && strstr(why, wrong[i].words ? wrong[i].words : "no number"), "%d: %s", i,
                  why ? why : "taken");
  }
  ck_assert_ptr_nonnull(hki_frame_read(frame, 39, &back, words, sizeof words));
  const char *const a[] = {"ab", "c"}, *const b[] = {"a", "bc"};
  ck_assert_uint_ne(hki_frame_layout(2, a), hki_frame_layout(2, b));
}
END_TEST

/* --- pairs ------------------------------------------------------------------------------------------- */

enum { UDP, TCP, UNIX, SHM, WAYS };

static void begin(int way, bool raw, bool blocking, int32_t columns) {
  static char address[64];
  static const hk_stream_way ways[] = {HK_STREAM_UDP, HK_STREAM_TCP, HK_STREAM_UNIX, HK_STREAM_SHM};
  hk_stream_plan plan = {.name = "s",
                         .address = address,
                         .way = ways[way],
                         .listen = true,
                         .raw = raw,
                         .blocking = blocking,
                         .columns = columns,
                         .timeout = 5.0};
  // a port that somebody else has is passed over; those that the system gives to others begin above these
  hk_status st = HK_E_FILE;
  for (int k = 0; k < 20 && st != HK_OK; k++) {
    if (way == UNIX)
      snprintf(address, sizeof address, "/tmp/hooke-stream-%d", (int)getpid());
    else if (way == SHM)
      snprintf(address, sizeof address, "hooke-stream-%d", (int)getpid());
    else
      snprintf(address, sizeof address, "127.0.0.1:%d", 10000 + ((int)getpid() + 991 * k) % 20000);
    st = hki_stream_open(&in, ctx, &plan);
  }
  ck_assert_msg(st == HK_OK, "%s", in.words);
  plan.out = true, plan.listen = false, plan.layout = 99;
  ck_assert_int_eq(hki_stream_open(&out, ctx, &plan), HK_OK);
  for (int i = 0; i < 1000; i++) {
    const int a = hki_stream_ready(&in), b = hki_stream_ready(&out);
    ck_assert_msg(a >= 0 && b >= 0, "%s, %s", in.words, out.words);
    if (a && b) return;
    (void)hki_sleep_until(hki_now() + 1000000);
  }
  ck_abort_msg("they do not meet");
}

START_TEST(every_frame_in_order) {
  const int way = _i / 2;
  double x[3], y[3];
  begin(way, _i % 2 == 1, true, 3);
  for (int k = 0; k < 200; k++) {
    for (int i = 0; i < 3; i++) x[i] = k + 0.25 * i;
    ck_assert_int_eq(hki_stream_send(&out, 0.5 * k, x), HK_STREAM_NEW);
    ck_assert_msg(hki_stream_receive(&in, y) == HK_STREAM_NEW, "%d: %s", k, in.words);
    ck_assert_mem_eq(x, y, sizeof x);
    if (_i % 2 == 0) ck_assert_double_eq(in.time, 0.5 * k);
  }
  ck_assert(in.count.frames == 200 && in.count.lost == 0 && out.count.frames == 200);
  hki_stream_close(&out);
  // of datagrams without frames the end cannot be told
  if (way == UDP && _i % 2) return;
  ck_assert_int_eq(hki_stream_receive(&in, y), HK_STREAM_END);
  ck_assert_int_eq(hki_stream_receive(&in, y), HK_STREAM_END);
}
END_TEST

START_TEST(the_latest) {
  double x, y = NAN;
  begin(_i, false, false, 1);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NOTHING);
  for (int k = 0; k < 3; k++) {
    x = k;
    ck_assert_int_eq(hki_stream_send(&out, k, &x), HK_STREAM_NEW);
  }
  // sockets of this machine are there at once, but nobody promises it
  for (int i = 0; i < 200 && !(y == 2.0); i++) {
    (void)hki_stream_receive(&in, &y);
    (void)hki_sleep_until(hki_now() + 1000000);
  }
  ck_assert_double_eq(y, 2.0);
  ck_assert_int_eq(in.count.frames + in.count.passed, _i == SHM ? 1 : 3); // one place, or a queue
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NOTHING);
  ck_assert_int_ge(in.count.empty, 1);
}
END_TEST

static void put(uint64_t sequence, double value, uint32_t layout, size_t cut) {
  unsigned char frame[64];
  const hk_frame_head h = {.layout = layout, .count = 1, .sequence = sequence};
  hki_frame_write(frame, &h, &value);
  ck_assert_int_eq(send(out.fd, frame, 48 - cut, 0), (ssize_t)(48 - cut));
}

START_TEST(loss_and_order) {
  double y;
  begin(UDP, false, true, 1);
  put(5, 1.0, 0, 0); // the first may have any number
  put(8, 2.0, 0, 0);
  put(7, 3.0, 0, 0);
  put(8, 4.0, 0, 0); // twice
  put(9, 5.0, 0, 0);
  static const double expected[] = {1.0, 2.0, 5.0};
  for (int i = 0; i < 3; i++) {
    ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
    ck_assert_double_eq(y, expected[i]);
  }
  ck_assert(in.count.lost == 2 && in.count.reordered == 2 && in.count.frames == 3);
}
END_TEST

/* a forged number far ahead, or a sender that was started again, does not silence a stream; late frames are not taken for that */
START_TEST(senders_that_begin_anew) {
  double y;
  begin(UDP, false, true, 1);
  put(1000, 1.0, 0, 0);
  put((uint64_t)1 << 60, 2.0, 0, 0);
  for (int i = 1; i < 6; i++) put(1000 + (uint64_t)i, 10.0 + i, 0, 0);
  static const double expected[] = {1.0, 2.0, 13.0, 14.0, 15.0};
  for (int i = 0; i < 5; i++) {
    ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
    ck_assert_double_eq(y, expected[i]);
  }
  ck_assert_int_eq(in.count.reordered, 2);
  // near ones in a row are late
  for (int i = 0; i < 5; i++) put(900 + (uint64_t)i, 20.0, 0, 0);
  put(2000, 21.0, 0, 0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_double_eq(y, 21.0);
  ck_assert_int_eq(in.count.reordered, 7);
  // far ones that do not follow each other are not taken either
  for (int i = 0; i < 5; i++) put(1 + 2 * (uint64_t)i, 22.0, 0, 0);
  put(2001, 23.0, 0, 0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_double_eq(y, 23.0);
}
END_TEST

/* good and bad ones by turns: one call looks at so many, whatever they are */
START_TEST(mixed_floods) {
  double y = 0.0;
  begin(UDP, false, false, 1);
  for (int i = 0; i < 400; i++) {
    if (i % 3)
      send(out.fd, "junk", 4, MSG_DONTWAIT);
    else
      put((uint64_t)i, i, 0, 0);
  }
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_int_le(in.count.malformed + in.count.frames + in.count.passed, 256);
  ck_assert_int_ge(in.count.malformed, 50);
}
END_TEST

START_TEST(datagrams_that_are_no_frames) {
  double y;
  begin(UDP, false, true, 1);
  put(0, 1.0, 0, 3); // cut off
  put(0, 1.0, 7, 0); // the first sets the layout
  put(1, 1.0, 8, 0); // another layout
  put(1, NAN, 7, 0); // no number
  put(1, INFINITY, 7, 0);
  send(out.fd, "hello", 5, 0);
  unsigned char longer[56] = {0}; // a frame with something behind it
  const double one = 3.0;
  const hk_frame_head head = {.layout = 7, .count = 1, .sequence = 1};
  hki_frame_write(longer, &head, &one);
  send(out.fd, longer, sizeof longer, 0);
  char much[2000] = {0};
  send(out.fd, much, sizeof much, 0);
  send(out.fd, NULL, 0, 0);
  put(1, 2.0, 7, 0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_double_eq(y, 1.0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_double_eq(y, 2.0);
  ck_assert_int_eq(in.count.malformed, 8);
  ck_assert_int_eq(in.count.lost, 0);
}
END_TEST

START_TEST(connections_that_send_no_frames) {
  double y;
  begin(_i ? UNIX : TCP, false, true, 1);
  put(0, 1.0, 0, 0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  static const char text[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n and more words";
  send(out.fd, text, sizeof text - 1, 0);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_FAULT);
  ck_assert_msg(strstr(in.words, "malformed frame: it begins with"), "%s", in.words);
}
END_TEST

START_TEST(frames_in_pieces) {
  unsigned char frame[48];
  double y = 0.0;
  begin(UNIX, false, false, 1);
  for (int k = 0; k < 5; k++) {
    const hk_frame_head h = {.count = 1, .sequence = (uint64_t)k};
    const double x = k;
    hki_frame_write(frame, &h, &x);
    for (int i = 0; i < 48; i += 7) {
      ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NOTHING);
      send(out.fd, frame + i, i + 7 < 48 ? 7 : 48 - (size_t)i, 0);
    }
    ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
    ck_assert_double_eq(y, k);
  }
  // a stream that breaks off in the middle has ended
  send(out.fd, frame, 20, 0);
  close(out.fd), out.fd = -1;
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_END);
  ck_assert_uint_eq(in.cut, 20);
}
END_TEST

/* a pipe that nobody empties takes what fits and no more: the program does not hang in it */
START_TEST(pipes_that_nobody_empties) {
  enum { MANY = 4096 };
  static double x[MANY];
  int ends[2];
  const hk_stream_plan plan = {.name = "s",
                               .way = HK_STREAM_STANDARD,
                               .out = true,
                               .blocking = _i == 1,
                               .columns = MANY,
                               .timeout = 0.05};
  ck_assert_int_eq(pipe(ends), 0);
  out = (hk_stream){.ctx = ctx, .plan = plan, .fd = ends[1], .listener = -1};
  out.cap = 8 * hki_frame_size(MANY);
  out.bytes = hki_alloc(ctx, out.cap);
  hk_stream_got got = HK_STREAM_NEW;
  for (int i = 0; i < 20 && got == HK_STREAM_NEW; i++) got = hki_stream_send(&out, 0.0, x);
  ck_assert_int_eq(got, _i ? HK_STREAM_FAULT : HK_STREAM_NOTHING);
  hki_stream_close(&out);
  close(ends[0]);
}
END_TEST

/* a reader sleeps until the writer wakes it; memory of another version is refused */
static void *write_late(void *arg) {
  const double x = 7.0;
  (void)arg;
  (void)hki_sleep_until(hki_now() + 3000000);
  (void)hki_stream_send(&out, 1.0, &x);
  return NULL;
}

START_TEST(shared_memory_sleeps) {
  pthread_t other;
  double y = 0.0;
  begin(SHM, false, true, 1);
  for (int i = 0; i < 5; i++) {
    ck_assert_int_eq(pthread_create(&other, NULL, write_late, NULL), 0);
    ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
    ck_assert_double_eq(y, 7.0);
    pthread_join(other, NULL);
  }
  const uint32_t *words = (const uint32_t *)(const void *)in.slot;
  ck_assert(words[0] == 0x4d534b48u && words[1] == 2 && words[2] == 48 && words[4] == 10);
  ck_assert(words[8] == 0 && words[9] == 0); // nobody sleeps
  // a writer that was stopped in the middle of a frame, and one that has ended there
  uint32_t *word = (uint32_t *)(void *)in.slot;
  word[4] = 11;
  in.plan.timeout = 0.01;
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_FAULT);
  word[3] = 1;
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_END);
  hk_stream again;
  hk_stream_plan plan = in.plan;
  ((uint32_t *)(void *)in.slot)[1] = 1;
  ck_assert_int_eq(hki_stream_open(&again, ctx, &plan), HK_E_FILE);
  ck_assert_msg(strstr(again.words, "something else"), "%s", again.words);
  ((uint32_t *)(void *)in.slot)[1] = 2;
  hki_stream_close(&again);
}
END_TEST

START_TEST(stalled_peers) {
  double y = 0.0;
  begin(_i, false, true, 1);
  in.plan.timeout = out.plan.timeout = 0.05;
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_FAULT);
  ck_assert_msg(strstr(in.words, "nothing has come for 0.05 s"), "%s", in.words);
  const volatile int stop = 1;
  in.stop = &stop;
  in.plan.timeout = 10.0;
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_STOPPED);
  if (_i == UDP) return; // datagrams do not wait
  hk_stream_got got = HK_STREAM_NEW;
  for (int i = 0; i < 2000000 && got == HK_STREAM_NEW; i++) got = hki_stream_send(&out, 0.0, &y);
  ck_assert_int_eq(got, HK_STREAM_FAULT);
  ck_assert_msg(strstr(out.words, "nobody has taken"), "%s", out.words);
}
END_TEST

/* a flood is bounded: one call looks at some frames and returns, memory stays as it is */
START_TEST(floods) {
  double y = 0.0;
  begin(UNIX, false, false, 1);
  const uint64_t before = hk_ctx_allocations(ctx);
  int64_t sent = 0;
  while (hki_stream_send(&out, 0.0, &y) == HK_STREAM_NEW && sent < 100000) sent++;
  ck_assert_int_ge(out.count.lost, 1);
  ck_assert_int_eq(hki_stream_receive(&in, &y), HK_STREAM_NEW);
  ck_assert_int_le(in.count.passed, 256);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
}
END_TEST

START_TEST(what_cannot_be_opened) {
  static const struct {
    hk_stream_way way;
    const char *address, *words;
  } wrong[] = {{HK_STREAM_UDP, "127.0.0.1", "no address"},
               {HK_STREAM_UDP, "127.0.0.1:70000", "no address"},
               {HK_STREAM_TCP, ":5000", "no address"},
               {HK_STREAM_TCP, "no.such.host.invalid:5000", "unknown"},
               {HK_STREAM_UNIX, "/no/such/folder/socket", "cannot listen"},
               {HK_STREAM_UNIX, "/tmp", "something else"},
               {HK_STREAM_SHM, "a/b", "no name"}};
  for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
    const hk_stream_plan plan = {.name = "s",
                                 .address = wrong[i].address,
                                 .way = wrong[i].way,
                                 .listen = true,
                                 .columns = 1,
                                 .timeout = 1.0};
    const hk_status st = hki_stream_open(&in, ctx, &plan);
    ck_assert_msg(st == HK_E_FILE || st == HK_E_USAGE, "%s: %d", wrong[i].address, (int)st);
    ck_assert_msg(strstr(in.words, wrong[i].words), "%s: %s", wrong[i].address, in.words);
    hki_stream_close(&in);
  }
  ck_assert(access("/tmp", F_OK) == 0);
}
END_TEST

Suite *suite_streams(void) {
  Suite *s = suite_create("streams");
  TCase *c = tcase_create("streams");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, frames_are_as_described);
  tcase_add_loop_test(c, every_frame_in_order, 0, 2 * WAYS);
  tcase_add_loop_test(c, the_latest, 0, WAYS);
  tcase_add_test(c, loss_and_order);
  tcase_add_test(c, senders_that_begin_anew);
  tcase_add_test(c, mixed_floods);
  tcase_add_loop_test(c, pipes_that_nobody_empties, 0, 2);
  tcase_add_test(c, shared_memory_sleeps);
  tcase_add_test(c, datagrams_that_are_no_frames);
  tcase_add_loop_test(c, connections_that_send_no_frames, 0, 2);
  tcase_add_test(c, frames_in_pieces);
  tcase_add_loop_test(c, stalled_peers, 0, WAYS);
  tcase_add_test(c, floods);
  tcase_add_test(c, what_cannot_be_opened);
  suite_add_tcase(s, c);
  return s;
}
