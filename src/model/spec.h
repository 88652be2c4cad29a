/* SPDX-License-Identifier: Apache-2.0
 *
 * spec.h: the editable description of a mechanism, flat and numeric: lists of named items, in world
 * axes at the drawing position, each with its place in the model file. The model reader
 * (language/) has resolved includes, components, parameters, frames and mirroring. The compiler
 * (model.h) turns a spec into an immutable model. Ground is body index -1.
 */
#ifndef HK_MODEL_SPEC_H
#define HK_MODEL_SPEC_H

#include "streams/stream.h"
#include "base/base.h"
#include "geometry/frame.h"
#include "joints/joint.h"
#include "elements/wide.h"
#include "expr/expr.h"
#include "expr/table.h"
#include "expr/jumps.h"
#include "expr/blocks.h"
#include "expr/shapes.h"
#include "expr/surface.h"
#include "hooke/model.h"
#include "model/channel.h"
#include "model/spec_external.h"

enum { HK_GROUND = -1, HK_NONE = -1 };

/* --- bodies ----------------------------------------------------------------------------------- */

typedef enum hk_shape_kind {
  HK_SHAPE_ROD,
  HK_SHAPE_BOX,
  HK_SHAPE_CYLINDER,
  HK_SHAPE_SPHERE,
  HK_SHAPE_CAPSULE,
  HK_SHAPE_CONE,
  HK_SHAPE_MESH
} hk_shape_kind;

/* a shape for viewers; poses in world axes at the drawing position */
typedef struct hk_spec_shape {
  hk_shape_kind kind;
  int32_t body; /* HK_GROUND allowed */
  /* pose of the shape; rods, cylinders, capsules and cones extend along local z from its origin */
  hk_offset at;
  double size[3];             /* m; box: edges, centred on `at`; others: size[0] = length */
  double radius;              /* m */
  const char *file;           /* mesh: path of its file */
  const struct hk_mesh *mesh; /* its contents (formats/mesh.h) */
  const char *colour;         /* "#rrggbb" or NULL */
} hk_spec_shape;

/* how many coordinates a body without rotational inertia has (compile_spins.c) */
typedef enum hk_rotation { HK_ROTATION_AUTO, HK_ROTATION_NONE, HK_ROTATION_FULL } hk_rotation;

typedef struct hk_spec_body {
  const char *name; /* dotted for instances: "front_left.arm" */
  hk_loc loc;
  double mass;   /* kg */
  bool has_com;  /* false: not given, allowed for massless bodies; the compiler then takes the point
                    of a joint */
  double com[3]; /* m, world axes, drawing position */
  double J[9];   /* kg m^2 about the centre of mass, world axes, drawing position; 0: point mass */
  hk_rotation rotation;
  bool modal; /* it stands for a modal coordinate: its mass is no weight, its place is nowhere */
  bool has_frame;  /* `frame:` given; else the body's own frame is at com, axes of the world */
  hk_offset frame; /* pose of the body's own frame, world, drawing position */
  /* motion of the frame it is placed in, which its start rates follow where nothing else is said:
   * w, then v; a point at x has the velocity v + w x x; zeros: at rest */
  double carried[6];
} hk_spec_body;

/* --- joints ----------------------------------------------------------------------------------- */

typedef enum hk_cut_hint { HK_CUT_AUTO, HK_CUT_NEVER, HK_CUT_ALWAYS } hk_cut_hint;

/* the prescribed rotation of a joint with a quaternion, of B seen from A */
typedef enum hk_turn_kind {
  HK_TURN_NONE,
  HK_TURN_VECTOR,     /* rotation vector x y z */
  HK_TURN_QUATERNION, /* w x y z, of any length but zero */
  HK_TURN_ANGLES      /* three angles about axes, each in the axes that those before have turned */
} hk_turn_kind;
typedef struct hk_spec_turn {
  hk_turn_kind kind;
  int32_t signal[4]; /* HK_NONE behind the last */
  uint8_t axis[3];   /* angles: 0 1 2 for x y z */
  hk_loc loc;
} hk_spec_turn;

