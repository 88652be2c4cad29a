/* SPDX-License-Identifier: Apache-2.0
 *
 * law_many.h: laws of several deformations at once, f(s, sd) with n = 1 to 6 components, coupled or
 * not. A law is a sum of parts, each of one kind, between a constant prestrain and a constant
 * prestress:
 *
 *   f = factor (sum of f_part(s - prestrain, sd)) + prestress
 *
 * To the rest it is a law like those of one deformation (law.h): an hk_law of kind HK_LAW_MANY with
 * states and discrete data in the order of the parts.
 */
#ifndef HK_ELEMENTS_LAW_MANY_H
#define HK_ELEMENTS_LAW_MANY_H

#include "elements/law.h"

enum {
  HK_MANY = 6, /* most components, and the stride of matrices */
  HK_MANY_SIZE = 500
};

typedef enum hk_part_kind {
  HK_PART_LINEAR,     /* c: matrix K */
  HK_PART_VISCOUS,    /* c: matrix C */
  HK_PART_BRANCH,     /* c: matrix K, then n times tau; a state for every component in `mask` */
  HK_PART_COMPONENTS, /* law: n of them, NULL: none on that component */
  HK_PART_AXIS,       /* c: n numbers a; law: one, over a.s */
  HK_PART_FORCES,     /* expr: n of them over s (slots 0 to 5) and sd (6 to 11) */
  HK_PART_POTENTIAL,  /* expr: one, over s */
  HK_PART_HARDENING,  /* c: n times k, n times fy, n times Hk, then h */
  HK_PART_BISTOP,     /* expr: when it engages and when it lets go; many */
  HK_PART_LAW         /* many */
} hk_part_kind;

typedef struct hk_law_many hk_law_many;

typedef struct hk_law_part {
  hk_part_kind kind;
  bool of_rate; /* components, axis: the argument of their laws is sd */
  bool engaged; /* bistop: at the start */
  uint32_t mask;
  const double *c;
  const hk_law *const *law;
  const hk_expr *const *expr;
  const hk_law_many *many;
  double zero; /* bistop: energy of `many` without deformation (by hki_law_many_finish) */
} hk_law_part;

struct hk_law_many {
  int32_t n, nparts;
  const hk_law_part *part;
  const double *strain, *stress; /* n numbers; NULL: zeros */
  double factor;
  uint32_t flip;  /* components that change their sign in a mirrored place */
  int32_t nz, nd; /* by hki_law_many_finish */
  int32_t size;   /* parts and laws on all levels inside, at most HK_MANY_SIZE */
};

typedef struct hk_many_out {
  double f[HK_MANY];
  double fs[HK_MANY * HK_MANY], fsd[HK_MANY * HK_MANY]; /* df/ds, df/dsd; stride HK_MANY */
  hk_law_books books;
} hk_many_out;

/* of_rate: laws of one deformation inside read sd, as those of `damper:` do. mem moves on. */
void hki_law_many(const hk_law_many *law, bool of_rate, const double *s, const double *sd,
                  hk_law_memory *mem, hk_many_out *out);
/* typical sizes of its states, nz numbers */
void hki_law_many_units(const hk_law_many *law, double *unit);
/* Counts states and data of a law whose parts are all there; its inner laws are finished. Refuses numbers
 * out of their range. */
hk_status hki_law_many_finish(hk_ctx *ctx, hk_loc loc, hk_law_many *law, hk_law_part *part);
/* Calls `see` for each law of one deformation inside, and for the key of each part that remembers, with
 * law NULL. */
void hki_law_many_walk(const hk_law_many *law,
                       void (*see)(void *user, const hk_law *, const char *), void *user);

/* --- parts with discrete data (law_many_memory.c) ----------------------------------------------- */

void hki_part_hardening(int32_t n, const double *c, const double *e, const double *r,
                        const hk_law_memory *mem, hk_many_out *out);
void hki_part_bistop(int32_t n, const hk_law_part *p, const double *e, const double *r,
                     const hk_law_memory *mem, hk_many_out *out);
/* adds b to a */
void hki_many_add(int32_t n, const hk_many_out *b, hk_many_out *a);

#endif
