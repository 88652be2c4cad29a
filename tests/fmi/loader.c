/* SPDX-License-Identifier: Apache-2.0
 *
 * loader.c: an importer in C: exports a model, unpacks the FMU, loads its program and calls the functions of FMI 2.0 and
 * 3.0. Steps are those of a simulation bit by bit, states come back, damaged ones and wrong calls are refused. Runs
 * with sanitizers too, where tests/cli/fmu.py cannot.
 */
#define _GNU_SOURCE 1
#include <check.h>
#include <dlfcn.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fmi/archive.h"
#include "fmi/import.h"
#include "fmu/fmi.h"
#include "hooke/fmu.h"
#include "hooke/live.h"
#include "hooke/model.h"

Suite *suite_loader(void);

static const char model[] =
    "hooke: 1\n"
    "parameters: {M: 2, m: 0.5, L: 0.4}\n"
    "gravity: [0, 0, -9.81]\n"
    "signals: {u: {input: 0.25}}\n"
    "bodies: {cart: {mass: M, com: [0, 0, 0]}, bob: {mass: m, com: [0, 0, -L], inertia: [1e-3, "
    "1e-3, 1e-3]}}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, cart], axis: [1, 0, 0], at: [0, 0, 0]}\n"
    "  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces: {push: {type: joint_force, joint: rail, value: u}}\n"
    "start: {pin: {angle: 0.3}}\n"
    "run: {time: 10, step: 0.01, integrator: generalized_alpha}\n";

static const char *const channels[] = {"joint.pin.angle", "joint.rail.position", "energy.total"};
enum { OUTPUTS = 3 };

/* an unpacked and loaded FMU */
typedef struct fmu {
  hk_ctx *ctx;
  hk_pool *pool;
  char folder[64], path[100];
  hk_import about;
  void *library;
  uint32_t u, L, y[OUTPUTS];
} fmu;

/* the last two things that were said */
static char logged[2][400];
static bool said(const char *words) { return strstr(logged[0], words) || strstr(logged[1], words); }

static void say2(void *environment, const char *instance, hk_fmi_status status,
                 const char *category, const char *message, ...) {
  va_list args;
  (void)environment, (void)instance, (void)status, (void)category;
  memcpy(logged[1], logged[0], sizeof logged[0]);
  va_start(args, message);
  vsnprintf(logged[0], sizeof logged[0], message, args);
  va_end(args);
}
static void say3(void *environment, hk_fmi_status status, const char *category,
                 const char *message) {
  (void)environment, (void)status, (void)category;
  memcpy(logged[1], logged[0], sizeof logged[0]);
  snprintf(logged[0], sizeof logged[0], "%s", message);
}

