/* SPDX-License-Identifier: Apache-2.0
 *
 * simulation.h: one run of a model: formulation, integrator, Newton, events, audit, channels.
 *
 * After every accepted step the formulation's kinematics (kin) are evaluated at the accepted state;
 * the audit and the channels read them there. All discrete data lie in one block, which the
 * formulation's machine and the tree machine of the simulation share. A rejected step is undone by
 * copying two blocks back: these data and the persistent part of the formulation.
 */
#ifndef HK_SIMULATION_SIMULATION_H
#define HK_SIMULATION_SIMULATION_H

#include "analyses/assembly.h"
#include "analyses/held.h"
#include "analyses/doctor.h"
#include "analyses/reactions.h"
#include "formulations/formulation.h"
#include "hooke/sim.h"
#include "integrators/integrator.h"
#include "integrators/step_control.h"
#include "simulation/grade.h"
#include "simulation/contacts.h"

/* the energy audit: E - E(0) - supplied + dissipated (sim_audit.c) */
typedef struct hk_audit {
  double kinetic, potential, initial; /* J; initial: E(0) */
  double supplied, dissipated;        /* work so far, J */
  double supply_power, drain_power;   /* at the accepted state, W */
  double extreme;                     /* value of the audit with the largest magnitude so far, J */
  /* largest constraint row so far, and its rates: m or rad, per s, per s^2 */
  double position_max, velocity_max, acceleration_max;
  hk_watch watch; /* for the grade of the run */
} hk_audit;

/* a row that follows a signal, and its values at one state */
typedef struct hk_motion_row {
  int32_t closure, row, signal, source;
} hk_motion_row;
typedef struct hk_motion_trace {
  double lam, lamd; /* multiplier, its mean rate over the last step (NAN: unknown) */
  double f, fd;     /* signal and its rate */
  double rate;      /* Phi_t; 0 where the closure is off */
} hk_motion_trace;

/* The work of forces and motions, by source (sim_work.c). Sources: the nf forces, the joints with
 * motions, and last what belongs to none of them. In the books 2 i is what source i has dissipated,
 * 2 i + 1 what it has supplied, J. */
typedef struct hk_work {
  int32_t n, nmotions; /* sources, rows of motions */
  int32_t other;       /* the last source: events, jumps */
  int32_t nsources;    /* those that reports name: elements of a beam are one */
  struct hk_source {
    const char *name; /* "joint.crank", "force.spring", "beam.wing", "events" */
    int32_t first, n;
  } * source;            /* nsources */
  hk_motion_row *motion; /* nmotions */
  int32_t *of_joint;     /* nj: source of the joint, HK_NONE without motion and rigid stop */
  int32_t now, nstate;   /* which of two states is the accepted one; their size */
  double *state[2];      /* nstate: trace and rows of one state, in one piece */
  hk_trace trace[2];     /* forces */
  hk_motion_trace *rows[2];
  double h;                /* length of the last step, 0: none */
  double *book, *step;     /* 2 n: the books; work of one step */
  double *kept;            /* 2 n + nstate: books and accepted state before a step that is tried */
  bool touched;            /* the step that is tried has changed them */
  int32_t moved;           /* source whose motion has changed its rate since the last step */
  double *base, *power[3]; /* 2 n, controlled steps: books before the last step; powers at its
                              beginning, middle, end */
} hk_work;

typedef struct hk_solver_par {
  int32_t max_iterations;
  int32_t fixed_iterations; /* 0: to convergence */
  int32_t jacobian;         /* 0 keep, 1 every, 2 over steps */
  int32_t correction;       /* 0 direct, 1 krylov */
  int32_t line_search;      /* 0 off, 1 on */
  int32_t threads;          /* that share the elements of a step */
  double
      drift_limit; /* of the energy audit in % of the energy that moves; above it a run is wrong */
  hk_control_par control;
} hk_solver_par;
extern const hk_param hki_solver_params[]; /* options of hk_solver_par, the same in every run */

#define HK_AUTO "auto" /* in the place of a formulation: chosen from the model */

enum { HK_SIGN_SIZE = 5 }; /* numbers for each orientation: sim_signs.c */

