/* SPDX-License-Identifier: Apache-2.0
 *
 * support.h: mechanisms made by hand, and the machine on them.
 */
#ifndef HK_TESTS_ANALYSES_SUPPORT_H
#define HK_TESTS_ANALYSES_SUPPORT_H

#include "model/build.h"
#include "analyses/assembly.h"
#include "analyses/doctor.h"
#include "machines/tree/tree.h"
#include "numbers.h"

/* a compiled model with its machine and one state */
typedef struct rig {
  build b;
  hk_model *m;
  hk_tree *s;
  double *q, *v, *a; /* nq, nv, nv */
} rig;

rig rig_make(build *b);
rig rig_make_bare(build *b); /* without the sparse matrix, which users must ask for */
void rig_free(rig *r);
/* assemble; the state is in q, v */
hk_assembly rig_assemble(rig *r);
/* assembly must fail with a message that contains `part` */
void rig_assemble_fails(rig *r, const char *part);
bool rig_said(const rig *r, hk_severity severity, const char *part);
hk_mobility rig_mobility(rig *r);
/* state and accelerations that satisfy the closures */
void rig_accelerate(rig *r, double t);

/* close the loops at time t from the present q, and project the present v */
void rig_close(rig *r, double t);

/* a straight rod between two points: mass, slender inertia (section: edge of a square one) */
int32_t build_rod(build *b, const char *name, double mass, double section, const double *p,
                  const double *q);
/* forces: inputs and parameters by key, then done; a name that no other force has */
void force_u(build *b, int32_t f, const char *name, double x);
void force_par(build *b, int32_t f, const char *name, const void *data, size_t size);
void force_done(build *b, int32_t f);
const char *force_name(const build *b);
int32_t build_spring(build *b, int32_t first, int32_t second, const double *p, const double *q,
                     double k, double c, double length, const double *along);
/* start values */
hk_spec_start *build_start_joint(build *b, int32_t joint);
hk_spec_start *build_start_body(build *b, int32_t body);

/* Bricard's mechanism, six revolutes and five rods (IFToMM benchmark A04); cut: joint that is cut,
 * -1: the compiler's choice */
build build_bricard(int32_t cut);
/* double four-bar (IFToMM benchmark A02) with its cranks at angle th from the vertical; planar or
 * spatial */
build build_double_four_bar(double th, bool planar);
/* four-bar of uniform rods in the x-y plane, drawn off any symmetric position; spatial revolutes */
build build_four_bar(bool planar, int32_t cut);
/* crank and slider in the x-y plane: revolute, revolute, revolute, prismatic */
build build_slider_crank(bool planar, int32_t cut);

/* a chain of bodies with tree joints of the types given, some of them reversed */
build build_chain(const char *const *types, int32_t n);
enum { JOINT_TYPES = 8 };
extern const char *const joint_types[JOINT_TYPES]; /* all that have coordinates */

/* gives a rolling joint its radius and tilts the axis of its disc away from the normal */
void turn_disc(hk_spec_joint *j);

#endif
