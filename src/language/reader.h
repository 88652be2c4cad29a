/* SPDX-License-Identifier: Apache-2.0
 *
 * reader.h: shared by the files of the model reader (reader_*.c).
 *
 * The reader works on scopes: the model itself and every instance of a component is one, with a
 * name prefix ("front_left."), and a map from its own axes to the world. Named things (parameters,
 * points, frames) live in tables under their full dotted names and are evaluated when first asked
 * for, so that the order in the file does not matter; a name is looked up in the scope itself, then
 * in the scopes around it.
 *
 * Passes: load files and build scopes; register all names; read bodies, joints, forces, signals,
 * events, start and run. Errors do not stop a pass: a faulty item is reported and left out.
 *
 * Mirroring. A scope's map is x_world = p + S x with S orthogonal; det S = -1 when it is mirrored.
 * Vectors go to S v, pseudo-vectors to det(S) S w, tensors to S J S'. A frame with axes R becomes
 * S R D, where D is a diagonal matrix with entries +-1 and det D = det S, so that the result is a
 * rotation; components seen in that frame change sign as D (vectors) or det(D) D (pseudo-vectors).
 */
#ifndef HK_LANGUAGE_READER_H
#define HK_LANGUAGE_READER_H

#include "formats/csv_table.h"
#include "geometry/curve.h"
#include "formats/yaml.h"
#include "elements/joint_friction.h"
#include "elements/stop.h"
#include "model/spec.h"

/* limits that keep a bad file from costing more than a message */
enum {
  HK_READER_ERRORS = 50,     /* messages before the reader gives up */
  HK_READER_DEPTH = 100,     /* parameters or frames referring to each other */
  HK_READER_NESTING = 16,    /* components inside components, includes inside includes */
  HK_READER_SCOPES = 200000, /* instances in all */
  HK_READER_ITEMS = 200000,  /* repeated items in all */
  HK_READER_MOST = 2000000,  /* bodies, joints, forces ... of one kind */
  HK_READER_PIECES = 10000   /* entries of a list in a law, options, record */
};

/* a map from the axes of a scope or frame to the world */
typedef struct hk_rd_map {
  double S[9], p[3]; /* x_world = p + S x */
  double D[3];       /* diagonal of D above: the mirror in force, 1 1 1 when det S = 1 */
  bool mirrored;     /* det S = -1 */
  /* how it moves at the start: the point of it at x has the velocity v + w x x; world axes */
  double w[3], v[3];
} hk_rd_map;

typedef struct hk_rd_scope hk_rd_scope;
typedef struct hk_rd_item hk_rd_item;
typedef struct hk_rd_block hk_rd_block;
typedef struct hk_rd_repeat hk_rd_repeat;

typedef struct hk_rd_component {
  const char *name;  /* full dotted name of the definition */
  hk_node *node;     /* its entry under `components` */
  hk_rd_scope *home; /* the scope it was defined in */
  hk_node **docs;    /* the mappings it is made of: itself or its file, and includes */
  int32_t ndocs;
  bool loaded, broken; /* broken: errors were reported, further instances are skipped */
} hk_rd_component;

struct hk_rd_scope {
  hk_rd_scope *parent; /* NULL: the model itself */
  const char *name;    /* "front_left"; "" for the model */
  const char *prefix;  /* "front_left." with all parents; "" for the model */
  hk_loc loc;
  hk_rd_component *component; /* NULL: the model */
  hk_node **docs;             /* mappings that hold its sections, the main one first */
  int32_t ndocs;
  hk_node *connect; /* mapping local body name -> outer body, or NULL */
  int32_t depth;
  hk_rd_map map;
  const hk_rd_item *index; /* inside a repeated item: its number, a parameter; NULL: none */
  hk_rd_repeat *repeats;   /* its copies with an index (reader_repeat.c) */
};

typedef enum hk_rd_state { HK_RD_NEW, HK_RD_BUSY, HK_RD_DONE, HK_RD_FAILED } hk_rd_state;

typedef enum hk_rd_kind { HK_RD_NUMBER, HK_RD_LIST, HK_RD_TEXT } hk_rd_kind;

