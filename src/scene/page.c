/* SPDX-License-Identifier: Apache-2.0
 *
 * page.c: one self-contained HTML page from result files: the viewer's page (viewer/, embedded
 * when the library is built) with the results as JSON inside it, numbers as base64 of little-endian
 * arrays. Layout of the data: docs/results-format.md.
 *
 * No text of a result can become markup: the JSON is in a script element of a type that browsers do
 * not run, and every '<' in it is escaped.
 *
 * A result that is too large is thinned out: rows are divided into buckets, and of each bucket
 * every channel keeps its smallest and its largest value in the order of time; the page says so.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/version.h"
#include "results/results_impl.h"
#include "results/read.h"

extern const unsigned char hki_viewer_page[]; /* made from viewer/dist/report.html */
extern const size_t hki_viewer_page_size;

static const char place[] = "<!--hooke-data-->";

enum { MEGABYTES = 6, LEAST_ROWS = 200, BLOCK = 16384 };

static const hk_report_options defaults = {.size = sizeof defaults, .megabytes = MEGABYTES};

void hk_report_options_init(hk_report_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

/* --- text ------------------------------------------------------------------------------------- */

/* JSON without '<' */
static void add_safe(hk_text *t, const char *s) {
  for (const char *at = s; *at;) {
    size_t n = strcspn(at, "<");
    hki_text_addn(t, at, n);
    at += n;
    if (*at == '<') hki_text_add(t, "\\u003c"), at++;
  }
}

static void add_string(hk_text *t, const char *s) {
  hk_text one;
  hki_text_init(&one, t->ctx);
  hki_text_json(&one, s ? s : "");
  add_safe(t, one.s ? one.s : "\"\"");
  hki_text_free(&one);
}

static void add_base64(hk_text *t, const void *data, size_t n) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *s = data;
  char buf[4096];
  size_t at = 0;
  for (size_t i = 0; i < n; i += 3) {
    unsigned v = (unsigned)s[i] << 16 | (i + 1 < n ? (unsigned)s[i + 1] << 8 : 0) |
                 (i + 2 < n ? (unsigned)s[i + 2] : 0);
    buf[at++] = digits[v >> 18];
    buf[at++] = digits[v >> 12 & 63];
    buf[at++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
    buf[at++] = i + 2 < n ? digits[v & 63] : '=';
    if (at + 4 > sizeof buf) hki_text_addn(t, buf, at), at = 0;
  }
  hki_text_addn(t, buf, at);
}

/* {"type": base64}, little-endian: Hooke runs on little-endian machines only */
static void add_array(hk_text *t, const char *type, const void *data, size_t bytes) {
  hki_text_printf(t, "{\"%s\":\"", type);
  add_base64(t, data, bytes);
  hki_text_add(t, "\"}");
}

/* --- columns ---------------------------------------------------------------------------------- */

/* how one result is written */
typedef struct plan {
  int64_t rows, kept; /* in the file, in the page */
  int64_t bucket;     /* rows per bucket; 1: all rows */
  bool single;        /* single precision */
  int64_t stride;     /* every how many frames */
} plan;

static plan make_plan(const hk_result *r, double bytes) {
  plan p = {.rows = hk_result_rows(r), .bucket = 1, .stride = 1};
  double n = (double)hk_result_channel_count(r), base = 4.0 / 3.0, rows = (double)p.rows;
  p.kept = p.rows;
  p.single = rows * (n + 1.0) * 8.0 * base > bytes;
  if (rows * (4.0 * n + 8.0) * base > bytes) {
    double most = bytes / base / (4.0 * n + 8.0);
    if (most < LEAST_ROWS) most = LEAST_ROWS;
    p.bucket = (int64_t)ceil(2.0 * rows / most);
    if (p.bucket < 3) p.bucket = 3;
    p.kept = 2 * ((p.rows + p.bucket - 1) / p.bucket);
  }
  double frame = 8.0 + 28.0 * hk_result_body_count(r) + 12.0 * hk_result_load_count(r);
  double frames = (double)hk_result_frames(r) * frame * base;
  if (frames > bytes) p.stride = (int64_t)ceil(frames / bytes);
  return p;
}

/* Two values of a bucket x[n]. A channel: smallest and largest, in the order of time. The time: its
 * first and its middle row, in the last bucket (`end`) its first and its last. */
static void thin(const double *x, int64_t n, bool time, bool end, double *out) {
  if (time) {
    out[0] = x[0], out[1] = x[end ? n - 1 : n / 2];
    return;
  }
  int64_t low = 0, high = 0;
  for (int64_t i = 1; i < n; i++) {
    if (x[i] < x[low] || isnan(x[low])) low = i;
    if (x[i] > x[high] || isnan(x[high])) high = i;
  }
  out[0] = x[low < high ? low : high];
  out[1] = x[low < high ? high : low];
}

/* one column of the page: out[p->kept]; block is scratch for BLOCK rows or one bucket */
static hk_status read_column(hk_result *r, const plan *p, int32_t channel, double *block,
                             double *out) {
  if (p->bucket == 1) return hk_result_read(r, channel, 0, p->rows, out);
  // read whole buckets at a time
  int64_t step = p->bucket > BLOCK ? p->bucket : BLOCK / p->bucket * p->bucket, at = 0;
  for (int64_t first = 0; first < p->rows; first += step) {
    int64_t n = p->rows - first < step ? p->rows - first : step;
    hk_status st = hk_result_read(r, channel, first, n, block);
    if (st != HK_OK) return st;
    for (int64_t i = 0; i < n; i += p->bucket, at += 2) {
      thin(block + i, n - i < p->bucket ? n - i : p->bucket, channel < 0, at + 2 == p->kept,
           out + at);
    }
  }
  return HK_OK;
}

static void add_column(hk_text *t, const plan *p, bool single, double *x) {
  size_t n = (size_t)p->kept;
  if (!single) {
    add_array(t, "f64", x, n * sizeof *x);
    return;
  }
  // in place: float i never overlaps a double that is still to be read
  float *y = (float *)(void *)x;
  for (size_t i = 0; i < n; i++) {
    float f = (float)x[i];
    memcpy(y + i, &f, sizeof f);
  }
  add_array(t, "f32", y, n * sizeof *y);
}

static hk_status add_columns(hk_text *t, hk_result *r, const plan *p) {
  hk_ctx *ctx = t->ctx;
  int64_t step = p->bucket > BLOCK ? p->bucket : BLOCK;
  double *x = hki_alloc(ctx, (size_t)(p->kept + 2) * sizeof *x);
  double *block = hki_alloc(ctx, (size_t)step * sizeof *block);
  hk_status st = x && block ? read_column(r, p, -1, block, x) : HK_E_MEMORY;
  if (st == HK_OK) {
    hki_text_add(t, ",\n\"time\":");
    add_column(t, p, false, x);
    hki_text_add(t, ",\n\"channels\":[");
  }
  for (int32_t i = 0; st == HK_OK && i < hk_result_channel_count(r); i++) {
    st = read_column(r, p, i, block, x);
    hki_text_add(t, i ? ",\n{\"name\":" : "\n{\"name\":");
    add_string(t, hk_result_channel_name(r, i));
    hki_text_add(t, ",\"unit\":");
    add_string(t, hk_result_channel_unit(r, i));
    hki_text_add(t, ",\"text\":");
    add_string(t, hk_result_channel_text(r, i));
    hki_text_add(t, ",\"data\":");
    add_column(t, p, p->single, x);
    hki_text_add(t, "}");
  }
  hki_text_add(t, "]");
  hki_free(ctx, x);
  hki_free(ctx, block);
  return st;
}

/* --- frames and meshes ------------------------------------------------------------------------ */

static hk_status add_frames(hk_text *t, hk_result *r, const plan *p) {
  // every stride-th frame, and the last
  int64_t n = hk_result_frames(r), kept = n ? (n - 2 + p->stride) / p->stride + 1 : 0;
  size_t np = 7 * (size_t)hk_result_body_count(r), nl = 3 * (size_t)hk_result_load_count(r);
  hk_ctx *ctx = t->ctx;
  if (n == 0) return HK_OK;
  double *time = hki_alloc(ctx, (size_t)kept * sizeof *time);
  float *poses = hki_alloc(ctx, (size_t)kept * np * sizeof *poses);
  float *loads = hki_alloc(ctx, ((size_t)kept * nl + 1) * sizeof *loads);
  hk_status st = time && poses && loads ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK && p->stride == 1) st = hk_result_read_frames(r, 0, n, time, poses, loads);
  for (int64_t i = 0; st == HK_OK && p->stride > 1 && i < kept; i++) {
    int64_t at = i + 1 < kept ? i * p->stride : n - 1;
    st = hk_result_read_frames(r, at, 1, time + i, poses + (size_t)i * np, loads + (size_t)i * nl);
  }
  if (st == HK_OK) {
    hki_text_printf(t, ",\n\"frames\":{\"bodies\":%d,\"loads\":%d,\"time\":",
                    (int)hk_result_body_count(r), (int)hk_result_load_count(r));
    add_array(t, "f64", time, (size_t)kept * sizeof *time);
    hki_text_add(t, ",\"pose\":");
    add_array(t, "f32", poses, (size_t)kept * np * sizeof *poses);
    hki_text_add(t, ",\"load\":");
    add_array(t, "f32", loads, (size_t)kept * nl * sizeof *loads);
    hki_text_add(t, "}");
  }
  hki_free(ctx, time);
  hki_free(ctx, poses);
  hki_free(ctx, loads);
  return st;
}

