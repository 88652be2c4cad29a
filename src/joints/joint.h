/* SPDX-License-Identifier: Apache-2.0
 *
 * joint.h: what a joint is. Each joint type has a tree face (motion of the second body relative to
 * the first as a function of its own coordinates) and a loop face (the same thing said as
 * constraint equations between two marker frames); constraint-only joints have the loop face alone.
 * Joints know nothing of coordinates of the whole mechanism, of models or of formulations.
 *
 * Both faces speak of two marker frames, A on the first body and B on the second. At the drawing
 * position they coincide (same origin, same axes), unless the joint is drawn apart; all coordinates
 * are then zero. The local z axis is the joint's axis (`axis`, or `normal` of planar, in_plane);
 * universal: z of A is `axis`, and axis2 lies in the local x-z plane: (sin psi, 0, cos psi) in B.
 * In planar models x or y of the markers is along the plane's normal where z is not. rolling: z of
 * A is `normal`, z of B is `axis`, and the origins are the contact as drawn and the disc's centre.
 *
 * Coordinates q and velocities v, in this order:
 *   fixed -, revolute [angle], prismatic [position], cylindrical [angle, position], screw [angle],
 *   universal [a, b], spherical [quaternion wxyz] v = angular velocity of B relative to A in B
 * axes, planar [u, v, angle] (u, v along x, y of A), free [position in A axes, quaternion wxyz] v =
 * [velocity of B's origin in A axes, angular velocity of B relative to A in B axes].
 *
 * Scalar coordinates, which `coord` measures between any two frames (also off the joint's own
 * motion, as they are while a cut joint closes): all of q where nq = nv, the position of free,
 * none of spherical, the length of distance, and x y z rx ry rz of general (rx ry rz: rotation
 * vector in A axes, length at most pi, not unwrapped). They can be prescribed and be acted upon.
 *
 * Rows come in two kinds. Most bind positions: phi = 0. Those whose bit of `rate_rows` is set bind
 * velocities alone (non-holonomic): GA VA + GB VB = 0, with phi left at zero; everything else about
 * them is said in the same way.
 *
 * What the reader, the compiler, the scene and the catalogue must know of a type stands here too:
 * its inverse, its mirror image, where it is placed, what it becomes in a plane, which body it
 * holds at a point, its symbol. Nothing outside a joint's own file knows its name.
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
  double
      c[6]; /* (dS/dt) v with A held: angular and linear acceleration of B's origin at vdot = 0 */
} hk_joint_tree;

enum {
  HK_LOOP_POS = 1u, /* phi */
  HK_LOOP_JAC = 2u, /* GA, GB */
  HK_LOOP_ACC = 4u  /* gamma */
};

/* loop face: phi = 0, dphi/dt = GA VA + GB VB, d2phi/dt2 = GA dVA/dt + GB dVB/dt + gamma, where V =
 * (w, v) of the marker in world axes and dV/dt its plain time derivative (angular acceleration,
 * acceleration of the marker's origin). A row on velocities is psi = GA VA + GB VB = 0 with
 * dpsi/dt = GA dVA/dt + GB dVB/dt + gamma. Rows are written in A's axes, so that planar models can
 * drop whole rows. Only the relative pose matters: moving both markers together changes nothing. */
typedef struct hk_joint_loop {
  double phi[6];
  double GA[6 * 6], GB[6 * 6]; /* row r at GA + 6 r */
  double gamma[6];
} hk_joint_loop;

/* one scalar coordinate measured between two frames: s, its rate, gradients (world axes, at the
 * marker origins: sd = gA VA + gB VB) and bias: sdd = gA dVA/dt + gB dVB/dt + bias */
typedef struct hk_joint_coord {
  double s, sd, gA[6], gB[6], bias;
} hk_joint_coord;

/* --- what models do with a joint ------------------------------------------------------------ */

/* A tree may enter a joint from its second body. The motion is then T(q)^-1, of A seen from B.
 *   own:   it is a motion of the same type, so that the joint serves from both sides. If not, it is
 *          entered from its first body alone, or cut.
 *   turn:  ... between markers that are both turned by Q (columns: new axes in old); NULL: as they
 * are minus: 1 + the coordinate of the inverse motion that is minus scalar coordinate k; 0: there
 * is none, and the scalar is measured */
