/* SPDX-License-Identifier: Apache-2.0
 *
 * joint.h: the interface of a joint type. A type has a tree face (motion of the second body
 * relative to the first as a function of the joint's own coordinates) and a loop face (the same
 * motion as constraint equations between two marker frames); constraint-only types have the loop
 * face alone. Joints know nothing of the coordinates of the whole mechanism, of models or of
 * formulations.
 *
 * Markers. Both faces use two marker frames, A on the first body and B on the second. In the
 * drawing position they coincide (same origin, same axes), unless the joint is drawn apart; all
 * coordinates are zero there. Axes of the markers:
 *   most types     z is the joint's axis (`axis`, or `normal` of planar and in_plane)
 *   universal      z of A is `axis`; axis2 is (sin psi, 0, cos psi) in B
 *   constant_velocity, gimbal
 *                  z of A is `axis`, z of B `axis2`; B is A turned the shortest way, and coincides
 *                  with it where both shafts are drawn in line
 *   rolling        z of A is `normal`, z of B is `axis`; the origins are the contact point as drawn
 *                  and the centre of the disc
 *   knife_edge     z of A is `normal`, z of B is `axis`
 *   cam            x and y of A are those of the curve; the origin of B is the follower
 *   planar models  z, or else x or y, is along the normal of the model's plane
 *
 * Coordinates q and velocities v (v = dq/dt where it is not given):
 *   fixed          none
 *   revolute       angle
 *   prismatic      position
 *   cylindrical    angle, position
 *   screw          angle
 *   universal      a, b
 *   constant_velocity
 *                  tilt: x and y of the rotation vector
 *   spherical      quaternion wxyz
 *                  v: angular velocity of B relative to A in B axes
 *   planar         u, v (along x, y of A), angle
 *   free           position in A axes, quaternion wxyz
 *                  v: velocity of B's origin in A axes, angular velocity in B axes
 *
 * Scalar coordinates are those that `coord` measures between any two frames, also frames that do
 * not satisfy the joint, as while a cut joint closes. They can be prescribed, and forces can act on
 * them:
 *   nq = nv        all of q
 *   free           the position
 *   spherical      none
 *   distance       the length
 *   general        x y z rx ry rz; rx ry rz is the rotation vector in A axes, at most pi long, or
 *                  measured from prescribed components (kinematics/turned.c)
 *
 * Rows come in two kinds. Most bind positions: phi = 0. Those with their bit set in `rate_rows`
 * bind velocities alone (non-holonomic): GA VA + GB VB = 0, and phi is 0; their Jacobian and bias
 * are given in the same way.
 *
 * A coupling (HK_JOINT_COUPLES) joins no bodies: it relates coordinates of other joints, `couple`
 * gives its rows, and it has neither face.
 *
 * The table also holds the facts about a type that the reader, the compiler, the scene and the
 * catalogue need: its inverse, its mirror image, where it is placed, what it becomes in a plane,
 * which body it holds at a point, its symbol. Nothing outside a joint's own file knows its name.
 */
#ifndef HK_JOINTS_JOINT_H
#define HK_JOINTS_JOINT_H

#include "base/base.h"
#include "base/params.h"
#include "geometry/frame.h"
#include "geometry/glyph.h"

enum { HK_JOINT_MAX = 6 }; /* most coordinates or rows of one joint */

/* tree face: pose of B seen from A, and motion of B relative to A, in A axes at B's origin */
typedef struct hk_joint_tree {
  double R[9], p[3]; /* x_A = p + R x_B */
  double S[6 * 6];   /* column k at S + 6 k: (omega, velocity of B's origin) per unit v[k] */
  double c[6];       /* (dS/dt) v: acceleration (angular, of B's origin) at dv/dt = 0, A at rest */
} hk_joint_tree;

enum {
  HK_LOOP_POS = 1u, /* phi */
  HK_LOOP_JAC = 2u, /* GA, GB */
  HK_LOOP_ACC = 4u  /* gamma */
};

