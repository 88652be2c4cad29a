/* SPDX-License-Identifier: Apache-2.0
 *
 * export_main.c: main.c beside a model as a program in C: to the end of the run, then the object of `hooke run --json` as
 * far as such a program knows it. Names, counts and methods stand in it as they are when it is written; steps, times,
 * energies and values are those of the program. In the texts below $ stands for its name.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/export_main.h"

#define MADE "To the end of the run, and the object of `hooke run --json`"

static const char before[] = "\n"
                             "#include <math.h>\n"
                             "#include <stdio.h>\n"
                             "#include <stdlib.h>\n"
                             "#include <string.h>\n"
                             "#include <time.h>\n"
                             "\n"
                             "#include \"$\"\n"
                             "\n";

static const char steps[] =
    "\n"
    "static $ m;\n"
    "static double y[$_OUTPUTS + 1], most = 0.0;\n"
    "static long long steps = 0, iterations = 0;\n"
    "\n"
    "static int index_of(const char *(*name)(int), int n, const char *text, size_t length) {\n"
    "  for (int i = 0; i < n; i++)\n"
    "    if (strlen(name(i)) == length && strncmp(name(i), text, length) == 0) return i;\n"
    "  return -1;\n"
    "}\n"
    "\n"
    "static double shown(int i) { return i < 0 ? NAN : y[i]; }\n"
    "\n"
    "static const char *why = \"\"; /* an argument is wrong */\n"
    "\n"
    "/* a value NAME=VALUE for an input or a parameter; 0: there is none of this name, or it "
    "cannot have this value */\n"
    "static int take(const char *text, int parameters) {\n"
    "  char *end;\n"
    "  const char *equals = strchr(text, '=');\n"
    "  why = \"expected NAME=VALUE of an input or a parameter\";\n"
    "  if (!equals) return 0;\n"
    "  const size_t n = (size_t)(equals - text);\n"
    "  const double x = strtod(equals + 1, &end);\n"
    "  const int p = index_of($_parameter_name, $_PARAMETERS, text, n);\n"
    "  const int u = index_of($_input_name, $_INPUTS, text, n);\n"
    "  if (p < 0 && u < 0) return 0;\n"
    "  why = \"expected a number behind '='\";\n"
    "  if (end == equals + 1 || *end || !isfinite(x)) return 0;\n"
    "  why = \"the program cannot have this value: the model takes none like it, or becomes "
    "another program\";\n"
    "  if (parameters) return p < 0 || $_set_parameter(&m, p, x) == 0;\n"
    "  if (u >= 0) $_set_input(&m, u, x);\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "/* the start, with what was given; the first argument that is wrong, 0: none is */\n"
    "static int begin(int n, char **given) {\n"
    "  m = $_make();\n"
    "  for (int i = 1; i < n; i++)\n"
    "    if (!take(given[i], 1)) return i;\n"
    "  $_restart(&m);\n"
    "  for (int i = 1; i < n; i++) take(given[i], 0);\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "/* all steps; 0: the last one failed. audit: the balance of energies is looked at after each "
    "*/\n"
    "static int go(int audit) {\n"
    "  int turns = 0;\n"
    "  for (steps = iterations = 0; steps < STEPS; steps++) {\n"
    "    if ((turns = $_step(&m)) < 0) break;\n"
    "    iterations += turns;\n"
    "    if (!audit) continue;\n"
    "    $_outputs(&m, y);\n"
    "    if (!(fabs(shown(BALANCE)) <= fabs(most))) most = shown(BALANCE);\n"
    "  }\n"
    "  return turns >= 0;\n"
    "}\n";

