/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c: hooke._core.Tensor, numbers of a batch for other libraries: the methods __dlpack__ and __dlpack_device__ of the Python
 * array API (2023.12), https://data-apis.org/array-api/latest/API_specification/generated/array_api.array.__dlpack__.html.
 *
 * Every call of __dlpack__ gives a capsule of its own, with a struct of version 1 or of the versions before it, that holds
 * the Tensor until the one who took it gives it back.
 */
#include <string.h>

#include "core.h"
#include "hooke/dlpack.h"

enum { ON_PROCESSOR = 1 };

typedef struct core_tensor {
  PyObject ob_base;
  DLManagedTensorVersioned *of;
} core_tensor;

/* what a capsule holds: one of the two structs, with the tensor or with a copy of its numbers */
typedef struct lent {
  union {
    DLManagedTensorVersioned now;
    DLManagedTensor before;
  } as;
  PyObject *tensor;
  void *copy;
} lent;

PyObject *core_tensor_of(core_state *st, DLManagedTensorVersioned *of) {
  core_tensor *t = (core_tensor *)PyType_GenericAlloc(st->tensor_type, 0);
  if (!t) return of->deleter(of), NULL;
  t->of = of;
  return (PyObject *)t;
}

static void tensor_dealloc(PyObject *self) {
  core_tensor *t = (core_tensor *)self;
  if (t->of) t->of->deleter(t->of);
  core_free_object(self);
}

static DLTensor *inside(PyObject *self) { return &((core_tensor *)self)->of->dl_tensor; }

/* --- capsules --------------------------------------------------------------------------------- */

/* the one who took it may be any thread, with or without the interpreter's lock */
static void end_lent(lent *l) {
  const PyGILState_STATE lock = PyGILState_Ensure();
  Py_XDECREF(l->tensor);
  PyMem_Free(l->copy);
  PyMem_Free(l);
  PyGILState_Release(lock);
}

static void end_now(DLManagedTensorVersioned *self) { end_lent(self->manager_ctx); }
static void end_before(DLManagedTensor *self) { end_lent(self->manager_ctx); }

/* a capsule that nobody has taken */
static void end_capsule(PyObject *capsule) {
  void *x = PyCapsule_GetPointer(capsule, "dltensor_versioned");
  if (x) ((DLManagedTensorVersioned *)x)->deleter(x);
  PyErr_Clear();
  x = x ? NULL : PyCapsule_GetPointer(capsule, "dltensor");
  if (x) ((DLManagedTensor *)x)->deleter(x);
  PyErr_Clear();
}

static size_t bytes_of(const DLTensor *x) {
  size_t n = x->dtype.bits / 8;
  for (int32_t i = 0; i < x->ndim; i++) n *= (size_t)x->shape[i];
  return n;
}

/* Numbers in the processor's memory are a block without gaps, so that their copy is one, too. */
static bool copy_numbers(const DLTensor *from, lent *l, DLTensor *to) {
  const size_t n = bytes_of(from);
  l->copy = PyMem_Malloc(n ? n : 1);
  if (!l->copy) return PyErr_NoMemory(), false;
  memcpy(l->copy, from->data, n);
  to->data = l->copy;
  return true;
}

static PyObject *make_capsule(PyObject *self, bool versioned, bool copied) {
  const DLManagedTensorVersioned *of = ((core_tensor *)self)->of;
  DLTensor x = of->dl_tensor;
  lent *l = PyMem_Calloc(1, sizeof *l);
  if (!l) return PyErr_NoMemory();
  if (copied && !copy_numbers(inside(self), l, &x)) return PyMem_Free(l), NULL;
  l->tensor = Py_NewRef(self);
  if (versioned) {
    const uint64_t flags = of->flags & (uint64_t)HK_DLPACK_READ_ONLY; // others may hold it as well
    l->as.now = (DLManagedTensorVersioned){.version = of->version,
                                           .manager_ctx = l,
                                           .deleter = end_now,
                                           .flags = copied ? HK_DLPACK_IS_COPIED : flags,
                                           .dl_tensor = x};
  } else {
    l->as.before = (DLManagedTensor){.dl_tensor = x, .manager_ctx = l, .deleter = end_before};
  }
  PyObject *capsule =
      PyCapsule_New(&l->as, versioned ? "dltensor_versioned" : "dltensor", end_capsule);
  if (!capsule) end_lent(l);
  return capsule;
}

/* --- methods ---------------------------------------------------------------------------------- */

