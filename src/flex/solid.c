/* SPDX-License-Identifier: Apache-2.0
 *
 * solid.c: isoparametric solids of isotropic materials with Lame's constants l and m. Of nodes a, b with gradients Na, Nb
 *
 *   K_ab = int l Na Nb' + m Nb Na' + m (Na . Nb) 1        M_ab = int density N_a N_b 1
 *   stress = l tr(strain) 1 + 2 m strain,                 strain = sym(sum u_a Na')
 *
 * Stresses are taken at the nodes of each element and averaged over the elements that meet there: of the stiffest material, where
 * several meet.
 *
 * Source: T. J. R. Hughes, The Finite Element Method, 1987, chapters 2 and 3.
 */
#include "flex/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"

enum { MOST = 20 };

static const hk_fe_material *material_of(const hk_fe *fe, const hk_fe_element *e) {
  return &fe->material[e->material];
}

typedef struct point {
  double N[MOST], g[MOST][3]; /* shape functions and their gradients in space */
  double det;                 /* of the Jacobian */
} point;

static void at_point(const hk_fe *fe, const hk_fe_element *e, const double *natural, point *p) {
  double dN[MOST][3], J[9] = {0}, A[9];
  hki_solid_shape(e->type, natural, p->N, dN);
  for (int32_t a = 0; a < e->type->nodes; a++) {
    const double *x = fe->x + 3 * (ptrdiff_t)fe->corner[e->at + a];
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) J[3 * i + k] += x[i] * dN[a][k];
  }
  // gradients: J'^-1 dN, by the cofactors of J
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
      A[3 * i + k] = J[3 * i1 + k1] * J[3 * i2 + k2] - J[3 * i1 + k2] * J[3 * i2 + k1];
    }
  p->det = J[0] * A[0] + J[1] * A[1] + J[2] * A[2];
  for (int32_t a = 0; a < e->type->nodes; a++)
    for (int i = 0; i < 3; i++)
      p->g[a][i] =
          (A[3 * i] * dN[a][0] + A[3 * i + 1] * dN[a][1] + A[3 * i + 2] * dN[a][2]) / p->det;
}

/* --- matrices --------------------------------------------------------------------------------- */

static void add_stiffness(const hk_fe *fe, const hk_fe_element *e, hk_entries *K) {
  const double E = material_of(fe, e)->young, nu = material_of(fe, e)->poisson;
  const double m = E / (2.0 * (1.0 + nu)), l = 2.0 * m * nu / (1.0 - 2.0 * nu);
  const int32_t n = e->type->nodes, *node = fe->corner + e->at;
  double k[3 * MOST][3 * MOST] = {{0}};
  hk_rule r;
  hki_solid_rule(e->type, false, &r);
  for (int32_t q = 0; q < r.n; q++) {
    point p;
    at_point(fe, e, r.x[q], &p);
    const double w = r.w[q] * p.det;
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) {
        const double dot = m * v3_dot(p.g[a], p.g[b]);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            k[3 * a + i][3 * b + j] +=
                w * (l * p.g[a][i] * p.g[b][j] + m * p.g[a][j] * p.g[b][i] + (i == j ? dot : 0.0));
      }
  }
  for (int32_t a = 0; a < 3 * n; a++)
    for (int32_t b = 0; b <= a; b++)
      hki_entries_add(K, 3 * node[a / 3] + a % 3, 3 * node[b / 3] + b % 3, k[a][b]);
}

static void add_mass(const hk_fe *fe, const hk_fe_element *e, hk_entries *M) {
  const int32_t n = e->type->nodes, *node = fe->corner + e->at;
  double m[MOST][MOST] = {{0}};
  hk_rule r;
  hki_solid_rule(e->type, true, &r);
  for (int32_t q = 0; q < r.n; q++) {
    point p;
    at_point(fe, e, r.x[q], &p);
    const double w = r.w[q] * p.det * material_of(fe, e)->density;
    for (int32_t a = 0; a < n; a++)
      for (int32_t b = 0; b <= a; b++) m[a][b] += w * p.N[a] * p.N[b];
  }
  for (int32_t a = 0; a < n; a++)
    for (int32_t b = 0; b <= a; b++)
      for (int i = 0; i < 3; i++) hki_entries_add(M, 3 * node[a] + i, 3 * node[b] + i, m[a][b]);
}