typedef struct hk_joint_inverse {
  bool own;
  void (*turn)(const void *par, double *Q);
  uint8_t minus[HK_JOINT_MAX];
} hk_joint_inverse;

/* what becomes of a joint in a planar model */
typedef enum hk_plane_rule {
  HK_PLANE_REFUSED, /* always, with `words` */
  HK_PLANE_AXIS,    /* by where z lies: `along` the normal of the plane or `across` it */
  HK_PLANE_TURNED,  /* whatever its axes: z is turned to the normal, and it becomes `along` */
  HK_PLANE_ROWS     /* constraints only: the rows that see motions in the plane stay */
} hk_plane_rule;

typedef struct hk_joint_plane {
  hk_plane_rule rule;
  /* its type in the tree: the capability (below) of the joint that moves like it in the plane and
   * has no parameters; HK_JOINT_ITSELF: as it is; 0: refused */
  uint32_t along, across;
  const char *words; /* why it is refused: "its axis must lie in the plane" */
} hk_joint_plane;

/* where its markers are */
typedef enum hk_joint_place {
  HK_PLACE_AT,       /* `at` or `ends` must be given */
  HK_PLACE_ANYWHERE, /* they may be left out: the joint moves alike at every point */
  HK_PLACE_ENDS      /* two points that are drawn apart; its own table has `ends` */
} hk_joint_place;

/* whose body is held at the marker's origin alone, free to turn about it? */
enum { HK_HOLDS_FIRST = 1u, HK_HOLDS_SECOND = 2u };

/* Functions of the tree face are NULL when nv = -1, coord and coord_geo when ns = 0; the others are
 * always there. Outputs are overwritten, never added to. */
typedef struct hk_joint_ops {
  const char *name;
  const char *alias;  /* accepted other names, space separated ("hinge continuous"), or NULL */
  const char *text;   /* one line for people */
  const char *source; /* where the equations come from */
  int32_t nq, nv, nc; /* coordinates, velocities, loop rows; nv = -1: no tree face (nq = 0) */
  int32_t ns;         /* scalar coordinates that `coord` can measure: the first ns of q */
  /* one word per q (per scalar coordinate when there is no tree face), per v, and the unit of each
   * q; words key.x key.y are the members of one list in the model language: "position.u
   * position.v angle" is position: [u, v], angle: */
  const char *coords, *rates, *units;
  uint32_t caps; /* HK_JOINT_ROTATION_Z ... short cuts that formulations may use */
  /* its numbers besides the markers; rows that need some (pair.h) find them at the beginning */
  size_t par_size;
  /* own keys, which fill the parameters at their offset; one of the same name replaces the common
   * one. The key of the axis gives z of both markers; where there is `normal` too, `axis` gives z
   * of B and `normal` z of A */
  const hk_param *params;
  hk_joint_inverse inverse;
  /* diagonal of D: in a mirror image the markers' axes R become S R D (S the reflection), so that
   * equal coordinates mean mirror-image motion: turning axes are pseudo-vectors, sliding axes
   * vectors. Zeros: as the axes of the model or component that it stands in. */
  int8_t mirror[3];
  hk_joint_place place;
  hk_joint_plane plane;
  uint32_t holds; /* HK_HOLDS_ bits */
  hk_glyph glyph; /* symbol in drawings */
  const uint8_t
      *rows; /* what each loop row says: hk_pair_kind (pair.h), nc of them; NULL if nc = 0 */
  const uint8_t *scalars;               /* what each scalar coordinate is, likewise, ns of them */
  uint32_t rate_rows;                   /* bit r: loop row r binds velocities alone */
  uint32_t (*present)(const void *par); /* bit r: row r of the list is there; NULL: all are */
  /* pose, S (nv columns filled) and c; v may be NULL when c is not wanted (it is zero then) */
  void (*tree)(const void *par, const double *q, const double *v, hk_joint_tree *out);
  void (*plus)(const double *q, const double *d, double *q_out); /* q (+) d; q_out may be q */
  void (*minus)(const double *q1, const double *q0, double *d);  /* d with q1 = q0 (+) d */
  /* fills the first hki_joint_rows() rows of what `need` asks for */
  void (*loop)(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
               hk_joint_loop *out);
  /* derivative of the constraint wrenches (GA'lam, GB'lam) with respect to (xiA, xiB): 12 x 12,
   * row-major */
  void (*loop_geo)(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                   double *H);
  /* measure scalar coordinate k; s_near chooses the turn of an angle (the result is within pi of
   * it) */
  void (*coord)(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double s_near,
                hk_joint_coord *out);
  /* derivative of (gA, gB) of scalar coordinate k with respect to (xiA, xiB): 12 x 12, row-major */
  void (*coord_geo)(const void *par, int32_t k, const hk_frame *A, const hk_frame *B, double *H);
  /* all coordinates q (nq) and velocities v (nv) of the tree face, measured from frames; q_near as
   * above, NULL = the turn around zero (screw: the one its position tells) */
  void (*measure)(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                  double *q, double *v);
} hk_joint_ops;

