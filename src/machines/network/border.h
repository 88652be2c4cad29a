/* SPDX-License-Identifier: Apache-2.0
 *
 * border.h: scalar unknowns beside any formulation of the mechanism. The formulation keeps its
 * coordinates, its tangent T and its solver; unknowns x of nodes, elements and signals stand behind
 * its velocities,
 *
 *   D = [mechanism | unknowns],   v = [mechanism | x],   a = [mechanism | xd]
 *
 * and meet it in the terms of its border (linalg/border.h). In a stage with x = vh + cv D and
 * xd = ah + ca D, with cC = cv/ca and cK = 1/ca, and z the correction of the unknowns' D:
 *
 *   (Fxd + cC Fx) z + P s = -cK F           equations of the network (element.h)
 *   p = Q z + R s                           forces along the terms
 *   s = s0 - G p                            what the mechanism does
 *
 * term            s                           p                     P
 * coordinate      joint coordinate of an      cC dtau/dx z          cK Fs + cC Fsd
 *                 element with unknowns
 * input           what the mechanism does     s + cC du/dx z        dF/du
 *                 to it, cK du/dq + cC du/dv
 * node            the same of a node that     none of its own       dF/dx of the node
 *                 a signal holds
 *
 * z and s are solved for together, so that networks which only the mechanism determines (a motor
 * without resistance) have a solution too. At accepted states and in explicit methods algebraic
 * values and rates follow from network.h at the state of the mechanism.
 *
 * How something owns unknowns. Every unknown belongs to a scalar node or to an element with `nown`
 * (element.h), and the compiled model lists them all (hk_model.unknowns). A signal or a control
 * block with states of its own is an element of the network without nodes: `nown` states x, inputs
 * u (signals, HK_P_DYNAMIC), equations F(x, xd, u) = 0 with Fx, Fxd and Fu; where the column of Fxd
 * is zero the unknown is algebraic. Its states are its first outputs, and whoever reads them as
 * channels (`HK_CH_FORCE_OUTPUT`, component below nown) gets value and slope in every formulation:
 * the value of the signal is an expression that reads these channels and its own inputs. Nothing
 * else is needed: layout, start, tangents, error control, checkpoints and explicit methods follow
 * from the element's table. `equation` (elements/equation.c) is the smallest example.
 */
#ifndef HK_MACHINES_NETWORK_BORDER_H
#define HK_MACHINES_NETWORK_BORDER_H

#include "kinematics/kin.h"
#include "linalg/border.h"
#include "stage/stage.h"

/* hk_border_term.part: the number of an input of force `owner`, or one of these */
enum {
  HK_TERM_COORDINATE = -1, /* joint coordinate of force `owner`, which has unknowns */
  HK_TERM_NODE = -2,       /* held node number `owner`, whose signal reads channels */
  HK_TERM_NORMAL = -3,     /* normal force number `owner` (machines/friction/normal.h) */
  HK_TERM_FORCE = -4       /* a deformation of force `owner` that T leaves out */
};
/* does what the term senses drive it, unknowns apart? */
static inline bool hki_term_alone(const hk_border_term *t) {
  return t->part == HK_TERM_NORMAL || t->part == HK_TERM_FORCE;
}

/* Lists the terms of coordinates and nodes (list NULL: counts them); returns their number. None in a
 * model without unknowns. */
int32_t hki_net_terms(const hk_model *m, hk_border_term *list);

/* what a machine gives of a formulation that has no unknowns of its own */
typedef struct hk_net_face {
  /* kinematics at the state under evaluation, where elements and signals are evaluated */
  hk_kin *(*kin)(hk_formulation *f);
  hk_border *(*border)(hk_formulation *f);
  /* brings them to a state, signals included */
  void (*place)(hk_formulation *f, double t, const double *q, const double *v);
  /* value and rate of a scalar joint coordinate there */
  void (*coordinate)(hk_formulation *f, int32_t scalar, double *s, double *sd);
  bool settled; /* `project` leaves them at the accepted state */
} hk_net_face;

/* Gives the formulation the unknowns of its model: some functions of its table are replaced, and
 * f->around holds what they need. accepted: kinematics at accepted states. The formulation is
 * destroyed as before, also after an error. */
hk_status hki_net_wrap(hk_ctx *ctx, const hk_model *m, hk_formulation *f, const hk_net_face *face,
                       hk_kin *accepted);
/* adds the memory of the unknowns and the time of an iteration to the cost of a formulation */
void hki_net_cost(const hk_model *m, hk_cost *out);

#endif
