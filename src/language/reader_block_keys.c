/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_block_keys.c: the keys of blocks (reader_blocks.h), without those that all of them have.
 */
#include "language/reader_blocks.h"

#include <math.h>

#include "language/rows.h"

/* clang-format off */
#define BOOL(name, text) {name, HK_P_BOOL, 0, HK_P_HAND, 0, 0, 0, "", NULL, text}

#define SAMPLED \
    REAL("period", HK_P_POSITIVE, NAN, "s", "time between two samples, at which steps end; left out: it is not sampled"), \
    REAL("phase", HK_P_NONNEGATIVE, 0.0, "s", "time of the first sample")

/* of all blocks: inside a signal, and as items of `controllers:` */
const hk_param hki_keys_inline[] = {
    ROW("of", HK_P_ANY, 0, "input: a signal, an expression or a number; of state_space also a list of them"),
    SAMPLED,
    HK_PARAM_END};

const hk_param hki_keys_controller[] = {
    ROW("type", HK_P_TEXT, HK_P_REQUIRED, "see 'hooke list controllers'"),
    ROW("input", HK_P_ANY, 0, "a signal, an expression or a number; of state_space also a list of them"),
    SAMPLED,
    HK_PARAM_END};

const hk_param hki_keys_integral[] = {
    REAL("start", 0, 0.0, "", "value at the start"),
    HK_PARAM_END};

const hk_param hki_keys_derivative[] = {
    REAL("time", HK_P_POSITIVE, NAN, "s", "T of the filter: (u - x)/T with x' = (u - x)/T; left out: the rate itself, of signals of time"),
    REAL("start", 0, 0.0, "", "x at the start: the value of the signal there, so that it does not begin with a jump"),
    HK_PARAM_END};

const hk_param hki_keys_filter[] = {
    REAL("lowpass", HK_P_POSITIVE, NAN, "Hz", "frequency above which it is damped"),
    REAL("highpass", HK_P_POSITIVE, NAN, "Hz", "frequency below which it is damped"),
    REAL("order", 0, 1.0, "", "1 or 2"),
    REAL("damping", HK_P_POSITIVE, 0.70710678118654752440, "", "z of order 2; left out: Butterworth's, 1/sqrt(2)"),
    REAL("start", 0, 0.0, "", "its slow part at the start: the value of a low pass"),
    HK_PARAM_END};

#define DISCRETE BOOL("discrete", "the numbers are those of discrete time, z in the place of s; needs a period")

const hk_param hki_keys_transfer[] = {
    ROW("numerator", HK_P_REALS, HK_P_REQUIRED, "coefficients, highest power of s first"),
    ROW("denominator", HK_P_REALS, HK_P_REQUIRED, "coefficients, highest power of s first; its states start at 0"),
    DISCRETE,
    HK_PARAM_END};

const hk_param hki_keys_state_space[] = {
    ROW("A", HK_P_ANY, HK_P_REQUIRED, "a row for each state: a list of rows, or a CSV file"),
    ROW("B", HK_P_ANY, HK_P_REQUIRED, "a row for each state with a number for each u; of one u a plain list; or a file"),
    ROW("C", HK_P_ANY, HK_P_REQUIRED, "a row for each output with a number for each state; of one output a plain list; or a file"),
    ROW("D", HK_P_ANY, 0, "a row for each output with a number for each u; or a file; left out: 0"),
    ROW("start", HK_P_REALS, 0, "the states at the start; left out: 0"),
    ROW("outputs", HK_P_ANY, 0, "of a controller: names of its outputs, controller.NAME.OUTPUT; left out: there is one, controller.NAME"),
    DISCRETE,
    HK_PARAM_END};

const hk_param hki_keys_pid[] = {
    ROW("setpoint", HK_P_DYNAMIC, 0, "what is wanted, in the place of the error"),
    ROW("measurement", HK_P_DYNAMIC, 0, "what is, with 'setpoint'"),
    ROW("weights", HK_P_ANY, 0, "[b, c]: of the wanted value in the proportional and in the derivative part; left out: 1 and 1"),
    REAL("kp", 0, 0.0, "", "times the error"),
    REAL("ki", 0, 0.0, "1/s", "times its integral"),
    REAL("kd", 0, 0.0, "s", "times its rate"),
    ROW("rate", HK_P_DYNAMIC, 0, "the rate of the error, where it is known: an expression of velocities"),
    REAL("time", HK_P_POSITIVE, NAN, "s", "else: T of the filter that makes it, see derivative; sampled, it may be left out"),
    ROW("limits", HK_P_ANY, 0, "[least, most]: the value is held between them"),
    CHOICE("anti_windup", "back_calculation clamping none", "what the integral does while the limits cut; left out: back_calculation"),
    REAL("windup", HK_P_POSITIVE, 0.1, "s", "of back_calculation: time in which the integral gives way to what was cut off"),
    REAL("start", 0, 0.0, "", "integral part at the start"),
    HK_PARAM_END};