/* to do at the end of the last step, after the rows before it have been written: a signal jumps; an
 * event fires or an element changes its branch */
enum { HK_ARRIVE_BREAK = 1u, HK_ARRIVE_EVENT = 2u };

/* Steps of controlled length: they do not end on the grid, whose rows come from dense output. All
 * of it is persistent but `shown`. */
typedef struct hk_free_steps {
  bool on;
  bool late;        /* `now` is before the end of the last step */
  bool shown;       /* kinematics and audit are evaluated at `now`, not at the accepted state */
  uint32_t arrival; /* HK_ARRIVE_ bits */
  double now;       /* the time of hk_sim_time while `late` */
  double t0;        /* beginning of the last step */
  /* the audit over the last step: work at its beginning, powers at its beginning, middle, end; its
   * length */
  double supplied, dissipated, supply[3], drain[3], length;
  double spent; /* what laws with memory had counted themselves at its beginning, J */
} hk_free_steps;

/* a signal or an element that may jump, and when it does so next */
typedef struct hk_break_source {
  int32_t signal; /* HK_NONE: the force */
  const hk_model_force *force;
  double next; /* s; not behind the present time: to be found */
} hk_break_source;

typedef struct hk_breaks {
  int32_t n;
  hk_break_source *list; /* n */
  double soonest;        /* of all `next` */
} hk_breaks;

/* impulses by which prescribed motions change their rates (sim_impulses.c) */
typedef struct hk_impulses {
  int64_t count;
  double energy;     /* J, what they supplied */
  double largest, t; /* N*s or N*m*s; s */
  double last;       /* when signals jumped last, s */
  int32_t row;       /* closure row of the largest */
  int32_t open;      /* 1: the last jump has counted; another right behind belongs to it */
} hk_impulses;

/* conditions of events within a step (sim_windows.c) */
typedef struct hk_windows {
  bool on;           /* some event reads channels */
  int32_t n;         /* comparisons in their conditions */
  int32_t nsignals;  /* signals that hold these comparisons */
  int32_t *signal;   /* nsignals */
  double *g[3];      /* n each: differences at the left end, the right end, and between */
  double *m[3];      /* n each: their slopes per step */
  double *near;      /* n: differences at a place nearby */
  double *zero;      /* 2 n: places at which differences pass zero */
  double *in;        /* inputs of a signal */
  double *q0, *q1;   /* nq: ends of the step in tree coordinates, fixed steps only */
  double *v0, *v1;   /* nv + nx + nz */
  double *d1;        /* nv: q1 (-) q0 */
  double *q, *v, *d; /* scratch */
} hk_windows;

/* recorded channels that follow each other and are components of one quantity */
typedef struct hk_channel_run {
  hk_channel channel; /* the first of them */
  int32_t first, n;   /* its index in the row, their number */
  bool whole;         /* all components, in order */
  bool kept;          /* `from` is valid only while kin keeps the forces of the state */
  const double *from; /* address of the values in kin; NULL: they must be computed */
} hk_channel_run;

/* a value that a node of the network shall have: index in the list of values */
typedef struct hk_node_start {
  int32_t x;
  double value;
} hk_node_start;

/* a channel by handle, and what must be found before its value is there */
typedef struct hk_handle {
  hk_channel channel;
  uint32_t needs; /* HK_VALUE_ bits */
} hk_handle;
enum { HK_VALUE_REACTIONS = 1u, HK_VALUE_ACCELERATIONS = 2u, HK_VALUE_SIGNALS = 4u };

