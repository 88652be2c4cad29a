/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_check.h: the functions of yaml_check.c, for yaml.c alone.
 */
#ifndef HK_FORMATS_YAML_CHECK_H
#define HK_FORMATS_YAML_CHECK_H

#include "base/base.h"

#ifdef HK_WITH_YAML
#include <yaml.h>
#else
/* the names of libyaml that yaml.c uses */
#include "formats/plain_yaml.h"
#define yaml_char_t                                hk_plain_char
#define yaml_mark_t                                hk_plain_mark
#define yaml_event_t                               hk_plain_event
#define yaml_parser_t                              hk_plain_parser
#define yaml_parser_initialize                     hki_plain_start
#define yaml_parser_set_input_string               hki_plain_input
#define yaml_parser_set_encoding(parser, encoding) ((void)(parser))
#define yaml_parser_parse                          hki_plain_next
#define yaml_event_delete(event)                   ((void)(event))
#define yaml_parser_delete                         hki_plain_free
#define YAML_DOCUMENT_START_EVENT                  HK_PLAIN_DOCUMENT
#define YAML_SCALAR_EVENT                          HK_PLAIN_SCALAR
#define YAML_SEQUENCE_START_EVENT                  HK_PLAIN_SEQUENCE
#define YAML_SEQUENCE_END_EVENT                    HK_PLAIN_SEQUENCE_END
#define YAML_MAPPING_START_EVENT                   HK_PLAIN_MAPPING
#define YAML_MAPPING_END_EVENT                     HK_PLAIN_MAPPING_END
#define YAML_ALIAS_EVENT                           HK_PLAIN_ALIAS
#define YAML_STREAM_END_EVENT                      HK_PLAIN_END
#define YAML_PLAIN_SCALAR_STYLE                    HK_PLAIN_STYLE
#define YAML_STR_TAG                               "tag:yaml.org,2002:str"
#define YAML_MEMORY_ERROR                          HK_PLAIN_MEMORY
#endif

/* refuse text that is not UTF-8: NUL bytes, UTF-16, broken sequences, control characters */
hk_status hki_yaml_check_text(hk_ctx *ctx, int32_t file, const char *text, size_t len);

/* can it be a text of a model: UTF-8 without control characters other than tabs and ends of lines */
bool hki_yaml_is_text(const char *text, size_t len);

/* report a syntax error of libyaml in words, with a hint where the cause is a known one */
hk_status hki_yaml_syntax_error(hk_ctx *ctx, int32_t file, const char *text, size_t len,
                                const yaml_parser_t *parser);

#endif
