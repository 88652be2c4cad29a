/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shell_loads.c: what holds and loads a shell or a membrane, written as a model file would write it.
 *
 *   clamp    a joint NAME_SET_NODE between each node of a set and a body
 *   loads    forces NAME_LOAD_NODE at the nodes: of a force per area the integral of N_i, of one per length of a side half
 *            of the lengths beside the node
 */
#include <stdio.h>
#include <string.h>

#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_hold[] = {
    ROW("body", HK_P_BODY, HK_P_REQUIRED, "body that the nodes are held by"),
    ROW("type", HK_P_TEXT, 0, "type of the joint at each node; left out: it is fixed"),
    ROW("axis", HK_P_AXIS, 0, "axis of the joint, of types that have one"),
    ROW("normal", HK_P_AXIS, 0, "of 'planar': normal of the plane in which the nodes stay, as in a plane of symmetry"),
    ROW("locked", HK_P_ANY, 0, "of 'general': what is locked, as [x, rz]"),
    HK_PARAM_END};

const hk_param hki_keys_shell_load[] = {
    ROW("on", HK_P_TEXT, 0, "side or group of nodes on which it acts, per length; left out: the whole surface, per area"),
    ROW("force", HK_P_ANY, 0, "force, three components, N/m^2, on a side N/m: numbers, expressions or signals"),
    ROW("moment", HK_P_ANY, 0, "moment on a side, three components, N; shells alone"),
    CHOICE("axes", "world section", "axes of the components: world (default), or section: they turn with the nodes, z along the normal"),
    HK_PARAM_END};
/* clang-format on */

/* "plate.3.4", or with '_' for names that have no dots */
static const char *node_name(hk_reader *rd, const hk_rd_mesh *m, int32_t i, char dot) {
  if (m->row[i] < 0) return hki_pool_printf(rd->pool, "%d", (int)m->number[i]);
  return hki_pool_printf(rd->pool, "%d%c%d", (int)m->row[i], dot, (int)m->number[i]);
}

/* place of a node in the axes of the scope */
static void local(const hk_rd_scope *s, const hk_rd_mesh *m, int32_t i, double *p) {
  double d[3];
  v3_sub(d, m->p + (ptrdiff_t)3 * i, s->map.p);
  m3_tmulv(p, s->map.S, d);
}

/* --- clamp ------------------------------------------------------------------------------------ */

/* one entry of `clamp` */
typedef struct hold {
  const hk_entry *e;
  const char *body, *type; /* type NULL: it is fixed */
  const hk_joint_ops *ops; /* NULL: fixed, or no such type, which will be said */
  const hk_entry *keys[3]; /* of the joint; NULL: no more */
  const hk_node *list;     /* what is locked, of types that say so by a list; NULL: no such list */
  const hk_rd_set *set;
} hold;

/* what holds a node so far */
typedef struct node_hold {
  char kind;        /* 'f': all of it, 'b': its place */
  uint8_t locked;   /* bit k: motion k, by joints with a list, all on this body: */
  const char *body; /* NULL: none yet */
} node_hold;

/* does a joint hold the place of a node, and its axes too? NULL: the one that fixes all. One that has only some of its rows
 * does not. */
static bool holds_place(const hk_joint_ops *ops) { return !ops || ops->caps & HK_JOINT_POINT; }
static bool holds_all(const hk_joint_ops *ops) { return !ops || (ops->nc == 6 && !ops->present); }

/* number of the motion that an item of a list names; -1: none, which will be said */
static int32_t motion_of(const hk_joint_ops *ops, const hk_node *item) {
  const char *word = hki_node_text(item), *at = ops->coords;
  for (int32_t k = 0; word && *at; k++) {
    const size_t n = strcspn(at, " ");
    if (strlen(word) == n && strncmp(word, at, n) == 0) return k;
    at += n + strspn(at + n, " ");
  }
  return -1;
}

/* Motions of the list that nothing locks at a node yet, in *rest; true: it is the whole list, or one with mistakes. A corner of two
 * sides would hold twice what both lock. */
