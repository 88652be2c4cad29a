/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c: `hooke check MODEL`, the model doctor's report.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *const kinds[] = {"redundant", "conflict", "inertia-free", "massless",
                                    "start",     "note",     "release",      "direction",
                                    "units",     "locked",   "servo"};

static const char *kind_name(hk_finding_kind kind) {
  return (size_t)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind] : "note";
}

/* true when the rank was found, which needs an assembled mechanism */
static bool was_ranked(const hk_check_report *r) {
  return r->status == HK_OK || r->nfindings > 0 || r->rank > 0 || r->dof > 0;
}

/* --- for programs ----------------------------------------------------------------------------- */

/* a count, null when it is not known because the mechanism could not be assembled */
static void print_count(const char *name, int32_t n, bool known) {
  if (known) {
    printf(", \"%s\": %d", name, (int)n);
  } else {
    printf(", \"%s\": null", name);
  }
}

static void print_counts(const hk_check_report *r, bool ranked) {
  printf(", \"bodies\": %d, \"joints\": %d, \"forces\": %d, \"coordinates\": %d", (int)r->bodies,
         (int)r->joints, (int)r->forces, (int)r->coordinates);
  print_count("constraints", r->constraints, ranked);
  print_count("rank", r->rank, ranked);
  print_count("dof", r->dof, ranked);
  print_count("position_dof", r->position_dof, ranked);
  print_count("redundant", r->redundant, ranked);
  print_count("gruebler", r->gruebler, ranked);
  printf(", \"mechanisms\": %d, \"tree_joints\": %d, \"cut_joints\": %d, \"planar\": %s",
         (int)r->mechanisms, (int)r->tree_joints, (int)r->cut_joints, r->planar ? "true" : "false");
  fputs(", \"total_mass_kg\": ", stdout);
  cli_json_number(stdout, r->total_mass);
  fputs(", \"assembly\": {\"position_max\": ", stdout);
  cli_json_number(stdout, ranked ? r->assembly_position : NAN);
  fputs(", \"velocity_max\": ", stdout);
  cli_json_number(stdout, ranked ? r->assembly_velocity : NAN);
  fputs("}, \"compile_s\": ", stdout);
  cli_json_number(stdout, r->compile_s);
  fputs(", \"assembly_s\": ", stdout);
  cli_json_number(stdout, r->assembly_s);
}

static void print_names(const char *key, int32_t n, const char *const *names) {
  printf(", \"%s\": [", key);
  for (int32_t i = 0; i < n; i++) {
    if (i) fputs(", ", stdout);
    cli_json_string(stdout, names[i]);
  }
  fputs("]", stdout);
}

static void print_networks(const hk_check_report *r) {
  printf(", \"nodes\": %d, \"network_elements\": %d, \"unknowns\": %d, \"networks\": [",
         (int)r->nodes, (int)r->network_elements, (int)r->unknowns);
  for (int32_t i = 0; i < r->nnetworks; i++) {
    const hk_check_network *net = &r->networks[i];
    printf("%s{\"nodes\": [", i ? ", " : "");
    for (int32_t k = 0; k < net->nnodes; k++) {
      fputs(k ? ", {\"name\": " : "{\"name\": ", stdout);
      cli_json_string(stdout, net->nodes[k].name);
      printf(", \"type\": \"%s\", \"held\": %s}", net->nodes[k].domain,
             net->nodes[k].held ? "true" : "false");
    }
    fputs("]", stdout);
    print_names("elements", net->nelements, net->elements);
    fputs("}", stdout);
  }
  fputs("]", stdout);
}

/* the start state; values that are not named have asked: null */
static void print_start_json(const hk_check_report *r) {
  fputs(", \"start\": [", stdout);
  for (int32_t i = 0; i < r->nstart; i++) {
    const hk_check_value *x = &r->start[i];
    const double values[3] = {x->drawn, x->asked, x->found};
    static const char *const keys[3] = {"drawn", "asked", "found"};
    fputs(i ? ", {\"name\": " : "{\"name\": ", stdout);
    cli_json_string(stdout, x->name);
    fputs(", \"unit\": ", stdout);
    cli_json_string(stdout, x->unit);
    for (int k = 0; k < 3; k++) {
      printf(", \"%s\": ", keys[k]);
      cli_json_number(stdout, values[k]);
    }
    fputs(", \"why\": ", stdout);
    cli_json_string(stdout, x->why);
    fputs("}", stdout);
  }
  printf("], \"start_others\": %d", (int)r->start_others);
}

