/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluation_dynamics.c: the equations of motion at a state, and kinematics of frames.
 *
 *   M_ij  = S_i' I_subtree(j) S_j                  i on the path from j to the ground
 *   tau   = M a - Q                                hki_tree_residual
 *   J_j   = (w_j, v_j + w_j x (p - O))             S_j = (w_j, v_j) about O, for a frame at p
 *   acc   = A_v + alpha x (p - O) + w x v_p        A = (alpha, A_v) about O, a point fixed in space
 *
 * Symbols as in kinematics/kin.h. Source of the passes: Featherstone, Rigid Body Dynamics Algorithms,
 * 2008, chapters 5 and 6.
 */
#include "hooke/eval.h"

#include "analyses/assembly.h"
#include "linalg/dense.h"
#include "simulation/evaluation.h"

/* --- dynamics --------------------------------------------------------------------------------- */

hk_status hk_eval_mass(hk_eval *e, double *M, int32_t ld) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const hk_model *m = e->m;
  const hk_kin *k = &e->s->kin;
  if (!M || ld < m->nv) return hki_misuse(e->ctx, "hk_eval_mass", "no matrix, or rows too short");
  const size_t n = (size_t)ld;
  for (int32_t i = 0; i < m->nv; i++) memset(M + (size_t)i * n, 0, (size_t)m->nv * sizeof *M);
  memcpy(e->Ic, k->I, (size_t)m->nb * sizeof *e->Ic);
  for (int32_t b = m->nb - 1; b >= 0; b--) {
    const hk_model_body *mb = &m->bodies[b];
    for (int32_t j = mb->v0; k->loaded[b] && j < mb->v0 + mb->nv; j++) {
      double F[6];
      inertia_mul(F, &e->Ic[b], k->S + 6 * (size_t)j);
      for (int32_t p = b; p != HK_GROUND; p = m->bodies[p].parent)
        for (int32_t i = m->bodies[p].v0; i < m->bodies[p].v0 + m->bodies[p].nv; i++) {
          const double x = e->sign[i] * e->sign[j] * s6_dot(k->S + 6 * (size_t)i, F);
          // inside one joint the lower triangle is mirrored, so that M is symmetric to the last bit
          if (p != b || i <= j) M[(size_t)i * n + (size_t)j] = M[(size_t)j * n + (size_t)i] = x;
        }
    }
    if (mb->parent != HK_GROUND) inertia_add(&e->Ic[mb->parent], &e->Ic[b]);
  }
  return HK_OK;
}

hk_status hk_eval_inverse(hk_eval *e, const double *a, double *tau) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (!tau) return hki_misuse(e->ctx, "hk_eval_inverse", "no place for the forces");
  const int32_t nv = e->m->nv;
  hki_eval_forces(e);
  for (int32_t i = 0; i < nv; i++) e->x[i] = a ? e->sign[i] * a[i] : 0.0;
  hki_tree_residual(e->s, e->x, e->tau);
  for (int32_t i = 0; i < nv; i++) tau[i] = e->sign[i] * e->tau[i];
  return HK_OK;
}

hk_status hk_eval_drives(hk_eval *e, const double *a, int32_t n, const int32_t *which,
                         double *tau) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const int32_t nv = e->m->nv, nr = e->m->nrows;
  const char *why = n < 0 || n > nv || (n && (!which || !tau)) ? "no drives, or too many" : NULL;
  for (int32_t i = 0; !why && i < n; i++)
    if (which[i] < 0 || which[i] >= nv) why = "there is no velocity of this number";
  if (why) return hki_misuse(e->ctx, "hk_eval_drives", why);
  // the equations M a - Q = B tau - Phi' lambda: columns of A, then s, V and the solution
  const size_t most = (size_t)nv + (size_t)nr, cols = (size_t)nr + (size_t)n, rows = (size_t)nv;
  if (!e->drive)
    e->drive = hki_alloc(e->ctx, (rows * most + most * most + 2 * most + 1) * sizeof *a);
  if (!e->drive) return HK_E_MEMORY;
  double *A = e->drive, *s = A + rows * most, *x = s + most, *V = x + most;
  memset(A, 0, rows * cols * sizeof *A);
  memset(e->row, 0, (size_t)nr * sizeof *e->row);
  for (int32_t r = 0; r < nr; r++) {
    e->row[r] = -1.0;
    hki_tree_add_rows(e->s, e->row, A + (size_t)r * rows);
    e->row[r] = 0.0;
  }
  for (int32_t i = 0; i < n; i++) A[(size_t)(nr + i) * rows + (size_t)which[i]] = e->sign[which[i]];
  hki_eval_forces(e);
  for (int32_t i = 0; i < nv; i++) e->x[i] = a ? e->sign[i] * a[i] : 0.0;
  hki_tree_residual(e->s, e->x, e->tau);
  const bool ok = hki_dense_least(nv, (int32_t)cols, A, 1e-11, s, V, e->tau, x);
  for (int32_t i = 0; i < n; i++) tau[i] = ok ? x[nr + i] : NAN;
  return ok ? HK_OK : HK_E_SINGULAR;
}