/* a parameter, point, frame or law */
struct hk_rd_item {
  const char *name;   /* full dotted name */
  hk_rd_scope *scope; /* the scope it belongs to */
  hk_rd_scope *eval;  /* the scope its text is read in (instance parameters: the parent) */
  hk_node *node;
  hk_loc loc;
  const char *set; /* parameters: the text of --set, or NULL */
  hk_rd_state state;
  const hk_entry *family; /* one of a repeated item: that item, else NULL */
  hk_rd_kind kind;        /* parameters */
  double value;           /* parameters that are numbers */
  const char *event; /* parameters: the event that sets it, or one that it depends on; NULL: none */
  bool derived;      /* it is an expression of such parameters */
  int32_t signal;    /* 1 + the signal that it has become; 0: none so far */
  hk_node *literal;  /* lists and texts: the node that stands for them */
  hk_rd_item *parts; /* lists: parts[nparts], their components as numbers */
  int32_t nparts;
  hk_rd_map map;                     /* frames; of points p, w and v */
  const hk_law *law[2];              /* laws: as it is, and flipped; NULL: not used so far */
  const struct hk_law_many *many[3]; /* the same of 1, 3 and 6 deformations, made of parts */
};

typedef struct hk_rd_items {
  hk_names *names;
  hk_rd_item *items;
  int32_t n, cap;
} hk_rd_items;

/* a signal on its way into the spec */
typedef struct hk_rd_signal {
  hk_spec_signal s; /* reads[].signal are indices into hk_reader.signals until the end */
  hk_rd_scope *scope;
  hk_node *node;
  const hk_entry *family; /* one of a repeated signal: that signal, else NULL */
  hk_rd_state state;
  bool profile;      /* an expression of x: a road, no signal */
  int32_t component; /* of a vector whose table it shares, 0 to 2; HK_NONE: all of its node */
  int32_t final;     /* index in the spec */
  /* found once, for a signal is reached on many ways: whether it is of time alone (1, -1 not, 0 not
   * asked so far), its value at the start (if known) */
  signed char of_time;
  bool start_known;
  double start;
  const hk_rd_block *block; /* an output of a controller: its block, else NULL */
  int32_t main, nports;     /* of a controller: its main signal; there: the ports behind it */
  int32_t copied_for, copy; /* number of the last periodic signal that copied it, and the copy */
} hk_rd_signal;

/* where an item of the spec was written, and its mirror signs */
typedef struct hk_rd_side {
  hk_rd_scope *scope;
  const hk_entry *entry;
  const hk_entry *family; /* one of a repeated item: that item, else NULL */
  double D[3];            /* joints: D of its markers */
  double sign[6]; /* joints: sign of each scalar coordinate (or locked axis) under mirroring */
} hk_rd_side;

typedef struct hk_reader {
  hk_ctx *ctx;
  hk_spec *spec;
  hk_pool *pool;                     /* nodes and scopes; freed when the reading is done */
  int32_t errors0;                   /* errors of the context before the reading */
  int32_t failures0;                 /* how often memory had run out before it */
  int32_t depth;                     /* evaluations of parameters, points and frames in progress */
  const char *busy[HK_READER_DEPTH]; /* busy[depth]: their names, outermost first */
  hk_rd_scope **scopes;              /* the model first, instances after their parents */
  int32_t nscopes, scopes_cap;
  hk_rd_items params, points, frames, laws;
  int32_t nliterals;      /* parameters that may be lists or texts */
  int32_t repeated;       /* repeated items so far */
  const hk_entry *family; /* the repeated item that the last entry of a walk is one of, or NULL */
  hk_names *component_names;
  hk_rd_component **components;
  int32_t ncomponents, components_cap;
  const hk_set *sets; /* sets[nsets]: from the command line */
  bool *set_used;     /* set_used[nsets]: it named a parameter */
  int32_t nsets;
  hk_names *signal_names; /* full name -> index below */
  hk_rd_signal *signals;
  int32_t nsignals, signals_cap;
  const hk_expr_wrap *wrap; /* of the time in the `periodic` signal being read; NULL: none */
  int32_t copies;           /* signals read anew inside it, nested */
  int32_t periodic;         /* periodic signals so far */
  hk_rd_side *bodies, *joints, *forces, *markers, *nodes; /* one per item of the spec's lists */
  struct hk_rd_tie *ties; /* couplers of flexible bodies that are not linear */
  bool flexible_broken;   /* a flexible body could not be read: its interfaces are not there */
  int32_t bodies_cap, joints_cap, forces_cap, markers_cap, events_cap, starts_cap, shapes_cap,
      nodes_cap, limits_cap, settings_cap, wide_cap, groups_cap, skins_cap, covers_cap;
  int32_t side_cap[5]; /* of the five lists of hk_rd_side, numbered as in hki_rd_side_add */
  int32_t files_cap;
  size_t kept; /* bytes of file texts stored in the spec so far */
} hk_reader;

