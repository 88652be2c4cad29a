/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/stream.h: streams of a model, values that come from other programs and go to them while it runs.
 *
 * A model declares them (`streams:`). Nothing is opened before hk_sim_connect(), or the option `connect` of
 * a run: without it the signals that read streams are inputs like others.
 */
#ifndef HOOKE_STREAM_H
#define HOOKE_STREAM_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Open all streams of the model and wait until the other sides are there, at most as long as the model says
 * (`timeout`). From then on every step reads and sends. Streams are closed when the simulation ends.
 * @param s the simulation, before its first step
 * @return HK_OK; HK_E_USAGE: steps of controlled length, or connected already; HK_E_FILE: a stream cannot be
 *         opened, or nobody is there; HK_INTERRUPTED. The context has messages. */
HK_API hk_status hk_sim_connect(hk_sim *s);

/** Streams that are connected.
 * @param s the simulation
 * @return how many; 0 before hk_sim_connect() */
HK_API int32_t hk_sim_stream_count(const hk_sim *s);

/** What went through a stream. */
typedef struct hk_stream_summary {
  uint32_t size;     /**< of this struct in bytes, set by the caller */
  int32_t out;       /**< 1: values go out; 0: they come in */
  const char *name;  /**< in the model */
  int64_t frames;    /**< sent, or received and used */
  int64_t passed;    /**< in: received, but a later one was there already */
  int64_t lost;      /**< in: missing in the sequence; out: not sent, the other side was too slow */
  int64_t reordered; /**< in: came after a later one, and was not used */
  int64_t malformed; /**< in: datagrams that were no frames of this stream */
  int64_t empty;     /**< in: times that nothing new was there */
  int32_t ended;     /**< 1: the other side has ended it */
} hk_stream_summary;

/** What went through a stream so far.
 * @param s the simulation
 * @param stream from 0 to hk_sim_stream_count() - 1
 * @param out the numbers
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_sim_stream(const hk_sim *s, int32_t stream, hk_stream_summary *out);

#ifdef __cplusplus
}
#endif
#endif
