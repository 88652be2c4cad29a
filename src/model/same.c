/* SPDX-License-Identifier: Apache-2.0
 *
 * same.c: a model with other values of its parameters, and whether a run can go on with it. A run can
 * where its state has the same meaning in both: the same bodies, joints, forces, nodes and signals that
 * remember, in the same tree, cut at the same joints. All other numbers may differ.
 */
#include <stdio.h>

#include "model/model.h"

/* --- the model with other parameters -------------------------------------------------------------- */

/* a file beside the main one that is another one now, NULL: none */
static const char *changed_file(const hk_spec *a, const hk_spec *b) {
  for (int32_t i = 0; i < a->nfiles && i < b->nfiles; i++)
    if (strcmp(a->files[i].path, b->files[i].path) == 0 && a->files[i].hash != b->files[i].hash)
      return a->files[i].path;
  return NULL;
}

hk_model *hki_model_vary(const hk_model *m, hk_ctx *ctx, const hk_set *sets, int32_t nsets) {
  if (!m->spec->again) {
    hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "the model has no text to be read again");
    return NULL;
  }
  const bool muted = hki_ctx_mute(ctx, true);
  hk_spec *spec = m->spec->again(ctx, m->spec, sets, nsets);
  const char *file = spec ? changed_file(m->spec, spec) : NULL;
  if (file) {
    hki_error(ctx, HK_E_FILE, HK_LOC_NONE, "load the model anew",
              "the file '%s' has changed since the model was read", file);
    hki_spec_destroy(spec);
    spec = NULL;
  }
  hk_model *out = hki_model_compile(spec);
  hki_ctx_mute(ctx, muted);
  return out;
}

/* --- the same shape ------------------------------------------------------------------------------- */

typedef struct comparison {
  const hk_model *a, *b;
  char *what;
  size_t cap;
} comparison;

static bool counts(comparison *c) {
  const hk_model *a = c->a, *b = c->b;
  const hk_spec *sa = a->spec, *sb = b->spec;
  const struct {
    const char *what;
    int32_t a, b;
  } n[] = {{"bodies", a->nb, b->nb},
           {"joints", sa->njoints - sa->nhidden, sb->njoints - sb->nhidden},
           {"forces and network elements", a->nf, b->nf},
           {"elements of beams", a->nwide, b->nwide},
           {"nodes", sa->nnodes, sb->nnodes},
           {"signals", sa->nsignals, sb->nsignals},
           {"parts of events", sa->nevents, sb->nevents},
           {"parameters", sa->nparameters, sb->nparameters},
           {"coordinates", a->nv, b->nv},
           {"constraint rows", a->nrows, b->nrows},
           {"constraints", a->nc, b->nc},
           {"unknowns of networks", a->nx, b->nx},
           {"held nodes", a->nheld, b->nheld},
           {"private states of forces", a->nz, b->nz},
           {"discrete data of forces", a->nd, b->nd},
           {"normal forces of friction", a->nnormal, b->nnormal},
           {"rigid stops", a->nstops, b->nstops},
           {"joints held by friction", a->nsticks, b->nsticks},
           {"rows that bind velocities", a->nrate, b->nrate},
           {"coordinates that are measured", a->nturn, b->nturn},
           {"markers that events move", a->nremark, b->nremark},
           {"stored values of rows", a->nlock, b->nlock},
           {"joints with hidden coordinates", a->nj, b->nj},
           {"scalar coordinates", a->ns, b->ns}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(n); i++) {
    if (n[i].a == n[i].b) continue;
    snprintf(c->what, c->cap, "the number of %s would be %d, and is %d", n[i].what, (int)n[i].b,
             (int)n[i].a);
    return false;
  }
  return true;
}

/* says that a thing differs; always false */
static bool differs(comparison *c, const char *kind, const char *name, const char *how) {
  snprintf(c->what, c->cap, "%s '%s' %s", kind, name, how);
  return false;
}

static bool bodies(comparison *c) {
  for (int32_t i = 0; i < c->a->nb; i++) {
    const hk_model_body *a = &c->a->bodies[i], *b = &c->b->bodies[i];
    const char *name = c->a->spec->bodies[a->spec].name;
    if (strcmp(name, c->b->spec->bodies[b->spec].name) != 0)
      return differs(c, "body", name, "would have another place in the tree");
    if (a->parent != b->parent || a->joint != b->joint || strcmp(a->ops->name, b->ops->name) != 0 ||
        a->reversed != b->reversed)
      return differs(c, "body", name, "would be led by another joint");
    if (a->massless != b->massless)
      return differs(c, "body", name, b->massless ? "would lose its mass" : "would get mass");
    if (a->spin_removed != b->spin_removed || a->point != b->point)
      return differs(c, "body", name, "would get or lose a rotation without inertia");
  }
  return true;
}

