/* SPDX-License-Identifier: Apache-2.0
 *
 * analyses.c: what hooke._core.Model and hooke._core.Sim find beside motions: linear equations and modes, equilibria,
 * working ranges, forces of actuators, parameters by data. Arrays go to Python as bytes of doubles.
 */
#include "analyses.h"

#include <math.h>
#include <stdlib.h>

/* --- work ------------------------------------------------------------------------------------- */

/* a call of the library without the interpreter's lock, which Ctrl-C ends; false with an error */
static bool work(core_state *st, hk_ctx *ctx, hk_status (*call)(void *job), void *job) {
  hk_status status;
  bool raised = false;
  do {
    Py_BEGIN_ALLOW_THREADS const bool watched = core_watch(ctx) != NULL;
    status = call(job);
    if (watched) core_unwatch(ctx);
    Py_END_ALLOW_THREADS raised = core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  return !raised && core_good(st, ctx, status);
}

static PyObject *doubles(const double *x, size_t n) {
  return PyBytes_FromStringAndSize((const char *)x, (Py_ssize_t)(n * sizeof *x));
}

/* a tuple of texts as a list of the library; NULL with an error. The texts live as long as the tuple. */
static const char **texts(PyObject *tuple, int32_t *n) {
  *n = (int32_t)PyTuple_Size(tuple);
  const char **list = PyMem_Calloc((size_t)*n + 1, sizeof *list);
  if (!list) PyErr_NoMemory();
  for (int32_t i = 0; list && i < *n; i++)
    if (!(list[i] = core_utf8(PyTuple_GetItem(tuple, i)))) {
      PyMem_Free((void *)list);
      return NULL;
    }
  return list;
}

/* appends a new reference; false with an error */
static bool append(PyObject *list, PyObject *item) {
  const bool ok = list && item && PyList_Append(list, item) == 0;
  Py_XDECREF(item);
  return ok;
}

/* --- linear equations ------------------------------------------------------------------------- */

static const char capsule_name[] = "hooke.statespace";

/* the equations stand on the context of the simulation, which the capsule holds */
static void end_capsule(PyObject *capsule) {
  PyObject *sim = PyCapsule_GetContext(capsule);
  hk_statespace_destroy(PyCapsule_GetPointer(capsule, capsule_name));
  Py_XDECREF(sim);
}

typedef struct linear {
  hk_sim *sim;
  hk_statespace_options opt;
  hk_statespace *l;
  int32_t nmodes;
} linear;

static hk_status find_linear(void *job) {
  linear *x = job;
  hk_status st = hk_statespace_create(x->sim, &x->opt, &x->l);
  return st == HK_OK ? hk_statespace_find_modes(x->l, &x->nmodes) : st;
}

/* None where the equations have no matrices */
static PyObject *matrix_of(hk_ctx *ctx, const hk_statespace *l, char which, int32_t rows,
                           int32_t cols) {
  const bool none = hk_statespace_sparse(l);
  double *M = none ? NULL : PyMem_Calloc((size_t)rows * (size_t)cols + 1, sizeof *M);
  if (none) return Py_NewRef(Py_None);
  if (!M) return PyErr_NoMemory();
  const bool ok = hk_statespace_matrix(l, which, M, cols) == HK_OK;
  if (!ok) hk_ctx_clear(ctx);
  PyObject *out = ok ? doubles(M, (size_t)rows * (size_t)cols) : Py_NewRef(Py_None);
  PyMem_Free(M);
  return out;
}

static PyObject *variables_of(const hk_statespace *l, char which, int32_t n) {
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; i < n; i++) {
    hk_statespace_quantity q = {.size = sizeof q};
    (void)hk_statespace_variable(l, which, i, &q);
    if (!append(out, Py_BuildValue("NNd", core_text(q.name), core_text(q.unit), q.value))) {
      Py_CLEAR(out);
      return NULL;
    }
  }
  return out;
}

static PyObject *modes_of(const hk_statespace *l, int32_t n) {
  const size_t size = (size_t)hk_statespace_states(l);
  double *x = PyMem_Calloc(2 * size + 1, sizeof *x);
  PyObject *out = x ? PyList_New(0) : PyErr_NoMemory();
  for (int32_t i = 0; out && i < n; i++) {
    hk_mode m = {.size = sizeof m};
    if (hk_statespace_mode(l, i, &m) != HK_OK || hk_statespace_shape(l, i, x, x + size) != HK_OK)
      continue;
    if (!append(out,
                Py_BuildValue("ddNNdddN", m.real, m.imag, core_text(m.name), core_text(m.body),
                              m.share, m.multiplier_real, m.multiplier_imag, doubles(x, 2 * size))))
      Py_CLEAR(out);
  }
  PyMem_Free(x);
  return out;
}

