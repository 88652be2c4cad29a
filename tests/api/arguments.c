/* SPDX-License-Identifier: Apache-2.0
 *
 * Every public function with nothing, or something else, where it needs something: it says so and
 * does not crash. Functions are those of the public headers: one that has no case here fails.
 */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runner.h"
#include "support_arguments.h"
#include "support_live.h"
#include "support_sources.h"

Suite *suite_arguments(void);

test_things x;

static const char *const text = "hooke: 1\nbodies: {}\n";

static void make(void) {
  char path[512];
  double step = 0.01;
  const char *methods[] = {"hybrid", "newmark"};
  hk_run_options run = hk_run_options_def();
  hk_sim_options opt = hk_sim_options_def();
  hk_compare_options compare = hk_compare_options_def();
  strcpy(x.dir, "arguments-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(x.dir));
  snprintf(x.nc, sizeof x.nc, "%s/r.nc", x.dir);
  snprintf(x.out, sizeof x.out, "%s/out", x.dir);
  snprintf(path, sizeof path, "%s/examples/pendulum.yaml", test_source_dir());
  x.ctx = hk_ctx_create();
  ck_assert_int_eq(hk_model_load(x.ctx, path, NULL, 0, &x.m), HK_OK);
  opt.time = 0.05;
  run.sim = &opt;
  run.output = x.nc;
  ck_assert_int_eq(hk_run(x.m, &run, &x.s), HK_OK);
  ck_assert_int_eq(hk_result_open(x.ctx, x.nc, &x.r), HK_OK);
  compare.formulations = &methods[0], compare.nformulations = 1;
  compare.integrators = &methods[1], compare.nintegrators = 1;
  compare.steps = &step, compare.nsteps = 1;
  compare.time = 0.05;
  ck_assert_int_eq(hk_compare(x.ctx, path, &compare, &x.c), HK_OK);
}

static void end(void) {
  hk_comparison_free(x.c);
  hk_result_close(x.r);
  hk_sim_destroy(x.s);
  hk_model_release(x.m);
  hk_ctx_destroy(x.ctx);
  remove(x.nc);
  ck_assert_int_eq(rmdir(x.dir), 0); // no refused call has left a file
}

void says(const char *words) {
  int32_t n = hk_ctx_message_count(x.ctx);
  ck_assert_int_gt(n, 0);
  const char *said = hk_ctx_message(x.ctx, n - 1)->text;
  ck_assert_msg(strstr(said, words) != NULL, "'%s' in '%s'", words, said);
}

/* --- base --- */

static void status_words(void) {
  ck_assert_str_eq(hk_status_text(12345), "unknown status");
  EMPTY(hk_status_hint(12345));
  ck_assert_str_eq(hk_status_name(-999), "HK_UNKNOWN");
}

static void ctx_life(void) {
  hk_ctx *own = hk_ctx_create();
  hk_ctx_destroy(own);
  hk_ctx_destroy(NULL);
  hk_ctx_destroy(OTHER_CTX);
}

static void ctx_messages(void) {
  hk_ctx_on_message(NULL, NULL, NULL);
  hk_ctx_on_message(OTHER_CTX, NULL, NULL);
  hk_ctx_on_message(x.ctx, NULL, NULL);
  ZERO(hk_ctx_message_count(NULL) + hk_ctx_message_count(OTHER_CTX));
  ZERO(*hk_ctx_phase(NULL) + *hk_ctx_phase(OTHER_CTX) + *hk_ctx_phase(x.ctx));
  NOTHING(hk_ctx_message(NULL, 0));
  NOTHING(hk_ctx_message(x.ctx, -1));
  NOTHING(hk_ctx_message(x.ctx, 1 << 20));
  hk_ctx_clear(NULL);
  hk_ctx_clear(OTHER_CTX);
  ZERO(hk_ctx_allocations(NULL));
  ZERO(hk_ctx_allocations(OTHER_CTX));
  hk_ctx_stop_on(NULL, NULL);
  hk_ctx_stop_on(OTHER_CTX, NULL);
}

static void tools(void) {
  char buf[8] = "";
  USAGE(hk_file_write(NULL, x.out, "", 0));
  USAGE(hk_file_write(OTHER_CTX, x.out, "", 0));
  USAGE(hk_file_write(x.ctx, NULL, "", 0));
  USAGE(hk_file_write(x.ctx, x.out, NULL, 1));
  ck_assert_uint_eq(hk_json_string(NULL, buf, sizeof buf), 4);
  ck_assert_uint_eq(hk_json_string("a", NULL, 100), 3);
  ck_assert_uint_eq(hk_json_number(0.1, NULL, 100), 3);
  NOTHING(hk_nearer(NULL, NULL, "a"));
  NOTHING(hk_nearer("angle", NULL, NULL));
}

static void versions(void) {
  ck_assert_str_eq(hk_version(), HK_VERSION_STRING);
  NOTHING(hk_feature_name(-1));
  NOTHING(hk_feature_name(hk_feature_count()));
  ZERO(hk_feature_on(-1));
}

/* --- models --- */

static void model_load(void) {
  const hk_set nameless = {NULL, "1"}, without_value = {"a", NULL};
  hk_model *m = x.m;
  USAGE(hk_model_load(NULL, "a.yaml", NULL, 0, &m));
  NOTHING(m);
  USAGE(hk_model_load(OTHER_CTX, "a.yaml", NULL, 0, &m));
  USAGE(hk_model_load(x.ctx, NULL, NULL, 0, &m));
  says("hk_model_load");
  USAGE(hk_model_load(x.ctx, "a.yaml", NULL, 1, &m));
  USAGE(hk_model_load(x.ctx, "a.yaml", &nameless, -1, &m));
  USAGE(hk_model_load(x.ctx, "a.yaml", &nameless, 1, &m));
  USAGE(hk_model_load(x.ctx, "a.yaml", &without_value, 1, &m));
  USAGE(hk_model_load(x.ctx, "a.yaml", NULL, 0, NULL));
}

static void model_parse(void) {
  hk_model *m = x.m;
  USAGE(hk_model_parse(NULL, text, strlen(text), "a", NULL, 0, &m));
  NOTHING(m);
  USAGE(hk_model_parse(x.ctx, NULL, 0, "a", NULL, 0, &m));
  says("hk_model_parse: no text");
  USAGE(hk_model_parse(x.ctx, text, strlen(text), NULL, NULL, 0, &m));
  USAGE(hk_model_parse(x.ctx, text, strlen(text), "a", NULL, 1, &m));
  USAGE(hk_model_parse(x.ctx, text, strlen(text), "a", NULL, 0, NULL));
}

static void model_others(void) {
  hk_model_release(NULL);
  hk_model_release(OTHER_MODEL);
  NOTHING(hk_model_title(NULL));
  NOTHING(hk_model_title(OTHER_MODEL));
  NOTHING(hk_model_path(NULL));
  NOTHING(hk_model_text(NULL));
  NOTHING(hk_model_setting(NULL, "modes", "at", 0));
  NOTHING(hk_model_setting(x.m, NULL, "at", 0));
  NOTHING(hk_model_setting(x.m, "modes", NULL, 0));
  NOTHING(hk_model_setting(x.m, "modes", "at", -1));
  ck_assert(hk_model_hash(NULL) == 0 && hk_model_hash(OTHER_MODEL) == 0);
  NOTHING(hk_model_schema(NULL));
  NOTHING(hk_model_schema(OTHER_CTX));
}

static void check(void) {
  hk_check_report *report = NULL;
  USAGE(hk_check(NULL, &report));
  USAGE(hk_check(OTHER_MODEL, &report));
  USAGE(hk_check(x.m, NULL));
  NOTHING(report);
  hk_check_free(x.m, NULL);
  ck_assert_int_eq(hk_check(x.m, &report), HK_OK);
  ck_assert_ptr_null(hk_check_beam(report, 0));
  ck_assert_ptr_null(hk_check_beam(report, -1));
  ck_assert_ptr_null(hk_check_beam(NULL, 0));
  hk_check_free(NULL, report);
}

static void catalogue(void) {
  NOTHING(hk_catalog_kind(-1));
  NOTHING(hk_catalog_kind(hk_catalog_kind_count()));
  ck_assert_int_eq(hk_catalog_count(NULL), -1);
  ck_assert_int_eq(hk_catalog_count("nothing"), -1);
  ck_assert_int_eq(hk_catalog_count_in(NULL, "joints"), -1);
  ck_assert_int_eq(hk_catalog_count_in(OTHER_CTX, "joints"), -1);
  ck_assert_int_eq(hk_catalog_count_in(x.ctx, NULL), -1);
  ck_assert_int_eq(hk_catalog_count_in(x.ctx, "joints"), hk_catalog_count("joints"));
  NOTHING(hk_catalog_entry_at(NULL, "joints", 0));
  NOTHING(hk_catalog_entry_at(OTHER_CTX, "joints", 0));
  NOTHING(hk_catalog_entry_at(x.ctx, NULL, 0));
  NOTHING(hk_catalog_entry_at(x.ctx, "joints", -1));
  NOTHING(hk_catalog_entry_at(x.ctx, "joints", 1000));
}

/* --- modules --- */

static void modules(void) {
  const hk_plugin foreign = {0};
  USAGE(hk_module_load(NULL, "x.so"));
  USAGE(hk_module_load(OTHER_CTX, "x.so"));
  USAGE(hk_module_load(x.ctx, NULL));
  USAGE(hk_module_add(NULL, &foreign));
  USAGE(hk_module_add(x.ctx, NULL));
  ck_assert_int_eq(hk_module_add(x.ctx, &foreign), HK_E_MODEL);
  USAGE(hk_module_folder(NULL, "."));
  USAGE(hk_module_folder(OTHER_CTX, "."));
  NOTHING(hk_module_name(NULL, 0));
  NOTHING(hk_module_name(x.ctx, 0));
  NOTHING(hk_module_name(x.ctx, -1));
}

/* --- simulations --- */

static void sim_create(void) {
  hk_sim *s = x.s;
  const hk_option nameless = {NULL, "1"}, without_value = {"rho_inf", NULL};
  hk_sim_options opt = hk_sim_options_def();
  USAGE(hk_sim_create(NULL, &opt, &s));
  NOTHING(s);
  USAGE(hk_sim_create(OTHER_MODEL, &opt, &s));
  USAGE(hk_sim_create(x.m, &opt, NULL));
  says("hk_sim_create");
  opt.noptions = 1;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt.options = &nameless;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt.options = &without_value;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt.noptions = -1;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt = hk_sim_options_def();
  opt.tolerance = -1.0;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt.tolerance = NAN;
  USAGE(hk_sim_create(x.m, &opt, &s));
  opt = hk_sim_options_def();
  const double wrong[] = {NAN, -1.0, INFINITY};
  for (int i = 0; i < 3; i++) {
    opt.step = wrong[i];
    USAGE(hk_sim_create(x.m, &opt, &s));
    opt.step = 0.01, opt.time = wrong[i];
    USAGE(hk_sim_create(x.m, &opt, &s));
    opt.time = 0.0;
  }
  NOTHING(s);
  ck_assert_int_eq(hk_sim_create(x.m, NULL, &s), HK_OK);
  hk_sim_destroy(s);
  hk_sim_destroy(NULL);
  hk_sim_destroy(OTHER_SIM);
}

static void sim_steps(void) {
  hk_summary sum;
  USAGE(hk_sim_step(NULL));
  USAGE(hk_sim_step(OTHER_SIM));
  ck_assert_int_eq(hk_sim_done(NULL), 1);
  ck_assert_int_eq(hk_sim_done(OTHER_SIM), 1);
  ck_assert(isnan(hk_sim_time(NULL)));
  ck_assert(isnan(hk_sim_time(OTHER_SIM)));
  hk_sim_summary(NULL, &sum);
  ck_assert_int_eq(sum.status, HK_E_USAGE);
  ck_assert(isnan(sum.final_J));
  EMPTY(sum.message);
  hk_sim_summary(x.s, NULL);
  NOTHING(hk_sim_json(NULL));
  NOTHING(hk_sim_json(OTHER_SIM));
  NOTHING(hk_summary_json(NULL, &sum));
  NOTHING(hk_summary_json(OTHER_CTX, &sum));
  NOTHING(hk_summary_json(x.ctx, NULL));
  ck_assert_ptr_nonnull(strstr(hk_summary_json(x.ctx, &sum), "\"bodies\": null"));
}

static void sim_live(void) { test_live(&(test_live_things){x.ctx, x.m, x.s}); }

static void sim_grade(void) {
  ck_assert_int_eq(hk_sim_grade(x.s), HK_GRADE_GOOD);
  ck_assert_int_eq(hk_sim_grade(NULL), HK_GRADE_NONE);
  ck_assert_str_eq(hk_grade_name(HK_GRADE_WRONG), "wrong");
  NOTHING(hk_grade_name(HK_GRADE_NONE));
  NOTHING(hk_grade_name((hk_grade)99));
  ck_assert(hk_sim_drift_percent(x.s) >= 0.0);
  ck_assert(isnan(hk_sim_drift_percent(NULL)));
  ZERO(hk_sim_warning_count(x.s));
  NOTHING(hk_sim_warning(x.s, 0));
  NOTHING(hk_sim_warning(OTHER_SIM, 0));
  test_sources(x.s, OTHER_SIM);
}

static void sim_values(void) {
  double value = 1.0;
  USAGE(hk_sim_values(NULL, &value));
  USAGE(hk_sim_values(x.s, NULL));
  says("hk_sim_values");
  USAGE(hk_sim_value(NULL, "time", &value));
  ck_assert(isnan(value));
  USAGE(hk_sim_value(x.s, NULL, &value));
  USAGE(hk_sim_value(x.s, "joint.pin.angle", NULL));
  USAGE(hk_sim_value(x.s, "nothing", &value));
}

static void sim_files(void) {
  USAGE(hk_sim_save(NULL, x.out));
  USAGE(hk_sim_save(x.s, NULL));
  says("hk_sim_save");
  USAGE(hk_sim_load(OTHER_SIM, x.out));
  USAGE(hk_sim_load(NULL, x.out));
  USAGE(hk_sim_load(x.s, NULL));
}

static void run(void) {
  hk_sim *s = x.s;
  hk_run_options opt = hk_run_options_def();
  USAGE(hk_run(NULL, &opt, &s));
  NOTHING(s);
  USAGE(hk_run(OTHER_MODEL, &opt, &s));
  USAGE(hk_run(x.m, &opt, NULL));
  USAGE(hk_run_in(x.ctx, NULL, &opt, &s));
  USAGE(hk_run_in(OTHER_CTX, x.m, &opt, &s));
  USAGE(hk_run_in(x.ctx, OTHER_MODEL, &opt, &s));
  USAGE(hk_run_in(NULL, x.m, &opt, NULL));
  opt.output = x.out;
  const double wrong[] = {NAN, -1.0, INFINITY};
  for (int i = 0; i < 3; i++) {
    opt.output_every = wrong[i];
    USAGE(hk_run(x.m, &opt, &s));
    opt.output_every = 0.0, opt.checkpoint_every = wrong[i];
    USAGE(hk_run(x.m, &opt, &s));
    opt.checkpoint_every = 0.0;
  }
  opt.compress = 10;
  USAGE(hk_run(x.m, &opt, &s));
  opt.compress = -1;
  USAGE(hk_run(x.m, &opt, &s));
  NOTHING(s);
}

/* --- comparisons --- */

static void compare(void) {
  hk_comparison *c = x.c;
  const char *none = NULL;
  const double step = NAN;
  hk_compare_options opt = hk_compare_options_def();
  USAGE(hk_compare(NULL, "a.yaml", &opt, &c));
  NOTHING(c);
  USAGE(hk_compare(x.ctx, NULL, &opt, &c));
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, NULL));
  opt.nformulations = 1;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  opt.formulations = &none;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  opt = hk_compare_options_def();
  opt.nsteps = 1;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  opt.steps = &step;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  opt = hk_compare_options_def();
  opt.nsets = 2;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  opt = hk_compare_options_def();
  opt.time = NAN;
  USAGE(hk_compare(x.ctx, "a.yaml", &opt, &c));
  says("hk_compare_options");
  hk_comparison_free(NULL);
  hk_comparison_free(OTHER_COMPARISON);
}

