/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h: the trees that programs build (hooke/node.h), inside. A node is the reader's own hk_node
 * with what is needed to change it: its parent, room for further entries, and the height of what is
 * below it. Texts, entries and items lie on the heap; the nodes themselves lie in the context, which
 * keeps those that were destroyed for new ones, so that a handle of a destroyed node can be refused.
 */
#ifndef HK_FORMATS_TREE_H
#define HK_FORMATS_TREE_H

#include "formats/yaml.h"

/* most levels of a tree, as in a file */
enum { HK_TREE_DEPTH = 64 };
/* most nodes of a tree that becomes a model, as in a file */
enum { HK_TREE_NODES = 4000000 };
/* the file of what programs make; lines are numbers of calls */
#define HK_PROGRAM "(program)"

typedef struct hk_tree_node {
  hk_node node; /* first: a handle is the address of both */
  hk_ctx *ctx;
  struct hk_tree_node *parent; /* NULL: a root; of a destroyed node: the next of these */
  int32_t cap;                 /* room for entries or items */
  int32_t height;              /* levels from here down, this one included */
  int32_t failed;              /* number of the first call that was refused here; 0: none */
  char *yaml;                  /* what hk_node_yaml gave, NULL: nothing */
} hk_tree_node;

/* the tree node behind a handle, NULL when it is none */
static inline hk_tree_node *hki_tree(const hk_node *node) {
  return hki_is(node, HK_MARK_NODE) ? (hk_tree_node *)node : NULL;
}

/* a copy of a reader's tree as a program's; NULL: no memory */
hk_node *hki_tree_take(hk_ctx *ctx, const hk_node *from);

/* A copy of a program's tree as the reader's, from `pool`. What the program made is placed in the
 * file of number `file`. Refused: a tree with a call that failed, or with too many nodes. */
hk_status hki_tree_give(hk_ctx *ctx, hk_pool *pool, const hk_node *root, int32_t file,
                        hk_node **out);

/* the path of what call `loc.line` made, "joints.pin.axis[2]", into buf; "" when it is not found */
void hki_tree_path(const hk_node *root, hk_loc loc, char *buf, size_t cap);

/* is the node a program's, not one that was read from a file */
bool hki_tree_of_program(const hk_node *node);

#endif