/* a coordinate of a joint that a coupling relates to others */
typedef struct hk_spec_coupled {
  int32_t joint, coord;
} hk_spec_coupled;

/* Rows of a coupling: sum c_i s_i + 1/2 sum Q_ij s_i s_j + c0 + f = 0. */
typedef struct hk_spec_coupling {
  int32_t n, nrows;
  const hk_spec_coupled *arg; /* n */
  const double *c, *c0; /* nrows x n, nrows; c0 NAN: the row is zero in the drawing position */
  const double *Q;      /* n x n, symmetric, of a single row; NULL: 0 */
  int32_t signal;       /* f of the first row, which reads joint coordinates (and rates, where the
                           type binds these); HK_NONE: none */
  int32_t nto;          /* servos: coordinates through which the force acts, */
  const hk_spec_coupled *to; /* nto */
  const double *push;        /* nto: and how much of it on each */
} hk_spec_coupling;

typedef struct hk_spec_joint {
  const char *name;
  hk_loc loc;
  const hk_joint_ops *ops;
  void *par;           /* ops->par_size bytes; NULL when there are none */
  int32_t body[2];     /* first, second */
  hk_offset marker[2]; /* world poses of A and B at the drawing position; equal unless `ends` gives
                          two points */
  double zero[6];      /* value of each scalar coordinate at the drawing position (`zero:`) */
  int32_t motion[6];   /* per scalar coordinate: signal that prescribes it, or HK_NONE */
  hk_loc motion_loc[6];
  hk_spec_turn turn;
  int32_t row_signal[6]; /* general: per locked axis x y z rx ry rz, signal or HK_NONE */
  bool active;           /* false: off until an event */
  bool made;             /* part of a flexible body: it has no channels */
  hk_cut_hint cut;
  hk_spec_coupling *coupling; /* couplings; their bodies are the ground */
} hk_spec_joint;

/* what a channel of a body or marker is for a condition on velocities: a coordinate of an added joint
 * (senses.c), or its rate */
typedef struct hk_spec_sense {
  hk_channel channel;
  int32_t joint, coord;
  bool rate;
} hk_spec_sense;

/* The range of one scalar coordinate of a joint (`limits:`). */
typedef struct hk_spec_limit {
  hk_loc loc;
  int32_t joint, coord;
  bool compliant;     /* a force does it (elements/stop.h), and the rest does not count */
  double range[2];    /* lower and upper end; -INFINITY, INFINITY: open */
  double restitution; /* of an impact: rate after it over rate before it, 0 to 1 */
  double rest;        /* rebounds slower than this end at rest on the stop, m/s or rad/s */
} hk_spec_limit;

/* --- signals ---------------------------------------------------------------------------------- */

typedef enum hk_read_kind { HK_READ_TIME, HK_READ_SIGNAL, HK_READ_CHANNEL } hk_read_kind;

/* source of one input slot of an expression */
typedef struct hk_read {
  hk_read_kind kind;
  int32_t signal;     /* HK_READ_SIGNAL */
  hk_channel channel; /* HK_READ_CHANNEL */
} hk_read;

typedef enum hk_signal_kind {
  HK_SIGNAL_EXPR,
  HK_SIGNAL_TABLE,
  HK_SIGNAL_SHAPE,
  HK_SIGNAL_SURFACE,
  HK_SIGNAL_MEMORY,
  HK_SIGNAL_RATE,
  HK_SIGNAL_TRAVEL
} hk_signal_kind;

/* A function of time, of other signals and of channels. An expression is the value itself; a table
 * or shape is applied to the value of `expr` (NULL: t), a table in two variables to those of `expr`
 * and `second`. A signal with memory has its operands in its reads, which are signals, and in `late`:
 * those that it takes in when all signals have their values, and on which its own does not depend at
 * once, so that they may come later in the order; its `expr`, the sum of its reads, only says what
 * it depends on. A rate is that of the signal of time in its only read. A travel is the position of a
 * coordinate whose rate, or acceleration, is the signal of time in its only read
 * (kinematics/travel.c). The reader refuses cycles. */