#define hki_rd_error(rd, loc, hint, ...)                                                           \
  hki_error((rd)->ctx, HK_E_MODEL, (loc), (hint), __VA_ARGS__)

/* --- reader_core.c ---------------------------------------------------------------------------- */

/* adds what one entry of the file stands for; false when out of memory */
bool hki_rd_group_add(hk_reader *rd, const hk_spec_group *g);
/* a list of the spec that grew on the heap moves to its pool, which frees it */
void *hki_rd_to_pool(hk_reader *rd, void *list, int32_t n, size_t size);
/* too many errors: stop looking for more */
bool hki_rd_enough(const hk_reader *rd);

/* The mapping must have only keys of these tables (a NULL ends the list) and all required ones.
 * `what` and `name` say whose keys they are: "body 'rod'". False when it is no mapping. */
bool hki_rd_check_keys(hk_reader *rd, const hk_node *node, const hk_param *const *tables,
                       const char *what, const char *name);
/* "did you mean 'x'?" in buf, or NULL when no candidate is near */
const char *hki_rd_did_you_mean(const hk_nearest *near, char *buf, size_t cap);
/* the same for a word that may be another program's: then how Hooke does the thing */
const char *hki_rd_word_hint(const char *word, const hk_nearest *near, char *buf, size_t cap);

/* the value of a key in the first document that has it, or NULL; as written, or with names of lists
 * and texts replaced */
hk_node *hki_rd_first_raw(hk_rd_scope *s, const char *key);
hk_node *hki_rd_first(hk_reader *rd, hk_rd_scope *s, const char *key);
/* keys for YAML anchors and editors (".name", "x-name", "$schema"), which the reader skips */
bool hki_rd_is_private(const char *key);

/* is this a good name for an item; reports when not. `first_letter`: must not begin with a digit */
bool hki_rd_good_name(hk_reader *rd, const char *what, const char *name, hk_loc loc,
                      bool first_letter);
