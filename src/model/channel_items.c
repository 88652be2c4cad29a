/* SPDX-License-Identifier: Apache-2.0
 *
 * channel_items.c: the items of a model that have channels, by the first words of their names.
 */
#include "model/channel_list.h"

hk_group hki_group_of_force(const hk_spec *s, int32_t force) {
  const hk_element_ops *ops = s->forces[force].ops;
  return ops && (ops->caps & HK_ELEMENT_NETWORK) ? HK_GROUP_NETWORK : HK_GROUP_FORCE;
}

hk_group hki_group_of_signal(const hk_spec *s, int32_t signal) {
  return s->signals[signal].controller ? HK_GROUP_CONTROLLER : HK_GROUP_SIGNAL;
}

hk_group hki_group_of_wide(const hk_spec *s, int32_t item) {
  int32_t first, n;
  hki_spec_wide_range(s, item, &first, &n);
  if (n > 0 && s->wide[first].ops->inertia) return HK_GROUP_FLEX;
  // of a group without such elements its forces have the channels
  switch (n > 0 ? s->wide[first].ops->ny : 0) {
    case HK_WIDE_SECTION:
      return HK_GROUP_BEAM;
    case HK_WIDE_SLIDER:
      return item < s->nwide ? HK_GROUP_SLIDER : HK_GROUPS;
    case HK_WIDE_SHELL:
      return HK_GROUP_SHELL;
    case HK_WIDE_MEMBRANE:
      return HK_GROUP_MEMBRANE;
    default:
      return HK_GROUPS;
  }
}

int32_t hki_group_items(const hk_spec *s, hk_group g) {
  switch (g) {
    case HK_GROUP_BODY:
      return s->nbodies;
    case HK_GROUP_MARKER:
      return s->nmarkers;
    case HK_GROUP_JOINT:
    case HK_GROUP_SERVO:
      return s->njoints - s->nhidden;
    case HK_GROUP_FORCE:
    case HK_GROUP_NETWORK:
      return s->nforces;
    case HK_GROUP_BEAM:
    case HK_GROUP_SLIDER:
    case HK_GROUP_SHELL:
    case HK_GROUP_MEMBRANE:
      return s->nwide + s->ngroups;
    case HK_GROUP_FLEX:
      return s->nwide;
    case HK_GROUP_NODE:
      return s->nnodes;
    case HK_GROUP_SIGNAL:
    case HK_GROUP_CONTROLLER:
      return s->nsignals;
    default:
      return 1;
  }
}

const char *hki_group_item_name(const hk_spec *s, hk_group g, int32_t i) {
  switch (g) {
    case HK_GROUP_BODY:
      return s->bodies[i].name;
    case HK_GROUP_MARKER:
      return s->markers[i].name;
    case HK_GROUP_JOINT:
    case HK_GROUP_SERVO:
      return s->joints[i].name;
    case HK_GROUP_FORCE:
    case HK_GROUP_NETWORK:
      return hki_group_of_force(s, i) == g ? s->forces[i].name : NULL;
    case HK_GROUP_BEAM:
    case HK_GROUP_SLIDER:
    case HK_GROUP_SHELL:
    case HK_GROUP_MEMBRANE:
      if (hki_group_of_wide(s, i) != g) return NULL;
      return i < s->nwide ? s->wide[i].name : s->groups[i - s->nwide].name;
    case HK_GROUP_FLEX:
      return s->wide[i].ops->inertia ? s->wide[i].name : NULL;
    case HK_GROUP_NODE:
      return s->nodes[i].name;
    case HK_GROUP_SIGNAL:
    case HK_GROUP_CONTROLLER:
      if (!s->signals[i].named || hki_group_of_signal(s, i) != g) return NULL;
      return g == HK_GROUP_SIGNAL ? s->signals[i].name : hki_controller_name(&s->signals[i]);
    default:
      return NULL;
  }
}

hk_names *hki_group_index(const hk_spec *s, hk_group g) {
  switch (g) {
    case HK_GROUP_BODY:
      return s->body_names;
    case HK_GROUP_MARKER:
      return s->marker_names;
    case HK_GROUP_JOINT:
    case HK_GROUP_SERVO:
      return s->joint_names;
    case HK_GROUP_FORCE:
    case HK_GROUP_NETWORK:
      return s->force_names;
    case HK_GROUP_BEAM:
    case HK_GROUP_SLIDER:
    case HK_GROUP_SHELL:
    case HK_GROUP_MEMBRANE:
    case HK_GROUP_FLEX:
      return s->wide_names;
    case HK_GROUP_NODE:
      return s->node_names;
    case HK_GROUP_SIGNAL:
      return s->signal_names;
    case HK_GROUP_CONTROLLER:
      return s->controller_names;
    default:
      return NULL;
  }
}