static void print_formulations(const hk_check_report *r) {
  fputs(", \"memory_bytes\": ", stdout);
  cli_json_number(stdout, r->nformulations ? r->memory : NAN);
  fputs(", \"formulations\": [", stdout);
  for (int32_t i = 0; i < r->nformulations; i++) {
    const hk_check_formulation *f = &r->formulations[i];
    printf("%s{\"name\": \"%s\", \"bytes\": %.0f, \"at_least\": %s, \"iteration_s\": ",
           i ? ", " : "", f->name, f->bytes, f->at_least ? "true" : "false");
    cli_json_number(stdout, f->at_least ? NAN : f->seconds);
    printf(", \"fits\": %s, \"chosen\": %s, \"why\": ", f->fits ? "true" : "false",
           f->chosen ? "true" : "false");
    cli_json_string(stdout, f->why);
    fputs("}", stdout);
  }
  fputs("]", stdout);
}

static void print_beams(const hk_check_report *r) {
  fputs(", \"beams\": [", stdout);
  for (int32_t i = 0; hk_check_beam(r, i); i++) {
    fputs(i ? ", " : "", stdout);
    cli_json_string(stdout, hk_check_beam(r, i));
  }
  fputs("]", stdout);
}

static void print_json(const char *path, const char *title, const hk_check_report *r,
                       const hk_inverse *inverse, hk_status status, const char *message) {
  fputs("{\"model\": ", stdout);
  cli_json_string(stdout, path);
  fputs(", \"title\": ", stdout);
  cli_json_string(stdout, title);
  if (r) {
    print_counts(r, was_ranked(r));
    print_networks(r);
    print_names("quasi_steady", r->quasi_steady.n, r->quasi_steady.names);
    printf(", \"states\": %d", (int)r->states);
    print_names("memories", r->memories.n, r->memories.names);
    print_beams(r);
    print_names("signals", r->signals.n, r->signals.names);
    print_names("inputs", r->inputs.n, r->inputs.names);
    print_names("events", r->events.n, r->events.names);
    print_names("markers", r->markers.n, r->markers.names);
    print_names("instances", r->instances.n, r->instances.names);
    print_names("cut", r->ncut, r->cut);
    print_start_json(r);
    print_formulations(r);
    cli_freedoms_json(inverse);
    fputs(", \"findings\": [", stdout);
    for (int32_t i = 0; i < r->nfindings; i++) {
      printf("%s{\"kind\": \"%s\", \"item\": ", i ? ", " : "", kind_name(r->findings[i].kind));
      cli_json_string(stdout, r->findings[i].item);
      fputs(", \"text\": ", stdout);
      cli_json_string(stdout, r->findings[i].text);
      fputs("}", stdout);
    }
    fputs("]", stdout);
  }
  printf(", \"status\": \"%s\", \"message\": ", status == HK_OK ? "ok" : "failed");
  cli_json_string(stdout, status == HK_OK       ? ""
                          : message && *message ? message
                                                : hk_status_text(status));
  fputs("}\n", stdout);
}

/* --- for people ------------------------------------------------------------------------------- */

enum { MOST_NAMES = 12 };

static void list_names(int32_t n, const char *const *names) {
  for (int32_t i = 0; i < n && i < MOST_NAMES; i++) printf("%s%s", i ? ", " : "", names[i]);
  if (n > MOST_NAMES) printf(" and %d more", (int)n - MOST_NAMES);
}

static void print_cut(const hk_check_report *r) {
  printf("  %-20s %d", "joints", (int)r->joints);
  if (r->cut_joints > 0) {
    printf(": %d in the tree, %d cut: ", (int)r->tree_joints, (int)r->cut_joints);
    list_names(r->ncut, r->cut);
  }
  putchar('\n');
}

/* a row with the names of a list; nothing for an empty list */
static void print_list(const char *what, const hk_check_names *list) {
  if (!list->n) return;
  printf("  %-20s %d: ", what, (int)list->n);
  list_names(list->n, list->names);
  putchar('\n');
}

/* forces that remember, with their private states */
static void print_memories(const hk_check_report *r) {
  if (!r->memories.n) return;
  printf("  %-20s %d state%s: ", "laws with memory", (int)r->states, r->states == 1 ? "" : "s");
  list_names(r->memories.n, r->memories.names);
  putchar('\n');
}