/* "front_left." + "arm", in the spec's pool */
const char *hki_rd_full_name(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* the path of a file named at `loc`, where relative paths start from the folder of that file; in
 * the spec's pool */
const char *hki_rd_path(hk_reader *rd, hk_loc loc, const char *path);

/* --- reader_repeat.c -------------------------------------------------------------------------- */

/* A walk over the entries of a section, which is a mapping under this key in each document of the
 * scope. Start with {0}. */
typedef struct hk_rd_walk {
  int32_t doc, entry;
  hk_rd_scope *scope; /* in which the entry just given is to be read */
  /* the item being repeated (n = 0: none): its keys, those of the first and last one, its index,
   * errors before it */
  int32_t i, n, errors;
  hk_entry *item;
  hk_node *keys;
  const hk_node *first, *last;
  const char *index;
} hk_rd_walk;
/* the next entry, repeated items one by one, names of lists and texts replaced; NULL at the end */
hk_entry *hki_rd_next(hk_reader *rd, hk_rd_scope *s, const char *section, hk_rd_walk *w);
/* the next entry as it is written */
hk_entry *hki_rd_next_raw(hk_reader *rd, hk_rd_scope *s, const char *section, hk_rd_walk *w);

/* --- reader_values.c -------------------------------------------------------------------------- */

/* The node with names of lists and texts and {expressions} in texts replaced by their values; the
 * node itself where there are none. */
hk_node *hki_rd_resolve(hk_reader *rd, hk_rd_scope *s, hk_node *node);
/* a text with its {expressions} replaced; NULL after reporting an error */
hk_node *hki_rd_expand(hk_reader *rd, hk_rd_scope *s, const hk_node *node);
/* a quoted text as a node */
hk_node *hki_rd_scalar(hk_reader *rd, const char *text, size_t len, hk_loc loc);
/* values of the kinds that tables of keys know; false when an error was reported */
bool hki_rd_ranged(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_param *row,
                   double *out);
bool hki_rd_bool(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, bool *out);
/* one of space-separated words; index in *out */
bool hki_rd_choice(hk_reader *rd, const hk_node *node, const char *what, const char *choices,
                   int32_t *out);
/* a scalar's text copied to the spec's pool */
const char *hki_rd_text(hk_reader *rd, const hk_node *node, const char *what);

/* a node that a part of the reader has written itself: as if it stood at this place of the file */
void hki_node_place(hk_node *node, hk_loc loc);

/* --- reader_files.c --------------------------------------------------------------------------- */

/* Read a whole file of at most `max` bytes and put it on the spec's list of files. `path` is in the
 * spec's pool; `from` is where the file was named. */
hk_status hki_rd_file(hk_reader *rd, hk_file_kind kind, const char *path, hk_loc from, size_t max,
                      char **text, size_t *len);
/* The table of numbers in the file that a node names, in the reader's pool; its text is on that
 * list too. False: said why. */
bool hki_rd_csv(hk_reader *rd, const hk_node *file, hk_csv *out);

/* --- reader_params.c -------------------------------------------------------------------------- */

/* the parameters of a scope; `overrides` are those that the instance sets, read in scope `outer` */
void hki_rd_params_register(hk_reader *rd, hk_rd_scope *s, hk_node *overrides, hk_rd_scope *outer);
/* Is `name`, which is no parameter, a signal or a channel? If so, reports that `what` must be
 * constant, at the name's place in `node` (NULL: the text of a --set), and returns true. */
bool hki_rd_varies(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                   const char *what, const char *hint);
/* its value; programs in C have another function, by which parameters stay variables (guest/guest.c) */
double hki_rd_param_value(const char *name, double value);
void hki_rd_params_check(hk_reader *rd); /* evaluate all, complain about unused --set */
/* a visible parameter, index or component of a list; NULL = unknown. Its value is there unless
 * state is HK_RD_FAILED */
const hk_rd_item *hki_rd_param_find(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* the parameter of this very name, not evaluated; NULL: there is none */
hk_rd_item *hki_rd_param_whole(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* the number of a parameter in an expression; false when there is no such parameter. One that is a
 * list or a text, or that an event sets, is reported at `loc`, the place of the expression */
bool hki_rd_param_symbol(hk_reader *rd, const hk_rd_scope *s, hk_loc loc, const char *name,
                         hk_expr_symbol *out);
void hki_rd_param_suggest(hk_reader *rd, const hk_rd_scope *s, hk_nearest *near);

/* --- reader_live.c: parameters that events set ------------------------------------------------ */

/* marks those that events of scope s set; before any of them is evaluated */
void hki_rd_live_mark(hk_reader *rd, hk_rd_scope *s);
/* reports the use of such a parameter as a constant */
void hki_rd_live_refuse(hk_reader *rd, hk_loc loc, const hk_rd_item *it);
/* is the name, seen from scope s, such a parameter? */
bool hki_rd_live(hk_reader *rd, const hk_rd_scope *s, const char *name);
/* the signal that it has become; HK_NONE after an error. rd->signals may move. */
int32_t hki_rd_live_signal(hk_reader *rd, const hk_rd_scope *s, const char *name);

/* --- numbers (reader_params.c) ---------------------------------------------------------------- */

/* false after reporting a plain expression that YAML cut off at a comma: {a: max(1, 2)} */
bool hki_rd_whole(hk_reader *rd, const hk_node *node);
/* numbers: `what` is the key, for messages. False when an error was reported (*out is then 0) */
bool hki_rd_number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                   double *out);
bool hki_rd_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, int32_t n,
                    double *out);
/* is it a number that is known by now? Nothing is reported */
bool hki_rd_is_number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, double *out);

/* --- reader_frames.c -------------------------------------------------------------------------- */

void hki_rd_map_identity(hk_rd_map *m);
/* out = outer o (R, p), then the mirror diagonal M (NULL: none) innermost */
void hki_rd_map_place(hk_rd_map *out, const hk_rd_map *outer, const double *R, const double *p,
                      const double *M);
