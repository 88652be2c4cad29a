/* SPDX-License-Identifier: Apache-2.0
 *
 * support.c: random states, finite differences and makers of laws for the tests of force elements.
 */
#include <stdlib.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

/* --- random numbers --------------------------------------------------------------------------- */

double rng_real(rng *r, double lo, double hi) {
  r->s = r->s * 6364136223846793005u + 1442695040888963407u;
  uint64_t z = (r->s ^ (r->s >> 33)) * 0xff51afd7ed558ccdu;
  return lo + (hi - lo) * (double)(z >> 11) / 9007199254740992.0;
}

void rng_vector(rng *r, double size, double *v) {
  for (int i = 0; i < 3; i++) v[i] = rng_real(r, -size, size);
}

void rng_rotation(rng *r, double *R) {
  double q[4];
  for (int i = 0; i < 4; i++) q[i] = rng_real(r, -1, 1);
  quat_normalize(q);
  quat_to_rot(R, q);
}

/* --- laws and roads --------------------------------------------------------------------------- */

void bench_open(bench *b) {
  b->ctx = hk_ctx_create();
  b->pool = hki_pool_create(b->ctx);
  ck_assert_ptr_nonnull(b->pool);
}

void bench_close(bench *b) {
  hki_pool_destroy(b->pool);
  hk_ctx_destroy(b->ctx);
}

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  int32_t slot = 0;
  for (const char *word = user; *word; slot++) {
    size_t n = strcspn(word, " ");
    if (n == strlen(name) && strncmp(word, name, n) == 0) {
      *out = (hk_expr_symbol){.is_input = true, .slot = slot};
      return true;
    }
    word += n + strspn(word + n, " ");
  }
  return false;
}

const hk_expr *make_expr(bench *b, const char *text, const char *names) {
  char *copy = hki_pool_strdup(b->pool, names);
  hk_expr_scope scope = {copy, resolve, NULL, false};
  hk_expr *e = NULL;
  ck_assert_int_eq(hki_expr_compile(b->ctx, b->pool, text, strlen(text), HK_LOC_NONE, &scope, &e),
                   HK_OK);
  return e;
}

static hk_law *new_law(bench *b, hk_law_kind kind) {
  hk_law *law = hki_pool_alloc(b->pool, sizeof *law);
  law->kind = kind;
  return law;
}

