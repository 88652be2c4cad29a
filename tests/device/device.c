/* SPDX-License-Identifier: Apache-2.0
 *
 * Worlds on a card, by the kernels of codegen/prelude_device.c around a small step and a card that is none (card/card.h): the
 * numbers are those of the processor, chosen worlds are set and got, failed ones stay; what goes wrong is named, and nothing
 * of the card's is kept.
 */
#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card/card.h"
#include "codegen/prelude.h"
#include "device/device.h"
#include "runner.h"

Suite *suite_device(void);

enum { WORLDS = 300, STATES = 4, Q = 0, V = 1, T = 2, U = 3 };

static hk_ctx *ctx;
static fake_card *card;
static hk_text text, floats;
static char cache[64], why[HK_DEVICE_WORDS];

/* an oscillator with a force; it fails beyond 10 */
static void write_text(hk_text *out, bool single) {
  hki_text_init(out, ctx);
  hki_text_add(out, hki_prelude_device_head);
  hki_text_add(out, "#define HKX_R double\n#define HKX_INF INFINITY\n#define HKX_NAME(f) hkx_##f\n"
                    "#define HKX_ABS(x) fabs(x)\n"
                    "enum { HKX_N = 4, HKX_OUTPUTS = 2, HKX_INPUTS = 1, HKX_INPUT = 3 };\n");
  hki_text_add(out, single ? hki_prelude_device_single : hki_prelude_device_double);
  hki_text_add(out, hki_prelude_device_world);
  hki_text_add(out, "HKX_TABLE double hkx_start[4] = {0.5, 0, 0, 0};\n"
                    "HKX_FN void hkx_outputs(const hkx_world *m, HKX_REAL *y, long long stride) {\n"
                    "  HKX_OUTPUT(0, m->x[0]);\n  HKX_OUTPUT(1, m->x[1] * m->x[1]);\n}\n");
  hki_text_add(out, hki_prelude_device_kernels);
  hki_text_add(out, hki_prelude_device_step);
  hki_text_add(out, "HKX_FN int hkx_step(const HKX_REAL *now, HKX_REAL *next, long long stride) {\n"
                    "  HKX_HEAD\n"
                    "  const HKX_R v = HKX_X(1) + 0.01 * (HKX_X(3) - 40.0 * HKX_X(0));\n"
                    "  const HKX_R q = HKX_X(0) + 0.01 * v;\n"
                    "  HKX_STORE(0, q); HKX_STORE(1, v);\n"
                    "  HKX_STORE(2, HKX_X(2) + 0.01); HKX_STORE(3, HKX_X(3));\n"
                    "  failed |= 10.0 < q;\n  turns = 2;\n  HKX_TAIL\n}\n");
  hki_text_add(out, hki_prelude_device_advance);
}

/* the same step on this side; false: it failed */
static bool step(double *x) {
  const double v = x[V] + 0.01 * (x[U] - 40.0 * x[Q]), q = x[Q] + 0.01 * v;
  if (q > 10.0) return false;
  x[V] = v, x[Q] = q, x[T] = x[T] + 0.01;
  return true;
}

static hk_device_job job_of(void) {
  return (hk_device_job){
      .text = text.s, .states = STATES, .inputs = 1, .outputs = 2, .worlds = WORLDS, .limit = 0.2};
}

/* programs that one case has made are good for the next */
static void begin(void) {
  strcpy(cache, "/tmp/hooke-device-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(cache));
}

static void end(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", cache);
  ck_assert_int_eq(system(command), 0);
}

static void set_up(void) {
  const char *file = getenv("HOOKE_CARD");
  ctx = hk_ctx_create();
  setenv("HOOKE_CACHE", cache, 1);
  ck_assert_msg(file, "HOOKE_CARD names the card of the tests: run it by ctest");
  setenv("HOOKE_CUDA", file, 1);
  setenv("HOOKE_NVRTC", file, 1);
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library, "%s", dlerror());
  card = dlsym(library, "fake_card_state");
  ck_assert_ptr_nonnull(card);
  *card = (fake_card){.cards = 1};
  write_text(&text, false);
  write_text(&floats, true);
  why[0] = '\0';
}

static void tear_down(void) {
  hki_text_free(&text);
  hki_text_free(&floats);
  hk_ctx_destroy(ctx);
}

