/* SPDX-License-Identifier: Apache-2.0
 *
 * write_mcap.c: results for robotics viewers: an MCAP file with messages of ROS 2 (docs/results-format.md).
 *
 *   /tf          tf2_msgs/TFMessage              each frame of the animation: the pose of every body in "world"
 *   /shapes      visualization_msgs/MarkerArray  at the start: the shapes, each in the frame of its body; and roads
 *   /beams       visualization_msgs/MarkerArray  each frame: beams and cables as lines through their nodes
 *   /joint/pin/angle ..   std_msgs/Float64       each row: the channel joint.pin.angle
 */
#include <math.h>
#include <string.h>

#include "results/mcap/ros.h"
#include "results/results_impl.h"

enum {
  FRAMES = 1,
  SHAPES,
  BEAMS,
  CHANNELS
}; /* numbers of channels; without bodies these begin at 1 */

typedef struct mcap_writer {
  hk_results base;
  hk_ctx *ctx;
  hk_mcap *file;
  hk_pool *pool;
  hk_ros_scene scene; /* nbodies 0: not known yet */
  hk_results_meta meta;
  int32_t nchannels, nbodies, first; /* the number of the first channel */
  hk_text message, roads;
  double *points; /* of a beam, closed */
} mcap_writer;

static uint64_t ns_of(double t) { return t > 0.0 && t < 1e10 ? (uint64_t)llround(1e9 * t) : 0; }

/* --- rows and frames ------------------------------------------------------------------------------------ */

static hk_status mcap_row(hk_results *self, double t, const double *values) {
  mcap_writer *w = (mcap_writer *)self;
  hk_status st = HK_OK;
  for (int32_t i = 0; i < w->nchannels && st == HK_OK; i++) {
    hki_cdr_begin(&w->message);
    hki_cdr_number(&w->message, values[i]);
    st =
        hki_mcap_message(w->file, (uint16_t)(w->first + i), ns_of(t), w->message.s, w->message.len);
  }
  w->base.busy = hki_mcap_busy(w->file);
  return st;
}

static hk_status send(mcap_writer *w, int channel, double t, const hk_text *message) {
  if (message->failed) return HK_E_MEMORY;
  return hki_mcap_message(w->file, (uint16_t)channel, ns_of(t), message->s, message->len);
}

static hk_status put_beams(mcap_writer *w, double t, const float *values) {
  const hk_ros_scene *s = &w->scene;
  if (!s->ngroups) return HK_OK;
  hki_ros_markers(&w->message, s->ngroups);
  for (int32_t i = 0; i < s->ngroups; i++) {
    const hk_ros_group *g = &s->groups[i];
    const int32_t n = g->count + g->closed;
    for (int32_t k = 0; k < n; k++)
      for (int c = 0; c < 3; c++)
        w->points[3 * k + c] = (double)values[7 * (g->first + k % g->count) + c];
    const hk_ros_marker m = {.frame = "world",
                             .group = g->name,
                             .kind = HK_ROS_LINE,
                             .at = {[3] = 1.0},
                             .scale = {0.01 * s->length},
                             .colour = {0.62, 0.66, 0.72},
                             .npoints = n,
                             .points = w->points};
    hki_ros_marker(&w->message, ns_of(t), &m);
  }
  return send(w, BEAMS, t, &w->message);
}

static hk_status mcap_frame(hk_results *self, double t, const float *values) {
  mcap_writer *w = (mcap_writer *)self;
  hk_text *m = &w->message;
  if (w->scene.nbodies != w->nbodies) return HK_OK; // nobody knows their names
  for (int32_t i = 0; i < 7 * w->nbodies; i++)
    if (!isfinite(values[i])) return HK_OK;
  hki_cdr_begin(m);
  hki_cdr_int(m, w->nbodies);
  for (int32_t i = 0; i < w->nbodies; i++) {
    const float *x = values + 7 * i;
    const double pose[7] = {(double)x[0], (double)x[1], (double)x[2], (double)x[4],
                            (double)x[5], (double)x[6], (double)x[3]};
    hki_cdr_time(m, ns_of(t));
    hki_cdr_string(m, "world");
    hki_cdr_string(m, w->scene.bodies[i]);
    hki_cdr_numbers(m, pose, 7);
  }
  const hk_status st = send(w, FRAMES, t, m);
  return st == HK_OK ? put_beams(w, t, values) : st;
}

