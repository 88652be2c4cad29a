/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c: small programs of WebAssembly whose branches depend on a number that is known by name only: what is left
 * of them has the values of both ways.
 */
#include <check.h>
#include <string.h>

#include "../runner.h"
#include "codegen/machine.h"

/* --- a module with one function of an address, f(at): a number --------------------------------- */

enum { MOST = 256, STACK = 65536, AT = 70000 };

typedef struct bytes {
  uint8_t b[MOST];
  size_t n;
} bytes;

static void put(bytes *to, const uint8_t *b, size_t n) {
  ck_assert_uint_le(to->n + n, MOST);
  memcpy(to->b + to->n, b, n);
  to->n += n;
}
#define PUT(to, ...) put(to, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* `code`: of the body, with its end; it has a whole number and a number with a point of its own */
static bytes module_of(const bytes *code) {
  bytes m = {0};
  PUT(&m, 0, 'a', 's', 'm', 1, 0, 0, 0);
  PUT(&m, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7c);                       // type: i32 -> f64
  PUT(&m, 3, 2, 1, 0);                                            // one function of it
  PUT(&m, 5, 3, 1, 0, 2);                                         // two pages of memory
  PUT(&m, 6, 8, 1, 0x7f, 1, 0x41, 0x80, 0x80, 4, 0x0b);           // the stack ends at 65536
  PUT(&m, 10, (uint8_t)(code->n + 7), 1, (uint8_t)(code->n + 5)); // its body
  PUT(&m, 2, 1, 0x7f, 1, 0x7c);
  put(&m, code->b, code->n);
  return m;
}

typedef struct bench {
  hk_ctx *ctx;
  bytes code;
  hk_module mod;
  hk_graph g;
  hk_guest m;
  hk_node x;
  hk_slot out;
} bench;

/* calls f(AT), where the number at AT is called x; it is `example` */
static hk_status try_call(bench *b, const bytes *body, double example) {
  b->code = module_of(body);
  b->ctx = hk_ctx_create();
  ck_assert_int_eq(hki_module_read(b->ctx, hki_ctx_pool(b->ctx), b->code.b, b->code.n, &b->mod),
                   HK_OK);
  ck_assert_int_eq(hki_graph_create(b->ctx, &b->g), HK_OK);
  ck_assert_int_eq(hki_guest_create(b->ctx, &b->mod, &b->g, &b->m), HK_OK);
  hk_slot x = hki_slot_of(example);
  x.node = b->x = hki_graph_load(&b->g, AT);
  ck_assert_int_eq(hki_cells_store(&b->m, AT, 8, x), HK_OK);
  const hk_slot at = {.bits = AT};
  return hki_guest_call(&b->m, 0, &at, 1, &b->out);
}

static void call(bench *b, const bytes *body, double example) {
  ck_assert_int_eq(try_call(b, body, example), HK_OK);
}

static void end(bench *b) {
  hki_guest_destroy(&b->m);
  hki_graph_destroy(&b->g);
  hk_ctx_destroy(b->ctx);
}

/* what a node is at x */
static double at(const bench *b, hk_node n, double x) {
  const hk_graph_node *g = hki_graph_at(&b->g, n);
  const double u = g->a[0] ? at(b, g->a[0], x) : 0.0, v = g->a[1] ? at(b, g->a[1], x) : 0.0;
  switch (g->op) {
    case HK_G_CONST:
      return g->value;
    case HK_G_INT:
      return (double)g->number;
    case HK_G_LOAD:
      return x;
    case HK_G_ADD:
      return u + v;
    case HK_G_MUL:
      return u * v;
    case HK_G_LT:
      return u < v;
    case HK_G_NOT:
      return !(u != 0.0);
    case HK_G_AND:
      return u != 0.0 && v != 0.0;
    case HK_G_OR:
      return u != 0.0 || v != 0.0;
    case HK_G_SELECT:
    case HK_G_CHOICE:
      return u != 0.0 ? v : at(b, g->a[2], x);
    default:
      ck_abort_msg("operation %d", g->op);
  }
}

/* --- pieces of bodies --------------------------------------------------------------------------- */

/* p = stack -= 16 */
static void begin(bytes *c) { PUT(c, 0x23, 0, 0x41, 16, 0x6b, 0x22, 1, 0x24, 0); }
/* stack = p + 16 */
static void leave(bytes *c) { PUT(c, 0x20, 1, 0x41, 16, 0x6a, 0x24, 0); }
/* *at < 0, as a branch to the end of the block around it */
static void branch_below_zero(bytes *c) {
  PUT(c, 0x20, 0, 0x2b, 3, 0, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x63, 0x0d, 0);
}

/* --- calls that end in one way ------------------------------------------------------------------ */

