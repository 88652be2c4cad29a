/* SPDX-License-Identifier: Apache-2.0
 *
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

HK_API hk_status hk_result_open(hk_ctx *ctx, const char *path, hk_result **out);
HK_API void hk_result_close(hk_result *r);

HK_API const char *hk_result_path(const hk_result *r);
/** Recorded rows, and what each holds besides its time. */
HK_API int64_t hk_result_rows(const hk_result *r);
HK_API int32_t hk_result_channel_count(const hk_result *r);
HK_API const char *hk_result_channel_name(const hk_result *r, int32_t i);
HK_API const char *hk_result_channel_unit(const hk_result *r, int32_t i); /**< "1": a pure number */
HK_API const char *hk_result_channel_text(const hk_result *r, int32_t i); /**< "" when not said */
/** -1 when there is no such channel. */
HK_API int32_t hk_result_channel_find(const hk_result *r, const char *name);

/** `count` values of a channel from row `first` on; channel -1 is the time. */
HK_API hk_status hk_result_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                                double *out);

/** What the file says about itself: title, model_path, model_text, model_files (JSON: the model's
 * other files), model_hash, command, formulation, integrator, status, summary (JSON),
 * hooke_version, scene (JSON), settings (JSON). "" when it does not. */
HK_API const char *hk_result_text(const hk_result *r, const char *key);

/** Frames of the animation: their times, 7 numbers per body (x y z, quaternion w x y z), 3 per
 * load. Zero frames when the file has none. */
HK_API int64_t hk_result_frames(const hk_result *r);
HK_API int32_t hk_result_body_count(const hk_result *r);
HK_API int32_t hk_result_load_count(const hk_result *r);
HK_API hk_status hk_result_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                       float *poses, float *loads);
/** Meshes that the scene names: points (x y z each) and faces (three points each). */
HK_API int32_t hk_result_mesh_points(const hk_result *r);
HK_API int32_t hk_result_mesh_faces(const hk_result *r);
HK_API hk_status hk_result_read_meshes(hk_result *r, float *points, int32_t *faces);

/* --- reports -------------------------------------------------------------------------------------
 */

typedef struct hk_report_options {
  uint32_t size;
  int32_t megabytes; /**< the numbers may take about this much; longer results are thinned out */
  int32_t served;    /**< 1: the page is served by a program that answers requests for detail */
} hk_report_options;

HK_API hk_report_options hk_report_options_def(void);

/** One self-contained HTML file from one or several results. Notes in the context say when a long
 * result was thinned out. */
HK_API hk_status hk_report_write(hk_ctx *ctx, hk_result *const *results, int32_t n,
                                 const char *path, const hk_report_options *opt);
/** The same in memory; free it with hk_report_free. */
HK_API hk_status hk_report_make(hk_ctx *ctx, hk_result *const *results, int32_t n,
                                const hk_report_options *opt, char **html, size_t *len);
HK_API void hk_report_free(hk_ctx *ctx, char *html);
/** Can a report be written there: HK_OK, or why not. */
HK_API hk_status hk_report_check(hk_ctx *ctx, const char *path);

/** Rows first <= i < first + count of a channel and of the time, thinned to at most `most` pairs in
 * a way that keeps the peaks; returns in *n how many were written to t and x. */
HK_API hk_status hk_result_thin(hk_result *r, int32_t channel, int64_t first, int64_t count,
                                int32_t most, double *t, double *x, int32_t *n);

#ifdef __cplusplus
}
#endif
#endif