static const char object[] =
    "\n"
    "static void put(const char *name, double x, const char *then) {\n"
    "  if (isfinite(x))\n"
    "    printf(\"\\\"%s\\\": %.17g%s\", name, x, then);\n"
    "  else\n"
    "    printf(\"\\\"%s\\\": null%s\", name, then);\n"
    "}\n"
    "\n"
    "static void count(const char *name, long long n, const char *then) {\n"
    "  printf(\"\\\"%s\\\": %lld%s\", name, n, then);\n"
    "}\n"
    "\n"
    "static void put_energy(double initial) {\n"
    "  printf(\"\\\"energy\\\": {\");\n"
    "  put(\"initial_J\", initial, \", \");\n"
    "  put(\"final_J\", shown(TOTAL), \", \");\n"
    "  put(\"max_drift_J\", most, \", \");\n"
    "  put(\"supplied_J\", shown(SUPPLIED), \", \");\n"
    "  put(\"dissipated_J\", shown(DISSIPATED), \", \");\n"
    "  put(\"balance_error_J\", shown(BALANCE), \",\\n    \");\n"
    "  printf(\"\\\"supplied_by_J\\\": null, \\\"dissipated_by_J\\\": null},\\n  \");\n"
    "}\n"
    "\n"
    "static void put_values(void) {\n"
    "  printf(\"\\\"final\\\": {\");\n"
    "  for (int i = 0; i < SHOWN; i++) {\n"
    "    if (i > 0) printf(\", \");\n"
    "    put($_output_name(i), y[i], \"\");\n"
    "  }\n"
    "  printf(\"},\\n  \");\n"
    "}\n"
    "\n"
    "int main(int argc, char **argv) {\n"
    "  const int wrong = begin(argc, argv);\n"
    "  if (wrong) {\n"
    "    fprintf(stderr, \"%s: %s, found '%s'\\n\", argv[0], why, argv[wrong]);\n"
    "    return 2;\n"
    "  }\n"
    "  $_outputs(&m, y);\n"
    "  const double initial = shown(TOTAL);\n"
    "\n"
    "  /* the steps alone, for the time that they take, then once more with the audit */\n"
    "  const clock_t since = clock();\n"
    "  int good = go(0);\n"
    "  const double cpu = (double)(clock() - since) / CLOCKS_PER_SEC, t = $_time(&m);\n"
    "  if (BALANCE >= 0) {\n"
    "    begin(argc, argv);\n"
    "    good = go(1);\n"
    "  } else {\n"
    "    most = NAN;\n"
    "  }\n"
    "  $_outputs(&m, y);\n"
    "\n"
    "  printf(\"%s\", head);\n"
    "  put(\"time_s\", t, \", \");\n"
    "  count(\"steps\", steps, \", \"), count(\"rejected\", 0, \", \");\n"
    "  put(\"iterations\", ITERATES ? (double)iterations : NAN, \", \");\n"
    "  put(\"sweeps\", ITERATES ? (double)((iterations + STAGES - 1) / STAGES) : NAN, \", \");\n"
    "  count(\"impacts\", 0, \",\\n  \");\n"
    "  put(\"cpu_s\", cpu, \", \"), put(\"real_time_factor\", cpu > 0.0 ? t / cpu : NAN, \",\\n  "
    "\");\n"
    "  put_energy(initial);\n"
    "  printf(\"\\\"constraint\\\": {\\\"position_max\\\": null, \\\"velocity_max\\\": null, "
    "\\\"acceleration_max\\\": null},\\n  \");\n"
    "  printf(\"\\\"grade\\\": null, \\\"drift_percent\\\": null, \\\"warnings\\\": "
    "[{\\\"text\\\": \\\"a program of a model has no grade\\\", \"\n"
    "         \"\\\"hint\\\": \\\"hooke run says how good these steps are\\\"}],\\n  \");\n"
    "  put_values();\n"
    "  if (good)\n"
    "    printf(\"\\\"status\\\": \\\"ok\\\", \\\"message\\\": \\\"\\\"\\n}\\n\");\n"
    "  else\n"
    "    printf(\"\\\"status\\\": \\\"failed\\\", \\\"message\\\": \\\"the step from %.9g s "
    "failed\\\"\\n}\\n\", t);\n"
    "  return good ? 0 : 5;\n"
    "}\n";

bool hki_main_may_write(const char *path) {
  char begin[400] = "";
  FILE *f = fopen(path, "rb");
  if (!f) return true;
  const size_t n = fread(begin, 1, sizeof begin - 1, f);
  fclose(f);
  return n == 0 || strstr(begin, MADE) != NULL;
}

/* a text between quotes of C */
static void quoted(hk_text *out, const char *s) {
  hki_text_add(out, "\"");
  for (; s && *s; s++) {
    if (*s == '\n')
      hki_text_add(out, "\\n\"\n    \"");
    else if (*s == '"' || *s == '\\' || *s == '?') // ? of trigraphs
      hki_text_printf(out, "\\%c", *s);
    else
      hki_text_addn(out, s, 1);
  }
  hki_text_add(out, "\"");
}

/* with the name of the program, and of its header in the place of "$" */
static void put(hk_text *out, const char *text, const char *name, const char *header) {
  for (const char *s = text; *s; s++) {
    if (*s != '$')
      hki_text_addn(out, s, 1);
    else
      hki_text_add(out, s[-1] == '"' ? header : name);
  }
}

/* number of an output, -1: the program does not have it */
static int32_t output_of(const hk_followed *t, const char *name) {
  for (int32_t i = 0; i < t->noutputs; i++)
    if (strcmp(t->output_names[i], name) == 0) return i;
  return -1;
}

void hki_write_main(const hk_followed *t, const hk_program *what, hk_sim *s, int32_t asked,
                    hk_text *out) {
  hk_summary r;
  hk_text head;
  int32_t shown = 0;
  while (shown < t->noutputs && t->shows[shown] < asked) shown++;
  hk_sim_summary(s, &r);
  hki_text_init(&head, t->ctx);
  hki_summary_head(&r, &head);

  hki_write_title(what, out);
  hki_text_printf(out,
                  "/* " MADE " as far as it is known here (null: it is not):\n *\n"
                  " *   cc -O3 %.*s.c main.c -lm && ./a.out [NAME=VALUE of an input or a kept "
                  "parameter ..] */\n",
                  (int)strlen(what->header) - 2, what->header);
  put(out, before, what->name, what->header);
  hki_text_printf(out, "#define STEPS %.0fLL\n",
                  fmax(ceil(s->end / t->step * (1.0 - 1e-12) - 1e-9), 0.0));
  const hk_integrator_ops *ops = s->I.ops;
  hki_text_printf(out, "enum { STAGES = %d, ITERATES = %d, SHOWN = %d",
                  (int)(ops->stages > 1 ? ops->stages : 1), !ops->once, (int)shown);
  static const char *const names[] = {"TOTAL", "SUPPLIED", "DISSIPATED", "BALANCE"};
  for (int i = 0; hki_export_audit[i]; i++)
    hki_text_printf(out, ", %s = %d", names[i], (int)output_of(t, hki_export_audit[i]));
  hki_text_add(out, " }; /* outputs; -1: there is none */\n\nstatic const char head[] =\n    ");
  quoted(out, head.s);
  hki_text_add(out, ";\n");
  put(out, steps, what->name, what->header);
  put(out, object, what->name, what->header);
  if (head.failed) out->failed = true;
  hki_text_free(&head);
}
