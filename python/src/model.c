/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: hooke._core.Model, a compiled model in a context of its own; the doctor; whole runs.
 */
#include "analyses.h"

#include <stddef.h>

/* --- life ------------------------------------------------------------------------------------- */

/* what a model is made of */
typedef struct source {
  char how;          /* 'l': of the file `text`, 'p': of the text itself, 'b': of the tree */
  const char *text;  /* as `how` says */
  Py_ssize_t len;    /* its bytes */
  const char *name;  /* stands in messages; NULL: none */
  hk_node *tree;     /* of a dictionary */
  const hk_set *set; /* parameters to change */
  int32_t nsets;
} source;

static hk_status make(core_model *m, const source *from) {
  if (from->how == 'l') return hk_model_load(m->ctx, from->text, from->set, from->nsets, &m->model);
  if (from->how == 'b')
    return hk_model_build(m->ctx, from->tree, from->name, from->set, from->nsets, &m->model);
  return hk_model_parse(m->ctx, from->text, (size_t)from->len, from->name ? from->name : "(text)",
                        from->set, from->nsets, &m->model);
}

static int load(core_model *m, core_state *st, PyObject *content, source *from) {
  hk_status status = HK_E_USAGE;
  m->ctx = hk_ctx_create();
  if (!m->ctx) return PyErr_NoMemory(), -1;
  if (!core_modules(st, m->ctx, m->modules, true)) return -1;
  if (from->how == 'b')
    from->tree = core_tree(m->ctx, content);
  else
    from->text = PyUnicode_AsUTF8AndSize(content, &from->len);
  if (PyErr_Occurred()) return -1;
  if (from->text || from->tree) {
    Py_BEGIN_ALLOW_THREADS status = make(m, from);
    Py_END_ALLOW_THREADS hk_node_destroy(from->tree);
  }
  return core_good(st, m->ctx, status) ? 0 : -1;
}

/* Model("load", path, None, sets, modules), Model("parse", text, name, sets, modules) or Model("build", dict,
 * name, sets, modules) */
static int model_init(PyObject *self, PyObject *args, PyObject *keywords) {
  (void)keywords;
  core_model *m = (core_model *)self;
  core_state *st = core_state_of(self);
  const char *how;
  PyObject *pairs, *content, *modules;
  core_pairs sets;
  source from = {.how = 0};
  if (!PyArg_ParseTuple(args, "sOzOO!", &how, &content, &from.name, &pairs, &PyTuple_Type,
                        &modules))
    return -1;
  if (m->ctx) {
    core_misuse(st, "a model is made once");
    return -1;
  }
  from.how = *how;
  m->modules = Py_NewRef(modules);
  int failed = -1;
  hk_set *list = NULL;
  if (core_pairs_get(pairs, &sets) && (list = PyMem_Calloc((size_t)sets.n + 1, sizeof *list))) {
    for (int32_t i = 0; i < sets.n; i++) list[i] = (hk_set){sets.item[i][0], sets.item[i][1]};
    from.set = list;
    from.nsets = sets.n;
    failed = load(m, st, content, &from);
  } else if (!PyErr_Occurred()) {
    PyErr_NoMemory();
  }
  PyMem_Free(list);
  core_pairs_end(&sets);
  return failed;
}

/* modules go with the context alone: their functions end what is in cycles */
static int model_traverse(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(((core_model *)self)->modules);
  return 0;
}

static void model_dealloc(PyObject *self) {
  core_model *m = (core_model *)self;
  PyObject_GC_UnTrack(self);
  hk_model_release(m->model);
  hk_ctx_destroy(m->ctx);
  Py_CLEAR(m->modules);
  core_free_object(self);
}

/* the model of an object; NULL with an error */
static core_model *model_of(PyObject *self, core_state **st) {
  core_model *m = (core_model *)self;
  *st = core_state_of(self);
  if (*st && !m->model) core_misuse(*st, "the model was never made");
  return *st && m->model ? m : NULL;
}

/* --- what it says ----------------------------------------------------------------------------- */

static PyObject *model_title(PyObject *self, void *nothing) {
  (void)nothing;
  return core_text(hk_model_title(((core_model *)self)->model));
}

static PyObject *model_path(PyObject *self, void *nothing) {
  (void)nothing;
  return core_text(hk_model_path(((core_model *)self)->model));
}

static PyObject *model_messages(PyObject *self, void *nothing) {
  (void)nothing;
  core_state *st;
  core_model *m = model_of(self, &st);
  return m ? core_messages(st, m->ctx) : NULL;
}

