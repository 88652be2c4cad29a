/* SPDX-License-Identifier: Apache-2.0
 *
 * support.h: what the tests of force elements share: random states, finite differences, and the
 * list of cases, at least one for every entry of the element table.
 */
#ifndef HK_TESTS_ELEMENTS_SUPPORT_H
#define HK_TESTS_ELEMENTS_SUPPORT_H

#include "elements/element.h"

/* --- random numbers, the same on every machine ------------------------------------------------ */

typedef struct rng {
  uint64_t s;
} rng;
double rng_real(rng *r, double lo, double hi);
void rng_vector(rng *r, double size, double *v);
void rng_rotation(rng *r, double *R);

/* --- making laws and roads -------------------------------------------------------------------- */

typedef struct bench {
  hk_ctx *ctx;
  hk_pool *pool;
} bench;
void bench_open(bench *b);
void bench_close(bench *b);

/* an expression over slots 0 and 1, named by `names` ("s sdot", "x t") */
const hk_expr *make_expr(bench *b, const char *text, const char *names);
hk_law *law_linear(bench *b, double k);
hk_law *law_poly(bench *b, int32_t n, const double *c);
hk_law *law_expr(bench *b, const char *text);
hk_law *law_table(bench *b, int32_t n, const double *x, const double *f, bool monotone);
hk_law *law_pieces(bench *b, int32_t n, const double *below, hk_law *const *laws);
hk_law *law_done(bench *b, hk_law *law); /* hki_law_finish, must succeed */
const hk_table *make_table(bench *b, int32_t n, const double *x, const double *z, bool monotone);

/* --- cases ------------------------------------------------------------------------------------ */

enum {
  CASE_CONSERVATIVE = 1u, /* w = -dU/dxi, nothing dissipated or supplied */
  CASE_PASSIVE = 2u,      /* dissipated >= 0 */
  CASE_ODD = 4u,          /* ks or cs have odd parts: B'ksB is not the whole material tangent */
  CASE_SMALL = 8u,        /* small relative rotation and offset (bushings) */
  CASE_ROAD = 16u,        /* wheel near a road of height about 0 */
  CASE_FLAT = 64u,        /* as drawn but for rotations of half a radian (pulleys) */
  CASE_FREE = 32u         /* at rest without force the exact and the material K agree */
};

typedef struct element_case {
  const char *label;
  const hk_element_ops *ops;
  uint32_t flags;
  double u[HK_ELEMENT_INPUTS];
  uint32_t u_given, u_varies;
  double d[HK_ELEMENT_DISCRETE];
  void *par;
  const hk_states *st; /* private states; NULL: none */
} element_case;

typedef struct element_state {
  double t;
  hk_frame m[2];
  double s, sd;
} element_state;

/* all cases; the number of them is returned. Markers at the drawing position are 0.9 m apart. */
int32_t make_cases(bench *b, element_case *cases, int32_t max);
enum { MAX_CASES = 130 };

/* a random state for a case */
void random_state(rng *r, const element_case *c, element_state *x);

/* number of pose increments: 6 nmark, or 1 for joint elements */
int32_t case_size(const element_case *c);
void case_eval(const element_case *c, const element_state *x, uint32_t need, hk_element_out *out);
/* the force numbers: w, or tau */
void case_force(const element_case *c, const element_state *x, double *w);
double case_energy(const element_case *c, const element_state *x);
/* pose increment / twist increment number k by h */
void shift_pose(const element_case *c, element_state *x, int32_t k, double h);
void shift_twist(const element_case *c, element_state *x, int32_t k, double h);
/* the state after time h with constant twists */
void move_on(const element_case *c, const element_state *x, double h, element_state *y);
/* twists as one list of case_size numbers */
void get_twists(const element_case *c, const element_state *x, double *V);

/* 4th order central difference from f(-2h), f(-h), f(h), f(2h) */
double five_point(const double f[4], double h);

#endif