/* Loop face. V = (w, v) of a marker in world axes, dV/dt its plain time derivative (angular
 * acceleration, acceleration of the marker's origin):
 *
 *   rows on positions     phi       = 0
 *                         dphi/dt   = GA VA + GB VB
 *                         d2phi/dt2 = GA dVA/dt + GB dVB/dt + gamma
 *   rows on velocities    psi       = GA VA + GB VB = 0
 *                         dpsi/dt   = GA dVA/dt + GB dVB/dt + gamma
 *
 * Rows are written in A's axes, so that planar models can drop whole rows. They depend on the
 * relative pose alone: moving both markers together changes nothing. */
typedef struct hk_joint_loop {
  double phi[6];
  double GA[6 * 6], GB[6 * 6]; /* row r at GA + 6 r */
  double gamma[6];
} hk_joint_loop;

/* One scalar coordinate measured between two frames: value s, rate sd, gradients in world axes at
 * the marker origins, bias:
 *   sd       = gA VA + gB VB
 *   d(sd)/dt = gA dVA/dt + gB dVB/dt + bias */
typedef struct hk_joint_coord {
  double s, sd, gA[6], gB[6], bias;
} hk_joint_coord;

/* --- use in models ---------------------------------------------------------------------------- */

/* A tree may reach a joint from its second body. The motion is then T(q)^-1, of A seen from B. */
typedef struct hk_joint_inverse {
  /* T(q)^-1 is a motion of the same type. If not, a tree reaches the joint from its first body
   * only, or the joint is cut. */
  bool own;
  /* ... if both markers are rotated by Q (columns: new axes in old ones); NULL: without rotation */
  void (*turn)(const void *par, double *Q);
  /* minus[k] = 1 + j: scalar coordinate k is minus coordinate j of the inverse motion; 0: there is
   * no such j, and the scalar is measured between the markers */
  uint8_t minus[HK_JOINT_MAX];
} hk_joint_inverse;

/* how a joint is treated in a planar model */
typedef enum hk_plane_rule {
  HK_PLANE_REFUSED, /* always, with `words` */
  HK_PLANE_AXIS,    /* z along the normal of the plane: becomes `along`; z in the plane: `across` */
  HK_PLANE_TURNED,  /* any axes: z is rotated to the normal, and the joint becomes `along` */
  HK_PLANE_ROWS     /* constraints only: keeps the rows that restrict motions in the plane. With
                       `words`, only where z is along the normal (`along`) or in the plane (`across`) */
} hk_plane_rule;

typedef struct hk_joint_plane {
  hk_plane_rule rule;
  /* type in the tree, given by the capability (below) of a joint without parameters that moves
   * likewise in the plane; HK_JOINT_ITSELF: unchanged; 0: refused */
  uint32_t along, across;
  const char *words; /* why it is refused: "its axis must lie in the plane" */
} hk_joint_plane;

/* how the model file places the markers */
typedef enum hk_joint_place {
  HK_PLACE_AT,       /* `at` or `ends` must be given */
  HK_PLACE_ANYWHERE, /* they may be left out: the joint moves alike at every point */
  HK_PLACE_ENDS      /* two points that are drawn apart; its own table has `ends` */
} hk_joint_place;

/* Rows of a coupling over n coordinates s of joints:
 *   linear        sum c_i s_i = constant, the constant that the drawing position gives
 *   function      sum c_i s_i + c0 + f(s, t) = 0, f read by its own key
 *   rates         f(s, ds/dt, t) = 0 */
typedef struct hk_couple {
  int32_t n;        /* coordinates */
  double *c;        /* nrows x n, rows n apart: factors */
  double *c0;       /* nrows: constants of a function */
  int32_t most;     /* rows that there is room for */
  uint32_t carried; /* bit i: joint i sits on the second body of the last joint */
} hk_couple;
enum { HK_COUPLED = 64 }; /* most coordinates of one coupling */
/* Friction: what slides and what presses the surfaces together. press 0: there is none in joints of this
 * type, and `none` says why. */
