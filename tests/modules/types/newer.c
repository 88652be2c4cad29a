/* SPDX-License-Identifier: Apache-2.0
 *
 * newer.c: a module of a version to come.
 */
#include "hooke/plugin.h"

static int32_t init(const hk_plugin_host *host) {
  (void)host;
  return 0;
}
HK_PLUGIN_EXPORT extern const hk_plugin hk_plugin_entry;
const hk_plugin hk_plugin_entry = {HK_PLUGIN_MAGIC, HK_PLUGIN_VERSION + 1, "newer", "of tomorrow",
                                   init};
