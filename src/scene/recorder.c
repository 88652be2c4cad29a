/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.c: the files of a run: the results, in the format of their extension, with the
 * animation; and, when a report is asked for, the same rows and frames kept for it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "language/model_reader.h"
#include "results/live.h"
#include "scene/join.h"
#include "scene/recorder.h"
#include "scene/scene.h"

struct hk_recorder {
  hk_output out; /* first: the interface for the run loop */
  const hk_run_options *opt;
  const hk_recording *as; /* NULL: a run over time */
  hk_results *file
      [3]; /* the results; what the report will be made from; what others follow; each may be NULL */
  hk_result *kept; /* the second, to be read; NULL: no report */
  hk_scene *scene; /* NULL: no file takes frames */
  hk_join join;    /* the result that a resumed run goes on in */
};

/* what the page calls the run: the name of its .nc file, or the one it would have by its model */
static void report_name(const hk_recorder *r, char *buf, size_t cap) {
  const char *out = r->opt->output, *dot = out ? strrchr(out, '.') : NULL;
  const bool own = dot && strcasecmp(dot, ".nc") == 0;
  const char *path = own ? out : r->out.s->m->spec->path, *slash = strrchr(path, '/'),
             *stem = slash ? slash + 1 : path;
  const int length = (int)strcspn(stem, ".");
  if (own)
    snprintf(buf, cap, "%s", stem);
  else
    snprintf(buf, cap, "%.*s.nc", length && length < 60 ? length : 6,
             length && length < 60 ? stem : "report");
}

/* --- functions for the run loop --------------------------------------------------------------- */

static hk_status put_row(hk_output *self, double t, const double *values) {
  hk_recorder *r = (hk_recorder *)self;
  hk_status st = HK_OK;
  for (int i = 0; i < 3 && st == HK_OK; i++)
    if (r->file[i]) st = r->file[i]->row(r->file[i], t, values);
  return st;
}

static bool frame_due(const hk_output *self, double t) {
  return hki_scene_due(((const hk_recorder *)self)->scene, self->s, t);
}

static const float *look(hk_output *self, double t, int32_t *n) {
  hk_recorder *r = (hk_recorder *)self;
  *n = hki_scene_frame_size(r->scene);
  return isnan(t) ? NULL : hki_scene_frame(r->scene, self->s, t);
}

static hk_status put_frame(hk_output *self, double t, const float *values) {
  hk_recorder *r = (hk_recorder *)self;
  hk_status st = HK_OK;
  for (int i = 0; i < 3 && st == HK_OK; i++)
    if (r->file[i]) st = hki_results_frame(r->file[i], t, values);
  return st;
}

static hk_status frame(hk_output *self, double t) {
  int32_t n;
  return put_frame(self, t, look(self, t, &n));
}

static double busy(const hk_output *self) {
  const hk_recorder *r = (const hk_recorder *)self;
  double sum = 0.0;
  for (int i = 0; i < 3; i++) sum += r->file[i] ? r->file[i]->busy : 0.0;
  return sum;
}

/* --- opening ---------------------------------------------------------------------------------- */

/* expected number of rows; 0: not known */
static int64_t expected_rows(const hk_recorder *r) {
  double every = r->opt->output_every > r->out.s->step ? r->opt->output_every : r->out.s->step;
  double rows = (r->out.s->end - hk_sim_time(r->out.s)) / every + 2.0;
  return rows > 0.0 && rows < 1e15 ? (int64_t)rows : 0;
}

static hk_status open_files(hk_recorder *r, hk_results_meta *meta) {
  hk_sim *s = r->out.s;
  hk_status st = HK_OK;
  char name[300];
  r->scene = hki_scene_create(s);
  if (!r->scene) return HK_E_MEMORY;
  hki_scene_meta(r->scene, meta);
  st = hki_join_open(&r->join, s, r->opt, meta);
  if (meta->rows > 0) meta->rows += r->join.rows;
  if (meta->frames > 0) meta->frames += r->join.frames;
  if (st == HK_OK && r->opt->output)
    st = hki_results_open(s->ctx, r->opt->output, meta, &r->file[0]);
  if (st == HK_OK && r->opt->report) {
    report_name(r, name, sizeof name);
    st = hki_results_spool(s->ctx, name, meta, &r->file[1], &r->kept);
  }
  if (st == HK_OK && r->opt->live) st = hki_results_live(s->ctx, r->opt->live, meta, &r->file[2]);
  for (int i = 0; st == HK_OK && i < 3; i++)
    if (r->file[i] && r->file[i]->scene_first) st = hki_scene_finish(r->scene, s, r->file[i]);
  if (hki_results_has_frames(r->file[0]) || hki_results_has_frames(r->file[1]) ||
      hki_results_has_frames(r->file[2])) {
    r->out.frame_due = frame_due, r->out.frame = frame;
    r->out.look = look, r->out.put_frame = put_frame;
  } else {
    hki_scene_destroy(r->scene);
    r->scene = NULL;
  }
  if (st == HK_OK) st = hki_join_copy(&r->join, s->ctx, r->file, r->scene);
  hki_join_close(&r->join);
  return st;
}