static void ck_nothing_is_left(void) {
  ck_assert_int_eq(card->blocks, 0);
  ck_assert_int_eq((int)card->bytes, 0);
  ck_assert_int_eq(card->contexts, 0);
  ck_assert_int_eq(card->modules, 0);
  ck_assert_int_eq(card->events, 0);
  ck_assert_int_eq(card->programs, 0);
}

static hk_device *open_worlds(void) {
  hk_device *d = NULL;
  const hk_device_job job = job_of();
  ck_assert_msg(hki_device_open(ctx, &job, &d, why, sizeof why) == HK_OK, "%s", why);
  return d;
}

/* a state of its own for every world */
static void spread(hk_device *d, double (*x)[STATES]) {
  for (int w = 0; w < WORLDS; w++)
    x[w][Q] = 0.01 * w, x[w][V] = 1.0 / (1 + w), x[w][T] = x[w][U] = 0;
  ck_assert_int_eq(hki_device_put(d, NULL, WORLDS, &x[0][0], 0), HK_OK);
}

static void ck_same(hk_device *d, double (*x)[STATES]) {
  static double got[WORLDS][STATES];
  ck_assert_int_eq(hki_device_take(d, NULL, WORLDS, &got[0][0]), HK_OK);
  ck_assert_int_eq(memcmp(got, x, sizeof got), 0);
}

START_TEST(no_driver) {
  // before any other case: once it is there a driver stays
  hk_device *d = NULL;
  const hk_device_job job = job_of();
  setenv("HOOKE_CUDA", "/nowhere/libcuda.so.1", 1);
  ck_assert_int_eq(hki_device_open(ctx, &job, &d, why, sizeof why), HK_E_FILE);
  ck_assert_ptr_null(d);
  ck_assert_ptr_nonnull(strstr(why, "there is no driver of an NVIDIA card"));
  setenv("HOOKE_CUDA", getenv("HOOKE_CARD"), 1);
  setenv("HOOKE_NVRTC", "/nowhere/libnvrtc.so", 1);
  setenv("HOOKE_NVCC", "/nowhere/nvcc", 1);
  ck_assert_int_eq(hki_device_open(ctx, &job, &d, why, sizeof why), HK_E_FILE);
  ck_assert_ptr_nonnull(strstr(why, "there is no NVRTC"));
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  ck_nothing_is_left();
  unsetenv("HOOKE_NVCC");
}
END_TEST