typedef struct hk_spec_signal {
  const char *name; /* expression written as the value of a key, without name: "force.NAME.KEY" */
  hk_loc loc;
  hk_signal_kind kind;
  const hk_expr *expr; /* input slot i reads reads[i] */
  int32_t nreads;
  const hk_read *reads; /* nreads */
  const hk_table *table;
  const hk_shape *shape;     /* expr/shapes.h */
  const hk_expr *second;     /* second argument of the surface, of the same reads */
  const hk_surface *surface; /* expr/surface.h */
  const hk_memory *memory;   /* expr/memory.h */
  int32_t order;             /* travel: 1 of a rate, 2 of an acceleration; else 0 */
  int32_t nlate;
  const int32_t *late; /* nlate: signals */
  bool named;          /* written under `signals:` (has a channel signal.NAME), */
  bool controller;     /* or an output under `controllers:`; its name is "controller.NAME" */
  const char *stream;  /* an input that follows a stream: its name; NULL: none */
  int32_t column;      /* of the stream, from 1 */
  bool places;         /* an input that a prescribed position follows: it moves in statics alone */
} hk_spec_signal;

/* `streams:`: values from other programs or to them */
typedef struct hk_spec_stream {
  hk_stream_plan plan;
  hk_loc loc, values_loc;
  int32_t every;  /* steps */
  int32_t on_end; /* HK_ON_END_... */
  int32_t nvalues;
  const char **values; /* nvalues: channels that are sent, or names of columns that are expected */
} hk_spec_stream;
enum { HK_ON_END_FAIL, HK_ON_END_HOLD, HK_ON_END_STOP };

/* what a signal computes from its reads, without the slot of time */
static inline hk_time_function hki_signal_function(const hk_spec_signal *s) {
  return (hk_time_function){s->expr,
                            -1,
                            s->kind == HK_SIGNAL_TABLE ? s->table : NULL,
                            s->kind == HK_SIGNAL_SHAPE ? s->shape : NULL,
                            s->kind == HK_SIGNAL_SURFACE ? s->second : NULL,
                            s->kind == HK_SIGNAL_SURFACE ? s->surface : NULL};
}
/* is it set by the program around the simulation? */
static inline bool hki_signal_is_input(const hk_spec_signal *s) {
  return s->memory && s->memory->fn == HK_MEMORY_INPUT;
}
/* the name of an output of a controller without the first word */
static inline const char *hki_controller_name(const hk_spec_signal *s) {
  return s->name + sizeof "controller";
}
/* the read of a signal that is time, -1: none */
int32_t hki_signal_time(const hk_spec_signal *s);

/* --- forces ----------------------------------------------------------------------------------- */

/* friction at the stops of a coordinate */
typedef struct hk_spec_stopped {
  uint8_t ends;  /* bits HK_END_: of the stops that press; 0: it is none at stops */
  int32_t limit; /* index in limits */
  double lever;  /* force or torque of the stop over what it presses by, 1 or m */
} hk_spec_stopped;
enum { HK_END_LOWER = 1u, HK_END_UPPER = 2u };

typedef struct hk_spec_force {
  const char *name;
  hk_loc loc;
  const hk_element_ops *ops;
  void *par;       /* ops->par_size bytes, filled through ops->params; prepare() already called */
  int32_t body[2]; /* bodies of the markers; ops->nmark are used */
  hk_offset marker[2];                 /* world poses at the drawing position */
  int32_t joint;                       /* joint elements: the joint, */
  int32_t coord;                       /* and its scalar coordinate */
  int32_t node[HK_ELEMENT_NODES];      /* scalar nodes, HK_GROUND: the reference */
  uint32_t u_given;                    /* bit i: the key of u[i] was given */
  double u[HK_ELEMENT_INPUTS];         /* constants */
  int32_t u_signal[HK_ELEMENT_INPUTS]; /* signal index or HK_NONE = the constant */
  uint32_t u_rate;                     /* bit i: u[i] is the rate of its signal, one of time */
  bool normal;             /* u[0] is what presses the surfaces of its joint, from the reaction, */
  hk_spec_stopped stopped; /* or from a stop of it */
  bool sticks;             /* it holds its coordinate by a lock (simulation/sim_locks.c) */
} hk_spec_force;

