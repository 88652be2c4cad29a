/* SPDX-License-Identifier: Apache-2.0
 *
 * container.c: the records of MCAP (container.h). A chunk is gathered in memory and written with the index of its
 * messages when it is full; of each chunk the index of the file keeps a few bytes a channel.
 */
#include "results/mcap/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hooke/version.h"

enum {
  HEADER = 1,
  FOOTER,
  SCHEMA,
  CHANNEL,
  MESSAGE,
  CHUNK,
  MESSAGE_INDEX,
  CHUNK_INDEX,
  STATISTICS = 11,
  METADATA,
  METADATA_INDEX,
  SUMMARY_OFFSET,
  DATA_END
};
enum { CHUNK_BYTES = 1 << 20, RECORD_HEAD = 9, MESSAGE_HEAD = 22, LEAST = 40 };
static const unsigned char magic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/* a message of the chunk, and the next one of its channel */
typedef struct entry {
  uint64_t ns, at;
  int32_t next;
} entry;

/* what is known of a channel; lists of the chunk by number of entry, -1: none */
typedef struct channel {
  uint64_t messages;
  int32_t first, last;
} channel;

struct hk_mcap {
  hk_ctx *ctx;
  hk_swap swap;
  int fd;
  hk_status status; /* the first failure */
  double busy;
  uint64_t at;  /* bytes of the file so far */
  uint32_t crc; /* of them, as the sum goes on */
  uint32_t table[256];
  hk_text chunk, record;                       /* the chunk; a record that is made */
  hk_text schemas, channels, chunks, metadata; /* of the summary */
  entry *entries;
  int32_t nentries, entries_cap;
  channel *list; /* cap + 1, by number */
  int32_t cap, nschemas, nchannels, nchunks, nmetadata;
  uint64_t messages, begin, end, chunk_begin, chunk_end;
};

/* --- bytes ------------------------------------------------------------------------------------------ */

void hki_mcap_put(hk_text *t, uint64_t x, int bytes) {
  char b[8];
  for (int i = 0; i < bytes; i++) b[i] = (char)(unsigned char)(x >> 8 * i);
  hki_text_addn(t, b, (size_t)bytes);
}

void hki_mcap_number(hk_text *t, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  hki_mcap_put(t, bits, 8);
}

void hki_mcap_string(hk_text *t, const char *s) {
  const size_t n = s ? strlen(s) : 0;
  hki_mcap_put(t, n, 4);
  if (n) hki_text_addn(t, s, n);
}

/* a map of texts: uint32 bytes, the pairs */
static void put_map(hk_text *t, int32_t n, const char *const (*pairs)[2]) {
  size_t bytes = 0;
  for (int32_t i = 0; i < n; i++) bytes += 8 + strlen(pairs[i][0]) + strlen(pairs[i][1]);
  hki_mcap_put(t, bytes, 4);
  for (int32_t i = 0; i < n; i++) {
    hki_mcap_string(t, pairs[i][0]);
    hki_mcap_string(t, pairs[i][1]);
  }
}

/* begins a record and returns where; ends it: its length becomes known */
static size_t begin_record(hk_text *t, int kind) {
  hki_mcap_put(t, (uint64_t)kind, 1);
  hki_mcap_put(t, 0, 8);
  return t->len;
}

static void end_record(hk_text *t, size_t from) {
  const uint64_t n = t->len - from;
  if (t->failed) return;
  for (int i = 0; i < 8; i++) t->s[from - 8 + (size_t)i] = (char)(unsigned char)(n >> 8 * i);
}

/* --- checksums: CRC-32 of ISO 3309, as in zip --------------------------------------------------------- */

static void make_table(uint32_t *table) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
}

static uint32_t crc_of(const hk_mcap *m, uint32_t crc, const char *s, size_t n) {
  uint32_t c = ~crc;
  for (size_t i = 0; i < n; i++) c = m->table[(c ^ (unsigned char)s[i]) & 255] ^ (c >> 8);
  return ~c;
}

/* --- the file ----------------------------------------------------------------------------------------- */

static void fail(hk_mcap *m, int error) {
  if (m->status == HK_OK)
    m->status = hki_error(m->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s",
                          m->swap.target, strerror(error));
}

static void write_out(hk_mcap *m, const char *s, size_t n) {
  const double from = hki_wall_seconds();
  m->crc = crc_of(m, m->crc, s, n);
  m->at += n;
  while (n && m->status == HK_OK) {
    const ssize_t some = write(m->fd, s, n);
    if (some >= 0) {
      s += some, n -= (size_t)some;
    } else if (errno != EINTR) {
      fail(m, errno);
    }
  }
  m->busy += hki_wall_seconds() - from;
}

