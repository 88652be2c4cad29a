/* SPDX-License-Identifier: Apache-2.0
 *
 * elastic.c: what elastic joints have in common; see elastic.h.
 */
#include "elements/elastic.h"

#include <math.h>

#include "elements/tangent.h"

/* part of a full turn beyond which a rotation is refused */
static const double most_turn = 0.95;

void hki_elastic_eval(const void *par, const hk_element_in *in, uint32_t need,
                      hk_element_out *out) {
  const hk_elastic *e = par;
  const int32_t a = e->part->first, n = e->part->count;
  double f[6] = {0};
  hk_pose p;
  hk_laws_in at = {.n = n, .s = p.s + a, .sd = p.sd + a, .u = in->u, .u_varies = in->u_varies};
  hk_laws_out law;
  at.mem = (hk_law_memory){in->st, 0, in->d + HK_ELASTIC_DISCRETE,
                           need & HK_NEED_MEMORY ? out->d : NULL};
  hki_pose((hk_reference)e->reference, in->m, e->turns ? in->d : NULL, &p);
  hki_laws_force(&e->law, &at, &law, out->ks, out->cs);
  memcpy(f + a, law.f, (size_t)n * sizeof *f);
  hki_pose_wrench(&p, in->m, f, out->w);

  if (need & (HK_NEED_TANGENT | HK_NEED_EXACT)) {
    double P[6 * HK_BS];
    hki_pose_rows(&p, in->m, out->B, need & HK_NEED_EXACT ? P : NULL);
    if (a) memmove(out->B, out->B + HK_BS * (ptrdiff_t)a, (size_t)(n * HK_BS) * sizeof *P);
    if (need & HK_NEED_EXACT) {
      hki_tangent_material(n, 12, out->B, P + HK_BS * (ptrdiff_t)a, out->ks, out->cs, out->K,
                           out->C);
      hki_pose_geometric(&p, in->m, f, out->K);
    }
    hki_tangent_symmetric(n, out->ks), hki_tangent_symmetric(n, out->cs);
  }
  for (int32_t i = 0; need & HK_NEED_INPUT && i < HK_LAWS_INPUTS(n); i++) {
    double df[6] = {0};
    hki_laws_input(&e->law, &at, &law, i, df + a);
    hki_pose_wrench(&p, in->m, df, out->Wu + 12 * (ptrdiff_t)i);
  }
  if (need & HK_NEED_ENERGY) hki_laws_energy(&e->law, &at, &law, out);
  if (need & HK_NEED_OUTPUT) {
    memcpy(out->y, p.s + a, (size_t)n * sizeof *f);
    memcpy(out->y + n, law.f, (size_t)n * sizeof *f);
  }
}

const char *hki_elastic_follow(const void *p, const hk_element_in *in, double *d) {
  const hk_elastic *par = p;
  double Q[9], th[3];
  if (!par->turns) return NULL;
  m3_tmul(Q, in->m[0].R, in->m[1].R);
  hki_rot_log_near(th, Q, d);
  v3_copy(d, th);
  if (v3_norm(th) <= most_turn * 2.0 * HK_PI) return NULL;
  return "its bodies are turned against each other by more than 342 degrees, and near a full turn "
         "its forces have no meaning; for a rotation that goes on about one axis use a joint with "
         "that axis and a 'joint_spring', which counts turns";
}

int32_t hki_elastic_laws(const void *p, const hk_law **list) {
  const hk_elastic *par = p;
  return hki_laws_list(&par->law, list);
}

hk_status hki_elastic_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_elastic *par,
                              const hk_elastic_part *part, uint32_t u_given) {
  int32_t springs = 0;
  for (int32_t i = 0; i < part->count; i++)
    springs += part->first + i >= 3 && hki_laws_springs(&par->law, i);
  par->part = part;
  par->turns = springs == 3 || par->reference == HK_REFERENCE_MIDDLE;
  return hki_laws_check(ctx, loc, part->type, name, part->axes, &par->law, u_given);
}
