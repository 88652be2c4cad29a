/* SPDX-License-Identifier: Apache-2.0
 *
 * live.c: what a program does with a simulation while it runs: its state out and in, clones, inputs,
 * channels by handle, whole trajectories.
 */
#include "sim.h"

#include "hooke/live.h"

/* --- the state -------------------------------------------------------------------------------- */

PyObject *core_sim_state(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s || !core_enter(st, &s->busy)) return NULL;
  const size_t size = hk_sim_state_size(s->sim);
  PyObject *blob = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (blob) {
    const hk_status status = hk_sim_state_get(s->sim, PyBytes_AsString(blob), size);
    if (!core_good(st, s->ctx, status)) Py_CLEAR(blob);
  }
  core_leave(&s->busy);
  return blob;
}

PyObject *core_sim_restore(PyObject *self, PyObject *state) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer view;
  PyObject *out = NULL;
  if (!s || !core_buffer(state, &view, 'b', -1, false)) return NULL;
  if (core_enter(st, &s->busy)) {
    out = core_sim_answer(st, s, hk_sim_state_set(s->sim, view.buf, (size_t)view.len));
    core_leave(&s->busy);
  }
  PyBuffer_Release(&view);
  return out;
}

PyObject *core_sim_reset(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s || !core_enter(st, &s->busy)) return NULL;
  PyObject *out = core_sim_answer(st, s, hk_sim_reset(s->sim));
  core_leave(&s->busy);
  return out;
}

/* a count of steps for one of the two functions below */
static PyObject *with_count(PyObject *self, PyObject *n, hk_status (*f)(hk_sim *, int32_t)) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const long count = PyLong_AsLong(n);
  if (!s || (count == -1 && PyErr_Occurred())) return NULL;
  if (count < 0 || count > INT32_MAX)
    return PyErr_SetString(PyExc_ValueError, "expected a number of steps, from 0"), NULL;
  if (!core_enter(st, &s->busy)) return NULL;
  PyObject *out = core_sim_answer(st, s, f(s->sim, (int32_t)count));
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_keep(PyObject *self, PyObject *n) { return with_count(self, n, hk_sim_keep); }
PyObject *core_sim_rollback(PyObject *self, PyObject *n) {
  return with_count(self, n, hk_sim_rollback);
}

PyObject *core_sim_clone(PyObject *self, PyObject *other) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s) return NULL;
  if (!PyObject_TypeCheck(other, Py_TYPE(self)) || ((core_sim *)other)->ctx)
    return core_misuse(st, "a clone needs an object of the same type that is no simulation yet");
  core_sim *to = (core_sim *)other;
  if (!core_enter(st, &s->busy)) return NULL;
  to->ctx = hk_ctx_create();
  to->model = Py_NewRef(s->model);
  hk_status status = HK_E_MEMORY;
  PyObject *out = NULL;
  if (!to->ctx) {
    PyErr_NoMemory();
  } else if (core_modules(st, to->ctx, ((core_model *)to->model)->modules, false)) {
    Py_BEGIN_ALLOW_THREADS status = hk_sim_clone(s->sim, to->ctx, &to->sim);
    Py_END_ALLOW_THREADS out = core_sim_answer(st, to, status);
    if (out && !core_sim_ready(to)) Py_CLEAR(out);
  }
  core_leave(&s->busy);
  return out;
}

/* --- inputs ----------------------------------------------------------------------------------- */

PyObject *core_sim_inputs(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  PyObject *list = s ? PyList_New(0) : NULL;
  for (int32_t i = 0; list && i < hk_sim_input_count(s->sim); i++) {
    PyObject *name = core_text(hk_sim_input_name(s->sim, i));
    if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
    Py_XDECREF(name);
  }
  return list;
}

PyObject *core_sim_input(PyObject *self, PyObject *number) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const long i = PyLong_AsLong(number);
  if (!s || (i == -1 && PyErr_Occurred()) || !core_enter(st, &s->busy)) return NULL;
  PyObject *out = PyFloat_FromDouble(hk_sim_input_get(s->sim, (int32_t)i));
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_set_input(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s) return NULL;
  if (nargs != 3) return PyErr_SetString(PyExc_TypeError, "expected number, value, jump"), NULL;
  const long i = PyLong_AsLong(args[0]);
  const double value = PyFloat_AsDouble(args[1]);
  const int jump = PyObject_IsTrue(args[2]);
  if (jump < 0 || PyErr_Occurred() || !core_enter(st, &s->busy)) return NULL;
  PyObject *out = core_sim_answer(st, s, hk_sim_input_set(s->sim, (int32_t)i, value, jump));
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_set_inputs(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer numbers = {0}, values;
  PyObject *out = NULL;
  if (!s) return NULL;
  if (nargs != 3) return PyErr_SetString(PyExc_TypeError, "expected numbers, values, jump"), NULL;
  const int jump = PyObject_IsTrue(args[2]);
  if (jump < 0 || !core_buffer(args[1], &values, 'd', -1, false)) return NULL;
  const Py_ssize_t n = core_items(&values);
  if (args[0] != Py_None && !core_buffer(args[0], &numbers, 'i', n, false)) {
    PyBuffer_Release(&values);
    return NULL;
  }
  if (n <= INT32_MAX && core_enter(st, &s->busy)) {
    out = core_sim_answer(st, s,
                          hk_sim_inputs_set(s->sim, (int32_t)n, numbers.buf, values.buf, jump));
    core_leave(&s->busy);
  }
  PyBuffer_Release(&values);
  PyBuffer_Release(&numbers);
  return out;
}

