/* SPDX-License-Identifier: Apache-2.0
 *
 * core.h: the extension module hooke._core, which the package `hooke` stands on: models, simulations and
 * results of the C interface as Python objects, and nothing of Hooke's inside. It keeps to Python's
 * limited interface of 3.11, so that one binary serves every later Python.
 *
 * Objects are used by one thread at a time. While a call is at work the interpreter's lock is released,
 * so another thread could come in between: each object has a flag, and who comes second gets an
 * error, not a crash.
 */
#ifndef HOOKE_PYTHON_CORE_H
#define HOOKE_PYTHON_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdbool.h>

#include "hooke/hooke.h"

/* slots of types hold functions as void pointers, which C leaves to the system */
#pragma GCC diagnostic ignored "-Wpedantic"

/* what the module keeps */
typedef struct core_state {
  PyObject *error;                     /* HookeError */
  PyTypeObject *message;               /* Message, a named tuple */
  PyTypeObject *model_type, *sim_type; /* bases of hooke.Model and hooke.Simulation */
  PyTypeObject *type_type;             /* Type, which models take beside paths of modules */
  PyTypeObject *tensor_type;           /* Tensor, which batches give */
} core_state;

/* --- objects ---------------------------------------------------------------------------------- */

typedef struct core_model {
  PyObject ob_base;
  hk_ctx *ctx;
  hk_model *model;
  PyObject *modules; /* paths and types, which the context points into; NULL: none */
  atomic_int busy;
} core_model;

typedef struct core_sim {
  PyObject ob_base;
  hk_ctx *ctx; /* of its own: a simulation may work in another thread than its model */
  hk_sim *sim;
  PyObject *model;  /* keeps the model and its context alive */
  PyObject *former; /* models before it, each with the one before; NULL: none */
  PyObject *hook;   /* called before each step; NULL: none */
  double took;      /* seconds of the last step */
  char *before;     /* the state before a step, where functions of Python may fail; NULL: none */
  atomic_int busy;
} core_sim;

typedef struct core_eval {
  PyObject ob_base;
  hk_ctx *ctx;
  hk_eval *eval;
  PyObject *model; /* keeps the model alive */
  atomic_int busy;
} core_eval;

typedef struct core_batch {
  PyObject ob_base;
  hk_ctx *ctx;
  hk_batch *batch;
  PyObject *model; /* keeps the model alive */
  atomic_int busy;
} core_batch;

typedef struct core_result {
  PyObject ob_base;
  hk_ctx *ctx;
  hk_result *result;
  atomic_int busy;
} core_result;

extern PyType_Spec core_model_spec, core_sim_spec, core_eval_spec, core_result_spec, core_type_spec,
    core_batch_spec, core_tensor_spec;

/* a Tensor, to which this one belongs from now on (tensor.c) */
struct DLManagedTensorVersioned;
PyObject *core_tensor_of(core_state *st, struct DLManagedTensorVersioned *of);

/* --- errors ----------------------------------------------------------------------------------- */

core_state *core_state_of(PyObject *self);
/* raises HookeError with the messages of the context, which are forgotten; returns NULL */
PyObject *core_raise(core_state *st, hk_ctx *ctx, hk_status status);
/* Has a call of the library gone well? False with an error: the exception of a function that it has called,
 * or HookeError with the messages of the context. */
bool core_good(core_state *st, hk_ctx *ctx, hk_status status);
/* an exception of such a function waits in this thread; the second raises it */
bool core_raised(void);
bool core_take_raised(void);
/* the messages of the context as a list; they stay */
PyObject *core_messages(core_state *st, hk_ctx *ctx);
/* raises HookeError with this text alone; returns NULL */
PyObject *core_raise_text(core_state *st, hk_status status, const char *text);
PyObject *core_misuse(core_state *st, const char *text);

/* Ctrl-C during long work of a context, in the main thread: it ends soon, with HK_INTERRUPTED. Neither needs the
 * interpreter's lock. Gives the flag; NULL: not in this thread, or nobody handles Ctrl-C. */
volatile int *core_watch(hk_ctx *ctx);
void core_unwatch(hk_ctx *ctx);
/* After work that ended so: did the program's handler raise an exception? Else it can be begun again. */
bool core_interrupted(hk_status status);

/* takes an object for this call; false with an error: another thread has it */
bool core_enter(core_state *st, atomic_int *busy);
static inline void core_leave(atomic_int *busy) { atomic_store(busy, 0); }

/* --- arguments -------------------------------------------------------------------------------- */

/* pairs of texts, (name, value): the texts live as long as `source` */
typedef struct core_pairs {
  const char *(*item)[2];
  int32_t n;
  PyObject *source;
} core_pairs;
bool core_pairs_get(PyObject *sequence, core_pairs *out);
void core_pairs_end(core_pairs *p);

/* a contiguous buffer of `items` numbers of `size` bytes and this letter; any number when items < 0 */
bool core_buffer(PyObject *o, Py_buffer *view, char letter, Py_ssize_t items, bool writable);
Py_ssize_t core_items(const Py_buffer *view);

/* options of a simulation: a tuple (formulation, integrator, step, time, substeps, tolerance, memory,
 * pairs[, start]); start: 0 as the model says, 1 an equilibrium, 2 a steady one, 3 no masses: kinematics; end with core_options_end */
typedef struct core_options {
  hk_sim_options opt;
  hk_option *list;
  core_pairs pairs;
} core_options;
bool core_options_get(PyObject *tuple, core_options *out);
void core_options_end(core_options *o);

/* a dictionary as the tree of a model, to be ended by hk_node_destroy; NULL with an error, or with a message
 * in the context */
hk_node *core_tree(hk_ctx *ctx, PyObject *dict);

/* The modules of a tuple, paths and types, into a context; false with an error. types: false leaves those out, which
 * only a model needs. */
bool core_modules(core_state *st, hk_ctx *ctx, PyObject *modules, bool types);

/* a text of Python for the library, as long as the object lives; NULL with an error, also when it holds a NUL */
const char *core_utf8(PyObject *text);
/* a text of the library, None for NULL */
PyObject *core_text(const char *s);

/* fem.c */
PyObject *core_flexible(PyObject *self, PyObject *args);
PyObject *core_reduce_file(PyObject *self, PyObject *args);
PyObject *core_reduce_matrices(PyObject *self, PyObject *args);

/* --- types ------------------------------------------------------------------------------------ */

/* the object's memory back to its type, and the reference to the type */
void core_free_object(PyObject *self);

#endif
