/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.c: the files of a run: the results, in the format of their extension, with the
 * animation; and, when a report is asked for and the results are no .nc file, a temporary .nc for
 * the report.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "language/model_reader.h"
#include "scene/recorder.h"
#include "scene/scene.h"

struct hk_recorder {
  hk_output out; /* first: the interface for the run loop */
  const hk_run_options *opt;
  hk_results *file[2]; /* the results; the temporary .nc of the report; each may be NULL */
  char report_dir[200], report_data[270];
  hk_scene *scene; /* NULL: no file takes frames */
};

/* the name of the .nc that a report is made from, unless the output itself is one */
static hk_status report_file(hk_recorder *r) {
  const char *out = r->opt->output, *dot = out ? strrchr(out, '.') : NULL;
  if (!r->opt->report || (dot && strcasecmp(dot, ".nc") == 0)) return HK_OK;
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(r->report_dir, sizeof r->report_dir, "%s/hooke-report-XXXXXX",
                   tmp && *tmp ? tmp : "/tmp");
  if (n >= (int)sizeof r->report_dir || !mkdtemp(r->report_dir)) {
    r->report_dir[0] = '\0';
    return hki_error(r->out.s->ctx, HK_E_FILE, HK_LOC_NONE, NULL,
                     "cannot make a temporary directory for the report");
  }
  // the page shows the name of this file, so it is the model's
  const char *path = r->out.s->m->spec->path, *slash = strrchr(path, '/'),
             *stem = slash ? slash + 1 : path;
  int length = (int)strcspn(stem, ".");
  snprintf(r->report_data, sizeof r->report_data, "%s/%.*s.nc", r->report_dir,
           length && length < 60 ? length : 6, length && length < 60 ? stem : "report");
  return HK_OK;
}

/* --- functions for the run loop --------------------------------------------------------------- */

static hk_status put_row(hk_output *self, double t, const double *values) {
  hk_recorder *r = (hk_recorder *)self;
  hk_status st = HK_OK;
  for (int i = 0; i < 2 && st == HK_OK; i++)
    if (r->file[i]) st = r->file[i]->row(r->file[i], t, values);
  return st;
}

static bool frame_due(const hk_output *self, double t) {
  return hki_scene_due(((const hk_recorder *)self)->scene, self->s, t);
}

static hk_status put_frame(hk_output *self, double t) {
  hk_recorder *r = (hk_recorder *)self;
  const float *values = hki_scene_frame(r->scene, self->s, t);
  hk_status st = HK_OK;
  for (int i = 0; i < 2 && st == HK_OK; i++)
    if (r->file[i]) st = hki_results_frame(r->file[i], t, values);
  return st;
}

static double busy(const hk_output *self) {
  const hk_recorder *r = (const hk_recorder *)self;
  double sum = 0.0;
  for (int i = 0; i < 2; i++) sum += r->file[i] ? r->file[i]->busy : 0.0;
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
  hk_status st = report_file(r);
  s->kin->cache_forces = true; // rows and frames reuse the forces evaluated for the energy audit
  r->scene = hki_scene_create(s);
  if (st == HK_OK && !r->scene) st = HK_E_MEMORY;
  if (st != HK_OK) return st;
  hki_scene_meta(r->scene, meta);
  if (r->opt->output) st = hki_results_open(s->ctx, r->opt->output, meta, &r->file[0]);
  if (st == HK_OK && r->report_data[0])
    st = hki_results_open(s->ctx, r->report_data, meta, &r->file[1]);
  if (hki_results_has_frames(r->file[0]) || hki_results_has_frames(r->file[1])) {
    r->out.frame_due = frame_due, r->out.frame = put_frame;
  } else {
    hki_scene_destroy(r->scene);
    r->scene = NULL;
  }
  return st;
}

/* the channels and texts that a result file holds beside its rows */
static hk_status open_with_meta(hk_recorder *r) {
  hk_sim *s = r->out.s;
  const hk_spec *spec = s->m->spec;
  hk_results_channel *ch = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *ch);
  r->out.values = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *r->out.values);
  if (!ch || !r->out.values) {
    hki_free(s->ctx, ch);
    return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < s->nchannels; i++)
    ch[i] = (hk_results_channel){s->channel_name[i], s->channel_unit[i], s->channel_text[i]};
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
                          .integrator = s->I.ops->name,
                          .step = s->step,
                          .time = s->end,
                          .nchannels = s->nchannels,
                          .channels = ch,
                          .rows = expected_rows(r),
                          .compress = r->opt->compress};
  hk_status st = open_files(r, &meta);
  hki_text_free(&files);
  hki_text_free(&settings);
  hki_free(s->ctx, ch);
  return st;
}

hk_status hki_recorder_open(hk_sim *s, const hk_run_options *opt, hk_recorder **out) {
  *out = NULL;
  if (!opt->output && !opt->report) return HK_OK;
  if (opt->report) {
    hk_status can = hk_report_check(s->ctx, opt->report);
    if (can != HK_OK) return can;
  }
  hk_recorder *r = hki_alloc(s->ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  *r = (hk_recorder){.out = {.s = s, .row = put_row, .busy = busy}, .opt = opt};
  hk_status st = open_with_meta(r);
  if (st != HK_OK) {
    for (int i = 0; i < 2; i++) hki_results_abandon(r->file[i]);
    hki_recorder_free(r);
    return st;
  }
  *out = r;
  return HK_OK;
}

hk_output *hki_recorder_output(hk_recorder *r) { return r ? &r->out : NULL; }

/* --- closing ---------------------------------------------------------------------------------- */

static hk_status write_report(hk_recorder *r) {
  const char *data = r->report_data[0] ? r->report_data : r->opt->output;
  hk_ctx *ctx = r->out.s->ctx;
  hk_result *result = NULL;
  hk_report_options opt = hk_report_options_def();
  hk_status st = hk_result_open(ctx, data, &result);
  if (st == HK_OK) st = hk_report_write(ctx, &result, 1, r->opt->report, &opt);
  hk_result_close(result);
  return st;
}

hk_status hki_recorder_close(hk_recorder *r) {
  hk_status st = HK_OK;
  if (!r) return st;
  for (int i = 0; i < 2; i++) {
    if (!r->file[i]) continue;
    hk_status scene = r->scene ? hki_scene_finish(r->scene, r->out.s, r->file[i]) : HK_OK;
    hk_status closed = r->file[i]->close(r->file[i], hk_sim_json(r->out.s));
    if (st == HK_OK) st = closed != HK_OK ? closed : scene;
  }
  if (st == HK_OK && r->opt->report) st = write_report(r);
  return st;
}

void hki_recorder_free(hk_recorder *r) {
  if (!r) return;
  if (r->report_data[0]) remove(r->report_data);
  if (r->report_dir[0]) rmdir(r->report_dir);
  hki_scene_destroy(r->scene);
  hki_free(r->out.s->ctx, r->out.values);
  hki_free(r->out.s->ctx, r);
}
