/* SPDX-License-Identifier: Apache-2.0
 *
 * tyre.c: a wheel on a road z(x, t): radial spring and damper at the wheel's centre, no tension.
 * World z is up, the road runs along world x. Road height and its derivatives (g = dz/dx) are taken
 * at the x of the wheel's centre (x, z), whose velocity is (vx, vz):
 *
 *   e    = radius + z_road - z
 *   edot = g vx + dz_road/dt - vz
 *   P    = max(0, k e + c edot)  where e > 0, else 0
 *
 *   vertical:  F          = P (0, 0, 1)
 *              U          = k e^2/2
 *              dissipated = (P - k e) edot
 *              supplied   = P (g vx + zt)
 *   normal:    F          = P (-g, 0, 1)/(1 + g^2)
 *              U          = (k/2) e^2/(1 + g^2)
 *              dissipated = (P - k e) edot/(1 + g^2)
 *              supplied   = P zt/(1 + g^2) - k e^2 g gdot/(1 + g^2)^2        gdot = zxx vx + zxt
 *
 * In the normal direction the force has the size P/sqrt(1 + g^2) along the normal of the road, and
 * edot/sqrt(1 + g^2) is the speed of approach along it. The last term of `supplied` is there
 * because this published force law has no potential where the road curves.
 *
 * d[0] - 1 is the segment of the road's table under the wheel, kept during a step; d[0] = 0: none.
 *
 * The tangent of a time step takes slope and direction of the force as fixed, which keeps it
 * symmetric; the exact tangent includes slope and curvature of the road.
 *
 * Sources: normal direction: IAVSD benchmark, Frik, Leister and Schwartz, Vehicle System Dynamics
 * 22 (1993) 215-253; vertical direction: Cuadrado and Dopico 2003; Dopico, Lugris, Gonzalez and
 * Cuadrado 2005.
 */
#include "elements/tangent.h"

typedef struct hk_tyre_par {
  hk_road road;
  double radius;
  int32_t direction; /* 0 vertical, 1 normal */
} hk_tyre_par;

/* contact: penetration and its rate, force P q, direction q and its derivative dq by the slope */
typedef struct contact {
  hk_road_out road;
  double e, edot;
  double P;       /* F = P q */
  double stretch; /* sqrt(1 + g^2), or 1 */
  double q[3], dq[3];
  bool touches, pushes; /* e > 0; and k e + c edot >= 0 */
} contact;

static void contact_eval(const hk_tyre_par *par, const hk_element_in *in, contact *c) {
  const hk_frame *m = in->m;
  if (in->ahead)
    c->road = (hk_road_out){.z = in->ahead[0], .zx = in->ahead[1], .zxx = in->ahead[2]};
  else
    hki_road_eval(&par->road, m->p[0], in->t, (int32_t)in->d[0] - 1, &c->road);
  double g = c->road.zx, n2 = 1.0 + g * g;
  c->e = par->radius + c->road.z - m->p[2];
  c->edot = g * m->v[0] + c->road.zt - m->v[2];
  c->touches = c->e > 0.0;
  c->P = in->u[0] * c->e + in->u[1] * c->edot;
  c->pushes = c->touches && c->P >= 0.0;
  if (!c->pushes) c->P = 0.0;
  if (par->direction == 0) {
    c->stretch = 1.0;
    v3_set(c->q, 0.0, 0.0, 1.0);
    v3_zero(c->dq);
  } else {
    c->stretch = sqrt(n2);
    v3_set(c->q, -g / n2, 0.0, 1.0 / n2);
    v3_set(c->dq, (g * g - 1.0) / (n2 * n2), 0.0, -2.0 * g / (n2 * n2));
  }
}

/* B: direction of the force, f = -(its size), as if the road were a fixed plane */
static void tyre_tangent(const contact *c, const double *u, hk_element_out *out) {
  v3_zero(out->B);
  v3_scale(out->B + 3, c->stretch, c->q);
  out->ks[0] = c->pushes ? u[0] : 0.0;
  out->cs[0] = c->pushes ? u[1] : 0.0;
}

/* F = P q:  dF = q (k de + c dedot) + P q_g zxx dx */
static void tyre_exact(const contact *c, const hk_element_in *in, hk_element_out *out) {
  hki_tangent_zero(6, out->K), hki_tangent_zero(6, out->C);
  if (!c->pushes) return;
  double g = c->road.zx, k = in->u[0], b = in->u[1];
  double dx = k * g + b * (c->road.zxx * in->m->v[0] + c->road.zxt);
  for (int i = 0; i < 3; i++) {
    double *K = out->K + HK_BS * (3 + i), *C = out->C + HK_BS * (3 + i);
    K[3] = -c->q[i] * dx - c->P * c->dq[i] * c->road.zxx;
    K[5] = c->q[i] * k;
    C[3] = -c->q[i] * b * g;
    C[5] = c->q[i] * b;
  }
}