struct hk_sim {
  hk_mark mark;
  hk_ctx *ctx;
  hk_model *m;
  hk_pool *pool;
  const hk_formulation_entry *fe;
  char why[240];        /* why this formulation */
  double memory;        /* bytes that the run may take */
  bool memory_given;    /* the caller said how many */
  hk_cost cost, common; /* of the run; of what every formulation needs; 0: not counted */
  hk_formulation *f;
  hk_kin *kin;   /* kinematics of the formulation, at the accepted state */
  hk_tree *tree; /* own machine, for assembly and reactions */
  hk_reactions *reactions;
  hk_integrator I;
  hk_newton newton;
  double *integrator_par, *formulation_par; /* options of the methods, in the pool */
  hk_solver_par solver;
  hk_control control;
  hk_free_steps free;
  hk_audit kept; /* audit of the accepted state while another state is shown */
  hk_mobility mobility;
  int32_t servo_index; /* differential index of the model's servos at the start, 0: it has none */
  double step, end;    /* s */
  bool substeps;       /* a step that fails may be divided */
  int32_t jam_hold;    /* steps until jams of friction are looked for again */
  double *jam_work;    /* hki_jam_work numbers */
  bool unsettled;      /* the equilibrium that the caller wants was not found by the assembly */
  double *jam_before;  /* nnormal + nv: normal forces and velocities of the step before */
  bool stiff_due;      /* the state has been made anew since hki_sim_too_stiff looked at it */
  /* time grid: step k ends at k * step = k * grid_num/grid_den; breaks and events end it earlier */
  int64_t grid, steps, rejected; /* grid times passed; steps accepted, rejected */
  double grid_num, grid_den;
  bool scheduled;   /* the step follows a signal: each step begins where the last one ended */
  hk_breaks breaks; /* times at which signals or elements may jump */
  uint8_t *fired;   /* nevents */
  hk_audit audit;   /* at the accepted state */
  hk_work work;     /* who supplied and dissipated what */
  hk_impulses impulses;
  hk_stops stops;
  hk_locks locks;
  hk_touches touches;
  hk_windows windows;       /* scratch for conditions of events */
  int32_t jumping;          /* prescribed motions whose rate jumps, small ends apart */
  double cpu;               /* CPU time of the steps, s */
  int32_t untimed, skipped; /* hk_sim_step: steps to come, and gone, without a look at the clock */
  hk_status status;         /* of the last step; a run that failed cannot continue */
  char message[1024];       /* why it failed */
  const char *advice;       /* what to do about it; NULL: nothing special */
  char advice_own[260];     /* memory for advice with names in it */
  /* channels */
  int32_t nchannels;
  hk_channel *channels; /* nchannels: recorded */
  int32_t nruns;
  hk_channel_run *runs; /* nruns: the same channels, grouped by quantity */
  const char **channel_name, **channel_unit, **channel_text; /* nchannels */
  hk_held *held;           /* freedoms without mass that forces hold, NULL: none */
  uint8_t *channel_shared; /* nchannels: 1 for reactions that the model does not determine */
  bool wants_reactions, wants_accelerations; /* recorded channels need them */
  bool has_drives, has_decide, has_hooks;    /* prescribed motions; elements with branches, hooks */
  double *hook_q, *hook_v, *hook_a;          /* the state of a stage, for hooks */
  bool has_contacts;                         /* joints that only push */
  bool has_memory;                           /* laws whose discrete data follow the states */
  bool wants_signals;                        /* signals are recorded */
  bool reactions_known;                      /* wrench and drive belong to the present state */
  uint8_t *accelerated; /* nb: 1 where recorded channels need the acceleration of the body */
  /* scratch and saved state, all in one block */
  double *qt, *vt, *at;           /* nq, nv + nx + nz (twice): accepted state in tree coordinates */
  double *v_before, *phit_before; /* nv, nrows: before a jump, in tree coordinates */
  double *A;                      /* nb x 6: spatial accelerations about O */
  double *wrench, *drive, *row;   /* nj x 6, ns: reactions.h; nrows */
  uint8_t *unique;                /* nj x 6: reactions.h */
  double *signs;                  /* (nb + nj) x HK_SIGN_SIZE: sim_signs.c */
  double *saved_disc, *saved_form; /* discrete, formulation's data before a step, to undo it */
  double *whole;                   /* the state at the beginning of a step in parts: sim_whole.c */
  double whole_t;
  int64_t whole_steps;
  hk_audit whole_audit;
  double *held_disc, *held_form; /* the same, while states within a step are evaluated */
  double *normals_there;         /* nnormal: scratch of these */
  double *past;                  /* HK_CONTROL_PAST x nv: past velocities */
  double *start_q, *start_v;     /* nq, nv: the start, tree coordinates, for causes of bad grades */
  double *jump_q, *jump_v;       /* nq, nv: the state with the largest change of the audit */
  double *trend, trend_h; /* nv: change of the velocities in the last step; its length, 0: none */
  bool jump_known;
  double *qd, *vd, *ad; /* a state within the last step, integrator's coordinates */
  unsigned char *block;
  /* inputs: their signals; values may wait for the next step */
  int32_t ninputs;
  int32_t *inputs; /* ninputs */
  bool inputs_new;
  struct hk_peers *peers; /* who takes part in the steps from outside; NULL: nobody (sim_peers.c) */
  struct hk_streams *streams; /* connections to other programs; NULL: not made (sim_streams.c) */
  struct hk_externals *externals;     /* NULL: none are connected */
  int64_t waited;                     /* ns that they have kept the run waiting */
  struct hk_realtime_count *realtime; /* how the run keeps its schedule; NULL: it has none */
  bool peers_lost;                    /* one of them could not take a step back */
  hk_spec_start *starts;              /* nstarts: values that hk_sim_restart takes */
  int32_t nstarts, starts_cap;
  hk_node_start *node_starts; /* nnode_starts: the same of nodes */
  int32_t nnode_starts, node_starts_cap;
  hk_handle *handles; /* nhandles: channels that were asked for by name */
  int32_t nhandles, handles_cap;
  const struct hk_coordinates *coordinates; /* as callers know them; NULL: nobody has asked */
  double until; /* a time at which a step must end, INFINITY: none (hk_sim_step_to) */
  /* states: for going back, of the start (NULL: not asked for), of the last steps in a ring */
  unsigned char *spare, *first, *ring;
  size_t ring_bytes; /* of one of them */
  int32_t ring_size, ring_last, ring_kept;
  hk_sim_options given; /* by the caller, for clones; its texts are in the pool */
  /* parameters (sim_parameters.c): the model that the run began with; values that the program has set,
   * NAN: none; signals of those that are variables, or HK_NONE */
  hk_model *base;
  double *live;               /* nparameters */
  int32_t *variable;          /* nparameters */
  struct hk_stepper *stepper; /* a program that takes steps; NULL: nobody has asked (stepper.h) */
  const char *json;
  struct hk_warnings *warnings; /* about the run so far; NULL: nobody has asked (grade_words.c) */
};

