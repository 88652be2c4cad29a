/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c: the module hooke._core itself: its exception, messages, arguments that all types take.
 */
#include "core.h"

#include <stdio.h>
#include <string.h>

/* one for the process: subclasses written in Python do not lead to their module's state in Python 3.11 */
static core_state state;

core_state *core_state_of(PyObject *self) {
  (void)self;
  return &state;
}

const char *core_utf8(PyObject *text) {
  Py_ssize_t len = 0;
  const char *s = PyUnicode_AsUTF8AndSize(text, &len);
  if (!s || strlen(s) == (size_t)len) return s;
  PyErr_SetString(PyExc_ValueError, "a text must not hold a null character");
  return NULL;
}

PyObject *core_text(const char *s) {
  if (!s) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(s, (Py_ssize_t)strlen(s), "replace");
}

void core_free_object(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  freefunc give_back = (freefunc)PyType_GetSlot(type, Py_tp_free);
  give_back(self);
  Py_DECREF(type);
}

/* --- messages --------------------------------------------------------------------------------- */

static PyStructSequence_Field message_fields[] = {
    {"severity", "'note', 'warning' or 'error'"},
    {"file", "the file it is about; None: none"},
    {"line", "from 1; 0: not known"},
    {"column", "from 1; 0: not known"},
    {"text", "what was found and what was expected"},
    {"hint", "what to do about it; None: nothing to say"},
    {NULL, NULL}};
static PyStructSequence_Desc message_desc = {
    "hooke.Message", "What Hooke says about a model or a run.", message_fields, 6};

static PyObject *one_message(core_state *st, const hk_message *m) {
  static const char *const severities[] = {"note", "warning", "error"};
  PyObject *o = PyStructSequence_New(st->message);
  if (!o) return NULL;
  PyObject *values[6] = {
      core_text(severities[m->severity]), core_text(m->file), PyLong_FromLong(m->line),
      PyLong_FromLong(m->column),         core_text(m->text), core_text(m->hint)};
  bool whole = true;
  for (int i = 0; i < 6; i++) {
    whole = whole && values[i];
    PyStructSequence_SetItem(o, i, values[i]);
  }
  if (whole) return o;
  Py_DECREF(o);
  return NULL;
}

PyObject *core_messages(core_state *st, hk_ctx *ctx) {
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; list && i < hk_ctx_message_count(ctx); i++) {
    PyObject *m = one_message(st, hk_ctx_message(ctx, i));
    if (!m || PyList_Append(list, m) != 0) Py_CLEAR(list);
    Py_XDECREF(m);
  }
  return list;
}

/* "model.yaml:3:7: what was found (what to do)", the errors among the messages, one a line */
static PyObject *words(PyObject *messages, hk_status status) {
  PyObject *lines = PyList_New(0), *text = NULL;
  for (Py_ssize_t i = 0; lines && i < PyList_Size(messages); i++) {
    PyObject *m = PyList_GetItem(messages, i), *line = NULL;
    if (PyUnicode_CompareWithASCIIString(PyStructSequence_GetItem(m, 0), "error") != 0) continue;
    PyObject *file = PyStructSequence_GetItem(m, 1), *at = PyStructSequence_GetItem(m, 2),
             *column = PyStructSequence_GetItem(m, 3), *said = PyStructSequence_GetItem(m, 4),
             *hint = PyStructSequence_GetItem(m, 5);
    if (file == Py_None)
      line = PyUnicode_FromFormat("%U", said);
    else if (PyLong_AsLong(at) == 0)
      line = PyUnicode_FromFormat("%U: %U", file, said);
    else
      line = PyUnicode_FromFormat("%U:%S:%S: %U", file, at, column, said);
    if (line && hint != Py_None) {
      PyObject *plain = line;
      line = PyUnicode_FromFormat("%U (%U)", plain, hint);
      Py_DECREF(plain);
    }
    if (!line || PyList_Append(lines, line) != 0) Py_CLEAR(lines);
    Py_XDECREF(line);
  }
  if (lines && PyList_Size(lines) == 0) {
    Py_DECREF(lines);
    return core_text(hk_status_text(status));
  }
  PyObject *end = lines ? PyUnicode_FromString("\n") : NULL;
  if (end) text = PyUnicode_Join(end, lines);
  Py_XDECREF(end);
  Py_XDECREF(lines);
  return text;
}

/* takes the messages over */
static PyObject *raise_with(core_state *st, PyObject *messages, hk_status status) {
  PyObject *text = messages ? words(messages, status) : NULL;
  PyObject *error = text ? PyObject_CallFunctionObjArgs(st->error, text, NULL) : NULL;
  PyObject *name = core_text(hk_status_name(status));
  if (error && name && PyObject_SetAttrString(error, "messages", messages) == 0 &&
      PyObject_SetAttrString(error, "status", name) == 0)
    PyErr_SetObject(st->error, error);
  Py_XDECREF(messages);
  Py_XDECREF(text);
  Py_XDECREF(error);
  Py_XDECREF(name);
  return NULL;
}