void hki_rd_map_point(const hk_rd_map *m, const double *x, double *out);  /* p + S x */
void hki_rd_map_vector(const hk_rd_map *m, const double *v, double *out); /* S v */
void hki_rd_map_pseudo(const hk_rd_map *m, const double *w, double *out); /* det(S) S w */
void hki_rd_map_frame(const hk_rd_map *m, const double *R, const double *D,
                      double *out); /* S R D */

/* names of a section into a table */
void hki_rd_items_register(hk_reader *rd, hk_rd_scope *s, const char *section, const char *what,
                           hk_rd_items *all);
/* the item that a name means in a scope or around it, or NULL */
hk_rd_item *hki_rd_item_find(hk_rd_items *all, const hk_rd_scope *s, const char *name);
void hki_rd_item_suggest(const hk_rd_items *all, const hk_rd_scope *s, hk_nearest *near);
void hki_rd_frames_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_frames_check(hk_reader *rd);
/* points: name, [x, y, z], {in: frame, at: point}; world coordinates */
bool hki_rd_point(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                  double *out);
/* the same with the motion of the frame that the point is placed in; map: p, w and v only */
bool hki_rd_point_map(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      hk_rd_map *map);
/* the frame that `in` of a mapping names, else the scope's map */
bool hki_rd_base(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_map *base);
bool hki_rd_ends(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, double *a,
                 double *b);
/* a direction as a unit vector in the axes of `base`: x | -x | frame.x | [..] | [pA, pB] */
bool hki_rd_axis(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                 const char *what, double *out);
/* an orientation in the axes of `base` */
bool hki_rd_orientation(hk_reader *rd, hk_rd_scope *s, const hk_rd_map *base, const hk_node *node,
                        const char *what, double *R);
/* axes: a frame's name, or an orientation in the scope; `map` has S and D, p is not touched */
bool hki_rd_axes(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                 hk_rd_map *map);
/* a whole placement {in:, at:, rotate:}, or a frame's name */
bool hki_rd_placement(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                      hk_rd_map *map);
/* `in`, `at`, `rotate` of a mapping; base is the scope's map unless `in` names a frame */
bool hki_rd_place_keys(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const double *M,
                       hk_rd_map *map);

/* --- reader_components.c ---------------------------------------------------------------------- */

/* load a document and its includes; the array has the main document first */
bool hki_rd_load(hk_reader *rd, const char *path, hk_loc from, const char *text, size_t len,
                 hk_node ***docs, int32_t *ndocs);
/* the same for the tree of a main document, which is the reader's from then on */
bool hki_rd_take(hk_reader *rd, hk_node *doc, hk_node ***docs, int32_t *ndocs);
void hki_rd_scope_build(hk_reader *rd, hk_rd_scope *s);
/* body index of a name in a scope: local, connected, or ground; -2 after reporting an error */
int32_t hki_rd_body_find(hk_reader *rd, hk_rd_scope *s, const char *name);
int32_t hki_rd_body(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what);
/* joint index, -2 after reporting. With coord not NULL, "joint.angle" is accepted too and *coord is
 * the number of that coordinate */
int32_t hki_rd_joint(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                     int32_t *coord);
/* scalar node of a name: local, connected, or ground; -2 after reporting an error */
int32_t hki_rd_node_find(hk_reader *rd, hk_rd_scope *s, const char *name);
int32_t hki_rd_node(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what);
/* report bodies and nodes under `connect` that do not exist */
void hki_rd_connect_check(hk_reader *rd, hk_rd_scope *s);
/* the scope is left out because an earlier instance of its component had errors */
bool hki_rd_scope_skip(const hk_rd_scope *s);

/* --- items ------------------------------------------------------------------------------------ */

/* `register` enters the names of a scope; `read` fills in item i, when all names are known */
void hki_rd_bodies_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_markers_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_joints_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_forces_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_network_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_nodes_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_body_read(hk_reader *rd, int32_t i);
void hki_rd_marker_read(hk_reader *rd, int32_t i);
void hki_rd_joint_read(hk_reader *rd, int32_t i);
/* A key `e` of the motion `node` that prescribes the rotation of a joint as a whole; false: it is
 * another one. */
bool hki_rd_turn(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_entry *e,
                 hk_spec_joint *j);
/* One more body, joint or force with this entry, which lasts; its contents are read with those of the
 * others. False: out of memory. */
