/* SPDX-License-Identifier: Apache-2.0
 *
 * analyses.h: methods of hooke._core.Model and hooke._core.Sim that analyses.c has.
 */
#ifndef HOOKE_PYTHON_ANALYSES_H
#define HOOKE_PYTHON_ANALYSES_H

#include "sim.h"

PyObject *core_sim_linear(PyObject *self, PyObject *args);
PyObject *core_sim_frequency(PyObject *self, PyObject *args);
PyObject *core_sim_steps(PyObject *self, PyObject *args);
PyObject *core_sim_inverse(PyObject *self, PyObject *args);
PyObject *core_model_statics(PyObject *self, PyObject *args);
PyObject *core_model_fit(PyObject *self, PyObject *args);
PyObject *core_model_reach(PyObject *self, PyObject *args);
PyObject *core_model_setting(PyObject *self, PyObject *args);

#endif