PyObject *core_raise(core_state *st, hk_ctx *ctx, hk_status status) {
  PyObject *messages = core_messages(st, ctx);
  hk_ctx_clear(ctx);
  return raise_with(st, messages, status);
}

bool core_good(core_state *st, hk_ctx *ctx, hk_status status) {
  if (core_take_raised())
    hk_ctx_clear(ctx);
  else if (status == HK_OK)
    return true;
  else
    core_raise(st, ctx, status);
  return false;
}

PyObject *core_misuse(core_state *st, const char *text) {
  return core_raise_text(st, HK_E_USAGE, text);
}

PyObject *core_raise_text(core_state *st, hk_status status, const char *text) {
  const hk_message m = {HK_ERROR, status, NULL, 0, 0, text, NULL};
  PyObject *one = one_message(st, &m), *list = PyList_New(0);
  if (!one || !list || PyList_Append(list, one) != 0) Py_CLEAR(list);
  Py_XDECREF(one);
  return raise_with(st, list, status);
}

bool core_enter(core_state *st, atomic_int *busy) {
  if (!st) return false;
  if (atomic_exchange(busy, 1) == 0) return true;
  core_misuse(st, "it is at work already, in another thread or in a function that it has called");
  return false;
}

/* --- arguments -------------------------------------------------------------------------------- */

bool core_pairs_get(PyObject *sequence, core_pairs *out) {
  *out = (core_pairs){.source = NULL};
  if (sequence == Py_None) return true;
  out->source = PySequence_Tuple(sequence);
  if (!out->source) return false;
  const Py_ssize_t n = PyTuple_Size(out->source);
  out->item = PyMem_Calloc((size_t)n + 1, sizeof *out->item);
  if (!out->item || n > INT32_MAX) return PyErr_NoMemory(), false;
  out->n = (int32_t)n;
  for (Py_ssize_t i = 0; i < n; i++)
    if (!PyArg_ParseTuple(PyTuple_GetItem(out->source, i), "ss", &out->item[i][0],
                          &out->item[i][1]))
      return false;
  return true;
}

void core_pairs_end(core_pairs *p) {
  PyMem_Free(p->item);
  Py_CLEAR(p->source);
  p->item = NULL;
}

Py_ssize_t core_items(const Py_buffer *view) { return view->len / view->itemsize; }

bool core_buffer(PyObject *o, Py_buffer *view, char letter, Py_ssize_t items, bool writable) {
  if (PyObject_GetBuffer(o, view,
                         PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)))
    return false;
  const char *format = view->format ? view->format : "B";
  if (*format == '@' || *format == '=' || *format == '<') format++;
  // a long is an int of 64 bits on some systems: what counts is the size
  const size_t size = letter == 'd' ? sizeof(double) : letter == 'i' ? sizeof(int32_t) : 1;
  const bool kind = letter == 'd'   ? *format == 'd'
                    : letter == 'i' ? strchr("il", *format) != NULL
                                    : true;
  if (letter != 'b' && (!kind || format[1] || (size_t)view->itemsize != size)) {
    PyErr_Format(PyExc_TypeError, "expected an array of %s, found numbers of format '%s'",
                 letter == 'd' ? "float64" : "int32", view->format ? view->format : "B");
  } else if (items >= 0 && core_items(view) != items) {
    PyErr_Format(PyExc_ValueError, "expected %zd numbers, found %zd", items, core_items(view));
  } else {
    return true;
  }
  PyBuffer_Release(view);
  return false;
}

bool core_options_get(PyObject *tuple, core_options *out) {
  PyObject *pairs;
  int substeps, start = 0;
  *out = (core_options){.opt = hk_sim_options_def()};
  hk_sim_options *o = &out->opt;
  if (!PyArg_ParseTuple(tuple, "zzddiddO|i", &o->formulation, &o->integrator, &o->step, &o->time,
                        &substeps, &o->tolerance, &o->memory, &pairs, &start) ||
      !core_pairs_get(pairs, &out->pairs)) {
    core_options_end(out);
    return false;
  }
  o->substeps = substeps;
  // 1 and 2: an equilibrium, 3: kinematics alone
  o->equilibrium = start == 3 ? 0 : start;
  o->kinematics = start == 3;
  out->list = PyMem_Calloc((size_t)out->pairs.n + 1, sizeof *out->list);
  if (!out->list) {
    core_options_end(out);
    PyErr_NoMemory();
    return false;
  }
  for (int32_t i = 0; i < out->pairs.n; i++)
    out->list[i] = (hk_option){out->pairs.item[i][0], out->pairs.item[i][1]};
  o->options = out->list;
  o->noptions = out->pairs.n;
  return true;
}

