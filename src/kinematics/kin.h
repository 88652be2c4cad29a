/* SPDX-License-Identifier: Apache-2.0
 *
 * kin.h: quantities that follow from a state of the tree and are the same for every formulation:
 * body frames, motion subspaces, velocities, closures, applied wrenches, energies.
 *
 * Spatial vectors are in world axes about one point O per tree: the present position of the tree's
 * first body, taken as fixed in space while one state is evaluated. A body's twist is then the sum
 * of the joint twists on the path from the ground, and wrenches and inertias add without being
 * moved. With S_j the column of coordinate j, and sums over the coordinates on the path:
 *
 *   V  = sum S_j v_j                                   twist
 *   A  = A0 + sum S_j a_j                              spatial acceleration
 *   A0 = A0_parent + V_parent x V_rel + bias_rel       its part at a = 0
 *
 * Source: Cuadrado and Dopico 2003, eqs. 3-19, with O moved from the world's origin to the
 * mechanism, so that no accuracy is lost far from the origin.
 *
 * All arrays are in one arena; nothing here allocates after the layout.
 */
#ifndef HK_KINEMATICS_KIN_H
#define HK_KINEMATICS_KIN_H

#include "model/model.h"

/* Data that change only between steps; saved and restored as one block of n doubles. The other
 * pointers lie inside the block. */
typedef struct hk_discrete {
  int32_t n;
  double *block;
  double *active; /* nc: 1 = the closure is active, 0 = switched off */
  double *remark; /* nremark x 12: first markers (R, p) that events have moved */
  double *lock;   /* nlock: stored values of locked coordinates and rows */
  double *push;   /* nstops: rates that rows of stops take in a projection, 0 but in an impact */
  double *turn;   /* nturn: measured coordinates at the last accepted state, to count full turns */
  double *d;      /* nd: discrete data of elements */
  double *mem;    /* nmem: what signals with memory remember */
  double *travel; /* ntravel x HK_TRAVEL: coordinates that follow their rates (travel.c) */
  double *normal; /* nnormal: normal forces of friction, at the state under evaluation; */
  double *shift;  /* nnormal: what stages must add to theirs (machines/friction/normal.h) */
  double *seen;   /* nseen: channels that are known only at accepted states, for expressions */
} hk_discrete;

/* What is kept of a coordinate that follows its rate or acceleration: the time of the last accepted
 * state, its value and rate there, each with the part that is lost in the sum. */
enum { HK_TRAVEL_T, HK_TRAVEL_X, HK_TRAVEL_X_LOW, HK_TRAVEL_V, HK_TRAVEL_V_LOW, HK_TRAVEL };

enum { HK_SIGNAL_RATED = 2 }; /* in hk_kin.sig_state */

/* such a coordinate, and the last integrals of its signal s: area of s, moment of (to - t) s */
typedef struct hk_travel {
  int32_t signal, order;  /* its signal of kind HK_SIGNAL_TRAVEL */
  int32_t closure;        /* the row that it moves */
  int32_t source, nchain; /* s; signals that s reads, and s, in their order */
  int32_t *chain;
  bool by_input; /* s reads an input: its integrals may change without the times */
  double from, to, area, moment;
} hk_travel;

/* a revolute's rotation as R = K3 + cos K1 + sin K2, body axes to parent axes */
typedef struct hk_hinge {
  double K1[9], K2[9], K3[9];
} hk_hinge;

/* a body's place in the tree, kept small for the passes over the tree */
typedef struct hk_link {
  int32_t parent, v0, nv;
  bool floating;
} hk_link;

/* tangent of a force in the coordinates of its path: K = fz' ks fz, C = fz' cs fz */
typedef struct hk_force_row {
  int32_t z0;            /* first entry of its rank x path.n rows in hk_kin.fz */
  int32_t rank;          /* number of deformations, at most 6 */
  double ks[36], cs[36]; /* rank x rank, rows 6 apart */
} hk_force_row;

/* runs of coordinates in a path: [0, both) move both markers, [both, first) the first alone,
 * [first, n) the second alone */
typedef struct hk_runs {
  int32_t both, first;
  bool floating; /* the path begins with the six coordinates of a floating body */
} hk_runs;

/* closures without signals whose rows are positions of one point: evaluated by a faster path */
typedef enum hk_point_kind { HK_POINT_NONE, HK_POINT_AXES, HK_POINT_DISTANCE } hk_point_kind;

