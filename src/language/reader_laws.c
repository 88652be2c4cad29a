/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_laws.c: laws of force elements.
 *
 * A law on a coordinate that changes sign under mirroring becomes g(s, sdot) = -f(-s, -sdot):
 * polynomials change the sign of even coefficients, pieces and table points are taken in reverse
 * order with opposite signs, expressions get -s and -sdot put in for s and sdot.
 */
#include "language/reader_laws.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool hki_rd_finite(hk_reader *rd, const hk_node *node, const char *what, double x) {
  char found[64];
  if (isfinite(x)) return true;
  hki_rd_error(rd, node->loc, NULL, "'%s' is not a finite number: %s", what,
               hki_node_describe(node, found, sizeof found));
  return false;
}

/* --- expressions of laws ---------------------------------------------------------------------- */

/* s and sdot, inputs 0 and 1, and the parameters; of a sum of parts s1 to sn and sd1 to sdn */
typedef struct law_inputs {
  hk_reader *rd;
  hk_rd_scope *scope;
  const hk_node *node;
  int32_t n; /* 0: s and sdot */
} law_inputs;

static const char *const law_names[2] = {"s", "sdot"};

/* the number k of "sk" or "sdk"; 0: it is none of these */
static int32_t component(const char *name, bool *rate) {
  *rate = strncmp(name, "sd", 2) == 0;
  const char *digits = name + (*rate ? 2 : 1);
  return name[0] == 's' && isdigit((unsigned char)digits[0]) && !digits[1] ? digits[0] - '0' : 0;
}

/* one of several deformations or rates; one that the law does not have is refused */
static bool resolve_many(const law_inputs *u, const char *name, hk_expr_symbol *out) {
  bool rate;
  const int32_t k = component(name, &rate);
  char hint[60];
  if (k == 0) return false;
  *out = (hk_expr_symbol){.is_input = true, .slot = k - 1 + (rate ? HK_MANY : 0)};
  if (k <= u->n) return true;
  snprintf(hint, sizeof hint, "s1 to s%d and sd1 to sd%d", (int)u->n, (int)u->n);
  hki_rd_error(u->rd, u->node->loc, hint, "'%s': the law has %d deformation%s here", name,
               (int)u->n, u->n == 1 ? "" : "s");
  out->faulty = true;
  return true;
}

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  law_inputs *u = user;
  for (int k = 0; k < 2 && u->n <= 1; k++) {
    if (strcmp(name, law_names[k]) != 0) continue;
    *out = (hk_expr_symbol){.is_input = true, .slot = u->n ? k * HK_MANY : k};
    return true;
  }
  if (u->n && resolve_many(u, name, out)) return true;
  if (hki_rd_param_symbol(u->rd, u->scope, u->node->loc, name, out)) return true;
  *out = (hk_expr_symbol){.faulty = true};
  return hki_rd_varies(u->rd, u->scope, u->node, name, "law",
                       "a law is a function of s and sdot; 'stiffness' and 'damping' can follow a "
                       "signal");
}

static void suggest(void *user, hk_nearest *near) {
  law_inputs *u = user;
  hki_nearest_try(near, law_names[0]);
  hki_nearest_try(near, law_names[1]);
  hki_rd_param_suggest(u->rd, u->scope, near);
  hki_rd_item_suggest(&u->rd->laws, u->scope, near);
}

static hk_expr *compile(law_inputs *u, const char *text, size_t len, hk_loc loc) {
  hk_expr_scope scope = {u, resolve, suggest, false};
  hk_expr *e = NULL;
  hki_expr_compile(u->rd->ctx, u->rd->spec->pool, text, len, loc, &scope, &e);
  return e;
}

/* -(...) with -s and -sdot for s and sdot */
static char *flip_text(hk_reader *rd, const char *text) {
  hk_text t;
  hki_text_init(&t, rd->ctx);
  hki_text_add(&t, "-(");
  for (const char *c = text; *c;) {
    size_t n = 0;
    while (isalnum((unsigned char)c[n]) || c[n] == '_' || c[n] == '.') n++;
    bool s = n == 1 && *c == 's', sdot = n == 4 && memcmp(c, "sdot", 4) == 0;
    if (s || sdot) hki_text_add(&t, "(-");
    hki_text_addn(&t, c, n ? n : 1);
    if (s || sdot) hki_text_add(&t, ")");
    c += n ? n : 1;
  }
  hki_text_add(&t, ")");
  char *out = t.s ? hki_pool_strndup(rd->pool, t.s, t.len) : NULL;
  hki_text_free(&t);
  return out;
}

