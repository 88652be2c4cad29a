/* SPDX-License-Identifier: Apache-2.0
 *
 * work.c: the work of forces over an accepted step, by Simpson's rule with the Hermite middle.
 *
 * A force sees markers, or a joint coordinate, at both ends of the step. Between them they move
 * along the Hermite cubic through positions and velocities. With x0, x1, x0', x1' at the ends, its
 * middle is
 *
 *   x  = (x0 + x1)/2 + h (x0' - x1')/8
 *   x' = 3 (x1 - x0)/(2 h) - (x0' + x1')/4
 *
 * There the element is evaluated once more (elements of one deformation by that alone), and its
 * powers P (dissipated, supplied) give
 *
 *   W = h (P0 + 4 Pm + P1)/6
 *
 * On a true motion the error of W over a run is of order h^4, so that what the audit shows is the
 * integration. No positions or velocities of bodies are computed, and forces without power at both
 * ends are left out: springs cost nothing.
 *
 * Axes turn by the rotation vector phi from the first end, R(t) = exp(phi(t)) R0, phi' = w0 and
 * Jl^-1(phi) w1 at the ends; elements that read no axes go without.
 *
 * Private states have rates too, and are treated like positions; what laws count themselves (the work
 * of yielding) is the difference of both ends.
 *
 * Inputs that follow time alone have rates, and are treated like positions. Of those that read
 * channels only values are known: the middle of the parabola through the last three of them is
 *
 *   u = (u0 + u1)/2 - h^2 (d1 - d0)/(4 (h + h0))      d: mean rates over this step and the last
 */
#include "kinematics/element.h"
#include "kinematics/wide.h"

bool hki_model_input_traces(const hk_model *m) {
  for (int32_t i = 0; i < m->nf; i++)
    if (m->forces[i].u_varies || m->forces[i].net != HK_NONE) return true;
  return false;
}

/* middle of the Hermite cubic, and its rate there */
HKI_INLINE double middle(double h, double x0, double x1, double d0, double d1) {
  return 0.5 * (x0 + x1) + 0.125 * h * (d0 - d1);
}

HKI_INLINE double middle_rate(double h, double x0, double x1, double d0, double d1) {
  return 1.5 * (x1 - x0) / h - 0.25 * (d0 + d1);
}

/* rotation in the middle, and its angular velocity */
static void middle_axes(double h, const hk_frame *a, const hk_frame *b, hk_frame *m) {
  double Q[9], phi[3], d1[3], c[3], cc[3], half[3], rate[3];
  // phi' at the end: Jl^-1(phi) w1 = w1 - phi x w1/2 + phi x (phi x w1)/12 - ...
  m3_mult(Q, b->R, a->R);
  rot_log(phi, Q);
  v3_cross(c, phi, b->w);
  v3_cross(cc, phi, c);
  for (int i = 0; i < 3; i++) {
    d1[i] = b->w[i] - 0.5 * c[i] + cc[i] / 12.0;
    half[i] = middle(h, 0.0, phi[i], a->w[i], d1[i]);
    rate[i] = middle_rate(h, 0.0, phi[i], a->w[i], d1[i]);
  }
  rot_exp(Q, half);
  m3_mul(m->R, Q, a->R);
  // w = Jl(phi) phi' = phi' + phi x phi'/2 + phi x (phi x phi')/6 + ...
  v3_cross(c, half, rate);
  v3_cross(cc, half, c);
  for (int i = 0; i < 3; i++) m->w[i] = rate[i] + 0.5 * c[i] + cc[i] / 6.0;
}

static void middle_frame(double h, bool axes, const hk_frame *a, const hk_frame *b, hk_frame *m) {
  for (int i = 0; i < 3; i++) {
    m->p[i] = middle(h, a->p[i], b->p[i], a->v[i], b->v[i]);
    m->v[i] = middle_rate(h, a->p[i], b->p[i], a->v[i], b->v[i]);
  }
  if (axes) {
    middle_axes(h, a, b, m);
    return;
  }
  memcpy(m->R, b->R, sizeof m->R);
  v3_copy(m->w, b->w);
}