static bool not_yet(const hold *h, const node_hold *at, uint32_t *rest) {
  bool whole = true;
  *rest = 0;
  for (int32_t i = 0; h->list && i < h->list->count; i++) {
    const int32_t k = motion_of(h->ops, h->list->items[i]);
    const bool twice = k >= 0 && at->body && strcmp(at->body, h->body) == 0 && at->locked >> k & 1u;
    if (k < 0) return true;
    if (twice) whole = false;
    if (!twice) *rest |= 1u << k;
  }
  return whole;
}

static bool read_hold(hk_reader *rd, const hk_rd_mesh *m, const hk_entry *e, hold *out) {
  static const hk_param *const tables[] = {hki_keys_hold, NULL};
  static const char *const keys[] = {"axis", "normal", "locked"};
  const hk_node *v = e->value, *body = v;
  *out = (hold){.e = e};
  if (v->kind == HK_NODE_MAPPING) {
    const char *what = hki_pool_printf(rd->pool, "'%s' under 'clamp' of %s", e->key, m->kind);
    if (!what || !hki_rd_check_keys(rd, v, tables, what, m->owner)) return false;
    body = hki_node_get(v, "body");
    const hk_node *type = hki_node_get(v, "type");
    if (type && !(out->type = hki_node_text(type))) out->type = "";
    for (int32_t k = 0, n = 0; k < HK_ARRAY_LEN(keys); k++)
      if (hki_node_find(v, keys[k])) out->keys[n++] = hki_node_find(v, keys[k]);
    if (!body) return false; // said
  }
  out->body = hki_node_text(body);
  if (!out->body) {
    hki_rd_error(rd, body->loc, "ground, or the name of a body; or {body: ground, type: ball}",
                 "'%s' under 'clamp' of %s '%s' must be a body", e->key, m->kind, m->owner);
    return false;
  }
  // points have no rotation: a ball holds all of them, and fixed ones have no coordinates at all
  out->ops = out->type ? hki_joint_known(rd->ctx, out->type) : NULL;
  const hk_node *list = out->type ? hki_node_get(v, "locked") : NULL;
  if (list && list->kind == HK_NODE_SEQUENCE && out->ops && out->ops->caps & HK_JOINT_LOCKED)
    out->list = list;
  if (out->ops && m->points && holds_place(out->ops)) out->ops = NULL, out->type = NULL;
  return (out->set = hki_rd_mesh_set(rd, m, e->key, e->key_loc)) != NULL;
}

/* "locked: [x, rz]" of motions by their bits */
static void print_locked(hk_text *text, const hk_joint_ops *ops, uint32_t bits) {
  const char *at = ops->coords;
  hki_text_printf(text, "locked: [");
  for (int32_t k = 0; *at; k++) {
    const size_t n = strcspn(at, " ");
    if (bits >> k & 1u) hki_text_printf(text, "%.*s, ", (int)n, at);
    at += n + strspn(at + n, " ");
  }
  hki_text_printf(text, "]\n");
}

/* the joint at node i; some: of its list these motions alone, 0: all */
static bool add_joint(hk_reader *rd, hk_rd_scope *s, const hk_rd_mesh *m, const hold *h, int32_t i,
                      uint32_t some) {
  double p[3];
  hk_text text;
  int32_t n = 0;
  local(s, m, i, p);
  hki_text_init(&text, rd->ctx);
  hki_text_printf(&text, h->type ? "type: %s\n" : "type: fixed\n", h->type);
  hki_text_printf(&text, "between: [%s, %s.%s]\nat: [%.17g, %.17g, %.17g]\n", h->body, m->owner,
                  node_name(rd, m, i, '.'), p[0], p[1], p[2]);
  if (some) print_locked(&text, h->ops, some);
  while (!some && n < HK_ARRAY_LEN(h->keys) && h->keys[n])
    hki_text_printf(&text, "%s: 0\n", h->keys[n++]->key);
  const char *name =
      hki_pool_printf(rd->pool, "%s_%s_%s", m->owner, h->e->key, node_name(rd, m, i, '_'));
  hk_entry *e = name ? hki_rd_part(rd, name, h->e->value->loc, &text) : NULL;
  if (!e) return false;
  for (int32_t k = 0; k < n; k++)
    e->value->entries[e->value->count - n + k].value = h->keys[k]->value;
  rd->family = h->e; // one message for all of them
  return hki_rd_joint_add(rd, s, e);
}