/* writes a buffer and empties it */
static void flush(hk_mcap *m, hk_text *t) {
  if (t->failed && m->status == HK_OK) m->status = HK_E_MEMORY;
  if (m->status == HK_OK && t->len) write_out(m, t->s, t->len);
  t->len = 0;
}

/* the index of the chunk's messages, one record a channel, behind the chunk; `map` gets where each stands */
static void write_message_index(hk_mcap *m, hk_text *map) {
  hk_text *r = &m->record;
  r->len = 0;
  for (int32_t k = 1; k <= m->nchannels; k++) {
    channel *c = &m->list[k];
    if (c->first < 0) continue;
    hki_mcap_put(map, (uint64_t)k, 2);
    hki_mcap_put(map, m->at + r->len, 8);
    const size_t from = begin_record(r, MESSAGE_INDEX);
    hki_mcap_put(r, (uint64_t)k, 2);
    hki_mcap_put(r, 0, 4);
    const size_t list = r->len;
    for (int32_t i = c->first; i >= 0; i = m->entries[i].next) {
      hki_mcap_put(r, m->entries[i].ns, 8);
      hki_mcap_put(r, m->entries[i].at, 8);
    }
    const size_t bytes = r->len - list;
    for (int i = 0; i < 4 && !r->failed; i++)
      r->s[list - 4 + (size_t)i] = (char)(unsigned char)(bytes >> 8 * i);
    end_record(r, from);
    c->first = c->last = -1;
  }
  flush(m, r);
}

void hki_mcap_cut(hk_mcap *m) {
  if (!m->chunk.len || m->status != HK_OK) return;
  if (!m->nentries) m->chunk_begin = 0;
  const uint64_t start = m->at;
  const size_t bytes = m->chunk.len;
  hk_text *r = &m->record, *ix = &m->chunks;
  // the chunk: a head, and the records as they are
  r->len = 0;
  const uint64_t length = 8 + 8 + 8 + 4 + 4 + 8 + (uint64_t)bytes;
  hki_mcap_put(r, CHUNK, 1);
  hki_mcap_put(r, length, 8);
  hki_mcap_put(r, m->chunk_begin, 8);
  hki_mcap_put(r, m->chunk_end, 8);
  hki_mcap_put(r, bytes, 8);
  hki_mcap_put(r, m->chunk.failed ? 0 : crc_of(m, 0, m->chunk.s, bytes), 4);
  hki_mcap_string(r, "");
  hki_mcap_put(r, bytes, 8);
  flush(m, r);
  flush(m, &m->chunk);
  // its line in the summary
  const size_t from = begin_record(ix, CHUNK_INDEX);
  hki_mcap_put(ix, m->chunk_begin, 8);
  hki_mcap_put(ix, m->chunk_end, 8);
  hki_mcap_put(ix, start, 8);
  hki_mcap_put(ix, RECORD_HEAD + length, 8);
  hki_mcap_put(ix, 0, 4);
  const size_t map = ix->len;
  const uint64_t index = m->at;
  write_message_index(m, ix);
  const size_t n = ix->len - map;
  for (int i = 0; i < 4 && !ix->failed; i++)
    ix->s[map - 4 + (size_t)i] = (char)(unsigned char)(n >> 8 * i);
  hki_mcap_put(ix, m->at - index, 8);
  hki_mcap_string(ix, "");
  hki_mcap_put(ix, bytes, 8);
  hki_mcap_put(ix, bytes, 8);
  end_record(ix, from);
  m->nchunks++;
  m->nentries = 0;
  m->chunk_begin = UINT64_MAX, m->chunk_end = 0;
}

/* --- records ------------------------------------------------------------------------------------------ */

/* the same record for the chunk and for the summary */
static void put_both(hk_mcap *m, hk_text *summary, size_t from) {
  if (summary->failed || m->status != HK_OK) return;
  hki_text_addn(&m->chunk, summary->s + from, summary->len - from);
}

void hki_mcap_schema(hk_mcap *m, uint16_t id, const char *name, const char *definition) {
  hk_text *t = &m->schemas;
  const size_t from = begin_record(t, SCHEMA);
  hki_mcap_put(t, id, 2);
  hki_mcap_string(t, name);
  hki_mcap_string(t, "ros2msg");
  hki_mcap_string(t, definition);
  end_record(t, from);
  put_both(m, t, from - RECORD_HEAD);
  m->nschemas++;
}