bool hki_rd_body_add(hk_reader *rd, hk_rd_scope *s, const hk_entry *e);
bool hki_rd_joint_add(hk_reader *rd, hk_rd_scope *s, const hk_entry *e);
/* the same of a known type; what: how messages call it */
bool hki_rd_joint_put(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_joint_ops *ops,
                      const char *what);
bool hki_rd_force_entry(hk_reader *rd, hk_rd_scope *s, const hk_entry *e);
/* what keys of a joint stand for: the deviation of a coupling that gives way, the rotor of an armature
 * (reader_parts.c) */
bool hki_rd_joint_parts(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, const hk_joint_ops *ops);
bool hki_rd_gives_way(const hk_node *node);
/* an entry with this text as its contents, as if it stood at loc; frees the text. NULL: no memory */
hk_entry *hki_rd_part(hk_reader *rd, const char *key, hk_loc loc, hk_text *text);
/* the same for couplings, after all joints (reader_couplings.c) */
void hki_rd_coupling_read(hk_reader *rd, int32_t i);
/* the coordinate that an entry of key `what` names: a joint with one, or joint.coordinate; item: who
 * names it, "gear 'stage'" */
bool hki_rd_coupled(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *what,
                    const char *item, hk_spec_coupled *out);
/* the section `servo` (reader_servo.c): names, and what a joint of the list is when it is a servo */
void hki_rd_servos_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_servo_read(hk_reader *rd, int32_t i);
/* friction of a joint that is being read */
typedef struct hk_rd_rub {
  hk_rd_scope *scope;
  const hk_node *node;     /* `friction:` */
  int32_t joint;           /* spec joint */
  const hk_node *heat;     /* value of `heats`; NULL: none */
  int32_t heats;           /* its node, or HK_NONE */
  hk_spec_stopped stopped; /* at stops */
  int32_t pressed;         /* signal that is the normal force; HK_NONE: the machine finds it */
} hk_rd_rub;
/* heat and heats, from the node; false after reporting */
bool hki_rd_rub_heats(hk_reader *rd, hk_rd_rub *r);
/* slips that the joint gives (hk_joint_friction.slips) into par, with its radius; in a planar model only what
 * moves in its plane slides. False after reporting */
bool hki_rd_rub_slips(hk_reader *rd, const hk_rd_rub *r, hk_joint_friction_par *par);
/* a force on coordinate k of the joint; a force between its markers. par->law has the friction */
bool hki_rd_rub_scalar(hk_reader *rd, const hk_rd_rub *r, const char *name, int32_t k,
                       const hk_joint_friction_par *par);
void hki_rd_rub_vector(hk_reader *rd, const hk_rd_rub *r, const char *name,
                       const hk_element_ops *ops, hk_joint_friction_par *par);
/* `friction:` of `limits:` on coordinate k of joint j, whose limits are the last of the spec
 * (reader_stop_friction.c); soft: of a compliant stop, NULL: it is rigid */
void hki_rd_stop_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t j, int32_t k,
                          const hk_stop_par *soft);
/* `friction:` of joint i (reader_joint_friction.c) */
void hki_rd_joint_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i);
void hki_rd_force_read(hk_reader *rd, int32_t i);
/* A state of a signal, dx/dt = its first input: a network element without a text of its own. Its
 * index among the forces; HK_NONE after an error. rd->spec->forces may move. */
int32_t hki_rd_force_add(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                         const hk_element_ops *ops);
int32_t hki_rd_state(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc, double start);
/* `limits` of joint i (reader_stops.c): rigid stops, and forces for compliant ones; after all
 * forces */
void hki_rd_limits_read(hk_reader *rd, int32_t i);
/* [lower, upper] with null for an open end; what: "limits of joint 'pin'" */
bool hki_rd_range(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                  double *range);
void hki_rd_node_read(hk_reader *rd, int32_t i);
/* `run: quasi_steady`: nodes whose storage is dropped */
void hki_rd_quasi_steady(hk_reader *rd);
void hki_rd_events_read(hk_reader *rd, hk_rd_scope *s);
void hki_rd_start_read(hk_reader *rd, hk_rd_scope *s);
void hki_rd_general_read(hk_reader *rd); /* title, planar */
void hki_rd_fields_read(hk_reader *rd);  /* gravity, the frame of the run; after all forces */
void hki_rd_run_read(hk_reader *rd);     /* record, run */
void hki_rd_inverse_read(hk_reader *rd); /* inverse */
/* the value of a key of a section of the model in the first document that has it, or NULL */
const hk_node *hki_rd_section_key(hk_reader *rd, const char *section, const char *key);
const hk_node *hki_rd_run_key(hk_reader *rd, const char *key); /* the same of `run` */
/* true for a single word that is neither a parameter nor a constant: a choice, not a number */
bool hki_rd_is_word(hk_reader *rd, const hk_node *v);