static bool law_expression(hk_reader *rd, hk_rd_scope *s, const hk_node *v, bool flip,
                           hk_law *law) {
  law_inputs u = {rd, s, v, 0};
  if (!hki_rd_whole(rd, v)) return false;
  const int32_t errors = hki_error_count(rd->ctx);
  hk_expr *e = compile(&u, v->text, (size_t)v->len, hki_node_text_loc(v, 0));
  double k;
  if (hki_error_count(rd->ctx) > errors) return false;
  if (e && flip) {
    char *text = flip_text(rd, v->text);
    e = text ? compile(&u, text, strlen(text), v->loc) : NULL;
  }
  if (!e) return false;
  law->kind = HK_LAW_EXPRESSION;
  law->expr = e;
  return !hki_expr_is_constant(e, &k) || hki_rd_finite(rd, v, "law", k);
}

hk_expr *hki_rd_law_expr(const hk_rd_law_in *in, const hk_node *v) {
  law_inputs u = {in->rd, in->s, v, in->n};
  char found[64];
  if (!hki_node_text(v)) {
    hki_rd_error(in->rd, v->loc, "for example \"500*s1 + 20*sd1\"",
                 "expected an expression, found %s", hki_node_describe(v, found, sizeof found));
    return NULL;
  }
  const int32_t errors = hki_error_count(in->rd->ctx);
  hk_expr *e = hki_rd_whole(in->rd, v)
                   ? compile(&u, v->text, (size_t)v->len, hki_node_text_loc(v, 0))
                   : NULL;
  return hki_error_count(in->rd->ctx) > errors ? NULL : e;
}

/* --- laws ------------------------------------------------------------------------------------- */

static double *new_numbers(hk_reader *rd, int32_t n) {
  return hki_pool_alloc(rd->spec->pool, (size_t)n * sizeof(double));
}

static bool law_linear(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_law *law) {
  double *c = new_numbers(rd, 1);
  law->kind = HK_LAW_LINEAR;
  law->n = 1;
  law->c = c;
  return c && hki_rd_number(rd, s, v, "linear", c);
}

static bool law_polynomial(hk_reader *rd, hk_rd_scope *s, const hk_node *v, bool flip,
                           hk_law *law) {
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1 || v->count > 100) {
    hki_rd_error(rd, v->loc, "c0 + c1 s + c2 s^2 + ...",
                 "'polynomial' must be a list of 1 to 100 coefficients");
    return false;
  }
  double *c = new_numbers(rd, v->count);
  law->kind = HK_LAW_POLYNOMIAL;
  law->n = v->count;
  law->c = c;
  if (!c || !hki_rd_numbers(rd, s, v, "polynomial", v->count, c)) return false;
  for (int32_t i = 0; flip && i < v->count; i += 2) c[i] = -c[i];
  return true;
}

static const hk_law *read_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                              bool flip, int32_t depth);

/* [{below: v, law}, ..., {law}] */
static bool law_piecewise(hk_reader *rd, hk_rd_scope *s, const hk_node *v, bool flip, int32_t depth,
                          hk_law *law) {
  if (v->kind != HK_NODE_SEQUENCE || v->count < 1 || v->count > HK_READER_PIECES || depth > 4) {
    hki_rd_error(rd, v->loc, "[{below: 0, linear: 1e5}, {linear: 2e5}]",
                 "'piecewise' must be a list of laws, the last without 'below'");
    return false;
  }
  int32_t n = v->count;
  hk_law_piece *p = hki_pool_alloc(rd->spec->pool, (size_t)n * sizeof *p);
  bool ok = p != NULL;
  for (int32_t i = 0; ok && i < n; i++) {
    const hk_node *below = hki_node_get(v->items[i], "below");
    p[i].below = INFINITY;
    bool last = i == n - 1;
    if (below && !hki_rd_number(rd, s, below, "below", &p[i].below)) return false;
    if ((!below && !last) || (i > 0 && p[i].below <= p[i - 1].below)) {
      hki_rd_error(rd, v->items[i]->loc, NULL,
                   below ? "'below' must grow from piece to piece"
                         : "only the last piece may go without 'below'");
      return false;
    }
    if (last && below) {
      hki_rd_error(rd, below->loc, "add a last piece without 'below'",
                   "the law is not defined above %g", p[i].below);
      return false;
    }
    p[i].law = read_law(rd, s, v->items[i], "piecewise", flip, depth + 1);
    ok = p[i].law != NULL;
  }
  if (!ok) return false;
  if (flip) {
    /* piece i holds from below[i-1] on: mirrored, up to -below[i-1] */
    hk_law_piece *q = hki_pool_alloc(rd->spec->pool, (size_t)n * sizeof *q);
    for (int32_t i = 0; q && i < n; i++) {
      q[n - 1 - i] = (hk_law_piece){i > 0 ? -p[i - 1].below : INFINITY, p[i].law};
    }
    p = q;
  }
  law->kind = HK_LAW_PIECEWISE;
  law->n = n;
  law->piece = p;
  return p != NULL;
}

