/* SPDX-License-Identifier: Apache-2.0
 *
 * kin.h: everything that follows from a state of the tree and is the same for every formulation:
 * body frames, motion subspaces, velocities, closures, applied wrenches, energies.
 *
 * Spatial vectors are in world axes about one point O per tree (mechanism): the present place of
 * its first body, taken as fixed in space while one state is evaluated. A body's twist is then the
 * plain sum of the joint twists on its way from the ground, and wrenches and inertias add without
 * being moved (Cuadrado and Dopico 2003, eqs. 3-19, with O moved from the world's origin to the
 * mechanism, so that nothing is lost far from the origin).
 *
 *   V = sum S v        A = A0 + sum S vdot        S column of a coordinate, A0 velocity-product
 * part A0 = A0_parent + V_parent x V_rel + bias_rel
 *
 * Everything lives in one arena; nothing here allocates after create.
 */
#ifndef HK_KINEMATICS_KIN_H
#define HK_KINEMATICS_KIN_H

#include "model/model.h"

/* what changes only between steps: kept, saved and restored as one block of doubles */
typedef struct hk_discrete {
  int32_t n;
  double *block;
  double *active; /* nc: 1 where a closure holds */
  double *remark; /* nremark x 12: run-time first markers (R, p) */
  double *lock;   /* nlock: stored values of locked coordinates and rows */
  double *turn;   /* nturn: measured coordinates at the last accepted state */
  double *d;      /* nd: discrete data of elements */
  double *seen;   /* nseen: channels known only at accepted states, as expressions read them */
} hk_discrete;

/* a revolute's rotation as R = K3 + cos K1 + sin K2, body axes to parent axes */
typedef struct hk_hinge {
  double K1[9], K2[9], K3[9];
} hk_hinge;

/* a body's place in the tree: what the passes over the tree need of a body, close together */
typedef struct hk_link {
  int32_t parent, v0, nv;
  bool floating;
} hk_link;

/* what a force looks like in the coordinates of its path */
typedef struct hk_force_row {
  int32_t z0; /* first entry of its rank x path.n rows in fz */
  int32_t rank;
  double ks[36], cs[36]; /* stride 6 */
} hk_force_row;

/* a path's coordinates come in runs: [0, both) move both markers, [both, first) the first alone,
 * [first, n) the second alone */
typedef struct hk_runs {
  int32_t both, first;
  bool floating; /* the path begins with the six coordinates of a floating body */
} hk_runs;

/* closures whose rows are positions of one point, without signals: evaluated without covectors */
typedef enum hk_point_kind { HK_POINT_NONE, HK_POINT_AXES, HK_POINT_DISTANCE } hk_point_kind;

/* what such rows are made of: the two origins, their difference, and one direction per row */
typedef struct hk_closure_points {
  double pA[3], pB[3], d[3], a[3][3], length;
} hk_closure_points;

typedef struct hk_lanes hk_lanes; /* four bodies at once (lanes.h) */