hk_status hk_eval_forward(hk_eval *e, const double *tau, double *a, double *lambda) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  if (!a) return hki_misuse(e->ctx, "hk_eval_forward", "no place for the accelerations");
  hk_status st = hki_refuse_servos(e->ctx, e->m, "hk_eval_forward");
  if (st != HK_OK) return st;
  const int32_t nv = e->m->nv;
  hk_kin *k = &e->s->kin;
  hki_eval_forces(e);
  hki_kin_closure_bias(k);
  // the caller's forces act beside those of the model's elements
  memcpy(e->tau, k->tau, (size_t)nv * sizeof *e->tau);
  for (int32_t i = 0; tau && i < nv; i++) k->tau[i] += e->sign[i] * tau[i];
  st = hki_tree_accel_here(e->s, e->x);
  memcpy(k->tau, e->tau, (size_t)nv * sizeof *e->tau);
  for (int32_t i = 0; i < nv; i++) a[i] = st == HK_OK ? e->sign[i] * e->x[i] : NAN;
  for (int32_t i = 0; lambda && i < e->m->nrows; i++) lambda[i] = st == HK_OK ? e->s->lam[i] : NAN;
  return st;
}

hk_status hk_eval_energy(hk_eval *e, double *kinetic, double *potential) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  hki_kin_energy(&e->s->kin);
  if (kinetic) *kinetic = e->s->kin.kinetic;
  if (potential) *potential = e->s->kin.potential;
  return HK_OK;
}

/* --- frames ----------------------------------------------------------------------------------- */

int32_t hk_eval_frames(const hk_eval *e) { return hki_is_eval(e) ? e->nframes : 0; }

const char *hk_eval_frame_name(const hk_eval *e, int32_t i) {
  return hki_is_eval(e) && i >= 0 && i < e->nframes ? e->frame[i].name : NULL;
}

int32_t hk_eval_frame_find(const hk_eval *e, const char *name) {
  for (int32_t i = 0; name && i < hk_eval_frames(e); i++)
    if (strcmp(e->frame[i].name, name) == 0) return i;
  return -1;
}

/* the frame of this number at the state; NULL after saying that there is none */
static const hk_eval_frame *find(hk_eval *e, int32_t i, const char *function, hk_frame *F) {
  if (!hki_is_eval(e)) return NULL;
  if (i < 0 || i >= e->nframes) {
    hki_misuse(e->ctx, function, "there is no frame of this number");
    return NULL;
  }
  hki_kin_marker(&e->s->kin, e->frame[i].body, &e->frame[i].at, F);
  return &e->frame[i];
}

hk_status hk_eval_pose(hk_eval *e, int32_t frame, double *R, double *p) {
  hk_frame F;
  if (!find(e, frame, "hk_eval_pose", &F)) return HK_E_USAGE;
  if (R) memcpy(R, F.R, sizeof F.R);
  if (p) v3_copy(p, F.p);
  return HK_OK;
}

hk_status hk_eval_twist(hk_eval *e, int32_t frame, double *w, double *v) {
  hk_frame F;
  if (!find(e, frame, "hk_eval_twist", &F)) return HK_E_USAGE;
  if (w) v3_copy(w, F.w);
  if (v) v3_copy(v, F.v);
  return HK_OK;
}