/* inputs and unknowns in the middle; fills the mean rates of the later trace */
static void middle_inputs(const hk_kin *k, int32_t fi, double h, double h0, const hk_input_trace *a,
                          hk_input_trace *b, hk_input_trace *m) {
  const hk_model_force *f = &k->m->forces[fi];
  const int32_t *signal = k->m->spec->forces[f->spec].u_signal;
  const int32_t n = f->net != HK_NONE ? f->ops->nnode + f->ops->nown : 0;
  for (int32_t i = 0; i < f->ops->nu; i++) {
    if (!(f->u_varies >> i & 1u)) {
      m->u[i] = b->u[i];
    } else if (signal[i] == HK_NONE || k->sig_state[signal[i]]) {
      b->ud[i] = (b->u[i] - a->u[i]) / h;
      const double bend = hki_no_rate(a->ud[i]) ? 0.0 : (b->ud[i] - a->ud[i]) / (h + h0);
      m->u[i] = 0.5 * (a->u[i] + b->u[i]) - 0.25 * h * h * bend;
    } else {
      m->u[i] = middle(h, a->u[i], b->u[i], a->ud[i], b->ud[i]);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    m->x[i] = middle(h, a->x[i], b->x[i], a->xd[i], b->xd[i]);
    m->xd[i] = middle_rate(h, a->x[i], b->x[i], a->xd[i], b->xd[i]);
  }
}

/* private states of a force in the middle, in k->zmid */
static void middle_states(const hk_kin *k, const hk_model_force *f, double h, const double *a,
                          const double *b) {
  const int32_t nz = k->m->nz;
  for (int32_t i = f->z0; i < f->z0 + f->nz; i++)
    k->zmid[i] = middle(h, a[i], b[i], a[nz + i], b[nz + i]);
}

/* dissipated and supplied power of a force in the middle of the step */
static void middle_powers(const hk_kin *k, int32_t fi, double h, const hk_force_trace *a,
                          const hk_force_trace *b, const hk_input_trace *at, double *pd,
                          double *ps) {
  const hk_model_force *f = &k->m->forces[fi];
  hk_frame F[HK_ELEMENT_MARKERS];
  hk_element_out out;
  hk_element_in in;
  hk_states st = {.mode = HK_STATES_HELD, .z = k->zmid + f->z0, .zd = k->zmid + k->m->nz + f->z0};
  in.st = f->nz ? &st : NULL;
  in.ahead = hki_kin_ahead(k, fi);
  in.d = k->disc.d + f->d0;
  in.s = middle(h, a->s, b->s, a->sd, b->sd);
  in.sd = middle_rate(h, a->s, b->s, a->sd, b->sd);
  in.u = at ? at->u : k->u + HK_ELEMENT_INPUTS * fi;
  in.u_varies = f->u_flows;
  if (f->ops->power) {
    f->ops->power(f->par, &in, pd, ps);
    return;
  }
  const bool axes = !f->ops->axes || f->ops->axes(f->par);
  for (int32_t i = 0; i < f->ops->nmark; i++) {
    if (f->body[i] == HK_GROUND)
      F[i] = b->m[i];
    else
      middle_frame(h, axes, &a->m[i], &b->m[i], &F[i]);
  }
  in.t = k->t - 0.5 * h;
  in.m = F;
  in.x = at ? at->x : NULL, in.xd = at ? at->xd : NULL;
  hki_kin_element(k, fi, &in, HK_NEED_FORCE | HK_NEED_ENERGY, &out);
  *pd = out.dissipated, *ps = out.supplied;
}

/* groups of forces that look ahead together, in the middle of the step */
static void middle_looks(const hk_kin *k, double h, const hk_trace *from, const hk_trace *to) {
  for (int32_t n = 0; n < k->nlooks; n++) {
    double p[HK_ELEMENT_LANES][3];
    for (int c = 0; c < HK_ELEMENT_LANES; c++) {
      const int32_t fi = k->look[HK_ELEMENT_LANES * n + c];
      const hk_frame *a = &from->force[fi].m[0], *b = &to->force[fi].m[0];
      hk_frame F = *b;
      if (k->m->forces[fi].body[0] != HK_GROUND) middle_frame(h, false, a, b, &F);
      v3_copy(p[c], F.p);
    }
    hki_kin_look_at(k, n, (const double(*)[3])p);
  }
}

void hki_kin_work(const hk_kin *k, double h, double h0, const hk_trace *from, const hk_trace *to,
                  double *work) {
  if (k->nlooks) middle_looks(k, h, from, to);
  for (int32_t fi = 0; fi < k->m->nf; fi++) {
    const hk_model_force *f = &k->m->forces[fi];
    const hk_force_trace *a = &from->force[fi], *b = &to->force[fi];
    hk_input_trace inputs, *m = NULL;
    double pd, ps;
    work[2 * fi] = work[2 * fi + 1] = 0.0;
    if (!f->ops->nmark && !f->ops->nscal) continue;
    if (to->input && (f->u_varies || f->net != HK_NONE)) {
      m = &inputs;
      middle_inputs(k, fi, h, h0, &from->input[fi], &to->input[fi], m);
    }
    if (f->nz) middle_states(k, f, h, from->z, to->z);
    if (f->nd > f->ops->nd) work[2 * fi] = b->spent - a->spent;
    work[2 * fi + 1] = 0.5 * h * (a->moving + b->moving);
    if (a->dissipated == 0.0 && b->dissipated == 0.0 && a->supplied == 0.0 && b->supplied == 0.0)
      continue;
    middle_powers(k, fi, h, a, b, m, &pd, &ps);
    // a law may have no value in the middle: then the mean of the ends is what is left
    if (!isfinite(pd) || !isfinite(ps))
      pd = 0.5 * (a->dissipated + b->dissipated), ps = 0.5 * (a->supplied + b->supplied);
    work[2 * fi] += h * (a->dissipated + 4.0 * pd + b->dissipated) / 6.0;
    work[2 * fi + 1] += h * (a->supplied + 4.0 * ps + b->supplied) / 6.0;
  }
}

void hki_kin_wide_work(const hk_kin *k, double h, const hk_trace *from, const hk_trace *to,
                       double *work) {
  const hk_frame *a = from->wide_m, *b = to->wide_m;
  for (int32_t i = 0; i < k->m->nwide; i++) {
    const hk_model_wide *e = &k->m->wide[i];
    const hk_wide_trace p = from->wide[i], q = to->wide[i];
    work[2 * i] = work[2 * i + 1] = 0.0;
    if (p.dissipated != 0.0 || q.dissipated != 0.0 || p.supplied != 0.0 || q.supplied != 0.0) {
      hk_element_in in = {.t = k->t - 0.5 * h, .m = k->wide_frame};
      hk_input_trace inputs;
      if (e->force != HK_NONE) {
        in.u = k->u + (ptrdiff_t)HK_ELEMENT_INPUTS * e->force;
        in.u_varies = k->m->forces[e->force].u_flows;
      }
      if (e->force != HK_NONE && k->m->forces[e->force].u_varies) {
        middle_inputs(k, e->force, h, 0.0, &from->input[e->force], &to->input[e->force], &inputs);
        in.u = inputs.u;
      }
      for (int32_t s = 0; s < e->nmark; s++) middle_frame(h, true, &a[s], &b[s], &k->wide_frame[s]);
      e->ops->eval(e->par, e->nmark, &in, HK_NEED_FORCE | HK_NEED_ENERGY, k->wide);
      work[2 * i] = h * (p.dissipated + 4.0 * k->wide->dissipated + q.dissipated) / 6.0;
      work[2 * i + 1] = h * (p.supplied + 4.0 * k->wide->supplied + q.supplied) / 6.0;
    }
    a += e->nmark, b += e->nmark;
  }
}