/* data of such rows: the marker origins, d = pB - pA and its length, one direction a per row */
typedef struct hk_closure_points {
  double pA[3], pB[3], d[3], a[3][3], length;
} hk_closure_points;

/* what hki_kin_energy saw of a force at one state, for its work over a step (work.c) */
typedef struct hk_force_trace {
  hk_frame m[HK_ELEMENT_MARKERS];      /* not of elements with `power` */
  double s, sd;                        /* joint coordinate, or deformation; its rate */
  double energy, dissipated, supplied; /* J, W, W */
  double moving;                       /* supplied by a scale that a motion turns, W */
  double spent;                        /* dissipated by laws that count it themselves, J */
} hk_force_trace;

/* a mean rate where there is no last step; programs take all numbers for finite */
#ifdef HK_FOLLOWED
#define HK_NO_RATE 1e300
static inline bool hki_no_rate(double x) { return !(x < HK_NO_RATE); }
#else
#define HK_NO_RATE NAN
static inline bool hki_no_rate(double x) { return isnan(x); }
#endif

/* the same of its inputs, and of its scalar unknowns */
typedef struct hk_input_trace {
  double u[HK_ELEMENT_INPUTS];
  /* rate where the input follows time alone, else the mean rate over the last step; HK_NO_RATE: unknown */
  double ud[HK_ELEMENT_INPUTS];
  double x[HK_ELEMENT_UNKNOWNS], xd[HK_ELEMENT_UNKNOWNS];
} hk_input_trace;

/* the same of an element on several markers */
typedef struct hk_wide_trace {
  double dissipated, supplied; /* W */
} hk_wide_trace;

typedef struct hk_trace {
  hk_force_trace *force; /* nf */
  double *z;             /* 2 nz: private states of forces, then their rates */
  hk_input_trace *input; /* nf; NULL where no force has changing inputs or unknowns */
  hk_wide_trace *wide;   /* nwide */
  hk_frame *wide_m;      /* their markers, one element after the other */
} hk_trace;

typedef struct hk_lanes hk_lanes;   /* four bodies at once (lanes.h) */
typedef struct hk_single hk_single; /* revolutes one by one (single.h) */
typedef struct hk_single_turn hk_single_turn;
typedef struct hk_plane hk_plane; /* plane mechanisms (plane.h) */
typedef struct hk_beside hk_beside;
typedef struct hk_pin hk_pin;
typedef struct hk_rows4 hk_rows4;   /* four closures at once (rows4.h) */
typedef struct hk_pulls4 hk_pulls4; /* four forces at once (pulls4.h) */

/* How far the workspace is good for the present state. Each function that fills a part makes it
 * known, each change of what the part depends on makes it unknown, and whoever reads it asserts
 * that it is known (HK_KNOWN). */
enum {
  HK_KIN_FRAMES = 1u,    /* frame: R, p */
  HK_KIN_MOTION = 2u,    /* frame: w, v */
  HK_KIN_SUBSPACES = 4u, /* O, S, I */
  HK_KIN_TWISTS = 8u,    /* V, A0 */
  HK_KIN_SIGNALS = 16u,  /* sig of the signals that forces and closures need; held nodes */
  HK_KIN_EVERY_SIGNAL = 32u,
  HK_KIN_CLOSURES = 64u,  /* phi, phit, gz, points */
  HK_KIN_BIAS = 128u,     /* gamma */
  HK_KIN_FORCES = 256u,   /* W, tau */
  HK_KIN_TANGENTS = 512u, /* row, fz, fu, sig_dq, sig_dv */
  HK_KIN_ENERGY = 1024u,  /* kinetic, potential, dissipated, supplied, momentum */
  HK_KIN_KEPT = 2048u,    /* kept_w, kept_y */
  /* what hki_kin_positions, hki_kin_velocity, hki_kin_forces and hki_kin_energy fill */
  HK_KIN_POSITIONS = HK_KIN_FRAMES | HK_KIN_SUBSPACES,
  HK_KIN_VELOCITIES = HK_KIN_MOTION | HK_KIN_TWISTS,
  HK_KIN_OF_FORCES = HK_KIN_FORCES | HK_KIN_TANGENTS | HK_KIN_ENERGY | HK_KIN_KEPT,
  HK_KIN_OF_CLOSURES = HK_KIN_CLOSURES | HK_KIN_BIAS
};
#define HK_KNOWN(k, parts) HK_ASSERT(hki_kin_knows(k, parts))

