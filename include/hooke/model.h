/* SPDX-License-Identifier: Apache-2.0
 *
 * hooke/model.h: load a model file, ask the doctor about it, list what exists.
 */
#ifndef HOOKE_MODEL_H
#define HOOKE_MODEL_H

#include <stdbool.h>

#include "hooke/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled, immutable model. */
typedef struct hk_model hk_model;

/** `--set name=value`: a parameter of the model or of an instance ("front_left.k"). */
typedef struct hk_set {
  const char *name;
  const char *value; /**< a number or an expression */
} hk_set;

/** Load and compile a model file. On failure the context holds the messages. */
HK_API hk_status hk_model_load(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                               hk_model **out);
/** The same from memory; `name` stands in messages and is where relative paths start from. */
HK_API hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                                const hk_set *sets, int32_t nsets, hk_model **out);
HK_API void hk_model_release(hk_model *m);

HK_API const char *hk_model_title(const hk_model *m);
HK_API const char *hk_model_path(const hk_model *m);

/* --- the doctor --------------------------------------------------------------------------------
 */

typedef enum hk_finding_kind {
  HK_FINDING_REDUNDANT,    /**< a constraint row that follows from others */
  HK_FINDING_CONFLICT,     /**< rows that cannot hold together */
  HK_FINDING_INERTIA_FREE, /**< a motion that no mass resists */
  HK_FINDING_MASSLESS,     /**< a massless body and how it is treated */
  HK_FINDING_START,        /**< a start value that had to move */
  HK_FINDING_NOTE
} hk_finding_kind;

typedef struct hk_finding {
  hk_finding_kind kind;
  const char *item; /**< joint or body it is about */
  const char *text;
} hk_finding;

/** A scalar node, and whether it is held at a given value. */
typedef struct hk_check_node {
  const char *name, *domain;
  bool held;
} hk_check_node;

/** Nodes that elements tie together, other than through the ground, and these elements. */
typedef struct hk_check_network {
  int32_t nnodes, nelements;
  const hk_check_node *nodes;
  const char *const *elements;
} hk_check_network;

typedef struct hk_check_names {
  int32_t n;
  const char *const *names;
} hk_check_names;

typedef struct hk_check_report {
  int32_t bodies, joints, forces, coordinates, constraints, rank, dof, redundant, gruebler,
      mechanisms;
  int32_t tree_joints, cut_joints, planar;
  double total_mass;
  double assembly_position, assembly_velocity; /**< largest residual rows after assembly */
  double compile_s, assembly_s;                /**< CPU seconds */
  int32_t nfindings;
  const hk_finding *findings;
  int32_t ncut;
  const char *const *cut; /**< names of the joints where loops are cut */
  hk_status status;       /**< HK_OK, or why the model cannot run (HK_E_ASSEMBLY ...) */
  int32_t position_dof; /**< freedoms of positions: more than dof (of velocities) where joints bind
                             velocities alone */
  int32_t nodes, network_elements; /**< scalar nodes, and elements between them */
  int32_t unknowns;                /**< scalar unknowns: of nodes, and own ones of elements */
  int32_t nnetworks;
  const hk_check_network *networks;
  hk_check_names signals, events, markers, instances; /**< those that have names */
} hk_check_report;

/** Assemble and examine. The report lives until hk_check_free. Returns its status. */
HK_API hk_status hk_check(hk_model *m, hk_check_report **out);
HK_API void hk_check_free(hk_model *m, hk_check_report *report);

/* --- the catalogue -------------------------------------------------------------------------------
 */

typedef struct hk_catalog_param {
  const char *name, *type, *unit, *text;
  const char *choices;  /**< for choices: space separated; else NULL */
  double def, min, max; /**< NAN when there is none */
  bool required;
} hk_catalog_param;

typedef struct hk_catalog_entry {
  const char *kind, *name, *alias, *text, *source;
  const char *detail; /**< coordinates of a joint, outputs of a force; NULL = nothing */
  int32_t nparams;
  const hk_catalog_param *params;
} hk_catalog_entry;

/** Kinds: formulations integrators joints forces laws signals functions constants channels. */
HK_API int32_t hk_catalog_kind_count(void);
HK_API const char *hk_catalog_kind(int32_t i);
HK_API int32_t hk_catalog_count(const char *kind); /**< -1: unknown kind */
/** Entry i of a kind; valid until the next call with the same context. */
HK_API const hk_catalog_entry *hk_catalog_entry_at(hk_ctx *ctx, const char *kind, int32_t i);

/** The JSON schema of model files, made from the same tables. Valid until the context ends. */
HK_API const char *hk_model_schema(hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