static hk_status add_meshes(hk_text *t, hk_result *r) {
  size_t np = 3 * (size_t)hk_result_mesh_points(r), nf = 3 * (size_t)hk_result_mesh_faces(r);
  hk_ctx *ctx = t->ctx;
  if (np == 0 || nf == 0) return HK_OK;
  float *points = hki_alloc(ctx, np * sizeof *points);
  int32_t *faces = hki_alloc(ctx, nf * sizeof *faces);
  hk_status st = points && faces ? hk_result_read_meshes(r, points, faces) : HK_E_MEMORY;
  if (st == HK_OK) {
    hki_text_add(t, ",\n\"mesh\":{\"points\":");
    add_array(t, "f32", points, np * sizeof *points);
    hki_text_add(t, ",\"faces\":");
    add_array(t, "i32", faces, nf * sizeof *faces);
    hki_text_add(t, "}");
  }
  hki_free(ctx, points);
  hki_free(ctx, faces);
  return st;
}

/* --- the page --------------------------------------------------------------------------------- */

static hk_status add_run(hk_text *t, hk_result *r, double bytes) {
  static const char *const texts[] = {"title",       "model_path", "model_text", "command",
                                      "formulation", "integrator", "status",     "hooke_version",
                                      "analysis",    "axis",       "axis_unit"};
  static const char *const values[] = {"summary", "scene", "model_files", "settings"};
  plan p = make_plan(r, bytes);
  const char *path = hk_result_path(r), *slash = strrchr(path, '/');
  hki_text_add(t, "{\"name\":");
  add_string(t, slash ? slash + 1 : path);
  for (int32_t i = 0; i < HK_ARRAY_LEN(texts); i++) {
    hki_text_printf(t, ",\n\"%s\":", texts[i]);
    add_string(t, hk_result_text(r, texts[i]));
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(values); i++) {
    const char *s = hk_result_text(r, values[i]);
    hki_text_printf(t, ",\n\"%s\":", values[i]);
    add_safe(t, *s ? s : "null");
  }
  hki_text_printf(t, ",\n\"rows\":%lld,\"kept\":%lld", (long long)p.rows, (long long)p.kept);
  hk_status st = add_columns(t, r, &p);
  if (st == HK_OK) st = add_frames(t, r, &p);
  if (st == HK_OK) st = add_meshes(t, r);
  hki_text_add(t, "}");
  if (st == HK_OK && p.bucket > 1) {
    hki_note(t->ctx, HK_LOC_NONE,
             "'%s' has %lld rows; the page holds the smallest and largest value of every %lld",
             path, (long long)p.rows, (long long)p.bucket);
  }
  return st;
}

