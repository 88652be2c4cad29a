/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_tables.c: the keys of everything in a model file that has no table elsewhere (joints,
 * forces and signal shapes have theirs). The reader checks keys against these rows and the JSON
 * schema is made from them.
 */
#include "language/reader.h"
#include "language/reader_fmus.h"

#include <math.h>

#include "language/rows.h"

/* clang-format off */

/* sections that a model and a component share */
#define SECTIONS \
    ROW("parameters", HK_P_ANY, 0, "numbers, lists and texts with names: {L: 1, m: 2*L, axis: [0, 0, 1], file: \"road.csv\"}"), \
    ROW("include", HK_P_ANY, 0, "files to read as if they stood here; relative to this file"), \
    ROW("frames", HK_P_ANY, 0, "named places with axes: {f: {in: other, at: [..], rotate: ..}}"), \
    ROW("points", HK_P_ANY, 0, "named points at the drawing position: {A: [0, 0, 1]}"), \
    ROW("components", HK_P_ANY, 0, "parts that can be placed several times, or {file: part.yaml}"), \
    ROW("instances", HK_P_ANY, 0, "placed components: {left: {component: wheel, at: [..], mirror: y}}"), \
    ROW("bodies", HK_P_ANY, 0, "bodies: {rod: {mass: 1, com: [..], inertia: {zz: 1}}}"), \
    ROW("joints", HK_P_ANY, 0, "joints: {pin: {type: revolute, between: [ground, rod], at: A, axis: z}}"), \
    ROW("flexible", HK_P_ANY, 0, "bodies with modes from finite elements: {rod: {data: rod.nc, modes: 12}}; interfaces are the bodies rod.big_end .."), \
    ROW("beams", HK_P_ANY, 0, "flexible beams: {wing: {from: A, to: B, elements: 8, up: z, section: {..}}}; nodes are the bodies wing.0, wing.1 .."), \
    ROW("cables", HK_P_ANY, 0, "cables that pull and go slack: {rope: {from: A, to: B, elements: 20, EA: 1e6, mass: 0.5, ends: {start: ground, end: load}}}; nodes are the point masses rope.0, rope.1 .."), \
    ROW("shells", HK_P_ANY, 0, "shells and plates: {skin: {corners: [A, B, C, D], elements: [8, 4], thickness: 0.002, material: {E: 7e10, nu: 0.33, density: 2700}}}; nodes are the bodies skin.0.0, skin.0.1 .."), \
    ROW("membranes", HK_P_ANY, 0, "membranes, which have no bending stiffness: {sail: {corners: [A, B, C, D], elements: [8, 8], thickness: 1e-4, material: {..}, prestress: 100}}; nodes are point masses"), \
    ROW("belts", HK_P_ANY, 0, "closed belts round pulleys: {drive: {axis: y, EA: 1e5, pretension: 200, pulleys: [{body: motor, at: A, radius: 0.05}, {body: drum, at: B, radius: 0.2}]}}; their spans are the forces drive_1, drive_2 .."), \
    ROW("servo", HK_P_ANY, 0, "control constraints: {x: {constraint: \"marker.load.position.x = path\", through: trolley}}"), \
    ROW("forces", HK_P_ANY, 0, "forces: {s: {type: spring_damper, between: [a, b], ends: [A, B], stiffness: 1e4}}"), \
    ROW("nodes", HK_P_ANY, 0, "scalar nodes of other physics: {case: {type: thermal, start: 293.15}}"), \
    ROW("network", HK_P_ANY, 0, "elements between nodes: {r: {type: resistor, between: [supply, ground], resistance: 10}}"), \
    ROW("signals", HK_P_ANY, 0, "functions of time and channels"), \
    ROW("controllers", HK_P_ANY, 0, "blocks with inputs, outputs and a period: {c: {type: pid, input: error, kp: 10, period: 0.001}}"), \
    ROW("laws", HK_P_ANY, 0, "laws with names, for every key that takes a law: {bump: {polynomial: [0, 1e4, 0, 1e8]}}"), \
    ROW("markers", HK_P_ANY, 0, "points of bodies to record or read: {P: {on: rod, at: A}}"), \
    ROW("events", HK_P_ANY, 0, "{grab: {when: \"t >= 2\", fix: pin}}"), \
    ROW("start", HK_P_ANY, 0, "start values by joint or body; equilibrium: true solves statics first; rates: mass starts with the least kinetic energy; relax: lets loads pull at it")

