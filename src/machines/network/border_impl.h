/* SPDX-License-Identifier: Apache-2.0
 *
 * border_impl.h: what border.c (the formulation's table) and core.c (the equations) share.
 */
#ifndef HK_MACHINES_NETWORK_BORDER_IMPL_H
#define HK_MACHINES_NETWORK_BORDER_IMPL_H

#include "machines/network/border.h"
#include "machines/network/network.h"

/* an element with unknowns: places in the matrix, -1 where there is none */
typedef struct net_element {
  int32_t force, n;   /* model force; number of its nodes and own unknowns */
  int32_t coordinate; /* its term, or HK_NONE */
  int32_t *own;       /* n x n */
  int32_t *sense;     /* n: column of its coordinate */
  int32_t *at_node;   /* n: term of each of its nodes that a signal holds, or HK_NONE */
  int32_t *node_slot; /* n x n: (equation, held node) */
} net_element;

/* a term of the border that follows a signal */
typedef struct net_input {
  int32_t term, signal;
  int32_t element;         /* of the force, HK_NONE: it has no unknowns, or the term is a node */
  int32_t nvalue, *value;  /* unknowns that the signal reads */
  double *slope;           /* nvalue: du/dx */
  int32_t *row, *row_read; /* n of the element: (equation, s of the term); n x nvalue */
} net_input;

typedef struct net_border {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  hk_formulation *f;
  const hk_formulation_ops *inner; /* table of the mechanism alone */
  hk_formulation_ops ops;
  const hk_net_face *face;
  hk_kin *kin, *accepted;
  hk_border *b;
  hk_net net;
  int32_t nq, nv, nx; /* of the mechanism; unknowns */
  hk_stage st;
  bool fresh; /* F belongs to the present iterate */
  /* the system of z and s: nx equations, then one row per term */
  hk_linsolve *ls;
  int32_t nelement, ninput;
  net_element *element;
  net_input *input;
  int32_t ncol, *col;               /* unknowns that forces along terms depend on */
  int32_t *col_of;                  /* nx: place in col, or HK_NONE */
  int32_t *slot_z, *slot_s;         /* nterm x ncol, nterm x nterm: rows of s */
  int32_t *row_of;                  /* ls->nval: row of each place; 0: no entry */
  double *F;                        /* nx */
  double *Q, *R;                    /* nterm x ncol, nterm x nterm: p = Q z + R s */
  double *row_scale, *column, *rhs; /* nx + nterm each */
  double *x, *xd, *z;               /* nx */
  char words[400];
} net_border;

/* structure of the system, once (core.c); HK_E_MEMORY */
hk_status hki_net_core_create(net_border *n);
/* the functions of hk_border_core */
hk_status hki_net_core_factor(void *with, const hk_border *b);
void hki_net_core_solve(void *with, const hk_border *b, const double *s0, double *p);
/* hk_net_eval: an element at the present values and mechanical state */
void hki_net_core_eval(void *with, int32_t force, hk_element_out *out);

#endif