static PyGetSetDef model_fields[] = {
    {"title", model_title, NULL, "The title that the model gives itself.", NULL},
    {"path", model_path, NULL, "Where the model came from.", NULL},
    {"messages", model_messages, NULL, "Notes and warnings so far.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};

/* --- the doctor ------------------------------------------------------------------------------- */

/* puts a new reference into a dictionary; false with an error */
static bool put(PyObject *dict, const char *key, PyObject *value) {
  const bool ok = value && PyDict_SetItemString(dict, key, value) == 0;
  Py_XDECREF(value);
  return ok;
}

/* the counts and numbers of a report, by their place in it */
static const struct {
  const char *name;
  size_t at;
} counts[] =
    {
#define COUNT(field)                                                                               \
  { #field, offsetof(hk_check_report, field) }
        COUNT(bodies),      COUNT(joints),       COUNT(forces),
        COUNT(coordinates), COUNT(constraints),  COUNT(rank),
        COUNT(dof),         COUNT(redundant),    COUNT(gruebler),
        COUNT(mechanisms),  COUNT(tree_joints),  COUNT(cut_joints),
        COUNT(planar),      COUNT(position_dof), COUNT(nodes),
        COUNT(unknowns),    COUNT(states),       COUNT(network_elements),
},
  numbers[] = {
      COUNT(total_mass),
      COUNT(assembly_position),
      COUNT(assembly_velocity),
      COUNT(memory),
#undef COUNT
};

static PyObject *names(const hk_check_names *list) {
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; out && i < list->n; i++) {
    PyObject *s = core_text(list->names[i]);
    if (!s || PyList_Append(out, s) != 0) Py_CLEAR(out);
    Py_XDECREF(s);
  }
  return out;
}

static PyObject *findings(const hk_check_report *r) {
  static const char *const kinds[] = {"redundant", "conflict", "inertia_free", "massless", "start",
                                      "note",      "release",  "direction",    "units"};
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; out && i < r->nfindings; i++) {
    const hk_finding *f = &r->findings[i];
    const char *kind = (size_t)f->kind < sizeof kinds / sizeof *kinds ? kinds[f->kind] : "note";
    PyObject *one = Py_BuildValue("{s:s,s:N,s:N}", "kind", kind, "item", core_text(f->item), "text",
                                  core_text(f->text));
    if (!one || PyList_Append(out, one) != 0) Py_CLEAR(out);
    Py_XDECREF(one);
  }
  return out;
}

static PyObject *start_values(const hk_check_report *r) {
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; out && i < r->nstart; i++) {
    const hk_check_value *v = &r->start[i];
    PyObject *one = Py_BuildValue("{s:N,s:N,s:d,s:d,s:d,s:N}", "name", core_text(v->name), "unit",
                                  core_text(v->unit), "drawn", v->drawn, "asked", v->asked, "found",
                                  v->found, "why", core_text(v->why));
    if (!one || PyList_Append(out, one) != 0) Py_CLEAR(out);
    Py_XDECREF(one);
  }
  return out;
}

static PyObject *formulations(const hk_check_report *r) {
  PyObject *out = PyList_New(0);
  for (int32_t i = 0; out && i < r->nformulations; i++) {
    const hk_check_formulation *f = &r->formulations[i];
    PyObject *one = Py_BuildValue("{s:N,s:d,s:d,s:N,s:N,s:N}", "name", core_text(f->name), "bytes",
                                  f->bytes, "seconds", f->seconds, "fits", PyBool_FromLong(f->fits),
                                  "chosen", PyBool_FromLong(f->chosen), "why", core_text(f->why));
    if (!one || PyList_Append(out, one) != 0) Py_CLEAR(out);
    Py_XDECREF(one);
  }
  return out;
}

static PyObject *report_dict(const hk_check_report *r) {
  PyObject *dict = PyDict_New();
  bool ok = dict;
  for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; i++)
    ok = put(dict, counts[i].name,
             PyLong_FromLong(*(const int32_t *)((const char *)r + counts[i].at)));
  for (size_t i = 0; ok && i < sizeof numbers / sizeof *numbers; i++)
    ok = put(dict, numbers[i].name,
             PyFloat_FromDouble(*(const double *)((const char *)r + numbers[i].at)));
  ok = ok && put(dict, "status", core_text(hk_status_name(r->status))) &&
       put(dict, "findings", findings(r)) && put(dict, "start", start_values(r)) &&
       put(dict, "formulations", formulations(r)) && put(dict, "signals", names(&r->signals)) &&
       put(dict, "inputs", names(&r->inputs)) && put(dict, "events", names(&r->events)) &&
       put(dict, "markers", names(&r->markers)) && put(dict, "instances", names(&r->instances));
  if (ok) return dict;
  Py_XDECREF(dict);
  return NULL;
}

