/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/result.h: read result files (.nc and .csv), and make reports from them.
 *
 * A result file may come from anywhere: it is checked, and refused with a message when it is
 * damaged, foreign or unreasonable. Names and texts are what the file says; whoever shows them must
 * not take them for markup.
 */
#ifndef HOOKE_RESULT_H
#define HOOKE_RESULT_H

#include "hooke/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open result file. One thread at a time. */
typedef struct hk_result hk_result;

/** Open a result file.
 * @param ctx the context
 * @param path a .nc or .csv file; its content decides what it is
 * @param out the result, to be given to hk_result_close(); NULL on failure
 * @return HK_OK, HK_E_FILE (cannot be read, damaged or foreign), HK_E_MEMORY */
HK_API hk_status hk_result_open(hk_ctx *ctx, const char *path, hk_result **out);

/** Close a result file.
 * @param r the result; NULL is allowed */
HK_API void hk_result_close(hk_result *r);

/** The path it was opened by.
 * @param r the result
 * @return the path */
HK_API const char *hk_result_path(const hk_result *r);

/** How many rows were recorded.
 * @param r the result
 * @return the number of rows */
HK_API int64_t hk_result_rows(const hk_result *r);

/** How many channels each row holds besides its time.
 * @param r the result
 * @return the number of channels */
HK_API int32_t hk_result_channel_count(const hk_result *r);

/** The name of a channel.
 * @param r the result
 * @param i from 0 to hk_result_channel_count() - 1, or -1 for the time
 * @return the name; "" when there is no channel of this number */
HK_API const char *hk_result_channel_name(const hk_result *r, int32_t i);

/** The unit of a channel.
 * @param r the result
 * @param i from 0 to hk_result_channel_count() - 1, or -1 for the time
 * @return the unit; "1" for a pure number, and when there is no channel of this number */
HK_API const char *hk_result_channel_unit(const hk_result *r, int32_t i);

/** What a channel means.
 * @param r the result
 * @param i from 0 to hk_result_channel_count() - 1, or -1 for the time
 * @return a few words; "" when the file does not say, or there is no channel of this number */
HK_API const char *hk_result_channel_text(const hk_result *r, int32_t i);

/** The number of a channel.
 * @param r the result
 * @param name its name
 * @return its number; -1 when there is no such channel */
HK_API int32_t hk_result_channel_find(const hk_result *r, const char *name);

/** Read values of a channel.
 * @param r the result
 * @param channel from 0 to hk_result_channel_count() - 1, or -1 for the time
 * @param first the first row, from 0
 * @param count how many rows
 * @param out room for `count` numbers
 * @return HK_OK, HK_E_USAGE (no such channel or rows), HK_E_FILE */
HK_API hk_status hk_result_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                                double *out);

/** What the file says about itself.
 * @param r the result
 * @param key title, model_path, model_text, model_files (JSON: the model's other files),
 *        model_hash, command, formulation, integrator, status, summary (JSON), hooke_version, scene
 *        (JSON), settings (JSON)
 * @return the text; "" when the file does not say, or for another key */
HK_API const char *hk_result_text(const hk_result *r, const char *key);

/** How many frames of the animation there are.
 * @param r the result
 * @return the number of frames; 0 when the file has none */
HK_API int64_t hk_result_frames(const hk_result *r);

/** How many bodies each frame has.
 * @param r the result
 * @return the number of bodies */
HK_API int32_t hk_result_body_count(const hk_result *r);

/** How many loads (force arrows) each frame has.
 * @param r the result
 * @return the number of loads */
HK_API int32_t hk_result_load_count(const hk_result *r);

/** Read frames of the animation. Arrays that are not wanted may be NULL.
 * @param r the result
 * @param first the first frame, from 0
 * @param count how many frames
 * @param time room for `count` times, s
 * @param poses room for 7 numbers per frame and body: x y z in m, quaternion w x y z
 * @param loads room for 3 numbers per frame and load: components in N
 * @return HK_OK, HK_E_USAGE (no such frames), HK_E_FILE */
HK_API hk_status hk_result_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                       float *poses, float *loads);

/** How many points the meshes of the scene have together.
 * @param r the result
 * @return the number of points */
HK_API int32_t hk_result_mesh_points(const hk_result *r);

/** How many triangles the meshes of the scene have together.
 * @param r the result
 * @return the number of triangles */
HK_API int32_t hk_result_mesh_faces(const hk_result *r);