static void tyre_energy(const hk_tyre_par *par, const contact *c, const hk_element_in *in,
                        hk_element_out *out) {
  out->energy = out->dissipated = out->supplied = 0.0;
  if (!c->touches) return;
  const hk_road_out *r = &c->road;
  double k = in->u[0], vx = in->m->v[0], n2 = c->stretch * c->stretch, elastic = k * c->e;
  double stored = 0.5 * elastic * c->e / n2, rate = elastic * c->edot / n2;
  out->dissipated = (c->P - elastic) * c->edot / n2;
  if (par->direction == 0) {
    out->supplied = c->P * (r->zx * vx + r->zt);
  } else {
    double turn = elastic * c->e * r->zx * (r->zxx * vx + r->zxt) / (n2 * n2);
    out->supplied = c->P * r->zt / n2 - turn;
    rate -= turn;
  }
  if (in->u_varies & 1u)
    out->supplied -= rate;
  else
    out->energy = stored;
}

static void outputs(const contact *c, double *y) {
  y[0] = c->P / c->stretch;
  y[1] = c->e > 0.0 ? c->e : 0.0;
  y[2] = c->road.z;
}

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_tyre_par *par = p;
  contact c;
  contact_eval(par, in, &c);
  v3_zero(out->w);
  v3_scale(out->w + 3, c.P, c.q);
  if (need & HK_NEED_TANGENT) tyre_tangent(&c, in->u, out);
  if (need & HK_NEED_EXACT) tyre_exact(&c, in, out);
  if (need & HK_NEED_INPUT) {
    double du[2] = {c.pushes ? c.e : 0.0, c.pushes ? c.edot : 0.0};
    for (int k = 0; k < 2; k++) {
      v3_zero(out->Wu + 12 * k);
      v3_scale(out->Wu + 12 * k + 3, du[k], c.q);
    }
  }
  if (need & HK_NEED_ENERGY) tyre_energy(par, &c, in, out);
  if (need & HK_NEED_OUTPUT) outputs(&c, out->y);
}

static hk_pull pull(const void *p, double *axis) {
  (void)p, (void)axis;
  return HK_PULL_OWN;
}

static void resist(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const hk_tyre_par *par = p;
  contact c;
  contact_eval(par, in, &c);
  tyre_tangent(&c, in->u, out);
  out->tau = c.P / c.stretch;
  if (need & HK_NEED_ENERGY) tyre_energy(par, &c, in, out);
  if (need & HK_NEED_OUTPUT) outputs(&c, out->y);
}

/* wheels on one road that is an expression of x: its heights are found together */
static bool alike(const void *p, const void *q) {
  return hki_road_alike(&((const hk_tyre_par *)p)->road, &((const hk_tyre_par *)q)->road);
}

static void ahead(const void *par, const double (*p)[3], double (*out)[HK_ELEMENT_AHEAD]) {
  double x[HK_ELEMENT_LANES];
  hk_road_out road[HK_ELEMENT_LANES];
  for (int k = 0; k < HK_ELEMENT_LANES; k++) x[k] = p[k][0];
  hki_road_eval_lanes(&((const hk_tyre_par *)par)->road, x, road);
  for (int k = 0; k < HK_ELEMENT_LANES; k++)
    out[k][0] = road[k].z, out[k][1] = road[k].zx, out[k][2] = road[k].zxx;
}

/* a road that moves in time may jump */
static double next_break(const void *p, double t) {
  const hk_tyre_par *par = p;
  return hki_road_next_break(&par->road, t);
}

static bool decide(const void *p, const hk_element_in *in, double *d) {
  const hk_tyre_par *par = p;
  double segment = 1.0 + hki_road_segment(&par->road, in->m->p[0]);
  bool changed = segment != d[0];
  d[0] = segment;
  return changed;
}

static bool axes(const void *p) {
  (void)p;
  return false;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_tyre_par, field)
static const hk_param params[] = {
    {"wheel", HK_P_BODY, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the wheel's body"},
    {"centre", HK_P_POINT, 0, HK_P_HAND, 0, 0, 0, "m", NULL, "the wheel's centre; left out: the body's centre of mass"},
    {"radius", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(radius), NAN, 0, 0, "m", NULL, "free radius"},
    {"stiffness", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_NONNEGATIVE, 0, 0, 0, 0, "N/m", NULL, "force per penetration"},
    {"damping", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 1, 0, 0, 0, "N*s/m", NULL, "force per rate of penetration; the tyre never pulls"},
    {"road", HK_P_ROAD, HK_P_REQUIRED, AT(road), 0, 0, 0, "m", NULL, "height over x: an expression of x, t and signals of time, a signal, or {table: profile.csv}"},
    {"direction", HK_P_CHOICE, 0, AT(direction), 0, 0, 0, "", "vertical normal", "the force is straight up, or along the road's normal"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_tyre;
const hk_element_ops hki_element_tyre = {
    .name = "tyre",
    .text = "wheel on a road: radial spring and damper at the wheel's centre, no tension",
    .source = "IAVSD benchmark (Frik, Leister and Schwartz 1993); Cuadrado and Dopico 2003; "
              "Dopico, Lugris, Gonzalez and Cuadrado 2005",
    .nmark = 1,
    .rank = 1,
    .nu = 2,
    .nd = 1,
    .ny = 3,
    .caps = HK_ELEMENT_SYMMETRIC | HK_ELEMENT_PULLS | HK_ELEMENT_SUPPLIES,
    .par_size = sizeof(hk_tyre_par),
    .params = params,
    .glyph = HK_GLYPH_WHEEL,
    .outputs = "force penetration road",
    .output_units = "N m m",
    .eval = eval,
    .alike = alike,
    .ahead = ahead,
    .axes = axes,
    .pull = pull,
    .resist = resist,
    .decide = decide,
    .next_break = next_break,
};
