/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/plugin.h: run-time modules. A module is a shared library that brings types of its own: force
 * and network elements, laws, sampled controllers, joints, integrators. They are written in model
 * files, listed, explained and checked like those that Hooke has itself.
 *
 * A module exports one symbol, `hk_plugin_entry`:
 *
 *     static int32_t init(const hk_plugin_host *host) { return host->add_law(host, &my_law); }
 *     HK_PLUGIN_ENTRY("mine", "what it brings", init);
 *
 * and needs this header alone; it is not linked with the library. `hooke run --module mine.so MODEL`
 * loads it, and hk_module_load() does so in a program. docs/modules.md has the whole story and
 * `examples/modules` one module of each kind.
 *
 * This header is frozen: a module keeps working as long as the library knows its version
 * (HK_PLUGIN_VERSION). Structs begin with their size; members may be added behind the last one.
 *
 * Rules for the functions of a module:
 *
 * - They are pure: the same arguments give the same numbers. A module has no memory of its own; what
 *   a type remembers are its discrete data, unknowns and states, which the library keeps, takes back
 *   with a step that is refused, and writes into checkpoints.
 * - They allocate nothing and may be called by several threads at once.
 * - Slopes are optional. What a type does not give is found by differences, which takes longer and
 *   converges a little worse; a note says so. Slopes that are given are compared with differences
 *   when a model is read, and wrong ones are refused.
 */
#ifndef HOOKE_PLUGIN_H
#define HOOKE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The version of this header. */
#define HK_PLUGIN_VERSION 1
/** The first number of an entry: "HKPL". */
#define HK_PLUGIN_MAGIC 0x4c504b48u

#if defined(_WIN32)
#define HK_PLUGIN_EXPORT __declspec(dllexport)
#else
/** Makes a symbol visible outside the module. */
#define HK_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* --- keys ------------------------------------------------------------------------------------- */

/** Kinds of keys. Values go into the parameter struct at `offset`, unless they say otherwise. */
typedef enum hk_plugin_kind {
  HK_PLUGIN_END = 0, /**< the last row of a table */
  HK_PLUGIN_REAL,    /**< a number -> double */
  HK_PLUGIN_INT,     /**< a whole number -> int32_t */
  HK_PLUGIN_BOOL,    /**< true or false -> int8_t */
  HK_PLUGIN_CHOICE,  /**< one of the words `choices` -> int32_t, from 0 */
  HK_PLUGIN_TEXT,    /**< a text -> const char * */
  HK_PLUGIN_SIGNAL,  /**< elements: a number, an expression or a signal -> input u[offset] */
  HK_PLUGIN_SIGNAL3, /**< elements: a vector of three of them -> u[offset] and the two behind it */
  HK_PLUGIN_BODIES,  /**< elements: [first, second]; offset -1 */
  HK_PLUGIN_BODY,    /**< elements: the one body; offset -1 */
  HK_PLUGIN_ENDS,    /**< elements: [point, point] of the two markers; offset -1 */
  HK_PLUGIN_POINT,   /**< elements: one point of all markers; offset -1 */
  HK_PLUGIN_JOINT,   /**< elements on a joint: its name; offset -1 */
  HK_PLUGIN_NODE,    /**< network elements: node[offset] */
  HK_PLUGIN_NODES,   /**< network elements: [first, second] -> node[offset], node[offset + 1] */
  HK_PLUGIN_AXIS     /**< joints: z of both markers; offset -1 */
} hk_plugin_kind;

/** Properties of keys. */
enum {
  HK_PLUGIN_REQUIRED = 1,   /**< must be given */
  HK_PLUGIN_POSITIVE = 2,   /**< above 0 */
  HK_PLUGIN_NONNEGATIVE = 4 /**< not below 0 */
};

/** One key of a type, as it is written in model files. */
typedef struct hk_plugin_key {
  const char *name;    /**< the key */
  int32_t kind;        /**< hk_plugin_kind */
  uint32_t flags;      /**< HK_PLUGIN_REQUIRED and so on */
  int32_t offset;      /**< offsetof() in the parameter struct, or what the kind says */
  double def;          /**< number where the key is left out; NAN: none */
  double min;          /**< least number; `min` and `max` 0: no limits */
  double max;          /**< largest number */
  const char *unit;    /**< "N/m"; "" or NULL: none */
  const char *choices; /**< words of a choice, separated by spaces */
  const char *text;    /**< a line for people */
} hk_plugin_key;