/* Before the first frame: names and shapes. At the end the roads are known. */
static hk_status mcap_scene(hk_results *self, const hk_results_scene *scene) {
  mcap_writer *w = (mcap_writer *)self;
  const bool first = !w->scene.bodies;
  hk_ros_scene found;
  hk_text shapes;
  hki_text_init(&shapes, w->ctx);
  hk_status st = hki_ros_scene(w->ctx, w->pool, scene, &found, &shapes, &w->roads);
  if (st == HK_OK && first) {
    w->scene = found;
    int32_t most = 0;
    for (int32_t i = 0; i < found.ngroups; i++)
      most = found.groups[i].count > most ? found.groups[i].count : most;
    w->points = hki_pool_alloc(w->pool, 3 * ((size_t)most + 1) * sizeof *w->points);
    st = w->points ? HK_OK : HK_E_MEMORY;
    if (st == HK_OK && shapes.len) st = send(w, SHAPES, 0.0, &shapes);
  }
  hki_text_free(&shapes);
  return st;
}

/* --- opening ---------------------------------------------------------------------------------------------- */

/* Names of topics have letters, digits and '_', parts begin with no digit. A dot becomes '/'. Where two channels
 * would have the same one, '_' follows. */
static bool topic_of(const char *name, hk_names *known, int32_t index, hk_text *out) {
  bool begins = true;
  out->len = 0;
  hki_text_add(out, "/");
  for (; *name; name++) {
    const char c = *name;
    const bool digit = c >= '0' && c <= '9',
               letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c == '.' && !begins && name[1]) {
      hki_text_add(out, "/");
      begins = true;
      continue;
    }
    if (digit && begins) hki_text_add(out, "_");
    hki_text_addn(out, digit || letter ? &c : "_", 1);
    begins = false;
  }
  for (int32_t at = 0; !out->failed;) {
    if (hki_names_add(known, out->s, index, &at)) return true;
    if (at < 0) return false;
    hki_text_add(out, "_");
  }
  return false;
}

/* the topics of poses and shapes, then one for each channel, with its own name, unit and meaning */
static hk_status put_channels(mcap_writer *w) {
  const hk_results_meta *meta = &w->meta;
  hk_names *known = hki_names_create(w->ctx);
  hk_text *t = &w->message;
  bool ok = known != NULL;
  for (int k = 0; k < HK_ROS_TYPES; k++) {
    t->len = 0;
    hki_ros_definition((hk_ros_type)k, t);
    ok = ok && !t->failed;
    if (ok) hki_mcap_schema(w->file, (uint16_t)(k + 1), hki_ros_name((hk_ros_type)k), t->s);
  }
  static const char *const none[][2] = {{"offered_qos_profiles", ""}};
  static const char *const topics[] = {"/tf", "/shapes", "/beams"};
  for (int k = 0; ok && w->nbodies && k < HK_ARRAY_LEN(topics); k++) {
    hki_mcap_channel(w->file, (uint16_t)(k + 1), k ? HK_ROS_MARKERS + 1 : HK_ROS_FRAMES + 1,
                     topics[k], 1, none);
    ok = hki_names_add(known, topics[k], k, NULL);
  }
  for (int32_t i = 0; ok && i < w->nchannels; i++) {
    const hk_results_channel *c = &meta->channels[i];
    const char *const notes[][2] = {{"offered_qos_profiles", ""},
                                    {"channel", c->name},
                                    {"unit", c->unit ? c->unit : ""},
                                    {"meaning", c->text ? c->text : ""}};
    ok = topic_of(c->name, known, i, t);
    if (ok)
      hki_mcap_channel(w->file, (uint16_t)(w->first + i), HK_ROS_NUMBER + 1, t->s,
                       HK_ARRAY_LEN(notes), notes);
  }
  hki_names_destroy(known);
  return ok ? HK_OK : HK_E_MEMORY;
}

