/* SPDX-License-Identifier: Apache-2.0
 *
 * describe.c: names of closures and of their rows for messages.
 */
#include <stdio.h>

#include "model/model.h"

/* appends s at `at` to a buffer of cap bytes, truncating; returns the new length */
static size_t append(char *buf, size_t cap, size_t at, const char *s) {
  size_t n = strlen(s);
  if (at + 1 >= cap) return at;
  if (n > cap - 1 - at) n = cap - 1 - at;
  memcpy(buf + at, s, n);
  buf[at + n] = '\0';
  return at + n;
}

/* name of a body's tree joint; NULL for an added joint */
static const char *way(const hk_model *m, int32_t body) {
  int32_t j = m->bodies[body].joint;
  return j >= 0 ? m->spec->joints[j].name : NULL;
}

/* appends a name to a list separated by commas */
static size_t list_name(const char *name, char *buf, size_t cap, size_t at, bool *first) {
  if (!name) return at;
  if (!*first) at = append(buf, cap, at, ", ");
  *first = false;
  return append(buf, cap, at, name);
}

void hki_model_loop_names(const hk_model *m, int32_t closure, char *buf, size_t cap) {
  enum { MOST = 12 }; /* longer loops are shortened */
  if (cap == 0) return;
  buf[0] = '\0';
  if (closure < 0 || closure >= m->nc) return;
  const hk_closure *c = &m->closures[closure];
  if (m->joints[c->joint].body >= 0) {
    // a motion or lock of a joint in the tree: no loop
    snprintf(buf, cap, "joint %s", m->spec->joints[c->joint].name);
    return;
  }
  bool first = true;
  if (c->coupling) {
    size_t end = append(buf, cap, 0, c->rate_rows ? "condition on " : "coupling of joints ");
    for (int32_t i = 0; i < c->coupling->n; i++) {
      const int32_t j = m->scalars[c->coupling->arg[i].scalar].joint, b = m->joints[j].mbody[1];
      bool again = false;
      for (int32_t k = 0; k < i; k++)
        again |= m->joints[m->scalars[c->coupling->arg[k].scalar].joint].mbody[1] == b && b >= 0;
      if (again) continue;
      const bool own = j < m->nj - m->spec->nhidden || b < 0;
      const char *name = own ? m->spec->joints[j].name : m->spec->bodies[m->bodies[b].spec].name;
      end = list_name(name, buf, cap, end, &first);
    }
    return;
  }
  size_t at = append(buf, cap, 0, "loop through joints ");
  int32_t a = c->body[0], b = c->body[1], n = 1;
  at = list_name(m->spec->joints[c->joint].name, buf, cap, at, &first);
  // climb from both ends, the deeper body first, to the common ancestor
  while (a != b) {
    int32_t da = a < 0 ? -1 : m->bodies[a].depth, db = b < 0 ? -1 : m->bodies[b].depth;
    int32_t *up = da >= db ? &a : &b;
    if (n++ < MOST) at = list_name(way(m, *up), buf, cap, at, &first);
    *up = m->bodies[*up].parent;
  }
  if (n > MOST) {
    char more[40];
    snprintf(more, sizeof more, " and %d more", (int)(n - MOST));
    append(buf, cap, at, more);
  }
}

/* closure of a row: the last one with row0 <= row (closures without rows share their row0) */
static const hk_closure *closure_of(const hk_model *m, int32_t row) {
  int32_t lo = 0, hi = m->nc - 1;
  while (lo < hi) {
    int32_t mid = lo + (hi - lo + 1) / 2;
    if (m->closures[mid].row0 <= row)
      lo = mid;
    else
      hi = mid - 1;
  }
  return &m->closures[lo];
}

bool hki_model_row_is_length(const hk_model *m, int32_t row) {
  if (row < 0 || row >= m->nrows) return false;
  const hk_closure *c = closure_of(m, row);
  if (c->kind == HK_CLOSURE_COUPLING) {
    const hk_scalar *x = &m->scalars[c->coupling->arg[0].scalar];
    return hki_scalar_is_length(m->spec->joints[x->joint].ops->scalars[x->coord]);
  }
  if (c->kind == HK_CLOSURE_COORD)
    return hki_scalar_is_length(c->ops->scalars[m->scalars[c->scalar].coord]);
  return hki_joint_row_is_length(c->ops, c->par, c->rows[row - c->row0]);
}

hk_loc hki_model_closure_loc(const hk_model *m, int32_t closure) {
  const hk_closure *c = &m->closures[closure];
  const hk_spec_joint *j = &m->spec->joints[c->joint];
  if (c->role != HK_ROLE_MOTION) return j->loc;
  return c->kind == HK_CLOSURE_COORD ? j->motion_loc[m->scalars[c->scalar].coord] : j->turn.loc;
}

void hki_model_row_name(const hk_model *m, int32_t row, char *buf, size_t cap) {
  if (cap == 0) return;
  buf[0] = '\0';
  if (row < 0 || row >= m->nrows) return;
  const hk_closure *c = closure_of(m, row);
  const char *name = m->spec->joints[c->joint].name;
  const char *what = c->role == HK_ROLE_MOTION  ? "motion of "
                     : c->role == HK_ROLE_LOCK  ? "fixed "
                     : c->role == HK_ROLE_STOP  ? "stopped "
                     : c->role == HK_ROLE_STICK ? "sticking "
                                                : "";
  if (c->kind == HK_CLOSURE_COUPLING) {
    snprintf(buf, cap, "%s '%s'", c->ops->name, name);
  } else if (c->kind == HK_CLOSURE_COORD) {
    int n;
    const char *words = hki_closure_order(m, c, 0) == 1 ? c->ops->rates : c->ops->coords;
    const char *word = hki_word(words, m->scalars[c->scalar].coord, &n);
    snprintf(buf, cap, "joint '%s', %s%.*s", name, what, n, word);
  } else {
    snprintf(buf, cap, "joint '%s', %s%s", name, what,
             hki_joint_row_name(c->ops, c->par, c->rows[row - c->row0]));
  }
}
