/* SPDX-License-Identifier: Apache-2.0
 *
 * chain.c: builds a chain of rods by calls, lets it fall from the horizontal, and prints the angle of
 * its first joint at every step.
 *
 *   chain LINKS [FILE]      chain 3 chain.yaml
 *
 * With FILE the model is also written as a model file, for the command `hooke` or another program.
 * Standard output has one line for each step, time and angle; what goes wrong is told on standard
 * error: for a model made by calls with the number of the call and the place in the model.
 */
#include <hooke/hooke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const hk_message *m, void *user) {
  FILE *out = user;
  if (m->file) fprintf(out, "%s:%d: ", m->file, (int)m->line);
  fprintf(out, "%s\n", m->text);
  if (m->hint) fprintf(out, "  hint: %s\n", m->hint);
}

/* one rod of 1 m and 1 kg along x, and the joint that hangs it on the one before */
static void add_link(hk_node *root, int number) {
  char path[64], name[32], before[32];
  snprintf(name, sizeof name, "rod%d", number);
  snprintf(before, sizeof before, "rod%d", number - 1);
  const char *const between[] = {number > 1 ? before : "ground", name};

  snprintf(path, sizeof path, "bodies.%s", name);
  hk_node *rod = hk_node_make(root, path);
  hk_node_set_number(rod, "mass", 1.0);
  hk_node_set_numbers(rod, "com", 3, (const double[]){number - 0.5, 0.0, 0.0});
  hk_node_set_text(hk_node_make(rod, "inertia"), "yy", "m*l^2/12");

  snprintf(path, sizeof path, "joints.pin%d", number);
  hk_node *pin = hk_node_make(root, path);
  hk_node_set_text(pin, "type", "revolute");
  hk_node_set_texts(pin, "between", 2, between);
  hk_node_set_numbers(pin, "at", 3, (const double[]){number - 1.0, 0.0, 0.0});
  hk_node_set_text(pin, "axis", "y");
}

/* the whole model: the same keys as in a model file. A call that is refused is told at once, and
 * again when the model is made: no status needs to be looked at here. */
static hk_node *make_chain(hk_ctx *ctx, int links) {
  hk_node *root = hk_node_new_map(ctx);
  hk_node_set_number(root, "hooke", 1);
  hk_node_set_text(root, "title", "Chain of rods, made by a program");
  hk_node_set_text(root, "planar", "xz");
  hk_node_set_numbers(root, "gravity", 3, (const double[]){0.0, 0.0, -9.81});
  hk_node_set_number(hk_node_make(root, "parameters"), "m", 1.0);
  hk_node_set_number(hk_node_make(root, "parameters"), "l", 1.0);
  for (int i = 1; i <= links; i++) add_link(root, i);
  hk_node *run = hk_node_make(root, "run");
  hk_node_set_number(run, "time", 2.0);
  hk_node_set_number(run, "step", 0.002);
  hk_node_set_text(run, "integrator", "trapezoidal");
  return root;
}

static hk_status march(hk_model *model) {
  hk_sim *sim = NULL;
  double angle;
  hk_status s = hk_sim_create(model, NULL, &sim);
  while (s == HK_OK) {
    s = hk_sim_value(sim, "joint.pin1.angle", &angle);
    if (s == HK_OK) printf("%.17g %.17g\n", hk_sim_time(sim), angle);
    if (hk_sim_done(sim)) break;
    if (s == HK_OK) s = hk_sim_step(sim);
  }
  hk_sim_destroy(sim);
  return s;
}

int main(int argc, char **argv) {
  const long links = argc >= 2 ? strtol(argv[1], NULL, 10) : -1;
  if (argc < 2 || argc > 3 || links < 0 || links > 10000) {
    fputs("usage: chain LINKS [FILE]\n", stderr);
    return 2;
  }
  hk_model *model = NULL;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, stderr);

  hk_node *root = make_chain(ctx, (int)links);
  hk_status s = hk_model_build(ctx, root, NULL, NULL, 0, &model);
  if (s == HK_OK && argc == 3) {
    const char *text = hk_model_text(model);
    s = hk_file_write(ctx, argv[2], text, strlen(text));
  }
  hk_node_destroy(root); // the model keeps nothing of it
  if (s == HK_OK) s = march(model);

  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return s == HK_OK ? 0 : 1;
}
