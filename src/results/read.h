/* SPDX-License-Identifier: Apache-2.0
 *
 * read.h: shared by the readers of result files. A reader fills the tables of an hk_result and sets
 * the functions that fetch its numbers.
 */
#ifndef HK_RESULTS_READ_H
#define HK_RESULTS_READ_H

#include "base/argument.h"
#include "hooke/result.h"

/* largest sizes accepted from a file */
enum {
  HK_READ_CHANNELS = 200000,
  HK_READ_TEXT = 1 << 26, /* bytes of one text */
  HK_READ_NAME = 1 << 12, /* bytes of one name */
  HK_READ_CSV = 1 << 30,  /* bytes of a CSV file */
  HK_READ_DEPTH = 40      /* nesting of JSON values */
};
#define HK_READ_ROWS ((int64_t)1 << 31)

typedef struct hk_result_channel {
  const char *name, *unit, *text;
} hk_result_channel;

enum { HK_RESULT_TEXTS = 18 };
extern const char *const hki_result_keys[HK_RESULT_TEXTS]; /* ends in NULL */

struct hk_result {
  hk_mark mark;
  hk_ctx *ctx;
  hk_pool *pool;
  const char *path;
  int64_t rows, frames;
  int32_t nchannels, cap, nbodies, nloads, npoints, nfaces;
  hk_result_channel *channels;
  hk_names *names;                   /* channel by name */
  const char *text[HK_RESULT_TEXTS]; /* texts of hki_result_keys; NULL: not in the file */
  void *file;                        /* the reader's own data */
  hk_status (*read)(hk_result *r, int32_t channel, int64_t first, int64_t count, double *out);
  hk_status (*read_frames)(hk_result *r, int64_t first, int64_t count, double *time, float *poses,
                           float *loads);
  hk_status (*read_meshes)(hk_result *r, float *points, int32_t *faces);
  void (*close)(hk_result *r);
};

/* reports "cannot read 'x': reason" and returns HK_E_FILE */
hk_status hki_result_refuse(hk_result *r, const char *hint, const char *fmt, ...) HK_PRINTF(3, 4);
/* append a channel; texts are copied; HK_OK or a refusal (a name twice, too many) */
hk_status hki_result_add(hk_result *r, const char *name, const char *unit, const char *text);
void hki_result_set_text(hk_result *r, const char *key, const char *value, size_t len);

/* an empty result of this name, without a reader */
hk_status hki_result_create(hk_ctx *ctx, const char *path, hk_result **out);
hk_status hki_result_open_csv(hk_result *r);
/* a .nc file: as Hooke writes it (HK_RETRY: as it never does), or any by HDF5, in this process or in
 * one of its own */
hk_status hki_result_open_own(hk_result *r);
hk_status hki_result_open_hdf5(hk_result *r);
hk_status hki_result_open_apart(hk_result *r);
/* hk_result_open with this reader of .nc files alone: for tests of the readers */
typedef hk_status (*hk_result_reader)(hk_result *r);
hk_status hki_result_open_by(hk_ctx *ctx, const char *path, hk_result_reader reader,
                             hk_result **out);

/* true when the text is one JSON value, nested at most HK_READ_DEPTH deep */
bool hki_json_valid(const char *s, size_t len);

/* held around every use of HDF5, which is not thread-safe */
void hki_results_lock(void);
void hki_results_unlock(void);

#endif
