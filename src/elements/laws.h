/* SPDX-License-Identifier: Apache-2.0
 *
 * laws.h: the laws of an elastic joint: how n deformations s, three or six, are resisted by n forces,
 * whatever the deformations are measured between. Shared by all elements of this kind, which embed
 * hk_laws in their parameters and know nothing of what stands in it:
 *
 *   f = stiffness s + damping sd (+ laws per axis)
 *
 * Matrices are row-major with stride 6, whatever n is.
 */
#ifndef HK_ELEMENTS_LAWS_H
#define HK_ELEMENTS_LAWS_H

#include "elements/element.h"

typedef struct hk_laws {
  double stiffness[36], damping[36];
  const hk_law *spring[6], *damper[6]; /* over s and over sd; NULL: none on that axis */
} hk_laws;

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
  hk_law_books books; /* of laws with memory, */
  double power;       /* and what goes into them */
} hk_laws_out;

void hki_laws_force(const hk_laws *par, hk_laws_in *in, hk_laws_out *out, double *ks, double *cs);
/* energy, dissipated, supplied, spent and spending, after hki_laws_force */
void hki_laws_energy(const hk_laws *par, const hk_laws_in *in, const hk_laws_out *laws,
                     hk_element_out *out);
/* does deformation i have a spring? */
bool hki_laws_springs(const hk_laws *par, int32_t i);
/* for `laws` of hk_element_ops */
int32_t hki_laws_list(const hk_laws *par, const hk_law **list);
/* For `prepare` of hk_element_ops: refuses an axis with both a law and an entry of the matrix, and laws
 * without anything. type, name: of the element; axes: the words of its n axes. */
hk_status hki_laws_check(hk_ctx *ctx, hk_loc loc, const char *type, const char *name,
                         const char *axes, const hk_laws *par);

#endif
