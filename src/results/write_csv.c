/* SPDX-License-Identifier: Apache-2.0
 *
 * write_csv.c: results as comma separated values: a row of names (t first), then one row of
 * numbers per recorded time, each the shortest text that reads back the same. Rows are formatted
 * into one buffer and written when it is full; nothing is allocated per row.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "results/results_impl.h"

enum { BUFFER = 1 << 16 };

typedef struct csv_writer {
  hk_results base;
  hk_ctx *ctx;
  hk_swap swap;
  int fd;
  int32_t nchannels;
  hk_status status; /* the first failure; rows after it are not written */
  size_t used;
  char buffer[BUFFER];
} csv_writer;

/* --- the buffer ------------------------------------------------------------------------------- */

static hk_status drain(csv_writer *w) {
  const double from = hki_wall_seconds();
  size_t at = 0;
  while (at < w->used && w->status == HK_OK) {
    ssize_t n = write(w->fd, w->buffer + at, w->used - at);
    if (n >= 0) {
      at += (size_t)n;
    } else if (errno != EINTR) {
      w->status = hki_error(w->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s",
                            w->swap.target, strerror(errno));
    }
  }
  w->used = 0;
  w->base.busy += hki_wall_seconds() - from;
  return w->status;
}

static void put(csv_writer *w, const char *s, size_t n) {
  while (n > 0) {
    if (w->used == BUFFER) drain(w);
    size_t some = n < BUFFER - w->used ? n : BUFFER - w->used;
    memcpy(w->buffer + w->used, s, some);
    w->used += some, s += some, n -= some;
  }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* a name, in quotes when it holds a comma, a quote or a line end */
static void put_name(csv_writer *w, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) {
    put(w, name, strlen(name));
    return;
  }
  put(w, "\"", 1);
  for (; *name; name++) put(w, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
  put(w, "\"", 1);
}

static hk_status csv_row(hk_results *self, double t, const double *values) {
  csv_writer *w = (csv_writer *)self;
  for (int32_t i = -1; i < w->nchannels; i++) {
    if (w->used + HK_NUMBER_MAX + 2 > BUFFER) drain(w);
    if (i >= 0) w->buffer[w->used++] = ',';
    double x = i < 0 ? t : values[i];
    w->used += (size_t)hki_number_print(x, w->buffer + w->used);
  }
  w->buffer[w->used++] = '\n';
  return w->status;
}

/* --- life ------------------------------------------------------------------------------------- */

static void csv_free(csv_writer *w) {
  if (w->fd >= 0) close(w->fd);
  hki_swap_end(&w->swap);
  hki_free(w->ctx, w);
}

static hk_status csv_close(hk_results *self, const char *summary_json) {
  csv_writer *w = (csv_writer *)self;
  (void)summary_json; /* a CSV file holds rows alone */
  hk_status status = drain(w);
  if (close(w->fd) != 0 && status == HK_OK) {
    status = hki_error(w->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s",
                       w->swap.target, strerror(errno));
  }
  w->fd = -1;
  if (status == HK_OK) status = hki_swap_commit(&w->swap);
  if (status != HK_OK) hki_swap_keep(&w->swap);
  csv_free(w);
  return status;
}

static void csv_abandon(hk_results *self) { csv_free((csv_writer *)self); }

hk_status hki_results_csv(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                          hk_results **out) {
  csv_writer *w = hki_alloc(ctx, sizeof *w);
  if (!w) return HK_E_MEMORY;
  w->base.row = csv_row;
  w->base.close = csv_close;
  w->base.abandon = csv_abandon;
  w->ctx = ctx;
  w->fd = -1;
  w->nchannels = meta->nchannels;
  hk_status status = hki_swap_open(&w->swap, ctx, path);
  if (status == HK_OK) {
    w->fd = open(w->swap.part, O_WRONLY | O_CLOEXEC);
    if (w->fd < 0) {
      status = hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s", path,
                         strerror(errno));
    }
  }
  if (status != HK_OK) {
    csv_free(w);
    return status;
  }
  // the row of names
  put(w, "t", 1);
  for (int32_t i = 0; i < meta->nchannels; i++) {
    put(w, ",", 1);
    put_name(w, meta->channels[i].name);
  }
  put(w, "\n", 1);
  *out = &w->base;
  return HK_OK;
}
