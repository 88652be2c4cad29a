/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_flexible_mesh.c: a flexible body whose `data` is a mesh: it is reduced when the model is read, as `hooke reduce` does.
 * `modes` of the entry is then how many modes with fixed interfaces are found, beside the shapes of the interfaces.
 */
#include <math.h>
#include <string.h>

#include "flex/reduce.h"
#include "flex/source.h"
#include "language/reader_beams.h"
#include "language/reader_flexible.h"

static const char *const own_keys[] = {"material", "interfaces", "unit"};

bool hki_rd_flexible_is_body(const char *bytes, size_t len) {
  return len >= 3 && memcmp(bytes, "CDF", 3) == 0;
}

bool hki_rd_flexible_no_mesh(hk_reader *rd, const hk_entry *e) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(own_keys); i++) {
    const hk_node *v = hki_node_get(e->value, own_keys[i]);
    if (!v) continue;
    hki_rd_error(rd, v->loc, "give it to 'hooke reduce', or name the mesh here",
                 "'%s' of flexible body '%s' is for a mesh, but its data are reduced already",
                 own_keys[i], e->key);
    return false;
  }
  return true;
}

/* a text of the entry, NULL where it is not given; false: it is none */
static bool text_of(hk_reader *rd, const hk_entry *e, const char *key, const char **out,
                    uint64_t *digest) {
  const hk_node *v = hki_node_get(e->value, key);
  char found[64];
  *out = v ? hki_node_text(v) : NULL;
  if (v && !*out)
    hki_rd_error(rd, v->loc, NULL, "'%s' of flexible body '%s' must be a text, found %s", key,
                 e->key, hki_node_describe(v, found, sizeof found));
  if (*out) *digest = hki_hash(*out, strlen(*out), *digest);
  return !v || *out;
}

/* `material`: a text, or a map {group: text} that becomes one */
static bool material_of(hk_reader *rd, const hk_entry *e, const char **out, uint64_t *digest) {
  const hk_node *v = hki_node_get(e->value, own_keys[0]);
  hk_text all;
  if (!v || v->kind != HK_NODE_MAPPING) return text_of(rd, e, own_keys[0], out, digest);
  hki_text_init(&all, rd->ctx);
  for (int32_t i = 0; i < v->count; i++) {
    const char *text = hki_node_text(v->entries[i].value);
    if (!text) {
      hki_rd_error(rd, v->entries[i].value->loc, "{bush: aluminium, rest: steel}",
                   "the material of '%s' must be a text", v->entries[i].key);
      hki_text_free(&all);
      return false;
    }
    hki_text_printf(&all, "%s%s: %s", i ? "; " : "", v->entries[i].key, text);
  }
  *out = hki_pool_strdup(rd->pool, all.s ? all.s : "");
  hki_text_free(&all);
  if (*out) *digest = hki_hash(*out, strlen(*out), *digest);
  return *out != NULL;
}

/* the list of interfaces; how many, -1: it is none */
static int32_t faces_of(hk_reader *rd, const hk_entry *e, const char ***out, uint64_t *digest) {
  const hk_node *v = hki_node_get(e->value, "interfaces");
  const int32_t n = v && v->kind == HK_NODE_SEQUENCE ? v->count : 0;
  *out = hki_pool_alloc(rd->pool, ((size_t)n + 1) * sizeof **out);
  bool good = *out && (!v || v->kind == HK_NODE_SEQUENCE) && n <= 100;
  for (int32_t i = 0; good && i < n; i++) {
    (*out)[i] = hki_node_text(v->items[i]);
    good = (*out)[i] != NULL;
    if (good) *digest = hki_hash((*out)[i], strlen((*out)[i]), *digest);
  }
  if (good) return n;
  hki_rd_error(rd, v ? v->loc : e->key_loc, "interfaces: [big_end, small_end=SET]",
               "'interfaces' of flexible body '%s' must be a list of at most 100 texts", e->key);
  return -1;
}

bool hki_rd_flexible_mesh(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const char *path,
                          const char *bytes, size_t len, hk_flex *out, uint64_t *digest) {
  const hk_node *modes = hki_node_get(e->value, "modes");
  hk_fe_source source = {.path = path};
  hk_reduce_plan plan = {.modes = 10};
  const char **faces = NULL;
  double n = plan.modes;
  hk_fe fe;
  if (!material_of(rd, e, &source.material, digest) ||
      !text_of(rd, e, own_keys[2], &source.unit, digest))
    return false;
  const int32_t nface = faces_of(rd, e, &faces, digest);
  if (nface < 0) return false;
  if (modes && !hki_rd_key_real(rd, s, e->value, hki_keys_flexible, "modes", &n)) return false;
  plan.modes = (int32_t)n;
  hk_status st = hki_fe_parse(rd->ctx, e->key_loc, rd->pool, &source, bytes, len, &fe);
  if (st == HK_OK) st = hki_plan_faces(rd->ctx, e->key_loc, rd->pool, &fe, nface, faces, &plan);
  if (st == HK_OK) st = hki_reduce(rd->ctx, e->key_loc, rd->spec->pool, &fe, &plan, out);
  return st == HK_OK;
}