const hk_param hki_keys_model[] = {
    ROW("hooke", HK_P_ANY, 0, "version of the language: 1"),
    ROW("title", HK_P_TEXT, 0, "one line about the model"),
    ROW("description", HK_P_TEXT, 0, "more about the model; not used"),
    CHOICE("planar", "xy xz yz", "the plane of a planar model"),
    ROW("gravity", HK_P_ANY, 0, "acceleration of gravity [x, y, z], m/s^2, numbers or signals, or {centre: point, mu: m^3/s^2}; left out: none"),
    SECTIONS,
    ROW("surfaces", HK_P_ANY, 0, "points that follow bodies, drawn and open to other programs: {skin: {points: skin.stl, bodies: [wing.*]}}"),
    ROW("external", HK_P_ANY, 0, "forces that another program gives to bodies or a surface while the model runs: {fsi: {bodies: [wing.*], coupling: tight, peer: {unix: path}}}"),
    ROW("modules", HK_P_ANY, 0, "names of modules that bring types of their own; the command line must allow them"),
    ROW("fmus", HK_P_ANY, 0, "units of other tools that take part in runs: {ctl: {file: ctl.fmu, inputs: {angle: joint.pin.angle}, outputs: {torque: u}}}; the command line must allow them"),
    ROW("record", HK_P_ANY, 0, "channels to record, with * and ?"),
    ROW("run", HK_P_ANY, 0, "how to simulate: {time: 10, step: 0.01, formulation: hybrid}"),
    ROW("statics", HK_P_ANY, 0, "options of 'hooke statics': {load: P, to: 2000, points: 50}"),
    ROW("modes", HK_P_ANY, 0, "options of 'hooke modes': {at: equilibrium, channels: [..]}"),
    ROW("streams", HK_P_ANY, 0, "values from other programs and to them while the model runs: {gust: {in: {udp: \"127.0.0.1:5000\"}, columns: 3}}"),
    ROW("inverse", HK_P_ANY, 0, "what 'hooke inverse' shall find: {tasks: {tip: {marker: P, position: [..]}}, actuators: [pin]}"),
    HK_PARAM_END};

const hk_param hki_keys_component[] = {
    ROW("file", HK_P_TEXT, 0, "file that holds the component, relative to this one"),
    ROW("description", HK_P_TEXT, 0, "what the component is; not used"),
    SECTIONS,
    HK_PARAM_END};

const hk_param hki_keys_component_file[] = {
    ROW("hooke", HK_P_ANY, 0, "version of the language: 1"),
    ROW("title", HK_P_TEXT, 0, "one line about the component"),
    ROW("description", HK_P_TEXT, 0, "what the component is; not used"),
    SECTIONS,
    HK_PARAM_END};

const hk_param hki_keys_instance[] = {
    ROW("component", HK_P_TEXT, HK_P_REQUIRED, "name of the component"),
    ROW("in", HK_P_FRAME, 0, "frame in which 'at' and 'rotate' are meant"),
    ROW("at", HK_P_POINT, 0, "where the component's origin goes"),
    ROW("rotate", HK_P_FRAME, 0, "orientation of the component's axes"),
    ROW("mirror", HK_P_ANY, 0, "x, y, z or a list: reflected before it is rotated and placed"),
    ROW("parameters", HK_P_ANY, 0, "values for the component's parameters"),
    ROW("connect", HK_P_ANY, 0, "bodies and nodes of the outside: {name inside: name outside}"),
    HK_PARAM_END};

const hk_param hki_keys_repeat[] = {
    {"repeat", HK_P_INT, 0, HK_P_HAND, NAN, 0, 0, "", NULL, "how many: NAME_1, NAME_2 ..., or names with {i} in them"},
    ROW("index", HK_P_TEXT, 0, "with 'repeat': name of the number that counts them from 1; left out: i"),
    ROW("first", HK_P_ANY, 0, "with 'repeat': keys that differ in the first one"),
    ROW("last", HK_P_ANY, 0, "with 'repeat': keys that differ in the last one"),
    HK_PARAM_END};

const hk_param hki_keys_param[] = {
    ROW("text", HK_P_TEXT, HK_P_REQUIRED, "a text, also where it could be read as an expression"),
    HK_PARAM_END};