/* the channels and texts that a result file holds beside its rows */
static hk_status open_with_meta(hk_recorder *r) {
  hk_sim *s = r->out.s;
  const hk_spec *spec = s->m->spec;
  const hk_recording *as = r->as;
  const int32_t more = as ? as->nmore : 0;
  hk_results_channel *ch = hki_alloc(s->ctx, (size_t)(s->nchannels + more + 1) * sizeof *ch);
  r->out.values = hki_alloc(s->ctx, (size_t)(s->nchannels + more + 1) * sizeof *r->out.values);
  if (!ch || !r->out.values) {
    hki_free(s->ctx, ch);
    return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < s->nchannels; i++)
    ch[i] = (hk_results_channel){s->channel_name[i], s->channel_unit[i], s->channel_text[i]};
  for (int32_t i = 0; i < more; i++) ch[s->nchannels + i] = as->more[i];
  hk_text files, settings;
  hki_text_init(&files, s->ctx);
  hki_text_init(&settings, s->ctx);
  hki_model_files(spec, &files);
  hki_sim_settings(s, &settings);
  hk_results_meta meta = {.title = spec->title,
                          .model_path = spec->path,
                          .model_text = spec->text,
                          .model_files = files.s,
                          .settings = settings.s,
                          .command = r->opt->command,
                          .formulation = s->fe->ops->name,
                          .integrator = as ? NULL : s->I.ops->name,
                          .analysis = as ? as->analysis : NULL,
                          .axis = as ? as->axis : NULL,
                          .axis_unit = as ? as->axis_unit : NULL,
                          .step = as && as->axis ? NAN : s->step,
                          .time = as && as->axis ? NAN : s->end,
                          .nchannels = s->nchannels + more,
                          .channels = ch,
                          .rows = as && as->axis ? as->rows : expected_rows(r),
                          .compress = r->opt->compress};
  hk_status st = open_files(r, &meta);
  hki_text_free(&files);
  hki_text_free(&settings);
  hki_free(s->ctx, ch);
  return st;
}

hk_status hki_recorder_open(hk_sim *s, const hk_run_options *opt, hk_recorder **out) {
  return hki_recorder_open_as(s, opt, NULL, out);
}

hk_status hki_recorder_open_as(hk_sim *s, const hk_run_options *opt, const hk_recording *as,
                               hk_recorder **out) {
  *out = NULL;
  if (!opt->output && !opt->report && !opt->live) return HK_OK;
  if (opt->report) {
    hk_status can = hk_report_check(s->ctx, opt->report);
    if (can != HK_OK) return can;
  }
  hk_recorder *r = hki_alloc(s->ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  *r = (hk_recorder){.out = {.s = s, .row = put_row, .busy = busy}, .opt = opt, .as = as};
  hk_status st = open_with_meta(r);
  if (st != HK_OK) {
    hki_recorder_abandon(r);
    hki_recorder_free(r);
    return st;
  }
  *out = r;
  return HK_OK;
}

hk_output *hki_recorder_output(hk_recorder *r) { return r ? &r->out : NULL; }

/* --- closing ---------------------------------------------------------------------------------- */

hk_status hki_recorder_close(hk_recorder *r) {
  hk_status st = HK_OK;
  if (!r) return st;
  for (int i = 0; i < 3; i++) {
    if (!r->file[i]) continue;
    hk_status scene = r->scene ? hki_scene_finish(r->scene, r->out.s, r->file[i]) : HK_OK;
    hk_status closed = r->file[i]->close(r->file[i], hki_sim_json(r->out.s, !r->as));
    if (st == HK_OK) st = closed != HK_OK ? closed : scene;
  }
  if (st == HK_OK && r->kept)
    st = hk_report_write(r->out.s->ctx, &r->kept, 1, r->opt->report, NULL);
  return st;
}

void hki_recorder_abandon(hk_recorder *r) {
  for (int i = 0; r && i < 3; i++) hki_results_abandon(r->file[i]);
}

void hki_recorder_free(hk_recorder *r) {
  if (!r) return;
  hk_result_close(r->kept);
  hki_scene_destroy(r->scene);
  hki_free(r->out.s->ctx, r->out.values);
  hki_free(r->out.s->ctx, r);
}
