/* SPDX-License-Identifier: Apache-2.0
 *
 * write.c: the files of an exported program. Their parts that are the same for every model stand in prelude.c; `$` in
 * these stands for the name of the program.
 */
#include "codegen/write.h"

#include <math.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/functions.h"
#include "codegen/prelude.h"
#include "codegen/setup.h"

/* a text with the program's name in the place of $ */
static void put(hk_text *out, const char *text, const char *name) {
  for (const char *s = text; *s; s++) {
    if (*s == '$')
      hki_text_add(out, name);
    else
      hki_text_addn(out, s, 1);
  }
}

/* a text of the model inside of a comment or between quotes: nothing that ends them */
void hki_write_plain(hk_text *out, const char *text) {
  for (const char *s = text; s && *s; s++) {
    const bool ends = *s == '"' || *s == '\\' || *s == '*' || (unsigned char)*s < ' ';
    hki_text_addn(out, ends ? " " : s, 1);
  }
}

void hki_write_title(const hk_program *what, hk_text *out) {
  hki_text_add(out, "/* ");
  hki_write_plain(out, what->title);
  hki_text_printf(out, "\n * Made by Hooke %s: %s, %s. */\n", what->version, what->formulation,
                  what->integrator);
}

int32_t hki_write_number(const hk_plan *p, uint32_t at) {
  const hk_trace_state *s = hki_trace_state(p->t, at);
  return s ? s->number : -1;
}

void hki_write_header(const hk_plan *p, const hk_program *what, hk_text *out) {
  const hk_followed *t = p->t;
  hki_write_title(what, out);
  put(out, "#ifndef $_H\n#define $_H\n\n", what->name);
  const struct {
    const char *name, *text;
    int32_t n;
  } numbers[] = {
      {"STATES", "numbers of the state", p->nx},
      {"COORDINATES", "of them coordinates, from 0 on", t->nq},
      {"VELOCITIES", "and velocities, behind the coordinates; accelerations follow", t->nv},
      {"INPUTS", "", t->ninputs},
      {"PARAMETERS", "", t->setup ? t->setup->n : 0},
      {"OUTPUTS", "", t->noutputs},
  };
  hki_text_add(out, "enum {\n");
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    hki_text_printf(out, "  %s_%s = %d%s", what->name, numbers[i].name, numbers[i].n,
                    i < 5 ? "," : "");
    hki_text_printf(out, *numbers[i].text ? " /* %s */\n" : "%s\n", numbers[i].text);
  }
  hki_text_add(out, "};\n");
  hki_text_printf(out, "#define %s_STEP %.17g /* s */\n", what->name, t->step);
  put(out, hki_prelude_header, what->name);
}

static void put_names(hk_text *out, const char *name, const char *of, const char *const *list,
                      int32_t n) {
  if (n == 0) {
    hki_text_printf(out, "const char *%s_%s_name(int i) { return (void)i, (const char *)0; }\n\n",
                    name, of);
    return;
  }
  hki_text_printf(out, "const char *%s_%s_name(int i) {\n  static const char *const names[] = {",
                  name, of);
  for (int32_t i = 0; i < n; i++) {
    hki_text_add(out, i ? ",\n    \"" : "\"");
    hki_write_plain(out, list[i]);
    hki_text_add(out, "\"");
  }
  hki_text_printf(out, "};\n  return i >= 0 && i < %d ? names[i] : 0;\n}\n\n", n);
}

void hki_write_start(const hk_plan *p, hk_text *out) {
  const hk_followed *t = p->t;
  hki_text_printf(out, "static const double hkx_start[%d] = {\n    ", p->nx);
  for (int32_t i = 0; i < p->nx; i++) {
    const hk_trace_state *s = &t->states[p->cell[i]];
    hki_text_add(out, i == 0 ? "" : i % 5 ? ", " : ",\n    ");
    if (isfinite(s->start))
      hki_text_printf(out, "%.17g", s->start);
    else // a number that is not known yet
      hki_text_add(out, isnan(s->start) ? "HKX_NAN" : s->start > 0.0 ? "HKX_INF" : "-HKX_INF");
  }
  hki_text_add(out, "};\n\n");
}

/* parameters that are kept, and what follows from them */
static void put_parameters(const hk_plan *p, const hk_program *what, hk_text *out) {
  const hk_setup *s = p->t->setup;
  if (!s) {
    put(out, hki_prelude_no_parameters, what->name);
    put_names(out, what->name, "parameter", NULL, 0);
    return;
  }
  hki_text_printf(out, "enum { HKX_PARAMETER = %d, HKX_HELD = %d, HKX_FOLLOW = %d };\n",
                  hki_write_number(p, HK_SETUP_AT), s->nheld, s->nfollow + 1);
  hki_text_printf(out, "static const int hkx_follow[%d] = {0", s->nfollow + 1);
  for (int32_t i = 0; i < s->nfollow; i++)
    hki_text_printf(out, i % 16 ? ", %d" : ",\n    %d", s->follow[i]);
  hki_text_add(out, "};\n\nstatic void hkx_derive(const double *x, double *y) {\n");
  hki_emit_outputs(s->plan, true, out);
  hki_text_add(out, "}\n\n");
  put(out, hki_prelude_parameters, what->name);
  put_names(out, what->name, "parameter", s->names, s->n);
}

void hki_write_source(const hk_plan *p, const hk_program *what, hk_text *out) {
  const hk_followed *t = p->t;
  hki_write_title(what, out);
  put(out, hki_prelude_source, what->name);
  hki_functions_write(p, out);
  if (p->npacks) {
    put(out, hki_prelude_pairs, what->name), put(out, hki_prelude_fours, what->name);
    hki_functions_write_packs(p, out);
  }
  // of a run some numbers are not known at first: of its audit, of laws that remember
  hki_text_printf(out, "enum { HKX_N = %d, HKX_MOST = %d, HKX_FINITE = %d };\n", p->nx, t->max_iter,
                  t->whole ? t->nq + 2 * t->nv : p->nx);
  hki_text_printf(out, "#define HKX_TOLERANCE %.17g\n\n", t->tolerance);
  if (t->nloops) put(out, hki_prelude_iteration, what->name);
  // what is the same in every program goes first: its names hide none of this one
  if (what->header)
    hki_text_printf(out, "#include \"%s\"\n", what->header);
  else
    hki_text_printf(out, "#include \"%s.h\"\n", what->name);
  hki_text_add(out, "\n");
  hki_emit_tables(p, out);
  hki_write_start(p, out);
  put(out, "int $_step($ *m) {\n  HKX_HEAD\n", what->name);
  hki_emit_step(p, true, out);
  hki_text_add(out, "  HKX_TAIL\n}\n\n");
  put(out,
      "void $_outputs(const $ *m, double *y) {\n  const double *x = m->x;\n  (void)x, (void)y;\n",
      what->name);
  hki_emit_outputs(p, true, out);
  hki_text_add(out, "}\n\n");
  hki_text_printf(out, "enum { HKX_TIME = %d, HKX_INPUT = %d };\n", hki_write_number(p, t->t),
                  t->ninputs ? hki_write_number(p, t->u) : 0);
  put(out, hki_prelude_functions, what->name);
  put_parameters(p, what, out);
  put_names(out, what->name, "input", t->input_names, t->ninputs);
  put_names(out, what->name, "output", t->output_names, t->noutputs);
}