/* Which evaluations need a signal? What feeds nothing but signals that remember is taken in at
 * accepted states, once the run has started. */
typedef enum hk_kin_live { HK_LIVE_NEVER, HK_LIVE_BEFORE_START, HK_LIVE_ALWAYS } hk_kin_live;

typedef struct hk_kin {
  const hk_model *m;
  uint32_t known;       /* HK_KIN_ bits */
  uint32_t always;      /* those of parts that are empty in this model */
  uint32_t by_velocity; /* those of parts that depend on velocities, beside these themselves */
  uint32_t by_place;    /* those of parts that depend on positions alone, beside these themselves */
  hk_discrete disc;
  /* why an element cannot go on from the last accepted state, NULL: all can; its name, and whether it is one of a beam */
  const char *refused, *refuser;
  bool refuser_bends;
  double t;     /* of the last hki_kin_state */
  double t_cap; /* signals use times below this one, the limit before a jump; INFINITY: no limit */
  const double *q, *v; /* of the last hki_kin_state */
  double *q_placed;    /* nq: where the bodies are, once positions are known */
  double *v_moved;     /* nv, models with private states: their velocities there, where `moved` */
  bool moved;
  /* bodies */
  hk_frame *frame;      /* nb: internal frames */
  double *O;            /* nb x 3: reference point of the body's tree */
  double *S;            /* nv x 6 */
  double *V, *A0;       /* nb x 6 */
  hk_inertia *I;        /* nb, about O */
  hk_hinge *hinge;      /* nb: constants of revolute joints */
  hk_link *link;        /* nb */
  hk_lanes *lanes;      /* m->nquad groups of four bodies; NULL: bodies one by one, */
  hk_single *single;    /* nb: their constants; NULL: by the passes for any processor */
  hk_single_turn *turn; /* nb: those of their rotation, where the axis does not say it */
  hk_plane *plane;      /* nb: of a plane mechanism whose bodies go one by one; else NULL */
  hk_beside *beside;    /* its rows side by side, where they are few; else NULL */
  double *plane_turn;   /* sines, then cosines of its angles, numbers of four more than nb each */
  uint8_t *upright;     /* nb, 1: the user's axes of a body are those of the body */
  uint8_t *spherical, *biased; /* nb, 1: a spherical joint; a joint with bias_rel other than 0 */
  uint8_t *floating; /* nb, 1: free joint with the ground at the body's own origin, so that
                        S = [(0, I), (R, 0)] */
  uint8_t *inert;    /* nb: hk_inert_kind */
  uint8_t *loaded;   /* nb, 1: some body of its subtree has inertia */
  /* closures; row r of closure c is row0 + r of phi, phit, gamma, and gz[gz0[c] + r path.n ...] is
   * its compact Jacobian: one number per coordinate of the closure's path */
  double *phi, *phit, *gamma; /* nrows: value, partial time derivative, acceleration bias */
  double *slope;              /* m->nslope: slopes of couplings in their arguments */
  double *gz;
  int32_t *gz0;              /* nc + 1 */
  hk_runs *gruns;            /* nc: runs of the paths */
  uint8_t *point;            /* nc: hk_point_kind */
  uint8_t *in_plane;         /* nc, 1: evaluated by plane.c */
  hk_pin *pin;               /* nc: their constants */
  hk_closure_points *points; /* nc, of the last hki_kin_closures, of those that go alone */
  /* Closures that go four at a time; their rows are in gz twice, behind gz0[nc - 1] too, and gz0[nc] counts all. cturn: what
   * is evaluated one after the other, closure c, or ~i: group i */
  int32_t ncturn, *cturn;
  int32_t *rows4_dof;
  hk_rows4 *rows4;
  const struct hk_rows4_passes *rows4_passes;
  /* forces */
  double *W;         /* nb x 6: applied wrenches about O, gravity included */
  double *tau;       /* nv: forces on tree coordinates */
  hk_force_row *row; /* nf */
  hk_runs *fruns;    /* nf: runs of the paths */
  double *fz;        /* d(deformation) / d(coordinates of the path): row[i].rank x path.n each */
  /* groups of forces that go four at a time, whose rows are in fz twice; the other forces */
  int32_t npulls, *pulls_dof;
  hk_pulls4 *pulls;
  int32_t nalone, *alone;
  const struct hk_pulls4_passes *pulls_passes;
  double *fu;   /* d(force) / d(input) on the path, for state inputs: nu x path.n each */
  int32_t *fu0; /* nf: first entry in fu, or -1 */
  double *u;    /* nf x HK_ELEMENT_INPUTS: present inputs */
  /* groups of HK_ELEMENT_LANES forces that look ahead together (hk_element_ops.ahead), and what they saw */
  int32_t nlooks, *look;
  int32_t *look_of; /* nf, where there are groups: entry in look and looks, or HK_NONE */
  double (*looks)[HK_ELEMENT_AHEAD];
  /* what recorders want of forces: with `cache_forces`, chosen once for a run, hki_kin_energy keeps
   * wrenches and outputs */
  bool cache_forces;
  double *kept_w; /* nf x 12: wrenches on both markers */
  double *kept_y; /* nf x HK_ELEMENT_OUTPUTS */
  /* elements on several markers: frames and results of one at a time (wide.h), kept outputs of all */
  hk_frame *wide_frame; /* wide_most */
  hk_wide_out *wide;
  hk_wide_inertia *wide_inertia; /* of those with inertia, */
  double *wide_acc;              /* 6 wide_most: accelerations of the markers of one */
  double *kept_wide;             /* wide_ny */
  struct hk_kin_team *team;      /* threads that share their evaluation (wide_team.c); NULL: none */
  struct hk_kin *under; /* that of the state under evaluation, which shares them; NULL: this one */
  bool downhill;        /* elements without a potential give way to those that have one (wide.h) */
  /* where hki_kin_energy leaves what it saw of each force; NULL: nowhere */
  const hk_trace *trace;
  /* scalar nodes: values and rates */
  double *x, *xd; /* nx + 1 + nheld: unknowns, the reference (0), nodes held by signals */
  double *net;    /* nnet x 2 HK_ELEMENT_UNKNOWNS: values and rates in the order of each element */
  /* private states of forces (state.h); machines with two workspaces share those of the accepted
   * state's */
  hk_states *state;         /* nstateful: per force */
  double *z, *zd;           /* nz: values, rates */
  double *zc, *zmid;        /* nz: constant parts of rates in a stage; 2 nz: states within a step */
  hk_state_iterate *zlast;  /* nz: the iterate before, in a stage */
  hk_state_branch *zbranch; /* nz: branches of laws at the present one */
  /* signals */
  double *sig;             /* nsignals x 3: value, rate, acceleration; rates are 0 for signals that
                              read channels */
  uint8_t *sig_state;      /* nsignals, 1: reads channels; HK_SIGNAL_RATED: and has a rate */
  uint8_t *sig_live;       /* nsignals, hk_kin_live */
  double *sig_in;          /* 3 max_reads: scratch for inputs, their rates and accelerations */
  double *sig_dq, *sig_dv; /* nsig_grad x nv: gradients of signals that read channels */
  int32_t *sig_grad;       /* nsignals: row in sig_dq, sig_dv, or -1 */
  int32_t nsig_grad, max_reads;
  int32_t *sig_mem;    /* nsignals: first entry in disc.mem, -1: no memory */
  double *mem_u;       /* scratch for the operands of one of them */
  int32_t nmem, nacts; /* numbers that they remember; those signals that change by themselves */
  int32_t ntravel;
  hk_travel *travel;   /* ntravel */
  int32_t *sig_travel; /* nsignals: index in `travel`, -1: none */
  int32_t nseen;
  hk_channel *seen_channel; /* nseen: channels of disc.seen */
  int32_t *seen_of;         /* read j of signal i: seen_of[seen0[i] + j] is its index in disc.seen,
                               or -1 */
  int32_t *seen0;           /* nsignals */
  /* energies of the last hki_kin_energy */
  double kinetic, potential, dissipated, supplied; /* J, J, W, W */
  double momentum[3];                              /* of the bodies, kg m/s */
  uint8_t *shifting; /* nb, 1: a node without rotation in space, whose columns and inertia are
                        constant */
} hk_kin;

