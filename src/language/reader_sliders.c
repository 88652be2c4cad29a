/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_sliders.c: `sliders` of a beam, points of bodies that run along it: one element on the body and the
 * nodes of the beam, or of a part of it (elements/beam_slider.h).
 */
#include <math.h>
#include <stdio.h>

#include "elements/beam_slider.h"
#include "language/reader_beams.h"
#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_slider[] = {
    ROW("body", HK_P_BODY, HK_P_REQUIRED, "the body that runs along the beam"),
    ROW("at", HK_P_POINT, HK_P_REQUIRED, "its point that stays on the beam, in the drawing position"),
    REAL("stiffness", HK_P_POSITIVE | HK_P_REQUIRED, NAN, "N/m", "of the guide across the beam, and of stops at its ends"),
    REAL("damping", HK_P_NONNEGATIVE, 0.0, "N*s/m", "of the guide across the beam"),
    REAL("drag", HK_P_NONNEGATIVE, 0.0, "N*s/m", "resistance along the beam"),
    REAL("force", 0, 0.0, "N", "drive along the beam, towards its end"),
    CHOICE("ends", "stop leave", "at the ends of the beam: stop (default), or leave: the body runs off it"),
    ROW("offset", HK_P_ANY, 0, "place [y, z] in the section of the line it runs on, seen from the line of nodes, m"),
    ROW("range", HK_P_ANY, 0, "parts [from, to] of the length between which it runs, widened to the next nodes; left out: all of it"),
    HK_PARAM_END};
/* clang-format on */

/* a slider while it is read */
typedef struct slider {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_rd_chain *b;
  const hk_entry *e;
  hk_slider_par par;
  double offset[2], at[3];
  int32_t body, first, n; /* nodes */
} slider;

static bool read_keys(slider *p, const char *who) {
  static const hk_param *const tables[] = {hki_keys_slider, NULL};
  static const char *const keys[] = {"stiffness", "damping", "drag", "force"};
  double *const to[] = {&p->par.k, &p->par.c, &p->par.drag, &p->par.force};
  hk_reader *rd = p->rd;
  const hk_node *node = p->e->value;
  int32_t ends = 0;
  if (!hki_rd_check_keys(rd, node, tables, who, p->b->e->key)) return false;
  const hk_node *offset = hki_node_get(node, "offset"), *choice = hki_node_get(node, "ends");
  p->body = hki_rd_body(rd, p->s, hki_node_get(node, "body"), "body");
  if (p->body < HK_GROUND || !hki_rd_point(rd, p->s, hki_node_get(node, "at"), "at", p->at))
    return false;
  for (int i = 0; i < 4; i++)
    if (!hki_rd_key_real(rd, p->s, node, hki_keys_slider, keys[i], to[i])) return false;
  if (choice && !hki_rd_choice(rd, choice, "ends", "stop leave", &ends)) return false;
  p->par.leave = ends == 1;
  return !offset || hki_rd_numbers(rd, p->s, offset, "offset", 2, p->offset);
}

/* the nodes between which it runs */
static bool read_range(slider *p) {
  const hk_node *v = hki_node_get(p->e->value, "range");
  const int32_t last = p->b->nbody - 1;
  double x[2] = {0.0, 1.0};
  if (v && !hki_rd_numbers(p->rd, p->s, v, "range", 2, x)) return false;
  if (!(x[0] >= 0.0 && x[0] < x[1] && x[1] <= 1.0)) {
    hki_rd_error(p->rd, v->loc, "for example [0.25, 0.75]",
                 "'range' must be two parts of the length, from 0 to 1 and rising; found %g and %g",
                 x[0], x[1]);
    return false;
  }
  p->first = (int32_t)floor(x[0] * last + 1e-9);
  p->n = (int32_t)ceil(x[1] * last - 1e-9) - p->first + 1;
  if (p->n <= HK_SLIDER_NODES) return true;
  hki_rd_error(p->rd, v ? v->loc : p->e->key_loc, "range: [0.25, 0.75]",
               "slider '%s' runs over %d nodes; at most %d", p->e->key, (int)p->n, HK_SLIDER_NODES);
  return false;
}

