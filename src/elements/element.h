/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h: the interface of a force element. An element gets marker frames (or one scalar
 * coordinate of a joint) and gives the wrenches on them; it knows nothing of coordinates or models.
 *
 * Wrenches are in world axes at the markers' origins, moment first: w = (moment, force) acts ON the
 * marker's body; its power is w . (omega, v).
 *
 * Every element resists r scalar deformations s(frames) with forces f(s, sd, u):
 *
 *   w = -B'f + w0                  B = ds/dxi, r x 6 nmark
 *   K = B' (df/ds) B               material tangents
 *   C = B' (df/dsd) B
 *
 * The exact tangents K = -dw/dxi, C = -dw/dtwist add the geometric terms.
 *
 * Energy law that every element obeys:
 *
 *   w . V (+ tau sd) = supplied - dissipated - d(energy)/dt
 *
 * A force that depends on an input that varies in time stores no energy: all its work counts as
 * supplied. When `decide` changes d, the energy may jump at the same state, because something else
 * has moved (a road step under a wheel): energy(new d) - energy(old d) counts as supplied.
 *
 * Scalar unknowns. An element may also join scalar nodes (electric, hydraulic, thermal, abstract)
 * and have unknowns of its own. It gets the values x of its nodes, then of its own unknowns, and
 * their rates xd. It gives F(x, xd, s, sd, u): first the flow out of each node into the element
 * (the flows of all elements at a node sum to zero), then one equation F = 0 for each own unknown.
 * Its mechanical side is the joint coordinate: tau may depend on x, and F on s and sd. The balance
 * has mechanical energies only: the work of tau counts as supplied.
 *
 * Memory. An element may have private states (state.h). Laws with memory (law.h) give it states and
 * discrete data of their own, in the order of its laws, behind those of the element itself. The states are
 * solved for inside eval, which leaves them in in->st; w, tau and the tangents are those at which the
 * states follow the motion.
 *
 * eval is pure: same input, same output. It writes all numbers that `need` asks for and may write
 * others. Discrete data d change only in `decide`,
 * `follow` and `hook`; zeros are their initial values.
 */
#ifndef HK_ELEMENTS_ELEMENT_H
#define HK_ELEMENTS_ELEMENT_H

#include "base/base.h"
#include "base/hook.h"
#include "base/params.h"
#include "geometry/frame.h"
#include "geometry/glyph.h"
#include "elements/law.h"

enum {
  HK_ELEMENT_MARKERS = 2,
  HK_ELEMENT_RANK = 6,
  HK_ELEMENT_INPUTS = 13,
  HK_ELEMENT_DISCRETE = 4, /* of the element itself; those of its laws come behind them */
  HK_ELEMENT_LAWS = 12,
  HK_ELEMENT_MEMORY = 2 * HK_ELEMENT_LAWS, /* discrete data of laws */
  HK_ELEMENT_OUTPUTS = 12,
  HK_ELEMENT_NODES = 4,
  HK_ELEMENT_UNKNOWNS = 6 /* nodes and private ones together */
};

/* kind of a scalar node */
typedef enum hk_domain {
  HK_DOMAIN_ELECTRIC,
  HK_DOMAIN_HYDRAULIC,
  HK_DOMAIN_THERMAL,
  HK_DOMAIN_ABSTRACT,
  HK_DOMAINS
} hk_domain;

typedef struct hk_domain_info {
  const char *name;        /* as a node's type */
  const char *value;       /* name of its value as a channel */
  const char *unit;        /* of the value */
  const char *rate_unit;   /* of its rate */
  const char *flow, *text; /* the flow that balances at the node, with unit; one line for people */
  double scale;            /* a typical size of the value */
} hk_domain_info;
extern const hk_domain_info hki_domain_infos[HK_DOMAINS];

