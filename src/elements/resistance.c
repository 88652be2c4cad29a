/* SPDX-License-Identifier: Apache-2.0
 *
 * resistance.c: `resistor`, `thermal_resistance`, `hydraulic_resistance`: a flow that depends on
 * the difference e = x0 - x1 of two nodes.
 *
 *   f = e/R    or    f = law(e)
 *
 * A resistor may heat a thermal node with its loss f e.
 *
 * Sources: Ohm's law, Fourier's law, Poiseuille's law.
 */
#include "elements/network.h"

typedef struct resistance_par {
  const hk_law *flow; /* NULL: linear, by u[0] */
} resistance_par;

static void through(const resistance_par *par, const hk_element_in *in, hk_law_out *f, double *fu) {
  const double e = in->x[0] - in->x[1], R = in->u[0];
  *fu = 0.0;
  if (par->flow) {
    hki_law_eval(par->flow, false, e, 0.0, f);
    return;
  }
  f->f = e / R, f->fs = 1.0 / R;
  *fu = -e / (R * R);
}

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hk_law_out f;
  double fu;
  (void)need;
  hki_netel_clear(out, 2);
  through(par, in, &f, &fu);
  hki_netel_flow(out, f.f);
  hki_netel_slope(out->Fx, 0, f.fs);
  hki_netel_slope(out->Fx, 1, -f.fs);
  out->Fu[0] = fu, out->Fu[1] = -fu;
  out->y[0] = f.f, out->y[1] = in->x[0] - in->x[1];
}

/* the same, with the loss f e into the third node */
static void eval_electric(const void *par, const hk_element_in *in, uint32_t need,
                          hk_element_out *out) {
  hk_law_out f;
  double fu, e = in->x[0] - in->x[1], *heat = out->Fx + 2 * HK_NX;
  eval(par, in, need, out);
  through(par, in, &f, &fu);
  memset(heat, 0, HK_NX * sizeof *heat);
  memset(out->Fxd + 2 * HK_NX, 0, HK_NX * sizeof *heat);
  out->F[2] = -f.f * e;
  heat[0] = -(f.f + f.fs * e), heat[1] = -heat[0];
  out->Fu[2] = -fu * e;
  out->y[2] = f.f * e;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  const resistance_par *par = p;
  (void)u0, (void)m0;
  if ((par->flow != NULL) != ((u_given & 1u) != 0)) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "give one of them",
                   "'%s' has %s 'resistance' %s a 'flow' law", name, par->flow ? "both" : "neither",
                   par->flow ? "and" : "nor");
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(resistance_par, field)
#define RESISTANCE(unit, flow_unit) \
    HK_NETEL_BETWEEN("the two nodes"), \
    {"resistance", HK_P_DYNAMIC, HK_P_POSITIVE, 0, NAN, 0, 0, unit, NULL, "difference over flow; may read channels, a temperature for instance"}, \
    {"flow", HK_P_LAW, 0, AT(flow), 0, 0, 0, flow_unit, NULL, "flow as a law over s, the difference; instead of 'resistance'"}
static const hk_param electric_params[] = {
    RESISTANCE("V/A", "A"),
    {"heats", HK_P_NODE, 0, 2, 0, 0, 0, "", NULL, "thermal node that takes the loss; left out: the loss leaves the model"},
    HK_PARAM_END};
static const hk_param thermal_params[] = {RESISTANCE("K/W", "W"), HK_PARAM_END};
static const hk_param hydraulic_params[] = {RESISTANCE("Pa*s/m^3", "m^3/s"), HK_PARAM_END};
/* clang-format on */

/* members that all three tables share */
#define RESISTANCE_OPS                                                                             \
  .nu = 1, .caps = HK_ELEMENT_NETWORK, .par_size = sizeof(resistance_par), .prepare = prepare

extern const hk_element_ops hki_element_resistor, hki_element_thermal_resistance,
    hki_element_hydraulic_resistance;
const hk_element_ops hki_element_resistor = {
    RESISTANCE_OPS,
    .name = "resistor",
    .text = "electric resistance between two nodes; its loss may heat a thermal node",
    .source = "Ohm's law",
    .ny = 3,
    .nnode = 3,
    .domains = hki_netel_electric,
    .params = electric_params,
    .outputs = "current voltage power",
    .output_units = "A V W",
    .eval = eval_electric,
};
const hk_element_ops hki_element_thermal_resistance = {
    RESISTANCE_OPS,
    .name = "thermal_resistance",
    .text = "heat conduction between two nodes",
    .source = "Fourier's law",
    .ny = 2,
    .nnode = 2,
    .domains = hki_netel_thermal,
    .params = thermal_params,
    .outputs = "flow difference",
    .output_units = "W K",
    .eval = eval,
};
const hk_element_ops hki_element_hydraulic_resistance = {
    RESISTANCE_OPS,
    .name = "hydraulic_resistance",
    .text = "laminar resistance, or a law, between two nodes",
    .source = "Poiseuille's law",
    .ny = 2,
    .nnode = 2,
    .domains = hki_netel_hydraulic,
    .params = hydraulic_params,
    .outputs = "flow difference",
    .output_units = "m^3/s Pa",
    .eval = eval,
};