/* --- elements --------------------------------------------------------------------------------- */

/** A marker in motion, in world axes. */
typedef struct hk_plugin_frame {
  double R[9]; /**< axes: x_world = R x_marker, row by row */
  double p[3]; /**< origin, m */
  double w[3]; /**< angular velocity, rad/s */
  double v[3]; /**< velocity of the origin, m/s */
} hk_plugin_frame;

/** What an element reads. */
typedef struct hk_plugin_in {
  double t;                 /**< time, s */
  const hk_plugin_frame *m; /**< nmark markers */
  double s;                 /**< elements on a joint: its coordinate, */
  double sd;                /**< and its rate */
  const double *u;          /**< inputs */
  uint32_t u_varies;        /**< bit i: input i varies in time */
  const double *d;          /**< discrete data */
  const double *x;          /**< values of nodes, then own unknowns */
  const double *xd;         /**< their rates */
} hk_plugin_in;

/** What is asked for; other numbers may be left as they are. */
enum {
  HK_PLUGIN_NEED_FORCE = 1,   /**< w, tau, F */
  HK_PLUGIN_NEED_TANGENT = 2, /**< B, ks, cs; on a joint K[0], C[0]; Fx, Fxd, Fs, Fsd, tau_x */
  HK_PLUGIN_NEED_EXACT = 4,   /**< K, C of markers with the turning of the forces */
  HK_PLUGIN_NEED_INPUT = 8,   /**< Wu, Fu */
  HK_PLUGIN_NEED_ENERGY = 16, /**< energy, dissipated, supplied */
  HK_PLUGIN_NEED_OUTPUT = 32  /**< y */
};

/** What an element gives. All numbers are 0 before. With V = (w, v) of a marker, n = 6 nmark:
 *
 *     w = -B'f,  f resists r deformations with ds/dt = B V;  ks = df/ds,  cs = df/d(ds/dt)
 *     w . V (+ tau sd) = supplied - dissipated - d(energy)/dt
 */
typedef struct hk_plugin_out {
  double *w;          /**< 6 nmark: moment, then force ON the body of each marker, in world axes */
  double *tau;        /**< elements on a joint: force or torque on its coordinate */
  double *B;          /**< rank rows of 6 nmark numbers, `ldB` apart */
  double *ks;         /**< rank x rank, rows `ldk` apart */
  double *cs;         /**< the same */
  double *K;          /**< n x n, rows `ldK` apart: -dw/dxi, xi = (turn, shift) of the markers; on a
                           joint K[0] = -dtau/ds */
  double *C;          /**< -dw/dV; on a joint C[0] = -dtau/dsd */
  double *Wu;         /**< dw/du_i at Wu + ldK i; on a joint dtau/du_i */
  double *energy;     /**< stored, J */
  double *dissipated; /**< W */
  double *supplied;   /**< W */
  double *y;          /**< outputs, which are channels; the first are the own unknowns */
  double *F;          /**< flow out of each node into the element, then one equation F = 0 for each
                           own unknown */
  double *Fx;         /**< dF/dx, rows `ldF` apart */
  double *Fxd;        /**< dF/dxd */
  double *Fs;         /**< dF/ds */
  double *Fsd;        /**< dF/dsd */
  double *Fu;         /**< dF/du_i at Fu + ldF i */
  double *tau_x;      /**< dtau/dx */
  double *s;          /**< with `power` and markers: the deformation, with the energies, */
  double *sd;         /**< and its rate */
  int32_t ldB;        /**< distance of rows */
  int32_t ldk;        /**< distance of rows */
  int32_t ldK;        /**< distance of rows */
  int32_t ldF;        /**< distance of rows */
} hk_plugin_out;