/* false after reporting: the body is a node of the beam, or its point is far from it */
static bool is_near(const slider *p, const hk_offset *marker) {
  const hk_node *at = hki_node_get(p->e->value, "at");
  double best = INFINITY;
  if (p->body >= p->b->body0 && p->body < p->b->body0 + p->b->nbody) {
    hki_rd_error(p->rd, hki_node_get(p->e->value, "body")->loc, "another body",
                 "slider '%s' cannot run along beam '%s', of which its body is a part", p->e->key,
                 p->b->e->key);
    return false;
  }
  // distance from the lines between its nodes
  for (int32_t i = 1; i < p->n; i++) {
    double a[3], b[3];
    v3_sub(a, p->at, marker[i].p);
    v3_sub(b, marker[i + 1].p, marker[i].p);
    v3_axpy(a, -fmin(fmax(v3_dot(a, b) / v3_dot(b, b), 0.0), 1.0), b);
    best = fmin(best, v3_norm(a));
  }
  if (best <= p->par.h) return true;
  hki_rd_error(p->rd, at->loc, "a point on the beam, or 'offset' for a line beside it",
               "the point of slider '%s' is %.3g m away from beam '%s'", p->e->key, best,
               p->b->e->key);
  return false;
}

static bool add_slider(slider *p, const hk_rd_scope *own) {
  hk_reader *rd = p->rd;
  hk_spec *spec = rd->spec;
  const int32_t n = p->n + 1;
  const double y[3] = {0.0, p->s->map.mirrored ? -p->offset[0] : p->offset[0], p->offset[1]};
  int32_t *body = hki_pool_alloc(spec->pool, (size_t)n * sizeof *body);
  hk_offset *marker = hki_pool_alloc(spec->pool, (size_t)n * sizeof *marker);
  hk_slider_par *par = hki_pool_alloc(spec->pool, sizeof *par);
  const char *name = hki_rd_full_name(rd, own, p->e->key);
  if (!body || !marker || !par || !name) return false;
  if (!HK_GROW(rd->ctx, spec->wide, rd->wide_cap, spec->nwide + 1)) return false;
  body[0] = p->body;
  m3_identity(marker[0].R);
  v3_copy(marker[0].p, p->at);
  for (int32_t i = 1; i < n; i++) {
    double d[3];
    body[i] = p->b->body0 + p->first + i - 1;
    marker[i] = spec->bodies[body[i]].frame;
    m3_mulv(d, marker[i].R, y);
    v3_add(marker[i].p, marker[i].p, d);
  }
  p->par.h = p->b->length / (p->b->nbody - 1);
  p->par.first = p->par.h * p->first;
  p->par.length = p->b->length;
  if (!is_near(p, marker)) return false;
  memcpy(par, &p->par, sizeof *par);
  spec->wide[spec->nwide++] =
      (hk_spec_wide){name, p->e->key_loc, &hki_beam_slider, par, n, body, marker, 0};
  return true;
}

bool hki_rd_sliders(hk_reader *rd, hk_rd_scope *s, const hk_rd_scope *own, const hk_rd_chain *b) {
  const hk_node *list = hki_node_get(b->e->value, "sliders");
  char who[160];
  if (!list) return true;
  if (list->kind != HK_NODE_MAPPING) {
    hki_rd_error(rd, list->loc, "sliders: {trolley: {body: cart, at: P, stiffness: 1e6}}",
                 "'sliders' of beam '%s' must be a mapping of names", b->e->key);
    return false;
  }
  for (int32_t i = 0; i < list->count; i++) {
    slider p = {.rd = rd, .s = s, .b = b, .e = &list->entries[i]};
    memset(&p.par, 0, sizeof p.par);
    snprintf(who, sizeof who, "slider '%.60s' of beam", p.e->key);
    if (!hki_rd_good_name(rd, "slider", p.e->key, p.e->key_loc, true) || !read_keys(&p, who) ||
        !read_range(&p) || !add_slider(&p, own))
      return false;
  }
  return true;
}
