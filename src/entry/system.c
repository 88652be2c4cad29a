/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c: what an FMU has in place of the files of the library that speak to the operating system or load
 * other libraries: standard C alone. An FMU writes no files and loads no modules; eigenvalues are not
 * found inside it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/context_impl.h"
#include "base/realtime.h"
#include "base/swap.h"
#include "linalg/arpack.h"
#include "linalg/lapack.h"
#include "modules/modules.h"
#include "simulation/external.h"
#include "simulation/live.h"
#include "simulation/realtime.h"
#include "simulation/streams.h"

/* --- files ------------------------------------------------------------------------------------ */

static hk_status cannot_read(hk_ctx *ctx, const char *path, hk_loc loc, FILE *f, char *text) {
  if (f) fclose(f);
  hki_free(ctx, text);
  return hki_error(ctx, HK_E_FILE, loc, NULL, "cannot read '%s'", path);
}

hk_status hki_read_file(hk_ctx *ctx, const char *path, hk_loc loc, size_t max, char **out,
                        size_t *len) {
  const hk_file_copy *held = ctx ? hki_file_find(ctx, path) : NULL;
  *out = NULL;
  if (held) return hki_file_get(ctx, held, out, len);
  // a model reads what its FMU holds and nothing else
  if (ctx && hki_file_copies(ctx))
    return hki_error(ctx, HK_E_FILE, loc, NULL, "'%s' is not inside the FMU", path);
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t n = 0, cap = 0;
  for (size_t got = 1; f && got > 0; n += got) {
    if (n + 1 >= cap) {
      cap += cap / 2 + 65536;
      char *more = cap <= max + 131072 ? hki_realloc(ctx, text, cap) : NULL;
      if (!more) return cannot_read(ctx, path, loc, f, text);
      text = more;
    }
    got = fread(text + n, 1, cap - 1 - n, f);
  }
  if (!f || ferror(f) || n > max) return cannot_read(ctx, path, loc, f, text);
  fclose(f);
  text[n] = '\0';
  *out = text;
  if (len) *len = n;
  return HK_OK;
}

/* files in memory have no links */
bool hki_file_inside(const char *path, size_t folder) {
  (void)path, (void)folder;
  return true;
}

hk_status hki_write_file(hk_ctx *ctx, const char *path, const hk_piece *piece, int32_t n) {
  (void)piece, (void)n;
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "an FMU does not write '%s'", path);
}

hk_status hki_sim_save(hk_sim *s, const char *path) {
  return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "an FMU does not write '%s'", path);
}

hk_status hki_sim_load(hk_sim *s, const char *path) {
  return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "an FMU does not read '%s'", path);
}

/* --- clocks and memory ------------------------------------------------------------------------ */

double hki_cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

int64_t hki_now(void) { return (int64_t)(1e9 * hki_cpu_seconds()); }

/* it is not known; what cannot be had is refused when it is asked for */
double hki_memory_left(void) { return INFINITY; }

/* --- what is left out -------------------------------------------------------------------------- */

hk_status hki_module_need(hk_ctx *ctx, hk_loc loc, const char *name, const char *folder) {
  (void)folder;
  return hki_error(ctx, HK_E_MODEL, loc, NULL, "the module '%s' is not inside the FMU", name);
}

hk_status hki_eigen(hk_ctx *ctx, int32_t n, double *A, double *re, double *im, double *left,
                    double *right, char *why, size_t cap) {
  (void)ctx, (void)n, (void)A, (void)re, (void)im, (void)left, (void)right;
  snprintf(why, cap, "eigenvalues are not found inside an FMU");
  return HK_E_FILE;
}

hk_status hki_arnoldi(hk_ctx *ctx, int32_t n, int32_t want, hk_product *product, void *user,
                      const double *first, double *theta, double *X, int32_t *found, char *why,
                      size_t cap) {
  (void)ctx, (void)n, (void)want, (void)product, (void)user, (void)first, (void)theta, (void)X;
  *found = 0;
  snprintf(why, cap, "eigenvalues are not found inside an FMU");
  return HK_E_FILE;
}

void hki_streams_free(hk_sim *s) { (void)s; }

void hki_streams_json(const hk_sim *s, hk_text *t) { (void)s, (void)t; }

void hki_realtime_json(const hk_sim *s, hk_text *t) { (void)s, (void)t; }

void hki_external_json(const hk_sim *s, hk_text *t) { (void)s, (void)t; }

void hki_external_free(hk_sim *s) { (void)s; }

/* elements are evaluated by the caller alone */
hk_team *hki_team_create(hk_ctx *ctx, int32_t threads) {
  (void)ctx, (void)threads;
  return NULL;
}

int32_t hki_team_size(const hk_team *t) {
  (void)t;
  return 1;
}

void hki_team_run(hk_team *t, hk_share *share, void *arg) {
  (void)t;
  share(arg, 0, 1);
}

void hki_team_end(hk_team *t) { (void)t; }
