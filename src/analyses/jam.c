/* SPDX-License-Identifier: Apache-2.0
 *
 * jam.c: joints that their own friction jams. Friction N c changes the accelerations and with them the
 * reactions that press the surfaces. The normal forces of a state solve
 *
 *   N = |R(N)|,        |R| linear in N but for its direction        slope d|R|/dN = -G
 *
 * with G of the border (linalg/border.h) at accelerations: a friction whose normal force grows by more
 * than itself through it has no solution. For one friction |R| is convex in N. Newton's method from
 * N = 0, where |R| - N > 0, then goes up to the smaller root, where 1 + G > 0, or meets 1 + G <= 0 on its
 * way: there is no root, and no motion without a jump. With several frictions det(1 + G) takes the place of
 * 1 + G. This is the paradox of Painleve; in truth such a joint stops at once, with an impulse.
 *
 * Source: P. Painleve, Sur les lois du frottement de glissement, 1895; F. Genot and B. Brogliato, New
 * results on Painleve paradoxes, 1999.
 */
#include "analyses/jam.h"

#include <math.h>
#include <stdio.h>

enum { PASSES = 60 };

const char hki_jam_hint[] = "make 'mu' or 'radius' of this friction smaller, against the lever of "
                            "what loads the joint; or let "
                            "the joint give way, by a bushing or a spring in its place";

int32_t hki_jam_work(const hk_model *m) { return 2 * m->nnormal + m->nv; }

/* largest gain, and the margin of all of them */
static void measure(const hk_tree *s, hk_jam *out) {
  const hk_border *b = &s->border;
  double det = b->negative ? -1.0 : 1.0;
  *out = (hk_jam){.normal = HK_NONE};
  for (int32_t i = 0; i < b->rank; i++) {
    const double gain = -b->G[i + b->most * i];
    det /= fabs(b->inv[i]);
    if (gain > out->gain) out->gain = gain, out->normal = i;
  }
  out->margin = fmin(det, 1.0 - out->gain);
}

hk_status hki_jam(hk_tree *s, double t, const double *q, const double *v, double *work,
                  hk_jam *out) {
  const int32_t n = s->m->nnormal;
  double *kept = work, *R = kept + n, *a = R + n, *N = s->kin.disc.normal;
  *out = (hk_jam){.normal = HK_NONE, .margin = 1.0};
  memcpy(kept, N, (size_t)n * sizeof *N);
  memset(N, 0, (size_t)n * sizeof *N);
  hk_status st = hki_tree_matrix(s);
  for (int pass = 0; st == HK_OK && pass < PASSES; pass++) {
    double change = 0.0, most = 0.0;
    if ((st = hki_tree_accel(s, t, q, v, a)) != HK_OK) break;
    st = hki_tree_normal_gains(s, a, R);
    if (st == HK_OK) measure(s, out);
    if (st == HK_E_SINGULAR) out->margin = 0.0, st = HK_OK;
    if (st != HK_OK || !(out->margin > 0.0)) break;
    // (1 + G) dN = |R| - N
    for (int32_t i = 0; i < n; i++) s->border.p[i] = R[i] - N[i];
    hki_border_forces(&s->border, s->border.p);
    for (int32_t i = 0; i < n; i++) {
      N[i] = fmax(N[i] + s->border.p[i], 0.0);
      change = fmax(change, fabs(s->border.p[i])), most = fmax(most, N[i]);
    }
    if (change <= 1e-9 * most) break;
  }
  memcpy(N, kept, (size_t)n * sizeof *N);
  hki_kin_forget(&s->kin, HK_KIN_OF_FORCES);
  return st;
}

void hki_jam_words(const hk_model *m, const hk_jam *j, char *buf, size_t cap) {
  const char *name = m->spec->joints[m->normals[j->normal == HK_NONE ? 0 : j->normal].joint].name;
  snprintf(buf, cap,
           "friction of joint '%.200s' jams it: where it slides each newton that presses it makes "
           "friction that presses it by %.3g N more, so that no motion has a normal force",
           name, j->gain);
}
