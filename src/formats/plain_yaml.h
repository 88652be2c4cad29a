/* SPDX-License-Identifier: Apache-2.0
 *
 * plain_yaml.h: a reader of plain YAML, for builds without libyaml (the sources of an FMU). It reads
 * what hki_yaml_write and the generators of the model reader write, and JSON: block mappings and lists,
 * braces and brackets, plain and quoted texts of one line, comments. It has no anchors, aliases, tags,
 * merge keys, texts over several lines or documents; they are refused.
 *
 * Its events are those of libyaml, as far as yaml.c looks at them, under the same names.
 */
#ifndef HK_FORMATS_PLAIN_YAML_H
#define HK_FORMATS_PLAIN_YAML_H

#include "base/base.h"

typedef unsigned char hk_plain_char;

typedef struct hk_plain_mark {
  size_t index, line, column; /* from 0, columns in characters */
} hk_plain_mark;

typedef enum hk_plain_kind {
  HK_PLAIN_DOCUMENT,
  HK_PLAIN_SCALAR,
  HK_PLAIN_SEQUENCE,
  HK_PLAIN_SEQUENCE_END,
  HK_PLAIN_MAPPING,
  HK_PLAIN_MAPPING_END,
  HK_PLAIN_ALIAS, /* never given */
  HK_PLAIN_END
} hk_plain_kind;

typedef enum hk_plain_style { HK_PLAIN_STYLE, HK_PLAIN_QUOTED } hk_plain_style;
typedef enum hk_plain_error { HK_PLAIN_SYNTAX, HK_PLAIN_MEMORY } hk_plain_error;

/* anchors and tags are always NULL */
typedef struct hk_plain_event {
  hk_plain_kind type;
  hk_plain_mark start_mark, end_mark;
  struct {
    struct {
      hk_plain_char *value, *tag, *anchor; /* value: NUL-terminated, the parser's */
      size_t length;
      hk_plain_style style;
    } scalar;
    struct {
      hk_plain_char *tag, *anchor;
    } sequence_start, mapping_start, alias;
  } data;
  size_t text; /* where the value begins in the parser's characters */
} hk_plain_event;

typedef struct hk_plain_parser {
  const char *problem, *context; /* what is wrong; the second is always NULL */
  hk_plain_mark problem_mark, context_mark;
  hk_plain_error error;
  /* private */
  const char *s, *end;
  hk_plain_mark at;
  int32_t depth;
  bool read;
  hk_plain_event *events;
  int32_t nevents, cap, next;
  char *chars;
  size_t nchars, cap_chars;
} hk_plain_parser;

int hki_plain_start(hk_plain_parser *p); /* always 1 */
void hki_plain_input(hk_plain_parser *p, const unsigned char *text, size_t len);
/* the next event; 0: `problem` says what is wrong */
int hki_plain_next(hk_plain_parser *p, hk_plain_event *event);
void hki_plain_free(hk_plain_parser *p);

#endif