enum {
  HK_JOINT_ROTATION_Z =
      1u, /* one coordinate: rotation about the common z axis through the common origin */
  HK_JOINT_TRANSLATION_Z = 2u, /* one coordinate: translation along the common z axis */
  HK_JOINT_QUATERNION = 4u,    /* the last four q are a unit quaternion */
  HK_JOINT_POINT = 8u,         /* origins of A and B coincide in all configurations */
  HK_JOINT_RIGID = 16u,        /* no coordinates */
  HK_JOINT_LOCKED = 32u,       /* only some rows are `present`; row k binds scalar coordinate k */
  /* B stands on the x-y plane of A: each marker has axes of its own, and the first row closes when
   * A moves along its z by that row */
  HK_JOINT_STANDS = 64u,
  HK_JOINT_PLANE = 128u,   /* three coordinates: x, y, then rotation about the common z axis */
  HK_JOINT_UNBOUND = 256u, /* all six motions: added where no joint leads to a body */
  HK_JOINT_ITSELF = 512u   /* hk_joint_plane: no counterpart is needed */
};

/* the table of all joints, in the order of joints.def */
int32_t hki_joint_count(void);
const hk_joint_ops *hki_joint_at(int32_t i);
const hk_joint_ops *hki_joint_find(const char *name); /* by name or alias; NULL = unknown */
const hk_joint_ops *hki_joint_with(uint32_t cap);     /* the first with this capability */

/* keys that every joint takes */
extern const hk_param hki_joint_common_params[];

/* rows of its list that are there, a bit each */
uint32_t hki_joint_present(const hk_joint_ops *ops, const void *par);
/* loop rows that `loop` fills: as many as are present */
int32_t hki_joint_rows(const hk_joint_ops *ops, const void *par);

/* derivatives of gamma of these rows, and of the bias of scalar coordinate k, with respect to
 * (xiA, xiB) at fixed twists: 12 numbers a row */
void hki_joint_bias_geo(const hk_joint_ops *ops, const void *par, const hk_frame *A,
                        const hk_frame *B, double *D);
void hki_joint_coord_bias_geo(const hk_joint_ops *ops, const void *par, int32_t k,
                              const hk_frame *A, const hk_frame *B, double *D);

/* what one of these rows says, for messages: "position along x", "axis perpendicular to x" ... */
const char *hki_joint_row_name(const hk_joint_ops *ops, const void *par, int32_t row);
/* is it a length (or a velocity) rather than an angle or a cosine? of rows; of entries of
 * ops->rows and ops->scalars */
bool hki_joint_row_is_length(const hk_joint_ops *ops, const void *par, int32_t row);
bool hki_scalar_is_length(uint8_t what);
/* sign of a scalar coordinate in a mirror image, where its markers' axes became S R D */
double hki_scalar_mirror(uint8_t what, const double *D);

#endif
