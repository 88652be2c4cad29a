/* SPDX-License-Identifier: Apache-2.0
 *
 * commands.c: the one table of verbs, options and exit codes.
 */
#include <string.h>

#include "cli.h"

/* clang-format off */
static const cli_option options[] = {
    {CLI_HELP,         "help",         'h', NULL,         CLI_NOTHING,      "show this help"},
    {CLI_VERSION,      "version",      'V', NULL,         CLI_NOTHING,      "show the version; with --json also what is built in"},
    {CLI_JSON,         "json",         0,   NULL,         CLI_NOTHING,      "print one JSON value on standard output"},
    {CLI_QUIET,        "quiet",        'q', NULL,         CLI_NOTHING,      "print only errors, and that a run is wrong"},
    {CLI_NO_PROGRESS,  "no-progress",  0,   NULL,         CLI_NOTHING,      "no progress bar"},
    {CLI_FORMULATION,  "formulation",  'f', "NAME",       CLI_FORMULATIONS, "equations of motion; see 'hooke list formulations'; default: auto, chosen from the model"},
    {CLI_INTEGRATOR,   "integrator",   'i', "NAME",       CLI_INTEGRATORS,  "time integrator; see 'hooke list integrators'"},
    {CLI_STEP,         "step",         0,   "SECONDS",    CLI_NOTHING,      "time step"},
    {CLI_TIME,         "time",         0,   "SECONDS",    CLI_NOTHING,      "end of the simulation"},
    {CLI_SET,          "set",          's', "NAME=VALUE", CLI_NOTHING,      "a parameter of the model, or of an instance (front_left.k=2e4); repeatable"},
    {CLI_OUTPUT,       "output",       'o', "FILE",       CLI_FILES,        "file to write: results as .csv (text), .nc (NetCDF-4) or .mcap (robotics viewers), a report as .html"},
    {CLI_OUTPUT_EVERY, "output-every", 0,   "SECONDS",    CLI_NOTHING,      "time between recorded rows; default: every step"},
    {CLI_COMPRESS,     "compress",     0,   "0..9",       CLI_NOTHING,      "compression of a .nc file: 0 none (default), 1 fast, 9 small"},
    {CLI_CHECKPOINT,   "checkpoint",   0,   "FILE",       CLI_FILES,        "write the whole state to this file, for --resume"},
    {CLI_EVERY,        "every",        0,   "SECONDS",    CLI_NOTHING,      "simulated time between checkpoints; default: only at the end"},
    {CLI_RESUME,       "resume",       0,   "FILE",       CLI_FILES,        "continue from a checkpoint; results are bit for bit those of a run without a stop (bdf: within its tolerance). An --output that is there already is continued"},
    {CLI_STRICT,       "strict",       0,   NULL,         CLI_NOTHING,      "a run that is graded wrong ends with exit code 5"},
    {CLI_DRIFT_LIMIT,  "drift-limit",  0,   "PERCENT",    CLI_NOTHING,      "a run whose energy audit is off by more, in % of the energy that moves, is wrong; above a fifth of it doubtful; default 5"},
    {CLI_SUBSTEPS,     "substeps",     0,   "on|off",     CLI_ON_OFF,       "repeat a failed step in smaller parts; default: the model's 'substeps', else on"},
    {CLI_TOLERANCE,    "tolerance",    0,   "NUMBER",     CLI_NOTHING,      "tolerance of the iteration in each step"},
    {CLI_MEMORY,       "memory",       0,   "SIZE",       CLI_NOTHING,      "most memory that the run may take, like 4GB or 500MB; default: four fifths of what is left"},
    {CLI_OPTION,       "option",       0,   "NAME=VALUE", CLI_NOTHING,      "an option of the formulation or integrator (rho_inf=0.9); repeatable; --integ.NAME VALUE does the same"},
    {CLI_NAMES,        "names",        0,   NULL,         CLI_NOTHING,      "only names, one per line"},
    {CLI_SCHEMA,       "schema",       0,   NULL,         CLI_NOTHING,      "print the JSON schema of model files"},
    {CLI_REFERENCE,    "reference",    0,   "FILE|fine",  CLI_FILES,        "reference for errors: a CSV file, or 'fine' for a run with a small step (fine:0.0001 gives the step)"},
    {CLI_CHANNEL,      "channel",      0,   "NAME",       CLI_NOTHING,      "show the largest error of this channel, or the worst of several (body.*.position), in % of its range; repeatable"},
    {CLI_OUTPUT_CHANNEL, "channel",    0,   "NAME",       CLI_NOTHING,      "an output of the linear equations (body.*.position); repeatable"},
    {CLI_LARGEST_STEP, "largest-step", 0,   NULL,         CLI_NOTHING,      "search for the largest step that still gives a correct answer"},
    {CLI_REPEAT,       "repeat",       0,   "N",          CLI_NOTHING,      "run each pair N times; the fastest gives the CPU time"},
    {CLI_TABLE,        "output",       'o', "FILE",       CLI_FILES,        "write the table here: .txt, .md, .csv or .json"},
    {CLI_FORMAT,       "format",       0,   "FORMAT",     CLI_FORMATS,      "text, markdown, csv or json; default: by the extension of --output, else text"},
    {CLI_REPORT,       "report",       0,   "FILE.html",  CLI_FILES,        "one page with animation, plots and the energy audit"},
    {CLI_NO_BROWSER,   "no-browser",   0,   NULL,         CLI_NOTHING,      "print the address, but open no browser"},
    {CLI_PORT,         "port",         0,   "NUMBER",     CLI_NOTHING,      "port on this machine; default: a free one"},
    {CLI_MEGABYTES,    "megabytes",    0,   "NUMBER",     CLI_NOTHING,      "most megabytes of numbers in the page; larger results are thinned out; default 6"},
    {CLI_PNG,          "png",          0,   "FILE",       CLI_FILES,        "draw into a PNG file"},
    {CLI_SVG,          "svg",          0,   "FILE",       CLI_FILES,        "draw into an SVG file"},
    {CLI_MODULE,       "module",       0,   "FILE",       CLI_FILES,        "load a module, a shared library that brings types of its own; repeatable"},
    {CLI_ALLOW_MODULES, "allow-modules", 0, NULL,         CLI_NOTHING,      "let the model load modules that lie beside it: they run code of their own"},
    {CLI_ALLOW_FMUS,   "allow-fmus",   0,   NULL,         CLI_NOTHING,      "let the model load the FMUs that it names: they run code of their own, in a process of its own"},
    {CLI_AT,           "at",           0,   "STATE",      CLI_STATES,       "start (default), equilibrium, steady, or a time in seconds to which the model is simulated"},
    {CLI_NUMBER,       "number",       'n', "N",          CLI_NOTHING,      "show the N slowest modes; default: all"},
    {CLI_BETWEEN,      "between",      0,   "LOW:HIGH",   CLI_NOTHING,      "show only modes with frequencies between these, in Hz"},
    {CLI_INPUT,        "input",        0,   "NAME",       CLI_NOTHING,      "an input of the linear equations; repeatable; default: all of the model"},
    {CLI_MATRICES,     "matrices",     0,   "FILE",       CLI_FILES,        "write A, B, C, D of the linear equations, with names, units and values of states, inputs and outputs: .m a MATLAB script, .nc NetCDF"},
    {CLI_BODE,         "bode",         0,   "FILE",       CLI_FILES,        "write the answers of the outputs to swinging inputs, magnitude and phase over frequency: .svg, .png, .html or .csv"},
    {CLI_STEP_RESPONSE, "step-response", 0, "FILE",       CLI_FILES,        "write the answers of the outputs to steps of the inputs by 1, until --time: .svg, .png, .html or .csv"},
    {CLI_PERIOD,       "period",       0,   "T",          CLI_NOTHING,      "Floquet multipliers of a motion that repeats itself after T seconds, or after a turn of the joint T"},
    {CLI_MULTIBLADE,   "multiblade",   0,   "SHAFT:JOINT,..", CLI_NOTHING,  "like blades, one joint each, that the joint SHAFT turns: their coordinates become multiblade coordinates; repeatable"},
    {CLI_FRAME,        "frame",        0,   "JOINT",      CLI_NOTHING,      "see what carries this joint from axes that turn with it"},
    {CLI_NEAR,         "near",         0,   "HERTZ",      CLI_NOTHING,      "show the modes nearest to this frequency, --number of them; default 10"},
    {CLI_SPARSE,       "sparse",       0,   "on|off",     CLI_ON_OFF,       "some modes by sparse matrices and ARPACK; default: on from 300 coordinates where --number, --near or --between ask for some"},
    {CLI_LOAD,         "load",         0,   "NAME",       CLI_NOTHING,      "the input that is the load, from its own value to that of --to"},
    {CLI_TO,           "to",           0,   "NUMBER",     CLI_NOTHING,      "the last load; default 1"},
    {CLI_LOAD_FROM,    "from",         0,   "NUMBER",     CLI_NOTHING,      "the first load; default: the input's own value"},
    {CLI_BRANCH,       "branch",       0,   "N",          CLI_NOTHING,      "at the N-th bifurcation take the other path, with -N to its other side; default: straight on"},
    {CLI_SLOPE,        "slope",        0,   "CHANNEL",    CLI_NOTHING,      "a recorded channel whose slope by the load is wanted: column slope.CHANNEL; repeatable"},
    {CLI_POINTS,       "points",       0,   "N",          CLI_NOTHING,      "points of a path on which the load only grows; default 20"},
    {CLI_NEAREST,      "nearest",      0,   NULL,         CLI_NOTHING,      "begin at the equilibrium nearest to the drawing, stable or not"},
    {CLI_VARY,         "vary",         0,   "NAME=VALUES", CLI_NOTHING,     "a parameter that varies: a range low:high:count, a list 1,2,5, with --samples a range low:high; repeatable: every value of one with every value of the others"},
    {CLI_TAKE,         "take",         0,   "CHANNEL[:WHAT]", CLI_NOTHING,  "a column of the table: the final, min, max, mean or rms of a channel; repeatable"},
    {CLI_SAMPLES,      "samples",      0,   "N",          CLI_NOTHING,      "draw N runs from the ranges, spread evenly over each (Latin hypercube)"},
    {CLI_SEED,         "seed",         0,   "N",          CLI_NOTHING,      "of the drawing; default 1"},
    {CLI_JOBS,         "jobs",         'j', "N",          CLI_NOTHING,      "runs at the same time; default: one on each processor"},
    {CLI_SWEEP_TABLE,  "output",       'o', "FILE.csv",   CLI_FILES,        "write the table here"},
    {CLI_PLOT,         "plot",         0,   "FILE",       CLI_FILES,        "draw what was taken over one parameter, a family of lines over two, or points of samples: .svg, .png or .html"},
    {CLI_DATA,         "data",         0,   "FILE",       CLI_FILES,        "measured data: .csv or .nc whose first column is the time, the others named like channels"},
    {CLI_VARY_BOUNDS,  "vary",         0,   "NAME[=LOW:HIGH]", CLI_NOTHING, "a parameter to find, with bounds; repeatable"},
    {CLI_INTERFACE,    "interface",    0,   "NAME[=SET][@X,Y,Z][:average]", CLI_NOTHING, "a set of nodes (or numbers, 12,17,20-25) that moves together as a rigid piece, or whose mean motion it is; its place, default: the middle of its nodes; repeatable"},
    {CLI_MODES,        "modes",        'n', "N",          CLI_NOTHING,      "modes with fixed interfaces; without interfaces: of the free body; default 10"},
    {CLI_STIFFNESS,    "stiffness",    0,   "FILE",       CLI_FILES,        "the stiffness matrix; default: DECK.sti, as CalculiX writes it"},
    {CLI_MATERIAL,     "material",     0,   "[GROUP:]NAME|E=,nu=,density=", CLI_NOTHING, "of a mesh, and for stresses: steel, aluminium, titanium, cast_iron, or numbers in SI units; of a group of its elements, with its name; repeatable"},
    {CLI_LENGTH_UNIT,  "unit",         0,   "UNIT",       CLI_NOTHING,      "of the file: m, mm (matrices: with t and N), of meshes cm and in too; default m, and bodies of odd size are refused"},
    {CLI_MASS,         "mass",         0,   "FILE",       CLI_FILES,        "the mass matrix; default: DECK.mas"},
    {CLI_BODY_FILE,    "output",       'o', "FILE.nc",    CLI_FILES,        "the body to write; default: the deck's name with .nc, in this folder"},
    {CLI_FMI,          "fmi",          0,   "2|3",        CLI_NOTHING,      "version of the interface; default 2"},
    {CLI_FMU_FILE,     "output",       'o', "FILE",       CLI_FILES,        "the file to write, FILE.fmu or FILE.c, or a folder for it; default: the model's name, in this folder"},
    {CLI_FMU_INPUT,    "input",        0,   "NAME",       CLI_NOTHING,      "an input of the model that becomes one of the FMU, NAME:UNIT with its unit; repeatable; default: all"},
    {CLI_FMU_CHANNEL,  "channel",      0,   "NAME",       CLI_NOTHING,      "a channel that becomes an output (body.*.position); repeatable; default: those that the model records"},
    {CLI_FMU_PARAMETER, "parameter",   0,   "NAME",       CLI_NOTHING,      "a parameter of the model that becomes one of the FMU, NAME:UNIT with its unit; repeatable; default: all numbers"},
    {CLI_FMU_KIND,     "kind",         0,   "cs|me",      CLI_NOTHING,      "co-simulation or model exchange alone; default: both, where the model allows it"},
    {CLI_FMU_NAME,     "name",         0,   "NAME",       CLI_NOTHING,      "the model identifier, prefix of all names in C; default: from the model's file"},
    {CLI_KEEP,         "keep",         0,   "NAME",       CLI_NOTHING,      "a parameter of the model that stays a variable of the program in C; repeatable; default: none"},
    {CLI_NO_SOURCES,   "no-sources",   0,   NULL,         CLI_NOTHING,      "leave the C sources out"},
    {CLI_NO_BINARY,    "no-binary",    0,   NULL,         CLI_NOTHING,      "leave the program for Linux out"},
    {CLI_SINGLE,       "single",       0,   NULL,         CLI_NOTHING,      "with -o FILE.cu: numbers of single precision"},
    {CLI_WARPS,        "warps",        0,   "N",          CLI_NOTHING,      "with -o FILE.cu: how many warps of 32 threads share the steps of 32 worlds, 2 to 8; default: each thread has a world of its own"},
    {CLI_NO_PACKS,     "no-packs",     0,   NULL,         CLI_NOTHING,      "of programs in C: operations one by one, for processors that have no registers of two or four numbers"},
    {CLI_MAIN,         "main",         0,   NULL,         CLI_NOTHING,      "of programs in C: main.c beside it, which goes to the end of the run and prints the object of run --json"},
    {CLI_ACTUATOR,     "actuator",     0,   "NAME[=LOW:HIGH]", CLI_NOTHING, "a coordinate of a joint that an actuator acts on, or an input, with its range; repeatable; default: as the model says, else the coordinates that are prescribed"},
    {CLI_MINIMISE,     "minimise",     0,   "WHAT",       CLI_NOTHING,      "of more actuators than needed use the least: torque, activation or energy"},
    {CLI_RANGE,        "range",        0,   "JOINT[.COORDINATE]", CLI_NOTHING, "follow this coordinate from the drawing both ways to its dead points, instead of the motions over time"},
    {CLI_RANGE_FROM,   "from",         0,   "NUMBER",     CLI_NOTHING,      "with --range: no lower than this"},
    {CLI_RANGE_TO,     "to",           0,   "NUMBER",     CLI_NOTHING,      "with --range: no higher than this"},
    {CLI_RT_PERIOD,    "period",       0,   "SECONDS",    CLI_NOTHING,      "time of a period; also the step, unless --step divides it; default: the step of the model"},
    {CLI_RT_ITERATIONS, "iterations",  0,   "N",          CLI_NOTHING,      "iterations of a step, which is then accepted as it is, or converge; default: fixed_iterations of the model, else to convergence"},
    {CLI_RT_PACE,      "pace",         0,   "clock|fast|io", CLI_PACES,     "what a period waits for: the clock (default), nothing, or the streams that block"},
    {CLI_RT_OVERRUN,   "overrun",      0,   "slip|skip|catch-up|stop",       CLI_OVERRUNS,     "after a period that was missed: slip, the schedule moves (default); skip, the periods missed are left out; catch-up, steps follow each other until it is met; stop"},
    {CLI_RT_POLICY,    "policy",       0,   "fifo|deadline|other", CLI_POLICIES, "how the system schedules the loop; default: fifo where it may, with a note where not"},
    {CLI_RT_PRIORITY,  "priority",     0,   "1..99",      CLI_NOTHING,      "of the policy fifo; default 80"},
    {CLI_RT_CPU,       "cpu",          0,   "N",          CLI_NOTHING,      "the processor to stay on; default: any"},
    {CLI_RT_UNLOCKED,  "unlocked",     0,   NULL,         CLI_NOTHING,      "do not lock the program in memory"},
    {CLI_CONNECT,      "connect",      0,   NULL,         CLI_NOTHING,      "open the streams of the model: read from other programs and send to them"},
    {CLI_COMPILE,      "compile",      0,   NULL,         CLI_NOTHING,      "let a C compiler make a program of the model's steps, kept for the next run; without a compiler, or where the model cannot be one, the library goes on with a note"},
    {CLI_COMPILE_LIMIT, "compile-limit", 0, "S",          CLI_NOTHING,      "longest time that the compiler may take; default 120"},
    {CLI_ALONE,        "alone",        0,   NULL,         CLI_NOTHING,      "do not open the streams of the model"},
    {CLI_KEEP_INPUTS,  "keep-inputs",  0,   "FILE.csv",   CLI_FILES,        "write what inputs were given before each step, for --replay"},
    {CLI_REPLAY,       "replay",       0,   "FILE.csv",   CLI_FILES,        "give inputs what they were given in another run: the results are the same to the last bit"},
    {CLI_LIVE,         "live",         0,   "FILE",       CLI_FILES,        "write a file that 'hooke view --live FILE' follows while the run goes on"},
    {CLI_VIEW_LIVE,    "live",         0,   NULL,         CLI_NOTHING,      "follow a run that goes on: the file that it writes with --live"},
    {CLI_MAN,          "man",          0,   NULL,         CLI_NOTHING,      "print the manual page as source for man; without VERB that of hooke"},
};

