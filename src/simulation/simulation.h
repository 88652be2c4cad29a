/* SPDX-License-Identifier: Apache-2.0
 *
 * simulation.h: one run of a model: formulation, integrator, Newton, events, audit, channels.
 *
 * After every accepted step the formulation's kinematics (kin) stand at the accepted state; the
 * audit and the channels read them there. All discrete data lie in one block that formulation and
 * auxiliary machine share, so that a rejected step is undone by copying two blocks back.
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

/* the energy audit: E - E(0) - supplied + dissipated, powers integrated by the trapezoidal rule */
typedef struct hk_audit {
  double kinetic, potential, initial;
  double supplied, dissipated;      /* work so far, J */
  double supply_power, drain_power; /* at the accepted state, W */
  double extreme;                   /* signed extreme of the audit */
  double position_max, velocity_max, acceleration_max;
} hk_audit;

typedef struct hk_solver_par {
  int32_t max_iterations;
  int32_t jacobian; /* 0 keep, 1 every */
  hk_control_par control;
} hk_solver_par;
extern const hk_param hki_solver_params[]; /* its options, of every run */

enum { HK_SIGN_SIZE = 5 };

/* what waits at the end of the last step until all rows before it have been shown */
enum { HK_ARRIVE_BREAK = 1u, HK_ARRIVE_EVENT = 2u };

/* Steps of free length: they pass over the grid, whose rows come from dense output. All of it is
 * persistent but `shown` */
typedef struct hk_free_steps {
  bool on;
  bool late;        /* now is before the end of the last step */
  bool shown;       /* kinematics and audit stand at `now`, not at the accepted state */
  uint32_t arrival; /* HK_ARRIVE_... */
  double now;       /* the time a user sees */
  double t0;        /* where the last step began */
  /* the audit over the last step: work at its beginning, powers at its beginning, middle, end */
  double supplied, dissipated, supply[3], drain[3], length;
} hk_free_steps;

/* channels that follow each other and are parts of one thing */
typedef struct hk_channel_run {
  hk_channel channel; /* the first */
  int32_t first, n;
  bool whole;         /* all parts, in their order */
  bool kept;          /* `from` holds while the forces of the state are kept */
  const double *from; /* where the values are; NULL: they must be computed */
} hk_channel_run;

struct hk_sim {
  hk_mark mark;
  hk_ctx *ctx;
  hk_model *m;
  hk_pool *pool;
  const hk_formulation_entry *fe;
  hk_formulation *f;
  hk_kin *kin;   /* of the formulation, at the accepted state */
  hk_tree *tree; /* assembly, reactions */
  hk_reactions *reactions;
  hk_integrator I;
  hk_newton newton;
  double integrator_par[HK_INTEGRATOR_PAR_MAX / 8], formulation_par[HK_FORMULATION_PAR_MAX / 8];
  hk_solver_par solver;
  hk_control control;
  hk_free_steps free;
  hk_audit kept; /* of the accepted state, while another one is shown */
  hk_mobility mobility;
  double step, end;
  bool substeps;
  /* time grid: step k ends at k * step = k * grid_num/grid_den; breaks and events cut it */
  int64_t grid, steps, rejected;
  double grid_num, grid_den;
  int32_t nbreaks, next_break;
  double *breaks;
  uint8_t *fired; /* nevents */
  hk_audit audit;
  double cpu;
  hk_status status;
  char message[1024];
  /* channels */
  int32_t nchannels;
  hk_channel *channels;
  int32_t nruns;
  hk_channel_run *runs; /* the same, those together that are read together */
  const char **channel_name, **channel_unit, **channel_text;
  hk_held *held;           /* static freedoms, NULL: none */
  uint8_t *channel_shared; /* reactions that the model does not determine */
  bool wants_reactions, wants_accelerations, has_drives, has_decide, has_hooks;
  bool wants_signals;
  uint8_t *accelerated; /* nb: their accelerations are recorded, or needed for it */
  /* scratch and saved state, all in one block */
  double *qt, *vt, *at;            /* tree coordinates of the accepted state */
  double *A;                       /* nb x 6 spatial accelerations */
  double *wrench, *drive, *row;    /* nj x 6, ns, nrows */
  uint8_t *unique;                 /* nj x 6 */
  double *signs;                   /* (nb + nj) x HK_SIGN_SIZE: see sim_signs.c */
  double *saved_disc, *saved_form; /* for rejected steps */
  double *held_disc, *held_form;   /* while states within a step are looked at */
  double *past;                    /* HK_CONTROL_PAST x nv velocities */
  double *qd, *vd, *ad;            /* a state within the last step */
  unsigned char *block;
  const char *json;
};

/* tolerance, substeps, parameters given from outside, every option of the methods as it is in
 * force, as JSON; of two options of the same name one, for they have one value (sim_report.c) */
void hki_sim_settings(const hk_sim *s, hk_text *t);
/* the JSON object of a run of which there is no more than a summary (sim_report.c) */
void hki_summary_json(const hk_summary *r, hk_text *t);
/* methods and options by name (methods.c): what is found, or a message at `loc` */
hk_status hki_choose_formulation(hk_ctx *ctx, const char *name, hk_loc loc,
                                 const hk_formulation_entry **out);