hk_status hk_eval_acceleration(hk_eval *e, int32_t frame, const double *a, double *alpha,
                               double *acc) {
  hk_frame F;
  double A[6] = {0}, r[3];
  const hk_eval_frame *f = find(e, frame, "hk_eval_acceleration", &F);
  if (!f) return HK_E_USAGE;
  const hk_kin *k = &e->s->kin;
  if (alpha) v3_zero(alpha);
  if (acc) v3_zero(acc);
  if (f->body == HK_GROUND) return HK_OK;
  s6_copy(A, k->A0 + 6 * (size_t)f->body);
  for (int32_t b = f->body; a && b != HK_GROUND; b = e->m->bodies[b].parent)
    for (int32_t j = e->m->bodies[b].v0; j < e->m->bodies[b].v0 + e->m->bodies[b].nv; j++)
      s6_axpy(A, e->sign[j] * a[j], k->S + 6 * (size_t)j);
  if (alpha) v3_copy(alpha, A);
  if (!acc) return HK_OK;
  v3_sub(r, F.p, k->O + 3 * (size_t)f->body);
  v3_copy(acc, A + 3);
  v3_cross_add(acc, A, r);
  v3_cross_add(acc, F.w, F.v);
  return HK_OK;
}

hk_status hk_eval_jacobian(hk_eval *e, int32_t frame, double *J, int32_t ld) {
  hk_frame F;
  double r[3];
  const hk_eval_frame *f = find(e, frame, "hk_eval_jacobian", &F);
  if (!f) return HK_E_USAGE;
  const hk_model *m = e->m;
  if (!J || ld < m->nv)
    return hki_misuse(e->ctx, "hk_eval_jacobian", "no matrix, or rows too short");
  for (size_t i = 0; i < 6; i++) memset(J + i * (size_t)ld, 0, (size_t)m->nv * sizeof *J);
  if (f->body == HK_GROUND) return HK_OK;
  v3_sub(r, F.p, e->s->kin.O + 3 * (size_t)f->body);
  for (int32_t b = f->body; b != HK_GROUND; b = m->bodies[b].parent)
    for (int32_t j = m->bodies[b].v0; j < m->bodies[b].v0 + m->bodies[b].nv; j++) {
      double S[6];
      s6_copy(S, e->s->kin.S + 6 * (size_t)j);
      v3_cross_add(S + 3, S, r);
      for (size_t i = 0; i < 6; i++) J[i * (size_t)ld + (size_t)j] = e->sign[j] * S[i];
    }
  return HK_OK;
}

/* --- constraints ------------------------------------------------------------------------------ */

hk_status hk_eval_residual(hk_eval *e, double *phi, double *rate, double *gamma) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const hk_model *m = e->m;
  hk_kin *k = &e->s->kin;
  if (gamma) hki_kin_closure_bias(k);
  if (rate) hki_kin_rows(k, e->v, e->row);
  for (int32_t c = 0; c < m->nc; c++) {
    const bool on = k->disc.active[c] != 0.0;
    for (int32_t r = m->closures[c].row0; r < m->closures[c].row0 + m->closures[c].nrows; r++) {
      if (phi) phi[r] = on ? k->phi[r] : 0.0;
      if (rate) rate[r] = on ? e->row[r] + k->phit[r] : 0.0;
      if (gamma) gamma[r] = on ? k->gamma[r] : 0.0;
    }
  }
  return HK_OK;
}

hk_status hk_eval_constraint_jacobian(hk_eval *e, double *J, int32_t ld) {
  if (!hki_is_eval(e)) return HK_E_USAGE;
  const hk_model *m = e->m;
  const hk_kin *k = &e->s->kin;
  if (!J || ld < m->nv)
    return hki_misuse(e->ctx, "hk_eval_constraint_jacobian", "no matrix, or rows too short");
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    for (int32_t r = 0; r < cl->nrows; r++) {
      double *row = J + (size_t)(cl->row0 + r) * (size_t)ld;
      const double *g = k->gz + k->gz0[c] + (size_t)r * (size_t)cl->path.n;
      memset(row, 0, (size_t)m->nv * sizeof *row);
      for (int32_t j = 0; k->disc.active[c] != 0.0 && j < cl->path.n; j++)
        row[cl->path.dof[j]] = e->sign[cl->path.dof[j]] * g[j];
    }
  }
  return HK_OK;
}
