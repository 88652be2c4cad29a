/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c: the sections of a model file, and the table of what people call things elsewhere.
 */
#include "language/words.h"

#include <ctype.h>
#include <string.h>

#include "elements/joint_friction.h"
#include "language/reader_fmus.h"
#include "language/reader_beams.h"
#include "language/reader_shells.h"
#include "language/reader_covers.h"
#include "language/reader_external.h"
#include "language/reader_blocks.h"
#include "language/reader_flexible.h"
#include "language/reader_streams.h"
#include "language/reader_laws.h"

/* --- sections --------------------------------------------------------------------------------- */

/* rows without text are keys of a model, whose table has the text */
static const hk_section sections[] = {
    {"hooke", NULL, NULL, NULL},
    {"title", NULL, NULL, NULL},
    {"description", NULL, NULL, NULL},
    {"planar", NULL, NULL, NULL},
    {"gravity", NULL, NULL, NULL},
    {"parameters", NULL, NULL, "see 'hooke list constants' and 'hooke list functions'"},
    {"include", NULL, NULL, NULL},
    {"frames", NULL, hki_keys_frame, NULL},
    {"points", NULL, hki_keys_point, NULL},
    {"components", NULL, hki_keys_component, NULL},
    {"instances", NULL, hki_keys_instance, NULL},
    {"bodies", NULL, hki_keys_body, NULL},
    {"joints", NULL, NULL, "see 'hooke list joints'"},
    {"beams", NULL, hki_keys_beam, NULL},
    {"flexible", NULL, hki_keys_flexible, NULL},
    {"cables", NULL, hki_keys_cable, NULL},
    {"shells", NULL, hki_keys_shell, NULL},
    {"membranes", NULL, hki_keys_membrane, NULL},
    {"belts", NULL, hki_keys_belt, NULL},
    {"surfaces", NULL, hki_keys_cover, NULL},
    {"external", NULL, hki_keys_external, NULL},
    {"servo", NULL, hki_keys_servo, NULL},
    {"forces", NULL, NULL, "see 'hooke list forces'"},
    {"nodes", NULL, hki_keys_node, "see 'hooke list nodes'"},
    {"network", NULL, NULL, "see 'hooke list network'"},
    {"signals", NULL, hki_keys_signal, "see 'hooke list signals'"},
    {"controllers", NULL, hki_keys_controller, "see 'hooke list controllers'"},
    {"laws", NULL, hki_keys_law, "see 'hooke list laws'"},
    {"markers", NULL, hki_keys_marker, NULL},
    {"events", NULL, hki_keys_event, NULL},
    {"start", NULL, hki_keys_start, "beside these keys: the names of joints and bodies"},
    {"modules", NULL, NULL, NULL},
    {"fmus", NULL, hki_keys_fmu, NULL},
    {"record", NULL, NULL, "see 'hooke list channels'"},
    {"run", NULL, hki_keys_run,
     "beside these keys: the options of the formulation and of the integrator"},
    {"statics", NULL, hki_keys_statics,
     "options of 'hooke statics', which the command line can change: see 'hooke help statics'"},
    {"modes", NULL, hki_keys_modes,
     "options of 'hooke modes', which the command line can change: see 'hooke help modes'"},
    {"streams", NULL, hki_keys_stream, "opened by 'hooke realtime' and 'hooke run --connect'"},
    {"inverse", NULL, hki_keys_inverse, "see 'hooke help inverse'"},
    {"repeat", "in any item of a section but parameters and components: several of them",
     hki_keys_repeat, NULL},
    {"text_parameter", "a parameter that is a text", hki_keys_param, NULL},
    {"inertia", "moments of inertia of a body, as keys or as [xx, yy, zz]", hki_keys_inertia, NULL},
    {"shape", "a shape of a body, for viewers", hki_keys_shape, NULL},
    {"orientation", "how axes are turned: these keys, or a quaternion [w, x, y, z]",
     hki_keys_orientation, NULL},
    {"limits", "under 'limits' of a joint, beside or under its coordinates: how the stops act",
     hki_keys_limits, NULL},
    {"pulley", "under 'pulleys' of a belt", hki_keys_pulley, NULL},
    {"over", "under 'over' of a cable: a point or a pulley; or the name of a marker", hki_keys_over,
     NULL},
    {"external_peer", "under 'peer' of an item of 'external'", hki_keys_external_peer, NULL},
    {"surface_grid", "under 'grid' of a surface", hki_keys_cover_grid, NULL},
    {"clamp", "under 'clamp' of a beam, or 'ends' of a cable: bodies that its ends are fixed to",
     hki_keys_clamp, NULL},
    {"section", "under 'section' of a beam; [y, z] are the axes of the section", hki_keys_section,
     NULL},
    {"section_shape", "under 'shape' of a section", hki_keys_section_shape, NULL},
    {"material", "under 'material' of a section", hki_keys_material, NULL},
    {"laminate", "under 'laminate' of a section", hki_keys_laminate, NULL},
    {"ply", "under 'plies' of a laminate", hki_keys_ply, NULL},
    {"ply_material", "under 'material' of a laminate or a ply", hki_keys_ply_material, NULL},
    {"beam_load", "under 'loads' of a beam, by name", hki_keys_beam_load, NULL},
    {"shell_laminate", "under 'laminate' of a shell or a membrane", hki_keys_shell_laminate, NULL},
    {"hold",
     "under 'clamp' of a shell or a membrane, by side or group of nodes: these keys, or a body",
     hki_keys_hold, NULL},
    {"shell_load", "under 'loads' of a shell or a membrane, by name", hki_keys_shell_load, NULL},
    {"slider", "under 'sliders' of a beam, by name: a point of a body that runs along it",
     hki_keys_slider, NULL},
    {"stream_way", "under 'in' or 'out' of a stream: one of these keys, or stdin, stdout",
     hki_keys_stream_way, NULL},
    {"actuator", "under 'actuators' of 'inverse': these keys, or the name of a joint or input",
     hki_keys_actuator, NULL},
    {"task", "under 'tasks' of 'inverse'", hki_keys_task, NULL},
    {"ergonomy", "under 'ergonomy' of 'inverse'", hki_keys_ergonomy, NULL},
    {"relax", "under 'start': loads act on the start position", hki_keys_relax, NULL},
    {"central_gravity", "'gravity' of a centre", hki_keys_gravity, NULL},
    {"moving_frame", "'frame' under 'run': the motion of the frame of reference", hki_keys_moving,
     NULL},
    {"start_of_body", "under 'start', by the name of a body", hki_keys_start_body, NULL},
    {"law", "force of a compliant element over its deformation", hki_keys_law,
     "see 'hooke list laws'"},
    {"maxwell", "a branch of a law's 'maxwell': a spring with a dashpot in line", hki_keys_maxwell,
     NULL},
    {"coulomb", "friction of a law that sticks truly", hki_keys_coulomb, NULL},
    {"stribeck", "the same, with a higher force at break-away", hki_keys_stribeck, NULL},
    {"lugre", "friction of a law by a bristle", hki_keys_lugre, NULL},
    {"friction", "dry friction under a normal force", hki_keys_friction, NULL},
    {"joint_friction", "keys of a joint's 'friction' beside those of 'friction'",
     hki_joint_friction_params, NULL},
    {"hardening", "elastic and plastic law", hki_keys_hardening, NULL},
    {"double_linear", "a law with two slopes", hki_keys_double_linear, NULL},
    {"log_elastic", "a law by the logarithm of the stretch", hki_keys_log_elastic, NULL},
    {"gas_spring", "a law of a gas column", hki_keys_gas_spring, NULL},
    {"turbulent", "a law of the speed, quadratic", hki_keys_turbulent, NULL},
    {"shock_absorber", "gas spring and orifice in one law", hki_keys_shock_absorber, NULL},
    {"law_axis", "'axis' of a law of several deformations", hki_keys_law_axis, NULL},
    {"bistop", "a law that engages and lets go", hki_keys_bistop, NULL},
    {"state", "a state of a controller that is a 'state_machine'", hki_keys_machine_state, NULL},
    {"transition", "a way from one state of a 'state_machine' to another", hki_keys_transition,
     NULL},
    {"road", "height of a road over its length", hki_keys_road, NULL},
    {"curve", "outline of a cam, a closed plane curve", hki_keys_curve, NULL},
};

