/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h: hooke._core.Type, a type of element, law, signal or controller whose function is one of Python. It
 * reaches a model as a module does (hooke/plugin.h).
 */
#ifndef HOOKE_PYTHON_TYPES_H
#define HOOKE_PYTHON_TYPES_H

#include "core.h"

#include "hooke/module.h"

/* what the function is given, and where its numbers go; the words are those of hooke/_types.py */
typedef enum core_kind {
  CORE_LAW,       /* f(s, rate) -> force, slopes, energy */
  CORE_JOINT,     /* f(t, s, rate) -> load */
  CORE_BODY,      /* f(t, frames) -> load */
  CORE_BODIES,    /* the same between two bodies: the load on the second */
  CORE_SIGNAL,    /* f(t) -> value */
  CORE_CONTROLLER /* f(t, u, x) -> y, next x */
} core_kind;

enum {
  CORE_NUMBERS = 256, /* that a function gives at most */
  CORE_OWN = 8        /* bytes of each value in the parameters; the first is the type itself */
};

/* a key of the type, a keyword of the function */
typedef struct core_key {
  PyObject *name;
  PyObject *words; /* of a choice: a tuple; of a text: what it is when it is left out */
  int32_t kind;    /* hk_plugin_kind */
  int32_t at;      /* offset in the parameters, or number of an input */
} core_key;

typedef struct core_type {
  PyObject ob_base;
  PyObject *call;  /* the function, or what stands around it */
  PyObject *texts; /* a list of the objects whose bytes the structs below point to */
  core_kind kind;
  int32_t positional; /* of a law: how many numbers it is given */
  int32_t count;      /* how many numbers it gives */
  int32_t ny, nx, nu; /* outputs; states and inputs of a controller */
  bool slopes;        /* it gives them */
  double *start;      /* states of a controller at the start */
  int32_t nkeys;
  core_key *key;
  hk_plugin_key *rows; /* the same for the library, with those of the place */
  hk_plugin plugin;
  union {
    hk_plugin_element element;
    hk_plugin_law law;
    hk_plugin_block block;
  } as;
} core_type;

/* functions of the kinds (calls.c) */
void core_law_force(const void *par, double s, double sd, const double *z, const double *zd,
                    hk_plugin_force *out);
void core_load_eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out);
void core_signal_eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out);
void core_block_start(const void *par, const double *u, double *x, double *y);
void core_block_sample(const void *par, double t, double period, const double *u, double *x,
                       double *y);

#endif
