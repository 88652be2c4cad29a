/* SPDX-License-Identifier: Apache-2.0
 *
 * assert.h: what only a mistake in Hooke itself can get wrong: the order of calls, sizes, indices,
 * entries of a table. Never for what a user, a file or a calling program may get wrong: that is a
 * status and a message.
 *
 * Assertions are on where the build defines HK_ASSERTIONS (presets `dev` and `asan`). Elsewhere the
 * condition is compiled but never evaluated: it costs nothing, and must have no effect of its own.
 */
#ifndef HK_BASE_ASSERT_H
#define HK_BASE_ASSERT_H

/* "file:line: function: assertion failed: condition" on the standard error, then abort() */
_Noreturn void hki_assert_failed(const char *file, int line, const char *function,
                                 const char *condition);
/* "...: joint 'pin': tree is missing" */
_Noreturn void hki_assert_table(const char *file, int line, const char *function, const char *kind,
                                const char *name, const char *fault);

#ifdef HK_ASSERTIONS
#define HK_ASSERT(condition)                                                                       \
  ((condition) ? (void)0 : hki_assert_failed(__FILE__, __LINE__, __func__, #condition))
#else
#define HK_ASSERT(condition) ((void)(0 && (condition)))
#endif

/* The table of a type has all that its capabilities and counts make necessary. `check` is the
 * function of its room that says what is wrong with it, NULL when nothing is. */
#ifdef HK_ASSERTIONS
#define HK_ASSERT_TABLE(kind, ops, check)                                                          \
  (check(ops) ? hki_assert_table(__FILE__, __LINE__, __func__, kind, (ops)->name, check(ops))      \
              : (void)0)
#else
#define HK_ASSERT_TABLE(kind, ops, check) ((void)(0 && check(ops)))
#endif

/* lines of such a check: an entry that is needed, and NULL; a count that is out of bounds */
#define HK_TABLE_NEEDS(needed, ops, entry)                                                         \
  do {                                                                                             \
    if ((needed) && !(ops)->entry) return #entry " is missing";                                    \
  } while (0)
#define HK_TABLE_HOLDS(condition)                                                                  \
  do {                                                                                             \
    if (!(condition)) return "'" #condition "' does not hold";                                     \
  } while (0)

#endif
