/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_law_many.c: laws of several deformations (elements/law_many.h), and sums of parts where a law of
 * one deformation stands. Kinds that stand beside each other in a mapping are added.
 *
 * How many deformations a law has is known where it is used. In a mirrored place the whole law becomes
 * Q f(Q s, Q sd), Q the signs of the deformations there; its parts stay as they are written.
 */
#include "language/reader_axes.h"
#include "language/reader_laws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/rows.h"

enum { MOST_PARTS = 40 };

/* clang-format off */
const hk_param hki_keys_law_axis[] = {
    ROW("direction", HK_P_REALS, 0, "[a, b, c] of the displacements, or of the three deformations there are; of any length"),
    ROW("rotation", HK_P_REALS, 0, "[a, b, c] of the rotations, where there are six deformations"),
    ROW("law", HK_P_LAW, HK_P_REQUIRED, "of the deformation along that direction"),
    ROW("rate", HK_P_BOOL, 0, "true: the law is one over its rate"),
    HK_PARAM_END};

const hk_param hki_keys_shock_absorber[] = {
    FIELD("area", HK_P_REQUIRED | HK_P_POSITIVE, 0, NAN, "m^2", "of the piston"),
    FIELD("pressure", HK_P_REQUIRED | HK_P_POSITIVE, 1, NAN, "Pa", "of the gas at s = 0"),
    FIELD("length", HK_P_REQUIRED | HK_P_POSITIVE, 2, NAN, "m", "of the gas column at s = 0"),
    FIELD("exponent", HK_P_POSITIVE, 3, 1.4, "", "polytropic: 1 slow, 1.4 fast"),
    FIELD("ambient", HK_P_NONNEGATIVE, 4, 0, "Pa", "pressure on the other side"),
    FIELD("compression", HK_P_REQUIRED | HK_P_NONNEGATIVE, 5, NAN, "N*s^2/m^2", "of the orifice: force per square of the speed"),
    FIELD("rebound", HK_P_NONNEGATIVE, 6, NAN, "N*s^2/m^2", "the same while s grows (default: as 'compression')"),
    FIELD("speed", HK_P_NONNEGATIVE, 7, 0, "m/s", "below it the force of the orifice is linear"),
    HK_PARAM_END};
/* clang-format on */

/* the keys that only a sum of parts has */
static const char many_keys[] = "viscous proportional sum components rates axis potential bistop "
                                "prestrain prestress factor shock_absorber";

bool hki_rd_is_many(const hk_node *node) {
  for (int32_t i = 0; node->kind == HK_NODE_MAPPING && i < node->count; i++)
    if (hki_word_find(many_keys, node->entries[i].key) >= 0) return true;
  return false;
}

/* is there a list of 3 or 6 in it that stands for deformations? its length, else 0 */
static int32_t list_in(const hk_node *v) {
  int32_t n = 0;
  if (v->kind == HK_NODE_SEQUENCE && (v->count == 3 || v->count == 6)) return v->count;
  for (int32_t i = 0; v->kind == HK_NODE_MAPPING && !n && i < v->count; i++)
    if (strcmp(v->entries[i].key, "direction") != 0 && strcmp(v->entries[i].key, "law") != 0)
      n = list_in(v->entries[i].value);
  return n;
}

