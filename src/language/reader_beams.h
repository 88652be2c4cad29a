/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_beams.h: `beams:` of a model file: each entry stands for bodies (its nodes), the elements
 * between them, and the joints that clamp its ends.
 */
#ifndef HK_LANGUAGE_READER_BEAMS_H
#define HK_LANGUAGE_READER_BEAMS_H

#include "language/reader.h"

extern const hk_param hki_keys_beam[], hki_keys_clamp[], hki_keys_section[],
    hki_keys_section_shape[], hki_keys_material[], hki_keys_laminate[], hki_keys_ply[],
    hki_keys_ply_material[], hki_keys_beam_load[], hki_keys_slider[];

/* a section: per length, in its axes, x along the beam; rotations first as in elements/beam.h */
typedef struct hk_rd_section {
  double C[36];       /* stiffness */
  double mass;        /* kg/m */
  double com[3];      /* centre of mass seen from the reference point, m */
  double J[9];        /* kg m: moments of inertia about it */
  double at;          /* part of the length where it stands; NaN: not said */
  hk_outline outline; /* for drawings; of numbers the rectangle of these stiffnesses */
} hk_rd_section;

/* bodies, joints and elements of all beams of a scope */
void hki_rd_beams_register(hk_reader *rd, hk_rd_scope *s);
/* a section; false after reporting. name: of the beam */
bool hki_rd_section(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                    hk_rd_section *out);
/* the same of a strip of plies (reader_laminates.c); node: its `laminate` */
bool hki_rd_laminate(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                     hk_rd_section *out);
/* the number of a key of a table, or its default where it is not given; false after reporting */
bool hki_rd_key_real(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_param *keys,
                     const char *key, double *out);
/* a beam whose nodes are there, for what acts on them */
typedef struct hk_rd_chain {
  const hk_entry *e;
  int32_t body0, nbody, nodes; /* its nodes; those of an element */
  double length;               /* m */
} hk_rd_chain;

/* `loads` of a beam: forces and torques at its nodes; false after reporting */
bool hki_rd_beam_loads(hk_reader *rd, hk_rd_scope *s, const hk_rd_chain *b);
/* `sliders` of a beam: elements that hold points of bodies on it (reader_sliders.c); own: the scope of its names */
bool hki_rd_sliders(hk_reader *rd, hk_rd_scope *s, const hk_rd_scope *own, const hk_rd_chain *b);
/* "wing.at(0.4)": the node there; -2: there is no such beam or no such node */
int32_t hki_rd_beam_at(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* Is the name, which no body has, that of a node which a beam does not have? Then this is said. */
bool hki_rd_beam_no_node(hk_reader *rd, const hk_rd_scope *s, const hk_node *node);

/* the line of a beam, of length 1 in its coordinate */
typedef struct hk_rd_line {
  int32_t n;                           /* points */
  double *x, *p, *m;                   /* n: parameter; n x 3: points, slopes */
  double *length;                      /* n: arc length up to each point */
  bool arc;                            /* a circular arc of three points: */
  double centre[3], u[3], v[3], angle; /* p = centre + cos u + sin v */
} hk_rd_line;

/* through the points `from`, of `through`, and `to`; false after reporting */
bool hki_rd_line(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                 hk_rd_line *out);
/* by which angle its direction turns between two parts of the length, in all, rad */
double hki_rd_line_turn(const hk_rd_line *l, double from, double to);
/* point and unit tangent at a part of the length, 0 to 1 */
void hki_rd_line_at(const hk_rd_line *l, double part, double *p, double *tangent);

#endif
