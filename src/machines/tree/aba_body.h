/* SPDX-License-Identifier: Apache-2.0
 *
 * aba_body.h: the passes of the articulated-body recursion (equations in aba.h), included by
 * aba_any.c and aba_wide.c, once for each kind of vector (geometry/vec3.h).
 *
 * What a body hands to its parent goes on in registers where the parent is the body before it, and
 * through memory (f->sum) only where a body has several children. The wrench of a body at rest
 * accelerations is that of Newton and Euler about the point of the body that is at O now:
 *
 *   a' = A0_v + w x v                  its acceleration
 *   f  = m a' + dw x h + w x (w x h)   h: first moment, dw = A0_w
 *   n  = I dw + w x (I w) + h x a'
 */

/* articulated inertia by columns, upper and lower halves, and articulated wrench */
typedef struct art {
  vec a[6], l[6], pa, pl;
} art;

HKI_INLINE void art_zero(art *c) {
  const vec zero = vec_splat(0.0);
  for (int j = 0; j < 6; j++) c->a[j] = c->l[j] = zero;
  c->pa = c->pl = zero;
}

/* columns of the moment of inertia */
HKI_INLINE void moments(const hk_inertia *I, vec *x, vec *y, vec *z) {
#ifdef VEC3_WIDE
  const vec p = *(const vec *)I->I, q = *(const vec *)(I->I + 2);
  *x = vec_clear(__builtin_shufflevector(p, q, 0, 3, 6, 6));
  *y = vec_clear(__builtin_shufflevector(p, q, 5, 1, 7, 7));
  *z = vec_clear(__builtin_shufflevector(q, q, 2, 3, 0, 0));
#else
  *x = vec_set(I->I[0], I->I[3], I->I[4]);
  *y = vec_set(I->I[3], I->I[1], I->I[5]);
  *z = vec_set(I->I[4], I->I[5], I->I[2]);
#endif
}

/* c += the inertia of the body; wrench: also its wrench at rest accelerations, less the applied one */
HKI_INLINE void add_body(art *c, const hk_kin *k, int32_t b, bool wrench) {
  const hk_inertia *I = &k->I[b];
  const vec h = vec_last(&I->m);
  vec Ix, Iy, Iz;
  moments(I, &Ix, &Iy, &Iz);
  c->a[0] = vec_add(c->a[0], Ix), c->a[1] = vec_add(c->a[1], Iy), c->a[2] = vec_add(c->a[2], Iz);
  const vec x = vec_skew(h, 0), y = vec_skew(h, 1), z = vec_skew(h, 2);
  c->l[0] = vec_add(c->l[0], x), c->l[1] = vec_add(c->l[1], y), c->l[2] = vec_add(c->l[2], z);
  c->a[3] = vec_sub(c->a[3], x), c->a[4] = vec_sub(c->a[4], y), c->a[5] = vec_sub(c->a[5], z);
  c->l[3] = vec_add(c->l[3], vec_scale(I->m, vec_set(1.0, 0.0, 0.0)));
  c->l[4] = vec_add(c->l[4], vec_scale(I->m, vec_set(0.0, 1.0, 0.0)));
  c->l[5] = vec_add(c->l[5], vec_scale(I->m, vec_set(0.0, 0.0, 1.0)));
  if (!wrench) return;
  const double *V = k->V + 6 * b, *A = k->A0 + 6 * b, *W = k->W + 6 * b;
  const vec w = vec_first(V), dw = vec_first(A);
  const vec at = vec_add(vec_last(A + 2), vec_cross(w, vec_last(V + 2)));
  const vec Iw = vec_add(vec_add(vec_scale(V[0], Ix), vec_scale(V[1], Iy)), vec_scale(V[2], Iz));
  const vec Id = vec_add(vec_add(vec_scale(A[0], Ix), vec_scale(A[1], Iy)), vec_scale(A[2], Iz));
  const vec f =
      vec_add(vec_add(vec_scale(I->m, at), vec_cross(dw, h)), vec_cross(w, vec_cross(w, h)));
  const vec n = vec_add(vec_add(Id, vec_cross(w, Iw)), vec_cross(h, at));
  c->pa = vec_add(c->pa, vec_sub(n, vec_first(W)));
  c->pl = vec_add(c->pl, vec_sub(f, vec_last(W + 2)));
}

