/* SPDX-License-Identifier: Apache-2.0
 *
 * law.c: scalar force laws with derivatives and potentials, see law.h.
 *
 * Potentials, up to a constant:
 *
 *   linear        U = c s^2/2
 *   polynomial    U = sum c_i s^(i+1)/(i+1)
 *   table         U = integral of its segments, exact
 *   piecewise     U = U_i(s) + E_i, continuous, E_i = 0 in the piece that contains s = 0
 *   expression    U by adaptive Gauss-Kronrod quadrature (7 and 15 points) from its reference
 */
#include <math.h>
#include <string.h>

#include "base/extend.h"
#include "elements/law.h"
#include "elements/law_many.h"

/* deepest nesting of piecewise laws */
enum { MAX_DEPTH = 8 };

const hk_law_info hki_law_infos[] = {
    {"linear", "force proportional to the argument: linear: 35900"},
    {"polynomial", "coefficients from the constant one on: polynomial: [c0, c1, c2]"},
    {"piecewise", "a law per range of the argument: piecewise: [{below: 0.1, linear: 100}, "
                  "{polynomial: [..]}]; the last one has no 'below'"},
    {"table", "two columns of a CSV file, argument and force: table: file.csv"},
    {"expression", "over s and sdot: expression: \"1e4*s + 30*sdot*abs(sdot)\""},
    {"maxwell", "springs with a dashpot in line, over s, beside another law or alone: maxwell: "
                "[{stiffness: 2e4, time: 0.1}, {stiffness: 5e3, damping: 900}]"},
    {"coulomb", "friction that sticks truly, over sdot: coulomb: {force: 20, deflection: 1e-5}"},
    {"stribeck", "the same, with a higher force at break-away: stribeck: {force: 20, static: 25, "
                 "speed: 0.01}"},
    {"lugre",
     "friction by a bristle, over sdot: lugre: {stiffness: 1e5, damping: 300, coulomb: 20, "
     "static: 25, speed: 0.01, viscous: 0.4}"},
    {"hardening", "elastic and plastic, over s: hardening: {stiffness: 1e6, yield: 500, isotropic: "
                  "1e4, kinematic: 2e4}"},
    {"double_linear",
     "two slopes: double_linear: {stiffness: 1e4, beyond: 5e4, from: -0.01, to: 0.01}"},
    {"log_elastic", "stiffness*log(1 + s/length): log_elastic: {stiffness: 2e4}"},
    {"gas_spring",
     "a gas column: gas_spring: {area: 0.01, pressure: 2e6, length: 0.3, exponent: 1.4}"},
    {"turbulent",
     "over sdot, quadratic above a speed and linear below: turbulent: {coefficient: 900, "
     "speed: 0.01}"},
    {"shock_absorber", "gas spring and orifice in one: shock_absorber: {area: 0.01, pressure: 2e6, "
                       "length: 0.3, compression: 4e3, rebound: 9e3}"},
    {"viscous",
     "damping over the rates, a number, a list or a matrix, beside other kinds or alone: "
     "{linear: 2e5, viscous: 300}; 'proportional: 1e-3' takes it from 'linear'"},
    {"potential",
     "an energy over s1, s2, ..: potential: \"500*s1^2 + 200*s1*s2^2\"; the force is its "
     "gradient"},
    {"components",
     "a law for each deformation: components: {x: 2e5, rz: {polynomial: [0, 40, 0, 9]}}; "
     "'rates' the same over their rates"},
    {"axis",
     "a law along one direction: axis: {direction: [1, 1, 0], law: {..}}, of rotations: rotation"},
    {"sum", "laws beside each other: sum: [{linear: 1e4, prestrain: 0.02}, rubber]"},
    {"bistop",
     "a law that engages and lets go: bistop: {engage: \"s1 > 0.1\", release: \"s1 < 0\", law: "
     "{linear: 1e4}}"},
    {"prestrain",
     "beside any kind: deformations without force, numbers; by signals at the element"},
    {"prestress",
     "beside any kind: forces without deformation, numbers; by signals at the element"},
    {"factor", "beside any kind: a number that multiplies it; by a signal at the element"},
    {NULL, NULL}};

const char *hki_law_name(const hk_law *law) {
  int32_t i = law->kind;
  if (law->kind == HK_LAW_OWN) return law->ops->name;
  if (law->kind == HK_LAW_FORM) return law->form->key;
  if (law->kind == HK_LAW_MANY) return "sum";
  if (law->kind == HK_LAW_FRICTION) i += law->friction->kind;
  if (law->kind > HK_LAW_FRICTION) i += HK_FRICTION_LUGRE; // friction has a key for each kind
  return hki_law_infos[i].key;
}