/** When a hook is called. */
typedef enum hk_plugin_moment {
  HK_PLUGIN_BEFORE_PREDICTION = 0, /**< at the accepted state, before a step is tried */
  HK_PLUGIN_AFTER_PREDICTION = 1,  /**< at the predicted state of a stage */
  HK_PLUGIN_AFTER_ITERATION = 2,   /**< after each correction */
  HK_PLUGIN_CONVERGED = 3,         /**< the stage has converged */
  HK_PLUGIN_ACCEPTED = 4           /**< the step is accepted */
} hk_plugin_moment;

/** Kinds of scalar nodes. */
typedef enum hk_plugin_domain {
  HK_PLUGIN_ELECTRIC = 0,  /**< volts, amperes */
  HK_PLUGIN_HYDRAULIC = 1, /**< pascals, cubic metres per second */
  HK_PLUGIN_THERMAL = 2,   /**< kelvins, watts */
  HK_PLUGIN_ABSTRACT = 3   /**< pure numbers */
} hk_plugin_domain;

/** What an element is, and what it gives itself. */
enum {
  HK_PLUGIN_TANGENT = 1,  /**< it gives what HK_PLUGIN_NEED_TANGENT asks for */
  HK_PLUGIN_EXACT = 2,    /**< ... HK_PLUGIN_NEED_EXACT */
  HK_PLUGIN_INPUTS = 4,   /**< ... HK_PLUGIN_NEED_INPUT */
  HK_PLUGIN_NETWORK = 8,  /**< it stands in `network:`: it joins nodes or owns unknowns */
  HK_PLUGIN_SUPPLIES = 16 /**< it supplies energy, also with constant inputs */
};

/** A type of force or network element. Between two markers it depends on their relative motion alone,
 * and its wrenches cancel; on one marker it is free. */
typedef struct hk_plugin_element {
  uint32_t size;             /**< sizeof this struct */
  const char *name;          /**< its type in model files */
  const char *text;          /**< a line for people */
  const char *source;        /**< where its equations come from; may be NULL */
  const hk_plugin_key *keys; /**< its keys */
  size_t par_size;           /**< bytes of its parameter struct */
  uint32_t caps;             /**< HK_PLUGIN_TANGENT and so on */
  int32_t nmark;             /**< markers: 0, 1 or 2 */
  int32_t on_joint;          /**< 1: it acts on a joint coordinate */
  int32_t rank;              /**< rows of B, at most 6 */
  int32_t nu;                /**< inputs, at most 12 */
  int32_t nd;                /**< discrete data, at most 4 */
  int32_t ny;                /**< outputs, at most 12 */
  int32_t nnode;             /**< nodes it joins, at most 4 */
  int32_t nown;              /**< unknowns of its own; with the nodes at most 6 */
  const int32_t *domains;    /**< nnode: hk_plugin_domain */
  const double *own_scale;   /**< nown: typical sizes */
  const char *outputs;       /**< names of the outputs, separated by spaces */
  const char *output_units;  /**< their units; "1": none */
  /** Checks the parameters. Nonzero: they are refused, with the words written to `why`. May be NULL */
  int32_t (*prepare)(void *par, double *u, char *why, size_t cap);
  /** The element's numbers, those of `need` at least. */
  void (*eval)(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out);
  /** Dissipated and supplied power from in->s, sd, u and u_varies alone, of an element whose power
   * depends on the joint coordinate, or on one deformation that `eval` leaves in out->s, sd. The work
   * over a step is then found more exactly. NULL: none */
  void (*power)(const void *par, const hk_plugin_in *in, double *dissipated, double *supplied);
  /** Start values of the own unknowns. NULL: zeros */
  void (*own_start)(const void *par, double *x);
  /** May change the discrete data; 1: it did. NULL: there are none */
  int32_t (*hook)(const void *par, int32_t moment, const hk_plugin_in *in, double *d);
  /** NULL, or what stands as a pointer at the beginning of the parameter struct before `prepare` is
   * called: for types that are made while a program runs and share their functions */
  const void *self;
} hk_plugin_element;

/* --- laws ------------------------------------------------------------------------------------- */

