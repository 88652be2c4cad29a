/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: dictionaries and lists of Python as the tree of nodes that a model file is read into.
 */
#include "core.h"

#include "hooke/node.h"

/* deeper content is refused by the library; this only keeps the stack */
enum { DEPTH = 100 };

static hk_node *make(hk_ctx *ctx, PyObject *value, int depth);

/* a whole number: exact as a number of C up to 2^53, else by its digits */
static hk_node *make_integer(hk_ctx *ctx, PyObject *value) {
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (n == -1 && PyErr_Occurred()) return NULL;
  if (!overflow && n > -(1LL << 53) && n < 1LL << 53) return hk_node_new_number(ctx, (double)n);
  PyObject *text = PyObject_Str(value);
  const char *digits = text ? core_utf8(text) : NULL;
  hk_node *node = digits ? hk_node_new_text(ctx, digits) : NULL;
  Py_XDECREF(text);
  return node;
}

/* puts the node of a value into another; false with an error, or with a message in the context */
static bool put(hk_ctx *ctx, hk_node *to, const char *key, PyObject *value, int depth) {
  hk_node *child = make(ctx, value, depth + 1);
  if (!child) return false;
  if (hk_node_set(to, key, child) == HK_OK) return true;
  hk_node_destroy(child);
  return false;
}

static hk_node *make_map(hk_ctx *ctx, PyObject *dict, int depth) {
  hk_node *map = hk_node_new_map(ctx);
  PyObject *key, *value;
  Py_ssize_t at = 0;
  bool good = map;
  while (good && PyDict_Next(dict, &at, &key, &value)) {
    const char *name = core_utf8(key);
    good = name && put(ctx, map, name, value, depth);
  }
  if (good) return map;
  hk_node_destroy(map);
  return NULL;
}

static hk_node *make_list(hk_ctx *ctx, PyObject *items, int depth) {
  hk_node *list = hk_node_new_list(ctx);
  bool good = list;
  for (Py_ssize_t i = 0; good && i < PyList_Size(items); i++)
    good = put(ctx, list, NULL, PyList_GetItem(items, i), depth);
  if (good) return list;
  hk_node_destroy(list);
  return NULL;
}

static hk_node *make(hk_ctx *ctx, PyObject *value, int depth) {
  if (depth > DEPTH) {
    PyErr_SetString(PyExc_ValueError, "a model is not nested so deeply");
    return NULL;
  }
  if (value == Py_None) return hk_node_new_null(ctx);
  if (PyBool_Check(value)) return hk_node_new_bool(ctx, value == Py_True);
  if (PyLong_Check(value)) return make_integer(ctx, value);
  if (PyFloat_Check(value)) return hk_node_new_number(ctx, PyFloat_AsDouble(value));
  if (PyDict_Check(value)) return make_map(ctx, value, depth);
  if (PyList_Check(value)) return make_list(ctx, value, depth);
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "a model cannot hold %R", value);
    return NULL;
  }
  const char *text = core_utf8(value);
  return text ? hk_node_new_text(ctx, text) : NULL;
}

hk_node *core_tree(hk_ctx *ctx, PyObject *dict) { return make(ctx, dict, 0); }