const hk_law_ops *hki_law_known(const hk_ctx *ctx, const char *name) {
  const hk_law_ops *ops;
  for (int32_t i = 0; (ops = hki_extend_at(ctx, HK_EXTEND_LAW, i)); i++)
    if (strcmp(ops->name, name) == 0) return ops;
  return NULL;
}

/* --- evaluation ------------------------------------------------------------------------------- */

static const hk_law *piece_at(const hk_law *law, double x, int32_t *at) {
  int32_t i = 0;
  while (i < law->n - 1 && !(x < law->piece[i].below)) i++;
  *at = i;
  return law->piece[i].law;
}

static double poly_eval(const double *c, int32_t n, double x, double *slope) {
  double f = 0.0, d = 0.0;
  for (int32_t i = n - 1; i >= 0; i--) {
    d = d * x + f;
    f = f * x + c[i];
  }
  *slope = d;
  return f;
}

static void expr_eval(const hk_law *law, double s, double sd, hk_law_out *out) {
  double in[2] = {s, sd}, grad[2] = {0.0, 0.0};
  const int32_t *slot = hki_expr_inputs(law->expr);
  out->f = hki_expr_eval_gradient(law->expr, in, grad);
  out->fs = out->fsd = 0.0;
  for (int32_t i = 0; i < hki_expr_input_count(law->expr); i++)
    *(slot[i] == 0 ? &out->fs : &out->fsd) = grad[i];
}

/* laws of any kind */
static void any_eval(const hk_law *law, bool of_rate, double s, double sd, hk_law_out *out) {
  double slope = 0.0;
  int32_t at;
  if (law->flip) {
    hk_law plain = *law;
    plain.flip = false;
    hki_law_eval(&plain, of_rate, -s, -sd, out);
    out->f = -out->f;
    return;
  }
  double x = of_rate ? sd : s;
  if (law->kind == HK_LAW_PIECEWISE) {
    hki_law_eval(piece_at(law, x, &at), of_rate, s, sd, out);
    return;
  }
  switch (law->kind) {
    case HK_LAW_LINEAR:
      out->f = law->c[0] * x;
      slope = law->c[0];
      break;
    case HK_LAW_POLYNOMIAL:
      out->f = poly_eval(law->c, law->n, x, &slope);
      break;
    case HK_LAW_TABLE:
      out->f = hki_table_eval(law->table, x, &slope, NULL);
      break;
    case HK_LAW_FORM:
      of_rate = of_rate || law->form->of_rate;
      out->f = law->form->force(law->c, of_rate ? sd : s, &slope);
      break;
    case HK_LAW_OWN: {
      hk_law_books books = {0};
      law->ops->eval(law->ops, law->par, s, sd, NULL, 0, out, &books);
      return;
    }
    case HK_LAW_MANY: {
      hk_law_memory mem = {0};
      hk_law_books books;
      hki_law_recall(law, of_rate, s, sd, &mem, out, &books);
      return;
    }
    default:
      HK_ASSERT(law->kind == HK_LAW_EXPRESSION); // those with memory: hki_law_recall
      expr_eval(law, s, sd, out);
      return;
  }
  out->fs = of_rate ? 0.0 : slope;
  out->fsd = of_rate ? slope : 0.0;
}

void hki_law_eval(const hk_law *law, bool of_rate, double s, double sd, hk_law_out *out) {
  const double x = of_rate ? sd : s;
  double slope;
  int32_t at;
  // pieces of polynomials are what most springs and dampers have
  while (law->kind == HK_LAW_PIECEWISE && !law->flip) law = piece_at(law, x, &at);
  if (law->kind != HK_LAW_POLYNOMIAL || law->flip) {
    any_eval(law, of_rate, s, sd, out);
    return;
  }
  out->f = poly_eval(law->c, law->n, x, &slope);
  out->fs = of_rate ? 0.0 : slope;
  out->fsd = of_rate ? slope : 0.0;
}

/* --- potentials ------------------------------------------------------------------------------- */

/* integral over one panel with 15 points; *error: difference to the embedded rule with 7 points,
 * *size: integral of |f| */
