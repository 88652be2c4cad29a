/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_joint_friction.c: `friction:` of a joint. It becomes a force `JOINT.friction` on each
 * coordinate that slides by itself (elements/joint_friction.c), whose input is the joint's own
 * reaction.
 */
#include "elements/joint_friction.h"
#include "language/reader.h"

#include <math.h>
#include <stdio.h>

/* slip over the rate of a coordinate; false after reporting */
static bool find_arm(hk_reader *rd, const hk_node *node, const hk_spec_joint *j, int32_t k,
                     hk_joint_friction_par *par) {
  par->arm = hki_scalar_is_length(j->ops->scalars[k]) ? 1.0 : par->radius;
  if (!isnan(par->arm)) return true;
  hki_rd_error(rd, node->loc, "radius: 0.01, where the surfaces slide",
               "friction of joint '%s' must have 'radius', since the joint turns", j->name);
  return false;
}

/* the thermal node that takes the loss */
static bool find_node(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *joint,
                      int32_t *node) {
  *node = hki_rd_node(rd, s, v, "heats");
  if (*node < 0) return false;
  if (rd->spec->nodes[*node].domain == HK_DOMAIN_THERMAL) return true;
  hki_rd_error(rd, v->loc, NULL, "friction of joint '%s' heats a thermal node; '%s' is of type %s",
               joint, v->text, hki_domain_infos[rd->spec->nodes[*node].domain].name);
  return false;
}

/* a force on coordinate k of joint i */
static bool add(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i, int32_t k,
                int32_t heats, const hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[i];
  const hk_element_ops *ops = hki_joint_friction_ops(heats != HK_NONE);
  char name[600];
  snprintf(name, sizeof name, j->ops->friction.scalars == 1u ? "%s.friction" : "%s.friction.%c",
           j->name, "abcdef"[k]);
  const int32_t f = hki_rd_force_add(rd, s, name, node->loc, ops);
  if (f == HK_NONE) return false;
  hk_spec_force *force = &rd->spec->forces[f];
  *(hk_joint_friction_par *)force->par = *par;
  force->joint = i, force->coord = k;
  force->normal = true;
  if (heats != HK_NONE) force->node[0] = heats;
  return true;
}

void hki_rd_joint_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  const hk_spec_joint *j = &rd->spec->joints[i];
  const hk_param *more = hki_joint_friction_params;
  int32_t heats = HK_NONE;
  hk_joint_friction_par par = {0};
  if (!j->ops->friction.press) {
    hki_rd_error(rd, node->loc, "'hooke info JOINT' says which joints can",
                 "a %s joint has no friction", j->ops->name);
    return;
  }
  const hk_friction *law = hki_rd_friction(rd, s, node, more, "friction of joint", j->name);
  if (!law) return;
  hki_joint_friction_law(&par, law);
  for (const hk_param *p = more; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    if (p->type == HK_P_NODE && v && !find_node(rd, s, v, j->name, &heats)) return;
    if (p->type == HK_P_NODE) continue;
    double *x = (double *)(void *)((char *)&par + p->offset);
    *x = p->def;
    if (v && !hki_rd_ranged(rd, s, v, p, x)) return;
  }
  for (int32_t k = 0; k < j->ops->ns; k++) {
    if (!(j->ops->friction.scalars >> k & 1u)) continue;
    if (!find_arm(rd, node, j, k, &par) || !add(rd, s, node, i, k, heats, &par)) return;
  }
}