typedef struct hk_joint_friction {
  /* HK_PRESS_ bits: components in A axes of the force, and of the moment about B's origin over the
   * radius, with which the joint acts on B */
  uint8_t press;
  uint8_t rows;    /* of a constraint: bits of the rows that press; 0: all */
  uint8_t scalars; /* bit k: scalar coordinate k slides, by itself */
  /* HK_SLIDES_ bits: motions of B relative to A that slide together on one surface, so that their
   * friction has one direction; and those among them that count only with a radius */
  uint8_t slides, spins;
  /* instead of these, motions by their hk_pair_kind (pair.h): nslips of them, angular velocities slide
   * at the radius */
  const uint8_t *slips;
  int32_t nslips;
  double (*lead)(const void *par); /* of a thread, m/rad; NULL: none */
  bool eyes; /* a rod between the origins of both markers turns in an eye at each of them */
  /* completes a copy of the table by the parameters of a joint, bit r of driven: row r is prescribed;
   * leaves in `none` why this one has no friction. NULL: the table holds for all */
  void (*fit)(const void *par, uint32_t driven, struct hk_joint_friction *f);
  const char *none; /* "nothing moves in it" */
} hk_joint_friction;

enum {
  HK_PRESS_X = 1u, /* the force */
  HK_PRESS_Y = 2u,
  HK_PRESS_Z = 4u,
  HK_PRESS_ALL = 7u,
  HK_PRESS_RX = 8u, /* the moment, over the radius */
  HK_PRESS_TURNS = 56u,
  HK_PRESS_TWIST =
      64u /* the moment about the line halfway between z of A and z of B, over the radius */
};
static inline bool hki_press_turns(uint8_t press) { return press >= HK_PRESS_RX; }
/* bits 0 1 2: rotation about x y z; 3 4 5: translation of B's origin along them */
enum {
  HK_SLIDES_RZ = 4u,
  HK_SLIDES_TURNS = 7u,
  HK_SLIDES_X = 8u,
  HK_SLIDES_Y = 16u,
  HK_SLIDES_Z = 32u
};

/* bodies that are held at the origin of their marker alone, free to rotate about it */
enum { HK_HOLDS_FIRST = 1u, HK_HOLDS_SECOND = 2u };

/* Functions of the tree face are NULL when nv = -1, coord and coord_geo when ns = 0; all others
 * must be there unless their comment allows NULL. Outputs are overwritten, not added to. */
