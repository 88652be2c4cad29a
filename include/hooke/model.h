/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/model.h: load a model file, ask the doctor about it, list what exists.
 */
#ifndef HOOKE_MODEL_H
#define HOOKE_MODEL_H

#include <stdbool.h>

#include "hooke/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled, immutable model. Any number of simulations may share it. */
typedef struct hk_model hk_model;

/** `--set name=value`: a parameter of the model or of an instance ("front_left.k"). */
typedef struct hk_set {
  const char *name;  /**< the parameter, as the model file calls it */
  const char *value; /**< a number or an expression */
} hk_set;

/** Load and compile a model file. On failure the context holds the messages.
 * @param ctx the context
 * @param path the file
 * @param sets parameters to change, `nsets` of them; may be NULL when there are none
 * @param nsets how many
 * @param out the model, to be given to hk_model_release(); NULL on failure
 * @return HK_OK, HK_E_FILE (cannot be read), HK_E_MODEL (wrong content), HK_E_MEMORY */
HK_API hk_status hk_model_load(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                               hk_model **out);

/** The same from memory.
 * @param ctx the context
 * @param text the content of a model file; it is copied
 * @param len its length in bytes
 * @param name stands in messages, and relative paths in the text start from its folder
 * @param sets parameters to change, `nsets` of them; may be NULL when there are none
 * @param nsets how many
 * @param out the model, to be given to hk_model_release(); NULL on failure
 * @return as hk_model_load() */
HK_API hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                                const hk_set *sets, int32_t nsets, hk_model **out);

/** Give a model back. It ends when no simulation uses it any more.
 * @param m the model; NULL is allowed */
HK_API void hk_model_release(hk_model *m);

/** The title that the model file gives.
 * @param m the model
 * @return the title; "" when the file gives none */
HK_API const char *hk_model_title(const hk_model *m);

/** Where the model came from.
 * @param m the model
 * @return the path given to hk_model_load(), or the name given to hk_model_parse() */
HK_API const char *hk_model_path(const hk_model *m);

/** What the model file says in the section of an analysis: `modes: {at: equilibrium, channels: [a, b]}`. Each
 * value is a text as the option of the command has it: "equilibrium", "0.5", "true", of a list of numbers
 * "0.1:20", of parameters that vary "k=0:10:41" and "k=1,2,5".
 * @param m the model
 * @param section the analysis: "modes"
 * @param key the key: "at"
 * @param i which of several values, from 0
 * @return the value; NULL when the file does not give it */
HK_API const char *hk_model_setting(const hk_model *m, const char *section, const char *key,
                                    int32_t i);

/** A number that tells models apart: made from the keys and values of the model and from all that
 * determines its motion, parameters that were set included. Comments and the layout of the file do
 * not count, nor whether a file was read or a program built the model (hooke/node.h). It may change
 * from one version of the library to the next.
 * @param m the model
 * @return the hash; 0 for no model */
HK_API uint64_t hk_model_hash(const hk_model *m);

/** The model as text: the main file as it was read, or YAML of what a program built.
 * @param m the model
 * @return the text */
HK_API const char *hk_model_text(const hk_model *m);

/* --- the doctor ------------------------------------------------------------------------------- */

/** What a finding of the doctor is about. */
typedef enum hk_finding_kind {
  HK_FINDING_REDUNDANT,    /**< a constraint row that follows from others */
  HK_FINDING_CONFLICT,     /**< rows that cannot hold together */
  HK_FINDING_INERTIA_FREE, /**< a motion that no mass resists */
  HK_FINDING_MASSLESS,     /**< a massless body and how it is treated */
  HK_FINDING_START,        /**< a start value that had to move */
  HK_FINDING_NOTE,         /**< anything else worth knowing */
  HK_FINDING_RELEASE,      /**< an event sets a motion free that no mass resists */
  HK_FINDING_DIRECTION,    /**< a force without a direction: its ends coincide */
  HK_FINDING_UNITS,        /**< values of different units added, compared or fed to a network */
  HK_FINDING_LOCKED,       /**< couplings that contradict each other and hold joints still */
  HK_FINDING_SERVO         /**< how the actuators of servos reach what they keep: rank and index */
} hk_finding_kind;

