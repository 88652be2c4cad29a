/* SPDX-License-Identifier: Apache-2.0
 *
 * write_lanes.c: a step for several worlds at once as a file of C, for batches (src/batch). It ends with a table of what it has,
 * `hooke_batch`, which says of each number of the state where it is in the state of the library's simulations.
 */
#include "codegen/emit.h"
#include "codegen/functions.h"
#include "codegen/prelude.h"
#include "codegen/setup.h"
#include "codegen/write.h"

/* in which array of the library's state a cell is, and where; -1: in none; -2: it is the time */
static void put_place(const hk_followed *t, uint32_t at, hk_text *out) {
  int32_t section = at == t->t ? -2 : -1;
  uint32_t number = 0;
  for (int32_t k = 0; k < t->nsections && section == -1; k++) {
    if (at < t->sections[k].at || at >= t->sections[k].at + t->sections[k].bytes) continue;
    section = k, number = (at - t->sections[k].at) / 8;
  }
  hki_text_printf(out, "%d, %u", section, number);
}

static void put_places(const hk_plan *p, hk_text *out) {
  const hk_followed *t = p->t;
  hki_text_printf(out, "static const int hkx_sections[%d] = {%d", t->nsections + 1, t->nsections);
  for (int32_t k = 0; k < t->nsections; k++) hki_text_printf(out, ", %u", t->sections[k].bytes);
  hki_text_printf(out, "};\nstatic const int hkx_place[%d] = {", 2 * p->nx);
  for (int32_t i = 0; i < p->nx; i++) {
    hki_text_add(out, i == 0 ? "" : i % 8 ? ", " : ",\n    ");
    put_place(t, t->states[p->cell[i]].at, out);
  }
  hki_text_add(out, "};\n\n");
}

static void put_names(hk_text *out, const char *of, const char *const *list, int32_t n) {
  hki_text_printf(out, "static const char *const hkx_%s[] = {", of);
  for (int32_t i = 0; i < n; i++) {
    hki_text_add(out, i ? ",\n    \"" : "\"");
    hki_write_plain(out, list[i]);
    hki_text_add(out, "\"");
  }
  hki_text_add(out, n ? "};\n" : "0};\n");
}

/* numbers that follow from parameters (setup.h) */
static void put_parameters(const hk_plan *p, hk_text *out) {
  const hk_setup *s = p->t->setup;
  const int32_t n = s ? s->nfollow : 0;
  hki_text_printf(out, "static const int hkx_following[%d] = {0", n + 1);
  for (int32_t i = 0; i < n; i++) hki_text_printf(out, i % 16 ? ", %d" : ",\n    %d", s->follow[i]);
  hki_text_add(out, "};\n\nstatic void hkx_derive(const double *x, double *y) {\n"
                    "  (void)x, (void)y;\n");
  if (s) hki_emit_outputs(s->plan, false, out);
  hki_text_add(out, "}\n\n");
}

static void put_table(const hk_plan *p, hk_text *out) {
  const hk_followed *t = p->t;
  hki_text_add(out, hki_prelude_lanes_table);
  put_names(out, "inputs", t->input_names, t->ninputs);
  put_names(out, "outputs", t->output_names, t->noutputs);
  put_places(p, out);
  put_parameters(p, out);
  const hk_setup *s = t->setup;
  hki_text_printf(
      out,
      "extern const hkx_program hooke_batch;\n"
      "const hkx_program hooke_batch = {\n    1, HKX_W, %d, %d, %d, %d, %d, %d, %d, %d, "
      "%d, %d, %d, %.17g,\n    hkx_start, hkx_sections, hkx_place, hkx_inputs, "
      "hkx_outputs,\n    hkx_take, hkx_show, hkx_following, hkx_derive};\n",
      p->nx, t->nq, t->nv, t->ninputs, t->noutputs, s ? s->n : 0, s ? s->nheld : 0,
      s ? s->nfollow : 0, hki_write_number(p, t->t), t->ninputs ? hki_write_number(p, t->u) : 0,
      s ? hki_write_number(p, HK_SETUP_AT) : 0, t->step);
}

void hki_write_lanes(const hk_plan *p, const hk_program *what, hk_text *out) {
  const hk_followed *t = p->t;
  hki_write_title(what, out);
  hki_text_add(out, hki_prelude_lanes);
  hki_text_add(out, hki_prelude_lanes_vectors);
  hki_text_add(out, hki_prelude_lanes_functions);
  hki_functions_write(p, out);
  hki_text_printf(out, "enum { HKX_N = %d, HKX_MOST = %d };\n", p->nx, t->max_iter);
  hki_text_printf(out, "#define HKX_TOLERANCE %.17g\n\n", t->tolerance);
  if (t->nloops) hki_text_add(out, hki_prelude_lanes_iteration);
  hki_emit_tables(p, out);
  hki_write_start(p, out);
  hki_text_add(
      out,
      "static void hkx_take(double *x, const long long *alive, long long *result) {\n  HKX_HEAD\n");
  hki_emit_step(p, false, out);
  hki_text_add(out, "  HKX_TAIL\n}\n\nstatic void hkx_show(const double *x, double *y) {\n"
                    "  (void)x, (void)y;\n");
  hki_emit_outputs(p, false, out);
  hki_text_add(out, "}\n\n");
  put_table(p, out);
}
