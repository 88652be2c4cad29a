/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/node.h: models made and changed by programs.
 *
 * A model is a tree of nodes: mappings, lists, and scalars (numbers, texts, true or false, nothing).
 * It is the tree that a model file is read into, with the same names and keys, and the same reader
 * makes the model from it: whatever a file can say, a program can build.
 *
 * @code
 *   hk_node *root = hk_node_new_map(ctx);
 *   hk_node_set_number(root, "hooke", 1);
 *   hk_node *arm = hk_node_make(root, "bodies.arm");
 *   hk_node_set_number(arm, "mass", 2.0);
 *   hk_node_set_numbers(arm, "com", 3, (double[]){0.5, 0.0, 0.0});
 *   hk_node *pin = hk_node_make(root, "joints.pin");
 *   hk_node_set_text(pin, "type", "revolute");
 *   ...
 *   hk_status st = hk_model_build(ctx, root, NULL, NULL, 0, &model);
 *   hk_node_destroy(root);
 * @endcode
 *
 * Messages about what a program made have "(program)" as their file and the number of the call as
 * their line, counted over all calls of this header that make or change nodes of the context, and
 * begin with the place in the tree: "joints.pin.axis: ...". Parts that were read from a file keep its
 * name, line and column.
 *
 * A tree belongs to its root: hk_node_destroy() of the root ends all of it. A node that was put into
 * another one belongs to that one. Changing a node, building a model and destroying the tree are
 * independent: a model keeps nothing of the tree.
 *
 * A call that is refused marks the node it was to change, and hk_model_build() refuses a tree with
 * such a mark: a program may look at the status of hk_model_build() alone.
 */
#ifndef HOOKE_NODE_H
#define HOOKE_NODE_H

#include "hooke/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A node of the tree. */
typedef struct hk_node hk_node;

/** What a node is. */
typedef enum hk_node_kind {
  HK_NODE_NULL,     /**< nothing: a key whose value is left out */
  HK_NODE_SCALAR,   /**< a number, a text, an expression, true or false */
  HK_NODE_SEQUENCE, /**< a list */
  HK_NODE_MAPPING   /**< a mapping of keys to nodes, in the order in which they were given */
} hk_node_kind;

/* --- making --------------------------------------------------------------------------------- */

/** An empty mapping.
 * @param ctx the context
 * @return the node, a root; NULL when out of memory */
HK_API hk_node *hk_node_new_map(hk_ctx *ctx);

/** An empty list.
 * @param ctx the context
 * @return the node, a root; NULL when out of memory */
HK_API hk_node *hk_node_new_list(hk_ctx *ctx);

/** A scalar that is a number.
 * @param ctx the context
 * @param x the number, finite; it is kept exactly
 * @return the node, a root; NULL when out of memory or x is not finite */
HK_API hk_node *hk_node_new_number(hk_ctx *ctx, double x);

/** A scalar that is a word, an expression or a text, whichever its key wants.
 * @param ctx the context
 * @param text UTF-8 without control characters other than tabs and ends of lines; it is copied
 * @return the node, a root; NULL when out of memory or the text cannot be in a model */
HK_API hk_node *hk_node_new_text(hk_ctx *ctx, const char *text);

/** A scalar that is true or false.
 * @param ctx the context
 * @param value true or false
 * @return the node, a root; NULL when out of memory */
HK_API hk_node *hk_node_new_bool(hk_ctx *ctx, bool value);

/** Nothing.
 * @param ctx the context
 * @return the node, a root; NULL when out of memory */
HK_API hk_node *hk_node_new_null(hk_ctx *ctx);

/** A copy of a node and of all below it.
 * @param node the node, a root or not
 * @return the copy, a root of the same context; NULL when out of memory */
HK_API hk_node *hk_node_copy(const hk_node *node);

/** End a root and all below it. Handles of these nodes are refused from then on, until the context
 * makes new nodes in their places.
 * @param root the root; NULL is allowed. A node inside another one is refused: hk_node_remove() */
