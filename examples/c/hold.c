/* SPDX-License-Identifier: Apache-2.0
 *
 * hold.c: what holds a mechanism still. At the start of a model, at rest, the force or torque on every
 * joint coordinate that balances gravity and springs; the inertia that each coordinate feels; how fast
 * a frame moves with each.
 *
 *   hold MODEL [FRAME]      hold pendulum.yaml body.bob
 *
 * Standard output has a line for each velocity of the model's tree: its name, the force that holds it,
 * its entry of the mass matrix and, with FRAME, the angular velocity and velocity of the frame at a
 * rate of one. Models with loops are held by the joints of the tree alone here; forward dynamics with
 * these forces and all constraints gives no acceleration then, which is checked.
 */
#include <hooke/hooke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void tell(const hk_message *m, void *user) {
  FILE *out = user;
  if (m->file) fprintf(out, "%s:%d:%d: ", m->file, (int)m->line, (int)m->column);
  fprintf(out, "%s\n", m->text);
  if (m->hint) fprintf(out, "  hint: %s\n", m->hint);
}

/* the start without its velocities: forces tau (n), masses M (n x n), accelerations a (n) under tau,
 * Jacobian J (6 x n) of the frame, if one is asked for */
static hk_status evaluate(hk_eval *e, int32_t frame, double *tau, double *M, double *a, double *J) {
  const int32_t n = hk_eval_velocities(e);
  double *q = malloc((size_t)hk_eval_coordinates(e) * sizeof *q);
  if (!q) return HK_E_MEMORY;
  hk_status s = hk_eval_get(e, NULL, q, NULL);
  if (s == HK_OK) s = hk_eval_state(e, 0.0, q, NULL);
  if (s == HK_OK) s = hk_eval_inverse(e, NULL, tau);
  if (s == HK_OK) s = hk_eval_mass(e, M, n);
  if (s == HK_OK) s = hk_eval_forward(e, tau, a, NULL);
  if (s == HK_OK && frame >= 0) s = hk_eval_jacobian(e, frame, J, n);
  free(q);
  return s;
}

static hk_status print(hk_eval *e, int32_t frame) {
  const int32_t n = hk_eval_velocities(e);
  double *block = calloc((size_t)n * (size_t)(n + 8), sizeof *block);
  if (!block) return HK_E_MEMORY;
  double *tau = block, *a = tau + n, *J = a + n, *M = J + 6 * n, most = 0.0;
  const hk_status s = evaluate(e, frame, tau, M, a, J);
  for (int32_t i = 0; s == HK_OK && i < n; i++) {
    printf("%s %.17g %.17g", hk_eval_velocity_name(e, i), tau[i], M[i * n + i]);
    for (int32_t k = 0; frame >= 0 && k < 6; k++) printf(" %.17g", J[k * n + i]);
    printf("\n");
    most = fmax(most, fabs(a[i]));
  }
  if (s == HK_OK) fprintf(stderr, "largest acceleration left: %.1e\n", most);
  free(block);
  return s;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    fputs("usage: hold MODEL [FRAME]\n", stderr);
    return 2;
  }
  hk_model *model = NULL;
  hk_eval *eval = NULL;
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 1;
  hk_ctx_on_message(ctx, tell, stderr);
  hk_status s = hk_model_load(ctx, argv[1], NULL, 0, &model);
  if (s == HK_OK) s = hk_eval_create(NULL, model, &eval);

  const int32_t frame = argc == 3 ? hk_eval_frame_find(eval, argv[2]) : -1;
  if (s == HK_OK && argc == 3 && frame < 0) {
    fprintf(stderr, "there is no frame '%s'; there are:\n", argv[2]);
    for (int32_t i = 0; i < hk_eval_frames(eval); i++)
      fprintf(stderr, "  %s\n", hk_eval_frame_name(eval, i));
    s = HK_E_USAGE;
  }
  if (s == HK_OK) s = print(eval, frame);

  hk_eval_destroy(eval);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return s == HK_OK ? 0 : 1;
}
