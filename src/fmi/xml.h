/* SPDX-License-Identifier: Apache-2.0
 *
 * xml.h: elements and attributes of an XML text, one by one; character data are passed over. No document
 * types and no entities but the five of the language and characters by number, so that a small text stays
 * small. Source: World Wide Web Consortium, Extensible Markup Language 1.0, fifth edition (2008).
 */
#ifndef HK_FMI_XML_H
#define HK_FMI_XML_H

#include "base/base.h"

enum { HK_XML_ATTRIBUTES = 64, HK_XML_DEPTH = 64 };

typedef enum hk_xml_kind { HK_XML_BEGIN, HK_XML_END, HK_XML_DONE, HK_XML_WRONG } hk_xml_kind;

typedef struct hk_xml {
  hk_pool *pool; /* of names and values */
  const char *s, *end, *begin;
  const char *name; /* of the element that begins or ends */
  int32_t nattributes;
  const char *key[HK_XML_ATTRIBUTES], *value[HK_XML_ATTRIBUTES];
  const char *wrong; /* why it cannot be read */
  int32_t depth;
  const char *open[HK_XML_DEPTH];
  bool closes; /* <a/>: its end comes next */
} hk_xml;

void hki_xml_start(hk_xml *x, hk_pool *pool, const char *text, size_t len);
hk_xml_kind hki_xml_next(hk_xml *x);
/* an attribute of the element that has just begun; NULL: none */
const char *hki_xml_get(const hk_xml *x, const char *key);
/* line and column of the place that was read last, from 1 */
void hki_xml_place(const hk_xml *x, int32_t *line, int32_t *column);

#endif