/* --- named laws ------------------------------------------------------------------------------- */

void hki_rd_laws_register(hk_reader *rd, hk_rd_scope *s) {
  const int32_t from = rd->laws.n;
  hki_rd_items_register(rd, s, "laws", "law", &rd->laws);
  for (int32_t i = from; i < rd->laws.n; i++) {
    const hk_rd_item *it = &rd->laws.items[i];
    const char *own = it->name + strlen(s->prefix);
    bool taken = hki_names_find(rd->params.names, it->name) >= 0;
    for (int k = 0; k < 2; k++) taken = taken || strcmp(own, law_names[k]) == 0;
    if (taken)
      hki_rd_error(rd, it->loc, "choose another name",
                   "'%s' is a number in expressions and cannot be a law", own);
  }
}

/* the law of a name, read where it was written; the same one for all that use it */
static const hk_law *named_law(hk_reader *rd, hk_rd_item *it, bool flip, int32_t depth) {
  if (it->state == HK_RD_FAILED || it->law[flip]) return it->law[flip];
  if (it->state == HK_RD_BUSY) {
    hki_rd_error(rd, it->loc, NULL, "law '%s' is made of itself", it->name);
    it->state = HK_RD_FAILED;
    return NULL;
  }
  it->state = HK_RD_BUSY;
  const hk_law *law = read_law(rd, it->scope, it->node, it->name, flip, depth);
  it->law[flip] = it->state == HK_RD_BUSY ? law : NULL;
  it->state = it->law[flip] ? HK_RD_DONE : HK_RD_FAILED;
  return it->law[flip];
}

void hki_rd_laws_check(hk_reader *rd) {
  const hk_entry *broken = NULL;
  for (int32_t i = 0; i < rd->laws.n && !hki_rd_enough(rd); i++) {
    hk_rd_item *it = &rd->laws.items[i];
    if (hki_rd_scope_skip(it->scope) || (broken && it->family == broken)) continue;
    // one of several deformations, where it is used
    if (it->state == HK_RD_DONE && !it->law[0] && !it->law[1]) continue;
    const int32_t n = it->state == HK_RD_NEW ? hki_rd_law_guess(it->node) : 1;
    const hk_rd_law_in in = {rd, it->scope, it->name, n, 0};
    if (n > 1 ? !hki_rd_many_law(&in, it->node) : !named_law(rd, it, false, 0)) broken = it->family;
  }
}

/* --- one law ---------------------------------------------------------------------------------- */

/* a closed form; like a polynomial it takes the mirrored place by its sign */
static bool law_form(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_law_form *form,
                     bool flip, hk_law *law) {
  double *c = new_numbers(rd, HK_FORM_NUMBERS);
  if (!c || !hki_rd_law_numbers(rd, s, v, form->keys, form->key, c)) return false;
  *law = (hk_law){.kind = HK_LAW_FORM, .flip = flip, .n = HK_FORM_NUMBERS, .c = c, .form = form};
  const char *fault = form->fault ? form->fault(c) : NULL;
  if (fault) hki_rd_error(rd, v->loc, NULL, "'%s': %s", form->key, fault);
  return !fault;
}

/* in the order of hk_friction_kind */
static const char *const friction_words[] = {"coulomb", "stribeck", "lugre"};