/** One finding of the doctor. */
typedef struct hk_finding {
  hk_finding_kind kind; /**< what it is about */
  const char *item;     /**< joint or body it is about */
  const char *text;     /**< what was found */
} hk_finding;

/** A scalar node. */
typedef struct hk_check_node {
  const char *name;   /**< as in the model */
  const char *domain; /**< its type: "electric", "hydraulic", "thermal", "abstract" */
  bool held;          /**< whether it is held at a given value */
} hk_check_node;

/** Nodes that elements tie together, other than through the ground, and these elements. */
typedef struct hk_check_network {
  int32_t nnodes;              /**< how many nodes */
  int32_t nelements;           /**< how many elements */
  const hk_check_node *nodes;  /**< the nodes */
  const char *const *elements; /**< names of the elements */
} hk_check_network;

/** A list of names. */
typedef struct hk_check_names {
  int32_t n;                /**< how many */
  const char *const *names; /**< the names */
} hk_check_names;

/** A coordinate or a rate at the start that is named, has left the drawing, or is not at rest. */
typedef struct hk_check_value {
  const char *name; /**< its channel: "joint.pin.angle", "body.rod.velocity.x" */
  const char *unit; /**< of the values: "m", "rad/s" */
  double drawn;     /**< in the drawing position; 0 for rates */
  double asked;     /**< under `start`; NaN: not named */
  double found;     /**< at the start of a run */
  const char *why;  /**< "named", "motion", "equilibrium", "closes loop a, b, c" ... */
} hk_check_value;

/** What a run in one formulation would take. */
typedef struct hk_check_formulation {
  const char *name; /**< the formulation */
  double bytes;     /**< memory */
  double seconds;   /**< time of one iteration of a step, estimated for a processor of 2023 */
  int32_t at_least; /**< 1: the memory is at least this; counting stopped there */
  int32_t fits;     /**< 1: the memory is there */
  int32_t chosen;   /**< 1: runs of the model take this one, unless the command says otherwise */
  const char *why;  /**< of the chosen one: what it was chosen for, or who named it; else "" */
} hk_check_formulation;

/** What the doctor found. */
typedef struct hk_check_report {
  int32_t bodies;      /**< bodies, without the ground */
  int32_t joints;      /**< joints */
  int32_t forces;      /**< force elements, without those of networks */
  int32_t coordinates; /**< relative coordinates of the spanning tree */
  int32_t constraints; /**< constraint rows of the cut joints and prescribed motions */
  int32_t rank;        /**< how many of these rows are independent */
  int32_t dof;         /**< freedoms of velocities */
  int32_t redundant;   /**< rows that follow from others */
  int32_t gruebler;    /**< Gruebler's count: coordinates less rows */
  int32_t
      mechanisms; /**< parts of the model that no joint or beam connects, except by the ground */
  int32_t tree_joints;        /**< joints of the spanning tree */
  int32_t cut_joints;         /**< joints where loops are cut */
  int32_t planar;             /**< 1: the model lies in a plane */
  double total_mass;          /**< kg */
  double assembly_position;   /**< largest residual of a position row after assembly, m or rad */
  double assembly_velocity;   /**< largest residual of a velocity row, m/s or rad/s */
  double compile_s;           /**< CPU seconds to lay out the equations */
  double assembly_s;          /**< CPU seconds of the assembly */
  int32_t nfindings;          /**< how many findings */
  const hk_finding *findings; /**< the findings */
  int32_t ncut;               /**< how many names `cut` has */
  const char *const *cut;     /**< names of the joints where loops are cut */
  hk_status status;           /**< HK_OK, or why the model cannot run (HK_E_ASSEMBLY ...) */
  int32_t position_dof;       /**< freedoms of positions: more than dof (of velocities) where
                                         joints bind velocities alone */
  int32_t nodes;              /**< scalar nodes */
  int32_t network_elements;   /**< elements between scalar nodes */
  int32_t unknowns;           /**< scalar unknowns: of nodes, and own ones of elements */
  int32_t nnetworks;          /**< how many networks */
  const hk_check_network *networks; /**< the networks */
  hk_check_names signals;           /**< signals that have names */
  hk_check_names events;            /**< events that have names */
  hk_check_names markers;           /**< markers that have names */
  hk_check_names instances;         /**< instances of components */
  int32_t nstart;                   /**< how many values `start` has */
  int32_t start_others;             /**< coordinates and rates that are as drawn and at rest */
  const hk_check_value *start;      /**< the start state, without the others */
  int32_t nformulations;            /**< how many formulations can run the model */
  const hk_check_formulation *formulations; /**< what each would take */
  double memory;                            /**< bytes that a run may take */
  int32_t states;                           /**< private states of laws with memory */
  hk_check_names memories;     /**< forces with such laws, and these: "guide (lugre)" */
  hk_check_names quasi_steady; /**< nodes whose storage is dropped */
  hk_check_names inputs;       /**< signals that the program around a simulation sets */
} hk_check_report;