const hk_param hki_keys_node[] = {
    {"type", HK_P_CHOICE, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", "electric hydraulic thermal abstract", "what its value is: a voltage, a pressure, a temperature, a number"},
    {"start", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "V, Pa, K", NULL, "value at the start, where the equations leave it free"},
    {"value", HK_P_DYNAMIC, 0, HK_P_HAND, NAN, 0, 0, "V, Pa, K", NULL, "holds the node at this value, a number or a signal; left out: it is free"},
    {"scale", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "V, Pa, K", NULL, "typical size of the value, for the tolerance of the iteration; default 1 (pressures 1e5)"},
    HK_PARAM_END};

const hk_param hki_keys_frame[] = {
    ROW("in", HK_P_FRAME, 0, "frame it is placed in"),
    ROW("at", HK_P_POINT, 0, "its origin"),
    ROW("rotate", HK_P_FRAME, 0, "its orientation"),
    ROW("velocity", HK_P_ANY, 0, "of its origin at the start [x, y, z], m/s, seen from the frame around it: bodies placed in it start with it"),
    ROW("angular_velocity", HK_P_ANY, 0, "at the start [x, y, z], rad/s, seen from the frame around it"),
    HK_PARAM_END};

const hk_param hki_keys_point[] = {
    ROW("in", HK_P_FRAME, 0, "frame of the coordinates"),
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "coordinates [x, y, z]"),
    HK_PARAM_END};

const hk_param hki_keys_orientation[] = {
    ROW("axis", HK_P_AXIS, 0, "axis of rotation, with 'angle'"),
    {"angle", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "rad", NULL, "angle of rotation, with 'axis'"},
    ROW("euler", HK_P_TEXT, 0, "sequence of axes, each moving with the former rotations: zyx"),
    ROW("angles", HK_P_ANY, 0, "the angles of 'euler'"),
    ROW("x", HK_P_AXIS, 0, "direction of the new x axis; give two of x, y, z, the first is exact"),
    ROW("y", HK_P_AXIS, 0, "direction of the new y axis"),
    ROW("z", HK_P_AXIS, 0, "direction of the new z axis"),
    HK_PARAM_END};

const hk_param hki_keys_body[] = {
    {"mass", HK_P_REAL, HK_P_NONNEGATIVE, HK_P_HAND, 0, 0, 0, "kg", NULL, "mass; left out: massless"},
    ROW("com", HK_P_POINT, 0, "centre of mass at the drawing position"),
    ROW("inertia", HK_P_ANY, 0, "about the centre of mass; left out: a point mass"),
    ROW("axes", HK_P_FRAME, 0, "axes of 'inertia'; left out: the world's"),
    CHOICE("rotation", "auto none full", "of a body without 'inertia'. none: a node with three displacements alone, refused where something turns it; auto: a node where nothing does; full: six coordinates"),
    ROW("frame", HK_P_FRAME, 0, "the body's own frame; left out: at the centre of mass, axes of the world"),
    ROW("shape", HK_P_ANY, 0, "one shape for viewers, or a list"),
    HK_PARAM_END};

const hk_param hki_keys_inertia[] = {
    {"xx", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "moment about x"},
    {"yy", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "moment about y"},
    {"zz", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "moment about z"},
    {"xy", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "entry of the matrix, -integral x y dm"},
    {"xz", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "entry of the matrix, -integral x z dm"},
    {"yz", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "kg*m^2", NULL, "entry of the matrix, -integral y z dm"},
    ROW("diagonal", HK_P_ANY, 0, "[xx, yy, zz]"),
    ROW("axes", HK_P_FRAME, 0, "axes of these numbers"),
    HK_PARAM_END};

const hk_param hki_keys_shape[] = {
    ROW("rod", HK_P_ENDS, 0, "[from, to]"),
    ROW("cylinder", HK_P_ENDS, 0, "[from, to]"),
    ROW("capsule", HK_P_ENDS, 0, "[from, to]"),
    ROW("cone", HK_P_ENDS, 0, "[base, tip]"),
    ROW("sphere", HK_P_POINT, 0, "its centre"),
    ROW("box", HK_P_ANY, 0, "its edges [x, y, z], centred at 'at'"),
    ROW("mesh", HK_P_TEXT, 0, "STL, OBJ or glTF file (.glb, .gltf)"),
    {"radius", HK_P_REAL, HK_P_NONNEGATIVE, HK_P_HAND, NAN, 0, 0, "m", NULL, "radius"},
    {"scale", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, 1, 0, 0, "1", NULL,
     "metres per unit of a mesh file: 0.001 for millimetres"},
    ROW("in", HK_P_FRAME, 0, "frame of 'at' and 'rotate'"),
    ROW("at", HK_P_POINT, 0, "place of a box or mesh; left out: the centre of mass"),
    ROW("rotate", HK_P_FRAME, 0, "orientation of a box or mesh"),
    ROW("colour", HK_P_TEXT, 0, "#rrggbb"),
    ROW("color", HK_P_TEXT, 0, "#rrggbb"),
    HK_PARAM_END};

