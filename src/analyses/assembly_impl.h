/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_impl.h: shared by the solver (assembly.c) and its messages (assembly_report.c). Internal
 * to the room.
 */
#ifndef HK_ANALYSES_ASSEMBLY_IMPL_H
#define HK_ANALYSES_ASSEMBLY_IMPL_H

#include "analyses/assembly.h"

typedef struct hk_lean hk_lean;                   /* assembly_lean.h */
typedef struct hk_assembly_slow hk_assembly_slow; /* assembly_slow.c */

typedef struct assembler {
  hk_tree *s;
  hk_lean *lean;          /* T without the matrix of the tree; NULL: with it */
  hk_assembly_slow *slow; /* memory, once it is needed */
  bool slow_on; /* corrections of positions look for rows that nearly depend on each other */
  hk_pool *pool;
  hk_named *rows; /* n: named start values */
  int32_t n;
  double t;                   /* time at which signals are evaluated */
  hk_equilibrium equilibrium; /* to be found */
  bool rest;                  /* start values of rates do not count */
  bool again;                 /* a start anew within a run */
  const double *from;         /* nq: where the search begins, the drawing or the present state */
  bool later; /* in a run: coordinates that follow their rates have their positions */
  double *D;  /* nv: q (-) q_ref */
  double *Md; /* nv: M D, with loads M D - Q/k */
  /* corrections towards the nearest positions: are they damped? The part that was taken of the last one, 0: there is none; nv: the
   * last one, and M times it */
  bool calm;
  double share;
  double *step, *Mp;
  double *keep;  /* nq: positions before the last value was tried */
  double *ref;   /* nq: q_ref */
  bool *loose;   /* nv: translates a whole tree without moving a loop; its steps are not limited */
  double *extra; /* nv: E, the small inertia of the metric */
  bool soft;     /* cut joints are softer than motions and named values: soften() in assembly.c */
  double damp;   /* factor of the curvature that soften() adds */
  bool loaded;   /* loads shift the positions (start.relax) */
  /* relative rates: assembly_rates.c */
  bool relative;   /* rates are nearest to zero joint by joint, else in the mass metric */
  hk_named *joint; /* njoint: rates of joints that are no tree velocities; alpha: weight */
  int32_t njoint;
  double *rates;      /* nv: rates that those not named are nearest to; NULL: zeros */
  double *own, *base; /* nv: weights of the velocities that are joint rates, and of those of
                              bodies that no joint binds */
  /* nv: velocities that all named values ask for, from which rows that are not linear in velocities are
   * solved; NULL: not found yet */
  double *guess;
} assembler;

static inline bool hki_named_used(const hk_named *r, bool rate) { return r->on && r->rate == rate; }

/* largest scaled row at which an iteration that makes no more progress still counts as closed */
#define HK_ASSEMBLY_CLOSED 1e-8

/* largest scaled entry of the row's gradient, at least 1e-9 */
double hki_named_reach(const assembler *A, const hk_named *r);
/* largest scaled diagonal entry of the metric in s->mass */
double hki_assembly_inertia(const hk_tree *s);
/* largest scaled coordinate of x; NaN when one is NaN */
double hki_assembly_largest(const hk_tree *s, const double *x);
/* largest scaled distance from a named value in use, at the last evaluation */
double hki_assembly_worst(const assembler *A, bool rate);
/* smallest x that meets the linearised named rows, closures ignored: projection on one row after
 * the other, repeated until all hold */
void hki_assembly_meet(const assembler *A, bool rate, double *x);
/* Builds and factorises T (assembly.c), with a small inertia added where there is no mass. Leaves
 * masses in s->mass, penalties in s->alpha, and the named rows evaluated. */
hk_status hki_assembly_build(assembler *A, bool rate);
/* y = (M + E) x at the present positions, by a pass over the bodies */
void hki_assembly_mass(const assembler *A, const double *x, double *y);
/* x = T^-1 x */
void hki_assembly_solve(assembler *A, double *x);
/* Chooses the way and makes its memory, once rows and the metric of rates are known; hki_assembly_end frees it: was it without the
 * matrix? kind: an equilibrium that follows. */
hk_status hki_assembly_begin(assembler *A, hk_assembly_way way, hk_equilibrium kind);
bool hki_assembly_end(assembler *A);
/* Newton's iteration on the positions until every row in use is closed; nearest: and q is the
 * solution nearest to q_ref. False when it stops early; q is then the last iterate. */
bool hki_assembly_close(assembler *A, double *q, bool nearest);
/* Sets x (nrows) to 0 in rows that take no part: in positions those that bind velocities only, and
 * coordinates that follow their rate or acceleration; in velocities those of an acceleration. */
void hki_assembly_leave(const assembler *A, bool rate, double *x);
/* Rows that nearly depend on each other: assembly_slow.c. Of a correction x of positions, where it leaves them hardly less open than
 * they are: true when they are closed now; hki_assembly_slow_multipliers then adds what the multipliers lack but penalties times
 * the rows that are left. */
bool hki_assembly_slow_step(assembler *A, double *x);
void hki_assembly_slow_multipliers(assembler *A);
/* The rows of velocities v, b and those of named rates, as far as they close; false: no memory. hki_assembly_slow_undo takes it
 * back. */
bool hki_assembly_slow_rates(assembler *A, const double *b, double *v);
void hki_assembly_slow_undo(const assembler *A, double *v);
/* penalty of closures against the metric of relative rates; it exceeds the ratio of the two levels
 * of this metric, so that rows that only joint rates can meet converge fast too */
#define HK_ASSEMBLY_RATE_PENALTY 1e8
/* which metric, its rows and weights; then T = this metric, s->mass = its diagonal */
hk_status hki_assembly_rate_setup(assembler *A);
void hki_assembly_rate_metric(assembler *A);
/* velocities at the assembled positions q; true when every row in use holds */
bool hki_assembly_rates(assembler *A, const double *q, double *v);

/* Messages: assembly_report.c. */

/* conditions in conflict with the named value `subject`, from the state (q, v) at which a failed
 * search stopped; text in A->pool */
const char *hki_assembly_conflict(assembler *A, bool rate, const double *q, const double *v,
                                  const hk_named *subject);
/* Errors: loops that do not close near q; prescribed motions whose rates conflict at q. q of the
 * first and v of the second are overwritten. */
hk_status hki_assembly_open(assembler *A, double *q);
hk_status hki_assembly_stuck(assembler *A, const double *q, double *v);
/* warns of each released value and lists it in out; v: velocities at out->q */
void hki_assembly_moved(assembler *A, bool rate, const double *v, hk_assembly *out);

#endif