/* --- channels by handle ----------------------------------------------------------------------- */

PyObject *core_sim_handle(PyObject *self, PyObject *key) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const char *name = s ? core_utf8(key) : NULL;
  if (!name || !core_enter(st, &s->busy)) return NULL;
  const int32_t handle = hk_sim_channel_handle(s->sim, name);
  PyObject *out = handle >= 0 ? PyLong_FromLong(handle) : core_raise(st, s->ctx, HK_E_USAGE);
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_read(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer handles, values;
  PyObject *out = NULL;
  if (!s) return NULL;
  if (nargs != 2) return PyErr_SetString(PyExc_TypeError, "expected handles, values"), NULL;
  if (!core_buffer(args[0], &handles, 'i', -1, false)) return NULL;
  const Py_ssize_t n = core_items(&handles);
  if (core_buffer(args[1], &values, 'd', n, true)) {
    if (core_enter(st, &s->busy)) {
      out = core_sim_answer(st, s, hk_sim_read(s->sim, (int32_t)n, handles.buf, values.buf));
      core_leave(&s->busy);
    }
    PyBuffer_Release(&values);
  }
  PyBuffer_Release(&handles);
  return out;
}

/* --- a whole trajectory ----------------------------------------------------------------------- */

/* From a state, inputs of each step and the channels after every few of them. */
typedef struct roll {
  Py_buffer state, inputs, handles, out;
  bool arrays; /* the state is coordinates and velocities */
  int64_t steps, every;
  int32_t nhandles;
} roll;

static hk_status roll_along(hk_sim *s, const roll *r) {
  const double *q = r->state.buf;
  const bool blob = r->state.buf && !r->arrays;
  hk_status status =
      blob ? hk_sim_state_set(s, r->state.buf, (size_t)r->state.len) : hk_sim_reset(s);
  if (status == HK_OK && r->arrays)
    status = hk_sim_coordinates_set(s, q, q + hk_sim_coordinate_count(s));
  if (status != HK_OK) return status;
  return hk_sim_rollout(s, r->steps, r->every, r->inputs.buf, r->nhandles, r->handles.buf,
                        r->out.buf);
}

/* the buffers, each of its size; false with an error */
static bool roll_open(core_sim *s, PyObject *state, PyObject *inputs, PyObject *handles,
                      PyObject *out, roll *r) {
  const int32_t ninputs = hk_sim_input_count(s->sim);
  const Py_ssize_t size = hk_sim_coordinate_count(s->sim) + hk_sim_velocity_count(s->sim);
  r->arrays = state != Py_None && !PyBytes_Check(state);
  if (r->steps < 0 || r->every < 1)
    return PyErr_SetString(PyExc_ValueError, "expected a number of steps, and every how many"),
           false;
  if (r->arrays ? !core_buffer(state, &r->state, 'd', size, false)
                : state != Py_None && !core_buffer(state, &r->state, 'b', -1, false))
    return false;
  if (inputs != Py_None && !core_buffer(inputs, &r->inputs, 'd', r->steps * ninputs, false))
    return false;
  if (!core_buffer(handles, &r->handles, 'i', -1, false)) return false;
  r->nhandles = (int32_t)core_items(&r->handles);
  return core_buffer(out, &r->out, 'd', (r->steps / r->every + 1) * r->nhandles, true);
}

PyObject *core_sim_roll(PyObject *self, PyObject *args) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  PyObject *state, *inputs, *handles, *array, *out = NULL;
  roll r = {0};
  long long steps, every;
  if (!s || !PyArg_ParseTuple(args, "OOLLOO", &state, &inputs, &steps, &every, &handles, &array))
    return NULL;
  r.steps = steps, r.every = every;
  if (roll_open(s, state, inputs, handles, array, &r) && core_enter(st, &s->busy)) {
    hk_status status;
    Py_BEGIN_ALLOW_THREADS status = roll_along(s->sim, &r);
    Py_END_ALLOW_THREADS out = core_sim_answer(st, s, status);
    core_leave(&s->busy);
  }
  PyBuffer_Release(&r.state);
  PyBuffer_Release(&r.inputs);
  PyBuffer_Release(&r.handles);
  PyBuffer_Release(&r.out);
  return out;
}