static double panel(const hk_expr *e, double a, double b, double *error, double *size) {
  static const double x[8] = {
      0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
      0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
      0.586087235467691130294144691258493, 0.405845151377397166906606412076961,
      0.207784955007898467600689403773245, 0.0};
  static const double k[8] = {
      0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
      0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
      0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
      0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
  static const double g[8] = {
      0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
      0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327};
  double mid = 0.5 * (a + b), half = 0.5 * (b - a), kronrod = 0.0, gauss = 0.0, abs_sum = 0.0;
  for (int i = 0; i < 8; i++) {
    double in[2] = {mid - half * x[i], 0.0}, f = hki_expr_eval(e, in), sum = fabs(f);
    if (i < 7) {
      in[0] = mid + half * x[i];
      double f2 = hki_expr_eval(e, in);
      f += f2, sum += fabs(f2);
    }
    kronrod += k[i] * f, gauss += g[i] * f, abs_sum += k[i] * sum;
  }
  *error = fabs((kronrod - gauss) * half);
  *size = fabs(abs_sum * half);
  return kronrod * half;
}

/* integral from a to b; panels are halved down to 2^-22 of the whole (kinks), at most 300 panels */
static double quadrature(const hk_expr *e, double a, double b) {
  enum { DEPTH = 22, PANELS = 300 };
  double right[DEPTH + 1], sum = 0.0, lo = a, hi = b, error, size, whole = 0.0;
  double smallest = ldexp(fabs(b - a), -DEPTH);
  int waiting = 0;
  for (int count = 0; count < PANELS; count++) {
    double part = panel(e, lo, hi, &error, &size);
    if (count == 0) whole = size;
    bool room = waiting < DEPTH && count < PANELS - 2 * DEPTH;
    if (error > 1e-13 * whole && room && fabs(hi - lo) > smallest) {
      // continue with the left half, keep the right one for later
      right[waiting++] = hi;
      hi = 0.5 * (lo + hi);
      continue;
    }
    sum += part;
    if (waiting == 0) break;
    lo = hi;
    hi = right[--waiting];
  }
  return sum;
}

bool hki_law_has_energy(const hk_law *law) { return !law->uses_sd; }

double hki_law_energy(const hk_law *law, double s) {
  double sum = 0.0;
  int32_t at;
  if (law->uses_sd) return 0.0;
  if (law->flip) s = -s;
  switch (law->kind) {
    case HK_LAW_LINEAR:
      return 0.5 * law->c[0] * s * s;
    case HK_LAW_POLYNOMIAL:
      for (int32_t i = law->n - 1; i >= 0; i--) sum = (sum + law->c[i] / (i + 1)) * s;
      return sum;
    case HK_LAW_PIECEWISE:
      sum = hki_law_energy(piece_at(law, s, &at), s);
      return sum + law->piece_energy[at];
    case HK_LAW_TABLE:
      return hki_table_integral(law->table, s);
    case HK_LAW_FORM:
      return law->form->energy(law->c, s);
    case HK_LAW_OWN: {
      hk_law_books books = {0};
      hk_law_out out;
      law->ops->eval(law->ops, law->par, s, 0.0, NULL, 0, &out, &books);
      return books.energy;
    }
    default:
      return quadrature(law->expr, law->reference, s);
  }
}

/* --- finishing -------------------------------------------------------------------------------- */

/* a point of [lo, hi] where the expression is finite: 0, the end nearest to 0, or a near point */
static double find_reference(const hk_expr *e, double lo, double hi) {
  static const double away[] = {0, 1, -1, 0.1, -0.1, 0.01, -0.01, 10, -10, 100, -100};
  double base = lo > 0.0 ? lo : hi < 0.0 ? hi : 0.0;
  for (int32_t i = 0; i < HK_ARRAY_LEN(away); i++) {
    double in[2] = {base + away[i], 0.0};
    if (in[0] >= lo && in[0] <= hi && isfinite(hki_expr_eval(e, in))) return in[0];
  }
  return base;
}

static hk_status finish(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law, int depth, double lo,
                        double hi);

/* the constants E_i above */
static void piece_energies(const hk_law *law, double *energy) {
  int32_t zero;
  piece_at(law, 0.0, &zero);
  energy[zero] = 0.0;
  for (int32_t i = zero; i + 1 < law->n; i++) {
    double b = law->piece[i].below;
    energy[i + 1] =
        energy[i] + hki_law_energy(law->piece[i].law, b) - hki_law_energy(law->piece[i + 1].law, b);
  }
  for (int32_t i = zero; i > 0; i--) {
    double b = law->piece[i - 1].below;
    energy[i - 1] =
        energy[i] + hki_law_energy(law->piece[i].law, b) - hki_law_energy(law->piece[i - 1].law, b);
  }
}

/* a jump between pieces may be intended (friction) or a mistake: give a note */
static void note_jumps(hk_ctx *ctx, hk_loc loc, const hk_law *law) {
  for (int32_t i = 0; i + 1 < law->n; i++) {
    const hk_law *a = law->piece[i].law, *b = law->piece[i + 1].law;
    double x = law->piece[i].below;
    hk_law_out fa, fb;
    if ((a->uses_s && a->uses_sd) || (b->uses_s && b->uses_sd)) continue;
    hki_law_eval(a, false, x, x, &fa);
    hki_law_eval(b, false, x, x, &fb);
    if (fabs(fa.f - fb.f) > 1e-3 * (fabs(fa.f) + fabs(fb.f)))
      hki_note(ctx, loc, "the piecewise law jumps from %g to %g at %g", fa.f, fb.f, x);
  }
}

static hk_status finish_pieces(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law, int depth,
                               double lo, double hi) {
  if (depth >= MAX_DEPTH)
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "piecewise laws are nested deeper than %d",
                     MAX_DEPTH);
  if (law->n < 1) return hki_error(ctx, HK_E_MODEL, loc, NULL, "the piecewise law has no pieces");
  hk_law_piece *piece = hki_pool_alloc(pool, (size_t)law->n * sizeof *piece);
  hk_law *laws = hki_pool_alloc(pool, (size_t)law->n * sizeof *laws);
  double *energy = hki_pool_alloc(pool, (size_t)law->n * sizeof *energy);
  if (!piece || !laws || !energy) return HK_E_MEMORY;

  // copy and finish the laws of the pieces
  double from = -INFINITY;
  for (int32_t i = 0; i < law->n; i++) {
    double below = law->piece[i].below;
    bool last = i == law->n - 1;
    if (last && below != INFINITY)
      return hki_error(ctx, HK_E_MODEL, loc, "leave 'below' out of the last piece",
                       "the last piece of the law ends at %g: there is no law above it", below);
    if (!last && !(below > from && below < INFINITY))
      return hki_error(ctx, HK_E_MODEL, loc, "the values of 'below' must increase",
                       "piece %d of the law has 'below: %g', after %g", (int)i + 1, below, from);
    laws[i] = *law->piece[i].law;
    const bool plain = laws[i].kind == HK_LAW_FORM || (laws[i].ops && !laws[i].ops->nz);
    if (laws[i].kind >= HK_LAW_MAXWELL && !plain)
      return hki_error(ctx, HK_E_MODEL, loc, "put the piecewise law inside it, or beside it",
                       "piece %d of the law has a memory, which it would lose outside its range",
                       (int)i + 1);
    piece[i] = (hk_law_piece){below, &laws[i]};
    hk_status s = finish(ctx, loc, pool, &laws[i], depth + 1, fmax(lo, from), fmin(hi, below));
    if (s != HK_OK) return s;
    law->uses_sd = law->uses_sd || laws[i].uses_sd;
    from = below;
  }
  law->piece = piece;
  law->piece_energy = energy;
  if (!law->uses_sd) piece_energies(law, energy);
  note_jumps(ctx, loc, law);
  return HK_OK;
}