/* On a card all work has ended when a tensor is made, so that no stream has to wait: 0 alone means nothing there. */
static bool good_stream(const DLTensor *x, PyObject *stream) {
  if (stream == Py_None) return true;
  const long number = PyLong_AsLong(stream);
  if (number == -1 && PyErr_Occurred()) return false;
  if (x->device.device_type != ON_PROCESSOR && number != 0 && number >= -1) return true;
  PyErr_Format(PyExc_ValueError,
               x->device.device_type == ON_PROCESSOR
                   ? "the processor has no streams: expected None, found %ld"
                   : "expected None, -1, 1, 2 or the address of a stream, found %ld",
               number);
  return false;
}

/* a pair of whole numbers */
static bool pair(PyObject *x, const char *what, long *a, long *b) {
  PyObject *first = PySequence_Size(x) == 2 ? PySequence_GetItem(x, 0) : NULL;
  PyObject *second = first ? PySequence_GetItem(x, 1) : NULL;
  *a = second ? PyLong_AsLong(first) : -1;
  *b = second && !PyErr_Occurred() ? PyLong_AsLong(second) : -1;
  const bool good = second && !PyErr_Occurred();
  Py_XDECREF(first);
  Py_XDECREF(second);
  if (!good) PyErr_Format(PyExc_TypeError, "%s is a pair of whole numbers", what);
  return good;
}

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) */
static PyObject *tensor_dlpack(PyObject *self, PyObject *args, PyObject *keywords) {
  static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  const core_tensor *t = (core_tensor *)self;
  const DLTensor *x = inside(self);
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  long major = 0, minor, type, number;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO", names, &stream, &version, &device,
                                   &copy) ||
      !good_stream(x, stream) ||
      (version != Py_None && !pair(version, "max_version", &major, &minor)) ||
      (device != Py_None && !pair(device, "dl_device", &type, &number)))
    return NULL;
  const int wanted = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  if (wanted < 0) return NULL;
  const bool here = x->device.device_type == ON_PROCESSOR;
  if (device != Py_None && (type != x->device.device_type || number != x->device.device_id))
    return PyErr_SetString(PyExc_BufferError, "the numbers lie elsewhere, and are not moved"), NULL;
  if (wanted && !here)
    return PyErr_SetString(PyExc_BufferError, "numbers on a card are not copied: take them, then "
                                              "copy them there"),
           NULL;
  // those who know no flags may have what is a copy: the batch does not see what they write
  const uint64_t both = (uint64_t)HK_DLPACK_READ_ONLY | (uint64_t)HK_DLPACK_IS_COPIED;
  if (major < 1 && !wanted && (t->of->flags & both) == (uint64_t)HK_DLPACK_READ_ONLY)
    return PyErr_SetString(PyExc_BufferError, "the numbers are read-only, which versions of DLPack "
                                              "before 1.0 cannot say"),
           NULL;
  return make_capsule(self, major >= 1, wanted);
}

static PyObject *tensor_device(PyObject *self, PyObject *nothing) {
  (void)nothing;
  const DLTensor *x = inside(self);
  return Py_BuildValue("(ii)", x->device.device_type, x->device.device_id);
}

static PyObject *tensor_shape(PyObject *self, void *nothing) {
  (void)nothing;
  const DLTensor *x = inside(self);
  if (x->ndim == 1) return Py_BuildValue("(L)", (long long)x->shape[0]);
  return Py_BuildValue("(LL)", (long long)x->shape[0], (long long)x->shape[1]);
}

static PyObject *tensor_live(PyObject *self, void *nothing) {
  (void)nothing;
  return PyBool_FromLong(!(((core_tensor *)self)->of->flags & (uint64_t)HK_DLPACK_IS_COPIED));
}

static PyMethodDef tensor_methods[] = {
    {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS,
     "A capsule with the numbers, for from_dlpack."},
    {"__dlpack_device__", tensor_device, METH_NOARGS, "Where the numbers lie: kind and number."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef tensor_values[] = {
    {"shape", tensor_shape, NULL, "How many numbers in each direction.", NULL},
    {"live", tensor_live, NULL,
     "True: these are the numbers of the batch itself; False: a copy of them.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyType_Slot tensor_slots[] = {{Py_tp_dealloc, tensor_dealloc},
                                     {Py_tp_methods, tensor_methods},
                                     {Py_tp_getset, tensor_values},
                                     {Py_tp_doc, "Numbers of all worlds of a batch, for libraries "
                                                 "that know DLPack."},
                                     {0, NULL}};

PyType_Spec core_tensor_spec = {.name = "hooke._core.Tensor",
                                .basicsize = sizeof(core_tensor),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = tensor_slots};
