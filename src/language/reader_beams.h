/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_beams.h: `beams:` of a model file: each entry stands for bodies (its nodes), the elements
 * between them, and the joints that clamp its ends.
 */
#ifndef HK_LANGUAGE_READER_BEAMS_H
#define HK_LANGUAGE_READER_BEAMS_H

#include "language/reader.h"

extern const hk_param hki_keys_beam[], hki_keys_cable[], hki_keys_belt[], hki_keys_pulley[],
    hki_keys_over[], hki_keys_clamp[], hki_keys_section[], hki_keys_section_shape[],
    hki_keys_material[], hki_keys_laminate[], hki_keys_ply[], hki_keys_ply_material[],
    hki_keys_beam_load[], hki_keys_slider[];

/* a section: per length, in its axes, x along the beam; rotations first as in elements/beam.h */
typedef struct hk_rd_section {
  double C[36];       /* stiffness */
  double mass;        /* kg/m */
  double com[3];      /* centre of mass seen from the reference point, m */
  double J[9];        /* kg m: moments of inertia about it */
  double at;          /* part of the length where it stands; NaN: not said */
  hk_outline outline; /* for drawings; of numbers the rectangle of these stiffnesses */
} hk_rd_section;

/* bodies, joints and elements of all beams of a scope; of all cables */
void hki_rd_beams_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_cables_register(hk_reader *rd, hk_rd_scope *s);
/* the spans of all belts of a scope, which are forces */
void hki_rd_belts_register(hk_reader *rd, hk_rd_scope *s);
/* what a cable runs over: the element on several markers that acts for force i */
void hki_rd_over(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i);
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

/* a load of nodes that is being read */
typedef struct hk_rd_push {
  hk_reader *rd;
  hk_rd_scope *s;
  const hk_entry *e;        /* its name and keys */
  const char *kind, *owner; /* of what it acts on: "beam 'wing'" */
  bool follow;              /* its components turn with the nodes */
} hk_rd_push;
/* The force or torque OWNER_LOAD_SUFFIX at a node, `by` times the three components v of its key "force" or
 * "moment"; p: place in the axes of the scope. False after reporting. */
bool hki_rd_push(const hk_rd_push *q, const hk_node *v, const char *key, const char *node,
                 const char *suffix, const double *p, double by);
/* `loads` of a beam: forces and torques at its nodes; false after reporting */
bool hki_rd_beam_loads(hk_reader *rd, hk_rd_scope *s, const hk_rd_chain *b);
/* `sliders` of a beam: elements that hold points of bodies on it (reader_sliders.c); own: the scope of its names */
bool hki_rd_sliders(hk_reader *rd, hk_rd_scope *s, const hk_rd_scope *own, const hk_rd_chain *b);
/* "wing.at(0.4)": the node there; -2: there is no such beam or no such node */
int32_t hki_rd_beam_at(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* Is the name, which no body has, that of a node which a beam does not have? Then this is said. */
bool hki_rd_beam_no_node(hk_reader *rd, const hk_rd_scope *s, const hk_node *node);

/* a body that an entry stands for, without keys of its own; key NULL: no memory. NULL after reporting */
hk_spec_body *hki_rd_made_body(hk_reader *rd, hk_rd_scope *own, hk_loc loc, const char *key);
/* What beams and cables share. The scope of the names of a chain: that around it, with its own name
 * before them; NULL: no memory. Node i, a body: NULL after reporting. Another name of a body. Joints
 * that fix the ends to the bodies of `clamp` (NULL: none); name: of the chain. */
hk_rd_scope *hki_rd_chain_scope(hk_reader *rd, hk_rd_scope *s, const char *name);
hk_spec_body *hki_rd_chain_node(hk_reader *rd, hk_rd_scope *own, hk_loc loc, int32_t i);
bool hki_rd_chain_alias(hk_reader *rd, const hk_rd_scope *own, const char *key, int32_t body);
bool hki_rd_chain_clamp(hk_reader *rd, hk_rd_scope *s, const char *name, const hk_node *clamp,
                        int32_t body0, int32_t n);

/* the line of a beam, of length 1 in its coordinate */
typedef struct hk_rd_line {
  int32_t n;                           /* points */
  double *x, *p, *m;                   /* n: parameter; n x 3: points, slopes */
  double *length;                      /* n: arc length up to each point */
  bool arc;                            /* a circular arc of three points: */
  double centre[3], u[3], v[3], angle; /* p = centre + cos u + sin v */
} hk_rd_line;

/* through the points `from`, of `through`, and `to`; false after reporting */
bool hki_rd_line(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                 const char *name, hk_rd_line *out);
/* by which angle its direction turns between two parts of the length, in all, rad */
double hki_rd_line_turn(const hk_rd_line *l, double from, double to);
/* point and unit tangent at a part of the length, 0 to 1 */
void hki_rd_line_at(const hk_rd_line *l, double part, double *p, double *tangent);

#endif
