/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_joint_friction.c: `friction:` of a joint. It becomes a force `JOINT.friction` on each
 * coordinate that slides by itself, or one for all motions that slide together
 * (elements/joint_friction.h), whose input is the joint's own reaction.
 */
#include "elements/joint_friction.h"
#include "language/reader.h"

#include <math.h>
#include <stdio.h>

/* a turning joint slides at a radius; false after reporting */
static bool need_radius(hk_reader *rd, const hk_node *node, const hk_spec_joint *j,
                        const hk_joint_friction_par *par) {
  if (!isnan(par->radius)) return true;
  hki_rd_error(rd, node->loc, "radius: 0.01, where the surfaces slide",
               "friction of joint '%s' must have 'radius', since the joint turns", j->name);
  return false;
}

/* slip over the rate of coordinate k, and torque over friction force */
static bool find_arm(hk_reader *rd, const hk_node *node, const hk_spec_joint *j, int32_t k,
                     hk_joint_friction_par *par) {
  const double lead = j->ops->friction.lead ? j->ops->friction.lead(j->par) : 0.0;
  par->arm = par->lever = 1.0;
  if (hki_scalar_is_length(j->ops->scalars[k])) return true;
  if (!need_radius(rd, node, j, par)) return false;
  par->lever = par->radius;
  par->arm = lead != 0.0 ? sqrt(par->radius * par->radius + lead * lead) : par->radius;
  return true;
}