static bool joints(comparison *c) {
  for (int32_t i = 0; i < c->a->nj; i++) {
    const hk_spec_joint *a = &c->a->spec->joints[i], *b = &c->b->spec->joints[i];
    const hk_model_joint *ma = &c->a->joints[i], *mb = &c->b->joints[i];
    if (strcmp(a->name, b->name) != 0 || strcmp(a->ops->name, b->ops->name) != 0)
      return differs(c, "joint", a->name, "would be another one");
    if (ma->mbody[0] != mb->mbody[0] || ma->mbody[1] != mb->mbody[1])
      return differs(c, "joint", a->name, "would join other bodies");
    if (ma->body != mb->body || ma->closure != mb->closure)
      return differs(c, "joint", a->name, "would be cut, or not be cut any more");
    if (ma->motion0 != mb->motion0 || ma->nmotion != mb->nmotion || ma->lock0 != mb->lock0 ||
        ma->nlock != mb->nlock || ma->turned != mb->turned)
      return differs(c, "joint", a->name, "would have other motions or locks");
  }
  return true;
}

static bool closures(comparison *c) {
  for (int32_t i = 0; i < c->a->nc; i++) {
    const hk_closure *a = &c->a->closures[i], *b = &c->b->closures[i];
    if (a->kind != b->kind || a->role != b->role || a->joint != b->joint || a->nrows != b->nrows ||
        memcmp(a->rows, b->rows, sizeof a->rows) != 0 || a->rate_rows != b->rate_rows ||
        a->remark != b->remark || a->lock != b->lock || a->scalar != b->scalar)
      return differs(c, "joint", c->a->spec->joints[a->joint].name, "would have other constraints");
  }
  return true;
}

static bool forces(comparison *c) {
  for (int32_t i = 0; i < c->a->nf; i++) {
    const hk_model_force *a = &c->a->forces[i], *b = &c->b->forces[i];
    const char *name = c->a->spec->forces[a->spec].name;
    if (strcmp(name, c->b->spec->forces[b->spec].name) != 0 ||
        strcmp(a->ops->name, b->ops->name) != 0)
      return differs(c, "the force", name, "would be another one");
    if (a->d0 != b->d0 || a->nd != b->nd || a->z0 != b->z0 || a->nz != b->nz)
      return differs(c, "the force", name, "would remember other things");
    if (memcmp(a->x, b->x, sizeof a->x) != 0)
      return differs(c, "the force", name, "would be between other nodes");
  }
  return true;
}

/* what a signal remembers: its kind and how many numbers, 0: nothing */
static int32_t memory_of(const hk_spec_signal *s) { return s->memory ? 1 + s->memory->fn : 0; }

static bool signals(comparison *c) {
  for (int32_t i = 0; i < c->a->spec->nsignals; i++) {
    const hk_spec_signal *a = &c->a->spec->signals[i], *b = &c->b->spec->signals[i];
    const int32_t na = a->memory ? hki_memory_size(a->memory) : 0;
    const int32_t nb = b->memory ? hki_memory_size(b->memory) : 0;
    if (strcmp(a->name, b->name) != 0 || memory_of(a) != memory_of(b) || na != nb ||
        (a->kind == HK_SIGNAL_TRAVEL) != (b->kind == HK_SIGNAL_TRAVEL))
      return differs(c, "signal", a->name, "would remember other things");
  }
  return true;
}

static bool parameters(comparison *c) {
  for (int32_t i = 0; i < c->a->spec->nparameters; i++) {
    const char *name = c->a->spec->parameters[i].name;
    if (strcmp(name, c->b->spec->parameters[i].name) != 0)
      return differs(c, "parameter", name, "would be another one");
  }
  return true;
}

bool hki_model_same_shape(const hk_model *a, const hk_model *b, char *what, size_t cap) {
  comparison c = {a, b, what, cap};
  what[0] = '\0';
  return counts(&c) && bodies(&c) && joints(&c) && closures(&c) && forces(&c) && signals(&c) &&
         parameters(&c);
}

/* --- the same places ------------------------------------------------------------------------------ */

static bool same_offset(const hk_offset *a, const hk_offset *b) {
  return memcmp(a->R, b->R, sizeof a->R) == 0 && memcmp(a->p, b->p, sizeof a->p) == 0;
}

bool hki_model_same_places(const hk_model *a, const hk_model *b) {
  for (int32_t i = 0; i < a->nb; i++)
    if (memcmp(a->bodies[i].com0, b->bodies[i].com0, sizeof a->bodies[i].com0) != 0 ||
        !same_offset(&a->bodies[i].on_parent, &b->bodies[i].on_parent) ||
        !same_offset(&a->bodies[i].on_child, &b->bodies[i].on_child))
      return false;
  for (int32_t i = 0; i < a->nj; i++)
    if (hki_joint_hash(&a->spec->joints[i]) != hki_joint_hash(&b->spec->joints[i])) return false;
  return true;
}