const hk_param hki_keys_marker[] = {
    ROW("on", HK_P_BODY, HK_P_REQUIRED, "the body it moves with"),
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "where it is at the drawing position"),
    ROW("axes", HK_P_FRAME, 0, "its axes at the drawing position"),
    ROW("relative_to", HK_P_BODY, 0, "body or fixed frame that its angles and relative_ channels are seen from; left out: the world"),
    HK_PARAM_END};

const hk_param hki_keys_servo[] = {
    ROW("constraint", HK_P_TEXT, HK_P_REQUIRED, "an equation: \"marker.load.position.x = path\", positions of joints, bodies and markers, and what they follow"),
    ROW("through", HK_P_ANY, HK_P_REQUIRED, "the actuators: a joint (or joint.coordinate), a list of them, or weights: {trolley: 1, hoist: 0.5}"),
    {"active", HK_P_BOOL, 0, HK_P_HAND, 1, 0, 0, "", NULL, "false: the servo is off until an event fixes it"},
    HK_PARAM_END};

const hk_param hki_keys_fmu[] = {
    ROW("file", HK_P_TEXT, HK_P_REQUIRED, "the FMU, relative to this file; the command line must allow it: --allow-fmus"),
    ROW("inputs", HK_P_ANY, 0, "what its inputs follow: {angle: joint.pin.angle}, names of the FMU and channels"),
    ROW("outputs", HK_P_ANY, 0, "what its outputs set: {torque: u}, names of the FMU and inputs of the model"),
    ROW("parameters", HK_P_ANY, 0, "values of its parameters: {k: 3}"),
    CHOICE("coupling", "explicit iterate sampled", "explicit: called before each step with the state there; sampled: the same, and inputs jump to what it gives, as of a digital controller; iterate: within each step, until both agree, which needs FMUs whose state can be saved"),
    {"timeout", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, 10, 0, 0, "s", NULL, "longest time of one call; then the run ends"},
    HK_PARAM_END};

const hk_param hki_keys_event[] = {
    ROW("when", HK_P_ANY, HK_P_REQUIRED, "condition; the event happens once, when it becomes true"),
    ROW("again", HK_P_BOOL, 0, "true: it happens each time that the condition becomes true"),
    ROW("fix", HK_P_JOINT, 0, "joint to hold at the coordinates it then has"),
    ROW("release", HK_P_JOINT, 0, "joint to set free"),
    ROW("rebound", HK_P_JOINT, 0, "coordinate of a joint that reverses its rate, by an impulse: joint, or joint.coordinate"),
    BOUNDED("restitution", 0, 0, 0, 1, "", "of 'rebound': rate after it over the rate before"),
    ROW("set", HK_P_ANY, 0, "rates of joints, values of variables and parameters: {pin: {rate: 2}, k: 50}"),
    ROW("reset", HK_P_ANY, 0, "signal that begins anew: one that remembers, or has states"),
    ROW("stop", HK_P_BOOL, 0, "true: the run ends here"),
    HK_PARAM_END};

const hk_param hki_keys_limits[] = {
    ROW("range", HK_P_ANY, 0, "[lower, upper], null for an open end; where a coordinate has keys of its own"),
    BOUNDED("stiffness", HK_P_POSITIVE, NAN, 0, 0, "N/m or N*m/rad", "makes the stop compliant: force per depth behind the end"),
    BOUNDED("damping", HK_P_NONNEGATIVE, 0, 0, 0, "N*s/m or N*m*s/rad", "compliant: force per rate; it jumps where the stop is touched"),
    BOUNDED("dissipation", HK_P_NONNEGATIVE, 0, 0, 0, "s/m or s/rad", "compliant: share of the elastic force per rate, continuous where the stop is touched"),
    BOUNDED("exponent", 0, 1, 1, 10, "", "compliant: of the depth; 1.5 for a ball"),
    BOUNDED("restitution", 0, 0, 0, 1, "", "rigid: rate after an impact over the rate before, 0 to 1"),
    BOUNDED("rest", HK_P_NONNEGATIVE, 1e-3, 0, 0, "m/s or rad/s", "rigid: a rebound slower than this ends at rest on the stop, until something pulls it off"),
    {"friction", HK_P_FRICTION, 0, HK_P_HAND, 0, 0, 0, "", NULL, "what slides while the stop presses rubs: {mu: 0.2, radius: 0.02}, with the keys of 'friction'; the radius at which the joint turns there"},
    HK_PARAM_END};

const hk_param hki_keys_relax[] = {
    {"stiffness", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "1/s^2", NULL, "holds positions at the drawing, per unit of mass, against the loads"},
    {"rate_stiffness", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "1/s", NULL, "holds rates likewise; left out: loads do not act on them"},
    HK_PARAM_END};

