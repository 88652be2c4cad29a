/* SPDX-License-Identifier: Apache-2.0
 *
 * rows4_ends.h: bodies and points at both ends of four like closures or forces (rows4.h, pulls4.h); included once per kind of
 * processor after four.h.
 */

/* twelve numbers of the frames of the bodies on one side: R, p */
HKI_INLINE void frames4(const hk_kin *k, const hk_rows4 *q, int side, four *x) {
  const double *p[4];
  if (k->lanes && q->quad[side] >= 0) {
    hk_lane *pose = k->lanes[q->quad[side]].pose;
    for (int i = 0; i < 12; i++) x[i] = four_load(pose[i]);
    return;
  }
  for (int c = 0; c < 4; c++) p[c] = k->frame[q->body[side][c]].R;
  if (q->one[side]) {
    for (int i = 0; i < 9; i++) x[i] = four_splat(p[0][i]);
    for (int i = 0; i < 3; i++) x[9 + i] = four_splat(k->frame[q->body[side][0]].p[i]);
    return;
  }
  four_collect(p, x);
  for (int c = 0; c < 4; c++) p[c] += 4;
  four_collect(p, x + 4);
  // the last number of R, then p
  for (int c = 0; c < 4; c++) p[c] += 4;
  x[8] = four_at(p, 0);
  for (int c = 0; c < 4; c++) p[c] = k->frame[q->body[side][c]].p;
  for (int i = 0; i < 3; i++) x[9 + i] = four_at(p, (size_t)i);
}

/* the points on one side; F: frames of the bodies */
HKI_INLINE void points4(const hk_rows4 *q, int side, const four *F, four *p) {
  four o[3];
  for (int i = 0; i < 3; i++) o[i] = four_load(q->on[side][i]);
  if (q->body[side][0] == HK_GROUND) {
    for (int i = 0; i < 3; i++) p[i] = o[i];
    return;
  }
  for (int i = 0; i < 3; i++) p[i] = four_add(four_dot(F + 3 * i, o), F[9 + i]);
}

/* six numbers of each body on one side, out of `lane` where their group has them there, else out of `all` */
HKI_INLINE void spatial4(const hk_rows4 *q, int side, const double *all, hk_lane *lane, four *x) {
  const double *p[4];
  if (lane) {
    for (int i = 0; i < 6; i++) x[i] = four_load(lane[i]);
    return;
  }
  for (int c = 0; c < 4; c++) p[c] = all + 6 * (ptrdiff_t)q->body[side][c];
  if (q->one[side])
    for (int i = 0; i < 6; i++) x[i] = four_splat(p[0][i]);
  else
    four_collect6(p, x);
}

/* the group of the bodies on one side, NULL: none */
HKI_INLINE hk_lanes *lanes4(const hk_kin *k, const hk_rows4 *q, int side) {
  return k->lanes && q->quad[side] >= 0 ? &k->lanes[q->quad[side]] : NULL;
}

/* columns j of S */
HKI_INLINE void column4(const hk_kin *k, const hk_rows4 *q, int32_t j, four *s) {
  const int32_t at = q->column[j];
  if (k->lanes && at >= 0) {
    hk_lane *S = k->lanes[at / 3].S + 6 * (ptrdiff_t)(at % 3);
    for (int i = 0; i < 6; i++) s[i] = four_load(S[i]);
    return;
  }
  const double *p[4];
  for (int c = 0; c < 4; c++) p[c] = k->S + 6 * (ptrdiff_t)q->dof[4 * j + c];
  four_collect6(p, s);
}

/* p less the points O of the bodies on one side */
HKI_INLINE void from_O(const hk_kin *k, const hk_rows4 *q, int side, const four *p, four *r) {
  const double *O[4];
  for (int c = 0; c < 4; c++) O[c] = k->O + 3 * (ptrdiff_t)q->body[side][c];
  for (int i = 0; i < 3; i++) r[i] = four_sub(p[i], four_at(O, (size_t)i));
}

/* number `at` of each list of four */
HKI_INLINE four pick(const double *x, const int32_t *at) {
  return four_of(x[at[0]], x[at[1]], x[at[2]], x[at[3]]);
}