/* --- wide elements ---------------------------------------------------------------------------- */

/* an element on several markers (elements/wide.h) */
typedef struct hk_spec_wide {
  const char *name; /* of an element of a beam: "wing.1" */
  hk_loc loc;
  const hk_wide_ops *ops;
  const void *par; /* ops->par_size bytes */
  int32_t nmark;
  const int32_t *body;     /* nmark; HK_GROUND allowed */
  const hk_offset *marker; /* nmark: world poses at the drawing position */
  int32_t acts_for;        /* 1 + index of the force whose inputs and outputs it has; 0: none */
} hk_spec_wide;

/* outline of a section in the plane of y and z of a node's axes */
typedef enum hk_outline_kind {
  HK_OUTLINE_RECTANGLE, /* width along y, height along z */
  HK_OUTLINE_CIRCLE,    /* radius */
  HK_OUTLINE_TUBE,      /* outer and inner radius */
  HK_OUTLINE_I          /* width along y, height along z, thickness of the web, of the flanges */
} hk_outline_kind;

typedef struct hk_outline {
  hk_outline_kind kind;
  double size[4];   /* m */
  double centre[2]; /* its middle, y and z, m */
} hk_outline;

/* Bodies and elements that one entry of the model file stands for: a beam, a cable. Only channels, reports and
 * drawings know groups; the compiled model has bodies and elements. */
typedef struct hk_spec_group {
  const char *name;
  hk_loc loc;
  const char *kind;                   /* "beam", "cable" .. */
  int32_t body0, nbody, wide0, nwide; /* its nodes, from the start to the end; its elements */
  const double *station;              /* nbody: parts of its length, from 0 to 1; NULL: a surface */
  const hk_outline *outline;          /* nbody; NULL: none, it is a line */
  double length, wave;                /* m, speed of stretch along it, m/s; 0: not known */
  bool closed;                        /* its last node is followed by the first one */
  bool points;                        /* axes of its nodes mean nothing: a curve through places */
  const int32_t *quad;                /* a surface: the four nodes of each element, from 0 */
  double thickness;                   /* of it, m */
} hk_spec_group;

/* The surface of a body with modes, for drawings and stresses: nodes, and their translation and stress in each mode, in the
 * axes of its file. Translation and stress are sums over modes times modal coordinates. */
typedef struct hk_spec_skin {
  const char *name;
  int32_t wide;         /* its element (elements/modal.h) */
  int32_t body0, nbody; /* the floating frame, modal coordinates, interfaces */
  hk_offset at;         /* axes of the file, in the drawing */
  int32_t ne, nnode, nface;
  const double *node;   /* nnode x 3 */
  const double *shape;  /* ne x nnode x 3 */
  const double *stress; /* ne x nnode x 6: xx yy zz xy yz zx; NULL: not known */
  const int32_t *face;  /* nface x 3; there may be none */
} hk_spec_skin;

/* --- scalar nodes ----------------------------------------------------------------------------- */

typedef struct hk_spec_node {
  const char *name;
  hk_loc loc;
  hk_domain domain;
  double start;   /* value at the start */
  double scale;   /* typical size of the value */
  bool held;      /* `value:` given: not an unknown */
  bool still;     /* `quasi_steady`: no element stores at it, its rate counts as zero */
  double value;   /* held: its constant value */
  int32_t signal; /* held: the signal that gives its value, HK_NONE: constant */
} hk_spec_node;

/* --- markers, events, start, run -------------------------------------------------------------- */

typedef struct hk_spec_marker {
  const char *name;
  hk_loc loc;
  int32_t body;
  bool relative;          /* `relative_to` is given: */
  int32_t reference;      /* the body of the frame that it is seen from; HK_GROUND: fixed */
  bool reference_own;     /* that frame is the body's own, else it is */
  hk_offset reference_at; /* this one, world, drawing position */
  hk_offset at;           /* world, drawing position */
} hk_spec_marker;

