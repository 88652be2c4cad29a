/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_pencil.h: small motions by sparse matrices (statespace_pencil.c, statespace_large.c).
 */
#ifndef HK_SIMULATION_STATESPACE_PENCIL_H
#define HK_SIMULATION_STATESPACE_PENCIL_H

#include "simulation/statespace.h"

/* can the sparse equations describe small motions about the state of s? */
bool hki_statespace_has_pencil(const hk_sim *s);
/* A simulation at the state of s, with accelerations, in the first formulation that has sparse matrices and takes the
 * model; HK_E_USAGE: there is none */
hk_status hki_sim_sparse_twin(hk_sim *s, hk_sim **out);
/* l->pencil at the state of s; an error where they cannot */
hk_status hki_statespace_pencil_find(hk_statespace *l, hk_sim *s);
/* the same, and l->A: the operator of l->shift in l's states, whose eigenvalues are 1 / (lambda - shift) */
hk_status hki_statespace_reduced(hk_statespace *l, hk_sim *s);

/* x (nd): the variation of a body from its twist V about O, and back; arm: from O to its centre of mass */
void hki_pencil_variation(const hk_slopes *p, const double *arm, const double *V, double *x);
void hki_pencil_twist(const hk_slopes *p, const double *arm, const double *x, double *V);

/* large models (statespace_large.c): all of l but its modes, at the state of s, which must live until they are
 * found; then the modes that l->want, near and band ask for */
hk_status hki_statespace_large(hk_statespace *l, hk_sim *s);
hk_status hki_statespace_large_modes(hk_statespace *l);

#endif
