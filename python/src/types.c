/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: hooke._core.Type: the tables that the library knows a type by, and the modules of a context.
 */
#include "types.h"

#include <math.h>
#include <string.h>

/* --- life ------------------------------------------------------------------------------------- */

static int type_traverse(PyObject *self, visitproc visit, void *arg) {
  const core_type *t = (core_type *)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(t->call);
  return 0;
}

static int type_clear(PyObject *self) {
  Py_CLEAR(((core_type *)self)->call);
  return 0;
}

static void type_dealloc(PyObject *self) {
  core_type *t = (core_type *)self;
  PyObject_GC_UnTrack(self);
  type_clear(self);
  for (int32_t i = 0; i < t->nkeys; i++) {
    Py_CLEAR(t->key[i].name);
    Py_CLEAR(t->key[i].words);
  }
  PyMem_Free(t->key);
  PyMem_Free(t->rows);
  PyMem_Free(t->start);
  Py_CLEAR(t->texts);
  core_free_object(self);
}

/* a text of Python that lives as long as the type; NULL with an error */
static const char *keep(core_type *t, PyObject *text) {
  const char *s = core_utf8(text);
  return s && PyList_Append(t->texts, text) == 0 ? s : NULL;
}

/* --- keys ------------------------------------------------------------------------------------- */

/* those that say where an element acts */
static const hk_plugin_key no_place[] = {{.kind = HK_PLUGIN_END}};
static const hk_plugin_key joint_place[] = {{"joint", HK_PLUGIN_JOINT, HK_PLUGIN_REQUIRED, -1, 0, 0,
                                             0, "", NULL, "the joint, or one of its coordinates"},
                                            {.kind = HK_PLUGIN_END}};
