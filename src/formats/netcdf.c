/* SPDX-License-Identifier: Apache-2.0
 *
 * netcdf.c: NetCDF's classic format with 64-bit offsets. All numbers are big-endian, all parts padded to four
 * bytes:
 *
 *   "CDF" 2, records (0)
 *   dimensions   10, n, { name, length }
 *   attributes   12, n, { name, type, count, values }           of the file
 *   variables    11, n, { name, dimensions, attributes, type, bytes, offset of 8 bytes }
 *   a list that is empty is two zeros; a name is its length and its characters
 *   then the values of the variables
 *
 * The reader compares every count and offset with the length of the file before it uses them.
 */
#include "formats/netcdf.h"

#include <string.h>

#include "base/swap.h"

enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 };
enum { MOST = 4096, MOST_BYTES = 1 << 30 };

int64_t hki_nc_count(const hk_nc *nc, const hk_nc_var *v) {
  int64_t n = 1;
  for (int32_t i = 0; i < v->ndim; i++) n *= nc->dim[v->dim[i]].n;
  return n;
}

const hk_nc_var *hki_nc_find(const hk_nc *nc, const char *name) {
  for (int32_t i = 0; i < nc->nvar; i++)
    if (strcmp(nc->var[i].name, name) == 0) return &nc->var[i];
  return NULL;
}

const char *hki_nc_text_of(const hk_nc *nc, const char *name) {
  for (int32_t i = 0; i < nc->ntext; i++)
    if (strcmp(nc->text[i].name, name) == 0) return nc->text[i].text;
  return NULL;
}

static size_t type_size(hk_nc_type t) { return t == HK_NC_CHAR ? 1 : t == HK_NC_INT ? 4 : 8; }
static size_t padded(size_t n) { return (n + 3) & ~(size_t)3; }

/* --- write ------------------------------------------------------------------------------------ */

static void put(hk_text *t, uint64_t x, int bytes) {
  char b[8];
  for (int i = 0; i < bytes; i++) b[i] = (char)(x >> (8 * (bytes - 1 - i)));
  hki_text_addn(t, b, (size_t)bytes);
}

static void put_bytes(hk_text *t, const char *s, size_t n) {
  static const char zero[4] = {0};
  hki_text_addn(t, s, n);
  hki_text_addn(t, zero, padded(n) - n);
}

static void put_name(hk_text *t, const char *s) {
  put(t, strlen(s), 4);
  put_bytes(t, s, strlen(s));
}

static void put_text(hk_text *t, const char *name, const char *text) {
  put_name(t, name);
  put(t, HK_NC_CHAR, 4);
  put_name(t, text);
}

static void put_list(hk_text *t, int tag, int32_t n) {
  put(t, n ? (uint64_t)tag : 0u, 4);
  put(t, (uint64_t)n, 4);
}

static void put_header(hk_text *t, const hk_nc *nc, uint64_t begin) {
  hki_text_addn(t, "CDF\2", 4);
  put(t, 0, 4);
  put_list(t, DIMENSIONS, nc->ndim);
  for (int32_t i = 0; i < nc->ndim; i++)
    put_name(t, nc->dim[i].name), put(t, (uint64_t)nc->dim[i].n, 4);
  put_list(t, ATTRIBUTES, nc->ntext);
  for (int32_t i = 0; i < nc->ntext; i++) put_text(t, nc->text[i].name, nc->text[i].text);
  put_list(t, VARIABLES, nc->nvar);
  for (int32_t i = 0; i < nc->nvar; i++) {
    const hk_nc_var *v = &nc->var[i];
    const size_t bytes = padded((size_t)hki_nc_count(nc, v) * type_size(v->type));
    put_name(t, v->name);
    put(t, (uint64_t)v->ndim, 4);
    for (int32_t k = 0; k < v->ndim; k++) put(t, (uint64_t)v->dim[k], 4);
    put_list(t, ATTRIBUTES, (v->unit != NULL) + (v->text != NULL));
    if (v->unit) put_text(t, "units", v->unit);
    if (v->text) put_text(t, "long_name", v->text);
    put(t, v->type, 4);
    put(t, bytes < UINT32_MAX ? bytes : UINT32_MAX, 4);
    put(t, begin, 8);
    begin += bytes;
  }
}