/* measure (base NULL) or assign the memory; call twice */
void hki_kin_layout(hk_kin *k, const hk_model *m, hk_arena *a);
/* entries that gz has room for; gz0[nc] of them are in use */
size_t hki_kin_most_rows(const hk_model *m);
/* constants, initial discrete data */
void hki_kin_init(hk_kin *k);
/* Use the discrete data of another machine of the same model, which owns them and lives as long; the
 * block of this one lies idle. */
static inline void hki_kin_share_discrete(hk_kin *k, const hk_kin *owner) {
  HK_ASSERT(k->m == owner->m && k->disc.n == owner->disc.n);
  k->disc = owner->disc;
}
/* the same for private states of forces */
static inline void hki_kin_share_states(hk_kin *k, const hk_kin *owner) { k->state = owner->state; }
/* from now on hki_kin_energy keeps wrenches and outputs of forces for whoever records them */
static inline void hki_kin_keep_forces(hk_kin *k) { k->cache_forces = true; }

/* frames, S, O, inertias, V, A0 for a state of the tree */
void hki_kin_state(hk_kin *k, double t, const double *q, const double *v);
/* its first half: frames (without velocities), S, O, inertias; does nothing when q is unchanged */
void hki_kin_positions(hk_kin *k, double t, const double *q);
/* other velocities at the same positions: V, A0, frame velocities */
void hki_kin_velocity(hk_kin *k, const double *v);
/* Frames at (t, q, v) that a machine has filled by its own coordinates, without S and V; discrete
 * data and the limit of time are those of `accepted` */