const hk_section *hki_section_at(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(sections) ? &sections[i] : NULL;
}

/* --- words of others -------------------------------------------------------------------------- */

/* clang-format off */
static const hk_foreign_word foreign[] = {
    {"contact collision impact bump penetration",
     "no contact between shapes; a wheel or ball on ground is a 'tyre' with a road, any other contact a 'force' whose expression acts while bodies overlap", "forces/tyre forces/force"},
    {"stiction drag dry_friction",
     "in a joint: its key 'friction', pressed by its own reaction; friction of known size is a damper law (coulomb, stribeck, lugre); faces that are pressed together are a 'brake', or between two turning bodies a 'clutch'", "joints/revolute forces/joint_spring forces/brake laws/coulomb laws/stribeck laws/lugre"},
    {"motor drive engine control_constraint",
     "forces that make a position follow a path are the section 'servo', a prescribed movement is the key 'motion' of a joint, a given moment on it a 'joint_torque', an electric machine a 'dc_motor'", "forces/joint_torque network/dc_motor joints/revolute sections/servo"},
    {"gears transmission gearbox chain_drive ratio coupling",
     "a 'gear' between two joints; any other relation of their coordinates is a 'coupler'", "joints/gear joints/coupler"},
    {"follower tappet", "the joint 'cam'; or a 'coupler' of both joints by a table, or a 'motion' on the follower's joint", "joints/cam joints/coupler signals/table"},
    {"controller control feedback regulator",
     "an item of 'controllers', {type: pid, input: ref - joint.pin.angle, kp: 10, ki: 2, kd: 1, rate: -joint.pin.rate}, or an expression of channels", "sections/controllers controllers/pid forces/joint_torque"},
    {"stop limit end_stop bumper bounce restitution",
     "the key 'limits' of a joint, rigid with 'restitution' or compliant with 'stiffness'", "sections/limits joints/revolute"},
    {"wire tether string winch hoist",
     "an item of 'cables', {wire: {from: A, to: B, elements: 20, EA: 1e5, mass: 0.5}}, whose 'length' may be a signal; without mass a 'rope'", "sections/cables forces/rope forces/cable"},
    {"sheave block_and_tackle", "under 'over' of a 'cable', or under 'pulleys' of an item of 'belts'", "forces/cable sections/belts sections/pulley"},
    {"beam rod_element fe fem",
     "an item of 'beams', {wing: {from: A, to: B, elements: 8, up: z, section: {..}}}", "sections/beams sections/section"},
    {"modal component_modes craig_bampton", "an item of 'flexible', {rod: {data: rod.nc, modes: 12}}, from 'hooke reduce'", "sections/flexible"},
    {"shell shell4 plate shell4eas", "an item of 'shells', {skin: {corners: [A, B, C, D], elements: [8, 4], thickness:, material:}}", "sections/shells"},
    {"membrane membrane4eas sail", "an item of 'membranes'", "sections/membranes"},
    {"constitutive_law constitutive viscoelastic linear_viscoelastic_generic symbolic axial_wrapper",
     "an item of 'laws', used by its name: 'linear', 'viscous', 'maxwell', 'hardening', 'components', 'axis', 'sum' and others; prestrain, prestress and factor by signals at the element", "sections/laws forces/bushing laws/sum laws/components"},
    {"spring damper shock coilover strut", "a 'spring_damper' between two points, or a 'joint_spring' along a joint's coordinate", "forces/spring_damper forces/joint_spring"},
    {"pivot pin", "the joint 'revolute'", "joints/revolute"},
    {"translational rail", "the joint 'prismatic'; along a beam that bends its key 'sliders'", "joints/prismatic sections/slider"},
    {"ball_joint ball_and_socket", "the joint 'spherical'", "joints/spherical"},
    {"homokinetic_joint cv_joint rzeppa half_shaft", "the joint 'constant_velocity'; a shaft that plunges is a 'gimbal' with a point on a line", "joints/constant_velocity joints/gimbal"},
    {"drive_hinge total_pin_joint spherical_motion", "the key 'motion' of a spherical joint: {rotation: [..]}, {quaternion: [..]} or {euler: zyx, angles: [..]}", "joints/spherical"},
    {"hooke_joint u_joint", "the joint 'universal'", "joints/universal"},
    {"rigid lock", "the joint 'fixed'", "joints/fixed"},
    {"base root", "a body that no joint holds is free; the joint 'free' gives its coordinates names", "joints/free"},
    {"link part rigid_body solid", "an item of 'bodies'", "sections/bodies"},
    {"constraint constraints", "an item of 'joints'; 'distance' and others that only constrain are among them", "sections/joints joints/distance"},
    {"world earth base_link fixed_frame", "the body 'ground'", "sections/bodies"},
    {"sensor output probe", "every quantity is a channel; 'record' chooses what is written, 'markers' are points to follow", "sections/record sections/markers"},
    {"initial_conditions initial ic", "the section 'start'", "sections/start"},
    {"solver settings simulation options", "the section 'run'", "sections/run"},
    {"variables constant define vector", "the section 'parameters': numbers, lists and texts", "sections/parameters"},
    {"loop for array pattern copies duplicate foreach", "the key 'repeat' of an item", "sections/repeat"},
    {"function spline lookup", "a signal with a 'table', or an 'expression'", "signals/table signals/expression"},
    {"force_vector load wrench", "a 'force' or 'torque' whose components are numbers or signals", "forces/force forces/torque"},
    {"bearing mount bush rubber elastomer deformable", "the force 'bushing'", "forces/bushing forces/elastic_displacement forces/elastic_hinge"},
    {"tire wheel ground_contact", "the force 'tyre'", "forces/tyre"},
    {"static equilibrium trim", "start: {equilibrium: true} solves statics before the run; 'hooke statics' finds equilibria alone, see the section 'statics'", "sections/start sections/statics"},
    {"geometry visual mesh graphics", "the key 'shape' of a body", "sections/shape"},
};
/* clang-format on */

const hk_foreign_word *hki_foreign_at(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(foreign) ? &foreign[i] : NULL;
}

/* equal but for case, and '-' or ' ' for '_' */
static bool same_word(const char *a, int n, const char *word) {
  for (int i = 0; i < n; i++) {
    char c = (char)tolower((unsigned char)word[i]);
    if (c == '-' || c == ' ') c = '_';
    if (a[i] != c) return false;
  }
  return word[n] == '\0';
}

const char *hki_foreign_find(const char *word) {
  int n;
  for (int32_t i = 0; i < HK_ARRAY_LEN(foreign); i++) {
    const char *w = foreign[i].words;
    for (int32_t k = 0; w = hki_word(w, k ? 1 : 0, &n), n > 0; k++)
      if (same_word(w, n, word)) return foreign[i].text;
  }
  return NULL;
}