static void put_values(hk_text *t, const hk_nc *nc, const hk_nc_var *v) {
  const int64_t n = hki_nc_count(nc, v);
  if (v->type == HK_NC_CHAR) {
    put_bytes(t, v->data, (size_t)n);
  } else if (v->type == HK_NC_INT) {
    for (int64_t i = 0; i < n; i++) put(t, (uint32_t)((const int32_t *)v->data)[i], 4);
  } else {
    for (int64_t i = 0; i < n; i++) {
      uint64_t x;
      memcpy(&x, (const double *)v->data + i, sizeof x);
      put(t, x, 8);
    }
  }
}

hk_status hki_nc_write(hk_ctx *ctx, const char *path, const hk_nc *nc) {
  hk_text t;
  hki_text_init(&t, ctx);
  put_header(&t, nc, 0); // the first time for its length
  const uint64_t begin = t.len;
  hki_text_free(&t);
  hki_text_init(&t, ctx);
  put_header(&t, nc, begin);
  for (int32_t i = 0; i < nc->nvar; i++) put_values(&t, nc, &nc->var[i]);
  const hk_status st =
      t.failed ? HK_E_MEMORY : hki_write_file(ctx, path, &(hk_piece){t.s, t.len}, 1);
  hki_text_free(&t);
  return st;
}

/* --- read ------------------------------------------------------------------------------------- */

typedef struct reader {
  hk_pool *pool;
  const unsigned char *b;
  size_t n, at;
  bool bad; /* it ends early, or a count is out of range */
  hk_nc *nc;
} reader;

static uint64_t take(reader *r, int bytes) {
  uint64_t x = 0;
  if (r->bad || r->n - r->at < (size_t)bytes) {
    r->bad = true;
    return 0;
  }
  for (int i = 0; i < bytes; i++) x = x << 8 | r->b[r->at++];
  return x;
}

/* a count of things that take at least `each` bytes of the file */
static int32_t take_count(reader *r, size_t each, size_t most) {
  const uint64_t n = take(r, 4);
  if (n > most || n * each > r->n - r->at) r->bad = true;
  return r->bad ? 0 : (int32_t)n;
}

static const char *take_bytes(reader *r, size_t n) {
  if (r->bad || n > r->n - r->at) {
    r->bad = true;
    return "";
  }
  const char *s = hki_pool_strndup(r->pool, (const char *)r->b + r->at, n);
  r->at += n;
  r->at = padded(r->at) < r->n ? padded(r->at) : r->n;
  if (!s) r->bad = true;
  return s ? s : "";
}

static const char *take_name(reader *r) {
  const int32_t n = take_count(r, 1, MOST_BYTES);
  return take_bytes(r, (size_t)n);
}

static int32_t take_list(reader *r, uint64_t tag, size_t each) {
  const uint64_t found = take(r, 4);
  const int32_t n = take_count(r, each, MOST);
  if (n ? found != tag : found != 0 && found != tag) r->bad = true;
  return r->bad ? 0 : n;
}

/* texts are kept, other attributes passed over */
static hk_nc_text *take_texts(reader *r, int32_t *count) {
  static const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8};
  const int32_t n = take_list(r, ATTRIBUTES, 12);
  hk_nc_text *t = hki_pool_alloc(r->pool, ((size_t)n + 1) * sizeof *t);
  *count = 0;
  if (!t) r->bad = true;
  for (int32_t i = 0; i < n && !r->bad; i++) {
    const char *name = take_name(r);
    const uint64_t type = take(r, 4);
    if (type == HK_NC_CHAR) {
      t[(*count)++] = (hk_nc_text){name, take_name(r)};
      continue;
    }
    if (type < 1 || type >= HK_ARRAY_LEN(sizes)) r->bad = true;
    if (r->bad) break;
    const int32_t values = take_count(r, sizes[type], MOST_BYTES);
    take_bytes(r, (size_t)values * sizes[type]);
  }
  return t;
}

static const char *find_text(const hk_nc_text *t, int32_t n, const char *name) {
  for (int32_t i = 0; i < n; i++)
    if (strcmp(t[i].name, name) == 0) return t[i].text;
  return NULL;
}

