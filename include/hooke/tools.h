/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/tools.h: small tools of the library that programs around it want too: files that appear whole,
 * JSON, suggestions for misspelt words.
 */
#ifndef HOOKE_TOOLS_H
#define HOOKE_TOOLS_H

#include "hooke/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Write a file as results are written: beside its place, then into it by its name. Links are
 * followed, permissions kept, and whatever happens the file is the old one or the new one.
 * @param ctx the context
 * @param path the file; only regular files are replaced
 * @param data the bytes
 * @param len how many
 * @return HK_OK, HK_E_FILE with a message, HK_E_MEMORY */
HK_API hk_status hk_file_write(hk_ctx *ctx, const char *path, const void *data, size_t len);

/** A text as a JSON string, quoted and escaped; bytes that are not UTF-8 become U+FFFD.
 * @param s the text; NULL gives `null`
 * @param buf room for the string and a NUL; what does not fit is cut off; may be NULL
 * @param cap size of the room
 * @return bytes of the whole string, without the NUL; 0 when out of memory */
HK_API size_t hk_json_string(const char *s, char *buf, size_t cap);

/** A number as JSON: the shortest decimal that reads back the same; `null` when it is not finite.
 * @param x the number
 * @param buf room for the text and a NUL, 32 bytes are always enough; may be NULL
 * @param cap size of the room
 * @return bytes of the whole text, without the NUL */
HK_API size_t hk_json_number(double x, char *buf, size_t cap);

/** "Did you mean": the nearer of two candidates for a misspelt word, by insertions, deletions,
 * substitutions and swaps of neighbours; a candidate that begins with the word is near as well.
 * @param word the word
 * @param best the best candidate so far; NULL at the beginning
 * @param candidate another one
 * @return `best` or `candidate`, the first of equals; NULL while none is near */
HK_API const char *hk_nearer(const char *word, const char *best, const char *candidate);

#ifdef __cplusplus
}
#endif
#endif
