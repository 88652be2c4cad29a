/* SPDX-License-Identifier: Apache-2.0
 *
 * parameters.c: parameters of a simulation, which change while it runs, and its state as two arrays.
 */
#include "sim.h"

#include "hooke/live.h"

/* names of things with numbers */
static PyObject *names_of(hk_sim *s, int32_t n, const char *(*name)(hk_sim *, int32_t)) {
  PyObject *list = PyList_New(0);
  for (int32_t i = 0; list && i < n; i++) {
    PyObject *one = core_text(name(s, i));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

static const char *parameter_name(hk_sim *s, int32_t i) { return hk_sim_parameter_name(s, i); }

PyObject *core_sim_parameters(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  return s ? names_of(s->sim, hk_sim_parameter_count(s->sim), parameter_name) : NULL;
}

PyObject *core_sim_parameter(PyObject *self, PyObject *number) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const long i = PyLong_AsLong(number);
  if (!s || (i == -1 && PyErr_Occurred()) || !core_enter(st, &s->busy)) return NULL;
  PyObject *out = PyFloat_FromDouble(hk_sim_parameter_get(s->sim, (int32_t)i));
  core_leave(&s->busy);
  return out;
}

PyObject *core_sim_set_parameters(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer numbers, values;
  PyObject *out = NULL;
  if (!s) return NULL;
  if (nargs != 2) return PyErr_SetString(PyExc_TypeError, "expected numbers, values"), NULL;
  if (!core_buffer(args[0], &numbers, 'i', -1, false)) return NULL;
  const Py_ssize_t n = core_items(&numbers);
  if (core_buffer(args[1], &values, 'd', n, false)) {
    if (core_enter(st, &s->busy)) {
      hk_status status;
      Py_BEGIN_ALLOW_THREADS status =
          hk_sim_parameters_set(s->sim, (int32_t)n, numbers.buf, values.buf);
      Py_END_ALLOW_THREADS out = core_sim_answer(st, s, status);
      core_leave(&s->busy);
    }
    PyBuffer_Release(&values);
  }
  PyBuffer_Release(&numbers);
  return out;
}

PyObject *core_sim_arrays(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  if (!s || !core_enter(st, &s->busy)) return NULL;
  PyObject *q = names_of(s->sim, hk_sim_coordinate_count(s->sim), hk_sim_coordinate_name);
  PyObject *v = names_of(s->sim, hk_sim_velocity_count(s->sim), hk_sim_velocity_name);
  core_leave(&s->busy);
  if (q && v) return Py_BuildValue("NN", q, v);
  Py_XDECREF(q);
  Py_XDECREF(v);
  return NULL;
}

/* (q, v) out of the simulation, or, with a third argument that is true, into it */
PyObject *core_sim_place(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  Py_buffer q, v;
  PyObject *out = NULL;
  if (!s) return NULL;
  if (nargs != 3) return PyErr_SetString(PyExc_TypeError, "expected q, v, into"), NULL;
  const int into = PyObject_IsTrue(args[2]);
  if (into < 0 || !core_buffer(args[0], &q, 'd', hk_sim_coordinate_count(s->sim), !into))
    return NULL;
  if (core_buffer(args[1], &v, 'd', hk_sim_velocity_count(s->sim), !into)) {
    if (core_enter(st, &s->busy)) {
      const hk_status status = into ? hk_sim_coordinates_set(s->sim, q.buf, v.buf)
                                    : hk_sim_coordinates_get(s->sim, q.buf, v.buf);
      out = core_sim_answer(st, s, status);
      core_leave(&s->busy);
    }
    PyBuffer_Release(&v);
  }
  PyBuffer_Release(&q);
  return out;
}