HK_API void hk_node_destroy(hk_node *root);

/* --- changing ------------------------------------------------------------------------------- */

/** Put a root into a mapping or a list, to which it belongs from then on.
 * @param to a mapping or a list of the same context
 * @param key of a mapping: the key, not empty; a value that it has is destroyed. Of a list: NULL, the
 *   node becomes its last item
 * @param child the root; refused when it stands somewhere already, holds `to`, or is too deep (64
 *   levels). It stays the caller's when it is refused
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set(hk_node *to, const char *key, hk_node *child);

/** The same with a new number.
 * @param to a mapping or a list
 * @param key of a mapping: the key; of a list: NULL
 * @param x the number, finite
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set_number(hk_node *to, const char *key, double x);

/** The same with a new list of numbers.
 * @param to a mapping or a list
 * @param key of a mapping: the key; of a list: NULL
 * @param n how many numbers
 * @param x n: the numbers, finite; may be NULL when n = 0
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set_numbers(hk_node *to, const char *key, int32_t n, const double *x);

/** The same with a new word, expression or text.
 * @param to a mapping or a list
 * @param key of a mapping: the key; of a list: NULL
 * @param text as for hk_node_new_text()
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set_text(hk_node *to, const char *key, const char *text);

/** The same with a new list of texts.
 * @param to a mapping or a list
 * @param key of a mapping: the key; of a list: NULL
 * @param n how many texts
 * @param text n: the texts, as for hk_node_new_text(); may be NULL when n = 0
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set_texts(hk_node *to, const char *key, int32_t n,
                                   const char *const *text);

/** The same with true or false.
 * @param to a mapping or a list
 * @param key of a mapping: the key; of a list: NULL
 * @param value true or false
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_node_set_bool(hk_node *to, const char *key, bool value);

/** The mapping at a path; mappings that are missing on the way are made.
 * @param root where the path begins: a mapping, not only of a whole tree
 * @param path keys with dots between them: "joints.pin"; keys that hold dots are out of reach here
 * @return the mapping; NULL when something else stands on the way, or out of memory */
HK_API hk_node *hk_node_make(hk_node *root, const char *path);

/** Take an entry out of a mapping and destroy it.
 * @param map the mapping
 * @param key its key
 * @return HK_OK; HK_E_USAGE also when there is no such key */
HK_API hk_status hk_node_remove(hk_node *map, const char *key);

/** Take an item out of a list, or an entry out of a mapping, and destroy it.
 * @param node the list or mapping
 * @param i from 0 to hk_node_count() - 1
 * @return HK_OK; HK_E_USAGE also when there is none of this number */
HK_API hk_status hk_node_remove_at(hk_node *node, int32_t i);

/* --- looking -------------------------------------------------------------------------------- */

/** What a node is.
 * @param node the node
 * @return its kind; HK_NODE_NULL also for NULL */
HK_API hk_node_kind hk_node_kind_of(const hk_node *node);

/** How many items a list or entries a mapping has.
 * @param node the node
 * @return their number; 0 for all others */
HK_API int32_t hk_node_count(const hk_node *node);

/** A key of a mapping.
 * @param map the mapping
 * @param i from 0 to hk_node_count() - 1, in the order of the entries
 * @return the key; NULL when there is none of this number. It lives as long as its entry */
HK_API const char *hk_node_key(const hk_node *map, int32_t i);

/** An item of a list, or the value of an entry of a mapping.
 * @param node the list or mapping
 * @param i from 0 to hk_node_count() - 1
 * @return the node; NULL when there is none of this number */
HK_API hk_node *hk_node_item(const hk_node *node, int32_t i);

/** The value of a key.
 * @param map the mapping
 * @param key the key
 * @return the node; NULL when there is no such key */
HK_API hk_node *hk_node_get(const hk_node *map, const char *key);

