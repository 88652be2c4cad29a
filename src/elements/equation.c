/* SPDX-License-Identifier: Apache-2.0
 *
 * equation.c: `equation`, an unknown of its own with an equation that the model file writes:
 *
 *   m dx/dt = g(t, channels)        algebraic where and while m = 0
 *
 * The expression reads its unknown as `network.NAME.value`.
 */
#include "elements/network.h"

typedef struct equation_par {
  double start;
} equation_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  (void)p, (void)need;
  hki_netel_clear(out, 1);
  out->F[0] = in->u[1] * in->xd[0] - in->u[0];
  out->Fxd[0] = in->u[1];
  out->Fu[0] = -1.0;
  out->Fu[HK_NX] = in->xd[0];
  out->y[0] = in->x[0];
}

static void own_start(const void *p, double *x) { x[0] = ((const equation_par *)p)->start; }

/* clang-format off */
#define AT(field) (int32_t)offsetof(equation_par, field)
static const hk_param params[] = {
    {"value", HK_P_DYNAMIC, HK_P_REQUIRED, 0, 0, 0, 0, "", NULL, "right side g: its unknown is network.NAME.value"},
    {"mass", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 1, 1, 0, 0, "", NULL, "factor of the rate; where it is 0 the unknown is found from g = 0"},
    {"start", HK_P_REAL, 0, AT(start), 0, 0, 0, "", NULL, "its unknown at the start"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_equation;
const hk_element_ops hki_element_equation = {
    .name = "equation",
    .text = "an unknown with an equation of its own: m dx/dt = g",
    .source = "definition",
    .nu = 2,
    .ny = 1,
    .caps = HK_ELEMENT_NETWORK,
    .nown = 1,
    .own_scale = hki_netel_unit,
    .rate_inputs = 1u << 1,
    .par_size = sizeof(equation_par),
    .params = params,
    .outputs = "value",
    .output_units = "1",
    .eval = eval,
    .own_start = own_start,
};

const hk_element_ops *hki_netel_state(void) { return &hki_element_equation; }

void hki_netel_state_par(void *par, double *u, double start) {
  *(equation_par *)par = (equation_par){.start = start};
  u[1] = 1.0;
}
