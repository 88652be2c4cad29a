/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml.h: YAML or JSON text -> a tree of nodes that know where they were written.
 *
 * The tree is the only thing the model reader sees of a file. Every key and every value carries its
 * file, line and column (from 1, columns counted in characters). Nothing is interpreted here except
 * what YAML itself says: anchors, aliases and merge keys are resolved, duplicate keys refused, and
 * a plain (unquoted) `null`, `~` or nothing at all is a null node. Whether a plain scalar is a
 * number, a word or an expression is the reader's business; a quoted one is always a text.
 *
 * Aliased nodes are shared, not copied: the tree is a directed graph without cycles. Its size as
 * seen by a walker (each alias counted in full) is limited, so a small file cannot unfold into a
 * huge model.
 */
#ifndef HK_FORMATS_YAML_H
#define HK_FORMATS_YAML_H

#include "base/argument.h"
#include "hooke/node.h" /* hk_node, hk_node_kind: programs build the same tree (tree.h) */

/* mappings with more entries than this have a hash table */
enum { HK_NODE_SMALL = 8 };

/* one `key: value` of a mapping */
typedef struct hk_entry {
  const char *key; /* NUL-terminated, never empty */
  hk_loc key_loc;
  hk_node *value; /* never NULL */
  bool used;      /* set by hki_node_get; false: nobody has asked for this key */
  bool merged;    /* came in through `<<` */
} hk_entry;

struct hk_node {
  hk_mark mark; /* HK_MARK_NODE: a program's, from tree.c; 0: of a file */
  hk_node_kind kind;
  hk_loc loc; /* of the first character; the opening quote of a quoted scalar */

  /* scalars, and null nodes with their text as written */
  const char *text; /* NUL-terminated, holds no other NUL */
  int32_t len;      /* bytes */
  bool quoted;      /* '..', "..", | or >: a text, whatever it looks like */
  bool verbatim;    /* one line without escapes: text offsets are file columns */
  bool open;        /* a program's: a text or an expression, whichever its key wants */

  /* sequences: items[count]; mappings: entries[count], in the order of the file */
  int32_t count;
  hk_node **items;
  hk_entry *entries;

  /* private: lookup table of large mappings, size of the subtree with aliases in full */
  int32_t *slots;
  uint32_t mask;
  int64_t weight;
};

/* limits of one file; zero means the default */
typedef struct hk_yaml_limits {
  int32_t depth; /* nesting, default 64 */
  int64_t nodes; /* nodes as a walker sees them, default 4 million */
  size_t bytes;  /* file size, default 256 MiB */
} hk_yaml_limits;

/* Read a file (hki_yaml_read) or a text under a file name (hki_yaml_parse). All memory comes from
 * `pool`; `limits` may be NULL. On HK_OK *root is a node that is not null. Otherwise the errors are
 * in the context and *root is NULL. `from` is where the file was asked for. */
hk_status hki_yaml_read(hk_ctx *ctx, hk_pool *pool, const char *path, hk_loc from,
                        const hk_yaml_limits *limits, hk_node **root);
hk_status hki_yaml_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                         const hk_yaml_limits *limits, hk_node **root);

/* --- looking at nodes ------------------------------------------------------------------------- */

/* the entry of a key, or NULL (also when `map` is NULL or no mapping); does not mark it as used */
hk_entry *hki_node_find(const hk_node *map, const char *key);
/* the value of a key, marked as used; NULL when it is not there */
hk_node *hki_node_get(const hk_node *map, const char *key);
/* the text of a scalar; NULL for anything else, NULL nodes included */
const char *hki_node_text(const hk_node *node);
/* is it this very word, plain or quoted */
bool hki_node_is(const hk_node *node, const char *word);
/* YAML 1.2 booleans and on/off, yes/no, only when plain; returns false when it is none of them */
bool hki_node_bool(const hk_node *node, bool *value);
/* Is it a text where a text and an expression are both possible, as in parameters? Those in quotes
 * are, and those of programs, which have no quotes. */
static inline bool hki_node_may_be_text(const hk_node *node) { return node->quoted || node->open; }
/* where byte `offset` of a scalar's text stands in the file; the scalar itself when unknown */
hk_loc hki_node_text_loc(const hk_node *node, int32_t offset);
/* "a mapping", "a list of 3", "'abc'" ... for "expected ..., found %s"; returns buf */
const char *hki_node_describe(const hk_node *node, char *buf, size_t cap);

/* --- making nodes ----------------------------------------------------------------------------- */

/* room for n entries of a new mapping, with a hash table when there are many; false: no memory */
bool hki_node_reserve(hk_pool *pool, hk_node *map, int64_t n);
/* adds an entry to a mapping that has room, unless its key is there: that entry, else NULL */
hk_entry *hki_node_put(hk_node *map, const hk_entry *e);
/* enters the entry of number i into the mapping's table, which has room for it */
void hki_node_index(hk_node *map, int32_t i);

/* Hash of a tree: its keys, texts and numbers in their order. Where it was written, how numbers are
 * written, quotes and the words for true and false do not count. */
uint64_t hki_node_hash(const hk_node *node, uint64_t seed);

/* the tree as YAML, which reads back as the same tree */
void hki_yaml_write(const hk_node *node, hk_text *out);

#endif
