/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_fmus.c: the section `fmus`: units of other tools that take part in a run (src/fmi/import.h).
 *
 *   fmus: {ctl: {file: ctl.fmu, inputs: {angle: joint.pin.angle}, outputs: {torque: u}}}
 */
#include <math.h>
#include <string.h>

#include "language/reader_fmus.h"
#include "model/channel.h"

typedef struct reading {
  hk_reader *rd;
  hk_spec_fmu *u;
} reading;

/* the mapping of a key: how many entries; -1 after reporting that it is none */
static int32_t mapping(const reading *r, const hk_node *v, const char *key, const char *hint) {
  char found[64];
  if (!v) return 0;
  if (v->kind == HK_NODE_MAPPING) return v->count;
  hki_rd_error(r->rd, v->loc, hint, "'%s' of FMU '%s' must be a mapping, found %s", key, r->u->name,
               hki_node_describe(v, found, sizeof found));
  return -1;
}

static const char **names(const reading *r, int32_t n) {
  return hki_pool_alloc(r->rd->spec->pool, ((size_t)n + 1) * sizeof(const char *));
}

/* NAME of the FMU: NAME of the model, as two lists */
static bool read_pairs(const reading *r, const hk_node *v, const char *key, const char *hint,
                       int32_t *n, const char ***left, const char ***right) {
  *n = mapping(r, v, key, hint);
  if (*n < 0) return *n = 0, false;
  *left = names(r, *n), *right = names(r, *n);
  if (!*left || !*right) return *n = 0, false;
  for (int32_t i = 0; i < *n; i++) {
    const char *text = hki_rd_text(r->rd, v->entries[i].value, v->entries[i].key);
    (*left)[i] = hki_pool_strdup(r->rd->spec->pool, v->entries[i].key);
    (*right)[i] = text ? hki_pool_strdup(r->rd->spec->pool, text) : NULL;
    if (!(*left)[i] || !(*right)[i]) return *n = 0, false;
  }
  return true;
}

static void check_channels(const reading *r, const hk_node *v) {
  for (int32_t i = 0; i < r->u->nin; i++) {
    hk_channel c;
    char hint[300] = "";
    if (!hki_channel_parse(r->rd->spec, r->u->channel[i], &c, hint, sizeof hint))
      hki_rd_error(r->rd, v->entries[i].value->loc, hint, "unknown channel '%s'", r->u->channel[i]);
  }
}

static void check_inputs(const reading *r, const hk_node *v) {
  const hk_spec *spec = r->rd->spec;
  for (int32_t i = 0; i < r->u->nout; i++) {
    const int32_t k = hki_names_find(spec->signal_names, r->u->input[i]);
    if (k >= 0 && hki_signal_is_input(&spec->signals[k])) continue;
    hki_rd_error(r->rd, v->entries[i].value->loc, "signals: {u: {input: 0}}",
                 "'%s' is no input of the model, and an FMU can set only these", r->u->input[i]);
  }
}

static void read_parameters(const reading *r, const hk_node *v) {
  const int32_t n = mapping(r, v, "parameters", "parameters: {k: 3}");
  hk_spec_fmu *u = r->u;
  if (n <= 0) return;
  u->par = names(r, n);
  u->value = hki_pool_alloc(r->rd->spec->pool, (size_t)n * sizeof *u->value);
  if (!u->par || !u->value) return;
  for (int32_t i = 0; i < n; i++) {
    u->par[i] = hki_pool_strdup(r->rd->spec->pool, v->entries[i].key);
    if (!u->par[i] || !hki_rd_number(r->rd, r->rd->scopes[0], v->entries[i].value,
                                     v->entries[i].key, &u->value[i]))
      return;
    u->npar++;
  }
}

static void read_fmu(hk_reader *rd, const hk_entry *e, hk_spec_fmu *u) {
  static const hk_param *const tables[] = {hki_keys_fmu, NULL};
  const reading r = {rd, u};
  const hk_node *node = e->value;
  *u = (hk_spec_fmu){
      .name = hki_pool_strdup(rd->spec->pool, e->key), .loc = e->key_loc, .timeout = 10.0};
  if (!u->name || !hki_rd_check_keys(rd, node, tables, "FMU", u->name)) return;
  const hk_node *file = hki_node_get(node, "file"), *in = hki_node_get(node, "inputs"),
                *out = hki_node_get(node, "outputs"), *coupling = hki_node_get(node, "coupling"),
                *timeout = hki_node_get(node, "timeout");
  const char *text = file ? hki_rd_text(rd, file, "file") : NULL, *path = NULL;
  int32_t choice = 0;
  if (text && (path = hki_rd_path(rd, file->loc, text)))
    u->file = hki_pool_strdup(rd->spec->pool, path);
  if (read_pairs(&r, in, "inputs", "inputs: {angle: joint.pin.angle}", &u->nin, &u->in,
                 &u->channel))
    check_channels(&r, in);
  if (read_pairs(&r, out, "outputs", "outputs: {torque: u}", &u->nout, &u->out, &u->input))
    check_inputs(&r, out);
  read_parameters(&r, hki_node_get(node, "parameters"));
  if (coupling) hki_rd_choice(rd, coupling, "coupling", "explicit iterate sampled", &choice);
  u->iterate = choice == 1, u->sampled = choice == 2;
  if (timeout && hki_rd_number(rd, rd->scopes[0], timeout, "timeout", &u->timeout) &&
      !(u->timeout > 0.0))
    hki_rd_error(rd, timeout->loc, NULL, "'timeout' of FMU '%s' must be positive", u->name);
}

void hki_rd_fmus_read(hk_reader *rd) {
  const hk_node *all = hki_rd_first(rd, rd->scopes[0], "fmus");
  char found[64];
  if (!all || all->kind == HK_NODE_NULL) return;
  if (all->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, all->loc, "fmus: {ctl: {file: ctl.fmu, inputs: {..}, outputs: {..}}}",
                 "'fmus' must be a mapping, found %s", hki_node_describe(all, found, sizeof found));
    return;
  }
  hk_spec *spec = rd->spec;
  spec->fmus = hki_pool_alloc(spec->pool, ((size_t)all->count + 1) * sizeof *spec->fmus);
  for (int32_t i = 0; spec->fmus && i < all->count; i++) {
    read_fmu(rd, &all->entries[i], &spec->fmus[i]);
    spec->nfmus = i + 1;
  }
}
