/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.c: functions of Python as those of elements, laws, signals and controllers.
 *
 * They are called within steps, while the interpreter's lock is released, and take it for the call. An exception
 * cannot come out of the library: it waits, the numbers are NAN, so that the step fails, and the
 * method of the extension that began the work raises it. Until then nothing is called any more.
 */
#include "types.h"

#include <math.h>
#include <string.h>

/* an exception on its way through the library, in the thread that it arose in */
static _Thread_local struct { PyObject *type, *value, *trace; } raised;

bool core_raised(void) { return raised.type; }

bool core_take_raised(void) {
  if (!raised.type) return false;
  PyErr_Restore(raised.type, raised.value, raised.trace);
  raised.type = raised.value = raised.trace = NULL;
  return true;
}

/* --- arguments and numbers -------------------------------------------------------------------- */

/* what a function is given: numbers, then blocks of numbers as bytes */
typedef struct given {
  double number[3];
  int32_t numbers;
  const void *block[2];
  size_t bytes[2];
  int32_t blocks;
  const void *par;
  const double *u; /* values of the keys that are signals */
} given;

static PyObject *positional(const given *g) {
  PyObject *args = PyTuple_New(g->numbers + g->blocks);
  for (int32_t i = 0; args && i < g->numbers + g->blocks; i++) {
    const int32_t b = i - g->numbers;
    PyObject *one = b < 0 ? PyFloat_FromDouble(g->number[i])
                          : PyBytes_FromStringAndSize(g->block[b], (Py_ssize_t)g->bytes[b]);
    if (!one || PyTuple_SetItem(args, i, one) != 0) Py_CLEAR(args);
  }
  return args;
}

/* the value of a key, a new reference */
static PyObject *value_of(const core_key *k, const given *g) {
  const char *at = (const char *)g->par + k->at;
  int32_t n;
  switch (k->kind) {
    case HK_PLUGIN_SIGNAL:
      return PyFloat_FromDouble(g->u[k->at]);
    case HK_PLUGIN_INT:
      memcpy(&n, at, sizeof n);
      return PyLong_FromLong(n);
    case HK_PLUGIN_CHOICE:
      memcpy(&n, at, sizeof n);
      return Py_XNewRef(PyTuple_GetItem(k->words, n));
    case HK_PLUGIN_BOOL:
      return PyBool_FromLong(*at != 0);
    case HK_PLUGIN_TEXT: {
      const char *text;
      memcpy(&text, at, sizeof text);
      return text ? core_text(text) : Py_NewRef(k->words);
    }
    default: {
      double x;
      memcpy(&x, at, sizeof x);
      return PyFloat_FromDouble(x);
    }
  }
}

static PyObject *keywords(const core_type *t, const given *g) {
  PyObject *dict = PyDict_New();
  for (int32_t i = 0; dict && i < t->nkeys; i++) {
    PyObject *value = value_of(&t->key[i], g);
    if (!value || PyDict_SetItem(dict, t->key[i].name, value) != 0) Py_CLEAR(dict);
    Py_XDECREF(value);
  }
  return dict;
}

/* the numbers of what a function returned; false with an error */
static bool numbers(const core_type *t, PyObject *said, double *x) {
  if (t->count == 1) {
    x[0] = PyFloat_AsDouble(said);
    if (!PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "'%s' gave %R, expected a number", t->plugin.name, said);
    }
    return false;
  }
  PyObject *list = PySequence_Tuple(said);
  if (list && PyTuple_Size(list) != t->count) {
    PyErr_Format(PyExc_ValueError, "'%s' gave %zd numbers, expected %d", t->plugin.name,
                 PyTuple_Size(list), (int)t->count);
    Py_CLEAR(list);
  }
  for (Py_ssize_t i = 0; list && i < t->count; i++) {
    x[i] = PyFloat_AsDouble(PyTuple_GetItem(list, i));
    if (PyErr_Occurred()) Py_CLEAR(list);
  }
  Py_XDECREF(list);
  return list;
}

/* the numbers of the function; all of them are NAN when an exception waits */
static void ask(const core_type *t, const given *g, double *x) {
  bool good = false;
  if (!raised.type) {
    const PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *args = t->call ? positional(g) : NULL, *dict = args ? keywords(t, g) : NULL;
    PyObject *said = dict ? PyObject_Call(t->call, args, dict) : NULL;
    good = said && numbers(t, said, x);
    Py_XDECREF(said);
    Py_XDECREF(dict);
    Py_XDECREF(args);
    if (!good && !PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "the function has ended");
    if (!good) PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
    PyGILState_Release(lock);
  }
  for (int32_t i = 0; !good && i < t->count; i++) x[i] = NAN;
}

static const core_type *type_of(const void *par) { return *(const core_type *const *)par; }

/* --- laws ------------------------------------------------------------------------------------- */

void core_law_force(const void *par, double s, double sd, const double *z, const double *zd,
                    hk_plugin_force *out) {
  const core_type *t = type_of(par);
  double x[4] = {0};
  (void)z, (void)zd;
  ask(t, &(given){.number = {s, sd}, .numbers = t->positional, .par = par}, x);
  out->f = x[0], out->fs = x[1], out->fsd = x[2], out->energy = x[3];
}

/* --- loads of elements ------------------------------------------------------------------------ */

/* A load has n numbers, the wrench on the last marker (moment, force) or the force on the coordinate; then energy,
 * power dissipated and supplied (NAN: not given), the outputs, and n x n slopes over place and rate. */