/* Joints of all nodes of a set. Corners belong to two sides: what is fixed needs nothing else, what a ball holds no other ball, and
 * what is locked is not locked again. */
static bool hold_set(hk_reader *rd, hk_rd_scope *s, const hk_rd_mesh *m, const hold *h,
                     node_hold *held) {
  const bool fixed = !h->type || (h->ops && holds_all(h->ops));
  const bool ball = !fixed && h->ops && holds_place(h->ops) && h->ops->nc == 3;
  for (int32_t i = 0; i < h->set->n; i++) {
    node_hold *at = &held[h->set->node[i]];
    uint32_t rest;
    if (at->kind == 'f' || (ball && at->kind == 'b')) continue;
    const bool whole = not_yet(h, at, &rest);
    if (!whole && !rest) continue;
    const bool ok = add_joint(rd, s, m, h, h->set->node[i], whole ? 0 : rest);
    rd->family = NULL;
    if (!ok) return false;
    if (fixed || ball) at->kind = fixed ? 'f' : 'b';
    if (!h->list || (at->body && strcmp(at->body, h->body) != 0)) continue;
    at->body = h->body;
    at->locked |= (uint8_t)rest;
  }
  return true;
}

bool hki_rd_shell_clamp(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                        const hk_rd_mesh *mesh) {
  const hk_node *clamp = hki_node_get(node, "clamp");
  char found[64];
  if (!clamp) return true;
  if (clamp->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, clamp->loc, "clamp: {u_start: ground}",
                 "'clamp' of %s '%s' must be a mapping of sets of nodes, found %s", mesh->kind,
                 mesh->owner, hki_node_describe(clamp, found, sizeof found));
    return false;
  }
  node_hold *held = hki_pool_alloc(rd->pool, ((size_t)mesh->nnode + 1) * sizeof *held);
  hold *all = hki_pool_alloc(rd->pool, (size_t)(clamp->count + 1) * sizeof *all);
  if (!held || !all) return false;
  for (int32_t k = 0; k < clamp->count; k++)
    if (!read_hold(rd, mesh, &clamp->entries[k], &all[k])) return false;
  // what fixes all comes first
  for (int pass = 0; pass < 2; pass++)
    for (int32_t k = 0; k < clamp->count; k++) {
      const bool fixed = !all[k].type || (all[k].ops && holds_all(all[k].ops));
      if (fixed == (pass == 0) && !hold_set(rd, s, mesh, &all[k], held)) return false;
    }
  return true;
}

/* --- pressure --------------------------------------------------------------------------------- */

void hki_rd_pressure(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t force) {
  hk_spec *spec = rd->spec;
  const hk_spec_force *f = &spec->forces[force];
  const hk_node *v = hki_node_get(node, "surface");
  const char *own = v ? hki_node_text(v) : NULL, *name = own ? hki_rd_full_name(rd, s, own) : NULL;
  const hk_spec_group *g = NULL;
  for (int32_t i = 0; name && i < spec->ngroups; i++)
    if (spec->groups[i].quad && strcmp(spec->groups[i].name, name) == 0) g = &spec->groups[i];
  if (!v) return; // said
  // a surface with errors is not there, and that was said
  if (!g && hki_error_count(rd->ctx) > rd->errors0) return;
  if (!g) {
    hki_rd_error(rd, v->loc, "the name of a shell or a membrane",
                 "pressure '%s' acts on '%.100s', which is no surface", f->name, own ? own : "");
    return;
  }
  double *none = hki_pool_alloc(spec->pool, f->ops->wide->par_size);
  for (int32_t i = 0; none && i < g->nwide; i++) {
    const char *part = hki_pool_printf(spec->pool, "%s.%d", f->name, (int)i + 1);
    if (!part || !HK_GROW(rd->ctx, spec->wide, rd->wide_cap, spec->nwide + 1)) return;
    const hk_spec_wide *e = &spec->wide[g->wide0 + i];
    spec->wide[spec->nwide++] =
        (hk_spec_wide){part, f->loc, f->ops->wide, none, e->nmark, e->body, e->marker, force + 1};
  }
}

