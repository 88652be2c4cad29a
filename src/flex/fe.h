/* SPDX-License-Identifier: Apache-2.0
 *
 * fe.h: a linear finite-element model as other programs write it: nodes, unknowns, stiffness and mass, sets
 * of nodes. Everything lies in one pool.
 */
#ifndef HK_FLEX_FE_H
#define HK_FLEX_FE_H

#include "base/base.h"

/* lower triangle of a symmetric matrix in compressed columns: rows of column j are
 * row[start[j] .. start[j+1]-1], ascending, the diagonal first and always there */
typedef struct hk_sym {
  int32_t n;
  int32_t *start, *row;
  double *val;
} hk_sym;

/* entries while they are read: of each pair (i, j), (j, i) one, in either order; repeated ones add up */
typedef struct hk_entries {
  hk_ctx *ctx;
  int64_t n, cap;
  int32_t *i, *j;
  double *val;
  bool failed; /* no memory */
} hk_entries;

void hki_entries_add(hk_entries *t, int32_t i, int32_t j, double x);
void hki_entries_free(hk_entries *t);
/* indices must be below n */
hk_status hki_sym_build(hk_pool *pool, const hk_entries *t, int32_t n, hk_sym *out);
static inline double hki_fe_dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
/* y = A x */
void hki_sym_mul(const hk_sym *A, const double *x, double *y);

/* kinds of elements, by the names that decks give them (types.c). The nodes of an element stand in the order of
 * Abaqus: corners, then middles of edges. */
typedef enum hk_solid {
  HK_SOLID_NONE, /* a shell */
  HK_SOLID_TETRA,
  HK_SOLID_BRICK,
  HK_SOLID_WEDGE
} hk_solid;

typedef struct hk_fe_type {
  const char *name; /* what the type begins with */
  hk_solid solid;
  int32_t nodes, corners, nface;
  int8_t face[6][4]; /* corners of its faces; -1: a triangle */
  int32_t gmsh;      /* gmsh's number of the type, 0: none */
  int8_t order[20];  /* and which of gmsh's nodes is the first, second, .. */
} hk_fe_type;

const hk_fe_type *hki_fe_type_named(const char *name); /* NULL: not known */
const hk_fe_type *hki_fe_type_gmsh(int32_t code);

typedef struct hk_fe_element {
  int32_t label, line; /* its number and place in the file */
  const hk_fe_type *type;
  int32_t at;       /* its nodes: hk_fe.corner[at ..] */
  int32_t material; /* index of hk_fe.material; -1: not known */
} hk_fe_element;

/* an isotropic material, SI units; all 0: not known */
typedef struct hk_fe_material {
  double young, poisson, density;
  bool other; /* not isotropic: only matrices of another program can be used */
} hk_fe_material;

typedef struct hk_fe_set {
  const char *name;
  int32_t n;
  int32_t *node; /* indices */
} hk_fe_set;

/* elements that belong together, for materials */
typedef struct hk_fe_group {
  const char *name;
  int32_t n;
  int32_t *element; /* indices */
} hk_fe_group;

typedef struct hk_fe {
  const char *title;
  int32_t nnode;
  double *x;      /* nnode x 3, m */
  int32_t *label; /* nnode: numbers in the file, ascending */
  int32_t ndof;
  int32_t *node; /* ndof: node of the unknown */
  uint8_t *comp; /* ndof: 0 to 2 translation, 3 to 5 rotation, 6 none (a modal coordinate) */
  hk_sym K, M;
  /* or, in place of K: shapes that another program has found, those of free or fixed modes first (modal.c) */
  int32_t nshape, nnormal;
  double *shape;             /* nshape x ndof */
  double *shape_K, *shape_M; /* nshape x nshape; shape_M may be NULL: from M */
  int32_t nset;
  hk_fe_set *set;
  int32_t file; /* of the elements, for messages; -1: none */
  int32_t nelement;
  hk_fe_element *element;
  int32_t *corner; /* nodes of the elements */
  int32_t ngroup;
  hk_fe_group *group;
  int32_t nmaterial;
  hk_fe_material *material;
  int32_t ntriangle; /* the surface, for the eye */
  int32_t *triangle; /* ntriangle x 3: nodes */
} hk_fe;

/* The matrix of the entries below and above the diagonal, which stands among those below. Both triangles must be the same;
 * one of them may be empty. */
hk_status hki_sym_halves(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                         const hk_entries *low, hk_entries *up, hk_sym *out);

/* index of a node by its number in the file, -1: none */
int32_t hki_fe_find(const hk_fe *fe, int32_t label);
const hk_fe_set *hki_fe_set_find(const hk_fe *fe, const char *name); /* NULL: none */

/* what is wrong with a text: of a model file where it stands in one, else of a command or a program */
static inline hk_status hki_fe_misuse(hk_loc loc) { return loc.line > 0 ? HK_E_MODEL : HK_E_USAGE; }

/* middle of the nodes of a set */
void hki_fe_middle(const hk_fe *fe, const hk_fe_set *set, double *c);
/* Moments of inertia of its nodes about c, each of mass 1: principal ones on the diagonal of J, axes in the columns of
 * R. Returns lowest over highest: 0 for nodes that do not fix a rotation. */
double hki_fe_spread(const hk_fe *fe, const hk_fe_set *set, const double *c, double *J, double *R);

/* the surface of the elements: faces of solids that belong to one element, and shells, as triangles (skin.c) */
hk_status hki_fe_skin(hk_ctx *ctx, hk_pool *pool, hk_fe *fe);
/* Does no solid lie in its neighbour, and has each face two solids at most? Elements must not be inside out. */
hk_status hki_fe_unfolded(hk_ctx *ctx, const hk_fe *fe);

#endif