static PyObject *describe(PyObject *self, linear *x) {
  const hk_statespace *l = x->l;
  const int32_t n = hk_statespace_states(l), nu = hk_statespace_inputs(l),
                ny = hk_statespace_outputs(l);
  hk_ctx *ctx = ((core_sim *)self)->ctx;
  PyObject *capsule = PyCapsule_New(x->l, capsule_name, end_capsule);
  if (!capsule) {
    hk_statespace_destroy(x->l);
    return NULL;
  }
  PyCapsule_SetContext(capsule, Py_NewRef(self));
  return Py_BuildValue("N(NNNN)(NNN)Nidd", capsule, matrix_of(ctx, l, 'A', n, n),
                       matrix_of(ctx, l, 'B', n, nu), matrix_of(ctx, l, 'C', ny, n),
                       matrix_of(ctx, l, 'D', ny, nu), variables_of(l, 'x', n),
                       variables_of(l, 'u', nu), variables_of(l, 'y', ny), modes_of(l, x->nmodes),
                       (int)hk_statespace_velocities(l), hk_statespace_acceleration(l, NULL),
                       hk_statespace_roughness(l, NULL));
}

PyObject *core_sim_linear(PyObject *self, PyObject *args) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  linear x = {.opt = hk_statespace_options_def()};
  PyObject *outputs, *inputs, *out = NULL;
  if (!s ||
      !PyArg_ParseTuple(args, "O!O!dz", &PyTuple_Type, &outputs, &PyTuple_Type, &inputs,
                        &x.opt.period, &x.opt.frame) ||
      !core_enter(st, &s->busy))
    return NULL;
  x.sim = s->sim;
  const char **y = texts(outputs, &x.opt.noutputs), **u = y ? texts(inputs, &x.opt.ninputs) : NULL;
  x.opt.outputs = y, x.opt.inputs = u;
  if (u && work(st, s->ctx, find_linear, &x))
    out = describe(self, &x);
  else
    hk_statespace_destroy(x.l);
  PyMem_Free((void *)y);
  PyMem_Free((void *)u);
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_frequency(PyObject *self, PyObject *args) {
  core_state *st = core_state_of(self);
  PyObject *capsule, *at, *real, *imag, *out = NULL;
  Py_buffer hz, re, im;
  if (!st || !PyArg_ParseTuple(args, "OOOO", &capsule, &at, &real, &imag)) return NULL;
  hk_statespace *l = PyCapsule_GetPointer(capsule, capsule_name);
  if (!l || !core_buffer(at, &hz, 'd', -1, false)) return NULL;
  const Py_ssize_t n = core_items(&hz),
                   all = n * hk_statespace_inputs(l) * hk_statespace_outputs(l);
  if (core_buffer(real, &re, 'd', all, true)) {
    if (core_buffer(imag, &im, 'd', all, true)) {
      const hk_status status = hk_statespace_frequency(l, (int32_t)n, hz.buf, re.buf, im.buf);
      if (core_good(st, ((core_sim *)self)->ctx, status)) out = Py_NewRef(Py_None);
      PyBuffer_Release(&im);
    }
    PyBuffer_Release(&re);
  }
  PyBuffer_Release(&hz);
  return out;
}

PyObject *core_sim_steps(PyObject *self, PyObject *args) {
  core_state *st = core_state_of(self);
  PyObject *capsule, *array, *out = NULL;
  Py_buffer y;
  int n;
  double step;
  if (!st || !PyArg_ParseTuple(args, "OidO", &capsule, &n, &step, &array)) return NULL;
  hk_statespace *l = PyCapsule_GetPointer(capsule, capsule_name);
  if (!l || !core_buffer(array, &y, 'd',
                         (Py_ssize_t)n * hk_statespace_inputs(l) * hk_statespace_outputs(l), true))
    return NULL;
  if (core_good(st, ((core_sim *)self)->ctx, hk_statespace_step(l, n, step, y.buf)))
    out = Py_NewRef(Py_None);
  PyBuffer_Release(&y);
  return out;
}

/* --- actuators -------------------------------------------------------------------------------- */

typedef struct acting {
  hk_sim *sim;
  hk_inverse_options opt;
  hk_inverse *a;
  double *table; /* rows x (1 + actuators) */
  size_t rows, cap;
} acting;

static hk_status take(acting *x) {
  const size_t width = 1 + (size_t)hk_inverse_count(x->a);
  if ((x->rows + 1) * width > x->cap) {
    const size_t cap = 2 * x->cap + 64 * width;
    double *table = realloc(x->table, cap * sizeof *table);
    if (!table) return HK_E_MEMORY;
    x->table = table, x->cap = cap;
  }
  double *row = x->table + x->rows * width;
  row[0] = hk_sim_time(x->sim);
  const hk_status st = hk_inverse_find(x->a, row + 1, NULL);
  if (st == HK_OK) x->rows++;
  return st;
}

