/* SPDX-License-Identifier: Apache-2.0
 *
 * scene.h: the animation of a run: the scene (bodies, shapes, joints, forces, roads) as JSON, and
 * frames with the pose of every body and the force of every element. Poses are those of the body's
 * own frame, as in the channels `position` and `orientation`.
 */
#ifndef HK_SCENE_SCENE_H
#define HK_SCENE_SCENE_H

#include "results/results.h"
#include "simulation/simulation.h"

typedef struct hk_scene hk_scene;

/* the scene of a simulation; NULL when out of memory. A run has about 2000 frames at most, fewer
 * for very many bodies or smooth motion. */
hk_scene *hki_scene_create(const hk_sim *s);
void hki_scene_destroy(hk_scene *scene);
/* fill in nbodies and nloads */
void hki_scene_meta(const hk_scene *scene, hk_results_meta *meta);

/* true when the state at time t needs a frame */
/* floats of a frame */
int32_t hki_scene_frame_size(const hk_scene *scene);
bool hki_scene_due(const hk_scene *scene, const hk_sim *s, double t);
/* The frame of the present state at time t: nbodies x 7 (position, quaternion), nloads x 3 (force; of beams moment,
 * force, curvature and strain of each element; of bodies with modes modal coordinates).
 * Valid until the next call. Also extends the stretch of road that wheels have covered. */
const float *hki_scene_frame(hk_scene *scene, const hk_sim *s, double t);
/* takes note of a frame of an earlier run: the stretch of road that wheels have covered */
void hki_scene_saw(hk_scene *scene, const float *frame);
/* writes the scene; call it once, at the end */
hk_status hki_scene_finish(hk_scene *scene, const hk_sim *s, hk_results *out);

/* --- inside ----------------------------------------------------------------------------------- */

/* a shape of a body: given in the model, or made for a body without shapes (shapes.c) */
typedef struct hk_scene_shape {
  hk_spec_shape shape; /* `at` is in the body's own frame (ground: the world) */
  bool automatic;
} hk_scene_shape;

typedef struct hk_scene_shapes {
  hk_ctx *ctx;
  int32_t n, cap;
  hk_scene_shape *list;
} hk_scene_shapes;

bool hki_scene_shapes(hk_scene_shapes *out, const hk_model *m);
/* a placement in the world at the drawing position -> in the own frame of a spec body */
void hki_scene_local(const hk_model *m, int32_t body, const hk_offset *world, hk_offset *local);

/* numbers as JSON: one, a list, a place of seven */
void hki_scene_put(hk_text *t, double x);
void hki_scene_list(hk_text *t, const double *x, int32_t n);
void hki_scene_pose(hk_text *t, const hk_offset *o);

/* a parameter by its name and type, or NULL (looks.c) */
const void *hki_scene_parameter(const hk_param *params, const void *par, const char *name,
                                hk_ptype type);
/* a body without mass and shape on a joint with the ground that only couplings use: a rotor, or the play
 * of a coupling, which has no place of its own */
bool hki_scene_is_part(const hk_model *m, int32_t body);
/* further members of a joint for drawing: wheels, bars and links of couplings, outlines of cams */
void hki_scene_joint_looks(hk_text *t, const hk_model *m, const hk_spec_joint *j);
/* the ranges of a joint's coordinates */
void hki_scene_limits(hk_text *t, const hk_model *m, int32_t joint);
/* beams and cables (groups.c): the list as text, their rows among the loads from `load` on; the number of these rows;
 * a frame of them; is a body a node of one? */
void hki_scene_groups(hk_text *t, const hk_model *m, int32_t load);
int32_t hki_scene_group_loads(const hk_model *m);
void hki_scene_group_frame(const hk_kin *k, float *out);
bool hki_scene_in_group(const hk_model *m, int32_t body);
/* shells and membranes (plates.c): the same, and their points and faces */
void hki_scene_plates(hk_text *t, const hk_model *m, int32_t load, hk_results_scene *out);
int32_t hki_scene_plate_loads(const hk_model *m);
void hki_scene_plate_frame(const hk_kin *k, float *out);
void hki_scene_plate_meshes(const hk_model *m, float **point, int32_t **face);
/* surfaces of bodies with modes (skins.c): the list as text, whose points and faces are counted in `out`, their rows among
 * the loads from `load` on; the number of these rows; a frame of them; points and faces; is a body part of one? */
void hki_scene_skins(hk_text *t, const hk_model *m, int32_t load, hk_results_scene *out);
int32_t hki_scene_skin_loads(const hk_model *m);
void hki_scene_skin_frame(const hk_kin *k, float *out);
void hki_scene_skin_points(const hk_model *m, float *to, int32_t *face);
bool hki_scene_in_skin(const hk_model *m, int32_t body);
/* surfaces that follow bodies (covers.c): the list as text, which counts their points and triangles in `scene`; these */
void hki_scene_covers(hk_text *t, const hk_model *m, hk_results_scene *scene);
void hki_scene_cover_meshes(const hk_model *m, float **points, int32_t **faces);
/* the joint, the axis and the radius of a disc */
void hki_scene_disc(hk_text *t, const hk_model *m, const hk_spec_force *f);

#endif