const hk_param hki_keys_sample[] = {
    REAL("period", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "s", "time between two samples; steps end at each"),
    REAL("start", 0, 0.0, "", "value before the first sample"),
    ROW("numerator", HK_P_REALS, 0, "b0, b1 .. of a0 y_k = b0 u_k + b1 u_(k-1) + .. - a1 y_(k-1) - ..; left out: 1"),
    ROW("denominator", HK_P_REALS, 0, "a0, a1 ..; left out: 1"),
    HK_PARAM_END};

const hk_param hki_keys_delay[] = {
    REAL("time", HK_P_REQUIRED | HK_P_POSITIVE, NAN, "s", "the delay, at least a step; sampled: a whole number of periods. Before the start the input had its value at the start"),
    HK_PARAM_END};

const hk_param hki_keys_quantiser[] = {
    REAL("step", HK_P_POSITIVE, NAN, "", "distance of two values"),
    REAL("offset", 0, 0.0, "", "one of the values"),
    ROW("limits", HK_P_ANY, 0, "[least, most]: the value is held between them"),
    REAL("bits", HK_P_POSITIVE, NAN, "", "in the place of 'step': 2^bits values over the range, the first at its lower end"),
    ROW("range", HK_P_ANY, 0, "[least, most], with 'bits'"),
    CHOICE("rounding", "nearest down", "to the nearest value, or to the one below; left out: nearest"),
    HK_PARAM_END};

const hk_param hki_keys_saturation[] = {
    ROW("limits", HK_P_ANY, HK_P_REQUIRED, "[least, most]"),
    HK_PARAM_END};

const hk_param hki_keys_dead_zone[] = {
    ROW("limits", HK_P_ANY, HK_P_REQUIRED, "[least, most] of the input for which it is 0; outside it is the input less the nearer limit"),
    HK_PARAM_END};

const hk_param hki_keys_rate_limit[] = {
    ROW("rates", HK_P_ANY, HK_P_REQUIRED, "[least, most] rate, 1/s"),
    REAL("time", HK_P_POSITIVE, NAN, "s", "where it is not sampled: T of the follower, (u - x)/T is its rate near the input"),
    REAL("start", 0, NAN, "", "value at the start; left out: that of the input (not sampled: 0)"),
    HK_PARAM_END};

const hk_param hki_keys_machine[] = {
    ROW("states", HK_P_ANY, HK_P_REQUIRED, "states by their names: {open: {transitions: [{to: closed, when: condition}]}}"),
    ROW("start", HK_P_TEXT, 0, "name of the first state; left out: the one that is written first"),
    ROW("outputs", HK_P_ANY, 0, "outputs and their values in states that give them none: {torque: 0}"),
    ROW("variables", HK_P_ANY, 0, "numbers that states keep, and their values at the start: {x0: 0}"),
    ROW("transitions", HK_P_ANY, 0, "transitions from every state; these go before those of the states"),
    HK_PARAM_END};

const hk_param hki_keys_machine_state[] = {
    ROW("outputs", HK_P_ANY, 0, "values of outputs in this state: {torque: 3 - joint.pin.rate}"),
    ROW("entry", HK_P_ANY, 0, "variables that take a value when it is entered: {x0: joint.pin.angle}"),
    ROW("exit", HK_P_ANY, 0, "variables that take a value when it is left"),
    ROW("transitions", HK_P_ANY, 0, "list of ways out; the first that is open is taken"),
    HK_PARAM_END};

const hk_param hki_keys_transition[] = {
    ROW("to", HK_P_TEXT, HK_P_REQUIRED, "name of a state"),
    ROW("when", HK_P_DYNAMIC, 0, "condition; its time is found exactly, as of an event"),
    REAL("after", HK_P_POSITIVE, NAN, "s", "or: time after the state was entered"),
    HK_PARAM_END};
/* clang-format on */
