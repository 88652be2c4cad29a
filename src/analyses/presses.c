/* SPDX-License-Identifier: Apache-2.0
 *
 * presses.c: see presses.h. Three cases:
 *
 *   brakes, clutches     the force between the faces is a constant, and zero
 *   planar models        reactions lie in the plane; what presses lies across it
 *   all other joints     the reaction is F = I A + V x* (I V) - W over what the joint carries
 *                        (reactions.h). Where its pressing components vanish for several arbitrary
 *                        positions, velocities and accelerations at different times, they always do:
 *                        a slider through the centre of mass without weight, for instance
 *
 * The states need not be possible ones: a joint that is pressed in one of them is not spoken of.
 */
#include "analyses/presses.h"
#include "analyses/reactions.h"
#include "elements/joint_friction.h"
#include "kinematics/element.h"

enum { SAMPLES = 5 };
static const double nothing = 1e-9; /* of the largest reaction */

typedef struct presses {
  hk_tree *s;
  hk_pool *pool;
  hk_finding *list; /* in the pool, with room for all */
  int32_t n;
  bool failed;
} presses;

static void add(presses *p, const char *item, const char *text) {
  if (text)
    p->list[p->n++] = (hk_finding){HK_FINDING_NOTE, item, text};
  else
    p->failed = true;
}

/* forces with friction of faces of their own, pressed by a constant of zero */
static void faces(presses *p) {
  hk_kin *k = &p->s->kin;
  const hk_model *m = p->s->m;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_model_force *f = &m->forces[i];
    const hk_law *law[HK_ELEMENT_LAWS];
    const int32_t y = f->ops->outputs ? hki_word_find(f->ops->outputs, "normal") : -1;
    hk_frame F[HK_ELEMENT_MARKERS];
    hk_element_in in;
    hk_element_out out;
    if (y < 0 || f->u_varies || !f->ops->laws || f->ops->laws(f->par, law) < 1 ||
        law[0]->kind != HK_LAW_FRICTION)
      continue;
    hki_kin_force_in(k, i, F, &in);
    hki_kin_element(k, i, &in, HK_NEED_FORCE | HK_NEED_OUTPUT, &out);
    const char *name = m->spec->forces[f->spec].name;
    if (out.y[y] == 0.0)
      add(p, name,
          hki_pool_printf(p->pool,
                          "friction of force '%s' has no normal force: what presses its faces is "
                          "zero and stays so",
                          name));
  }
}

/* does a pressing direction of the joint lie in the plane of a planar model? */
static bool in_plane(const presses *p, const hk_normal *n) {
  const hk_model *m = p->s->m;
  const hk_model_joint *j = &m->joints[n->joint];
  hk_frame A;
  bool any = false;
  hki_kin_marker(&p->s->kin, j->mbody[0], &j->marker[0], &A);
  for (int k = 0; k < 3; k++) {
    double a[3], across[3];
    m3_column(a, A.R, k);
    v3_cross(across, a, m->spec->normal);
    const bool normal = v3_norm(across) < 1e-9, turns = n->press >> (3 + k) & 1u;
    any = any || ((n->press >> k & 1u) && !normal) || (turns && normal);
  }
  return any || (n->press & HK_PRESS_TWIST);
}

/* x[i]: arbitrary numbers of size scale */
static void arbitrary(uint64_t *seed, const double *scale, double size, int32_t n, double *x) {
  for (int32_t i = 0; i < n; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    x[i] = size * scale[i] * ((double)(*seed >> 11) / 4503599627370496.0 - 1.0);
  }
}

