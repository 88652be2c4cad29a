/* SPDX-License-Identifier: Apache-2.0
 *
 * container.h: writes MCAP files (mcap.dev, version 0 of the format): messages with times on channels, in chunks with
 * an index, so that a viewer finds any moment without reading the whole file.
 *
 *   magic  header  (chunk  message index ..)..  metadata  data end
 *   schemas  channels  chunk indexes  metadata index  statistics  summary offsets  footer  magic
 *
 * A record is one byte of kind, uint64 bytes, the bytes; numbers are little-endian. The file appears when it is
 * complete (base/swap.h).
 */
#ifndef HK_RESULTS_MCAP_CONTAINER_H
#define HK_RESULTS_MCAP_CONTAINER_H

#include "base/swap.h"

/* --- little-endian bytes in a growing buffer ------------------------------------------------------ */

void hki_mcap_put(hk_text *t, uint64_t x, int bytes);
void hki_mcap_number(hk_text *t, double x);
void hki_mcap_string(hk_text *t, const char *s); /* uint32 length, bytes */

/* --- the file ------------------------------------------------------------------------------------- */

typedef struct hk_mcap hk_mcap;
enum { HK_MCAP_CHANNELS = 65535 }; /* at most */

/* Opens a file for at most `channels` channels. hki_mcap_end ends it in either case. */
hk_status hki_mcap_open(hk_ctx *ctx, const char *path, int32_t channels, hk_mcap **out);
/* numbers count from 1; a channel's schema and a message's channel come before it */
void hki_mcap_schema(hk_mcap *m, uint16_t id, const char *name, const char *definition);
/* notes: n pairs of name and value */
void hki_mcap_channel(hk_mcap *m, uint16_t id, uint16_t schema, const char *topic, int32_t n,
                      const char *const (*notes)[2]);
/* a message at a time in ns; gives the first failure of the file so far */
hk_status hki_mcap_message(hk_mcap *m, uint16_t channel, uint64_t ns, const void *data, size_t n);
/* the chunk ends here: what follows has one of its own */
void hki_mcap_cut(hk_mcap *m);
void hki_mcap_metadata(hk_mcap *m, const char *name, int32_t n, const char *const (*pairs)[2]);
/* completes the file and puts it in place, or says where the part is */
hk_status hki_mcap_close(hk_mcap *m);
/* frees it; a file that was not closed leaves nothing. NULL is allowed */
void hki_mcap_end(hk_mcap *m);
/* seconds spent in file operations */
double hki_mcap_busy(const hk_mcap *m);

#endif
