/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_axes.h: values that stand for the axes of an elastic joint (reader_axis_values.c): the
 * `choices` of their row are the words of its axes, x y z rx ry rz where there are none. D: mirror
 * diagonal of the axes.
 */
#ifndef HK_LANGUAGE_READER_AXES_H
#define HK_LANGUAGE_READER_AXES_H

#include "language/reader.h"

/* a number for all, a list of n (the diagonal) or n rows of n -> double[36] with stride 6 */
bool hki_rd_square(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *what, int32_t n,
                   double *out);
/* the same, mirrored */
void hki_rd_axis_matrix(hk_reader *rd, hk_rd_scope *s, const hk_param *p, const hk_node *v,
                        const double *D, double *out);
/* a list or a mapping of laws, one per axis -> const hk_law*[6] */
bool hki_rd_axis_laws(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f, const hk_param *p,
                      const hk_node *v, const double *D, const hk_law **out);
/* one law of all axes */
const hk_law *hki_rd_axis_law(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f,
                              const hk_param *p, const hk_node *v, const double *D);
/* node, input and sign of each axis of HK_P_DYNAMIC6: calls `read` for those that are given */
typedef struct hk_rd_axis_input {
  const hk_node *node;
  int32_t k;
  int sign;
} hk_rd_axis_input;
/* the inputs that are given; their number, -1 after an error */
int32_t hki_rd_axis_inputs(hk_reader *rd, const hk_param *p, const hk_node *v, const double *D,
                           hk_rd_axis_input list[6]);
/* a law of an element; one with memory only where the element keeps it */
const hk_law *hki_rd_element_law(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f,
                                 const hk_param *p, const hk_node *v, bool flip);

#endif