void hki_mcap_channel(hk_mcap *m, uint16_t id, uint16_t schema, const char *topic, int32_t n,
                      const char *const (*notes)[2]) {
  hk_text *t = &m->channels;
  HK_ASSERT(id == m->nchannels + 1 && id <= m->cap);
  const size_t from = begin_record(t, CHANNEL);
  hki_mcap_put(t, id, 2);
  hki_mcap_put(t, schema, 2);
  hki_mcap_string(t, topic);
  hki_mcap_string(t, "cdr");
  put_map(t, n, notes);
  end_record(t, from);
  put_both(m, t, from - RECORD_HEAD);
  m->list[++m->nchannels] = (channel){.first = -1, .last = -1};
}

hk_status hki_mcap_message(hk_mcap *m, uint16_t id, uint64_t ns, const void *data, size_t n) {
  HK_ASSERT(id >= 1 && id <= m->nchannels);
  channel *c = &m->list[id];
  if (m->status != HK_OK) return m->status;
  if (!HK_GROW(m->ctx, m->entries, m->entries_cap, m->nentries + 1)) return m->status = HK_E_MEMORY;
  const int32_t e = m->nentries++;
  m->entries[e] = (entry){.ns = ns, .at = m->chunk.len, .next = -1};
  if (c->last >= 0)
    m->entries[c->last].next = e;
  else
    c->first = e;
  c->last = e;
  hk_text *t = &m->chunk;
  hki_mcap_put(t, MESSAGE, 1);
  hki_mcap_put(t, MESSAGE_HEAD + (uint64_t)n, 8);
  hki_mcap_put(t, id, 2);
  hki_mcap_put(t, c->messages & UINT32_MAX, 4);
  hki_mcap_put(t, ns, 8);
  hki_mcap_put(t, ns, 8);
  hki_text_addn(t, data, n);
  c->messages++, m->messages++;
  m->begin = ns < m->begin ? ns : m->begin, m->end = ns > m->end ? ns : m->end;
  m->chunk_begin = ns < m->chunk_begin ? ns : m->chunk_begin;
  m->chunk_end = ns > m->chunk_end ? ns : m->chunk_end;
  if (t->len >= CHUNK_BYTES) hki_mcap_cut(m);
  return m->status;
}

void hki_mcap_metadata(hk_mcap *m, const char *name, int32_t n, const char *const (*pairs)[2]) {
  hk_text *r = &m->record, *ix = &m->metadata;
  hki_mcap_cut(m);
  const uint64_t at = m->at;
  r->len = 0;
  size_t from = begin_record(r, METADATA);
  hki_mcap_string(r, name);
  put_map(r, n, pairs);
  end_record(r, from);
  flush(m, r);
  from = begin_record(ix, METADATA_INDEX);
  hki_mcap_put(ix, at, 8);
  hki_mcap_put(ix, m->at - at, 8);
  hki_mcap_string(ix, name);
  end_record(ix, from);
  m->nmetadata++;
}

static void put_statistics(hk_mcap *m, hk_text *t) {
  const size_t from = begin_record(t, STATISTICS);
  int32_t used = 0;
  for (int32_t k = 1; k <= m->nchannels; k++) used += m->list[k].messages > 0;
  hki_mcap_put(t, m->messages, 8);
  hki_mcap_put(t, (uint64_t)m->nschemas, 2);
  hki_mcap_put(t, (uint64_t)m->nchannels, 4);
  hki_mcap_put(t, 0, 4); // attachments
  hki_mcap_put(t, (uint64_t)m->nmetadata, 4);
  hki_mcap_put(t, (uint64_t)m->nchunks, 4);
  hki_mcap_put(t, m->messages ? m->begin : 0, 8);
  hki_mcap_put(t, m->end, 8);
  hki_mcap_put(t, 10 * (uint64_t)used, 4);
  for (int32_t k = 1; k <= m->nchannels; k++) {
    if (!m->list[k].messages) continue;
    hki_mcap_put(t, (uint64_t)k, 2);
    hki_mcap_put(t, m->list[k].messages, 8);
  }
  end_record(t, from);
}