hk_status hki_solid_matrices(hk_ctx *ctx, hk_pool *pool, hk_fe *fe) {
  hk_entries K = {.ctx = ctx}, M = {.ctx = ctx};
  if (fe->nnode > INT32_MAX / 4) return HK_E_MEMORY;
  fe->ndof = 3 * fe->nnode;
  fe->node = hki_pool_alloc(pool, (size_t)fe->ndof * sizeof *fe->node);
  fe->comp = hki_pool_alloc(pool, (size_t)fe->ndof);
  if (!fe->node || !fe->comp) return HK_E_MEMORY;
  for (int32_t d = 0; d < fe->ndof; d++) fe->node[d] = d / 3, fe->comp[d] = (uint8_t)(d % 3);
  for (int32_t i = 0; i < fe->nelement; i++) {
    add_stiffness(fe, &fe->element[i], &K);
    add_mass(fe, &fe->element[i], &M);
  }
  hk_status st = hki_sym_build(pool, &K, fe->ndof, &fe->K);
  hki_entries_free(&K);
  if (st == HK_OK) st = hki_sym_build(pool, &M, fe->ndof, &fe->M);
  hki_entries_free(&M);
  return st;
}

/* --- stresses --------------------------------------------------------------------------------- */

bool hki_solid_has_stress(const hk_fe *fe) {
  bool all = fe->nelement > 0;
  for (int32_t i = 0; i < fe->nelement && all; i++) {
    const hk_fe_element *e = &fe->element[i];
    all = e->type->solid && e->material >= 0 && material_of(fe, e)->young > 0.0;
  }
  return all;
}

static void add_stress(const hk_fe *fe, const hk_fe_element *e, const double *u, int32_t a,
                       double *s) {
  const double E = material_of(fe, e)->young, nu = material_of(fe, e)->poisson;
  const double m = E / (2.0 * (1.0 + nu)), l = 2.0 * m * nu / (1.0 - 2.0 * nu);
  double at[3], G[9] = {0};
  point p;
  hki_solid_place(e->type, a, at);
  at_point(fe, e, at, &p);
  for (int32_t b = 0; b < e->type->nodes; b++) {
    const double *v = u + 3 * (ptrdiff_t)fe->corner[e->at + b];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) G[3 * i + j] += v[i] * p.g[b][j];
  }
  const double trace = l * (G[0] + G[4] + G[8]);
  for (int i = 0; i < 3; i++) s[i] += trace + 2.0 * m * G[4 * i];
  s[3] += m * (G[1] + G[3]), s[4] += m * (G[5] + G[7]), s[5] += m * (G[2] + G[6]);
}

hk_status hki_solid_stress(hk_ctx *ctx, const hk_fe *fe, const double *u, double *stress) {
  const size_t n = (size_t)fe->nnode + 1;
  int32_t *count = hki_alloc(ctx, n * sizeof *count);
  double *stiffest = hki_alloc(ctx, n * sizeof *stiffest);
  if (!count || !stiffest) {
    hki_free(ctx, count);
    hki_free(ctx, stiffest);
    return HK_E_MEMORY;
  }
  memset(stress, 0, (size_t)fe->nnode * 6 * sizeof *stress);
  for (int32_t i = 0; i < fe->nelement; i++)
    for (int32_t a = 0; a < fe->element[i].type->nodes; a++) {
      double *E = &stiffest[fe->corner[fe->element[i].at + a]];
      *E = fmax(*E, material_of(fe, &fe->element[i])->young);
    }
  for (int32_t i = 0; i < fe->nelement; i++) {
    const hk_fe_element *e = &fe->element[i];
    for (int32_t a = 0; a < e->type->nodes; a++) {
      const int32_t node = fe->corner[e->at + a];
      if (material_of(fe, e)->young < stiffest[node]) continue;
      add_stress(fe, e, u, a, stress + 6 * (ptrdiff_t)node);
      count[node]++;
    }
  }
  for (int32_t i = 0; i < fe->nnode; i++)
    for (int k = 0; count[i] && k < 6; k++) stress[6 * (ptrdiff_t)i + k] /= count[i];
  hki_free(ctx, count);
  hki_free(ctx, stiffest);
  return HK_OK;
}

/* --- checks ----------------------------------------------------------------------------------- */

static hk_status bad_element(hk_ctx *ctx, const hk_fe *fe, const hk_fe_element *e, const char *hint,
                             const char *what) {
  return hki_error(ctx, HK_E_MODEL, (hk_loc){fe->file, e->line, 1}, hint, "element %d %s",
                   (int)e->label, what);
}

