/* SPDX-License-Identifier: Apache-2.0
 *
 * sim.c: hooke._core.Sim, a simulation that a program advances: its life, its steps, its numbers.
 * Inputs, states and handles are in live.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "analyses.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "hooke/live.h"

/* --- life ------------------------------------------------------------------------------------- */

/* Sim(model, options), or Sim(sim): a clone in the same state */
static int sim_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_sim *s = (core_sim *)self;
  core_state *st = core_state_of(self);
  PyObject *model, *tuple;
  core_options options;
  hk_status status;
  if (!st || !PyArg_ParseTuple(args, "O!O!", st->model_type, &model, &PyTuple_Type, &tuple))
    return -1;
  core_model *m = (core_model *)model;
  if (s->ctx || !m->model) {
    core_misuse(st, s->ctx ? "a simulation is made once" : "the model was never made");
    return -1;
  }
  if (!core_options_get(tuple, &options)) return -1;
  s->ctx = hk_ctx_create();
  s->model = Py_NewRef(model);
  if (!s->ctx) {
    core_options_end(&options);
    PyErr_NoMemory();
    return -1;
  }
  // integrators of modules are looked for in the context of the simulation
  if (!core_modules(st, s->ctx, m->modules, false)) {
    core_options_end(&options);
    return -1;
  }
  s->took = 1.0; // nobody knows yet
  bool raised = false;
  do {
    Py_BEGIN_ALLOW_THREADS const bool watched = core_watch(s->ctx) != NULL;
    status = hk_sim_create_in(s->ctx, m->model, &options.opt, &s->sim);
    if (watched) core_unwatch(s->ctx);
    Py_END_ALLOW_THREADS raised = core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  core_options_end(&options);
  if (raised) return -1;
  return core_good(st, s->ctx, status) && core_sim_ready(s) ? 0 : -1;
}

