/* SPDX-License-Identifier: Apache-2.0
 *
 * laws.h: the laws of an elastic joint: how n deformations s, three or six, are resisted by n forces,
 * whatever the deformations are measured between. Shared by all elements of this kind, which embed
 * hk_laws in their parameters and know nothing of what stands in it:
 *
 *   f = factor g(s - s0, sd) + f0
 *   g = stiffness s + damping sd (+ laws per axis)      or one law of all deformations (law_many.h)
 *
 * The inputs of the element are the prestrain s0 (n numbers), the prestress f0 (n) and the factor, in
 * this order from the first one on; all may vary. The prestrain shifts the deformations, not their rates.
 *
 * Work: with constant inputs, all that g stores, times the factor, and f0's. The work of g where s0 or
 * the factor varies, less what is dissipated, and that of an f0 which varies count as supplied.
 *
 * Matrices are row-major with stride 6, whatever n is.
 */
#ifndef HK_ELEMENTS_LAWS_H
#define HK_ELEMENTS_LAWS_H

#include "elements/element.h"

typedef struct hk_laws {
  double stiffness[36], damping[36];
  const hk_law *spring[6], *damper[6]; /* over s and over sd; NULL: none on that axis */
  const hk_law *all;                   /* of all axes, instead of all others; NULL: none */
  bool moved;                          /* some input is given (by hki_laws_check) */
} hk_laws;

/* number of inputs, and the rows of the law of all axes and of the inputs; at: place of `all`, axes: words
 * of the n axes, NULL: all six */
#define HK_LAWS_INPUTS(n) (2 * (n) + 1)
/* clang-format off */
#define HK_LAWS_ROWS(at, n, axes, strain_unit, force_unit) \
    {"law", HK_P_LAW_MANY, 0, at, 0, 0, 0, force_unit, axes, "one law of all axes, or its name, instead of stiffness, damping and laws per axis"}, \
    {"prestrain", HK_P_DYNAMIC6, 0, 0, 0, 0, 0, strain_unit, axes, "deformations at which there is no force, per axis"}, \
    {"prestress", HK_P_DYNAMIC6, 0, n, 0, 0, 0, force_unit, axes, "forces that are added, per axis"}, \
    {"factor", HK_P_DYNAMIC, 0, 2 * (n), 1, 0, 0, "", NULL, "multiplies stiffness, damping and laws"}
/* clang-format on */

/* what they read */
typedef struct hk_laws_in {
  int32_t n;
  const double *s, *sd;
  const double *u;   /* inputs of the element */
  uint32_t u_varies; /* bits of those that vary, as in hk_element_in */
  hk_law_memory mem;
} hk_laws_in;

/* what they give, beside ks = df/ds and cs = df/dsd */
typedef struct hk_laws_out {
  double f[6];
  double e[6], g[6];  /* s - s0, and the force of the laws alone, */
  double ke[36];      /* with its slopes */
  hk_law_books books; /* of laws with books of their own, */
  double power;       /* and what goes into them */
} hk_laws_out;

void hki_laws_force(const hk_laws *par, hk_laws_in *in, hk_laws_out *out, double *ks, double *cs);
/* energy, dissipated, supplied, spent and spending, after hki_laws_force */
void hki_laws_energy(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws,
                     hk_element_out *out);
/* does deformation i have a spring? */
bool hki_laws_springs(const hk_laws *par, int32_t i);
/* df/du of input i, n numbers, after hki_laws_force: the wrench changes by -B' of it */
void hki_laws_input(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws, int32_t i,
                    double *df);
/* for `laws` of hk_element_ops */
int32_t hki_laws_list(const hk_laws *par, const hk_law **list);
/* For `prepare` of hk_element_ops: refuses an axis with both a law and an entry of the matrix, and laws
 * without anything. type, name: of the element; axes: the words of its n axes; u_given: its inputs. */
hk_status hki_laws_check(hk_ctx *ctx, hk_loc loc, const char *type, const char *name,
                         const char *axes, hk_laws *par, uint32_t u_given);

#endif