static const hk_plugin_key body_place[] = {
    {"on", HK_PLUGIN_BODY, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the body it acts on"},
    {"at", HK_PLUGIN_POINT, 0, -1, 0, 0, 0, "m", NULL, "the point of the body it acts at"},
    {.kind = HK_PLUGIN_END}};
static const hk_plugin_key bodies_place[] = {
    {"between", HK_PLUGIN_BODIES, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_PLUGIN_ENDS, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "m", NULL,
     "a point of the first body and one of the second"},
    {.kind = HK_PLUGIN_END}};

/* the kinds by their words */
static const struct {
  const char *word;
  const hk_plugin_key *place;
} kinds[] = {[CORE_LAW] = {"law", no_place},       [CORE_JOINT] = {"joint", joint_place},
             [CORE_BODY] = {"body", body_place},   [CORE_BODIES] = {"bodies", bodies_place},
             [CORE_SIGNAL] = {"signal", no_place}, [CORE_CONTROLLER] = {"controller", no_place}};

/* a key of (name, kind, flags, default, least, most, unit, choices, text, words) */
static bool read_key(core_type *t, PyObject *row, core_key *key, hk_plugin_key *out, int32_t *own,
                     int32_t *nu) {
  PyObject *name, *unit, *choices, *text, *words;
  int kind;
  unsigned flags;
  if (!PyArg_ParseTuple(row, "UiIdddUUUO", &name, &kind, &flags, &out->def, &out->min, &out->max,
                        &unit, &choices, &text, &words))
    return false;
  out->kind = kind, out->flags = flags;
  out->offset = kind == HK_PLUGIN_SIGNAL ? (*nu)++ : CORE_OWN * ++*own;
  *key = (core_key){Py_NewRef(name), Py_NewRef(words), kind, out->offset};
  t->nkeys++;
  out->name = keep(t, name);
  out->unit = keep(t, unit);
  out->choices = keep(t, choices);
  out->text = keep(t, text);
  return !PyErr_Occurred();
}

/* all keys; the bytes of the parameters and the number of inputs. False with an error */
static bool read_keys(core_type *t, PyObject *list, size_t *par_size, int32_t *nu) {
  const hk_plugin_key *place = kinds[t->kind].place;
  const Py_ssize_t n = PyList_Size(list);
  int32_t places = 0, own = 0;
  while (place[places].kind != HK_PLUGIN_END) places++;
  t->rows = PyMem_Calloc((size_t)(n + places + 1), sizeof *t->rows);
  t->key = PyMem_Calloc((size_t)n + 1, sizeof *t->key);
  if (!t->rows || !t->key) return PyErr_NoMemory(), false;
  memcpy(t->rows, place, (size_t)places * sizeof *place);
  for (Py_ssize_t i = 0; i < n; i++)
    if (!read_key(t, PyList_GetItem(list, i), &t->key[i], &t->rows[places + i], &own, nu))
      return false;
  t->rows[places + n].kind = HK_PLUGIN_END;
  *par_size = (size_t)CORE_OWN * (size_t)(own + 1);
  return true;
}

/* --- the structs ------------------------------------------------------------------------------ */

static const double unit_scale[] = {1.0};

/* the type that is being brought: entries have no place for it */
static _Thread_local const core_type *bringing;

static int32_t bring(const hk_plugin_host *host) {
  const core_type *t = bringing;
  if (t->kind == CORE_LAW) return host->add_law(host, &t->as.law);
  if (t->kind == CORE_CONTROLLER) return host->add_block(host, &t->as.block);
  return host->add_element(host, &t->as.element);
}

/* what `Type` is called with beside the keys */
typedef struct shape {
  const char *outputs, *units;
  size_t par_size;
  int32_t nu;
  bool conserves; /* a law that has an energy */
} shape;

static void fill_element(core_type *t, const shape *sh) {
  const int32_t nmark = t->kind == CORE_BODY ? 1 : t->kind == CORE_BODIES ? 2 : 0;
  const bool signal = t->kind == CORE_SIGNAL;
  t->as.element = (hk_plugin_element){
      .size = sizeof t->as.element,
      .name = t->plugin.name,
      .text = t->plugin.text,
      .source = "a function of Python",
      .keys = t->rows,
      .par_size = sh->par_size,
      .caps = (signal ? (unsigned)HK_PLUGIN_NETWORK : (unsigned)HK_PLUGIN_SUPPLIES) |
              (signal || t->slopes ? (unsigned)HK_PLUGIN_TANGENT : 0u),
      .nmark = nmark,
      .on_joint = t->kind == CORE_JOINT,
      .rank = nmark ? 6 : 0,
      .nu = sh->nu,
      .ny = t->ny,
      .nown = signal,
      .own_scale = unit_scale,
      .outputs = sh->outputs,
      .output_units = sh->units,
      .eval = signal ? core_signal_eval : core_load_eval,
      .self = t};
}

static void fill_law(core_type *t, const shape *sh) {
  t->as.law = (hk_plugin_law){.size = sizeof t->as.law,
                              .name = t->plugin.name,
                              .text = t->plugin.text,
                              .keys = t->rows,
                              .par_size = sh->par_size,
                              .caps = HK_PLUGIN_READS_S |
                                      (sh->conserves ? 0u : (unsigned)HK_PLUGIN_READS_RATE) |
                                      (t->slopes ? (unsigned)HK_PLUGIN_SLOPES : 0u),
                              .force = core_law_force,
                              .self = t};
}

static void fill_block(core_type *t, const shape *sh) {
  t->as.block = (hk_plugin_block){.size = sizeof t->as.block,
                                  .name = t->plugin.name,
                                  .text = t->plugin.text,
                                  .keys = t->rows,
                                  .par_size = sh->par_size,
                                  .nu = t->nu,
                                  .nx = t->nx,
                                  .ny = t->ny,
                                  .outputs = sh->outputs,
                                  .start = t->nx ? core_block_start : NULL,
                                  .sample = core_block_sample,
                                  .self = t};
}

/* states at the start; false with an error */
static bool read_start(core_type *t, PyObject *list) {
  const Py_ssize_t n = PyList_Size(list);
  t->start = PyMem_Calloc((size_t)n + 1, sizeof *t->start);
  if (!t->start) return PyErr_NoMemory(), false;
  t->nx = (int32_t)n;
  for (Py_ssize_t i = 0; i < n; i++) t->start[i] = PyFloat_AsDouble(PyList_GetItem(list, i));
  return !PyErr_Occurred();
}

/* Type(kind, name, text, function, keys, positional, count, slopes, conserves, ny, outputs, units, nu,
 * start) */
static int type_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_type *t = (core_type *)self;
  shape sh = {0};
  const char *kind;
  PyObject *name, *text, *call, *keys, *outputs, *units, *start;
  int slopes, conserves;
  if (t->texts) return PyErr_SetString(PyExc_TypeError, "a type is made once"), -1;
  if (!PyArg_ParseTuple(args, "sUUOO!iippiUUiO!", &kind, &name, &text, &call, &PyList_Type, &keys,
                        &t->positional, &t->count, &slopes, &conserves, &t->ny, &outputs, &units,
                        &t->nu, &PyList_Type, &start))
    return -1;
  int32_t k = 0, n = sizeof kinds / sizeof *kinds;
  while (k < n && strcmp(kinds[k].word, kind) != 0) k++;
  if (k == n || t->count < 1 || t->count > CORE_NUMBERS || t->ny < 0 || t->positional < 0 ||
      t->positional > 2)
    return PyErr_SetString(PyExc_ValueError, "no such kind, or too many numbers"), -1;
  t->kind = (core_kind)k;
  t->slopes = slopes, sh.conserves = conserves;
  t->call = Py_NewRef(call);
  if (!(t->texts = PyList_New(0))) return -1;
  t->plugin = (hk_plugin){HK_PLUGIN_MAGIC, HK_PLUGIN_VERSION, keep(t, name), keep(t, text), bring};
  sh.outputs = keep(t, outputs), sh.units = keep(t, units);
  if (PyErr_Occurred() || !read_keys(t, keys, &sh.par_size, &sh.nu) || !read_start(t, start))
    return -1;
  if (t->kind == CORE_LAW)
    fill_law(t, &sh);
  else if (t->kind == CORE_CONTROLLER)
    fill_block(t, &sh);
  else
    fill_element(t, &sh);
  return 0;
}

/* --- modules of a context --------------------------------------------------------------------- */

bool core_modules(core_state *st, hk_ctx *ctx, PyObject *modules, bool types) {
  for (Py_ssize_t i = 0; modules && i < PyTuple_Size(modules); i++) {
    PyObject *one = PyTuple_GetItem(modules, i);
    hk_status status = HK_OK;
    if (PyObject_TypeCheck(one, st->type_type)) {
      const core_type *t = (core_type *)one;
      bringing = t;
      if (types && t->plugin.init) status = hk_module_add(ctx, &t->plugin);
    } else {
      const char *path = core_utf8(one);
      if (!path) return false;
      status = hk_module_load(ctx, path);
    }
    if (!core_good(st, ctx, status)) return false;
  }
  return true;
}

static PyType_Slot type_slots[] = {
    {Py_tp_init, type_init},
    {Py_tp_dealloc, type_dealloc},
    {Py_tp_traverse, type_traverse},
    {Py_tp_clear, type_clear},
    {Py_tp_doc, "A type of a model whose function is one of Python."},
    {0, NULL}};

PyType_Spec core_type_spec = {.name = "hooke._core.Type",
                              .basicsize = sizeof(core_type),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                              .slots = type_slots};