static int sim_traverse(PyObject *self, visitproc visit, void *arg) {
  core_sim *s = (core_sim *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(s->model);
  Py_VISIT(s->former);
  Py_VISIT(s->hook);
  return 0;
}

static int sim_clear(PyObject *self) {
  Py_CLEAR(((core_sim *)self)->hook);
  return 0;
}

static void sim_dealloc(PyObject *self) {
  core_sim *s = (core_sim *)self;
  PyObject_GC_UnTrack(self);
  sim_clear(self);
  hk_sim_destroy(s->sim);
  hk_ctx_destroy(s->ctx);
  PyMem_Free(s->before);
  Py_CLEAR(s->model);
  Py_CLEAR(s->former);
  core_free_object(self);
}

core_sim *core_sim_of(PyObject *self, core_state **st) {
  core_sim *s = (core_sim *)self;
  *st = core_state_of(self);
  if (*st && !s->sim) core_misuse(*st, "the simulation was never made, or is closed");
  return *st && s->sim ? s : NULL;
}

PyObject *core_sim_answer(core_state *st, core_sim *s, hk_status status) {
  hk_summary sum = {.message = NULL};
  bool told = status == HK_OK || core_raised() || !s->sim;
  for (int32_t i = 0; !told && i < hk_ctx_message_count(s->ctx); i++)
    told = hk_ctx_message(s->ctx, i)->severity == HK_ERROR;
  // why a step failed is said by the simulation
  if (!told) hk_sim_summary(s->sim, &sum);
  if (sum.message && *sum.message) return core_raise_text(st, status, sum.message);
  if (!core_good(st, s->ctx, status)) return NULL;
  Py_RETURN_NONE;
}

bool core_sim_ready(core_sim *s) {
  PyObject *modules = ((core_model *)s->model)->modules;
  if (!modules || PyTuple_Size(modules) == 0) return true;
  s->before = PyMem_Malloc(hk_sim_state_size(s->sim));
  if (!s->before) PyErr_NoMemory();
  return s->before;
}

static PyObject *sim_close(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_sim *s = (core_sim *)self;
  core_state *st = core_state_of(self);
  if (!core_enter(st, &s->busy)) return NULL;
  hk_sim_destroy(s->sim);
  s->sim = NULL;
  core_leave(&s->busy);
  Py_RETURN_NONE;
}

/* --- steps ------------------------------------------------------------------------------------ */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* seconds between two looks at signals such as Ctrl-C; steps that take longer are watched */
static const double between_looks = 0.05;

/* One step, or all up to a time (NAN: one step). Where a function of Python raises an exception, the simulation is
 * as it was before. */
static hk_status go_on(core_sim *s, double to) {
  const size_t size = hk_sim_state_size(s->sim);
  const double from = now();
  const bool watched = (s->took > between_looks || !isnan(to)) && core_watch(s->ctx) != NULL;
  if (s->before && hk_sim_state_get(s->sim, s->before, size) != HK_OK) s->before[0] = '\0';
  const hk_status status = isnan(to) ? hk_sim_step(s->sim) : hk_sim_step_to(s->sim, to);
  if (s->before && core_raised()) hk_sim_state_set(s->sim, s->before, size);
  if (watched) core_unwatch(s->ctx);
  s->took = now() - from;
  return status;
}

/* up to n steps with the lock released; false: an exception was raised meanwhile */
static bool many_steps(core_sim *s, int64_t n, hk_status *status) {
  bool good = true;
  *status = HK_OK;
  while (good && n > 0 && *status == HK_OK && !hk_sim_done(s->sim)) {
    Py_BEGIN_ALLOW_THREADS const double from = n > 1 ? now() : 0.0;
    do {
      *status = go_on(s, (double)NAN);
      n--;
    } while (n > 0 && *status == HK_OK && !hk_sim_done(s->sim) && now() - from < between_looks);
    Py_END_ALLOW_THREADS if (*status == HK_INTERRUPTED) {
      good = !core_interrupted(*status);
      n++; // that step was taken back
      *status = HK_OK;
    }
    else if (n > 0) {
      good = PyErr_CheckSignals() == 0;
    }
  }
  return good;
}

/* the same with a function of the program before each step */
static bool hooked_steps(core_sim *s, PyObject *self, int64_t n, hk_status *status) {
  *status = HK_OK;
  for (; n > 0 && *status == HK_OK && !hk_sim_done(s->sim); n--) {
    // the function may read and set this simulation: it is not at work now
    core_leave(&s->busy);
    PyObject *hook = Py_NewRef(s->hook), *said = PyObject_CallFunctionObjArgs(hook, self, NULL);
    Py_DECREF(hook);
    Py_XDECREF(said);
    if (!said || !core_enter(core_state_of(self), &s->busy))
      return atomic_store(&s->busy, 1), false;
    if (!s->sim || !s->hook) return true;
    Py_BEGIN_ALLOW_THREADS *status = go_on(s, (double)NAN);
    Py_END_ALLOW_THREADS if (PyErr_CheckSignals() != 0) return false;
    if (*status == HK_INTERRUPTED) *status = HK_OK, n++;
  }
  return true;
}

static PyObject *advance(PyObject *self, int64_t n) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  hk_status status;
  if (!s || !core_enter(st, &s->busy)) return NULL;
  const bool good = s->hook ? hooked_steps(s, self, n, &status) : many_steps(s, n, &status);
  PyObject *out = good ? core_sim_answer(st, s, status) : NULL;
  core_leave(&s->busy);
  return out;
}

static PyObject *sim_step(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  if (nargs == 0) return advance(self, 1);
  if (nargs > 1) return PyErr_SetString(PyExc_TypeError, "step(n) takes one number"), NULL;
  const long long n = PyLong_AsLongLong(args[0]);
  if (n == -1 && PyErr_Occurred()) return NULL;
  if (n < 0) return PyErr_SetString(PyExc_ValueError, "steps cannot be counted backwards"), NULL;
  return advance(self, n);
}

/* step_to(t): in one go, so that a hook is called once for each step on the way */
static PyObject *sim_step_to(PyObject *self, PyObject *arg) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const double t = PyFloat_AsDouble(arg);
  hk_status status = HK_OK;
  if (!s || (t == -1.0 && PyErr_Occurred()) || !core_enter(st, &s->busy)) return NULL;
  bool raised = false;
  do {
    Py_BEGIN_ALLOW_THREADS status = go_on(s, t);
    Py_END_ALLOW_THREADS raised = core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  PyObject *out = raised ? NULL : core_sim_answer(st, s, status);
  core_leave(&s->busy);
  if (out && PyErr_CheckSignals() != 0) Py_CLEAR(out);
  return out;
}