const hk_param hki_keys_start[] = {
    ROW("equilibrium", HK_P_ANY, 0, "true or rest: at rest under all loads; steady: with the rates given; off: as drawn"),
    CHOICE("rates", "relative mass", "rates that are not given: least relative rates of the joints, or least kinetic energy"),
    ROW("relax", HK_P_ANY, 0, "lets loads pull at the start position: {stiffness: 100}"),
    HK_PARAM_END};

const hk_param hki_keys_start_body[] = {
    ROW("in", HK_P_FRAME, 0, "frame of these values; rates are relative to it where it moves; left out: the world"),
    ROW("position", HK_P_POINT, 0, "of the body's frame"),
    ROW("orientation", HK_P_FRAME, 0, "of the body's frame"),
    ROW("velocity", HK_P_ANY, 0, "of the frame's origin [x, y, z], m/s"),
    ROW("angular_velocity", HK_P_ANY, 0, "[x, y, z], rad/s"),
    HK_PARAM_END};

const hk_param hki_keys_gravity[] = {
    ROW("centre", HK_P_POINT, 0, "the point that attracts; left out: the origin"),
    {"mu", HK_P_DYNAMIC, HK_P_REQUIRED, HK_P_HAND, NAN, 0, 0, "m^3/s^2", NULL, "gravity constant times the mass of the centre, 3.986004418e14 for the earth"},
    HK_PARAM_END};

const hk_param hki_keys_moving[] = {
    {"angular_velocity", HK_P_DYNAMIC3P, 0, HK_P_HAND, 0, 0, 0, "rad/s", NULL, "of the frame of reference, in its own axes: numbers or signals of time"},
    {"velocity", HK_P_DYNAMIC3, 0, HK_P_HAND, 0, 0, 0, "m/s", NULL, "of the point 'at', in axes of the frame: numbers or signals of time"},
    ROW("at", HK_P_POINT, 0, "the point of the frame that has the velocity; left out: the origin"),
    HK_PARAM_END};

const hk_param hki_keys_run[] = {
    {"time", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "s", NULL, "end of the simulation"},
    {"step", HK_P_DYNAMIC, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "s", NULL, "time step, a number or a signal of time, or time between rows where the error decides on the steps; without step and integrator it does"},
    ROW("formulation", HK_P_TEXT, 0, "see 'hooke list formulations'"),
    ROW("integrator", HK_P_TEXT, 0, "see 'hooke list integrators'"),
    {"tolerance", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "", NULL, "of the iteration, or of the error control"},
    ROW("frame", HK_P_ANY, 0, "the motion of the frame of reference: {angular_velocity: [0, 0, 30]}"),
    ROW("quasi_steady", HK_P_ANY, 0, "nodes whose values follow at once: what stores at them is dropped: [line]"),
    {"substeps", HK_P_BOOL, 0, HK_P_HAND, 1, 0, 0, "", NULL, "retry a failed step in smaller parts"},
    HK_PARAM_END};

const hk_param hki_keys_inverse[] = {
    ROW("tasks", HK_P_ANY, 0, "what the mechanism shall do, over time: {tip: {marker: P, position: [\"cos(t)\", 0, null]}}"),
    ROW("actuators", HK_P_ANY, 0, "what acts: coordinates of joints, inputs: [elbow, {input: u, range: [0, 1]}]; left out: prescribed coordinates, or with tasks all of the tree's"),
    CHOICE("minimise", "torque activation energy", "of which actuators, where there are more than needed, use the least: squares of their values, of their values over their ranges, or of their powers"),
    ROW("ergonomy", HK_P_ANY, 0, "what costs, where tasks leave freedoms: {bend: {joint: elbow, stiffness: 1, zero: 0.5}}"),
    CHOICE("rates", "exact differences", "velocities and accelerations: derivatives of the positions found, or nearest to differences of these"),
    HK_PARAM_END};

const hk_param hki_keys_actuator[] = {
    ROW("joint", HK_P_JOINT, 0, "a coordinate of a joint: joint, or joint.coordinate"),
    ROW("input", HK_P_TEXT, 0, "a signal of the kind 'input', on which forces depend linearly"),
    ROW("range", HK_P_ANY, 0, "[smallest, largest] value; null: open"),
    REAL("weight", HK_P_POSITIVE, 1, "1", "of its value among the others"),
    HK_PARAM_END};