/* joint with one coordinate: U, D^-1, u, and c becomes what the parent feels */
HKI_INLINE void one_joint(hk_aba *f, const hk_kin *k, const hk_aba_link *l, const double *E,
                          const double *rhs, art *c) {
  const double *S = k->S + 6 * l->v0;
  const vec Sa = vec_first(S), Sl = vec_last(S + 2);
  vec Ua = vec_scale(S[0], c->a[0]), Ul = vec_scale(S[0], c->l[0]);
  for (int j = 1; j < 6; j++) {
    Ua = vec_add(Ua, vec_scale(S[j], c->a[j]));
    Ul = vec_add(Ul, vec_scale(S[j], c->l[j]));
  }
  double D = vec_sum(vec_add(vec_mul(Sa, Ua), vec_mul(Sl, Ul)));
  if (E) D += E[l->d0];
  if (!(D > 1e-4 * f->little[l->v0])) {
    D += f->little[l->v0];
    f->nsoft++;
    f->soft = l->v0;
  }
  const double inv = 1.0 / D;
  double *U = f->U + 6 * l->v0;
  vec_store6(U, Ua, Ul);
  f->Dinv[l->d0] = inv;
  double u = 0.0;
  if (rhs) {
    u = rhs[l->v0] - vec_sum(vec_add(vec_mul(Sa, c->pa), vec_mul(Sl, c->pl)));
    f->u[l->v0] = u;
  }
  if (l->parent == HK_GROUND) return;
  const vec Da = vec_scale(inv, Ua), Dl = vec_scale(inv, Ul);
  for (int j = 0; j < 3; j++) {
    const double x = vec_get(Ua, j), y = vec_get(Ul, j);
    c->a[j] = vec_sub(c->a[j], vec_scale(x, Da)), c->l[j] = vec_sub(c->l[j], vec_scale(x, Dl));
    c->a[3 + j] = vec_sub(c->a[3 + j], vec_scale(y, Da));
    c->l[3 + j] = vec_sub(c->l[3 + j], vec_scale(y, Dl));
  }
  if (!rhs) return;
  c->pa = vec_add(c->pa, vec_scale(u, Da)), c->pl = vec_add(c->pl, vec_scale(u, Dl));
}

/* joint with any number of coordinates */
static void any_joint(hk_aba *f, const hk_kin *k, const hk_aba_link *l, const double *E,
                      const double *rhs, art *c) {
  double IA[36], P[6];
  for (int j = 0; j < 6; j++) vec_store6(IA + 6 * j, c->a[j], c->l[j]);
  vec_store6(P, c->pa, c->pl);
  hki_aba_joint(f, k, l, E, rhs, IA, P);
  for (int j = 0; j < 6; j++) c->a[j] = vec_first(IA + 6 * j), c->l[j] = vec_last(IA + 6 * j + 2);
  c->pa = vec_first(P), c->pl = vec_last(P + 2);
}

/* f->sum of a body with several children: set by its last child, which comes first */
static void put(double *sum, const art *c, bool first) {
  for (int j = 0; j < 7; j++, sum += 6) {
    vec a = j < 6 ? c->a[j] : c->pa, l = j < 6 ? c->l[j] : c->pl;
    if (!first) a = vec_add(vec_first(sum), a), l = vec_add(vec_last(sum + 2), l);
    vec_store6(sum, a, l);
  }
}

static void take(const double *sum, art *c) {
  for (int j = 0; j < 6; j++, sum += 6) {
    c->a[j] = vec_add(c->a[j], vec_first(sum));
    c->l[j] = vec_add(c->l[j], vec_last(sum + 2));
  }
  c->pa = vec_add(c->pa, vec_first(sum)), c->pl = vec_add(c->pl, vec_last(sum + 2));
}

/* leaf to root, with right sides or without */
HKI_INLINE void back(hk_aba *f, const hk_kin *k, const double *E, const double *rhs) {
  art c;
  for (int32_t b = f->m->nb - 1; b >= 0; b--) {
    const hk_aba_link *l = &f->link[b];
    if (l->leaf)
      art_zero(&c);
    else if (l->sum >= 0)
      take(f->sum + 42 * l->sum, &c);
    add_body(&c, k, b, rhs != NULL);
    if (l->n == 1)
      one_joint(f, k, l, E, rhs, &c);
    else
      any_joint(f, k, l, E, rhs, &c);
    if (l->to >= 0) put(f->sum + 42 * l->to, &c, l->first);
  }
}

/* root to leaf: x = D^-1 (u - U' a_parent), a = a_parent + S x */
HKI_INLINE void out(hk_aba *f, const hk_kin *k, double *x) {
  vec aa = vec_splat(0.0), al = aa;
  for (int32_t b = 0; b < f->m->nb; b++) {
    const hk_aba_link *l = &f->link[b];
    const double *S = k->S + 6 * l->v0, *U = f->U + 6 * l->v0;
    if (l->parent == HK_GROUND)
      aa = al = vec_splat(0.0);
    else if (l->parent != b - 1)
      aa = vec_first(f->a + 6 * l->parent), al = vec_last(f->a + 6 * l->parent + 2);
    if (l->n == 1) {
      const vec Ua = vec_first(U), Ul = vec_last(U + 2);
      const double d =
          f->Dinv[l->d0] * (f->u[l->v0] - vec_sum(vec_add(vec_mul(Ua, aa), vec_mul(Ul, al))));
      x[l->v0] = d;
      aa = vec_add(aa, vec_scale(d, vec_first(S)));
      al = vec_add(al, vec_scale(d, vec_last(S + 2)));
    } else {
      double a[6];
      vec_store6(a, aa, al);
      hki_aba_joint_out(f, k, l, a, x);
      aa = vec_first(a), al = vec_last(a + 2);
    }
    if (l->sum >= 0) vec_store6(f->a + 6 * b, aa, al);
  }
}

static void factor(hk_aba *f, const hk_kin *k, const double *E) { back(f, k, E, NULL); }

static void accel(hk_aba *f, const hk_kin *k, const double *E, const double *rhs, double *x) {
  back(f, k, E, rhs);
  out(f, k, x);
}
