/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_axis_values.c: values of elastic joints that stand for axes, three or six of x y z rx ry rz.
 *
 * Mirroring: the coordinate of axis k changes as q_k, Q = diag(D, det(D) D). Matrices become Q K Q,
 * laws of an axis whose coordinate changes sign -f(-s, -sdot), one law of all axes Q f(Q s, Q sdot).
 */
#include "language/reader_axes.h"
#include "language/reader_laws.h"

#include <stdio.h>
#include <string.h>

/* axes of a row: their words, their number, and the first of them among x y z rx ry rz */
typedef struct axes {
  const char *words;
  int32_t n, first;
} axes;

static axes axes_of(const hk_param *p) {
  axes a = {p->choices ? p->choices : "x y z rx ry rz", 0, 0};
  int len;
  while (hki_word(a.words, a.n, &len), len > 0) a.n++;
  if (a.words[0] == 'r') a.first = 3; // rotations alone
  return a;
}

/* sign of axis k of x y z rx ry rz under D */
static double axis_sign(const double *D, int32_t k) {
  double det = D[0] * D[1] * D[2];
  return k < 3 ? D[k] : det * D[k - 3];
}

bool hki_rd_square(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *what, int32_t n,
                   double *K) {
  static const char *const words[] = {[1] = "one", [3] = "three", [6] = "six"};
  double x[6];
  char found[64];
  bool list = v->kind == HK_NODE_SEQUENCE && v->count == n, ok = true;
  memset(K, 0, 36 * sizeof *K);
  if (v->kind == HK_NODE_SCALAR) {
    if (!hki_rd_number(rd, s, v, what, x)) return false;
    for (int32_t i = 0; i < n; i++) K[7 * i] = x[0];
    return true;
  }
  if (list && v->items[0]->kind == HK_NODE_SEQUENCE) {
    for (int32_t i = 0; i < n; i++)
      ok = hki_rd_numbers(rd, s, v->items[i], what, n, &K[6 * i]) && ok;
    return ok;
  }
  if (list) {
    ok = hki_rd_numbers(rd, s, v, what, n, x);
    for (int32_t i = 0; i < n; i++) K[7 * i] = x[i];
    return ok;
  }
  hki_rd_error(rd, v->loc, NULL, "'%s' must be %s numbers or %s rows of %s, found %s", what,
               words[n], words[n], words[n], hki_node_describe(v, found, sizeof found));
  return false;
}

void hki_rd_axis_matrix(hk_reader *rd, hk_rd_scope *s, const hk_param *p, const hk_node *v,
                        const double *D, double *out) {
  const axes a = axes_of(p);
  double K[36];
  if (!hki_rd_square(rd, s, v, p->name, a.n, K)) return;
  for (int32_t i = 0; i < a.n; i++)
    for (int32_t j = 0; j < a.n; j++)
      out[6 * i + j] = axis_sign(D, a.first + i) * axis_sign(D, a.first + j) * K[6 * i + j];
}

const hk_law *hki_rd_axis_law(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f,
                              const hk_param *p, const hk_node *v, const double *D) {
  const axes a = axes_of(p);
  const hk_rd_law_in in = {rd, s, f->name, a.n, 0};
  hk_law *law = hki_pool_alloc(rd->spec->pool, sizeof *law);
  uint32_t flip = 0;
  for (int32_t i = 0; i < a.n; i++)
    if (axis_sign(D, a.first + i) < 0.0) flip |= 1u << i;
  if (!law || !hki_rd_many(&in, v, flip, law)) return NULL;
  return hki_law_finish(rd->ctx, v->loc, rd->spec->pool, law) ? NULL : law;
}

int32_t hki_rd_axis_inputs(hk_reader *rd, const hk_param *p, const hk_node *v, const double *D,
                           hk_rd_axis_input list[6]) {
  const axes a = axes_of(p);
  const bool map = v->kind == HK_NODE_MAPPING;
  char found[64];
  if (!map && (v->kind != HK_NODE_SEQUENCE || v->count != a.n)) {
    hki_rd_error(rd, v->loc, NULL,
                 "'%s' must be a list of %d numbers or signals or a mapping of %s, found %s",
                 p->name, (int)a.n, a.words, hki_node_describe(v, found, sizeof found));
    return -1;
  }
  for (int32_t i = 0; i < v->count; i++) {
    const int32_t k = map ? hki_word_find(a.words, v->entries[i].key) : i;
    if (k < 0) {
      hki_rd_error(rd, v->entries[i].key_loc, a.words, "'%s' is no axis", v->entries[i].key);
      return -1;
    }
    list[i] = (hk_rd_axis_input){map ? v->entries[i].value : v->items[i], k,
                                 axis_sign(D, a.first + k) < 0.0 ? -1 : 1};
  }
  return v->count;
}

const hk_law *hki_rd_element_law(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f,
                                 const hk_param *p, const hk_node *v, bool flip) {
  const hk_law *law = hki_rd_law(rd, s, v, p->name, flip);
  if (!law || !hki_law_has_memory(law) || f->ops->laws) return law;
  hki_rd_error(rd, v->loc, "laws with memory are for springs, dampers and bushings",
               "'%s' of '%s' must be a law without memory", p->name, f->name);
  return NULL;
}

bool hki_rd_axis_laws(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f, const hk_param *p,
                      const hk_node *v, const double *D, const hk_law **out) {
  const axes a = axes_of(p);
  char found[64], hint[40];
  bool map = v->kind == HK_NODE_MAPPING;
  if (!map && (v->kind != HK_NODE_SEQUENCE || v->count > a.n)) {
    hki_rd_error(rd, v->loc, "for example {z: {polynomial: [0, 1e5, 0, 1e8]}}",
                 "'%s' must be a mapping of %s or a list of up to %s laws, found %s", p->name,
                 a.words, a.n == 6 ? "six" : "three", hki_node_describe(v, found, sizeof found));
    return false;
  }
  bool ok = true;
  for (int32_t i = 0; i < v->count; i++) {
    int32_t k = map ? hki_word_find(a.words, v->entries[i].key) : i;
    const hk_node *law = map ? v->entries[i].value : v->items[i];
    snprintf(hint, sizeof hint, "any of %s", a.words);
    if (k < 0) {
      hki_rd_error(rd, v->entries[i].key_loc, hint, "'%s' is no axis", v->entries[i].key);
      ok = false;
    } else if (law->kind != HK_NODE_NULL) {
      out[k] = hki_rd_element_law(rd, s, f, p, law, axis_sign(D, a.first + k) < 0.0);
      ok = ok && out[k];
    }
  }
  return ok;
}