typedef struct hk_element_in {
  double t;
  const hk_frame *m; /* nmark frames */
  double s, sd;      /* joint elements (nscal = 1): the joint coordinate and its rate */
  const double *u;   /* nu inputs: constants, or signals of t and channels */
  uint32_t u_varies; /* bit i set: u[i] is not constant in time, between events */
  const double *d;   /* nd discrete data */
  /* values of nodes and private unknowns, and their rates; NULL where there are none */
  const double *x, *xd;
  const hk_states *st; /* private states; NULL where there are none */
  const double
      *ahead; /* what `ahead` of its type has found at these markers; NULL: eval finds it itself */
} hk_element_in;

/* elements of one type whose `ahead` is called together, and numbers that it gives for each */
enum { HK_ELEMENT_LANES = 4, HK_ELEMENT_AHEAD = 5 };

enum {
  HK_NEED_FORCE = 1u,   /* w, tau */
  HK_NEED_TANGENT = 2u, /* B, ks, cs (material part, for time steps) */
  HK_NEED_EXACT = 4u,   /* K, C, with geometric terms (statics, modes, tests) */
  HK_NEED_INPUT = 8u,   /* Wu: derivatives with respect to the inputs */
  HK_NEED_ENERGY = 16u, /* energy, dissipated, supplied */
  HK_NEED_OUTPUT = 32u, /* y */
  HK_NEED_MEMORY = 64u, /* d: discrete data of the laws at the present state */
  HK_NEED_MASS = 128u   /* M of elements with inertia (wide.h) */
};

struct hk_wide_ops; /* elements/wide.h */

/* fixed-size, so that a caller can keep it on its stack; n = 6 nmark */
typedef struct hk_element_out {
  double w[12];          /* wrench on each marker */
  double tau;            /* joint elements: generalized force on the coordinate */
  double B[6 * 12];      /* rank x n, row r at B + 12 r (joint elements: not used, B = 1) */
  double ks[36], cs[36]; /* rank x rank, row-major with stride 6 */
  double K[144], C[144]; /* n x n, row-major with stride 12; joint elements: K[0], C[0] = -dtau/ds,
                            -dtau/dsd */
  double Wu[HK_ELEMENT_INPUTS * 12]; /* dw/du_i at Wu + 12 i; joints: dtau/du_i at Wu[12 i] */
  double energy, dissipated, supplied;
  double
      spent; /* elements whose laws have memory: dissipated since the start, J, beside the rest */
  double spending; /* its rate, W */
  double s, sd;    /* elements with `power` and markers: deformation and rate, with the energies */
  double d[HK_ELEMENT_MEMORY];
  double y[HK_ELEMENT_OUTPUTS];
  /* elements with nodes: F and its derivatives, row-major with stride HK_ELEMENT_UNKNOWNS */
  double F[HK_ELEMENT_UNKNOWNS];
  double Fx[HK_ELEMENT_UNKNOWNS * HK_ELEMENT_UNKNOWNS];
  double Fxd[HK_ELEMENT_UNKNOWNS * HK_ELEMENT_UNKNOWNS];
  double Fs[HK_ELEMENT_UNKNOWNS], Fsd[HK_ELEMENT_UNKNOWNS]; /* by the joint coordinate */
  double Fu[HK_ELEMENT_INPUTS * HK_ELEMENT_UNKNOWNS];       /* dF/du_i at Fu + UNKNOWNS i */
  double tau_x[HK_ELEMENT_UNKNOWNS];                        /* dtau/dx */
} hk_element_out;

/* Elements whose whole action is one force tau along a direction a, on the second body at the second marker's origin and back on
 * the first body at the same point: with both twists there, sd = a . (vB - vA), and tau = -f(s, sd). Kinematics finds s and sd of
 * four alike at once (kinematics/pulls4.h). */
typedef enum hk_pull {
  HK_PULL_NONE,
  HK_PULL_LINE, /* a along the line of the ends, s their distance (line.h) */
  HK_PULL_AXIS, /* a is an axis of the first marker, s = a . (pB - pA) */
  HK_PULL_OWN   /* at its only marker, along a direction of its own */
} hk_pull;