const hk_param hki_keys_task[] = {
    ROW("marker", HK_P_TEXT, 0, "the marker that 'position', 'axis' and 'rotation' are about"),
    ROW("position", HK_P_ANY, 0, "[x, y, z] in the world: numbers, signals of time, null for a component that is free"),
    ROW("axis", HK_P_DYNAMIC3, 0, "direction [x, y, z] in the world of an axis of the marker; of any length"),
    ROW("along", HK_P_AXIS, 0, "the axis of the marker that 'axis' is about; left out: z"),
    ROW("rotation", HK_P_DYNAMIC3P, 0, "rotation vector of the marker's axes, from the world's"),
    ROW("value", HK_P_TEXT, 0, "an expression of channels"),
    ROW("equals", HK_P_DYNAMIC, 0, "what 'value' shall be: a number or a signal of time"),
    HK_PARAM_END};

const hk_param hki_keys_ergonomy[] = {
    ROW("joint", HK_P_JOINT, 0, "a coordinate that 'zero' or 'range' is about: joint, or joint.coordinate"),
    ROW("zero", HK_P_DYNAMIC, 0, "where it costs nothing: a number or a signal of time"),
    ROW("range", HK_P_ANY, 0, "[lower, upper]: it costs to come near the ends"),
    REAL("margin", HK_P_POSITIVE, NAN, "rad or m", "how far within the range that begins; left out: a tenth of the range"),
    ROW("marker", HK_P_TEXT, 0, "a marker that shall keep away"),
    ROW("point", HK_P_POINT, 0, "from this point of the world"),
    ROW("from", HK_P_TEXT, 0, "or from this marker"),
    REAL("clearance", HK_P_POSITIVE, NAN, "m", "distance below which that costs"),
    REAL("stiffness", HK_P_NONNEGATIVE, 1, "N*m/rad or N/m", "of the cost; of 'joint' that of a spring"),
    ROW("spring", HK_P_TEXT, 0, "a force whose potential energy is a cost"),
    ROW("value", HK_P_TEXT, 0, "an expression of channels that is the cost itself"),
    HK_PARAM_END};

#define TABLE_KEYS \
    ROW("column", HK_P_ANY, 0, "column of the values, by name or number; left out: the second"), \
    ROW("against", HK_P_ANY, 0, "column of the argument; left out: the first"), \
    CHOICE("interpolation", "linear monotone spline akima", "between the points; left out: spline where a motion is prescribed, else linear"), \
    CHOICE("ends", "not_a_knot natural clamped periodic", "of a spline: what holds at its ends"), \
    ROW("slopes", HK_P_ANY, 0, "of a spline with clamped ends: [first, last]"), \
    ROW("rate", HK_P_ANY, 0, "of a spline: column of the first derivatives"), \
    ROW("acceleration", HK_P_ANY, 0, "of a spline: column of the second derivatives"), \
    CHOICE("extrapolation", "hold extend", "beyond the ends")