/* JSON: tolerance, substeps, parameters given by --set, and the values of all options of the
 * methods. Options of the same name have one value and appear once (sim_report.c). */
void hki_sim_settings(const hk_sim *s, hk_text *t);
/* the JSON object of a run, with or without energies and grade (sim_report.c) */
const char *hki_sim_json(hk_sim *s, bool energies);
/* its beginning, to the step: what is known before a run */
void hki_summary_head(const hk_summary *r, hk_text *t);
/* the same from its summary alone */
void hki_summary_json(const hk_summary *r, hk_text *t);
/* out: the method of this name, else an error at `loc` with a suggestion (methods.c) */
hk_status hki_choose_formulation(hk_ctx *ctx, const char *name, hk_loc loc,
                                 const hk_formulation_entry **out);
hk_status hki_choose_integrator(hk_ctx *ctx, const char *name, hk_loc loc,
                                const hk_integrator_ops **out);
/* is it an option of any method? */
bool hki_is_option(const hk_ctx *ctx, const char *name);
/* offers the names of all options to `near` */
void hki_suggest_options(const hk_ctx *ctx, hk_nearest *near);
/* costs of a run in each formulation, and the choice by them (sim_costs.c) */
/* the memory that the run may take; 0: a share of what is left */
void hki_sim_set_memory(hk_sim *s, double bytes);
/* the cost of a run with a formulation; par NULL: its default options */
hk_status hki_sim_cost(hk_sim *s, const hk_formulation_entry *fe, const void *par, hk_cost *out);
/* `formulation: auto`: s->fe and s->why, for the integrator s->I.ops */
hk_status hki_sim_pick(hk_sim *s, const hk_sim_options *opt);
bool hki_sim_has_deep_loops(const hk_model *m); // round-off adds up along the tree
/* error `code` at `loc` when the run would take more memory than it may */
hk_status hki_sim_refuse_size(hk_sim *s, hk_status code, hk_loc loc);
/* a simulation at its start (sim_create.c); *out is NULL before */
hk_status hki_sim_create(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt, hk_sim **out);
/* choice of methods and options (sim_options.c) */
hk_status hki_sim_choose(hk_sim *s, const hk_sim_options *opt);
/* after the choice and hki_sim_channels: error when the run would take more memory than it may, at
 * the place where the formulation was named */
