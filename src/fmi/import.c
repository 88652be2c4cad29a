/* SPDX-License-Identifier: Apache-2.0
 *
 * import.c: FMUs that a model names become peers of its simulations, see import.h.
 */
#define _GNU_SOURCE 1
#include "fmi/import.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/extend.h"
#include "fmi/archive.h"
#include "hooke/fmu.h"
#include "simulation/peer.h"

/* outputs that change by less than this between iterations, against their size, have converged */
static const double agreement = 1e-9;

static const uint64_t most_description = 100000000; /* bytes; it is held in memory as a whole */

typedef struct unit {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_spec_fmu *spec;
  char folder[1100]; /* "": none */
  hk_import about;
  hk_host_job job;
  hk_host host;
  double at;      /* time that it has reached */
  double *before; /* outputs of the last iteration */
  bool kept;
  char words[700];
} unit;

/* --- the peer --------------------------------------------------------------------------------- */

static hk_status call(unit *u, int32_t what, double t, double dt, const double *y, double *out) {
  // a unit that fails ends the run, and its results are kept
  return hki_host_call(&u->host, &u->job, what, t, dt, y, out) == HK_OK ? HK_OK : HK_E_DIVERGED;
}

/* with the channels at the end of the step, from its beginning on */
static hk_status iterate(unit *u, double t, const double *y, double *out) {
  if (!u->kept) return HK_PEER_SILENT;
  hk_status st = call(u, HK_HOST_BACK, 0.0, 0.0, y, u->before + u->job.nout);
  if (st == HK_OK) st = call(u, HK_HOST_STEP, u->at, t - u->at, y, out);
  if (st != HK_OK) return st;
  double change = 0.0;
  for (int32_t i = 0; i < u->job.nout; i++) {
    change = fmax(change, fabs(out[i] - u->before[i]) / (agreement * (1.0 + fabs(out[i]))));
    u->before[i] = out[i];
  }
  return change <= 1.0 ? HK_OK : HK_RETRY;
}

static hk_status exchange(void *peer, hk_hook when, double t, double h, const double *y,
                          double *out) {
  unit *u = peer;
  if (when == HK_HOOK_ACCEPTED) {
    if (u->spec->iterate) u->at = t, u->kept = false;
    return HK_PEER_SILENT;
  }
  if (u->spec->iterate && when != HK_HOOK_BEFORE_PREDICTION) return iterate(u, t, y, out);
  if (u->spec->iterate) {
    if (isfinite(u->at)) return HK_PEER_SILENT;
    u->at = t;
    return call(u, HK_HOST_LOOK, t, 0.0, y, out);
  }
  hk_status st = call(u, HK_HOST_STEP, t, h, y, out);
  u->at = t + h;
  return st;
}

static hk_status keep(void *peer) {
  unit *u = peer;
  u->kept = true;
  for (int32_t i = 0; i < u->job.nout; i++) u->before[i] = INFINITY;
  return call(u, HK_HOST_SAVE, 0.0, 0.0, u->before + u->job.nout, u->before + u->job.nout);
}

static hk_status back(void *peer) {
  unit *u = peer;
  u->kept = false;
  return call(u, HK_HOST_BACK, 0.0, 0.0, u->before + u->job.nout, u->before + u->job.nout);
}

static const char *words(void *peer) {
  unit *u = peer;
  snprintf(u->words, sizeof u->words, "'%.100s': %s", u->spec->name, u->host.words);
  return u->words;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)kind, (void)place;
  return remove(path);
}