/* motions that slide together, and their arms */
static bool find_motions(hk_reader *rd, const hk_node *node, const hk_spec_joint *j,
                         hk_joint_friction_par *par) {
  par->n = 0;
  for (uint8_t k = 0; k < 6; k++) {
    const bool turns = k < 3;
    if (!(j->ops->friction.slides >> k & 1u)) continue;
    if (turns && isnan(par->radius) && (j->ops->friction.spins >> k & 1u)) continue;
    if (turns && !need_radius(rd, node, j, par)) return false;
    par->motion[par->n] = k;
    par->arms[par->n++] = turns ? par->radius : 1.0;
  }
  return true;
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

bool hki_rd_rub_heats(hk_reader *rd, hk_rd_rub *r) {
  r->heat = hki_node_get(r->node, "heats");
  r->heats = HK_NONE;
  return !r->heat || find_node(rd, r->scope, r->heat, rd->spec->joints[r->joint].name, &r->heats);
}

/* a force of the joint, which its reaction or a stop presses; HK_NONE: reported */
static int32_t add(hk_reader *rd, const hk_rd_rub *r, const char *name, const hk_element_ops *ops,
                   const hk_joint_friction_par *par) {
  const int32_t f = hki_rd_force_add(rd, r->scope, name, r->node->loc, ops);
  if (f == HK_NONE) return f;
  hk_spec_force *force = &rd->spec->forces[f];
  *(hk_joint_friction_par *)force->par = *par;
  force->joint = r->joint;
  force->stopped = r->stopped;
  force->normal = r->pressed == HK_NONE;
  force->u_signal[HK_FRICTION_NORMAL] = r->pressed;
  return f;
}

bool hki_rd_rub_scalar(hk_reader *rd, const hk_rd_rub *r, const char *name, int32_t k,
                       const hk_joint_friction_par *par) {
  const bool heats = r->heats != HK_NONE;
  const int32_t f = add(rd, r, name, hki_joint_friction_ops(heats, par->exact), par);
  if (f == HK_NONE) return false;
  rd->spec->forces[f].coord = k;
  rd->spec->forces[f].sticks = par->exact;
  if (heats) rd->spec->forces[f].node[0] = r->heats;
  return true;
}

void hki_rd_rub_vector(hk_reader *rd, const hk_rd_rub *r, const char *name,
                       const hk_element_ops *ops, hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  hki_joint_friction_law(par, par->law.friction, par->n);
  const int32_t f = add(rd, r, name, ops, par);
  if (f == HK_NONE) return;
  for (int k = 0; k < 2; k++) {
    rd->spec->forces[f].body[k] = j->body[k];
    rd->spec->forces[f].marker[k] = j->marker[k];
  }
  const char *owner = rd->spec->forces[f].name;
  const hk_channel lost = {.kind = HK_CH_FORCE_DISSIPATION, .item = f};
  if (r->heat && hki_rd_heats_register(rd, r->scope, owner, r->node->loc))
    hki_rd_heats(rd, r->scope, r->heat, owner, lost);
}

/* a force on coordinate k */
static bool add_scalar(hk_reader *rd, const hk_rd_rub *r, int32_t k,
                       const hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  char name[600];
  snprintf(name, sizeof name, j->ops->friction.scalars == 1u ? "%s.friction" : "%s.friction.%c",
           j->name, "abcdef"[k]);
  return hki_rd_rub_scalar(rd, r, name, k, par);
}

/* a force between the markers of the joint, against all that slides; part: what its name ends with */
static void add_vector(hk_reader *rd, const hk_rd_rub *r, const char *part,
                       hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  char name[600];
  snprintf(name, sizeof name, "%s.friction%s", j->name, part);
  hki_rd_rub_vector(rd, r, name,
                    j->ops->friction.slip   ? hki_joint_friction_slip_ops()
                    : j->ops->friction.eyes ? hki_joint_friction_rod_ops()
                                            : hki_joint_friction_vector_ops(par->n),
                    par);
}

/* both eyes of a rod, which turns in them in any direction */
static void add_eyes(hk_reader *rd, const hk_rd_rub *r, hk_joint_friction_par *par) {
  if (!need_radius(rd, r->node, &rd->spec->joints[r->joint], par)) return;
  par->n = HK_FRICTION_AXES;
  for (par->eye = 0; par->eye < 2; par->eye++) add_vector(rd, r, par->eye ? ".b" : ".a", par);
}

/* the point at which a follower touches its cam; one that can lift off touches it by its stop */
static void add_slip(hk_reader *rd, const hk_rd_rub *r, hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  if (!hki_joint_present(j->ops, j->par)) {
    hki_rd_error(rd, r->node->loc, "limits: {gap: [0, null], .., friction: {mu: 0.1}}",
                 "joint '%s' can lift off: its friction belongs to its 'limits'", j->name);
    return;
  }
  par->n = 1, par->slip = j->ops->friction.slip, par->of = j->par;
  add_vector(rd, r, "", par);
}

/* has the joint something that slides at a radius? */
static bool turns(const hk_joint_ops *ops) {
  for (int32_t k = 0; k < ops->ns; k++)
    if ((ops->friction.scalars >> k & 1u) && !hki_scalar_is_length(ops->scalars[k])) return true;
  return ops->friction.eyes || (ops->friction.slides & HK_SLIDES_TURNS) != 0;
}

/* "a, b, c": the types of joints that can rub */
static void say_types(char *words, size_t cap) {
  size_t n = 0;
  words[0] = 0;
  for (int32_t i = 0; i < hki_joint_count() && n + 1 < cap; i++)
    if (hki_joint_at(i)->friction.press)
      n += (size_t)snprintf(words + n, cap - n, "%s%s",
                            n ? ", " : "these can: ", hki_joint_at(i)->name);
}

/* `stick`: exactly, where the joint slides along single coordinates */
static bool read_stick(hk_reader *rd, const hk_node *node, const hk_spec_joint *j,
                       const hk_friction *law, bool *exact) {
  const hk_node *v = hki_node_get(node, "stick");
  const hk_param *row = hki_params_find(hki_joint_friction_params, "stick");
  int32_t how = 0;
  if (v && !hki_rd_choice(rd, v, "stick", row->choices, &how)) return false;
  *exact = how != 0;
  if (*exact && !j->ops->friction.scalars) {
    hki_rd_error(rd, v->loc, "stick: bristle",
                 j->ops->friction.slip
                     ? "the point at which a %s joint touches moves over its surfaces, and cannot "
                       "stick exactly"
                     : "a %s joint slides in several directions at once, and cannot stick exactly",
                 j->ops->name);
    return false;
  }
  if (*exact && law->kind == HK_FRICTION_LUGRE) {
    hki_rd_error(rd, v->loc, "type: coulomb or stribeck",
                 "friction 'lugre' gives way at every speed, and cannot stick exactly");
    return false;
  }
  return true;
}

void hki_rd_joint_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  const hk_spec_joint *j = &rd->spec->joints[i];
  const hk_param *more = hki_joint_friction_params;
  const hk_node *radius = hki_node_get(node, "radius");
  hk_rd_rub r = {.scope = s, .node = node, .joint = i, .pressed = HK_NONE};
  hk_joint_friction_par par = {0};
  if (!j->ops->friction.press) {
    char words[300];
    say_types(words, sizeof words);
    hki_rd_error(rd, node->loc, words, "a %s joint has no friction", j->ops->name);
    return;
  }
  const hk_friction *law = hki_rd_friction(rd, s, node, more, "friction of joint", j->name);
  if (!law) return;
  if (radius && !turns(j->ops)) {
    hki_rd_error(rd, radius->loc, "leave 'radius' out",
                 "friction of joint '%s' has no radius: a %s joint slides without turning", j->name,
                 j->ops->name);
    return;
  }
  if (!read_stick(rd, node, j, law, &par.exact)) return;
  hki_joint_friction_law(&par, law, par.exact ? 0 : 1);
  for (const hk_param *p = more; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    if (p->type == HK_P_NODE || p->type == HK_P_CHOICE) continue;
    double *x = (double *)(void *)((char *)&par + p->offset);
    *x = p->def;
    if (v && !hki_rd_ranged(rd, s, v, p, x)) return;
  }
  if (!hki_rd_rub_heats(rd, &r)) return;
  for (int32_t k = 0; k < j->ops->ns; k++) {
    if (!(j->ops->friction.scalars >> k & 1u)) continue;
    if (!find_arm(rd, node, j, k, &par) || !add_scalar(rd, &r, k, &par)) return;
  }
  if (j->ops->friction.slides && find_motions(rd, node, j, &par)) add_vector(rd, &r, "", &par);
  if (j->ops->friction.eyes) add_eyes(rd, &r, &par);
  if (j->ops->friction.slip) add_slip(rd, &r, &par);
}
