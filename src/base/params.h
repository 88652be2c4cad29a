/* SPDX-License-Identifier: Apache-2.0
 *
 * params.h: typed parameter tables. Joints, forces, laws, signals, formulations and integrators all
 * describe the keys they take with these rows; the model reader, the JSON schema, `hooke list` and
 * `hooke info` are made from the same rows, so that they cannot disagree.
 */
#ifndef HK_BASE_PARAMS_H
#define HK_BASE_PARAMS_H

#include "base/base.h"

typedef enum hk_ptype {
  HK_P_END = 0,
  HK_P_REAL,      /* number or expression over parameters -> double */
  HK_P_INT,       /* whole number -> int32_t */
  HK_P_BOOL,      /* true/false, on/off, yes/no -> bool */
  HK_P_CHOICE,    /* one of `choices` (space separated words) -> int32_t index */
  HK_P_TEXT,      /* any text -> char* (pool) */
  HK_P_DYNAMIC,   /* number, expression of t and channels, or signal name -> input u[offset] */
  HK_P_DYNAMIC3,  /* list of three of these -> u[offset..offset+2]; reflects as a vector */
  HK_P_DYNAMIC3P, /* the same, reflects as a pseudo-vector (torques) */
  HK_P_DYNAMIC6,  /* list of these per axis of `choices`, or a map -> u[offset..] */
  HK_P_REAL6,     /* list of six numbers, or one number for all -> double[6] */
  HK_P_REAL66,    /* n numbers (diagonal) or n x n -> double[36], stride 6; n: axes in `choices` */
  HK_P_NUMBERS,   /* a number, a list or a matrix of any size -> handled by its reader */
  HK_P_REALS,     /* list of numbers of any length -> hk_reals */
  HK_P_ROWS,      /* list of such lists -> handled by its reader */
  HK_P_LAW,       /* a law (see laws) -> const hk_law* */
  HK_P_LAW6,      /* list or map of laws, one per axis of `choices` -> const hk_law*[6] */
  HK_P_LAWS,      /* list of laws -> handled by its reader */
  HK_P_LAW_MANY,  /* one law of all axes of `choices` -> const hk_law* */
  HK_P_FRICTION,  /* dry friction (see friction) -> const hk_friction* */
  HK_P_ROAD,      /* expression of x, t, signals; signal name, or {table: file} -> hk_road */
  HK_P_CURVE,     /* a closed plane curve -> const hk_curve* */
  HK_P_POINT,     /* named point or [x, y, z] -> handled by its reader */
  HK_P_ENDS,      /* [pA, pB] */
  HK_P_AXIS,      /* x | y | z | [..] */
  HK_P_AXIS2,     /* a joint's second axis -> double[2]: (sin, 0, cos) in the markers' axes */
  HK_P_FRAME,     /* named frame or orientation */
  HK_P_BODY,      /* a body's name; a second one -> bool: it is given */
  HK_P_BODIES,    /* [first, second] */
  HK_P_JOINT,     /* a joint's name */
  HK_P_JOINTS,    /* list of joints, or of their coordinates -> handled by its reader */
  HK_P_NODE,      /* a scalar node's name -> node[offset] of the element */
  HK_P_NODES,     /* [first, second] -> node[offset], node[offset + 1] */
  HK_P_AXES,      /* world | body | frame name -> hk_axes */
  HK_P_LOCKED,    /* list (or map with signals) of x y z rx ry rz -> uint32_t, a bit each */
  HK_P_MOTION,    /* map coordinate -> signal */
  HK_P_LIMITS,    /* map coordinate -> range, and how its stops act */
  HK_P_TABLE,     /* CSV file name */
  HK_P_TEXTS,     /* a text or a list of texts -> handled by its reader */
  HK_P_VALUES,    /* map parameter -> number, list of numbers, range low:high:count */
  HK_P_ANY        /* anything; read by its own function, described in `text` */
} hk_ptype;

enum {
  HK_P_REQUIRED = 1u,
  HK_P_POSITIVE = 2u,
  HK_P_NONNEGATIVE = 4u,
  HK_P_LEAD = 8u,   /* the number changes its sign in a mirrored component */
  HK_P_DRAWN = 16u, /* default: the distance of the joint's ends in the drawing position */
  HK_P_RATED =
      32u /* HK_P_DYNAMIC: u[offset + 1] is its rate where it is a signal of time, else 0 */
};

/* a list of numbers; the count comes first, so that a default of 0 is an empty list */
typedef struct hk_reals {
  int32_t n;
  const double *x;
} hk_reals;

/* offset of rows that a function of their own reads */
#define HK_P_HAND (-1)

typedef struct hk_param {
  const char *name;
  hk_ptype type;
  uint32_t flags;
  int32_t offset;   /* offsetof in the parameter struct, or first u index for dynamic ones */
  double def;       /* default of a number (NAN: none, the key may be left out) */
  double min, max;  /* allowed range of a number, inclusive; both 0 = no limits */
  const char *unit; /* "N/m"; "" = none */
  const char
      *choices;     /* for HK_P_CHOICE: "vertical normal"; for values per axis: the axes, "x y z" or
                          "rx ry rz" (NULL: all six) */
  const char *text; /* one line for people */
} hk_param;

/* bytes at the beginning of parameters that belong to a type from a module: a pointer to it */
enum { HK_SELF = 16 };

/* the last row of every table */
#define HK_PARAM_END                                                                               \
  { .type = HK_P_END }

/* Parameter structs of methods (formulations, integrators, linear solvers): HK_P_REAL is a double,
 * every other type an int32_t. */
/* write all defaults of the table */
void hki_params_default(const hk_param *table, void *par);
const hk_param *hki_params_find(const hk_param *table, const char *name);
/* a value as it was written: a text, or, where that is NULL, a number */
typedef struct hk_param_value {
  const char *text;
  double number;
} hk_param_value;

/* Set one value from its text, and the bit of its row number in *given. False when the name is
 * unknown, or when the value is wrong, with words in buf (cap bytes). */
bool hki_params_set(const hk_param *table, void *par, const char *name, hk_param_value value,
                    uint64_t *given, char *buf, size_t cap);
/* the value of one row as JSON: a number, true or false, a word */
void hki_params_json(const hk_param *p, const void *par, hk_text *out);

#endif
