/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_axes.h: values that stand for the axes of an elastic joint (reader_axis_values.c): the
 * `choices` of their row are the words of its axes, x y z rx ry rz where there are none. D: mirror
 * diagonal of the axes.
 */
#ifndef HK_LANGUAGE_READER_AXES_H
#define HK_LANGUAGE_READER_AXES_H

#include "language/reader.h"

/* a number, a list or a matrix -> double[36] with stride 6 */
void hki_rd_axis_matrix(hk_reader *rd, hk_rd_scope *s, const hk_param *p, const hk_node *v,
                        const double *D, double *out);
/* a list or a mapping of laws, one per axis -> const hk_law*[6] */
void hki_rd_axis_laws(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f, const hk_param *p,
                      const hk_node *v, const double *D, const hk_law **out);
/* a law of an element; one with memory only where the element keeps it */
const hk_law *hki_rd_element_law(hk_reader *rd, hk_rd_scope *s, const hk_spec_force *f,
                                 const hk_param *p, const hk_node *v, bool flip);

#endif