typedef struct hk_kin {
  const hk_model *m;
  hk_discrete disc;
  double t;     /* of the last hki_kin_state */
  double t_cap; /* signals are taken just before this time, however late the state: left limit at a
                   jump */
  const double *q, *v; /* of the last hki_kin_state */
  double *q_placed;    /* nq: where the bodies are, once `placed` */
  bool placed;
  /* bodies */
  hk_frame *frame;             /* nb: internal frames */
  double *O;                   /* nb x 3: reference point of the body's tree */
  double *S;                   /* nv x 6 */
  double *V, *A0;              /* nb x 6 */
  hk_inertia *I;               /* nb, about O */
  hk_hinge *hinge;             /* nb: constants of joints that turn about one axis */
  hk_link *link;               /* nb */
  hk_lanes *lanes;             /* m->nquad, or NULL: bodies go one by one */
  uint8_t *spherical, *biased; /* nb: a ball joint; a joint with a bias of its own */
  uint8_t *floating; /* nb: free in the world, its joint at its own origin: S = [(0, I), (R, 0)] */
  uint8_t *inert;    /* nb: hk_inert_kind */
  uint8_t *loaded;   /* nb: some body of its subtree has inertia */
  /* closures; row r of closure c at row0 + r, its compact Jacobian row at gz + gz0[c] + r * path.n
   */
  double *phi, *phit, *gamma; /* nrows: value, partial time derivative, acceleration bias */
  double *gz;
  int32_t *gz0;              /* nc + 1 */
  hk_runs *gruns;            /* nc: runs of the paths */
  uint8_t *point;            /* nc: hk_point_kind */
  hk_closure_points *points; /* nc, of the last hki_kin_closures */
  /* forces */
  double *W;         /* nb x 6: applied wrenches about O, gravity included */
  double *tau;       /* nv: forces on tree coordinates */
  hk_force_row *row; /* nf */
  hk_runs *fruns;    /* nf: runs of the paths */
  double *fz;        /* compact rows of all forces */
  double *fu;        /* of forces with state inputs: nu x path.n each */
  int32_t *fu0;      /* nf: first entry in fu, or -1 */
  double *u;         /* nf x HK_ELEMENT_INPUTS */
  /* what recorders want of forces: with `cache_forces`, hki_kin_energy keeps wrenches and outputs, which
   * are good until the state moves on */
  bool cache_forces, forces_cached;
  double *kept_w; /* nf x 12 */
  double *kept_y; /* nf x HK_ELEMENT_OUTPUTS */
  /* scalar values: unknowns, the reference, held nodes; and as each element sees them */
  double *x, *xd; /* nx + 1 + nheld */
  double *net;    /* nnet x 2 HK_ELEMENT_UNKNOWNS: values, rates */
  /* signals */
  double *sig;             /* nsignals x 3: value, rate, acceleration (rates of time-only ones) */
  uint8_t *sig_state;      /* nsignals: reads channels */
  uint8_t *sig_live;       /* nsignals: a force or a closure needs it in every evaluation */
  double *sig_in;          /* scratch inputs, rates, accelerations */
  double *sig_dq, *sig_dv; /* nsignals_state x nv: gradients */
  int32_t *sig_grad;       /* nsignals: row in sig_dq, or -1 */
  int32_t nsig_grad, max_reads;
  int32_t nseen;
  hk_channel *seen_channel; /* nseen */
  int32_t *seen_of;         /* per signal read (prefix sums in seen0): index in seen, or -1 */
  int32_t *seen0;           /* nsignals */
  /* energies of the last hki_kin_energy */
  double kinetic, potential, dissipated, supplied; /* J, J, W, W */
} hk_kin;

/* measure (base NULL) or assign the memory; call twice */
void hki_kin_layout(hk_kin *k, const hk_model *m, hk_arena *a);
/* constants, initial discrete data */
void hki_kin_init(hk_kin *k);

/* frames, S, O, inertias, V, A0 for a state of the tree */
void hki_kin_state(hk_kin *k, double t, const double *q, const double *v);
/* its first half: frames (without velocities), S, O, inertias; nothing to do where q is the same */
void hki_kin_positions(hk_kin *k, double t, const double *q);
/* other velocities at the same positions: V, A0, frame velocities */
void hki_kin_velocity(hk_kin *k, const double *v);

/* values and rates of the scalar unknowns (rates NULL: as they were) */
void hki_kin_unknowns(hk_kin *k, const double *x, const double *xd);
/* place of a channel among the scalar values; HK_NONE: it is none of them */
int32_t hki_kin_channel_value(const hk_kin *k, hk_channel c);

/* closures at the present positions: phi, phit, gz of the active ones */
void hki_kin_closures(hk_kin *k);
/* their acceleration bias gamma, at the present velocities and the positions of the last
 * hki_kin_closures */
void hki_kin_closure_bias(hk_kin *k);
/* rows that bind velocities alone have phi = 0; here phi becomes (Phi_z v + phit) / cv at the
 * present velocities: what is left of them, as a length or angle, where v = vh + cv D */
void hki_kin_rate_rows(hk_kin *k, double cv);

/* y[row] = Phi_z x over the active rows (0 for the others) */
void hki_kin_rows(const hk_kin *k, const double *x, double *y);