static double *copy_numbers(bench *b, int32_t n, const double *x) {
  double *y = hki_pool_alloc(b->pool, (size_t)n * sizeof *y);
  if (n > 0) memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

hk_law *law_linear(bench *b, double k) {
  hk_law *law = new_law(b, HK_LAW_LINEAR);
  law->n = 1;
  law->c = copy_numbers(b, 1, &k);
  return law;
}

hk_law *law_poly(bench *b, int32_t n, const double *c) {
  hk_law *law = new_law(b, HK_LAW_POLYNOMIAL);
  law->n = n;
  law->c = copy_numbers(b, n, c);
  return law;
}

hk_law *law_expr(bench *b, const char *text) {
  hk_law *law = new_law(b, HK_LAW_EXPRESSION);
  law->expr = make_expr(b, text, "s sdot");
  return law;
}

const hk_table *make_table(bench *b, int32_t n, const double *x, const double *z, bool monotone) {
  const hk_table *t = NULL;
  hk_table_rows rows = {.loc = HK_LOC_NONE,
                        .n = n,
                        .x = x,
                        .y = z,
                        .interpolation = monotone ? HK_TABLE_MONOTONE : HK_TABLE_LINEAR,
                        .extrapolation = HK_TABLE_EXTEND};
  ck_assert_int_eq(hki_table_build(b->ctx, b->pool, &rows, &t), HK_OK);
  return t;
}

hk_law *law_table(bench *b, int32_t n, const double *x, const double *f, bool monotone) {
  hk_law *law = new_law(b, HK_LAW_TABLE);
  law->table = make_table(b, n, x, f, monotone);
  return law;
}

hk_law *law_pieces(bench *b, int32_t n, const double *below, hk_law *const *laws) {
  hk_law *law = new_law(b, HK_LAW_PIECEWISE);
  hk_law_piece *piece = hki_pool_alloc(b->pool, (size_t)n * sizeof *piece);
  for (int32_t i = 0; i < n; i++) piece[i] = (hk_law_piece){below[i], laws[i]};
  law->n = n;
  law->piece = piece;
  return law;
}

hk_law *law_done(bench *b, hk_law *law) {
  ck_assert_int_eq(hki_law_finish(b->ctx, HK_LOC_NONE, b->pool, law), HK_OK);
  return law;
}

/* --- states ----------------------------------------------------------------------------------- */

void random_state(rng *r, const element_case *c, element_state *x) {
  memset(x, 0, sizeof *x);
  x->t = rng_real(r, 0.1, 1.9);
  x->s = rng_real(r, 0.2, 0.9) * (rng_real(r, 0, 1) < 0.5 ? -1 : 1);
  x->sd = rng_real(r, -2, 2);
  for (int i = 0; i < 2; i++) {
    rng_rotation(r, x->m[i].R);
    rng_vector(r, 2.0, x->m[i].p);
    rng_vector(r, 1.5, x->m[i].w);
    rng_vector(r, 1.5, x->m[i].v);
  }
  // the second marker 0.6 to 1.4 m from the first
  double d[3];
  do {
    rng_vector(r, 1.4, d);
  } while (v3_norm(d) < 0.6 || v3_norm(d) > 1.4);
  v3_add(x->m[1].p, x->m[0].p, d);
  if (c->flags & CASE_SMALL) {
    double rot[3], E[9];
    rng_vector(r, 0.2, d);
    rng_vector(r, 1.2, rot);
    rot_exp(E, rot);
    m3_mul(x->m[1].R, x->m[0].R, E);
    v3_add(x->m[1].p, x->m[0].p, d);
  }
  if (c->flags & CASE_FLAT) {
    double rot[3], E[9], Q[9];
    rng_rotation(r, Q);
    for (int i = 0; i < 2; i++) {
      rng_vector(r, 0.5, rot);
      rot_exp(E, rot);
      m3_mul(x->m[i].R, Q, E);
    }
    rng_vector(r, 0.3, rot);
    rot[0] += 1.0;
    m3_mulv(d, Q, rot);
    v3_add(x->m[1].p, x->m[0].p, d);
  }
  if (c->flags & CASE_ROAD) {
    x->m[0].p[0] = rng_real(r, 0.3, 1.7);
    x->m[0].p[2] = rng_real(r, 0.0, 0.2);
  }
}

int32_t case_size(const element_case *c) { return c->ops->nscal ? 1 : 6 * c->ops->nmark; }

void case_eval(const element_case *c, const element_state *x, uint32_t need, hk_element_out *out) {
  hk_element_in in = {x->t, x->m, x->s, x->sd, c->u, c->u_varies, c->d, NULL, NULL, c->st, NULL};
  c->ops->eval(c->par, &in, need, out);
}

void case_force(const element_case *c, const element_state *x, double *w) {
  static hk_element_out out;
  case_eval(c, x, HK_NEED_FORCE, &out);
  if (c->ops->nscal)
    w[0] = out.tau;
  else
    memcpy(w, out.w, (size_t)case_size(c) * sizeof *w);
}

double case_energy(const element_case *c, const element_state *x) {
  static hk_element_out out;
  case_eval(c, x, HK_NEED_ENERGY, &out);
  return out.energy;
}

void shift_pose(const element_case *c, element_state *x, int32_t k, double h) {
  if (c->ops->nscal) {
    x->s += h;
    return;
  }
  hk_frame *m = &x->m[k / 6];
  if (k % 6 >= 3) {
    m->p[k % 6 - 3] += h;
  } else {
    double th[3] = {0, 0, 0}, E[9], R[9];
    th[k % 6] = h;
    rot_exp(E, th);
    m3_mul(R, E, m->R);
    memcpy(m->R, R, sizeof R);
  }
}

void shift_twist(const element_case *c, element_state *x, int32_t k, double h) {
  if (c->ops->nscal)
    x->sd += h;
  else
    (k % 6 < 3 ? x->m[k / 6].w : x->m[k / 6].v)[k % 3] += h;
}

void move_on(const element_case *c, const element_state *x, double h, element_state *y) {
  *y = *x;
  y->t += h;
  y->s += h * x->sd;
  for (int i = 0; i < c->ops->nmark; i++) {
    double th[3], E[9];
    v3_axpy(y->m[i].p, h, x->m[i].v);
    v3_scale(th, h, x->m[i].w);
    rot_exp(E, th);
    m3_mul(y->m[i].R, E, x->m[i].R);
  }
}

void get_twists(const element_case *c, const element_state *x, double *V) {
  if (c->ops->nscal) {
    V[0] = x->sd;
    return;
  }
  for (int i = 0; i < c->ops->nmark; i++) {
    v3_copy(V + 6 * i, x->m[i].w);
    v3_copy(V + 6 * i + 3, x->m[i].v);
  }
}

double five_point(const double f[4], double h) {
  return (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h);
}