/* compile(limit): a program takes the steps where it can */
static PyObject *sim_compile(PyObject *self, PyObject *arg) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const double limit = PyFloat_AsDouble(arg);
  hk_status status = HK_OK;
  if (!s || (limit == -1.0 && PyErr_Occurred()) || !core_enter(st, &s->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hk_sim_compile(s->sim, limit);
  Py_END_ALLOW_THREADS PyObject *out =
      core_interrupted(status) ? NULL : core_sim_answer(st, s, status);
  core_leave(&s->busy);
  return out;
}

/* who takes the steps: (used, cached, compiler, seconds, steps, refused, why); None: nobody has asked */
static PyObject *sim_compiled(PyObject *self, PyObject *nothing) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  hk_compile_report r = {.size = sizeof r};
  (void)nothing;
  if (!s || !core_good(st, s->ctx, hk_sim_compiled(s->sim, &r))) return NULL;
  if (!r.asked) Py_RETURN_NONE;
  return Py_BuildValue("OOsdLLs", r.used ? Py_True : Py_False, r.cached ? Py_True : Py_False,
                       r.compiler, r.seconds, (long long)r.steps, (long long)r.refused, r.why);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static PyObject *sim_time(PyObject *self, void *nothing) {
  (void)nothing;
  return PyFloat_FromDouble(hk_sim_time(((core_sim *)self)->sim));
}

static PyObject *sim_done(PyObject *self, void *nothing) {
  (void)nothing;
  return PyBool_FromLong(hk_sim_done(((core_sim *)self)->sim));
}

static PyObject *sim_hook(PyObject *self, void *nothing) {
  (void)nothing;
  PyObject *hook = ((core_sim *)self)->hook;
  return Py_NewRef(hook ? hook : Py_None);
}

static int sim_set_hook(PyObject *self, PyObject *value, void *nothing) {
  (void)nothing;
  core_sim *s = (core_sim *)self;
  PyObject *old = s->hook;
  s->hook = value && value != Py_None ? Py_NewRef(value) : NULL;
  Py_XDECREF(old);
  return 0;
}

/* one channel by its name */
static PyObject *sim_value(PyObject *self, PyObject *key) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const char *name = s ? core_utf8(key) : NULL;
  double x = 0.0;
  if (!name || !core_enter(st, &s->busy)) return NULL;
  const hk_status status = hk_sim_value(s->sim, name, &x);
  PyObject *out = core_good(st, s->ctx, status) ? PyFloat_FromDouble(x) : NULL;
  core_leave(&s->busy);
  return out;
}

/* values(array): all recorded channels */
static PyObject *sim_values(PyObject *self, PyObject *array) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer view;
  if (!s || !core_buffer(array, &view, 'd', hk_sim_channel_count(s->sim), true)) return NULL;
  PyObject *out = NULL;
  if (core_enter(st, &s->busy)) {
    out = core_sim_answer(st, s, hk_sim_values(s->sim, view.buf));
    core_leave(&s->busy);
  }
  PyBuffer_Release(&view);
  return out;
}