static hk_status act(void *job) {
  acting *x = job;
  hk_status st = x->a ? HK_OK : hk_inverse_open(x->sim, &x->opt, &x->a);
  if (st == HK_OK && x->rows == 0) st = take(x);
  while (st == HK_OK && !hk_sim_done(x->sim)) {
    st = hk_sim_step(x->sim);
    if (st == HK_OK) st = take(x);
  }
  return st;
}

PyObject *core_sim_inverse(PyObject *self, PyObject *args) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  acting x = {.opt = hk_inverse_options_def()};
  PyObject *names, *out = NULL;
  if (!s || !PyArg_ParseTuple(args, "O!z", &PyTuple_Type, &names, &x.opt.minimise) ||
      !core_enter(st, &s->busy))
    return NULL;
  x.sim = s->sim;
  const char **list = texts(names, &x.opt.nactuators);
  hk_actuator *actuators = PyMem_Calloc((size_t)x.opt.nactuators + 1, sizeof *actuators);
  for (int32_t i = 0; list && actuators && i < x.opt.nactuators; i++)
    actuators[i] = (hk_actuator){list[i], NAN, NAN, NAN};
  x.opt.actuators = actuators;
  if (list && actuators && work(st, s->ctx, act, &x)) {
    PyObject *found = PyList_New(0);
    const int32_t n = hk_inverse_count(x.a);
    for (int32_t i = 0; i < n; i++) append(found, core_text(hk_inverse_name(x.a, i)));
    out = Py_BuildValue("NN", found, doubles(x.table, x.rows * (size_t)(n + 1)));
  }
  hk_inverse_destroy(x.a);
  free(x.table);
  PyMem_Free(actuators);
  PyMem_Free((void *)list);
  core_leave(&s->busy);
  return out;
}

/* --- equilibria ------------------------------------------------------------------------------- */

typedef struct still {
  hk_model *model;
  hk_statics_options opt;
  hk_statics *found;
} still;

static hk_status find_still(void *job) {
  still *x = job;
  hk_statics_free(x->found);
  x->found = NULL;
  return hk_statics_find(x->model, &x->opt, &x->found);
}

static PyObject *points_of(const hk_statics *r) {
  PyObject *points = PyList_New(0), *channels = PyList_New(0);
  int32_t n = 0;
  for (const char *name; (name = hk_statics_channel(r, n)); n++) append(channels, core_text(name));
  for (int32_t i = 0; i < hk_statics_count(r); i++) {
    hk_static_point p = {.size = sizeof p};
    (void)hk_statics_point(r, i, &p);
    append(points, Py_BuildValue("diiddN", p.load, (int)p.stable, (int)p.limit, p.residual,
                                 p.softest, doubles(hk_statics_values(r, i), (size_t)n)));
  }
  return Py_BuildValue("NNN", core_text(hk_statics_formulation(r)), channels, points);
}

PyObject *core_model_statics(PyObject *self, PyObject *args) {
  core_state *st = core_state_of(self);
  core_model *m = (core_model *)self;
  still x = {.model = m->model, .opt = hk_statics_options_def()};
  core_options options;
  PyObject *tuple, *out = NULL;
  int points, nearest;
  if (!st || !m->model ||
      !PyArg_ParseTuple(args, "O!zdipzz", &PyTuple_Type, &tuple, &x.opt.load, &x.opt.to, &points,
                        &nearest, &x.opt.output, &x.opt.report) ||
      !core_options_get(tuple, &options))
    return NULL;
  x.opt.points = points, x.opt.nearest = nearest;
  x.opt.formulation = options.opt.formulation;
  x.opt.options = options.opt.options, x.opt.noptions = options.opt.noptions;
  if (core_enter(st, &m->busy)) {
    if (work(st, m->ctx, find_still, &x)) out = points_of(x.found);
    hk_statics_free(x.found);
    core_leave(&m->busy);
  }
  core_options_end(&options);
  return out;
}

/* --- parameters by data ----------------------------------------------------------------------- */

typedef struct fitting {
  hk_ctx *ctx;
  const char *path;
  hk_fit_options opt;
  hk_fit *found;
} fitting;

static hk_status find_fit(void *job) {
  fitting *x = job;
  hk_fit_free(x->found);
  x->found = NULL;
  return hk_fit_find(x->ctx, x->path, &x->opt, &x->found);
}