/* double p[2]; p[0] = *at; if (*at < 0) return 2; return p[0];
 * Both returns give the memory of the call back. */
START_TEST(a_call_that_ends_in_one_way) {
  bytes c = {0};
  begin(&c);
  PUT(&c, 0x20, 1, 0x20, 0, 0x2b, 3, 0, 0x39, 3, 0); // p[0] = *at
  PUT(&c, 0x02, 0x40);
  branch_below_zero(&c);
  PUT(&c, 0x20, 1, 0x2b, 3, 0, 0x21, 2);
  leave(&c);
  PUT(&c, 0x20, 2, 0x0f, 0x0b);
  leave(&c);
  PUT(&c, 0x44, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x0b);
  bench b;
  call(&b, &c, 7.0);
  ck_assert_uint_ne(b.out.node, 0);
  const hk_graph_node *r = hki_graph_at(&b.g, b.out.node);
  ck_assert_int_eq(r->op, HK_G_SELECT);
  ck_assert_int_eq(hki_graph_at(&b.g, r->a[0])->op, HK_G_LT);
  ck_assert_double_eq(hki_graph_at(&b.g, r->a[1])->value, 2.0);
  // not the number of the example
  ck_assert_uint_eq(r->a[2], b.x);
  // what the call had in its memory is nobody's
  hk_slot left;
  ck_assert_int_eq(hki_cells_load(&b.m, STACK - 16, 8, &left), HK_OK);
  ck_assert_uint_eq(left.node, 0);
  end(&b);
}
END_TEST

/* --- values of different sizes ------------------------------------------------------------------ */

/* p[0] = 0, p[1] = 0 by one store of eight bytes, then p[0] = *at < 1 */
static void clear_and_fill(bytes *c) {
  PUT(c, 0x20, 1, 0x42, 0, 0x37, 3, 0, 0x20, 1);
  PUT(c, 0x20, 0, 0x2b, 3, 0, 0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x63, 0x36, 2, 0);
}

/* int p[2] = {3, 5}; one way clears it and fills its first number; return p[0] + 100 p[1].
 * _i 0: the way that is followed last does, 1: the one that is followed first */
START_TEST(a_struct_that_one_way_clears) {
  bytes c = {0};
  begin(&c);
  PUT(&c, 0x20, 1, 0x41, 3, 0x36, 2, 0, 0x20, 1, 0x41, 5, 0x36, 2, 4);
  if (_i) PUT(&c, 0x02, 0x40);
  PUT(&c, 0x02, 0x40);
  branch_below_zero(&c);
  if (_i) PUT(&c, 0x0c, 1, 0x0b);
  clear_and_fill(&c);
  PUT(&c, 0x0b);
  PUT(&c, 0x20, 1, 0x28, 2, 0, 0xb7, 0x20, 1, 0x28, 2, 4, 0xb7);
  PUT(&c, 0x44, 0, 0, 0, 0, 0, 0, 0x59, 0x40, 0xa2, 0xa0, 0x21, 2);
  leave(&c);
  PUT(&c, 0x20, 2, 0x0b);
  bench b;
  call(&b, &c, 7.0);
  ck_assert_uint_ne(b.out.node, 0);
  ck_assert_double_eq(at(&b, b.out.node, -1.0), _i ? 1.0 : 503.0);
  ck_assert_double_eq(at(&b, b.out.node, 0.5), _i ? 503.0 : 1.0);
  ck_assert_double_eq(at(&b, b.out.node, 2.0), _i ? 503.0 : 0.0);
  end(&b);
}
END_TEST

/* --- the example -------------------------------------------------------------------------------- */

/* p[0] = 2; if (*at >= 0) p[0] = 3.5; return *at < 0 ? p[0] + 1 : p[0]: whatever is followed last, the number that goes along is that of the
 * example */
START_TEST(numbers_of_the_example) {
  static const double example[] = {-1.0, 7.0}, result[] = {3.0, 3.5};
  bytes c = {0};
  begin(&c);
  PUT(&c, 0x20, 1, 0x44, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x39, 3, 0, 0x02, 0x40); // p[0] = 2
  branch_below_zero(&c);
  PUT(&c, 0x20, 1, 0x44, 0, 0, 0, 0, 0, 0, 0x0c, 0x40, 0x39, 3, 0, 0x0b); // p[0] = 3.5
  PUT(&c, 0x20, 1, 0x2b, 3, 0, 0x21, 2, 0x02, 0x40, 0x02, 0x40);
  branch_below_zero(&c);
  PUT(&c, 0x0c, 1, 0x0b);
  PUT(&c, 0x20, 2, 0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0xa0, 0x21, 2, 0x0b); // and 1 more
  leave(&c);
  PUT(&c, 0x20, 2, 0x0b);
  bench b;
  call(&b, &c, example[_i]);
  ck_assert_uint_ne(b.out.node, 0);
  ck_assert_double_eq(hki_slot_double(b.out), result[_i]);
  ck_assert_double_eq(at(&b, b.out.node, example[_i]), result[_i]);
  ck_assert_double_eq(at(&b, b.out.node, example[!_i]), result[!_i]);
  end(&b);
}
END_TEST