void hki_kin_own_frames(hk_kin *k, const hk_kin *accepted, double t, const double *q,
                        const double *v);
static inline bool hki_kin_knows(const hk_kin *k, uint32_t parts) {
  return (k->known & parts) == parts;
}
/* parts that something outside the state has changed: events, discrete data put back */
static inline void hki_kin_forget(hk_kin *k, uint32_t parts) {
  k->known = (k->known & ~parts) | k->always;
}

/* values and rates of the scalar unknowns (rates NULL: as they were) */
void hki_kin_unknowns(hk_kin *k, const double *x, const double *xd);
/* Private states of forces: how they are found from now on. hold: their values are z (NULL: as they
 * were); stage: dz/dt = c + gamma z, c in k->zc; rest: dz/dt = 0. */
void hki_kin_hold_states(hk_kin *k, const double *z);
void hki_kin_stage_states(hk_kin *k, double gamma);
/* back to the stage under way, from states that were held in between */
void hki_kin_stage_again(hk_kin *k, double gamma);
/* the next iterate of a stage: the states found last become those of the iterate before */
void hki_kin_next_iterate(hk_kin *k);
/* is a law in another branch than at the iterate before? */
bool hki_kin_branched(const hk_kin *k);
void hki_kin_rest_states(hk_kin *k);
/* evaluates the forces that have private states at the present state of k: k->z, k->zd */
void hki_kin_find_states(hk_kin *k);
/* discrete data of laws with memory become those of the present state */
void hki_kin_advance_laws(hk_kin *k);
/* index in x of a channel that is a scalar node's value or an element's own unknown; or HK_NONE */
int32_t hki_kin_channel_value(const hk_kin *k, hk_channel c);

/* closures at the present positions: phi, phit, gz of the active ones */
void hki_kin_closures(hk_kin *k);
/* other velocities at the same positions, with the signals and closures that depend on them */
void hki_kin_closures_at(hk_kin *k, const double *v);
/* their acceleration bias gamma, at the present velocities and the positions of the last
 * hki_kin_closures */
void hki_kin_closure_bias(hk_kin *k);
/* Rows on velocities alone have phi = 0. Sets their phi to (Phi_z v + phit) / cv at the present
 * velocities: their residual as a length or angle in a stage with v = vh + cv D. */
void hki_kin_rate_rows(hk_kin *k, double cv);

/* --- couplings (coupling.c) --- */
/* A coupling at the values s of its arguments: its value, partial time derivative and slopes f (n).
 * Rows on velocities have phi = 0, slopes f in rates alone and phit = psi - sum f ds/dt: psi at rest,
 * unless the row is curved. sd: rates of the arguments, used of curved rows alone. */
