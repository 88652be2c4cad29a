/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: specs made by hand, for tests of the compiler. Lists grow by one item at a time; the
 * arrays live in the spec's pool.
 */
#ifndef HK_TESTS_MODEL_BUILD_H
#define HK_TESTS_MODEL_BUILD_H

#include <check.h>
#include <stdio.h>

#include "model/model.h"
#include "joint_keys.h"

/* a spec that is being built: room for the items is asked for at the beginning */
typedef struct build {
  hk_ctx *ctx;
  hk_spec *spec;
} build;

build build_begin(int32_t bodies, int32_t joints);
/* compile; the spec is gone afterwards. Fails the test when `ok` is not what happens. */
hk_model *build_compile(build *b);
void build_refuse(build *b, const char *part_of_message);
void build_end(build *b, hk_model *m);

/* bodies: point or rod-like mass; returns its index */
int32_t build_body(build *b, const char *name, double mass, double x, double y, double z);
int32_t build_massless(build *b, const char *name);

/* one number of a joint by its key; all of them, with the angle of a second axis and the mask of
 * what is locked, where its type has such keys */
void build_number(build *b, int32_t joint, const char *key, double x);
void build_numbers(build *b, int32_t joint, double number, double psi, uint32_t locked);

/* joints: markers coincide at p, z along the axis (0 x, 1 y, 2 z) or along a vector */
int32_t build_joint(build *b, const char *name, const char *type, int32_t first, int32_t second,
                    const double *p, const double *axis);
int32_t build_joint_at(build *b, const char *name, const char *type, int32_t first, int32_t second,
                       double x, double y, double z, int axis);
int32_t build_distance(build *b, const char *name, int32_t first, int32_t second, const double *p,
                       const double *q);

/* a signal that is an expression of t and, through `reads`, of channels */
int32_t build_signal(build *b, const char *name, const char *text);
int32_t build_event(build *b, const char *name, int32_t when, hk_event_action action,
                    int32_t joint);
/* a force element without parameters set (zeros), constant inputs zero */
int32_t build_force(build *b, const char *name, const char *type, int32_t first, int32_t second,
                    const double *p, const double *q);
int32_t build_joint_force(build *b, const char *name, const char *type, int32_t joint,
                          int32_t coord);
int32_t build_marker(build *b, const char *name, int32_t body, double x, double y, double z);

#endif