/* native numbers of a variable whose bytes are at `begin` */
static void *take_values(reader *r, const hk_nc_var *v, uint64_t begin) {
  const size_t size = type_size(v->type), n = (size_t)hki_nc_count(r->nc, v);
  if (begin > r->n || n > (r->n - begin) / size) {
    r->bad = true;
    return NULL;
  }
  unsigned char *out = hki_pool_alloc(r->pool, (n + 1) * size);
  const size_t back = r->at;
  r->at = (size_t)begin;
  for (size_t i = 0; out && i < n; i++) {
    const uint64_t x = take(r, (int)size);
    const uint32_t low = (uint32_t)x;
    if (size == 1) out[i] = (unsigned char)x;
    if (size == 4) memcpy(out + 4 * i, &low, 4);
    if (size == 8) memcpy(out + 8 * i, &x, 8);
  }
  r->at = back;
  if (!out) r->bad = true;
  return out;
}

static void take_variable(reader *r, hk_nc_var *v) {
  v->name = take_name(r);
  v->ndim = take_count(r, 4, HK_NC_DIMS);
  double all = 1.0;
  for (int32_t k = 0; k < v->ndim; k++) {
    const uint64_t d = take(r, 4);
    if (d >= (uint64_t)r->nc->ndim) r->bad = true;
    if (r->bad) return;
    v->dim[k] = (int32_t)d;
    all *= r->nc->dim[d].n;
  }
  int32_t n;
  const hk_nc_text *t = take_texts(r, &n);
  const uint64_t type = take(r, 4);
  take(r, 4);
  const uint64_t begin = take(r, 8);
  if (all > (double)r->n || (type != HK_NC_CHAR && type != HK_NC_INT && type != HK_NC_DOUBLE))
    r->bad = true;
  if (r->bad) return;
  v->unit = find_text(t, n, "units"), v->text = find_text(t, n, "long_name");
  v->type = (hk_nc_type)type;
  v->data = take_values(r, v, begin);
}

static void take_all(reader *r) {
  take(r, 4); // records
  const int32_t nd = r->nc->ndim = take_list(r, DIMENSIONS, 8);
  hk_nc_dim *d = hki_pool_alloc(r->pool, ((size_t)nd + 1) * sizeof *d);
  r->nc->dim = d;
  if (!d) r->bad = true;
  for (int32_t i = 0; i < nd && !r->bad; i++) {
    d[i].name = take_name(r);
    const uint64_t n = take(r, 4);
    if (n < 1 || n > MOST_BYTES) r->bad = true;
    d[i].n = (int32_t)n;
  }
  r->nc->text = take_texts(r, &r->nc->ntext);
  const int32_t nv = take_list(r, VARIABLES, 32);
  hk_nc_var *v = hki_pool_alloc(r->pool, ((size_t)nv + 1) * sizeof *v);
  r->nc->var = v;
  if (!v) r->bad = true;
  for (; r->nc->nvar < nv && !r->bad; r->nc->nvar++) take_variable(r, &v[r->nc->nvar]);
}

hk_status hki_nc_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *name, const char *bytes,
                       size_t len, hk_nc *out) {
  *out = (hk_nc){0};
  reader r = {.pool = pool, .b = (const unsigned char *)bytes, .n = len, .nc = out};
  if (len < 4 || memcmp(bytes, "CDF\2", 4) != 0)
    return hki_error(ctx, HK_E_FILE, loc, "made by hooke reduce or hooke.fem",
                     "'%s' is not a NetCDF file of the classic kind with 64-bit offsets", name);
  r.at = 4;
  take_all(&r);
  if (!r.bad) return HK_OK;
  *out = (hk_nc){0};
  return hki_error(ctx, HK_E_FILE, loc, "write it again", "'%s' is damaged at byte %zu", name,
                   r.at);
}

hk_status hki_nc_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *path, hk_nc *out) {
  char *bytes = NULL;
  size_t len = 0;
  hk_status st = hki_read_file(ctx, path, loc, MOST_BYTES, &bytes, &len);
  if (st == HK_OK) st = hki_nc_parse(ctx, loc, pool, path, bytes, len, out);
  hki_free(ctx, bytes);
  return st;
}
