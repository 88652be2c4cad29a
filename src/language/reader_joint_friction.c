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
                         const hk_joint_friction *f, hk_joint_friction_par *par) {
  par->n = 0;
  for (uint8_t k = 0; k < 6; k++) {
    const bool turns = k < 3;
    if (!(f->slides >> k & 1u)) continue;
    if (turns && isnan(par->radius) && (f->spins >> k & 1u)) continue;
    if (turns && !need_radius(rd, node, j, par)) return false;
    par->motion[par->n] = k;
    par->arms[par->n++] = turns ? par->radius : 1.0;
  }
  return true;
}

/* rows of the slips of a joint, for the element */
static void slip_rows(const hk_joint_friction_par *par, const hk_frame *A, const hk_frame *B,
                      double *rows, double *H) {
  hki_joint_slips(par->of, par->joint, A, B, rows, H);
}

bool hki_rd_rub_slips(hk_reader *rd, const hk_rd_rub *r, hk_joint_friction_par *par) {
  const hk_spec_joint *j = &rd->spec->joints[r->joint];
  hk_joint_friction *own = hki_pool_alloc(rd->spec->pool, sizeof *own);
  if (!own) return false;
  *own = j->ops->friction;
  own->nslips = rd->spec->planar ? 1 : own->nslips;
  par->n = own->nslips;
  for (int32_t k = 0; k < par->n; k++) {
    const bool turns = !hki_scalar_is_length(own->slips[k]);
    if (turns && !need_radius(rd, r->node, j, par)) return false;
    par->arms[k] = turns ? par->radius : 1.0;
  }
  par->slips = slip_rows, par->of = own, par->joint = j->par;
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
                    par->slips              ? hki_joint_friction_slip_ops(par->n)
                    : j->ops->friction.eyes ? hki_joint_friction_rod_ops()
                                            : hki_joint_friction_vector_ops(par->n),
                    par);
}

/* both eyes of a rod, which turns in them in any direction */
static void add_eyes(hk_reader *rd, const hk_rd_rub *r, hk_joint_friction_par *par) {
  if (!need_radius(rd, r->node, &rd->spec->joints[r->joint], par)) return;
  par->n = 3;
  for (par->eye = 0; par->eye < 2; par->eye++) add_vector(rd, r, par->eye ? ".b" : ".a", par);
}

/* has the joint something that slides at a radius? */
static bool turns(const hk_joint_ops *ops, const hk_joint_friction *f) {
  for (int32_t k = 0; k < ops->ns; k++)
    if ((f->scalars >> k & 1u) && !hki_scalar_is_length(ops->scalars[k])) return true;
  for (int32_t k = 0; k < f->nslips; k++)
    if (!hki_scalar_is_length(f->slips[k])) return true;
  return f->eyes || hki_press_turns(f->press) || (f->slides & HK_SLIDES_TURNS) != 0;
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
                 j->ops->friction.nslips
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

/* In a planar model bodies turn about the normal of its plane and move in it: can anything slide? */
static bool moves(const hk_reader *rd, const hk_spec_joint *j, const hk_joint_friction *f) {
  bool any = f->scalars || f->eyes;
  for (int32_t k = 0; k < 6; k++) {
    double a[3], across[3];
    m3_column(a, j->marker[0].R, (int)(k % 3));
    v3_cross(across, a, rd->spec->normal);
    const bool slides = f->slides >> k & 1u, turns = k < 3;
    any = any || (slides && (turns ? fabs(v3_dot(a, rd->spec->normal)) : v3_norm(across)) > 1e-9);
  }
  // what turns about the normal of a contact does not turn in a plane
  for (int32_t k = 0; k < f->nslips; k++) any = any || hki_scalar_is_length(f->slips[k]);
  return any || !rd->spec->planar;
}

/* friction of joint i as its parameters have it; rows that follow a signal are driven */
static hk_joint_friction fitting(const hk_reader *rd, const hk_spec_joint *j) {
  uint32_t driven = 0;
  for (int32_t k = 0; k < HK_JOINT_MAX; k++)
    if (j->row_signal[k] != HK_NONE) driven |= 1u << k;
  hk_joint_friction f = hki_joint_friction_fit(j->ops, j->par, driven);
  if (f.press && !moves(rd, j, &f)) f.press = 0, f.none = "in a planar model nothing slides in it";
  return f;
}

/* numbers of the block that are not of the law */
static bool read_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                         hk_joint_friction_par *par) {
  for (const hk_param *p = hki_joint_friction_params; p->type != HK_P_END; p++) {
    const hk_node *v = hki_node_get(node, p->name);
    if (p->type == HK_P_NODE || p->type == HK_P_CHOICE) continue;
    double *x = (double *)(void *)((char *)par + p->offset);
    *x = p->def;
    if (v && !hki_rd_ranged(rd, s, v, p, x)) return false;
  }
  return true;
}

void hki_rd_joint_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i) {
  const hk_spec_joint *j = &rd->spec->joints[i];
  const hk_joint_friction f = fitting(rd, j);
  const hk_node *radius = hki_node_get(node, "radius");
  hk_rd_rub r = {.scope = s, .node = node, .joint = i, .pressed = HK_NONE};
  hk_joint_friction_par par = {0};
  if (!f.press) {
    hki_rd_error(rd, node->loc, NULL, "a %s joint has no friction: %s", j->ops->name, f.none);
    return;
  }
  const hk_friction *law =
      hki_rd_friction(rd, s, node, hki_joint_friction_params, "friction of joint", j->name);
  if (!law) return;
  if (radius && !turns(j->ops, &f)) {
    hki_rd_error(rd, radius->loc, "leave 'radius' out",
                 "friction of joint '%s' has no radius: a %s joint slides without turning", j->name,
                 j->ops->name);
    return;
  }
  if (!read_stick(rd, node, j, law, &par.exact)) return;
  hki_joint_friction_law(&par, law, par.exact ? 0 : 1);
  if (!read_numbers(rd, s, node, &par)) return;
  if (hki_press_turns(f.press) && !need_radius(rd, node, j, &par)) return;
  par.press = f.press, par.rows = f.rows;
  if (!hki_rd_rub_heats(rd, &r)) return;
  for (int32_t k = 0; k < j->ops->ns; k++) {
    if (!(f.scalars >> k & 1u)) continue;
    if (!find_arm(rd, node, j, k, &par) || !add_scalar(rd, &r, k, &par)) return;
  }
  if (f.slides && find_motions(rd, node, j, &f, &par)) add_vector(rd, &r, "", &par);
  if (f.nslips && hki_rd_rub_slips(rd, &r, &par)) add_vector(rd, &r, "", &par);
  if (f.eyes) add_eyes(rd, &r, &par);
}