/** The rate of a private state z: dz/dt = a - b z. */
typedef struct hk_plugin_rate {
  double a;   /**< a */
  double b;   /**< b */
  double as;  /**< da/ds */
  double asd; /**< da/dsd */
  double bs;  /**< db/ds */
  double bsd; /**< db/dsd */
} hk_plugin_rate;

/** What a law gives. */
typedef struct hk_plugin_force {
  double f;          /**< force against s */
  double fs;         /**< df/ds at constant z and zd */
  double fsd;        /**< df/dsd */
  double fz[4];      /**< df/dz */
  double fzd[4];     /**< df/dzd */
  double energy;     /**< stored, J */
  double dissipated; /**< W */
} hk_plugin_force;

/** What a law reads, and what it gives itself. */
enum {
  HK_PLUGIN_READS_S = 1,    /**< the force depends on s */
  HK_PLUGIN_READS_RATE = 2, /**< and on ds/dt */
  HK_PLUGIN_SLOPES = 4      /**< it gives all slopes */
};

/** A type of law f(s, ds/dt), written as `{name: {key: value}}` where a law may stand. */
typedef struct hk_plugin_law {
  uint32_t size;             /**< sizeof this struct */
  const char *name;          /**< its key in model files */
  const char *text;          /**< a line for people */
  const hk_plugin_key *keys; /**< its keys */
  size_t par_size;           /**< bytes of its parameter struct */
  uint32_t caps;             /**< HK_PLUGIN_READS_S and so on */
  int32_t nz;                /**< private states, at most 4 */
  const double *units;       /**< nz: typical sizes; NULL: 1 */
  /** Checks the parameters. Nonzero: they are refused, with the words written to `why`. May be NULL */
  int32_t (*prepare)(void *par, char *why, size_t cap);
  /** Rates of the states, nz of them. NULL: there are none */
  void (*rates)(const void *par, double s, double sd, hk_plugin_rate *out);
  /** The force. A law without states that reads s alone gives its potential in `energy`. */
  void (*force)(const void *par, double s, double sd, const double *z, const double *zd,
                hk_plugin_force *out);
  /** NULL, or what stands as a pointer at the beginning of the parameter struct before `prepare` is
   * called: for types that are made while a program runs and share their functions */
  const void *self;
} hk_plugin_law;

/* --- controllers ------------------------------------------------------------------------------ */

/** A type of sampled controller: an item of `controllers:` with `input` and `period`. */
typedef struct hk_plugin_block {
  uint32_t size;             /**< sizeof this struct */
  const char *name;          /**< its type in model files */
  const char *text;          /**< a line for people */
  const hk_plugin_key *keys; /**< its keys */
  size_t par_size;           /**< bytes of its parameter struct */
  int32_t nu;                /**< inputs, 1 to 32 */
  int32_t nx;                /**< states, at most 200 */
  int32_t ny;                /**< outputs, 1 to 32 */
  const char *outputs;       /**< their names, where there are several */
  /** Checks the parameters. Nonzero: they are refused, with the words written to `why`. May be NULL */
  int32_t (*prepare)(void *par, double period, char *why, size_t cap);
  /** States and outputs before the first instant; both are 0 before. NULL: they stay 0 */
  void (*start)(const void *par, const double *u, double *x, double *y);
  /** One instant: outputs y_k and states x_(k+1) from u_k and x_k. */
  void (*sample)(const void *par, double t, double period, const double *u, double *x, double *y);
  /** NULL, or what stands as a pointer at the beginning of the parameter struct before `prepare` is
   * called: for types that are made while a program runs and share their functions */
  const void *self;
} hk_plugin_block;

/* --- integrators ------------------------------------------------------------------------------ */

struct hk_plugin_stepper;

/** What the library does for an integrator. Statuses are those of hooke/base.h: 0 is success; others
 * are returned as they come, and the step is then repeated with a smaller one or ends the run. */
