/* SPDX-License-Identifier: Apache-2.0
 *
 * law.h: scalar force laws f(s, sdot), shared by all compliant elements: linear, polynomial,
 * piecewise, table, expression; each with its derivatives and, where it depends on s alone, its
 * potential. Also roads: a height z(x, t) with its derivatives.
 *
 * Laws with memory (memory.c) depend on the past too: by private states (state.h), or by discrete
 * data that follow the accepted states.
 */
#ifndef HK_ELEMENTS_LAW_H
#define HK_ELEMENTS_LAW_H

#include "base/base.h"
#include "base/params.h"
#include "expr/expr.h"
#include "expr/jumps.h"
#include "expr/table.h"
#include "elements/friction.h"
#include "elements/state.h"

typedef enum hk_law_kind {
  HK_LAW_LINEAR,
  HK_LAW_POLYNOMIAL,
  HK_LAW_PIECEWISE,
  HK_LAW_TABLE,
  HK_LAW_EXPRESSION,
  /* with memory */
  HK_LAW_MAXWELL,
  HK_LAW_FRICTION,
  HK_LAW_HARDENING,
  HK_LAW_OWN,  /* of a type that a module brings */
  HK_LAW_FORM, /* a closed form with a name (law_forms.c), without memory */
  HK_LAW_MANY  /* a sum of parts, of one deformation or several (law_many.h) */
} hk_law_kind;

typedef struct hk_law hk_law;
typedef struct hk_law_books hk_law_books;

typedef struct hk_law_piece {
  double below; /* applies for the argument below this; the last piece: INFINITY */
  const hk_law *law;
} hk_law_piece;

struct hk_law {
  hk_law_kind kind;
  bool flip; /* the law of the mirrored coordinate: -f(-s, -sdot) */
  int32_t n; /* coefficients, pieces */
  const double
      *c; /* linear: slope c[0]; polynomial: c0 + c1 s + c2 s^2 ...; with memory: memory.c */
  const hk_law_piece *piece;
  const double *piece_energy; /* added to each piece's own potential (by hki_law_finish) */
  const hk_table *table;
  const hk_expr *expr;  /* inputs: slot 0 = s, slot 1 = sdot */
  bool uses_s, uses_sd; /* filled by hki_law_finish; laws other than expressions: uses_s only */
  double reference;     /* expression: where its potential is 0 (by hki_law_finish) */
  const hk_law *inner;  /* Maxwell: the law beside the branches; NULL: none */
  const hk_friction *friction;  /* its numbers, forces in the place of coefficients */
  const struct hk_law_ops *ops; /* of a type that a module brings, */
  const void *par;              /* and its parameters */
  const struct hk_law_form *form;
  const struct hk_law_many *many;
  int32_t nz, nd; /* memory: private states, discrete data (by hki_law_finish) */
};

/* Value and slopes. f stands between the two slopes, so that compilers do not load both slopes as
 * one vector right after they were stored one by one, which stalls the processor. */
typedef struct hk_law_out {
  double fs, f, fsd; /* df/ds, f, df/dsdot */
} hk_law_out;

/* a closed form f(x) with numbers c, in the order of its keys */
typedef struct hk_law_form {
  const char *key;
  const hk_param *keys; /* offset of a row: its place in c */
  bool of_rate;         /* x is sdot wherever it stands, else the argument of the place */
  double (*force)(const double *c, double x, double *slope);
  double (*energy)(const double *c, double x); /* its integral */
  const char *(*fault)(const double *c);       /* what does not go together; NULL: nothing */
} hk_law_form;
extern const hk_law_form hki_law_forms[]; /* ends with key NULL */
extern const hk_param hki_keys_double_linear[], hki_keys_log_elastic[], hki_keys_gas_spring[],
    hki_keys_turbulent[];
enum { HK_FORM_NUMBERS = 5 }; /* most numbers of a form */

/* of_rate: the argument of laws other than expressions is sdot (`damper:`), else s (`spring:`) */
void hki_law_eval(const hk_law *law, bool of_rate, double s, double sd, hk_law_out *out);
/* Potential: integral of f ds up to a constant; 0 for a law that depends on sdot. Closed form
 * except for expressions, which are integrated numerically (to about 1e-12) from law->reference: 0,
 * or a point near it where the expression is finite. */
double hki_law_energy(const hk_law *law, double s);
bool hki_law_has_energy(const hk_law *law);
/* Checks a law and computes uses_s, uses_sd, reference and the energies of pieces; also finishes
 * the laws of its pieces. Memory is taken from the pool. */
hk_status hki_law_finish(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law);

/* --- laws with memory ------------------------------------------------------------------------- */