hk_status hki_sim_fits_memory(hk_sim *s, const hk_sim_options *opt);
/* NULL when the formulation can treat the model, else why not (in buf) */
const char *hki_sim_fits(const hk_model *m, const hk_formulation_ops *f, char *buf, size_t cap);
/* names of the methods that fit, comma separated, in the order of their tables; how many */
typedef bool hk_fits_formulation(const hk_sim *s, const hk_formulation_ops *f);
typedef bool hk_fits_integrator(const hk_sim *s, const hk_integrator_ops *i);
int32_t hki_sim_list_formulations(const hk_sim *s, hk_fits_formulation *fits, char *buf,
                                  size_t cap);
int32_t hki_sim_list_integrators(const hk_sim *s, hk_fits_integrator *fits, char *buf, size_t cap);
hk_fits_formulation hki_fits_model, hki_fits_integrator; /* the model; the integrator chosen */
hk_fits_integrator hki_fits_formulation;                 /* the formulation chosen */
/* the first formulation that goes with model and integrator and passes positions where constraints
 * lose rank; NULL: none */
const char *hki_sim_passes(const hk_sim *s);

/* checks the model's own `run` and `record` sections and reports errors in them; what a run would
 * take in each formulation that can have the model, into the pool */
hk_status hki_sim_validate(hk_model *m, hk_pool *pool, hk_check_report *out, hk_check_names *beams);
/* what the doctor says of beams: their names with some numbers, and findings (sim_beams.c) */
hk_status hki_sim_beams(const hk_sim *s, hk_pool *pool, hk_check_report *out,
                        hk_check_names *beams);
/* the latter (sim_costs.c) */
hk_status hki_sim_table(hk_sim *s, hk_pool *pool, hk_check_report *out);

/* does a force of the model rub? (sim_create.c) */
bool hki_force_rubs(const hk_model *m, int32_t i);
bool hki_rubs(const hk_model *m);

/* audit (sim_audit.c) */
void hki_sim_audit_start(hk_sim *s);
/* after an accepted step of length h */
void hki_sim_audit_step(hk_sim *s, double h);
/* after a change at constant time: an increase of energy counts as supplied */
void hki_sim_audit_jump(hk_sim *s);
/* after a projection of velocities: a loss of energy counts as dissipated */
void hki_sim_audit_impact(hk_sim *s);
/* after an impact of stops: what they took is dissipated, as is the rest; driven: the rest came from
 * motions or was set */
void hki_sim_audit_stops(hk_sim *s, bool driven);
/* energies and powers at the state of kin */
void hki_sim_audit_measure(hk_sim *s);
/* after an accepted step whose work is known already: residuals and extreme */
void hki_sim_audit_follow(hk_sim *s);
/* E - E(0) - supplied + dissipated, J */
double hki_sim_balance(const hk_sim *s);

/* work (sim_work.c) */
void hki_work_layout(hk_sim *s, hk_arena *a);
/* names the sources */
hk_status hki_work_init(hk_sim *s);
void hki_work_start(hk_sim *s);
/* measured state: rows of motions, with multipliers lam (NULL: unknown); their power, W */
void hki_work_measure(hk_sim *s, const double *lam);
/* longest step of controlled length that resolves the work of prescribed motions at their present
 * rates; INFINITY: any */
double hki_work_longest(const hk_sim *s);
double hki_work_motion_power(const hk_sim *s);
/* the measured state becomes the accepted one: after a step of length h, whose work is booked;
 * after a jump that supplied energy, after a loss, J; or with nothing to book */