const hk_param hki_keys_signal[] = {
    ROW("expression", HK_P_TEXT, 0, "of t, parameters, signals and channels"),
    ROW("table", HK_P_ANY, 0, "CSV file, or a list of [x, y]"),
    ROW("step", HK_P_ANY, 0, "{start, from, to, duration}"),
    ROW("ramp", HK_P_ANY, 0, "{start, from, to, end, slope}"),
    ROW("sine", HK_P_ANY, 0, "{frequency, amplitude, phase, offset, start, cycles}"),
    ROW("pulse", HK_P_ANY, 0, "{width, start, from, to, period, count, rise}"),
    ROW("cosine", HK_P_ANY, 0, "{frequency, amplitude, offset, start, cycles}"),
    ROW("sweep", HK_P_ANY, 0, "{from, to, duration, amplitude, phase, offset, start, law}"),
    ROW("fourier", HK_P_ANY, 0, "{frequency, cos: [..], sin: [..], offset, start}"),
    ROW("random", HK_P_ANY, 0, "{hold, seed, amplitude, offset, start, distribution, colour, smooth}"),
    ROW("points", HK_P_ROWS, 0, "list of [t, value]: a table written here"),
    ROW("periodic", HK_P_ANY, 0, "a signal of a time that repeats: {of: signal, period: 2}"),
    ROW("integral", HK_P_ANY, 0, "over time: {of: signal, start: 0}"),
    ROW("derivative", HK_P_ANY, 0, "by time, filtered, or exact of a signal of time: {of: signal, time: 0.01}"),
    ROW("filter", HK_P_ANY, 0, "{of: signal, lowpass: 10, order: 2}"),
    ROW("transfer_function", HK_P_ANY, 0, "{of: signal, numerator: [1], denominator: [0.1, 1]}"),
    ROW("state_space", HK_P_ANY, 0, "x' = A x + B u, y = C x + D u: {of: signal, A: [[..]], B: [..], C: [..], D: [..]}"),
    ROW("pid", HK_P_ANY, 0, "a controller: {of: error, kp: 10, ki: 2, kd: 1, rate: its rate, limits: [-5, 5]}"),
    ROW("sample", HK_P_ANY, 0, "taken at even times and held: {of: signal, period: 0.001}"),
    ROW("delay", HK_P_ANY, 0, "what a signal was a time ago: {of: signal, time: 0.05}"),
    ROW("quantiser", HK_P_ANY, 0, "in steps: {of: signal, step: 0.01} or {of: signal, bits: 12, range: [-10, 10]}"),
    ROW("saturation", HK_P_ANY, 0, "held between limits: {of: signal, limits: [-1, 1]}"),
    ROW("dead_zone", HK_P_ANY, 0, "0 between limits: {of: signal, limits: [-0.1, 0.1]}"),
    ROW("rate_limit", HK_P_ANY, 0, "follows with a limited rate: {of: signal, rates: [-2, 2], period: 0.001}"),
    ROW("latch", HK_P_ANY, 0, "0, and 1 from the moment on at which a condition becomes true: {when: condition, reset: condition}"),
    ROW("first_hit", HK_P_ANY, 0, "the time at which a condition first became true, until then t: {when: condition}"),
    ROW("after", HK_P_ANY, 0, "another signal once a condition has held: {when: condition, of: signal, before: 0}"),
    ROW("variable", HK_P_REAL, 0, "a value that events set; here the one at the start"),
    ROW("input", HK_P_ANY, 0, "a value that the program around the simulation sets between steps; here the one at the start, or {start: 0, extrapolate: linear}"),
    ROW("stream", HK_P_TEXT, 0, "a stream of the section 'streams' that values come from while the model runs; 'column' says which, from 1"),
    ROW("sum", HK_P_ANY, 0, "list of signals"),
    ROW("product", HK_P_ANY, 0, "list of signals"),
    ROW("x", HK_P_TEXT, 0, "argument of a table or shape; left out: t"),
    ROW("y", HK_P_TEXT, 0, "second argument, of a table in two variables"),
    ROW("columns", HK_P_ANY, 0, "three columns of a table at once: the signals NAME.x, NAME.y, NAME.z"),
    TABLE_KEYS,
    HK_PARAM_END};

const hk_param hki_keys_table[] = {
    ROW("x", HK_P_TEXT, 0, "argument; left out: t"),
    ROW("y", HK_P_TEXT, 0, "second argument: the table is z(x, y), a file with the values of y in its first row and those of x in its first column, or {x: [..], y: [..], z: [[..], ..]}; linear (bilinear) or spline (bicubic)"),
    ROW("columns", HK_P_ANY, 0, "three columns at once: the signals NAME.x, NAME.y, NAME.z"),
    TABLE_KEYS,
    HK_PARAM_END};

const hk_param hki_keys_periodic[] = {
    ROW("of", HK_P_DYNAMIC, HK_P_REQUIRED, "signal, or expression of t: it is read between start and start + period"),
    {"period", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "s", NULL, "how long until it repeats"},
    {"start", HK_P_REAL, 0, HK_P_HAND, 0, 0, 0, "s", NULL, "where the first period begins"},
    HK_PARAM_END};

#define WHEN ROW("when", HK_P_DYNAMIC, HK_P_REQUIRED, "condition; its time is found exactly, as of an event")
const hk_param hki_keys_latch[] = {
    WHEN,
    ROW("reset", HK_P_DYNAMIC, 0, "condition that sets it back to 0; left out: never"),
    ROW("of", HK_P_DYNAMIC, 0, "signal whose value at that moment is kept in the place of 1"),
    HK_PARAM_END};

const hk_param hki_keys_first_hit[] = {WHEN, HK_PARAM_END};

const hk_param hki_keys_after[] = {
    WHEN,
    ROW("of", HK_P_DYNAMIC, HK_P_REQUIRED, "the signal from then on"),
    ROW("before", HK_P_DYNAMIC, 0, "the signal until then; left out: 0"),
    HK_PARAM_END};

const hk_param hki_keys_input[] = {
    ROW("start", HK_P_REAL, 0, "value at the start, which stays when nobody sets another"),
    CHOICE("extrapolate", "hold linear", "between two values that are set: the last one, or the line through the last two"),
    HK_PARAM_END};

const hk_param hki_keys_surface[] = {
    ROW("x", HK_P_REALS, HK_P_REQUIRED, "values of x, ascending"),
    ROW("y", HK_P_REALS, HK_P_REQUIRED, "values of y, ascending"),
    ROW("z", HK_P_ROWS, HK_P_REQUIRED, "a row for each x with a number for each y"),
    HK_PARAM_END};

