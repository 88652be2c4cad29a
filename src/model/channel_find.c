/* SPDX-License-Identifier: Apache-2.0
 *
 * channel_find.c: channels by name and by pattern. Names of items may contain dots themselves
 * ("front_left.arm"), so the longest item name that fits is tried first.
 */
#include <stdio.h>
#include <string.h>

#include "model/channel_list.h"

enum { LONGEST = 512 };

/* group of a name; *rest: the name after the group and its dot. HK_GROUPS: no such group */
static hk_group group_of(const char *name, const char **rest) {
  for (int g = 0; g < HK_GROUPS; g++) {
    size_t n = strlen(hki_group_names[g]);
    if (strncmp(name, hki_group_names[g], n) == 0 && name[n] == '.') {
      *rest = name + n + 1;
      return (hk_group)g;
    }
  }
  return HK_GROUPS;
}

/* channel of an item by its quantity ("position.x") */
static bool find_quantity(const hk_spec *s, hk_group g, int32_t item, const char *what,
                          hk_channel *out) {
  char buf[HK_QUANTITY_MAX];
  for (int32_t i = 0; hki_channel_at(s, g, item, i, out); i++) {
    hki_channel_quantity(s, *out, buf, sizeof buf);
    if (strcmp(buf, what) == 0) return true;
  }
  return false;
}

/* the longest item name that `rest` begins with, shorter than `before` bytes; its length in *len */
static int32_t find_item(const hk_spec *s, hk_group g, const char *rest, size_t before,
                         size_t *len) {
  char name[LONGEST];
  hk_names *index = hki_group_index(s, g);
  for (size_t n = before; index && n-- > 1;) {
    if (rest[n] != '.' && rest[n] != '\0') continue;
    memcpy(name, rest, n);
    name[n] = '\0';
    int32_t item = hki_names_find(index, name);
    if (item < 0 || item >= hki_group_items(s, g) || !hki_group_item_name(s, g, item)) continue;
    *len = n;
    return item;
  }
  return HK_NONE;
}

/* --- hints ------------------------------------------------------------------------------------ */

/* out: an existing full name, with the item's name nearest to the one in `rest`; unchanged when
 * none is near */
static void nearest_item(const hk_spec *s, hk_group g, const char *rest, char *out, size_t cap) {
  // the item's name is followed by a quantity of one or two words
  char name[LONGEST];
  size_t n = strlen(rest);
  for (int words = 0; words < 2; words++) {
    while (n > 0 && rest[n - 1] != '.') n--;
    if (n == 0) return;
    n--;
    memcpy(name, rest, n);
    name[n] = '\0';
    hk_nearest near;
    hk_channel c;
    hki_nearest_init(&near, name);
    for (int32_t i = 0; i < hki_group_items(s, g); i++)
      if (hki_group_item_name(s, g, i)) hki_nearest_try(&near, hki_group_item_name(s, g, i));
    const char *item = hki_nearest_result(&near);
    const int32_t i = item ? hki_names_find(hki_group_index(s, g), item) : HK_NONE;
    if (i < 0 || !find_quantity(s, g, i, rest + n + 1, &c)) continue;
    hki_channel_name(s, c, out, cap);
    return;
  }
}

/* out: an existing full name of the given item, with the quantity nearest to `what`; for a vector
 * without component, its first component */
static void nearest_quantity(const hk_spec *s, hk_group g, int32_t item, const char *what,
                             char *out, size_t cap) {
  char buf[HK_QUANTITY_MAX];
  size_t n = strlen(what);
  int32_t distance = INT32_MAX;
  hk_channel c;
  for (int32_t i = 0; hki_channel_at(s, g, item, i, &c); i++) {
    hki_channel_quantity(s, c, buf, sizeof buf);
    hk_nearest near;
    hki_nearest_init(&near, what);
    hki_nearest_try(&near, buf);
    bool part = n > 0 && strncmp(buf, what, n) == 0 && buf[n] == '.';
    int32_t d = part ? 0 : near.best ? near.best_distance : INT32_MAX;
    if (d < distance) {
      distance = d;
      hki_channel_name(s, c, out, cap);
    }
  }
}

/* "did you mean": nearest item or nearest quantity, whichever is nearer to the whole name */
static void hint_item(const hk_spec *s, hk_group g, const char *name, const char *rest,
                      int32_t item, const char *what, char *hint, size_t cap) {
  char by_item[LONGEST] = "", by_quantity[LONGEST] = "";
  hk_nearest near;
  if (hki_group_index(s, g)) nearest_item(s, g, rest, by_item, sizeof by_item);
  if (item >= 0) nearest_quantity(s, g, item, what, by_quantity, sizeof by_quantity);
  hki_nearest_init(&near, name);
  hki_nearest_try(&near, by_quantity);
  hki_nearest_try(&near, by_item);
  const char *best = hki_nearest_result(&near);
  if (!best) best = by_quantity[0] ? by_quantity : by_item;
  if (best[0]) snprintf(hint, cap, "did you mean '%s'?", best);
}

