/* SPDX-License-Identifier: Apache-2.0
 *
 * hydraulic_cylinder.c: `hydraulic_cylinder`, two chambers on a sliding coordinate of a joint.
 *
 *   tau  = A0 x0 - A1 x1            force on the joint's second body
 *   flow = (A0 v, -A1 v)            into the chambers, v: rate of the coordinate
 *
 * Volumes at the nodes belong to `hydraulic_volume`.
 */
#include "elements/network.h"

typedef struct cylinder_par {
  double area, rod_area;
} cylinder_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const cylinder_par *par = p;
  const double A = par->area, B = par->rod_area;
  (void)need;
  hki_netel_clear(out, 2);
  out->F[0] = A * in->sd, out->F[1] = -B * in->sd;
  out->Fsd[0] = A, out->Fsd[1] = -B;
  out->tau = A * in->x[0] - B * in->x[1];
  out->tau_x[0] = A, out->tau_x[1] = -B;
  out->supplied = out->tau * in->sd;
  out->y[0] = out->tau, out->y[1] = out->F[0], out->y[2] = out->supplied;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  cylinder_par *par = p;
  (void)ctx, (void)loc, (void)name, (void)u_given, (void)u0, (void)m0;
  if (par->rod_area == 0.0) par->rod_area = par->area;
  return HK_OK;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(cylinder_par, field)
static const hk_param params[] = {
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint it moves, or one of its sliding coordinates"},
    HK_NETEL_BETWEEN("nodes of the chamber that extends it and of the other one"),
    {"area", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE | HK_P_LEAD, AT(area), NAN, 0, 0, "m^2", NULL, "piston area of the first chamber"},
    {"rod_area", HK_P_REAL, HK_P_POSITIVE | HK_P_LEAD, AT(rod_area), 0, 0, 0, "m^2", NULL, "piston area of the second chamber; left out: the same"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_hydraulic_cylinder;
const hk_element_ops hki_element_hydraulic_cylinder = {
    .name = "hydraulic_cylinder",
    .text = "hydraulic cylinder between two nodes, on a sliding coordinate of a joint",
    .source = "definition",
    .nscal = 1,
    .ny = 3,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_NETWORK | HK_ELEMENT_SUPPLIES,
    .nnode = 2,
    .domains = hki_netel_hydraulic,
    .coordinate = "m",
    .par_size = sizeof(cylinder_par),
    .params = params,
    .outputs = "force flow power",
    .output_units = "N m^3/s W",
    .prepare = prepare,
    .eval = eval,
};