static hk_status check_nodes(hk_ctx *ctx, const hk_fe *fe, const hk_fe_element *e) {
  const int32_t *c = fe->corner + e->at;
  for (int32_t a = 0; a < e->type->nodes; a++)
    for (int32_t b = 0; b < a; b++)
      if (c[a] == c[b])
        return hki_error(ctx, HK_E_MODEL, (hk_loc){fe->file, e->line, 1}, "mend the mesh there",
                         "element %d has node %d twice", (int)e->label, (int)fe->label[c[a]]);
  return HK_OK;
}

static hk_status check_volume(hk_ctx *ctx, const hk_fe *fe, const hk_fe_element *e) {
  double size = 0.0, low = HUGE_VAL, top = -HUGE_VAL;
  for (int32_t a = 1; a < e->type->nodes; a++) {
    double d[3];
    v3_sub(d, fe->x + 3 * (ptrdiff_t)fe->corner[e->at + a],
           fe->x + 3 * (ptrdiff_t)fe->corner[e->at]);
    size = fmax(size, v3_norm(d));
  }
  for (int kind = 0; kind < 2; kind++) {
    hk_rule r;
    hki_solid_rule(e->type, kind, &r);
    for (int32_t q = 0; q < r.n; q++) {
      point p;
      at_point(fe, e, r.x[q], &p);
      low = fmin(low, p.det), top = fmax(top, p.det);
    }
  }
  const double flat = 1e-9 * size * size * size;
  if (low > flat) return HK_OK;
  if (top < -flat)
    return bad_element(ctx, fe, e, "turn the order of its nodes round", "is inside out");
  if (top <= flat)
    return bad_element(ctx, fe, e, "mend the mesh there", "is flat: it has no volume");
  return bad_element(ctx, fe, e, "move its nodes, or make the mesh finer there",
                     "is folded: a part of it is inside out");
}

/* corners in ascending order, then which element */
typedef struct corners {
  int32_t node[8], element;
} corners;

static int compare(const void *a, const void *b) {
  const corners *x = a, *y = b;
  for (int i = 0; i < 8; i++)
    if (x->node[i] != y->node[i]) return x->node[i] < y->node[i] ? -1 : 1;
  return (x->element > y->element) - (x->element < y->element);
}

static hk_status check_repeated(hk_ctx *ctx, const hk_fe *fe, corners *c) {
  for (int32_t i = 0; i < fe->nelement; i++) {
    const hk_fe_element *e = &fe->element[i];
    c[i].element = i;
    for (int32_t k = 0; k < 8; k++) c[i].node[k] = -1;
    for (int32_t k = 0; k < e->type->corners; k++) {
      int32_t j = k;
      for (; j > 0 && c[i].node[j - 1] > fe->corner[e->at + k]; j--)
        c[i].node[j] = c[i].node[j - 1];
      c[i].node[j] = fe->corner[e->at + k];
    }
  }
  if (fe->nelement) qsort(c, (size_t)fe->nelement, sizeof *c, compare);
  for (int32_t i = 1; i < fe->nelement; i++)
    if (memcmp(c[i].node, c[i - 1].node, sizeof c[i].node) == 0) {
      const hk_fe_element *e = &fe->element[c[i].element], *f = &fe->element[c[i - 1].element];
      return hki_error(ctx, HK_E_MODEL, (hk_loc){fe->file, e->line, 1},
                       "a piece in two groups is written twice by some programs",
                       "element %d has the nodes of element %d: it is there twice", (int)e->label,
                       (int)f->label);
    }
  return HK_OK;
}

hk_status hki_solid_check(hk_ctx *ctx, hk_loc loc, const hk_fe *fe) {
  if (!fe->nelement)
    return hki_error(ctx, HK_E_MODEL, loc, "mesh its volumes: gmsh -3 -order 2",
                     "the mesh has no solid elements");
  for (int32_t i = 0; i < fe->nelement; i++) {
    const hk_fe_element *e = &fe->element[i];
    if (!e->type->solid)
      return bad_element(ctx, fe, e, "give its matrices, as CalculiX makes them",
                         "is a shell, and shells have no matrices here");
    hk_status st = check_nodes(ctx, fe, e);
    if (st == HK_OK) st = check_volume(ctx, fe, e);
    if (st != HK_OK) return st;
  }
  corners *c = hki_alloc(ctx, (size_t)fe->nelement * sizeof *c);
  if (!c) return HK_E_MEMORY;
  const hk_status st = check_repeated(ctx, fe, c);
  hki_free(ctx, c);
  return st == HK_OK ? hki_fe_unfolded(ctx, fe) : st;
}