/* what follows the messages */
static void put_summary(hk_mcap *m) {
  hk_text *r = &m->record;
  struct {
    int kind;
    hk_text *t;
    uint64_t start, length;
  } group[] = {{SCHEMA, &m->schemas, 0, 0},
               {CHANNEL, &m->channels, 0, 0},
               {CHUNK_INDEX, &m->chunks, 0, 0},
               {METADATA_INDEX, &m->metadata, 0, 0},
               {STATISTICS, &m->chunk, 0, 0}};
  hki_mcap_cut(m);
  r->len = 0;
  hki_mcap_put(r, DATA_END, 1);
  hki_mcap_put(r, 4, 8);
  hki_mcap_put(r, m->crc, 4);
  flush(m, r);
  // the chunk is empty now: its buffer holds the statistics
  put_statistics(m, &m->chunk);
  const uint64_t start = m->at;
  m->crc = 0;
  for (int i = 0; i < HK_ARRAY_LEN(group); i++) {
    group[i].start = m->at, group[i].length = group[i].t->len;
    flush(m, group[i].t);
  }
  const uint64_t offsets = m->at;
  for (int i = 0; i < HK_ARRAY_LEN(group); i++) {
    if (!group[i].length) continue;
    const size_t from = begin_record(r, SUMMARY_OFFSET);
    hki_mcap_put(r, (uint64_t)group[i].kind, 1);
    hki_mcap_put(r, group[i].start, 8);
    hki_mcap_put(r, group[i].length, 8);
    end_record(r, from);
  }
  // the footer: its checksum is that of the summary up to here
  hki_mcap_put(r, FOOTER, 1);
  hki_mcap_put(r, 20, 8);
  hki_mcap_put(r, start, 8);
  hki_mcap_put(r, offsets, 8);
  flush(m, r);
  hki_mcap_put(r, m->crc, 4);
  hki_text_addn(r, (const char *)magic, sizeof magic);
  flush(m, r);
}

/* --- life ----------------------------------------------------------------------------------------------- */

/* memory of a chunk, so that messages need none: they have LEAST bytes or more */
static bool reserve(hk_mcap *m) {
  char some[1024] = {0};
  while (m->chunk.len < CHUNK_BYTES + CHUNK_BYTES / 8 && !m->chunk.failed)
    hki_text_addn(&m->chunk, some, sizeof some);
  m->chunk.len = 0;
  return !m->chunk.failed && HK_GROW(m->ctx, m->entries, m->entries_cap, CHUNK_BYTES / LEAST + 1);
}

hk_status hki_mcap_open(hk_ctx *ctx, const char *path, int32_t channels, hk_mcap **out) {
  hk_mcap *m = *out = hki_alloc(ctx, sizeof *m);
  if (!m) return HK_E_MEMORY;
  *m = (hk_mcap){.ctx = ctx, .fd = -1, .cap = channels};
  m->begin = m->chunk_begin = UINT64_MAX;
  make_table(m->table);
  hk_text *const texts[] = {&m->chunk,    &m->record, &m->schemas,
                            &m->channels, &m->chunks, &m->metadata};
  for (int i = 0; i < HK_ARRAY_LEN(texts); i++) hki_text_init(texts[i], ctx);
  m->list = hki_alloc(ctx, ((size_t)channels + 1) * sizeof *m->list);
  if (!m->list || !reserve(m)) return HK_E_MEMORY;
  hk_status st = hki_swap_open(&m->swap, ctx, path);
  if (st != HK_OK) return st;
  m->fd = open(m->swap.part, O_WRONLY | O_CLOEXEC);
  if (m->fd < 0) {
    fail(m, errno);
    return m->status;
  }
  hk_text *r = &m->record;
  hki_text_addn(r, (const char *)magic, sizeof magic);
  const size_t from = begin_record(r, HEADER);
  hki_mcap_string(r, "ros2");
  hki_mcap_string(r, "hooke " HK_VERSION_STRING);
  end_record(r, from);
  flush(m, r);
  return m->status;
}

hk_status hki_mcap_close(hk_mcap *m) {
  if (m->status == HK_OK) put_summary(m);
  if (m->fd >= 0 && close(m->fd) != 0) fail(m, errno);
  m->fd = -1;
  if (m->status == HK_OK) m->status = hki_swap_commit(&m->swap);
  if (m->status != HK_OK) hki_swap_keep(&m->swap);
  return m->status;
}

void hki_mcap_end(hk_mcap *m) {
  if (!m) return;
  if (m->fd >= 0) close(m->fd);
  hki_swap_end(&m->swap);
  hk_text *const texts[] = {&m->chunk,    &m->record, &m->schemas,
                            &m->channels, &m->chunks, &m->metadata};
  for (int i = 0; i < HK_ARRAY_LEN(texts); i++) hki_text_free(texts[i]);
  hki_free(m->ctx, m->entries);
  hki_free(m->ctx, m->list);
  hki_free(m->ctx, m);
}

double hki_mcap_busy(const hk_mcap *m) { return m->busy; }
