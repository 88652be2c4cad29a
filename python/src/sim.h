/* SPDX-License-Identifier: Apache-2.0
 *
 * sim.h: shared by the two files of hooke._core.Sim.
 */
#ifndef HOOKE_PYTHON_SIM_H
#define HOOKE_PYTHON_SIM_H

#include "core.h"

/* the simulation of an object; NULL with an error */
core_sim *core_sim_of(PyObject *self, core_state **st);
/* None, or the error of the simulation's context */
PyObject *core_sim_answer(core_state *st, core_sim *s, hk_status status);
/* what a new simulation needs beside; false with an error */
bool core_sim_ready(core_sim *s);

/* methods (live.c) */
PyObject *core_sim_state(PyObject *self, PyObject *nothing);
PyObject *core_sim_restore(PyObject *self, PyObject *state);
PyObject *core_sim_reset(PyObject *self, PyObject *nothing);
PyObject *core_sim_keep(PyObject *self, PyObject *n);
PyObject *core_sim_rollback(PyObject *self, PyObject *n);
PyObject *core_sim_clone(PyObject *self, PyObject *other);
PyObject *core_sim_inputs(PyObject *self, PyObject *nothing);
PyObject *core_sim_input(PyObject *self, PyObject *number);
PyObject *core_sim_set_input(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_sim_set_inputs(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_sim_handle(PyObject *self, PyObject *name);
PyObject *core_sim_read(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_sim_roll(PyObject *self, PyObject *args);
/* methods (parts.c) */
PyObject *core_sim_parts(PyObject *self, PyObject *nothing);
PyObject *core_sim_part(PyObject *self, PyObject *args);
PyObject *core_sim_set_body(PyObject *self, PyObject *args);
PyObject *core_sim_rebind(PyObject *self, PyObject *model);
PyObject *core_sim_restart(PyObject *self, PyObject *nothing);

/* methods (parameters.c) */
PyObject *core_sim_parameters(PyObject *self, PyObject *nothing);
PyObject *core_sim_parameter(PyObject *self, PyObject *number);
PyObject *core_sim_set_parameters(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *core_sim_arrays(PyObject *self, PyObject *nothing);
PyObject *core_sim_place(PyObject *self, PyObject *const *args, Py_ssize_t nargs);

#endif