void hki_coupling_eval(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                       double *phi, double *phit, double *f);
/* the part of its acceleration bias that does not come from its arguments; sd: rates of all of them */
double hki_coupling_bias(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd);
/* h (n x n): second derivatives in its arguments, which are rates or values (hk_coupled.rate) */
void hki_coupling_bend(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                       double *h);
/* g (n): slopes of a row on velocities in the values of its coordinates, at the rates sd */
void hki_coupling_shift(const hk_kin *k, const hk_coupling *c, const double *s, const double *sd,
                        double *g);
/* fd (n): rates of its slopes in its arguments; sdd: accelerations of the coordinates, for rows on
 * velocities, whose fd is 0 without them (NULL) */
void hki_coupling_slope_rates(const hk_kin *k, const hk_coupling *c, const double *s,
                              const double *sd, const double *sdd, double *fd);
static inline bool hki_coupling_of_rates(const hk_coupling *c) {
  for (int32_t i = 0; i < c->n; i++)
    if (c->arg[i].rate) return true;
  return false;
}
/* slope i of a coupling that its force acts along: -lam times it is the force on coordinate i */
static inline double hki_coupling_push(const hk_kin *k, const hk_coupling *c, int32_t i) {
  return c->servo ? c->arg[i].push : k->slope[c->slope0 + i];
}
/* row of a closure, or its gamma (bias); for src/kinematics only */
void hki_kin_coupling(hk_kin *k, int32_t closure, bool bias);
/* s, sd (n each): arguments of a coupling and their rates; of joints in the tree, and measured */
void hki_kin_coupled(const hk_kin *k, const hk_coupling *c, double *s, double *sd);
/* part of the acceleration bias of a row that comes from A0 and the velocities of its markers */
double hki_kin_row_bias(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                        const double *gB);

/* y[row] = Phi_z x over the active rows (0 for the others) */
void hki_kin_rows(const hk_kin *k, const double *x, double *y);
/* the same with other rows G, laid out as gz */
void hki_kin_rows_of(const hk_kin *k, const double *G, const double *x, double *y);
/* r += G' mu */
void hki_kin_add_rows(const hk_kin *k, const double *G, const double *mu, double *r);

enum { HK_FORCES_TANGENT = 1u };
/* W and tau of all elements and gravity; what = HK_FORCES_TANGENT: also row, fz, fu */
void hki_kin_forces(hk_kin *k, uint32_t what);
/* kinetic, potential, dissipated, supplied, momentum at the present state */
void hki_kin_energy(hk_kin *k);
/* does a force of the model have inputs or unknowns that change, so that a trace has `input`? */
bool hki_model_input_traces(const hk_model *m);
/* Work of each force over a step of length h, from traces at its ends: work[2 i] dissipated,
 * work[2 i + 1] supplied, J. h0: length of the step before, if mean rates of inputs are known. The
 * mean rates of `to` are filled. */
void hki_kin_work(const hk_kin *k, double h, double h0, const hk_trace *from, const hk_trace *to,
                  double *work);
/* discrete data of elements that follow the motion, at an accepted state; a part of
 * hki_kin_commit_turns */
void hki_kin_follow(hk_kin *k);
/* elements choose their branches at the present positions; *changed: some branch has changed */
void hki_kin_decide(hk_kin *k, bool *changed);

/* Inertial minus applied wrench of each body at accelerations a, about O, nb x 6:
 *   F = I (A + A0) + V x* (I V) - W
 * A (nb x 6) receives the sum of S a alone, without A0. */
void hki_kin_body_forces(hk_kin *k, const double *a, double *A, double *F);
/* Spatial accelerations A = A0 + sum S a about O, nb x 6, of the bodies marked in `which` (nb; the
 * parents of a marked body must be marked too), or of all (NULL). */
void hki_kin_accelerations(const hk_kin *k, const double *a, const uint8_t *which, double *A);

/* marker frame of a body (HK_GROUND: the world) */
static inline void hki_kin_marker(const hk_kin *k, int32_t body, const hk_offset *o,
                                  hk_frame *out) {
  HK_ASSERT(body == HK_GROUND || (body >= 0 && body < k->m->nb));
  if (body == HK_GROUND) {
    memcpy(out->R, o->R, sizeof out->R);
    v3_copy(out->p, o->p);
    v3_zero(out->w);
    v3_zero(out->v);
  } else {
    HK_KNOWN(k, HK_KIN_FRAMES);
    hki_frame_marker(out, &k->frame[body], o);
  }
}
/* Joints with prescribed components of their rotation vector (turned.c). turn_back: the second
 * marker B of such a joint, turned back by the prescribed rotation; its w remains that of the body.
 * Markers of other joints stay. */
