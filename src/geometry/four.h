/* SPDX-License-Identifier: Apache-2.0
 *
 * four.h: four numbers side by side, one of each of four like things. Included once per file, which says how: with FOUR_WIDE
 * defined, between HKI_WIDE_BEGIN and HKI_WIDE_END (base/wide.h), they are one vector of the processor; without it four numbers
 * in plain C. Every number is formed by the same operations in the same order in both, so that results do not depend on the
 * processor.
 */
#ifdef FOUR_WIDE
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

HKI_INLINE four four_of(double a, double b, double c, double d) { return (four){a, b, c, d}; }
HKI_INLINE four four_load(const double *p) { return *(const four *)p; }
HKI_INLINE void four_store(double *p, four a) { *(four *)p = a; }
HKI_INLINE four four_add(four a, four b) { return a + b; }
HKI_INLINE four four_sub(four a, four b) { return a - b; }
HKI_INLINE four four_mul(four a, four b) { return a * b; }
HKI_INLINE four four_div(four a, four b) { return a / b; }
#define four_get(a, i) ((a)[i])

/* x[i] number c becomes x[c] number i */
HKI_INLINE void four_transpose(four *x) {
  const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
             b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const four c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
             d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
#else
typedef struct four {
  double x[4];
} four;

HKI_INLINE four four_of(double a, double b, double c, double d) { return (four){{a, b, c, d}}; }
HKI_INLINE four four_load(const double *p) { return four_of(p[0], p[1], p[2], p[3]); }
HKI_INLINE void four_store(double *p, four a) {
  for (int i = 0; i < 4; i++) p[i] = a.x[i];
}
HKI_INLINE four four_add(four a, four b) {
  for (int i = 0; i < 4; i++) a.x[i] += b.x[i];
  return a;
}
HKI_INLINE four four_sub(four a, four b) {
  for (int i = 0; i < 4; i++) a.x[i] -= b.x[i];
  return a;
}
HKI_INLINE four four_mul(four a, four b) {
  for (int i = 0; i < 4; i++) a.x[i] *= b.x[i];
  return a;
}
HKI_INLINE four four_div(four a, four b) {
  for (int i = 0; i < 4; i++) a.x[i] /= b.x[i];
  return a;
}
#define four_get(a, i) ((a).x[i])

HKI_INLINE void four_transpose(four *x) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      const double a = x[i].x[j];
      x[i].x[j] = x[j].x[i], x[j].x[i] = a;
    }
}
#endif

HKI_INLINE four four_splat(double s) { return four_of(s, s, s, s); }

/* number i of each of the lists p */
HKI_INLINE four four_at(const double *const p[4], size_t i) {
  return four_of(p[0][i], p[1][i], p[2][i], p[3][i]);
}

/* x[i] = numbers i of the lists, i < 4 */
HKI_INLINE void four_collect(const double *const p[4], four *x) {
  for (int c = 0; c < 4; c++) x[c] = four_load(p[c]);
  four_transpose(x);
}

/* The same for six numbers. They were stored as four and two: a load across both would wait for the memory. */
HKI_INLINE void four_collect6(const double *const p[4], four *x) {
  four_collect(p, x);
  x[4] = four_at(p, 4), x[5] = four_at(p, 5);
}

/* --- vectors, as in geometry.h ---------------------------------------------------------------- */

HKI_INLINE four four_dot(const four *a, const four *b) {
  return four_add(four_add(four_mul(a[0], b[0]), four_mul(a[1], b[1])), four_mul(a[2], b[2]));
}
HKI_INLINE void four_cross(four *r, const four *a, const four *b) {
  r[0] = four_sub(four_mul(a[1], b[2]), four_mul(a[2], b[1]));
  r[1] = four_sub(four_mul(a[2], b[0]), four_mul(a[0], b[2]));
  r[2] = four_sub(four_mul(a[0], b[1]), four_mul(a[1], b[0]));
}
HKI_INLINE void four_add3(four *r, const four *a, const four *b) {
  for (int i = 0; i < 3; i++) r[i] = four_add(a[i], b[i]);
}
HKI_INLINE void four_sub3(four *r, const four *a, const four *b) {
  for (int i = 0; i < 3; i++) r[i] = four_sub(a[i], b[i]);
}
