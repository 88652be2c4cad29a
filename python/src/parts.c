/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.c: bodies, joints and nodes of a simulation by their numbers: poses, velocities, coordinates, reactions,
 * values, and a start anew from given ones or with another model.
 */
#include "sim.h"

#include <string.h>

#include "hooke/live.h"

/* a list of names by their numbers; NULL with an error */
static PyObject *names(hk_sim *s, const char *(*name)(const hk_sim *, int32_t)) {
  PyObject *list = PyList_New(0);
  const char *one;
  for (int32_t i = 0; list && (one = name(s, i)); i++) {
    PyObject *text = core_text(one);
    if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}

/* names of bodies, joints with their numbers of coordinates, names of nodes */
PyObject *core_sim_parts(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  PyObject *joints = s ? PyList_New(0) : NULL;
  bool good = joints;
  for (int32_t i = 0; good && i < hk_sim_joint_count(s->sim); i++) {
    PyObject *one = Py_BuildValue("Ni", core_text(hk_sim_joint_name(s->sim, i)),
                                  (int)hk_sim_joint_coordinates(s->sim, i));
    good = one && PyList_Append(joints, one) == 0;
    Py_XDECREF(one);
  }
  if (good)
    return Py_BuildValue("NNN", names(s->sim, hk_sim_body_name), joints,
                         names(s->sim, hk_sim_node_name));
  Py_XDECREF(joints);
  return NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

typedef hk_status (*part_fn)(hk_sim *s, int32_t i, double *a, double *b);

/* clang-format off */
#define PART(name, ...)                                                                            \
  static hk_status name(hk_sim *s, int32_t i, double *a, double *b) { return __VA_ARGS__; }
PART(part_pose, hk_sim_body_pose(s, i, a, b))
PART(part_twist, hk_sim_body_twist(s, i, a, b))
PART(part_joint, hk_sim_joint_get(s, i, hk_sim_joint_coordinates(s, i), a, b))
PART(part_set_joint, hk_sim_joint_set(s, i, hk_sim_joint_coordinates(s, i), a, b))
PART(part_node, (void)b, hk_sim_node_get(s, i, a))
PART(part_set_node, (void)b, a ? hk_sim_node_set(s, i, *a) : HK_E_USAGE)
PART(part_reaction, hk_sim_joint_reaction(s, i, a, b))
#undef PART
/* clang-format on */

/* numbers of the two arrays, -1: coordinates of the joint; whether they are written */
static const struct {
  const char *name;
  int sizes[2];
  bool written;
  part_fn call;
} parts[] = {
    {"pose", {3, 9}, true, part_pose},          {"twist", {3, 3}, true, part_twist},
    {"joint", {-1, -1}, true, part_joint},      {"set_joint", {-1, -1}, false, part_set_joint},
    {"reaction", {3, 3}, true, part_reaction},  {"node", {1, 0}, true, part_node},
    {"set_node", {1, 0}, false, part_set_node},
};

/* part(name, number, array, array): None where an array is not wanted or not given */
PyObject *core_sim_part(PyObject *self, PyObject *args) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  const char *name;
  int i;
  PyObject *array[2], *out = NULL;
  Py_buffer view[2] = {{0}};
  if (!s || !PyArg_ParseTuple(args, "siOO", &name, &i, &array[0], &array[1])) return NULL;
  size_t k = 0, n = sizeof parts / sizeof *parts;
  while (k < n && strcmp(parts[k].name, name) != 0) k++;
  if (k == n) return PyErr_Format(PyExc_TypeError, "no function '%s'", name);
  bool good = true;
  for (int j = 0; good && j < 2; j++) {
    const int size =
        parts[k].sizes[j] < 0 ? hk_sim_joint_coordinates(s->sim, i) : parts[k].sizes[j];
    if (array[j] != Py_None)
      good = core_buffer(array[j], &view[j], 'd', size < 0 ? 0 : size, parts[k].written);
  }
  if (good && core_enter(st, &s->busy)) {
    out = core_sim_answer(st, s, parts[k].call(s->sim, i, view[0].buf, view[1].buf));
    core_leave(&s->busy);
  }
  PyBuffer_Release(&view[0]);
  PyBuffer_Release(&view[1]);
  return out;
}

/* set_body(number, position, axes, velocity, angular velocity): None where it is not given */
PyObject *core_sim_set_body(PyObject *self, PyObject *args) {
  static const int sizes[] = {3, 9, 3, 3};
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  int i;
  PyObject *array[4], *out = NULL;
  Py_buffer view[4] = {{0}};
  if (!s || !PyArg_ParseTuple(args, "iOOOO", &i, &array[0], &array[1], &array[2], &array[3]))
    return NULL;
  bool good = true;
  for (int j = 0; good && j < 4; j++)
    if (array[j] != Py_None) good = core_buffer(array[j], &view[j], 'd', sizes[j], false);
  if (good && core_enter(st, &s->busy)) {
    out = core_sim_answer(
        st, s, hk_sim_body_set(s->sim, i, view[0].buf, view[1].buf, view[2].buf, view[3].buf));
    core_leave(&s->busy);
  }
  for (int j = 0; j < 4; j++) PyBuffer_Release(&view[j]);
  return out;
}

/* go on with another model from the present state */
PyObject *core_sim_rebind(PyObject *self, PyObject *model) {
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  hk_status status;
  if (!s) return NULL;
  if (!PyObject_TypeCheck(model, st->model_type) || !((core_model *)model)->model)
    return core_misuse(st, "expected a model");
  // the contexts of all models it has had stay
  PyObject *both = PyTuple_Pack(2, s->model, s->former ? s->former : Py_None);
  if (!both || !core_enter(st, &s->busy)) {
    Py_XDECREF(both);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS status = hk_sim_rebind(s->sim, ((core_model *)model)->model);
  Py_END_ALLOW_THREADS PyObject *out = core_sim_answer(st, s, status);
  if (out) {
    PyObject *before = s->former;
    s->former = Py_NewRef(both);
    Py_XDECREF(before);
    Py_DECREF(s->model);
    s->model = Py_NewRef(model);
  }
  Py_DECREF(both);
  core_leave(&s->busy);
  return out;
}

/* go on from what was given */
PyObject *core_sim_restart(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_sim *s = core_sim_of(self, &st);
  hk_status status;
  if (!s || !core_enter(st, &s->busy)) return NULL;
  Py_BEGIN_ALLOW_THREADS status = hk_sim_restart(s->sim);
  Py_END_ALLOW_THREADS PyObject *out = core_sim_answer(st, s, status);
  core_leave(&s->busy);
  return out;
}