/* --- reader_analyses.c ------------------------------------------------------------------------ */

/* a section with the options of a verb, by its keys */
typedef struct hk_rd_analysis {
  const char *name;
  const hk_param *keys;
} hk_rd_analysis;
extern const hk_rd_analysis hki_rd_analyses[]; /* ends with a NULL name */
extern const hk_param hki_keys_modes[], hki_keys_statics[];
void hki_rd_analyses_read(hk_reader *rd);

/* number of words that are `key` or "key.x"; these stand side by side, *first is the first index */
int32_t hki_rd_coord_group(const char *words, const char *key, int32_t *first);
/* the two bodies of a list [first, second] */
bool hki_rd_bodies(hk_reader *rd, hk_rd_scope *s, const hk_node *list, int32_t *body);

/* --- reader_signals.c ------------------------------------------------------------------------- */

void hki_rd_signals_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_signal_read(hk_reader *rd, int32_t i);
void hki_rd_signals_finish(hk_reader *rd); /* order them, renumber all that refer to them */
/* A dynamic value: number, expression, signal name, or an inline signal. A constant gives *signal =
 * HK_NONE. `name` is for an anonymous signal; sign -1 negates the value. False without a node: that a
 * required key is missing has been said. */
bool hki_rd_dynamic(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                    int32_t sign, double *value, int32_t *signal);
/* index of a visible named signal, or HK_NONE */
int32_t hki_rd_signal_find(const hk_reader *rd, const hk_rd_scope *s, const char *name);
/* Is the text of a node the name of a vector signal? part: the names of its components. */
bool hki_rd_vector(hk_reader *rd, const hk_rd_scope *s, const hk_node *node, hk_node part[3]);
void hki_rd_signal_suggest(const hk_reader *rd, const hk_rd_scope *scope, hk_nearest *near);
/* an expression in which k0, k1 ... are its inputs */
hk_expr *hki_rd_expr_slots(hk_reader *rd, const char *text, size_t len, hk_loc loc);
/* a signal that is one number */
int32_t hki_rd_signal_constant(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                               double value);
/* the position of a coordinate whose rate (order 1) or acceleration (2) is the signal */
int32_t hki_rd_signal_travel(hk_reader *rd, hk_rd_scope *s, const char *name, hk_loc loc,
                             int32_t signal, int32_t order);

/* --- reader_controllers.c --------------------------------------------------------------------- */

void hki_rd_controllers_register(hk_reader *rd, hk_rd_scope *s);

/* --- reader_laws.c ---------------------------------------------------------------------------- */

void hki_rd_laws_register(hk_reader *rd, hk_rd_scope *s);
void hki_rd_laws_check(hk_reader *rd); /* those that nothing uses are read too */
/* a law, or the name of one; flip: the law of the mirrored coordinate, -f(-s, -sdot) */
const hk_law *hki_rd_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                         bool flip);
/* laws with memory: the values of 'maxwell' (inner: the law beside the branches, or NULL), of those
 * with friction and of 'hardening' */
bool hki_rd_maxwell(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_law *inner,
                    hk_law *law);
bool hki_rd_friction_law(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_friction_kind kind,
                         hk_law *law);
bool hki_rd_hardening(hk_reader *rd, hk_rd_scope *s, const hk_node *v, hk_law *law);

/* --- reader_values.c: rows of tables whose type says what they hold --------------------------- */

/* a number, a whole number, true or false, a choice, a text, into the place of its row; false after an error */
bool hki_rd_plain(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *p, void *at);
/* its default; rows of other types stay as they are */
void hki_rd_plain_default(const hk_param *p, void *at);

/* --- reader_modules.c: what modules bring ----------------------------------------------------- */