typedef struct load {
  int32_t n;
  const double *w, *books, *y, *K, *C;
} load;

static load parts(const core_type *t, const double *x) {
  load l = {.n = t->kind == CORE_JOINT ? 1 : 6, .w = x};
  l.books = l.w + l.n;
  l.y = l.books + 3;
  l.K = l.y + t->ny;
  l.C = l.K + l.n * l.n;
  return l;
}

/* the second body bears the wrench, the first the opposite one, moved to its own marker */
static void share(const hk_plugin_in *in, const double *w, double *both) {
  const double r[3] = {in->m[1].p[0] - in->m[0].p[0], in->m[1].p[1] - in->m[0].p[1],
                       in->m[1].p[2] - in->m[0].p[2]};
  const double *f = w + 3;
  const double m[3] = {r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2],
                       r[0] * f[1] - r[1] * f[0]};
  memcpy(both + 6, w, 6 * sizeof *w);
  for (int i = 0; i < 3; i++) both[i] = -w[i] - m[i], both[3 + i] = -f[i];
}

/* deformations are the motion of the last marker, relative to the first one where there are two */
static void marker_slopes(const core_type *t, const hk_plugin_in *in, const load *l,
                          hk_plugin_out *out) {
  const int32_t last = t->kind == CORE_BODIES ? 6 : 0;
  for (int i = 0; i < 6; i++) out->B[out->ldB * i + last + i] = 1.0;
  if (last) {
    const double r[3] = {in->m[1].p[0] - in->m[0].p[0], in->m[1].p[1] - in->m[0].p[1],
                         in->m[1].p[2] - in->m[0].p[2]};
    const double X[9] = {0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0};
    for (int i = 0; i < 6; i++) out->B[out->ldB * i + i] = -1.0;
    for (int i = 0; i < 9; i++) out->B[out->ldB * (3 + i / 3) + i % 3] = X[i];
  }
  for (int i = 0; i < 36; i++) {
    out->ks[out->ldk * (i / 6) + i % 6] = -l->K[i];
    out->cs[out->ldk * (i / 6) + i % 6] = -l->C[i];
  }
}

static void books(const hk_plugin_in *in, const load *l, int32_t nmark, hk_plugin_out *out) {
  double power = nmark ? 0.0 : l->w[0] * in->sd;
  for (int32_t k = 0; k < nmark; k++)
    for (int i = 0; i < 3; i++)
      power += out->w[6 * k + i] * in->m[k].w[i] + out->w[6 * k + 3 + i] * in->m[k].v[i];
  const bool none = isnan(l->books[0]) && isnan(l->books[1]) && isnan(l->books[2]);
  *out->energy = isnan(l->books[0]) ? 0.0 : l->books[0];
  *out->dissipated = isnan(l->books[1]) ? 0.0 : l->books[1];
  *out->supplied = none ? power : isnan(l->books[2]) ? 0.0 : l->books[2];
}

void core_load_eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  const core_type *t = type_of(par);
  const int32_t nmark = t->as.element.nmark;
  double x[CORE_NUMBERS];
  given g = {.number = {in->t, in->s, in->sd},
             .numbers = nmark ? 1 : 3,
             .block = {in->m},
             .bytes = {(size_t)nmark * sizeof *in->m},
             .blocks = nmark ? 1 : 0,
             .par = par,
             .u = in->u};
  ask(t, &g, x);
  const load l = parts(t, x);
  if (nmark == 0) *out->tau = l.w[0];
  if (nmark == 1) memcpy(out->w, l.w, 6 * sizeof *l.w);
  if (nmark == 2) share(in, l.w, out->w);
  if (t->slopes && need & HK_PLUGIN_NEED_TANGENT) {
    if (nmark)
      marker_slopes(t, in, &l, out);
    else
      out->K[0] = -l.K[0], out->C[0] = -l.C[0];
  }
  if (need & HK_PLUGIN_NEED_ENERGY) books(in, &l, nmark, out);
  if (need & HK_PLUGIN_NEED_OUTPUT) memcpy(out->y, l.y, (size_t)t->ny * sizeof *l.y);
}

/* --- signals ---------------------------------------------------------------------------------- */

/* an unknown of its own: x - f(t, u) = 0 */
void core_signal_eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  const core_type *t = type_of(par);
  double f;
  ask(t, &(given){.number = {in->t}, .numbers = 1, .par = par, .u = in->u}, &f);
  out->F[0] = in->x[0] - f;
  if (need & HK_PLUGIN_NEED_TANGENT) out->Fx[0] = 1.0;
  if (need & HK_PLUGIN_NEED_OUTPUT) out->y[0] = in->x[0];
}

/* --- controllers ------------------------------------------------------------------------------ */

void core_block_start(const void *par, const double *u, double *x, double *y) {
  const core_type *t = type_of(par);
  (void)u, (void)y;
  memcpy(x, t->start, (size_t)t->nx * sizeof *x);
}

void core_block_sample(const void *par, double t, double period, const double *u, double *x,
                       double *y) {
  const core_type *type = type_of(par);
  double out[CORE_NUMBERS];
  given g = {.number = {t},
             .numbers = 1,
             .block = {u, x},
             .bytes = {(size_t)type->nu * sizeof *u, (size_t)type->nx * sizeof *x},
             .blocks = 2,
             .par = par};
  (void)period;
  ask(type, &g, out);
  memcpy(y, out, (size_t)type->ny * sizeof *y);
  memcpy(x, out + type->ny, (size_t)type->nx * sizeof *x);
}
