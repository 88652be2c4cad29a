/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.h: what external forces and the other program say to each other, byte by byte, as MBDyn's peer library (libmbc) speaks
 * it, so that programs linked with it connect unchanged. Numbers are those of the machine: commands of one byte, uint32, float64.
 *
 *   the other side    7, flags, number of nodes      what it expects
 *   this side         8: agreed; 5: not, good-bye
 *   then as often as forces are wanted
 *   this side         2 or 6, motion                 2: of an iteration, 6: of the only exchange of a step
 *   the other side    2, forces                      it wants to see more motion
 *                     6, forces                      the last ones of this step: it has converged
 *                     4                              the same, with the forces that it gave before
 *                     5                              the run shall end
 *   this side         5                              at the end
 *
 *   motion    of the reference node: label, 0; x; orientation; v; omega; a, alpha
 *             of the nodes: labels, and 0 after an odd number of them; x of all; orientation of all; v; omega; a; alpha
 *   forces    of the reference node: label, anything; F; M
 *             of the nodes: labels, and anything after an odd number; f of all; m of all
 *
 * What is not agreed is left out: labels by 0x10, accelerations by 0x8, orientations, omega, alpha and m of nodes by 0x700, the
 * reference node by 0x4. A reference node always has an orientation (0x7000) and a moment. Then motion of the nodes is what it
 * sees, in its axes, and so are forces:
 *
 *   x~ = R'(x - x0)   R~ = R'R_i   v~ = R'(v - v0 - w0 x d)   w~ = R'(w - w0)
 *   a~ = R'(a - a0 - alpha0 x d - w0 x (w0 x d) - 2 w0 x (v - v0 - w0 x d))   alpha~ = R'(alpha - alpha0 - w0 x w)
 *
 * Steps that may be tried again are beyond that language; each try is announced by 9, the time of its end, its length.
 */
#ifndef HK_SIMULATION_WIRE_H
#define HK_SIMULATION_WIRE_H

#include "geometry/geometry.h"
#include "simulation/peer.h"
#include "streams/talk.h"

enum {
  HK_WIRE_DATA = 2,
  HK_WIRE_NEXT = 4,
  HK_WIRE_ABORT = 5,
  HK_WIRE_LAST = 6,
  HK_WIRE_NEGOTIATE = 7,
  HK_WIRE_AGREED = 8,
  HK_WIRE_AGAIN = 9
};
enum { HK_WIRE_WORDS = 300 };

/* world axes; q: of its rotation */
typedef struct hk_wire_motion {
  double x[3], q[4], v[3], w[3], a[3], alpha[3];
} hk_wire_motion;

typedef struct hk_wire {
  hk_ctx *ctx;
  const hk_spec_external *spec;
  int32_t nodes;
  int32_t
      turn; /* orientation of the reference node, as the other side wants it; 0: there is none */
  size_t out_bytes, in_bytes;
  unsigned char *out, *in;
  uint32_t *order; /* with labels: pairs of label and node, sorted */
  double R[9];     /* axes of the reference node when its motion was last sent */
  double *force,
      *moment;    /* 3 x nodes: of the last answer, world axes; moment: zero without orientations */
  double load[6]; /* force and moment of the reference node, in its axes */
  char words[HK_WIRE_WORDS];
} hk_wire;

/* Memory, which nothing that the other side says makes larger. hki_wire_free in either case. */
hk_status hki_wire_init(hk_wire *w, hk_ctx *ctx, const hk_spec_external *spec, int32_t nodes);
void hki_wire_free(hk_wire *w);
/* Hears what the other side expects, and answers. HK_OK; HK_INTERRUPTED; HK_E_FILE: `words` */
hk_status hki_wire_negotiate(hk_wire *w, hk_talk *t);
/* motion into the bytes that hki_wire_ask sends; reference: NULL without one */
void hki_wire_pack(hk_wire *w, const hk_wire_motion *reference, const hk_wire_motion *node);
/* Sends it and takes the answer. answer: DATA, LAST: there are forces; NEXT, ABORT: there are none.
 * HK_INTERRUPTED; HK_E_FILE, HK_E_NUMBER: `words` */
hk_status hki_wire_ask(hk_wire *w, hk_talk *t, int *answer);
hk_status hki_wire_announce(hk_wire *w, hk_talk *t, double time, double h);

#endif