/* the law of one of the keys of a mapping, branches apart; *n: how many of the keys there are */
bool hki_rd_law_of_key(const hk_rd_law_in *in, const hk_node *node, bool flip, hk_law *law,
                       int *n) {
  hk_reader *rd = in->rd;
  hk_rd_scope *s = in->s;
  const hk_node *linear = hki_node_get(node, "linear"), *poly = hki_node_get(node, "polynomial");
  const hk_node *pieces = hki_node_get(node, "piecewise"), *table = hki_node_get(node, "table");
  const hk_node *expr = hki_node_get(node, "expression"), *friction = NULL;
  const hk_node *hardening = hki_node_get(node, "hardening"), *form = NULL;
  const hk_law_form *which = NULL;
  hk_friction_kind kind = HK_FRICTION_COULOMB;
  *n = (linear != NULL) + (poly != NULL) + (pieces != NULL) + (table != NULL) + (expr != NULL) +
       (hardening != NULL);
  for (int32_t i = 0; i < HK_ARRAY_LEN(friction_words); i++) {
    const hk_node *x = hki_node_get(node, friction_words[i]);
    if (x) friction = x, kind = (hk_friction_kind)i, (*n)++;
  }
  for (const hk_law_form *f = hki_law_forms; f->key; f++) {
    const hk_node *x = hki_node_get(node, f->key);
    if (x) form = x, which = f, (*n)++;
  }
  if (*n != 1) return false;
  if (form) return law_form(rd, s, form, which, flip, law);
  if (expr && !hki_node_text(expr)) {
    *n = 0;
    return false;
  }
  if (linear) return law_linear(rd, s, linear, law);
  if (poly) return law_polynomial(rd, s, poly, flip, law);
  if (pieces) return law_piecewise(rd, s, pieces, flip, in->depth, law);
  if (expr) return law_expression(rd, s, expr, flip, law);
  // friction and hardening are the same in both directions
  if (friction) return hki_rd_friction_law(rd, s, friction, kind, law);
  if (hardening) return hki_rd_hardening(rd, s, hardening, law);
  law->kind = HK_LAW_TABLE;
  law->table = hki_rd_table(rd, s, node, table, HK_RD_LAW, flip);
  return law->table != NULL;
}

static bool fill_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                     bool flip, int32_t depth, hk_law *law) {
  static const hk_param *const tables[] = {hki_keys_law, NULL};
  char found[64];
  hk_rd_item *named =
      rd->laws.n && hki_node_text(node) ? hki_rd_item_find(&rd->laws, s, node->text) : NULL;
  if (named) {
    const hk_law *other = named_law(rd, named, flip, depth);
    if (other) *law = *other;
    return other != NULL;
  }
  if (hki_node_text(node)) {
    /* a number is a slope, an expression of s and sdot a law */
    double k;
    if (!law_expression(rd, s, node, flip, law)) return false;
    if (!hki_expr_is_constant(law->expr, &k)) return true;
    double *c = new_numbers(rd, 1);
    if (!c) return false;
    *c = flip ? -k : k; /* flipping negated the text, but a slope keeps its sign: undo it */
    *law = (hk_law){.kind = HK_LAW_LINEAR, .n = 1, .c = c};
    return true;
  }
  const hk_rd_law_in in = {rd, s, what, 1, depth};
  if (hki_rd_is_many(node)) return hki_rd_many(&in, node, flip ? 1u : 0u, law);
  const hk_law_ops *own = hki_rd_law_own(rd, node);
  if (own) return hki_rd_own_law(rd, s, node, own, flip, law);
  if (!hki_rd_check_keys(rd, node, tables, "the law", what)) return false;
  const hk_node *inner = hki_node_get(node, "law");
  const hk_node *maxwell = hki_node_get(node, "maxwell");
  hk_law *beside = law;
  int n = 1;
  if (maxwell && !(beside = hki_pool_alloc(rd->spec->pool, sizeof *beside))) return false;
  const bool ok = inner ? fill_law(rd, s, inner, what, flip, depth, beside)
                        : hki_rd_law_of_key(&in, node, flip, beside, &n);
  if (n > 1 || (n == 0 && !maxwell)) {
    hki_rd_error(
        rd, node->loc,
        "one of linear, polynomial, piecewise, table, expression, coulomb, stribeck, lugre, "
        "hardening and others of 'hooke list laws'; maxwell beside it or alone",
        "'%s' is not a law: %s", what, hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (!maxwell || (n && !ok)) return ok;
  if (n && hki_law_finish(rd->ctx, node->loc, rd->spec->pool, beside) != HK_OK) return false;
  return hki_rd_maxwell(rd, s, maxwell, n ? beside : NULL, law);
}

static const hk_law *read_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                              bool flip, int32_t depth) {
  hk_law *law = hki_pool_alloc(rd->spec->pool, sizeof *law);
  if (!law || !fill_law(rd, s, node, what, flip, depth, law)) return NULL;
  return hki_law_finish(rd->ctx, node->loc, rd->spec->pool, law) ? NULL : law;
}

const hk_law *hki_rd_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                         bool flip) {
  return read_law(rd, s, node, what, flip, 0);
}

const hk_law *hki_rd_law_at(const hk_rd_law_in *in, const hk_node *node, bool flip) {
  return read_law(in->rd, in->s, node, in->what, flip, in->depth);
}