void hki_kin_turn_marker(const hk_kin *k, int32_t joint, hk_frame *B);
static inline bool hki_kin_turned(const hk_kin *k, int32_t joint) {
  return joint != HK_NONE && k->m->joints[joint].turned;
}
static inline void hki_kin_turn_back(const hk_kin *k, int32_t joint, hk_frame *B) {
  if (hki_kin_turned(k, joint)) hki_kin_turn_marker(k, joint, B);
}
/* of a marker B that is turned back: its angular velocity relative to the body, and what this adds
 * to its angular acceleration; world axes */
void hki_kin_turn_rates(const hk_kin *k, int32_t joint, const hk_frame *B, double *rel,
                        double *acc);
/* ops->loop between markers F that are turned back, the prescribed values added: as if the rotation
 * vector had no end. rt (6): partial time derivatives of the rows. */
void hki_kin_turned_loop(const hk_kin *k, int32_t joint, const hk_joint_ops *ops, const void *par,
                         const hk_frame *F, uint32_t need, hk_joint_loop *L, double *rt);
static inline void hki_kin_loop(const hk_kin *k, int32_t joint, const hk_joint_ops *ops,
                                const void *par, const hk_frame *F, uint32_t need, hk_joint_loop *L,
                                double *rt) {
  for (int i = 0; i < 6; i++) rt[i] = 0.0;
  if (hki_kin_turned(k, joint))
    hki_kin_turned_loop(k, joint, ops, par, F, need, L, rt);
  else
    ops->loop(par, &F[0], &F[1], need, L);
}
/* the same for ops->coord; returns the partial time derivative */
double hki_kin_coord(const hk_kin *k, int32_t joint, const hk_joint_ops *ops, const void *par,
                     int32_t coord, const hk_frame *F, double near, hk_joint_coord *x);
/* gd (12): derivative of the coordinate's rate by the poses of both markers at fixed twists of the
 * bodies. H: curvature (coord_geo), gB: gradient at the second marker. */
void hki_kin_coord_slope(const hk_kin *k, int32_t joint, const hk_frame *F, const double *gB,
                         const double *H, double *gd);

/* frames F[2] of a closure's markers; the first where events have moved it, the second turned back
 */
void hki_kin_closure_frames(const hk_kin *k, const hk_closure *c, hk_frame *F);
/* the stored value that row r of a closure must equal: 0 unless it is a lock */
static inline double hki_kin_stored(const hk_kin *k, const hk_closure *c, int32_t r) {
  return c->lock == HK_NONE ? 0.0 : k->disc.lock[c->lock + r];
}
/* the rate that a row must have: 0 but for stops in an impact */
static inline double hki_kin_stored_rate(const hk_kin *k, const hk_closure *c) {
  return c->push == HK_NONE ? 0.0 : k->disc.push[c->push];
}
/* Covectors gA, gB (6 each) at two markers with frames F[2] on bodies body[2], as a row in the
 * coordinates of a path: out[path.n]. */
void hki_kin_pull(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                  const double *gB, const hk_path *path, double *out);
hk_runs hki_kin_runs(const hk_path *path);
/* the same with known runs; for src/kinematics only */
void hki_kin_pull_runs(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                       const double *gB, const hk_path *path, const hk_runs *runs, double *out);
/* scalar joint coordinate: value and rate */
void hki_kin_scalar(const hk_kin *k, int32_t scalar, double *s, double *sd);
/* Coordinates, rates and accelerations of the joint between a body and its parent, measured from
 * the markers A and B and their accelerations aA, aB (6 each: angular, linear; world axes). Written
 * into the tree's qt, vt, at at the places of the body. qlast: last accepted qt, for the number of
 * full turns. */
void hki_kin_measure(const hk_model *m, int32_t body, const hk_frame *A, const hk_frame *B,
                     const double *aA, const double *aB, const double *qlast, double *qt,
                     double *vt, double *at);
