/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_turns.c: the rotation of a joint with a quaternion, prescribed as a whole by its `motion`:
 *
 *   {rotation: [x, y, z]}                  rotation vector
 *   {quaternion: [w, x, y, z]}             of any length
 *   {euler: zyx, angles: [a, b, c]}        about axes that turn with the angles before
 *
 * In a mirrored instance the markers' axes are those of pseudo-vectors, so that the same numbers are
 * the mirror image.
 */
#include "language/reader.h"

#include <stdio.h>
#include <string.h>

/* n signals of a list; false after reporting */
static bool read_turn_signals(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *key,
                              int32_t n, hk_spec_joint *j) {
  char name[600];
  if (!v || v->kind != HK_NODE_SEQUENCE || v->count != n) {
    hki_rd_error(rd, v ? v->loc : j->turn.loc, NULL,
                 "motion of joint '%s': '%s' must be a list of %d signals", j->name, key, (int)n);
    return false;
  }
  for (int32_t k = 0; k < n; k++) {
    double value = 0.0;
    int32_t *signal = &j->turn.signal[k];
    snprintf(name, sizeof name, "joint.%s.motion.%s.%d", j->name, key, (int)k);
    if (!hki_rd_dynamic(rd, s, v->items[k], name, 1, &value, signal)) return false;
    if (*signal == HK_NONE) *signal = hki_rd_signal_constant(rd, s, name, v->items[k]->loc, value);
  }
  return true;
}

/* axes of three angles, "zyx"; neighbours differ */
static bool read_turn_axes(hk_reader *rd, const hk_node *node, hk_spec_joint *j) {
  const char *w = hki_node_text(node);
  bool ok = w && strlen(w) == 3;
  for (int i = 0; ok && i < 3; i++) {
    ok = w[i] >= 'x' && w[i] <= 'z' && (i == 0 || w[i] != w[i - 1]);
    j->turn.axis[i] = (uint8_t)(w[i] - 'x');
  }
  if (!ok)
    hki_rd_error(rd, node->loc, "for example motion: {euler: zyx, angles: [yaw, pitch, roll]}",
                 "motion of joint '%s': 'euler' must be three of x, y, z, neighbours different",
                 j->name);
  return ok;
}

bool hki_rd_turn(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_entry *e,
                 hk_spec_joint *j) {
  static const char *const keys[] = {"rotation", "quaternion", "euler", "angles"};
  int32_t k = 0;
  if (!(j->ops->caps & HK_JOINT_QUATERNION)) return false;
  while (k < 4 && strcmp(keys[k], e->key) != 0) k++;
  if (k == 4) return false;
  const hk_node *euler = hki_node_get(node, "euler");
  if (k == 3 && euler) return true; /* read with it */
  if (k == 3 || j->turn.kind != HK_TURN_NONE) {
    hki_rd_error(rd, e->key_loc, "give one of rotation, quaternion, or euler with angles",
                 k == 3 ? "motion of joint '%s': 'angles' needs 'euler'"
                        : "motion of joint '%s': its rotation is prescribed twice",
                 j->name);
    return true;
  }
  j->turn.loc = e->value->loc;
  bool ok = k < 2 || read_turn_axes(rd, e->value, j);
  if (k == 2) {
    ok = ok && read_turn_signals(rd, s, hki_node_get(node, "angles"), "angles", 3, j);
  } else {
    ok = read_turn_signals(rd, s, e->value, keys[k], k == 0 ? 3 : 4, j);
  }
  if (ok) j->turn.kind = (hk_turn_kind)(HK_TURN_VECTOR + k);
  return true;
}