static hk_status finish(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law, int depth, double lo,
                        double hi) {
  if (law->flip) {
    double turned = -lo;
    lo = -hi;
    hi = turned;
  }
  law->uses_s = true;
  law->uses_sd = false;
  law->reference = 0.0;
  switch (law->kind) {
    case HK_LAW_LINEAR:
    case HK_LAW_POLYNOMIAL:
      if (law->n < 1 || !law->c)
        return hki_error(ctx, HK_E_MODEL, loc, NULL, "the law has no coefficients");
      for (int32_t i = 0; i < law->n; i++)
        if (!isfinite(law->c[i]))
          return hki_error(ctx, HK_E_NUMBER, loc, NULL, "coefficient %d of the law is not finite",
                           (int)i);
      return HK_OK;
    case HK_LAW_PIECEWISE:
      return finish_pieces(ctx, loc, pool, law, depth, lo, hi);
    case HK_LAW_TABLE:
      return law->table ? HK_OK : hki_error(ctx, HK_E_MODEL, loc, NULL, "the law has no table");
    case HK_LAW_MAXWELL:
    case HK_LAW_FRICTION:
    case HK_LAW_HARDENING:
      return hki_law_finish_memory(ctx, loc, law);
    case HK_LAW_FORM:
      law->uses_s = !law->form->of_rate, law->uses_sd = law->form->of_rate;
      return HK_OK;
    case HK_LAW_MANY:
      law->uses_sd = true; // it keeps its own books
      law->nz = law->many->nz, law->nd = law->many->nd;
      return HK_OK;
    case HK_LAW_OWN:
      law->uses_s = law->ops->uses_s, law->uses_sd = law->ops->uses_sd;
      law->nz = law->ops->nz, law->nd = 0;
      return HK_OK;
    default:
      if (!law->expr) return hki_error(ctx, HK_E_MODEL, loc, NULL, "the law has no expression");
      law->uses_s = hki_expr_depends_on(law->expr, 0);
      law->uses_sd = hki_expr_depends_on(law->expr, 1);
      if (!law->uses_sd) law->reference = find_reference(law->expr, lo, hi);
      return HK_OK;
  }
}

hk_status hki_law_finish(hk_ctx *ctx, hk_loc loc, hk_pool *pool, hk_law *law) {
  return finish(ctx, loc, pool, law, 0, -INFINITY, INFINITY);
}