/* --- what a way knows --------------------------------------------------------------------------- */

/* if (*at >= 0) if (*at < 0) (void)*(double *)-8; return *at: no step takes the way that leads outside of memory */
START_TEST(a_way_that_cannot_be_taken) {
  bytes c = {0};
  PUT(&c, 0x02, 0x40);
  branch_below_zero(&c);
  PUT(&c, 0x02, 0x40, 0x20, 0, 0x2b, 3, 0, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x63, 0x45, 0x0d, 0);
  PUT(&c, 0x41, 0x78, 0x2b, 3, 0, 0x1a, 0x0b, 0x0b, 0x20, 0, 0x2b, 3, 0, 0x0b);
  bench b;
  call(&b, &c, 7.0);
  ck_assert_uint_eq(b.out.node, b.x);
  end(&b);
}
END_TEST

/* conditions that those of the ways around imply */
START_TEST(what_follows_on_a_way) {
  hk_ctx *ctx = hk_ctx_create();
  hk_graph g;
  ck_assert_int_eq(hki_graph_create(ctx, &g), HK_OK);
  hk_node c[4], zero = hki_graph_const(&g, 0.0);
  for (uint32_t i = 0; i < 4; i++)
    c[i] = hki_graph_op(&g, HK_G_LT, hki_graph_load(&g, AT + 8 * i), zero, 0);
  const hk_node not1 = hki_graph_op(&g, HK_G_NOT, c[1], 0, 0);
  const hk_node either = hki_graph_op(&g, HK_G_OR, c[2], c[1], 0),
                both = hki_graph_op(&g, HK_G_AND, c[0], c[3], 0);
  ck_assert_int_eq(hki_graph_known(&g, c[0]), HK_KNOWN_NOT);
  hki_graph_enter(&g, hki_graph_op(&g, HK_G_AND, c[0], not1, 0), false);
  ck_assert_int_eq(hki_graph_known(&g, c[0]), HK_KNOWN_TRUE);
  ck_assert_int_eq(hki_graph_known(&g, c[1]), HK_KNOWN_FALSE);
  ck_assert_int_eq(hki_graph_known(&g, not1), HK_KNOWN_TRUE);
  ck_assert_int_eq(hki_graph_known(&g, either), HK_KNOWN_NOT);
  ck_assert_int_eq(hki_graph_known(&g, both), HK_KNOWN_NOT);
  hki_graph_enter(&g, hki_graph_op(&g, HK_G_OR, c[2], c[3], 0), true);
  ck_assert_int_eq(hki_graph_known(&g, c[2]), HK_KNOWN_FALSE);
  ck_assert_int_eq(hki_graph_known(&g, either), HK_KNOWN_FALSE);
  ck_assert_int_eq(hki_graph_known(&g, both), HK_KNOWN_FALSE);
  ck_assert_int_eq(hki_graph_known(&g, hki_graph_op(&g, HK_G_OR, c[0], c[3], 0)), HK_KNOWN_TRUE);
  hki_graph_destroy(&g);
  hk_ctx_destroy(ctx);
}
END_TEST

/* --- what never ends ---------------------------------------------------------------------------- */

/* for (;;) s = s x + x: operations without end are refused in words */
START_TEST(operations_without_end) {
  bytes c = {0};
  PUT(&c, 0x03, 0x40, 0x20, 2, 0x20, 0, 0x2b, 3, 0, 0xa2, 0x20, 0, 0x2b, 3, 0, 0xa0, 0x21, 2);
  PUT(&c, 0x0c, 0, 0x0b, 0x20, 2, 0x0b);
  bench b;
  ck_assert_int_eq(try_call(&b, &c, 0.5), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(b.ctx, 0)->text, "too many operations"));
  end(&b);
}
END_TEST

Suite *suite_machine(void) {
  Suite *s = suite_create("machine");
  TCase *t = tcase_create("machine");
  tcase_add_test(t, a_call_that_ends_in_one_way);
  tcase_add_loop_test(t, a_struct_that_one_way_clears, 0, 2);
  tcase_add_loop_test(t, numbers_of_the_example, 0, 2);
  tcase_add_test(t, a_way_that_cannot_be_taken);
  tcase_add_test(t, what_follows_on_a_way);
  tcase_add_test(t, operations_without_end);
  suite_add_tcase(s, t);
  return s;
}