void hki_work_step(hk_sim *s, double h);
void hki_work_jump(hk_sim *s, double energy);
void hki_work_loss(hk_sim *s, double energy);
void hki_work_take(hk_sim *s);
/* books what stops took in their last impact; the measured state becomes the accepted one */
void hki_work_stops(hk_sim *s, double supplied, double dissipated);
/* a step is tried: what is booked from now on may be undone */
void hki_work_trying(hk_sim *s);
void hki_work_undo(hk_sim *s);
/* controlled steps: powers at the beginning (place 0), middle, end, of the accepted or of the
 * measured state; then their work is booked and the measured state becomes the accepted one */
void hki_work_powers(hk_sim *s, int32_t place, bool accepted);
void hki_work_close(hk_sim *s, double h);
/* what laws with memory count themselves, over all forces, at the accepted state or that measured
 * since, J */
double hki_work_spent(const hk_sim *s, bool accepted);
/* what a source has supplied or dissipated so far, J; 0 for HK_NONE */
double hki_work_of(const hk_sim *s, int32_t source, bool supplied);
/* the same of sources from `first` on; of item i of the beams' channels */
double hki_work_of_all(const hk_sim *s, int32_t first, int32_t n, bool supplied);
double hki_work_of_beam(const hk_sim *s, int32_t item, bool supplied);

/* impulses of motions (sim_impulses.c): */
/* before a jump: keeps velocities and rates of motions */
void hki_sim_before_impulse(hk_sim *s);
/* after it: the change of velocities supplied `energy` */
void hki_sim_note_impulse(hk_sim *s, double energy);
/* after a run: a note about them, if the rate of a motion was found to jump */
void hki_sim_tell_impulses(hk_sim *s);

/* an iteration of stage/krylov.c is wanted */
static inline bool hki_sim_iterates(const hk_sim *s) {
  return s->newton.over_steps || s->newton.krylov || s->newton.line_search;
}
/* `hook` of hk_newton: elements that have one are called at the increment D of a stage */
hk_status hki_sim_stage_hook(void *user, const hk_stage *st, hk_hook when, const double *D);
/* evaluates the simulation's own machine at the increment D of a stage */
hk_status hki_sim_stage_state(hk_sim *s, const hk_stage *st, const double *D);
/* evaluates kinematics, signals and closures at the accepted state of the integrator */
void hki_sim_refresh(hk_sim *s);
/* new accelerations and histories at the present state (start, events, jumps) */
hk_status hki_sim_restart(hk_sim *s);
/* The equilibrium that is wanted and that the assembly has not found to the end, from the start by Newton's method
 * (equilibrium.c). Steady motions have none. */
hk_status hki_sim_settle_at_rest(hk_sim *s);
/* friction of joints that do not slide at the start holds as far as it can (sim_stick.c); after
 * hki_sim_restart, and before another one */
hk_status hki_sim_stick(hk_sim *s);
/* Is the network too fast for the steps of an explicit method? Then message and advice say so. Looks
 * after restarts and every hundredth step (sim_stiff.c). */
bool hki_sim_too_stiff(hk_sim *s);
/* Does the friction of a joint jam it at the accepted state? Then s->message names it. jams: looks only
 * now and then (sim_jam.c). */
bool hki_sim_jammed(hk_sim *s);
/* the same of a state that is only tried, without words */
bool hki_sim_would_jam(hk_sim *s);
bool hki_sim_jams(hk_sim *s);
/* buf: the first signal in use without a finite value or rate at the state of k; false: none */
bool hki_sim_bad_signal(const hk_sim *s, const hk_kin *k, char *buf, size_t cap);
/* Has an element refused to go on from the accepted state? Then s->message says so. */
bool hki_sim_refused(hk_sim *s);
/* Keeps the status of a step; where it failed without words, at a jump, a signal may be why. */
hk_status hki_sim_end_step(hk_sim *s, hk_status st);
/* HK_E_NUMBER and a message when a prescribed coordinate has jumped since its rows were `before` */
hk_status hki_sim_refuse_jump(hk_sim *s, const double *before);

/* signals with memory (sim_memory.c), each of them nothing in models without */
/* refuses delays that the steps cannot follow */
hk_status hki_sim_memory_check(hk_sim *s);
/* after hki_sim_memory_event: HK_E_NUMBER and a message where conditions ask for changes for ever */
hk_status hki_sim_memory_endless(hk_sim *s);
/* at the accepted state: at the start, after a step, behind a jump, where accelerations have changed
 */
