/* SPDX-License-Identifier: Apache-2.0
 *
 * eval.c: hooke._core.Eval, the equations of motion of a model at any state. All functions that take and
 * give arrays go by one table: what each of its arrays is decides their sizes.
 */
#include "core.h"

#include <string.h>

#include "hooke/eval.h"

static int eval_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_eval *e = (core_eval *)self;
  core_state *st = core_state_of(self);
  PyObject *model;
  hk_status status;
  if (!PyArg_ParseTuple(args, "O!", st->model_type, &model)) return -1;
  core_model *m = (core_model *)model;
  if (e->ctx || !m->model) {
    core_misuse(st, e->ctx ? "the equations are made once" : "the model was never made");
    return -1;
  }
  e->ctx = hk_ctx_create();
  e->model = Py_NewRef(model);
  if (!e->ctx) return PyErr_NoMemory(), -1;
  Py_BEGIN_ALLOW_THREADS status = hk_eval_create(e->ctx, m->model, &e->eval);
  Py_END_ALLOW_THREADS return core_good(st, e->ctx, status) ? 0 : -1;
}

static void eval_dealloc(PyObject *self) {
  core_eval *e = (core_eval *)self;
  hk_eval_destroy(e->eval);
  hk_ctx_destroy(e->ctx);
  Py_CLEAR(e->model);
  core_free_object(self);
}

