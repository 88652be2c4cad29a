/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c: hooke._core.Batch, many worlds of one model (hooke/batch.h). Arrays are Python's; their sizes are checked here.
 */
#include "core.h"

static core_batch *batch_of(PyObject *self, core_state **st) {
  core_batch *b = (core_batch *)self;
  *st = core_state_of(self);
  if (!b->batch) core_misuse(*st, "the batch was never made");
  return b->batch ? b : NULL;
}

static hk_batch_about about_of(const core_batch *b) {
  hk_batch_about a = {.size = sizeof a};
  (void)hk_batch_info(b->batch, &a);
  return a;
}

/* a list of texts; NULL: none is given. False with an error. */
static bool texts(PyObject *list, const char ***out, int32_t *n) {
  *out = NULL, *n = 0;
  if (list == Py_None) return true;
  const Py_ssize_t count = PyTuple_Size(list);
  if (count < 0) return false;
  *out = PyMem_Calloc((size_t)count + 1, sizeof **out);
  if (!*out) return PyErr_NoMemory(), false;
  for (Py_ssize_t i = 0; i < count; i++)
    if (!((*out)[i] = core_utf8(PyTuple_GetItem(list, i)))) return false;
  *n = (int32_t)count;
  return true;
}

static bool make(core_state *st, core_batch *b, hk_batch_options *opt) {
  hk_status status;
  bool raised;
  do {
    Py_BEGIN_ALLOW_THREADS const bool watched = core_watch(b->ctx) != NULL;
    status = hk_batch_create(b->ctx, ((core_model *)b->model)->model, opt, &b->batch);
    if (watched) core_unwatch(b->ctx);
    Py_END_ALLOW_THREADS raised = core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  return !raised && core_good(st, b->ctx, status);
}

/* Batch(model, options, worlds, threads, way, width, outputs, parameters, card, single, warps) */
static int batch_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_batch *b = (core_batch *)self;
  core_state *st = core_state_of(self);
  PyObject *model, *tuple, *outputs, *parameters;
  hk_batch_options opt = hk_batch_options_def();
  if (!PyArg_ParseTuple(args, "O!O!iiiiOOiii", st->model_type, &model, &PyTuple_Type, &tuple,
                        &opt.worlds, &opt.threads, &opt.way, &opt.width, &outputs, &parameters,
                        &opt.card, &opt.single, &opt.warps))
    return -1;
  if (b->ctx || !((core_model *)model)->model) {
    core_misuse(st, b->ctx ? "a batch is made once" : "the model was never made");
    return -1;
  }
  core_options options;
  const char **names = NULL, **kept = NULL;
  bool good = core_options_get(tuple, &options);
  if (!good) return -1;
  b->ctx = hk_ctx_create();
  b->model = Py_NewRef(model);
  if (!b->ctx) PyErr_NoMemory(), good = false;
  good =
      good && texts(outputs, &names, &opt.noutputs) && texts(parameters, &kept, &opt.nparameters);
  opt.sim = &options.opt, opt.outputs = names, opt.parameters = kept;
  good = good && core_modules(st, b->ctx, ((core_model *)model)->modules, false);
  good = good && make(st, b, &opt);
  PyMem_Free(names);
  PyMem_Free(kept);
  core_options_end(&options);
  return good ? 0 : -1;
}

static void batch_dealloc(PyObject *self) {
  core_batch *b = (core_batch *)self;
  hk_batch_destroy(b->batch);
  hk_ctx_destroy(b->ctx);
  Py_CLEAR(b->model);
  core_free_object(self);
}

static PyObject *batch_about(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_batch *b = batch_of(self, &st);
  if (!b) return NULL;
  const hk_batch_about a = about_of(b);
  return Py_BuildValue("{s:i,s:s,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:s,s:s}", "worlds", a.worlds, "way",
                       a.way == HK_BATCH_CARD    ? "card"
                       : a.way == HK_BATCH_LANES ? "lanes"
                                                 : "library",
                       "width", a.width, "threads", a.threads, "states", a.states, "coordinates",
                       a.coordinates, "velocities", a.velocities, "step", a.step, "seconds",
                       a.seconds, "why", a.why, "compiler", a.compiler);
}