static void comparison(void) {
  hk_comparison *wrong[] = {NULL, OTHER_COMPARISON};
  for (int i = 0; i < 2; i++) {
    NOTHING(hk_comparison_title(wrong[i]));
    ZERO(hk_comparison_count(wrong[i]));
    NOTHING(hk_comparison_row(wrong[i], 0));
    ZERO(hk_comparison_measure_count(wrong[i]));
    NOTHING(hk_comparison_measure_name(wrong[i], 0));
    NOTHING(hk_comparison_measure_unit(wrong[i], 0));
    ZERO(hk_comparison_grade_count(wrong[i]));
    NOTHING(hk_comparison_grade_name(wrong[i], 0));
    ZERO(hk_comparison_largest_count(wrong[i]));
    NOTHING(hk_comparison_largest_at(wrong[i], 0));
    NOTHING(hk_comparison_write(wrong[i], "text"));
  }
  NOTHING(hk_comparison_row(x.c, -1));
  NOTHING(hk_comparison_row(x.c, 1000));
  NOTHING(hk_comparison_measure_name(x.c, -1));
  NOTHING(hk_comparison_measure_unit(x.c, 1000));
  NOTHING(hk_comparison_grade_name(x.c, 1000));
  NOTHING(hk_comparison_largest_at(x.c, -1));
  NOTHING(hk_comparison_write(x.c, NULL));
  NOTHING(hk_comparison_write(x.c, "nothing"));
  NOTHING(hk_study_schema(NULL));
  NOTHING(hk_study_schema(OTHER_CTX));
}

