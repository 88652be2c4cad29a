/* SPDX-License-Identifier: Apache-2.0
 *
 * formulation.h: the table of formulations and how one is created for a model.
 */
#ifndef HK_FORMULATIONS_FORMULATION_H
#define HK_FORMULATIONS_FORMULATION_H

#include "kinematics/kin.h"
#include "machines/friction/normal.h"
#include "machines/network/border.h"
#include "stage/stage.h"

enum { HK_FORMULATION_PAR_MAX = 128 }; /* bytes of the largest parameter struct */

/* the option `tangent` of formulations that have a cheap and an exact one; its values are in stage.h */
#define HK_TANGENT_CHOICES "auto material exact"
#define HK_TANGENT_TEXT                                                                            \
  "exact adds geometric stiffness and the slopes of inertial forces (preloads, taut chains, fast " \
  "rotation); material leaves them out; auto takes exact where material converges slowly"

#define HK_ABSOLUTE_TEXT                                                                           \
  "one penalty for all constraint rows, in their SI units, as the papers have it; 0: scaled row "  \
  "by "                                                                                            \
  "row with inertia and step"

/* values of the option `choice` of formulations with independent coordinates */
enum { HK_CHOICE_ANEW, HK_CHOICE_ONCE };
#define HK_CHOICE_CHOICES "anew once"
#define HK_CHOICE_TEXT                                                                             \
  "anew: independent coordinates are chosen anew where they degrade; once: those of the start, "   \
  "or "                                                                                            \
  "of the last event, stay"

typedef struct hk_formulation_entry {
  const hk_formulation_ops *ops;
  size_t par_size;
  /* kinematics of the formulation's machine at the accepted state, for audits and channels */
  hk_kin *(*kin)(hk_formulation *f);
  hk_status (*create)(hk_ctx *ctx, const hk_model *m, const void *par, hk_formulation **out);
  /* its memory and the time of an iteration, without allocating more than grows with the model; an
   * estimate that passes `most` bytes stops there (hk_cost) */
  hk_status (*cost)(hk_ctx *ctx, const hk_model *m, const void *par, double most, hk_cost *out);
  /* what `formulation: auto` says of it where it is taken; NULL: it is taken by its name alone */
  const char *good_for;
  bool fixed_point; /* its stages iterate without a tangent of forces and weight */
  bool relative;    /* coordinates of joints: round-off of loops adds up along the tree */
  /* what scalar unknowns beside it need; NULL: it has them in its own equations */
  const hk_net_face *net;
  /* normal forces of friction; NULL: from the tree, values alone */
  const hk_normal_face *normal;
} hk_formulation_entry;

int32_t hki_formulation_count(void);
const hk_formulation_entry *hki_formulation_at(int32_t i);
const hk_formulation_entry *hki_formulation_find(const char *name);
/* a formulation of the model, with its scalar unknowns; par: its options */
hk_status hki_formulation_create(const hk_formulation_entry *fe, hk_ctx *ctx, const hk_model *m,
                                 const void *par, hk_formulation **out);

#endif