static PyObject *batch_names(PyObject *self, PyObject *what) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  const long kind = b ? PyLong_AsLong(what) : -1;
  PyObject *list = b && !PyErr_Occurred() ? PyList_New(0) : NULL;
  const char *s;
  for (int32_t i = 0; list && (s = hk_batch_name(b->batch, (int32_t)kind, i)); i++) {
    PyObject *one = core_text(s);
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* numbers of one world */
static Py_ssize_t size_of(const core_batch *b, int what) {
  const hk_batch_about a = about_of(b);
  const Py_ssize_t all[] = {
      a.states, a.coordinates + a.velocities, a.inputs, a.parameters, a.outputs, 1};
  return what >= 0 && what < 6 ? all[what] : 0;
}

/* chosen worlds: None for all, or an array of int32 */
static bool worlds_get(const core_batch *b, PyObject *list, Py_buffer *view, int32_t *n) {
  *n = about_of(b).worlds;
  if (list == Py_None) return true;
  if (!core_buffer(list, view, 'i', -1, false)) return false;
  *n = (int32_t)core_items(view);
  return true;
}

/* use(what, worlds, array, kind): 0 get, 1 set, 2 set all alike */
static PyObject *batch_use(PyObject *self, PyObject *args) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  PyObject *list, *array, *out = NULL;
  Py_buffer worlds = {0}, x = {0};
  int what, kind;
  int32_t n;
  hk_status status;
  if (!b || !PyArg_ParseTuple(args, "iOOi", &what, &list, &array, &kind)) return NULL;
  if (worlds_get(b, list, &worlds, &n) &&
      core_buffer(array, &x, 'd', size_of(b, what) * (kind == 2 ? 1 : n), kind == 0) &&
      core_enter(st, &b->busy)) {
    Py_BEGIN_ALLOW_THREADS status =
        kind ? hk_batch_set(b->batch, what, n, worlds.buf, x.buf, kind == 2)
             : hk_batch_get(b->batch, what, n, worlds.buf, x.buf);
    Py_END_ALLOW_THREADS if (core_good(st, b->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&b->busy);
  }
  PyBuffer_Release(&worlds);
  PyBuffer_Release(&x);
  return out;
}

static PyObject *batch_reset(PyObject *self, PyObject *list) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  Py_buffer worlds = {0};
  int32_t n;
  PyObject *out = NULL;
  if (!b) return NULL;
  if (worlds_get(b, list, &worlds, &n) && core_enter(st, &b->busy)) {
    if (core_good(st, b->ctx, hk_batch_reset(b->batch, n, worlds.buf))) out = Py_NewRef(Py_None);
    core_leave(&b->busy);
  }
  PyBuffer_Release(&worlds);
  return out;
}

/* put(worlds, bytes) */
static PyObject *batch_put(PyObject *self, PyObject *args) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  PyObject *list, *bytes, *out = NULL;
  Py_buffer worlds = {0}, blob = {0};
  int32_t n;
  if (!b || !PyArg_ParseTuple(args, "OO", &list, &bytes)) return NULL;
  if (worlds_get(b, list, &worlds, &n) && core_buffer(bytes, &blob, 'b', -1, false) &&
      core_enter(st, &b->busy)) {
    const hk_status status = hk_batch_put(b->batch, n, worlds.buf, blob.buf, (size_t)blob.len);
    if (core_good(st, b->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&b->busy);
  }
  PyBuffer_Release(&worlds);
  PyBuffer_Release(&blob);
  return out;
}

