/* SPDX-License-Identifier: Apache-2.0
 *
 * fem.c: finite-element models become bodies with modes (hooke/flexible.h). What is made is written to a file and described;
 * nothing of it stays in memory.
 */
#include "core.h"

/* names of interfaces, as long as `source` lives */
typedef struct names {
  PyObject *source;
  const char **item;
  int32_t n;
} names;

static bool names_get(PyObject *sequence, names *out) {
  *out = (names){.source = PySequence_Tuple(sequence)};
  if (!out->source) return false;
  out->n = (int32_t)PyTuple_Size(out->source);
  out->item = PyMem_Calloc((size_t)out->n + 1, sizeof *out->item);
  if (!out->item) {
    PyErr_NoMemory();
    return false;
  }
  for (int32_t i = 0; i < out->n; i++)
    if (!(out->item[i] = core_utf8(PyTuple_GetItem(out->source, i)))) return false;
  return true;
}

static void names_end(names *s) {
  PyMem_Free(s->item);
  Py_XDECREF(s->source);
}

/* (mass, [(Hz, kind, share)], [interface]) */
static PyObject *described(const hk_flexible *b) {
  PyObject *modes = PyList_New(0), *faces = PyList_New(0);
  bool good = modes && faces;
  for (int32_t i = 0; good && i < hk_flexible_modes(b); i++) {
    hk_flexible_mode m = {.size = sizeof m};
    (void)hk_flexible_mode_get(b, i, &m);
    PyObject *one = Py_BuildValue("(dsd)", m.frequency, m.kind, m.share);
    good = one && PyList_Append(modes, one) == 0;
    Py_XDECREF(one);
  }
  const char *name;
  for (int32_t i = 0; good && (name = hk_flexible_interface(b, i)) != NULL; i++) {
    PyObject *one = core_text(name);
    good = one && PyList_Append(faces, one) == 0;
    Py_XDECREF(one);
  }
  if (good) return Py_BuildValue("(dNN)", hk_flexible_mass(b), modes, faces);
  Py_XDECREF(modes);
  Py_XDECREF(faces);
  return NULL;
}

/* writes the body where there is a path, describes it, and ends it with its context */
static PyObject *finish(core_state *st, hk_ctx *ctx, hk_status status, hk_flexible *b,
                        const char *path) {
  if (status == HK_OK && path) status = hk_flexible_save(b, path);
  PyObject *out = status == HK_OK ? described(b) : core_raise(st, ctx, status);
  hk_flexible_free(b);
  hk_ctx_destroy(ctx);
  return out;
}

/* flexible(path): of a file */
PyObject *core_flexible(PyObject *self, PyObject *args) {
  const char *path;
  hk_flexible *b = NULL;
  if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return PyErr_NoMemory();
  const hk_status status = hk_flexible_open(ctx, path, &b);
  return finish(core_state_of(self), ctx, status, b, NULL);
}

/* reduce_file(file, stiffness, mass, material, unit, interfaces, modes, path) */
PyObject *core_reduce_file(PyObject *self, PyObject *args) {
  const char *deck, *path;
  PyObject *faces, *out = NULL;
  hk_reduce_options opt = hk_reduce_options_def();
  names n;
  int modes;
  if (!PyArg_ParseTuple(args, "szzzzOiz", &deck, &opt.stiffness, &opt.mass, &opt.material,
                        &opt.unit, &faces, &modes, &path))
    return NULL;
  if (names_get(faces, &n)) {
    hk_flexible *b = NULL;
    hk_ctx *ctx = hk_ctx_create();
    opt.interfaces = n.item, opt.ninterfaces = n.n, opt.modes = modes;
    if (ctx) {
      hk_status status;
      Py_BEGIN_ALLOW_THREADS status = hk_reduce(ctx, deck, &opt, &b);
      Py_END_ALLOW_THREADS out = finish(core_state_of(self), ctx, status, b, path);
    } else {
      PyErr_NoMemory();
    }
  }
  names_end(&n);
  return out;
}

/* --- matrices --------------------------------------------------------------------------------- */

enum { PLACES, NODE, DIRECTION, KI, KJ, K, MI, MJ, M, TRIANGLES, ARRAYS };

/* sets of nodes: a tuple of (name, array) */
typedef struct sets {
  hk_fe_nodes *item;
  Py_buffer *view;
  int32_t n, views;
} sets;