typedef struct hk_plugin_solver {
  uint32_t size; /**< of this struct */
  /** q (+) d: the position after an increment d; `out` may be `q` */
  void (*plus)(struct hk_plugin_stepper *I, const double *q, const double *d, double *out);
  /** d with q1 = q0 (+) d */
  void (*minus)(struct hk_plugin_stepper *I, const double *q1, const double *q0, double *d);
  /** Solves an implicit stage at time t for D, which holds a prediction: equations of motion and
   * constraints at q = q0 (+) D, v = vh + cv D, a = ah + ca D. */
  int32_t (*stage)(struct hk_plugin_stepper *I, double t, const double *q0, double cv, double ca,
                   const double *vh, const double *ah, double *D);
  /** Accelerations of a state */
  int32_t (*accel)(struct hk_plugin_stepper *I, double t, const double *q, const double *v,
                   double *a);
  /** Moves a state onto the constraints: bits 1 positions, 2 velocities, 4 accelerations */
  int32_t (*project)(struct hk_plugin_stepper *I, double t, double *q, double *v, double *a,
                     uint32_t what);
} hk_plugin_solver;

/** A step under way: from (q, v, a) at t to (q1, v1, a1) at t + h. */
typedef struct hk_plugin_stepper {
  const void *par; /**< the parameters */
  int32_t nq;      /**< coordinates */
  int32_t nv;      /**< velocities */
  double t;        /**< time of the old state, s */
  const double *q; /**< old state, not to be changed */
  const double *v; /**< its velocities */
  const double *a; /**< its accelerations */
  double *hist;    /**< nhist vectors of nv numbers of the accepted steps; `start` fills them */
  double *q1;      /**< new state */
  double *v1;      /**< its velocities */
  double *a1;      /**< its accelerations */
  double *hist1;   /**< new history */
  double *D;       /**< room for nv numbers, */
  double *vh;      /**< nv, */
  double *ah;      /**< nv, */
  double *work;    /**< and 2 nv; a stage uses `work` */
  void *self;      /**< of the library */
} hk_plugin_stepper;

/** What an integrator needs of a formulation. */
enum {
  HK_PLUGIN_NEEDS_STAGES = 1, /**< implicit stages */
  HK_PLUGIN_NEEDS_ACCEL = 2   /**< accelerations of a state */
};

/** A type of integrator. */
typedef struct hk_plugin_integrator {
  uint32_t size;             /**< sizeof this struct */
  const char *name;          /**< its name in `run:` and after --integrator */
  const char *text;          /**< a line for people */
  const char *source;        /**< where its equations come from; may be NULL */
  const hk_plugin_key *keys; /**< its options: numbers, whole numbers, choices, true or false */
  size_t par_size;           /**< bytes of its parameter struct, at most 96 */
  uint32_t needs;            /**< HK_PLUGIN_NEEDS_STAGES and so on */
  int32_t order;             /**< order of convergence */
  int32_t nhist;             /**< vectors of history, at most 16 */
  /** Checks the options. Nonzero: they are refused, with the words written to `why`. May be NULL */
  int32_t (*prepare)(void *par, char *why, size_t cap);
  /** Fills the history from the state. NULL: zeros */
  int32_t (*start)(const hk_plugin_solver *solver, hk_plugin_stepper *I);
  /** One step of length h; gives a status */
  int32_t (*step)(const hk_plugin_solver *solver, hk_plugin_stepper *I, double h);
} hk_plugin_integrator;

/* --- joints ----------------------------------------------------------------------------------- */

/** What a joint gives. With VA, VB = (w, v) of the markers in world axes:
 *
 *     phi = 0,  dphi/dt = GA VA + GB VB,  d2phi/dt2 = GA dVA/dt + GB dVB/dt + gamma
 *
 * Rows depend on the relative pose of the markers alone. */
typedef struct hk_plugin_rows {
  double *phi;   /**< nc: violations, m or rad */
  double *GA;    /**< nc rows of 6 */
  double *GB;    /**< nc rows of 6 */
  double *gamma; /**< nc */
} hk_plugin_rows;

/** Where a joint with coordinates puts its second marker B, seen from the first, A. */
typedef struct hk_plugin_motion {
  double *R; /**< 9: axes of B in A as columns, row by row */
  double *p; /**< 3: origin of B in A */
  double *
      S; /**< a column of 6 for each coordinate, one behind the other: angular velocity, velocity of
                  B's origin per unit rate, A axes */
  double *c; /**< 6: angular acceleration, acceleration of B's origin at constant rates, A axes */
} hk_plugin_motion;