/* --- loads ------------------------------------------------------------------------------------ */

static bool read_load(hk_reader *rd, hk_rd_scope *s, const hk_rd_mesh *m, const hk_entry *e,
                      double *share) {
  static const hk_param *const tables[] = {hki_keys_shell_load, NULL};
  static const char *const keys[] = {"force", "moment"};
  const char *what = hki_pool_printf(rd->pool, "load '%.60s' of %s", e->key, m->kind);
  int32_t axes = 0;
  if (!what || !hki_rd_good_name(rd, "load", e->key, e->key_loc, false) ||
      !hki_rd_check_keys(rd, e->value, tables, what, m->owner))
    return false;
  const hk_node *on = hki_node_get(e->value, "on"), *choice = hki_node_get(e->value, "axes");
  const char *side = on ? hki_node_text(on) : NULL;
  if (choice && !hki_rd_choice(rd, choice, "axes", "world section", &axes)) return false;
  if (!hki_node_get(e->value, "force") && !hki_node_get(e->value, "moment")) {
    hki_rd_error(rd, e->value->loc, "{force: [0, 0, -50]}",
                 "%s '%s' has neither 'force' nor 'moment'", what, m->owner);
    return false;
  }
  if (!on) {
    memcpy(share, m->area, (size_t)m->nnode * sizeof *share);
  } else {
    const hk_rd_set *set = hki_rd_mesh_set(rd, m, side ? side : "", on->loc);
    if (!set) return false;
    memset(share, 0, (size_t)m->nnode * sizeof *share);
    for (int32_t i = 0; i < set->nside; i++) {
      const int32_t a = set->side[2 * i], b = set->side[2 * i + 1];
      double d[3];
      v3_sub(d, m->p + (ptrdiff_t)3 * b, m->p + (ptrdiff_t)3 * a);
      share[a] += 0.5 * v3_norm(d), share[b] += 0.5 * v3_norm(d);
    }
  }
  const hk_rd_push push = {rd, s, e, m->kind, m->owner, axes == 1};
  for (int k = 0; k < 2; k++) {
    const hk_node *v = hki_node_get(e->value, keys[k]);
    for (int32_t i = 0; v && i < m->nnode; i++) {
      double p[3];
      local(s, m, i, p);
      if (share[i] == 0.0) continue;
      rd->family = e;
      const bool ok = hki_rd_push(&push, v, keys[k], node_name(rd, m, i, '.'),
                                  node_name(rd, m, i, '_'), p, share[i]);
      rd->family = NULL;
      if (!ok) return false;
    }
  }
  return true;
}

bool hki_rd_shell_loads(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                        const hk_rd_mesh *mesh) {
  const hk_node *loads = hki_node_get(node, "loads");
  char found[64];
  if (!loads) return true;
  if (loads->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, loads->loc, "loads: {wind: {force: [0, 0, -50]}}",
                 "'loads' of %s '%s' must be a mapping of names, found %s", mesh->kind, mesh->owner,
                 hki_node_describe(loads, found, sizeof found));
    return false;
  }
  double *share = hki_pool_alloc(rd->pool, (size_t)(mesh->nnode + 1) * sizeof *share);
  for (int32_t i = 0; share && i < loads->count; i++)
    if (!read_load(rd, s, mesh, &loads->entries[i], share)) return false;
  return share != NULL;
}
