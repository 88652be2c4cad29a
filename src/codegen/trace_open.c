/* SPDX-License-Identifier: Apache-2.0
 *
 * trace_open.c: the kernel's functions; a model is opened in it, and what it has is found.
 */
#include <stdio.h>
#include <string.h>

#include "codegen/trace.h"

/* numbers that the kernel's functions take (guest/guest.c) */
enum { OF_Q, OF_V, OF_A, OF_T, OF_INPUTS, OF_OUTPUTS };

hk_status hki_trace_call(hk_followed *t, const char *name, int32_t n, uint64_t a, uint64_t b,
                         uint64_t *out) {
  const hk_slot args[2] = {{.bits = a}, {.bits = b}};
  hk_slot r = {0};
  hk_status st = hki_guest_call(&t->m, hki_module_find(&t->mod, name), args, n, &r);
  if (st == HK_OK && r.node) return hki_guest_fail(&t->m, "a result that depends on the state");
  if (out) *out = r.bits;
  return st;
}

hk_status hki_trace_ask(hk_followed *t, const char *name, int32_t n, uint64_t a, uint64_t b) {
  uint64_t out = 0;
  hk_status st = hki_trace_call(t, name, n, a, b, &out);
  if (st != HK_OK || (int32_t)out == HK_OK) return st;
  if (t->m.quiet) return HK_E_MODEL;
  return hki_error(t->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                   "the model cannot become a program in C: %s",
                   t->text[0] ? t->text : "its first steps fail; try them with hooke run");
}

static uint32_t number(hk_followed *t, const char *name, uint64_t k) {
  uint64_t out = 0;
  return hki_trace_call(t, name, 1, k, 0, &out) == HK_OK ? (uint32_t)out : 0;
}

static double quantity(hk_followed *t, uint64_t k) {
  uint64_t out = 0;
  hk_slot s = {0};
  if (hki_trace_call(t, "gx_number", 1, k, 0, &out) == HK_OK) s.bits = out;
  return hki_slot_double(s);
}

/* a text in the memory of the kernel */
static const char *text_at(hk_followed *t, uint64_t at) {
  if (at >= t->m.size) return "?";
  const char *text = (const char *)t->m.mem + at, *end = memchr(text, 0, t->m.size - at);
  return end ? hki_pool_strndup(t->pool, text, (size_t)(end - text)) : "?";
}

static const char *name_of(hk_followed *t, uint64_t kind, int32_t i) {
  uint64_t at = 0;
  hk_status st = hki_trace_call(t, "gx_name", 2, kind, (uint64_t)i, &at);
  return st == HK_OK ? text_at(t, at) : "?";
}

/* inputs and outputs */
static hk_status find_variables(hk_followed *t) {
  t->u = number(t, "gx_pointer", OF_INPUTS), t->y = number(t, "gx_pointer", OF_OUTPUTS);
  t->ninputs = (int32_t)number(t, "gx_count", OF_INPUTS);
  t->noutputs = (int32_t)number(t, "gx_count", OF_OUTPUTS);
  t->input_names = hki_pool_alloc(t->pool, ((size_t)t->ninputs + 1) * sizeof *t->input_names);
  t->output_names = hki_pool_alloc(t->pool, ((size_t)t->noutputs + 1) * sizeof *t->output_names);
  t->outputs = hki_pool_alloc(t->pool, ((size_t)t->noutputs + 1) * sizeof *t->outputs);
  t->shows = hki_pool_alloc(t->pool, ((size_t)t->noutputs + 1) * sizeof *t->shows);
  if (!t->input_names || !t->output_names || !t->outputs || !t->shows) return HK_E_MEMORY;
  for (int32_t i = 0; i < t->ninputs; i++) t->input_names[i] = name_of(t, OF_INPUTS, i);
  for (int32_t i = 0; i < t->noutputs; i++) t->output_names[i] = name_of(t, OF_OUTPUTS, i);
  return HK_OK;
}

/* the arrays of the library's state (simulation/state.c) */
static hk_status find_sections(hk_followed *t) {
  uint64_t n = 0, at = 0, bytes = 0;
  hk_status st = hki_trace_call(t, "gx_section", 2, UINT32_MAX, 0, &n);
  for (uint64_t k = 0; k < n && k < HK_TRACE_SECTIONS && st == HK_OK; k++) {
    st = hki_trace_call(t, "gx_section", 2, k, 0, &at);
    if (st == HK_OK) st = hki_trace_call(t, "gx_section", 2, k, 1, &bytes);
    t->sections[k].at = (uint32_t)at, t->sections[k].bytes = (uint32_t)bytes;
    t->nsections = (int32_t)k + 1;
  }
  return st;
}

/* blocks of numbers that belong to the state */
static hk_status find_blocks(hk_followed *t) {
  hk_status st = HK_OK;
  for (uint64_t k = 0; k < HK_TRACE_BLOCKS && st == HK_OK; k++) {
    uint64_t at = 0, n = 0;
    st = hki_trace_call(t, "gx_block", 2, k, 0, &at);
    if (st == HK_OK) st = hki_trace_call(t, "gx_block", 2, k, 1, &n);
    if (st != HK_OK || !at) break;
    t->blocks[t->nblocks++] = (hk_trace_block){(uint32_t)at, (int32_t)n};
  }
  return st;
}

bool hki_trace_place(const hk_followed *t, uint32_t at, int32_t *block, int32_t *place) {
  for (int32_t k = 0; k < t->nblocks; k++) {
    const hk_trace_block *b = &t->blocks[k];
    if (at < b->at || at >= b->at + 8 * (uint32_t)b->n || (at - b->at) % 8) continue;
    *block = k, *place = (int32_t)(at - b->at) / 8;
    return true;
  }
  return false;
}

hk_status hki_trace_open(hk_followed *t, const char *bundle, size_t n) {
  uint64_t at = 0;
  hk_status st = hki_trace_call(t, "__wasm_call_ctors", 0, 0, 0, NULL);
  if (st == HK_OK && t->whole) st = hki_trace_call(t, "gx_whole", 1, t->audited, 0, NULL);
  if (st == HK_OK) st = hki_trace_call(t, "gx_alloc", 1, n, 0, &at);
  if (st == HK_OK && (at == 0 || at + n > t->m.size)) st = HK_E_MEMORY;
  if (st != HK_OK) return st;
  memcpy(t->m.mem + at, bundle, n);
  st = hki_trace_ask(t, "gx_open", 2, at, n);
  if (st != HK_OK) return st;
  t->q = number(t, "gx_pointer", OF_Q), t->v = number(t, "gx_pointer", OF_V);
  t->a = number(t, "gx_pointer", OF_A), t->t = number(t, "gx_pointer", OF_T);
  t->nq = (int32_t)number(t, "gx_count", OF_Q), t->nv = (int32_t)number(t, "gx_count", OF_V);
  t->m.advice = text_at(t, number(t, "gx_advice", 0));
  t->step = quantity(t, 0), t->tolerance = quantity(t, 1), t->max_iter = (int32_t)quantity(t, 2);
  st = find_sections(t);
  if (st == HK_OK) st = find_variables(t);
  return st == HK_OK && t->whole ? find_blocks(t) : st;
}