/** Assemble a model and examine it.
 * @param m the model
 * @param out the report, to be given to hk_check_free(); NULL when there is none
 * @return the status of the report: HK_OK, or why the model cannot run */
HK_API hk_status hk_check(hk_model *m, hk_check_report **out);

/** Beams and cables of a report, one after the other.
 * @param report the report
 * @param i from 0 on
 * @return its name with nodes, mass and the lowest frequency of stretching, "rod (9 nodes, 0.0864 kg, ..)"; NULL when there
 * are no more; good until the report is freed */
HK_API const char *hk_check_beam(const hk_check_report *report, int32_t i);

/** Free a report.
 * @param m the model it is about
 * @param report the report; NULL is allowed */
HK_API void hk_check_free(hk_model *m, hk_check_report *report);

/* --- the catalogue ---------------------------------------------------------------------------- */

/** A parameter of something in the catalogue. */
typedef struct hk_catalog_param {
  const char *name;    /**< its key in a model file */
  const char *type;    /**< kind of value: "number", "point", "choice" ... */
  const char *unit;    /**< SI unit, "" when it has none */
  const char *text;    /**< what it means */
  const char *choices; /**< for choices: space separated; else NULL */
  double def;          /**< default value; NAN when there is none */
  double min;          /**< smallest value; NAN when there is none */
  double max;          /**< largest value; NAN when there is none */
  bool required;       /**< must be given */
} hk_catalog_param;

/** One thing that exists: a joint, a force, a method ... */
typedef struct hk_catalog_entry {
  const char *kind;               /**< the kind it belongs to */
  const char *name;               /**< its name in model files */
  const char *alias;              /**< further names, space separated; NULL when there are none */
  const char *text;               /**< what it is */
  const char *source;             /**< where its equations come from; NULL when not said */
  const char *detail;             /**< coordinates of a joint, outputs of a force; NULL = nothing */
  int32_t nparams;                /**< how many parameters */
  const hk_catalog_param *params; /**< the parameters */
} hk_catalog_entry;

/** How many kinds of things the catalogue has: formulations integrators joints forces nodes network
 * laws signals functions constants channels studies.
 * @return the number of kinds */
HK_API int32_t hk_catalog_kind_count(void);

/** The name of a kind.
 * @param i from 0 to hk_catalog_kind_count() - 1
 * @return a constant text; NULL when there is no kind of this number */
HK_API const char *hk_catalog_kind(int32_t i);

/** How many entries a kind has.
 * @param kind the name of the kind
 * @return their number; -1 for an unknown kind or NULL */
HK_API int32_t hk_catalog_count(const char *kind);

/** How many entries a kind has, with those that the modules of a context bring.
 * @param ctx the context
 * @param kind the name of the kind
 * @return their number; -1 for an unknown kind, NULL, or no context */
HK_API int32_t hk_catalog_count_in(const hk_ctx *ctx, const char *kind);

/** One entry of a kind.
 * @param ctx the context, which keeps the entry
 * @param kind the name of the kind
 * @param i from 0 to hk_catalog_count_in() - 1
 * @return the entry, valid until the context ends; NULL when there is none, or out of memory */
HK_API const hk_catalog_entry *hk_catalog_entry_at(hk_ctx *ctx, const char *kind, int32_t i);

/** The JSON schema of model files, made from the same tables.
 * @param ctx the context, which keeps the text
 * @return the text, valid until the context ends; NULL when out of memory */
HK_API const char *hk_model_schema(hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