typedef enum hk_event_action {
  HK_EVENT_FIX,
  HK_EVENT_RELEASE,
  HK_EVENT_REBOUND, /* a coordinate reverses its rate */
  HK_EVENT_RATE,    /* a coordinate gets a rate */
  HK_EVENT_SET,     /* a variable gets a value */
  HK_EVENT_RESET,   /* a signal begins anew */
  HK_EVENT_STOP     /* the run ends */
} hk_event_action;

typedef struct hk_spec_event {
  const char *name;
  hk_loc loc;
  int32_t when; /* signal: fires when it becomes nonzero */
  bool again;   /* each time that it does so, else once */
  hk_event_action action;
  int32_t joint;        /* fix, release, rebound, rate; else HK_NONE */
  int32_t limit;        /* rebound, rate: rigid limits of the coordinate, maybe open */
  int32_t signal;       /* set, reset: with memory; HK_NONE: reset of */
  int32_t force;        /* the element of a state */
  double value;         /* restitution; rate; value */
  int32_t value_signal; /* HK_NONE: the number */
} hk_spec_event;

/* bits of hk_spec_start.given */
enum {
  HK_START_POSITION = 1u,
  HK_START_ORIENTATION = 2u,
  HK_START_VELOCITY = 4u,
  HK_START_ANGULAR_VELOCITY = 8u
};

/* Start values of one joint or one body.
 *   scalar coordinates  q[k], v[k]; bit k of q_given, v_given: the value is given
 *   quaternion joints   position, orientation, velocity, angular_velocity of B relative to A, in
 * A's
 *                       axes; bits HK_START_ of given
 *   bodies              the same of the body's own frame, world axes */
typedef struct hk_spec_start {
  hk_loc loc;
  int32_t joint, body; /* one of them; the other HK_NONE */
  uint32_t q_given, v_given, given;
  double q[6], v[6];
  double position[3], orientation[4], velocity[3], angular_velocity[3];
  double carried[6]; /* bodies: to the velocity is added that of a moving frame, v + w x position */
  hk_loc q_loc[6], v_loc[6], given_loc[4]; /* given_loc: in the order of the HK_START_ bits */
} hk_spec_start;

typedef enum hk_equilibrium { HK_EQ_OFF, HK_EQ_REST, HK_EQ_STEADY } hk_equilibrium;
/* start.rates: what rates that are not named are nearest to zero in */
typedef enum hk_start_rates { HK_RATES_RELATIVE, HK_RATES_MASS } hk_start_rates;

/* an option of a method: a key under `run:` that is not time, step, formulation or integrator */
typedef struct hk_spec_option {
  const char *name;
  hk_loc loc;
  bool is_number;
  double number;
  const char *text;
} hk_spec_option;

typedef struct hk_spec_run {
  double time, step;   /* NAN = not given; a step that varies: its first value */
  int32_t step_signal; /* the signal of time that the step follows, HK_NONE: constant */
  hk_loc time_loc, step_loc;
  const char *formulation, *integrator; /* NULL = default */
  hk_loc formulation_loc, integrator_loc;
  bool substeps;    /* default true */
  double tolerance; /* NAN = default */
  int32_t noptions;
  hk_spec_option *options;
} hk_spec_run;

/* --- inverse problems ------------------------------------------------------------------------- */

/* an actuator: a coordinate of a joint, or an input of the model */
typedef struct hk_spec_actuator {
  hk_loc loc;
  int32_t joint, coord; /* HK_NONE: it is */
  int32_t signal;       /* this input */
  double range[2];      /* smallest and largest value; -INFINITY, INFINITY: open */
  double weight;        /* of its value among the others */
} hk_spec_actuator;

/* a number, or a signal of time that gives it */
typedef struct hk_spec_given {
  double value;
  int32_t signal; /* HK_NONE: the number */
} hk_spec_given;

