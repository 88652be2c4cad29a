/* SPDX-License-Identifier: Apache-2.0
 *
 * vec3.h: three-vectors held in one vector of four doubles, and spatial vectors as two of them, for
 * passes over a tree of which each step is a chain of small products. Included once per file, which
 * says how: with VEC3_WIDE defined, between HKI_WIDE_BEGIN and HKI_WIDE_END (base/wide.h), the vector
 * is one of the processor; without it, it is three numbers in plain C.
 *
 * Every number is formed by the same operations in the same order in both, so that results do not
 * depend on the processor. The fourth lane is zero, or stays in the fourth lane.
 */
#ifdef VEC3_WIDE
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vec_half __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long vec_bits __attribute__((vector_size(32), aligned(8), may_alias));

HKI_INLINE vec vec_set(double a, double b, double c) { return (vec){a, b, c, 0.0}; }
HKI_INLINE vec vec_splat(double s) { return (vec){s, s, s, s}; }
HKI_INLINE vec vec_add(vec a, vec b) { return a + b; }
HKI_INLINE vec vec_sub(vec a, vec b) { return a - b; }
HKI_INLINE vec vec_mul(vec a, vec b) { return a * b; }
HKI_INLINE double vec_sum(vec a) { return a[0] + a[1] + a[2]; }
#define vec_get(a, i) ((a)[i])
/* from memory: the first of four numbers, the last of four numbers */
HKI_INLINE vec vec_clear(vec a) { return (vec)((vec_bits)a & (vec_bits){-1, -1, -1, 0}); }
HKI_INLINE vec vec_first(const double *p) { return vec_clear(*(const vec *)p); }
HKI_INLINE vec vec_last(const double *p) {
  const vec a = *(const vec *)p;
  return vec_clear(__builtin_shufflevector(a, a, 1, 2, 3, 0));
}
HKI_INLINE vec vec_turn(vec a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
HKI_INLINE vec vec_cross(vec a, vec b) { return vec_turn(a * vec_turn(b) - vec_turn(a) * b); }
/* column j of the matrix of  -a x  , a with zero in the fourth lane */
HKI_INLINE vec vec_skew(vec a, int j) {
  if (j == 0) return __builtin_shufflevector(a, a, 3, 2, 1, 3) * (vec){1.0, -1.0, 1.0, 1.0};
  if (j == 1) return __builtin_shufflevector(a, a, 2, 3, 0, 3) * (vec){1.0, 1.0, -1.0, 1.0};
  return __builtin_shufflevector(a, a, 1, 0, 3, 3) * (vec){-1.0, 1.0, 1.0, 1.0};
}
/* p[6] = (a, b) */
HKI_INLINE void vec_store6(double *p, vec a, vec b) {
  *(vec *)p = __builtin_shufflevector(a, b, 0, 1, 2, 4);
  *(vec_half *)(p + 4) = __builtin_shufflevector(b, b, 1, 2);
}
#else
typedef struct vec {
  double x[3];
} vec;

HKI_INLINE vec vec_set(double a, double b, double c) { return (vec){{a, b, c}}; }
HKI_INLINE vec vec_splat(double s) { return (vec){{s, s, s}}; }
HKI_INLINE vec vec_add(vec a, vec b) {
  return vec_set(a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]);
}
HKI_INLINE vec vec_sub(vec a, vec b) {
  return vec_set(a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]);
}
HKI_INLINE vec vec_mul(vec a, vec b) {
  return vec_set(a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2]);
}
HKI_INLINE double vec_sum(vec a) { return a.x[0] + a.x[1] + a.x[2]; }
#define vec_get(a, i) ((a).x[i])
HKI_INLINE vec vec_first(const double *p) { return vec_set(p[0], p[1], p[2]); }
HKI_INLINE vec vec_last(const double *p) { return vec_set(p[1], p[2], p[3]); }
HKI_INLINE vec vec_cross(vec a, vec b) {
  return vec_set(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                 a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}
HKI_INLINE vec vec_skew(vec a, int j) {
  if (j == 0) return vec_set(0.0, -a.x[2], a.x[1]);
  if (j == 1) return vec_set(a.x[2], 0.0, -a.x[0]);
  return vec_set(-a.x[1], a.x[0], 0.0);
}
HKI_INLINE void vec_store6(double *p, vec a, vec b) {
  for (int i = 0; i < 3; i++) p[i] = a.x[i], p[3 + i] = b.x[i];
}
#endif

HKI_INLINE vec vec_scale(double s, vec a) { return vec_mul(vec_splat(s), a); }