/** The node at a path.
 * @param root where the path begins
 * @param path keys with dots between them and numbers of items in brackets: "joints.pin.axis[2]"
 * @return the node; NULL when there is none */
HK_API hk_node *hk_node_at(const hk_node *root, const char *path);

/** The text of a scalar, as it was written.
 * @param node the node
 * @return the text; NULL for all others */
HK_API const char *hk_node_text(const hk_node *node);

/** The number of a scalar.
 * @param node the node
 * @param x the number; NAN when it is none. Expressions ("2*pi") are texts here
 * @return HK_OK; HK_E_USAGE when the node is no number */
HK_API hk_status hk_node_number(const hk_node *node, double *x);

/** The numbers of a list: [1, 2*pi, 3] has three of which the second is an expression, and so none that
 * can be read here.
 * @param list the node
 * @param most how many numbers `x` has room for
 * @param x the first of them; NULL: not wanted
 * @return how many the list has; -1 when it is no list, or something in it is no number */
HK_API int32_t hk_node_numbers(const hk_node *list, int32_t most, double *x);

/** The truth of a scalar: true or false. Where a model wants one of them it also takes on, off, yes and
 * no; these may be names elsewhere and are texts here.
 * @param node the node
 * @param value true or false; false when it is neither
 * @return HK_OK; HK_E_USAGE when the node is neither, or a text in quotes */
HK_API hk_status hk_node_bool(const hk_node *node, bool *value);

/** Whether a scalar stood in quotes in the file it was read from: a text, whatever it looks like.
 * @param node the node
 * @return 1 or 0 */
HK_API int32_t hk_node_quoted(const hk_node *node);

/** Where a node was made.
 * @param node the node
 * @param line line of the file, or number of the call; may be NULL
 * @param column column of the file, 0 for calls; may be NULL
 * @return the name of the file, "(program)" for calls */
HK_API const char *hk_node_where(const hk_node *node, int32_t *line, int32_t *column);

/* --- files and texts ------------------------------------------------------------------------ */

/** Read a model file, or any YAML or JSON file, as a tree. Aliases become copies; comments are lost.
 * @param ctx the context
 * @param path the file
 * @param out the root, to be given to hk_node_destroy(); NULL on failure
 * @return HK_OK, HK_E_FILE, HK_E_MODEL (no YAML), HK_E_MEMORY */
HK_API hk_status hk_node_read(hk_ctx *ctx, const char *path, hk_node **out);

/** The same from memory.
 * @param ctx the context
 * @param text YAML or JSON
 * @param len its length in bytes
 * @param name stands in messages, and relative paths in the text start from its folder
 * @param out the root, to be given to hk_node_destroy(); NULL on failure
 * @return as hk_node_read() */
HK_API hk_status hk_node_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                               hk_node **out);

/** A node and all below it as YAML, which reads back as the same tree.
 * @param node the node
 * @return the text, valid until it is asked for again, or the node ends; NULL when out of memory */
HK_API const char *hk_node_yaml(hk_node *node);

/* --- models --------------------------------------------------------------------------------- */

/** Make a model from a tree, as hk_model_load() makes it from a file.
 * @param ctx the context of the tree
 * @param root the tree; it stays as it is, the caller's
 * @param name the model's path: relative paths of what the program made start from its folder, results
 *   name it. NULL: the file that the root was read from, or "(program)"
 * @param sets parameters to change, `nsets` of them; may be NULL when there are none
 * @param nsets how many
 * @param out the model, to be given to hk_model_release(); NULL on failure
 * @return HK_OK, HK_E_FILE (another file cannot be read), HK_E_MODEL (wrong content), HK_E_MEMORY */
HK_API hk_status hk_model_build(hk_ctx *ctx, const hk_node *root, const char *name,
                                const hk_set *sets, int32_t nsets, hk_model **out);

#ifdef __cplusplus
}
#endif
#endif