enum { HK_FORCES_TANGENT = 1u };
/* wrenches W and joint forces tau of all elements and gravity; with tangents also row, fz, fu */
void hki_kin_forces(hk_kin *k, uint32_t what);
/* kinetic, potential, dissipated, supplied at the present state */
void hki_kin_energy(hk_kin *k);
/* let elements choose their branches at the present positions; did any change */
void hki_kin_decide(hk_kin *k, bool *changed);

/* F = I A + V x* (I V) - W of each body at accelerations a, with A = A0 + sum S a; nb x 6. A (nb x
 * 6) becomes the sum of S a alone */
void hki_kin_body_forces(hk_kin *k, const double *a, double *A, double *F);
/* full spatial accelerations A = A0 + sum S a about O, nb x 6: of the bodies marked in `which` (the
 * parents of a marked one must be too), or of all (NULL) */
void hki_kin_accelerations(const hk_kin *k, const double *a, const uint8_t *which, double *A);

/* marker frame of a body (HK_GROUND: the world) */
static inline void hki_kin_marker(const hk_kin *k, int32_t body, const hk_offset *o,
                                  hk_frame *out) {
  if (body == HK_GROUND) {
    memcpy(out->R, o->R, sizeof out->R);
    v3_copy(out->p, o->p);
    v3_zero(out->w);
    v3_zero(out->v);
  } else {
    hki_frame_marker(out, &k->frame[body], o);
  }
}
/* markers of a closure, the first one where events have put it */
void hki_kin_closure_frames(const hk_kin *k, const hk_closure *c, hk_frame *F);
/* the value that row r of a closure equals */
static inline double hki_kin_stored(const hk_kin *k, const hk_closure *c, int32_t r) {
  return c->lock == HK_NONE ? 0.0 : k->disc.lock[c->lock + r];
}
/* covectors gA, gB at two markers (frames F, bodies body) in the coordinates of a path */
void hki_kin_pull(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                  const double *gB, const hk_path *path, double *out);
hk_runs hki_kin_runs(const hk_path *path);
/* the same where the runs are known (internal to the room) */
void hki_kin_pull_runs(const hk_kin *k, const int32_t *body, const hk_frame *F, const double *gA,
                       const double *gB, const hk_path *path, const hk_runs *runs, double *out);
/* scalar joint coordinate: value and rate */
void hki_kin_scalar(const hk_kin *k, int32_t scalar, double *s, double *sd);
/* coordinates, rates and accelerations of a body's joint to its parent (into qt, vt, at of the
 * tree) between its markers A and B with accelerations aA, aB (6 numbers each: rotation,
 * displacement); qlast: last accepted coordinates of the tree, whose turn is kept */
void hki_kin_measure(const hk_model *m, int32_t body, const hk_frame *A, const hk_frame *B,
                     const double *aA, const double *aB, const double *qlast, double *qt,
                     double *vt, double *at);
/* remember the turns of measured coordinates at an accepted state */
void hki_kin_commit_turns(hk_kin *k);
/* value of a channel that positions and velocities determine (hki_channel_level < 2) */
double hki_kin_channel(const hk_kin *k, hk_channel c);
/* the same, and with it at no cost the other components of what it belongs to (a position, a
 * force's outputs), y[component]; coordinates of joints come alone */
enum { HK_CHANNEL_COMPONENTS = HK_ELEMENT_OUTPUTS };
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
void hki_kin_signal_gradients(hk_kin *k);
/* slopes of one signal in what it reads, g per read (size: its nreads; unread ones are 0) */
void hki_kin_signal_slopes(hk_kin *k, int32_t signal, double *g);

/* inputs of a force that are signals, from the present values of the signals into u */
void hki_kin_force_inputs(hk_kin *k, int32_t force);
/* its scalar values and rates */
void hki_kin_force_values(const hk_kin *k, int32_t force, hk_element_in *in);
/* power that a force takes out at the present state */
double hki_kin_force_dissipation(const hk_kin *k, int32_t force);
/* call the elements that ask for it, at the present state; did any change its discrete data */
bool hki_kin_hook(hk_kin *k, hk_hook when);
/* what a force sees at the present state */
void hki_kin_force_in(const hk_kin *k, int32_t force, hk_frame *frames, hk_element_in *in);

#endif