/* remember the turns of measured coordinates and what elements follow at an accepted state */
void hki_kin_commit_turns(hk_kin *k);
/* Has an element refused to go on from the last accepted state? Then buf says which, and why. */
bool hki_kin_refused(const hk_kin *k, char *buf, size_t cap);
/* value of a channel that positions and velocities determine (hki_channel_level < 2) */
double hki_kin_channel(const hk_kin *k, hk_channel c);
/* The same with all components of the channel's vector (a position, a force's outputs), which cost
 * nothing more: y[component]. Of scalar channels only y[c.component] is written. */
enum { HK_CHANNEL_COMPONENTS = HK_COUPLED };
void hki_kin_values(const hk_kin *k, hk_channel c, double *y);
/* the rotation that an orientation channel of a body or joint reports */
void hki_kin_orientation(const hk_kin *k, hk_channel c, double *R);
/* its trace alone */
double hki_kin_orientation_trace(const hk_kin *k, hk_channel c);
/* add scale * d(channel)/dq to rowq and d/dv to rowv (nv each) */
void hki_kin_channel_gradient(const hk_kin *k, hk_channel c, double scale, double *rowq,
                              double *rowv);
/* wrenches w[12] on the markers of a force at the present state */
void hki_kin_force_wrench(const hk_kin *k, int32_t force, double *w);
/* outputs y of a force at the present state */
void hki_kin_force_output(const hk_kin *k, int32_t force, double *y);

/* G . S of the six columns of a floating body */
static inline void hki_floating_dots(const double *S, const double *G, double *out) {
  v3_copy(out, G + 3);
  for (int i = 0; i < 3; i++) out[3 + i] = v3_dot(S + 18 + 6 * i, G);
}

/* signals: value (and rate, acceleration of time-only ones) of all live ones, or of all */
void hki_kin_signals(hk_kin *k, bool all);
/* one of them, from those that it reads */
void hki_kin_signal(hk_kin *k, int32_t si);
void hki_kin_signal_gradients(hk_kin *k);
/* slopes of one signal in its reads: g[nreads], 0 for reads that its expression does not use */
void hki_kin_signal_slopes(hk_kin *k, int32_t signal, double *g);

/* Signals with memory (memory.c). At an accepted state whose frames are known: they take what is due,
 * each from the present values of what it reads, earlier ones first; true: a value has changed. */
bool hki_kin_commit(hk_kin *k, hk_commit when, double t);
/* a variable gets a value; a signal with memory begins anew at time t */
void hki_kin_set_memory(hk_kin *k, int32_t signal, double value);
void hki_kin_reset_memory(hk_kin *k, int32_t signal, double t);
/* Does a condition ask a signal with memory for a change, at the present values of the signals?
 * state: only conditions that read channels count. */
bool hki_kin_commit_due(const hk_kin *k, bool state);
/* the first signal for which one does, HK_NONE: none */
int32_t hki_kin_commit_which(const hk_kin *k);
/* can such a condition of signal si, or of any (HK_NONE), still ask for one? */
bool hki_kin_commit_waits(const hk_kin *k, int32_t si);
/* the first time behind t at which signal si may jump or bend, the signals it reads apart */
double hki_kin_next_break(const hk_kin *k, int32_t si, double t);

/* Coordinates that follow their rate or acceleration (travel.c). layout, init: of kin.c. eval: value,
 * rate and acceleration y (3) of travel signal si. */
void hki_travel_layout(hk_kin *k, hk_arena *a);
void hki_travel_init(hk_kin *k);
void hki_travel_eval(hk_kin *k, int32_t si, double *y);
/* From time t on they go on from the present values and rates of their coordinates: in a run that of
 * closure c alone; at the start all of them (HK_NONE), from the value that a constraint has given to
 * its only coordinate (the length of a distance). */
void hki_kin_travels_begin(hk_kin *k, int32_t c, double t);
/* at an accepted state: they go on from time t */
void hki_kin_travels_step(hk_kin *k, double t);

/* copies the present values of signals to the inputs u of a force */
void hki_kin_force_inputs(const hk_kin *k, int32_t force);
/* power dissipated by a force at the present state, W */
double hki_kin_force_dissipation(const hk_kin *k, int32_t force);
/* call the elements that have a hook, at the present state; true: discrete data have changed */
bool hki_kin_hook(hk_kin *k, hk_hook when);

#endif