static PyObject *model_check(PyObject *self, PyObject *nothing) {
  (void)nothing;
  core_state *st;
  core_model *m = model_of(self, &st);
  hk_check_report *report = NULL;
  hk_status status;
  if (!m || !core_enter(st, &m->busy)) return NULL;
  bool raised = false;
  do {
    Py_BEGIN_ALLOW_THREADS const bool watched = core_watch(m->ctx) != NULL;
    status = hk_check(m->model, &report);
    if (watched) core_unwatch(m->ctx);
    Py_END_ALLOW_THREADS raised = core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  PyObject *out = NULL;
  // a report of a model that cannot run says why
  if (!raised && core_good(st, m->ctx, report ? HK_OK : status)) out = report_dict(report);
  hk_check_free(m->model, report);
  core_leave(&m->busy);
  return out;
}

/* --- whole runs ------------------------------------------------------------------------------- */

/* of a run that is under way */
typedef struct running {
  PyThreadState *thread; /* saved while the lock is released */
  PyObject *progress;    /* function of (time, end, steps); None: none */
  int stop;              /* an exception waits */
  volatile int *flag;    /* ends the run; NULL: `stop` does */
} running;

/* about five times a second: signals such as Ctrl-C, then the program's own function */
static void tell(const hk_progress *p, void *user) {
  running *r = user;
  if (r->stop) return;
  PyEval_RestoreThread(r->thread);
  bool good = PyErr_CheckSignals() == 0;
  if (good && r->progress != Py_None) {
    PyObject *said =
        PyObject_CallFunction(r->progress, "ddL", p->time_s, p->end_s, (long long)p->steps);
    good = said;
    Py_XDECREF(said);
  }
  if (!good) r->stop = 1;
  if (!good && r->flag) *r->flag = 1;
  r->thread = PyEval_SaveThread();
}

/* (status, JSON of the summary, grade, warnings) of a run that has ended */
static PyObject *outcome(hk_status status, hk_sim *s) {
  PyObject *warnings = PyList_New(0);
  for (int32_t i = 0; warnings && i < hk_sim_warning_count(s); i++) {
    const hk_run_warning *w = hk_sim_warning(s, i);
    PyObject *one = Py_BuildValue("NN", core_text(w->text), core_text(w->hint));
    if (!one || PyList_Append(warnings, one) != 0) Py_CLEAR(warnings);
    Py_XDECREF(one);
  }
  if (!warnings) return NULL;
  return Py_BuildValue("NNNN", core_text(hk_status_name(status)), core_text(hk_sim_json(s)),
                       core_text(hk_grade_name(hk_sim_grade(s))), warnings);
}

/* run(options, output, every, report, compress, command, progress, resume, compile) */
static PyObject *model_run(PyObject *self, PyObject *args) {
  core_state *st;
  core_model *m = model_of(self, &st);
  PyObject *tuple;
  core_options options;
  running r = {.progress = Py_None};
  hk_run_options run = hk_run_options_def();
  hk_sim *sim = NULL;
  int compress, compile;
  if (!m ||
      !PyArg_ParseTuple(args, "O!zdzizOzi", &PyTuple_Type, &tuple, &run.output, &run.output_every,
                        &run.report, &compress, &run.command, &r.progress, &run.resume, &compile))
    return NULL;
  if (!core_options_get(tuple, &options)) return NULL;
  if (!core_enter(st, &m->busy)) {
    core_options_end(&options);
    return NULL;
  }
  run.sim = &options.opt;
  run.compress = compress, run.compile = compile;
  run.progress = tell;
  run.user = &r;
  hk_status status;
  bool raised = false;
  do {
    hk_sim_destroy(sim);
    r.thread = PyEval_SaveThread();
    r.flag = core_watch(m->ctx);
    run.interrupt = r.flag ? r.flag : &r.stop;
    status = hk_run(m->model, &run, &sim);
    if (r.flag) core_unwatch(m->ctx);
    PyEval_RestoreThread(r.thread);
    raised = r.stop || core_interrupted(status);
  } while (status == HK_INTERRUPTED && !raised);
  PyObject *out = NULL;
  if (!raised && core_good(st, m->ctx, sim ? HK_OK : status)) out = outcome(status, sim);
  hk_sim_destroy(sim);
  core_options_end(&options);
  core_leave(&m->busy);
  return out;
}

static PyMethodDef model_methods[] = {
    {"check", model_check, METH_NOARGS, "Assemble the model and examine it: a dictionary."},
    {"_run", model_run, METH_VARARGS, "A whole run with files."},
    {"_statics", core_model_statics, METH_VARARGS, "Equilibria."},
    {"_fit", core_model_fit, METH_VARARGS, "Parameters by data."},
    {"_reach", core_model_reach, METH_VARARGS, "The range of a coordinate."},
    {"_setting", core_model_setting, METH_VARARGS, "Values of a key in a section of an analysis."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot model_slots[] = {{Py_tp_init, model_init},
                                    {Py_tp_dealloc, model_dealloc},
                                    {Py_tp_methods, model_methods},
                                    {Py_tp_getset, model_fields},
                                    {Py_tp_traverse, model_traverse},
                                    {Py_tp_doc, "A compiled model."},
                                    {0, NULL}};

PyType_Spec core_model_spec = {.name = "hooke._core.Model",
                               .basicsize = sizeof(core_model),
                               .flags =
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                               .slots = model_slots};