/* --- options --- */

static void options_init(void) {
  hk_sim_options_init(NULL, sizeof(hk_sim_options));
  hk_run_options_init(NULL, sizeof(hk_run_options));
  hk_compare_options_init(NULL, sizeof(hk_compare_options));
  hk_report_options_init(NULL, sizeof(hk_report_options));
}

/* which functions a case is about */
static const struct {
  void (*test)(void);
  const char *functions;
} cases[] = {
    {status_words, "hk_status_text hk_status_hint hk_status_name"},
    {ctx_life, "hk_ctx_create hk_ctx_destroy"},
    {ctx_messages,
     "hk_ctx_on_message hk_ctx_message_count hk_ctx_message hk_ctx_clear hk_ctx_phase "
     "hk_ctx_allocations hk_ctx_stop_on"},
    {tools, "hk_file_write hk_json_string hk_json_number hk_nearer"},
    {versions, "hk_version hk_feature_count hk_feature_name hk_feature_on"},
    {model_load, "hk_model_load"},
    {model_parse, "hk_model_parse"},
    {model_others, "hk_model_release hk_model_title hk_model_path hk_model_schema hk_model_hash "
                   "hk_model_text hk_model_setting"},
    {check, "hk_check hk_check_beam hk_check_free"},
    {catalogue, "hk_catalog_kind_count hk_catalog_kind hk_catalog_count hk_catalog_count_in "
                "hk_catalog_entry_at"},
    {modules, "hk_module_load hk_module_add hk_module_folder hk_module_name"},
    {sim_create, "hk_sim_create hk_sim_destroy"},
    {sim_steps, "hk_sim_step hk_sim_done hk_sim_time hk_sim_summary hk_sim_json hk_summary_json"},
    {sim_live, "hk_sim_channel_count hk_sim_channel_name hk_sim_channel_unit hk_sim_channel_text "
               "hk_sim_channel_unique hk_sim_create_in hk_sim_step_to hk_sim_input_count "
               "hk_sim_input_name hk_sim_input_find hk_sim_input_set hk_sim_inputs_set "
               "hk_sim_input_get hk_sim_channel_handle hk_sim_read hk_sim_body_count "
               "hk_sim_body_name hk_sim_body_find hk_sim_body_pose hk_sim_body_twist "
               "hk_sim_joint_count hk_sim_joint_name hk_sim_joint_find hk_sim_joint_coordinates "
               "hk_sim_joint_get hk_sim_joint_reaction hk_sim_state_size hk_sim_state_get "
               "hk_sim_state_set hk_sim_reset hk_sim_clone hk_sim_keep hk_sim_kept "
               "hk_sim_rollback hk_sim_joint_set hk_sim_restart hk_sim_parameter_count "
               "hk_sim_parameter_name hk_sim_parameter_find hk_sim_parameter_get "
               "hk_sim_parameter_set hk_sim_parameters_set hk_sim_rebind hk_sim_body_set "
               "hk_sim_node_count hk_sim_node_name hk_sim_node_find hk_sim_node_get "
               "hk_sim_node_set hk_sim_coordinate_count hk_sim_velocity_count "
               "hk_sim_coordinate_name hk_sim_velocity_name hk_sim_coordinates_get "
               "hk_sim_coordinates_set hk_sim_rollout"},
    {sim_grade, "hk_sim_grade hk_grade_name hk_sim_drift_percent hk_sim_warning_count "
                "hk_sim_warning hk_sim_source_count hk_sim_source"},
    {sim_values, "hk_sim_values hk_sim_value"},
    {sim_files, "hk_sim_save hk_sim_load"},
    {run, "hk_run hk_run_in"},
    {compare, "hk_compare hk_comparison_free"},
    {comparison,
     "hk_comparison_title hk_comparison_count hk_comparison_row hk_comparison_measure_count "
     "hk_comparison_measure_name hk_comparison_measure_unit hk_comparison_grade_count "
     "hk_comparison_grade_name hk_comparison_largest_count hk_comparison_largest_at "
     "hk_comparison_write hk_study_schema"},
    {test_result_open, "hk_result_open hk_result_close"},
    {test_result_asked,
     "hk_result_path hk_result_rows hk_result_channel_count hk_result_channel_name "
     "hk_result_channel_unit hk_result_channel_text hk_result_channel_find hk_result_text "
     "hk_result_frames hk_result_body_count hk_result_load_count hk_result_mesh_points "
     "hk_result_mesh_faces"},
    {test_result_read, "hk_result_read hk_result_thin hk_result_read_frames hk_result_read_meshes"},
    {test_report, "hk_report_make hk_report_write hk_report_check hk_report_free"},
    {test_nodes_made, "hk_node_new_map hk_node_new_list hk_node_new_number hk_node_new_text "
                      "hk_node_new_bool hk_node_new_null hk_node_copy hk_node_destroy"},
    {test_nodes_changed, "hk_node_set hk_node_set_number hk_node_set_numbers hk_node_set_text "
                         "hk_node_set_texts hk_node_set_bool hk_node_make hk_node_remove "
                         "hk_node_remove_at"},
    {test_nodes_asked,
     "hk_node_kind_of hk_node_count hk_node_key hk_node_item hk_node_get "
     "hk_node_at hk_node_text hk_node_number hk_node_numbers hk_node_bool hk_node_quoted "
     "hk_node_where hk_node_yaml"},
    {test_nodes_read, "hk_node_read hk_node_parse hk_model_build"},
    {test_eval_life, "hk_eval_create hk_eval_destroy"},
    {test_eval_asked, "hk_eval_coordinates hk_eval_velocities hk_eval_constraints hk_eval_frames "
                      "hk_eval_coordinate_name hk_eval_velocity_name hk_eval_constraint_name "
                      "hk_eval_frame_name hk_eval_frame_find hk_eval_plus hk_eval_minus "
                      "hk_eval_get"},
    {test_eval_used, "hk_eval_input_find hk_eval_input_set hk_eval_state hk_eval_take "
                     "hk_eval_project hk_eval_mass hk_eval_inverse hk_eval_drives "
                     "hk_eval_forward hk_eval_energy hk_eval_pose hk_eval_twist "
                     "hk_eval_acceleration hk_eval_jacobian hk_eval_residual "
                     "hk_eval_constraint_jacobian"},
    {test_inverse,
     "hk_inverse_create hk_inverse_destroy hk_inverse_count hk_inverse_name "
     "hk_inverse_find hk_inverse_open hk_inverse_options_init hk_inverse_saturated "
     "hk_inverse_run hk_inverse_asked hk_inverse_rows hk_inverse_row hk_inverse_saturated_rows "
     "hk_inverse_freedoms_get"},
    {test_fit, "hk_fit_options_init hk_fit_find hk_fit_free hk_fit_count hk_fit_parameter_at "
               "hk_fit_rms hk_fit_evaluations hk_fit_covariance"},
    {test_kinematics, "hk_reach_options_init hk_reach_find hk_reach_free hk_reach_coordinate "
                      "hk_reach_unit hk_reach_start hk_reach_end hk_reach_branches "
                      "hk_reach_branch hk_reach_count hk_reach_values hk_reach_channel"},
    {test_flexible,
     "hk_reduce_options_init hk_reduce hk_reduce_matrices hk_flexible_open hk_flexible_save "
     "hk_flexible_free hk_flexible_mass hk_flexible_modes hk_flexible_mode_get "
     "hk_flexible_held_modes hk_flexible_held_mode_get hk_flexible_interface"},
    {test_streams, "hk_sim_connect hk_sim_stream_count hk_sim_stream hk_follow_open hk_follow_more "
                   "hk_follow_result "
                   "hk_follow_close"},
    {test_realtime, "hk_realtime_options_init hk_realtime hk_sim_realtime"},
    {test_fmu, "hk_fmu_options_init hk_fmu_export hk_fmu_allow"},
    {test_code, "hk_code_options_init hk_code_export hk_sim_compile hk_sim_compiled"},
    {test_batch,
     "hk_batch_options_init hk_batch_create hk_batch_destroy hk_batch_info hk_batch_name "
     "hk_batch_reset hk_batch_set hk_batch_get hk_batch_step hk_batch_rollout "
     "hk_batch_status hk_batch_iterations hk_batch_put hk_batch_tensor"},
    {test_statics, "hk_statics_options_init hk_statics_find hk_statics_free hk_statics_count "
                   "hk_statics_point hk_statics_values hk_statics_channel hk_statics_formulation"},
    {test_statespace_life, "hk_statespace_create hk_statespace_destroy hk_statespace_options_init"},
    {test_statespace_asked,
     "hk_statespace_states hk_statespace_positions hk_statespace_velocities hk_statespace_inputs "
     "hk_statespace_outputs hk_statespace_state_name hk_statespace_output_name "
     "hk_statespace_matrix hk_statespace_variable hk_statespace_write "
     "hk_statespace_frequency hk_statespace_step hk_statespace_acceleration "
     "hk_statespace_roughness hk_statespace_variation hk_statespace_period "
     "hk_statespace_sparse "
     "hk_statespace_find_modes hk_statespace_mode hk_statespace_shape hk_statespace_body "
     "hk_statespace_record"},
    {options_init, "hk_sim_options_init hk_run_options_init hk_compare_options_init "
                   "hk_report_options_init"},
};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(nothing_in_the_place_of_something) {
  make();
  cases[_i].test();
  end();
}
END_TEST