hk_status hki_sim_memory_start(hk_sim *s);
void hki_sim_memory_step(hk_sim *s);
void hki_sim_memory_break(hk_sim *s);
void hki_sim_memory_bend(hk_sim *s);
/* takes what conditions ask for; true: something has changed, and kin is evaluated with it */
bool hki_sim_memory_event(hk_sim *s);

/* events (sim_events.c) */
/* does the condition of an event that has not fired hold at the state of kin? */
bool hki_sim_event_pending(const hk_sim *s);
/* the same for events whose condition reads channels */
bool hki_sim_event_conditional(const hk_sim *s);
/* has an event ended the run? */
bool hki_sim_ended(const hk_sim *s);
/* after a run: a note about the event that has ended it */
void hki_sim_tell_end(hk_sim *s);
/* events that happen again and whose condition has ended wait for it anew; at an accepted state */
void hki_sim_rearm(hk_sim *s);
/* s->row: the present rows, 0 for closures that are off */
void hki_sim_keep_rows(hk_sim *s);
/* Numbers of the model are others from now on; s->row are the rows as they were. Accelerations are found
 * anew, and velocities where prescribed motions need it; what this does to energies is supplied. */
hk_status hki_sim_changed(hk_sim *s);
/* fires all pending events at the accepted state; any: there were some */
hk_status hki_sim_fire(hk_sim *s, bool *any);

/* windows of events (sim_windows.c) */
hk_status hki_sim_windows(hk_sim *s); /* memory */
/* is there an event still to come whose condition reads channels? */
bool hki_sim_watching(const hk_sim *s);
/* ends of a step of fixed length: the accepted state, then the one in I->q1, v1 */
void hki_sim_windows_begin(hk_sim *s);
void hki_sim_windows_end(hk_sim *s);
/* at: the first fraction of the step of length h that was found at which an event happens, 1: it
 * goes on to the end of the step, INFINITY: none; before: one before it at which none does */
hk_status hki_sim_window(hk_sim *s, double h, double *before, double *at);

/* channels (sim_channels.c) */
/* resolves `record` */
hk_status hki_sim_channels(hk_sim *s);
/* groups them by quantity, once s->kin is there */
hk_status hki_sim_channel_runs(hk_sim *s);
/* at the start: flags recorded reactions that are not unique, and adds it to their text */
hk_status hki_sim_flag_reactions(hk_sim *s);
/* computes reactions and accelerations at the state of kin, where asked for; reactions once */
hk_status hki_sim_prepare_values(hk_sim *s, bool reactions, bool accelerations);
/* what a channel needs: HK_VALUE_ bits */
uint32_t hki_sim_channel_needs(hk_channel c);
/* value of one channel, after hki_sim_prepare_values if it needs that */
double hki_sim_channel(const hk_sim *s, hk_channel c);
/* values (nchannels) of all recorded channels */
hk_status hki_sim_record(hk_sim *s, double *values);
/* stores reactions and accelerations that expressions read; they see them one step late */
void hki_sim_store_late_channels(hk_sim *s);

/* continuous orientations (sim_signs.c): at the start, after every accepted step, value of a
 * channel */
void hki_sim_signs_start(hk_sim *s);
void hki_sim_signs_follow(hk_sim *s);
void hki_sim_signed_orientation(const hk_sim *s, hk_channel c, double *q);

/* freedoms without mass that only forces hold (sim_held.c) */
/* finds them in the assembled state; error when formulation or integrator cannot treat them */
hk_status hki_sim_held_find(hk_sim *s);
/* servos (sim_servo.c): finds s->servo_index; refuses those that cannot be kept, or not by the methods of the run; their realisation
 * at a state as a finding, without text where the model has none */
hk_status hki_sim_servos(hk_sim *s);
hk_status hki_servo_finding(hk_model *m, hk_pool *pool, const double *q, const double *v,
                            hk_finding *out);