/** Read the meshes that the scene names.
 * @param r the result
 * @param points room for 3 numbers per point: x y z in m
 * @param faces room for 3 numbers per triangle: its points, from 0
 * @return HK_OK or HK_E_FILE */
HK_API hk_status hk_result_read_meshes(hk_result *r, float *points, int32_t *faces);

/* --- results that are being written -------------------------------------------------------------- */

/** A result that is followed while a run writes it (`live` of hk_run_options). */
typedef struct hk_follow hk_follow;

/** Begin to follow.
 * @param ctx the context
 * @param path the file that a run writes
 * @param out what is followed, to be given to hk_follow_close(); NULL on failure
 * @return HK_OK; HK_E_FILE: it is not there, or is no such file */
HK_API hk_status hk_follow_open(hk_ctx *ctx, const char *path, hk_follow **out);

/** Take over what has been written since the last call.
 * @param f what is followed
 * @param ended 1: the run has ended, and all of it is there; may be NULL
 * @return HK_OK; HK_E_FILE: the file is damaged */
HK_API hk_status hk_follow_more(hk_follow *f, int32_t *ended);

/** The result so far. It grows by hk_follow_more().
 * @param f what is followed
 * @return the result, which belongs to `f`; NULL when there is none */
HK_API hk_result *hk_follow_result(hk_follow *f);

/** Follow no longer; ends the result too.
 * @param f what is followed; NULL is allowed */
HK_API void hk_follow_close(hk_follow *f);

/* --- reports ---------------------------------------------------------------------------------- */

/** How a report is made. Always start from hk_report_options_def(). */
typedef struct hk_report_options {
  uint32_t size;     /**< of this struct in bytes; hk_report_options_def() fills it in */
  int32_t megabytes; /**< the numbers may take about this much; longer results are thinned out */
  int32_t served;    /**< 1: the page is served by a program that answers requests for detail */
  int32_t live;      /**< 1: and for what has come since, of a result that is followed */
} hk_report_options;

/** The defaults, written into a struct of the caller's version.
 * @param opt the struct; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_report_options_init(hk_report_options *opt, uint32_t size);

/** Options of a page that stands alone.
 * @return a struct with its `size` filled in */
static inline hk_report_options hk_report_options_def(void) {
  hk_report_options opt;
  hk_report_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** One self-contained HTML file from one or several results. Notes in the context say when a long
 * result was thinned out.
 * @param ctx the context
 * @param results the results, `n` of them; they are laid over each other
 * @param n how many, at least 1
 * @param path the file, which is written whole or not at all
 * @param opt how to make it; NULL: the defaults
 * @return HK_OK, HK_E_FILE, HK_E_MEMORY */
HK_API hk_status hk_report_write(hk_ctx *ctx, hk_result *const *results, int32_t n,
                                 const char *path, const hk_report_options *opt);

/** The same in memory.
 * @param ctx the context
 * @param results the results, `n` of them
 * @param n how many, at least 1
 * @param opt how to make it; NULL: the defaults
 * @param html the page, to be given to hk_report_free(); NULL on failure
 * @param len its length in bytes
 * @return HK_OK, HK_E_FILE, HK_E_MEMORY */
HK_API hk_status hk_report_make(hk_ctx *ctx, hk_result *const *results, int32_t n,
                                const hk_report_options *opt, char **html, size_t *len);

/** Free a page.
 * @param ctx the context it was made with
 * @param html the page; NULL is allowed */
HK_API void hk_report_free(hk_ctx *ctx, char *html);

/** Can a report be written there?
 * @param ctx the context
 * @param path the file
 * @return HK_OK, or why not */
HK_API hk_status hk_report_check(hk_ctx *ctx, const char *path);

/** A channel over time, thinned in a way that keeps the peaks: of each piece the smallest and the
 * largest value remain, at their own times.
 * @param r the result
 * @param channel from 0 to hk_result_channel_count() - 1
 * @param first the first row, from 0
 * @param count how many rows
 * @param most how many pairs may remain, at least 2
 * @param t room for `most` times, s
 * @param x room for `most` values
 * @param n how many pairs were written
 * @return HK_OK, HK_E_USAGE (no such channel or rows, or `most` too small), HK_E_FILE, HK_E_MEMORY
 */
HK_API hk_status hk_result_thin(hk_result *r, int32_t channel, int64_t first, int64_t count,
                                int32_t most, double *t, double *x, int32_t *n);

#ifdef __cplusplus
}
#endif
#endif
