/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_check.h: the functions of yaml_check.c, for yaml.c alone.
 */
#ifndef HK_FORMATS_YAML_CHECK_H
#define HK_FORMATS_YAML_CHECK_H

#include <yaml.h>

#include "base/base.h"

/* refuse text that is not UTF-8: NUL bytes, UTF-16, broken sequences, control characters */
hk_status hki_yaml_check_text(hk_ctx *ctx, int32_t file, const char *text, size_t len);

/* can it be a text of a model: UTF-8 without control characters other than tabs and ends of lines */
bool hki_yaml_is_text(const char *text, size_t len);

/* report a syntax error of libyaml in words, with a hint where the cause is a known one */
hk_status hki_yaml_syntax_error(hk_ctx *ctx, int32_t file, const char *text, size_t len,
                                const yaml_parser_t *parser);

#endif
