/* SPDX-License-Identifier: Apache-2.0
 *
 * join.c: keeps the rows and frames of an earlier result in that of a resumed run, so that the file
 * becomes what a run without a stop would have written.
 *
 * A run records its last state even when no row is due there. Such a row is dropped when the run
 * goes on; it is due when a multiple of `output_every` lies between it and the row before.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "scene/join.h"

enum { BLOCK = 512 }; /* rows read together; frames are read one by one */

static hk_status refuse(const hk_join *j, hk_ctx *ctx, const char *why) {
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE,
                   "give another name with --output, or remove the file",
                   "the resumed run cannot go on in '%s': %s", hk_result_path(j->old), why);
}

/* --- does it fit? ----------------------------------------------------------------------------- */

/* a text that the file has must be that of the run; CSV files have none */
static bool same_text(const hk_join *j, const char *key, const char *mine) {
  const char *text = hk_result_text(j->old, key);
  return !*text || strcmp(text, mine ? mine : "") == 0;
}

static hk_status check_origin(const hk_join *j, hk_ctx *ctx, const hk_results_meta *meta) {
  if (!same_text(j, "model_text", meta->model_text) ||
      !same_text(j, "model_files", meta->model_files))
    return refuse(j, ctx, "it is the result of another model");
  if (!same_text(j, "formulation", meta->formulation) ||
      !same_text(j, "integrator", meta->integrator))
    return refuse(j, ctx, "it was made with another method");
  if (hk_result_channel_count(j->old) != meta->nchannels)
    return refuse(j, ctx, "it has other channels");
  for (int32_t i = 0; i < meta->nchannels; i++)
    if (strcmp(hk_result_channel_name(j->old, i), meta->channels[i].name) != 0)
      return refuse(j, ctx, "it has other channels");
  if (hk_result_frames(j->old) && (hk_result_body_count(j->old) != meta->nbodies ||
                                   hk_result_load_count(j->old) != meta->nloads))
    return refuse(j, ctx, "its animation has other bodies or forces");
  return HK_OK;
}

/* --- what is kept ----------------------------------------------------------------------------- */

/* number of rows with a time up to t */
static hk_status rows_until(hk_result *old, double t, int64_t *n) {
  int64_t low = 0, high = hk_result_rows(old);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    double x;
    hk_status st = hk_result_read(old, -1, middle, 1, &x);
    if (st != HK_OK) return st;
    if (x <= t)
      low = middle + 1;
    else
      high = middle;
  }
  *n = low;
  return HK_OK;
}

/* the time after t at which a row is due: any with every = 0 */
static double next_due(double t, double every) {
  return every > 0.0 ? (floor(t / every + 1e-9) + 1.0) * every : t;
}

/* Finds the rows to keep. The earlier run must have recorded all that is due up to now. */
static hk_status choose_rows(hk_join *j, const hk_sim *s, double every) {
  const double now = hk_sim_time(s), near = 1e-9 * s->step;
  double last[2] = {-INFINITY, -INFINITY}; // the row before the last one kept, and that one
  hk_status st = rows_until(j->old, now + near, &j->rows);
  for (int32_t k = 0; st == HK_OK && k < 2; k++)
    if (j->rows >= 2 - k) st = hk_result_read(j->old, -1, j->rows - 2 + k, 1, &last[k]);
  if (st != HK_OK) return st;
  const bool whole =
      every > 0.0 ? j->rows > 0 && next_due(last[1], every) > now + near : last[1] >= now - near;
  if (!whole) {
    char why[160] = "it has no rows";
    double first = 0.0;
    if (j->rows)
      snprintf(why, sizeof why, "its rows end at t = %.9g s, before the checkpoint at %.9g s",
               last[1], now);
    else if (hk_result_rows(j->old) > 0 && hk_result_read(j->old, -1, 0, 1, &first) == HK_OK)
      snprintf(why, sizeof why,
               "its rows begin at t = %.9g s, after the checkpoint at %.9g s: those before are "
               "missing",
               first, now);
    return refuse(j, s->ctx, why);
  }
  // the row that was written because the run ended there
  const bool ended = j->rows > 1 && last[1] >= now - near && now < s->end - near;
  if (every > 0.0 && ended && next_due(last[0], every) > last[1] + near) j->rows--;
  return HK_OK;
}