/* is `name`, n long, one of the words */
static bool has_word(const char *words, const char *name, size_t n) {
  for (const char *at = words; *at;) {
    size_t length = strcspn(at, " ");
    if (length == n && strncmp(at, name, n) == 0) return true;
    at += length;
    at += strspn(at, " ");
  }
  return false;
}

/* names behind HK_API in a header; how many */
static int32_t look_through(const char *header) {
  char path[512];
  int32_t found = 0;
  snprintf(path, sizeof path, "%s/include/hooke/%s", test_source_dir(), header);
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "%s", path);
  static char all[1 << 17];
  all[fread(all, 1, sizeof all - 1, f)] = '\0';
  fclose(f);
  for (const char *at = strstr(all, "\nHK_API "); at; at = strstr(at + 1, "\nHK_API ")) {
    const char *open = strchr(at, '('), *name = open;
    while (name > at && strchr("abcdefghijklmnopqrstuvwxyz0123456789_", name[-1])) name--;
    const size_t n = (size_t)(open - name);
    bool has = false;
    for (int i = 0; i < CASES; i++) has = has || has_word(cases[i].functions, name, n);
    ck_assert_msg(has, "%.*s of %s has no case in tests/api/arguments.c", (int)n, name, header);
    found++;
  }
  return found;
}

START_TEST(every_function_has_a_case) {
  char path[512];
  int32_t found = 0, listed = 0;
  snprintf(path, sizeof path, "%s/include/hooke", test_source_dir());
  DIR *d = opendir(path);
  ck_assert_ptr_nonnull(d);
  for (struct dirent *e = readdir(d); e; e = readdir(d))
    if (e->d_name[0] != '.') found += look_through(e->d_name);
  closedir(d);
  for (int i = 0; i < CASES; i++)
    for (const char *at = cases[i].functions; *at; at++)
      listed += at[0] != ' ' && (!at[1] || at[1] == ' ');
  ck_assert_int_eq(found, listed);
  ck_assert_int_gt(found, 70);
}
END_TEST

Suite *suite_arguments(void) {
  Suite *suite = suite_create("arguments");
  TCase *t = tcase_create("arguments");
  tcase_add_loop_test(t, nothing_in_the_place_of_something, 0, CASES);
  tcase_add_test(t, every_function_has_a_case);
  suite_add_tcase(suite, t);
  return suite;
}