enum {
  /* depends on the relative motion of its two markers alone; its wrenches cancel */
  HK_ELEMENT_RELATIVE = 1u,
  /* ks and cs are symmetric (a bushing leaves out the antisymmetric part) */
  HK_ELEMENT_SYMMETRIC = 2u,
  /* belongs to `network:`: joins scalar nodes, or owns unknowns */
  HK_ELEMENT_NETWORK = 4u,
  /* acts the same at every point of its bodies: the model file need not give a place */
  HK_ELEMENT_ANYWHERE = 8u,
  /* its forces act at points: allowed at the mass of a body without rotational inertia */
  HK_ELEMENT_PULLS = 16u,
  /* supplies energy, also with constant inputs */
  HK_ELEMENT_SUPPLIES = 32u,
  /* resists rates alone: the rows B are those of its rates, which are its first outputs */
  HK_ELEMENT_RATES = 64u,
  /* what `slip` of a coupling is, on the deviation of its sum; one element has it */
  HK_ELEMENT_SLIP = 128u
};

typedef struct hk_element_ops {
  const char *name;
  const char *text, *source;
  int32_t nmark, nscal, rank, nu, nd, ny;
  uint32_t caps;
  int32_t nnode, nown;      /* scalar nodes it joins, unknowns of its own */
  const hk_domain *domains; /* of its nodes */
  const double *own_scale;  /* nown: typical sizes of its own unknowns (its first outputs) */
  /* bit i: Fxd depends on input i. Only of an own unknown, or of a node against the reference: no
   * group of unknowns comes or goes with it (machines/network/network.h). */
  uint32_t rate_inputs;
  /* it acts by this element on several markers, which its instance names: it has none of its own, eval
   * gives no forces, and its inputs and outputs are those of that element. NULL: it acts itself */
  const struct hk_wide_ops *wide;
  const char *coordinate; /* "rad" or "m": the kind of joint coordinate it acts on; NULL: any */
  size_t par_size;
  /* stands first in the parameters of every element of a type that a module brings, in HK_SELF bytes,
   * so that its functions find what they belong to; NULL: nothing does */
  const void *self;
  /* HK_P_DYNAMIC rows fill u, the others the parameter struct at their offset:
   *   HK_P_AXIS with an offset     unit vector in marker A's axes -> double[3], zeros when left out
   *   HK_P_BODY without an offset  the first marker's body
   *   HK_P_BODY with an offset     the second marker's body -> bool: it is given
   *   HK_P_LEAD                    changes sign together with the joint coordinate */
  const hk_param *params;
  int32_t arrow;            /* the marker whose force is drawn as an arrow */
  hk_glyph glyph;           /* symbol in drawings */
  const char *outputs;      /* names of y as channels: "length rate force" */
  const char *output_units; /* "m m/s N"; in joint elements `q` stands for the unit of the joint's
                               coordinate and `f` for that of its force (N or N*m): "q q/s f" */
  /* Check and complete the parameters after reading; NULL = nothing to do.
   *   par      zeroed before it was read
   *   u_given  bit i: the key of u[i] was given
   *   u0       constant inputs, defaults where not given; may be changed
   *   m0       frames in the drawing position; NULL for joint elements */
  hk_status (*prepare)(hk_ctx *ctx, hk_loc loc, const char *name, void *par, uint32_t u_given,
                       double *u0, const hk_frame *m0);
  void (*eval)(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out);
  /* Part of eval for HK_ELEMENT_LANES elements that are `alike`, faster together than one by one and with the same
   * bits: from the places of their only markers, HK_ELEMENT_AHEAD numbers for each. NULL: none. */
  bool (*alike)(const void *p, const void *q);
  void (*ahead)(const void *par, const double (*p)[3], double (*out)[HK_ELEMENT_AHEAD]);
  /* Dissipated and supplied power, W, from in->s, sd, u and u_varies alone: of an element whose
   * power depends on the joint coordinate, or on one deformation which it leaves in out->s, sd.
   * Faster than eval, for the work over a step. NULL: none. */
  void (*power)(const void *par, const hk_element_in *in, double *dissipated, double *supplied);
  /* How an instance pulls; axis: of HK_PULL_AXIS, in the first marker's axes. NULL: HK_PULL_NONE. `resist` is then eval without
   * wrenches: tau, ks[0], cs[0] and what `need` asks for of energies, s, sd and y, from in->s and sd, or for HK_PULL_OWN from
   * p and v of in->m alone; of the latter B[3..5], the direction, is written too. */
  hk_pull (*pull)(const void *par, double *axis);
  void (*resist)(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out);
  /* The laws of an instance, at most HK_ELEMENT_LAWS, in the order in which they find their memory;
   * returns their number. NULL: its laws must have none. */
  int32_t (*laws)(const void *par, const hk_law **list);
  /* Private states of an instance itself, before those of its laws: their number, and, where `unit` is
   * not NULL, their typical sizes. NULL: none. */
  int32_t (*states)(const void *par, double *unit);
  /* Does it read the axes or angular velocities of its markers, beside their places and velocities?
   * NULL: yes. */
  bool (*axes)(const void *par);
  /* Choose branches (the road segment under a wheel) at the predicted position of a new step; only
   * R and p of the frames are predicted, not velocities. True when d has changed. NULL = none. */
  bool (*decide)(const void *par, const hk_element_in *in, double *d);
  /* Discrete data that follow the motion, so that no force jumps with them (full turns of a rotation):
   * called at each accepted state. Returns why the run cannot go on from there; NULL: it can. NULL =
   * none. */
  const char *(*follow)(const void *par, const hk_element_in *in, double *d);
  /* the first time behind t at which the element itself may jump (a moving road); INFINITY: none.
   * NULL = never. */
  double (*next_break)(const void *par, double t);
  /* start values of its own unknowns; NULL: zeros */
  void (*own_start)(const void *par, double *x);
  /* Called at the moments of hk_hook; may change d, and returns true when it did. Changes are
   * undone if the step is not accepted. NULL = none. */
  bool (*hook)(const void *par, hk_hook when, const hk_element_in *in, double *d);
} hk_element_ops;