START_TEST(same_bits) {
  static double x[WORLDS][STATES];
  hk_device *d = open_worlds();
  spread(d, x);
  ck_assert_int_eq(hki_device_advance(d, 100, NULL, 0), HK_OK);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < 100; k++) step(x[w]);
  ck_same(d, x);
  int32_t code[WORLDS], turns[WORLDS];
  ck_assert_int_eq(hki_device_codes(d, code, turns), HK_OK);
  for (int w = 0; w < WORLDS; w++) ck_assert(code[w] == 0 && turns[w] == 200);
  ck_assert_int_eq(hki_device_facts(d)->arch, 90);
  ck_assert_str_eq(hki_device_facts(d)->name, "a card of paper");
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(inputs_and_outputs) {
  static double x[WORLDS][STATES], u[WORLDS][20], y[WORLDS][2][2];
  hk_device *d = open_worlds();
  spread(d, x);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < 20; k++) u[w][k] = 0.1 * k - w;
  ck_assert_int_eq(hki_device_rows(d, 2), HK_OK);
  ck_assert_int_eq(hki_device_show(d, 0), HK_OK);
  ck_assert_int_eq(hki_device_advance(d, 20, &u[0][0], 20), HK_OK);
  ck_assert_int_eq(hki_device_show(d, 1), HK_OK);
  ck_assert_int_eq(hki_device_outputs(d, 0, 2, &y[0][0][0], 4), HK_OK);
  for (int w = 0; w < WORLDS; w++) {
    ck_assert(y[w][0][0] == x[w][Q] && y[w][0][1] == x[w][V] * x[w][V]);
    for (int k = 0; k < 20; k++) x[w][U] = u[w][k], step(x[w]);
    ck_assert(y[w][1][0] == x[w][Q] && y[w][1][1] == x[w][V] * x[w][V]);
  }
  ck_same(d, x);
  // the same inputs for all
  ck_assert_int_eq(hki_device_advance(d, 3, &u[7][0], 0), HK_OK);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < 3; k++) x[w][U] = u[7][k], step(x[w]);
  ck_same(d, x);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(failed_worlds_stay) {
  static double x[WORLDS][STATES];
  hk_device *d = open_worlds();
  spread(d, x);
  const int32_t fast[] = {299, 4};
  const double wild[2][STATES] = {{0, 500, 1, 0}, {9.9, 900, 2, 0}};
  ck_assert_int_eq(hki_device_put(d, fast, 2, &wild[0][0], 0), HK_OK);
  memcpy(x[299], wild[0], sizeof wild[0]), memcpy(x[4], wild[1], sizeof wild[1]);
  ck_assert_int_eq(hki_device_advance(d, 10, NULL, 0), HK_OK);
  bool well[WORLDS];
  for (int w = 0; w < WORLDS; w++) {
    well[w] = true;
    for (int k = 0; k < 10 && well[w]; k++) well[w] = step(x[w]);
  }
  ck_same(d, x);
  int32_t code[WORLDS];
  ck_assert_int_eq(hki_device_codes(d, code, NULL), HK_OK);
  for (int w = 0; w < WORLDS; w++) ck_assert_int_eq(code[w], well[w] ? 0 : -1);
  ck_assert(!well[4] && !well[299] && well[5]);
  // a state by itself revives nothing where that was not wanted; outputs of failed worlds are not numbers
  double y[WORLDS][2];
  ck_assert_int_eq(hki_device_put(d, &fast[0], 1, wild[0], 1), HK_OK);
  ck_assert_int_eq(hki_device_rows(d, 1), HK_OK);
  ck_assert_int_eq(hki_device_show(d, 0), HK_OK);
  ck_assert_int_eq(hki_device_outputs(d, 0, 1, &y[0][0], 2), HK_OK);
  for (int w = 0; w < WORLDS; w++) ck_assert((y[w][0] == y[w][0]) == well[w]);
  // one of them starts anew, the other stays
  ck_assert_int_eq(hki_device_reset(d, &fast[1], 1), HK_OK);
  ck_assert_int_eq(hki_device_advance(d, 1, NULL, 0), HK_OK);
  ck_assert_int_eq(hki_device_codes(d, code, NULL), HK_OK);
  ck_assert(code[4] == 0 && code[299] == -1);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

/* Steps go from one place to the other: a world that fails after an odd number of steps is elsewhere than one that fails after an even
 * one. Where it was before, with the inputs of the step that failed, is where it stays. */
START_TEST(failed_in_the_middle) {
  enum { AT_ONCE = 16, STRONG = 2000000 };
  static double x[WORLDS][STATES], u[WORLDS][AT_ONCE];
  int32_t code[WORLDS], turns[WORLDS], steps[WORLDS] = {0}, ended[AT_ONCE + 1] = {0};
  hk_device *d = open_worlds();
  spread(d, x);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < AT_ONCE; k++)
      u[w][k] = k == w % (AT_ONCE + 4) ? STRONG : 0.1 * k - 0.01 * w;
  ck_assert_int_eq(hki_device_advance(d, AT_ONCE, &u[0][0], AT_ONCE), HK_OK);
  for (int w = 0; w < WORLDS; w++) {
    bool well = true;
    for (int k = 0; k < AT_ONCE && well; k++) {
      x[w][U] = u[w][k], well = step(x[w]);
      steps[w] += well;
    }
    ended[steps[w]]++;
  }
  for (int k = 0; k <= AT_ONCE; k++) ck_assert_int_ge(ended[k], WORLDS / (AT_ONCE + 4));
  ck_same(d, x);
  ck_assert_int_eq(hki_device_codes(d, code, turns), HK_OK);
  for (int w = 0; w < WORLDS; w++)
    ck_assert(code[w] == (steps[w] < AT_ONCE ? -1 : 0) && turns[w] == 2 * steps[w]);
  // those that are well go on in launches of an odd number of steps; the others stay
  for (int n = 1; n <= 5; n += 2) {
    ck_assert_int_eq(hki_device_advance(d, n, &u[WORLDS - 1][0], 0), HK_OK);
    for (int w = 0; w < WORLDS; w++)
      for (int k = 0; k < n && code[w] == 0; k++) x[w][U] = u[WORLDS - 1][k], step(x[w]);
    ck_same(d, x);
  }
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

/* A number that is none ends a world as well, whichever place it was written to. */
START_TEST(numbers_that_are_none) {
  enum { AT_ONCE = 4 };
  static double x[WORLDS][STATES], u[WORLDS][AT_ONCE];
  int32_t code[WORLDS];
  hk_device *d = open_worlds();
  spread(d, x);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < AT_ONCE; k++) u[w][k] = k == w % (AT_ONCE + 1) ? -INFINITY : 0.0;
  ck_assert_int_eq(hki_device_advance(d, AT_ONCE, &u[0][0], AT_ONCE), HK_OK);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < AT_ONCE; k++) {
      x[w][U] = u[w][k];
      if (isinf(u[w][k])) break;
      step(x[w]);
    }
  ck_same(d, x);
  ck_assert_int_eq(hki_device_codes(d, code, NULL), HK_OK);
  for (int w = 0; w < WORLDS; w++) ck_assert_int_eq(code[w], w % (AT_ONCE + 1) < AT_ONCE ? -2 : 0);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(kept_for_the_next_time) {
  hki_text_add(&text, "// another text\n");
  hk_device *d = open_worlds();
  ck_assert(!hki_device_facts(d)->kept);
  hki_device_close(d);
  d = open_worlds();
  ck_assert(hki_device_facts(d)->kept);
  hki_device_close(d);
  ck_assert_int_eq(card->compiled, 1);
  // one that the driver does not take is made anew
  card->fail_load = 1;
  d = open_worlds();
  ck_assert_int_eq(card->compiled, 2);
  hki_device_close(d);
  // a folder that cannot be: nothing is kept, all else goes on
  setenv("HOOKE_CACHE", "/proc/none", 1);
  d = open_worlds();
  ck_assert_int_eq(card->compiled, 3);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(single_precision) {
  hk_device *d = NULL;
  hk_device_job job = job_of();
  job.text = floats.s, job.single = true;
  ck_assert_msg(hki_device_open(ctx, &job, &d, why, sizeof why) == HK_OK, "%s", why);
  ck_assert_int_eq(hki_device_advance(d, 50, NULL, 0), HK_OK);
  float q = 0.5F, v = 0.0F;
  for (int k = 0; k < 50; k++) {
    v = v + 0.01F * (0.0F - 40.0F * q);
    q = q + 0.01F * v;
  }
  double x[STATES];
  const int32_t last = WORLDS - 1;
  ck_assert_int_eq(hki_device_take(d, &last, 1, x), HK_OK);
  ck_assert(x[Q] == (double)q && x[V] == (double)v);
  ck_assert(hki_device_view(d).single && hki_device_view(d).stride == 320);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

/* opens, sets, steps and shows with something that fails at the k-th time; false: nothing failed */
static bool goes_wrong(const char *words) {
  static double x[WORLDS][STATES];
  hk_device *d = NULL;
  const hk_device_job job = job_of();
  double y[WORLDS * 2];
  hk_status st = hki_device_open(ctx, &job, &d, why, sizeof why);
  if (st == HK_OK) st = hki_device_put(d, NULL, WORLDS, &x[0][0], 0);
  if (st == HK_OK) st = hki_device_rows(d, 1);
  if (st == HK_OK) st = hki_device_advance(d, 2, &x[0][0], 0);
  if (st == HK_OK) st = hki_device_show(d, 0);
  if (st == HK_OK) st = hki_device_outputs(d, 0, 1, y, 2);
  if (st == HK_OK) st = hki_device_codes(d, NULL, (int32_t *)y);
  if (st != HK_OK && d) snprintf(why, sizeof why, "%s", hki_device_why(d));
  hki_device_close(d);
  if (st != HK_OK) ck_assert_msg(strstr(why, words), "'%s' was expected, found: %s", words, why);
  ck_nothing_is_left();
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  return st != HK_OK;
}

START_TEST(failures_are_named) {
  const struct {
    int *when;
    const char *words;
    int times; /* that it is asked for */
  } all[] = {{&card->fail_alloc, "has no memory for", 6},
             {&card->fail_launch, "a kernel is started", 4},
             {&card->fail_copy, "numbers are", 4},
             {&card->fail_compile, "this card takes no programs", 1}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    int times = 0;
    for (int k = 1; k <= all[i].times + 2; k++) {
      if (i == 3) hki_text_printf(&text, "// %d\n", k); // nothing that was kept
      *all[i].when = k;
      times += goes_wrong(all[i].words);
      *all[i].when = 0;
    }
    ck_assert_int_eq(times, all[i].times);
  }
  card->failure = 719;
  ck_assert(goes_wrong("fails while it computes"));
  card->failure = 0;
  card->cards = 0;
  ck_assert(goes_wrong("no card"));
  card->cards = 1;
  ck_assert(!goes_wrong(""));
}
END_TEST

START_TEST(a_card_that_hangs) {
  static double x[WORLDS][STATES];
  hk_device *d = open_worlds();
  card->hangs = 1;
  ck_assert_int_eq(hki_device_advance(d, 5, NULL, 0), HK_E_FILE);
  ck_assert_ptr_nonnull(strstr(hki_device_why(d), "has not answered for 0.2 s"));
  // it is asked no more
  const int before = card->launches;
  ck_assert_int_eq(hki_device_put(d, NULL, WORLDS, &x[0][0], 0), HK_E_FILE);
  ck_assert_int_eq(card->launches, before);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(blocks_of_long_texts) {
  static double x[WORLDS][STATES];
  hk_device *d = open_worlds();
  ck_assert_int_eq(hki_device_facts(d)->threads, 64);
  hki_device_close(d);
  for (int i = 0; i < 2600; i++)
    hki_text_add(&text, "// a line of a hundred characters, such as those of a step that is longer "
                        "than registers would like it..\n");
  d = open_worlds();
  ck_assert_int_eq(hki_device_facts(d)->threads, 32);
  spread(d, x);
  ck_assert_int_eq(hki_device_advance(d, 5, NULL, 0), HK_OK);
  for (int w = 0; w < WORLDS; w++)
    for (int k = 0; k < 5; k++) step(x[w]);
  ck_same(d, x);
  hki_device_close(d);
  ck_nothing_is_left();
}
END_TEST

START_TEST(wrong_worlds) {
  double x[STATES] = {0};
  hk_device *d = open_worlds();
  const int32_t none[] = {WORLDS};
  ck_assert_int_eq(hki_device_put(d, none, 1, x, 0), HK_E_USAGE);
  ck_assert_ptr_nonnull(strstr(hki_device_why(d), "world 300 was asked for, but there are 300"));
  ck_assert_int_eq(hki_device_reset(d, NULL, WORLDS + 1), HK_E_USAGE);
  hki_device_close(d);
  hk_device_job job = job_of();
  job.ordinal = 3;
  ck_assert_int_eq(hki_device_open(ctx, &job, &d, why, sizeof why), HK_E_USAGE);
  ck_assert_ptr_nonnull(strstr(why, "card 3 was asked for, but there is 1"));
  // a text that no compiler ends with
  hk_text huge;
  hki_text_init(&huge, ctx);
  for (int i = 0; i < 90000; i++)
    hki_text_add(
        &huge, "// a line of a hundred characters, about as long as those of a program that nobody "
               "would like to wait\n");
  job.text = huge.s, job.ordinal = 0;
  ck_assert_int_eq(hki_device_open(ctx, &job, &d, why, sizeof why), HK_E_FILE);
  ck_assert_ptr_nonnull(strstr(why, "MB"));
  hki_text_free(&huge);
  ck_nothing_is_left();
}
END_TEST

Suite *suite_device(void) {
  Suite *s = suite_create("device");
  TCase *tc = tcase_create("device");
  tcase_add_unchecked_fixture(tc, begin, end);
  tcase_add_checked_fixture(tc, set_up, tear_down);
  tcase_add_test(tc, no_driver);
  tcase_add_test(tc, same_bits);
  tcase_add_test(tc, inputs_and_outputs);
  tcase_add_test(tc, failed_worlds_stay);
  tcase_add_test(tc, failed_in_the_middle);
  tcase_add_test(tc, numbers_that_are_none);
  tcase_add_test(tc, kept_for_the_next_time);
  tcase_add_test(tc, single_precision);
  tcase_add_test(tc, failures_are_named);
  tcase_add_test(tc, a_card_that_hangs);
  tcase_add_test(tc, blocks_of_long_texts);
  tcase_add_test(tc, wrong_worlds);
  suite_add_tcase(s, tc);
  return s;
}
