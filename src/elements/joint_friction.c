/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction.c: friction on one coordinate s of a joint, whose surfaces slide by the velocity u
 * and are pressed together by N:
 *
 *   u   = arm ds/dt               arm: 1 for a sliding coordinate, the radius for an angle
 *   N   = preload + |R|           R: what presses, of the joint's own reaction
 *   tau = -lever N c(u, past)     c: elements/friction.h; lever = arm but on threads
 *
 * On a thread of lead p per radian and radius r the surfaces slide along the helix, inclined by lambda,
 * tan lambda = p/r, and |R| is the axial load Q:
 *
 *   arm = sqrt(r^2 + p^2),   force across the thread Q cos lambda,   lever = arm cos lambda = r
 *
 * Q turns the screw by p Q: it holds itself where tan lambda <= mu. The force across the thread is that
 * at the threshold; elsewhere it differs by a share of mu tan lambda, which is left out.
 *
 * |R| is an input, which the machine of the formulation finds at the state under evaluation, with its
 * slopes where it has them (machines/friction/normal.h). tau is linear in it.
 *
 * Friction that sticks by a lock (simulation/sim_locks.c) has no bristle. It slides in a direction d,
 * its first discrete number, or d = 0 while the lock holds; the second is the force of the lock, to be
 * shown:
 *
 *   tau = -lever N (mu(|u|) d + sigma2 u)
 *
 * All of -tau ds/dt counts as dissipated; the little that a bristle stores comes back from there. It may
 * flow into a thermal node.
 */
#include <math.h>

#include "elements/joint_friction.h"
#include "elements/network.h"

/* the coefficient that slides in the direction d; 0: it is held by its lock */
static void slide(const hk_friction *law, double u, double d, hk_friction_out *f) {
  double slope = 0.0;
  const bool falls = law->kind != HK_FRICTION_COULOMB && law->mu_static > law->mu;
  const double mu = falls ? hki_friction_steady(law, fabs(u), &slope) : law->mu;
  f->slides = d != 0.0;
  f->c[0] = f->slides ? mu * d + law->sigma2 * u : 0.0;
  f->cv[0] = f->slides ? (u < 0.0 ? -slope : slope) * d + law->sigma2 : 0.0;
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_joint_friction_par *par = p;
  const double u = par->arm * in->sd, N = in->u[HK_FRICTION_NORMAL] + par->preload;
  hk_friction_out f;
  if (par->exact)
    slide(par->law.friction, u, in->d[0], &f);
  else
    hki_friction_eval(par->law.friction, 1, &u, in->st, 0, &f);
  out->tau = -par->lever * N * f.c[0];
  out->ks[0] = out->K[0] = 0.0;
  out->cs[0] = out->C[0] = par->lever * par->arm * N * f.cv[0];
  if (need & HK_NEED_INPUT) out->Wu[12 * HK_FRICTION_NORMAL] = -par->lever * f.c[0];
  if (need & HK_NEED_ENERGY) {
    out->energy = out->supplied = 0.0;
    out->dissipated = -out->tau * in->sd;
  }
  if (need & HK_NEED_OUTPUT) {
    out->y[0] = u, out->y[1] = N;
    out->y[2] = f.slides ? 1.0 : 0.0;
    out->y[3] = par->exact && !f.slides ? in->d[1] : out->tau;
  }
}

/* the same with a thermal node that takes what is lost */
static void eval_heat(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hki_netel_clear(out, 1);
  eval(p, in, need | HK_NEED_ENERGY | HK_NEED_INPUT | HK_NEED_EXACT, out);
  out->F[0] = -out->dissipated;
  out->Fsd[0] = out->tau - out->C[0] * in->sd;
  out->Fu[HK_FRICTION_NORMAL] = out->Wu[12 * HK_FRICTION_NORMAL] * in->sd;
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hk_element_out out;
  eval(p, in, HK_NEED_ENERGY, &out);
  *dissipated = out.dissipated, *supplied = 0.0;
}

double hki_joint_friction_breakaway(const void *p) {
  const hk_friction *law = ((const hk_joint_friction_par *)p)->law.friction;
  return law->kind == HK_FRICTION_COULOMB ? law->mu_static / law->mu : 1.0;
}

double hki_joint_friction_cone(const void *p, double N) {
  const hk_joint_friction_par *par = p;
  return par->lever * par->law.friction->mu_static * (N + par->preload);
}

int32_t hki_joint_friction_laws(const void *p, const hk_law **list) {
  list[0] = &((const hk_joint_friction_par *)p)->law;
  return 1;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_joint_friction_par, field)
const hk_param hki_joint_friction_params[] = {
    {"radius", HK_P_REAL, HK_P_POSITIVE, AT(radius), NAN, 0, 0, "m", NULL, "at which the surfaces slide, where the joint turns"},
    {"preload", HK_P_REAL, HK_P_NONNEGATIVE, AT(preload), 0, 0, 0, "N", NULL, "presses the surfaces together beside the joint's own reaction"},
    {"stick", HK_P_CHOICE, 0, HK_P_HAND, 0, 0, 0, "", "bristle exact", "bristle: as if by a short spring; exact: the coordinate is locked, and the times at which it is caught and breaks away are located"},
    {"heats", HK_P_NODE, 0, HK_P_HAND, 0, 0, 0, "", NULL, "thermal node that takes the loss; left out: the loss leaves the model"},
    HK_PARAM_END};

const hk_param hki_stop_friction_params[] = {
    {"radius", HK_P_REAL, HK_P_POSITIVE, AT(radius), NAN, 0, 0, "m", NULL, "at which the joint turns on the stop; of a round body that slides or rolls along it; at which the stop of an angle presses"},
    {"heats", HK_P_NODE, 0, HK_P_HAND, 0, 0, 0, "", NULL, "thermal node that takes the loss; left out: the loss leaves the model"},
    HK_PARAM_END};
/* clang-format on */

/* clang-format off */
#define OPS(...) { \
    .name = "joint_friction", .text = "friction on a coordinate of a joint, by the joint's own reaction", \
    .source = "definition; friction.c", .nscal = 1, .rank = 1, .nu = 1, .ny = 4, \
    .par_size = sizeof(hk_joint_friction_par), .params = hki_joint_friction_params, \
    .outputs = "slip normal slides force", .output_units = "m/s N 1 f", .power = power, .laws = hki_joint_friction_laws, \
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC, __VA_ARGS__}
/* clang-format on */

#define HEATS .eval = eval_heat, .nnode = 1, .domains = hki_netel_thermal

const hk_element_ops *hki_joint_friction_ops(bool heats, bool exact) {
  static const hk_element_ops ops[2][2] = {{OPS(.eval = eval), OPS(.eval = eval, .nd = 2)},
                                           {OPS(HEATS), OPS(HEATS, .nd = 2)}};
  return &ops[heats][exact];
}

const hk_friction *hki_joint_friction_of(const void *par) {
  return ((const hk_joint_friction_par *)par)->law.friction;
}

double hki_joint_friction_preload(const void *par) {
  return ((const hk_joint_friction_par *)par)->preload;
}

uint8_t hki_joint_friction_press(const void *par, uint8_t *rows, double *arm) {
  const hk_joint_friction_par *p = par;
  *rows = p->rows;
  *arm = p->radius > 0.0 ? 1.0 / p->radius : 0.0;
  return p->press;
}

void hki_joint_friction_law(hk_joint_friction_par *par, const hk_friction *f, int32_t n) {
  par->law = (hk_law){.kind = HK_LAW_FRICTION, .friction = f, .nz = n, .uses_sd = true};
}