/* roll(steps, every, inputs, same, out): inputs and out may be None */
static PyObject *batch_roll(PyObject *self, PyObject *args) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  PyObject *inputs, *array, *out = NULL;
  Py_buffer u = {0}, y = {0};
  long long steps, every;
  int same;
  hk_status status;
  if (!b || !PyArg_ParseTuple(args, "LLOiO", &steps, &every, &inputs, &same, &array)) return NULL;
  if (steps < 0 || every < 1)
    return PyErr_SetString(PyExc_ValueError, "expected a number of steps, and every how many"),
           NULL;
  const hk_batch_about a = about_of(b);
  const Py_ssize_t worlds = a.worlds, nu = (Py_ssize_t)steps * a.inputs * (same ? 1 : worlds),
                   ny = worlds * (Py_ssize_t)(steps / every + 1) * a.outputs;
  if ((inputs == Py_None || core_buffer(inputs, &u, 'd', nu, false)) &&
      (array == Py_None || core_buffer(array, &y, 'd', ny, true)) && core_enter(st, &b->busy)) {
    Py_BEGIN_ALLOW_THREADS const bool watched = core_watch(b->ctx) != NULL;
    status = hk_batch_rollout(b->batch, steps, every, u.buf, same, y.buf);
    if (watched) core_unwatch(b->ctx);
    Py_END_ALLOW_THREADS if (!core_interrupted(status) && core_good(st, b->ctx, status)) out =
        Py_NewRef(Py_None);
    core_leave(&b->busy);
  }
  PyBuffer_Release(&u);
  PyBuffer_Release(&y);
  return out;
}

/* look(status, iterations): arrays of int32 and float64, one number a world */
static PyObject *batch_look(PyObject *self, PyObject *args) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  PyObject *to, *turns, *out = NULL;
  Py_buffer s = {0}, t = {0};
  if (!b || !PyArg_ParseTuple(args, "OO", &to, &turns)) return NULL;
  const int32_t n = about_of(b).worlds;
  if (core_buffer(to, &s, 'i', n, true) && core_buffer(turns, &t, 'd', n, true)) {
    for (int32_t i = 0; i < n; i++) {
      ((int32_t *)s.buf)[i] = hk_batch_status(b->batch)[i];
      ((double *)t.buf)[i] = (double)hk_batch_iterations(b->batch, i);
    }
    out = Py_NewRef(Py_None);
  }
  PyBuffer_Release(&s);
  PyBuffer_Release(&t);
  return out;
}

static PyObject *batch_tensor(PyObject *self, PyObject *what) {
  core_state *st;
  core_batch *b = batch_of(self, &st);
  const long kind = b ? PyLong_AsLong(what) : -1;
  struct DLManagedTensorVersioned *tensor = NULL;
  hk_status status;
  if (!b || PyErr_Occurred() || !core_enter(st, &b->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hk_batch_tensor(b->batch, (int32_t)kind, &tensor);
  Py_END_ALLOW_THREADS const bool good = core_good(st, b->ctx, status);
  core_leave(&b->busy);
  return good ? core_tensor_of(st, tensor) : NULL;
}

static PyMethodDef batch_methods[] = {
    {"_about", batch_about, METH_NOARGS, "How it is carried out."},
    {"_names", batch_names, METH_O, "Names of inputs, outputs, parameters or coordinates."},
    {"_use", batch_use, METH_VARARGS, "_use(what, worlds, array, kind)"},
    {"_reset", batch_reset, METH_O, "_reset(worlds)"},
    {"_put", batch_put, METH_VARARGS, "_put(worlds, state)"},
    {"_roll", batch_roll, METH_VARARGS, "_roll(steps, every, inputs, same, out)"},
    {"_look", batch_look, METH_VARARGS, "_look(status, iterations)"},
    {"_tensor", batch_tensor, METH_O, "_tensor(what)"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot batch_slots[] = {{Py_tp_init, batch_init},
                                    {Py_tp_dealloc, batch_dealloc},
                                    {Py_tp_methods, batch_methods},
                                    {Py_tp_doc, "Many worlds of one model."},
                                    {0, NULL}};

PyType_Spec core_batch_spec = {.name = "hooke._core.Batch",
                               .basicsize = sizeof(core_batch),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               .slots = batch_slots};
