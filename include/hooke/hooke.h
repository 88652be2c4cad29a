/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke.h: the whole public interface.
 */
#ifndef HOOKE_H
#define HOOKE_H

#include "hooke/base.h"
#include "hooke/batch.h"
#include "hooke/code.h"
#include "hooke/compare.h"
#include "hooke/eval.h"
#include "hooke/fit.h"
#include "hooke/flexible.h"
#include "hooke/fmu.h"
#include "hooke/inverse.h"
#include "hooke/kinematics.h"
#include "hooke/live.h"
#include "hooke/model.h"
#include "hooke/module.h"
#include "hooke/node.h"
#include "hooke/realtime.h"
#include "hooke/result.h"
#include "hooke/sim.h"
#include "hooke/statespace.h"
#include "hooke/stream.h"
#include "hooke/statics.h"
#include "hooke/tools.h"
#include "hooke/version.h"

/** @mainpage The C interface of Hooke
 *
 * A program makes a context, loads a model, and simulates it:
 *
 * - hooke/base.h: status codes, the context, its messages
 * - hooke/model.h: load a model, examine it, list what exists
 * - hooke/node.h: build and change models by calls, read and write them as YAML
 * - hooke/module.h: load modules, which bring types of their own; hooke/plugin.h: write one
 * - hooke/sim.h: step a simulation, read channels, keep and resume its state; whole runs with files
 * - hooke/code.h: models as programs in C
 * - hooke/batch.h: many worlds of one model at once
 * - hooke/eval.h: mass matrix, forward and inverse dynamics, Jacobians at any state
 * - hooke/live.h: inputs, the state out and in, clones, values by handle while it runs; threads
 * - hooke/statespace.h: the equations of small motions about a state, and their modes
 * - hooke/statics.h: equilibria, one or a path of them over a load
 * - hooke/inverse.h: forces of actuators for prescribed motions
 * - hooke/kinematics.h: how far a mechanism moves, and what stops it
 * - hooke/fit.h: parameters that fit measured data
 * - hooke/flexible.h: bodies with modes from finite-element models
 * - hooke/fmu.h: models as FMUs for other simulators
 * - hooke/result.h: read result files, make HTML reports
 * - hooke/compare.h: formulations, integrators and steps side by side
 * - hooke/version.h: versions, and what the library was built with
 *
 * `examples/c` has complete programs.
 *
 * Rules that hold for all functions:
 *
 * - Units are SI: metres, kilograms, seconds, newtons, radians, kelvin; `cpu` is in CPU seconds.
 * - Texts are UTF-8 and end with a NUL. A returned text belongs to the library and lives as long as
 *   the object it was asked of, unless its function says otherwise.
 * - An object that was created must be destroyed by the function that its comment names; models,
 *   simulations, results and comparisons before their context. Destroying NULL does nothing.
 * - Indices run from 0.
 * - Misuse is refused and does no harm: NULL or a handle of another kind where one is needed, a count
 *   that does not fit its list, an index out of range. Functions with a status return HK_E_USAGE, with
 *   a message where there is a context to keep it, and set what they would have given to NULL or 0;
 *   the others return NULL, 0, -1 where they look for something, NAN for a number, "" for a text of a
 *   result, or what they say themselves.
 * - What goes wrong is a status: 0 (HK_OK) is success, negative values are failures, and the
 *   context holds the messages. No function ends the program or writes to a terminal.
 * - Objects of different contexts may be used by different threads at the same time; a context and
 *   all that was made with it belong to one thread at a time.
 * - Option structs begin with their `size`, which `hk_..._options_def()` fills in: always start
 *   from what that function returns. Programs built with older or newer headers then work, newer ones
 *   as long as they leave the options that the library does not know at zero.
 *
 * The binary interface: a program goes on working with every later library of the same soname
 * (`libhooke.so.0.1`: of the same minor version before 1.0), without being compiled again.
 *
 * - Functions, types and constants may come; none of them goes or changes.
 * - Objects are handles; what is in them is nobody's business outside the library.
 * - Structs that begin with their size (options, types of modules) may grow at their ends. All other
 *   structs stay as they are.
 * - No struct is passed or returned by value but through inline functions of these headers.
 *
 * `make check` compares with the interface of the last release (`tools/check_abi`, abidiff).
 */

#endif
