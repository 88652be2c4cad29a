/* SPDX-License-Identifier: Apache-2.0
 *
 * schema_objects.h: the objects of a model file that one table of keys describes, for schema.c alone.
 */
#ifndef HK_CATALOG_SCHEMA_OBJECTS_H
#define HK_CATALOG_SCHEMA_OBJECTS_H

#include "language/model_reader.h"
#include "language/reader_beams.h"
#include "language/reader_flexible.h"
#include "language/reader_shells.h"
#include "language/reader_blocks.h"
#include "language/reader_fmus.h"
#include "language/reader_streams.h"
#include "language/reader_laws.h"
#include "language/reader_covers.h"
#include "language/reader_external.h"

/* objects that one table of keys describes */
static const struct {
  const char *name;
  const hk_param *table;
  bool item; /* of a section: it may be repeated */
} objects[] = {
    {"point_in_frame", hki_keys_point, true},
    {"rotation", hki_keys_orientation, false},
    {"place", hki_keys_frame, true},
    {"component", hki_keys_component, false},
    {"instance", hki_keys_instance, true},
    {"body_keys", hki_keys_body, true},
    {"inertia", hki_keys_inertia, false},
    {"shape", hki_keys_shape, false},
    {"beam", hki_keys_beam, true},
    {"flexible_body", hki_keys_flexible, true},
    {"masses_cable", hki_keys_cable, true},
    {"shell", hki_keys_shell, true},
    {"membrane", hki_keys_membrane, true},
    {"shell_laminate", hki_keys_shell_laminate, false},
    {"hold", hki_keys_hold, false},
    {"shell_load", hki_keys_shell_load, false},
    {"closed_belt", hki_keys_belt, true},
    {"mapped_surface", hki_keys_cover, true},
    {"external_forces", hki_keys_external, true},
    {"external_peer", hki_keys_external_peer, false},
    {"surface_grid", hki_keys_cover_grid, false},
    {"pulley", hki_keys_pulley, false},
    {"over", hki_keys_over, false},
    {"clamp", hki_keys_clamp, false},
    {"section", hki_keys_section, false},
    {"section_shape", hki_keys_section_shape, false},
    {"material", hki_keys_material, false},
    {"laminate", hki_keys_laminate, false},
    {"ply", hki_keys_ply, false},
    {"ply_material", hki_keys_ply_material, false},
    {"beam_load", hki_keys_beam_load, false},
    {"slider", hki_keys_slider, false},
    {"node", hki_keys_node, true},
    {"marker", hki_keys_marker, true},
    {"servo", hki_keys_servo, true},
    {"fmu", hki_keys_fmu, true},
    {"event", hki_keys_event, true},
    {"stop", hki_keys_limits, false},
    {"relax", hki_keys_relax, false},
    {"statics", hki_keys_statics, false},
    {"modes", hki_keys_modes, false},
    {"inverse", hki_keys_inverse, false},
    {"stream_keys", hki_keys_stream, false},
    {"stream_way", hki_keys_stream_way, false},
    {"actuator", hki_keys_actuator, false},
    {"task", hki_keys_task, false},
    {"ergonomy", hki_keys_ergonomy, false},
    {"signal", hki_keys_signal, true},
    {"periodic", hki_keys_periodic, false},
    {"grid", hki_keys_surface, false},
    {"machine_state", hki_keys_machine_state, false},
    {"transition", hki_keys_transition, false},
    {"latch", hki_keys_latch, false},
    {"first_hit", hki_keys_first_hit, false},
    {"after", hki_keys_after, false},
    {"input", hki_keys_input, false},
    {"law_keys", hki_keys_law, true},
    {"maxwell", hki_keys_maxwell, false},
    {"coulomb", hki_keys_coulomb, false},
    {"stribeck", hki_keys_stribeck, false},
    {"lugre", hki_keys_lugre, false},
    {"friction", hki_keys_friction, false},
    {"hardening", hki_keys_hardening, false},
    {"double_linear", hki_keys_double_linear, false},
    {"log_elastic", hki_keys_log_elastic, false},
    {"gas_spring", hki_keys_gas_spring, false},
    {"turbulent", hki_keys_turbulent, false},
    {"shock_absorber", hki_keys_shock_absorber, false},
    {"law_axis", hki_keys_law_axis, false},
    {"bistop", hki_keys_bistop, false},
    {"road_keys", hki_keys_road, false},
    {"curve_keys", hki_keys_curve, false},
    {"text_parameter", hki_keys_param, false},
    {"central_gravity", hki_keys_gravity, false},
    {"moving_frame", hki_keys_moving, false},
    {"model", hki_keys_model, false},
};

#endif
