/* SPDX-License-Identifier: Apache-2.0
 *
 * pi_controller.c: a module with one sampled controller. At each instant, with the error e_k:
 *
 *   y_k = kp e_k + x_k,   x_(k+1) = x_k + ki h e_k
 */
#include <math.h>
#include <stddef.h>

#include "hooke/plugin.h"

typedef struct gains {
  double kp, ki;
} gains;

static const hk_plugin_key keys[] = {
    {"kp", HK_PLUGIN_REAL, HK_PLUGIN_REQUIRED, offsetof(gains, kp), NAN, 0, 0, "", NULL,
     "times the error"},
    {"ki", HK_PLUGIN_REAL, 0, offsetof(gains, ki), 0, 0, 0, "1/s", NULL, "times its integral"},
    {.kind = HK_PLUGIN_END}};

static void start(const void *par, const double *u, double *x, double *y) {
  (void)u, (void)x;
  // before the first instant: what the proportional part gives
  y[0] = ((const gains *)par)->kp * u[0];
}

static void sample(const void *par, double t, double h, const double *u, double *x, double *y) {
  const gains *g = par;
  (void)t;
  y[0] = g->kp * u[0] + x[0];
  x[0] += g->ki * h * u[0];
}

static const hk_plugin_block block = {
    .size = sizeof block,
    .name = "pi_controller",
    .text = "proportional and integral",
    .keys = keys,
    .par_size = sizeof(gains),
    .nu = 1,
    .nx = 1,
    .ny = 1,
    .start = start,
    .sample = sample,
};

static int32_t init(const hk_plugin_host *host) { return host->add_block(host, &block); }

HK_PLUGIN_ENTRY("pi_controller", "a sampled controller", init);