static void mcap_free(mcap_writer *w) {
  hki_mcap_end(w->file);
  hki_text_free(&w->message);
  hki_text_free(&w->roads);
  hki_pool_destroy(w->pool);
  hki_free(w->ctx, w);
}

static void mcap_abandon(hk_results *self) { mcap_free((mcap_writer *)self); }

static hk_status mcap_close(hk_results *self, const char *summary) {
  mcap_writer *w = (mcap_writer *)self;
  hk_results_text texts[HK_RESULTS_TEXTS];
  const char *pairs[HK_RESULTS_TEXTS][2];
  char hash[HK_RESULTS_HASH], status[32];
  int32_t n = 0;
  // roads belong to the start: a chunk of their own keeps the times of the others together
  hki_mcap_cut(w->file);
  hk_status st = w->roads.len ? send(w, SHAPES, 0.0, &w->roads) : HK_OK;
  hki_results_status(summary, status, sizeof status);
  hki_results_texts(&w->meta, status, summary, hash, texts);
  for (int32_t i = 0; i < HK_RESULTS_TEXTS; i++)
    if (texts[i].text) pairs[n][0] = texts[i].name, pairs[n++][1] = texts[i].text;
  hki_mcap_metadata(w->file, "simulation", n, (const char *const(*)[2])pairs);
  const hk_status closed = hki_mcap_close(w->file);
  mcap_free(w);
  return st == HK_OK ? closed : st;
}

/* texts that are needed at the end are copied */
static bool copy_meta(mcap_writer *w, const hk_results_meta *meta) {
  const char **const texts[] = {&w->meta.title,       &w->meta.model_path, &w->meta.model_text,
                                &w->meta.model_files, &w->meta.settings,   &w->meta.command,
                                &w->meta.formulation, &w->meta.integrator, &w->meta.analysis};
  w->meta = *meta;
  for (int i = 0; i < HK_ARRAY_LEN(texts); i++)
    if (*texts[i] && !(*texts[i] = hki_pool_strdup(w->pool, *texts[i]))) return false;
  return true;
}

hk_status hki_results_mcap(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out) {
  if (meta->axis)
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "end the name in .csv or .nc",
                     "a .mcap file holds runs over time, and this is %s",
                     meta->analysis ? meta->analysis : "none");
  if (meta->nchannels > HK_MCAP_CHANNELS - CHANNELS)
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "record fewer, or end the name in .nc",
                     "a .mcap file holds %d channels at most, and there are %d",
                     HK_MCAP_CHANNELS - CHANNELS, (int)meta->nchannels);
  mcap_writer *w = hki_alloc(ctx, sizeof *w);
  if (!w) return HK_E_MEMORY;
  *w = (mcap_writer){.ctx = ctx, .nchannels = meta->nchannels, .pool = hki_pool_create(ctx)};
  hki_text_init(&w->message, ctx);
  hki_text_init(&w->roads, ctx);
  w->nbodies = meta->nbodies > 0 ? meta->nbodies : 0;
  w->first = w->nbodies ? CHANNELS : 1;
  w->base = (hk_results){.row = mcap_row, .close = mcap_close, .abandon = mcap_abandon};
  if (w->nbodies)
    w->base.frame = mcap_frame, w->base.scene = mcap_scene, w->base.scene_first = true;
  hk_status st = w->pool && copy_meta(w, meta) ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) st = hki_mcap_open(ctx, path, w->first + w->nchannels, &w->file);
  if (st == HK_OK) st = put_channels(w);
  w->meta.channels = NULL; // the caller's
  if (st != HK_OK) {
    mcap_free(w);
    return st;
  }
  *out = &w->base;
  return HK_OK;
}