/** A type of joint by its constraint equations. Its markers coincide in the drawing position, with z
 * along the key of kind HK_PLUGIN_AXIS, if it has one. */
typedef struct hk_plugin_joint {
  uint32_t size;             /**< sizeof this struct */
  const char *name;          /**< its type in model files */
  const char *text;          /**< a line for people */
  const char *source;        /**< where its equations come from; may be NULL */
  const hk_plugin_key *keys; /**< its keys beside those of all joints */
  size_t par_size;           /**< bytes of its parameter struct */
  int32_t nc;                /**< rows, 1 to 6 */
  uint32_t lengths;          /**< bit r: row r is a length, else an angle */
  /** Checks the parameters. Nonzero: they are refused, with the words written to `why`. May be NULL */
  int32_t (*prepare)(void *par, char *why, size_t cap);
  /** The rows at two markers A and B. */
  void (*rows)(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
               hk_plugin_rows *out);
  int32_t ncoord; /**< 0, or how many coordinates it has, 1 to 3: they and the rows are six. It may
                            then lead to a body in the spanning tree, and forces, motions and limits act on
                            its coordinates; in models in space */
  uint32_t distances; /**< bit k: coordinate k is a length, else an angle */
  const char *coords; /**< names of the coordinates, separated by spaces */
  const char *rates;  /**< names of their rates */
  const char *units;  /**< units of the coordinates */
  /** The motion at coordinates q and rates v; v NULL: c is not wanted. All of `out` is 0 before. */
  void (*motion)(const void *par, const double *q, const double *v, hk_plugin_motion *out);
  /** The coordinates of two markers, with slopes as of rows. near: values that angles shall be near to */
  void (*measure)(const void *par, const hk_plugin_frame *A, const hk_plugin_frame *B,
                  const double *near, hk_plugin_rows *out);
} hk_plugin_joint;

/* --- registering ------------------------------------------------------------------------------ */

/** What a module calls while it is loaded. Functions return 0, or another number when they refuse a
 * type; the library then keeps the words, and the module should return that number. Structs and
 * texts that are given must live as long as the module. */
typedef struct hk_plugin_host {
  uint32_t size;    /**< of this struct */
  uint32_t version; /**< HK_PLUGIN_VERSION of the library */
  void *self;       /**< of the library */
  /** brings an element */
  int32_t (*add_element)(const struct hk_plugin_host *host, const hk_plugin_element *type);
  /** brings a law */
  int32_t (*add_law)(const struct hk_plugin_host *host, const hk_plugin_law *type);
  /** brings a controller */
  int32_t (*add_block)(const struct hk_plugin_host *host, const hk_plugin_block *type);
  /** brings an integrator */
  int32_t (*add_integrator)(const struct hk_plugin_host *host, const hk_plugin_integrator *type);
  /** brings a joint */
  int32_t (*add_joint)(const struct hk_plugin_host *host, const hk_plugin_joint *type);
  /** says why the module cannot be used */
  void (*complain)(const struct hk_plugin_host *host, const char *words);
} hk_plugin_host;

/** The one symbol of a module. */
typedef struct hk_plugin {
  uint32_t magic;   /**< HK_PLUGIN_MAGIC */
  uint32_t version; /**< HK_PLUGIN_VERSION of the header it was compiled with */
  const char *name; /**< what model files call it under `modules:` */
  const char *text; /**< a line for people */
  /** Brings the types. 0: all is well */
  int32_t (*init)(const hk_plugin_host *host);
} hk_plugin;

/** Defines the symbol of a module. */
#define HK_PLUGIN_ENTRY(name, text, init)                                                          \
  HK_PLUGIN_EXPORT extern const hk_plugin hk_plugin_entry;                                         \
  const hk_plugin hk_plugin_entry = {HK_PLUGIN_MAGIC, HK_PLUGIN_VERSION, name, text, init}

#ifdef __cplusplus
}
#endif
#endif