static uint32_t reference(const fmu *f, const char *name) {
  for (int32_t i = 0; i < f->about.n; i++)
    if (!strcmp(f->about.variables[i].name, name)) return f->about.variables[i].reference;
  ck_abort_msg("no variable %s", name);
  return 0;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

static void load(fmu *f, int32_t version) {
  char kernel[600], name[120], *bytes = NULL, *xml = NULL;
  size_t len = 0;
  hk_archive a;
  hk_fmu_options opt = hk_fmu_options_def();
  *f = (fmu){.ctx = hk_ctx_create(), .folder = "/tmp/hooke-loader-XXXXXX"};
  f->pool = hki_pool_create(f->ctx);
  snprintf(kernel, sizeof kernel, "%s/hooke-fmu.zip",
           getenv("HOOKE_BUILD") ? getenv("HOOKE_BUILD") : ".");
  ck_assert_int_eq(setenv("HOOKE_FMU_KERNEL", kernel, 1), 0);
  ck_assert_ptr_nonnull(mkdtemp(f->folder));
  snprintf(f->path, sizeof f->path, "%s/cart.yaml", f->folder);
  snprintf(name, sizeof name, "%s/cart.fmu", f->folder);
  write_text(f->path, model);
  opt.version = version, opt.no_sources = 1, opt.outputs = channels, opt.noutputs = OUTPUTS;
  ck_assert_int_eq(hk_fmu_export(f->ctx, f->path, name, &opt, NULL), HK_OK);
  ck_assert_int_eq(hki_read_file(f->ctx, name, HK_LOC_NONE, 1 << 28, &bytes, &len), HK_OK);
  ck_assert_int_eq(hki_archive_open(f->ctx, name, bytes, len, &a), HK_OK);
  const hk_archive_entry *e = hki_archive_find(&a, "modelDescription.xml");
  ck_assert_int_eq(hki_archive_read(&a, e, &xml), HK_OK);
  ck_assert_int_eq(hki_import_describe(f->ctx, f->pool, "x", xml, (size_t)e->size, &f->about),
                   HK_OK);
  ck_assert_int_eq(f->about.version, version);
  ck_assert(f->about.saves);
  ck_assert_int_eq(hki_archive_unpack(&a, f->folder), HK_OK);
  hki_archive_close(&a);
  hki_free(f->ctx, bytes), hki_free(f->ctx, xml);
  snprintf(name, sizeof name, "%s/binaries/%s/cart.so", f->folder,
           version == 2 ? "linux64" : "x86_64-linux");
  f->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(f->library != NULL, "%s", dlerror());
  f->u = reference(f, "u"), f->L = reference(f, "L");
  for (int i = 0; i < OUTPUTS; i++) f->y[i] = reference(f, channels[i]);
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
  (void)info, (void)kind, (void)place;
  return remove(path);
}
static void unload(fmu *f) {
  dlclose(f->library);
  nftw(f->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  hki_pool_destroy(f->pool);
  hk_ctx_destroy(f->ctx);
}

/* --- functions of both versions --------------------------------------------------------------- */

static void *function(const fmu *f, const char *name2, const char *name3) {
  char name[80];
  snprintf(name, sizeof name, "fmi%d%s", (int)f->about.version,
           f->about.version == 2 ? name2 : name3);
  void *p = dlsym(f->library, name);
  ck_assert_msg(p != NULL, "no %s", name);
  return p;
}
#define CALL(f, type, name2, name3) ((type)(uintptr_t)function(f, name2, name3))
typedef int by_instance(void *);
typedef int numbers2(void *, const uint32_t *, size_t, double *);
typedef int numbers3(void *, const uint32_t *, size_t, double *, size_t);
typedef int with_state(void *, void **);
typedef int put_state(void *, void *);

static void *create(const fmu *f, const char *token, bool co_simulation) {
  char resources[100];
  static const hk_fmi2_callbacks callbacks = {say2, calloc, free, NULL, NULL};
  if (f->about.version == 2) {
    snprintf(resources, sizeof resources, "file://%s/resources", f->folder);
    return CALL(f,
                void *(*)(const char *, int, const char *, const char *, const hk_fmi2_callbacks *,
                          int, int),
                "Instantiate", "")("it", co_simulation, token, resources, &callbacks, 0, 0);
  }
  snprintf(resources, sizeof resources, "%s/resources/", f->folder);
  if (!co_simulation)
    return CALL(
        f, void *(*)(const char *, const char *, const char *, bool, bool, void *, hk_fmi3_log *),
        "", "InstantiateModelExchange")("it", token, resources, false, false, NULL, say3);
  return CALL(f,
              void *(*)(const char *, const char *, const char *, bool, bool, bool, bool,
                        const uint32_t *, size_t, void *, hk_fmi3_log *, void *),
              "", "InstantiateCoSimulation")("it", token, resources, false, false, false, false,
                                             NULL, 0, NULL, say3, NULL);
}

static void start(const fmu *f, void *c) {
  if (f->about.version == 2) {
    ck_assert_int_eq(CALL(f, int (*)(void *, int, double, double, int, double), "SetupExperiment",
                          "")(c, 0, 0, 0, 0, 0),
                     0);
    ck_assert_int_eq(CALL(f, by_instance *, "EnterInitializationMode", "")(c), 0);
  } else {
    ck_assert_int_eq(CALL(f, int (*)(void *, bool, double, double, bool, double), "",
                          "EnterInitializationMode")(c, false, 0, 0, false, 0),
                     0);
  }
  ck_assert_int_eq(CALL(f, by_instance *, "ExitInitializationMode", "ExitInitializationMode")(c),
                   0);
}

static int get(const fmu *f, void *c, const uint32_t *refs, size_t n, double *x) {
  return f->about.version == 2 ? CALL(f, numbers2 *, "GetReal", "")(c, refs, n, x)
                               : CALL(f, numbers3 *, "", "GetFloat64")(c, refs, n, x, n);
}
static int set(const fmu *f, void *c, uint32_t ref, double x) {
  return f->about.version == 2 ? CALL(f, numbers2 *, "SetReal", "")(c, &ref, 1, &x)
                               : CALL(f, numbers3 *, "", "SetFloat64")(c, &ref, 1, &x, 1);
}
static int step(const fmu *f, void *c, double t, double h) {
  bool event, end, early;
  double last;
  if (f->about.version == 2)
    return CALL(f, int (*)(void *, double, double, int), "DoStep", "")(c, t, h, 1);
  return CALL(f, int (*)(void *, double, double, bool, bool *, bool *, bool *, double *), "",
              "DoStep")(c, t, h, true, &event, &end, &early, &last);
}
static void destroy(const fmu *f, void *c) {
  CALL(f, void (*)(void *), "FreeInstance", "FreeInstance")(c);
}

/* --- tests ------------------------------------------------------------------------------------ */

START_TEST(steps_are_those_of_a_simulation) {
  fmu f;
  load(&f, _i);
  hk_model *m = NULL;
  hk_sim *s = NULL;
  int32_t handle[OUTPUTS];
  ck_assert_int_eq(hk_model_load(f.ctx, f.path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, NULL, &s), HK_OK);
  for (int i = 0; i < OUTPUTS; i++) handle[i] = hk_sim_channel_handle(s, channels[i]);
  void *c = create(&f, f.about.token, true);
  ck_assert_ptr_nonnull(c);
  start(&f, c);
  const int32_t input = hk_sim_input_find(s, "u");
  for (int k = 0; k < 40; k++) {
    const double u = 0.25 + 0.1 * k;
    double want[OUTPUTS], got[OUTPUTS];
    ck_assert_int_eq(set(&f, c, f.u, u), 0);
    ck_assert_int_eq(hk_sim_input_set(s, input, u, k == 0), HK_OK);
    ck_assert_int_eq(step(&f, c, k * 0.01, 0.01), 0);
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert_int_eq(get(&f, c, f.y, OUTPUTS, got), 0);
    ck_assert_int_eq(hk_sim_read(s, OUTPUTS, handle, want), HK_OK);
    ck_assert_mem_eq(got, want, sizeof want);
  }
  destroy(&f, c);
  hk_sim_destroy(s);
  hk_model_release(m);
  unload(&f);
}
END_TEST

/* steps with inputs of a generator; the outputs at the end */
static void go(const fmu *f, void *c, int from, int n, unsigned seed, double *y) {
  for (int k = 0; k < n; k++) {
    seed = seed * 1103515245u + 12345u;
    ck_assert_int_eq(set(f, c, f->u, (double)(seed >> 16 & 255) / 128.0 - 1.0), 0);
    ck_assert_int_eq(step(f, c, (from + k) * 0.01, 0.01), 0);
  }
  ck_assert_int_eq(get(f, c, f->y, OUTPUTS, y), 0);
}

START_TEST(states_come_back) {
  fmu f;
  load(&f, _i);
  void *c = create(&f, f.about.token, true), *other = create(&f, f.about.token, true),
       *state = NULL;
  double a[OUTPUTS], b[OUTPUTS];
  start(&f, c);
  for (int k = 0, at = 0; k < 30; k++) {
    const int n = 1 + k % 3;
    size_t size = 0;
    ck_assert_int_eq(CALL(&f, with_state *, "GetFMUstate", "GetFMUState")(c, &state), 0);
    go(&f, c, at, n, (unsigned)k, a);
    ck_assert_int_eq(CALL(&f, put_state *, "SetFMUstate", "SetFMUState")(c, state), 0);
    go(&f, c, at, n, (unsigned)k, b);
    ck_assert_mem_eq(a, b, sizeof a);
    // by bytes, into an instance that was never started
    ck_assert_int_eq(CALL(&f, int (*)(void *, void *, size_t *), "SerializedFMUstateSize",
                          "SerializedFMUStateSize")(c, state, &size),
                     0);
    char *raw = malloc(size);
    void *copy = NULL;
    ck_assert_int_eq(CALL(&f, int (*)(void *, void *, char *, size_t), "SerializeFMUstate",
                          "SerializeFMUState")(c, state, raw, size),
                     0);
    ck_assert_int_eq(CALL(&f, int (*)(void *, const char *, size_t, void **), "DeSerializeFMUstate",
                          "DeserializeFMUState")(other, raw, size, &copy),
                     0);
    ck_assert_int_eq(CALL(&f, put_state *, "SetFMUstate", "SetFMUState")(other, copy), 0);
    go(&f, other, at, n, (unsigned)k, b);
    ck_assert_mem_eq(a, b, sizeof a);
    CALL(&f, with_state *, "FreeFMUstate", "FreeFMUState")(other, &copy);
    free(raw);
    at += n;
  }
  CALL(&f, with_state *, "FreeFMUstate", "FreeFMUState")(c, &state);
  destroy(&f, c), destroy(&f, other);
  unload(&f);
}
END_TEST

START_TEST(damaged_states_do_no_harm) {
  fmu f;
  load(&f, 2);
  void *c = create(&f, f.about.token, true), *state = NULL;
  size_t size = 0;
  double y[OUTPUTS];
  start(&f, c);
  go(&f, c, 0, 3, 1, y);
  ck_assert_int_eq(CALL(&f, with_state *, "GetFMUstate", "")(c, &state), 0);
  ck_assert_int_eq(
      CALL(&f, int (*)(void *, void *, size_t *), "SerializedFMUstateSize", "")(c, state, &size),
      0);
  char *raw = malloc(size), *bad = malloc(size);
  ck_assert_int_eq(CALL(&f, int (*)(void *, void *, char *, size_t), "SerializeFMUstate",
                        "")(c, state, raw, size),
                   0);
  unsigned seed = 5;
  int refused = 0;
  for (int k = 0; k < 300; k++) {
    void *copy = NULL;
    memcpy(bad, raw, size);
    size_t n = size;
    for (int i = 0; i <= k % 4; i++) {
      seed = seed * 1103515245u + 12345u;
      bad[(seed >> 8) % size] = (char)(seed >> 3);
    }
    if (k % 7 == 0) n = (seed >> 5) % size;
    ck_assert_int_eq(CALL(&f, int (*)(void *, const char *, size_t, void **), "DeSerializeFMUstate",
                          "")(c, bad, n, &copy),
                     0);
    refused += CALL(&f, put_state *, "SetFMUstate", "")(c, copy) != 0;
    (void)get(&f, c, f.y, OUTPUTS, y);
    CALL(&f, with_state *, "FreeFMUstate", "")(c, &copy);
  }
  ck_assert_int_gt(refused, 200);
  // the good one still counts
  ck_assert_int_eq(CALL(&f, put_state *, "SetFMUstate", "")(c, state), 0);
  go(&f, c, 3, 2, 1, y);
  CALL(&f, with_state *, "FreeFMUstate", "")(c, &state);
  destroy(&f, c);
  free(raw), free(bad);
  unload(&f);
}
END_TEST

START_TEST(wrong_calls_are_refused_by_name) {
  fmu f;
  load(&f, _i);
  double y[OUTPUTS];
  const uint32_t none = 0x7FFFFFFF;
  ck_assert_ptr_null(create(&f, "{another}", true));
  ck_assert(said("is not that of the model"));
  ck_assert_ptr_null(create(&f, NULL, true));
  void *c = create(&f, f.about.token, true);
  ck_assert_int_eq(get(&f, c, f.y, OUTPUTS, y), 3);
  ck_assert(said("from the initialization on"));
  ck_assert_int_eq(get(&f, c, &none, 1, y), 3);
  ck_assert_int_eq(step(&f, c, 0, 0.01), 3);
  ck_assert_int_eq(CALL(&f, by_instance *, "ExitInitializationMode", "ExitInitializationMode")(c),
                   3);
  start(&f, c);
  ck_assert_int_eq(set(&f, c, f.u, NAN), 3);
  ck_assert_int_eq(set(&f, c, f.y[0], 1.0), 3);
  ck_assert_int_eq(step(&f, c, 0.5, 0.01), 3);
  ck_assert(said("must begin where the last one ended"));
  ck_assert_int_eq(step(&f, c, 0, -0.01), 3);
  ck_assert_int_eq(step(&f, c, 0, NAN), 3);
  ck_assert_int_eq(CALL(&f, put_state *, "SetFMUstate", "SetFMUState")(c, NULL), 3);
  // and it goes on
  ck_assert_int_eq(step(&f, c, 0, 0.013), 0);
  ck_assert_int_eq(CALL(&f, by_instance *, "Terminate", "Terminate")(c), 0);
  ck_assert_int_eq(step(&f, c, 0.013, 0.01), 3);
  ck_assert_int_eq(CALL(&f, by_instance *, "Reset", "Reset")(c), 0);
  ck_assert_int_eq(set(&f, c, f.L, 0.8), 0);
  start(&f, c);
  ck_assert_int_eq(step(&f, c, 0, 0.01), 0);
  destroy(&f, c);
  unload(&f);
}
END_TEST

START_TEST(model_exchange) {
  fmu f;
  load(&f, 3);
  void *c = create(&f, f.about.token, false);
  size_t n = 0, nz = 7;
  double x[4], rate[4], slope[4], up[4], down[4];
  const uint32_t known = f.u, rates[] = {5u << 24, 5u << 24 | 1, 5u << 24 | 2, 5u << 24 | 3};
  // sizes are known before the start
  ck_assert_int_eq(CALL(&f, int (*)(void *, size_t *), "", "GetNumberOfContinuousStates")(c, &n),
                   0);
  ck_assert_int_eq(CALL(&f, int (*)(void *, size_t *), "", "GetNumberOfEventIndicators")(c, &nz),
                   0);
  ck_assert_uint_eq(n, 4);
  ck_assert_uint_eq(nz, 0);
  start(&f, c);
  bool flags[5];
  double next;
  ck_assert_int_eq(
      CALL(&f, int (*)(void *, bool *, bool *, bool *, bool *, bool *, double *), "",
           "UpdateDiscreteStates")(c, flags, flags + 1, flags + 2, flags + 3, flags + 4, &next),
      0);
  ck_assert_int_eq(CALL(&f, by_instance *, "", "EnterContinuousTimeMode")(c), 0);
  ck_assert_int_eq(CALL(&f, int (*)(void *, double *, size_t), "", "GetContinuousStates")(c, x, 4),
                   0);
  ck_assert_int_eq(
      CALL(&f, int (*)(void *, double *, size_t), "", "GetContinuousStateDerivatives")(c, rate, 4),
      0);
  ck_assert_int_eq(CALL(&f, int (*)(void *, double *, size_t), "", "GetContinuousStates")(c, x, 3),
                   3);
  const double seed = 1.0;
  ck_assert_int_eq(CALL(&f,
                        int (*)(void *, const uint32_t *, size_t, const uint32_t *, size_t,
                                const double *, size_t, double *, size_t),
                        "", "GetDirectionalDerivative")(c, rates, 4, &known, 1, &seed, 1, slope, 4),
                   0);
  ck_assert_int_eq(set(&f, c, f.u, 0.75), 0);
  ck_assert_int_eq(get(&f, c, rates, 4, up), 0);
  ck_assert_int_eq(set(&f, c, f.u, -0.25), 0);
  ck_assert_int_eq(get(&f, c, rates, 4, down), 0);
  for (int i = 0; i < 4; i++) ck_assert_double_eq_tol(slope[i], up[i] - down[i], 1e-9);
  ck_assert_double_gt(fabs(slope[2]), 0.3);
  destroy(&f, c);
  unload(&f);
}
END_TEST

Suite *suite_loader(void) {
  Suite *s = suite_create("loader");
  TCase *c = tcase_create("loader");
  tcase_add_loop_test(c, steps_are_those_of_a_simulation, 2, 4);
  tcase_add_loop_test(c, states_come_back, 2, 4);
  tcase_add_test(c, damaged_states_do_no_harm);
  tcase_add_loop_test(c, wrong_calls_are_refused_by_name, 2, 4);
  tcase_add_test(c, model_exchange);
  suite_add_tcase(s, c);
  return s;
}