int32_t hki_rd_law_guess(const hk_node *node) {
  static const char lists[] =
      "linear viscous expression prestrain prestress components rates hardening";
  static const char several[] = "components rates axis potential bistop";
  int32_t n = 1;
  for (int32_t i = 0; node->kind == HK_NODE_MAPPING && i < node->count; i++) {
    const hk_entry *e = &node->entries[i];
    const int32_t own = hki_word_find(lists, e->key) >= 0 ? list_in(e->value) : 0;
    if (own) return own;
    if (hki_word_find(several, e->key) >= 0) n = HK_MANY;
    for (int32_t k = 0; strcmp(e->key, "sum") == 0 && k < e->value->count; k++)
      if (e->value->kind == HK_NODE_SEQUENCE && hki_rd_law_guess(e->value->items[k]) > 1)
        return hki_rd_law_guess(e->value->items[k]);
  }
  return n;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void *take(const hk_rd_law_in *in, size_t size) {
  return hki_pool_alloc(in->rd->spec->pool, size);
}

/* a number for all, or a list of n; NULL after an error */
static const double *read_list(const hk_rd_law_in *in, const hk_node *v, const char *key) {
  double *x = take(in, HK_MANY * sizeof *x);
  char found[64];
  if (!x) return NULL;
  if (v->kind == HK_NODE_SCALAR && in->n == 1)
    return hki_rd_number(in->rd, in->s, v, key, x) ? x : NULL;
  if (v->kind != HK_NODE_SEQUENCE || v->count != in->n) {
    hki_rd_error(in->rd, v->loc, NULL, "'%s' must be a list of %d numbers, found %s", key,
                 (int)in->n, hki_node_describe(v, found, sizeof found));
    return NULL;
  }
  return hki_rd_numbers(in->rd, in->s, v, key, in->n, x) ? x : NULL;
}

/* a matrix as a part of the kind; factor: times that number */
static bool read_matrix(const hk_rd_law_in *in, const hk_node *v, const char *key,
                        hk_part_kind kind, double factor, hk_law_part *part) {
  double *K = take(in, HK_MANY * HK_MANY * sizeof *K);
  if (!K || !hki_rd_square(in->rd, in->s, v, key, in->n, K)) return false;
  for (int32_t i = 0; i < HK_MANY * HK_MANY; i++) K[i] *= factor;
  *part = (hk_law_part){.kind = kind, .c = K};
  return true;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* a list or a mapping of laws, one for each deformation */
static bool read_components(const hk_rd_law_in *in, const hk_node *v, const char *key, bool of_rate,
                            hk_law_part *part) {
  const hk_law **law = take(in, HK_MANY * sizeof *law);
  hk_rd_law_in one = *in;
  char found[64];
  const bool map = v->kind == HK_NODE_MAPPING;
  // three deformations may be displacements or rotations
  const char *words[2] = {"x y z rx ry rz", in->n == 3 ? "rx ry rz" : "x"};
  if (!law) return false;
  if (!map && (v->kind != HK_NODE_SEQUENCE || v->count > in->n)) {
    hki_rd_error(in->rd, v->loc, "null where there is none",
                 "'%s' must be a list of %d laws or a mapping of axes, found %s", key, (int)in->n,
                 hki_node_describe(v, found, sizeof found));
    return false;
  }
  one.n = 1, one.what = key, one.depth++;
  for (int32_t i = 0; i < v->count; i++) {
    const hk_node *x = map ? v->entries[i].value : v->items[i];
    int32_t k = map ? hki_word_find(words[0], v->entries[i].key) : i;
    if (map && (k < 0 || k >= in->n)) k = hki_word_find(words[1], v->entries[i].key);
    if (k < 0 || k >= in->n) {
      hki_rd_error(in->rd, v->entries[i].key_loc,
                   in->n == 6 ? "any of x y z rx ry rz" : "any of x y z, of rotations rx ry rz",
                   "'%s' is no axis of a law of %d deformations", v->entries[i].key, (int)in->n);
      return false;
    }
    if (x->kind == HK_NODE_NULL) continue;
    if (!(law[k] = hki_rd_law_at(&one, x, false))) return false;
  }
  *part = (hk_law_part){.kind = HK_PART_COMPONENTS, .of_rate = of_rate, .law = law};
  return true;
}

static bool read_axis(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  static const hk_param *const tables[] = {hki_keys_law_axis, NULL};
  const hk_law **law = take(in, sizeof *law);
  double *a = take(in, HK_MANY * sizeof *a), *at = a;
  if (!law || !a || !hki_rd_check_keys(in->rd, v, tables, "the axis of", in->what)) return false;
  const hk_node *direction = hki_node_get(v, "direction"), *turn = hki_node_get(v, "rotation");
  const hk_node *rate = hki_node_get(v, "rate");
  hk_rd_law_in one = *in;
  if (in->n == 1 || (in->n == 3 && turn) || (direction != NULL) == (turn != NULL)) {
    hki_rd_error(in->rd, v->loc, "axis: {direction: [1, 1, 0], law: 2e5}",
                 "'axis' needs one of 'direction' and, where there are six deformations, "
                 "'rotation'");
    return false;
  }
  if (turn) at = a + 3;
  if (!hki_rd_numbers(in->rd, in->s, turn ? turn : direction, turn ? "rotation" : "direction", 3,
                      at))
    return false;
  const double length = v3_norm(at);
  if (!(length > 0.0)) {
    hki_rd_error(in->rd, (turn ? turn : direction)->loc, NULL, "the direction has no length");
    return false;
  }
  v3_scale(at, 1.0 / length, at);
  *part = (hk_law_part){.kind = HK_PART_AXIS, .c = a, .law = law};
  if (rate && !hki_rd_bool(in->rd, in->s, rate, "rate", &part->of_rate)) return false;
  one.n = 1, one.depth++;
  law[0] = hki_rd_law_at(&one, hki_node_get(v, "law"), false);
  return law[0] != NULL;
}

/* `expression:` of several deformations, or `potential:` */
static bool read_expressions(const hk_rd_law_in *in, const hk_node *v, const char *key, int32_t n,
                             hk_law_part *part) {
  const hk_expr **e = take(in, HK_MANY * sizeof *e);
  char found[64];
  const bool one = n == 1;
  if (!e) return false;
  if (one ? !hki_node_text(v) : v->kind != HK_NODE_SEQUENCE || v->count != n) {
    hki_rd_error(in->rd, v->loc,
                 one ? "potential: \"500*s1^2 + 200*s2^2\"" : "one for each deformation",
                 one ? "'%s' must be an expression%.0d, found %s"
                     : "'%s' must be a list of %d expressions, found %s",
                 key, (int)n, hki_node_describe(v, found, sizeof found));
    return false;
  }
  for (int32_t i = 0; i < n; i++)
    if (!(e[i] = hki_rd_law_expr(in, one ? v : v->items[i]))) return false;
  *part = (hk_law_part){.kind = HK_PART_FORCES, .expr = e};
  return true;
}

static bool read_potential(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  if (!read_expressions(in, v, "potential", 1, part)) return false;
  part->kind = HK_PART_POTENTIAL;
  for (int32_t i = 0; i < in->n; i++)
    if (hki_expr_depends_on(part->expr[0], HK_MANY + i)) {
      hki_rd_error(in->rd, v->loc, "put forces that depend on rates beside it",
                   "a potential is a function of the deformations, not of their rates");
      return false;
    }
  return true;
}

static const hk_law *form_law(const hk_rd_law_in *in, int32_t i, const double *c) {
  hk_law *law = take(in, sizeof *law);
  if (!law) return NULL;
  *law = (hk_law){.kind = HK_LAW_FORM, .n = HK_FORM_NUMBERS, .c = c, .form = &hki_law_forms[i]};
  return hki_law_finish(in->rd->ctx, HK_LOC_NONE, in->rd->spec->pool, law) ? NULL : law;
}

/* a gas spring and an orifice */
static bool read_absorber(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part) {
  double *c = take(in, 2 * HK_FORM_NUMBERS * sizeof *c);
  const hk_law **law = take(in, 2 * sizeof *law);
  enum { GAS = 2, FLOW = 3 };
  if (!c || !law ||
      !hki_rd_law_numbers(in->rd, in->s, v, hki_keys_shock_absorber, "shock_absorber", c))
    return false;
  law[0] = form_law(in, GAS, c), law[1] = form_law(in, FLOW, c + HK_FORM_NUMBERS);
  for (int k = 0; k < 2; k++) part[k] = (hk_law_part){.kind = HK_PART_COMPONENTS, .law = law + k};
  return law[0] && law[1];
}

/* --- the whole law ---------------------------------------------------------------------------- */

/* kinds of one deformation, which several have none of */
static bool refuse_scalar(const hk_rd_law_in *in, const hk_node *node) {
  static const char keys[] =
      "polynomial piecewise table coulomb stribeck lugre double_linear log_elastic "
      "gas_spring turbulent shock_absorber below";
  for (int32_t i = 0; i < node->count; i++) {
    const hk_entry *e = &node->entries[i];
    if (hki_word_find(keys, e->key) < 0 && !hki_law_known(in->rd->ctx, e->key)) continue;
    char hint[120];
    snprintf(hint, sizeof hint, "for example 'components: [{%.40s: ..}]', or 'axis'", e->key);
    hki_rd_error(in->rd, e->key_loc, hint, "'%s' is a law of one deformation; '%s' has %d", e->key,
                 in->what, (int)in->n);
    return true;
  }
  return false;
}

/* base kinds: of one deformation as ever, of several by matrices and lists */
static bool read_base(const hk_rd_law_in *in, const hk_node *node, hk_law_part *part, int32_t *n) {
  const hk_node *v;
  if (in->n == 1) {
    hk_law *law = take(in, sizeof *law);
    const hk_law **list = take(in, sizeof *list);
    int kinds = 0;
    if (!law || !list) return false;
    const bool ok = hki_rd_law_of_key(in, node, false, law, &kinds);
    if (kinds == 0) return true;
    if (kinds > 1) {
      hki_rd_error(in->rd, node->loc, "put them into a list: sum: [{..}, {..}]",
                   "'%s' has more than one kind of law", in->what);
      return false;
    }
    if (!ok || hki_law_finish(in->rd->ctx, node->loc, in->rd->spec->pool, law)) return false;
    *list = law;
    part[(*n)++] = (hk_law_part){.kind = HK_PART_COMPONENTS, .law = list};
    return true;
  }
  if (refuse_scalar(in, node)) return false;
  if ((v = hki_node_get(node, "linear")) &&
      !read_matrix(in, v, "linear", HK_PART_LINEAR, 1.0, &part[(*n)++]))
    return false;
  if ((v = hki_node_get(node, "expression")) &&
      !read_expressions(in, v, "expression", in->n, &part[(*n)++]))
    return false;
  return !(v = hki_node_get(node, "hardening")) || hki_rd_many_hardening(in, v, &part[(*n)++]);
}

static bool read_damping(const hk_rd_law_in *in, const hk_node *node, hk_law_part *part,
                         int32_t *n) {
  const hk_node *viscous = hki_node_get(node, "viscous"),
                *share = hki_node_get(node, "proportional"), *linear = hki_node_get(node, "linear");
  double x;
  if (viscous && !read_matrix(in, viscous, "viscous", HK_PART_VISCOUS, 1.0, &part[(*n)++]))
    return false;
  if (!share) return true;
  if (!linear) {
    hki_rd_error(in->rd, share->loc, "{linear: 2e5, proportional: 1e-3}",
                 "'proportional' needs 'linear' beside it");
    return false;
  }
  return hki_rd_number(in->rd, in->s, share, "proportional", &x) &&
         read_matrix(in, linear, "linear", HK_PART_VISCOUS, x, &part[(*n)++]);
}

static bool read_sum(const hk_rd_law_in *in, const hk_node *v, hk_law_part *part, int32_t *n) {
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1 || v->count > 20) {
    hki_rd_error(in->rd, v->loc, "[{linear: 1e4}, rubber]", "'sum' must be a list of 1 to 20 laws");
    return false;
  }
  hk_rd_law_in inner = *in;
  inner.what = "sum", inner.depth++;
  for (int32_t i = 0; i < v->count; i++) {
    const hk_law_many *many = hki_rd_many_law(&inner, v->items[i]);
    if (!many) return false;
    part[(*n)++] = (hk_law_part){.kind = HK_PART_LAW, .many = many};
  }
  return true;
}

/* the parts of a mapping, *n of them */
static bool read_parts(const hk_rd_law_in *in, const hk_node *node, hk_law_part *part, int32_t *n) {
  const hk_node *v;
  hk_rd_law_in inner = *in;
  inner.depth++;
  if (!read_base(in, node, part, n) || !read_damping(in, node, part, n)) return false;
  if ((v = hki_node_get(node, "shock_absorber"))) {
    if (!read_absorber(in, v, part + *n)) return false;
    *n += 2;
  }
  if ((v = hki_node_get(node, "potential")) && !read_potential(in, v, &part[(*n)++])) return false;
  if ((v = hki_node_get(node, "components")) &&
      !read_components(in, v, "components", false, &part[(*n)++]))
    return false;
  if ((v = hki_node_get(node, "rates")) && !read_components(in, v, "rates", true, &part[(*n)++]))
    return false;
  if ((v = hki_node_get(node, "axis")) && !read_axis(in, v, &part[(*n)++])) return false;
  if ((v = hki_node_get(node, "law"))) {
    const hk_law_many *many = hki_rd_many_law(&inner, v);
    if (!many) return false;
    part[(*n)++] = (hk_law_part){.kind = HK_PART_LAW, .many = many};
  }
  if ((v = hki_node_get(node, "maxwell")) && !hki_rd_many_maxwell(in, v, part, n)) return false;
  if ((v = hki_node_get(node, "bistop")) && !hki_rd_many_bistop(in, v, &part[(*n)++])) return false;
  return !(v = hki_node_get(node, "sum")) || read_sum(in, v, part, n);
}

static bool fill(const hk_rd_law_in *in, const hk_node *node, hk_law_many *many) {
  static const hk_param *const tables[] = {hki_keys_law, NULL};
  hk_law_part part[MOST_PARTS + 40];
  const hk_node *v;
  char found[64];
  int32_t n = 0;
  if (!hki_rd_check_keys(in->rd, node, tables, "the law", in->what) ||
      !read_parts(in, node, part, &n))
    return false;
  if ((v = hki_node_get(node, "prestrain")) && !(many->strain = read_list(in, v, "prestrain")))
    return false;
  if ((v = hki_node_get(node, "prestress")) && !(many->stress = read_list(in, v, "prestress")))
    return false;
  if ((v = hki_node_get(node, "factor")) &&
      !hki_rd_number(in->rd, in->s, v, "factor", &many->factor))
    return false;
  if ((n == 0 && !many->stress) || n > MOST_PARTS) {
    hki_rd_error(in->rd, node->loc, "see 'hooke list laws'",
                 n ? "'%s' has too many parts" : "'%s' is not a law: %s", in->what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  hk_law_part *own = take(in, (size_t)(n + 1) * sizeof *own);
  if (!own) return false;
  memcpy(own, part, (size_t)n * sizeof *own);
  many->n = in->n, many->nparts = n;
  return hki_law_many_finish(in->rd->ctx, node->loc, many, own) == HK_OK;
}

/* a law of one deformation as a part */
static bool fill_scalar(const hk_rd_law_in *in, const hk_node *node, hk_law_many *many) {
  const hk_law **law = take(in, sizeof *law);
  hk_law_part *part = take(in, sizeof *part);
  if (!law || !part || !(law[0] = hki_rd_law_at(in, node, false))) return false;
  *part = (hk_law_part){.kind = HK_PART_COMPONENTS, .law = law};
  many->n = many->nparts = 1;
  return hki_law_many_finish(in->rd->ctx, node->loc, many, part) == HK_OK;
}

const hk_law_many *hki_rd_many_law(const hk_rd_law_in *in, const hk_node *node) {
  hk_law_many *many = take(in, sizeof *many);
  const char *text = hki_node_text(node);
  hk_rd_item *named = text ? hki_rd_item_find(&in->rd->laws, in->s, text) : NULL;
  if (!many) return NULL;
  if (in->depth > HK_RD_LAW_DEPTH) {
    hki_rd_error(in->rd, node->loc, "is it made of itself?",
                 "laws in '%s' are nested deeper than %d", in->what, HK_RD_LAW_DEPTH);
    return NULL;
  }
  many->factor = 1.0;
  if (named) {
    const hk_rd_law_in inner = {in->rd, named->scope, named->name, in->n, in->depth + 1};
    const hk_law_many **known = &named->many[in->n / 3]; // of 1, 3 and 6
    static const hk_law_many broken;                     // its mistake has been said
    if (*known) return *known == &broken ? NULL : *known;
    if (named->state == HK_RD_NEW) named->state = HK_RD_DONE; // it is read here
    *known = hki_rd_many_law(&inner, named->node);
    if (*known) return *known;
    *known = &broken;
    hki_note(in->rd->ctx, node->loc, "law '%s' is used here, with %d deformation%s", text,
             (int)in->n, in->n == 1 ? "" : "s");
    return NULL;
  }
  if (in->n == 1 && !hki_rd_is_many(node)) return fill_scalar(in, node, many) ? many : NULL;
  if (!text) return fill(in, node, many) ? many : NULL;
  // a number is the same stiffness for all
  hk_law_part *part = take(in, sizeof *part);
  many->n = in->n, many->nparts = 1;
  if (!part || !read_matrix(in, node, in->what, HK_PART_LINEAR, 1.0, part)) return NULL;
  return hki_law_many_finish(in->rd->ctx, node->loc, many, part) ? NULL : many;
}

bool hki_rd_many(const hk_rd_law_in *in, const hk_node *node, uint32_t flip, hk_law *law) {
  const hk_law_many *many = hki_rd_many_law(in, node);
  hk_law_many *own = many ? take(in, sizeof *own) : NULL;
  if (!own) return false;
  *own = *many;
  own->flip = flip;
  *law = (hk_law){.kind = HK_LAW_MANY, .many = own};
  return true;
}