typedef enum hk_task_kind {
  HK_TASK_POSITION,    /* components of a marker's position */
  HK_TASK_AXIS,        /* an axis of a marker has a direction */
  HK_TASK_ORIENTATION, /* the axes of a marker are turned by a rotation vector */
  HK_TASK_VALUE        /* an expression of channels has a value */
} hk_task_kind;

/* what a mechanism shall do: rows that are zero where it does */
typedef struct hk_spec_task {
  const char *name;
  hk_loc loc;
  hk_task_kind kind;
  int32_t marker;          /* index in markers; HK_NONE: an expression, */
  int32_t signal;          /* whose value is this signal */
  uint32_t used;           /* position: bit k: component k is prescribed */
  double axis[3];          /* axis: unit vector in the axes of the marker */
  hk_spec_given target[3]; /* world axes; of a value the first alone */
} hk_spec_task;

typedef enum hk_ergonomy_kind {
  HK_ERGONOMY_JOINT,    /* a coordinate away from `zero` */
  HK_ERGONOMY_RANGE,    /* a coordinate near the ends of its range, or behind them */
  HK_ERGONOMY_DISTANCE, /* a marker nearer to a point, or another marker, than a distance */
  HK_ERGONOMY_FORCE,    /* the potential of a force */
  HK_ERGONOMY_VALUE     /* an expression of channels is the cost */
} hk_ergonomy_kind;

/* what costs while tasks leave freedoms (simulation/task_costs.c) */
typedef struct hk_spec_ergonomy {
  const char *name;
  hk_loc loc;
  hk_ergonomy_kind kind;
  int32_t joint, coord;
  int32_t marker, other; /* other HK_NONE: the point */
  double point[3];       /* world */
  int32_t force;         /* index in forces */
  int32_t signal;        /* the expression */
  double stiffness;
  hk_spec_given zero;
  double range[2], margin; /* margin: how far within the range it begins; distance: range[0] */
} hk_spec_ergonomy;

typedef enum hk_least { HK_LEAST_TORQUE, HK_LEAST_ACTIVATION, HK_LEAST_ENERGY } hk_least;

/* `inverse:` */
typedef struct hk_spec_inverse {
  int32_t nactuators, ntasks, nergonomy;
  hk_spec_actuator *actuators;
  hk_spec_task *tasks;
  hk_spec_ergonomy *ergonomy;
  hk_least least;
  bool
      differences; /* rates and accelerations nearest to those of the last positions, else derivatives */
} hk_spec_inverse;

/* a key of the section of an analysis: its values, each as the text of an option of the command */
typedef struct hk_spec_setting {
  const char *section, *key;
  hk_loc loc;
  int32_t n;
  const char **values; /* n */
} hk_spec_setting;

/* a unit of another tool, an FMU, that reads channels and sets inputs of the model (src/fmi/import.h) */
typedef struct hk_spec_fmu {
  const char *name, *file; /* file: its path */
  hk_loc loc;
  int32_t nin, nout, npar;
  const char **in, **channel; /* nin: its inputs, and what they follow */
  const char **out, **input;  /* nout: its outputs, and inputs of the model */
  const char **par;           /* npar: its parameters, */
  double *value;              /* and their values */
  bool iterate, sampled;      /* within steps, until both agree; inputs jump to what it gives */
  double timeout;             /* s: longest time of a call */
} hk_spec_fmu;

/* a file besides the main one that the model was read from */
typedef enum hk_file_kind { HK_FILE_MODEL, HK_FILE_TABLE, HK_FILE_MESH } hk_file_kind;

typedef struct hk_spec_file {
  hk_file_kind kind;
  const char *path; /* as it was opened */
  const char *name; /* relative to the main file's folder if it lies there */
  const char *text; /* its first `kept` bytes: all of a small file, none of a mesh */
  size_t bytes, kept;
  uint64_t hash; /* of all bytes */
} hk_spec_file;

/* a parameter and its value; those of instances have the instance's name before them */
typedef struct hk_spec_parameter {
  const char *name;
  double value;
} hk_spec_parameter;