static core_eval *eval_of(PyObject *self, core_state **st) {
  core_eval *e = (core_eval *)self;
  *st = core_state_of(self);
  if (!e->eval) core_misuse(*st, "the equations were never made");
  return e->eval ? e : NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

static PyObject *names(hk_eval *e, const char *(*name)(const hk_eval *, int32_t)) {
  PyObject *list = PyList_New(0);
  const char *s;
  for (int32_t i = 0; list && (s = name(e, i)); i++) {
    PyObject *one = core_text(s);
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* names of coordinates, velocities, constraints, frames */
static PyObject *eval_names(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_eval *e = eval_of(self, &st);
  if (!e) return NULL;
  return Py_BuildValue("NNNN", names(e->eval, hk_eval_coordinate_name),
                       names(e->eval, hk_eval_velocity_name),
                       names(e->eval, hk_eval_constraint_name), names(e->eval, hk_eval_frame_name));
}

/* --- the table -------------------------------------------------------------------------------- */

/* a number (of a frame, or none), and up to three arrays */
typedef hk_status (*op_fn)(hk_eval *e, int32_t i, double *a, double *b, double *c);

/* clang-format off */
#define OP(name, call)                                                                             \
  static hk_status name(hk_eval *e, int32_t i, double *a, double *b, double *c) {                  \
    (void)i, (void)a, (void)b, (void)c;                                                            \
    return call;                                                                                   \
  }
OP(op_mass, hk_eval_mass(e, a, hk_eval_velocities(e)))
OP(op_inverse, hk_eval_inverse(e, a, b))
OP(op_forward, hk_eval_forward(e, a, b, c))
OP(op_get, hk_eval_get(e, NULL, a, b))
OP(op_plus, hk_eval_plus(e, a, b, c))
OP(op_minus, hk_eval_minus(e, a, b, c))
OP(op_pose, hk_eval_pose(e, i, a, b))
OP(op_twist, hk_eval_twist(e, i, a, b))
OP(op_acceleration, hk_eval_acceleration(e, i, a, b, c))
OP(op_jacobian, hk_eval_jacobian(e, i, a, hk_eval_velocities(e)))
OP(op_residual, hk_eval_residual(e, a, b, c))
OP(op_constraint_jacobian, hk_eval_constraint_jacobian(e, a, hk_eval_velocities(e)))
OP(op_project, hk_eval_project(e))
#undef OP
/* clang-format on */

/* sizes of the arrays: q coordinates, v velocities, c constraints, m v x v, j 6 x v, g c x v, r 3 x 3,
 * p 3; capitals are written; where None may stand is the library's to say */
static const struct {
  const char *name, *arrays;
  op_fn call;
} ops[] = {
    {"mass", "M", op_mass},
    {"inverse", "vV", op_inverse},
    {"forward", "vVC", op_forward},
    {"get", "QV", op_get},
    {"plus", "qvQ", op_plus},
    {"minus", "qqV", op_minus},
    {"pose", "RP", op_pose},
    {"twist", "PP", op_twist},
    {"acceleration", "vPP", op_acceleration},
    {"jacobian", "J", op_jacobian},
    {"residual", "CCC", op_residual},
    {"constraint_jacobian", "G", op_constraint_jacobian},
    {"project", "", op_project},
};

static Py_ssize_t items(const hk_eval *e, char letter) {
  const Py_ssize_t nv = hk_eval_velocities(e), nc = hk_eval_constraints(e);
  switch (letter | 0x20) {
    case 'q':
      return hk_eval_coordinates(e);
    case 'v':
      return nv;
    case 'c':
      return nc;
    case 'm':
      return nv * nv;
    case 'j':
      return 6 * nv;
    case 'g':
      return nc * nv;
    case 'r':
      return 9;
    default:
      return 3;
  }
}

/* call(name, number, arrays...) */
static PyObject *eval_call(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  core_state *st;
  core_eval *e = eval_of(self, &st);
  const char *name = e && nargs >= 2 ? core_utf8(args[0]) : NULL;
  const long number = name ? PyLong_AsLong(args[1]) : -1;
  Py_buffer view[3] = {{0}};
  PyObject *out = NULL;
  size_t k = 0, n = sizeof ops / sizeof *ops;
  if (!e || PyErr_Occurred()) return NULL;
  while (k < n && name && strcmp(ops[k].name, name) != 0) k++;
  if (!name || k == n || (size_t)nargs - 2 != strlen(ops[k].arrays))
    return PyErr_SetString(PyExc_TypeError, "expected an operation and its arrays"), NULL;
  bool good = true;
  for (Py_ssize_t i = 0; good && i < nargs - 2; i++) {
    const char letter = ops[k].arrays[i];
    if (args[i + 2] != Py_None)
      good = core_buffer(args[i + 2], &view[i], 'd', items(e->eval, letter), letter < 'a');
  }
  if (good && core_enter(st, &e->busy)) {
    const hk_status status =
        ops[k].call(e->eval, (int32_t)number, view[0].buf, view[1].buf, view[2].buf);
    if (core_good(st, e->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&e->busy);
  }
  for (int i = 0; i < 3; i++) PyBuffer_Release(&view[i]);
  return out;
}

/* --- the state -------------------------------------------------------------------------------- */

/* set(t, q, v): v may be None */
static PyObject *eval_set(PyObject *self, PyObject *args) {
  core_state *st;
  core_eval *e = eval_of(self, &st);
  Py_buffer q, v = {0};
  double t;
  PyObject *qo, *vo, *out = NULL;
  if (!e || !PyArg_ParseTuple(args, "dOO", &t, &qo, &vo)) return NULL;
  if (!core_buffer(qo, &q, 'd', hk_eval_coordinates(e->eval), false)) return NULL;
  if ((vo == Py_None || core_buffer(vo, &v, 'd', hk_eval_velocities(e->eval), false)) &&
      core_enter(st, &e->busy)) {
    const hk_status status = hk_eval_state(e->eval, t, q.buf, v.buf);
    if (core_good(st, e->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&e->busy);
  }
  PyBuffer_Release(&q);
  PyBuffer_Release(&v);
  return out;
}

static PyObject *eval_take(PyObject *self, PyObject *sim) {
  core_state *st;
  core_eval *e = eval_of(self, &st);
  if (!e) return NULL;
  if (!PyObject_TypeCheck(sim, st->sim_type) || !((core_sim *)sim)->sim)
    return core_misuse(st, "expected a simulation");
  core_sim *s = (core_sim *)sim;
  PyObject *out = NULL;
  if (!core_enter(st, &e->busy)) return NULL;
  if (core_enter(st, &s->busy)) {
    const hk_status status = hk_eval_take(e->eval, s->sim, NULL);
    if (core_good(st, e->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&s->busy);
  }
  core_leave(&e->busy);
  return out;
}

/* (time, kinetic energy, potential energy) */
static PyObject *eval_energy(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_eval *e = eval_of(self, &st);
  double t = 0.0, kinetic = 0.0, potential = 0.0;
  if (!e || !core_enter(st, &e->busy)) return NULL;
  hk_status status = hk_eval_get(e->eval, &t, NULL, NULL);
  if (status == HK_OK) status = hk_eval_energy(e->eval, &kinetic, &potential);
  PyObject *out = NULL;
  if (core_good(st, e->ctx, status)) out = Py_BuildValue("ddd", t, kinetic, potential);
  core_leave(&e->busy);
  return out;
}

/* input(name, value): false when there is none of this name */
static PyObject *eval_input(PyObject *self, PyObject *args) {
  core_state *st;
  core_eval *e = eval_of(self, &st);
  const char *name;
  double value;
  if (!e || !PyArg_ParseTuple(args, "sd", &name, &value)) return NULL;
  const int32_t i = hk_eval_input_find(e->eval, name);
  if (i < 0) Py_RETURN_FALSE;
  if (!core_enter(st, &e->busy)) return NULL;
  const bool good = core_good(st, e->ctx, hk_eval_input_set(e->eval, i, value));
  core_leave(&e->busy);
  return good ? Py_NewRef(Py_True) : NULL;
}

/* drives(a, which, tau): a may be None */
static PyObject *eval_drives(PyObject *self, PyObject *args) {
  core_state *st;
  core_eval *e = eval_of(self, &st);
  PyObject *ao, *which, *to, *out = NULL;
  Py_buffer a = {0}, numbers, tau = {0};
  if (!e || !PyArg_ParseTuple(args, "OOO", &ao, &which, &to)) return NULL;
  if (!core_buffer(which, &numbers, 'i', -1, false)) return NULL;
  const Py_ssize_t n = core_items(&numbers);
  if ((ao == Py_None || core_buffer(ao, &a, 'd', hk_eval_velocities(e->eval), false)) &&
      core_buffer(to, &tau, 'd', n, true) && core_enter(st, &e->busy)) {
    const hk_status status = hk_eval_drives(e->eval, a.buf, (int32_t)n, numbers.buf, tau.buf);
    if (core_good(st, e->ctx, status)) out = Py_NewRef(Py_None);
    core_leave(&e->busy);
  }
  PyBuffer_Release(&numbers);
  PyBuffer_Release(&a);
  PyBuffer_Release(&tau);
  return out;
}

static PyMethodDef eval_methods[] = {
    {"_input", eval_input, METH_VARARGS, "_input(name, value)"},
    {"_drives", eval_drives, METH_VARARGS, "_drives(a, which, tau)"},
    {"_names", eval_names, METH_NOARGS, "Names of coordinates, velocities, constraints, frames."},
    {"_call", (PyCFunction)(void (*)(void))eval_call, METH_FASTCALL,
     "_call(name, number, arrays...)"},
    {"_set", eval_set, METH_VARARGS, "_set(t, q, v)"},
    {"_take", eval_take, METH_O, "The state of a simulation."},
    {"_energy", eval_energy, METH_NOARGS, "(time, kinetic, potential)"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot eval_slots[] = {{Py_tp_init, eval_init},
                                   {Py_tp_dealloc, eval_dealloc},
                                   {Py_tp_methods, eval_methods},
                                   {Py_tp_doc, "The equations of motion of a model."},
                                   {0, NULL}};

PyType_Spec core_eval_spec = {.name = "hooke._core.Eval",
                              .basicsize = sizeof(core_eval),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                              .slots = eval_slots};