hk_status hki_choose_integrator(hk_ctx *ctx, const char *name, hk_loc loc,
                                const hk_integrator_ops **out);
/* is it an option of any method; all of them as candidates of a suggestion */
bool hki_is_option(const char *name);
void hki_suggest_options(hk_nearest *near);
/* choice of methods and options (sim_options.c) */
hk_status hki_sim_choose(hk_sim *s, const hk_sim_options *opt);
/* NULL when a formulation can have everything that is in the model, else why not (in buf) */
const char *hki_sim_fits(const hk_model *m, const hk_formulation_ops *f, char *buf, size_t cap);

/* would the model's own `run` and `record` sections be accepted? Reports what is wrong with them */
hk_status hki_sim_validate(hk_model *m);

/* audit (sim_audit.c) */
void hki_sim_audit_start(hk_sim *s);
void hki_sim_audit_step(hk_sim *s, double h); /* after an accepted step */
void hki_sim_audit_jump(
    hk_sim *s); /* after a change at the same time: stored energy that appeared is supplied */
void hki_sim_audit_impact(
    hk_sim *s); /* after a velocity projection: kinetic energy lost is dissipated */
/* energies and powers where kin stands */
void hki_sim_audit_measure(hk_sim *s);
/* after an accepted step whose work is known: residuals and extremes */
void hki_sim_audit_follow(hk_sim *s);
double hki_sim_balance(const hk_sim *s);

/* kinematics at the accepted state of the integrator; powers need signals and closures too */
void hki_sim_refresh(hk_sim *s);
/* new accelerations and histories at the present state (start, events, jumps) */
hk_status hki_sim_restart(hk_sim *s);
/* words for a live signal without a finite value or rate where k stands; false when there is none
 */
bool hki_sim_bad_signal(const hk_sim *s, const hk_kin *k, char *buf, size_t cap);
/* HK_E_NUMBER and a message when a prescribed coordinate has jumped since its rows were `before` */
hk_status hki_sim_refuse_jump(hk_sim *s, const double *before);

/* events (sim_events.c) */
bool hki_sim_event_pending(const hk_sim *s); /* at the state of kin: does an unfired event hold */
bool hki_sim_event_conditional(const hk_sim *s); /* ... one that reads channels */
hk_status hki_sim_fire(hk_sim *s, bool *any);    /* all pending ones, at the accepted state */

/* channels (sim_channels.c) */
hk_status hki_sim_channels(hk_sim *s); /* resolve `record` */
/* at the start: which recorded reactions are not unique; their meaning says so */
hk_status hki_sim_flag_reactions(hk_sim *s);
hk_status hki_sim_prepare_values(hk_sim *s, bool reactions, bool accelerations);
double hki_sim_channel(const hk_sim *s, hk_channel c);
hk_status hki_sim_record(hk_sim *s, double *values); /* all that are recorded */
void hki_sim_store_late_channels(hk_sim *s);         /* late channels that expressions read */

/* orientations that do not flip (sim_signs.c): at the start, after every accepted step, as read */
void hki_sim_signs_start(hk_sim *s);
void hki_sim_signs_follow(hk_sim *s);
void hki_sim_signed_orientation(const hk_sim *s, hk_channel c, double *q);

/* freedoms without mass that forces alone hold (sim_held.c): find them in the assembled state, or
 * say why they cannot be had; put them into balance at the integrator's state */
hk_status hki_sim_held_find(hk_sim *s);
hk_status hki_sim_held_settle(hk_sim *s);

/* stepping (sim_step.c) */
hk_status hki_sim_advance(hk_sim *s);
hk_status hki_sim_try(hk_sim *s, double h); /* one step; a failed one leaves no trace */
/* why a step failed, into the message: signals, loops that cannot close, `words` of the caller or,
 * NULL, of the formulation */
hk_status hki_sim_give_up(hk_sim *s, hk_status st, double h, const char *words);
hk_status hki_sim_cross_break(hk_sim *s);
double hki_sim_grid_time(const hk_sim *s, int64_t k);
void hki_sim_undo(hk_sim *s); /* persistent data as before the last try */

/* steps of free length (sim_free.c) and states within them (sim_within.c) */
hk_status hki_sim_advance_free(hk_sim *s);
enum {
  HK_WITHIN_RAW,
  HK_WITHIN_CLOSED,
  HK_WITHIN_WHOLE
};                                       /* as it is; projected; and accelerations */
void hki_sim_save_persistent(hk_sim *s); /* keep persistent data while states are looked at */
hk_status hki_sim_state_within(hk_sim *s, double theta,
                               int level); /* kin stands there, qd, vd, ad too */
hk_status hki_sim_show_now(hk_sim *s);     /* the state at `now`, if it is late */
void hki_sim_show_accepted(hk_sim *s);     /* back to the accepted state */

/* checkpoint (checkpoint.c) */
hk_status hki_sim_save(hk_sim *s, const char *path);
hk_status hki_sim_load(hk_sim *s, const char *path);

#endif