static void end(void *peer) {
  unit *u = peer;
  hki_host_end(&u->host);
  if (u->folder[0]) (void)nftw(u->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  hki_pool_destroy(u->pool);
}

static const hk_peer_ops explicit_ops = {
    .name = "FMU", .exchange = exchange, .words = words, .close = end};
static const hk_peer_ops sampled_ops = {
    .name = "FMU", .caps = HK_PEER_JUMPS, .exchange = exchange, .words = words, .close = end};
static const hk_peer_ops iterated_ops = {.name = "FMU",
                                         .caps = HK_PEER_REPEATS,
                                         .exchange = exchange,
                                         .keep = keep,
                                         .back = back,
                                         .words = words,
                                         .close = end};

/* --- loading ---------------------------------------------------------------------------------- */

static hk_status refuse(const unit *u, const char *hint, const char *why) {
  return hki_error(u->ctx, HK_E_FILE, u->spec->loc, hint, "FMU '%s' (%s): %s", u->spec->name,
                   u->spec->file, why);
}

/* unpacked into a folder that only this user sees, and described */
static hk_status unpack(unit *u) {
  char *bytes = NULL, *xml = NULL;
  size_t len = 0;
  hk_archive a;
  const char *tmp = getenv("TMPDIR");
  hk_status st = hki_read_file(u->ctx, u->spec->file, u->spec->loc, HK_ARCHIVE_BYTES, &bytes, &len);
  if (st != HK_OK) return st;
  st = hki_archive_open(u->ctx, u->spec->file, bytes, len, &a);
  const hk_archive_entry *e = st == HK_OK ? hki_archive_find(&a, "modelDescription.xml") : NULL;
  if (st == HK_OK && !e) st = refuse(u, NULL, "it has no modelDescription.xml");
  if (st == HK_OK && e->size > most_description)
    st = refuse(u, NULL, "its description is larger than 100 MB");
  if (st == HK_OK) st = hki_archive_read(&a, e, &xml);
  if (st == HK_OK)
    st = hki_import_describe(u->ctx, u->pool, "modelDescription.xml", xml, (size_t)e->size,
                             &u->about);
  if (st == HK_OK) {
    snprintf(u->folder, sizeof u->folder, "%.1000s/hooke-fmu-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(u->folder)) {
      u->folder[0] = '\0';
      st = refuse(u, "TMPDIR names another folder", "no folder can be made for it");
    }
  }
  if (st == HK_OK) st = hki_archive_unpack(&a, u->folder);
  hki_free(u->ctx, xml);
  hki_archive_close(&a);
  hki_free(u->ctx, bytes);
  return st;
}

/* references of names, which must be real variables of this causality */
static hk_status find(unit *u, const char *what, int32_t n, const char **names,
                      const uint32_t **out) {
  uint32_t *refs = hki_pool_alloc(u->pool, ((size_t)n + 1) * sizeof *refs);
  if (!refs) return HK_E_MEMORY;
  for (int32_t i = 0; i < n; i++) {
    const hk_import_variable *v = NULL;
    hk_nearest near;
    hki_nearest_init(&near, names[i]);
    for (int32_t k = 0; k < u->about.n && !v; k++) {
      const bool fits =
          !strcmp(u->about.variables[k].causality, what) && u->about.variables[k].real;
      if (fits && !strcmp(u->about.variables[k].name, names[i])) v = &u->about.variables[k];
      if (fits) hki_nearest_try(&near, u->about.variables[k].name);
    }
    char words[300], hint[200] = "";
    const char *best = hki_nearest_result(&near);
    if (best) snprintf(hint, sizeof hint, "did you mean '%.150s'?", best);
    snprintf(words, sizeof words, "it has no real %s '%.200s'", what, names[i]);
    if (!v) return refuse(u, hint, words);
    refs[i] = v->reference;
  }
  *out = refs;
  return HK_OK;
}

static hk_status start(unit *u, const hk_sim *s) {
  const hk_spec_fmu *f = u->spec;
  hk_host_job *j = &u->job;
  const bool old = u->about.version == 2;
  *j = (hk_host_job){.name = f->name,
                     .token = u->about.token,
                     .version = u->about.version,
                     .value = f->value,
                     .end = s->end};
  j->nin = f->nin, j->nout = f->nout, j->npar = f->npar;
  hk_status st = find(u, "input", f->nin, f->in, &j->in);
  if (st == HK_OK) st = find(u, "output", f->nout, f->out, &j->out);
  if (st == HK_OK) st = find(u, "parameter", f->npar, f->par, &j->par);
  if (st == HK_OK && f->iterate && !u->about.saves)
    st = refuse(u, "coupling: explicit",
                "its state cannot be saved, so that it cannot be iterated with");
  if (st != HK_OK) return st;
  j->library = hki_pool_printf(u->pool, "%s/binaries/%s/%s.so", u->folder,
                               old ? "linux64" : "x86_64-linux", u->about.identifier);
  j->resources = hki_pool_printf(u->pool, "%s/resources", u->folder);
  u->before =
      hki_pool_alloc(u->pool, (2 * (size_t)f->nout + (size_t)f->nin + 2) * sizeof *u->before);
  if (!j->library || !j->resources || !u->before) return HK_E_MEMORY;
  if (access(j->library, R_OK) != 0)
    return refuse(u, NULL, "it has no program for this kind of machine");
  st = hki_host_start(&u->host, j, f->timeout);
  if (st == HK_OK) return HK_OK;
  return refuse(u, u->about.needs_tool ? "it needs the tool that made it, installed here" : NULL,
                u->host.words);
}

static hk_status link_up(hk_sim *s, unit *u) {
  const hk_spec_fmu *f = u->spec;
  int32_t *channels = hki_pool_alloc(u->pool, ((size_t)f->nin + 1) * sizeof *channels);
  int32_t *inputs = hki_pool_alloc(u->pool, ((size_t)f->nout + 1) * sizeof *inputs);
  if (!channels || !inputs) return HK_E_MEMORY;
  for (int32_t i = 0; i < f->nin; i++)
    if ((channels[i] = hk_sim_channel_handle(s, f->channel[i])) < 0) return HK_E_USAGE;
  for (int32_t i = 0; i < f->nout; i++)
    if ((inputs[i] = hk_sim_input_find(s, f->input[i])) < 0) return HK_E_USAGE;
  for (int32_t i = 0; i < f->nout; i++)
    if (s->m->spec->signals[s->inputs[inputs[i]]].places)
      return refuse(u, "let it drive a force or a prescribed rate",
                    "a prescribed position follows an input that it sets, and would jump");
  const hk_peer_link link = {.ops = f->iterate   ? &iterated_ops
                                    : f->sampled ? &sampled_ops
                                                 : &explicit_ops,
                             .peer = u,
                             .coupling = f->iterate ? HK_COUPLE_TIGHT : HK_COUPLE_PREVIOUS,
                             .nout = f->nin,
                             .nin = f->nout,
                             .channels = channels,
                             .inputs = inputs};
  return hki_sim_add_peer(s, &link);
}

static hk_status attach_one(hk_sim *s, const hk_spec_fmu *f) {
  hk_pool *pool = hki_pool_create(s->ctx);
  unit *u = pool ? hki_pool_alloc(pool, sizeof *u) : NULL;
  if (!u) return hki_pool_destroy(pool), HK_E_MEMORY;
  *u = (unit){.ctx = s->ctx, .pool = pool, .spec = f, .at = NAN, .host = {.fd = -1}};
  hk_status st = unpack(u);
  if (st == HK_OK) st = start(u, s);
  if (st == HK_OK) st = link_up(s, u);
  if (st != HK_OK) end(u);
  return st;
}

static hk_status attach(hk_sim *s) {
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < s->m->spec->nfmus; i++)
    st = attach_one(s, &s->m->spec->fmus[i]);
  return st;
}

static const hk_peers_ops ops = {attach};

hk_status hk_fmu_allow(hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_fmu_allow", "no context");
  if (hki_extend_count(ctx, HK_EXTEND_PEERS)) return HK_OK;
  return hki_extend_add(ctx, HK_EXTEND_PEERS, &ops) ? HK_OK : HK_E_MEMORY;
}
