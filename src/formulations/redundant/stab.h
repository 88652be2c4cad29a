/* SPDX-License-Identifier: Apache-2.0
 *
 * stab.h: ways to keep the constraints other than projections after a step: `stabilisation` of
 * the redundant formulation. A method replaces some operations of the formulation; it is one file
 * with its equations and one line in stab.c.
 *
 * Stages with velocities of their own (stab_system.c). A stage (stage.h) discretises the rates
 * of positions and of velocities each by itself:
 *   q' = vh + cv D,     v' = ah + (ca/cv) (v - vh)
 * With v = q' this is the contract's v = vh + cv D, a = ah + ca D. Methods that add something to q'
 * or v' solve for v, or for v and a, beside D. Their equations are some of
 *   kin   q' - v + P G' mu = 0            n, P the metric of the coordinates: 1 for rotations and
 *   rate  v' - a + P G' eta = 0           n  the model's length squared for displacements
 *   dyn   M a + G' lam - W(q, v) = 0      n
 *   pos   phi = 0,  vel  G v + phi_t = 0,  acc  G a + gamma = 0          m each
 * and their unknowns some of D, v, a, lam, mu, eta, in this order. Without `a` it is v'. Extra
 * multipliers act on the new end of the step only: histories hold v for q' and a for v'.
 */
#ifndef HK_FORMULATIONS_REDUNDANT_STAB_H
#define HK_FORMULATIONS_REDUNDANT_STAB_H

#include "formulations/redundant/redundant.h"

/* names in the order of the table in stab.c */
#define HK_REDUNDANT_METHODS "projection baumgarte ggl fuhrer_leimkuhler overdetermined"

/* a multiplier a row whose equation it closes: where rows depend on each other or are off */
typedef enum hk_redundant_mult {
  HK_REDUNDANT_NONE,
  HK_REDUNDANT_LAM,
  HK_REDUNDANT_MU,
  HK_REDUNDANT_ETA
} hk_redundant_mult;

/* which equations and unknowns; pairs says which multiplier belongs to rows pos, vel, acc */
typedef struct hk_redundant_form {
  bool mu, eta;            /* unknowns beside D, v, lam; eta brings a and the equations rate */
  bool acc;                /* rows at acceleration level (pos and vel are always there) */
  bool least;              /* more equations than unknowns: least squares */
  hk_redundant_mult of[3]; /* pos, vel, acc */
} hk_redundant_form;

typedef struct hk_redundant_method {
  uint32_t caps;
  const hk_redundant_form *form; /* NULL: no system of its own */
  hk_status (*begin)(hk_formulation *f, const hk_stage *st);
  hk_status (*residual)(hk_formulation *f, const double *D, bool tangent);
  hk_status (*factor)(hk_formulation *f);
  hk_status (*correct)(hk_formulation *f, double *D, hk_norms *n);
  hk_status (*project)(hk_formulation *f, double t, double *q, double *v, double *a, uint32_t what);
} hk_redundant_method;

extern const hk_redundant_method hki_redundant_baumgarte_method, hki_redundant_ggl_method,
    hki_redundant_fl_method, hki_redundant_overdetermined_method;

/* why method k does not go with an integrator of these needs; NULL: it does */
const char *hki_redundant_method_refuses(int32_t k, uint32_t needs, const char **hint);
/* the operations of method k (0: as they are) into the formulation's table; its memory */
void hki_redundant_method_ops(int32_t k, hk_formulation_ops *ops);
hk_status hki_redundant_method_create(hk_redundant *r, int32_t k, double alpha, double beta,
                                      const hk_formulation_ops *plain);

/* gamma += 2 alpha (G v + phi_t) + beta^2 phi at the present state (stab_baumgarte.c) */
void hki_redundant_baumgarte(hk_redundant *r);

/* --- stages with velocities of their own ------------------------------------------------------ */

typedef struct hk_redundant_stab {
  hk_redundant *r;
  const hk_formulation_ops *plain; /* the formulation without the method */
  hk_stage st;
  bool first, solved; /* no iterate of this stage yet; there is a solution nobody has taken */
  hk_redundant_form form;
  /* first row of each kind of equation, first column of each kind of unknown; -1: not there */
  struct {
    int32_t kin, rate, dyn, pos, vel, acc;
  } at;
  struct {
    int32_t x, u, a, lam, mu, eta;
  } to;
  int32_t nrow, ncol, shift; /* columns are shifted in the augmented matrix of least squares */
  hk_linsolve *ls;
  hk_pattern *gather; /* while the pattern is made */
  bool numbering;     /* while slots are looked up */
  int32_t *slot, nput, put;
  int32_t *unit;         /* of the unit block of least squares */
  int32_t npair, *pair;  /* entries of the formulation's own matrix: row, column, slot */
  double *K, *C, *M, *H; /* these entries: slopes in pose, velocity, acceleration; of P G' mu */
  double *H2;            /* of P G' eta */
  double *V, *A;         /* n, body axes: of the present iterate */
  double *mu, *eta;      /* nrows */
  double *z, *y;         /* n: P G' mu, P G' eta, world axes */
  double *P, *N;         /* n; nb x 9 */
  double *e, *weight;    /* nrow: residuals free of the step, and their weights */
  double *x;             /* right side, then solution */
} hk_redundant_stab;

/* does row q of a set have a line at level k (0 pos, 1 vel, 2 acc)? */
static inline bool hki_redundant_stab_line(const hk_bodies_set *s, int32_t q, int k) {
  return k > 0 || !(s->rate_rows >> (q - s->row0) & 1u);
}

/* does row q hold? Not that of a joint that is off, nor, where stages leave the constraints, one
 * that follows from others on them */
static inline bool hki_redundant_stab_on(const hk_redundant_stab *s, const hk_bodies_set *set,
                                         int32_t q) {
  const hk_redundant *r = s->r;
  return hki_bodies_active(r->c, set) && !(s->form.least && r->leaves && r->out[q] != 0.0);
}

hk_status hki_redundant_stab_create(hk_redundant *r, const hk_redundant_form *form,
                                    hk_redundant_stab **out);
void hki_redundant_stab_destroy(hk_redundant_stab *s);

hk_status hki_redundant_stab_begin(hk_formulation *f, const hk_stage *st);
hk_status hki_redundant_stab_residual(hk_formulation *f, const double *D, bool tangent);
hk_status hki_redundant_stab_factor(hk_formulation *f);
hk_status hki_redundant_stab_correct(hk_formulation *f, double *D, hk_norms *n);
/* after a stage: its own velocities and accelerations; else as without the method */
hk_status hki_redundant_stab_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                     uint32_t what);
/* weights of the equations (stab_lsq.c) */
void hki_redundant_stab_weights(hk_redundant_stab *s);

#endif