/* the recorded channels: a list of (name, unit, meaning) */
static PyObject *sim_channels(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  PyObject *list = s ? PyList_New(0) : NULL;
  for (int32_t i = 0; list && i < hk_sim_channel_count(s->sim); i++) {
    PyObject *one = Py_BuildValue("NNN", core_text(hk_sim_channel_name(s->sim, i)),
                                  core_text(hk_sim_channel_unit(s->sim, i)),
                                  core_text(hk_sim_channel_text(s->sim, i)));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* summary as JSON, grade, warnings */
static PyObject *sim_summary(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s || !core_enter(st, &s->busy)) return NULL;
  PyObject *out = Py_BuildValue("NN", core_text(hk_sim_json(s->sim)),
                                core_text(hk_grade_name(hk_sim_grade(s->sim))));
  core_leave(&s->busy);
  return out;
}

static PyGetSetDef sim_fields[] = {{"time", sim_time, NULL, "The present time, s.", NULL},
                                   {"done", sim_done, NULL, "Has the end time been reached?", NULL},
                                   {"hook", sim_hook, sim_set_hook,
                                    "Called with the simulation before each step; None: nothing.",
                                    NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

#define FAST(f) ((PyCFunction)(void (*)(void))(f))
static PyMethodDef sim_methods[] = {
    {"step", FAST(sim_step), METH_FASTCALL, "step(n=1): advance by n steps, or to the end."},
    {"step_to", sim_step_to, METH_O, "step_to(t): advance to a time and end exactly there."},
    {"_compile", sim_compile, METH_O, "_compile(limit): let a compiled program take the steps."},
    {"_compiled", sim_compiled, METH_NOARGS, "Who takes the steps."},
    {"value", sim_value, METH_O, "value(name): one channel, recorded or not."},
    {"_values", sim_values, METH_O, "All recorded channels into an array."},
    {"_channels", sim_channels, METH_NOARGS, "The recorded channels: (name, unit, meaning)."},
    {"_summary", sim_summary, METH_NOARGS, "(JSON, grade)"},
    {"close", sim_close, METH_NOARGS, "End the simulation before its object ends."},
    {"state", core_sim_state, METH_NOARGS,
     "Everything needed to go on bit by bit the same way: bytes."},
    {"restore", core_sim_restore, METH_O, "restore(state): go on from there."},
    {"reset", core_sim_reset, METH_NOARGS, "Back to the start."},
    {"keep", core_sim_keep, METH_O, "keep(n): make it possible to take n steps back."},
    {"rollback", core_sim_rollback, METH_O, "rollback(n): take the last n steps back."},
    {"_clone", core_sim_clone, METH_O, "Makes another, empty object a clone."},
    {"_inputs", core_sim_inputs, METH_NOARGS, "Names of the inputs."},
    {"_input", core_sim_input, METH_O, "_input(i): its value."},
    {"_set_input", FAST(core_sim_set_input), METH_FASTCALL, "_set_input(i, value, jump)"},
    {"_set_inputs", FAST(core_sim_set_inputs), METH_FASTCALL, "_set_inputs(numbers, values, jump)"},
    {"_handle", core_sim_handle, METH_O, "_handle(name): the number of any channel."},
    {"_read", FAST(core_sim_read), METH_FASTCALL, "_read(handles, values)"},
    {"_parameters", core_sim_parameters, METH_NOARGS, "Names of the parameters."},
    {"_parameter", core_sim_parameter, METH_O, "_parameter(i): its value."},
    {"_set_parameters", FAST(core_sim_set_parameters), METH_FASTCALL,
     "_set_parameters(numbers, values)"},
    {"_arrays", core_sim_arrays, METH_NOARGS, "Names of the coordinates and of the velocities."},
    {"_place", FAST(core_sim_place), METH_FASTCALL, "_place(q, v, into)"},
    {"_roll", core_sim_roll, METH_VARARGS,
     "_roll(state, inputs, steps, every, handles, out): a whole trajectory."},
    {"_parts", core_sim_parts, METH_NOARGS, "Bodies, joints with counts, nodes."},
    {"_set_body", core_sim_set_body, METH_VARARGS, "_set_body(number, arrays...)"},
    {"_rebind", core_sim_rebind, METH_O, "Go on with another model."},
    {"_part", core_sim_part, METH_VARARGS, "_part(name, number, array, array)"},
    {"_linear", core_sim_linear, METH_VARARGS, "Linear equations and modes at the present state."},
    {"_frequency", core_sim_frequency, METH_VARARGS, "_frequency(equations, hz, real, imag)"},
    {"_steps", core_sim_steps, METH_VARARGS, "_steps(equations, n, step, y)"},
    {"_inverse", core_sim_inverse, METH_VARARGS, "Forces of actuators along the whole run."},
    {"_restart", core_sim_restart, METH_NOARGS, "Go on from the coordinates that were given."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot sim_slots[] = {{Py_tp_init, sim_init},
                                  {Py_tp_dealloc, sim_dealloc},
                                  {Py_tp_traverse, sim_traverse},
                                  {Py_tp_clear, sim_clear},
                                  {Py_tp_methods, sim_methods},
                                  {Py_tp_getset, sim_fields},
                                  {Py_tp_doc, "A simulation that a program advances."},
                                  {0, NULL}};

PyType_Spec core_sim_spec = {.name = "hooke._core.Sim",
                             .basicsize = sizeof(core_sim),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                             .slots = sim_slots};