struct hk_spec;
/* reads a model again from its text, with more parameters given from outside; NULL after errors */
typedef struct hk_spec *hk_read_again(hk_ctx *ctx, const struct hk_spec *spec, const hk_set *sets,
                                      int32_t nsets);

typedef struct hk_spec {
  hk_ctx *ctx;
  hk_pool *pool;        /* owns every string and array below */
  const char *path;     /* of the main file */
  const char *title;    /* "" when none */
  const char *text;     /* the main file's own text */
  uint64_t source;      /* hash of its keys and values */
  hk_read_again *again; /* of the reader that made the spec; NULL: there is none */
  int32_t nfiles;
  hk_spec_file *files; /* nfiles: the other files, in the order in which they were read */
  int32_t nsets;
  hk_set *sets; /* parameters given from outside */
  int32_t nparameters;
  hk_spec_parameter *parameters; /* all that are numbers, as the model uses them */
  bool planar;
  double normal[3];  /* planar models: unit normal of the plane of motion */
  double gravity[3]; /* the constant part of uniform gravity; the rest are forces (field.h) */
  hk_loc gravity_loc;
  bool moving;        /* the frame of reference moves (`run: frame`) */
  double frame_at[3]; /* the point that has the frame's velocity */
  int32_t nbodies, njoints, nsignals, nforces, nmarkers, nevents, nstarts, nrecord, nshapes, nnodes,
      ninstances, nlimits, nwide, ngroups, nskins, ncovers;
  hk_spec_body *bodies;
  hk_spec_joint *joints;
  int32_t nhidden;       /* the last joints, which the compiler has added: they bind nothing */
  int32_t nsenses;       /* channels that they measure, for conditions on velocities */
  hk_spec_sense *senses; /* nsenses */
  hk_spec_limit *limits;
  hk_spec_signal *signals; /* ordered so that each reads only earlier ones */
  hk_spec_force *forces;   /* of `forces:` and of `network:`, in the order of the file */
  hk_spec_wide *wide;      /* nwide: elements on several markers */
  hk_spec_group *groups;   /* ngroups */
  hk_spec_skin *skins;     /* nskins: of bodies with modes */
  hk_spec_cover *covers;   /* ncovers */
  int32_t nexternals;
  hk_spec_external *externals; /* nexternals */
  hk_spec_node *nodes;
  hk_spec_marker *markers;
  hk_spec_event *events;
  hk_spec_start *starts;
  hk_spec_shape *shapes;
  const char **instances; /* ninstances: full names of the instances of components */
  const char **record;    /* nrecord: globs of channels; NULL: the default channels */
  hk_loc *record_loc;
  hk_equilibrium equilibrium;
  hk_start_rates start_rates;
  double relax, relax_rate; /* start.relax: stiffness and rate_stiffness per mass, 1/s^2 and 1/s; 0:
                               loads do not shift the start */
  hk_spec_run run;
  hk_spec_inverse inverse;
  int32_t nstreams;
  hk_spec_stream *streams; /* nstreams */
  int32_t nsettings;
  hk_spec_setting *settings; /* nsettings: sections of analyses */
  int32_t nfmus;
  hk_spec_fmu *fmus; /* nfmus */
  hk_names *body_names, *joint_names, *force_names, *marker_names, *signal_names, *node_names,
      *controller_names, *wide_names; /* wide_names: of elements, then of groups */
} hk_spec;

hk_spec *hki_spec_create(hk_ctx *ctx);
void hki_spec_destroy(hk_spec *spec);
/* elements of item i of the beams' channels: an element, or from nwide on a group */
void hki_spec_wide_range(const hk_spec *spec, int32_t item, int32_t *first, int32_t *n);
/* modes of an element that is a body with modes; 0: it is none */
int32_t hki_spec_modes(const hk_spec *spec, int32_t wide);
/* NULL: no such channel is measured */
const hk_spec_sense *hki_spec_sense(const hk_spec *spec, hk_channel ch);

#endif
