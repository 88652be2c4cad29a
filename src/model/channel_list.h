/* SPDX-License-Identifier: Apache-2.0
 *
 * channel_list.h: the channels of each item in a fixed order, and their names without the item;
 * shared by channel.c and channel_find.c.
 */
#ifndef HK_MODEL_CHANNEL_LIST_H
#define HK_MODEL_CHANNEL_LIST_H

#include "model/spec.h"

/* first word of a name */
typedef enum hk_group {
  HK_GROUP_BODY,
  HK_GROUP_MARKER,
  HK_GROUP_JOINT,
  HK_GROUP_FORCE,
  HK_GROUP_NETWORK,  /* the elements of `network:`; items are those of the forces */
  HK_GROUP_BEAM,     /* elements on several markers that have a section */
  HK_GROUP_SLIDER,   /* those that run along a beam */
  HK_GROUP_SHELL,    /* those that are surfaces, */
  HK_GROUP_MEMBRANE, /* without bending */
  HK_GROUP_FLEX,     /* bodies with modes: elements on several markers that have inertia */
  HK_GROUP_NODE,
  HK_GROUP_SIGNAL,
  HK_GROUP_CONTROLLER, /* outputs of `controllers:`; items are those of the signals */
  HK_GROUP_SERVO,      /* the items of `servo:`; they are joints of the spec */
  HK_GROUP_ENERGY,
  HK_GROUP_SOLVER,
  HK_GROUP_CONSTRAINT,
  HK_GROUPS
} hk_group;

extern const char *const hki_group_names[HK_GROUPS];

/* HK_GROUP_FORCE or HK_GROUP_NETWORK; HK_GROUP_SIGNAL or HK_GROUP_CONTROLLER */
hk_group hki_group_of_force(const hk_spec *spec, int32_t force);
hk_group hki_group_of_signal(const hk_spec *spec, int32_t signal);
/* of an element on several markers, or from nwide on of a group of them; HK_GROUPS: it has no channels */
hk_group hki_group_of_wide(const hk_spec *spec, int32_t item);
/* number of items of a group (1 for energy, solver, constraint) and their names (NULL: no name) */
int32_t hki_group_items(const hk_spec *spec, hk_group g);
const char *hki_group_item_name(const hk_spec *spec, hk_group g, int32_t item);
/* table from names to items; NULL for groups without items */
hk_names *hki_group_index(const hk_spec *spec, hk_group g);

/* the i-th channel of an item; false when there are no more */
bool hki_channel_at(const hk_spec *spec, hk_group g, int32_t item, int32_t i, hk_channel *out);

/* does the channel belong to this spec? */
bool hki_channel_valid(const hk_spec *spec, hk_channel c);

/* name without group and item: "position.x"; "" for signals and outputs of controllers */
void hki_channel_quantity(const hk_spec *spec, hk_channel c, char *buf, size_t cap);

/* a family of channels, for lists: the same quantity of any item */
typedef struct hk_channel_family {
  hk_channel_kind kind;
  hk_group group;
  const char *name;       /* NULL: the components, or the type of the item, are the names */
  const char *components; /* words; NULL: the type of the item gives them */
  const char *unit;       /* NULL: depends on the type of the item */
  const char *text;
} hk_channel_family;

/* the i-th family; false when there are no more */
bool hki_channel_family(int32_t i, hk_channel_family *out);

enum { HK_QUANTITY_MAX = 80 }; /* bytes that hold any quantity */

#endif