/* brings the forces on them into balance at the integrator's state */
hk_status hki_sim_held_settle(hk_sim *s);
/* the same after a jump of forces, which moves them at once; the energy counts as supplied */
hk_status hki_sim_held_jump(hk_sim *s);

/* stepping (sim_step.c) */
/* to the next grid time, or to a break or event before it */
hk_status hki_sim_advance(hk_sim *s);
/* tries one step; a failed one changes nothing */
hk_status hki_sim_try(hk_sim *s, double h);
/* What a step begins with: laws with memory go on from the accepted state; elements choose their branches at the state
 * predicted for its end. True: one has changed its branch; the energy of the change counts as supplied. */
void hki_sim_advance_laws(hk_sim *s);
bool hki_sim_decide(hk_sim *s, double h);
/* s->message: why a step of length h failed with st. A signal without value, a loop that cannot
 * close, else `words`, or when NULL those of the formulation. Returns the status of the run. */
hk_status hki_sim_give_up(hk_sim *s, hk_status st, double h, const char *words);
/* at a jump of a signal: new accelerations, and velocities where a prescribed motion jumps */
hk_status hki_sim_cross_break(hk_sim *s);
/* accelerations behind a jump of forces; where they change, the history of the steps before is over */
hk_status hki_sim_push_anew(hk_sim *s);
double hki_sim_grid_time(const hk_sim *s, int64_t k);
/* saves persistent data, for hki_sim_undo */
void hki_sim_keep(hk_sim *s);
/* friction that sticks at the start gets the deflection that carries the loads (sim_rest.c) */
hk_status hki_sim_settle(hk_sim *s);
/* persistent data as before the last hki_sim_try */
void hki_sim_undo(hk_sim *s);

/* A step that is repeated in parts (sim_whole.c): keep the state before it, and return there. Of use
 * in models with prescribed motions; nothing happens in others. size: doubles, for np of the
 * formulation. */
int32_t hki_sim_whole_size(const hk_sim *s, int32_t np);
void hki_sim_whole_keep(hk_sim *s);
void hki_sim_whole_return(hk_sim *s);

/* breaks, that is jumps and kinks in time (sim_breaks.c) */
/* who may have them */
hk_status hki_sim_breaks(hk_sim *s);
/* forgets those that were found: the time has changed */
void hki_sim_breaks_anew(hk_sim *s);
/* the first one behind the present time, INFINITY: none */
double hki_sim_next_break(hk_sim *s);
/* Does b lie behind t by rounding alone? A signal that jumps right behind a grid time (t > 3, the last
 * row of a table) has its old value in the row there. */
bool hki_sim_right_behind(const hk_sim *s, double b, double t);
/* crosses breaks that lie right behind the present time, and fires events there (sim_step.c) */
hk_status hki_sim_cross_here(hk_sim *s);

/* steps of controlled length (sim_free.c) and states within them (sim_within.c) */
hk_status hki_sim_advance_free(hk_sim *s);
enum {
  HK_WITHIN_RAW,    /* dense output as it is, accelerations zero */
  HK_WITHIN_CLOSED, /* projected onto the constraints */
  HK_WITHIN_WHOLE   /* and with accelerations */
};
/* saves persistent data, which hki_sim_state_within restores after each evaluation */
void hki_sim_save_persistent(hk_sim *s);
/* the state at the fraction theta of the last step, in qd, vd, ad and kin */
hk_status hki_sim_state_within(hk_sim *s, double theta, int level);
/* normal forces of friction become those of the accepted state again; those of the state within the step
 * become the accepted ones */
void hki_sim_normals_back(hk_sim *s);
void hki_sim_normals_keep(hk_sim *s);
/* work since the beginning of the last step at the time `now`, from powers at its beginning, middle
 * and end */
double hki_sim_work_within(const hk_sim *s, const double *p);
/* evaluates kin and audit at the time `now` if it lies within the last step */
hk_status hki_sim_show_now(hk_sim *s);
/* and at the accepted state again */
void hki_sim_show_accepted(hk_sim *s);

/* checkpoint (checkpoint.c) */
hk_status hki_sim_save(hk_sim *s, const char *path);
hk_status hki_sim_load(hk_sim *s, const char *path);

#endif
