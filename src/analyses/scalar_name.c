/* SPDX-License-Identifier: Apache-2.0
 *
 * scalar_name.c: joint coordinates by their names (range.h).
 */
#include "analyses/range.h"

/* "joint.NAME.coord" of the joint `name` from `from` on: its scalar; HK_NONE: it has no such coordinate */
static int32_t coord_of(const hk_model *m, int32_t joint, const char *from) {
  const hk_joint_ops *ops = m->spec->joints[joint].ops;
  for (int32_t k = 0; k < ops->ns; k++) {
    int n;
    const char *word = hki_word(ops->coords, k, &n);
    if (strncmp(from, word, (size_t)n) == 0 && !from[n]) return m->joints[joint].scalar0 + k;
  }
  return HK_NONE;
}

int32_t hki_scalar_search(const hk_model *m, const char *text, const hk_spec_joint **like) {
  const char *name = strncmp(text, "joint.", 6) == 0 ? text + 6 : text;
  *like = NULL; // its name is all of the text, or the text before a point
  for (int32_t j = 0; j < m->spec->njoints; j++) {
    const hk_spec_joint *joint = &m->spec->joints[j];
    const size_t length = strlen(joint->name);
    if (strncmp(name, joint->name, length) != 0 || (name[length] && name[length] != '.')) continue;
    if (!name[length] && joint->ops->ns == 1) return m->joints[j].scalar0;
    const int32_t found = name[length] ? coord_of(m, j, name + length + 1) : HK_NONE;
    if (found != HK_NONE) return found;
    // an instance may have the name of a joint: go on
    if (!*like || !name[length]) *like = joint;
  }
  return HK_NONE;
}

hk_status hki_scalar_missing(hk_ctx *ctx, const char *text, const hk_spec_joint *like,
                             const char *use) {
  const char *name = strncmp(text, "joint.", 6) == 0 ? text + 6 : text;
  if (!like)
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "there is no joint for the %s '%s'", use,
                     text);
  if (strcmp(name, like->name) == 0)
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "name one of them: joint.NAME.coordinate",
                     "joint '%s' has %d coordinates, not one", like->name, (int)like->ops->ns);
  return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "see 'hooke info' for the joint's coordinates",
                   "there is no coordinate '%s' for the %s", text, use);
}

const char *hki_scalar_channel(const hk_model *m, hk_pool *pool, int32_t scalar) {
  const hk_scalar *x = &m->scalars[scalar];
  const hk_spec_joint *joint = &m->spec->joints[x->joint];
  int n;
  const char *word = hki_word(joint->ops->coords, x->coord, &n);
  return hki_pool_printf(pool, "joint.%s.%.*s", joint->name, n, word);
}

int32_t hki_scalar_motion(const hk_model *m, int32_t scalar) {
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (cl->kind == HK_CLOSURE_COORD && cl->scalar == scalar && cl->role == HK_ROLE_MOTION)
      return c;
  }
  return HK_NONE;
}