/* private states of an instance and its laws, and the discrete data that its laws bring */
void hki_element_memory(const hk_element_ops *ops, const void *par, int32_t *nz, int32_t *nd);
/* typical sizes of its states: nz numbers */
void hki_element_units(const hk_element_ops *ops, const void *par, double *unit);

/* value of a parameter of type HK_P_AXES */
typedef struct hk_axes {
  double R[9]; /* the axes, in those of the world or of the first marker; zeros: identity */
  bool follow; /* in the axes of the first marker (`axes: body`), else of the world */
} hk_axes;

/* the keys that every force has (`type`) */
extern const hk_param hki_element_common_params[];

/* --- the table of all elements, in the order of elements.def ---------------------------------- */

/* all; those of `forces:` come first, then those of `network:` */
int32_t hki_element_count(void);
int32_t hki_element_force_count(void);
const hk_element_ops *hki_element_at(int32_t i);
const hk_element_ops *hki_element_find(const char *name); /* NULL = unknown */
const hk_element_ops *hki_element_slip(void);             /* the one with HK_ELEMENT_SLIP */
/* the same with those that the context brings (base/extend.h) behind them */
const hk_element_ops *hki_element_known(const hk_ctx *ctx, const char *name);
/* element i of `network:`, or of `forces:`; NULL: no more */
const hk_element_ops *hki_element_of(const hk_ctx *ctx, bool network, int32_t i);
/* what a table lacks of that its counts make necessary; NULL: nothing */
const char *hki_element_fault(const hk_element_ops *ops);

#endif