static void print_network(const hk_check_report *r) {
  if (!r->nodes) return;
  printf("  %-20s %d, %d element%s, %d scalar unknown%s\n", "nodes", (int)r->nodes,
         (int)r->network_elements, r->network_elements == 1 ? "" : "s", (int)r->unknowns,
         r->unknowns == 1 ? "" : "s");
  for (int32_t i = 0; i < r->nnetworks && i < MOST_NAMES; i++) {
    const hk_check_network *net = &r->networks[i];
    printf("  %-20s ", i ? "" : "networks");
    for (int32_t k = 0; k < net->nnodes && k < MOST_NAMES; k++) {
      const hk_check_node *x = &net->nodes[k];
      printf("%s%s (%s%s)", k ? ", " : "", x->name, x->domain, x->held ? ", held" : "");
    }
    if (net->nnodes > MOST_NAMES) printf(" and %d more", (int)net->nnodes - MOST_NAMES);
    fputs(net->nelements ? " by " : "", stdout);
    list_names(net->nelements, net->elements);
    putchar('\n');
  }
  if (r->nnetworks > MOST_NAMES)
    printf("  %-20s and %d more\n", "", (int)r->nnetworks - MOST_NAMES);
  print_list("quasi-steady", &r->quasi_steady);
}

/* the start state: what is named, moved or moving, one line each; the rest as a count */
static void print_start(const hk_check_report *r) {
  int width = 0;
  for (int32_t i = 0; i < r->nstart && i < MOST_NAMES; i++) {
    int n = (int)strlen(r->start[i].name);
    width = n > width ? n : width;
  }
  for (int32_t i = 0; i < r->nstart && i < MOST_NAMES; i++) {
    const hk_check_value *x = &r->start[i];
    char drawn[40] = "", asked[60] = "";
    // where it was drawn, unless it is a rate or has stayed; what was asked for, unless it is so
    if (!strchr(x->unit, '/') && fabs(x->found - x->drawn) > 1e-9 * fmax(1.0, fabs(x->drawn)))
      snprintf(drawn, sizeof drawn, "%.6g -> ", x->drawn);
    if (fabs(x->asked - x->found) > 1e-9 * fmax(1.0, fabs(x->asked)))
      snprintf(asked, sizeof asked, " instead of %.6g", x->asked);
    printf("  %-20s %-*s %s%.6g %s%s, %s\n", i ? "" : "start", width, x->name, drawn, x->found,
           x->unit, asked, x->why);
  }
  if (r->nstart > MOST_NAMES)
    printf("  %-20s and %d more that are named, moved or moving\n", "",
           (int)r->nstart - MOST_NAMES);
  printf("  %-20s %s%d coordinates and rates as drawn and at rest\n", r->nstart ? "" : "start",
         r->nstart ? "the other " : "all ", (int)r->start_others);
}

/* "7.4 GB" */
static const char *bytes_text(double bytes, char *buf, size_t cap) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
  size_t k = 0;
  for (; k + 1 < sizeof units / sizeof units[0] && bytes >= 999.5; k++) bytes /= 1000.0;
  snprintf(buf, cap, "%.3g %s", bytes, units[k]);
  return buf;
}

/* one line a formulation: memory, time relative to the chosen one, reason */
static void list_formulations(const hk_check_report *r) {
  double seconds = NAN;
  char bytes[32];
  for (int32_t i = 0; i < r->nformulations; i++)
    if (r->formulations[i].chosen) seconds = r->formulations[i].seconds;
  for (int32_t i = 0; i < r->nformulations; i++) {
    const hk_check_formulation *f = &r->formulations[i];
    printf("  %-20s %-12s %s%s", i ? "" : "formulations", f->name, f->at_least ? "at least " : "",
           bytes_text(f->bytes, bytes, sizeof bytes));
    if (!f->fits) fputs(", does not fit", stdout);
    if (f->chosen)
      printf(", chosen: %s\n", f->why);
    else if (f->at_least || !f->fits || isnan(seconds))
      putchar('\n');
    else
      printf(", an iteration takes about %.2g times as long\n", f->seconds / seconds);
  }
}

