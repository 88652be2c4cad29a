/* SPDX-License-Identifier: Apache-2.0
 *
 * task_costs.c: what costs while tasks leave freedoms, and its gradient.
 *
 *   spring of a coordinate   k/2 (s - zero)^2
 *   range                    k/2 m^2 x^4     x: depth behind lower + m or upper - m, over the margin m
 *   clearance                k/2 D^2 x^4     x = 1 - d/D, where the distance d is less than D
 *   potential of a force, or an expression: itself
 *
 * Powers of four, since accelerations need three continuous derivatives of the cost.
 */
#include "simulation/tasks.h"

/* k/2 m^2 x^4, and its derivative by s with dx/ds = 1/m; 0 where x is negative */
static double deep(double k, double m, double x) {
  return x > 0.0 ? 0.5 * k * m * m * x * x * x * x : 0.0;
}
static double pushes(double k, double m, double x) {
  return x > 0.0 ? 2.0 * k * m * x * x * x : 0.0;
}

/* depths behind the beginnings of both margins of a range */
static double above(const hk_spec_ergonomy *e, double s) {
  return (s - e->range[1]) / e->margin + 1.0;
}
static double below(const hk_spec_ergonomy *e, double s) {
  return (e->range[0] - s) / e->margin + 1.0;
}

/* c += f times the gradient of a channel of the machine's state */
static void add(hk_tasks *k, hk_channel_kind kind, int32_t item, int32_t component, double f,
                double *c) {
  const hk_channel ch = {.kind = (int16_t)kind, .item = item, .component = (int16_t)component};
  hki_kin_channel_gradient(&k->e->s->kin, ch, f, c, k->x[7]);
}

/* d: from the obstacle to the marker; its length */
static double distance(const hk_tasks *k, const hk_spec_ergonomy *e, double *d) {
  const hk_kin *kin = &k->e->s->kin;
  double p[3], o[3];
  hki_kin_values(kin, (hk_channel){.kind = HK_CH_MARKER_POSITION, .item = e->marker}, p);
  v3_copy(o, e->point);
  if (e->other != HK_NONE)
    hki_kin_values(kin, (hk_channel){.kind = HK_CH_MARKER_POSITION, .item = e->other}, o);
  v3_sub(d, p, o);
  return v3_norm(d);
}

static void add_distance(hk_tasks *k, const hk_spec_ergonomy *e, double *c) {
  double d[3];
  const double size = distance(k, e, d), far = e->range[0];
  const double f = -pushes(e->stiffness, far, 1.0 - size / far);
  for (int i = 0; f != 0.0 && size > 0.0 && i < 3; i++) {
    add(k, HK_CH_MARKER_POSITION, e->marker, i, f * d[i] / size, c);
    if (e->other != HK_NONE) add(k, HK_CH_MARKER_POSITION, e->other, i, -f * d[i] / size, c);
  }
}

static void add_joint(hk_tasks *k, const hk_spec_ergonomy *e, double *c) {
  double s, sd, f;
  hki_kin_scalar(&k->e->s->kin, k->m->joints[e->joint].scalar0 + e->coord, &s, &sd);
  if (e->kind == HK_ERGONOMY_JOINT)
    f = e->stiffness * (s - hki_tasks_given(k, &e->zero));
  else
    f = pushes(e->stiffness, e->margin, above(e, s)) - pushes(e->stiffness, e->margin, below(e, s));
  add(k, HK_CH_JOINT_COORD, e->joint, e->coord, f, c);
}

void hki_tasks_costs(hk_tasks *k, const double *q, double s, double *c) {
  const double *unit = k->e->s->scale;
  double *sum = k->x[6];
  memset(c, 0, (size_t)k->nv * sizeof *c);
  if (!k->in->nergonomy) return;
  // gradients by differences first: they take the machine elsewhere
  memset(sum, 0, (size_t)k->nv * sizeof *sum);
  for (int32_t i = 0; i < k->in->nergonomy; i++) {
    const hk_spec_ergonomy *e = &k->in->ergonomy[i];
    if (e->kind != HK_ERGONOMY_VALUE && e->kind != HK_ERGONOMY_FORCE) continue;
    hki_tasks_slope(k, q, s, e->signal, e->force, k->x[5]);
    for (int32_t j = 0; j < k->nv; j++) sum[j] += e->stiffness * k->x[5][j];
  }
  hki_tasks_place(k, q, s);
  for (int32_t i = 0; i < k->in->nergonomy; i++) {
    const hk_spec_ergonomy *e = &k->in->ergonomy[i];
    if (e->kind == HK_ERGONOMY_DISTANCE) add_distance(k, e, c);
    if (e->kind == HK_ERGONOMY_JOINT || e->kind == HK_ERGONOMY_RANGE) add_joint(k, e, c);
  }
  for (int32_t j = 0; j < k->nv; j++) c[j] = c[j] * unit[j] + sum[j];
}

double hki_tasks_cost(hk_tasks *k, const double *q) {
  double sum = 0.0;
  hki_tasks_place(k, q, 0.0);
  for (int32_t i = 0; i < k->in->nergonomy; i++) {
    const hk_spec_ergonomy *e = &k->in->ergonomy[i];
    double s = 0.0, sd, d[3];
    if (e->joint != HK_NONE)
      hki_kin_scalar(&k->e->s->kin, k->m->joints[e->joint].scalar0 + e->coord, &s, &sd);
    const double away = s - hki_tasks_given(k, &e->zero);
    if (e->kind == HK_ERGONOMY_JOINT)
      sum += 0.5 * e->stiffness * away * away;
    else if (e->kind == HK_ERGONOMY_RANGE)
      sum +=
          deep(e->stiffness, e->margin, above(e, s)) + deep(e->stiffness, e->margin, below(e, s));
    else if (e->kind == HK_ERGONOMY_DISTANCE)
      sum += deep(e->stiffness, e->range[0], 1.0 - distance(k, e, d) / e->range[0]);
    else
      sum += e->stiffness * hki_tasks_value(k, e->signal, e->force);
  }
  return sum;
}