typedef struct hk_joint_ops {
  const char *name;
  const char *alias;  /* accepted other names, space separated ("hinge continuous"), or NULL */
  const char *text;   /* one line for people */
  const char *source; /* reference for the equations */
  int32_t nq, nv, nc; /* coordinates, velocities, loop rows; nv = -1: no tree face (nq = 0) */
  int32_t ns;         /* scalar coordinates that `coord` can measure: the first ns of q */
  /* Space-separated: one word per q (per scalar coordinate when there is no tree face), one word
   * per v, the unit of each q. Words key.x key.y are members of one list in the model language:
   * "position.u position.v angle" stands for position: [u, v], angle: */
  const char *coords, *rates, *units;
  uint32_t caps; /* HK_JOINT_ bits below */
  /* bytes of its parameter struct; numbers that rows need (pair.h) are the first members */
  size_t par_size;
  /* stands first in the parameters of every joint of a type that a module brings, in HK_SELF bytes;
   * NULL: nothing does */
  const void *self;
  /* Own keys, which fill the parameters at their offsets; a key replaces the common one of the same
   * name. A key of type HK_P_AXIS gives z of both markers; with both `axis` and `normal`, `axis`
   * gives z of B and `normal` z of A; with both `axis` and `axis2`, `axis2` gives z of B. */
  const hk_param *params;
  hk_joint_inverse inverse;
  /* Diagonal of D: in a mirror image the markers' axes R become S R D, S the reflection, so that
   * equal coordinates mean mirror-image motions (axes of rotation are pseudo-vectors, axes of
   * translation vectors). Zeros: the axes are those of the mirrored component. */
  int8_t mirror[3];
  hk_joint_place place;
  hk_joint_plane plane;
  uint32_t holds; /* HK_HOLDS_ bits */
  hk_joint_friction friction;
  hk_glyph glyph;         /* symbol in drawings */
  const uint8_t *rows;    /* nc: hk_pair_kind (pair.h) of each loop row; NULL if nc = 0 */
  const uint8_t *scalars; /* ns: hk_pair_kind of each scalar coordinate */
  uint32_t rate_rows;     /* bit r: loop row r binds velocities alone */
  /* bit r: row r is a gap that cannot pull: phi grows as the bodies part, and the multiplier of a
   * contact is negative; NULL: none */
  uint32_t (*pushes)(const void *par);
  /* do the parameters go together? If not, false, with words. NULL: yes */
  bool (*check)(const void *par, char *words, size_t cap);
  /* bit r: row r exists with these parameters; NULL: all. Row r binds scalar coordinate r, which is
   * free without it */
  uint32_t (*present)(const void *par);
  /* pose, S (nv columns filled) and c; v may be NULL when c is not needed (c is 0 then) */
  void (*tree)(const void *par, const double *q, const double *v, hk_joint_tree *out);
  void (*plus)(const double *q, const double *d, double *q_out); /* q (+) d; q_out may be q */
  void (*minus)(const double *q1, const double *q0, double *d);  /* d with q1 = q0 (+) d */
  /* fills hki_joint_rows() rows of the members that `need` (HK_LOOP_ bits) asks for */
  void (*loop)(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
               hk_joint_loop *out);
  /* derivative of the constraint wrenches (GA'lam, GB'lam) with respect to (xiA, xiB): 12 x 12,
   * row-major */
  void (*loop_geo)(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                   double *H);
  /* measure scalar coordinate k; an angle is given within pi of s_near */
  void (*coord)(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double s_near,
                hk_joint_coord *out);
  /* derivative of (gA, gB) of scalar coordinate k with respect to (xiA, xiB): 12 x 12, row-major */
  void (*coord_geo)(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double *H);
  /* couplings: fills the rows over out->n coordinates, returns their number; 0 with words in *wrong
   * where the numbers do not fit that many coordinates */
  int32_t (*couple)(const void *par, hk_couple *out, const char **wrong);
  int32_t least, most; /* couplings: allowed number of coordinates */
  /* All coordinates q (nq) and velocities v (nv) of the tree face, measured from frames. Angles are
   * near q_near; NULL: near zero (screw: near the angle that its position gives). */
  void (*measure)(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                  double *q, double *v);
} hk_joint_ops;

enum {
  HK_JOINT_ROTATION_Z = 1u,    /* one coordinate: rotation about z through the common origin */
  HK_JOINT_TRANSLATION_Z = 2u, /* one coordinate: translation along the common z axis */
  HK_JOINT_QUATERNION = 4u,    /* the last four q are a unit quaternion */
  HK_JOINT_POINT = 8u,         /* origins of A and B coincide in all configurations */
  HK_JOINT_RIGID = 16u,        /* no coordinates */
  HK_JOINT_LOCKED = 32u,       /* only some rows are `present`; row k binds scalar coordinate k */
  /* B stands on the x-y plane of A: the drawing is closed by moving A along its z by the value of
   * the first row */
  HK_JOINT_STANDS = 64u,
  HK_JOINT_PLANE = 128u,     /* three coordinates: x, y, then rotation about the common z axis */
  HK_JOINT_UNBOUND = 256u,   /* all six motions: inserted where no joint leads to a body */
  HK_JOINT_ITSELF = 512u,    /* in hk_joint_plane only: the joint stays as it is */
  HK_JOINT_TILTS = 1024u,    /* its coordinates are a rotation vector of less than half a turn */
  HK_JOINT_TWO_AXES = 2048u, /* z of A is `normal`, z of B is `axis`, which may not be parallel */
  HK_JOINT_COUPLES = 4096u,  /* relates coordinates of other joints */
  HK_JOINT_RATES = 8192u,    /* couplings: of rates alone */
  HK_JOINT_SERVO = 16384u,   /* couplings: the force acts through actuators (servo.h) */
  HK_JOINT_SHIFTS =
      32768u /* B moves parallel to A, its coordinates are its places along A's axes */
};