/* the reason why the arguments cannot be used, NULL when they can */
static const char *wrong(const hk_ctx *ctx, hk_result *const *results, int32_t n) {
  if (!hki_is(ctx, HK_MARK_CTX)) return "no context";
  if (n < 1 || !results) return "no result";
  for (int32_t i = 0; i < n; i++)
    if (!hki_is(results[i], HK_MARK_RESULT)) return "a result that is none";
  return NULL;
}

hk_status hk_report_make(hk_ctx *ctx, hk_result *const *results, int32_t n,
                         const hk_report_options *from, char **html, size_t *len) {
  hk_report_options own = defaults, *opt = &own;
  const char *why = wrong(ctx, results, n);
  if (html) *html = NULL;
  if (len) *len = 0;
  if (!why && (!html || !len)) why = "no place for the page";
  if (why) return hki_misuse(ctx, "hk_report_make", why);
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_report_options, served), opt, from);
  if (st != HK_OK) return st;
  const char *page = (const char *)hki_viewer_page;
  const char *at = NULL;
  size_t size = hki_viewer_page_size, np = sizeof place - 1;
  for (size_t i = 0; i + np <= size && !at; i++)
    if (page[i] == '<' && memcmp(page + i, place, np) == 0) at = page + i;
  if (!at) return hki_error(ctx, HK_E_INTERNAL, HK_LOC_NONE, NULL, "the library has no page");
  hk_text t;
  hki_text_init(&t, ctx);
  hki_text_addn(&t, page, (size_t)(at - page));
  hki_text_printf(&t,
                  "<script type=\"application/json\" id=\"hooke-data\">\n{\"data\":1,"
                  "\"served\":%s,\"live\":%s,\"version\":\"%s\",\"runs\":[\n",
                  opt->served ? "true" : "false", opt->live ? "true" : "false", HK_VERSION_STRING);
  double bytes = 1e6 * (opt->megabytes > 0 ? opt->megabytes : MEGABYTES) / n;
  for (int32_t i = 0; i < n && st == HK_OK; i++) {
    if (i) hki_text_add(&t, ",\n");
    st = add_run(&t, results[i], bytes);
  }
  hki_text_add(&t, "]}\n</script>");
  hki_text_addn(&t, at + np, size - (size_t)(at - page) - np);
  if (st == HK_OK && t.failed) st = HK_E_MEMORY;
  if (st != HK_OK) {
    hki_text_free(&t);
    return st;
  }
  *html = t.s, *len = t.len;
  return HK_OK;
}

void hk_report_free(hk_ctx *ctx, char *html) { hki_free(ctx, html); }

hk_status hk_report_check(hk_ctx *ctx, const char *path) {
  hk_swap swap;
  if (!hki_is(ctx, HK_MARK_CTX) || !path)
    return hki_misuse(ctx, "hk_report_check", "no context, or no path");
  hk_status st = hki_swap_open(&swap, ctx, path);
  hki_swap_end(&swap);
  return st;
}

hk_status hk_report_write(hk_ctx *ctx, hk_result *const *results, int32_t n, const char *path,
                          const hk_report_options *opt) {
  hk_swap swap;
  char *html = NULL;
  size_t len = 0;
  const char *why = wrong(ctx, results, n);
  if (!why && !path) why = "no path";
  if (why) return hki_misuse(ctx, "hk_report_write", why);
  hk_status st = hki_swap_open(&swap, ctx, path);
  if (st == HK_OK) st = hk_report_make(ctx, results, n, opt, &html, &len);
  if (st == HK_OK) st = hki_swap_fill(&swap, &(hk_piece){html, len}, 1);
  hk_report_free(ctx, html);
  hki_swap_end(&swap);
  return st;
}