/* frames before now; that of now is written again */
static hk_status choose_frames(hk_join *j, const hk_sim *s) {
  const double now = hk_sim_time(s) - 1e-9 * s->step;
  int64_t low = 0, high = hk_result_frames(j->old);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    double x;
    hk_status st = hk_result_read_frames(j->old, middle, 1, &x, NULL, NULL);
    if (st != HK_OK) return st;
    if (x < now)
      low = middle + 1;
    else
      high = middle;
  }
  j->frames = low;
  return HK_OK;
}

hk_status hki_join_open(hk_join *j, const hk_sim *s, const hk_run_options *opt,
                        const hk_results_meta *meta) {
  struct stat st;
  *j = (hk_join){0};
  // what is no file is refused by the writer
  if (!opt->resume || !opt->output || stat(opt->output, &st) != 0 || !S_ISREG(st.st_mode))
    return HK_OK;
  hk_status status = hk_result_open(s->ctx, opt->output, &j->old);
  if (status != HK_OK) return status;
  status = check_origin(j, s->ctx, meta);
  if (status == HK_OK) status = choose_rows(j, s, opt->output_every);
  if (status == HK_OK) status = choose_frames(j, s);
  if (status != HK_OK) hki_join_close(j);
  return status;
}

/* --- copying ---------------------------------------------------------------------------------- */

static hk_status copy_rows(const hk_join *j, hk_ctx *ctx, hk_results *const file[2]) {
  const int32_t n = hk_result_channel_count(j->old);
  double *column = hki_alloc(ctx, (size_t)(n + 1) * BLOCK * sizeof *column);
  double *row = hki_alloc(ctx, (size_t)(n + 1) * sizeof *row);
  hk_status st = column && row ? HK_OK : HK_E_MEMORY;
  for (int64_t at = 0; st == HK_OK && at < j->rows; at += BLOCK) {
    const int64_t m = j->rows - at < BLOCK ? j->rows - at : BLOCK;
    for (int32_t i = -1; i < n && st == HK_OK; i++)
      st = hk_result_read(j->old, i, at, m, column + (size_t)(i + 1) * BLOCK);
    for (int64_t k = 0; k < m && st == HK_OK; k++) {
      for (int32_t i = 0; i < n; i++) row[i] = column[(size_t)(i + 1) * BLOCK + (size_t)k];
      for (int32_t f = 0; f < 2 && st == HK_OK; f++)
        if (file[f]) st = file[f]->row(file[f], column[k], row);
    }
  }
  hki_free(ctx, column);
  hki_free(ctx, row);
  return st;
}

static hk_status copy_frames(const hk_join *j, hk_ctx *ctx, hk_results *const file[2],
                             hk_scene *scene) {
  const size_t np = 7 * (size_t)hk_result_body_count(j->old),
               nl = 3 * (size_t)hk_result_load_count(j->old);
  float *values = hki_alloc(ctx, (np + nl + 1) * sizeof *values);
  hk_status st = values ? HK_OK : HK_E_MEMORY;
  for (int64_t i = 0; st == HK_OK && i < j->frames; i++) {
    double t;
    st = hk_result_read_frames(j->old, i, 1, &t, values, values + np);
    if (st == HK_OK) hki_scene_saw(scene, values);
    for (int32_t f = 0; f < 2 && st == HK_OK; f++)
      if (file[f]) st = hki_results_frame(file[f], t, values);
  }
  hki_free(ctx, values);
  return st;
}

hk_status hki_join_copy(const hk_join *j, hk_ctx *ctx, hk_results *const file[2], hk_scene *scene) {
  if (!j->old) return HK_OK;
  hk_status st = copy_rows(j, ctx, file);
  return st == HK_OK && scene ? copy_frames(j, ctx, file, scene) : st;
}

void hki_join_close(hk_join *j) {
  hk_result_close(j->old);
  j->old = NULL;
}