/* the table of all joints, in the order of joints.def */
int32_t hki_joint_count(void);
const hk_joint_ops *hki_joint_at(int32_t i);
const hk_joint_ops *hki_joint_find(const char *name); /* by name or alias; NULL = unknown */
/* the same, and all by number, with those that the context brings (base/extend.h) behind them */
const hk_joint_ops *hki_joint_known(const hk_ctx *ctx, const char *name);
const hk_joint_ops *hki_joint_of(const hk_ctx *ctx, int32_t i); /* NULL: no more */
const hk_joint_ops *hki_joint_with(uint32_t cap);               /* the first with this capability */
/* the joint between the ground and a node without rotation (translation.c); in no table */
const hk_joint_ops *hki_joint_of_node(bool planar);
/* what a table lacks of that its counts and capabilities make necessary; NULL: nothing */
const char *hki_joint_fault(const hk_joint_ops *ops);

/* keys that every joint takes */
extern const hk_param hki_joint_common_params[];
/* keys that every coupling takes instead */
extern const hk_param hki_coupling_common_params[];
static inline const hk_param *hki_joint_shared_params(const hk_joint_ops *ops) {
  return ops->caps & HK_JOINT_COUPLES ? hki_coupling_common_params : hki_joint_common_params;
}

/* bit r: row r of ops->rows exists with these parameters */
uint32_t hki_joint_present(const hk_joint_ops *ops, const void *par);
/* number of loop rows that exist, which `loop` fills */
int32_t hki_joint_rows(const hk_joint_ops *ops, const void *par);

/* friction of a joint with these parameters, bit r of driven: row r is prescribed */
hk_joint_friction hki_joint_friction_fit(const hk_joint_ops *ops, const void *par, uint32_t driven);
/* m: a moment, world axes. Returns the square of the force with which its pressing part presses, arm: 1 over
 * the radius, and leaves half the gradient of this square in m. */
double hki_press_moment(uint8_t press, double arm, const hk_frame *A, const hk_frame *B, double *m);
/* Rows of the slips of `f`: their gradients in (twist of A, twist of B), 12 numbers each. With H, also
 * their derivatives by (xiA, xiB): 12 x 12 a slip, row-major. */
void hki_joint_slips(const hk_joint_friction *f, const void *par, const hk_frame *A,
                     const hk_frame *B, double *rows, double *H);

/* derivatives of gamma of these rows, and of the bias of scalar coordinate k, with respect to
 * (xiA, xiB) at fixed twists: 12 numbers a row */
void hki_joint_bias_geo(const hk_joint_ops *ops, const void *par, const hk_frame *A,
                        const hk_frame *B, double *D);
void hki_joint_coord_bias_geo(const hk_joint_ops *ops, const void *par, int32_t k,
                              const hk_frame *A, const hk_frame *B, double *D);

/* words for the row-th existing row, for messages: "position along x" ... */
const char *hki_joint_row_name(const hk_joint_ops *ops, const void *par, int32_t row);
/* true: a length or velocity; false: an angle or cosine. The first takes the number of an existing
 * row, the second an entry of ops->rows or ops->scalars. */
bool hki_joint_row_is_length(const hk_joint_ops *ops, const void *par, int32_t row);
bool hki_scalar_is_length(uint8_t what);
/* sign of a scalar coordinate in a mirror image whose markers' axes are S R D */
double hki_scalar_mirror(uint8_t what, const double *D);

#endif
