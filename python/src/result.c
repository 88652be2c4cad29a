/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c: hooke._core.Result, an open result file, and the page that shows results.
 */
#include "core.h"

static int result_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_result *r = (core_result *)self;
  core_state *st = core_state_of(self);
  const char *path;
  hk_status status;
  if (!PyArg_ParseTuple(args, "s", &path)) return -1;
  if (r->ctx) {
    core_misuse(st, "a result is opened once");
    return -1;
  }
  r->ctx = hk_ctx_create();
  if (!r->ctx) {
    PyErr_NoMemory();
    return -1;
  }
  Py_BEGIN_ALLOW_THREADS status = hk_result_open(r->ctx, path, &r->result);
  Py_END_ALLOW_THREADS if (status == HK_OK) return 0;
  core_raise(st, r->ctx, status);
  return -1;
}

static void result_dealloc(PyObject *self) {
  core_result *r = (core_result *)self;
  hk_result_close(r->result);
  hk_ctx_destroy(r->ctx);
  core_free_object(self);
}

static core_result *result_of(PyObject *self, core_state **st) {
  core_result *r = (core_result *)self;
  *st = core_state_of(self);
  if (*st && !r->result) core_misuse(*st, "the result is closed");
  return *st && r->result ? r : NULL;
}

static PyObject *result_close(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_result *r = (core_result *)self;
  core_state *st = core_state_of(self);
  if (!core_enter(st, &r->busy)) return NULL;
  hk_result_close(r->result);
  r->result = NULL;
  core_leave(&r->busy);
  Py_RETURN_NONE;
}

static PyObject *result_rows(PyObject *self, void *nothing) {
  (void)nothing;
  return PyLong_FromLongLong(hk_result_rows(((core_result *)self)->result));
}

/* the channels: a list of (name, unit, meaning) */
static PyObject *result_channels(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_result *r = result_of(self, &st);
  PyObject *list = r ? PyList_New(0) : NULL;
  for (int32_t i = 0; list && i < hk_result_channel_count(r->result); i++) {
    PyObject *one = Py_BuildValue("NNN", core_text(hk_result_channel_name(r->result, i)),
                                  core_text(hk_result_channel_unit(r->result, i)),
                                  core_text(hk_result_channel_text(r->result, i)));
    if (!one || PyList_Append(list, one) != 0) Py_CLEAR(list);
    Py_XDECREF(one);
  }
  return list;
}

/* read(channel, first, array): as many rows as the array has room for, into it */
static PyObject *result_read(PyObject *self, PyObject *args) {
  core_state *st;
  core_result *r = result_of(self, &st);
  int channel;
  long long first;
  PyObject *array;
  Py_buffer view;
  hk_status status;
  if (!r || !PyArg_ParseTuple(args, "iLO", &channel, &first, &array)) return NULL;
  if (!core_buffer(array, &view, 'd', -1, true)) return NULL;
  if (!core_enter(st, &r->busy)) {
    PyBuffer_Release(&view);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS status =
      hk_result_read(r->result, channel, first, core_items(&view), view.buf);
  Py_END_ALLOW_THREADS PyBuffer_Release(&view);
  if (status != HK_OK) core_raise(st, r->ctx, status);
  core_leave(&r->busy);
  if (status != HK_OK) return NULL;
  Py_RETURN_NONE;
}

static PyObject *result_text(PyObject *self, PyObject *key) {
  core_state *st;
  core_result *r = result_of(self, &st);
  const char *name = r ? core_utf8(key) : NULL;
  return name ? core_text(hk_result_text(r->result, name)) : NULL;
}

/* page(megabytes): one HTML page with animation and plots, as bytes */
static PyObject *result_page(PyObject *self, PyObject *args) {
  core_state *st;
  core_result *r = result_of(self, &st);
  hk_report_options options = hk_report_options_def();
  char *html = NULL;
  size_t len = 0;
  hk_status status;
  int megabytes;
  if (!r || !PyArg_ParseTuple(args, "i", &megabytes) || !core_enter(st, &r->busy)) return NULL;
  if (megabytes > 0) options.megabytes = megabytes;
  Py_BEGIN_ALLOW_THREADS status = hk_report_make(r->ctx, &r->result, 1, &options, &html, &len);
  Py_END_ALLOW_THREADS PyObject *out = status == HK_OK
                                           ? PyBytes_FromStringAndSize(html, (Py_ssize_t)len)
                                           : core_raise(st, r->ctx, status);
  hk_report_free(r->ctx, html);
  hk_ctx_clear(r->ctx);
  core_leave(&r->busy);
  return out;
}

static PyGetSetDef result_fields[] = {
    {"rows", result_rows, NULL, "How many rows were recorded.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

static PyMethodDef result_methods[] = {
    {"channels", result_channels, METH_NOARGS, "The channels: (name, unit, meaning)."},
    {"read", result_read, METH_VARARGS, "Values of a channel into an array."},
    {"text", result_text, METH_O, "What the file says about itself."},
    {"page", result_page, METH_VARARGS, "One HTML page with animation and plots."},
    {"close", result_close, METH_NOARGS, "Close the file."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot result_slots[] = {
    {Py_tp_init, result_init},           {Py_tp_dealloc, result_dealloc},
    {Py_tp_methods, result_methods},     {Py_tp_getset, result_fields},
    {Py_tp_doc, "An open result file."}, {0, NULL}};

PyType_Spec core_result_spec = {.name = "hooke._core.Result",
                                .basicsize = sizeof(core_result),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                .slots = result_slots};
