/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_streams.h: `streams:`, between the files of the reader.
 */
#ifndef HK_LANGUAGE_READER_STREAMS_H
#define HK_LANGUAGE_READER_STREAMS_H

#include "language/reader.h"
#include "language/reader_signals.h"

/* of a stream; of `in:` and `out:` */
extern const hk_param hki_keys_stream[], hki_keys_stream_way[];

/* a signal {stream: NAME, column: 2} (kinds of signals) */
bool hki_rd_stream_signal(const hk_rd_signal_in *in);
/* the section, after all signals have been read */
void hki_rd_streams_read(hk_reader *rd);
/* channels that streams send, once all names are known */
void hki_rd_streams_finish(hk_reader *rd);

#endif
