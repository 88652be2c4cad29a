/* SPDX-License-Identifier: Apache-2.0
 *
 * fmi_drive.c: loads the program of an FMU (FMI 2.0, co-simulation), makes steps and prints its outputs, on
 * Linux, macOS and Windows. For scripts/fmi-study, where the program was made by another compiler or for
 * another system.
 *
 *   fmi_drive PROGRAM GUID STEP STEPS REFERENCE...
 *
 * One line a step, numbers as hexadecimal, so that they can be compared bit by bit. In the middle the state is
 * saved, serialised, put back and the last half made again; a difference is told.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

typedef struct callbacks {
  void (*log)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} callbacks;

static void say(void *environment, const char *instance, int status, const char *category,
                const char *text, ...) {
  va_list args;
  (void)environment, (void)instance, (void)category;
  va_start(args, text);
  fprintf(stderr, "status %d: ", status);
  vfprintf(stderr, text, args);
  fputc('\n', stderr);
  va_end(args);
}

static void *library;

/* a function of the program, into the pointer at `to` */
static void find(const char *name, void *to) {
#ifdef _WIN32
  FARPROC f = GetProcAddress(library, name);
#else
  void *f = dlsym(library, name);
#endif
  if (!f) fprintf(stderr, "no function %s\n", name), exit(2);
  memcpy(to, &f, sizeof f);
}

static void check(const char *what, int status) {
  if (status > 1) fprintf(stderr, "%s: %d\n", what, status), exit(3);
}

enum { MOST = 1000 };
static unsigned refs[MOST];
static int nrefs;
static double *table; /* outputs of all steps */

static int (*get)(void *, const unsigned *, size_t, double *);
static int (*step)(void *, double, double, int);

/* steps from..to - 1; how many rows are not those of the table, which is filled the first time */
static int run(void *c, double h, int from, int to, int first) {
  int differ = 0;
  for (int k = from; k < to; k++) {
    double *row = table + (size_t)k * (size_t)nrefs, now[MOST];
    check("fmi2DoStep", step(c, k * h, h, 0));
    check("fmi2GetReal", get(c, refs, (size_t)nrefs, now));
    if (!first) differ += memcmp(row, now, (size_t)nrefs * sizeof *now) != 0;
    memcpy(row, now, (size_t)nrefs * sizeof *now);
  }
  return differ;
}

int main(int argc, char **argv) {
  void *(*create)(const char *, int, const char *, const char *, const callbacks *, int, int);
  int (*setup)(void *, int, double, double, int, double);
  int (*enter)(void *), (*leave)(void *), (*save)(void *, void **), (*back)(void *, void *);
  int (*size)(void *, void *, size_t *), (*out)(void *, void *, char *, size_t);
  int (*in)(void *, const char *, size_t, void **), (*drop)(void *, void **);
  void (*end)(void *);
  if (argc < 6) return fprintf(stderr, "PROGRAM GUID STEP STEPS REFERENCE...\n"), 2;
  const double h = atof(argv[3]);
  const int n = atoi(argv[4]);
  for (int i = 5; i < argc && nrefs < MOST; i++)
    refs[nrefs++] = (unsigned)strtoul(argv[i], NULL, 10);
  table = calloc((size_t)n * (size_t)nrefs + 1, sizeof *table);
#ifdef _WIN32
  library = LoadLibraryA(argv[1]);
#else
  library = dlopen(argv[1], RTLD_NOW);
#endif
  if (!library || !table) return fprintf(stderr, "'%s' cannot be loaded\n", argv[1]), 2;
  find("fmi2Instantiate", &create), find("fmi2SetupExperiment", &setup);
  find("fmi2EnterInitializationMode", &enter), find("fmi2ExitInitializationMode", &leave);
  find("fmi2GetReal", &get), find("fmi2DoStep", &step), find("fmi2FreeInstance", &end);
  find("fmi2GetFMUstate", &save), find("fmi2SetFMUstate", &back), find("fmi2FreeFMUstate", &drop);
  find("fmi2SerializedFMUstateSize", &size), find("fmi2SerializeFMUstate", &out);
  find("fmi2DeSerializeFMUstate", &in);
  const callbacks call = {say, calloc, free, NULL, NULL};
  void *c = create("it", 1, argv[2], NULL, &call, 0, 1), *state = NULL, *again = NULL;
  if (!c) return 3;
  check("fmi2SetupExperiment", setup(c, 0, 0.0, 0.0, 0, 0.0));
  check("fmi2EnterInitializationMode", enter(c));
  check("fmi2ExitInitializationMode", leave(c));
  run(c, h, 0, n / 2, 1);
  size_t bytes = 0;
  check("fmi2GetFMUstate", save(c, &state));
  check("fmi2SerializedFMUstateSize", size(c, state, &bytes));
  char *raw = malloc(bytes + 1);
  if (!raw) return 3;
  check("fmi2SerializeFMUstate", out(c, state, raw, bytes));
  run(c, h, n / 2, n, 1);
  check("fmi2DeSerializeFMUstate", in(c, raw, bytes, &again));
  check("fmi2SetFMUstate", back(c, again));
  const int differ = run(c, h, n / 2, n, 0);
  drop(c, &state), drop(c, &again);
  end(c);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < nrefs; i++)
      printf("%a%c", table[(size_t)k * (size_t)nrefs + (size_t)i], i + 1 < nrefs ? ' ' : '\n');
  if (differ) fprintf(stderr, "%d steps differ after the state was put back\n", differ);
  free(raw), free(table);
  return differ ? 4 : 0;
}