void core_options_end(core_options *o) {
  core_pairs_end(&o->pairs);
  PyMem_Free(o->list);
  o->list = NULL;
}

/* --- the module ------------------------------------------------------------------------------- */

static PyObject *features(PyObject *self, PyObject *nothing) {
  (void)self, (void)nothing;
  PyObject *dict = PyDict_New();
  for (int32_t i = 0; dict && i < hk_feature_count(); i++) {
    PyObject *on = PyBool_FromLong(hk_feature_on(i));
    if (PyDict_SetItemString(dict, hk_feature_name(i), on) != 0) Py_CLEAR(dict);
    Py_DECREF(on);
  }
  return dict;
}

static PyObject *nearest(PyObject *self, PyObject *args) {
  (void)self;
  const char *word, *best = NULL;
  PyObject *list;
  if (!PyArg_ParseTuple(args, "sO!", &word, &PyList_Type, &list)) return NULL;
  for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
    const char *candidate = core_utf8(PyList_GetItem(list, i));
    if (!candidate) return NULL;
    best = hk_nearer(word, best, candidate);
  }
  return core_text(best);
}

/* yaml(dict): the text of a model file that says the same */
static PyObject *yaml(PyObject *self, PyObject *dict) {
  core_state *st = core_state_of(self);
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return PyErr_NoMemory();
  hk_node *tree = core_tree(ctx, dict);
  const char *text = tree ? hk_node_yaml(tree) : NULL;
  PyObject *out = text               ? core_text(text)
                  : PyErr_Occurred() ? NULL
                                     : core_raise(st, ctx, HK_E_USAGE);
  hk_node_destroy(tree);
  hk_ctx_destroy(ctx);
  return out;
}

static PyMethodDef functions[] = {
    {"yaml", yaml, METH_O, "A dictionary as the text of a model file."},
    {"features", features, METH_NOARGS, "The optional libraries, and which of them are built in."},
    {"nearest", nearest, METH_VARARGS,
     "The word of a list that was probably meant; None: none is near."},
    {"flexible", core_flexible, METH_VARARGS, "What a file of a body with modes holds."},
    {"reduce_file", core_reduce_file, METH_VARARGS, "A body with modes from the files of a model."},
    {"reduce_matrices", core_reduce_matrices, METH_VARARGS, "A body with modes from matrices."},
    {NULL, NULL, 0, NULL}};

static const char error_doc[] =
    "What went wrong, in Hooke's words. `messages` is the list of Message (severity, file, line, "
    "column,\n"
    "text, hint), `status` the name of the status, such as 'HK_E_MODEL'.";

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **keep) {
  PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (!type) return -1;
  const int failed = PyModule_AddType(module, (PyTypeObject *)type);
  if (keep && !failed) {
    *keep = (PyTypeObject *)type;
  } else {
    Py_DECREF(type);
  }
  return failed;
}

static int fill(PyObject *module) {
  core_state *st = &state;
  if (st->error) {
    PyErr_SetString(PyExc_ImportError, "hooke works in one interpreter of a process");
    return -1;
  }
  PyObject *fields = Py_BuildValue("{s:[],s:s}", "messages", "status", "HK_E_USAGE");
  if (!fields) return -1;
  st->error = PyErr_NewExceptionWithDoc("hooke.HookeError", error_doc, PyExc_RuntimeError, fields);
  Py_DECREF(fields);
  st->message = PyStructSequence_NewType(&message_desc);
  if (!st->error || !st->message) return -1;
  if (PyModule_AddObjectRef(module, "HookeError", st->error) != 0 ||
      PyModule_AddObjectRef(module, "Message", (PyObject *)st->message) != 0 ||
      PyModule_AddStringConstant(module, "version", hk_version()) != 0)
    return -1;
  return add_type(module, &core_model_spec, &st->model_type) ||
         add_type(module, &core_sim_spec, &st->sim_type) ||
         add_type(module, &core_type_spec, &st->type_type) ||
         add_type(module, &core_eval_spec, NULL) || add_type(module, &core_batch_spec, NULL) ||
         add_type(module, &core_tensor_spec, &st->tensor_type) ||
         add_type(module, &core_result_spec, NULL);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef core_module = {.m_base = PyModuleDef_HEAD_INIT,
                                         .m_name = "hooke._core",
                                         .m_doc = "Models, simulations and results of libhooke.",
                                         .m_methods = functions,
                                         .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&core_module); }
