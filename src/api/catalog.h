/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.h: what the catalogue and the schema share.
 */
#ifndef HK_API_CATALOG_H
#define HK_API_CATALOG_H

#include "base/params.h"

/* the type of a parameter in words: "number", "2 points" */
const char *hki_param_type_name(const hk_param *p);

/* families of channels: a pattern with NAME for the item, e.g. "body.NAME.position.x" */
typedef struct hk_channel_info {
  const char *name, *unit, *text;
} hk_channel_info;

extern const hk_channel_info hki_channel_infos[];
int32_t hki_channel_info_count(void);

#endif
