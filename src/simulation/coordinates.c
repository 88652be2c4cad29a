/* SPDX-License-Identifier: Apache-2.0
 *
 * coordinates.c: see coordinates.h.
 */
#include "simulation/coordinates.h"

/* signs and zeros of the coordinates that are those of joints */
static void find_signs(const hk_model *m, hk_pool *pool, hk_coordinates *c) {
  for (int32_t i = 0; i < m->nq; i++) c->q_sign[i] = 1.0, c->q_zero[i] = 0.0;
  for (int32_t i = 0; i < m->nv; i++) c->sign[i] = 1.0;
  for (int32_t i = 0; i < m->ns; i++) {
    const hk_scalar *s = &m->scalars[i];
    if (s->qi == HK_NONE || c->q_name[s->qi]) continue;
    const hk_spec_joint *j = &m->spec->joints[s->joint];
    int n, r;
    const char *word = hki_word(j->ops->coords, s->coord, &n);
    const char *rate = hki_word(j->ops->rates, s->coord, &r);
    c->q_sign[s->qi] = c->sign[s->vi] = s->sign;
    c->q_zero[s->qi] = s->zero;
    c->q_name[s->qi] = hki_pool_printf(pool, "joint.%s.%.*s", j->name, n, word);
    c->v_name[s->vi] = hki_pool_printf(pool, "joint.%s.%.*s", j->name, r, rate);
  }
}

/* name of one coordinate or velocity of a body that is not a joint's own */
static const char *other_name(const hk_model *m, hk_pool *pool, const hk_model_body *b,
                              const char *words, int32_t k) {
  int n;
  const char *word = hki_word(words, k, &n);
  if (b->joint == HK_NONE)
    return hki_pool_printf(pool, "body.%s.free.%.*s", m->spec->bodies[b->spec].name, n, word);
  return hki_pool_printf(pool, "joint.%s.%s%.*s", m->spec->joints[b->joint].name,
                         b->reversed ? "inverse." : "", n, word);
}

/* names of all that is no scalar coordinate of a joint */
static void find_others(const hk_model *m, hk_pool *pool, hk_coordinates *c) {
  for (int32_t i = 0; i < m->nb; i++) {
    const hk_model_body *b = &m->bodies[i];
    for (int32_t k = 0; k < b->nq; k++)
      if (!c->q_name[b->q0 + k]) c->q_name[b->q0 + k] = other_name(m, pool, b, b->ops->coords, k);
    // channels have angular velocities in the axes of the other side: these have a name of their own
    const int32_t turns = b->ops->caps & HK_JOINT_QUATERNION ? b->nv - 3 : b->nv;
    for (int32_t k = 0; k < b->nv; k++) {
      int n;
      const char *unit = k < turns ? hki_word(b->ops->units, k, &n) : "rad";
      if (k >= turns) n = (int)strlen(unit);
      c->unit[b->v0 + k] = hki_pool_strndup(pool, unit, (size_t)n);
      c->q_of[b->v0 + k] = k < turns ? b->q0 + k : HK_NONE;
      if (c->v_name[b->v0 + k]) continue;
      c->v_name[b->v0 + k] =
          k < turns ? other_name(m, pool, b, b->ops->rates, k)
                    : other_name(m, pool, b, "turning.x turning.y turning.z", k - turns);
    }
  }
}

hk_status hki_coordinates_find(const hk_model *m, hk_pool *pool, hk_coordinates *out) {
  const size_t nq = (size_t)m->nq + 1, nv = (size_t)m->nv + 1;
  out->q_sign = hki_pool_alloc(pool, nq * sizeof *out->q_sign);
  out->q_zero = hki_pool_alloc(pool, nq * sizeof *out->q_zero);
  out->sign = hki_pool_alloc(pool, nv * sizeof *out->sign);
  out->q_name = hki_pool_alloc(pool, nq * sizeof *out->q_name);
  out->v_name = hki_pool_alloc(pool, nv * sizeof *out->v_name);
  out->q_of = hki_pool_alloc(pool, nv * sizeof *out->q_of);
  out->unit = hki_pool_alloc(pool, nv * sizeof *out->unit);
  bool ok = out->unit && out->q_sign && out->q_zero && out->sign && out->q_name && out->v_name &&
            out->q_of;
  if (!ok) return HK_E_MEMORY;
  find_signs(m, pool, out);
  find_others(m, pool, out);
  for (int32_t i = 0; i < m->nq; i++) ok = ok && out->q_name[i];
  for (int32_t i = 0; i < m->nv; i++) ok = ok && out->v_name[i] && out->unit[i];
  return ok ? HK_OK : HK_E_MEMORY;
}

/* the quaternion at the end of a body's coordinates gets length 1; false: it has no direction */
static bool normalise(const hk_model_body *b, double *q) {
  if (!(b->ops->caps & HK_JOINT_QUATERNION)) return true;
  double *x = q + b->q0 + b->nq - 4;
  const double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
  if (!(n > 1e-150) || !isfinite(n)) return false;
  for (int i = 0; i < 4; i++) x[i] /= n;
  return true;
}

bool hki_coordinates_normalise(const hk_model *m, double *q) {
  bool ok = true;
  for (int32_t b = 0; b < m->nb; b++) ok = normalise(&m->bodies[b], q) && ok;
  return ok;
}