static void print_report(const char *path, const char *title, const hk_check_report *r,
                         const hk_inverse *inverse, hk_status status) {
  printf("%s%s%s%s\n", title && *title ? title : "", title && *title ? " (" : "", path,
         title && *title ? ")" : "");
  printf("  %-20s %d%s%s", "bodies", (int)r->bodies, r->planar ? ", planar" : "",
         r->mechanisms > 1 ? "" : "\n");
  if (r->mechanisms > 1) printf(", in %d mechanisms\n", (int)r->mechanisms);
  print_cut(r);
  printf("  %-20s %d\n", "forces", (int)r->forces);
  for (int32_t i = 0; hk_check_beam(r, i); i++)
    printf("  %-20s %s\n", i ? "" : "beams and shells", hk_check_beam(r, i));
  print_memories(r);
  print_network(r);
  print_list("signals", &r->signals);
  print_list("inputs", &r->inputs);
  print_list("events", &r->events);
  print_list("markers", &r->markers);
  print_list("instances", &r->instances);
  printf("  %-20s %d\n", "coordinates", (int)r->coordinates);
  if (was_ranked(r)) {
    printf("  %-20s %d, rank %d, %d redundant\n", "constraint rows", (int)r->constraints,
           (int)r->rank, (int)r->redundant);
    printf("  %-20s %d", "degrees of freedom", (int)r->dof);
    if (r->position_dof != r->dof) printf(" of velocities, %d of positions", (int)r->position_dof);
    printf(" (Gruebler's count: %d)\n", (int)r->gruebler);
    printf("  %-20s positions %.3g, velocities %.3g (largest rows)\n", "assembly",
           r->assembly_position, r->assembly_velocity);
    print_start(r);
  }
  printf("  %-20s %.6g kg\n", "mass", r->total_mass);
  list_formulations(r);
  cli_freedoms(inverse, 20);
  for (int32_t i = 0; i < r->nfindings; i++) {
    if (i == 0) putchar('\n');
    printf("  %-12s %s\n", kind_name(r->findings[i].kind), r->findings[i].text);
  }
  bool ends = false;
  for (int32_t i = 0; i < r->nfindings; i++)
    ends = ends || r->findings[i].kind == HK_FINDING_RELEASE;
  printf("\n%s\n", status != HK_OK ? "The model cannot run."
                   : ends          ? "The model can run until such a release."
                                   : "The model can run.");
}

/* --- the verb --------------------------------------------------------------------------------- */

/* the first moment of what `hooke inverse` would find, where the model asks for it; NULL: it does not */
static hk_inverse *examine_inverse(hk_model *model, hk_status *status) {
  hk_inverse *found = NULL;
  hk_sim_options sim = hk_sim_options_def();
  hk_run_options run = hk_run_options_def();
  if (*status != HK_OK || !hk_inverse_asked(model)) return NULL;
  sim.time = 1e-9, run.sim = &sim;
  *status = hk_inverse_run(model, NULL, &run, &found);
  return found;
}

static int examine(const cli_args *args, hk_ctx *ctx, cli_messages *messages, const hk_set *sets,
                   int nsets) {
  const char *path = args->positional[0];
  hk_model *model = NULL;
  hk_check_report *report = NULL;
  hk_status status = hk_model_load(ctx, path, sets, nsets, &model);
  bool loaded = status == HK_OK;
  if (loaded) status = hk_check(model, &report);
  const hk_status runs = status;
  hk_inverse *inverse = examine_inverse(model, &status);
  if (status != HK_OK && messages->errors == 0) {
    cli_error(hk_status_hint(status), "%s", hk_status_text(status));
  }
  const char *title = model ? hk_model_title(model) : NULL;
  if (cli_has(args, CLI_JSON)) {
    char *message = cli_first_error(ctx);
    print_json(path, title, report, inverse, status, message);
    free(message);
  } else if (report && !cli_has(args, CLI_QUIET)) {
    print_report(path, title, report, inverse, runs);
  }
  hk_inverse_destroy(inverse);
  if (report) hk_check_free(model, report);
  hk_model_release(model);
  int code = cli_exit_code(status);
  return !loaded && code == CLI_FAILED ? CLI_MODEL : code;
}

int cli_check(const cli_args *args) {
  cli_messages messages = {.quiet = cli_has(args, CLI_QUIET)};
  cli_pair *pairs = NULL;
  int n = 0, code = CLI_FILE;
  if (!cli_file("model", args->positional[0]) || !cli_pairs(args, CLI_SET, &pairs, &n)) {
    return CLI_USAGE;
  }
  hk_set *sets = calloc((size_t)n + 1, sizeof *sets);
  hk_ctx *ctx = hk_ctx_create();
  if (sets && ctx) {
    for (int i = 0; i < n; i++) sets[i] = (hk_set){pairs[i].name, pairs[i].value};
    hk_ctx_on_message(ctx, cli_on_message, &messages);
    code = cli_modules(args, ctx);
    if (code == CLI_DONE) code = examine(args, ctx, &messages, sets, n);
  } else {
    cli_no_memory();
  }
  hk_ctx_destroy(ctx);
  free(sets);
  cli_pairs_free(pairs, n);
  return code;
}