/* marks the joints (seen, nnormal) that are pressed at one arbitrary state; x: nq + 3 nv, wrench: nj x 6 */
static hk_status sample(presses *p, hk_reactions *r, const double *q, uint64_t seed, double *x,
                        double *wrench, bool *seen) {
  hk_tree *s = p->s;
  const hk_model *m = s->m;
  double *q1 = x, *v = x + m->nq, *a = v + m->nv, *d = a + m->nv, top = 0.0;
  arbitrary(&seed, s->scale, 0.3, m->nv, d);
  arbitrary(&seed, s->scale, 3.0, m->nv, v);
  arbitrary(&seed, s->scale, 10.0, m->nv, a);
  hki_tree_plus(m, q, d, q1);
  hki_tree_state(s, 0.17 * (double)(seed % 64u), q1, v, 0);
  const hk_status st = hki_reactions_eval(r, s, a, wrench, NULL, NULL);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < 6 * m->spec->njoints; i++)
    if (i % 6 < 3) top = fmax(top, fabs(wrench[i]));
  for (int32_t i = 0; i < m->nnormal; i++) {
    const hk_normal *n = &m->normals[i];
    const hk_model_joint *j = &m->joints[n->joint];
    double f[3];
    hk_frame A;
    hki_kin_marker(&s->kin, j->mbody[0], &j->marker[0], &A);
    m3_tmulv(f, A.R, wrench + 6 * n->joint);
    for (int k = 0; k < 3; k++)
      seen[i] = seen[i] || ((n->press >> k & 1u) && !(fabs(f[k]) <= nothing * top));
    // any moment speaks for one that presses
    const double turns = v3_norm(wrench + 6 * n->joint + 3);
    seen[i] = seen[i] || (hki_press_turns(n->press) && turns > nothing * top);
  }
  return HK_OK;
}

static hk_status reacts(presses *p, const double *q, bool *seen) {
  const hk_model *m = p->s->m;
  hk_reactions *r = NULL;
  const size_t n = (size_t)(m->nq + 3 * m->nv + 6 * m->spec->njoints);
  double *x = hki_pool_alloc(p->pool, (n + 1) * sizeof *x);
  if (!x) return HK_E_MEMORY;
  hk_status st = hki_reactions_create(p->s->ctx, m, &r);
  for (uint64_t i = 0; st == HK_OK && i < SAMPLES; i++)
    st = sample(p, r, q, i + 1, x, x + m->nq + 3 * m->nv, seen);
  if (r) hki_reactions_destroy(r);
  // where reactions cannot be found, nothing is said
  for (int32_t i = 0; st != HK_OK && i < m->nnormal; i++) seen[i] = true;
  return st == HK_E_MEMORY ? st : HK_OK;
}

hk_status hki_presses(hk_tree *s, hk_pool *pool, const double *q, hk_finding **list, int32_t *n) {
  const hk_model *m = s->m;
  presses p = {.s = s, .pool = pool};
  bool *seen = hki_pool_alloc(pool, (size_t)(m->nnormal + 1) * sizeof *seen);
  p.list = hki_pool_alloc(pool, (size_t)(m->nf + m->nnormal + 1) * sizeof *p.list);
  *list = NULL;
  *n = 0;
  if (!seen || !p.list) return HK_E_MEMORY;
  faces(&p);
  const hk_status st = m->nnormal ? reacts(&p, q, seen) : HK_OK;
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < m->nnormal; i++) {
    const hk_normal *one = &m->normals[i];
    const char *name = m->spec->joints[one->joint].name;
    const bool plane = m->spec->planar && !in_plane(&p, one);
    const bool preloaded = hki_joint_friction_preload(m->forces[one->force].par) > 0.0;
    const bool said = i && m->normals[i - 1].joint == one->joint;
    if (one->closure != HK_NONE) continue; // a stop presses when it is reached
    if (said || preloaded || (!plane && seen[i])) continue;
    add(&p, name,
        hki_pool_printf(
            pool,
            plane ? "friction of joint '%s' has no normal force: only forces across the "
                    "plane of the model would press it, and there are none; give 'preload'"
                  : "friction of joint '%s' has no normal force: nothing that moves or "
                    "acts here loads the joint where it would press; give 'preload'",
            name));
  }
  *list = p.list;
  *n = p.n;
  return p.failed ? HK_E_MEMORY : HK_OK;
}