static void hint_group(const char *name, char *hint, size_t cap) {
  char word[32];
  size_t n = strcspn(name, ".");
  hk_nearest near;
  if (n >= sizeof word) return;
  memcpy(word, name, n);
  word[n] = '\0';
  hki_nearest_init(&near, word);
  for (int g = 0; g < HK_GROUPS; g++) hki_nearest_try(&near, hki_group_names[g]);
  if (hki_nearest_result(&near))
    snprintf(hint, cap, "did you mean '%s%s'?", hki_nearest_result(&near), name + n);
}

/* --- parse ------------------------------------------------------------------------------------ */

bool hki_channel_parse(const hk_spec *s, const char *name, hk_channel *out, char *hint,
                       size_t cap) {
  const char *rest;
  char none[1];
  if (!hint || cap == 0) hint = none, cap = sizeof none;
  hint[0] = '\0';
  hk_group g = group_of(name, &rest);
  if (g == HK_GROUPS || strlen(rest) >= LONGEST) {
    hint_group(name, hint, cap);
    return false;
  }
  if (!hki_group_index(s, g)) {
    if (find_quantity(s, g, 0, rest, out)) return true;
    hint_item(s, g, name, rest, 0, rest, hint, cap);
    return false;
  }
  // longest item name first; the first item found gives the hint
  int32_t named = HK_NONE;
  size_t len = strlen(rest) + 1, named_len = 0;
  for (int32_t item; (item = find_item(s, g, rest, len, &len)) >= 0;) {
    const char *what = rest[len] == '.' ? rest + len + 1 : "";
    if (find_quantity(s, g, item, what, out)) return true;
    if (named < 0) named = item, named_len = len;
  }
  const char *what = named >= 0 && rest[named_len] == '.' ? rest + named_len + 1 : "";
  hint_item(s, g, name, rest, named, what, hint, cap);
  return false;
}

/* --- match ------------------------------------------------------------------------------------ */

static int32_t count_matches(const hk_spec *s, const char *glob) {
  hk_channel *list = NULL;
  int32_t n = 0, cap = 0, added = hki_channel_match(NULL, s, glob, &list, &n, &cap);
  hki_free(NULL, list);
  return added;
}

/* out: the glob with word k (from 0) replaced; false when there is no such word */
static bool replace_word(const char *glob, int32_t k, const char *word, char *out, size_t cap) {
  const char *at = glob;
  while (k-- > 0) {
    at = strchr(at, '.');
    if (!at) return false;
    at++;
  }
  size_t n = strcspn(at, ".");
  return (size_t)snprintf(out, cap, "%.*s%s%s", (int)(at - glob), glob, word, at + n) < cap;
}

/* tries `name` (k = 2: its part before the first dot) as word k of the glob; best: the changed glob
 * when it is nearer than those before and matches something */
static void try_word(const hk_spec *s, const char *glob, int32_t k, const char *name,
                     hk_nearest *near, char *best, size_t cap) {
  char word[HK_QUANTITY_MAX], other[LONGEST];
  snprintf(word, sizeof word, "%.*s", (int)(k == 2 ? strcspn(name, ".") : strlen(name)), name);
  int32_t before = near->best_distance;
  hki_nearest_try(near, word);
  if (near->best_distance >= before) return;
  if (replace_word(glob, k, word, other, sizeof other) && count_matches(s, other) > 0)
    snprintf(best, cap, "%s", other);
  else
    near->best_distance = before;
}

const char *hki_channel_glob_void(const hk_spec *s, const char *glob) {
  const char *rest;
  hk_channel c;
  const hk_group g = group_of(glob, &rest);
  if (g == HK_GROUPS || rest[0] != '*') return NULL;
  for (int32_t i = 0; i < hki_group_items(s, g); i++)
    if (hki_channel_at(s, g, i, 0, &c)) return NULL;
  return hki_group_names[g];
}

/* which of the first three words of a glob may be misspelt: group, item, quantity */
void hki_channel_glob_hint(const hk_spec *s, const char *glob, char *hint, size_t cap) {
  char best[LONGEST] = "", word[64], what[HK_QUANTITY_MAX];
  const char *at = glob;
  hk_channel c;
  for (int32_t k = 0; k < 3 && !best[0]; k++) {
    size_t n = strcspn(at, ".");
    if (n >= sizeof word) break;
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    hk_nearest near;
    hki_nearest_init(&near, word);
    for (int g = 0; g < HK_GROUPS; g++) {
      if (k == 0) try_word(s, glob, 0, hki_group_names[g], &near, best, sizeof best);
      for (int32_t i = 0; k && i < hki_group_items(s, (hk_group)g); i++) {
        const char *item = hki_group_item_name(s, (hk_group)g, i);
        if (k == 1 && item) try_word(s, glob, 1, item, &near, best, sizeof best);
        // items of a group have much the same quantities: the first eight are enough
        for (int32_t q = 0; (k == 2 || !item) && i < 8 && hki_channel_at(s, (hk_group)g, i, q, &c);
             q++) {
          hki_channel_quantity(s, c, what, sizeof what);
          try_word(s, glob, item ? 2 : 1, what, &near, best, sizeof best);
        }
      }
    }
    if (!at[n]) break;
    at += n + 1;
  }
  snprintf(hint, cap,
           best[0] ? "did you mean '%s'?"
                   : "names look like 'body.NAME.position' or 'joint.*'; see 'hooke list channels'",
           best);
}

