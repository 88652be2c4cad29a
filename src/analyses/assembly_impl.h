/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_impl.h: what the search for a start and the words about it share. Internal to the room.
 */
#ifndef HK_ANALYSES_ASSEMBLY_IMPL_H
#define HK_ANALYSES_ASSEMBLY_IMPL_H

#include "analyses/assembly.h"

typedef struct assembler {
  hk_tree *s;
  hk_pool *pool;
  hk_named *rows;
  int32_t n;
  double t;       /* of signals */
  double *D, *Md; /* nv */
  double *keep;   /* nq */
  double *ref;    /* nq: where the named values alone would put the tree */
  bool *loose;    /* nv: moves its whole tree along a line and no loop: any step is a safe one */
  double reg;     /* of massless directions */
  bool soft;      /* cut joints give way to motions and named values */
  double damp;    /* of this */
  bool loaded;    /* loads pull at the positions (start.relax) */
} assembler;

/* rows (m, rad; scaled) at which stagnation still counts as closed */
#define HK_ASSEMBLY_CLOSED 1e-8

/* largest thing a row's coordinates can do about it */
double hki_named_reach(const assembler *A, const hk_named *r);
/* M with a little extra where there is no mass, all rows: factorised; masses kept in s->mass. Named
 * rows are evaluated */
hk_status hki_assembly_build(assembler *A, bool rate);
/* Newton's iteration until every row in use is closed and, if asked, the nearest such place is
 * found; otherwise as far as it gets */
bool hki_assembly_close(assembler *A, double *q, bool nearest);
/* velocities: linear, at the assembled positions; true when every row in use holds */
bool hki_assembly_rates(assembler *A, const double *q, double *v);

/* words (assembly_report.c) */
/* which conditions a named value cannot meet, at the compromise (q, v) that a failed search left */
const char *hki_assembly_conflict(assembler *A, bool rate, const double *q, const double *v,
                                  const hk_named *subject);
/* errors: loops that do not close near q, motions that do not go together at q; v is scratch */
hk_status hki_assembly_open(assembler *A, double *q);
hk_status hki_assembly_stuck(assembler *A, const double *q, double *v);
/* warn of each value that had to move, and list it in out; v: velocities at out->q */
void hki_assembly_moved(assembler *A, bool rate, const double *v, hk_assembly *out);

#endif
