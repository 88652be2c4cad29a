/* SPDX-License-Identifier: Apache-2.0
 *
 * results.c: chooses the writer of a result file by its extension.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hooke/version.h"
#include "results/results_impl.h"

hk_status hki_results_open(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out) {
  *out = NULL;
  if (!path || !*path) {
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "the result file's name is empty");
  }
  // the extension follows the last dot of the file's name
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = strrchr(name, '.');
  static const struct {
    const char *extension;
    hk_status (*open)(hk_ctx *, const char *, const hk_results_meta *, hk_results **);
  } formats[] = {
      {".csv", hki_results_csv}, {".nc", hki_results_netcdf}, {".mcap", hki_results_mcap}};
  for (int i = 0; dot && dot > name && i < HK_ARRAY_LEN(formats); i++)
    if (strcasecmp(dot, formats[i].extension) == 0) return formats[i].open(ctx, path, meta, out);
  return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE,
                   "end the name in .csv (text), .nc (NetCDF-4, with units and the model) or .mcap "
                   "(for robotics viewers)",
                   "the result file '%s' has %s; known are .csv, .nc and .mcap", path,
                   dot && dot > name ? "an unknown extension" : "no extension");
}

void hki_results_abandon(hk_results *r) {
  if (r) r->abandon(r);
}

bool hki_results_has_frames(const hk_results *r) { return r && r->frame; }

hk_status hki_results_frame(hk_results *r, double t, const float *values) {
  return r->frame ? r->frame(r, t, values) : HK_OK;
}

hk_status hki_results_scene_put(hk_results *r, const hk_results_scene *scene) {
  return r->scene ? r->scene(r, scene) : HK_OK;
}

void hki_results_status(const char *json, char *buf, size_t cap) {
  const char *key = json ? strstr(json, "\"status\"") : NULL;
  const char *open = key ? strchr(key + 8, '"') : NULL,
             *close = open ? strchr(open + 1, '"') : NULL;
  snprintf(buf, cap, "%s", "unknown");
  if (close) snprintf(buf, cap, "%.*s", (int)(close - open - 1), open + 1);
}

/* the grade in the summary of a run; NULL: it has none */
static const char *grade_of(const char *json) {
  static const char *const words[] = {"good", "doubtful", "wrong"};
  static const char key[] = "\"grade\": \"";
  const char *at = json ? strstr(json, key) : NULL;
  for (int i = 0; at && i < HK_ARRAY_LEN(words); i++)
    if (strncmp(at + sizeof key - 1, words[i], strlen(words[i])) == 0) return words[i];
  return NULL;
}

void hki_results_texts(const hk_results_meta *m, const char *status, const char *summary,
                       char *hash, hk_results_text *out) {
  hash[0] = '\0';
  if (m->model_text) {
    uint64_t h = hki_hash(m->model_text, strlen(m->model_text), 0);
    snprintf(hash, HK_RESULTS_HASH, "%016llx", (unsigned long long)h);
  }
  const hk_results_text all[HK_RESULTS_TEXTS] = {{"hooke_version", HK_VERSION_STRING},
                                                 {"title", m->title},
                                                 {"model_path", m->model_path},
                                                 {"model_text", m->model_text},
                                                 {"model_hash", hash},
                                                 {"model_files", m->model_files},
                                                 {"settings", m->settings},
                                                 {"command", m->command},
                                                 {"formulation", m->formulation},
                                                 {"integrator", m->integrator},
                                                 {"analysis", m->analysis},
                                                 {"axis", m->axis},
                                                 {"axis_unit", m->axis ? m->axis_unit : NULL},
                                                 {"status", status},
                                                 {"grade", grade_of(summary)},
                                                 {"summary", summary}};
  memcpy(out, all, sizeof all);
}