static PyObject *fit_of(const hk_fit *f) {
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; i < hk_fit_count(f); i++) {
    hk_fitted p = {.size = sizeof p};
    (void)hk_fit_parameter_at(f, i, &p);
    append(list, Py_BuildValue("NddddiN", core_text(p.name), p.value, p.low, p.high, p.start,
                               (int)p.bound, core_text(p.note)));
  }
  return Py_BuildValue("Ndi", list, hk_fit_rms(f), (int)hk_fit_evaluations(f));
}

PyObject *core_model_fit(PyObject *self, PyObject *args) {
  core_state *st = core_state_of(self);
  core_model *m = (core_model *)self;
  fitting x = {.ctx = m->ctx, .opt = hk_fit_options_def()};
  core_options options;
  core_pairs sets;
  PyObject *tuple, *parameters, *pairs, *out = NULL;
  if (!st || !m->model ||
      !PyArg_ParseTuple(args, "sO!sO!O", &x.path, &PyTuple_Type, &tuple, &x.opt.data, &PyTuple_Type,
                        &parameters, &pairs) ||
      !core_options_get(tuple, &options))
    return NULL;
  x.opt.sim = &options.opt;
  x.opt.nparameters = (int32_t)PyTuple_Size(parameters);
  hk_fit_parameter *list = PyMem_Calloc((size_t)x.opt.nparameters + 1, sizeof *list);
  bool ok = list && core_pairs_get(pairs, &sets);
  for (int32_t i = 0; ok && i < x.opt.nparameters; i++)
    ok = PyArg_ParseTuple(PyTuple_GetItem(parameters, i), "sdd", &list[i].name, &list[i].low,
                          &list[i].high);
  hk_set *set = ok ? PyMem_Calloc((size_t)sets.n + 1, sizeof *set) : NULL;
  for (int32_t i = 0; set && i < sets.n; i++) set[i] = (hk_set){sets.item[i][0], sets.item[i][1]};
  x.opt.parameters = list, x.opt.sets = set, x.opt.nsets = set ? sets.n : 0;
  if (set && core_enter(st, &m->busy)) {
    if (work(st, m->ctx, find_fit, &x)) out = fit_of(x.found);
    hk_fit_free(x.found);
    core_leave(&m->busy);
  }
  PyMem_Free(set);
  PyMem_Free(list);
  core_pairs_end(&sets);
  core_options_end(&options);
  return out;
}

/* --- ranges, settings ------------------------------------------------------------------------- */

typedef struct reaching {
  hk_model *model;
  hk_reach_options opt;
  hk_reach *found;
} reaching;

static hk_status find_reach(void *job) {
  reaching *x = job;
  hk_reach_free(x->found);
  x->found = NULL;
  return hk_reach_find(x->model, &x->opt, &x->found);
}

static PyObject *end_of(const hk_reach *r, int32_t high) {
  static const char *const stops[] = {"dead point", "full turn", "limit", "none"};
  hk_reach_place p = {.size = sizeof p};
  (void)hk_reach_end(r, high, &p);
  return Py_BuildValue("dsNN", p.value, p.stop >= 0 && p.stop < 4 ? stops[p.stop] : "",
                       core_text(p.moves), core_text(p.loops));
}

PyObject *core_model_reach(PyObject *self, PyObject *args) {
  core_state *st = core_state_of(self);
  core_model *m = (core_model *)self;
  reaching x = {.model = m->model, .opt = hk_reach_options_def()};
  PyObject *out = NULL;
  if (!st || !m->model ||
      !PyArg_ParseTuple(args, "sdd", &x.opt.coordinate, &x.opt.from, &x.opt.to) ||
      !core_enter(st, &m->busy))
    return NULL;
  if (work(st, m->ctx, find_reach, &x)) {
    PyObject *channels = PyList_New(0), *rows = PyList_New(0);
    int32_t n = 0;
    for (const char *name; (name = hk_reach_channel(x.found, n)); n++)
      append(channels, core_text(name));
    for (int32_t i = 0; i < hk_reach_count(x.found); i++)
      append(rows, doubles(hk_reach_values(x.found, i), (size_t)n));
    out = Py_BuildValue("NNdNNNN", core_text(hk_reach_coordinate(x.found)),
                        core_text(hk_reach_unit(x.found)), hk_reach_start(x.found),
                        end_of(x.found, 0), end_of(x.found, 1), channels, rows);
  }
  hk_reach_free(x.found);
  core_leave(&m->busy);
  return out;
}

PyObject *core_model_setting(PyObject *self, PyObject *args) {
  core_model *m = (core_model *)self;
  const char *section, *key, *value;
  if (!PyArg_ParseTuple(args, "ss", &section, &key)) return NULL;
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; out && (value = hk_model_setting(m->model, section, key, i)); i++)
    if (!append(out, core_text(value))) Py_CLEAR(out);
  return out;
}
