/* SPDX-License-Identifier: Apache-2.0
 *
 * mujoco_steps.c: steps of a model in MuJoCo, through its C interface, without drawing. Compiled by bench/peers/run against the
 * wheel's headers and library.
 *
 *   mujoco_steps MODEL.xml STEP TIME OUTPUT         a line a step: time, then qpos (0..6), to OUTPUT ('-': none)
 *   mujoco_steps MODEL.xml STEP TIME drift          energies after each step, of the state at its end
 *   mujoco_steps MODEL.xml STEP TIME OUTPUT iltis   with the forces of examples/iltis/corner.yaml and the rounded stairs
 *
 * Prints the CPU time of the steps (s), their number, the accelerations at the start and the largest drift of energy (J; 0 without `drift`). With `iltis`
 * the car first comes to rest on flat ground, and then drives at 5 m/s.
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the forces of the Iltis ------------------------------------------------------------------ */

typedef struct corner {
  int chassis, arm, rod, carrier; /* bodies */
  int up, low, ball, centre,
      attached; /* sites: ends of the shock, the leaf's end, the wheel, all on their bodies */
  double radius;
} corner;

static corner corners[4];
static int flat_road;
static double calm; /* a damping of everything, while the car comes to rest */

static double clamp01(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/* examples/iltis/ramp-and-rounded-stairs.yaml */
static double road(double x) {
  static const double at[5] = {20, 23, 26, 29, 32};
  if (flat_road) return 0.0;
  double z = 0.1 * (fmax(x - 5.0, 0.0) - fmax(x - 15.0, 0.0)), c = 5.0;
  for (int i = 0; i < 5; i++) c -= cos(M_PI * clamp01((x - at[i]) / 0.2));
  return z - 0.1 * c;
}

static double damper(double v) {
  if (v < -0.2) return -416.42 + 1844.3 * v;
  if (v < 0.21) return v * (9945.627 + v * (33955.72 + v * (-59832.25 - 395651.0 * v)));
  return 1919.1638 + 1634.727 * v;
}

/* velocity of a site in world axes */
static void velocity(const mjModel *m, const mjData *d, int site, double v[3]) {
  double w[6];
  mj_objectVelocity(m, d, mjOBJ_SITE, site, w, 0);
  for (int i = 0; i < 3; i++) v[i] = w[3 + i];
}

static void push(const mjModel *m, mjData *d, int body, const double *point, const double *f) {
  const double none[3] = {0, 0, 0};
  mj_applyFT(m, d, f, none, point, body, d->qfrc_passive);
}

static void passive(const mjModel *m, mjData *d) {
  for (int c = 0; c < 4; c++) {
    const corner *k = &corners[c];
    const double *a = d->site_xpos + 3 * k->up, *b = d->site_xpos + 3 * k->low;
    double u[3], va[3], vb[3], f[3], g[3], L = 0.0, rate = 0.0;
    // shock: tension along the line of its ends
    for (int i = 0; i < 3; i++) u[i] = b[i] - a[i], L += u[i] * u[i];
    L = sqrt(L);
    velocity(m, d, k->up, va), velocity(m, d, k->low, vb);
    for (int i = 0; i < 3; i++) u[i] /= L, rate += u[i] * (vb[i] - va[i]);
    double T = -4.0092e6 + L * (2.8397e7 + L * (-6.7061e7 + L * 5.2796e7)) + damper(rate);
    for (int i = 0; i < 3; i++) f[i] = T * u[i], g[i] = -f[i];
    push(m, d, k->chassis, a, f), push(m, d, k->arm, b, g);
    // leaf: along the chassis' z axis, at the rod's end
    const double *R = d->xmat + 9 * k->chassis, *seat = d->site_xpos + 3 * k->attached,
                 *end = d->site_xpos + 3 * k->ball;
    double s = 0.0;
    for (int i = 0; i < 3; i++) s += -R[3 * i + 2] * (end[i] - seat[i]);
    T = 35900.0 * (s - 0.152);
    for (int i = 0; i < 3; i++) f[i] = -T * R[3 * i + 2], g[i] = -f[i];
    push(m, d, k->chassis, end, f), push(m, d, k->rod, end, g);
    // tyre: straight up
    const double *w = d->site_xpos + 3 * k->centre;
    const double e = k->radius + road(w[0]) - w[2];
    if (e > 0.0) {
      const double up[3] = {0, 0, 460000.0 * e};
      push(m, d, k->carrier, w, up);
    }
  }
  for (int i = 0; calm > 0.0 && i < m->nv; i++) d->qfrc_passive[i] -= calm * d->qvel[i];
}

static int id(const mjModel *m, int kind, const char *what, int c) {
  char name[32];
  snprintf(name, sizeof name, "%s%d", what, c);
  return mj_name2id(m, kind, name);
}

static void iltis(mjModel *m, mjData *d, double step) {
  for (int c = 0; c < 4; c++) {
    corner *k = &corners[c];
    k->chassis = mj_name2id(m, mjOBJ_BODY, "chassis");
    k->arm = id(m, mjOBJ_BODY, "arm", c), k->rod = id(m, mjOBJ_BODY, "rod", c);
    k->carrier = id(m, mjOBJ_BODY, "carrier", c);
    k->up = id(m, mjOBJ_SITE, "up", c), k->low = id(m, mjOBJ_SITE, "low", c);
    k->ball = id(m, mjOBJ_SITE, "ball", c), k->attached = id(m, mjOBJ_SITE, "seat", c);
    k->centre = id(m, mjOBJ_SITE, "centre", c);
    k->radius = c < 2 ? 0.364325 : 0.363812;
  }
  mjcb_passive = passive;
  // to rest on flat ground
  flat_road = 1;
  m->opt.timestep = 0.0005;
  for (int pass = 0; pass < 2; pass++) {
    calm = pass ? 0.0 : 20.0;
    for (int i = 0; i < 8000; i++) mj_step(m, d);
  }
  m->opt.timestep = step;
  flat_road = 0;
  memset(d->qvel, 0, (size_t)m->nv * sizeof *d->qvel);
  d->qpos[0] = d->qpos[1] = 0.0;
  d->qvel[0] = 5.0;
  d->time = 0.0;
}

int main(int argc, char **argv) {
  char error[1000] = "";
  if (argc < 5) return 2;
  const double step = atof(argv[2]), end = atof(argv[3]);
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData *d = mj_makeData(m);
  m->opt.timestep = step;
  m->opt.enableflags |= mjENBL_ENERGY;
  if (m->nkey) mj_resetDataKeyframe(m, d, 0);
  if (argc > 5) iltis(m, d, step);
  mj_forward(m, d);
  m->opt.enableflags &= ~mjENBL_ENERGY;
  const double E0 = d->energy[0] + d->energy[1];
  double drift = 0.0, spent = 0.0;
  printf("accelerations");
  for (int i = 0; i < m->nv; i++) printf(" %.12g", d->qacc[i]);
  printf("\n");
  mjData *whole = strcmp(argv[4], "drift") ? NULL : mj_makeData(m);
  FILE *out = strcmp(argv[4], "-") && !whole ? fopen(argv[4], "w") : NULL;
  const int n = (int)lround(end / step), many = m->nq < 7 ? m->nq : 7;
  // rows and energies are made between steps, outside of the time
  const int piece = out || whole ? 1 : n;
  for (int i = 0; i < n;) {
    const double t = now();
    int k = 0;
    for (; k < piece && i < n; k++, i++) mj_step(m, d);
    spent += now() - t;
    if (out) {
      fprintf(out, "%.9g", d->time);
      for (int q = 0; q < many; q++) fprintf(out, ",%.12g", d->qpos[q]);
      fprintf(out, "\n");
    }
    if (whole) { // positions of bodies in d are those of the step's start
      mj_copyData(whole, m, d);
      mj_fwdPosition(m, whole), mj_fwdVelocity(m, whole);
      mj_energyPos(m, whole), mj_energyVel(m, whole);
      drift = fmax(drift, fabs(whole->energy[0] + whole->energy[1] - E0));
    }
  }
  printf("cpu %.9g steps %d drift %.6g\nfinal", spent, n, drift);
  for (int i = 0; i < m->nq; i++) printf(" %.12g", d->qpos[i]);
  printf("\n");
  if (out) fclose(out);
  return 0;
}