static bool sets_get(PyObject *tuple, sets *out) {
  *out = (sets){.n = (int32_t)PyTuple_Size(tuple)};
  out->item = PyMem_Calloc((size_t)out->n + 1, sizeof *out->item);
  out->view = PyMem_Calloc((size_t)out->n + 1, sizeof *out->view);
  if (!out->item || !out->view) {
    PyErr_NoMemory();
    return false;
  }
  for (int32_t i = 0; i < out->n; i++) {
    PyObject *array;
    if (!PyArg_ParseTuple(PyTuple_GetItem(tuple, i), "sO", &out->item[i].name, &array) ||
        !core_buffer(array, &out->view[i], 'i', -1, false))
      return false;
    out->views++;
    out->item[i].node = out->view[i].buf;
    out->item[i].n = (int32_t)core_items(&out->view[i]);
  }
  return true;
}

static void sets_end(sets *s) {
  for (int32_t i = 0; i < s->views; i++) PyBuffer_Release(&s->view[i]);
  PyMem_Free(s->item);
  PyMem_Free(s->view);
}

static hk_fe_model model_of(const Py_buffer *v, const sets *s) {
  return (hk_fe_model){.size = sizeof(hk_fe_model),
                       .nodes = (int32_t)(core_items(&v[PLACES]) / 3),
                       .places = v[PLACES].buf,
                       .unknowns = (int32_t)core_items(&v[NODE]),
                       .node = v[NODE].buf,
                       .direction = v[DIRECTION].buf,
                       .stiffness_entries = core_items(&v[K]),
                       .stiffness_i = v[KI].buf,
                       .stiffness_j = v[KJ].buf,
                       .stiffness = v[K].buf,
                       .mass_entries = core_items(&v[M]),
                       .mass_i = v[MI].buf,
                       .mass_j = v[MJ].buf,
                       .mass = v[M].buf,
                       .sets = s->item,
                       .nsets = s->n,
                       .triangles = v[TRIANGLES].buf,
                       .ntriangles = (int32_t)(core_items(&v[TRIANGLES]) / 3)};
}

/* reduce_matrices(arrays, sets, interfaces, modes, path); arrays: a tuple in the order above */
PyObject *core_reduce_matrices(PyObject *self, PyObject *args) {
  static const char letters[ARRAYS + 1] = "diiiidiidi";
  PyObject *arrays, *tuple, *faces, *out = NULL;
  const char *path;
  int modes, views = 0;
  Py_buffer view[ARRAYS] = {{0}};
  names n = {0};
  sets s = {0};
  if (!PyArg_ParseTuple(args, "O!O!Oiz", &PyTuple_Type, &arrays, &PyTuple_Type, &tuple, &faces,
                        &modes, &path))
    return NULL;
  if (PyTuple_Size(arrays) != ARRAYS)
    return PyErr_Format(PyExc_TypeError, "expected %d arrays", (int)ARRAYS);
  bool good = true;
  for (int i = 0; good && i < ARRAYS; i++, views += good) {
    // rows, columns and values go together
    const Py_ssize_t items = i == DIRECTION      ? core_items(&view[NODE])
                             : i == KJ || i == K ? core_items(&view[KI])
                             : i == MJ || i == M ? core_items(&view[MI])
                                                 : -1;
    good = core_buffer(PyTuple_GetItem(arrays, i), &view[i], letters[i], items, false);
  }
  if (good && sets_get(tuple, &s) && names_get(faces, &n)) {
    hk_flexible *b = NULL;
    hk_reduce_options opt = hk_reduce_options_def();
    const hk_fe_model fe = model_of(view, &s);
    hk_ctx *ctx = hk_ctx_create();
    opt.interfaces = n.item, opt.ninterfaces = n.n, opt.modes = modes;
    if (ctx) {
      hk_status status;
      Py_BEGIN_ALLOW_THREADS status = hk_reduce_matrices(ctx, &fe, &opt, &b);
      Py_END_ALLOW_THREADS out = finish(core_state_of(self), ctx, status, b, path);
    } else {
      PyErr_NoMemory();
    }
  }
  for (int i = 0; i < views; i++) PyBuffer_Release(&view[i]);
  names_end(&n);
  sets_end(&s);
  return out;
}
