/* SPDX-License-Identifier: Apache-2.0
 *
 * write_run.c: a program that takes the steps of a run in the place of the library, as one text.
 */
#include <string.h>

#include "codegen/write.h"

/* Iterations that the library does not go on with in the plain way (stage/newton.c) are left to it: those that stall near the tolerance, which
 * it counts; long ones, in which it looks for cycles; those that lead far away; and slow ones, where the formulation has another tangent. */
static const char before[] =
    "#define HKX_STALLED (l->turn = -5, 0)\n"
    "#define HKX_STRANGE \\\n"
    "  l->turn > 6 || (size > 1e3 * l->first && size > 1e-4) || \\\n"
    "      (HKX_CHOICE && hkx_slow(l->turn, size, size / before, l->enough))\n"
    "static inline int hkx_slow(int turn, double size, double rate, double enough) {\n"
    "  const double r2 = rate * rate, r4 = r2 * r2;\n"
    "  return turn > 1 && rate > (turn == 2 ? 0.5 : 0.25) &&\n"
    "         (rate >= 1.0 || size * r4 * r4 > enough);\n"
    "}\n";

static void put_table(hk_text *out, const char *name, const int32_t *x, int32_t n) {
  hki_text_printf(out, "const int hkr_%s[%d] = {", name, n ? n : 1);
  for (int32_t i = 0; i < n; i++) hki_text_printf(out, i % 24 ? "%d," : "\n    %d,", x[i]);
  hki_text_add(out, n ? "};\n" : "0};\n");
}

/* Is number i the same as number k after every step: a copy that some machine keeps? */
static bool is_copy(const hk_plan *p, int32_t i, int32_t k) {
  const hk_slot *a = &p->t->states[p->cell[i]].final, *b = &p->t->states[p->cell[k]].final;
  return a->node && a->node == b->node;
}

void hki_run_place(const hk_plan *p, int32_t i, int32_t *block, int32_t *place) {
  const hk_followed *t = p->t;
  const uint32_t at = t->states[p->cell[i]].at;
  *block = HK_RUN_OWN, *place = 0;
  if (hki_trace_place(t, at, block, place)) return;
  for (int32_t k = 0; k < p->nx; k++)
    if (is_copy(p, i, k) && hki_trace_place(t, t->states[p->cell[k]].at, block, place)) return;
  if (at >= t->u && at < t->u + 8 * (uint32_t)t->ninputs)
    *block = HK_RUN_INPUT, *place = (int32_t)(at - t->u) / 8;
}

static void put_tables(const hk_plan *p, hk_text *out) {
  const hk_followed *t = p->t;
  int32_t sizes[HK_TRACE_BLOCKS];
  int32_t *block = hki_pool_alloc(t->pool, 2 * ((size_t)p->nx + 1) * sizeof *block);
  if (!block) {
    out->failed = true;
    return;
  }
  int32_t *place = block + p->nx;
  for (int32_t i = 0; i < t->nblocks; i++) sizes[i] = t->blocks[i].n;
  for (int32_t i = 0; i < p->nx; i++) hki_run_place(p, i, &block[i], &place[i]);
  put_table(out, "layout",
            (const int32_t[]){HK_RUN_LAYOUT, p->nx, t->nblocks, t->noutputs, t->audited}, 5);
  put_table(out, "blocks", sizes, t->nblocks);
  put_table(out, "block", block, p->nx);
  put_table(out, "place", place, p->nx);
}

void hki_write_run(const hk_plan *p, const hk_program *what, hk_text *out) {
  static const char include[] = "#include \"hkr.h\"\n";
  hk_program run = *what;
  hk_text source;
  run.name = "hkr";
  hki_text_init(&source, out->ctx);
  hki_write_source(p, &run, &source);
  // the header stands in its place
  const char *at = source.failed ? NULL : strstr(source.s, include);
  if (at) {
    hki_text_printf(out, "#define HKX_CHOICE %d\n", what->choice);
    hki_text_add(out, before);
    hki_text_addn(out, source.s, (size_t)(at - source.s));
    hki_write_header(p, &run, out);
    hki_text_add(out, at + sizeof include - 1);
    put_tables(p, out);
  } else {
    out->failed = true;
  }
  hki_text_free(&source);
}
