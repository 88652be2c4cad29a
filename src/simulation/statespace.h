/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace.h: the inside of hk_statespace (hooke/statespace.h).
 *
 * About a state (q0, v0) at which the constraints hold, with xi the increment of the tree's
 * coordinates, q = q0 (+) xi, and dv that of its velocities, the constraints leave
 *
 *   G xi = 0,     (G, Gr) dv + (..) xi = 0          G: rows on positions, Gr: rows on velocities
 *
 * States are the entries xi_P and dv_R of coordinates that an elimination with pivots leaves over, and
 * the scalar unknowns x. Entries and not a basis, which would turn with the motion: their rates are
 *
 *   (xi_P)' = (dv - omega0 x xi)_P        the product for increments of quaternions alone
 *   (dv_R)' = (a - a0)_R
 */
#ifndef HK_SIMULATION_STATESPACE_H
#define HK_SIMULATION_STATESPACE_H

#include "hooke/statespace.h"
#include "simulation/live.h"

/* one mode */
typedef struct hk_statespace_mode_data {
  double re, im;       /* lambda; im >= 0 */
  double mu[2];        /* multiplier, of a periodic motion; else NAN */
  int32_t column;      /* of the eigenvectors */
  bool turned;         /* the vectors are those of the conjugate */
  bool pair;           /* the next column is the imaginary part */
  int32_t state, body; /* that take part most; -1: no body moves */
  double share;        /* of the body in the kinetic energy */
  double phase[2];     /* factor that makes the largest motion real */
} hk_statespace_mode_data;

struct hk_statespace {
  hk_mark mark;
  hk_ctx *ctx;
  hk_model *m;
  hk_pool *pool;
  int32_t np, nr, nx;    /* states: positions, velocities, scalar unknowns */
  int32_t n, nu, ny, nb; /* states, inputs, outputs, bodies of the model file */
  int32_t *place;        /* n: tree velocity; of unknowns nv + their number */
  const double *sign;    /* nv + nx + nz: of the names against the tree */
  int32_t *outputs;      /* ny: handles of their channels */
  int32_t *inputs;       /* nu: inputs of the simulation */
  double *A, *B, *C, *D; /* column-major, by names and signs of the caller */
  double *follow; /* nv x nu: motions of all coordinates of the tree with an input, states fixed */
  const double *moves; /* nv x np: motions of all coordinates of the tree with one position each */
  double *twist;       /* 6 nb x np: of the bodies about a point, by the positions */
  double *arm;         /* 3 nb: from that point to the body's own frame */
  hk_inertia *inertia; /* nb: about that point */
  const char **name, **output_name; /* n, ny */
  const char **input_name;          /* nu */
  double *input_value;              /* nu */
  const char **unit, **output_unit; /* of the states and outputs */
  double *value;                    /* n: states as they are */
  double *output_value;             /* ny */
  double acceleration;              /* the largest of the state */
  double roughness;                 /* the largest of the slopes */
  double period;       /* s; > 0: A takes states from the beginning of a period to its end */
  double period_error; /* of A, against its size */
  double period_apart; /* how far the motion is from repeating itself */
  int32_t period_open, period_steps; /* state that has it; steps of the last runs */
  double varies; /* how much the equations change along the motion, against their size */
  const hk_statespace_options *how; /* while it is made; NULL: nothing beside A */
  double *P, *Pinv, *Pd; /* n x n: x = P z, z the states that A is of; NULL: x itself. Pd = dP/dt */
  const double *zright;  /* right eigenvectors in z */
  hk_slopes *pencil;     /* sparse matrices (statespace_pencil.c); NULL: none */
  double shift;          /* not 0: A is that of the shift, with eigenvalues 1 / (lambda - shift) */
  /* large models, which have no A (statespace_large.c): */
  bool large;
  int32_t want;                    /* modes to find; 0: ten */
  double near_Hz, low_Hz, high_Hz; /* where; 0: the slowest */
  double *columns, *offset;        /* 6 nv: of the tree; 3 m->nb: from O to centres of mass */
  hk_inertia *masses;              /* m->nb: about O */
  double *motion;                  /* nmodes x nb x 12: twists of bodies, real and imaginary part */
  bool still; /* columns of velocities are left out: as if nothing depended on them */
  const double *accelerations; /* nv + nx + nz: of the state, tree coordinates */
  int32_t accelerated, rough;  /* states that have them */
  const char *moving; /* the body that has the acceleration, where states do not tell; NULL */
  int32_t driver;     /* an input that prescribes a position or a rate; -1: none */
  int32_t nmodes;
  hk_statespace_mode_data *mode; /* nmodes */
  double *left, *right;          /* n x n: eigenvectors as of lapack.h */
};

static inline bool hki_is_statespace(const hk_statespace *l) {
  return hki_is(l, HK_MARK_STATESPACE);
}

/* what the constraints leave free at the present state of a simulation (statespace_states.c) */
typedef struct hk_statespace_free {
  int32_t np, nr;
  double hold;              /* of the row that holds least against the one that holds most */
  int32_t *position, *rate; /* np, nr: tree velocities, ascending */
  double *Tp,
      *Tv; /* nv x np, nv x nr, column-major: motions of all coordinates with one of these */
} hk_statespace_free;
hk_status hki_statespace_free_find(hk_sim *s, hk_pool *pool, hk_statespace_free *out);
/* states of l, their names and signs (nv + nx + nz, against the tree) */
hk_status hki_statespace_states_find(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                     double *sign);

/* HK_OK where the matrices exist, else an error that says why not; inputs: B and D too */
hk_status hki_statespace_whole(const hk_statespace *l, bool inputs);
/* everything about the present state of s, which is left anywhere, into l, whose ctx, m and pool are set;
 * still: without columns of velocities */
hk_status hki_statespace_fill(hk_statespace *l, hk_sim *s, bool still, hk_statespace_free *free);
/* matrices about the present state of s, a clone, which is left anywhere (statespace_differences.c);
 * outputs: ny handles of channels */
hk_status hki_statespace_differences(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                     const double *sign, const int32_t *outputs);
/* A over the period l->period by runs with this integrator (statespace_period.c) */
hk_status hki_statespace_monodromy(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                   const double *sign, const char *integrator);
/* States in which equations of rotors do not change (statespace_rotor.c), if l->how asks for them: */
/* P and its rate at the state of s, `turned` s behind that at which turning axes agree with fixed ones */
hk_status hki_statespace_turn(hk_statespace *l, const hk_sim *s, double turned);
/* A, B, C in these states; eigenvectors back from them */
hk_status hki_statespace_turn_matrices(hk_statespace *l);
hk_status hki_statespace_turn_back(hk_statespace *l);
/* l->varies, from A at the state that (q0, v0) moves to within tau, at which s is left */
hk_status hki_statespace_compare(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                 const double *q0, const double *v0, double tau);
/* a good tau: the time in which the fastest coordinate goes 0.7 rad or 0.7 of the model's length; 0:
 * nothing moves */
double hki_statespace_look_ahead(const hk_sim *s);
/* twist, arm and inertia, at the present state of s (statespace_modes.c) */
hk_status hki_statespace_bodies(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                const double *sign);

#endif