const hk_param hki_keys_law[] = {
    ROW("linear", HK_P_NUMBERS, 0, "slope; of several deformations one for all, a list, or a matrix"),
    ROW("polynomial", HK_P_ANY, 0, "[c0, c1, ...]: c0 + c1 s + ..."),
    ROW("piecewise", HK_P_ANY, 0, "[{below: v, law}, ..., {law}]"),
    ROW("table", HK_P_ANY, 0, "CSV file, or a list of [s, f]"),
    ROW("expression", HK_P_ANY, 0, "of s and sdot; of several deformations a list of expressions of s1, s2, .. and sd1, sd2, .."),
    ROW("maxwell", HK_P_ANY, 0, "[{stiffness: k, time: tau}, ...]: springs with dashpots in line, over s, beside the law or alone"),
    ROW("coulomb", HK_P_ANY, 0, "friction that sticks truly, over sdot: {force: F, ...}"),
    ROW("stribeck", HK_P_ANY, 0, "the same, with a higher force at break-away: {force: F, static: Fs, speed: v}"),
    ROW("lugre", HK_P_ANY, 0, "friction by a bristle, over sdot: {stiffness: s0, coulomb: F, ...}"),
    ROW("hardening", HK_P_ANY, 0, "elastic and plastic, over s: {stiffness: k, yield: F, ...}"),
    ROW("double_linear", HK_P_ANY, 0, "two slopes: {stiffness: k, beyond: k2, from: a, to: b}"),
    ROW("log_elastic", HK_P_ANY, 0, "{stiffness: k, length: l}: k log(1 + s/l)"),
    ROW("gas_spring", HK_P_ANY, 0, "a gas column: {area: A, pressure: p, length: l, exponent: n}"),
    ROW("turbulent", HK_P_ANY, 0, "over sdot: {coefficient: c, speed: v}: c sdot |sdot| above that speed, linear below"),
    ROW("shock_absorber", HK_P_ANY, 0, "gas spring and orifice in one"),
    ROW("viscous", HK_P_NUMBERS, 0, "damping over the rates, beside other kinds or alone: a number, a list or a matrix"),
    ROW("proportional", HK_P_REAL, 0, "damping as this many seconds times 'linear'"),
    ROW("potential", HK_P_TEXT, 0, "an energy over s1, s2, .. (s), whose gradient is the force"),
    ROW("components", HK_P_LAW6, 0, "a law for each deformation: a list, null where there is none, or a mapping of x y z rx ry rz"),
    ROW("rates", HK_P_LAW6, 0, "the same over their rates"),
    ROW("axis", HK_P_ANY, 0, "{direction: [a, b, c], law: ..}: a law along one direction"),
    ROW("sum", HK_P_LAWS, 0, "laws beside each other"),
    ROW("bistop", HK_P_ANY, 0, "{engage: condition, release: condition, law: ..}: a law that engages and lets go"),
    ROW("prestrain", HK_P_NUMBERS, 0, "deformations at which the law has no force: a number of each"),
    ROW("prestress", HK_P_NUMBERS, 0, "forces that are added"),
    ROW("factor", HK_P_REAL, 0, "multiplies the law, the prestress apart"),
    ROW("below", HK_P_REAL, 0, "inside 'piecewise': this piece holds below"),
    ROW("law", HK_P_ANY, 0, "inside 'piecewise': the law of the piece; else a law beside the other kinds"),
    TABLE_KEYS,
    HK_PARAM_END};

const hk_param hki_keys_curve[] = {
    ROW("circle", HK_P_REAL, 0, "radius"),
    ROW("centre", HK_P_ANY, 0, "[x, y] of the circle; left out: the origin"),
    ROW("polar", HK_P_ANY, 0, "radius over the angle: an expression of angle, or rows of [angle, r] for a periodic spline, or a file of them: outline.csv"),
    ROW("points", HK_P_ANY, 0, "[[x, y], ...], or a file of two columns: a spline goes through them"),
    ROW("open", HK_P_BOOL, 0, "true: a slot whose ends, of points or x and y, do not meet; it goes on straight beyond them"),
    ROW("x", HK_P_TEXT, 0, "expression of u, from 0 to 1"),
    ROW("y", HK_P_TEXT, 0, "expression of u, from 0 to 1"),
    HK_PARAM_END};

const hk_param hki_keys_road[] = {
    ROW("table", HK_P_ANY, 0, "CSV file, or a list of [x, z]"),
    ROW("expression", HK_P_TEXT, 0, "of x and t"),
    TABLE_KEYS,
    HK_PARAM_END};
/* clang-format on */