/* loads what the model asks for under `modules:`; false after an error */
bool hki_rd_modules_read(hk_reader *rd);
/* the type of a law that a key of the mapping names; NULL: none */
const hk_law_ops *hki_rd_law_own(hk_reader *rd, const hk_node *node);
bool hki_rd_own_law(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_law_ops *ops,
                    bool flip, hk_law *law);
/* `heats: node` of something that dissipates (reader_heats.c). register: with its owner, before
 * anything is read; then, with its value v, the channel of the power that flows into the node. */
bool hki_rd_heats_register(hk_reader *rd, hk_rd_scope *s, const char *owner, hk_loc loc);
void hki_rd_heats(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const char *owner,
                  hk_channel power);
/* A block `friction: {type: coulomb, mu: 0.3}` (reader_friction.c), in the pool of the spec; NULL:
 * reported. more: other keys that the block may have (NULL: none). `what` and `name`: whose it is. */
const hk_friction *hki_rd_friction(hk_reader *rd, hk_rd_scope *s, const hk_node *v,
                                   const hk_param *more, const char *what, const char *name);
/* a road of a tyre (reader_roads.c) */
bool hki_rd_road(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                 hk_road *road);
/* reports when x is not finite */
/* is signal i (of hk_reader.signals) one of time alone, also through the signals that it reads? */
bool hki_rd_of_time(hk_reader *rd, int32_t i, int32_t depth);
/* a closed plane curve, in spec->pool; NULL after reporting */
const hk_curve *hki_rd_curve(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what);
bool hki_rd_finite(hk_reader *rd, const hk_node *node, const char *what, double x);

/* --- reader_curves.c -------------------------------------------------------------------------- */

typedef enum hk_rd_table_use { HK_RD_LAW, HK_RD_ROAD, HK_RD_SIGNAL } hk_rd_table_use;
/* a table from the keys table, column, against, interpolation .. of a mapping; laws extend their
 * end slopes, others hold their end values; flip: -f(-x) */
const hk_table *hki_rd_table(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                             const hk_node *file, hk_rd_table_use use, bool flip);
/* the same for component k of a vector: the column is the k-th of `columns` */
const hk_table *hki_rd_table_of(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                                const hk_node *file, int32_t component);
/* a table in two variables (reader_surfaces.c), from the keys table, interpolation, extrapolation */
const hk_surface *hki_rd_surface(hk_reader *rd, hk_rd_scope *s, const hk_node *node,
                                 const hk_node *table);
/* at the end: tables that prescribe motions become splines, where nothing else is said */
void hki_rd_motion_tables(hk_reader *rd);

/* --- reader_tables.c: the keys of everything that has no table of its own --------------------- */

extern const hk_param hki_keys_gravity[], hki_keys_moving[]; /* what acts on every mass */
extern const hk_param hki_keys_limits[];                     /* how stops of joints act */
extern const hk_param hki_keys_model[], hki_keys_component[], hki_keys_component_file[],
    hki_keys_instance[], hki_keys_frame[], hki_keys_point[], hki_keys_body[], hki_keys_inertia[],
    hki_keys_shape[], hki_keys_marker[], hki_keys_event[], hki_keys_start_body[], hki_keys_relax[],
    hki_keys_run[], hki_keys_orientation[], hki_keys_signal[], hki_keys_law[], hki_keys_road[],
    hki_keys_curve[], hki_keys_node[], hki_keys_start[], hki_keys_table[], hki_keys_repeat[],
    hki_keys_param[], hki_keys_periodic[], hki_keys_surface[], hki_keys_integral[],
    hki_keys_derivative[], hki_keys_filter[], hki_keys_transfer[], hki_keys_state_space[],
    hki_keys_pid[], hki_keys_sample[], hki_keys_delay[], hki_keys_latch[], hki_keys_first_hit[],
    hki_keys_input[], hki_keys_after[], hki_keys_maxwell[], hki_keys_coulomb[], hki_keys_stribeck[],
    hki_keys_lugre[], hki_keys_hardening[], hki_keys_friction[], hki_keys_quantiser[],
    hki_keys_saturation[], hki_keys_dead_zone[], hki_keys_rate_limit[], hki_keys_machine[],
    hki_keys_machine_state[], hki_keys_transition[];
extern const hk_param hki_keys_inverse[], hki_keys_actuator[], hki_keys_task[],
    hki_keys_ergonomy[]; /* inverse problems */
extern const hk_param hki_keys_servo[];

#endif
