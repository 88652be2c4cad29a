/* SPDX-License-Identifier: Apache-2.0
 *
 * stab.h: ways to keep the constraints other than projections after a step: `stabilisation` of
 * the redundant formulation. A method replaces some operations of the formulation; it is one file
 * with its equations and one line in stab.c.
 *
 * Stages with velocities of their own (stab_stage.c, stab_system.c). Behind the stage of stage.h
 * are two discretisations, of q' and of v':
 *
 *   q' = vh + cv D
 *   v' = ah + (ca/cv) (v - vh)
 *
 * With v = q' they are the contract's v = vh + cv D, a = ah + ca D. Methods that add a term to q'
 * or v' solve for v, or for v and a, beside D. Their equations are some of
 *
 *   kin    q' - v + P G' mu = 0             n
 *   rate   v' - a + P G' eta = 0            n
 *   dyn    M a + G' lam - W(q, v) = 0       n, gyroscopic terms in W; a = v' without `rate`
 *   pos    phi = 0                          m
 *   vel    G v + phi_t = 0                  m
 *   acc    G a + gamma = 0                  m
 *
 * for some of the unknowns D, v, a, lam, mu, eta. P is the metric of the coordinates: 1 for
 * rotations, the square of the model's length for displacements. mu and eta act at the new end of
 * the step only: histories hold v for q' and a for v'.
 */
#ifndef HK_FORMULATIONS_REDUNDANT_STAB_H
#define HK_FORMULATIONS_REDUNDANT_STAB_H

#include "formulations/redundant/redundant.h"

/* names in the order of the table in stab.c */
#define HK_REDUNDANT_METHODS "projection baumgarte ggl fuhrer_leimkuhler overdetermined"

/* the multiplier that stands on the diagonal of a row: with -eps where rows depend on each other,
 * alone where the row is off */
typedef enum hk_redundant_mult {
  HK_REDUNDANT_NONE,
  HK_REDUNDANT_LAM,
  HK_REDUNDANT_MU,
  HK_REDUNDANT_ETA
} hk_redundant_mult;

/* equations and unknowns of a form; dyn, kin, pos, vel and D, v, lam are always there */
typedef struct hk_redundant_form {
  bool mu, eta;            /* these unknowns; eta brings a and the equations `rate` */
  bool acc;                /* rows at acceleration level */
  bool least;              /* more equations than unknowns: least squares */
  hk_redundant_mult of[3]; /* multipliers of the rows pos, vel, acc */
} hk_redundant_form;

typedef struct hk_redundant_method {
  uint32_t caps;
  const hk_redundant_form *form; /* NULL: no system of its own */
  /* NULL: as without the method */
  hk_status (*begin)(hk_formulation *f, const hk_stage *st);
  hk_status (*residual)(hk_formulation *f, const double *D, bool tangent);
  hk_status (*factor)(hk_formulation *f);
  hk_status (*correct)(hk_formulation *f, double *D, hk_norms *n);
  hk_status (*project)(hk_formulation *f, double t, double *q, double *v, double *a, uint32_t what);
} hk_redundant_method;

extern const hk_redundant_method hki_redundant_baumgarte_method, hki_redundant_ggl_method,
    hki_redundant_fl_method, hki_redundant_overdetermined_method;

/* why method k does not go with an integrator of these needs, and a hint; NULL: it does */
const char *hki_redundant_method_refuses(int32_t k, uint32_t needs, const char **hint);
/* puts the operations of method k into the formulation's table; k = 0 changes nothing */
void hki_redundant_method_ops(int32_t k, hk_formulation_ops *ops);
/* r->stab of method k; plain: the table without the method */
hk_status hki_redundant_method_create(hk_redundant *r, int32_t k, double alpha, double beta,
                                      const hk_formulation_ops *plain);

/* gamma += 2 alpha (G v + phi_t) + beta^2 phi at the present state (stab_baumgarte.c) */
void hki_redundant_baumgarte(hk_redundant *r);

/* --- stages with velocities of their own ------------------------------------------------------ */

typedef struct hk_redundant_stab {
  hk_redundant *r;
  const hk_formulation_ops *plain; /* table of the formulation without the method */
  hk_stage st;
  bool first;  /* no iterate of this stage yet */
  bool solved; /* V and A hold a solution that `project` has not taken yet */
  hk_redundant_form form;
  /* first row of each kind of equation, first column of each kind of unknown; -1: not there */
  struct {
    int32_t kin, rate, dyn, pos, vel, acc;
  } at;
  struct {
    int32_t x, u, a, lam, mu, eta;
  } to;
  int32_t nrow, ncol; /* equations, unknowns */
  int32_t shift;      /* least squares: first column of the unknowns in the augmented matrix */
  hk_linsolve *ls;
  hk_pattern *gather;   /* not NULL while the pattern is made */
  bool numbering;       /* while slots are looked up */
  int32_t *slot;        /* places of all entries, in the order of put_all (least squares: twice) */
  int32_t nput, put;    /* number of entries; next one */
  int32_t *unit;        /* shift: diagonal of the unit block of least squares */
  int32_t npair, *pair; /* npair x 3: row, column, slot of the entries between bodies in r->ls */
  /* laid out as r->ls->val: derivatives of dyn by pose, velocity, acceleration; d(G'mu)/dx,
   * d(G'eta)/dx */
  double *K, *C, *M, *H;
  double *H2;
  double *V, *A;      /* n: velocities, accelerations of the iterate, body axes */
  double *mu, *eta;   /* nrows */
  double *z, *y;      /* n: P G' mu, P G' eta, world axes */
  double *P, *N;      /* n: diagonal of P; m->nb x 9: R J^-1(D) R' */
  double *e, *weight; /* nrow: residuals, divided as in stab_system.c; their weights */
  double *x;          /* nrow + ncol: right side, then solution */
} hk_redundant_stab;

/* does row q of a set have an equation at level k (0 pos, 1 vel, 2 acc)? */
static inline bool hki_redundant_stab_line(const hk_bodies_set *s, int32_t q, int k) {
  return k > 0 || !(s->rate_rows >> (q - s->row0) & 1u);
}

/* is row q imposed? Not when its set is inactive, nor, in least squares, when it follows from
 * others (r->out) */
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
/* after a stage: v and a of its solution; else as without the method */
hk_status hki_redundant_stab_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                     uint32_t what);
/* s->weight of least squares (stab_lsq.c) */
void hki_redundant_stab_weights(hk_redundant_stab *s);

#endif
