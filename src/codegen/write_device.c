/* SPDX-License-Identifier: Apache-2.0
 *
 * write_device.c: a traced step as a program for graphics processors: the step and the outputs as functions of one world,
 * in the words of the program in C (prelude.c), and the kernels that call them (prelude_device.c).
 */
#include <float.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/functions.h"
#include "codegen/prelude.h"
#include "codegen/write.h"

/* A text of the program in C whose functions and tables are the device's. What it includes is there already. */
static void put_for_device(hk_text *out, const char *text) {
  static const struct {
    const char *from, *to;
  } words[] = {{"#include <math.h>\n", ""},
               {"#define HKX_FN static inline __attribute__((unused))\n", ""},
               {"#define HKX_FN static inline\n", ""},
               {"static inline ", "HKX_FN "},
               {"\nstatic const ", "\nHKX_TABLE "}};
  const size_t nwords = sizeof words / sizeof words[0];
  for (const char *s = text; *s;) {
    size_t k = 0;
    while (k < nwords && strncmp(s, words[k].from, strlen(words[k].from)) != 0) k++;
    if (k < nwords) {
      hki_text_add(out, words[k].to);
      s += strlen(words[k].from);
    } else {
      hki_text_addn(out, s++, 1);
    }
  }
}

static void put_start(const hk_plan *p, hk_text *out) {
  hki_text_printf(out, "HKX_TABLE double hkx_start[%d] = {\n    ", p->nx);
  for (int32_t i = 0; i < p->nx; i++)
    hki_text_printf(out, "%s%.17g",
                    i == 0  ? ""
                    : i % 5 ? ", "
                            : ",\n    ",
                    p->t->states[p->cell[i]].start);
  hki_text_add(out, "};\n\n");
}

/* what is where, for whoever calls the kernels */
static void put_contents(const hk_plan *p, bool single, hk_text *out) {
  const hk_followed *t = p->t;
  hki_text_printf(
      out,
      "// states %d, coordinates %d, velocities %d, inputs %d, outputs %d, time %d, step "
      "%.17g, %s\n",
      p->nx, t->nq, t->nv, t->ninputs, t->noutputs, hki_write_number(p, t->t), t->step,
      single ? "single" : "double");
  for (int32_t i = 0; i < t->ninputs; i++)
    hki_text_printf(out, "// input %d ", i), hki_write_plain(out, t->input_names[i]),
        hki_text_add(out, "\n");
  for (int32_t i = 0; i < t->noutputs; i++)
    hki_text_printf(out, "// output %d ", i), hki_write_plain(out, t->output_names[i]),
        hki_text_add(out, "\n");
}

/* Corrections of single precision do not get smaller than a few of its last bits. */
static double tolerance(const hk_plan *p, bool single) {
  const double least = 64.0 * (double)FLT_EPSILON;
  return single && p->t->tolerance < least ? least : p->t->tolerance;
}

/* the step as one function of one world */
static void put_step(const hk_plan *p, hk_text *out) {
  hki_text_add(out, hki_prelude_device_step);
  hki_text_add(out, "HKX_FN int hkx_step(const HKX_REAL *now, HKX_REAL *next, long long stride) {\n"
                    "  HKX_HEAD\n");
  hki_emit_step(p, true, out);
  hki_text_add(out, "  HKX_TAIL\n}\n");
  hki_text_add(out, hki_prelude_device_advance);
}

/* the step as one function for each of the warps that share it */
static void put_warps(const hk_plan *p, const hk_split *s, hk_text *out) {
  hki_text_printf(out, "// warps %d, numbers %d\n", s->warps, hki_split_numbers(p, s));
  hki_text_printf(out, "enum { HKX_WARPS = %d, HKX_CELLS = %d, HKX_NUMBERS = %d };\n", s->warps,
                  s->ncells, hki_split_numbers(p, s));
  hki_text_add(out, hki_prelude_warps);
  hki_text_add(out, hki_prelude_warps_words);
  if (p->t->nloops) hki_text_add(out, hki_prelude_warps_loop);
  for (int32_t w = 0; w < s->warps; w++) {
    hki_text_printf(out, "HKX_WARP hkx_step_%d(const hkx_place *m, int live) {\n  HKX_WARP_HEAD\n",
                    w);
    hki_emit_warp(p, s, w, out);
    hki_text_add(out, "  HKX_WARP_TAIL\n}\n");
  }
  hki_text_add(out, "HKX_FN int hkx_step(const hkx_place *m, int live) {\n  switch (m->warp) {\n");
  for (int32_t w = 1; w < s->warps; w++)
    hki_text_printf(out, "    case %d: return hkx_step_%d(m, live);\n", w, w);
  hki_text_add(out, "    default: return hkx_step_0(m, live);\n  }\n}\n");
  hki_text_add(out, hki_prelude_warps_advance);
}

void hki_write_device(const hk_plan *p, const hk_split *split, const hk_program *what, bool single,
                      hk_text *out) {
  const hk_followed *t = p->t;
  hki_write_title(what, out);
  put_contents(p, single, out);
  hki_text_add(out, hki_prelude_device_head);
  put_for_device(out, hki_prelude_source);
  if (single)
    hki_functions_write(p, out);
  else
    hki_functions_write_fixed(p, out);
  hki_text_printf(
      out,
      "enum { HKX_N = %d, HKX_MOST = %d, HKX_OUTPUTS = %d, HKX_INPUTS = %d, HKX_INPUT = %d };\n",
      p->nx, t->max_iter, t->noutputs, t->ninputs, t->ninputs ? hki_write_number(p, t->u) : 0);
  hki_text_printf(out, "#define HKX_TOLERANCE %.17g\n\n", tolerance(p, single));
  if (t->nloops) put_for_device(out, hki_prelude_iteration);
  hki_text_add(out, single ? hki_prelude_device_single : hki_prelude_device_double);
  hki_text_add(out, hki_prelude_device_world);
  hki_emit_tables(p, out);
  put_start(p, out);
  hki_text_add(out, "HKX_FN void hkx_outputs(const hkx_world *m, HKX_REAL *y, long long stride) {\n"
                    "  const HKX_R *x = m->x;\n  (void)x, (void)y, (void)stride;\n");
  hki_emit_outputs(p, true, out);
  hki_text_add(out, "}\n");
  hki_text_add(out, hki_prelude_device_kernels);
  if (split)
    put_warps(p, split, out);
  else
    put_step(p, out);
}