static inline bool hki_law_has_memory(const hk_law *law) { return law->nz + law->nd > 0; }

/* must it be asked by hki_law_recall, which keeps its books? */
static inline bool hki_law_keeps_books(const hk_law *law) {
  return hki_law_has_memory(law) || law->kind == HK_LAW_MANY;
}
/* does it have friction, inside or beside its parts too? */
bool hki_law_rubs(const hk_law *law);
/* Calls `see` with the key of each law inside that has memory, in the order of their memory. */
void hki_law_memories(const hk_law *law, void (*see)(void *user, const char *key), void *user);

/* what the laws of an element remember, one law after the other */
typedef struct hk_law_memory {
  const hk_states *st; /* NULL: all states are 0 */
  int32_t z0;          /* first state of the next law */
  const double *d; /* discrete data of the next law, from the last accepted state before a step */
  double *d1;      /* where its data at the present state go; NULL: nowhere */
} hk_law_memory;

/* A type of law that a module brings (base/extend.h), with functions for its force. */
typedef struct hk_law_ops {
  const char *name, *text;
  const hk_param *params;
  size_t par_size;
  const void *self; /* for the functions */
  bool uses_s, uses_sd;
  int32_t nz; /* private states */
  /* checks the parameters; false, with words, when they do not go together */
  bool (*prepare)(const struct hk_law_ops *ops, void *par, char *words, size_t cap);
  void (*units)(const struct hk_law_ops *ops, const void *par, double *unit); /* nz */
  /* value, slopes and books; z0: its first state */
  void (*eval)(const struct hk_law_ops *ops, const void *par, double s, double sd,
               const hk_states *st, int32_t z0, hk_law_out *out, hk_law_books *books);
} hk_law_ops;
const hk_law_ops *hki_law_known(const hk_ctx *ctx,
                                const char *name); /* NULL: none of the context */

/* what a law stores and takes */
struct hk_law_books {
  double energy;     /* J */
  double dissipated; /* W */
  double spent;      /* J: dissipated since the start, of laws that know it better than its rate */
  double spending;   /* W: its rate, which `dissipated` leaves out */
};

/* Value, slopes and books of a law of any kind. Slopes are those at which the states follow s and
 * sdot. mem moves on to the next law. */
void hki_law_recall(const hk_law *law, bool of_rate, double s, double sd, hk_law_memory *mem,
                    hk_law_out *out, hk_law_books *books);
/* typical sizes of the law's states, nz numbers */
void hki_law_units(const hk_law *law, double *unit);
/* its part of hki_law_finish: checks the numbers, counts states and data */
hk_status hki_law_finish_memory(hk_ctx *ctx, hk_loc loc, hk_law *law);

/* keys of the law kinds, for the schema and `hooke list laws` */
typedef struct hk_law_info {
  const char *key, *text;
} hk_law_info;
extern const hk_law_info hki_law_infos[];    /* ends with key NULL */
const char *hki_law_name(const hk_law *law); /* its key */

/* --- roads ------------------------------------------------------------------------------------ */

/* a signal of time that a road's expression reads; signals that it reads itself come before it in
 * the list of the road */
typedef struct hk_road_signal {
  hk_time_function f; /* input k is reads[k] */
  int32_t nreads;
  const int32_t *reads; /* nreads: index of an earlier signal; -1: time */
} hk_road_signal;

enum { HK_ROAD_SIGNALS = 40 }; /* limit of signals per road, and of reads per signal */

typedef struct hk_road {
  const hk_expr *expr;   /* inputs: slot 0 = x, slot 1 = t, then the signals; or NULL */
  const hk_table *table; /* or a profile; or both NULL: flat at `height` */
  double height;
  int32_t nsignals;
  const hk_road_signal *signals;
} hk_road;

typedef struct hk_road_out {
  double z, zx, zxx; /* height, slope, curvature along x */
  double zt, zxt;    /* rate of a moving road, and of its slope (0 for tables) */
} hk_road_out;

/* segment >= 0: use this segment of the table, its line or cubic extended; -1: the one at x */
void hki_road_eval(const hk_road *road, double x, double t, int32_t segment, hk_road_out *out);
/* may roads a and b be evaluated together: the same expression of x alone? */
bool hki_road_alike(const hk_road *a, const hk_road *b);
/* the same as hki_road_eval at four places of such a road */
void hki_road_eval_lanes(const hk_road *road, const double *x, hk_road_out *out);
int32_t hki_road_segment(const hk_road *road, double x); /* -1 when the road has none */
/* the first time behind t at which the road may jump or bend everywhere at once; INFINITY: none */
double hki_road_next_break(const hk_road *road, double t);

#endif