typedef struct search {
  const hk_spec *s;
  const char *glob;
  const char
      *tail; /* what stands behind the last wildcard of the glob: every name that matches has it */
  char longer[LONGEST + 2]; /* the glob with ".*", for the components of vectors */
  hk_channel **list;
  int32_t *n, *cap;
  int32_t added;
  hk_ctx *ctx;
} search;

/* the other name of a body that is the first or the last node of a beam, "wing.end"; NULL: it has none */
static const char *other_name(const hk_spec *s, int32_t body, char *buf, size_t cap) {
  for (int32_t i = 0; i < s->ngroups; i++) {
    const hk_spec_group *b = &s->groups[i];
    if (!b->station || (body != b->body0 && body != b->body0 + b->nbody - 1)) continue;
    const int n = snprintf(buf, cap, "%s.%s", b->name, body == b->body0 ? "start" : "end");
    return n > 0 && (size_t)n < cap ? buf : NULL;
  }
  return NULL;
}

/* the names of an item's channels, which begin with the same `head` bytes; head 0: the item has no such name */
typedef struct item_name {
  char text[2 * LONGEST];
  size_t head;
} item_name;

/* own: what the item is called; NULL: the group has no items */
static void begin_name(item_name *x, hk_group g, const char *own) {
  const int n = snprintf(x->text, sizeof x->text, "%s%s%s", hki_group_names[g], own ? "." : "",
                         own ? own : "");
  x->head = n < 0 || (size_t)n >= sizeof x->text ? 0 : (size_t)n;
}

/* does a quantity of an item match? */
static bool matches(const search *q, item_name *x, const char *what) {
  const size_t n = strlen(what);
  char *at = x->text + x->head;
  if (!x->head || x->head + 1 + n >= sizeof x->text) return false;
  if (n) *at++ = '.';
  memcpy(at, what, n + 1);
  if (q->tail[0] && !strstr(x->text, q->tail)) return false;
  return hki_glob(q->glob, x->text) || hki_glob(q->longer, x->text);
}

/* add the channels of one item that match; false: out of memory */
static bool match_item(search *q, hk_group g, int32_t item) {
  char what[HK_QUANTITY_MAX], buf[LONGEST];
  const char *own = hki_group_item_name(q->s, g, item);
  const char *other = g == HK_GROUP_BODY ? other_name(q->s, item, buf, sizeof buf) : NULL;
  item_name name, second;
  hk_channel c;
  begin_name(&name, g, own);
  if (other) begin_name(&second, g, other);
  for (int32_t i = 0; hki_channel_at(q->s, g, item, i, &c); i++) {
    hki_channel_quantity(q->s, c, what, sizeof what);
    if (!matches(q, &name, what) && !(other && matches(q, &second, what))) continue;
    if (!HK_GROW(q->ctx, *q->list, *q->cap, *q->n + 1)) return false;
    (*q->list)[(*q->n)++] = c;
    q->added++;
  }
  return true;
}

/* a pattern without wildcards: only items whose names it begins with are looked at */
static bool match_plain(search *q) {
  const char *rest;
  hk_group g = group_of(q->glob, &rest);
  if (g == HK_GROUPS) return true;
  if (!hki_group_index(q->s, g)) return match_item(q, g, 0);
  size_t len = strlen(rest) + 1;
  for (int32_t item; (item = find_item(q->s, g, rest, len, &len)) >= 0;) {
    if (!match_item(q, g, item)) return false;
  }
  return true;
}

int32_t hki_channel_match(hk_ctx *ctx, const hk_spec *s, const char *glob, hk_channel **list,
                          int32_t *n, int32_t *cap) {
  search q = {.ctx = ctx, .s = s, .glob = glob, .list = list, .n = n, .cap = cap};
  size_t length = strlen(glob);
  if (length >= LONGEST) return 0;
  q.tail = glob + length;
  while (q.tail > glob && q.tail[-1] != '*' && q.tail[-1] != '?') q.tail--;
  memcpy(q.longer, glob, length);
  memcpy(q.longer + length, ".*", 3);
  size_t literal = strcspn(glob, "*?");
  bool dotted = memchr(glob, '.', literal) != NULL;
  if (glob[literal] == '\0' && dotted) return match_plain(&q) ? q.added : -1;
  for (int g = 0; g < HK_GROUPS; g++) {
    // skip groups that differ from the letters before the first wildcard
    size_t len = strlen(hki_group_names[g]);
    if (strncmp(glob, hki_group_names[g], literal < len ? literal : len) != 0) continue;
    for (int32_t i = 0; i < hki_group_items(s, (hk_group)g); i++) {
      if (!match_item(&q, (hk_group)g, i)) return -1;
    }
  }
  return q.added;
}