static const cli_command commands[] = {
    {"run", "MODEL", 1, 1, CLI_MODELS,
     "simulate a model",
     "Options that are not given are taken from the model's `run:` section. Where neither --step nor\n"
     "--integrator are named, here or there, the error decides on the steps. Every run is graded good,\n"
     "doubtful or wrong, by its energy audit, its constraints and its steps. Without --output no results\n"
     "are written. Ctrl-C ends the run, also within a long step, and keeps the results so far; a\n"
     "second Ctrl-C kills it.",
     "hooke run examples/double-four-bar.yaml --integrator trapezoidal --step 0.01 --output out.csv",
     {CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_SET, CLI_OUTPUT, CLI_OUTPUT_EVERY,
      CLI_COMPRESS, CLI_REPORT, CLI_OPTION, CLI_SUBSTEPS, CLI_TOLERANCE, CLI_MEMORY, CLI_STRICT,
      CLI_DRIFT_LIMIT, CLI_COMPILE, CLI_COMPILE_LIMIT, CLI_CHECKPOINT, CLI_EVERY, CLI_RESUME, CLI_CONNECT, CLI_KEEP_INPUTS, CLI_REPLAY,
      CLI_LIVE, CLI_MODULE, CLI_ALLOW_MODULES, CLI_ALLOW_FMUS,
      CLI_JSON, CLI_QUIET, CLI_NO_PROGRESS, CLI_HELP},
     cli_run},
    {"realtime", "MODEL", 1, 1, CLI_MODELS,
     "simulate a model in step with the clock",
     "Every period begins at its time on the monotonic clock. The loop allocates nothing and writes nothing:\n"
     "results go through a ring to a second thread. With --iterations a step has a bounded cost. How well the\n"
     "schedule was kept is told: wake-up, time of a step, periods missed. The same run off line, with --option\n"
     "fixed_iterations=N, gives the same results to the last bit.",
     "hooke realtime examples/iltis/ramp-and-stairs.yaml --period 1e-3 --iterations 2 --pace fast --json",
     {CLI_RT_PERIOD, CLI_RT_ITERATIONS, CLI_RT_PACE, CLI_RT_OVERRUN, CLI_RT_POLICY, CLI_RT_PRIORITY, CLI_RT_CPU,
      CLI_RT_UNLOCKED, CLI_ALONE, CLI_KEEP_INPUTS, CLI_REPLAY, CLI_LIVE, CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_SET, CLI_OUTPUT, CLI_OUTPUT_EVERY,
      CLI_COMPRESS, CLI_REPORT, CLI_OPTION, CLI_TOLERANCE, CLI_MODULE, CLI_ALLOW_MODULES,
      CLI_JSON, CLI_QUIET, CLI_NO_PROGRESS, CLI_HELP},
     cli_realtime},
    {"check", "MODEL", 1, 1, CLI_MODELS,
     "examine a model: counts, freedom, redundant or conflicting constraints",
     "Assembles the mechanism and reports on it without simulating. The exit code is 0 when the model\n"
     "can run, 3 when the file is wrong, 4 when the mechanism cannot be assembled.",
     "hooke check examples/bricard.yaml",
     {CLI_SET, CLI_MODULE, CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_check},
    {"compare", "MODEL|STUDY", 1, 1, CLI_MODELS,
     "run formulations x integrators x steps on one model and compare them",
     "Every compatible pair runs at every step, without substeps; a run that fails is a row like any\n"
     "other. --formulation, --integrator and --step take lists: a,b,c. A study file holds all of this, and\n"
     "the measures, their reference and the bounds of a correct answer; see examples/studies/. Without\n"
     "one, correct means within 5 % in the energy audit and in every error.",
     "hooke compare examples/double-four-bar.yaml --integrator trapezoidal --step 0.01,0.05 --reference fine",
     {CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_SET, CLI_OPTION, CLI_TOLERANCE, CLI_REFERENCE,
      CLI_CHANNEL, CLI_LARGEST_STEP, CLI_REPEAT, CLI_FORMAT, CLI_TABLE, CLI_MODULE, CLI_ALLOW_MODULES,
      CLI_JSON, CLI_QUIET, CLI_NO_PROGRESS, CLI_HELP},
     cli_compare},
    {"kinematics", "MODEL", 1, 1, CLI_MODELS,
     "follow prescribed motions without masses, or find how far they can go",
     "Positions, velocities, accelerations and reactions where motions prescribe every freedom; bodies need\n"
     "no mass, and those that have one are heavy and inert as in a run. What is not prescribed is named\n"
     "(exit code 4). --range follows one coordinate, prescribed or not, both ways to where it can go no\n"
     "further, and names what is singular there; other motions then stay as they are at time 0, and\n"
     "--output writes the coordinates of all joints.",
     "hooke kinematics examples/five-bar-robot.yaml --range motor1",
     {CLI_RANGE, CLI_RANGE_FROM, CLI_RANGE_TO, CLI_FORMULATION, CLI_STEP, CLI_TIME, CLI_SET, CLI_OUTPUT,
      CLI_OUTPUT_EVERY, CLI_COMPRESS, CLI_REPORT, CLI_OPTION, CLI_MODULE, CLI_ALLOW_MODULES, CLI_JSON,
      CLI_QUIET, CLI_NO_PROGRESS, CLI_HELP},
     cli_kinematics},
    {"statics", "MODEL", 1, 1, CLI_MODELS,
     "find equilibria: one, or a path of them over a load",
     "Time stands still and inertia does not count; springs, networks and controllers are in their steady\n"
     "state. A path goes on where the load turns back, past limit points, and tells the stability of each\n"
     "point. Forces and prescribed positions may follow the load. Bifurcations are listed; --branch follows\n"
     "the other path. What the section `statics:` of the model says need not be given. With --output the\n"
     "recorded channels of all points are written, --report draws them.",
     "hooke statics examples/von-mises-truss.yaml --load P --to 2000 --report truss.html",
     {CLI_LOAD, CLI_LOAD_FROM, CLI_TO, CLI_POINTS, CLI_BRANCH, CLI_SLOPE, CLI_NEAREST, CLI_FORMULATION, CLI_SET, CLI_OPTION, CLI_OUTPUT, CLI_REPORT,
      CLI_MODULE, CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_statics},
    {"modes", "MODEL", 1, 1, CLI_MODELS,
     "find frequencies, damping and shapes of small motions about a state",
     "Linearises the equations at the start, at an equilibrium, in a steady motion or at a time of a run,\n"
     "with all constraints, networks and controllers. Modes are sorted by frequency, then by decay; of a\n"
     "pair of complex eigenvalues one is shown. --channel names outputs of the matrices C and D; inputs are\n"
     "the model's own. --vary gives root loci: all modes at each value of a parameter. --report makes a page in which mode k moves through its shape from time k - 1 to k.",
     "hooke modes examples/double-pendulum-stiff.yaml --at equilibrium",
     {CLI_AT, CLI_NUMBER, CLI_NEAR, CLI_BETWEEN, CLI_SPARSE, CLI_VARY, CLI_PERIOD, CLI_MULTIBLADE, CLI_FRAME, CLI_FORMULATION, CLI_INTEGRATOR, CLI_SET, CLI_OPTION, CLI_MATRICES, CLI_BODE, CLI_STEP_RESPONSE, CLI_TIME, CLI_INPUT, CLI_OUTPUT_CHANNEL, CLI_OUTPUT, CLI_REPORT,
      CLI_MODULE, CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_modes},
    {"sweep", "MODEL", 1, 1, CLI_MODELS,
     "run a model with many values of its parameters, on all processors",
     "One row a run: parameters, what --take asks for, the grade. A run that fails is a row like any other;\n"
     "the exit code is 5 when all of them fail. The numbers do not depend on --jobs.",
     "hooke sweep examples/pendulum.yaml --vary L=0.5:2:7 --take joint.pin.angle:min",
     {CLI_VARY, CLI_TAKE, CLI_SAMPLES, CLI_SEED, CLI_JOBS, CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_SET,
      CLI_OPTION, CLI_SWEEP_TABLE, CLI_PLOT, CLI_MODULE, CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_NO_PROGRESS, CLI_HELP},
     cli_sweep},
    {"inverse", "MODEL", 1, 1, CLI_MODELS,
     "find the motion that tasks ask for, and the forces of actuators that give it",
     "Follows the prescribed motions of the model and the tasks of its section 'inverse', which bear nothing\n"
     "themselves: the actuators do, on any\n"
     "coordinates of joints, also of joints that close loops, or as inputs of the model, within their ranges. Of\n"
     "several solutions the one with the least torque, activation or energy. --output writes results with the\n"
     "actuators' values, which signals can play back. The model's section 'inverse' says the same; the command line wins.",
     "hooke inverse examples/five-bar-robot.yaml --actuator elbow1 --actuator elbow2",
     {CLI_ACTUATOR, CLI_MINIMISE, CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_SET, CLI_OPTION, CLI_OUTPUT, CLI_REPORT, CLI_MODULE,
      CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_inverse},
    {"fit", "MODEL", 1, 1, CLI_MODELS,
     "find parameters that make the model fit measured data",
     "Least squares within bounds, from the values of the model on. Each parameter has an interval that holds\n"
     "its true value with 95 %; parameters that the data do not determine are named.",
     "hooke fit car.yaml --data measured.csv --vary k=1e4:1e5 --vary c",
     {CLI_DATA, CLI_VARY_BOUNDS, CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_SET, CLI_OPTION, CLI_MODULE,
      CLI_ALLOW_MODULES, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_fit},
    {"reduce", "FILE", 1, 1, CLI_FILES,
     "make a body with a few modes from a mesh or a finite-element model",
     "A mesh of gmsh (.msh) needs a --material; its physical groups are sets of nodes. A deck (.inp) has nodes, sets and elements;\n"
     "CalculiX writes the matrices beside it with *FREQUENCY, SOLVER=MATRIXSTORAGE, Abaqus with *MATRIX OUTPUT; without them they\n"
     "are made from the elements. Nastran's DMIG cards (.bdf, .pch) and MBDyn's modes (.fem) are read too. Shapes are those of unit displacements of the interfaces and the lowest modes with fixed\n"
     "interfaces. The body is written as NetCDF: mass and inertia, how both change with the modes, stiffness, interfaces,\n"
     "shapes and stresses for drawing.",
     "hooke reduce rod.msh --material steel --interface big --interface small --modes 12 --output rod.nc",
     {CLI_INTERFACE, CLI_MODES, CLI_MATERIAL, CLI_LENGTH_UNIT, CLI_STIFFNESS, CLI_MASS, CLI_BODY_FILE, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_reduce},
    {"export", "fmu|c MODEL", 2, 2, CLI_MODELS,
     "write a model for other programs: an FMU for co-simulation and model exchange, or C code of its own",
     "`export c` writes one C file and one header that need libm alone: the model's own step with everything carried\n"
     "out that does not depend on its state. Formulation, integrator, step and parameters but those of --keep are fixed.\n"
     "An FMU holds the model with all files that it names, a program for Linux that needs no library but libc,\n"
     "and C sources that compile with a C compiler alone. Methods and the step are the model's or those given\n"
     "here; co-simulation at these steps gives the numbers of `hooke run`, bit by bit. Channels become outputs.",
     "hooke export fmu examples/pendulum.yaml --fmi 3 --output pendulum.fmu",
     {CLI_FMI, CLI_FMU_FILE, CLI_FMU_INPUT, CLI_FMU_CHANNEL, CLI_FMU_PARAMETER, CLI_KEEP, CLI_FMU_KIND, CLI_FMU_NAME,
      CLI_NO_SOURCES, CLI_NO_BINARY, CLI_SINGLE, CLI_WARPS, CLI_NO_PACKS, CLI_MAIN, CLI_FORMULATION, CLI_INTEGRATOR, CLI_STEP, CLI_TIME, CLI_TOLERANCE, CLI_SET,
      CLI_OPTION, CLI_JSON, CLI_QUIET, CLI_HELP},
     cli_export},
    {"report", "RESULT...", 1, 8, CLI_FILES,
     "make one self-contained HTML page from results: animation, plots, energy audit",
     "The page needs no network and no other file. Several results are shown in the same plots. Results\n"
     "are .nc files; a .csv file has plots but no animation.",
     "hooke report out.nc --output out.html",
     {CLI_OUTPUT, CLI_MEGABYTES, CLI_QUIET, CLI_HELP},
     cli_report},
    {"view", "RESULT...", 1, 8, CLI_FILES,
     "show results in the browser: the page of `report`, served on this machine alone",
     "The address contains a random word, and only programs on this machine can reach it. Ctrl-C ends\n"
     "the server.",
     "hooke view out.nc",
     {CLI_VIEW_LIVE, CLI_NO_BROWSER, CLI_PORT, CLI_QUIET, CLI_HELP},
     cli_view},
    {"plot", "RESULT CHANNEL...", 1, 16, CLI_FILES,
     "draw channels over time in the terminal, or into an SVG or PNG file",
     "CHANNEL may be a pattern: 'body.*.position.x'. Without CHANNEL the channels are listed.",
     "hooke plot out.csv energy.kinetic energy.potential",
     {CLI_SVG, CLI_PNG, CLI_HELP},
     cli_plot},
    {"list", "[KIND]", 0, 1, CLI_KINDS,
     "list what exists: formulations, integrators, joints, forces ...",
     "Without KIND it lists the kinds.",
     "hooke list joints",
     {CLI_MODULE, CLI_NAMES, CLI_JSON, CLI_HELP},
     cli_list},
    {"info", "NAME", 0, 1, CLI_ENTRIES,
     "explain one entry of `list`: parameters, units, defaults, source",
     "NAME may include its kind (joints/screw). 'hooke info schema' prints the JSON schema of model files,\n"
     "for editors that check while you type; 'hooke info study-schema' that of study files.",
     "hooke info spring_damper",
     {CLI_MODULE, CLI_SCHEMA, CLI_JSON, CLI_HELP},
     cli_info},
    {"completion", "SHELL", 1, 1, CLI_SHELLS,
     "print the completion script of a shell: bash, zsh or fish",
     NULL,
     "source <(hooke completion bash)",
     {CLI_HELP},
     cli_completion},
    {"help", "[VERB]", 0, 1, CLI_VERBS,
     "show the help of a verb",
     "'hooke help --man run | man -l -' shows a manual page that is not installed. --json describes every\n"
     "verb and option, the exit codes and the environment.",
     "hooke help run",
     {CLI_MAN, CLI_NAMES, CLI_JSON, CLI_HELP},
     cli_help},
};

const cli_exit cli_exits[] = {
    {CLI_DONE,         "done"},
    {CLI_USAGE,        "wrong usage"},
    {CLI_MODEL,        "the model file is wrong"},
    {CLI_ASSEMBLY,     "the mechanism cannot be assembled"},
    {CLI_FAILED,       "the simulation failed (the results so far are kept), or, with --strict, it is graded wrong"},
    {CLI_FILE,         "a file cannot be read or written, or another error of the system"},
    {CLI_INTERRUPTED,  "interrupted (the results so far are kept)"},
    {CLI_UNFORESEEN,   "any other error"},
    {0, NULL},
};

const cli_variable cli_variables[] = {
    {"HOOKE_SIMD", "off: compute without the wide vector instructions (AVX2) of this processor; the results are the same to the last bit"},
    {"HOOKE_MODULES", "folders, separated by colons, in which modules that models name are looked for"},
    {"HOOKE_KERNEL", "the file hooke-kernel.wasm, which `export c` follows; default: beside the library"},
    {"HOOKE_CC", "the C compiler of `run --compile`, with options; default: `CC`, else the first of cc, gcc, clang, tcc that is there"},
    {"HOOKE_CACHE", "the folder in which compiled models are kept, which only the user may write; default: hooke in `XDG_CACHE_HOME`, else in ~/.cache"},
    {"HOOKE_CACHE_MB", "megabytes that they may take there; those not used for the longest time give way; default 256"},
    {"HOOKE_CUDA", "the driver of batches on a card; default: libcuda.so.1"},
    {"HOOKE_NVRTC", "the library that compiles their kernels; default: libnvrtc where the loader finds it"},
    {"HOOKE_NVCC", "the compiler where there is no such library; default: nvcc"},
    {"HOOKE_FMU_KERNEL", "the file hooke-fmu.zip, which `export fmu` takes program and sources from; default: beside the library"},
    {"TMPDIR",     "folder for the numbers of a long report, while it is made; default /tmp"},
    {"NO_COLOR",   "not empty: no colours"},
    {"BROWSER",    "the browser that `view` opens"},
    {NULL, NULL},
};
/* clang-format on */

int cli_command_count(void) { return (int)(sizeof commands / sizeof commands[0]); }

const cli_command *cli_command_at(int i) { return commands + i; }

const cli_command *cli_command_find(const char *name) {
  for (int i = 0; i < cli_command_count(); i++)
    if (strcmp(commands[i].name, name) == 0) return commands + i;
  return NULL;
}

const cli_option *cli_option_find(cli_id id) {
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
    if (options[i].id == id) return options + i;
  return NULL;
}
